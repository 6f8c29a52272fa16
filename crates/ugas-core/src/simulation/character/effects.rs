//! Restores the effects of a character: the same instances under new handles (P2, P4, P5, P6).

use std::sync::Arc;

use smallvec::SmallVec;

use super::clock::clock_of;
use super::restore::CharacterRestore;
use super::rules::rules_of;
use crate::catalog::DefinitionKind;
use crate::character::{
    CapturedValue, CharacterEffect, CharacterOutcome, Instigator, Lifetime, Orphans, RememberedSource,
    RememberedValue,
};
use crate::controller::Controller;
use crate::cow_option::CowOption;
use crate::effect::magnitude::{Capture, CaptureFrom};
use crate::effect::{
    ActiveEffect, Clock, Effect, EffectContext, EffectDef, EffectParts, EffectSpec, EffectStatus, LastSource,
    SpecParts,
};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{EffectId, TagId};
use crate::refusal::Limit;
use crate::simulation::runtime::DefineEffectError;
use crate::tag::{TagBits, TagSet};

/// A restored effect with numbers that have to be evaluated here.
pub(super) struct Unfinished {
    pub(super) id: ActiveEffectId,
    pub(super) missing: Missing,
}

/// Parts of a restored effect that the character does not contain.
pub(super) struct Missing {
    /// Positions of the captures to take now.
    pub(super) captures: Vec<usize>,
    pub(super) magnitudes: bool,
    pub(super) duration: bool,
    /// Whether the key of its random stream is missing.
    pub(super) stream: bool,
}

impl Missing {
    fn is_anything(&self) -> bool {
        !self.captures.is_empty() || self.magnitudes || self.duration || self.stream
    }
}

/// The instigator of an effect, as found here (P5).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Nobody,
    Live(ControllerId),
    Gone,
}

impl<'a> CharacterRestore<'a> {
    /// Restores the controller's own tags, granted as those of a spawned controller are (T3).
    pub(super) fn write_own_tags(&mut self) {
        for tags in self.character.own_tags.iter().flatten() {
            let tags: SmallVec<[TagId; 2]> = tags.iter().filter_map(|name| self.tag(name)).collect();
            self.own(tags);
        }
    }

    /// Adds an internal effect that grants these tags. `None` if there are no tags, or no room, which is
    /// reported.
    pub(super) fn own(&mut self, tags: SmallVec<[TagId; 2]>) -> Option<ActiveEffectId> {
        if tags.is_empty() {
            return None;
        }
        let internal = self.sim.catalog.internal.tags;
        let mut spec = self.sim.spec(internal, 1.0, EffectContext::of(self.id)).ok()?;
        spec.parts.make_mut().granted_tags = tags;
        let now = self.sim.state.now;
        let instance = self.instance(spec, Clock::new(now, None, None));
        match self.insert(instance) {
            Ok(id) => Some(id),
            Err(outcome) => {
                let name = self.sim.effect_name(internal).to_owned();
                self.note(DefinitionKind::Effect, &name, outcome);
                None
            }
        }
    }

    /// Restores one effect, or reports the reason for leaving it out.
    pub(super) fn write_effect(&mut self, saved: &'a CharacterEffect) {
        if let Err(outcome) = self.try_effect(saved) {
            self.note(DefinitionKind::Effect, &saved.effect, outcome);
        }
    }

