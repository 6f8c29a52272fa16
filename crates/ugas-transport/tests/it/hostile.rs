//! Hostile packets: peers stay connected, and the server stays up.

use std::net::UdpSocket;
use std::time::Duration;

use ugas_transport::{ClientSocket, ClientState, Limits, Rate, Refusal};

use crate::pair::{Direction, Host, Relay, SeenEvent, loopback};

/// Pseudo-random numbers with a fixed seed.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// A client and its connection request, intercepted.
fn caught(host: &Host, peer: u64) -> (ClientSocket, Vec<u8>) {
    let mut relay = Relay::new(host);
    let mut client = relay.client(host, peer);
    client.poll(host.now()).unwrap();
    let mut request = Vec::new();
    while request.is_empty() {
        relay.pump(|_, bytes| {
            request = bytes.to_vec();
            0
        });
    }
    (client, request)
}

#[test]
fn garbage_flood_is_dropped() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    let flooder = UdpSocket::bind(loopback()).unwrap();
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut sent = 0;
    for round in 0..200 {
        for _ in 0..20 {
            let mut length = (noise.next() % 1400) as usize;
            let mut bytes = noise.bytes(length);
            match noise.next() % 4 {
                // Looks like a connection request.
                0 => {
                    length = 1078;
                    bytes = noise.bytes(length);
                    bytes[0] = 0;
                    bytes[1..14].copy_from_slice(b"NETCODE 1.02\0");
                }
                // Looks like a packet of a peer.
                1 if length > 0 => bytes[0] = (noise.next() % 9) as u8 * 16 + (noise.next() % 7) as u8,
                _ => {}
            }
            sent += u64::from(flooder.send_to(&bytes, host.server.local_addr()).is_ok());
        }
        client.send(&[round]).unwrap();
        client.poll(host.now()).unwrap();
        host.poll();
    }
    host.until(&mut [&mut client], |host, _| host.seen.len() > 150);
    assert_eq!(client.state(), ClientState::Connected);
    assert!(host.seen[1..].iter().all(|seen| matches!(seen, SeenEvent::Datagram(1, _))));
    let statistics = host.server.statistics();
    assert_eq!(statistics.connected, 1);
    assert!(statistics.malformed > 0 && statistics.strangers > 0, "{sent} sent, {statistics:?}");
    assert!(statistics.refused(Refusal::OtherProtocol) > 0, "{statistics:?}");
}

#[test]
fn garbage_from_a_peers_address_is_dropped() {
    let mut host = Host::new(|config| config);
    let mut relay = Relay::new(&host);
    let mut client = relay.client(&host, 1);
    let mut noise = Noise(7);
    host.until(&mut [&mut client], |host, clients| {
        for _ in 0..20 {
            let length = 2 + (noise.next() % 60) as usize;
            let mut bytes = noise.bytes(length);
            // Kinds that belong to connections, with every length of the sequence number.
            bytes[0] = (noise.next() % 16) as u8 * 16 + (1 + noise.next() % 6) as u8;
            relay.send(Direction::ToServer, &bytes);
            relay.send(Direction::ToClient, &bytes);
        }
        // Everything is sent twice.
        relay.pump(|_, _| 2);
        if clients[0].state() == ClientState::Connected {
            clients[0].send(b"through").unwrap();
        }
        host.seen.len() >= 4
    });
    assert_eq!(host.seen[0], SeenEvent::Connected(1, Vec::new()));
    assert!(host.seen[1..].iter().all(|seen| *seen == SeenEvent::Datagram(1, b"through".to_vec())));
    assert!(host.server.statistics().unauthentic > 0);
    // Duplicates were dropped.
    assert!(host.server.statistics().datagrams_received <= client.statistics().datagrams_sent);
}

#[test]
fn requests_are_limited_per_address() {
    let limits = Limits { requests_per_address: Rate::new(1, 5), ..Limits::default() };
    let mut host = Host::new(|config| config.limits(limits));
    let (_client, request) = caught(&host, 1);
    let flooder = UdpSocket::bind(loopback()).unwrap();
    for _ in 0..50 {
        flooder.send_to(&request, host.server.local_addr()).unwrap();
    }
    host.until(&mut [], |host, _| host.server.statistics().limited >= 40);
    // Five at once, and perhaps one for every passed second.
    flooder.set_nonblocking(true).unwrap();
    let mut buffer = [0; 2000];
    let answers: Vec<u8> =
        std::iter::from_fn(|| flooder.recv(&mut buffer).ok().map(|_| buffer[0] & 15)).collect();
    let challenges = answers.iter().filter(|kind| **kind == 2).count();
    assert!((1..=10).contains(&challenges), "{answers:?}");
    // The others are answered with cookies.
    assert_eq!(host.server.statistics().cookies as usize, answers.len() - challenges);
    assert_eq!(host.seen, []);
}

