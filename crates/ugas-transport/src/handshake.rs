//! [`Handshakes`]: clients whose request was answered with a challenge, and who have not answered it yet.
//!
//! Netcode's challenge cannot be stateless: its answer is sealed with a key that only the request carried. So
//! the state is small, ends after seconds, and is bounded for each address and in all. Half of the places are
//! reserved for requests with a [cookie](crate::cookie), which forged source addresses cannot take.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use crate::config::Limits;
use crate::rate::Network;
use crate::refusal::Refusal;
use crate::request::Token;

/// Time after its last request in which a client must answer the challenge. Clients answer four times a
/// second.
pub(crate) const HANDSHAKE_TIME: Duration = Duration::from_secs(5);
/// Bytes of a challenge. The answer must repeat them.
pub(crate) const CHALLENGE_BYTES: usize = 300;
/// Random bytes of a challenge; the rest is zero.
pub(crate) const RANDOM_BYTES: usize = 16;

/// Whether a request had a valid cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressProof {
    Cookie,
    None,
}

/// A handshake: the token of the request, and the challenge that was sent.
#[derive(Debug)]
pub(crate) struct Handshake {
    pub(crate) token: Token,
    pub(crate) challenge: [u8; RANDOM_BYTES],
    proof: AddressProof,
    last_request: Duration,
}

/// All handshakes, at most one for each address and port.
#[derive(Debug, Default)]
pub(crate) struct Handshakes {
    handshakes: BTreeMap<SocketAddr, Handshake>,
    /// Handshakes of each network, with a cookie and without.
    networks: BTreeMap<Network, [u16; 2]>,
    /// Handshakes without a cookie.
    unproven: usize,
}

impl Handshakes {
    /// Whether a request without a cookie can begin or repeat a handshake.
    pub(crate) fn has_room(&self, address: SocketAddr, limits: &Limits) -> bool {
        self.handshakes.contains_key(&address)
            || self.unproven < usize::from(limits.handshakes_in_all) / 2
                && self.of_network(address, AddressProof::None) < limits.handshakes_per_address
    }

    /// Begins a handshake, or repeats the current one of the address with the same token.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if the limit of the address or of all is reached.
    pub(crate) fn begin(
        &mut self,
        address: SocketAddr,
        token: Token,
        proof: AddressProof,
        challenge: impl FnOnce() -> [u8; RANDOM_BYTES],
        limits: &Limits,
        now: Duration,
    ) -> Result<&Handshake, Refusal> {
        let known = self.handshakes.get(&address);
        let is_same = known.is_some_and(|known| known.token.signature == token.signature);
        if !is_same {
            // With another token the client of this address has begun again, or somebody else has forged it.
            if known.is_some() && proof == AddressProof::None {
                return Err(Refusal::Busy);
            }
            self.remove(address);
            let is_full = self.handshakes.len() >= usize::from(limits.handshakes_in_all)
                || self.of_network(address, proof) >= limits.handshakes_per_address;
            if is_full {
                return Err(Refusal::Busy);
            }
            if let Some(network) = Network::limited(address.ip()) {
                self.networks.entry(network).or_default()[proof as usize] += 1;
            }
            self.unproven += usize::from(proof == AddressProof::None);
        }
        let begun = self.handshakes.entry(address).or_insert_with(|| Handshake {
            token,
            challenge: challenge(),
            proof,
            last_request: now,
        });
        begun.last_request = now;
        Ok(begun)
    }

    /// The current handshake of an address.
    pub(crate) fn get(&self, address: SocketAddr) -> Option<&Handshake> {
        self.handshakes.get(&address)
    }

    /// Removes the handshake of an address, because it is over.
    pub(crate) fn remove(&mut self, address: SocketAddr) -> Option<Handshake> {
        let removed = self.handshakes.remove(&address)?;
        self.unproven -= usize::from(removed.proof == AddressProof::None);
        if let Some(network) = Network::limited(address.ip())
            && let Some(counts) = self.networks.get_mut(&network)
        {
            counts[removed.proof as usize] -= 1;
            if *counts == [0, 0] {
                self.networks.remove(&network);
            }
        }
        Some(removed)
    }

    /// Removes the handshakes whose time is over, and returns their number.
    pub(crate) fn expire(&mut self, now: Duration) -> u64 {
        let is_over = |handshake: &Handshake| now >= handshake.last_request + HANDSHAKE_TIME;
        let over = self.handshakes.iter().filter(|(_, handshake)| is_over(handshake));
        let over: Vec<SocketAddr> = over.map(|(address, _)| *address).collect();
        for address in &over {
            self.remove(*address);
        }
        over.len() as u64
    }

    /// The number of handshakes.
    pub(crate) fn len(&self) -> usize {
        self.handshakes.len()
    }

    /// Handshakes of the network of an address; 0 for this machine, whose clients share one address.
    fn of_network(&self, address: SocketAddr, proof: AddressProof) -> u16 {
        let network = Network::limited(address.ip());
        network.and_then(|network| self.networks.get(&network)).map_or(0, |counts| counts[proof as usize])
    }
}
