//! Tests of the inspector over its socket, as a browser uses it.

mod client;
mod editing;
mod protocol;
mod recordings;
mod security;

use std::sync::Arc;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::handle::ControllerId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation};

/// Two fighters with a sword, a rage and a poison.
fn catalog() -> Arc<Catalog> {
    let set = AttributeSetDef::new("Combat")
        .with(AttributeDef::new("Health", 100.0).min(0.0).max(100.0))
        .with(AttributeDef::new("Mana", 10.0).min(0.0))
        .with(AttributeDef::new("Strength", 10.0));
    Catalog::builder()
        .attribute_set(set)
        .effect(
            EffectDef::infinite("GE_Sword").modify("Strength", Operation::Add, 5.0).granting("Item.Sword"),
        )
        .effect(EffectDef::infinite("GE_Rage").modify("Strength", Operation::MultiplyCompound, 1.5))
        .effect(
            EffectDef::lasting("GE_Poison", 10.0)
                .every(1.0)
                .modify("Health", Operation::Add, -5.0)
                .granting("State.Poisoned"),
        )
        .effect(EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -20.0))
        .ability(AbilityDef::new("GA_Strike").cost("GE_Cost"))
        .template(ControllerDef::new("Wolf").with_set("Combat").with_tag("Kind.Beast"))
        .template(ControllerDef::new("Hero").with_set("Combat"))
        .build()
        .unwrap()
}

fn game() -> (Simulation, ControllerId) {
    let catalog = catalog();
    let mut simulation = Simulation::new(catalog.clone(), Config::seeded(7));
    let wolf = simulation.spawn("Wolf").unwrap();
    simulation.spawn("Hero").unwrap();
    for effect in ["GE_Rage", "GE_Sword", "GE_Poison"] {
        simulation.apply_effect(catalog.effect(effect).unwrap(), None, wolf).unwrap();
    }
    simulation.grant(wolf, catalog.ability("GA_Strike").unwrap(), 1).unwrap();
    (simulation, wolf)
}

fn id(controller: ControllerId) -> String {
    controller.to_bits().to_string()
}
