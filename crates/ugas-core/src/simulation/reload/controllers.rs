//! Reload of controllers, by name (R1).

use smallvec::SmallVec;

use super::Reload;
use crate::attribute::layout::Layout;
use crate::catalog::DefinitionKind;
use crate::controller::parts::{AbilityData, Interactions};
use crate::controller::{Controller, Value};
use crate::gap_vec::GapVec;
use crate::handle::ControllerId;
use crate::id::{AbilityId, AttributeSetId, EffectId, TagId, TemplateId};
use crate::input::InputBuffer;
use crate::lazy_box::LazyBox;
use crate::modifier::aggregate::ModifierEntry;
use crate::reload::{ReloadError, ReloadOutcome, ReloadPlace};
use crate::tag::TagContainer;

impl Reload<'_> {
    /// Moves every controller to the new layout of its sets; an error if the sets of one conflict. Tags, cues
    /// and modifiers keep their translated old values: re-evaluation reads them, and the derived ones are
    /// compared with them.
    pub(super) fn translate_controllers(&mut self) -> Result<(), ReloadError> {
        self.next.state.layouts.clear();
        for (id, controller) in self.old.state.controllers.iter() {
            let translated = self.controller(id, controller)?;
            if let Some(place) = self.next.state.controllers.get_mut(id) {
                *place = translated;
            }
        }
        Ok(())
    }

    /// Translates one controller, and reports what it loses. Indexes and subscriptions are left empty: they
    /// are derived later.
    fn controller(&mut self, id: ControllerId, controller: &Controller) -> Result<Controller, ReloadError> {
        let Controller {
            ordinal,
            template,
            owner,
            avatar,
            replication,
            inactive,
            layout: _,
            values: _,
            modifiers,
            tags,
            effects,
            buffer,
            interactions,
            ability_data,
            pending: _,
        } = controller;
        // The ignored fields are derived from effects, abilities, activations and tasks.
        let Interactions {
            effect_index: _,
            outgoing: _,
            watchers: _,
            cues,
            ability_blocks: _,
            placement,
            team,
            rolls,
            summon,
        } = &***interactions;
        let AbilityData {
            abilities,
            ability_index: _,
            activations,
            run_index: _,
            subscriptions: _,
            runs,
            inputs,
        } = &***ability_data;
        let template = self.template(id, *template);
        let old_layout = self.old.state.layout(controller);
        let sets = self.sets(id, &old_layout.sets);
        let layout = self.next.layout_for(&sets);
        let layout = layout.map_err(|error| ReloadError::AttributeSets { controller: id, error })?;
        let values = self.values(id, controller, template, layout);
        let new_layout = &self.next.state.layouts[layout as usize];
        let cues = cues.iter().filter_map(|&(cue, count)| Some((self.ids.tag(cue)?, count)));
        let mut cues: SmallVec<[(TagId, u32); 2]> = cues.collect();
        cues.sort_unstable();
        let rolls = rolls.iter().filter_map(|&(effect, count)| Some((self.ids.effect(effect)?, count)));
        let mut rolls: SmallVec<[(EffectId, u32); 2]> = rolls.collect();
        rolls.sort_unstable();
        let own_runs = runs.iter().filter_map(|&(ability, count)| Some((self.ids.ability(ability)?, count)));
        let mut own_runs: SmallVec<[(AbilityId, u32); 2]> = own_runs.collect();
        own_runs.sort_unstable();
        let entries = modifiers.iter().filter_map(|entry| self.entry(entry, old_layout, new_layout));
        let mut modifiers: Vec<ModifierEntry> = entries.collect();
        modifiers.sort_unstable_by_key(|entry| (entry.slot, entry.sequence, entry.index));
        Ok(Controller {
            ordinal: *ordinal,
            template,
            owner: *owner,
            avatar: *avatar,
            replication: *replication,
            inactive: *inactive,
            layout,
            values,
            modifiers: GapVec::from(modifiers).into(),
            tags: self.tags(id, tags),
            effects: effects.clone(),
            buffer: self.buffer(buffer),
            interactions: LazyBox::from(Interactions {
                cues,
                placement: *placement,
                team: team.clone(),
                rolls,
                summon: summon.clone(),
                ..Interactions::default()
            })
            .into(),
            ability_data: LazyBox::from(AbilityData {
                abilities: abilities.clone(),
                activations: activations.clone(),
                runs: own_runs,
                inputs: inputs.clone(),
                ..AbilityData::default()
            })
            .into(),
            pending: Default::default(),
        })
    }

    /// Input buffer of a controller: one with the old catalog's setting gets that of the new catalog, any
    /// other keeps its own.
    fn buffer(&self, old: &InputBuffer) -> InputBuffer {
        let mut buffer = old.clone();
        if old.config() == self.old.catalog.input_buffer {
            buffer.set_config(self.next.catalog.input_buffer);
        }
        buffer
    }

    /// Translates the template; one that is gone is reported.
    fn template(&mut self, id: ControllerId, template: Option<TemplateId>) -> Option<TemplateId> {
        let old = template?;
        let new = self.ids.template(old);
        if new.is_none() {
            let name = self.old.catalog.template_name(old);
            let place = ReloadPlace::Controller(id);
            self.report(DefinitionKind::Template, name, place, ReloadOutcome::DefinitionGone);
        }
        new
    }

    /// Translates the attribute sets, sorted by id; those that are gone are reported.
    fn sets(&mut self, id: ControllerId, old: &[AttributeSetId]) -> Vec<AttributeSetId> {
        let mut sets = Vec::with_capacity(old.len());
        for &set in old {
            match self.ids.attribute_set(set) {
                Some(set) => sets.push(set),
                None => {
                    let name = self.old.catalog.set_name(set);
                    let place = ReloadPlace::Controller(id);
                    self.report(DefinitionKind::AttributeSet, name, place, ReloadOutcome::DefinitionGone);
                }
            }
        }
        sets.sort_unstable();
        sets
    }

    /// Base and current values: kept where the attribute still exists, defaults elsewhere. Reports lost
    /// attributes, and lists changed, new and lost ones for the operation of the reload.
    fn values(
        &mut self,
        id: ControllerId,
        controller: &Controller,
        template: Option<TemplateId>,
        layout: u32,
    ) -> Vec<Value> {
        let new = std::sync::Arc::clone(&self.next.state.layouts[layout as usize]);
        let old = self.old.state.layout(controller);
        let mut carried: Vec<Option<Value>> = vec![None; new.slots.len()];
        for (place, value) in old.slots.iter().zip(&controller.values) {
            let attribute = self.ids.attribute(place.attribute.id);
            match attribute.and_then(|attribute| new.slot_of(attribute)) {
                Some(slot) => {
                    carried[usize::from(slot)] = Some(*value);
                    if self.changes.attribute(&place.attribute) {
                        self.work.dirty.push((id, slot));
                    }
                }
                None => {
                    let outcome = ReloadOutcome::AttributeDropped { base: value.base };
                    let place_of = ReloadPlace::Controller(id);
                    self.report(DefinitionKind::Attribute, &place.attribute.def.name, place_of, outcome);
                    self.work.vanished.extend(attribute.map(|attribute| (id, attribute)));
                }
            }
        }
        let template = template.and_then(|template| self.next.catalog.template_by_id(template));
        let values = (0..).zip(new.slots.iter().zip(carried)).map(|(slot, (place, carried))| {
            carried.unwrap_or_else(|| {
                self.work.fresh.push((id, slot));
                let of_template = template.and_then(|template| {
                    template.base.iter().find(|(attribute, _)| *attribute == place.attribute.id)
                });
                Value::unmodified(of_template.map_or(place.attribute.def.default_base, |&(_, value)| value))
            })
        });
        values.collect()
    }

    /// Translates the tags with their counts; those that are gone are reported.
    fn tags(&mut self, id: ControllerId, old: &TagContainer) -> TagContainer {
        let mut tags = TagContainer::default();
        for (tag, count) in old.iter() {
            let Some(new) = self.ids.tag(tag) else {
                let name = self.old.catalog.tag_name(tag);
                let place = ReloadPlace::Controller(id);
                self.report(DefinitionKind::Tag, name, place, ReloadOutcome::DefinitionGone);
                continue;
            };
            for _ in 0..count {
                let _ = tags.add(self.next.catalog.tags(), new, &mut Vec::new());
            }
        }
        tags
    }

    /// Translates a modifier; `None` if its attribute or channel is gone.
    fn entry(&self, entry: &ModifierEntry, old: &Layout, new: &Layout) -> Option<ModifierEntry> {
        let attribute = self.ids.attribute(old.attribute_at(entry.slot))?;
        let channel = match entry.channel {
            Some(channel) => Some(self.ids.channel(channel)?),
            None => None,
        };
        Some(ModifierEntry { slot: new.slot_of(attribute)?, channel, ..*entry })
    }
}
