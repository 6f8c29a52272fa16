//! Edges that readers and adversaries found, each as the case that showed it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::calculation::{CalculationDef, OutputDef, native};
use ugas_core::effect::magnitude::{AttributeCalculation, AttributeMagnitudeDef, CaptureFrom, MagnitudeDef};
use ugas_core::effect::{
    AbilityGrantDef, AbilityRemoval, AdditionalEffectDef, EffectContext, EffectDef, ExecutionDef,
    ExecutionPolicy, ScopedModifierDef, ScopedTargetDef, StackExpiration, StackingDef,
};
use ugas_core::event::EventKind;
use ugas_core::handle::ControllerId;
use ugas_core::id::ActorId;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::{Config, EvaluationParameters, Simulation, Snapshot, Stacks};
use ugas_core::time::{Span, Time};

struct Scene {
    catalog: Arc<Catalog>,
    sim: Simulation,
    unit: ControllerId,
}

fn scene(build: impl FnOnce(CatalogBuilder) -> CatalogBuilder) -> Scene {
    let set = AttributeSetDef::new("Unit")
        .with(AttributeDef::new("Power", 10.0))
        .with(AttributeDef::new("Mana", 50.0))
        .with(AttributeDef::new("MaxHealth", 100.0))
        .with(AttributeDef::new("Health", 100.0).min(10.0).max("MaxHealth"))
        .with(AttributeDef::new("Damage", 0.0).max(30.0).drain_into(["Health"]));
    let builder = Catalog::builder().attribute_set(set).template(ControllerDef::new("Unit").with_set("Unit"));
    let catalog = build(builder).build().unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::default());
    let unit = sim.spawn("Unit").unwrap();
    Scene { catalog, sim, unit }
}

impl Scene {
    fn apply(&mut self, effect: &str) -> Option<ugas_core::handle::ActiveEffectId> {
        let effect = self.catalog.effect(effect).unwrap();
        self.sim.apply_effect(effect, Some(self.unit), self.unit).unwrap().active()
    }

    fn current(&self, attribute: &str) -> f64 {
        self.sim.current(self.unit, self.catalog.attribute(attribute).unwrap()).unwrap()
    }
}

#[test]
fn m10_a_reading_up_to_a_layer_follows_modifiers_that_an_override_hides() {
    let up_to_0 = AttributeMagnitudeDef {
        calculation: AttributeCalculation::UpToLayer(0),
        ..AttributeMagnitudeDef::new(CaptureFrom::Target, "Power")
    };
    let mut scene = scene(|builder| {
        builder
            .effect(EffectDef::infinite("GE_Reads").modify("Mana", Operation::Add, up_to_0))
            .effect(
                EffectDef::infinite("GE_Fixed")
                    .with(ModifierDef::new("Power", Operation::Override, 7.0).layer(1)),
            )
            .effect(EffectDef::infinite("GE_Add").modify("Power", Operation::Add, 20.0))
    });
    scene.apply("GE_Reads");
    scene.apply("GE_Fixed");
    assert_eq!(scene.current("Mana"), 60.0); // 50 + 10
    scene.apply("GE_Add");
    assert_eq!((scene.current("Power"), scene.current("Mana")), (7.0, 80.0)); // 50 + (10 + 20)
}

#[test]
fn a8_an_ability_that_is_kept_is_granted_once_however_often_its_effect_is_inhibited() {
    let grant = AbilityGrantDef { removal: AbilityRemoval::Keep, ..AbilityGrantDef::new("GA_Jump") };
    let mut scene = scene(|builder| {
        builder
            .ability(AbilityDef::new("GA_Jump"))
            .effect(EffectDef::infinite("GE_Boots").granting_ability(grant).while_target_lacks("State.Stun"))
            .effect(EffectDef::infinite("GE_Stun").granting("State.Stun"))
    });
    let boots = scene.apply("GE_Boots").unwrap();
    for _ in 0..3 {
        let stun = scene.apply("GE_Stun").unwrap();
        scene.sim.remove(stun, Stacks::All).unwrap();
    }
    assert_eq!(scene.sim.controller(scene.unit).unwrap().abilities().len(), 1);
    scene.apply("GE_Stun");
    scene.sim.remove(boots, Stacks::All).unwrap();
    let kept = scene.sim.controller(scene.unit).unwrap().abilities()[0];
    assert_eq!(scene.sim.ability(kept).unwrap().granted_by(), None);
}

