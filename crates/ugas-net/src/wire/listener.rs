//! What a client has heard, as far as later datagrams are told by it.
//!
//! The server leaves out of its datagrams what the client is known to know: it knows what was acknowledged. So whoever
//! reads them remembers on what [`Course`] they are, who stands in which place, and what attributes and tags were at the
//! ticks before. All of it is bounded. A datagram that needs more than is remembered is refused as a whole, like one that
//! is damaged: it is not acknowledged, and what it holds comes again.

use std::collections::{BTreeMap, VecDeque};

use smallvec::SmallVec;
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::mirror::PieceKey;

use super::block::Old;
use super::dictionary::Dictionary;
use super::update::{MOST_PLACES, View};
use crate::bits::WireError;
use crate::message::{ControllerChange, ControllerUpdate, Course, PacketId, ToClient, Update};
use crate::packets::ACK_WINDOW;
use crate::tick::Tick;

/// Courses that are remembered: what comes late is of an earlier one.
const MOST_COURSES: usize = 16;
/// After so many datagrams without an acknowledgement each states its course: their numbers end in eight bits otherwise, and
/// the client must not take one for another.
pub(crate) const MOST_OPEN: u32 = 32;
/// How far before the newest datagram one may be whose number ends in eight bits. The other 32 are after it: further ahead
/// of what was acknowledged each states its number.
const MOST_LATE: u32 = u8::MAX as u32 - MOST_OPEN;
/// For how many ticks values of a piece are remembered: differences are from what was so at most as long ago. In a tick a
/// piece is told once.
pub(crate) const HELD_VALUES: usize = 32;

/// How many bits of a datagram are for what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Controllers of the client's own.
    pub own: u64,
    /// Other controllers.
    pub others: u64,
    /// What became of commands.
    pub results: u64,
    /// Cues that flash.
    pub bursts: u64,
}

/// Reads what a server sends to one client.
///
/// ```
/// use ugas_net::message::{PacketId, ToClient, Update};
/// use ugas_net::wire::{Dictionary, Listener, encode_to_client};
/// use ugas_net::Tick;
///
/// let dictionary = Dictionary::sized(200, 16);
/// let mut listener = Listener::new();
/// let first = Update { packet: PacketId(1), tick: Tick(500), states_course: true, ..Update::default() };
/// let second = Update { packet: PacketId(2), tick: Tick(501), states_course: false, ..first.clone() };
/// let short = encode_to_client(&dictionary, &ToClient::Update(second.clone()))?;
/// // The second relies on the first.
/// assert!(listener.read(&dictionary, &short).is_err());
/// listener.note(&first);
/// assert_eq!(listener.read(&dictionary, &short), Ok(ToClient::Update(second)));
/// # Ok::<(), ugas_net::wire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Listener {
    /// The newest datagram.
    newest: PacketId,
    /// The newest datagram of the client's of which the server said that it came.
    acked: PacketId,
    /// Where courses were stated, by rising number.
    courses: VecDeque<Stated>,
    /// By place, below [`MOST_PLACES`].
    known: BTreeMap<u32, Known>,
    /// Places of those who are gone, with the datagram that said so and its tick, as they came.
    gone: VecDeque<(PacketId, u32, Tick)>,
}

/// A datagram that stated its course.
#[derive(Clone, Copy, Debug)]
struct Stated {
    packet: PacketId,
    tick: Tick,
    course: Course,
}

/// A controller.
#[derive(Clone, Debug)]
struct Known {
    controller: ControllerId,
    view: View,
    /// When it was heard of first, and last.
    first: Tick,
    newest: Tick,
    /// What was told of it before it was gone may come late, and must not be taken for what is known when it is back.
    is_gone: bool,
    values: BTreeMap<PieceKey, Past>,
}

/// What a piece was.
#[derive(Clone, Debug, Default)]
struct Past {
    /// What was before this is forgotten.
    from: Tick,
    /// By rising tick.
    values: SmallVec<[(Tick, Old); 2]>,
}

impl Listener {
    /// Nothing was heard.
    pub fn new() -> Self {
        Self::default()
    }

    /// A datagram as a message of the server. Nothing is remembered of it until it is [noted](Self::note).
    ///
    /// # Errors
    /// If it is none, or cannot be read without another; see [`WireErrorKind`](crate::bits::WireErrorKind).
    pub fn read(&self, dictionary: &Dictionary, datagram: &[u8]) -> Result<ToClient, WireError> {
        self.read_measured(dictionary, datagram).map(|(message, _)| message)
    }

