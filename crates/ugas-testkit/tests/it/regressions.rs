//! Regressions found by random operations, each with its rule.

use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{DurationRefresh, EffectDef, ExecutionPolicy, StackingDef};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::time::Span;
use ugas_testkit::fixtures::{Op, SimDriver, SpecOptions, World, arena};
use ugas_testkit::oracle::{Game, Selector};

/// The arena's attributes with these effects.
fn game(effects: impl IntoIterator<Item = EffectDef>) -> Game {
    Game { effects: effects.into_iter().collect(), ..arena() }
}

/// Current value of an attribute of the fighter, the first controller of every world.
fn current(world: &World, attribute: &str) -> f64 {
    let attribute = world.sim.catalog().attribute(attribute).unwrap();
    world.sim.current(world.handle(0), attribute).unwrap()
}

/// M5: a despawned source counts with its tags before the despawn, not with those it lost during it.
#[test]
fn a_despawned_source_keeps_the_tags_it_had() {
    let game = game([
        EffectDef::infinite("GE_Poisoned").granting("State.Debuff.Poison"),
        EffectDef::infinite("GE_Weak").with(
            ModifierDef::new("Vigor", Operation::Multiply, -0.05).while_source_lacks("State.Debuff.Poison"),
        ),
    ]);
    let mut world = World::with_two(&game);
    world.run(&Op::Spawn(0));
    world.apply("GE_Poisoned", None, 0);
    world.apply("GE_Weak", Some(0), 1);
    world.run(&Op::Despawn(0));
}

/// E8: a live magnitude also follows changes of its own effect, from the start.
#[test]
fn a_live_magnitude_sees_the_effects_own_modifier() {
    let game = game([EffectDef::infinite("GE_Both").modify("MaxHealth", Operation::Multiply, -0.05).modify(
        "Shield",
        Operation::Add,
        MagnitudeDef::attribute(CaptureFrom::Target, "MaxHealth", 0.1),
    )]);
    let mut world = World::with_two(&game);
    world.apply("GE_Both", None, 0);
    // 20 + 0.1 × (100 × 0.95)
    assert_eq!(current(&world, "Shield"), 29.5);
}

/// E5: a new stack replaces the spec, so a stack without an end makes the whole stack endless.
#[test]
fn an_endless_stack_takes_over() {
    for duration_refresh in [DurationRefresh::Refresh, DurationRefresh::Extend, DurationRefresh::Never] {
        let rules = StackingDef { duration_refresh, ..StackingDef::by_target(0) };
        let mut world = World::with_two(&game([EffectDef::infinite("GE_Oath").stacking(rules)]));
        let short = SpecOptions { level: 1, duration: Some(1_000), ..SpecOptions::default() };
        world.apply_with("GE_Oath", None, 0, &short);
        world.apply("GE_Oath", None, 0);
        world.apply_with("GE_Oath", None, 0, &short);
        world.advance(1.0);
    }
}

/// T2: a tag that both specs grant never goes, so there is no event about it.
#[test]
fn merging_other_dynamic_tags_keeps_the_effects_own() {
    let merged = EffectDef::infinite("GE_Aura")
        .policy(ExecutionPolicy::RunInMerge)
        .granting("State.Marked")
        .cue("Cue.Aura");
    let mut world = World::with_two(&game([merged]));
    world.apply("GE_Aura", None, 0);
    world.apply_with("GE_Aura", None, 0, &SpecOptions { level: 1, immune: true, ..SpecOptions::default() });
    world.apply("GE_Aura", None, 0);
}

/// B1: the share of the upper bound survives any number of moves in one operation.
#[test]
fn a_ratio_survives_two_moves_of_its_bound() {
    let mut world = World::with_two(&arena());
    // Applied and removed at the same instant (E6): the bound rises and falls back.
    world.apply_with(
        "GE_Bond",
        None,
        0,
        &SpecOptions { level: 1, duration: Some(-500), ..SpecOptions::default() },
    );
    assert!((current(&world, "Mana") - 50.0).abs() < 1e-9);
}

