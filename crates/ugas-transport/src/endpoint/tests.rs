//! Attacks on the endpoint with virtual addresses and a virtual clock, by counted work.

use std::net::{IpAddr, Ipv4Addr};

use renetcode::{ClientAuthentication, NetcodeClient};

use super::*;
use crate::clock::unix_now;
use crate::handshake::HANDSHAKE_TIME;
use crate::protocol::ProtocolId;
use crate::rate::Rate;
use crate::refusal::{read_cookie, read_notice};
use crate::token::{Admission, ConnectToken, MAX_LIFE, TokenIssuer};

const TICK: Duration = Duration::from_millis(16);

fn protocol() -> ProtocolId {
    ProtocolId::of(1, 2)
}

fn server_address() -> SocketAddr {
    "192.0.2.1:7777".parse().unwrap()
}

fn key() -> ServerKey {
    ServerKey::from_bytes([7; 32]).unwrap()
}

/// A server, open or with a key, that lets peers join within 5 s.
fn server(is_open: bool, max_clients: u16) -> ServerEndpoint {
    let keys = vec![if is_open { ServerKey::open() } else { key() }];
    let addresses = if is_open { Vec::new() } else { vec![server_address()] };
    let config = EndpointSettings {
        validator: RequestValidator { protocol: protocol(), keys, addresses },
        is_open,
        max_clients,
        join_timeout: Some(Duration::from_secs(5)),
        limits: Limits::default(),
    };
    ServerEndpoint::with_settings(config, unix_now())
}

/// The address with a number, each in an IPv4 network of its own.
fn address(number: u32) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::from_bits(0x0b00_0000 + number)), 4000)
}

fn admission(peer: u64) -> Admission {
    Admission::new(peer, server_address()).valid_for(MAX_LIFE)
}

/// A client at a virtual address.
struct TestClient {
    address: SocketAddr,
    nonce: [u8; request::NONCE_BYTES],
    netcode: NetcodeClient,
    cookie: Vec<u8>,
    refusal: Option<Refusal>,
    /// Requests sent.
    requests: usize,
}

impl TestClient {
    fn new(server: &ServerEndpoint, address: SocketAddr, peer: u64) -> Self {
        let token = match server.config.is_open {
            true => ConnectToken::without_secrets(protocol(), &admission(peer)),
            false => TokenIssuer::new(key(), protocol()).issue(&admission(peer)),
        };
        Self::with_token(address, token.unwrap())
    }

    fn with_token(address: SocketAddr, token: ConnectToken) -> Self {
        let nonce = *token.nonce();
        let authentication = ClientAuthentication::Secure { connect_token: token.into_inner() };
        let netcode = NetcodeClient::new(unix_now(), authentication).unwrap();
        Self { address, nonce, netcode, cookie: Vec::new(), refusal: None, requests: 0 }
    }

    /// Its connection request.
    fn request(&mut self) -> Vec<u8> {
        self.netcode.update(Duration::from_secs(1)).unwrap().0.to_vec()
    }

    /// Sends what is due.
    fn update(&mut self, server: &mut ServerEndpoint, elapsed: Duration) {
        let Some((packet, _)) = self.netcode.update(elapsed) else { return };
        let mut packet = packet.to_vec();
        if packet::kind(&packet) == Some(Kind::Request) {
            self.requests += 1;
            packet.extend(&self.cookie);
        }
        server.handle(self.address, &mut packet);
    }

    fn receive(&mut self, bytes: &[u8]) {
        if let Some(cookie) = read_cookie(bytes, &self.nonce) {
            self.cookie = cookie.to_vec();
        } else if let Some(refusal) = read_notice(bytes, &self.nonce) {
            self.refusal = Some(refusal);
        } else {
            self.netcode.process_packet(&mut bytes.to_vec());
        }
    }
}

/// Advances the server, and delivers its packets to the clients. Packets to other addresses are lost.
fn step(server: &mut ServerEndpoint, clients: &mut [&mut TestClient], elapsed: Duration) {
    server.advance(server.now + elapsed);
    for client in &mut *clients {
        client.update(server, elapsed);
    }
    server.maintain();
    let mut outbox = std::mem::take(&mut server.outbox);
    outbox.drain(|to, packet| {
        if let Some(client) = clients.iter_mut().find(|client| client.address == to) {
            client.receive(packet);
        }
    });
}

