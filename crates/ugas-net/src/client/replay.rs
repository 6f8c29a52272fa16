//! Reconciliation: installs the server's newest state, and replays the player's commands since then (§13.4).

use smallvec::SmallVec;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::prediction::Knowledge;
use ugas_core::replica::RecordVisibility;

use super::change_detector::{Replicated, digest};
use super::one_shots::OneShotChanges;
use super::{Client, ClientEvent, Prediction, happened};
use crate::clock::SPARE_TICKS;
use crate::limits::MAX_GRACE;
use crate::message::{CommandFrame, CommandOutcome, Rejection};
use crate::tick::Tick;

/// Most commands whose outcome is awaited, also if the server never answers.
const MAX_UNANSWERED: usize = 4_096;
/// Ticks for which cue bursts wait for their controller.
const PENDING_BURST_TICKS: u32 = 60;

impl Client {
    /// Installs the newest complete state of the server, and replays the commands since then up to the shown
    /// tick. Emits mispredictions, commands that were missed, and changed one-shot events; drops what the
    /// server has settled. Does nothing before the first complete tick.
    fn rebuild(&mut self) {
        let Some(base) = self.inbox.complete() else { return };
        self.dirty = false;
        let now = self.length.end_of(base);
        if self.replica.install(&mut self.simulation, now).is_err() {
            return;
        }
        self.mark_predictable();
        for burst in core::mem::take(&mut self.pending_bursts) {
            if base.since(burst.tick) <= i64::from(PENDING_BURST_TICKS) {
                self.handle_cue_burst(burst);
            }
        }
        let is_new_base = self.base != Some(base);
        self.base = Some(base);
        let expected = self.digests.get(&base).copied();
        if is_new_base && expected.is_some_and(|expected| expected != self.digest()) {
            self.statistics.mispredicted += 1;
            self.events.push_back(ClientEvent::Corrected { tick: base });
        }
        self.digests = self.digests.split_off(&base.next());
        // An ack report covers the frames up to its tick; the outcome of later ones is open.
        let reported_tick = base.min(self.reported_tick);
        self.reject_missed_frames(reported_tick);
        // Frames that the server has run are in its state, or were rejected.
        let delivered = self.delivered;
        self.frames.retain(|frame| {
            frame.tick > base || frame.tick > delivered && frame.tick.after(MAX_GRACE) > reported_tick
        });
        self.withdrawn.retain(|key| key.tick() > base.0);
        let mut changes = OneShotChanges::default();
        self.one_shots.settle(base, &mut changes);
        let shown = self.tick;
        let mut tick = base;
        while tick < shown && tick.since(base) < i64::from(self.config.window) {
            tick = tick.next();
            self.play_tick(tick, &mut changes);
            self.statistics.replayed += 1;
        }
        self.tick = self.tick.max(base);
        self.emit_one_shots(changes);
    }

    /// Rejects commands that will not run: an ack report of a tick after their grace period did not
    /// acknowledge them.
    fn reject_missed_frames(&mut self, reported_tick: Tick) {
        let delivered = self.delivered;
        let missed = self
            .frames
            .iter()
            .filter(|frame| frame.tick > delivered && frame.tick.after(MAX_GRACE) <= reported_tick);
        let missed: SmallVec<[(Tick, usize); 4]> =
            missed.map(|frame| (frame.tick, frame.commands.len())).collect();
        for (tick, commands) in missed {
            for sequence in 0..commands {
                let key = PredictionKey::new(tick.0, sequence as u16);
                self.handle_outcome(key, CommandOutcome::Rejected(Rejection::TooLate));
            }
        }
    }

    /// Marks the controllers that can be predicted: own ones with complete state.
    fn mark_predictable(&mut self) {
        for remote in self.replica.controllers() {
            let is_whole =
                self.inbox.is_own(remote) && self.replica.visibility(remote) == Some(RecordVisibility::ALL);
            let knowledge = if is_whole { Knowledge::Whole } else { Knowledge::Shown };
            if let Some(local) = self.replica.local(remote) {
                self.simulation.set_known(local, knowledge);
            }
        }
    }

    /// Whether a complete state has come over this connection: after the welcome there is nothing to play or to
    /// command until then.
    pub(super) fn has_state(&self) -> bool {
        self.inbox.complete().is_some_and(|complete| complete > self.welcomed)
    }

