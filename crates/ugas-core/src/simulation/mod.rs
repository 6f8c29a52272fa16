//! The simulation: commands in, state advances, events out.
//!
//! Reading order, one module per step of §3.3 and of E1. Effects: `spawn` (controllers, §4.3), `apply` (E1), `direct`
//! (applications that are one write or one plain modifier), `additional` (E15),
//! `policy` (stacking and execution policies, E4, E5), `execute` (base values, M9), `activate` (grants of
//! active effects), `refresh` (re-evaluation of active effects, E7, E8), `values` (aggregation and bounds),
//! `flush` (recalculation and its events), `remove`, `adjust`, `advance` (time), `cascade` (E12) and
//! `dependencies` (cycles of live magnitudes, B6). Abilities: `grant` (A8), `requirements` (A1), `ability`
//! (§8.2, §8.6), `commit` (§8.4), `routine`, `actions`, `waits` and `numbers` (§10), `observe` (reactions to
//! events), `inputs` (§11) and `targets`. `limits` bounds data from callers, and `prediction` decides what a
//! client leaves to the authority (§13). `derive` rebuilds derived state and `integrity` checks it; `reload`
//! moves a simulation to a changed catalog; `snapshot` copies, writes and reads the state; `character` saves
//! and restores one controller by names; `replica` replicates controllers to clients.

mod ability;
mod actions;
mod activate;
mod additional;
mod adjust;
mod advance;
mod apply;
mod calculate;
mod cascade;
mod character;
mod commit;
mod costs;
mod cues;
mod dependencies;
mod derive;
mod direct;
mod execute;
mod flush;
mod grant;
mod hold;
mod index;
mod inputs;
mod integrity;
mod limits;
mod magnitude;
mod native_tasks;
mod numbers;
mod observe;
mod occurrences;
mod op;
mod panic;
mod place;
mod policy;
mod pool;
mod post_execute;
mod prediction;
mod propose;
mod query;
mod read;
mod refresh;
mod reload;
mod remove;
mod replica;
mod requirements;
mod routine;
mod runtime;
mod runtime_effects;
mod scratch;
mod sets;
mod snapshot;
mod spawn;
mod state;
mod summons;
mod targets;
mod values;
mod waits;

use std::sync::Arc;

pub use ability::ActivationRequest;
pub use apply::Application;
pub use calculate::CalculationContext;
pub use grant::GrantSetError;
pub(crate) use inputs::InputState;
pub use inputs::PressOutcome;
pub use post_execute::PostExecute;
pub use read::{AttributeValue, ReadError};
pub use remove::Stacks;
pub use runtime::DefineEffectError;
pub use sets::RegisterError;
pub use snapshot::{EmbeddedRulesError, ForeignSnapshot, MigrationError, Snapshot};
pub use spawn::{Spawn, SpawnError};
pub(crate) use state::State;
pub use state::{Config, Counters, Role};
pub use values::{AggregatorSnapshot, EvaluationParameters};
pub(crate) use values::{EvalInput, Qualification, SourceTags, clamp};

use crate::ability::{ActivationRefusal, GrantedAbility};
use crate::catalog::Catalog;
use crate::controller::Controller;
use crate::effect::{ActiveEffect, ContextTags, Effect, EffectStatus};
use crate::event::{Cause, Event, EventFilter, EventKind, EventQueue, EventRef, EventType, Origin};
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{ActorId, AttributeId, AttributeSetId, EffectId, TagId};
use crate::refusal::Refusal;
use crate::tag::TagContainer;
use crate::targeting::SharedSpace;
use crate::time::Time;
use observe::TagChange;
use scratch::Scratch;

