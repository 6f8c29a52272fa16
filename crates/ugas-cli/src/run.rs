//! `ugas run`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;
use ugas_core::time::Span;
use ugas_data::scenario::{Options, Outcome, Runner, Scenario};

use crate::Status;
use crate::output::{self, Format};

/// Plays scenarios and compares with what they expect
///
/// A scenario is a story: effects are applied, time passes, values are expected. Folders are searched for all of
/// theirs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas run packs                                  every scenario, with a table at the end
  ugas run game/scenarios/poison.yaml             the scenarios of one file
  ugas run game --csv values.csv --every 0.5      values twice a second, for a spreadsheet
  ugas run game --step 0.016                      in steps of a frame: nothing may change
  ugas run game --format json                     for tools")]
pub(crate) struct Arguments {
    /// Scenario files, or folders with some
    #[arg(required = true, value_name = "SCENARIO")]
    paths: Vec<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Most time that one advance covers; never changes a result
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    step: Option<f64>,
    /// Write values over time to a file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// How often values are written; without it, after each step of the scenario
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    every: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let options = Options {
        step: arguments.step.map(Span::seconds),
        every: arguments.every.map(Span::seconds),
        until: None,
    };
    let mut csv =
        arguments.csv.as_ref().map(|_| String::from("scenario,time,controller,attribute,base,current\n"));
    let mut outcomes = Vec::new();
    for path in &arguments.paths {
        anyhow::ensure!(path.exists(), "`{}` does not exist", path.display());
        let before = outcomes.len();
        for file in Scenario::files(path) {
            match Scenario::load(&file) {
                Ok(scenarios) => outcomes.extend(scenarios.iter().map(|scenario| match &mut csv {
                    Some(csv) => scenario.run_observed(&options, |runner| sample(runner, csv)),
                    None => scenario.run(&options),
                })),
                Err(error) => outcomes.push(Outcome::unreadable(file, &error)),
            }
        }
        anyhow::ensure!(outcomes.len() > before, "there is no scenario in `{}`", path.display());
    }
    if let (Some(file), Some(csv)) = (&arguments.csv, csv) {
        write(file, &csv)?;
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.passed()).count();
    match arguments.format {
        Format::Json => output::print_json(&json!({
            "passed": outcomes.len().saturating_sub(failed),
            "failed": failed,
            "scenarios": outcomes.iter().map(Outcome::to_json).collect::<Vec<_>>(),
        }))?,
        Format::Text => output::print(&table(&outcomes))?,
    }
    Ok(if failed == 0 { Status::Fine } else { Status::No })
}

/// The failures, and a table of passed and failed by file.
pub(crate) fn table(outcomes: &[Outcome]) -> String {
    let mut text = failures(outcomes);
    let mut files: BTreeMap<&Path, (usize, usize)> = BTreeMap::new();
    for outcome in outcomes {
        let (passed, failed) = files.entry(&outcome.file).or_default();
        *if outcome.passed() { passed } else { failed } += 1;
    }
    let width = files.keys().map(|file| file.display().to_string().chars().count()).max().unwrap_or(0).max(8);
    let _ = writeln!(text, "{:<width$}  passed  failed", "scenarios");
    let mut total = (0, 0);
    for (file, (passed, failed)) in &files {
        let mark = if *failed == 0 { output::good("ok") } else { output::bad("FAILED") };
        let _ = writeln!(text, "{:<width$}  {passed:>6}  {failed:>6}  {mark}", file.display().to_string());
        total = (total.0 + passed, total.1 + failed);
    }
    let mark = if total.1 == 0 { output::good("ok") } else { output::bad("FAILED") };
    let _ = writeln!(text, "{:<width$}  {:>6}  {:>6}  {mark}", "total", total.0, total.1);
    text
}

/// Every failure with its place.
pub(crate) fn failures(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes.iter().filter(|outcome| !outcome.passed()) {
        let _ = writeln!(text, "{} {}", output::bad("failed:"), outcome.name);
        for failure in &outcome.failures {
            let _ = writeln!(text, "  {}:{}: {}", outcome.file.display(), failure.line, failure.message);
        }
        text.push('\n');
    }
    text
}

/// Writes the values of all controllers as they are now.
fn sample(runner: &Runner<'_>, csv: &mut String) {
    let (simulation, name) = (runner.simulation(), quoted(runner.scenario().name()));
    let time = simulation.now().as_seconds();
    for (controller, id) in runner.controllers() {
        for (attribute, base, current) in simulation.attributes(*id) {
            let attribute = quoted(simulation.catalog().attribute_name(attribute));
            let controller = quoted(controller);
            let _ = writeln!(csv, "{name},{time},{controller},{attribute},{base},{current}");
        }
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("`{}` cannot be written", file.display()))
}

/// A number of seconds that is longer than nothing: at least a microsecond.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if seconds.is_finite() && Span::seconds(seconds).is_positive() {
        Ok(seconds)
    } else {
        Err("must be at least a microsecond, 0.000001".to_owned())
    }
}
