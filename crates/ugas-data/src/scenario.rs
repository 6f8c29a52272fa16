//! Scenarios: scripted simulations with expectations, loaded from files.
//!
//! A [`Scenario`] is the document, a [`Runner`] executes it, and an [`Outcome`] is the result.
//!
//! ```
//! use ugas_data::scenario::{Options, Scenario};
//!
//! let scenarios = Scenario::from_text("hit.yaml", "
//! Name: a hit hurts
//! Definitions:
//!   - $schema: https://example.org/schemas/attribute_set.json
//!     Name: Combat
//!     Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
//!   - $schema: https://example.org/schemas/gameplay_effect.json
//!     Name: GE_Hit
//!     DurationPolicy: Instant
//!     Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
//! Controllers:
//!   wolf: { AttributeSets: [Combat] }
//! Steps:
//!   - Apply: { Effect: GE_Hit, Target: wolf }
//!   - Expect: { wolf: { Health: 90 } }
//! ")?;
//! assert!(scenarios[0].run(&Options::default()).passed());
//! # Ok::<(), ugas_data::LoadError>(())
//! ```

mod abilities;
mod characters;
pub(crate) mod check;
mod commands;
mod controllers;
mod expect;
mod expect_abilities;
mod expect_cues;
mod outcome;
mod prefix;
mod problems;
mod runner;
mod state;
mod steps;
mod unknown;
mod vary;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::command::Command;
use ugas_core::event::Event;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Role, Simulation};
use ugas_core::time::{Span, Time};

pub use outcome::{AbilityOutcome, ControllerState, EffectState, Failure, Outcome};
pub use runner::Runner;
pub use state::state_text;
pub use vary::{ValueKind, ValuePath, ValuePathError};

use crate::decode::{Field, ReferenceKind, Visitor};
use crate::diagnostics::{Report, Sink, codes};
use crate::loader::{LoadError, Loader};
use crate::model::scenario::{ActionDoc, ScenarioDoc};
use crate::model::{Document, DocumentKind, Model, recognise};
use crate::node::{self, Node};
use crate::source::{FileId, Found, Limits, SourceMap, Spanned, find_files};

/// Options of a run. None of them changes the result (V4).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    /// Longest time of one `Advance` command; `None` for no limit.
    pub step: Option<Span>,
    /// Interval at which the observer is called while time passes; `None` calls it after each step.
    pub every: Option<Span>,
    /// Time at which to stop; `None` stops after the last step.
    pub until: Option<Time>,
}

/// Observer of the states and events of a running scenario, for reports and plots.
pub trait Observer {
    /// Called with the state at the start, during the run (see [`Options::every`]) and at the end.
    fn state(&mut self, runner: &Runner<'_>) {
        let _ = runner;
    }

    /// Called for every event after the start, in order. The event has its exact time, however long the steps
    /// are; the runner may be past that time already.
    fn event(&mut self, runner: &Runner<'_>, event: &Event) {
        let _ = (runner, event);
    }
}

/// Observer of every command that a scenario executes, `Advance` included, for recordings and checks. It does
/// not affect the run.
pub trait CommandObserver {
    /// Called with the simulation before the first command.
    fn begin(&mut self, simulation: &Simulation) {
        let _ = simulation;
    }

    /// Called with the name of a controller: that of the scenario as soon as the controller exists, that of a
    /// `SpawnController` task (A17) after the command that spawned it.
    fn name(&mut self, controller: ControllerId, name: &str) {
        let _ = (controller, name);
    }

    /// Called before each command, with the simulation that will execute it.
    fn before(&mut self, simulation: &Simulation, command: &Command);

    /// Called after each command. Events of this and earlier commands may still be pending.
    fn after(&mut self, simulation: &Simulation);

    /// Called with the simulation after the last command.
    fn end(&mut self, simulation: &Simulation) {
        let _ = simulation;
    }
}

/// Names of the event kinds, as in `Count` and reports.
pub const EVENT_KINDS: &[&str] = &crate::check::scenario::EVENTS;

/// Outcome codes of `Last` and `Reasons`. Each is produced by some step.
pub const OUTCOMES: &[&str] = crate::check::scenario::OUTCOMES;

