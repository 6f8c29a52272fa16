//! Hostile bytes: a message or an error, never a panic, and never two encodings of the same message.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use ugas_net::bits::WireErrorKind;
use ugas_net::limits::MAX_DATAGRAM;
use ugas_net::wire::{self, Dictionary};

use crate::messages;

/// Asserts that a message which can be decoded is encoded as the same bytes.
fn check(dictionary: &Dictionary, bytes: &[u8]) {
    if let Ok(message) = wire::decode_to_server(dictionary, bytes) {
        assert_eq!(wire::encode_to_server(dictionary, &message).as_deref(), Ok(bytes), "{message:?}");
    }
    if let Ok(message) = wire::decode_to_client(dictionary, bytes) {
        assert_eq!(wire::encode_to_client(dictionary, &message).as_deref(), Ok(bytes), "{message:?}");
    }
}

/// Messages of both sides, the same ones every time.
fn samples(count: usize) -> Vec<Vec<u8>> {
    let dictionary = messages::dictionary();
    let mut runner = TestRunner::deterministic();
    let mut samples = Vec::new();
    for _ in 0..count {
        let message = messages::to_server().new_tree(&mut runner).unwrap().current();
        samples.push(wire::encode_to_server(&dictionary, &message).unwrap());
        let message = messages::to_client().new_tree(&mut runner).unwrap().current();
        samples.push(wire::encode_to_client(&dictionary, &message).unwrap());
    }
    samples
}

/// The first bits, and zeros to the end of the byte.
fn cut(bytes: &[u8], bits: usize) -> Vec<u8> {
    let mut cut = bytes[..bits.div_ceil(8)].to_vec();
    if let Some(last) = cut.last_mut().filter(|_| !bits.is_multiple_of(8)) {
        *last &= (1 << (bits % 8)) - 1;
    }
    cut
}

#[test]
fn truncated_message_is_refused_or_another_message() {
    let dictionary = messages::dictionary();
    for bytes in samples(60) {
        for bits in 0..bytes.len() * 8 {
            check(&dictionary, &cut(&bytes, bits));
        }
        let last = bytes.len() - 1;
        // Without its last byte at least a bit is missing, and with one more there is too much.
        let server = wire::decode_to_server(&dictionary, &bytes).is_ok();
        let client = wire::decode_to_client(&dictionary, &bytes).is_ok();
        assert!(server || client);
        let longer = [&bytes[..], &[0]].concat();
        if server {
            assert!(wire::decode_to_server(&dictionary, &bytes[..last]).is_err());
            assert!(wire::decode_to_server(&dictionary, &longer).is_err());
        }
        if client {
            assert!(wire::decode_to_client(&dictionary, &bytes[..last]).is_err());
            assert!(wire::decode_to_client(&dictionary, &longer).is_err());
        }
    }
}

#[test]
fn flipped_bits_are_refused_or_another_message() {
    let dictionary = messages::dictionary();
    for bytes in samples(60) {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            check(&dictionary, &flipped);
        }
    }
}

#[test]
fn oversized_datagram_is_refused_unread() {
    let dictionary = messages::dictionary();
    let error = wire::decode_to_client(&dictionary, &vec![0; MAX_DATAGRAM + 1]).unwrap_err();
    assert_eq!(error.kind, WireErrorKind::TooMany { what: "bytes", found: 1_201, most: 1_200 });
    assert_eq!(
        error.to_string(),
        "at bit 0: there are 1201 bytes where 1200 may be: the datagram is damaged, or no honest peer wrote it"
    );
    assert!(wire::decode_to_server(&dictionary, &vec![0; MAX_DATAGRAM + 1]).is_err());
}

#[test]
fn other_dictionaries_read_nonsense_but_never_panic() {
    let others = [Dictionary::sized(0, 0), Dictionary::sized(1, 1), Dictionary::sized(u32::MAX, 3)];
    for bytes in samples(100) {
        others.iter().for_each(|dictionary| check(dictionary, &bytes));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]
    #[test]
    fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..80), kind in 0..8u8) {
        let dictionary = messages::dictionary();
        check(&dictionary, &bytes);
        if let Some(first) = bytes.first_mut() {
            *first = *first & !7 | kind;
        }
        check(&dictionary, &bytes);
    }

    /// Few set bits, so that more is read before something is wrong.
    #[test]
    fn sparse_bytes(mut bytes in prop::collection::vec(prop_oneof![3 => Just(0u8), 1 => any::<u8>()], 1..200)) {
        bytes[0] = bytes[0] & !7 | 5;
        check(&messages::dictionary(), &bytes);
        bytes[0] = bytes[0] & !7 | 1;
        check(&messages::dictionary(), &bytes);
    }
}
