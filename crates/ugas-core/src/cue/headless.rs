//! Headless cue handling for servers (§12.5): no classes are loaded, no instances created, and triggers are
//! passed on.

use core::convert::Infallible;

use super::class::CueClassId;
use super::context::{CueContext, CueTrigger};
use super::handler::{CueHandler, Loading};

/// The receiver of a headless manager's triggers: the network, a log, a test.
pub trait CueSink {
    /// Receives one trigger.
    fn trigger(&mut self, trigger: CueTrigger, context: &CueContext);
}

impl<F: FnMut(CueTrigger, &CueContext)> CueSink for F {
    fn trigger(&mut self, trigger: CueTrigger, context: &CueContext) {
        self(trigger, context);
    }
}

impl CueSink for Vec<(CueTrigger, CueContext)> {
    fn trigger(&mut self, trigger: CueTrigger, context: &CueContext) {
        self.push((trigger, context.clone()));
    }
}

/// A handler without instances. The type guarantees that none is created: there is no value of
/// [`Infallible`].
///
/// Created by [`CueManager::headless`](super::CueManager::headless).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Headless<S>(pub S);

impl<S: CueSink> CueHandler for Headless<S> {
    type Instance = Infallible;

    fn load(&mut self, _: CueClassId, _: &str) -> Loading {
        Loading::Unavailable
    }

    fn create(&mut self, _: CueClassId) -> Option<Infallible> {
        None
    }

    fn triggered(&mut self, trigger: CueTrigger, context: &CueContext) {
        self.0.trigger(trigger, context);
    }
}
