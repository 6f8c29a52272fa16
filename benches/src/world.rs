//! A simulation with controllers, for the measurements.

use std::sync::Arc;

use ugas::prelude::*;

/// A simulation and its controllers, all of one template called `Unit`.
pub(crate) struct World {
    pub(crate) sim: Simulation,
    pub(crate) units: Vec<ControllerId>,
    next: usize,
}

impl World {
    /// `count` units of a catalog whose template is called `Unit`.
    pub(crate) fn new(catalog: CatalogBuilder, count: usize) -> Self {
        let catalog = catalog.build().expect("the definitions of the benchmark are valid");
        Self::of(catalog, count)
    }

    pub(crate) fn of(catalog: Arc<Catalog>, count: usize) -> Self {
        let config = Config {
            max_effects_per_controller: 1 << 20,
            max_abilities_per_controller: 1 << 20,
            max_activations_per_controller: 1 << 20,
            max_runtime_effects: 1 << 20,
            cascade_limit: u32::MAX,
            ..Config::seeded(7)
        };
        let sim = Simulation::new(catalog, config);
        let units = Vec::with_capacity(count);
        let mut world = Self { sim, units, next: 0 };
        for _ in 0..count {
            let unit = world.sim.spawn("Unit").expect("there is room");
            world.units.push(unit);
            // A host visits events as they come: a queue for all units at once is not part of their memory.
            world.drain();
        }
        world
    }

    pub(crate) fn effect(&self, name: &str) -> EffectId {
        self.sim.catalog().effect(name).expect("the benchmark defines it")
    }

    pub(crate) fn attribute(&self, name: &str) -> AttributeId {
        self.sim.catalog().attribute(name).expect("the benchmark defines it")
    }

    pub(crate) fn tag(&self, name: &str) -> TagId {
        self.sim.catalog().tag(name).expect("the benchmark defines it")
    }

    /// The next unit, round and round.
    pub(crate) fn next_unit(&mut self) -> ControllerId {
        let unit = self.units[self.next];
        self.next = if self.next + 1 == self.units.len() { 0 } else { self.next + 1 };
        unit
    }

    pub(crate) fn apply(&mut self, effect: EffectId, target: ControllerId) -> Application {
        self.sim.apply_effect(effect, Some(target), target).expect("nothing forbids it")
    }

    pub(crate) fn apply_active(&mut self, effect: EffectId, target: ControllerId) -> ActiveEffectId {
        self.apply(effect, target).active().expect("it lasts")
    }

    pub(crate) fn remove(&mut self, active: ActiveEffectId) {
        self.sim.remove(active, Stacks::All).expect("it is there");
    }

    pub(crate) fn current(&self, unit: ControllerId, attribute: AttributeId) -> f64 {
        self.sim.current(unit, attribute).expect("the unit has it")
    }

    /// Visits all events, as a host does.
    pub(crate) fn drain(&mut self) {
        self.sim.visit_events(|event| {
            std::hint::black_box(event.kind);
        });
    }
}

/// Health with bounds, power, and effects on them.
pub(crate) fn combat() -> CatalogBuilder {
    Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("MaxHealth", 2e9).min(1.0))
                .with(AttributeDef::new("Health", 1e9).min(0.0).max("MaxHealth"))
                .with(AttributeDef::new("Mana", 1e9).min(0.0))
                .with(AttributeDef::new("Power", 10.0)),
        )
        .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -3.0))
        .effect(EffectDef::infinite("GE_Ring").modify("Power", Operation::Add, 1.0))
        .effect(
            EffectDef::lasting("GE_Buff", 1.0)
                .modify("Power", Operation::Add, 5.0)
                .granting("State.Buff.Strong"),
        )
        .effect(EffectDef::infinite("GE_Poison").every(1.0).modify("Health", Operation::Add, -3.0))
        .effect(EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -1.0))
        .effect(EffectDef::lasting("GE_Cooldown", 1.0).granting("Cooldown.Skill"))
        .ability(
            AbilityDef::new("GA_Skill")
                .tagged("Ability.Skill")
                .blocked_by("State.Stunned")
                .cost("GE_Cost")
                .cooldown("GE_Cooldown")
                .task(TaskDef::commit()),
        )
        .template(ControllerDef::new("Unit").with_set("Combat"))
}

/// Registers tags that are not used elsewhere. A complete tag list would have to contain every tag.
pub(crate) fn with_tags<'a>(
    catalog: CatalogBuilder,
    tags: impl IntoIterator<Item = &'a str>,
) -> CatalogBuilder {
    catalog.effect(tags.into_iter().fold(EffectDef::instant("GE_Words"), EffectDef::tagged))
}
