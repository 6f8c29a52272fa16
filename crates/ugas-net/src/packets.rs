//! Packet acknowledgements, for sender and receiver.
//!
//! A datagram is never sent again; its content is, if it is still valid. So the sender remembers the content
//! of each datagram until it is acknowledged or lost, in a ring of fixed size: withheld acknowledgements make
//! the sender send more, never remember more.

use std::collections::VecDeque;

use ugas_core::time::{Span, Time};

use crate::message::{Ack, PacketId};

/// Number of datagrams that one [`Ack`] covers: the newest and 32 before it.
pub const ACK_WINDOW: u32 = 33;
/// Number of later datagrams that must have arrived before one counts as lost. Three, as in QUIC (RFC 9002,
/// 6.1.1): fewer would take every reordering for a loss.
pub const OVERTAKEN_BY: u32 = 3;

/// Classification of a received datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// Newer than all before it.
    Newest,
    /// Overtaken by newer ones, and received for the first time.
    Late,
    /// Received before.
    Duplicate,
    /// Too old to know whether it was received: treat it as a duplicate, or a replay would pass.
    TooOld,
}

impl Arrival {
    /// Whether the datagram arrived for the first time, so that its content may be used.
    pub const fn is_new(self) -> bool {
        matches!(self, Self::Newest | Self::Late)
    }
}

/// Receiver's side: the datagrams that arrived lately.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReceivedPackets {
    ack: Ack,
}

impl ReceivedPackets {
    /// Creates a record without datagrams.
    pub const fn new() -> Self {
        Self { ack: Ack { newest: PacketId(0), earlier: 0 } }
    }

    /// Notes a datagram. Number 0, which is never sent, is too old.
    ///
    /// Call it only for datagrams that decode: the content of a damaged one that is acknowledged would never
    /// be sent again.
    pub fn receive(&mut self, packet: PacketId) -> Arrival {
        let newest = self.ack.newest.0;
        if packet.0 > newest {
            let step = packet.0 - newest;
            // The former newest becomes bit `step - 1`; before the first there was none.
            let former = if newest == 0 { 0 } else { 1u64 << (step - 1).min(63) };
            let moved = if step < 64 { u64::from(self.ack.earlier) << step } else { 0 };
            self.ack = Ack { newest: packet, earlier: (moved | former) as u32 };
            return Arrival::Newest;
        }
        if packet.0 == newest && newest != 0 {
            return Arrival::Duplicate;
        }
        let behind = newest - packet.0;
        if packet.0 == 0 || behind >= ACK_WINDOW {
            return Arrival::TooOld;
        }
        let bit = 1 << (behind - 1);
        if self.ack.earlier & bit != 0 {
            return Arrival::Duplicate;
        }
        self.ack.earlier |= bit;
        Arrival::Late
    }

    /// Acknowledgement for the sender: the newest datagram and which of the 32 before it arrived.
    pub const fn ack(&self) -> Ack {
        self.ack
    }
}

/// Fate of a sent datagram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It arrived.
    Arrived,
    /// It did not, or its fate will stay unknown: its content is to be sent again.
    Lost,
}

/// An acknowledgement of a packet that was never sent. No honest peer sends one: it is damage or cheating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "packet {named} was acknowledged but never sent, the last one was {last_sent}: ignore the acknowledgement"
)]
pub struct NeverSent {
    /// The acknowledged packet.
    pub named: u32,
    /// The last sent packet.
    pub last_sent: u32,
}

/// Sender's side: the content of each datagram, until its fate is known.
#[derive(Clone, Debug)]
pub struct SentPackets<T> {
    /// From the oldest whose fate is open to the last sent; `None` where the fate is known.
    open: VecDeque<Option<SentPacket<T>>>,
    last: PacketId,
    capacity: u32,
    newest_acked: PacketId,
}

#[derive(Clone, Debug)]
struct SentPacket<T> {
    at: Time,
    held: T,
}

impl<T> SentPackets<T> {
    /// Creates a record of at most `capacity` datagrams, at least [`ACK_WINDOW`].
    pub fn new(capacity: u32) -> Self {
        let capacity = capacity.max(ACK_WINDOW);
        Self {
            open: VecDeque::with_capacity(capacity as usize),
            last: PacketId(0),
            capacity,
            newest_acked: PacketId(0),
        }
    }

    /// Number of the next datagram, to be encoded before [`SentPackets::send`].
    pub const fn next_id(&self) -> PacketId {
        PacketId(self.last.0.saturating_add(1))
    }

    /// Records the content of a datagram, and numbers it. If there is no room, the oldest is dropped and
    /// returned: it counts as lost, though it may have arrived.
    pub fn send(&mut self, now: Time, held: T) -> (PacketId, Option<(PacketId, T)>) {
        let mut forgotten = None;
        if self.open.len() >= self.capacity as usize {
            let oldest = self.first();
            let sent = self.open.pop_front().flatten();
            forgotten = sent.map(|sent| (oldest, sent.held));
        }
        self.last = self.next_id();
        self.open.push_back(Some(SentPacket { at: now, held }));
        (self.last, forgotten)
    }

