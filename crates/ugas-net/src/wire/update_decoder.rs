//! Delta-decoding state of a client: what earlier updates said, as far as later ones refer to it.
//!
//! The server leaves out of its datagrams what the client has acknowledged. So a decoder remembers the
//! [`StreamParams`], the controllers by slot, and recent values of attributes and tags. All of it is bounded.
//! A datagram that refers to more than is remembered is refused as a whole, like a damaged one: it is not
//! acknowledged, and its content is sent again.

use std::collections::{BTreeMap, VecDeque};

use smallvec::SmallVec;
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::replica::{Piece, PieceKey};

use super::block::Baseline;
use super::dictionary::Dictionary;
use super::update::{MAX_SLOTS, ViewHeader};
use crate::bits::WireError;
use crate::message::{ControllerChange, ControllerUpdate, PacketId, StreamParams, ToClient, Update};
use crate::packets::ACK_WINDOW;
use crate::tick::Tick;

/// Most stream parameters that are remembered: late datagrams belong to earlier ones.
const MAX_STREAMS: usize = 16;
/// After so many datagrams without an acknowledgement each states the stream parameters: otherwise only eight
/// bits of the packet number are sent, and the client must not take one for another.
pub(crate) const MAX_UNACKED: u32 = 32;
/// Distance before the newest datagram within which eight bits of a packet number are resolved. The other 32
/// are after it: further ahead of the acknowledged datagram each states its full number.
const MAX_LATE: u32 = u8::MAX as u32 - MAX_UNACKED;
/// Ticks for which values of a piece are remembered: deltas refer back less far. In a tick a piece is sent
/// once.
pub(crate) const BASELINE_TICKS: usize = 32;

/// Bits of a datagram by purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BitUsage {
    /// Own controllers.
    pub own: u64,
    /// Other controllers.
    pub others: u64,
    /// Results of commands.
    pub results: u64,
    /// Cue bursts.
    pub bursts: u64,
}

/// Decodes the datagrams that a server sends to one client.
///
/// ```
/// use ugas_net::message::{PacketId, ToClient, Update};
/// use ugas_net::wire::{Dictionary, UpdateDecoder, encode_to_client};
/// use ugas_net::Tick;
///
/// let dictionary = Dictionary::sized(200, 16);
/// let mut decoder = UpdateDecoder::new();
/// let first = Update { packet: PacketId(1), tick: Tick(500), states_stream: true, ..Update::default() };
/// let second = Update { packet: PacketId(2), tick: Tick(501), states_stream: false, ..first.clone() };
/// let short = encode_to_client(&dictionary, &ToClient::Update(second.clone()))?;
/// // The second relies on the first.
/// assert!(decoder.read(&dictionary, &short).is_err());
/// decoder.note(&first);
/// assert_eq!(decoder.read(&dictionary, &short), Ok(ToClient::Update(second)));
/// # Ok::<(), ugas_net::wire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct UpdateDecoder {
    /// The newest datagram.
    newest: PacketId,
    /// The newest client packet that an ack report named.
    acked: PacketId,
    /// Datagrams that stated stream parameters, by rising number.
    streams: VecDeque<StreamStart>,
    /// Known controllers by slot, below [`MAX_SLOTS`].
    known: BTreeMap<u32, KnownController>,
    /// Slots of removed controllers, with packet and tick of the removal, in order of arrival.
    gone: VecDeque<(PacketId, u32, Tick)>,
}

/// A datagram that stated stream parameters.
#[derive(Clone, Copy, Debug)]
struct StreamStart {
    packet: PacketId,
    tick: Tick,
    stream: StreamParams,
}

/// A controller in a slot.
#[derive(Clone, Debug)]
struct KnownController {
    controller: ControllerId,
    view: ViewHeader,
    /// Ticks of its first and last update in this epoch.
    first: Tick,
    newest: Tick,
    /// Whether it was removed. Kept for a while: late updates from before the removal must not count when it
    /// is back.
    is_gone: bool,
    values: BTreeMap<PieceKey, ValueHistory>,
}

