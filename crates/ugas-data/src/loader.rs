//! Loader: sources, trees, documents, checks and catalog, in this order.

mod pack;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::tag::check_tag_name;
use ugas_core::targeting::{Candidate, TargetQuery};
use ugas_core::task::CustomTask;

pub use pack::{LoadError, Pack};

use crate::check::{self, Index, Scope, Unresolved};
use crate::diagnostics::{Report, Sink, codes};
use crate::lower;
use crate::model::{Document, Outline, inherit, is_scenario, outline};
use crate::node::{self, Node};
use crate::scenario::check as scenario_check;
use crate::source::{FileId, Found, Limits, SourceMap, Span, find_files};

/// Loads a folder or a file.
///
/// # Errors
/// All diagnostics, if one of them is an error.
pub fn load(path: impl AsRef<Path>) -> Result<Pack, LoadError> {
    Loader::new().path(path).load()
}

/// Checks folders and files, each by itself. A folder that holds several packs (folders with a `pack.yaml` of
/// their own) is checked pack by pack.
pub fn check<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Report {
    let mut report = Report::default();
    for path in paths {
        for loader in Loader::packs_in(path.as_ref(), &Limits::default()) {
            report.append(loader.check());
        }
    }
    report
}

enum Source {
    Path(PathBuf),
    Text(PathBuf, String),
    Inline(FileId, Node),
}

/// Function that adds the host's native code to a builder.
type Natives = Box<dyn FnOnce(CatalogBuilder) -> CatalogBuilder>;

/// Builder of a load: sources, limits and native code.
#[derive(Default)]
pub struct Loader {
    sources: Vec<Source>,
    source_map: SourceMap,
    limits: Limits,
    silenced: BTreeSet<String>,
    natives: Vec<Natives>,
    scope: Option<Scope>,
    mentioned_tags: Vec<String>,
    /// Parameters that grants outside of the sources add, as pairs of ability and name (A18).
    granted_parameters: BTreeSet<(String, String)>,
    custom_tasks: BTreeSet<String>,
    target_filters: BTreeSet<String>,
    omits_scenarios: bool,
    allows_unknown: bool,
}

impl Loader {
    /// Creates a loader without sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or a folder with all files in and below it.
    #[must_use]
    pub fn path(mut self, path: impl AsRef<Path>) -> Self {
        self.sources.push(Source::Path(path.as_ref().to_owned()));
        self
    }

    /// Adds a text as if it were a file of this name; a name that ends in `.json` makes it JSON.
    #[must_use]
    pub fn text(mut self, name: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        self.sources.push(Source::Text(name.into(), text.into()));
        self
    }

    /// Sets the files that were read elsewhere, so that [`inline`](Self::inline) documents keep their
    /// positions.
    #[must_use]
    pub fn source_map(mut self, map: SourceMap) -> Self {
        self.source_map = map;
        self
    }

    /// Adds a document that is part of a file of [`source_map`](Self::source_map).
    #[must_use]
    pub fn inline(mut self, file: FileId, node: Node) -> Self {
        self.sources.push(Source::Inline(file, node));
        self
    }

    /// Sets the limits on file size, depth and diagnostics, which protect from hostile files.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Suppresses warnings, notes and lints with this code.
    #[must_use]
    pub fn silence(mut self, code: impl Into<String>) -> Self {
        self.silenced.insert(code.into());
        self
    }

    /// Adds native calculations, hooks and the like to the catalog before it is built.
    #[must_use]
    pub fn natives(mut self, add: impl FnOnce(CatalogBuilder) -> CatalogBuilder + 'static) -> Self {
        self.natives.push(Box::new(add));
        self
    }

    /// Adds a task written in Rust (§10.4), which abilities use by this name. It wins over a host task of the
    /// same name.
    #[must_use]
    pub fn custom_task(mut self, name: impl Into<String>, task: impl CustomTask + 'static) -> Self {
        let name = name.into();
        self.custom_tasks.insert(name.clone());
        self.natives(move |builder| builder.custom_task(name, task))
    }

