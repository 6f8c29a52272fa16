//! Outbound state of a session: what the client sees, and what is queued for it.

use core::num::NonZeroU32;
use std::collections::{BTreeMap, VecDeque};

use ugas_core::effect::PredictionKey;
use ugas_core::handle::{ControllerId, Handle};

use super::ServerConfig;
use crate::message::{CommandOutcome, CommandResult};
use crate::rate::Bandwidth;
use crate::server::controller_view::ControllerView;
use crate::server::header_state::HeaderState;
use crate::sorted_set::SortedSet;
use crate::tick::Tick;
use crate::wire::MAX_SLOTS;

/// Most results that wait for their acknowledgement. A client that acknowledges none loses the oldest.
const MAX_RESULTS: usize = 256;
/// Most cue bursts that wait for one client.
const MAX_QUEUED_BURSTS: usize = 256;
/// Most controllers that left the view of a client which has not acknowledged it. Beyond that its session ends.
const MAX_LEAVING_VIEWS: usize = 4_096;
/// Ticks for which the epochs of ended views are remembered: longer than any datagram is under way.
const PAST_EPOCH_TICKS: u32 = 3_600;

/// A cue burst that the client has not acknowledged.
#[derive(Debug)]
pub(in crate::server) struct QueuedCueBurst {
    /// The server's number of the burst.
    pub(in crate::server) number: u64,
    /// Position among the bursts of its tick that this client sees: the client must not learn how many others
    /// there are.
    pub(in crate::server) ordinal: u16,
    pub(in crate::server) is_sent: bool,
}

/// Views, results and cue bursts that are sent to one client.
#[derive(Debug)]
pub(in crate::server) struct OutboundState {
    pub(in crate::server) views: BTreeMap<ControllerId, ControllerView>,
    /// The last epoch of each ended view, and the tick of its end. Datagrams of it may still be under way,
    /// and must not be taken for the next view's.
    past_epochs: BTreeMap<ControllerId, (u8, Tick)>,
    /// Controllers with changes that the client may not have.
    pub(in crate::server) stale: SortedSet<ControllerId>,
    /// Results that are not acknowledged, oldest first, and whether each is under way.
    pub(in crate::server) results: VecDeque<(CommandResult, bool)>,
    /// Cue bursts that are not acknowledged, by rising number.
    pub(in crate::server) bursts: VecDeque<QueuedCueBurst>,
    /// Tick and ordinal of the newest cue burst.
    last_burst: (Tick, u16),
    pub(in crate::server) header: HeaderState,
    pub(in crate::server) bandwidth: Bandwidth,
    /// Tick of the last update; `None` before the first.
    pub(in crate::server) last_update: Option<Tick>,
}

impl OutboundState {
    pub(super) fn new(config: &ServerConfig) -> Self {
        Self {
            views: BTreeMap::new(),
            past_epochs: BTreeMap::new(),
            stale: SortedSet::default(),
            results: VecDeque::new(),
            bursts: VecDeque::new(),
            last_burst: (Tick(0), 0),
            header: HeaderState::default(),
            bandwidth: Bandwidth::new(config.bytes_per_second, config.bytes_per_second),
            last_update: None,
        }
    }

    /// Begins another connection of the session: all views are sent again, in new epochs, and so are removals,
    /// results and cue bursts that are not acknowledged.
    pub(super) fn resume(&mut self) {
        for (controller, view) in &mut self.views {
            if !view.leaving {
                view.restart();
            }
            self.stale.insert(*controller);
        }
        self.results.iter_mut().for_each(|(_, is_sent)| *is_sent = false);
        self.bursts.iter_mut().for_each(|burst| burst.is_sent = false);
        self.header = HeaderState::default();
        self.last_update = None;
    }

    /// Number of results and cue bursts that wait, of views with withheld handles, and of past epochs. For
    /// tests that nothing grows without bound.
    pub(super) fn held(&self) -> usize {
        self.results.len()
            + self.views.values().map(|view| 1 + view.withheld.len()).sum::<usize>()
            + self.past_epochs.len()
            + self.stale.len()
            + self.bursts.len()
    }

