//! What the repository ships as data loads: the sample packs, and the definitions of every conformance scenario.

use std::path::{Path, PathBuf};

use ugas_data::diagnostics::Sink;
use ugas_data::node::parse;
use ugas_data::{Limits, Loader, SourceMap};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_sample_packs_load_without_errors() {
    for pack in ["arpg", "platformer", "racing", "puzzle2048"] {
        let path = root().join("packs").join(pack);
        let pack = Loader::new().path(&path).load().unwrap_or_else(|error| panic!("{error}"));
        assert!(pack.catalog.effects().count() > 2, "{}", path.display());
    }
}

#[test]
fn the_definitions_of_every_conformance_scenario_load_without_errors() {
    let (mut scenarios, mut wrong) = (0, Vec::new());
    for path in yaml_files(&root().join("conformance")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut map = SourceMap::new();
        let file = map.add(&path, text);
        let mut sink = Sink::with_limit(100);
        for document in parse(&map, file, &Limits::default(), &mut sink) {
            if document.get("Steps").is_none() {
                continue;
            }
            scenarios += 1;
            let mut loader = Loader::new().source_map(map.clone()).as_set();
            for definition in document.get("Definitions").map(|list| list.items()).unwrap_or_default() {
                loader = loader.inline(file, definition.clone());
            }
            if let Err(error) = loader.load() {
                wrong.push(format!("{}: {error}", path.display()));
            }
        }
        assert_eq!(sink.errors(), 0, "{}", path.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(scenarios > 300, "{scenarios}");
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(yaml_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files.sort();
    files
}
