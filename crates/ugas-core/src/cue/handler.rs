//! The host's side of cues: what loads, creates, plays and ends them.

use super::class::CueClassId;
use super::context::{CueContext, CueTrigger};

/// One playing of an instance, by which the host says that it is over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlayId(pub(super) u64);

impl PlayId {
    /// The number of the playing, each given once.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// What became of a request to load a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loading {
    /// It is there.
    Ready,
    /// It will be there; [`CueManager::loaded`](super::CueManager::loaded) is to be called then.
    Requested,
    /// It cannot be had. It is not asked for again.
    Unavailable,
}

/// Whether an instance is still needed after a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Playback {
    /// It is over, and the instance can be used for something else.
    Done,
    /// It goes on (a sound rings out, particles fade) until [`CueManager::finished`](super::CueManager::finished).
    Continues,
}

/// The host's side of cues.
///
/// The four notifications are those of GASD §4.8.8. A looping cue that begins is told `on_active` and `while_active`,
/// once each, in this order; one that was there before its observer is told `while_active` only. So what late joiners
/// may miss goes into the first (the explosion), and what they must see into the second (the fire that goes on).
pub trait CueHandler {
    /// What the host has for one playing: an entity, a voice, a set of particles.
    type Instance;

    /// Makes the resources of a class available. Asked once, when the class is first needed or preloaded, so that what
    /// is never shown is never in memory (GASD §4.8.5).
    fn load(&mut self, class: CueClassId, name: &str) -> Loading {
        let _ = (class, name);
        Loading::Ready
    }

    /// Creates an instance; `None` if that is not possible. Not called while the pool has one.
    fn create(&mut self, class: CueClassId) -> Option<Self::Instance>;

    /// A looping cue begins.
    fn on_active(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) {
        let _ = (play, instance, context);
    }

    /// A looping cue is there, be it new or not. Called once, not each frame.
    fn while_active(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) {
        let _ = (play, instance, context);
    }

    /// A looping cue ends. The context is the one it began with.
    fn on_remove(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) -> Playback {
        let _ = (play, instance, context);
        Playback::Done
    }

    /// A cue happens once: as a burst, or on an instance that loops. The instance of a looping cue is held by its cue, so
    /// there the answer makes no difference.
    fn on_execute(&mut self, play: PlayId, instance: &mut Self::Instance, context: &CueContext) -> Playback {
        let _ = (play, instance, context);
        Playback::Done
    }

    /// An instance is about to go into the pool: stop what still plays and make it as good as new.
    fn recycle(&mut self, class: CueClassId, instance: &mut Self::Instance) {
        let _ = (class, instance);
    }

    /// An instance was recycled and finds no place in the pool. By default it is dropped.
    fn destroy(&mut self, class: CueClassId, instance: Self::Instance) {
        let _ = (class, instance);
    }

    /// Any trigger that was let through, whether or not a class is registered for it: for logs, and for
    /// [`Headless`](super::Headless) managers.
    fn triggered(&mut self, trigger: CueTrigger, context: &CueContext) {
        let _ = (trigger, context);
    }
}
