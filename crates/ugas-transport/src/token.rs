//! Connect tokens: who may connect, where, and until when.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use renetcode::NETCODE_USER_DATA_BYTES;
use xxhash_rust::xxh3::xxh3_64;

use crate::clock::unix_now;
use crate::key::ServerKey;
use crate::protocol::ProtocolId;
use crate::{request, returns, text};

/// Maximum length of a token's sealed user data, such as a name, a team or a character.
pub const MAX_USER_DATA_BYTES: usize = 240;
/// Maximum number of servers that a token can name.
pub const MAX_SERVERS: usize = 32;
/// Maximum lifetime of a token: a server remembers used tokens until they expire.
pub const MAX_LIFE: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum timeout of a token's connection.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(10 * 60);

const PREFIX: &str = "ugas-token-1.";
const FORMAT: u8 = 1;
const CHECKSUM_BYTES: usize = 8;
/// Maximum length of an encoded token; one with 32 IPv6 addresses is shorter.
const MAX_BYTES: usize = 2048;
/// Bytes before the user data: their length, and the peer that they belong to.
const USER_DATA_HEAD: usize = 1 + 8;

/// The content of a token: which peer may connect to which servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The peer's number, which the server's events name.
    pub peer: u64,
    /// Public addresses of servers, in the order in which they are tried; at most [`MAX_SERVERS`].
    pub servers: Vec<SocketAddr>,
    /// How long the token can be used to connect; the connection may last longer. At most [`MAX_LIFE`], in
    /// whole seconds.
    pub valid_for: Duration,
    /// Silence after which each side ends the connection. At most [`MAX_TIMEOUT`], in whole seconds.
    pub timeout: Duration,
    /// Data for the server, which the client cannot change. At most [`MAX_USER_DATA_BYTES`].
    pub user_data: Vec<u8>,
}

impl Admission {
    /// Admits a peer to one server: valid for a minute, with a timeout of ten seconds, without user data.
    #[must_use]
    pub fn new(peer: u64, server: SocketAddr) -> Self {
        Self {
            peer,
            servers: vec![server],
            valid_for: Duration::from_secs(60),
            timeout: Duration::from_secs(10),
            user_data: Vec::new(),
        }
    }

    /// Sets the lifetime of the token, from 1 s; a client must connect within it. Checked when the token is
    /// issued.
    #[must_use]
    pub fn valid_for(mut self, valid_for: Duration) -> Self {
        self.valid_for = valid_for;
        self
    }

    /// Sets how long the connection may be silent before it ends, from 1 s. Checked when the token is issued.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the data for the server, which gets them when the client connects. Their length is checked when
    /// the token is issued.
    #[must_use]
    pub fn user_data(mut self, user_data: impl Into<Vec<u8>>) -> Self {
        self.user_data = user_data.into();
        self
    }
}

/// Issues tokens for servers with the same key: on the server itself, or on the machine that players log in
/// to.
#[derive(Clone, Debug)]
pub struct TokenIssuer {
    key: ServerKey,
    protocol: ProtocolId,
}

impl TokenIssuer {
    /// An issuer for servers with this key and protocol.
    #[must_use]
    pub fn new(key: ServerKey, protocol: ProtocolId) -> Self {
        Self { key, protocol }
    }

    /// Issues a token, valid from now on. It is accepted once; a peer that reconnects needs another.
    ///
    /// # Errors
    ///
    /// [`TokenError`] if the admission exceeds a limit.
    pub fn issue(&self, admission: &Admission) -> Result<ConnectToken, TokenError> {
        self.issue_at(admission, unix_now())
    }

    /// Issues a token that is valid from a time since 1970 on, for [endpoints](crate::ServerEndpoint) with a
    /// clock of their own.
    ///
    /// # Errors
    ///
    /// [`TokenError`] if the admission exceeds a limit.
    pub fn issue_at(&self, admission: &Admission, now: Duration) -> Result<ConnectToken, TokenError> {
        issue(&self.key, self.protocol, admission, now)
    }
}

