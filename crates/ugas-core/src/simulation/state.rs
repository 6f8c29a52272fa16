//! The state: plain data that can be cloned, hashed and restored at any instant between calls (I1).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::runtime_effects::RuntimeEffects;
use crate::ability::{Activation, GrantedAbility};
use crate::arena::Arena;
use crate::attribute::layout::Layout;
use crate::attribute::layouts::Layouts;
use crate::catalog::Catalog;
use crate::codec::{self, StateRecord};
use crate::controller::Controller;
use crate::controller::summon::SummonIndex;
use crate::effect::{ActiveEffect, Effect};
use crate::event::EventFilter;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, Handle, TaskId};
use crate::hash::{HashSink, RecordHasher, StateHash, StateHasher};
use crate::id::{ActorId, AttributeId, EffectId};
use crate::task::RunningTask;
use crate::time::{Span, Time};
use crate::timer::TimerWheel;

/// Role of a simulation in a network game (§13).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Role {
    /// Authority without clients: decides and runs everything, as in a game without a network.
    #[default]
    Authority,
    /// Client: predicts the authority's decisions, and refuses operations that only an authority may do.
    Client,
    /// Server: an authority for remote players, without the parts that run on their machines only.
    Server,
}

/// Configuration of a simulation. Not part of the state.
#[derive(Clone, PartialEq, Eq, Debug, StateRecord)]
pub struct Config {
    /// Seed of everything random (V5).
    pub seed: u64,
    /// Seed of the random rolls that client and server share
    /// ([`Randomness::Predicted`](crate::prediction::Randomness)); equal on both sides and, unlike `seed`, no
    /// secret.
    #[state(since = 2)]
    pub prediction_seed: u64,
    /// Role of the simulation.
    pub role: Role,
    /// Whether `BeforeEffectApplied` is emitted, with the values from before (§15.4).
    pub audit: bool,
    /// Whether `TagCountChanged` is emitted for every change of a tag's explicit count (T6). It changes no
    /// state and no hash; tasks that wait for counts do not need it.
    #[state(since = 4)]
    pub tag_counts: bool,
    /// Types of events that are queued for the host; the others are left out. Reactions of the rules happen
    /// all the same, and no state, hash or sequence number depends on it. It is not recorded: a played
    /// recording emits all events.
    #[state(index)]
    pub events: EventFilter,
    /// Largest number of consequences of one call or timer (E12).
    pub cascade_limit: u32,
    /// Largest number of controllers.
    pub max_controllers: u32,
    /// Largest number of effects on one controller, including queued ones.
    pub max_effects_per_controller: u32,
    /// Largest number of abilities of one controller.
    pub max_abilities_per_controller: u32,
    /// Largest number of simultaneous activations of one controller.
    pub max_activations_per_controller: u32,
    /// Largest number of simultaneous branches of one activation; each waits for at most one task.
    pub max_branches_per_activation: u32,
    /// Largest number of controllers that tasks of abilities spawn in one operation (A17).
    #[state(since = 4)]
    pub max_spawns_per_operation: u32,
    /// Largest number of occurrences that one wait queues for later rounds (A9, A10); 0 means
    /// `cascade_limit`.
    #[state(since = 4)]
    pub max_queued_occurrences: u32,
    /// Largest number of stacks of one effect, even if its definition names no limit (E5).
    pub max_stacks: u32,
    /// Largest number of inputs that one controller holds at once.
    pub max_inputs_per_controller: u32,
    /// Largest number of caller-provided targets of one activation.
    pub max_targets: u32,
    /// Largest number of caller-provided numbers, and of tags, in one spec or grant.
    pub max_extras: u32,
    /// Largest size in bytes of one caller-provided payload, and of one name of an input or parameter.
    pub max_payload_bytes: u32,
    /// Shortest allowed period of an effect. Zero allows every period; set it when running untrusted content,
    /// since a period of a microsecond keeps `advance` busy for a very long time.
    pub min_period: Span,
    /// Largest number of effects created at run time.
    pub max_runtime_effects: u32,
    /// Largest number of events queued for polling; later ones are counted and dropped.
    pub max_events: u32,
}

