//! Accepted and refused connection requests, and the reasons of refusals.

use std::time::Duration;

use ugas_transport::{
    Access, Admission, BindError, ClientSocket, ClientState, ConnectToken, Departure, Ending, ProtocolId,
    Refusal, ServerConfig, ServerKey, ServerSocket, TokenIssuer,
};

use crate::pair::{Host, SeenEvent, loopback, protocol};

/// Connects with a token, and expects to be refused.
fn check_refused(host: &mut Host, token: ConnectToken, expected: Refusal) {
    let mut client = ClientSocket::connect(token).unwrap();
    assert_eq!(host.outcome(&mut client), ClientState::Refused(expected));
    assert!(host.server.statistics().refused(expected) > 0);
    assert_eq!(host.seen, []);
}

#[test]
fn token_of_another_key_is_refused() {
    let mut host = Host::new(|config| config);
    let stranger = TokenIssuer::new(ServerKey::generate(), protocol());
    let token = stranger.issue(&host.admission(1)).unwrap();
    check_refused(&mut host, token, Refusal::UnknownIssuer);
}

#[test]
fn token_without_secrets_is_refused_by_a_keyed_server() {
    let mut host = Host::new(|config| config);
    let token = ConnectToken::without_secrets(protocol(), &host.admission(1)).unwrap();
    check_refused(&mut host, token, Refusal::UnknownIssuer);
}

#[test]
fn token_of_another_protocol_is_refused() {
    let key = ServerKey::generate();
    let mut host = Host::new(|_| ServerConfig::new(loopback(), protocol(), Access::Keyed(key.clone())));
    let token = TokenIssuer::new(key, ProtocolId::of(2, 0xcafe)).issue(&host.admission(1)).unwrap();
    check_refused(&mut host, token, Refusal::OtherProtocol);
}

#[test]
fn token_for_another_server_is_refused() {
    let mut host = Host::new(|config| config.reached_at("192.0.2.1:7777".parse().unwrap()));
    let token = host.token(1);
    check_refused(&mut host, token, Refusal::NotForThisServer);
}

#[test]
fn expired_token_is_refused() {
    let mut host = Host::new(|config| config);
    let token = host.issuer.issue(&host.admission(1).valid_for(Duration::from_secs(5))).unwrap();
    // Only the server's clock is ahead; the client connects in the present.
    host.server.poll(host.now() + Duration::from_secs(6)).unwrap();
    check_refused(&mut host, token, Refusal::Expired);
}

#[test]
fn full_server_refuses_until_a_peer_leaves() {
    let mut host = Host::new(|config| config.max_clients(1));
    let mut first = host.connected(1);
    let mut second = host.client(2);
    host.until(&mut [&mut first, &mut second], |_, clients| clients[1].state() != ClientState::Connecting);
    assert_eq!(second.state(), ClientState::Refused(Refusal::Full));
    assert!(host.server.statistics().refused(Refusal::Full) >= 1);
    // A peer leaves.
    drop(first);
    host.until(&mut [], |host, _| host.server.peers().count() == 0);
    let third = host.connected(3);
    assert_eq!(third.state(), ClientState::Connected);
}

#[test]
fn token_is_accepted_once() {
    let mut host = Host::new(|config| config);
    let token = host.token(1);
    let mut client = ClientSocket::connect(token.clone()).unwrap();
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    drop(client);
    host.until(&mut [], |host, _| host.server.peers().count() == 0);
    host.seen.clear();
    check_refused(&mut host, token, Refusal::TokenUsed);
}

#[test]
fn reconnecting_peer_replaces_its_connection() {
    let mut host = Host::new(|config| config.max_clients(1));
    let mut lost = host.connected(1);
    // It reconnects without having disconnected, while the server still considers it connected.
    let again = host.connected(1);
    assert_eq!(again.state(), ClientState::Connected);
    let expected = [
        SeenEvent::Connected(1, Vec::new()),
        SeenEvent::Disconnected(1, Departure::Replaced),
        SeenEvent::Connected(1, Vec::new()),
    ];
    assert_eq!(host.seen, expected);
    host.until(&mut [&mut lost], |_, clients| clients[0].state() != ClientState::Connected);
    assert_eq!(lost.state(), ClientState::Disconnected(Ending::ClosedByServer));
    assert_eq!(host.server.peers().collect::<Vec<_>>(), [1]);
}

#[test]
fn open_server_refuses_a_second_connection_of_a_peer() {
    let mut host = Host::new(|_| ServerConfig::new(loopback(), protocol(), Access::OpenOnLoopback));
    let open =
        |host: &Host| ConnectToken::without_secrets(protocol(), &host.admission(1).user_data("Ada")).unwrap();
    let mut client = ClientSocket::connect(open(&host)).unwrap();
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    assert_eq!(host.seen, [SeenEvent::Connected(1, b"Ada".to_vec())]);
    let mut second = ClientSocket::connect(open(&host)).unwrap();
    host.until(&mut [&mut client, &mut second], |_, clients| clients[1].state() != ClientState::Connecting);
    assert_eq!(second.state(), ClientState::Refused(Refusal::AlreadyConnected));
    assert_eq!(client.state(), ClientState::Connected);
}

