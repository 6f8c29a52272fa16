//! [`ProtocolId`]: the wire format and rules of a connection.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

/// Identifies the wire format and rules that both sides must share. It is part of every packet's signature,
/// so that peers of another version are refused when they connect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolId(u64);

impl ProtocolId {
    /// The id of a wire format and of the rules it is used with.
    ///
    /// It is XXH3 (64 bits, no seed) of `ugas`, the protocol's number and the catalog's hash, both
    /// little-endian: the same on every platform and in every version.
    #[must_use]
    pub fn of(protocol: u32, catalog_hash: u64) -> Self {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(b"ugas");
        bytes[4..8].copy_from_slice(&protocol.to_le_bytes());
        bytes[8..].copy_from_slice(&catalog_hash.to_le_bytes());
        Self(xxh3_64(&bytes))
    }

    /// The id as a number, as it travels.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// An id from its number, for hosts that compute their own; otherwise use [`Self::of`].
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

impl fmt::Debug for ProtocolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProtocolId({:016x})", self.0)
    }
}

impl fmt::Display for ProtocolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_depends_on_protocol_and_catalog() {
        let id = ProtocolId::of(1, 7);
        assert_eq!(id, ProtocolId::of(1, 7));
        assert_ne!(id, ProtocolId::of(2, 7));
        assert_ne!(id, ProtocolId::of(1, 8));
        assert_eq!(ProtocolId::from_bits(id.to_bits()), id);
    }
}
