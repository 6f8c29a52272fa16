//! What one client knows of one controller.

use std::collections::BTreeMap;

use smallvec::SmallVec;
use ugas_core::handle::ControllerId;

use crate::lens::LensId;
use crate::replica::Cursor;
use crate::tick::Tick;

/// From where to where in the changes of a replica.
pub(super) type Range = (Cursor, Cursor);

/// Which telling of a view something belongs to: what is acknowledged of an earlier one does not count for this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Telling {
    pub(super) epoch: u8,
    /// How often it went back in this epoch. Clients do not hear of it.
    pub(super) turn: u8,
}

/// What a client knows of a controller.
#[derive(Debug)]
pub(super) struct View {
    pub(super) lens: LensId,
    /// Whether it is the client's own.
    pub(super) own: bool,
    pub(super) epoch: u8,
    /// What it has acknowledged.
    pub(super) acked: Cursor,
    /// What it will know if nothing gets lost.
    pub(super) sent: Cursor,
    pub(super) last_sent: Option<Tick>,
    /// It is to be told that the controller is gone, and has not acknowledged it.
    pub(super) leaving: bool,
    /// What arrived beyond a gap: from where to where.
    beyond: SmallVec<[Range; 2]>,
    turn: u8,
    /// Who was not named in what was told, because the client does not see them, and where it was before that.
    pub(super) withheld: BTreeMap<ControllerId, Cursor>,
}

impl View {
    pub(super) fn new(lens: LensId, own: bool, epoch: u8) -> Self {
        Self {
            lens,
            own,
            epoch,
            acked: Cursor::START,
            sent: Cursor::START,
            last_sent: None,
            leaving: false,
            beyond: SmallVec::new(),
            turn: 0,
            withheld: BTreeMap::new(),
        }
    }

    pub(super) fn telling(&self) -> Telling {
        Telling { epoch: self.epoch, turn: self.turn }
    }

    /// Notes that somebody was not named in a change that comes after `before`.
    pub(super) fn withhold(&mut self, hidden: ControllerId, before: Cursor) {
        let known = self.withheld.entry(hidden).or_insert(before);
        *known = before.min(*known);
    }

    /// Somebody came into view: what was told without naming them is told again. Whether there was any.
    pub(super) fn name(&mut self, seen: ControllerId) -> bool {
        let Some(before) = self.withheld.remove(&seen) else { return false };
        self.acked = self.acked.min(before);
        self.sent = self.sent.min(before);
        self.beyond.clear();
        self.turn = self.turn.wrapping_add(1);
        true
    }

    /// The client is told everything from the beginning.
    pub(super) fn begin_anew(&mut self) {
        *self = Self::new(self.lens, self.own, self.epoch.wrapping_add(1));
    }

    /// Changes arrived. Only those without a gap before them count: what got lost before them has to come first.
    pub(super) fn arrived(&mut self, from: Cursor, to: Cursor) {
        /// Gaps are short: what falls out is sent again.
        const MOST_BEYOND: usize = 32;

        if from > self.acked {
            if self.beyond.len() < MOST_BEYOND {
                self.beyond.push((from, to));
            }
            return;
        }
        self.acked = self.acked.max(to);
        while let Some(at) = self.beyond.iter().position(|(from, _)| *from <= self.acked) {
            let (_, to) = self.beyond.swap_remove(at);
            self.acked = self.acked.max(to);
        }
        self.sent = self.sent.max(self.acked);
    }
}
