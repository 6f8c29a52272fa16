//! Publishing: sends updates to the clients.
//!
//! A client's own controllers come first, all of them, relative to what it has acknowledged: a tick that
//! arrives is complete, so that it can be predicted upon. Then come changes of other controllers that the
//! client does not have, the longest waiting first (in update intervals of their class), as far as its
//! bandwidth allows. Lost changes are sent again.

mod blocks;
mod draft;

use core::cmp::Reverse;

use smallvec::SmallVec;
use ugas_core::codec::{Encode, Encoder};
use ugas_core::event::{CueDetails, Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;
use ugas_core::tag::TagBits;
use ugas_core::time::Span;

use self::blocks::Blocks;
use self::draft::{BEFORE_BLOCK, Draft, Drafts, HEADER};
use super::session::SparePackets;
use super::{Host, PeerId, PendingCueBurst, Server};
use crate::fault_points::{FaultPoint, fails};
use crate::limits::MAX_CUE_DETAILS;
use crate::message::{AckReport, CueBurst, PacketId};
use crate::rate::DATAGRAM_OVERHEAD;
use crate::schedule::ActorClass;
use crate::tick::Tick;
use crate::versioned_view::Cursor;
use crate::visibility::VisibilityId;
use crate::wire::{UpdateBits, UpdateHeader};

/// Most parts of one tick's own state. An acknowledgement covers 33 datagrams
/// ([`ACK_WINDOW`](crate::packets::ACK_WINDOW)), and some of these are about other controllers.
const MAX_PARTS: usize = 16;

/// Most contexts of expired cue bursts whose memory is kept.
const MAX_SPARE_DETAILS: usize = 256;

/// Memory of publications, reused in every tick (I6).
#[derive(Default)]
pub(super) struct Buffers {
    peers: Vec<PeerId>,
    /// Viewers of the controller that is refreshed.
    audience: Vec<(VisibilityId, PeerId)>,
    blocks: Blocks,
    /// Datagrams to the client whose turn it is.
    drafts: Drafts,
    /// Up to where the drafts have the changes of each own controller.
    reached: Vec<(ControllerId, Cursor)>,
    /// Controllers of others that are due for the client, the most urgent first.
    waiting: Vec<(Reverse<u64>, ControllerId)>,
    bits: UpdateBits,
    pub(super) packets: SparePackets,
}

impl<H: Host> Server<H> {
    /// Refreshes the views of changed controllers, drops expired cue bursts, and queues updates for the
    /// clients that are due. Called at the end of every tick.
    pub(super) fn publish(&mut self) {
        let mut buffers = core::mem::take(&mut self.buffers);
        self.refresh_changed(&mut buffers.audience);
        self.expire_cue_bursts();
        let mut peers = core::mem::take(&mut buffers.peers);
        peers.extend(self.sessions.keys());
        for peer in peers.drain(..) {
            let Some(session) = self.sessions.get(&peer) else { continue };
            if session.interrupted_at.is_some() {
                continue;
            }
            let round_trip = session.acks.round_trip.unwrap_or(Span::ZERO);
            let is_due =
                self.schedule.due(ActorClass::Player, self.tick, session.outbound.last_update, round_trip);
            if is_due && !fails(FaultPoint::SkippedUpdate) {
                self.update_client(peer, &mut buffers);
            }
        }
        buffers.peers = peers;
        buffers.blocks.clear();
        self.buffers = buffers;
    }

    /// Refreshes the versioned views of changed controllers, each once for all clients with the same
    /// visibility, and marks a controller stale for every client whose view of it changed. Empties
    /// `changed`.
    fn refresh_changed(&mut self, audience: &mut Vec<(VisibilityId, PeerId)>) {
        let mut changed = core::mem::take(&mut self.changed);
        for controller in changed.iter() {
            let Some(viewers) = self.audience.get(&controller) else { continue };
            audience.extend(viewers);
            let mut fresh: Option<(VisibilityId, bool)> = None;
            for (visibility, peer) in audience.drain(..) {
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
        changed.clear();
        self.changed = changed;
    }

    /// Sends one client its update of this tick: own state, then command results, cue bursts and other
    /// controllers as far as there is room. At least one datagram is sent, even without changes.
    fn update_client(&mut self, peer: PeerId, buffers: &mut Buffers) {
        self.own_state(peer, buffers);
        let drafts = buffers.drafts.in_use();
        let parts = drafts.len() as u8;
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        session.outbound.last_update = Some(self.tick);
        let since = session.acks.own_since(self.tick);
        session.expect_own(self.tick, since, parts, &buffers.reached);
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
        self.add_cue_bursts(peer, drafts);
        self.add_others(peer, buffers);
        self.send_drafts(peer, since, buffers);
    }

    /// Begins the drafts with the state of the client's own controllers, one for each part and at least one, and
    /// lists in `reached` up to where they have the changes of each controller. Changes that do not fit into
    /// [`MAX_PARTS`] are left for later ticks. Changes start after what was sent; for a while after a loss,
    /// after what was acknowledged.
    fn own_state(&mut self, peer: PeerId, buffers: &mut Buffers) {
        let Buffers { blocks, drafts, reached, packets, .. } = buffers;
        drafts.begin(packets.take(self.tick));
        reached.clear();
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
            let mut before = None;
            for (at, block, after) in blocks.of(encoded) {
                let length = block.byte_len();
                let last = drafts.in_use().last_mut();
                if !last.is_some_and(|draft| draft.controller(controller, addressing, at, length)) {
                    if drafts.in_use().len() >= MAX_PARTS {
                        end = before;
                        break;
                    }
                    let next = drafts.begin(packets.take(self.tick));
                    next.controller(controller, addressing, at, length);
                }
                before = Some(after);
            }
            reached.extend(end.map(|end| (controller, end)));
        }
        for (part, draft) in drafts.in_use().iter_mut().enumerate() {
            draft.sent.own = Some((self.tick, part as u8));
            let has_own = draft.controllers().next().is_some();
            draft.sent.has_own = has_own;
        }
    }

    /// Adds changes of other controllers, and removals of those that left the view, the most urgent first,
    /// until the client's bandwidth is used up. Advances what counts as sent; completed controllers are not
    /// stale any more.
    fn add_others(&mut self, peer: PeerId, buffers: &mut Buffers) {
        let Buffers { blocks, drafts, waiting, packets, .. } = buffers;
        self.list_waiting_others(peer, waiting);
        for &(_, controller) in &*waiting {
            let view = self.sessions.get(&peer).and_then(|session| session.outbound.views.get(&controller));
            let Some((generation, cursor, leaving)) =
                view.map(|view| (view.generation(), view.sent, view.leaving))
            else {
                continue;
            };
            if leaving {
                let gone = |draft: &mut Draft| draft.gone(controller, generation);
                let is_added = self.add(peer, drafts, packets, BEFORE_BLOCK, gone);
                if let Some(session) = self.sessions.get_mut(&peer).filter(|_| is_added) {
                    session.outbound.stale.remove(controller);
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
            for (at, block, after) in blocks.of(encoded) {
                let length = block.byte_len();
                let is_added = self.add(peer, drafts, packets, BEFORE_BLOCK + length, |draft| {
                    let is_in = draft.controller(controller, addressing, at, length);
                    if is_in {
                        draft.sent.views.push((controller, generation, Some((reached, after))));
                    }
                    is_in
                });
                if !is_added {
                    is_complete = false;
                    break;
                }
                reached = after;
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
                    session.outbound.stale.remove(controller);
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
        drafts: &mut Drafts,
        packets: &mut SparePackets,
        bytes: usize,
        mut put: impl FnMut(&mut Draft) -> bool,
    ) -> bool {
        let whole = |length: usize| length + DATAGRAM_OVERHEAD as usize;
        let spent: usize = drafts.in_use().iter().map(|draft| whole(draft.len())).sum();
        let room =
            self.sessions.get_mut(&peer).map_or(0, |session| session.outbound.bandwidth.available(self.now));
        if room < spent + bytes {
            return false;
        }
        if drafts.in_use().last_mut().is_some_and(&mut put) {
            return true;
        }
        if room < spent + whole(HEADER) + bytes {
            return false;
        }
        put(drafts.begin(packets.take(self.tick)))
    }

    /// Lists the stale controllers of others whose changes are due for the client, the most urgent first: by
    /// waiting time in update intervals of their class. Those that left the view are always due.
    fn list_waiting_others(&self, peer: PeerId, waiting: &mut Vec<(Reverse<u64>, ControllerId)>) {
        waiting.clear();
        let Some(session) = self.sessions.get(&peer) else { return };
        for controller in session.outbound.stale.iter() {
            let Some(view) = session.outbound.views.get(&controller) else { continue };
            if session.owned.contains(&controller) && !view.leaving {
                continue;
            }
            let class = self.host.class(&self.simulation, session.client, controller);
            let round_trip = session.acks.round_trip.unwrap_or(Span::ZERO);
            if view.leaving || self.schedule.due(class, self.tick, view.last_sent, round_trip) {
                // Urgency is the waiting time in intervals of the controller's class.
                let interval = u64::from(self.schedule.interval(class, round_trip).max(1));
                let age = view.last_sent.map_or(u32::MAX.into(), |sent| self.tick.since(sent).max(0) as u64);
                waiting.push((Reverse(age * 256 / interval), controller));
            }
        }
        waiting.sort_unstable();
    }

    /// Numbers and encodes the drafts, queues them as datagrams, and charges the client's bandwidth. `since`
    /// is the tick that the own state builds upon. Content of a draft that cannot be encoded, or of a sent
    /// datagram whose record is dropped, counts as lost.
    fn send_drafts(&mut self, peer: PeerId, since: Tick, buffers: &mut Buffers) {
        let Buffers { blocks, drafts, bits, packets, .. } = buffers;
        let parts = drafts.in_use().iter().filter(|draft| draft.sent.own.is_some()).count() as u8;
        for draft in drafts.in_use() {
            let Some(session) = self.sessions.get_mut(&peer) else { break };
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
            let written = draft.write(&self.dictionary, header, blocks, core::mem::take(bits));
            let mut sent = core::mem::take(&mut draft.sent);
            let Ok(written) = written else {
                debug_assert!(false, "a datagram could not be written");
                // Resend everything but its cue bursts, of which one may be what cannot be encoded.
                sent.bursts.clear();
                session.on_loss(&sent);
                packets.keep(sent);
                continue;
            };
            let (_, forgotten) = session.acks.sent.send(self.now, sent);
            if let Some((_, forgotten)) = forgotten {
                session.on_loss(&forgotten);
                packets.keep(forgotten);
            }
            let length = self.outbox.push(peer, |datagram| written.copy_to(datagram));
            session.outbound.bandwidth.owe(self.now, length);
            self.statistics.count_sent(length);
            *bits = written;
        }
        drafts.clear();
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
        let details = match &event.kind {
            EventKind::CueExecuted { parameters, .. } => parameters.details.as_deref(),
            _ => None,
        };
        let details = [false, true].map(|is_source_hidden| {
            let mut bytes = || self.spare_details.pop().unwrap_or_default();
            details.and_then(|details| shown_details(details, is_source_hidden, bytes()))
        });
        self.cue_bursts.push_back(PendingCueBurst { number, tick: self.tick, event, details });
    }

    /// Drops cue bursts that are older than the configured lifetime. Clients' queues drop theirs with the
    /// next update.
    fn expire_cue_bursts(&mut self) {
        let oldest = self.tick.before(self.config.length.ticks_in(self.config.cue_burst_lifetime));
        while let Some(expired) = self.cue_bursts.pop_front_if(|pending| pending.tick < oldest) {
            if self.spare_details.len() < MAX_SPARE_DETAILS {
                self.spare_details.extend(expired.details.into_iter().flatten());
            }
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
                details: None,
            };
            let is_source_hidden = source.is_some_and(|source| !session.sees(source));
            let details = pending.details[usize::from(is_source_hidden)].as_deref();
            while drafts.get_mut(at).is_some_and(|draft| !draft.burst(&burst, details)) {
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
/// source if that is hidden, in the memory of `bytes`. If it is too long, the payload is left out; `None` if it is
/// still too long.
fn shown_details(details: &CueDetails, is_source_hidden: bool, bytes: Vec<u8>) -> Option<Vec<u8>> {
    let mut shown = details.clone();
    if is_source_hidden {
        shown.hide_source();
    }
    shown.instigator = None;
    shown.source_tags = TagBits::default();
    shown.target_tags = TagBits::default();
    let mut encoder = Encoder::onto(bytes);
    encoder.clear();
    shown.encode(&mut encoder);
    if encoder.bytes().len() > MAX_CUE_DETAILS && shown.payload.take().is_some() {
        encoder.clear();
        shown.encode(&mut encoder);
    }
    Some(encoder.into_bytes()).filter(|bytes| bytes.len() <= MAX_CUE_DETAILS)
}

/// Rounds a number to single precision, for the wire. Too large numbers become the largest, and NaN becomes
/// 0.
fn short(value: f64) -> f32 {
    // Adding zero keeps negative zeros out: a small number may be rounded to one.
    if value.is_nan() { 0.0 } else { (value as f32).clamp(f32::MIN, f32::MAX) + 0.0 }
}
