//! A gameplay ability system as an experienced programmer writes it for one game: ids instead of names, a
//! struct of arrays, a heap of timers, no work for idle objects, and the same events as ours. It has only the
//! rules that the workloads need: no requirements, stacking, immunities, expressions, hooks or predictions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use crate::floor::events::{Cause, Event, Kind, Log, NONE};

/// Operation of a modifier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    /// Multiplies by one and the magnitude.
    Multiply,
}

/// A modifier of an attribute, by its number.
#[derive(Clone, Copy)]
pub(crate) struct Modifier {
    pub(crate) attribute: u32,
    pub(crate) change: Change,
    pub(crate) magnitude: f64,
}

/// Definition of an effect. Times are in microseconds.
pub(crate) struct Effect {
    pub(crate) is_instant: bool,
    /// `None` if it is instant or endless.
    pub(crate) duration: Option<u64>,
    pub(crate) period: Option<u64>,
    pub(crate) modifiers: Vec<Modifier>,
    /// Its tag and the ancestors of the tag, deepest first.
    pub(crate) tags: Vec<u32>,
    /// Ability whose cooldown it is; [`NONE`] if it is none.
    pub(crate) cooldown_of: u32,
}

/// Definition of an ability: effects by their numbers.
pub(crate) struct Ability {
    pub(crate) cost: u32,
    pub(crate) cooldown: u32,
    pub(crate) effects: Vec<u32>,
}

/// Definitions of a game.
pub(crate) struct Rules {
    /// Value and lower bound.
    pub(crate) attributes: Vec<(f64, f64)>,
    pub(crate) tags: usize,
    pub(crate) effects: Vec<Effect>,
    pub(crate) abilities: Vec<Ability>,
}

/// Kind of a timer: the tick of an effect precedes its expiry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Tick,
    Expiry,
}

/// A timer: its time, the order of its effect, its kind, and slot and generation of the effect.
type Timer = (u64, u64, Due, u32, u32);

/// Active effects as a struct of arrays. A slot is reused with the next generation.
#[derive(Clone, Default)]
struct Actives {
    effect: Vec<u32>,
    source: Vec<u32>,
    target: Vec<u32>,
    ability: Vec<u32>,
    order: Vec<u64>,
    end: Vec<u64>,
    generation: Vec<u32>,
    free: Vec<u32>,
}

impl Actives {
    fn handle(&self, slot: u32) -> u64 {
        u64::from(self.generation[slot as usize]) << 32 | u64::from(slot)
    }
}

/// The state, which a client saves and restores.
struct State {
    base: Vec<f64>,
    current: Vec<f64>,
    /// Number of effects that grant each tag of each unit.
    tags: Vec<u16>,
    /// End of each cooldown of each unit.
    cooldowns: Vec<u64>,
    actives: Actives,
    /// Active effects of each unit, oldest first.
    of_unit: Vec<Vec<u32>>,
    /// Effects that modify each attribute of each unit, oldest first.
    modifying: Vec<Vec<u32>>,
    timers: BinaryHeap<Reverse<Timer>>,
    /// Number of applications so far.
    order: u64,
    activations: u64,
    now: u64,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let Self { base, current, tags, cooldowns, actives, of_unit, modifying, timers, .. } = self;
        Self {
            base: base.clone(),
            current: current.clone(),
            tags: tags.clone(),
            cooldowns: cooldowns.clone(),
            actives: actives.clone(),
            of_unit: of_unit.clone(),
            modifying: modifying.clone(),
            timers: timers.clone(),
            order: self.order,
            activations: self.activations,
            now: self.now,
        }
    }

    /// Copies into the memory of an older copy.
    fn clone_from(&mut self, from: &Self) {
        self.base.clone_from(&from.base);
        self.current.clone_from(&from.current);
        self.tags.clone_from(&from.tags);
        self.cooldowns.clone_from(&from.cooldowns);
        let (to, actives) = (&mut self.actives, &from.actives);
        to.effect.clone_from(&actives.effect);
        to.source.clone_from(&actives.source);
        to.target.clone_from(&actives.target);
        to.ability.clone_from(&actives.ability);
        to.order.clone_from(&actives.order);
        to.end.clone_from(&actives.end);
        to.generation.clone_from(&actives.generation);
        to.free.clone_from(&actives.free);
        self.of_unit.clone_from(&from.of_unit);
        self.modifying.clone_from(&from.modifying);
        self.timers.clone_from(&from.timers);
        (self.order, self.activations, self.now) = (from.order, from.activations, from.now);
    }
}