    /// Adds a target filter written in Rust, which targeting uses by this name (`CustomFilter`).
    #[must_use]
    pub fn target_filter(
        mut self,
        name: impl Into<String>,
        filter: impl Fn(&Candidate<'_>, &TargetQuery<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.target_filters.insert(name.clone());
        self.natives(move |builder| builder.target_filter(name, filter))
    }

    /// Adds tags that code outside of the pack uses. It has no effect on a pack with a tag registry, which
    /// then decides which tags exist (T1).
    #[must_use]
    pub fn mention_tags(mut self, tags: impl IntoIterator<Item = String>) -> Self {
        self.mentioned_tags.extend(tags.into_iter().filter(|tag| check_tag_name(tag).is_ok()));
        self
    }

    /// Requires every reference to resolve, also for a single file.
    #[must_use]
    pub fn as_set(mut self) -> Self {
        self.scope = Some(Scope::Set);
        self
    }

    /// Lowers unresolved references to notes, as for a single file.
    #[must_use]
    pub fn as_single_file(mut self) -> Self {
        self.scope = Some(Scope::SingleFile);
        self
    }

    /// Lowers unknown fields to warnings, for files that other tools extend.
    #[must_use]
    pub fn allow_unknown(mut self) -> Self {
        self.allows_unknown = true;
        self
    }

    /// Sets whether unknown fields are warnings instead of errors, so that a scenario's pack is checked as
    /// the scenario is.
    #[must_use]
    pub(crate) fn allow_unknown_if(mut self, allows: bool) -> Self {
        self.allows_unknown = allows;
        self
    }

    /// Adds parameters that the grants of a scenario provide, as pairs of ability and name (A18).
    #[must_use]
    pub(crate) fn granted_parameters<'a>(
        mut self,
        granted: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let owned = granted.into_iter().map(|(ability, name)| (ability.to_owned(), name.to_owned()));
        self.granted_parameters.extend(owned);
        self
    }

    /// Skips the scenarios of a pack, because they are not part of the rules that another scenario runs
    /// under.
    #[must_use]
    pub(crate) fn without_scenarios(mut self) -> Self {
        self.omits_scenarios = true;
        self
    }

    /// Loaders for the packs at a path: one for a file or a pack, several for a folder of packs. Files of
    /// such a folder that are in no pack get one more loader of their own. A folder is a pack if it has a
    /// file named `pack`.
    pub fn packs_in(path: &Path, limits: &Limits) -> Vec<Self> {
        let found = if path.is_dir() { find_files(path, limits) } else { Vec::new() };
        let mut roots = BTreeSet::new();
        for file in &found {
            if let Found::File(file, _) = file
                && file.file_stem().is_some_and(|stem| stem == "pack")
                && let Some(root) = file.parent()
            {
                roots.insert(root.to_owned());
            }
        }
        if roots.len() < 2 || roots.contains(path) {
            return vec![Self::new().path(path).limits(*limits)];
        }
        let mut loaders: Vec<(PathBuf, Self)> =
            roots.iter().map(|root| (root.clone(), Self::new().path(root).limits(*limits))).collect();
        let mut rest = Self::new().limits(*limits).as_set();
        for file in found {
            if let Found::File(file, _) = file
                && !roots.iter().any(|root| file.starts_with(root))
            {
                rest = rest.path(file);
            }
        }
        if !rest.sources.is_empty() {
            loaders.push((path.to_owned(), rest));
        }
        loaders.into_iter().map(|(_, loader)| loader).collect()
    }