    /// Adds one saved effect as a new instance, without events; numbers that the character lacks are listed
    /// in `unfinished`. An error leaves the effect out.
    fn try_effect(&mut self, saved: &'a CharacterEffect) -> Result<(), CharacterOutcome> {
        let effect_id = self.effect_id(saved)?;
        let effect = self.sim.state.definition(&self.sim.catalog, effect_id).cloned();
        let effect = effect.ok_or(CharacterOutcome::Unknown)?;
        if effect.is_instant() {
            return Err(CharacterOutcome::BecameInstant);
        }
        if !saved.level.is_finite() {
            return Err(CharacterOutcome::NotFinite);
        }
        let source = self.source(saved);
        if source == Source::Gone {
            let follows = !effect.source_reads.is_empty();
            match self.options.rule_for_orphans() {
                Orphans::Drop => return Err(CharacterOutcome::OrphanDropped),
                Orphans::DropFollowers if follows => return Err(CharacterOutcome::OrphanDropped),
                Orphans::Keep | Orphans::DropFollowers => {}
            }
        }
        let mut spec = self.spec(saved, effect_id, &effect, source);
        let captures = self.captured(saved, &effect, &mut spec);
        let magnitudes = self.magnitudes(saved, &effect);
        let missing = Missing {
            captures,
            magnitudes: magnitudes.is_none(),
            duration: saved.lifetime == Lifetime::Whole,
            stream: effect.uses_random && saved.stream.is_none(),
        };
        let clock = clock_of(saved, &effect, self.sim.state.now);
        let stacks = self.stacks(saved, &effect);
        let remembered = saved.remembered.as_ref();
        let last_source = (source == Source::Gone).then(|| Box::new(self.last_source(remembered)));
        let instance = ActiveEffect {
            stacks,
            status: saved.status,
            inhibited: saved.inhibited && saved.status == EffectStatus::Running,
            given: saved.status == EffectStatus::Running,
            magnitudes: magnitudes.unwrap_or_default(),
            stream: saved.stream.filter(|_| effect.uses_random).unwrap_or_default(),
            parts: EffectParts { last_source, ..EffectParts::default() }.into(),
            ..self.instance(spec, clock)
        };
        let within = self.sim.check_spec(&instance.spec).and(self.sim.check_period(instance.period()));
        within.map_err(CharacterOutcome::LimitReached)?;
        let id = self.insert(instance)?;
        self.effects.insert(saved.order, id);
        if missing.is_anything() {
            self.unfinished.push(Unfinished { id, missing });
        }
        if source == Source::Gone {
            self.note(DefinitionKind::Effect, &saved.effect, CharacterOutcome::Orphaned);
        }
        Ok(())
    }

    /// Effect of the saved name, or the run-time definition that the character contains, which is created
    /// here. An effect of the catalog replaces a run-time one of the same name, with a report.
    fn effect_id(&mut self, saved: &'a CharacterEffect) -> Result<EffectId, CharacterOutcome> {
        if let Some(definition) = &saved.definition {
            match self.sim.define_effect(EffectDef::clone(definition)) {
                Ok(id) => {
                    self.created.insert(&saved.effect, id);
                    return Ok(id);
                }
                Err(DefineEffectError::Invalid(errors)) => return Err(CharacterOutcome::Invalid(errors)),
                Err(DefineEffectError::LimitReached(_)) => {
                    return Err(CharacterOutcome::LimitReached(Limit::RuntimeEffects));
                }
                Err(DefineEffectError::NameTaken(_)) => {
                    self.note(DefinitionKind::Effect, &saved.effect, CharacterOutcome::Replaced);
                }
            }
        }
        let id = self.sim.catalog.effect(&saved.effect).map_err(|_| CharacterOutcome::Unknown)?;
        // Owned tags without their activation would stay for ever (P8).
        if id == self.sim.catalog.internal.owned_tags { Err(CharacterOutcome::Unknown) } else { Ok(id) }
    }

    /// P5: finds the instigator of a saved effect: by the options of the restore, else by owner. `Gone` if
    /// nobody fits.
    fn source(&self, saved: &CharacterEffect) -> Source {
        match &saved.instigator {
            Instigator::Nobody => Source::Nobody,
            Instigator::Itself => Source::Live(self.id),
            Instigator::Other { owner, name } => {
                let lives = |id: &ControllerId| self.sim.state.controllers.contains(*id);
                let said = self.options.candidates(*owner, name).find(lives);
                let owned = || owner.and_then(|owner| self.sim.controller_of_owner(owner));
                // The restored controller itself is not the instigator, even if the owner is the same.
                let found = said.or_else(|| owned().filter(|found| *found != self.id));
                found.map_or(Source::Gone, Source::Live)
            }
        }
    }

