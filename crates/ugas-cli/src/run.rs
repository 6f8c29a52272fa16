//! `ugas run`.

pub(crate) mod inspect;
mod plot;
mod timeline;
mod witness;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use ugas_core::event::Event;
use ugas_core::nearest::nearest;
use ugas_core::time::Span;
use ugas_data::scenario::{Failure, Observer, Options, Outcome, Runner, Scenario};

use crate::output::{self, Format, csv_field};
use crate::overwrite::{ensure_not_input, ensure_replaceable};
use crate::{Status, watch};
use timeline::{Recorder, Timeline};
use witness::{Rerun, SyncTested, Tape};

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
  ugas run game --plot game.svg                   attributes over time, with effects beneath
  ugas run game --step 0.016                      in steps of a frame: nothing may change
  ugas run duel.yaml --inspect wolf --at 2.5      what the wolf is like after 2.5 s
  ugas run duel.yaml --record duel.ugasrec        for `ugas replay`
  ugas run packs --sync-test                      saves, restores and repeats all the time: nothing may differ
  ugas run game --watch                           again whenever a file changes
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
    /// Draw attributes over time with effects beneath to an SVG file; several scenarios go one below the other
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// How often values go to the CSV file; without it, after each step of the scenario
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    every: Option<f64>,
    /// Show everything about a controller instead: attributes, tags, effects, abilities, tasks
    #[arg(long, value_name = "NAME", conflicts_with_all = ["csv", "plot", "every"])]
    inspect: Option<String>,
    /// The moment to inspect; without it, the end
    #[arg(long, value_name = "SECONDS", requires = "inspect", value_parser = moment)]
    at: Option<f64>,
    /// Record a scenario, so that `ugas replay` shows any moment of it again
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inspect", "sync_test"])]
    record: Option<PathBuf>,
    /// Which scenario to record, by name, if there are several
    #[arg(long, value_name = "NAME", requires = "record")]
    scenario: Option<String>,
    /// After each command save the state, restore the one from N commands before, repeat them, and compare
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "8",
        value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "inspect"
    )]
    sync_test: Option<u32>,
    /// Run again whenever a scenario or a pack changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    if arguments.watch {
        arguments.format.ensure_text()?;
        return watch::run(|| with_packs(&arguments.paths), || once(arguments));
    }
    once(arguments)
}

/// The paths, and the packs of the scenarios there.
fn with_packs(paths: &[PathBuf]) -> Vec<PathBuf> {
    let files = paths.iter().flat_map(Scenario::files);
    let scenarios = files.filter_map(|file| Scenario::load(file).ok()).flatten();
    let packs: BTreeSet<PathBuf> = scenarios.filter_map(|scenario| scenario.pack()).collect();
    paths.iter().cloned().chain(packs).collect()
}

fn once(arguments: &Arguments) -> anyhow::Result<Status> {
    let options = Options {
        step: arguments.step.map(Span::seconds),
        every: arguments.every.map(Span::seconds),
        until: None,
    };
    if let Some(file) = &arguments.plot {
        crate::plot::check_name(file)?;
    }
    ensure_depth_is_no_path(arguments)?;
    let mut found = find(&arguments.paths)?;
    ensure_writable(arguments)?;
    if arguments.record.is_some() {
        found = vec![one_of(found, arguments.scenario.as_deref())?];
    }
    if let Some(controller) = &arguments.inspect {
        let scenarios: Vec<Scenario> = found.into_iter().filter_map(Result::ok).collect();
        return inspect::inspect(&scenarios, controller, arguments.at, &options, arguments.format);
    }
    let (many, most) = (found.len(), plot::MOST_SCENARIOS);
    if arguments.plot.is_some() {
        anyhow::ensure!(
            many <= most,
            "a plot shows at most {most} scenarios, and there are {many}: name fewer"
        );
    }
    let mut outcomes = Vec::new();
    let mut watcher = Watcher::new(arguments);
    let progress = output::progress(found.len() as u64, "scenarios");
    for found in found {
        outcomes.push(match found {
            Ok(scenario) => watcher.run(&scenario, &options)?,
            Err(outcome) => *outcome,
        });
        progress.inc(1);
    }
    progress.finish_and_clear();
    let tested = watcher.tested;
    watcher.write(arguments)?;
    let failed = outcomes.iter().filter(|outcome| !outcome.passed()).count();
    match arguments.format {
        Format::Json => {
            let mut document = json!({
                "passed": outcomes.len().saturating_sub(failed),
                "failed": failed,
                "scenarios": outcomes.iter().map(Outcome::to_json).collect::<Vec<_>>(),
            });
            if let (Some(tested), Some(document)) = (tested, document.as_object_mut()) {
                document.insert("sync_test".to_owned(), tested.to_json());
            }
            output::print_json(&document)?;
        }
        Format::Text => {
            let tested = tested.map(|tested| tested.to_string()).unwrap_or_default();
            output::print(&format!("{}{tested}", table(&outcomes)))?;
        }
    }
    Ok(if failed == 0 { Status::Fine } else { Status::No })
}