/// The token with which a client connects. It contains the connection's keys: give it only to the player,
/// over a secure channel.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnectToken(Box<renetcode::ConnectToken>);

/// Why a token could not be issued or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The text does not begin like a token.
    #[error("this is not a connect token: expected one line that begins with `{PREFIX}`")]
    NotAToken,
    /// Characters are missing or changed.
    #[error("the connect token is damaged: copy the whole line again")]
    Damaged,
    /// A token of another format or protocol.
    #[error("the connect token is of another version: update the older side")]
    OtherVersion,
    /// The number of servers is out of range.
    #[error("a connect token names 1 to {MAX_SERVERS} servers, not {0}")]
    Servers(usize),
    /// The user data is too long.
    #[error("user data of a connect token have at most {MAX_USER_DATA_BYTES} bytes, not {0}")]
    UserData(usize),
    /// The lifetime is shorter than a second or longer than a day.
    #[error("a connect token is valid for 1 to {} seconds, not {}", MAX_LIFE.as_secs(), .0.as_secs_f64())]
    Life(Duration),
    /// The timeout is shorter than a second or longer than ten minutes.
    #[error("the timeout of a connection is 1 to {} seconds, not {}", MAX_TIMEOUT.as_secs(), .0.as_secs_f64())]
    Timeout(Duration),
}

impl ConnectToken {
    /// A token for a server without secrets ([`Access`](crate::Access)), issued by the client itself, which
    /// may claim to be any peer.
    ///
    /// # Errors
    ///
    /// [`TokenError`] if the admission exceeds a limit.
    pub fn without_secrets(protocol: ProtocolId, admission: &Admission) -> Result<Self, TokenError> {
        issue(&ServerKey::open(), protocol, admission, unix_now())
    }

    /// A token with which a peer connects again to a server that [lets it return](crate::ServerSocket::let_return),
    /// issued by the client itself. Its user data do not count: those of the first connection stay.
    ///
    /// # Errors
    ///
    /// [`TokenError`] if the admission exceeds a limit.
    pub fn returning(
        protocol: ProtocolId,
        admission: &Admission,
        secret: [u8; 32],
    ) -> Result<Self, TokenError> {
        let key = ServerKey::from_bytes(secret).map_err(|_| TokenError::Damaged)?;
        let mut token = issue(&key, protocol, admission, unix_now())?;
        // Sealed again under the nonce that names the peer.
        let inner = &mut token.0;
        let nonce = returns::nonce_for(admission.peer, inner.xnonce);
        request::reseal(
            &mut inner.private_data,
            &key,
            (protocol, inner.expire_timestamp),
            (&inner.xnonce, &nonce),
        )
        .ok_or(TokenError::Damaged)?;
        inner.xnonce = nonce;
        Ok(token)
    }

    /// The peer number that the token admits to the server.
    #[must_use]
    pub fn peer(&self) -> u64 {
        self.0.client_id
    }

    /// The protocol that the client must use.
    #[must_use]
    pub fn protocol(&self) -> ProtocolId {
        ProtocolId::from_bits(self.0.protocol_id)
    }

    /// The time of its expiry since 1970, by the clock of its issuer.
    #[must_use]
    pub fn expires(&self) -> Duration {
        Duration::from_secs(self.0.expire_timestamp)
    }

    /// Its servers, in the order in which they are tried.
    pub fn servers(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.0.server_addresses.iter().flatten().copied()
    }

