//! Granted abilities of a character.

use crate::codec::StateRecord;
use crate::effect::AbilityRemoval;
use crate::id::ActorId;
use crate::time::Span;

/// A granted ability of a character (§8.1).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct CharacterAbility {
    /// Its name.
    pub ability: String,
    /// Its position among all effects and abilities of the character, by creation: orders triggers, inputs
    /// and timers (V4).
    pub order: u32,
    /// Its level.
    pub level: u32,
    /// Name of the input it is bound to.
    pub input: Option<String>,
    /// The object that it comes from: an item, a weapon.
    pub source_object: Option<ActorId>,
    /// Tags that describe it, in addition to those of its definition.
    pub dynamic_tags: Vec<String>,
    /// Parameters that differ from those of its definition.
    pub parameters: Vec<(String, f64)>,
    /// The effect that granted it (P7); `None` if the host did.
    pub granted_by: Option<GrantedBy>,
    /// Number of charges used.
    pub used_charges: u32,
    /// Time until the next charge.
    pub recharge: Option<Span>,
    /// Number of its activations when the character was captured; they are not restored (P8).
    pub active_runs: u32,
}

impl CharacterAbility {
    /// An ability at level 1, with all its charges.
    pub fn new(ability: impl Into<String>) -> Self {
        Self {
            ability: ability.into(),
            order: 0,
            level: 1,
            input: None,
            source_object: None,
            dynamic_tags: Vec::new(),
            parameters: Vec::new(),
            granted_by: None,
            used_charges: 0,
            recharge: None,
            active_runs: 0,
        }
    }
}

/// The effect that granted an ability (§9.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub struct GrantedBy {
    /// Its [`order`](super::CharacterEffect::order).
    pub effect: u32,
    /// Removal policy of the ability at the end of the effect (A8).
    pub removal: AbilityRemoval,
}
