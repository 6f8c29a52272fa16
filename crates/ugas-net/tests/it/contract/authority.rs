//! Authority checks, command by command (§13.7).

use ugas_core::ability::GameplayEvent;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::targeting::{Placement, TargetData, Team};
use ugas_core::task::TaskOutcome;
use ugas_net::limits::MAX_GRACE;
use ugas_net::message::{
    Ack, ActivationRef, CommandOutcome, Frames, NetCommand, PacketId, Rejection, ToServer,
};
use ugas_net::{ServerConfig, ServerEvent};

use super::raw_server::{RawServer, activate, outcomes, round_trip};
use crate::fixture::Match;

#[test]
fn section_13_7_commands_for_foreign_controllers_are_rejected() {
    let (mut raw, hero) = RawServer::with_hero();
    let other = raw.server.simulation_mut().spawn("Hero").unwrap();
    raw.tick();
    let foreign = raw.ability(other, "GA_Shield");
    // Whether somebody else has it is not revealed.
    let results = raw.command(0, 1, vec![activate(foreign, TargetData::default())]);
    assert_eq!(outcomes(&results), [CommandOutcome::Rejected(Rejection::NotGranted)]);
    let borrowed = raw.ability(hero, "GA_Shield");
    raw.server.simulation_mut().revoke(borrowed).unwrap();
    let results = raw.command(0, 1, vec![activate(borrowed, TargetData::default())]);
    assert_eq!(outcomes(&results), [CommandOutcome::Rejected(Rejection::NotGranted)]);
    let press = NetCommand::Press {
        controller: other,
        input: "Slot.GA_Shield".into(),
        targets: TargetData::default(),
    };
    let confirm = NetCommand::Confirm(other);
    let results = raw.command(0, 1, vec![press, confirm]);
    assert_eq!(outcomes(&results), [CommandOutcome::Rejected(Rejection::NotOwner); 2]);
}

#[test]
fn press_does_not_activate_server_only_abilities() {
    let (mut raw, hero) = RawServer::with_hero();
    while raw.server.poll_event().is_some() {}
    let press = NetCommand::Press {
        controller: hero,
        input: "Slot.GA_Guarded".into(),
        targets: TargetData::default(),
    };
    raw.command(0, 2, vec![press]);
    let mut begun = Vec::new();
    while let Some(event) = raw.server.poll_event() {
        if let ServerEvent::Game(event) = event
            && event.kind.name() == "AbilityActivated"
        {
            begun.push(event);
        }
    }
    assert_eq!(begun, []);
}

#[test]
fn press_does_not_activate_local_only_abilities_on_the_server() {
    let (mut raw, hero) = RawServer::with_hero();
    let press =
        NetCommand::Press { controller: hero, input: "Slot.GA_Local".into(), targets: TargetData::default() };
    raw.command(0, 2, vec![press]);
    assert_eq!(raw.server.simulation().controller(hero).unwrap().activations(), []);
}

#[test]
fn press_activates_local_only_abilities_on_the_local_copy() {
    let mut game = Match::new(1, round_trip(100));
    let hero = game.rig.seats[0].client.own_controllers().next().unwrap();
    game.heard(0);
    game.rig.seats[0].client.press(hero, "Slot.GA_Local").unwrap();
    game.run(0.05);
    let client = &game.rig.seats[0].client;
    assert!(client.local_simulation().is_some());
    assert_eq!(client.simulation().controller(hero).unwrap().activations(), []);
    game.run(0.5);
    assert_eq!(game.rig.seats[0].client.statistics().mispredicted, 0);
}

#[test]
fn event_with_a_hidden_controller_is_rejected() {
    let (mut raw, hero) =
        RawServer::with_hero_by(ServerConfig { trust_events: true, ..ServerConfig::default() });
    let ghost = raw.server.simulation_mut().spawn("ShyHero").unwrap();
    raw.tick();
    let tag = raw.server.catalog().tag("State.Shielded").unwrap();
    let ability = raw.ability(hero, "GA_Shield");
    for (instigator, target) in [(Some(ghost), None), (None, Some(ghost))] {
        let event = GameplayEvent { instigator, target, ..GameplayEvent::new(tag) };
        let command = NetCommand::Activate { ability, targets: TargetData::default(), event: Some(event) };
        let results = raw.command(0, 1, vec![command]);
        assert_eq!(outcomes(&results), [CommandOutcome::Rejected(Rejection::NotReachable)]);
    }
}

