//! One client's session on the server: inbound, outbound and acknowledgement state.

mod acks;
mod inbound;
mod outbound;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use smallvec::SmallVec;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::time::Time;

use self::acks::AckState;
pub(super) use self::acks::{SentDatagram, SparePackets};
use self::inbound::InboundState;
use self::outbound::OutboundState;
use super::peer_rate_limits::CommandBudget;
use super::{PeerId, ServerConfig};
use crate::message::{ClientId, Frames, Rejection, ResumeSecret};
use crate::tick::Tick;
use crate::versioned_view::Cursor;

/// Most nonces of earlier connections that are remembered.
const MAX_PAST_NONCES: usize = 16;

/// One client's session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) peer: PeerId,
    pub(super) client: ClientId,
    /// Nonce of the hello that began the session, or of the resume that continued it last.
    pub(super) nonce: u64,
    /// Nonces of earlier connections, oldest first: late hellos and resumes of them do not count.
    pub(super) past_nonces: VecDeque<u64>,
    /// Number of the session and its connection, by which late frames of earlier ones are known.
    pub(super) number: u8,
    /// Secret to resume the session with; `None` if it is not kept.
    pub(super) secret: Option<ResumeSecret>,
    /// Time at which its connection was lost; `None` while it has one.
    pub(super) interrupted_at: Option<Time>,
    /// Tick up to which frames had arrived when the session was resumed last; `None` if it never was.
    pub(super) resumed_after: Option<Tick>,
    /// Controllers that the client owns.
    pub(super) owned: BTreeSet<ControllerId>,
    /// Time of the last change of `owned`, or of the last resumption.
    pub(super) owned_since: Time,
    /// Controllers that the game showed to the client (`true`) or hid from it (`false`).
    pub(super) relevancy: BTreeMap<ControllerId, bool>,
    pub(super) inbound: InboundState,
    pub(super) outbound: OutboundState,
    pub(super) acks: AckState,
}

impl Session {
    /// Session without controllers. `now` counts as the last sign of life; `budget` is what earlier sessions of the
    /// connection left.
    pub(super) fn new(
        peer: PeerId,
        client: ClientId,
        nonce: u64,
        (now, budget): (Time, CommandBudget),
        config: &ServerConfig,
    ) -> Self {
        Self {
            peer,
            client,
            nonce,
            past_nonces: VecDeque::new(),
            number: 0,
            secret: None,
            interrupted_at: None,
            resumed_after: None,
            owned: BTreeSet::new(),
            owned_since: now,
            relevancy: BTreeMap::new(),
            inbound: InboundState::new(now, budget),
            outbound: OutboundState::new(config),
            acks: AckState::new(),
        }
    }

    /// Continues the session over another connection: received frames, results and activations stay, while
    /// sequence numbers, acknowledgements and views start anew.
    pub(super) fn resume(&mut self, nonce: u64, number: u8, now: Time) {
        if self.past_nonces.len() >= MAX_PAST_NONCES {
            self.past_nonces.pop_front();
        }
        self.past_nonces.push_back(core::mem::replace(&mut self.nonce, nonce));
        self.number = number;
        self.interrupted_at = None;
        // The client learns only now which controllers were taken from it meanwhile.
        self.owned_since = now;
        self.resumed_after = Some(self.inbound.resume(now));
        self.outbound.resume();
        self.acks = AckState::new();
    }

    /// Number of items held for this client, owned and shown controllers included. For tests that nothing
    /// grows without bound.
    pub(super) fn held(&self) -> usize {
        self.acks.held()
            + self.inbound.held()
            + self.outbound.held()
            + self.owned.len()
            + self.past_nonces.len()
            + self.relevancy.len()
    }

    /// Whether the client sees a controller; see [`OutboundState::sees`].
    pub(super) fn sees(&self, controller: ControllerId) -> bool {
        self.outbound.sees(controller)
    }

