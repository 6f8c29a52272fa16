//! Encryption of a match: the real transport between the simulated links and the netcode, without sockets.
//!
//! Every player connects with a token, and its datagrams are sealed and opened as on a real network, within the
//! default limits of a server. A vandal on the network repeats, damages and forges datagrams of both directions,
//! with the addresses of players and of others.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};
use ugas_net::message::PROTOCOL;
use ugas_net::{PeerId, Server};
use ugas_transport::{
    Access, Admission, ClientEndpoint, ClientState, ProtocolId, SendError, ServerConfig, ServerEndpoint,
    ServerEvent, ServerKey, TokenIssuer,
};

use super::player::{Player, TIMEOUT};
use crate::link::Link;

/// Wall-clock time at the beginning of a match, since 1970.
const EPOCH: Duration = Duration::from_secs(1_700_000_000);
/// Address of the server.
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 7777);
/// Time that a connection stays open after its session, so that the last message arrives.
const CLOSE_DELAY: Span = Span::millis(500);
/// Time in which a connected client must join.
const JOIN_TIME: Duration = Duration::from_secs(5);
/// Number of overheard datagrams that the vandal keeps for each direction.
const OVERHEARD: usize = 64;
/// Chance of a datagram of the vandal in a step.
const VANDALISM: f64 = 0.2;

/// The server's side.
pub(super) struct Encryption {
    endpoint: ServerEndpoint,
    issuer: TokenIssuer,
    /// Connections whose session is over, and when they are closed.
    closing: BTreeMap<PeerId, Time>,
    dice: RandomStream,
    next_address: u32,
    /// Datagrams that the vandal has overheard on their way to the server.
    overheard: VecDeque<(SocketAddr, Vec<u8>)>,
}

/// A player's side.
pub(super) struct Connection {
    endpoint: ClientEndpoint,
    pub(super) address: SocketAddr,
    /// Datagrams that the vandal has overheard on their way to the player.
    overheard: VecDeque<Vec<u8>>,
}

impl Encryption {
    /// A server with a key and the default limits.
    ///
    /// # Panics
    /// Never: the configuration is valid.
    pub(super) fn new(seed: u64) -> Self {
        let (key, protocol) = (ServerKey::generate(), ProtocolId::of(PROTOCOL, seed));
        let config = ServerConfig::new(SERVER, protocol, Access::Keyed(key.clone()));
        let config = config.max_clients(ugas_transport::MAX_CLIENTS).join_within(JOIN_TIME);
        Self {
            endpoint: ServerEndpoint::new(config, EPOCH).expect("the configuration is valid"),
            issuer: TokenIssuer::new(key, protocol),
            closing: BTreeMap::new(),
            dice: RandomStream::derive(seed, &[5]),
            next_address: 0,
            overheard: VecDeque::new(),
        }
    }

