//! Who is let in, and as what.

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_net::PeerId;

use crate::online::{self, Introduction};
use crate::output;

/// Decides who is let in, and remembers what tokens say of whom.
pub(super) struct Door {
    catalog: Arc<Catalog>,
    /// The names in the tokens of those who are connected. Nobody can choose them.
    names: BTreeMap<PeerId, String>,
}

impl Door {
    pub(super) fn new(catalog: Arc<Catalog>) -> Self {
        Self { catalog, names: BTreeMap::new() }
    }

    /// Somebody connected with a token that says this of it.
    pub(super) fn opened(&mut self, peer: PeerId, user_data: &[u8]) {
        let name = std::str::from_utf8(user_data).ok().and_then(|name| online::player_name(name).ok());
        match name {
            Some(name) => self.names.insert(peer, name),
            None => self.names.remove(&peer),
        };
    }

    /// A connection ended.
    pub(super) fn closed(&mut self, peer: PeerId) {
        self.names.remove(&peer);
    }

    /// Who somebody is: by the token, or by their own word where there is none.
    pub(super) fn introduction(&self, peer: PeerId, credential: &[u8]) -> Result<Introduction, String> {
        let own = Introduction::from_bytes(credential)?;
        let name = self.names.get(&peer).cloned().unwrap_or(own.name);
        Ok(Introduction { name, ..own })
    }

    /// Lets somebody in, or says why not.
    pub(super) fn admit(&self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        let Some(template) = self.introduction(peer, credential)?.template else { return Ok(()) };
        match self.catalog.template(&template) {
            Ok(_) => Ok(()),
            Err(unknown) => {
                let hint = output::hint(unknown.nearest.as_deref(), online::templates(&self.catalog));
                Err(format!("there is no template `{template}`{hint}"))
            }
        }
    }
}
