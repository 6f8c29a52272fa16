//! Telling clients what is new.
//!
//! A client's own controllers come first, all of them, against what it has acknowledged: what arrives is complete, so that
//! it can be predicted upon. Of others it gets what it does not know yet, those that waited longest first, for as long as
//! its bandwidth lasts; what gets lost is sent again.

use std::collections::BTreeMap;

use smallvec::SmallVec;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;
use ugas_core::time::Span;

use super::session::Sent;
use super::{Flash, Host, PeerId, Server};
use crate::lens::LensId;
use crate::limits::MAX_DATAGRAM;
use crate::message::{Burst, ControllerChange, Update};
use crate::replica::{Change, Cursor};
use crate::schedule::ActorClass;
use crate::tick::Tick;
use crate::wire::{self, ControllerBlock, Draft};

/// Most parts of one tick's own state.
const MAX_PARTS: usize = 64;
/// Most flashes that wait for one client.
const MAX_FLASHES: usize = 256;

/// Blocks that were encoded in this tick, for all who need the same.
type Blocks = BTreeMap<(ControllerId, LensId, Cursor, u8, bool), Vec<(ControllerBlock, Cursor)>>;

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
        let mut drafts = self.own_state(peer, blocks);
        let parts = drafts.len() as u8;
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        session.last_update = Some(self.tick);
        session.expect_own(self.tick, parts);
        // What happened to commands, in the first datagrams that have room.
        let mut at = 0;
        for (result, is_sent) in session.results.iter_mut().filter(|(_, is_sent)| !is_sent) {
            while drafts.get_mut(at).is_some_and(|(draft, _)| !draft.push_result(*result)) {
                at += 1;
            }
            let Some((_, sent)) = drafts.get_mut(at) else { break };
            sent.results.push(result.key);
            *is_sent = true;
        }
        self.add_flashes(peer, &mut drafts);
        self.add_others(peer, blocks, &mut drafts);
        self.send_drafts(peer, drafts);
    }

    /// The state of the client's own controllers, in as many parts as it takes.
    fn own_state(&mut self, peer: PeerId, blocks: &mut Blocks) -> Vec<(Draft, Sent)> {
        let mut drafts = vec![self.draft()];
        let owned: SmallVec<[ControllerId; 4]> =
            self.sessions.get(&peer).map(|session| session.owned.iter().copied().collect()).unwrap_or_default();
        for controller in owned {
            let Some(cursor) = self.sessions.get(&peer).and_then(|session| Some(session.views.get(&controller)?.acked))
            else {
                continue;
            };
            for (block, _) in self.blocks_for(peer, controller, cursor, blocks) {
                let fits = drafts.last_mut().is_some_and(|(draft, _)| draft.push(controller, &block));
                if !fits && drafts.len() < MAX_PARTS {
                    let mut next = self.draft();
                    next.0.push(controller, &block);
                    drafts.push(next);
                }
            }
        }
        for (part, (_, sent)) in drafts.iter_mut().enumerate() {
            sent.own = Some((self.tick, part as u8));
        }
        drafts
    }

    /// Others, those that waited longest first.
    fn add_others(&mut self, peer: PeerId, blocks: &mut Blocks, drafts: &mut Vec<(Draft, Sent)>) {
        let own_parts = drafts.len();
        for controller in self.waiting_others(peer) {
            let Some(view) = self.sessions.get(&peer).and_then(|session| session.views.get(&controller)) else {
                continue;
            };
            let (epoch, cursor, leaving) = (view.epoch, view.sent, view.leaving);
            let pieces = match leaving {
                true => Vec::from([(ControllerBlock::gone(), cursor)]),
                false => self.blocks_for(peer, controller, cursor, blocks),
            };
            let mut reached = cursor;
            let mut is_complete = true;
            for (block, cursor) in pieces {
                if !drafts.last_mut().is_some_and(|(draft, _)| draft.push(controller, &block)) {
                    let spent: usize = drafts.iter().map(|(draft, _)| draft.len()).sum();
                    let room = self.sessions.get_mut(&peer).map_or(0, |session| session.bandwidth.room(self.now));
                    if room < spent + MAX_DATAGRAM {
                        is_complete = false;
                        break;
                    }
                    let mut next = self.draft();
                    next.0.push(controller, &block);
                    drafts.push(next);
                }
                if let Some((_, sent)) = drafts.last_mut() {
                    sent.views.push((controller, epoch, (!leaving).then_some(cursor)));
                }
                reached = cursor;
            }
            if let Some(session) = self.sessions.get_mut(&peer)
                && let Some(view) = session.views.get_mut(&controller)
            {
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
        debug_assert!(drafts.len() >= own_parts);
    }

    /// Controllers of which the client is to hear now, the most urgent first.
    fn waiting_others(&self, peer: PeerId) -> Vec<ControllerId> {
        let Some(session) = self.sessions.get(&peer) else { return Vec::new() };
        let mut waiting: Vec<(core::cmp::Reverse<u64>, ControllerId)> = Vec::new();
        for controller in session.behind.difference(&session.owned) {
            let Some(view) = session.views.get(controller) else { continue };
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

    /// The changes after `cursor`, encoded in pieces that each fit into a datagram, with where the client is after each.
    fn blocks_for(
        &mut self,
        peer: PeerId,
        controller: ControllerId,
        mut cursor: Cursor,
        blocks: &mut Blocks,
    ) -> Vec<(ControllerBlock, Cursor)> {
        let Some(session) = self.sessions.get_mut(&peer) else { return Vec::new() };
        let own = session.owned.contains(&controller);
        let Some(view) = session.views.get_mut(&controller) else { return Vec::new() };
        let Some(replica) = self.replicas.get(&(controller, view.lens)) else { return Vec::new() };
        if !replica.reaches(cursor) {
            // Too far behind: everything anew.
            view.epoch = view.epoch.wrapping_add(1);
            (view.acked, view.sent, cursor) = (Cursor::START, Cursor::START, Cursor::START);
        }
        let key = (controller, view.lens, cursor, view.epoch, own);
        if let Some(known) = blocks.get(&key) {
            return known.clone();
        }
        let Some(lens) = self.lenses.get(usize::from(view.lens.0)) else { return Vec::new() };
        let changes = replica.changes(cursor);
        let end = Cursor::through(self.tick);
        let mut encoded = Vec::new();
        let mut rest = &changes[..];
        while !rest.is_empty() {
            let mut count = rest.len();
            let block = loop {
                let block = encode(&rest[..count], view.epoch, own, lens.sight, &self.dictionary);
                if block.len() <= wire::MAX_BLOCK || count == 1 {
                    break block;
                }
                count = count.div_ceil(2);
            };
            let reached = if count == rest.len() { end } else { rest[count - 1].cursor() };
            encoded.push((block, reached));
            rest = &rest[count..];
        }
        blocks.insert(key, encoded.clone());
        encoded
    }

    fn draft(&self) -> (Draft, Sent) {
        (Draft::new(&self.dictionary), Sent { tick: self.tick, ..Sent::default() })
    }

    fn send_drafts(&mut self, peer: PeerId, drafts: Vec<(Draft, Sent)>) {
        let own_parts = drafts.iter().filter(|(_, sent)| sent.own.is_some()).count() as u8;
        for (draft, sent) in drafts {
            let Some(session) = self.sessions.get_mut(&peer) else { return };
            let (part, parts) = sent.own.map_or((0, 0), |(_, part)| (part, own_parts));
            let (ack, feedback) = (session.received.ack(), session.feedback);
            let (packet, forgotten) = session.sent.send(self.now, sent);
            if let Some((_, forgotten)) = forgotten {
                session.on_loss(forgotten);
            }
            let head = Update {
                packet,
                ack,
                tick: self.tick,
                part,
                parts,
                feedback,
                results: Vec::new(),
                controllers: Vec::new(),
                bursts: Vec::new(),
            };
            let bytes = draft.finish(&head);
            session.bandwidth.spend_or_owe(self.now, bytes.len());
            self.push(peer, bytes);
        }
    }

    /// A cue flashed: whoever may see it will.
    pub(super) fn flash(&mut self, controller: ControllerId, cue: TagId, ordinal: u16, event: Event) {
        let number = self.next_flash;
        self.next_flash += 1;
        let Some(audience) = self.audience.get(&controller) else { return };
        for (lens, peer) in audience {
            let sees = self.lenses.get(usize::from(lens.0)).is_some_and(|lens| lens.shows_cue(cue));
            if sees && let Some(session) = self.sessions.get_mut(peer) {
                if session.bursts.len() >= MAX_FLASHES {
                    session.bursts.pop_front();
                }
                session.bursts.push_back((number, false));
            }
        }
        self.flashes.push_back(Flash { number, tick: self.tick, ordinal, event });
    }

    fn expire_flashes(&mut self) {
        let oldest = self.tick.before(self.config.length.ticks_in(self.config.flash_lifetime));
        while self.flashes.front().is_some_and(|flash| flash.tick < oldest) {
            self.flashes.pop_front();
        }
    }

    fn add_flashes(&mut self, peer: PeerId, drafts: &mut [(Draft, Sent)]) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let first = self.flashes.front().map_or(self.next_flash, |flash| flash.number);
        session.bursts.retain(|(number, _)| *number >= first);
        let mut at = 0;
        for (number, is_sent) in session.bursts.iter_mut().filter(|(_, is_sent)| !is_sent) {
            let Some(flash) = self.flashes.get((*number - first) as usize) else { continue };
            let EventKind::CueExecuted { controller, cue, parameters } = flash.event.kind else { continue };
            let source = flash.event.cause.source;
            let is_own = source.is_some_and(|source| session.owned.contains(&source));
            let burst = Burst {
                tick: flash.tick,
                ordinal: flash.ordinal,
                cue,
                controller,
                source: source.filter(|source| session.views.contains_key(source)),
                key: flash.event.prediction.filter(|_| is_own),
                magnitude: parameters.magnitude as f32,
                level: parameters.level as f32,
                location: parameters.location,
            };
            while drafts.get_mut(at).is_some_and(|(draft, _)| !draft.push_burst(&burst)) {
                at += 1;
            }
            let Some((_, sent)) = drafts.get_mut(at) else { break };
            sent.bursts.push(*number);
            *is_sent = true;
        }
    }
}

/// Changes as a block; they are ordered by age, and written by key.
fn encode(
    changes: &[Change<'_>],
    epoch: u8,
    own: bool,
    sight: ugas_core::mirror::Sight,
    dictionary: &wire::Dictionary,
) -> ControllerBlock {
    let mut pieces: Vec<_> = changes.iter().map(|change| (change.key, change.piece.cloned())).collect();
    pieces.sort_unstable_by_key(|(key, _)| *key);
    ControllerBlock::new(&ControllerChange::Pieces { epoch, own, sight, pieces }, dictionary)
}
