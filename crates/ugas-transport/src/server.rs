//! [`ServerSocket`]: the server's UDP socket.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use renetcode::{ClientAuthentication, NetcodeClient, NetcodeServer, ServerAuthentication, ServerResult};

use crate::clock::Clock;
use crate::config::{Access, BindError, Limits, ServerConfig};
use crate::disconnects::{PendingDisconnects, RESEND_DELAYS};
use crate::event::{Departure, QueuedEvent, SendError, ServerEvent};
use crate::inbox::Inbox;
use crate::key::ServerKey;
use crate::packet::{self, Kind, RECEIVE_BYTES};
use crate::peer::Peer;
use crate::rate::{AddressLimiters, RateLimiter};
use crate::refusal::{Refusal, notice};
use crate::request::{self, RequestValidator};
use crate::statistics::Statistics;
use crate::token::{Admission, TokenIssuer, unpack_user_data};
use crate::used_tokens::{OPEN_MEMORY, TokenUse, UsedTokens};
use crate::{MAX_DATAGRAM_BYTES, wire};

/// A socket that peers with tokens connect to.
///
/// It has no threads: call [`poll`](Self::poll) often (every tick), then take the events, then send. Dropping
/// it disconnects all peers; [`shut_down`](Self::shut_down) does so more reliably.
#[derive(Debug)]
pub struct ServerSocket {
    socket: UdpSocket,
    address: SocketAddr,
    netcode: NetcodeServer,
    clock: Clock,
    validator: RequestValidator,
    is_open: bool,
    limits: Limits,
    used_tokens: UsedTokens,
    request_limiters: AddressLimiters,
    total_request_limiter: RateLimiter,
    peers: BTreeMap<u64, Peer>,
    addresses: BTreeMap<SocketAddr, u64>,
    disconnects: PendingDisconnects,
    inbox: Inbox<QueuedEvent>,
    statistics: Statistics,
    last_maintenance: Duration,
    /// Reused by [`Self::maintain`].
    names: Vec<u64>,
}

