//! Saved characters in scenarios.

use ugas_core::character::{Character, CharacterOutcome, CharacterReport, RestoreError, RestoreOptions};
use ugas_core::command::{Command, CommandError, Outcome as CommandOutcome};
use ugas_core::handle::ControllerId;

use super::Runner;
use crate::model::controller::ControllerDoc;

impl<'s> Runner<'s> {
    /// Restores a saved character before the first step. It replaces the controller of this name, or is added
    /// if there is none. Instigators of its effects are found by the scenario's names (P5). Events of the
    /// restoration are dropped.
    ///
    /// # Errors
    /// If it cannot be restored, as [`CommandError::Restore`]; nothing has changed then.
    pub fn restore_character(
        &mut self,
        name: &'s str,
        character: &Character,
    ) -> Result<CharacterReport, CommandError> {
        let options = self.instigators(Some(name));
        let (id, report) = self.restore(character.clone(), options)?;
        match self.controllers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, place)) => {
                let replaced = std::mem::replace(place, id);
                self.try_execute(Command::Despawn(replaced));
            }
            None => self.controllers.push((name, id)),
        }
        self.set_name(id, name);
        self.simulation.events().for_each(drop);
        Ok(report)
    }

    /// Saves a controller as a character, which refers to other controllers by the scenario's names and those
    /// of summons. `None` if there is no controller of this name.
    pub fn character(&self, name: &str) -> Option<Character> {
        let name_of = |id: ControllerId| self.names.known(&self.simulation, id);
        self.simulation.character_named(self.controller(name)?, name_of)
    }

    /// Restore options with all controllers except one as instigators, by their names in the scenario.
    fn instigators(&self, except: Option<&str>) -> RestoreOptions {
        let others = self.controllers.iter().filter(|(name, _)| Some(*name) != except);
        others.fold(RestoreOptions::default(), |options, (name, id)| options.instigator(*name, *id))
    }

    /// Restores a character of the scenario's controllers. An unknown name is an error of the scenario.
    pub(super) fn restore_document(&mut self, doc: &ControllerDoc) -> Result<ControllerId, String> {
        let character = crate::character::of_document(doc)?;
        let options = self.instigators(None);
        let (id, report) = self.restore(character, options).map_err(|error| error.to_string())?;
        match report.entries.iter().find(|entry| entry.outcome == CharacterOutcome::Unknown) {
            Some(unknown) => Err(unknown.to_string()),
            None => Ok(id),
        }
    }

    /// Executes the command that restores a character; returns the new controller and the report.
    fn restore(
        &mut self,
        character: Character,
        options: RestoreOptions,
    ) -> Result<(ControllerId, CharacterReport), CommandError> {
        let (character, options) = (Box::new(character), Box::new(options));
        match self.execute(Command::RestoreCharacter { character, options })? {
            CommandOutcome::Restored { controller, report } => Ok((controller, *report)),
            // The command has no other outcome.
            _ => Err(CommandError::Restore(RestoreError::LimitReached(0))),
        }
    }
}
