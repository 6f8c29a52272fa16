//! The same session over the network and in memory, through the traits.

use std::thread;
use std::time::{Duration, Instant};

use ugas_transport::memory::MemoryServer;
use ugas_transport::{
    ClientState, ClientTransport, Departure, Ending, Refusal, SendError, ServerEvent, ServerTransport,
};

use crate::pair::Host;

/// Polls both until a condition holds.
fn until(
    server: &mut dyn ServerTransport,
    client: &mut dyn ClientTransport,
    mut is_so: impl FnMut(&mut dyn ServerTransport, &mut dyn ClientTransport) -> bool,
) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        client.poll(Instant::now()).unwrap();
        server.wait(Duration::from_millis(1)).unwrap();
        server.poll(Instant::now()).unwrap();
        if is_so(server, client) {
            return;
        }
        assert!(Instant::now() < deadline, "{:?}", client.state());
    }
}

/// Connects, sends datagrams both ways, and disconnects.
fn check_session(server: &mut dyn ServerTransport, client: &mut dyn ClientTransport) {
    assert_eq!(client.state(), ClientState::Connecting);
    assert_eq!(client.send(b"early"), Err(SendError::NotConnected));
    until(server, client, |_, client| client.state() == ClientState::Connected);
    assert_eq!(server.next_event(), Some(ServerEvent::Connected { peer: 7, user_data: b"Ada" }));

    client.send(b"ping").unwrap();
    until(server, client, |server, _| match server.next_event() {
        Some(event) => event == ServerEvent::Datagram { peer: 7, bytes: b"ping" },
        None => false,
    });
    server.send(7, b"pong").unwrap();
    until(server, client, |_, client| client.next_datagram() == Some(b"pong"));
    assert_eq!(server.send(8, b"who?"), Err(SendError::NotConnected));
    assert_eq!(client.send(&[0; 1201]), Err(SendError::TooLong(1201)));

    client.disconnect();
    assert_eq!(client.state(), ClientState::Disconnected(Ending::Closed));
    let gone = ServerEvent::Disconnected { peer: 7, reason: Departure::Left };
    until(server, client, |server, _| server.next_event() == Some(gone));
    assert_eq!(server.send(7, b"late"), Err(SendError::NotConnected));
}

#[test]
fn session_over_the_network() {
    let mut host = Host::new(|config| config);
    let token = host.issuer.issue(&host.admission(7).user_data("Ada")).unwrap();
    let mut client = ugas_transport::ClientSocket::connect(token).unwrap();
    check_session(&mut host.server, &mut client);
}

#[test]
fn session_in_memory() {
    let mut server = MemoryServer::new(4);
    let mut client = server.port().connect(7, b"Ada");
    check_session(&mut server, &mut client);
}

#[test]
fn memory_server_limits_and_replaces_peers() {
    let mut server = MemoryServer::new(1);
    let port = server.port();
    let now = Instant::now();
    let first = port.connect(1, b"");
    let second = port.connect(2, b"");
    server.poll(now).unwrap();
    assert_eq!(first.state(), ClientState::Connected);
    assert_eq!(second.state(), ClientState::Refused(Refusal::Full));
    let again = port.connect(1, b"again");
    server.poll(now).unwrap();
    assert_eq!(first.state(), ClientState::Disconnected(Ending::ClosedByServer));
    assert_eq!(again.state(), ClientState::Connected);
    assert_eq!(server.next_event(), Some(ServerEvent::Connected { peer: 1, user_data: b"" }));
    let replaced = ServerEvent::Disconnected { peer: 1, reason: Departure::Replaced };
    assert_eq!(server.next_event(), Some(replaced));
    assert_eq!(server.next_event(), Some(ServerEvent::Connected { peer: 1, user_data: b"again" }));
    assert_eq!(server.next_event(), None);
    // The server's own disconnect emits no event; a client's does, after its datagrams.
    server.disconnect(1);
    assert_eq!(again.state(), ClientState::Disconnected(Ending::ClosedByServer));
    let mut third = port.connect(3, b"");
    server.poll(now).unwrap();
    third.send(b"bye").unwrap();
    drop(third);
    server.poll(now).unwrap();
    assert_eq!(server.next_event(), Some(ServerEvent::Connected { peer: 3, user_data: b"" }));
    assert_eq!(server.next_event(), Some(ServerEvent::Datagram { peer: 3, bytes: b"bye" }));
    let left = ServerEvent::Disconnected { peer: 3, reason: Departure::Left };
    assert_eq!(server.next_event(), Some(left));
    drop(server);
    assert_eq!(port.connect(4, b"").state(), ClientState::Disconnected(Ending::NoAnswer));
}

#[test]
fn memory_transport_works_between_threads() {
    let mut server = MemoryServer::new(4);
    let port = server.port();
    let other = thread::spawn(move || {
        let mut client = port.connect(1, b"");
        while client.state() != ClientState::Connected {
            client.wait(Duration::from_secs(1)).unwrap();
        }
        client.send(b"ping").unwrap();
        loop {
            client.wait(Duration::from_secs(1)).unwrap();
            client.poll(Instant::now()).unwrap();
            if let Some(bytes) = client.next_datagram() {
                break bytes.to_vec();
            }
        }
    });
    let mut is_answered = false;
    while !is_answered {
        server.wait(Duration::from_secs(1)).unwrap();
        server.poll(Instant::now()).unwrap();
        while let Some(event) = server.next_event() {
            is_answered |= matches!(event, ServerEvent::Datagram { bytes: b"ping", .. });
        }
    }
    server.send(1, b"pong").unwrap();
    assert_eq!(other.join().unwrap(), b"pong");
}