    /// The step of a client in play: reconciles if the server's state has changed, predicts the ticks up to
    /// the clock, sends their frames, and queues events for the changes.
    pub(super) fn play(&mut self) {
        let has_state = self.has_state();
        let is_rebuilt = self.dirty && has_state;
        if is_rebuilt {
            // Commands keep the tick that was promised to the caller, even if the update moves the clock.
            if self.inbox.complete().is_some_and(|base| base > self.tick) {
                self.begin_frame(self.tick.next());
            }
            self.rebuild();
        }
        // Without updates the prediction window fills up, and the clock waits. Commands further ahead than the
        // server accepts would not run if it stands still.
        let window = self.config.window.min(self.accepted_lead());
        let base = self.base.filter(|_| has_state);
        let limit = base.map_or(Tick(u32::MAX), |base| base.after(window));
        let clock = self.clock.tick_until(self.now, limit);
        if base.is_none() {
            // Nothing to play yet, but the server can report how early datagrams arrive.
            if clock > self.tick {
                self.begin_frame(self.tick.next());
                self.tick = clock;
                self.send_frames();
            }
            return;
        }
        let mut target = clock.min(limit);
        // After a stall of the server the clock is set back and stands. Commands do not wait for it: they take
        // the next tick that was not played.
        if !self.next.is_empty() && self.tick < limit && self.clock.is_behind(self.tick) {
            target = target.max(self.tick.next());
        }
        let mut changes = OneShotChanges::default();
        let mut has_ticked = false;
        while self.tick < target {
            self.tick = self.tick.next();
            self.begin_frame(self.tick);
            self.play_tick(self.tick, &mut changes);
            let events = &mut self.events;
            let span = self.length.end_of(self.tick).since(self.length.end_of(self.tick.before(1)));
            self.stage.advance(span, |event| events.push_back(ClientEvent::Local(event)));
            has_ticked = true;
        }
        self.emit_one_shots(changes);
        if has_ticked {
            self.send_frames();
        }
        // Nothing else changes the shown state.
        if is_rebuilt || has_ticked {
            self.show();
        }
    }

    /// Ticks after `base` whose commands the server accepts: those that it accepts ahead of its own, and those
    /// that pass on the way to it and back.
    fn accepted_lead(&self) -> u32 {
        let tick = self.length.span().micros().max(1);
        let passing = u32::try_from(self.clock.best_round_trip().micros() / tick).unwrap_or(u32::MAX);
        self.max_lead.saturating_add(passing).saturating_sub(SPARE_TICKS).max(1)
    }

    /// Moves the queued commands into the frame of a tick, from where they are predicted and sent; their
    /// outcomes are awaited from now on. Without commands there is no frame.
    pub(super) fn begin_frame(&mut self, tick: Tick) {
        let commands = core::mem::take(&mut self.next);
        if commands.is_empty() {
            return;
        }
        let keys = (0..commands.len()).map(|sequence| PredictionKey::new(tick.0, sequence as u16));
        self.unanswered.extend(keys);
        while self.unanswered.len() > MAX_UNANSWERED {
            self.unanswered.pop_first();
        }
        self.frames.push_back(CommandFrame { tick, commands });
    }

    /// Plays a tick upon the one before it, with its predicted commands. Logs its one-shot events, and keeps
    /// a digest to compare with the server's state of the tick.
    fn play_tick(&mut self, tick: Tick, changes: &mut OneShotChanges) {
        if self.config.prediction == Prediction::On
            && let Some(at) = self.frames.iter().position(|frame| frame.tick == tick)
        {
            let commands = self.frames[at].commands.clone();
            for (sequence, command) in commands.iter().enumerate() {
                self.predict(PredictionKey::new(tick.0, sequence as u16), command);
            }
        }
        let span = self.length.end_of(tick).since(self.simulation.now());
        if span.is_positive() {
            self.simulation.advance(span);
        }
        self.one_shots.play(tick, self.simulation.peek_events(), changes);
        drop(self.simulation.events());
        let digest = self.digest();
        self.digests.insert(tick, digest);
    }

    /// Digest of all own controllers, to detect mispredictions.
    fn digest(&self) -> u64 {
        self.own_controllers()
            .fold(0, |sum, id| sum.wrapping_mul(31).wrapping_add(digest(&self.simulation, id)))
    }

    /// Queues one-shot events for the host, retractions first.
    pub(super) fn emit_one_shots(&mut self, changes: OneShotChanges) {
        self.events.extend(changes.retracted.into_iter().map(ClientEvent::Retracted));
        self.events.extend(changes.happened.into_iter().map(happened));
    }

    /// Queues events for all changes of the shown state since the last call.
    pub(super) fn show(&mut self) {
        let own: Vec<ControllerId> = self.own_controllers().collect();
        let Self { detector, simulation, replica, events, .. } = self;
        let replicated = Replicated { simulation, replica };
        detector
            .emit_changes_of_world(replicated, |id| own.contains(&id), &mut |event| events.push_back(event));
    }
}
