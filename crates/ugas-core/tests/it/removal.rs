//! Removal and queries (E10; GASD §4.5.15).

use ugas_core::effect::{EffectContext, EffectDef, EffectQuery, ExecutionPolicy, StackingDef};
use ugas_core::id::ActorId;
use ugas_core::modifier::Operation;
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::Stacks;
use ugas_core::tag::TagQuery;
use ugas_core::time::Span;

use crate::fixture::{Game, buff, instant, tagging};

#[test]
fn e10_some_stacks_or_all_of_them_can_be_removed() {
    let stacked = buff("GE", "Attack", Operation::Add, 10.0).stacking(StackingDef::by_target(0));
    let mut game = Game::of([stacked]);
    let active = game.activate("GE", "hero", "hero");
    for _ in 0..4 {
        game.apply("GE", "hero", "hero");
    }
    game.events();
    game.sim.remove(active, Stacks::Count(2)).unwrap();
    assert_eq!(game.log(), ["stacks 5 -> 3", "hero.Attack 150 -> 130"]);
    game.sim.remove(active, Stacks::Count(0)).unwrap();
    assert_eq!(game.log(), [""; 0]);
    game.sim.remove(active, Stacks::Count(3)).unwrap(); // the last ones
    assert_eq!(game.log(), ["removed GE Removed", "hero.Attack 130 -> 100"]);
}

#[test]
fn e10_more_stacks_than_there_are_remove_the_effect() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 10.0)]);
    let active = game.activate("GE", "hero", "hero");
    game.sim.remove(active, Stacks::Count(99)).unwrap();
    assert!(game.sim.effect(active).is_none());
}

#[test]
fn e10_dead_handle_finds_nothing() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 10.0)]);
    let dead = game.activate("GE", "hero", "hero");
    game.sim.remove(dead, Stacks::All).unwrap();
    let fresh = game.activate("GE", "hero", "hero"); // reuses the same index
    assert_ne!(dead, fresh);
    assert_eq!(game.sim.remove(dead, Stacks::All), Err(RefusalReason::UnknownHandle(dead)));
    assert_eq!(game.sim.set_remaining(dead, Span::ZERO), Err(RefusalReason::UnknownHandle(dead)));
    assert_eq!(game.sim.set_duration(dead, None), Err(RefusalReason::UnknownHandle(dead)));
    assert_eq!(game.sim.set_level(dead, 2.0).unwrap_err().code(), "UnknownHandle");
    assert_eq!(game.current("hero", "Attack"), 110.0);
}

/// An effect with different expiration effects for a regular and a premature end.
fn with_last_words() -> Game {
    let mut effect = EffectDef::lasting("GE", 5.0);
    effect.expiration_effects.routine.push("GE_Routine".into());
    effect.expiration_effects.premature.push("GE_Premature".into());
    effect.expiration_effects.always.push("GE_Always".into());
    let mut game = Game::of([
        effect,
        instant("GE_Routine", "Mana", Operation::Add, 1.0),
        instant("GE_Premature", "Mana", Operation::Add, 10.0),
        instant("GE_Always", "Mana", Operation::Add, 100.0),
    ]);
    game.apply("GE", "wolf", "hero");
    game.events();
    game
}

#[test]
fn e10_expiration_effects_of_a_routine_end() {
    let mut game = with_last_words();
    game.pass(5.0);
    assert_eq!(game.base("hero", "Mana"), 151.0);
    let routine = game.effect("GE_Routine");
    let events = game.events();
    let event = events.iter().find(|event| event.cause.effect == Some(routine)).unwrap();
    assert_eq!(event.cause.source, Some(game.id("wolf")));
}

#[test]
fn e10_expiration_effects_of_a_premature_end() {
    let mut game = with_last_words();
    let removed = game.sim.remove_from_source(game.id("hero"), game.id("wolf"));
    assert_eq!((removed, game.base("hero", "Mana")), (1, 160.0));
}

#[test]
fn e10_no_expiration_effects_when_the_target_despawns() {
    let mut game = with_last_words();
    game.sim.despawn(game.id("hero")).unwrap();
    let log = game.log();
    assert!(log.contains(&"removed GE TargetGone".to_owned()));
    assert!(!log.iter().any(|line| line.starts_with("executed") || line.starts_with("refused")), "{log:?}");
}

