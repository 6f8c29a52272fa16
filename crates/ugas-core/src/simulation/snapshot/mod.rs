//! Snapshots: a copy of the state, in memory or as bytes (I1).
//!
//! `facts` writes and reads the part that cannot be derived, `check` validates it, so that no bytes lead to a
//! state that the rules could not produce, and [`super::derive`] derives the rest.

mod check;
mod facts;
mod migrate;

use std::sync::Arc;

use super::{Simulation, State};
use crate::catalog::Catalog;
use crate::codec::{self, ChecksumPolicy, Decode, DecodeError, DecodeErrorKind, Decoder, Encode};
use crate::time::Time;
pub(super) use check::Check;
pub use migrate::{EmbeddedRulesError, MigrationError};

/// The first bytes of a snapshot.
const KIND: [u8; 4] = *b"UGSN";

/// A copy of a simulation's state; see [`Simulation::snapshot`].
#[derive(Clone)]
pub struct Snapshot {
    /// Catalog of the ids in the state.
    pub(super) catalog: Arc<Catalog>,
    pub(super) state: State,
    /// Whether no value waits for re-evaluation, as far as is known.
    pub(super) is_settled: bool,
}

/// A snapshot belongs to another catalog, whose ids have other meanings here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the snapshot belongs to another catalog: its hash is {found:016x}, that of this simulation {expected:016x}; \
     a snapshot from before a reload cannot be restored: take a new one after it"
)]
pub struct ForeignSnapshot {
    /// Hash of the simulation's catalog.
    pub expected: u64,
    /// Hash of the snapshot's catalog.
    pub found: u64,
}

impl Snapshot {
    /// Simulation time at which the snapshot was taken.
    pub fn time(&self) -> Time {
        self.state.now
    }

    /// Hash of the state; see [`Simulation::state_hash`].
    pub fn state_hash(&self) -> u64 {
        self.state_hash_of_version(codec::VERSION)
    }

    /// Hash of the state in the form of a codec version; see [`Simulation::state_hash_of_version`].
    pub fn state_hash_of_version(&self, version: u32) -> u64 {
        self.state.hash(version)
    }