/// A running game: a catalog, the state, and the events not yet polled.
///
/// Every call leaves the state settled: values are up to date, all consequences have happened, and the state
/// can be [cloned, hashed and restored](Self::snapshot). Handles of objects that no longer exist are
/// harmless: reads return `None`, writes return an error.
///
/// # Panics of native code
/// No call panics by itself. If native code panics in a call (a hook, calculation, requirement, task, filter or
/// [`Space`](crate::targeting::Space), or the closure of a batch), the operation ends at that point, as at the cascade
/// limit (E12), and the panic continues:
/// - Changes before the panic stay, with their events. Base values that an incomplete execution wrote are restored, and
///   an instance whose modifiers were being tried is removed. A value whose evaluation panicked stays as it was.
/// - Values are recalculated; all other consequences that were queued are dropped, and activations that waited for
///   them, or were in the middle of a step, are cancelled. A [native task](crate::task::CustomTask) that panicked in
///   `wake` or `timer` waits on.
/// - Cause, prediction, batch and budget of the operation are forgotten. The next operation behaves as in a simulation
///   that was restored from a snapshot of this state, and [`inconsistencies`](Self::inconsistencies) are none.
///
/// The operation is still done only in part, on this machine alone: a host that catches the panic and goes on should
/// [restore](Self::restore) a snapshot from before the call.
///
/// ```
/// use ugas_core::attribute::{AttributeDef, AttributeSetDef};
/// use ugas_core::catalog::Catalog;
/// use ugas_core::controller::ControllerDef;
/// use ugas_core::effect::EffectDef;
/// use ugas_core::modifier::Operation;
/// use ugas_core::simulation::{Config, Simulation};
/// use ugas_core::time::Span;
///
/// let catalog = Catalog::builder()
///     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
///     .effect(EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -5.0))
///     .template(ControllerDef::new("Wolf").with_set("Combat"))
///     .build()?;
/// let mut sim = Simulation::new(catalog.clone(), Config::seeded(7));
/// let wolf = sim.spawn("Wolf")?;
/// sim.apply_effect(catalog.effect("GE_Poison")?, None, wolf)?;
/// sim.advance(Span::seconds(10.0));
/// assert_eq!(sim.current(wolf, catalog.attribute("Health")?), Some(50.0)); // ten ticks (E3)
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Simulation {
    catalog: Arc<Catalog>,
    config: Config,
    /// World of the simulation, instead of the catalog's. Not part of the state.
    space: Option<SharedSpace>,
    /// Controllers that a client knows only partially ([`Knowledge`](crate::prediction::Knowledge)), sorted.
    shown: Vec<ControllerId>,
    /// Attributes of a client's replica whose values the server withholds (N1), sorted.
    withheld: Vec<(ControllerId, AttributeId)>,
    state: State,
    scratch: Scratch,
    events: EventQueue,
    dropped_events: u64,
}

impl Simulation {
    /// Creates an empty simulation of `catalog` at time zero.
    pub fn new(catalog: Arc<Catalog>, config: Config) -> Self {
        let state = State::new(config.seed);
        Self {
            catalog,
            config,
            space: None,
            shown: Vec::new(),
            withheld: Vec::new(),
            state,
            scratch: Scratch::default(),
            events: EventQueue::default(),
            dropped_events: 0,
        }
    }

    /// The catalog that the simulation runs under.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Changes the role of the simulation in a network game (§13). Running effects and abilities continue.
    pub fn set_role(&mut self, role: Role) {
        self.config.role = role;
    }

    /// Changes the types of events that are queued from now on; see [`Config::events`].
    pub fn set_event_filter(&mut self, filter: EventFilter) {
        self.config.events = filter;
    }

    /// Current simulation time.
    pub fn now(&self) -> Time {
        self.state.now
    }

    /// The controller behind a handle; `None` if it does not exist (any more).
    #[inline]
    pub fn controller(&self, id: ControllerId) -> Option<&Controller> {
        self.state.controllers.get(id)
    }

    /// All controllers, in the order of their handles.
    pub fn controllers(&self) -> impl Iterator<Item = (ControllerId, &Controller)> {
        self.state.controllers.iter()
    }

    /// Controller whose owner is `owner` (§4.4); the oldest of several.
    pub fn controller_of_owner(&self, owner: ActorId) -> Option<ControllerId> {
        self.state.by_actor(&self.state.owners, owner)
    }

    /// Controller whose avatar is `avatar` (§4.4); the oldest of several.
    pub fn controller_of_avatar(&self, avatar: ActorId) -> Option<ControllerId> {
        self.state.by_actor(&self.state.avatars, avatar)
    }

