//! Kicks of clients that send what no unmodified client sends.

use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::TargetData;
use ugas_net::message::{Ack, ByeReason, ClientId, Frames, NetCommand, PacketId, Rejection, ToServer};
use ugas_net::{Host, KickReason, PeerId, Server, ServerConfig, ServerEvent};

use super::raw_server::{RawServer, activate};
use crate::fixture::catalog;

/// Kicks and ends of sessions since the last call.
fn endings<H: Host>(raw: &mut RawServer<H>) -> Vec<ServerEvent> {
    let events = core::iter::from_fn(|| raw.server.poll_event());
    events.filter(|event| matches!(event, ServerEvent::Kicked { .. } | ServerEvent::Left { .. })).collect()
}

fn after_seconds(seconds: u32, config: ServerConfig) -> (RawServer, ControllerId) {
    let (mut raw, hero) = RawServer::with_hero_by(config);
    for _ in 0..seconds * 60 {
        raw.tick();
    }
    raw.answers();
    (raw, hero)
}

#[test]
fn client_with_too_many_forged_commands_is_kicked() {
    let (mut raw, hero) = after_seconds(6, ServerConfig::default());
    let other = raw.server.simulation_mut().spawn("Hero").unwrap();
    raw.tick();
    let (foreign, guarded) = (raw.ability(other, "GA_Shield"), raw.ability(hero, "GA_Guarded"));
    let wolves = [0; 2].map(|_| raw.server.simulation_mut().spawn("Wolf").unwrap());
    raw.tick();
    let both = TargetData::from_iter(wolves);
    let weapon = raw.ability(hero, "GA_Weapon");
    let forged = [
        activate(foreign, TargetData::new()),
        activate(guarded, TargetData::new()),
        activate(weapon, both),
        NetCommand::Confirm(other),
    ];
    for command in forged.iter().cycle().take(8) {
        raw.command(0, 1, vec![command.clone()]);
    }
    assert_eq!(endings(&mut raw), []);
    raw.command(0, 1, vec![forged[0].clone()]);
    let reason = KickReason::Forged { rejection: Rejection::NotGranted, count: 9 };
    let client = ClientId(1);
    assert_eq!(
        endings(&mut raw),
        [
            ServerEvent::Kicked { client, peer: PeerId(1), reason },
            ServerEvent::Left { client, reason: Some(ByeReason::Misbehaved) },
        ]
    );
    let statistics = raw.server.statistics();
    assert_eq!((statistics.forged, statistics.kicked), (9, 1));
}

#[test]
fn rejections_that_honest_clients_get_do_not_kick() {
    let (mut raw, hero) = after_seconds(6, ServerConfig::default());
    let ghost = raw.server.simulation_mut().spawn("ShyHero").unwrap();
    let shield = raw.ability(hero, "GA_Shield");
    raw.server.simulation_mut().revoke(shield).unwrap();
    let (bolt, weapon) = (raw.ability(hero, "GA_Bolt"), raw.ability(hero, "GA_Weapon"));
    for _ in 0..10 {
        raw.command(0, 1, vec![activate(shield, TargetData::new()), activate(bolt, TargetData::new())]);
        raw.command(0, 1, vec![activate(weapon, ghost.into()), NetCommand::Decline(hero)]);
        raw.command(-9, 1, vec![activate(weapon, TargetData::new())]);
    }
    assert!(raw.server.statistics().rejected > 20, "{:?}", raw.server.statistics());
    assert_eq!((endings(&mut raw), raw.server.statistics().forged), (vec![], 0));
}

#[test]
fn commands_for_a_controller_that_was_just_taken_away_are_not_forged() {
    let (mut raw, hero) = after_seconds(6, ServerConfig::default());
    let shield = raw.ability(hero, "GA_Shield");
    raw.server.take_back(hero);
    for _ in 0..20 {
        raw.command(0, 1, vec![activate(shield, TargetData::new()), NetCommand::Confirm(hero)]);
    }
    assert_eq!((endings(&mut raw), raw.server.statistics().forged), (vec![], 0));
}

#[test]
fn without_a_budget_nobody_is_kicked_for_forged_commands() {
    let config = ServerConfig { forged_commands: None, ..ServerConfig::default() };
    let (mut raw, hero) = after_seconds(6, config);
    let guarded = raw.ability(hero, "GA_Guarded");
    for _ in 0..40 {
        raw.command(0, 1, vec![activate(guarded, TargetData::new())]);
    }
    assert_eq!((endings(&mut raw), raw.server.statistics().forged), (vec![], 40));
}

/// Bans the connections of kicked clients.
#[derive(Default)]
struct Banning(Vec<PeerId>);

impl Host for Banning {
    fn admit(&mut self, peer: PeerId, _: &[u8]) -> Result<(), String> {
        if self.0.contains(&peer) { Err("banned".into()) } else { Ok(()) }
    }

    fn kicked(&mut self, peer: PeerId, _: ClientId, reason: &KickReason) {
        assert_eq!(*reason, KickReason::ForgedAcknowledgement);
        self.0.push(peer);
    }
}

#[test]
fn host_bans_a_client_that_forged_an_acknowledgement() {
    let simulation = Simulation::new(catalog(), Config::seeded(1));
    let mut raw = RawServer::of(Server::with_host(simulation, ServerConfig::default(), Banning::default()));
    raw.join_with_hero();
    let (ack, now) = (Ack { newest: PacketId(4_000), earlier: 0 }, raw.server.current_tick());
    raw.say(1, ToServer::Frames(Frames { session: 1, packet: PacketId(1), ack, now, frames: Vec::new() }));
    raw.tick();
    assert_eq!(endings(&mut raw).len(), 2);
    let hello = raw.hello(2);
    raw.say(1, ToServer::Hello(hello));
    assert_eq!(raw.server.clients().count(), 0);
}

#[test]
fn host_kicks_with_a_reason() {
    let (mut raw, _) = RawServer::with_hero();
    let (client, reason) = (ClientId(1), KickReason::Host("idle for ten minutes".into()));
    raw.server.kick_because(client, reason.clone());
    assert_eq!(
        endings(&mut raw),
        [
            ServerEvent::Kicked { client, peer: PeerId(1), reason },
            ServerEvent::Left { client, reason: Some(ByeReason::Kicked) },
        ]
    );
}