    /// Accepts the frames of a datagram; see [`InboundState::accept_frames`].
    pub(super) fn accept_frames(
        &mut self,
        now: Time,
        frames: Frames,
        ticks: (Tick, Tick),
        config: &ServerConfig,
    ) {
        self.inbound.accept_frames(&mut self.outbound, now, frames, ticks, config);
    }

    /// Counts a rejected command and queues its outcome.
    pub(super) fn reject(&mut self, key: PredictionKey, rejection: Rejection) {
        self.inbound.reject(&mut self.outbound, key, rejection);
    }

    /// Notes that a datagram arrived at the client: acknowledges its changes, ends views whose removal it
    /// held, and drops its results and cue bursts from the queues.
    pub(super) fn on_arrival(&mut self, sent: &SentDatagram) {
        let Self { outbound, acks, .. } = self;
        acks.acked_tick = acks.acked_tick.max(sent.tick);
        for &(controller, generation, range) in &sent.views {
            let view = outbound.views.get_mut(&controller).filter(|view| view.generation() == generation);
            let Some(view) = view else {
                continue;
            };
            match range {
                Some((from, to)) => view.arrived(from, to),
                None if view.leaving => outbound.remove_view(controller, generation.epoch, sent.tick),
                None => {}
            }
        }
        outbound.results.retain(|(result, _)| !sent.results.contains(&result.key));
        outbound.bursts.retain(|burst| !sent.bursts.contains(&burst.number));
        if let Some((tick, part)) = sent.own {
            acks.own_part_arrived(&mut outbound.views, tick, part);
        }
    }

    /// Notes that a datagram got lost, or counts as lost: begins recovery, and marks its content to be sent
    /// again. Views go back to their acknowledged state, and so do all own controllers if it had own state.
    pub(super) fn on_loss(&mut self, sent: &SentDatagram) {
        self.acks.begin_recovery(sent.tick);
        if sent.has_own {
            self.resend_own();
        }
        let outbound = &mut self.outbound;
        for &(controller, generation, _) in &sent.views {
            let view = outbound.views.get_mut(&controller).filter(|view| view.generation() == generation);
            let Some(view) = view else {
                continue;
            };
            view.sent = view.acked;
            outbound.stale.insert(controller);
        }
        for (result, is_sent) in &mut outbound.results {
            *is_sent &= !sent.results.contains(&result.key);
        }
        for burst in &mut outbound.bursts {
            burst.is_sent &= !sent.bursts.contains(&burst.number);
        }
    }

    /// Makes room for the own state of one more tick. If that drops the oldest tick, which the client has not
    /// acknowledged, own state is sent again from the acknowledged state on.
    pub(super) fn forget_own_ticks(&mut self) {
        if self.acks.drop_oldest_own_tick() {
            self.resend_own();
        }
    }

    /// Remembers of what the own state of a tick consists, until all its parts have arrived. `reached` lists
    /// up to where it has the changes of each controller; up to there their views count as sent.
    pub(super) fn expect_own(
        &mut self,
        tick: Tick,
        since: Tick,
        parts: u8,
        reached: &[(ControllerId, Cursor)],
    ) {
        let mut controllers = SmallVec::new();
        for (controller, cursor) in reached {
            if let Some(view) = self.outbound.views.get_mut(controller) {
                view.sent = view.sent.max(*cursor);
                controllers.push((*controller, view.generation(), *cursor));
            }
        }
        self.acks.expect_own(tick, since, parts, controllers);
    }

    /// Notes the own controllers of which the state of a tick has any changes. If there are any, later own
    /// states build upon this tick until it is acknowledged.
    pub(super) fn note_own_sent(&mut self, tick: Tick, controllers: impl Iterator<Item = ControllerId>) {
        for controller in controllers {
            if let Some(view) = self.outbound.views.get_mut(&controller) {
                view.note_sent(tick);
            }
            self.acks.own_sent = tick;
        }
    }

    /// Marks own state to be sent again from the acknowledged state on, after a loss.
    fn resend_own(&mut self) {
        self.acks.rewind_own();
        for controller in &self.owned {
            if let Some(view) = self.outbound.views.get_mut(controller) {
                view.sent = view.acked;
            }
        }
    }
}

