//! `ugas sweep`.
//!
//! Every run is a pure function of its combination and seed, and results are ordered by both, so that they do
//! not depend on the number of threads (V6).

mod axis;
mod plot;
mod report;
mod statistics;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail, ensure};
use clap::Args;
use rayon::prelude::*;
use ugas_core::catalog::Catalog;
use ugas_core::id::AttributeId;
use ugas_core::nearest::nearest;
use ugas_data::scenario::{Options, Runner, Scenario, ValueKind};

use crate::Status;
use crate::output::{self, Format};
use crate::overwrite::ensure_not_input;
use axis::Axis;

/// Maximum number of runs; more would take days.
const MAX_RUNS: u64 = 10_000_000;

/// Maximum number of combinations, which are printed one by one.
const MAX_COMBINATIONS: u64 = 10_000;

/// Maximum number of measured values, which are kept until the end: 160 MB.
const MAX_VALUES: u64 = 10_000_000;

/// Runs a scenario with many seeds and parameters, and shows the distributions
///
/// For balancing: every combination of the varied values is run with every seed, on all cores, and the values
/// at the end are summarised. Seeds are the scenario's seed and the following ones, the same for each
/// combination, so that combinations differ only by the varied values. The result does not depend on the
/// number of threads.
///
/// KEY is the path of a value in the scenario, separated by dots: keys, and in lists indices from 0 or the
/// Name of an item. The value need not exist yet. `hero.Strength` is short for
/// `Controllers.hero.Base.Strength`.
///
/// p50 and p95 are percentiles by nearest rank: 50 % and 95 % of the runs do not exceed them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas sweep duel.yaml --runs 1000                                  how much the seed matters
  ugas sweep duel.yaml --vary hero.Strength=10..30:5                a base value
  ugas sweep duel.yaml --vary Steps.0.Apply.Level=1,2,5,10          the level of an effect
  ugas sweep duel.yaml --vary Steps.0.Apply.Effect=GE_Axe,GE_Bow    one effect or another
  ugas sweep duel.yaml --vary Steps.0.Apply.SetByCaller.Data.Damage=-20..-5
  ugas sweep duel.yaml --vary Definitions.GE_Axe.Modifiers.0.Magnitude.Value=-12,-10
  ugas sweep duel.yaml --vary hero.Armor=0..50:10 --measure hero.Health wolf.Health
  ugas sweep duel.yaml --vary hero.Armor=0..50:10 --plot armor.svg --csv runs.csv

Exit status: 0 if every run passed, 1 if an expectation failed in some, 2 usage error.")]
pub(crate) struct Arguments {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    path: PathBuf,
    /// Values to try: from A to B by STEP (default 1), or a list A,B,C; several --vary are combined
    #[arg(long, value_name = "KEY=A..B:STEP")]
    vary: Vec<String>,
    /// Number of seeds of each combination
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Values to measure at the end; by default, every attribute of every controller
    #[arg(long, value_name = "CONTROLLER.Attribute", num_args = 1..)]
    measure: Vec<String>,
    /// Name of the scenario; by default, the first in the file that has everything varied and measured
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write every run to a file, for a spreadsheet
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the distributions to an SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Number of threads; by default, one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// The plan of a sweep.
struct Plan {
    scenario: Scenario,
    axes: Vec<Axis>,
    runs: u64,
    combinations: u64,
    measures: Vec<Measure>,
    /// The catalog, if all combinations share it.
    catalog: Option<Arc<Catalog>>,
}

/// A measured value.
struct Measure {
    controller: String,
    attribute: String,
}

impl Measure {
    fn name(&self) -> String {
        format!("{}.{}", self.controller, self.attribute)
    }
}

/// All runs of one combination.
struct Combination {
    /// Index of the value on each axis.
    at: Vec<usize>,
    /// Seed of the first run.
    seed: u64,
    /// Whether each run passed.
    passed: Vec<bool>,
    /// Values by measure and run; `None` if the controller or the attribute does not exist.
    values: Vec<Vec<Option<f64>>>,
    /// Message of the first failed run.
    failure: Option<String>,
}

/// Runs `ugas sweep`: a scenario with all combinations of varied values and several seeds. Negative if a run
/// fails.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    if let Some(file) = &arguments.plot {
        crate::plot::check_name(file)?;
    }
    let plan = plan(arguments)?;
    let inputs: Vec<PathBuf> = core::iter::once(arguments.path.clone()).chain(plan.scenario.pack()).collect();
    let mut outputs = [&arguments.csv, &arguments.plot].into_iter().flatten();
    outputs.try_for_each(|output| ensure_not_input(output, &inputs))?;
    if arguments.plot.is_some() {
        plot::check_size(&plan)?;
    }
    let combinations = play(&plan, arguments.threads)?;
    if let Some(file) = &arguments.csv {
        output::write_output(file, report::csv(&plan, &combinations))?;
    }
    if let Some(file) = &arguments.plot {
        output::write_output(file, plot::svg(&plan, &combinations)?)?;
    }
    match arguments.format {
        Format::Json => output::print_json(&report::json(&plan, &combinations))?,
        Format::Text => output::print(&report::text(&plan, &combinations))?,
    }
    let failed = combinations.iter().any(|combination| combination.passed.contains(&false));
    Ok(if failed { Status::Negative } else { Status::Success })
}

