//! Actions of `GameplayWorld`.

use bevy_ecs::prelude::Entity;
use ugas::input::InputId;
use ugas::{
    AbilityId, ActivationId, ActivationRequest, ActiveEffectId, Application, ControllerId, EffectContext,
    EffectId, EffectQuery, EffectSpec, GameplayEvent, Grant, GrantedAbilityId, Key, Placement, PredictionKey,
    PressOutcome, Simulation, Stacks, TagId, TargetData, TaskId, TaskOutcome, Team,
};

use super::{GameplayWorld, actor_of};
use crate::backend::Backend;
use crate::error::GameplayError;

/// Result of an activation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Activated {
    /// The activation started.
    Started(ActivationId),
    /// A client has sent the request, and predicts it in the next tick if prediction is on; the server will
    /// confirm or reject the key.
    Sent(PredictionKey),
}

impl GameplayWorld {
    /// The authoritative simulation, for operations without a method of their own. Changes are detected:
    /// components are updated, and events are emitted. Do not advance its time.
    pub fn simulation_mut(&mut self) -> Option<&mut Simulation> {
        self.backend.as_mut().and_then(Backend::authority)
    }

    /// Applies an effect at level 1 to an entity (§9.2).
    ///
    /// # Errors
    /// If it is refused, with all reasons.
    pub fn apply(
        &mut self,
        effect: impl Key<EffectId>,
        source: impl Into<Option<Entity>>,
        target: Entity,
    ) -> Result<Application, GameplayError> {
        let spec = self.spec(effect, 1.0, source)?;
        self.apply_spec(&spec, target)
    }

    /// Creates a spec of an effect, to be given magnitudes, a level or a duration before it is applied
    /// (§9.9).
    ///
    /// # Errors
    /// If there is no such effect.
    pub fn spec(
        &self,
        effect: impl Key<EffectId>,
        level: f64,
        source: impl Into<Option<Entity>>,
    ) -> Result<EffectSpec, GameplayError> {
        let effect: EffectId = self.id(effect)?;
        let context = self.context(source)?;
        let simulation = self.simulation().ok_or(GameplayError::NoRules)?;
        Ok(simulation.spec(effect, level, context)?)
    }

    /// Creates the context of an effect or a cue that an entity causes, to be given a hit, an origin, context
    /// tags or a payload (C1).
    ///
    /// # Errors
    /// If the entity has no controller.
    pub fn context(&self, source: impl Into<Option<Entity>>) -> Result<EffectContext, GameplayError> {
        Ok(match source.into() {
            None => EffectContext::default(),
            Some(source) => EffectContext::of(self.known(source)?.1),
        })
    }

