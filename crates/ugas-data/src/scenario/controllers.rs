//! Steps about controllers: spawning, owner and avatar, attribute sets.

use ugas_core::command::{Command, CommandError};
use ugas_core::id::ActorId;
use ugas_core::refusal::Limit;
use ugas_core::simulation::RegisterError;

use super::Runner;
use super::runner::StepResult;
use crate::decode::{ActorText, NamedMap};
use crate::model::Name;
use crate::model::scenario::{ActorDoc, ControllerSetStepDoc, SetAvatarDoc, SetOwnerDoc};

/// Registration or removal of an attribute set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SetChange {
    Register,
    Unregister,
}

impl<'s> Runner<'s> {
    /// Spawns controllers in the order of the file. A name may be used again once its controller is gone. A
    /// full simulation is a refusal, any other obstacle an error; controllers that were spawned before it
    /// stay.
    pub(super) fn spawn_named(&mut self, actors: &'s NamedMap<Name, ActorDoc>) -> Result<StepResult, String> {
        for (name, actor) in &actors.0 {
            let known = self.controller(&name.value);
            if known.is_some_and(|known| self.simulation.controller(known).is_some()) {
                return Err(format!("a controller named `{}` exists already", name.value));
            }
            if actor.handle.is_some() {
                return Err(
                    "a spawned controller is new, but a `Handle` identifies one that the `State` already has"
                        .to_owned(),
                );
            }
            let most = self.simulation.config().max_controllers as usize;
            if self.simulation.controllers().count() >= most {
                let message = format!("`{}` cannot be spawned: {}", name.value, Limit::Controllers);
                return Ok(StepResult::refused(["LimitReached"], message));
            }
            let spawned = match &actor.character {
                Some(doc) => self.restore_document(doc),
                None => self.spawn(actor),
            };
            let id = spawned.map_err(|message| format!("`{}` cannot be spawned: {message}", name.value))?;
            self.controllers.retain(|(known, _)| *known != name.value);
            self.controllers.push((&name.value, id));
            self.set_name(id, &name.value);
        }
        Ok(StepResult::ok())
    }

    /// Sets the avatar of a controller, or removes it.
    pub(super) fn set_avatar(&mut self, doc: &SetAvatarDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let set = self.execute(Command::SetAvatar { controller, avatar: actor(&doc.avatar) });
        Ok(self.step_result(&set))
    }

    /// Sets the owner of a controller, or removes it.
    pub(super) fn set_owner(&mut self, doc: &SetOwnerDoc) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let set = self.execute(Command::SetOwner { controller, owner: actor(&doc.owner) });
        Ok(self.step_result(&set))
    }

    /// Registers or unregisters an attribute set of a controller. A rejected change is a refusal with its own
    /// code.
    pub(super) fn change_sets(
        &mut self,
        doc: &ControllerSetStepDoc,
        change: SetChange,
    ) -> Result<StepResult, String> {
        let controller = self.required(&doc.controller)?;
        let set = doc.set.as_ref().map_or("", |set| &set.value);
        let set = self.simulation.catalog().attribute_set(set).map_err(|error| error.to_string())?;
        let changed = self.execute(match change {
            SetChange::Register => Command::RegisterSet { controller, set },
            SetChange::Unregister => Command::UnregisterSet { controller, set },
        });
        Ok(match &changed {
            Err(CommandError::Register(error)) => {
                let code = match error {
                    RegisterError::UnknownController(_) => "UnknownController",
                    RegisterError::AlreadyRegistered(_) => "AlreadyRegistered",
                    RegisterError::NotRegistered(_) => "NotRegistered",
                    _ => "IncompatibleSets",
                };
                StepResult::refused([code], error.to_string())
            }
            _ => self.step_result(&changed),
        })
    }
}

/// Actor id of an optional field; `None` if it is absent or the text `None`.
pub(super) fn actor(id: &Option<ActorText>) -> Option<ActorId> {
    id.as_ref().and_then(|id| id.0.value).map(ActorId)
}