/// Steps until the clients are connected, and returns the virtual time that it took.
fn connect(server: &mut ServerEndpoint, clients: &mut [&mut TestClient]) -> Duration {
    let begin = server.now;
    for _ in 0..1000 {
        step(server, clients, TICK);
        if clients.iter().all(|client| client.netcode.is_connected()) {
            return server.now - begin;
        }
    }
    panic!("{:?} {:?}", clients.iter().map(|client| client.refusal).collect::<Vec<_>>(), server.statistics);
}

fn events(server: &mut ServerEndpoint) -> Vec<String> {
    let mut events = Vec::new();
    while let Some((queued, bytes)) = server.inbox.next() {
        events.push(match queued.event(bytes) {
            ServerEvent::Connected { peer, .. } => format!("+{peer}"),
            ServerEvent::Datagram { peer, bytes } => format!("{peer}:{}", String::from_utf8_lossy(bytes)),
            ServerEvent::Disconnected { peer, reason } => format!("-{peer} {reason:?}"),
        });
    }
    events
}

#[test]
fn half_open_handshakes_end_after_seconds_and_do_not_lock_out_newcomers() {
    let mut server = server(true, 64);
    // As many requests as locked a server for a day: each valid for 24 hours, from an address of its own.
    for number in 0..5000 {
        let mut attacker = TestClient::new(&server, address(number), u64::from(number));
        server.handle(attacker.address, &mut attacker.request());
        if number % 2000 == 1999 {
            step(&mut server, &mut [], Duration::from_secs(1));
        }
    }
    assert_eq!(server.handshakes.len(), usize::from(server.config.limits.handshakes_in_all) / 2);
    let mut newcomer = TestClient::new(&server, address(1 << 20), 9_000_000);
    let time = connect(&mut server, &mut [&mut newcomer]);
    // A request, which is answered with a cookie; another after 250 ms; and the answer to the challenge.
    assert!(time < Duration::from_millis(600), "{time:?}");
    assert_eq!(newcomer.requests, 2);
    assert_eq!(events(&mut server), ["+9000000"]);
    step(&mut server, &mut [&mut newcomer], HANDSHAKE_TIME);
    assert_eq!((server.handshakes.len(), server.statistics.abandoned > 1000), (0, true));
}

#[test]
fn handshakes_of_one_address_are_bounded() {
    let mut server = server(true, 64);
    server.config.limits.requests_per_address = Rate::new(100_000, 100_000);
    for port in 1..1000 {
        let from = SocketAddr::new(address(1).ip(), port);
        let mut attacker = TestClient::new(&server, from, u64::from(port));
        server.handle(from, &mut attacker.request());
    }
    assert_eq!(server.handshakes.len(), usize::from(server.config.limits.handshakes_per_address));
    // A neighbour behind the same address connects all the same, because it answers with a cookie.
    let mut newcomer = TestClient::new(&server, SocketAddr::new(address(1).ip(), 5000), 5000);
    connect(&mut server, &mut [&mut newcomer]);
}

#[test]
fn newcomers_connect_during_a_flood_of_requests_from_forged_addresses() {
    for is_open in [true, false] {
        let mut server = server(is_open, 64);
        // A holder of a token, or a stranger, sends 2,000 requests in each tick of 16 ms: 125,000 a second.
        let mut attacker = TestClient::new(&server, address(0), 1);
        let request = attacker.request();
        let mut number = 1;
        let mut flood = |server: &mut ServerEndpoint| {
            for _ in 0..2000 {
                number += 1;
                let from = if number % 3 == 0 {
                    SocketAddr::new(address(1 << 20).ip(), number as u16)
                } else {
                    address(number)
                };
                server.handle(from, &mut request.clone());
            }
        };
        for _ in 0..60 {
            flood(&mut server);
            step(&mut server, &mut [], TICK);
        }
        // One of the newcomers has an address that the attacker forges.
        let mut near = TestClient::new(&server, SocketAddr::new(address(1 << 20).ip(), 60_001), 70);
        let mut far = TestClient::new(&server, address(1 << 21), 71);
        let mut ticks = 0;
        while !(near.netcode.is_connected() && far.netcode.is_connected()) {
            ticks += 1;
            flood(&mut server);
            step(&mut server, &mut [&mut near, &mut far], TICK);
            assert!(ticks < 300, "{:?}", server.statistics);
        }
        let statistics = &server.statistics;
        assert!(statistics.cookies > 1000 && statistics.limited > statistics.cookies, "{statistics:?}");
        // Opened requests: the burst, and the rate in the virtual time.
        let opened = number as u64 - 1 + (near.requests + far.requests) as u64 - statistics.limited;
        assert!(opened <= 2000 + 2000 * (60 + ticks) * 16 / 1000 + 10, "{opened} in {ticks} ticks");
    }
}