#[test]
fn v5_scoped_modifiers_and_the_calculation_roll_dice_of_their_own() {
    let scoped = |name: &str| ScopedModifierDef {
        target: ScopedTargetDef::Variable(name.to_owned()),
        operation: Operation::Add,
        magnitude: MagnitudeDef::expression("rand()"),
    };
    let output = |attribute: &str, text: &str| OutputDef {
        attribute: attribute.to_owned(),
        operation: Operation::Override,
        magnitude: text.to_owned(),
        to: Default::default(),
    };
    let calculation = CalculationDef {
        name: "Calc".to_owned(),
        outputs: vec![output("Power", "a"), output("Mana", "b"), output("MaxHealth", "50 + rand()")],
        ..CalculationDef::default()
    };
    let execution =
        ExecutionDef { calculation: "Calc".to_owned(), modifiers: vec![scoped("a"), scoped("b")] };
    let roll = EffectDef { executions: vec![execution], ..EffectDef::instant("GE_Roll") };
    let mut scene = scene(|builder| builder.calculation(calculation).effect(roll));
    scene.apply("GE_Roll");
    let rolls = [scene.current("Power"), scene.current("Mana"), scene.current("MaxHealth") - 50.0];
    assert!(rolls.iter().all(|roll| (0.0..1.0).contains(roll)), "{rolls:?}");
    assert!((rolls[0] - rolls[1]).abs() > 1e-9 && (rolls[1] - rolls[2]).abs() > 1e-9, "{rolls:?}");
}

#[test]
fn e6_an_effect_without_time_that_is_prolonged_in_the_same_batch_lives() {
    let mut scene = scene(|builder| {
        builder.effect(
            EffectDef::lasting("GE_Blink", MagnitudeDef::set_by_caller("Seconds"))
                .policy(ExecutionPolicy::RunInMerge),
        )
    });
    let (blink, seconds) = (scene.catalog.effect("GE_Blink").unwrap(), scene.catalog.tag("Seconds").unwrap());
    let unit = scene.unit;
    scene.sim.batch(|sim| {
        for time in [0.0, 10.0] {
            let spec = sim.spec(blink, 1.0, EffectContext::default()).unwrap().with_magnitude(seconds, time);
            sim.apply(&spec, unit).unwrap();
        }
    });
    assert_eq!(scene.sim.effect_count(unit, blink), 1);
    scene.sim.advance(Span::seconds(10.0));
    assert_eq!(scene.sim.effect_count(unit, blink), 0);
}

#[test]
fn uem_a_captured_modifier_whose_requirements_went_with_its_effect_does_not_count() {
    let mut scene = scene(|builder| {
        builder.tags(["State.Frozen"]).effect(
            EffectDef::infinite("GE_Ice")
                .with(ModifierDef::new("Power", Operation::Add, 20.0).while_target_has("State.Frozen")),
        )
    });
    let ice = scene.apply("GE_Ice").unwrap();
    let capture = scene.sim.capture(scene.unit, scene.catalog.attribute("Power").unwrap()).unwrap();
    let value = |sim: &Simulation| sim.evaluate_capture(&capture, &EvaluationParameters::default());
    assert_eq!(value(&scene.sim), Some(10.0));
    scene.sim.remove(ice, Stacks::All).unwrap();
    assert_eq!(value(&scene.sim), Some(10.0));
}

#[test]
fn b3_a_meta_attribute_drains_within_its_own_bounds_and_down_to_the_minimum_of_others() {
    let mut scene = scene(|builder| {
        builder.effect(EffectDef::instant("GE_Hit").modify("Damage", Operation::Add, 80.0)).post_execute(
            "Damage",
            |change| {
                let power = change.simulation().catalog().attribute("Power").unwrap();
                let amount = change.new_base();
                assert!(change.set_base(power, amount));
            },
        )
    });
    scene.apply("GE_Hit");
    // 80 is capped at 30; the hook sees the amount.
    assert_eq!((scene.current("Health"), scene.current("Power"), scene.current("Damage")), (70.0, 30.0, 0.0));
    for _ in 0..3 {
        scene.apply("GE_Hit");
    }
    assert_eq!(scene.current("Health"), 10.0); // 70 − 30 − 30, then no further than its minimum of 10
}

