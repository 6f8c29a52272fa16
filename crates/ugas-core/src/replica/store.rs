//! The replica: received pieces and their local handles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::controller::ReplicaController;
use super::handle_map::{HandleMap, ReplicaHandle};
use super::piece::{PieceKey, RecordVisibility};
use super::placeholder::{FIRST_RESERVED, placeholder_handle};
use super::record;
use crate::attribute::layouts::Layouts;
use crate::catalog::Catalog;
use crate::codec::{Decoder, VERSION};
use crate::effect::EffectDef;
use crate::event::CueParameters;
use crate::handle::{ActiveEffectId, ControllerId, Handle};
use crate::id::{AttributeId, TagId};
use crate::simulation::Config;
use crate::time::Time;

/// A client's copy of replicated state: pieces are put in as they arrive, and the whole is
/// [installed](Self::install) into a simulation. See the [module](super).
///
/// Handles in arguments and keys are those of the server; [`Self::local`] and [`Self::remote`] translate.
#[derive(Clone, Debug)]
pub struct Replica {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) seen: BTreeMap<ControllerId, ReplicaController>,
    /// Controller and sequence number of each record that has a handle.
    pub(crate) homes: BTreeMap<PieceKey, (ControllerId, u64)>,
    /// Records by sequence number.
    pub(crate) numbers: BTreeMap<u64, PieceKey>,
    /// Controllers by ordinal.
    pub(crate) ordinals: BTreeMap<u64, ControllerId>,
    pub(crate) names: HandleMap,
    /// Remote handles of the placeholder effects, which no server uses.
    pub(crate) shown: BTreeSet<ActiveEffectId>,
    /// Number of placeholder handles given out so far.
    pub(crate) shown_count: u64,
    /// Definitions of placeholder effects that show cues, with their hashes.
    pub(crate) cue_holders: BTreeMap<TagId, (u64, EffectDef)>,
    /// Layouts of set combinations that were checked.
    pub(super) layouts: Layouts,
}

