//! UG044: state of a scenario.

use ugas_core::catalog::RebuildError;
use ugas_core::codec::{DecodeError, DecodeErrorKind};
use ugas_core::reload::ReloadError;

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG044",
    title: "state of a scenario",
    severity: Severity::Error,
    what: "The `State` of a scenario cannot be used: its text is not base64, its bytes are damaged or of a newer version, its file is not there, or there are no rules for it.",
    why: "The scenario has no beginning, so it cannot run.",
    example: "State: VUdTTg==",
    mend: "Export the moment again, or write the snapshot again, with its rules: `Snapshot::to_bytes_with_rules`. A state without rules needs the very `Pack` or `Definitions` that it was taken under.",
};

/// Longest reason, in characters: rules that somebody else wrote may have any number of mistakes.
const LONGEST: usize = 500;

fn short(reason: impl core::fmt::Display) -> String {
    let reason = reason.to_string();
    match reason.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &reason[..at]),
        None => reason,
    }
}

/// A text that does not stand for bytes.
pub(crate) fn not_base64(span: Span, what: impl core::fmt::Display) -> Diagnostic {
    DOC.report(span, format!("the state is not base64: {what}"))
        .help("copy the whole text again, as it was written")
}

/// A file that cannot be read.
pub(crate) fn no_file(span: Span, path: &str, what: impl core::fmt::Display) -> Diagnostic {
    DOC.report(span, format!("the state in `{path}` cannot be read: {what}"))
        .help("write a path relative to this file, of a file with the bytes of a snapshot")
}

/// More bytes than a file may have.
pub(crate) fn too_large(span: Span, path: &str, most: u64) -> Diagnostic {
    DOC.report(span, format!("the state in `{path}` has more than {most} bytes"))
        .help("a state of this size cannot begin a scenario")
}

/// Bytes that are no state here.
pub(crate) fn unreadable(span: Span, error: &DecodeError) -> Diagnostic {
    match &error.kind {
        DecodeErrorKind::ForeignCatalog { .. } => DOC
            .report(span, "the state was taken under other rules than these, and brings none along")
            .help("name the pack that it was taken under, or write it with its rules"),
        DecodeErrorKind::UnknownVersion { .. } => DOC
            .report(span, format!("the state cannot be read: {}", error.kind))
            .help("update, or export the moment again with this version"),
        _ => DOC
            .report(span, format!("the state cannot be read: {}", short(error)))
            .help("export the moment again, or copy the whole text as it was written"),
    }
}

/// Nothing says what its parts mean.
pub(crate) fn no_rules(span: Span) -> Diagnostic {
    DOC.report(span, "the state brings no rules along, and the scenario names none")
        .help("add the `Pack` that it was taken under, or write it with its rules")
}

/// Its own rules cannot be built.
pub(crate) fn unusable_rules(span: Span, error: &RebuildError) -> Diagnostic {
    let help = match error {
        RebuildError::MissingNatives(_) => {
            "run it in the game that has this code, or add the `Pack` to go on without it"
        }
        _ => "export the moment again, or add the `Pack` that it was taken under",
    };
    DOC.report(span, format!("the rules of the state cannot be used: {}", short(error))).help(help)
}

/// It cannot be brought to the rules of the scenario.
pub(crate) fn cannot_go_on(span: Span, error: &ReloadError) -> Diagnostic {
    DOC.report(span, format!("the state cannot go on under the rules of the scenario: {error}"))
        .help("remove `Pack` and `Definitions` to run it under its own rules, or mend the pack")
}

/// Whatever else is in the way.
pub(crate) fn unusable(span: Span, error: &dyn core::error::Error) -> Diagnostic {
    DOC.report(span, format!("the state cannot be used: {}", short(error))).help("export the moment again")
}
