//! Granted abilities (§8.1, AbilitySpec): abilities that a controller has.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::codec::{FieldClone, StateRecord};
use crate::effect::AbilityRemoval;
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AbilityId, ActorId, AttributeSetId, TagId};
use crate::input::InputId;
use crate::time::Time;
use crate::timer::TimerKey;

/// State of a granted ability (§8.2). `NotGranted` is the absence of a grant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbilityState {
    /// It is granted and not active.
    Inactive,
    /// It was activated and has not committed yet.
    Activating,
    /// It is active and has committed.
    Active,
    /// It is ending; only observers during the end see this state.
    Ending,
}

/// Parameters of granting an ability (§4.5 GrantAbility, §8.1).
///
/// ```
/// use ugas_core::ability::Grant;
/// use ugas_core::id::AbilityId;
///
/// let grant = Grant::new(AbilityId::from_index(0)).level(2).input("Ability.Slot.1").parameter("Power", 1.5);
/// # let _ = grant;
/// ```
#[derive(Clone, PartialEq, Debug, StateRecord)]
#[state(check = Grant::check)]
pub struct Grant {
    pub(crate) ability: AbilityId,
    pub(crate) level: u32,
    pub(crate) input: Option<InputId>,
    pub(crate) source_object: Option<ActorId>,
    pub(crate) dynamic_tags: SmallVec<[TagId; 2]>,
    pub(crate) parameters: Parameters,
    #[state(index)]
    pub(crate) granted_by: Option<(ActiveEffectId, AbilityRemoval)>,
    pub(crate) activate: bool,
    /// Whether its activation is restored separately (K1), so that the grant does not activate it.
    #[state(index)]
    pub(crate) begun: bool,
}

/// Numbers by name, sorted by name.
pub(crate) type Parameters = SmallVec<[(Arc<str>, f64); 2]>;

impl Grant {
    /// A grant of `ability` at level 1.
    pub fn new(ability: AbilityId) -> Self {
        Self {
            ability,
            level: 1,
            input: None,
            source_object: None,
            dynamic_tags: SmallVec::new(),
            parameters: SmallVec::new(),
            granted_by: None,
            activate: false,
            begun: false,
        }
    }

    /// Sets the level.
    #[must_use]
    pub fn level(mut self, level: u32) -> Self {
        self.level = level;
        self
    }

    /// Sets the input it is bound to (§11.2).
    #[must_use]
    pub fn input(mut self, input: impl Into<InputId>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// Sets the object that it comes from: an item, a weapon.
    #[must_use]
    pub fn source_object(mut self, object: ActorId) -> Self {
        self.source_object = Some(object);
        self
    }

    /// Adds a tag that describes it.
    #[must_use]
    pub fn tag(mut self, tag: TagId) -> Self {
        self.dynamic_tags.push(tag);
        self
    }

    /// Sets a parameter; replaces the definition's. A value that is not finite is ignored (V2).
    #[must_use]
    pub fn parameter(mut self, name: &str, value: f64) -> Self {
        set_parameter(&mut self.parameters, name, value);
        self
    }

    fn check(&self) -> Result<(), &'static str> {
        check_parameters(&self.parameters)
    }

    /// Activates it as soon as it is granted.
    #[must_use]
    pub fn activated(mut self) -> Self {
        self.activate = true;
        self
    }
}

/// Writes a parameter; returns `false` if the value is not finite.
pub(crate) fn set_parameter(parameters: &mut Parameters, name: &str, value: f64) -> bool {
    if !value.is_finite() {
        return false;
    }
    match parameters.binary_search_by(|(known, _)| (**known).cmp(name)) {
        Ok(at) => parameters[at].1 = value + 0.0,
        Err(at) => parameters.insert(at, (Arc::from(name), value + 0.0)),
    }
    true
}

/// Checks the invariants that [`set_parameter`] maintains.
pub(crate) fn check_parameters(parameters: &Parameters) -> Result<(), &'static str> {
    if !parameters.is_sorted_by(|(one, _), (other, _)| one < other) {
        return Err("parameters are not sorted by their names");
    }
    if parameters.iter().any(|(_, value)| !value.is_finite()) {
        return Err("a parameter is not finite");
    }
    Ok(())
}

/// Value of a parameter in a list sorted by name; `None` if the list does not have it.
pub(crate) fn parameter(parameters: &Parameters, name: &str) -> Option<f64> {
    let at = parameters.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
    Some(parameters[at].1)
}

/// An ability that a controller has (§8.1, AbilitySpec).
#[derive(Debug, FieldClone, StateRecord)]
pub struct GrantedAbility {
    pub(crate) ability: AbilityId,
    pub(crate) controller: ControllerId,
    pub(crate) level: u32,
    pub(crate) input: Option<InputId>,
    pub(crate) source_object: Option<ActorId>,
    pub(crate) dynamic_tags: SmallVec<[TagId; 2]>,
    pub(crate) parameters: Parameters,
    /// The effect that granted it, and what happens to it when the effect ends.
    pub(crate) granted_by: Option<(ActiveEffectId, AbilityRemoval)>,
    /// Whether it is revoked as soon as it is not active (A8).
    pub(crate) remove_on_end: bool,
    /// Its activations, in the order in which they began.
    #[state(derived)]
    pub(crate) activations: SmallVec<[ActivationId; 1]>,
    /// Charges left; 0 without charges.
    pub(crate) charges: u32,
    /// Time of the next charge.
    pub(crate) recharge: Option<Time>,
    /// Order of its timer among others of the same instant.
    pub(crate) sequence: u64,
    /// Derived from `recharge`.
    #[state(index)]
    pub(crate) timer: Option<TimerKey>,
}

impl GrantedAbility {
    /// The ability definition.
    pub fn ability(&self) -> AbilityId {
        self.ability
    }

    /// The controller that has it.
    pub fn controller(&self) -> ControllerId {
        self.controller
    }

    /// Its level.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The input it is bound to.
    pub fn input(&self) -> Option<&InputId> {
        self.input.as_ref()
    }

    /// The object that it comes from.
    pub fn source_object(&self) -> Option<ActorId> {
        self.source_object
    }

    /// Tags that describe it, in addition to those of its definition.
    pub fn dynamic_tags(&self) -> &[TagId] {
        &self.dynamic_tags
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        parameter(&self.parameters, name)
    }

    /// All parameters, in name order.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, f64)> {
        self.parameters.iter().map(|(name, value)| (&**name, *value))
    }

    /// The effect that granted it (§9.8); `None` if the host did.
    pub fn granted_by(&self) -> Option<ActiveEffectId> {
        self.granted_by.map(|(effect, _)| effect)
    }

    /// Whether it is active.
    pub fn is_active(&self) -> bool {
        !self.activations.is_empty()
    }

    /// Its activations, in the order in which they began.
    pub fn activations(&self) -> &[ActivationId] {
        &self.activations
    }

    /// Charges left; 0 for an ability without charges.
    pub fn charges(&self) -> u32 {
        self.charges
    }

    /// Time of the next charge.
    pub fn next_charge(&self) -> Option<Time> {
        self.recharge
    }

    /// Whether it is revoked as soon as it is not active (A8).
    pub fn is_leaving(&self) -> bool {
        self.remove_on_end
    }
}

/// Everything that an ability set granted to a controller, to be revoked together.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct GrantedSet {
    /// Granted abilities.
    pub abilities: Vec<GrantedAbilityId>,
    /// Active effects, the one that grants the tags first.
    pub effects: Vec<ActiveEffectId>,
    /// Attribute sets that the controller did not have before.
    pub attribute_sets: Vec<AttributeSetId>,
}
