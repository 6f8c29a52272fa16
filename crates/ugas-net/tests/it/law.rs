//! The letter of §13 and of the contract, at its edges.

use ugas_core::ability::GameplayEvent;
use ugas_core::effect::{ContextPayload, EffectContext, HitResult, PredictionKey};
use ugas_core::handle::{AbilityHandle, ControllerId, TaskId};
use ugas_core::mirror::PieceKey;
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::targeting::{Placement, Target, TargetData, Team};
use ugas_core::task::TaskOutcome;
use ugas_core::time::{Span, Time};
use ugas_net::limits::MAX_GRACE;
use ugas_net::link::Conditions;
use ugas_net::message::{
    Ack, ByeReason, ClientId, CommandFrame, CommandResult, ControllerChange, Frames, Hello, NetCommand,
    PROTOCOL, PacketId, RefusedReason, Rejection, RunRef, ToClient, ToServer, Update, Verdict, Welcome,
};
use ugas_net::wire::{Dictionary, decode_to_client, encode_to_server};
use ugas_net::{
    AfterDeadline, AfterRejection, ClientConfig, ClientEvent, Host, Lens, Own, PeerId, Prediction, Rig,
    Server, ServerConfig, ServerEvent, Tick, TickLength,
};

use crate::fixture::{Match, catalog};

fn round_trip(millis: i64) -> Conditions {
    Conditions { delay: Span::millis(millis / 2), ..Conditions::perfect() }
}

/// A server, spoken to by hand.
struct Desk {
    server: Server,
    dictionary: Dictionary,
    now: Time,
    packet: u32,
    /// The answers to the last command, and to those before that are not acknowledged.
    last_results: Vec<CommandResult>,
}

impl Desk {
    fn new(config: ServerConfig) -> Self {
        let server = Server::new(Simulation::new(catalog(), Config::seeded(1)), config);
        let dictionary = Dictionary::of(server.catalog());
        Self { server, dictionary, now: Time::ZERO, packet: 0, last_results: Vec::new() }
    }

    fn hello(&self, nonce: u64) -> Hello {
        let (catalog, dictionary) = (self.server.catalog().hash(), self.dictionary.hash());
        Hello { protocol: PROTOCOL, catalog, dictionary, nonce, credential: Vec::new() }
    }

    /// A server with one client, and its hero.
    fn with_hero() -> (Self, ControllerId) {
        Self::with_hero_by(ServerConfig::default())
    }

    fn with_hero_by(config: ServerConfig) -> (Self, ControllerId) {
        let mut desk = Self::new(config);
        let hello = desk.hello(1);
        desk.say(1, ToServer::Hello(hello));
        let hero = desk.server.simulation_mut().spawn("Hero").unwrap();
        let client = desk.server.clients().next().unwrap();
        desk.server.give(hero, client);
        desk.tick();
        (desk, hero)
    }

    fn say(&mut self, peer: u64, message: ToServer) {
        let bytes = encode_to_server(&self.dictionary, &message).unwrap();
        self.server.handle(self.now, PeerId(peer), &bytes);
    }

    fn tick(&mut self) {
        self.now += TickLength::default().span();
        self.server.tick(self.now);
    }

    /// Sends a frame for the tick that comes next, plus `ahead`, lets `ticks` pass, and gives the answers.
    fn command(&mut self, ahead: i64, ticks: usize, commands: Vec<NetCommand>) -> Vec<CommandResult> {
        while self.server.poll_transmit().is_some() {}
        let next = i64::from(self.server.current_tick().0) + 1 + ahead;
        self.packet += 1;
        let tick = Tick(next as u32);
        let frame = CommandFrame { tick, commands: commands.into_iter().collect() };
        let (packet, ack) = (PacketId(self.packet), Ack::default());
        self.say(1, ToServer::Frames(Frames { packet, ack, now: tick, frames: vec![frame] }));
        for _ in 0..ticks {
            self.tick();
        }
        self.last_results = self.heard(1).into_iter().flat_map(|update| update.results).collect();
        self.last_results.clone()
    }

    fn answers(&mut self) -> Vec<(u64, ToClient)> {
        let mut answers = Vec::new();
        while let Some(transmit) = self.server.poll_transmit() {
            answers.push((transmit.peer.0, decode_to_client(&self.dictionary, &transmit.bytes).unwrap()));
        }
        answers
    }

