//! Interactions of effect features: layers, stacking, merging, inhibition, captures, executions, drains and
//! cues.

use ugas_core::ability::AbilityDef;
use ugas_core::effect::calculation::{CalculationDef, OutputDef, native};
use ugas_core::effect::magnitude::{AttributeCalculation, AttributeMagnitudeDef, CaptureFrom, MagnitudeDef};
use ugas_core::effect::{
    AbilityGrantDef, AbilityRemoval, EffectContext, EffectDef, ExecutionDef, ExecutionPolicy,
    ScopedModifierDef, ScopedTargetDef, StackingDef,
};
use ugas_core::event::EventKind;
use ugas_core::id::ActorId;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::{EvaluationParameters, Simulation, Stacks};
use ugas_core::time::Span;

use crate::scene::{Scene, scene};

#[test]
fn m10_reading_up_to_a_layer_includes_modifiers_that_an_override_hides() {
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
fn a8_kept_ability_is_granted_once_when_its_effect_is_inhibited_repeatedly() {
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
fn v5_scoped_modifiers_and_calculation_roll_separate_dice() {
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
fn e6_zero_duration_effect_extended_in_the_same_batch_survives() {
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
fn uem_captured_modifier_with_unmet_requirements_does_not_count_after_removal() {
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
fn b3_meta_attribute_drains_within_its_bounds_down_to_the_minimum_of_others() {
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
fn e5_new_stack_that_resets_the_period_uses_the_period_of_its_spec() {
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
fn t2_merge_with_a_dynamic_tag_of_both_specs_emits_no_event() {
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
fn gasd_calculation_executes_its_own_cues() {
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

/// The refusal (a value would not be finite) comes after the new spec was written to the active effect.
#[test]
fn refused_stack_or_merge_leaves_the_effect_unchanged() {
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
        sim.despawn(wolf).unwrap(); // its last readings are kept
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
