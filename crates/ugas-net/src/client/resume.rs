//! Resumption: the client keeps its state when the connection is lost, and continues its session over another.

use std::collections::VecDeque;
use std::sync::Arc;

use ugas_core::replica::Replica;
use ugas_core::simulation::Simulation;
use ugas_core::time::{Span, Time};

use super::{Client, ClientEvent, Phase, REMEMBERED_PACKETS, client_config};
use crate::message::{ByeReason, CommandOutcome, RefusedReason, Rejection, ResumeSecret};
use crate::packets::{ReceivedPackets, SentPackets};
use crate::tick::Tick;
use crate::wire::UpdateDecoder;

impl Client {
    /// Whether the connection was lost and the client asks to continue its session. The shown state stays;
    /// commands cannot be given.
    pub fn is_resuming(&self) -> bool {
        matches!(self.phase, Phase::Resuming { .. })
    }

    /// Secret of the session, with which a transport can prove to the server that a new connection belongs to
    /// the same client. `None` without a session, or if the server keeps none.
    pub fn resume_secret(&self) -> Option<ResumeSecret> {
        self.secret
    }

    /// Time from the last update of the server until `now`; zero while there is no connection.
    pub fn silence_at(&self, now: Time) -> Span {
        if self.phase == Phase::Playing { now.since(self.last_heard) } else { Span::ZERO }
    }

    /// Notes that the transport lost the connection, or replaced it. The client asks for its session, or for a
    /// new one if it has none yet, over the next connection: nothing more is sent or accepted over this one.
    /// Does nothing once the client is over.
    pub fn connection_lost(&mut self, now: Time) {
        self.now = self.now.max(now);
        match &mut self.phase {
            Phase::Connecting { hellos, .. } | Phase::Resuming { hellos, .. } => {
                hellos.clear();
                self.outbox.clear();
                self.nonce = next_nonce(self.nonce);
            }
            Phase::Playing => self.lose_connection(),
            Phase::Over => {}
        }
    }

    /// Gives up the session, because it cannot be resumed: ends it with [`ByeReason::TimedOut`]. Does nothing
    /// once the client is over.
    pub fn give_up(&mut self) {
        if self.phase != Phase::Over {
            self.end(Some(ByeReason::TimedOut));
        }
    }

    /// Begins to ask for the session. Without a secret, or if [`ClientConfig::resume_time`] is zero, it ends.
    ///
    /// [`ClientConfig::resume_time`]: super::ClientConfig::resume_time
    pub(super) fn lose_connection(&mut self) {
        if self.secret.is_none() || !self.config.resume_time.is_positive() {
            self.end(Some(ByeReason::TimedOut));
            return;
        }
        // Queued commands keep the tick that was promised to the caller.
        self.begin_frame(self.tick.next());
        self.phase = Phase::Resuming { hellos: VecDeque::new(), since: self.now };
        self.outbox.clear();
        self.nonce = next_nonce(self.nonce);
        self.events.push_back(ClientEvent::Interrupted);
    }

    /// Continues the session after the welcome, which has set the clock. Frames up to `arrived` are not sent
    /// again. Packet numbers and acknowledgements start anew; nothing is played until the first complete state
    /// has arrived.
    pub(super) fn resume(&mut self, arrived: Tick) {
        self.tick = self.tick.max(self.clock.tick_at(self.now));
        self.delivered = self.delivered.max(arrived);
        self.received = ReceivedPackets::default();
        self.sent = SentPackets::new(REMEMBERED_PACKETS);
        self.decoder = UpdateDecoder::new();
        self.inbox.resume();
        self.one_shots.resume();
        self.statistics.resumed += 1;
        self.events.push_back(ClientEvent::Resumed);
    }

    /// Handles the refusal of a hello or resume. A client whose session is gone asks for a new one.
    pub(super) fn refused(&mut self, reason: RefusedReason) {
        match (&self.phase, reason) {
            (Phase::Resuming { .. }, reason @ RefusedReason::NoSession) => self.start_over(reason),
            // The end of a session that lasted is reported as such.
            (Phase::Resuming { .. }, RefusedReason::Ended(reason)) => self.end(Some(reason)),
            (Phase::Connecting { .. } | Phase::Resuming { .. }, reason) => {
                self.phase = Phase::Over;
                self.events.push_back(ClientEvent::Refused(reason));
            }
            (Phase::Playing | Phase::Over, _) => {}
        }
    }

    /// Drops everything of a session that is gone, and asks for a new one with the same credential. Commands
    /// without an answer count as rejected, and all controllers vanish.
    fn start_over(&mut self, reason: RefusedReason) {
        self.events.push_back(ClientEvent::NotResumed(reason));
        for key in core::mem::take(&mut self.unanswered) {
            // As if it were not answered yet: it is answered now.
            self.unanswered.insert(key);
            self.handle_outcome(key, CommandOutcome::Rejected(Rejection::TooLate));
        }
        let catalog = Arc::clone(self.catalog());
        self.phase = Phase::Connecting { hellos: VecDeque::new(), since: None };
        self.nonce = next_nonce(self.nonce);
        (self.client, self.secret) = (None, None);
        self.replica = Replica::new(Arc::clone(&catalog));
        self.inbox = Default::default();
        let space = self.simulation.own_space().cloned();
        self.simulation = Simulation::new(catalog, client_config(0));
        self.simulation.set_space(space);
        (self.tick, self.base) = (Tick(0), None);
        self.next = Vec::new();
        self.frames.clear();
        self.withdrawn.clear();
        (self.delivered, self.reported_tick, self.welcomed) = (Tick(0), Tick(0), Tick(0));
        self.received = ReceivedPackets::default();
        self.sent = SentPackets::new(REMEMBERED_PACKETS);
        self.decoder = UpdateDecoder::new();
        self.digests.clear();
        self.one_shots = Default::default();
        self.pending_bursts.clear();
        self.stage = Default::default();
        self.dirty = false;
        self.outbox.clear();
        self.show();
    }
}

/// The nonce after another one: the finaliser of SplitMix64, which gives every number another successor.
fn next_nonce(nonce: u64) -> u64 {
    let mut next = nonce.wrapping_add(0x9e37_79b9_7f4a_7c15);
    next = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    next = (next ^ (next >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    next ^ (next >> 31)
}
