//! What a client may do, judged command by command (§13.7).

use ugas_core::ability::GameplayEvent;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::targeting::{Placement, Target, TargetData, Team};
use ugas_core::task::TaskOutcome;
use ugas_net::limits::MAX_GRACE;
use ugas_net::message::{Ack, Frames, NetCommand, PacketId, Rejection, RunRef, ToServer, Verdict};
use ugas_net::{ServerConfig, ServerEvent};

use super::desk::{Desk, activate, round_trip, verdicts};
use crate::fixture::Match;

#[test]
fn section_13_7_by_hand_what_is_not_the_clients_is_rejected() {
    let (mut desk, hero) = Desk::with_hero();
    let other = desk.server.simulation_mut().spawn("Hero").unwrap();
    desk.tick();
    let foreign = desk.ability(other, "GA_Shield");
    // Whether somebody else has it is not told.
    let results = desk.command(0, 1, vec![activate(foreign, TargetData::default())]);
    assert_eq!(verdicts(&results), [Verdict::Rejected(Rejection::NotGranted)]);
    let borrowed = desk.ability(hero, "GA_Shield");
    desk.server.simulation_mut().revoke(borrowed).unwrap();
    let results = desk.command(0, 1, vec![activate(borrowed, TargetData::default())]);
    assert_eq!(verdicts(&results), [Verdict::Rejected(Rejection::NotGranted)]);
    let press = NetCommand::Press { controller: other, input: "Slot.GA_Shield".into() };
    let confirm = NetCommand::Confirm(other);
    let results = desk.command(0, 1, vec![press, confirm]);
    assert_eq!(verdicts(&results), [Verdict::Rejected(Rejection::NotOwner); 2]);
}

#[test]
fn a_press_does_not_begin_what_only_a_server_may_begin() {
    let (mut desk, hero) = Desk::with_hero();
    while desk.server.poll_event().is_some() {}
    let press = NetCommand::Press { controller: hero, input: "Slot.GA_Guarded".into() };
    desk.command(0, 2, vec![press]);
    let mut begun = Vec::new();
    while let Some(event) = desk.server.poll_event() {
        if let ServerEvent::Game(event) = event
            && event.kind.name() == "AbilityActivated"
        {
            begun.push(event);
        }
    }
    assert_eq!(begun, []);
}

#[test]
fn a_press_does_not_begin_on_the_server_what_runs_on_one_machine_only() {
    let (mut desk, hero) = Desk::with_hero();
    let press = NetCommand::Press { controller: hero, input: "Slot.GA_Local".into() };
    desk.command(0, 2, vec![press]);
    assert_eq!(desk.server.simulation().controller(hero).unwrap().activations(), []);
}

