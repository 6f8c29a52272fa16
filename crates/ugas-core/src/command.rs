//! Commands: everything that changes a simulation, as data that can be recorded, sent and replayed.
//!
//! Each command has a method on [`Simulation`] that does the same; a simulation fed the same commands in the same order
//! goes through the same states.

use crate::effect::{EffectContext, EffectDef, EffectQuery, EffectSpec};
use crate::handle::{AbilityHandle, ActiveEffectId, ControllerId};
use crate::id::{AbilityId, ActorId, AttributeSetId, EffectId, TagId};
use crate::refusal::{Refusal, RefusalReason};
use crate::simulation::{
    Application, DefineEffectError, RegisterError, Simulation, Spawn, SpawnError, Stacks,
};
use crate::time::Span;

/// A change to a simulation.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Command {
    /// [`Simulation::spawn_with`].
    Spawn(Spawn),
    /// [`Simulation::despawn`].
    Despawn(ControllerId),
    /// [`Simulation::set_owner`].
    SetOwner {
        /// Whose.
        controller: ControllerId,
        /// The new one.
        owner: Option<ActorId>,
    },
    /// [`Simulation::set_avatar`].
    SetAvatar {
        /// Whose.
        controller: ControllerId,
        /// The new one.
        avatar: Option<ActorId>,
    },
    /// [`Simulation::register_set`].
    RegisterSet {
        /// With whom.
        controller: ControllerId,
        /// Which set.
        set: AttributeSetId,
    },
    /// [`Simulation::unregister_set`].
    UnregisterSet {
        /// From whom.
        controller: ControllerId,
        /// Which set.
        set: AttributeSetId,
    },
    /// [`Simulation::apply`].
    Apply {
        /// What.
        spec: Box<EffectSpec>,
        /// To whom.
        target: ControllerId,
    },
    /// [`Simulation::spec`] followed by [`Simulation::apply`].
    ApplyEffect {
        /// What.
        effect: EffectId,
        /// At what level.
        level: f64,
        /// Caused by whom and what.
        context: EffectContext,
        /// Numbers provided by the caller.
        magnitudes: Vec<(TagId, f64)>,
        /// To whom.
        target: ControllerId,
    },
    /// [`Simulation::remove`].
    Remove {
        /// What.
        active: ActiveEffectId,
        /// How much of it.
        stacks: Stacks,
    },
    /// [`Simulation::remove_matching`].
    RemoveMatching {
        /// From whom.
        controller: ControllerId,
        /// What.
        query: EffectQuery,
        /// How much of each.
        stacks: Stacks,
    },
    /// [`Simulation::set_duration`].
    SetDuration {
        /// Of what.
        active: ActiveEffectId,
        /// From its start; `None` is for ever.
        duration: Option<Span>,
    },
    /// [`Simulation::set_level`].
    SetLevel {
        /// Of what.
        active: ActiveEffectId,
        /// The new one.
        level: f64,
    },
    /// [`Simulation::set_magnitude`].
    SetMagnitude {
        /// Of what.
        active: ActiveEffectId,
        /// Under which tag.
        tag: TagId,
        /// The new one.
        value: f64,
    },
    /// [`Simulation::grant`].
    Grant {
        /// To whom.
        controller: ControllerId,
        /// Which ability.
        ability: AbilityId,
        /// At what level.
        level: u32,
    },
    /// [`Simulation::revoke`].
    Revoke(AbilityHandle),
    /// [`Simulation::define_effect`].
    DefineEffect(Box<EffectDef>),
    /// [`Simulation::forget_effect`].
    ForgetEffect(EffectId),
    /// [`Simulation::advance`].
    Advance(Span),
    /// [`Simulation::batch`] over these, which must not be batches themselves.
    Batch(Vec<Self>),
}

/// What a command came to.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// It is done, and there is nothing more to say.
    Done,
    /// A controller was spawned.
    Spawned(ControllerId),
    /// An effect was applied.
    Applied(Application),
    /// So many effects were affected.
    Removed(u32),
    /// An ability was granted.
    Granted(AbilityHandle),
    /// An effect was created.
    Defined(EffectId),
    /// Each command of a batch, in order.
    Batch(Vec<Result<Self, CommandError>>),
}

/// Why a command did nothing.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A controller could not be spawned.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// An attribute set could not be registered or taken away.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// An application was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Something does not exist, or a limit is reached.
    #[error(transparent)]
    Reason(#[from] RefusalReason),
    /// An effect could not be created.
    #[error(transparent)]
    Define(#[from] DefineEffectError),
    /// A batch inside a batch.
    #[error("a batch cannot contain a batch: put its commands into the outer one")]
    NestedBatch,
}

impl Simulation {
    /// Carries out a command.
    ///
    /// # Errors
    /// As the method that does the same; nothing has changed then.
    pub fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        Ok(match command {
            Command::Spawn(spawn) => Outcome::Spawned(self.spawn_with(spawn)?),
            Command::Despawn(controller) => done(self.despawn(controller))?,
            Command::SetOwner { controller, owner } => done(self.set_owner(controller, owner))?,
            Command::SetAvatar { controller, avatar } => done(self.set_avatar(controller, avatar))?,
            Command::RegisterSet { controller, set } => done(self.register_set(controller, set))?,
            Command::UnregisterSet { controller, set } => done(self.unregister_set(controller, set))?,
            Command::Apply { spec, target } => Outcome::Applied(self.apply(&spec, target)?),
            Command::ApplyEffect { effect, level, context, magnitudes, target } => {
                let mut spec = self.spec(effect, level, context)?;
                for (tag, value) in magnitudes {
                    spec.set_magnitude(tag, value);
                }
                Outcome::Applied(self.apply(&spec, target)?)
            }
            Command::Remove { active, stacks } => done(self.remove(active, stacks))?,
            Command::RemoveMatching { controller, query, stacks } => {
                Outcome::Removed(self.remove_matching(controller, &query, stacks))
            }
            Command::SetDuration { active, duration } => done(self.set_duration(active, duration))?,
            Command::SetLevel { active, level } => done(self.set_level(active, level))?,
            Command::SetMagnitude { active, tag, value } => done(self.set_magnitude(active, tag, value))?,
            Command::Grant { controller, ability, level } => {
                Outcome::Granted(self.grant(controller, ability, level)?)
            }
            Command::Revoke(handle) => done(self.revoke(handle))?,
            Command::DefineEffect(def) => Outcome::Defined(self.define_effect(*def)?),
            Command::ForgetEffect(effect) => done(self.forget_effect(effect))?,
            Command::Advance(span) => {
                self.advance(span);
                Outcome::Done
            }
            Command::Batch(commands) => {
                if commands.iter().any(|command| matches!(command, Command::Batch(_))) {
                    return Err(CommandError::NestedBatch);
                }
                let run = |sim: &mut Self| commands.into_iter().map(|command| sim.execute(command)).collect();
                Outcome::Batch(self.batch(run))
            }
        })
    }
}

fn done<E: Into<CommandError>>(result: Result<(), E>) -> Result<Outcome, CommandError> {
    result.map(|()| Outcome::Done).map_err(Into::into)
}
