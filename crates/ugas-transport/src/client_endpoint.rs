//! [`ClientEndpoint`]: the client's side of a connection, without sockets and clocks.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use renetcode::{ClientAuthentication, DisconnectReason, NetcodeClient, NetcodeError};

use crate::MAX_DATAGRAM_BYTES;
use crate::cookie::Cookie;
use crate::disconnects::{PendingDisconnects, RESEND_DELAYS};
use crate::event::{ClientState, Ending, SendError};
use crate::inbox::Inbox;
use crate::outbox::Outbox;
use crate::packet::{self, Kind};
use crate::refusal::{Refusal, read_cookie, read_notice};
use crate::request::NONCE_BYTES;
use crate::statistics::Statistics;
use crate::token::ConnectToken;

/// Refusal notices are not signed. If a notice was forged, the real server has this long to accept the
/// client.
const REFUSAL_GRACE: Duration = Duration::from_millis(750);
/// Maximum time step of the protocol in an update that follows datagrams of the server. Every timeout is
/// longer.
const MAX_STEP: Duration = Duration::from_millis(900);
/// Maximum number of received datagrams that wait to be taken.
const MAX_WAITING: usize = 4096;

/// A client's side of a connection, without sockets and clocks: for simulated networks, and for hosts with
/// sockets of their own. [`ClientSocket`](crate::ClientSocket) is one with a UDP socket.
///
/// In each step call [`handle`](Self::handle) with the received datagrams, then [`update`](Self::update) with
/// the time, take the datagrams, send, and pass the packets of [`transmit`](Self::transmit) on.
#[derive(Debug)]
pub struct ClientEndpoint {
    netcode: NetcodeClient,
    /// Time of the last update, since 1970.
    now: Duration,
    nonce: [u8; NONCE_BYTES],
    /// The cookie that a busy server sent, which requests must carry.
    cookie: Option<Cookie>,
    /// The last request, without a cookie; empty before the first.
    request: Vec<u8>,
    /// A refusal notice that is not signed and not yet believed, and when the first one arrived.
    unverified_refusal: Option<(Refusal, Duration)>,
    refusal: Option<Refusal>,
    /// Whether a datagram of the server arrived since the last update.
    has_received: bool,
    was_connected: bool,
    disconnects: PendingDisconnects,
    pub(crate) inbox: Inbox<()>,
    pub(crate) outbox: Outbox,
    pub(crate) statistics: Statistics,
}

impl ClientEndpoint {
    /// Begins to connect to the servers of a token, one after the other, at a time since 1970.
    ///
    /// # Errors
    ///
    /// If the token is not valid.
    pub fn new(token: ConnectToken, now: Duration) -> io::Result<Self> {
        let nonce = *token.nonce();
        let authentication = ClientAuthentication::Secure { connect_token: token.into_inner() };
        Ok(Self {
            netcode: NetcodeClient::new(now, authentication).map_err(io::Error::other)?,
            now,
            nonce,
            cookie: None,
            request: Vec::new(),
            unverified_refusal: None,
            refusal: None,
            has_received: false,
            was_connected: false,
            disconnects: PendingDisconnects::default(),
            inbox: Inbox::new(MAX_WAITING),
            outbox: Outbox::default(),
            statistics: Statistics::default(),
        })
    }

