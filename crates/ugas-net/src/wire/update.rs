//! Encoding of [`Update`]s.
//!
//! The content of most datagrams comes first: the packet number, and changes of controllers that the client
//! knows, by slot. Everything else is in lists without a count but with a bit before each item, so that a
//! datagram can be filled until nothing fits any more.

mod read;

use ugas_core::handle::ControllerId;
use ugas_core::replica::{Piece, PieceKey, RecordVisibility};

use super::block::{BlockEncoding, DeltaEntry, Exactness, write_block};
use super::dictionary::Dictionary;
use super::error::EncodeError;
use super::values::Encoder;
use super::{UPDATE, group, ids};
use crate::bits::{BitWriter, Mark};
use crate::limits::MAX_DATAGRAM;
use crate::message::{
    AckReport, CommandResult, ControllerChange, ControllerUpdate, CueBurst, PacketId, SESSION_BITS,
    StreamParams, Update,
};
use crate::tick::Tick;

const MAX_BITS: u64 = MAX_DATAGRAM as u64 * 8;
/// Most bits that are written last: the content flags, the ends of the lists, and before controllers by slot
/// the base tick, their number, and their slots.
const LAST_BITS: u64 = 3 + 3 + 100;
/// Most bits of a slot, with its encoding flag.
const SLOT_BITS: u64 = 24;

/// Controllers with slots from here on are addressed by their handles.
pub const MAX_SLOTS: u32 = 1 << 16;

/// Header of an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpdateHeader {
    /// Number of the session, of which the low [`SESSION_BITS`] are sent.
    pub session: u8,
    /// Sequence number of this datagram.
    pub packet: PacketId,
    /// The tick whose state the update holds.
    pub tick: Tick,
    /// Stream parameters.
    pub stream: StreamParams,
    /// Whether the datagram states the stream parameters; otherwise the client is known to have them.
    pub states_stream: bool,
    /// Report on the client's datagrams, if one is sent.
    pub ack_report: Option<AckReport>,
    /// Part of the tick's own-controller state.
    pub part: u8,
    /// Number of parts.
    pub parts: u8,
    /// The tick whose own-controller state it builds upon; 0 for the acknowledged state.
    pub since: Tick,
    /// The tick that deltas refer to; before the update's tick.
    pub base: Tick,
}

/// Header of a client's view of a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ViewHeader {
    /// Number of times that the view was started anew, modulo 256.
    pub epoch: u8,
    /// Whether the client owns the controller.
    pub own: bool,
    /// Records of the controller that the client sees.
    pub visibility: RecordVisibility,
}

impl ViewHeader {
    /// An update of pieces with this header.
    fn update(self, controller: ControllerId, pieces: Vec<(PieceKey, Option<Piece>)>) -> ControllerUpdate {
        let Self { epoch, own, visibility } = self;
        ControllerUpdate { controller, change: ControllerChange::Pieces { epoch, own, visibility, pieces } }
    }
}

impl Default for ViewHeader {
    /// The most common header: somebody else's controller without records, in its first epoch.
    fn default() -> Self {
        Self { epoch: 0, own: false, visibility: RecordVisibility::NONE }
    }
}

/// Whether an item fitted into a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Room {
    /// The item was added.
    Taken,
    /// There was no room, and the datagram is unchanged.
    Full,
}

/// Buffers of an [`UpdateWriter`], and then the encoded datagram.
#[derive(Clone, Debug, Default)]
pub struct UpdateBits {
    whole: BitWriter,
    /// Blocks of the controllers by slot.
    blocks: BitWriter,
    /// Encoded lists.
    lists: BitWriter,
    /// Slots, rising, with the encoding of each block.
    slots: Vec<(u32, BlockEncoding)>,
}

impl UpdateBits {
    /// The encoded datagram, the last byte filled with zeros.
    pub fn into_bytes(self) -> Vec<u8> {
        self.whole.into_bytes()
    }

    /// Appends the datagram to `datagram`, and keeps the buffers for the next update.
    pub fn copy_to(&self, datagram: &mut Vec<u8>) {
        self.whole.copy_to(datagram);
    }

    /// Length in bits.
    pub fn bit_len(&self) -> u64 {
        self.whole.bit_len()
    }

    /// The bits of the datagram, to be appended to others.
    pub(super) fn into_writer(self) -> BitWriter {
        self.whole
    }

