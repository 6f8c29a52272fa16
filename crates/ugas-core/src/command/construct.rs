//! Constructors of commands, and what their outcomes contain.

use super::{Command, CommandError, Outcome};
use crate::ability::{GameplayEvent, Grant, GrantedSet};
use crate::effect::{EffectContext, EffectDef, EffectQuery, EffectSpec};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::{AbilityId, EffectId, TagId};
use crate::input::InputId;
use crate::simulation::{ActivationRequest, Application, PressOutcome, Spawn, Stacks};
use crate::tag::TagSet;
use crate::targeting::{Placement, TargetData, Team};
use crate::task::TaskOutcome;
use crate::time::Span;

/// Constructors of the commands with several parts.
impl Command {
    /// Spawns a controller from the template with this name.
    pub fn spawn(template: impl Into<String>) -> Self {
        Self::Spawn(Spawn::named(template))
    }

    /// Applies an effect at level 1. For a level, context or caller's numbers (SetByCaller), use [`Self::apply_spec`].
    pub fn apply(effect: EffectId, source: impl Into<Option<ControllerId>>, target: ControllerId) -> Self {
        let context = EffectContext::of(source);
        Self::ApplyEffect { effect, level: 1.0, context, magnitudes: Vec::new(), target }
    }

    /// Applies a spec.
    pub fn apply_spec(spec: EffectSpec, target: ControllerId) -> Self {
        Self::Apply { spec: Box::new(spec), target }
    }

    /// Applies an effect at level 1 to every target, as one operation.
    pub fn apply_to_all(
        effect: EffectId,
        source: impl Into<Option<ControllerId>>,
        targets: impl IntoIterator<Item = ControllerId>,
    ) -> Self {
        Self::ApplyToAll { effect, source: source.into(), targets: targets.into_iter().collect() }
    }

    /// Removes an active effect with all its stacks.
    pub fn remove(active: ActiveEffectId) -> Self {
        Self::Remove { active, stacks: Stacks::All }
    }

    /// Removes stacks of an active effect.
    pub fn remove_stacks(active: ActiveEffectId, stacks: Stacks) -> Self {
        Self::Remove { active, stacks }
    }

    /// Removes the active effects of a controller that match a query, with all their stacks.
    pub fn remove_matching(controller: ControllerId, query: EffectQuery) -> Self {
        Self::RemoveMatching { controller, query, stacks: Stacks::All }
    }

    /// Changes the duration of an active effect; `None` is infinite.
    pub fn set_duration(active: ActiveEffectId, duration: impl Into<Option<Span>>) -> Self {
        Self::SetDuration { active, duration: duration.into() }
    }

    /// Changes the level of an active effect.
    pub fn set_level(active: ActiveEffectId, level: f64) -> Self {
        Self::SetLevel { active, level }
    }

    /// Changes a caller's number (SetByCaller) of an active effect.
    pub fn set_magnitude(active: ActiveEffectId, tag: TagId, value: f64) -> Self {
        Self::SetMagnitude { active, tag, value }
    }

    /// Grants an ability.
    pub fn grant(controller: ControllerId, ability: AbilityId, level: u32) -> Self {
        Self::Grant { controller, ability, level }
    }

    /// Grants an ability with input, parameters and tags.
    pub fn grant_with(controller: ControllerId, grant: Grant) -> Self {
        Self::GrantWith { controller, grant: Box::new(grant) }
    }

    /// Grants an ability set.
    pub fn grant_set(controller: ControllerId, set: impl Into<String>) -> Self {
        Self::GrantSet { controller, set: set.into() }
    }

    /// Activates a granted ability on targets: a controller, a hit, or `TargetData::default()` for none.
    pub fn activate(ability: GrantedAbilityId, targets: impl Into<TargetData>) -> Self {
        Self::activate_with(ability, ActivationRequest::on(targets))
    }

    /// Activates a granted ability with a request.
    pub fn activate_with(ability: GrantedAbilityId, request: ActivationRequest) -> Self {
        Self::Activate { ability, request: Box::new(request) }
    }

    /// Activates the abilities of a controller that have all of these tags.
    pub fn activate_by_tags(controller: ControllerId, tags: TagSet) -> Self {
        Self::ActivateByTags { controller, tags }
    }