    fn heard(&mut self, peer: u64) -> Vec<Update> {
        let answers = self.answers().into_iter().filter(|(to, _)| *to == peer);
        answers
            .filter_map(|(_, answer)| match answer {
                ToClient::Update(update) => Some(update),
                _ => None,
            })
            .collect()
    }

    fn ability(&self, owner: ControllerId, name: &str) -> AbilityHandle {
        let sim = self.server.simulation();
        let wanted = sim.catalog().ability(name).unwrap();
        let abilities = sim.controller(owner).unwrap().abilities();
        *abilities.iter().find(|handle| sim.ability(**handle).unwrap().ability() == wanted).unwrap()
    }
}

fn activate(ability: AbilityHandle, targets: TargetData) -> NetCommand {
    NetCommand::Activate { ability, targets, event: None }
}

fn verdicts(results: &[CommandResult]) -> Vec<Verdict> {
    results.iter().map(|result| result.verdict).collect()
}

// --- Authority

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

#[test]
fn who_acknowledges_what_was_never_sent_is_sent_away() {
    let (mut desk, _) = Desk::with_hero();
    let ack = Ack { newest: PacketId(1_000), earlier: 0 };
    let now = desk.server.current_tick();
    desk.say(1, ToServer::Frames(Frames { packet: PacketId(1), ack, now, frames: Vec::new() }));
    desk.tick();
    assert_eq!(desk.server.clients().count(), 0);
    let goodbye = desk.answers().pop();
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
fn a_host_decides_who_is_let_in_and_who_stays() {
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
    let guarded = client.catalog().ability("GA_Guarded").unwrap();
    let abilities = client.simulation().controller(own).unwrap().abilities().to_vec();
    let is_guarded =
        |handle: &&AbilityHandle| client.simulation().ability(**handle).unwrap().ability() == guarded;
    let guarded = *abilities.iter().find(is_guarded).unwrap();
    for expected in [1, 0] {
        rig.seats[0].client.activate(guarded, ActivationRequest::default()).unwrap();
        rig.run(Span::seconds(0.5));
        assert_eq!(rig.server.clients().count(), expected);
    }
    let events: Vec<_> = core::iter::from_fn(|| rig.seats[0].client.poll_event()).collect();
    assert!(events.contains(&ClientEvent::Disconnected(Some(ByeReason::Kicked))));
}

#[test]
fn a_client_predicts_no_further_than_its_window_and_the_silent_go() {
    let mut game = Match::new(1, round_trip(60));
    let end = game.rig.now() + Span::seconds(30.0);
    game.rig.seats[0].link.to_client.cut_until(end);
    game.run(3.0);
    let client = &game.rig.seats[0].client;
    let ahead = client.current_tick().since(client.confirmed_tick().unwrap());
    assert_eq!(ahead, 60);
    game.run(9.0);
    assert!(!game.rig.seats[0].client.is_playing());
    game.run(10.0);
    assert_eq!(game.rig.server.clients().count(), 0);
}

#[test]
fn without_prediction_what_a_player_does_shows_when_the_server_has_answered() {
    let mut game = Match::new(1, round_trip(200));
    let hero = game.heroes[0];
    game.rig.seats[0].client.set_prediction(Prediction::Off);
    let shield = game.ability(0, "GA_Shield");
    game.rig.seats[0].client.activate(shield, ActivationRequest::default()).unwrap();
    game.run(0.1);
    assert!(!game.has_tag(0, hero, "State.Shielded"));
    game.run(0.5);
    assert!(game.has_tag(0, hero, "State.Shielded"));
}

#[test]
fn a_flood_of_datagrams_is_dropped() {
    let (mut desk, _) = Desk::with_hero();
    let before = desk.server.statistics().dropped;
    for packet in 1..=1_000 {
        let (packet, now) = (PacketId(packet), desk.server.current_tick());
        desk.say(1, ToServer::Frames(Frames { packet, ack: Ack::default(), now, frames: Vec::new() }));
    }
    // 200 a second, of which one was the greeting; a few flowed in since.
    let taken = 1_000 - (desk.server.statistics().dropped - before);
    assert!((199..=205).contains(&taken), "{taken}");
}

// --- Rates

#[test]
fn section_13_6_over_a_slow_link_updates_come_less_often() {
    let updates = [40, 400].map(|millis| {
        let mut game = Match::new(1, round_trip(millis));
        game.run(2.0);
        let before = game.rig.server.statistics().sent;
        game.run(2.0);
        game.rig.server.statistics().sent - before
    });
    assert!((118..=122).contains(&updates[0]), "{updates:?}"); // 60 a second
    assert!((38..=42).contains(&updates[1]), "{updates:?}"); // 20 a second
}

#[test]
fn section_13_6_of_an_important_opponent_one_hears_thirty_times_a_second() {
    let (mut desk, _) = Desk::with_hero();
    let wolf = desk.server.simulation_mut().spawn("Wolf").unwrap();
    let silence = desk.server.catalog().effect("GE_Silence").unwrap();
    let mut told = 0;
    for _ in 0..60 {
        desk.server.simulation_mut().apply_effect(silence, None, wolf).unwrap();
        desk.tick();
        for update in desk.heard(1) {
            told += update.controllers.iter().filter(|change| change.controller == wolf).count();
        }
    }
    assert_eq!(told, 30);
}

// --- Handshake

#[test]
fn who_is_not_let_in_is_told_why() {
    let mut desk = Desk::new(ServerConfig { max_clients: 1, ..ServerConfig::default() });
    let good = desk.hello(1);
    let (catalog, dictionary) = (good.catalog, good.dictionary);
    let mut ask = |peer, hello: Hello| {
        desk.say(peer, ToServer::Hello(hello));
        match desk.answers().pop() {
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
    let mut desk = Desk::new(ServerConfig::default());
    let [old, new] = [desk.hello(1), desk.hello(2)];
    desk.say(1, ToServer::Hello(old.clone()));
    desk.say(1, ToServer::Hello(new));
    let client = desk.server.clients().next().unwrap();
    desk.say(1, ToServer::Hello(old)); // the network held a copy of it back
    assert_eq!(desk.server.clients().collect::<Vec<_>>(), [client]);
}

// --- Deadlines

fn deadline() -> ServerConfig {
    ServerConfig { client_deadline: Span::seconds(1.0), ..ServerConfig::default() }
}

/// Whether the hero has a run two seconds after it began this ability.
fn still_runs(game: &mut Match, ability: &str) -> bool {
    let ability = game.ability(0, ability);
    game.rig.seats[0].client.activate(ability, ActivationRequest::default()).expect("it can be");
    game.run(2.0);
    !game.rig.server.simulation().controller(game.heroes[0]).unwrap().activations().is_empty()
}

#[test]
fn a_confirmation_is_not_awaited_for_ever() {
    let mut game = Match::with_config(1, Conditions::broadband(), deadline());
    assert!(!still_runs(&mut game, "GA_Ask"));
}

#[test]
fn what_the_servers_own_host_does_has_no_deadline() {
    let mut game = Match::with_config(1, Conditions::broadband(), deadline());
    assert!(still_runs(&mut game, "GA_Dance"));
    let config = ServerConfig { trust_host_tasks: true, ..deadline() };
    let mut game = Match::with_config(1, Conditions::broadband(), config);
    assert!(!still_runs(&mut game, "GA_Dance"));
}

#[test]
fn who_leaves_while_something_waits_leaves_no_run_behind() {
    let mut game = Match::with_config(1, Conditions::broadband(), deadline());
    let (hero, aim) = (game.heroes[0], game.ability(0, "GA_Aim"));
    game.rig.seats[0].client.activate(aim, ActivationRequest::default()).expect("it can be");
    game.run(0.3);
    assert_eq!(game.rig.server.simulation().controller(hero).unwrap().activations().len(), 1);
    game.rig.seats[0].client.leave();
    game.run(2.0);
    assert_eq!(game.rig.server.simulation().controller(hero).unwrap().activations(), []);
}

/// How much health the wolf has lost when the deadline of a hero's aiming is over, who began with it as the target.
fn lost_after_deadline(after_deadline: AfterDeadline, ability: &str) -> f64 {
    let config = ServerConfig { after_deadline, ..deadline() };
    let mut game = Match::with_config(1, Conditions::broadband(), config);
    let (aim, wolf) = (game.ability(0, ability), game.local(0, game.wolf));
    game.rig.seats[0].client.activate(aim, ActivationRequest::on(wolf)).expect("it can be");
    game.run(0.8);
    assert_eq!(game.truth(game.wolf, "Health"), 100.0, "the deadline is a second");
    game.run(1.2);
    assert_eq!(game.rig.server.simulation().controller(game.heroes[0]).unwrap().activations(), []);
    100.0 - game.truth(game.wolf, "Health")
}

#[test]
fn after_a_deadline_the_server_chooses_cancels_or_goes_on() {
    // What it would choose itself is the target that the run began with.
    assert_eq!(lost_after_deadline(AfterDeadline::Generate, "GA_Focus"), 1.0);
    assert_eq!(lost_after_deadline(AfterDeadline::Cancel, "GA_Focus"), 0.0);
    // What it would choose itself is nobody: nobody is anywhere.
    assert_eq!(lost_after_deadline(AfterDeadline::Generate, "GA_Sweep"), 0.0);
    assert_eq!(lost_after_deadline(AfterDeadline::Default, "GA_Sweep"), 1.0);
}

/// Goes on with one ability, and cancels every other.
struct Lenient;

impl Host for Lenient {
    fn after_deadline(&self, simulation: &Simulation, task: TaskId, usual: AfterDeadline) -> AfterDeadline {
        let run = simulation.task(task).and_then(|task| simulation.activation(task.activation()));
        let sweep = simulation.catalog().ability("GA_Sweep").unwrap();
        if run.is_some_and(|run| run.ability() == sweep) { AfterDeadline::Default } else { usual }
    }
}

#[test]
fn a_game_may_say_for_each_ability_what_comes_after_its_deadline() {
    let simulation = Simulation::new(catalog(), Config::seeded(1));
    let mut server = Server::with_host(simulation, deadline(), Lenient);
    server.handle(Time::ZERO, PeerId(1), &{
        let dictionary = Dictionary::of(server.catalog());
        let hello = Hello {
            protocol: PROTOCOL,
            catalog: server.catalog().hash(),
            dictionary: dictionary.hash(),
            nonce: 1,
            credential: Vec::new(),
        };
        encode_to_server(&dictionary, &ToServer::Hello(hello)).unwrap()
    });
    let hero = server.simulation_mut().spawn("Hero").unwrap();
    let wolf = server.simulation_mut().spawn("Wolf").unwrap();
    let client = server.clients().next().unwrap();
    server.give(hero, client);
    for ability in ["GA_Sweep", "GA_Focus"] {
        let wanted = server.catalog().ability(ability).unwrap();
        let abilities = server.simulation().controller(hero).unwrap().abilities().to_vec();
        let sim = server.simulation_mut();
        let handle =
            abilities.into_iter().find(|handle| sim.ability(*handle).unwrap().ability() == wanted).unwrap();
        sim.activate_with(handle, ActivationRequest::on(wolf)).unwrap();
    }
    for tick in 1..=90 {
        server.tick(Time::from_micros(16_667 * tick));
    }
    // The one went on and hit, the other was cancelled.
    let health = server.catalog().attribute("Health").unwrap();
    assert_eq!(server.simulation().current(wolf, health), Some(99.0));
    assert_eq!(server.simulation().controller(hero).unwrap().activations(), []);
}

// --- Relevancy and ownership

#[test]
fn what_is_hidden_as_soon_as_it_is_there_is_never_seen() {
    let mut game = Match::new(1, Conditions::perfect());
    let client = game.rig.server.clients().next().unwrap();
    let wolf = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.rig.server.hide(wolf, client);
    game.run(0.5);
    assert_eq!(game.rig.seats[0].client.local(wolf), None);
}

#[test]
fn another_lens_does_not_show_what_is_hidden() {
    let mut game = Match::new(1, round_trip(100));
    let client = game.rig.server.clients().next().unwrap();
    let lens = game.rig.server.add_lens(Lens::full());
    game.rig.server.hide(game.wolf, client);
    game.rig.server.set_lens(game.wolf, Own::Others, Some(lens));
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.local(game.wolf), None);
}

#[test]
fn a_lens_shows_again_what_none_hid() {
    for pause in [0.0, 1.0] {
        let mut game = Match::new(1, round_trip(100));
        game.rig.server.set_lens(game.wolf, Own::Others, None);
        game.run(pause);
        let lens = game.rig.server.add_lens(Lens::minimal());
        game.rig.server.set_lens(game.wolf, Own::Others, Some(lens));
        game.run(1.0);
        assert!(game.rig.seats[0].client.local(game.wolf).is_some(), "after {pause} s");
    }
}

#[test]
fn an_owner_whose_lens_is_taken_sees_no_more() {
    let mut game = Match::new(1, round_trip(100));
    let hero = game.heroes[0];
    game.rig.server.set_lens(hero, Own::Own, None);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.local(hero), None);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 0);
}

