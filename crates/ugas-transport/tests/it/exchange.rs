//! Exchange between connected peers, and the end of connections.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use ugas_transport::{
    Access, Admission, Buffers, ClientSocket, ClientState, ConnectToken, Departure, Ending,
    MAX_DATAGRAM_BYTES, SendError, ServerConfig,
};

use crate::pair::{Direction, Host, Relay, SeenEvent, protocol};

#[test]
fn datagrams_arrive_unchanged_both_ways() {
    let mut host = Host::new(|config| config);
    let token = host.issuer.issue(&host.admission(7).user_data([9; 240])).unwrap();
    let mut client = ClientSocket::connect(token).unwrap();
    assert_eq!(client.send(b"early"), Err(SendError::NotConnected));
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    assert_eq!(host.seen, [SeenEvent::Connected(7, vec![9; 240])]);
    assert_eq!((client.peer(), host.server.address_of(7)), (7, client.local_addr().ok()));
    host.seen.clear();

    for bytes in [&b"hello"[..], &[], &[1; MAX_DATAGRAM_BYTES]] {
        client.send(bytes).unwrap();
        host.until(&mut [&mut client], |host, _| !host.seen.is_empty());
        assert_eq!(host.seen, [SeenEvent::Datagram(7, bytes.to_vec())]);
        host.seen.clear();
        host.server.send(7, bytes).unwrap();
        let mut heard = None;
        host.until(&mut [&mut client], |_, clients| {
            heard = clients[0].next_datagram().map(<[u8]>::to_vec);
            heard.is_some()
        });
        assert_eq!(heard.as_deref(), Some(bytes));
    }

    let long = [0; MAX_DATAGRAM_BYTES + 1];
    assert_eq!(client.send(&long), Err(SendError::TooLong(1201)));
    assert_eq!(host.server.send(7, &long), Err(SendError::TooLong(1201)));
    assert_eq!(host.server.send(8, b"who?"), Err(SendError::NotConnected));
    assert_eq!(host.server.statistics().datagrams_received, 3);
    assert_eq!(host.server.statistics().datagrams_sent, 3);
    assert_eq!((client.statistics().datagrams_received, client.statistics().datagrams_sent), (3, 3));
}

#[test]
fn datagrams_of_many_peers_are_not_mixed() {
    check_many_peers(1);
}

#[cfg(unix)]
#[test]
fn datagrams_of_many_peers_are_not_mixed_over_several_sockets() {
    check_many_peers(3);
}

#[test]
fn number_of_sockets_is_checked() {
    for sockets in [0, 33] {
        let key = ugas_transport::ServerKey::generate();
        let config =
            ServerConfig::new(crate::pair::loopback(), protocol(), Access::Keyed(key)).sockets(sockets);
        let refused = ugas_transport::ServerSocket::bind(config).err().map(|error| error.to_string());
        let expected = format!("the number of sockets must be from 1 to 32, not {sockets}");
        assert_eq!(refused, Some(expected));
    }
}

fn check_many_peers(sockets: u16) {
    let mut host = Host::new(|config| config.max_clients(20).sockets(sockets));
    let mut clients: Vec<ClientSocket> = (0..20).map(|peer| host.client(peer)).collect();
    let mut all: Vec<&mut ClientSocket> = clients.iter_mut().collect();
    host.until(&mut all, |_, clients| clients.iter().all(|client| client.state() == ClientState::Connected));
    host.seen.clear();
    // More rounds than answers to requests, so that every used sequence number is reached.
    for round in 0..60 {
        for (peer, client) in all.iter_mut().enumerate() {
            client.send(&[peer as u8, round]).unwrap();
            host.server.send(peer as u64, &[round, peer as u8]).unwrap();
        }
        let mut heard = [0; 20];
        host.until(&mut all, |host, clients| {
            for (peer, client) in clients.iter_mut().enumerate() {
                while let Some(bytes) = client.next_datagram() {
                    assert_eq!(bytes, [round, peer as u8]);
                    heard[peer] += 1;
                }
            }
            heard == [1; 20] && host.seen.len() == 20
        });
        for seen in host.seen.drain(..) {
            assert!(
                matches!(&seen, SeenEvent::Datagram(peer, bytes) if *bytes == [*peer as u8, round]),
                "{seen:?}"
            );
        }
    }
}

