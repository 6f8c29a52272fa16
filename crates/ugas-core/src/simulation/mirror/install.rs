//! A simulation becomes what a mirror shows.

use std::sync::Arc;

use super::super::snapshot::Check;
use super::super::values::clamp;
use super::super::{Simulation, State};
use crate::arena::Arena;
use crate::effect::EffectDef;
use crate::handle::{ControllerId, Handle};
use crate::hash::StateHasher;
use crate::id::{AttributeId, EffectId};
use crate::mirror::shown::{ShownKey, cue_holder};
use crate::mirror::{Mirror, MirrorError, Table};
use crate::time::{Span, Time};

impl Mirror {
    /// Makes the state of `sim` what the mirror shows, at `now`: the time that the pieces are of. What it shows is in
    /// place under its [local](Self::local) handle, all else is gone, and its handles stay those of the dead. No events
    /// are raised, and those not yet polled are left alone: who wants to know what has changed compares.
    ///
    /// Something keeps its local handle for as long as it is in the window. Something new that the simulation has
    /// predicted takes over the handle of the prediction: an effect or a run with the same prediction key and definition
    /// on the same target or ability, an ability that the same effect grants, a task of the same run at the same step.
    /// It does not where the place has to be given back to something that the simulation has wrongly removed.
    ///
    /// Of controllers whose effects are not in sight the simulation then [knows](Simulation::known) what is shown.
    ///
    /// Whose time was up before `now` ends as soon as time passes. Ticks are counted as if none had been left out.
    ///
    /// # Errors
    /// If the simulation is of another catalog; nothing has changed then.
    pub fn install(&mut self, sim: &mut Simulation, now: Time) -> Result<(), MirrorError> {
        let (expected, found) = (self.catalog.hash(), sim.catalog().hash());
        if expected != found {
            return Err(MirrorError::ForeignCatalog { expected, found });
        }
        sim.become_what_is_shown(self, now);
        Ok(())
    }
}

impl Simulation {
    fn become_what_is_shown(&mut self, mirror: &mut Mirror, now: Time) {
        mirror.show_all();
        if self.rename(mirror) {
            mirror.seen.values_mut().for_each(|seen| seen.forget_translations());
        }
        self.state.now = now;
        self.raise_counters(mirror);
        for (remote, seen) in &mut mirror.seen {
            let Some(local) = mirror.names.controllers.local(*remote) else { continue };
            seen.translate(local, &mirror.names, &mirror.catalog, now);
            let number = seen.head.as_ref().map_or(0, |head| head.ordinal);
            for run in seen.runs.values_mut().filter_map(|kept| kept.local.as_mut()) {
                // V5: dice that both sides roll alike follow from the prediction; others stay with the authority.
                let ability = self.catalog.ability_by_id(run.ability);
                let shared =
                    ability.and_then(|ability| self.shared_run_stream(ability, run.prediction, number));
                run.stream = shared.unwrap_or(0);
            }
            let Some(head) = &seen.head else { continue };
            let Ok(layout) = self.layout_for(&head.sets) else { continue };
            let slots = Arc::clone(&self.state.layouts[layout as usize]);
            seen.build_controller(layout, &slots, &mirror.names, &mirror.catalog);
        }
        self.settle_shown(mirror);
        self.refill(mirror);
        self.shown.clear();
        let shown = mirror.seen.iter().filter(|(_, seen)| !seen.sight.effects);
        self.shown.extend(shown.filter_map(|(remote, _)| mirror.names.controllers.local(*remote)));
        self.shown.sort_unstable();
        self.forget_derived();
        self.leave_out();
        self.derive_all();
        let mut withheld = core::mem::take(&mut self.withheld);
        withheld.clear();
        for (remote, seen) in &mirror.seen {
            if let Some(local) = mirror.names.controllers.local(*remote) {
                self.fill_in(local, &seen.missing);
                withheld.extend(self.attributes_at(local, &seen.missing));
            }
        }
        self.set_withheld(withheld);
        self.scratch.reset();
    }

    /// What comes next is numbered above everything seen.
    fn raise_counters(&mut self, mirror: &Mirror) {
        let after = |number: Option<u64>| number.map_or(0, |number| number + 1);
        let effects = mirror.seen.values().flat_map(|seen| seen.effects.values());
        let applied = effects.map(|kept| kept.remote.active.applied).max();
        let started = mirror.numbers.last_key_value().map(|(number, _)| *number);
        let ordinal = mirror.ordinals.last_key_value().map(|(number, _)| *number);
        self.state.sequence = self.state.sequence.max(after(started)).max(after(applied));
        self.state.ordinal = self.state.ordinal.max(after(ordinal));
    }

    /// Puts the effects in place that hold tags and cues.
    fn settle_shown(&mut self, mirror: &mut Mirror) {
        let now = self.state.now;
        let tags = self.catalog.internal.tags;
        let tags = (tags, self.catalog.effect_by_id(tags).map_or(0, |effect| effect.name_hash));
        let Mirror { seen, names, cue_holders, .. } = mirror;
        for (remote, seen) in seen {
            let Some(target) = names.controllers.local(*remote) else { continue };
            for (key, shown) in &mut seen.shown {
                let effect = match *key {
                    ShownKey::Tags => Some(tags),
                    ShownKey::Cue(cue, _) => {
                        let (hash, def) = cue_holders.entry(cue).or_insert_with(|| {
                            let def = cue_holder(cue, &self.catalog);
                            (StateHasher::of(&def), def)
                        });
                        self.cue_holder(*hash, def)
                    }
                };
                // Without a definition there is no room for another; it is left out.
                let unknown = (EffectId::from_index(u32::MAX), 0);
                shown.settle(effect.unwrap_or(unknown), target, self.state.sequence, now);
                self.state.sequence += 1;
            }
        }
    }

    /// The effect that shows a cue: one created at run time, since the catalog has none.
    fn cue_holder(&mut self, hash: u64, def: &EffectDef) -> Option<(EffectId, u64)> {
        let first = self.catalog.effect_count() as u32;
        let known = self.state.runtime_effects.number_of(hash, def);
        let id = match known {
            Some(number) => EffectId::from_index(first.saturating_add(number)),
            None => self.define_effect(def.clone()).ok()?,
        };
        Some((id, self.effect_definition(id)?.name_hash))
    }

    fn refill(&mut self, mirror: &mut Mirror) {
        let Mirror { seen, names, .. } = mirror;
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

    fn forget_derived(&mut self) {
        let now = self.state.now;
        self.state.timers.restart(now);
        self.state.owners.clear();
        self.state.avatars.clear();
        self.state.summons.clear();
        self.state.runtime_effects.forget_uses();
    }

    /// Leaves out what cannot be together. What depends on something that was left out goes in the next round; since
    /// tasks, runs and abilities depend on each other only, there are few.
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

    /// The attributes in these slots of a controller.
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

    /// Attributes that never came have what the sets say, under the modifiers that are in sight: predictions use these
    /// values, and no read from outside gives them ([`Simulation::withheld`]).
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

/// Makes these all that an arena has.
fn put_all<'a, H: Handle, T: Clone + 'a>(
    arena: &mut Arena<H, T>,
    names: &Table<H>,
    objects: impl Iterator<Item = (H, &'a T)>,
) {
    let mut objects: Vec<(H, &T)> =
        objects.filter_map(|(remote, object)| Some((names.local(remote)?, object))).collect();
    objects.sort_unstable_by_key(|(local, _)| *local);
    arena.refill(objects.into_iter(), names.unused);
}
