//! [`ServerSocket`]: the server's UDP socket.

use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use crate::bans::BanList;
use crate::clock::Clock;
use crate::config::{BindError, Buffers, Limits, ServerConfig};
use crate::endpoint::ServerEndpoint;
use crate::event::{SendError, ServerEvent};
use crate::key::ServerKey;
use crate::sockets::Sockets;
use crate::statistics::Statistics;
use crate::used_tokens::UsedToken;

/// A socket that peers with tokens connect to.
///
/// Call [`poll`](Self::poll) often (every tick), then take the events, then send. It has no threads, unless it
/// has [several sockets](ServerConfig::sockets). Dropping it disconnects all peers; [`shut_down`](Self::shut_down)
/// does so more reliably.
#[derive(Debug)]
pub struct ServerSocket {
    sockets: Sockets,
    buffers: Buffers,
    address: SocketAddr,
    clock: Clock,
    endpoint: ServerEndpoint,
}

impl ServerSocket {
    /// Checks the settings and binds a server's socket. Clients can connect from the first
    /// [`poll`](Self::poll) on.
    ///
    /// # Errors
    ///
    /// [`BindError`].
    pub fn bind(config: ServerConfig) -> Result<Self, BindError> {
        config.check()?;
        let failed = |source| BindError::Io { address: config.listen, source };
        let waiting = config.limits.waiting_datagrams as usize;
        let bound = Sockets::bind(config.listen, config.sockets, config.buffers, waiting);
        let (sockets, address, buffers) = bound.map_err(failed)?;
        let clock = Clock::start();
        let endpoint = ServerEndpoint::new(ServerConfig { listen: address, ..config }, clock.unix())?;
        Ok(Self { sockets, buffers, address, clock, endpoint })
    }

    /// The address it listens at, with the port that the system chose.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The sizes of the system's buffers of each socket, as the system reports them: less than asked for if it does not allow
    /// more (on Linux: `net.core.rmem_max` and `net.core.wmem_max`, whose double is reported).
    #[must_use]
    pub fn buffers(&self) -> Buffers {
        self.buffers
    }

    /// Receives, sends keep-alive packets, and disconnects silent peers. Events are queued for
    /// [`next_event`](Self::next_event).
    ///
    /// # Errors
    ///
    /// If the socket itself fails; errors of single datagrams are counted.
    pub fn poll(&mut self, now: Instant) -> io::Result<()> {
        self.clock.advance(now);
        self.endpoint.advance(self.clock.unix());
        self.endpoint.inbox.compact();
        let mut budget = self.endpoint.config.limits.datagrams_per_poll.max(1);
        while budget > 0 && !self.endpoint.inbox.is_full() {
            let most = self.endpoint.inbox.room().min(budget as usize);
            let endpoint = &mut self.endpoint;
            let received = self.sockets.receive(most, |from, datagram| {
                endpoint.handle(from, datagram);
            })?;
            let Some(received) = received else { break };
            budget = budget.saturating_sub(received);
            self.flush();
        }
        self.endpoint.maintain();
        self.flush();
        Ok(())
    }

