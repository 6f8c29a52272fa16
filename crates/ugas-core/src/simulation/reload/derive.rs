//! Derived state after a reload (R2): modifiers, tags, cues, timers and subscriptions.

use smallvec::SmallVec;

use super::Reload;
use crate::effect::EffectStatus;
use crate::event::EventKind;
use crate::gap_vec::GapVec;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::TagId;
use crate::modifier::aggregate::ModifierEntry;
use crate::simulation::activate::acting;
use crate::tag::TagContainer;
use crate::timer::TimerWheel;

impl Reload<'_> {
    /// Derives modifiers, tags, cues, timers and subscriptions again, and lists the differences from before:
    /// events to emit and values to evaluate.
    pub(super) fn derive(&mut self) {
        self.next.state.timers = TimerWheel::new(self.next.state.now);
        let controllers: Vec<ControllerId> = self.next.state.controllers.handles().collect();
        for id in controllers {
            self.derive_modifiers(id);
            self.derive_tags(id);
            self.derive_cues(id);
        }
        self.next.derive_watches(&self.order);
        self.next.derive_activations();
        for id in self.touched.clone() {
            self.check_modifiers(id);
        }
    }

    /// Derives the modifiers, and marks slots whose modifiers changed for re-evaluation.
    fn derive_modifiers(&mut self, id: ControllerId) {
        let mut entries = GapVec::new();
        self.next.derive_modifiers(id, &mut entries);
        let key = |entry: &ModifierEntry| (entry.slot, entry.sequence, entry.index);
        let Some(controller) = self.next.state.controllers.get_mut(id) else { return };
        let before = core::mem::replace(&mut *controller.modifiers, entries);
        let now = &controller.modifiers;
        let differs = |entry: &&ModifierEntry, others: &[ModifierEntry]| {
            let at = others.binary_search_by_key(&key(entry), key);
            at.ok().and_then(|at| others.get(at)) != Some(*entry)
        };
        let gone = before.iter().filter(|entry| differs(entry, now));
        let new = now.iter().filter(|entry| differs(entry, &before));
        self.work.dirty.extend(gone.chain(new).map(|entry| (id, entry.slot)));
    }

    /// Derives the tags, and lists the events of added and removed tags and the changed counts.
    fn derive_tags(&mut self, id: ControllerId) {
        let mut tags = TagContainer::default();
        self.next.derive_tags(id, &mut tags, &mut Vec::new());
        let Some(controller) = self.next.state.controllers.get_mut(id) else { return };
        let before = core::mem::replace(&mut controller.tags, tags);
        let now = &controller.tags;
        // Highest ids first, so that a tag precedes its ancestors, as in other operations (T2).
        let mut gone: Vec<_> = before.bits().iter().filter(|tag| !now.matches(*tag)).collect();
        let mut new: Vec<_> = now.bits().iter().filter(|tag| !before.matches(*tag)).collect();
        gone.reverse();
        new.reverse();
        let mut counts: Vec<TagId> = before.iter().chain(now.iter()).map(|(tag, _)| tag).collect();
        counts.sort_unstable();
        counts.dedup();
        let counts = counts.into_iter().map(|tag| (tag, before.count(tag), now.count(tag)));
        let counts = counts.filter(|(_, old, new)| old != new);
        self.work.counts.extend(counts.map(|(tag, old, _)| (id, tag, old)));
        let gone = gone.into_iter().map(|tag| EventKind::TagRemoved { controller: id, tag });
        let new = new.into_iter().map(|tag| EventKind::TagAdded { controller: id, tag });
        self.work.announcements.extend(gone.chain(new));
    }

    /// Derives the cues, and lists the events of added and removed ones.
    fn derive_cues(&mut self, id: ControllerId) {
        let mut cues = SmallVec::new();
        self.next.derive_cues(id, &mut cues);
        let Some(controller) = self.next.state.controllers.get_mut(id) else { return };
        if controller.interactions.cues == cues {
            return;
        }
        let before = core::mem::replace(&mut controller.interactions.make_mut().cues, cues.clone());
        let mut shown = before.clone();
        for (instance, effect) in self.next.granting_effects(id) {
            let mut parameters = None;
            for cue in self.next.held_cues(effect, &instance.spec) {
                if let Err(at) = shown.binary_search_by_key(&cue, |(tag, _)| *tag) {
                    shown.insert(at, (cue, 1));
                    let of_effect = || self.next.present_cue_parameters(instance, effect);
                    let parameters = parameters.get_or_insert_with(of_effect).clone();
                    self.work.announcements.push(EventKind::CueAdded { controller: id, cue, parameters });
                }
            }
        }
        for &(cue, _) in &before {
            if cues.binary_search_by_key(&cue, |(tag, _)| *tag).is_err() {
                self.work.announcements.push(EventKind::CueRemoved { controller: id, cue });
            }
        }
    }

    /// Lists the attributes of a changed effect for re-evaluation, since the conditions of its modifiers are
    /// not part of the entries that were compared. A modifier whose attribute the target lacks is listed as
    /// inert, unless the effect ran and modified that attribute before (M6).
    fn check_modifiers(&mut self, id: ActiveEffectId) {
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
