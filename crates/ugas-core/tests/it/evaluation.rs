//! Evaluation under other circumstances (UEM, "FAggregatorEvaluateParameters", "Aggregator Snapshots"): parameters,
//! batches and aggregator snapshots.

use ugas_core::effect::magnitude::{AttributeCalculation, CaptureFrom, MagnitudeDef};
use ugas_core::effect::{EffectDef, PredictionKey};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::{EvaluationParameters, Stacks};
use ugas_core::tag::{TagBits, TagSet};

use crate::fixture::{Game, buff, instant, tagging};

fn attack_with(game: &Game, parameters: &EvaluationParameters) -> f64 {
    game.sim.evaluate(game.id("hero"), game.attribute("Attack"), parameters).unwrap()
}

fn conditional() -> Game {
    let effect = EffectDef::infinite("GE")
        .modify("Attack", Operation::Add, 1.0)
        .with(ModifierDef::new("Attack", Operation::Add, 10.0).while_target_has("State.Wet"))
        .with(ModifierDef::new("Attack", Operation::Add, 100.0).while_source_has("State.Angry"));
    let mut game = Game::of([effect, tagging("State.Wet.Soaked"), tagging("State.Angry")]);
    game.apply("GE", "wolf", "hero");
    game
}

#[test]
fn parameters_by_default_give_the_current_value() {
    let game = conditional();
    assert_eq!(attack_with(&game, &EvaluationParameters::default()), game.current("hero", "Attack"));
}

#[test]
fn parameters_extra_tags_count_with_their_ancestors_and_change_nothing() {
    let game = conditional();
    let closed = |name: &str| TagBits::closed(game.sim.catalog().tags(), [game.tag(name)]);
    let hash = game.sim.state_hash();
    let wet = EvaluationParameters { extra_target_tags: closed("State.Wet.Soaked"), ..Default::default() };
    assert_eq!(attack_with(&game, &wet), 111.0);
    let angry = EvaluationParameters { extra_source_tags: closed("State.Angry"), ..wet };
    assert_eq!(attack_with(&game, &angry), 211.0);
    assert_eq!((game.current("hero", "Attack"), game.sim.state_hash()), (101.0, hash));
}

#[test]
fn parameters_ignored_effects_do_not_count() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 10.0)]);
    let first = game.activate("GE", "hero", "hero");
    game.apply("GE", "hero", "hero");
    let without =
        EvaluationParameters { ignored_effects: [first].into_iter().collect(), ..Default::default() };
    assert_eq!(attack_with(&game, &without), 110.0);
}

#[test]
fn parameters_up_to_a_layer_leave_out_later_layers_and_the_bounds() {
    let layered = EffectDef::infinite("GE")
        .modify("Health", Operation::Add, 50.0)
        .with(ModifierDef::new("Health", Operation::Multiply, 1.0).layer(2));
    let mut game = Game::of([layered]);
    game.apply("GE", "hero", "hero");
    let up_to = |up_to_layer| {
        let parameters = EvaluationParameters { up_to_layer, ..Default::default() };
        game.sim.evaluate(game.id("hero"), game.attribute("Health"), &parameters).unwrap()
    };
    assert_eq!([up_to(0), up_to(1), up_to(2), up_to(9)], [150.0, 150.0, 300.0, 100.0]);
}

#[test]
fn parameters_tag_filters_select_by_effect_source_and_target() {
    let mut game = Game::of([
        buff("GE_Gear", "Attack", Operation::Add, 1.0).tagged("Item.Gear"),
        buff("GE_Song", "Attack", Operation::Add, 10.0),
        tagging("Class.Bard"),
        tagging("Class.Knight"),
    ]);
    game.apply("Tag:Class.Bard", "wolf", "wolf");
    game.apply("GE_Gear", "hero", "hero");
    game.apply("GE_Song", "wolf", "hero");
    let filter = |name: &str| TagSet::new([game.tag(name)]);
    let source = |name| EvaluationParameters { source_tag_filter: filter(name), ..Default::default() };
    assert_eq!(attack_with(&game, &source("Item")), 101.0);
    assert_eq!(attack_with(&game, &source("Class.Bard")), 110.0);
    let target = EvaluationParameters { target_tag_filter: filter("Class.Knight"), ..Default::default() };
    assert_eq!(attack_with(&game, &target), 100.0);
}

#[test]
fn parameters_tag_filters_see_the_tags_that_a_spec_adds() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 1.0), tagging("Item.Gear")]);
    let spec = game.spec("GE", "hero").tagged(game.tag("Item.Gear"));
    game.apply_spec(&spec, "hero");
    game.apply("GE", "hero", "hero");
    let gear = EvaluationParameters {
        source_tag_filter: TagSet::new([game.tag("Item.Gear")]),
        ..Default::default()
    };
    assert_eq!(attack_with(&game, &gear), 101.0);
}

#[test]
fn parameters_predicted_modifiers_can_be_left_out() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 10.0)]);
    let spec = game.spec("GE", "hero").predicted(PredictionKey(1));
    game.apply_spec(&spec, "hero");
    assert_eq!(game.current("hero", "Attack"), 110.0);
    let confirmed = EvaluationParameters { include_predicted: false, ..Default::default() };
    assert_eq!(attack_with(&game, &confirmed), 100.0);
}

#[test]
fn parameters_on_what_is_not_there_give_none() {
    let mut game = Game::of([]);
    let (wolf, attack) = (game.id("wolf"), game.attribute("Attack"));
    let capture = game.sim.capture(wolf, attack).unwrap();
    game.sim.despawn(wolf).unwrap();
    let parameters = EvaluationParameters::default();
    assert_eq!(game.sim.evaluate(wolf, attack, &parameters), None);
    assert!(game.sim.capture(wolf, attack).is_none());
    assert_eq!(game.sim.evaluate_capture(&capture, &parameters), None);
}