    /// Takes the oldest event that [`Self::poll`] queued; `None` if there is none. Its bytes are valid until
    /// the next call.
    pub fn next_event(&mut self) -> Option<ServerEvent<'_>> {
        self.endpoint.next_event()
    }

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`]; a datagram that the system does not accept counts as lost.
    pub fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError> {
        self.endpoint.send(peer, bytes)?;
        let sent = self.flush();
        self.endpoint.statistics.datagrams_sent += sent;
        Ok(())
    }

    /// Marks a peer as joined, on a server that [lets peers join](ServerConfig::join_within): it takes the
    /// place of a player, and stays connected. Nothing happens if it is not connected.
    pub fn joined(&mut self, peer: u64) {
        self.endpoint.joined(peer);
    }

    /// Lets a connected peer return after its connection was lost: with a token that it issues itself
    /// ([`ClientSocket::returning_token`](crate::ClientSocket::returning_token)) with this secret, which only the
    /// peer and the server may know. It returns with the user data of its present connection, and replaces
    /// that connection if it is alive. The right lasts until [`forbid_return`](Self::forbid_return) or
    /// [`disconnect`](Self::disconnect). Nothing happens if the peer is not connected.
    pub fn let_return(&mut self, peer: u64, secret: [u8; 32]) {
        self.endpoint.let_return(peer, secret);
    }

    /// Ends the right of a peer to return. Its connection stays.
    pub fn forbid_return(&mut self, peer: u64) {
        self.endpoint.forbid_return(peer);
    }

    /// Disconnects a peer, which [cannot return](Self::let_return). No event is emitted, and its queued events
    /// are dropped. The disconnect packet is sent several times.
    pub fn disconnect(&mut self, peer: u64) {
        self.endpoint.forbid_return(peer);
        self.endpoint.disconnect(peer);
        self.flush();
        self.endpoint.inbox.retain(|queued| queued.peer() != peer);
    }

    /// Replaces the keys whose tokens are accepted, on a server that requires tokens: to rotate a key, accept
    /// the new one and the old one until the last token of the old one has expired; to revoke it, leave it
    /// out. Connected peers stay. Nothing happens on an open server.
    pub fn set_keys(&mut self, keys: Vec<ServerKey>) {
        if !self.endpoint.config.is_open {
            self.endpoint.config.validator.keys = keys;
        }
    }

    /// Replaces the limits. Those of handshakes and connections hold for new ones.
    pub fn set_limits(&mut self, limits: Limits) {
        self.endpoint.config.limits = limits;
    }

    /// Replaces the banned addresses and peers, and returns the connected peers among them, which the caller
    /// should disconnect.
    #[must_use = "these peers are still connected"]
    pub fn set_bans(&mut self, bans: BanList) -> Vec<u64> {
        self.endpoint.set_bans(bans)
    }

    /// Refuses newcomers from now on, because the server is about to stop. Connected peers stay, and can
    /// reconnect with new tokens.
    pub fn drain(&mut self) {
        self.endpoint.is_draining = true;
    }

    /// Refuses tokens that were used before a restart of the server.
    pub fn restore_used_tokens(&mut self, used: impl IntoIterator<Item = UsedToken>) {
        used.into_iter().for_each(|used| self.endpoint.used_tokens.restore(used));
    }

    /// Takes the tokens that were used since the last call, to [restore](Self::restore_used_tokens) them after
    /// a restart. Always empty on an open server.
    pub fn take_used_tokens(&mut self) -> Vec<UsedToken> {
        self.endpoint.used_tokens.take_new()
    }

    /// Waits until a datagram arrives, the timeout passes, or a signal arrives; returns whether there is
    /// something to poll.
    ///
    /// # Errors
    ///
    /// If the socket itself fails.
    pub fn wait(&self, timeout: Duration) -> io::Result<bool> {
        if self.endpoint.inbox.waiting() > 0 {
            return Ok(true);
        }
        self.sockets.wait(timeout)
    }

    /// Disconnects all peers and repeats the disconnect packets, which takes 140 ms.
    #[must_use = "these are the final counts"]
    pub fn shut_down(mut self) -> Statistics {
        self.clock.advance(Instant::now());
        self.endpoint.advance(self.clock.unix());
        self.endpoint.disconnect_all();
        self.flush();
        while let Some(due) = self.endpoint.next_disconnect() {
            thread::sleep(due.saturating_sub(self.clock.unix()));
            self.clock.advance(Instant::now());
            self.endpoint.advance(self.clock.unix());
            self.endpoint.maintain();
            self.flush();
        }
        self.endpoint.statistics.clone()
    }

    /// The connected peers, sorted by number.
    pub fn peers(&self) -> impl Iterator<Item = u64> + '_ {
        self.endpoint.peers().keys().copied()
    }

    /// The address of a peer; `None` if it is not connected.
    #[must_use]
    pub fn address_of(&self, peer: u64) -> Option<SocketAddr> {
        self.endpoint.peers().get(&peer).map(|peer| peer.address)
    }

    /// Counts of sent, received, refused and dropped datagrams.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.endpoint.statistics
    }

    /// Sends the queued packets, and returns the number of those that the system accepted.
    fn flush(&mut self) -> u64 {
        let (sockets, statistics) = (&self.sockets, &mut self.endpoint.statistics);
        let mut sent = 0;
        self.endpoint.outbox.drain(|address, packet| {
            sent += u64::from(sockets.send(statistics, address, packet));
        });
        sent
    }
}

impl Drop for ServerSocket {
    /// Disconnects all peers. Without time to wait, the disconnect packets are sent twice in a row.
    fn drop(&mut self) {
        self.endpoint.disconnect_all();
        self.endpoint.repeat_disconnects();
        self.flush();
    }
}
