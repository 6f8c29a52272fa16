//! Scenarios among the files that are checked: their packs are loaded, and their names resolved.
//!
//! What is wrong with a pack is told by the check of the pack; of a scenario only its own file is spoken of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Scenario;
use crate::check::{Index, check_scenario};
use crate::diagnostics::{Severity, Sink, codes};
use crate::loader::Loader;
use crate::model::scenario::ScenarioDoc;
use crate::model::{Document, Model};
use crate::source::{FileId, Limits, SourceMap, Span};

/// Checks all scenarios among the documents of a load.
pub(crate) fn check(documents: &[Document], map: &SourceMap, limits: &Limits, sink: &mut Sink) {
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
        let expects_errors = doc.expect_load.as_ref().is_some_and(|expected| !expected.errors.is_empty());
        if expects_errors {
            continue;
        }
        if doc.definitions.is_empty() {
            without_definitions.entry(pack).or_default().push((document.file, doc));
        } else {
            let scenario =
                Scenario { file: document.file, doc: (**doc).clone(), source_map: map.only(document.file) };
            with_definitions(&scenario, limits, sink);
        }
    }
    for (pack, scenarios) in without_definitions {
        of_pack(pack.as_deref(), &scenarios, map, limits, sink);
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

/// Scenarios that use a pack as it is.
fn of_pack(
    pack: Option<&Path>,
    scenarios: &[(FileId, &ScenarioDoc)],
    map: &SourceMap,
    limits: &Limits,
    sink: &mut Sink,
) {
    let loader = Loader::new().limits(*limits).as_set();
    let loader = pack.map_or(Loader::new(), |pack| loader.path(pack));
    let (documents, report) = loader.examine();
    let index = Index::new(&report.source_map, &documents, &mut Sink::with_limit(0));
    for (_, doc) in scenarios {
        if report.errors() > 0
            && let Some(pack) = &doc.pack
        {
            sink.push(codes::ug039::broken(pack.0.span, &pack.0.value, report.errors()));
        }
        check_scenario(map, doc, &index, sink);
    }
}

/// A scenario with definitions of its own, which are checked as part of its pack.
fn with_definitions(scenario: &Scenario, limits: &Limits, sink: &mut Sink) {
    let (documents, report) = scenario.loader().limits(*limits).examine();
    let mut elsewhere = 0;
    for diagnostic in &report.diagnostics {
        let is_serious = matches!(diagnostic.severity, Severity::Error | Severity::Warning);
        match diagnostic.span.file == scenario.file {
            true if is_serious => sink.push(diagnostic.clone()),
            false if diagnostic.severity == Severity::Error => elsewhere += 1,
            _ => {}
        }
    }
    if elsewhere > 0
        && let Some(pack) = &scenario.doc.pack
    {
        sink.push(codes::ug039::broken(pack.0.span, &pack.0.value, elsewhere));
    }
    let index = Index::new(&report.source_map, &documents, &mut Sink::with_limit(0));
    check_scenario(&scenario.source_map, &scenario.doc, &index, sink);
}