#[test]
fn a_press_begins_what_runs_on_one_machine_only_beside_the_world_and_not_in_it() {
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
fn an_event_names_nobody_whom_the_client_does_not_see() {
    let (mut desk, hero) = Desk::with_hero_by(ServerConfig { trust_events: true, ..ServerConfig::default() });
    let ghost = desk.server.simulation_mut().spawn("ShyHero").unwrap();
    desk.tick();
    let tag = desk.server.catalog().tag("State.Shielded").unwrap();
    let ability = desk.ability(hero, "GA_Shield");
    for (instigator, target) in [(Some(ghost), None), (None, Some(ghost))] {
        let event = GameplayEvent { instigator, target, ..GameplayEvent::new(tag) };
        let command = NetCommand::Activate { ability, targets: TargetData::default(), event: Some(event) };
        let results = desk.command(0, 1, vec![command]);
        assert_eq!(verdicts(&results), [Verdict::Rejected(Rejection::NotReachable)]);
    }
}

#[test]
fn late_within_the_grace_is_shifted_and_beyond_it_rejected() {
    let (mut desk, hero) = Desk::with_hero();
    for _ in 0..10 {
        desk.tick();
    }
    let shield = desk.ability(hero, "GA_Shield");
    let mut ask = |ahead, ticks| {
        let results = desk.command(ahead, ticks, vec![activate(shield, TargetData::default())]);
        verdicts(&results)
    };
    assert_eq!(ask(-3, 1), [Verdict::Rejected(Rejection::TooLate)]);
    assert_eq!(ask(-1, 1), [Verdict::Shifted(1)]);
    assert_eq!(ask(30, 1), []); // the farthest that is taken: it is not due yet
    assert_eq!(ask(31, 30), [Verdict::Rejected(Rejection::TooEarly), Verdict::Done]);
}

#[test]
fn activation_targets_and_end_run_in_one_frame() {
    let (mut desk, hero) = Desk::with_hero();
    let wolf = desk.server.simulation_mut().spawn("Wolf").unwrap();
    desk.tick();
    let aim = desk.ability(hero, "GA_Aim");
    let key = PredictionKey::new(desk.server.current_tick().0 + 1, 0);
    let health = desk.server.catalog().attribute("Health").unwrap();
    let results = desk.command(
        0,
        1,
        vec![
            activate(aim, TargetData::default()),
            NetCommand::Targets { run: RunRef::Begun(key), thread: 0, targets: TargetData::from(wolf) },
        ],
    );
    assert_eq!(verdicts(&results), [Verdict::Done; 2]);
    assert_eq!(desk.server.simulation().current(wolf, health), Some(99.0));
}

#[test]
fn section_13_7_what_a_client_does_not_see_it_cannot_aim_at() {
    let (mut desk, hero) = Desk::with_hero();
    let ghost = desk.server.simulation_mut().spawn("ShyHero").unwrap();
    let gone = desk.server.simulation_mut().spawn("Wolf").unwrap();
    desk.server.simulation_mut().despawn(gone).unwrap();
    desk.tick();
    let weapon = desk.ability(hero, "GA_Weapon");
    let results = desk.command(0, 1, vec![activate(weapon, TargetData::from(ghost))]);
    assert_eq!(verdicts(&results), [Verdict::Rejected(Rejection::NotReachable)]);
    let results = desk.command(0, 1, vec![activate(weapon, TargetData::from(gone))]);
    assert_eq!(verdicts(&results)[0], Verdict::Rejected(Rejection::NotReachable));
    // Nor by what it gives to a run that waits.
    let aim = desk.ability(hero, "GA_Aim");
    let run = RunRef::Begun(PredictionKey::new(desk.server.current_tick().0 + 1, 0));
    let targets = NetCommand::Targets { run, thread: 0, targets: TargetData::from(ghost) };
    let results = desk.command(0, 1, vec![activate(aim, TargetData::default()), targets]);
    assert_eq!(verdicts(&results)[..2], [Verdict::Done, Verdict::Rejected(Rejection::NotReachable)]);
}

/// What a run of this ability says to targets that a client gives it.
fn given(desk: &mut Desk, hero: ControllerId, ability: &str, targets: TargetData) -> Verdict {
    let ability = desk.ability(hero, ability);
    let run = RunRef::Begun(PredictionKey::new(desk.server.current_tick().0 + 1, 0));
    let targets = NetCommand::Targets { run, thread: 0, targets };
    // Those before are told again until they are acknowledged.
    desk.command(0, 1, vec![activate(ability, TargetData::default()), targets, NetCommand::Cancel(run)]);
    let tick = desk.server.current_tick().0;
    desk.last_results.iter().find(|result| result.key == PredictionKey::new(tick, 1)).unwrap().verdict
}

#[test]
fn section_13_7_targets_are_those_that_the_waiting_task_asks_for() {
    let (mut desk, hero) = Desk::with_hero();
    let [near, far, friend] = [0, 1, 2].map(|_| desk.server.simulation_mut().spawn("Wolf").unwrap());
    let ally = desk.server.simulation_mut().spawn("Hero").unwrap();
    for (controller, x) in [(hero, 0.0), (near, 4.0), (far, 8.0), (friend, 1.0), (ally, 1.0)] {
        let placement = Placement::at([x, 0.0, 0.0]).unwrap();
        desk.server.simulation_mut().set_placement(controller, Some(placement)).unwrap();
    }
    for (controller, team) in [(hero, "Blue"), (near, "Red"), (far, "Red"), (friend, "Blue"), (ally, "Red")] {
        desk.server.simulation_mut().set_team(controller, Some(Team::new(team))).unwrap();
    }
    desk.tick();
    let refused = Verdict::Rejected(Rejection::NotReachable);
    let cases: [(&[ControllerId], Verdict); 5] = [
        (&[near], Verdict::Done),
        (&[far], refused),          // eight of five metres
        (&[friend], refused),       // on the hero's side
        (&[ally], refused),         // no wolf
        (&[near, friend], refused), // one of one
    ];
    for (targets, expected) in cases {
        let targets = TargetData(targets.iter().map(|id| Target::Controller(*id)).collect());
        assert_eq!(given(&mut desk, hero, "GA_Snipe", targets.clone()), expected, "{targets:?}");
    }
}

#[test]
fn section_13_7_every_target_is_one_that_the_ability_takes() {
    let (mut desk, hero) = Desk::with_hero();
    let [one, other] = [0, 1].map(|_| desk.server.simulation_mut().spawn("Wolf").unwrap());
    desk.tick();
    let tame = desk.ability(hero, "GA_Tame");
    let both = || TargetData([one, other].map(Target::Controller).into_iter().collect());
    let results = desk.command(0, 1, vec![activate(tame, both())]);
    assert_eq!(verdicts(&results), [Verdict::Done]);
    let silence = desk.server.catalog().effect("GE_Silence").unwrap();
    desk.server.simulation_mut().apply_effect(silence, None, other).unwrap();
    let results = desk.command(0, 1, vec![activate(tame, both())]);
    assert_eq!(verdicts(&results).last(), Some(&Verdict::Rejected(Rejection::NotActivated)));
}

#[test]
fn who_was_taken_out_of_the_world_is_in_nobodys_range() {
    let (mut desk, hero) = Desk::with_hero();
    let wolf = desk.server.simulation_mut().spawn("Wolf").unwrap();
    let sling = desk.ability(hero, "GA_Sling");
    for controller in [hero, wolf] {
        desk.server.simulation_mut().set_placement(controller, Some(Placement::default())).unwrap();
    }
    desk.tick();
    desk.server.simulation_mut().set_placement(wolf, None).unwrap();
    for _ in 0..40 {
        desk.tick();
    }
    let newest = desk.heard(1).last().unwrap().packet;
    desk.packet += 1;
    let (packet, now) = (PacketId(desk.packet), desk.server.current_tick());
    let ack = Ack { newest, earlier: 0 };
    desk.say(1, ToServer::Frames(Frames { packet, ack, now, frames: Vec::new() }));
    let results = desk.command(0, 1, vec![activate(sling, TargetData::from(wolf))]);
    assert_eq!(verdicts(&results), [Verdict::Rejected(Rejection::NotReachable)]);
}

#[test]
fn what_answers_to_events_only_is_not_begun_by_a_client() {
    let (mut desk, hero) = Desk::with_hero();
    let counter = desk.server.catalog().ability("GA_Counter").unwrap();
    let handle = desk.server.simulation_mut().grant(hero, counter, 1).unwrap();
    desk.tick();
    let results = desk.command(0, 1, vec![activate(handle, TargetData::default())]);
    assert_eq!(verdicts(&results), [Verdict::Rejected(Rejection::NotAllowed)]);
}

#[test]
fn what_only_a_server_may_end_is_not_ended_by_declining() {
    let (mut desk, hero) = Desk::with_hero();
    let pledge = desk.server.catalog().ability("GA_Pledge").unwrap();
    let handle = desk.server.simulation_mut().grant(hero, pledge, 1).unwrap();
    desk.tick();
    let commands = vec![activate(handle, TargetData::default()), NetCommand::Decline(hero)];
    let results = desk.command(0, 1, commands);
    assert_eq!(verdicts(&results), [Verdict::Done, Verdict::Rejected(Rejection::NotAllowed)]);
    assert_eq!(desk.server.simulation().controller(hero).unwrap().activations().len(), 1);
}

#[test]
fn no_grace_is_longer_than_clients_count_on() {
    let config = ServerConfig { grace: 1_000, ..ServerConfig::default() };
    let (mut desk, hero) = Desk::with_hero_by(config);
    for _ in 0..20 {
        desk.tick();
    }
    let shield = desk.ability(hero, "GA_Shield");
    let late = |desk: &mut Desk, ticks: u32| {
        let command = activate(shield, TargetData::default());
        verdicts(&desk.command(-i64::from(ticks), 1, vec![command]))
    };
    assert_eq!(late(&mut desk, MAX_GRACE + 1), [Verdict::Rejected(Rejection::TooLate)]);
    assert_eq!(late(&mut desk, MAX_GRACE).last(), Some(&Verdict::Shifted(8)));
}

#[test]
fn a_client_does_not_say_that_the_servers_part_went_well() {
    let (mut desk, hero) = Desk::with_hero();
    let dance = desk.ability(hero, "GA_Dance");
    let run = RunRef::Begun(PredictionKey::new(desk.server.current_tick().0 + 1, 0));
    let finish = |outcome| NetCommand::Finish { run, thread: 0, outcome };
    let commands = vec![
        activate(dance, TargetData::default()),
        finish(TaskOutcome::Completed),
        finish(TaskOutcome::Interrupted),
        finish(TaskOutcome::Interrupted),
    ];
    let results = desk.command(0, 1, commands);
    let (refused, late) = (Rejection::NotAllowed, Rejection::NotGranted);
    let expected = [Verdict::Done, Verdict::Rejected(refused), Verdict::Done, Verdict::Rejected(late)];
    assert_eq!(verdicts(&results), expected);
}

#[test]
fn what_only_a_server_may_end_goes_on() {
    let (mut desk, hero) = Desk::with_hero();
    let oath = desk.ability(hero, "GA_Oath");
    let run = RunRef::Begun(PredictionKey::new(desk.server.current_tick().0 + 1, 0));
    let commands = vec![activate(oath, TargetData::default()), NetCommand::End(run), NetCommand::Cancel(run)];
    let results = desk.command(0, 1, commands);
    let refused = Verdict::Rejected(Rejection::NotAllowed);
    assert_eq!(verdicts(&results), [Verdict::Done, refused, refused]);
    assert_eq!(desk.server.simulation().controller(hero).unwrap().activations().len(), 1);
}

#[test]
fn section_13_7_reach_is_judged_by_what_the_client_saw_and_not_by_what_is_long_past() {
    let (mut desk, hero) = Desk::with_hero();
    let wolf = desk.server.simulation_mut().spawn("Wolf").unwrap();
    let sling = desk.ability(hero, "GA_Sling");
    let place = |desk: &mut Desk, controller, x| {
        let placement = Placement::at([x, 0.0, 0.0]).unwrap();
        desk.server.simulation_mut().set_placement(controller, Some(placement)).unwrap();
        desk.tick();
    };
    let acknowledge = |desk: &mut Desk| {
        let newest = desk.heard(1).last().unwrap().packet;
        desk.packet += 1;
        let (packet, now) = (PacketId(desk.packet), desk.server.current_tick());
        let ack = Ack { newest, earlier: 0 };
        desk.say(1, ToServer::Frames(Frames { packet, ack, now, frames: Vec::new() }));
    };
    let shoot = |desk: &mut Desk| {
        let results = desk.command(0, 1, vec![activate(sling, TargetData::from(wolf))]);
        verdicts(&results)
    };
    let unreachable = [Verdict::Rejected(Rejection::NotReachable)];
    place(&mut desk, hero, 0.0);
    place(&mut desk, wolf, 9.0);
    acknowledge(&mut desk);
    place(&mut desk, wolf, 12.0);
    assert_eq!(shoot(&mut desk), [Verdict::Done]); // nine of ten metres, as the client saw it
    for _ in 0..30 {
        desk.tick();
    }
    assert_eq!(shoot(&mut desk)[0], unreachable[0]); // that is too long ago
    place(&mut desk, wolf, 9.0);
    acknowledge(&mut desk);
    place(&mut desk, wolf, 12.0);
    acknowledge(&mut desk);
    assert_eq!(shoot(&mut desk)[0], unreachable[0]); // it has seen it go
}
