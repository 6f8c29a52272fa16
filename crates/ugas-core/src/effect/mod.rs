//! Gameplay effects (§9): the only way to change attributes and tags.
//!
//! An [`EffectDef`] is the definition, an [`EffectSpec`] one application before it arrives, an
//! [`ActiveEffect`] the state on a target. [`crate::simulation`] has the rules.

mod active;
pub mod calculation;
mod clock;
mod context;
mod def;
pub mod magnitude;
mod query;
mod reading;
mod spec;
mod stacking;

use std::sync::Arc;

pub use active::{ActiveEffect, EffectStatus};
pub(crate) use active::{EffectParts, EffectTimers, LastSource};
pub(crate) use clock::Clock;
pub(crate) use context::ContextDetails;
pub use context::{ContextPayload, ContextTags, EffectContext, HitResult, NamedValues, RawPayload, Vector3};
pub use def::{
    AUTHORITATIVE_ONLY, AbilityGrantDef, AbilityRemoval, AdditionalEffectDef, AdditionalTo, DurationDef,
    EffectDef, ExecutionDef, ExpirationEffectsDef, PeriodDef, ScopedModifierDef, ScopedTargetDef,
    TagQueryDef, TagQueryItemDef,
};
pub use query::EffectQuery;
pub(crate) use reading::{Reading, Readings};
pub use spec::EffectSpec;
pub(crate) use spec::SpecParts;
pub use stacking::{
    DurationRefresh, ExecutionPolicy, PeriodReset, PeriodicInhibition, StackExpiration, StackingDef,
    StackingType,
};

pub use crate::prediction::PredictionKey;

use crate::expr::{Program, Side};
use crate::id::{AbilityId, AttributeId, CalculationId, ChannelId, EffectId, TagId};
use crate::modifier::Operation;
use crate::tag::{TagBits, TagQuery, TagRequirement, TagSet};
use crate::time::Span;
use magnitude::{Capture, Magnitude};

/// A resolved [`EffectDef`]: ids instead of names, so that the hot path handles no text.
#[derive(Clone, Debug)]
pub struct Effect {
    pub(crate) def: Arc<EffectDef>,
    /// Hash of the name: the same in all catalogs that have the effect; seeds its random streams (V5).
    pub(crate) name_hash: u64,
    pub(crate) duration: Duration,
    pub(crate) period: Option<PeriodDef>,
    pub(crate) modifiers: Box<[Modifier]>,
    pub(crate) executions: Box<[Execution]>,
    pub(crate) captures: Box<[Capture]>,
    pub(crate) granted_tags: TagSet,
    pub(crate) asset_tags: TagSet,
    /// Asset and granted tags with their ancestors.
    pub(crate) own_tags: TagBits,
    pub(crate) application: TagRequirement,
    pub(crate) source: TagRequirement,
    pub(crate) application_query: TagQuery,
    pub(crate) ongoing: TagRequirement,
    pub(crate) remove_on: TagSet,
    pub(crate) remove_effects: TagSet,
    pub(crate) immunity: TagSet,
    pub(crate) immunity_query: TagQuery,
    pub(crate) chance: Option<Magnitude>,
    pub(crate) requirement: Option<CalculationId>,
    pub(crate) stacking: Option<Stacking>,
    pub(crate) expiration: ExpirationEffects,
    pub(crate) additional: Box<[AdditionalEffect]>,
    pub(crate) granted_abilities: Box<[AbilityGrant]>,
    pub(crate) cues: TagSet,
    /// Cues of an active instance: its own, and granted tags under `GameplayCue.` (C2).
    pub(crate) held_cues: TagSet,
    pub(crate) cue_magnitude: Option<AttributeId>,
    /// Abilities with these tags cannot be activated while it is active.
    pub(crate) block_abilities: TagSet,
    /// Abilities with these tags are cancelled when it is applied.
    pub(crate) cancel_abilities: TagSet,
    /// Attributes that its modifiers and the outputs of its calculations from files change, without
    /// duplicates.
    pub(crate) writes: Box<[AttributeId]>,
    /// Inputs of an active instance: it is re-evaluated when one of these changes.
    pub(crate) watches: Box<[Watch]>,
    /// Attributes of the source that are read live, kept in case the source is despawned.
    pub(crate) source_reads: Box<[AttributeId]>,
    pub(crate) uses_random: bool,
    /// Whether it draws random numbers other than those of the application chance.
    pub(crate) has_random_numbers: bool,
    /// Whether it reads attributes of its source, frozen or live.
    pub(crate) reads_source: bool,
    /// Whether it reads attributes of its target, frozen or live.
    pub(crate) reads_target: bool,
    pub(crate) authoritative_only: bool,
    /// Whether an active instance has live magnitudes (a shortcut for re-evaluation).
    pub(crate) has_live_magnitudes: bool,
    /// Whether it requires no tags of source and target (a shortcut for the checks of an application).
    pub(crate) is_unconditional: bool,
    /// Whether an application has no step between the requirements and its execution or instance: nothing is
    /// captured, rolled, calculated or read live.
    pub(crate) is_ungated: bool,
    /// Whether all its magnitudes are constants, and no calculation or cue uses them: an application then
    /// needs no spec.
    pub(crate) is_constant: bool,
    /// Whether an execution is one unconditional write without cues.
    pub(crate) writes_one: bool,
    /// The write of an execution, if it is one constant number and sends no cues.
    pub(crate) constant_write: Option<ConstantWrite>,
    /// Whether an application is nothing but one write: the effect is instant, nothing but its target and its
    /// number can refuse it, it marks no context tags, and nothing follows from it.
    pub(crate) only_writes: bool,
    /// Whether an application has consequences: removed effects, cancelled abilities, more effects.
    pub(crate) has_followups: bool,
    /// Whether an instance grants nothing but modifiers and tags: no abilities, cues and blocks.
    pub(crate) grants_only_tags: bool,
    /// Whether its instances are indexed; see [`EffectKey`](crate::controller::index::EffectKey).
    pub(crate) is_indexed: bool,
    /// Whether an application creates an instance that holds at most one modifier and tags, and does nothing
    /// else.
    pub(crate) only_holds: bool,
    /// Magnitudes and duration, if all of them are constants.
    pub(crate) constants: Option<Constants>,
}

