//! The pieces that came, and what they are called.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::names::{Mirrored, Names};
use super::piece::{PieceKey, Sight};
use super::record;
use super::seen::Seen;
use super::shown::{FIRST_RESERVED, shown_name};
use crate::attribute::layouts::Layouts;
use crate::catalog::Catalog;
use crate::codec::{Decoder, VERSION};
use crate::effect::EffectDef;
use crate::event::CueParameters;
use crate::handle::{ActiveEffectId, ControllerId, Handle};
use crate::id::{AttributeId, TagId};
use crate::simulation::Config;
use crate::time::Time;

/// A client's picture of a server's world: pieces go in as they come, and the whole is
/// [installed](Self::install) into a simulation. See the [module](super).
///
/// Handles in arguments and keys are those of the server; [`Self::local`] and [`Self::remote`] translate.
#[derive(Clone, Debug)]
pub struct Mirror {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) seen: BTreeMap<ControllerId, Seen>,
    /// Whose each record with a handle of its own is, and its number.
    pub(crate) homes: BTreeMap<PieceKey, (ControllerId, u64)>,
    /// Which record has which number.
    pub(crate) numbers: BTreeMap<u64, PieceKey>,
    /// Which controller has which ordinal.
    pub(crate) ordinals: BTreeMap<u64, ControllerId>,
    pub(crate) names: Names,
    /// Names of effects that hold tags and cues, which are no server's.
    pub(crate) shown: BTreeSet<ActiveEffectId>,
    /// How many such names were given out.
    pub(crate) shown_count: u64,
    /// The definitions of the effects that show cues, with their hashes.
    pub(crate) cue_holders: BTreeMap<TagId, (u64, EffectDef)>,
    /// Layouts of sets that are known to go together.
    pub(super) layouts: Layouts,
}

impl Mirror {
    /// A mirror of nothing yet, for simulations of `catalog`. After a reload, make another.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            seen: BTreeMap::new(),
            homes: BTreeMap::new(),
            numbers: BTreeMap::new(),
            ordinals: BTreeMap::new(),
            names: Names::default(),
            shown: BTreeSet::new(),
            shown_count: 0,
            cue_holders: BTreeMap::new(),
            layouts: Layouts::default(),
        }
    }

    /// Takes a piece away: it is no longer so. One that is not there is nothing.
    pub fn take_away(&mut self, controller: ControllerId, key: PieceKey) {
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
            PieceKey::Run(id) => drop(seen.runs.remove(&id)),
            PieceKey::Task(id) => drop(seen.tasks.remove(&id)),
        }
        seen.controller_is_stale |=
            matches!(key, PieceKey::Placement | PieceKey::Attribute(_) | PieceKey::Inputs);
        if self.homes.get(&key).is_some_and(|(home, _)| *home == controller) {
            self.release(key);
        }
    }

    /// Forgets all of a controller: it has left the window.
    pub fn forget(&mut self, controller: ControllerId) {
        let Some(seen) = self.seen.remove(&controller) else { return };
        if let Some(head) = &seen.head {
            self.ordinals.remove(&head.ordinal);
        }
        seen.named_keys().for_each(|key| self.release(key));
    }

    /// Forgets everything. Handles that were given out stay those of the dead.
    pub fn clear(&mut self) {
        let controllers: Vec<ControllerId> = self.seen.keys().copied().collect();
        controllers.into_iter().for_each(|controller| self.forget(controller));
    }

    /// Says how much of a controller the server shows. Records beyond it are kept and not installed. Until something is
    /// said, it is everything. Where there is no room for another controller, nothing happens; [`Self::put`] says so.
    pub fn see(&mut self, controller: ControllerId, sight: Sight) {
        let has_room = self.seen.len() < Config::default().max_controllers as usize;
        if self.seen.contains_key(&controller) || (has_room && controller.index() < FIRST_RESERVED) {
            self.seen.entry(controller).or_default().sight = sight;
        }
    }

    /// How much of a controller the server shows; nothing of one that is not in the window.
    pub fn sight(&self, controller: ControllerId) -> Option<Sight> {
        self.seen.get(&controller).map(|seen| seen.sight)
    }

    /// Whether the server has shown an attribute of a controller: of others, what is installed is what templates say.
    pub fn knows(&self, controller: ControllerId, attribute: AttributeId) -> bool {
        self.seen.get(&controller).is_some_and(|seen| seen.attributes.contains_key(&attribute))
    }

    /// Context that a looping cue is shown with, as the server sent it (C1), with the handles of the client: `controller` is
    /// one of the client. Tags of source and target are empty; see
    /// [`Simulation::tags`](crate::simulation::Simulation::tags). `None` if the server sent none: then it follows from an effect
    /// or a run in sight ([`Simulation::present_cue`](crate::simulation::Simulation::present_cue)).
    pub fn cue_parameters(&self, controller: ControllerId, cue: TagId) -> Option<CueParameters> {
        let seen = self.seen.get(&self.remote(controller)?)?.cues.get(&cue)?;
        let mut decoder = Decoder::new(&seen.context, VERSION).translating(&self.names);
        let mut parameters = record::read_cue(&mut decoder).ok()?;
        if let Some(details) = parameters.details.as_mut().map(Arc::make_mut) {
            details.instigator = details.instigator.filter(|source| !source.is_unseen());
        }
        Some(parameters)
    }

    /// Time since which a looping cue is shown, as the server sent it: that of the first holder that is not in sight.
    /// `controller` is one of the client.
    pub fn cue_since(&self, controller: ControllerId, cue: TagId) -> Option<Time> {
        self.seen.get(&self.remote(controller)?)?.cues.get(&cue).map(|seen| seen.since)
    }

    /// The controllers in the window, by their handles on the server.
    pub fn controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.seen.keys().copied()
    }

    /// What something of the server is called on the client since the last [installation](Self::install).
    pub fn local<H: Mirrored>(&self, remote: H) -> Option<H> {
        H::table(&self.names).local(remote)
    }

    /// What something of the client is called on the server; nothing for what is only predicted.
    pub fn remote<H: Mirrored>(&self, local: H) -> Option<H> {
        H::table(&self.names).remote(local).filter(|remote| remote.index() < FIRST_RESERVED)
    }

    pub(super) fn release(&mut self, key: PieceKey) {
        if let Some((_, number)) = self.homes.remove(&key) {
            self.numbers.remove(&number);
        }
    }

    /// Brings the effects up to date that hold tags and cues.
    pub(crate) fn show_all(&mut self) {
        let Self { seen, shown, shown_count, .. } = self;
        shown.clear();
        for seen in seen.values_mut() {
            seen.show(|| {
                let name = shown_name(*shown_count);
                *shown_count += 1;
                name
            });
            if seen.head.is_some() {
                shown.extend(seen.shown.values().map(|shown| shown.name));
            }
        }
    }
}
