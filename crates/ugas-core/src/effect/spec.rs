//! Effect specs (§9.9): an application with level, context and set-by-caller magnitudes.

use smallvec::SmallVec;

use super::context::EffectContext;
use super::reading::Readings;
use crate::codec::{FieldClone, plain_parts};
use crate::cow_option::{CowOption, optional_numbers};
use crate::id::{EffectId, TagId};
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
    pub(crate) set_by_caller: SmallVec<[(TagId, f64); 2]>,
    pub(crate) granted_tags: SmallVec<[TagId; 2]>,
    /// Captured values in the order of the effect's captures; those of the target are captured at
    /// application.
    pub(crate) captured: Readings,
    /// Tags that describe the effect, in addition to its own. Shared by the copies of a spec.
    pub(crate) asset_tags: CowOption<SmallVec<[TagId; 2]>>,
    pub(crate) duration: Span,
    pub(crate) period: Span,
    pub(crate) key: PredictionKey,
    /// Presence bits of the last three fields; an absent one is zero.
    pub(crate) known: u8,
    /// Index of the target in the chain that reached it; 0 without one.
    pub(crate) jump: u16,
}

impl EffectSpec {
    /// A spec with nothing but its context.
    #[inline]
    pub(crate) fn new(effect: EffectId, name_hash: u64, level: f64, context: EffectContext) -> Self {
        Self {
            effect,
            name_hash,
            level,
            context,
            set_by_caller: SmallVec::new(),
            granted_tags: SmallVec::new(),
            captured: SmallVec::new(),
            asset_tags: CowOption::NONE,
            duration: Span::ZERO,
            period: Span::ZERO,
            key: PredictionKey(0),
            known: 0,
            jump: 0,
        }
    }

    /// Moves the spec out, and leaves one without context, magnitudes and tags behind.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            context: core::mem::take(&mut self.context),
            set_by_caller: core::mem::take(&mut self.set_by_caller),
            granted_tags: core::mem::take(&mut self.granted_tags),
            captured: core::mem::take(&mut self.captured),
            asset_tags: core::mem::take(&mut self.asset_tags),
            ..*self
        }
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
        self.set_by_caller.iter().find(|(key, _)| *key == tag).map(|(_, value)| *value)
    }

    /// All set-by-caller magnitudes, in tag order.
    pub fn magnitudes(&self) -> &[(TagId, f64)] {
        &self.set_by_caller
    }

    /// Key of the prediction it belongs to.
    pub fn prediction(&self) -> Option<PredictionKey> {
        self.key()
    }

    optional_numbers! {
        /// Duration that replaces the effect's.
        pub(crate) duration, set_duration: 1, Span = Span::ZERO;
        /// Period that replaces the effect's.
        pub(crate) period, set_period: 2, Span = Span::ZERO;
        pub(crate) key, set_prediction: 4, PredictionKey = PredictionKey(0);
    }

    /// Whether it has nothing but an effect, a level and a source.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        self.has_only_numbers() && self.set_by_caller.is_empty()
    }

    /// Whether it has nothing but an effect, a level, a source and magnitudes of the caller.
    #[inline]
    pub(crate) fn has_only_numbers(&self) -> bool {
        self.known == 0 && self.granted_tags.is_empty() && self.asset_tags.is_none() && self.context.is_bare()
    }

    /// Whether it grants no tag and holds no cue in addition to those of its effect.
    pub(crate) fn grants_nothing(&self) -> bool {
        self.granted_tags.is_empty() && self.asset_tags.is_none()
    }

    /// Tags that describe the effect, in addition to its own.
    pub(crate) fn asset_tags(&self) -> &[TagId] {
        self.asset_tags.get().map_or(&[], |tags| tags)
    }

    pub(crate) fn set_asset_tags(&mut self, tags: SmallVec<[TagId; 2]>) {
        self.asset_tags = CowOption::new(tags);
    }

    /// Sets the magnitude under `tag` (SetByCaller), replacing an earlier one.
    #[must_use]
    pub fn with_magnitude(mut self, tag: TagId, value: f64) -> Self {
        self.set_magnitude(tag, value);
        self
    }

    /// Sets the magnitude under `tag` (SetByCaller), replacing an earlier one.
    pub fn set_magnitude(&mut self, tag: TagId, value: f64) {
        match self.set_by_caller.binary_search_by_key(&tag, |(key, _)| *key) {
            Ok(at) => self.set_by_caller[at].1 = value,
            Err(at) => self.set_by_caller.insert(at, (tag, value)),
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
        self.granted_tags.push(tag);
        self
    }

    /// Adds one more tag that describes the effect.
    #[must_use]
    pub fn tagged(mut self, tag: TagId) -> Self {
        self.asset_tags.change(|tags| tags.push(tag));
        self
    }

    /// Checks the invariant of [`Self::set_magnitude`].
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if !self.set_by_caller.is_sorted_by(|(one, _), (other, _)| one < other) {
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

plain_parts!(EffectSpec |spec, decoder| {
    effect: spec.effect,
    name_hash: spec.name_hash,
    level: spec.level,
    context: spec.context,
    set_by_caller: spec.set_by_caller,
    duration: spec.duration(),
    period: spec.period(),
    granted_tags: spec.granted_tags,
    asset_tags: spec.asset_tags(),
    captured: spec.captured,
    prediction: spec.prediction(),
    jump [since 4]: spec.jump,
} => {
    let new = EffectSpec::new(effect, name_hash, level, context);
    let mut spec = EffectSpec { set_by_caller, granted_tags, captured, jump, ..new };
    spec.set_duration(duration);
    spec.set_period(period);
    spec.set_asset_tags(asset_tags);
    spec.set_prediction(prediction);
    spec.check().map_err(|what| decoder.invalid(what))?;
    Ok(spec)
});