/// Scenario that was loaded from a file or a text.
#[derive(Clone, Debug)]
pub struct Scenario {
    file: FileId,
    doc: ScenarioDoc,
    /// Tree that `doc` was decoded from, for [`with_values`](Self::with_values).
    node: Node,
    source_map: SourceMap,
}

impl Scenario {
    /// Loads the scenarios of a file, or of all files in and below a folder, in order. Other documents are
    /// skipped.
    ///
    /// # Errors
    /// If a file cannot be read, or a scenario has errors.
    pub fn load(path: impl AsRef<Path>) -> Result<Vec<Self>, LoadError> {
        let mut scenarios = Vec::new();
        let mut report = Report::default();
        for file in Self::files(path) {
            match Self::read(&file, &Limits::default()) {
                Ok(found) => scenarios.extend(found),
                Err(error) => report.append(error.report),
            }
        }
        if report.errors() > 0 { Err(LoadError { report }) } else { Ok(scenarios) }
    }

    /// Files of a path: the file itself, or the YAML and JSON files in and below a folder, sorted.
    pub fn files(path: impl AsRef<Path>) -> Vec<PathBuf> {
        let path = path.as_ref();
        if !path.is_dir() {
            return vec![path.to_owned()];
        }
        let found = find_files(path, &Limits::default()).into_iter();
        found.filter_map(|found| if let Found::File(file, _) = found { Some(file) } else { None }).collect()
    }