    /// Loads all sources.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn load(self) -> Result<Pack, LoadError> {
        let (catalog, documents, report) = self.run();
        match catalog {
            Some(catalog) if report.errors() == 0 => {
                let Report { source_map, diagnostics, .. } = report;
                Ok(Pack { catalog, documents, diagnostics, source_map })
            }
            _ => Err(LoadError { report }),
        }
    }

    /// Checks all sources, scenarios with their packs included, and returns the report.
    pub fn check(mut self) -> Report {
        let (limits, mut silenced) = (self.limits, std::mem::take(&mut self.silenced));
        let allows_unknown = self.allows_unknown;
        let (_, documents, mut report) = Self { silenced: silenced.clone(), ..self }.run();
        let mut sink = Sink::with_limit(limits.diagnostics).allow_unknown(allows_unknown);
        scenario_check::check(&documents, &report.source_map, &limits, &mut sink);
        silenced.extend(Index::silenced_by(&documents));
        report.add(sink, &silenced);
        report
    }

    /// Documents with their diagnostics, without the check of scenarios.
    pub(crate) fn examine(self) -> (Vec<Document>, Report) {
        let (_, documents, report) = self.run();
        (documents, report)
    }

    /// Runs all stages: reads the sources, indexes and checks the documents, builds the catalog, and collects
    /// the report. The catalog is `None` if it could not be built; otherwise the report may still have
    /// errors.
    fn run(mut self) -> (Option<Arc<Catalog>>, Vec<Document>, Report) {
        let mut sink = Sink::with_limit(self.limits.diagnostics).allow_unknown(self.allows_unknown);
        let scope = self.scope.unwrap_or_else(|| self.natural_scope());
        let documents = self.documents(scope, &mut sink);
        let map = &self.source_map;
        let mut index = Index::new(map, &documents, &mut sink);
        index.custom_tasks = self.custom_tasks.iter().map(String::as_str).collect();
        let granted = self.granted_parameters.iter();
        index.granted_parameters.extend(granted.map(|(ability, name)| (ability.as_str(), name.as_str())));
        index.target_filters = check::target_filters(&documents, &self.target_filters, &mut sink);
        let unresolved = match (check::check(map, &documents, &index, scope, &mut sink), scope) {
            (unresolved, Scope::SingleFile) => unresolved,
            (_, Scope::Set) => Unresolved::default(),
        };
        lower::input::check(&documents, &mut sink);
        let mut builder = lower::lower(&documents, &index, &unresolved);
        let has_natives = !self.natives.is_empty();
        for add in self.natives {
            builder = add(builder);
        }
        if index.tags.is_none() && !self.mentioned_tags.is_empty() {
            // Without a registry, tags are collected from use, so these need a user.
            let tags = std::mem::take(&mut self.mentioned_tags);
            builder = builder.template(ControllerDef { tags, ..ControllerDef::new("<mentioned tags>") });
        }
        let catalog = build(map, &documents, builder, &index, scope, &mut sink);
        let missing = match &catalog {
            Some(catalog) => Some(catalog.missing()),
            // Only a built catalog knows the calculations of native code.
            None if has_natives => Some(Vec::new()),
            None => None,
        };
        check::report_missing(map, &documents, &index, missing, scope, &mut sink);
        self.silenced.extend(std::mem::take(&mut index.silenced));
        (catalog, documents, Report::new(self.source_map, sink, &self.silenced))
    }

    /// Scope without an explicit choice: a single file may leave references unresolved, anything else is a
    /// set.
    fn natural_scope(&self) -> Scope {
        match self.sources.as_slice() {
            [Source::Path(path)] if !path.is_dir() => Scope::SingleFile,
            _ => Scope::Set,
        }
    }

    /// Reads and parses all sources, applies inheritance, and decodes the documents. Takes the sources out of
    /// the loader; files are added to the source map.
    fn documents(&mut self, scope: Scope, sink: &mut Sink) -> Vec<Document> {
        let (mut documents, mut values) = (Vec::new(), 0);
        let (map, limits) = (&mut self.source_map, &self.limits);
        let omit: Omit = if self.omits_scenarios { is_scenario } else { |_, _, _| false };
        let sources: Vec<(Source, Vec<Found>)> = std::mem::take(&mut self.sources)
            .into_iter()
            .map(|source| {
                let found = match &source {
                    Source::Path(path) if path.is_dir() => find_files(path, limits),
                    _ => Vec::new(),
                };
                (source, found)
            })
            .collect();
        // Before anything is read: parsing takes time and memory by the byte.
        let bytes = sources.iter().map(|(source, found)| bytes_of(source, found, limits)).sum::<u64>();
        if bytes > limits.pack_bytes {
            let path = sources.iter().find_map(|(source, _)| match source {
                Source::Path(path) | Source::Text(path, _) => Some(path.clone()),
                Source::Inline(..) => None,
            });
            let file = map.add(path.unwrap_or_default(), "");
            sink.push(codes::pack::pack_too_long(file, limits.pack_bytes));
            return Vec::new();
        }
        for (source, found) in sources {
            match source {
                Source::Path(path) if path.is_dir() => {
                    for found in found {
                        match found {
                            Found::File(path, _) => {
                                read(map, &path, limits, omit, &mut values, &mut documents, sink)
                            }
                            Found::Unreadable(path, error) => {
                                let file = map.add(path, "");
                                sink.push(codes::pack::unreadable_file(file, &error));
                            }
                            Found::Loop(path) => sink.push(codes::pack::folder_loop(map.add(path, ""))),
                            Found::TooDeep(path) => {
                                sink.push(codes::pack::folder_too_deep(map.add(path, "")));
                            }
                            // Refused before.
                            Found::TooLong => {}
                            Found::TooMany => {
                                sink.push(codes::pack::too_many_files(map.add(&path, ""), limits.files));
                            }
                        }
                    }
                }
                Source::Path(path) => read(map, &path, limits, omit, &mut values, &mut documents, sink),
                Source::Text(path, text) => {
                    if text.len() as u64 > limits.file_bytes {
                        let file = map.add(path, "");
                        sink.push(codes::pack::file_too_large(file, limits.file_bytes));
                        continue;
                    }
                    let file = map.add(path, text);
                    parse(map, file, limits, omit, &mut values, &mut documents, sink);
                }
                Source::Inline(file, node) => documents.extend(outline(map, file, node, sink)),
            }
        }
        inherit::resolve(&self.source_map, documents, scope, &self.limits, values, sink)
    }
}

