//! Validation of connection requests and the tokens sealed in them.
//!
//! Each refusal has its reason, for the player and for the operator.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use chacha20poly1305::aead::{AeadInPlace, KeyInit};
use chacha20poly1305::{Key, Tag, XChaCha20Poly1305, XNonce};
use renetcode::NETCODE_USER_DATA_BYTES;

use crate::crypto::SessionKey;
use crate::key::ServerKey;
use crate::packet::REQUEST_BYTES;
use crate::protocol::ProtocolId;
use crate::refusal::Refusal;
use crate::token::{MAX_LIFE, MAX_SERVERS, MAX_TIMEOUT, unpack_user_data};

pub(crate) const NONCE_BYTES: usize = 24;
const SIGNATURE_BYTES: usize = 16;
/// Name of the protocol, in requests and signatures.
pub(crate) const VERSION: &[u8; 13] = b"NETCODE 1.02\0";

/// The signature of a token's sealed part, which identifies the token.
pub(crate) type TokenSignature = [u8; SIGNATURE_BYTES];

/// Validates connection requests.
#[derive(Debug)]
pub(crate) struct RequestValidator {
    pub(crate) protocol: ProtocolId,
    /// Keys of accepted tokens: the current one first, then older ones that are still valid.
    pub(crate) keys: Vec<ServerKey>,
    /// The server's addresses, one of which a token must name; empty for open servers, where any address is
    /// accepted.
    pub(crate) addresses: Vec<SocketAddr>,
}

/// The content of a valid request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) peer: u64,
    pub(crate) signature: TokenSignature,
    pub(crate) expires: Duration,
    /// Silence after which the connection ends.
    pub(crate) timeout: Duration,
    /// Key of packets from the client.
    pub(crate) to_server: SessionKey,
    /// Key of packets to the client.
    pub(crate) to_client: SessionKey,
    pub(crate) user_data: Box<[u8]>,
    /// Whether it is a returning token, which its client issued with the secret of the peer.
    pub(crate) is_returning: bool,
}

impl RequestValidator {
    /// Validates a request and opens its token. `returning` is the peer that its nonce names and the key of
    /// that peer, if it may return.
    pub(crate) fn examine(
        &self,
        request: &[u8],
        now: Duration,
        returning: Option<(u64, &ServerKey)>,
    ) -> Result<Token, Refusal> {
        let Some(request) = request.first_chunk::<REQUEST_BYTES>() else {
            return Err(Refusal::OtherTransport);
        };
        let mut fields = Fields(&request[1..]);
        if fields.take::<13>()? != *VERSION {
            return Err(Refusal::OtherTransport);
        }
        if fields.number()? != self.protocol.to_bits() {
            return Err(Refusal::OtherProtocol);
        }
        let expires = fields.number()?;
        if now.as_secs() >= expires {
            return Err(Refusal::Expired);
        }
        if Duration::from_secs(expires - now.as_secs()) > MAX_LIFE + CLOCK_SLACK {
            return Err(Refusal::OutOfBounds);
        }
        let nonce = fields.take::<NONCE_BYTES>()?;
        let sealed = fields.take::<{ 1024 - SIGNATURE_BYTES }>()?;
        let signature = fields.take::<SIGNATURE_BYTES>()?;
        let signed = signed_part(self.protocol, expires);
        let open = |key: &ServerKey| {
            let mut content = sealed;
            XChaCha20Poly1305::new(Key::from_slice(key.bytes()))
                .decrypt_in_place_detached(
                    XNonce::from_slice(&nonce),
                    &signed,
                    &mut content,
                    Tag::from_slice(&signature),
                )
                .is_ok()
                .then_some(content)
        };
        let expires = Duration::from_secs(expires);
        if let Some((peer, key)) = returning
            && let Some(content) = open(key)
        {
            let token = self.read_token(&content, signature, expires)?;
            // The secret of one peer is worth nothing for another.
            let is_own = token.peer == peer;
            return if is_own {
                Ok(Token { is_returning: true, ..token })
            } else {
                Err(Refusal::UnknownIssuer)
            };
        }
        let content = self.keys.iter().find_map(open).ok_or(Refusal::UnknownIssuer)?;
        self.read_token(&content, signature, expires)
    }

