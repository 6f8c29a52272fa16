//! Servers without a screen (§12.5): nothing is loaded, nothing instantiated, and triggers still flow.

use core::convert::Infallible;

use super::class::CueClassId;
use super::context::{CueContext, CueTrigger};
use super::handler::{CueHandler, Loading};

/// Where the triggers of a headless manager go: to the network, to a log, to a test.
pub trait CueSink {
    /// Takes one trigger.
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

/// A handler without instances. That none is ever created is not a promise but a matter of types: there is no value of
/// [`Infallible`].
///
/// Made by [`CueManager::headless`](super::CueManager::headless).
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
