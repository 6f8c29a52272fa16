//! Requests about events: a filtered list, and the chain of causes of one event.

use serde_json::{Value, json};
use ugas_core::debug::ControllerNames;
use ugas_core::event::{Category, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;

use crate::event_log::{Entry, EventLog};
use crate::request::{Answer, Fields, RequestError, controller, id_text};

/// Maximum number of events in one answer.
const MAX_COUNT: u64 = 500;

/// Maximum length of a chain of causes.
const MAX_LINKS: usize = 24;

/// The events up to a moment, latest first.
pub(crate) fn events(
    simulation: &Simulation,
    names: &ControllerNames,
    event_log: &EventLog,
    moment: u64,
    fields: Fields<'_>,
) -> Answer {
    let wanted: Result<Vec<ControllerId>, RequestError> =
        fields.texts("controllers")?.into_iter().map(controller).collect();
    let wanted = wanted?;
    let categories: Vec<String> = fields.texts("categories")?.into_iter().map(str::to_lowercase).collect();
    let search = fields.text("search")?.unwrap_or_default().to_lowercase();
    let before = fields.count("before")?.unwrap_or(u64::MAX);
    let limit = fields.count("limit")?.unwrap_or(200).min(MAX_COUNT) as usize;
    let only_here = fields.count("from")?.unwrap_or(0);
    let mut found = Vec::new();
    let mut is_more = false;
    for entry in event_log.until(moment) {
        if entry.moment < only_here {
            break;
        }
        let kind = &entry.event.kind;
        let admits = entry.event.sequence < before
            && (wanted.is_empty() || entry.involved.iter().any(|id| wanted.contains(id)))
            && (categories.is_empty() || categories.iter().any(|known| known == category(kind.category())));
        if !admits {
            continue;
        }
        let line = event_json(simulation, names, entry);
        if !search.is_empty() {
            let text = line["text"].as_str().unwrap_or_default().to_lowercase();
            if !text.contains(&search) && !kind.name().to_lowercase().contains(&search) {
                continue;
            }
        }
        if found.len() >= limit {
            is_more = true;
            break;
        }
        found.push(line);
    }
    Ok(json!({ "moment": moment, "events": found, "more": is_more, "lost": event_log.lost }))
}

/// An event and its causes, back to the first: damage, the effect, the ability, the input.
pub(crate) fn chain(
    simulation: &Simulation,
    names: &ControllerNames,
    event_log: &EventLog,
    fields: Fields<'_>,
) -> Answer {
    let Some(sequence) = fields.count("sequence")? else {
        return Err(RequestError::bad("`sequence` is missing"));
    };
    let Some(first) = event_log.by_sequence(sequence) else {
        return Err(RequestError::gone("the event is not in the event log (any more)"));
    };
    let mut links = vec![first];
    while let Some(next) = links.last().and_then(|last| cause_of(event_log, last)) {
        links.push(next);
        if links.len() >= MAX_LINKS {
            break;
        }
    }
    Ok(
        json!({ "links": links.into_iter().map(|entry| event_json(simulation, names, entry)).collect::<Vec<_>>() }),
    )
}

/// The most direct cause of an event. It is always an earlier event.
fn cause_of<'a>(event_log: &'a EventLog, entry: &Entry) -> Option<&'a Entry> {
    let cause = entry.event.cause;
    let sequence = entry.event.sequence;
    let same_operation = |other: &&Entry| other.event.cause.operation == cause.operation;
    // A value or a tag changed because an effect was executed or became active.
    let is_consequence = !matches!(
        entry.event.kind,
        EventKind::EffectApplied { .. }
            | EventKind::EffectExecuted { .. }
            | EventKind::AbilityActivated { .. }
    );
    if let Some(effect) = cause.effect.filter(|_| is_consequence) {
        let applied = event_log.before(sequence).take_while(same_operation).find(|other| {
            matches!(other.event.kind,
                EventKind::EffectExecuted { effect: id, .. } | EventKind::EffectApplied { effect: id, .. } if id == effect)
        });
        if applied.is_some() {
            return applied;
        }
    }
    // An effect ticked because it was applied.
    if let Some(active) = cause.active.or(active_of(&entry.event.kind)) {
        let applied = event_log.before(sequence).find(
            |other| matches!(other.event.kind, EventKind::EffectApplied { active: id, .. } if id == active),
        );
        if applied.is_some() {
            return applied;
        }
    }
    // An effect was applied by an ability. An activation is never caused by an earlier activation of itself.
    let own = match entry.event.kind {
        EventKind::AbilityActivated { handle, .. } => Some(handle),
        _ => None,
    };
    if let Some(ability) = cause.ability.filter(|ability| Some(*ability) != own) {
        let activated = event_log.before(sequence).find(
            |other| matches!(other.event.kind, EventKind::AbilityActivated { handle, .. } if handle == ability),
        );
        if activated.is_some() {
            return activated;
        }
    }
    // An ability was activated by an input or a gameplay event that began the same operation.
    let begins = |other: &&Entry| {
        matches!(
            other.event.kind,
            EventKind::InputPressed { .. }
                | EventKind::InputReleased { .. }
                | EventKind::GameplayEvent { .. }
        )
    };
    event_log.before(sequence).take_while(same_operation).find(begins)
}

/// Active effect of a tick, removal, change of stacks, inhibition or resumption, whose application is the
/// cause to find; `None` for all other events, for the application itself, and for instant executions.
fn active_of(kind: &EventKind) -> Option<ugas_core::handle::ActiveEffectId> {
    match kind {
        EventKind::EffectExecuted { active, .. } => *active,
        EventKind::EffectRemoved { active, .. }
        | EventKind::EffectStackChanged { active, .. }
        | EventKind::EffectInhibited { active, .. }
        | EventKind::EffectResumed { active, .. } => Some(*active),
        _ => None,
    }
}

/// Event for the page, with names instead of handles.
fn event_json(simulation: &Simulation, names: &ControllerNames, entry: &Entry) -> Value {
    let event = &entry.event;
    json!({
        "sequence": event.sequence,
        "moment": entry.moment,
        "time": event.time.as_seconds(),
        "kind": event.kind.name(),
        "category": category(event.kind.category()),
        "text": names.replace_handles(simulation, &entry.text),
        "controllers": entry.involved.iter().map(|id| id_text(*id)).collect::<Vec<_>>(),
        "cause": {
            "operation": event.cause.operation,
            "effect": entry.effect,
            "source": event.cause.source.map(|source| names.of(simulation, source)),
            "ability": entry.ability,
        },
        "predicted": event.prediction.is_some(),
    })
}

fn category(category: Category) -> &'static str {
    match category {
        Category::Controller => "controller",
        Category::Attribute => "attribute",
        Category::Tag => "tag",
        Category::Effect => "effect",
        Category::Ability => "ability",
        Category::Task => "task",
        Category::Input => "input",
        Category::Cue => "cue",
        _ => "error",
    }
}
