//! Access control: hosts, origins and tokens.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// The conditions of access.
pub(crate) struct AccessPolicy {
    /// Whether the address is a loopback address. Then `Host` must name this machine, or a foreign page could
    /// reach the inspector under its own name (DNS rebinding).
    pub(crate) loopback: bool,
    pub(crate) token: Option<String>,
    /// Origins, besides the inspector's own, whose pages may connect.
    pub(crate) origins: Vec<String>,
}

/// The header or parameter for which access was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessRefusal {
    Host,
    Origin,
    Token,
}

impl AccessPolicy {
    /// Checks a request for a file of the page.
    pub(crate) fn admits_reader(&self, headers: &HeaderMap) -> Result<(), AccessRefusal> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if self.loopback && !is_this_machine(host) { Err(AccessRefusal::Host) } else { Ok(()) }
    }

    /// Checks a WebSocket request: from the inspector's own page, from an admitted origin, or from a program,
    /// which sends no `Origin`.
    pub(crate) fn admits_connection(
        &self,
        headers: &HeaderMap,
        token: Option<&str>,
    ) -> Result<(), AccessRefusal> {
        self.admits_reader(headers)?;
        if let Some(origin) = headers.get(ORIGIN) {
            let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
            let origin = origin.to_str().unwrap_or_default();
            let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            let is_own = !host.is_empty() && own.is_some_and(|own| own.eq_ignore_ascii_case(host));
            if !is_own && !self.origins.iter().any(|admitted| admitted == origin) {
                return Err(AccessRefusal::Origin);
            }
        }
        match &self.token {
            Some(expected) if !is_same(expected.as_bytes(), &decoded(token.unwrap_or_default())) => {
                Err(AccessRefusal::Token)
            }
            _ => Ok(()),
        }
    }
}

/// Whether a `Host` header names this machine: `localhost` or a loopback address, with any port.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Compares in constant time, so that timing does not reveal how much of a guess is right.
fn is_same(expected: &[u8], given: &[u8]) -> bool {
    let differences = expected.iter().zip(given).fold(0, |found, (left, right)| found | (left ^ right));
    expected.len() == given.len() && differences == 0
}

/// A token in percent-encoding for URLs.
pub(crate) fn encoded(token: &str) -> String {
    let mut text = String::new();
    for byte in token.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The bytes of a percent-encoded text. Invalid sequences stay as they are.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.first_chunk().filter(|_| first == b'%');
        let byte = digits.and_then(|digits: &[u8; 2]| {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            u8::try_from(digit(digits[0])? * 16 + digit(digits[1])?).ok()
        });
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
        bytes.push(byte.unwrap_or(first));
    }
    bytes
}

/// A random token of 128 bits, in hexadecimal.
pub(crate) fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_host_accepts_only_names_of_this_machine() {
        for host in ["localhost", "localhost:80", "127.0.0.1:4777", "127.8.8.8", "[::1]:4777", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "127.0.0.1.evil.example:80",
            "localhost.evil.example",
            "10.0.0.1:80",
            "[2001:db8::1]",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn tokens_are_compared_as_a_whole() {
        assert!(is_same(b"abc", b"abc"));
        for wrong in ["", "ab", "abcd", "abd"] {
            assert!(!is_same(b"abc", wrong.as_bytes()), "{wrong}");
        }
        assert_ne!(new_token().unwrap(), new_token().unwrap());
    }
}