#[test]
fn m9_modifiers_and_executions_of_one_effect_are_clamped_together() {
    let output = OutputDef {
        attribute: "Health".into(),
        operation: Operation::Add,
        magnitude: "-30".into(),
        to: Default::default(),
    };
    let calculation =
        CalculationDef { name: "Calc".into(), outputs: vec![output], ..CalculationDef::default() };
    let mut scene = scene(|builder| {
        builder
            .calculation(calculation)
            .effect(EffectDef::instant("GE_Both").modify("Health", Operation::Add, 50.0).executing("Calc"))
    });
    scene.apply("GE_Both");
    assert_eq!(scene.current("Health"), 100.0); // 100 + 50 − 30 = 120, clamped once
}

#[test]
fn e5_a_new_stack_that_resets_the_period_takes_the_period_of_its_spec() {
    let mut scene = scene(|builder| {
        builder.effect(
            EffectDef::infinite("GE_Dot")
                .every(1.0)
                .with(ModifierDef::new("Mana", Operation::Add, -1.0).ignoring_stacks())
                .stacking(StackingDef::by_target(3)),
        )
    });
    let dot = scene.catalog.effect("GE_Dot").unwrap();
    scene.apply("GE_Dot");
    let spec = scene.sim.spec(dot, 1.0, EffectContext::default()).unwrap().with_period(Span::seconds(4.0));
    scene.sim.apply(&spec, scene.unit).unwrap();
    scene.sim.advance(Span::seconds(8.0));
    assert_eq!(scene.current("Mana"), 48.0); // ticks at 4 and 8 s
}

#[test]
fn t2_merging_with_a_dynamic_tag_that_both_specs_have_raises_no_event() {
    let mut scene = scene(|builder| {
        builder
            .tags(["State.Mark"])
            .effect(EffectDef::lasting("GE_Aura", 5.0).policy(ExecutionPolicy::RunInMerge))
    });
    let (aura, mark) = (scene.catalog.effect("GE_Aura").unwrap(), scene.catalog.tag("State.Mark").unwrap());
    let spec = scene.sim.spec(aura, 1.0, EffectContext::default()).unwrap().granting(mark);
    scene.sim.apply(&spec, scene.unit).unwrap();
    scene.sim.events().for_each(drop);
    scene.sim.apply(&spec, scene.unit).unwrap();
    let tags = scene
        .sim
        .events()
        .filter(|event| matches!(event.kind, EventKind::TagAdded { .. } | EventKind::TagRemoved { .. }));
    assert_eq!(tags.count(), 0);
    assert_eq!(scene.sim.tags(scene.unit).unwrap().count(mark), 1);
}

#[test]
fn e12_every_batch_has_a_budget_of_its_own() {
    let mut scene = scene(|builder| {
        builder
            .effect(EffectDef::instant("GE_Hit").modify("Power", Operation::Add, 1.0))
            .effect(EffectDef::instant("GE_Go").also(AdditionalEffectDef::new("GE_Hit")))
    });
    let (go, unit) = (scene.catalog.effect("GE_Go").unwrap(), scene.unit);
    for _ in 0..5_000 {
        scene.sim.batch(|sim| sim.apply_effect(go, None, unit)).unwrap();
    }
    assert_eq!(scene.current("Power"), 5_010.0);
}

#[test]
fn v4_the_end_of_time_is_reached_with_periods_and_refreshing_stacks() {
    let refresh = StackingDef { expiration: StackExpiration::Refresh, ..StackingDef::by_target(0) };
    let mut scene = scene(|builder| {
        builder
            .effect(EffectDef::infinite("GE_Tick").every(1e12).modify("Mana", Operation::Add, 0.0))
            .effect(EffectDef::lasting("GE_Refresh", 1e12).stacking(refresh))
    });
    scene.apply("GE_Tick");
    scene.apply("GE_Refresh");
    scene.sim.advance_to(Time::MAX);
    assert_eq!(scene.sim.now(), Time::MAX);
}

