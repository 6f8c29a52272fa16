//! Cost of idle controllers: `cargo run --release -p bevy_ugas --example idle_cost`.
//!
//! A step with 100 idle controllers against one with 10,000, without transforms, with transforms, and with
//! transforms that never move. The ratio is near 1 if idle controllers cost nothing; transforms have to be
//! checked for changes, as in Bevy's own systems.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::time::{Duration, Instant};

use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::bundle::Bundle;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use bevy_ugas::prelude::*;
use bevy_ugas::transform::Unmoving;
use ugas::prelude::*;

const STEPS: u32 = 2_000;

fn main() -> Result<(), ugas::Error> {
    compare("without transforms", ())?;
    compare("with transforms", Transform::default())?;
    compare("with transforms, unmoving", (Transform::default(), Unmoving))
}

fn compare(what: &str, with: impl Bundle + Clone) -> Result<(), ugas::Error> {
    let (few, many) = (measure(100, with.clone())?, measure(10_000, with)?);
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    println!("{what}: {few:?} a step with 100 idle controllers, {many:?} with 10,000: ratio {ratio:.2}");
    Ok(())
}

/// Time of a step: the best of several rounds, to exclude disturbances by other programs.
fn measure(count: u32, with: impl Bundle + Clone) -> Result<Duration, ugas::Error> {
    let rules = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
        .effect(
            EffectDef::infinite("GE_Blessing")
                .modify("Health", Operation::Add, 5.0)
                .granting("State.Blessed"),
        )
        .template(ControllerDef::new("Wolf").with_set("Combat").with_effect("GE_Blessing", 1.0))
        .build()?;
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(UgasPlugins::from_catalog(rules));
    for _ in 0..count {
        app.world_mut().spawn((GameplayController::new("Wolf"), with.clone()));
    }
    for _ in 0..100 {
        app.update();
    }
    let round = || {
        let start = Instant::now();
        for _ in 0..STEPS {
            app.update();
        }
        start.elapsed() / STEPS
    };
    let rounds = core::iter::repeat_with(round);
    Ok(rounds.take(5).min().unwrap_or_default())
}
