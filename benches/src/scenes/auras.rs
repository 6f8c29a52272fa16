//! Auras: effects whose magnitude follows an attribute of their source.

use ugas::prelude::*;

use crate::world::World;

/// Initial value of the attribute that the auras follow.
pub(crate) const LEAD: f64 = 10.0;
/// Initial value of the attribute that the auras modify.
pub(crate) const POWER: f64 = 1.0;
/// Share of the leader's value that a follower gets.
pub(crate) const SHARE: f64 = 0.5;

/// Leaders with as many followers each. A change of a leader changes all of its followers.
pub(crate) struct Auras {
    pub(crate) world: World,
    rise: EffectId,
    lead: AttributeId,
    power: AttributeId,
    leaders: usize,
    followers: usize,
    next: usize,
}

impl Auras {
    pub(crate) fn new(leaders: usize, followers: usize) -> Self {
        let set = AttributeSetDef::new("Values")
            .with(AttributeDef::new("Lead", LEAD))
            .with(AttributeDef::new("Power", POWER));
        let share = MagnitudeDef::expression(format!("Source.Lead * {SHARE}"));
        let catalog = Catalog::builder()
            .attribute_set(set)
            .effect(EffectDef::infinite("GE_Aura").modify("Power", Operation::Add, share))
            .effect(EffectDef::instant("GE_Rise").modify("Lead", Operation::Add, 1.0))
            .template(ControllerDef::new("Unit").with_set("Values"));
        let mut world = World::new(catalog, leaders * (1 + followers));
        let (aura, rise) = (world.effect("GE_Aura"), world.effect("GE_Rise"));
        let (lead, power) = (world.attribute("Lead"), world.attribute("Power"));
        for at in 0..leaders * followers {
            let (leader, follower) = (world.units[at % leaders], world.units[leaders + at]);
            world.sim.apply_effect(aura, Some(leader), follower).expect("it closes no cycle");
            world.drain();
        }
        let mut auras = Self { world, rise, lead, power, leaders, followers, next: 0 };
        for _ in 0..2 * leaders {
            auras.change();
            auras.world.drain();
        }
        auras.check();
        auras
    }

    /// Checks that every follower follows its leader.
    pub(crate) fn check(&self) {
        for at in 0..self.leaders * self.followers {
            let [leader, follower] = [at % self.leaders, self.leaders + at].map(|at| self.world.units[at]);
            let expected = POWER + self.world.current(leader, self.lead) * SHARE;
            assert_eq!(self.world.current(follower, self.power), expected, "follower {at}");
        }
    }

    /// Values of the leaders, then of the followers.
    pub(crate) fn values(&self) -> Vec<f64> {
        let (leaders, followers) = self.world.units.split_at(self.leaders);
        let lead = leaders.iter().map(|&unit| self.world.current(unit, self.lead));
        lead.chain(followers.iter().map(|&unit| self.world.current(unit, self.power))).collect()
    }

    /// Followers of one leader.
    pub(crate) fn followers(&self) -> usize {
        self.followers
    }

    /// Changes the next leader, which changes its followers.
    pub(crate) fn change(&mut self) {
        let leader = self.world.units[self.next];
        self.next = (self.next + 1) % self.leaders;
        self.world.apply(self.rise, leader);
    }
}
