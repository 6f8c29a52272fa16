//! Loading: sources, trees, documents, checks, catalog, in this order.

mod pack;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::tag::check_tag_name;
use ugas_core::targeting::{Candidate, Query};
use ugas_core::task::CustomTask;

pub use pack::{LoadError, Pack};

use crate::check::{self, Index, Scope, Unresolved};
use crate::diagnostics::{Report, Sink, codes};
use crate::lower;
use crate::model::{Document, Outline, inherit, is_scenario, outline};
use crate::node::{self, Node};
use crate::scenario::check as scenario_check;
use crate::source::{FileId, Found, Limits, SourceMap, find_files};

/// Loads a folder or a file.
///
/// # Errors
/// Everything that is wrong, if anything is an error.
pub fn load(path: impl AsRef<Path>) -> Result<Pack, LoadError> {
    Loader::new().path(path).load()
}

/// Checks folders and files, each by itself. A folder that holds several packs (folders with a `pack.yaml` of their
/// own) is checked pack by pack.
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

/// Adds what the host writes in Rust to a builder.
type Natives = Box<dyn FnOnce(CatalogBuilder) -> CatalogBuilder>;

/// Collects what is to be loaded, and how.
#[derive(Default)]
pub struct Loader {
    sources: Vec<Source>,
    source_map: SourceMap,
    limits: Limits,
    silenced: BTreeSet<String>,
    natives: Vec<Natives>,
    scope: Option<Scope>,
    mentioned_tags: Vec<String>,
    custom_tasks: BTreeSet<String>,
    target_filters: BTreeSet<String>,
    omits_scenarios: bool,
    allows_unknown: bool,
}

impl Loader {
    /// A loader without sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or a folder with all that is in it.
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

    /// Takes over files that were read elsewhere, so that [`inline`](Self::inline) documents keep their positions.
    #[must_use]
    pub fn source_map(mut self, map: SourceMap) -> Self {
        self.source_map = map;
        self
    }

    /// Adds a document that stands inside another file of [`source_map`](Self::source_map).
    #[must_use]
    pub fn inline(mut self, file: FileId, node: Node) -> Self {
        self.sources.push(Source::Inline(file, node));
        self
    }

    /// Sets the limits for hostile files.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Does not report warnings, notes and lints of this code.
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

    /// Adds a task written in Rust (§10.4), which abilities use by this name. It wins over a host task of the same name.
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
        filter: impl Fn(&Candidate<'_>, &Query<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.target_filters.insert(name.clone());
        self.natives(move |builder| builder.target_filter(name, filter))
    }

    /// Makes tags known that something outside the pack names. With a registry this does nothing: there it is the
    /// registry that says which tags exist (T1).
    #[must_use]
    pub fn mention_tags(mut self, tags: impl IntoIterator<Item = String>) -> Self {
        self.mentioned_tags.extend(tags.into_iter().filter(|tag| check_tag_name(tag).is_ok()));
        self
    }

    /// Makes every reference have to resolve, also for a single file.
    #[must_use]
    pub fn as_set(mut self) -> Self {
        self.scope = Some(Scope::Set);
        self
    }

    /// Makes references that do not resolve mere notes, as for a single file.
    #[must_use]
    pub fn as_single_file(mut self) -> Self {
        self.scope = Some(Scope::SingleFile);
        self
    }

    /// Makes unknown fields warnings instead of errors, for files that other tools extend.
    #[must_use]
    pub fn allow_unknown(mut self) -> Self {
        self.allows_unknown = true;
        self
    }

    /// Sets whether unknown fields are warnings.
    #[must_use]
    pub(crate) fn allow_unknown_if(mut self, allows: bool) -> Self {
        self.allows_unknown = allows;
        self
    }

    /// Leaves out the scenarios that lie in a pack: none of them is part of the rules that another one runs by.
    #[must_use]
    pub(crate) fn without_scenarios(mut self) -> Self {
        self.omits_scenarios = true;
        self
    }