/// Interval of keep-alive packets and timeout checks.
const MAINTENANCE_INTERVAL: Duration = Duration::from_millis(50);

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
        let socket = wire::bind(config.listen).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let (key, is_open) = match config.access {
            Access::Keyed(key) => (key, false),
            Access::OpenOnLoopback | Access::OpenToNetwork => (ServerKey::open(), true),
        };
        let addresses =
            if config.public_addresses.is_empty() { vec![address] } else { config.public_addresses };
        let clock = Clock::start();
        let netcode = NetcodeServer::new(renetcode::ServerConfig {
            current_time: clock.unix(),
            max_clients: usize::from(config.max_clients),
            protocol_id: config.protocol.to_bits(),
            public_addresses: addresses.clone(),
            authentication: if is_open {
                ServerAuthentication::Unsecure
            } else {
                ServerAuthentication::Secure { private_key: *key.bytes() }
            },
        });
        let validator = RequestValidator {
            protocol: config.protocol,
            key,
            addresses: if is_open { Vec::new() } else { addresses },
        };
        let mut server = Self {
            socket,
            address,
            netcode,
            clock,
            validator,
            is_open,
            limits: config.limits,
            used_tokens: UsedTokens::default(),
            request_limiters: AddressLimiters::new(),
            total_request_limiter: RateLimiter::default(),
            peers: BTreeMap::new(),
            addresses: BTreeMap::new(),
            disconnects: PendingDisconnects::default(),
            inbox: Inbox::new(config.limits.waiting_datagrams as usize),
            statistics: Statistics::default(),
            last_maintenance: Duration::ZERO,
            names: Vec::new(),
        };
        server.skip_sequence_zero();
        Ok(server)
    }

    /// The address it listens at, with the port that the system chose.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Receives, sends keep-alive packets, and disconnects silent peers. Events are queued for
    /// [`next_event`](Self::next_event).
    ///
    /// # Errors
    ///
    /// If the socket itself fails; errors of single datagrams are counted.
    pub fn poll(&mut self, now: Instant) -> io::Result<()> {
        let elapsed = self.clock.advance(now);
        self.netcode.update(elapsed);
        self.inbox.compact();
        let mut buffer = [0; RECEIVE_BYTES];
        for _ in 0..self.limits.datagrams_per_poll.max(1) {
            if self.inbox.is_full() {
                break;
            }
            let Some((length, from)) = wire::receive(&self.socket, &mut buffer)? else { break };
            self.statistics.bytes_received += length as u64;
            self.handle_datagram(from, &mut buffer[..length]);
        }
        self.maintain();
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        self.disconnects.send_due(self.clock.unix(), |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
        Ok(())
    }

    /// Takes the oldest event that [`Self::poll`] queued; `None` if there is none. Its bytes are valid until
    /// the next call.
    pub fn next_event(&mut self) -> Option<ServerEvent<'_>> {
        let (queued, bytes) = self.inbox.next()?;
        Some(queued.event(bytes))
    }

    /// Sends a datagram, which may be lost.
    ///
    /// # Errors
    ///
    /// [`SendError`]; a datagram that the system does not accept counts as lost.
    pub fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError> {
        if bytes.len() > MAX_DATAGRAM_BYTES {
            return Err(SendError::TooLong(bytes.len()));
        }
        let entry = self.peers.get_mut(&peer).ok_or(SendError::NotConnected)?;
        entry.skip_used_sequences(&mut self.netcode, peer);
        let packet = self.netcode.generate_payload_packet(peer, bytes);
        let (address, packet) = packet.map_err(|_| SendError::NotConnected)?;
        entry.next_sequence = packet::sequence(packet) + 1;
        if wire::send(&self.socket, &mut self.statistics, address, packet) {
            self.statistics.datagrams_sent += 1;
        }
        Ok(())
    }

    /// Disconnects a peer. No event is emitted, and its queued events are dropped. The disconnect packet is
    /// sent several times.
    pub fn disconnect(&mut self, peer: u64) {
        self.disconnect_silently(peer);
        self.inbox.retain(|queued| queued.peer() != peer);
    }

    /// Waits until a datagram arrives, the timeout passes, or a signal arrives; returns whether there is
    /// something to poll.
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

    /// Disconnects all peers and repeats the disconnect packets, which takes 140 ms.
    #[must_use = "these are the final counts"]
    pub fn shut_down(mut self) -> Statistics {
        self.clock.advance(Instant::now());
        self.disconnect_all();
        while let Some(due) = self.disconnects.next_due() {
            thread::sleep(due.saturating_sub(self.clock.unix()));
            self.clock.advance(Instant::now());
            let (socket, statistics) = (&self.socket, &mut self.statistics);
            self.disconnects.send_due(self.clock.unix(), |address, packet| {
                wire::send(socket, statistics, address, packet);
            });
        }
        self.statistics.clone()
    }

    /// The connected peers, sorted by number.
    pub fn peers(&self) -> impl Iterator<Item = u64> + '_ {
        self.peers.keys().copied()
    }

    /// The address of a peer; `None` if it is not connected.
    #[must_use]
    pub fn address_of(&self, peer: u64) -> Option<SocketAddr> {
        self.peers.get(&peer).map(|peer| peer.address)
    }

    /// Counts of sent, received, refused and dropped datagrams.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Handles a datagram: cheap checks first, and only well-formed packets go to `renetcode`.
    fn handle_datagram(&mut self, from: SocketAddr, datagram: &mut [u8]) {
        let now = self.clock.unix();
        let Some(kind) = packet::kind(datagram) else {
            self.statistics.malformed += 1;
            return;
        };
        if let Some(peer) = self.addresses.get(&from).copied() {
            let Some(entry) = self.peers.get_mut(&peer) else { return };
            // Requests are not signed with the connection's key, so one must not count as a sign of life.
            if kind == Kind::Request {
                self.statistics.strangers += 1;
            } else if entry.limiter.admits(self.limits.datagrams_per_peer, now) {
                self.process(from, kind, datagram);
            } else {
                self.statistics.limited += 1;
            }
            return;
        }
        let is_expected = kind == Kind::Request || kind == Kind::Response && self.used_tokens.expects(from);
        if !is_expected {
            self.statistics.strangers += 1;
            if let Some(disconnect_packet) = self.disconnects.answer(from, now) {
                wire::send(&self.socket, &mut self.statistics, from, disconnect_packet);
            }
            return;
        }
        let limits = &self.limits;
        let is_admitted = self.request_limiters.admits(from.ip(), limits.requests_per_address, now)
            && self.total_request_limiter.admits(limits.requests_in_all, now);
        if !is_admitted {
            self.statistics.limited += 1;
        } else if kind == Kind::Response {
            self.process(from, kind, datagram);
        } else if let Err(refusal) = self.receive_request(from, datagram) {
            self.statistics.count_refusal(refusal, from);
            if let Some(nonce) = request::nonce(datagram) {
                wire::send(&self.socket, &mut self.statistics, from, &notice(refusal, nonce));
            }
        }
    }

    /// Passes a valid request to `renetcode`. A peer that is connected already is replaced by a token that
    /// was never used, and refused otherwise.
    fn receive_request(&mut self, from: SocketAddr, request: &mut [u8]) -> Result<(), Refusal> {
        let now = self.clock.unix();
        let token = self.validator.examine(request, now)?;
        if self.is_open && self.peers.contains_key(&token.peer) {
            return Err(Refusal::AlreadyConnected);
        }
        let token = if self.is_open { token.remembered(OPEN_MEMORY, now) } else { token };
        let token_use = self.used_tokens.enter(&token, from, now)?;
        if self.peers.contains_key(&token.peer) {
            // Only a token that was never sent before proves that the peer itself reconnects; others may be
            // replayed.
            if token_use == TokenUse::Repeated {
                return Err(Refusal::AlreadyConnected);
            }
            self.disconnect_silently(token.peer);
            self.inbox.push(QueuedEvent::Disconnected(token.peer, Departure::Replaced), &[]);
        }
        self.process(from, Kind::Request, request);
        Ok(())
    }

    /// Passes a packet to `renetcode` and handles the result.
    fn process(&mut self, from: SocketAddr, kind: Kind, packet: &mut [u8]) {
        match self.netcode.process_packet(from, packet) {
            ServerResult::None => {
                if matches!(kind, Kind::Payload | Kind::Disconnect) {
                    self.statistics.unauthentic += 1;
                }
            }
            ServerResult::PacketToSend { addr, payload } => {
                self.used_tokens.note_answer(addr, packet::sequence(payload));
                if packet::kind(payload) == Some(Kind::Denied) {
                    self.statistics.count_refusal(Refusal::Full, addr);
                }
                wire::send(&self.socket, &mut self.statistics, addr, payload);
            }
            ServerResult::Payload { client_id, payload } => {
                if payload.len() <= MAX_DATAGRAM_BYTES {
                    self.statistics.datagrams_received += 1;
                    self.inbox.push(QueuedEvent::Datagram(client_id), payload);
                }
            }
            ServerResult::ClientConnected { client_id: peer, addr, user_data, payload } => {
                let used_sequences = self.used_tokens.spend(addr);
                let next_sequence = packet::sequence(payload) + 1;
                let user_data = unpack_user_data(peer, &user_data);
                let (Some(user_data), false) = (user_data, self.peers.contains_key(&peer)) else {
                    // An attacker combines several tokens: reject them all.
                    self.statistics.unauthentic += 1;
                    self.reject_peer(peer);
                    return;
                };
                wire::send(&self.socket, &mut self.statistics, addr, payload);
                let entry =
                    Peer { address: addr, limiter: RateLimiter::default(), next_sequence, used_sequences };
                self.peers.insert(peer, entry);
                self.addresses.insert(addr, peer);
                self.disconnects.cancel(addr);
                self.statistics.connected += 1;
                self.inbox.push(QueuedEvent::Connected(peer), user_data);
            }
            ServerResult::ClientDisconnected { client_id, .. } => self.remove(client_id, Departure::Left),
        }
    }

    /// Sends keep-alive packets and disconnects silent peers.
    fn maintain(&mut self) {
        let now = self.clock.unix();
        if now < self.last_maintenance + MAINTENANCE_INTERVAL {
            return;
        }
        self.last_maintenance = now;
        let mut names = std::mem::take(&mut self.names);
        names.extend(self.peers.keys());
        for peer in names.drain(..) {
            let Some(entry) = self.peers.get_mut(&peer) else { continue };
            entry.skip_used_sequences(&mut self.netcode, peer);
            match self.netcode.update_client(peer) {
                ServerResult::PacketToSend { addr, payload } => {
                    entry.next_sequence = packet::sequence(payload) + 1;
                    wire::send(&self.socket, &mut self.statistics, addr, payload);
                }
                ServerResult::ClientDisconnected { addr, payload, .. } => {
                    if let Some(disconnect_packet) = payload {
                        wire::send(&self.socket, &mut self.statistics, addr, disconnect_packet);
                        self.disconnects.add(addr, disconnect_packet, now);
                    }
                    self.remove(peer, Departure::TimedOut);
                }
                _ => {}
            }
        }
        self.names = names;
    }

    /// Disconnects a peer without an event. The disconnect packet is sent, and sent again later. Nothing
    /// happens if it is not connected.
    fn disconnect_silently(&mut self, peer: u64) {
        let Some(mut entry) = self.peers.remove(&peer) else { return };
        self.addresses.remove(&entry.address);
        self.statistics.disconnected += 1;
        entry.skip_used_sequences(&mut self.netcode, peer);
        if let ServerResult::ClientDisconnected { addr, payload: Some(disconnect_packet), .. } =
            self.netcode.disconnect(peer)
        {
            wire::send(&self.socket, &mut self.statistics, addr, disconnect_packet);
            self.disconnects.add(addr, disconnect_packet, self.clock.unix());
        }
    }

    /// Disconnects all peers without events, when the server shuts down.
    fn disconnect_all(&mut self) {
        while let Some((peer, _)) = self.peers.first_key_value() {
            self.disconnect_silently(*peer);
        }
    }

    /// Removes a peer that `renetcode` has removed, and emits an event.
    fn remove(&mut self, peer: u64, reason: Departure) {
        let Some(entry) = self.peers.remove(&peer) else { return };
        self.addresses.remove(&entry.address);
        self.statistics.disconnected += 1;
        self.inbox.push(QueuedEvent::Disconnected(peer, reason), &[]);
    }

    /// Ends all connections of a peer whose tokens an attacker combined: which one is genuine is unknown.
    fn reject_peer(&mut self, peer: u64) {
        self.remove(peer, Departure::Replaced);
        while self.netcode.is_client_connected(peer) {
            self.netcode.disconnect(peer);
        }
    }

    /// Uses up sequence number zero of the server's answers to requests, with a request of the server itself.
    ///
    /// The packets of every connection start at zero, too, and an answer is encrypted with the key of the
    /// connection that it leads to. A number must be used only once with a key, and nobody else has the key
    /// of this request.
    fn skip_sequence_zero(&mut self) {
        let server = self.validator.addresses.first().copied().unwrap_or(self.address);
        let admission = Admission::new(0, server).valid_for(Duration::from_secs(1));
        let issuer = TokenIssuer::new(self.validator.key.clone(), self.validator.protocol);
        let Ok(token) = issuer.issue(&admission) else { return };
        let authentication = ClientAuthentication::Secure { connect_token: token.into_inner() };
        let client = NetcodeClient::new(self.clock.unix(), authentication);
        let Ok(mut client) = client else { return };
        if let Some((request, _)) = client.update(Duration::ZERO) {
            self.netcode.process_packet(self.address, request);
        }
    }
}

impl Drop for ServerSocket {
    /// Disconnects all peers. Without time to wait, the disconnect packets are sent twice in a row.
    fn drop(&mut self) {
        self.disconnect_all();
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        let now = self.clock.unix() + RESEND_DELAYS[0];
        self.disconnects.send_due(now, |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
    }
}
