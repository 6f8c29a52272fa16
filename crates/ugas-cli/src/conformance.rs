//! `ugas conformance`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use ugas_data::diagnostics::Sink;
use ugas_data::node::{self, Node};
use ugas_data::scenario::{Options, Outcome, Scenario};
use ugas_data::{Limits, SourceMap};

use crate::output::{self, Format};
use crate::{Status, run};

/// The files of the suite by name.
const SUITE: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/conformance.rs"));

/// The list of clauses.
const CLAUSES: &str = "clauses.yaml";

/// Runs the conformance suite, and reports the covered clauses of the specification
///
/// The suite consists of data files: the folder `conformance` of the sources, with a README for other
/// implementations. A clause is covered if a scenario that names it passes.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas conformance                      coverage by section, and clauses that are not covered yet
  ugas conformance --format json        for tools")]
pub(crate) struct Arguments {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

struct Clause {
    id: String,
    section: String,
    title: String,
    note: String,
}

/// Runs `ugas conformance`: the built-in suite, and which clauses its passed scenarios cover. Negative if a
/// scenario fails; uncovered clauses alone do not fail.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let mut outcomes = Vec::new();
    let progress = output::progress(SUITE.len().saturating_sub(1) as u64, "files");
    for (name, text) in SUITE.iter().filter(|(name, _)| *name != CLAUSES) {
        let file = PathBuf::from("conformance").join(name);
        match Scenario::from_text(&file, *text) {
            Ok(scenarios) => {
                outcomes.extend(scenarios.iter().map(|scenario| scenario.run(&Options::default())))
            }
            Err(error) => outcomes.push(Outcome::unreadable(file, &error)),
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    let clauses = clauses();
    let passed: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.passed()).collect();
    let shown: BTreeSet<&str> =
        passed.iter().flat_map(|outcome| outcome.clauses.iter().map(String::as_str)).collect();
    let covered = clauses.iter().filter(|clause| shown.contains(clause.id.as_str())).count();
    let uncovered: Vec<&Clause> =
        clauses.iter().filter(|clause| !shown.contains(clause.id.as_str())).collect();
    let failed = outcomes.len().saturating_sub(passed.len());
    match arguments.format {
        Format::Json => output::print_json(&json!({
            "passed": passed.len(),
            "failed": failed,
            "clauses": clauses.len(),
            "covered": covered,
            "uncovered": uncovered.iter().map(|clause| clause.id.as_str()).collect::<Vec<_>>(),
        }))?,
        Format::Text => {
            let mut text = run::failures(&outcomes);
            text.push_str(&coverage(&clauses, &shown));
            let _ = writeln!(text, "\nscenarios: {} passed, {failed} failed", passed.len());
            let _ = writeln!(text, "clauses:   {covered} of {} covered", clauses.len());
            output::print(&text)?;
        }
    }
    Ok(if failed == 0 { Status::Success } else { Status::Negative })
}

/// Coverage by section, with the clauses that are not covered.
fn coverage(clauses: &[Clause], shown: &BTreeSet<&str>) -> String {
    let mut sections: Vec<&str> = Vec::new();
    let mut by_section: BTreeMap<&str, Vec<&Clause>> = BTreeMap::new();
    for clause in clauses {
        let of_section = by_section.entry(&clause.section).or_default();
        if of_section.is_empty() {
            sections.push(&clause.section);
        }
        of_section.push(clause);
    }
    let mut text = String::new();
    for section in sections {
        let clauses = by_section.get(section).map(Vec::as_slice).unwrap_or_default();
        let is_shown = |clause: &&&Clause| shown.contains(clause.id.as_str());
        let covered = clauses.iter().filter(is_shown).count();
        let _ = writeln!(text, "{section:<10} {covered:>3} of {:>3}", clauses.len());
        for clause in clauses.iter().filter(|clause| !is_shown(clause)) {
            let note = if clause.note.is_empty() { String::new() } else { format!(" ({})", clause.note) };
            let _ = writeln!(text, "  not covered: {}: {}{note}", clause.id, clause.title);
        }
    }
    text
}

/// All clauses that the suite must cover, from its list.
fn clauses() -> Vec<Clause> {
    let text = SUITE.iter().find(|(name, _)| *name == CLAUSES).map_or("", |(_, text)| text);
    let mut map = SourceMap::new();
    let file = map.add(CLAUSES, text);
    let documents = node::parse(&map, file, &Limits::default(), &mut Sink::default());
    let items = documents.iter().filter_map(|document| document.get("Clauses")).flat_map(Node::items);
    let field = |item: &Node, key: &str| item.get(key).and_then(Node::text).unwrap_or_default().to_owned();
    items
        .map(|item| Clause {
            id: field(item, "Id"),
            section: field(item, "Section"),
            title: field(item, "Title"),
            note: field(item, "Note"),
        })
        .collect()
}
