//! Admission of players: their names and templates.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ugas_core::catalog::Catalog;
use ugas_net::PeerId;

use super::access::Bans;
use super::bans::{Identity, TimedBans};
use crate::online::{self, JoinRequest};
use crate::{names, output};

/// Maximum number of players with the same name, which are numbered.
const MAX_SAME_NAME: u32 = 1000;

/// Reason for which a player with a banned name is refused.
const BANNED_NAME: &str = "this name is banned from the server";

/// Admits players, and keeps the names of their tokens.
pub(super) struct PlayerAdmission {
    catalog: Arc<Catalog>,
    /// Names in the tokens of connected peers, which players cannot choose.
    token_names: BTreeMap<PeerId, String>,
    /// Names of admitted peers.
    names: BTreeMap<PeerId, String>,
    /// Identities of connected peers that can be banned.
    identities: BTreeMap<PeerId, Identity>,
    /// Players who were kicked.
    pub(super) timed_bans: TimedBans,
    /// Names that may not be used.
    pub(super) bans: Bans,
}

impl PlayerAdmission {
    pub(super) fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            token_names: BTreeMap::new(),
            names: BTreeMap::new(),
            identities: BTreeMap::new(),
            timed_bans: TimedBans::new(Duration::ZERO),
            bans: Bans::default(),
        }
    }

    /// Records the name in the token of a connected peer, and its address.
    pub(super) fn connected(&mut self, peer: PeerId, user_data: &[u8], address: Option<IpAddr>) {
        let name = std::str::from_utf8(user_data).ok().and_then(|name| online::player_name(name).ok());
        match Identity::of(name.as_deref(), address) {
            Some(identity) => self.identities.insert(peer, identity),
            None => self.identities.remove(&peer),
        };
        match name {
            Some(name) => self.token_names.insert(peer, name),
            None => self.token_names.remove(&peer),
        };
    }

    /// Forgets the names of a disconnected peer.
    pub(super) fn disconnected(&mut self, peer: PeerId) {
        self.token_names.remove(&peer);
        self.identities.remove(&peer);
        self.left(peer);
    }

    /// Frees the name of a player who has left.
    pub(super) fn left(&mut self, peer: PeerId) {
        self.names.remove(&peer);
    }

    /// Bans the player of a connected peer.
    pub(super) fn ban(&mut self, peer: PeerId) {
        if let Some(identity) = self.identities.get(&peer) {
            self.timed_bans.add(identity.clone(), Instant::now());
        }
    }

    /// The join request of an admitted peer, with the name that it has in the game.
    pub(super) fn join_request(&self, peer: PeerId, credential: &[u8]) -> Result<JoinRequest, String> {
        let own = JoinRequest::from_bytes(credential)?;
        let name = self.names.get(&peer).cloned().unwrap_or(own.name);
        Ok(JoinRequest { name, ..own })
    }

    /// Lets an admitted peer come back over another connection, unless it was banned since.
    pub(super) fn readmit(&self, peer: PeerId) -> Result<(), String> {
        if let Some(identity) = self.identities.get(&peer) {
            self.timed_bans.check(identity, Instant::now())?;
        }
        match self.names.get(&peer) {
            Some(name) if self.bans.contains_name(name) => Err(BANNED_NAME.to_owned()),
            _ => Ok(()),
        }
    }

    /// Admits a peer, or returns the reason of the refusal.
    pub(super) fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        if let Some(identity) = self.identities.get(&peer) {
            self.timed_bans.check(identity, Instant::now())?;
        }
        let own = JoinRequest::from_bytes(credential)?;
        let wanted = self.token_names.get(&peer).cloned().unwrap_or(own.name);
        if self.bans.contains_name(&wanted) {
            return Err(BANNED_NAME.to_owned());
        }
        let name = self.free_name(peer, &wanted)?;
        if let Some(template) = own.template
            && let Err(unknown) = self.catalog.template(&template)
        {
            let hint = output::hint(unknown.nearest.as_deref(), online::templates(&self.catalog));
            return Err(format!("there is no template `{template}`{hint}"));
        }
        self.names.insert(peer, name);
        Ok(())
    }

    /// The wanted name, with a number if another player has the same. A name that only looks the same is
    /// refused.
    fn free_name(&self, peer: PeerId, wanted: &str) -> Result<String, String> {
        let others = || self.names.iter().filter(|(other, _)| **other != peer).map(|(_, name)| name);
        let skeleton = names::skeleton(wanted);
        let alike = others().find(|name| names::skeleton(name) == skeleton);
        match alike {
            None => Ok(wanted.to_owned()),
            Some(same) if same == wanted => {
                let numbered = (2..MAX_SAME_NAME).map(|number| format!("{wanted} {number}"));
                let is_free = |name: &String| {
                    let skeleton = names::skeleton(name);
                    others().all(|other| names::skeleton(other) != skeleton)
                };
                let mut free = numbered.filter(is_free);
                free.next().ok_or_else(|| "too many players have this name: choose another".to_owned())
            }
            Some(alike) => {
                Err(format!("the name looks like that of another player, `{alike}`: choose another"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered_and_alike_names_refused() {
        let pack = ugas_data::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/spells")).unwrap();
        let mut admission = PlayerAdmission::new(pack.catalog);
        let mut admit = |peer: u64, name: &str| {
            admission.admit(PeerId(peer), name.as_bytes())?;
            Ok::<_, String>(admission.join_request(PeerId(peer), name.as_bytes())?.name)
        };
        assert_eq!(admit(1, "Ada"), Ok("Ada".to_owned()));
        assert_eq!(admit(1, "Ada"), Ok("Ada".to_owned()), "the same peer again");
        assert_eq!(admit(2, "Ada"), Ok("Ada 2".to_owned()));
        assert_eq!(admit(3, "Ada"), Ok("Ada 3".to_owned()));
        // With a Cyrillic letter, and in another case.
        for alike in ["\u{410}da", "ADA", "A d a", "Ada2"] {
            let refused = admit(4, alike).unwrap_err();
            assert!(refused.contains("looks like that of another player"), "{alike}: {refused}");
        }
        assert!(admit(4, "A\u{202e}da").is_err());
        assert_eq!(admit(4, "Grace"), Ok("Grace".to_owned()));
        admission.left(PeerId(1));
        assert_eq!(admission.admit(PeerId(5), b"Ada"), Ok(()));
    }
}
