//! Snapshots of the whole state: take, restore, hash, encode and decode.

use ugas_core::codec::{DecodeError, DecodeErrorKind};
use ugas_core::simulation::Snapshot;

use crate::catalog::ugas_catalog;
use crate::context::too_many;
use crate::guard::{enter, ugas_context};
use crate::memory::ugas_bytes;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, ugas_status};

/// Handle of a snapshot of this context.
pub type ugas_snapshot = u64;

/// Takes a snapshot of a simulation, to be freed with ugas_snapshot_free. Events that were not polled are not
/// part of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_take(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut ugas_snapshot,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let snapshot = context.simulation(simulation)?.simulation().snapshot();
        out.set(context.snapshots.insert(snapshot).ok_or_else(|| too_many("snapshot"))?);
        Ok(())
    })
}

/// Overwrites a snapshot with the state of a simulation and reuses its memory: for a rollback that saves
/// every tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_retake(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    snapshot: ugas_snapshot,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.snapshot(snapshot)?;
        context.simulation(simulation)?;
        let taken = context.simulations.get(simulation);
        if let (Some(entry), Some(snapshot)) = (taken, context.snapshots.get_mut(snapshot)) {
            entry.simulation().snapshot_into(snapshot);
        }
        Ok(())
    })
}

/// Frees a snapshot. Zero is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_free(
    context: *mut ugas_context,
    snapshot: ugas_snapshot,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        if snapshot != 0 {
            context.snapshot(snapshot)?;
            drop(context.snapshots.remove(snapshot));
        }
        Ok(())
    })
}

/// Restores a simulation to a snapshot; the same commands then lead to identical results. Events that were
/// not polled are dropped. Refused while a recording is in progress, which cannot represent it, and for a
/// server's or client's simulation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_restore(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    snapshot: ugas_snapshot,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        context.snapshot(snapshot)?;
        context.simulation(simulation)?;
        let entry = context.simulations.get_mut(simulation);
        if let (Some(entry), Some(snapshot)) = (entry, context.snapshots.get(snapshot)) {
            let restored = entry.own_mut()?.restore(snapshot);
            restored.map_err(|error| Failure::new(ugas_status::OtherRules, error.to_string()))?;
            entry.forget_polled();
        }
        Ok(())
    })
}

/// The hash of a snapshot's state; equal to that of a simulation restored to it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_hash(
    context: *mut ugas_context,
    snapshot: ugas_snapshot,
    out: *mut u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(context.snapshot(snapshot)?.state_hash());
        Ok(())
    })
}

/// A snapshot as bytes, to be saved or sent. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_bytes(
    context: *mut ugas_context,
    snapshot: ugas_snapshot,
    out: *mut ugas_bytes,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let bytes = context.snapshot(snapshot)?.to_bytes();
        out.set(context.lend_bytes(bytes));
        Ok(())
    })
}

/// ugas_snapshot_bytes with all definitions, for a saved game that outlives an update of its pack:
/// ugas_simulation_migrate reads it under another catalog, and ugas_snapshot_from_bytes under the same. Valid
/// until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_bytes_with_rules(
    context: *mut ugas_context,
    snapshot: ugas_snapshot,
    out: *mut ugas_bytes,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let bytes = context.snapshot(snapshot)?.to_bytes_with_rules();
        out.set(context.lend_bytes(bytes));
        Ok(())
    })
}

/// Decodes a snapshot that was taken with the same catalog; to be freed with ugas_snapshot_free. The bytes
/// may come from an untrusted source: UGAS_STATUS_BAD_BYTES if they are not a snapshot,
/// UGAS_STATUS_OTHER_RULES if they are of another catalog.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_snapshot_from_bytes(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    bytes: ugas_bytes,
    out: *mut ugas_snapshot,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let bytes = memory.list(bytes.data, bytes.length)?;
        let snapshot = Snapshot::from_bytes(bytes, context.catalog(catalog)?);
        let snapshot = snapshot.map_err(|error| decode_failure(&error))?;
        out.set(context.snapshots.insert(snapshot).ok_or_else(|| too_many("snapshot"))?);
        Ok(())
    })
}

/// Failure for bytes that are not a usable snapshot.
pub(crate) fn decode_failure(error: &DecodeError) -> Failure {
    let status = match error.kind {
        DecodeErrorKind::ForeignCatalog { .. } => ugas_status::OtherRules,
        _ => ugas_status::BadBytes,
    };
    Failure::new(status, error.to_string())
}
