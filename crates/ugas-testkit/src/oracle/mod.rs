//! Oracle: a naive model of the rules, to compare the core with.
//!
//! It holds names, plain numbers and a list of active effects; tags, cue counts and current values are
//! recomputed from that list on every query ([`View`]). Nothing here is fast, incremental or shared with the
//! core's own simulation: only the definitions and the evaluation of expressions are the same.
//!
//! Not modelled: chance, calculations, curves, hooks, abilities, batches, predictions, effects created at run
//! time and changes to active effects.

mod apply;
mod cycles;
mod event;
mod execute;
mod magnitude;
mod remove;
mod settle;
mod view;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

pub use event::OracleEvent;
pub use magnitude::OracleSpec;
pub use remove::Selector;
pub use view::{Counts, View};

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::expr::Program;
use ugas_core::input::InputBufferConfig;
use ugas_core::time::Span;

/// Number of a controller, in the order of spawning.
pub type Actor = usize;

/// Definitions of a game, as plain lists.
#[derive(Clone, Debug, Default)]
pub struct Game {
    /// Attribute sets.
    pub sets: Vec<AttributeSetDef>,
    /// Effects.
    pub effects: Vec<EffectDef>,
    /// Abilities; the oracle does not model them.
    pub abilities: Vec<AbilityDef>,
    /// Templates; the first is the usual one.
    pub templates: Vec<ControllerDef>,
    /// Tags, the same in every test.
    pub tags: Vec<String>,
    /// Further definitions and native code; the oracle does not model them.
    pub extension: Option<fn(CatalogBuilder) -> CatalogBuilder>,
}

impl Game {
    /// Catalog of the core with the same definitions. If there are abilities, it also has a death threshold
    /// of 70 `Health` and an input buffer, which the oracle does not model.
    ///
    /// # Panics
    /// If the definitions have errors, with all of them.
    pub fn catalog(&self) -> Arc<Catalog> {
        let mut builder = Catalog::builder().tags(self.tags.iter().cloned());
        for set in &self.sets {
            builder = builder.attribute_set(set.clone());
        }
        for effect in &self.effects {
            builder = builder.effect(effect.clone());
        }
        if !self.abilities.is_empty() {
            let buffer = InputBufferConfig { enabled: true, window: Span::millis(700), size: 3 };
            builder = builder.death("Health", 70.0).input_buffer(buffer);
        }
        for ability in &self.abilities {
            builder = builder.ability(ability.clone());
        }
        for template in &self.templates {
            builder = builder.template(template.clone());
        }
        if let Some(extend) = self.extension {
            builder = extend(builder);
        }
        match builder.build() {
            Ok(catalog) => catalog,
            Err(errors) => panic!("the definitions of the game have errors: {errors}"),
        }
    }
}

/// Controller: its sets and the base values of their attributes. Everything else is computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) alive: bool,
    pub(crate) sets: BTreeSet<String>,
    pub(crate) base: BTreeMap<String, f64>,
}

/// Last state of a despawned source (M5).
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) tags: BTreeSet<String>,
    /// Base and current value of each attribute.
    pub(crate) values: BTreeMap<String, (f64, f64)>,
}

/// Active effect on a controller.
#[derive(Clone, Debug)]
pub struct Instance {
    pub(crate) spec: OracleSpec,
    pub(crate) target: Actor,
    /// Order of the first application.
    pub(crate) sequence: u64,
    /// Order of the latest application.
    pub(crate) applied: u64,
    /// Number of stacks.
    pub stacks: u32,
    /// Whether it is queued behind another instance (E4).
    pub queued: bool,
    /// Whether its ongoing requirements fail (E7).
    pub inhibited: bool,
    /// Whether its tags and cues are granted; false only during its application (E1).
    pub(crate) granted: bool,
    pub(crate) duration: Option<i64>,
    pub(crate) expires: Option<i64>,
    pub(crate) next_tick: Option<i64>,
    pub(crate) magnitudes: Vec<f64>,
}

impl Instance {
    /// Name of the effect.
    pub fn effect(&self) -> &str {
        &self.spec.def.name
    }

    /// Controller that the effect is active on.
    pub fn target(&self) -> Actor {
        self.target
    }

    /// Magnitudes of the modifiers as evaluated last: at application, and again when the oracle settles.
    pub fn magnitudes(&self) -> &[f64] {
        &self.magnitudes
    }

    /// Remaining microseconds at the time `now`; the whole duration while it is queued. `None` without an
    /// end; an infinite effect has one if its spec gives a duration.
    pub fn remaining(&self, now: i64) -> Option<i64> {
        if self.queued { self.duration } else { self.expires.map(|end| end - now) }
    }

    /// Whether its modifiers, tags and cues are in effect: it is neither queued nor inhibited.
    pub(crate) fn is_live(&self) -> bool {
        !self.queued && !self.inhibited
    }

