//! Peers that may return: connect again with a token that they issue themselves, sealed with a secret that the
//! server shares with each of them.
//!
//! A connection that is lost cannot be replaced with its own token, whose keys must not be used twice. The
//! first bytes of the nonce of a returning token name its peer, so that the server tries one key for it.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::config::MAX_CLIENTS;
use crate::key::ServerKey;
use crate::peer::Peer;
use crate::refusal::Refusal;
use crate::request::{self, NONCE_BYTES, Token, TokenSignature};

/// Bytes of a secret.
pub(crate) const SECRET_BYTES: usize = 32;

/// Record of a peer that may return.
#[derive(Debug)]
struct Pass {
    key: ServerKey,
    /// User data of the peer's first connection; a client cannot change them by returning.
    user_data: Box<[u8]>,
    timeout: Duration,
    /// Signature of the last token that it returned with.
    used: Option<TokenSignature>,
}

/// The peers that may return.
#[derive(Debug, Default)]
pub(crate) struct Returns(BTreeMap<u64, Pass>);

impl Returns {
    /// Lets a connected peer return with tokens of this secret. A secret of zeros is none.
    pub(crate) fn allow(&mut self, peer: u64, entry: &Peer, secret: [u8; SECRET_BYTES]) {
        let Ok(key) = ServerKey::from_bytes(secret) else { return };
        if self.0.len() >= usize::from(MAX_CLIENTS) && !self.0.contains_key(&peer) {
            return;
        }
        let used = self.0.get(&peer).and_then(|pass| pass.used);
        let pass = Pass { key, user_data: entry.user_data.clone(), timeout: entry.timeout, used };
        self.0.insert(peer, pass);
    }

    pub(crate) fn forbid(&mut self, peer: u64) {
        self.0.remove(&peer);
    }

    /// The key of the peer that the nonce of a request names.
    pub(crate) fn key(&self, request: &[u8]) -> Option<(u64, &ServerKey)> {
        let peer = peer_of(request::nonce(request)?);
        self.0.get(&peer).map(|pass| (peer, &pass.key))
    }

    /// Whether a returning token can be used.
    pub(crate) fn check(&self, token: &Token) -> Result<(), Refusal> {
        match self.0.get(&token.peer) {
            None => Err(Refusal::UnknownIssuer),
            Some(pass) if pass.used == Some(token.signature) => Err(Refusal::TokenUsed),
            Some(_) => Ok(()),
        }
    }

    /// Remembers that a peer returned with a token.
    pub(crate) fn spend(&mut self, token: &Token) {
        if let Some(pass) = self.0.get_mut(&token.peer) {
            pass.used = Some(token.signature);
        }
    }

    /// Replaces what the client wrote into its token by what the server knows of the peer.
    pub(crate) fn complete(&self, token: Token) -> Token {
        match self.0.get(&token.peer) {
            Some(pass) => Token { user_data: pass.user_data.clone(), timeout: pass.timeout, ..token },
            None => token,
        }
    }
}

/// The nonce of a returning token: the peer, and the rest of a random nonce.
pub(crate) fn nonce_for(peer: u64, mut random: [u8; NONCE_BYTES]) -> [u8; NONCE_BYTES] {
    random[..8].copy_from_slice(&peer.to_le_bytes());
    random
}

fn peer_of(nonce: &[u8; NONCE_BYTES]) -> u64 {
    u64::from_le_bytes(*nonce.first_chunk().unwrap_or(&[0; 8]))
}