    /// Executes a cue on an entity once, outside effects and abilities (§12.3). Clients that see the entity
    /// get it, too.
    ///
    /// # Errors
    /// If the entity has no controller, there is no such tag, or a number is not finite.
    pub fn execute_cue(
        &mut self,
        entity: Entity,
        cue: impl Key<TagId>,
        magnitude: f64,
        context: &EffectContext,
    ) -> Result<(), GameplayError> {
        let cue = self.id(cue)?;
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.execute_cue(controller, cue, magnitude, context)?)
    }

    /// Adds a cue to an entity until [`Self::remove_cue`] removes it. Several holders of one cue are counted
    /// (E11).
    ///
    /// # Errors
    /// If the entity has no controller, there is no such tag, or a number is not finite.
    pub fn add_cue(
        &mut self,
        entity: Entity,
        cue: impl Key<TagId>,
        context: &EffectContext,
    ) -> Result<ActiveEffectId, GameplayError> {
        let cue = self.id(cue)?;
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.add_cue(controller, cue, context)?)
    }

    /// Removes a cue that [`Self::add_cue`] added, the oldest of several; false if there is none.
    ///
    /// # Errors
    /// If the entity has no controller, or there is no such tag.
    pub fn remove_cue(&mut self, entity: Entity, cue: impl Key<TagId>) -> Result<bool, GameplayError> {
        let cue = self.id(cue)?;
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.remove_cue(controller, cue))
    }

    /// Applies a spec to an entity.
    ///
    /// # Errors
    /// If it is refused, with all reasons.
    pub fn apply_spec(&mut self, spec: &EffectSpec, target: Entity) -> Result<Application, GameplayError> {
        let (simulation, target) = self.authority_and_controller(target)?;
        Ok(simulation.apply(spec, target)?)
    }

    /// Removes stacks of an active effect, or all of it.
    ///
    /// # Errors
    /// If it is not active (anymore).
    pub fn remove(&mut self, active: ActiveEffectId, stacks: Stacks) -> Result<(), GameplayError> {
        Ok(self.authority()?.remove(active, stacks)?)
    }

    /// Removes all effects on an entity that a query matches; returns their number.
    ///
    /// # Errors
    /// If the entity has no controller.
    pub fn remove_matching(&mut self, entity: Entity, query: &EffectQuery) -> Result<u32, GameplayError> {
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.remove_matching(controller, query, Stacks::All))
    }

    /// Grants an ability at a level (§8.1).
    ///
    /// # Errors
    /// If the entity has no controller, or there is no such ability.
    pub fn grant(
        &mut self,
        entity: Entity,
        ability: impl Key<AbilityId>,
        level: u32,
    ) -> Result<GrantedAbilityId, GameplayError> {
        let ability = self.id(ability)?;
        self.grant_with(entity, Grant::new(ability).level(level))
    }

    /// Grants an ability with all options of a grant.
    ///
    /// # Errors
    /// If the entity has no controller, or there is no such ability.
    pub fn grant_with(&mut self, entity: Entity, grant: Grant) -> Result<GrantedAbilityId, GameplayError> {
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.grant_with(controller, grant)?)
    }

    /// Grants an ability set.
    ///
    /// # Errors
    /// If the entity has no controller, or there is no such set.
    pub fn grant_set(&mut self, entity: Entity, set: &str) -> Result<ugas::GrantedSet, GameplayError> {
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.grant_set(controller, set)?)
    }

    /// Revokes an ability.
    ///
    /// # Errors
    /// If it is not granted (anymore).
    pub fn revoke(&mut self, ability: GrantedAbilityId) -> Result<(), GameplayError> {
        Ok(self.authority()?.revoke(ability)?)
    }

    /// Activates an ability of an entity (§8.2). A client sends it to the server, and predicts it.
    ///
    /// # Errors
    /// If it is refused, with all reasons; also emitted as [`AbilityRefused`](crate::event::AbilityRefused).
    pub fn activate(
        &mut self,
        entity: Entity,
        ability: impl Key<AbilityId>,
    ) -> Result<Activated, GameplayError> {
        self.activate_with(entity, ability, ActivationRequest::default())
    }

    /// Activates an ability of an entity on another one.
    ///
    /// # Errors
    /// If it is refused, with all reasons; also emitted as [`AbilityRefused`](crate::event::AbilityRefused).
    pub fn activate_on(
        &mut self,
        entity: Entity,
        ability: impl Key<AbilityId>,
        target: Entity,
    ) -> Result<Activated, GameplayError> {
        let (_, target) = self.known(target)?;
        self.activate_with(entity, ability, ActivationRequest::on(target))
    }

    /// Activates an ability of an entity with all options of a request: targets, locations, an event.
    ///
    /// # Errors
    /// If it is refused, with all reasons; also emitted as [`AbilityRefused`](crate::event::AbilityRefused).
    pub fn activate_with(
        &mut self,
        entity: Entity,
        ability: impl Key<AbilityId>,
        request: ActivationRequest,
    ) -> Result<Activated, GameplayError> {
        let ability: AbilityId = self.id(ability)?;
        let (_, controller) = self.known(entity)?;
        #[cfg(feature = "net")]
        if let Some(Backend::Client(_)) = &self.backend {
            let handle = self.ability(entity, ability)?;
            return Ok(Activated::Sent(self.client()?.activate(handle, request)?));
        }
        Ok(Activated::Started(self.authority()?.activate_ability(controller, ability, request)?))
    }

    /// Cancels all activations of an ability of an entity (§8.6); returns their number.
    ///
    /// # Errors
    /// If the entity was not granted the ability.
    pub fn cancel(&mut self, entity: Entity, ability: impl Key<AbilityId>) -> Result<u32, GameplayError> {
        let handle = self.ability(entity, ability)?;
        #[cfg(feature = "net")]
        if let Some(Backend::Client(side)) = &mut self.backend {
            let granted = side.client.simulation().ability(handle);
            let activations = granted.map(|granted| granted.activations().to_vec()).unwrap_or_default();
            for activation in &activations {
                side.client.cancel_activation(*activation)?;
            }
            return Ok(u32::try_from(activations.len()).unwrap_or(u32::MAX));
        }
        Ok(self.authority()?.cancel_ability(handle)?)
    }

    /// Presses an input of an entity (§11). `None` on a client, where the result is known in the next tick.
    ///
    /// # Errors
    /// If the entity has no controller, or a client cannot send it.
    pub fn press(
        &mut self,
        entity: Entity,
        input: impl Into<InputId>,
    ) -> Result<Option<PressOutcome>, GameplayError> {
        let (_, controller) = self.known(entity)?;
        #[cfg(feature = "net")]
        if let Some(Backend::Client(side)) = &mut self.backend {
            side.client.press(controller, input)?;
            return Ok(None);
        }
        Ok(Some(self.authority()?.press(controller, input)?))
    }

    /// Releases an input of an entity (§11).
    ///
    /// # Errors
    /// If the entity has no controller, or a client cannot send it.
    pub fn release(&mut self, entity: Entity, input: impl Into<InputId>) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        #[cfg(feature = "net")]
        if let Some(Backend::Client(side)) = &mut self.backend {
            side.client.release(controller, input)?;
            return Ok(());
        }
        self.authority()?.release(controller, input)?;
        Ok(())
    }

    /// Confirms the tasks of an entity that wait for the player's confirmation.
    ///
    /// # Errors
    /// If the entity has no controller, or a client cannot send it.
    pub fn confirm(&mut self, entity: Entity) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        #[cfg(feature = "net")]
        if let Some(Backend::Client(side)) = &mut self.backend {
            side.client.confirm(controller)?;
            return Ok(());
        }
        Ok(self.authority()?.confirm(controller)?)
    }

    /// Declines the tasks of an entity that wait for the player's confirmation.
    ///
    /// # Errors
    /// If the entity has no controller, or a client cannot send it.
    pub fn decline(&mut self, entity: Entity) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        #[cfg(feature = "net")]
        if let Some(Backend::Client(side)) = &mut self.backend {
            side.client.decline(controller)?;
            return Ok(());
        }
        Ok(self.authority()?.decline(controller)?)
    }

    /// Provides targets to a task that waits for them; see [`TargetingBegan`](crate::event::TargetingBegan).
    ///
    /// # Errors
    /// If the task does not wait (anymore), or a client cannot send it.
    pub fn provide_targets(&mut self, task: TaskId, targets: TargetData) -> Result<(), GameplayError> {
        #[cfg(feature = "net")]
        if let Some(Backend::Client(side)) = &mut self.backend {
            side.client.provide_targets(task, &targets)?;
            return Ok(());
        }
        self.authority()?.provide_targets(task, targets)?;
        Ok(())
    }

    /// Reports the outcome of a host task; see [`HostTaskRequested`](crate::event::HostTaskRequested). False
    /// if the task does not wait (anymore).
    pub fn complete_task(&mut self, task: TaskId, outcome: TaskOutcome) -> bool {
        #[cfg(feature = "net")]
        if let Some(Backend::Client(side)) = &mut self.backend {
            return side.client.complete_task(task, outcome).is_ok();
        }
        self.authority().is_ok_and(|simulation| simulation.complete_task(task, outcome))
    }

    /// Sends a gameplay event to an entity (§10.3): activates the abilities that it triggers and completes
    /// the tasks that wait for it.
    ///
    /// # Errors
    /// If the entity has no controller.
    pub fn send_event(&mut self, entity: Entity, event: GameplayEvent) -> Result<(), GameplayError> {
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.send_event(controller, event)?)
    }

    /// A gameplay event of this kind, to be given a magnitude, context tags, target data or a payload and
    /// sent.
    ///
    /// # Errors
    /// If there is no such tag.
    pub fn event(&self, tag: impl Key<TagId>) -> Result<GameplayEvent, GameplayError> {
        Ok(GameplayEvent::new(self.id(tag)?))
    }

    /// A gameplay event that an entity causes and that names another one as its target (A11).
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_ugas::prelude::*;
    /// fn parry(mut gameplay: Gameplay, knight: Entity, wolf: Entity) -> Result<(), GameplayError> {
    ///     let critical = gameplay.id("Hit.Critical")?;
    ///     let event = gameplay.event_between("Event.Parried", knight, wolf)?;
    ///     gameplay.send_event(knight, event.with_context_tag(critical).with_payload("Force", 3.0))
    /// }
    /// ```
    ///
    /// # Errors
    /// If there is no such tag, or one of the entities has no controller.
    pub fn event_between(
        &self,
        tag: impl Key<TagId>,
        instigator: impl Into<Option<Entity>>,
        target: impl Into<Option<Entity>>,
    ) -> Result<GameplayEvent, GameplayError> {
        let of = |entity: Option<Entity>| match entity {
            None => Ok(None),
            Some(entity) => self.known(entity).map(|(_, controller)| Some(controller)),
        };
        let (instigator, target) = (of(instigator.into())?, of(target.into())?);
        Ok(GameplayEvent { instigator, target, ..self.event(tag)? })
    }

    /// Sets the team of an entity. Usually done by inserting a [`GameplayTeam`](crate::GameplayTeam).
    ///
    /// # Errors
    /// If the entity has no controller, or the name is too long.
    pub fn set_team(&mut self, entity: Entity, team: Option<&str>) -> Result<(), GameplayError> {
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.set_team(controller, team.map(Team::new))?)
    }

    /// Sets the avatar of an entity (§4.3); `None` is the entity itself. Usually done by inserting an
    /// [`Avatar`](crate::Avatar).
    ///
    /// # Errors
    /// If the entity has no controller.
    pub fn set_avatar(&mut self, entity: Entity, avatar: Option<Entity>) -> Result<(), GameplayError> {
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.set_avatar(controller, Some(actor_of(avatar.unwrap_or(entity))))?)
    }

    /// Sets the placement of an entity; `None` removes it. Usually done by
    /// [`UgasTransformPlugin`](crate::transform::UgasTransformPlugin).
    ///
    /// # Errors
    /// If the entity has no controller.
    pub fn place(&mut self, entity: Entity, placement: Option<Placement>) -> Result<(), GameplayError> {
        let (simulation, controller) = self.authority_and_controller(entity)?;
        Ok(simulation.set_placement(controller, placement)?)
    }

    /// The simulation to change; an error if the rules are not installed or this is a client.
    fn authority(&mut self) -> Result<&mut Simulation, GameplayError> {
        let backend = self.backend.as_mut().ok_or(GameplayError::NoRules)?;
        backend.authority().ok_or(GameplayError::NotAuthority)
    }

    /// The simulation to change, and the controller of an entity; errors as [`Self::authority`], or if it has
    /// none.
    fn authority_and_controller(
        &mut self,
        entity: Entity,
    ) -> Result<(&mut Simulation, ControllerId), GameplayError> {
        let (_, controller) = self.known(entity)?;
        Ok((self.authority()?, controller))
    }
}