#[test]
fn who_owns_is_told_also_if_the_lens_is_the_same() {
    let mut game = Match::new(1, round_trip(100));
    let lens = game.rig.server.add_lens(Lens::owner());
    let (wolf, client) = (game.wolf, game.rig.server.clients().next().unwrap());
    game.rig.server.set_lens(wolf, Own::Own, Some(lens));
    game.rig.server.set_lens(wolf, Own::Others, Some(lens));
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 1);
    game.rig.server.give(wolf, client);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 2);
    game.rig.server.take_back(wolf);
    game.run(1.0);
    assert_eq!(game.rig.seats[0].client.own_controllers().count(), 1);
}

#[test]
fn a_client_plays_several_controllers_in_one_tick() {
    let mut game = Match::new(1, round_trip(100));
    let client = game.rig.server.clients().next().unwrap();
    let second = game.rig.server.simulation_mut().spawn("Hero").unwrap();
    game.rig.server.give(second, client);
    game.run(1.0);
    let before = game.rig.seats[0].client.statistics().mispredicted;
    let own: Vec<_> = game.rig.seats[0].client.own_controllers().collect();
    assert_eq!(own.len(), 2);
    for hero in own {
        let client = &mut game.rig.seats[0].client;
        client.press(hero, "Slot.GA_Shield").unwrap();
        client.press(hero, "Slot.GA_Weapon").unwrap();
    }
    game.run(0.05);
    for hero in [game.heroes[0], second] {
        assert_eq!(game.shown(0, hero, "Armor"), 10.0);
        assert!(game.has_tag(0, hero, "Cooldown.Weapon"));
    }
    game.run(1.0);
    assert_eq!(game.truth(second, "Armor"), 10.0);
    let statistics = game.rig.seats[0].client.statistics();
    assert_eq!((statistics.confirmed, statistics.mispredicted), (4, before));
}

