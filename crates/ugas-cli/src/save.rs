//! `ugas save`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ugas_core::time::Time;
use ugas_data::character::{from_text, to_json, to_yaml_file};
use ugas_data::scenario::Scenario;

use crate::Status;
use crate::choose::run_with_controller;
use crate::explain::report_failures;
use crate::output;
use crate::overwrite::{ensure_not_input, ensure_replaceable};

/// Maximum size in bytes of an existing file that is recognised as a character.
const MAX_BYTES: u64 = 64 << 20;

/// Saves a controller of a scenario as a character, to be loaded elsewhere
///
/// Runs a scenario up to a time and writes one of its controllers: base values, effects with their remaining
/// time, abilities, cooldowns, tags. `ugas load` loads it into another scenario, `restore_character` into a
/// game. YAML and JSON follow the specification's gameplay_controller; running activations are not saved.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas save duel.yaml --controller wolf --at 2.5
  ugas save duel.yaml --controller wolf --output wolf.yaml
  ugas save duel.yaml --controller wolf --format binary --output wolf.ugch")]
pub(crate) struct Arguments {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    path: PathBuf,
    /// Name of the controller in the scenario
    #[arg(long, value_name = "NAME")]
    controller: String,
    /// Time to save; by default, the end
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::moment)]
    at: Option<f64>,
    /// Name of the scenario; by default, the first in the file that has the controller
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// File to write; by default, standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the file
    #[arg(long, value_enum, default_value_t)]
    format: FileFormat,
}

/// File format of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum FileFormat {
    /// For people and other tools
    #[default]
    Yaml,
    /// For other tools
    Json,
    /// Small, with a checksum
    Binary,
}

/// Runs `ugas save`: plays a scenario up to a time, and writes a controller as a character. Negative if it
/// does not exist then.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Arguments { path, controller, at, scenario, output: file, format } = arguments;
    output::ensure_exists(path)?;
    anyhow::ensure!(
        *format != FileFormat::Binary || file.is_some(),
        "--format binary needs a file: give --output FILE"
    );
    let scenarios = Scenario::load(path)?;
    if let Some(file) = file {
        let packs = scenarios.iter().filter_map(Scenario::pack);
        let inputs: Vec<PathBuf> = core::iter::once(path.clone()).chain(packs).collect();
        ensure_not_input(file, &inputs)?;
        ensure_replaceable(file, "a character", MAX_BYTES, |bytes| is_character(file, bytes))?;
    }
    let until = at.map(Time::from_seconds);
    let runner = run_with_controller(&scenarios, path, scenario.as_deref(), controller, until)?;
    let time = runner.simulation().now().as_seconds();
    let character = runner.character(controller);
    report_failures(runner.into_outcome());
    let Some(character) = character else {
        eprintln!("`{controller}` does not exist at {time} s");
        return Ok(Status::Negative);
    };
    if character.sets.is_empty() && *format != FileFormat::Binary {
        eprintln!(
            "note: `{controller}` has no attribute set, which the specification's schema requires: \
             other tools may reject the file"
        );
    }
    let bytes = match format {
        FileFormat::Yaml => to_yaml_file(&character).into_bytes(),
        FileFormat::Json => to_json(&character).into_bytes(),
        FileFormat::Binary => character.to_bytes(),
    };
    match file {
        Some(file) => output::write_output(file, bytes)?,
        None => output::print(&String::from_utf8(bytes)?)?,
    }
    Ok(Status::Success)
}

/// Whether the bytes of a file are a character.
fn is_character(file: &Path, bytes: Vec<u8>) -> bool {
    if bytes.starts_with(b"UGCH") {
        return true;
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains("\n---"));
    text.is_some_and(|text| from_text(file, text).is_ok())
}
