//! All that follows from the facts (R2): modifiers, tags, cues, timers, and what effects follow.

use super::Reload;
use crate::effect::{Effect, EffectStatus};
use crate::event::EventKind;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::modifier::aggregate::ModifierEntry;
use crate::simulation::activate::{acting, cue_parameters};
use crate::tag::TagContainer;
use crate::timer::TimerWheel;

impl Reload<'_> {
    pub(super) fn derive(&mut self) {
        self.next.state.timers = TimerWheel::new(self.next.state.now);
        let controllers: Vec<ControllerId> = self.next.state.controllers.handles().collect();
        for id in controllers {
            self.derive_modifiers(id);
            self.derive_tags(id);
            self.derive_cues(id);
        }
        for id in self.order.clone() {
            if let Some(effect) = self.definition_now(id) {
                self.next.watch(id, &effect);
                self.next.schedule(id);
            }
        }
        self.derive_runs();
        for id in self.touched.clone() {
            self.look_at_modifiers(id);
        }
    }

    /// The running effects on a controller, in application order, with their definitions.
    fn running(&self, id: ControllerId) -> Vec<(ActiveEffectId, std::sync::Arc<Effect>)> {
        let controller = self.next.state.controllers.get(id);
        let effects = controller.map(|controller| controller.effects.as_slice()).unwrap_or_default();
        let running = effects.iter().filter_map(|&active| {
            let instance = self.next.state.effects.get(active)?;
            let effect = self.definition_now(active)?;
            (instance.status == EffectStatus::Running).then_some((active, effect))
        });
        running.collect()
    }

    /// Those whose tags, abilities and cues are out.
    pub(super) fn giving(&self, id: ControllerId) -> Vec<(ActiveEffectId, std::sync::Arc<Effect>)> {
        let gives = |(active, _): &(ActiveEffectId, _)| {
            self.next.state.effects.get(*active).is_some_and(|active| active.given && !active.inhibited)
        };
        self.running(id).into_iter().filter(gives).collect()
    }

    /// Slots whose modifiers are not what they were have to be looked at again.
    fn derive_modifiers(&mut self, id: ControllerId) {
        let state = &self.next.state;
        let mut entries: Vec<ModifierEntry> = Vec::new();
        for (active, effect) in self.running(id) {
            let Some(instance) = state.effects.get(active) else { continue };
            let of_effect =
                (0..effect.modifiers.len()).filter_map(|index| state.entry(active, instance, &effect, index));
            entries.extend(of_effect);
        }
        let key = |entry: &ModifierEntry| (entry.slot, entry.sequence, entry.index);
        entries.sort_unstable_by_key(key);
        let Some(controller) = self.next.state.controllers.get_mut(id) else { return };
        let before = core::mem::replace(&mut controller.modifiers, entries);
        let now = &controller.modifiers;
        let differs = |entry: &&ModifierEntry, others: &[ModifierEntry]| {
            let at = others.binary_search_by_key(&key(entry), key);
            at.ok().and_then(|at| others.get(at)) != Some(*entry)
        };
        let gone = before.iter().filter(|entry| differs(entry, now));
        let new = now.iter().filter(|entry| differs(entry, &before));
        self.work.dirty.extend(gone.chain(new).map(|entry| (id, entry.slot)));
    }

    fn derive_tags(&mut self, id: ControllerId) {
        let catalog = &self.next.catalog;
        let mut tags = TagContainer::default();
        let mut crossed = Vec::new();
        for (active, effect) in self.giving(id) {
            let Some(instance) = self.next.state.effects.get(active) else { continue };
            for tag in effect.granted_tags.iter().chain(instance.spec.granted_tags.iter().copied()) {
                let _ = tags.add(catalog.tags(), tag, &mut crossed);
            }
        }
        let Some(controller) = self.next.state.controllers.get_mut(id) else { return };
        let before = core::mem::replace(&mut controller.tags, tags);
        let now = &controller.tags;
        // Highest ids first, so that a tag precedes its ancestors, as it does elsewhere (T2).
        let mut gone: Vec<_> = before.bits().iter().filter(|tag| !now.matches(*tag)).collect();
        let mut new: Vec<_> = now.bits().iter().filter(|tag| !before.matches(*tag)).collect();
        gone.reverse();
        new.reverse();
        let gone = gone.into_iter().map(|tag| EventKind::TagRemoved { controller: id, tag });
        let new = new.into_iter().map(|tag| EventKind::TagAdded { controller: id, tag });
        self.work.announcements.extend(gone.chain(new));
    }

    fn derive_cues(&mut self, id: ControllerId) {
        let giving = self.giving(id);
        let Some(controller) = self.next.state.controllers.get_mut(id) else { return };
        let before = core::mem::take(&mut controller.cues);
        // Cues that runs of abilities show go on.
        for &run in &controller.activations {
            let activation = self.next.state.activations.get(run);
            for &cue in activation.map(|activation| &*activation.cues).unwrap_or_default() {
                match controller.cues.binary_search_by_key(&cue, |(tag, _)| *tag) {
                    Ok(at) => controller.cues[at].1 += 1,
                    Err(at) => controller.cues.insert(at, (cue, 1)),
                }
            }
        }
        for (active, effect) in giving {
            let Some(instance) = self.next.state.effects.get(active) else { continue };
            let parameters = cue_parameters(instance, &effect);
            for cue in effect.cues.iter() {
                match controller.cues.binary_search_by_key(&cue, |(tag, _)| *tag) {
                    Ok(at) => controller.cues[at].1 += 1,
                    Err(at) => {
                        controller.cues.insert(at, (cue, 1));
                        if before.binary_search_by_key(&cue, |(tag, _)| *tag).is_err() {
                            let added = EventKind::CueAdded { controller: id, cue, parameters };
                            self.work.announcements.push(added);
                        }
                    }
                }
            }
        }
        for &(cue, _) in &before {
            if controller.cues.binary_search_by_key(&cue, |(tag, _)| *tag).is_err() {
                self.work.announcements.push(EventKind::CueRemoved { controller: id, cue });
            }
        }
    }

    /// The conditions of a modifier are not part of its entry: those of a changed effect are judged again. What has
    /// nothing to act on, and had something else before, is reported (M6).
    fn look_at_modifiers(&mut self, id: ActiveEffectId) {
        let (Some((old, before)), Some(now)) = (self.before(id), self.definition_now(id)) else { return };
        let Some(active) = self.next.state.effects.get(id) else { return };
        if active.status != EffectStatus::Running {
            return;
        }
        let (effect, target) = (active.effect, active.target);
        let had = |name: &str| before.def.modifiers.iter().any(|modifier| modifier.attribute == name);
        for index in 0..now.modifiers.len() {
            let Some(modifier) = acting(&now, index) else { continue };
            let attribute = modifier.attribute;
            let name = self.next.catalog.attribute_name(attribute);
            match self.next.state.locate(target, attribute) {
                Some((_, slot)) => self.work.dirty.push((target, slot as u16)),
                None if had(name) && old.status == EffectStatus::Running => {}
                None => {
                    let modifier = index as u16;
                    let inert = EventKind::ModifierInert { effect, modifier, attribute, target };
                    self.work.announcements.push(inert);
                }
            }
        }
    }
}