/// What the network does to one who sees a controller leave and come back, with an acknowledgement that comes late.
#[test]
fn a_late_acknowledgement_is_not_taken_for_one_of_what_came_back() {
    let (mut desk, _) = Desk::with_hero();
    let client = desk.server.clients().next().unwrap();
    // Another one sees it all the time.
    let hello = desk.hello(2);
    desk.say(2, ToServer::Hello(hello));
    let wolf = desk.server.simulation_mut().spawn("Wolf").unwrap();
    while desk.server.poll_transmit().is_some() {}
    let mut told = Vec::new();
    let mut look = |desk: &mut Desk| {
        desk.tick();
        for update in desk.heard(1) {
            for change in &update.controllers {
                if change.controller == wolf {
                    let pieces = match &change.change {
                        ControllerChange::Gone => None,
                        ControllerChange::Pieces { pieces, .. } => Some(pieces.len()),
                    };
                    told.push((update.packet, pieces));
                }
            }
        }
        told.clone()
    };
    let came = look(&mut desk)[0].0;
    desk.server.hide(wolf, client);
    let gone = look(&mut desk)[1].0;
    let acknowledge = |desk: &mut Desk, newest: PacketId, earlier| {
        desk.packet += 1;
        let (packet, ack) = (PacketId(desk.packet), Ack { newest, earlier });
        let now = desk.server.current_tick();
        desk.say(1, ToServer::Frames(Frames { packet, ack, now, frames: Vec::new() }));
    };
    // The second overtook the first.
    acknowledge(&mut desk, gone, 0);
    desk.server.show(wolf, client);
    acknowledge(&mut desk, gone, 1 << (gone.0 - came.0 - 1));
    let told = look(&mut desk);
    let whole = told[0].1;
    assert_eq!(told.last().map(|(_, pieces)| *pieces), Some(whole), "{told:?}");
    assert_eq!(told.len(), 3, "{told:?}");
}

