//! `ugas schema --install`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::output;

/// Hidden, so that the loader does not take schemas for parts of a pack.
const SCHEMAS: &str = ".ugas/schemas";
const SETTINGS: &str = ".vscode/settings.json";
const SNIPPET: &str = ".vscode/settings.ugas.json";

/// The schema for every document, which looks for the type itself.
const ANY: &str = "ugas";

/// Writes everything, and says what it did.
pub(super) fn install(folder: &Path) -> anyhow::Result<String> {
    ensure!(!folder.is_file(), "`{}` is a file; name the folder of the game", folder.display());
    let schemas = folder.join(SCHEMAS);
    fs::create_dir_all(&schemas).with_context(|| format!("`{}` cannot be made", schemas.display()))?;
    let mut written = 0_usize;
    for name in ugas_data::schema::names() {
        let schema =
            ugas_data::schema::json_schema(name).with_context(|| format!("`{name}` has no schema"))?;
        output::write_file(&schemas.join(format!("{name}.json")), &pretty(&schema))?;
        written += 1;
    }
    output::write_file(&schemas.join(format!("{ANY}.json")), &pretty(&any_document()))?;
    let mut told = format!("wrote {} to {}\n", output::count(written + 1, "schema"), schemas.display());

    let address = format!("./{SCHEMAS}/{ANY}.json");
    let settings = pretty(&json!({ "yaml.schemas": { address.as_str(): ["*.yaml", "*.yml"] } }));
    let (file, snippet) = (folder.join(SETTINGS), folder.join(SNIPPET));
    let parent = file.parent().unwrap_or(folder);
    fs::create_dir_all(parent).with_context(|| format!("`{}` cannot be made", parent.display()))?;
    let shown = file.display();
    if !file.try_exists().with_context(|| format!("`{}` cannot be read", file.display()))? {
        output::write_file(&file, &settings)?;
        let _ = writeln!(told, "wrote {shown}");
    } else if fs::read_to_string(&file).is_ok_and(|there| there == settings) {
        let _ = writeln!(told, "{shown} has the settings already");
    } else {
        output::write_file(&snippet, &settings)?;
        let _ = writeln!(
            told,
            "{shown} is there already and was left alone: add to it what is in {}",
            snippet.display()
        );
    }
    let _ = writeln!(
        told,
        "other editors with the YAML language server: begin a file with this line, as seen from the file\n  \
         # yaml-language-server: $schema={SCHEMAS}/{ANY}.json",
    );
    Ok(told)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Goes by `$schema` as the loader does; without it, by the fields that only one type has.
fn any_document() -> Value {
    let by_schema = ugas_data::schema::names().map(|name| {
        json!({
            "if": {
                "properties": { "$schema": { "pattern": format!("schemas/{name}\\.json$") } },
                "required": ["$schema"],
            },
            "then": { "$ref": format!("{name}.json") },
        })
    });
    let fields = [
        ("Steps", "scenario"),
        ("Curves", "curves"),
        ("Calculations", "calculations"),
        ("AbilitySets", "ability_sets"),
        ("EffectContainers", "effect_containers"),
        ("HostTasks", "pack"),
        ("Globals", "pack"),
    ];
    let by_field = fields.map(|(field, name)| {
        json!({
            "if": { "required": [field], "not": { "required": ["$schema"] } },
            "then": { "$ref": format!("{name}.json") },
        })
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "UGAS document",
        "description": "Any document of a pack: its `$schema` says which; documents of our own go without.",
        "type": ["object", "null"],
        "allOf": by_schema.chain(by_field).collect::<Vec<_>>(),
    })
}
