//! A gameplay ability system as most projects write it: hash maps by name, boxed objects behind traits, and
//! an update of everything in every frame. Naive, but honest: it does nothing twice that it need not, values
//! are cached until a modifier changes, and effects share their definitions.

#![expect(clippy::disallowed_types, reason = "a naive implementation uses them")]

use std::collections::HashMap;
use std::rc::Rc;

/// A modifier of a value.
pub(crate) trait Modifier {
    fn attribute(&self) -> &str;
    fn contribute(&self, sum: &mut Sum);
    /// Writes the base, if an effect is executed.
    fn execute(&self, base: f64) -> f64;
}

/// Accumulated modifiers.
pub(crate) struct Sum {
    added: f64,
    factor: f64,
}

/// Adds a number.
pub(crate) struct Add(pub(crate) String, pub(crate) f64);

impl Modifier for Add {
    fn attribute(&self) -> &str {
        &self.0
    }

    fn contribute(&self, sum: &mut Sum) {
        sum.added += self.1;
    }

    fn execute(&self, base: f64) -> f64 {
        base + self.1
    }
}

/// Multiplies by one and a number.
pub(crate) struct Multiply(pub(crate) String, pub(crate) f64);

impl Modifier for Multiply {
    fn attribute(&self) -> &str {
        &self.0
    }

    fn contribute(&self, sum: &mut Sum) {
        sum.factor *= 1.0 + self.1;
    }

    fn execute(&self, base: f64) -> f64 {
        base * (1.0 + self.1)
    }
}

/// Definition of an effect. Without a duration it is instant or infinite.
#[derive(Default)]
pub(crate) struct Effect {
    pub(crate) name: String,
    pub(crate) is_endless: bool,
    pub(crate) duration: Option<f64>,
    pub(crate) period: Option<f64>,
    pub(crate) modifiers: Vec<Box<dyn Modifier>>,
    pub(crate) tag: Option<String>,
}

/// An ability: cost, cooldown and effects on its target.
pub(crate) trait Ability {
    fn cost(&self) -> &str;
    fn cooldown(&self) -> &str;
    fn effects(&self) -> &[String];
}

/// An ability that applies effects to its target.
pub(crate) struct Spell {
    pub(crate) cost: String,
    pub(crate) cooldown: String,
    pub(crate) effects: Vec<String>,
}

impl Ability for Spell {
    fn cost(&self) -> &str {
        &self.cost
    }

    fn cooldown(&self) -> &str {
        &self.cooldown
    }

    fn effects(&self) -> &[String] {
        &self.effects
    }
}

#[derive(Clone)]
struct Active {
    effect: Rc<Effect>,
    elapsed: f64,
    since_tick: f64,
}

#[derive(Clone)]
struct Attribute {
    base: f64,
    current: f64,
    min: f64,
    is_dirty: bool,
}

#[derive(Clone, Default)]
struct Actor {
    attributes: HashMap<String, Attribute>,
    effects: Vec<Active>,
    tags: HashMap<String, u32>,
}

/// An event.
#[expect(dead_code, reason = "an event is written for readers outside")]
pub(crate) enum Event {
    Changed { actor: u64, attribute: String, old: f64, new: f64 },
    Applied { actor: u64, effect: String },
    Removed { actor: u64, effect: String },
}

/// Definitions by name.
#[derive(Default)]
pub(crate) struct Rules {
    pub(crate) attributes: Vec<(String, f64, f64)>,
    pub(crate) effects: HashMap<String, Rc<Effect>>,
    pub(crate) abilities: HashMap<String, Box<dyn Ability>>,
}

/// The naive ability system.
pub(crate) struct Gas {
    rules: Rc<Rules>,
    actors: HashMap<u64, Actor>,
    order: Vec<u64>,
    next: u64,
    pub(crate) events: Vec<Event>,
}

impl Clone for Gas {
    /// Copies the state, without queued events.
    fn clone(&self) -> Self {
        let Self { rules, actors, order, next, events: _ } = self;
        let (rules, actors, order) = (Rc::clone(rules), actors.clone(), order.clone());
        Self { rules, actors, order, next: *next, events: Vec::new() }
    }
}

impl Gas {
    pub(crate) fn new(rules: Rules) -> Self {
        Self { rules: Rc::new(rules), actors: HashMap::new(), order: Vec::new(), next: 0, events: Vec::new() }
    }

    pub(crate) fn spawn(&mut self) -> u64 {
        self.next += 1;
        let attributes = self.rules.attributes.iter().map(|(name, value, min)| {
            let attribute = Attribute { base: *value, current: *value, min: *min, is_dirty: false };
            (name.clone(), attribute)
        });
        let actor = Actor { attributes: attributes.collect(), ..Actor::default() };
        self.actors.insert(self.next, actor);
        self.order.push(self.next);
        self.next
    }

    pub(crate) fn current(&self, actor: u64, attribute: &str) -> Option<f64> {
        Some(self.actors.get(&actor)?.attributes.get(attribute)?.current)
    }

    pub(crate) fn has_tag(&self, actor: u64, tag: &str) -> bool {
        self.actors.get(&actor).is_some_and(|actor| actor.tags.contains_key(tag))
    }

