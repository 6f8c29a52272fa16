//! Effect containers (GASD §4.11.5): targeting and effects for the targets, under one name.

use super::def::TargetingDef;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, StateRecord};
use crate::hash::{HashSink, StateHash};
use crate::task::Recipient;

/// A bundle of targeting and effects that abilities apply by name.
///
/// ```
/// use ugas_core::targeting::{EffectContainerDef, Shape, TargetingDef};
///
/// let meteor = EffectContainerDef::new("Meteor", TargetingDef::new(Shape::Radius).range(6.0))
///     .effect("GE_MeteorDamage", 1.0)
///     .effect("GE_Stun", 1.0);
/// assert_eq!(meteor.effects.len(), 2);
/// ```
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct EffectContainerDef {
    /// Its name.
    pub name: String,
    /// Targeting that selects the recipients.
    pub targeting: TargetingDef,
    /// The effects, applied in this order.
    pub effects: Vec<ContainedEffectDef>,
    /// Recipient that its targeting starts from; `None` for the current targets of the activation (A11).
    #[state(since = 4)]
    pub to: Option<Recipient>,
}

/// An effect of a container.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ContainedEffectDef {
    /// Name of the effect.
    pub effect: String,
    /// Its level; `None` for the ability's (A14).
    pub level: Option<f64>,
}

impl EffectContainerDef {
    /// A container without effects.
    pub fn new(name: impl Into<String>, targeting: TargetingDef) -> Self {
        Self { name: name.into(), targeting, effects: Vec::new(), to: None }
    }

    /// Adds an effect; with `None`, at the level of the ability (A14).
    #[must_use]
    pub fn effect(mut self, name: impl Into<String>, level: impl Into<Option<f64>>) -> Self {
        self.effects.push(ContainedEffectDef { effect: name.into(), level: level.into() });
        self
    }
}

impl StateHash for ContainedEffectDef {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self { effect, level } = self;
        effect.state_hash(hasher);
        level.state_hash(hasher);
    }
}

impl Encode for ContainedEffectDef {
    fn encode(&self, encoder: &mut Encoder) {
        let Self { effect, level } = self;
        effect.encode(encoder);
        level.encode(encoder);
    }
}

impl Decode for ContainedEffectDef {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let effect = Decode::decode(decoder)?;
        // Before version 4 every effect of a container had a level.
        let level =
            if decoder.version() >= 4 { Decode::decode(decoder)? } else { Some(Decode::decode(decoder)?) };
        Ok(Self { effect, level })
    }
}
