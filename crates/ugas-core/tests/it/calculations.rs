//! Calculations, native and as expressions (§9.5; GASD §4.5.11–12).

use ugas_core::effect::calculation::{
    Calculation, CalculationDef, CalculationError, CaptureDef, OutputDef, native,
};
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{EffectDef, ExecutionDef, ScopedModifierDef, ScopedTargetDef, StackingDef};
use ugas_core::modifier::Operation;
use ugas_core::simulation::CalculationContext;

use crate::fixture::{Game, assert_close, instant, tagging};

/// §9.5: AttackPower 100 against Armor 20 with a penetration of Mana 50 × 0.1 = 5.
/// Effective armor 15, reduction 15 / 115, damage 100 × 100 / 115.
const DAMAGE: f64 = 100.0 * 100.0 / 115.0;

fn physical_damage() -> impl Calculation {
    let captures =
        vec![CaptureDef::source("Attack"), CaptureDef::source("Mana"), CaptureDef::target("Armor")];
    native(captures, |context| {
        let penetration = context.source("Mana")? * 0.1;
        let armor = (context.target("Armor")? - penetration).max(0.0);
        let damage = context.source("Attack")? * (1.0 - armor / (armor + 100.0));
        context.output("Health", Operation::Add, -damage)?;
        Ok(0.0)
    })
}

fn physical_damage_as_expressions() -> CalculationDef {
    CalculationDef {
        name: "Calc".into(),
        captures: vec![],
        lets: vec![
            ("effective".into(), "max(0, Target.Armor - Source.Mana * 0.1)".into()),
            ("reduction".into(), "effective / (effective + 100)".into()),
        ],
        outputs: vec![OutputDef {
            attribute: "Health".into(),
            operation: Operation::Add,
            magnitude: "-Source.Attack * (1 - reduction)".into(),
            to: Default::default(),
        }],
        result: None,
        tags: Vec::new(),
    }
}

#[test]
fn section_9_5_armor_penetration_native_and_as_expressions_agree() {
    let hit = || EffectDef::instant("GE_Hit").executing("Calc");
    let games = [
        Game::build(|builder| builder.native("Calc", physical_damage()).effect(hit())),
        Game::build(|builder| builder.calculation(physical_damage_as_expressions()).effect(hit())),
    ];
    for mut game in games {
        game.apply("GE_Hit", "hero", "wolf");
        assert_close(game.base("wolf", "Health"), 100.0 - DAMAGE);
        assert_eq!(game.base("hero", "Health"), 100.0);
    }
}

#[test]
fn section_9_5_armor_below_zero_counts_as_none() {
    let mut game = Game::build(|builder| {
        builder
            .calculation(physical_damage_as_expressions())
            .effect(EffectDef::instant("GE_Hit").executing("Calc"))
            .effect(instant("GE_Strip", "Armor", Operation::Override, 3.0))
    });
    game.apply("GE_Strip", "hero", "wolf");
    game.apply("GE_Hit", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 0.0); // 100 − 100
}

#[test]
fn native_calculation_takes_precedence_over_a_file() {
    let mut game = Game::build(|builder| {
        builder
            .calculation(physical_damage_as_expressions())
            .native(
                "Calc",
                native(vec![], |context| context.output("Health", Operation::Add, -1.0).map(|()| 0.0)),
            )
            .effect(EffectDef::instant("GE_Hit").executing("Calc"))
    });
    game.apply("GE_Hit", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 99.0);
}

fn scoped(target: ScopedTargetDef, operation: Operation, magnitude: f64) -> ScopedModifierDef {
    ScopedModifierDef { target, operation, magnitude: magnitude.into() }
}

