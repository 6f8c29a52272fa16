//! `ugas schema --install`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::output;

/// Folder of the schemas; hidden, so that the loader does not load them as parts of a pack.
const SCHEMAS: &str = ".ugas/schemas";
const SETTINGS: &str = ".vscode/settings.json";
const SNIPPET: &str = ".vscode/settings.ugas.json";

/// Name of the schema that detects the type of a document.
const ANY: &str = "ugas";

/// Writes all files, and returns a message about them.
pub(super) fn install(folder: &Path) -> anyhow::Result<String> {
    ensure!(!folder.is_file(), "`{}` is a file; give the folder of the game", folder.display());
    let schemas = folder.join(SCHEMAS);
    fs::create_dir_all(&schemas).with_context(|| format!("`{}` cannot be created", schemas.display()))?;
    let mut written = 0_usize;
    for name in ugas_data::schema::names() {
        let schema =
            ugas_data::schema::json_schema(name).with_context(|| format!("`{name}` has no schema"))?;
        output::write_file(&schemas.join(format!("{name}.json")), pretty(&schema))?;
        written += 1;
    }
    output::write_file(&schemas.join(format!("{ANY}.json")), pretty(&any_document()))?;
    let mut message = format!("wrote {} to {}\n", output::count(written + 1, "schema"), schemas.display());

    let address = format!("./{SCHEMAS}/{ANY}.json");
    let settings = pretty(&json!({ "yaml.schemas": { address.as_str(): ["*.yaml", "*.yml"] } }));
    let (file, snippet) = (folder.join(SETTINGS), folder.join(SNIPPET));
    let parent = file.parent().unwrap_or(folder);
    fs::create_dir_all(parent).with_context(|| format!("`{}` cannot be created", parent.display()))?;
    let shown = file.display();
    if !file.try_exists().with_context(|| format!("`{}` cannot be read", file.display()))? {
        output::write_file(&file, &settings)?;
        let _ = writeln!(message, "wrote {shown}");
    } else if fs::read_to_string(&file).is_ok_and(|there| there == settings) {
        let _ = writeln!(message, "{shown} has the settings already");
    } else {
        output::write_file(&snippet, &settings)?;
        let _ = writeln!(
            message,
            "{shown} already exists and was not changed: add the settings in {}",
            snippet.display()
        );
    }
    let _ = writeln!(
        message,
        "for other editors with the YAML language server, begin each file with this line (path relative to the file):\n  \
         # yaml-language-server: $schema={SCHEMAS}/{ANY}.json",
    );
    Ok(message)
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The schema of any document: detects the type by `$schema`, like the loader, or by fields that only one
/// type has.
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
        "description": "Any document of a pack. Its `$schema` names the type; UGAS extensions do not need one.",
        "type": ["object", "null"],
        "allOf": by_schema.chain(by_field).collect::<Vec<_>>(),
    })
}
