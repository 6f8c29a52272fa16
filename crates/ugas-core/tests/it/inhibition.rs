//! Inhibition by ongoing requirements (E7): withdrawn grants, running clocks, and periods.

use ugas_core::ability::AbilityDef;
use ugas_core::effect::{AbilityGrantDef, EffectDef, PeriodicInhibition};
use ugas_core::modifier::Operation;
use ugas_core::simulation::Stacks;
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, tagging};

#[test]
fn e7_modifiers_tags_abilities_and_cues_are_withdrawn_and_the_clock_runs_on() {
    let mut effect = EffectDef::lasting("GE", 10.0)
        .modify("Attack", Operation::Add, 10.0)
        .granting("State.Blessed")
        .cue("GameplayCue.Glow");
    effect.granted_abilities.push(AbilityGrantDef::new("GA_Smite"));
    effect.ongoing_blocked_tags.push("State.Silenced".into());
    let mut game = Game::build(|builder| {
        builder.ability(AbilityDef::new("GA_Smite")).effect(effect).effect(tagging("State.Silenced"))
    });
    let active = game.activate("GE", "hero", "hero");
    let hero = game.id("hero");
    let abilities = |game: &Game| game.sim.controller(hero).unwrap().abilities().len();
    assert_eq!(abilities(&game), 1);
    game.events();
    let silenced = game.activate("Tag:State.Silenced", "wolf", "hero");
    assert_eq!(
        game.log(),
        [
            "applied Tag:State.Silenced",
            "hero +State.Silenced",
            "inhibited",
            "hero -State.Blessed",
            "AbilityRevoked",
            "hero.Attack 110 -> 100",
            "cue -GameplayCue.Glow",
        ]
    );
    assert!(game.active(active).is_inhibited());
    assert_eq!((game.current("hero", "Attack"), abilities(&game)), (100.0, 0));
    game.pass(4.0);
    assert_eq!(game.active(active).remaining(game.sim.now()), Some(Span::seconds(6.0)));
    game.sim.remove(silenced, Stacks::All).unwrap();
    assert!(!game.active(active).is_inhibited() && game.has_tag("hero", "State.Blessed"));
    assert_eq!((game.current("hero", "Attack"), abilities(&game)), (110.0, 1));
    game.pass(6.0);
    assert!(game.sim.effect(active).is_none());
}

#[test]
fn e7_effect_can_begin_and_end_inhibited() {
    let mut effect = EffectDef::lasting("GE", 2.0).modify("Attack", Operation::Add, 10.0).granting("State.A");
    effect.ongoing_required_tags.push("State.Needed".into());
    let mut game = Game::of([effect, tagging("State.Needed")]);
    let active = game.activate("GE", "hero", "hero");
    assert!(game.active(active).is_inhibited());
    assert_eq!(game.current("hero", "Attack"), 100.0);
    game.pass(2.0);
    assert_eq!(game.log(), ["applied GE", "removed GE Expired"]);
    game.activate("GE", "hero", "hero");
    game.apply("Tag:State.Needed", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 110.0);
}

#[test]
fn e7_effect_that_ends_while_inhibited_withdraws_nothing_twice() {
    let mut effect = EffectDef::lasting("GE", 2.0).granting("State.A").cue("GameplayCue.A");
    effect.ongoing_blocked_tags.push("State.Stop".into());
    let mut game = Game::of([
        effect,
        tagging("State.Stop"),
        EffectDef::infinite("GE_Other").granting("State.A").cue("GameplayCue.A"),
    ]);
    game.apply("GE_Other", "hero", "hero");
    game.apply("GE", "hero", "hero");
    game.apply("Tag:State.Stop", "hero", "hero");
    game.events();
    game.pass(2.0);
    assert_eq!(game.log(), ["removed GE Expired"]);
    let tags = game.sim.tags(game.id("hero")).unwrap();
    assert_eq!(tags.count(game.tag("State.A")), 1);
}

/// One damage a second for ever, stopped from 1.5 s to 3.7 s.
fn paused(rule: PeriodicInhibition) -> Game {
    let mut effect = EffectDef::infinite("GE").every(1.0).modify("Health", Operation::Add, -1.0);
    effect.ongoing_blocked_tags.push("State.Stop".into());
    effect.periodic_inhibition = rule;
    let mut game = Game::of([effect, tagging("State.Stop")]);
    game.apply("GE", "hero", "hero");
    game.pass(1.5);
    let stop = game.activate("Tag:State.Stop", "hero", "hero");
    game.pass(2.2);
    assert_eq!(game.base("hero", "Health"), 99.0);
    game.events();
    game.sim.remove(stop, Stacks::All).unwrap();
    game.pass(2.0); // until 5.7 s
    game
}

fn tick_times(game: &mut Game) -> Vec<Time> {
    let events = game.events();
    let ticks = events.iter().filter(|event| event.kind.name() == "EffectExecuted");
    ticks.map(|event| event.time).collect()
}

#[test]
fn e7_never_reset_keeps_the_phase() {
    assert_eq!(tick_times(&mut paused(PeriodicInhibition::NeverReset)), [4.0, 5.0].map(Time::from_seconds));
}

#[test]
fn e7_reset_restarts_the_period() {
    assert_eq!(tick_times(&mut paused(PeriodicInhibition::Reset)), [4.7, 5.7].map(Time::from_seconds));
}

#[test]
fn e7_execute_and_reset_ticks_at_once_as_well() {
    assert_eq!(
        tick_times(&mut paused(PeriodicInhibition::ExecuteAndReset)),
        [3.7, 4.7, 5.7].map(Time::from_seconds)
    );
}

#[test]
fn e7_remove_on_tags_also_removes_inhibited_effects() {
    let mut effect = buff("GE", "Attack", Operation::Add, 10.0);
    effect.ongoing_required_tags.push("State.Needed".into());
    effect.remove_on_tags.push("State.Purged".into());
    let mut game = Game::of([effect, tagging("State.Purged"), tagging("State.Needed")]);
    let active = game.activate("GE", "hero", "hero");
    game.apply("Tag:State.Purged", "hero", "hero");
    assert!(game.sim.effect(active).is_none());
    assert!(game.log().contains(&"removed GE RemovedByTag".to_owned()));
}

#[test]
fn e7_one_effect_may_inhibit_another_in_a_chain() {
    // A blocks B, and B blocks C: with A, C lives.
    let blocked = |name: &str, grants: &str, by: &str| {
        let mut effect = EffectDef::infinite(name).granting(grants);
        effect.ongoing_blocked_tags.push(by.into());
        effect
    };
    let mut game = Game::of([
        tagging("State.A"),
        blocked("GE_B", "State.B", "State.A"),
        blocked("GE_C", "State.C", "State.B").modify("Attack", Operation::Add, 1.0),
    ]);
    game.apply("GE_C", "hero", "hero");
    game.apply("GE_B", "hero", "hero");
    assert_eq!((game.has_tag("hero", "State.C"), game.current("hero", "Attack")), (false, 100.0));
    let a = game.activate("Tag:State.A", "hero", "hero");
    assert_eq!((game.has_tag("hero", "State.C"), game.current("hero", "Attack")), (true, 101.0));
    game.sim.remove(a, Stacks::All).unwrap();
    assert_eq!((game.has_tag("hero", "State.C"), game.current("hero", "Attack")), (false, 100.0));
}
