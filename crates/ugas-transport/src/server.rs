//! The server's end.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use renetcode::{ClientAuthentication, NetcodeClient, NetcodeServer, ServerAuthentication, ServerResult};

use crate::clock::Clock;
use crate::config::{Access, BindError, Limits, ServerConfig};
use crate::event::{Departure, News, SendError, ServerEvent};
use crate::farewell::{Farewells, PAUSES};
use crate::inbox::Inbox;
use crate::key::ServerKey;
use crate::ledger::{Ledger, OPEN_MEMORY, Sight};
use crate::packet::{self, Kind, RECEIVE_BYTES};
use crate::peer::Peer;
use crate::rate::{AddressGates, Gate};
use crate::refusal::{Refusal, notice};
use crate::seal::{self, Door};
use crate::statistics::Statistics;
use crate::token::{Admission, TokenIssuer, unpack_user_data};
use crate::{MAX_DATAGRAM_BYTES, wire};

/// A socket that peers with tokens connect to.
///
/// Nothing happens behind its back: call [`poll`](Self::poll) often (every tick), then take the events, then send. Dropping it
/// says goodbye to everybody; [`shut_down`](Self::shut_down) does so more thoroughly.
#[derive(Debug)]
pub struct ServerSocket {
    socket: UdpSocket,
    address: SocketAddr,
    netcode: NetcodeServer,
    clock: Clock,
    door: Door,
    is_open: bool,
    limits: Limits,
    ledger: Ledger,
    knocking: AddressGates,
    knocking_in_all: Gate,
    peers: BTreeMap<u64, Peer>,
    addresses: BTreeMap<SocketAddr, u64>,
    farewells: Farewells,
    inbox: Inbox<News>,
    statistics: Statistics,
    last_care: Duration,
    /// Reused by [`Self::care`].
    names: Vec<u64>,
}

/// Keeping connections alive and giving up silent ones need not be more exact.
const CARE_PAUSE: Duration = Duration::from_millis(50);

