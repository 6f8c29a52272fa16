//! Captures a controller as a character, with names instead of ids (P1, P2).

use std::collections::BTreeMap;

use crate::ability::GrantedAbility;
use crate::character::{
    AbilityReference, CapturedValue, Character, CharacterAbility, CharacterAttribute, CharacterEffect,
    CharacterSet, GrantedBy, Instigator, Lifetime, Phase, RememberedSource, RememberedValue,
};
use crate::controller::Controller;
use crate::effect::magnitude::{Capture, CaptureFrom};
use crate::effect::{ActiveEffect, Effect, EffectSpec, EffectStatus, LastSource};
use crate::expr::Side;
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::TagId;
use crate::simulation::Simulation;
use crate::tag::{TagBits, TagSet};
use crate::time::{Span, Time};

impl Simulation {
    /// Captures a controller as a [`Character`]: plain data by names, to be
    /// [restored](Self::restore_character) in this or another simulation. Changes nothing. `None` if the
    /// controller does not exist.
    pub fn character(&self, controller: ControllerId) -> Option<Character> {
        self.character_named(controller, |_| None)
    }

    /// Captures a controller with the host's names for controllers: the name of the character, and those by
    /// which instigators can be found again (P5).
    pub fn character_named(
        &self,
        controller: ControllerId,
        name_of: impl Fn(ControllerId) -> Option<String>,
    ) -> Option<Character> {
        let known = self.state.controllers.get(controller)?;
        Some(CharacterCapture::new(self, controller, known, &name_of).character())
    }
}

/// A controller that is being captured.
struct CharacterCapture<'a> {
    sim: &'a Simulation,
    id: ControllerId,
    controller: &'a Controller,
    name_of: &'a dyn Fn(ControllerId) -> Option<String>,
    effects: Vec<(ActiveEffectId, &'a ActiveEffect, &'a Effect)>,
    abilities: Vec<(GrantedAbilityId, &'a GrantedAbility)>,
    /// Tags of the controller itself, one list per effect that grants them (T3).
    own_tags: Vec<Vec<String>>,
    effect_order: BTreeMap<ActiveEffectId, u32>,
    ability_order: BTreeMap<GrantedAbilityId, u32>,
}

impl<'a> CharacterCapture<'a> {
    fn new(
        sim: &'a Simulation,
        id: ControllerId,
        controller: &'a Controller,
        name_of: &'a dyn Fn(ControllerId) -> Option<String>,
    ) -> Self {
        let mut capture = Self {
            sim,
            id,
            controller,
            name_of,
            effects: Vec::new(),
            abilities: Vec::new(),
            own_tags: Vec::new(),
            effect_order: BTreeMap::new(),
            ability_order: BTreeMap::new(),
        };
        for &effect in controller.effects() {
            let Some((active, definition)) = sim.state.effect_of(&sim.catalog, effect) else { continue };
            if capture.is_own_tags(active) {
                capture.own_tags.push(capture.tags(active.spec.granted_tags().iter().copied()));
            } else if active.effect != sim.catalog.internal.owned_tags {
                // P8: effects that an activation holds are not captured.
                capture.effects.push((effect, active, definition));
            }
        }
        for &handle in &controller.ability_data.abilities {
            // An ability that is revoked at the end of its activation is not captured.
            if let Some(granted) = sim.state.abilities.get(handle).filter(|granted| !granted.remove_on_end) {
                capture.abilities.push((handle, granted));
            }
        }
        capture.number();
        capture
    }

    /// Numbers effects and abilities by one count, in the order of application and granting; only the order
    /// matters.
    fn number(&mut self) {
        let effects = self.effects.iter().map(|(id, active, _)| (active.sequence, Some(*id), None));
        let abilities =
            self.abilities.iter().map(|(handle, granted)| (granted.sequence, None, Some(*handle)));
        let mut all: Vec<_> = effects.chain(abilities).collect();
        all.sort_unstable();
        for (order, (_, effect, ability)) in (0..).zip(all) {
            self.effect_order.extend(effect.map(|effect| (effect, order)));
            self.ability_order.extend(ability.map(|ability| (ability, order)));
        }
    }

