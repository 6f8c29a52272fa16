//! The secret that a server shares with whoever issues tokens for it.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::{fmt, str};

use renetcode::{NETCODE_KEY_BYTES, generate_random_bytes};

use crate::text;

const PREFIX: &str = "ugas-key-1.";
/// A key file is a line and perhaps comments; nobody has a use for a long one.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// A secret of 32 bytes. Who has it decides who may connect: it stays on the server and on the machine that issues tokens,
/// and never goes to clients.
///
/// As text it is one line, `ugas-key-1.` and 43 characters; in a file, empty lines and lines that begin with `#` may be
/// around it.
#[derive(Clone)]
pub struct ServerKey([u8; NETCODE_KEY_BYTES]);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read or written; one that exists is never written over, since tokens depend on it.
    #[error("the key file cannot be used")]
    Io(#[from] io::Error),
    /// The text is not a key.
    #[error("this is not a server key: expected one line that begins with `{PREFIX}`; generate a new one")]
    NotAKey,
    /// All zero: the key of servers that are open to everybody.
    #[error("this key is no secret: generate a new one")]
    NoSecret,
}

impl ServerKey {
    /// A new secret from the system's source of randomness.
    #[must_use]
    pub fn generate() -> Self {
        Self(generate_random_bytes())
    }

    /// A key from its bytes.
    ///
    /// # Errors
    ///
    /// [`KeyError::NoSecret`] if all are zero.
    pub fn from_bytes(bytes: [u8; NETCODE_KEY_BYTES]) -> Result<Self, KeyError> {
        if bytes == OPEN_KEY { Err(KeyError::NoSecret) } else { Ok(Self(bytes)) }
    }

    /// The key as one line of text. Whoever reads it can let anybody in.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", text::encode(&self.0))
    }

    /// A key from its text, with the empty lines and comments that a file may have.
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

    /// Reads a key file.
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
        writeln!(file, "# The secret of a server: whoever has it can let anybody in.\n{}", key.to_text())?;
        file.sync_all()?;
        Ok(key)
    }

    pub(crate) fn bytes(&self) -> &[u8; NETCODE_KEY_BYTES] {
        &self.0
    }

    /// The key that everybody knows, of servers without secrets.
    pub(crate) fn open() -> Self {
        Self(OPEN_KEY)
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerKey(secret)")
    }
}

/// By convention of the protocol's library, on which both sides of a connection without secrets rely.
const OPEN_KEY: [u8; NETCODE_KEY_BYTES] = [0; NETCODE_KEY_BYTES];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let key = ServerKey::from_bytes([7; 32]).unwrap();
        let file = format!("# mine\n\n  {}\r\n", key.to_text());
        assert_eq!(ServerKey::from_text(&file).unwrap().bytes(), &[7; 32]);
        assert!(!format!("{key:?}").contains('7'));
    }

    #[test]
    fn what_is_no_key() {
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