    /// Builds the spec of a saved effect, without captures. Unknown tags and numbers that are not finite are
    /// left out and reported.
    fn spec(&mut self, saved: &CharacterEffect, id: EffectId, effect: &Effect, source: Source) -> EffectSpec {
        let CharacterEffect {
            level,
            causer,
            source_object,
            hit,
            origin,
            payload,
            set_by_caller,
            own_duration,
            own_period,
            granted_tags,
            asset_tags,
            context_tags,
            ability_tags,
            ..
        } = saved;
        let mut numbers: SmallVec<[(TagId, f64); 2]> = SmallVec::new();
        for (name, value) in set_by_caller {
            let Some(tag) = self.tag(name) else { continue };
            if !value.is_finite() {
                self.note(DefinitionKind::Effect, &saved.effect, CharacterOutcome::NotFinite);
                continue;
            }
            match numbers.binary_search_by_key(&tag, |(known, _)| *known) {
                Ok(at) => numbers[at].1 = *value,
                Err(at) => numbers.insert(at, (tag, *value)),
            }
        }
        let mut context = EffectContext::of(match source {
            Source::Live(source) => Some(source),
            Source::Nobody | Source::Gone => None,
        });
        context.set_causer(*causer);
        context.set_source_object(*source_object);
        context.set_hit(*hit);
        context.set_origin(*origin);
        context.set_raw_payload(payload.clone());
        context.set_tags(context_tags.iter().filter_map(|name| self.tag(name)).collect());
        let ability_tags: Vec<TagId> = ability_tags.iter().filter_map(|name| self.tag(name)).collect();
        let ability_tags = TagBits::closed(self.sim.catalog.tags(), ability_tags);
        context.set_ability_tags(CowOption::new(ability_tags));
        let parts = SpecParts {
            set_by_caller: numbers,
            granted_tags: granted_tags.iter().filter_map(|name| self.tag(name)).collect(),
            captured: SmallVec::new(),
            asset_tags: asset_tags.iter().filter_map(|name| self.tag(name)).collect(),
            duration: *own_duration,
            period: own_period.filter(|period| period.is_positive()),
        };
        EffectSpec { parts: parts.into(), ..EffectSpec::new(id, effect.name_hash, *level, context) }
    }

    /// Sets the saved frozen captures in the order of the definition; returns the positions of the missing
    /// ones, which hold no value yet. A capture that was saved without a value is not missing.
    fn captured(&self, saved: &CharacterEffect, effect: &Effect, spec: &mut EffectSpec) -> Vec<usize> {
        let mut missing = Vec::new();
        for (at, capture) in effect.captures.iter().enumerate() {
            let known = saved.captured.iter().find(|known| self.is_reading(known, capture));
            let value = known.map(|known| known.value);
            let value = value.filter(|value| value.is_none_or(f64::is_finite));
            spec.parts.make_mut().captured.push(value.flatten().into());
            if value.is_none() {
                missing.push(at);
            }
        }
        missing
    }

    /// Whether a saved capture is the reading that the definition asks for, compared by names.
    fn is_reading(&self, known: &CapturedValue, capture: &Capture) -> bool {
        let catalog = &self.sim.catalog;
        let tags = |names: &[String], filter: &TagSet| {
            names.iter().map(String::as_str).eq(filter.iter().map(|tag| catalog.tag_name(tag)))
        };
        known.attribute == catalog.attribute_name(capture.attribute)
            && (known.from == CaptureFrom::Source) == (capture.side == crate::expr::Side::Source)
            && known.calculation == capture.calculation
            && tags(&known.source_tag_filter, &capture.source_tag_filter)
            && tags(&known.target_tag_filter, &capture.target_tag_filter)
    }

    /// P6: the saved magnitudes, if the rules that they come from are unchanged. `None` if they have to be
    /// evaluated; magnitudes that were saved and are not used are reported.
    fn magnitudes(&mut self, saved: &CharacterEffect, effect: &Effect) -> Option<SmallVec<[f64; 2]>> {
        let catalog = &self.sim.catalog;
        let known = saved.magnitudes.as_ref()?;
        let same_rules = saved.rules.is_none_or(|rules| rules == rules_of(catalog, effect));
        let attributes = effect.modifiers.iter().map(|modifier| catalog.attribute_name(modifier.attribute));
        let fits = known.iter().map(|(name, _)| name.as_str()).eq(attributes)
            && known.iter().all(|(_, value)| value.is_finite());
        if same_rules && fits {
            return Some(known.iter().map(|&(_, value)| value).collect());
        }
        self.note(DefinitionKind::Effect, &saved.effect, CharacterOutcome::Reevaluated);
        None
    }