    /// An opened token, if it is for this server.
    fn read_token(
        &self,
        content: &[u8],
        signature: TokenSignature,
        expires: Duration,
    ) -> Result<Token, Refusal> {
        let mut fields = Fields(content);
        let peer = fields.number()?;
        let timeout = u64::try_from(i32::from_le_bytes(fields.take()?)).unwrap_or(0);
        if !(1..=MAX_TIMEOUT.as_secs()).contains(&timeout) {
            return Err(Refusal::OutOfBounds);
        }
        let count = u32::from_le_bytes(fields.take()?);
        if count > MAX_SERVERS as u32 {
            return Err(Refusal::OutOfBounds);
        }
        let mut is_ours = self.addresses.is_empty();
        for _ in 0..count {
            is_ours |= fields.address()?.is_some_and(|address| self.addresses.contains(&address));
        }
        if !is_ours {
            return Err(Refusal::NotForThisServer);
        }
        let to_server = fields.take()?;
        let to_client = fields.take()?;
        let user_data = fields.take::<NETCODE_USER_DATA_BYTES>()?;
        let user_data = unpack_user_data(peer, &user_data).ok_or(Refusal::UnknownIssuer)?.into();
        let timeout = Duration::from_secs(timeout);
        let is_returning = false;
        Ok(Token { peer, signature, expires, timeout, to_server, to_client, user_data, is_returning })
    }
}

/// Bytes that are signed with a token but not part of its sealed part: protocol and expiry.
fn signed_part(protocol: ProtocolId, expires: u64) -> [u8; 29] {
    let mut signed = [0; 29];
    signed[..13].copy_from_slice(VERSION);
    signed[13..21].copy_from_slice(&protocol.to_bits().to_le_bytes());
    signed[21..].copy_from_slice(&expires.to_le_bytes());
    signed
}

/// Opens the sealed part of a token and seals it again, from one nonce to another; `None` if the key is wrong.
pub(crate) fn reseal(
    sealed: &mut [u8; 1024],
    key: &ServerKey,
    (protocol, expires): (ProtocolId, u64),
    (from, to): (&[u8; NONCE_BYTES], &[u8; NONCE_BYTES]),
) -> Option<()> {
    let signed = signed_part(protocol, expires);
    let cipher = XChaCha20Poly1305::new(Key::from_slice(key.bytes()));
    let (content, signature) = sealed.split_at_mut(1024 - SIGNATURE_BYTES);
    let opened = cipher.decrypt_in_place_detached(
        XNonce::from_slice(from),
        &signed,
        content,
        Tag::from_slice(signature),
    );
    opened.ok()?;
    let tag = cipher.encrypt_in_place_detached(XNonce::from_slice(to), &signed, content).ok()?;
    signature.copy_from_slice(&tag);
    Some(())
}

/// The nonce of a request of the right length.
pub(crate) fn nonce(request: &[u8]) -> Option<&[u8; NONCE_BYTES]> {
    request.get(30..)?.first_chunk()
}

/// Allowed difference between the clocks of issuers and servers.
const CLOCK_SLACK: Duration = Duration::from_secs(60 * 60);

/// Reads fields from the front. A token that ends early counts as one of an unknown issuer.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// Takes the next bytes; a request that is too short has no issuer that is known.
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let (field, rest) = self.0.split_first_chunk().ok_or(Refusal::UnknownIssuer)?;
        self.0 = rest;
        Ok(*field)
    }

    fn number(&mut self) -> Result<u64, Refusal> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    /// A server address; `None` for an unused one.
    fn address(&mut self) -> Result<Option<SocketAddr>, Refusal> {
        let [kind] = self.take()?;
        let ip = match kind {
            0 => return Ok(None),
            1 => IpAddr::V4(Ipv4Addr::from(self.take::<4>()?)),
            2 => IpAddr::V6(Ipv6Addr::from(self.take::<16>()?)),
            _ => return Err(Refusal::UnknownIssuer),
        };
        Ok(Some(SocketAddr::new(ip, u16::from_le_bytes(self.take()?))))
    }
}