impl Replica {
    /// Creates an empty replica for simulations of `catalog`. After a reload, create another.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            seen: BTreeMap::new(),
            homes: BTreeMap::new(),
            numbers: BTreeMap::new(),
            ordinals: BTreeMap::new(),
            names: HandleMap::default(),
            shown: BTreeSet::new(),
            shown_count: 0,
            cue_holders: BTreeMap::new(),
            layouts: Layouts::default(),
        }
    }

    /// Removes a piece. Does nothing if there is no such piece.
    pub fn remove(&mut self, controller: ControllerId, key: PieceKey) {
        let Some(seen) = self.seen.get_mut(&controller) else { return };
        match key {
            PieceKey::Head => {
                if let Some(head) = seen.head.take() {
                    self.ordinals.remove(&head.ordinal);
                }
            }
            PieceKey::Placement => seen.placement = None,
            PieceKey::Attribute(attribute) => drop(seen.attributes.remove(&attribute)),
            PieceKey::Tag(tag) => seen.shown_is_stale |= seen.tags.remove(&tag).is_some(),
            PieceKey::Cue(tag) => seen.shown_is_stale |= seen.cues.remove(&tag).is_some(),
            PieceKey::Inputs => seen.inputs = None,
            PieceKey::Effect(id) => drop(seen.effects.remove(&id)),
            PieceKey::Ability(id) => drop(seen.abilities.remove(&id)),
            PieceKey::Activation(id) => drop(seen.runs.remove(&id)),
            PieceKey::Task(id) => drop(seen.tasks.remove(&id)),
        }
        seen.controller_is_stale |=
            matches!(key, PieceKey::Placement | PieceKey::Attribute(_) | PieceKey::Inputs);
        if self.homes.get(&key).is_some_and(|(home, _)| *home == controller) {
            self.release(key);
        }
    }

    /// Removes a controller with all its pieces: it is no longer visible.
    pub fn forget(&mut self, controller: ControllerId) {
        let Some(seen) = self.seen.remove(&controller) else { return };
        if let Some(head) = &seen.head {
            self.ordinals.remove(&head.ordinal);
        }
        seen.named_keys().for_each(|key| self.release(key));
    }

    /// Removes everything. Local handles that were given out are not reused.
    pub fn clear(&mut self) {
        let controllers: Vec<ControllerId> = self.seen.keys().copied().collect();
        controllers.into_iter().for_each(|controller| self.forget(controller));
    }

    /// Sets the kinds of records of a controller that the server sends; by default all. Records of other
    /// kinds are stored but not installed. Does nothing if the limit of controllers is reached; [`Self::put`]
    /// reports it.
    pub fn set_visibility(&mut self, controller: ControllerId, visibility: RecordVisibility) {
        let has_room = self.seen.len() < Config::default().max_controllers as usize;
        if self.seen.contains_key(&controller) || (has_room && controller.index() < FIRST_RESERVED) {
            self.seen.entry(controller).or_default().visibility = visibility;
        }
    }

    /// Kinds of records of a controller that the server sends. `None` if the controller is not visible.
    pub fn visibility(&self, controller: ControllerId) -> Option<RecordVisibility> {
        self.seen.get(&controller).map(|seen| seen.visibility)
    }

    /// Whether the server has sent an attribute of a controller. Other attributes are installed with their
    /// default values.
    pub fn knows(&self, controller: ControllerId, attribute: AttributeId) -> bool {
        self.seen.get(&controller).is_some_and(|seen| seen.attributes.contains_key(&attribute))
    }

    /// Context of a looping cue as the server sent it (C1), with the client's handles. `controller` is a
    /// local handle. Tags of source and target are empty; see
    /// [`Simulation::tags`](crate::simulation::Simulation::tags). `None` if the server sent none: then it
    /// follows from a visible effect or activation
    /// ([`Simulation::present_cue`](crate::simulation::Simulation::present_cue)).
    pub fn cue_parameters(&self, controller: ControllerId, cue: TagId) -> Option<CueParameters> {
        let seen = self.seen.get(&self.remote(controller)?)?.cues.get(&cue)?;
        let mut decoder = Decoder::new(&seen.context, VERSION).translating(&self.names);
        let mut parameters = record::read_cue(&mut decoder).ok()?;
        if let Some(details) = parameters.details.as_mut().map(Arc::make_mut) {
            details.instigator = details.instigator.filter(|source| !source.is_unseen());
        }
        Some(parameters)
    }

    /// Start of a looping cue as the server sent it: that of its first holder that is not visible.
    /// `controller` is a local handle.
    pub fn cue_since(&self, controller: ControllerId, cue: TagId) -> Option<Time> {
        self.seen.get(&self.remote(controller)?)?.cues.get(&cue).map(|seen| seen.since)
    }

    /// Visible controllers, by their handles on the server.
    pub fn controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.seen.keys().copied()
    }

    /// Translates a server's handle to the client's, as of the last [installation](Self::install).
    pub fn local<H: ReplicaHandle>(&self, remote: H) -> Option<H> {
        H::table(&self.names).local(remote)
    }

    /// Translates a client's handle to the server's. `None` for objects that are only predicted.
    pub fn remote<H: ReplicaHandle>(&self, local: H) -> Option<H> {
        H::table(&self.names).remote(local).filter(|remote| remote.index() < FIRST_RESERVED)
    }

    /// Frees the sequence number of a record, when it is replaced or removed.
    pub(super) fn release(&mut self, key: PieceKey) {
        if let Some((_, number)) = self.homes.remove(&key) {
            self.numbers.remove(&number);
        }
    }

    /// Updates the placeholder effects of all controllers.
    pub(crate) fn show_all(&mut self) {
        let Self { seen, shown, shown_count, .. } = self;
        shown.clear();
        for seen in seen.values_mut() {
            seen.show(|| {
                let name = placeholder_handle(*shown_count);
                *shown_count += 1;
                name
            });
            if seen.head.is_some() {
                shown.extend(seen.shown.values().map(|shown| shown.name));
            }
        }
    }
}