    /// Scenarios of a text, as if it were a file of this name; other documents are skipped. `Pack` paths are
    /// relative to that name; packs are loaded later, with the catalog.
    ///
    /// # Errors
    /// If the text cannot be parsed, or a scenario has errors.
    pub fn from_text(name: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Result<Vec<Self>, LoadError> {
        let mut map = SourceMap::new();
        let file = map.add(name, text);
        Self::parse(map, file, &Limits::default(), Sink::default())
    }

    /// Reads the scenarios of one file.
    fn read(path: &Path, limits: &Limits) -> Result<Vec<Self>, LoadError> {
        let mut sink = Sink::with_limit(limits.diagnostics);
        let mut map = SourceMap::new();
        match map.read(path, limits, &mut sink) {
            Some(file) => Self::parse(map, file, limits, sink),
            None => Err(LoadError { report: Report::new(map, sink, &BTreeSet::new()) }),
        }
    }

    /// Decodes the scenarios of a file that is in the map. Other documents, and their problems, are skipped.
    fn parse(map: SourceMap, file: FileId, limits: &Limits, mut sink: Sink) -> Result<Vec<Self>, LoadError> {
        let mut docs = Vec::new();
        for node in node::parse(&map, file, limits, &mut sink) {
            // Problems of other documents are reported by the check of their pack.
            let mut own = Sink::with_limit(limits.diagnostics);
            match recognise(&map, file, node, &mut own) {
                Some(Document { model: Model::Scenario(doc), node, .. }) => {
                    docs.push((*doc, node));
                    sink.append(own);
                }
                Some(Document { kind: DocumentKind::Scenario, .. }) => sink.append(own),
                _ => {}
            }
        }
        if sink.errors() > 0 {
            return Err(LoadError { report: Report::new(map, sink, &BTreeSet::new()) });
        }
        Ok(docs.into_iter().map(|(doc, node)| Self { file, doc, node, source_map: map.clone() }).collect())
    }

    /// Whether the scenario has a controller of this name. Controllers of `Spawn` steps count, those of tasks
    /// do not.
    pub fn has_controller(&self, name: &str) -> bool {
        self.controllers().chain(self.spawned()).any(|(known, _)| known == name)
    }

    /// Name of the scenario.
    pub fn name(&self) -> &str {
        self.doc.name.as_ref().map_or("", |name| &name.value)
    }

    /// Path of its file.
    pub fn path(&self) -> &Path {
        self.source_map.file(self.file).map_or(Path::new(""), |file| file.path())
    }

    /// Clauses of the specification that it demonstrates.
    pub fn clauses(&self) -> impl Iterator<Item = &str> {
        self.doc.clauses.iter().map(|clause| clause.value.as_str())
    }

    /// Seed of all random streams; 0 if the file has none. A scenario with an initial state then uses the
    /// seed of the state.
    pub fn seed(&self) -> u64 {
        self.doc.seed.as_ref().map_or(0, |seed| seed.0.value.unsigned_abs())
    }

    /// Role of the simulation; the authority if the file has none.
    pub fn role(&self) -> Role {
        self.doc.role.as_ref().map(|role| role.0.value).unwrap_or_default()
    }

    /// Path of its pack, if it has one.
    pub fn pack(&self) -> Option<PathBuf> {
        let folder = self.path().parent().unwrap_or(Path::new(""));
        self.doc.pack.as_ref().map(|pack| shortest(&folder.join(&pack.0.value)))
    }

    /// Decoded document.
    pub fn doc(&self) -> &ScenarioDoc {
        &self.doc
    }

    /// Loads its pack and its own definitions; without both, the rules of its initial state.
    ///
    /// # Errors
    /// All errors of the loaded documents.
    pub fn catalog(&self) -> Result<Arc<Catalog>, LoadError> {
        let loaded = self.load_rules()?.catalog;
        self.rules(loaded).map_err(|wrong| self.error([wrong]))
    }

    /// Loads its pack and its own definitions. A missing pack is an error at its path in the scenario.
    fn load_rules(&self) -> Result<crate::Pack, LoadError> {
        match (&self.doc.pack, self.pack()) {
            (Some(text), Some(path)) if !path.exists() => {
                Err(self.error([codes::scenario::pack_not_found(text.0.span, &text.0.value)]))
            }
            _ => self.loader().load(),
        }
    }

    /// Loader of its pack and its own definitions, as a complete set without the pack's scenarios. Tags and
    /// granted parameters of the scenario count as known.
    fn loader(&self) -> Loader {
        let mut loader = Loader::new().source_map(self.source_map.clone()).mention_tags(self.tags()).as_set();
        loader = loader.without_scenarios().granted_parameters(self.doc.granted_parameters());
        if let Some(pack) = self.pack() {
            loader = loader.path(pack);
        }
        for definition in self.doc.definitions.iter() {
            loader = loader.inline(self.file, definition.0.clone());
        }
        loader
    }

    /// Runs the scenario from start to end.
    pub fn run(&self, options: &Options) -> Outcome {
        self.run_observed(options, |_| {})
    }

    /// Runs the scenario and calls `observer` with the state at the start, during the run and at the end.
    pub fn run_observed(&self, options: &Options, observer: impl FnMut(&Runner<'_>)) -> Outcome {
        self.run_with(options, None, |runner| runner.run(observer))
    }

    /// Runs the scenario with an [`Observer`] of states and events.
    pub fn run_with_observer(&self, options: &Options, observer: &mut impl Observer) -> Outcome {
        self.run_with(options, None, |runner| runner.run_with_observer(observer))
    }

    /// Runs the scenario with an [`Observer`] and a [`CommandObserver`].
    pub fn run_with_command_observer(
        &self,
        options: &Options,
        observer: &mut impl Observer,
        command_observer: &mut dyn CommandObserver,
    ) -> Outcome {
        self.run_with(options, Some(command_observer), |runner| runner.run_with_observer(observer))
    }

    /// Loads the rules, spawns the controllers, and calls `run` with the runner. The outcome has no hash if
    /// the rules do not load or a controller cannot be spawned. With `ExpectLoad`, expected errors of the
    /// load are a success, and nothing runs.
    fn run_with<'s>(
        &'s self,
        options: &Options,
        command_observer: Option<&'s mut dyn CommandObserver>,
        run: impl FnOnce(&mut Runner<'s>),
    ) -> Outcome {
        let loaded = self.load_rules();
        if let Some(expected) = &self.doc.expect_load {
            let unexpected = expect::load(self, expected, &loaded);
            if !unexpected.is_empty() || loaded.is_err() {
                return Outcome::new(self, unexpected);
            }
        }
        let rules = loaded.and_then(|pack| self.rules(pack.catalog).map_err(|wrong| self.error([wrong])));
        let catalog = match rules {
            Ok(catalog) => catalog,
            Err(error) => return Outcome::unloadable(self, &error),
        };
        match Runner::begin(self, catalog, *options, None, command_observer) {
            Ok(mut runner) => {
                run(&mut runner);
                runner.into_outcome()
            }
            Err(failure) => Outcome::not_started(self, failure),
        }
    }

    /// Line of a position in the scenario's file, for failures.
    fn line(&self, span: crate::source::Span) -> u32 {
        self.source_map.position(span).line
    }

    /// Controllers at the start, by name, in the order of the file.
    fn controllers(&self) -> impl Iterator<Item = (&str, &crate::model::scenario::ActorDoc)> {
        let controllers = self.doc.controllers.iter().flat_map(|controllers| &controllers.0);
        controllers.map(|(name, actor)| (name.value.as_str(), actor))
    }

    /// Controllers of `Spawn` steps, by name.
    fn spawned(&self) -> impl Iterator<Item = (&str, &crate::model::scenario::ActorDoc)> {
        let spawned = self.steps().iter().filter_map(|step| match &step.action {
            ActionDoc::Spawn(actors) => Some(&actors.0),
            _ => None,
        });
        spawned.flatten().map(|(name, actor)| (name.value.as_str(), actor))
    }

    /// Steps of the scenario; empty if it has none.
    fn steps(&self) -> &[crate::model::scenario::StepDoc] {
        self.doc.steps.as_deref().unwrap_or_default()
    }

    /// All tags in the scenario itself, which exist without a registry.
    fn tags(&self) -> Vec<String> {
        let mut tags: BTreeSet<&str> = BTreeSet::new();
        for (_, actor) in self.controllers().chain(self.spawned()) {
            tags.extend(actor.tags.iter().map(|tag| tag.value.as_str()));
            tags.extend(actor.abilities.iter().flat_map(|ability| tags_of(ability)));
        }
        for step in self.steps() {
            match &step.action {
                ActionDoc::Apply(apply) => {
                    let numbers = apply.set_by_caller.iter().flat_map(|numbers| &numbers.0);
                    tags.extend(numbers.map(|(tag, _)| tag.value.as_str()));
                }
                ActionDoc::Grant(grant) => tags.extend(tags_of(grant)),
                ActionDoc::RemoveMatching(remove) => tags.extend(tags_of(remove)),
                ActionDoc::Event(event) => tags.extend(tags_of(&**event)),
                ActionDoc::CancelAll(cancel) => tags.extend(tags_of(cancel)),
                ActionDoc::Expect(expect) => {
                    for (_, expected) in &expect.named.0 {
                        let expected = expected.known.tags.iter();
                        for expected in expected {
                            let listed = expected.has.iter().chain(expected.has_not.iter());
                            tags.extend(listed.map(|tag| tag.value.as_str()));
                            let counted = expected.count.iter().flat_map(|count| &count.0);
                            tags.extend(counted.map(|(tag, _)| tag.value.as_str()));
                        }
                    }
                }
                _ => {}
            }
        }
        tags.into_iter().map(str::to_owned).collect()
    }
}

/// All tags in a record.
fn tags_of(record: &impl Field) -> Vec<&str> {
    let mut own = TagsOf::default();
    record.visit(&mut own);
    own.0
}

/// Visitor that collects the tags in a record.
#[derive(Default)]
struct TagsOf<'a>(Vec<&'a str>);

impl<'a> Visitor<'a> for TagsOf<'a> {
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>) {
        if matches!(kind, ReferenceKind::Tag(_)) {
            self.0.push(&name.value);
        }
    }
}

/// Path without detours such as `scenarios/..`, for shorter messages. A detour through a link leads elsewhere
/// and is kept.
fn shortest(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match (part, short.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                short.pop();
            }
            _ => short.push(part),
        }
    }
    if short.as_os_str().is_empty() {
        short.push(".");
    }
    let is_same =
        matches!((short.canonicalize(), path.canonicalize()), (Ok(short), Ok(path)) if short == path);
    if is_same { short } else { path.to_owned() }
}