/// A saved state.
pub(crate) struct Saved(State);

/// The hand-written ability system.
pub(crate) struct Gas {
    rules: Rc<Rules>,
    state: State,
    log: Log,
}

impl Gas {
    pub(crate) fn new(rules: Rules, units: usize) -> Self {
        let values: Vec<f64> = rules.attributes.iter().map(|(value, _)| *value).collect();
        let base = values.repeat(units);
        let state = State {
            current: base.clone(),
            tags: vec![0; units * rules.tags],
            cooldowns: vec![0; units * rules.abilities.len()],
            actives: Actives::default(),
            of_unit: vec![Vec::new(); units],
            modifying: vec![Vec::new(); base.len()],
            timers: BinaryHeap::new(),
            order: 0,
            activations: 0,
            now: 0,
            base,
        };
        Self { rules: Rc::new(rules), state, log: Log::new() }
    }

    pub(crate) fn current(&self, unit: u32, attribute: u32) -> f64 {
        self.state.current[self.value_at(unit, attribute)]
    }

    pub(crate) fn has_tag(&self, unit: u32, tag: u32) -> bool {
        self.state.tags[unit as usize * self.rules.tags + tag as usize] > 0
    }

    pub(crate) fn save(&self) -> Saved {
        Saved(self.state.clone())
    }

    pub(crate) fn save_over(&self, saved: &mut Saved) {
        saved.0.clone_from(&self.state);
    }

    /// Restores a state; queued events are dropped.
    pub(crate) fn restore(&mut self, saved: &Saved) {
        self.state.clone_from(&saved.0);
        self.log.events.clear();
        self.log.now = self.state.now;
    }

