//! Initial state of a scenario: decoding, rules and migration.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::codec::{DecodeError, DecodeErrorKind};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, EmbeddedRulesError, MigrationError, Simulation, Snapshot};
use ugas_core::time::Time;

use super::Scenario;
use crate::base64::{self, Base64Error};
use crate::diagnostics::{Diagnostic, Report, Sink, codes};
use crate::loader::LoadError;
use crate::model::scenario::{ActorDoc, StateDoc};
use crate::node::{Node, Value, byte_in_file};
use crate::source::{Limits, Span, Spanned, read_bounded};

/// Renders the bytes of a [snapshot](Snapshot::to_bytes_with_rules) as the `State` of a scenario: base64, in
/// lines.
pub fn state_text(bytes: &[u8]) -> String {
    base64::encode(bytes)
}

/// Simulation at the start of a scenario.
pub(super) struct InitialState {
    pub(super) simulation: Simulation,
    /// Report on the migration, if the state was taken under other rules.
    pub(super) migration: Option<Diagnostic>,
}

/// Bytes of a state, with the document for positions in the file.
struct State<'s> {
    bytes: Vec<u8>,
    scenario: &'s Scenario,
    doc: &'s StateDoc,
}

impl Scenario {
    /// Start time: 0, or the time of the initial state. It is 0, too, if the state cannot be read.
    pub fn begins_at(&self) -> Time {
        let state = self.state().and_then(Result::ok);
        state.and_then(|state| Snapshot::time_of(&state.bytes).ok()).unwrap_or(Time::ZERO)
    }

    /// Whether it uses the rules of its initial state.
    pub(crate) fn has_own_rules(&self) -> bool {
        self.doc.state.is_some() && self.doc.pack.is_none() && self.doc.definitions.is_empty()
    }

    /// Rules of the run: the loaded catalog, or the rules in the initial state with the native code of the
    /// loaded catalog.
    pub(crate) fn rules(&self, loaded: Arc<Catalog>) -> Result<Arc<Catalog>, Diagnostic> {
        if !self.has_own_rules() {
            return Ok(loaded);
        }
        let Some(state) = self.state().transpose()? else { return Ok(loaded) };
        match Snapshot::embedded_catalog(&state.bytes, &loaded) {
            Ok(Some(catalog)) => Ok(catalog),
            Ok(None) => Err(codes::scenario::state_without_rules(state.doc.span())),
            Err(EmbeddedRulesError::Decode(error)) => Err(state.unreadable(&error)),
            Err(EmbeddedRulesError::Rebuild(error)) => {
                Err(codes::scenario::state_rules_unusable(state.doc.span(), &error))
            }
            Err(error) => Err(codes::scenario::state_unusable(state.doc.span(), &error)),
        }
    }

    /// Simulation at the start: created with the file's configuration, then restored from the initial state
    /// if there is one. Without `seed`, the seed of the file is used, else that of the initial state. The
    /// error lists all wrong handles, or the problem of the state.
    pub(super) fn begin(
        &self,
        catalog: Arc<Catalog>,
        seed: Option<u64>,
    ) -> Result<InitialState, Vec<Diagnostic>> {
        let config = Config { role: self.role(), ..Config::seeded(seed.unwrap_or(self.seed())) };
        let config = self.doc.config.as_ref().map_or(config.clone(), |doc| doc.apply(config));
        // T6: tag count events are enabled if the scenario mentions them.
        let tag_counts = config.tag_counts || mentions(&self.node.value, "TagCountChanged");
        let mut simulation = Simulation::new(catalog, Config { tag_counts, ..config });
        let mut migration = None;
        if let Some(state) = self.state() {
            migration =
                state.and_then(|state| state.restore(&mut simulation)).map_err(|wrong| vec![wrong])?;
            if let Some(seed) = seed.or(self.doc.seed.as_ref().map(|_| self.seed())) {
                // It cannot fail, because the catalog is the same.
                let _ = simulation.restore(&simulation.snapshot().with_seed(seed));
            }
        }
        match self.wrong_handles(&simulation) {
            wrong if wrong.is_empty() => Ok(InitialState { simulation, migration }),
            wrong => Err(wrong),
        }
    }

    /// Load error with these diagnostics, which refer to the scenario's file.
    pub(super) fn error(&self, wrong: impl IntoIterator<Item = Diagnostic>) -> LoadError {
        let mut sink = Sink::default();
        wrong.into_iter().for_each(|wrong| sink.push(wrong));
        LoadError { report: Report::new(self.source_map.clone(), sink, &Default::default()) }
    }