/// The prediction key of a command: the tick of its frame and its position in the frame.
pub(super) fn key(tick: Tick, sequence: usize) -> PredictionKey {
    PredictionKey::new(tick.0, sequence as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::controller_view::{ControllerView, Generation};
    use crate::visibility::VisibilityId;

    const WOLF: ControllerId = ControllerId::UNSEEN;

    fn session() -> Session {
        let config = ServerConfig::default();
        Session::new(PeerId(1), ClientId(1), 1, (Time::ZERO, CommandBudget::new(&config)), &config)
    }

    fn gone(session: &mut Session, tick: u32, epoch: u8) -> SentDatagram {
        session.outbound.views.entry(WOLF).and_modify(|view| view.leaving = true);
        let generation = Generation { epoch, rewinds: 0 };
        SentDatagram {
            tick: Tick(tick),
            views: [(WOLF, generation, None)].into_iter().collect(),
            ..SentDatagram::default()
        }
    }

    /// The second of two removals is acknowledged only when the controller is in view again and about to
    /// leave it again.
    #[test]
    fn acknowledged_removal_of_an_old_view_does_not_end_a_new_one() {
        let mut session = session();
        session.outbound.views.insert(WOLF, ControllerView::new(VisibilityId(0), false, 0));
        let (first, second) = (gone(&mut session, 10, 0), gone(&mut session, 12, 0));
        session.on_arrival(&first);
        assert!(session.outbound.views.is_empty());
        let epoch = session.outbound.last_epoch(WOLF).map_or(0, |epoch| epoch.wrapping_add(1));
        session.outbound.views.insert(WOLF, ControllerView::new(VisibilityId(0), false, epoch));
        let third = gone(&mut session, 20, epoch);
        session.on_arrival(&second);
        assert_eq!(session.outbound.views.len(), 1);
        session.on_arrival(&third);
        assert!(session.outbound.views.is_empty());
    }

    #[test]
    fn changes_with_a_withheld_handle_are_sent_again_when_it_is_revealed() {
        let at = |tick| Cursor::through(Tick(tick));
        let mut session = session();
        session.outbound.views.insert(WOLF, ControllerView::new(VisibilityId(0), false, 0));
        let view = session.outbound.views.get_mut(&WOLF).unwrap();
        let generation = view.generation();
        view.withhold(WOLF, at(4));
        view.arrived(Cursor::START, at(6));
        session.outbound.reveal(WOLF);
        assert_eq!(session.outbound.views[&WOLF].acked, at(4));
        assert!(session.outbound.stale.iter().eq([WOLF]));
        // Under way when the controller came into view, and still without its handle.
        let views = [(WOLF, generation, Some((at(6), at(9))))].into_iter().collect();
        session.on_arrival(&SentDatagram { tick: Tick(9), views, ..SentDatagram::default() });
        assert_eq!(session.outbound.views[&WOLF].acked, at(4));
    }

    #[test]
    fn withheld_handle_of_a_despawned_controller_is_forgotten() {
        let mut session = session();
        let mut view = ControllerView::new(VisibilityId(0), false, 0);
        view.withhold(WOLF, Cursor::through(Tick(4)));
        session.outbound.views.insert(WOLF, view);
        session.outbound.forget_withheld(WOLF);
        assert!(session.outbound.views[&WOLF].withheld.is_empty());
    }

    #[test]
    fn changes_after_a_gap_are_acknowledged_when_it_is_filled() {
        let at = |tick| Cursor::through(Tick(tick));
        let mut view = ControllerView::new(VisibilityId(0), false, 0);
        view.arrived(Cursor::START, at(3));
        view.arrived(at(5), at(8));
        assert_eq!(view.acked, at(3));
        view.arrived(at(3), at(5));
        assert_eq!(view.acked, at(8));
        // A repeated arrival changes nothing.
        view.arrived(Cursor::START, at(3));
        assert_eq!(view.acked, at(8));
    }
}
