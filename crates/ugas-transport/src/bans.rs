//! [`BanList`]: addresses and peers that a server refuses.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::str::FromStr;

/// Addresses and peers that a server refuses and disconnects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BanList {
    networks: Vec<BannedNetwork>,
    peers: BTreeSet<u64>,
}

/// An address, or a network such as `203.0.113.0/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BannedNetwork {
    address: IpAddr,
    /// Number of leading bits that an address must share.
    bits: u8,
}

/// The text is neither an address nor a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an address such as 203.0.113.7, or a network such as 203.0.113.0/24 or 2001:db8::/32")]
pub struct NotANetwork;

impl BanList {
    /// Bans an address or network.
    pub fn ban_network(&mut self, network: BannedNetwork) {
        if !self.networks.contains(&network) {
            self.networks.push(network);
        }
    }

    /// Bans a peer, by the number in its tokens.
    pub fn ban_peer(&mut self, peer: u64) {
        self.peers.insert(peer);
    }

    /// Whether a peer at an address is banned.
    #[must_use]
    pub fn contains(&self, address: IpAddr, peer: u64) -> bool {
        self.peers.contains(&peer) || self.contains_address(address)
    }

    /// Whether an address is banned.
    #[must_use]
    pub fn contains_address(&self, address: IpAddr) -> bool {
        self.networks.iter().any(|network| network.contains(address))
    }
}

impl BannedNetwork {
    /// Whether an address belongs to the network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= u32::from(self.bits)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differing = network.to_bits() ^ address.to_bits();
                differing.leading_zeros() >= u32::from(self.bits)
            }
            _ => false,
        }
    }
}

impl From<IpAddr> for BannedNetwork {
    fn from(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self { address, bits: if address.is_ipv4() { 32 } else { 128 } }
    }
}

impl FromStr for BannedNetwork {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| NotANetwork)?)),
            None => (text, None),
        };
        let whole = Self::from(address.parse::<IpAddr>().map_err(|_| NotANetwork)?);
        match bits {
            None => Ok(whole),
            Some(bits) if bits <= whole.bits => Ok(Self { bits, ..whole }),
            Some(_) => Err(NotANetwork),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        let check = |network: &str, address: &str, expected: bool| {
            let network: BannedNetwork = network.parse().unwrap();
            assert_eq!(network.contains(address.parse().unwrap()), expected, "{network:?} {address}");
        };
        check("203.0.113.7", "203.0.113.7", true);
        check("203.0.113.7", "203.0.113.8", false);
        check("203.0.113.7", "::ffff:203.0.113.7", true);
        check("203.0.113.0/24", "203.0.113.255", true);
        check("203.0.113.0/24", "203.0.112.255", false);
        check("0.0.0.0/0", "198.51.100.1", true);
        check("0.0.0.0/0", "2001:db8::1", false);
        check("2001:db8::/32", "2001:db8:ffff::1", true);
        check("2001:db8::/32", "2001:db9::1", false);
        for wrong in ["", "Ada", "203.0.113.0/33", "203.0.113.0/", "203.0.113", "::/129"] {
            assert_eq!(wrong.parse::<BannedNetwork>(), Err(NotANetwork), "{wrong}");
        }
    }
}