impl Config {
    /// The default configuration with a seed.
    pub fn seeded(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 0,
            prediction_seed: 0,
            role: Role::Authority,
            audit: false,
            tag_counts: false,
            events: EventFilter::default(),
            cascade_limit: 4_096,
            max_controllers: 1 << 20,
            max_effects_per_controller: 4_096,
            max_abilities_per_controller: 1_024,
            max_activations_per_controller: 256,
            max_branches_per_activation: 256,
            max_spawns_per_operation: 1_024,
            max_queued_occurrences: 0,
            max_stacks: 1 << 20,
            max_inputs_per_controller: 256,
            max_targets: 1 << 12,
            max_extras: 1 << 10,
            max_payload_bytes: 1 << 16,
            min_period: Span::ZERO,
            max_runtime_effects: 1 << 16,
            max_events: 1 << 20,
        }
    }
}

/// Counters of a simulation. All of them are part of the state: they number later objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Number of applied effects, granted abilities and started tasks.
    pub sequence: u64,
    /// Number of controllers ever spawned.
    pub controllers: u64,
    /// Number of operations: calls and timers with a result.
    pub operations: u64,
    /// Number of emitted events.
    pub events: u64,
}

/// Kind of a timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum TimerKind {
    /// E3: at equal times the tick of an effect precedes its expiry.
    Tick(ActiveEffectId),
    Expiry(ActiveEffectId),
    Task(TaskId),
    Recharge(GrantedAbilityId),
    /// The lifetime of a summoned controller (A17).
    Lifetime(ControllerId),
}

/// A timer. Timers at the same instant fire in this order (V4): by the sequence in which effects were
/// applied, tasks started and abilities granted, which share one counter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Timer {
    pub(super) sequence: u64,
    pub(super) kind: TimerKind,
}

/// The complete state of a simulation.
#[derive(Debug)]
pub(crate) struct State {
    pub(super) now: Time,
    pub(super) seed: u64,
    /// Next application number.
    pub(super) sequence: u64,
    /// Next controller ordinal.
    pub(super) ordinal: u64,
    /// Next operation number.
    pub(super) operation: u64,
    /// Next event number.
    pub(super) events: u64,
    pub(super) controllers: Arena<ControllerId, Controller>,
    pub(super) effects: Arena<ActiveEffectId, ActiveEffect>,
    pub(super) abilities: Arena<GrantedAbilityId, GrantedAbility>,
    pub(super) activations: Arena<ActivationId, Activation>,
    pub(super) tasks: Arena<TaskId, RunningTask>,
    /// Effects created at run time. Their ids follow those of the catalog.
    pub(super) runtime_effects: RuntimeEffects,
    pub(super) owners: BTreeSet<(ActorId, ControllerId)>,
    pub(super) avatars: BTreeSet<(ActorId, ControllerId)>,
    /// Index of summoned controllers; derived (A17).
    pub(super) summons: SummonIndex,
    /// Pending timers; derived.
    pub(super) timers: TimerWheel<Timer>,
    /// Cache of the layouts of attribute set combinations, in the order of first use.
    pub(super) layouts: Layouts,
}

