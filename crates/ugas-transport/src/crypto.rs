//! Sealed packets of netcode 1.02: everything but connection requests is encrypted and signed with the key of
//! one direction of one connection.

use chacha20poly1305::aead::{AeadInPlace, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce, Tag};

use crate::packet::{self, Kind, SIGNATURE_BYTES};
use crate::protocol::ProtocolId;
use crate::request::VERSION;

/// Key of one direction of a connection, from its token.
pub(crate) type SessionKey = [u8; 32];

/// Seals a packet into `out`, whose former content is dropped. A sequence number is used once with a key.
pub(crate) fn seal(
    out: &mut Vec<u8>,
    protocol: ProtocolId,
    kind: Kind,
    sequence: u64,
    key: &SessionKey,
    body: &[u8],
) {
    out.clear();
    let length = 8 - sequence.leading_zeros() as usize / 8;
    let prefix = kind as u8 | (length as u8) << 4;
    out.push(prefix);
    out.extend(&sequence.to_le_bytes()[..length]);
    let start = out.len();
    out.extend(body);
    let sealed = ChaCha20Poly1305::new(Key::from_slice(key)).encrypt_in_place_detached(
        &nonce(sequence),
        &signed(protocol, prefix),
        &mut out[start..],
    );
    match sealed {
        Ok(signature) => out.extend(signature),
        // Only bodies of many gigabytes fail.
        Err(_) => out.clear(),
    }
}

/// Body of a packet whose lengths [`packet::kind`] has checked; `None` if it was not sealed with the key.
pub(crate) fn open<'a>(packet: &'a mut [u8], protocol: ProtocolId, key: &SessionKey) -> Option<&'a [u8]> {
    let prefix = *packet.first()?;
    let sequence = packet::sequence(packet);
    let sealed = packet.get_mut(1 + usize::from(prefix >> 4)..)?;
    let (body, signature) = sealed.split_at_mut_checked(sealed.len().checked_sub(SIGNATURE_BYTES)?)?;
    ChaCha20Poly1305::new(Key::from_slice(key))
        .decrypt_in_place_detached(
            &nonce(sequence),
            &signed(protocol, prefix),
            body,
            Tag::from_slice(signature),
        )
        .ok()?;
    Some(body)
}

fn nonce(sequence: u64) -> Nonce {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&sequence.to_le_bytes());
    nonce.into()
}

/// Bytes that are signed but not sent: name of the protocol, its id, and the first byte of the packet.
fn signed(protocol: ProtocolId, prefix: u8) -> [u8; 22] {
    let mut signed = [0; 22];
    signed[..13].copy_from_slice(VERSION);
    signed[13..21].copy_from_slice(&protocol.to_bits().to_le_bytes());
    signed[21] = prefix;
    signed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_packets_do_not_open() {
        let (protocol, key) = (ProtocolId::of(1, 2), [7; 32]);
        for sequence in [0, 1, 255, 256, 1 << 61] {
            let mut packet = Vec::new();
            seal(&mut packet, protocol, Kind::Payload, sequence, &key, b"hello");
            assert_eq!(packet::kind(&packet), Some(Kind::Payload));
            assert_eq!(packet::sequence(&packet), sequence);
            assert_eq!(open(&mut packet.clone(), protocol, &key), Some(&b"hello"[..]));
            assert_eq!(open(&mut packet.clone(), ProtocolId::of(1, 3), &key), None);
            assert_eq!(open(&mut packet.clone(), protocol, &[8; 32]), None);
            for place in 0..packet.len() {
                let mut changed = packet.clone();
                changed[place] ^= 1;
                assert_eq!(open(&mut changed, protocol, &key), None, "{sequence} {place}");
            }
        }
        assert_eq!(open(&mut [], protocol, &key), None);
        assert_eq!(open(&mut [0x85; 12], protocol, &key), None);
    }
}
