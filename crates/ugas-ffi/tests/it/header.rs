//! `include/ugas.h` is up to date with the source.

use std::path::{Path, PathBuf};

use cbindgen::{
    Braces, Builder, Config, DocumentationStyle, EnumConfig, ExportConfig, Language, RenameRule, SortKey,
    Style,
};

/// Modules with exported items, in the order of the header.
const MODULES: [&str; 46] = [
    "status",
    "memory",
    "guard",
    "context",
    "reason",
    "loader",
    "calculation",
    "space",
    "catalog",
    "simulation",
    "attribute",
    "tag",
    "target",
    "effect",
    "effect/change",
    "effect/define",
    "cue",
    "ability",
    "ability_set",
    "activation",
    "task",
    "input",
    "mapper",
    "placement",
    "event",
    "event/kind",
    "event/body",
    "call",
    "hooks",
    "custom_task",
    "batch",
    "explain",
    "snapshot",
    "character",
    "reload",
    "recording",
    "player",
    "net",
    "server",
    "server/host",
    "server/event",
    "server/view",
    "client",
    "client/act",
    "client/event",
    "client/link",
];

const COMMAND: &str = "UPDATE_EXPECT=1 cargo test -p ugas-ffi --test it header";

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Comment at the top of the header: the rules from the crate documentation.
fn preamble() -> String {
    let source = std::fs::read_to_string(folder().join("src/lib.rs")).unwrap();
    let mut text = String::from(
        "/* SPDX-License-Identifier: MIT OR Apache-2.0\n *\n * UGAS: a deterministic, engine-agnostic gameplay ability system. Its C interface.\n",
    );
    text.push_str(&format!(" * Generated from the source of ugas-ffi by `{COMMAND}`; do not edit.\n *\n"));
    let rules = source.lines().take_while(|line| line.starts_with("//!"));
    let rules = rules.map(|line| line.trim_start_matches("//!")).skip_while(|line| !line.contains("# Rules"));
    for line in rules.take_while(|line| !line.contains("# Modules")) {
        text.push_str(format!(" *{}", line.replace("**", "").replace("# ", "")).trim_end());
        text.push('\n');
    }
    text.push_str(" */");
    text
}

const MACROS: &str = r#"
/* A structure with its size set and all other fields zero. */
#ifdef __cplusplus
#define UGAS_INIT(type) (::ugas::init<type>())
namespace ugas {
template <class T> inline T init() { T value{}; value.size = sizeof(T); return value; }
}
#else
#define UGAS_INIT(type) ((type){ .size = sizeof(type) })
#endif

/* A ugas_str from a string literal. */
#ifdef __cplusplus
#define UGAS_STR(literal) (ugas_str{ literal, sizeof(literal) - 1 })
#else
#define UGAS_STR(literal) ((ugas_str){ literal, sizeof(literal) - 1 })
#endif
"#;

fn sources() -> impl Iterator<Item = PathBuf> {
    MODULES.iter().map(|module| folder().join("src").join(module).with_extension("rs"))
}

fn enumerations() -> Vec<String> {
    let named = |path: PathBuf| -> Vec<String> {
        let source = std::fs::read_to_string(path).unwrap();
        let names = source.split("pub enum ugas_").skip(1);
        names.filter_map(|rest| rest.split(' ').next()).map(|name| format!("ugas_{name}")).collect()
    };
    sources().flat_map(named).collect()
}

pub(crate) fn generate() -> String {
    let config = Config {
        language: Language::C,
        cpp_compat: true,
        include_guard: Some("UGAS_H".to_owned()),
        header: Some(preamble()),
        after_includes: Some(MACROS.trim_end().to_owned()),
        braces: Braces::SameLine,
        line_length: 110,
        tab_width: 4,
        style: Style::Type,
        documentation_style: DocumentationStyle::C99,
        sys_includes: vec!["stddef.h".to_owned(), "stdint.h".to_owned()],
        no_includes: true,
        usize_is_size_t: true,
        sort_by: SortKey::None,
        // Signatures take enumerations as plain numbers, so cbindgen would not find these by itself.
        export: ExportConfig { include: enumerations(), ..ExportConfig::default() },
        enumeration: EnumConfig {
            rename_variants: RenameRule::QualifiedScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    };
    let mut builder = Builder::new().with_config(config);
    for path in sources() {
        builder = builder.with_src(path);
    }
    let mut bytes = Vec::new();
    builder.generate().expect("cbindgen parses the source of ugas-ffi").write(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

#[test]
fn header_is_up_to_date_with_the_source() {
    let path = folder().join("include/ugas.h");
    let generated = generate();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "include/ugas.h is out of date: run `{COMMAND}`");
}

#[test]
fn every_exported_function_is_in_the_header() {
    let header = generate();
    let mut folders = vec![folder().join("src")];
    let mut functions = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for name in exported(&path) {
                assert!(header.contains(&format!("{name}(")), "{name} is missing: is its module listed?");
                functions += 1;
            }
        }
    }
    assert!(functions > 80, "only {functions} functions were found");
}

fn exported(path: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(path).unwrap();
    let names = source.split("extern \"C\" fn ugas_").skip(1);
    names.filter_map(|rest| rest.split('(').next()).map(|name| format!("ugas_{name}")).collect()
}

#[test]
fn functions_that_create_objects_document_how_to_free_them() {
    let header = generate();
    let functions: Vec<&str> =
        header.split("\n\n").filter(|part| part.contains("ugas_status ugas_")).collect();
    let constructors =
        ["_new(", "_new_file(", "_load(", "_take(", "_from_bytes(", "_share(", "ugas_catalog_of("];
    let mut created = 0;
    for function in functions {
        let (comment, declared) = function.split_at(function.find("ugas_status ugas_").unwrap());
        // `ugas_mapper_load` loads saved bindings into an existing mapper and creates nothing.
        let creates =
            constructors.iter().any(|name| declared.contains(name)) && !declared.contains("ugas_mapper_load");
        if creates {
            assert!(comment.contains("_free"), "the comment does not name the free function: {function}");
            created += 1;
        }
    }
    assert!(created >= 13, "only {created} functions that create an object were found");
}
