//! Installs a replica into a client's simulation.

use std::sync::Arc;

use super::super::snapshot::Check;
use super::super::values::clamp;
use super::super::{Simulation, State};
use crate::arena::Arena;
use crate::effect::EffectDef;
use crate::handle::{ControllerId, Handle};
use crate::hash::StateHasher;
use crate::id::{AttributeId, EffectId};
use crate::replica::placeholder::{PlaceholderKey, cue_holder};
use crate::replica::{HandleTable, Replica, ReplicaError};
use crate::time::{Span, Time};

impl Replica {
    /// Replaces the state of `sim` with the replicated state at `now`, the time of the pieces. Replicated
    /// objects get their [local](Self::local) handles; all other objects are removed, and their handles are
    /// not reused for others. Emits no events and keeps those not yet polled: compare states to find changes.
    ///
    /// An object keeps its local handle as long as it is replicated. A new object that the simulation has
    /// predicted takes over the handle of the prediction: an effect or an activation with the same prediction
    /// key and definition on the same target or ability, an ability that the same effect grants, a task of
    /// the same activation at the same step. It gets another handle if the arena slot has to be returned to
    /// an object that the simulation removed by a misprediction.
    ///
    /// Controllers whose effects are not visible are then [known](Simulation::known) only as far as they are
    /// shown.
    ///
    /// An effect that expired before `now` ends as soon as time advances. Ticks are counted as if none had
    /// been skipped.
    ///
    /// # Errors
    /// If the simulation has another catalog; the state is unchanged then.
    pub fn install(&mut self, sim: &mut Simulation, now: Time) -> Result<(), ReplicaError> {
        let (expected, found) = (self.catalog.hash(), sim.catalog().hash());
        if expected != found {
            return Err(ReplicaError::ForeignCatalog { expected, found });
        }
        sim.install_replica(self, now);
        Ok(())
    }
}

impl Simulation {
    /// Replaces the state by the replica's: assigns handles, translates the records, refills the arenas,
    /// removes inconsistent objects and derives everything else. Emits no events.
    fn install_replica(&mut self, replica: &mut Replica, now: Time) {
        replica.show_all();
        if self.rename(replica) {
            replica.seen.values_mut().for_each(|seen| seen.forget_translations());
        }
        self.state.now = now;
        self.raise_counters(replica);
        for (remote, seen) in &mut replica.seen {
            let Some(local) = replica.names.controllers.local(*remote) else { continue };
            seen.translate(local, &replica.names, &replica.catalog, now);
            let number = seen.head.as_ref().map_or(0, |head| head.ordinal);
            for run in seen.runs.values_mut().filter_map(|kept| kept.local.as_mut()) {
                // V5: shared random streams follow from the prediction; all others stay with the authority.
                let ability = self.catalog.ability_by_id(run.ability);
                let shared = ability
                    .and_then(|ability| self.shared_activation_stream(ability, run.prediction, number));
                run.stream = shared.unwrap_or(0);
            }
            let Some(head) = &seen.head else { continue };
            let Ok(layout) = self.layout_for(&head.sets) else { continue };
            let slots = Arc::clone(&self.state.layouts[layout as usize]);
            seen.build_controller(layout, &slots, &replica.names, &replica.catalog);
        }
        self.settle_shown(replica);
        self.refill(replica);
        self.shown.clear();
        let shown = replica.seen.iter().filter(|(_, seen)| !seen.visibility.effects);
        self.shown.extend(shown.filter_map(|(remote, _)| replica.names.controllers.local(*remote)));
        self.shown.sort_unstable();
        self.forget_derived();
        self.leave_out();
        self.derive_all();
        let mut withheld = core::mem::take(&mut self.withheld);
        withheld.clear();
        for (remote, seen) in &replica.seen {
            if let Some(local) = replica.names.controllers.local(*remote) {
                self.fill_in(local, &seen.missing);
                withheld.extend(self.attributes_at(local, &seen.missing));
            }
        }
        self.set_withheld(withheld);
        self.scratch.reset();
    }

