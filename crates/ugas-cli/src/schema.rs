//! `ugas schema`.

use anyhow::{Context, bail};
use clap::Args;

use crate::Status;
use crate::output;

/// Prints the JSON Schema of a document type, or the list of types
///
/// Schemas are JSON Schema 2020-12, made from the same tables that the loader reads with, so that editors can complete
/// and validate.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas schema                       the names
  ugas schema gameplay_effect       one schema
  ugas schema scenario > scenario.json")]
pub(crate) struct Arguments {
    /// A document type
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let names: Vec<&str> = ugas_data::schema::names().collect();
    let Some(name) = &arguments.name else {
        output::print(&format!("{}\n", names.join("\n")))?;
        return Ok(Status::Fine);
    };
    if !names.contains(&name.as_str()) {
        bail!("there is no document type `{name}`; there are {}", names.join(", "));
    }
    let schema = ugas_data::schema::json_schema(name).context("the type has no schema")?;
    output::print_json(&schema)?;
    Ok(Status::Fine)
}
