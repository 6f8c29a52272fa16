//! [`Sockets`]: the sockets of a server, which share its address.
//!
//! With one socket, the polling thread reads and writes it itself. Each of several sockets has two threads, one that
//! receives and one that sends, so that the work of the system is done on other cores; handshakes, decryption and
//! the game stay on the polling thread. The system gives all datagrams of one client to the same socket
//! (`SO_REUSEPORT`), and they are sent to it over one, too, so that their order is kept.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::config::Buffers;
use crate::statistics::Statistics;
use crate::wire::{self, BatchReceiver};

/// Longest wait of a thread, after which it looks whether the server has stopped.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Bytes that are kept of a datagram: more than the longest packet, so that longer ones stay malformed.
const MAX_BYTES: usize = 2048;
/// Most packets that wait for one sending thread; further ones are lost.
const MAX_WAITING: usize = 1 << 14;

/// The sockets of a server.
#[derive(Debug)]
pub(crate) enum Sockets {
    /// One, used by the polling thread.
    One {
        /// The socket.
        socket: UdpSocket,
        /// Its receiver.
        receiver: BatchReceiver,
    },
    /// Several, with threads of their own.
    Several(SocketThreads),
}

impl Sockets {
    /// Binds `count` sockets to an address. `waiting` is the most datagrams that wait for the polling thread;
    /// further ones stay in the buffers of the system, of which each socket has its own. Returns the address
    /// with the port that the system chose, and the sizes of the buffers of one socket.
    pub(crate) fn bind(
        address: SocketAddr,
        count: u16,
        buffers: Buffers,
        waiting: usize,
    ) -> io::Result<(Self, SocketAddr, Buffers)> {
        if count <= 1 {
            let socket = wire::bind(address)?;
            let address = socket.local_addr()?;
            let receiver = BatchReceiver::new(&socket)?;
            let buffers = receiver.set_buffers(&socket, buffers)?;
            return Ok((Self::One { socket, receiver }, address, buffers));
        }
        if address.port() != 0 {
            // A shared address could belong to another server, which would get some of the datagrams.
            drop(wire::bind(address)?);
        }
        let first = wire::bind_shared(address)?;
        let address = first.local_addr()?;
        let mut sockets = vec![first];
        while sockets.len() < usize::from(count) {
            sockets.push(wire::bind_shared(address)?);
        }
        let mut receivers = Vec::new();
        let mut allowed = buffers;
        for socket in &sockets {
            let receiver = BatchReceiver::new(socket)?;
            allowed = receiver.set_buffers(socket, buffers)?;
            receivers.push(receiver);
        }
        let threads = SocketThreads::start(sockets.into_iter().zip(receivers), waiting)?;
        Ok((Self::Several(threads), address, allowed))
    }

    /// Passes at most `most` received datagrams to `handle` (coalesced ones may be more), and returns their
    /// number; `None` if there are none.
    pub(crate) fn receive(
        &mut self,
        most: usize,
        handle: impl FnMut(SocketAddr, &mut [u8]),
    ) -> io::Result<Option<u32>> {
        match self {
            Self::One { socket, receiver } => receiver.receive(socket, most, handle),
            Self::Several(threads) => threads.receive(most, handle),
        }
    }

    /// Sends a packet, and counts it; false if it is lost.
    pub(crate) fn send(&self, statistics: &mut Statistics, address: SocketAddr, packet: &[u8]) -> bool {
        match self {
            Self::One { socket, .. } => wire::send(socket, statistics, address, packet),
            Self::Several(threads) => threads.send(statistics, address, packet),
        }
    }

    /// Waits until something is received or the timeout passes; returns whether something was.
    pub(crate) fn wait(&self, timeout: Duration) -> io::Result<bool> {
        match self {
            Self::One { socket, .. } => wire::wait(socket, timeout),
            Self::Several(threads) => Ok(threads.wait(timeout)),
        }
    }
}

/// Sockets with threads of their own.
#[derive(Debug)]
pub(crate) struct SocketThreads {
    inbound: Arc<Inbound>,
    /// Packets that were taken from the receiving threads.
    taken: Packets,
    outbound: Vec<Arc<Outbound>>,
    threads: Vec<JoinHandle<()>>,
}

impl SocketThreads {
    fn start(sockets: impl Iterator<Item = (UdpSocket, BatchReceiver)>, waiting: usize) -> io::Result<Self> {
        let inbound = Arc::new(Inbound { waiting: waiting.max(1), ..Inbound::default() });
        // Dropped in case of an error, it stops the threads that were started.
        let mut this = Self { inbound, taken: Packets::default(), outbound: Vec::new(), threads: Vec::new() };
        for (number, (socket, receiver)) in sockets.enumerate() {
            let socket = Arc::new(socket);
            let outbound = Arc::new(Outbound::default());
            this.outbound.push(Arc::clone(&outbound));
            let (from, inbound) = (Arc::clone(&socket), Arc::clone(&this.inbound));
            let thread = |name: &str| thread::Builder::new().name(format!("udp-{name}-{number}"));
            this.threads.push(thread("receive").spawn(move || inbound.run(&from, receiver))?);
            this.threads.push(thread("send").spawn(move || outbound.run(&socket))?);
        }
        Ok(this)
    }

