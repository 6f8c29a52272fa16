//! Admission and kicks.

use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::Span;
use ugas_net::message::{
    Ack, ByeReason, ClientId, Frames, Hello, PROTOCOL, PacketId, RefusedReason, Rejection, ToClient,
    ToServer, Welcome,
};
use ugas_net::{AfterRejection, ClientConfig, ClientEvent, Host, PeerId, Server, ServerConfig};
use ugas_netsim::Rig;
use ugas_netsim::link::Conditions;

use super::raw_server::RawServer;
use crate::fixture::catalog;

#[test]
fn refused_client_receives_the_reason() {
    let mut raw = RawServer::new(ServerConfig { max_clients: 1, ..ServerConfig::default() });
    let good = raw.hello(1);
    let (catalog, dictionary) = (good.catalog, good.dictionary);
    let mut ask = |peer, hello: Hello| {
        raw.say(peer, ToServer::Hello(hello));
        match raw.answers().pop() {
            Some((to, ToClient::Refused(refused))) if to == peer => Err(refused.reason),
            Some((to, ToClient::Welcome(Welcome { nonce, .. }))) if to == peer => Ok(nonce),
            other => panic!("{other:?}"),
        }
    };
    let expected = RefusedReason::Protocol { server: PROTOCOL, client: 99 };
    assert_eq!(ask(1, Hello { protocol: 99, ..good.clone() }), Err(expected));
    let expected = RefusedReason::Catalog { server: catalog, client: 5 };
    assert_eq!(ask(1, Hello { catalog: 5, ..good.clone() }), Err(expected));
    let expected = RefusedReason::Dictionary { server: dictionary, client: 5 };
    assert_eq!(ask(1, Hello { dictionary: 5, ..good.clone() }), Err(expected));
    assert_eq!(ask(1, good.clone()), Ok(1));
    assert_eq!(ask(1, good.clone()), Ok(1)); // its welcome got lost
    assert_eq!(ask(2, Hello { nonce: 2, ..good.clone() }), Err(RefusedReason::Full));
    assert_eq!(ask(1, Hello { nonce: 3, ..good }), Ok(3)); // the same connection begins anew
}

#[test]
fn an_old_hello_does_not_end_a_newer_session() {
    let mut raw = RawServer::new(ServerConfig::default());
    let [old, new] = [raw.hello(1), raw.hello(2)];
    raw.say(1, ToServer::Hello(old.clone()));
    raw.say(1, ToServer::Hello(new));
    let client = raw.server.clients().next().unwrap();
    raw.say(1, ToServer::Hello(old)); // the network held a copy of it back
    assert_eq!(raw.server.clients().collect::<Vec<_>>(), [client]);
}

#[test]
fn acknowledging_unsent_packets_ends_the_session() {
    let (mut raw, _) = RawServer::with_hero();
    let ack = Ack { newest: PacketId(1_000), earlier: 0 };
    let now = raw.server.current_tick();
    raw.say(1, ToServer::Frames(Frames { session: 1, packet: PacketId(1), ack, now, frames: Vec::new() }));
    raw.tick();
    assert_eq!(raw.server.clients().count(), 0);
    let goodbye = raw.answers().pop();
    assert_eq!(goodbye, Some((1, ToClient::Bye(ByeReason::Misbehaved))));
}

/// Has had enough of the second command that is rejected for the same reason.
struct Strict;

impl Host for Strict {
    fn rejected(&mut self, _: ClientId, _: Rejection, count: u32) -> AfterRejection {
        if count == 2 { AfterRejection::Kick } else { AfterRejection::Keep }
    }

    fn admit(&mut self, _: PeerId, credential: &[u8]) -> Result<(), String> {
        (credential == b"Ada").then_some(()).ok_or_else(|| "who are you?".into())
    }
}

#[test]
fn host_decides_about_admission_and_kicks() {
    let simulation = Simulation::new(catalog(), Config::seeded(1));
    let mut rig = Rig::new(Server::with_host(simulation, ServerConfig::default(), Strict), 1);
    for credential in [b"Ada", b"Bob"] {
        let config = ClientConfig { credential: credential.to_vec(), ..ClientConfig::default() };
        rig.join(config, Conditions::perfect());
    }
    rig.run(Span::seconds(0.5));
    let refused = ClientEvent::Refused(RefusedReason::Denied("who are you?".into()));
    assert_eq!(rig.seats[1].client.poll_event(), Some(refused));
    let hero = rig.server.simulation_mut().spawn("Hero").unwrap();
    let ada = rig.server.clients().next().unwrap();
    rig.server.give(hero, ada);
    rig.run(Span::seconds(0.5));
    let client = &mut rig.seats[0].client;
    let own = client.own_controllers().next().unwrap();
    for expected in [1, 0] {
        rig.seats[0].client.press(own, "Slot.GA_Guarded").unwrap();
        rig.run(Span::seconds(0.5));
        assert_eq!(rig.server.clients().count(), expected);
    }
    let events: Vec<_> = core::iter::from_fn(|| rig.seats[0].client.poll_event()).collect();
    assert!(events.contains(&ClientEvent::Disconnected(Some(ByeReason::Kicked))));
}

#[test]
fn a_flood_of_datagrams_is_dropped() {
    let (mut raw, _) = RawServer::with_hero();
    let before = raw.server.statistics().dropped;
    for packet in 1..=1_000 {
        let (packet, now) = (PacketId(packet), raw.server.current_tick());
        raw.say(
            1,
            ToServer::Frames(Frames { session: 1, packet, ack: Ack::default(), now, frames: Vec::new() }),
        );
    }
    // 200 a second, of which one was the greeting; a few flowed in since.
    let taken = 1_000 - (raw.server.statistics().dropped - before);
    assert!((199..=205).contains(&taken), "{taken}");
}