#[test]
fn forged_datagrams_with_the_address_of_a_peer_cost_it_nothing() {
    let mut server = server(false, 64);
    let mut peer = TestClient::new(&server, address(1), 1);
    connect(&mut server, &mut [&mut peer]);
    server.joined(1);
    events(&mut server);
    let mut received = 0;
    for tick in 0..120u32 {
        // 31,250 a second, with every kind and number, over a limit of 500.
        for forged in 0..500u32 {
            let mut bytes = vec![0x40 | (3 + forged % 4) as u8, 0, 0, 0, 0];
            bytes[1..5].copy_from_slice(&(tick * 500 + forged).to_le_bytes());
            bytes.extend([7; 100]);
            server.handle(peer.address, &mut bytes);
        }
        let mut packet = peer.netcode.generate_payload_packet(b"!").unwrap().1.to_vec();
        server.handle(peer.address, &mut packet);
        step(&mut server, &mut [&mut peer], TICK);
        received += events(&mut server).iter().filter(|event| *event == "1:!").count();
    }
    assert_eq!(received, 120);
    assert_eq!(server.statistics.limited, 0);
    assert!(server.statistics.unauthentic >= 500 * 120 / 4 * 3, "{:?}", server.statistics);
}

#[test]
fn flood_of_a_peer_itself_is_limited() {
    let mut server = server(false, 64);
    server.config.limits.datagrams_per_peer = Rate::new(10, 20);
    let mut peer = TestClient::new(&server, address(1), 1);
    connect(&mut server, &mut [&mut peer]);
    for _ in 0..100 {
        let mut packet = peer.netcode.generate_payload_packet(b"!").unwrap().1.to_vec();
        server.handle(peer.address, &mut packet);
    }
    assert_eq!((server.statistics.datagrams_received, server.statistics.limited), (20, 80));
}

#[test]
fn full_counts_players_and_idle_connections_end_after_5_seconds() {
    let mut server = server(true, 2);
    let mut idle: Vec<TestClient> =
        (0..10).map(|n| TestClient::new(&server, address(n), u64::from(n))).collect();
    let mut all: Vec<&mut TestClient> = idle.iter_mut().collect();
    connect(&mut server, &mut all);
    events(&mut server);
    // Ten idle connections take no place of the two players.
    let mut players = [20, 21].map(|n| TestClient::new(&server, address(n), u64::from(n)));
    let [first, second] = &mut players;
    connect(&mut server, &mut [first, second]);
    server.joined(20);
    server.joined(21);
    assert_eq!(events(&mut server), ["+20", "+21"]);
    let mut late = TestClient::new(&server, address(30), 30);
    step(&mut server, &mut [&mut late], TICK);
    assert!(late.netcode.is_disconnected(), "the server is full");
    assert_eq!(server.statistics.refused(Refusal::Full), 1);
    // Idle connections are closed, although they send keep-alive packets.
    let end = server.now + Duration::from_secs(5);
    while server.now < end {
        for client in idle.iter_mut().chain(&mut players) {
            client.update(&mut server, TICK);
        }
        step(&mut server, &mut [], TICK);
    }
    let gone = events(&mut server);
    assert_eq!(gone.iter().filter(|event| event.ends_with("NeverJoined")).count(), 10, "{gone:?}");
    assert_eq!(server.peers().keys().copied().collect::<Vec<_>>(), [20, 21]);
    assert_eq!(server.statistics.never_joined, 10);
}

