//! Commands: how a scenario changes its simulation, and what comes of it.

use ugas_core::command::{Command, CommandError, Outcome as CommandOutcome};

use super::Runner;
use super::runner::StepResult;

impl Runner<'_> {
    /// The one place where the simulation changes.
    pub(super) fn execute(&mut self, command: Command) -> Result<CommandOutcome, CommandError> {
        let Some(witness) = &mut self.witness else { return self.simulation.execute(command) };
        witness.before(&self.simulation, &command);
        let result = self.simulation.execute(command);
        witness.after(&self.simulation);
        result
    }

    /// Executes a command; whether there was something to do, and it was done.
    pub(super) fn does(&mut self, command: Command) -> bool {
        !matches!(self.execute(command), Err(_) | Ok(CommandOutcome::Nothing))
    }

    pub(super) fn step_result(&self, result: &Result<CommandOutcome, CommandError>) -> StepResult {
        let Err(error) = result else { return StepResult::ok() };
        let message = self.words(error);
        match error {
            CommandError::Refused(refusal) => {
                StepResult::refused(refusal.reasons.iter().map(|reason| reason.code()), message)
            }
            CommandError::Activation(refusal) => {
                StepResult::refused(refusal.reasons.iter().map(|reason| reason.code()), message)
            }
            CommandError::Reason(reason) => StepResult::refused([reason.code()], message),
            _ => StepResult::refused(["Impossible"], message),
        }
    }

    /// Why a command did nothing, with names instead of handles.
    pub(super) fn words(&self, error: &CommandError) -> String {
        match error {
            CommandError::Refused(refusal) => refusal.describe(&self.simulation).to_string(),
            CommandError::Activation(refusal) => refusal.describe(&self.simulation).to_string(),
            CommandError::Reason(reason) => reason.describe(&self.simulation),
            _ => error.to_string(),
        }
    }
}
