//! Abilities (§8) as far as effects concern them: what can be granted, and what is granted.
//!
//! An ability here is a name with tags; a granted one is a record that effects and the host can add and take away.

use std::sync::Arc;

use crate::attribute::Metadata;
use crate::effect::AbilityRemoval;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::hash::state_hash_struct;
use crate::id::AbilityId;
use crate::tag::TagSet;

/// An ability definition.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AbilityDef {
    /// Name, unique in the catalog.
    pub name: String,
    /// Tags that describe it (§8.1).
    pub tags: Vec<String>,
    /// Text for people.
    pub metadata: Metadata,
}

impl AbilityDef {
    /// An ability called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a tag that describes it.
    #[must_use]
    pub fn tagged(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }
}

/// A resolved [`AbilityDef`].
#[derive(Clone, Debug)]
pub struct Ability {
    pub(crate) def: Arc<AbilityDef>,
    pub(crate) tags: TagSet,
}

impl Ability {
    /// The definition as it was given.
    pub fn def(&self) -> &AbilityDef {
        &self.def
    }

    /// Tags that describe it.
    pub fn tags(&self) -> &TagSet {
        &self.tags
    }
}

/// An ability that a controller has (§8.1, AbilitySpec).
#[derive(Clone, PartialEq, Debug)]
pub struct GrantedAbility {
    pub(crate) ability: AbilityId,
    pub(crate) controller: ControllerId,
    pub(crate) level: u32,
    pub(crate) input: Option<Arc<str>>,
    /// The effect that granted it, and what becomes of it with the effect.
    pub(crate) granted_by: Option<(ActiveEffectId, AbilityRemoval)>,
}

impl GrantedAbility {
    /// Its definition.
    pub fn ability(&self) -> AbilityId {
        self.ability
    }

    /// Who has it.
    pub fn controller(&self) -> ControllerId {
        self.controller
    }

    /// Its level.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The input it is bound to.
    pub fn input(&self) -> Option<&str> {
        self.input.as_deref()
    }

    /// The effect that granted it (§9.8); `None` if the host did.
    pub fn granted_by(&self) -> Option<ActiveEffectId> {
        self.granted_by.map(|(effect, _)| effect)
    }
}

state_hash_struct!(AbilityDef { name, tags, metadata });
state_hash_struct!(GrantedAbility { ability, controller, level, input, granted_by });
