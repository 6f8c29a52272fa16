//! Removal of effects, spawning, despawning, attribute sets, and time (E3, E10, M5, §4.3, §6.2).

use std::collections::BTreeSet;

use ugas_core::catalog::Catalog;
use ugas_core::effect::{EffectDef, StackExpiration};
use ugas_core::event::RemovalReason;

use super::{Actor, Body, Instance, Memory, Oracle, OracleEvent, OracleSpec, is_within};

/// Query of effects for removal.
#[derive(Clone, Debug)]
pub enum Selector {
    /// Effects of this definition.
    Effect(String),
    /// Effects with this asset or granted tag, or one below it.
    Tag(String),
    /// Effects of this source.
    Source(Actor),
    /// All effects.
    All,
}

impl Oracle {
    /// Removes the `nth` effect of a controller, or some of its stacks, with all consequences. `None` stacks
    /// are all; without such an effect nothing happens.
    pub fn remove(&mut self, target: Actor, nth: usize, stacks: Option<u32>) {
        let Some(sequence) = self.effects_on(target).get(nth).map(|instance| instance.sequence) else {
            return;
        };
        self.remove_stacks(sequence, stacks);
        self.settle();
    }

    /// Removes all effects of a controller that a selector matches, or some stacks of each, with all
    /// consequences; returns the number of matched effects.
    pub fn remove_matching(&mut self, target: Actor, selector: &Selector, stacks: Option<u32>) -> u32 {
        let matches = |instance: &&Instance| match selector {
            Selector::Effect(name) => instance.effect() == name,
            Selector::Tag(tag) => instance.spec.own_tags().iter().any(|own| is_within(own, tag)),
            Selector::Source(source) => instance.spec.source == Some(*source),
            Selector::All => true,
        };
        let selected: Vec<u64> =
            self.effects_on(target).into_iter().filter(matches).map(|instance| instance.sequence).collect();
        for &sequence in &selected {
            self.remove_stacks(sequence, stacks);
        }
        self.settle();
        selected.len() as u32
    }

    /// Removes some stacks of an instance, or the instance if none is left. 0 stacks remove nothing, `None`
    /// all.
    fn remove_stacks(&mut self, sequence: u64, stacks: Option<u32>) {
        let Some(old) = self.find(sequence).map(|instance| instance.stacks) else { return };
        match stacks {
            Some(0) => {}
            Some(count) if count < old => self.set_stacks(sequence, old - count),
            _ => self.remove_instance(sequence, RemovalReason::Removed),
        }
    }

    /// Sets the number of stacks of an instance, and emits the event. Magnitudes follow when the oracle
    /// settles.
    fn set_stacks(&mut self, sequence: u64, stacks: u32) {
        let Some(instance) = self.find_mut(sequence) else { return };
        let old = std::mem::replace(&mut instance.stacks, stacks);
        let event = OracleEvent::stacks(instance.effect(), instance.target, old, stacks);
        self.emit(event);
    }

    /// Removes an instance, emits its events, and queues its expiration effects (E10), except those of a
    /// queued instance or of a despawned target. The next queued instance starts at the next flush.
    pub(super) fn remove_instance(&mut self, sequence: u64, reason: RemovalReason) {
        let Some(at) = self.instances.iter().position(|instance| instance.sequence == sequence) else {
            return;
        };
        let instance = self.instances.remove(at);
        let (spec, target) = (&instance.spec, instance.target);
        self.emit(OracleEvent::removed(&spec.def.name, target, instance.stacks, reason));
        self.publish_tags();
        if reason == RemovalReason::TargetGone {
            return;
        }
        let effects = &spec.def.expiration_effects;
        let ended = if reason == RemovalReason::Expired { &effects.routine } else { &effects.premature };
        if !instance.queued {
            for effect in ended.iter().chain(&effects.always) {
                self.queue_linked_effect(spec, effect, target);
            }
        }
    }

