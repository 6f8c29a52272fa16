//! The request `controller`: everything about one controller.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use ugas_core::ability::{Activation, ParameterDef};
use ugas_core::debug::{AbilityLine, ControllerNames, ControllerPage, EffectLine, TagLine, TaskLine};
use ugas_core::handle::{ActivationId, ControllerId};
use ugas_core::simulation::Simulation;
use ugas_core::time::{Span, Time};

use crate::event_log::EventLog;
use crate::request::{Answer, Fields, RequestError, id_text};
use crate::world::{points, series_of, value};

/// Page of one controller: identity, attributes with their recent values from the event log, tags, effects,
/// abilities, running activations, cues and buffered inputs. An error if it does not exist at this moment.
pub(crate) fn controller(
    simulation: &Simulation,
    names: &ControllerNames,
    event_log: &EventLog,
    moment: u64,
    fields: Fields<'_>,
) -> Answer {
    let id = fields.controller("controller")?;
    let (Some(known), Some(page)) = (simulation.controller(id), simulation.debug(id)) else {
        return Err(RequestError::gone("the controller is not there at this moment"));
    };
    Ok(json!({
        "id": id_text(id),
        "name": names.of(simulation, id),
        "template": page.template,
        "moment": moment,
        "time": page.time.as_seconds(),
        "owner": known.owner().map(|actor| format!("{actor:?}")),
        "avatar": known.avatar().map(|actor| format!("{actor:?}")),
        "inactive": page.inactive,
        "summonedBy": page.summoned_by.map(|instigator| names.of(simulation, instigator)),
        "position": page.position,
        "team": page.team,
        "attributes": attributes(simulation, event_log, moment, id),
        "tags": page.tags.iter().map(|line| tag(simulation, &page, line)).collect::<Vec<_>>(),
        "effects": page.effects.iter().map(|line| effect(simulation, names, line)).collect::<Vec<_>>(),
        "abilities": page.abilities.iter().map(|line| ability(simulation, names, line)).collect::<Vec<_>>(),
        "runs": known.activations().iter().filter_map(|id| program(simulation, &page, *id)).collect::<Vec<_>>(),
        "cues": page.cues.iter().map(|(cue, count)| json!({ "name": cue, "count": count })).collect::<Vec<_>>(),
        "inputs": page.buffered_inputs,
    }))
}

/// Attributes with their values, and with their recent course up to the moment for a small chart.
fn attributes(simulation: &Simulation, event_log: &EventLog, moment: u64, id: ControllerId) -> Vec<Value> {
    let mut series = series_of(event_log, moment, id);
    let lines = simulation.attributes(id).map(|(attribute, ..)| {
        let mut line = value(simulation, id, attribute).unwrap_or_default();
        if let Some(line) = line.as_object_mut() {
            line.insert("name".to_owned(), json!(simulation.catalog().attribute_name(attribute)));
            let series = series.remove(&attribute).unwrap_or_default();
            line.insert("spark".to_owned(), points(&series));
        }
        line
    });
    lines.collect()
}

/// A tag and the effects that grant it. Only effects grant tags (§3.1), so tags of a template have one, too.
fn tag(simulation: &Simulation, page: &ControllerPage, line: &TagLine) -> Value {
    let effects =
        page.effects.iter().filter(|effect| !effect.queued && effect.granted_tags.contains(&line.name));
    let by = effects.map(|effect| {
        json!({
            "name": effect.name,
            "active": effect.active.to_bits().to_string(),
            "inhibited": effect.inhibited,
        })
    });
    let by = by.collect::<Vec<_>>();
    let mut tag = json!({ "name": line.name, "count": line.count, "cumulative": line.cumulative, "by": by });
    let tags = simulation.catalog().tags();
    if let Some(metadata) = tags.id(&line.name).and_then(|id| tags.metadata(id)) {
        tag["description"] = json!(metadata.description);
        tag["devComment"] = json!(metadata.dev_comment);
        tag["allowMultiple"] = json!(metadata.allow_multiple);
    }
    tag
}

