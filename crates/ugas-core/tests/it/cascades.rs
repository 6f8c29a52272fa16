//! Cascades (E12): never a hang, never a stack overflow, and the event names the chain.

use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{AdditionalEffectDef, EffectDef, StackingDef};
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::simulation::Config;

use crate::fixture::{Game, instant, tagging};

fn limited(limit: u32, effects: impl IntoIterator<Item = EffectDef>) -> Game {
    let config = Config { cascade_limit: limit, ..Config::seeded(7) };
    Game::configured(config, |builder| {
        effects.into_iter().fold(builder, ugas_core::catalog::CatalogBuilder::effect)
    })
}

/// The chain of the one `CascadeLimit` event, by name, and how much was dropped.
#[track_caller]
fn chain(game: &mut Game) -> (Vec<String>, u32) {
    let events = game.events();
    let mut found = events.into_iter().filter_map(|event| match event.kind {
        EventKind::CascadeLimit { chain, dropped } => Some((chain, dropped)),
        _ => None,
    });
    let (chain, dropped) = found.next().expect("the limit was reached");
    assert!(found.next().is_none(), "the limit is reported once");
    (chain.into_iter().map(|id| game.sim.effect_name(id).to_owned()).collect(), dropped)
}

#[test]
fn e12_mutual_additional_effects_end_at_the_limit_and_the_chain_is_named() {
    let calling = |name: &str, other: &str| {
        let mut effect = instant(name, "Attack", Operation::Add, 1.0);
        effect.additional_effects.push(AdditionalEffectDef::new(other));
        effect
    };
    let mut game = limited(10, [calling("GE_Ping", "GE_Pong"), calling("GE_Pong", "GE_Ping")]);
    game.apply("GE_Ping", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 111.0); // the first, and ten that follow
    let (names, dropped) = chain(&mut game);
    assert_eq!(dropped, 1);
    assert!(names.len() >= 2 && names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    assert!(names.iter().all(|name| name == "GE_Ping" || name == "GE_Pong"));
}

#[test]
fn e12_simulation_continues_after_the_limit() {
    let mut loops = instant("GE_Loop", "Attack", Operation::Add, 1.0);
    loops.additional_effects.push(AdditionalEffectDef::new("GE_Loop"));
    let mut game = limited(5, [loops, instant("GE_Fine", "Mana", Operation::Add, 1.0)]);
    game.apply("GE_Loop", "hero", "hero");
    game.events();
    game.apply("GE_Fine", "hero", "hero");
    assert_eq!(game.log(), ["executed GE_Fine", "hero.Mana 50 -> 51"]);
}

#[test]
fn e12_a_branching_cascade_is_bounded_too() {
    let mut hydra = instant("GE_Hydra", "Attack", Operation::Add, 1.0);
    hydra.additional_effects =
        vec![AdditionalEffectDef::new("GE_Hydra"), AdditionalEffectDef::new("GE_Hydra")];
    let mut game = limited(100, [hydra]);
    game.apply("GE_Hydra", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 201.0);
    // 101 heads ran and called two each: 202 − 100 that ran are left.
    assert_eq!(chain(&mut game).1, 102);
}

#[test]
fn e12_an_effect_that_inhibits_itself_does_not_hang() {
    let mut paradox = EffectDef::infinite("GE_Paradox").granting("State.Paradox");
    paradox.ongoing_blocked_tags.push("State.Paradox".into());
    let mut game = limited(50, [paradox]);
    game.apply("GE_Paradox", "hero", "hero");
    let (names, _) = chain(&mut game);
    assert_eq!(names, ["GE_Paradox"]);
    // In the end, tags and inhibition agree and can be removed.
    let hero = game.id("hero");
    let [active] = game.sim.controller(hero).unwrap().effects() else { panic!("it is there") };
    let active = *active;
    assert_ne!(game.active(active).is_inhibited(), game.has_tag("hero", "State.Paradox"));
    game.sim.remove(active, Default::default()).unwrap();
    assert!(game.sim.tags(hero).unwrap().is_empty());
    assert_eq!(game.count("LogicError"), 0);
}

#[test]
fn e12_an_effect_that_removes_itself_by_its_own_tag_ends_at_once() {
    let mut brief = EffectDef::infinite("GE_Brief").granting("State.Brief");
    brief.remove_on_tags.push("State.Brief".into());
    let mut game = Game::of([brief]);
    let active = game.activate("GE_Brief", "hero", "hero");
    assert!(game.sim.effect(active).is_none() && !game.has_tag("hero", "State"));
    assert_eq!(
        game.log(),
        [
            "applied GE_Brief",
            "hero +State.Brief",
            "hero +State",
            "removed GE_Brief RemovedByTag",
            "hero -State.Brief",
            "hero -State",
        ]
    );
}

#[test]
fn e12_instant_expiration_effect_of_itself_does_not_hang() {
    let mut echo = EffectDef::lasting("GE_Echo", 0.0);
    echo.expiration_effects.routine.push("GE_Echo".into());
    let mut game = limited(30, [echo]);
    game.apply("GE_Echo", "hero", "hero");
    let (names, _) = chain(&mut game);
    assert!(names.iter().all(|name| name == "GE_Echo"));
    assert!(game.sim.controller(game.id("hero")).unwrap().effects().len() <= 1);
}

#[test]
fn e12_expiration_effect_over_time_hits_no_limit() {
    let mut echo = EffectDef::lasting("GE_Echo", 1.0);
    echo.expiration_effects.routine.push("GE_Echo".into());
    let mut game = limited(10, [echo]);
    game.apply("GE_Echo", "hero", "hero");
    game.events();
    game.pass(1_000.0);
    assert_eq!(game.count("EffectApplied"), 1_000);
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().effects().len(), 1);
}

