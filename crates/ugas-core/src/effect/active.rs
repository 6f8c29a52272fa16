//! Active effects: the state of an effect on a target (§9.2, §9.9).

use smallvec::SmallVec;

use super::clock::Clock;
use super::spec::EffectSpec;
use crate::codec::{FieldClone, StateRecord};
use crate::handle::{ControllerId, GrantedAbilityId};
use crate::id::{AttributeId, EffectId};
use crate::lazy_box::{LazyBox, pooled_value};
use crate::tag::TagBits;
use crate::time::{Span, Time};
use crate::timer::{TimerKey, TimerWheel};

/// Whether an active effect runs or is queued (E4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub enum EffectStatus {
    /// It runs; see also [`ActiveEffect::is_inhibited`].
    Running,
    /// It waits in the queue of `RunInSequence`.
    Queued,
}

/// An active effect: an effect on a target (§9.9).
#[derive(Debug, FieldClone, StateRecord)]
pub struct ActiveEffect {
    pub(crate) effect: EffectId,
    pub(crate) target: ControllerId,
    pub(crate) spec: EffectSpec,
    /// Sequence number of its first application; orders modifiers (M10) and timers (V4).
    pub(crate) sequence: u64,
    /// Sequence number of its latest application, stacks and merges included; breaks ties among overrides
    /// (M4).
    pub(crate) applied: u64,
    pub(crate) stacks: u32,
    pub(crate) status: EffectStatus,
    pub(crate) inhibited: bool,
    /// Whether its tags, abilities and cues were granted, so that it must withdraw them; `false` until the
    /// application is complete.
    pub(crate) given: bool,
    pub(crate) clock: Clock,
    /// Evaluated magnitude of each modifier, before stacks.
    pub(crate) magnitudes: SmallVec<[f64; 2]>,
    /// Key of its random streams (V5).
    pub(crate) stream: u64,
    pub(crate) parts: LazyBox<EffectParts>,
    /// Set while a re-evaluation is pending; `false` between calls.
    #[state(unhashed)]
    pub(crate) refresh_pending: bool,
    /// Set while tags have changed that its modifiers may depend on; `false` between calls.
    #[state(unhashed)]
    pub(crate) qualification_pending: bool,
    /// Set while its inputs were checked and its tags were not; `false` between calls.
    #[state(index)]
    pub(crate) judgement_pending: bool,
    /// Derived from the clock.
    #[state(index)]
    pub(crate) timers: EffectTimers,
}

/// Parts of an active effect that few have.
#[derive(PartialEq, Debug, Default, FieldClone, StateRecord)]
pub(crate) struct EffectParts {
    /// The last known state of a source that was despawned (M5).
    pub(crate) last_source: Option<Box<LastSource>>,
    /// Abilities that it granted, while it is not inhibited.
    pub(crate) granted: SmallVec<[GrantedAbilityId; 1]>,
}

impl EffectParts {
    const NONE: Self = Self { last_source: None, granted: SmallVec::new_const() };
}

pooled_value!(EffectParts = EffectParts::NONE, |parts| {
    parts.last_source = None;
    parts.granted.clear();
});

impl ActiveEffect {
    /// A running instance with one stack, which has granted nothing yet.
    #[inline]
    pub(crate) fn new(
        spec: EffectSpec,
        target: ControllerId,
        sequence: u64,
        clock: Clock,
        magnitudes: SmallVec<[f64; 2]>,
        stream: u64,
    ) -> Self {
        Self {
            effect: spec.effect,
            target,
            spec,
            sequence,
            applied: sequence,
            stacks: 1,
            status: EffectStatus::Running,
            inhibited: false,
            given: false,
            clock,
            magnitudes,
            stream,
            parts: LazyBox::new(),
            refresh_pending: false,
            qualification_pending: false,
            judgement_pending: false,
            timers: EffectTimers::default(),
        }
    }

