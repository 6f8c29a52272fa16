//! Targets of clients: every place in them is judged, and their number (§13.7, 3).

use std::sync::Arc;

use ugas_core::ability::{EventDetails, GameplayEvent};
use ugas_core::effect::{HitResult, PredictionKey, Vector3};
use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::targeting::{Placement, Target, TargetData, Team};
use ugas_net::message::{
    Ack, ActivationRef, CommandOutcome, Frames, NetCommand, PacketId, Rejection, ToServer,
};
use ugas_net::{ActError, Host, Reach, Server, ServerConfig};

use super::raw_server::{RawServer, round_trip};
use crate::fixture::Match;

const REJECTED: CommandOutcome = CommandOutcome::Rejected(Rejection::NotReachable);

impl RawServer {
    /// A hero at the origin that faces along x, and its client.
    fn with_hero_at_origin() -> (Self, ControllerId) {
        let (mut raw, hero) = Self::with_hero();
        let placement = Placement::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
        raw.server.simulation_mut().set_placement(hero, Some(placement)).unwrap();
        raw.server.simulation_mut().set_team(hero, Some(Team::new("Blue"))).unwrap();
        (raw, hero)
    }
}

impl<H: Host> RawServer<H> {
    /// A hostile wolf that everybody sees.
    fn wolf(&mut self, position: Vector3) -> ControllerId {
        let wolf = self.server.simulation_mut().spawn("Wolf").unwrap();
        let placement = Placement::at(position).unwrap();
        self.server.simulation_mut().set_placement(wolf, Some(placement)).unwrap();
        self.server.simulation_mut().set_team(wolf, Some(Team::new("Red"))).unwrap();
        self.tick();
        wolf
    }

    fn grant(&mut self, hero: ControllerId, name: &str) -> GrantedAbilityId {
        let ability = self.server.catalog().ability(name).unwrap();
        self.server.simulation_mut().grant(hero, ability, 1).unwrap()
    }

    /// Outcome of a command at the next tick.
    fn outcome(&mut self, command: NetCommand) -> CommandOutcome {
        self.command(0, 1, vec![command]);
        let key = PredictionKey::new(self.server.current_tick().0, 0);
        self.last_results.iter().find(|result| result.key == key).unwrap().outcome
    }

    /// Outcome of an activation on these targets.
    fn cast(&mut self, ability: GrantedAbilityId, targets: impl Into<TargetData>) -> CommandOutcome {
        self.outcome(NetCommand::Activate { ability, targets: targets.into(), event: None })
    }

    /// Outcome of targets for the task that an activation waits in.
    fn provide(&mut self, ability: GrantedAbilityId, targets: TargetData) -> CommandOutcome {
        let run = ActivationRef::Begun(PredictionKey::new(self.server.current_tick().0 + 1, 0));
        let begin = NetCommand::Activate { ability, targets: TargetData::new(), event: None };
        let targets = NetCommand::Targets { run, branch: 0, targets };
        self.command(0, 1, vec![begin, targets, NetCommand::Cancel(run)]);
        let key = PredictionKey::new(self.server.current_tick().0, 1);
        self.last_results.iter().find(|result| result.key == key).unwrap().outcome
    }
}

fn hit(controller: impl Into<Option<ControllerId>>, location: Vector3) -> Target {
    Target::Hit { controller: controller.into(), hit: HitResult { location, ..HitResult::default() } }
}

fn all(targets: impl IntoIterator<Item = ControllerId>) -> TargetData {
    targets.into_iter().collect()
}

#[test]
fn section_13_7_hit_on_a_near_controller_at_a_far_place_is_rejected() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let wolf = raw.wolf([4.0, 0.0, 0.0]);
    let sling = raw.ability(hero, "GA_Sling"); // ten metres, and one of tolerance
    assert_eq!(raw.cast(sling, hit(wolf, [5_000.0, 0.0, 0.0])), REJECTED);
    // Within the range, but not at the wolf.
    assert_eq!(raw.cast(sling, hit(wolf, [-4.0, 0.0, 0.0])), REJECTED);
    assert_eq!(raw.cast(sling, hit(wolf, [4.0, 1.5, 0.0])), REJECTED);
    assert_eq!(raw.cast(sling, hit(wolf, [4.0, 0.75, 0.0])), CommandOutcome::Done);
}

#[test]
fn section_13_7_every_place_is_in_range() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let sling = raw.ability(hero, "GA_Sling");
    for (x, expected) in [(10.5, CommandOutcome::Done), (11.5, REJECTED), (5_000.0, REJECTED)] {
        assert_eq!(raw.cast(sling, hit(None, [x, 0.0, 0.0])), expected, "{x}");
        assert_eq!(raw.cast(sling, Target::Location([x, 0.0, 0.0])), expected, "{x}");
    }
}