impl State {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            now: Time::ZERO,
            seed,
            sequence: 0,
            ordinal: 0,
            operation: 0,
            events: 0,
            controllers: Arena::new(),
            effects: Arena::new(),
            abilities: Arena::new(),
            activations: Arena::new(),
            tasks: Arena::new(),
            runtime_effects: RuntimeEffects::default(),
            owners: BTreeSet::new(),
            avatars: BTreeSet::new(),
            summons: SummonIndex::default(),
            timers: TimerWheel::new(Time::ZERO),
            layouts: Layouts::default(),
        }
    }

    /// Returns the next sequence number and advances the counter.
    pub(super) fn next_sequence(&mut self) -> u64 {
        let sequence = self.sequence;
        self.sequence += 1;
        sequence
    }

    #[inline]
    pub(crate) fn layout(&self, controller: &Controller) -> &Layout {
        &self.layouts[controller.layout as usize]
    }

    /// A controller together with the slot of one of its attributes; `None` if either is missing.
    #[inline]
    pub(super) fn locate(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
    ) -> Option<(&Controller, usize)> {
        let controller = self.controllers.get(controller)?;
        let slot = self.layout(controller).slot_of(attribute)?;
        Some((controller, usize::from(slot)))
    }

    /// Definition of an effect, of the catalog or created at run time; `None` if it was forgotten.
    #[inline]
    pub(super) fn definition<'a>(&'a self, catalog: &'a Catalog, id: EffectId) -> Option<&'a Arc<Effect>> {
        match id.usize().checked_sub(catalog.effect_count()) {
            None => catalog.effect_by_id(id),
            Some(number) => self.runtime_effects.get(number),
        }
    }

    /// Oldest controller of an actor in `index`, which is `owners` or `avatars`.
    pub(super) fn by_actor(
        &self,
        index: &BTreeSet<(ActorId, ControllerId)>,
        actor: ActorId,
    ) -> Option<ControllerId> {
        let lowest = ControllerId::from_parts(0, core::num::NonZeroU32::MIN);
        let of_actor = index.range((actor, lowest)..).take_while(|(id, _)| *id == actor);
        of_actor
            .map(|&(_, controller)| controller)
            .min_by_key(|&controller| self.controllers.get(controller).map(Controller::ordinal))
    }
}

impl State {
    /// State hash in the form of a codec version.
    pub(super) fn hash(&self, version: u32) -> u64 {
        if version < codec::HASHED_BY_RECORD { StateHasher::of(self) } else { RecordHasher::of(self) }
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.seed);
        clone.clone_from(self);
        clone
    }

    /// Reuses allocated memory, so that restoring a snapshot every tick does not allocate.
    fn clone_from(&mut self, source: &Self) {
        let Self {
            now,
            seed,
            sequence,
            ordinal,
            operation,
            events,
            controllers,
            effects,
            abilities,
            activations,
            tasks,
            runtime_effects,
            owners,
            avatars,
            summons,
            timers,
            layouts,
        } = source;
        self.now = *now;
        self.seed = *seed;
        self.sequence = *sequence;
        self.ordinal = *ordinal;
        self.operation = *operation;
        self.events = *events;
        self.controllers.clone_from(controllers);
        self.effects.clone_from(effects);
        self.abilities.clone_from(abilities);
        self.activations.clone_from(activations);
        self.tasks.clone_from(tasks);
        self.runtime_effects.clone_from(runtime_effects);
        // Copying a tree allocates a new one, so comparing first is cheaper.
        if self.owners != *owners {
            self.owners.clone_from(owners);
        }
        if self.avatars != *avatars {
            self.avatars.clone_from(avatars);
        }
        if self.summons != *summons {
            self.summons.clone_from(summons);
        }
        self.timers.clone_from(timers);
        self.layouts.clone_from(layouts);
    }
}

impl StateHash for State {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self {
            now,
            seed,
            sequence,
            ordinal,
            operation,
            events,
            controllers,
            effects,
            abilities,
            activations,
            tasks,
            runtime_effects,
            owners: _,
            avatars: _,
            summons: _,
            timers: _,
            layouts: _,
        } = self;
        now.state_hash(hasher);
        seed.state_hash(hasher);
        sequence.state_hash(hasher);
        ordinal.state_hash(hasher);
        operation.state_hash(hasher);
        events.state_hash(hasher);
        // Layouts follow from the record: the list is only appended to, or rebuilt with all controllers.
        controllers.hash_with(hasher, |controller, record| {
            self.layout(controller).sets.state_hash(record);
        });
        if !S::BY_RECORD {
            for (_, controller) in controllers.iter() {
                self.layout(controller).sets.state_hash(hasher);
            }
        }
        effects.state_hash(hasher);
        abilities.state_hash(hasher);
        activations.state_hash(hasher);
        tasks.state_hash(hasher);
        runtime_effects.state_hash(hasher);
    }
}
