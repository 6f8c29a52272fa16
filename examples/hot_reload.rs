//! Hot reload of rules: `cargo run --example hot_reload`.
//!
//! A wolf is poisoned and cursed. Its designer then edits the pack: the poison gets stronger and shorter,
//! wolves get a new attribute, and the curse is deleted. A second edit has a typing error and changes
//! nothing.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::error::Error;

use ugas::data::Loader;
use ugas::prelude::*;

/// The pack on disk.
const PACK: &str = "
$schema: x/schemas/attribute_set.json
Name: Combat
Attributes:
  - { Name: Health, DefaultBaseValue: 100, Clamping: { Min: 0 } }
  - { Name: Attack, DefaultBaseValue: 20 }
---
$schema: x/schemas/gameplay_effect.json
Name: GE_Poison
DurationPolicy: HasDuration
Duration: { Type: ScalableFloat, Value: 10 }
Period: { Period: 1, ExecuteOnApplication: false }
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -5 } } ]
GrantedTags: [ State.Poisoned ]
---
$schema: x/schemas/gameplay_effect.json
Name: GE_Curse
DurationPolicy: Infinite
Modifiers: [ { Attribute: Attack, Operation: Multiply, Magnitude: { Type: ScalableFloat, Value: -0.5 } } ]
";

fn main() -> Result<(), Box<dyn Error>> {
    let catalog = Loader::new().text("pack.yaml", PACK).load()?.catalog;
    let mut sim = Simulation::new(catalog.clone(), Config::seeded(7));
    let wolf = sim.spawn_with(Spawn::def(ControllerDef::default().with_set("Combat")))?;
    sim.apply_effect(catalog.effect("GE_Poison")?, None, wolf)?;
    sim.apply_effect(catalog.effect("GE_Curse")?, None, wolf)?;
    sim.advance(Span::seconds(4.0));
    show(&sim, wolf, "before");
    sim.events().for_each(drop);

    let without_curse = PACK.rsplit_once("---").map_or(PACK, |(before, _)| before);
    let edited = without_curse
        .replace("Value: -5", "Value: -8")
        .replace("Value: 10 }", "Value: 6 }")
        .replace("  - { Name: Attack", "  - { Name: Armor, DefaultBaseValue: 3 }\n  - { Name: Attack");
    let reloaded = Loader::new().text("pack.yaml", edited.as_str()).reload(&mut sim)?;
    println!("\nthe report:\n{}", reloaded.report);
    println!("its events:");
    for event in sim.events().collect::<Vec<_>>() {
        println!("{}", event.describe(&sim));
    }
    println!();
    show(&sim, wolf, "after");

    // Four ticks of 5 are taken; the poison lasts 6 s now, so that two of 8 are to come.
    sim.advance(Span::seconds(6.0));
    show(&sim, wolf, "at the end");
    let health = sim.catalog().attribute("Health")?;
    assert_eq!(sim.current(wolf, health), Some(64.0));

    let hash = sim.state_hash();
    let mistyped = edited.replace("Attribute: Health", "Attribute: Helth");
    let refused = Loader::new().text("pack.yaml", mistyped).as_set().reload(&mut sim);
    println!(
        "\nan edit with a mistake:\n{}",
        refused.err().map(|error| error.to_string()).unwrap_or_default()
    );
    assert_eq!(sim.state_hash(), hash);
    Ok(())
}

fn show(sim: &Simulation, wolf: ControllerId, when: &str) {
    let catalog = sim.catalog();
    print!("{when}, at {}:", sim.now());
    for (attribute, _, current) in sim.attributes(wolf) {
        print!("  {} {current}", catalog.attribute_name(attribute));
    }
    println!();
}
