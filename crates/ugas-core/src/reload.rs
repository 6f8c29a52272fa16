//! Hot reload: a running simulation goes on under a changed catalog, and says what could not go on.
//!
//! [`Simulation::reload`](crate::simulation::Simulation::reload) does it, a [`ReloadReport`] says what became of
//! everything, and [`CatalogDiff`] tells what differs between two catalogs without doing anything.
//!
//! # The law
//!
//! After a reload the simulation is what it would be had its *facts* come about under the new catalog.
//!
//! - **R1 Facts stay, by name.** Time, seed, counters, handles and the order in which they are given out next; of a
//!   controller its sets, bases, owner, avatar and how often dice were rolled; of an effect its spec with level, context,
//!   caller's numbers and captured values, its stacks, clock, phase of its period, dice, and whether it is queued; of a
//!   granted ability its level and input. What has a name in both catalogs is the same thing; a renamed definition is
//!   one that is gone and another that is new.
//! - **R2 What is computed is computed anew, where a definition that it depends on changed.** Tags, cues, modifiers,
//!   timers and what effects follow are always derived again. A magnitude is evaluated again if its definition, or a
//!   curve or calculation that it uses, changed; otherwise it stays what it was. A base stays; the current value follows
//!   from the new modifiers, bounds and expressions.
//! - **R3 A reload is not an application.** Requirements, immunity, chance, remove-others, additional effects and the
//!   first tick are not repeated, and what a template says concerns only controllers that are spawned later. What the
//!   new definition captures and the old one did not is captured now, from the values before the reload.
//! - **R4 Clocks.** If the duration of an effect changed, its end moves by the difference between what the two
//!   definitions give for it; one that is over by then expires. An effect that had no end is given one whole duration
//!   from the reload on, and one that lost its duration has no end. Durations that a caller or the host set stay. A new
//!   period is counted from the last tick, or from the beginning.
//! - **R5 What cannot go on is taken away without consequences, and reported.** An effect whose definition is gone or
//!   became instant, or whose changed magnitude cannot be evaluated for it, is removed: no expiration effects. So are
//!   abilities, tags, sets and attributes that are gone. Stacks above a lowered limit fall to it. A queued effect that
//!   is no longer to run in sequence begins.
//! - **R8 Runs of abilities go on where they are, if their tasks are the same.** A run whose ability has other tasks now,
//!   or is gone, is cancelled with the reason `Reloaded`. Used charges stay used.
//! - **R6 Nothing changed, nothing happens.** A catalog with the same definitions, or one with others besides, leaves
//!   values, clocks and what is to come as they are, and raises no event; with the same ids, the state hash is the same.
//! - **R7 Deterministic and atomic.** Equal states under equal catalogs come to equal states. An error changes nothing.
//!
//! What else there is to say:
//!
//! - *Events that wait* are translated. An id of something that is gone becomes one that names nothing.
//! - *Events of the reload* belong to one operation. An effect that was removed raises `EffectRemoved` with the reason
//!   `Reloaded`; values, tags, cues, stacks and abilities raise theirs. What is gone by name, such as a tag or a set,
//!   has no event, only an entry of the report.
//! - *Effects created at run time* are resolved again in the new catalog, and go if that fails. One keeps running beside
//!   an effect of the catalog that now has its name.
//! - *Native code* is that of the new catalog, which must bring all that is needed. It counts by name: what it computed
//!   before stays until something asks for it again.
//! - *Snapshots* from before are refused as of another catalog, unless both catalogs are equal. Those that were written
//!   with their rules can be [migrated](crate::simulation::Simulation::migrate), by this law.
//! - *Ids that a host keeps*, in specs, queries and commands, are those of the old catalog: make them anew, or translate
//!   them by [`ReloadReport::ids`].
//!
//! # Where later kinds of state go
//!
//! `simulation/reload/` has one module a kind of state, and each takes its records apart field by field: a new field
//! does not compile until someone says what a reload makes of it. A new arena is a module
//! there and a line in `Reload::run`; a new kind of id is a line in `reload/renumbering.rs`.

mod diff;
mod renumbering;

use core::fmt;

pub use diff::{CatalogDiff, Change, DefinitionChange};
pub use renumbering::Renumbering;

use crate::attribute::layout::AttributeSetError;
use crate::catalog::{CatalogErrors, DefinitionKind};
use crate::handle::{AbilityHandle, ActiveEffectId, ControllerId};

/// Why a simulation could not be reloaded. Nothing has changed then.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// Values wait for the end of a batch.
    #[error("a reload inside a batch: let the batch end first")]
    InsideBatch,
    /// The sets that a controller has do not go together any more (§6.4).
    #[error("{controller:?} cannot keep its attribute sets: {error}")]
    AttributeSets {
        /// Whose sets.
        controller: ControllerId,
        /// Why not.
        error: AttributeSetError,
    },
}

/// What a reload did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReloadReport {
    /// What differs between the catalogs.
    pub diff: CatalogDiff,
    /// From the ids of the old catalog to those of the new one.
    pub ids: Renumbering,
    /// Everything of the state that could not go on as it was, in a defined order.
    pub entries: Vec<ReloadEntry>,
}

impl ReloadReport {
    /// True if all that there was goes on.
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

/// One thing of the state that could not go on as it was.
#[derive(Clone, PartialEq, Debug)]
pub struct ReloadEntry {
    /// What kind of definition it is about.
    pub kind: DefinitionKind,
    /// The definition's name.
    pub name: String,
    /// Where in the state.
    pub place: ReloadPlace,
    /// What was done.
    pub outcome: ReloadOutcome,
}

impl fmt::Display for ReloadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, place, outcome } = self;
        write!(f, "{place}: {kind} `{name}` {outcome}")
    }
}

/// Where in the state something was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReloadPlace {
    /// On a controller.
    Controller(ControllerId),
    /// An active effect.
    Effect {
        /// Which; gone, if it was removed.
        active: ActiveEffectId,
        /// Whom it is or was on.
        target: ControllerId,
    },
    /// A granted ability.
    Ability {
        /// Which; gone, if it was revoked.
        handle: AbilityHandle,
        /// Who has or had it.
        controller: ControllerId,
    },
    /// Among the effects created at run time.
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

/// What a reload did to something that could not go on as it was (R5).
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ReloadOutcome {
    /// It was taken away because its definition is gone.
    DefinitionGone,
    /// An attribute was dropped, with this base.
    AttributeDropped {
        /// The base that it had.
        base: f64,
    },
    /// An attribute is new on a controller, with this base.
    Appeared {
        /// The base that it begins with.
        base: f64,
    },
    /// An active effect was removed because its definition became instant.
    BecameInstant,
    /// An active effect was removed because a changed magnitude cannot be evaluated for it.
    CannotContinue {
        /// Why, in words.
        reason: String,
    },
    /// A stack fell to the new limit.
    StacksReduced {
        /// Stacks before.
        from: u32,
        /// Stacks now.
        to: u32,
    },
    /// A run of an ability was cancelled because its tasks are others now.
    RunCancelled,
    /// A queued effect began, for it is no longer to run in sequence.
    Began,
    /// An effect created at run time was forgotten because it does not hold together in the new catalog.
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
