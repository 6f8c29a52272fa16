//! Scenarios: their packs, states, controllers, steps and expectations.

use ugas_core::catalog::RebuildError;
use ugas_core::codec::{DecodeError, DecodeErrorKind};
use ugas_core::reload::{ReloadError, ReloadReport};

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// UG037: unknown controller of a scenario.
pub(crate) const UG037: CodeDoc = CodeDoc {
    code: "UG037",
    title: "unknown controller of a scenario",
    severity: Severity::Error,
    what: "A step names a controller that the scenario does not have.",
    why: "The step could not run, or the expectation could never hold.",
    example: "Controllers: { wolf: { Template: Wolf } }\nSteps:\n  - Apply: { Effect: GE_Poison, Target: wlof }",
    fix: "Correct the name, or add the controller under `Controllers`.",
};

/// Controller name that the scenario does not define.
pub(crate) fn unknown_controller(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG037
        .report(name.span, format!("the scenario has no controller `{}`", name.value))
        .suggest(nearest, "add it under `Controllers`")
}

/// UG038: unknown name in a scenario.
pub(crate) const UG038: CodeDoc = CodeDoc {
    code: "UG038",
    title: "unknown name in a scenario",
    severity: Severity::Error,
    what: "A step uses a name that no earlier step assigns with `As`, and that the pack does not have either; or a controller has \
           an ability set that the pack does not have.",
    why: "There would be nothing to remove, revoke, cancel or grant.",
    example: "Steps:\n  - Apply: { Effect: GE_Poison, Target: wolf, As: poison }\n  - Remove: { Effect: posion }",
    fix: "Correct the name, or assign it with `As` in an earlier step.",
};

/// Name that no earlier step assigns with `As`. `other` is what else it could have been, such as "an effect".
pub(crate) fn unknown_name(name: &Spanned<String>, other: &str, nearest: Option<&str>) -> Diagnostic {
    let name_text = &name.value;
    let message = format!("no earlier step assigns the name `{name_text}` with `As`, and it is not {other}");
    UG038.report(name.span, message).suggest(nearest, "assign the name with `As` in an earlier step")
}

/// Ability set of a controller that the pack does not have.
pub(crate) fn unknown_ability_set(name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
    UG038
        .report(name.span, format!("there is no ability set `{}`", name.value))
        .suggest(nearest, "correct the name, or add the set to `AbilitySets` of the pack")
}

/// UG039: pack of a scenario.
pub(crate) const UG039: CodeDoc = CodeDoc {
    code: "UG039",
    title: "pack of a scenario",
    severity: Severity::Error,
    what: "The `Pack` of a scenario does not exist, or has errors in files that were not checked along with the scenario.",
    why: "The scenario cannot run, and its names cannot be checked.",
    example: "Pack: ../packs/apgr",
    fix: "Correct the path, which is relative to the scenario's file, or fix the pack.",
};

/// `Pack` path that does not exist.
pub(crate) fn pack_not_found(span: Span, path: &str) -> Diagnostic {
    UG039.report(span, format!("there is no pack `{path}`")).help("write a path relative to this file")
}

/// `Pack` that does not load.
pub(crate) fn pack_has_errors(span: Span, path: &str, errors: usize) -> Diagnostic {
    let noun = if errors == 1 { "error" } else { "errors" };
    UG039
        .report(span, format!("the pack `{path}` has {errors} {noun}"))
        .help("check the pack by itself to see them")
}

/// UG044: state of a scenario.
pub(crate) const UG044: CodeDoc = CodeDoc {
    code: "UG044",
    title: "state of a scenario",
    severity: Severity::Error,
    what: "The `State` of a scenario cannot be used: its text is not base64, its bytes are damaged or of a newer version, its file does not exist, or there are no rules for it.",
    why: "The scenario has no initial state, so it cannot run.",
    example: "State: VUdTTg==",
    fix: "Export the moment again, or write the snapshot again, with its rules: `Snapshot::to_bytes_with_rules`. A state without rules needs the very `Pack` or `Definitions` that it was taken under.",
};

/// Longest reason in a message, in characters. Rules from elsewhere may have any number of errors.
const LONGEST_REASON: usize = 500;

/// Text of a reason, cut after `LONGEST_REASON` characters.
fn shortened(reason: impl core::fmt::Display) -> String {
    let reason = reason.to_string();
    match reason.char_indices().nth(LONGEST_REASON) {
        Some((at, _)) => format!("{}…", &reason[..at]),
        None => reason,
    }
}

/// State text that is not base64.
pub(crate) fn state_not_base64(span: Span, what: impl core::fmt::Display) -> Diagnostic {
    UG044
        .report(span, format!("the state is not base64: {what}"))
        .help("copy the whole text again, as it was written")
}

/// State file that cannot be read.
pub(crate) fn state_file_unreadable(span: Span, path: &str, what: impl core::fmt::Display) -> Diagnostic {
    UG044
        .report(span, format!("the state in `{path}` cannot be read: {what}"))
        .help("write a path relative to this file, of a file with the bytes of a snapshot")
}

