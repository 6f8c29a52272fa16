//! Queries of `GameplayWorld`.

use bevy_ecs::prelude::Entity;
use bevy_platform::sync::Arc;
use ugas::input::InputId;
use ugas::{
    AbilityId, AttributeId, Catalog, ControllerId, EffectId, Explanation, GrantedAbilityId, Key, Simulation,
    Span, TagId, TargetData, TaskId, Time,
};
use ugas_data::Pack;

use super::GameplayWorld;
use crate::backend::Backend;
use crate::error::GameplayError;
use crate::rules::RulesState;

impl GameplayWorld {
    /// Whether the rules are loaded and the game runs.
    pub fn is_in_play(&self) -> bool {
        self.backend.is_some()
    }

    /// State of the rules: missing, loading, installed or failed.
    pub fn rules_state(&self) -> RulesState {
        match self {
            Self { backend: Some(_), .. } => RulesState::Installed,
            Self { problem: Some(_), .. } => RulesState::Failed,
            Self { is_loading: true, .. } => RulesState::Loading,
            Self { .. } => RulesState::Missing,
        }
    }

    /// Why the newest rules could not be loaded, built or installed, with all mistakes in them. `None` once
    /// they are; after a failed reload, the previous rules stay in force. Also emitted as
    /// [`RulesFailed`](crate::rules::RulesFailed).
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The simulation, for reading everything else. On a client it is the displayed state.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.backend.as_ref().map(Backend::simulation)
    }

    /// The installed rules; `None` until there are any.
    pub fn catalog(&self) -> Option<&Arc<Catalog>> {
        self.simulation().map(Simulation::catalog)
    }

    /// The pack that the rules come from, with its documents and files; `None` for rules made in code.
    pub fn pack(&self) -> Option<&Arc<Pack>> {
        self.pack.as_ref()
    }

    /// Number of times the rules were installed or reloaded; compare it to detect outdated ids.
    pub fn rules_version(&self) -> u32 {
        self.rules_version
    }

    /// Game time; zero until the rules are installed. On a client it is that of the shown tick.
    pub fn now(&self) -> Time {
        self.simulation().map_or(Time::ZERO, Simulation::now)
    }

    /// The id of an attribute, a tag, an effect or an ability.
    ///
    /// ```
    /// # use bevy_ugas::prelude::*;
    /// fn look_up(gameplay: GameplayView) -> Result<(), GameplayError> {
    ///     let health: ugas::AttributeId = gameplay.id("Health")?;
    ///     let stunned: ugas::TagId = gameplay.id("State.Stunned")?;
    ///     # let _ = (health, stunned);
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// If the rules are not loaded, or do not have the name.
    pub fn id<Id>(&self, name: impl Key<Id>) -> Result<Id, GameplayError> {
        let catalog = self.catalog().ok_or(GameplayError::NoRules)?;
        Ok(name.id(catalog)?)
    }

    /// The values of an attribute.
    ///
    /// # Errors
    /// If the entity has no such attribute, or, on a client, the server withholds its value
    /// ([`ReadError::NotReplicated`](ugas::ReadError::NotReplicated), N1).
    pub fn value(
        &self,
        entity: Entity,
        attribute: impl Key<AttributeId>,
    ) -> Result<ugas::AttributeValue, GameplayError> {
        let (simulation, controller) = self.known(entity)?;
        Ok(simulation.value(controller, self.id(attribute)?)?)
    }

    /// The current value of an attribute; `None` if the entity has no such attribute, or the server withholds
    /// its value from this client.
    pub fn current(&self, entity: Entity, attribute: impl Key<AttributeId>) -> Option<f64> {
        self.simulation()?.current(self.controller(entity)?, self.id(attribute).ok()?)
    }

    /// The base value of an attribute; `None` as for [`Self::current`].
    pub fn base(&self, entity: Entity, attribute: impl Key<AttributeId>) -> Option<f64> {
        self.simulation()?.base(self.controller(entity)?, self.id(attribute).ok()?)
    }

    /// Whether an entity has a tag or a descendant of it (§7.3).
    pub fn has_tag(&self, entity: Entity, tag: impl Key<TagId>) -> bool {
        let (Some(simulation), Some(controller)) = (self.simulation(), self.controller(entity)) else {
            return false;
        };
        self.id(tag).is_ok_and(|tag| simulation.has_tag(controller, tag))
    }

    /// The stacks of an effect on an entity.
    pub fn stacks(&self, entity: Entity, effect: impl Key<EffectId>) -> u32 {
        let (Some(simulation), Some(controller)) = (self.simulation(), self.controller(entity)) else {
            return 0;
        };
        self.id(effect).map_or(0, |effect| simulation.stack_count(controller, effect))
    }

    /// The first grant of an ability to an entity.
    ///
    /// # Errors
    /// If the entity has no controller, or was not granted the ability.
    pub fn ability(
        &self,
        entity: Entity,
        ability: impl Key<AbilityId>,
    ) -> Result<GrantedAbilityId, GameplayError> {
        let (simulation, controller) = self.known(entity)?;
        let ability: AbilityId = self.id(ability)?;
        let granted = simulation.controller(controller).map(|known| known.abilities()).unwrap_or_default();
        let has_definition = |handle: &&GrantedAbilityId| {
            simulation.ability(**handle).is_some_and(|granted| granted.ability() == ability)
        };
        granted.iter().find(has_definition).copied().ok_or(GameplayError::NotGranted(entity))
    }

    /// Whether an entity could activate an ability now (§8.3): the answer of [`Self::can_activate`] without
    /// its reasons, and cheap. False if the entity does not have the ability.
    pub fn is_ready(&self, entity: Entity, ability: impl Key<AbilityId>) -> bool {
        let handle = self.ability(entity, ability);
        handle.is_ok_and(|handle| self.simulation().is_some_and(|simulation| simulation.is_ready(handle)))
    }

    /// Checks whether an entity could activate an ability now (§8.3).
    ///
    /// # Errors
    /// If it cannot, with all reasons.
    pub fn can_activate(&self, entity: Entity, ability: impl Key<AbilityId>) -> Result<(), GameplayError> {
        let handle = self.ability(entity, ability)?;
        let simulation = self.simulation().ok_or(GameplayError::NoRules)?;
        Ok(simulation.can_activate(handle)?)
    }

    /// Remaining and full cooldown of an ability of an entity; `None` if it has none.
    pub fn cooldown(&self, entity: Entity, ability: impl Key<AbilityId>) -> Option<(Span, Span)> {
        let handle = self.ability(entity, ability).ok()?;
        self.simulation()?.ability_cooldown(handle)
    }

    /// Time for which an entity has held an input.
    pub fn held(&self, entity: Entity, input: &InputId) -> Option<Span> {
        self.simulation()?.held(self.controller(entity)?, input)
    }

    /// Explains the value of an attribute, as data and as text.
    pub fn explain(&self, entity: Entity, attribute: impl Key<AttributeId>) -> Option<Explanation> {
        self.simulation()?.explain(self.controller(entity)?, self.id(attribute).ok()?)
    }

    /// An entity as target data; empty if it has no controller.
    pub fn target(&self, entity: Entity) -> TargetData {
        self.targets([entity])
    }

    /// Entities as target data; those without controllers are left out.
    pub fn targets(&self, entities: impl IntoIterator<Item = Entity>) -> TargetData {
        entities.into_iter().filter_map(|entity| self.controller(entity)).collect()
    }

    /// Targets if a target selection were confirmed now, for a reticle (GASD §4.11).
    pub fn preview_targets(&self, task: TaskId) -> Option<TargetData> {
        self.simulation()?.preview_targets(task)
    }

    /// Description of an error, with names instead of ids, for a floating text.
    pub fn describe(&self, error: &GameplayError) -> String {
        match (self.simulation(), error) {
            (Some(simulation), GameplayError::Application(refusal)) => refusal.describe(simulation),
            (Some(simulation), GameplayError::Activation(refusal)) => refusal.describe(simulation),
            (Some(simulation), GameplayError::Refused(reason)) => reason.describe(simulation),
            (Some(simulation), GameplayError::Value(error)) => error.describe(simulation),
            _ => error.to_string(),
        }
    }

    /// Simulation and controller of an entity; an error if the rules are not installed or it has none.
    pub(crate) fn known(&self, entity: Entity) -> Result<(&Simulation, ControllerId), GameplayError> {
        let simulation = self.simulation().ok_or(GameplayError::NoRules)?;
        let controller = self.controller(entity).ok_or(GameplayError::NoController(entity))?;
        Ok((simulation, controller))
    }
}
