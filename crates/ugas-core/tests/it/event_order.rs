//! The order of the event stream of one application (E1): values, then cues, then additional effects.

use ugas_core::ability::AbilityDef;
use ugas_core::effect::{AdditionalEffectDef, EffectDef};
use ugas_core::modifier::Operation;

use crate::fixture::{Game, instant};

#[test]
fn instant_effect_emits_values_before_cues_before_additional_effects() {
    let mut hit = instant("GE_Hit", "Health", Operation::Add, -10.0).cue("GameplayCue.Hit");
    hit.additional_effects.push(AdditionalEffectDef::new("GE_More"));
    let more = instant("GE_More", "Health", Operation::Add, -1.0).cue("GameplayCue.More");
    let mut game = Game::of([hit, more]);
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(
        game.log(),
        [
            "executed GE_Hit",
            "hero.Health 100 -> 90",
            "cue !GameplayCue.Hit",
            "executed GE_More",
            "hero.Health 90 -> 89",
            "cue !GameplayCue.More",
        ]
    );
}

#[test]
fn active_effect_emits_tags_before_values_before_cues() {
    let buff = EffectDef::infinite("GE_Buff")
        .modify("Attack", Operation::Add, 10.0)
        .granting("State.Buffed")
        .cue("GameplayCue.Glow");
    let mut game = Game::of([buff]);
    let active = game.activate("GE_Buff", "wolf", "hero");
    assert_eq!(
        game.log(),
        [
            "applied GE_Buff",
            "hero +State.Buffed",
            "hero +State",
            "hero.Attack 100 -> 110",
            "cue +GameplayCue.Glow"
        ]
    );
    game.sim.remove(active, ugas_core::simulation::Stacks::All).unwrap();
    assert_eq!(
        game.log(),
        [
            "removed GE_Buff Removed",
            "hero -State.Buffed",
            "hero -State",
            "hero.Attack 110 -> 100",
            "cue -GameplayCue.Glow"
        ]
    );
}

#[test]
fn tick_emits_values_before_cues() {
    let mut game = Game::of([EffectDef::lasting("GE_Burn", 1.0)
        .every(1.0)
        .modify("Health", Operation::Add, -5.0)
        .cue("GameplayCue.Burn")]);
    game.apply("GE_Burn", "wolf", "hero");
    game.log();
    game.pass(1.0);
    assert_eq!(
        game.log(),
        [
            "executed GE_Burn",
            "hero.Health 100 -> 95",
            "cue !GameplayCue.Burn",
            "removed GE_Burn Expired",
            "cue -GameplayCue.Burn",
        ]
    );
}

#[test]
fn batch_emits_all_values_before_all_cues() {
    let mut game = Game::of([instant("GE_Hit", "Health", Operation::Add, -10.0).cue("GameplayCue.Hit")]);
    let (hit, hero, wolf) = (game.effect("GE_Hit"), game.id("hero"), game.id("wolf"));
    game.log();
    game.sim.batch(|sim| {
        sim.apply_effect(hit, None, hero).unwrap();
        sim.apply_effect(hit, None, wolf).unwrap();
    });
    assert_eq!(
        game.log(),
        [
            "executed GE_Hit",
            "executed GE_Hit",
            "hero.Health 100 -> 90",
            "wolf.Health 100 -> 90",
            "cue !GameplayCue.Hit",
            "cue !GameplayCue.Hit",
        ]
    );
}

#[test]
fn commit_emits_the_cost_before_ability_committed() {
    let mut ability = AbilityDef::new("GA_Cast");
    ability.cost = Some("GE_Cost".into());
    let mut game = Game::build(|builder| {
        builder.effect(instant("GE_Cost", "Health", Operation::Add, -10.0)).ability(ability)
    });
    let (hero, cast) = (game.id("hero"), game.sim.catalog().ability("GA_Cast").unwrap());
    let handle = game.sim.grant(hero, cast, 1).unwrap();
    game.events();
    game.sim.activate(handle).unwrap();
    let names: Vec<&str> = game.events().iter().map(|event| event.kind.name()).collect();
    let at = |name: &str| names.iter().position(|known| *known == name).unwrap();
    assert!(at("AttributeChanged") < at("AbilityCommitted"), "{names:?}");
}
