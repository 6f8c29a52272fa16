//! Reconnection: when a client whose connection was lost opens another one, and when it gives up.
//!
//! [`Reconnector`] has no sockets and no clock. Its host passes the time and the state of the transport, and
//! opens a connection when it is told to; the [`Client`] resumes its session over it.

use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

use crate::client::Client;

/// Configuration of a [`Reconnector`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReconnectConfig {
    /// Silence of the server after which another connection is opened, before the transport notices. A change
    /// of the client's address looks like that.
    pub silence: Span,
    /// Most attempts after a connection was lost. Zero never reconnects.
    pub attempts: u32,
    /// Time after which an attempt without an answer has failed.
    pub attempt_timeout: Span,
    /// Delay before the second attempt; it doubles with each further one.
    pub first_delay: Span,
    /// Longest delay between two attempts.
    pub max_delay: Span,
    /// Time after the loss of a connection after which no attempt is made or awaited.
    pub deadline: Span,
}

impl Default for ReconnectConfig {
    fn default() -> Self {
        Self {
            silence: Span::millis(3_000),
            attempts: 12,
            attempt_timeout: Span::millis(3_000),
            first_delay: Span::millis(250),
            max_delay: Span::millis(5_000),
            deadline: Span::millis(30_000),
        }
    }
}

/// State of a client's connection, for its user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConnectionState {
    /// The first connection, or the first session over it, has not begun yet.
    Connecting,
    /// The session lasts.
    Connected,
    /// The connection was lost.
    Reconnecting {
        /// Number of the present or next attempt, from 1.
        attempt: u32,
        /// Time of the next attempt; in the past while one is made.
        next_try: Time,
    },
    /// The client gave up.
    Failed(ReconnectFailure),
    /// The session ended: the player left, or the server ended it. The events of the client have the reason.
    Ended,
}

/// Reason for which a client gave up its session.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReconnectFailure {
    /// No attempt succeeded.
    #[error("the connection was lost, and {attempts} attempts to reconnect failed; the last one: {last}")]
    Attempts {
        /// Number of attempts.
        attempts: u32,
        /// Reason for which the last one failed.
        last: String,
    },
    /// No attempt succeeded before the deadline.
    #[error("the connection was lost, and reconnecting took too long; the last attempt: {last}")]
    Deadline {
        /// Reason for which the last attempt failed.
        last: String,
    },
    /// The server refuses the client for good.
    #[error("the connection was lost, and the server refuses another one: {0}")]
    Refused(String),
    /// The connection ended, and reconnecting is switched off or the first one never began.
    #[error("{0}")]
    Lost(String),
}