#[test]
fn client_disconnects() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    client.disconnect();
    assert_eq!(client.state(), ClientState::Disconnected(Ending::Closed));
    assert_eq!(client.send(b"late"), Err(SendError::NotConnected));
    host.until(&mut [&mut client], |host, _| host.seen.len() == 2);
    assert_eq!(host.seen[1], SeenEvent::Disconnected(1, Departure::Left));
    assert_eq!((host.server.statistics().connected, host.server.statistics().disconnected), (1, 1));
}

#[test]
fn dropped_client_is_disconnected_and_another_connects() {
    let mut host = Host::new(|config| config);
    drop(host.connected(1));
    host.until(&mut [], |host, _| host.seen.len() == 2);
    let mut again = host.connected(1);
    again.send(b"back").unwrap();
    host.until(&mut [&mut again], |host, _| host.seen.len() == 4);
    assert_eq!(
        host.seen[1..3],
        [SeenEvent::Disconnected(1, Departure::Left), SeenEvent::Connected(1, Vec::new())]
    );
    assert_eq!(host.seen[3], SeenEvent::Datagram(1, b"back".to_vec()));
}

#[test]
fn server_disconnects_a_peer() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    client.send(b"rubbish").unwrap();
    host.server.wait(Duration::from_secs(1)).unwrap();
    host.server.poll(host.now()).unwrap();
    host.seen.clear();
    host.server.disconnect(1);
    // Its queued events are dropped, and no event is emitted.
    host.until(&mut [&mut client], |_, clients| clients[0].state() != ClientState::Connected);
    assert_eq!(client.state(), ClientState::Disconnected(Ending::ClosedByServer));
    assert_eq!(host.seen, []);
}

#[test]
fn lost_disconnect_packet_is_repeated() {
    let mut host = Host::new(|config| config);
    let mut relay = Relay::new(&host);
    let mut client = relay.client(&host, 1);
    host.until(&mut [&mut client], |_, clients| {
        relay.pump(|_, _| 1);
        clients[0].state() == ClientState::Connected
    });
    host.server.disconnect(1);
    // The first packet and its three copies are lost.
    let mut lost = 0;
    host.until(&mut [&mut client], |_, _| {
        relay.pump(|direction, bytes| {
            let is_disconnect = direction == Direction::ToClient && bytes[0] & 15 == 6;
            lost += usize::from(is_disconnect);
            usize::from(!is_disconnect && direction == Direction::ToClient)
        });
        lost == 4
    });
    assert_eq!(client.state(), ClientState::Connected);
    client.send(b"are you there?").unwrap();
    host.until(&mut [&mut client], |_, clients| {
        relay.pump(|_, _| 1);
        clients[0].state() != ClientState::Connected
    });
    assert_eq!(client.state(), ClientState::Disconnected(Ending::ClosedByServer));
}

#[test]
fn silence_times_out_on_both_sides() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    // Earlier packets of the other side still count, so it may take another timeout.
    while client.state() == ClientState::Connected {
        host.ahead += Duration::from_secs(11);
        client.poll(host.now()).unwrap();
    }
    assert_eq!(client.state(), ClientState::Disconnected(Ending::TimedOut));
    while host.seen.len() < 2 {
        host.ahead += Duration::from_secs(11);
        host.poll();
    }
    assert_eq!(host.seen[1..], [SeenEvent::Disconnected(1, Departure::TimedOut)]);
}

#[test]
fn busy_client_stays_connected_if_the_server_sends() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    host.server.send(1, b"hello?").unwrap();
    client.wait(Duration::from_secs(5)).unwrap();
    client.poll(host.now() + Duration::from_secs(60)).unwrap();
    assert_eq!(client.state(), ClientState::Connected);
}

#[test]
fn idle_connections_stay() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    // Half a minute in steps of 200 ms, three times the timeout.
    for _ in 0..150 {
        host.ahead += Duration::from_millis(200);
        client.poll(host.now()).unwrap();
        host.poll();
    }
    assert_eq!(client.state(), ClientState::Connected);
    assert_eq!(host.seen.len(), 1);
}

#[test]
fn server_shutdown_disconnects_peers() {
    let mut host = Host::new(|config| config);
    let mut clients: Vec<ClientSocket> = (0..3).map(|peer| host.connected(peer)).collect();
    let statistics = host.server.shut_down();
    assert_eq!((statistics.connected, statistics.disconnected), (3, 3));
    for client in &mut clients {
        // The disconnect packets have arrived when it returns.
        client.poll(Instant::now()).unwrap();
        assert_eq!(client.state(), ClientState::Disconnected(Ending::ClosedByServer));
    }
}

