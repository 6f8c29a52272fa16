//! One game for two systems: rules written once, and the interface of a host to either.

#![expect(clippy::disallowed_types, reason = "the naive system keeps its rules in hash maps")]

use std::collections::HashMap;
use std::rc::Rc;

use ugas::prelude::*;

use crate::naive::{self, Gas};
use crate::world::World;

/// Frames per second. A power of two, so that adding up frames is exact.
pub(crate) const FRAMES: u32 = 32;

/// Duration of an effect, in seconds.
#[derive(Clone, Copy)]
pub(crate) enum Lasting {
    Instant,
    For(f64),
    Endless,
}

/// An effect of both systems.
pub(crate) struct EffectRule {
    pub(crate) name: &'static str,
    pub(crate) lasting: Lasting,
    pub(crate) period: Option<f64>,
    /// Attribute, operation, magnitude.
    pub(crate) modifiers: Vec<(&'static str, Operation, f64)>,
    pub(crate) tag: Option<&'static str>,
}

/// An effect that does nothing yet.
pub(crate) fn effect(name: &'static str, lasting: Lasting) -> EffectRule {
    EffectRule { name, lasting, period: None, modifiers: Vec::new(), tag: None }
}

impl EffectRule {
    pub(crate) fn every(self, seconds: f64) -> Self {
        Self { period: Some(seconds), ..self }
    }

    pub(crate) fn add(mut self, attribute: &'static str, amount: f64) -> Self {
        self.modifiers.push((attribute, Operation::Add, amount));
        self
    }

    pub(crate) fn multiply(mut self, attribute: &'static str, by: f64) -> Self {
        self.modifiers.push((attribute, Operation::Multiply, by));
        self
    }

    pub(crate) fn tag(self, tag: &'static str) -> Self {
        Self { tag: Some(tag), ..self }
    }
}

/// An ability of both systems: cost, cooldown, and effects on the target.
pub(crate) struct AbilityRule {
    pub(crate) name: &'static str,
    pub(crate) cost: &'static str,
    pub(crate) cooldown: &'static str,
    pub(crate) effects: Vec<&'static str>,
}

/// The rules of a game. Every unit has all attributes.
pub(crate) struct Rules {
    /// Name, value, lower bound.
    pub(crate) attributes: Vec<(&'static str, f64, f64)>,
    pub(crate) effects: Vec<EffectRule>,
    pub(crate) abilities: Vec<AbilityRule>,
}

/// Interface of a host to a system. Units, effects, abilities and attributes are numbers in the order of the
/// rules.
pub(crate) trait Game {
    type Saved;

    fn new(rules: &Rules, units: usize) -> Self;
    fn apply(&mut self, effect: usize, source: usize, target: usize);
    /// Replaces the oldest effect of a unit.
    fn replace_oldest(&mut self, effect: usize, unit: usize);
    fn activate(&mut self, ability: usize, owner: usize, target: usize) -> bool;
    fn has_tag_of(&self, effect: usize, unit: usize) -> bool;
    fn current(&self, unit: usize, attribute: usize) -> f64;
    /// Advances one frame; returns the number of events.
    fn frame(&mut self) -> usize;
    fn save(&self) -> Self::Saved;
    fn save_over(&self, saved: &mut Self::Saved);
    fn restore(&mut self, saved: &Self::Saved);
}

/// UGAS as a [`Game`].
pub(crate) struct Ours {
    pub(crate) world: World,
    effects: Vec<EffectId>,
    tags: Vec<Option<TagId>>,
    attributes: Vec<AttributeId>,
    /// For each unit its abilities.
    abilities: Vec<Vec<GrantedAbilityId>>,
}

fn ours_effect(rule: &EffectRule) -> EffectDef {
    let effect = match rule.lasting {
        Lasting::Instant => EffectDef::instant(rule.name),
        Lasting::For(seconds) => EffectDef::lasting(rule.name, seconds),
        Lasting::Endless => EffectDef::infinite(rule.name),
    };
    let effect = rule.period.map_or(effect.clone(), |period| effect.every(period));
    let effect = rule.tag.map_or(effect.clone(), |tag| effect.granting(tag));
    rule.modifiers.iter().fold(effect, |effect, &(attribute, operation, magnitude)| {
        effect.modify(attribute, operation, magnitude)
    })
}

impl Game for Ours {
    type Saved = Snapshot;

    fn new(rules: &Rules, units: usize) -> Self {
        let set = rules.attributes.iter().fold(AttributeSetDef::new("Set"), |set, &(name, value, min)| {
            set.with(AttributeDef::new(name, value).min(min))
        });
        let catalog = rules
            .effects
            .iter()
            .fold(Catalog::builder().attribute_set(set), |catalog, rule| catalog.effect(ours_effect(rule)));
        let catalog = rules.abilities.iter().fold(catalog, |catalog, rule| {
            let ability = AbilityDef::new(rule.name).cost(rule.cost).cooldown(rule.cooldown);
            let ability = ability.task(TaskDef::commit());
            catalog.ability(
                rule.effects
                    .iter()
                    .fold(ability, |ability, &name| ability.task(TaskDef::apply_to_target(name))),
            )
        });
        let template =
            rules.abilities.iter().fold(ControllerDef::new("Unit").with_set("Set"), |template, rule| {
                template.with_ability(AbilityGrantDef::new(rule.name))
            });
        let world = World::new(catalog.template(template), units);
        let abilities_of = |unit: &ControllerId| {
            world.sim.controller(*unit).map(|unit| unit.abilities().to_vec()).unwrap_or_default()
        };
        let abilities = world.units.iter().map(abilities_of).collect();
        let effects = rules.effects.iter().map(|rule| world.effect(rule.name)).collect();
        let tags = rules.effects.iter().map(|rule| rule.tag.map(|tag| world.tag(tag))).collect();
        let attributes = rules.attributes.iter().map(|(name, ..)| world.attribute(name)).collect();
        Self { world, effects, tags, attributes, abilities }
    }

