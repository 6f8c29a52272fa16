//! A player of a match: a client, its link, and its behaviour.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

use super::cheat::Cheat;
use super::encryption::Connection;
use super::event_audit::EventAudit;
use super::report::Kind;
use crate::link::{Conditions, Duplex};
use ugas_net::PeerId;
use ugas_net::message::ClientId;
use ugas_net::{Client, ClientConfig};

/// Timeout of sessions: short, so that partitions end sessions.
pub(super) const TIMEOUT: Span = Span::millis(3_000);

/// A player of a match.
pub(super) struct Player {
    pub(super) client: Client,
    pub(super) link: Duplex,
    /// Its connection, in a match with encryption.
    pub(super) connection: Option<Connection>,
    pub(super) peer: PeerId,
    /// Random numbers of the player's commands.
    pub(super) whims: RandomStream,
    pub(super) cheat: Option<Cheat>,
    pub(super) audit: EventAudit,
    /// The controller that it owned last, to be given again.
    pub(super) hero: Option<ControllerId>,
    /// Commands of sessions that are over.
    pub(super) past: BTreeMap<ClientId, BTreeSet<PredictionKey>>,
    /// Time of its return; `None` unless it is away.
    pub(super) away_until: Option<Time>,
    pub(super) stalled_until: Time,
    pub(super) next_fault: Time,
    /// Deviation of its clock, in thousandths of the true rate.
    drift: i64,
    /// Offset of its clock, in microseconds; it only grows.
    pub(super) clock_offset: u64,
    /// Answered commands of sessions that are over, and those of them that did not come in time.
    past_answers: (u64, u64),
    found: Vec<(Kind, String)>,
}

impl Player {
    /// An honest player on a perfect link; the match adds faults, and makes some players cheats. `drift` is
    /// in thousandths.
    pub(super) fn new(catalog: &Arc<Catalog>, mut dice: RandomStream, number: u64, drift: i64) -> Self {
        let nonce = dice.next_u64();
        let link = Duplex::new(dice.next_u64(), Conditions::perfect());
        let whims = RandomStream::new(dice.next_u64());
        Self {
            client: Client::new(Arc::clone(catalog), config(), nonce),
            link,
            connection: None,
            peer: PeerId(number),
            whims,
            cheat: None,
            audit: EventAudit::default(),
            hero: None,
            past: BTreeMap::new(),
            away_until: None,
            stalled_until: Time::ZERO,
            next_fault: Time::ZERO,
            drift,
            clock_offset: 0,
            past_answers: (0, 0),
            found: Vec::new(),
        }
    }

    /// Time of its own clock at a true time; it drifts like [`Seat`](crate::rig::Seat)'s.
    pub(super) fn local_time(&self, now: Time) -> Time {
        let micros = i128::from(now.micros());
        let drifted = micros + micros * i128::from(self.drift) / 1_000;
        Time::from_micros(u64::try_from(drifted).unwrap_or(0).saturating_add(self.clock_offset))
    }

    /// Number of commands that were answered, and of those that did not come in time, in all sessions.
    pub(super) fn answers(&self) -> (u64, u64) {
        let (answered, untimely) = self.audit.answers();
        (self.past_answers.0 + answered, self.past_answers.1 + untimely)
    }

    pub(super) fn is_honest(&self) -> bool {
        self.cheat.is_none()
    }

    /// Whether its session or its connection is over.
    pub(super) fn is_over(&self) -> bool {
        self.client.is_over() || self.connection.as_ref().is_some_and(Connection::is_over)
    }

    /// Begins a new session with a new client and the present rules, on the connection `peer`, which may be the
    /// same as before. The commands of the old session are kept.
    pub(super) fn rejoin(&mut self, peer: PeerId, catalog: Arc<Catalog>) {
        self.keep_session();
        self.client = Client::new(catalog, config(), self.whims.next_u64());
        self.peer = peer;
        self.away_until = None;
        if let Some(cheat) = &mut self.cheat {
            cheat.reset();
        }
    }

    /// Takes the violations found so far.
    pub(super) fn take_found(&mut self) -> Vec<(Kind, String)> {
        let mut found = core::mem::take(&mut self.found);
        found.extend(self.audit.take_found());
        found
    }

    /// Keeps the commands and violations of a session that ended, and starts a new audit.
    fn keep_session(&mut self) {
        self.past_answers = self.answers();
        let mut audit = core::mem::take(&mut self.audit);
        self.found.extend(audit.take_found());
        if let Some(client) = self.client.id() {
            self.past.insert(client, audit.given);
        }
    }
}

/// Settings of soak clients: a shorter timeout, so that lost sessions are noticed within a match.
fn config() -> ClientConfig {
    ClientConfig { timeout: TIMEOUT, ..ClientConfig::default() }
}
