//! Checks of a packet's unencrypted part, before any key is tried.
//!
//! The first byte holds the kind (four bits) and the number of bytes of the sequence number; all packets but
//! connection requests end with a signature of 16 bytes. Every packet is checked here first; `renetcode`, which clients use, trusts these
//! lengths.

use crate::MAX_DATAGRAM_BYTES;
use crate::cookie::COOKIE_BYTES;

/// Length of the signature at the end of all packets but requests.
pub(crate) const SIGNATURE_BYTES: usize = 16;
const MAX_SEQUENCE_BYTES: usize = 8;
/// A request is the protocol's name (13 bytes), protocol id, expiry, nonce (24) and sealed token (1,024).
pub(crate) const REQUEST_BYTES: usize = 1 + 13 + 8 + 8 + 24 + 1024;
/// Length of the longest datagram and one byte more, so that longer ones are recognised.
pub(crate) const RECEIVE_BYTES: usize = 1 + MAX_SEQUENCE_BYTES + MAX_DATAGRAM_BYTES + SIGNATURE_BYTES + 1;
/// Limit of sequence numbers, far above those of honest peers: `renetcode` adds to them before it checks a
/// signature.
const MAX_SEQUENCE: u64 = 1 << 62;

/// The kinds of packets, as far as they are treated differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A connection request with a sealed token, and perhaps a cookie. The only kind that an unconnected
    /// client may send.
    Request = 0,
    /// The server is full.
    Denied,
    /// A challenge to prove the sender's address.
    Challenge,
    /// The answer to a challenge.
    Response,
    KeepAlive,
    Payload,
    Disconnect,
}

/// The kind of a packet; `None` if its unencrypted part is malformed.
pub(crate) fn kind(packet: &[u8]) -> Option<Kind> {
    let kind = match packet.first()? & 0x0f {
        0 => {
            let is_request = [REQUEST_BYTES, REQUEST_BYTES + COOKIE_BYTES].contains(&packet.len());
            return (is_request && packet[0] == 0).then_some(Kind::Request);
        }
        1 => Kind::Denied,
        2 => Kind::Challenge,
        3 => Kind::Response,
        4 => Kind::KeepAlive,
        5 => Kind::Payload,
        6 => Kind::Disconnect,
        _ => return None,
    };
    let sequence_bytes = usize::from(packet[0] >> 4);
    let is_long_enough = packet.len() >= 2.max(1 + sequence_bytes) + SIGNATURE_BYTES;
    let is_short_enough = packet.len() < RECEIVE_BYTES;
    let is_counted = sequence_bytes <= MAX_SEQUENCE_BYTES;
    (is_counted && is_long_enough && is_short_enough && sequence(packet) < MAX_SEQUENCE).then_some(kind)
}

/// The sequence number of a packet that is not a request: the part of its nonce that is not in the key.
pub(crate) fn sequence(packet: &[u8]) -> u64 {
    let length = packet.first().map_or(0, |first| usize::from(first >> 4));
    let bytes = packet.iter().skip(1).take(length.min(MAX_SEQUENCE_BYTES));
    bytes.rev().fold(0, |sequence, byte| sequence << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use renetcode::{ClientAuthentication, NetcodeClient};

    use super::*;

    fn packet(first: u8, length: usize) -> Vec<u8> {
        let mut packet = vec![0; length];
        packet[0] = first;
        packet
    }

    #[test]
    fn lengths_are_checked_before_keys() {
        // Without sequence bytes, the signature follows the first byte; the library wants one more.
        assert_eq!(kind(&packet(0x06, 18)), Some(Kind::Disconnect));
        assert_eq!(kind(&packet(0x06, 17)), None);
        // Two bytes of sequence: 1 + 2 + 16.
        assert_eq!(kind(&packet(0x24, 19)), Some(Kind::KeepAlive));
        assert_eq!(kind(&packet(0x24, 18)), None);
        // A sequence number has at most eight bytes.
        assert_eq!(kind(&packet(0x94, 100)), None);
        assert_eq!(kind(&packet(0x15, 1 + 1 + 1200 + 16)), Some(Kind::Payload));
        assert_eq!(kind(&packet(0x85, RECEIVE_BYTES)), None);
        assert_eq!(kind(&packet(0x00, REQUEST_BYTES)), Some(Kind::Request));
        assert_eq!(kind(&packet(0x00, REQUEST_BYTES - 1)), None);
        assert_eq!(kind(&packet(0x00, REQUEST_BYTES + COOKIE_BYTES)), Some(Kind::Request));
        assert_eq!(kind(&packet(0x00, REQUEST_BYTES + 1)), None);
        assert_eq!(kind(&packet(0x10, REQUEST_BYTES)), None);
        assert_eq!(kind(&packet(0x07, 100)), None);
        assert_eq!(kind(&[]), None);
    }

    #[test]
    fn sequences_are_little_endian() {
        assert_eq!(sequence(&[0x24, 0x01, 0x02, 0xff]), 0x0201);
        assert_eq!(sequence(&[0x04, 0x01]), 0);
        let mut enormous = packet(0x84, 40);
        enormous[1..9].fill(0xff);
        assert_eq!(kind(&enormous), None);
    }

    proptest! {
        #[test]
        fn accepted_packets_never_panic_in_renetcode(first in any::<u8>(), rest in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut bytes = vec![first];
            bytes.extend(rest);
            let mut client = NetcodeClient::new(std::time::Duration::ZERO, ClientAuthentication::Unsecure {
                protocol_id: 1,
                client_id: 1,
                server_addr: "127.0.0.1:1".parse().unwrap(),
                user_data: None,
            }).unwrap();
            if kind(&bytes).is_some() {
                client.process_packet(&mut bytes);
            }
        }
    }
}
