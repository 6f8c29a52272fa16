//! What a mirror knows of one controller.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::Names;
use super::piece::{PieceKey, Sight};
use super::record::{self, EffectFacts, Head, Inputs};
use super::shown::{Shown, ShownKey};
use crate::ability::{Activation, GrantedAbility};
use crate::attribute::layout::Layout;
use crate::catalog::Catalog;
use crate::codec::{DecodeError, Decoder, VERSION};
use crate::controller::{Controller, Value};
use crate::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId, TaskId};
use crate::id::{AttributeId, TagId};
use crate::input::InputBuffer;
use crate::targeting::Placement;
use crate::task::RunningTask;
use crate::time::Time;

/// A record: as it came, and as it is called here.
#[derive(Clone, Debug)]
pub(crate) struct Kept<T> {
    bytes: Box<[u8]>,
    /// With the handles of the server.
    pub(crate) remote: T,
    /// With the handles of the client, once it has any.
    pub(crate) local: Option<T>,
}

impl<T> Kept<T> {
    pub(crate) fn new(bytes: Box<[u8]>, remote: T) -> Self {
        Self { bytes, remote, local: None }
    }

    fn translate(
        &mut self,
        names: &Names,
        read: impl FnOnce(&mut Decoder<'_>) -> Result<T, DecodeError>,
    ) -> Option<&mut T> {
        if self.local.is_none() {
            let mut decoder = Decoder::new(&self.bytes, VERSION).translating(names);
            self.local = read(&mut decoder).ok();
        }
        self.local.as_mut()
    }
}

/// A looping cue: how many of its holders are not in sight, since when, and its context as it came.
#[derive(Clone, Debug)]
pub(crate) struct SeenCue {
    pub(crate) count: u32,
    pub(crate) since: Time,
    pub(crate) context: Box<[u8]>,
}

/// The pieces of one controller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) sight: Sight,
    pub(crate) head: Option<Head>,
    pub(crate) placement: Option<Placement>,
    pub(crate) attributes: BTreeMap<AttributeId, (f64, f64)>,
    pub(crate) tags: BTreeMap<TagId, u32>,
    pub(crate) cues: BTreeMap<TagId, SeenCue>,
    pub(crate) effects: BTreeMap<ActiveEffectId, Kept<EffectFacts>>,
    pub(crate) abilities: BTreeMap<AbilityHandle, Kept<GrantedAbility>>,
    pub(crate) runs: BTreeMap<ActivationId, Kept<Activation>>,
    pub(crate) tasks: BTreeMap<TaskId, Kept<RunningTask>>,
    pub(crate) inputs: Option<Inputs>,
    /// The effects that hold tags and cues whose own effects are not in sight.
    pub(crate) shown: BTreeMap<ShownKey, Shown>,
    /// Whether tags or cues have changed since.
    pub(crate) shown_is_stale: bool,
    /// The controller without anything that is derived.
    pub(crate) controller: Option<Controller>,
    /// Whether what it is made of has changed since.
    pub(crate) controller_is_stale: bool,
    /// Slots of attributes that never came.
    pub(crate) missing: Vec<u16>,
}

impl Seen {
    /// All records that have handles of their own.
    pub(crate) fn named_keys(&self) -> impl Iterator<Item = PieceKey> + '_ {
        let effects = self.effects.keys().map(|id| PieceKey::Effect(*id));
        let abilities = self.abilities.keys().map(|id| PieceKey::Ability(*id));
        let runs = self.runs.keys().map(|id| PieceKey::Run(*id));
        let tasks = self.tasks.keys().map(|id| PieceKey::Task(*id));
        effects.chain(abilities).chain(runs).chain(tasks)
    }

    /// Whether a record with a handle of its own is to be seen.
    pub(crate) fn shows(&self, key: PieceKey) -> bool {
        let is_in_sight = match key {
            PieceKey::Effect(_) => self.sight.effects,
            _ => self.sight.abilities,
        };
        is_in_sight && self.head.is_some()
    }

    /// The names have changed: all records are to be read again.
    pub(crate) fn forget_translations(&mut self) {
        self.effects.values_mut().for_each(|kept| kept.local = None);
        self.abilities.values_mut().for_each(|kept| kept.local = None);
        self.runs.values_mut().for_each(|kept| kept.local = None);
        self.tasks.values_mut().for_each(|kept| kept.local = None);
        // The head names the instigator of a summoned controller.
        self.controller_is_stale |= self.head.as_ref().is_some_and(|head| head.summon.is_some());
    }

    /// Reads the records that are not translated yet, and sets their clocks to `now`: what should have happened before
    /// happens as soon as time passes.
    pub(crate) fn translate(&mut self, local: ControllerId, names: &Names, catalog: &Catalog, now: Time) {
        let due = |at: &mut Option<Time>| {
            if let Some(at) = at {
                *at = now.max(*at);
            }
        };
        if self.sight.effects {
            for kept in self.effects.values_mut() {
                let facts = kept.translate(names, |decoder| record::read_effect(decoder, local, catalog));
                if let Some(facts) = facts {
                    facts.set_clock(now);
                }
            }
        }
        if self.sight.abilities {
            for kept in self.abilities.values_mut() {
                let granted = kept.translate(names, |decoder| record::read_ability(decoder, local, catalog));
                if let Some(granted) = granted {
                    due(&mut granted.recharge);
                }
            }
            for kept in self.runs.values_mut() {
                kept.translate(names, |decoder| record::read_run(decoder, local, catalog));
            }
            for kept in self.tasks.values_mut() {
                let task = kept.translate(names, |decoder| record::read_task(decoder, local));
                if let Some(task) = task {
                    due(&mut task.deadline);
                }
            }
        }
    }

    /// Brings the controller up to date, which has this layout here.
    pub(crate) fn build_controller(
        &mut self,
        at: u32,
        layout: &Arc<Layout>,
        names: &Names,
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
                controller.skills.make_mut().inputs.clone_from(&inputs.held);
                controller.buffer.clone_from(&inputs.buffer);
            }
            None => {
                if let Some(skills) = controller.skills.get_mut() {
                    skills.inputs.clear();
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