#[test]
fn keyed_token_is_refused_by_an_open_server() {
    let mut host = Host::new(|_| ServerConfig::new(loopback(), protocol(), Access::OpenOnLoopback));
    let token = host.token(1);
    check_refused(&mut host, token, Refusal::UnknownIssuer);
}

#[test]
fn bind_rejects_invalid_configurations() {
    let everywhere = "0.0.0.0:0".parse().unwrap();
    let bind = |config| ServerSocket::bind(config).map(|server| server.local_addr());
    let open = ServerConfig::new(everywhere, protocol(), Access::OpenOnLoopback);
    assert!(matches!(bind(open), Err(BindError::NotLoopback(address)) if address == everywhere));
    let keyed = ServerConfig::new(everywhere, protocol(), Access::Keyed(ServerKey::generate()));
    assert!(matches!(bind(keyed.clone()), Err(BindError::NoPublicAddress(_))));
    assert!(bind(keyed.clone().reached_at("192.0.2.1:7777".parse().unwrap())).is_ok());
    assert!(bind(ServerConfig::new(everywhere, protocol(), Access::OpenToNetwork)).is_ok());
    assert!(matches!(bind(keyed.clone().max_clients(0)), Err(BindError::MaxClients(0))));
    assert!(matches!(bind(keyed.max_clients(1025)), Err(BindError::MaxClients(1025))));
    let taken =
        ServerSocket::bind(ServerConfig::new(loopback(), protocol(), Access::OpenOnLoopback)).unwrap();
    let second = ServerConfig::new(taken.local_addr(), protocol(), Access::OpenOnLoopback);
    let error = bind(second).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {}", taken.local_addr()));
}

#[test]
fn unreachable_server_ends_with_no_answer() {
    let mut host = Host::new(|config| config);
    let nobody = std::net::UdpSocket::bind(loopback()).unwrap();
    let admission = Admission::new(1, nobody.local_addr().unwrap()).timeout(Duration::from_secs(1));
    let mut client = ClientSocket::connect(host.issuer.issue(&admission).unwrap()).unwrap();
    client.poll(host.now()).unwrap();
    host.ahead = Duration::from_secs(2);
    assert_eq!(host.outcome(&mut client), ClientState::Disconnected(Ending::NoAnswer));
}

#[test]
fn client_falls_back_to_the_second_server() {
    let mut host = Host::new(|config| config);
    let nobody = std::net::UdpSocket::bind(loopback()).unwrap();
    let servers = vec![nobody.local_addr().unwrap(), host.server.local_addr()];
    let admission = Admission { servers, ..host.admission(1) }.timeout(Duration::from_secs(2));
    let mut client = ClientSocket::connect(host.issuer.issue(&admission).unwrap()).unwrap();
    client.poll(host.now()).unwrap();
    host.ahead = Duration::from_secs(3);
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    assert_eq!(client.server_addr(), host.server.local_addr());
}

#[test]
fn key_files_are_created_and_read() {
    let path = std::env::temp_dir().join(format!("ugas-transport-{}.key", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let key = ServerKey::create_file(&path).unwrap();
    assert!(ServerKey::create_file(&path).is_err(), "an existing key file is not overwritten");
    assert_eq!(ServerKey::read_file(&path).unwrap().to_text(), key.to_text());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    std::fs::remove_file(&path).unwrap();
    assert!(ServerKey::read_file(&path).is_err());
}

/// A client that moves to another socket, as after a change of its address.
#[test]
fn client_returns_over_a_new_socket_with_its_secret() {
    let mut host = Host::new(|config| config);
    let mut client = host.connected(7);
    let (before, secret) = (client.local_addr().unwrap(), ugas_transport::random_bytes());
    host.server.let_return(7, secret);
    host.seen.clear();
    client.reconnect(Some(secret)).unwrap();
    assert_ne!(client.local_addr().unwrap(), before);
    assert_eq!(host.outcome(&mut client), ClientState::Connected);
    let replaced = [SeenEvent::Disconnected(7, Departure::Replaced), SeenEvent::Connected(7, Vec::new())];
    assert_eq!(host.seen, replaced);
    assert_eq!(host.server.address_of(7), Some(client.local_addr().unwrap()));
    // Without the secret it has its first token only, which is used.
    client.reconnect(None).unwrap();
    assert_eq!(host.outcome(&mut client), ClientState::Refused(Refusal::TokenUsed));
}