    /// Spawns a controller from the template at a position (§4.3): sets, bases, tags and effects, with all
    /// consequences. Returns its number.
    pub fn spawn(&mut self, template: usize) -> Actor {
        let actor = self.bodies.len();
        self.bodies.push(Body { alive: true, ..Body::default() });
        let template = self.game.templates[template].clone();
        let bases: Vec<(String, f64)> = template.base.clone();
        self.add_sets(actor, &template.attribute_sets, &bases);
        if !template.tags.is_empty() {
            let def = EffectDef { granted_tags: template.tags, ..EffectDef::infinite(Catalog::TAGS_EFFECT) };
            let spec = OracleSpec::new(def.into(), Some(actor), 1.0);
            let _ = self.apply_one(spec, actor);
        }
        for (effect, level) in &template.effects {
            if let Some(spec) = self.spec(effect, Some(actor), *level) {
                let _ = self.apply_one(spec, actor);
            }
        }
        self.settle();
        actor
    }

    /// Despawns a controller and removes its effects; effects that it caused on others keep its last state
    /// (M5).
    pub fn despawn(&mut self, actor: Actor) {
        if !self.is_alive(actor) {
            return;
        }
        let memory = self.memory_of(actor);
        for instance in &mut self.instances {
            if instance.spec.source == Some(actor) && instance.target != actor {
                instance.spec.memory = Some(memory.clone());
            }
        }
        let own: Vec<u64> = self.effects_on(actor).iter().map(|instance| instance.sequence).collect();
        for sequence in own {
            self.remove_instance(sequence, RemovalReason::TargetGone);
        }
        self.publish_values();
        self.bodies[actor].alive = false;
        self.bodies[actor].sets.clear();
        self.bodies[actor].base.clear();
        self.published.forget_all_values(actor);
        self.settle();
    }

    /// Tags and values of a controller, kept for its effects on others when it is despawned (M5).
    fn memory_of(&self, actor: Actor) -> Memory {
        let view = self.view();
        let value = |name: &str| Some((view.base(actor, name)?, view.current(actor, name)?));
        let names = self.attributes(actor).into_iter().map(|def| def.name.clone());
        Memory {
            tags: view.cumulative(actor).keys().cloned().collect(),
            values: names.filter_map(|name| Some((name.clone(), value(&name)?))).collect(),
        }
    }

    /// Registers an attribute set, with all consequences. False if set or controller do not exist, the set is
    /// registered already, a dependency is missing (§6.4), or it would close a cycle (B6).
    pub fn register(&mut self, actor: Actor, set: &str) -> bool {
        let Some(def) = self.game.sets.iter().find(|def| def.name == set).cloned() else { return false };
        let Some(body) = self.bodies.get(actor).filter(|body| body.alive) else { return false };
        let has_all = def.dependencies.iter().all(|dependency| body.sets.contains(dependency));
        if body.sets.contains(set) || !has_all {
            return false;
        }
        let mut with = self.clone();
        with.bodies[actor].sets.insert(set.to_owned());
        if with.has_cycle() {
            return false;
        }
        self.add_sets(actor, &[set.to_owned()], &[]);
        self.settle();
        true
    }

    /// Unregisters an attribute set, with all consequences. False if it is not registered or another set
    /// depends on it (§6.4).
    pub fn unregister(&mut self, actor: Actor, set: &str) -> bool {
        let Some(body) = self.bodies.get(actor).filter(|body| body.alive && body.sets.contains(set)) else {
            return false;
        };
        let others = self.game.sets.iter().filter(|def| body.sets.contains(&def.name));
        if others.flat_map(|def| &def.dependencies).any(|dependency| dependency == set) {
            return false;
        }
        let gone: Vec<String> = self
            .game
            .sets
            .iter()
            .filter(|def| def.name == set)
            .flat_map(|def| def.attributes.iter().map(|attribute| attribute.name.clone()))
            .collect();
        self.bodies[actor].sets.remove(set);
        self.bodies[actor].base.retain(|name, _| !gone.contains(name));
        self.published.forget_values(actor, &gone);
        self.settle();
        true
    }

