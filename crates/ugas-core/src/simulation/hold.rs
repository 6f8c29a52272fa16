//! Lasting effects that only hold a modifier and tags while they are active, as most do: their application and their
//! removal need one pass over the target instead of the steps of [`super::policy`] and a recalculation.

use std::sync::Arc;

use smallvec::SmallVec;

use super::activate::{Holder, find_entry, held_entry, is_linked, schedule};
use super::flush::{ValueChange, plain_value};
use super::{Role, Simulation, State};
use crate::attribute::layout::Layout;
use crate::controller::{Controller, Value};
use crate::effect::{ActiveEffect, Clock, ContextTags, Effect, EffectSpec};
use crate::event::{Cause, EventKind};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::EffectId;

impl Simulation {
    /// Applies a lasting effect that passed its requirements, and emits its events (E1). `None`, without a
    /// change, if it needs more steps: it has other rules, values or queued instances are pending, or
    /// something depends on the value that it modifies. `cause` is the cause of an application that is not
    /// part of the steps of E1, which set it.
    pub(super) fn hold(
        &mut self,
        effect: &Arc<Effect>,
        spec: &mut EffectSpec,
        target: ControllerId,
        stream: u64,
        cause: Option<Cause>,
    ) -> Option<ActiveEffectId> {
        let constants = effect.constants.as_ref().filter(|_| effect.only_holds)?;
        if !self.can_hold() || !spec.grants_nothing() || spec.duration().is_some() {
            return None;
        }
        let State { now, sequence, controllers, layouts, effects, timers, .. } = &mut self.state;
        let controller = controllers.get_mut(target)?;
        if !controller.interactions.watchers.is_empty()
            || controller.effects.len() >= self.config.max_effects_per_controller as usize
        {
            return None;
        }
        let (id, applied, source) = (effects.next_handle(), *sequence, spec.context.source);
        let holder = Holder { id, sequence: applied, applied, stacks: 1, inhibited: false };
        let layout = &layouts[controller.layout as usize];
        let Ok(change) = attach(controller, layout, holder, spec, effect) else { return None };
        *sequence += 1;
        let mut clock = Clock::new(*now, constants.duration, None);
        clock.start(*now);
        let (effect_id, context_tags) = (spec.effect, spec.context.tags().clone());
        let magnitudes = SmallVec::from_slice(&constants.magnitudes);
        controller.effects.push(id);
        effects.insert_with(|id| {
            let mut active = ActiveEffect::new(spec.take(), target, applied, clock, magnitudes, stream);
            active.given = true;
            if clock.is_running() {
                schedule(timers, id, &mut active);
            }
            active
        });
        if is_linked(&self.catalog, effect, effect_id, source, target) {
            self.watch(id, effect);
        }
        if let Some(cause) = cause {
            self.scratch.current.set_cause_and_prediction(cause, None);
            self.trace(effect_id);
        }
        let cause = self.scratch.current.cause();
        self.scratch.current.set_cause_active(id);
        self.emit_applied(effect_id, id, target, context_tags);
        for tag in effect.granted_tags.iter() {
            self.add_tag(target, tag);
            self.cancel_by_grant(target, tag);
        }
        if let Some(change) = change {
            self.emit_with(cause, || change.event(target));
        }
        Some(id)
    }

    /// Takes the grants of an instance that only holds a modifier and tags from its target, and the instance from
    /// the target's list. Returns the slot of the modifier: its value is not updated yet.
    pub(super) fn release_held(
        &mut self,
        target: ControllerId,
        id: ActiveEffectId,
        sequence: u64,
        effect: &Effect,
    ) -> Option<u16> {
        let State { effects, controllers, layouts, .. } = &mut self.state;
        let controller = controllers.get_mut(target)?;
        controller.effects.remove_by(id, |id| effects.get(id).map(|active| active.sequence));
        let slot = effect.modifiers.first().and_then(|modifier| {
            let slot = layouts[controller.layout as usize].slot_of(modifier.attribute)?;
            let at = find_entry(controller, (slot, sequence, 0)).ok()?;
            controller.modifiers.remove(at)?;
            Some(slot)
        });
        for tag in effect.granted_tags.iter() {
            self.remove_tag(target, tag);
        }
        slot
    }

    /// Updates the value of a slot that has lost a modifier, and emits the change. False, without a change, if
    /// more is to be recalculated: see [`Self::hold`].
    pub(super) fn update_released(&mut self, target: ControllerId, slot: u16) -> bool {
        if !self.can_hold() {
            return false;
        }
        let State { controllers, layouts, .. } = &mut self.state;
        let Some(controller) = controllers.get_mut(target) else { return false };
        let layout = &layouts[controller.layout as usize];
        if !controller.interactions.watchers.is_empty() {
            return false;
        }
        let Ok(change) = update_value(controller, layout, slot) else { return false };
        if let Some(change) = change {
            self.emit_in_place(|| change.event(target));
        }
        true
    }

    /// Whether the value of a modifier can be written and its event emitted without a recalculation.
    #[inline]
    fn can_hold(&self) -> bool {
        self.is_writable_at_once() && self.scratch.has_nothing_queued() && self.config.role != Role::Client
    }

    /// Emits `EffectApplied`.
    #[inline(always)]
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
#[inline(always)]
fn attach(
    controller: &mut Controller,
    layout: &Layout,
    holder: Holder,
    spec: &EffectSpec,
    effect: &Effect,
) -> Result<Option<ValueChange>, NeedsRecalculation> {
    let (Some(constants), false) = (&effect.constants, effect.modifiers.is_empty()) else { return Ok(None) };
    let entry = held_entry(layout, holder, spec, effect, &constants.magnitudes, 0);
    let entry = entry.ok_or(NeedsRecalculation)?;
    let Err(at) = find_entry(controller, entry.key()) else { return Err(NeedsRecalculation) };
    controller.modifiers.insert(at, entry);
    update_value(controller, layout, entry.slot).inspect_err(|_| {
        controller.modifiers.remove(at);
    })
}

/// Updates the current value of a slot whose modifiers have changed; returns the change.
///
/// # Errors
/// Changes nothing if other values depend on it, or the value depends on more than its modifiers.
#[inline(always)]
fn update_value(
    controller: &mut Controller,
    layout: &Layout,
    slot: u16,
) -> Result<Option<ValueChange>, NeedsRecalculation> {
    let place = &layout.slots[usize::from(slot)];
    if !place.stands_alone {
        return Err(NeedsRecalculation);
    }
    let current = plain_value(controller, place, slot).ok_or(NeedsRecalculation)?;
    let value = &mut controller.values[usize::from(slot)];
    let after = Value { current, ..*value };
    let before = core::mem::replace(value, after);
    let change = ValueChange { attribute: place.attribute.id, before, after };
    Ok(change.is_change().then_some(change))
}
