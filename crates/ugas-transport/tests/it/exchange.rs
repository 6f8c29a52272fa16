//! What connected peers can do, and how connections end.

use std::time::{Duration, Instant};

use ugas_transport::{ClientSocket, ClientState, Departure, Ending, MAX_DATAGRAM_BYTES, SendError};

use crate::pair::{Host, Relay, Seen, Way};

#[test]
fn datagrams_go_both_ways_whole() {
    let mut host = Host::new(|config| config);
    let token = host.issuer.issue(&host.admission(7).user_data([9; 240])).unwrap();
    let mut client = ClientSocket::connect(token).unwrap();
    assert_eq!(client.send(b"early"), Err(SendError::NotConnected));
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    assert_eq!(host.seen, [Seen::Connected(7, vec![9; 240])]);
    assert_eq!((client.peer(), host.server.address_of(7)), (7, client.local_addr().ok()));
    host.seen.clear();

    for bytes in [&b"hello"[..], &[], &[1; MAX_DATAGRAM_BYTES]] {
        client.send(bytes).unwrap();
        host.until(&mut [&mut client], |host, _| !host.seen.is_empty());
        assert_eq!(host.seen, [Seen::Datagram(7, bytes.to_vec())]);
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
fn many_peers_are_told_apart() {
    let mut host = Host::new(|config| config.max_clients(20));
    let mut clients: Vec<ClientSocket> = (0..20).map(|peer| host.client(peer)).collect();
    let mut all: Vec<&mut ClientSocket> = clients.iter_mut().collect();
    host.until(&mut all, |_, clients| clients.iter().all(|client| client.state() == ClientState::Connected));
    host.seen.clear();
    // More rounds than there were answers at the door, so that every number in question is met.
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
                matches!(&seen, Seen::Datagram(peer, bytes) if *bytes == [*peer as u8, round]),
                "{seen:?}"
            );
        }
    }
}

#[test]
fn a_client_leaves() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    client.disconnect();
    assert_eq!(client.state(), ClientState::Disconnected(Ending::Closed));
    assert_eq!(client.send(b"late"), Err(SendError::NotConnected));
    host.until(&mut [&mut client], |host, _| host.seen.len() == 2);
    assert_eq!(host.seen[1], Seen::Disconnected(1, Departure::Left));
    assert_eq!((host.server.statistics().connected, host.server.statistics().disconnected), (1, 1));
}

#[test]
fn a_client_is_dropped_and_another_comes() {
    let mut host = Host::new(|config| config);
    drop(host.connected(1));
    host.until(&mut [], |host, _| host.seen.len() == 2);
    let mut again = host.connected(1);
    again.send(b"back").unwrap();
    host.until(&mut [&mut again], |host, _| host.seen.len() == 4);
    assert_eq!(host.seen[1..3], [Seen::Disconnected(1, Departure::Left), Seen::Connected(1, Vec::new())]);
    assert_eq!(host.seen[3], Seen::Datagram(1, b"back".to_vec()));
}

#[test]
fn the_server_ends_a_connection() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    client.send(b"rubbish").unwrap();
    host.server.wait(Duration::from_secs(1)).unwrap();
    host.server.poll(host.now()).unwrap();
    host.seen.clear();
    host.server.disconnect(1);
    // What waited of it is forgotten, and its end is no news.
    host.until(&mut [&mut client], |_, clients| clients[0].state() != ClientState::Connected);
    assert_eq!(client.state(), ClientState::Disconnected(Ending::ClosedByServer));
    assert_eq!(host.seen, []);
}

#[test]
fn a_goodbye_that_was_lost_is_said_again() {
    let mut host = Host::new(|config| config);
    let mut relay = Relay::new(&host);
    let mut client = relay.client(&host, 1);
    host.until(&mut [&mut client], |_, clients| {
        relay.pump(|_, _| 1);
        clients[0].state() == ClientState::Connected
    });
    host.server.disconnect(1);
    // The first and the three that follow are lost.
    let mut lost = 0;
    host.until(&mut [&mut client], |_, _| {
        relay.pump(|way, bytes| {
            let is_goodbye = way == Way::ToClient && bytes[0] & 15 == 6;
            lost += usize::from(is_goodbye);
            usize::from(!is_goodbye && way == Way::ToClient)
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
fn silence_ends_a_connection_on_both_sides() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    // What the other side sent before still counts, so it may take a second time.
    while client.state() == ClientState::Connected {
        host.ahead += Duration::from_secs(11);
        client.poll(host.now()).unwrap();
    }
    assert_eq!(client.state(), ClientState::Disconnected(Ending::TimedOut));
    while host.seen.len() < 2 {
        host.ahead += Duration::from_secs(11);
        host.poll();
    }
    assert_eq!(host.seen[1..], [Seen::Disconnected(1, Departure::TimedOut)]);
}

#[test]
fn a_client_that_was_busy_for_long_stays_if_the_server_talks() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    host.server.send(1, b"hello?").unwrap();
    client.wait(Duration::from_secs(5)).unwrap();
    client.poll(host.now() + Duration::from_secs(60)).unwrap();
    assert_eq!(client.state(), ClientState::Connected);
}

#[test]
fn connections_without_traffic_stay() {
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
fn a_server_shuts_down() {
    let mut host = Host::new(|config| config);
    let mut clients: Vec<ClientSocket> = (0..3).map(|peer| host.connected(peer)).collect();
    let statistics = host.server.shut_down();
    assert_eq!((statistics.connected, statistics.disconnected), (3, 3));
    for client in &mut clients {
        // Goodbyes are there when it returns.
        client.poll(Instant::now()).unwrap();
        assert_eq!(client.state(), ClientState::Disconnected(Ending::ClosedByServer));
    }
}

#[test]
fn a_server_is_dropped() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(1);
    drop(host);
    client.wait(Duration::from_secs(5)).unwrap();
    client.poll(Instant::now()).unwrap();
    assert_eq!(client.state(), ClientState::Disconnected(Ending::ClosedByServer));
}

#[test]
fn waiting_ends_with_a_datagram_or_with_time() {
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
    assert!(host.server.wait(Duration::from_secs(60)).unwrap(), "events wait to be taken");
}

#[test]
fn events_that_nobody_takes_are_bounded() {
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
    // The rest waited in the system.
    host.until(&mut [&mut client], |host, _| host.seen.len() == 6);
}
