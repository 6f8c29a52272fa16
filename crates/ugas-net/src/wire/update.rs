//! What is new on the server: [`Update`], as it is put together and as it is read.
//!
//! What most datagrams have comes first: its number, and what is new of controllers that the client knows, by their places.
//! Everything else is in lists that have no number in front but a bit before each item, so that a datagram is filled until
//! nothing fits any more.

mod read;

use ugas_core::handle::ControllerId;
use ugas_core::mirror::{Piece, PieceKey, Sight};

use super::block::{Basis, Exactness, Told, write_block};
use super::dictionary::Dictionary;
use super::error::EncodeError;
use super::values::Encoder;
use super::{UPDATE, group, ids};
use crate::bits::{BitWriter, Mark};
use crate::limits::MAX_DATAGRAM;
use crate::message::{
    Burst, CommandResult, ControllerChange, ControllerUpdate, Course, PacketId, Update, Word,
};
use crate::tick::Tick;

const MOST_BITS: u64 = MAX_DATAGRAM as u64 * 8;
/// Bits that are written last, at most: whether there are controllers by place and lists, the ends of the lists, and
/// before controllers the tick that they differ from, how many they are, and which.
const LAST_BITS: u64 = 3 + 3 + 100;
/// Bits that a place takes at most, with how its controller is told.
const PLACE_BITS: u64 = 24;

/// Controllers with places from here on are told with their handles.
pub const MOST_PLACES: u32 = 1 << 16;

/// What an update begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpdateHeader {
    /// Of this datagram.
    pub packet: PacketId,
    /// The tick that all of this is the state of.
    pub tick: Tick,
    /// What it has in common with others.
    pub course: Course,
    /// Whether it says so; otherwise the client is known to know it.
    pub states_course: bool,
    /// How the client's datagrams came, if it is told.
    pub word: Option<Word>,
    /// Which part of the tick's own-controller state it is.
    pub part: u8,
    /// Of how many.
    pub parts: u8,
    /// Upon which earlier state of own controllers it builds.
    pub since: Tick,
    /// Differences are from what was told at this tick or before; it is before the update's.
    pub base: Tick,
}

/// How a client sees a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// Counts how often the client was told of it from the beginning, modulo 256.
    pub epoch: u8,
    /// Whether it is the client's own.
    pub own: bool,
    /// How much of it the client sees.
    pub sight: Sight,
}

impl View {
    /// That pieces are new.
    fn told(self, controller: ControllerId, pieces: Vec<(PieceKey, Option<Piece>)>) -> ControllerUpdate {
        let Self { epoch, own, sight } = self;
        ControllerUpdate { controller, change: ControllerChange::Pieces { epoch, own, sight, pieces } }
    }
}

impl Default for View {
    /// Somebody else, of whom one sees what is shown, for the first time: what most are.
    fn default() -> Self {
        Self { epoch: 0, own: false, sight: Sight::SHOWN }
    }
}

/// Whether something went into a datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Room {
    /// It did.
    Taken,
    /// There was no room for it, and the datagram is as it was.
    Full,
}

/// The memory of an [`UpdateWriter`], and then what was written.
#[derive(Clone, Debug, Default)]
pub struct UpdateBits {
    whole: BitWriter,
    /// What is new of those in the places.
    blocks: BitWriter,
    /// The lists.
    lists: BitWriter,
    /// Places, rising, and how each of them is told.
    places: Vec<(u32, Basis)>,
}

impl UpdateBits {
    /// The datagram.
    pub fn into_bytes(self) -> Vec<u8> {
        self.whole.into_bytes()
    }

    /// Adds the datagram to these bytes.
    pub fn copy_to(&self, datagram: &mut Vec<u8>) {
        self.whole.copy_to(datagram);
    }

    /// How many bits it has.
    pub fn bit_len(&self) -> u64 {
        self.whole.bit_len()
    }

    pub(super) fn into_writer(self) -> BitWriter {
        self.whole
    }

    fn clear(&mut self) {
        [&mut self.whole, &mut self.blocks, &mut self.lists].into_iter().for_each(BitWriter::clear);
        self.places.clear();
    }
}