    /// Handles an acknowledgement, and calls `settle` for every datagram whose fate it settles, oldest first,
    /// each once.
    ///
    /// Returns the round trip of the newest datagram if this is its first acknowledgement; it includes the
    /// time that the other side took to answer.
    ///
    /// # Errors
    ///
    /// [`NeverSent`], and then nothing else was done.
    pub fn on_ack(
        &mut self,
        now: Time,
        ack: Ack,
        mut settle: impl FnMut(PacketId, Fate, T),
    ) -> Result<Option<Span>, NeverSent> {
        self.check(ack)?;
        let mut round_trip = None;
        if ack.newest.0 != 0 {
            self.newest_acked = self.newest_acked.max(ack.newest);
            let first = self.first().0;
            for (offset, slot) in (0u32..).zip(self.open.iter_mut()) {
                let id = first + offset;
                if id > self.newest_acked.0 {
                    break;
                }
                let arrived = names(ack, id);
                let overtaken = self.newest_acked.0 - id >= OVERTAKEN_BY;
                if !arrived && !overtaken {
                    continue;
                }
                if let Some(sent) = slot.take() {
                    if id == ack.newest.0 {
                        round_trip = Some(now.since(sent.at));
                    }
                    settle(PacketId(id), if arrived { Fate::Arrived } else { Fate::Lost }, sent.held);
                }
            }
            while matches!(self.open.front(), Some(None)) {
                self.open.pop_front();
            }
        }
        Ok(round_trip)
    }

    /// The last datagram that was sent; 0 if none was.
    pub const fn last_sent(&self) -> PacketId {
        self.last
    }

    /// The newest datagram known to have arrived; 0 if none is.
    pub const fn newest_acked(&self) -> PacketId {
        self.newest_acked
    }

    /// Content of the datagrams whose fate is open, oldest first.
    pub fn open(&self) -> impl Iterator<Item = (PacketId, &T)> {
        let first = self.first().0;
        (first..).zip(&self.open).filter_map(|(id, slot)| Some((PacketId(id), &slot.as_ref()?.held)))
    }

    /// The number of the oldest in the ring.
    fn first(&self) -> PacketId {
        // The ring never holds more than were sent, so this does not go below 1 unless it is empty.
        PacketId(self.last.0.saturating_add(1).saturating_sub(self.open.len() as u32))
    }

    /// Checks that an acknowledgement names only datagrams that were sent.
    fn check(&self, ack: Ack) -> Result<(), NeverSent> {
        let last_sent = self.last.0;
        if ack.newest.0 > last_sent {
            return Err(NeverSent { named: ack.newest.0, last_sent });
        }
        // Of the 32 before the newest, those numbered 0 and below do not exist.
        let existing = ack.newest.0.saturating_sub(1);
        if existing < 32 && ack.earlier >> existing != 0 {
            return Err(NeverSent { named: 0, last_sent });
        }
        Ok(())
    }
}

