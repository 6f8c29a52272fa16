//! [`ServerEndpoint`]: the server's side of netcode 1.02, without sockets and clocks.
//!
//! Datagrams with their source address go in; packets to send and events come out. Nothing is allocated for a
//! sender before its request was opened with the server's key, nothing lasting before it has answered a
//! challenge, and no limit of a peer is charged for datagrams that the peer did not sign.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use renetcode::generate_random_bytes;

use crate::MAX_DATAGRAM_BYTES;
use crate::bans::BanList;
use crate::config::{Access, BindError, Limits, ServerConfig};
use crate::cookie::{COOKIE_BYTES, Cookies};
use crate::crypto::{self, SessionKey};
use crate::disconnects::{PendingDisconnects, RESEND_DELAYS};
use crate::event::{Departure, QueuedEvent, SendError, ServerEvent};
use crate::handshake::{AddressProof, CHALLENGE_BYTES, Handshakes, RANDOM_BYTES};
use crate::inbox::Inbox;
use crate::key::ServerKey;
use crate::outbox::Outbox;
use crate::packet::{self, Kind, REQUEST_BYTES};
use crate::peer::Peer;
use crate::rate::{AddressLimiters, Network, RateLimiter};
use crate::refusal::{Refusal, cookie_notice, notice};
use crate::request::{self, RequestValidator, Token};
use crate::returns::{Returns, SECRET_BYTES};
use crate::statistics::Statistics;
use crate::used_tokens::UsedTokens;

#[cfg(test)]
mod tests;

/// Interval of keep-alive packets and timeout checks.
const MAINTENANCE_INTERVAL: Duration = Duration::from_millis(50);

/// Settings of an [`ServerEndpoint`].
#[derive(Debug)]
pub(crate) struct EndpointSettings {
    pub(crate) validator: RequestValidator,
    /// Whether everybody can issue tokens.
    pub(crate) is_open: bool,
    pub(crate) max_clients: u16,
    pub(crate) join_timeout: Option<Duration>,
    pub(crate) limits: Limits,
}

/// A server's side of its connections, without sockets and clocks: handshakes, peers, and queues in both
/// directions. For simulated networks, and for hosts with sockets of their own;
/// [`ServerSocket`](crate::ServerSocket) is one with a UDP socket.
///
/// In each step call [`update`](Self::update) with the time, then [`handle`](Self::handle) with the received
/// datagrams, take the events, send, and pass the packets of [`transmit`](Self::transmit) on.
#[derive(Debug)]
pub struct ServerEndpoint {
    pub(crate) config: EndpointSettings,
    now: Duration,
    bans: BanList,
    /// Whether newcomers are refused, because the server is about to stop.
    pub(crate) is_draining: bool,
    cookies: Cookies,
    cookie_limiter: RateLimiter,
    /// Limits of requests with a cookie and without.
    request_limits: [RequestLimits; 2],
    handshakes: Handshakes,
    pub(crate) used_tokens: UsedTokens,
    returns: Returns,
    peers: BTreeMap<u64, Peer>,
    addresses: BTreeMap<SocketAddr, u64>,
    disconnects: PendingDisconnects,
    pub(crate) inbox: Inbox<QueuedEvent>,
    pub(crate) outbox: Outbox,
    pub(crate) statistics: Statistics,
    /// Sequence number of the next packet to a client that is not connected. It begins at a random place far
    /// above those of connections, because both are sealed with the same keys.
    next_sequence: u64,
    last_maintenance: Duration,
    /// Sealed packet, reused.
    sealed: Vec<u8>,
}

/// Rate limits of requests.
#[derive(Debug)]
struct RequestLimits {
    addresses: AddressLimiters,
    total: RateLimiter,
}

impl RequestLimits {
    fn new() -> Self {
        Self { addresses: AddressLimiters::new(), total: RateLimiter::default() }
    }

    fn admits(&mut self, from: SocketAddr, limits: &Limits, now: Duration) -> bool {
        self.addresses.admits(from.ip(), limits.requests_per_address, now)
            && self.total.admits(limits.requests_in_all, now)
    }
}

