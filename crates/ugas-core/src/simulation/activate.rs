//! Grants of an active effect: modifiers, tags, abilities and cues, and their removal (§9.2, §9.7, §9.8).
//!
//! This module and [`super::execute`] hold every write of the effect pipeline to base values and tag counts
//! (I2); [`super::flush`] clamps bases and writes the values that follow from them.

use core::cmp::Ordering;

use smallvec::SmallVec;

use super::observe::TagChange;
use super::state::{Timer, TimerKind};
use super::{Simulation, State};
use crate::ability::Grant;
use crate::attribute::layout::Layout;
use crate::catalog::Catalog;
use crate::controller::Controller;
use crate::effect::{AbilityRemoval, ActiveEffect, Effect, EffectSpec, Watch, WatchSide, WatchSubject};
use crate::event::{CueParameters, EventKind};
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{EffectId, TagId};
use crate::modifier::aggregate::{Conditions, ModifierEntry, contribution};
use crate::task::Subject;
use crate::timer::TimerWheel;

/// Grants of an active effect besides the tags of its definition. Abilities and blocks are read from the
/// definition.
struct FurtherGrants {
    /// Tags that the spec adds.
    tags: SmallVec<[TagId; 2]>,
    /// Cues that the instance holds.
    cues: SmallVec<[TagId; 2]>,
}

/// Reason for which an effect withdraws its grants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Withdrawal {
    /// Inhibition, which may end again (E7): abilities that outlive the effect stay granted.
    Inhibition,
    /// Removal of the effect.
    Removal,
}

impl Simulation {
    /// Sets the timers of a running effect to its current `expires` and `next_tick`.
    pub(super) fn schedule(&mut self, id: ActiveEffectId) {
        let State { timers, effects, .. } = &mut self.state;
        if let Some(active) = effects.get_mut(id) {
            schedule(timers, id, active);
        }
    }

    /// Adds the modifiers of an active effect to the attributes its target has (M6), and marks these for
    /// re-evaluation. Entries that are already there stay, so that it can run again after a change of
    /// attribute sets.
    ///
    /// Returns whether all modifiers have entries; if not, [`report_inert`](Self::report_inert) has to look.
    pub(super) fn attach_modifiers(&mut self, id: ActiveEffectId, effect: &Effect) -> bool {
        let State { effects, controllers, layouts, .. } = &mut self.state;
        let Some(active) = effects.get(id) else { return false };
        let Some(controller) = controllers.get_mut(active.target) else { return false };
        let layout = &*layouts[controller.layout as usize];
        let mut is_complete = true;
        for index in 0..effect.modifiers.len() {
            let Some(entry) = modifier_entry(layout, id, active, effect, index) else {
                is_complete = false;
                continue;
            };
            if let Err(at) = find_entry(controller, entry.key()) {
                controller.modifiers.insert(at, entry);
            }
            self.scratch.pending.mark_dirty(active.target, controller, entry.slot);
        }
        is_complete
    }

    /// M6: emits `ModifierInert` for each modifier whose attribute the target lacks. Called once, when the
    /// instance begins.
    pub(super) fn report_inert(&mut self, id: ActiveEffectId, effect: &Effect) {
        let target = self.state.effects.get(id).and_then(|active| self.state.controllers.get(active.target));
        let layout = target.map(|target| self.state.layout(target));
        let has = |attribute| layout.is_some_and(|layout| layout.slot_of(attribute).is_some());
        if effect.modified_attributes().all(has) {
            return;
        }
        for index in 0..effect.modifiers.len() {
            let Some(active) = self.state.effects.get(id) else { return };
            let (target, effect_id) = (active.target, active.effect);
            if let Some(modifier) = acting(effect, index)
                && self.state.locate(target, modifier.attribute).is_none()
            {
                self.emit(EventKind::ModifierInert {
                    effect: effect_id,
                    modifier: index as u16,
                    attribute: modifier.attribute,
                    target,
                });
            }
        }
    }

