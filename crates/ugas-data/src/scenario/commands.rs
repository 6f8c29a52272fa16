//! Execution of commands, and conversion of their results.

use ugas_core::command::{Command, CommandError, Outcome as CommandOutcome};

use super::Runner;
use super::runner::{IMPOSSIBLE, StepResult};

impl Runner<'_> {
    /// Executes a command. All changes of the simulation go through here.
    pub(super) fn execute(&mut self, command: Command) -> Result<CommandOutcome, CommandError> {
        let Some(command_observer) = &mut self.command_observer else {
            return self.simulation.execute(command);
        };
        command_observer.before(&self.simulation, &command);
        let result = self.simulation.execute(command);
        command_observer.after(&self.simulation);
        result
    }

    /// Executes a command; true if it succeeded and changed something (its outcome is not `Nothing`).
    pub(super) fn try_execute(&mut self, command: Command) -> bool {
        !matches!(self.execute(command), Err(_) | Ok(CommandOutcome::Nothing))
    }

    /// Result of a step from the result of its command. Errors without a code of their own have the code
    /// `Impossible`.
    pub(super) fn step_result(&self, result: &Result<CommandOutcome, CommandError>) -> StepResult {
        let Err(error) = result else { return StepResult::ok() };
        let message = self.describe_error(error);
        match error {
            CommandError::Refused(refusal) => {
                StepResult::refused(refusal.reasons.iter().map(|reason| reason.code()), message)
            }
            CommandError::Activation(refusal) => {
                StepResult::refused(refusal.reasons.iter().map(|reason| reason.code()), message)
            }
            CommandError::Reason(reason) => StepResult::refused([reason.code()], message),
            _ => StepResult::refused([IMPOSSIBLE], message),
        }
    }

    /// Message of a command error, with names instead of handles.
    pub(super) fn describe_error(&self, error: &CommandError) -> String {
        match error {
            CommandError::Refused(refusal) => refusal.describe(&self.simulation).to_string(),
            CommandError::Activation(refusal) => refusal.describe(&self.simulation).to_string(),
            CommandError::Reason(reason) => reason.describe(&self.simulation),
            _ => error.to_string(),
        }
    }
}
