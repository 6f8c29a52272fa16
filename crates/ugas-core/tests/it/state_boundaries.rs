//! Boundaries of the state: rollback, snapshots, cascade budgets, panics and the end of time (E12, V4, I1,
//! I10).

use std::panic::{AssertUnwindSafe, catch_unwind};

use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{
    AdditionalEffectDef, EffectContext, EffectDef, ExecutionPolicy, StackExpiration, StackingDef,
};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Snapshot, Stacks};
use ugas_core::time::Time;

use crate::scene::scene;

#[test]
fn e12_each_batch_has_its_own_cascade_budget() {
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
fn v4_simulation_with_periods_and_refreshing_stacks_reaches_the_maximum_time() {
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
fn i10_spec_whose_effect_id_was_reassigned_is_refused() {
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
fn i10_batch_ends_when_it_panics() {
    let mut scene =
        scene(|builder| builder.effect(EffectDef::instant("GE_Hit").modify("Power", Operation::Add, 1.0)));
    let _ = catch_unwind(AssertUnwindSafe(|| scene.sim.batch(|_| panic!("on purpose"))));
    scene.apply("GE_Hit");
    assert_eq!(scene.current("Power"), 11.0);
}

#[test]
fn i1_snapshot_of_another_catalog_is_refused() {
    let mut one = scene(|builder| builder.effect(EffectDef::instant("GE_Hit")));
    let other = scene(|builder| builder);
    let error = one.sim.restore(&other.sim.snapshot()).unwrap_err();
    assert_eq!((error.expected, error.found), (one.catalog.hash(), other.catalog.hash()));
}

/// A rollback undoes the spawn of a controller, and its handle is given out again. Until then the handle is
/// unknown.
#[test]
fn i1_source_that_a_rollback_undid_is_refused() {
    let mut game = crate::fixture::Game::of([EffectDef::infinite("GE_Mark")]);
    let (before, hero) = (game.sim.snapshot(), game.id("hero"));
    let mark = game.sim.catalog().effect("GE_Mark").unwrap();
    let ghost = game.sim.spawn("Unit").unwrap();
    game.sim.restore(&before).unwrap();
    assert_eq!(game.sim.apply_effect(mark, Some(ghost), hero).unwrap_err().code(), "UnknownController");
    // The handle of a despawned controller is accepted.
    assert_eq!(game.sim.spawn("Unit"), Ok(ghost));
    game.sim.despawn(ghost).unwrap();
    game.sim.apply_effect(mark, Some(ghost), hero).unwrap();
    let bytes = game.sim.snapshot().to_bytes();
    assert!(Snapshot::from_bytes(&bytes, game.sim.catalog()).is_ok());
}

/// Effects that a recalculation ends are part of its operation: no work waits outside the state.
#[test]
fn i1_queue_ended_by_a_recalculation_costs_the_next_operation_no_budget() {
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

/// E12: queues that the budget stopped continue with the next operation, in a copy as in the original.
#[test]
fn i1_queues_that_wait_for_budget_continue_in_a_restored_copy() {
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
    // 100 and the three queued effects.
    assert_eq!(game.current("hero", "Attack"), 103.0);
}
