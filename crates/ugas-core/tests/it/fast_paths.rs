//! Fast paths: the result equals that of all steps, event by event and bit by bit.

use proptest::prelude::*;
use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::CatalogBuilder;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{EffectDef, ExecutionPolicy, StackingDef};
use ugas_core::event::{Event, EventKind};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Stacks};
use ugas_core::targeting::{EffectContainerDef, Placement, Shape, TargetingDef};
use ugas_core::task::{ActionDef, TaskDef};
use ugas_core::time::Span;

use crate::fixture::{Game, buff, instant};

const EFFECTS: [&str; 17] = [
    "Hit", "Heal", "Vast", "Halve", "Set", "Nothing", "Grow", "Learn", "Poison", "Weaken", "Ward", "Strain",
    "Sting", "Calm", "Haste", "Flood", "Mark",
];
const UNITS: [&str; 2] = ["hero", "wolf"];

/// Attributes without dependents, with dependents, with modifiers, and with bounds.
fn rules() -> CatalogBuilder {
    let set = AttributeSetDef::new("Set")
        .with(AttributeDef::new("Limit", 100.0).min(1.0))
        .with(AttributeDef::new("Health", 90.0).min(0.0).max("Limit"))
        .with(AttributeDef::new("Mana", 50.0))
        .with(AttributeDef::new("Skill", 10.0))
        .with(AttributeDef::derived("Power", "Skill * 2 + 1"));
    let poison = EffectDef::lasting("Poison", 5.0).every(1.0).modify("Health", Operation::Add, -4.0);
    CatalogBuilder::default()
        .attribute_set(set)
        .template(ControllerDef::new("Unit").with_set("Set"))
        .effect(instant("Hit", "Health", Operation::Add, -30.0))
        .effect(instant("Heal", "Health", Operation::AddPost, 20.5))
        .effect(instant("Vast", "Skill", Operation::Add, f64::MAX))
        .effect(instant("Halve", "Health", Operation::DivideAdditive, 2.0))
        .effect(instant("Set", "Health", Operation::Override, -0.0))
        .effect(instant("Nothing", "Health", Operation::DivideAdditive, 0.0))
        .effect(instant("Grow", "Limit", Operation::Multiply, 0.25))
        .effect(instant("Learn", "Skill", Operation::Add, 1.0))
        .effect(instant("Drain", "Mana", Operation::Add, -5.0))
        .effect(poison.stacking(StackingDef::by_target(3)))
        .effect(buff("Weaken", "Health", Operation::Add, -10.0))
        .effect(buff("Ward", "Limit", Operation::Add, 50.0))
        .effect(EffectDef::lasting("Strain", 2.0).modify("Power", Operation::MultiplyCompound, 1.5))
        .effect(EffectDef::instant("Sting").modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("-(Source.Skill * 0.5 + Target.Mana * 0.1)"),
        ))
        .effect(EffectDef::lasting("Calm", 1.5).granting("State.Calm.Deep"))
        .effect(EffectDef::lasting("Haste", 2.5).modify("Mana", Operation::Add, 7.0).granting("State.Fast"))
        .effect(EffectDef::infinite("Flood").modify("Mana", Operation::MultiplyCompound, 1e200))
        .effect(EffectDef::infinite("Mark").granting("State.Calm"))
}

/// The same rules with a hook that does nothing: hooks disable the fast paths.
fn rules_in_steps() -> CatalogBuilder {
    rules().post_execute("Health", |_| {})
}

fn game(rules: CatalogBuilder) -> Game {
    let mut game = Game::empty(Config::seeded(3), rules);
    for unit in UNITS {
        game.spawn(unit, "Unit");
    }
    game
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Apply(usize, usize, usize),
    Both(usize, usize, usize),
    All(usize, usize),
    RemoveFirst(usize),
    Advance(u16),
}

fn some_move() -> impl Strategy<Value = Move> {
    let (effect, unit) = (0..EFFECTS.len(), 0..UNITS.len());
    let effect_of_all = effect.clone();
    prop_oneof![
        6 => (effect.clone(), unit.clone(), unit.clone()).prop_map(|(effect, by, to)| Move::Apply(effect, by, to)),
        1 => (effect.clone(), effect, unit.clone()).prop_map(|(one, other, to)| Move::Both(one, other, to)),
        1 => (effect_of_all, unit.clone()).prop_map(|(effect, by)| Move::All(effect, by)),
        1 => unit.prop_map(Move::RemoveFirst),
        2 => (1u16..3_000).prop_map(Move::Advance),
    ]
}

fn make(game: &mut Game, change: Move) -> (Vec<Event>, u64) {
    let effect = |game: &Game, at: usize| game.effect(EFFECTS[at]);
    let unit = |game: &Game, at: usize| game.id(UNITS[at]);
    match change {
        Move::Apply(what, by, to) => {
            let (what, by, to) = (effect(game, what), unit(game, by), unit(game, to));
            let _ = game.sim.apply_effect(what, Some(by), to);
        }
        Move::Both(one, other, to) => {
            let (one, other, to) = (effect(game, one), effect(game, other), unit(game, to));
            game.sim.batch(|sim: &mut Simulation| {
                let _ = sim.apply_effect(one, None, to);
                let _ = sim.apply_effect(other, None, to);
            });
        }
        Move::All(what, by) => {
            let all = [0, 1, 0].map(|at| unit(game, at));
            game.sim.apply_to_all(effect(game, what), Some(unit(game, by)), &all).unwrap();
        }
        Move::RemoveFirst(of) => {
            let first = game.sim.controller(unit(game, of)).and_then(|of| of.effects().first().copied());
            if let Some(first) = first {
                game.sim.remove(first, Stacks::All).unwrap();
            }
        }
        Move::Advance(millis) => game.sim.advance(Span::millis(i64::from(millis))),
    }
    assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
    (game.sim.events().collect(), game.sim.state_hash())
}