#[test]
fn client_connects_by_a_cookie_while_requests_are_over_their_limit() {
    let limits = Limits { requests_in_all: Rate::new(1, 1), ..Limits::default() };
    let mut host = Host::new(|config| config.limits(limits));
    let (_attacker, request) = caught(&host, 1);
    let flooder = UdpSocket::bind(loopback()).unwrap();
    let mut client = host.client(2);
    host.until(&mut [&mut client], |host, clients| {
        for _ in 0..20 {
            flooder.send_to(&request, host.server.local_addr()).unwrap();
        }
        clients[0].state() == ClientState::Connected
    });
    assert!(host.server.statistics().cookies > 0);
    assert_eq!(host.seen, [SeenEvent::Connected(2, Vec::new())]);
}

#[test]
fn replayed_request_is_refused() {
    let mut host = Host::new(|config| config);
    let (mut client, request) = caught(&host, 1);
    host.ahead = Duration::from_secs(11);
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    let thief = UdpSocket::bind(loopback()).unwrap();
    thief.send_to(&request, host.server.local_addr()).unwrap();
    host.until(&mut [&mut client], |host, _| host.server.statistics().refused(Refusal::TokenUsed) == 1);
    assert_eq!(client.state(), ClientState::Connected);
    assert_eq!(host.seen.len(), 1);
}

#[test]
fn peer_over_its_rate_is_limited() {
    let limits = Limits { datagrams_per_peer: Rate::new(10, 20), ..Limits::default() };
    let mut host = Host::new(|config| config.limits(limits));
    let mut client = host.connected(1);
    for _ in 0..100 {
        client.send(b"!").unwrap();
    }
    host.until(&mut [&mut client], |host, _| host.server.statistics().limited >= 50);
    assert!(host.seen.len() < 60);
    assert_eq!(client.state(), ClientState::Connected);
}

#[test]
fn forged_refusal_notice_is_ignored() {
    let mut host = Host::new(|config| config);
    let (mut client, request) = caught(&host, 1);
    let mut forged = b"\x0fUGAS\x08".to_vec();
    forged.extend(&request[30..54]);
    // Its source is not the server's address.
    let other = UdpSocket::bind(loopback()).unwrap();
    other.send_to(&forged, client.local_addr().unwrap()).unwrap();
    host.ahead = Duration::from_secs(11);
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    assert!(client.statistics().strangers >= 1);
}

#[test]
fn sequence_numbers_are_used_once_per_key() {
    let mut host = Host::new(|config| config);
    // Answers to requests are numbered for all peers together; some come before this peer's.
    let mut others: Vec<ClientSocket> = (10..15).map(|peer| host.connected(peer)).collect();
    let mut relay = Relay::new(&host);
    let mut client = relay.client(&host, 1);
    let mut all: Vec<&mut ClientSocket> = others.iter_mut().chain([&mut client]).collect();
    let mut packets: Vec<Vec<u8>> = Vec::new();
    let mut keep = |direction, bytes: &[u8]| {
        if direction == Direction::ToClient {
            packets.push(bytes.to_vec());
        }
        1
    };
    host.until(&mut all, |_, clients| {
        relay.pump(&mut keep);
        clients[5].state() == ClientState::Connected
    });
    for number in 0..30 {
        host.server.send(1, &[number]).unwrap();
    }
    host.server.disconnect(1);
    host.until(&mut all, |_, clients| {
        relay.pump(&mut keep);
        clients[5].state() != ClientState::Connected
    });
    assert_eq!(client.statistics().datagrams_received, 30);
    let number = |packet: &[u8]| packet[1..1 + usize::from(packet[0] >> 4)].to_vec();
    packets.sort();
    packets.dedup();
    assert!(packets.iter().any(|packet| packet[0] & 15 == 2), "there was a challenge");
    let mut numbers: Vec<Vec<u8>> = packets.iter().map(|packet| number(packet)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), packets.len());
}
