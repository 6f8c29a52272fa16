//! Active effects: the state of an effect that stays on a target (§9.2, §9.9).

use smallvec::SmallVec;

use super::clock::Clock;
use super::spec::EffectSpec;
use crate::codec::{plain_enum, plain_struct};
use crate::handle::{AbilityHandle, ControllerId};
use crate::id::{AttributeId, EffectId};
use crate::tag::TagBits;
use crate::time::{Span, Time};
use crate::timer::{TimerKey, TimerWheel};

/// Whether an instance runs or waits for its turn (E4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EffectStatus {
    /// It runs; see also [`ActiveEffect::is_inhibited`].
    Running,
    /// It waits in the queue of `RunInSequence`.
    Queued,
}

/// An effect on a target (§9.9).
#[derive(Debug)]
pub struct ActiveEffect {
    pub(crate) effect: EffectId,
    pub(crate) target: ControllerId,
    pub(crate) spec: EffectSpec,
    /// Order of its first application; orders modifiers (M10) and timers (V4).
    pub(crate) sequence: u64,
    /// Order of its latest application, stacks and merges included; breaks ties among overrides (M4).
    pub(crate) applied: u64,
    pub(crate) stacks: u32,
    pub(crate) status: EffectStatus,
    pub(crate) inhibited: bool,
    /// Whether its tags, abilities and cues are its own to withdraw; false until the application is complete.
    pub(crate) given: bool,
    pub(crate) clock: Clock,
    /// Evaluated magnitude of each modifier, before stacks.
    pub(crate) magnitudes: SmallVec<[f64; 2]>,
    /// Key of its random streams (V5).
    pub(crate) stream: u64,
    /// What the source was like when it ceased to exist (M5).
    pub(crate) last_source: Option<Box<LastSource>>,
    /// Abilities it granted, for as long as it is not inhibited.
    pub(crate) granted: SmallVec<[AbilityHandle; 1]>,
    /// Set while it waits to be re-evaluated; false between calls.
    pub(crate) refresh_pending: bool,
    /// Set while tags changed that its modifiers may depend on; false between calls.
    pub(crate) qualification_pending: bool,
    /// Set while its inputs were looked at and its tags were not; false between calls.
    pub(crate) judgement_pending: bool,
    /// Derived from the clock.
    pub(crate) timers: EffectTimers,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EffectTimers {
    pub(crate) expiry: Option<TimerKey>,
    pub(crate) tick: Option<TimerKey>,
}

impl EffectTimers {
    /// Cancels what is pending.
    pub(crate) fn cancel<P: Copy + Ord>(&mut self, wheel: &mut TimerWheel<P>) {
        for key in [self.tick.take(), self.expiry.take()].into_iter().flatten() {
            wheel.cancel(key);
        }
    }
}

/// Tags and captured values of a source at the moment it ceased to exist.
#[derive(PartialEq, Debug, Default)]
pub(crate) struct LastSource {
    pub(crate) tags: TagBits,
    /// Attribute, base, current.
    pub(crate) values: Vec<(AttributeId, f64, f64)>,
}

impl LastSource {
    pub(crate) fn value(&self, attribute: AttributeId) -> Option<(f64, f64)> {
        self.values.iter().find(|(id, ..)| *id == attribute).map(|&(_, base, current)| (base, current))
    }
}

impl ActiveEffect {
    /// Its definition.
    pub fn effect(&self) -> EffectId {
        self.effect
    }

    /// Whom it is on.
    pub fn target(&self) -> ControllerId {
        self.target
    }

    /// Who caused it; possibly no longer there.
    pub fn source(&self) -> Option<ControllerId> {
        self.spec.context.source
    }

    /// The spec it was last applied with.
    pub fn spec(&self) -> &EffectSpec {
        &self.spec
    }

    /// Stack count; 1 for an effect that does not stack.
    pub fn stacks(&self) -> u32 {
        self.stacks
    }

    /// Running, or waiting for its turn.
    pub fn status(&self) -> EffectStatus {
        self.status
    }

    /// Whether its ongoing requirements fail, so that all but its clock is withdrawn (E7).
    pub fn is_inhibited(&self) -> bool {
        self.inhibited
    }

    /// When it began to run.
    pub fn started(&self) -> Time {
        self.clock.started
    }

    /// How long it lasts in all; `None` is for ever.
    pub fn duration(&self) -> Option<Span> {
        self.clock.duration()
    }

    /// When it ends by itself.
    pub fn expires(&self) -> Option<Time> {
        self.clock.expires()
    }

    /// Time left at `now`, as a cooldown display wants it; `None` is for ever. A queued instance has all its time left.
    pub fn remaining(&self, now: Time) -> Option<Span> {
        match self.status {
            EffectStatus::Queued => self.duration(),
            EffectStatus::Running => self.expires().map(|end| end.since(now).max(Span::ZERO)),
        }
    }

    /// Time between its executions.
    pub fn period(&self) -> Option<Span> {
        self.clock.period()
    }

    /// When it executes next.
    pub fn next_tick(&self) -> Option<Time> {
        self.clock.next_tick()
    }

    /// How often it has executed.
    pub fn ticks(&self) -> u32 {
        self.clock.ticks
    }

    /// Evaluated magnitude of each of the definition's modifiers, before stacks.
    pub fn magnitudes(&self) -> &[f64] {
        &self.magnitudes
    }

    /// Abilities that it grants at the moment.
    pub fn granted_abilities(&self) -> &[AbilityHandle] {
        &self.granted
    }
}

plain_struct!(cloned ActiveEffect {
    effect,
    target,
    spec,
    sequence,
    applied,
    stacks,
    status,
    inhibited,
    given,
    clock,
    magnitudes,
    stream,
    last_source,
    granted,
    refresh_pending: unhashed,
    judgement_pending: index,
    qualification_pending: unhashed,
    timers: index,
});

plain_enum!(EffectStatus { 0 => Running, 1 => Queued });
plain_struct!(cloned LastSource { tags, values });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Clock, EffectContext};

    /// A copy of the state copies all of them, and an application moves one: a field that few have belongs into one of the
    /// parts that are shared ([`Rare`](crate::rare::Rare)).
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn records_of_effects_are_small() {
        assert_eq!(size_of::<EffectContext>(), 72);
        assert_eq!(size_of::<EffectSpec>(), 216);
        assert_eq!(size_of::<Clock>(), 56);
        assert_eq!(size_of::<ActiveEffect>(), 392);
    }
}
