//! Kicks of clients that send what no unmodified client sends.

use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::input::InputId;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::targeting::TargetData;
use ugas_net::message::{
    Ack, ActivationRef, ByeReason, ClientId, CommandFrame, CommandOutcome, Frames, NetCommand, PacketId,
    Rejection, Resume, ToClient, ToServer,
};
use ugas_net::{Host, KickReason, Ownership, PeerId, Server, ServerConfig, ServerEvent, Visibility};

use super::raw_server::{RawServer, activate, outcomes};
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
    // Own state that nobody acknowledges is sent again and again; there is room for others besides.
    let config = ServerConfig { bytes_per_second: 1_000_000, ..ServerConfig::default() };
    let (mut raw, hero) = after_seconds(6, config);
    let other = raw.server.simulation_mut().spawn("Hero").unwrap();
    let everything = raw.server.add_visibility(Visibility::owner()); // abilities too
    raw.server.set_visibility(other, Ownership::Others, Some(everything));
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

/// Sends a command of a session for the next tick, and lets the tick pass.
fn command_of(raw: &mut RawServer, session: u8, packet: u32, command: NetCommand) {
    let tick = raw.server.current_tick().next();
    let frames = vec![CommandFrame { tick, commands: vec![command] }];
    let (packet, ack) = (PacketId(packet), Ack::default());
    raw.say(1, ToServer::Frames(Frames { session, packet, ack, now: tick, frames }));
    raw.tick();
}

#[test]
fn new_session_of_a_connection_does_not_reset_the_budget_of_forged_commands() {
    let (mut raw, hero) = after_seconds(6, ServerConfig::default());
    let guarded = raw.ability(hero, "GA_Guarded");
    for _ in 0..8 {
        raw.command(0, 1, vec![activate(guarded, TargetData::new())]);
    }
    let hello = raw.hello(2);
    raw.say(1, ToServer::Hello(hello));
    let client = raw.server.clients().next().unwrap();
    raw.server.give(hero, client);
    endings(&mut raw);
    command_of(&mut raw, 2, 1, activate(guarded, TargetData::new()));
    let reason = KickReason::Forged { rejection: Rejection::NotAllowed, count: 9 };
    assert_eq!(endings(&mut raw)[0], ServerEvent::Kicked { client, peer: PeerId(1), reason });
}

#[test]
fn new_session_of_a_connection_does_not_reset_the_limit_of_commands() {
    let config = ServerConfig { commands_per_second: 4, ..ServerConfig::default() };
    let (mut raw, hero) = RawServer::with_hero_by(config);
    let release = NetCommand::Release { controller: hero, input: InputId::from("Slot.GA_Bolt") };
    raw.command(0, 0, vec![release.clone(); 4]);
    let hello = raw.hello(2);
    raw.say(1, ToServer::Hello(hello));
    let client = raw.server.clients().next().unwrap();
    raw.server.give(hero, client);
    command_of(&mut raw, 2, 1, release);
    let rejected: Vec<_> = raw.server.rejections(client).collect();
    assert_eq!(rejected, [(Rejection::TooMany, 1)]);
}

#[test]
fn targets_for_a_branch_that_waits_for_none_any_more_are_not_forged() {
    let (mut raw, hero) = after_seconds(6, ServerConfig::default());
    let wolves = [0; 2].map(|_| raw.server.simulation_mut().spawn("Wolf").unwrap());
    let dance = raw.ability(hero, "GA_Dance");
    raw.command(0, 1, vec![activate(dance, TargetData::new())]);
    let run = ActivationRef::Begun(PredictionKey::new(raw.server.current_tick().0, 0));
    for _ in 0..20 {
        let late = NetCommand::Targets { run, branch: 0, targets: TargetData::from_iter(wolves) };
        let results = raw.command(0, 1, vec![late]);
        let outcome = outcomes(&results).pop();
        assert_eq!(outcome, Some(CommandOutcome::Rejected(Rejection::NothingWaits)));
    }
    assert_eq!((endings(&mut raw), raw.server.statistics().forged), (vec![], 0));
}

#[test]
fn abilities_that_a_client_is_not_shown_count_like_ones_that_do_not_exist() {
    let (mut raw, _) = after_seconds(6, ServerConfig::default());
    for template in ["Hero", "ShyHero"] {
        let other = raw.server.simulation_mut().spawn(template).unwrap(); // its abilities are its owner's
        let hidden = raw.ability(other, "GA_Shield");
        raw.tick();
        for _ in 0..10 {
            let results = raw.command(0, 1, vec![activate(hidden, TargetData::new())]);
            let outcome = outcomes(&results).pop();
            assert_eq!(outcome, Some(CommandOutcome::Rejected(Rejection::NotGranted)));
        }
    }
    assert_eq!((endings(&mut raw), raw.server.statistics().forged), (vec![], 0));
}

#[test]
fn commands_after_a_resume_for_a_controller_that_was_taken_away_meanwhile_are_not_forged() {
    let config = ServerConfig { secrets: Some(|| [7; 32]), ..ServerConfig::default() };
    let (mut raw, hero) = after_seconds(6, config);
    let client = raw.server.clients().next().unwrap();
    let secret = raw.server.resume_secret(client).unwrap();
    raw.server.disconnected(PeerId(1));
    raw.server.take_back(hero);
    for _ in 0..600 {
        raw.tick();
    }
    raw.answers();
    raw.say(1, ToServer::Resume(Resume { client, nonce: 2, secret }));
    let session = raw.answers().into_iter().find_map(|(_, answer)| match answer {
        ToClient::Welcome(welcome) => Some(welcome.session),
        _ => None,
    });
    for packet in 1..=20 {
        let (input, targets) = (InputId::from("Slot.GA_Bolt"), TargetData::new());
        command_of(
            &mut raw,
            session.unwrap(),
            packet,
            NetCommand::Press { controller: hero, input, targets },
        );
    }
    assert_eq!(raw.server.rejections(client).collect::<Vec<_>>(), [(Rejection::NotOwner, 20)]);
    assert_eq!((endings(&mut raw), raw.server.statistics().forged), (vec![], 0));
}
