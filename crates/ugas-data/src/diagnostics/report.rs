//! All diagnostics of a load, in order of file and position, with the files they are about.

use std::collections::BTreeSet;

use serde_json::json;

use super::{Diagnostic, Severity, Sink};
use crate::source::SourceMap;

/// Result of a check: the diagnostics with the files they refer to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Files that the spans refer to.
    pub source_map: SourceMap,
    /// Diagnostics in the order of file and position.
    pub diagnostics: Vec<Diagnostic>,
    errors: usize,
}

impl Report {
    /// Sorts the diagnostics of a sink, and drops duplicates and silenced codes. Errors are never silenced.
    /// Beyond the limit, the number of errors includes the dropped ones.
    pub(crate) fn new(source_map: SourceMap, sink: Sink, silenced: &BTreeSet<String>) -> Self {
        let errors = sink.errors();
        let mut diagnostics = sink.into_diagnostics();
        diagnostics.retain(|diagnostic| {
            diagnostic.severity == Severity::Error || !silenced.contains(diagnostic.code)
        });
        sort(&mut diagnostics);
        diagnostics.dedup();
        let kept = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        // More were reported than kept only if the limit was hit.
        let dropped = diagnostics.iter().any(|diagnostic| diagnostic.code == "UG099");
        Self { source_map, diagnostics, errors: if dropped { errors } else { kept } }
    }

    /// Adds diagnostics that a later step found in the same files, and sorts all of them. Silenced codes are
    /// dropped.
    pub(crate) fn add(&mut self, sink: Sink, silenced: &BTreeSet<String>) {
        let later = Self::new(SourceMap::new(), sink, silenced);
        if later.diagnostics.is_empty() {
            return;
        }
        self.errors += later.errors;
        self.diagnostics.extend(later.diagnostics);
        sort(&mut self.diagnostics);
    }

    /// Number of errors, those beyond the limit included.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Number of warnings, without notes and lints.
    pub fn warnings(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning).count()
    }

    /// Appends the report of another load; its files get the next file ids. Its diagnostics follow those of
    /// this report.
    pub fn append(&mut self, other: Self) {
        let mut ids = Vec::new();
        for (_, file) in other.source_map.files() {
            ids.push(self.source_map.add(file.path(), file.text()));
        }
        let own = other.source_map.files().map(|(id, _)| id).collect::<Vec<_>>();
        for mut diagnostic in other.diagnostics {
            if let Ok(at) = own.binary_search(&diagnostic.span.file) {
                diagnostic.span.file = ids[at];
            }
            self.diagnostics.push(diagnostic);
        }
        self.errors += other.errors;
    }

    /// The JSON document of `ugas check --format json`.
    pub fn to_json(&self) -> serde_json::Value {
        let diagnostics: Vec<_> = self
            .diagnostics
            .iter()
            .map(|diagnostic| {
                let position = self.source_map.position(diagnostic.span);
                let file = self.source_map.file(diagnostic.span.file);
                json!({
                    "code": diagnostic.code,
                    "severity": diagnostic.severity.name(),
                    "file": file.map(|file| file.path().to_string_lossy()).unwrap_or_default(),
                    "line": position.line,
                    "column": position.column,
                    "message": diagnostic.message,
                    "help": diagnostic.help,
                })
            })
            .collect();
        json!({ "errors": self.errors(), "warnings": self.warnings(), "diagnostics": diagnostics })
    }
}

/// Sorts by file and position, then by code and message.
fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(f, "{}", super::render_line(&self.source_map, diagnostic))?;
        }
        Ok(())
    }
}