    /// Empties all buffers, and keeps their memory for the next datagram.
    fn clear(&mut self) {
        [&mut self.whole, &mut self.blocks, &mut self.lists].into_iter().for_each(BitWriter::clear);
        self.slots.clear();
    }
}

/// Encodes an update, item by item, until the datagram is full: controllers that the client knows, by rising
/// slot; and results, then bursts, then controllers by rising handle.
///
/// ```
/// use ugas_core::handle::ControllerId;
/// use ugas_net::bits::BitWriter;
/// use ugas_net::wire::{
///     BlockEncoding, Dictionary, Exactness, Room, UpdateBits, UpdateHeader, UpdateWriter, ViewHeader, write_block,
/// };
///
/// let dictionary = Dictionary::sized(200, 16);
/// let mut block = BitWriter::new();
/// write_block(&dictionary, Exactness::Rounded, BlockEncoding::Full, core::iter::empty(), &mut block)?;
/// let mut update = UpdateWriter::begin(&dictionary, UpdateHeader::default(), UpdateBits::default());
/// let controller = ControllerId::from_bits(1 << 32 | 7).unwrap();
/// assert_eq!(update.controller(controller, ViewHeader::default(), &block)?, Room::Taken);
/// let datagram: Vec<u8> = update.finish()?.into_bytes();
/// # Ok::<(), ugas_net::wire::EncodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct UpdateWriter<'a> {
    dictionary: &'a Dictionary,
    header: UpdateHeader,
    bits: UpdateBits,
    list: List,
    /// The last controller in the list.
    previous: Option<ControllerId>,
    /// Lower bound of the next slot.
    next_slot: u32,
    /// Most bits of the slots with their blocks.
    slot_bits: u64,
}

/// The list to which items are being added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum List {
    Results,
    Bursts,
    Controllers,
    End,
}

impl List {
    /// The list after this one; after the last, the end.
    fn next(self) -> Self {
        match self {
            Self::Results => Self::Bursts,
            Self::Bursts => Self::Controllers,
            Self::Controllers | Self::End => Self::End,
        }
    }
}

impl<'a> UpdateWriter<'a> {
    /// Begins a datagram in `bits`, whose allocations are reused and whose content is dropped.
    pub fn begin(dictionary: &'a Dictionary, header: UpdateHeader, mut bits: UpdateBits) -> Self {
        bits.clear();
        write_header(&mut Encoder { bits: &mut bits.whole, dictionary }, &header);
        Self { dictionary, header, bits, list: List::Results, previous: None, next_slot: 0, slot_bits: 0 }
    }

    /// Most bits that are used, including those that are written last.
    pub fn bit_len(&self) -> u64 {
        self.bits.whole.bit_len() + self.bits.lists.bit_len() + self.slot_bits + LAST_BITS
    }

    /// Number of bits that are left, counted by the most that the finished datagram takes.
    pub fn room(&self) -> u64 {
        MAX_BITS.saturating_sub(self.bit_len())
    }

    /// Adds a [block](write_block) of a controller that the client knows by its slot.
    ///
    /// # Errors
    /// If the slot is not above those before, or not below [`StreamParams::slots`].
    #[inline]
    pub fn slot(
        &mut self,
        slot: u32,
        encoding: BlockEncoding,
        block: &BitWriter,
    ) -> Result<Room, EncodeError> {
        let known = self.header.stream.slots;
        if slot >= known {
            return Err(EncodeError::UnknownId { what: "slots", index: slot, known });
        }
        if slot < self.next_slot {
            return Err(EncodeError::Unsorted("slots"));
        }
        let bits = block.bit_len() + SLOT_BITS;
        if bits > self.room() {
            return Ok(Room::Full);
        }
        self.bits.blocks.append(block);
        self.bits.slots.push((slot, encoding));
        self.slot_bits += bits;
        self.next_slot = slot + 1;
        Ok(Room::Taken)
    }

    /// Adds the outcome of a command.
    ///
    /// # Errors
    /// If bursts or controllers were added before.
    pub fn result(&mut self, result: &CommandResult) -> Result<Room, EncodeError> {
        let tick = self.header.tick;
        self.add(List::Results, "results", |encoder| {
            encoder.result(tick, result);
            Ok(())
        })
    }

