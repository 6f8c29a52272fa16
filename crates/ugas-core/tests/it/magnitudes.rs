//! Magnitudes (§9.4.2): curves, levels, filters, expressions.

use ugas_core::curve::{CurveDef, Interpolation};
use ugas_core::effect::magnitude::{AttributeMagnitudeDef, CaptureFrom, MagnitudeDef};
use ugas_core::effect::{EffectContext, EffectDef};
use ugas_core::modifier::Operation;

use crate::fixture::{Game, buff, tagging};

fn damage_curve() -> CurveDef {
    CurveDef {
        name: "Damage".into(),
        points: vec![(1.0, 10.0), (3.0, 30.0), (5.0, 100.0)],
        interpolation: Interpolation::Linear,
    }
}

fn scaled(value: Option<f64>, input: Option<&str>) -> EffectDef {
    let magnitude =
        MagnitudeDef::Scalable { value, curve: Some("Damage".into()), curve_input: input.map(str::to_owned) };
    EffectDef::infinite("GE").modify("Mana", Operation::Override, magnitude)
}

/// Mana under an effect of this level.
fn mana_at(effect: EffectDef, level: f64) -> f64 {
    let mut game = Game::build(|builder| builder.curve(damage_curve()).effect(effect));
    let spec = game.sim.spec(game.effect("GE"), level, EffectContext::of(game.id("hero"))).unwrap();
    game.apply_spec(&spec, "hero");
    game.current("hero", "Mana")
}

#[test]
fn section_9_4_2_a_curve_is_looked_up_by_level() {
    for (level, expected) in [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0), (4.0, 65.0), (9.0, 100.0), (-1.0, 10.0)]
    {
        assert_eq!(mana_at(scaled(None, None), level), expected);
        assert_eq!(mana_at(scaled(None, Some("Level")), level), expected);
    }
}

#[test]
fn extension_a_value_scales_the_curve_and_the_input_may_be_an_expression() {
    assert_eq!(mana_at(scaled(Some(2.0), None), 2.0), 40.0);
    // Strength 50 / 25 = 2, whatever the level.
    assert_eq!(mana_at(scaled(None, Some("Source.Strength / 25")), 9.0), 20.0);
}

#[test]
fn extension_an_attribute_may_be_looked_up_in_a_curve_before_the_coefficient() {
    let magnitude = MagnitudeDef::Attribute(Box::new(AttributeMagnitudeDef {
        curve: Some("Damage".into()),
        pre_add: -50.0,
        coefficient: 2.0,
        ..attribute_magnitude("Strength")
    }));
    // Strength 50 lies beyond the curve: (100 − 50) × 2.
    let effect = EffectDef::infinite("GE").modify("Mana", Operation::Override, magnitude);
    assert_eq!(mana_at(effect, 1.0), 100.0);
}

fn attribute_magnitude(attribute: &str) -> AttributeMagnitudeDef {
    match MagnitudeDef::attribute(CaptureFrom::Source, attribute, 1.0) {
        MagnitudeDef::Attribute(magnitude) => *magnitude,
        _ => unreachable!("it is attribute based"),
    }
}

#[test]
fn extension_tag_filters_select_the_modifiers_that_count() {
    let magnitude = MagnitudeDef::Attribute(Box::new(AttributeMagnitudeDef {
        source_tag_filter: vec!["Item".into()],
        ..attribute_magnitude("Strength")
    }));
    let mut game = Game::of([
        EffectDef::infinite("GE").modify("Attack", Operation::Override, magnitude),
        buff("GE_Gear", "Strength", Operation::Add, 5.0).tagged("Item.Sword"),
        buff("GE_Song", "Strength", Operation::Add, 100.0),
    ]);
    game.apply("GE_Gear", "hero", "hero");
    game.apply("GE_Song", "hero", "hero");
    game.apply("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 55.0);
}

#[test]
fn expressions_read_level_tags_both_sides_and_the_callers_numbers() {
    let text =
        "Level * 1000 + if(Source.HasTag(\"State.Angry\"), 100, 0) + SetByCaller(\"Data.X\") * Target.Armor";
    let effect =
        EffectDef::infinite("GE").modify("Attack", Operation::Override, MagnitudeDef::expression(text));
    let mut game = Game::of([effect, tagging("State.Angry")]);
    game.apply("Tag:State.Angry", "wolf", "wolf");
    let spec = game.sim.spec(game.effect("GE"), 3.0, EffectContext::of(game.id("wolf"))).unwrap();
    let spec = spec.with_magnitude(game.tag("Data.X"), 2.0);
    game.apply_spec(&spec, "hero");
    assert_eq!(game.current("hero", "Attack"), 3_140.0); // 3000 + 100 + 2 × 20
}

#[test]
fn expression_with_a_missing_input_is_refused_with_its_name() {
    let effect = |name: &str, text: &str| {
        EffectDef::instant(name).modify("Health", Operation::Add, MagnitudeDef::expression(text))
    };
    let mut game = Game::build(|builder| {
        builder
            .declare_attribute("Luck")
            .effect(effect("GE_Luck", "Source.Luck"))
            .effect(effect("GE_Caller", "SetByCaller(\"Data.X\")"))
            .effect(effect("GE_Param", "Param(\"Charge\")"))
    });
    assert_eq!(
        game.refusal("GE_Luck", "hero", "wolf"),
        "`GE_Luck` was refused: it reads `Luck`, which the source does not have"
    );
    assert_eq!(
        game.refusal("GE_Caller", "hero", "wolf"),
        "`GE_Caller` was refused: the caller provided no number under `Data.X` and the magnitude has no default"
    );
    assert_eq!(game.try_apply("GE_Param", "hero", "wolf").unwrap_err().code(), "MissingParameter");
}

#[test]
fn source_magnitude_without_a_source_is_refused() {
    let effect = EffectDef::instant("GE").modify(
        "Health",
        Operation::Add,
        MagnitudeDef::attribute(CaptureFrom::Source, "Attack", -0.1),
    );
    let mut game = Game::of([effect]);
    let refusal = game.sim.apply_effect(game.effect("GE"), None, game.id("wolf")).unwrap_err();
    assert_eq!(
        refusal.describe(&game.sim),
        "`GE` was refused: it reads `Attack`, which the source does not have"
    );
}

#[test]
fn missing_curve_is_refused_and_listed() {
    let effect = EffectDef::infinite("GE").modify("Attack", Operation::Add, MagnitudeDef::curve("Hosted"));
    let mut game = Game::of([effect]);
    assert_eq!(
        game.refusal("GE", "hero", "hero"),
        "`GE` was refused: the curve `Hosted` is used but not provided"
    );
    let missing = game.sim.catalog().missing();
    assert_eq!(missing, [(ugas_core::catalog::DefinitionKind::Curve, "Hosted")]);
}