    fn receive(
        &mut self,
        most: usize,
        mut handle: impl FnMut(SocketAddr, &mut [u8]),
    ) -> io::Result<Option<u32>> {
        if self.taken.is_empty() {
            self.taken.clear();
            let mut queue = lock(&self.inbound.queue);
            if let Some(failure) = queue.failure.take() {
                return Err(failure);
            }
            core::mem::swap(&mut self.taken, &mut queue.packets);
            drop(queue);
            self.inbound.has_room.notify_all();
        }
        let mut count = 0;
        while count < most as u32
            && let Some((from, datagram)) = self.taken.next()
        {
            handle(from, datagram);
            count += 1;
        }
        Ok((count > 0).then_some(count))
    }

    fn send(&self, statistics: &mut Statistics, address: SocketAddr, packet: &[u8]) -> bool {
        let outbound = self.outbound.get(usize::from(address.port()) % self.outbound.len().max(1));
        let is_queued = outbound.is_some_and(|outbound| outbound.push(address, packet));
        let refused: u64 =
            self.outbound.iter().map(|outbound| outbound.unsent.swap(0, Ordering::Relaxed)).sum();
        statistics.unsent += refused + u64::from(!is_queued);
        statistics.bytes_sent += if is_queued { packet.len() as u64 } else { 0 };
        is_queued
    }

    fn wait(&self, timeout: Duration) -> bool {
        if !self.taken.is_empty() {
            return true;
        }
        let queue = lock(&self.inbound.queue);
        let is_idle = |queue: &mut InboundQueue| queue.packets.is_empty() && queue.failure.is_none();
        let waited = self.inbound.has_arrived.wait_timeout_while(queue, timeout, is_idle);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !queue.packets.is_empty() || queue.failure.is_some()
    }
}

