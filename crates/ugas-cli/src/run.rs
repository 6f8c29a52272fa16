//! `ugas run`.

mod command_observers;
pub(crate) mod inspect;
mod plot;
mod timeline;

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
use command_observers::{FileRecorder, SyncTestObserver, SyncTestSummary};
use timeline::{Timeline, TimelineRecorder};

/// Runs scenarios and checks their expectations
///
/// A scenario is a list of steps: effects are applied, time passes, values are expected. Folders are searched
/// for scenario files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas run packs                                  every scenario, with a table at the end
  ugas run game/scenarios/poison.yaml             the scenarios of one file
  ugas run game --scenario \"poison ticks\"         only the scenario with this name
  ugas run game --csv values.csv --every 0.5      values twice a second, for a spreadsheet
  ugas run game --plot game.svg                   attributes over time, with effects below
  ugas run game --step 0.016                      in steps of a frame: the result must be the same
  ugas run duel.yaml --inspect wolf --at 2.5      the state of the wolf after 2.5 s
  ugas run duel.yaml --record duel.ugasrec        for `ugas replay`
  ugas run packs --sync-test                      restores and repeats after every command
  ugas run game --watch                           again whenever a file changes
  ugas run game --format json                     for tools")]
pub(crate) struct Arguments {
    /// Scenario files, or folders that contain some
    #[arg(required = true, value_name = "SCENARIO")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Maximum time step of an advance; never changes a result
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::positive)]
    step: Option<f64>,
    /// Write values over time to a file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw attributes over time, with effects below, to an SVG file; several scenarios are stacked
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Interval of the values in the CSV file; by default, after each step of the scenario
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::positive)]
    every: Option<f64>,
    /// Show a controller instead: attributes, tags, effects, abilities, tasks
    #[arg(long, value_name = "NAME", conflicts_with_all = ["csv", "plot", "every"])]
    inspect: Option<String>,
    /// Time to inspect; by default, the end
    #[arg(long, value_name = "SECONDS", requires = "inspect", value_parser = crate::seconds::moment)]
    at: Option<f64>,
    /// Record a scenario for `ugas replay`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inspect", "sync_test"])]
    record: Option<PathBuf>,
    /// Run only the scenario with this name
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// After each command, restore the state from N commands before, repeat the commands, and compare
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "8",
        value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "inspect"
    )]
    sync_test: Option<u32>,
    /// Run again whenever a scenario or its pack changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

/// Runs `ugas run`: once, or with `--watch` again after each change of scenarios and packs until Ctrl-C.
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

/// Runs all scenarios that are found and prints the result, with the requested files. Negative if one fails.
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
    found = select(found, arguments.scenario.as_deref(), arguments.record.is_some())?;
    if let Some(controller) = &arguments.inspect {
        let scenarios: Vec<Scenario> = found.into_iter().filter_map(Result::ok).collect();
        return inspect::inspect(&scenarios, controller, arguments.at, &options, arguments.format);
    }
    let (many, most) = (found.len(), plot::MAX_SCENARIOS);
    if arguments.plot.is_some() {
        anyhow::ensure!(
            many <= most,
            "a plot shows at most {most} scenarios, but there are {many}: give fewer"
        );
    }
    let mut outcomes = Vec::new();
    let mut runner = ScenarioRunner::new(arguments);
    let progress = output::progress(found.len() as u64, "scenarios");
    for found in found {
        outcomes.push(match found {
            Ok(scenario) => runner.run(&scenario, &options)?,
            Err(outcome) => *outcome,
        });
        progress.inc(1);
    }
    progress.finish_and_clear();
    let tested = runner.tested;
    runner.write(arguments)?;
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
    Ok(if failed == 0 { Status::Success } else { Status::Negative })
}

/// Returns an error for `--sync-test 3`, which must be written `--sync-test=3`.
fn ensure_depth_is_no_path(arguments: &Arguments) -> anyhow::Result<()> {
    let is_depth = |path: &&PathBuf| path.to_string_lossy().parse::<u32>().is_ok() && !path.exists();
    let depth = arguments.sync_test.and(arguments.paths.iter().find(is_depth));
    match depth.map(|depth| depth.display()) {
        Some(depth) => {
            anyhow::bail!("`{depth}` does not exist; if it is the depth, write --sync-test={depth}")
        }
        None => Ok(()),
    }
}

/// Returns an error if an output file is an input or must not be overwritten.
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

/// The failures, and a table of passed and failed scenarios by file.
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

/// All failures with their positions.
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
            if !failure.problems.is_empty() {
                let _ = writeln!(text, "    since the last expectation:");
            }
            for problem in &failure.problems {
                let _ = writeln!(text, "      {problem}");
            }
        }
        text.push('\n');
    }
    text
}

/// A scenario, or the failed outcome of an invalid file.
type FoundScenario = Result<Scenario, Box<Outcome>>;

