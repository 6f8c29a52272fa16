//! A datagram that is being put together.

use core::mem::size_of;

use ugas_core::handle::{ControllerId, Handle};

use super::super::session::Sent;
use super::super::view::Telling;
use super::blocks::Encoded;
use crate::limits::MAX_DATAGRAM;
use crate::message::{Burst, CommandResult};
use crate::tick::Tick;
use crate::wire::{Basis, Dictionary, EncodeError, Room, UpdateBits, UpdateHeader, UpdateWriter, View};

/// Most bytes of the header, at its longest.
const HEADER: usize = 64;
/// Most bytes of what stands before a block: the handle and how the controller is seen.
pub(super) const BEFORE_BLOCK: usize = size_of::<u64>() + 6;
/// Most bytes of a result.
const RESULT: usize = 16;
/// Most bytes of a flash.
const BURST: usize = 96;
/// Most bytes of a block, so that a datagram has room for it.
pub(super) const MAX_BLOCK: usize = MAX_DATAGRAM - HEADER - BEFORE_BLOCK;

/// A datagram that is being put together, in any order. Room is counted by the most that anything can take.
pub(super) struct Draft {
    results: Vec<CommandResult>,
    bursts: Vec<Burst>,
    controllers: Vec<(ControllerId, Part)>,
    length: usize,
    pub(super) sent: Sent,
}

enum Part {
    Gone,
    Block(Naming, Encoded, usize),
}

/// How a controller is named, and told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Naming {
    /// By its handle, and with how it is seen.
    Handle(View),
    /// By its place: the client knows the rest.
    Place(Basis),
}

impl Draft {
    pub(super) fn new(tick: Tick) -> Self {
        Self {
            results: Vec::new(),
            bursts: Vec::new(),
            controllers: Vec::new(),
            length: HEADER,
            sent: Sent { tick, ..Sent::default() },
        }
    }

    /// How many bytes it takes at most.
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

    /// Adds a flash; false if there is no room.
    pub(super) fn burst(&mut self, burst: &Burst) -> bool {
        let fits = self.take(BURST + burst.details.as_ref().map_or(0, Vec::len));
        if fits {
            self.bursts.push(burst.clone());
        }
        fits
    }

    /// Adds that a controller is gone; false if there is no room.
    pub(super) fn gone(&mut self, controller: ControllerId, telling: Telling) -> bool {
        let fits = !self.has(controller) && self.take(BEFORE_BLOCK);
        if fits {
            self.controllers.push((controller, Part::Gone));
            self.sent.views.push((controller, telling, None));
        }
        fits
    }

    /// Adds a block of a controller; false if there is no room.
    pub(super) fn controller(
        &mut self,
        controller: ControllerId,
        naming: Naming,
        blocks: &Encoded,
        at: usize,
    ) -> bool {
        let length = blocks.get(at).map_or(0, |(block, _)| block.byte_len());
        let fits = !self.has(controller) && self.take(BEFORE_BLOCK + length);
        if fits {
            self.controllers.push((controller, Part::Block(naming, Encoded::clone(blocks), at)));
        }
        fits
    }

    /// Controllers of which something is in it.
    pub(super) fn told(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.controllers.iter().map(|(controller, _)| *controller)
    }

    /// The bytes, if it can be written, and what they hold.
    pub(super) fn finish(mut self, dictionary: &Dictionary, header: UpdateHeader) -> (Option<Vec<u8>>, Sent) {
        let bytes = self.write(dictionary, header).ok();
        (bytes, self.sent)
    }

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
                Part::Block(Naming::Handle(view), blocks, at) => {
                    writer.controller(*controller, *view, &blocks[*at].0)?
                }
                Part::Block(Naming::Place(basis), blocks, at) => {
                    writer.place(controller.index(), *basis, &blocks[*at].0)?
                }
            });
        }
        Ok(writer.finish()?.into_bytes())
    }

    /// A datagram tells of each controller once.
    fn has(&self, controller: ControllerId) -> bool {
        self.controllers.iter().any(|(known, _)| *known == controller)
    }

    fn take(&mut self, bytes: usize) -> bool {
        let fits = self.length + bytes <= MAX_DATAGRAM;
        if fits {
            self.length += bytes;
        }
        fits
    }
}
