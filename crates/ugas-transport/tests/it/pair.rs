//! A server and its clients, polled until a condition holds.

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use ugas_transport::{
    Access, Admission, ClientSocket, ClientState, ConnectToken, Departure, ProtocolId, ServerConfig,
    ServerEvent, ServerKey, ServerSocket, TokenIssuer,
};

/// Timeout that is long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn protocol() -> ProtocolId {
    ProtocolId::of(1, 0xcafe)
}

pub(crate) fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// An owned event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SeenEvent {
    Connected(u64, Vec<u8>),
    Datagram(u64, Vec<u8>),
    Disconnected(u64, Departure),
}

pub(crate) struct Host {
    pub(crate) server: ServerSocket,
    pub(crate) issuer: TokenIssuer,
    pub(crate) seen: Vec<SeenEvent>,
    /// Offset of the time of server and clients from real time.
    pub(crate) ahead: Duration,
}

impl Host {
    pub(crate) fn new(change: impl FnOnce(ServerConfig) -> ServerConfig) -> Self {
        let key = ServerKey::generate();
        let config = ServerConfig::new(loopback(), protocol(), Access::Keyed(key.clone()));
        let server = ServerSocket::bind(change(config)).unwrap();
        Self { server, issuer: TokenIssuer::new(key, protocol()), seen: Vec::new(), ahead: Duration::ZERO }
    }

    pub(crate) fn admission(&self, peer: u64) -> Admission {
        Admission::new(peer, self.server.local_addr())
    }

    pub(crate) fn token(&self, peer: u64) -> ConnectToken {
        self.issuer.issue(&self.admission(peer)).unwrap()
    }

    /// A connecting client.
    pub(crate) fn client(&self, peer: u64) -> ClientSocket {
        ClientSocket::connect(self.token(peer)).unwrap()
    }

    /// A connected client.
    pub(crate) fn connected(&mut self, peer: u64) -> ClientSocket {
        let mut client = self.client(peer);
        self.until(&mut [&mut client], |_, clients| clients[0].state() == ClientState::Connected);
        client
    }

    pub(crate) fn now(&self) -> Instant {
        Instant::now() + self.ahead
    }

    pub(crate) fn poll(&mut self) {
        self.server.poll(self.now()).unwrap();
        while let Some(event) = self.server.next_event() {
            self.seen.push(match event {
                ServerEvent::Connected { peer, user_data } => SeenEvent::Connected(peer, user_data.to_vec()),
                ServerEvent::Datagram { peer, bytes } => SeenEvent::Datagram(peer, bytes.to_vec()),
                ServerEvent::Disconnected { peer, reason } => SeenEvent::Disconnected(peer, reason),
            });
        }
    }

    /// Polls all until a condition holds.
    pub(crate) fn until(
        &mut self,
        clients: &mut [&mut ClientSocket],
        mut is_so: impl FnMut(&Self, &mut [&mut ClientSocket]) -> bool,
    ) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            for client in &mut *clients {
                client.poll(self.now()).unwrap();
            }
            self.server.wait(Duration::from_millis(2)).unwrap();
            self.poll();
            if is_so(self, clients) {
                return;
            }
            let states: Vec<_> = clients.iter().map(|client| client.state()).collect();
            assert!(Instant::now() < deadline, "{states:?}, {:?}, {:?}", self.seen, self.server.statistics());
        }
    }

    /// Polls until a client is no longer connecting, and returns its state.
    pub(crate) fn outcome(&mut self, client: &mut ClientSocket) -> ClientState {
        self.until(&mut [client], |_, clients| clients[0].state() != ClientState::Connecting);
        client.state()
    }
}

/// A relay between one client and the server, which can drop and change packets: the client's token names it
/// as server.
pub(crate) struct Relay {
    pub(crate) socket: UdpSocket,
    server: SocketAddr,
    client: Option<SocketAddr>,
}

/// Direction of a datagram through a [`Relay`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToServer,
    ToClient,
}

impl Relay {
    pub(crate) fn new(host: &Host) -> Self {
        let socket = UdpSocket::bind(loopback()).unwrap();
        socket.set_nonblocking(true).unwrap();
        Self { socket, server: host.server.local_addr(), client: None }
    }

    /// A client that connects through it.
    pub(crate) fn client(&mut self, host: &Host, peer: u64) -> ClientSocket {
        let servers = vec![self.socket.local_addr().unwrap(), host.server.local_addr()];
        let admission = Admission { servers, ..host.admission(peer) };
        let client = ClientSocket::connect(host.issuer.issue(&admission).unwrap()).unwrap();
        self.client = client.local_addr().ok();
        client
    }

    pub(crate) fn send(&self, direction: Direction, bytes: &[u8]) {
        let to = if direction == Direction::ToServer { self.server } else { self.client.unwrap() };
        self.socket.send_to(bytes, to).unwrap();
    }

    /// Forwards received datagrams, each as many times as `copies` returns.
    pub(crate) fn pump(&self, mut copies: impl FnMut(Direction, &[u8]) -> usize) {
        let mut buffer = [0; 2000];
        while let Ok((length, from)) = self.socket.recv_from(&mut buffer) {
            let direction = if from == self.server { Direction::ToClient } else { Direction::ToServer };
            for _ in 0..copies(direction, &buffer[..length]) {
                self.send(direction, &buffer[..length]);
            }
        }
    }
}