#[test]
fn i10_a_spec_whose_effect_id_came_to_mean_another_effect_is_refused() {
    let frozen = MagnitudeDef::attribute(CaptureFrom::Target, "Power", 1.0).frozen();
    let mut scene = scene(|builder| builder);
    let before = scene.sim.snapshot();
    let plain =
        scene.sim.define_effect(EffectDef::infinite("R1").modify("Power", Operation::Add, 1.0)).unwrap();
    let spec = scene.sim.spec(plain, 1.0, EffectContext::default()).unwrap();
    scene.sim.restore(&before).unwrap();
    let other =
        scene.sim.define_effect(EffectDef::infinite("R2").modify("Mana", Operation::Add, frozen)).unwrap();
    assert_eq!(plain, other);
    assert_eq!(scene.sim.apply(&spec, scene.unit).unwrap_err().code(), "UnknownEffect");
}

#[test]
fn i10_a_batch_that_panics_is_over() {
    let mut scene =
        scene(|builder| builder.effect(EffectDef::instant("GE_Hit").modify("Power", Operation::Add, 1.0)));
    let _ = catch_unwind(AssertUnwindSafe(|| scene.sim.batch(|_| panic!("on purpose"))));
    scene.apply("GE_Hit");
    assert_eq!(scene.current("Power"), 11.0);
}

#[test]
fn i1_a_snapshot_of_another_catalog_is_refused() {
    let mut one = scene(|builder| builder.effect(EffectDef::instant("GE_Hit")));
    let other = scene(|builder| builder);
    let error = one.sim.restore(&other.sim.snapshot()).unwrap_err();
    assert_eq!((error.expected, error.found), (one.catalog.hash(), other.catalog.hash()));
}

#[test]
fn gasd_a_calculation_may_send_cues_of_its_own() {
    let calculation = native(Vec::new(), |context| {
        context.handle_cues();
        context.execute_cue("GameplayCue.Crit", 7.0)?;
        Ok(0.0)
    });
    let mut scene = scene(|builder| {
        builder
            .tags(["GameplayCue.Hit", "GameplayCue.Crit"])
            .native("Calc", calculation)
            .effect(EffectDef::instant("GE_Hit").cue("GameplayCue.Hit").executing("Calc"))
    });
    let crit = scene.catalog.tag("GameplayCue.Crit").unwrap();
    scene.apply("GE_Hit");
    let cues: Vec<_> = scene
        .sim
        .events()
        .filter_map(|event| match event.kind {
            EventKind::CueExecuted { cue, parameters, .. } => Some((cue, parameters.magnitude)),
            _ => None,
        })
        .collect();
    assert_eq!(cues, [(crit, 7.0)]);
}

/// A rollback forgets a controller, and its handle is given out again: what names it meanwhile names nobody.
#[test]
fn i1_a_source_that_is_yet_to_come_is_refused() {
    let mut game = crate::fixture::Game::of([EffectDef::infinite("GE_Mark")]);
    let (before, hero) = (game.sim.snapshot(), game.id("hero"));
    let mark = game.sim.catalog().effect("GE_Mark").unwrap();
    let ghost = game.sim.spawn("Unit").unwrap();
    game.sim.restore(&before).unwrap();
    assert_eq!(game.sim.apply_effect(mark, Some(ghost), hero).unwrap_err().code(), "UnknownController");
    // One that lived and is gone is another matter.
    assert_eq!(game.sim.spawn("Unit"), Ok(ghost));
    game.sim.despawn(ghost).unwrap();
    game.sim.apply_effect(mark, Some(ghost), hero).unwrap();
    let bytes = game.sim.snapshot().to_bytes();
    assert!(Snapshot::from_bytes(&bytes, game.sim.catalog()).is_ok());
}

/// What a recalculation ends is part of its operation: nothing of it waits outside the state.
#[test]
fn i1_a_queue_that_ends_with_a_recalculation_costs_the_next_operation_nothing() {
    let queue = EffectDef::infinite("GE_Queue").policy(ExecutionPolicy::RunInSequence).removed_on("T");
    let flip = EffectDef::infinite("GE_Flip").granting("X").while_target_lacks("X");
    let give = EffectDef::infinite("GE_Give").granting("T");
    let mut game = crate::fixture::Game::of([queue, flip, give]);
    game.apply("GE_Queue", "hero", "hero");
    game.apply("GE_Give", "hero", "hero");
    let mut copy = game.clone();
    copy.sim = Simulation::new(game.sim.catalog().clone(), game.sim.config().clone());
    copy.sim.restore(&game.sim.snapshot()).unwrap();
    for game in [&mut game, &mut copy] {
        game.apply("GE_Flip", "hero", "hero");
    }
    assert_eq!(game.sim.state_hash(), copy.sim.state_hash());
}

