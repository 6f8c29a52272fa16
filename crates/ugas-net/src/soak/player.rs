//! A seat in a match: a client, its link, and whoever sits there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::random::RandomStream;
use ugas_core::time::{Span, Time};

use super::cheat::Cheat;
use super::chronicle::Chronicle;
use super::report::Kind;
use crate::client::{Client, ClientConfig};
use crate::link::{Conditions, Duplex};
use crate::message::ClientId;
use crate::server::PeerId;

/// Who is silent for longer is gone: short, so that partitions end sessions.
pub(super) const TIMEOUT: Span = Span::millis(3_000);

/// A seat in a match.
pub(super) struct Player {
    pub(super) client: Client,
    pub(super) link: Duplex,
    pub(super) peer: PeerId,
    /// Decides what the player does.
    pub(super) whims: RandomStream,
    pub(super) cheat: Option<Cheat>,
    pub(super) chronicle: Chronicle,
    /// The controller that it had last, to be had again.
    pub(super) hero: Option<ControllerId>,
    /// Commands of sessions that are over.
    pub(super) past: BTreeMap<ClientId, BTreeSet<PredictionKey>>,
    /// When it comes back, if it is away.
    pub(super) away_until: Option<Time>,
    pub(super) stalled_until: Time,
    pub(super) next_fault: Time,
    /// Thousandths of the true rate by which its clock is wrong.
    drift: i64,
    found: Vec<(Kind, String)>,
}

impl Player {
    pub(super) fn new(catalog: &Arc<Catalog>, mut dice: RandomStream, number: u64, drift: i64) -> Self {
        let nonce = dice.next_u64();
        let link = Duplex::new(dice.next_u64(), Conditions::perfect());
        let whims = RandomStream::new(dice.next_u64());
        Self {
            client: Client::new(Arc::clone(catalog), config(), nonce),
            link,
            peer: PeerId(number),
            whims,
            cheat: None,
            chronicle: Chronicle::default(),
            hero: None,
            past: BTreeMap::new(),
            away_until: None,
            stalled_until: Time::ZERO,
            next_fault: Time::ZERO,
            drift,
            found: Vec::new(),
        }
    }

    /// What its own clock says.
    pub(super) fn local_time(&self, now: Time) -> Time {
        let micros = i128::from(now.micros());
        let drifted = micros + micros * i128::from(self.drift) / 1_000;
        Time::from_micros(u64::try_from(drifted).unwrap_or(0))
    }

    pub(super) fn is_honest(&self) -> bool {
        self.cheat.is_none()
    }

    /// Begins a new session; with a new connection, or with the same one.
    pub(super) fn rejoin(&mut self, peer: PeerId) {
        self.keep_session();
        let catalog = Arc::clone(self.client.catalog());
        self.client = Client::new(catalog, config(), self.whims.next_u64());
        self.peer = peer;
        self.away_until = None;
        if let Some(cheat) = &mut self.cheat {
            cheat.reset();
        }
    }

    /// What was wrong so far.
    pub(super) fn take_found(&mut self) -> Vec<(Kind, String)> {
        let mut found = core::mem::take(&mut self.found);
        found.extend(self.chronicle.take_found());
        found
    }

    /// Remembers what was given in a session that is over.
    fn keep_session(&mut self) {
        let mut chronicle = core::mem::take(&mut self.chronicle);
        self.found.extend(chronicle.take_found());
        if let Some(client) = self.client.id() {
            self.past.insert(client, chronicle.given);
        }
    }
}

fn config() -> ClientConfig {
    ClientConfig { timeout: TIMEOUT, ..ClientConfig::default() }
}
