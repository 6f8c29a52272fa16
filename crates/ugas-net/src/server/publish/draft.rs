//! Drafts of update datagrams.

use core::mem::size_of;

use ugas_core::handle::{ControllerId, Handle};

use super::super::controller_view::Generation;
use super::super::session::SentDatagram;
use super::blocks::{BlockIndex, Blocks};
use crate::limits::MAX_DATAGRAM;
use crate::message::{CommandResult, CueBurst};
use crate::wire::{
    BlockEncoding, Dictionary, EncodeError, Room, UpdateBits, UpdateHeader, UpdateWriter, ViewHeader,
};

/// Most bytes of the header, at its longest.
pub(super) const HEADER: usize = 64;
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
#[derive(Default)]
pub(super) struct Draft {
    results: Vec<CommandResult>,
    bursts: Vec<CueBurst>,
    /// Memory for the details of bursts.
    spare_details: Vec<Vec<u8>>,
    controllers: Vec<(ControllerId, Part)>,
    length: usize,
    pub(super) sent: SentDatagram,
}

enum Part {
    Gone,
    Block(Addressing, BlockIndex),
}

/// How a controller is addressed in a datagram.
#[derive(Clone, Copy, Debug)]
pub(super) enum Addressing {
    /// By its handle, with its view header.
    Handle(ViewHeader),
    /// By its slot: the client knows the header.
    Slot(BlockEncoding),
}

/// Drafts of the datagrams to one client. Their memory is kept for the next client.
#[derive(Default)]
pub(super) struct Drafts {
    /// Drafts in use, then spare ones.
    drafts: Vec<Draft>,
    used: usize,
}

impl Drafts {
    /// Drafts in use, oldest first.
    pub(super) fn in_use(&mut self) -> &mut [Draft] {
        self.drafts.get_mut(..self.used).unwrap_or_default()
    }

    /// Begins an empty draft, with room reserved for the longest header. Its content is noted in `sent`.
    pub(super) fn begin(&mut self, sent: SentDatagram) -> &mut Draft {
        let at = self.used;
        self.used += 1;
        if at >= self.drafts.len() {
            self.drafts.push(Draft::default());
        }
        let draft = &mut self.drafts[at];
        draft.results.clear();
        draft.spare_details.extend(draft.bursts.drain(..).filter_map(|burst| burst.details));
        draft.controllers.clear();
        draft.length = HEADER;
        draft.sent = sent;
        draft
    }

    /// Drops all drafts, and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.used = 0;
    }
}

impl Draft {
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

    /// Adds a cue burst with its details; false if there is no room.
    pub(super) fn burst(&mut self, burst: &CueBurst, details: Option<&[u8]>) -> bool {
        let fits = self.take(BURST + details.map_or(0, <[u8]>::len));
        if fits {
            let details = details.map(|details| {
                let mut copy = self.spare_details.pop().unwrap_or_default();
                copy.clear();
                copy.extend_from_slice(details);
                copy
            });
            self.bursts.push(CueBurst { details, ..burst.clone() });
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

    /// Adds a block of a controller, `length` bytes long; false if there is no room, or the draft already has content of the
    /// controller. The caller notes it in `sent`.
    pub(super) fn controller(
        &mut self,
        controller: ControllerId,
        addressing: Addressing,
        block: BlockIndex,
        length: usize,
    ) -> bool {
        let fits = !self.has(controller) && self.take(BEFORE_BLOCK + length);
        if fits {
            self.controllers.push((controller, Part::Block(addressing, block)));
        }
        fits
    }

    /// Controllers that it has content of, in the order of addition.
    pub(super) fn controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.controllers.iter().map(|(controller, _)| *controller)
    }

    /// Encodes the content in the order of the wire format, with controllers by rising handle, in `bits`.
    pub(super) fn write(
        &mut self,
        dictionary: &Dictionary,
        header: UpdateHeader,
        blocks: &Blocks,
        bits: UpdateBits,
    ) -> Result<UpdateBits, EncodeError> {
        let mut writer = UpdateWriter::begin(dictionary, header, bits);
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
                Part::Block(Addressing::Handle(view), block) => {
                    writer.controller(*controller, *view, blocks.block(*block))?
                }
                Part::Block(Addressing::Slot(encoding), block) => {
                    writer.slot(controller.index(), *encoding, blocks.block(*block))?
                }
            });
        }
        writer.finish()
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
