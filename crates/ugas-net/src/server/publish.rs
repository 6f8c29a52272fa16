//! Telling clients what is new.
//!
//! A client's own controllers come first, all of them, against what it has acknowledged: what arrives is complete, so that
//! it can be predicted upon. Of others it gets what it does not know yet, those that waited longest first, for as long as
//! its bandwidth lasts; what gets lost is sent again.

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
use super::session::Sent;
use super::{Flash, Host, PeerId, Server};
use crate::lens::LensId;
use crate::limits::MAX_CUE_DETAILS;
use crate::message::{Burst, PacketId, Word};
use crate::rate::DATAGRAM_OVERHEAD;
use crate::replica::Cursor;
use crate::schedule::ActorClass;
use crate::tick::Tick;
use crate::wire::UpdateHeader;

/// Most parts of one tick's own state. A client's word acknowledges 33 datagrams
/// ([`ACK_WINDOW`](crate::packets::ACK_WINDOW)), and there are those about others.
const MAX_PARTS: usize = 16;

impl<H: Host> Server<H> {
    /// Looks at what changed, and sends updates to the clients that are due.
    pub(super) fn publish(&mut self) {
        self.refresh_changed();
        self.expire_flashes();
        let mut blocks = Blocks::new();
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            let Some(session) = self.sessions.get(&peer) else { continue };
            let round_trip = session.round_trip.unwrap_or(Span::ZERO);
            if self.schedule.due(ActorClass::Player, self.tick, session.last_update, round_trip) {
                self.update_client(peer, &mut blocks);
            }
        }
    }

    fn refresh_changed(&mut self) {
        let changed = core::mem::take(&mut self.changed);
        for controller in changed {
            let Some(audience) = self.audience.get(&controller) else { continue };
            let audience: SmallVec<[(LensId, PeerId); 8]> = audience.iter().copied().collect();
            let mut fresh: Option<(LensId, bool)> = None;
            for (lens, peer) in audience {
                let is_new = match fresh {
                    Some((known, is_new)) if known == lens => is_new,
                    _ => self.refresh_replica(controller, lens),
                };
                fresh = Some((lens, is_new));
                if is_new && let Some(session) = self.sessions.get_mut(&peer) {
                    session.behind.insert(controller);
                }
            }
        }
    }

    fn update_client(&mut self, peer: PeerId, blocks: &mut Blocks) {
        let (mut drafts, told) = self.own_state(peer, blocks);
        let parts = drafts.len() as u8;
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        session.last_update = Some(self.tick);
        let since = session.own_since(self.tick);
        session.expect_own(self.tick, since, parts, &told);
        session.tell_own(self.tick, drafts.iter().flat_map(Draft::told));
        // What happened to commands, in the first datagrams that have room.
        let mut at = 0;
        for (result, is_sent) in session.results.iter_mut().filter(|(_, is_sent)| !is_sent) {
            while drafts.get_mut(at).is_some_and(|draft| !draft.result(*result)) {
                at += 1;
            }
            let Some(draft) = drafts.get_mut(at) else { break };
            draft.sent.results.push(result.key);
            *is_sent = true;
        }
        self.add_flashes(peer, &mut drafts);
        self.add_others(peer, blocks, &mut drafts);
        self.send_drafts(peer, since, drafts);
    }

    /// The state of the client's own controllers, in as many parts as it takes, and whose it is. For whom there is no room,
    /// there is in a later tick, when the first are acknowledged.
    fn own_state(&mut self, peer: PeerId, blocks: &mut Blocks) -> (Vec<Draft>, Vec<ControllerId>) {
        let mut drafts = vec![Draft::new(self.tick)];
        let mut told = Vec::new();
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
            let Some(view) = session.views.get(&controller).filter(|view| !view.leaving) else { continue };
            let cursor = if session.is_calm(self.tick) { view.sent } else { view.acked };
            let (encoded, naming) = self.blocks_for(peer, controller, cursor, blocks);
            let mut is_whole = true;
            for (at, _) in encoded.iter().enumerate() {
                if drafts.last_mut().is_some_and(|draft| draft.controller(controller, naming, &encoded, at)) {
                    continue;
                }
                is_whole = drafts.len() < MAX_PARTS;
                if !is_whole {
                    break;
                }
                let mut next = Draft::new(self.tick);
                next.controller(controller, naming, &encoded, at);
                drafts.push(next);
            }
            if is_whole {
                told.push(controller);
            }
        }
        for (part, draft) in drafts.iter_mut().enumerate() {
            draft.sent.own = Some((self.tick, part as u8));
            let has_own = draft.told().next().is_some();
            draft.sent.has_own = has_own;
        }
        (drafts, told)
    }

    /// Others, those that waited longest first.
    fn add_others(&mut self, peer: PeerId, blocks: &mut Blocks, drafts: &mut Vec<Draft>) {
        for controller in self.waiting_others(peer) {
            let view = self.sessions.get(&peer).and_then(|session| session.views.get(&controller));
            let Some((telling, cursor, leaving)) = view.map(|view| (view.telling(), view.sent, view.leaving))
            else {
                continue;
            };
            if leaving {
                let is_told = self.add(peer, drafts, BEFORE_BLOCK, |draft| draft.gone(controller, telling));
                if let Some(session) = self.sessions.get_mut(&peer).filter(|_| is_told) {
                    session.behind.remove(&controller);
                }
                continue;
            }
            let (encoded, naming) = self.blocks_for(peer, controller, cursor, blocks);
            // Who is too far behind begins anew.
            let now = self.sessions.get(&peer).and_then(|session| session.views.get(&controller));
            let now = now.map(|view| view.telling()).unwrap_or_default();
            let mut reached = if now.epoch == telling.epoch { cursor } else { Cursor::START };
            let telling = now;
            let mut is_complete = true;
            for (at, (block, after)) in encoded.iter().enumerate() {
                if !self.add(peer, drafts, BEFORE_BLOCK + block.byte_len(), |draft| {
                    let is_in = draft.controller(controller, naming, &encoded, at);
                    if is_in {
                        draft.sent.views.push((controller, telling, Some((reached, *after))));
                    }
                    is_in
                }) {
                    is_complete = false;
                    break;
                }
                reached = *after;
            }
            if let Some(session) = self.sessions.get_mut(&peer)
                && let Some(view) = session.views.get_mut(&controller)
            {
                if view.sent != reached {
                    view.tell(self.tick);
                }
                view.sent = reached;
                view.last_sent = Some(self.tick);
                if is_complete {
                    session.behind.remove(&controller);
                }
            }
            if !is_complete {
                break;
            }
        }
    }

    /// Adds something of so many bytes to the last datagram, or to one more, if the client's bandwidth has room for it.
    fn add(
        &mut self,
        peer: PeerId,
        drafts: &mut Vec<Draft>,
        bytes: usize,
        mut put: impl FnMut(&mut Draft) -> bool,
    ) -> bool {
        let whole = |draft: &Draft| draft.len() + DATAGRAM_OVERHEAD as usize;
        let spent: usize = drafts.iter().map(whole).sum();
        let room = self.sessions.get_mut(&peer).map_or(0, |session| session.bandwidth.available(self.now));
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

    /// Controllers of which the client is to hear now, the most urgent first.
    fn waiting_others(&self, peer: PeerId) -> Vec<ControllerId> {
        let Some(session) = self.sessions.get(&peer) else { return Vec::new() };
        let mut waiting: Vec<(core::cmp::Reverse<u64>, ControllerId)> = Vec::new();
        for controller in &session.behind {
            let Some(view) = session.views.get(controller) else { continue };
            if session.owned.contains(controller) && !view.leaving {
                continue;
            }
            let class = self.host.class(&self.simulation, session.client, *controller);
            let round_trip = session.round_trip.unwrap_or(Span::ZERO);
            if view.leaving || self.schedule.due(class, self.tick, view.last_sent, round_trip) {
                // What waits for as many of its intervals as another is as urgent as it.
                let interval = u64::from(self.schedule.interval(class, round_trip).max(1));
                let age = view.last_sent.map_or(u32::MAX.into(), |sent| self.tick.since(sent).max(0) as u64);
                waiting.push((core::cmp::Reverse(age * 256 / interval), *controller));
            }
        }
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, controller)| controller).collect()
    }

    fn send_drafts(&mut self, peer: PeerId, since: Tick, drafts: Vec<Draft>) {
        let parts = drafts.iter().filter(|draft| draft.sent.own.is_some()).count() as u8;
        for mut draft in drafts {
            let Some(session) = self.sessions.get_mut(&peer) else { return };
            let round_trip = session.round_trip.unwrap_or(Span::ZERO);
            let step = self.schedule.interval(ActorClass::Player, round_trip);
            let places = session.places();
            let (course, states_course) = session.heading.course(&session.sent, self.tick, step, places);
            let word = Word { ack: session.received.ack(), margin: session.feedback.margin };
            let calm = session.is_calm(self.tick).then_some(self.config.length);
            let word = session.heading.word(self.tick, calm, word);
            let states_course = states_course || session.heading.is_far(word);
            draft.sent.named = word.map_or(PacketId(0), |word| word.ack.newest);
            let (part, parts, since) = match draft.sent.own {
                Some((_, part)) => (part, parts, since),
                None => (0, 0, Tick(0)),
            };
            let header = UpdateHeader {
                packet: session.sent.next_id(),
                tick: self.tick,
                course,
                states_course,
                word,
                part,
                parts,
                since,
                base: session.base(self.tick).unwrap_or(self.tick.before(1)),
            };
            let (bytes, sent) = draft.finish(&self.dictionary, header);
            let Some(bytes) = bytes else {
                debug_assert!(false, "a datagram could not be written");
                // All but its flashes, of which one may be what cannot be written.
                session.on_loss(Sent { bursts: SmallVec::new(), ..sent });
                continue;
            };
            let (_, forgotten) = session.sent.send(self.now, sent);
            if let Some((_, forgotten)) = forgotten {
                session.on_loss(forgotten);
            }
            session.bandwidth.owe(self.now, bytes.len());
            self.push(peer, bytes);
        }
    }

    /// A cue flashed: whoever may see it will.
    pub(super) fn flash(&mut self, controller: ControllerId, cue: TagId, event: Event) {
        let Some(audience) = self.audience.get(&controller) else { return };
        // Numbers have no gaps: a flash is found by its distance from the first.
        let number = self.next_flash;
        self.next_flash += 1;
        for (lens, peer) in audience {
            let sees = self.lenses.get(usize::from(lens.0)).is_some_and(|lens| lens.shows_cue(cue));
            if sees && let Some(session) = self.sessions.get_mut(peer) {
                session.flash(number, self.tick);
            }
        }
        self.flashes.push_back(Flash { number, tick: self.tick, event });
    }

    fn expire_flashes(&mut self) {
        let oldest = self.tick.before(self.config.length.ticks_in(self.config.flash_lifetime));
        while self.flashes.front().is_some_and(|flash| flash.tick < oldest) {
            self.flashes.pop_front();
        }
    }

    fn add_flashes(&mut self, peer: PeerId, drafts: &mut [Draft]) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let first = self.flashes.front().map_or(self.next_flash, |flash| flash.number);
        session.bursts.retain(|burst| burst.number >= first);
        let mut at = 0;
        let mut bursts = core::mem::take(&mut session.bursts);
        for waiting in bursts.iter_mut().filter(|burst| !burst.is_sent) {
            let Some(flash) = self.flashes.get((waiting.number - first) as usize) else { continue };
            let EventKind::CueExecuted { controller, cue, ref parameters } = flash.event.kind else {
                continue;
            };
            let source = flash.event.cause.source;
            let is_own = source.is_some_and(|source| session.owned.contains(&source));
            let burst = Burst {
                tick: flash.tick,
                ordinal: waiting.ordinal,
                cue,
                controller,
                source: source.filter(|source| session.sees(*source)),
                key: flash.event.prediction.filter(|_| is_own),
                magnitude: short(parameters.magnitude),
                level: short(parameters.level),
                location: parameters.location().filter(|place| place.iter().all(|at| at.is_finite())),
                details: parameters.details.as_deref().and_then(|details| {
                    let is_hidden = source.is_some_and(|source| !session.sees(source));
                    shown_details(details, is_hidden)
                }),
            };
            while drafts.get_mut(at).is_some_and(|draft| !draft.burst(&burst)) {
                at += 1;
            }
            let Some(draft) = drafts.get_mut(at) else { break };
            draft.sent.bursts.push(waiting.number);
            waiting.is_sent = true;
        }
        session.bursts = bursts;
    }
}

/// Context of a cue as a client may know it (C1), as bytes; `None` if it says nothing or is too long. Without its payload it
/// may be short enough.
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

/// A number with single precision; what is too large becomes the largest, and what is none becomes nothing.
fn short(value: f64) -> f32 {
    // Adding zero keeps negative zeros out: a small number may be rounded to one.
    if value.is_nan() { 0.0 } else { (value as f32).clamp(f32::MIN, f32::MAX) + 0.0 }
}
