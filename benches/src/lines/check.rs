//! `ugas check` against the bare parser.

use std::hint::black_box;

use saphyr_parser::Parser;
use ugas::data::{Loader, Severity};

use super::files::generate;
use crate::line::{Goal, Line};
use crate::measure::{Effort, compare, subject};

const FILES: usize = 100;
const DOCUMENTS: usize = 10_000;

/// 10,000 documents, checked and merely parsed.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let files = generate(FILES, (0..DOCUMENTS).map(|at| (at, at % 10, at / 10)));
    let bytes: usize = files.iter().map(String::len).sum();
    let report = check(&files);
    assert_eq!(report.errors(), 0, "{report}");
    let warnings = report.diagnostics.iter().filter(|found| found.severity == Severity::Warning).count();
    assert_eq!(warnings, 0, "{report}");
    let ours = subject(|| {
        black_box(check(&files));
    });
    let floor = subject(|| {
        for text in &files {
            for event in Parser::new_from_str(text) {
                black_box(event.expect("the documents are well-formed"));
            }
        }
    });
    let [ours, floor] = compare(effort, [ours, floor]);
    vec![Line::new("check", ours, Goal::Floor(4.0)).floor(floor.median).note(format!(
        "{DOCUMENTS} documents, {:.1} MB, parsed, decoded, checked; floor: the parser's events, thrown away",
        bytes as f64 / 1e6
    ))]
}

fn check(files: &[String]) -> ugas::data::Report {
    let loader = files
        .iter()
        .enumerate()
        .fold(Loader::new(), |loader, (at, text)| loader.text(format!("{at}.yaml"), text.as_str()));
    loader.as_set().check()
}
