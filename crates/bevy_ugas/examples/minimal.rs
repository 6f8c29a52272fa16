//! A wolf is poisoned and dies of it: `cargo run -p bevy_ugas --example minimal`.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use bevy_app::{App, FixedUpdate, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::prelude::*;
use ugas::prelude::*;

fn main() -> Result<(), ugas::Error> {
    let rules = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 20.0).min(0.0)))
        .effect(EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify("Health", Operation::Add, -5.0))
        .template(ControllerDef::new("Wolf").with_set("Combat"))
        .build()?;

    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        // A game has a runner and a clock; here every update is a step.
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(UgasPlugins::from_catalog(rules))
        .add_systems(FixedUpdate, report.after(GameplaySystems::Apply))
        .add_observer(die);

    let wolf = app.world_mut().spawn(GameplayController::new("Wolf")).id();
    app.world_mut().commands().entity(wolf).apply_effect("GE_Poison", None);
    for _ in 0..5 * 64 {
        app.update();
    }
    assert!(app.world().get_entity(wolf).is_err(), "four ticks of 5 take 20");
    Ok(())
}

/// Runs only for entities whose attributes changed.
fn report(wolves: Query<'_, '_, (Entity, &Attributes), Changed<Attributes>>, gameplay: GameplayView<'_>) {
    for (wolf, attributes) in &wolves {
        let Ok(health) = attributes.current("Health") else { continue };
        println!("{:>5.2} s: {wolf} has {health} health", gameplay.now().as_seconds());
    }
}

fn die(change: On<'_, '_, AttributeChanged>, mut commands: Commands<'_, '_>) {
    if &*change.name == "Health" && change.new <= 0.0 {
        println!("{} dies", change.entity);
        commands.entity(change.entity).despawn();
    }
}