    /// Whether an effect only grants the controller's own tags (T3). An effect whose duration was limited is
    /// captured as an effect.
    fn is_own_tags(&self, active: &ActiveEffect) -> bool {
        active.effect == self.sim.catalog.internal.tags
            && active.duration().is_none()
            && active.spec.asset_tags().is_empty()
    }

    /// Builds the character from the collected effects and abilities.
    fn character(&self) -> Character {
        let Controller {
            template,
            owner,
            avatar,
            replication,
            inactive,
            buffer,
            interactions,
            ability_data,
            ..
        } = self.controller;
        let catalog = &self.sim.catalog;
        let by_name = |(name, count): (&str, u32)| (name.to_owned(), count);
        let mut rolls: Vec<(String, u32)> = interactions
            .rolls
            .iter()
            .map(|&(effect, count)| by_name((self.sim.effect_name(effect), count)))
            .collect();
        let mut runs: Vec<(String, u32)> = ability_data
            .runs
            .iter()
            .map(|&(ability, count)| by_name((catalog.ability_name(ability), count)))
            .collect();
        rolls.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
        // Effects created at run time may share a name.
        rolls.dedup_by(|one, other| one.0 == other.0);
        runs.sort_unstable();
        Character {
            name: (self.name_of)(self.id).unwrap_or_default(),
            template: template.map(|template| catalog.template_name(template).to_owned()),
            owner: *owner,
            avatar: *avatar,
            replication: *replication,
            inactive: *inactive,
            team: interactions.team.clone(),
            placement: interactions.placement,
            input_buffer: Some(buffer.config()).filter(|config| *config != catalog.input_buffer),
            sets: self.sets(),
            own_tags: Some(self.own_tags.clone()),
            effects: self.effects(),
            abilities: self
                .abilities
                .iter()
                .map(|&(handle, granted)| self.ability(handle, granted))
                .collect(),
            rolls,
            runs,
            tags: self.tags(self.controller.tags.iter().map(|(tag, _)| tag)),
        }
    }

    /// Attribute sets with the base and current value of each attribute.
    fn sets(&self) -> Vec<CharacterSet> {
        let catalog = &self.sim.catalog;
        let layout = self.sim.state.layout(self.controller);
        let values = |slot: u16| {
            let at = usize::from(slot);
            self.controller.values[at].both()
        };
        let of_set = |set| {
            let attributes = catalog.attributes_of(set).filter_map(|(attribute, def)| {
                let (base, current) = values(layout.slot_of(attribute)?);
                Some(CharacterAttribute { name: def.name.clone(), base, current: Some(current) })
            });
            CharacterSet { name: catalog.set_name(set).to_owned(), attributes: attributes.collect() }
        };
        layout.sets.iter().map(|&set| of_set(set)).collect()
    }

    fn tags(&self, tags: impl Iterator<Item = TagId>) -> Vec<String> {
        tags.map(|tag| self.sim.catalog.tag_name(tag).to_owned()).collect()
    }

    /// Captured effects, each with its order and its recency among the latest applications (M4).
    fn effects(&self) -> Vec<CharacterEffect> {
        let mut recent: Vec<(u64, u32)> =
            self.effects.iter().map(|(id, active, _)| (active.applied, self.effect_order[id])).collect();
        recent.sort_unstable();
        let recency =
            |order: u32| recent.iter().position(|&(_, known)| known == order).unwrap_or_default() as u32;
        let of_effect = |&(id, active, definition): &(ActiveEffectId, &ActiveEffect, &Effect)| {
            let order = self.effect_order.get(&id).copied().unwrap_or_default();
            CharacterEffect { order, recency: recency(order), ..self.effect(active, definition) }
        };
        self.effects.iter().map(of_effect).collect()
    }