#[test]
fn aggregator_snapshot_keeps_removed_modifiers_and_ignores_new_ones() {
    let mut game = Game::of([
        buff("GE_Ten", "Attack", Operation::Add, 10.0),
        buff("GE_Double", "Attack", Operation::Multiply, 1.0),
        instant("GE_Train", "Attack", Operation::Add, 1.0),
    ]);
    let ten = game.activate("GE_Ten", "hero", "hero");
    let capture = game.sim.capture(game.id("hero"), game.attribute("Attack")).unwrap();
    game.sim.remove(ten, Stacks::All).unwrap();
    game.apply("GE_Double", "hero", "hero");
    game.apply("GE_Train", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 202.0);
    assert_eq!(game.sim.evaluate_capture(&capture, &EvaluationParameters::default()), Some(110.0));
    assert_eq!((capture.base(), capture.attribute()), (100.0, game.attribute("Attack")));
}

#[test]
fn aggregator_snapshot_checks_tags_at_evaluation() {
    let mut game = conditional();
    let capture = game.sim.capture(game.id("hero"), game.attribute("Attack")).unwrap();
    game.apply("Tag:State.Wet.Soaked", "hero", "hero");
    assert_eq!(game.sim.evaluate_capture(&capture, &EvaluationParameters::default()), Some(111.0));
}

#[test]
fn a_batch_reads_stale_values_fresh_tags_and_recalculates_once() {
    let mut game = Game::of([
        buff("GE_Ten", "Attack", Operation::Add, 10.0),
        buff("GE_Double", "Attack", Operation::Multiply, 1.0).granting("State.Doubled"),
        instant("GE_Hit", "Health", Operation::Add, -30.0),
    ]);
    let (hero, attack, health) = (game.id("hero"), game.attribute("Attack"), game.attribute("Health"));
    let doubled = game.tag("State.Doubled");
    let effects = ["GE_Ten", "GE_Double", "GE_Hit"].map(|name| game.effect(name));
    game.sim.batch(|sim| {
        for effect in effects {
            sim.apply_effect(effect, None, hero).unwrap();
        }
        assert_eq!((sim.current(hero, attack), sim.current(hero, health)), (Some(100.0), Some(100.0)));
        assert!(sim.has_tag(hero, doubled));
    });
    assert_eq!((game.current("hero", "Attack"), game.current("hero", "Health")), (220.0, 70.0));
    assert_eq!(game.count("AttributeChanged"), 2);
}

#[test]
fn a_batch_inside_a_batch_waits_for_the_outer_one() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 10.0)]);
    let (hero, attack, effect) = (game.id("hero"), game.attribute("Attack"), game.effect("GE"));
    game.sim.batch(|sim| {
        sim.batch(|sim| sim.apply_effect(effect, None, hero).unwrap());
        assert_eq!(sim.current(hero, attack), Some(100.0));
    });
    assert_eq!(game.current("hero", "Attack"), 110.0);
}

#[test]
fn batch_without_net_change_emits_no_event() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 10.0)]);
    let (hero, effect) = (game.id("hero"), game.effect("GE"));
    game.sim.batch(|sim| {
        let active = sim.apply_effect(effect, None, hero).unwrap().active().unwrap();
        sim.remove(active, Stacks::All).unwrap();
    });
    assert_eq!(game.count("AttributeChanged"), 0);
}

#[test]
fn a_batch_is_settled_before_time_passes() {
    let mut game = Game::of([EffectDef::lasting("GE", 1.0).modify("Attack", Operation::Add, 10.0)]);
    let (hero, attack, effect) = (game.id("hero"), game.attribute("Attack"), game.effect("GE"));
    game.sim.batch(|sim| {
        sim.apply_effect(effect, None, hero).unwrap();
        sim.advance(ugas_core::time::Span::seconds(0.5));
        assert_eq!(sim.current(hero, attack), Some(110.0));
    });
    game.pass(0.5);
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn attribute_based_magnitudes_read_current_base_bonus_or_up_to_a_layer() {
    let reading = |name: &str, calculation| {
        let MagnitudeDef::Attribute(mut magnitude) =
            MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0)
        else {
            unreachable!("it is attribute based")
        };
        magnitude.calculation = calculation;
        EffectDef::infinite(name).modify("Attack", Operation::Override, MagnitudeDef::Attribute(magnitude))
    };
    // Strength: 50, + 10 in layer 0, × 2 in layer 1: 120.
    let might = EffectDef::infinite("GE_Might")
        .modify("Strength", Operation::Add, 10.0)
        .with(ModifierDef::new("Strength", Operation::Multiply, 1.0).layer(1));
    let cases = [
        ("GE_Current", AttributeCalculation::Current, 120.0),
        ("GE_Base", AttributeCalculation::Base, 50.0),
        ("GE_Bonus", AttributeCalculation::Bonus, 70.0),
        ("GE_UpTo0", AttributeCalculation::UpToLayer(0), 60.0),
    ];
    let mut game =
        Game::of(cases.iter().map(|(name, calculation, _)| reading(name, *calculation)).chain([might]));
    game.apply("GE_Might", "wolf", "wolf");
    for (name, _, expected) in cases {
        game.apply(name, "wolf", "hero");
        assert_eq!(game.current("hero", "Attack"), expected, "{name}");
    }
}