/// Numbers of an effect that are the same at every application.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Constants {
    /// Magnitudes of the modifiers.
    pub(crate) magnitudes: Box<[f64]>,
    /// `None` if the effect is instant or infinite.
    pub(crate) duration: Option<Span>,
}

/// A write of a constant number to one base value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ConstantWrite {
    pub(crate) attribute: AttributeId,
    pub(crate) operation: Operation,
    pub(crate) magnitude: f64,
    pub(crate) factor_in_stacks: bool,
}

impl Effect {
    /// The definition.
    pub fn def(&self) -> &EffectDef {
        &self.def
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.def.name
    }

    /// Whether it changes base values at once and does not stay (§9.2).
    pub fn is_instant(&self) -> bool {
        matches!(self.duration, Duration::Instant)
    }

    /// Derives the shortcuts for the steps of an application, once everything else is resolved.
    pub(crate) fn derive_shortcuts(&mut self) {
        self.constants = self.evaluate_constants();
        self.has_live_magnitudes = self.modifiers.iter().any(|modifier| modifier.live);
        self.is_unconditional = self.application.is_trivial()
            && self.source.is_trivial()
            && self.application_query.is_empty()
            && self.remove_on.is_empty();
        self.is_ungated = self.captures.is_empty()
            && !self.uses_random
            && self.requirement.is_none()
            && self.chance.is_none()
            && self.executions.is_empty()
            && !self.has_live_magnitudes;
        self.is_constant = self.constants.is_some()
            && !self.modifiers.iter().any(Modifier::is_conditional)
            && self.executions.is_empty()
            && self.cue_magnitude.is_none();
        self.has_followups = !self.remove_effects.is_empty()
            || !self.cancel_abilities.is_empty()
            || !self.additional.is_empty();
        self.writes_one = match &*self.modifiers {
            // M9b: a scaling modifier of a periodic effect acts on the current value while it is active.
            [only] => {
                !only.is_conditional()
                    && self.executions.is_empty()
                    && self.cues.is_empty()
                    && !(self.period.is_some() && only.operation.is_scaling())
            }
            _ => false,
        };
        // A calculation may mark context tags (E14).
        let marks_nothing =
            |modifier: &Modifier| !matches!(modifier.magnitude, Magnitude::Calculation { .. });
        self.only_writes = self.writes_one
            && self.is_instant()
            && self.is_ungated
            && self.is_unconditional
            && !self.has_followups
            && self.modifiers.iter().all(marks_nothing);
        self.constant_write = match &*self.modifiers {
            [only] if self.is_constant && self.writes_one => {
                let Modifier { attribute, operation, factor_in_stacks, .. } = *only;
                only.magnitude.constant().map(|magnitude| ConstantWrite {
                    attribute,
                    operation,
                    magnitude,
                    factor_in_stacks,
                })
            }
            _ => None,
        };
        self.grants_only_tags =
            self.granted_abilities.is_empty() && self.held_cues.is_empty() && self.block_abilities.is_empty();
        self.is_indexed =
            self.gives_immunity() || self.tracks_instances() || !self.block_abilities.is_empty();
        self.only_holds = !self.is_instant()
            && self.modifiers.len() <= 1
            && self
                .constants
                .as_ref()
                .is_some_and(|known| known.duration.is_none_or(|span| span.is_positive()))
            && self.period.is_none()
            && self.ongoing.is_trivial()
            && self.stacking.is_none()
            && self.def.policy == ExecutionPolicy::RunInParallel
            && !self.has_followups
            && self.grants_only_tags
            && self.watches.is_empty()
            && !self.is_indexed;
    }

