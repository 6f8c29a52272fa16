//! Old snapshots under new rules: the old catalog is built again, and a reload does the rest.

use std::sync::Arc;

use super::{KIND, Simulation, Snapshot, read_rules, read_state};
use crate::catalog::{Catalog, Definitions, RebuildError};
use crate::codec::{self, DecodeError, DecodeErrorKind, Decoder, Trust};
use crate::reload::{ReloadError, ReloadReport};

/// Why a snapshot could not be brought to the present rules. Nothing has changed then.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrationError {
    /// The bytes cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The state cannot go on under the present rules.
    #[error(transparent)]
    Reload(#[from] ReloadError),
}

/// Why the rules that a snapshot brings along are of no use.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnRulesError {
    /// The bytes cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The catalog cannot be built again.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
}

impl Snapshot {
    /// The catalog that bytes [written with their rules](Self::to_bytes_with_rules) are of, with native code of another
    /// catalog by name; `None` if they were written without. A state and its rules need nothing else to go on.
    ///
    /// # Errors
    /// If the bytes cannot be read, or `natives` lacks code that the rules use.
    pub fn own_catalog(bytes: &[u8], natives: &Catalog) -> Result<Option<Arc<Catalog>>, OwnRulesError> {
        let mut decoder = codec::open(KIND, bytes)?;
        let hash = u64::from_le_bytes(decoder.fixed()?);
        let Some(rules) = read_rules(&mut decoder)? else { return Ok(None) };
        let catalog = read_definitions(rules, &decoder)?.build_with_natives_of(natives)?;
        // An older version had other hashes; its checksum was right.
        if catalog.hash() != hash && decoder.version() == codec::VERSION {
            return Err(foreign_rules(rules, &decoder).into());
        }
        Ok(Some(catalog))
    }
}

impl Simulation {
    /// Goes on from a snapshot that was [written with its rules](super::Snapshot::to_bytes_with_rules), under the rules
    /// of this simulation: those that the snapshot is of are built again, its state is read under them, and a
    /// [reload](Self::reload) brings it here and reports what could not come along. One law for both: [`crate::reload`].
    ///
    /// A snapshot of this very catalog needs no rules, and loses nothing. Native code is found by name; what the old
    /// rules had and this catalog has not is not called again. Events not yet polled are discarded; those of the reload
    /// can be polled.
    ///
    /// # Errors
    /// If the bytes cannot be read, are of another catalog without its rules, or the reload fails.
    pub fn migrate(&mut self, bytes: &[u8]) -> Result<ReloadReport, MigrationError> {
        self.migrate_with(bytes, Trust::Nobody)
    }

    /// As [`Self::migrate`], without looking at checksum and hashes: so that tests reach what is behind them.
    #[doc(hidden)]
    pub fn migrate_forged(&mut self, bytes: &[u8]) -> Result<ReloadReport, MigrationError> {
        self.migrate_with(bytes, Trust::Checksums)
    }

    fn migrate_with(&mut self, bytes: &[u8], trust: Trust) -> Result<ReloadReport, MigrationError> {
        let mut decoder = codec::open_with(KIND, bytes, trust)?;
        let at = decoder.position() as u64;
        let found = u64::from_le_bytes(decoder.fixed().map_err(MigrationError::Decode)?);
        let rules = read_rules(&mut decoder)?;
        let expected = self.catalog.hash();
        let catalog = match rules {
            _ if found == expected && trust == Trust::Nobody => Arc::clone(&self.catalog),
            None if trust == Trust::Checksums => Arc::clone(&self.catalog),
            None => {
                let kind = DecodeErrorKind::ForeignCatalog { expected, found, has_rules: false };
                return Err(DecodeError { at, kind }.into());
            }
            Some(rules) => build_again(rules, found, &decoder, &self.catalog, trust)?,
        };
        let snapshot = read_state(&mut decoder, &catalog, trust)?;
        let mut simulation = Self::new(catalog, self.config.clone());
        simulation.state = snapshot.state;
        simulation.list_pending();
        simulation.go_on();
        let report = simulation.reload(Arc::clone(&self.catalog))?;
        *self = simulation;
        Ok(report)
    }
}

/// The catalog that the rules are of.
fn build_again(
    rules: &[u8],
    hash: u64,
    decoder: &Decoder<'_>,
    provider: &Catalog,
    trust: Trust,
) -> Result<Arc<Catalog>, DecodeError> {
    let definitions = read_definitions(rules, decoder)?;
    let built = definitions.build_to_migrate(provider);
    let at = begin_of(rules, decoder);
    let catalog = built.map_err(|errors| DecodeError { at, kind: DecodeErrorKind::Definitions(errors) })?;
    // An older version had other hashes; its checksum was right.
    let is_comparable = decoder.version() == codec::VERSION && trust == Trust::Nobody;
    if catalog.hash() != hash && is_comparable {
        return Err(foreign_rules(rules, decoder));
    }
    Ok(catalog)
}

fn read_definitions(rules: &[u8], decoder: &Decoder<'_>) -> Result<Definitions, DecodeError> {
    let mut inner = Decoder::new(rules, decoder.version());
    let within = |error: DecodeError| DecodeError { at: error.at + begin_of(rules, decoder), ..error };
    let definitions = <Definitions as codec::Decode>::decode(&mut inner).map_err(within)?;
    inner.finish().map_err(within)?;
    Ok(definitions)
}

/// Where the rules begin that were read last.
fn begin_of(rules: &[u8], decoder: &Decoder<'_>) -> u64 {
    (decoder.position() - rules.len()) as u64
}

fn foreign_rules(rules: &[u8], decoder: &Decoder<'_>) -> DecodeError {
    let kind = DecodeErrorKind::Invalid("the rules of a snapshot are not those that it is of");
    DecodeError { at: begin_of(rules, decoder), kind }
}
