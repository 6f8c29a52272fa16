//! Damage by one instant effect: constant, computed, and under conditions that rule out shortcuts.

use ugas::prelude::*;

use crate::world::World;

/// How the amount of damage is determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Formula {
    /// A constant of the definition.
    Constant,
    /// An expression that reads an attribute of the source and one of the target.
    Expression,
    /// A constant added to a meta attribute that drains into health.
    Meta,
    /// A number that the caller sets in a new spec for every hit.
    SetByCaller,
}

impl Formula {
    pub(crate) const ALL: [Self; 4] = [Self::Constant, Self::Expression, Self::Meta, Self::SetByCaller];
}

/// Initial health of a unit.
pub(crate) const HEALTH: f64 = 1e9;
/// Power and armor of every unit, which the expression reads.
pub(crate) const POWER: f64 = 10.0;
pub(crate) const ARMOR: f64 = 5.0;
/// Damage of one hit, equal for all formulas.
pub(crate) const AMOUNT: f64 = 1.5 * POWER - ARMOR;

/// Attributes and effects of one formula. The meta attribute exists only if the formula needs it.
pub(crate) fn catalog(formula: Formula) -> CatalogBuilder {
    let set = AttributeSetDef::new("Combat")
        .with(AttributeDef::new("MaxHealth", 2.0 * HEALTH).min(1.0))
        .with(AttributeDef::new("Health", HEALTH).min(0.0).max("MaxHealth"))
        .with(AttributeDef::new("Power", POWER))
        .with(AttributeDef::new("Armor", ARMOR));
    let hit = EffectDef::instant("GE_Hit");
    let (set, hit) = match formula {
        Formula::Constant => (set, hit.modify("Health", Operation::Add, -AMOUNT)),
        Formula::Expression => {
            let amount = MagnitudeDef::expression("Target.Armor - Source.Power * 1.5");
            (set, hit.modify("Health", Operation::Add, amount))
        }
        Formula::Meta => (
            set.with(AttributeDef::new("Damage", 0.0).drain_into(["Health"])),
            hit.modify("Damage", Operation::Add, AMOUNT),
        ),
        Formula::SetByCaller => {
            (set, hit.modify("Health", Operation::Add, MagnitudeDef::set_by_caller("Data.Damage")))
        }
    };
    Catalog::builder()
        .tags(["Data.Damage"])
        .attribute_set(set)
        .effect(hit)
        .effect(
            EffectDef::infinite("GE_Stack")
                .modify("Power", Operation::Add, 0.0)
                .stacking(StackingDef::by_target(8)),
        )
        .template(ControllerDef::new("Unit").with_set("Combat"))
}

/// Units that are hit in turn; the source of every hit is the first unit.
pub(crate) struct Damage {
    pub(crate) world: World,
    formula: Formula,
    hit: EffectId,
    data: TagId,
}

impl Damage {
    pub(crate) fn new(formula: Formula, units: usize) -> Self {
        let world = World::new(catalog(formula), units);
        let mut new = Self { formula, hit: world.effect("GE_Hit"), data: world.tag("Data.Damage"), world };
        let health = new.world.attribute("Health");
        for &unit in &new.world.units.clone() {
            new.hit(unit);
            assert_eq!(new.world.current(unit, health), HEALTH - AMOUNT, "{formula:?}");
        }
        new.world.drain();
        new
    }

    /// Like [`new`](Self::new), with a stacking effect on every unit.
    pub(crate) fn on_stacked(formula: Formula, units: usize) -> Self {
        let mut new = Self::new(formula, units);
        let stack = new.world.effect("GE_Stack");
        for at in 0..units {
            new.world.apply(stack, new.world.units[at]);
        }
        new.world.drain();
        new
    }

    /// Applies one hit.
    pub(crate) fn hit(&mut self, target: ControllerId) {
        let source = self.world.units[0];
        let applied = match self.formula {
            Formula::SetByCaller => {
                let spec = self.spec(source).with_magnitude(self.data, -AMOUNT);
                self.world.sim.apply(&spec, target)
            }
            _ => self.world.sim.apply_effect(self.hit, Some(source), target),
        };
        assert_eq!(applied, Ok(Application::Executed));
    }

    fn spec(&self, source: ControllerId) -> EffectSpec {
        self.world.sim.spec(self.hit, 1.0, EffectContext::of(source)).expect("the benchmark defines it")
    }

    /// Hits the next unit.
    pub(crate) fn hit_next(&mut self) {
        let unit = self.world.next_unit();
        self.hit(unit);
    }

    /// Hits the next `count` units in one batch.
    pub(crate) fn hit_in_batch(&mut self, count: usize) {
        let (hit, source, units) = (self.hit, self.world.units[0], &self.world.units);
        self.world.sim.batch(|sim| {
            for &target in units.iter().cycle().take(count) {
                let applied = sim.apply_effect(hit, Some(source), target);
                assert_eq!(applied, Ok(Application::Executed));
            }
        });
    }
}