/// Puts an update together, item by item, until the datagram is full: controllers that the client knows, by rising place;
/// and results, then bursts, then controllers by rising handle.
///
/// ```
/// use ugas_core::handle::ControllerId;
/// use ugas_net::bits::BitWriter;
/// use ugas_net::wire::{
///     Basis, Dictionary, Exactness, Room, UpdateBits, UpdateHeader, UpdateWriter, View, write_block,
/// };
///
/// let dictionary = Dictionary::sized(200, 16);
/// let mut block = BitWriter::new();
/// write_block(&dictionary, Exactness::Rounded, Basis::Whole, core::iter::empty(), &mut block)?;
/// let mut update = UpdateWriter::begin(&dictionary, UpdateHeader::default(), UpdateBits::default());
/// let controller = ControllerId::from_bits(1 << 32 | 7).unwrap();
/// assert_eq!(update.controller(controller, View::default(), &block)?, Room::Taken);
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
    /// The least that the next place may be.
    next_place: u32,
    /// Bits that places take at most, with their blocks.
    placed_bits: u64,
}

/// The list that items are being added to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum List {
    Results,
    Bursts,
    Controllers,
    End,
}

impl List {
    fn next(self) -> Self {
        match self {
            Self::Results => Self::Bursts,
            Self::Bursts => Self::Controllers,
            Self::Controllers | Self::End => Self::End,
        }
    }
}

impl<'a> UpdateWriter<'a> {
    /// Begins a datagram in the memory of `bits`, whose content is forgotten.
    pub fn begin(dictionary: &'a Dictionary, header: UpdateHeader, mut bits: UpdateBits) -> Self {
        bits.clear();
        write_header(&mut Encoder { bits: &mut bits.whole, dictionary }, &header);
        Self { dictionary, header, bits, list: List::Results, previous: None, next_place: 0, placed_bits: 0 }
    }

    /// How many bits are taken at most, those that come last included.
    pub fn bit_len(&self) -> u64 {
        self.bits.whole.bit_len() + self.bits.lists.bit_len() + self.placed_bits + LAST_BITS
    }

    /// How many bits are left.
    pub fn room(&self) -> u64 {
        MOST_BITS.saturating_sub(self.bit_len())
    }

    /// Adds pieces of a controller that the client knows, as [`write_block`] has written them.
    ///
    /// # Errors
    /// If its place is not above those before, and below the [`Course::places`].
    #[inline]
    pub fn place(&mut self, place: u32, basis: Basis, block: &BitWriter) -> Result<Room, EncodeError> {
        let known = self.header.course.places;
        if place >= known {
            return Err(EncodeError::UnknownId { what: "places", index: place, known });
        }
        if place < self.next_place {
            return Err(EncodeError::Unsorted("places"));
        }
        let bits = block.bit_len() + PLACE_BITS;
        if bits > self.room() {
            return Ok(Room::Full);
        }
        self.bits.blocks.append(block);
        self.bits.places.push((place, basis));
        self.placed_bits += bits;
        self.next_place = place + 1;
        Ok(Room::Taken)
    }

    /// Adds what became of a command.
    ///
    /// # Errors
    /// If it is too late for results.
    pub fn result(&mut self, result: &CommandResult) -> Result<Room, EncodeError> {
        let tick = self.header.tick;
        self.add(List::Results, "results", |encoder| {
            encoder.result(tick, result);
            Ok(())
        })
    }

    /// Adds a cue that flashes once.
    ///
    /// # Errors
    /// If it is too late for bursts, or it cannot be written.
    pub fn burst(&mut self, burst: &Burst) -> Result<Room, EncodeError> {
        let tick = self.header.tick;
        self.add(List::Bursts, "bursts", |encoder| encoder.burst(tick, burst))
    }

    /// Adds a controller that is gone or out of view.
    ///
    /// # Errors
    /// If its handle is not above those before.
    pub fn gone(&mut self, controller: ControllerId) -> Result<Room, EncodeError> {
        self.add_controller(controller, |bits| bits.bits(0b11, 2))
    }

