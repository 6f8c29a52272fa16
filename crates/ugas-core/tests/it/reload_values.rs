//! Hot reload: attributes, sets and clocks under a changed catalog (R1, R2, R4).

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::curve::CurveDef;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{DurationDef, EffectDef, ExecutionPolicy, StackingDef};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::reload::{ReloadOutcome, ReloadReport};
use ugas_core::simulation::Config;
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, builder, instant};

/// The fixture's catalog with other effects.
fn reload(game: &mut Game, effects: impl IntoIterator<Item = EffectDef>) -> ReloadReport {
    reload_as(game, effects.into_iter().fold(builder(), CatalogBuilder::effect))
}

fn reload_as(game: &mut Game, builder: CatalogBuilder) -> ReloadReport {
    let catalog = builder.build().unwrap_or_else(|errors| panic!("{errors}"));
    game.sim.reload(catalog).unwrap_or_else(|error| panic!("{error}"))
}

/// A set called `Unit` in a template called `Unit`.
fn unit(attributes: impl IntoIterator<Item = AttributeDef>) -> CatalogBuilder {
    let set = attributes.into_iter().fold(AttributeSetDef::new("Unit"), AttributeSetDef::with);
    Catalog::builder().attribute_set(set).template(ControllerDef::new("Unit").with_set("Unit"))
}

fn hero_of(builder: CatalogBuilder) -> Game {
    let mut game = Game::empty(Config::seeded(7), builder);
    game.spawn("hero", "Unit");
    game.events();
    game
}

#[test]
fn values_survive_a_reload() {
    let mut game = Game::of([instant("GE_Hit", "Health", Operation::Add, -30.0)]);
    game.apply("GE_Hit", "wolf", "hero");
    game.events();
    let report = reload(&mut game, [instant("GE_Hit", "Health", Operation::Add, -10.0)]);
    assert!(report.is_lossless());
    assert_eq!(report.to_string(), "effect `GE_Hit` changed\n");
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (70.0, 70.0));
    assert!(game.log().is_empty());
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(game.current("hero", "Health"), 60.0);
}

#[test]
fn a_running_effect_has_its_new_magnitude_at_once() {
    let mut game = Game::of([buff("GE_Might", "Attack", Operation::Add, 20.0)]);
    let might = game.activate("GE_Might", "hero", "hero");
    game.events();
    reload(&mut game, [buff("GE_Might", "Attack", Operation::Add, 35.0)]);
    assert_eq!(game.current("hero", "Attack"), 135.0);
    assert_eq!(game.active(might).magnitudes(), [35.0]);
    assert_eq!(game.log(), ["hero.Attack 120 -> 135"]);
}

#[test]
fn the_next_tick_has_the_new_magnitude_and_comes_when_it_was_due() {
    let poison =
        |amount: f64| EffectDef::lasting("GE_P", 10.0).every(1.0).modify("Health", Operation::Add, amount);
    let mut game = Game::of([poison(-5.0)]);
    game.activate("GE_P", "wolf", "hero");
    game.pass(3.5); // 15 at 1, 2 and 3 s
    reload(&mut game, [poison(-8.0)]);
    assert_eq!(game.current("hero", "Health"), 85.0);
    assert_eq!(game.sim.next_timer(), Some(Time::from_seconds(4.0)));
    game.pass(10.0); // seven more ticks of 8: 85 - 56
    assert_eq!(game.current("hero", "Health"), 29.0);
}

#[test]
fn a_changed_duration_moves_the_end_by_the_difference() {
    let lasting = |seconds: f64| EffectDef::lasting("GE_B", seconds).modify("Attack", Operation::Add, 1.0);
    let mut game = Game::of([lasting(10.0)]);
    let plain = game.activate("GE_B", "hero", "hero");
    let shortened = game.activate("GE_B", "wolf", "wolf");
    let fixed = game.apply_spec(&game.spec("GE_B", "hero").with_duration(Span::seconds(7.0)), "hero");
    game.pass(4.0);
    game.sim.set_remaining(shortened, Span::seconds(1.0)).unwrap();
    reload(&mut game, [lasting(15.0)]);
    // 10 + 5; 5 + 5; and the caller's own 7.
    assert_eq!(game.active(plain).expires(), Some(Time::from_seconds(15.0)));
    assert_eq!(game.active(plain).duration(), Some(Span::seconds(15.0)));
    assert_eq!(game.active(shortened).expires(), Some(Time::from_seconds(10.0)));
    assert_eq!(game.active(fixed.active().unwrap()).expires(), Some(Time::from_seconds(7.0)));
}