    /// Adds a cue burst.
    ///
    /// # Errors
    /// If controllers were added before, or it cannot be encoded.
    pub fn burst(&mut self, burst: &CueBurst) -> Result<Room, EncodeError> {
        let tick = self.header.tick;
        self.add(List::Bursts, "bursts", |encoder| encoder.burst(tick, burst))
    }

    /// Adds the removal of a controller that is gone or out of view.
    ///
    /// # Errors
    /// If the handle is not above those before.
    pub fn gone(&mut self, controller: ControllerId) -> Result<Room, EncodeError> {
        self.add_controller(controller, |bits| bits.bits(0b11, 2))
    }

    /// Adds a full [block](write_block) of a controller that the client may not know.
    ///
    /// # Errors
    /// If the handle is not above those before.
    pub fn controller(
        &mut self,
        controller: ControllerId,
        view: ViewHeader,
        block: &BitWriter,
    ) -> Result<Room, EncodeError> {
        if block.bit_len() > self.room() {
            return Ok(Room::Full);
        }
        self.add_controller(controller, |bits| {
            write_view(bits, view);
            bits.append(block);
        })
    }

    /// Ends the datagram, and returns it; its buffers can be reused for the next one.
    ///
    /// # Errors
    /// If the part is not below the number of parts (part 0 of 0 means no own state), the own state builds
    /// upon a later tick, or deltas refer to a tick that is not before the update's.
    pub fn finish(mut self) -> Result<UpdateBits, EncodeError> {
        let UpdateHeader { part, parts, tick, since, base, stream, .. } = self.header;
        if part >= parts && part > 0 {
            return Err(EncodeError::Part { part, parts });
        }
        let has_slots = !self.bits.slots.is_empty();
        if since > tick || has_slots && base >= tick {
            return Err(EncodeError::Unsorted("ticks"));
        }
        let has_lists = !self.bits.lists.is_empty();
        if has_lists {
            self.enter(List::End);
        }
        let UpdateBits { whole, blocks, lists, slots } = &mut self.bits;
        write_content(whole, has_slots, has_lists);
        if has_slots {
            whole.gamma(u64::from(tick.0 - base.0 - 1));
            ids::write(whole, "slots", stream.slots, slots.iter().map(|(slot, _)| *slot))?;
            let some_whole = slots.iter().any(|(_, encoding)| *encoding == BlockEncoding::Full);
            whole.bool(some_whole);
            if some_whole {
                slots.iter().for_each(|(_, encoding)| whole.bool(*encoding == BlockEncoding::Full));
            }
            whole.append(blocks);
        }
        if has_lists {
            whole.append(lists);
        }
        Ok(self.bits)
    }

    /// Adds a controller to the list by its handle, and what `write` writes after it. Handles must rise.
    fn add_controller(
        &mut self,
        controller: ControllerId,
        write: impl FnOnce(&mut BitWriter),
    ) -> Result<Room, EncodeError> {
        let previous = self.previous;
        let room = self.add(List::Controllers, "controllers", |encoder| {
            encoder.next_handle("controllers", previous, controller)?;
            write(encoder.bits);
            Ok(())
        })?;
        if room == Room::Taken {
            self.previous = Some(controller);
        }
        Ok(room)
    }