#[test]
fn dropped_server_disconnects_peers() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    drop(host);
    client.wait(Duration::from_secs(5)).unwrap();
    client.poll(Instant::now()).unwrap();
    assert_eq!(client.state(), ClientState::Disconnected(Ending::ClosedByServer));
}

#[test]
fn wait_ends_with_a_datagram_or_the_timeout() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    while host.server.wait(Duration::ZERO).unwrap() {
        host.poll();
    }
    let start = Instant::now();
    host.server.wait(Duration::from_millis(30)).unwrap();
    assert!(start.elapsed() < Duration::from_secs(10));
    client.send(b"wake up").unwrap();
    let start = Instant::now();
    assert!(host.server.wait(Duration::from_secs(60)).unwrap());
    assert!(start.elapsed() < Duration::from_secs(30));
    host.server.poll(host.now()).unwrap();
    assert!(host.server.wait(Duration::from_secs(60)).unwrap(), "events are queued");
}

#[test]
fn queued_events_are_bounded() {
    let limits = ugas_transport::Limits { waiting_datagrams: 4, ..Default::default() };
    let mut host = Host::new(|config| config.limits(limits));
    let mut client = host.connected(1);
    host.seen.clear();
    (0..10u8).for_each(|number| client.send(&[number]).unwrap());
    host.server.wait(Duration::from_secs(5)).unwrap();
    for _ in 0..5 {
        host.server.poll(host.now()).unwrap();
    }
    let mut waiting = 0;
    while host.server.next_event().is_some() {
        waiting += 1;
    }
    assert_eq!(waiting, 4);
    // The rest waited in the system's buffer.
    host.until(&mut [&mut client], |host, _| host.seen.len() == 6);
}

/// A server that everybody can reach at an address of this machine, and clients that connect to others.
fn check_reached_at(listen: &str, clients: &[&str]) {
    let config = ServerConfig::new(listen.parse().unwrap(), protocol(), Access::OpenToNetwork);
    let mut host = Host::new(|_| config);
    for (peer, ip) in (1..).zip(clients) {
        let address = SocketAddr::new(ip.parse().unwrap(), host.server.local_addr().port());
        let token = ConnectToken::without_secrets(protocol(), &Admission::new(peer, address)).unwrap();
        let mut client = ClientSocket::connect(token).unwrap();
        assert_eq!(host.outcome(&mut client), ClientState::Connected, "{listen} {ip}");
        client.send(ip.as_bytes()).unwrap();
        let expected = SeenEvent::Datagram(peer, ip.as_bytes().to_vec());
        host.until(&mut [&mut client], |host, _| host.seen.contains(&expected));
        host.server.send(peer, b"welcome").unwrap();
        host.until(&mut [&mut client], |_, clients| clients[0].next_datagram() == Some(b"welcome"));
    }
}

#[test]
fn ipv6_and_dual_stack_servers_are_reached() {
    check_reached_at("[::1]:0", &["::1"]);
    check_reached_at("[::]:0", &["::1", "127.0.0.1"]);
    check_reached_at("0.0.0.0:0", &["127.0.0.1"]);
}

#[test]
fn buffers_are_set_and_reported() {
    let small = Buffers { receive: 20_000, send: 30_000 };
    let host = Host::new(|config| config.buffers(small));
    let buffers = host.server.buffers();
    // Some systems report twice the size.
    assert!((20_000..=60_000).contains(&buffers.receive), "{buffers:?}");
    assert!((30_000..=90_000).contains(&buffers.send), "{buffers:?}");
}

#[test]
fn batches_of_many_senders_keep_their_order() {
    let mut host = Host::new(|config| config);
    let mut clients: Vec<ClientSocket> = (0..8).map(|peer| host.connected(peer)).collect();
    host.seen.clear();
    for number in 0..50 {
        for client in &mut clients {
            client.send(&[number; 100]).unwrap();
        }
    }
    let mut all: Vec<&mut ClientSocket> = clients.iter_mut().collect();
    host.until(&mut all, |host, _| host.seen.len() == 8 * 50);
    for peer in 0..8 {
        let own = host.seen.iter().filter_map(|seen| match seen {
            SeenEvent::Datagram(from, bytes) if *from == peer => Some(bytes[0]),
            _ => None,
        });
        assert!(own.eq(0..50), "{peer}");
    }
}