    /// Applies an effect by name.
    pub(crate) fn apply(&mut self, effect: &str, target: u64) {
        let Some(effect) = self.rules.effects.get(effect).map(Rc::clone) else { return };
        let Some(actor) = self.actors.get_mut(&target) else { return };
        if effect.duration.is_none() && !effect.is_endless {
            execute(&mut self.events, target, actor, &effect);
            return;
        }
        self.events.push(Event::Applied { actor: target, effect: effect.name.clone() });
        if let Some(tag) = &effect.tag {
            *actor.tags.entry(tag.clone()).or_default() += 1;
        }
        if effect.period.is_none() {
            mark(actor, &effect);
        }
        actor.effects.push(Active { effect, elapsed: 0.0, since_tick: 0.0 });
        settle(&mut self.events, target, actor);
    }

    pub(crate) fn remove_oldest(&mut self, target: u64) {
        let Some(actor) = self.actors.get_mut(&target) else { return };
        if actor.effects.is_empty() {
            return;
        }
        let active = actor.effects.remove(0);
        end(&mut self.events, target, actor, &active);
        settle(&mut self.events, target, actor);
    }

    /// Pays, starts the cooldown and applies the ability's effects to the target, if nothing forbids it.
    pub(crate) fn activate(&mut self, ability: &str, owner: u64, target: u64) -> bool {
        let rules = Rc::clone(&self.rules);
        let Some(ability) = rules.abilities.get(ability) else { return false };
        let (Some(cost), Some(cooldown)) =
            (rules.effects.get(ability.cost()), rules.effects.get(ability.cooldown()))
        else {
            return false;
        };
        let Some(actor) = self.actors.get(&owner) else { return false };
        if cooldown.tag.as_ref().is_some_and(|tag| actor.tags.contains_key(tag)) {
            return false;
        }
        let affordable = cost.modifiers.iter().all(|modifier| {
            let attribute = actor.attributes.get(modifier.attribute());
            attribute.is_some_and(|attribute| modifier.execute(attribute.base) >= attribute.min)
        });
        if !affordable {
            return false;
        }
        self.apply(ability.cost(), owner);
        self.apply(ability.cooldown(), owner);
        for effect in ability.effects() {
            self.apply(effect, target);
        }
        true
    }

    /// One frame: every effect of every actor grows older.
    pub(crate) fn update(&mut self, seconds: f64) {
        for &id in &self.order {
            let Some(actor) = self.actors.get_mut(&id) else { continue };
            let mut at = 0;
            while at < actor.effects.len() {
                let active = &mut actor.effects[at];
                active.elapsed += seconds;
                active.since_tick += seconds;
                let effect = Rc::clone(&active.effect);
                if let Some(period) = effect.period
                    && active.since_tick >= period
                {
                    active.since_tick -= period;
                    execute(&mut self.events, id, actor, &effect);
                }
                if effect.duration.is_some_and(|duration| actor.effects[at].elapsed >= duration) {
                    let active = actor.effects.remove(at);
                    end(&mut self.events, id, actor, &active);
                } else {
                    at += 1;
                }
            }
            settle(&mut self.events, id, actor);
        }
    }
}

/// Writes the bases.
fn execute(events: &mut Vec<Event>, id: u64, actor: &mut Actor, effect: &Effect) {
    for modifier in &effect.modifiers {
        if let Some(attribute) = actor.attributes.get_mut(modifier.attribute()) {
            attribute.base = modifier.execute(attribute.base).max(attribute.min);
            attribute.is_dirty = true;
        }
    }
    settle(events, id, actor);
}

fn mark(actor: &mut Actor, effect: &Effect) {
    for modifier in &effect.modifiers {
        if let Some(attribute) = actor.attributes.get_mut(modifier.attribute()) {
            attribute.is_dirty = true;
        }
    }
}

fn end(events: &mut Vec<Event>, id: u64, actor: &mut Actor, active: &Active) {
    if let Some(tag) = &active.effect.tag
        && let Some(count) = actor.tags.get_mut(tag)
    {
        *count -= 1;
        if *count == 0 {
            actor.tags.remove(tag);
        }
    }
    if active.effect.period.is_none() {
        mark(actor, &active.effect);
    }
    events.push(Event::Removed { actor: id, effect: active.effect.name.clone() });
}

/// Evaluates dirty attributes.
fn settle(events: &mut Vec<Event>, id: u64, actor: &mut Actor) {
    let Actor { attributes, effects, .. } = actor;
    for (name, attribute) in attributes.iter_mut().filter(|(_, attribute)| attribute.is_dirty) {
        attribute.is_dirty = false;
        let mut sum = Sum { added: 0.0, factor: 1.0 };
        for active in effects.iter().filter(|active| active.effect.period.is_none()) {
            for modifier in active.effect.modifiers.iter().filter(|modifier| modifier.attribute() == name) {
                modifier.contribute(&mut sum);
            }
        }
        let new = ((attribute.base + sum.added) * sum.factor).max(attribute.min);
        if new != attribute.current {
            events.push(Event::Changed { actor: id, attribute: name.clone(), old: attribute.current, new });
            attribute.current = new;
        }
    }
}