#[test]
fn late_within_the_grace_is_shifted_and_beyond_it_rejected() {
    let (mut raw, hero) = RawServer::with_hero();
    for _ in 0..10 {
        raw.tick();
    }
    let shield = raw.ability(hero, "GA_Shield");
    let mut ask = |ahead, ticks| {
        let results = raw.command(ahead, ticks, vec![activate(shield, TargetData::default())]);
        outcomes(&results)
    };
    assert_eq!(ask(-3, 1), [CommandOutcome::Rejected(Rejection::TooLate)]);
    assert_eq!(ask(-1, 1), [CommandOutcome::Shifted(1)]);
    assert_eq!(ask(30, 1), []); // the farthest that is taken: it is not due yet
    assert_eq!(ask(31, 30), [CommandOutcome::Rejected(Rejection::TooEarly), CommandOutcome::Done]);
}

#[test]
fn activation_targets_and_end_run_in_one_frame() {
    let (mut raw, hero) = RawServer::with_hero();
    let wolf = raw.server.simulation_mut().spawn("Wolf").unwrap();
    raw.tick();
    let aim = raw.ability(hero, "GA_Aim");
    let key = PredictionKey::new(raw.server.current_tick().0 + 1, 0);
    let health = raw.server.catalog().attribute("Health").unwrap();
    let results = raw.command(
        0,
        1,
        vec![
            activate(aim, TargetData::default()),
            NetCommand::Targets {
                run: ActivationRef::Begun(key),
                branch: 0,
                targets: TargetData::from(wolf),
            },
        ],
    );
    assert_eq!(outcomes(&results), [CommandOutcome::Done; 2]);
    assert_eq!(raw.server.simulation().current(wolf, health), Some(99.0));
}

#[test]
fn section_13_7_hidden_target_is_rejected() {
    let (mut raw, hero) = RawServer::with_hero();
    let ghost = raw.server.simulation_mut().spawn("ShyHero").unwrap();
    let gone = raw.server.simulation_mut().spawn("Wolf").unwrap();
    raw.server.simulation_mut().despawn(gone).unwrap();
    raw.tick();
    let weapon = raw.ability(hero, "GA_Weapon");
    let results = raw.command(0, 1, vec![activate(weapon, TargetData::from(ghost))]);
    assert_eq!(outcomes(&results), [CommandOutcome::Rejected(Rejection::NotReachable)]);
    let results = raw.command(0, 1, vec![activate(weapon, TargetData::from(gone))]);
    assert_eq!(outcomes(&results)[0], CommandOutcome::Rejected(Rejection::NotReachable));
    // Nor by what it gives to a run that waits.
    let aim = raw.ability(hero, "GA_Aim");
    let run = ActivationRef::Begun(PredictionKey::new(raw.server.current_tick().0 + 1, 0));
    let targets = NetCommand::Targets { run, branch: 0, targets: TargetData::from(ghost) };
    let results = raw.command(0, 1, vec![activate(aim, TargetData::default()), targets]);
    assert_eq!(
        outcomes(&results)[..2],
        [CommandOutcome::Done, CommandOutcome::Rejected(Rejection::NotReachable)]
    );
}

/// Outcome of target data that a client sends to an activation of this ability.
fn given(raw: &mut RawServer, hero: ControllerId, ability: &str, targets: TargetData) -> CommandOutcome {
    let ability = raw.ability(hero, ability);
    let run = ActivationRef::Begun(PredictionKey::new(raw.server.current_tick().0 + 1, 0));
    let targets = NetCommand::Targets { run, branch: 0, targets };
    // Earlier results are repeated until they are acknowledged.
    raw.command(0, 1, vec![activate(ability, TargetData::default()), targets, NetCommand::Cancel(run)]);
    let tick = raw.server.current_tick().0;
    raw.last_results.iter().find(|result| result.key == PredictionKey::new(tick, 1)).unwrap().outcome
}