/// Whether an acknowledgement covers this datagram as arrived.
fn names(ack: Ack, id: u32) -> bool {
    match ack.newest.0.checked_sub(id) {
        Some(0) => true,
        Some(behind) if behind < ACK_WINDOW => ack.earlier >> (behind - 1) & 1 == 1,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn millis(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    fn ack(newest: u32, earlier: u32) -> Ack {
        Ack { newest: PacketId(newest), earlier }
    }

    #[test]
    fn arrivals_are_classified() {
        let mut received = ReceivedPackets::new();
        assert_eq!(received.ack(), ack(0, 0));
        assert_eq!(received.receive(PacketId(0)), Arrival::TooOld);
        assert_eq!(received.receive(PacketId(1)), Arrival::Newest);
        assert_eq!(received.receive(PacketId(4)), Arrival::Newest);
        assert_eq!(received.ack(), ack(4, 0b100)); // 3 and 2 are missing, 1 is there
        assert_eq!(received.receive(PacketId(3)), Arrival::Late);
        assert_eq!(received.receive(PacketId(3)), Arrival::Duplicate);
        assert_eq!(received.receive(PacketId(4)), Arrival::Duplicate);
        assert_eq!(received.ack(), ack(4, 0b101));
    }

    #[test]
    fn datagrams_before_the_window_are_too_old() {
        let mut received = ReceivedPackets::new();
        received.receive(PacketId(1));
        received.receive(PacketId(33));
        assert_eq!(received.ack(), ack(33, 1 << 31)); // 33 - 1 = 32 behind: the last bit
        received.receive(PacketId(34));
        assert_eq!(received.ack(), ack(34, 1));
        assert_eq!(received.receive(PacketId(1)), Arrival::TooOld); // 33 behind
        assert_eq!(received.receive(PacketId(2)), Arrival::Late); // 32 behind
        received.receive(PacketId(u32::MAX));
        assert_eq!(received.ack(), ack(u32::MAX, 0));
    }

    /// Fates that an acknowledgement settles.
    fn settled(sent: &mut SentPackets<char>, ack: Ack) -> String {
        let mut settled_fates = String::new();
        sent.on_ack(millis(0), ack, |_, fate, held| {
            settled_fates.extend([if fate == Fate::Arrived { '+' } else { '-' }, held]);
        })
        .unwrap();
        settled_fates
    }

    #[test]
    fn fates_are_reported_once() {
        let mut sent = SentPackets::new(40);
        for held in 'a'..='h' {
            sent.send(millis(0), held);
        }
        assert_eq!(settled(&mut sent, ack(0, 0)), "");
        assert_eq!(settled(&mut sent, ack(2, 0)), "+b"); // a: overtaken by one only
        assert_eq!(settled(&mut sent, ack(5, 0b110)), "-a+c+e"); // 3 and 2; d is overtaken by one
        assert_eq!(settled(&mut sent, ack(5, 0b1111)), "+d"); // and a came after all: too late
        assert_eq!(settled(&mut sent, ack(4, 0b111)), ""); // an old one, overtaken
        assert_eq!(
            sent.open().map(|(id, held)| (id.0, *held)).collect::<Vec<_>>(),
            [(6, 'f'), (7, 'g'), (8, 'h')]
        );
    }

    #[test]
    fn the_first_acknowledgement_of_the_newest_measures_the_round_trip() {
        let mut sent = SentPackets::new(40);
        sent.send(millis(10), ());
        sent.send(millis(30), ());
        assert_eq!(sent.on_ack(millis(100), ack(1, 0), |_, _, ()| {}), Ok(Some(Span::millis(90))));
        assert_eq!(sent.on_ack(millis(110), ack(1, 0), |_, _, ()| {}), Ok(None));
        assert_eq!(sent.on_ack(millis(120), ack(2, 1), |_, _, ()| {}), Ok(Some(Span::millis(90))));
    }

    #[test]
    fn acknowledging_what_was_never_sent_is_reported_and_changes_nothing() {
        let mut sent = SentPackets::new(40);
        sent.send(millis(0), 'a');
        sent.send(millis(0), 'b');
        let mut forged = |ack| sent.on_ack(millis(0), ack, |_, _, _| panic!("nothing may be settled"));
        assert_eq!(forged(ack(3, 0)), Err(NeverSent { named: 3, last_sent: 2 }));
        assert_eq!(forged(ack(2, 0b10)), Err(NeverSent { named: 0, last_sent: 2 })); // packet 0
        assert_eq!(forged(ack(1, 1)), Err(NeverSent { named: 0, last_sent: 2 }));
        assert_eq!(forged(ack(0, 1)), Err(NeverSent { named: 0, last_sent: 2 }));
        assert_eq!(settled(&mut sent, ack(2, 1)), "+a+b");
    }

    #[test]
    fn withheld_acknowledgements_cost_no_memory() {
        let mut sent = SentPackets::new(0); // at least 33
        for number in 1..=33u32 {
            assert_eq!(sent.send(millis(0), number), (PacketId(number), None));
        }
        assert_eq!(sent.send(millis(0), 34), (PacketId(34), Some((PacketId(1), 1))));
        assert_eq!(sent.open().count(), 33);
        assert_eq!(sent.on_ack(millis(0), ack(1, 0), |_, _, _| panic!("it was forgotten")), Ok(None));
    }

    proptest! {
        /// Whatever arrives, in whatever order: a datagram is reported as arrived only if it did, and its
        /// fate once.
        #[test]
        fn both_ends_agree(steps in proptest::collection::vec((0u32..6, any::<bool>()), 1..200)) {
            let mut sent = SentPackets::new(64);
            let mut received = ReceivedPackets::new();
            let mut arrived = BTreeMap::new();
            let mut fates = BTreeMap::new();
            for (back, reply) in steps {
                let (id, forgotten) = sent.send(millis(0), sent.next_id().0);
                if let Some((id, _)) = forgotten {
                    prop_assert_eq!(fates.insert(id.0, Fate::Lost), None);
                }
                // Some datagram of the last few arrives, perhaps again.
                let Some(comes) = id.0.checked_sub(back).filter(|&comes| comes > 0) else { continue };
                let is_new = received.receive(PacketId(comes)).is_new();
                prop_assert_eq!(arrived.insert(comes, ()).is_none(), is_new);
                if reply {
                    let mut settled_fates = Vec::new();
                    sent.on_ack(millis(0), received.ack(), |id, fate, held| settled_fates.push((id.0, fate, held))).unwrap();
                    for (id, fate, held) in settled_fates {
                        prop_assert_eq!(id, held);
                        prop_assert!(fate == Fate::Lost || arrived.contains_key(&id));
                        prop_assert_eq!(fates.insert(id, fate), None);
                    }
                }
            }
            prop_assert!(sent.open().count() <= 64);
        }
    }
}