// --- Cues

#[test]
fn a_flash_of_someone_who_just_came_is_seen() {
    let mut game = Match::new(1, Conditions::perfect());
    let bolt = game.rig.server.catalog().tag("GameplayCue.Bolt").unwrap();
    game.heard(0);
    let wolf = game.rig.server.simulation_mut().spawn("Wolf").unwrap();
    game.afflict(wolf, "GE_Bolt_Hit");
    game.run(1.0);
    let heard = game.heard(0);
    let flashes =
        heard.iter().filter(|event| matches!(event, ClientEvent::CueFlashed { cue, .. } if *cue == bolt));
    assert_eq!(flashes.count(), 1, "{heard:#?}");
}

#[test]
fn an_old_flash_is_not_worth_telling() {
    let flashes = [200, 1_500].map(|millis| {
        let mut game = Match::new(1, round_trip(60));
        let bolt = game.rig.server.catalog().tag("GameplayCue.Bolt").unwrap();
        game.heard(0);
        let end = game.rig.now() + Span::millis(millis);
        game.rig.seats[0].link.to_client.cut_until(end);
        game.afflict(game.wolf, "GE_Bolt_Hit");
        game.run(3.0);
        let is_bolt =
            |event: &ClientEvent| matches!(event, ClientEvent::CueFlashed { cue, .. } if *cue == bolt);
        game.heard(0).iter().filter(|event| is_bolt(event)).count()
    });
    assert_eq!(flashes, [1, 0]); // half a second
}

