//! Stand-ins for native code, to decode and migrate a state of another catalog.

use std::sync::Arc;

use super::definitions::Declared;
use crate::effect::calculation::{Calculation, CalculationError, CaptureDef};
use crate::effect::magnitude::CaptureFrom;
use crate::event::EventKind;
use crate::simulation::CalculationContext;
use crate::task::{CustomTask, TaskContext, TaskProgress};

/// A stand-in for a native calculation. It declares what the original declared when the state was written,
/// since captured values are in that order.
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
        let missing = || CalculationError::Failed("the native calculation is missing".to_owned());
        self.calculation.as_ref().ok_or_else(missing)?.calculate(context)
    }
}

/// A stand-in for a task written in Rust; wraps the task if there is one.
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
