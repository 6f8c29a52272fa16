//! Restores a character as a new controller: facts are written, everything else is derived (P2).

use std::collections::BTreeMap;

use super::effects::Unfinished;
use crate::attribute::layout::Layout;
use crate::catalog::DefinitionKind;
use crate::character::{Character, CharacterOutcome, CharacterReport, RestoreError, RestoreOptions};
use crate::controller::Value;
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AttributeSetId, EffectId, TagId};
use crate::simulation::Simulation;
use crate::simulation::spawn::NewController;

impl Simulation {
    /// Creates a new controller from a [`Character`], by the rules of [`crate::character`]: its clocks
    /// continue, nothing is applied again, and everything that cannot be restored is reported.
    ///
    /// # Errors
    /// If there are too many controllers, or its attribute sets conflict in this catalog; the state is
    /// unchanged then.
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
            let initial = sim.initial_state(character, options, layout, &mut report);
            let InitialState { new, fresh } = initial;
            let id = sim.create_controller(new);
            let mut restoring = CharacterRestore {
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

    /// Attribute sets of a character in this catalog, sorted by id; unknown ones are reported and left out.
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

    /// Initial state of the controller: the bases of the character and, for attributes that it does not have,
    /// the defaults of a spawned one. Reports attributes that have no place here. Changes nothing.
    fn initial_state(
        &self,
        character: &Character,
        options: &RestoreOptions,
        layout: u32,
        report: &mut CharacterReport,
    ) -> InitialState {
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
        let new = NewController {
            template,
            owner: options.chosen_owner().or(character.owner),
            avatar: options.chosen_avatar().or(character.avatar),
            replication: character.replication,
            layout,
            values,
        };
        InitialState { new, fresh }
    }

    /// P2: reports current values that differ from the saved ones.
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

/// Initial state of a restored controller, with the slots that the character has no values for.
struct InitialState {
    new: NewController,
    fresh: Vec<u16>,
}

/// State of a restore in progress.
pub(super) struct CharacterRestore<'a> {
    pub(super) sim: &'a mut Simulation,
    pub(super) character: &'a Character,
    pub(super) options: &'a RestoreOptions,
    pub(super) id: ControllerId,
    pub(super) report: &'a mut CharacterReport,
    /// New handles of effects, by their order in the character; `abilities` likewise.
    pub(super) effects: BTreeMap<u32, ActiveEffectId>,
    pub(super) abilities: BTreeMap<u32, GrantedAbilityId>,
    /// Effects created at run time, by name.
    pub(super) created: BTreeMap<&'a str, EffectId>,
    /// Effects whose numbers have to be evaluated here (P6), in the order of their application.
    pub(super) unfinished: Vec<Unfinished>,
    /// Slots of attributes that the character does not have.
    pub(super) fresh: Vec<u16>,
}

impl CharacterRestore<'_> {
    /// Restores everything after the controller itself, in this order: facts, events, derived state, missing
    /// numbers, follow-ups.
    fn run(&mut self) {
        self.write_facts();
        self.write_records();
        self.watch_finished();
        self.announce();
        self.derive();
        self.finish_effects();
        self.complete();
    }

    /// Writes the facts of the controller itself: team, placement, input buffer and counts of activations. A
    /// value beyond a limit is left out and reported.
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
        if controller.ability_data.runs != runs {
            controller.ability_data.make_mut().runs = runs;
        }
        let template = self.character.template.clone().unwrap_or_default();
        for limit in [team_limit, buffer_limit].into_iter().flatten() {
            self.note(DefinitionKind::Template, &template, CharacterOutcome::LimitReached(limit));
        }
    }

    /// Resolves a tag in this catalog; an unknown one is reported.
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
