//! Effect specs (§9.9): an application with level, context and set-by-caller magnitudes.

use smallvec::SmallVec;

use super::context::EffectContext;
use super::reading::{Reading, Readings};
use crate::codec::{FieldClone, plain_parts};
use crate::cow_option::optional_numbers;
use crate::id::{EffectId, TagId};
use crate::lazy_box::{LazyBox, pooled_value};
use crate::prediction::PredictionKey;
use crate::time::Span;

/// An effect spec: an effect ready to be applied, once or many times (§9.9).
///
/// Created by [`Simulation::spec`](crate::simulation::Simulation::spec), which freezes the source's captured
/// attributes at that moment (E8). Plain data: it can be cloned, kept and applied later.
#[derive(PartialEq, FieldClone)]
pub struct EffectSpec {
    pub(crate) effect: EffectId,
    /// Name hash of the definition, to detect an id that refers to another effect by now.
    pub(crate) name_hash: u64,
    pub(crate) level: f64,
    pub(crate) context: EffectContext,
    pub(crate) parts: LazyBox<SpecParts>,
    pub(crate) key: PredictionKey,
    /// Whether there is a key; an absent one is zero.
    pub(crate) known: u8,
    /// Index of the target in the chain that reached it; 0 without one.
    pub(crate) jump: u16,
}

/// Parts of a spec that not every spec has. Its box is pooled, so that making and applying specs with parts does
/// not allocate (I6).
#[derive(PartialEq, Debug, Default, FieldClone)]
pub(crate) struct SpecParts {
    pub(crate) set_by_caller: SmallVec<[(TagId, f64); 2]>,
    pub(crate) granted_tags: SmallVec<[TagId; 2]>,
    /// Captured values in the order of the effect's captures; those of the target are captured at
    /// application.
    pub(crate) captured: Readings,
    /// Tags that describe the effect, in addition to its own.
    pub(crate) asset_tags: SmallVec<[TagId; 2]>,
    pub(crate) duration: Option<Span>,
    pub(crate) period: Option<Span>,
}

impl SpecParts {
    const NONE: Self = Self {
        set_by_caller: SmallVec::new_const(),
        granted_tags: SmallVec::new_const(),
        captured: SmallVec::new_const(),
        asset_tags: SmallVec::new_const(),
        duration: None,
        period: None,
    };
}

pooled_value!(SpecParts = SpecParts::NONE, |parts| {
    parts.set_by_caller.clear();
    parts.granted_tags.clear();
    parts.captured.clear();
    parts.asset_tags.clear();
    (parts.duration, parts.period) = (None, None);
});

impl EffectSpec {
    /// A spec with nothing but its context.
    #[inline]
    pub(crate) fn new(effect: EffectId, name_hash: u64, level: f64, context: EffectContext) -> Self {
        Self {
            effect,
            name_hash,
            level,
            context,
            parts: LazyBox::new(),
            key: PredictionKey(0),
            known: 0,
            jump: 0,
        }
    }

    /// Moves the spec out, and leaves one without context, magnitudes and tags behind.
    pub(crate) fn take(&mut self) -> Self {
        Self { context: core::mem::take(&mut self.context), parts: core::mem::take(&mut self.parts), ..*self }
    }

    /// The effect definition.
    pub fn effect(&self) -> EffectId {
        self.effect
    }

    /// Its level.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The cause.
    pub fn context(&self) -> &EffectContext {
        &self.context
    }

    /// The cause, mutably.
    pub fn context_mut(&mut self) -> &mut EffectContext {
        &mut self.context
    }

    /// Index of the target in the chain that reached it: 0 for the first, and without a chain.
    pub fn jump(&self) -> u16 {
        self.jump
    }

    /// The set-by-caller magnitude under `tag`.
    pub fn magnitude(&self, tag: TagId) -> Option<f64> {
        self.parts.set_by_caller.iter().find(|(key, _)| *key == tag).map(|(_, value)| *value)
    }

    /// All set-by-caller magnitudes, in tag order.
    pub fn magnitudes(&self) -> &[(TagId, f64)] {
        &self.parts.set_by_caller
    }

    /// Key of the prediction it belongs to.
    pub fn prediction(&self) -> Option<PredictionKey> {
        self.key()
    }

    optional_numbers! {
        pub(crate) key, set_prediction: 1, PredictionKey = PredictionKey(0);
    }

    /// Duration that replaces the effect's.
    #[inline]
    pub(crate) fn duration(&self) -> Option<Span> {
        self.parts.duration
    }

    /// Sets or clears [`Self::duration`].
    pub(crate) fn set_duration(&mut self, duration: Option<Span>) {
        if self.duration() != duration {
            self.parts.make_mut().duration = duration;
        }
    }

    /// Period that replaces the effect's.
    #[inline]
    pub(crate) fn period(&self) -> Option<Span> {
        self.parts.period
    }

