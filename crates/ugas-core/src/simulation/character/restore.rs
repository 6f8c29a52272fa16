//! A character becomes a controller again: facts are written, all else is derived (P2).

use std::collections::BTreeMap;

use super::effects::Unfinished;
use crate::attribute::layout::Layout;
use crate::catalog::DefinitionKind;
use crate::character::{Character, CharacterOutcome, CharacterReport, RestoreError, RestoreOptions};
use crate::controller::Value;
use crate::handle::{AbilityHandle, ActiveEffectId, ControllerId};
use crate::id::{AttributeSetId, EffectId, TagId};
use crate::simulation::Simulation;
use crate::simulation::spawn::Founding;

impl Simulation {
    /// Makes a new controller of a [`Character`], by the law of [`crate::character`]: its clocks go on, nothing of it is
    /// applied again, and what cannot come back is reported.
    ///
    /// # Errors
    /// If there are too many controllers, or its attribute sets do not go together here; nothing has changed then.
    pub fn restore_character(
        &mut self,
        character: &Character,
        options: &RestoreOptions,
    ) -> Result<(ControllerId, CharacterReport), RestoreError> {
        let limit = self.config.max_controllers;
        if self.state.controllers.len() >= limit as usize {
            return Err(RestoreError::LimitReached(limit));
        }
        let mut report = CharacterReport::default();
        let sets = self.sets_named(character, &mut report);
        let layout = self.layout_for(&sets)?;
        let id = self.operate(|sim| {
            let founding = sim.founding(character, options, layout, &mut report);
            let Foundation { founding, fresh } = founding;
            let id = sim.found(founding);
            let mut restoring = Restoring {
                sim,
                character,
                options,
                id,
                report: &mut report,
                effects: BTreeMap::new(),
                created: BTreeMap::new(),
                abilities: BTreeMap::new(),
                unfinished: Vec::new(),
                fresh,
            };
            restoring.run();
            if let Some(controller) = sim.state.controllers.get_mut(id) {
                controller.inactive = character.inactive;
            }
            id
        });
        self.validate(id, character, &mut report);
        Ok((id, report))
    }