    /// Captures one effect, but for its order and recency, which the caller sets. The definition is included
    /// only if it was created at run time.
    fn effect(&self, active: &ActiveEffect, definition: &Effect) -> CharacterEffect {
        let ActiveEffect { effect, spec, stacks, status, inhibited, magnitudes, stream, .. } = active;
        let EffectSpec { level, context, .. } = spec;
        let catalog = &self.sim.catalog;
        let created = effect.usize() >= catalog.effect_count();
        let attribute = |at: usize| catalog.attribute_name(definition.modifiers[at].attribute).to_owned();
        let magnitudes = magnitudes.iter().take(definition.modifiers.len()).enumerate();
        let numbers = spec.magnitudes().iter();
        let numbers = numbers.map(|&(tag, value)| (catalog.tag_name(tag).to_owned(), value));
        let captures = definition.captures.iter().zip(spec.captured());
        CharacterEffect {
            effect: definition.name().to_owned(),
            definition: created.then(|| definition.def.clone()),
            rules: Some(super::rules::rules_of(catalog, definition)),
            order: 0,
            recency: 0,
            level: *level,
            stacks: *stacks,
            status: *status,
            inhibited: *inhibited,
            lifetime: self.lifetime(active),
            phase: phase(active, definition, self.sim.state.now),
            instigator: self.instigator(active),
            remembered: self.remembered(active, definition, active.last_source()),
            ability: self.source_ability(active),
            causer: context.causer(),
            source_object: context.source_object(),
            hit: context.hit().copied(),
            origin: context.origin(),
            payload: context.raw_payload().cloned(),
            set_by_caller: numbers.collect(),
            captured: captures.map(|(capture, value)| self.captured(capture, value.get())).collect(),
            magnitudes: Some(magnitudes.map(|(at, &value)| (attribute(at), value)).collect()),
            own_duration: spec.duration(),
            own_period: spec.period(),
            granted_tags: self.tags(spec.granted_tags().iter().copied()),
            asset_tags: self.tags(spec.asset_tags().iter().copied()),
            context_tags: self.tags(context.tags().iter()),
            ability_tags: self.tags(context.ability_tags().into_iter().flat_map(TagBits::iter)),
            stream: definition.uses_random.then_some(*stream),
        }
    }

    /// Remaining and total time of an effect, counted from now; a queued effect has all of its time left.
    fn lifetime(&self, active: &ActiveEffect) -> Lifetime {
        match (active.duration(), active.remaining(self.sim.state.now)) {
            (Some(total), Some(left)) => Lifetime::Lasting { total, left: left.max(Span::ZERO) },
            (None, Some(left)) => Lifetime::Lasting { total: left, left },
            (_, None) => Lifetime::Endless,
        }
    }

    /// P5: instigator of an effect. A controller that is gone has no name any more.
    fn instigator(&self, active: &ActiveEffect) -> Instigator {
        match active.source() {
            Some(source) if source == self.id => Instigator::Itself,
            Some(source) => Instigator::Other {
                owner: self.sim.state.controllers.get(source).and_then(|source| source.owner),
                name: (self.name_of)(source).unwrap_or_default(),
            },
            None if active.parts.last_source.is_some() => {
                Instigator::Other { owner: None, name: String::new() }
            }
            None => Instigator::Nobody,
        }
    }

    /// M5: values that the effect would remember if its source ceased to exist. `None` if it has no source,
    /// or its own target is the source.
    fn remembered(
        &self,
        active: &ActiveEffect,
        definition: &Effect,
        last: Option<&LastSource>,
    ) -> Option<RememberedSource> {
        let value = |attribute, base, current| RememberedValue {
            attribute: self.sim.catalog.attribute_name(attribute).to_owned(),
            base,
            current,
        };
        if let Some(last) = last {
            let values =
                last.values.iter().map(|&(attribute, base, current)| value(attribute, base, current));
            return Some(RememberedSource { tags: self.lowest(&last.tags), values: values.collect() });
        }
        let source = active.source().filter(|source| *source != self.id)?;
        // Nothing is known of a source that was gone from the start.
        let Some(controller) = self.sim.state.controllers.get(source) else {
            return Some(Default::default());
        };
        let values = definition.source_reads.iter().filter_map(|&attribute| {
            let slot = usize::from(self.sim.state.layout(controller).slot_of(attribute)?);
            Some(value(attribute, controller.values[slot].base, controller.values[slot].current))
        });
        Some(RememberedSource { tags: self.lowest(controller.tags.bits()), values: values.collect() })
    }