    /// Sets or clears [`Self::period`].
    pub(crate) fn set_period(&mut self, period: Option<Span>) {
        if self.period() != period {
            self.parts.make_mut().period = period;
        }
    }

    /// Whether it has nothing but an effect, a level and a source.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.has_only_numbers() && self.magnitudes().is_empty()
    }

    /// Whether it has nothing but an effect, a level, a source and magnitudes of the caller.
    #[inline]
    pub(crate) fn has_only_numbers(&self) -> bool {
        let is_without = |parts: &SpecParts| {
            parts.granted_tags.is_empty()
                && parts.asset_tags.is_empty()
                && parts.duration.is_none()
                && parts.period.is_none()
        };
        self.known == 0 && self.context.is_bare() && self.parts.allocated().is_none_or(is_without)
    }

    /// Whether it grants no tag and holds no cue in addition to those of its effect.
    pub(crate) fn grants_nothing(&self) -> bool {
        let is_without = |parts: &SpecParts| parts.granted_tags.is_empty() && parts.asset_tags.is_empty();
        self.parts.allocated().is_none_or(is_without)
    }

    /// Tags that describe the effect, in addition to its own.
    pub(crate) fn asset_tags(&self) -> &[TagId] {
        &self.parts.asset_tags
    }

    /// Tags that it grants, in addition to those of its effect.
    #[inline]
    pub(crate) fn granted_tags(&self) -> &[TagId] {
        &self.parts.granted_tags
    }

    /// Captured values in the order of the effect's captures.
    #[inline]
    pub(crate) fn captured(&self) -> &[Reading] {
        &self.parts.captured
    }

    /// Replaces a captured value.
    pub(crate) fn set_captured(&mut self, at: usize, value: Reading) {
        self.parts.make_mut().captured[at] = value;
    }

    /// Sets the magnitude under `tag` (SetByCaller), replacing an earlier one.
    #[must_use]
    pub fn with_magnitude(mut self, tag: TagId, value: f64) -> Self {
        self.set_magnitude(tag, value);
        self
    }

    /// Sets the magnitude under `tag` (SetByCaller), replacing an earlier one.
    pub fn set_magnitude(&mut self, tag: TagId, value: f64) {
        let numbers = &mut self.parts.make_mut().set_by_caller;
        match numbers.binary_search_by_key(&tag, |(key, _)| *key) {
            Ok(at) => numbers[at].1 = value,
            Err(at) => numbers.insert(at, (tag, value)),
        }
    }

    /// Replaces the level. An application with a level that is not finite is refused.
    #[must_use]
    pub fn with_level(mut self, level: f64) -> Self {
        self.level = level;
        self
    }

    /// Replaces the effect's duration.
    #[must_use]
    pub fn with_duration(mut self, duration: Span) -> Self {
        self.set_duration(Some(duration));
        self
    }

    /// Replaces the effect's period. A period that is not positive refuses the application with
    /// [`InvalidPeriod`](crate::refusal::RefusalReason::InvalidPeriod) (E16).
    #[must_use]
    pub fn with_period(mut self, period: Span) -> Self {
        self.set_period(Some(period));
        self
    }

    /// Grants one more tag while active.
    #[must_use]
    pub fn granting(mut self, tag: TagId) -> Self {
        self.parts.make_mut().granted_tags.push(tag);
        self
    }

    /// Adds one more tag that describes the effect.
    #[must_use]
    pub fn tagged(mut self, tag: TagId) -> Self {
        self.parts.make_mut().asset_tags.push(tag);
        self
    }

    /// Checks the invariant of [`Self::set_magnitude`].
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if !self.magnitudes().is_sorted_by(|(one, _), (other, _)| one < other) {
            return Err("the magnitudes of a spec are not sorted by tag");
        }
        Ok(())
    }

    /// Sets the key of the prediction it belongs to.
    #[must_use]
    pub fn predicted(mut self, key: PredictionKey) -> Self {
        self.set_prediction(Some(key));
        self
    }
}

plain_parts!(EffectSpec |spec, decoder| where {
    EffectSpec { effect, name_hash, level, context, parts, key: _, known: _, jump } = spec;
    SpecParts { set_by_caller, granted_tags, captured, asset_tags, duration, period } = &**parts;
} {
    effect,
    name_hash,
    level,
    context,
    set_by_caller,
    duration,
    period,
    granted_tags,
    asset_tags,
    captured,
    prediction: spec.prediction(),
    jump [since 4],
} => {
    let parts = SpecParts { set_by_caller, granted_tags, captured, asset_tags, duration, period };
    let mut spec = EffectSpec { parts: parts.into(), jump, ..EffectSpec::new(effect, name_hash, level, context) };
    spec.set_prediction(prediction);
    spec.check().map_err(|what| decoder.invalid(what))?;
    Ok(spec)
});
