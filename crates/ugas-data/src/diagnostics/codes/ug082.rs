//! UG082: input that cannot work.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG082",
    title: "input that cannot work",
    severity: Severity::Error,
    what: "A binding has no inputs, uses one twice, has more inputs than its action has axes, or says what another one says; or the parameters of an input modifier make no sense.",
    why: "The player's control would do nothing, or something else than it seems to.",
    example: "Bindings: [ { Action: IA_Jump, Inputs: [ { Device: Keyboard, Input: Space }, { Device: Keyboard, Input: Space } ] } ]",
    mend: "Correct what the message names.",
};

/// What the core says of it.
pub(crate) fn wrong(span: Span, message: &str) -> Diagnostic {
    let (what, help) = message.split_once(": ").unwrap_or((message, "see the chapter on input devices"));
    DOC.report(span, what).help(help)
}
