//! A transport without a network: server and clients in one process, in any threads. For tests, examples and games against
//! oneself. Nothing is lost unless queues are full, and nothing needs a token.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::MAX_DATAGRAM_BYTES;
use crate::event::{ClientState, Departure, Ending, News, SendError, ServerEvent};
use crate::inbox::Inbox;
use crate::refusal::Refusal;
use crate::transport::{ClientTransport, ServerTransport};

/// Datagrams that wait on a way; more are lost.
const MAX_WAITING: usize = 4096;

/// The server's end.
#[derive(Debug)]
pub struct MemoryServer {
    hub: Arc<Hub>,
    max_clients: usize,
    links: BTreeMap<u64, Arc<Link>>,
    inbox: Inbox<News>,
}

/// Where clients connect to a [`MemoryServer`]; copies lead to the same.
#[derive(Clone, Debug)]
pub struct MemoryPort(Arc<Hub>);

/// A client's end.
#[derive(Debug)]
pub struct MemoryClient {
    hub: Arc<Hub>,
    link: Arc<Link>,
    inbox: Inbox<()>,
}

impl MemoryServer {
    /// A server with so many places.
    #[must_use]
    pub fn new(max_clients: u16) -> Self {
        Self {
            hub: Arc::default(),
            max_clients: usize::from(max_clients),
            links: BTreeMap::new(),
            inbox: Inbox::new(MAX_WAITING),
        }
    }

    /// Where clients connect to it.
    #[must_use]
    pub fn port(&self) -> MemoryPort {
        MemoryPort(self.hub.clone())
    }

    /// Lets in who has come since, or not.
    fn admit(&mut self, link: Arc<Link>) {
        let peer = link.peer;
        if let Some(old) = self.links.remove(&peer) {
            old.end(ClientState::Disconnected(Ending::ClosedByServer));
            self.inbox.push(News::Disconnected(peer, Departure::Replaced), &[]);
        }
        if self.links.len() >= self.max_clients {
            link.end(ClientState::Refused(Refusal::Full));
            return;
        }
        let mut ways = link.ways();
        if ways.state == ClientState::Connecting {
            ways.state = ClientState::Connected;
            drop(ways);
            self.inbox.push(News::Connected(peer), &link.user_data);
            self.links.insert(peer, link);
        }
    }
}

impl ServerTransport for MemoryServer {
    fn poll(&mut self, _now: Instant) -> io::Result<()> {
        self.inbox.compact();
        let arrivals = {
            let mut lobby = self.hub.lobby();
            lobby.is_stirred = false;
            std::mem::take(&mut lobby.arrivals)
        };
        for link in arrivals {
            self.admit(link);
        }
        let inbox = &mut self.inbox;
        self.links.retain(|peer, link| {
            let mut ways = link.ways();
            while !inbox.is_full()
                && let Some(bytes) = ways.to_server.pop_front()
            {
                inbox.push(News::Datagram(*peer), &bytes);
            }
            // What was sent before the goodbye comes before it.
            let stays = ways.state == ClientState::Connected || !ways.to_server.is_empty();
            if !stays {
                inbox.push(News::Disconnected(*peer, Departure::Left), &[]);
            }
            stays
        });
        Ok(())
    }

    fn next_event(&mut self) -> Option<ServerEvent<'_>> {
        let (news, bytes) = self.inbox.next()?;
        Some(news.event(bytes))
    }

    fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError> {
        let link = self.links.get(&peer).ok_or(SendError::NotConnected)?;
        let mut ways = link.ways();
        check(ways.state, bytes)?;
        push(&mut ways.to_client, bytes);
        link.stirred.notify_all();
        Ok(())
    }

    fn disconnect(&mut self, peer: u64) {
        if let Some(link) = self.links.remove(&peer) {
            link.end(ClientState::Disconnected(Ending::ClosedByServer));
        }
        self.inbox.retain(|news| news.peer() != peer);
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        if self.inbox.waiting() > 0 {
            return Ok(true);
        }
        let lobby = self.hub.lobby();
        let waited = self.hub.stirred.wait_timeout_while(lobby, timeout, |lobby| !lobby.is_stirred);
        Ok(waited.unwrap_or_else(PoisonError::into_inner).0.is_stirred)
    }
}

