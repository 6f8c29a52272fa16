//! Inbox: replicated state from the server, until it can be shown.
//!
//! Datagrams come late, twice, in any order or not at all. The newest version of every piece wins; the
//! client's own controllers are held back until a tick of them is complete.

use std::collections::BTreeMap;

use ugas_core::handle::ControllerId;
use ugas_core::replica::{Piece, PieceKey, Replica};

use crate::message::{ControllerChange, ControllerUpdate, Update};
use crate::tick::Tick;

/// Ticks for which removals of controllers and pieces are remembered: as long as a datagram may be late.
const REMOVAL_TICKS: u32 = 600;

/// Most ticks of own state that wait for parts; beyond that the oldest are dropped.
const MAX_OWN_TICKS: usize = 64;
/// Most known controllers, and most removed ones. Further ones are ignored.
const MAX_CONTROLLERS: usize = 1 << 16;
/// Most pieces of a controller.
const MAX_PIECES: usize = 1 << 13;

/// Versions of what is known of a controller.
#[derive(Debug)]
struct KnownController {
    epoch: u8,
    newest: Tick,
    own: bool,
    /// Newest tick of each piece, removed ones included.
    heard: BTreeMap<PieceKey, Tick>,
}

/// The own state of a tick, as far as it arrived.
#[derive(Debug, Default)]
struct OwnTick {
    parts: u8,
    /// The tick that it builds upon.
    since: Tick,
    arrived: u64,
    updates: Vec<ControllerUpdate>,
}

/// Replicated state from the server, until it can be shown.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    known: BTreeMap<ControllerId, KnownController>,
    gone: BTreeMap<ControllerId, Tick>,
    own: BTreeMap<Tick, OwnTick>,
    /// The newest tick with complete own state.
    complete: Option<Tick>,
}

/// Result of an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct InboxChange {
    /// Tick of the client's own controllers that became complete.
    pub(super) complete: Option<Tick>,
    /// Whether other controllers changed.
    pub(super) others: bool,
}

impl Inbox {
    /// Number of known controllers with their pieces, of removals, and of own ticks with their updates. For
    /// tests that nothing grows without bound.
    pub(super) fn held(&self) -> usize {
        self.known.values().map(|known| 1 + known.heard.len()).sum::<usize>()
            + self.gone.len()
            + self.own.values().map(|own| 1 + own.updates.len()).sum::<usize>()
    }

    /// Begins another connection: own state that waits for parts of the old one is dropped. The rest stays
    /// until the server sends it in new epochs.
    pub(super) fn resume(&mut self) {
        self.own.clear();
    }

    /// The newest tick whose own state is complete.
    pub(super) fn complete(&self) -> Option<Tick> {
        self.complete
    }

    /// Whether the client owns a controller, by the server's handle.
    pub(super) fn is_own(&self, remote: ControllerId) -> bool {
        self.known.get(&remote).is_some_and(|known| known.own)
    }