    /// Adds an item to a list, after the end of the lists before it. If it does not fit or cannot be
    /// encoded, nothing changes; `what` names the items in errors.
    fn add(
        &mut self,
        list: List,
        what: &'static str,
        write: impl FnOnce(&mut Encoder<'_>) -> Result<(), EncodeError>,
    ) -> Result<Room, EncodeError> {
        if self.list > list {
            return Err(EncodeError::TooLate(what));
        }
        let (mark, before): (Mark, List) = (self.bits.lists.mark(), self.list);
        self.enter(list);
        self.bits.lists.bool(true);
        let written = write(&mut Encoder { bits: &mut self.bits.lists, dictionary: self.dictionary });
        let fits = self.bit_len() <= MAX_BITS;
        if written.is_err() || !fits {
            self.bits.lists.rewind(mark);
            self.list = before;
        }
        written.map(|()| if fits { Room::Taken } else { Room::Full })
    }

    /// Writes the ends of the lists before this one.
    fn enter(&mut self, list: List) {
        while self.list < list {
            self.bits.lists.bool(false);
            self.list = self.list.next();
        }
    }
}

/// Encodes an update into one datagram, with all controllers by handle and in full; [`EncodeError::TooLong`]
/// if it does not fit.
pub(super) fn write_update(
    dictionary: &Dictionary,
    update: &Update,
    bits: UpdateBits,
) -> Result<UpdateBits, EncodeError> {
    let Update { session, packet, tick, stream, states_stream, ack_report, part, parts, since, .. } = *update;
    let header = UpdateHeader {
        session,
        packet,
        tick,
        stream,
        states_stream,
        ack_report,
        part,
        parts,
        since,
        base: Tick(0),
    };
    if stream.step == 0 {
        return Err(EncodeError::Unsorted("ticks"));
    }
    let mut writer = UpdateWriter::begin(dictionary, header, bits);
    let fits = |room: Room| if room == Room::Taken { Ok(()) } else { Err(EncodeError::TooLong) };
    for result in &update.results {
        fits(writer.result(result)?)?;
    }
    for burst in &update.bursts {
        fits(writer.burst(burst)?)?;
    }
    let mut block = BitWriter::new();
    for ControllerUpdate { controller, change } in &update.controllers {
        match change {
            ControllerChange::Gone => fits(writer.gone(*controller)?)?,
            ControllerChange::Pieces { epoch, own, visibility, pieces } => {
                block.clear();
                let pieces = pieces.iter().map(|(key, piece)| DeltaEntry::full(*key, piece.as_ref()));
                write_block(dictionary, Exactness::of(*own), BlockEncoding::Full, pieces, &mut block)?;
                let view = ViewHeader { epoch: *epoch, own: *own, visibility: *visibility };
                fits(writer.controller(*controller, view, &block)?)?;
            }
        }
    }
    writer.finish()
}

/// Writes the header of an update: the three bits of the kind, session, packet number, stream parameters if they are
/// stated, ack report, and the part of the own state. Without stated parameters, packet numbers have eight
/// bits only.
fn write_header(encoder: &mut Encoder<'_>, header: &UpdateHeader) {
    let UpdateHeader { session, packet, tick, stream, states_stream, ack_report, .. } = *header;
    let UpdateHeader { part, parts, since, .. } = *header;
    encoder.bits.bool(states_stream);
    encoder.bits.bool(ack_report.is_some());
    encoder.bits.bool(UPDATE);
    encoder.bits.bits(u64::from(session), SESSION_BITS);
    if states_stream {
        encoder.packet(packet);
        encoder.tick(tick);
        encoder.bits.varint(u64::from(stream.step.saturating_sub(1)), group::STEP);
        encoder.bits.varint(u64::from(stream.slots), group::SLOTS);
    } else {
        encoder.bits.bits(u64::from(packet.0), 8);
    }
    if let Some(AckReport { ack, margin }) = ack_report {
        if states_stream {
            encoder.packet(ack.newest);
        } else {
            encoder.bits.bits(u64::from(ack.newest.0), 8);
        }
        encoder.ack_earlier(ack);
        encoder.bits.signed(i64::from(margin), group::MARGIN);
    }
    let needs = since != Tick(0);
    let is_only = (part, parts) == (0, 1);
    encoder.bits.bool(needs || !is_only);
    if needs || !is_only {
        encoder.bits.bool(!is_only);
        if !is_only {
            encoder.bits.bits(u64::from(part), 8);
            encoder.bits.bits(u64::from(parts), 8);
            encoder.bits.bool(needs);
        }
        if needs {
            encoder.bits.gamma(u64::from(tick.0.saturating_sub(since.0)));
        }
    }
}

/// Writes the content flags. Most datagrams have controllers by slot, and nothing else.
fn write_content(bits: &mut BitWriter, has_slots: bool, has_lists: bool) {
    bits.bool(has_lists || !has_slots);
    if has_lists || !has_slots {
        bits.bool(has_lists);
    }
    if has_lists {
        bits.bool(has_slots);
    }
}

/// Writes a view header: one bit for the most common one.
fn write_view(bits: &mut BitWriter, view: ViewHeader) {
    let ViewHeader { epoch, own, visibility } = view;
    let is_plain = view == ViewHeader::default();
    bits.bool(!is_plain);
    if !is_plain {
        bits.bool(false);
        [own, visibility.effects, visibility.abilities].into_iter().for_each(|flag| bits.bool(flag));
        bits.bool(epoch != 0);
        if epoch != 0 {
            bits.bits(u64::from(epoch), 8);
        }
    }
}
