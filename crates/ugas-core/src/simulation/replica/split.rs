//! Splits controllers into pieces for replication.

use super::super::Simulation;
use crate::attribute::AttributeReplication;
use crate::codec::Encoder;
use crate::controller::Controller;
use crate::effect::{ActiveEffect, Effect, EffectStatus, Reading, Readings};
use crate::event::CueDetails;
use crate::expr::Side;
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{AttributeId, TagId};
use crate::replica::record::{self, DiceVisibility};
use crate::replica::{Piece, PieceDetail, PieceKey, PieceRef, PieceScratch, RecordVisibility};
use crate::time::Time;

impl Simulation {
    /// Visits all pieces of a controller in the order of their keys, as a viewer with this visibility
    /// receives them. Visits nothing if the controller does not exist. See [`crate::replica`]. Call it
    /// between operations, not inside a [batch](Self::batch).
    ///
    /// Running clocks do not change a piece: it is the same from one tick of an effect to the next.
    ///
    /// ```
    /// # use ugas_core::{attribute::*, catalog::Catalog, controller::ControllerDef, simulation::*};
    /// use ugas_core::replica::{Replica, PieceScratch, RecordVisibility};
    ///
    /// # let catalog = Catalog::builder()
    /// #     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
    /// #     .template(ControllerDef::new("Wolf").with_set("Combat"))
    /// #     .build()?;
    /// let mut server = Simulation::new(catalog.clone(), Config::seeded(7));
    /// let wolf = server.spawn("Wolf")?;
    ///
    /// let mut replica = Replica::new(catalog.clone());
    /// let mut scratch = PieceScratch::default();
    /// server.pieces(wolf, RecordVisibility::ALL, &mut scratch, |key, piece| {
    ///     replica.put(wolf, key, piece.to_piece()).expect("pieces of the server are valid");
    /// });
    ///
    /// let mut client = Simulation::new(catalog.clone(), Config { role: Role::Client, ..Config::default() });
    /// replica.install(&mut client, server.now())?;
    /// let local = replica.local(wolf).expect("it is visible");
    /// assert_eq!(client.current(local, catalog.attribute("Health")?), Some(100.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pieces(
        &self,
        controller: ControllerId,
        detail: impl Into<PieceDetail>,
        scratch: &mut PieceScratch,
        mut visit: impl FnMut(PieceKey, PieceRef<'_>),
    ) {
        let detail = detail.into();
        let visibility = detail.visibility;
        let Some(known) = self.state.controllers.get(controller) else { return };
        let layout = self.state.layout(known);
        scratch.record.clear();
        record::write_head(known, layout, |instigator| instigator, &mut scratch.record);
        visit(PieceKey::Head, PieceRef::Record(scratch.record.bytes()));
        if let Some(placement) = known.interactions.placement {
            visit(PieceKey::Placement, PieceRef::Placement(placement));
        }
        for attribute in (0..self.catalog.attribute_count() as u32).map(AttributeId::from_index) {
            if let Some(slot) = layout.slot_of(attribute).map(usize::from) {
                let (base, current) = known.values[slot].both();
                visit(PieceKey::Attribute(attribute), PieceRef::Attribute { base, current });
            }
        }
        self.split_tags(known, visibility, scratch, &mut visit);
        self.split_cues(controller, known, visibility, scratch, &mut visit);
        self.split_records(known, detail, scratch, &mut visit);
    }

    /// Visits the controllers that a piece of `controller` refers to, other than `controller` itself: the
    /// instigator of a summoned controller (A17), the source of an effect, the targets of an activation. A
    /// viewer who does not see all of them gets the piece [redacted](Self::redacted).
    pub fn referenced_controllers(
        &self,
        controller: ControllerId,
        key: PieceKey,
        mut name: impl FnMut(ControllerId),
    ) {
        match key {
            PieceKey::Head => {
                let known = self.state.controllers.get(controller);
                known.and_then(Controller::instigator).into_iter().for_each(&mut name);
            }
            PieceKey::Effect(id) => {
                if let Some(active) = self.state.effects.get(id) {
                    record::controllers_in_effect(active, |ability| self.holder(ability), &mut name);
                }
            }
            PieceKey::Activation(id) => {
                if let Some(run) = self.state.activations.get(id) {
                    record::controllers_in_activation(run, &mut name);
                }
            }
            PieceKey::Cue(cue) => {
                let context = self.cue_context(controller, cue);
                context.and_then(|(context, ..)| context.source).into_iter().for_each(&mut name);
            }
            _ => {}
        }
    }