    /// Takes all queued events.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.log.events)
    }

    /// Visits and removes all queued events; returns their number.
    pub(crate) fn drain(&mut self) -> usize {
        self.log.drain()
    }

    fn value_at(&self, unit: u32, attribute: u32) -> usize {
        unit as usize * self.rules.attributes.len() + attribute as usize
    }

    /// Applies an effect.
    pub(crate) fn apply(&mut self, effect: u32, source: u32, target: u32) {
        self.log.begin();
        let rules = Rc::clone(&self.rules);
        self.apply_of(&rules, effect, source, target, NONE);
    }

    fn apply_of(&mut self, rules: &Rules, effect: u32, source: u32, target: u32, ability: u32) {
        let operation = self.log.cause.operation;
        self.log.cause = Cause { operation, effect, active: 0, source, ability };
        let definition = &rules.effects[effect as usize];
        if definition.is_instant {
            self.execute(rules, effect, 0, target);
            return;
        }
        let slot = self.activate_effect(definition, effect, source, target, ability);
        let active = self.state.actives.handle(slot);
        self.log.cause.active = active;
        self.log.push(Kind::Applied { effect, active, target });
        let tags = target as usize * rules.tags;
        for &tag in &definition.tags {
            let count = &mut self.state.tags[tags + tag as usize];
            *count += 1;
            if *count > 1 {
                continue;
            }
            self.log.push(Kind::TagAdded { unit: target, tag });
            if definition.cooldown_of != NONE && tag == definition.tags[0] {
                let (ability, duration) = (definition.cooldown_of, definition.duration.unwrap_or(0));
                self.log.push(Kind::CooldownBegan { unit: target, ability, duration });
            }
        }
        if definition.period.is_none() {
            // Values change because of the application, not of what became active.
            self.log.cause.active = 0;
            for modifier in &definition.modifiers {
                let at = self.value_at(target, modifier.attribute);
                self.state.modifying[at].push(slot);
                self.evaluate(rules, target, modifier.attribute);
            }
        }
    }

    /// Allocates a slot and schedules the timers.
    fn activate_effect(
        &mut self,
        definition: &Effect,
        effect: u32,
        source: u32,
        target: u32,
        ability: u32,
    ) -> u32 {
        let state = &mut self.state;
        let actives = &mut state.actives;
        state.order += 1;
        let end = definition.duration.map_or(u64::MAX, |duration| state.now + duration);
        let slot = match actives.free.pop() {
            Some(slot) => {
                let at = slot as usize;
                actives.effect[at] = effect;
                actives.source[at] = source;
                actives.target[at] = target;
                actives.ability[at] = ability;
                actives.order[at] = state.order;
                actives.end[at] = end;
                slot
            }
            None => {
                actives.effect.push(effect);
                actives.source.push(source);
                actives.target.push(target);
                actives.ability.push(ability);
                actives.order.push(state.order);
                actives.end.push(end);
                actives.generation.push(1);
                actives.effect.len() as u32 - 1
            }
        };
        let generation = actives.generation[slot as usize];
        state.of_unit[target as usize].push(slot);
        if let Some(period) = definition.period {
            state.timers.push(Reverse((state.now + period, state.order, Due::Tick, slot, generation)));
        }
        if definition.duration.is_some() {
            state.timers.push(Reverse((end, state.order, Due::Expiry, slot, generation)));
        }
        if definition.cooldown_of != NONE {
            let at = target as usize * self.rules.abilities.len() + definition.cooldown_of as usize;
            state.cooldowns[at] = end;
        }
        slot
    }

    /// Writes the bases.
    fn execute(&mut self, rules: &Rules, effect: u32, active: u64, target: u32) {
        self.log.push(Kind::Executed { effect, active, target });
        for modifier in &rules.effects[effect as usize].modifiers {
            let at = self.value_at(target, modifier.attribute);
            let (old_base, old) = (self.state.base[at], self.state.current[at]);
            let written = match modifier.change {
                Change::Add => old_base + modifier.magnitude,
                Change::Multiply => old_base * (1.0 + modifier.magnitude),
            };
            let new_base = written.max(rules.attributes[modifier.attribute as usize].1);
            self.state.base[at] = new_base;
            let new = if self.state.modifying[at].is_empty() {
                new_base
            } else {
                self.modified(rules, at, modifier.attribute)
            };
            self.state.current[at] = new;
            if new != old || new_base != old_base {
                let attribute = modifier.attribute;
                self.log.push(Kind::Changed { unit: target, attribute, old_base, new_base, old, new });
            }
        }
    }

    /// Value of an attribute under all its modifiers.
    fn modified(&self, rules: &Rules, at: usize, attribute: u32) -> f64 {
        let (mut added, mut factor) = (0.0, 1.0);
        for &slot in &self.state.modifying[at] {
            let effect = self.state.actives.effect[slot as usize];
            for modifier in &rules.effects[effect as usize].modifiers {
                if modifier.attribute == attribute {
                    match modifier.change {
                        Change::Add => added += modifier.magnitude,
                        Change::Multiply => factor *= 1.0 + modifier.magnitude,
                    }
                }
            }
        }
        ((self.state.base[at] + added) * factor).max(rules.attributes[attribute as usize].1)
    }

    /// Evaluates an attribute after its modifiers changed.
    fn evaluate(&mut self, rules: &Rules, unit: u32, attribute: u32) {
        let at = self.value_at(unit, attribute);
        let (base, old) = (self.state.base[at], self.state.current[at]);
        let new = self.modified(rules, at, attribute);
        if new != old {
            self.state.current[at] = new;
            self.log.push(Kind::Changed { unit, attribute, old_base: base, new_base: base, old, new });
        }
    }

    /// Ends an active effect.
    fn end(&mut self, rules: &Rules, slot: u32, expired: bool) {
        let at = slot as usize;
        let active = self.state.actives.handle(slot);
        let (effect, target) = (self.state.actives.effect[at], self.state.actives.target[at]);
        self.state.actives.generation[at] += 1;
        self.state.actives.free.push(slot);
        forget(&mut self.state.of_unit[target as usize], slot);
        self.log.push(Kind::Removed { effect, active, target, expired });
        let definition = &rules.effects[effect as usize];
        let tags = target as usize * rules.tags;
        for &tag in &definition.tags {
            let count = &mut self.state.tags[tags + tag as usize];
            *count -= 1;
            if *count > 0 {
                continue;
            }
            self.log.push(Kind::TagRemoved { unit: target, tag });
            if definition.cooldown_of != NONE && tag == definition.tags[0] {
                self.log.push(Kind::CooldownEnded { unit: target, ability: definition.cooldown_of });
            }
        }
        if definition.period.is_none() {
            for modifier in &definition.modifiers {
                let at = self.value_at(target, modifier.attribute);
                forget(&mut self.state.modifying[at], slot);
                self.evaluate(rules, target, modifier.attribute);
            }
        }
    }

    /// Begins an operation of an active effect.
    fn begin_of(&mut self, slot: u32) {
        let (actives, at) = (&self.state.actives, slot as usize);
        self.log.cause = Cause {
            operation: self.log.cause.operation + 1,
            effect: actives.effect[at],
            active: actives.handle(slot),
            source: actives.source[at],
            ability: actives.ability[at],
        };
    }

    /// Removes the oldest effect of a unit.
    pub(crate) fn remove_oldest(&mut self, unit: u32) {
        let Some(&oldest) = self.state.of_unit[unit as usize].first() else { return };
        let rules = Rc::clone(&self.rules);
        self.begin_of(oldest);
        self.end(&rules, oldest, false);
    }

    /// Pays, starts the cooldown and applies the ability's effects to the target, or raises the reasons why
    /// not.
    pub(crate) fn activate(&mut self, ability: u32, owner: u32, target: u32) -> bool {
        let rules = Rc::clone(&self.rules);
        let Ability { cost, cooldown, effects } = &rules.abilities[ability as usize];
        self.log.begin();
        let (unit, activation) = (owner, self.state.activations + 1);
        let own = Cause { source: owner, ability, ..self.log.cause };
        self.log.cause = own;
        let cooldown_tag = rules.effects[*cooldown as usize].tags[0];
        let is_cooling = self.has_tag(owner, cooldown_tag);
        let too_expensive = self.unaffordable(&rules, *cost, owner);
        if is_cooling || too_expensive.is_some() {
            let end = self.state.cooldowns[owner as usize * rules.abilities.len() + ability as usize];
            let cooldown = is_cooling.then(|| (cooldown_tag, end - self.state.now));
            let (missing, blocked, cost) = (None, None, too_expensive);
            self.log.push(Kind::Refused { unit, ability, missing, blocked, cooldown, cost });
            return false;
        }
        self.state.activations = activation;
        self.log.push(Kind::Activated { unit, ability, activation });
        self.apply_of(&rules, *cost, owner, owner, ability);
        self.apply_of(&rules, *cooldown, owner, owner, ability);
        self.log.cause = own;
        self.log.push(Kind::Committed { unit, ability, activation });
        for &effect in effects {
            self.apply_of(&rules, effect, owner, target, ability);
        }
        self.log.cause = own;
        self.log.push(Kind::Ended { unit, ability, activation });
        true
    }

    /// Attribute that a cost would take below its bound, and the value that it would have.
    fn unaffordable(&self, rules: &Rules, cost: u32, owner: u32) -> Option<(u32, f64)> {
        rules.effects[cost as usize].modifiers.iter().find_map(|modifier| {
            let value = self.current(owner, modifier.attribute) + modifier.magnitude;
            let is_short = value < rules.attributes[modifier.attribute as usize].1;
            is_short.then_some((modifier.attribute, value))
        })
    }

    /// Advances time: every timer that is due fires at its own instant.
    pub(crate) fn advance(&mut self, micros: u64) {
        let until = self.state.now + micros;
        let rules = Rc::clone(&self.rules);
        while let Some(&Reverse((time, order, due, slot, generation))) = self.state.timers.peek()
            && time <= until
        {
            self.state.timers.pop();
            let at = slot as usize;
            if self.state.actives.generation[at] != generation {
                continue;
            }
            (self.state.now, self.log.now) = (time, time);
            self.begin_of(slot);
            match due {
                Due::Expiry => self.end(&rules, slot, true),
                Due::Tick => {
                    let effect = self.state.actives.effect[at];
                    let period = rules.effects[effect as usize].period.unwrap_or(u64::MAX);
                    let next = time.saturating_add(period);
                    if next <= self.state.actives.end[at] {
                        self.state.timers.push(Reverse((next, order, due, slot, generation)));
                    }
                    let active = self.state.actives.handle(slot);
                    self.execute(&rules, effect, active, self.state.actives.target[at]);
                }
            }
        }
        (self.state.now, self.log.now) = (until, until);
    }
}

/// Removes a slot from a list; effects usually end in the order in which they began.
fn forget(list: &mut Vec<u32>, slot: u32) {
    if let Some(at) = list.iter().position(|&listed| listed == slot) {
        list.remove(at);
    }
}