    /// A new connection of a peer, which begins to connect at a time of its own clock. Half of the time it
    /// keeps the address of the former one.
    ///
    /// # Panics
    /// Never: the token is valid.
    pub(super) fn connect(
        &mut self,
        now: Time,
        local: Time,
        peer: PeerId,
        former: Option<SocketAddr>,
    ) -> Connection {
        let keeps = self.dice.chance(0.5);
        let address = former.filter(|_| keeps).unwrap_or_else(|| {
            self.next_address += 1;
            SocketAddr::new(IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + self.next_address)), 4000)
        });
        let timeout = Duration::from_micros(TIMEOUT.micros().unsigned_abs());
        let admission = Admission::new(peer.0, SERVER).timeout(timeout);
        let token = self.issuer.issue_at(&admission, unix(now)).expect("the admission is within its limits");
        let endpoint = ClientEndpoint::new(token, unix(local)).expect("the token is valid");
        Connection { endpoint, address, overheard: VecDeque::new() }
    }

    /// Delivers the datagrams that have arrived: of the players, and with `vandalism` forged ones.
    pub(super) fn receive(
        &mut self,
        now: Time,
        players: &mut [Player],
        server: &mut Server,
        vandalism: bool,
    ) -> u64 {
        self.endpoint.update(unix(now));
        while let Some(peer) = self.closing.iter().find(|(_, due)| **due <= now).map(|(peer, _)| *peer) {
            self.closing.remove(&peer);
            self.endpoint.disconnect(peer.0);
            server.disconnected(peer);
        }
        for player in &mut *players {
            let Some(connection) = &player.connection else { continue };
            while let Some(mut bytes) = player.link.to_server.receive(now) {
                overhear(&mut self.overheard, (connection.address, bytes.clone()));
                self.endpoint.handle(connection.address, &mut bytes);
            }
        }
        let forged = if vandalism { self.vandalise(players) } else { 0 };
        while let Some(event) = self.endpoint.next_event() {
            match event {
                ServerEvent::Connected { peer, .. } => {
                    self.closing.remove(&PeerId(peer));
                }
                ServerEvent::Datagram { peer, bytes } => server.handle(now, PeerId(peer), bytes),
                ServerEvent::Disconnected { peer, .. } => {
                    server.disconnected(PeerId(peer));
                    self.closing.remove(&PeerId(peer));
                }
            }
        }
        forged
    }

    /// Queues a datagram to a peer; one that has disconnected gets none.
    pub(super) fn send(&mut self, peer: PeerId, bytes: &[u8]) {
        let _ = self.endpoint.send(peer.0, bytes);
    }

    /// Puts the queued packets on the links of the players. Packets to addresses that nobody has any more are
    /// lost.
    pub(super) fn transmit(&mut self, now: Time, players: &mut [Player]) {
        self.endpoint.transmit(|to, packet| {
            for player in &mut *players {
                let Some(connection) = &mut player.connection else { continue };
                if connection.address == to {
                    overhear(&mut connection.overheard, packet.to_vec());
                    player.link.to_client.send(now, packet);
                }
            }
        });
    }

    /// Notes that a peer has joined the game.
    pub(super) fn joined(&mut self, peer: PeerId) {
        self.closing.remove(&peer);
        self.endpoint.joined(peer.0);
    }

    /// Notes that the session of a peer is over or was refused: its connection is closed after a while.
    pub(super) fn session_ended(&mut self, now: Time, peer: PeerId) {
        self.closing.entry(peer).or_insert(now + CLOSE_DELAY);
    }

    /// Repeats, damages or forges a datagram now and then; returns how many.
    fn vandalise(&mut self, players: &mut [Player]) -> u64 {
        if !self.dice.chance(VANDALISM) || players.is_empty() {
            return 0;
        }
        let dice = &mut self.dice;
        let victim = dice.below(players.len() as u64) as usize;
        let (kind, at) = (dice.below(6), dice.below(OVERHEARD as u64) as usize);
        let bit = dice.next_u64() as usize;
        let stranger = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 51, 100, bit as u8)), 4000);
        let Some(connection) = &mut players[victim].connection else { return 0 };
        let flip = |bytes: &mut Vec<u8>| {
            let length = bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(bit / 8 % length) {
                *byte ^= 1 << (bit % 8);
            }
        };
        if kind >= 4 {
            // To the player: repeated, or damaged.
            let Some(mut bytes) = connection.overheard.get(at).cloned() else { return 0 };
            if kind == 5 {
                flip(&mut bytes);
            }
            connection.endpoint.handle(SERVER, &mut bytes);
            return 1;
        }
        let Some((from, mut bytes)) = self.overheard.get(at).cloned() else { return 0 };
        let from = match kind {
            0 => from,
            1 => {
                flip(&mut bytes);
                from
            }
            2 => connection.address,
            _ => stranger,
        };
        self.endpoint.handle(from, &mut bytes);
        1
    }
}

impl Connection {
    /// Whether the connection has ended or was refused.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.endpoint.state(), ClientState::Refused(_) | ClientState::Disconnected(_))
    }

    pub(super) fn is_connected(&self) -> bool {
        self.endpoint.state() == ClientState::Connected
    }

    /// Handles a datagram of the link.
    pub(super) fn handle(&mut self, mut bytes: Vec<u8>) {
        self.endpoint.handle(SERVER, &mut bytes);
    }

    /// Advances to a time of the player's clock.
    pub(super) fn update(&mut self, local: Time) {
        self.endpoint.update(unix(local));
    }

    /// Takes the next datagram that has arrived.
    pub(super) fn next_datagram(&mut self) -> Option<&[u8]> {
        self.endpoint.next_datagram()
    }

    /// Sends a datagram of the player. One that is too long is sent as it is, which only a cheat tries.
    pub(super) fn send(&mut self, now: Time, bytes: &[u8], link: &mut Link) {
        if let Err(SendError::TooLong(_)) = self.endpoint.send(bytes) {
            link.send(now, bytes);
        }
    }

    /// Closes the connection.
    pub(super) fn disconnect(&mut self) {
        self.endpoint.disconnect();
    }

    /// Puts the queued packets on the link.
    pub(super) fn transmit(&mut self, now: Time, link: &mut Link) {
        self.endpoint.transmit(|_, packet| link.send(now, packet));
    }
}

/// Time since 1970 at a time of the match.
fn unix(time: Time) -> Duration {
    EPOCH + Duration::from_micros(time.micros())
}

/// Keeps an overheard datagram, and forgets the oldest.
fn overhear<T>(overheard: &mut VecDeque<T>, datagram: T) {
    if overheard.len() >= OVERHEARD {
        overheard.pop_front();
    }
    overheard.push_back(datagram);
}
