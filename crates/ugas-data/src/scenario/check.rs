//! Scenarios among the files that are checked: their packs are loaded, and their names resolved.
//!
//! What is wrong with a pack is told by the check of the pack; of a scenario only its own file is spoken of.

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

/// Checks all scenarios among the documents of a load.
pub(crate) fn check(documents: &[Document], map: &SourceMap, limits: &Limits, sink: &mut Sink) {
    let told = Told { map, paths: OnceCell::new() };
    let mut without_definitions: BTreeMap<Option<PathBuf>, Vec<(FileId, &ScenarioDoc)>> = BTreeMap::new();
    for document in documents {
        let Model::Scenario(doc) = &document.model else { continue };
        let pack = match pack_of(map, document.file, doc) {
            Ok(pack) => pack,
            Err((span, path)) => {
                sink.push(codes::ug039::not_there(span, &path));
                continue;
            }
        };
        if let Some(expected) = &doc.expect_load {
            expected_load(expected, doc, sink);
            if !expected.errors.is_empty() {
                continue;
            }
        }
        // That its state is none was told, and who would be in it, and under which rules, nobody knows.
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
                false => with_definitions(&scenario, &told, limits, sink),
            }
        }
    }
    for (pack, scenarios) in without_definitions {
        of_pack(pack.as_deref(), &scenarios, map, &told, limits, sink);
    }
}

/// What is expected of the load: codes that exist, and no steps that would never run.
fn expected_load(expected: &ExpectLoadDoc, doc: &ScenarioDoc, sink: &mut Sink) {
    let warnings = expected.warnings.iter().flat_map(|warnings| warnings.iter());
    for code in expected.errors.iter().chain(warnings) {
        if diagnostics::doc(&code.value).is_none() {
            sink.push(codes::ug079::unknown_code(code));
        }
    }
    let first = doc.steps.iter().flat_map(|steps| steps.iter()).next();
    if let (false, Some(first)) = (expected.errors.is_empty(), first) {
        sink.push(codes::ug017::steps_that_never_run(first.span));
    }
}

/// The folder of its pack; what leads nowhere is an error.
fn pack_of(map: &SourceMap, file: FileId, doc: &ScenarioDoc) -> Result<Option<PathBuf>, (Span, String)> {
    let Some(pack) = &doc.pack else { return Ok(None) };
    let folder = map.file(file).and_then(|file| file.path().parent()).unwrap_or(Path::new(""));
    let path = folder.join(&pack.0.value);
    // One spelling of each path, so that a pack is read once for all its scenarios.
    path.canonicalize().map(Some).map_err(|_| (pack.0.span, pack.0.value.clone()))
}

/// The files that are checked along with the scenarios, whatever way led to them. What is wrong with them is told
/// anyway; they are looked up only if something is.
struct Told<'a> {
    map: &'a SourceMap,
    paths: OnceCell<BTreeSet<PathBuf>>,
}

impl Told<'_> {
    /// How many errors of a pack are told nowhere else; those in the scenario's own file are.
    fn untold(&self, report: &Report, scenario: Option<FileId>) -> usize {
        let mut errors: BTreeMap<FileId, usize> = BTreeMap::new();
        for found in &report.diagnostics {
            if found.severity == Severity::Error && Some(found.span.file) != scenario {
                *errors.entry(found.span.file).or_default() += 1;
            }
        }
        errors.iter().filter(|(file, _)| !self.has(report, **file)).map(|(_, count)| count).sum()
    }

    fn has(&self, report: &Report, file: FileId) -> bool {
        let canonical = |file: &SourceFile| file.path().canonicalize().ok();
        let paths =
            self.paths.get_or_init(|| self.map.files().filter_map(|(_, file)| canonical(file)).collect());
        report.source_map.file(file).and_then(canonical).is_some_and(|path| paths.contains(&path))
    }
}

/// Scenarios that use a pack as it is.
fn of_pack(
    pack: Option<&Path>,
    scenarios: &[(FileId, &ScenarioDoc)],
    map: &SourceMap,
    told: &Told<'_>,
    limits: &Limits,
    sink: &mut Sink,
) {
    let loader = Loader::new().limits(*limits).as_set().without_scenarios();
    let loader = loader.allow_unknown_if(sink.allows_unknown());
    let loader = pack.map_or(Loader::new(), |pack| loader.path(pack));
    let (documents, report) = loader.examine();
    let index = Index::new(&report.source_map, &documents, &mut Sink::with_limit(0));
    let untold = told.untold(&report, None);
    for (_, doc) in scenarios {
        if untold > 0
            && let Some(pack) = &doc.pack
        {
            sink.push(codes::ug039::broken(pack.0.span, &pack.0.value, untold));
        }
        check_scenario(map, doc, &index, sink);
    }
}

/// A scenario whose rules are those of its state.
fn with_own_rules(scenario: &Scenario, sink: &mut Sink) {
    match scenario.catalog() {
        Ok(catalog) => {
            check_scenario(&scenario.source_map, &scenario.doc, &Index::of_catalog(&catalog), sink);
            beginning(scenario, catalog, sink);
        }
        Err(error) => error.report.diagnostics.into_iter().for_each(|wrong| sink.push(wrong)),
    }
}

/// What is wrong with the state that a scenario begins with, and with what it says of it.
fn beginning(scenario: &Scenario, catalog: Arc<Catalog>, sink: &mut Sink) {
    match scenario.begin(catalog, None) {
        Ok(beginning) => beginning.brought_over.into_iter().for_each(|found| sink.push(found)),
        Err(wrong) => wrong.into_iter().for_each(|wrong| sink.push(wrong)),
    }
}

/// A scenario with definitions or a state of its own. Definitions are checked as part of its pack.
fn with_definitions(scenario: &Scenario, told: &Told<'_>, limits: &Limits, sink: &mut Sink) {
    let (documents, report) =
        scenario.loader().limits(*limits).allow_unknown_if(sink.allows_unknown()).examine();
    for diagnostic in &report.diagnostics {
        let is_serious = matches!(diagnostic.severity, Severity::Error | Severity::Warning);
        if is_serious && diagnostic.span.file == scenario.file {
            sink.push(diagnostic.clone());
        }
    }
    let untold = told.untold(&report, Some(scenario.file));
    if untold > 0
        && let Some(pack) = &scenario.doc.pack
    {
        sink.push(codes::ug039::broken(pack.0.span, &pack.0.value, untold));
    }
    let index = Index::new(&report.source_map, &documents, &mut Sink::with_limit(0));
    check_scenario(&scenario.source_map, &scenario.doc, &index, sink);
    // Under rules with errors nothing begins.
    if scenario.doc.state.is_some()
        && let Ok(catalog) = scenario.catalog()
    {
        beginning(scenario, catalog, sink);
    }
}