/// Chooses the scenario, and checks everything before the first run.
fn plan(arguments: &Arguments) -> anyhow::Result<Plan> {
    let path = &arguments.path;
    output::ensure_exists(path)?;
    let mut scenarios = Scenario::load(path)?;
    ensure!(!scenarios.is_empty(), "there is no scenario in `{}`", path.display());
    if let Some(name) = &arguments.scenario {
        let chosen = output::scenario_by_name(&scenarios, path, name)?;
        scenarios = vec![scenarios.swap_remove(chosen)];
    }
    let mut first_error = None;
    for scenario in scenarios {
        match plan_for(scenario, arguments) {
            Ok(plan) => return Ok(plan),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| anyhow!("there is no scenario in `{}`", path.display())))
}

/// Plan of a sweep: axes, measures and number of runs. Errors are unknown or repeated keys, values that do
/// not fit, and too many runs. The catalog is shared if no axis changes definitions.
fn plan_for(scenario: Scenario, arguments: &Arguments) -> anyhow::Result<Plan> {
    let mut axes: Vec<Axis> = Vec::new();
    for text in &arguments.vary {
        let axis = Axis::parse(text, &scenario).with_context(|| format!("--vary {text}"))?;
        if axes.iter().any(|other| other.place == axis.place) {
            bail!("--vary {text}: `{}` is varied twice; give all its values at once", axis.key);
        }
        axes.push(axis);
    }
    let lengths: Vec<u64> = axes.iter().map(|axis| axis.values.len() as u64).collect();
    let combinations = bounded(&lengths, MAX_COMBINATIONS, "combinations")?;
    bounded(&[combinations, arguments.runs], MAX_RUNS, "runs")?;

    let mut plan =
        Plan { scenario, axes, runs: arguments.runs, combinations, measures: Vec::new(), catalog: None };
    let first = plan.variant(&plan.positions(0))?;
    let catalog = first.catalog()?;
    plan.measures = measures(&first, &catalog, &arguments.measure)?;
    let values = [combinations, arguments.runs, plan.measures.len() as u64];
    bounded(&values, MAX_VALUES, "measured values")?;
    // Numbers of controllers and steps do not change definitions.
    let is_same = |axis: &Axis| axis.place.kind() == ValueKind::Number && axis.place.field() != "Definitions";
    plan.catalog = plan.axes.iter().all(is_same).then_some(catalog);
    Ok(plan)
}

/// The product of factors, if it is at most `most`.
fn bounded(factors: &[u64], most: u64, what: &str) -> anyhow::Result<u64> {
    let product = factors.iter().try_fold(1_u64, |product, factor| product.checked_mul(*factor));
    match product {
        Some(product) if product <= most => Ok(product),
        _ => {
            let many = product.map_or_else(|| "far too many".to_owned(), |product| product.to_string());
            bail!(
                "that is {many} {what}, but at most {most} are allowed: use larger steps, fewer runs, or --measure"
            )
        }
    }
}

/// The requested measures; by default all attributes of all controllers.
fn measures(scenario: &Scenario, catalog: &Arc<Catalog>, asked: &[String]) -> anyhow::Result<Vec<Measure>> {
    let runner = Runner::new(scenario, catalog.clone(), Options::default());
    let runner = runner.map_err(|failure| anyhow!(failure.message))?;
    if asked.is_empty() {
        let of_controller = |(controller, id): &(&str, _)| {
            let controller = (*controller).to_owned();
            let attributes = runner.simulation().attributes(*id).map(|(id, _, _)| catalog.attribute_name(id));
            let measure =
                move |name: &str| Measure { controller: controller.clone(), attribute: name.to_owned() };
            attributes.map(measure).collect::<Vec<_>>()
        };
        return Ok(runner.controllers().iter().flat_map(of_controller).collect());
    }
    let mut measures: Vec<Measure> = Vec::new();
    for text in asked {
        let (controller, attribute) = text.rsplit_once('.').with_context(|| {
            format!("--measure {text}: write the controller and the attribute, as in `hero.Health`")
        })?;
        if runner.controller(controller).is_none() && !is_summoned(scenario, catalog, controller) {
            let known = runner.controllers().iter().map(|(name, _)| *name);
            let hint = output::hint(nearest(controller, known.clone()), known);
            bail!("--measure {text}: the scenario has no controller `{controller}`{hint}");
        }
        catalog.attribute(attribute).with_context(|| format!("--measure {text}"))?;
        if !measures.iter().any(|known| known.name() == *text) {
            measures.push(Measure { controller: controller.to_owned(), attribute: attribute.to_owned() });
        }
    }
    Ok(measures)
}

