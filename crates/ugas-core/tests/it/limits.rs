//! Limits: all state that input from outside can grow is bounded, and the refusal names the setting.

use ugas_core::ability::{AbilityDef, ActivationReason, Grant};
use ugas_core::effect::{ContextPayload, EffectContext, EffectDef, StackingDef};
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::Operation;
use ugas_core::refusal::{Limit, RefusalReason};
use ugas_core::simulation::{ActivationRequest, Config, Simulation};
use ugas_core::targeting::{Confirmation, Target, TargetData, Team};
use ugas_core::task::{TaskDef, WaitDef};
use ugas_core::time::Span;

use crate::fixture::Game;

/// A payload of the given size in bytes.
struct Letter(usize);

impl ContextPayload for Letter {
    const KIND: &'static str = "Letter";

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.resize(self.0, b'x');
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.len()))
    }
}

fn limit_of(refused: Result<impl core::fmt::Debug, RefusalReason>) -> Limit {
    match refused.unwrap_err() {
        RefusalReason::LimitReached(limit) => limit,
        other => panic!("refused for another reason: {other}"),
    }
}

#[test]
fn unlimited_stacks_end_at_the_limit_of_the_simulation() {
    let config = Config { max_stacks: 3, ..Config::seeded(7) };
    let stacking = EffectDef::infinite("GE").stacking(StackingDef::by_target(0));
    let mut game = Game::configured(config, |builder| builder.effect(stacking));
    for _ in 0..3 {
        game.apply("GE", "hero", "wolf");
    }
    let before = game.sim.snapshot();
    let refusal = game.try_apply("GE", "hero", "wolf").unwrap_err();
    assert_eq!(refusal.reasons[..], [RefusalReason::LimitReached(Limit::Stacks)]);
    assert_eq!(
        refusal.reasons[0].to_string(),
        "too many stacks of one effect: `Config::max_stacks` is the limit"
    );
    let hashes = (before.state_hash(), game.sim.state_hash());
    assert_ne!(hashes.0, hashes.1, "the refusal itself is an event, and events are counted");
    assert_eq!(game.sim.controller(game.id("wolf")).unwrap().effects().len(), 1);
}

#[test]
fn new_input_replaces_the_first_released_one_and_is_refused_if_all_are_held() {
    let config = Config { max_inputs_per_controller: 2, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| builder);
    let hero = game.id("hero");
    game.sim.press(hero, "A").unwrap();
    game.sim.press(hero, "B").unwrap();
    assert_eq!(limit_of(game.sim.press(hero, "C")), Limit::InputsPerController);
    game.sim.press(hero, "A").unwrap();

    game.sim.release(hero, "B").unwrap();
    game.sim.press(hero, "C").unwrap();
    assert!(game.sim.held(hero, &"A".into()).is_some());
    assert!(game.sim.held(hero, &"B".into()).is_none());
    assert!(game.sim.held(hero, &"C".into()).is_some());

    let buffer = InputBufferConfig { size: 3, ..InputBufferConfig::default() };
    assert_eq!(limit_of(game.sim.set_input_buffer(hero, buffer)), Limit::InputsPerController);
    game.sim.set_input_buffer(hero, InputBufferConfig { size: 2, ..buffer }).unwrap();
}

#[test]
fn targets_from_outside_are_limited() {
    let config = Config { max_targets: 2, ..Config::seeded(7) };
    let waits = TaskDef::Wait(WaitDef::TargetData {
        targeting: Default::default(),
        confirmation: Confirmation::Custom,
        max_delay: None,
    });
    let mut game = Game::configured(config, |builder| builder.ability(AbilityDef::new("GA").task(waits)));
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let ability = game.sim.catalog().ability("GA").unwrap();
    let handle = game.sim.grant(hero, ability, 1).unwrap();
    let three: TargetData = [wolf; 3].into_iter().collect();
    let refusal = game.sim.activate_with(handle, ActivationRequest::on(three.clone())).unwrap_err();
    assert_eq!(refusal.reasons[..], [ActivationReason::LimitReached(Limit::Targets)]);

    game.sim.activate(handle).unwrap();
    let task = game.sim.tasks_of(hero).next().unwrap();
    assert_eq!(limit_of(game.sim.provide_targets(task, three)), Limit::Targets);
    assert_eq!(game.sim.provide_targets(task, TargetData::from(wolf)), Ok(true), "it waited on");
}