impl Drop for MemoryServer {
    fn drop(&mut self) {
        let mut lobby = self.hub.lobby();
        lobby.is_closed = true;
        for link in self.links.values().chain(&lobby.arrivals) {
            link.end(ClientState::Disconnected(Ending::ClosedByServer));
        }
    }
}

impl MemoryPort {
    /// Begins to connect; the server lets the client in with its next poll.
    #[must_use]
    pub fn connect(&self, peer: u64, user_data: &[u8]) -> MemoryClient {
        let link = Arc::new(Link {
            peer,
            user_data: user_data.into(),
            ways: Mutex::new(Ways {
                to_server: VecDeque::new(),
                to_client: VecDeque::new(),
                state: ClientState::Connecting,
            }),
            stirred: Condvar::new(),
        });
        let mut lobby = self.0.lobby();
        if lobby.is_closed {
            link.end(ClientState::Disconnected(Ending::NoAnswer));
        } else {
            lobby.arrivals.push(link.clone());
        }
        drop(lobby);
        self.0.stir();
        MemoryClient { hub: self.0.clone(), link, inbox: Inbox::new(MAX_WAITING) }
    }
}

impl ClientTransport for MemoryClient {
    fn poll(&mut self, _now: Instant) -> io::Result<()> {
        self.inbox.compact();
        let mut ways = self.link.ways();
        while !self.inbox.is_full()
            && let Some(bytes) = ways.to_client.pop_front()
        {
            self.inbox.push((), &bytes);
        }
        Ok(())
    }

    fn next_datagram(&mut self) -> Option<&[u8]> {
        self.inbox.next().map(|((), bytes)| bytes)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        let mut ways = self.link.ways();
        check(ways.state, bytes)?;
        push(&mut ways.to_server, bytes);
        drop(ways);
        self.hub.stir();
        Ok(())
    }

    fn state(&self) -> ClientState {
        self.link.ways().state
    }

    fn disconnect(&mut self) {
        self.link.end(ClientState::Disconnected(Ending::Closed));
        self.hub.stir();
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        if self.inbox.waiting() > 0 {
            return Ok(true);
        }
        let ways = self.link.ways();
        let before = ways.state;
        let is_still = |ways: &mut Ways| ways.to_client.is_empty() && ways.state == before;
        let waited = self.link.stirred.wait_timeout_while(ways, timeout, is_still);
        Ok(!waited.unwrap_or_else(PoisonError::into_inner).1.timed_out())
    }
}

impl Drop for MemoryClient {
    fn drop(&mut self) {
        self.disconnect();
    }
}

/// Where the server hears of everything.
#[derive(Debug, Default)]
struct Hub {
    lobby: Mutex<Lobby>,
    stirred: Condvar,
}

#[derive(Debug, Default)]
struct Lobby {
    arrivals: Vec<Arc<Link>>,
    is_stirred: bool,
    is_closed: bool,
}

impl Hub {
    /// No code panics while it holds the lock, and if it did, the data would be whole.
    fn lobby(&self) -> MutexGuard<'_, Lobby> {
        self.lobby.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stir(&self) {
        self.lobby().is_stirred = true;
        self.stirred.notify_all();
    }
}

/// What is between a server and one client.
#[derive(Debug)]
struct Link {
    peer: u64,
    user_data: Box<[u8]>,
    ways: Mutex<Ways>,
    stirred: Condvar,
}

#[derive(Debug)]
struct Ways {
    to_server: VecDeque<Box<[u8]>>,
    to_client: VecDeque<Box<[u8]>>,
    state: ClientState,
}

impl Link {
    fn ways(&self) -> MutexGuard<'_, Ways> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it in a state, unless it has ended before.
    fn end(&self, state: ClientState) {
        let mut ways = self.ways();
        if matches!(ways.state, ClientState::Connecting | ClientState::Connected) {
            ways.state = state;
            self.stirred.notify_all();
        }
    }
}

fn check(state: ClientState, bytes: &[u8]) -> Result<(), SendError> {
    if bytes.len() > MAX_DATAGRAM_BYTES {
        Err(SendError::TooLong(bytes.len()))
    } else if state == ClientState::Connected {
        Ok(())
    } else {
        Err(SendError::NotConnected)
    }
}

fn push(queue: &mut VecDeque<Box<[u8]>>, bytes: &[u8]) {
    if queue.len() < MAX_WAITING {
        queue.push_back(bytes.into());
    }
}
