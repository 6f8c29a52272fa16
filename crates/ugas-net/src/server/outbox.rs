//! Datagrams that wait to be sent.

use std::collections::VecDeque;

use super::{PeerId, Transmit};
use crate::fault_points::{FaultPoint, fails};
use crate::limits::MAX_DATAGRAM;

/// Most sent datagrams whose memory is kept.
const MAX_SPARE: usize = 4_096;

/// Queue of datagrams, which reuses the memory of sent ones.
#[derive(Default)]
pub(super) struct Outbox {
    waiting: VecDeque<Transmit>,
    /// Memory of sent datagrams, with room for the longest.
    spare: Vec<Vec<u8>>,
}

impl Outbox {
    /// Queues a datagram that `write` appends to its empty memory, and returns its length.
    pub(super) fn push(&mut self, peer: PeerId, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let mut bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(MAX_DATAGRAM));
        write(&mut bytes);
        let length = bytes.len();
        match fails(FaultPoint::ServerSend) {
            true => self.keep(bytes),
            false => self.waiting.push_back(Transmit { peer, bytes }),
        }
        length
    }

    /// Takes the oldest datagram, in memory of its own.
    pub(super) fn pop(&mut self) -> Option<Transmit> {
        let Transmit { peer, bytes } = self.waiting.pop_front()?;
        let taken = Transmit { peer, bytes: bytes.as_slice().into() };
        self.keep(bytes);
        Some(taken)
    }

    /// Calls `send` with all datagrams, oldest first, and removes them.
    pub(super) fn visit(&mut self, mut send: impl FnMut(PeerId, &[u8])) {
        while let Some(Transmit { peer, bytes }) = self.waiting.pop_front() {
            send(peer, &bytes);
            self.keep(bytes);
        }
    }

    /// Number of datagrams that wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Keeps the memory of a datagram for a later one.
    fn keep(&mut self, mut bytes: Vec<u8>) {
        if self.spare.len() < MAX_SPARE {
            bytes.clear();
            self.spare.push(bytes);
        }
    }
}