    /// The same, with what its bits are for.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_measured(
        &self,
        dictionary: &Dictionary,
        datagram: &[u8],
    ) -> Result<(ToClient, Spent), WireError> {
        super::read_to_client(dictionary, self, datagram)
    }

    /// Remembers what is needed of an update that is acknowledged.
    pub fn note(&mut self, update: &Update) {
        if update.states_course {
            let stated = Stated { packet: update.packet, tick: update.tick, course: update.course };
            let at = self.courses.partition_point(|known| known.packet < update.packet);
            self.courses.insert(at, stated);
            if self.courses.len() > MOST_COURSES {
                self.courses.pop_front();
            }
        }
        if update.packet >= self.newest {
            self.newest = update.packet;
            self.acked = self.acked.max(update.word.map_or(PacketId(0), |word| word.ack.newest));
        }
        update.controllers.iter().for_each(|controller| self.note_controller(update, controller));
        self.forget_gone();
    }

    /// How many things it holds, for tests that nothing grows without bound.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        let values = |known: &Known| known.values.values().map(|past| past.values.len()).sum::<usize>();
        self.courses.len()
            + self.gone.len()
            + self.known.values().map(|known| 1 + values(known)).sum::<usize>()
    }

    /// The datagram near the newest whose number ends so.
    pub(super) fn packet_near(&self, low: u8) -> Option<PacketId> {
        let least = self.newest.0.saturating_sub(MOST_LATE);
        least.checked_add(u32::from(low.wrapping_sub(least as u8))).map(PacketId)
    }

    /// Whether newer datagrams came.
    pub(super) fn is_late(&self, packet: PacketId) -> bool {
        packet < self.newest
    }

    /// The datagram of the client's whose number ends so, and that is not before the newest that the server named.
    pub(super) fn acked_near(&self, low: u8) -> Option<PacketId> {
        let ahead = low.wrapping_sub(self.acked.0 as u8);
        self.acked.0.checked_add(u32::from(ahead)).map(PacketId)
    }

    /// The tick of a datagram that does not state its course, and the course.
    pub(super) fn course_of(&self, packet: PacketId) -> Option<(Tick, Course)> {
        let stated = self.courses.iter().rev().find(|stated| stated.packet <= packet)?;
        let ahead = (packet.0 - stated.packet.0).checked_mul(stated.course.step)?;
        Some((Tick(stated.tick.0.checked_add(ahead)?), stated.course))
    }

    /// Who is named by a place in an update of this tick.
    pub(super) fn at_place(&self, place: u32, tick: Tick) -> Option<(ControllerId, View)> {
        // Who stood there before is meant if it was heard of later.
        let known = self.known.get(&place).filter(|known| known.first <= tick && !known.is_gone)?;
        Some((known.controller, known.view))
    }

    /// What a piece was at a tick; `None` if that is forgotten.
    pub(super) fn old(&self, place: u32, key: PieceKey, at: Tick) -> Option<Old> {
        let Some(past) = self.known.get(&place)?.values.get(&key) else { return Some(Old::Nothing) };
        if at < past.from {
            return None;
        }
        let known = past.values.iter().rev().find(|(tick, _)| *tick <= at);
        Some(known.map_or(Old::Nothing, |(_, old)| *old))
    }

    /// Forgets those who are gone when nothing that was sent before can be acknowledged any more.
    fn forget_gone(&mut self) {
        let newest = self.newest.0;
        let is_over = |packet: PacketId| newest.saturating_sub(packet.0) >= 2 * ACK_WINDOW;
        while let Some((_, place, tick)) = self.gone.front().copied().filter(|(packet, ..)| is_over(*packet))
        {
            self.gone.pop_front();
            if self.known.get(&place).is_some_and(|known| known.is_gone && known.newest == tick) {
                self.known.remove(&place);
            }
        }
    }

    fn note_controller(&mut self, of: &Update, update: &ControllerUpdate) {
        let tick = of.tick;
        let ControllerUpdate { controller, change } = update;
        let place = controller.index();
        if place >= MOST_PLACES {
            return;
        }
        let known = self.known.get(&place);
        let is_of = |known: &Known| known.controller == *controller;
        let begin = |view, is_gone| Known {
            controller: *controller,
            view,
            first: tick,
            newest: tick,
            is_gone,
            values: BTreeMap::new(),
        };
        let ControllerChange::Pieces { epoch, own, sight, pieces } = change else {
            if known
                .is_none_or(|known| known.controller < *controller || is_of(known) && known.newest <= tick)
            {
                self.known.insert(place, begin(View::default(), true));
                self.gone.push_back((of.packet, place, tick));
            }
            return;
        };
        let view = View { epoch: *epoch, own: *own, sight: *sight };
        let is_same = known.is_some_and(|known| is_of(known) && known.view.epoch == *epoch && !known.is_gone);
        if !is_same {
            let is_old = known
                .is_some_and(|known| *controller < known.controller || is_of(known) && tick <= known.newest);
            if is_old {
                return;
            }
            self.known.insert(place, begin(view, false));
        }
        let Some(known) = self.known.get_mut(&place) else { return };
        if tick >= known.newest {
            known.newest = tick;
            known.view = view;
        }
        for (key, piece) in pieces {
            if matches!(key, PieceKey::Attribute(_) | PieceKey::Tag(_)) {
                known.values.entry(*key).or_default().add(tick, Old::of(piece.as_ref()));
            }
        }
    }
}

impl Past {
    /// Also what is told again is kept: what comes late may have been told in between.
    fn add(&mut self, tick: Tick, value: Old) {
        let at = self.values.partition_point(|(known, _)| *known < tick);
        match self.values.get_mut(at) {
            Some((known, old)) if *known == tick => *old = value,
            _ => self.values.insert(at, (tick, value)),
        }
        let newest = self.values.last().map_or(tick, |(newest, _)| *newest);
        // Of those that are too old to be asked for, the last is what was so until the next.
        while self.values.get(1).is_some_and(|(next, _)| newest.since(*next) >= HELD_VALUES as i64) {
            self.values.remove(0);
            self.from = self.values.first().map_or(self.from, |(tick, _)| *tick);
        }
    }
}
