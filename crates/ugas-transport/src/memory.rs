//! A transport without a network: server and clients in one process, in any threads. For tests, examples and
//! single-player games. Datagrams are only lost if queues are full, and no tokens are needed.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::MAX_DATAGRAM_BYTES;
use crate::event::{ClientState, Departure, Ending, QueuedEvent, SendError, ServerEvent};
use crate::inbox::Inbox;
use crate::refusal::Refusal;
use crate::transport::{ClientTransport, ServerTransport};

/// Maximum number of queued datagrams per direction; more are lost.
const MAX_WAITING: usize = 4096;

/// The server's transport.
#[derive(Debug)]
pub struct MemoryServer {
    hub: Arc<Hub>,
    max_clients: usize,
    links: BTreeMap<u64, Arc<Link>>,
    inbox: Inbox<QueuedEvent>,
}

/// A handle with which clients connect to a [`MemoryServer`]; clones refer to the same server.
#[derive(Clone, Debug)]
pub struct MemoryPort(Arc<Hub>);

/// A client's transport.
#[derive(Debug)]
pub struct MemoryClient {
    hub: Arc<Hub>,
    link: Arc<Link>,
    inbox: Inbox<()>,
}

impl MemoryServer {
    /// A server for at most `max_clients` peers.
    #[must_use]
    pub fn new(max_clients: u16) -> Self {
        Self {
            hub: Arc::default(),
            max_clients: usize::from(max_clients),
            links: BTreeMap::new(),
            inbox: Inbox::new(MAX_WAITING),
        }
    }

    /// A handle for clients to connect, also from other threads. Any number of clients may share it.
    #[must_use]
    pub fn port(&self) -> MemoryPort {
        MemoryPort(self.hub.clone())
    }

    /// Connection of a new client: accepted, or refused if the server is full. An older connection of the
    /// same peer is closed first ([`Departure::Replaced`]). A client that has already left is ignored.
    fn admit(&mut self, link: Arc<Link>) {
        let peer = link.peer;
        if let Some(old) = self.links.remove(&peer) {
            old.end(ClientState::Disconnected(Ending::ClosedByServer));
            self.inbox.push(QueuedEvent::Disconnected(peer, Departure::Replaced), &[]);
        }
        if self.links.len() >= self.max_clients {
            link.end(ClientState::Refused(Refusal::Full));
            return;
        }
        let mut link_state = link.lock();
        if link_state.state == ClientState::Connecting {
            link_state.state = ClientState::Connected;
            drop(link_state);
            self.inbox.push(QueuedEvent::Connected(peer), &link.user_data);
            self.links.insert(peer, link);
        }
    }
}

impl ServerTransport for MemoryServer {
    /// Admits new clients, and queues datagrams up to the limit; the rest waits in the links.
    fn poll(&mut self, _now: Instant) -> io::Result<()> {
        self.inbox.compact();
        let arrivals = {
            let mut hub_state = self.hub.lock();
            hub_state.has_activity = false;
            std::mem::take(&mut hub_state.arrivals)
        };
        for link in arrivals {
            self.admit(link);
        }
        let inbox = &mut self.inbox;
        self.links.retain(|peer, link| {
            let mut link_state = link.lock();
            while !inbox.is_full()
                && let Some(bytes) = link_state.to_server.pop_front()
            {
                inbox.push(QueuedEvent::Datagram(*peer), &bytes);
            }
            // Datagrams that were sent before the disconnect are delivered before it.
            let stays = link_state.state == ClientState::Connected || !link_state.to_server.is_empty();
            if !stays {
                inbox.push(QueuedEvent::Disconnected(*peer, Departure::Left), &[]);
            }
            stays
        });
        Ok(())
    }

    fn next_event(&mut self) -> Option<ServerEvent<'_>> {
        let (queued, bytes) = self.inbox.next()?;
        Some(queued.event(bytes))
    }

    fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError> {
        let link = self.links.get(&peer).ok_or(SendError::NotConnected)?;
        let mut link_state = link.lock();
        check(link_state.state, bytes)?;
        push(&mut link_state.to_client, bytes);
        link.activity.notify_all();
        Ok(())
    }

    /// Ends the link of a peer and drops its queued events, so that no event of it follows.
    fn disconnect(&mut self, peer: u64) {
        if let Some(link) = self.links.remove(&peer) {
            link.end(ClientState::Disconnected(Ending::ClosedByServer));
        }
        self.inbox.retain(|queued| queued.peer() != peer);
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        if self.inbox.waiting() > 0 {
            return Ok(true);
        }
        let hub_state = self.hub.lock();
        let waited =
            self.hub.activity.wait_timeout_while(hub_state, timeout, |hub_state| !hub_state.has_activity);
        Ok(waited.unwrap_or_else(PoisonError::into_inner).0.has_activity)
    }
}

