//! Snapshots: the whole state, kept, restored, hashed, and as bytes.

use ugas_core::codec::{DecodeError, DecodeErrorKind};
use ugas_core::simulation::Snapshot;

use crate::catalog::ugas_catalog;
use crate::context::too_many;
use crate::guard::{enter, ugas_context};
use crate::memory::ugas_bytes;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, ugas_status};

/// A snapshot of this context.
pub type ugas_snapshot = u64;

/// Keeps the state of a simulation as it is now, to be freed with ugas_snapshot_free. Events that were not polled are no
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

/// Writes the state of a simulation over an older snapshot, whose memory is used again: what a rollback does every tick.
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

/// Frees a snapshot. Zero is fine.
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

/// Takes a simulation back to a snapshot; what follows is identical to what followed then. Events that were not polled are
/// gone. Refused while a recording is made, which could not follow, and for a server's or client's game.
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

/// The hash of a snapshot's state; that of a simulation which was restored to it is the same.
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

/// The same with all the rules, for a saved game that outlives an update of its pack: ugas_simulation_migrate reads it under
/// other rules, and ugas_snapshot_from_bytes under the same. Valid until the next call.
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

/// A snapshot from bytes, under the rules that it was taken under; to be freed with ugas_snapshot_free. The bytes may come
/// from anybody: UGAS_STATUS_BAD_BYTES if they are none, UGAS_STATUS_OTHER_RULES if they are of another catalog.
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
        let snapshot = snapshot.map_err(|error| undecoded(&error))?;
        out.set(context.snapshots.insert(snapshot).ok_or_else(|| too_many("snapshot"))?);
        Ok(())
    })
}

/// Bytes of a snapshot that cannot be used.
pub(crate) fn undecoded(error: &DecodeError) -> Failure {
    let status = match error.kind {
        DecodeErrorKind::ForeignCatalog { .. } => ugas_status::OtherRules,
        _ => ugas_status::BadBytes,
    };
    Failure::new(status, error.to_string())
}
