//! Consequences of a change: inhibition, removal by tags, live magnitudes, events (E7, E8, E12, B1, B5, T2).

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::attribute::OnBoundChange;
use ugas_core::catalog::Catalog;
use ugas_core::effect::PeriodicInhibition;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::event::RemovalReason;

use super::{Actor, Instance, Oracle, OracleEvent, OracleSpec};

/// Queued consequence.
#[derive(Clone, Debug)]
pub(crate) enum Pending {
    /// Applies an effect.
    Apply(OracleSpec, Actor),
    /// Removes an instance.
    Remove(u64, RemovalReason),
    /// Executes an instance outside of its period.
    Execute(u64),
    /// Adjusts a base to changed bounds; `upper` is the old and the new upper bound.
    Bound { actor: Actor, attribute: String, upper: [Option<f64>; 2] },
}

type Bounds = (Option<f64>, Option<f64>);

/// Values and tags of the last events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    tags: BTreeSet<(Actor, String)>,
    cues: BTreeSet<(Actor, String)>,
    values: BTreeMap<(Actor, String), (f64, f64, Bounds)>,
}

impl Published {
    /// Forgets the published values of an actor, so that its despawn emits no events about them. Its tags and
    /// cues are published when its effects are removed.
    pub(super) fn forget_all_values(&mut self, actor: Actor) {
        self.values.retain(|(of, _), _| *of != actor);
    }

    /// Forgets the published values of some attributes, so that their removal emits no event.
    pub(super) fn forget_values(&mut self, actor: Actor, names: &[String]) {
        self.values.retain(|(of, name), _| *of != actor || !names.contains(name));
    }
}

impl Oracle {
    /// Flushes and processes queued consequences until none is left (E12); called after every operation.
    /// Panics if they never end.
    pub(super) fn settle(&mut self) {
        for _ in 0..100_000 {
            self.flush();
            let Some(pending) = self.queue.pop_front() else { return };
            match pending {
                Pending::Apply(queued, target) => {
                    // E8: frozen captures are read now.
                    if let Some(mut spec) = self.spec(&queued.def.name, queued.source, queued.level) {
                        spec.set_by_caller = queued.set_by_caller;
                        spec.context_tags = queued.context_tags;
                        let _ = self.apply_one(spec, target);
                    }
                }
                Pending::Remove(sequence, reason) => self.remove_instance(sequence, reason),
                Pending::Execute(sequence) => self.execute_instance(sequence),
                Pending::Bound { actor, attribute, upper } => self.follow_bound(actor, &attribute, upper),
            }
        }
        panic!("the rules never come to rest");
    }

    /// Recalculation after a change: starts queued instances, updates effects by tags and live magnitudes,
    /// emits value events (E1).
    pub(super) fn flush(&mut self) {
        self.start_queued();
        self.update_effects();
        self.publish_values();
    }

    /// Starts the first queued instance of each effect and target where no instance of the effect runs (E4).
    fn start_queued(&mut self) {
        let waiting = |oracle: &Self| {
            let runs = |of: &Instance| {
                let same = |other: &&Instance| other.target == of.target && other.effect() == of.effect();
                oracle.instances.iter().filter(same).any(|other| !other.queued)
            };
            oracle
                .instances
                .iter()
                .find(|instance| instance.queued && !runs(instance))
                .map(|first| first.sequence)
        };
        while let Some(first) = waiting(self) {
            self.begin(first);
        }
    }

    /// Updates requirements and live magnitudes of all instances until nothing changes (E7, E8); panics if
    /// that never happens.
    fn update_effects(&mut self) {
        for _ in 0..1_000 {
            let mut changed = false;
            let sequences: Vec<u64> = self.instances.iter().map(|instance| instance.sequence).collect();
            for sequence in sequences {
                changed |= self.update_requirements(sequence);
                changed |= self.update_magnitudes(sequence);
            }
            if !changed {
                return;
            }
        }
        panic!("the effects never come to rest");
    }

    /// Checks an instance against the current tags: removes it by `RemoveOnTags`, or inhibits or resumes it
    /// (E7), with events. A resumed period is reset as its definition says. True if something changed.
    fn update_requirements(&mut self, sequence: u64) -> bool {
        let Some(instance) = self.find(sequence) else { return false };
        let (def, target, was) = (instance.spec.def.clone(), instance.target, instance.inhibited);
        let queued = instance.queued;
        let view = self.view();
        if def.remove_on_tags.iter().any(|tag| view.has(target, tag)) {
            self.remove_instance(sequence, RemovalReason::RemovedByTag);
            return true;
        }
        if queued {
            return false;
        }
        let inhibited = !self.may_run(&def, target);
        if inhibited == was {
            return false;
        }
        let now = self.now;
        if let Some(instance) = self.find_mut(sequence) {
            instance.inhibited = inhibited;
            let period = instance.period();
            if !inhibited && period.is_some() && def.periodic_inhibition != PeriodicInhibition::NeverReset {
                instance.next_tick = period.map(|period| now + period);
                if def.periodic_inhibition == PeriodicInhibition::ExecuteAndReset {
                    self.queue.push_back(Pending::Execute(sequence));
                }
            }
        }
        let kind = if inhibited { "EffectInhibited" } else { "EffectResumed" };
        self.emit(OracleEvent::effect(kind, &def.name, target));
        self.publish_tags();
        true
    }