    /// Removes the modifiers of an active effect, and marks the attributes for re-evaluation.
    pub(super) fn detach_modifiers(&mut self, id: ActiveEffectId, effect: &Effect) {
        let State { effects, controllers, layouts, .. } = &mut self.state;
        let Some(active) = effects.get(id) else { return };
        let Some(controller) = controllers.get_mut(active.target) else { return };
        let layout = &*layouts[controller.layout as usize];
        for index in 0..effect.modifiers.len() {
            let Some(modifier) = acting(effect, index) else { continue };
            let Some(slot) = layout.slot_of(modifier.attribute) else { continue };
            if let Ok(at) = find_entry(controller, (slot, active.sequence, index as u16)) {
                controller.modifiers.remove(at);
                self.scratch.pending.mark_dirty(active.target, controller, slot);
            }
        }
    }

    /// Updates the modifier entries of an active effect to its magnitudes, stacks and inhibition, and marks
    /// the attributes of changed entries for re-evaluation. Adds no missing entries.
    pub(super) fn update_modifiers(&mut self, id: ActiveEffectId, effect: &Effect) {
        let State { effects, controllers, layouts, .. } = &mut self.state;
        let Some(active) = effects.get(id) else { return };
        let Some(controller) = controllers.get_mut(active.target) else { return };
        let layout = &*layouts[controller.layout as usize];
        for index in 0..effect.modifiers.len() {
            let Some(entry) = modifier_entry(layout, id, active, effect, index) else { continue };
            if let Ok(at) = find_entry(controller, entry.key())
                && controller.modifiers[at] != entry
            {
                controller.modifiers[at] = entry;
                self.scratch.pending.mark_dirty(active.target, controller, entry.slot);
            }
        }
    }

    /// Grants the tags, abilities, cues and ability blocks of an active effect to its target (§9.7, §9.8,
    /// E11), when it begins and when an inhibition ends. Queues the cancellation of abilities that a granted
    /// tag cancels (A4).
    pub(super) fn add_grants(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.state.effects.get(id) else { return };
        let target = active.target;
        let more = self.further_grants(effect, active);
        for tag in effect.granted_tags.iter() {
            self.add_tag(target, tag);
            self.cancel_by_grant(target, tag);
        }
        let Some(FurtherGrants { tags, cues }) = more else { return };
        for tag in tags {
            self.add_tag(target, tag);
            self.cancel_by_grant(target, tag);
        }
        for grant in &effect.granted_abilities {
            let has = |handle: &GrantedAbilityId| {
                self.state.abilities.get(*handle).is_some_and(|granted| granted.ability == grant.ability)
            };
            // An ability that stayed through an inhibition is not granted again.
            let kept = grant.removal == AbilityRemoval::Keep
                && self.state.effects.get(id).is_some_and(|active| active.parts.granted.iter().any(has));
            if kept {
                continue;
            }
            let handle = self.grant_ability(target, Grant::of(grant, Some((id, grant.removal))));
            if let (Some(handle), Some(active)) = (handle, self.state.effects.get_mut(id)) {
                active.parts.make_mut().granted.push(handle);
            }
        }
        self.hold_cues(id, effect, target, &cues);
        for tag in effect.block_abilities.iter() {
            self.block_abilities(target, tag);
        }
    }

    /// Restores the derived grants of an active effect: tags, cues and blocks. Its abilities are facts of
    /// their own (P7), and tags that were there before cancel nothing (P3).
    pub(super) fn restore_grants(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.state.effects.get(id) else { return };
        let target = active.target;
        let more = self.further_grants(effect, active);
        for tag in effect.granted_tags.iter() {
            self.add_tag(target, tag);
        }
        let Some(FurtherGrants { tags, cues }) = more else { return };
        for tag in tags {
            self.add_tag(target, tag);
        }
        self.hold_cues(id, effect, target, &cues);
        for tag in effect.block_abilities.iter() {
            self.block_abilities(target, tag);
        }
    }

