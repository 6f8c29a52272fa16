//! `ugas schema`.

mod install;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use ugas_core::nearest::nearest;

use crate::Status;
use crate::output;

/// Prints the JSON Schema of a document type, or installs the schemas for editors
///
/// Schemas are JSON Schema 2020-12, generated from the same tables as the loader, so that editors can
/// complete and validate documents.
///
/// With --install they are written to DIR/.ugas/schemas, together with ugas.json, which detects the type of a
/// document. Settings for Visual Studio Code (with the YAML extension of Red Hat) are written to DIR/.vscode.
/// Existing settings are not changed; the additions are written to a file beside them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas schema                       the names of the document types
  ugas schema gameplay_effect       one schema
  ugas schema scenario > scenario.json
  ugas schema --install game        all schemas, and settings for the editor")]
pub(crate) struct Arguments {
    /// Document type
    #[arg(value_name = "NAME", conflicts_with = "install")]
    name: Option<String>,
    /// Write all schemas and editor settings to a folder, usually the game's
    #[arg(long, value_name = "DIR")]
    install: Option<PathBuf>,
}

/// Runs `ugas schema`: lists the document types, prints the JSON Schema of one, or installs all for an
/// editor.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    if let Some(folder) = &arguments.install {
        output::print(&install::install(folder)?)?;
        return Ok(Status::Success);
    }
    let names: Vec<&str> = ugas_data::schema::names().collect();
    let Some(name) = &arguments.name else {
        output::print(&format!("{}\n", names.join("\n")))?;
        return Ok(Status::Success);
    };
    let schema =
        ugas_data::schema::json_schema(name).with_context(|| match nearest(name, names.clone()) {
            Some(nearest) => format!("there is no document type `{name}`; did you mean `{nearest}`?"),
            None => format!("there is no document type `{name}`; there are {}", names.join(", ")),
        })?;
    output::print_json(&schema)?;
    Ok(Status::Success)
}