    /// Magnitudes and duration, if all of them are constants.
    fn evaluate_constants(&self) -> Option<Constants> {
        let magnitudes = self.modifiers.iter().map(|modifier| modifier.magnitude.constant());
        let duration = match &self.duration {
            Duration::Instant | Duration::Infinite => None,
            Duration::Lasting(magnitude) => Some(Span::seconds(magnitude.constant()?)),
        };
        Some(Constants { magnitudes: magnitudes.collect::<Option<_>>()?, duration })
    }

    /// Tags that it grants while it is active, without those that a spec adds.
    pub fn granted_tags(&self) -> &TagSet {
        &self.granted_tags
    }

    /// Tags that describe it.
    pub fn asset_tags(&self) -> &TagSet {
        &self.asset_tags
    }

    /// The cues that it shows while it is active, or when it executes.
    pub fn cues(&self) -> &TagSet {
        &self.cues
    }

    /// Cues of an active instance: its cues, and its granted tags under `GameplayCue.` (C2).
    pub fn held_cues(&self) -> &TagSet {
        &self.held_cues
    }

    /// Attributes that its modifiers and its calculations from files change, without duplicates. Writes of
    /// native calculations are not known in advance.
    pub fn written_attributes(&self) -> &[AttributeId] {
        &self.writes
    }

    /// Attributes that it has modifiers for, in listed order.
    pub fn modified_attributes(&self) -> impl Iterator<Item = AttributeId> + '_ {
        self.modifiers.iter().map(|modifier| modifier.attribute)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Duration {
    Instant,
    Lasting(Magnitude),
    Infinite,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Modifier {
    pub(crate) attribute: AttributeId,
    pub(crate) operation: Operation,
    pub(crate) magnitude: Magnitude,
    pub(crate) channel: Option<ChannelId>,
    pub(crate) layer: u8,
    pub(crate) source_tags: TagRequirement,
    pub(crate) target_tags: TagRequirement,
    pub(crate) factor_in_stacks: bool,
    /// Whether the magnitude can change while the effect is active.
    pub(crate) live: bool,
}

impl Modifier {
    /// Whether its magnitude is one attribute of the source.
    pub(crate) fn reads_source(&self) -> bool {
        matches!(&self.magnitude, Magnitude::Attribute(attribute) if attribute.reading.side == Side::Source)
    }

    /// Whether it counts only while source or target have certain tags.
    pub(crate) fn is_conditional(&self) -> bool {
        !self.source_tags.is_trivial() || !self.target_tags.is_trivial()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Execution {
    pub(crate) calculation: CalculationId,
    pub(crate) modifiers: Box<[ScopedModifier]>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ScopedModifier {
    pub(crate) target: ScopedTarget,
    pub(crate) operation: Operation,
    pub(crate) magnitude: Magnitude,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ScopedTarget {
    Attribute(Side, AttributeId),
    /// Index among the calculation's locals.
    Variable(u16),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stacking {
    pub(crate) kind: StackingType,
    pub(crate) limit: u32,
    pub(crate) duration_refresh: DurationRefresh,
    pub(crate) max_duration: Option<Span>,
    pub(crate) period_reset: PeriodReset,
    pub(crate) expiration: StackExpiration,
    pub(crate) overflow_effects: Box<[EffectId]>,
    pub(crate) deny_overflow: bool,
    pub(crate) clear_on_overflow: bool,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ExpirationEffects {
    pub(crate) routine: Box<[EffectId]>,
    pub(crate) premature: Box<[EffectId]>,
    pub(crate) always: Box<[EffectId]>,
}

impl ExpirationEffects {
    pub(crate) fn is_empty(&self) -> bool {
        self.routine.is_empty() && self.premature.is_empty() && self.always.is_empty()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AdditionalEffect {
    pub(crate) effect: EffectId,
    pub(crate) to: AdditionalTo,
    pub(crate) source_tags: TagRequirement,
    pub(crate) target_tags: TagRequirement,
    pub(crate) context_tags: TagRequirement,
    pub(crate) set_by_caller: Box<[(TagId, Program)]>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AbilityGrant {
    pub(crate) ability: AbilityId,
    pub(crate) level: u32,
    pub(crate) input: Option<crate::input::InputId>,
    pub(crate) removal: AbilityRemoval,
    pub(crate) activate: bool,
    /// Whether it is active from the start (K1).
    pub(crate) is_active: bool,
    pub(crate) dynamic_tags: Box<[TagId]>,
}

/// Something of a controller that an active effect watches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Watch {
    pub(crate) side: WatchSide,
    pub(crate) subject: WatchSubject,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum WatchSide {
    Source,
    Target,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum WatchSubject {
    Tag(TagId),
    /// Its base or current value.
    Attribute(AttributeId),
    /// Its modifiers, for reads up to a layer or through a filter: these change even if the value does not.
    Modifiers(AttributeId),
}
