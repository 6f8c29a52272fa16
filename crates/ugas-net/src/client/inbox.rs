//! What came from the server, until it can be shown.
//!
//! Datagrams come late, twice, in any order or not at all. Every piece is the newest that was heard of it; the client's
//! own controllers are kept back until a tick of them is complete.

use std::collections::BTreeMap;

use ugas_core::handle::ControllerId;
use ugas_core::mirror::{Mirror, Piece, PieceKey};

use crate::message::{ControllerChange, ControllerUpdate, Update};
use crate::tick::Tick;

/// How long it is remembered that a controller or a piece is gone: as long as a datagram may be late.
const MEMORY: u32 = 600;

/// Ticks of the client's own state that wait for parts; of more, the oldest are given up.
const MOST_OWN_TICKS: usize = 64;
/// Controllers of which something is known, and that are known to be gone. A server that names more is not listened to.
const MOST_KNOWN: usize = 1 << 16;
/// Pieces of a controller that are heard of.
const MOST_PIECES: usize = 1 << 13;

/// What is known of a controller.
#[derive(Debug)]
struct Known {
    epoch: u8,
    newest: Tick,
    own: bool,
    /// When each piece was heard of last, those that are gone included.
    heard: BTreeMap<PieceKey, Tick>,
}

/// The own state of a tick, as far as it came.
#[derive(Debug, Default)]
struct OwnTick {
    parts: u8,
    /// The tick that it builds upon.
    since: Tick,
    arrived: u64,
    updates: Vec<ControllerUpdate>,
}

/// What came from the server, until it can be shown.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    known: BTreeMap<ControllerId, Known>,
    gone: BTreeMap<ControllerId, Tick>,
    own: BTreeMap<Tick, OwnTick>,
    /// The newest tick whose own state was complete.
    complete: Option<Tick>,
}

/// What an update led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Taken {
    /// A tick of the client's own controllers is complete.
    pub(super) complete: Option<Tick>,
    /// Something of others changed.
    pub(super) others: bool,
}

impl Inbox {
    /// How many things it holds.
    pub(super) fn held(&self) -> usize {
        self.known.values().map(|known| 1 + known.heard.len()).sum::<usize>()
            + self.gone.len()
            + self.own.values().map(|own| 1 + own.updates.len()).sum::<usize>()
    }

    /// The newest tick whose own state is complete.
    pub(super) fn complete(&self) -> Option<Tick> {
        self.complete
    }

    /// Whether a controller is the client's own.
    pub(super) fn is_own(&self, remote: ControllerId) -> bool {
        self.known.get(&remote).is_some_and(|known| known.own)
    }

    /// The server's handles of the client's own controllers.
    pub(super) fn own_controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.known.iter().filter(|(_, known)| known.own).map(|(id, _)| *id)
    }

    /// Takes an update; what can be shown goes into the mirror.
    pub(super) fn take(&mut self, update: Update, mirror: &mut Mirror) -> Taken {
        let mut taken = Taken::default();
        let tick = update.tick;
        let (own, others): (Vec<_>, Vec<_>) = update
            .controllers
            .into_iter()
            .partition(|update| matches!(update.change, ControllerChange::Pieces { own: true, .. }));
        for update in others {
            taken.others |= self.apply(tick, update, mirror);
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
                self.complete_tick(tick, mirror);
                taken.complete = Some(tick);
            }
            while self.own.len() > MOST_OWN_TICKS {
                self.own.pop_first();
            }
        }
        taken
    }

    /// The first tick of which all parts are there, and what it builds upon.
    fn next_complete(&self) -> Option<Tick> {
        let has_parts = |own: &OwnTick| own.arrived.count_ones() >= u32::from(own.parts);
        let has_base = |own: &OwnTick| own.since <= self.complete.unwrap_or(Tick(0));
        let (tick, _) = self.own.iter().find(|(_, own)| has_parts(own) && has_base(own))?;
        Some(*tick)
    }

    /// Forgets what is too old to matter.
    pub(super) fn tidy(&mut self, now: Tick) {
        let oldest = now.before(MEMORY);
        self.gone.retain(|_, tick| *tick >= oldest);
    }

    fn complete_tick(&mut self, tick: Tick, mirror: &mut Mirror) {
        let later = self.own.split_off(&tick.next());
        let mut earlier = core::mem::replace(&mut self.own, later);
        let Some(ours) = earlier.remove(&tick) else { return };
        for update in ours.updates {
            self.apply(tick, update, mirror);
        }
        self.complete = Some(tick);
        self.tidy(tick);
    }

    /// Applies what is newer than what was heard; true if anything was.
    fn apply(&mut self, tick: Tick, update: ControllerUpdate, mirror: &mut Mirror) -> bool {
        let ControllerUpdate { controller, change } = update;
        if self.gone.get(&controller).is_some_and(|gone| tick <= *gone) {
            return false;
        }
        let ControllerChange::Pieces { epoch, own, sight, pieces } = change else {
            let is_known = self.known.get(&controller).is_some_and(|known| known.newest <= tick);
            if is_known {
                self.known.remove(&controller);
                mirror.forget(controller);
            }
            // Whenever a tick is complete there is room again.
            if self.gone.len() < MOST_KNOWN {
                self.gone.insert(controller, tick);
            }
            return is_known;
        };
        let known = self.known.get(&controller);
        if known.is_some_and(|known| known.epoch != epoch && tick <= known.newest) {
            return false;
        }
        if known.is_some_and(|known| known.epoch != epoch) {
            mirror.forget(controller);
            self.known.remove(&controller);
        }
        if self.known.len() >= MOST_KNOWN && !self.known.contains_key(&controller) {
            return false;
        }
        let known = self.known.entry(controller).or_insert_with(|| Known {
            epoch,
            newest: tick,
            own,
            heard: BTreeMap::new(),
        });
        known.newest = known.newest.max(tick);
        known.own = own;
        mirror.see(controller, sight);
        for (key, piece) in pieces {
            if known.heard.len() >= MOST_PIECES && !known.heard.contains_key(&key) {
                continue;
            }
            let heard = known.heard.entry(key).or_insert(tick);
            if *heard <= tick {
                *heard = tick;
                put(mirror, controller, key, piece);
            }
        }
        let oldest = tick.before(MEMORY);
        if known.heard.len() > 4_096 {
            known.heard.retain(|_, heard| *heard >= oldest);
        }
        true
    }
}

/// A piece that the mirror does not take is left out: a server that sends such spoils its client's view, and no more.
fn put(mirror: &mut Mirror, controller: ControllerId, key: PieceKey, piece: Option<Piece>) {
    match piece {
        Some(piece) => {
            let _ = mirror.put(controller, key, piece);
        }
        None => mirror.take_away(controller, key),
    }
}