/// The scenarios at all paths, in order.
fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<FoundScenario>> {
    let mut found = Vec::new();
    for path in paths {
        output::ensure_exists(path)?;
        output::ensure_listable(path)?;
        let before = found.len();
        for file in Scenario::files(path) {
            match Scenario::load(&file) {
                Ok(scenarios) => found.extend(scenarios.into_iter().map(Ok)),
                // A file that is not text is a usage error, not a failed scenario.
                Err(error) if is_unreadable(&error) => return Err(error.into()),
                Err(error) => found.push(Err(Box::new(Outcome::unreadable(file, &error)))),
            }
        }
        anyhow::ensure!(
            found.len() > before,
            "`{}` contains no document that is a scenario: one in YAML or JSON with `Name` and `Steps`",
            path.display()
        );
    }
    Ok(found)
}

/// The scenarios that `--scenario` chooses: all without a name; with one, those that have it, which several
/// files may. If none has it and some files are invalid, their outcomes, since it may be in one of them. With
/// `only_one`, an error unless there is exactly one.
fn select(
    found: Vec<FoundScenario>,
    name: Option<&str>,
    only_one: bool,
) -> anyhow::Result<Vec<FoundScenario>> {
    let Some(name) = name else { return limited(found, only_one) };
    let (known, invalid): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    let names: Vec<String> = known.iter().flatten().map(|scenario| scenario.name().to_owned()).collect();
    let is_meant = |found: &FoundScenario| found.as_ref().is_ok_and(|found| found.name() == name);
    let meant: Vec<_> = known.into_iter().filter(is_meant).collect();
    match (meant.is_empty(), invalid.is_empty()) {
        (false, _) => limited(meant, only_one),
        (true, false) => limited(invalid, only_one),
        (true, true) => {
            let known = || names.iter().map(String::as_str);
            let hint = output::hint(nearest(name, known()), known());
            anyhow::bail!("none of {} is called `{name}`{hint}", output::count(names.len(), "scenario"))
        }
    }
}

/// The scenarios, or an error if there are several and only one can be recorded.
fn limited(found: Vec<FoundScenario>, only_one: bool) -> anyhow::Result<Vec<FoundScenario>> {
    let many = found.len();
    anyhow::ensure!(
        !only_one || many == 1,
        "only one scenario can be recorded, but there are {many}: give a file with one, or choose with --scenario NAME"
    );
    Ok(found)
}

/// Whether a file could not be read at all, rather than having errors in it.
fn is_unreadable(error: &ugas_data::LoadError) -> bool {
    error.report.diagnostics.iter().any(|found| matches!(found.code, "UG001" | "UG002"))
}

/// Runs scenarios, and collects the content of output files.
struct ScenarioRunner {
    csv: Option<String>,
    timelines: Option<Vec<Timeline>>,
    record: Option<PathBuf>,
    tested: Option<SyncTestSummary>,
}

impl ScenarioRunner {
    fn new(arguments: &Arguments) -> Self {
        let header = "scenario,time,controller,attribute,base,current\n";
        Self {
            csv: arguments.csv.as_ref().map(|_| header.to_owned()),
            timelines: arguments.plot.as_ref().map(|_| Vec::new()),
            record: arguments.record.clone(),
            tested: arguments.sync_test.map(SyncTestSummary::new),
        }
    }

    /// Runs a scenario with the requested outputs: table, plot, recording or test of resimulation. A
    /// recording that cannot be written is an error; failures of the scenario are in the outcome.
    fn run(&mut self, scenario: &Scenario, options: &Options) -> anyhow::Result<Outcome> {
        let recorder = self.timelines.as_ref().map(|_| TimelineRecorder::default());
        let mut observers = OutputObservers { csv: self.csv.as_mut(), recorder };
        let outcome = if let Some(file) = &self.record {
            let mut file_recorder = FileRecorder::new(file, scenario);
            let outcome = scenario.run_with_command_observer(options, &mut observers, &mut file_recorder);
            match file_recorder.finish()? {
                Some(written) => eprintln!("{written}"),
                None => {
                    eprintln!("nothing was recorded: the scenario `{}` could not be started", scenario.name())
                }
            }
            outcome
        } else if let Some(tested) = &mut self.tested {
            let mut test = SyncTestObserver::new(tested.depth);
            let mut outcome = scenario.run_with_command_observer(options, &mut observers, &mut test);
            tested.add(test, &mut outcome);
            outcome
        } else {
            scenario.run_with_observer(options, &mut observers)
        };
        let timeline = observers.recorder.and_then(TimelineRecorder::finish);
        if let Some(timelines) = &mut self.timelines {
            timelines.extend(timeline);
        }
        Ok(outcome)
    }

    /// Writes the table and the plot, once all scenarios have run.
    fn write(self, arguments: &Arguments) -> anyhow::Result<()> {
        if let (Some(file), Some(csv)) = (&arguments.csv, self.csv) {
            output::write_output(file, &csv)?;
        }
        if let (Some(file), Some(timelines)) = (&arguments.plot, self.timelines) {
            output::write_output(file, plot::svg(&timelines)?)?;
        }
        Ok(())
    }
}

/// Observers for the CSV file and the plot.
struct OutputObservers<'a> {
    csv: Option<&'a mut String>,
    recorder: Option<TimelineRecorder>,
}

impl Observer for OutputObservers<'_> {
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

/// Writes the current values of all controllers.
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