proptest! {
    #[test]
    fn i5_fast_paths_agree_with_all_steps(moves in prop::collection::vec(some_move(), 1..40)) {
        let (mut short, mut long) = (game(rules()), game(rules_in_steps()));
        for change in moves {
            prop_assert_eq!(make(&mut short, change), make(&mut long, change));
        }
    }
}

/// Attribute changes by the effects of a container, which are applied back to back, with the effect that
/// caused each.
fn changes_by_container(rules: CatalogBuilder) -> Vec<(String, String)> {
    let near = TargetingDef::new(Shape::Radius).range(5.0);
    let container = EffectContainerDef::new("All", near).effect("Heal", 1.0).effect("Drain", 1.0);
    let skill = AbilityDef::new("GA").task(TaskDef::Act(ActionDef::ApplyContainer("All".into())));
    let mut game = game(rules.container(container.effect("Hit", 1.0)).ability(skill));
    for (unit, x) in [("hero", 0.0), ("wolf", 3.0)] {
        let placement = Placement::new([x, 0.0, 0.0], [1.0, 0.0, 0.0]).unwrap();
        game.sim.set_placement(game.id(unit), Some(placement)).unwrap();
    }
    game.apply("Heal", "hero", "wolf"); // up to the limit: 100
    let handle = game.grant("hero", "GA");
    game.events();
    game.run(handle);
    let (events, wolf) = (game.events(), game.id("wolf"));
    let change = |event: Event| match event.kind {
        EventKind::AttributeChanged { controller, attribute, .. } if controller == wolf => {
            let effect = game.sim.effect_name(event.cause.effect.unwrap());
            Some((game.sim.catalog().attribute_name(attribute).to_owned(), effect.to_owned()))
        }
        _ => None,
    };
    events.into_iter().filter_map(change).collect()
}

#[test]
fn e1_each_effect_of_a_container_has_its_own_changes() {
    let expected =
        [("Mana", "Drain"), ("Health", "Hit")].map(|(one, other)| (one.to_owned(), other.to_owned()));
    assert_eq!(changes_by_container(rules_in_steps()), expected);
    assert_eq!(changes_by_container(rules()), expected);
}

/// One operation: the second target is hit although the first one refuses, and all events share its number.
#[test]
fn application_to_all_skips_targets_that_refuse() {
    let mut game = game(rules().effect(EffectDef::instant("Wound").modify("Health", Operation::Add, -10.0)));
    let (hero, wolf, wound) = (game.id("hero"), game.id("wolf"), game.effect("Wound"));
    let gone = game.spawn("gone", "Unit");
    game.sim.despawn(gone).unwrap();
    game.events();
    assert_eq!(game.sim.apply_to_all(wound, Some(hero), &[gone, hero, wolf]), Ok(2));
    // 90 - 10
    assert_eq!((game.current("hero", "Health"), game.current("wolf", "Health")), (80.0, 80.0));
    let events = game.events();
    let names: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    let hit = ["EffectExecuted", "AttributeChanged"];
    assert_eq!(names, [&["EffectRefused"], &hit[..], &hit[..]].concat());
    assert!(events.iter().all(|event| event.cause.operation == events[0].cause.operation));
}

#[test]
fn e12_waiting_queues_begin_before_values_are_read() {
    let queued = |name: &str| {
        EffectDef { policy: ExecutionPolicy::RunInSequence, ..EffectDef::infinite(name) }.modify(
            "Mana",
            Operation::Add,
            1.0,
        )
    };
    // An audit disables the fast paths.
    let logs = [false, true].map(|audit| {
        let rules = rules().effect(queued("First")).effect(queued("Second"));
        let mut game = Game::empty(Config { cascade_limit: 1, audit, ..Config::seeded(3) }, rules);
        for unit in UNITS {
            game.spawn(unit, "Unit");
        }
        for (effect, source) in [("First", "wolf"), ("First", "hero"), ("Second", "wolf"), ("Second", "hero")]
        {
            game.apply(effect, source, "hero");
        }
        // One of the two queues may begin; the other is beyond the limit.
        let (hero, wolf, hit) = (game.id("hero"), game.id("wolf"), game.effect("Hit"));
        game.sim.remove_from_source(hero, wolf);
        assert_eq!(game.count("CascadeLimit"), 1);
        game.sim.apply_effect(hit, None, wolf).unwrap();
        let mut log = game.log();
        log.retain(|line| !line.starts_with("BeforeEffectApplied"));
        log
    });
    assert_eq!(logs[0], logs[1]);
    let at = |what: &str| logs[0].iter().position(|line| line.starts_with(what)).expect(what);
    assert!(at("applied Second") < at("wolf.Health"), "{:?}", logs[0]);
}

#[test]
fn m9_attribute_without_dependents_is_clamped_at_once_with_its_events() {
    let mut game = game(rules());
    game.events();
    game.apply("Hit", "wolf", "hero"); // 90 - 30
    game.apply("Heal", "wolf", "hero"); // + 20.5
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (80.5, 80.5));
    game.apply("Heal", "wolf", "hero"); // 101, of which the limit leaves 100
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (100.0, 100.0));
    assert_eq!(game.events().len(), 6);
}