    /// The token as one line of text, for command lines and messages.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", text::encode(&self.to_bytes()))
    }

    /// Reads a token from its line of text.
    ///
    /// # Errors
    ///
    /// [`TokenError`].
    pub fn from_text(text: &str) -> Result<Self, TokenError> {
        let body = text.trim().strip_prefix(PREFIX).ok_or(TokenError::NotAToken)?;
        if body.len() > 2 * MAX_BYTES {
            return Err(TokenError::Damaged);
        }
        Self::from_bytes(&text::decode(body).ok_or(TokenError::Damaged)?)
    }

    /// The token as bytes: a version, netcode's encoding, and XXH3 of both to detect damage.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        // Writing to a `Vec` cannot fail.
        let _ = self.0.write(&mut bytes);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a token from its bytes, and checks everything that the client relies on. Only the server can
    /// verify it.
    ///
    /// # Errors
    ///
    /// [`TokenError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TokenError> {
        if bytes.len() > MAX_BYTES {
            return Err(TokenError::Damaged);
        }
        let (content, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(TokenError::Damaged)?;
        if xxh3_64(content).to_le_bytes() != *checksum {
            return Err(TokenError::Damaged);
        }
        let (format, mut rest) = content.split_first().ok_or(TokenError::Damaged)?;
        if *format != FORMAT {
            return Err(TokenError::OtherVersion);
        }
        let token = renetcode::ConnectToken::read(&mut rest).map_err(|error| match error {
            renetcode::NetcodeError::InvalidVersion => TokenError::OtherVersion,
            _ => TokenError::Damaged,
        })?;
        let token = Self(Box::new(token));
        token.check()?;
        if token.to_bytes() == bytes { Ok(token) } else { Err(TokenError::Damaged) }
    }

    /// Silence after which the connection ends.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.0.timeout_seconds.try_into().unwrap_or(0))
    }

    /// Whether it is for a server without secrets: sealed with the key that everybody knows.
    pub(crate) fn is_open(&self) -> bool {
        let nonce = &self.0.xnonce;
        let signed = (self.protocol(), self.0.expire_timestamp);
        request::reseal(&mut self.0.private_data.clone(), &ServerKey::open(), signed, (nonce, nonce))
            .is_some()
    }

    /// The nonce that identifies the token and requests with it.
    pub(crate) fn nonce(&self) -> &[u8; request::NONCE_BYTES] {
        &self.0.xnonce
    }

    /// The token for `renetcode`, with its secret session keys.
    pub(crate) fn into_inner(self) -> renetcode::ConnectToken {
        *self.0
    }

    /// Checks what `renetcode`'s client relies on.
    fn check(&self) -> Result<(), TokenError> {
        let servers = self.servers().count();
        if servers == 0 || self.0.server_addresses.iter().take(servers).any(Option::is_none) {
            return Err(TokenError::Servers(servers));
        }
        let timeout = Duration::from_secs(self.0.timeout_seconds.try_into().unwrap_or(0));
        if !is_timeout(timeout) {
            return Err(TokenError::Timeout(timeout));
        }
        let life = Duration::from_secs(self.0.expire_timestamp.saturating_sub(self.0.create_timestamp));
        if !is_life(life) {
            return Err(TokenError::Life(life));
        }
        Ok(())
    }
}