    /// Epoch of the last ended view of a controller, if it is remembered.
    pub(in crate::server) fn last_epoch(&self, controller: ControllerId) -> Option<u8> {
        self.past_epochs.get(&controller).map(|(epoch, _)| *epoch)
    }

    /// Whether the client sees a controller; false while it only has not acknowledged yet that the controller
    /// is gone.
    pub(in crate::server) fn sees(&self, controller: ControllerId) -> bool {
        self.views.get(&controller).is_some_and(|view| !view.leaving)
    }

    /// Whether the client knows a controller by its slot: it has received something of it, and of no other
    /// controller in that slot.
    pub(in crate::server) fn has_slot(&self, controller: ControllerId) -> bool {
        let slot = controller.index();
        let in_slot = |generation| ControllerId::from_parts(slot, generation);
        let mut there = self.views.range(in_slot(NonZeroU32::MIN)..=in_slot(NonZeroU32::MAX));
        let is_known = there.next().is_some_and(|(known, view)| *known == controller && view.is_known());
        is_known && slot < MAX_SLOTS && there.next().is_none()
    }

    /// Upper bound of the slots that the client may know, for the stream parameters; 0 without views.
    pub(in crate::server) fn slots(&self) -> u32 {
        self.views.keys().next_back().map_or(0, |last| last.index().saturating_add(1)).min(MAX_SLOTS)
    }

    /// Marks changes to be sent again that were sent without naming a controller which has now come into
    /// view.
    pub(in crate::server) fn reveal(&mut self, seen: ControllerId) {
        for (controller, view) in self.views.iter_mut().filter(|(_, view)| !view.leaving) {
            if view.reveal(seen) {
                self.stale.insert(*controller);
            }
        }
    }

    /// Forgets that the handle of a hidden controller was left out: it is despawned, and never comes into view.
    pub(in crate::server) fn forget_withheld(&mut self, despawned: ControllerId) {
        for view in self.views.values_mut().filter(|view| !view.withheld.is_empty()) {
            view.withheld.remove(&despawned);
        }
    }

    /// Whether more removals than [`MAX_LEAVING_VIEWS`] are not acknowledged.
    pub(in crate::server) fn has_too_many_leaving(&self) -> bool {
        self.views.len() > MAX_LEAVING_VIEWS
            && self.views.values().filter(|view| view.leaving).count() > MAX_LEAVING_VIEWS
    }

    /// Removes a view after the client acknowledged that the controller is gone. Its epoch is remembered for
    /// a while, so that the next view does not reuse it.
    pub(super) fn remove_view(&mut self, controller: ControllerId, epoch: u8, tick: Tick) {
        self.views.remove(&controller);
        self.stale.remove(controller);
        self.past_epochs.retain(|_, (_, since)| *since >= tick.before(PAST_EPOCH_TICKS));
        self.past_epochs.insert(controller, (epoch, tick));
    }

    /// Queues a cue burst that the client sees, with its ordinal in the tick. Beyond the limit the oldest is
    /// dropped.
    pub(in crate::server) fn queue_cue_burst(&mut self, number: u64, tick: Tick) {
        let ordinal = if self.last_burst.0 == tick { self.last_burst.1.saturating_add(1) } else { 0 };
        self.last_burst = (tick, ordinal);
        if self.bursts.len() >= MAX_QUEUED_BURSTS {
            self.bursts.pop_front();
        }
        self.bursts.push_back(QueuedCueBurst { number, ordinal, is_sent: false });
    }

    /// Queues the outcome of a command until the client acknowledges it. Beyond the limit the oldest is
    /// dropped.
    pub(in crate::server) fn queue_result(&mut self, key: PredictionKey, outcome: CommandOutcome) {
        if self.results.len() >= MAX_RESULTS {
            self.results.pop_front();
        }
        self.results.push_back((CommandResult { key, outcome }, false));
    }
}
