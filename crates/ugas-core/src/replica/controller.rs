//! The pieces of one controller in a replica.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::handle_map::HandleMap;
use super::piece::{PieceKey, RecordVisibility};
use super::placeholder::{PlaceholderEffect, PlaceholderKey};
use super::record::{self, EffectFacts, Head, Inputs};
use crate::ability::{Activation, GrantedAbility};
use crate::attribute::layout::Layout;
use crate::catalog::Catalog;
use crate::codec::{DecodeError, Decoder, VERSION};
use crate::controller::{Controller, Value};
use crate::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::id::{AttributeId, TagId};
use crate::input::InputBuffer;
use crate::targeting::Placement;
use crate::task::RunningTask;
use crate::time::Time;

/// A record as it was received, and with the client's handles.
#[derive(Clone, Debug)]
pub(crate) struct StoredRecord<T> {
    bytes: Box<[u8]>,
    /// Decoded with the server's handles.
    pub(crate) remote: T,
    /// Decoded with the client's handles; `None` until it is translated.
    pub(crate) local: Option<T>,
}

impl<T> StoredRecord<T> {
    pub(crate) fn new(bytes: Box<[u8]>, remote: T) -> Self {
        Self { bytes, remote, local: None }
    }

    /// The record with the client's handles, decoded once and then cached. `None` if the bytes cannot be
    /// decoded.
    fn translate(
        &mut self,
        names: &HandleMap,
        read: impl FnOnce(&mut Decoder<'_>) -> Result<T, DecodeError>,
    ) -> Option<&mut T> {
        if self.local.is_none() {
            let mut decoder = Decoder::new(&self.bytes, VERSION).translating(names);
            self.local = read(&mut decoder).ok();
        }
        self.local.as_mut()
    }
}

/// A looping cue: number of holders that are not visible, their earliest start, and the context as it was
/// received.
#[derive(Clone, Debug)]
pub(crate) struct ReplicaCue {
    pub(crate) count: u32,
    pub(crate) since: Time,
    pub(crate) context: Box<[u8]>,
}

/// The pieces of one controller.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplicaController {
    pub(crate) visibility: RecordVisibility,
    pub(crate) head: Option<Head>,
    pub(crate) placement: Option<Placement>,
    pub(crate) attributes: BTreeMap<AttributeId, (f64, f64)>,
    pub(crate) tags: BTreeMap<TagId, u32>,
    pub(crate) cues: BTreeMap<TagId, ReplicaCue>,
    pub(crate) effects: BTreeMap<ActiveEffectId, StoredRecord<EffectFacts>>,
    pub(crate) abilities: BTreeMap<GrantedAbilityId, StoredRecord<GrantedAbility>>,
    pub(crate) runs: BTreeMap<ActivationId, StoredRecord<Activation>>,
    pub(crate) tasks: BTreeMap<TaskId, StoredRecord<RunningTask>>,
    pub(crate) inputs: Option<Inputs>,
    /// Placeholder effects that grant the tags and cues whose own effects are not visible.
    pub(crate) shown: BTreeMap<PlaceholderKey, PlaceholderEffect>,
    /// Whether tags or cues have changed since `shown` was built.
    pub(crate) shown_is_stale: bool,
    /// The controller without derived state; `None` until it is built.
    pub(crate) controller: Option<Controller>,
    /// Whether a piece of it has changed since `controller` was built.
    pub(crate) controller_is_stale: bool,
    /// Slots of attributes that were never received.
    pub(crate) missing: Vec<u16>,
}

