//! `ugas save`.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use ugas_core::time::Time;
use ugas_data::character::{from_text, to_json, to_yaml};
use ugas_data::scenario::{Options, Runner, Scenario};

use crate::Status;
use crate::explain::{controller_hint, report_failures};
use crate::output;
use crate::overwrite::{ensure_not_input, ensure_replaceable};

/// Characters are much smaller; what is larger is something else.
const LARGEST: u64 = 64 << 20;

/// Writes a controller of a scenario as a character, to be loaded elsewhere
///
/// Plays a scenario up to a moment and writes one of its controllers: base values, effects with the time that is left of
/// them, abilities, cooldowns, tags. `ugas load` puts it into another scenario, `restore_character` into a game. YAML and
/// JSON are the specification's gameplay_controller; what abilities are doing at the moment is not saved.
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
    /// The controller, as the scenario calls it
    #[arg(long, value_name = "NAME")]
    controller: String,
    /// The moment; without it, the end
    #[arg(long, value_name = "SECONDS", value_parser = crate::run::moment)]
    at: Option<f64>,
    /// Which scenario of the file, by name; without it, the first that has the controller
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// The file to write; without it, standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The form of the file
    #[arg(long, value_enum, default_value_t)]
    format: Form,
}

/// How a character is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Form {
    /// For people and other tools
    #[default]
    Yaml,
    /// For other tools
    Json,
    /// Small, with a checksum
    Binary,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Arguments { path, controller, at, scenario, output: file, format } = arguments;
    output::ensure_exists(path)?;
    anyhow::ensure!(
        *format != Form::Binary || file.is_some(),
        "--format binary needs a file: give --output FILE"
    );
    let scenarios = Scenario::load(path)?;
    if let Some(file) = file {
        let packs = scenarios.iter().filter_map(Scenario::pack);
        let inputs: Vec<PathBuf> = core::iter::once(path.clone()).chain(packs).collect();
        ensure_not_input(file, &inputs)?;
        ensure_replaceable(file, "a character", LARGEST, |bytes| is_character(file, bytes))?;
    }
    let chosen = chosen(&scenarios, path, scenario.as_deref(), Some(controller))?;
    let options = Options { until: at.map(Time::from_seconds), ..Options::default() };
    let runner = Runner::new(chosen, chosen.catalog()?, options);
    let mut runner = runner.map_err(|failure| anyhow!(failure.message))?;
    runner.run(|_| {});
    let time = runner.simulation().now().as_seconds();
    let character = runner.character(controller);
    report_failures(runner.into_outcome());
    let Some(character) = character else {
        eprintln!("`{controller}` is gone at {time} s");
        return Ok(Status::No);
    };
    if character.sets.is_empty() && *format != Form::Binary {
        eprintln!(
            "note: `{controller}` has no attribute set, and the specification's schema wants one: \
             other tools may refuse the file"
        );
    }
    let bytes = match format {
        Form::Yaml => to_yaml(&character).into_bytes(),
        Form::Json => to_json(&character).into_bytes(),
        Form::Binary => character.to_bytes(),
    };
    match file {
        Some(file) => {
            std::fs::write(file, bytes).with_context(|| format!("`{}` cannot be written", file.display()))?;
            output::print(&format!("`{controller}` at {time} s is in `{}`\n", file.display()))?;
        }
        None => output::print(&String::from_utf8(bytes)?)?,
    }
    Ok(Status::Fine)
}

/// Whether a file is a character and nothing else.
fn is_character(file: &Path, bytes: Vec<u8>) -> bool {
    if bytes.starts_with(b"UGCH") {
        return true;
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains("\n---"));
    text.is_some_and(|text| from_text(file, text).is_ok())
}

/// The scenario that is meant: by its name, else the first that has the controller, else the first.
pub(crate) fn chosen<'s>(
    scenarios: &'s [Scenario],
    path: &Path,
    name: Option<&str>,
    controller: Option<&str>,
) -> anyhow::Result<&'s Scenario> {
    anyhow::ensure!(!scenarios.is_empty(), "there is no scenario in `{}`", path.display());
    if let Some(name) = name {
        let at = output::scenario_by_name(scenarios, path, name)?;
        return scenarios.get(at).context("the scenario is gone");
    }
    let Some(controller) = controller else { return scenarios.first().context("the scenario is gone") };
    scenarios.iter().find(|scenario| scenario.has_controller(controller)).ok_or_else(|| {
        let hint = controller_hint(scenarios, controller);
        anyhow!("no scenario of `{}` has a controller `{controller}`{hint}", path.display())
    })
}