    /// Withdraws tags, cues and ability blocks, and removes granted abilities by their removal rule (A8).
    /// During an inhibition, abilities to be kept stay with the effect.
    pub(super) fn remove_grants(&mut self, id: ActiveEffectId, effect: &Effect, withdrawal: Withdrawal) {
        let Some(active) = self.state.effects.get(id) else { return };
        let target = active.target;
        let Some(FurtherGrants { tags, cues }) = self.further_grants(effect, active) else {
            for tag in effect.granted_tags.iter() {
                self.remove_tag(target, tag);
            }
            return;
        };
        let Some(active) = self.state.effects.get_mut(id) else { return };
        let mut granted = active.take_granted();
        if withdrawal == Withdrawal::Inhibition {
            let stays = |handle: &GrantedAbilityId| {
                let granted = self.state.abilities.get(*handle);
                granted.is_some_and(|granted| matches!(granted.granted_by, Some((_, AbilityRemoval::Keep))))
            };
            if granted.iter().any(stays) {
                active.parts.make_mut().granted = granted.iter().copied().filter(stays).collect();
            }
            granted.retain(|handle| !stays(handle));
        }
        for tag in effect.granted_tags.iter().chain(tags) {
            self.remove_tag(target, tag);
        }
        for handle in granted {
            self.release_ability(handle);
        }
        for cue in cues {
            self.release_cue(target, cue);
        }
        for tag in effect.block_abilities.iter() {
            self.unblock_abilities(target, tag);
        }
    }

    /// Adds a holder of a block on abilities with `tag`; holders are counted.
    pub(super) fn block_abilities(&mut self, id: ControllerId, tag: TagId) {
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        let blocks = &mut controller.interactions.make_mut().ability_blocks;
        match blocks.binary_search_by_key(&tag, |(known, _)| *known) {
            Ok(at) => blocks[at].1 += 1,
            Err(at) => blocks.insert(at, (tag, 1)),
        }
    }

    /// Removes a holder of a block on abilities with `tag`. The last one ends the block and queues a retry of
    /// buffered inputs (§11.3).
    fn unblock_abilities(&mut self, id: ControllerId, tag: TagId) {
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        let blocks = &mut controller.interactions.make_mut().ability_blocks;
        let Ok(at) = blocks.binary_search_by_key(&tag, |(known, _)| *known) else { return };
        blocks[at].1 = blocks[at].1.saturating_sub(1);
        if blocks[at].1 == 0 {
            blocks.remove(at);
            self.enqueue_drain(id);
        }
    }

    /// §7.2 AddTag: counts one more grant of a tag. A count that cannot grow is a logic error that is reported
    /// and skipped.
    pub(super) fn add_tag(&mut self, id: ControllerId, tag: TagId) {
        self.change_tag(id, tag, TagChange::Added);
    }

    /// §7.2 RemoveTag: counts one grant less. An underflow is a logic error that is reported and skipped.
    pub(super) fn remove_tag(&mut self, id: ControllerId, tag: TagId) {
        self.change_tag(id, tag, TagChange::Removed);
    }

