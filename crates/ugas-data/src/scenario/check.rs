//! Check of scenario files: loads their packs and resolves their names.
//!
//! Errors of a pack are reported by the check of the pack; here, only errors in the scenario's own file are
//! reported.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ugas_core::catalog::Catalog;

use super::Scenario;
use crate::check::{Index, check_scenario};
use crate::diagnostics::{self, Report, Severity, Sink, codes};
use crate::loader::Loader;
use crate::model::scenario::{ExpectLoadDoc, ScenarioDoc};
use crate::model::{Document, Model};
use crate::source::{FileId, Limits, SourceFile, SourceMap, Span};

/// Checks all scenarios among the documents of a load. Scenarios without definitions of their own are grouped
/// by pack, so that each pack is loaded once.
pub(crate) fn check(documents: &[Document], map: &SourceMap, limits: &Limits, sink: &mut Sink) {
    let checked_files = CheckedFiles { map, paths: OnceCell::new() };
    let mut without_definitions: BTreeMap<Option<PathBuf>, Vec<(FileId, &ScenarioDoc)>> = BTreeMap::new();
    for document in documents {
        let Model::Scenario(doc) = &document.model else { continue };
        let pack = match pack_of(map, document.file, doc) {
            Ok(pack) => pack,
            Err((span, path)) => {
                sink.push(codes::scenario::pack_not_found(span, &path));
                continue;
            }
        };
        if let Some(expected) = &doc.expect_load {
            expected_load(expected, doc, sink);
            if !expected.errors.is_empty() {
                continue;
            }
        }
        // The invalid state is already reported; without it, controllers and rules are unknown.
        if doc.has("State") && doc.state.is_none() {
            continue;
        }
        if doc.definitions.is_empty() && doc.state.is_none() {
            without_definitions.entry(pack).or_default().push((document.file, doc));
        } else {
            let scenario = Scenario {
                file: document.file,
                doc: (**doc).clone(),
                node: document.node.clone(),
                source_map: map.only(document.file),
            };
            match scenario.has_own_rules() {
                true => with_own_rules(&scenario, sink),
                false => with_definitions(&scenario, &checked_files, limits, sink),
            }
        }
    }
    for (pack, scenarios) in without_definitions {
        of_pack(pack.as_deref(), &scenarios, map, &checked_files, limits, sink);
    }
}

/// Checks `ExpectLoad`: the codes must exist, and there must be no steps that would never run.
fn expected_load(expected: &ExpectLoadDoc, doc: &ScenarioDoc, sink: &mut Sink) {
    let warnings = expected.warnings.iter().flat_map(|warnings| warnings.iter());
    for code in expected.errors.iter().chain(warnings) {
        if diagnostics::doc(&code.value).is_none() {
            sink.push(codes::pack::unknown_code(code));
        }
    }
    let first = doc.steps.iter().flat_map(|steps| steps.iter()).next();
    if let (false, Some(first)) = (expected.errors.is_empty(), first) {
        sink.push(codes::field::steps_that_never_run(first.span));
    }
}

/// Folder of the scenario's pack; the error is the position and text of a path that does not exist.
fn pack_of(map: &SourceMap, file: FileId, doc: &ScenarioDoc) -> Result<Option<PathBuf>, (Span, String)> {
    let Some(pack) = &doc.pack else { return Ok(None) };
    let folder = map.file(file).and_then(|file| file.path().parent()).unwrap_or(Path::new(""));
    let path = folder.join(&pack.0.value);
    // Canonical, so that a pack is loaded once for all its scenarios.
    path.canonicalize().map(Some).map_err(|_| (pack.0.span, pack.0.value.clone()))
}

/// Files that are checked along with the scenarios, by canonical path, so that their errors are not reported
/// twice. The paths are computed on first use.
struct CheckedFiles<'a> {
    map: &'a SourceMap,
    paths: OnceCell<BTreeSet<PathBuf>>,
}

