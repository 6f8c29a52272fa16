//! Native hooks (B4, E1): pre_change, post_execute, before_apply.

use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{EffectContext, EffectDef};
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Stacks};

use crate::fixture::{Game, buff, instant};

#[test]
fn b4_pre_change_adjusts_the_current_value_after_clamping_and_leaves_the_base() {
    let mut game = Game::build(|builder| {
        builder.effect(buff("GE_Slow", "Speed", Operation::Add, -390.0)).pre_change("Speed", |change| {
            assert!(change.base == 400.0);
            change.new.max(50.0)
        })
    });
    game.apply("GE_Slow", "wolf", "hero");
    assert_eq!((game.base("hero", "Speed"), game.current("hero", "Speed")), (400.0, 50.0));
}

#[test]
fn b4_non_finite_pre_change_result_is_ignored() {
    let mut game = Game::build(|builder| {
        builder.effect(buff("GE", "Speed", Operation::Add, 1.0)).pre_change("Speed", |_| f64::NAN)
    });
    game.apply("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Speed"), 401.0);
}

#[test]
fn b4_post_execute_sees_old_and_new_base_before_the_clamp_and_the_spec() {
    let mut game = Game::build(|builder| {
        builder.effect(instant("GE_Overkill", "Health", Operation::Add, -130.0)).post_execute(
            "Health",
            |execution| {
                assert_eq!((execution.old_base(), execution.new_base()), (100.0, -30.0));
                let mana = execution.simulation().catalog().attribute("Mana").unwrap();
                assert!(execution.spec().is_some_and(|spec| spec.level() == 1.0));
                // The excess is taken from Mana.
                assert!(execution.set_base(mana, 50.0 + execution.new_base()));
            },
        )
    });
    game.apply("GE_Overkill", "wolf", "hero");
    assert_eq!((game.base("hero", "Health"), game.base("hero", "Mana")), (0.0, 20.0));
    assert_eq!(game.base("wolf", "Mana"), 50.0);
}

#[test]
fn b4_post_execute_runs_once_per_attribute_and_not_for_temporary_modifiers() {
    let twice = EffectDef::instant("GE_Twice").modify("Attack", Operation::Add, 1.0).modify(
        "Attack",
        Operation::Add,
        1.0,
    );
    let mut game = Game::build(|builder| {
        builder.effect(twice).effect(buff("GE_Buff", "Attack", Operation::Add, 5.0)).post_execute(
            "Attack",
            |execution| {
                let mana = execution.simulation().catalog().attribute("Mana").unwrap();
                let mana_base = execution.simulation().base(execution.target(), mana).unwrap();
                execution.set_base(mana, mana_base - 1.0);
            },
        )
    });
    game.apply("GE_Twice", "hero", "hero");
    game.apply("GE_Buff", "hero", "hero");
    assert_eq!((game.base("hero", "Attack"), game.base("hero", "Mana")), (102.0, 49.0));
}

#[test]
fn b4_post_execute_rejects_values_that_the_state_cannot_hold() {
    let mut game = Game::build(|builder| {
        builder
            .declare_attribute("Breath")
            .effect(instant("GE", "Health", Operation::Add, -1.0))
            .post_execute("Health", |execution| {
                let catalog = execution.simulation().catalog().clone();
                let mana = catalog.attribute("Mana").unwrap();
                assert!(!execution.set_base(mana, f64::INFINITY));
                assert!(!execution.set_base(catalog.attribute("Breath").unwrap(), 1.0));
                let target = execution.target();
                assert!(execution.apply(catalog.effect("GE").unwrap(), f64::NAN, target).is_err());
            })
    });
    game.apply("GE", "hero", "hero");
    assert_eq!(game.base("hero", "Mana"), 50.0);
}

#[test]
fn b4_effect_applied_in_a_hook_follows_and_a_cycle_of_hooks_ends() {
    let config = Config { cascade_limit: 20, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| {
        builder.effect(instant("GE_Thorns", "Attack", Operation::Add, -1.0)).post_execute(
            "Attack",
            |execution| {
                let thorns = execution.simulation().catalog().effect("GE_Thorns").unwrap();
                let target = execution.target();
                execution.apply(thorns, 1.0, target).unwrap();
            },
        )
    });
    game.apply("GE_Thorns", "hero", "hero");
    assert_eq!(game.base("hero", "Attack"), 79.0); // the first, and 20 that follow from it
    assert_eq!(game.count("CascadeLimit"), 1);
}

#[test]
fn b4_tick_runs_post_execute_and_a_hook_ends_its_own_effect_through_a_tag() {
    let mut poison = EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -40.0);
    poison.remove_on_tags.push("State.Dead".into());
    let dead = EffectDef::infinite("GE_Dead").granting("State.Dead");
    let mut game = Game::build(|builder| {
        builder.effect(poison).effect(dead).post_execute("Health", |execution| {
            if execution.new_base() <= 0.0 {
                let (dead, target) =
                    (execution.simulation().catalog().effect("GE_Dead").unwrap(), execution.target());
                execution.apply(dead, 1.0, target).unwrap();
            }
        })
    });
    let poison = game.activate("GE_Poison", "wolf", "hero");
    game.pass(2.0);
    assert_eq!(game.base("hero", "Health"), 20.0);
    game.pass(8.0);
    assert!(game.sim.effect(poison).is_none() && game.has_tag("hero", "State.Dead"));
    assert!(game.log().contains(&"removed GE_Poison RemovedByTag".to_owned()));
}