    /// Counts a grant of a tag. Emits an event and notifies watchers for each tag that became present or is
    /// gone, the tag itself or an ancestor. Looks up once whether anything on the controller follows tags.
    fn change_tag(&mut self, id: ControllerId, tag: TagId, change: TagChange) {
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        let mut crossed = core::mem::take(&mut self.scratch.buffers.crossed);
        crossed.clear();
        let (tags, registry) = (&mut controller.tags, self.catalog.tags());
        let is_counted = match change {
            TagChange::Added => tags.add(registry, tag, &mut crossed).is_ok(),
            TagChange::Removed => tags.remove(registry, tag, &mut crossed).is_ok(),
        };
        let data = &*controller.ability_data;
        let has_waits = !data.subscriptions.is_empty();
        // Without waiting tasks, activations that depend on tags and buffered inputs, only a trigger or a
        // cooldown can react to the tag.
        let is_followed = has_waits || !data.run_index.is_empty() || !controller.buffer.is_empty();
        let is_watched = !controller.interactions.watchers.is_empty();
        if !is_counted {
            let what = match change {
                TagChange::Added => "a tag count cannot grow further",
                TagChange::Removed => "a tag was removed that the controller does not have",
            };
            self.emit(EventKind::LogicError { what, controller: id });
        } else if has_waits || self.config.tag_counts {
            self.count_changed(id, tag, |new| match change {
                TagChange::Added => new - 1,
                TagChange::Removed => new + 1,
            });
        }
        let mut rest = &crossed[..];
        while !rest.is_empty() {
            let reacts = |tag: &TagId| is_followed || self.catalog.reactive_tags.matches(*tag);
            let (quiet, others) = rest.split_at(rest.iter().position(reacts).unwrap_or(rest.len()));
            if !quiet.is_empty() {
                self.publish_tags(id, quiet, change);
            }
            let Some((&tag, others)) = others.split_first() else { break };
            self.emit_tag_change(id, tag, change);
            rest = others;
        }
        if is_watched {
            for &tag in &crossed {
                self.notify(id, WatchSubject::Tag(tag));
            }
        }
        self.scratch.buffers.crossed = crossed;
    }

    /// T6: reports a change of a tag's explicit count; `old` computes the former count from the current one.
    /// Wakes tasks that wait for it, and emits the event if the host asks for it.
    pub(super) fn count_changed(
        &mut self,
        controller: ControllerId,
        tag: TagId,
        old: impl FnOnce(u32) -> u32,
    ) {
        let Some(known) = self.state.controllers.get(controller) else { return };
        if !self.config.tag_counts && known.ability_data.subscriptions.is_empty() {
            return;
        }
        let new = known.tags.count(tag);
        let event = EventKind::TagCountChanged { controller, tag, old: old(new), new };
        self.wake(controller, Subject::TagCount(tag), &event);
        if self.config.tag_counts {
            self.publish_unnumbered(event);
        }
    }

    /// §7.2 Clear: removes all tags when a controller is destroyed. Its effects and their tags are gone by
    /// then; any remaining tag is removed with an event.
    pub(super) fn clear_tags(&mut self, id: ControllerId) {
        let mut crossed = core::mem::take(&mut self.scratch.buffers.crossed);
        crossed.clear();
        let left: SmallVec<[(TagId, u32); 2]> =
            self.state.controllers.get(id).map(|known| known.tags.iter().collect()).unwrap_or_default();
        if let Some(controller) = self.state.controllers.get_mut(id) {
            controller.tags.clear(&mut crossed);
        }
        for (tag, count) in left {
            self.count_changed(id, tag, |_| count);
        }
        for &tag in &crossed {
            self.emit_tag_change(id, tag, TagChange::Removed);
        }
        self.scratch.buffers.crossed = crossed;
    }

    /// Grants of an instance besides the tags of its definition; `None` for most effects, which have none.
    #[inline]
    fn further_grants(&self, effect: &Effect, active: &ActiveEffect) -> Option<FurtherGrants> {
        if effect.grants_only_tags && active.spec.grants_nothing() && active.parts.granted.is_empty() {
            return None;
        }
        let tags = SmallVec::from_slice(&active.spec.parts.granted_tags);
        Some(FurtherGrants { tags, cues: self.held_cues(effect, &active.spec).collect() })
    }

    /// Adds the cues that an active effect holds, with its context.
    fn hold_cues(&mut self, id: ActiveEffectId, effect: &Effect, target: ControllerId, cues: &[TagId]) {
        if cues.is_empty() {
            return;
        }
        let parameters = self.effect_cue_parameters(id, effect);
        for &cue in cues {
            self.hold_cue(target, cue, &parameters);
        }
    }