    /// Period in microseconds; `None` if the effect does not execute periodically.
    pub(crate) fn period(&self) -> Option<i64> {
        self.spec.def.period.map(|period| period.period.micros())
    }
}

/// Naive model of a simulation.
#[derive(Clone)]
pub struct Oracle {
    pub(crate) game: Arc<Game>,
    effects: Arc<BTreeMap<String, Arc<EffectDef>>>,
    /// Catalog, used only to resolve names in expressions.
    pub(crate) catalog: Arc<Catalog>,
    /// Every expression of the game, by its text.
    pub(crate) programs: Arc<BTreeMap<String, Program>>,
    pub(crate) now: i64,
    pub(crate) bodies: Vec<Body>,
    pub(crate) instances: Vec<Instance>,
    pub(crate) sequence: u64,
    /// Pending consequences (E12).
    pub(crate) queue: VecDeque<settle::Pending>,
    pub(crate) events: Vec<(i64, OracleEvent)>,
    /// Values and tags of the last events, to detect changes.
    pub(crate) published: settle::Published,
}

impl Oracle {
    /// Creates an empty model of `game` at time zero.
    pub fn new(game: Arc<Game>, catalog: Arc<Catalog>) -> Self {
        let effects = game.effects.iter().map(|def| (def.name.clone(), Arc::new(def.clone()))).collect();
        let programs = Arc::new(magnitude::programs(&game, &catalog));
        Self {
            game,
            effects: Arc::new(effects),
            catalog,
            programs,
            now: 0,
            bodies: Vec::new(),
            instances: Vec::new(),
            sequence: 0,
            queue: VecDeque::new(),
            events: Vec::new(),
            published: settle::Published::default(),
        }
    }

    /// View of all tags, cues and values at this moment, computed from scratch; a view from before a change
    /// is not updated.
    pub fn view(&self) -> View<'_> {
        View::new(self)
    }

    /// Current time in microseconds.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Whether a controller was spawned and not despawned.
    pub fn is_alive(&self, actor: Actor) -> bool {
        self.bodies.get(actor).is_some_and(|body| body.alive)
    }

    /// Attributes of a controller's sets, in the order of the game's sets; none if it does not exist.
    pub fn attributes(&self, actor: Actor) -> Vec<&AttributeDef> {
        let Some(body) = self.bodies.get(actor) else { return Vec::new() };
        let sets = self.game.sets.iter().filter(|set| body.sets.contains(&set.name));
        sets.flat_map(|set| &set.attributes).collect()
    }

    /// Effects on a controller in application order, queued and inhibited ones included.
    pub fn effects_on(&self, actor: Actor) -> Vec<&Instance> {
        let mut list: Vec<_> = self.instances.iter().filter(|instance| instance.target == actor).collect();
        list.sort_by_key(|instance| instance.sequence);
        list
    }

    /// Returns the events since the last call, with their times in microseconds, to compare them with the
    /// core's.
    pub fn take_events(&mut self) -> Vec<(i64, OracleEvent)> {
        std::mem::take(&mut self.events)
    }

    /// Definition of a controller's attribute by name; `None` if its sets do not have it.
    pub(crate) fn attribute(&self, actor: Actor, name: &str) -> Option<&AttributeDef> {
        self.attributes(actor).into_iter().find(|def| def.name == name)
    }

    /// Definition of an effect by its name; `None` if the game has no such effect.
    pub(crate) fn effect_def(&self, name: &str) -> Option<Arc<EffectDef>> {
        self.effects.get(name).cloned()
    }

    /// Records an event at the current time, for the comparison with the core's events.
    pub(crate) fn emit(&mut self, event: OracleEvent) {
        self.events.push((self.now, event));
    }

    /// Instance by its sequence number; `None` once it is removed.
    pub(crate) fn find(&self, sequence: u64) -> Option<&Instance> {
        self.instances.iter().find(|instance| instance.sequence == sequence)
    }

    /// Instance by its sequence number, to change it; `None` once it is removed.
    pub(crate) fn find_mut(&mut self, sequence: u64) -> Option<&mut Instance> {
        self.instances.iter_mut().find(|instance| instance.sequence == sequence)
    }

    /// Next number of the order of applications, for `sequence` and `applied` of an [`Instance`].
    pub(crate) fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }
}

/// Whether `tag` is `ancestor` or below it in the hierarchy (§7.3).
pub(crate) fn is_within(tag: &str, ancestor: &str) -> bool {
    tag == ancestor || tag.strip_prefix(ancestor).is_some_and(|rest| rest.starts_with('.'))
}

/// Ancestors of a tag from the top down, and the tag itself: all tags whose cumulative count a grant raises
/// (§7.2).
pub(crate) fn lineage(tag: &str) -> impl Iterator<Item = &str> {
    let dots = tag.match_indices('.').map(|(at, _)| at);
    dots.chain([tag.len()]).map(|end| &tag[..end])
}