    /// Saved stack count within the present limit; a reduction is reported.
    fn stacks(&mut self, saved: &CharacterEffect, effect: &Effect) -> u32 {
        let limit = match &effect.stacking {
            None => 1,
            Some(stacking) if stacking.limit > 0 => stacking.limit,
            Some(_) => self.sim.config.max_stacks.max(1),
        };
        let to = saved.stacks.clamp(1, limit);
        if to < saved.stacks {
            let outcome = CharacterOutcome::StacksReduced { from: saved.stacks, to };
            self.note(DefinitionKind::Effect, &saved.effect, outcome);
        }
        to
    }

    /// M5: remembered source values. Names that this catalog lacks are left out.
    fn last_source(&self, remembered: Option<&RememberedSource>) -> LastSource {
        let Some(RememberedSource { tags, values }) = remembered else { return LastSource::default() };
        let catalog = &self.sim.catalog;
        let tags = tags.iter().filter_map(|name| catalog.tags().id(name));
        let values = values.iter().filter_map(|RememberedValue { attribute, base, current }| {
            let is_number = (base + current).is_finite();
            Some((catalog.attribute(attribute).ok().filter(|_| is_number)?, *base, *current))
        });
        LastSource { tags: TagBits::closed(catalog.tags(), tags), values: values.collect() }
    }

    /// A running instance with one stack on the new controller; `insert` gives it its sequence number.
    fn instance(&self, spec: EffectSpec, clock: Clock) -> ActiveEffect {
        let active = ActiveEffect::new(spec, self.id, 0, clock, SmallVec::new(), 0);
        ActiveEffect { given: true, ..active }
    }

    /// P9: inserts an instance with the next sequence number and lists it on the controller; an error if
    /// there is no room.
    fn insert(&mut self, instance: ActiveEffect) -> Result<ActiveEffectId, CharacterOutcome> {
        let limit = || CharacterOutcome::LimitReached(Limit::EffectsPerController);
        self.sim.check_effect_limit(self.id).map_err(|_| limit())?;
        let sequence = self.sim.state.next_sequence();
        let instance = ActiveEffect { sequence, applied: sequence, ..instance };
        let id = self.sim.state.effects.insert(instance);
        let controller = self.sim.state.controllers.get_mut(self.id).ok_or_else(limit)?;
        controller.effects.push(id);
        Ok(id)
    }

    /// M4: renumbers the applications where needed, so that the order of the latest ones stays as saved.
    pub(super) fn order_applications(&mut self) {
        let mut recent: Vec<(u32, u32)> =
            self.character.effects.iter().map(|saved| (saved.recency, saved.order)).collect();
        recent.sort_unstable();
        let mut last = None;
        for (_, order) in recent {
            let Some(&id) = self.effects.get(&order) else { continue };
            let Some(sequence) = self.sim.state.effects.get(id).map(|active| active.sequence) else {
                continue;
            };
            let applied = if last < Some(sequence) { sequence } else { self.sim.state.next_sequence() };
            last = Some(applied);
            if let Some(active) = self.sim.state.effects.get_mut(id) {
                active.applied = applied;
            }
        }
    }

    /// Restores the counts of random rolls (P11).
    pub(super) fn count_rolls(&mut self) {
        let catalog = &self.sim.catalog;
        let id = |name: &String| {
            let created = self.created.get(name.as_str()).copied();
            created.or_else(|| catalog.effect(name).ok())
        };
        let rolls = self.character.rolls.iter().filter_map(|(name, count)| Some((id(name)?, *count)));
        let mut rolls: SmallVec<[(EffectId, u32); 2]> = rolls.collect();
        rolls.sort_unstable();
        rolls.dedup_by_key(|(effect, _)| *effect);
        if let Some(controller) = self.sim.state.controllers.get_mut(self.id)
            && controller.interactions.rolls != rolls
        {
            controller.interactions.make_mut().rolls = rolls;
        }
    }

    /// The effects on the new controller in application order, with their definitions.
    pub(super) fn instances(&self) -> Vec<(ActiveEffectId, Arc<Effect>)> {
        let controller = self.sim.state.controllers.get(self.id);
        let effects = controller.map(Controller::effects).unwrap_or_default();
        let with_definition = |&id: &ActiveEffectId| {
            let effect = self.sim.state.effects.get(id)?.effect;
            Some((id, self.sim.state.definition(&self.sim.catalog, effect)?.clone()))
        };
        effects.iter().filter_map(with_definition).collect()
    }
}
