//! [`ClientSocket`]: the client's UDP socket.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use renetcode::{ClientAuthentication, DisconnectReason, NetcodeClient, NetcodeError};

use crate::clock::Clock;
use crate::cookie::Cookie;
use crate::disconnects::{PendingDisconnects, RESEND_DELAYS};
use crate::event::{ClientState, Ending, SendError};
use crate::inbox::Inbox;
use crate::packet::{self, Kind, RECEIVE_BYTES};
use crate::refusal::{Refusal, read_cookie, read_notice};
use crate::request::NONCE_BYTES;
use crate::statistics::Statistics;
use crate::token::{Admission, ConnectToken, TokenError};
use crate::{MAX_DATAGRAM_BYTES, wire};

/// A socket that connects to a server.
///
/// It has no threads: call [`poll`](Self::poll) often (every frame), then take the datagrams, then send.
/// Dropping it disconnects.
#[derive(Debug)]
pub struct ClientSocket {
    socket: UdpSocket,
    netcode: NetcodeClient,
    clock: Clock,
    /// The token that it connected with first.
    token: ConnectToken,
    /// Whether `token` was issued by the client itself, for a server without secrets.
    is_open: bool,
    nonce: [u8; NONCE_BYTES],
    /// The cookie that a busy server sent, which requests must carry.
    cookie: Option<Cookie>,
    /// The last request, without a cookie; empty before the first.
    request: Vec<u8>,
    /// A refusal notice that is not signed and not yet believed, and when the first one arrived.
    unverified_refusal: Option<(Refusal, Duration)>,
    refusal: Option<Refusal>,
    disconnects: PendingDisconnects,
    inbox: Inbox<()>,
    statistics: Statistics,
}