impl Drop for SocketThreads {
    /// Sends what is queued, and ends the threads.
    fn drop(&mut self) {
        self.inbound.stops.store(true, Ordering::Release);
        self.inbound.has_room.notify_all();
        for outbound in &self.outbound {
            lock(&outbound.queue).stops = true;
            outbound.has_packets.notify_all();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Datagrams on their way from the receiving threads to the polling thread.
#[derive(Debug, Default)]
struct Inbound {
    queue: Mutex<InboundQueue>,
    has_arrived: Condvar,
    has_room: Condvar,
    stops: AtomicBool,
    /// Most datagrams in the queue.
    waiting: usize,
}

#[derive(Debug, Default)]
struct InboundQueue {
    packets: Packets,
    /// Failure of a socket, which ended its thread.
    failure: Option<io::Error>,
}

impl Inbound {
    /// Receives until the server stops or the socket fails.
    fn run(&self, socket: &UdpSocket, mut receiver: BatchReceiver) {
        let mut batch = Packets::default();
        while !self.stops.load(Ordering::Acquire) {
            if !self.wait_for_room() {
                continue;
            }
            let received = wire::wait(socket, LONGEST_WAIT).and_then(|_| {
                receiver.receive(socket, usize::MAX, |from, datagram| {
                    batch.push(from, &datagram[..datagram.len().min(MAX_BYTES)]);
                })
            });
            let mut queue = lock(&self.queue);
            queue.packets.append(&mut batch);
            let has_failed = received.is_err();
            queue.failure = received.err().or(queue.failure.take());
            let is_idle = queue.packets.is_empty() && !has_failed;
            drop(queue);
            if !is_idle {
                self.has_arrived.notify_all();
            }
            if has_failed {
                return;
            }
        }
    }

    /// Waits until the queue has room; false if it still has none after a while.
    fn wait_for_room(&self) -> bool {
        let queue = lock(&self.queue);
        let is_full = |queue: &mut InboundQueue| {
            queue.packets.waiting() >= self.waiting && !self.stops.load(Ordering::Acquire)
        };
        let waited = self.has_room.wait_timeout_while(queue, LONGEST_WAIT, is_full);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.packets.waiting() < self.waiting
    }
}

/// Packets on their way from the polling thread to a sending thread.
#[derive(Debug, Default)]
struct Outbound {
    queue: Mutex<OutboundQueue>,
    has_packets: Condvar,
    /// Packets that the system did not accept, since they were counted last.
    unsent: AtomicU64,
}

#[derive(Debug, Default)]
struct OutboundQueue {
    packets: Packets,
    stops: bool,
}

impl Outbound {
    /// Queues a packet; false if there is no room.
    fn push(&self, to: SocketAddr, packet: &[u8]) -> bool {
        let mut queue = lock(&self.queue);
        if queue.packets.waiting() >= MAX_WAITING {
            return false;
        }
        queue.packets.push(to, packet);
        let is_first = queue.packets.waiting() == 1;
        drop(queue);
        if is_first {
            self.has_packets.notify_one();
        }
        true
    }

    /// Sends until the server stops and nothing is queued.
    fn run(&self, socket: &UdpSocket) {
        let mut batch = Packets::default();
        let mut uncounted = Statistics::default();
        loop {
            let queue = lock(&self.queue);
            let is_idle = |queue: &mut OutboundQueue| queue.packets.is_empty() && !queue.stops;
            let waited = self.has_packets.wait_while(queue, is_idle);
            let mut queue = waited.unwrap_or_else(PoisonError::into_inner);
            if queue.packets.is_empty() {
                return;
            }
            batch.clear();
            core::mem::swap(&mut batch, &mut queue.packets);
            drop(queue);
            while let Some((to, packet)) = batch.next() {
                if !wire::send(socket, &mut uncounted, to, packet) {
                    self.unsent.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}

/// Packets with their addresses, taken in order; without allocation once they have grown.
#[derive(Debug, Default)]
struct Packets {
    entries: Vec<(SocketAddr, Range<usize>)>,
    bytes: Vec<u8>,
    /// Number of packets that were taken.
    taken: usize,
}

impl Packets {
    fn push(&mut self, address: SocketAddr, packet: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(packet);
        self.entries.push((address, start..self.bytes.len()));
    }

    /// Takes the oldest packet.
    fn next(&mut self) -> Option<(SocketAddr, &mut [u8])> {
        let (address, range) = self.entries.get(self.taken).cloned()?;
        self.taken += 1;
        Some((address, self.bytes.get_mut(range).unwrap_or_default()))
    }

    fn waiting(&self) -> usize {
        self.entries.len() - self.taken
    }

    fn is_empty(&self) -> bool {
        self.waiting() == 0
    }

    /// Removes everything, and keeps the memory.
    fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.taken = 0;
    }

    /// Moves all packets of `other`, of which none was taken, to the end of these.
    fn append(&mut self, other: &mut Self) {
        let start = self.bytes.len();
        self.bytes.append(&mut other.bytes);
        let moved = other.entries.drain(..);
        self.entries.extend(moved.map(|(address, range)| (address, range.start + start..range.end + start)));
    }
}

/// Locks a queue. A panic of another thread leaves queues whole, so it does not matter.
fn lock<T>(queue: &Mutex<T>) -> MutexGuard<'_, T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Received datagrams of `count` clients that each send `each` datagrams to `sockets` sockets, by client;
    /// and whether each got all of them back in order.
    fn exchange(sockets: u16, count: usize, each: u8) -> (usize, bool) {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let (mut server, address, _) = Sockets::bind(any, sockets, Buffers::default(), 64).unwrap();
        let clients: Vec<UdpSocket> = (0..count).map(|_| UdpSocket::bind(any).unwrap()).collect();
        for number in 0..each {
            for client in &clients {
                client.send_to(&[number], address).unwrap();
            }
        }
        let mut statistics = Statistics::default();
        let mut echoes = Packets::default();
        let mut received = 0;
        while received < count * usize::from(each) {
            assert!(server.wait(Duration::from_secs(10)).unwrap(), "{received} arrived");
            while server.receive(16, |from, datagram| echoes.push(from, datagram)).unwrap().is_some() {}
            received += echoes.waiting();
            while let Some((to, echo)) = echoes.next() {
                assert!(server.send(&mut statistics, to, echo));
            }
            echoes.clear();
        }
        // Dropped, it sends what is queued.
        drop(server);
        let is_in_order = clients.iter().all(|client| {
            client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            let mut echo = [0; 16];
            (0..each).all(|number| client.recv(&mut echo).is_ok_and(|length| echo[..length] == [number]))
        });
        assert_eq!(statistics.bytes_sent, received as u64);
        (received, is_in_order)
    }

    #[test]
    fn several_sockets_receive_and_send_everything_in_order() {
        for sockets in [1, 2, 4] {
            // More datagrams than may wait for the polling thread.
            assert_eq!(exchange(sockets, 20, 10), (200, true), "{sockets} sockets");
        }
    }

    #[test]
    fn shared_address_is_not_taken_from_another_server() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let (first, address, _) = Sockets::bind(any, 2, Buffers::default(), 64).unwrap();
        let second = Sockets::bind(address, 2, Buffers::default(), 64);
        assert_eq!(second.err().map(|error| error.kind()), Some(io::ErrorKind::AddrInUse));
        drop(first);
    }

    #[test]
    fn long_datagrams_are_kept_in_part() {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let (mut server, address, _) = Sockets::bind(any, 2, Buffers::default(), 64).unwrap();
        let client = UdpSocket::bind(any).unwrap();
        client.send_to(&[7; 60_000], address).unwrap();
        assert!(server.wait(Duration::from_secs(10)).unwrap());
        let mut lengths = Vec::new();
        server.receive(16, |_, datagram| lengths.push(datagram.len())).unwrap();
        assert_eq!(lengths, [MAX_BYTES]);
    }
}