    /// Sends a gameplay event to a controller.
    pub fn send_event(controller: ControllerId, event: GameplayEvent) -> Self {
        Self::SendEvent { controller, event }
    }

    /// Presses an input of a controller.
    pub fn press(controller: ControllerId, input: impl Into<InputId>) -> Self {
        Self::Press { controller, input: input.into() }
    }

    /// Presses an input of a controller, with targets for the abilities that it activates.
    pub fn press_at(
        controller: ControllerId,
        input: impl Into<InputId>,
        targets: impl Into<TargetData>,
    ) -> Self {
        Self::PressAt { controller, input: input.into(), targets: targets.into() }
    }

    /// Releases an input of a controller.
    pub fn release(controller: ControllerId, input: impl Into<InputId>) -> Self {
        Self::Release { controller, input: input.into() }
    }

    /// Executes a cue on a controller.
    pub fn execute_cue(controller: ControllerId, cue: TagId, magnitude: f64, context: EffectContext) -> Self {
        Self::ExecuteCue { controller, cue, magnitude, context }
    }

    /// Completes a task of the host.
    pub fn complete_task(task: TaskId, outcome: TaskOutcome) -> Self {
        Self::CompleteTask { task, outcome }
    }

    /// Provides the targets that a task waits for.
    pub fn provide_targets(task: TaskId, targets: impl Into<TargetData>) -> Self {
        Self::ProvideTargets { task, targets: targets.into() }
    }

    /// Places a controller in the world; `None` if it is nowhere.
    pub fn place(controller: ControllerId, placement: impl Into<Option<Placement>>) -> Self {
        Self::SetPlacement { controller, placement: placement.into() }
    }

    /// Sets the team of a controller.
    pub fn set_team(controller: ControllerId, team: impl Into<Option<Team>>) -> Self {
        Self::SetTeam { controller, team: team.into() }
    }

    /// Creates an effect at run time.
    pub fn define_effect(def: EffectDef) -> Self {
        Self::DefineEffect(Box::new(def))
    }
}

/// Values of an outcome. Each is an error if the outcome is another one: it belongs to another command.
impl Outcome {
    /// Controller that was spawned or restored.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn spawned(self) -> Result<ControllerId, CommandError> {
        match self {
            Self::Spawned(id) | Self::Restored { controller: id, .. } => Ok(id),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Result of the application.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn applied(self) -> Result<Application, CommandError> {
        match self {
            Self::Applied(application) => Ok(application),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Active effect that the application created or changed; an error for an instant effect, which leaves none.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn active(self) -> Result<ActiveEffectId, CommandError> {
        match self {
            Self::Applied(application) => application.active().ok_or(CommandError::UnexpectedOutcome),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Number of effects that were removed or lost stacks.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn removed(self) -> Result<u32, CommandError> {
        match self {
            Self::Removed(count) => Ok(count),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Ability that was granted.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn granted(self) -> Result<GrantedAbilityId, CommandError> {
        match self {
            Self::Granted(ability) => Ok(ability),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Ability set that was granted.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn granted_set(self) -> Result<GrantedSet, CommandError> {
        match self {
            Self::GrantedSet(set) => Ok(*set),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Activation that began.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn activated(self) -> Result<ActivationId, CommandError> {
        match self {
            Self::Activated(activation) => Ok(activation),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Activations that began.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn activated_all(self) -> Result<Vec<ActivationId>, CommandError> {
        match self {
            Self::ActivatedAll(activations) => Ok(activations),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Number of activations that were cancelled.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn cancelled(self) -> Result<u32, CommandError> {
        match self {
            Self::Cancelled(count) => Ok(count),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Result of an input press.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn pressed(self) -> Result<PressOutcome, CommandError> {
        match self {
            Self::Pressed(outcome) => Ok(*outcome),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Effect that was created.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn defined(self) -> Result<EffectId, CommandError> {
        match self {
            Self::Defined(effect) => Ok(effect),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Number of targets that an effect was applied to.
    ///
    /// # Errors
    /// [`CommandError::UnexpectedOutcome`] for the outcome of another command.
    pub fn count(self) -> Result<usize, CommandError> {
        match self {
            Self::AppliedToAll(count) => Ok(count as usize),
            _ => Err(CommandError::UnexpectedOutcome),
        }
    }

    /// Whether there was something to do.
    pub fn is_done(&self) -> bool {
        !matches!(self, Self::Nothing)
    }
}