    /// The server's handles of the client's own controllers.
    pub(super) fn own_controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.known.iter().filter(|(_, known)| known.own).map(|(id, _)| *id)
    }

    /// Takes an update; state that can be shown goes into the replica. Other controllers are applied at once;
    /// own ones wait until all parts of their tick, and the tick that it builds upon, have arrived.
    pub(super) fn take(&mut self, update: Update, replica: &mut Replica) -> InboxChange {
        let mut taken = InboxChange::default();
        let tick = update.tick;
        let (own, others): (Vec<_>, Vec<_>) = update
            .controllers
            .into_iter()
            .partition(|update| matches!(update.change, ControllerChange::Pieces { own: true, .. }));
        for update in others {
            taken.others |= self.apply(tick, update, replica);
        }
        if update.parts > 0 && self.complete.is_none_or(|complete| tick > complete) {
            let ours = self.own.entry(tick).or_default();
            (ours.parts, ours.since) = (update.parts, update.since);
            let part = 1u64.checked_shl(update.part.into()).unwrap_or(0);
            if ours.arrived & part == 0 && part != 0 {
                ours.arrived |= part;
                ours.updates.extend(own);
            }
            while let Some(tick) = self.next_complete() {
                self.complete_tick(tick, replica);
                taken.complete = Some(tick);
            }
            while self.own.len() > MAX_OWN_TICKS {
                self.own.pop_first();
            }
        }
        taken
    }

    /// The first tick with all parts, whose base is complete.
    fn next_complete(&self) -> Option<Tick> {
        let has_parts = |own: &OwnTick| own.arrived.count_ones() >= u32::from(own.parts);
        let has_base = |own: &OwnTick| own.since <= self.complete.unwrap_or(Tick(0));
        let (tick, _) = self.own.iter().find(|(_, own)| has_parts(own) && has_base(own))?;
        Some(*tick)
    }

    /// Forgets removals of controllers that are older than any datagram may be.
    pub(super) fn tidy(&mut self, now: Tick) {
        let oldest = now.before(REMOVAL_TICKS);
        self.gone.retain(|_, tick| *tick >= oldest);
    }

    /// Own state of a complete tick: applies it, makes the tick the newest complete one, on which predictions
    /// build, drops the state of earlier ticks, and forgets old removals.
    fn complete_tick(&mut self, tick: Tick, replica: &mut Replica) {
        let later = self.own.split_off(&tick.next());
        let mut earlier = core::mem::replace(&mut self.own, later);
        let Some(ours) = earlier.remove(&tick) else { return };
        for update in ours.updates {
            self.apply(tick, update, replica);
        }
        self.complete = Some(tick);
        self.tidy(tick);
    }

    /// Applies pieces of a controller, or its removal, to the replica; pieces that are older than the known
    /// ones are skipped. False if the update as a whole is outdated, removes an unknown controller, or
    /// exceeds [`MAX_CONTROLLERS`].
    fn apply(&mut self, tick: Tick, update: ControllerUpdate, replica: &mut Replica) -> bool {
        let ControllerUpdate { controller, change } = update;
        if self.gone.get(&controller).is_some_and(|gone| tick <= *gone) {
            return false;
        }
        let ControllerChange::Pieces { epoch, own, visibility, pieces } = change else {
            let is_known = self.known.get(&controller).is_some_and(|known| known.newest <= tick);
            if is_known {
                self.known.remove(&controller);
                replica.forget(controller);
            }
            // Completing a tick makes room again.
            if self.gone.len() < MAX_CONTROLLERS {
                self.gone.insert(controller, tick);
            }
            return is_known;
        };
        let known = self.known.get(&controller);
        if known.is_some_and(|known| known.epoch != epoch && tick <= known.newest) {
            return false;
        }
        if known.is_some_and(|known| known.epoch != epoch) {
            replica.forget(controller);
            self.known.remove(&controller);
        }
        if self.known.len() >= MAX_CONTROLLERS && !self.known.contains_key(&controller) {
            return false;
        }
        let known = self.known.entry(controller).or_insert_with(|| KnownController {
            epoch,
            newest: tick,
            own,
            heard: BTreeMap::new(),
        });
        known.newest = known.newest.max(tick);
        known.own = own;
        replica.set_visibility(controller, visibility);
        for (key, piece) in pieces {
            if known.heard.len() >= MAX_PIECES && !known.heard.contains_key(&key) {
                continue;
            }
            let heard = known.heard.entry(key).or_insert(tick);
            if *heard <= tick {
                *heard = tick;
                put(replica, controller, key, piece);
            }
        }
        let oldest = tick.before(REMOVAL_TICKS);
        if known.heard.len() > 4_096 {
            known.heard.retain(|_, heard| *heard >= oldest);
        }
        true
    }
}

/// Puts a piece into the replica. A piece that the replica refuses is left out: a bad server only spoils its
/// client's view.
fn put(replica: &mut Replica, controller: ControllerId, key: PieceKey, piece: Option<Piece>) {
    match piece {
        Some(piece) => {
            let _ = replica.put(controller, key, piece);
        }
        None => replica.remove(controller, key),
    }
}