#[test]
fn waiting_peers_make_room_for_newcomers() {
    let mut server = server(true, 8);
    server.config.limits.waiting_peers = 3;
    for number in 0..5 {
        let mut client = TestClient::new(&server, address(number), u64::from(number));
        connect(&mut server, &mut [&mut client]);
    }
    assert_eq!(events(&mut server), ["+0", "+1", "+2", "-0 NeverJoined", "+3", "-1 NeverJoined", "+4"]);
}

#[test]
fn peer_whose_address_another_one_takes_did_not_connect_again() {
    let mut server = server(true, 64);
    for peer in [1, 2] {
        let mut client = TestClient::new(&server, address(1), peer);
        connect(&mut server, &mut [&mut client]);
    }
    assert_eq!(events(&mut server), ["+1", "-1 AddressTaken", "+2"]);
}

#[test]
fn connections_of_one_address_are_bounded() {
    let mut server = server(true, 64);
    server.config.limits.peers_per_address = 3;
    let at = |port| SocketAddr::new(address(1).ip(), port);
    for port in 1..=3 {
        let mut client = TestClient::new(&server, at(port), u64::from(port));
        connect(&mut server, &mut [&mut client]);
    }
    let mut fourth = TestClient::new(&server, at(4), 4);
    step(&mut server, &mut [&mut fourth], TICK);
    assert_eq!(fourth.refusal, Some(Refusal::AddressFull));
    let mut elsewhere = TestClient::new(&server, address(2), 5);
    connect(&mut server, &mut [&mut elsewhere]);
    // All clients of this machine share an address.
    for port in 1..=5 {
        let local = SocketAddr::from(([127, 0, 0, 1], port));
        let mut client = TestClient::new(&server, local, u64::from(100 + port));
        connect(&mut server, &mut [&mut client]);
    }
}

#[test]
fn stolen_request_does_not_lock_out_its_owner() {
    let mut server = server(false, 64);
    let token = TokenIssuer::new(key(), protocol()).issue(&admission(1)).unwrap();
    let mut owner = TestClient::with_token(address(1), token.clone());
    // A thief on the path repeats the request from an address of its own, before the owner's arrives.
    let mut thief = TestClient::with_token(address(2), token);
    server.handle(thief.address, &mut thief.request());
    connect(&mut server, &mut [&mut owner]);
    // Even the keys of the token do not help any more: it is used.
    step(&mut server, &mut [&mut thief], Duration::from_secs(1));
    assert_eq!(thief.refusal, Some(Refusal::TokenUsed));
    assert_eq!(events(&mut server), ["+1"]);
}

#[test]
fn banned_peers_and_addresses_are_refused() {
    let mut server = server(false, 64);
    let mut guest = TestClient::new(&server, address(1), 1);
    connect(&mut server, &mut [&mut guest]);
    let mut bans = BanList::default();
    bans.ban_peer(2);
    bans.ban_network(address(1).ip().into());
    assert_eq!(server.set_bans(bans), [1]);
    for (from, peer) in [(address(2), 2), (address(1), 3)] {
        let mut client = TestClient::new(&server, SocketAddr::new(from.ip(), 1), peer);
        step(&mut server, &mut [&mut client], TICK);
        assert_eq!(client.refusal, Some(Refusal::Banned));
    }
}

/// A client that returns with a secret.
fn returning(address: SocketAddr, peer: u64, secret: [u8; 32], user_data: &str) -> TestClient {
    let admission = admission(peer).user_data(user_data);
    TestClient::with_token(address, ConnectToken::returning(protocol(), &admission, secret).unwrap())
}

#[test]
fn peer_returns_with_its_secret_from_another_address_while_its_connection_is_alive() {
    for is_open in [true, false] {
        let mut server = server(is_open, 64);
        let mut first = TestClient::new(&server, address(1), 1);
        connect(&mut server, &mut [&mut first]);
        server.joined(1);
        server.let_return(1, [9; 32]);
        events(&mut server);
        let mut again = returning(address(2), 1, [9; 32], "");
        connect(&mut server, &mut [&mut again]);
        assert_eq!(events(&mut server), ["-1 Replaced", "+1"]);
        assert_eq!(server.peers().get(&1).map(|peer| peer.address), Some(address(2)));
        // And once more, after the connection was lost.
        server.end(1, Departure::TimedOut);
        let mut third = returning(address(3), 1, [9; 32], "");
        connect(&mut server, &mut [&mut third]);
        assert_eq!(events(&mut server), ["-1 TimedOut", "+1"]);
    }
}

