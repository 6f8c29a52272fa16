//! Inputs and files of other kinds are never overwritten.

use std::path::{Path, PathBuf};

use crate::{empty_folder, fixtures, ugas_in};

/// A folder with the scenario `duel.yaml`.
fn duel(name: &str) -> (PathBuf, String) {
    let folder = empty_folder(name);
    let story = std::fs::read_to_string(fixtures().join("duel.yaml")).unwrap();
    std::fs::write(folder.join("duel.yaml"), &story).unwrap();
    (folder, story)
}

#[track_caller]
fn check_refused(folder: &Path, arguments: &[&str], says: &str) {
    let answer = ugas_in(folder, arguments);
    assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
    assert!(answer.stderr.contains(says), "{}", answer.stderr);
}

#[test]
fn scenario_is_never_overwritten() {
    let (folder, story) = duel("overwrite-scenario");
    std::fs::hard_link(folder.join("duel.yaml"), folder.join("also.yaml")).unwrap();
    for output in ["duel.yaml", "./duel.yaml", "../overwrite-scenario/duel.yaml", "also.yaml"] {
        check_refused(&folder, &["run", "duel.yaml", "--record", output], "is an input");
        check_refused(&folder, &["run", ".", "--record", output, "--scenario", "three blows"], "is an input");
        check_refused(&folder, &["run", "duel.yaml", "--csv", output], "is an input");
        check_refused(&folder, &["sweep", "duel.yaml", "--csv", output], "is an input");
        for format in ["yaml", "json", "binary"] {
            let save = ["save", "duel.yaml", "--controller", "wolf", "--format", format, "--output", output];
            check_refused(&folder, &save, "is an input");
        }
    }
    assert_eq!(std::fs::read_to_string(folder.join("duel.yaml")).unwrap(), story);
}

#[test]
fn pack_document_is_never_overwritten() {
    let folder = empty_folder("overwrite-pack");
    assert_eq!(ugas_in(&folder, ["new", "game"]).status, 0);
    let scenarios = folder.join("game/scenarios");
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yaml");
    let documents = std::fs::read_dir(folder.join("game")).unwrap().map(|entry| entry.unwrap().path());
    let document = documents.into_iter().find(is_yaml).expect("a pack has documents");
    let before = std::fs::read(&document).unwrap();
    let document_name = document.to_string_lossy();
    let save = ["save", "poison.yaml", "--controller", "wolf", "--output", &document_name];
    check_refused(&scenarios, &save, "is an input");
    check_refused(&scenarios, &["run", "poison.yaml", "--csv", &document_name], "is an input");
    assert_eq!(std::fs::read(&document).unwrap(), before);
}

#[test]
fn file_of_another_kind_is_not_overwritten() {
    let (folder, _) = duel("overwrite-kind");
    std::fs::write(folder.join("notes.txt"), "UGAS is fun\n").unwrap();
    check_refused(&folder, &["run", "duel.yaml", "--record", "notes.txt"], "not a recording");
    let save = ["save", "duel.yaml", "--controller", "wolf", "--output"];
    check_refused(&folder, &[&save[..], &["notes.txt"]].concat(), "not a character");
    assert_eq!(std::fs::read_to_string(folder.join("notes.txt")).unwrap(), "UGAS is fun\n");
}

#[test]
fn own_and_empty_files_are_overwritten() {
    let (folder, _) = duel("overwrite-own");
    std::fs::write(folder.join("empty"), "").unwrap();
    for output in ["duel.ugasrec", "duel.ugasrec", "empty"] {
        assert_eq!(ugas_in(&folder, ["run", "duel.yaml", "--record", output]).status, 0, "{output}");
    }
    for format in ["yaml", "json", "binary", "yaml"] {
        let save = ["save", "duel.yaml", "--controller", "wolf", "--format", format, "--output", "wolf"];
        let answer = ugas_in(&folder, save);
        assert_eq!(answer.status, 0, "{format}: {}", answer.stderr);
    }
}
