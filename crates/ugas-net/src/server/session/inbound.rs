//! Inbound state of a session: what the client sent, and the limits on it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ugas_core::effect::PredictionKey;
use ugas_core::handle::ActivationId;
use ugas_core::time::Time;

use super::outbound::OutboundState;
use super::{ServerConfig, key};
use crate::message::{CommandFrame, CommandOutcome, Feedback, Frames, NetCommand, Rejection};
use crate::packets::ReceivedPackets;
use crate::server::peer_rate_limits::CommandBudget;
use crate::tick::Tick;

/// Most activations that a client began and may still name by their prediction keys.
const MAX_ACTIVATIONS: usize = 64;
/// Most frames that came too early and are remembered.
const MAX_EARLY_FRAMES: usize = 128;

/// Commands of a tick that has not run yet.
#[derive(Debug, Default)]
pub(in crate::server) struct PendingFrame {
    pub(in crate::server) commands: Vec<NetCommand>,
    /// The tick at which the client saw others when it sent them.
    pub(in crate::server) seen: Tick,
}

/// Datagrams, frames and commands received from one client.
#[derive(Debug)]
pub(in crate::server) struct InboundState {
    pub(in crate::server) received: ReceivedPackets,
    /// Time at which the last new datagram came.
    pub(in crate::server) last_heard: Time,
    /// The client's newest clock reading and how early it came, for the next ack report.
    pub(in crate::server) feedback: Feedback,
    /// Accepted frames whose ticks have not run yet, by rising tick.
    frames: VecDeque<(Tick, PendingFrame)>,
    /// The newest frame that was accepted: older ones are repetitions.
    newest_frame: Option<Tick>,
    /// Frames that came too early: their repetitions may come in time, and are rejected all the same.
    early_frames: BTreeSet<Tick>,
    /// Limits on commands, which outlive the session.
    pub(in crate::server) budget: CommandBudget,
    /// Activations that the client's commands began, oldest first.
    pub(in crate::server) activations: VecDeque<(PredictionKey, ActivationId)>,
    /// Number of rejected commands by reason.
    pub(in crate::server) rejections: BTreeMap<Rejection, u32>,
    /// The tick at which the client saw others when it sent the commands that run now.
    pub(in crate::server) seen: Tick,
    /// Whether the client sent something that no honest client sends; the session ends at the next tick.
    pub(in crate::server) misbehaved: bool,
}

impl InboundState {
    pub(super) fn new(now: Time, budget: CommandBudget) -> Self {
        Self {
            received: ReceivedPackets::default(),
            last_heard: now,
            feedback: Feedback::default(),
            frames: VecDeque::new(),
            newest_frame: None,
            early_frames: BTreeSet::new(),
            budget,
            activations: VecDeque::new(),
            rejections: BTreeMap::new(),
            seen: Tick(0),
            misbehaved: false,
        }
    }

    /// Begins another connection of the session: packet numbers and the clock feedback start anew, while
    /// frames that have arrived do not run again. Returns the tick of the newest of them.
    pub(super) fn resume(&mut self, now: Time) -> Tick {
        self.received = ReceivedPackets::default();
        self.feedback = Feedback::default();
        self.last_heard = now;
        self.newest_frame.unwrap_or_default()
    }

    /// Number of frames with their commands, early frames, remembered activations and kinds of rejection. For
    /// tests that nothing grows without bound.
    pub(super) fn held(&self) -> usize {
        self.frames.iter().map(|(_, frame)| 1 + frame.commands.len()).sum::<usize>()
            + self.early_frames.len()
            + self.activations.len()
            + self.rejections.len()
    }

    /// Queues the frames of a datagram that the server does not have yet, and the outcomes of commands that
    /// are too early, too late or over the rate limit. Repetitions are ignored, whether accepted or rejected
    /// before. Updates the clock feedback. `next` is the tick that runs next, and the client saw others at `seen`.
    pub(super) fn accept_frames(
        &mut self,
        outbound: &mut OutboundState,
        now: Time,
        frames: Frames,
        (next, seen): (Tick, Tick),
        config: &ServerConfig,
    ) {
        if frames.now >= self.feedback.newest {
            let margin = frames.now.since(next).clamp(i64::from(i16::MIN), i64::from(i16::MAX));
            self.feedback = Feedback { newest: frames.now, margin: margin as i16 };
        }
        let oldest = next.before(config.grace);
        while self.early_frames.first().is_some_and(|early| *early < oldest) {
            self.early_frames.pop_first();
        }
        for CommandFrame { tick, commands } in frames.frames {
            if self.newest_frame.is_some_and(|newest| tick <= newest) {
                continue;
            }
            if self.early_frames.contains(&tick) {
                continue;
            }
            if tick > next.after(config.max_lead) {
                self.remember_early(tick);
                self.reject_all(outbound, tick, &commands, Rejection::TooEarly);
                continue;
            }
            self.newest_frame = Some(tick);
            let late = next.since(tick);
            if late > i64::from(config.grace) {
                self.reject_all(outbound, tick, &commands, Rejection::TooLate);
                continue;
            }
            let mut accepted: Vec<NetCommand> = Vec::new();
            for (sequence, command) in commands.into_iter().enumerate() {
                // Commands build on each other: after the first that exceeds the limit the rest of the frame
                // is rejected.
                if accepted.len() == sequence && self.budget.commands.take(now, 1) {
                    accepted.push(command);
                } else {
                    self.reject(outbound, key(tick, sequence), Rejection::TooMany);
                }
            }
            self.frames.push_back((tick, PendingFrame { commands: accepted, seen }));
        }
    }

    /// Takes the oldest frame that runs at `tick` out of the queue: its own, or one that came late.
    pub(in crate::server) fn next_due_frame(&mut self, tick: Tick) -> Option<(Tick, PendingFrame)> {
        self.frames.pop_front_if(|(due, _)| *due <= tick)
    }

    /// Number of commands that were rejected for a reason.
    pub(in crate::server) fn rejected(&self, rejection: Rejection) -> u32 {
        self.rejections.get(&rejection).copied().unwrap_or(0)
    }

    /// Counts a rejected command by reason, and queues its outcome for the client.
    pub(super) fn reject(&mut self, outbound: &mut OutboundState, key: PredictionKey, rejection: Rejection) {
        let count = self.rejections.entry(rejection).or_default();
        *count = count.saturating_add(1);
        outbound.queue_result(key, CommandOutcome::Rejected(rejection));
    }

    /// Remembers which activation a command began, so that later commands can name it by the key. Beyond the
    /// limit the oldest is forgotten.
    pub(in crate::server) fn remember_activation(&mut self, key: PredictionKey, activation: ActivationId) {
        if self.activations.len() >= MAX_ACTIVATIONS {
            self.activations.pop_front();
        }
        self.activations.push_back((key, activation));
    }

    /// Remembers a frame that came too early. Beyond the limit the farthest are dropped: they are still too
    /// early when they are repeated.
    fn remember_early(&mut self, tick: Tick) {
        self.early_frames.insert(tick);
        if self.early_frames.len() > MAX_EARLY_FRAMES {
            self.early_frames.pop_last();
        }
    }

    /// Rejects all commands of a frame for one reason, each with its own result for the client.
    fn reject_all(
        &mut self,
        outbound: &mut OutboundState,
        tick: Tick,
        commands: &[NetCommand],
        rejection: Rejection,
    ) {
        for sequence in 0..commands.len() {
            self.reject(outbound, key(tick, sequence), rejection);
        }
    }
}
