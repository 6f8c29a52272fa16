//! [`ServerKey`]: the secret that a server shares with the issuers of its tokens.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::{fmt, str};

use renetcode::{NETCODE_KEY_BYTES, generate_random_bytes};

use crate::text;

const PREFIX: &str = "ugas-key-1.";
/// Maximum size of a key file: one line, and perhaps comments.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// A secret of 32 bytes. Its owner decides who may connect: keep it on the server and on the machine that
/// issues tokens, and never give it to clients.
///
/// As text it is one line, `ugas-key-1.` and 43 characters. A key file may also have empty lines and `#`
/// comments.
#[derive(Clone)]
pub struct ServerKey([u8; NETCODE_KEY_BYTES]);

/// Why a key could not be read or created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read or written. An existing file is never overwritten, because tokens depend on
    /// it.
    #[error("the key file cannot be used")]
    Io(#[from] io::Error),
    /// The text is not a key.
    #[error("this is not a server key: expected one line that begins with `{PREFIX}`; generate a new one")]
    NotAKey,
    /// The key is all zero, which is the public key of open servers.
    #[error("this key is not secret: generate a new one")]
    NoSecret,
}

impl ServerKey {
    /// A new key from the system's random source.
    #[must_use]
    pub fn generate() -> Self {
        Self(generate_random_bytes())
    }

    /// Creates a key from its 32 secret bytes.
    ///
    /// # Errors
    ///
    /// [`KeyError::NoSecret`] if all are zero.
    pub fn from_bytes(bytes: [u8; NETCODE_KEY_BYTES]) -> Result<Self, KeyError> {
        if bytes == OPEN_KEY { Err(KeyError::NoSecret) } else { Ok(Self(bytes)) }
    }

    /// The key as one line of text. Keep it secret: its reader can issue tokens.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", text::encode(&self.0))
    }

    /// Reads a key from text, which may have empty lines and comments.
    ///
    /// # Errors
    ///
    /// [`KeyError::NotAKey`], [`KeyError::NoSecret`].
    pub fn from_text(text: &str) -> Result<Self, KeyError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (Some(line), None) = (lines.next(), lines.next()) else { return Err(KeyError::NotAKey) };
        let bytes = line.strip_prefix(PREFIX).and_then(text::decode).ok_or(KeyError::NotAKey)?;
        Self::from_bytes(bytes.try_into().map_err(|_| KeyError::NotAKey)?)
    }

    /// Reads a key file, as [`Self::create_file`] writes it.
    ///
    /// # Errors
    ///
    /// [`KeyError`].
    pub fn read_file(path: impl AsRef<Path>) -> Result<Self, KeyError> {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        Self::from_text(str::from_utf8(&bytes).map_err(|_| KeyError::NotAKey)?)
    }

    /// Generates a key and writes it to a new file, which on Unix only its owner may read.
    ///
    /// # Errors
    ///
    /// [`KeyError::Io`], also if the file exists.
    pub fn create_file(path: impl AsRef<Path>) -> Result<Self, KeyError> {
        let key = Self::generate();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        writeln!(
            file,
            "# The secret key of a server. Anyone who has it can issue tokens.\n{}",
            key.to_text()
        )?;
        file.sync_all()?;
        Ok(key)
    }

    pub(crate) fn bytes(&self) -> &[u8; NETCODE_KEY_BYTES] {
        &self.0
    }

    /// The publicly known key of servers without secrets.
    pub(crate) fn open() -> Self {
        Self(OPEN_KEY)
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(secret)")
    }
}

/// The key of `renetcode`'s unsecured connections, which both sides rely on.
const OPEN_KEY: [u8; NETCODE_KEY_BYTES] = [0; NETCODE_KEY_BYTES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_text_round_trips() {
        let key = ServerKey::from_bytes([7; 32]).unwrap();
        let file = format!("# mine\n\n  {}\r\n", key.to_text());
        assert_eq!(ServerKey::from_text(&file).unwrap().bytes(), &[7; 32]);
        assert!(!format!("{key:?}").contains('7'));
    }

    #[test]
    fn invalid_key_texts_are_rejected() {
        let key = ServerKey::generate().to_text();
        let texts = [
            String::new(),
            key[1..].to_owned(),
            key[..key.len() - 1].to_owned(),
            format!("{key}A"),
            format!("{key}\n{key}"),
            key.replace("key-1", "key-2"),
        ];
        for text in texts {
            assert!(matches!(ServerKey::from_text(&text), Err(KeyError::NotAKey)), "{text}");
        }
        let open = ServerKey::open().to_text();
        assert!(matches!(ServerKey::from_text(&open), Err(KeyError::NoSecret)));
    }
}
