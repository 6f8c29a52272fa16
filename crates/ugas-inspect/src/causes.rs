//! Events for people: filtered, and linked to what led to them.

use serde_json::{Value, json};
use ugas_core::event::{Category, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;

use crate::chronicle::{Chronicle, Entry};
use crate::names::{Names, id_text};
use crate::request::{Answer, Complaint, Fields, controller};

/// Most events of one answer.
const MOST: u64 = 500;

/// Most links of a chain of causes.
const MOST_LINKS: usize = 24;

/// Events up to a moment, the latest first.
pub(crate) fn events(
    simulation: &Simulation,
    names: &Names,
    chronicle: &Chronicle,
    moment: u64,
    fields: Fields<'_>,
) -> Answer {
    let wanted: Result<Vec<ControllerId>, Complaint> =
        fields.texts("controllers")?.into_iter().map(controller).collect();
    let wanted = wanted?;
    let categories: Vec<String> = fields.texts("categories")?.into_iter().map(str::to_lowercase).collect();
    let search = fields.text("search")?.unwrap_or_default().to_lowercase();
    let before = fields.count("before")?.unwrap_or(u64::MAX);
    let limit = fields.count("limit")?.unwrap_or(200).min(MOST) as usize;
    let only_here = fields.count("from")?.unwrap_or(0);
    let mut found = Vec::new();
    let mut is_more = false;
    for entry in chronicle.until(moment) {
        if entry.moment < only_here {
            break;
        }
        let kind = &entry.event.kind;
        let admits = entry.event.sequence < before
            && (wanted.is_empty() || entry.concerned.iter().any(|id| wanted.contains(id)))
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
    Ok(json!({ "moment": moment, "events": found, "more": is_more, "lost": chronicle.lost }))
}

/// An event and what led to it, back to what began it: damage, the effect, the ability, the input.
pub(crate) fn chain(
    simulation: &Simulation,
    names: &Names,
    chronicle: &Chronicle,
    fields: Fields<'_>,
) -> Answer {
    let Some(sequence) = fields.count("sequence")? else {
        return Err(Complaint::bad("`sequence` is missing"));
    };
    let Some(first) = chronicle.by_sequence(sequence) else {
        return Err(Complaint::gone("the event is not kept"));
    };
    let mut links = vec![first];
    while let Some(next) = links.last().and_then(|last| cause_of(chronicle, last)) {
        links.push(next);
        if links.len() >= MOST_LINKS {
            break;
        }
    }
    Ok(
        json!({ "links": links.into_iter().map(|entry| event_json(simulation, names, entry)).collect::<Vec<_>>() }),
    )
}

/// The event that led to this one most directly, always an earlier one.
fn cause_of<'a>(chronicle: &'a Chronicle, entry: &Entry) -> Option<&'a Entry> {
    let cause = entry.event.cause;
    let sequence = entry.event.sequence;
    let same_operation = |other: &&Entry| other.event.cause.operation == cause.operation;
    // A value or a tag, because an effect was carried out or became active.
    let is_consequence = !matches!(
        entry.event.kind,
        EventKind::EffectApplied { .. }
            | EventKind::EffectExecuted { .. }
            | EventKind::AbilityActivated { .. }
    );
    if let Some(effect) = cause.effect.filter(|_| is_consequence) {
        let applied = chronicle.before(sequence).take_while(same_operation).find(|other| {
            matches!(other.event.kind,
                EventKind::EffectExecuted { effect: id, .. } | EventKind::EffectApplied { effect: id, .. } if id == effect)
        });
        if applied.is_some() {
            return applied;
        }
    }
    // A tick of an effect, because that was applied once.
    if let Some(active) = cause.active.or(active_of(&entry.event.kind)) {
        let applied = chronicle.before(sequence).find(
            |other| matches!(other.event.kind, EventKind::EffectApplied { active: id, .. } if id == active),
        );
        if applied.is_some() {
            return applied;
        }
    }
    // An effect, because an ability applied it. What began a run is not an earlier run of the same.
    let own = match entry.event.kind {
        EventKind::AbilityActivated { handle, .. } => Some(handle),
        _ => None,
    };
    if let Some(ability) = cause.ability.filter(|ability| Some(*ability) != own) {
        let activated = chronicle.before(sequence).find(
            |other| matches!(other.event.kind, EventKind::AbilityActivated { handle, .. } if handle == ability),
        );
        if activated.is_some() {
            return activated;
        }
    }
    // An ability, because of an input or a gameplay event that began the same operation.
    let begins = |other: &&Entry| {
        matches!(
            other.event.kind,
            EventKind::InputPressed { .. }
                | EventKind::InputReleased { .. }
                | EventKind::GameplayEvent { .. }
        )
    };
    chronicle.before(sequence).take_while(same_operation).find(begins)
}

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

fn event_json(simulation: &Simulation, names: &Names, entry: &Entry) -> Value {
    let event = &entry.event;
    json!({
        "sequence": event.sequence,
        "moment": entry.moment,
        "time": event.time.as_seconds(),
        "kind": event.kind.name(),
        "category": category(event.kind.category()),
        "text": names.put_into(simulation, &entry.text),
        "controllers": entry.concerned.iter().map(|id| id_text(*id)).collect::<Vec<_>>(),
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