#[test]
fn section_13_7_targets_must_match_the_waiting_task() {
    let (mut raw, hero) = RawServer::with_hero();
    let [near, far, friend] = [0, 1, 2].map(|_| raw.server.simulation_mut().spawn("Wolf").unwrap());
    let ally = raw.server.simulation_mut().spawn("Hero").unwrap();
    for (controller, x) in [(hero, 0.0), (near, 4.0), (far, 8.0), (friend, 1.0), (ally, 1.0)] {
        let placement = Placement::at([x, 0.0, 0.0]).unwrap();
        raw.server.simulation_mut().set_placement(controller, Some(placement)).unwrap();
    }
    for (controller, team) in [(hero, "Blue"), (near, "Red"), (far, "Red"), (friend, "Blue"), (ally, "Red")] {
        raw.server.simulation_mut().set_team(controller, Some(Team::new(team))).unwrap();
    }
    raw.tick();
    let refused = CommandOutcome::Rejected(Rejection::NotReachable);
    let cases: [(&[ControllerId], CommandOutcome); 5] = [
        (&[near], CommandOutcome::Done),
        (&[far], refused),          // eight of five metres
        (&[friend], refused),       // on the hero's side
        (&[ally], refused),         // no wolf
        (&[near, friend], refused), // one of one
    ];
    for (targets, expected) in cases {
        let targets = TargetData::from_iter(targets.iter().copied());
        assert_eq!(given(&mut raw, hero, "GA_Snipe", targets.clone()), expected, "{targets:?}");
    }
}

#[test]
fn section_13_7_every_target_must_meet_the_ability_requirements() {
    let (mut raw, hero) = RawServer::with_hero();
    let [one, other] = [0, 1].map(|_| raw.server.simulation_mut().spawn("Wolf").unwrap());
    raw.tick();
    let tame = raw.ability(hero, "GA_Tame");
    let both = || TargetData::from_iter([one, other]);
    let results = raw.command(0, 1, vec![activate(tame, both())]);
    assert_eq!(outcomes(&results), [CommandOutcome::Done]);
    let silence = raw.server.catalog().effect("GE_Silence").unwrap();
    raw.server.simulation_mut().apply_effect(silence, None, other).unwrap();
    let results = raw.command(0, 1, vec![activate(tame, both())]);
    assert_eq!(outcomes(&results).last(), Some(&CommandOutcome::Rejected(Rejection::NotActivated)));
}

#[test]
fn controller_out_of_the_world_is_out_of_range() {
    let (mut raw, hero) = RawServer::with_hero();
    let wolf = raw.server.simulation_mut().spawn("Wolf").unwrap();
    let sling = raw.ability(hero, "GA_Sling");
    for controller in [hero, wolf] {
        raw.server.simulation_mut().set_placement(controller, Some(Placement::default())).unwrap();
    }
    raw.tick();
    raw.server.simulation_mut().set_placement(wolf, None).unwrap();
    for _ in 0..40 {
        raw.tick();
    }
    let newest = raw.heard(1).last().unwrap().packet;
    raw.packet += 1;
    let (packet, now) = (PacketId(raw.packet), raw.server.current_tick());
    let ack = Ack { newest, earlier: 0 };
    raw.say(1, ToServer::Frames(Frames { session: 1, packet, ack, now, frames: Vec::new() }));
    let results = raw.command(0, 1, vec![activate(sling, TargetData::from(wolf))]);
    assert_eq!(outcomes(&results), [CommandOutcome::Rejected(Rejection::NotReachable)]);
}

#[test]
fn event_triggered_ability_is_not_activated_by_a_client() {
    let (mut raw, hero) = RawServer::with_hero();
    let counter = raw.server.catalog().ability("GA_Counter").unwrap();
    let handle = raw.server.simulation_mut().grant(hero, counter, 1).unwrap();
    raw.tick();
    let results = raw.command(0, 1, vec![activate(handle, TargetData::default())]);
    assert_eq!(outcomes(&results), [CommandOutcome::Rejected(Rejection::NotAllowed)]);
}

#[test]
fn declining_does_not_end_server_only_abilities() {
    let (mut raw, hero) = RawServer::with_hero();
    let pledge = raw.server.catalog().ability("GA_Pledge").unwrap();
    let handle = raw.server.simulation_mut().grant(hero, pledge, 1).unwrap();
    raw.tick();
    let commands = vec![activate(handle, TargetData::default()), NetCommand::Decline(hero)];
    let results = raw.command(0, 1, commands);
    assert_eq!(outcomes(&results), [CommandOutcome::Done, CommandOutcome::Rejected(Rejection::NotAllowed)]);
    assert_eq!(raw.server.simulation().controller(hero).unwrap().activations().len(), 1);
}