impl ReplicaController {
    /// Keys of all records that have a handle.
    pub(crate) fn named_keys(&self) -> impl Iterator<Item = PieceKey> + '_ {
        let effects = self.effects.keys().map(|id| PieceKey::Effect(*id));
        let abilities = self.abilities.keys().map(|id| PieceKey::Ability(*id));
        let runs = self.runs.keys().map(|id| PieceKey::Activation(*id));
        let tasks = self.tasks.keys().map(|id| PieceKey::Task(*id));
        effects.chain(abilities).chain(runs).chain(tasks)
    }

    /// Whether a record that has a handle is visible.
    pub(crate) fn shows(&self, key: PieceKey) -> bool {
        let is_visible = match key {
            PieceKey::Effect(_) => self.visibility.effects,
            _ => self.visibility.abilities,
        };
        is_visible && self.head.is_some()
    }

    /// Discards all translated records, because handles have changed.
    pub(crate) fn forget_translations(&mut self) {
        self.effects.values_mut().for_each(|kept| kept.local = None);
        self.abilities.values_mut().for_each(|kept| kept.local = None);
        self.runs.values_mut().for_each(|kept| kept.local = None);
        self.tasks.values_mut().for_each(|kept| kept.local = None);
        // The head names the instigator of a summoned controller.
        self.controller_is_stale |= self.head.as_ref().is_some_and(|head| head.summon.is_some());
    }

    /// Translates the records that are not translated yet, and sets their clocks to `now`. Timers that were
    /// due before `now` fire as soon as time passes.
    pub(crate) fn translate(&mut self, local: ControllerId, names: &HandleMap, catalog: &Catalog, now: Time) {
        let due = |at: &mut Option<Time>| {
            if let Some(at) = at {
                *at = now.max(*at);
            }
        };
        if self.visibility.effects {
            for kept in self.effects.values_mut() {
                let facts = kept.translate(names, |decoder| record::read_effect(decoder, local, catalog));
                if let Some(facts) = facts {
                    facts.set_clock(now);
                }
            }
        }
        if self.visibility.abilities {
            for kept in self.abilities.values_mut() {
                let granted = kept.translate(names, |decoder| record::read_ability(decoder, local, catalog));
                if let Some(granted) = granted {
                    due(&mut granted.recharge);
                }
            }
            for kept in self.runs.values_mut() {
                kept.translate(names, |decoder| record::read_activation(decoder, local, catalog));
            }
            for kept in self.tasks.values_mut() {
                let task = kept.translate(names, |decoder| record::read_task(decoder, local));
                if let Some(task) = task {
                    due(&mut task.deadline);
                }
            }
        }
    }

    /// Rebuilds the controller, with the client's layout, if it is stale.
    pub(crate) fn build_controller(
        &mut self,
        at: u32,
        layout: &Arc<Layout>,
        names: &HandleMap,
        catalog: &Catalog,
    ) {
        let Some(head) = &self.head else { return };
        let controller =
            self.controller.get_or_insert_with(|| Controller::bare(InputBuffer::new(catalog.input_buffer)));
        controller.layout = at;
        if !core::mem::take(&mut self.controller_is_stale) {
            return;
        }
        controller.ordinal = head.ordinal;
        controller.template = head.template;
        controller.owner = head.owner;
        controller.avatar = head.avatar;
        controller.replication = head.replication;
        controller.inactive = head.inactive;
        controller.set_team(head.team.as_ref());
        controller.set_placement(self.placement);
        controller.set_summon(head.summon.as_ref().map(|summon| summon.local(names)));
        match &self.inputs {
            Some(inputs) => {
                controller.ability_data.make_mut().inputs.clone_from(&inputs.held);
                controller.buffer.clone_from(&inputs.buffer);
            }
            None => {
                if let Some(ability_data) = controller.ability_data.get_mut() {
                    ability_data.inputs.clear();
                }
                controller.buffer = InputBuffer::new(catalog.input_buffer);
            }
        }
        controller.values.clear();
        self.missing.clear();
        for (slot, place) in (0..).zip(&layout.slots) {
            let default = place.attribute.def.default_base;
            let value = self.attributes.get(&place.attribute.id);
            if value.is_none() {
                self.missing.push(slot);
            }
            let (base, current) = value.copied().unwrap_or((default, default));
            controller.values.push(Value { base, current });
        }
    }
}
