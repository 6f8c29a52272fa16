//! `ugas run --inspect`: the state of a controller at a time of a scenario.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::anyhow;
use serde_json::{Value, json};
use ugas_core::debug::{AbilityLine, ControllerPage, EffectLine, TaskLine};
use ugas_core::time::{Span, Time};
use ugas_data::scenario::{Options, Runner, Scenario};

use crate::Status;
use crate::explain::{controller_hint, report_failures, with_names};
use crate::output::{self, Format};

/// Runs each scenario that has the controller up to a time, and shows the controller.
pub(super) fn inspect(
    scenarios: &[Scenario],
    controller: &str,
    at: Option<f64>,
    options: &Options,
    format: Format,
) -> anyhow::Result<Status> {
    let until = at.map(Time::from_seconds);
    let (mut text, mut failed) = (String::new(), false);
    let mut pages: Vec<Value> = Vec::new();
    // A controller that no scenario declares may be summoned by a task (A17).
    let is_declared = scenarios.iter().any(|scenario| scenario.has_controller(controller));
    for scenario in scenarios.iter().filter(|scenario| !is_declared || scenario.has_controller(controller)) {
        let options = Options { until, ..*options };
        let runner = Runner::new(scenario, scenario.catalog()?, options);
        let mut runner = runner.map_err(|failure| anyhow!(failure.message))?;
        runner.run(|_| {});
        if !runner.had_controller(controller) {
            continue;
        }
        let page = runner.controller(controller).and_then(|id| runner.simulation().debug(id));
        match &page {
            Some(page) => {
                let _ = writeln!(text, "{}\n{}", scenario.name(), with_names(&runner, &page.to_string()));
                pages.push(to_json(scenario.name(), controller, page));
            }
            None => {
                let time = runner.simulation().now().as_seconds();
                let _ = writeln!(text, "{}\n`{controller}` does not exist at {time} s\n", scenario.name());
            }
        }
        let outcome = runner.into_outcome();
        failed |= !outcome.passed();
        report_failures(outcome);
    }
    if text.is_empty() {
        let hint = controller_hint(scenarios, controller);
        return Err(anyhow!("no scenario here has a controller `{controller}`{hint}"));
    }
    match format {
        Format::Json => output::print_json(&json!({ "pages": pages }))?,
        Format::Text => output::print(&text)?,
    }
    Ok(if failed { Status::Negative } else { Status::Success })
}

/// The page of a controller as JSON.
pub(crate) fn to_json(scenario: &str, name: &str, page: &ControllerPage) -> Value {
    let attributes = page
        .attributes
        .iter()
        .map(|line| (line.name.clone(), json!({ "base": line.base, "current": line.current })));
    let tags = page.tags.iter().map(|line| (line.name.clone(), json!(line.count)));
    let cues = page.cues.iter().map(|(cue, count)| (cue.clone(), json!(count)));
    json!({
        "scenario": scenario,
        "controller": name,
        "template": page.template,
        "time": page.time.as_seconds(),
        "inactive": page.inactive,
        "summoned": page.summoned_by.is_some(),
        "attributes": attributes.collect::<serde_json::Map<_, _>>(),
        "tags": tags.collect::<serde_json::Map<_, _>>(),
        "effects": page.effects.iter().map(effect).collect::<Vec<_>>(),
        "abilities": page.abilities.iter().map(ability).collect::<Vec<_>>(),
        "tasks": page.tasks.iter().map(task).collect::<Vec<_>>(),
        "cues": cues.collect::<serde_json::Map<_, _>>(),
        "bufferedInputs": page.buffered_inputs,
        "position": page.position,
        "team": page.team,
    })
}

fn effect(line: &EffectLine) -> Value {
    json!({
        "name": line.name,
        "level": line.level,
        "stacks": line.stacks,
        "queued": line.queued,
        "inhibited": line.inhibited,
        "remaining": line.remaining.map(Span::as_seconds),
        "duration": line.duration.map(Span::as_seconds),
        "period": line.period.map(Span::as_seconds),
        "nextTick": line.next_tick.map(Time::as_seconds),
        "modifiers": line.modifiers,
        "grantedTags": line.granted_tags,
        "grantedAbilities": line.granted_abilities,
        "abilityTags": line.ability_tags,
        "contextTags": line.context_tags,
        "setByCaller": line.set_by_caller.iter().cloned().collect::<BTreeMap<_, _>>(),
    })
}

fn ability(line: &AbilityLine) -> Value {
    json!({
        "name": line.name,
        "level": line.level,
        "input": line.input,
        "state": format!("{:?}", line.state),
        "runs": line.runs,
        "cooldown": line.cooldown.map(|(remaining, _)| remaining.as_seconds()),
        "charges": line.charges.map(|(left, _)| left),
        "parameters": ugas_inspect::parameters_json(&line.parameters),
        "obstacles": line.obstacles,
    })
}

fn task(line: &TaskLine) -> Value {
    json!({
        "ability": line.ability,
        "kind": line.kind,
        "started": line.started.as_seconds(),
        "deadline": line.deadline.map(Time::as_seconds),
        "waitsFor": line.waits_for,
    })
}