#[test]
fn grace_is_limited_to_max_grace() {
    let config = ServerConfig { grace: 1_000, ..ServerConfig::default() };
    let (mut raw, hero) = RawServer::with_hero_by(config);
    for _ in 0..20 {
        raw.tick();
    }
    let shield = raw.ability(hero, "GA_Shield");
    let late = |raw: &mut RawServer, ticks: u32| {
        let command = activate(shield, TargetData::default());
        outcomes(&raw.command(-i64::from(ticks), 1, vec![command]))
    };
    assert_eq!(late(&mut raw, MAX_GRACE + 1), [CommandOutcome::Rejected(Rejection::TooLate)]);
    assert_eq!(late(&mut raw, MAX_GRACE).last(), Some(&CommandOutcome::Shifted(8)));
}

#[test]
fn client_cannot_complete_server_host_tasks() {
    let (mut raw, hero) = RawServer::with_hero();
    let dance = raw.ability(hero, "GA_Dance");
    let run = ActivationRef::Begun(PredictionKey::new(raw.server.current_tick().0 + 1, 0));
    let finish = |outcome| NetCommand::Finish { run, branch: 0, outcome };
    let commands = vec![
        activate(dance, TargetData::default()),
        finish(TaskOutcome::Completed),
        finish(TaskOutcome::Interrupted),
        finish(TaskOutcome::Interrupted),
    ];
    let results = raw.command(0, 1, commands);
    let (refused, late) = (Rejection::NotAllowed, Rejection::NotGranted);
    let expected = [
        CommandOutcome::Done,
        CommandOutcome::Rejected(refused),
        CommandOutcome::Done,
        CommandOutcome::Rejected(late),
    ];
    assert_eq!(outcomes(&results), expected);
}

#[test]
fn server_only_end_by_a_client_is_rejected() {
    let (mut raw, hero) = RawServer::with_hero();
    let oath = raw.ability(hero, "GA_Oath");
    let run = ActivationRef::Begun(PredictionKey::new(raw.server.current_tick().0 + 1, 0));
    let commands = vec![activate(oath, TargetData::default()), NetCommand::End(run), NetCommand::Cancel(run)];
    let results = raw.command(0, 1, commands);
    let refused = CommandOutcome::Rejected(Rejection::NotAllowed);
    assert_eq!(outcomes(&results), [CommandOutcome::Done, refused, refused]);
    assert_eq!(raw.server.simulation().controller(hero).unwrap().activations().len(), 1);
}

#[test]
fn section_13_7_reach_uses_acknowledged_positions_within_the_rewind_limit() {
    let (mut raw, hero) = RawServer::with_hero();
    let wolf = raw.server.simulation_mut().spawn("Wolf").unwrap();
    let sling = raw.ability(hero, "GA_Sling");
    let place = |raw: &mut RawServer, controller, x| {
        let placement = Placement::at([x, 0.0, 0.0]).unwrap();
        raw.server.simulation_mut().set_placement(controller, Some(placement)).unwrap();
        raw.tick();
    };
    let acknowledge = |raw: &mut RawServer| {
        let newest = raw.heard(1).last().unwrap().packet;
        raw.packet += 1;
        let (packet, now) = (PacketId(raw.packet), raw.server.current_tick());
        let ack = Ack { newest, earlier: 0 };
        raw.say(1, ToServer::Frames(Frames { session: 1, packet, ack, now, frames: Vec::new() }));
    };
    let shoot = |raw: &mut RawServer| {
        let results = raw.command(0, 1, vec![activate(sling, TargetData::from(wolf))]);
        outcomes(&results)
    };
    let unreachable = [CommandOutcome::Rejected(Rejection::NotReachable)];
    place(&mut raw, hero, 0.0);
    place(&mut raw, wolf, 9.0);
    acknowledge(&mut raw);
    place(&mut raw, wolf, 12.0);
    assert_eq!(shoot(&mut raw), [CommandOutcome::Done]); // nine of ten metres, as the client saw it
    for _ in 0..30 {
        raw.tick();
    }
    assert_eq!(shoot(&mut raw)[0], unreachable[0]); // that is too long ago
    place(&mut raw, wolf, 9.0);
    acknowledge(&mut raw);
    place(&mut raw, wolf, 12.0);
    acknowledge(&mut raw);
    assert_eq!(shoot(&mut raw)[0], unreachable[0]); // it has seen it go
}