    /// Handles a received datagram: drops and counts those of strangers and damaged ones, keeps refusal
    /// notices, which are not authenticated, and queues payloads.
    pub fn handle(&mut self, from: SocketAddr, datagram: &mut [u8]) {
        self.statistics.bytes_received += datagram.len() as u64;
        if from != self.netcode.server_addr() {
            self.statistics.strangers += 1;
            return;
        }
        self.has_received = true;
        if self.netcode.is_connecting()
            && let Some(refusal) = read_notice(datagram, &self.nonce)
        {
            self.unverified_refusal.get_or_insert((refusal, self.now)).0 = refusal;
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

    /// Advances to a time since 1970: queues requests, keep-alive packets and copies of disconnect packets,
    /// and notices timeouts. An earlier time counts as the last one.
    pub fn update(&mut self, now: Duration) {
        let elapsed = now.saturating_sub(self.now);
        self.now += elapsed;
        self.inbox.compact();
        self.check_unverified_refusal();
        if self.is_alive() {
            // The protocol dates packets to the last update. A game that was busy loading for longer than the
            // timeout, while the server kept sending, must not lose its connection.
            let step = if self.has_received { elapsed.min(MAX_STEP) } else { elapsed };
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
                    self.outbox.push(address, packet);
                }
            }
        }
        self.has_received = false;
        self.count();
        let outbox = &mut self.outbox;
        self.disconnects.send_due(self.now, |address, packet| outbox.push(address, packet));
    }

    /// Takes the oldest datagram that arrived; `None` if there is none. The bytes are valid until the next
    /// call.
    pub fn next_datagram(&mut self) -> Option<&[u8]> {
        self.inbox.next().map(|((), bytes)| bytes)
    }

    /// Queues a datagram to the server.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        if bytes.len() > MAX_DATAGRAM_BYTES {
            return Err(SendError::TooLong(bytes.len()));
        }
        let packet = self.netcode.generate_payload_packet(bytes);
        let (address, packet) = packet.map_err(|_: NetcodeError| SendError::NotConnected)?;
        self.outbox.push(address, packet);
        Ok(())
    }

    /// Passes the queued packets with their receivers to `send`, and empties the queue.
    pub fn transmit(&mut self, send: impl FnMut(SocketAddr, &[u8])) {
        self.outbox.drain(send);
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

    /// Disconnects. The disconnect packet is queued, and copies of it follow with the updates of the next
    /// 140 ms.
    pub fn disconnect(&mut self) {
        if !self.is_alive() {
            return;
        }
        let was_connected = self.netcode.is_connected();
        if let Ok((address, disconnect_packet)) = self.netcode.disconnect()
            && was_connected
        {
            self.outbox.push(address, disconnect_packet);
            self.disconnects.add(address, disconnect_packet, self.now);
        }
        self.count();
    }

    /// Ends the connection without informing the server, which keeps it until it times out or is replaced.
    pub fn abandon(&mut self) {
        // The packet is not sent.
        let _ = self.netcode.disconnect();
        self.count();
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

    /// Counts of sent, received and dropped datagrams; those sent are counted by the owner of the socket.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether the client is connected or connecting.
    pub(crate) fn is_alive(&self) -> bool {
        matches!(self.state(), ClientState::Connecting | ClientState::Connected)
    }

    /// Queues the first copy of the disconnect packet before it is due, when there is no time to wait.
    pub(crate) fn repeat_disconnect(&mut self) {
        let outbox = &mut self.outbox;
        let due = self.now + RESEND_DELAYS[0];
        self.disconnects.send_due(due, |address, packet| outbox.push(address, packet));
    }

    /// Queues the last request, with the cookie if the server sent one.
    fn send_request(&mut self, server: SocketAddr) {
        let length = self.request.len();
        self.request.extend(self.cookie.iter().flatten());
        self.outbox.push(server, &self.request);
        self.request.truncate(length);
    }

    /// Accepts a refusal notice if no server has accepted the client for long enough.
    fn check_unverified_refusal(&mut self) {
        if !self.netcode.is_connecting() {
            self.unverified_refusal = None;
        } else if let Some((refusal, since)) = self.unverified_refusal
            && self.now >= since + REFUSAL_GRACE
        {
            self.refusal = Some(refusal);
        }
    }

    /// Counts the begin or the end of the connection, by its state at the last call and now.
    fn count(&mut self) {
        let is_connected = self.netcode.is_connected();
        self.statistics.connected += u64::from(is_connected && !self.was_connected);
        self.statistics.disconnected += u64::from(self.was_connected && !is_connected);
        self.was_connected = is_connected;
    }
}
