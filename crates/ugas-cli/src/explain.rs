//! `ugas explain`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};
use ugas_core::explain::{BoundExplanation, Explanation, Term};
use ugas_core::handle::ControllerId;
use ugas_core::nearest::nearest;
use ugas_core::time::Time;
use ugas_data::scenario::{Outcome, Runner, Scenario};

use crate::Status;
use crate::choose::run_with_controller;
use crate::output::{self, Format};

/// Explains how a value is calculated, term by term
///
/// Runs a scenario up to a time and shows how the value of an attribute is calculated: its base value, every
/// modifier with its effect, the bounds, and which modifiers do not count and why.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas explain packs/arpg/scenarios/damage-buckets.yaml --controller hero --attribute WeaponDamage
  ugas explain duel.yaml --controller wolf --attribute Health --at 2.5
  ugas explain tales.yaml --scenario \"a ward\" --controller bones --attribute Health")]
pub(crate) struct Arguments {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    path: PathBuf,
    /// Name of the controller in the scenario
    #[arg(long, value_name = "NAME")]
    controller: String,
    /// Name of the attribute
    #[arg(long, value_name = "NAME")]
    attribute: String,
    /// Time to explain; by default, the end
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::moment)]
    at: Option<f64>,
    /// Name of the scenario; by default, the first in the file that has the controller
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs `ugas explain`: plays a scenario up to a time, and prints how the value of an attribute comes about.
/// Without a scenario's name it takes the first that has the controller.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Arguments { path, controller, attribute, at, scenario, format } = arguments;
    output::ensure_exists(path)?;
    let scenarios = Scenario::load(path)?;
    let until = at.map(Time::from_seconds);
    let runner = run_with_controller(&scenarios, path, scenario.as_deref(), controller, until)?;
    let chosen = runner.scenario();
    let attribute = runner.simulation().catalog().attribute(attribute)?;
    let id = runner.controller(controller).with_context(|| {
        let hint = controller_hint(std::slice::from_ref(chosen), controller);
        format!("the scenario has no controller `{controller}`{hint}")
    })?;
    let explanation =
        runner.simulation().explain(id, attribute).context("the controller does not exist any more")?;
    eprintln!("scenario: {} ({})", chosen.name(), chosen.path().display());
    match format {
        Format::Json => output::print_json(&to_json(controller, &explanation, |id| name_of(&runner, id)))?,
        Format::Text => output::print(&format!("{}\n", with_names(&runner, &explanation.to_string())))?,
    }
    report_failures(runner.into_outcome());
    Ok(if explanation.present { Status::Success } else { Status::Negative })
}

/// Prints failures of the scenario on standard error, beside the result.
pub(crate) fn report_failures(outcome: Outcome) {
    for failure in &outcome.failures {
        eprintln!("{}:{}: {}", outcome.file.display(), failure.line, failure.message);
    }
}

/// Name of a controller of a scenario: its own, or that of the task that summoned it.
fn name_of(runner: &Runner<'_>, id: ControllerId) -> String {
    runner.names().of(runner.simulation(), id)
}

/// A text with the names of the scenario's controllers instead of handles.
pub(crate) fn with_names(runner: &Runner<'_>, text: &str) -> String {
    runner.names().replace_handles(runner.simulation(), text)
}

/// End of a message about an unknown controller: the nearest known name, or a list.
pub(crate) fn controller_hint(scenarios: &[Scenario], wanted: &str) -> String {
    let controllers = scenarios.iter().filter_map(|scenario| scenario.doc().controllers.as_ref());
    let names: BTreeSet<&str> =
        controllers.flat_map(|controllers| &controllers.0).map(|(name, _)| name.value.as_str()).collect();
    output::hint(nearest(wanted, names.iter().copied()), names.iter().copied())
}

/// An explanation as JSON, with the names that `name` gives to controllers.
pub(crate) fn to_json(
    controller: &str,
    explanation: &Explanation,
    name: impl Fn(ControllerId) -> String,
) -> Value {
    let layers: Vec<Value> = explanation
        .layers
        .iter()
        .map(|layer| {
            let terms: Vec<Value> = layer.terms.iter().map(|term| term_json(term, &name)).collect();
            json!({ "index": layer.index, "input": layer.input, "terms": terms, "output": layer.output })
        })
        .collect();
    let bound = |bound: &Option<BoundExplanation>| bound.as_ref().map(|bound| bound.value);
    let clamp = &explanation.clamp;
    json!({
        "attribute": explanation.name,
        "controller": controller,
        "time": explanation.time.as_seconds(),
        "base": explanation.base,
        "current": explanation.current,
        "layers": layers,
        "clamp": { "min": bound(&clamp.min), "max": bound(&clamp.max), "applied": clamp.applied },
    })
}

fn term_json(term: &Term, name: impl Fn(ControllerId) -> String) -> Value {
    json!({
        "operation": term.operation.name(),
        "channel": term.channel,
        "magnitude": term.magnitude,
        "effect": term.effect_name,
        "source": term.source.map(name),
        "stacks": term.stacks,
        "qualifies": term.qualifies,
        "reason": term.reason.as_ref().map(ToString::to_string),
    })
}
