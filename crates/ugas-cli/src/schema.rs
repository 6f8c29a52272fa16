//! `ugas schema`.

mod install;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use ugas_core::nearest::nearest;

use crate::Status;
use crate::output;

/// Prints the JSON Schema of a document type, or the list of types; or sets up an editor
///
/// Schemas are JSON Schema 2020-12, made from the same tables that the loader reads with, so that editors can complete
/// and validate.
///
/// With --install they are written to DIR/.ugas/schemas, with one more, ugas.json, that finds out by itself what a
/// document is, and with settings for Visual Studio Code (with the YAML extension of Red Hat) in DIR/.vscode. Settings
/// that are there already are left alone; what to add to them is written beside them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas schema                       the names
  ugas schema gameplay_effect       one schema
  ugas schema scenario > scenario.json
  ugas schema --install game        all schemas, and settings for the editor")]
pub(crate) struct Arguments {
    /// A document type
    #[arg(value_name = "NAME", conflicts_with = "install")]
    name: Option<String>,
    /// Write all schemas and editor settings below a folder, usually that of the game
    #[arg(long, value_name = "DIR")]
    install: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    if let Some(folder) = &arguments.install {
        output::print(&install::install(folder)?)?;
        return Ok(Status::Fine);
    }
    let names: Vec<&str> = ugas_data::schema::names().collect();
    let Some(name) = &arguments.name else {
        output::print(&format!("{}\n", names.join("\n")))?;
        return Ok(Status::Fine);
    };
    let schema =
        ugas_data::schema::json_schema(name).with_context(|| match nearest(name, names.clone()) {
            Some(nearest) => format!("there is no document type `{name}`; did you mean `{nearest}`?"),
            None => format!("there is no document type `{name}`; there are {}", names.join(", ")),
        })?;
    output::print_json(&schema)?;
    Ok(Status::Fine)
}
