//! Bytes as text that survives YAML and JSON: base64 (RFC 4648, section 4), in lines.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes of one line, which are 100 characters: a line stays inside a window, and a file of a few kilobytes on a page.
const BYTES_OF_A_LINE: usize = 75;

/// Why a text is not base64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base64Error {
    /// A character that base64 does not have, or not there.
    Character {
        /// The byte of the text at which it stands.
        at: usize,
        /// The character.
        found: char,
    },
    /// Characters are missing at the end.
    Ends,
}

/// The bytes as text, each line of which ends with a line break.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4 + bytes.len() / BYTES_OF_A_LINE + 1);
    for line in bytes.chunks(BYTES_OF_A_LINE) {
        for group in line.chunks(3) {
            let bits =
                group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
            for place in 0..4 {
                let digit = (bits >> (18 - 6 * place)) as usize & 63;
                text.push(if place <= group.len() { char::from(ALPHABET[digit]) } else { '=' });
            }
        }
        text.push('\n');
    }
    text
}

/// The bytes that a text stands for. White space counts for nothing; all else must be as it is written above, so that
/// equal bytes have one text.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut digits, mut padding) = (0u32, 0, 0);
    let mut is_over = false;
    for (at, found) in text.char_indices().filter(|(_, found)| !found.is_ascii_whitespace()) {
        let wrong = Base64Error::Character { at, found };
        let digit = match found {
            _ if is_over || (padding > 0 && found != '=') => return Err(wrong),
            'A'..='Z' => u32::from(found) - u32::from('A'),
            'a'..='z' => u32::from(found) - u32::from('a') + 26,
            '0'..='9' => u32::from(found) - u32::from('0') + 52,
            '+' => 62,
            '/' => 63,
            // One or two, where the bytes end inside a group.
            '=' if digits >= 2 => {
                padding += 1;
                0
            }
            _ => return Err(wrong),
        };
        bits = bits << 6 | digit;
        digits += 1;
        if digits == 4 {
            let [_, group @ ..] = bits.to_be_bytes();
            let (whole, rest) = group.split_at(3 - padding);
            if rest.iter().any(|byte| *byte != 0) {
                return Err(wrong);
            }
            bytes.extend_from_slice(whole);
            is_over = padding > 0;
            (bits, digits, padding) = (0, 0, 0);
        }
    }
    if digits == 0 { Ok(bytes) } else { Err(Base64Error::Ends) }
}

/// The byte of the text at which the digit begins that has the first bits of byte `index` of what it stands for.
pub(crate) fn place_of(text: &str, index: usize) -> usize {
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
    fn what_is_not_base64_is_told_with_its_place() {
        let wrong = |at, found| Err(Base64Error::Character { at, found });
        assert_eq!(decode("Zm9-"), wrong(3, '-'));
        assert_eq!(decode("Zm\n 9é"), wrong(5, 'é'));
        assert_eq!(decode("Zg=a"), wrong(3, 'a'));
        assert_eq!(decode("Zg==Zg=="), wrong(4, 'Z'));
        assert_eq!(decode("Zg==="), wrong(4, '='));
        assert_eq!(decode("="), wrong(0, '='));
        // The last four bits of two digits for one byte stand for nothing, and are zero.
        assert_eq!(decode("Zh=="), wrong(3, '='));
        assert_eq!(decode("Zm9vY"), Err(Base64Error::Ends));
        assert_eq!(decode("Zg="), Err(Base64Error::Ends));
    }

    #[test]
    fn a_byte_is_found_in_the_text() {
        // Three bytes are four digits: the second begins inside the second digit, the fourth with the fifth.
        assert_eq!([0, 1, 2, 3].map(|index| place_of("Zm9v\nYmFy", index)), [0, 1, 2, 5]);
        assert_eq!(place_of("Zm9v\n", 3), 4);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let text = encode(&bytes);
            prop_assert!(text.lines().all(|line| line.len() <= 100));
            prop_assert_eq!(decode(&text), Ok(bytes));
        }
    }
}