/// E12: queues whose turn the budget did not allow go on with the next operation, in a copy as in the original.
#[test]
fn i1_queues_that_wait_for_budget_go_on_in_a_copy() {
    let names = ["GE_A", "GE_B", "GE_C"];
    let queue = |name: &str| {
        let effect = EffectDef::infinite(name).policy(ExecutionPolicy::RunInSequence);
        effect.modify("Attack", Operation::Add, 1.0)
    };
    let config = Config { cascade_limit: 1, ..Config::seeded(7) };
    let mut game = crate::fixture::Game::configured(config.clone(), |builder| {
        names
            .iter()
            .fold(builder, |builder, name| builder.effect(queue(name)))
            .effect(EffectDef::infinite("GE_Idle"))
    });
    let first: Vec<_> = names.iter().map(|name| game.apply(name, "hero", "hero")).collect();
    for name in names {
        game.apply(name, "hero", "hero");
    }
    game.sim.batch(|sim| {
        first.iter().for_each(|active| sim.remove(active.active().unwrap(), Stacks::All).unwrap())
    });
    let mut copy = game.clone();
    let catalog = game.sim.catalog().clone();
    let bytes = game.sim.snapshot().to_bytes();
    copy.sim = Simulation::new(catalog.clone(), config);
    copy.sim.restore(&Snapshot::from_bytes(&bytes, &catalog).unwrap()).unwrap();
    for _ in 0..6 {
        game.apply("GE_Idle", "hero", "wolf");
        copy.apply("GE_Idle", "hero", "wolf");
        assert_eq!(game.sim.state_hash(), copy.sim.state_hash());
    }
    // 100 and the three that waited.
    assert_eq!(game.current("hero", "Attack"), 103.0);
}

/// Refused because a value would not be finite, when the new spec and all that follows from it was in the record already.
#[test]
fn a_refused_stack_or_merge_leaves_the_effect_as_it_was() {
    for stacks in [true, false] {
        let effect = EffectDef::lasting("GE_Surge", 30.0)
            .modify("Power", Operation::Add, MagnitudeDef::set_by_caller("Data.Surge"))
            .modify("Mana", Operation::Add, MagnitudeDef::attribute(CaptureFrom::Source, "Mana", 1.0))
            .modify("Mana", Operation::Add, MagnitudeDef::expression("rand()"))
            .granting("State.Surge");
        let effect = match stacks {
            true => effect.stacking(StackingDef::by_target(0)),
            false => effect.policy(ExecutionPolicy::RunInMerge),
        };
        let huge = EffectDef::instant("GE_Huge").modify("Power", Operation::Add, f64::MAX);
        let Scene { catalog, mut sim, unit } = scene(|builder| builder.effect(effect).effect(huge));
        sim.apply_effect(catalog.effect("GE_Huge").unwrap(), None, unit).unwrap();
        let (wolf, bear) = (sim.spawn("Unit").unwrap(), sim.spawn("Unit").unwrap());
        let (surge, number) = (catalog.effect("GE_Surge").unwrap(), catalog.tag("Data.Surge").unwrap());
        let context = EffectContext::of(wolf).at([1.0, 2.0, 3.0]).caused_by(ActorId(1));
        let spec = sim.spec(surge, 1.0, context).unwrap().with_magnitude(number, 1.0);
        let active = sim.apply(&spec, unit).unwrap().active().unwrap();
        sim.despawn(wolf).unwrap(); // what it was like last is remembered
        sim.advance(Span::seconds(1.0));
        let shown = |sim: &Simulation| {
            let values: Vec<_> = sim.attributes(unit).collect();
            format!("{:#?} {values:?}", sim.effect(active).unwrap())
        };
        let before = shown(&sim);
        let spec = sim.spec(surge, 2.0, EffectContext::of(bear)).unwrap();
        let spec = spec.with_duration(Span::seconds(9.0)).with_magnitude(number, f64::MAX);
        assert_eq!(sim.apply(&spec, unit).unwrap_err().code(), "NonFinite");
        assert_eq!(shown(&sim), before);
        assert_eq!(sim.inconsistencies(), Vec::<String>::new());
    }
}