    fn apply(&mut self, effect: usize, source: usize, target: usize) {
        let (source, target) = (self.world.units[source], self.world.units[target]);
        let applied = self.world.sim.apply_effect(self.effects[effect], Some(source), target);
        applied.expect("nothing forbids it");
    }

    fn replace_oldest(&mut self, effect: usize, unit: usize) {
        let id = self.world.units[unit];
        let oldest = self.world.sim.controller(id).and_then(|unit| unit.effects().first().copied());
        if let Some(oldest) = oldest {
            self.world.remove(oldest);
        }
        self.apply(effect, unit, unit);
    }

    fn activate(&mut self, ability: usize, owner: usize, target: usize) -> bool {
        self.world.sim.activate_on(self.abilities[owner][ability], self.world.units[target]).is_ok()
    }

    fn has_tag_of(&self, effect: usize, unit: usize) -> bool {
        self.tags[effect].is_some_and(|tag| self.world.sim.has_tag(self.world.units[unit], tag))
    }

    fn current(&self, unit: usize, attribute: usize) -> f64 {
        self.world.current(self.world.units[unit], self.attributes[attribute])
    }

    fn frame(&mut self) -> usize {
        self.world.sim.advance(Span::from_micros(1_000_000 / i64::from(FRAMES)));
        let count = self.world.sim.pending_events().len();
        self.world.drain();
        count
    }

    fn save(&self) -> Snapshot {
        self.world.sim.snapshot()
    }

    fn save_over(&self, saved: &mut Snapshot) {
        self.world.sim.snapshot_into(saved);
    }

    fn restore(&mut self, saved: &Snapshot) {
        self.world.sim.restore(saved).expect("it is of this catalog");
    }
}

/// The naive system as a [`Game`].
pub(crate) struct Naive {
    gas: Gas,
    units: Vec<u64>,
    effects: Vec<(String, Option<String>)>,
    attributes: Vec<String>,
    abilities: Vec<String>,
}

fn naive_effect(rule: &EffectRule) -> naive::Effect {
    let modifiers = rule.modifiers.iter().map(|&(attribute, operation, magnitude)| match operation {
        Operation::Multiply => {
            Box::new(naive::Multiply(attribute.to_owned(), magnitude)) as Box<dyn naive::Modifier>
        }
        _ => Box::new(naive::Add(attribute.to_owned(), magnitude)),
    });
    naive::Effect {
        name: rule.name.to_owned(),
        is_endless: matches!(rule.lasting, Lasting::Endless),
        duration: match rule.lasting {
            Lasting::For(seconds) => Some(seconds),
            Lasting::Instant | Lasting::Endless => None,
        },
        period: rule.period,
        modifiers: modifiers.collect(),
        tag: rule.tag.map(str::to_owned),
    }
}

impl Game for Naive {
    type Saved = Gas;

    fn new(rules: &Rules, units: usize) -> Self {
        let spell = |rule: &AbilityRule| {
            let spell = naive::Spell {
                cost: rule.cost.to_owned(),
                cooldown: rule.cooldown.to_owned(),
                effects: rule.effects.iter().map(|&name| name.to_owned()).collect(),
            };
            (rule.name.to_owned(), Box::new(spell) as Box<dyn naive::Ability>)
        };
        let effects: HashMap<String, Rc<naive::Effect>> =
            rules.effects.iter().map(|rule| (rule.name.to_owned(), Rc::new(naive_effect(rule)))).collect();
        let mut gas = Gas::new(naive::Rules {
            attributes: rules
                .attributes
                .iter()
                .map(|&(name, value, min)| (name.to_owned(), value, min))
                .collect(),
            effects,
            abilities: rules.abilities.iter().map(spell).collect(),
        });
        let units = (0..units).map(|_| gas.spawn()).collect();
        let names = |rule: &EffectRule| (rule.name.to_owned(), rule.tag.map(str::to_owned));
        Self {
            gas,
            units,
            effects: rules.effects.iter().map(names).collect(),
            attributes: rules.attributes.iter().map(|(name, ..)| (*name).to_owned()).collect(),
            abilities: rules.abilities.iter().map(|rule| rule.name.to_owned()).collect(),
        }
    }

    fn apply(&mut self, effect: usize, _source: usize, target: usize) {
        self.gas.apply(&self.effects[effect].0, self.units[target]);
    }

    fn replace_oldest(&mut self, effect: usize, unit: usize) {
        self.gas.remove_oldest(self.units[unit]);
        self.apply(effect, unit, unit);
    }

    fn activate(&mut self, ability: usize, owner: usize, target: usize) -> bool {
        self.gas.activate(&self.abilities[ability], self.units[owner], self.units[target])
    }

    fn has_tag_of(&self, effect: usize, unit: usize) -> bool {
        self.effects[effect].1.as_ref().is_some_and(|tag| self.gas.has_tag(self.units[unit], tag))
    }

    fn current(&self, unit: usize, attribute: usize) -> f64 {
        self.gas.current(self.units[unit], &self.attributes[attribute]).expect("the unit has it")
    }

    fn frame(&mut self) -> usize {
        self.gas.update(1.0 / f64::from(FRAMES));
        let count = self.gas.events.len();
        for event in self.gas.events.drain(..) {
            std::hint::black_box(&event);
        }
        count
    }

    fn save(&self) -> Gas {
        self.gas.clone()
    }

    fn save_over(&self, saved: &mut Gas) {
        *saved = self.gas.clone();
    }

    fn restore(&mut self, saved: &Gas) {
        self.gas = saved.clone();
    }
}
