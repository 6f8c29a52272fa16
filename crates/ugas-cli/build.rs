//! Embeds the conformance suite and the packs of `ugas play` and `ugas demo` into the binary.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let crate_folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = crate_folder.join("../..");
    embed(&root.join("conformance"), "conformance.rs");
    embed(&root.join("packs/puzzle2048"), "puzzle2048.rs");
    embed(&root.join("packs/arena"), "arena.rs");
}

/// Writes a Rust file with the names and texts of all files in a folder.
fn embed(root: &Path, list: &str) {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(root, &mut files);
    files.sort();
    let mut code = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        code.push_str(&format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string()));
    }
    code.push_str("]\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join(list), code).expect("the build folder can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
}
