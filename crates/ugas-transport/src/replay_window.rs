//! [`ReplayWindow`]: each sequence number of a peer is accepted once.

/// Number of sequence numbers behind the newest that may still arrive, as in netcode 1.02.
const WINDOW: u64 = 256;

/// The received ones among the last 256 sequence numbers; older ones count as received.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplayWindow {
    newest: u64,
    /// One bit for each sequence number, at its remainder by 256.
    received: [u64; (WINDOW / 64) as usize],
}

impl ReplayWindow {
    /// Whether a sequence number has not been received yet.
    pub(crate) fn is_new(&self, sequence: u64) -> bool {
        let is_recent = sequence.saturating_add(WINDOW) > self.newest;
        sequence > self.newest || is_recent && self.received[word(sequence)] & bit(sequence) == 0
    }

    /// Marks a sequence number as received. Only for packets whose signature was verified.
    pub(crate) fn receive(&mut self, sequence: u64) {
        if sequence > self.newest {
            if sequence - self.newest >= WINDOW {
                self.received = Default::default();
            } else {
                for skipped in self.newest + 1..sequence {
                    self.received[word(skipped)] &= !bit(skipped);
                }
            }
            self.newest = sequence;
        }
        self.received[word(sequence)] |= bit(sequence);
    }
}

fn word(sequence: u64) -> usize {
    (sequence % WINDOW / 64) as usize
}

fn bit(sequence: u64) -> u64 {
    1 << (sequence % 64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sequence_numbers_are_accepted_once(steps in prop::collection::vec(0u64..700, 1..200), jump in 0u64..2000) {
            let mut window = ReplayWindow::default();
            let mut received = BTreeSet::new();
            for (at, step) in steps.into_iter().enumerate() {
                let sequence = step + if at > 100 { jump } else { 0 };
                let newest = received.last().copied().unwrap_or(0);
                let expected = !received.contains(&sequence) && sequence + WINDOW > newest;
                prop_assert_eq!(window.is_new(sequence), expected, "{} after {}", sequence, newest);
                if expected {
                    window.receive(sequence);
                    received.insert(sequence);
                }
            }
        }
    }
}
