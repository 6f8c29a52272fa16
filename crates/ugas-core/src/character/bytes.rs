//! Characters as bytes.

use super::Character;
use crate::codec::{Decode, DecodeError, Encode, open, seal};

/// The first bytes of a character file.
const KIND: [u8; 4] = *b"UGCH";

impl Character {
    /// The character as bytes, in an [envelope](crate::codec) with kind, format version and checksum.
    ///
    /// ```
    /// use ugas_core::character::{Character, CharacterSet};
    ///
    /// let set = CharacterSet { name: "Combat".to_owned(), ..CharacterSet::default() };
    /// let character = Character { name: "Ada".to_owned(), sets: vec![set], ..Character::default() };
    /// assert_eq!(Character::from_bytes(&character.to_bytes())?, character);
    /// # Ok::<(), ugas_core::codec::DecodeError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        seal(KIND, |encoder| self.encode(encoder))
    }

    /// Decodes a character. Its names are only checked when it is restored (P1).
    ///
    /// # Errors
    /// If the bytes are no character, have an unknown version, or are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = open(KIND, bytes)?;
        let character = Self::decode(&mut decoder)?;
        decoder.finish()?;
        Ok(character)
    }
}
