//! [`Refusal`]: why a server refuses a client, and the notice packet that carries the reason.

use std::borrow::Cow;

use crate::cookie::{COOKIE_BYTES, Cookie};
use crate::request::NONCE_BYTES;

/// Why a server refused a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[non_exhaustive]
#[repr(u8)]
pub enum Refusal {
    /// The connection protocol differs.
    #[error("the server uses another connection protocol: update the older side")]
    OtherTransport = 1,
    /// The [`ProtocolId`](crate::ProtocolId) differs: another wire format or other rules.
    #[error("the server has another version of the game or other rules: use its version and packs")]
    OtherProtocol = 2,
    /// The token has expired, by the server's clock.
    #[error("the token has expired: ask for a new one")]
    Expired = 3,
    /// The token was not issued with the server's key.
    #[error("the token was not issued with the server's key: ask the server's operator for one")]
    UnknownIssuer = 4,
    /// The server's address is not among those that the token was issued for.
    #[error("the token is for another server: ask for one that names the address of this server")]
    NotForThisServer = 5,
    /// The token was used before; each is accepted once.
    #[error("the token has been used: ask for a new one")]
    TokenUsed = 6,
    /// The peer is connected already, and the server cannot verify that both are the same client.
    #[error("this peer is connected already: disconnect first, or wait until its connection times out")]
    AlreadyConnected = 7,
    /// The maximum number of peers is reached.
    #[error("the server is full: try again later")]
    Full = 8,
    /// The server handles too many attempts to connect, or another one from the same address.
    #[error("the server is busy with other attempts to connect: try again later")]
    Busy = 9,
    /// The token's lifetime or timeout is longer than servers allow.
    #[error("the token's lifetime or timeout is longer than servers allow: issue one with shorter times")]
    OutOfBounds = 10,
    /// The address or the peer is banned.
    #[error("the server has banned this player or address")]
    Banned = 11,
    /// The address has as many connections as the server allows for one.
    #[error("the server allows no more connections from this address: close one first")]
    AddressFull = 12,
    /// The server is about to stop, and lets nobody in.
    #[error("the server is about to stop: try another one, or later")]
    Draining = 13,
}

impl Refusal {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Self; 13] = [
        Self::OtherTransport,
        Self::OtherProtocol,
        Self::Expired,
        Self::UnknownIssuer,
        Self::NotForThisServer,
        Self::TokenUsed,
        Self::AlreadyConnected,
        Self::Full,
        Self::Busy,
        Self::OutOfBounds,
        Self::Banned,
        Self::AddressFull,
        Self::Draining,
    ];

    /// The message for a client that connects to an open server without a token of its own: it must not be
    /// told to ask for one. The generated token has a creation time and a server address, which may be wrong.
    #[must_use]
    pub fn without_token(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Expired | Self::OutOfBounds => {
                "the clocks of the two machines differ by more than a minute: synchronise them"
            }
            Self::UnknownIssuer => "the server requires a token: ask the server's operator for one",
            Self::NotForThisServer => {
                "the server does not accept this address: use one that it listens on or announces"
            }
            Self::TokenUsed => "the same attempt to connect was made before: try again",
            Self::OtherTransport
            | Self::OtherProtocol
            | Self::AlreadyConnected
            | Self::Full
            | Self::Busy
            | Self::Banned
            | Self::AddressFull
            | Self::Draining => return Cow::Owned(self.to_string()),
        })
    }

    /// Whether the same client may be accepted if it tries again later.
    #[must_use]
    pub fn is_temporary(self) -> bool {
        matches!(self, Self::AlreadyConnected | Self::Full | Self::Busy | Self::AddressFull | Self::Draining)
    }

    /// Index in [`Refusal::ALL`], for counters by reason.
    pub(crate) fn index(self) -> usize {
        usize::from(self as u8 - 1)
    }

    /// Refusal of a number on the wire; `None` if unknown.
    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|refusal| *refusal as u8 == number)
    }
}

