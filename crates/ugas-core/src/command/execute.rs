//! Execution of commands: each calls the [`Simulation`] method that it names.

use super::{Command, CommandError, Outcome};
use crate::simulation::{Application, Simulation};

impl Simulation {
    /// Executes a command.
    ///
    /// # Errors
    /// The error of the method that does the same. A command that fails changes nothing.
    pub fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        Ok(match command {
            Command::Spawn(spawn) => Outcome::Spawned(self.spawn_with(spawn)?),
            Command::Despawn(controller) => done(self.despawn(controller))?,
            Command::SetOwner { controller, owner } => done(self.set_owner(controller, owner))?,
            Command::SetActive { controller, active } => done(self.set_active(controller, active))?,
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
            Command::ApplyToAll { effect, source, targets } => {
                Outcome::AppliedToAll(self.apply_to_all(effect, source, &targets)? as u32)
            }
            Command::ExecuteCue { controller, cue, magnitude, context } => {
                done(self.execute_cue(controller, cue, magnitude, &context))?
            }
            Command::AddCue { controller, cue, context } => {
                let active = self.add_cue(controller, cue, &context)?;
                Outcome::Applied(Application::Active(active))
            }
            Command::RemoveCue { controller, cue } => {
                Outcome::Removed(u32::from(self.remove_cue(controller, cue)))
            }
            Command::Remove { active, stacks } => done(self.remove(active, stacks))?,
            Command::RemoveMatching { controller, query, stacks } => {
                Outcome::Removed(self.remove_matching(controller, &query, stacks))
            }
            Command::SetDuration { active, duration } => done(self.set_duration(active, duration))?,
            Command::SetLevel { active, level } => done(self.set_level(active, level))?,
            Command::SetMagnitude { active, tag, value } => done(self.set_magnitude(active, tag, value))?,
            Command::DefineEffect(def) => Outcome::Defined(self.define_effect(*def)?),
            Command::ForgetEffect(effect) => done(self.forget_effect(effect))?,
            Command::RestoreCharacter { character, options } => {
                let (controller, report) = self.restore_character(&character, &options)?;
                Outcome::Restored { controller, report: Box::new(report) }
            }
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
            Command::FromClient { key, reached, command } => {
                if matches!(*command, Command::Batch(_) | Command::FromClient { .. }) {
                    return Err(CommandError::NotSingle);
                }
                let act = |sim: &mut Self| match *command {
                    Command::Activate { ability, request } if reached == Some(ability) => {
                        Ok(Outcome::Activated(sim.activate_with(ability, request.in_range())?))
                    }
                    command => sim.execute(command),
                };
                match key {
                    Some(key) => self.predicting(key, act),
                    None => act(self),
                }?
            }
            Command::Grant { controller, ability, level } => {
                Outcome::Granted(self.grant(controller, ability, level)?)
            }
            Command::GrantWith { controller, grant } => {
                Outcome::Granted(self.grant_with(controller, *grant)?)
            }
            Command::Revoke(handle) => done(self.revoke(handle))?,
            Command::RevokeOnEnd(handle) => done(self.revoke_on_end(handle))?,
            Command::SetAbilityLevel { ability, level } => done(self.set_ability_level(ability, level))?,
            Command::BindInput { ability, input } => done(self.bind_input(ability, input))?,
            Command::SetParameter { ability, name, value } => {
                done(self.set_parameter(ability, &name, value))?
            }
            Command::GrantSet { controller, set } => {
                Outcome::GrantedSet(Box::new(self.grant_set(controller, &set)?))
            }
            Command::RevokeSet { controller, granted } => {
                self.revoke_set(controller, &granted);
                Outcome::Done
            }
            Command::Activate { ability, mut request } => {
                // It is not encoded, and a recorded command must do the same.
                request.in_range = false;
                Outcome::Activated(self.activate_with(ability, *request)?)
            }
            Command::ActivateAbility { controller, ability, mut request } => {
                request.in_range = false;
                Outcome::Activated(self.activate_ability(controller, ability, *request)?)
            }
            Command::ActivateByTags { controller, tags } => {
                Outcome::ActivatedAll(self.activate_by_tags(controller, &tags))
            }
            Command::Commit(activation) => done(self.commit(activation))?,
            Command::Cancel(activation) => done_if(self.cancel(activation)),
            Command::End(activation) => done_if(self.end(activation)),
            Command::CancelAbility(handle) => Outcome::Cancelled(self.cancel_ability(handle)?),
            Command::CancelByTags { controller, with, without } => {
                Outcome::Cancelled(self.cancel_by_tags(controller, &with, &without))
            }
            Command::CancelAll { controller, except } => {
                Outcome::Cancelled(self.cancel_all(controller, except))
            }
            Command::SendEvent { controller, event } => done(self.send_event(controller, event))?,
            Command::Press { controller, input } => {
                Outcome::Pressed(Box::new(self.press(controller, input)?))
            }
            Command::PressAt { controller, input, targets } => {
                Outcome::Pressed(Box::new(self.press_at(controller, input, targets)?))
            }
            Command::Release { controller, input } => done_if(self.release(controller, input)?),
            Command::Confirm(controller) => done(self.confirm(controller))?,
            Command::Decline(controller) => done(self.decline(controller))?,
            Command::SetInputBuffer { controller, config } => {
                done(self.set_input_buffer(controller, config))?
            }
            Command::CompleteTask { task, outcome } => done_if(self.complete_task(task, outcome)),
            Command::ProvideTargets { task, targets } => done_if(self.provide_targets(task, targets)?),
            Command::SetPlacement { controller, placement } => {
                done(self.set_placement(controller, placement))?
            }
            Command::SetTeam { controller, team } => done(self.set_team(controller, team))?,
        })
    }
}

/// Outcome of a command that may find nothing to do.
fn done_if(anything: bool) -> Outcome {
    if anything { Outcome::Done } else { Outcome::Nothing }
}

fn done<E: Into<CommandError>>(result: Result<(), E>) -> Result<Outcome, CommandError> {
    result.map(|()| Outcome::Done).map_err(Into::into)
}
