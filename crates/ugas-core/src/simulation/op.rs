//! Operations: the origin of what happens now.

use crate::event::{Cause, Origin};
use crate::handle::ActiveEffectId;
use crate::prediction::PredictionKey;
use crate::time::Time;

/// Origin of the events and consequences of one step. A queued consequence keeps the `Op` of the step that
/// queued it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Op {
    /// Cause of the events.
    pub(super) cause: Cause,
    /// Prediction that the events are part of, if any.
    pub(super) prediction: Option<PredictionKey>,
    /// Index of the next shared roll under the prediction (V5).
    pub(super) roll: u64,
    /// Index in the trace of the effect that runs now: the parent of consequences.
    pub(super) parent: Option<u32>,
}

/// Origin of what happens now, and the batch that it is part of.
#[derive(Clone, Debug, Default)]
pub(super) struct Current {
    pub(super) op: Op,
    /// Incremented at every change of cause or prediction, so that two moments can be compared cheaply.
    version: u64,
    /// Default prediction of operations that have no key of their own.
    pub(super) ambient: Option<PredictionKey>,
    /// Number of batches that are open.
    pub(super) batch_depth: u32,
}

impl Current {
    /// Origin of what happens now.
    #[inline]
    pub(super) fn op(&self) -> Op {
        self.op
    }

    /// Replaces the origin of what happens from now on.
    #[inline]
    pub(super) fn set_op(&mut self, op: Op) {
        self.op = op;
        self.version += 1;
    }

    /// Cause of the events that are emitted now.
    #[inline]
    pub(super) fn cause(&self) -> Cause {
        self.op.cause
    }

    /// Prediction that current events are part of, if any.
    #[inline]
    pub(super) fn prediction(&self) -> Option<PredictionKey> {
        self.op.prediction
    }

    /// Origin of an event that is emitted now.
    #[inline]
    pub(super) fn origin(&self, time: Time) -> Origin {
        Origin { time, cause: self.op.cause, prediction: self.op.prediction }
    }

    /// Version of cause and prediction: equal only if neither was set in between.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Sets the cause of later events.
    #[inline]
    pub(super) fn set_cause(&mut self, cause: Cause) {
        self.op.cause = cause;
        self.version += 1;
    }

    /// Sets the cause and the prediction of later events. Operation number, roll and parent stay.
    #[inline]
    pub(super) fn set_cause_and_prediction(&mut self, cause: Cause, prediction: Option<PredictionKey>) {
        if self.op.cause != cause || self.op.prediction != prediction {
            self.op.prediction = prediction;
            self.set_cause(cause);
        }
    }

    /// Sets the active effect of the current cause.
    #[inline]
    pub(super) fn set_cause_active(&mut self, active: ActiveEffectId) {
        if self.op.cause.active != Some(active) {
            self.op.cause.active = Some(active);
            self.version += 1;
        }
    }

    /// Sets the prediction of later events; `None` for none.
    #[inline]
    pub(super) fn predict(&mut self, prediction: Option<PredictionKey>) {
        if self.op.prediction != prediction {
            self.op.prediction = prediction;
            self.version += 1;
        }
    }

    /// Separates later events from earlier ones in the event queue, although the cause stays the same: the
    /// clock has changed.
    pub(super) fn interrupt(&mut self) {
        self.version += 1;
    }

    /// Forgets origin, default prediction and batches.
    pub(super) fn reset(&mut self) {
        *self = Self { version: self.version + 1, ..Self::default() };
    }
}
