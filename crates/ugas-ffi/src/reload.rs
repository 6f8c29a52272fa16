//! Continuing a running or saved simulation with a changed catalog.

use std::sync::Arc;

use ugas_core::simulation::MigrationError;

use crate::catalog::ugas_catalog;
use crate::guard::{enter, ugas_context};
use crate::memory::{ugas_bytes, ugas_str};
use crate::simulation::ugas_simulation;
use crate::snapshot::decode_failure;
use crate::status::{Failure, ugas_status};

/// Switches a running simulation to another catalog, by names: handles stay valid, ids of definitions are
/// those of the new catalog afterwards. All or nothing. `is_lossless` gets 0 if something could not be
/// carried over, and `report` one line per changed definition and per loss, valid until the next call; both
/// may be null. Refused while a recording is in progress, and for a server's or client's simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_reload(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    catalog: ugas_catalog,
    is_lossless: *mut u32,
    report: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (is_lossless, report) = (memory.optional(is_lossless)?, memory.optional(report)?);
        let catalog = Arc::clone(context.catalog(catalog)?);
        let entry = context.simulation_mut(simulation)?;
        let reloaded = entry.own_mut()?.reload(catalog);
        let reloaded = reloaded.map_err(|error| Failure::refused(error.to_string(), Vec::new()))?;
        // Polled events have ids of the old catalog, which the new catalog cannot describe.
        entry.forget_polled();
        if let Some(is_lossless) = is_lossless {
            is_lossless.set(u32::from(reloaded.is_lossless()));
        }
        if let Some(report) = report {
            report.set(context.lend_text(reloaded.to_string()));
        }
        Ok(())
    })
}

/// Restores a snapshot of ugas_snapshot_bytes_with_rules under the catalog of this simulation, which may have
/// changed since; the previous state is replaced. A snapshot of the same catalog need not contain the
/// definitions. All or nothing; `is_lossless` and `report` are those of ugas_simulation_reload. The bytes may
/// come from an untrusted source: UGAS_STATUS_BAD_BYTES if they are not a snapshot, UGAS_STATUS_OTHER_RULES
/// if they are of another catalog and do not contain its definitions. Refused while a recording is in
/// progress, and for a server's or client's simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_migrate(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    snapshot: ugas_bytes,
    is_lossless: *mut u32,
    report: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (is_lossless, report) = (memory.optional(is_lossless)?, memory.optional(report)?);
        let bytes = memory.list(snapshot.data, snapshot.length)?;
        let entry = context.simulation_mut(simulation)?;
        let migrated = entry.own_mut()?.migrate(bytes).map_err(|error| match error {
            MigrationError::Decode(error) => decode_failure(&error),
            other => Failure::refused(other.to_string(), Vec::new()),
        })?;
        entry.forget_polled();
        if let Some(is_lossless) = is_lossless {
            is_lossless.set(u32::from(migrated.is_lossless()));
        }
        if let Some(report) = report {
            report.set(context.lend_text(migrated.to_string()));
        }
        Ok(())
    })
}
