//! The tokens that were used at a server, so that each is accepted once, from one address.
//!
//! A token contains the keys of its connection. If it were accepted twice, the second connection would reuse
//! keys with the same sequence numbers, which breaks the encryption, and packets of the first could be
//! replayed into the second.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use crate::refusal::Refusal;
use crate::request::{TokenContent, TokenSignature};

/// Maximum number of remembered tokens. Only holders of valid tokens can fill it.
const MAX_TOKENS: usize = 16_384;
/// Maximum number of answers to a token before its client is connected; honest clients send four requests a
/// second.
const MAX_ANSWERS: usize = 256;
/// How long an open server remembers a token, whatever its expiry: longer than any attempt to connect takes.
/// Everybody can issue tokens for it, so an attacker could otherwise fill the used_tokens and lock out
/// everybody until tokens expire.
///
/// A forgotten token can be used again, but that gains nothing: while its peer is connected it is refused
/// anyway, and afterwards an attacker could as well issue a token of their own.
pub(crate) const OPEN_MEMORY: Duration = Duration::from_secs(60);
const CLEANING_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(crate) struct UsedTokens {
    tokens: BTreeMap<TokenSignature, Entry>,
    /// The token of the current attempt to connect from an address.
    attempts: BTreeMap<SocketAddr, TokenSignature>,
    cleaned: Duration,
}

#[derive(Debug)]
struct Entry {
    address: SocketAddr,
    expires: Duration,
    /// Whether a client has connected with the token.
    is_spent: bool,
    /// Sequence numbers of answers that were encrypted with the token's key.
    answers: Vec<u64>,
}

/// Whether a token was received before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenUse {
    First,
    Repeated,
}

impl UsedTokens {
    /// Records a token of a request from an address.
    pub(crate) fn enter(
        &mut self,
        token: &TokenContent,
        address: SocketAddr,
        now: Duration,
    ) -> Result<TokenUse, Refusal> {
        self.clean(now);
        if let Some(entry) = self.tokens.get(&token.signature) {
            return if entry.is_spent || entry.address != address {
                Err(Refusal::TokenUsed)
            } else if entry.answers.len() >= MAX_ANSWERS {
                Err(Refusal::Busy)
            } else {
                Ok(TokenUse::Repeated)
            };
        }
        if self.tokens.len() >= MAX_TOKENS || self.attempts.contains_key(&address) {
            return Err(Refusal::Busy);
        }
        let entry = Entry { address, expires: token.expires, is_spent: false, answers: Vec::new() };
        self.tokens.insert(token.signature, entry);
        self.attempts.insert(address, token.signature);
        Ok(TokenUse::First)
    }

    /// Whether an address is currently attempting to connect.
    pub(crate) fn expects(&self, address: SocketAddr) -> bool {
        self.attempts.contains_key(&address)
    }

    /// Records the sequence number of an answer that was encrypted with the token's key.
    pub(crate) fn note_answer(&mut self, address: SocketAddr, sequence: u64) {
        let signature = self.attempts.get(&address);
        if let Some(entry) = signature.and_then(|signature| self.tokens.get_mut(signature)) {
            entry.answers.push(sequence);
        }
    }

    /// Marks the token of a successful attempt as spent, and returns the sequence numbers used so far.
    pub(crate) fn spend(&mut self, address: SocketAddr) -> Vec<u64> {
        let signature = self.attempts.remove(&address);
        let Some(entry) = signature.and_then(|signature| self.tokens.get_mut(&signature)) else {
            return Vec::new();
        };
        entry.is_spent = true;
        std::mem::take(&mut entry.answers)
    }

    /// Removes expired tokens, which are refused as expired from then on.
    fn clean(&mut self, now: Duration) {
        if now < self.cleaned + CLEANING_PAUSE {
            return;
        }
        self.cleaned = now;
        self.tokens.retain(|_, entry| entry.expires > now);
        let tokens = &self.tokens;
        self.attempts.retain(|_, signature| tokens.contains_key(signature));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn token(number: u8) -> TokenContent {
        TokenContent {
            peer: u64::from(number),
            signature: [number; 16],
            expires: NOW + Duration::from_secs(60),
        }
    }

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[test]
    fn token_is_accepted_once() {
        let mut used_tokens = UsedTokens::default();
        assert_eq!(used_tokens.enter(&token(1), address(1), NOW), Ok(TokenUse::First));
        assert_eq!(used_tokens.enter(&token(1), address(1), NOW), Ok(TokenUse::Repeated));
        assert_eq!(used_tokens.enter(&token(1), address(2), NOW), Err(Refusal::TokenUsed));
        assert_eq!(used_tokens.enter(&token(2), address(1), NOW), Err(Refusal::Busy));
        assert!(used_tokens.expects(address(1)) && !used_tokens.expects(address(2)));

        used_tokens.note_answer(address(1), 5);
        assert_eq!(used_tokens.spend(address(1)), [5]);
        assert!(!used_tokens.expects(address(1)));
        assert_eq!(used_tokens.enter(&token(1), address(1), NOW), Err(Refusal::TokenUsed));
        assert_eq!(used_tokens.enter(&token(2), address(1), NOW), Ok(TokenUse::First));
    }

    #[test]
    fn expired_tokens_are_removed() {
        let mut used_tokens = UsedTokens::default();
        assert_eq!(used_tokens.enter(&token(1), address(1), NOW), Ok(TokenUse::First));
        let late = NOW + Duration::from_secs(60);
        let fresh = TokenContent { expires: late + Duration::from_secs(60), ..token(2) };
        assert_eq!(used_tokens.enter(&fresh, address(1), late), Ok(TokenUse::First));
        assert_eq!(used_tokens.tokens.len(), 1);
    }

    #[test]
    fn full_ledger_of_an_open_server_recovers_after_a_minute() {
        let mut used_tokens = UsedTokens::default();
        let expires = NOW + Duration::from_secs(24 * 60 * 60);
        for number in 0..MAX_TOKENS as u32 {
            let mut signature = [0; 16];
            signature[..4].copy_from_slice(&number.to_le_bytes());
            let forged = TokenContent { signature, expires, ..token(1) }.remembered(OPEN_MEMORY, NOW);
            let place = SocketAddr::from((number.to_le_bytes(), 1));
            assert_eq!(used_tokens.enter(&forged, place, NOW), Ok(TokenUse::First));
        }
        let honest = TokenContent { expires, ..token(200) };
        assert_eq!(used_tokens.enter(&honest, address(9), NOW), Err(Refusal::Busy));
        let later = NOW + OPEN_MEMORY;
        assert_eq!(used_tokens.enter(&honest, address(9), later), Ok(TokenUse::First));
    }

    #[test]
    fn memory_is_bounded() {
        let mut used_tokens = UsedTokens::default();
        for number in 0..MAX_TOKENS as u32 {
            let mut signature = [0; 16];
            signature[..4].copy_from_slice(&number.to_le_bytes());
            let place = SocketAddr::from((number.to_le_bytes(), 1));
            assert_eq!(
                used_tokens.enter(&TokenContent { signature, ..token(1) }, place, NOW),
                Ok(TokenUse::First)
            );
        }
        assert_eq!(used_tokens.enter(&token(200), address(9), NOW), Err(Refusal::Busy));
        let mut used_tokens = UsedTokens::default();
        assert_eq!(used_tokens.enter(&token(1), address(1), NOW), Ok(TokenUse::First));
        (0..MAX_ANSWERS as u64).for_each(|sequence| used_tokens.note_answer(address(1), sequence));
        assert_eq!(used_tokens.enter(&token(1), address(1), NOW), Err(Refusal::Busy));
    }
}