#[test]
fn e10_removing_one_stack_does_not_end_the_effect() {
    let mut effect = EffectDef::infinite("GE").stacking(StackingDef::by_target(0));
    effect.expiration_effects.always.push("GE_Always".into());
    let mut game = Game::of([effect, instant("GE_Always", "Mana", Operation::Add, 1.0)]);
    let active = game.activate("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    game.sim.remove(active, Stacks::Count(1)).unwrap();
    assert_eq!(game.base("hero", "Mana"), 50.0);
    game.sim.remove(active, Stacks::Count(1)).unwrap();
    assert_eq!(game.base("hero", "Mana"), 51.0);
}

/// Three effects that differ in every criterion.
fn assorted() -> Game {
    let mut game = Game::of([
        buff("GE_Fire", "Attack", Operation::Add, 1.0).tagged("Kind.Fire.Hot"),
        buff("GE_Ice", "Speed", Operation::Add, 1.0).granting("Kind.Ice"),
        tagging("Race.Wolf"),
    ]);
    game.apply("Tag:Race.Wolf", "wolf", "wolf");
    game.apply("GE_Fire", "hero", "hero");
    game.apply("GE_Ice", "wolf", "hero");
    let context = EffectContext::of(game.id("wolf")).from_object(ActorId(77));
    let spec = game.sim.spec(game.effect("GE_Fire"), 1.0, context).unwrap().tagged(game.tag("Kind.Ice"));
    game.apply_spec(&spec, "hero");
    game
}

#[test]
fn e10_queries_select_by_every_criterion() {
    let game = assorted();
    let all = game.sim.controller(game.id("hero")).unwrap().effects().to_vec();
    let select = |query: EffectQuery| {
        let matching = game.sim.effects_matching(game.id("hero"), &query);
        matching.map(|id| all.iter().position(|other| *other == id).unwrap()).collect::<Vec<_>>()
    };
    let tagged = |name: &str| EffectQuery::tagged(TagQuery::any([game.tag(name)]));
    assert_eq!(select(EffectQuery::default()), [0, 1, 2]);
    assert_eq!(select(EffectQuery::of(game.effect("GE_Fire"))), [0, 2]);
    assert_eq!(select(EffectQuery::from_source(game.id("wolf"))), [1, 2]);
    assert_eq!(select(tagged("Kind.Fire")), [0, 2]);
    assert_eq!(select(tagged("Kind.Ice")), [1, 2]);
    assert_eq!(select(EffectQuery { source_object: Some(ActorId(77)), ..Default::default() }), [2]);
    let by_source_tags = TagQuery::all([game.tag("Race.Wolf")]);
    assert_eq!(select(EffectQuery { source_tags: by_source_tags, ..Default::default() }), [1, 2]);
    assert_eq!(select(EffectQuery { modifies: Some(game.attribute("Speed")), ..Default::default() }), [1]);
    assert_eq!(select(EffectQuery { ignore: [all[0]].into_iter().collect(), ..tagged("Kind.Fire") }), [2]);
    let none = EffectQuery { source: Some(game.id("hero")), ..tagged("Kind.Ice") };
    assert_eq!(select(none), [0; 0]);
}

#[test]
fn e10_removal_by_query_and_by_source_returns_the_number() {
    let mut game = assorted();
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let fire = EffectQuery::of(game.effect("GE_Fire"));
    assert_eq!(game.sim.remove_matching(hero, &fire, Stacks::All), 2);
    assert_eq!(game.sim.remove_matching(hero, &fire, Stacks::All), 0);
    assert_eq!(game.sim.remove_from_source(hero, wolf), 1);
    assert_eq!(game.sim.controller(hero).unwrap().effects(), []);
    game.sim.despawn(wolf).unwrap();
    assert_eq!(game.sim.remove_from_source(wolf, hero), 0);
}

#[test]
fn e10_removal_by_query_also_ends_dependent_effects_once() {
    // Removing the first takes the tag away that the second needs; it is removed in its turn, once.
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 1.0), tagging("State.X")]);
    for _ in 0..5 {
        game.apply("GE", "hero", "hero");
    }
    game.apply("Tag:State.X", "hero", "hero");
    assert_eq!(game.sim.remove_matching(game.id("hero"), &EffectQuery::default(), Stacks::All), 6);
    assert_eq!((game.current("hero", "Attack"), game.has_tag("hero", "State.X")), (100.0, false));
}

#[test]
fn e10_removal_of_a_whole_queue_leaves_nothing_running() {
    let mut game = Game::of([EffectDef::infinite("GE")
        .modify("Attack", Operation::Add, 1.0)
        .policy(ExecutionPolicy::RunInSequence)]);
    for _ in 0..3 {
        game.apply("GE", "hero", "hero");
    }
    assert_eq!(game.sim.remove_matching(game.id("hero"), &EffectQuery::default(), Stacks::All), 3);
    assert_eq!(game.current("hero", "Attack"), 100.0);
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().effects(), []);
}

#[test]
fn cooldown_display_shows_the_longest_effect_that_grants_the_tag() {
    let mut game = Game::of([
        EffectDef::lasting("GE_Short", 3.0).granting("Cooldown.Fire"),
        EffectDef::lasting("GE_Long", 8.0).granting("Cooldown.Fire.Ball"),
        EffectDef::infinite("GE_Forever").granting("Cooldown.Fire"),
        EffectDef::lasting("GE_Described", 99.0).tagged("Cooldown.Fire"),
        EffectDef::lasting("GE_Ice", 50.0).granting("Cooldown.Ice"),
    ]);
    let hero = game.id("hero");
    let fire = [game.tag("Cooldown.Fire")];
    assert_eq!(game.sim.cooldown(hero, &fire), None);
    game.apply("GE_Described", "hero", "hero");
    assert_eq!(game.sim.cooldown(hero, &fire), None);
    game.apply("GE_Forever", "hero", "hero");
    game.apply("GE_Short", "hero", "hero");
    game.apply("GE_Ice", "hero", "hero");
    game.pass(1.0);
    assert_eq!(game.sim.cooldown(hero, &fire), Some((Span::seconds(2.0), Span::seconds(3.0))));
    game.apply("GE_Long", "hero", "hero");
    assert_eq!(game.sim.cooldown(hero, &fire), Some((Span::seconds(8.0), Span::seconds(8.0))));
    game.pass(8.0);
    assert_eq!(game.sim.cooldown(hero, &fire), None);
    assert_eq!(game.sim.cooldown(hero, &[]), None);
}
