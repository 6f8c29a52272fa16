//! Who sees whom, and through which lens (§13.2).

use ugas_core::handle::ControllerId;

use super::view::View;
use super::{Host, PeerId, Server};
use crate::lens::{Lens, LensId, Own};
use crate::message::ClientId;
use crate::tick::Tick;

impl<H: Host> Server<H> {
    /// Makes a controller a client's own. What it saw of it so far, it is told anew; and when it is taken back, it is seen
    /// until it is hidden.
    pub fn give(&mut self, controller: ControllerId, client: ClientId) {
        self.take_back(controller);
        let Some(peer) = self.peer_of(client).filter(|_| self.exists(controller)) else { return };
        self.owners.insert(controller, client);
        self.deserted.remove(&controller);
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.owned.insert(controller);
            session.shown.insert(controller, true);
        }
        self.look_again(peer, controller);
    }

    /// Makes a controller nobody's own.
    pub fn take_back(&mut self, controller: ControllerId) {
        let Some(client) = self.owners.remove(&controller) else { return };
        self.deserted.insert(controller);
        let Some(peer) = self.peer_of(client) else { return };
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.owned.remove(&controller);
        }
        self.look_again(peer, controller);
    }

    /// Whose own a controller is.
    pub fn owner(&self, controller: ControllerId) -> Option<ClientId> {
        self.owners.get(&controller).copied()
    }

    /// Shows a controller to a client (relevancy); with
    /// [`ServerConfig::show_everything`](super::ServerConfig::show_everything) that goes by itself.
    pub fn show(&mut self, controller: ControllerId, client: ClientId) {
        self.set_shown(controller, client, true);
    }

    /// Takes a controller out of a client's view. Its own ones stay.
    pub fn hide(&mut self, controller: ControllerId, client: ClientId) {
        if self.owners.get(&controller) != Some(&client) {
            self.set_shown(controller, client, false);
        }
    }

    /// Adds a lens of the game's own.
    pub fn add_lens(&mut self, lens: Lens) -> LensId {
        let at = self.lenses.iter().position(|known| *known == lens).unwrap_or_else(|| {
            self.lenses.push(lens);
            self.lenses.len() - 1
        });
        LensId(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// Chooses the lens through which a controller is seen by its owner, or by others, instead of the one of its mode.
    /// `None` hides it.
    pub fn set_lens(&mut self, controller: ControllerId, own: Own, lens: Option<LensId>) {
        if self.exists(controller) {
            self.chosen.insert((controller, own), lens);
            self.all_look_again(controller);
        }
    }

    pub(super) fn forget_controller(&mut self, controller: ControllerId) {
        self.take_back(controller);
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.end_view(peer, controller);
            if let Some(session) = self.sessions.get_mut(&peer) {
                session.shown.remove(&controller);
            }
        }
        self.chosen.remove(&(controller, Own::Own));
        self.chosen.remove(&(controller, Own::Others));
        self.replicas.retain(|(known, _), _| *known != controller);
        self.audience.remove(&controller);
        self.changed.remove(&controller);
        self.positions.remove(controller);
        self.too_large.retain(|(known, _), _| *known != controller);
    }

    fn exists(&self, controller: ControllerId) -> bool {
        self.simulation.controller(controller).is_some()
    }

    fn set_shown(&mut self, controller: ControllerId, client: ClientId, shown: bool) {
        let Some(peer) = self.peer_of(client).filter(|_| self.exists(controller)) else { return };
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.shown.insert(controller, shown);
        }
        self.look_again(peer, controller);
    }

    /// The lens through which a client sees a controller: if it is its own, or shown to it.
    fn lens_for(&mut self, peer: PeerId, controller: ControllerId) -> Option<LensId> {
        let session = self.sessions.get(&peer)?;
        let own = match session.owned.contains(&controller) {
            true => Own::Own,
            false => Own::Others,
        };
        let is_shown = session.shown.get(&controller).copied().unwrap_or(self.config.show_everything);
        if own == Own::Others && !is_shown {
            return None;
        }
        if let Some(chosen) = self.chosen.get(&(controller, own)) {
            return *chosen;
        }
        let mode = self.simulation.controller(controller)?.replication();
        Some(self.add_lens(Lens::of_mode(mode, own)?))
    }

    fn begin_view(&mut self, peer: PeerId, controller: ControllerId) {
        let Some(lens) = self.lens_for(peer, controller) else { return };
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let own = session.owned.contains(&controller);
        let known = session.views.get(&controller);
        if known.is_some_and(|view| view.lens == lens && view.own == own && !view.leaving) {
            return;
        }
        let old = known.map(|view| (view.lens, view.epoch));
        let epoch = old.map(|(_, epoch)| epoch).or_else(|| session.last_epoch(controller));
        let epoch = epoch.map_or(0, |epoch| epoch.wrapping_add(1));
        session.views.insert(controller, View::new(lens, own, epoch));
        session.behind.insert(controller);
        session.name(controller);
        if let Some((old, _)) = old {
            self.leave_audience(controller, old, peer);
        }
        self.audience.entry(controller).or_default().insert((lens, peer));
        if !self.replicas.contains_key(&(controller, lens)) {
            self.refresh_replica(controller, lens);
        }
    }

    fn end_view(&mut self, peer: PeerId, controller: ControllerId) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let Some(view) = session.views.get_mut(&controller).filter(|view| !view.leaving) else { return };
        let lens = view.lens;
        view.leaving = true;
        view.sent = view.acked;
        session.behind.insert(controller);
        self.leave_audience(controller, lens, peer);
    }

    pub(super) fn all_look_again(&mut self, controller: ControllerId) {
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.look_again(peer, controller);
        }
    }

    /// What a client sees of a controller follows from whose it is, whether it is shown, and through which lens; and
    /// from nothing else.
    pub(super) fn look_again(&mut self, peer: PeerId, controller: ControllerId) {
        match self.lens_for(peer, controller) {
            Some(_) => self.begin_view(peer, controller),
            None => self.end_view(peer, controller),
        }
    }

    /// A replica that nobody looks at is not kept up.
    pub(super) fn leave_audience(&mut self, controller: ControllerId, lens: LensId, peer: PeerId) {
        let Some(audience) = self.audience.get_mut(&controller) else { return };
        audience.remove(&(lens, peer));
        if !audience.iter().any(|(known, _)| *known == lens) {
            self.replicas.remove(&(controller, lens));
        }
        if audience.is_empty() {
            self.audience.remove(&controller);
        }
    }

    pub(super) fn refresh_replica(&mut self, controller: ControllerId, lens: LensId) -> bool {
        let Some(spec) = self.lenses.get(usize::from(lens.0)) else { return false };
        let replica = self.replicas.entry((controller, lens)).or_default();
        // What is seen first between two ticks belongs to the one that is over.
        let seen = spec.on(&self.simulation, controller, &self.dictionary);
        replica.refresh(&seen, &mut self.scratch, self.tick.max(Tick(1)))
    }
}
