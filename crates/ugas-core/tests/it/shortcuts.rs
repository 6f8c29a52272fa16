//! Shortcuts: what is done in fewer steps comes to the same as the steps, event by event and bit by bit.

use proptest::prelude::*;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::CatalogBuilder;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{EffectDef, StackingDef};
use ugas_core::event::Event;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Stacks};
use ugas_core::time::Span;

use crate::fixture::{Game, buff, instant};

const EFFECTS: [&str; 12] =
    ["Hit", "Heal", "Vast", "Halve", "Set", "Nothing", "Grow", "Learn", "Poison", "Weaken", "Ward", "Strain"];
const UNITS: [&str; 2] = ["hero", "wolf"];

/// Bases that stand alone, that others depend on, that have modifiers; values that a bound holds.
fn rules() -> CatalogBuilder {
    let set = AttributeSetDef::new("Set")
        .with(AttributeDef::new("Limit", 100.0).min(1.0))
        .with(AttributeDef::new("Health", 90.0).min(0.0).max("Limit"))
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
        .effect(poison.stacking(StackingDef::by_target(3)))
        .effect(buff("Weaken", "Health", Operation::Add, -10.0))
        .effect(buff("Ward", "Limit", Operation::Add, 50.0))
        .effect(EffectDef::lasting("Strain", 2.0).modify("Power", Operation::MultiplyCompound, 1.5))
}

/// The same rules with a hook that does nothing: hooks see every step, so every step is taken.
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
    RemoveFirst(usize),
    Advance(u16),
}

fn some_move() -> impl Strategy<Value = Move> {
    let (effect, unit) = (0..EFFECTS.len(), 0..UNITS.len());
    prop_oneof![
        6 => (effect.clone(), unit.clone(), unit.clone()).prop_map(|(effect, by, to)| Move::Apply(effect, by, to)),
        1 => (effect.clone(), effect, unit.clone()).prop_map(|(one, other, to)| Move::Both(one, other, to)),
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
    fn i5_fewer_steps_lead_to_the_same(moves in prop::collection::vec(some_move(), 1..40)) {
        let (mut short, mut long) = (game(rules()), game(rules_in_steps()));
        for change in moves {
            prop_assert_eq!(make(&mut short, change), make(&mut long, change));
        }
    }
}

#[test]
fn m9_what_stands_alone_is_clamped_at_once_and_has_its_events() {
    let mut game = game(rules());
    game.events();
    game.apply("Hit", "wolf", "hero"); // 90 - 30
    game.apply("Heal", "wolf", "hero"); // + 20.5
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (80.5, 80.5));
    game.apply("Heal", "wolf", "hero"); // 101, of which the limit leaves 100
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (100.0, 100.0));
    assert_eq!(game.events().len(), 6);
}
