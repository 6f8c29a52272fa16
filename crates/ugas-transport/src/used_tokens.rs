//! The tokens that clients have connected with, so that each is accepted once.
//!
//! A token contains the keys of its connection. If it were accepted twice, the second connection would reuse
//! keys with the same sequence numbers, which breaks the encryption, and packets of the first could be
//! replayed into the second. Servers without secrets remember none: everybody can issue tokens for them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::refusal::Refusal;
use crate::request::TokenSignature;
use crate::text;

/// Maximum number of remembered tokens. Only clients that have connected with a valid token fill it.
const MAX_TOKENS: usize = 65_536;
const CLEANING_PAUSE: Duration = Duration::from_secs(1);
/// Maximum number of tokens that wait for [`UsedTokens::take_new`].
const MAX_NEW: usize = 4096;

/// A token that was used, to be remembered across restarts of the server. It is no secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedToken {
    signature: TokenSignature,
    /// Seconds since 1970.
    expires: u64,
}

impl UsedToken {
    /// Reads a line as [`Display`](fmt::Display) writes it: the time of expiry in seconds since 1970, and the
    /// token's signature. `None` if it is not one.
    #[must_use]
    pub fn from_text(line: &str) -> Option<Self> {
        let (expires, signature) = line.trim().split_once(' ')?;
        let signature = text::decode(signature)?.try_into().ok()?;
        Some(Self { signature, expires: expires.parse().ok()? })
    }

    /// When the token expires, since 1970. After that it need not be remembered.
    #[must_use]
    pub fn expires(&self) -> Duration {
        Duration::from_secs(self.expires)
    }
}

impl fmt::Display for UsedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.expires, text::encode(&self.signature))
    }
}

#[derive(Debug, Default)]
pub(crate) struct UsedTokens {
    /// Times of expiry.
    tokens: BTreeMap<TokenSignature, Duration>,
    new: Vec<UsedToken>,
    cleaned: Duration,
}

impl UsedTokens {
    /// Whether a token can be used.
    ///
    /// # Errors
    /// [`Refusal::TokenUsed`], and [`Refusal::Busy`] if no more can be remembered.
    pub(crate) fn check(&self, signature: &TokenSignature) -> Result<(), Refusal> {
        if self.tokens.contains_key(signature) {
            Err(Refusal::TokenUsed)
        } else if self.tokens.len() >= MAX_TOKENS {
            Err(Refusal::Busy)
        } else {
            Ok(())
        }
    }

    /// Remembers that a client connected with a token.
    pub(crate) fn spend(&mut self, signature: TokenSignature, expires: Duration) {
        self.tokens.insert(signature, expires);
        if self.new.len() < MAX_NEW {
            self.new.push(UsedToken { signature, expires: expires.as_secs() });
        }
    }

    /// Remembers a token that was used before a restart.
    pub(crate) fn restore(&mut self, used: UsedToken) {
        if self.tokens.len() < MAX_TOKENS {
            self.tokens.insert(used.signature, used.expires());
        }
    }

    /// Takes the tokens that were used since the last call.
    pub(crate) fn take_new(&mut self) -> Vec<UsedToken> {
        std::mem::take(&mut self.new)
    }

    /// Removes expired tokens, which are refused as expired from then on.
    pub(crate) fn clean(&mut self, now: Duration) {
        if now >= self.cleaned + CLEANING_PAUSE {
            self.cleaned = now;
            self.tokens.retain(|_, expires| *expires > now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPIRY: Duration = Duration::from_secs(160);

    fn signature(number: u32) -> TokenSignature {
        let mut signature = [0; 16];
        signature[..4].copy_from_slice(&number.to_le_bytes());
        signature
    }

    #[test]
    fn token_is_accepted_once_also_after_a_restart() {
        let mut used = UsedTokens::default();
        assert_eq!(used.check(&signature(1)), Ok(()));
        used.spend(signature(1), EXPIRY);
        assert_eq!(used.check(&signature(1)), Err(Refusal::TokenUsed));
        let lines: Vec<String> = used.take_new().iter().map(UsedToken::to_string).collect();
        assert_eq!((lines.len(), used.take_new()), (1, Vec::new()));

        let mut restarted = UsedTokens::default();
        restarted.restore(UsedToken::from_text(&lines[0]).unwrap());
        assert_eq!(restarted.check(&signature(1)), Err(Refusal::TokenUsed));
        restarted.clean(EXPIRY);
        assert_eq!(restarted.check(&signature(1)), Ok(()), "it is refused as expired then");
        for wrong in ["", "160", "160 AA", "soon AAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(UsedToken::from_text(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut used = UsedTokens::default();
        for number in 0..MAX_TOKENS as u32 {
            assert_eq!(used.check(&signature(number)), Ok(()));
            used.spend(signature(number), EXPIRY);
        }
        assert_eq!(used.check(&signature(u32::MAX)), Err(Refusal::Busy));
        assert_eq!(used.new.len(), MAX_NEW);
        used.clean(EXPIRY);
        assert_eq!(used.check(&signature(u32::MAX)), Ok(()));
    }
}
