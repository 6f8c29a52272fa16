//! One client's view of one controller: what was sent and acknowledged of it.

use std::collections::BTreeMap;

use smallvec::SmallVec;
use ugas_core::handle::ControllerId;

use crate::tick::Tick;
use crate::versioned_view::Cursor;
use crate::visibility::VisibilityId;

/// A range of changes of a [`VersionedView`](crate::versioned_view::VersionedView), from and to.
pub(super) type Range = (Cursor, Cursor);

/// Generation of a view. Acknowledgements of an earlier generation do not count for the present one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Generation {
    pub(super) epoch: u8,
    /// Number of times that sent changes were sent again in this epoch, modulo 256. Not sent to clients.
    pub(super) rewinds: u8,
}

/// One client's view of a controller.
#[derive(Debug)]
pub(super) struct ControllerView {
    pub(super) visibility: VisibilityId,
    /// Whether the client owns the controller.
    pub(super) own: bool,
    pub(super) epoch: u8,
    /// Changes that the client has acknowledged.
    pub(super) acked: Cursor,
    /// Changes that the client has if nothing gets lost.
    pub(super) sent: Cursor,
    pub(super) last_sent: Option<Tick>,
    /// Whether the controller left the client's view, and the client has not acknowledged that.
    pub(super) leaving: bool,
    /// Whether anything of the controller was sent, in this view or in one that it replaced without the client's
    /// acknowledgement.
    pub(super) is_announced: bool,
    /// Ranges that arrived after a gap.
    out_of_order: SmallVec<[Range; 2]>,
    rewinds: u8,
    /// Ticks at which changes after `acked` were sent, whether they got lost or not.
    unacked: SmallVec<[Tick; 8]>,
    /// Tick at which changes were sent last.
    last_change_sent: Tick,
    /// Whether the client may have changes of ticks up to `last_change_sent` that are not in `unacked`.
    is_uncertain: bool,
    /// Hidden controllers whose handles were left out of changes, and the cursor before the first such
    /// change.
    pub(super) withheld: BTreeMap<ControllerId, Cursor>,
}

impl ControllerView {
    /// View of which nothing was sent yet.
    pub(super) fn new(visibility: VisibilityId, own: bool, epoch: u8) -> Self {
        Self {
            visibility,
            own,
            epoch,
            acked: Cursor::START,
            sent: Cursor::START,
            last_sent: None,
            leaving: false,
            is_announced: false,
            out_of_order: SmallVec::new(),
            rewinds: 0,
            unacked: SmallVec::new(),
            last_change_sent: Tick(0),
            is_uncertain: false,
            withheld: BTreeMap::new(),
        }
    }

    /// Generation of the view: its epoch, and how often changes were sent again in it. Sent datagrams store
    /// it, so that acknowledgements of an earlier generation are ignored.
    pub(super) fn generation(&self) -> Generation {
        Generation { epoch: self.epoch, rewinds: self.rewinds }
    }

    /// Notes that the handle of a hidden controller was left out of a change after `before`, so that
    /// [`Self::reveal`] can send it again.
    pub(super) fn withhold(&mut self, hidden: ControllerId, before: Cursor) {
        let known = self.withheld.entry(hidden).or_insert(before);
        *known = before.min(*known);
    }

    /// Rewinds to the acknowledged state, and to before the first change without the handle of a controller that
    /// came into view; true if there was one.
    pub(super) fn reveal(&mut self, seen: ControllerId) -> bool {
        let Some(before) = self.withheld.remove(&seen) else { return false };
        self.acked = self.acked.min(before);
        // Everything after that is sent again: losses of datagrams under way do not count any more.
        self.sent = self.acked;
        self.out_of_order.clear();
        // The client has more than that, and it is unknown what.
        self.is_uncertain = true;
        self.rewinds = self.rewinds.wrapping_add(1);
        true
    }

    /// Starts a new epoch: everything is sent again, and acknowledgements of the old one do not count.
    pub(super) fn restart(&mut self) {
        let is_announced = self.is_announced;
        *self = Self::new(self.visibility, self.own, self.epoch.wrapping_add(1));
        self.is_announced = is_announced;
    }

    /// Notes that a range of changes arrived. It is acknowledged only if there is no gap before it.
    pub(super) fn arrived(&mut self, from: Cursor, to: Cursor) {
        /// Most ranges kept after a gap; the rest is sent again.
        const MAX_OUT_OF_ORDER: usize = 32;

        if from > self.acked {
            if self.out_of_order.len() < MAX_OUT_OF_ORDER {
                self.out_of_order.push((from, to));
            }
            return;
        }
        self.acknowledge(to);
        while let Some(at) = self.out_of_order.iter().position(|(from, _)| *from <= self.acked) {
            let (_, to) = self.out_of_order.swap_remove(at);
            self.acknowledge(to);
        }
        self.sent = self.sent.max(self.acked);
    }

