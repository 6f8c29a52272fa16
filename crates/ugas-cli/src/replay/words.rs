//! Commands of a recording in words.

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::id::EffectId;
use ugas_core::simulation::Simulation;
use ugas_replay::{Difference, StateDiff, Value};

/// Longest line for what has no words of its own.
const LONGEST: usize = 160;

/// A command in one line, with names instead of handles and ids.
pub(super) fn command(
    command: &Command,
    simulation: &Simulation,
    name: &dyn Fn(ControllerId) -> String,
) -> String {
    let catalog = simulation.catalog();
    let apply = |effect: EffectId, level: f64, source: Option<ControllerId>, target: ControllerId| {
        let from = source.map(|source| format!(" from {}", name(source))).unwrap_or_default();
        let level = if level == 1.0 { String::new() } else { format!(" at level {level}") };
        format!("apply {}{level}{from} to {}", simulation.effect_name(effect), name(target))
    };
    let ability = |id| catalog.ability_name(id);
    let granted = |handle| match simulation.ability(handle) {
        Some(granted) => format!("{} of {}", ability(granted.ability()), name(granted.controller())),
        None => format!("{handle:?}"),
    };
    match command {
        Command::Despawn(controller) => format!("despawn {}", name(*controller)),
        Command::Apply { spec, target } => apply(spec.effect(), spec.level(), spec.context().source, *target),
        Command::ApplyEffect { effect, level, context, target, .. } => {
            apply(*effect, *level, context.source, *target)
        }
        Command::RestoreCharacter { character, .. } if character.name.is_empty() => {
            "restore a character".to_owned()
        }
        Command::RestoreCharacter { character, .. } => format!("restore {}", character.name),
        Command::Grant { controller, ability: id, .. } => {
            format!("grant {} to {}", ability(*id), name(*controller))
        }
        Command::Revoke(handle) => format!("revoke {}", granted(*handle)),
        Command::Activate { ability, .. } => format!("activate {}", granted(*ability)),
        Command::ActivateAbility { controller, ability: id, .. } => {
            format!("activate {} of {}", ability(*id), name(*controller))
        }
        Command::CancelAbility(handle) => format!("cancel {}", granted(*handle)),
        Command::SendEvent { controller, event } => {
            format!("send {} to {}", catalog.tag_name(event.tag), name(*controller))
        }
        Command::Press { controller, input } => format!("{} presses {input}", name(*controller)),
        Command::Release { controller, input } => format!("{} releases {input}", name(*controller)),
        Command::Confirm(controller) => format!("{} confirms", name(*controller)),
        Command::Decline(controller) => format!("{} declines", name(*controller)),
        Command::Batch(commands) => {
            let commands: Vec<String> =
                commands.iter().map(|one| self::command(one, simulation, name)).collect();
            format!("at once: {}", commands.join("; "))
        }
        other => {
            let text = format!("{other:?}");
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
                None => text,
            }
        }
    }
}

/// A difference for tools.
pub(super) fn diff_json(diff: &StateDiff) -> serde_json::Value {
    let value = |value: &Value| match value {
        Value::Absent => serde_json::Value::Null,
        Value::Number(number) => (*number).into(),
        Value::Count(count) => (*count).into(),
        Value::Text(text) => text.clone().into(),
    };
    let entry = |difference: &Difference| {
        let Difference { controller, field, left, right } = difference;
        serde_json::json!({ "controller": controller, "field": field, "left": value(left), "right": value(right) })
    };
    diff.differences.iter().map(entry).collect()
}
