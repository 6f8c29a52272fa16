//! What is new on the server: [`Update`], as it is put together and as it is read.
//!
//! Lists have no number in front but a bit before each item, so that a datagram is filled until nothing fits any more.
//! Which part of a tick it is comes last, since only then one knows how many there are.

use ugas_core::handle::ControllerId;
use ugas_core::mirror::Sight;

use super::block::{Exactness, write_block};
use super::dictionary::Dictionary;
use super::error::EncodeError;
use super::values::{Decoder, Encoder};
use super::{ToClientKind, group};
use crate::bits::{BitWriter, Mark, WireError, WireErrorKind};
use crate::limits::MAX_DATAGRAM;
use crate::message::{
    Ack, Burst, CommandResult, ControllerChange, ControllerUpdate, Feedback, PacketId, Update,
};
use crate::tick::Tick;

/// Bits of an update that are written last: the ends of three lists, and which part it is.
const LAST_BITS: u64 = 3 + 17;
const MOST_BITS: u64 = MAX_DATAGRAM as u64 * 8;

/// What an update begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UpdateHeader {
    /// Of this datagram.
    pub packet: PacketId,
    /// What arrived from the client.
    pub ack: Ack,
    /// The tick that all of this is the state of.
    pub tick: Tick,
    /// How the client's frames came.
    pub feedback: Feedback,
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

/// Puts an update together, item by item, until the datagram is full: first results, then bursts, then controllers by
/// rising handle.
///
/// ```
/// use ugas_core::handle::ControllerId;
/// use ugas_net::bits::BitWriter;
/// use ugas_net::wire::{Dictionary, Exactness, Room, UpdateHeader, UpdateWriter, View, write_block};
///
/// let dictionary = Dictionary::sized(200, 16);
/// let mut block = BitWriter::new();
/// write_block(&dictionary, Exactness::Rounded, core::iter::empty(), &mut block)?;
/// let mut update = UpdateWriter::begin(&dictionary, UpdateHeader::default(), BitWriter::new());
/// let controller = ControllerId::from_bits(1 << 32 | 7).unwrap();
/// assert_eq!(update.controller(controller, View::default(), &block)?, Room::Taken);
/// let datagram: Vec<u8> = update.finish(0, 1)?.into_bytes();
/// # Ok::<(), ugas_net::wire::EncodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct UpdateWriter<'a> {
    dictionary: &'a Dictionary,
    bits: BitWriter,
    tick: Tick,
    list: List,
    /// The last controller.
    previous: Option<ControllerId>,
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
    pub fn begin(dictionary: &'a Dictionary, header: UpdateHeader, mut bits: BitWriter) -> Self {
        bits.clear();
        bits.bits(ToClientKind::Update as u64, super::KIND_BITS);
        let mut encoder = Encoder { bits: &mut bits, dictionary };
        encoder.packet(header.packet);
        encoder.ack(header.ack);
        encoder.tick(header.tick);
        encoder.tick_near(header.tick, header.feedback.newest);
        encoder.bits.signed(i64::from(header.feedback.margin), group::MARGIN);
        Self { dictionary, bits, tick: header.tick, list: List::Results, previous: None }
    }

    /// How many bits are taken, those that come last included.
    pub fn bit_len(&self) -> u64 {
        self.bits.bit_len() + LAST_BITS
    }

    /// How many bits are left.
    pub fn room(&self) -> u64 {
        MOST_BITS.saturating_sub(self.bit_len())
    }

    /// Adds what became of a command.
    ///
    /// # Errors
    /// If it is too late for results.
    pub fn result(&mut self, result: &CommandResult) -> Result<Room, EncodeError> {
        let tick = self.tick;
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
        let tick = self.tick;
        self.add(List::Bursts, "bursts", |encoder| encoder.burst(tick, burst))
    }

    /// Adds a controller that is gone or out of view.
    ///
    /// # Errors
    /// If its handle is not above those before.
    pub fn gone(&mut self, controller: ControllerId) -> Result<Room, EncodeError> {
        self.add_controller(controller, |bits| bits.bits(0b11, 2))
    }

    /// Adds pieces of a controller, as [`write_block`] has written them.
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

    /// Ends the datagram, which is this part of so many of the tick's own-controller state. The bytes are in the
    /// writer's [`into_bytes`](BitWriter::into_bytes) or [`copy_to`](BitWriter::copy_to), and its memory serves for the
    /// next datagram.
    ///
    /// # Errors
    /// If there are not so many parts.
    pub fn finish(mut self, part: u8, parts: u8) -> Result<BitWriter, EncodeError> {
        self.enter(List::End);
        let is_only = (part, parts) == (0, 1);
        if part >= parts && part > 0 {
            return Err(EncodeError::Part { part, parts });
        }
        self.bits.bool(!is_only);
        if !is_only {
            self.bits.bits(u64::from(part), 8);
            self.bits.bits(u64::from(parts), 8);
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
        let (mark, before): (Mark, List) = (self.bits.mark(), self.list);
        self.enter(list);
        self.bits.bool(true);
        let written = write(&mut Encoder { bits: &mut self.bits, dictionary: self.dictionary });
        let fits = self.bit_len() <= MOST_BITS;
        if written.is_err() || !fits {
            self.bits.rewind(mark);
            self.list = before;
        }
        written.map(|()| if fits { Room::Taken } else { Room::Full })
    }

    /// Ends the lists before this one.
    fn enter(&mut self, list: List) {
        while self.list < list {
            self.bits.bool(false);
            self.list = self.list.next();
        }
    }
}

