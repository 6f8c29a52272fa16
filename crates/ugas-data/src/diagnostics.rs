//! What can be wrong with files: one module a code, each with its messages and its page.

pub(crate) mod codes;
mod render;
mod report;

pub use render::{Colour, render, render_all, render_line};
pub use report::Report;

use crate::source::{Span, Spanned};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The pack cannot be used.
    Error,
    /// Probably not what was meant.
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

/// One problem in one place.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// `UG001` and so on.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where it is.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Diagnostic {
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// The page of a code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeDoc {
    /// `UG001` and so on.
    pub code: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// How bad it is, unless the place makes it milder.
    pub severity: Severity,
    /// What it means.
    pub what: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// A text that has the problem.
    pub example: &'static str,
    /// How to mend it.
    pub mend: &'static str,
}

impl CodeDoc {
    fn report(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let (code, severity) = (self.code, self.severity);
        Diagnostic { code, severity, span, message: message.into(), help: String::new() }
    }

    fn unknown(&self, kind: &str, name: &Spanned<String>, nearest: Option<&str>) -> Diagnostic {
        let help = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => {
                self.mend.split(". ").next().unwrap_or_default().trim_end_matches('.').to_lowercase_first()
            }
        };
        self.report(name.span, format!("there is no {kind} `{}`", name.value)).help(help)
    }

    /// The page as Markdown.
    pub fn markdown(&self) -> String {
        let Self { code, title, what, why, example, mend, severity } = self;
        let severity = severity.name();
        format!(
            "## {code}: {title}\n\nSeverity: {severity}.\n\n{what}\n\n**Why.** {why}\n\n```yaml\n{example}\n```\n\n**Mend.** {mend}\n"
        )
    }
}

trait LowercaseFirst {
    fn to_lowercase_first(&self) -> String;
}

impl LowercaseFirst for str {
    fn to_lowercase_first(&self) -> String {
        let mut characters = self.chars();
        let first = characters.next().map(|first| first.to_ascii_lowercase());
        first.into_iter().chain(characters).collect()
    }
}

/// The pages of all codes, in order.
pub fn all() -> &'static [&'static CodeDoc] {
    codes::ALL
}

/// The page of one code.
pub fn doc(code: &str) -> Option<&'static CodeDoc> {
    codes::ALL.iter().copied().find(|doc| doc.code == code)
}

/// All pages as one Markdown document.
pub fn docs() -> String {
    let mut page = String::from(
        "# Diagnostics\n\nEvery code that `ugas check` reports, with what it means and how to mend it. Warnings, \
         notes and lints can be silenced with `Silence: [UG090]` in `pack.yaml`.\n\nThis page is made from the code: \
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

/// Collects diagnostics, up to a limit.
#[derive(Clone, Debug)]
pub struct Sink {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    kept_errors: usize,
    most: usize,
    allows_unknown: bool,
    /// Errors about unknown fields.
    unknown_fields: usize,
}

impl Default for Sink {
    fn default() -> Self {
        Self::with_limit(crate::source::Limits::default().diagnostics)
    }
}

impl Sink {
    /// A sink that keeps so many.
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

    /// Lowers unknown fields to warnings, or not.
    #[must_use]
    pub(crate) fn allow_unknown(mut self, allows: bool) -> Self {
        self.allows_unknown = allows;
        self
    }

    /// Whether unknown fields are only warnings.
    pub(crate) fn allows_unknown(&self) -> bool {
        self.allows_unknown
    }

    /// Adds a diagnostic. Beyond the limit it is counted and dropped, but for an error as long as something milder can
    /// be dropped instead: what makes a pack invalid must not drown in advice.
    pub fn push(&mut self, mut diagnostic: Diagnostic) {
        let is_unknown_field = diagnostic.code == codes::ug013::DOC.code;
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
            self.diagnostics.push(codes::ug099::truncated(diagnostic.span, self.most));
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

    /// How many errors there were, dropped ones included.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// How many errors keep something from being understood: all but unknown fields, beside which the rest stands.
    pub(crate) fn faults(&self) -> usize {
        self.errors - self.unknown_fields.min(self.errors)
    }

    /// True if nothing was reported.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Whether this was reported already.
    pub(crate) fn has(&self, code: &str, span: Span) -> bool {
        self.diagnostics.iter().any(|known| known.code == code && known.span == span)
    }

    /// Drops the diagnostics for which `keep` is false.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Diagnostic) -> bool) {
        let is_dropped_error = |found: &&Diagnostic| found.severity == Severity::Error && !keep(found);
        let dropped = self.diagnostics.iter().filter(is_dropped_error).count();
        let is_dropped_field =
            |found: &&Diagnostic| is_dropped_error(found) && found.code == codes::ug013::DOC.code;
        let dropped_fields = self.diagnostics.iter().filter(is_dropped_field).count();
        self.unknown_fields = self.unknown_fields.saturating_sub(dropped_fields);
        self.errors = self.errors.saturating_sub(dropped);
        self.kept_errors = self.kept_errors.saturating_sub(dropped);
        self.diagnostics.retain(keep);
    }

    /// Takes over what another sink collected.
    pub(crate) fn append(&mut self, other: Self) {
        self.errors += other.errors.saturating_sub(other.kept_errors);
        for diagnostic in other.diagnostics {
            self.push(diagnostic);
        }
    }

    /// What was collected.
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
            for text in [code.title, code.what, code.why, code.example, code.mend] {
                assert!(!text.is_empty(), "{}", code.code);
            }
            assert!(docs().contains(code.title));
        }
    }
}
