//! Questions to abilities, and refused activations.

use std::hint::black_box;

use ugas::ActivationReason;
use ugas::prelude::*;

use crate::floor::events::Event as Plain;
use crate::translate::Translator;
use crate::world::World;

/// Mana of a unit, and the cost of an ability.
pub(crate) const MANA: f64 = 1_000.0;
pub(crate) const COST: f64 = 10.0;

/// Seconds of a cooldown.
const COOLDOWN: f64 = 1e6;

/// Abilities with cost, cooldown, a blocking tag and a required tag that every unit has.
fn catalog(abilities: usize) -> CatalogBuilder {
    let set = AttributeSetDef::new("Caster").with(AttributeDef::new("Mana", MANA).min(0.0));
    let catalog = Catalog::builder()
        .attribute_set(set)
        .effect(EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -COST))
        .effect(EffectDef::instant("GE_Empty").modify("Mana", Operation::Add, -MANA))
        .effect(EffectDef::infinite("GE_Armed").granting("State.Armed"))
        .effect(EffectDef::infinite("GE_Stun").granting("State.Stunned"));
    let catalog = (0..abilities).fold(catalog, |catalog, at| {
        catalog
            .effect(
                EffectDef::lasting(format!("GE_Cooldown{at}"), COOLDOWN).granting(format!("Cooldown.A{at}")),
            )
            .ability(
                AbilityDef::new(format!("GA_{at}"))
                    .tagged("Ability.Spell")
                    .requires("State.Armed")
                    .blocked_by("State.Stunned")
                    .cost("GE_Cost")
                    .cooldown(format!("GE_Cooldown{at}"))
                    .task(TaskDef::commit()),
            )
    });
    let template = (0..abilities).fold(ControllerDef::new("Unit").with_set("Caster"), |template, at| {
        template.with_ability(AbilityGrantDef::new(format!("GA_{at}")))
    });
    catalog.template(template)
}

fn armed(units: usize, abilities: usize) -> (World, Vec<GrantedAbilityId>) {
    let mut world = World::new(catalog(abilities), units);
    let armed = world.effect("GE_Armed");
    for at in 0..units {
        world.apply(armed, world.units[at]);
    }
    world.drain();
    let abilities_of = |unit: &ControllerId| {
        world.sim.controller(*unit).map(|unit| unit.abilities().to_vec()).unwrap_or_default()
    };
    let granted: Vec<GrantedAbilityId> = world.units.iter().flat_map(abilities_of).collect();
    assert_eq!(granted.len(), units * abilities);
    (world, granted)
}

/// The expected answer to every question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Yes,
    /// Every ability is on cooldown.
    No,
}

/// "Can I cast?" for every ability of every unit.
pub(crate) struct Questions {
    pub(crate) world: World,
    granted: Vec<GrantedAbilityId>,
}

impl Questions {
    pub(crate) fn new(units: usize, abilities: usize, answer: Answer) -> Self {
        let (mut world, granted) = armed(units, abilities);
        if answer == Answer::No {
            for &ability in &granted {
                world.sim.activate(ability).expect("nothing forbids it");
                world.drain();
            }
        }
        let mut new = Self { world, granted };
        let expected = if answer == Answer::Yes { new.granted.len() } else { 0 };
        assert_eq!(new.ask(), expected);
        new
    }

    /// Number of questions of one call.
    pub(crate) fn len(&self) -> usize {
        self.granted.len()
    }

    /// Number of abilities that can be activated.
    pub(crate) fn ask(&mut self) -> usize {
        self.granted.iter().filter(|&&ability| self.world.sim.is_ready(black_box(ability))).count()
    }
}

/// An activation that is refused for four reasons: a missing tag, a blocking tag, the cooldown and the cost.
pub(crate) struct Refused {
    pub(crate) world: World,
    ability: GrantedAbilityId,
}

impl Refused {
    /// End of the cooldown, in microseconds.
    pub(crate) const COOLDOWN_END: u64 = COOLDOWN as u64 * 1_000_000;

    pub(crate) fn new() -> Self {
        let (mut world, granted) = armed(1, 1);
        let unit = world.units[0];
        world.sim.activate(granted[0]).expect("nothing forbids it");
        let armed = world.sim.controller(unit).map(|unit| unit.effects()[0]).expect("it is armed");
        world.remove(armed);
        for effect in ["GE_Empty", "GE_Stun"].map(|name| world.effect(name)) {
            world.apply(effect, unit);
        }
        let refusal = world.sim.activate(granted[0]).expect_err("everything forbids it");
        let is_complete = matches!(
            refusal.reasons[..],
            [
                ActivationReason::MissingTag { .. },
                ActivationReason::BlockedTag { .. },
                ActivationReason::OnCooldown { .. },
                ActivationReason::CannotAfford { .. },
            ]
        );
        assert!(is_complete, "{:?}", refusal.reasons);
        let last = world.sim.events().last().map(|event| event.kind);
        assert!(matches!(last, Some(EventKind::AbilityRefused(told)) if *told == *refusal));
        Self { world, ability: granted[0] }
    }

    /// Events of some attempts.
    pub(crate) fn events_of_attempts(&mut self, count: usize) -> Vec<Plain> {
        let translator = Translator {
            effects: Vec::new(),
            attributes: vec![self.world.attribute("Mana")],
            tags: ["State.Armed", "State.Stunned", "Cooldown.A0"].map(|tag| self.world.tag(tag)).into(),
            definitions: self.world.sim.catalog().ability("GA_0").into_iter().collect(),
            abilities: vec![vec![self.ability]],
        };
        for _ in 0..count {
            assert!(self.world.sim.activate(self.ability).is_err());
        }
        translator.take(&mut self.world.sim)
    }

    /// Tries to activate the ability, and polls the event.
    pub(crate) fn attempt(&mut self) {
        assert!(black_box(self.world.sim.activate(self.ability)).is_err());
        self.world.drain();
    }
}
