//! What datagrams to a client leave out because it knows.

use ugas_core::time::Span;

use crate::message::{Course, PacketId, Word};
use crate::packets::SentPackets;
use crate::tick::{Tick, TickLength};
use crate::wire::MOST_OPEN;

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
    /// The newest of the client's datagrams that it surely heard was named.
    heard: PacketId,
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
        (self.course, !is_known || packet.0.saturating_sub(acked.0) > MOST_OPEN)
    }

    /// A word that named this datagram of the client's came before all that was sent after it, so that it counts.
    pub(super) fn on_heard(&mut self, named: PacketId) {
        self.heard = self.heard.max(named);
    }

    /// Whether eight bits do not say which datagram a word names, so that all has to be stated.
    pub(super) fn is_far(&self, word: Option<Word>) -> bool {
        word.is_some_and(|word| word.ack.newest.0.saturating_sub(self.heard.0) > u8::MAX.into())
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

#[cfg(test)]
mod tests {
    use ugas_core::time::Time;

    use super::*;
    use crate::message::Ack;

    /// A server that sends a datagram in each of these ticks: whether each states its course.
    fn stated(heading: &mut Heading, sent: &mut SentPackets<()>, ticks: &[u32], places: u32) -> Vec<bool> {
        let mut stated = Vec::new();
        for tick in ticks {
            stated.push(heading.course(sent, Tick(*tick), 1, places).1);
            sent.send(Time::ZERO, ());
        }
        stated
    }

    fn acknowledge(sent: &mut SentPackets<()>, newest: u32) {
        let ack = Ack { newest: PacketId(newest), earlier: 0 };
        sent.on_ack(Time::ZERO, ack, |_, _, ()| {}).unwrap();
    }

    #[test]
    fn a_course_is_stated_until_it_is_acknowledged() {
        let (mut heading, mut sent) = (Heading::default(), SentPackets::new(64));
        assert_eq!(stated(&mut heading, &mut sent, &[100, 101, 102], 20), [true; 3]); // packets 1 to 3
        acknowledge(&mut sent, 2);
        assert_eq!(stated(&mut heading, &mut sent, &[103, 104], 20), [false; 2]); // 4 and 5
        // A tick without a datagram: what comes is on another course, and 5 says nothing of it.
        assert_eq!(stated(&mut heading, &mut sent, &[106], 20), [true]);
        acknowledge(&mut sent, 5);
        assert_eq!(stated(&mut heading, &mut sent, &[107], 20), [true]);
        acknowledge(&mut sent, 6);
        assert_eq!(stated(&mut heading, &mut sent, &[108], 20), [false]);
        // There is room for 32 places, and then not.
        assert_eq!(stated(&mut heading, &mut sent, &[109], 32), [false]);
        assert_eq!(stated(&mut heading, &mut sent, &[110], 33), [true]);
        assert_eq!(heading.course, Course { step: 1, places: 48 });
    }

    #[test]
    fn who_does_not_answer_is_told_again() {
        let (mut heading, mut sent) = (Heading::default(), SentPackets::new(64));
        stated(&mut heading, &mut sent, &[100], 0);
        acknowledge(&mut sent, 1);
        let ticks: Vec<u32> = (101..140).collect();
        let stated = stated(&mut heading, &mut sent, &ticks, 0);
        // Packets 2 to 33 are at most 32 after the last that came.
        assert_eq!(stated.iter().position(|stated| *stated), Some(32));
    }

    /// Nothing of the client's comes for a while: the word after it must not be taken for one before it.
    #[test]
    fn a_word_that_is_far_from_the_last_that_was_heard_needs_its_number() {
        let mut heading = Heading::default();
        let word = |newest| Some(Word { ack: Ack { newest: PacketId(newest), earlier: 0 }, margin: 1 });
        heading.on_heard(PacketId(100));
        heading.on_heard(PacketId(90));
        assert_eq!([None, word(355), word(356)].map(|word| heading.is_far(word)), [false, false, true]);
    }

    #[test]
    fn words_are_seldom_unless_it_matters() {
        let mut heading = Heading::default();
        let word = |newest, margin| Word { ack: Ack { newest: PacketId(newest), earlier: 0 }, margin };
        let calm = Some(TickLength::hertz(50)); // 100 ms are five ticks
        assert_eq!(heading.word(Tick(9), calm, word(0, 0)), None); // nothing came
        assert!(heading.word(Tick(10), calm, word(1, 3)).is_some());
        assert_eq!(heading.word(Tick(11), calm, word(2, 2)), None);
        assert!(heading.word(Tick(12), calm, word(3, 1)).is_some()); // two less than was told
        assert_eq!(heading.word(Tick(13), calm, word(4, 1)), None);
        heading.is_awaited = true;
        assert!(heading.word(Tick(14), calm, word(5, 1)).is_some());
        assert_eq!(heading.word(Tick(18), calm, word(6, 1)), None);
        assert!(heading.word(Tick(19), calm, word(5, 1)).is_some()); // also if nothing is new
        assert!(heading.word(Tick(20), None, word(5, 1)).is_some()); // after a loss
    }
}
