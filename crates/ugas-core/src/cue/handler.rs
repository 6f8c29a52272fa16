//! Cue handlers: the host's side, which loads, creates, plays and ends cues.

use super::class::CueClassId;
use super::context::{CueContext, CueTrigger};

/// Id of one playback of an instance, by which the host reports its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlayId(pub(super) u64);

impl PlayId {
    /// Number of the playback, never reused.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// Result of a request to load a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loading {
    /// It is loaded.
    Ready,
    /// It is loading; call [`CueManager::loaded`](super::CueManager::loaded) when it is ready.
    Requested,
    /// It is unavailable. It is not requested again.
    Unavailable,
}

/// Whether an instance is still in use after a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Playback {
    /// It is over; the instance can be reused.
    Done,
    /// It continues (a sound rings out, particles fade) until
    /// [`CueManager::finished`](super::CueManager::finished).
    Continues,
}

/// The host's side of cues.
///
/// The four notifications are those of GASD §4.8.8. A looping cue that begins calls `on_active` and
/// `while_active`, once each, in this order; one that began before its observer joined calls `while_active`
/// only. So the first is for what late joiners may miss (the explosion), the second for what they must see
/// (the fire that goes on).
pub trait CueHandler {
    /// The host's object for one playback: an entity, a voice, a set of particles.
    type Instance;

    /// Loads the resources of a class. Called once, when the class is first needed or preloaded, so that
    /// unused classes take no memory (GASD §4.8.5).
    fn load(&mut self, class: CueClassId, name: &str) -> Loading {
        let _ = (class, name);
        Loading::Ready
    }

    /// Creates an instance; `None` if that fails. Not called while the pool has one.
    fn create(&mut self, class: CueClassId) -> Option<Self::Instance>;

    /// A looping cue begins.
    fn on_active(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) {
        let _ = (play, instance, context);
    }

    /// A looping cue is active, new or not. Called once, not each frame.
    fn while_active(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) {
        let _ = (play, instance, context);
    }

    /// A looping cue ends. The context is the one that it began with.
    fn on_remove(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) -> Playback {
        let _ = (play, instance, context);
        Playback::Done
    }

    /// A cue is executed: as a burst, or on the instance of a looping cue. That instance belongs to its cue,
    /// so there the return value is ignored.
    fn on_execute(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) -> Playback {
        let _ = (play, instance, context);
        Playback::Done
    }

    /// An instance is about to return to the pool: stop what still plays and reset it.
    fn recycle(&mut self, class: CueClassId, instance: &mut Self::Instance) {
        let _ = (class, instance);
    }

    /// A recycled instance does not fit into the pool. By default it is dropped.
    fn destroy(&mut self, class: CueClassId, instance: Self::Instance) {
        let _ = (class, instance);
    }

    /// Called for every trigger that was not suppressed, with or without a class: for logs, and for
    /// [`Headless`](super::Headless) managers.
    fn triggered(&mut self, trigger: CueTrigger, context: &CueContext) {
        let _ = (trigger, context);
    }
}