impl Drop for MemoryServer {
    fn drop(&mut self) {
        let mut hub_state = self.hub.lock();
        hub_state.is_closed = true;
        for link in self.links.values().chain(&hub_state.arrivals) {
            link.end(ClientState::Disconnected(Ending::ClosedByServer));
        }
    }
}

impl MemoryPort {
    /// Begins to connect; the server accepts the client in its next poll.
    #[must_use]
    pub fn connect(&self, peer: u64, user_data: &[u8]) -> MemoryClient {
        let link = Arc::new(Link {
            peer,
            user_data: user_data.into(),
            state: Mutex::new(LinkState {
                to_server: VecDeque::new(),
                to_client: VecDeque::new(),
                state: ClientState::Connecting,
            }),
            activity: Condvar::new(),
        });
        let mut hub_state = self.0.lock();
        if hub_state.is_closed {
            link.end(ClientState::Disconnected(Ending::NoAnswer));
        } else {
            hub_state.arrivals.push(link.clone());
        }
        drop(hub_state);
        self.0.signal();
        MemoryClient { hub: self.0.clone(), link, inbox: Inbox::new(MAX_WAITING) }
    }
}

impl ClientTransport for MemoryClient {
    fn poll(&mut self, _now: Instant) -> io::Result<()> {
        self.inbox.compact();
        let mut link_state = self.link.lock();
        while !self.inbox.is_full()
            && let Some(bytes) = link_state.to_client.pop_front()
        {
            self.inbox.push((), &bytes);
        }
        Ok(())
    }

    fn next_datagram(&mut self) -> Option<&[u8]> {
        self.inbox.next().map(|((), bytes)| bytes)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        let mut link_state = self.link.lock();
        check(link_state.state, bytes)?;
        push(&mut link_state.to_server, bytes);
        drop(link_state);
        self.hub.signal();
        Ok(())
    }

    fn state(&self) -> ClientState {
        self.link.lock().state
    }

    fn disconnect(&mut self) {
        self.link.end(ClientState::Disconnected(Ending::Closed));
        self.hub.signal();
    }

    /// Connects again as the same peer, which replaces this connection.
    fn reconnect(&mut self, _secret: Option<[u8; 32]>) -> io::Result<()> {
        let next = MemoryPort(self.hub.clone()).connect(self.link.peer, &self.link.user_data);
        *self = next;
        Ok(())
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        if self.inbox.waiting() > 0 {
            return Ok(true);
        }
        let link_state = self.link.lock();
        let before = link_state.state;
        let is_still =
            |link_state: &mut LinkState| link_state.to_client.is_empty() && link_state.state == before;
        let waited = self.link.activity.wait_timeout_while(link_state, timeout, is_still);
        Ok(!waited.unwrap_or_else(PoisonError::into_inner).1.timed_out())
    }
}

impl Drop for MemoryClient {
    fn drop(&mut self) {
        self.disconnect();
    }
}

/// The server's shared state: new clients, and a flag for activity.
#[derive(Debug, Default)]
struct Hub {
    state: Mutex<HubState>,
    activity: Condvar,
}

#[derive(Debug, Default)]
struct HubState {
    arrivals: Vec<Arc<Link>>,
    has_activity: bool,
    is_closed: bool,
}

impl Hub {
    /// Locks the state. Poisoning is ignored: the data is always valid.
    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes a server that waits.
    fn signal(&self) {
        self.lock().has_activity = true;
        self.activity.notify_all();
    }
}

/// The connection between a server and one client.
#[derive(Debug)]
struct Link {
    peer: u64,
    user_data: Box<[u8]>,
    state: Mutex<LinkState>,
    activity: Condvar,
}

#[derive(Debug)]
struct LinkState {
    to_server: VecDeque<Box<[u8]>>,
    to_client: VecDeque<Box<[u8]>>,
    state: ClientState,
}

impl Link {
    /// Locks the state of the link. A panic of the other side leaves it valid.
    fn lock(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the connection in a state, unless it has ended before.
    fn end(&self, state: ClientState) {
        let mut link_state = self.lock();
        if matches!(link_state.state, ClientState::Connecting | ClientState::Connected) {
            link_state.state = state;
            self.activity.notify_all();
        }
    }
}

/// Fails if the datagram is too long or the link is not connected.
fn check(state: ClientState, bytes: &[u8]) -> Result<(), SendError> {
    if bytes.len() > MAX_DATAGRAM_BYTES {
        Err(SendError::TooLong(bytes.len()))
    } else if state == ClientState::Connected {
        Ok(())
    } else {
        Err(SendError::NotConnected)
    }
}

/// Queues a datagram; it is lost if the other side does not read, like on a real network.
fn push(queue: &mut VecDeque<Box<[u8]>>, bytes: &[u8]) {
    if queue.len() < MAX_WAITING {
        queue.push_back(bytes.into());
    }
}