    /// Current value of an attribute. Inside a [batch](Self::batch) it is the value from before the batch
    /// (UEM, "FScopedAggregatorOnDirtyBatch").
    ///
    /// `None` if there is no value to read; [`Self::value`] gives the reason.
    pub fn current(&self, controller: ControllerId, attribute: AttributeId) -> Option<f64> {
        self.value(controller, attribute).ok().map(|value| value.current)
    }

    /// Base value of an attribute. `None` if there is no value to read; [`Self::value`] gives the reason.
    pub fn base(&self, controller: ControllerId, attribute: AttributeId) -> Option<f64> {
        self.value(controller, attribute).ok().map(|value| value.base)
    }

    /// Attributes of a controller with base and current value, in evaluation order. On a client, attributes
    /// that the server [withholds](Self::withheld) are left out.
    pub fn attributes(&self, id: ControllerId) -> impl Iterator<Item = (AttributeId, f64, f64)> + '_ {
        let controller = self.state.controllers.get(id);
        controller.into_iter().flat_map(move |controller| {
            let layout = self.state.layout(controller);
            let values = layout.slots.iter().zip(&controller.values);
            let values = values.filter(move |(slot, _)| !self.is_withheld(id, slot.attribute.id));
            values.map(|(slot, value)| (slot.attribute.id, value.base, value.current))
        })
    }

    /// Attribute sets of a controller; empty if it does not exist.
    pub fn attribute_sets(&self, controller: ControllerId) -> &[AttributeSetId] {
        let controller = self.state.controllers.get(controller);
        controller.map(|controller| &*self.state.layout(controller).sets).unwrap_or_default()
    }

    /// Tags of a controller; `None` if it does not exist.
    #[inline]
    pub fn tags(&self, controller: ControllerId) -> Option<&TagContainer> {
        self.state.controllers.get(controller).map(|controller| &controller.tags)
    }

    /// Whether a controller has a tag or a descendant of it (§7.3).
    #[inline]
    pub fn has_tag(&self, controller: ControllerId, tag: TagId) -> bool {
        self.tags(controller).is_some_and(|tags| tags.matches(tag))
    }

    /// The active effect behind a handle; `None` once it has ended.
    pub fn effect(&self, id: ActiveEffectId) -> Option<&ActiveEffect> {
        self.state.effects.get(id)
    }

    /// Definition of an effect of the catalog or created at run time.
    pub fn effect_definition(&self, id: EffectId) -> Option<&Arc<Effect>> {
        self.state.definition(&self.catalog, id)
    }

    /// Effects created at run time, in the order of creation.
    pub fn runtime_effects(&self) -> impl Iterator<Item = (EffectId, &Effect)> {
        let first = self.catalog.effect_count() as u32;
        let known = self.state.runtime_effects.iter();
        known.map(move |(number, effect)| (EffectId::from_index(first.saturating_add(number)), &**effect))
    }

    /// Name of an effect of the catalog or created at run time; `<unknown>` if there is none.
    pub fn effect_name(&self, id: EffectId) -> &str {
        self.effect_definition(id).map_or("<unknown>", |effect| effect.name())
    }

    /// The granted ability behind a handle; `None` once it is revoked.
    pub fn ability(&self, handle: GrantedAbilityId) -> Option<&GrantedAbility> {
        self.state.abilities.get(handle)
    }

    /// Whether the base value of an attribute comes from an expression (§6.4) and cannot be set (B7).
    pub fn is_derived(&self, controller: ControllerId, attribute: AttributeId) -> bool {
        let controller = self.state.controllers.get(controller);
        controller.is_some_and(|controller| self.state.layout(controller).is_derived(attribute))
    }

    /// Removes and returns the oldest event that was not polled yet.
    ///
    /// ```
    /// # use ugas_core::{catalog::Catalog, simulation::{Config, Simulation}};
    /// # let mut sim = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
    /// while let Some(event) = sim.poll_event() {
    ///     println!("{}", event.describe(&sim));
    /// }
    /// ```
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// Removes and returns all events that were not polled yet, oldest first. Events that the iterator does
    /// not visit are removed, too.
    pub fn events(&mut self) -> impl Iterator<Item = Event> + '_ {
        self.events.drain()
    }

    /// Visits the events that were not polled yet by reference, oldest first, and removes them. It copies
    /// nothing, so it is the cheapest way to read all events. After a panic of `visit` the events that it has
    /// not seen stay in the queue.
    ///
    /// ```
    /// # use ugas_core::{catalog::Catalog, controller::ControllerDef, simulation::{Config, Simulation}};
    /// # let catalog = Catalog::builder().template(ControllerDef::new("Wolf")).build().unwrap();
    /// # let mut sim = Simulation::new(catalog, Config::default());
    /// sim.spawn("Wolf")?;
    /// let mut names = Vec::new();
    /// sim.visit_events(|event| names.push(event.kind.name()));
    /// assert_eq!(names, ["ControllerSpawned"]);
    /// assert_eq!(sim.poll_event(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn visit_events(&mut self, visit: impl FnMut(EventRef<'_>)) {
        self.events.visit(visit);
    }

    /// The events that were not polled yet by reference, oldest first. They stay in the queue.
    pub fn peek_events(&self) -> impl ExactSizeIterator<Item = EventRef<'_>> {
        self.events.iter()
    }

    /// Copies the events that were not polled yet, oldest first, and leaves them in the queue.
    pub fn pending_events(&self) -> impl ExactSizeIterator<Item = Event> + '_ {
        self.events.iter().map(Event::from)
    }

    /// Number of events dropped since the simulation was created, because the queue had reached
    /// [`Config::max_events`]; the newest are dropped. Restoring a snapshot does not reset it.
    pub fn dropped_events(&self) -> u64 {
        self.dropped_events
    }

    /// Counters of the simulation: operations, events and other totals.
    pub fn counters(&self) -> Counters {
        let State { sequence, ordinal, operation, events, .. } = self.state;
        Counters { sequence, controllers: ordinal, operations: operation, events }
    }

    /// Copies the whole state, as it is between calls (I1). Events that were not polled are not part of it.
    pub fn snapshot(&self) -> Snapshot {
        let (catalog, state) = (Arc::clone(&self.catalog), self.state.clone());
        Snapshot { catalog, state, is_settled: self.is_settled() }
    }

    /// Writes the state over an older snapshot and reuses its memory, as a rollback buffer does every tick.
    /// Only records that changed since the older snapshot are copied (I5), and all timers; the same holds for
    /// [`Self::restore`], which also visits all activations and tasks.
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        snapshot.catalog = Arc::clone(&self.catalog);
        snapshot.state.clone_from(&self.state);
        snapshot.is_settled = self.is_settled();
    }

    /// Restores a snapshot. The simulation then continues exactly as it did from there, including the handles
    /// it allocates. Events not yet polled are discarded. Effects created at run time after the snapshot are
    /// gone, and their ids may be reused: define them again.
    ///
    /// # Errors
    /// If the snapshot belongs to another catalog; the state is unchanged then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ForeignSnapshot> {
        let (expected, found) = (self.catalog.hash(), snapshot.catalog.hash());
        if expected != found {
            return Err(ForeignSnapshot { expected, found });
        }
        self.state.clone_from(&snapshot.state);
        self.scratch.reset();
        self.events.clear();
        if !snapshot.is_settled {
            self.list_pending();
        }
        self.finish_pending();
        Ok(())
    }

    /// Carries out the work that was pending when the state was copied, such as branches that yielded inside
    /// a batch.
    fn finish_pending(&mut self) {
        if self.resume_all() || !self.scratch.pending.is_up_to_date() {
            self.settle();
        }
    }

    /// Whether no work waits for the end of a batch or for the next operation.
    fn is_settled(&self) -> bool {
        let scratch = &self.scratch;
        scratch.current.batch_depth == 0 && scratch.pending.has_settled() && scratch.cascade.begins.is_empty()
    }

    /// Lists the pending work of a restored snapshot in the working memory, for [`Self::finish_pending`]:
    /// values from inside a batch, and effect queues that an exhausted cascade left waiting. Former values
    /// are forgotten.
    pub(super) fn list_pending(&mut self) {
        let State { controllers, effects, .. } = &mut self.state;
        let (dirty, refresh) = (&mut self.scratch.pending.dirty, &mut self.scratch.pending.refresh);
        // Checked first: a mutable borrow marks a controller as changed.
        let waits =
            |controller: &Controller| controller.pending.listed || controller.pending.recorded.has_any();
        let waiting: Vec<ControllerId> =
            controllers.iter().filter(|(_, controller)| waits(controller)).map(|(id, _)| id).collect();
        for id in waiting {
            let Some(controller) = controllers.get_mut(id) else { continue };
            controller.pending.recorded = Default::default();
            if controller.pending.listed {
                dirty.push_back(id);
            }
        }
        let mut has_queues = false;
        for (id, effect) in effects.iter() {
            has_queues |= effect.status == EffectStatus::Queued;
            if effect.refresh_pending {
                refresh.push_back(id);
            }
        }
        if has_queues {
            self.find_idle_queues();
        }
    }

    /// Hash of the whole state: equal for simulations that will continue identically (V4). Its form is defined in
    /// [`crate::hash`].
    ///
    /// Costs what changed since the last call: the hashes of unchanged records are kept. The first call allocates
    /// memory for them, 16 bytes a record.
    pub fn state_hash(&self) -> u64 {
        self.state_hash_of_version(crate::codec::VERSION)
    }

    /// Hash of the whole state in the form of a [codec version](crate::codec::VERSION), to compare it with one from a file of that version.
    ///
    /// Up to version 4, it is the XXH3 of the whole state as bytes, which costs as much at every call.
    pub fn state_hash_of_version(&self, version: u32) -> u64 {
        self.state.hash(version)
    }

    /// Makes several changes with one recalculation at the end (UEM, "FScopedAggregatorOnDirtyBatch"). Inside
    /// the batch values are those from before, tags are up to date, and consequences wait for the end.
    /// Advancing time, spawning or despawning controllers and changing attribute sets update values earlier.
    /// Take snapshots outside a batch: pending consequences are not part of them.
    pub fn batch<R>(&mut self, changes: impl FnOnce(&mut Self) -> R) -> R {
        let depth = self.scratch.current.batch_depth;
        if depth == 0 {
            self.scratch.cascade.reset_budget();
        }
        self.scratch.current.batch_depth = depth.saturating_add(1);
        // The batch ends here even after a panic or a restore inside it.
        let result = self.guarded(changes, |sim| {
            sim.scratch.current.batch_depth = depth;
            sim.abandon();
        });
        self.scratch.current.batch_depth = depth;
        self.settle();
        result
    }

    /// Whether a value of this controller waits for the end of a batch.
    pub(crate) fn is_stale(&self, controller: &Controller) -> bool {
        self.scratch.current.batch_depth > 0 && controller.pending.listed
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Emits an event and queues its consequences.
    fn emit(&mut self, kind: EventKind) {
        self.observe(&kind);
        self.publish(kind);
    }

    /// Emits an event that owns no memory, constructed where it is stored. Like [`Self::emit`], for the events of
    /// most operations: it is expanded at each call.
    #[inline(always)]
    fn emit_in_place(&mut self, event: impl Fn() -> EventKind) {
        // These events own nothing: dropping one costs more than looking at it.
        let known = core::mem::ManuallyDrop::new(event());
        debug_assert!(known.owns_nothing());
        if self.has_reactions(&known) {
            self.observe(&known);
        }
        let sequence = self.state.events;
        self.state.events += 1;
        if self.has_room_for(|| known.event_type()) {
            self.push_event(sequence, event);
        }
    }

    /// Emits two events that can have no reactions apart from those of tasks, constructed where they are stored.
    /// False, without a change, if there are tasks, or the events need not both be queued.
    #[inline(always)]
    fn emit_pair(&mut self, one: impl FnOnce() -> EventKind, two: impl FnOnce() -> EventKind) -> bool {
        let Self { events, scratch, state, config, .. } = self;
        let has_room = events.len() + 2 <= config.max_events as usize && config.events.keeps_all();
        if !has_room || !state.tasks.is_empty() || cfg!(feature = "tracing") {
            return false;
        }
        events.push_pair(state.events, scratch.current.version(), one, two, || {
            scratch.current.origin(state.now)
        });
        state.events += 2;
        true
    }

    /// Emits an event with context tags, in place if there are none.
    #[inline(always)]
    fn emit_tagged(&mut self, tags: ContextTags, event: impl Fn(ContextTags) -> EventKind) {
        if tags.is_empty() {
            self.emit_in_place(|| event(ContextTags::default()));
        } else {
            self.emit(event(tags));
        }
    }

    /// Emits an event with another cause than the current one.
    #[inline(always)]
    fn emit_with(&mut self, cause: Cause, event: impl Fn() -> EventKind) {
        if self.has_reactions(&event()) {
            self.observe(&event());
        }
        let sequence = self.state.events;
        self.state.events += 1;
        if self.has_room_for(|| event().event_type()) {
            let origin = Origin { cause, ..self.scratch.current.origin(self.state.now) };
            #[cfg(feature = "tracing")]
            crate::event::log(origin.event(sequence, &event()), self);
            self.events.push_alone(sequence, event, origin);
        }
    }

    /// Emits the event of a refused application (E1).
    #[cold]
    fn emit_refusal(&mut self, refusal: &Refusal) {
        if !self.config.events.keeps(EventType::EffectRefused) {
            self.state.events += 1;
            return;
        }
        let shared = self.scratch.shared.refused_effects.share(refusal, self.events.len());
        self.emit(EventKind::EffectRefused(shared));
    }

    /// Emits the event of a refused activation or commit (A1).
    #[cold]
    fn emit_activation_refusal(&mut self, refusal: &ActivationRefusal) {
        // Nothing reacts to it.
        let sequence = self.state.events;
        self.state.events += 1;
        if self.has_room_for(|| EventType::AbilityRefused) {
            self.push_event(sequence, || EventKind::AbilityRefused(refusal.clone()));
        }
    }

    /// Appends an event to the queue of the host under the next sequence number. The number is used up even
    /// if the event is not queued, so that the state depends neither on polling nor on the wishes of the
    /// host.
    fn publish(&mut self, kind: EventKind) {
        let sequence = self.state.events;
        self.state.events += 1;
        self.queue_event(sequence, kind);
    }

    /// Appends the events of tags that became present or are gone to the queue, see [`Self::publish`].
    fn publish_tags(&mut self, controller: ControllerId, tags: &[TagId], change: TagChange) {
        let room = (self.config.max_events as usize).saturating_sub(self.events.len());
        if !self.config.events.keeps_all() || room < tags.len() || cfg!(feature = "tracing") {
            for &tag in tags {
                self.publish(change.event(controller, tag));
            }
            return;
        }
        let Self { events, scratch, state, .. } = self;
        let kinds = tags.iter().map(|&tag| change.event(controller, tag));
        events.push_all(state.events, scratch.current.version(), kinds, || scratch.current.origin(state.now));
        state.events += tags.len() as u64;
    }

    /// Emits an optional event without a sequence number of its own, so that enabling it changes no state. It
    /// bears the number of the next event.
    fn publish_unnumbered(&mut self, kind: EventKind) {
        self.queue_event(self.state.events, kind);
    }

    /// Queues an event for the host, unless [`Config::events`] leaves it out. At [`Config::max_events`] it is
    /// dropped and counted.
    #[inline(always)]
    fn queue_event(&mut self, sequence: u64, kind: EventKind) {
        if self.has_room_for(|| kind.event_type()) {
            self.push_event(sequence, || kind);
        }
    }

    /// Queues an event of the current cause.
    #[inline(always)]
    fn push_event(&mut self, sequence: u64, event: impl FnOnce() -> EventKind) {
        #[cfg(feature = "tracing")]
        let event = {
            let kind = event();
            crate::event::log(self.scratch.current.origin(self.state.now).event(sequence, &kind), self);
            || kind
        };
        let Self { events, scratch, state, .. } = self;
        events.push(sequence, scratch.current.version(), event, || scratch.current.origin(state.now));
    }

    /// Whether an event is queued. Counts it as dropped if the queue is full.
    #[inline(always)]
    fn has_room_for(&mut self, event_type: impl FnOnce() -> EventType) -> bool {
        let events = self.config.events;
        if !events.keeps_all() && !events.keeps(event_type()) {
            return false;
        }
        let has_room = self.events.len() < self.config.max_events as usize;
        if !has_room {
            self.dropped_events += 1;
        }
        has_room
    }
}

impl core::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Simulation")
            .field("now", &self.state.now)
            .field("controllers", &self.state.controllers.len())
            .field("effects", &self.state.effects.len())
            .finish_non_exhaustive()
    }
}
