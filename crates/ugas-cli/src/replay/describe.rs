//! Descriptions of commands and differences of a recording.

use ugas_core::command::Command;
use ugas_core::effect::EffectContext;
use ugas_core::handle::ControllerId;
use ugas_core::id::{EffectId, TagId};
use ugas_core::simulation::Simulation;
use ugas_replay::{Difference, StateDiff, Value};

/// Maximum length of the debug output of a command without a description.
const MAX_LENGTH: usize = 160;

/// Maximum length of the text from a difference on.
const MAX_PART_LENGTH: usize = 32;

/// A command in one line, with names instead of handles and ids.
pub(super) fn command(
    command: &Command,
    simulation: &Simulation,
    name: &dyn Fn(ControllerId) -> String,
) -> String {
    let catalog = simulation.catalog();
    let apply = |effect: EffectId, level: f64, context: &EffectContext, numbers: &[(TagId, f64)], target| {
        let from = context.source.map(|source| format!(" from {}", name(source))).unwrap_or_default();
        let level = if level == 1.0 { String::new() } else { format!(" at level {level}") };
        let number = |(tag, value): &(TagId, f64)| format!("{} {value}", catalog.tag_name(*tag));
        let numbers: Vec<String> = numbers.iter().map(number).collect();
        let with = if numbers.is_empty() { String::new() } else { format!(" with {}", numbers.join(", ")) };
        format!("apply {}{level}{from} to {}{with}", simulation.effect_name(effect), name(target))
    };
    let ability = |id| catalog.ability_name(id);
    let granted = |handle| match simulation.ability(handle) {
        Some(granted) => format!("{} of {}", ability(granted.ability()), name(granted.controller())),
        None => format!("{handle:?}"),
    };
    match command {
        Command::Despawn(controller) => format!("despawn {}", name(*controller)),
        Command::Apply { spec, target } => {
            apply(spec.effect(), spec.level(), spec.context(), spec.magnitudes(), *target)
        }
        Command::ApplyEffect { effect, level, context, magnitudes, target } => {
            apply(*effect, *level, context, magnitudes, *target)
        }
        Command::RestoreCharacter { character, .. } if character.name.is_empty() => {
            "restore a character".to_owned()
        }
        Command::RestoreCharacter { character, .. } => format!("restore {}", character.name),
        Command::Grant { controller, ability: id, level } => {
            let level = if *level == 1 { String::new() } else { format!(" at level {level}") };
            format!("grant {}{level} to {}", ability(*id), name(*controller))
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
        Command::PressAt { controller, input, .. } => {
            format!("{} presses {input} at a target", name(*controller))
        }
        Command::Release { controller, input } => format!("{} releases {input}", name(*controller)),
        Command::Confirm(controller) => format!("{} confirms", name(*controller)),
        Command::Decline(controller) => format!("{} declines", name(*controller)),
        Command::Batch(commands) => {
            let commands: Vec<String> =
                commands.iter().map(|one| self::command(one, simulation, name)).collect();
            format!("at once: {}", commands.join("; "))
        }
        Command::FromClient { command, .. } => {
            format!("of a client: {}", self::command(command, simulation, name))
        }
        other => shortened(&format!("{other:?}"), MAX_LENGTH),
    }
}

/// The first differing fields of two commands with the same description.
pub(super) fn difference(left: &Command, right: &Command) -> Option<(String, String)> {
    apart(&format!("{left:?}"), &format!("{right:?}"))
}

/// Two texts from the beginning of their first differing field on, shortened; `None` if they are equal.
fn apart(left: &str, right: &str) -> Option<(String, String)> {
    let mut pairs = left.char_indices().zip(right.chars());
    let same = pairs.find(|((_, l), r)| l != r).map_or(left.len().min(right.len()), |((at, _), _)| at);
    if same == left.len() && same == right.len() {
        return None;
    }
    let before = left.get(..same)?;
    let begins = ["{ ", "(", "[", ", "].iter().filter_map(|mark| Some(before.rfind(mark)? + mark.len()));
    let begin = begins.max().unwrap_or(0);
    Some((shortened(left.get(begin..)?, MAX_PART_LENGTH), shortened(right.get(begin..)?, MAX_PART_LENGTH)))
}

/// A text, truncated to `most` characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Differences as JSON.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: &str, right: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(left, right)| (left.to_owned(), right.to_owned()));
        assert_eq!(apart(left, right), expected);
    }

    #[test]
    fn texts_are_shown_from_their_first_differing_field() {
        check("Go { to: 12, by: 3 }", "Go { to: 15, by: 3 }", Some(("to: 12, by: 3 }", "to: 15, by: 3 }")));
        check("Go { to: 1, by: é }", "Go { to: 1, by: e }", Some(("by: é }", "by: e }")));
        check("Say(\"a\")", "Say(\"ab\")", Some(("\"a\")", "\"ab\")")));
        check("Go", "Gone", Some(("Go", "Gone")));
        check("Go", "Go", None);
    }
}
