//! What datagrams to a client leave out because it knows.

use ugas_core::time::Span;

use crate::message::{Course, PacketId, Word};
use crate::packets::SentPackets;
use crate::tick::{Tick, TickLength};

/// After so many datagrams without an acknowledgement each states its course: their numbers end in eight bits, and the
/// client must not take one for another.
const MOST_OPEN: u32 = 32;
/// How many places courses have room for beyond those that are taken, so that not everybody who comes changes it.
const PLACES: u32 = 16;
/// How often a client hears how its datagrams came, if nothing of it is urgent and nothing got lost lately; also if none
/// came, for then it knows which of its commands will not run.
const WORD_INTERVAL: Span = Span::millis(100);
/// From this difference on, in ticks, how early they come is urgent.
const URGENT_MARGIN: i16 = 2;

/// On what course datagrams are, and what the client was told of its own.
#[derive(Debug, Default)]
pub(super) struct Heading {
    course: Course,
    /// The first datagram of the course, and its tick.
    from: Option<(PacketId, Tick)>,
    /// The last word, and when it was sent.
    told: Option<(Tick, Word)>,
    /// The client said something that it repeats until it hears that it came.
    pub(super) is_awaited: bool,
}

impl Heading {
    /// The course of the next datagram, and whether it has to state it. Datagrams come every `step` ticks, and all who are
    /// named by their places are below `places`.
    pub(super) fn course<T>(
        &mut self,
        sent: &SentPackets<T>,
        tick: Tick,
        step: u32,
        places: u32,
    ) -> (Course, bool) {
        let packet = sent.next_id();
        let is_on_course = self.from.is_some_and(|(first, from)| {
            let ahead = u64::from(packet.0 - first.0) * u64::from(self.course.step);
            u64::from(from.0) + ahead == u64::from(tick.0)
        });
        let is_roomy = (places..=2 * places + 2 * PLACES).contains(&self.course.places);
        if !is_on_course || !is_roomy {
            self.course = Course { step: step.max(1), places: places.next_multiple_of(PLACES) };
            self.from = Some((packet, tick));
        }
        let acked = sent.newest_acked();
        let is_known = self.from.is_some_and(|(first, _)| acked >= first);
        (self.course, !is_known || packet.0 - acked.0 > MOST_OPEN)
    }

    /// What the client is told of its datagrams now, if anything. It is told in every tick unless nothing gets lost.
    pub(super) fn word(&mut self, tick: Tick, calm: Option<TickLength>, word: Word) -> Option<Word> {
        let Word { ack, margin } = word;
        let interval = calm.map_or(1, |length| length.ticks_in(WORD_INTERVAL));
        let is_due = self.told.is_none_or(|(at, told)| {
            let is_old = tick.since(at) >= i64::from(interval);
            let is_urgent = margin.abs_diff(told.margin) >= URGENT_MARGIN.unsigned_abs() || margin < 1;
            is_old || told != word && (is_urgent || self.is_awaited)
        });
        if !is_due || ack.newest == PacketId(0) {
            return None;
        }
        self.told = Some((tick, word));
        self.is_awaited = false;
        Some(word)
    }
}
