//! [`ClientSocket`]: the client's UDP socket.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use crate::client_endpoint::ClientEndpoint;
use crate::clock::Clock;
use crate::event::{ClientState, SendError};
use crate::packet::RECEIVE_BYTES;
use crate::statistics::Statistics;
use crate::token::{Admission, ConnectToken, TokenError};
use crate::wire;

/// A socket that connects to a server.
///
/// It has no threads: call [`poll`](Self::poll) often (every frame), then take the datagrams, then send.
/// Dropping it disconnects.
#[derive(Debug)]
pub struct ClientSocket {
    socket: UdpSocket,
    clock: Clock,
    endpoint: ClientEndpoint,
    /// The token that it connected with first.
    token: ConnectToken,
    /// Whether `token` was issued by the client itself, for a server without secrets.
    is_open: bool,
}

/// Maximum number of datagrams read in one poll.
const MAX_PER_POLL: usize = 4096;

impl ClientSocket {
    /// Begins to connect to the servers of a token, one after the other; [`state`](Self::state) reports
    /// progress.
    ///
    /// # Errors
    ///
    /// If no socket can be bound.
    pub fn connect(token: ConnectToken) -> io::Result<Self> {
        let clock = Clock::start();
        let endpoint = ClientEndpoint::new(token.clone(), clock.unix())?;
        let socket = wire::bind(local_address(endpoint.server_addr()))?;
        Ok(Self { socket, clock, endpoint, is_open: token.is_open(), token })
    }

    /// Receives, and sends keep-alive packets. Received datagrams are queued for
    /// [`next_datagram`](Self::next_datagram).
    ///
    /// # Errors
    ///
    /// If the socket itself fails.
    pub fn poll(&mut self, now: Instant) -> io::Result<()> {
        self.clock.advance(now);
        self.endpoint.inbox.compact();
        let mut buffer = [0; RECEIVE_BYTES];
        for _ in 0..MAX_PER_POLL {
            if self.endpoint.inbox.is_full() {
                break;
            }
            let Some((length, from)) = wire::receive(&self.socket, &mut buffer)? else { break };
            self.endpoint.handle(from, &mut buffer[..length]);
        }
        self.endpoint.update(self.clock.unix());
        self.follow_server()?;
        self.flush();
        Ok(())
    }

    /// Takes the oldest datagram that [`Self::poll`] received; `None` if there is none. The bytes are valid
    /// until the next call.
    pub fn next_datagram(&mut self) -> Option<&[u8]> {
        self.endpoint.next_datagram()
    }

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`]; a datagram that the system does not accept counts as lost.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        self.endpoint.send(bytes)?;
        let sent = self.flush();
        self.endpoint.statistics.datagrams_sent += sent;
        Ok(())
    }

    /// The state of the connection: connecting, connected, refused by the server, or ended with the reason.
    #[must_use]
    pub fn state(&self) -> ClientState {
        self.endpoint.state()
    }

    /// Disconnects. Copies of the disconnect packet follow with the next polls, so poll for 140 ms more, or
    /// drop the socket.
    pub fn disconnect(&mut self) {
        self.endpoint.disconnect();
        self.flush();
    }

    /// Ends the connection without informing the server, which keeps it until it times out or is replaced.
    pub fn abandon(&mut self) {
        self.endpoint.abandon();
    }

    /// A token with which the client [returns](crate::ServerSocket::let_return) to the server of this
    /// connection as the same peer.
    ///
    /// # Errors
    ///
    /// [`TokenError`]; never with a secret from a random source.
    pub fn returning_token(&self, secret: [u8; 32]) -> Result<ConnectToken, TokenError> {
        ConnectToken::returning(self.token.protocol(), &self.same_admission(), secret)
    }

    /// Admission of the same peer to the same servers, the present one first.
    fn same_admission(&self) -> Admission {
        let first = self.server_addr();
        let mut servers = vec![first];
        servers.extend(self.token.servers().filter(|server| *server != first));
        Admission { servers, ..Admission::new(self.peer(), first).timeout(self.token.timeout()) }
    }

    /// Opens a new connection of the same peer from a new socket, in place of this one, which is
    /// [abandoned](Self::abandon). With the secret of the peer it [returns](crate::ServerSocket::let_return).
    /// Otherwise it connects with its first token, which servers with a key accept once; at a server without
    /// secrets with a new one. Statistics go on.
    ///
    /// # Errors
    ///
    /// If no socket can be bound.
    pub fn reconnect(&mut self, secret: Option<[u8; 32]>) -> io::Result<()> {
        let token = match secret {
            Some(secret) => self.returning_token(secret).map_err(io::Error::other)?,
            None if self.is_open => {
                ConnectToken::without_secrets(self.token.protocol(), &self.same_admission())
                    .map_err(io::Error::other)?
            }
            None => self.token.clone(),
        };
        let mut next = Self::connect(token)?;
        self.abandon();
        std::mem::swap(&mut next.token, &mut self.token);
        std::mem::swap(&mut next.endpoint.statistics, &mut self.endpoint.statistics);
        next.is_open = self.is_open;
        *self = next;
        Ok(())
    }

    /// Waits until a datagram arrives or the timeout passes; returns whether there is something to poll.
    ///
    /// # Errors
    ///
    /// If the socket itself fails.
    pub fn wait(&self, timeout: Duration) -> io::Result<bool> {
        if self.endpoint.inbox.waiting() > 0 {
            return Ok(true);
        }
        wire::wait(&self.socket, timeout)
    }

    /// The client's peer number, by which the server knows it: that of its token.
    #[must_use]
    pub fn peer(&self) -> u64 {
        self.endpoint.peer()
    }

    /// The server that the client is connected or connecting to.
    #[must_use]
    pub fn server_addr(&self) -> SocketAddr {
        self.endpoint.server_addr()
    }

    /// The address that the socket is bound to.
    ///
    /// # Errors
    ///
    /// If the system does not report it.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Counts of sent, received and dropped datagrams.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        self.endpoint.statistics()
    }

    /// Socket for the server that the token names next: replaced if it has the other IP version, or is bound
    /// to loopback and the server is not on this machine. Nothing happens once the connection has ended.
    fn follow_server(&mut self) -> io::Result<()> {
        let server = self.endpoint.server_addr();
        let local = self.socket.local_addr()?;
        let fits =
            local.is_ipv4() == server.is_ipv4() && (server.ip().is_loopback() || !local.ip().is_loopback());
        if !fits && self.endpoint.is_alive() {
            self.socket = wire::bind(local_address(server))?;
        }
        Ok(())
    }

    /// Sends the queued packets, and returns the number of those that the system accepted.
    fn flush(&mut self) -> u64 {
        let (socket, statistics) = (&self.socket, &mut self.endpoint.statistics);
        let mut sent = 0;
        self.endpoint.outbox.drain(|address, packet| {
            sent += u64::from(wire::send(socket, statistics, address, packet));
        });
        sent
    }
}

impl Drop for ClientSocket {
    /// Disconnects. Without time to wait, the disconnect packet is sent twice in a row.
    fn drop(&mut self) {
        self.endpoint.disconnect();
        self.endpoint.repeat_disconnect();
        self.flush();
    }
}

/// Any port of the same IP version; on the loopback interface for a server on this machine.
fn local_address(server: SocketAddr) -> SocketAddr {
    match (server.is_ipv4(), server.ip().is_loopback()) {
        (true, true) => (Ipv4Addr::LOCALHOST, 0).into(),
        (true, false) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        (false, true) => (Ipv6Addr::LOCALHOST, 0).into(),
        (false, false) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    }
}