/// Bytes of the files of a source that would be read. Files beyond the limit of one file are not.
fn bytes_of(source: &Source, found: &[Found], limits: &Limits) -> u64 {
    let of_file = |path: &Path| {
        let bytes = path.metadata().map_or(0, |found| found.len());
        if bytes > limits.file_bytes { 0 } else { bytes }
    };
    let of_found = |found: &Found| match found {
        Found::File(_, bytes) if *bytes <= limits.file_bytes => *bytes,
        _ => 0,
    };
    match source {
        Source::Path(path) if path.is_dir() => found.iter().map(of_found).sum(),
        Source::Path(path) => of_file(path),
        Source::Text(_, text) if text.len() as u64 > limits.file_bytes => 0,
        Source::Text(_, text) => text.len() as u64,
        Source::Inline(..) => 0,
    }
}

/// Predicate for documents to skip.
type Omit = fn(&SourceMap, FileId, &Node) -> bool;

/// Reads and parses a file. Problems are reported. Nothing is read once the pack exceeds its limit of values.
fn read(
    map: &mut SourceMap,
    path: &Path,
    limits: &Limits,
    omit: Omit,
    values: &mut u64,
    documents: &mut Vec<Outline>,
    sink: &mut Sink,
) {
    if *values > u64::from(limits.pack_nodes) {
        return;
    }
    if let Some(file) = map.read(path, limits, sink) {
        parse(map, file, limits, omit, values, documents, sink);
    }
}

/// Parses a file and adds its documents, except omitted ones. `values` is the number of values in the files
/// so far and is increased; above the limit the file is reported and dropped.
fn parse(
    map: &SourceMap,
    file: FileId,
    limits: &Limits,
    omit: Omit,
    values: &mut u64,
    documents: &mut Vec<Outline>,
    sink: &mut Sink,
) {
    let before = sink.errors();
    let nodes = node::parse(map, file, limits, sink);
    if nodes.is_empty() && sink.errors() == before {
        sink.push(codes::format::no_document(file));
    }
    let bytes = map.file(file).map_or(0, |file| file.text().len() as u64);
    let own = nodes.iter().map(Node::count).sum::<u64>().saturating_add(bytes / 32);
    *values = values.saturating_add(own);
    if *values > u64::from(limits.pack_nodes) {
        sink.push(codes::pack::pack_too_large(file, limits.pack_nodes));
        return;
    }
    for node in nodes {
        if omit(map, file, &node) {
            continue;
        }
        documents.extend(outline(map, file, node, sink));
    }
}

/// Errors beyond which the catalog is not built. The core searches the nearest name for each unknown one,
/// which would take too long for a hostile pack.
const MAX_ERRORS_BEFORE_BUILD: usize = 1000;

/// Builds the catalog and reports the errors of the core. `None` if the errors remain, or if too many errors
/// were reported before.
///
/// For a single file, unknown names that only expressions use get stand-ins on the second attempt, and
/// templates that cannot be built from the file alone are skipped.
fn build(
    map: &SourceMap,
    documents: &[Document],
    builder: CatalogBuilder,
    index: &Index<'_>,
    scope: Scope,
    sink: &mut Sink,
) -> Option<Arc<Catalog>> {
    if sink.errors() > MAX_ERRORS_BEFORE_BUILD {
        return None;
    }
    let full = lower::templates(builder.clone(), documents, index);
    let errors = match full.clone().build() {
        Ok(catalog) => return Some(catalog),
        Err(errors) => errors.0,
    };
    let nodes = lower::DefinitionNodes::new(documents);
    let mut unresolved = Unresolved::default();
    for error in &errors {
        lower::report(map, &nodes, error, scope, &mut unresolved, sink);
    }
    if scope == Scope::Set && sink.errors() == 0 {
        // The checks do not see the definitions of native code: unknown names in them are reported here.
        for error in &errors {
            sink.push(codes::pack::host_definition(Span::default(), error.to_string()));
        }
    }
    if scope == Scope::Set || sink.errors() > 0 {
        return None;
    }
    let attempts = [full, builder].map(|builder| lower::stand_in(builder, index, &unresolved));
    attempts.into_iter().find_map(|builder| builder.build().ok())
}
