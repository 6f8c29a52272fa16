//! A save slot: `cargo run --example save_slot`.
//!
//! A hero is saved in one simulation and restored in others: on another server, and after a patch that
//! changed the rules. Timers go on where they were, nothing is applied again, and a report lists the
//! differences.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;

use ugas::prelude::*;
use ugas::{Character, RestoreOptions};

/// The rules; a patch gives the ring another strength.
fn rules(ring: f64) -> Result<Arc<Catalog>, ugas::Error> {
    Ok(Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("MaxHealth", 100.0).min(1.0))
                .with(AttributeDef::new("Health", 100.0).min(0.0).max("MaxHealth")),
        )
        .effect(EffectDef::infinite("GE_Ring").modify("MaxHealth", Operation::Add, ring))
        .effect(EffectDef::instant("GE_Heal").modify("Health", Operation::Add, 30.0))
        .effect(EffectDef::lasting("GE_Poison", 7.0).every(2.0).modify("Health", Operation::Add, -5.0))
        .effect(EffectDef::lasting("GE_HealCooldown", 10.0).granting("Cooldown.Heal"))
        .ability(
            AbilityDef::new("GA_Heal")
                .cooldown("GE_HealCooldown")
                .task(TaskDef::commit())
                .task(TaskDef::apply_to_owner("GE_Heal")),
        )
        .template(ControllerDef::new("Hero").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Heal")))
        .build()?)
}

/// Plays a hero with a ring, who has healed and was bitten since.
fn play() -> Result<Character, ugas::Error> {
    let catalog = rules(50.0)?;
    let mut forest = Simulation::new(Arc::clone(&catalog), Config::seeded(7));
    let hero = forest.spawn("Hero")?;
    forest.apply_effect(catalog.effect("GE_Ring")?, Some(hero), hero)?;
    let heal = forest.controller(hero).and_then(|hero| hero.abilities().first().copied());
    forest.activate(heal.expect("the template grants it"))?; // Health 130 of 150
    forest.apply_effect(catalog.effect("GE_Poison")?, None, hero)?;
    forest.advance(Span::seconds(3.5)); // one tick, at 2 s
    Ok(forest.character(hero).expect("the hero is there"))
}

/// Restores a character and prints its state.
fn arrive(place: &str, catalog: &Arc<Catalog>, character: &Character) -> Result<(), ugas::Error> {
    let mut sim = Simulation::new(Arc::clone(catalog), Config::default());
    let (hero, report) = sim.restore_character(character, &RestoreOptions::default())?;
    println!("{place}:");
    print!("{report}");
    let page = |sim: &Simulation| sim.debug(hero).map(|page| page.to_string()).unwrap_or_default();
    println!("{}", page(&sim));
    // The ticks due at 4 and 6 s come after 0.5 and 2.5 s; the poison ends at 7, the cooldown at 10.
    sim.advance(Span::seconds(6.5));
    let health = catalog.attribute("Health")?;
    assert_eq!(sim.current(hero, health), Some(115.0));
    assert!(!sim.has_tag(hero, catalog.tag("Cooldown.Heal")?));
    Ok(())
}

fn main() -> Result<(), ugas::Error> {
    let character = play()?;
    let slot = character.to_bytes();
    println!("the save slot takes {} bytes; as a file it begins with", slot.len());
    let text = ugas::data::character::to_yaml(&character);
    println!("{}\n…\n", text.lines().take(14).collect::<Vec<_>>().join("\n"));

    let character = Character::from_bytes(&slot)?;
    arrive("another server", &rules(50.0)?, &character)?;
    arrive("after a patch", &rules(20.0)?, &character)
}