#[test]
fn scoped_modifiers_change_what_one_execution_reads_and_nothing_else() {
    let attack = || ScopedTargetDef::Attribute { name: "Attack".into(), from: CaptureFrom::Source };
    let mut hit = EffectDef::instant("GE_Hit");
    hit.executions.push(ExecutionDef {
        calculation: "Calc".into(),
        modifiers: vec![
            scoped(attack(), Operation::Multiply, -0.5), // (100 + 20) × 0.5 = 60
            scoped(attack(), Operation::Add, 20.0),
        ],
    });
    let mut game = Game::build(|builder| builder.native("Calc", physical_damage()).effect(hit));
    game.apply("GE_Hit", "hero", "wolf");
    assert_close(game.base("wolf", "Health"), 100.0 - DAMAGE * 0.6);
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn transient_variables_begin_at_0_and_are_read_by_name() {
    let calculation = CalculationDef {
        name: "Calc".into(),
        outputs: vec![OutputDef {
            attribute: "Health".into(),
            operation: Operation::Add,
            magnitude: "-bonus".into(),
            to: Default::default(),
        }],
        ..CalculationDef::default()
    };
    let variable = || ScopedTargetDef::Variable("bonus".into());
    let execute = |name: &str, modifiers| {
        let mut effect = EffectDef::instant(name);
        effect.executions.push(ExecutionDef { calculation: "Calc".into(), modifiers });
        effect
    };
    let mut game = Game::build(|builder| {
        builder.calculation(calculation).effect(execute("GE_None", vec![])).effect(execute(
            "GE_Some",
            vec![scoped(variable(), Operation::Add, 4.0), scoped(variable(), Operation::Multiply, 0.5)],
        ))
    });
    game.apply("GE_None", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 100.0);
    game.apply("GE_Some", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 94.0); // 4 × 1.5
}

struct WithVariable;

impl Calculation for WithVariable {
    fn variables(&self) -> Vec<String> {
        vec!["Crit".into()]
    }

    fn calculate(&self, context: &mut CalculationContext<'_>) -> Result<f64, CalculationError> {
        let crit = context.variable("Crit");
        assert_eq!(context.variable("Unknown"), 0.0);
        context.output("Health", Operation::Add, -10.0 * (1.0 + crit))?;
        Ok(0.0)
    }
}

#[test]
fn transient_variables_serve_native_calculations() {
    let mut effect = EffectDef::instant("GE");
    effect.executions.push(ExecutionDef {
        calculation: "Calc".into(),
        modifiers: vec![scoped(ScopedTargetDef::Variable("Crit".into()), Operation::Add, 0.5)],
    });
    let mut game = Game::build(|builder| builder.native("Calc", WithVariable).effect(effect));
    game.apply("GE", "hero", "wolf");
    assert_eq!(game.base("wolf", "Health"), 85.0);
}

#[test]
fn several_outputs_are_written_in_order_and_clamped_together() {
    let calculation = native(vec![], |context| {
        context.output("Health", Operation::Add, -500.0)?;
        context.output("Health", Operation::Add, 450.0)?;
        context.output("Mana", Operation::Multiply, 1.0)?;
        context.output("Attack", Operation::Override, 7.0)?;
        Ok(0.0)
    });
    let mut game = Game::build(|builder| {
        builder.native("Calc", calculation).effect(EffectDef::instant("GE").executing("Calc"))
    });
    game.apply("GE", "hero", "wolf");
    assert_eq!(["Health", "Mana", "Attack"].map(|name| game.base("wolf", name)), [50.0, 100.0, 7.0]);
}

#[test]
fn a_second_calculation_sees_what_the_first_wrote() {
    let halve = native(vec![CaptureDef::target("Mana")], |context| {
        let mana = context.target("Mana")?;
        context.output("Mana", Operation::Override, mana / 2.0)?;
        Ok(0.0)
    });
    let mut game = Game::build(|builder| {
        builder.native("Calc", halve).effect(
            EffectDef::instant("GE").modify("Mana", Operation::Add, 50.0).executing("Calc").executing("Calc"),
        )
    });
    game.apply("GE", "hero", "wolf");
    assert_eq!(game.base("wolf", "Mana"), 25.0); // (50 + 50) / 2 / 2
}

#[test]
fn an_undeclared_capture_is_an_error_and_changes_nothing() {
    let calculation = native(vec![CaptureDef::target("Health")], |context| {
        context.output("Health", Operation::Add, -1.0)?;
        context.source("Health")
    });
    let mut game = Game::build(|builder| {
        builder
            .native("Calc", calculation)
            .effect(EffectDef::instant("GE").modify("Mana", Operation::Add, -1.0).executing("Calc"))
    });
    assert_eq!(
        game.refusal("GE", "hero", "wolf"),
        "`GE` was refused: the calculation `Calc` reads `Health` of the Source, which it did not declare as a capture"
    );
    assert_eq!((game.base("wolf", "Health"), game.base("wolf", "Mana")), (100.0, 50.0));
}

#[test]
fn calculation_may_fail_with_its_own_message() {
    let calculation = native(vec![], |_| Err(CalculationError::Failed("there is no line of sight".into())));
    let mut game = Game::build(|builder| {
        builder.native("Calc", calculation).effect(EffectDef::instant("GE").executing("Calc"))
    });
    assert_eq!(
        game.refusal("GE", "hero", "wolf"),
        "`GE` was refused: the calculation `Calc` failed: there is no line of sight"
    );
}

#[test]
fn a_missing_calculation_refuses_each_use_and_is_listed() {
    let mut required = EffectDef::instant("GE_Required");
    required.requirement = Some("Calc_Host".into());
    let mut game = Game::of([
        EffectDef::instant("GE_Execution").executing("Calc_Host"),
        EffectDef::infinite("GE_Periodic").every(1.0).executing("Calc_Host"),
        EffectDef::infinite("GE_Magnitude").modify(
            "Attack",
            Operation::Add,
            MagnitudeDef::calculation("Calc_Host"),
        ),
        required,
    ]);
    for name in ["GE_Execution", "GE_Periodic", "GE_Magnitude", "GE_Required"] {
        assert_eq!(
            game.refusal(name, "hero", "wolf"),
            format!("`{name}` was refused: the calculation `Calc_Host` is used but not provided")
        );
    }
    let missing = game.sim.catalog().missing();
    assert_eq!(missing, [(ugas_core::catalog::DefinitionKind::Calculation, "Calc_Host")]);
}

#[test]
fn outputs_are_multiplied_by_stacks_unless_the_calculation_handles_them() {
    let damage = |handles: bool| {
        native(vec![], move |context| {
            if handles {
                context.handle_stacks();
            }
            let damage = if handles { f64::from(context.stacks()) } else { 1.0 };
            context.output("Health", Operation::Add, -damage)?;
            Ok(0.0)
        })
    };
    let by_file = |name: &str, magnitude: &str| CalculationDef {
        name: name.into(),
        outputs: vec![OutputDef {
            attribute: "Health".into(),
            operation: Operation::Add,
            magnitude: magnitude.into(),
            to: Default::default(),
        }],
        ..CalculationDef::default()
    };
    for calculation in ["Calc_Plain", "Calc_Handles", "Calc_File", "Calc_FileHandles"] {
        let mut game = Game::build(|builder| {
            builder
                .native("Calc_Plain", damage(false))
                .native("Calc_Handles", damage(true))
                .calculation(by_file("Calc_File", "-1"))
                .calculation(by_file("Calc_FileHandles", "-Stacks"))
                .effect(
                    EffectDef::infinite("GE")
                        .every(1.0)
                        .executing(calculation)
                        .stacking(StackingDef::by_target(0)),
                )
        });
        for _ in 0..3 {
            game.apply("GE", "hero", "wolf");
        }
        game.pass(1.0);
        assert_eq!(game.base("wolf", "Health"), 97.0, "{calculation}");
    }
}

#[test]
fn calculation_may_handle_the_cues() {
    for handles in [true, false] {
        let calculation = native(vec![], move |context| {
            if handles {
                context.handle_cues();
            }
            context.output("Health", Operation::Add, -1.0).map(|()| 0.0)
        });
        let mut game = Game::build(|builder| {
            builder
                .native("Calc", calculation)
                .effect(EffectDef::instant("GE").executing("Calc").cue("GameplayCue.Hit"))
        });
        game.apply("GE", "hero", "wolf");
        assert_eq!(game.count("CueExecuted"), usize::from(!handles));
    }
}

#[test]
fn a_magnitude_calculation_is_scaled_and_followed_live() {
    let mut game = Game::build(|builder| {
        builder
            .native(
                "Calc",
                native(vec![CaptureDef::source("Strength")], |context| context.source("Strength")),
            )
            .effect(EffectDef::infinite("GE").modify(
                "Attack",
                Operation::Override,
                MagnitudeDef::Calculation {
                    name: "Calc".into(),
                    coefficient: 2.0,
                    pre_add: 1.0,
                    post_add: 3.0,
                },
            ))
            .effect(instant("GE_Train", "Strength", Operation::Add, 10.0))
    });
    game.apply("GE", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 105.0); // (50 + 1) × 2 + 3
    game.apply("GE_Train", "wolf", "wolf");
    assert_eq!(game.current("hero", "Attack"), 125.0);
}

#[test]
fn a_frozen_capture_of_a_calculation_stays() {
    let mut game = Game::build(|builder| {
        builder
            .native(
                "Calc",
                native(vec![CaptureDef::source("Strength").frozen()], |context| {
                    let strength = context.source("Strength")?;
                    context.output("Health", Operation::Add, -strength)?;
                    Ok(0.0)
                }),
            )
            .effect(EffectDef::instant("GE").executing("Calc"))
            .effect(instant("GE_Train", "Strength", Operation::Add, 10.0))
    });
    let spec = game.spec("GE", "wolf");
    game.apply("GE_Train", "wolf", "wolf");
    game.apply_spec(&spec, "hero");
    assert_eq!(game.base("hero", "Health"), 50.0);
}

struct Vulnerable;

impl Calculation for Vulnerable {
    fn tags(&self) -> Vec<(CaptureFrom, String)> {
        vec![(CaptureFrom::Target, "Status.Vulnerable".into())]
    }

    fn calculate(&self, context: &mut CalculationContext<'_>) -> Result<f64, CalculationError> {
        Ok(if context.target_has("Status.Vulnerable") { 120.0 } else { 100.0 })
    }
}

#[test]
fn section_15_3_a_native_magnitude_follows_the_tags_it_asks_for() {
    let mut game = Game::build(|builder| {
        builder
            .native("Calc", Vulnerable)
            .effect(EffectDef::infinite("GE").modify(
                "Attack",
                Operation::Override,
                MagnitudeDef::calculation("Calc"),
            ))
            .effect(tagging("Status.Vulnerable"))
    });
    game.apply("GE", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 100.0);
    game.apply("Tag:Status.Vulnerable", "wolf", "hero");
    assert_eq!(game.current("hero", "Attack"), 120.0);
}

#[test]
fn v5_a_native_calculation_rolls_reproducible_dice_that_differ_from_tick_to_tick() {
    let roll = || {
        let mut game = Game::build(|builder| {
            builder
                .native(
                    "Calc",
                    native(vec![], |context| {
                        let dice = context.random();
                        context.output("Mana", Operation::Override, dice).map(|()| 0.0)
                    }),
                )
                .effect(EffectDef::infinite("GE").every(1.0).executing("Calc"))
        });
        game.apply("GE", "hero", "wolf");
        [(); 3].map(|()| {
            game.pass(1.0);
            game.base("wolf", "Mana")
        })
    };
    let [first, second, third] = roll();
    assert_eq!(roll(), [first, second, third]);
    assert!(first != second && second != third);
    assert!([first, second, third].iter().all(|dice| (0.0..1.0).contains(dice)));
}

#[test]
fn inside_a_batch_a_calculation_reads_and_leaves_stale_values() {
    let mut game = Game::build(|builder| {
        builder
            .calculation(physical_damage_as_expressions())
            .effect(EffectDef::instant("GE_Hit").executing("Calc"))
            .effect(instant("GE_Strong", "Attack", Operation::Override, 0.0))
    });
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let (hit, strong) = (game.effect("GE_Hit"), game.effect("GE_Strong"));
    let attack = game.attribute("Attack");
    game.sim.batch(|sim| {
        sim.apply_effect(strong, Some(hero), hero).unwrap();
        sim.apply_effect(hit, Some(hero), wolf).unwrap();
        assert_eq!(sim.current(hero, attack), Some(100.0));
    });
    assert_close(game.base("wolf", "Health"), 100.0 - DAMAGE);
    assert_eq!(game.current("hero", "Attack"), 0.0);
}
