//! Lasting effects that only hold a modifier and tags while they are active, as most do: their application needs
//! one pass over the target instead of the steps of [`super::policy`].

use std::sync::Arc;

use super::activate::{find_entry, modifier_entry, schedule};
use super::flush::{ValueChange, plain_value};
use super::{Role, Simulation, State};
use crate::attribute::layout::Layout;
use crate::controller::{Controller, Value};
use crate::effect::{ActiveEffect, Clock, ContextTags, Effect, EffectSpec};
use crate::event::EventKind;
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::EffectId;

impl Simulation {
    /// Applies a lasting effect that passed its requirements, and emits its events (E1). `None`, without a
    /// change, if it needs more steps: it has other rules, values or queued instances are pending, or
    /// something depends on the value that it modifies.
    pub(super) fn hold(
        &mut self,
        effect: &Arc<Effect>,
        spec: &mut EffectSpec,
        target: ControllerId,
        stream: u64,
    ) -> Option<ActiveEffectId> {
        let constants = effect.constants.as_ref().filter(|_| effect.only_holds)?;
        let is_clear = self.is_writable_at_once()
            && self.scratch.has_nothing_queued()
            && self.config.role != Role::Client
            && spec.grants_nothing()
            && spec.duration().is_none();
        if !is_clear {
            return None;
        }
        let State { now, sequence, controllers, layouts, effects, timers, .. } = &mut self.state;
        let controller = controllers.get_mut(target)?;
        if !controller.interactions.watchers.is_empty()
            || controller.effects.len() >= self.config.max_effects_per_controller as usize
        {
            return None;
        }
        let id = effects.next_handle();
        let effect_id = spec.effect;
        let mut clock = Clock::new(*now, constants.duration, None);
        clock.start(*now);
        let magnitudes = constants.magnitudes.iter().copied().collect();
        let mut active = ActiveEffect::new(spec.take(), target, *sequence, clock, magnitudes, stream);
        active.given = true;
        let layout = &layouts[controller.layout as usize];
        let Ok(change) = attach(controller, layout, id, &active, effect) else {
            *spec = active.spec;
            return None;
        };
        *sequence += 1;
        if active.clock.is_running() {
            schedule(timers, id, &mut active);
        }
        let context_tags = active.spec.context.tags().clone();
        controller.effects.push(id);
        effects.insert(active);
        self.watch(id, effect);
        let cause = self.scratch.cause();
        self.scratch.set_cause_active(id);
        self.emit_applied(effect_id, id, target, context_tags);
        for tag in effect.granted_tags.iter() {
            self.add_tag(target, tag);
            self.cancel_by_grant(target, tag);
        }
        if let Some(change) = change {
            self.emit_with(cause, change.event(target));
        }
        Some(id)
    }

    /// Emits `EffectApplied`.
    #[inline]
    pub(super) fn emit_applied(
        &mut self,
        effect: EffectId,
        active: ActiveEffectId,
        target: ControllerId,
        context_tags: ContextTags,
    ) {
        self.emit_tagged(context_tags, |context_tags| EventKind::EffectApplied {
            effect,
            active,
            target,
            context_tags,
        });
    }
}

/// A modifier that cannot be attached in one step.
struct NeedsRecalculation;

/// Attaches the modifier of an effect, if it has one, and updates the value; returns the change.
///
/// # Errors
/// Changes nothing if the controller lacks the attribute, other values depend on it, or the value depends on more
/// than its modifiers.
#[inline]
fn attach(
    controller: &mut Controller,
    layout: &Layout,
    id: ActiveEffectId,
    active: &ActiveEffect,
    effect: &Effect,
) -> Result<Option<ValueChange>, NeedsRecalculation> {
    if effect.modifiers.is_empty() {
        return Ok(None);
    }
    let entry = modifier_entry(layout, id, active, effect, 0).ok_or(NeedsRecalculation)?;
    let place = &layout.slots[usize::from(entry.slot)];
    if !place.stands_alone {
        return Err(NeedsRecalculation);
    }
    let Err(at) = find_entry(controller, entry.key()) else { return Err(NeedsRecalculation) };
    controller.modifiers.insert(at, entry);
    let Some(new) = plain_value(controller, place, entry.slot) else {
        controller.modifiers.remove(at);
        return Err(NeedsRecalculation);
    };
    let value = &mut controller.values[usize::from(entry.slot)];
    let after = Value { current: new, ..*value };
    let before = core::mem::replace(value, after);
    let change = ValueChange { attribute: place.attribute.id, before, after };
    Ok(change.is_change().then_some(change))
}
