//! Diagnostics: problems found in files, each with a code, a severity, a position and help.
//!
//! The codes with their messages and pages are in `codes`, grouped by subject.

pub(crate) mod codes;
mod render;
mod report;

pub use render::{Colour, render, render_all, render_line};
pub use report::Report;

use crate::source::{Span, Spanned};

/// Severity of a diagnostic, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The pack cannot be used.
    Error,
    /// Probably not what the author intended.
    Warning,
    /// For information, such as a reference that a single file cannot resolve by itself.
    Note,
    /// Advice, which can be silenced.
    Lint,
}

impl Severity {
    /// The name used in output: `error`, `warning`, `note`, `lint`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Lint => "lint",
        }
    }
}

/// A problem at one position of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// Diagnostic code: `UG001` and so on.
    pub code: &'static str,
    /// Severity, which the scope of the check may have lowered.
    pub severity: Severity,
    /// Position in the file.
    pub span: Span,
    /// Description of the problem.
    pub message: String,
    /// Advice how to fix it; may be empty.
    pub help: String,
}

impl Diagnostic {
    /// Sets the advice how to fix the problem.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds the nearest known name as help, or other instructions if no name is near.
    fn suggest(self, nearest: Option<&str>, otherwise: impl Into<String>) -> Self {
        match nearest {
            Some(nearest) => self.help(format!("did you mean `{nearest}`?")),
            None => self.help(otherwise),
        }
    }

    /// Replaces the default severity of the code.
    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// Documentation page of a diagnostic code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeDoc {
    /// Diagnostic code: `UG001` and so on.
    pub code: &'static str,
    /// Short title.
    pub title: &'static str,
    /// Default severity; single diagnostics may be milder.
    pub severity: Severity,
    /// Meaning of the code.
    pub what: &'static str,
    /// Reason why it matters.
    pub why: &'static str,
    /// File text that has the problem.
    pub example: &'static str,
    /// Instructions how to fix it.
    pub fix: &'static str,
}

impl CodeDoc {
    /// Creates a diagnostic of this code with the default severity and without help.
    fn report(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let (code, severity) = (self.code, self.severity);
        Diagnostic { code, severity, span, message: message.into(), help: String::new() }
    }

    /// Creates a diagnostic about an unknown name. The help is the nearest known name, else the first
    /// sentence of the page's fix.
    fn unknown(&self, kind: &str, name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
        let fix = self.fix.split(". ").next().unwrap_or_default().trim_end_matches('.').to_lowercase_first();
        self.report(name.span, format!("there is no {kind} `{}`", name.value)).suggest(nearest, fix)
    }

    /// Renders the code's page as Markdown: title, severity, meaning, reason, example and fix.
    pub fn markdown(&self) -> String {
        let Self { code, title, what, why, example, fix, severity } = self;
        let severity = severity.name();
        format!(
            "## {code}: {title}\n\nSeverity: {severity}.\n\n{what}\n\n**Why.** {why}\n\n```yaml\n{example}\n```\n\n**Fix.** {fix}\n"
        )
    }
}

trait LowercaseFirst {
    /// Copy with a lowercase first letter, for a sentence in the middle of a message.
    fn to_lowercase_first(&self) -> String;
}

impl LowercaseFirst for str {
    /// The text with a small first letter, to continue a sentence with it. Only ASCII is changed.
    fn to_lowercase_first(&self) -> String {
        let mut characters = self.chars();
        let first = characters.next().map(|first| first.to_ascii_lowercase());
        first.into_iter().chain(characters).collect()
    }
}

/// Pages of all codes, in the order of the codes.
pub fn all() -> &'static [&'static CodeDoc] {
    codes::ALL
}

/// Page of a code; `None` if the code does not exist.
pub fn doc(code: &str) -> Option<&'static CodeDoc> {
    codes::ALL.iter().copied().find(|doc| doc.code == code)
}

/// All pages as one Markdown document with a table of contents: the file `docs/diagnostics.md`.
pub fn docs() -> String {
    let mut page = String::from(
        "# Diagnostics\n\nEvery code that `ugas check` reports, with what it means and how to fix it. Warnings, \
         notes and lints can be silenced with `Silence: [UG090]` in `pack.yaml`.\n\nThis page is generated from the code: \
         `UPDATE_EXPECT=1 cargo test -p ugas-data --test it rendering` writes it, and the test fails while it is out of date.\n\n| code | severity | about |\n|---|---|---|\n",
    );
    for doc in codes::ALL {
        let link = format!("{}: {}", doc.code, doc.title).to_lowercase();
        let link: String =
            link.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-')).collect::<String>();
        let link = link.replace(' ', "-");
        page.push_str(&format!("| [{}](#{link}) | {} | {} |\n", doc.code, doc.severity.name(), doc.title));
    }
    for doc in codes::ALL {
        page.push('\n');
        page.push_str(&doc.markdown());
    }
    page
}