    /// Encodes a piece that [refers](Self::referenced_controllers) to controllers, for a viewer who does not
    /// see all of them: unseen controllers are left out, and an effect or cue with an unseen source loses its
    /// context and the last values read of that source. `None` if the key has no such piece.
    ///
    /// The outcome stays visible: the magnitudes are in the piece.
    pub fn redacted(
        &self,
        controller: ControllerId,
        key: PieceKey,
        detail: impl Into<PieceDetail>,
        scratch: &mut PieceScratch,
        sees: impl Fn(ControllerId) -> bool,
    ) -> Option<Piece> {
        let detail = detail.into();
        let encoder = &mut scratch.record;
        encoder.clear();
        match key {
            PieceKey::Head => {
                let known = self.state.controllers.get(controller)?;
                let redact = |named| if sees(named) { named } else { ControllerId::UNSEEN };
                record::write_head(known, self.state.layout(known), redact, encoder);
            }
            PieceKey::Effect(id) => {
                let (active, effect) = self.state.effect_of(&self.catalog, id)?;
                let mut redacted = active.clone();
                record::redact_effect(&mut redacted, |ability| self.holder(ability), sees);
                self.write_effect(&redacted, effect, detail, encoder);
            }
            PieceKey::Activation(id) => {
                let mut redacted = self.state.activations.get(id)?.clone();
                record::redact_activation(&mut redacted, sees);
                record::write_activation(&redacted, encoder);
            }
            PieceKey::Cue(cue) => {
                let known = self.state.controllers.get(controller)?;
                self.count_cues(controller, known, detail.visibility, &mut scratch.shown);
                let at = scratch.shown.binary_search_by_key(&cue, |(known, ..)| *known).ok()?;
                let (_, count, since) = scratch.shown[at];
                self.write_cue(controller, cue, |details| record::redact_cue(details, sees), encoder);
                let count = count.min(Piece::MOST_CUES);
                return Some(Piece::Cue { count, since, context: encoder.bytes().into() });
            }
            _ => return None,
        }
        Some(Piece::Record(encoder.bytes().into()))
    }

    /// Controller that an ability is granted to.
    fn holder(&self, ability: GrantedAbilityId) -> Option<ControllerId> {
        self.state.abilities.get(ability).map(|granted| granted.controller)
    }