    /// The last known state of a source that was despawned (M5).
    #[inline]
    pub(crate) fn last_source(&self) -> Option<&LastSource> {
        self.parts.last_source.as_deref()
    }

    /// Removes and returns the abilities that it granted.
    #[inline]
    pub(crate) fn take_granted(&mut self) -> SmallVec<[GrantedAbilityId; 1]> {
        self.parts.get_mut().map(|parts| core::mem::take(&mut parts.granted)).unwrap_or_default()
    }

    /// Removes one of the abilities that it granted, if it did.
    pub(crate) fn forget_granted(&mut self, ability: GrantedAbilityId) {
        if let Some(parts) = self.parts.get_mut() {
            parts.granted.retain(|other| *other != ability);
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EffectTimers {
    pub(crate) expiry: Option<TimerKey>,
    pub(crate) tick: Option<TimerKey>,
}

impl EffectTimers {
    /// Cancels pending timers.
    pub(crate) fn cancel<P: Copy + Ord>(&mut self, wheel: &mut TimerWheel<P>) {
        for key in [self.tick.take(), self.expiry.take()].into_iter().flatten() {
            wheel.cancel(key);
        }
    }
}

/// Tags and captured values of a source when it was despawned.
#[derive(PartialEq, Debug, Default, FieldClone, StateRecord)]
pub(crate) struct LastSource {
    pub(crate) tags: TagBits,
    /// Attribute, base value and current value.
    pub(crate) values: Vec<(AttributeId, f64, f64)>,
}

impl LastSource {
    /// Last base and current value of an attribute; `None` if it was not captured.
    pub(crate) fn value(&self, attribute: AttributeId) -> Option<(f64, f64)> {
        self.values.iter().find(|(id, ..)| *id == attribute).map(|&(_, base, current)| (base, current))
    }
}

impl ActiveEffect {
    /// The effect definition.
    pub fn effect(&self) -> EffectId {
        self.effect
    }

    /// The target.
    pub fn target(&self) -> ControllerId {
        self.target
    }

    /// The source. The handle may be dead.
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

    /// Whether it runs or is queued.
    pub fn status(&self) -> EffectStatus {
        self.status
    }

    /// Whether its ongoing requirements fail, so that everything but its clock is withdrawn (E7).
    pub fn is_inhibited(&self) -> bool {
        self.inhibited
    }

    /// Time at which it began to run.
    pub fn started(&self) -> Time {
        self.clock.started
    }

    /// Total duration; `None` if it is infinite.
    pub fn duration(&self) -> Option<Span> {
        self.clock.duration()
    }

    /// Time of its expiry; `None` if it is infinite.
    pub fn expires(&self) -> Option<Time> {
        self.clock.expires()
    }

    /// Time left at `now`, as for a cooldown display; `None` if it is infinite. A queued effect has all its
    /// time left.
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

    /// Time of its next execution.
    pub fn next_tick(&self) -> Option<Time> {
        self.clock.next_tick()
    }

    /// Number of executions so far.
    pub fn ticks(&self) -> u32 {
        self.clock.ticks
    }

    /// Evaluated magnitude of each of the definition's modifiers, before stacks.
    pub fn magnitudes(&self) -> &[f64] {
        &self.magnitudes
    }

    /// Abilities that it currently grants.
    pub fn granted_abilities(&self) -> &[GrantedAbilityId] {
        &self.parts.granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Clock, EffectContext};

    /// A snapshot copies all active effects, and an application moves one: optional fields belong in a shared
    /// part ([`LazyBox`], [`CowOption`](crate::cow_option::CowOption)).
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn active_effect_size_is_pinned() {
        assert_eq!(size_of::<EffectContext>(), 32);
        assert_eq!(size_of::<EffectSpec>(), 72);
        assert_eq!(size_of::<Clock>(), 56);
        assert_eq!(size_of::<ActiveEffect>(), 224);
    }
}
