//! Stateless cookies: proof that a client receives at the address it sends from.
//!
//! A flood of requests with forged source addresses cannot be told from newcomers, so a server beyond its
//! limits answers requests with a cookie, which it does not remember, instead of opening their tokens. The
//! client repeats its request with the cookie. Requests with a cookie have limits of their own, which senders
//! of forged addresses cannot use up: they never see their cookies.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use chacha20poly1305::aead::{AeadInPlace, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use renetcode::generate_random_bytes;

/// Length of a cookie in bytes.
pub(crate) const COOKIE_BYTES: usize = 16;
/// A cookie is valid for this time to twice this time.
const PERIOD: Duration = Duration::from_secs(8);

/// A cookie.
pub(crate) type Cookie = [u8; COOKIE_BYTES];

/// Bakes and verifies cookies with a secret that only this server knows.
pub(crate) struct Cookies {
    cipher: XChaCha20Poly1305,
}

impl Cookies {
    pub(crate) fn new() -> Self {
        Self { cipher: XChaCha20Poly1305::new(Key::from_slice(&generate_random_bytes::<32>())) }
    }

    /// The cookie of an address at a time.
    pub(crate) fn bake(&self, address: SocketAddr, now: Duration) -> Cookie {
        self.of_period(address, period(now))
    }

    /// Whether a cookie was baked for this address not long ago.
    pub(crate) fn is_valid(&self, cookie: &Cookie, address: SocketAddr, now: Duration) -> bool {
        let period = period(now);
        [period, period.saturating_sub(1)]
            .into_iter()
            .any(|period| self.of_period(address, period) == *cookie)
    }

    /// Signature of an empty message. The nonce has room for the whole address and the period, so that each
    /// cookie comes from a nonce of its own.
    fn of_period(&self, address: SocketAddr, period: u64) -> Cookie {
        let ip = match address.ip() {
            IpAddr::V4(ip) => ip.to_ipv6_mapped(),
            IpAddr::V6(ip) => ip,
        };
        let mut nonce = [0; 24];
        nonce[..16].copy_from_slice(&ip.octets());
        nonce[16..18].copy_from_slice(&address.port().to_be_bytes());
        nonce[18..].copy_from_slice(&period.to_le_bytes()[..6]);
        let signature = self.cipher.encrypt_in_place_detached(XNonce::from_slice(&nonce), &[], &mut []);
        signature.map(Into::into).unwrap_or_default()
    }
}

impl std::fmt::Debug for Cookies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cookies(secret)")
    }
}

fn period(now: Duration) -> u64 {
    now.as_secs() / PERIOD.as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_is_bound_to_address_and_time() {
        let cookies = Cookies::new();
        let address: SocketAddr = "203.0.113.7:4000".parse().unwrap();
        let now = Duration::from_secs(8_000);
        let cookie = cookies.bake(address, now);
        assert!(cookies.is_valid(&cookie, address, now));
        assert!(cookies.is_valid(&cookie, address, now + Duration::from_secs(15)));
        assert!(!cookies.is_valid(&cookie, address, now + Duration::from_secs(16)));
        assert!(!cookies.is_valid(&cookie, "203.0.113.7:4001".parse().unwrap(), now));
        assert!(!cookies.is_valid(&cookie, "203.0.113.8:4000".parse().unwrap(), now));
        assert!(!cookies.is_valid(&[0; COOKIE_BYTES], address, now));
        assert!(!Cookies::new().is_valid(&cookie, address, now), "another server");
    }
}