impl ServerSocket {
    /// Listens.
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
        let door =
            Door { protocol: config.protocol, key, addresses: if is_open { Vec::new() } else { addresses } };
        let mut server = Self {
            socket,
            address,
            netcode,
            clock,
            door,
            is_open,
            limits: config.limits,
            ledger: Ledger::default(),
            knocking: AddressGates::new(),
            knocking_in_all: Gate::default(),
            peers: BTreeMap::new(),
            addresses: BTreeMap::new(),
            farewells: Farewells::default(),
            inbox: Inbox::new(config.limits.waiting_datagrams as usize),
            statistics: Statistics::default(),
            last_care: Duration::ZERO,
            names: Vec::new(),
        };
        server.use_up_number_zero();
        Ok(server)
    }

    /// Where it listens, with the port that the system chose.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Receives, keeps connections alive, gives up silent peers. What happened waits in [`next_event`](Self::next_event).
    ///
    /// # Errors
    ///
    /// If the socket itself fails; what befalls single datagrams is counted.
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
            self.take_in(from, &mut buffer[..length]);
        }
        self.care();
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        self.farewells.say(self.clock.unix(), |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
        Ok(())
    }

    /// The oldest event that has not been taken.
    pub fn next_event(&mut self) -> Option<ServerEvent<'_>> {
        let (news, bytes) = self.inbox.next()?;
        Some(news.event(bytes))
    }

    /// Sends a datagram. Whether it arrives, nobody knows.
    ///
    /// # Errors
    ///
    /// [`SendError`]; a datagram that the system does not take counts as lost.
    pub fn send(&mut self, peer: u64, bytes: &[u8]) -> Result<(), SendError> {
        if bytes.len() > MAX_DATAGRAM_BYTES {
            return Err(SendError::TooLong(bytes.len()));
        }
        let entry = self.peers.get_mut(&peer).ok_or(SendError::NotConnected)?;
        entry.skip_used_numbers(&mut self.netcode, peer);
        let packet = self.netcode.generate_payload_packet(peer, bytes);
        let (address, packet) = packet.map_err(|_| SendError::NotConnected)?;
        entry.next_sequence = packet::sequence(packet) + 1;
        if wire::send(&self.socket, &mut self.statistics, address, packet) {
            self.statistics.datagrams_sent += 1;
        }
        Ok(())
    }

    /// Ends a connection and tells the peer so, several times. There is no event of it, and what waits of the peer is
    /// forgotten: the caller knows.
    pub fn disconnect(&mut self, peer: u64) {
        self.say_goodbye(peer);
        self.inbox.retain(|news| news.peer() != peer);
    }

    /// Waits until something comes or the time is over, so that a server need not spin. A signal ends the wait too. Says
    /// whether polling is worth while.
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

    /// Says goodbye to everybody until it is unlikely that somebody has not heard it, which takes a seventh of a second.
    #[must_use = "these are the final counts"]
    pub fn shut_down(mut self) -> Statistics {
        self.clock.advance(Instant::now());
        self.say_goodbye_to_all();
        while let Some(due) = self.farewells.next_due() {
            thread::sleep(due.saturating_sub(self.clock.unix()));
            self.clock.advance(Instant::now());
            let (socket, statistics) = (&self.socket, &mut self.statistics);
            self.farewells.say(self.clock.unix(), |address, packet| {
                wire::send(socket, statistics, address, packet);
            });
        }
        self.statistics.clone()
    }

    /// Who is connected, in order.
    pub fn peers(&self) -> impl Iterator<Item = u64> + '_ {
        self.peers.keys().copied()
    }

    /// From where a peer is connected.
    #[must_use]
    pub fn address_of(&self, peer: u64) -> Option<SocketAddr> {
        self.peers.get(&peer).map(|peer| peer.address)
    }

    /// What came so far, and what became of it.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Judges a datagram: cheap questions first, and nothing goes to the protocol that could not be a packet of it.
    fn take_in(&mut self, from: SocketAddr, datagram: &mut [u8]) {
        let now = self.clock.unix();
        let Some(kind) = packet::kind(datagram) else {
            self.statistics.malformed += 1;
            return;
        };
        if let Some(peer) = self.addresses.get(&from).copied() {
            let Some(entry) = self.peers.get_mut(&peer) else { return };
            // Requests are not signed by whoever is connected: one must not even count as a sign of life.
            if kind == Kind::Request {
                self.statistics.strangers += 1;
            } else if entry.gate.admits(self.limits.datagrams_per_peer, now) {
                self.process(from, kind, datagram);
            } else {
                self.statistics.limited += 1;
            }
            return;
        }
        let is_expected = kind == Kind::Request || kind == Kind::Response && self.ledger.expects(from);
        if !is_expected {
            self.statistics.strangers += 1;
            if let Some(goodbye) = self.farewells.answer(from, now) {
                wire::send(&self.socket, &mut self.statistics, from, goodbye);
            }
            return;
        }
        let limits = &self.limits;
        let is_admitted = self.knocking.admits(from.ip(), limits.requests_per_address, now)
            && self.knocking_in_all.admits(limits.requests_in_all, now);
        if !is_admitted {
            self.statistics.limited += 1;
        } else if kind == Kind::Response {
            self.process(from, kind, datagram);
        } else if let Err(refusal) = self.receive_request(from, datagram) {
            self.statistics.count_refusal(refusal, from);
            if let Some(nonce) = seal::nonce(datagram) {
                wire::send(&self.socket, &mut self.statistics, from, &notice(refusal, nonce));
            }
        }
    }

    /// Lets a request through to the protocol, or says why not.
    fn receive_request(&mut self, from: SocketAddr, request: &mut [u8]) -> Result<(), Refusal> {
        let now = self.clock.unix();
        let ticket = self.door.examine(request, now)?;
        if self.is_open && self.peers.contains_key(&ticket.peer) {
            return Err(Refusal::AlreadyConnected);
        }
        let ticket = if self.is_open { ticket.remembered(OPEN_MEMORY, now) } else { ticket };
        let sight = self.ledger.enter(&ticket, from, now)?;
        if self.peers.contains_key(&ticket.peer) {
            // Only a token that nobody has seen yet proves that the peer itself comes again; others may be recorded.
            if sight == Sight::Repeated {
                return Err(Refusal::AlreadyConnected);
            }
            self.say_goodbye(ticket.peer);
            self.inbox.push(News::Disconnected(ticket.peer, Departure::Replaced), &[]);
        }
        self.process(from, Kind::Request, request);
        Ok(())
    }

    /// Gives a packet to the protocol and carries out what follows.
    fn process(&mut self, from: SocketAddr, kind: Kind, packet: &mut [u8]) {
        match self.netcode.process_packet(from, packet) {
            ServerResult::None => {
                if matches!(kind, Kind::Payload | Kind::Disconnect) {
                    self.statistics.unauthentic += 1;
                }
            }
            ServerResult::PacketToSend { addr, payload } => {
                self.ledger.note_answer(addr, packet::sequence(payload));
                if packet::kind(payload) == Some(Kind::Denied) {
                    self.statistics.count_refusal(Refusal::Full, addr);
                }
                wire::send(&self.socket, &mut self.statistics, addr, payload);
            }
            ServerResult::Payload { client_id, payload } => {
                if payload.len() <= MAX_DATAGRAM_BYTES {
                    self.statistics.datagrams_received += 1;
                    self.inbox.push(News::Datagram(client_id), payload);
                }
            }
            ServerResult::ClientConnected { client_id: peer, addr, user_data, payload } => {
                let used_numbers = self.ledger.spend(addr);
                let next_sequence = packet::sequence(payload) + 1;
                let user_data = unpack_user_data(peer, &user_data);
                let (Some(user_data), false) = (user_data, self.peers.contains_key(&peer)) else {
                    // Somebody holds several tokens and mixes them up on purpose: none of them counts.
                    self.statistics.unauthentic += 1;
                    self.expel(peer);
                    return;
                };
                wire::send(&self.socket, &mut self.statistics, addr, payload);
                let entry = Peer { address: addr, gate: Gate::default(), next_sequence, used_numbers };
                self.peers.insert(peer, entry);
                self.addresses.insert(addr, peer);
                self.farewells.forget(addr);
                self.statistics.connected += 1;
                self.inbox.push(News::Connected(peer), user_data);
            }
            ServerResult::ClientDisconnected { client_id, .. } => self.remove(client_id, Departure::Left),
        }
    }

    /// Keeps connections alive and gives up those that are silent.
    fn care(&mut self) {
        let now = self.clock.unix();
        if now < self.last_care + CARE_PAUSE {
            return;
        }
        self.last_care = now;
        let mut names = std::mem::take(&mut self.names);
        names.extend(self.peers.keys());
        for peer in names.drain(..) {
            let Some(entry) = self.peers.get_mut(&peer) else { continue };
            entry.skip_used_numbers(&mut self.netcode, peer);
            match self.netcode.update_client(peer) {
                ServerResult::PacketToSend { addr, payload } => {
                    entry.next_sequence = packet::sequence(payload) + 1;
                    wire::send(&self.socket, &mut self.statistics, addr, payload);
                }
                ServerResult::ClientDisconnected { addr, payload, .. } => {
                    if let Some(goodbye) = payload {
                        wire::send(&self.socket, &mut self.statistics, addr, goodbye);
                        self.farewells.add(addr, goodbye, now);
                    }
                    self.remove(peer, Departure::TimedOut);
                }
                _ => {}
            }
        }
        self.names = names;
    }

    /// Ends a connection from this side.
    fn say_goodbye(&mut self, peer: u64) {
        let Some(mut entry) = self.peers.remove(&peer) else { return };
        self.addresses.remove(&entry.address);
        self.statistics.disconnected += 1;
        entry.skip_used_numbers(&mut self.netcode, peer);
        if let ServerResult::ClientDisconnected { addr, payload: Some(goodbye), .. } =
            self.netcode.disconnect(peer)
        {
            wire::send(&self.socket, &mut self.statistics, addr, goodbye);
            self.farewells.add(addr, goodbye, self.clock.unix());
        }
    }

    fn say_goodbye_to_all(&mut self) {
        while let Some((peer, _)) = self.peers.first_key_value() {
            self.say_goodbye(*peer);
        }
    }

    /// Forgets a peer that the protocol has forgotten.
    fn remove(&mut self, peer: u64, reason: Departure) {
        let Some(entry) = self.peers.remove(&peer) else { return };
        self.addresses.remove(&entry.address);
        self.statistics.disconnected += 1;
        self.inbox.push(News::Disconnected(peer, reason), &[]);
    }

    /// Ends all connections that go by a peer's name.
    fn expel(&mut self, peer: u64) {
        self.remove(peer, Departure::Replaced);
        while self.netcode.is_client_connected(peer) {
            self.netcode.disconnect(peer);
        }
    }

    /// Has the protocol answer a request of our own, with a key that nobody else will have.
    ///
    /// The first answer that a server gives is numbered zero, and so is the first packet of every connection. Answers are
    /// encrypted with the connection's key, and a number must be used once with a key.
    fn use_up_number_zero(&mut self) {
        let server = self.door.addresses.first().copied().unwrap_or(self.address);
        let admission = Admission::new(0, server).valid_for(Duration::from_secs(1));
        let issuer = TokenIssuer::new(self.door.key.clone(), self.door.protocol);
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
    /// Without time to wait, goodbyes are said twice in a row.
    fn drop(&mut self) {
        self.say_goodbye_to_all();
        let (socket, statistics) = (&self.socket, &mut self.statistics);
        let now = self.clock.unix() + PAUSES[0];
        self.farewells.say(now, |address, packet| {
            wire::send(socket, statistics, address, packet);
        });
    }
}