impl ServerEndpoint {
    /// A server without peers, at a time since 1970. `listen` is the address by which tokens name it, unless
    /// the configuration has public ones; no socket is bound.
    ///
    /// # Errors
    ///
    /// [`BindError`] if the configuration is not valid.
    pub fn new(config: ServerConfig, now: Duration) -> Result<Self, BindError> {
        config.check()?;
        let (key, is_open) = match config.access {
            Access::Keyed(key) => (key, false),
            Access::OpenOnLoopback | Access::OpenToNetwork => (ServerKey::open(), true),
        };
        let addresses = match (is_open, config.public_addresses.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => vec![config.listen],
            (false, false) => config.public_addresses,
        };
        let settings = EndpointSettings {
            validator: RequestValidator { protocol: config.protocol, keys: vec![key], addresses },
            is_open,
            max_clients: config.max_clients,
            join_timeout: config.join_timeout,
            limits: config.limits,
        };
        Ok(Self::with_settings(settings, now))
    }

    /// A server without peers, with settings that were checked.
    fn with_settings(config: EndpointSettings, now: Duration) -> Self {
        let random = u64::from(u32::from_le_bytes(generate_random_bytes()));
        Self {
            now,
            bans: BanList::default(),
            is_draining: false,
            cookies: Cookies::new(),
            cookie_limiter: RateLimiter::default(),
            request_limits: [RequestLimits::new(), RequestLimits::new()],
            handshakes: Handshakes::default(),
            used_tokens: UsedTokens::default(),
            returns: Returns::default(),
            peers: BTreeMap::new(),
            addresses: BTreeMap::new(),
            disconnects: PendingDisconnects::default(),
            inbox: Inbox::new(config.limits.waiting_datagrams as usize),
            outbox: Outbox::default(),
            statistics: Statistics::default(),
            next_sequence: (1 << 60) + (random << 27),
            last_maintenance: Duration::ZERO,
            sealed: Vec::new(),
            config,
        }
    }

    /// Advances to a time since 1970: queues keep-alive packets and copies of disconnect packets, ends
    /// handshakes, and disconnects silent peers.
    pub fn update(&mut self, now: Duration) {
        self.advance(now);
        self.inbox.compact();
        self.maintain();
    }

