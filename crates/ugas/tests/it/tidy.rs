//! The tree keeps its promises: documents name what exists, files stay readable, the core stays free of what it must
//! not know.

use std::fs;
use std::path::{Path, PathBuf};

/// Files aim for far fewer; above this nobody reads them.
const MAX_LINES: usize = 1_200;

/// What the core may depend on. A new name here needs its reason in `docs/dependencies.md`.
const CORE_DEPENDENCIES: [&str; 5] = ["libm", "smallvec", "thiserror", "tracing", "xxhash-rust"];

/// What the sources of the core must not mention (I1, V3).
const FORBIDDEN_IN_CORE: [&str; 9] = [
    "std::time",
    "std::thread",
    "std::net",
    "std::fs",
    "std::env",
    "std::process",
    "std::sync::Mutex",
    "std::sync::RwLock",
    "serde",
];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Rust files below a folder of the tree, in a defined order.
pub(crate) fn rust_files(folder: &str) -> Vec<PathBuf> {
    files(folder, "rs")
}

/// Files with this extension below a folder of the tree, in a defined order.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "no .{extension} files in {folder}");
    files
}

/// Words in backticks, outside code blocks.
fn quoted(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let mut words = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            words.extend(line.split('`').skip(1).step_by(2));
        }
    }
    words
}

fn is_path(word: &str) -> bool {
    let looks_like_one = word.contains('/')
        || word.starts_with("LICENSE")
        || [".rs", ".md", ".toml"].iter().any(|ending| word.ends_with(ending));
    looks_like_one && !word.contains(char::is_whitespace)
}

/// Targets of relative links.
fn linked(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    targets.map(|target| target.split('#').next().unwrap_or(target)).collect()
}

#[test]
fn documents_name_paths_that_exist() {
    let bases = ["", "crates/ugas-core/src", "crates/ugas-core/src/simulation", "crates/ugas-net/src"];
    let bases = bases.map(|base| root().join(base));
    let mut documents =
        vec![root().join("ARCHITECTURE.md"), root().join("README.md"), root().join("CHANGELOG.md")];
    for folder in ["docs", "docs/book", "docs/adr"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let markdown = entries.map(|entry| entry.unwrap().path());
        documents.extend(markdown.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    for document in documents {
        let text = read(&document);
        let own = document.parent().unwrap();
        // The paths on the page of diagnostics are those of its readers' packs.
        let is_own = !document.ends_with("docs/diagnostics.md");
        for word in quoted(&text).into_iter().filter(|word| is_own && is_path(word)) {
            let exists = bases.iter().any(|base| base.join(word).exists());
            assert!(exists, "{}: `{word}` does not exist", document.display());
        }
        for target in linked(&text) {
            assert!(own.join(target).exists(), "{}: the link to {target} is dead", document.display());
        }
    }
}

#[test]
fn indexes_are_complete() {
    for folder in ["docs/book", "docs/adr"] {
        let index = read(root().join(folder).join("README.md"));
        let chapters: Vec<String> = fs::read_dir(root().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "README.md")
            .collect();
        for name in chapters {
            assert!(index.contains(&format!("({name})")), "{folder}/README.md does not list {name}");
        }
    }
    let facade = read(root().join("crates/ugas/src/lib.rs"));
    let plugin = read(root().join("crates/bevy_ugas/src/lib.rs"));
    for entry in fs::read_dir(root().join("docs/book")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let mounted = name == "README.md" || facade.contains(&format!("docs/book/{name}"));
        // A chapter about an engine is compiled by the crate that knows it.
        let elsewhere = name == "28-bevy.md" && plugin.contains(&format!("docs/book/{name}"));
        assert!(
            mounted || elsewhere,
            "the snippets of docs/book/{name} are not compiled: mount it in crates/ugas/src/lib.rs"
        );
    }
    let manifest = read(root().join("crates/ugas/Cargo.toml"));
    // Examples in folders are packages of their own.
    let single = |file: &PathBuf| file.parent() == Some(&root().join("examples"));
    for file in rust_files("examples").into_iter().filter(single) {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            manifest.contains(&format!("examples/{name}\"")),
            "crates/ugas/Cargo.toml does not declare {name}"
        );
    }
}

#[test]
fn architecture_stays_under_three_pages() {
    // A page of print has some 50 lines of this width.
    let lines = read(root().join("ARCHITECTURE.md")).lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines: say less");
}

#[test]
fn files_stay_readable() {
    for file in rust_files("crates").into_iter().chain(rust_files("examples")) {
        let lines = read(&file).lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines: split it", file.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    // Put together here, so that this file does not find itself.
    let unfinished = ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!("));
    for file in rust_files("crates").into_iter().chain(rust_files("examples")) {
        let text = read(&file);
        for word in &unfinished {
            assert!(!text.contains(word.as_str()), "{} contains {word}", file.display());
        }
    }
}

#[test]
fn the_core_depends_on_nothing_else() {
    let manifest = read(root().join("crates/ugas-core/Cargo.toml"));
    let mut section = "";
    for line in manifest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
            let inline = line.starts_with("[dependencies.") || line.starts_with("[target.");
            assert!(!inline, "crates/ugas-core/Cargo.toml: write {line} as a line of [dependencies]");
        } else if section == "[dependencies]" {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            assert!(CORE_DEPENDENCIES.contains(&name), "the core must not depend on {name}");
        }
    }
}

#[test]
fn the_core_knows_no_clock_no_thread_no_file() {
    let is_test =
        |file: &PathBuf| file.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
    for file in rust_files("crates/ugas-core/src").into_iter().filter(|file| !is_test(file)) {
        let text = read(&file);
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for word in FORBIDDEN_IN_CORE {
            assert!(!code.contains(word), "{} mentions {word}", file.display());
        }
    }
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = read(root().join("Cargo.toml"));
    let reasons = read(root().join("docs/dependencies.md"));
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or_default();
    for line in section.lines().skip(1).take_while(|line| !line.starts_with('[')) {
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
        let own = name.starts_with("ugas")
            || name.starts_with("bevy_ugas")
            || name.is_empty()
            || name.starts_with('#');
        assert!(
            own || reasons.contains(&format!("| `{name}` |")),
            "docs/dependencies.md does not say why {name}"
        );
    }
}
