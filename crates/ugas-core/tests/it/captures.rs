//! Frozen and live captures (E8).

use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::modifier::Operation;
use ugas_core::simulation::Stacks;

use crate::fixture::{Game, buff, instant, tagging};

fn game_with(magnitude: MagnitudeDef) -> Game {
    Game::of([
        EffectDef::infinite("GE").modify("Attack", Operation::Override, magnitude),
        instant("GE_Train", "Strength", Operation::Add, 10.0),
        buff("GE_Might", "Strength", Operation::Multiply, 1.0),
    ])
}

#[test]
fn e8_a_live_modifier_follows_its_source() {
    let mut game = game_with(MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0));
    let active = game.activate("GE", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 50.0);
    game.apply("GE_Train", "wolf", "wolf");
    assert_eq!(game.current("hero", "Attack"), 60.0);
    let might = game.activate("GE_Might", "wolf", "wolf");
    assert_eq!(game.current("hero", "Attack"), 120.0);
    assert_eq!(game.active(active).magnitudes(), [120.0]);
    game.sim.remove(might, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Attack"), 60.0);
}

#[test]
fn e8_source_is_captured_when_the_spec_is_created() {
    for magnitude in [
        MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0),
        MagnitudeDef::expression("Source.Strength"),
    ] {
        let mut game = game_with(magnitude.frozen());
        let spec = game.spec("GE", "wolf");
        game.apply("GE_Train", "wolf", "wolf");
        game.apply_spec(&spec, "hero");
        assert_eq!(game.current("hero", "Attack"), 50.0);
        game.apply("GE_Train", "wolf", "wolf");
        assert_eq!(game.current("hero", "Attack"), 50.0);
    }
}

#[test]
fn e8_the_target_is_frozen_when_the_spec_is_applied() {
    for magnitude in [
        MagnitudeDef::attribute(CaptureFrom::Target, "Strength", 1.0),
        MagnitudeDef::expression("Target.Strength"),
    ] {
        let mut game = game_with(magnitude.frozen());
        let spec = game.spec("GE", "wolf");
        game.apply("GE_Train", "hero", "hero");
        game.apply_spec(&spec, "hero");
        assert_eq!(game.current("hero", "Attack"), 60.0);
        game.apply("GE_Train", "hero", "hero");
        assert_eq!(game.current("hero", "Attack"), 60.0);
    }
}

#[test]
fn e8_a_frozen_spec_outlives_its_source() {
    let mut game = game_with(MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0).frozen());
    let spec = game.spec("GE", "wolf");
    game.sim.despawn(game.id("wolf")).unwrap();
    game.apply_spec(&spec, "hero");
    assert_eq!(game.current("hero", "Attack"), 50.0);
}

#[test]
fn e8_a_live_modifier_keeps_the_last_value_of_a_source_that_is_gone() {
    let mut game = game_with(MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0));
    game.apply("GE_Might", "wolf", "wolf");
    game.apply("GE", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 100.0);
    game.sim.despawn(game.id("wolf")).unwrap(); // its own buff goes first, and does not count
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn e8_a_live_expression_follows_tags() {
    let magnitude = MagnitudeDef::expression("if(Source.HasTag(\"State.Angry\"), 7, 3)");
    let mut game = Game::of([
        EffectDef::infinite("GE").modify("Attack", Operation::Override, magnitude),
        tagging("State.Angry"),
    ]);
    game.apply("GE", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 3.0);
    game.apply("Tag:State.Angry", "wolf", "wolf");
    assert_eq!(game.current("hero", "Attack"), 7.0);
}

#[test]
fn e8_a_chain_of_live_modifiers_over_two_controllers_settles() {
    // Attack of the hero follows Strength of the wolf, and Strength of the hero follows Attack of the hero.
    let follow = |name: &str, from, of: &str, attribute: &str| {
        EffectDef::infinite(name).modify(
            attribute,
            Operation::Override,
            MagnitudeDef::attribute(from, of, 1.0),
        )
    };
    let mut game = Game::of([
        follow("GE_One", CaptureFrom::Source, "Strength", "Attack"),
        follow("GE_Two", CaptureFrom::Target, "Attack", "Strength"),
        instant("GE_Train", "Strength", Operation::Add, 25.0),
    ]);
    game.apply("GE_Two", "hero", "hero");
    game.apply("GE_One", "wolf", "hero");
    game.events();
    game.apply("GE_Train", "wolf", "wolf");
    assert_eq!((game.current("hero", "Attack"), game.current("hero", "Strength")), (75.0, 75.0));
    assert_eq!(
        game.log(),
        ["executed GE_Train", "wolf.Strength 50 -> 75", "hero.Attack 50 -> 75", "hero.Strength 50 -> 75",]
    );
}

#[test]
fn e8_a_live_magnitude_follows_the_other_modifiers_of_its_own_effect() {
    let effect = EffectDef::infinite("GE").modify("Strength", Operation::Add, 10.0).modify(
        "Attack",
        Operation::Override,
        MagnitudeDef::expression("Target.Strength"),
    );
    let mut game = Game::of([effect]);
    game.apply("GE", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 60.0);
}

#[test]
fn e8_an_inhibited_effect_with_live_magnitudes_may_follow_itself_from_the_start() {
    let mut effect = EffectDef::infinite("GE")
        .granting("State.Given")
        .modify("Strength", Operation::Add, 10.0)
        .modify("Attack", Operation::Override, MagnitudeDef::expression("Target.Strength"));
    effect.ongoing_required_tags.push("State.Needed".into());
    let mut game = Game::of([effect, tagging("State.Needed")]);
    game.apply("GE", "wolf", "hero");
    assert_eq!(game.log(), ["applied GE"]);
    game.apply("Tag:State.Needed", "hero", "hero");
    assert_eq!((game.current("hero", "Attack"), game.has_tag("hero", "State.Given")), (60.0, true));
}

#[test]
fn e8_a_tick_reads_live_values_each_time_and_frozen_ones_never_again() {
    let bleed = |name: &str, magnitude: MagnitudeDef| {
        EffectDef::infinite(name).every(1.0).modify("Health", Operation::Add, magnitude)
    };
    let strength = || MagnitudeDef::attribute(CaptureFrom::Source, "Strength", -0.1);
    let mut game = Game::of([
        bleed("GE_Live", strength()),
        bleed("GE_Frozen", strength().frozen()),
        instant("GE_Train", "Strength", Operation::Add, 50.0),
    ]);
    game.spawn("victim", "Unit");
    game.apply("GE_Live", "wolf", "hero");
    game.apply("GE_Frozen", "wolf", "victim");
    game.pass(1.0);
    game.apply("GE_Train", "wolf", "wolf");
    game.pass(1.0);
    assert_eq!((game.base("hero", "Health"), game.base("victim", "Health")), (85.0, 90.0)); // −5 −10, −5 −5
}

#[test]
fn e8_a_live_magnitude_rolls_its_dice_once() {
    let magnitude = MagnitudeDef::expression("Source.Strength + rand()");
    let mut game = game_with(magnitude);
    game.apply("GE", "wolf", "hero");
    let roll = game.current("hero", "Attack") - 50.0;
    game.apply("GE_Train", "wolf", "wolf");
    crate::fixture::assert_close(game.current("hero", "Attack"), 60.0 + roll);
}
