//! Hot reload: a running simulation continues under a changed catalog, and reports what could not continue.
//!
//! [`Simulation::reload`](crate::simulation::Simulation::reload) does it, a [`ReloadReport`] lists its
//! results, and a [`CatalogDiff`] compares two catalogs without changing anything.
//!
//! # Rules
//!
//! After a reload the simulation is what it would be had its *facts* come about under the new catalog.
//!
//! - **R1 Facts stay, by name.** Facts are time, seed, counters, handles and the allocation order of later
//!   handles; of a controller its sets, bases, owner, avatar and counts of rolls; of an effect its spec with
//!   level, context, set-by-caller magnitudes and captured values, its stacks, clock, phase of its period,
//!   random streams, and whether it is queued; of a granted ability its level and input. Definitions with the
//!   same name in both catalogs are the same; a renamed definition counts as one removed and one added.
//! - **R2 Derived state is recomputed where a definition that it depends on changed.** Tags, cues, modifiers,
//!   timers and watches are always derived again. A magnitude is evaluated again if its definition, or a
//!   curve or calculation that it uses, changed; otherwise it stays. A base stays; the current value follows
//!   from the new modifiers, bounds and expressions.
//! - **R3 A reload is not an application.** Requirements, immunity, chance, removal of others, additional
//!   effects and the first tick are not repeated. A changed template affects only controllers that are
//!   spawned later. Captures that only the new definition has are taken now, from the values before the
//!   reload.
//! - **R4 Clocks.** If the duration of an effect changed, its expiry moves by the difference between the
//!   durations of the two definitions; if that lies in the past, it expires. An infinite effect that got a
//!   duration has all of it from the reload on, and an effect that lost its duration is infinite. Durations
//!   set by a caller or the host stay. A new period is counted from the last tick, or from the start of the
//!   effect.
//! - **R5 State that cannot continue is removed without consequences, and reported.** An effect whose
//!   definition is gone or became instant, or whose changed magnitude cannot be evaluated, is removed without
//!   expiration effects. So are abilities, tags, sets and attributes without a definition. Stacks above a
//!   lowered limit are reduced to it. A queued effect that no longer runs in sequence begins.
//! - **R8 Activations continue where they are if their tasks are the same.** If the tasks of its ability
//!   changed, or the ability is gone, an activation is cancelled with the reason `Reloaded`. Used charges
//!   stay used.
//! - **R6 Without changes nothing happens.** A catalog with the same definitions, or with additional ones,
//!   leaves values, clocks and pending work as they are and emits no event; with the same ids, the state hash
//!   is the same.
//! - **R7 Deterministic and atomic.** Equal states under equal catalogs become equal states. An error changes
//!   nothing.
//!
//! Details:
//!
//! - *Queued events* are translated. An id of a removed definition becomes one that refers to nothing.
//! - *Events of the reload* belong to one operation. A removed effect emits `EffectRemoved` with the reason
//!   `Reloaded`; values, tags, cues, stacks and abilities emit theirs. Removed names, such as a tag or a set,
//!   have no event, only an entry in the report.
//! - *Effects created at run time* are resolved again in the new catalog, and removed if that fails. One
//!   stays active even if an effect of the catalog now has its name.
//! - *Native code* is that of the new catalog, which must provide everything that is needed. It counts by
//!   name: its earlier results stay until they are needed again.
//! - *Earlier snapshots* are rejected as belonging to another catalog, unless both catalogs are equal.
//!   Snapshots written with their rules can be [migrated](crate::simulation::Simulation::migrate), by these
//!   rules.
//! - *Ids that a host keeps*, in specs, queries and commands, are those of the old catalog: create them
//!   again, or translate them with [`ReloadReport::ids`].
//!
//! # Adding new kinds of state
//!
//! `simulation/reload/` has one module per kind of state, and each destructures its records: a new field does
//! not compile until its reload is defined. A new arena is a module there and a line in `Reload::run`; a new
//! kind of id is a line in `reload/renumbering.rs`.

mod diff;
mod renumbering;

use core::fmt;

pub use diff::{CatalogDiff, Change, DefinitionChange};
pub use renumbering::Renumbering;

use crate::attribute::layout::AttributeSetError;
use crate::catalog::{CatalogErrors, DefinitionKind};
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};

