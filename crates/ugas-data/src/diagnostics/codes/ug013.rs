//! UG013: unknown field.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;
use ugas_core::nearest::nearest;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG013",
    title: "unknown field",
    severity: Severity::Warning,
    what: "The record has no field of this name.",
    why: "It is ignored, so what was meant by it does not happen. It is only a warning because the official schemas allow fields of other tools.",
    example: "DurationPolcy: Instant",
    mend: "Correct the name, or remove the field.",
};

/// A field that nobody reads.
pub(crate) fn unknown_field(key: &Spanned<String>, record: &str, known: &[&str]) -> Diagnostic {
    let found = unknown(key, record, known);
    let message = format!("{}; it is ignored", found.message);
    Diagnostic { message, ..found }
}

/// A field that would be ignored where nothing may be.
pub(crate) fn refused_field(key: &Spanned<String>, record: &str, known: &[&str]) -> Diagnostic {
    unknown(key, record, known).severity(Severity::Error)
}

fn unknown(key: &Spanned<String>, record: &str, known: &[&str]) -> Diagnostic {
    let article = if record.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let diagnostic = DOC.report(key.span, format!("{article} {record} has no field `{}`", key.value));
    match nearest(&key.value, known.iter().copied()) {
        Some(name) => diagnostic.help(format!("did you mean `{name}`?")),
        None if key.value == "<<" => {
            diagnostic.help("merge keys are not part of YAML 1.2; write the fields out")
        }
        None if known.len() <= 24 => diagnostic.help(format!("its fields are {}", known.join(", "))),
        None => diagnostic.help("remove it, or see `ugas schema` for the fields there are"),
    }
}