#[cfg(test)]
mod tests {
    use renetcode::{ClientAuthentication, NetcodeClient};

    use super::*;
    use crate::clock::unix_now;
    use crate::token::{Admission, TokenIssuer};

    const SERVER: &str = "192.0.2.1:7777";

    fn validator() -> RequestValidator {
        let key = ServerKey::from_bytes([7; 32]).unwrap();
        let addresses = vec![SERVER.parse().unwrap()];
        RequestValidator { protocol: ProtocolId::of(1, 2), keys: vec![key], addresses }
    }

    /// A client's connection request, generated by `renetcode`.
    fn request(issuer: &TokenIssuer, server: &str) -> Vec<u8> {
        let servers = vec!["[2001:db8::1]:1".parse().unwrap(), server.parse().unwrap()];
        let token =
            issuer.issue(&Admission { servers, ..Admission::new(42, SERVER.parse().unwrap()) }).unwrap();
        let authentication = ClientAuthentication::Secure { connect_token: token.clone().into_inner() };
        let mut client = NetcodeClient::new(unix_now(), authentication).unwrap();
        let request = client.update(Duration::ZERO).unwrap().0.to_vec();
        assert_eq!(nonce(&request), Some(token.nonce()));
        request
    }

    #[test]
    fn invalid_requests_are_refused_with_their_reasons() {
        let validator = validator();
        let issuer = TokenIssuer::new(validator.keys[0].clone(), validator.protocol);
        let good = request(&issuer, SERVER);
        let now = unix_now();
        assert_eq!(validator.examine(&good, now, None).map(|token| token.peer), Ok(42));

        let stranger = TokenIssuer::new(ServerKey::generate(), validator.protocol);
        assert_eq!(validator.examine(&request(&stranger, SERVER), now, None), Err(Refusal::UnknownIssuer));
        let other = TokenIssuer::new(validator.keys[0].clone(), ProtocolId::of(2, 2));
        assert_eq!(validator.examine(&request(&other, SERVER), now, None), Err(Refusal::OtherProtocol));
        let elsewhere = request(&issuer, "192.0.2.1:7778");
        assert_eq!(validator.examine(&elsewhere, now, None), Err(Refusal::NotForThisServer));
        assert_eq!(validator.examine(&good, now + Duration::from_secs(61), None), Err(Refusal::Expired));
        assert_eq!(validator.examine(&good, Duration::ZERO, None), Err(Refusal::OutOfBounds));
        assert_eq!(validator.examine(&good[1..], now, None), Err(Refusal::OtherTransport));

        // During a rotation the new key and the old one are valid; afterwards the old one is not.
        let rotated = |keys: Vec<ServerKey>| RequestValidator { keys, ..self::validator() };
        let old = validator.keys[0].clone();
        assert!(rotated(vec![ServerKey::generate(), old]).examine(&good, now, None).is_ok());
        assert_eq!(
            rotated(vec![ServerKey::generate()]).examine(&good, now, None),
            Err(Refusal::UnknownIssuer)
        );
        assert_eq!(rotated(Vec::new()).examine(&good, now, None), Err(Refusal::UnknownIssuer));

        // Every part of it is signed: the protocol's name, the expiry, the nonce, the token.
        let changed = |place: usize| {
            let mut request = good.clone();
            request[place] ^= 1;
            validator.examine(&request, now, None)
        };
        assert_eq!(changed(1), Err(Refusal::OtherTransport));
        assert_eq!(changed(22), Err(Refusal::UnknownIssuer));
        assert_eq!(changed(30), Err(Refusal::UnknownIssuer));
        assert_eq!(changed(1000), Err(Refusal::UnknownIssuer));
        assert_eq!(changed(1077), Err(Refusal::UnknownIssuer));
    }
}
