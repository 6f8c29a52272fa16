//! Corpus of broken files, one or more for each code. Each file lists exactly the codes and positions that
//! are expected.
//!
//! The first lines of a file are `# expect: CODE LINE:COLUMN`; of a JSON file, which has no comments, they
//! are in a `.expect` file beside it. Lints and notes count only where they are expected.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ugas_data::{Loader, Severity, diagnostics};

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "expect"));
    files.sort();
    files
}

fn expected(path: &Path, text: &str) -> BTreeSet<String> {
    let beside = std::fs::read_to_string(path.with_extension("expect")).unwrap_or_default();
    let lines = text.lines().map(|line| line.trim_start_matches("# ")).chain(beside.lines());
    lines.filter_map(|line| line.strip_prefix("expect: ")).map(str::to_owned).collect()
}

#[test]
fn every_broken_file_has_exactly_the_expected_diagnostics() {
    let mut failures = String::new();
    for path in corpus() {
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = expected(&path, &text);
        let report = Loader::new().path(&path).as_set().check();
        let found: BTreeSet<String> = report
            .diagnostics
            .iter()
            .map(|diagnostic| {
                let at = report.source_map.position(diagnostic.span);
                (diagnostic, format!("{} {}:{}", diagnostic.code, at.line, at.column))
            })
            .filter(|(diagnostic, text)| {
                matches!(diagnostic.severity, Severity::Error | Severity::Warning) || expected.contains(text)
            })
            .map(|(_, text)| text)
            .collect();
        if found != expected || expected.is_empty() {
            failures.push_str(&format!(
                "{}\n  expected {expected:?}\n  found    {found:?}\n{report}\n",
                path.display()
            ));
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_code_has_a_broken_file() {
    // Unreadable and undecodable files, native code and the limit of diagnostics are tested elsewhere.
    let elsewhere = ["UG001", "UG002", "UG098", "UG099"];
    let covered: BTreeSet<String> = corpus()
        .iter()
        .flat_map(|path| expected(path, &std::fs::read_to_string(path).unwrap()))
        .map(|line| line[..5].to_owned())
        .collect();
    for code in diagnostics::all() {
        let code = code.code;
        assert!(covered.contains(code) || elsewhere.contains(&code), "no broken file for {code}");
    }
}
