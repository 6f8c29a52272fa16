//! Checks of the repository: paths in documents exist, files stay readable, the core has no forbidden
//! dependencies.

use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of lines of a file; most should have far fewer.
const MAX_LINES: usize = 1_200;

/// Allowed dependencies of the core. A new name needs its reason in `docs/dependencies.md`.
const CORE_DEPENDENCIES: [&str; 6] =
    ["libm", "smallvec", "thiserror", "tracing", "ugas-core-derive", "xxhash-rust"];

/// Names that the sources of the core must not mention (I1, V3).
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

/// Targets of relative links: the path, empty for the page itself, and the anchor, empty without one.
fn linked(text: &str) -> Vec<(&str, &str)> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains("://"));
    targets.map(|target| target.split_once('#').unwrap_or((target, ""))).collect()
}

/// Anchors of the headings of a page, as mdBook and code hosts derive them.
fn anchors(text: &str) -> Vec<String> {
    let mut in_block = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block && line.starts_with('#') {
            let title = line.trim_start_matches('#').trim();
            let kept = title.chars().filter_map(|character| match character {
                ' ' => Some('-'),
                '-' | '_' => Some(character),
                _ => character.is_alphanumeric().then_some(character),
            });
            anchors.push(kept.collect::<String>().to_lowercase());
        }
    }
    anchors
}

#[test]
fn documents_name_paths_that_exist() {
    let bases = ["", "crates/ugas-core/src", "crates/ugas-core/src/simulation", "crates/ugas-net/src"];
    let bases = bases.map(|base| root().join(base));
    let mut documents = ["ARCHITECTURE.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
        .map(|name| root().join(name))
        .to_vec();
    documents.extend(files("docs", "md"));
    for document in documents {
        let text = read(&document);
        let own = document.parent().unwrap();
        // Diagnostics name paths of a reader's pack; decisions and the changelog name paths of their time.
        let is_other = document.ends_with("docs/diagnostics.md")
            || document.ends_with("CHANGELOG.md")
            || own.ends_with("docs/adr");
        for word in quoted(&text).into_iter().filter(|word| !is_other && is_path(word)) {
            let exists = bases.iter().any(|base| base.join(word).exists());
            assert!(exists, "{}: `{word}` does not exist", document.display());
        }
        for (path, anchor) in linked(&text) {
            let target = if path.is_empty() { document.clone() } else { own.join(path) };
            assert!(target.exists(), "{}: the link to {path} is dead", document.display());
            let found = anchor.is_empty() || anchors(&read(&target)).iter().any(|known| known == anchor);
            assert!(found, "{}: {path} has no heading for #{anchor}", document.display());
        }
    }
}

#[test]
fn indexes_are_complete() {
    let docs = root().join("docs");
    let summary = read(docs.join("SUMMARY.md"));
    let front = read(docs.join("README.md"));
    let decisions = read(docs.join("adr/README.md"));
    let facade = read(root().join("crates/ugas/src/lib.rs"));
    let plugin = read(root().join("crates/bevy_ugas/src/lib.rs"));
    for file in files("docs", "md") {
        let page = file.strip_prefix(&docs).unwrap().to_str().unwrap().replace('\\', "/");
        if page == "SUMMARY.md" {
            continue;
        }
        assert!(summary.contains(&format!("({page})")), "docs/SUMMARY.md does not list {page}");
        if let Some(decision) = page.strip_prefix("adr/").filter(|name| *name != "README.md") {
            assert!(
                decisions.contains(&format!("({decision})")),
                "docs/adr/README.md does not list {decision}"
            );
        }
        if page.starts_with("book/") {
            assert!(front.contains(&format!("({page})")), "docs/README.md does not list {page}");
            // The plugin compiles the chapter about its engine; the glossary has no snippets.
            let owner = if page == "book/tools/bevy.md" { &plugin } else { &facade };
            assert!(
                page == "book/glossary.md" || owner.contains(&format!("docs/{page}")),
                "the snippets of docs/{page} are not compiled: mount it in crates/ugas/src/lib.rs"
            );
        }
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
fn architecture_document_stays_under_three_pages() {
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
fn sources_have_no_unfinished_markers() {
    // Assembled here, so that this file does not match itself.
    let unfinished = ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!("));
    for file in rust_files("crates").into_iter().chain(rust_files("examples")) {
        let text = read(&file);
        for word in &unfinished {
            assert!(!text.contains(word.as_str()), "{} contains {word}", file.display());
        }
    }
}

#[test]
fn core_has_only_allowed_dependencies() {
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
fn core_uses_no_clock_thread_or_file() {
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