    /// Adds a holder of a cue; the first one starts the cue (E11), with a queued `CueAdded` event.
    /// `parameters` of later holders are ignored.
    pub(super) fn hold_cue(&mut self, id: ControllerId, cue: TagId, parameters: &CueParameters) {
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        let cues = &mut controller.interactions.make_mut().cues;
        match cues.binary_search_by_key(&cue, |(tag, _)| *tag) {
            Ok(at) => cues[at].1 += 1,
            Err(at) => {
                cues.insert(at, (cue, 1));
                let parameters = parameters.clone();
                self.scratch.pending.queue_cue(
                    self.scratch.current.op,
                    EventKind::CueAdded { controller: id, cue, parameters },
                );
            }
        }
    }

    /// Removes a holder of a cue; the last one ends the cue (E11), with a queued `CueRemoved` event. Does
    /// nothing if nobody holds it.
    pub(super) fn release_cue(&mut self, id: ControllerId, cue: TagId) {
        let Some(controller) = self.state.controllers.get_mut(id) else { return };
        let cues = &mut controller.interactions.make_mut().cues;
        let Ok(at) = cues.binary_search_by_key(&cue, |(tag, _)| *tag) else { return };
        cues[at].1 -= 1;
        if cues[at].1 == 0 {
            cues.remove(at);
            self.scratch
                .pending
                .queue_cue(self.scratch.current.op, EventKind::CueRemoved { controller: id, cue });
        }
    }

    /// Subscribes an effect to everything that it reads of source and target (E7, E8, M5), and adds it to the
    /// indexes.
    pub(super) fn watch(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.state.effects.get(id) else { return };
        let (sequence, source, target) = (active.sequence, active.source(), active.target);
        for &watch in &effect.watches {
            let Some(controller) = watched(&mut self.state, watch, source, target) else { continue };
            controller.interactions.make_mut().watchers.insert_sorted((watch.subject, sequence, id));
        }
        if let Some(source) = source.filter(|source| *source != target)
            && let Some(controller) = self.state.controllers.get_mut(source)
        {
            controller.interactions.make_mut().outgoing.insert_sorted((sequence, id));
        }
        self.index_effect(id, effect);
    }

    /// Reverts [`Self::watch`]: removes the subscriptions of an effect and its index entries. Runs before the
    /// source of the spec changes, since it reads the entries from it.
    pub(super) fn unwatch(&mut self, id: ActiveEffectId, effect: &Effect) {
        let Some(active) = self.state.effects.get(id) else { return };
        let (sequence, source, target) = (active.sequence, active.source(), active.target);
        for &watch in &effect.watches {
            let Some(controller) = watched(&mut self.state, watch, source, target) else { continue };
            controller.interactions.make_mut().watchers.remove_sorted(&(watch.subject, sequence, id));
        }
        if let Some(source) = source.filter(|source| *source != target)
            && let Some(controller) = self.state.controllers.get_mut(source)
        {
            controller.interactions.make_mut().outgoing.remove_sorted(&(sequence, id));
        }
        self.unindex_effect(id, effect);
    }
}

/// Whether [`watch`](Simulation::watch) does anything for an instance of an effect: it is in lists of its source
/// or its target, apart from that of active effects, or created at run time, so that its uses are counted.
#[inline]
pub(super) fn is_linked(
    catalog: &Catalog,
    effect: &Effect,
    id: EffectId,
    source: Option<ControllerId>,
    target: ControllerId,
) -> bool {
    effect.is_indexed
        || !effect.watches.is_empty()
        || source.is_some_and(|source| source != target)
        || id.usize() >= catalog.effect_count()
}