    /// Adds sets with their initial bases, those of `bases` first and else the defaults, clamped to their
    /// bounds (B0). Records the values without events, because new attributes emit none.
    fn add_sets(&mut self, actor: Actor, sets: &[String], bases: &[(String, f64)]) {
        let mut new = BTreeSet::new();
        for set in self.game.sets.clone().iter().filter(|set| sets.contains(&set.name)) {
            self.bodies[actor].sets.insert(set.name.clone());
            for def in &set.attributes {
                let given = bases.iter().find(|(name, _)| *name == def.name);
                let base = given.map_or(def.default_base, |(_, base)| *base);
                self.bodies[actor].base.insert(def.name.clone(), base);
                new.insert(def.name.clone());
            }
        }
        self.clamp_written(actor, &new);
        self.publish_silently(actor, &new);
    }

    /// Advances time by microseconds: timers fire at their instant, in application order, a tick before an
    /// expiry (V4, E3). Consequences are settled after each timer.
    pub fn advance(&mut self, micros: i64) {
        let end = self.now + micros.max(0);
        while let Some((time, sequence, is_expiry)) = self.next_timer().filter(|&(time, ..)| time <= end) {
            self.now = time;
            if is_expiry {
                self.expire(sequence)
            } else {
                self.tick(sequence)
            }
            self.settle();
        }
        self.now = end;
    }

    /// Next timer of all running instances: time, sequence number, and whether it is an expiry. At one time
    /// the earliest application comes first, and its tick before its expiry. `None` if nothing is scheduled.
    fn next_timer(&self) -> Option<(i64, u64, bool)> {
        let running = self.instances.iter().filter(|instance| !instance.queued);
        let timers = running.flat_map(|instance| {
            let tick = instance.next_tick.map(|time| (time, instance.sequence, false));
            let expiry = instance.expires.map(|time| (time, instance.sequence, true));
            [tick, expiry].into_iter().flatten()
        });
        timers.min()
    }

    /// Schedules the next tick of a periodic instance and executes it (E3).
    fn tick(&mut self, sequence: u64) {
        let Some(instance) = self.find_mut(sequence) else { return };
        let period = instance.period();
        instance.next_tick = instance.next_tick.zip(period).map(|(tick, period)| tick + period);
        self.execute_instance(sequence);
    }

    /// One execution of an instance with magnitudes of now: at a tick, on application or on a stack's period
    /// reset, or when it resumes with `ExecuteAndReset`. Queued and inhibited instances skip it (E7); a
    /// failed execution changes nothing, and the instance goes on (E3).
    pub(super) fn execute_instance(&mut self, sequence: u64) {
        let Some(instance) = self.find(sequence).filter(|instance| instance.is_live()) else { return };
        let (spec, target, stacks) = (instance.spec.clone(), instance.target, instance.stacks);
        let _ = self.execute(&spec, target, stacks);
    }

    /// Handles the end of an instance's duration: removes it, or removes one stack or refreshes it, as its
    /// stacking says (E5).
    fn expire(&mut self, sequence: u64) {
        let Some(instance) = self.find(sequence) else { return };
        let (stacks, duration) = (instance.stacks, instance.duration.filter(|&duration| duration > 0));
        let rule = instance.spec.def.stacking.as_ref().map(|stacking| stacking.expiration);
        match (rule, duration) {
            (Some(StackExpiration::RemoveOneAndRefresh), Some(_)) if stacks > 1 => {
                self.set_stacks(sequence, stacks - 1);
                self.restart_duration(sequence);
            }
            (Some(StackExpiration::Refresh), Some(_)) => self.restart_duration(sequence),
            _ => self.remove_instance(sequence, RemovalReason::Expired),
        }
    }

    /// Restarts the duration of an instance from now, after a stack expired (E5).
    fn restart_duration(&mut self, sequence: u64) {
        let now = self.now;
        if let Some(instance) = self.find_mut(sequence) {
            instance.expires = instance.duration.map(|duration| now + duration);
        }
    }
}
