//! Migration of old snapshots: rebuilds the old catalog from the snapshot, then reloads.

use std::sync::Arc;

use super::{KIND, Simulation, Snapshot, read_rules, read_state};
use crate::catalog::{Catalog, Definitions, RebuildError};
use crate::codec::{self, ChecksumPolicy, DecodeError, DecodeErrorKind, Decoder};
use crate::reload::{ReloadError, ReloadReport};

/// Reason for which a snapshot could not be migrated. The state is unchanged then.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrationError {
    /// The bytes cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The state cannot be reloaded under the present catalog.
    #[error(transparent)]
    Reload(#[from] ReloadError),
}

/// Reason for which the rules in a snapshot cannot be used.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddedRulesError {
    /// The bytes cannot be read.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The catalog cannot be rebuilt.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
}

impl Snapshot {
    /// Rebuilds the catalog of a snapshot that was [written with its rules](Self::to_bytes_with_rules), with
    /// native code from `natives` by name; `None` if it was written without rules.
    ///
    /// # Errors
    /// If the bytes cannot be read, or `natives` lacks code that the rules use.
    pub fn embedded_catalog(
        bytes: &[u8],
        natives: &Catalog,
    ) -> Result<Option<Arc<Catalog>>, EmbeddedRulesError> {
        let mut decoder = codec::open(KIND, bytes)?;
        let hash = u64::from_le_bytes(decoder.fixed()?);
        let Some(rules) = read_rules(&mut decoder)? else { return Ok(None) };
        let catalog = read_definitions(rules, &decoder)?.build_with_natives_of(natives)?;
        // An older format version has other hashes; the checksum was valid.
        if catalog.hash() != hash && decoder.version() >= codec::COMPARABLE {
            return Err(foreign_rules(rules, &decoder).into());
        }
        Ok(Some(catalog))
    }
}

impl Simulation {
    /// Restores a snapshot that was [written with its rules](super::Snapshot::to_bytes_with_rules) under the
    /// catalog of this simulation: rebuilds the old catalog, reads the state under it, and
    /// [reloads](Self::reload) it here with a report of everything that could not be kept. The rules of
    /// [`crate::reload`] apply.
    ///
    /// A snapshot of this same catalog needs no rules and loses nothing. Native code is found by name; code
    /// of the old rules that this catalog lacks is not called again. Events not yet polled are discarded;
    /// those of the reload can be polled.
    ///
    /// # Errors
    /// If the bytes cannot be read, belong to another catalog without containing its rules, or the reload
    /// fails.
    pub fn migrate(&mut self, bytes: &[u8]) -> Result<ReloadReport, MigrationError> {
        self.migrate_with(bytes, ChecksumPolicy::Verify)
    }

    /// As [`Self::migrate`], but skips checksum and hashes, so that tests reach the code behind them.
    #[doc(hidden)]
    pub fn migrate_forged(&mut self, bytes: &[u8]) -> Result<ReloadReport, MigrationError> {
        self.migrate_with(bytes, ChecksumPolicy::Ignore)
    }

    /// Migrates a snapshot; replaces the simulation only if everything succeeds. With ignored checksums and
    /// without rules, the present catalog counts as that of the snapshot.
    fn migrate_with(
        &mut self,
        bytes: &[u8],
        checksums: ChecksumPolicy,
    ) -> Result<ReloadReport, MigrationError> {
        let mut decoder = codec::open_with(KIND, bytes, checksums)?;
        let at = decoder.position() as u64;
        let found = u64::from_le_bytes(decoder.fixed().map_err(MigrationError::Decode)?);
        let rules = read_rules(&mut decoder)?;
        let expected = self.catalog.hash();
        let catalog = match rules {
            _ if found == expected && checksums == ChecksumPolicy::Verify => Arc::clone(&self.catalog),
            None if checksums == ChecksumPolicy::Ignore => Arc::clone(&self.catalog),
            None => {
                let kind = DecodeErrorKind::ForeignCatalog { expected, found, has_rules: false };
                return Err(DecodeError { at, kind }.into());
            }
            Some(rules) => build_again(rules, found, &decoder, &self.catalog, checksums)?,
        };
        let snapshot = read_state(&mut decoder, &catalog, checksums)?;
        let mut simulation = Self::new(catalog, self.config.clone());
        simulation.state = snapshot.state;
        simulation.list_pending();
        simulation.finish_pending();
        let report = simulation.reload(Arc::clone(&self.catalog))?;
        *self = simulation;
        Ok(report)
    }
}

/// Rebuilds the catalog of the rules, with native code from `provider`; an error if its hash is not `hash`.
fn build_again(
    rules: &[u8],
    hash: u64,
    decoder: &Decoder<'_>,
    provider: &Catalog,
    checksums: ChecksumPolicy,
) -> Result<Arc<Catalog>, DecodeError> {
    let definitions = read_definitions(rules, decoder)?;
    let built = definitions.build_to_migrate(provider);
    let at = begin_of(rules, decoder);
    let catalog = built.map_err(|errors| DecodeError { at, kind: DecodeErrorKind::Definitions(errors) })?;
    // An older format version has other hashes; the checksum was valid.
    let is_comparable = decoder.version() >= codec::COMPARABLE && checksums == ChecksumPolicy::Verify;
    if catalog.hash() != hash && is_comparable {
        return Err(foreign_rules(rules, decoder));
    }
    Ok(catalog)
}

/// Decodes the rules; positions of errors count from the beginning of the snapshot.
fn read_definitions(rules: &[u8], decoder: &Decoder<'_>) -> Result<Definitions, DecodeError> {
    let mut inner = Decoder::new(rules, decoder.version());
    let within = |error: DecodeError| DecodeError { at: error.at + begin_of(rules, decoder), ..error };
    let definitions = <Definitions as codec::Decode>::decode(&mut inner).map_err(within)?;
    inner.finish().map_err(within)?;
    Ok(definitions)
}

/// Offset of the rules in the snapshot; `decoder` has just read them.
fn begin_of(rules: &[u8], decoder: &Decoder<'_>) -> u64 {
    (decoder.position() - rules.len()) as u64
}

fn foreign_rules(rules: &[u8], decoder: &Decoder<'_>) -> DecodeError {
    let kind = DecodeErrorKind::Invalid("the rules in the snapshot do not match the hash of its catalog");
    DecodeError { at: begin_of(rules, decoder), kind }
}