/// Refusal notices are not signed. If a notice was forged, the real server has this long to accept the
/// client.
const REFUSAL_GRACE: Duration = Duration::from_millis(750);
/// Maximum time step of the protocol in a poll that received from the server. Every timeout is longer.
const MAX_STEP: Duration = Duration::from_millis(900);
/// Maximum number of received datagrams that wait to be taken.
const MAX_WAITING: usize = 4096;
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
        let nonce = *token.nonce();
        let authentication = ClientAuthentication::Secure { connect_token: token.clone().into_inner() };
        let netcode = NetcodeClient::new(clock.unix(), authentication).map_err(io::Error::other)?;
        Ok(Self {
            socket: wire::bind(local_address(netcode.server_addr()))?,
            netcode,
            clock,
            is_open: token.is_open(),
            token,
            nonce,
            cookie: None,
            request: Vec::new(),
            unverified_refusal: None,
            refusal: None,
            disconnects: PendingDisconnects::default(),
            inbox: Inbox::new(MAX_WAITING),
            statistics: Statistics::default(),
        })
    }

    /// Receives, and sends keep-alive packets. Received datagrams are queued for
    /// [`next_datagram`](Self::next_datagram).
    ///
    /// # Errors
    ///
    /// If the socket itself fails.
    pub fn poll(&mut self, now: Instant) -> io::Result<()> {
        let elapsed = self.clock.advance(now);
        let was_connected = self.netcode.is_connected();
        self.inbox.compact();
        let mut has_received = false;
        let mut buffer = [0; RECEIVE_BYTES];
        for _ in 0..MAX_PER_POLL {
            if self.inbox.is_full() {
                break;
            }
            let Some((length, from)) = wire::receive(&self.socket, &mut buffer)? else { break };
            self.statistics.bytes_received += length as u64;
            has_received |= from == self.netcode.server_addr();
            self.handle_datagram(from, &mut buffer[..length]);
        }
        self.check_unverified_refusal();
        if self.is_alive() {
            // The protocol dates packets to the last poll. A game that was busy loading for longer than the
            // timeout, while the server kept sending, must not lose its connection.
            let step = if has_received { elapsed.min(MAX_STEP) } else { elapsed };
            let server = self.netcode.server_addr();
            if let Some((packet, address)) = self.netcode.update(step) {
                if address != server {
                    // The cookie of one server is worthless at another.
                    self.cookie = None;
                }
                if packet::kind(packet) == Some(Kind::Request) {
                    self.request.clear();
                    self.request.extend_from_slice(packet);
                    self.send_request(address);
                } else {
                    wire::send(&self.socket, &mut self.statistics, address, packet);
                }
            }
        }
        self.follow_server()?;
        self.count(was_connected);
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        self.disconnects.send_due(self.clock.unix(), |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
        Ok(())
    }

    /// Takes the oldest datagram that [`Self::poll`] received; `None` if there is none. The bytes are valid
    /// until the next call.
    pub fn next_datagram(&mut self) -> Option<&[u8]> {
        self.inbox.next().map(|((), bytes)| bytes)
    }

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`]; a datagram that the system does not accept counts as lost.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        if bytes.len() > MAX_DATAGRAM_BYTES {
            return Err(SendError::TooLong(bytes.len()));
        }
        let packet = self.netcode.generate_payload_packet(bytes);
        let (address, packet) = packet.map_err(|_: NetcodeError| SendError::NotConnected)?;
        if wire::send(&self.socket, &mut self.statistics, address, packet) {
            self.statistics.datagrams_sent += 1;
        }
        Ok(())
    }

    /// The state of the connection: connecting, connected, refused by the server, or ended with the reason.
    #[must_use]
    pub fn state(&self) -> ClientState {
        if let Some(refusal) = self.refusal {
            return ClientState::Refused(refusal);
        }
        match self.netcode.disconnect_reason() {
            None if self.netcode.is_connected() => ClientState::Connected,
            None => ClientState::Connecting,
            Some(DisconnectReason::ConnectionDenied) => ClientState::Refused(Refusal::Full),
            Some(reason) => ClientState::Disconnected(match reason {
                DisconnectReason::DisconnectedByClient => Ending::Closed,
                DisconnectReason::DisconnectedByServer => Ending::ClosedByServer,
                DisconnectReason::ConnectTokenExpired => Ending::TokenExpired,
                DisconnectReason::ConnectionRequestTimedOut
                | DisconnectReason::ConnectionResponseTimedOut => Ending::NoAnswer,
                _ => Ending::TimedOut,
            }),
        }
    }

    /// Disconnects. Copies of the disconnect packet follow with the next polls, so poll for 140 ms more, or
    /// drop the socket.
    pub fn disconnect(&mut self) {
        if !self.is_alive() {
            return;
        }
        let was_connected = self.netcode.is_connected();
        if let Ok((address, disconnect_packet)) = self.netcode.disconnect()
            && was_connected
        {
            wire::send(&self.socket, &mut self.statistics, address, disconnect_packet);
            self.disconnects.add(address, disconnect_packet, self.clock.unix());
        }
        self.count(was_connected);
    }

    /// Ends the connection without informing the server, which keeps it until it times out or is replaced.
    pub fn abandon(&mut self) {
        let was_connected = self.netcode.is_connected();
        // The packet is not sent.
        let _ = self.netcode.disconnect();
        self.count(was_connected);
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
        std::mem::swap(&mut next.statistics, &mut self.statistics);
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
        if self.inbox.waiting() > 0 {
            return Ok(true);
        }
        wire::wait(&self.socket, timeout)
    }

    /// The client's peer number, by which the server knows it: that of its token.
    #[must_use]
    pub fn peer(&self) -> u64 {
        self.netcode.client_id()
    }

    /// The server that the client is connected or connecting to.
    #[must_use]
    pub fn server_addr(&self) -> SocketAddr {
        self.netcode.server_addr()
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
        &self.statistics
    }

    /// Whether the client is connected or connecting.
    fn is_alive(&self) -> bool {
        matches!(self.state(), ClientState::Connecting | ClientState::Connected)
    }

    /// Handles a received datagram: drops and counts those of strangers and damaged ones, keeps refusal
    /// notices, which are not authenticated, and queues payloads.
    fn handle_datagram(&mut self, from: SocketAddr, datagram: &mut [u8]) {
        if from != self.netcode.server_addr() {
            self.statistics.strangers += 1;
            return;
        }
        if self.netcode.is_connecting()
            && let Some(refusal) = read_notice(datagram, &self.nonce)
        {
            self.unverified_refusal.get_or_insert((refusal, self.clock.unix())).0 = refusal;
            return;
        }
        if self.netcode.is_connecting()
            && let Some(cookie) = read_cookie(datagram, &self.nonce)
        {
            // Once for each cookie: a flood of forged notices must not become a flood of requests.
            if self.cookie.replace(cookie) != Some(cookie) && !self.request.is_empty() {
                self.send_request(from);
            }
            return;
        }
        match packet::kind(datagram) {
            None | Some(Kind::Request) => self.statistics.malformed += 1,
            Some(kind) => match self.netcode.process_packet(datagram) {
                Some(bytes) if bytes.len() <= MAX_DATAGRAM_BYTES => {
                    self.statistics.datagrams_received += 1;
                    self.inbox.push((), bytes);
                }
                _ if kind == Kind::Payload => self.statistics.unauthentic += 1,
                _ => {}
            },
        }
    }

    /// Sends the last request, with the cookie if the server sent one.
    fn send_request(&mut self, server: SocketAddr) {
        let length = self.request.len();
        self.request.extend(self.cookie.iter().flatten());
        wire::send(&self.socket, &mut self.statistics, server, &self.request);
        self.request.truncate(length);
    }

    /// Accepts a refusal notice if no server has accepted the client for long enough.
    fn check_unverified_refusal(&mut self) {
        if !self.netcode.is_connecting() {
            self.unverified_refusal = None;
        } else if let Some((refusal, since)) = self.unverified_refusal
            && self.clock.unix() >= since + REFUSAL_GRACE
        {
            self.refusal = Some(refusal);
        }
    }

    /// Socket for the server that the token names next: replaced if it has the other IP version, or is bound
    /// to loopback and the server is not on this machine. Nothing happens once the connection has ended.
    fn follow_server(&mut self) -> io::Result<()> {
        let server = self.netcode.server_addr();
        let local = self.socket.local_addr()?;
        let fits =
            local.is_ipv4() == server.is_ipv4() && (server.ip().is_loopback() || !local.ip().is_loopback());
        if !fits && self.is_alive() {
            self.socket = wire::bind(local_address(server))?;
        }
        Ok(())
    }

    /// Counts the begin or the end of the connection, by its state before and now.
    fn count(&mut self, was_connected: bool) {
        let is_connected = self.netcode.is_connected();
        self.statistics.connected += u64::from(is_connected && !was_connected);
        self.statistics.disconnected += u64::from(was_connected && !is_connected);
    }
}

impl Drop for ClientSocket {
    /// Disconnects. Without time to wait, the disconnect packet is sent twice in a row.
    fn drop(&mut self) {
        self.disconnect();
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        let now = self.clock.unix() + RESEND_DELAYS[0];
        self.disconnects.send_due(now, |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
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
