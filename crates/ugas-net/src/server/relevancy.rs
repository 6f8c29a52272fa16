//! Relevancy: which client sees which controller, and with which visibility (§13.2).

use ugas_core::handle::ControllerId;

use super::controller_view::ControllerView;
use super::{Host, PeerId, Server};
use crate::message::ClientId;
use crate::tick::Tick;
use crate::visibility::{Ownership, Visibility, VisibilityId};

impl<H: Host> Server<H> {
    /// Gives a controller to a client as its owner, in place of the present one. The client's view of it
    /// starts anew; after [`Self::take_back`] the client sees it until it is [hidden](Self::hide). If the
    /// client has no session, the controller stays without an owner.
    pub fn give(&mut self, controller: ControllerId, client: ClientId) {
        self.take_back(controller);
        let Some(peer) = self.peer_of(client).filter(|_| self.exists(controller)) else { return };
        self.owners.insert(controller, client);
        self.orphaned.remove(&controller);
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.owned.insert(controller);
            session.owned_since = self.now;
            session.relevancy.insert(controller, true);
        }
        self.update_view(peer, controller);
    }

    /// Takes a controller from its owner, who sees it as others do from then on. Tasks that wait for the
    /// client keep their deadline.
    pub fn take_back(&mut self, controller: ControllerId) {
        let Some(client) = self.owners.remove(&controller) else { return };
        self.orphaned.insert(controller);
        let Some(peer) = self.peer_of(client) else { return };
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.owned.remove(&controller);
            session.owned_since = self.now;
        }
        self.update_view(peer, controller);
    }

    /// Owner of a controller; `None` if nobody owns it.
    pub fn owner(&self, controller: ControllerId) -> Option<ClientId> {
        self.owners.get(&controller).copied()
    }

    /// Shows a controller to a client (relevancy); with
    /// [`ServerConfig::show_everything`](super::ServerConfig::show_everything) every controller is shown.
    pub fn show(&mut self, controller: ControllerId, client: ClientId) {
        self.set_shown(controller, client, true);
    }

    /// Hides a controller from a client. Does nothing for a controller that the client owns.
    pub fn hide(&mut self, controller: ControllerId, client: ClientId) {
        if self.owners.get(&controller) != Some(&client) {
            self.set_shown(controller, client, false);
        }
    }

    /// Adds a visibility of the game's own, for [`Self::set_visibility`]. Equal ones share an id, and none
    /// is ever removed.
    pub fn add_visibility(&mut self, visibility: Visibility) -> VisibilityId {
        let at = self.visibilities.iter().position(|known| *known == visibility).unwrap_or_else(|| {
            self.visibilities.push(visibility);
            self.visibilities.len() - 1
        });
        VisibilityId(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// Sets the visibility of a controller for its owner, or for others, in place of that of its replication
    /// mode, and updates all clients' views. `None` hides it.
    pub fn set_visibility(
        &mut self,
        controller: ControllerId,
        own: Ownership,
        visibility: Option<VisibilityId>,
    ) {
        if self.exists(controller) {
            self.visibility_overrides.insert((controller, own), visibility);
            self.update_all_views(controller);
        }
    }

    /// Forgets a despawned controller: takes it from its owner, and ends all views of it, which clients are
    /// notified of by the next updates.
    pub(super) fn forget_controller(&mut self, controller: ControllerId) {
        self.take_back(controller);
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.end_view(peer, controller);
            if let Some(session) = self.sessions.get_mut(&peer) {
                session.relevancy.remove(&controller);
                session.outbound.forget_withheld(controller);
            }
        }
        self.visibility_overrides.remove(&(controller, Ownership::Mine));
        self.visibility_overrides.remove(&(controller, Ownership::Others));
        self.versioned_views.retain(|(known, _), _| *known != controller);
        self.audience.remove(&controller);
        self.changed.remove(controller);
        self.positions.remove(controller);
        self.too_large.retain(|(known, _), _| *known != controller);
    }

    fn exists(&self, controller: ControllerId) -> bool {
        self.simulation.controller(controller).is_some()
    }

    /// Records that the game shows a controller to a client or hides it, and updates the client's view. Does
    /// nothing if either does not exist.
    fn set_shown(&mut self, controller: ControllerId, client: ClientId, shown: bool) {
        let Some(peer) = self.peer_of(client).filter(|_| self.exists(controller)) else { return };
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.relevancy.insert(controller, shown);
        }
        self.update_view(peer, controller);
    }

    /// Visibility of a controller for a client; `None` if the client neither owns it nor has it shown, or
    /// the game's override or the replication mode hides it. Adds the visibility of the mode if it is new.
    fn visibility_for(&mut self, peer: PeerId, controller: ControllerId) -> Option<VisibilityId> {
        let session = self.sessions.get(&peer)?;
        let own = match session.owned.contains(&controller) {
            true => Ownership::Mine,
            false => Ownership::Others,
        };
        let is_shown = session.relevancy.get(&controller).copied().unwrap_or(self.config.show_everything);
        if own == Ownership::Others && !is_shown {
            return None;
        }
        if let Some(visibility) = self.visibility_overrides.get(&(controller, own)) {
            return *visibility;
        }
        let mode = self.simulation.controller(controller)?.replication();
        Some(self.add_visibility(Visibility::of_mode(mode, own)?))
    }

    /// Begins a client's view of a controller in a new epoch, from nothing, and sends again what named the
    /// controller while it was hidden. Does nothing if the client already has this view.
    fn begin_view(&mut self, peer: PeerId, controller: ControllerId) {
        let Some(visibility) = self.visibility_for(peer, controller) else { return };
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let own = session.owned.contains(&controller);
        let known = session.outbound.views.get(&controller);
        if known.is_some_and(|view| view.visibility == visibility && view.own == own && !view.leaving) {
            return;
        }
        let is_announced = known.is_some_and(|view| view.is_announced);
        let old = known.map(|view| (view.visibility, view.epoch));
        let epoch = old.map(|(_, epoch)| epoch).or_else(|| session.outbound.last_epoch(controller));
        let epoch = epoch.map_or(0, |epoch| epoch.wrapping_add(1));
        let mut view = ControllerView::new(visibility, own, epoch);
        view.is_announced = is_announced;
        session.outbound.views.insert(controller, view);
        session.outbound.stale.insert(controller);
        session.outbound.reveal(controller);
        if let Some((old, _)) = old {
            self.leave_audience(controller, old, peer);
        }
        self.audience.entry(controller).or_default().insert((visibility, peer));
        if !self.versioned_views.contains_key(&(controller, visibility)) {
            self.refresh_versioned_view(controller, visibility);
        }
    }

    /// Ends a client's view of a controller: it is leaving until the client acknowledges that it is gone. A view of
    /// which nothing was sent is dropped at once.
    fn end_view(&mut self, peer: PeerId, controller: ControllerId) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let Some(view) = session.outbound.views.get_mut(&controller).filter(|view| !view.leaving) else {
            return;
        };
        let visibility = view.visibility;
        if view.is_announced {
            view.leaving = true;
            view.sent = view.acked;
            session.outbound.stale.insert(controller);
        } else {
            session.outbound.views.remove(&controller);
            session.outbound.stale.remove(controller);
        }
        self.leave_audience(controller, visibility, peer);
    }

    /// [`Self::update_view`] for all clients: a controller spawned, or its visibility changed.
    pub(super) fn update_all_views(&mut self, controller: ControllerId) {
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.update_view(peer, controller);
        }
    }

    /// Begins or ends a client's view of a controller, as ownership, relevancy and visibility demand. A view
    /// that is already right stays as it is.
    pub(super) fn update_view(&mut self, peer: PeerId, controller: ControllerId) {
        match self.visibility_for(peer, controller) {
            Some(_) => self.begin_view(peer, controller),
            None => self.end_view(peer, controller),
        }
    }

    /// Removes a viewer from the audience of a controller. A versioned view without viewers is dropped.
    pub(super) fn leave_audience(
        &mut self,
        controller: ControllerId,
        visibility: VisibilityId,
        peer: PeerId,
    ) {
        let Some(audience) = self.audience.get_mut(&controller) else { return };
        audience.remove(&(visibility, peer));
        if !audience.iter().any(|(known, _)| *known == visibility) {
            self.versioned_views.remove(&(controller, visibility));
        }
        if audience.is_empty() {
            self.audience.remove(&controller);
        }
    }

    /// Updates the view that all clients with a visibility share, or creates it; returns whether anything
    /// changed.
    pub(super) fn refresh_versioned_view(
        &mut self,
        controller: ControllerId,
        visibility: VisibilityId,
    ) -> bool {
        let Some(spec) = self.visibilities.get(usize::from(visibility.0)) else { return false };
        let view = self.versioned_views.entry((controller, visibility)).or_default();
        let filter = spec.filter_for(&self.simulation, controller, &self.dictionary);
        // Between two ticks, a change gets the version of the tick that is over. Version 0 is reserved.
        view.refresh(&filter, &mut self.scratch, self.tick.max(Tick(1)))
    }
}