impl CheckedFiles<'_> {
    /// Number of errors of a pack that are reported nowhere else. Errors in the scenario's own file are
    /// reported.
    fn unreported_errors(&self, report: &Report, scenario: Option<FileId>) -> usize {
        let mut errors: BTreeMap<FileId, usize> = BTreeMap::new();
        for found in &report.diagnostics {
            if found.severity == Severity::Error && Some(found.span.file) != scenario {
                *errors.entry(found.span.file).or_default() += 1;
            }
        }
        errors.iter().filter(|(file, _)| !self.has(report, **file)).map(|(_, count)| count).sum()
    }

    /// Whether a file of a report is among the checked files, by canonical path.
    fn has(&self, report: &Report, file: FileId) -> bool {
        let canonical = |file: &SourceFile| file.path().canonicalize().ok();
        let paths =
            self.paths.get_or_init(|| self.map.files().filter_map(|(_, file)| canonical(file)).collect());
        report.source_map.file(file).and_then(canonical).is_some_and(|path| paths.contains(&path))
    }
}

/// Checks scenarios that use a pack without their own definitions. The pack is loaded once; its errors are
/// counted at the `Pack` of each scenario, unless they are reported elsewhere.
fn of_pack(
    pack: Option<&Path>,
    scenarios: &[(FileId, &ScenarioDoc)],
    map: &SourceMap,
    checked_files: &CheckedFiles<'_>,
    limits: &Limits,
    sink: &mut Sink,
) {
    let loader = Loader::new().limits(*limits).as_set().without_scenarios();
    let loader = loader.allow_unknown_if(sink.allows_unknown());
    let loader = pack.map_or(Loader::new(), |pack| loader.path(pack));
    let (documents, report) = loader.examine();
    let index = Index::new(&report.source_map, &documents, &mut Sink::with_limit(0));
    let unreported = checked_files.unreported_errors(&report, None);
    for (_, doc) in scenarios {
        if unreported > 0
            && let Some(pack) = &doc.pack
        {
            sink.push(codes::scenario::pack_has_errors(pack.0.span, &pack.0.value, unreported));
        }
        check_scenario(map, doc, &index, sink);
    }
}

/// Checks a scenario that uses the rules of its state: its names against these rules, and the state itself.
fn with_own_rules(scenario: &Scenario, sink: &mut Sink) {
    match scenario.catalog() {
        Ok(catalog) => {
            check_scenario(&scenario.source_map, &scenario.doc, &Index::of_catalog(&catalog), sink);
            check_initial_state(scenario, catalog, sink);
        }
        Err(error) => error.report.diagnostics.into_iter().for_each(|wrong| sink.push(wrong)),
    }
}

/// Restores the initial state, and reports its errors, wrong handles, and a migration from other rules.
fn check_initial_state(scenario: &Scenario, catalog: Arc<Catalog>, sink: &mut Sink) {
    match scenario.begin(catalog, None) {
        Ok(initial) => initial.migration.into_iter().for_each(|found| sink.push(found)),
        Err(wrong) => wrong.into_iter().for_each(|wrong| sink.push(wrong)),
    }
}

/// Checks a scenario with its own definitions or state. Definitions are checked as part of its pack.
fn with_definitions(scenario: &Scenario, checked_files: &CheckedFiles<'_>, limits: &Limits, sink: &mut Sink) {
    let (documents, report) =
        scenario.loader().limits(*limits).allow_unknown_if(sink.allows_unknown()).examine();
    for diagnostic in &report.diagnostics {
        let is_serious = matches!(diagnostic.severity, Severity::Error | Severity::Warning);
        if is_serious && diagnostic.span.file == scenario.file {
            sink.push(diagnostic.clone());
        }
    }
    let unreported = checked_files.unreported_errors(&report, Some(scenario.file));
    if unreported > 0
        && let Some(pack) = &scenario.doc.pack
    {
        sink.push(codes::scenario::pack_has_errors(pack.0.span, &pack.0.value, unreported));
    }
    let index = Index::new(&report.source_map, &documents, &mut Sink::with_limit(0));
    check_scenario(&scenario.source_map, &scenario.doc, &index, sink);
    // The state cannot be restored under rules with errors.
    if scenario.doc.state.is_some()
        && let Ok(catalog) = scenario.catalog()
    {
        check_initial_state(scenario, catalog, sink);
    }
}