#[test]
fn section_13_7_places_of_an_event_are_judged() {
    let (mut raw, hero) =
        RawServer::with_hero_by(ServerConfig { trust_events: true, ..ServerConfig::default() });
    raw.server.simulation_mut().set_placement(hero, Some(Placement::default())).unwrap();
    let ability = raw.ability(hero, "GA_Sling");
    let tag = raw.server.catalog().tag("State.Shielded").unwrap();
    let event = |details| GameplayEvent { details: Some(Arc::new(details)), ..GameplayEvent::new(tag) };
    let mut ask = |x: f64| {
        let place = [x, 0.0, 0.0];
        let origin = event(EventDetails { origin: Some(place), ..EventDetails::default() });
        let carried = event(EventDetails { target_data: TargetData::from(place), ..EventDetails::default() });
        [origin, carried].map(|event| {
            raw.outcome(NetCommand::Activate { ability, targets: TargetData::new(), event: Some(event) })
        })
    };
    assert_eq!(ask(5_000.0), [REJECTED; 2]);
    assert_eq!(ask(5.0), [CommandOutcome::Done; 2]);
}

#[test]
fn section_13_7_line_of_sight_is_asked_for_every_place() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let (seen, behind) = (raw.wolf([4.0, 0.0, 0.0]), raw.wolf([6.0, 0.0, 0.0]));
    let stare = raw.grant(hero, "GA_Stare");
    assert_eq!(raw.cast(stare, seen), CommandOutcome::Done);
    assert_eq!(raw.cast(stare, behind), REJECTED); // the wall is at five
    assert_eq!(raw.cast(stare, hit(behind, [5.5, 0.0, 0.0])), REJECTED);
    assert_eq!(raw.cast(stare, Target::Location([6.0, 0.0, 0.0])), REJECTED);
    assert_eq!(raw.cast(stare, Target::Location([4.5, 0.0, 0.0])), CommandOutcome::Done);
    // An ability that does not require it hits through the wall.
    let sling = raw.ability(hero, "GA_Sling");
    assert_eq!(raw.cast(sling, behind), CommandOutcome::Done);
}

#[test]
fn section_13_7_one_target_without_targeting() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let wolves = [0; 3].map(|_| raw.wolf([4.0, 0.0, 0.0]));
    let bolt = raw.ability(hero, "GA_Weapon");
    assert_eq!(raw.cast(bolt, all(wolves)), REJECTED);
    let places = [[1.0; 3], [2.0; 3]].map(Target::Location);
    assert_eq!(raw.cast(bolt, TargetData::from_iter(places)), REJECTED);
    let mixed = [Target::Controller(wolves[0]), hit(wolves[1], [4.0, 0.0, 0.0])];
    assert_eq!(raw.cast(bolt, TargetData::from_iter(mixed)), REJECTED);
    assert_eq!(raw.cast(bolt, wolves[0]), CommandOutcome::Done);
    // Nor by a task: the default targeting of a wait has no count.
    let aim = raw.ability(hero, "GA_Aim");
    assert_eq!(raw.provide(aim, all(wolves)), REJECTED);
    assert_eq!(raw.provide(aim, all([wolves[0]])), CommandOutcome::Done);
}

#[test]
fn section_13_7_targets_follow_count_filter_and_shape_of_the_ability() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let [one, two, three] = [0; 3].map(|_| raw.wolf([4.0, 0.0, 0.0]));
    let (behind, far) = (raw.wolf([-4.0, 0.0, 0.0]), raw.wolf([12.0, 0.0, 0.0]));
    let volley = raw.grant(hero, "GA_Volley"); // two hostile ones within ten metres
    assert_eq!(raw.cast(volley, all([one, two])), CommandOutcome::Done);
    assert_eq!(raw.cast(volley, all([one, two, three])), REJECTED);
    assert_eq!(raw.cast(volley, all([one, one])), REJECTED);
    assert_eq!(raw.cast(volley, all([hero])), REJECTED); // no enemy
    assert_eq!(raw.cast(volley, all([one, far])), REJECTED);
    let breath = raw.grant(hero, "GA_Breath"); // everybody in a cone along x
    assert_eq!(raw.cast(breath, all([one, two, three])), CommandOutcome::Done);
    assert_eq!(raw.cast(breath, all([one, behind])), REJECTED);
    assert_eq!(raw.cast(breath, Target::Location([-4.0, 0.0, 0.0])), REJECTED);
    let arc = raw.grant(hero, "GA_Arc"); // the client names where the chain begins
    assert_eq!(raw.cast(arc, all([one, two])), REJECTED);
    assert_eq!(raw.cast(arc, all([one])), CommandOutcome::Done);
}