/// Tells whoever writes `--sync-test 3` how a depth is written.
fn ensure_depth_is_no_path(arguments: &Arguments) -> anyhow::Result<()> {
    let is_depth = |path: &&PathBuf| path.to_string_lossy().parse::<u32>().is_ok() && !path.exists();
    let depth = arguments.sync_test.and(arguments.paths.iter().find(is_depth));
    match depth.map(|depth| depth.display()) {
        Some(depth) => {
            anyhow::bail!("`{depth}` does not exist; as a depth it is written --sync-test={depth}")
        }
        None => Ok(()),
    }
}

/// Complains about files to be written that hold something else.
fn ensure_writable(arguments: &Arguments) -> anyhow::Result<()> {
    let Arguments { csv, plot, record, .. } = arguments;
    let mut outputs = [csv, plot, record].into_iter().flatten().peekable();
    if outputs.peek().is_some() {
        let inputs = with_packs(&arguments.paths);
        outputs.try_for_each(|output| ensure_not_input(output, &inputs))?;
    }
    let Some(record) = record else { return Ok(()) };
    let magic = ugas_replay::format::MAGIC;
    ensure_replaceable(record, "a recording", magic.len() as u64, |start| start == magic)
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
            let Failure { line, message, .. } = failure;
            let _ = match failure.is_of_definitions() {
                true => writeln!(text, "  {message}"),
                false => writeln!(text, "  {}:{line}: {message}", outcome.file.display()),
            };
        }
        text.push('\n');
    }
    text
}

/// The scenarios at all paths in order; a file that cannot be read is an outcome already.
fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<Result<Scenario, Box<Outcome>>>> {
    let mut found = Vec::new();
    for path in paths {
        output::ensure_exists(path)?;
        output::ensure_listable(path)?;
        let before = found.len();
        for file in Scenario::files(path) {
            match Scenario::load(&file) {
                Ok(scenarios) => found.extend(scenarios.into_iter().map(Ok)),
                // Bytes that are no text are no scenario that could be right or wrong.
                Err(error) if is_unreadable(&error) => return Err(error.into()),
                Err(error) => found.push(Err(Box::new(Outcome::unreadable(file, &error)))),
            }
        }
        anyhow::ensure!(found.len() > before, no_scenario(path));
    }
    Ok(found)
}

/// The one scenario that is meant.
fn one_of(
    found: Vec<Result<Scenario, Box<Outcome>>>,
    name: Option<&str>,
) -> anyhow::Result<Result<Scenario, Box<Outcome>>> {
    let many = found.len();
    let names: Vec<String> = found.iter().flatten().map(|scenario| scenario.name().to_owned()).collect();
    let is_meant = |found: &Result<Scenario, Box<Outcome>>| match (found, name) {
        (Ok(scenario), Some(name)) => scenario.name() == name,
        _ => true,
    };
    let mut meant = found.into_iter().filter(is_meant);
    match (meant.next(), meant.next(), name) {
        (Some(one), None, _) => Ok(one),
        (None, _, Some(name)) => {
            let names = || names.iter().map(String::as_str);
            let hint = output::hint(nearest(name, names()), names());
            anyhow::bail!("none of {} is called `{name}`{hint}", output::count(many, "scenario"))
        }
        _ => anyhow::bail!(
            "a recording is of one scenario, and there are {many}: name a file with one, or choose with --scenario NAME"
        ),
    }
}