impl fmt::Debug for ConnectToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut token = f.debug_struct("ConnectToken");
        token
            .field("peer", &self.peer())
            .field("protocol", &self.protocol())
            .field("expires", &self.expires());
        token.field("servers", &self.servers().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

fn is_timeout(timeout: Duration) -> bool {
    (Duration::from_secs(1)..=MAX_TIMEOUT).contains(&timeout)
}

fn is_life(life: Duration) -> bool {
    (Duration::from_secs(1)..=MAX_LIFE).contains(&life)
}

/// Checks an admission, and creates a token that is signed and encrypted with the server's key.
fn issue(
    key: &ServerKey,
    protocol: ProtocolId,
    admission: &Admission,
    now: Duration,
) -> Result<ConnectToken, TokenError> {
    if !(1..=MAX_SERVERS).contains(&admission.servers.len()) {
        return Err(TokenError::Servers(admission.servers.len()));
    }
    if !is_life(admission.valid_for) {
        return Err(TokenError::Life(admission.valid_for));
    }
    if !is_timeout(admission.timeout) {
        return Err(TokenError::Timeout(admission.timeout));
    }
    let token = renetcode::ConnectToken::generate(
        now,
        protocol.to_bits(),
        admission.valid_for.as_secs(),
        admission.peer,
        admission.timeout.as_secs().try_into().unwrap_or(1),
        admission.servers.clone(),
        Some(&pack_user_data(admission)?),
        key.bytes(),
    );
    // Everything that can fail was checked above.
    token.map(|token| ConnectToken(Box::new(token))).map_err(|_| TokenError::Damaged)
}

/// The user data in netcode's fixed length: with their own length, and with their peer, so that they cannot
/// be combined with another peer's token.
fn pack_user_data(admission: &Admission) -> Result<[u8; NETCODE_USER_DATA_BYTES], TokenError> {
    let data = &admission.user_data;
    let length = u8::try_from(data.len()).ok().filter(|length| usize::from(*length) <= MAX_USER_DATA_BYTES);
    let mut packed = [0; NETCODE_USER_DATA_BYTES];
    packed[0] = length.ok_or(TokenError::UserData(data.len()))?;
    packed[1..USER_DATA_HEAD].copy_from_slice(&admission.peer.to_le_bytes());
    packed[USER_DATA_HEAD..USER_DATA_HEAD + data.len()].copy_from_slice(data);
    Ok(packed)
}

/// The user data that were packed for this peer; `None` if they belong to another.
pub(crate) fn unpack_user_data(peer: u64, packed: &[u8; NETCODE_USER_DATA_BYTES]) -> Option<&[u8]> {
    let (head, data) = packed.split_at(USER_DATA_HEAD);
    if head[1..] != peer.to_le_bytes() {
        return None;
    }
    data.get(..usize::from(head[0])).filter(|data| data.len() <= MAX_USER_DATA_BYTES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use renetcode::{ClientAuthentication, NetcodeClient};

    use super::*;

    fn issuer() -> TokenIssuer {
        TokenIssuer::new(ServerKey::from_bytes([7; 32]).unwrap(), ProtocolId::of(1, 2))
    }

    fn admission() -> Admission {
        Admission::new(42, "192.0.2.1:7777".parse().unwrap()).user_data(*b"Ada")
    }

    #[test]
    fn token_text_round_trips() {
        let token = issuer().issue(&admission()).unwrap();
        let text = token.to_text();
        assert!(!text.contains(char::is_whitespace));
        let read = ConnectToken::from_text(&format!(" {text}\n")).unwrap();
        assert_eq!(read, token);
        assert_eq!((read.peer(), read.protocol()), (42, ProtocolId::of(1, 2)));
        assert_eq!(read.servers().collect::<Vec<_>>(), admission().servers);
        assert!(read.expires() > unix_now());
    }

    #[test]
    fn damaged_token_is_distinguished_from_other_text() {
        let text = issuer().issue(&admission()).unwrap().to_text();
        assert_eq!(ConnectToken::from_text("hello"), Err(TokenError::NotAToken));
        assert_eq!(ConnectToken::from_text(PREFIX), Err(TokenError::Damaged));
        assert_eq!(ConnectToken::from_text(&text[..text.len() - 4]), Err(TokenError::Damaged));
        assert_eq!(
            ConnectToken::from_text(&format!("{PREFIX}{}", "A".repeat(10_000))),
            Err(TokenError::Damaged)
        );
        let mut bytes = ConnectToken::from_text(&text).unwrap().to_bytes();
        bytes[40] ^= 1;
        assert_eq!(ConnectToken::from_bytes(&bytes), Err(TokenError::Damaged));
    }

    #[test]
    fn forged_fields_are_rejected() {
        let good = issuer().issue(&admission()).unwrap();
        let forged = |change: fn(&mut renetcode::ConnectToken)| {
            let mut token = good.clone();
            change(&mut token.0);
            ConnectToken::from_bytes(&token.to_bytes())
        };
        assert!(forged(|_| ()).is_ok());
        assert_eq!(forged(|token| token.expire_timestamp = 0), Err(TokenError::Life(Duration::ZERO)));
        assert_eq!(forged(|token| token.timeout_seconds = -1), Err(TokenError::Timeout(Duration::ZERO)));
        assert_eq!(forged(|token| token.server_addresses = [None; 32]), Err(TokenError::Servers(0)));
        assert_eq!(forged(|token| token.version_info[0] = b'X'), Err(TokenError::OtherVersion));
    }

    #[test]
    fn admissions_beyond_the_limits_are_rejected() {
        let issue = |admission: Admission| issuer().issue(&admission).map(|_| ());
        let second = Duration::from_secs(1);
        assert_eq!(issue(admission().user_data(vec![1; 240])), Ok(()));
        assert_eq!(issue(admission().user_data(vec![1; 241])), Err(TokenError::UserData(241)));
        assert_eq!(issue(admission().user_data(vec![1; 256])), Err(TokenError::UserData(256)));
        assert_eq!(issue(admission().valid_for(Duration::ZERO)), Err(TokenError::Life(Duration::ZERO)));
        assert_eq!(issue(admission().valid_for(MAX_LIFE + second)), Err(TokenError::Life(MAX_LIFE + second)));
        assert_eq!(issue(admission().timeout(Duration::MAX)), Err(TokenError::Timeout(Duration::MAX)));
        let servers = vec!["[::1]:7".parse().unwrap(); 33];
        assert_eq!(issue(Admission { servers, ..admission() }), Err(TokenError::Servers(33)));
        let servers = vec!["[::1]:7".parse().unwrap(); 32];
        let largest = issuer().issue(&Admission { servers, ..admission() }).unwrap();
        assert!(ConnectToken::from_bytes(&largest.to_bytes()).is_ok());
    }

    #[test]
    fn user_data_belong_to_one_peer() {
        let packed = pack_user_data(&admission()).unwrap();
        assert_eq!(unpack_user_data(42, &packed), Some(&b"Ada"[..]));
        assert_eq!(unpack_user_data(43, &packed), None);
        let mut long = packed;
        long[0] = 255;
        assert_eq!(unpack_user_data(42, &long), None);
    }

    #[test]
    fn secrets_are_not_printed() {
        let token = issuer().issue(&admission()).unwrap();
        let keys = format!("{:?}", token.0.client_to_server_key);
        assert!(!format!("{token:?}").contains(&keys));
    }

    proptest! {
        #[test]
        fn readable_tokens_never_panic_in_the_client(place in 0..1180usize, value in any::<u8>(), cut in 0..3usize, added in 0..3usize) {
            let mut bytes = issuer().issue(&admission()).unwrap().to_bytes();
            bytes.truncate(bytes.len() - CHECKSUM_BYTES);
            if let Some(byte) = bytes.get_mut(place) {
                *byte = value;
            }
            bytes.resize(bytes.len() - cut + added, 0);
            bytes.extend(xxh3_64(&bytes).to_le_bytes());
            if let Ok(token) = ConnectToken::from_bytes(&bytes) {
                prop_assert_eq!(token.to_bytes(), bytes);
                let authentication = ClientAuthentication::Secure { connect_token: token.into_inner() };
                let mut client = NetcodeClient::new(unix_now(), authentication).unwrap();
                client.update(Duration::from_secs(1));
                client.update(Duration::from_secs(10_000));
            }
        }

        #[test]
        fn arbitrary_texts_are_rejected(text in ".{0,200}", body in "[A-Za-z0-9_-]{0,200}") {
            prop_assert!(ConnectToken::from_text(&text).is_err());
            let token = format!("{PREFIX}{body}");
            prop_assert!(ConnectToken::from_text(&token).is_err());
        }
    }
}