/// Whether a task of the scenario summons a controller of this name (A17).
fn is_summoned(scenario: &Scenario, catalog: &Arc<Catalog>, controller: &str) -> bool {
    let Ok(mut runner) = Runner::new(scenario, catalog.clone(), Options::default()) else { return false };
    runner.run(|_| {});
    runner.had_controller(controller)
}

impl Plan {
    /// Indices on the axes of a combination; the last axis varies fastest.
    fn positions(&self, combination: u64) -> Vec<usize> {
        let mut rest = combination;
        let mut positions = vec![0; self.axes.len()];
        for (position, axis) in positions.iter_mut().zip(&self.axes).rev() {
            let length = axis.values.len().max(1) as u64;
            *position = (rest % length) as usize;
            rest /= length;
        }
        positions
    }

    /// The scenario with the values of a combination; `at` has the position on each axis.
    fn variant(&self, at: &[usize]) -> anyhow::Result<Scenario> {
        let chosen = self.axes.iter().zip(at).filter_map(|(axis, &at)| Some((axis, axis.values.get(at)?)));
        let values: Vec<_> = chosen.map(|(axis, value)| (&axis.place, value.node())).collect();
        Ok(self.scenario.with_values(&values)?)
    }

    /// `hero.Strength = 10, Level = 2`.
    fn title(&self, at: &[usize]) -> String {
        let chosen = self.axes.iter().zip(at).filter_map(|(axis, &at)| Some((axis, axis.values.get(at)?)));
        let texts: Vec<String> = chosen.map(|(axis, value)| format!("{} = {value}", axis.key)).collect();
        texts.join(", ")
    }
}

/// Plays all combinations on several threads; the order of the results does not depend on their number.
fn play(plan: &Plan, threads: Option<u16>) -> anyhow::Result<Vec<Combination>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads.unwrap_or(0))).build()?;
    let progress = output::progress(plan.combinations.saturating_mul(plan.runs), "runs");
    let combinations: Vec<anyhow::Result<Combination>> = pool.install(|| {
        (0..plan.combinations)
            .into_par_iter()
            .map(|combination| play_combination(plan, plan.positions(combination), &progress))
            .collect()
    });
    progress.finish_and_clear();
    combinations.into_iter().collect()
}

/// Plays all runs of a combination, with consecutive seeds. The first failed run is played again for its
/// message.
fn play_combination(
    plan: &Plan,
    at: Vec<usize>,
    progress: &indicatif::ProgressBar,
) -> anyhow::Result<Combination> {
    let scenario = plan.variant(&at)?;
    let catalog = match &plan.catalog {
        Some(catalog) => catalog.clone(),
        None => scenario.catalog().with_context(|| plan.title(&at))?,
    };
    // Other definitions may lack a measured attribute.
    let attributes: Vec<Option<AttributeId>> =
        plan.measures.iter().map(|measure| catalog.attribute(&measure.attribute).ok()).collect();
    let seed = scenario.seed();
    let runs: Vec<(bool, Vec<Option<f64>>)> = (0..plan.runs)
        .into_par_iter()
        .map(|run| {
            let result = play_once(plan, &scenario, &catalog, &attributes, seed.wrapping_add(run));
            progress.inc(1);
            result
        })
        .collect();
    let passed: Vec<bool> = runs.iter().map(|(passed, _)| *passed).collect();
    let column = |measure: usize| runs.iter().map(move |(_, values)| values.get(measure).copied().flatten());
    let values = (0..plan.measures.len()).map(|measure| column(measure).collect()).collect();
    let first_failed = passed.iter().position(|passed| !passed).map(|run| seed.wrapping_add(run as u64));
    let failure = first_failed.and_then(|seed| {
        // Run again for its message, which is not kept for every run.
        let failures = match Runner::seeded(&scenario, catalog.clone(), Options::default(), seed) {
            Ok(mut runner) => {
                runner.run(|_| {});
                runner.into_outcome().failures
            }
            Err(failure) => vec![failure],
        };
        let first = failures.into_iter().next()?;
        Some(format!("seed {seed}: {}:{}: {}", scenario.path().display(), first.line, first.message))
    });
    Ok(Combination { at, seed, passed, values, failure })
}

/// Plays one run; returns whether it passed, and the measured values at its end. `None` for a value that does
/// not exist.
fn play_once(
    plan: &Plan,
    scenario: &Scenario,
    catalog: &Arc<Catalog>,
    attributes: &[Option<AttributeId>],
    seed: u64,
) -> (bool, Vec<Option<f64>>) {
    let Ok(mut runner) = Runner::seeded(scenario, catalog.clone(), Options::default(), seed) else {
        return (false, vec![None; plan.measures.len()]);
    };
    runner.run(|_| {});
    let value = |(measure, attribute): (&Measure, &Option<AttributeId>)| {
        runner.simulation().current(runner.controller(&measure.controller)?, (*attribute)?)
    };
    let values = plan.measures.iter().zip(attributes).map(value).collect();
    (!runner.has_failed(), values)
}