#[test]
fn an_effect_whose_new_duration_is_over_expires_as_usual() {
    let lasting = |seconds: f64| EffectDef::lasting("GE_B", seconds).then("GE_After");
    let after = || instant("GE_After", "Mana", Operation::Add, 1.0);
    let mut game = Game::of([lasting(10.0), after()]);
    let active = game.activate("GE_B", "hero", "hero");
    game.pass(4.0);
    game.events();
    reload(&mut game, [lasting(3.0), after()]);
    assert!(game.sim.effect(active).is_none());
    assert_eq!(game.current("hero", "Mana"), 51.0);
    assert_eq!(
        game.log(),
        ["EffectDurationChanged", "removed GE_B Expired", "executed GE_After", "hero.Mana 50 -> 51"]
    );
}

#[test]
fn duration_can_be_added_and_removed() {
    let mut game = Game::of([buff("GE_B", "Attack", Operation::Add, 1.0)]);
    let active = game.activate("GE_B", "hero", "hero");
    game.pass(60.0);
    let lasting = EffectDef::lasting("GE_B", 5.0).modify("Attack", Operation::Add, 1.0);
    reload(&mut game, [lasting]);
    // It had no end: one whole duration from the reload on.
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(65.0)));
    reload(&mut game, [buff("GE_B", "Attack", Operation::Add, 1.0)]);
    assert_eq!(game.active(active).expires(), None);
    assert_eq!(game.sim.next_timer(), None);
}

#[test]
fn a_new_period_counts_from_the_last_tick() {
    let poison =
        |period: f64| EffectDef::lasting("GE_P", 20.0).every(period).modify("Health", Operation::Add, -5.0);
    let mut game = Game::of([poison(2.0)]);
    let active = game.activate("GE_P", "wolf", "hero");
    game.pass(5.0); // ticks at 2 and 4
    reload(&mut game, [poison(3.0)]);
    assert_eq!(game.active(active).next_tick(), Some(Time::from_seconds(7.0)));
    // 4.25 and 4.5 ... would have been due: those that are past are not made up for.
    reload(&mut game, [poison(0.25)]);
    assert_eq!(game.active(active).next_tick(), Some(Time::from_seconds(5.25)));
    let plain = EffectDef::lasting("GE_P", 20.0).modify("Health", Operation::Add, -5.0);
    reload(&mut game, [plain]);
    // The loss by ticks stays; now it is a modifier: 90 - 5.
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (90.0, 85.0));
    assert_eq!(game.active(active).next_tick(), None);
}

#[test]
fn frozen_captures_stay_and_new_ones_freeze_at_the_reload() {
    let reading = |attribute: &str, coefficient: f64| {
        let magnitude = MagnitudeDef::attribute(CaptureFrom::Source, attribute, coefficient).frozen();
        EffectDef::infinite("GE_B").modify("Attack", Operation::Add, magnitude)
    };
    let train = || instant("GE_Train", "Strength", Operation::Add, 10.0);
    let mut game = Game::of([reading("Strength", 1.0), train()]);
    game.activate("GE_B", "wolf", "hero");
    game.apply("GE_Train", "wolf", "wolf");
    assert_eq!(game.current("hero", "Attack"), 150.0);
    reload(&mut game, [reading("Strength", 2.0), train()]);
    // 50 was frozen: 100 + 2 * 50.
    assert_eq!(game.current("hero", "Attack"), 200.0);
    reload(&mut game, [reading("Armor", 1.0), train()]);
    game.sim.reload(game.sim.catalog().clone()).unwrap();
    assert_eq!(game.current("hero", "Attack"), 120.0);
}

