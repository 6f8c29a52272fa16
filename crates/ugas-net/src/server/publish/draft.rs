//! Drafts of update datagrams.

use core::mem::size_of;

use ugas_core::handle::{ControllerId, Handle};

use super::super::controller_view::Generation;
use super::super::session::SentDatagram;
use super::blocks::EncodedBlocks;
use crate::limits::MAX_DATAGRAM;
use crate::message::{CommandResult, CueBurst};
use crate::tick::Tick;
use crate::wire::{
    BlockEncoding, Dictionary, EncodeError, Room, UpdateBits, UpdateHeader, UpdateWriter, ViewHeader,
};

/// Most bytes of the header, at its longest.
const HEADER: usize = 64;
/// Most bytes before a block: the handle and the view header.
pub(super) const BEFORE_BLOCK: usize = size_of::<u64>() + 6;
/// Most bytes of a result.
const RESULT: usize = 16;
/// Most bytes of a cue burst without its details.
const BURST: usize = 96;
/// Most bytes of a block, so that a datagram has room for it.
pub(super) const MAX_BLOCK: usize = MAX_DATAGRAM - HEADER - BEFORE_BLOCK;

/// An update datagram under construction, filled in any order. Room is counted by the most that each item can
/// take.
pub(super) struct Draft {
    results: Vec<CommandResult>,
    bursts: Vec<CueBurst>,
    controllers: Vec<(ControllerId, Part)>,
    length: usize,
    pub(super) sent: SentDatagram,
}

enum Part {
    Gone,
    Block(Addressing, EncodedBlocks, usize),
}

/// How a controller is addressed in a datagram.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addressing {
    /// By its handle, with its view header.
    Handle(ViewHeader),
    /// By its slot: the client knows the header.
    Slot(BlockEncoding),
}

impl Draft {
    /// Empty draft of a tick, with room reserved for the longest header.
    pub(super) fn new(tick: Tick) -> Self {
        Self {
            results: Vec::new(),
            bursts: Vec::new(),
            controllers: Vec::new(),
            length: HEADER,
            sent: SentDatagram { tick, ..SentDatagram::default() },
        }
    }

    /// Most bytes that the datagram takes, with its header.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Adds a result; false if there is no room.
    pub(super) fn result(&mut self, result: CommandResult) -> bool {
        let fits = self.take(RESULT);
        if fits {
            self.results.push(result);
        }
        fits
    }

    /// Adds a cue burst; false if there is no room.
    pub(super) fn burst(&mut self, burst: &CueBurst) -> bool {
        let fits = self.take(BURST + burst.details.as_ref().map_or(0, Vec::len));
        if fits {
            self.bursts.push(burst.clone());
        }
        fits
    }

    /// Adds that a controller is gone, and notes it in `sent`; false if there is no room, or the draft
    /// already has content of the controller.
    pub(super) fn gone(&mut self, controller: ControllerId, generation: Generation) -> bool {
        let fits = !self.has(controller) && self.take(BEFORE_BLOCK);
        if fits {
            self.controllers.push((controller, Part::Gone));
            self.sent.views.push((controller, generation, None));
        }
        fits
    }

    /// Adds block `at` of a controller; false if there is no room, or the draft already has content of the
    /// controller. The caller notes it in `sent`.
    pub(super) fn controller(
        &mut self,
        controller: ControllerId,
        addressing: Addressing,
        blocks: &EncodedBlocks,
        at: usize,
    ) -> bool {
        let length = blocks.get(at).map_or(0, |(block, _)| block.byte_len());
        let fits = !self.has(controller) && self.take(BEFORE_BLOCK + length);
        if fits {
            self.controllers.push((controller, Part::Block(addressing, EncodedBlocks::clone(blocks), at)));
        }
        fits
    }

    /// Controllers that it has content of, in the order of addition.
    pub(super) fn controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.controllers.iter().map(|(controller, _)| *controller)
    }

    /// The encoded datagram, `None` if it cannot be encoded, and the record of its content for
    /// acknowledgements.
    pub(super) fn finish(
        mut self,
        dictionary: &Dictionary,
        header: UpdateHeader,
    ) -> (Option<Vec<u8>>, SentDatagram) {
        let bytes = self.write(dictionary, header).ok();
        (bytes, self.sent)
    }

    /// Encodes the content in the order of the wire format, with controllers by rising handle.
    fn write(&mut self, dictionary: &Dictionary, header: UpdateHeader) -> Result<Vec<u8>, EncodeError> {
        let mut writer = UpdateWriter::begin(dictionary, header, UpdateBits::default());
        let taken = |room: Room| debug_assert_eq!(room, Room::Taken);
        for result in &self.results {
            taken(writer.result(result)?);
        }
        for burst in &self.bursts {
            taken(writer.burst(burst)?);
        }
        self.controllers.sort_unstable_by_key(|(controller, _)| *controller);
        for (controller, part) in &self.controllers {
            taken(match part {
                Part::Gone => writer.gone(*controller)?,
                Part::Block(Addressing::Handle(view), blocks, at) => {
                    writer.controller(*controller, *view, &blocks[*at].0)?
                }
                Part::Block(Addressing::Slot(encoding), blocks, at) => {
                    writer.slot(controller.index(), *encoding, &blocks[*at].0)?
                }
            });
        }
        Ok(writer.finish()?.into_bytes())
    }

    /// Whether it has content of a controller: at most once in a datagram.
    fn has(&self, controller: ControllerId) -> bool {
        self.controllers.iter().any(|(known, _)| *known == controller)
    }

    /// Reserves room; false, without reserving any, if the datagram would be too long.
    fn take(&mut self, bytes: usize) -> bool {
        let fits = self.length + bytes <= MAX_DATAGRAM;
        if fits {
            self.length += bytes;
        }
        fits
    }
}
