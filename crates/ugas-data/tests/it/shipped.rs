//! Data of the repository loads: the sample packs, and the definitions of every conformance scenario.

use std::path::{Path, PathBuf};

use ugas_core::catalog::Definitions;
use ugas_core::codec::{from_bytes, to_bytes};
use ugas_data::diagnostics::{Sink, render_line};
use ugas_data::node::parse;
use ugas_data::{Limits, Loader, Severity, SourceMap};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_sample_packs_load_without_errors() {
    for pack in ["arena", "arpg", "hero", "platformer", "puzzle2048", "racing", "spells"] {
        let path = root().join("packs").join(pack);
        let pack = Loader::new().path(&path).load().unwrap_or_else(|error| panic!("{error}"));
        assert!(pack.catalog.effects().count() > 2, "{}", path.display());
    }
}

/// Definitions of a catalog can be encoded and rebuilt to the same catalog, so that recordings need no pack.
#[test]
fn the_sample_packs_can_be_built_again_from_bytes() {
    for pack in ["arena", "arpg", "hero", "platformer", "puzzle2048", "racing", "spells"] {
        let path = root().join("packs").join(pack);
        let catalog = Loader::new().path(&path).load().unwrap_or_else(|error| panic!("{error}")).catalog;
        let bytes = to_bytes(catalog.definitions());
        let definitions: Definitions = from_bytes(&bytes).unwrap_or_else(|error| panic!("{error}"));
        let rebuilt = definitions.build_with_natives_of(&catalog).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(rebuilt.hash(), catalog.hash(), "{}", path.display());
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
            let errors = document.get("ExpectLoad").and_then(|expected| expected.get("Errors"));
            if errors.is_some_and(|errors| !errors.items().is_empty()) {
                continue;
            }
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

#[test]
fn the_names_in_every_scenario_resolve() {
    for folder in ["packs", "conformance"] {
        let files = yaml_files(&root().join(folder));
        let files = files.iter().filter(|path| !path.ends_with("clauses.yaml"));
        let report = ugas_data::check(files);
        let serious = report.diagnostics.iter().filter(|found| found.severity <= Severity::Warning);
        let about =
            serious.filter(|found| ["UG007", "UG012", "UG037", "UG038", "UG039"].contains(&found.code));
        let about: Vec<_> = about.map(|found| render_line(&report.source_map, found)).collect();
        assert!(about.is_empty() && report.errors() == 0, "{}\n{report}", about.join("\n"));
    }
}

pub(crate) fn yaml_files(folder: &Path) -> Vec<PathBuf> {
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
