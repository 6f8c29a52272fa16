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
    /// When it was told of beyond what was acknowledged, whether that got lost or not.
    open: SmallVec<[Tick; 8]>,
    /// The last time that it was told of.
    told: Tick,
    /// When it was told of is not known any more up to then.
    is_blurred: bool,
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
            open: SmallVec::new(),
            told: Tick(0),
            is_blurred: false,
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
        // It knows more than that, and it cannot be said what.
        self.is_blurred = true;
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
        self.acknowledge(to);
        while let Some(at) = self.beyond.iter().position(|(from, _)| *from <= self.acked) {
            let (_, to) = self.beyond.swap_remove(at);
            self.acknowledge(to);
        }
        self.sent = self.sent.max(self.acked);
    }

    /// Everything up to here arrived.
    pub(super) fn acknowledge(&mut self, to: Cursor) {
        self.acked = self.acked.max(to);
        self.open.retain(|tick| *tick > self.acked.version);
        self.is_blurred &= self.told > self.acked.version;
    }

    /// It was told of, whether that arrives or not.
    pub(super) fn tell(&mut self, tick: Tick) {
        /// More at once are not kept apart.
        const MOST_OPEN: usize = 64;

        self.told = tick;
        if self.open.len() >= MOST_OPEN {
            self.open.clear();
            self.is_blurred = true;
        }
        if self.open.last() != Some(&tick) {
            self.open.push(tick);
        }
    }

    /// Whether something of it arrived, so that the client knows how it sees it.
    pub(super) fn is_known(&self) -> bool {
        self.acked != Cursor::START && !self.leaving
    }

    /// As of which tick's end the client has all of it at `base`, if it is known what it has then: nothing in between may
    /// be open.
    pub(super) fn basis(&self, base: Tick) -> Option<Tick> {
        let is_sure =
            self.is_known() && !self.is_blurred && self.open.first().is_none_or(|open| *open > base);
        (is_sure && self.acked.key.is_none() && self.acked.version <= base).then_some(self.acked.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(acked: u32, told: &[u32]) -> View {
        let mut view = View::new(LensId(0), false, 0);
        view.tell(Tick(acked));
        view.arrived(Cursor::START, Cursor::through(Tick(acked)));
        told.iter().for_each(|tick| view.tell(Tick(*tick)));
        view
    }

    #[test]
    fn differences_are_from_what_is_surely_there() {
        assert_eq!(View::new(LensId(0), false, 0).basis(Tick(10)), None);
        let mut view = view(10, &[12, 14]);
        // What was told at 12 is open, and may have come.
        assert_eq!(
            [10, 11, 12, 13].map(|base| view.basis(Tick(base))),
            [Some(Tick(10)), Some(Tick(10)), None, None]
        );
        view.sent = view.acked; // it is thought to be lost
        assert_eq!(view.basis(Tick(13)), None);
        view.tell(Tick(15));
        view.arrived(view.acked, Cursor::through(Tick(15)));
        assert_eq!(view.basis(Tick(15)), Some(Tick(15)));
        assert_eq!(view.basis(Tick(14)), None); // that was before
    }

    #[test]
    fn part_of_a_tick_is_no_ground_for_differences() {
        let mut view = view(10, &[12]);
        view.arrived(view.acked, Cursor { version: Tick(12), key: Some(ugas_core::mirror::PieceKey::Head) });
        assert_eq!(view.basis(Tick(12)), None);
    }

    #[test]
    fn who_goes_back_has_more_than_is_known() {
        let hidden = ControllerId::UNSEEN;
        let mut view = view(10, &[]);
        view.withhold(hidden, Cursor::through(Tick(4)));
        assert!(view.name(hidden));
        assert_eq!(view.basis(Tick(10)), None);
        view.tell(Tick(11));
        view.arrived(view.acked, Cursor::through(Tick(11)));
        assert_eq!(view.basis(Tick(11)), Some(Tick(11)));
    }
}