/// State file above the size limit.
pub(crate) fn state_too_large(span: Span, path: &str, most: u64) -> Diagnostic {
    UG044
        .report(span, format!("the state in `{path}` has more than {most} bytes"))
        .help("a state of this size cannot begin a scenario")
}

/// State bytes that cannot be decoded.
pub(crate) fn state_undecodable(span: Span, error: &DecodeError) -> Diagnostic {
    match &error.kind {
        DecodeErrorKind::ForeignCatalog { .. } => UG044
            .report(span, "the state was taken under other rules than these, and does not contain its own")
            .help("name the pack that it was taken under, or write it with its rules"),
        DecodeErrorKind::UnknownVersion { .. } => UG044
            .report(span, format!("the state cannot be read: {}", error.kind))
            .help("update, or export the moment again with this version"),
        _ => UG044
            .report(span, format!("the state cannot be read: {}", shortened(error)))
            .help("export the moment again, or copy the whole text as it was written"),
    }
}

/// State that does not contain its rules, in a scenario that has no rules either.
pub(crate) fn state_without_rules(span: Span) -> Diagnostic {
    UG044
        .report(span, "the state does not contain rules, and the scenario names none")
        .help("add the `Pack` that it was taken under, or write it with its rules")
}

/// State whose own rules cannot be built.
pub(crate) fn state_rules_unusable(span: Span, error: &RebuildError) -> Diagnostic {
    let help = match error {
        RebuildError::MissingNatives(_) => {
            "run it in the game that has this code, or add the `Pack` to continue without it"
        }
        _ => "export the moment again, or add the `Pack` that it was taken under",
    };
    UG044.report(span, format!("the rules of the state cannot be used: {}", shortened(error))).help(help)
}

/// State that cannot be migrated to the rules of the scenario.
pub(crate) fn state_not_migrated(span: Span, error: &ReloadError) -> Diagnostic {
    UG044
        .report(span, format!("the state cannot be migrated to the rules of the scenario: {error}"))
        .help("remove `Pack` and `Definitions` to run it under its own rules, or fix the pack")
}

/// State that cannot be restored for another reason.
pub(crate) fn state_unusable(span: Span, error: &dyn core::error::Error) -> Diagnostic {
    UG044
        .report(span, format!("the state cannot be used: {}", shortened(error)))
        .help("export the moment again")
}

/// UG045: controller of a state.
pub(crate) const UG045: CodeDoc = CodeDoc {
    code: "UG045",
    title: "controller of a state",
    severity: Severity::Error,
    what: "The `Handle` of a controller of a scenario is not in its `State`, is used by another name already, or stands beside keys that describe a new controller.",
    why: "Steps and expectations would refer to no controller, or to another one.",
    example: "State: VUdTTg…\nControllers:\n  hero: { Handle: controller7v1 }   # there are two, controller0v1 and controller1v1",
    fix: "Write the handle of a controller that the state has, and nothing beside it. A controller without `Handle` is spawned in addition.",
};

/// Most handles that a message lists.
const MOST_HANDLES: usize = 8;

/// `Handle` in a scenario without a `State`.
pub(crate) fn handle_without_state(handle: &Spanned<impl core::fmt::Debug>) -> Diagnostic {
    UG045
        .report(
            handle.span,
            format!(
                "`{:?}` is the handle of a controller in a `State`, and the scenario has no `State`",
                handle.value
            ),
        )
        .help("add the `State`, or describe a new controller instead of `Handle`")
}

/// `Handle` that the state does not contain; the help lists those that it does.
pub(crate) fn unknown_handle<H: core::fmt::Debug>(
    handle: &Spanned<H>,
    known: impl Iterator<Item = H>,
) -> Diagnostic {
    let mut known: Vec<String> = known.take(MOST_HANDLES + 1).map(|known| format!("`{known:?}`")).collect();
    let more = if known.len() > MOST_HANDLES { " and more" } else { "" };
    known.truncate(MOST_HANDLES);
    let help = match known.is_empty() {
        true => "it has no controllers".to_owned(),
        false => format!("it has {}{more}", known.join(", ")),
    };
    UG045.report(handle.span, format!("the state has no controller `{:?}`", handle.value)).help(help)
}

/// `Handle` that another controller name already has.
pub(crate) fn handle_used_twice(handle: &Spanned<impl core::fmt::Debug>, first: &str) -> Diagnostic {
    UG045
        .report(handle.span, format!("`{:?}` is called `{first}` already", handle.value))
        .help("give each controller one name")
}

/// Key beside `Handle` that describes a new controller.
pub(crate) fn handle_with_other_key(span: Span, key: &str) -> Diagnostic {
    UG045
        .report(
            span,
            format!("a controller of the state is restored as it is, so `{key}` has no effect on it"),
        )
        .help(format!("remove `{key}`, and change the controller by steps"))
}