/// Why a simulation could not be reloaded. It is unchanged then.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// Changes are pending until the end of a batch.
    #[error("cannot reload inside a batch: let the batch end first")]
    InsideBatch,
    /// The attribute sets of a controller conflict in the new catalog (§6.4).
    #[error("{controller:?} cannot keep its attribute sets: {error}")]
    AttributeSets {
        /// The controller.
        controller: ControllerId,
        /// The conflict.
        error: AttributeSetError,
    },
}

/// The results of a reload.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReloadReport {
    /// The differences between the catalogs.
    pub diff: CatalogDiff,
    /// Ids of the old catalog mapped to those of the new one.
    pub ids: Renumbering,
    /// Every part of the state that could not continue unchanged, in a defined order.
    pub entries: Vec<ReloadEntry>,
}

impl ReloadReport {
    /// Whether the whole state continues unchanged.
    pub fn is_lossless(&self) -> bool {
        self.entries.iter().all(|entry| matches!(entry.outcome, ReloadOutcome::Appeared { .. }))
    }
}

impl fmt::Display for ReloadReport {
    /// One line for each definition that differs, then one for each entry.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.diff)?;
        for entry in &self.entries {
            writeln!(f, "{entry}")?;
        }
        Ok(())
    }
}

/// A part of the state that could not continue unchanged.
#[derive(Clone, PartialEq, Debug)]
pub struct ReloadEntry {
    /// Kind of the definition.
    pub kind: DefinitionKind,
    /// Name of the definition.
    pub name: String,
    /// Part of the state.
    pub place: ReloadPlace,
    /// Result for that part.
    pub outcome: ReloadOutcome,
}

impl fmt::Display for ReloadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, place, outcome } = self;
        write!(f, "{place}: {kind} `{name}` {outcome}")
    }
}

/// A part of the state, in a [`ReloadEntry`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReloadPlace {
    /// A controller.
    Controller(ControllerId),
    /// An active effect.
    Effect {
        /// Handle of the effect; dead if the effect was removed.
        active: ActiveEffectId,
        /// The controller it is or was on.
        target: ControllerId,
    },
    /// A granted ability.
    Ability {
        /// Handle of the ability; dead if it was revoked.
        handle: GrantedAbilityId,
        /// The controller that has or had it.
        controller: ControllerId,
    },
    /// The effects created at run time.
    RuntimeEffects,
}

impl fmt::Display for ReloadPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Controller(controller) => write!(f, "{controller:?}"),
            Self::Effect { active, target } => write!(f, "{active:?} on {target:?}"),
            Self::Ability { handle, controller } => write!(f, "{handle:?} of {controller:?}"),
            Self::RuntimeEffects => f.write_str("effects created at run time"),
        }
    }
}

/// The result of a reload for a part of the state that could not continue unchanged (R5).
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ReloadOutcome {
    /// It was removed because its definition is gone.
    DefinitionGone,
    /// An attribute was removed from a controller.
    AttributeDropped {
        /// Base value that it had.
        base: f64,
    },
    /// An attribute was added to a controller.
    Appeared {
        /// Its initial base value.
        base: f64,
    },
    /// An active effect was removed because its definition became instant.
    BecameInstant,
    /// An active effect was removed because a changed magnitude cannot be evaluated for it.
    CannotContinue {
        /// The refusal as text.
        reason: String,
    },
    /// The number of stacks was reduced to the new limit.
    StacksReduced {
        /// Stacks before.
        from: u32,
        /// Stacks now.
        to: u32,
    },
    /// An activation was cancelled because the tasks of its ability changed.
    RunCancelled,
    /// A queued effect began because it no longer runs in sequence.
    Began,
    /// An effect created at run time was removed because it is invalid in the new catalog.
    Invalid(CatalogErrors),
}

impl fmt::Display for ReloadOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DefinitionGone => f.write_str("is gone"),
            Self::AttributeDropped { base } => write!(f, "is gone; its base was {base}"),
            Self::Appeared { base } => write!(f, "is new, with base {base}"),
            Self::BecameInstant => f.write_str("was removed: it is instant now"),
            Self::CannotContinue { reason } => write!(f, "was removed: {reason}"),
            Self::StacksReduced { from, to } => write!(f, "has {to} stacks instead of {from}"),
            Self::RunCancelled => f.write_str("was cancelled: its tasks changed"),
            Self::Began => f.write_str("waited for its turn and began: it no longer runs in sequence"),
            Self::Invalid(errors) => write!(f, "was forgotten: {errors}"),
        }
    }
}
