//! Events of ours in the numbers of a hand-written system, to check that both raise the same.

use ugas::core::handle::Handle;
use ugas::prelude::*;
use ugas::{AbilityId, ActivationReason, RemovalReason};

use crate::floor::events::{Cause, Event as Plain, Kind, NONE};
use crate::world::World;

/// Ids of ours at the positions of their numbers. The number of a unit is the index of its handle.
pub(crate) struct Translator {
    pub(crate) effects: Vec<EffectId>,
    pub(crate) attributes: Vec<AttributeId>,
    pub(crate) tags: Vec<TagId>,
    pub(crate) definitions: Vec<AbilityId>,
    /// For each unit its abilities, in the order of their definitions.
    pub(crate) abilities: Vec<Vec<GrantedAbilityId>>,
}

impl Translator {
    /// Ids of some names, in their order, for a world without abilities.
    pub(crate) fn of(world: &World, effects: &[&str], attributes: &[&str], tags: &[&str]) -> Self {
        Self {
            effects: effects.iter().map(|name| world.effect(name)).collect(),
            attributes: attributes.iter().map(|name| world.attribute(name)).collect(),
            tags: tags.iter().map(|name| world.tag(name)).collect(),
            definitions: Vec::new(),
            abilities: Vec::new(),
        }
    }

    /// Takes all queued events.
    pub(crate) fn take(&self, sim: &mut Simulation) -> Vec<Plain> {
        sim.events().map(|event| self.event(&event)).collect()
    }

    fn event(&self, event: &Event) -> Plain {
        let Event { sequence, time, cause, kind, .. } = event;
        let cause = Cause {
            operation: cause.operation,
            effect: cause.effect.map_or(NONE, |effect| self.effect(effect)),
            active: cause.active.map_or(0, |active| active.to_bits().get()),
            source: cause.source.map_or(NONE, Handle::index),
            ability: cause.ability.map_or(NONE, |handle| self.ability(handle)),
        };
        Plain { sequence: *sequence, time: time.micros(), cause, kind: self.kind(kind) }
    }

    fn kind(&self, kind: &EventKind) -> Kind {
        match *kind {
            EventKind::ControllerSpawned { controller } => Kind::Spawned { unit: controller.index() },
            EventKind::ControllerDespawned { controller } => Kind::Despawned { unit: controller.index() },
            EventKind::EffectExecuted { effect, active, target, .. } => Kind::Executed {
                effect: self.effect(effect),
                active: active.map_or(0, |active| active.to_bits().get()),
                target: target.index(),
            },
            EventKind::EffectApplied { effect, active, target, .. } => {
                let active = active.to_bits().get();
                Kind::Applied { effect: self.effect(effect), active, target: target.index() }
            }
            EventKind::EffectRemoved { effect, active, target, reason, .. } => Kind::Removed {
                effect: self.effect(effect),
                active: active.to_bits().get(),
                target: target.index(),
                expired: reason == RemovalReason::Expired,
            },
            EventKind::AttributeChanged { controller, attribute, old_base, new_base, old, new } => {
                let attribute = number(&self.attributes, attribute);
                Kind::Changed { unit: controller.index(), attribute, old_base, new_base, old, new }
            }
            EventKind::TagAdded { controller, tag } => {
                Kind::TagAdded { unit: controller.index(), tag: self.tag(tag) }
            }
            EventKind::TagRemoved { controller, tag } => {
                Kind::TagRemoved { unit: controller.index(), tag: self.tag(tag) }
            }
            EventKind::AbilityActivated { controller, handle, activation, .. } => {
                let activation = activation.to_bits().get();
                Kind::Activated { unit: controller.index(), ability: self.ability(handle), activation }
            }
            EventKind::AbilityCommitted { controller, handle, activation, .. } => {
                let activation = activation.to_bits().get();
                Kind::Committed { unit: controller.index(), ability: self.ability(handle), activation }
            }
            EventKind::AbilityEnded { controller, handle, activation, .. } => {
                let activation = activation.to_bits().get();
                Kind::Ended { unit: controller.index(), ability: self.ability(handle), activation }
            }
            EventKind::CooldownBegan { controller, handle, duration } => Kind::CooldownBegan {
                unit: controller.index(),
                ability: self.ability(handle),
                duration: duration.map_or(0, |span| span.micros().unsigned_abs()),
            },
            EventKind::CooldownEnded { controller, handle } => {
                Kind::CooldownEnded { unit: controller.index(), ability: self.ability(handle) }
            }
            EventKind::AbilityRefused(ref refusal) => self.refusal(refusal),
            ref other => panic!("no hand-written system raises {other:?}"),
        }
    }

    fn refusal(&self, refusal: &ActivationRefusal) -> Kind {
        let (mut missing, mut blocked, mut cooldown, mut cost) = (None, None, None, None);
        for reason in &refusal.reasons {
            match *reason {
                ActivationReason::MissingTag { tag, .. } => missing = Some(self.tag(tag)),
                ActivationReason::BlockedTag { tag, .. } => blocked = Some(self.tag(tag)),
                ActivationReason::OnCooldown { tag, remaining } => {
                    cooldown =
                        Some((self.tag(tag), remaining.map_or(0, |span| span.micros().unsigned_abs())));
                }
                ActivationReason::CannotAfford { attribute, would_be, .. } => {
                    cost = Some((number(&self.attributes, attribute), would_be));
                }
                ref other => panic!("no hand-written system refuses for {other:?}"),
            }
        }
        let unit = refusal.controller.map_or(NONE, Handle::index);
        let ability = refusal.ability.map_or(NONE, |ability| number(&self.definitions, ability));
        Kind::Refused { unit, ability, missing, blocked, cooldown, cost }
    }

    fn effect(&self, effect: EffectId) -> u32 {
        number(&self.effects, effect)
    }

    fn tag(&self, tag: TagId) -> u32 {
        number(&self.tags, tag)
    }

    fn ability(&self, handle: GrantedAbilityId) -> u32 {
        let of_unit = |abilities: &Vec<GrantedAbilityId>| abilities.iter().position(|known| *known == handle);
        self.abilities.iter().find_map(of_unit).expect("a unit has the ability") as u32
    }
}

fn number<I: PartialEq>(ids: &[I], id: I) -> u32 {
    ids.iter().position(|known| *known == id).expect("the game defines it") as u32
}