    /// Adds pieces of a controller that the client may not know, told whole, as [`write_block`] has written them.
    ///
    /// # Errors
    /// If its handle is not above those before.
    pub fn controller(
        &mut self,
        controller: ControllerId,
        view: View,
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

    /// Ends the datagram, which is in what is given back; its memory serves for the next one.
    ///
    /// # Errors
    /// If there are not so many parts, or it builds upon what comes after it.
    pub fn finish(mut self) -> Result<UpdateBits, EncodeError> {
        let UpdateHeader { part, parts, tick, since, base, course, .. } = self.header;
        if part >= parts && part > 0 {
            return Err(EncodeError::Part { part, parts });
        }
        let has_places = !self.bits.places.is_empty();
        if since > tick || has_places && base >= tick {
            return Err(EncodeError::Unsorted("ticks"));
        }
        let has_lists = !self.bits.lists.is_empty();
        if has_lists {
            self.enter(List::End);
        }
        let UpdateBits { whole, blocks, lists, places } = &mut self.bits;
        write_content(whole, has_places, has_lists);
        if has_places {
            whole.gamma(u64::from(tick.0 - base.0 - 1));
            ids::write(whole, "places", course.places, places.iter().map(|(place, _)| *place))?;
            let some_whole = places.iter().any(|(_, basis)| *basis == Basis::Whole);
            whole.bool(some_whole);
            if some_whole {
                places.iter().for_each(|(_, basis)| whole.bool(*basis == Basis::Whole));
            }
            whole.append(blocks);
        }
        if has_lists {
            whole.append(lists);
        }
        Ok(self.bits)
    }

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
        let fits = self.bit_len() <= MOST_BITS;
        if written.is_err() || !fits {
            self.bits.lists.rewind(mark);
            self.list = before;
        }
        written.map(|()| if fits { Room::Taken } else { Room::Full })
    }

    /// Ends the lists before this one.
    fn enter(&mut self, list: List) {
        while self.list < list {
            self.bits.lists.bool(false);
            self.list = self.list.next();
        }
    }
}

/// Writes an update that fits one datagram, with all controllers by their handles and whole.
pub(super) fn write_update(
    dictionary: &Dictionary,
    update: &Update,
    bits: UpdateBits,
) -> Result<UpdateBits, EncodeError> {
    let Update { packet, tick, course, states_course, word, part, parts, since, .. } = *update;
    let header =
        UpdateHeader { packet, tick, course, states_course, word, part, parts, since, base: Tick(0) };
    if course.step == 0 {
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
            ControllerChange::Pieces { epoch, own, sight, pieces } => {
                block.clear();
                let pieces = pieces.iter().map(|(key, piece)| Told::whole(*key, piece.as_ref()));
                write_block(dictionary, Exactness::of(*own), Basis::Whole, pieces, &mut block)?;
                let view = View { epoch: *epoch, own: *own, sight: *sight };
                fits(writer.controller(*controller, view, &block)?)?;
            }
        }
    }
    writer.finish()
}

fn write_header(encoder: &mut Encoder<'_>, header: &UpdateHeader) {
    let UpdateHeader { packet, tick, course, states_course, word, part, parts, since, .. } = *header;
    encoder.bits.bool(states_course);
    encoder.bits.bool(word.is_some());
    encoder.bits.bool(UPDATE);
    if states_course {
        encoder.packet(packet);
        encoder.tick(tick);
        encoder.bits.varint(u64::from(course.step.saturating_sub(1)), group::STEP);
        encoder.bits.varint(u64::from(course.places), group::PLACES);
    } else {
        encoder.bits.bits(u64::from(packet.0), 8);
    }
    if let Some(Word { ack, margin }) = word {
        if states_course {
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

/// What there is. Most datagrams have controllers by their places, and nothing else.
fn write_content(bits: &mut BitWriter, has_places: bool, has_lists: bool) {
    bits.bool(has_lists || !has_places);
    if has_lists || !has_places {
        bits.bool(has_lists);
    }
    if has_lists {
        bits.bool(has_places);
    }
}

/// One bit for what most are: news of somebody else, of whom one sees what is shown.
fn write_view(bits: &mut BitWriter, view: View) {
    let View { epoch, own, sight } = view;
    let is_plain = view == View::default();
    bits.bool(!is_plain);
    if !is_plain {
        bits.bool(false);
        [own, sight.effects, sight.abilities].into_iter().for_each(|flag| bits.bool(flag));
        bits.bool(epoch != 0);
        if epoch != 0 {
            bits.bits(u64::from(epoch), 8);
        }
    }
}
