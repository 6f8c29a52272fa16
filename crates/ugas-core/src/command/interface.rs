//! [`Execute`]: the interface of everything that executes commands.

use super::{Command, CommandError, Outcome};
use crate::ability::{GameplayEvent, Grant, GrantedSet};
use crate::effect::{EffectDef, EffectQuery, EffectSpec};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::{AbilityId, EffectId, TagId};
use crate::input::InputId;
use crate::simulation::{ActivationRequest, Application, PressOutcome, Simulation, Spawn, Stacks};
use crate::tag::TagSet;
use crate::targeting::{Placement, TargetData, Team};
use crate::task::TaskOutcome;
use crate::time::Span;

/// Executor of commands: a simulation, a simulation that is being recorded, or a server.
///
/// Game code that is generic over it runs on all of them. Every method is one command, with the name and the
/// arguments of the [`Simulation`] method that does the same, and returns the value of its outcome.
///
/// ```
/// # use ugas_core::attribute::{AttributeDef, AttributeSetDef};
/// # use ugas_core::catalog::Catalog;
/// use ugas_core::command::{CommandError, Execute};
/// # use ugas_core::controller::ControllerDef;
/// # use ugas_core::effect::EffectDef;
/// # use ugas_core::modifier::Operation;
/// # use ugas_core::simulation::{Config, Simulation};
///
/// fn duel(game: &mut impl Execute) -> Result<f64, CommandError> {
///     let (hero, wolf) = (game.spawn("Fighter")?, game.spawn("Fighter")?);
///     let catalog = game.simulation().catalog().clone();
///     let strike = catalog.effect("GE_Strike").expect("the catalog defines it");
///     let health = catalog.attribute("Health").expect("the catalog defines it");
///     game.apply_effect(strike, Some(hero), wolf)?;
///     Ok(game.simulation().current(wolf, health).unwrap_or_default())
/// }
///
/// # let catalog = Catalog::builder()
/// #     .attribute_set(AttributeSetDef::new("Life").with(AttributeDef::new("Health", 100.0)))
/// #     .effect(EffectDef::instant("GE_Strike").modify("Health", Operation::Add, -30.0))
/// #     .template(ControllerDef::new("Fighter").with_set("Life"))
/// #     .build()?;
/// let mut sim = Simulation::new(catalog, Config::default());
/// assert_eq!(duel(&mut sim)?, 70.0); // 100 - 30
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Execute {
    /// Executes a command.
    ///
    /// # Errors
    /// The error of the [`Simulation`] method that does the same. A command that fails changes nothing.
    fn execute(&mut self, command: Command) -> Result<Outcome, CommandError>;

    /// The simulation that the commands change.
    fn simulation(&self) -> &Simulation;

    /// Advances time. A server does so itself, in its tick.
    fn advance(&mut self, span: Span) {
        // It cannot fail.
        let _ = self.execute(Command::Advance(span));
    }

    /// Spawns a controller from a template.
    ///
    /// # Errors
    /// As [`Simulation::spawn`].
    fn spawn(&mut self, template: &str) -> Result<ControllerId, CommandError> {
        self.execute(Command::spawn(template))?.spawned()
    }

    /// Spawns a controller with owner and avatar.
    ///
    /// # Errors
    /// As [`Simulation::spawn_with`].
    fn spawn_with(&mut self, spawn: Spawn) -> Result<ControllerId, CommandError> {
        self.execute(Command::Spawn(spawn))?.spawned()
    }

    /// Despawns a controller.
    ///
    /// # Errors
    /// As [`Simulation::despawn`].
    fn despawn(&mut self, controller: ControllerId) -> Result<(), CommandError> {
        self.execute(Command::Despawn(controller)).map(drop)
    }

    /// Applies an effect at level 1.
    ///
    /// # Errors
    /// As [`Simulation::apply_effect`].
    fn apply_effect(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        target: ControllerId,
    ) -> Result<Application, CommandError> {
        self.execute(Command::apply(effect, source, target))?.applied()
    }

    /// Applies a spec, which [`Simulation::spec`] creates.
    ///
    /// # Errors
    /// As [`Simulation::apply`].
    fn apply(&mut self, spec: &EffectSpec, target: ControllerId) -> Result<Application, CommandError> {
        self.execute(Command::apply_spec(spec.clone(), target))?.applied()
    }

    /// Applies an effect at level 1 to every target, as one operation; returns the number of targets that did not refuse.
    ///
    /// # Errors
    /// As [`Simulation::apply_to_all`].
    fn apply_to_all(
        &mut self,
        effect: EffectId,
        source: Option<ControllerId>,
        targets: &[ControllerId],
    ) -> Result<usize, CommandError> {
        self.execute(Command::apply_to_all(effect, source, targets.iter().copied()))?.count()
    }

    /// Removes stacks of an active effect.
    ///
    /// # Errors
    /// As [`Simulation::remove`].
    fn remove(&mut self, active: ActiveEffectId, stacks: Stacks) -> Result<(), CommandError> {
        self.execute(Command::remove_stacks(active, stacks)).map(drop)
    }

    /// Removes stacks of the active effects that match a query; returns their number.
    ///
    /// # Errors
    /// As [`Simulation::remove_matching`].
    fn remove_matching(
        &mut self,
        controller: ControllerId,
        query: &EffectQuery,
        stacks: Stacks,
    ) -> Result<u32, CommandError> {
        self.execute(Command::RemoveMatching { controller, query: query.clone(), stacks })?.removed()
    }

    /// Changes the duration of an active effect; `None` is infinite.
    ///
    /// # Errors
    /// As [`Simulation::set_duration`].
    fn set_duration(&mut self, active: ActiveEffectId, duration: Option<Span>) -> Result<(), CommandError> {
        self.execute(Command::set_duration(active, duration)).map(drop)
    }

    /// Changes the level of an active effect.
    ///
    /// # Errors
    /// As [`Simulation::set_level`].
    fn set_level(&mut self, active: ActiveEffectId, level: f64) -> Result<(), CommandError> {
        self.execute(Command::set_level(active, level)).map(drop)
    }

    /// Changes a caller's number (SetByCaller) of an active effect.
    ///
    /// # Errors
    /// As [`Simulation::set_magnitude`].
    fn set_magnitude(&mut self, active: ActiveEffectId, tag: TagId, value: f64) -> Result<(), CommandError> {
        self.execute(Command::set_magnitude(active, tag, value)).map(drop)
    }

    /// Grants an ability.
    ///
    /// # Errors
    /// As [`Simulation::grant`].
    fn grant(
        &mut self,
        controller: ControllerId,
        ability: AbilityId,
        level: u32,
    ) -> Result<GrantedAbilityId, CommandError> {
        self.execute(Command::grant(controller, ability, level))?.granted()
    }

    /// Grants an ability with input, parameters and tags.
    ///
    /// # Errors
    /// As [`Simulation::grant_with`].
    fn grant_with(
        &mut self,
        controller: ControllerId,
        grant: Grant,
    ) -> Result<GrantedAbilityId, CommandError> {
        self.execute(Command::grant_with(controller, grant))?.granted()
    }

    /// Grants an ability set.
    ///
    /// # Errors
    /// As [`Simulation::grant_set`].
    fn grant_set(&mut self, controller: ControllerId, set: &str) -> Result<GrantedSet, CommandError> {
        self.execute(Command::grant_set(controller, set))?.granted_set()
    }

    /// Revokes an ability.
    ///
    /// # Errors
    /// As [`Simulation::revoke`].
    fn revoke(&mut self, ability: GrantedAbilityId) -> Result<(), CommandError> {
        self.execute(Command::Revoke(ability)).map(drop)
    }

    /// Activates an ability without targets.
    ///
    /// # Errors
    /// As [`Simulation::activate`].
    fn activate(&mut self, ability: GrantedAbilityId) -> Result<ActivationId, CommandError> {
        self.execute(Command::activate_with(ability, ActivationRequest::default()))?.activated()
    }

    /// Activates an ability on targets.
    ///
    /// # Errors
    /// As [`Simulation::activate_on`].
    fn activate_on(
        &mut self,
        ability: GrantedAbilityId,
        targets: impl Into<TargetData>,
    ) -> Result<ActivationId, CommandError>
    where
        Self: Sized,
    {
        self.execute(Command::activate(ability, targets))?.activated()
    }

    /// Activates an ability with a request.
    ///
    /// # Errors
    /// As [`Simulation::activate_with`].
    fn activate_with(
        &mut self,
        ability: GrantedAbilityId,
        request: ActivationRequest,
    ) -> Result<ActivationId, CommandError> {
        self.execute(Command::activate_with(ability, request))?.activated()
    }

    /// Activates the abilities of a controller that have all of these tags.
    ///
    /// # Errors
    /// As [`Simulation::activate_by_tags`].
    fn activate_by_tags(
        &mut self,
        controller: ControllerId,
        tags: &TagSet,
    ) -> Result<Vec<ActivationId>, CommandError> {
        self.execute(Command::activate_by_tags(controller, tags.clone()))?.activated_all()
    }

    /// Cancels an activation; false if it has ended.
    ///
    /// # Errors
    /// As [`Simulation::cancel`].
    fn cancel(&mut self, activation: ActivationId) -> Result<bool, CommandError> {
        Ok(self.execute(Command::Cancel(activation))?.is_done())
    }

    /// Ends an activation; false if it has ended.
    ///
    /// # Errors
    /// As [`Simulation::end`].
    fn end(&mut self, activation: ActivationId) -> Result<bool, CommandError> {
        Ok(self.execute(Command::End(activation))?.is_done())
    }

    /// Sends a gameplay event to a controller.
    ///
    /// # Errors
    /// As [`Simulation::send_event`].
    fn send_event(&mut self, controller: ControllerId, event: GameplayEvent) -> Result<(), CommandError> {
        self.execute(Command::send_event(controller, event)).map(drop)
    }

    /// Presses an input.
    ///
    /// # Errors
    /// As [`Simulation::press`].
    fn press(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
    ) -> Result<PressOutcome, CommandError>
    where
        Self: Sized,
    {
        self.execute(Command::press(controller, input))?.pressed()
    }

    /// Presses an input, with targets for the abilities that it activates.
    ///
    /// # Errors
    /// As [`Simulation::press_at`].
    fn press_at(
        &mut self,
        controller: ControllerId,
        input: impl Into<InputId>,
        targets: TargetData,
    ) -> Result<PressOutcome, CommandError>
    where
        Self: Sized,
    {
        self.execute(Command::press_at(controller, input, targets))?.pressed()
    }

    /// Releases an input; false if it was not held.
    ///
    /// # Errors
    /// As [`Simulation::release`].
    fn release(&mut self, controller: ControllerId, input: impl Into<InputId>) -> Result<bool, CommandError>
    where
        Self: Sized,
    {
        Ok(self.execute(Command::release(controller, input))?.is_done())
    }

    /// Completes a task of the host; false if it has ended.
    ///
    /// # Errors
    /// As [`Simulation::complete_task`].
    fn complete_task(&mut self, task: TaskId, outcome: TaskOutcome) -> Result<bool, CommandError> {
        Ok(self.execute(Command::complete_task(task, outcome))?.is_done())
    }

    /// Provides the targets that a task waits for; false if it has ended.
    ///
    /// # Errors
    /// As [`Simulation::provide_targets`].
    fn provide_targets(&mut self, task: TaskId, targets: TargetData) -> Result<bool, CommandError> {
        Ok(self.execute(Command::provide_targets(task, targets))?.is_done())
    }

    /// Places a controller in the world; `None` if it is nowhere.
    ///
    /// # Errors
    /// As [`Simulation::set_placement`].
    fn set_placement(
        &mut self,
        controller: ControllerId,
        placement: Option<Placement>,
    ) -> Result<(), CommandError> {
        self.execute(Command::place(controller, placement)).map(drop)
    }

    /// Sets the team of a controller.
    ///
    /// # Errors
    /// As [`Simulation::set_team`].
    fn set_team(&mut self, controller: ControllerId, team: Option<Team>) -> Result<(), CommandError> {
        self.execute(Command::set_team(controller, team)).map(drop)
    }

    /// Creates an effect at run time.
    ///
    /// # Errors
    /// As [`Simulation::define_effect`].
    fn define_effect(&mut self, def: EffectDef) -> Result<EffectId, CommandError> {
        self.execute(Command::define_effect(def))?.defined()
    }
}

impl Execute for Simulation {
    fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        Self::execute(self, command)
    }

    fn simulation(&self) -> &Simulation {
        self
    }
}

impl<T: Execute + ?Sized> Execute for &mut T {
    fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        (**self).execute(command)
    }

    fn simulation(&self) -> &Simulation {
        (**self).simulation()
    }
}