fn effect(simulation: &Simulation, names: &ControllerNames, line: &EffectLine) -> Value {
    let active = simulation.effect(line.active);
    json!({
        "active": line.active.to_bits().to_string(),
        "name": line.name,
        "source": line.source.map(|source| names.of(simulation, source)),
        "sourceId": line.source.map(id_text),
        "level": line.level,
        "stacks": line.stacks,
        "queued": line.queued,
        "inhibited": line.inhibited,
        "started": active.map(|active| active.started().as_seconds()),
        "remaining": line.remaining.map(Span::as_seconds),
        "duration": line.duration.map(Span::as_seconds),
        "period": line.period.map(Span::as_seconds),
        "nextTick": line.next_tick.map(Time::as_seconds),
        "ticks": active.map(|active| active.ticks()),
        "modifiers": line.modifiers,
        "grantedTags": line.granted_tags,
        "grantedAbilities": line.granted_abilities,
        "abilityTags": line.ability_tags,
        "contextTags": line.context_tags,
        "setByCaller": line.set_by_caller.iter().cloned().collect::<BTreeMap<_, _>>(),
    })
}

fn ability(simulation: &Simulation, names: &ControllerNames, line: &AbilityLine) -> Value {
    json!({
        "handle": line.handle.to_bits().to_string(),
        "name": line.name,
        "level": line.level,
        "input": line.input,
        "state": format!("{:?}", line.state),
        "runs": line.runs,
        "cooldown": line.cooldown.map(|(left, whole)| json!([left.as_seconds(), whole.as_seconds()])),
        "charges": line.charges.map(|(left, most)| json!([left, most])),
        "parameters": parameters_json(&line.parameters),
        "obstacles": line.obstacles.iter().map(|text| names.replace_handles(simulation, text)).collect::<Vec<_>>(),
    })
}

/// Typed parameters of an ability as JSON (A18), by name: numbers, booleans, and strings for tags and texts.
pub fn parameters_json(parameters: &[(String, ParameterDef)]) -> Value {
    let value = |value: &ParameterDef| match value {
        ParameterDef::Number(number) => json!(number),
        ParameterDef::Flag(flag) => json!(flag),
        ParameterDef::Tag(text) | ParameterDef::Text(text) => json!(text),
    };
    parameters.iter().map(|(name, parameter)| (name.clone(), value(parameter))).collect::<Map<_, _>>().into()
}

/// An activation as JSON: the numbers that its expressions read (A18), the steps of its program, and which of
/// them are running.
fn program(simulation: &Simulation, page: &ControllerPage, id: ActivationId) -> Option<Value> {
    let activation: &Activation = simulation.activation(id)?;
    let ability = simulation.catalog().ability_by_id(activation.ability())?;
    let routine = ability.routine();
    let at: Vec<(u32, &TaskLine)> = activation
        .tasks()
        .filter_map(|task| {
            Some((simulation.task(task)?.step(), page.tasks.iter().find(|line| line.task == task)?))
        })
        .collect();
    let steps = (0..u32::try_from(routine.len()).unwrap_or(u32::MAX)).map(|step| {
        let here = at.iter().find(|(at, _)| *at == step).map(|(_, line)| line);
        json!({
            "kind": routine.kind(step),
            "here": here.is_some(),
            "started": here.map(|line| line.started.as_seconds()),
            "deadline": here.and_then(|line| line.deadline).map(Time::as_seconds),
            "waitsFor": here.map(|line| line.waits_for.clone()),
        })
    });
    Some(json!({
        "ability": ability.name(),
        "started": activation.started().as_seconds(),
        "committed": activation.is_committed(),
        "numbers": activation.numbers().into_iter().collect::<BTreeMap<_, _>>(),
        "steps": steps.collect::<Vec<_>>(),
    }))
}
