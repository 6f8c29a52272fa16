//! A fixture with a single unit whose attributes have bounds and drain into each other.

use std::sync::Arc;

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::handle::{ActiveEffectId, ControllerId};
use ugas_core::simulation::{Config, Simulation};

/// A simulation with one unit.
pub(crate) struct Scene {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) sim: Simulation,
    pub(crate) unit: ControllerId,
}

/// A unit in a catalog with the additions of `build`. Health is in 10..MaxHealth; Damage, at most 30, drains
/// into Health.
pub(crate) fn scene(build: impl FnOnce(CatalogBuilder) -> CatalogBuilder) -> Scene {
    let set = AttributeSetDef::new("Unit")
        .with(AttributeDef::new("Power", 10.0))
        .with(AttributeDef::new("Mana", 50.0))
        .with(AttributeDef::new("MaxHealth", 100.0))
        .with(AttributeDef::new("Health", 100.0).min(10.0).max("MaxHealth"))
        .with(AttributeDef::new("Damage", 0.0).max(30.0).drain_into(["Health"]));
    let builder = Catalog::builder().attribute_set(set).template(ControllerDef::new("Unit").with_set("Unit"));
    let catalog = build(builder).build().unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::default());
    let unit = sim.spawn("Unit").unwrap();
    Scene { catalog, sim, unit }
}

impl Scene {
    /// Applies an effect of the unit to itself, which must not be refused.
    pub(crate) fn apply(&mut self, effect: &str) -> Option<ActiveEffectId> {
        let effect = self.catalog.effect(effect).unwrap();
        self.sim.apply_effect(effect, Some(self.unit), self.unit).unwrap().active()
    }

    pub(crate) fn current(&self, attribute: &str) -> f64 {
        self.sim.current(self.unit, self.catalog.attribute(attribute).unwrap()).unwrap()
    }
}
