//! A small fight, and the explanation of a value: `cargo run --example quickstart`.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use ugas::prelude::*;

fn main() -> Result<(), ugas::Error> {
    let catalog = Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("MaxHealth", 100.0).min(1.0))
                .with(AttributeDef::new("Health", 100.0).min(0.0).max("MaxHealth"))
                .with(AttributeDef::new("Attack", 20.0)),
        )
        .effect(EffectDef::infinite("GE_Sword").modify("Attack", Operation::Add, 10.0))
        .effect(EffectDef::lasting("GE_Rage", 5.0).modify("Attack", Operation::Multiply, 0.5))
        .effect(EffectDef::instant("GE_Hit").modify(
            "Health",
            Operation::Add,
            MagnitudeDef::expression("-Source.Attack"),
        ))
        .effect(
            EffectDef::lasting("GE_Poison", 3.0)
                .every(1.0)
                .modify("Health", Operation::Add, -5.0)
                .granting("State.Poisoned"),
        )
        .template(ControllerDef::new("Hero").with_set("Combat").with_effect("GE_Sword", 1.0))
        .template(
            ControllerDef::new("Ogre")
                .with_set("Combat")
                .with_base("MaxHealth", 150.0)
                .with_base("Health", 150.0),
        )
        .build()?;
    let mut sim = Simulation::new(catalog.clone(), Config::seeded(7));
    let (hero, ogre) = (sim.spawn("Hero")?, sim.spawn("Ogre")?);

    sim.apply_effect(catalog.effect("GE_Rage")?, Some(hero), hero)?;
    sim.apply_effect(catalog.effect("GE_Hit")?, Some(hero), ogre)?; // (20 + 10) × 1.5 = 45
    sim.apply_effect(catalog.effect("GE_Poison")?, Some(hero), ogre)?;
    sim.advance(Span::seconds(3.0)); // three ticks of 5

    while let Some(event) = sim.poll_event() {
        println!("{}", event.describe(&sim));
    }
    let left = sim.current(ogre, catalog.attribute("Health")?).unwrap_or_default();
    println!("\nthe ogre has {left} health left, and the hero's attack comes from:\n");
    if let Some(explanation) = sim.explain(hero, catalog.attribute("Attack")?) {
        println!("{explanation}");
    }
    Ok(())
}