/// Recent values of a piece.
#[derive(Clone, Debug, Default)]
struct ValueHistory {
    /// Values before this tick are forgotten.
    from: Tick,
    /// Values by rising tick.
    values: SmallVec<[(Tick, Baseline); 2]>,
}

impl UpdateDecoder {
    /// Creates a decoder that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes a message of the server. Nothing is remembered of it until it is [noted](Self::note).
    ///
    /// # Errors
    /// If it is not valid, or refers to an update that is not known; see
    /// [`WireErrorKind`](crate::bits::WireErrorKind).
    pub fn read(&self, dictionary: &Dictionary, datagram: &[u8]) -> Result<ToClient, WireError> {
        self.read_measured(dictionary, datagram).map(|(message, _)| message)
    }

    /// Decodes a message, and counts its bits by purpose.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_measured(
        &self,
        dictionary: &Dictionary,
        datagram: &[u8],
    ) -> Result<(ToClient, BitUsage), WireError> {
        super::read_to_client(dictionary, self, datagram)
    }

    /// Remembers an update that is acknowledged, for the decoding of later ones. The update may be late:
    /// then older values are filled in.
    pub fn note(&mut self, update: &Update) {
        if update.states_stream {
            let stated = StreamStart { packet: update.packet, tick: update.tick, stream: update.stream };
            let at = self.streams.partition_point(|known| known.packet < update.packet);
            self.streams.insert(at, stated);
            if self.streams.len() > MAX_STREAMS {
                self.streams.pop_front();
            }
        }
        if update.packet >= self.newest {
            self.newest = update.packet;
            self.acked =
                self.acked.max(update.ack_report.map_or(PacketId(0), |ack_report| ack_report.ack.newest));
        }
        update.controllers.iter().for_each(|controller| self.note_controller(update, controller));
        self.forget_gone();
    }

    /// Number of items held, for tests that nothing grows without bound.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        let values =
            |known: &KnownController| known.values.values().map(|past| past.values.len()).sum::<usize>();
        self.streams.len()
            + self.gone.len()
            + self.known.values().map(|known| 1 + values(known)).sum::<usize>()
    }

    /// Resolves the low eight bits of a packet number: from [`MAX_LATE`] before the newest to
    /// [`MAX_UNACKED`] after it. `None` if the number overflows.
    pub(super) fn packet_near(&self, low: u8) -> Option<PacketId> {
        let least = self.newest.0.saturating_sub(MAX_LATE);
        least.checked_add(u32::from(low.wrapping_sub(least as u8))).map(PacketId)
    }

    /// Whether a newer datagram was noted, so that the ack report of this one is outdated.
    pub(super) fn is_late(&self, packet: PacketId) -> bool {
        packet < self.newest
    }

    /// Resolves the low eight bits of a client packet number that is not before the newest reported one.
    /// `None` if the number overflows.
    pub(super) fn acked_near(&self, low: u8) -> Option<PacketId> {
        let ahead = low.wrapping_sub(self.acked.0 as u8);
        self.acked.0.checked_add(u32::from(ahead)).map(PacketId)
    }

    /// Tick and stream parameters of a datagram that does not state them, by the last datagram up to it that
    /// did; `None` if none is remembered.
    pub(super) fn stream_of(&self, packet: PacketId) -> Option<(Tick, StreamParams)> {
        let stated = self.streams.iter().rev().find(|stated| stated.packet <= packet)?;
        let ahead = (packet.0 - stated.packet.0).checked_mul(stated.stream.step)?;
        Some((Tick(stated.tick.0.checked_add(ahead)?), stated.stream))
    }

    /// The controller in a slot, for an update of this tick; `None` if the slot is empty, its controller was
    /// removed, or the controller came later.
    pub(super) fn at_slot(&self, slot: u32, tick: Tick) -> Option<(ControllerId, ViewHeader)> {
        // An earlier update means an earlier controller in the slot.
        let known = self.known.get(&slot).filter(|known| known.first <= tick && !known.is_gone)?;
        Some((known.controller, known.view))
    }

    /// Baseline of a piece at a tick; `None` if it is forgotten, or the slot is empty.
    pub(super) fn baseline(&self, slot: u32, key: PieceKey, at: Tick) -> Option<Baseline> {
        let Some(past) = self.known.get(&slot)?.values.get(&key) else { return Some(Baseline::Nothing) };
        if at < past.from {
            return None;
        }
        let known = past.values.iter().rev().find(|(tick, _)| *tick <= at);
        Some(known.map_or(Baseline::Nothing, |(_, old)| *old))
    }

    /// Forgets removed controllers when no earlier datagram can be acknowledged any more.
    fn forget_gone(&mut self) {
        let newest = self.newest.0;
        let is_over = |packet: PacketId| newest.saturating_sub(packet.0) >= 2 * ACK_WINDOW;
        while let Some((_, slot, tick)) = self.gone.front().copied().filter(|(packet, ..)| is_over(*packet)) {
            self.gone.pop_front();
            if self.known.get(&slot).is_some_and(|known| known.is_gone && known.newest == tick) {
                self.known.remove(&slot);
            }
        }
    }

    /// Remembers a controller's slot, view header and values of attributes and tags, or its removal. Updates
    /// of an earlier controller in the slot, of an earlier epoch, or from before a removal are ignored. `of`
    /// is the update that it belongs to.
    fn note_controller(&mut self, of: &Update, update: &ControllerUpdate) {
        let tick = of.tick;
        let ControllerUpdate { controller, change } = update;
        let slot = controller.index();
        if slot >= MAX_SLOTS {
            return;
        }
        let known = self.known.get(&slot);
        let is_of = |known: &KnownController| known.controller == *controller;
        let begin = |view, is_gone| KnownController {
            controller: *controller,
            view,
            first: tick,
            newest: tick,
            is_gone,
            values: BTreeMap::new(),
        };
        let ControllerChange::Pieces { epoch, own, visibility, pieces } = change else {
            if known
                .is_none_or(|known| known.controller < *controller || is_of(known) && known.newest <= tick)
            {
                self.known.insert(slot, begin(ViewHeader::default(), true));
                self.gone.push_back((of.packet, slot, tick));
            }
            return;
        };
        let view = ViewHeader { epoch: *epoch, own: *own, visibility: *visibility };
        let is_same = known.is_some_and(|known| is_of(known) && known.view.epoch == *epoch && !known.is_gone);
        if !is_same {
            let is_old = known
                .is_some_and(|known| *controller < known.controller || is_of(known) && tick <= known.newest);
            if is_old {
                return;
            }
            self.known.insert(slot, begin(view, false));
        }
        let Some(known) = self.known.get_mut(&slot) else { return };
        if tick >= known.newest {
            known.newest = tick;
            known.view = view;
        }
        for (key, piece) in pieces {
            if matches!(key, PieceKey::Attribute(_) | PieceKey::Tag(_)) {
                known
                    .values
                    .entry(*key)
                    .or_default()
                    .add(tick, Baseline::of(piece.as_ref().map(Piece::as_ref)));
            }
        }
    }
}

impl ValueHistory {
    /// Adds a value at its tick, and forgets values that are too old for baselines. Repeated values are kept
    /// too: a late update may lie in between.
    fn add(&mut self, tick: Tick, value: Baseline) {
        let at = self.values.partition_point(|(known, _)| *known < tick);
        match self.values.get_mut(at) {
            Some((known, old)) if *known == tick => *old = value,
            _ => self.values.insert(at, (tick, value)),
        }
        let newest = self.values.last().map_or(tick, |(newest, _)| *newest);
        // Of the values that are too old for baselines, the last holds until the next.
        while self.values.get(1).is_some_and(|(next, _)| newest.since(*next) >= BASELINE_TICKS as i64) {
            self.values.remove(0);
            self.from = self.values.first().map_or(self.from, |(tick, _)| *tick);
        }
    }
}
