//! The state that a scenario begins with, if it does not begin with nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::codec::{DecodeError, DecodeErrorKind};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, MigrationError, OwnRulesError, Simulation, Snapshot};
use ugas_core::time::Time;

use super::Scenario;
use crate::base64::{self, Base64Error};
use crate::diagnostics::{Diagnostic, Report, Sink, codes};
use crate::loader::LoadError;
use crate::model::scenario::{ActorDoc, StateDoc};
use crate::node::{Node, Value, byte_in_file};
use crate::source::{Limits, Span, Spanned, read_bounded};

/// The bytes of a [snapshot](Snapshot::to_bytes_with_rules) as the `State` of a scenario has them: base64, in lines.
pub fn state_text(bytes: &[u8]) -> String {
    base64::encode(bytes)
}

/// What a scenario begins with.
pub(super) struct Beginning {
    pub(super) simulation: Simulation,
    /// What became of the state, if it was taken under other rules.
    pub(super) brought_over: Option<Diagnostic>,
}

/// The bytes of a state, and how to find one of them in the file.
struct State<'s> {
    bytes: Vec<u8>,
    scenario: &'s Scenario,
    doc: &'s StateDoc,
}

impl Scenario {
    /// When it begins: 0, or the clock of the state that it begins with.
    pub fn begins_at(&self) -> Time {
        let state = self.state().and_then(Result::ok);
        state.and_then(|state| Snapshot::time_of(&state.bytes).ok()).unwrap_or(Time::ZERO)
    }

    /// Whether its rules are those of its state.
    pub(crate) fn has_own_rules(&self) -> bool {
        self.doc.state.is_some() && self.doc.pack.is_none() && self.doc.definitions.is_empty()
    }

    /// The rules that it runs by: those that were loaded, or those that its state brings along, with the native code of
    /// what was loaded.
    pub(crate) fn rules(&self, loaded: Arc<Catalog>) -> Result<Arc<Catalog>, Diagnostic> {
        if !self.has_own_rules() {
            return Ok(loaded);
        }
        let Some(state) = self.state().transpose()? else { return Ok(loaded) };
        match Snapshot::own_catalog(&state.bytes, &loaded) {
            Ok(Some(catalog)) => Ok(catalog),
            Ok(None) => Err(codes::ug044::no_rules(state.doc.place())),
            Err(OwnRulesError::Decode(error)) => Err(state.unreadable(&error)),
            Err(OwnRulesError::Rebuild(error)) => {
                Err(codes::ug044::unusable_rules(state.doc.place(), &error))
            }
            Err(error) => Err(codes::ug044::unusable(state.doc.place(), &error)),
        }
    }

    /// The simulation that it begins with. Whoever names no seed leaves it to the file, and that to its state.
    pub(super) fn begin(
        &self,
        catalog: Arc<Catalog>,
        seed: Option<u64>,
    ) -> Result<Beginning, Vec<Diagnostic>> {
        let config = Config { role: self.role(), ..Config::seeded(seed.unwrap_or(self.seed())) };
        let config = self.doc.config.as_ref().map_or(config.clone(), |doc| doc.apply(config));
        // T6: a scenario asks for events of tag counts by expecting some.
        let tag_counts = config.tag_counts || mentions(&self.node.value, "TagCountChanged");
        let mut simulation = Simulation::new(catalog, Config { tag_counts, ..config });
        let mut brought_over = None;
        if let Some(state) = self.state() {
            brought_over =
                state.and_then(|state| state.restore(&mut simulation)).map_err(|wrong| vec![wrong])?;
            if let Some(seed) = seed.or(self.doc.seed.as_ref().map(|_| self.seed())) {
                // Of the same catalog, so it is restored.
                let _ = simulation.restore(&simulation.snapshot().with_seed(seed));
            }
        }
        match self.wrong_handles(&simulation) {
            wrong if wrong.is_empty() => Ok(Beginning { simulation, brought_over }),
            wrong => Err(wrong),
        }
    }

    /// A mistake of the state as an error of the file.
    pub(super) fn error(&self, wrong: impl IntoIterator<Item = Diagnostic>) -> LoadError {
        let mut sink = Sink::default();
        wrong.into_iter().for_each(|wrong| sink.push(wrong));
        LoadError { report: Report::new(self.source_map.clone(), sink, &Default::default()) }
    }

