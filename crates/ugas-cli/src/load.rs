//! `ugas load`.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use ugas_core::character::Character;
use ugas_core::time::Time;
use ugas_data::character::from_text;
use ugas_data::scenario::{Options, Runner, Scenario};

use crate::Status;
use crate::explain::{report_failures, with_names};
use crate::{input, output};

/// Maximum size of a character in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// Loads a saved character into a scenario and runs it
///
/// The character is restored before the first step. It replaces the controller of its name, or is added to
/// the others. Prints what the rules of the scenario changed or dropped, and the character at the start and
/// at the end.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas load wolf.yaml --into duel.yaml                 replaces the wolf
  ugas load wolf.yaml --into duel.yaml --as hero       replaces the hero
  ugas load wolf.ugch --into forest.yaml --at 0        stops after the steps at 0 s")]
pub(crate) struct Arguments {
    /// The character: YAML, JSON or binary
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The scenario file
    #[arg(long, value_name = "SCENARIO")]
    into: PathBuf,
    /// Name in the scenario; by default, the character's own name, or the name of the file
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Time to stop at, after the steps at that time; by default, after the last step
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::moment)]
    at: Option<f64>,
    /// Name of the scenario; by default, the first in the file that has such a controller, or the first
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
}

/// Runs `ugas load`: plays a scenario up to a time, restores a saved character in it, and prints the result.
/// Negative if the character cannot be restored.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Arguments { file, into, name, at, scenario } = arguments;
    output::ensure_exists(into)?;
    let character = read(file)?;
    let own_name = Some(character.name.clone()).filter(|name| !name.is_empty());
    let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = name.clone().or(own_name).or_else(stem).context("the file has no name")?;
    let scenarios = Scenario::load(into)?;
    let has_it = scenarios.iter().any(|scenario| scenario.has_controller(&name));
    let chosen = crate::choose::scenario(
        &scenarios,
        into,
        scenario.as_deref(),
        Some(name.as_str()).filter(|_| has_it && scenario.is_none()),
    )?;
    let options = Options { until: at.map(Time::from_seconds), ..Options::default() };
    let runner = Runner::new(chosen, chosen.catalog()?, options);
    let mut runner = runner.map_err(|failure| anyhow!(failure.message))?;
    let place = match (runner.controller(&name), runner.controllers().len()) {
        (Some(_), _) => "replacing the scenario's own".to_owned(),
        (None, 0) => "as the only controller".to_owned(),
        (None, others) => format!("beside {}", output::count(others, "other")),
    };
    let report = match runner.restore_character(&name, &character) {
        Ok(report) => report,
        Err(error) => {
            eprintln!("ugas: {error}");
            return Ok(Status::Negative);
        }
    };
    let page = |runner: &Runner<'_>| {
        let id = runner.controller(&name).filter(|id| runner.simulation().controller(*id).is_some());
        let page = id.and_then(|id| runner.simulation().debug(id));
        let time = runner.simulation().now().as_seconds();
        page.map_or_else(
            || format!("`{name}` does not exist at {time} s\n"),
            |page| with_names(runner, &page.to_string()),
        )
    };
    let mut text = match report.entries.len() {
        0 => format!("{name} was restored completely, {place}\n"),
        entries => {
            let lines = with_names(&runner, &report.to_string());
            let what = if report.is_complete() { "completely" } else { "with changes" };
            let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
            format!("{name} was restored {what}, {place} ({})\n{lines}", output::count(entries, "note"))
        }
    };
    text.push_str(&format!("\n{}", page(&runner)));
    runner.run(|_| {});
    text.push_str(&format!("\nafter `{}`\n{}", chosen.name(), page(&runner)));
    output::print(&text)?;
    let failed = runner.has_failed();
    report_failures(runner.into_outcome());
    Ok(if failed { Status::Negative } else { Status::Success })
}

/// Reads a character; the format is detected by the first bytes.
fn read(file: &Path) -> anyhow::Result<Character> {
    let unreadable = || format!("`{}` cannot be read", file.display());
    let bytes = input::read(file, MAX_BYTES)?;
    if bytes.starts_with(b"UGCH") {
        return Character::from_bytes(&bytes).with_context(unreadable);
    }
    let text = String::from_utf8(bytes).with_context(unreadable)?;
    from_text(file, text)
        .map_err(|error| anyhow!("`{}` is not a character\n{}", file.display(), error.report))
}
