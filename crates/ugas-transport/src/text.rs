//! Bytes as one line of text: base64 in the URL-safe alphabet, without padding (RFC 4648, section 5).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Encodes bytes as text that needs no quoting on command lines, in URLs and in configuration files.
pub(crate) fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes a text; `None` if a character is invalid, the length impossible, or the unused last bits are not
/// zero: every text has one meaning, and all bytes have one text.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rfc_vectors_round_trip() {
        // RFC 4648, section 10, without padding.
        let vectors = [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in vectors {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn invalid_texts_are_rejected() {
        // One character is no byte; `Zh` and `Zm9` have bits left over; the rest is not in the alphabet.
        for text in ["Z", "Zh", "Zm9", "Zg==", "Zm+v", "Zm 9v", "Zmé"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_round_trip(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