    fn sets_named(&self, character: &Character, report: &mut CharacterReport) -> Vec<AttributeSetId> {
        let mut sets = Vec::with_capacity(character.sets.len());
        for set in &character.sets {
            match self.catalog.attribute_set(&set.name) {
                Ok(id) => sets.push(id),
                Err(_) => report.note(DefinitionKind::AttributeSet, &set.name, CharacterOutcome::Unknown),
            }
        }
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// What the controller begins with: the bases of the character, and of attributes that it does not have those of a
    /// spawned one.
    fn founding(
        &self,
        character: &Character,
        options: &RestoreOptions,
        layout: u32,
        report: &mut CharacterReport,
    ) -> Foundation {
        let template = character.template.as_deref().and_then(|name| {
            let found = self.catalog.template(name);
            if found.is_err() {
                report.note(DefinitionKind::Template, name, CharacterOutcome::Unknown);
            }
            found.ok()
        });
        let of_template = template.and_then(|template| self.catalog.template_by_id(template));
        let layout_of: &Layout = &self.state.layouts[layout as usize];
        let mut carried: Vec<Option<f64>> = vec![None; layout_of.slots.len()];
        for attribute in character.sets.iter().flat_map(|set| &set.attributes) {
            let slot = self.catalog.attribute(&attribute.name).ok().and_then(|id| layout_of.slot_of(id));
            let (name, base) = (&attribute.name, attribute.base);
            match slot {
                None => {
                    report.note(DefinitionKind::Attribute, name, CharacterOutcome::AttributeGone { base })
                }
                Some(_) if !base.is_finite() => {
                    report.note(DefinitionKind::Attribute, name, CharacterOutcome::NotFinite);
                }
                Some(slot) => carried[usize::from(slot)] = Some(base + 0.0),
            }
        }
        let mut fresh = Vec::new();
        let mut values = Vec::with_capacity(carried.len());
        for (slot, (place, carried)) in (0..).zip(layout_of.slots.iter().zip(carried)) {
            let base = carried.unwrap_or_else(|| {
                fresh.push(slot);
                let given = of_template.and_then(|template| {
                    template.base.iter().find(|(attribute, _)| *attribute == place.attribute.id)
                });
                given.map_or(place.attribute.def.default_base, |&(_, value)| value)
            });
            values.push(Value { base, current: 0.0 });
        }
        let founding = Founding {
            template,
            owner: options.chosen_owner().or(character.owner),
            avatar: options.chosen_avatar().or(character.avatar),
            replication: character.replication,
            layout,
            values,
        };
        Foundation { founding, fresh }
    }

    /// P2: current values that came out differently are reported.
    fn validate(&self, id: ControllerId, character: &Character, report: &mut CharacterReport) {
        for attribute in character.sets.iter().flat_map(|set| &set.attributes) {
            let Ok(known) = self.catalog.attribute(&attribute.name) else { continue };
            let (Some(was), Some(is)) = (attribute.current, self.current(id, known)) else { continue };
            let tolerance = 1e-9 * was.abs().max(is.abs()).max(1.0);
            if (was - is).abs() > tolerance || !was.is_finite() {
                let outcome = CharacterOutcome::ValueDiffers { was, is };
                report.note(DefinitionKind::Attribute, &attribute.name, outcome);
            }
        }
    }
}

/// What a controller begins with, and which of its slots are not the character's.
struct Foundation {
    founding: Founding,
    fresh: Vec<u16>,
}

/// A character on its way back.
pub(super) struct Restoring<'a> {
    pub(super) sim: &'a mut Simulation,
    pub(super) character: &'a Character,
    pub(super) options: &'a RestoreOptions,
    pub(super) id: ControllerId,
    pub(super) report: &'a mut CharacterReport,
    /// By their order in the character.
    pub(super) effects: BTreeMap<u32, ActiveEffectId>,
    pub(super) abilities: BTreeMap<u32, AbilityHandle>,
    /// Effects created at run time, by name.
    pub(super) created: BTreeMap<&'a str, EffectId>,
    /// Effects whose numbers have to be evaluated here (P6), in the order of their application.
    pub(super) unfinished: Vec<Unfinished>,
    /// Slots of attributes that the character does not have.
    pub(super) fresh: Vec<u16>,
}

impl Restoring<'_> {
    fn run(&mut self) {
        self.write_facts();
        self.write_records();
        self.watch_finished();
        self.announce();
        self.derive();
        self.finish_effects();
        self.complete();
    }

    /// What belongs to the controller itself.
    fn write_facts(&mut self) {
        let Character { team, placement, input_buffer, runs, .. } = self.character;
        let catalog = &self.sim.catalog;
        let runs = runs.iter().filter_map(|(name, count)| Some((catalog.ability(name).ok()?, *count)));
        let mut runs: smallvec::SmallVec<[_; 2]> = runs.collect();
        runs.sort_unstable();
        runs.dedup_by_key(|(ability, _)| *ability);
        let team_limit = team.as_ref().and_then(|team| self.sim.check_name(team.name()).err());
        let buffer_limit = input_buffer.as_ref().and_then(|config| self.sim.check_input_buffer(config).err());
        let Some(controller) = self.sim.state.controllers.get_mut(self.id) else { return };
        if team_limit.is_none() {
            controller.set_team(team.as_ref());
        }
        controller.set_placement(*placement);
        if let Some(config) = input_buffer.filter(|_| buffer_limit.is_none()) {
            controller.buffer.set_config(config);
        }
        if controller.skills.runs != runs {
            controller.skills.make_mut().runs = runs;
        }
        let template = self.character.template.clone().unwrap_or_default();
        for limit in [team_limit, buffer_limit].into_iter().flatten() {
            self.note(DefinitionKind::Template, &template, CharacterOutcome::LimitReached(limit));
        }
    }

    /// A tag of this catalog; one that is not known is reported.
    pub(super) fn tag(&mut self, name: &str) -> Option<TagId> {
        let tag = self.sim.catalog.tags().id(name);
        if tag.is_none() {
            self.note(DefinitionKind::Tag, name, CharacterOutcome::Unknown);
        }
        tag
    }

    pub(super) fn note(&mut self, kind: DefinitionKind, name: &str, outcome: CharacterOutcome) {
        self.report.note(kind, name, outcome);
    }
}
