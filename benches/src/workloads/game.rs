//! One game for several systems: rules written once, and the interface of a host to each.

#![expect(clippy::disallowed_types, reason = "the naive system keeps its rules in hash maps")]

use std::collections::HashMap;
use std::rc::Rc;

use ugas::prelude::*;

use crate::competent;
use crate::floor::events::{Event, NONE};
use crate::naive::{self, Gas};
use crate::translate::Translator;
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

/// An effect of all systems.
pub(crate) struct EffectRule {
    pub(crate) name: &'static str,
    pub(crate) lasting: Lasting,
    pub(crate) period: Option<f64>,
    /// Attribute, operation, magnitude.
    pub(crate) modifiers: Vec<(&'static str, Operation, f64)>,
    pub(crate) tag: Option<&'static str>,
    /// Attribute and its full value: what changes it is proportional to what the target has of it. Only ours
    /// computes this.
    scaled: Option<(&'static str, f64)>,
}

/// An effect that does nothing yet.
pub(crate) fn effect(name: &'static str, lasting: Lasting) -> EffectRule {
    EffectRule { name, lasting, period: None, modifiers: Vec::new(), tag: None, scaled: None }
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

    /// Makes changes of an attribute depend on the value that the target has: half of the magnitude at zero,
    /// all of it at half of the full value.
    pub(crate) fn scale_by(&mut self, attribute: &'static str, full: f64) {
        self.scaled = Some((attribute, full));
    }
}

/// An ability of all systems: cost, cooldown, and effects on the target.
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

impl Rules {
    /// All tags with their ancestors.
    fn tags(&self) -> Vec<&'static str> {
        let mut tags: Vec<_> =
            self.effects.iter().filter_map(|rule| rule.tag).flat_map(with_ancestors).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    fn effect(&self, name: &str) -> u32 {
        self.effects.iter().position(|rule| rule.name == name).expect("the game defines it") as u32
    }
}

/// A tag and its ancestors, deepest first.
fn with_ancestors(tag: &'static str) -> impl Iterator<Item = &'static str> {
    std::iter::successors(Some(tag), |tag| tag.rsplit_once('.').map(|(parent, _)| parent))
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

/// A [`Game`] whose events are those of ours.
pub(crate) trait SameEvents: Game {
    /// Advances one frame; returns the events since the last one.
    fn frame_events(&mut self) -> Vec<Event>;
}

/// Microseconds of a frame.
const FRAME: u64 = 1_000_000 / FRAMES as u64;

/// UGAS as a [`Game`].
pub(crate) struct Ours {
    pub(crate) world: World,
    effects: Vec<EffectId>,
    tags: Vec<Option<TagId>>,
    attributes: Vec<AttributeId>,
    /// For each unit its abilities.
    abilities: Vec<Vec<GrantedAbilityId>>,
    translator: Translator,
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
        let magnitude = match rule.scaled {
            Some((scaled, full)) if scaled == attribute => {
                MagnitudeDef::expression(format!("({magnitude}) * (0.5 + Target.{scaled} / {full})"))
            }
            _ => magnitude.into(),
        };
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
        let abilities: Vec<Vec<GrantedAbilityId>> = world.units.iter().map(abilities_of).collect();
        let effects: Vec<_> = rules.effects.iter().map(|rule| world.effect(rule.name)).collect();
        let tags = rules.effects.iter().map(|rule| rule.tag.map(|tag| world.tag(tag))).collect();
        let attributes: Vec<_> = rules.attributes.iter().map(|(name, ..)| world.attribute(name)).collect();
        let definition = |rule: &AbilityRule| world.sim.catalog().ability(rule.name);
        let translator = Translator {
            effects: effects.clone(),
            attributes: attributes.clone(),
            tags: rules.tags().into_iter().map(|tag| world.tag(tag)).collect(),
            definitions: rules.abilities.iter().filter_map(|rule| definition(rule).ok()).collect(),
            abilities: abilities.clone(),
        };
        Self { world, effects, tags, attributes, abilities, translator }
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
        self.world.sim.advance(Span::from_micros(FRAME as i64));
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

impl SameEvents for Ours {
    fn frame_events(&mut self) -> Vec<Event> {
        self.world.sim.advance(Span::from_micros(FRAME as i64));
        self.translator.take(&mut self.world.sim)
    }
}

/// The competent system as a [`Game`].
pub(crate) struct Competent {
    gas: competent::Gas,
    /// Tag of each effect.
    tags: Vec<Option<u32>>,
}

fn competent_effect(rules: &Rules, rule: &EffectRule) -> competent::Effect {
    assert!(rule.scaled.is_none(), "only ours computes magnitudes");
    let micros = |seconds: f64| (seconds * 1e6) as u64;
    let tags = rules.tags();
    let number = |tag: &str| tags.iter().position(|known| *known == tag).expect("it is listed") as u32;
    let modifiers = rule.modifiers.iter().map(|&(attribute, operation, magnitude)| competent::Modifier {
        attribute: rules.attributes.iter().position(|(name, ..)| *name == attribute).expect("it is listed")
            as u32,
        change: match operation {
            Operation::Multiply => competent::Change::Multiply,
            _ => competent::Change::Add,
        },
        magnitude,
    });
    let is_cooldown = |ability: &AbilityRule| ability.cooldown == rule.name;
    competent::Effect {
        is_instant: matches!(rule.lasting, Lasting::Instant),
        duration: match rule.lasting {
            Lasting::For(seconds) => Some(micros(seconds)),
            Lasting::Instant | Lasting::Endless => None,
        },
        period: rule.period.map(micros),
        modifiers: modifiers.collect(),
        tags: rule.tag.into_iter().flat_map(with_ancestors).map(number).collect(),
        cooldown_of: rules.abilities.iter().position(is_cooldown).map_or(NONE, |at| at as u32),
    }
}

impl Game for Competent {
    type Saved = competent::Saved;

    fn new(rules: &Rules, units: usize) -> Self {
        let effects: Vec<_> = rules.effects.iter().map(|rule| competent_effect(rules, rule)).collect();
        let ability = |rule: &AbilityRule| competent::Ability {
            cost: rules.effect(rule.cost),
            cooldown: rules.effect(rule.cooldown),
            effects: rule.effects.iter().map(|name| rules.effect(name)).collect(),
        };
        let tags = effects.iter().map(|effect| effect.tags.first().copied()).collect();
        let rules = competent::Rules {
            attributes: rules.attributes.iter().map(|&(_, value, min)| (value, min)).collect(),
            tags: rules.tags().len(),
            abilities: rules.abilities.iter().map(ability).collect(),
            effects,
        };
        Self { gas: competent::Gas::new(rules, units), tags }
    }

    fn apply(&mut self, effect: usize, source: usize, target: usize) {
        self.gas.apply(effect as u32, source as u32, target as u32);
    }

    fn replace_oldest(&mut self, effect: usize, unit: usize) {
        self.gas.remove_oldest(unit as u32);
        self.apply(effect, unit, unit);
    }

    fn activate(&mut self, ability: usize, owner: usize, target: usize) -> bool {
        self.gas.activate(ability as u32, owner as u32, target as u32)
    }

    fn has_tag_of(&self, effect: usize, unit: usize) -> bool {
        self.tags[effect].is_some_and(|tag| self.gas.has_tag(unit as u32, tag))
    }

    fn current(&self, unit: usize, attribute: usize) -> f64 {
        self.gas.current(unit as u32, attribute as u32)
    }

    fn frame(&mut self) -> usize {
        self.gas.advance(FRAME);
        self.gas.drain()
    }

    fn save(&self) -> competent::Saved {
        self.gas.save()
    }

    fn save_over(&self, saved: &mut competent::Saved) {
        self.gas.save_over(saved);
    }

    fn restore(&mut self, saved: &competent::Saved) {
        self.gas.restore(saved);
    }
}

impl SameEvents for Competent {
    fn frame_events(&mut self) -> Vec<Event> {
        self.gas.advance(FRAME);
        self.gas.take_events()
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
    assert!(rule.scaled.is_none(), "only ours computes magnitudes");
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
