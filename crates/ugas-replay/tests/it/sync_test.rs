//! Sync tests: restoring and repeating after every command.

use std::sync::atomic::{AtomicU32, Ordering};

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::command::Command;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::effect::calculation::native;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Spawn};
use ugas_core::time::{Span, Time};
use ugas_replay::{SyncProblem, SyncTest};

use crate::fight::{FightOptions, TICKS, play, simulation};

#[test]
fn fight_continues_equally_after_every_restore() {
    for depth in [0, 1, 7] {
        let options = FightOptions::default();
        let mut sim = simulation(options);
        let mut test = SyncTest::new(&sim, depth);
        play(&mut sim, options, |sim, command| {
            let _ = test.execute(sim, command);
        });
        assert!(test.failure().is_none(), "{}", test.failure().unwrap());
        assert!(test.steps() > TICKS);
    }
}

/// A simulation with native code that keeps state outside of the simulation, which is forbidden.
fn forgetful() -> Simulation {
    let count = AtomicU32::new(1);
    let remembers = native(Vec::new(), move |_| Ok(-f64::from(count.fetch_add(1, Ordering::Relaxed))));
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
        .native("Remembers", remembers)
        .effect(EffectDef::infinite("GE_Drain").every(1.0).modify(
            "Health",
            Operation::Add,
            MagnitudeDef::calculation("Remembers"),
        ))
        .template(ControllerDef::new("Wolf").with_set("Combat").with_effect("GE_Drain", 1.0))
        .build();
    Simulation::new(catalog.unwrap(), Config::default())
}

#[test]
fn state_outside_the_simulation_is_found_and_named() {
    let mut sim = forgetful();
    let mut test = SyncTest::new(&sim, 3);
    test.execute(&mut sim, Command::Spawn(Spawn::named("Wolf"))).unwrap();
    let _ = test.execute(&mut sim, Command::Advance(Span::millis(500)));
    // The magnitude of the spawned wolf's drain is calculated again and differs.
    let failure = test.failure().unwrap();
    assert_eq!((failure.step, failure.behind, failure.time), (1, 1, Time::ZERO));
    assert_eq!(test.steps(), 1, "nothing is tested after a failure");
    let SyncProblem::State(diff) = &failure.problem else { panic!("{failure}") };
    let fields: Vec<&str> = diff.differences.iter().map(|found| found.field.as_str()).collect();
    assert_eq!(fields, ["effect GE_Drain (active0v1) magnitudes"]);
    assert_eq!(
        failure.to_string(),
        "after command 1 at 0 s, restored from 1 commands before: the states differ\n  \
         controller0v1 effect GE_Drain (active0v1) magnitudes: [-1.0] -> [-2.0]"
    );
}
