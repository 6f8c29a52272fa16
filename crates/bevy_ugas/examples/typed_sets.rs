//! Rules in Rust, with typed attributes: `cargo run -p bevy_ugas --example typed_sets`.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use bevy_app::{App, FixedUpdate, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::GameplayWorld;
use bevy_ugas::prelude::*;
use ugas::{CaptureDef, ControllerDef, EffectDef, MagnitudeDef, Operation, native};

/// Declares the set, and is the read-only component that holds its values.
#[derive(Component, AttributeSet, PartialEq, Debug)]
#[component(immutable)]
struct Combat {
    #[attribute(default = 100.0, min = 1.0)]
    max_health: f64,
    #[attribute(default = 100.0, min = 0.0, max = "MaxHealth")]
    health: f64,
    #[attribute(default = 12.0)]
    strength: f64,
    #[attribute(derived = "MaxHealth / 20")]
    armour: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(UgasPlugins::from_code())
        .add_attribute_set::<Combat>()
        .add_calculation(
            "Blow",
            native(
                vec![CaptureDef::source(Combat::STRENGTH), CaptureDef::target(Combat::ARMOUR)],
                |context| Ok((context.target("Armour")? - context.source("Strength")?).min(0.0)),
            ),
        )
        .extend_rules(|builder| {
            let blow = MagnitudeDef::calculation("Blow");
            builder
                .effect(EffectDef::instant("GE_Blow").modify(Combat::HEALTH, Operation::Add, blow))
                .template(ControllerDef::new("Fighter").with_set(Combat::NAME))
        })
        .add_systems(FixedUpdate, report.after(GameplaySystems::Apply));

    let [one, other] = ["Fighter"; 2].map(|name| app.world_mut().spawn(GameplayController::new(name)).id());
    app.update();
    app.world_mut().resource_mut::<GameplayWorld>().apply("GE_Blow", one, other)?;
    app.update();
    app.update();
    let combat = app.world().get::<Combat>(other).ok_or("the set is a component")?;
    assert_eq!(combat.health, 93.0); // 100 - (12 - 5)
    Ok(())
}

fn report(fighters: Query<'_, '_, (Entity, &Combat), Changed<Combat>>) {
    for (fighter, combat) in &fighters {
        println!("{fighter}: {combat:?}");
    }
}