#[test]
fn nobody_else_returns_as_a_peer() {
    for is_open in [true, false] {
        let mut server = server(is_open, 64);
        let mut owner = TestClient::new(&server, address(1), 1);
        let mut other = TestClient::new(&server, address(2), 2);
        connect(&mut server, &mut [&mut owner, &mut other]);
        server.let_return(1, [9; 32]);
        server.let_return(2, [8; 32]);
        events(&mut server);
        // With a wrong secret, with that of another peer, and as a peer that may not return.
        for (number, peer, secret) in [(6, 1, [6; 32]), (7, 1, [8; 32]), (8, 3, [9; 32])] {
            let mut thief = returning(address(number), peer, secret, "");
            step(&mut server, &mut [&mut thief], TICK);
            assert_eq!(thief.refusal, Some(Refusal::UnknownIssuer), "{peer}");
        }
        // A token whose nonce names the owner of the secret, but whose content names another peer.
        let mut forged = ConnectToken::returning(protocol(), &admission(1), [8; 32]).unwrap().into_inner();
        let nonce = crate::returns::nonce_for(2, forged.xnonce);
        let secret = ServerKey::from_bytes([8; 32]).unwrap();
        let signed = (protocol(), forged.expire_timestamp);
        request::reseal(&mut forged.private_data, &secret, signed, (&forged.xnonce, &nonce)).unwrap();
        forged.xnonce = nonce;
        let authentication = ClientAuthentication::Secure { connect_token: forged };
        let mut netcode = NetcodeClient::new(unix_now(), authentication).unwrap();
        let mut request = netcode.update(Duration::from_secs(1)).unwrap().0.to_vec();
        let refused = server.statistics.refused(Refusal::UnknownIssuer);
        server.handle(address(9), &mut request);
        assert_eq!(server.statistics.refused(Refusal::UnknownIssuer), refused + 1);
        assert_eq!(events(&mut server), Vec::<String>::new());
        // The right to return ends.
        server.forbid_return(1);
        let mut late = returning(address(10), 1, [9; 32], "");
        step(&mut server, &mut [&mut late], TICK);
        assert_eq!(late.refusal, Some(Refusal::UnknownIssuer));
    }
}

#[test]
fn returning_token_is_accepted_once_and_does_not_change_user_data() {
    let mut server = server(false, 64);
    let token = TokenIssuer::new(key(), protocol()).issue(&admission(1).user_data("Ada")).unwrap();
    let mut first = TestClient::with_token(address(1), token);
    connect(&mut server, &mut [&mut first]);
    server.let_return(1, [9; 32]);
    events(&mut server);
    let admission = admission(1).user_data("Admin");
    let token = ConnectToken::returning(protocol(), &admission, [9; 32]).unwrap();
    let mut again = TestClient::with_token(address(2), token.clone());
    connect(&mut server, &mut [&mut again]);
    let mut names = Vec::new();
    while let Some((queued, bytes)) = server.inbox.next() {
        if let ServerEvent::Connected { user_data, .. } = queued.event(bytes) {
            names.push(String::from_utf8_lossy(user_data).into_owned());
        }
    }
    assert_eq!(names, ["Ada"]);
    let mut repeated = TestClient::with_token(address(3), token);
    step(&mut server, &mut [&mut repeated], TICK);
    assert_eq!(repeated.refusal, Some(Refusal::TokenUsed));
    // Peers return while the server drains, unless they are banned.
    server.is_draining = true;
    let mut third = returning(address(4), 1, [9; 32], "");
    connect(&mut server, &mut [&mut third]);
    let mut bans = BanList::default();
    bans.ban_peer(1);
    assert_eq!(server.set_bans(bans), [1]);
    let mut banned = returning(address(5), 1, [9; 32], "");
    step(&mut server, &mut [&mut banned], TICK);
    assert_eq!(banned.refusal, Some(Refusal::Banned));
}
