//! Bans of players who were kicked for forged commands.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use ugas_transport::Network;

/// Most bans that are kept; beyond that the one that ends first is dropped.
const MAX_BANS: usize = 4_096;

/// Identity that a ban applies to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Identity {
    /// Name in the token, which the player cannot choose.
    Name(String),
    /// Network of a player without a token.
    Network(Network),
}

impl Identity {
    /// Identity of a peer: the name of its token, else its address. `None` for a peer of this machine without
    /// a token: others share its address.
    pub(super) fn of(name: Option<&str>, address: Option<IpAddr>) -> Option<Self> {
        match name {
            Some(name) => Some(Self::Name(name.to_owned())),
            None => address.and_then(Network::limited).map(Self::Network),
        }
    }
}

/// Players who may not join for a while.
pub(super) struct TimedBans {
    /// Duration of a ban; zero bans nobody.
    duration: Duration,
    ends: BTreeMap<Identity, Instant>,
}

impl TimedBans {
    pub(super) fn new(duration: Duration) -> Self {
        Self { duration, ends: BTreeMap::new() }
    }

    /// Bans a player from now on.
    pub(super) fn add(&mut self, identity: Identity, now: Instant) {
        if self.duration.is_zero() {
            return;
        }
        self.ends.retain(|_, end| *end > now);
        if self.ends.len() >= MAX_BANS
            && let Some(first) = self.ends.iter().min_by_key(|(_, end)| **end).map(|(id, _)| id.clone())
        {
            self.ends.remove(&first);
        }
        self.ends.insert(identity, now + self.duration);
    }

    /// Refuses a banned player, with the rest of the ban.
    ///
    /// # Errors
    /// The reason that the player is told.
    pub(super) fn check(&self, identity: &Identity, now: Instant) -> Result<(), String> {
        match self.ends.get(identity).and_then(|end| end.checked_duration_since(now)) {
            Some(rest) if !rest.is_zero() => {
                Err(format!("banned for another {} s after forged commands", rest.as_secs().max(1)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ban_ends_and_is_by_name_or_address() {
        let (now, minute) = (Instant::now(), Duration::from_secs(60));
        let name = Identity::of(Some("Ada"), Some([10, 0, 0, 1].into())).unwrap();
        let address = Identity::of(None, Some([10, 0, 0, 1].into())).unwrap();
        let mut bans = TimedBans::new(minute);
        bans.add(name.clone(), now);
        assert_eq!(bans.check(&name, now), Err("banned for another 60 s after forged commands".into()));
        assert_eq!(bans.check(&name, now + minute), Ok(()));
        assert_eq!(bans.check(&address, now), Ok(()));
        bans.add(address.clone(), now);
        assert!(bans.check(&address, now).is_err());
        assert_eq!(Identity::of(None, Some([127, 0, 0, 1].into())), None);
        let mut off = TimedBans::new(Duration::ZERO);
        off.add(name.clone(), now);
        assert_eq!(off.check(&name, now), Ok(()));
    }

    #[test]
    fn addresses_of_one_network_are_one_identity() {
        let of = |address: &str| Identity::of(None, Some(address.parse().unwrap()));
        assert_eq!(of("2001:db8:1:2::3"), of("2001:db8:1:2:ffff::4"));
        assert_ne!(of("2001:db8:1:2::3"), of("2001:db8:1:3::3"));
        assert_eq!(of("::ffff:203.0.113.7"), of("203.0.113.7"));
        assert_ne!(of("203.0.113.7"), of("203.0.113.8"));
        assert_eq!([of("::1"), of("127.0.0.1"), of("::ffff:127.0.0.1")], [None, None, None]);
    }

    #[test]
    fn number_of_bans_is_bounded() {
        let now = Instant::now();
        let mut bans = TimedBans::new(Duration::from_secs(60));
        for number in 0..=MAX_BANS as u32 {
            let network = Network::of(IpAddr::from((0x0a00_0000 + number).to_be_bytes()));
            bans.add(Identity::Network(network), now + Duration::from_millis(u64::from(number)));
        }
        assert_eq!(bans.ends.len(), MAX_BANS);
        assert_eq!(bans.check(&Identity::Network(Network::of([10, 0, 0, 0].into())), now), Ok(()));
    }
}