    /// Bytes of the initial state, decoded from base64 or read from its file. `None` without `State`; the
    /// error is a diagnostic.
    fn state(&self) -> Option<Result<State<'_>, Diagnostic>> {
        let doc = self.doc.state.as_ref()?;
        let state = |bytes| State { bytes, scenario: self, doc };
        Some(match doc {
            StateDoc::Inline { text, .. } => base64::decode(&text.value).map(state).map_err(|error| {
                let at = match error {
                    Base64Error::Character { at, .. } => at,
                    Base64Error::Ends => text.value.trim_end().len(),
                };
                codes::scenario::state_not_base64(self.place_in(doc, at), error)
            }),
            StateDoc::File(file) => {
                let path = file.file.as_ref().map_or("", |file| file.0.value.as_str());
                let folder = self.path().parent().unwrap_or(Path::new(""));
                let most = Limits::default().file_bytes;
                match read_bounded(&folder.join(path), most) {
                    Ok(Some(bytes)) => Ok(state(bytes)),
                    Ok(None) => Err(codes::scenario::state_too_large(doc.span(), path, most)),
                    Err(error) => Err(codes::scenario::state_file_unreadable(doc.span(), path, error)),
                }
            }
        })
    }

    /// Span of a byte of the state's text; for a state in a file, the span of the file's name.
    fn place_in(&self, doc: &StateDoc, at: usize) -> Span {
        let StateDoc::Inline { text, style } = doc else { return doc.span() };
        let node = Node { span: text.span, value: Value::Text(text.value.clone()), style: *style };
        let source = self.source_map.file(text.span.file).map(|file| file.text()).unwrap_or_default();
        let start = byte_in_file(source, &node, at);
        let length = source.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Span::new(text.span.file, start, start + length)
    }

    /// Diagnostics for handles that are unknown, used twice, or combined with other keys.
    fn wrong_handles(&self, simulation: &Simulation) -> Vec<Diagnostic> {
        let mut wrong = Vec::new();
        let mut named: BTreeMap<ControllerId, &str> = BTreeMap::new();
        for (name, actor) in self.controllers() {
            let Some(handle) = &actor.handle else { continue };
            let handle: &Spanned<ControllerId> = &handle.0;
            if self.doc.state.is_none() {
                wrong.push(codes::scenario::handle_without_state(handle));
            } else if simulation.controller(handle.value).is_none() {
                let known = simulation.controllers().map(|(id, _)| id);
                wrong.push(codes::scenario::unknown_handle(handle, known));
            }
            if let Some(first) = named.insert(handle.value, name) {
                wrong.push(codes::scenario::handle_used_twice(handle, first));
            }
            let others = ActorDoc::FIELDS.iter().filter(|field| **field != "Handle" && actor.has(field));
            wrong.extend(others.map(|field| codes::scenario::handle_with_other_key(handle.span, field)));
        }
        wrong
    }
}

impl State<'_> {
    /// Restores the state in a simulation; returns a report if it was migrated from other rules.
    fn restore(&self, simulation: &mut Simulation) -> Result<Option<Diagnostic>, Diagnostic> {
        let place = self.doc.span();
        match Snapshot::from_bytes(&self.bytes, simulation.catalog()) {
            Ok(snapshot) => {
                let restored = simulation.restore(&snapshot);
                return restored
                    .map(|()| None)
                    .map_err(|error| codes::scenario::state_unusable(place, &error));
            }
            Err(DecodeError { kind: DecodeErrorKind::ForeignCatalog { has_rules: true, .. }, .. }) => {}
            Err(error) => return Err(self.unreadable(&error)),
        }
        match simulation.migrate(&self.bytes) {
            // Older versions of the format hashed the same rules differently.
            Ok(report) if report.diff.is_empty() && report.entries.is_empty() => Ok(None),
            Ok(report) => Ok(Some(codes::scenario::state_migrated(place, &report))),
            Err(MigrationError::Decode(error)) => Err(self.unreadable(&error)),
            Err(MigrationError::Reload(error)) => Err(codes::scenario::state_not_migrated(place, &error)),
            Err(error) => Err(codes::scenario::state_unusable(place, &error)),
        }
    }

    /// Diagnostic for bytes that cannot be decoded, at the character of an inline state that holds the byte.
    fn unreadable(&self, error: &DecodeError) -> Diagnostic {
        let at = usize::try_from(error.at).unwrap_or(usize::MAX);
        let place = match self.doc {
            StateDoc::Inline { text, .. } => {
                self.scenario.place_in(self.doc, base64::offset_of_byte(&text.value, at))
            }
            StateDoc::File(_) => self.doc.span(),
        };
        codes::scenario::state_undecodable(place, error)
    }
}
/// Whether a word occurs in a tree, as a key or as a text.
fn mentions(value: &Value, word: &str) -> bool {
    match value {
        Value::Map(entries) => {
            entries.iter().any(|entry| entry.key.value == word || mentions(&entry.value.value, word))
        }
        Value::List(items) => items.iter().any(|item| mentions(&item.value, word)),
        Value::Text(text) => text == word,
        _ => false,
    }
}
