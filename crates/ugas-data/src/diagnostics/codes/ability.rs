//! Abilities, their tasks, parameters and input bindings.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// UG035: action not in the set.
pub(crate) const UG035: CodeDoc = CodeDoc {
    code: "UG035",
    title: "action not in the set",
    severity: Severity::Error,
    what: "An input mapping binds an action that its action set does not list.",
    why: "The binding would never be active.",
    example: "ActionSet: Gameplay\nBindings: [ { Action: IA_Pause } ]",
    fix: "Add the action to the set, or bind it in a mapping of the set that has it.",
};

/// Binding of an action that its action set does not list.
pub(crate) fn action_not_in_set(action: &Spanned<String>, set: &str) -> Diagnostic {
    UG035
        .report(action.span, format!("the action set `{set}` does not have the action `{}`", action.value))
        .help(format!("add it to the `Actions` of `{set}`, or move the binding"))
}

/// UG080: task without a parameter.
pub(crate) const UG080: CodeDoc = CodeDoc {
    code: "UG080",
    title: "task without a parameter",
    severity: Severity::Error,
    what: "A task lacks a required parameter.",
    why: "A wait without a duration, or an application without an effect, would do nothing.",
    example: "- Type: WaitDelay",
    fix: "Add the parameter under `Params`.",
};

/// Task without a required parameter. `parameters` are the alternatives.
pub(crate) fn missing_task_parameter(task: &Spanned<String>, parameters: &[&str]) -> Diagnostic {
    let names = format!("`{}`", parameters.join("` or `"));
    UG080
        .report(task.span, format!("the task `{}` needs {names}", task.value))
        .help(format!("add {names} to its `Params`"))
}

/// UG081: contradictory ability.
pub(crate) const UG081: CodeDoc = CodeDoc {
    code: "UG081",
    title: "contradictory ability",
    severity: Severity::Error,
    what: "The parts of an ability contradict each other: it waits although it has no instances, or its charges never come back.",
    why: "An ability with `Instancing: None` is over as soon as it begins, so nothing could go on after a wait (A7).",
    example: "Instancing: None\nTasks: [ { Type: WaitDelay, Params: { Duration: 1 } } ]",
    fix: "Use `PerActor` or `PerExecution`, or leave out the waits; give charges a time to recharge.",
};

/// Ability that the core rejects. `message` may end in ": " and the help.
pub(crate) fn contradictory(span: Span, message: &str) -> Diagnostic {
    let (what, help) = message.split_once(": ").unwrap_or((message, UG081.fix));
    UG081.report(span, what).help(help)
}

/// UG082: invalid input binding or modifier.
pub(crate) const UG082: CodeDoc = CodeDoc {
    code: "UG082",
    title: "invalid input binding or modifier",
    severity: Severity::Error,
    what: "A binding has no inputs, uses one twice, has more inputs than its action has axes, or repeats another binding; or the parameters of an input modifier are invalid.",
    why: "The player's control would do nothing, or not what it appears to do.",
    example: "Bindings: [ { Action: IA_Jump, Inputs: [ { Device: Keyboard, Input: Space }, { Device: Keyboard, Input: Space } ] } ]",
    fix: "Correct what the message names.",
};

/// Input binding or modifier that the core rejects. `message` may end in ": " and the help.
pub(crate) fn invalid_input(span: Span, message: &str) -> Diagnostic {
    let (what, help) = message.split_once(": ").unwrap_or((message, "see the chapter on input devices"));
    UG082.report(span, what).help(help)
}

/// UG110: ability that receives no event.
pub(crate) const UG110: CodeDoc = CodeDoc {
    code: "UG110",
    title: "ability that receives no event",
    severity: Severity::Warning,
    what: "A task acts on `EventTarget` or `EventInstigator`, and the ability has no event trigger and waits for no event.",
    why: "The task finds nobody unless the host activates the ability with an event (A11); then it is skipped with `NoTarget`.",
    example: "Tasks: [{ Type: ApplyEffectToTarget, Params: { EffectClass: GE_Hit, To: EventTarget } }]",
    fix: "Add an event to `Triggers`, wait for one with `WaitGameplayEvent`, or use `To: Target`.",
};

/// Recipient that only an event names, in an ability that receives none.
pub(crate) fn receives_no_event(span: Span, word: &str) -> Diagnostic {
    UG110
        .report(
            span,
            format!("`{word}` finds nobody: the ability has no event trigger and waits for no event"),
        )
        .help("add an event to `Triggers`, wait for one with `WaitGameplayEvent`, or use `To: Target`")
}

/// UG111: task that is never reached.
pub(crate) const UG111: CodeDoc = CodeDoc {
    code: "UG111",
    title: "task that is never reached",
    severity: Severity::Warning,
    what: "A task stands after a block with a wait that happens again: `OnlyTriggerOnce: false`, or `Confirmation: CustomMulti`.",
    why: "The tasks after such a wait in its own list run once for each event, and the block around it never ends (A10).",
    example: "- { Type: Sequence, Params: { Tasks: [{ Type: WaitGameplayEvent, Params: { EventTag: Event.Hit, OnlyTriggerOnce: false } }] } }\n- { Type: EndAbility }   # never reached",
    fix: "Move the task into the list of the wait, or into another branch of a `Race` or an `All`.",
};

/// Task after a block that never ends.
pub(crate) fn unreachable_task(kind: &Spanned<String>) -> Diagnostic {
    UG111
        .report(
            kind.span,
            format!("`{}` is never reached: the task before it waits again and again", kind.value),
        )
        .help("move it into the list of the wait, or into another branch of a `Race` or an `All`")
}

/// UG151: parameter of the wrong type.
pub(crate) const UG151: CodeDoc = CodeDoc {
    code: "UG151",
    title: "parameter of the wrong type",
    severity: Severity::Error,
    what: "A parameter is used as something that it is not: a number where a tag is asked with `ParamTag`, or a tag or a text in an expression.",
    why: "Expressions read numbers and booleans; a tag is a text that is the name of a tag of the pack; other texts are for the host only (A18).",
    example: "Parameters: { Element: Damage.Fire }\nTasks: [ { Type: WaitDelay, Params: { Duration: 'Param(\"Element\")' } } ]",
    fix: "Use a parameter of the right type, or give the parameter another value.",
};

/// Parameter of another type than its use needs.
pub(crate) fn wrong_parameter_type(name: &Spanned<String>, found: &str, expected: &str) -> Diagnostic {
    UG151
        .report(name.span, format!("the parameter `{}` is {found}, not {expected}", name.value))
        .help("use a parameter of the right type")
}

/// UG152: fixed parameter.
pub(crate) const UG152: CodeDoc = CodeDoc {
    code: "UG152",
    title: "fixed parameter",
    severity: Severity::Error,
    what: "A `SetParameter` task writes a parameter that holds a tag or a text.",
    why: "Tags and texts are fixed by the definition: they are resolved when the pack is loaded. Only numbers and booleans change (A18).",
    example: "Parameters: { Element: Damage.Fire }\nTasks: [ { Type: SetParameter, Params: { Name: Element, Value: 1 } } ]",
    fix: "Write a parameter that is a number, or make a variant of the ability with `Extends`.",
};

/// `SetParameter` on a parameter that is fixed by the definition.
pub(crate) fn fixed_parameter(name: &Spanned<String>, found: &str) -> Diagnostic {
    UG152
        .report(
            name.span,
            format!("the parameter `{}` is {found}, which is fixed by the definition", name.value),
        )
        .help("write a parameter that is a number, or make a variant with `Extends`")
}