    /// Visits the tags that do not follow from visible effects: all of them if effects are hidden, else those
    /// of effects created at run time, which have no record.
    fn split_tags(
        &self,
        controller: &Controller,
        visibility: RecordVisibility,
        scratch: &mut PieceScratch,
        visit: &mut impl FnMut(PieceKey, PieceRef<'_>),
    ) {
        if !visibility.effects {
            for (tag, count) in controller.tags.iter() {
                visit(PieceKey::Tag(tag), PieceRef::Tag(count.min(Piece::MOST_TAGS)));
            }
            return;
        }
        scratch.shown.clear();
        for (active, effect) in self.granting(controller).filter(|(active, _)| !self.is_replicated(active)) {
            let dynamic = active.spec.granted_tags().iter().copied();
            for tag in effect.granted_tags.iter().chain(dynamic) {
                count(&mut scratch.shown, tag, 1, active.started());
            }
        }
        for &(tag, count, _) in &scratch.shown {
            visit(PieceKey::Tag(tag), PieceRef::Tag(count.min(Piece::MOST_TAGS)));
        }
    }

    /// Visits the cues, and the contexts of cues, that do not follow from visible pieces.
    fn split_cues(
        &self,
        id: ControllerId,
        controller: &Controller,
        visibility: RecordVisibility,
        scratch: &mut PieceScratch,
        visit: &mut impl FnMut(PieceKey, PieceRef<'_>),
    ) {
        if controller.interactions.cues.is_empty() {
            return;
        }
        let PieceScratch { shown, record, .. } = scratch;
        self.count_cues(id, controller, visibility, shown);
        for &(cue, count, since) in shown.iter() {
            let count = count.min(Piece::MOST_CUES);
            self.write_cue(id, cue, |_| {}, record);
            visit(PieceKey::Cue(cue), PieceRef::Cue { count, since, context: record.bytes() });
        }
    }

    /// Counts the invisible holders of cues. A cue that follows from visible pieces counts zero, and is
    /// listed only if its context does not follow from them: that of a granted tag (C2), or of an ability
    /// that is not visible.
    fn count_cues(
        &self,
        id: ControllerId,
        controller: &Controller,
        visibility: RecordVisibility,
        shown: &mut Vec<(TagId, u32, Time)>,
    ) {
        shown.clear();
        for (active, effect) in self.granting(controller) {
            let is_visible = visibility.effects && self.is_replicated(active);
            let ability = active.spec.context.ability;
            let has_foreign_ability =
                ability.is_some_and(|ability| !visibility.abilities || self.holder(ability) != Some(id));
            if is_visible && !has_foreign_ability {
                continue;
            }
            for cue in self.held_cues(effect, &active.spec) {
                let follows_from_tag =
                    !effect.cues.contains(cue) && !self.is_described_cue(&active.spec, cue);
                let holders = u32::from(!is_visible && !follows_from_tag);
                count(shown, cue, holders, active.started());
            }
        }
        if !visibility.abilities {
            for run in
                controller.ability_data.activations.iter().filter_map(|run| self.state.activations.get(*run))
            {
                run.cues.iter().for_each(|cue| count(shown, *cue, 1, run.started));
            }
        }
    }

    /// Writes the context of a cue after `change` has edited it; writes nothing if none is known.
    fn write_cue(
        &self,
        controller: ControllerId,
        cue: TagId,
        change: impl FnOnce(&mut CueDetails),
        encoder: &mut Encoder,
    ) {
        encoder.clear();
        let Some((context, numbers, _)) = self.cue_context(controller, cue) else { return };
        let mut details = self.cue_facts(&context, numbers);
        change(&mut details);
        record::write_cue(numbers.magnitude + 0.0, numbers.level + 0.0, &mut details, encoder);
    }

    /// Visits the records of effects, abilities, activations, tasks and inputs that the viewer may see, in
    /// the order of their keys.
    fn split_records(
        &self,
        controller: &Controller,
        detail: PieceDetail,
        scratch: &mut PieceScratch,
        visit: &mut impl FnMut(PieceKey, PieceRef<'_>),
    ) {
        let visibility = detail.visibility;
        let PieceScratch { record, keys, .. } = scratch;
        keys.clear();
        if visibility.effects {
            let is_replicated = |id: &&ActiveEffectId| {
                self.state.effects.get(**id).is_some_and(|active| self.is_replicated(active))
            };
            keys.extend(controller.effects.iter().filter(is_replicated).map(|id| PieceKey::Effect(*id)));
        }
        if visibility.abilities {
            keys.extend(controller.ability_data.abilities.iter().map(|id| PieceKey::Ability(*id)));
            keys.extend(controller.ability_data.activations.iter().map(|id| PieceKey::Activation(*id)));
            let runs =
                controller.ability_data.activations.iter().filter_map(|run| self.state.activations.get(*run));
            keys.extend(runs.flat_map(|run| run.all_tasks()).map(PieceKey::Task));
        }
        keys.sort_unstable();
        for &key in keys.iter() {
            record.clear();
            if self.write_record(key, detail, record) {
                visit(key, PieceRef::Record(record.bytes()));
            }
        }
        record.clear();
        if visibility.abilities && record::write_inputs(controller, self.catalog.input_buffer, record) {
            visit(PieceKey::Inputs, PieceRef::Record(record.bytes()));
        }
    }

    /// Writes the record of a key; false if there is no such object.
    fn write_record(&self, key: PieceKey, detail: PieceDetail, encoder: &mut Encoder) -> bool {
        let state = &self.state;
        match key {
            PieceKey::Effect(id) => {
                let Some((active, effect)) = state.effect_of(&self.catalog, id) else { return false };
                self.write_effect(active, effect, detail, encoder);
            }
            PieceKey::Ability(id) => {
                let Some(granted) = state.abilities.get(id) else { return false };
                record::write_ability(granted, encoder);
            }
            PieceKey::Activation(id) => {
                let Some(run) = state.activations.get(id) else { return false };
                record::write_activation(run, encoder);
            }
            PieceKey::Task(id) => {
                let Some(task) = state.tasks.get(id) else { return false };
                record::write_task(task, encoder);
            }
            _ => return false,
        }
        true
    }

    /// Writes the record of an active effect, without dice and captures that the viewer must not know.
    fn write_effect(
        &self,
        active: &ActiveEffect,
        effect: &Effect,
        detail: PieceDetail,
        encoder: &mut Encoder,
    ) {
        let dice = if self.has_shared_dice(active) { DiceVisibility::Shared } else { DiceVisibility::Secret };
        let captured = self.shown_captures(active, effect, detail);
        let rules = (effect, &*self.catalog);
        record::write_effect(active, rules, self.state.now, dice, &captured, encoder);
    }

    /// Frozen captures in an effect's record. A viewer who sees the abilities of the controller gets the
    /// values that were the controller's own, if the viewer receives their attributes. The narrowest
    /// replication among all sets counts, since the value may have been frozen when the controller had
    /// another set with an attribute of the same name (N1). Other viewers get the magnitudes only.
    fn shown_captures(&self, active: &ActiveEffect, effect: &Effect, detail: PieceDetail) -> Readings {
        let mut shown = active.spec.parts.captured.clone();
        if shown.is_empty() {
            return shown;
        }
        let is_own_source = active.source() == Some(active.target);
        for (value, capture) in shown.iter_mut().zip(&effect.captures) {
            let is_own = capture.side != Side::Source || is_own_source;
            let is_received = match self.catalog.narrowest_replication(capture.attribute) {
                AttributeReplication::None => false,
                AttributeReplication::OwnerOnly => detail.owner_values,
                AttributeReplication::All => true,
            };
            if !detail.visibility.abilities || !is_own || !is_received {
                *value = Reading::NONE;
            }
        }
        shown
    }

    /// Whether an effect has a record: effects of the catalog have one, effects created at run time do not.
    fn is_replicated(&self, active: &ActiveEffect) -> bool {
        active.effect.usize() < self.catalog.effect_count()
    }

    /// Effects of a controller whose grants are in force.
    fn granting<'a>(
        &'a self,
        controller: &'a Controller,
    ) -> impl Iterator<Item = (&'a ActiveEffect, &'a Effect)> {
        let effects = controller.effects.iter();
        let effects = effects.filter_map(|id| self.state.effect_of(&self.catalog, *id));
        effects
            .filter(|(active, _)| active.status == EffectStatus::Running && active.given && !active.inhibited)
    }
}

/// Adds to the count of a tag and keeps the earliest time. The list is sorted by tag.
fn count(shown: &mut Vec<(TagId, u32, Time)>, tag: TagId, more: u32, since: Time) {
    match shown.binary_search_by_key(&tag, |(known, ..)| *known) {
        Ok(at) => {
            let (_, count, earliest) = &mut shown[at];
            *count = count.saturating_add(more);
            *earliest = since.min(*earliest);
        }
        Err(at) => shown.insert(at, (tag, more, since)),
    }
}
