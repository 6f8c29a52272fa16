//! UG046: state under other rules.

use ugas_core::reload::ReloadReport;

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG046",
    title: "state under other rules",
    severity: Severity::Warning,
    what: "The `State` of a scenario was taken under other rules than those of its `Pack` and `Definitions`, and not all of it can go on under these. It is a note if all of it does.",
    why: "What an effect or ability is that is gone or has changed is lost, so the scenario does not begin with what was there.",
    example: "Pack: ../packs/arpg   # without GE_Poison, which the state has\nState: VUdTTg…",
    mend: "Remove `Pack` to run the state under its own rules, or take it as it is: this is how an old moment is tried under new rules.",
};

/// Most entries that a message lists.
const MOST_LISTED: usize = 3;

/// What became of it.
pub(crate) fn brought_over(span: Span, report: &ReloadReport) -> Diagnostic {
    if report.is_lossless() {
        return DOC
            .report(span, "the state was taken under other rules than these, and all of it goes on")
            .severity(Severity::Note)
            .help("remove `Pack` and `Definitions` to run it under its own rules");
    }
    let listed: Vec<String> = report.entries.iter().take(MOST_LISTED).map(ToString::to_string).collect();
    let more = report.entries.len() - listed.len();
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    DOC.report(span, format!("the state was taken under other rules than these: {}{more}", listed.join("; ")))
        .help("remove `Pack` and `Definitions` to run it under its own rules, or mend the pack")
}
