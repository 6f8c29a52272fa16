//! `ugas explain`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use serde_json::{Value, json};
use ugas_core::explain::{BoundExplanation, Explanation, Term};
use ugas_core::handle::ControllerId;
use ugas_core::nearest::nearest;
use ugas_core::time::Time;
use ugas_data::scenario::{Options, Outcome, Runner, Scenario};

use crate::Status;
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
    #[arg(long, value_name = "SECONDS")]
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
    anyhow::ensure!(!scenarios.is_empty(), "there is no scenario in `{}`", path.display());
    let has_controller = |candidate: &&Scenario| candidate.has_controller(controller);
    let chosen = match scenario {
        Some(name) => {
            let chosen = output::scenario_by_name(&scenarios, path, name)?;
            scenarios.get(chosen).context("the scenario does not exist")?
        }
        None => scenarios.iter().find(has_controller).ok_or_else(|| {
            let hint = controller_hint(&scenarios, controller);
            anyhow!("no scenario of `{}` has a controller `{controller}`{hint}", path.display())
        })?,
    };
    let until = match at {
        Some(seconds) => {
            anyhow::ensure!(seconds.is_finite() && *seconds >= 0.0, "--at must not be negative");
            Some(Time::from_seconds(*seconds))
        }
        None => None,
    };
    let catalog = chosen.catalog()?;
    let attribute = catalog.attribute(attribute)?;
    let options = Options { until, ..Options::default() };
    let mut runner = Runner::new(chosen, catalog, options).map_err(|failure| anyhow!(failure.message))?;
    runner.run(|_| {});
    let id = runner.controller(controller).with_context(|| {
        let hint = controller_hint(std::slice::from_ref(chosen), controller);
        format!("the scenario has no controller `{controller}`{hint}")
    })?;
    let explanation =
        runner.simulation().explain(id, attribute).context("the controller does not exist any more")?;
    match format {
        Format::Json => {
            let names = runner.controllers().iter().map(|(name, id)| (*id, *name));
            output::print_json(&to_json(&names.collect(), controller, &explanation))?;
        }
        Format::Text => {
            let text =
                named(runner.controllers().iter().map(|(name, id)| (*id, *name)), explanation.to_string());
            output::print(&format!("{text}\n"))?;
        }
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

/// Names of controllers.
pub(crate) type Names<'a> = BTreeMap<ControllerId, &'a str>;

/// Replaces handles in a text with names.
pub(crate) fn named<'a>(names: impl IntoIterator<Item = (ControllerId, &'a str)>, text: String) -> String {
    let mut handles: Vec<(String, &str)> =
        names.into_iter().map(|(id, name)| (format!("{id:?}"), name)).collect();
    // Longest first: a handle may be the prefix of another one.
    handles.sort_by_key(|(handle, _)| std::cmp::Reverse(handle.len()));
    handles.iter().fold(text, |text, (handle, name)| text.replace(handle, name))
}

/// Part of a message with the nearest name, or all names, of the scenarios' controllers.
pub(crate) fn controller_hint(scenarios: &[Scenario], wanted: &str) -> String {
    let controllers = scenarios.iter().filter_map(|scenario| scenario.doc().controllers.as_ref());
    let names: BTreeSet<&str> =
        controllers.flat_map(|controllers| &controllers.0).map(|(name, _)| name.value.as_str()).collect();
    output::hint(nearest(wanted, names.iter().copied()), names.iter().copied())
}

/// Explanation as JSON, with names instead of handles.
pub(crate) fn to_json(names: &Names<'_>, controller: &str, explanation: &Explanation) -> Value {
    let layers: Vec<Value> = explanation
        .layers
        .iter()
        .map(|layer| {
            let terms: Vec<Value> = layer.terms.iter().map(|term| term_json(names, term)).collect();
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

fn term_json(names: &Names<'_>, term: &Term) -> Value {
    let name = |id: ControllerId| names.get(&id).map_or_else(|| format!("{id:?}"), |name| (*name).to_owned());
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