    /// Raises the counters above every number in the replica, so that local predictions get later ones.
    fn raise_counters(&mut self, replica: &Replica) {
        let after = |number: Option<u64>| number.map_or(0, |number| number + 1);
        let effects = replica.seen.values().flat_map(|seen| seen.effects.values());
        let applied = effects.map(|kept| kept.remote.active.applied).max();
        let started = replica.numbers.last_key_value().map(|(number, _)| *number);
        let ordinal = replica.ordinals.last_key_value().map(|(number, _)| *number);
        self.state.sequence = self.state.sequence.max(after(started)).max(after(applied));
        self.state.ordinal = self.state.ordinal.max(after(ordinal));
    }

    /// Completes the placeholder effects that hold tags and cues with their definitions and new sequence
    /// numbers.
    fn settle_shown(&mut self, replica: &mut Replica) {
        let now = self.state.now;
        let tags = self.catalog.internal.tags;
        let tags = (tags, self.catalog.effect_by_id(tags).map_or(0, |effect| effect.name_hash));
        let Replica { seen, names, cue_holders, .. } = replica;
        for (remote, seen) in seen {
            let Some(target) = names.controllers.local(*remote) else { continue };
            for (key, shown) in &mut seen.shown {
                let effect = match *key {
                    PlaceholderKey::Tags => Some(tags),
                    PlaceholderKey::Cue(cue, _) => {
                        let (hash, def) = cue_holders.entry(cue).or_insert_with(|| {
                            let def = cue_holder(cue, &self.catalog);
                            (StateHasher::of(&def), def)
                        });
                        self.cue_holder(*hash, def)
                    }
                };
                // Without room for another run-time definition the placeholder is left out.
                let unknown = (EffectId::from_index(u32::MAX), 0);
                shown.settle(effect.unwrap_or(unknown), target, self.state.sequence, now);
                self.state.sequence += 1;
            }
        }
    }

    /// Effect that holds a cue, with its name hash: created at run time if missing, since the catalog has
    /// none. `None` if there is no room for another.
    fn cue_holder(&mut self, hash: u64, def: &EffectDef) -> Option<(EffectId, u64)> {
        let first = self.catalog.effect_count() as u32;
        let known = self.state.runtime_effects.number_of(hash, def);
        let id = match known {
            Some(number) => EffectId::from_index(first.saturating_add(number)),
            None => self.define_effect(def.clone()).ok()?,
        };
        Some((id, self.effect_definition(id)?.name_hash))
    }

    /// Replaces the contents of all arenas by the translated records of controllers that have a local handle,
    /// and keeps in the handle tables which generations are unused.
    fn refill(&mut self, replica: &mut Replica) {
        let Replica { seen, names, .. } = replica;
        let State { controllers, effects, abilities, activations, tasks, .. } = &mut self.state;
        let whole = || seen.iter().filter(|(remote, _)| names.controllers.local(**remote).is_some());
        let found = whole().filter_map(|(remote, seen)| Some((*remote, seen.controller.as_ref()?)));
        put_all(controllers, &names.controllers, found);
        let known = whole().flat_map(|(_, seen)| &seen.effects);
        let known = known.filter_map(|(remote, kept)| Some((*remote, &kept.local.as_ref()?.active)));
        let shown = whole().flat_map(|(_, seen)| seen.shown.values());
        let shown = shown.map(|shown| (shown.name, &shown.facts.active));
        put_all(effects, &names.effects, known.chain(shown));
        let found = seen.values().flat_map(|seen| &seen.abilities);
        let found = found.filter_map(|(remote, kept)| Some((*remote, kept.local.as_ref()?)));
        put_all(abilities, &names.abilities, found);
        let found = seen.values().flat_map(|seen| &seen.runs);
        let found = found.filter_map(|(remote, kept)| Some((*remote, kept.local.as_ref()?)));
        put_all(activations, &names.runs, found);
        let found = seen.values().flat_map(|seen| &seen.tasks);
        let found = found.filter_map(|(remote, kept)| Some((*remote, kept.local.as_ref()?)));
        put_all(tasks, &names.tasks, found);
        names.controllers.unused = controllers.unused_generation();
        names.effects.unused = effects.unused_generation();
        names.abilities.unused = abilities.unused_generation();
        names.runs.unused = activations.unused_generation();
        names.tasks.unused = tasks.unused_generation();
    }