/// Collector of diagnostics, up to a limit.
#[derive(Clone, Debug)]
pub struct Sink {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    kept_errors: usize,
    most: usize,
    allows_unknown: bool,
    /// Number of errors about unknown fields.
    unknown_fields: usize,
}

impl Default for Sink {
    fn default() -> Self {
        Self::with_limit(crate::source::Limits::default().diagnostics)
    }
}

impl Sink {
    /// Creates a sink that keeps at most `most` diagnostics.
    pub fn with_limit(most: u32) -> Self {
        Self {
            diagnostics: Vec::new(),
            errors: 0,
            kept_errors: 0,
            most: most as usize,
            allows_unknown: false,
            unknown_fields: 0,
        }
    }

    /// Sets whether unknown fields are only warnings.
    #[must_use]
    pub(crate) fn allow_unknown(mut self, allows: bool) -> Self {
        self.allows_unknown = allows;
        self
    }

    /// Whether unknown fields are only warnings.
    pub(crate) fn allows_unknown(&self) -> bool {
        self.allows_unknown
    }

    /// Adds a diagnostic. Beyond the limit it is counted and dropped. An error replaces a milder diagnostic
    /// instead, as long as there is one: errors that make a pack invalid must not drown in advice.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        let is_unknown_field = diagnostic.code == codes::field::UG013.code;
        if self.allows_unknown && is_unknown_field && diagnostic.severity == Severity::Error {
            diagnostic.severity = Severity::Warning;
            diagnostic.message.push_str("; it is ignored");
        }
        let is_error = diagnostic.severity == Severity::Error;
        self.errors += usize::from(is_error);
        self.unknown_fields += usize::from(is_error && is_unknown_field);
        if self.diagnostics.len() < self.most {
            self.kept_errors += usize::from(is_error);
            self.diagnostics.push(diagnostic);
            return;
        }
        if self.diagnostics.len() == self.most {
            self.diagnostics.push(codes::pack::too_many_diagnostics(diagnostic.span, self.most));
        }
        if !is_error || self.kept_errors >= self.most {
            return;
        }
        let kept = self.diagnostics.iter_mut().take(self.most).rev();
        if let Some(milder) = kept.into_iter().find(|kept| kept.severity != Severity::Error) {
            *milder = diagnostic;
            self.kept_errors += 1;
        }
    }

    /// Number of errors, dropped ones included.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Number of errors that prevent decoding: all but unknown fields, which leave the rest of a record
    /// intact.
    pub(crate) fn blocking_errors(&self) -> usize {
        self.errors - self.unknown_fields.min(self.errors)
    }

    /// True if nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Whether this code was already reported at this position.
    pub(crate) fn has(&self, code: &str, span: Span) -> bool {
        self.diagnostics.iter().any(|known| known.code == code && known.span == span)
    }

    /// Drops the diagnostics for which `keep` is false, and no longer counts the errors among them.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Diagnostic) -> bool) {
        let is_dropped_error = |found: &&Diagnostic| found.severity == Severity::Error && !keep(found);
        let dropped = self.diagnostics.iter().filter(is_dropped_error).count();
        let is_dropped_field =
            |found: &&Diagnostic| is_dropped_error(found) && found.code == codes::field::UG013.code;
        let dropped_fields = self.diagnostics.iter().filter(is_dropped_field).count();
        self.unknown_fields = self.unknown_fields.saturating_sub(dropped_fields);
        self.errors = self.errors.saturating_sub(dropped);
        self.kept_errors = self.kept_errors.saturating_sub(dropped);
        self.diagnostics.retain(keep);
    }

    /// Adds the diagnostics of another sink. Errors that the other sink dropped are counted, too.
    pub(crate) fn append(&mut self, other: Self) {
        self.errors += other.errors.saturating_sub(other.kept_errors);
        for diagnostic in other.diagnostics {
            self.push(diagnostic);
        }
    }

    /// Returns the collected diagnostics.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_and_documented() {
        for pair in codes::ALL.windows(2) {
            assert!(pair[0].code < pair[1].code);
        }
        for code in codes::ALL {
            assert!(code.code.len() == 5 && code.code.starts_with("UG"));
            for text in [code.title, code.what, code.why, code.example, code.fix] {
                assert!(!text.is_empty(), "{}", code.code);
            }
            assert!(docs().contains(code.title));
        }
    }
}
