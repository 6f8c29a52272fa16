//! Snapshots: a copy of the state, in memory or as bytes (I1).
//!
//! `facts` writes and reads what cannot be derived, `check` sees to it that no bytes bring about a state that the rules
//! could not have, and what is derived comes from [`super::derive`].

mod check;
mod facts;
mod migrate;

use std::sync::Arc;

use super::{Simulation, State};
use crate::catalog::Catalog;
use crate::codec::{self, Decode, DecodeError, DecodeErrorKind, Decoder, Encode, Trust};
use crate::hash::StateHasher;
use crate::time::Time;
pub(super) use check::Check;
pub use migrate::{MigrationError, OwnRulesError};

/// The first bytes of a snapshot.
const KIND: [u8; 4] = *b"UGSN";

/// A copy of a simulation's state; see [`Simulation::snapshot`].
#[derive(Clone)]
pub struct Snapshot {
    /// The catalog that the state's ids are of.
    pub(super) catalog: Arc<Catalog>,
    pub(super) state: State,
    /// Whether nothing in it waits to be brought up to date, as far as is known.
    pub(super) is_settled: bool,
}

/// A snapshot of a simulation of another catalog, whose ids would mean other things here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the snapshot is of another catalog: its hash is {found:016x}, that of this simulation {expected:016x}; \
     one from before a reload cannot be restored, take another after it"
)]
pub struct ForeignSnapshot {
    /// Hash of the simulation's catalog.
    pub expected: u64,
    /// Hash of the snapshot's catalog.
    pub found: u64,
}

impl Snapshot {
    /// The time at which it was taken.
    pub fn time(&self) -> Time {
        self.state.now
    }

    /// The hash of the state.
    pub fn state_hash(&self) -> u64 {
        StateHasher::of(&self.state)
    }

    /// The catalog that it is of.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The same moment with another seed: dice that were rolled stay, those rolled from here on are others (V5).
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.state.seed = seed;
        self
    }

    /// When the snapshot of these bytes was taken. Nothing but that is read, so it needs no catalog, and says nothing
    /// about the rest.
    ///
    /// # Errors
    /// If they are damaged, or of an unknown format version.
    pub fn time_of(bytes: &[u8]) -> Result<Time, DecodeError> {
        let mut decoder = codec::open(KIND, bytes)?;
        let _catalog: [u8; 8] = decoder.fixed()?;
        read_rules(&mut decoder)?;
        Time::decode(&mut decoder)
    }

    /// The snapshot as bytes, to be kept or sent. Equal states give equal bytes, and whoever reads them goes on from
    /// there as this simulation would, down to the handles given out next.
    ///
    /// In the [envelope](codec#files) `UGSN` stand the catalog's hash (8 bytes, little-endian); the rules as an option
    /// (none here); the facts of the state; and the state's hash (8 bytes, little-endian). The facts are: time, seed, the
    /// next numbers of application, controller, operation and event; how many effects were created at run time, and each
    /// as an optional definition, with the length of the gap where some were forgotten; the arena of controllers, followed by the attribute sets of each that lives, as a list of
    /// ids; the arenas of active effects, granted abilities, their runs and tasks. What follows from the facts is not
    /// written: modifiers, tags, cues, timers and every index are derived again.
    ///
    /// A snapshot from inside a [batch](Simulation::batch) brings along which values are still to be computed, as it
    /// does in memory; consequences that wait for the end of the batch are not part of either.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write(None)
    }

    /// As [`Self::to_bytes`], with all definitions of the catalog: the rules, as a list of bytes. With them the snapshot
    /// can be brought to a catalog that was changed since; see [`Simulation::migrate`].
    pub fn to_bytes_with_rules(&self) -> Vec<u8> {
        self.write(Some(&codec::to_bytes(self.catalog.definitions())))
    }

    fn write(&self, rules: Option<&Vec<u8>>) -> Vec<u8> {
        codec::seal(KIND, |encoder| {
            encoder.raw(&self.catalog.hash().to_le_bytes());
            rules.encode(encoder);
            self.state.encode_facts(encoder);
            encoder.raw(&self.state_hash().to_le_bytes());
        })
    }

    /// The snapshot that these bytes are of. They may come from anybody: what cannot be is an error, and what can be
    /// read can be [restored](Simulation::restore) and used.
    ///
    /// # Errors
    /// If they are damaged, of an unknown format version, or of another catalog.
    pub fn from_bytes(bytes: &[u8], catalog: &Arc<Catalog>) -> Result<Self, DecodeError> {
        Self::read(bytes, catalog, Trust::Nobody)
    }

    /// As [`Self::from_bytes`], without looking at checksum and state hash: so that tests reach what is behind them.
    #[doc(hidden)]
    pub fn from_forged_bytes(bytes: &[u8], catalog: &Arc<Catalog>) -> Result<Self, DecodeError> {
        Self::read(bytes, catalog, Trust::Checksums)
    }

    fn read(bytes: &[u8], catalog: &Arc<Catalog>, trust: Trust) -> Result<Self, DecodeError> {
        let mut decoder = codec::open_with(KIND, bytes, trust)?;
        let at = decoder.position() as u64;
        let found = u64::from_le_bytes(decoder.fixed()?);
        let rules = read_rules(&mut decoder)?;
        let expected = catalog.hash();
        if found != expected && trust == Trust::Nobody {
            let kind = DecodeErrorKind::ForeignCatalog { expected, found, has_rules: rules.is_some() };
            return Err(DecodeError { at, kind });
        }
        read_state(&mut decoder, catalog, trust)
    }
}

/// The rules that a snapshot brings along, not looked at yet.
fn read_rules<'a>(decoder: &mut Decoder<'a>) -> Result<Option<&'a [u8]>, DecodeError> {
    if !bool::decode(decoder)? {
        return Ok(None);
    }
    let length = decoder.length()?;
    decoder.raw(length).map(Some)
}

/// Facts, and the hash that they must come to with all that follows from them.
fn read_state(
    decoder: &mut Decoder<'_>,
    catalog: &Arc<Catalog>,
    trust: Trust,
) -> Result<Snapshot, DecodeError> {
    let mut simulation = Simulation::new(Arc::clone(catalog), super::Config::default());
    simulation.state = State::decode_facts(decoder, catalog)?;
    simulation.derive_all();
    let snapshot = Snapshot { catalog: Arc::clone(catalog), state: simulation.state, is_settled: false };
    let at = decoder.position() as u64;
    let found = u64::from_le_bytes(decoder.fixed()?);
    decoder.finish()?;
    let expected = snapshot.state_hash();
    // An older version had other hashes; its checksum was right.
    let is_comparable = decoder.version() == codec::VERSION && trust == Trust::Nobody;
    if found != expected && is_comparable {
        return Err(DecodeError { at, kind: DecodeErrorKind::StateHash { expected, found } });
    }
    Ok(snapshot)
}

impl core::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Snapshot at {}", self.state.now)
    }
}