/// Writes an update that fits one datagram.
pub(super) fn write_update(
    dictionary: &Dictionary,
    update: &Update,
    bits: BitWriter,
) -> Result<BitWriter, EncodeError> {
    let Update { packet, ack, tick, part, parts, feedback, results, controllers, bursts } = update;
    let header = UpdateHeader { packet: *packet, ack: *ack, tick: *tick, feedback: *feedback };
    let mut writer = UpdateWriter::begin(dictionary, header, bits);
    let fits = |room: Room| if room == Room::Taken { Ok(()) } else { Err(EncodeError::TooLong) };
    for result in results {
        fits(writer.result(result)?)?;
    }
    for burst in bursts {
        fits(writer.burst(burst)?)?;
    }
    let mut block = BitWriter::new();
    for ControllerUpdate { controller, change } in controllers {
        match change {
            ControllerChange::Gone => fits(writer.gone(*controller)?)?,
            ControllerChange::Pieces { epoch, own, sight, pieces } => {
                block.clear();
                let pieces = pieces.iter().map(|(key, piece)| (*key, piece.as_ref()));
                write_block(dictionary, Exactness::of(*own), pieces, &mut block)?;
                let view = View { epoch: *epoch, own: *own, sight: *sight };
                fits(writer.controller(*controller, view, &block)?)?;
            }
        }
    }
    writer.finish(*part, *parts)
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

impl Decoder<'_> {
    pub(super) fn update(&mut self) -> Result<Update, WireError> {
        let packet = self.packet()?;
        let ack = self.ack()?;
        let tick = self.tick()?;
        let newest = self.tick_near(tick)?;
        let feedback = Feedback { newest, margin: self.margin()? };
        let mut results = Vec::new();
        while self.bits.bool()? {
            results.push(self.result(tick)?);
        }
        let mut bursts = Vec::new();
        while self.bits.bool()? {
            bursts.push(self.burst(tick)?);
        }
        let mut controllers: Vec<ControllerUpdate> = Vec::new();
        while self.bits.bool()? {
            let previous = controllers.last().map(|update| update.controller);
            let controller = self.next_handle(previous)?;
            let change = self.change()?;
            controllers.push(ControllerUpdate { controller, change });
        }
        let (part, parts) = self.part()?;
        Ok(Update { packet, ack, tick, part, parts, feedback, results, controllers, bursts })
    }

    fn margin(&mut self) -> Result<i16, WireError> {
        let too_large = self.bits.error(WireErrorKind::TooLarge);
        i16::try_from(self.bits.signed(group::MARGIN)?).map_err(|_| too_large)
    }

    fn change(&mut self) -> Result<ControllerChange, WireError> {
        let begin = self.bits.position();
        let mut view = View::default();
        if self.bits.bool()? {
            if self.bits.bool()? {
                return Ok(ControllerChange::Gone);
            }
            view.own = self.bits.bool()?;
            view.sight.effects = self.bits.bool()?;
            view.sight.abilities = self.bits.bool()?;
            let is_later = self.bits.bool()?;
            if is_later {
                view.epoch = self.bits.bits(8)? as u8;
            }
            if view == View::default() || is_later && view.epoch == 0 {
                return self.error_at(begin, WireErrorKind::NotCanonical("how a controller is seen"));
            }
        }
        let View { epoch, own, sight } = view;
        Ok(ControllerChange::Pieces { epoch, own, sight, pieces: self.block(Exactness::of(own))? })
    }

    fn part(&mut self) -> Result<(u8, u8), WireError> {
        if !self.bits.bool()? {
            return Ok((0, 1));
        }
        let begin = self.bits.position();
        let (part, parts) = (self.bits.bits(8)? as u8, self.bits.bits(8)? as u8);
        if (part, parts) == (0, 1) || part >= parts && part > 0 {
            return self.error_at(begin, WireErrorKind::NotCanonical("the part of a tick"));
        }
        Ok((part, parts))
    }
}