#[test]
fn section_13_7_targets_of_a_task_follow_its_shape() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let chain = [2.0, 6.0, 10.0, 14.0].map(|x| raw.wolf([x, 0.0, 0.0]));
    let [first, second, third, fourth] = chain;
    let lasso = raw.grant(hero, "GA_Lasso"); // three, each at most five from the one before
    assert_eq!(raw.provide(lasso, all([first, second, third])), CommandOutcome::Done);
    assert_eq!(raw.provide(lasso, all(chain)), REJECTED);
    // Without a range the tolerance of the default host is unlimited; the strict one has none.
    let gaze = raw.grant(hero, "GA_Gaze");
    assert_eq!(raw.provide(gaze, all([hero])), CommandOutcome::Done);
    assert_eq!(raw.provide(gaze, all([fourth])), REJECTED);
}

/// Places must be exact, and abilities may target unseen controllers.
struct Strict;

impl Host for Strict {
    fn tolerance(&self, _: &ugas_core::simulation::Simulation, _: Reach<'_>) -> f64 {
        0.0
    }

    fn may_target_unseen(
        &self,
        _: &ugas_core::simulation::Simulation,
        _: ugas_net::message::ClientId,
        _: ugas_core::id::AbilityId,
    ) -> bool {
        true
    }
}

#[test]
fn host_sets_the_tolerance_and_lets_abilities_target_unseen_controllers() {
    use ugas_core::simulation::{Config, Simulation};
    let simulation = Simulation::new(crate::fixture::catalog(), Config::seeded(1));
    let server = Server::with_host(simulation, ServerConfig::default(), Strict);
    let mut raw = RawServer::of(server);
    let hero = raw.join_with_hero();
    raw.server.simulation_mut().set_placement(hero, Some(Placement::default())).unwrap();
    let chain = [2.0, 6.0, 12.0].map(|x| raw.wolf([x, 0.0, 0.0]));
    let lasso = raw.grant(hero, "GA_Lasso");
    assert_eq!(raw.provide(lasso, all(chain)), REJECTED); // six of five
    assert_eq!(raw.provide(lasso, all([chain[0], chain[1]])), CommandOutcome::Done);
    let sling = raw.ability(hero, "GA_Sling");
    assert_eq!(raw.cast(sling, hit(chain[0], [2.5, 0.0, 0.0])), REJECTED);
    assert_eq!(raw.cast(sling, hit(chain[0], [2.0, 0.0, 0.0])), CommandOutcome::Done);
    let client = raw.server.clients().next().unwrap();
    raw.server.hide(chain[0], client);
    assert_eq!(raw.cast(sling, chain[0]), CommandOutcome::Done);
}

#[test]
fn ability_whose_targeting_allows_it_targets_unseen_controllers() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let wolf = raw.wolf([2.0, 0.0, 0.0]);
    let client = raw.server.clients().next().unwrap();
    raw.server.hide(wolf, client);
    let (seeker, hunt) = (raw.grant(hero, "GA_Seeker"), raw.grant(hero, "GA_Hunt"));
    assert_eq!(raw.cast(seeker, wolf), CommandOutcome::Done);
    assert_eq!(raw.provide(hunt, all([wolf])), CommandOutcome::Done);
    // The same without the field.
    let (stare, focus) = (raw.grant(hero, "GA_Stare"), raw.grant(hero, "GA_Focus"));
    assert_eq!(raw.cast(stare, wolf), REJECTED);
    assert_eq!(raw.provide(focus, all([wolf])), REJECTED);
}

#[test]
fn withheld_acknowledgements_do_not_rewind_further_than_the_round_trip() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let wolf = raw.wolf([9.0, 0.0, 0.0]);
    let sling = raw.ability(hero, "GA_Sling");
    let acknowledge = |raw: &mut RawServer| {
        let newest = raw.heard(1).last().unwrap().packet;
        raw.packet += 1;
        let (packet, now) = (PacketId(raw.packet), raw.server.current_tick());
        let ack = Ack { newest, earlier: 0 };
        raw.say(1, ToServer::Frames(Frames { session: 1, packet, ack, now, frames: Vec::new() }));
    };
    raw.tick();
    acknowledge(&mut raw); // at once: the round trip is nothing
    let away = Placement::at([20.0, 0.0, 0.0]).unwrap();
    raw.server.simulation_mut().set_placement(wolf, Some(away)).unwrap();
    assert_eq!(raw.cast(sling, wolf), CommandOutcome::Done); // the client cannot have seen it go
    for _ in 0..10 {
        raw.tick();
    }
    // 11 ticks ago, and the history has 30.
    assert_eq!(raw.cast(sling, wolf), REJECTED);
}

