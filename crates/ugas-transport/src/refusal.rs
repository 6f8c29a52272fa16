//! Why a server does not let somebody in, and the small packet that says so.

use std::borrow::Cow;

use crate::seal::NONCE_BYTES;

/// Why a server refused a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[non_exhaustive]
#[repr(u8)]
pub enum Refusal {
    /// The connection protocol itself is another.
    #[error("the server speaks another connection protocol: update the older side")]
    OtherTransport = 1,
    /// Another [`ProtocolId`](crate::ProtocolId): other wire format or other rules.
    #[error("the server has another version of the game or other rules: use its version and packs")]
    OtherProtocol = 2,
    /// The token was valid only until some time ago, by the server's clock.
    #[error("the token has expired: ask for a new one")]
    Expired = 3,
    /// The token was not issued with the server's key.
    #[error("the token was not issued with the server's key: ask whoever runs the server for one")]
    UnknownIssuer = 4,
    /// The server's address is not among those that the token was issued for.
    #[error("the token is for another server: ask for one that names the address of this server")]
    NotForThisServer = 5,
    /// Somebody connected with the token before; each lets in once.
    #[error("the token has been used: ask for a new one")]
    TokenUsed = 6,
    /// The peer is connected already, and the server cannot tell whether both are the same (only without secrets).
    #[error("this peer is connected already: disconnect first, or wait until the server has given it up")]
    AlreadyConnected = 7,
    /// There is no place left.
    #[error("the server is full: try again later")]
    Full = 8,
    /// The server has more attempts to remember than it allows itself, or one from the same address under way.
    #[error("the server is busy with other attempts to connect: try again later")]
    Busy = 9,
    /// The token lasts longer, or allows a longer silence, than servers put up with.
    #[error("the token asks for more than servers grant: issue one with a shorter life and timeout")]
    OutOfBounds = 10,
}

impl Refusal {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Self; 10] = [
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
    ];

    /// In words for who comes without a token, to a server that is open to all: there is no token to ask for, and what is
    /// sent in its place says from when on and to whom.
    #[must_use]
    pub fn without_token(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Expired | Self::OutOfBounds => {
                "the clocks of the two machines differ by more than a minute: set them right"
            }
            Self::UnknownIssuer => {
                "the server lets in only who has a token: ask whoever runs the server for one"
            }
            Self::NotForThisServer => {
                "the server is not known by this address: connect to one that it listens on or names"
            }
            Self::TokenUsed => "the same attempt to connect was made before: try again",
            Self::OtherTransport | Self::OtherProtocol | Self::AlreadyConnected | Self::Full | Self::Busy => {
                return Cow::Owned(self.to_string());
            }
        })
    }

    /// Where [`Refusal::ALL`] has it.
    pub(crate) fn place(self) -> usize {
        usize::from(self as u8 - 1)
    }

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|refusal| *refusal as u8 == number)
    }
}

/// The kind 15, which the protocol has no packet of, and our name.
const MARK: [u8; 5] = *b"\x0fUGAS";

/// Length of a [`notice`].
pub(crate) const NOTICE_BYTES: usize = MARK.len() + 1 + NONCE_BYTES;

/// Tells a client why it is refused.
///
/// The protocol leaves all but full servers silent, and users in the dark. A notice cannot be signed, since the sides have no
/// key in common; it repeats the request's nonce instead, which nobody off the path knows, and is far smaller than the request,
/// so that it amplifies nothing.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_without_a_token_is_told_of_none_but_the_one_that_is_needed() {
        for refusal in Refusal::ALL {
            let speaks_of_it = refusal.without_token().contains("token");
            assert_eq!(speaks_of_it, refusal == Refusal::UnknownIssuer, "{refusal:?}");
        }
    }

    #[test]
    fn a_notice_is_about_one_request() {
        let nonce = [3; NONCE_BYTES];
        for refusal in Refusal::ALL {
            let bytes = notice(refusal, &nonce);
            assert_eq!(read_notice(&bytes, &nonce), Some(refusal));
            assert_eq!(read_notice(&bytes, &[4; NONCE_BYTES]), None);
            assert_eq!(read_notice(&bytes[..NOTICE_BYTES - 1], &nonce), None);
            assert_eq!(Refusal::ALL[refusal.place()], refusal);
        }
        let mut unknown = notice(Refusal::Full, &nonce);
        unknown[5] = 200;
        assert_eq!(read_notice(&unknown, &nonce), None);
    }
}