    /// Evaluates the live magnitudes of an instance again (E8); one that cannot be evaluated keeps its value.
    /// True if one changed.
    fn update_magnitudes(&mut self, sequence: u64) -> bool {
        let Some(instance) = self.find(sequence) else { return false };
        let view = self.view();
        let each = instance.spec.def.modifiers.iter().zip(&instance.magnitudes).map(|(modifier, &old)| {
            // M5: after the source is despawned, the last value is kept.
            let reads_source = matches!(&modifier.magnitude, MagnitudeDef::Attribute(attribute)
                if attribute.from == CaptureFrom::Source);
            if reads_source && instance.spec.memory.is_some() {
                return old;
            }
            let new = view.magnitude(&modifier.magnitude, &instance.spec, instance.target, instance.stacks);
            new.unwrap_or(old)
        });
        let new: Vec<f64> = each.collect();
        let changed = new != instance.magnitudes;
        if let Some(instance) = self.find_mut(sequence) {
            instance.magnitudes = new;
        }
        changed
    }

    /// Adjustment of a base to a changed bound (B1): `KeepRatio` scales it from the old to the new upper
    /// bound (`upper`) if the old one is positive, then it is clamped to both bounds. A changed base emits
    /// `EffectExecuted` of the core's internal effect `Internal.BoundChange`.
    fn follow_bound(&mut self, actor: Actor, attribute: &str, upper: [Option<f64>; 2]) {
        let Some(def) = self.attribute(actor, attribute) else { return };
        let base = self.bodies[actor].base.get(attribute).copied().unwrap_or_default();
        let view = self.view();
        let scaled = match (def.on_bound_change, upper) {
            (OnBoundChange::KeepRatio, [Some(old), Some(new)]) if old > 0.0 => base * (new / old),
            _ => base,
        };
        let new = view.clamp(actor, def, scaled);
        if new != base {
            self.bodies[actor].base.insert(attribute.to_owned(), new);
            self.emit(OracleEvent::effect("EffectExecuted", Catalog::BOUND_CHANGE_EFFECT, actor));
        }
    }

    /// Emits events for tags and cues of all controllers whose count changed between 0 and more since the
    /// last call (T2, E11).
    pub(super) fn publish_tags(&mut self) {
        let view = self.view();
        let (mut tags, mut cues) = (BTreeSet::new(), BTreeSet::new());
        for actor in 0..self.bodies.len() {
            tags.extend(view.cumulative(actor).keys().map(|tag| (actor, tag.clone())));
            cues.extend(view.cues(actor).into_keys().map(|cue| (actor, cue)));
        }
        let old_tags = std::mem::replace(&mut self.published.tags, tags.clone());
        let old_cues = std::mem::replace(&mut self.published.cues, cues.clone());
        for (kind, gone, stays) in [
            ("TagRemoved", &old_tags, &tags),
            ("TagAdded", &tags, &old_tags),
            ("CueRemoved", &old_cues, &cues),
            ("CueAdded", &cues, &old_cues),
        ] {
            for (actor, tag) in gone.difference(stays) {
                self.emit(OracleEvent::tag(kind, *actor, tag));
            }
        }
    }

    /// Emits one event for each value that changed since the last call (B5), and queues bases that follow
    /// changed bounds (B1). Attributes that are new emit nothing.
    pub(super) fn publish_values(&mut self) {
        let values = self.all_values();
        let (mut events, mut followers) = (Vec::new(), Vec::new());
        for ((actor, attribute), &(base, current, bounds)) in &values {
            let Some(&(old_base, old, old_bounds)) = self.published.values.get(&(*actor, attribute.clone()))
            else {
                continue;
            };
            if old_base != base || old != current {
                let values = [old_base, base, old, current];
                events.push(OracleEvent::Attribute { actor: *actor, attribute: attribute.clone(), values });
            }
            let follows = self
                .attribute(*actor, attribute)
                .is_some_and(|def| def.on_bound_change != OnBoundChange::Keep && def.derived.is_none());
            if follows && bounds != old_bounds {
                let (actor, attribute) = (*actor, attribute.clone());
                let upper = [old_bounds.1, bounds.1];
                followers.push((actor, self.depth(actor, &attribute), attribute, upper));
            }
        }
        // A referenced attribute before its dependents.
        followers.sort_by_key(|(actor, depth, ..)| (*actor, *depth));
        for (actor, _, attribute, upper) in followers {
            self.queue.push_back(Pending::Bound { actor, attribute, upper });
        }
        for event in events {
            self.emit(event);
        }
        // The base of a derived attribute keeps its last value when it cannot be evaluated (V2).
        for ((actor, attribute), (base, ..)) in &values {
            self.bodies[*actor].base.insert(attribute.clone(), *base);
        }
        self.published.values = values;
    }

    /// Records the values of new attributes of a controller without events, so that only later changes emit
    /// some.
    pub(super) fn publish_silently(&mut self, actor: Actor, names: &BTreeSet<String>) {
        let values = self.all_values();
        let new = values.into_iter().filter(|((of, name), _)| *of == actor && names.contains(name));
        self.published.values.extend(new);
    }

    /// Base, current value and bounds of every attribute of every controller, to find changes since the last
    /// events.
    fn all_values(&self) -> BTreeMap<(Actor, String), (f64, f64, Bounds)> {
        let view = self.view();
        let mut values = BTreeMap::new();
        for actor in 0..self.bodies.len() {
            for def in self.attributes(actor) {
                if let (Some(base), Some(current)) =
                    (view.base(actor, &def.name), view.current(actor, &def.name))
                {
                    let bounds = view.bounds(actor, def);
                    values.insert((actor, def.name.clone()), (base, current, bounds));
                }
            }
        }
        values
    }
}
