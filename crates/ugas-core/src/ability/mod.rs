//! Gameplay abilities (§8).
//!
//! An [`AbilityDef`] is the definition, a [`GrantedAbility`] an ability that a controller has, an
//! [`Activation`] one run of it. [`crate::simulation`] has the rules.

mod activation;
mod context;
mod def;
mod gameplay_event;
mod gates;
mod granted;
mod parameter;
mod refusal;

use std::sync::Arc;

pub use activation::{Activation, EndReason};
pub(crate) use activation::{Branch, BranchContext, BranchStatus, Round};
pub(crate) use context::{add_event_context, context_of};
pub use def::{AbilityDef, ChargesDef, Instancing, NetExecution, NetSecurity, TriggerDef, TriggerOn};
pub use gameplay_event::{EventDetails, GameplayEvent};
pub(crate) use gates::{Gates, Price};
pub use granted::{AbilityState, Grant, GrantedAbility, GrantedSet};
pub(crate) use granted::{Parameters, check_parameters, parameter, set_parameter};
pub use parameter::{ParameterDef, ParameterFault, ParameterKind, asked_parameter};
pub(crate) use parameter::{check_number_parameter, fixed_kind, tag_parameter};
pub use refusal::{ActivationParty, ActivationReason, ActivationRefusal, RefusedActivation};

use crate::codec::StateRecord;
use crate::cow_option::CowOption;
use crate::effect::ContextDetails;
use crate::id::{EffectId, TagId};
use crate::tag::{TagBits, TagRequirement, TagSet};
use crate::targeting::{Shape, Targeting};
use crate::task::{Number, Routine};

/// A resolved [`AbilityDef`]: ids instead of names.
#[derive(Clone, Debug)]
pub struct Ability {
    pub(crate) def: Arc<AbilityDef>,
    /// Hash of the name: the same in all catalogs that have the ability; seeds its random streams (V5).
    pub(crate) name_hash: u64,
    pub(crate) tags: TagSet,
    /// The tags with their ancestors.
    pub(crate) own_tags: TagBits,
    /// The tags as context details that the contexts of its effects share (E13).
    pub(crate) shared_tags: CowOption<ContextDetails>,
    pub(crate) block_abilities: TagSet,
    pub(crate) cancel_with: TagSet,
    /// `ActivationRequiredTags`; `ActivationBlockedTags` and `BlockedByTags` together (A1).
    pub(crate) activation: TagRequirement,
    pub(crate) owned_tags: TagSet,
    pub(crate) source: TagRequirement,
    pub(crate) target: TagRequirement,
    pub(crate) cost: Option<EffectId>,
    pub(crate) cooldown: Option<EffectId>,
    /// Tags that the cooldown grants: those of its effect, and those that the ability adds.
    pub(crate) cooldown_tags: TagSet,
    pub(crate) added_cooldown_tags: TagSet,
    pub(crate) set_by_caller: Box<[(TagId, Number)]>,
    pub(crate) triggers: Box<[(TriggerOn, TagId)]>,
    /// Effects that it may apply, sorted by id, without duplicates (§13.7).
    pub(crate) effects: Box<[EffectId]>,
    pub(crate) routine: Routine,
    pub(crate) targeting: Option<Targeting>,
    /// The checks of an activation, resolved as far as the definition decides them.
    pub(crate) gates: Gates,
}

impl Ability {
    /// The definition.
    pub fn def(&self) -> &AbilityDef {
        &self.def
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.def.name
    }

    /// Tags that describe it.
    pub fn tags(&self) -> &TagSet {
        &self.tags
    }

    /// A parameter of the definition (A18). A grant may have changed its numbers and booleans: see
    /// [`GrantedAbility::parameter`].
    pub fn parameter(&self, name: &str) -> Option<&ParameterDef> {
        self.def.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Parameters that each grant starts with: the numbers and booleans (A18).
    pub(crate) fn number_parameters(&self) -> impl Iterator<Item = (&str, f64)> {
        self.def.parameters.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_number()?)))
    }

    /// Tags whose presence puts it on cooldown (A2).
    pub fn cooldown_tags(&self) -> &TagSet {
        &self.cooldown_tags
    }

    /// Effects that it may apply (§13.7), without duplicates: those that its tasks, containers, cost,
    /// cooldown and list of allowed effects name.
    pub fn effects(&self) -> impl Iterator<Item = EffectId> + '_ {
        self.effects.iter().copied()
    }

    /// Whether it may apply an effect (§13.7).
    pub fn may_apply(&self, effect: EffectId) -> bool {
        self.effects.binary_search(&effect).is_ok()
    }

    /// Targets that an activation may have; `None` if the definition has no targeting.
    pub fn targeting(&self) -> Option<&Targeting> {
        self.targeting.as_ref()
    }

    /// Maximum number of targets that a player may name for an activation (§13.7): one without targeting, and
    /// the first of a chain.
    pub fn most_named_targets(&self) -> usize {
        match &self.targeting {
            None | Some(Targeting { shape: Shape::Chain { .. }, .. }) => 1,
            Some(targeting) => targeting.choice_limit(),
        }
    }

    /// Its program.
    pub fn routine(&self) -> &Routine {
        &self.routine
    }
}

/// Abilities, effects, attribute sets and tags that are granted together (GASD §4.6.14).
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct AbilitySetDef {
    /// Name, unique in the catalog.
    pub name: String,
    /// Attribute sets.
    pub attribute_sets: Vec<String>,
    /// Abilities.
    pub abilities: Vec<crate::effect::AbilityGrantDef>,
    /// Effects with their levels.
    pub effects: Vec<(String, f64)>,
    /// Tags, granted by an internal infinite effect (T3).
    pub tags: Vec<String>,
}
