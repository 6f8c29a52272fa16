//! Conversion of simulation events to Bevy events.

use bevy_ecs::prelude::Entity;
use bevy_platform::sync::Arc;
use ugas::{ControllerId, Event, EventKind, Simulation, TargetData};

use super::*;
use crate::components::Names;

/// A simulation event with its typed form; `None` if it has none.
pub(crate) struct ConvertedEvent {
    pub(crate) original: SimulationEvent,
    pub(crate) typed: Option<TypedEvent>,
}

impl ConvertedEvent {
    /// Converts an event of the simulation. It has no typed event if its controller has no entity, or if its
    /// kind has no type of its own.
    pub(crate) fn of(
        event: Event,
        instance: Option<Entity>,
        simulation: &Simulation,
        names: &mut Names,
        entity_of: impl Fn(ControllerId) -> Option<Entity>,
    ) -> Self {
        let entity = event.kind.subject().and_then(&entity_of);
        let typed = entity.and_then(|entity| convert(&event, entity, simulation, names, &entity_of));
        Self { original: SimulationEvent { entity, instance, event }, typed }
    }
}

/// Typed event for an event of the simulation; `None` for kinds that only [`SimulationEvent`] reports.
fn convert(
    event: &Event,
    entity: Entity,
    simulation: &Simulation,
    names: &mut Names,
    entity_of: &impl Fn(ControllerId) -> Option<Entity>,
) -> Option<TypedEvent> {
    let circumstances = Circumstances {
        time: event.time,
        source: event.cause.source.and_then(entity_of),
        cause: event.cause,
        predicted: event.prediction.is_some(),
    };
    Some(match &event.kind {
        &EventKind::AttributeChanged { attribute, old_base, new_base, old, new, .. } => {
            let name = names.attribute(simulation, attribute);
            TypedEvent::AttributeChanged(AttributeChanged {
                entity,
                attribute,
                name,
                old,
                new,
                old_base,
                new_base,
                circumstances,
            })
        }
        &EventKind::TagAdded { tag, .. } => {
            let name = names.tag(simulation, tag);
            TypedEvent::TagAdded(TagAdded { entity, tag, name, circumstances })
        }
        &EventKind::TagRemoved { tag, .. } => {
            let name = names.tag(simulation, tag);
            TypedEvent::TagRemoved(TagRemoved { entity, tag, name, circumstances })
        }
        &EventKind::TagCountChanged { tag, old, new, .. } => {
            let name = names.tag(simulation, tag);
            TypedEvent::TagCountChanged(TagCountChanged { entity, tag, name, old, new, circumstances })
        }
        &EventKind::EffectApplied { effect, active, ref context_tags, .. } => {
            let (name, context_tags) = (names.effect(simulation, effect), context_tags.clone());
            TypedEvent::EffectApplied(EffectApplied {
                entity,
                effect,
                name,
                active,
                context_tags,
                circumstances,
            })
        }
        &EventKind::EffectExecuted { effect, active, ref context_tags, .. } => {
            let (name, context_tags) = (names.effect(simulation, effect), context_tags.clone());
            TypedEvent::EffectExecuted(EffectExecuted {
                entity,
                effect,
                name,
                active,
                context_tags,
                circumstances,
            })
        }
        &EventKind::EffectRemoved { effect, active, stacks, reason, .. } => {
            let name = names.effect(simulation, effect);
            TypedEvent::EffectRemoved(EffectRemoved {
                entity,
                effect,
                name,
                active,
                stacks,
                reason,
                circumstances,
            })
        }
        &EventKind::EffectStackChanged { effect, active, old, new, .. } => {
            let name = names.effect(simulation, effect);
            TypedEvent::EffectStacksChanged(EffectStacksChanged {
                entity,
                effect,
                name,
                active,
                old,
                new,
                circumstances,
            })
        }
        EventKind::EffectRefused(refusal) => TypedEvent::EffectRefused(EffectRefused {
            entity,
            effect: refusal.effect,
            name: names.effect(simulation, refusal.effect),
            refusal: (**refusal).clone(),
            reason: refusal.describe(simulation),
            circumstances,
        }),
        &EventKind::EffectBlockedByImmunity { effect, by, .. } => {
            let name = names.effect(simulation, effect);
            TypedEvent::EffectBlocked(EffectBlocked { entity, effect, name, by, circumstances })
        }
        &EventKind::AbilityGranted { ability, handle, .. } => {
            let name = names.ability(simulation, ability);
            TypedEvent::AbilityGranted(AbilityGranted { entity, ability, name, handle, circumstances })
        }
        &EventKind::AbilityRevoked { ability, handle, .. } => {
            let name = names.ability(simulation, ability);
            TypedEvent::AbilityRevoked(AbilityRevoked { entity, ability, name, handle, circumstances })
        }
        &EventKind::AbilityActivated { ability, handle, activation, .. } => {
            let name = names.ability(simulation, ability);
            TypedEvent::AbilityActivated(AbilityActivated {
                entity,
                ability,
                name,
                handle,
                activation,
                circumstances,
            })
        }
        &EventKind::AbilityCommitted { ability, handle, activation, .. } => {
            let name = names.ability(simulation, ability);
            TypedEvent::AbilityCommitted(AbilityCommitted {
                entity,
                ability,
                name,
                handle,
                activation,
                circumstances,
            })
        }
        &EventKind::AbilityEnded { ability, handle, activation, reason, .. }
        | &EventKind::AbilityCancelled { ability, handle, activation, reason, .. } => {
            let name = names.ability(simulation, ability);
            TypedEvent::AbilityEnded(AbilityEnded {
                entity,
                ability,
                name,
                handle,
                activation,
                reason,
                circumstances,
            })
        }
        EventKind::AbilityRefused(refusal) => {
            let name = refusal.ability.map(|ability| names.ability(simulation, ability));
            TypedEvent::AbilityRefused(AbilityRefused {
                entity,
                ability: refusal.ability,
                name: name.unwrap_or_else(|| Arc::from("")),
                refusal: refusal.clone(),
                reason: refusal.describe(simulation),
                circumstances,
            })
        }
        &EventKind::CooldownBegan { handle, duration, .. } => {
            TypedEvent::CooldownBegan(CooldownBegan { entity, handle, duration, circumstances })
        }
        &EventKind::CooldownEnded { handle, .. } => {
            TypedEvent::CooldownEnded(CooldownEnded { entity, handle, circumstances })
        }
        &EventKind::CueAdded { cue, ref parameters, .. } => {
            let parameters = parameters.clone();
            let name = names.tag(simulation, cue);
            TypedEvent::CueStarted(CueStarted { entity, cue, name, parameters, circumstances })
        }
        &EventKind::CueRemoved { cue, .. } => {
            let name = names.tag(simulation, cue);
            TypedEvent::CueEnded(CueEnded { entity, cue, name, circumstances })
        }
        &EventKind::CueExecuted { cue, ref parameters, .. } => {
            let parameters = parameters.clone();
            let name = names.tag(simulation, cue);
            TypedEvent::CueBurst(CueBurst { entity, cue, name, parameters, circumstances })
        }
        EventKind::HostTaskRequested { ability, task, kind, step, .. } => {
            let routine = simulation.catalog().ability_by_id(*ability).map(|ability| ability.routine());
            let parameters = routine.and_then(|routine| routine.host_parameters(*step)).unwrap_or_default();
            let activation = simulation.task(*task).and_then(|task| simulation.activation(task.activation()));
            let targets = activation
                .map(|activation| activation.targets().controllers().filter_map(entity_of).collect());
            TypedEvent::HostTaskRequested(HostTaskRequested {
                entity,
                ability: *ability,
                name: names.ability(simulation, *ability),
                task: *task,
                kind: Arc::from(&**kind),
                parameters: parameters.to_vec(),
                targets: targets.unwrap_or_default(),
                circumstances,
            })
        }
        &EventKind::HostTaskCancelled { task, .. } => {
            TypedEvent::HostTaskCancelled(HostTaskCancelled { entity, task, circumstances })
        }
        &EventKind::TargetingBegan { task, confirmation, .. } => {
            TypedEvent::TargetingBegan(TargetingBegan { entity, task, confirmation, circumstances })
        }
        &EventKind::TargetingEnded { task, .. } => {
            TypedEvent::TargetingEnded(TargetingEnded { entity, task, circumstances })
        }
        EventKind::GameplayEvent { event, .. } => {
            let name = names.tag(simulation, event.tag);
            TypedEvent::GameplayEventReceived(GameplayEventReceived {
                entity,
                name,
                instigator: event.instigator.and_then(entity_of),
                targets: event
                    .targets()
                    .iter()
                    .flat_map(TargetData::controllers)
                    .filter_map(entity_of)
                    .collect(),
                event: event.clone(),
                circumstances,
            })
        }
        EventKind::OwnerDied { .. } => TypedEvent::OwnerDied(OwnerDied { entity, circumstances }),
        _ => return None,
    })
}