/// Sets the timers of an active effect to its clock.
pub(super) fn schedule(timers: &mut TimerWheel<Timer>, id: ActiveEffectId, active: &mut ActiveEffect) {
    let sequence = active.sequence;
    for (key, at, kind) in [
        (&mut active.timers.tick, active.clock.next_tick(), TimerKind::Tick(id)),
        (&mut active.timers.expiry, active.clock.expires(), TimerKind::Expiry(id)),
    ] {
        if let Some(key) = key.take() {
            timers.cancel(key);
        }
        *key = at.map(|at| timers.schedule(at, Timer { sequence, kind }));
    }
}

/// Facts of an active effect that its modifier entries share.
#[derive(Clone, Copy)]
pub(super) struct Holder {
    pub(super) id: ActiveEffectId,
    pub(super) sequence: u64,
    pub(super) applied: u64,
    pub(super) stacks: u32,
    pub(super) inhibited: bool,
}

/// Entry of one modifier of an active effect, see [`held_entry`].
pub(super) fn modifier_entry(
    layout: &Layout,
    id: ActiveEffectId,
    active: &ActiveEffect,
    effect: &Effect,
    index: usize,
) -> Option<ModifierEntry> {
    let &ActiveEffect { sequence, applied, stacks, inhibited, .. } = active;
    let holder = Holder { id, sequence, applied, stacks, inhibited };
    held_entry(layout, holder, &active.spec, effect, &active.magnitudes, index)
}

/// Entry of one modifier of an active effect; `None` if the layout lacks the attribute, or if the modifier
/// writes the base at each tick instead (M9b).
#[inline]
pub(super) fn held_entry(
    layout: &Layout,
    holder: Holder,
    spec: &EffectSpec,
    effect: &Effect,
    magnitudes: &[f64],
    index: usize,
) -> Option<ModifierEntry> {
    let modifier = acting(effect, index)?;
    let slot = layout.slot_of(modifier.attribute)?;
    let Holder { id, sequence, applied, stacks, inhibited } = holder;
    let stacks = if modifier.factor_in_stacks { stacks } else { 1 };
    let magnitude = magnitudes.get(index).copied()?;
    let predicted = spec.prediction().is_some();
    let conditions = Conditions { tags: modifier.is_conditional(), inhibited, predicted };
    Some(ModifierEntry {
        slot,
        index: index as u16,
        layer: modifier.layer,
        operation: modifier.operation,
        channel: modifier.channel,
        conditions,
        plain: ModifierEntry::is_plain_addition(modifier.layer, modifier.operation, conditions),
        priority: effect.def.priority,
        sequence,
        applied,
        effect: id,
        amount: contribution(modifier.operation, modifier.channel.is_some(), magnitude, stacks),
    })
}

/// The modifier at `index` if it acts on the current value; `None` if it writes the base at each tick instead
/// (M9b), or there is none.
pub(super) fn acting(effect: &Effect, index: usize) -> Option<&crate::effect::Modifier> {
    let modifier = effect.modifiers.get(index)?;
    (effect.period.is_none() || modifier.operation.is_scaling()).then_some(modifier)
}

/// Position of the entry with a key, or the position to insert it at. Tries the last entry first, since most
/// changes happen there.
#[inline]
pub(super) fn find_entry(controller: &Controller, key: (u16, u64, u16)) -> Result<usize, usize> {
    let modifiers = &*controller.modifiers;
    let Some((last, others)) = modifiers.split_last() else { return Err(0) };
    match last.key().cmp(&key) {
        Ordering::Less => Err(modifiers.len()),
        Ordering::Equal => Ok(others.len()),
        Ordering::Greater => others.binary_search_by_key(&key, ModifierEntry::key),
    }
}

/// Controller that a watch of an effect refers to; `None` if the effect has no source or the controller is
/// gone.
fn watched(
    state: &mut State,
    watch: Watch,
    source: Option<ControllerId>,
    target: ControllerId,
) -> Option<&mut Controller> {
    match watch.side {
        WatchSide::Source => state.controllers.get_mut(source?),
        WatchSide::Target => state.controllers.get_mut(target),
    }
}