    /// The packs at a path: one for a file or a pack, several for a folder of packs.
    pub fn packs_in(path: &Path, limits: &Limits) -> Vec<Self> {
        let found = if path.is_dir() { find_files(path, limits) } else { Vec::new() };
        let mut roots = BTreeSet::new();
        for file in &found {
            if let Found::File(file) = file
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
            if let Found::File(file) = file
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

    /// Loads everything.
    ///
    /// # Errors
    /// Everything that is wrong, if anything is an error.
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

    /// Checks everything, scenarios with their packs included, and gives back what was found.
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

    /// What is there and what is wrong with it, scenarios excepted.
    pub(crate) fn examine(self) -> (Vec<Document>, Report) {
        let (_, documents, report) = self.run();
        (documents, report)
    }

    fn run(mut self) -> (Option<Arc<Catalog>>, Vec<Document>, Report) {
        let mut sink = Sink::with_limit(self.limits.diagnostics).allow_unknown(self.allows_unknown);
        let scope = self.scope.unwrap_or_else(|| self.natural_scope());
        let documents = self.documents(scope, &mut sink);
        let map = &self.source_map;
        let mut index = Index::new(map, &documents, &mut sink);
        index.custom_tasks = self.custom_tasks.iter().map(String::as_str).collect();
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
            // Without a registry tags are collected from use, so something must use these.
            let tags = std::mem::take(&mut self.mentioned_tags);
            builder = builder.template(ControllerDef { tags, ..ControllerDef::new("<mentioned tags>") });
        }
        let catalog = build(map, &documents, builder, &index, scope, &mut sink);
        let missing = match &catalog {
            Some(catalog) => Some(catalog.missing()),
            // Which calculations native code has is known only to a catalog.
            None if has_natives => Some(Vec::new()),
            None => None,
        };
        check::report_missing(map, &documents, &index, missing, scope, &mut sink);
        self.silenced.extend(std::mem::take(&mut index.silenced));
        (catalog, documents, Report::new(self.source_map, sink, &self.silenced))
    }

    fn natural_scope(&self) -> Scope {
        match self.sources.as_slice() {
            [Source::Path(path)] if !path.is_dir() => Scope::SingleFile,
            _ => Scope::Set,
        }
    }

    fn documents(&mut self, scope: Scope, sink: &mut Sink) -> Vec<Document> {
        let (mut documents, mut values) = (Vec::new(), 0);
        let (map, limits) = (&mut self.source_map, &self.limits);
        let omit: Omit = if self.omits_scenarios { is_scenario } else { |_, _, _| false };
        for source in std::mem::take(&mut self.sources) {
            match source {
                Source::Path(path) if path.is_dir() => {
                    for found in find_files(&path, limits) {
                        match found {
                            Found::File(path) => {
                                read(map, &path, limits, omit, &mut values, &mut documents, sink)
                            }
                            Found::Unreadable(path, error) => {
                                let file = map.add(path, "");
                                sink.push(codes::ug001::unreadable(file, &error));
                            }
                            Found::Loop(path) => sink.push(codes::ug001::folder_loop(map.add(path, ""))),
                            Found::TooDeep(path) => {
                                sink.push(codes::ug001::folder_too_deep(map.add(path, "")));
                            }
                            Found::TooMany => {
                                sink.push(codes::ug003::too_many_files(map.add(&path, ""), limits.files));
                            }
                        }
                    }
                }
                Source::Path(path) => read(map, &path, limits, omit, &mut values, &mut documents, sink),
                Source::Text(path, text) => {
                    if text.len() as u64 > limits.file_bytes {
                        let file = map.add(path, "");
                        sink.push(codes::ug003::file_too_large(file, limits.file_bytes));
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

/// Which documents are left out.
type Omit = fn(&SourceMap, FileId, &Node) -> bool;

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

/// Reads the documents of a file; `values` is what the files before it hold.
fn parse(
    map: &SourceMap,
    file: FileId,
    limits: &Limits,
    omit: Omit,
    values: &mut u64,
    documents: &mut Vec<Outline>,
    sink: &mut Sink,
) {
    let nodes = node::parse(map, file, limits, sink);
    let bytes = map.file(file).map_or(0, |file| file.text().len() as u64);
    let own = nodes.iter().map(Node::count).sum::<u64>().saturating_add(bytes / 32);
    *values = values.saturating_add(own);
    if *values > u64::from(limits.pack_nodes) {
        sink.push(codes::ug003::pack_too_large(file, limits.pack_nodes));
        return;
    }
    for node in nodes {
        if omit(map, file, &node) {
            continue;
        }
        documents.extend(outline(map, file, node, sink));
    }
}

/// With more errors than this the core is not asked for more: it looks for the nearest name of each unknown one, which
/// in a hostile pack takes for ever.
const TOO_WRONG: usize = 1000;

/// Builds the catalog and reports what the core finds.
///
/// Of a single file, names that only expressions use are stood in for once they are known, and templates that cannot
/// be built from it alone are left out.
fn build(
    map: &SourceMap,
    documents: &[Document],
    builder: CatalogBuilder,
    index: &Index<'_>,
    scope: Scope,
    sink: &mut Sink,
) -> Option<Arc<Catalog>> {
    if sink.errors() > TOO_WRONG {
        return None;
    }
    let full = lower::templates(builder.clone(), documents, index);
    let errors = match full.clone().build() {
        Ok(catalog) => return Some(catalog),
        Err(errors) => errors.0,
    };
    let places = lower::Places::new(documents);
    let mut unresolved = Unresolved::default();
    for error in &errors {
        lower::report(map, &places, error, scope, &mut unresolved, sink);
    }
    if scope == Scope::Set || sink.errors() > 0 {
        return None;
    }
    let attempts = [full, builder].map(|builder| lower::stand_in(builder, index, &unresolved));
    attempts.into_iter().find_map(|builder| builder.build().ok())
}