/// UG046: state under other rules.
pub(crate) const UG046: CodeDoc = CodeDoc {
    code: "UG046",
    title: "state under other rules",
    severity: Severity::Warning,
    what: "The `State` of a scenario was taken under other rules than those of its `Pack` and `Definitions`, and not all of it can be kept under these. It is a note if all of it is kept.",
    why: "Effects and abilities that were removed or changed are lost, so the scenario does not begin with the recorded state.",
    example: "Pack: ../packs/arpg   # without GE_Poison, which the state has\nState: VUdTTg…",
    fix: "Remove `Pack` to run the state under its own rules, or accept the warning to try an old state under new rules.",
};

/// Most entries of a migration report that a message lists.
const MOST_ENTRIES: usize = 3;

/// Report on a state that was migrated to the rules of the scenario.
pub(crate) fn state_migrated(span: Span, report: &ReloadReport) -> Diagnostic {
    if report.is_lossless() {
        return UG046
            .report(span, "the state was taken under other rules than these, and all of it is kept")
            .severity(Severity::Note)
            .help("remove `Pack` and `Definitions` to run it under its own rules");
    }
    let listed: Vec<String> = report.entries.iter().take(MOST_ENTRIES).map(ToString::to_string).collect();
    let more = report.entries.len() - listed.len();
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    UG046
        .report(
            span,
            format!("the state was taken under other rules than these: {}{more}", listed.join("; ")),
        )
        .help("remove `Pack` and `Definitions` to run it under its own rules, or fix the pack")
}

/// UG146: expected number without a usable condition.
pub(crate) const UG146: CodeDoc = CodeDoc {
    code: "UG146",
    title: "expected number without a usable condition",
    severity: Severity::Error,
    what: "The conditions on an expected number are empty, have a `Tolerance` without `Near`, or an `AtLeast` above `AtMost`.",
    why: "The expectation would hold, or fail, for every number.",
    example: "Expect: { wolf: { Health: { Tolerance: 0.1 } } }",
    fix: "Give `AtLeast`, `AtMost` or `Near`; `AtLeast` must not be above `AtMost`.",
};

/// Mapping without a condition.
pub(crate) fn no_condition(span: Span) -> Diagnostic {
    UG146
        .report(span, "the expected number has no condition")
        .help("write the number itself, or give `AtLeast`, `AtMost` or `Near`")
}

/// `Tolerance` without `Near`.
pub(crate) fn tolerance_without_near(span: Span) -> Diagnostic {
    UG146
        .report(span, "`Tolerance` has no effect without `Near`")
        .help("add `Near` with the expected number, or remove `Tolerance`")
}

/// `AtLeast` above `AtMost`.
pub(crate) fn empty_range(span: Span, least: f64, most: f64) -> Diagnostic {
    UG146
        .report(span, format!("`AtLeast: {least}` is above `AtMost: {most}`, so no number satisfies both"))
        .help("swap the two numbers")
}

/// UG147: impossible spawn.
pub(crate) const UG147: CodeDoc = CodeDoc {
    code: "UG147",
    title: "impossible spawn",
    severity: Severity::Error,
    what: "A `Spawn` step uses the name of a controller that exists at that step, or has a `Handle`.",
    why: "Names of controllers are unique. A spawned controller is new, and a `Handle` identifies a controller that the `State` already has.",
    example: "Controllers: { wolf: {} }\nSteps:\n  - Spawn: { wolf: {} }",
    fix: "Use another name or despawn the controller first; remove `Handle`, or move the controller to `Controllers`.",
};

/// `Spawn` with the name of an existing controller.
pub(crate) fn spawned_name_in_use(name: &Spanned<String>) -> Diagnostic {
    UG147
        .report(name.span, format!("a controller named `{}` exists already when this step runs", name.value))
        .help("use another name, or add a `Despawn` step for it before this one")
}

/// `Handle` in a `Spawn` step.
pub(crate) fn handle_in_spawn(span: Span) -> Diagnostic {
    UG147
        .report(
            span,
            "a spawned controller is new, but a `Handle` identifies one that the `State` already has",
        )
        .help("remove `Handle`; to use the controller of the `State`, list it under `Controllers`")
}

/// UG153: target without a press.
pub(crate) const UG153: CodeDoc = CodeDoc {
    code: "UG153",
    title: "target without a press",
    severity: Severity::Error,
    what: "An `Input` step has a `Target` and presses nothing.",
    why: "Only a press activates abilities, which are aimed at the target.",
    example: "Input: { Controller: hero, Release: Fire, Target: wolf }",
    fix: "Add `Press`, or remove `Target`.",
};

/// `Target` of an `Input` step without `Press`.
pub(crate) fn target_without_press(span: Span) -> Diagnostic {
    UG153
        .report(span, "`Target` belongs to `Press`, which is missing")
        .help("add `Press`, or remove `Target`")
}
