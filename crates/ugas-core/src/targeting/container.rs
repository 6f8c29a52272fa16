//! Effect containers (GASD §4.11.5): targeting and what happens to the targets, as one thing with a name.

use super::def::TargetingDef;
use crate::codec::plain_struct;

/// A bundle of targeting and effects, which abilities apply by name.
///
/// ```
/// use ugas_core::targeting::{EffectContainerDef, Shape, TargetingDef};
///
/// let meteor = EffectContainerDef::new("Meteor", TargetingDef::new(Shape::Radius).range(6.0))
///     .effect("GE_MeteorDamage", 1.0)
///     .effect("GE_Stun", 1.0);
/// assert_eq!(meteor.effects.len(), 2);
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EffectContainerDef {
    /// Its name.
    pub name: String,
    /// Who gets the effects.
    pub targeting: TargetingDef,
    /// Names of the effects with their levels, applied in this order.
    pub effects: Vec<(String, f64)>,
}

impl EffectContainerDef {
    /// A container without effects.
    pub fn new(name: impl Into<String>, targeting: TargetingDef) -> Self {
        Self { name: name.into(), targeting, effects: Vec::new() }
    }

    /// Adds an effect.
    #[must_use]
    pub fn effect(mut self, name: impl Into<String>, level: f64) -> Self {
        self.effects.push((name.into(), level));
        self
    }
}

plain_struct!(EffectContainerDef { name, targeting, effects });