    /// Clears timers, indexes and use counts, which are derived again from the new contents.
    fn forget_derived(&mut self) {
        let now = self.state.now;
        self.state.timers.restart(now);
        self.state.owners.clear();
        self.state.avatars.clear();
        self.state.summons.clear();
        self.state.runtime_effects.forget_uses();
    }

    /// Removes objects that violate an invariant, and effects with too short a period, which a server's data
    /// may contain. Dependents of a removed object go in the next round; since tasks, activations and
    /// abilities depend only on each other, there are few rounds.
    fn leave_out(&mut self) {
        loop {
            let Self { state, catalog, config, .. } = self;
            let check = Check { state, catalog };
            let is_too_fast = |period: Option<Span>| period.is_some_and(|period| period < config.min_period);
            let effects = state.effects.iter();
            let effects =
                effects.filter(|(_, active)| check.effect(active).is_err() || is_too_fast(active.period()));
            let effects: Vec<_> = effects.map(|(id, _)| id).collect();
            let abilities = state.abilities.iter().filter(|(_, granted)| check.ability(granted).is_err());
            let abilities: Vec<_> = abilities.map(|(id, _)| id).collect();
            let runs = state.activations.iter().filter(|(id, run)| check.activation(*id, run).is_err());
            let runs: Vec<_> = runs.map(|(id, _)| id).collect();
            let tasks = state.tasks.iter().filter(|(id, task)| check.task(*id, task).is_err());
            let tasks: Vec<_> = tasks.map(|(id, _)| id).collect();
            if effects.is_empty() && abilities.is_empty() && runs.is_empty() && tasks.is_empty() {
                return;
            }
            for id in effects {
                self.state.effects.discard(id);
            }
            for id in abilities {
                self.state.abilities.discard(id);
            }
            for id in runs {
                self.state.activations.discard(id);
            }
            for id in tasks {
                self.state.tasks.discard(id);
            }
        }
    }

    /// Attributes in these slots of a controller.
    fn attributes_at<'a>(
        &'a self,
        id: ControllerId,
        slots: &'a [u16],
    ) -> impl Iterator<Item = (ControllerId, AttributeId)> + 'a {
        let layout = self.state.controllers.get(id).map(|controller| self.state.layout(controller));
        let places = layout.into_iter().flat_map(move |layout| {
            slots.iter().filter_map(move |&slot| layout.slots.get(usize::from(slot)))
        });
        places.map(move |place| (id, place.attribute.id))
    }

    /// Fills in attributes that were not replicated with the defaults of their sets under the visible
    /// modifiers. Predictions use these values, but no public read returns them ([`Simulation::withheld`]).
    fn fill_in(&mut self, id: ControllerId, missing: &[u16]) {
        for &slot in missing {
            let Some(controller) = self.state.controllers.get(id) else { return };
            let layout = self.state.layout(controller);
            let at = usize::from(slot);
            let Some(place) = layout.slots.get(at) else { continue };
            let stored = controller.values[at].base;
            let mut base = State::base_of(&self.catalog, controller, layout, slot).unwrap_or(stored);
            if place.attribute.derived.is_none() {
                let (min, max) = State::bounds(controller, place);
                base = clamp(base, min, max);
            }
            let evaluated = self.state.evaluate_slot(&self.catalog, id, controller, slot, base);
            let current = evaluated.map_or(base, |evaluated| evaluated.value);
            if let Some(controller) = self.state.controllers.get_mut(id) {
                controller.values[at].base = base + 0.0;
                controller.values[at].current = current;
            }
        }
    }
}

/// Replaces the contents of an arena by the objects that have a local handle.
fn put_all<'a, H: Handle, T: Clone + 'a>(
    arena: &mut Arena<H, T>,
    names: &HandleTable<H>,
    objects: impl Iterator<Item = (H, &'a T)>,
) {
    let mut objects: Vec<(H, &T)> =
        objects.filter_map(|(remote, object)| Some((names.local(remote)?, object))).collect();
    objects.sort_unstable_by_key(|(local, _)| *local);
    arena.refill(objects.into_iter(), names.unused);
}