#[test]
fn data_of_specs_and_grants_is_limited() {
    let config = Config { max_extras: 2, max_payload_bytes: 16, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| {
        builder.tags(["A", "B", "C"]).effect(EffectDef::infinite("GE")).ability(AbilityDef::new("GA"))
    });
    let (hero, sim) = (game.id("hero"), &mut game.sim);
    let [a, b, c] = ["A", "B", "C"].map(|tag| sim.catalog().tag(tag).unwrap());
    let effect = sim.catalog().effect("GE").unwrap();
    let spec = |sim: &Simulation| sim.spec(effect, 1.0, EffectContext::default()).unwrap();
    let applied =
        |sim: &mut Simulation, spec| sim.apply(&spec, hero).map_err(|refusal| refusal.reasons[0].clone());

    let numbers = spec(sim).with_magnitude(a, 1.0).with_magnitude(b, 1.0);
    let active = applied(sim, numbers.clone()).unwrap().active().unwrap();
    assert_eq!(limit_of(applied(sim, numbers.with_magnitude(c, 1.0))), Limit::Extras);
    assert_eq!(limit_of(sim.set_magnitude(active, c, 1.0)), Limit::Extras);
    sim.set_magnitude(active, a, 2.0).unwrap();
    let tags = spec(sim).granting(a).tagged(b);
    applied(sim, tags.clone()).unwrap();
    assert_eq!(limit_of(applied(sim, tags.tagged(c))), Limit::Extras);
    // 10 bytes and the six of the word Letter.
    let mut letter = spec(sim);
    *letter.context_mut() = EffectContext::default().with_payload(&Letter(10));
    applied(sim, letter.clone()).unwrap();
    *letter.context_mut() = EffectContext::default().with_payload(&Letter(11));
    assert_eq!(limit_of(applied(sim, letter)), Limit::PayloadBytes);

    let ability = sim.catalog().ability("GA").unwrap();
    let full = Grant::new(ability).parameter("one", 1.0).parameter("two", 2.0);
    let handle = sim.grant_with(hero, full.clone()).unwrap();
    assert_eq!(limit_of(sim.grant_with(hero, full.parameter("three", 3.0))), Limit::Extras);
    assert_eq!(limit_of(sim.set_parameter(handle, "three", 3.0)), Limit::Extras);
    sim.set_parameter(handle, "one", 3.0).unwrap();
    let long = "seventeen letters";
    assert_eq!(limit_of(sim.bind_input(handle, Some(long.into()))), Limit::PayloadBytes);
    assert_eq!(limit_of(sim.press(hero, long)), Limit::PayloadBytes);
    assert_eq!(limit_of(sim.set_team(hero, Some(Team::from(long)))), Limit::PayloadBytes);
    let target = TargetData::from(Target::custom(&Letter(11)));
    let refusal = sim.activate_with(handle, ActivationRequest::on(target)).unwrap_err();
    assert_eq!(refusal.reasons[..], [ActivationReason::LimitReached(Limit::PayloadBytes)]);
}

#[test]
fn minimum_period_is_enforced() {
    let config = Config { min_period: Span::millis(1), ..Config::seeded(7) };
    let effect = EffectDef::infinite("GE").every(0.001).modify("Health", Operation::Add, -1.0);
    let mut game = Game::configured(config, |builder| builder.effect(effect));
    game.apply("GE", "hero", "wolf");
    let effect = game.sim.catalog().effect("GE").unwrap();
    let spec = game.sim.spec(effect, 1.0, EffectContext::default()).unwrap();
    let refusal = game.sim.apply(&spec.with_period(Span::from_micros(999)), game.id("wolf")).unwrap_err();
    assert_eq!(refusal.reasons[..], [RefusalReason::LimitReached(Limit::Period)]);
}

#[test]
fn simultaneous_activations_are_limited() {
    let config = Config { max_activations_per_controller: 1, ..Config::seeded(7) };
    let waits = || TaskDef::wait(1.0);
    let mut game = Game::configured(config, |builder| {
        let ability = |name| AbilityDef::new(name).task(waits());
        builder.ability(ability("GA_One")).ability(ability("GA_Two"))
    });
    let hero = game.id("hero");
    let [one, two] = ["GA_One", "GA_Two"].map(|name| game.sim.catalog().ability(name).unwrap());
    let one = game.sim.grant(hero, one, 1).unwrap();
    let two = game.sim.grant(hero, two, 1).unwrap();
    game.sim.activate(one).unwrap();
    let refusal = game.sim.activate(two).unwrap_err();
    assert_eq!(refusal.reasons[..], [ActivationReason::LimitReached(Limit::ActivationsPerController)]);
}

#[test]
fn unpolled_events_beyond_the_limit_are_dropped_and_counted() {
    let config = Config { max_events: 4, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| builder.effect(EffectDef::infinite("GE")));
    for _ in 0..10 {
        game.apply("GE", "hero", "wolf");
    }
    assert_eq!(game.sim.pending_events().len(), 4);
    assert!(game.sim.dropped_events() > 0);
}

/// Simulations are `Send`, catalogs `Send` and `Sync`.
#[test]
fn simulations_can_be_sent_and_catalogs_shared() {
    fn send<T: Send>() {}
    fn share<T: Send + Sync>() {}
    send::<Simulation>();
    send::<ugas_core::simulation::Snapshot>();
    send::<ugas_core::command::Command>();
    share::<ugas_core::catalog::Catalog>();
}
