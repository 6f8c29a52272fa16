//! Flow of tasks: tasks that are never reached (A10), and tasks that need an event (A11).

use crate::decode::Field;
use crate::diagnostics::{Sink, codes};
use crate::model::ability::{AbilityDoc, TaskDoc};
use crate::node::{Node, Value};

/// Reports tasks that are never reached (A10), and, in an ability that receives no event, tasks that address
/// one (A11).
pub(super) fn check(ability: &AbilityDoc, sink: &mut Sink) {
    never_ends(&ability.tasks, sink);
    let is_event = |on: &ugas_core::ability::TriggerOn| *on == ugas_core::ability::TriggerOn::Event;
    let by_event =
        ability.triggers.iter().any(|trigger| trigger.on.as_ref().is_none_or(|on| is_event(&on.0.value)));
    if !by_event && !awaits_event(&ability.tasks) {
        recipients(&ability.tasks, sink);
    }
}

/// The tasks of a list, of one task by itself, or of a mapping that has them under `Tasks`. Invalid items are
/// left out; the checks of tasks report them.
fn nested(node: &Node) -> Vec<TaskDoc> {
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Map(_) if node.get("Type").is_none() => {
            return node.get("Tasks").map(nested).unwrap_or_default();
        }
        Value::Map(_) => std::slice::from_ref(node),
        _ => &[],
    };
    let mut unreported = Sink::with_limit(0);
    items.iter().filter_map(|item| TaskDoc::decode(item, &mut unreported)).collect()
}

/// Parameter of a task by name; `None` if the task has none of this name.
fn param<'a>(task: &'a TaskDoc, key: &str) -> Option<&'a Node> {
    task.params.as_ref()?.0.get(key)
}

/// Type of a task; empty if it has none.
fn kind(task: &TaskDoc) -> &str {
    task.kind.as_ref().map_or("", |kind| kind.value.as_str())
}

/// Lists of tasks inside a flow task, such as the branches of a `Race`; empty for any other task.
fn lists(task: &TaskDoc) -> Vec<Vec<TaskDoc>> {
    let named = |key: &str| param(task, key).map(nested).into_iter();
    match kind(task) {
        "Sequence" | "Repeat" => named("Tasks").collect(),
        "If" => named("Then").chain(named("Else")).collect(),
        "Race" | "All" => {
            param(task, "Branches").map(Node::items).unwrap_or_default().iter().map(nested).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a wait repeats, so that its branch never ends and later tasks are not reached (A10).
fn is_multi(task: &TaskDoc) -> bool {
    match kind(task) {
        "WaitGameplayEvent" => {
            matches!(param(task, "OnlyTriggerOnce").map(|flag| &flag.value), Some(Value::Bool(false)))
        }
        "WaitTargetData" => param(task, "Confirmation").and_then(Node::text) == Some("CustomMulti"),
        _ => false,
    }
}

/// Whether a list never ends because of a repeated wait. Reports the task after one that never ends.
fn never_ends(tasks: &[TaskDoc], sink: &mut Sink) -> bool {
    let mut ended = false;
    for (at, task) in tasks.iter().enumerate() {
        let inside: Vec<bool> = lists(task).iter().map(|list| never_ends(list, sink)).collect();
        let is_stuck = !inside.is_empty()
            && match kind(task) {
                "Race" => inside.iter().all(|stuck| *stuck),
                "If" => inside.len() == 2 && inside.iter().all(|stuck| *stuck),
                _ => inside.contains(&true),
            };
        if is_stuck
            && !ended
            && let Some(next) = tasks.get(at + 1).and_then(|next| next.kind.as_ref())
        {
            sink.push(codes::ability::unreachable_task(next));
        }
        ended |= is_stuck || is_multi(task);
    }
    ended
}

/// Whether one of the tasks waits for a gameplay event, at any depth.
fn awaits_event(tasks: &[TaskDoc]) -> bool {
    tasks
        .iter()
        .any(|task| kind(task) == "WaitGameplayEvent" || lists(task).iter().any(|list| awaits_event(list)))
}

/// Reports tasks that address the target or instigator of an event, at any depth. Called for abilities that
/// receive no event.
fn recipients(tasks: &[TaskDoc], sink: &mut Sink) {
    for task in tasks {
        for node in [param(task, "To"), param(task, "Target")].into_iter().flatten() {
            if let Some(word @ ("EventTarget" | "EventInstigator")) = node.text() {
                sink.push(codes::ability::receives_no_event(node.span, word));
            }
        }
        lists(task).iter().for_each(|list| recipients(list, sink));
    }
}