/// Kind 15, which netcode does not use, and `UGAS`.
const MARK: [u8; 5] = *b"\x0fUGAS";

/// Length of a [`notice`].
pub(crate) const NOTICE_BYTES: usize = MARK.len() + 1 + NONCE_BYTES;

/// A packet that sends a client the reason of its refusal.
///
/// Netcode only answers if the server is full. A notice cannot be signed, since the sides share no key; it
/// repeats the request's nonce instead, which an off-path attacker does not know. It is far smaller than the
/// request, so it cannot be used for amplification.
pub(crate) fn notice(refusal: Refusal, nonce: &[u8; NONCE_BYTES]) -> [u8; NOTICE_BYTES] {
    let mut bytes = [0; NOTICE_BYTES];
    let (mark, rest) = bytes.split_at_mut(MARK.len());
    mark.copy_from_slice(&MARK);
    rest[0] = refusal as u8;
    rest[1..].copy_from_slice(nonce);
    bytes
}

/// Reads a notice about the request with this nonce.
pub(crate) fn read_notice(bytes: &[u8], nonce: &[u8; NONCE_BYTES]) -> Option<Refusal> {
    let (number, about) = bytes.strip_prefix(&MARK)?.split_first()?;
    if about == nonce { Refusal::from_number(*number) } else { None }
}

/// Number of a notice that carries a cookie instead of the reason of a refusal.
const COOKIE_NOTICE: u8 = 0;

/// A packet that sends a client a cookie, with which it must repeat its request. It is far smaller than the
/// request.
pub(crate) fn cookie_notice(cookie: &Cookie, nonce: &[u8; NONCE_BYTES]) -> [u8; NOTICE_BYTES + COOKIE_BYTES] {
    let mut bytes = [0; NOTICE_BYTES + COOKIE_BYTES];
    bytes[..MARK.len()].copy_from_slice(&MARK);
    bytes[MARK.len()] = COOKIE_NOTICE;
    bytes[MARK.len() + 1..NOTICE_BYTES].copy_from_slice(nonce);
    bytes[NOTICE_BYTES..].copy_from_slice(cookie);
    bytes
}

/// Reads the cookie of a notice about the request with this nonce.
pub(crate) fn read_cookie(bytes: &[u8], nonce: &[u8; NONCE_BYTES]) -> Option<Cookie> {
    let body = bytes.strip_prefix(&MARK)?.strip_prefix(&[COOKIE_NOTICE])?;
    body.strip_prefix(nonce)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_without_token_mentions_tokens_only_if_one_is_required() {
        for refusal in Refusal::ALL {
            let speaks_of_it = refusal.without_token().contains("token");
            assert_eq!(speaks_of_it, refusal == Refusal::UnknownIssuer, "{refusal:?}");
        }
    }

    #[test]
    fn notice_is_bound_to_one_request() {
        let nonce = [3; NONCE_BYTES];
        for refusal in Refusal::ALL {
            let bytes = notice(refusal, &nonce);
            assert_eq!(read_notice(&bytes, &nonce), Some(refusal));
            assert_eq!(read_notice(&bytes, &[4; NONCE_BYTES]), None);
            assert_eq!(read_notice(&bytes[..NOTICE_BYTES - 1], &nonce), None);
            assert_eq!(Refusal::ALL[refusal.index()], refusal);
        }
        let cookie = cookie_notice(&[9; COOKIE_BYTES], &nonce);
        assert_eq!(read_cookie(&cookie, &nonce), Some([9; COOKIE_BYTES]));
        assert_eq!(read_cookie(&cookie, &[4; NONCE_BYTES]), None);
        assert_eq!(read_cookie(&cookie[..NOTICE_BYTES], &nonce), None);
        assert_eq!(read_notice(&cookie, &nonce), None);
        let mut unknown = notice(Refusal::Full, &nonce);
        unknown[5] = 200;
        assert_eq!(read_notice(&unknown, &nonce), None);
    }
}
