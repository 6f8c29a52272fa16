//! The client's end.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use renetcode::{ClientAuthentication, DisconnectReason, NetcodeClient, NetcodeError};

use crate::clock::Clock;
use crate::event::{ClientState, Ending, SendError};
use crate::farewell::{Farewells, PAUSES};
use crate::inbox::Inbox;
use crate::packet::{self, Kind, RECEIVE_BYTES};
use crate::refusal::{Refusal, read_notice};
use crate::seal::NONCE_BYTES;
use crate::statistics::Statistics;
use crate::token::ConnectToken;
use crate::{MAX_DATAGRAM_BYTES, wire};

/// A socket that connects to a server.
///
/// Nothing happens behind its back: call [`poll`](Self::poll) often (every frame), then take the datagrams, then send.
/// Dropping it says goodbye.
#[derive(Debug)]
pub struct ClientSocket {
    socket: UdpSocket,
    netcode: NetcodeClient,
    clock: Clock,
    nonce: [u8; NONCE_BYTES],
    /// What a server says about us, and since when.
    hearsay: Option<(Refusal, Duration)>,
    refusal: Option<Refusal>,
    farewells: Farewells,
    inbox: Inbox<()>,
    statistics: Statistics,
}

/// Notices of refusal are not signed. The real server, if somebody else wrote the notice, has this long to let us in.
const HEARSAY_TRIAL: Duration = Duration::from_millis(750);
/// By how much time passes for the protocol at most in a poll that heard the server. No timeout is shorter.
const LONGEST_STEP: Duration = Duration::from_millis(900);
/// Datagrams that wait to be asked for.
const MAX_WAITING: usize = 4096;
/// Datagrams read in one poll.
const MAX_PER_POLL: usize = 4096;

impl ClientSocket {
    /// Begins to connect to the servers of a token, one after the other; [`state`](Self::state) says how it goes.
    ///
    /// # Errors
    ///
    /// If the system gives no socket.
    pub fn connect(token: ConnectToken) -> io::Result<Self> {
        let clock = Clock::start();
        let nonce = *token.nonce();
        let authentication = ClientAuthentication::Secure { connect_token: token.into_inner() };
        let netcode = NetcodeClient::new(clock.unix(), authentication).map_err(io::Error::other)?;
        Ok(Self {
            socket: wire::bind(local_address(netcode.server_addr()))?,
            netcode,
            clock,
            nonce,
            hearsay: None,
            refusal: None,
            farewells: Farewells::default(),
            inbox: Inbox::new(MAX_WAITING),
            statistics: Statistics::default(),
        })
    }

    /// Receives, and sends what keeps the connection going. What came waits in [`next_datagram`](Self::next_datagram).
    ///
    /// # Errors
    ///
    /// If the socket itself fails.
    pub fn poll(&mut self, now: Instant) -> io::Result<()> {
        let elapsed = self.clock.advance(now);
        let was_connected = self.netcode.is_connected();
        self.inbox.compact();
        let mut has_heard = false;
        let mut buffer = [0; RECEIVE_BYTES];
        for _ in 0..MAX_PER_POLL {
            if self.inbox.is_full() {
                break;
            }
            let Some((length, from)) = wire::receive(&self.socket, &mut buffer)? else { break };
            self.statistics.bytes_received += length as u64;
            has_heard |= from == self.netcode.server_addr();
            self.take_in(from, &mut buffer[..length]);
        }
        self.judge_hearsay();
        if self.is_alive() {
            // The protocol takes what it just heard for as old as the last poll. A game that was busy loading for longer than
            // the timeout, while the server kept talking, must not lose its connection by that.
            let step = if has_heard { elapsed.min(LONGEST_STEP) } else { elapsed };
            if let Some((packet, address)) = self.netcode.update(step) {
                wire::send(&self.socket, &mut self.statistics, address, packet);
            }
        }
        self.follow_server()?;
        self.count(was_connected);
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        self.farewells.say(self.clock.unix(), |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
        Ok(())
    }

    /// The oldest datagram that has not been taken.
    pub fn next_datagram(&mut self) -> Option<&[u8]> {
        self.inbox.next().map(|((), bytes)| bytes)
    }

    /// Sends a datagram. Whether it arrives, nobody knows.
    ///
    /// # Errors
    ///
    /// [`SendError`]; a datagram that the system does not take counts as lost.
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

    /// How far it is.
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

    /// Says goodbye. Copies follow with the next polls, so poll for a seventh of a second more, or drop the socket.
    pub fn disconnect(&mut self) {
        if !self.is_alive() {
            return;
        }
        let was_connected = self.netcode.is_connected();
        if let Ok((address, goodbye)) = self.netcode.disconnect()
            && was_connected
        {
            wire::send(&self.socket, &mut self.statistics, address, goodbye);
            self.farewells.add(address, goodbye, self.clock.unix());
        }
        self.count(was_connected);
    }

    /// Waits until something comes or the time is over. Says whether polling is worth while.
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

    /// Who we are to the server.
    #[must_use]
    pub fn peer(&self) -> u64 {
        self.netcode.client_id()
    }

    /// The server that we are connected to, or try to reach.
    #[must_use]
    pub fn server_addr(&self) -> SocketAddr {
        self.netcode.server_addr()
    }

    /// Where the socket is bound.
    ///
    /// # Errors
    ///
    /// If the system does not say.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// What came so far, and what became of it.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether there is a connection, or may be one.
    fn is_alive(&self) -> bool {
        matches!(self.state(), ClientState::Connecting | ClientState::Connected)
    }

    fn take_in(&mut self, from: SocketAddr, datagram: &mut [u8]) {
        if from != self.netcode.server_addr() {
            self.statistics.strangers += 1;
            return;
        }
        if self.netcode.is_connecting()
            && let Some(refusal) = read_notice(datagram, &self.nonce)
        {
            self.hearsay.get_or_insert((refusal, self.clock.unix())).0 = refusal;
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

    /// Believes a refusal once nobody has let us in for long enough.
    fn judge_hearsay(&mut self) {
        if !self.netcode.is_connecting() {
            self.hearsay = None;
        } else if let Some((refusal, since)) = self.hearsay
            && self.clock.unix() >= since + HEARSAY_TRIAL
        {
            self.refusal = Some(refusal);
        }
    }

    /// The next server of the token may be of the other version of the internet.
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

    fn count(&mut self, was_connected: bool) {
        let is_connected = self.netcode.is_connected();
        self.statistics.connected += u64::from(is_connected && !was_connected);
        self.statistics.disconnected += u64::from(was_connected && !is_connected);
    }
}

impl Drop for ClientSocket {
    /// Without time to wait, the goodbye is said twice in a row.
    fn drop(&mut self) {
        self.disconnect();
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        let now = self.clock.unix() + PAUSES[0];
        self.farewells.say(now, |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
    }
}

/// Any port of the same version of the internet; for a server on this machine, one that is closed to others.
fn local_address(server: SocketAddr) -> SocketAddr {
    match (server.is_ipv4(), server.ip().is_loopback()) {
        (true, true) => (Ipv4Addr::LOCALHOST, 0).into(),
        (true, false) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        (false, true) => (Ipv6Addr::LOCALHOST, 0).into(),
        (false, false) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    }
}