    /// Leaf tags of a set: they imply all others in it.
    fn lowest(&self, bits: &TagBits) -> Vec<String> {
        let registry = self.sim.catalog.tags();
        let all: Vec<TagId> = bits.iter().collect();
        // Tags are numbered depth-first: a descendant, if there is one, comes right after (I4).
        let implied = |at: usize| all.get(at + 1).is_some_and(|&next| registry.is_within(next, all[at]));
        self.tags((0..all.len()).filter(|&at| !implied(at)).map(|at| all[at]))
    }

    /// Ability that an effect comes from. `None` if it is gone, or one of the character's own that is not
    /// captured.
    fn source_ability(&self, active: &ActiveEffect) -> Option<AbilityReference> {
        let handle = active.spec.context.ability?;
        let granted = self.sim.state.abilities.get(handle)?;
        let ability = self.sim.catalog.ability_name(granted.ability).to_owned();
        let is_own = granted.controller == self.id;
        let order = self.ability_order.get(&handle).copied();
        (order.is_some() || !is_own).then_some(AbilityReference { ability, order })
    }

    /// Frozen capture by names; `value` is `None` if nothing could be read at the time.
    fn captured(&self, capture: &Capture, value: Option<f64>) -> CapturedValue {
        let Capture { side, attribute, calculation, source_tag_filter, target_tag_filter } = capture;
        let tags = |filter: &TagSet| self.tags(filter.iter());
        CapturedValue {
            attribute: self.sim.catalog.attribute_name(*attribute).to_owned(),
            from: if *side == Side::Source { CaptureFrom::Source } else { CaptureFrom::Target },
            calculation: *calculation,
            source_tag_filter: tags(source_tag_filter),
            target_tag_filter: tags(target_tag_filter),
            value,
        }
    }

    /// Captures one granted ability. Parameters that equal the definition's are left out, so that they follow
    /// a changed definition.
    fn ability(&self, handle: GrantedAbilityId, granted: &GrantedAbility) -> CharacterAbility {
        let catalog = &self.sim.catalog;
        let definition = catalog.ability_by_id(granted.ability);
        let is_default = |name: &str, value: f64| {
            let mut defaults = definition.into_iter().flat_map(|ability| ability.number_parameters());
            defaults.any(|default| default == (name, value))
        };
        let parameters = granted.parameters().filter(|&(name, value)| !is_default(name, value));
        let charges = definition.and_then(|ability| ability.def.charges);
        let now = self.sim.state.now;
        CharacterAbility {
            ability: catalog.ability_name(granted.ability).to_owned(),
            order: self.ability_order.get(&handle).copied().unwrap_or_default(),
            level: granted.level,
            input: granted.input.as_ref().map(ToString::to_string),
            source_object: granted.source_object(),
            dynamic_tags: self.tags(granted.dynamic_tags.iter().copied()),
            parameters: parameters.map(|(name, value)| (name.to_owned(), value)).collect(),
            granted_by: granted.granted_by.and_then(|(effect, removal)| {
                let effect = self.effect_order.get(&effect).copied()?;
                Some(GrantedBy { effect, removal })
            }),
            used_charges: charges.map_or(0, |charges| charges.max.saturating_sub(granted.charges)),
            recharge: granted.recharge.map(|at| at.since(now)),
            active_runs: granted.activations.len() as u32,
        }
    }
}

/// Phase of a period: the time since the last tick, or since the last one that the end would have cut off.
/// `None` without a period.
fn phase(active: &ActiveEffect, definition: &Effect, now: Time) -> Option<Phase> {
    let period = active.period()?;
    let next = active.clock.tick_after(now)?;
    let elapsed = match active.status {
        EffectStatus::Queued => Span::ZERO,
        EffectStatus::Running => period - next.since(now),
    };
    // A period equal to the definition's is left out, so that it follows a changed definition.
    let own = Some(period).filter(|own| definition.period.is_none_or(|said| said.period != *own));
    Some(Phase { period: own, elapsed, ticks: active.ticks() })
}
