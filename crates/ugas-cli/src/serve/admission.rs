//! Admission of players: their names and templates.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ugas_core::catalog::Catalog;
use ugas_net::PeerId;
use ugas_transport::Network;

use super::access::Bans;
use super::bans::{Identity, TimedBans};
use crate::online::{self, JoinRequest};
use crate::{names, output};

/// Maximum number of players with the same name, which are numbered.
const MAX_SAME_NAME: u32 = 1000;

/// Reason for which a player with a banned name is refused.
const BANNED_NAME: &str = "this name is banned from the server";
/// Reason for which a peer is refused that was banned after it had connected.
const BANNED: &str = "banned from the server";
/// Reason for which nobody is admitted to a server that drains.
const DRAINING: &str = "the server is about to stop: nobody is let in";

/// Admits players, and keeps the names of their tokens.
pub(super) struct PlayerAdmission {
    catalog: Arc<Catalog>,
    /// Names in the tokens of connected peers, which players cannot choose.
    token_names: BTreeMap<PeerId, String>,
    /// Names of admitted peers.
    names: BTreeMap<PeerId, AdmittedName>,
    /// Identities of connected peers that can be banned.
    identities: BTreeMap<PeerId, Identity>,
    /// Addresses of connected peers, and of those whose sessions are kept.
    addresses: BTreeMap<PeerId, IpAddr>,
    /// Players who were kicked.
    pub(super) timed_bans: TimedBans,
    /// Names and addresses that may not be used.
    pub(super) bans: Bans,
    /// Whether nobody is let in any more.
    pub(super) is_draining: bool,
}

/// Name of an admitted peer.
struct AdmittedName {
    /// Name that it asked for, or that of its token.
    wanted: String,
    /// Name in the game: with a number if another player had the same.
    shown: String,
}

impl PlayerAdmission {
    pub(super) fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            token_names: BTreeMap::new(),
            names: BTreeMap::new(),
            identities: BTreeMap::new(),
            addresses: BTreeMap::new(),
            timed_bans: TimedBans::new(Duration::ZERO),
            bans: Bans::default(),
            is_draining: false,
        }
    }

    /// Records the name in the token of a connected peer, and its address. `user_data` is that of its token; `None` at
    /// an open server, where the client writes it itself.
    pub(super) fn connected(&mut self, peer: PeerId, user_data: Option<&[u8]>, address: Option<IpAddr>) {
        let name = user_data.and_then(|name| std::str::from_utf8(name).ok());
        let name = name.and_then(|name| online::player_name(name).ok());
        match address {
            Some(address) => self.addresses.insert(peer, address),
            None => self.addresses.remove(&peer),
        };
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
        self.addresses.remove(&peer);
        self.left(peer);
    }

    /// Network of a peer whose number of sessions is limited; `None` for this machine.
    pub(super) fn network(&self, peer: PeerId) -> Option<Network> {
        self.addresses.get(&peer).copied().and_then(Network::limited)
    }

    /// Whether the name of an admitted peer is banned by now.
    pub(super) fn has_banned_name(&self, peer: PeerId) -> bool {
        let is_banned = |name: &AdmittedName| {
            self.bans.contains_name(&name.wanted) || self.bans.contains_name(&name.shown)
        };
        self.names.get(&peer).is_some_and(is_banned)
    }

    /// Refuses a peer that was banned since it connected.
    fn check_bans(&self, peer: PeerId) -> Result<(), String> {
        if let Some(identity) = self.identities.get(&peer) {
            self.timed_bans.check(identity, Instant::now())?;
        }
        match self.addresses.get(&peer) {
            Some(address) if self.bans.transport.contains(*address, peer.0) => Err(BANNED.to_owned()),
            _ => Ok(()),
        }
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
        let name = self.names.get(&peer).map_or(own.name, |name| name.shown.clone());
        Ok(JoinRequest { name, ..own })
    }

    /// Lets an admitted peer come back over another connection, unless it was banned since.
    pub(super) fn readmit(&self, peer: PeerId) -> Result<(), String> {
        self.check_bans(peer)?;
        if self.has_banned_name(peer) { Err(BANNED_NAME.to_owned()) } else { Ok(()) }
    }

    /// Admits a peer, or returns the reason of the refusal.
    pub(super) fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        self.check_bans(peer)?;
        if self.is_draining {
            return Err(DRAINING.to_owned());
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
        self.names.insert(peer, AdmittedName { wanted, shown: name });
        Ok(())
    }

    /// The wanted name, with a number if another player has the same. A name that only looks the same is
    /// refused.
    fn free_name(&self, peer: PeerId, wanted: &str) -> Result<String, String> {
        let others = || self.names.iter().filter(|(other, _)| **other != peer).map(|(_, name)| &name.shown);
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
        assert!(!admission.has_banned_name(PeerId(2)));
        let mut bans = Bans::default();
        bans.ban_name("Ada");
        admission.bans = bans;
        assert!(admission.has_banned_name(PeerId(2)), "Ada 2 asked for Ada");
        admission.bans = Bans::default();
        admission.left(PeerId(1));
        assert_eq!(admission.admit(PeerId(5), b"Ada"), Ok(()));
    }

    #[test]
    fn identity_of_a_peer_without_a_trusted_token_is_its_address() {
        let pack = ugas_data::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/spells")).unwrap();
        let mut admission = PlayerAdmission::new(pack.catalog);
        admission.timed_bans = TimedBans::new(Duration::from_secs(60));
        let address = |last: u8| Some(IpAddr::from([203, 0, 113, last]));
        // At an open server, the client would choose the identity that is banned.
        admission.connected(PeerId(1), None, address(1));
        admission.admit(PeerId(1), b"Ada").unwrap();
        admission.ban(PeerId(1));
        admission.connected(PeerId(2), None, address(1));
        assert!(admission.admit(PeerId(2), b"Grace").is_err());
        admission.connected(PeerId(3), None, address(2));
        assert_eq!(admission.admit(PeerId(3), b"Ada"), Ok(()));
    }
}