// --- Bandwidth

#[test]
fn others_do_not_take_more_than_the_bandwidth() {
    let config = ServerConfig { bytes_per_second: 5_000, ..ServerConfig::default() };
    let mut game = Match::with_config(1, Conditions::broadband(), config);
    let wolves: Vec<_> =
        (0..60).map(|_| game.rig.server.simulation_mut().spawn("OpenHero").unwrap()).collect();
    game.run(3.0);
    let mut churn = || {
        for _ in 0..60 {
            for wolf in &wolves {
                game.afflict(*wolf, "GE_Weapon_Hit");
            }
            game.run(1.0 / 30.0);
        }
        game.rig.server.statistics()
    };
    // What was saved up is spent in the first two seconds.
    let (before, after) = (churn(), churn());
    let (bytes, datagrams) = (after.sent_bytes - before.sent_bytes, after.sent - before.sent);
    // Two seconds; the headers count.
    let rate = (bytes + 28 * datagrams) / 2;
    assert!(rate <= 5_500, "{rate} bytes a second");
}

// --- Sizes

fn hits(count: usize) -> TargetData {
    let hit = HitResult {
        location: [1.5, 2.5, 3.5],
        normal: [0.5, 0.25, 0.125],
        distance: 12.5,
        actor: None,
        part: 3,
    };
    TargetData((0..count).map(|_| Target::Hit { controller: None, hit }).collect())
}

#[test]
fn a_run_with_as_many_targets_as_a_command_may_have_is_shown() {
    let mut game = Match::new(1, round_trip(50));
    let hero = game.heroes[0];
    let channel = game.ability(0, "GA_Channel");
    let request = ActivationRequest::on(hits(32));
    game.rig.seats[0].client.activate(channel, request).expect("it can be");
    game.run(0.5);
    let sim = game.rig.server.simulation();
    assert_eq!(sim.controller(hero).unwrap().activations().len(), 1);
    let client = &game.rig.seats[0].client;
    let local = game.local(0, hero);
    assert_eq!(client.simulation().controller(local).unwrap().activations().len(), 1);
}

#[test]
fn commands_that_do_not_fit_into_one_datagram_do_not_hold_up_others() {
    let mut game = Match::new(1, round_trip(50));
    let channel = game.ability(0, "GA_Channel");
    let shield = game.ability(0, "GA_Shield");
    let client = &mut game.rig.seats[0].client;
    let mut given = 0;
    for _ in 0..4 {
        let request = ActivationRequest::on(hits(32));
        given += u64::from(client.activate(channel, request).is_ok());
    }
    assert!(given > 0);
    game.run(0.02);
    game.rig.seats[0].client.activate(shield, ActivationRequest::default()).unwrap();
    game.run(2.0);
    let statistics = game.rig.seats[0].client.statistics();
    assert_eq!(
        game.rig.server.statistics().commands + game.rig.server.statistics().rejected,
        given + 1,
        "{statistics:?}"
    );
}