    /// Acknowledges all changes up to a cursor.
    pub(super) fn acknowledge(&mut self, to: Cursor) {
        self.acked = self.acked.max(to);
        self.unacked.retain(|tick| *tick > self.acked.version);
        self.is_uncertain &= self.last_change_sent > self.acked.version;
    }

    /// Notes that changes were sent at a tick, so that [`Self::baseline`] excludes it until they are
    /// acknowledged. Beyond the limit the ticks are forgotten, and the view is uncertain until all is
    /// acknowledged.
    pub(super) fn note_sent(&mut self, tick: Tick) {
        /// Most ticks that are kept apart.
        const MAX_UNACKED: usize = 64;

        self.is_announced = true;
        self.last_change_sent = tick;
        if self.unacked.len() >= MAX_UNACKED {
            self.unacked.clear();
            self.is_uncertain = true;
        }
        if self.unacked.last() != Some(&tick) {
            self.unacked.push(tick);
        }
    }

    /// Whether anything of this epoch arrived, so that the client knows the view's header; false while the
    /// controller is leaving.
    pub(super) fn is_known(&self) -> bool {
        self.acked != Cursor::START && !self.leaving
    }

    /// The tick whose state the client has at `base`, for deltas. `None` if that is uncertain because later
    /// changes were sent up to `base` and not acknowledged, or if the acknowledged state is newer than
    /// `base` or ends within a tick.
    pub(super) fn baseline(&self, base: Tick) -> Option<Tick> {
        let is_sure = self.is_known()
            && !self.is_uncertain
            && self.unacked.first().is_none_or(|unacked| *unacked > base);
        (is_sure && self.acked.key.is_none() && self.acked.version <= base).then_some(self.acked.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(acked: u32, last_change_sent: &[u32]) -> ControllerView {
        let mut view = ControllerView::new(VisibilityId(0), false, 0);
        view.note_sent(Tick(acked));
        view.arrived(Cursor::START, Cursor::through(Tick(acked)));
        last_change_sent.iter().for_each(|tick| view.note_sent(Tick(*tick)));
        view
    }

    #[test]
    fn baseline_excludes_ticks_with_unacknowledged_changes() {
        assert_eq!(ControllerView::new(VisibilityId(0), false, 0).baseline(Tick(10)), None);
        let mut view = view(10, &[12, 14]);
        // Changes of tick 12 are not acknowledged, and may have arrived.
        assert_eq!(
            [10, 11, 12, 13].map(|base| view.baseline(Tick(base))),
            [Some(Tick(10)), Some(Tick(10)), None, None]
        );
        view.sent = view.acked; // treated as lost
        assert_eq!(view.baseline(Tick(13)), None);
        view.note_sent(Tick(15));
        view.arrived(view.acked, Cursor::through(Tick(15)));
        assert_eq!(view.baseline(Tick(15)), Some(Tick(15)));
        assert_eq!(view.baseline(Tick(14)), None); // that was before
    }

    #[test]
    fn partly_acknowledged_tick_is_no_baseline() {
        let mut view = view(10, &[12]);
        view.arrived(view.acked, Cursor { version: Tick(12), key: Some(ugas_core::replica::PieceKey::Head) });
        assert_eq!(view.baseline(Tick(12)), None);
    }

    /// The datagram with the first changes is under way. Its loss is that of an earlier generation, and ignored.
    #[test]
    fn rewound_view_sends_unacknowledged_changes_again() {
        let hidden = ControllerId::UNSEEN;
        let mut view = ControllerView::new(VisibilityId(0), false, 0);
        view.note_sent(Tick(3));
        view.sent = Cursor::through(Tick(3));
        view.note_sent(Tick(6));
        view.sent = Cursor::through(Tick(6));
        view.withhold(hidden, Cursor::through(Tick(5)));
        assert!(view.reveal(hidden));
        assert_eq!(view.sent, Cursor::START);
    }

    #[test]
    fn rewound_view_has_no_baseline_until_acknowledged() {
        let hidden = ControllerId::UNSEEN;
        let mut view = view(10, &[]);
        view.withhold(hidden, Cursor::through(Tick(4)));
        assert!(view.reveal(hidden));
        assert_eq!(view.baseline(Tick(10)), None);
        view.note_sent(Tick(11));
        view.arrived(view.acked, Cursor::through(Tick(11)));
        assert_eq!(view.baseline(Tick(11)), Some(Tick(11)));
    }
}