    /// Takes the oldest event; `None` if there is none. Its bytes are valid until the next call.
    pub fn next_event(&mut self) -> Option<ServerEvent<'_>> {
        let (queued, bytes) = self.inbox.next()?;
        Some(queued.event(bytes))
    }

    /// Passes the queued packets with their receivers to `send`, and empties the queue.
    pub fn transmit(&mut self, send: impl FnMut(SocketAddr, &[u8])) {
        self.outbox.drain(send);
    }

    /// Counts of received, refused and dropped datagrams; those sent are counted by the owner of the socket.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Sets the time since 1970.
    pub(crate) fn advance(&mut self, now: Duration) {
        self.now = now;
    }

    /// Handles a received datagram, which is decrypted in place: cheap checks first.
    pub fn handle(&mut self, from: SocketAddr, datagram: &mut [u8]) {
        self.statistics.bytes_received += datagram.len() as u64;
        match packet::kind(datagram) {
            None => self.statistics.malformed += 1,
            Some(Kind::Request) => self.handle_request(from, datagram),
            Some(Kind::Response) if self.handshakes.get(from).is_some() => {
                self.handle_response(from, datagram);
            }
            Some(kind) => match self.addresses.get(&from).copied() {
                Some(peer) => self.handle_peer(peer, kind, datagram),
                None => {
                    self.statistics.strangers += 1;
                    if let Some(disconnect_packet) = self.disconnects.answer(from, self.now) {
                        self.outbox.push(from, disconnect_packet);
                    }
                }
            },
        }
    }

    /// Queues a datagram to a peer.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    pub fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError> {
        if bytes.len() > MAX_DATAGRAM_BYTES {
            return Err(SendError::TooLong(bytes.len()));
        }
        if self.seal_to(peer, Kind::Payload, bytes) { Ok(()) } else { Err(SendError::NotConnected) }
    }

    /// Marks a peer as joined: it takes the place of a player, and need not hurry any more.
    pub fn joined(&mut self, peer: u64) {
        if let Some(entry) = self.peers.get_mut(&peer) {
            entry.has_joined = true;
        }
    }

    /// Lets a peer return with a secret. Nothing happens if it is not connected.
    pub(crate) fn let_return(&mut self, peer: u64, secret: [u8; SECRET_BYTES]) {
        if let Some(entry) = self.peers.get(&peer) {
            self.returns.allow(peer, entry, secret);
        }
    }

    /// Forgets the secret of a peer.
    pub(crate) fn forbid_return(&mut self, peer: u64) {
        self.returns.forbid(peer);
    }

    /// Sends keep-alive packets and copies of disconnect packets, ends handshakes, and disconnects silent
    /// peers and those that did not join.
    pub(crate) fn maintain(&mut self) {
        let now = self.now;
        let outbox = &mut self.outbox;
        self.disconnects.send_due(now, |address, packet| outbox.push(address, packet));
        if now < self.last_maintenance + MAINTENANCE_INTERVAL {
            return;
        }
        self.last_maintenance = now;
        self.used_tokens.clean(now);
        self.statistics.abandoned += self.handshakes.expire(now);
        self.statistics.handshakes = self.handshakes.len() as u64;
        let peers: Vec<u64> = self.peers.keys().copied().collect();
        for peer in peers {
            let Some(entry) = self.peers.get(&peer) else { continue };
            let has_time = |time| now < entry.since + time;
            if entry.is_silent(now) {
                self.end(peer, Departure::TimedOut);
            } else if !entry.has_joined && !self.config.join_timeout.is_none_or(has_time) {
                self.statistics.never_joined += 1;
                self.end(peer, Departure::NeverJoined);
            } else if entry.needs_keep_alive(now) {
                let body = self.keep_alive();
                self.seal_to(peer, Kind::KeepAlive, &body);
            }
        }
    }

    /// Disconnects a peer without an event. The disconnect packet is sent, and sent again later. Nothing
    /// happens if it is not connected.
    pub fn disconnect(&mut self, peer: u64) {
        let Some(mut entry) = self.peers.remove(&peer) else { return };
        self.addresses.remove(&entry.address);
        self.statistics.disconnected += 1;
        let protocol = self.config.validator.protocol;
        entry.seal(&mut self.sealed, protocol, Kind::Disconnect, &[], self.now);
        self.outbox.push(entry.address, &self.sealed);
        self.disconnects.add(entry.address, &self.sealed, self.now);
    }

    /// Disconnects all peers without events, when the server shuts down.
    pub(crate) fn disconnect_all(&mut self) {
        while let Some((peer, _)) = self.peers.first_key_value() {
            self.disconnect(*peer);
        }
    }

    /// Sends the first copies of disconnect packets before they are due, when there is no time to wait.
    pub(crate) fn repeat_disconnects(&mut self) {
        let outbox = &mut self.outbox;
        let due = self.now + RESEND_DELAYS[0];
        self.disconnects.send_due(due, |address, packet| outbox.push(address, packet));
    }

    /// When the next copy of a disconnect packet is due.
    pub(crate) fn next_disconnect(&self) -> Option<Duration> {
        self.disconnects.next_due()
    }

    /// The connected peers.
    pub(crate) fn peers(&self) -> &BTreeMap<u64, Peer> {
        &self.peers
    }

    /// Replaces the list of banned addresses and peers, and returns the connected ones among them.
    pub(crate) fn set_bans(&mut self, bans: BanList) -> Vec<u64> {
        self.bans = bans;
        let bans = &self.bans;
        let banned = self.peers.iter().filter(|(peer, entry)| bans.contains(entry.address.ip(), **peer));
        banned.map(|(peer, _)| *peer).collect()
    }

    /// Handles a request within its limits; others are answered with a cookie, which needs no key and no
    /// memory.
    fn handle_request(&mut self, from: SocketAddr, datagram: &[u8]) {
        let (request, cookie) = datagram.split_at(REQUEST_BYTES.min(datagram.len()));
        let cookie: Option<&[u8; COOKIE_BYTES]> = cookie.try_into().ok();
        let is_proven = cookie.is_some_and(|cookie| self.cookies.is_valid(cookie, from, self.now));
        let proof = if is_proven { AddressProof::Cookie } else { AddressProof::None };
        let limits = &self.config.limits;
        let has_room = is_proven || self.handshakes.has_room(from, limits);
        if !has_room || !self.request_limits[proof as usize].admits(from, limits, self.now) {
            self.statistics.limited += 1;
            if !is_proven {
                self.offer_cookie(from, request);
            }
            return;
        }
        match self.receive_request(from, request, proof) {
            Ok(()) => {}
            Err(Refusal::Busy) if !is_proven => self.offer_cookie(from, request),
            Err(refusal) => {
                self.statistics.count_refusal(refusal, from);
                if let Some(nonce) = request::nonce(request) {
                    self.outbox.push(from, &notice(refusal, nonce));
                }
            }
        }
    }

    /// Sends a cookie, with which the client can repeat its request.
    fn offer_cookie(&mut self, from: SocketAddr, request: &[u8]) {
        let is_admitted = self.cookie_limiter.admits(self.config.limits.cookies_in_all, self.now);
        if let Some(nonce) = request::nonce(request)
            && is_admitted
        {
            self.statistics.cookies += 1;
            self.outbox.push(from, &cookie_notice(&self.cookies.bake(from, self.now), nonce));
        }
    }

    /// Opens the token of a request, and sends a challenge to its client.
    fn receive_request(
        &mut self,
        from: SocketAddr,
        request: &[u8],
        proof: AddressProof,
    ) -> Result<(), Refusal> {
        let returning = self.returns.key(request);
        let token = self.config.validator.examine(request, self.now, returning)?;
        let token = if token.is_returning { self.returns.complete(token) } else { token };
        self.check_token(from, &token)?;
        if self.is_full_for(token.peer) {
            self.statistics.count_refusal(Refusal::Full, from);
            self.seal_unconnected(from, Kind::Denied, &token.to_client, &[]);
            return Ok(());
        }
        let limits = &self.config.limits;
        let handshake = self.handshakes.begin(from, token, proof, generate_random_bytes, limits, self.now)?;
        // The first 8 bytes number challenges for servers that seal them; this one remembers them.
        let mut body = [0; 8 + CHALLENGE_BYTES];
        body[8..8 + RANDOM_BYTES].copy_from_slice(&handshake.challenge);
        let to_client = handshake.token.to_client;
        self.seal_unconnected(from, Kind::Challenge, &to_client, &body);
        Ok(())
    }

    /// Checks whether the client of a valid token may connect.
    fn check_token(&self, from: SocketAddr, token: &Token) -> Result<(), Refusal> {
        if self.bans.contains(from.ip(), token.peer) {
            return Err(Refusal::Banned);
        }
        if self.is_draining && !token.is_returning && !self.peers.contains_key(&token.peer) {
            return Err(Refusal::Draining);
        }
        if token.is_returning {
            self.returns.check(token)?;
        } else if self.config.is_open {
            // Everybody can claim to be this peer.
            if self.peers.contains_key(&token.peer) {
                return Err(Refusal::AlreadyConnected);
            }
        } else {
            self.used_tokens.check(&token.signature)?;
        }
        let network = Network::limited(from.ip());
        let same = |(peer, entry): &(&u64, &Peer)| {
            **peer != token.peer && Network::limited(entry.address.ip()) == network
        };
        let is_address_full = network.is_some()
            && self.peers.iter().filter(same).count() >= usize::from(self.config.limits.peers_per_address);
        if is_address_full { Err(Refusal::AddressFull) } else { Ok(()) }
    }

    /// Whether there is no place for a peer: only joined ones count, and not its own former connection.
    fn is_full_for(&self, peer: u64) -> bool {
        let joined = self.peers.iter().filter(|(known, entry)| **known != peer && entry.has_joined);
        joined.count() >= usize::from(self.config.max_clients)
    }

    /// Connects the client that has answered its challenge.
    fn handle_response(&mut self, from: SocketAddr, packet: &mut [u8]) {
        let Some(handshake) = self.handshakes.get(from) else { return };
        let body = crypto::open(packet, self.config.validator.protocol, &handshake.token.to_server);
        let answer = body.and_then(|body| body.get(8..8 + RANDOM_BYTES));
        if answer != Some(&handshake.challenge[..]) {
            self.statistics.unauthentic += 1;
            return;
        }
        let Some(handshake) = self.handshakes.remove(from) else { return };
        let token = handshake.token;
        // Others may have connected since the request.
        if let Err(refusal) = self.check_token(from, &token) {
            self.statistics.count_refusal(refusal, from);
            return;
        }
        if self.is_full_for(token.peer) {
            self.statistics.count_refusal(Refusal::Full, from);
            self.seal_unconnected(from, Kind::Denied, &token.to_client, &[]);
            return;
        }
        self.connect(from, &token);
    }

    /// Adds a peer. Its former connection and a former peer of its address end.
    fn connect(&mut self, address: SocketAddr, token: &Token) {
        if self.peers.contains_key(&token.peer) {
            self.end(token.peer, Departure::Replaced);
        }
        if let Some(former) = self.addresses.get(&address).copied() {
            self.end(former, Departure::AddressTaken);
        }
        let has_joined = self.config.join_timeout.is_none();
        if !has_joined {
            self.make_room();
        }
        if token.is_returning {
            self.returns.spend(token);
        } else if !self.config.is_open {
            self.used_tokens.spend(token.signature, token.expires);
        }
        self.peers.insert(token.peer, Peer::new(address, token, has_joined, self.now));
        self.addresses.insert(address, token.peer);
        self.disconnects.cancel(address);
        self.statistics.connected += 1;
        self.inbox.push(QueuedEvent::Connected(token.peer), &token.user_data);
        let body = self.keep_alive();
        self.seal_to(token.peer, Kind::KeepAlive, &body);
    }

    /// Disconnects the peer that has waited longest without joining, if the waiting ones are too many.
    fn make_room(&mut self) {
        let waiting = self.peers.iter().filter(|(_, entry)| !entry.has_joined);
        if waiting.clone().count() >= usize::from(self.config.limits.waiting_peers.max(1))
            && let Some((peer, _)) = waiting.min_by_key(|(_, entry)| entry.since)
        {
            self.statistics.never_joined += 1;
            self.end(*peer, Departure::NeverJoined);
        }
    }

    /// Handles a packet from the address of a peer. The limit of the peer is charged once the packet has
    /// proved to be the peer's.
    fn handle_peer(&mut self, peer: u64, kind: Kind, packet: &mut [u8]) {
        let Some(entry) = self.peers.get_mut(&peer) else { return };
        let Some(body) = entry.open(packet, self.config.validator.protocol, self.now) else {
            self.statistics.unauthentic += 1;
            return;
        };
        if kind == Kind::Disconnect {
            self.statistics.disconnected += 1;
            self.addresses.remove(&entry.address);
            self.peers.remove(&peer);
            self.inbox.push(QueuedEvent::Disconnected(peer, Departure::Left), &[]);
        } else if !entry.limiter.admits(self.config.limits.datagrams_per_peer, self.now) {
            self.statistics.limited += 1;
        } else if kind == Kind::Payload && body.len() <= MAX_DATAGRAM_BYTES {
            self.statistics.datagrams_received += 1;
            self.inbox.push(QueuedEvent::Datagram(peer), body);
        }
    }

    /// Disconnects a peer, with an event.
    fn end(&mut self, peer: u64, reason: Departure) {
        self.disconnect(peer);
        self.inbox.push(QueuedEvent::Disconnected(peer, reason), &[]);
    }

    /// Body of a keep-alive packet: an index that nobody uses, and the maximum number of clients.
    fn keep_alive(&self) -> [u8; 8] {
        let mut body = [0; 8];
        body[4..].copy_from_slice(&u32::from(self.config.max_clients).to_le_bytes());
        body
    }

    /// Seals and queues a packet to a peer; false if it is not connected.
    fn seal_to(&mut self, peer: u64, kind: Kind, body: &[u8]) -> bool {
        let Some(entry) = self.peers.get_mut(&peer) else { return false };
        entry.seal(&mut self.sealed, self.config.validator.protocol, kind, body, self.now);
        self.outbox.push(entry.address, &self.sealed);
        true
    }

    /// Seals and queues a packet to a client that is not connected.
    fn seal_unconnected(&mut self, to: SocketAddr, kind: Kind, key: &SessionKey, body: &[u8]) {
        let protocol = self.config.validator.protocol;
        crypto::seal(&mut self.sealed, protocol, kind, self.next_sequence, key, body);
        self.next_sequence += 1;
        self.outbox.push(to, &self.sealed);
    }
}
