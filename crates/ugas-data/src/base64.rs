//! Base64 (RFC 4648, section 4), broken into lines, for bytes in YAML and JSON.

use ::base64::Engine;
use ::base64::engine::general_purpose::STANDARD;

/// Bytes of one line, which are 100 characters.
const BYTES_PER_LINE: usize = 75;

/// Error of decoding base64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base64Error {
    /// Invalid character, or a valid one at a wrong position.
    Character {
        /// Byte offset in the text.
        at: usize,
        /// The character.
        found: char,
    },
    /// The text ends inside a group.
    Ends,
}

/// Encodes bytes as text; each line ends with a line break.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4 + bytes.len() / BYTES_PER_LINE + 1);
    for line in bytes.chunks(BYTES_PER_LINE) {
        STANDARD.encode_string(line, &mut text);
        text.push('\n');
    }
    text
}

/// Decodes a text. White space is ignored; everything else must be exactly as `encode` writes it, so that
/// equal bytes have one text.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let symbols: String = text.chars().filter(|found| !found.is_ascii_whitespace()).collect();
    STANDARD.decode(symbols).map_err(|_| first_error(text))
}

/// The first error of a text that cannot be decoded. A text that ends inside a group without an invalid
/// character gives `Ends`.
fn first_error(text: &str) -> Base64Error {
    let symbols: Vec<(usize, char)> =
        text.char_indices().filter(|(_, found)| !found.is_ascii_whitespace()).collect();
    let mut is_padded = false;
    for group in symbols.chunks(4) {
        let is_after_padding = is_padded;
        for (index, (at, found)) in group.iter().copied().enumerate() {
            let is_valid = match found {
                // One or two padding characters, where the bytes end inside a group.
                '=' => index >= 2 && !is_after_padding,
                '+' | '/' => !is_padded,
                _ => found.is_ascii_alphanumeric() && !is_padded,
            };
            if !is_valid {
                return Base64Error::Character { at, found };
            }
            is_padded |= found == '=';
        }
        // The unused bits before the padding must be zero.
        let is_undecodable =
            STANDARD.decode(group.iter().map(|(_, found)| *found).collect::<String>()).is_err();
        if let &[_, _, _, (at, found)] = group
            && is_undecodable
        {
            return Base64Error::Character { at, found };
        }
    }
    Base64Error::Ends
}

/// Byte offset in the text of the digit that holds the first bits of the decoded byte `index`. Beyond the
/// last digit it is the end of the text; used to point diagnostics of a decoded state into its file.
pub(crate) fn offset_of_byte(text: &str, index: usize) -> usize {
    let digit = index / 3 * 4 + index % 3;
    let mut digits = text.char_indices().filter(|(_, found)| !found.is_ascii_whitespace());
    digits.nth(digit).map_or(text.trim_end().len(), |(at, _)| at)
}

impl core::fmt::Display for Base64Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Character { found, .. } => {
                write!(f, "`{}` does not belong there", found.escape_debug())
            }
            Self::Ends => f.write_str("its last characters are missing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_rfc() {
        // RFC 4648, section 10.
        let examples = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in examples {
            assert_eq!(encode(bytes.as_bytes()).trim_end(), text);
            assert_eq!(decode(text), Ok(bytes.as_bytes().to_vec()), "{text}");
        }
    }

    #[test]
    fn invalid_base64_is_reported_with_its_offset() {
        let wrong = |at, found| Err(Base64Error::Character { at, found });
        assert_eq!(decode("Zm9-"), wrong(3, '-'));
        assert_eq!(decode("Zm\n 9é"), wrong(5, 'é'));
        assert_eq!(decode("Zg=a"), wrong(3, 'a'));
        assert_eq!(decode("Zg==Zg=="), wrong(4, 'Z'));
        assert_eq!(decode("Zg==="), wrong(4, '='));
        assert_eq!(decode("="), wrong(0, '='));
        // The last four bits of two digits for one byte are unused and must be zero.
        assert_eq!(decode("Zh=="), wrong(3, '='));
        assert_eq!(decode("Zm9vY"), Err(Base64Error::Ends));
        assert_eq!(decode("Zg="), Err(Base64Error::Ends));
    }

    #[test]
    fn a_byte_is_found_in_the_text() {
        // Three bytes are four digits: the second begins inside the second digit, the fourth with the fifth.
        assert_eq!([0, 1, 2, 3].map(|index| offset_of_byte("Zm9v\nYmFy", index)), [0, 1, 2, 5]);
        assert_eq!(offset_of_byte("Zm9v\n", 3), 4);
    }

    proptest! {
        #[test]
        fn encoded_bytes_decode_to_themselves(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let text = encode(&bytes);
            prop_assert!(text.lines().all(|line| line.len() <= 100));
            prop_assert_eq!(decode(&text), Ok(bytes));
        }
    }
}