#[test]
fn e1_before_apply_refuses_with_its_own_message_before_the_requirements() {
    let mut picky = EffectDef::instant("GE_Picky").modify("Health", Operation::Add, -1.0);
    picky.application_required_tags.push("State.Never".into());
    let mut game = Game::build(|builder| {
        builder.effect(picky).before_apply(|sim, target, spec| {
            let name = sim.effect_name(spec.effect()).to_owned();
            assert!(sim.controller(target).is_some());
            if name == "GE_Picky" { Err(format!("{name} is not for today")) } else { Ok(()) }
        })
    });
    assert_eq!(game.refusal("GE_Picky", "hero", "wolf"), "`GE_Picky` was refused: GE_Picky is not for today");
    assert_eq!(game.log(), ["refused GE_Picky RefusedByHook"]);
}

#[test]
fn e1_audit_reports_the_values_before_application() {
    let mut game = Game::configured(Config { audit: true, ..Config::seeded(7) }, |builder| {
        builder.effect(instant("GE_Hit", "Health", Operation::Add, -10.0))
    });
    game.apply("GE_Hit", "wolf", "hero");
    let events = game.events();
    let EventKind::BeforeEffectApplied { effect, target, values } = &events[0].kind else {
        panic!("the audit comes first: {events:?}")
    };
    assert_eq!((*effect, *target), (game.effect("GE_Hit"), game.id("hero")));
    assert_eq!(values.as_slice(), [(game.attribute("Health"), 100.0, 100.0)]);
}

#[test]
fn b4_hook_that_changes_a_bound_sees_settled_values_afterwards() {
    // The hook lowers MaxHealth while Health is being written: the clamp of the batch uses the new bound.
    let mut game = Game::build(|builder| {
        builder.effect(instant("GE_Curse", "Health", Operation::Add, -10.0)).post_execute(
            "Health",
            |execution| {
                let max = execution.simulation().catalog().attribute("MaxHealth").unwrap();
                execution.set_base(max, 60.0);
            },
        )
    });
    game.apply("GE_Curse", "wolf", "hero");
    assert_eq!((game.base("hero", "Health"), game.current("hero", "MaxHealth")), (60.0, 60.0));
}

#[test]
fn b4_pre_change_runs_again_when_the_modifier_is_removed() {
    let mut game = Game::build(|builder| {
        builder
            .effect(buff("GE", "Speed", Operation::Add, 500.0))
            .pre_change("Speed", |change| change.new.min(600.0))
    });
    let active = game.activate("GE", "hero", "hero");
    assert_eq!(game.current("hero", "Speed"), 600.0);
    game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Speed"), 400.0);
}

/// Half of the damage goes back to the attacker, with the number of the caller and the wolf as its source; the healer,
/// a third controller, gets the rest.
#[test]
fn b4_post_execute_applies_specs_with_numbers_and_context_to_anybody() {
    let by_caller = |name: &str, attribute: &str| {
        EffectDef::instant(name).modify(attribute, Operation::Add, MagnitudeDef::set_by_caller("Data.Amount"))
    };
    let mut game = Game::build(|builder| {
        builder
            .effect(instant("GE_Hit", "Health", Operation::Add, -30.0))
            .effect(by_caller("GE_Thorns", "Mana"))
            .effect(by_caller("GE_Lesson", "Attack"))
            .post_execute("Health", |post| {
                let damage = post.old_base() - post.new_base();
                let catalog = post.simulation().catalog().clone();
                let amount = catalog.tag("Data.Amount").unwrap();
                let context = EffectContext::of(post.target());
                let mut thorns =
                    post.simulation().spec(catalog.effect("GE_Thorns").unwrap(), 1.0, context).unwrap();
                thorns.set_magnitude(amount, -damage / 2.0);
                post.apply_spec(thorns, post.source().unwrap());
                let third = post.simulation().controllers().map(|(id, _)| id).last().unwrap();
                let context = post.context();
                let mut lesson =
                    post.simulation().spec(catalog.effect("GE_Lesson").unwrap(), 1.0, context).unwrap();
                lesson.set_magnitude(amount, damage);
                post.apply_spec(lesson, third);
            })
    });
    let healer = game.spawn("healer", "Unit");
    game.events();
    game.apply("GE_Hit", "hero", "wolf");
    // 50 - 30 / 2 mana of the attacker, 100 + 30 attack of the third.
    assert_eq!((game.base("hero", "Mana"), game.base("healer", "Attack")), (35.0, 130.0));
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let sources: Vec<_> = game
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::EffectExecuted { target, .. } => Some((target, event.cause.source)),
            _ => None,
        })
        .collect();
    assert_eq!(sources, [(wolf, Some(hero)), (hero, Some(wolf)), (healer, Some(hero))]);
}