    fn state(&self) -> Option<Result<State<'_>, Diagnostic>> {
        let doc = self.doc.state.as_ref()?;
        let state = |bytes| State { bytes, scenario: self, doc };
        Some(match doc {
            StateDoc::Inline { text, .. } => base64::decode(&text.value).map(state).map_err(|error| {
                let at = match error {
                    Base64Error::Character { at, .. } => at,
                    Base64Error::Ends => text.value.trim_end().len(),
                };
                codes::ug044::not_base64(self.place_in(doc, at), error)
            }),
            StateDoc::File(file) => {
                let path = file.file.as_ref().map_or("", |file| file.0.value.as_str());
                let folder = self.path().parent().unwrap_or(Path::new(""));
                let most = Limits::default().file_bytes;
                match read_bounded(&folder.join(path), most) {
                    Ok(Some(bytes)) => Ok(state(bytes)),
                    Ok(None) => Err(codes::ug044::too_large(doc.place(), path, most)),
                    Err(error) => Err(codes::ug044::no_file(doc.place(), path, error)),
                }
            }
        })
    }

    /// The place of a byte of the state's text; of a state in a file, that of the file's name.
    fn place_in(&self, doc: &StateDoc, at: usize) -> Span {
        let StateDoc::Inline { text, style } = doc else { return doc.place() };
        let node = Node { span: text.span, value: Value::Text(text.value.clone()), style: *style };
        let source = self.source_map.file(text.span.file).map(|file| file.text()).unwrap_or_default();
        let start = byte_in_file(source, &node, at);
        let length = source.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Span::new(text.span.file, start, start + length)
    }

    /// Handles that are nobody's, somebody else's, or not all that the file says of a controller.
    fn wrong_handles(&self, simulation: &Simulation) -> Vec<Diagnostic> {
        let mut wrong = Vec::new();
        let mut named: BTreeMap<ControllerId, &str> = BTreeMap::new();
        for (name, actor) in self.controllers() {
            let Some(handle) = &actor.handle else { continue };
            let handle: &Spanned<ControllerId> = &handle.0;
            if self.doc.state.is_none() {
                wrong.push(codes::ug045::no_state(handle));
            } else if simulation.controller(handle.value).is_none() {
                let known = simulation.controllers().map(|(id, _)| id);
                wrong.push(codes::ug045::not_there(handle, known));
            }
            if let Some(first) = named.insert(handle.value, name) {
                wrong.push(codes::ug045::twice(handle, first));
            }
            let others = ActorDoc::FIELDS.iter().filter(|field| **field != "Handle" && actor.has(field));
            wrong.extend(others.map(|field| codes::ug045::made_otherwise(handle.span, field)));
        }
        wrong
    }
}

impl State<'_> {
    /// Puts it into a simulation; what became of it, if it was taken under other rules.
    fn restore(&self, simulation: &mut Simulation) -> Result<Option<Diagnostic>, Diagnostic> {
        let place = self.doc.place();
        match Snapshot::from_bytes(&self.bytes, simulation.catalog()) {
            Ok(snapshot) => {
                let restored = simulation.restore(&snapshot);
                return restored.map(|()| None).map_err(|error| codes::ug044::unusable(place, &error));
            }
            Err(DecodeError { kind: DecodeErrorKind::ForeignCatalog { has_rules: true, .. }, .. }) => {}
            Err(error) => return Err(self.unreadable(&error)),
        }
        match simulation.migrate(&self.bytes) {
            // An older version of the format had other hashes of the same rules.
            Ok(report) if report.diff.is_empty() && report.entries.is_empty() => Ok(None),
            Ok(report) => Ok(Some(codes::ug046::brought_over(place, &report))),
            Err(MigrationError::Decode(error)) => Err(self.unreadable(&error)),
            Err(MigrationError::Reload(error)) => Err(codes::ug044::cannot_go_on(place, &error)),
            Err(error) => Err(codes::ug044::unusable(place, &error)),
        }
    }

    fn unreadable(&self, error: &DecodeError) -> Diagnostic {
        let at = usize::try_from(error.at).unwrap_or(usize::MAX);
        let place = match self.doc {
            StateDoc::Inline { text, .. } => {
                self.scenario.place_in(self.doc, base64::place_of(&text.value, at))
            }
            StateDoc::File(_) => self.doc.place(),
        };
        codes::ug044::unreadable(place, error)
    }
}
/// Whether a word stands somewhere in a tree, as a key or as a text.
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
