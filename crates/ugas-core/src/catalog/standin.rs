//! What takes the place of native code while a state of another catalog is read and brought to the present one.

use std::sync::Arc;

use super::definitions::Declared;
use crate::effect::calculation::{Calculation, CalculationError, CaptureDef};
use crate::effect::magnitude::CaptureFrom;
use crate::event::EventKind;
use crate::simulation::CalculationContext;
use crate::task::{CustomTask, TaskContext, TaskProgress};

/// A native calculation that declares what it did when the state was written: captured values are in that order.
pub(super) struct StandIn {
    pub(super) declared: Declared,
    pub(super) calculation: Option<Arc<dyn Calculation>>,
}

impl Calculation for StandIn {
    fn captures(&self) -> Vec<CaptureDef> {
        self.declared.captures.clone()
    }

    fn tags(&self) -> Vec<(CaptureFrom, String)> {
        self.declared.tags.clone()
    }

    fn variables(&self) -> Vec<String> {
        self.declared.variables.clone()
    }

    fn calculate(&self, context: &mut CalculationContext<'_>) -> Result<f64, CalculationError> {
        let missing = || CalculationError::Failed("the native calculation is not there any more".to_owned());
        self.calculation.as_ref().ok_or_else(missing)?.calculate(context)
    }
}

/// A task written in Rust, or the lack of one.
pub(super) struct StandInTask {
    pub(super) waits: bool,
    pub(super) task: Option<Arc<dyn CustomTask>>,
}

impl CustomTask for StandInTask {
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        self.task.as_ref().map_or(TaskProgress::Failed, |task| task.activate(context))
    }

    fn wake(&self, context: &mut TaskContext<'_>, event: &EventKind) -> TaskProgress {
        self.task.as_ref().map_or(TaskProgress::Failed, |task| task.wake(context, event))
    }

    fn timer(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        self.task.as_ref().map_or(TaskProgress::Failed, |task| task.timer(context))
    }

    fn waits(&self) -> bool {
        self.waits
    }
}
