//! Admission of players: their names and templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_net::PeerId;

use crate::online::{self, JoinRequest};
use crate::output;

/// Admits players, and keeps the names of their tokens.
pub(super) struct PlayerAdmission {
    catalog: Arc<Catalog>,
    /// Names in the tokens of connected peers, which players cannot choose.
    names: BTreeMap<PeerId, String>,
}

impl PlayerAdmission {
    pub(super) fn new(catalog: Arc<Catalog>) -> Self {
        Self { catalog, names: BTreeMap::new() }
    }

    /// Records the name in the token of a connected peer.
    pub(super) fn connected(&mut self, peer: PeerId, user_data: &[u8]) {
        let name = std::str::from_utf8(user_data).ok().and_then(|name| online::player_name(name).ok());
        match name {
            Some(name) => self.names.insert(peer, name),
            None => self.names.remove(&peer),
        };
    }

    /// Forgets the name that the token of a disconnected peer gave it.
    pub(super) fn disconnected(&mut self, peer: PeerId) {
        self.names.remove(&peer);
    }

    /// The join request of a peer, with the name of its token if it has one.
    pub(super) fn join_request(&self, peer: PeerId, credential: &[u8]) -> Result<JoinRequest, String> {
        let own = JoinRequest::from_bytes(credential)?;
        let name = self.names.get(&peer).cloned().unwrap_or(own.name);
        Ok(JoinRequest { name, ..own })
    }

    /// Admits a peer, or returns the reason of the refusal.
    pub(super) fn admit(&self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        let Some(template) = self.join_request(peer, credential)?.template else { return Ok(()) };
        match self.catalog.template(&template) {
            Ok(_) => Ok(()),
            Err(unknown) => {
                let hint = output::hint(unknown.nearest.as_deref(), online::templates(&self.catalog));
                Err(format!("there is no template `{template}`{hint}"))
            }
        }
    }
}
