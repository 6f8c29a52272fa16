//! UG013: unknown field.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Spanned;
use ugas_core::nearest::nearest;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG013",
    title: "unknown field",
    severity: Severity::Error,
    what: "The record, or the task, has no field of this name. Keys that begin with `x-`, everything below `Metadata` and the parameters of host tasks are free. `check --allow-unknown` lowers it to a warning.",
    why: "Nothing reads the field, so its intention would not be carried out.",
    example: "DurationPolcy: Instant",
    mend: "Correct the name, remove the field, or let it begin with `x-` if it belongs to another tool.",
};

/// A field that nothing reads.
pub(crate) fn unknown_field(key: &Spanned<String>, record: &str, known: &[&str]) -> Diagnostic {
    let article = if record.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let diagnostic = DOC.report(key.span, format!("{article} {record} has no field `{}`", key.value));
    match nearest(&key.value, known.iter().copied()) {
        Some(name) => diagnostic.help(format!("did you mean `{name}`?")),
        None if key.value == "<<" => diagnostic.help("JSON has no merge keys; write the fields out"),
        None if known.len() <= 24 => diagnostic.help(format!("its fields are {}", known.join(", "))),
        None => diagnostic.help("remove it, or see `ugas schema` for the fields that there are; keys of other tools begin with `x-`"),
    }
}