#[test]
fn stamps_ahead_do_not_rewind_further_than_the_round_trip() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let wolf = raw.wolf([9.0, 0.0, 0.0]);
    let sling = raw.ability(hero, "GA_Sling");
    raw.tick();
    let newest = raw.heard(1).last().unwrap().packet;
    raw.packet += 1;
    let (packet, now) = (PacketId(raw.packet), raw.server.current_tick());
    let ack = Ack { newest, earlier: 0 };
    raw.say(1, ToServer::Frames(Frames { session: 1, packet, ack, now, frames: Vec::new() })); // round trip 0
    let away = Placement::at([20.0, 0.0, 0.0]).unwrap();
    raw.server.simulation_mut().set_placement(wolf, Some(away)).unwrap();
    // It runs 26 ticks later, and the history has 30.
    raw.command(25, 26, vec![NetCommand::Activate { ability: sling, targets: wolf.into(), event: None }]);
    let key = PredictionKey::new(raw.server.current_tick().0, 0);
    assert_eq!(raw.last_results.iter().find(|result| result.key == key).unwrap().outcome, REJECTED);
}

#[test]
fn reach_of_a_slow_client_is_judged_where_it_saw_the_target() {
    let mut game = Match::new(1, round_trip(300));
    let (hero, wolf) = (game.heroes[0], game.wolf);
    let place = |game: &mut Match, controller, x| {
        let placement = Placement::at([x, 0.0, 0.0]).unwrap();
        game.rig.server.simulation_mut().set_placement(controller, Some(placement)).unwrap();
    };
    place(&mut game, hero, 0.0);
    place(&mut game, wolf, 9.0);
    game.run(2.0);
    place(&mut game, wolf, 20.0);
    game.run(0.1); // it takes 150 ms until the client sees it
    game.cast(0, "GA_Sling").unwrap();
    game.run(1.0);
    assert_eq!(game.truth(wolf, "Health"), 99.0);
}

#[test]
fn press_carries_targets_that_are_judged() {
    let (mut raw, hero) = RawServer::with_hero_at_origin();
    let (near, far) = (raw.wolf([4.0, 0.0, 0.0]), raw.wolf([40.0, 0.0, 0.0]));
    let health = raw.server.catalog().attribute("Health").unwrap();
    let press =
        |targets: TargetData| NetCommand::Press { controller: hero, input: "Slot.GA_Sling".into(), targets };
    assert_eq!(raw.outcome(press(all([near]))), CommandOutcome::Done);
    assert_eq!(raw.server.simulation().current(near, health), Some(99.0));
    assert_eq!(raw.outcome(press(all([far]))), REJECTED);
    assert_eq!(raw.outcome(press(all([near, far]))), REJECTED);
    assert_eq!(raw.outcome(press(hit(near, [5_000.0, 0.0, 0.0]).into())), REJECTED);
    assert_eq!(raw.server.simulation().current(near, health), Some(99.0));
}

#[test]
fn press_with_a_target_is_predicted_and_confirmed() {
    let mut game = Match::new(1, round_trip(100));
    let (hero, wolf) = (game.rig.seats[0].client.own_controllers().next().unwrap(), game.local(0, game.wolf));
    let client = &mut game.rig.seats[0].client;
    client.press_at(hero, "Slot.GA_Weapon", &TargetData::from(wolf)).unwrap();
    let both = TargetData::from_iter([wolf, hero]);
    assert_eq!(client.press_at(hero, "Slot.GA_Weapon", &both), Err(ActError::TooManyTargets(1)));
    game.run(0.5);
    assert_eq!(game.truth(game.wolf, "Health"), 99.0);
    let statistics = game.rig.seats[0].client.statistics();
    assert_eq!((statistics.confirmed, statistics.mispredicted), (1, 0));
}

#[test]
fn press_that_cannot_be_queued_activates_no_local_ability() {
    let mut game = Match::new(1, round_trip(100));
    let client = &mut game.rig.seats[0].client;
    let hero = client.own_controllers().next().unwrap();
    for _ in 0..8 {
        client.press(hero, "Slot.Nothing").unwrap();
    }
    assert_eq!(client.press(hero, "Slot.GA_Local"), Err(ActError::TooMany));
    assert!(client.local_simulation().is_none());
}