#[test]
fn a_changed_curve_reaches_running_effects_and_derived_attributes() {
    let curve = |value: f64| CurveDef { name: "C".into(), points: vec![(1.0, value)], ..CurveDef::default() };
    let rules = |value: f64| {
        unit([AttributeDef::new("Power", 10.0), AttributeDef::derived("Rank", r#"curve("C", 1)"#)])
            .curve(curve(value))
            .effect(EffectDef::infinite("GE_B").modify("Power", Operation::Add, MagnitudeDef::curve("C")))
    };
    let mut game = hero_of(rules(3.0));
    game.activate("GE_B", "hero", "hero");
    assert_eq!((game.current("hero", "Power"), game.current("hero", "Rank")), (13.0, 3.0));
    let report = reload_as(&mut game, rules(5.0));
    assert_eq!(report.diff.to_string(), "curve `C` changed\n");
    assert_eq!((game.current("hero", "Power"), game.current("hero", "Rank")), (15.0, 5.0));
}

#[test]
fn conditions_are_evaluated_by_the_new_definition() {
    let tag = || crate::fixture::tagging("State.Wet");
    let plain = || ModifierDef::new("Attack", Operation::Add, 10.0);
    let mut game = Game::of([EffectDef::infinite("GE_B").with(plain()), tag()]);
    let active = game.activate("GE_B", "hero", "hero");
    reload(&mut game, [EffectDef::infinite("GE_B").with(plain().while_target_has("State.Wet")), tag()]);
    assert_eq!(game.current("hero", "Attack"), 100.0);
    game.apply("Tag:State.Wet", "hero", "hero");
    assert_eq!(game.current("hero", "Attack"), 110.0);
    reload(&mut game, [EffectDef::infinite("GE_B").with(plain()).while_target_lacks("State.Wet"), tag()]);
    assert!(game.active(active).is_inhibited());
    assert_eq!(game.current("hero", "Attack"), 100.0);
    reload(&mut game, [EffectDef::infinite("GE_B").with(plain()).removed_on("State.Wet"), tag()]);
    assert!(game.sim.effect(active).is_none());
}

#[test]
fn new_bounds_clamp_the_current_value_and_leave_the_base() {
    let mut game = hero_of(unit([AttributeDef::new("Health", 80.0).max(100.0)]));
    reload_as(&mut game, unit([AttributeDef::new("Health", 80.0).max(60.0)]));
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (80.0, 60.0));
    assert_eq!(game.log(), ["hero.Health 80 -> 60"]);
    reload_as(&mut game, unit([AttributeDef::new("Health", 80.0)]));
    assert_eq!(game.current("hero", "Health"), 80.0);
}

#[test]
fn a_derived_attribute_follows_its_new_expression() {
    let rules = |text: &str| unit([AttributeDef::new("Vigor", 10.0), AttributeDef::derived("Life", text)]);
    let mut game = hero_of(rules("Vigor * 2"));
    reload_as(&mut game, rules("Vigor * 3 + 1"));
    assert_eq!((game.base("hero", "Life"), game.current("hero", "Life")), (31.0, 31.0));
}

#[test]
fn an_attribute_that_is_added_appears_with_its_default() {
    let mut game = hero_of(unit([AttributeDef::new("Health", 80.0)]));
    let richer = || {
        let set = AttributeSetDef::new("Unit")
            .with(AttributeDef::new("Armor", 5.0))
            .with(AttributeDef::new("Health", 1.0))
            .with(AttributeDef::new("Shield", 9.0).max(4.0));
        let template = ControllerDef::new("Unit").with_set("Unit").with_base("Armor", 7.0);
        Catalog::builder().attribute_set(set).template(template)
    };
    let report = reload_as(&mut game, richer());
    // A base of the template wins over the set's; bounds are kept from the start (B0); what was there stays.
    assert_eq!(game.base("hero", "Armor"), 7.0);
    assert_eq!(game.base("hero", "Shield"), 4.0);
    assert_eq!(game.base("hero", "Health"), 80.0);
    assert!(report.is_lossless());
    let appeared: Vec<String> = report.entries.iter().map(ToString::to_string).collect();
    let hero = game.id("hero");
    assert_eq!(
        appeared,
        [
            format!("{hero:?}: attribute `Armor` is new, with base 7"),
            format!("{hero:?}: attribute `Shield` is new, with base 4"),
        ]
    );
    assert!(game.log().is_empty());
}

#[test]
fn an_attribute_or_a_set_that_is_removed_is_dropped() {
    let hero_sets = |builder: CatalogBuilder| {
        builder
            .attribute_set(AttributeSetDef::new("Magic").with(AttributeDef::new("Mana", 50.0)))
            .template(ControllerDef::new("Mage").with_set("Unit").with_set("Magic"))
    };
    let both = [AttributeDef::new("Health", 80.0), AttributeDef::new("Luck", 3.0)];
    let mut game = Game::empty(Config::seeded(7), hero_sets(unit(both)));
    let mage = game.spawn("mage", "Mage");
    let report = reload_as(&mut game, unit([AttributeDef::new("Health", 80.0)]));
    let entries: Vec<String> = report.entries.iter().map(ToString::to_string).collect();
    assert_eq!(
        entries,
        [
            format!("{mage:?}: controller template `Mage` is gone"),
            format!("{mage:?}: attribute set `Magic` is gone"),
            format!("{mage:?}: attribute `Luck` is gone; its base was 3"),
            format!("{mage:?}: attribute `Mana` is gone; its base was 50"),
        ]
    );
    assert_eq!(game.sim.attributes(mage).count(), 1);
    assert_eq!(game.sim.controller(mage).unwrap().template(), None);
    assert!(!report.is_lossless());
}

#[test]
fn an_attribute_that_moves_to_another_set_keeps_its_value() {
    let sets = |first: &[&str], second: &[&str]| {
        let set = |name: &str, attributes: &[&str]| {
            attributes
                .iter()
                .fold(AttributeSetDef::new(name), |set, name| set.with(AttributeDef::new(*name, 1.0)))
        };
        Catalog::builder()
            .attribute_set(set("A", first))
            .attribute_set(set("B", second))
            .effect(instant("GE_Up", "X", Operation::Add, 4.0))
            .template(ControllerDef::new("Unit").with_set("A").with_set("B"))
    };
    let mut game = hero_of(sets(&["X"], &["Y"]));
    game.apply("GE_Up", "hero", "hero");
    let report = reload_as(&mut game, sets(&[], &["Y", "X"]));
    assert!(report.entries.is_empty());
    assert_eq!(game.base("hero", "X"), 5.0);
}

#[test]
fn a_lowered_limit_lowers_the_stacks() {
    let stacked =
        |limit: u32| buff("GE_S", "Attack", Operation::Add, 10.0).stacking(StackingDef::by_target(limit));
    let mut game = Game::of([stacked(5)]);
    let active = game.activate("GE_S", "hero", "hero");
    for _ in 0..3 {
        game.apply("GE_S", "hero", "hero");
    }
    game.events();
    let report = reload(&mut game, [stacked(2)]);
    assert_eq!(game.active(active).stacks(), 2);
    assert_eq!(game.current("hero", "Attack"), 120.0);
    assert_eq!(report.entries[0].outcome, ReloadOutcome::StacksReduced { from: 4, to: 2 });
    assert_eq!(game.log(), ["stacks 4 -> 2", "hero.Attack 140 -> 120"]);
    // Without stacking there is one.
    reload(&mut game, [buff("GE_S", "Attack", Operation::Add, 10.0)]);
    assert_eq!(game.current("hero", "Attack"), 110.0);
}

#[test]
fn queued_effects_begin_when_the_policy_is_no_longer_a_sequence() {
    let lasting =
        |policy| EffectDef::lasting("GE_Q", 5.0).modify("Attack", Operation::Add, 1.0).policy(policy);
    let mut game = Game::of([lasting(ExecutionPolicy::RunInSequence)]);
    game.apply("GE_Q", "hero", "hero");
    let queued = game.activate("GE_Q", "hero", "hero");
    game.pass(2.0);
    let report = reload(&mut game, [lasting(ExecutionPolicy::RunInParallel)]);
    assert_eq!(report.entries[0].outcome, ReloadOutcome::Began);
    assert_eq!(game.current("hero", "Attack"), 102.0);
    assert_eq!(game.active(queued).expires(), Some(Time::from_seconds(7.0)));
}

#[test]
fn queue_continues_with_a_new_duration() {
    let lasting = |seconds: f64| {
        EffectDef { duration: DurationDef::HasDuration(seconds.into()), ..EffectDef::instant("GE_Q") }
            .policy(ExecutionPolicy::RunInSequence)
    };
    let mut game = Game::of([lasting(5.0)]);
    game.apply("GE_Q", "hero", "hero");
    let queued = game.activate("GE_Q", "hero", "hero");
    reload(&mut game, [lasting(3.0)]);
    game.pass(3.0);
    assert_eq!(game.active(queued).expires(), Some(Time::from_seconds(6.0)));
}

#[test]
fn the_magnitude_of_a_modifier_that_moved_in_the_list_is_kept() {
    let rolled = MagnitudeDef::expression("10 + floor(rand() * 1000)").frozen();
    let effect = || EffectDef::infinite("GE_B").modify("Attack", Operation::Add, rolled.clone());
    let mut game = Game::of([effect()]);
    let active = game.activate("GE_B", "hero", "hero");
    let magnitude = game.active(active).magnitudes()[0];
    let mut more = effect();
    more.modifiers.insert(0, ModifierDef::new("Armor", Operation::Add, 1.0));
    reload(&mut game, [more]);
    assert_eq!(game.active(active).magnitudes(), [1.0, magnitude]);
}