#[test]
fn b6_two_controllers_whose_modifiers_would_follow_each_other_are_refused() {
    // Hero's Attack = wolf's Attack + 1 and the other way round: there is no such pair of numbers.
    let envy = EffectDef::infinite("GE_Envy").modify(
        "Attack",
        Operation::Override,
        MagnitudeDef::expression("Source.Attack + 1"),
    );
    let mut game = limited(40, [envy]);
    game.apply("GE_Envy", "hero", "wolf");
    let before = (game.current("hero", "Attack"), game.current("wolf", "Attack"));
    let (envy, hero, wolf) =
        (game.sim.catalog().effect("GE_Envy").unwrap(), game.id("hero"), game.id("wolf"));
    let refusal = game.sim.apply_effect(envy, Some(wolf), hero).unwrap_err();
    assert_eq!(refusal.code(), "CircularDependency");
    assert_eq!((game.current("hero", "Attack"), game.current("wolf", "Attack")), before);
    assert_eq!(game.count("CascadeLimit"), 0);
}

#[test]
fn e12_effects_that_remove_each_other_end() {
    let rival = |name: &str, own: &str, other: &str| {
        let mut effect = EffectDef::infinite(name).granting(own);
        effect.remove_effects_with_tags.push(other.into());
        effect.expiration_effects.premature.push(name.into());
        effect
    };
    let mut game = limited(60, [rival("GE_A", "State.A", "State.B"), rival("GE_B", "State.B", "State.A")]);
    game.apply("GE_A", "hero", "hero");
    game.apply("GE_B", "hero", "hero");
    assert!(!chain(&mut game).0.is_empty());
}

#[test]
fn e12_overflow_effects_that_overflow_themselves_end() {
    let stacking = StackingDef { overflow_effects: vec!["GE".into()], ..StackingDef::by_target(1) };
    let mut game = limited(20, [EffectDef::infinite("GE").stacking(stacking)]);
    game.apply("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    assert!(chain(&mut game).0.iter().all(|name| name == "GE"));
}

#[test]
fn e12_a_limit_of_0_drops_every_consequence() {
    let mut effect = instant("GE", "Attack", Operation::Add, 1.0);
    effect.additional_effects.push(AdditionalEffectDef::new("GE_Other"));
    let mut game = limited(0, [effect, instant("GE_Other", "Mana", Operation::Add, 1.0), tagging("State.X")]);
    game.apply("GE", "hero", "hero");
    assert_eq!((game.base("hero", "Attack"), game.base("hero", "Mana")), (101.0, 50.0));
    assert_eq!(game.count("CascadeLimit"), 1);
}