/// B1, M9: a base follows its bound before others follow it.
#[test]
fn bases_follow_their_bounds_in_dependency_order() {
    let game = game([EffectDef::instant("GE_Shift").modify("Mana", Operation::Override, 20.0).modify(
        "MaxMana",
        Operation::Add,
        1.0,
    )]);
    let mut world = World::with_two(&game);
    world.apply("GE_Shift", None, 0);
    // Mana keeps its share of 101 instead of 100; Rage is clamped to that, not to the 20 on the way.
    assert!((current(&world, "Mana") - 20.2).abs() < 1e-9);
    assert!((current(&world, "Rage") - 20.2).abs() < 1e-9);
}

/// E8, M10: a linked effect captures the value after the change that led to it.
#[test]
fn linked_effect_captures_the_value_after_the_change() {
    let vigor = MagnitudeDef::attribute(CaptureFrom::Source, "Vigor", 0.1).frozen();
    let mut last = EffectDef::infinite("GE_Last");
    last.expiration_effects.premature.push("GE_Legacy".to_owned());
    let game = game([
        EffectDef::infinite("GE_Vigor").modify("Vigor", Operation::Add, 1.0),
        EffectDef::instant("GE_Legacy").modify("Shield", Operation::Add, vigor),
        last,
    ]);
    let mut world = World::with_two(&game);
    world.apply("GE_Vigor", None, 0);
    world.apply("GE_Last", Some(0), 0);
    world.run(&Op::RemoveMatching { target: 0, selector: Selector::All, stacks: None });
    // 20 + 0.1 × 10: Vigor was back at 10 when GE_Last went.
    assert_eq!(current(&world, "Shield"), 21.0);
}

/// E3, E5: at the instant of its end a stack that a new one leaves alone still ends by its own rule.
#[test]
fn a_stack_at_the_instant_of_its_end_ends_by_its_timer() {
    let rules = StackingDef { duration_refresh: DurationRefresh::Never, ..StackingDef::by_target(0) };
    let mut first = EffectDef::lasting("GE_First", 1.0);
    first.expiration_effects.always.push("GE_Stack".to_owned());
    let mut world = World::with_two(&game([first, EffectDef::lasting("GE_Stack", 1.0).stacking(rules)]));
    world.apply("GE_First", None, 0);
    world.apply("GE_Stack", None, 0);
    world.advance(1.0);
}

/// I1: restoring inside a batch neither panics nor leaves stale values.
#[test]
fn a_snapshot_inside_a_batch_comes_to_rest() {
    let mut driver =
        SimDriver::new(&game([EffectDef::lasting("GE_Buff", 1.0).modify("Power", Operation::Add, 5.0)]));
    let (fighter, buff) = (driver.actors[0], driver.effect(0).unwrap());
    let power = driver.sim.catalog().attribute("Power").unwrap();
    driver.sim.batch(|sim| {
        sim.apply_effect(buff, None, fighter).unwrap();
        let snapshot = sim.snapshot();
        sim.restore(&snapshot).unwrap();
    });
    assert_eq!(driver.sim.current(fighter, power), Some(15.0));
    driver.sim.events().for_each(drop);
    driver.sim.advance(Span::seconds(1.0));
    assert_eq!(driver.sim.current(fighter, power), Some(10.0));
    let changes = driver.sim.events().filter(|event| event.kind.name() == "AttributeChanged");
    assert_eq!(changes.count(), 1);
}

/// M9, E1: a written base is clamped to the bounds at its execution, before others are removed.
#[test]
fn an_execution_is_clamped_before_others_are_removed() {
    let mut heal = EffectDef::instant("GE_Heal").modify("Health", Operation::Add, 10.0);
    heal.remove_effects_with_tags.push("Element.Ice".to_owned());
    let chill = EffectDef::infinite("GE_Chill").modify("Vigor", Operation::Add, -1.0).granting("Element.Ice");
    let mut world = World::with_two(&game([heal, chill]));
    world.apply("GE_Chill", None, 0);
    world.apply("GE_Heal", None, 0);
    // MaxHealth was 60 + 4 × 9 = 96 when the healing was written.
    assert_eq!(current(&world, "Health"), 96.0);
}
