//! Active effects: the state of an effect that stays on a target (§9.2, §9.9).

use smallvec::SmallVec;

use super::spec::EffectSpec;
use crate::codec::{plain_enum, plain_struct};
use crate::handle::{AbilityHandle, ControllerId};
use crate::id::{AttributeId, EffectId};
use crate::tag::TagBits;
use crate::time::{Span, Time};
use crate::timer::TimerKey;

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
    pub(crate) started: Time,
    pub(crate) duration: Option<Span>,
    pub(crate) expires: Option<Time>,
    pub(crate) period: Option<Span>,
    /// The instant that the next tick is counted from; one that is yet to come is that of the next tick itself.
    pub(crate) phase: Time,
    pub(crate) next_tick: Option<Time>,
    pub(crate) ticks: u32,
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
    /// Derived from `expires` and `next_tick`.
    pub(crate) timers: EffectTimers,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EffectTimers {
    pub(crate) expiry: Option<TimerKey>,
    pub(crate) tick: Option<TimerKey>,
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
        self.started
    }

    /// How long it lasts in all; `None` is for ever.
    pub fn duration(&self) -> Option<Span> {
        self.duration
    }

    /// When it ends by itself.
    pub fn expires(&self) -> Option<Time> {
        self.expires
    }

    /// Time left at `now`, as a cooldown display wants it; `None` is for ever. A queued instance has all its time left.
    pub fn remaining(&self, now: Time) -> Option<Span> {
        match self.status {
            EffectStatus::Queued => self.duration,
            EffectStatus::Running => self.expires.map(|end| end.since(now).max(Span::ZERO)),
        }
    }

    /// Time between its executions.
    pub fn period(&self) -> Option<Span> {
        self.period
    }

    /// When it executes next.
    pub fn next_tick(&self) -> Option<Time> {
        self.next_tick
    }

    /// The first tick after `now` in the phase that it has, whether it lives to see it or not.
    pub(crate) fn tick_after(&self, now: Time) -> Option<Time> {
        let period = self.period?;
        if self.phase > now {
            return Some(self.phase);
        }
        let missed = now.since(self.phase).micros() / period.micros().max(1);
        Some(self.phase + Span::from_micros(period.micros().saturating_mul(missed.saturating_add(1))))
    }

    /// How often it has executed.
    pub fn ticks(&self) -> u32 {
        self.ticks
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
    started,
    duration,
    expires,
    period,
    phase,
    next_tick,
    ticks,
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