    /// Catalog of the snapshot.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Replaces the seed: past rolls stay, later ones differ (V5).
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.state.seed = seed;
        self
    }

    /// Reads only the time of an encoded snapshot. Needs no catalog and does not validate the rest.
    ///
    /// # Errors
    /// If the bytes are damaged or of an unknown format version.
    pub fn time_of(bytes: &[u8]) -> Result<Time, DecodeError> {
        let mut decoder = codec::open(KIND, bytes)?;
        let _catalog: [u8; 8] = decoder.fixed()?;
        read_rules(&mut decoder)?;
        Time::decode(&mut decoder)
    }

    /// Encodes the snapshot, to be stored or sent. Equal states give equal bytes, and a simulation restored
    /// from them continues exactly as this one would, including the handles it allocates.
    ///
    /// The [envelope](codec#files) `UGSN` contains the catalog's hash (8 bytes, little-endian); the rules as
    /// an option (none here); the facts of the state; and the state's hash (8 bytes, little-endian). The
    /// facts are: time, seed, the next numbers of application, controller, operation and event; the number of
    /// effects created at run time, and each as an optional definition, with the length of the gap where some
    /// were forgotten; the arena of controllers, followed by the attribute sets of each living one, as a list
    /// of ids; the arenas of active effects, granted abilities, their activations and tasks. Derived state is
    /// not written: modifiers, tags, cues, timers and every index are derived again.
    ///
    /// A snapshot from inside a [batch](Simulation::batch) contains the list of values that are still to be
    /// computed, as it does in memory; consequences that wait for the end of the batch are part of neither.
    pub fn to_bytes(&self) -> Vec<u8> {
        write(&self.catalog, &self.state, None)
    }

    /// Encodes the snapshot with all definitions of its catalog: the rules, as a list of bytes. Such a
    /// snapshot can be migrated to a changed catalog; see [`Simulation::migrate`].
    pub fn to_bytes_with_rules(&self) -> Vec<u8> {
        write(&self.catalog, &self.state, Some(&codec::to_bytes(self.catalog.definitions())))
    }

    /// Decodes a snapshot from untrusted bytes: an impossible state is an error, and a decoded snapshot can
    /// be [restored](Simulation::restore) and used.
    ///
    /// # Errors
    /// If the bytes are damaged, of an unknown format version, or belong to another catalog.
    pub fn from_bytes(bytes: &[u8], catalog: &Arc<Catalog>) -> Result<Self, DecodeError> {
        Self::read(bytes, catalog, ChecksumPolicy::Verify)
    }

    /// As [`Self::from_bytes`], but skips checksum and state hash, so that tests reach the code behind them.
    #[doc(hidden)]
    pub fn from_forged_bytes(bytes: &[u8], catalog: &Arc<Catalog>) -> Result<Self, DecodeError> {
        Self::read(bytes, catalog, ChecksumPolicy::Ignore)
    }

    /// Decodes a snapshot; ignored checksums skip the comparison of catalog and state hashes too.
    fn read(bytes: &[u8], catalog: &Arc<Catalog>, checksums: ChecksumPolicy) -> Result<Self, DecodeError> {
        let mut decoder = codec::open_with(KIND, bytes, checksums)?;
        let at = decoder.position() as u64;
        let found = u64::from_le_bytes(decoder.fixed()?);
        let rules = read_rules(&mut decoder)?;
        let expected = catalog.hash();
        if found != expected && checksums == ChecksumPolicy::Verify {
            let kind = DecodeErrorKind::ForeignCatalog { expected, found, has_rules: rules.is_some() };
            return Err(DecodeError { at, kind });
        }
        read_state(&mut decoder, catalog, checksums)
    }
}

impl Simulation {
    /// Encodes the state like [`Snapshot::to_bytes`], without copying it first.
    pub fn snapshot_bytes(&self) -> Vec<u8> {
        write(&self.catalog, &self.state, None)
    }
}

/// Encodes a state, with the encoded rules if there are any.
fn write(catalog: &Catalog, state: &State, rules: Option<&Vec<u8>>) -> Vec<u8> {
    codec::seal(KIND, |encoder| {
        encoder.raw(&catalog.hash().to_le_bytes());
        rules.encode(encoder);
        state.encode_facts(encoder);
        encoder.raw(&state.hash(codec::VERSION).to_le_bytes());
    })
}

/// Reads the rules in a snapshot as undecoded bytes; `None` if it was written without them.
fn read_rules<'a>(decoder: &mut Decoder<'a>) -> Result<Option<&'a [u8]>, DecodeError> {
    if !bool::decode(decoder)? {
        return Ok(None);
    }
    let length = decoder.length()?;
    decoder.raw(length).map(Some)
}

/// Reads the facts, derives the rest and compares the hash of the complete state.
fn read_state(
    decoder: &mut Decoder<'_>,
    catalog: &Arc<Catalog>,
    checksums: ChecksumPolicy,
) -> Result<Snapshot, DecodeError> {
    let mut simulation = Simulation::new(Arc::clone(catalog), super::Config::default());
    simulation.state = State::decode_facts(decoder, catalog)?;
    simulation.derive_all();
    let snapshot = Snapshot { catalog: Arc::clone(catalog), state: simulation.state, is_settled: false };
    let at = decoder.position() as u64;
    let found = u64::from_le_bytes(decoder.fixed()?);
    decoder.finish()?;
    let expected = snapshot.state_hash_of_version(decoder.version());
    // States of older versions lack what is hashed today; the checksum was valid.
    let is_comparable = decoder.version() >= codec::COMPARABLE && checksums == ChecksumPolicy::Verify;
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