/// State of the transport, as its host sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkState<'a> {
    /// The server has not answered yet.
    Connecting,
    /// Datagrams can be sent and received.
    Connected,
    /// The connection was lost, or not answered, with the reason.
    Lost(&'a str),
    /// The server refused the connection for a reason that may pass.
    Busy(&'a str),
    /// The server refused the connection for good.
    Refused(&'a str),
}

/// A request of the [`Reconnector`] to its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReconnectAction {
    /// Open another connection in place of the present one, without telling the server that the present one
    /// ends: it is the server's proof that the player has not left.
    Open {
        /// Whether to connect with the [secret](Client::resume_secret) of the session; otherwise in the way in
        /// which the client connected first, because the server does not know the secret.
        with_secret: bool,
    },
}

/// Decides when a client opens another connection: a bounded number of times, with delays that double and
/// have a random part.
#[derive(Debug)]
pub struct Reconnector {
    config: ReconnectConfig,
    random: RandomStream,
    state: ConnectionState,
    /// Time at which the connection was lost.
    since: Time,
    /// Time at which the present attempt began; `None` between attempts.
    trying: Option<Time>,
    with_secret: bool,
    /// Reason for which the last attempt failed.
    last: String,
}

impl Reconnector {
    /// A reconnector of a client that connects. The seed determines the random part of delays: use a random
    /// number, so that the clients of a server do not all come back at once.
    pub fn new(config: ReconnectConfig, seed: u64) -> Self {
        Self {
            config,
            random: RandomStream::derive(seed, &[]),
            state: ConnectionState::Connecting,
            since: Time::ZERO,
            trying: None,
            with_secret: true,
            last: String::new(),
        }
    }

    /// State of the connection.
    pub fn state(&self) -> &ConnectionState {
        &self.state
    }

    /// Follows the transport and the client; call it every frame, after datagrams were received and before
    /// [`Client::update`]. Tells the client when its connection is lost, and returns what the host has to do.
    pub fn poll(&mut self, now: Time, link: LinkState<'_>, client: &mut Client) -> Option<ReconnectAction> {
        if client.is_over() && !matches!(self.state, ConnectionState::Failed(_)) {
            self.state = ConnectionState::Ended;
        }
        match self.state {
            ConnectionState::Connecting => {
                if client.is_playing() {
                    self.state = ConnectionState::Connected;
                } else if let LinkState::Lost(why) | LinkState::Busy(why) | LinkState::Refused(why) = link {
                    self.fail(ReconnectFailure::Lost(why.to_owned()), client);
                }
                None
            }
            ConnectionState::Connected => {
                match link {
                    LinkState::Lost(why) | LinkState::Busy(why) | LinkState::Refused(why) => {
                        self.begin(now, why, client);
                    }
                    LinkState::Connecting | LinkState::Connected => {
                        if client.is_resuming() || client.silence_at(now) > self.config.silence {
                            self.begin(now, "the server was silent for too long", client);
                        }
                    }
                }
                self.retry(now, link, client)
            }
            ConnectionState::Reconnecting { .. } => self.retry(now, link, client),
            ConnectionState::Failed(_) | ConnectionState::Ended => None,
        }
    }

    /// Begins to reconnect, or fails if that is switched off.
    fn begin(&mut self, now: Time, why: &str, client: &mut Client) {
        client.connection_lost(now);
        if client.is_over() || self.config.attempts == 0 {
            self.fail(ReconnectFailure::Lost(why.to_owned()), client);
            return;
        }
        (self.since, self.trying, self.with_secret) = (now, None, true);
        self.last = why.to_owned();
        // Not all clients of a server at once.
        let next_try = now + self.part(self.config.first_delay);
        self.state = ConnectionState::Reconnecting { attempt: 1, next_try };
    }

    /// Makes, awaits or ends an attempt.
    fn retry(&mut self, now: Time, link: LinkState<'_>, client: &mut Client) -> Option<ReconnectAction> {
        let ConnectionState::Reconnecting { attempt, next_try } = self.state else { return None };
        if client.is_playing() {
            self.state = ConnectionState::Connected;
            return None;
        }
        if now.since(self.since) > self.config.deadline {
            self.fail(ReconnectFailure::Deadline { last: self.last.clone() }, client);
            return None;
        }
        let Some(trying) = self.trying else {
            if now < next_try {
                return None;
            }
            self.trying = Some(now);
            client.connection_lost(now);
            return Some(ReconnectAction::Open { with_secret: self.with_secret });
        };
        match link {
            LinkState::Refused(why) if !self.with_secret => {
                self.fail(ReconnectFailure::Refused(why.to_owned()), client);
            }
            LinkState::Refused(why) => {
                // The server does not know the secret, or does not want the player: the other way tells.
                self.with_secret = false;
                self.next_attempt(now, attempt, why, client);
            }
            LinkState::Lost(why) | LinkState::Busy(why) => self.next_attempt(now, attempt, why, client),
            LinkState::Connecting | LinkState::Connected => {
                if now.since(trying) > self.config.attempt_timeout {
                    self.next_attempt(now, attempt, "the server does not answer", client);
                }
            }
        }
        None
    }

    /// Schedules the attempt after a failed one, or fails.
    fn next_attempt(&mut self, now: Time, failed: u32, why: &str, client: &mut Client) {
        self.trying = None;
        self.last = why.to_owned();
        if failed >= self.config.attempts {
            self.fail(ReconnectFailure::Attempts { attempts: failed, last: why.to_owned() }, client);
            return;
        }
        // 1, 2, 4, … times the first delay: half of it for sure, and a random part of the other half.
        let factor = 1i64 << (failed - 1).min(30);
        let delay = self.config.first_delay.micros().saturating_mul(factor);
        let half = Span::from_micros(delay.clamp(0, self.config.max_delay.micros().max(0)) / 2);
        let next_try = now + half + self.part(half);
        self.state = ConnectionState::Reconnecting { attempt: failed + 1, next_try };
    }

    /// A random part of a span.
    fn part(&mut self, span: Span) -> Span {
        let micros = u64::try_from(span.micros()).unwrap_or(0);
        let part = (u128::from(self.random.next_u64()) * u128::from(micros)) >> 64;
        Span::from_micros(i64::try_from(part).unwrap_or(0))
    }

    fn fail(&mut self, failure: ReconnectFailure, client: &mut Client) {
        self.state = ConnectionState::Failed(failure);
        client.give_up();
    }
}