fn is_unreadable(error: &ugas_data::LoadError) -> bool {
    error.report.diagnostics.iter().any(|found| matches!(found.code, "UG001" | "UG002"))
}

/// Says what makes a scenario, to whoever has none.
fn no_scenario(path: &Path) -> String {
    format!("there is no scenario in `{}`: a YAML or JSON document with `Name` and `Steps`", path.display())
}

/// Records what the files to be written need.
struct Watcher {
    csv: Option<String>,
    timelines: Option<Vec<Timeline>>,
    record: Option<PathBuf>,
    tested: Option<SyncTested>,
}

impl Watcher {
    fn new(arguments: &Arguments) -> Self {
        let header = "scenario,time,controller,attribute,base,current\n";
        Self {
            csv: arguments.csv.as_ref().map(|_| header.to_owned()),
            timelines: arguments.plot.as_ref().map(|_| Vec::new()),
            record: arguments.record.clone(),
            tested: arguments.sync_test.map(SyncTested::new),
        }
    }

    fn run(&mut self, scenario: &Scenario, options: &Options) -> anyhow::Result<Outcome> {
        let recorder = self.timelines.as_ref().map(|_| Recorder::default());
        let mut both = Both { csv: self.csv.as_mut(), recorder };
        let outcome = if let Some(file) = &self.record {
            let mut tape = Tape::new(file, scenario);
            let outcome = scenario.run_witnessed(options, &mut both, &mut tape);
            match tape.finish()? {
                Some(written) => eprintln!("{written}"),
                None => eprintln!("nothing was recorded: `{}` did not begin", scenario.name()),
            }
            outcome
        } else if let Some(tested) = &mut self.tested {
            let mut test = Rerun::new(tested.depth);
            let mut outcome = scenario.run_witnessed(options, &mut both, &mut test);
            tested.take_in(test, &mut outcome);
            outcome
        } else {
            scenario.run_watched(options, &mut both)
        };
        let timeline = both.recorder.and_then(Recorder::finish);
        if let Some(timelines) = &mut self.timelines {
            timelines.extend(timeline);
        }
        Ok(outcome)
    }

    fn write(self, arguments: &Arguments) -> anyhow::Result<()> {
        if let (Some(file), Some(csv)) = (&arguments.csv, self.csv) {
            output::write_file(file, &csv)?;
        }
        if let (Some(file), Some(timelines)) = (&arguments.plot, self.timelines) {
            output::write_file(file, &plot::svg(&timelines)?)?;
        }
        Ok(())
    }
}

/// Watches for the spreadsheet and for the plot.
struct Both<'a> {
    csv: Option<&'a mut String>,
    recorder: Option<Recorder>,
}

impl Observer for Both<'_> {
    fn state(&mut self, runner: &Runner<'_>) {
        if let Some(csv) = &mut self.csv {
            sample(runner, csv);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.state(runner);
        }
    }

    fn event(&mut self, runner: &Runner<'_>, event: &Event) {
        if let Some(recorder) = &mut self.recorder {
            recorder.event(runner, event);
        }
    }
}

/// Writes the values of all controllers as they are now.
fn sample(runner: &Runner<'_>, csv: &mut String) {
    let (simulation, name) = (runner.simulation(), csv_field(runner.scenario().name()));
    let time = simulation.now().as_seconds();
    for (controller, id) in runner.controllers() {
        for (attribute, base, current) in simulation.attributes(*id) {
            let attribute = csv_field(simulation.catalog().attribute_name(attribute));
            let controller = csv_field(controller);
            let _ = writeln!(csv, "{name},{time},{controller},{attribute},{base},{current}");
        }
    }
}

/// A time of a scenario.
pub(crate) fn moment(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if seconds.is_finite() && seconds >= 0.0 { Ok(seconds) } else { Err("must be a time from 0".to_owned()) }
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