/// Something of the host's own that is longer than a datagram.
struct Epic;

impl ContextPayload for Epic {
    const KIND: &'static str = "epic";

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.resize(2_000, 7);
    }

    fn decode(_: &[u8]) -> Option<Self> {
        Some(Self)
    }
}

#[test]
fn what_is_larger_than_a_datagram_is_said_to_be_and_holds_nothing_up() {
    let (mut desk, hero) = Desk::with_hero();
    while desk.server.poll_event().is_some() {}
    let shield = desk.server.catalog().effect("GE_Shield").unwrap();
    let context = EffectContext::of(hero).with_payload(&Epic);
    let spec = desk.server.simulation().spec(shield, 1.0, context).unwrap();
    desk.server.simulation_mut().apply(&spec, hero).unwrap();
    desk.server.simulation_mut().apply_effect(shield, None, hero).unwrap();
    for _ in 0..5 {
        desk.tick();
    }
    let events = core::iter::from_fn(|| desk.server.poll_event());
    let too_large: Vec<_> = events
        .filter(|event| matches!(event, ServerEvent::TooLarge { controller, .. } if *controller == hero))
        .collect();
    assert_eq!(too_large.len(), 1, "{too_large:?}");
    assert_eq!(desk.server.statistics().too_large, 1);
    let told =
        desk.heard(1).into_iter().flat_map(|update| update.controllers).flat_map(|change| {
            match change.change {
                ControllerChange::Pieces { pieces, .. } => pieces,
                ControllerChange::Gone => Vec::new(),
            }
        });
    let effects: std::collections::BTreeSet<_> =
        told.map(|(key, _)| key).filter(|key| matches!(key, PieceKey::Effect(_))).collect();
    // All but one: also the second shield, which came with it.
    assert_eq!(effects.len() + 1, desk.server.simulation().controller(hero).unwrap().effects().len());
}

// --- Secrets

/// What a client is told when one of two whom it does not see did something to its hero.
fn told_of_an_attack_by(culprit: usize) -> Vec<Update> {
    let (mut desk, hero) = Desk::with_hero();
    let ghosts = [0, 1].map(|_| desk.server.simulation_mut().spawn("ShyHero").unwrap());
    desk.tick();
    while desk.server.poll_transmit().is_some() {}
    let burn = desk.server.catalog().effect("GE_Burn").unwrap();
    desk.server.simulation_mut().apply_effect(burn, Some(ghosts[culprit]), hero).unwrap();
    desk.tick();
    desk.heard(1)
}

#[test]
fn who_is_not_seen_is_not_named_as_the_source_of_an_effect() {
    assert_eq!(told_of_an_attack_by(0), told_of_an_attack_by(1));
}

#[test]
fn who_comes_into_view_is_named_as_the_source_of_what_it_did_before() {
    let mut game = Match::new(1, round_trip(100));
    let (hero, wolf) = (game.heroes[0], game.wolf);
    let client = game.rig.server.clients().next().unwrap();
    game.rig.server.hide(wolf, client);
    game.run(0.5);
    let burn = game.rig.server.catalog().effect("GE_Burn").unwrap();
    game.rig.server.simulation_mut().apply_effect(burn, Some(wolf), hero).unwrap();
    let source = |game: &Match| {
        let sim = game.rig.seats[0].client.simulation();
        let effects = sim.controller(game.local(0, hero)).unwrap().effects();
        let burning = effects.iter().filter_map(|id| sim.effect(*id)).find(|active| active.effect() == burn);
        burning.expect("it burns").source()
    };
    game.run(1.0);
    assert_eq!(source(&game), Some(ControllerId::UNSEEN));
    let corrected = game.rig.seats[0].client.statistics().mispredicted;
    game.rig.server.show(wolf, client);
    game.run(1.0);
    assert_eq!(source(&game), Some(game.local(0, wolf)));
    assert_eq!(game.rig.seats[0].client.statistics().mispredicted, corrected);
}
