//! Publishing: sends updates to the clients.
//!
//! A client's own controllers come first, all of them, relative to what it has acknowledged: a tick that
//! arrives is complete, so that it can be predicted upon. Then come changes of other controllers that the
//! client does not have, the longest waiting first (in update intervals of their class), as far as its
//! bandwidth allows. Lost changes are sent again.

mod blocks;
mod draft;

use smallvec::SmallVec;
use ugas_core::event::{CueDetails, Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;
use ugas_core::tag::TagBits;
use ugas_core::time::Span;

use self::blocks::Blocks;
use self::draft::{BEFORE_BLOCK, Draft};
use super::session::SentDatagram;
use super::{Host, PeerId, PendingCueBurst, Server};
use crate::fault_points::{FaultPoint, fails};
use crate::limits::MAX_CUE_DETAILS;
use crate::message::{AckReport, CueBurst, PacketId};
use crate::rate::DATAGRAM_OVERHEAD;
use crate::schedule::ActorClass;
use crate::tick::Tick;
use crate::versioned_view::Cursor;
use crate::visibility::VisibilityId;
use crate::wire::UpdateHeader;

/// Most parts of one tick's own state. An acknowledgement covers 33 datagrams
/// ([`ACK_WINDOW`](crate::packets::ACK_WINDOW)), and some of these are about other controllers.
const MAX_PARTS: usize = 16;

impl<H: Host> Server<H> {
    /// Refreshes the views of changed controllers, drops expired cue bursts, and queues updates for the
    /// clients that are due. Called at the end of every tick.
    pub(super) fn publish(&mut self) {
        self.refresh_changed();
        self.expire_cue_bursts();
        let mut blocks = Blocks::new();
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            let Some(session) = self.sessions.get(&peer) else { continue };
            if session.interrupted_at.is_some() {
                continue;
            }
            let round_trip = session.acks.round_trip.unwrap_or(Span::ZERO);
            let is_due =
                self.schedule.due(ActorClass::Player, self.tick, session.outbound.last_update, round_trip);
            if is_due && !fails(FaultPoint::SkippedUpdate) {
                self.update_client(peer, &mut blocks);
            }
        }
    }

    /// Refreshes the versioned views of changed controllers, each once for all clients with the same
    /// visibility, and marks a controller stale for every client whose view of it changed. Empties
    /// `changed`.
    fn refresh_changed(&mut self) {
        let changed = core::mem::take(&mut self.changed);
        for controller in changed {
            let Some(audience) = self.audience.get(&controller) else { continue };
            let audience: SmallVec<[(VisibilityId, PeerId); 8]> = audience.iter().copied().collect();
            let mut fresh: Option<(VisibilityId, bool)> = None;
            for (visibility, peer) in audience {
                let is_new = match fresh {
                    Some((known, is_new)) if known == visibility => is_new,
                    _ => self.refresh_versioned_view(controller, visibility),
                };
                fresh = Some((visibility, is_new));
                if is_new && let Some(session) = self.sessions.get_mut(&peer) {
                    session.outbound.stale.insert(controller);
                }
            }
        }
    }

    /// Sends one client its update of this tick: own state, then command results, cue bursts and other
    /// controllers as far as there is room. At least one datagram is sent, even without changes.
    fn update_client(&mut self, peer: PeerId, blocks: &mut Blocks) {
        let (mut drafts, reached) = self.own_state(peer, blocks);
        let parts = drafts.len() as u8;
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        session.outbound.last_update = Some(self.tick);
        let since = session.acks.own_since(self.tick);
        session.expect_own(self.tick, since, parts, &reached);
        session.note_own_sent(self.tick, drafts.iter().flat_map(Draft::controllers));
        // Results of commands go into the first datagrams that have room.
        let mut at = 0;
        for (result, is_sent) in session.outbound.results.iter_mut().filter(|(_, is_sent)| !is_sent) {
            while drafts.get_mut(at).is_some_and(|draft| !draft.result(*result)) {
                at += 1;
            }
            let Some(draft) = drafts.get_mut(at) else { break };
            draft.sent.results.push(result.key);
            *is_sent = true;
        }
        self.add_cue_bursts(peer, &mut drafts);
        self.add_others(peer, blocks, &mut drafts);
        self.send_drafts(peer, since, drafts);
    }

    /// Drafts with the state of the client's own controllers, one for each part and at least one, and up to
    /// where they have the changes of each controller. Changes that do not fit into [`MAX_PARTS`] are left for
    /// later ticks. Changes start after what was sent; for a while after a loss, after what was acknowledged.
    fn own_state(&mut self, peer: PeerId, blocks: &mut Blocks) -> (Vec<Draft>, Vec<(ControllerId, Cursor)>) {
        let mut drafts = vec![Draft::new(self.tick)];
        let mut reached = Vec::new();
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.forget_own_ticks();
        }
        let owned: SmallVec<[ControllerId; 4]> = self
            .sessions
            .get(&peer)
            .map(|session| session.owned.iter().copied().collect())
            .unwrap_or_default();
        for controller in owned {
            let Some(session) = self.sessions.get(&peer) else { break };
            let Some(view) = session.outbound.views.get(&controller).filter(|view| !view.leaving) else {
                continue;
            };
            let cursor = if session.acks.is_stable(self.tick) { view.sent } else { view.acked };
            let (encoded, addressing) = self.blocks_for(peer, controller, cursor, blocks);
            let mut end = Some(Cursor::through(self.tick));
            for at in 0..encoded.len() {
                if drafts
                    .last_mut()
                    .is_some_and(|draft| draft.controller(controller, addressing, &encoded, at))
                {
                    continue;
                }
                if drafts.len() >= MAX_PARTS {
                    end = at.checked_sub(1).and_then(|last| encoded.get(last)).map(|(_, after)| *after);
                    break;
                }
                let mut next = Draft::new(self.tick);
                next.controller(controller, addressing, &encoded, at);
                drafts.push(next);
            }
            reached.extend(end.map(|end| (controller, end)));
        }
        for (part, draft) in drafts.iter_mut().enumerate() {
            draft.sent.own = Some((self.tick, part as u8));
            let has_own = draft.controllers().next().is_some();
            draft.sent.has_own = has_own;
        }
        (drafts, reached)
    }

    /// Adds changes of other controllers, and removals of those that left the view, the most urgent first,
    /// until the client's bandwidth is used up. Advances what counts as sent; completed controllers are not
    /// stale any more.
    fn add_others(&mut self, peer: PeerId, blocks: &mut Blocks, drafts: &mut Vec<Draft>) {
        for controller in self.waiting_others(peer) {
            let view = self.sessions.get(&peer).and_then(|session| session.outbound.views.get(&controller));
            let Some((generation, cursor, leaving)) =
                view.map(|view| (view.generation(), view.sent, view.leaving))
            else {
                continue;
            };
            if leaving {
                let is_added =
                    self.add(peer, drafts, BEFORE_BLOCK, |draft| draft.gone(controller, generation));
                if let Some(session) = self.sessions.get_mut(&peer).filter(|_| is_added) {
                    session.outbound.stale.remove(&controller);
                }
                continue;
            }
            let (encoded, addressing) = self.blocks_for(peer, controller, cursor, blocks);
            // A view that was too far behind has been restarted.
            let now = self.sessions.get(&peer).and_then(|session| session.outbound.views.get(&controller));
            let now = now.map(|view| view.generation()).unwrap_or_default();
            let mut reached = if now.epoch == generation.epoch { cursor } else { Cursor::START };
            let generation = now;
            let mut is_complete = true;
            for (at, (block, after)) in encoded.iter().enumerate() {
                if !self.add(peer, drafts, BEFORE_BLOCK + block.byte_len(), |draft| {
                    let is_in = draft.controller(controller, addressing, &encoded, at);
                    if is_in {
                        draft.sent.views.push((controller, generation, Some((reached, *after))));
                    }
                    is_in
                }) {
                    is_complete = false;
                    break;
                }
                reached = *after;
            }
            if let Some(session) = self.sessions.get_mut(&peer)
                && let Some(view) = session.outbound.views.get_mut(&controller)
            {
                if view.sent != reached {
                    view.note_sent(self.tick);
                }
                view.sent = reached;
                view.last_sent = Some(self.tick);
                if is_complete {
                    session.outbound.stale.remove(&controller);
                }
            }
            if !is_complete {
                break;
            }
        }
    }

    /// Adds an item of at most `bytes` bytes to the last draft, or to a new one, by `put`, which returns
    /// whether it fitted. False if the client's bandwidth has no room for it.
    fn add(
        &mut self,
        peer: PeerId,
        drafts: &mut Vec<Draft>,
        bytes: usize,
        mut put: impl FnMut(&mut Draft) -> bool,
    ) -> bool {
        let whole = |draft: &Draft| draft.len() + DATAGRAM_OVERHEAD as usize;
        let spent: usize = drafts.iter().map(whole).sum();
        let room =
            self.sessions.get_mut(&peer).map_or(0, |session| session.outbound.bandwidth.available(self.now));
        if room < spent + bytes {
            return false;
        }
        if drafts.last_mut().is_some_and(&mut put) {
            return true;
        }
        if room < spent + whole(&Draft::new(self.tick)) + bytes {
            return false;
        }
        let mut next = Draft::new(self.tick);
        let is_in = put(&mut next);
        drafts.push(next);
        is_in
    }

    /// Stale controllers of others whose changes are due for the client, the most urgent first: by waiting
    /// time in update intervals of their class. Those that left the view are always due.
    fn waiting_others(&self, peer: PeerId) -> Vec<ControllerId> {
        let Some(session) = self.sessions.get(&peer) else { return Vec::new() };
        let mut waiting: Vec<(core::cmp::Reverse<u64>, ControllerId)> = Vec::new();
        for controller in &session.outbound.stale {
            let Some(view) = session.outbound.views.get(controller) else { continue };
            if session.owned.contains(controller) && !view.leaving {
                continue;
            }
            let class = self.host.class(&self.simulation, session.client, *controller);
            let round_trip = session.acks.round_trip.unwrap_or(Span::ZERO);
            if view.leaving || self.schedule.due(class, self.tick, view.last_sent, round_trip) {
                // Urgency is the waiting time in intervals of the controller's class.
                let interval = u64::from(self.schedule.interval(class, round_trip).max(1));
                let age = view.last_sent.map_or(u32::MAX.into(), |sent| self.tick.since(sent).max(0) as u64);
                waiting.push((core::cmp::Reverse(age * 256 / interval), *controller));
            }
        }
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, controller)| controller).collect()
    }

    /// Numbers and encodes the drafts, queues them as datagrams, and charges the client's bandwidth. `since`
    /// is the tick that the own state builds upon. Content of a draft that cannot be encoded, or of a sent
    /// datagram whose record is dropped, counts as lost.
    fn send_drafts(&mut self, peer: PeerId, since: Tick, drafts: Vec<Draft>) {
        let parts = drafts.iter().filter(|draft| draft.sent.own.is_some()).count() as u8;
        for mut draft in drafts {
            let Some(session) = self.sessions.get_mut(&peer) else { return };
            let round_trip = session.acks.round_trip.unwrap_or(Span::ZERO);
            let step = self.schedule.interval(ActorClass::Player, round_trip);
            let slots = session.outbound.slots();
            let (stream, states_stream) =
                session.outbound.header.stream(&session.acks.sent, self.tick, step, slots);
            let ack_report =
                AckReport { ack: session.inbound.received.ack(), margin: session.inbound.feedback.margin };
            let stable = session.acks.is_stable(self.tick).then_some(self.config.length);
            let ack_report = session.outbound.header.take_ack_report(self.tick, stable, ack_report);
            let states_stream = states_stream || session.outbound.header.needs_full_number(ack_report);
            draft.sent.reported = ack_report.map_or(PacketId(0), |ack_report| ack_report.ack.newest);
            let (part, parts, since) = match draft.sent.own {
                Some((_, part)) => (part, parts, since),
                None => (0, 0, Tick(0)),
            };
            let header = UpdateHeader {
                session: session.number,
                packet: session.acks.sent.next_id(),
                tick: self.tick,
                stream,
                states_stream,
                ack_report,
                part,
                parts,
                since,
                base: session.acks.base(self.tick).unwrap_or(self.tick.before(1)),
            };
            let (bytes, sent) = draft.finish(&self.dictionary, header);
            let Some(bytes) = bytes else {
                debug_assert!(false, "a datagram could not be written");
                // Resend everything but its cue bursts, of which one may be what cannot be encoded.
                session.on_loss(SentDatagram { bursts: SmallVec::new(), ..sent });
                continue;
            };
            let (_, forgotten) = session.acks.sent.send(self.now, sent);
            if let Some((_, forgotten)) = forgotten {
                session.on_loss(forgotten);
            }
            session.outbound.bandwidth.owe(self.now, bytes.len());
            self.push(peer, bytes);
        }
    }

    /// Queues an executed cue for all clients that may see it. Does nothing if nobody views the controller.
    pub(super) fn queue_cue_burst(&mut self, controller: ControllerId, cue: TagId, event: Event) {
        let Some(audience) = self.audience.get(&controller) else { return };
        // Numbers have no gaps: a burst is found by its distance from the first.
        let number = self.next_cue_burst;
        self.next_cue_burst += 1;
        for (visibility, peer) in audience {
            let sees = self
                .visibilities
                .get(usize::from(visibility.0))
                .is_some_and(|visibility| visibility.shows_cue(cue));
            if sees && let Some(session) = self.sessions.get_mut(peer) {
                session.outbound.queue_cue_burst(number, self.tick);
            }
        }
        self.cue_bursts.push_back(PendingCueBurst { number, tick: self.tick, event });
    }

    /// Drops cue bursts that are older than the configured lifetime. Clients' queues drop theirs with the
    /// next update.
    fn expire_cue_bursts(&mut self) {
        let oldest = self.tick.before(self.config.length.ticks_in(self.config.cue_burst_lifetime));
        while self.cue_bursts.front().is_some_and(|pending| pending.tick < oldest) {
            self.cue_bursts.pop_front();
        }
    }

    /// Adds the client's unsent cue bursts to the drafts that have room, and drops expired ones from its
    /// queue. Sources that the client does not see are left out; the prediction key is only for the owner of
    /// the source.
    fn add_cue_bursts(&mut self, peer: PeerId, drafts: &mut [Draft]) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let first = self.cue_bursts.front().map_or(self.next_cue_burst, |pending| pending.number);
        session.outbound.bursts.retain(|burst| burst.number >= first);
        let mut at = 0;
        let mut bursts = core::mem::take(&mut session.outbound.bursts);
        for queued in bursts.iter_mut().filter(|burst| !burst.is_sent) {
            let Some(pending) = self.cue_bursts.get((queued.number - first) as usize) else {
                continue;
            };
            let EventKind::CueExecuted { controller, cue, ref parameters } = pending.event.kind else {
                continue;
            };
            let source = pending.event.cause.source;
            let is_own = source.is_some_and(|source| session.owned.contains(&source));
            let burst = CueBurst {
                tick: pending.tick,
                ordinal: queued.ordinal,
                cue,
                controller,
                source: source.filter(|source| session.sees(*source)),
                key: pending.event.prediction.filter(|_| is_own),
                magnitude: short(parameters.magnitude),
                level: short(parameters.level),
                location: parameters.location().filter(|position| position.iter().all(|at| at.is_finite())),
                details: parameters.details.as_deref().and_then(|details| {
                    let is_hidden = source.is_some_and(|source| !session.sees(source));
                    shown_details(details, is_hidden)
                }),
            };
            while drafts.get_mut(at).is_some_and(|draft| !draft.burst(&burst)) {
                at += 1;
            }
            let Some(draft) = drafts.get_mut(at) else { break };
            draft.sent.bursts.push(queued.number);
            queued.is_sent = true;
        }
        session.outbound.bursts = bursts;
    }
}

/// Encoded context of a cue as a client may know it (C1): without instigator and tags, and without the
/// source if that is hidden. If it is too long, the payload is left out; `None` if it is still too long.
fn shown_details(details: &CueDetails, is_source_hidden: bool) -> Option<Vec<u8>> {
    let mut shown = details.clone();
    if is_source_hidden {
        shown.hide_source();
    }
    shown.instigator = None;
    shown.source_tags = TagBits::default();
    shown.target_tags = TagBits::default();
    let mut bytes = shown.to_bytes();
    if bytes.len() > MAX_CUE_DETAILS && shown.payload.take().is_some() {
        bytes = shown.to_bytes();
    }
    (bytes.len() <= MAX_CUE_DETAILS).then_some(bytes)
}

/// Rounds a number to single precision, for the wire. Too large numbers become the largest, and NaN becomes
/// 0.
fn short(value: f64) -> f32 {
    // Adding zero keeps negative zeros out: a small number may be rounded to one.
    if value.is_nan() { 0.0 } else { (value as f32).clamp(f32::MIN, f32::MAX) + 0.0 }
}
