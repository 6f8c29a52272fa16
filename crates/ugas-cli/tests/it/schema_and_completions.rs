//! `ugas schema` and `ugas completions`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::snapshots::check_in;
use crate::{empty_folder, ugas};

fn read(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn schemas_are_printed_by_name() {
    let names = ugas(["schema"]);
    for name in names.stdout.lines() {
        let schema = ugas(["schema", name]).json();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
    }
}

#[test]
fn install_writes_schemas_and_settings() {
    let folder = empty_folder("install");
    assert_eq!(ugas(["new", &folder.join("game").to_string_lossy()]).status, 0);
    check_in(&folder, "schema-install", "schema --install game");
    let game = folder.join("game");
    for name in ugas(["schema"]).stdout.lines() {
        let schema = read(game.join(format!(".ugas/schemas/{name}.json")));
        assert_eq!(schema, ugas(["schema", name]).json(), "{name}");
    }
    // The settings refer to an existing schema, which refers to existing schemas.
    let settings = read(game.join(".vscode/settings.json"));
    let (address, _) = settings["yaml.schemas"].as_object().unwrap().iter().next().unwrap();
    let any = read(game.join(address));
    for rule in any["allOf"].as_array().unwrap() {
        let name = rule["then"]["$ref"].as_str().unwrap();
        assert!(game.join(".ugas/schemas").join(name).exists(), "{name}");
    }
    // None of the files is part of the pack.
    assert_eq!(ugas(["check", &game.to_string_lossy(), "--deny-warnings"]).status, 0);
}

#[test]
fn existing_settings_are_not_changed() {
    let folder = empty_folder("install-twice");
    let settings = folder.join(".vscode/settings.json");
    let install = || ugas(["schema", "--install", &folder.to_string_lossy()]);
    assert!(install().stdout.contains("settings.json\n"));
    let ours = fs::read_to_string(&settings).unwrap();
    assert!(install().stdout.contains("has the settings already"));

    fs::write(&settings, "{ \"editor.tabSize\": 2 }").unwrap();
    let answer = install();
    assert_eq!(answer.status, 0);
    assert!(answer.stdout.contains("was not changed"), "{}", answer.stdout);
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{ \"editor.tabSize\": 2 }");
    assert_eq!(fs::read_to_string(folder.join(".vscode/settings.ugas.json")).unwrap(), ours);

    let file = folder.join("a-file");
    fs::write(&file, "").unwrap();
    assert_eq!(ugas(["schema", "--install", &file.to_string_lossy()]).status, 2);
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let answer = ugas(["completions", shell]);
        assert_eq!(answer.status, 0, "{shell}");
        for word in ["sweep", "deny-warnings"] {
            assert!(answer.stdout.contains(word), "{shell} does not know {word}");
        }
    }
}
