//! [`Inbox`]: a bounded queue of events with bytes, without allocation once it has grown.

use std::ops::Range;

/// Entries in the order of their arrival, with their bytes in one buffer.
#[derive(Debug)]
pub(crate) struct Inbox<T> {
    limit: usize,
    entries: Vec<(T, Range<usize>)>,
    bytes: Vec<u8>,
    /// Number of taken entries.
    taken: usize,
}

impl<T: Copy> Inbox<T> {
    /// Empty queue that is full at `limit` entries, at least 1.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), entries: Vec::new(), bytes: Vec::new(), taken: 0 }
    }

    /// Whether the limit of datagrams is reached. Events of connections are queued anyway: there are at most
    /// as many as peers.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting() >= self.limit
    }

    /// Number of datagrams that may be added before the limit is reached.
    pub(crate) fn room(&self) -> usize {
        self.limit.saturating_sub(self.waiting())
    }

    /// Number of entries that were not taken yet.
    pub(crate) fn waiting(&self) -> usize {
        self.entries.len() - self.taken
    }

    /// Adds an entry with its bytes, even if the queue is full: callers check [`Self::is_full`] where the
    /// peer may be hostile.
    pub(crate) fn push(&mut self, what: T, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.entries.push((what, start..self.bytes.len()));
    }

    /// Takes the oldest entry.
    pub(crate) fn next(&mut self) -> Option<(T, &[u8])> {
        let Some((what, range)) = self.entries.get(self.taken).cloned() else {
            self.compact();
            return None;
        };
        self.taken += 1;
        Some((what, self.bytes.get(range).unwrap_or_default()))
    }

    /// Frees the space of taken entries, even if the queue is never empty.
    pub(crate) fn compact(&mut self) {
        if self.taken == 0 {
            return;
        }
        self.entries.drain(..self.taken);
        self.taken = 0;
        let start = self.entries.first().map_or(self.bytes.len(), |(_, range)| range.start);
        self.bytes.drain(..start);
        for (_, range) in &mut self.entries {
            *range = range.start - start..range.end - start;
        }
    }

    /// Removes queued entries. Their bytes are freed with the next compaction.
    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(T) -> bool) {
        self.compact();
        self.entries.retain(|(what, _)| keeps(*what));
        if self.entries.is_empty() {
            self.bytes.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_taken_in_order_within_a_limit() {
        let mut inbox = Inbox::new(2);
        inbox.push('a', b"one");
        assert!(!inbox.is_full());
        inbox.push('b', b"");
        assert!(inbox.is_full());
        assert_eq!(inbox.next(), Some(('a', &b"one"[..])));
        assert!(!inbox.is_full());
        inbox.compact();
        inbox.push('c', b"three");
        assert_eq!(inbox.next(), Some(('b', &b""[..])));
        assert_eq!(inbox.next(), Some(('c', &b"three"[..])));
        assert_eq!(inbox.next(), None);
        assert_eq!((inbox.entries.len(), inbox.bytes.len()), (0, 0));
    }

    #[test]
    fn retain_keeps_the_bytes_of_remaining_entries() {
        let mut inbox = Inbox::new(9);
        for (name, bytes) in [('a', "1"), ('b', "22"), ('a', "333"), ('c', "4444")] {
            inbox.push(name, bytes.as_bytes());
        }
        inbox.retain(|name| name != 'a');
        assert_eq!(inbox.next(), Some(('b', &b"22"[..])));
        inbox.compact();
        assert_eq!(inbox.next(), Some(('c', &b"4444"[..])));
        assert_eq!(inbox.next(), None);
    }

    #[test]
    fn memory_is_bounded_if_the_queue_is_never_empty() {
        let mut inbox = Inbox::new(4);
        inbox.push(0, b"0000");
        for round in 1..1000 {
            inbox.push(round, b"1111");
            inbox.next();
            inbox.compact();
            assert!(inbox.bytes.len() <= 8 && inbox.waiting() == 1);
        }
    }
}
