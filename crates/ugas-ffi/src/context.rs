//! The context: owner of all objects of a host.

use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::input::InputMapper;
use ugas_core::simulation::Snapshot;

use crate::ability_set::GrantedLists;
use crate::guard::{self, enter, ugas_context};
use crate::loader::LoaderEntry;
use crate::memory::{Memory, ugas_bytes, ugas_str};
use crate::reason::{Reason, ugas_reason};
use crate::status::{Failure, Outcome, ugas_status};
use crate::table::{Kind, Table};
use crate::world::SimulationEntry;

/// Version of this interface. It changes when a host that was built with an older header could break; added
/// functions and fields do not change it.
pub const UGAS_ABI_VERSION: u32 = 1;

/// "No definition" among the ids of tags, attributes, effects and abilities, where 0 is a valid id.
pub const UGAS_NO_ID: u32 = u32::MAX;

/// Contents of a [`ugas_context`].
pub(crate) struct Context {
    pub(crate) loaders: Table<LoaderEntry>,
    pub(crate) catalogs: Table<Arc<Catalog>>,
    pub(crate) simulations: Table<SimulationEntry>,
    pub(crate) snapshots: Table<Snapshot>,
    pub(crate) mappers: Table<InputMapper>,
    /// Last returned text and bytes, valid until the next call.
    text: String,
    bytes: Vec<u8>,
    pub(crate) granted: GrantedLists,
    error: String,
    reasons: Vec<Reason>,
}

impl Context {
    pub(crate) fn new(mark: u16) -> Self {
        Self {
            loaders: Table::new(Kind::Loader, mark),
            catalogs: Table::new(Kind::Catalog, mark),
            simulations: Table::new(Kind::Simulation, mark),
            snapshots: Table::new(Kind::Snapshot, mark),
            mappers: Table::new(Kind::Mapper, mark),
            text: String::new(),
            bytes: Vec::new(),
            granted: GrantedLists::default(),
            error: String::new(),
            reasons: Vec::new(),
        }
    }

    /// Takes the error message and the reasons of the last call; they are dropped when the next call ends.
    pub(crate) fn take_failure(&mut self) -> (String, Vec<Reason>) {
        (core::mem::take(&mut self.error), core::mem::take(&mut self.reasons))
    }

    pub(crate) fn set_failure(&mut self, failure: Failure) {
        self.error = failure.message;
        self.reasons = failure.reasons;
    }

    pub(crate) fn set_reasons(&mut self, reasons: Vec<Reason>) {
        self.reasons = reasons;
    }

    pub(crate) fn error(&self) -> &str {
        &self.error
    }

    /// Stores a text until the next call.
    pub(crate) fn lend_text(&mut self, text: impl Into<String>) -> ugas_str {
        self.text = text.into();
        ugas_str::from(self.text.as_str())
    }

    /// Stores bytes until the next call.
    pub(crate) fn lend_bytes(&mut self, bytes: Vec<u8>) -> ugas_bytes {
        self.bytes = bytes;
        ugas_bytes::from(self.bytes.as_slice())
    }

    pub(crate) fn catalog(&self, number: u64) -> Outcome<&Arc<Catalog>> {
        self.catalogs.get(number).ok_or_else(|| bad_handle("catalog", number))
    }

    pub(crate) fn simulation(&self, number: u64) -> Outcome<&SimulationEntry> {
        self.simulations.get(number).ok_or_else(|| bad_handle("simulation", number))
    }

    pub(crate) fn simulation_mut(&mut self, number: u64) -> Outcome<&mut SimulationEntry> {
        self.simulations.get_mut(number).ok_or_else(|| bad_handle("simulation", number))
    }

    pub(crate) fn snapshot(&self, number: u64) -> Outcome<&Snapshot> {
        self.snapshots.get(number).ok_or_else(|| bad_handle("snapshot", number))
    }

    pub(crate) fn loader_mut(&mut self, number: u64) -> Outcome<&mut LoaderEntry> {
        self.loaders.get_mut(number).ok_or_else(|| bad_handle("loader", number))
    }
}

/// Failure for a handle that is not valid in this context.
pub(crate) fn bad_handle(kind: &str, number: u64) -> Failure {
    let message = format!(
        "no {kind} of this context has the handle {number:#x}: it was freed or taken over, or is of another context or kind"
    );
    Failure::new(ugas_status::BadHandle, message)
}

/// Failure when no more handles are available.
pub(crate) fn too_many(kind: &str) -> Failure {
    Failure::argument(format!("too many handles of the kind {kind} are in use: free some"))
}

/// Version of the library's interface, to be compared with UGAS_ABI_VERSION of the header.
#[unsafe(no_mangle)]
pub extern "C" fn ugas_abi_version() -> u32 {
    UGAS_ABI_VERSION
}

/// Bit of `ugas_features`: the library has servers and clients.
pub const UGAS_FEATURE_NET: u32 = 1;

/// Bit of `ugas_features`: the library has recordings and players.
pub const UGAS_FEATURE_REPLAY: u32 = 2;

/// Optional parts that the library was built with: a sum of UGAS_FEATURE_NET and UGAS_FEATURE_REPLAY. The header declares
/// the functions of all parts; those of a missing part are not in the library.
#[unsafe(no_mangle)]
pub extern "C" fn ugas_features() -> u32 {
    let net = if cfg!(feature = "net") { UGAS_FEATURE_NET } else { 0 };
    let replay = if cfg!(feature = "replay") { UGAS_FEATURE_REPLAY } else { 0 };
    net | replay
}

/// Anchor symbol with the version in its name: a program that refers to it does not link with a library of
/// another version.
#[unsafe(no_mangle)]
pub extern "C" fn ugas_abi_1() -> u32 {
    UGAS_ABI_VERSION
}

/// A status as text, valid forever.
#[unsafe(no_mangle)]
pub extern "C" fn ugas_status_words(status: u32) -> ugas_str {
    const ALL: [ugas_status; 18] = [
        ugas_status::Ok,
        ugas_status::NullPointer,
        ugas_status::BadContext,
        ugas_status::Busy,
        ugas_status::Panic,
        ugas_status::AbiMismatch,
        ugas_status::BadHandle,
        ugas_status::BadString,
        ugas_status::BadStruct,
        ugas_status::BadArgument,
        ugas_status::NotFound,
        ugas_status::Refused,
        ugas_status::LoadFailed,
        ugas_status::BadBytes,
        ugas_status::OtherRules,
        ugas_status::Io,
        ugas_status::Recording,
        ugas_status::Networked,
    ];
    let known = ALL.into_iter().find(|known| *known as u32 == status);
    ugas_str::from(known.map_or("unknown status", ugas_status::message))
}

/// Creates a context. Pass UGAS_ABI_VERSION; the result is to be freed with ugas_context_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_context_new(abi_version: u32, out: *mut *mut ugas_context) -> ugas_status {
    if abi_version != UGAS_ABI_VERSION {
        return ugas_status::AbiMismatch;
    }
    if out.is_null() || !out.addr().is_multiple_of(align_of::<*mut ugas_context>()) {
        return ugas_status::NullPointer;
    }
    let Ok(context) = std::panic::catch_unwind(ugas_context::allocate) else { return ugas_status::Panic };
    // SAFETY: not null and aligned; the caller promises the rest.
    unsafe { out.write(context) };
    ugas_status::Ok
}

/// Frees a context with everything in it, and sets the caller's pointer to null. Null, or a pointer to null,
/// is ignored. Copies of the pointer must not be used anymore: a context is the only handle that cannot be
/// checked after it is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_context_free(context: *mut *mut ugas_context) -> ugas_status {
    if context.is_null() {
        return ugas_status::Ok;
    }
    // SAFETY: not null; the caller promises the rest.
    let inner = unsafe { context.read_unaligned() };
    if inner.is_null() {
        return ugas_status::Ok;
    }
    // SAFETY: the caller promises that this is a context.
    let status = unsafe { guard::free(inner) };
    if status == ugas_status::Ok {
        // SAFETY: as above.
        unsafe { context.write_unaligned(core::ptr::null_mut()) };
    }
    status
}

/// Error message of the last call with this context; empty if it succeeded. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_last_error(context: *const ugas_context, out: *mut ugas_str) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.look(|context, memory: Memory<'_>| {
        memory.out(out)?.set(ugas_str::from(context.error()));
        Ok(())
    })
}

/// Reasons why the last call was refused: each with its code and the objects involved. `row_size` is
/// sizeof(ugas_reason). Texts are valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_last_reasons(
    context: *const ugas_context,
    out: *mut ugas_reason,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.look(|context, memory| {
        memory.rows(out, row_size, capacity, count)?.fill(context.reasons.iter().map(Reason::to_c));
        Ok(())
    })
}

/// Converts seconds to microseconds: rounded to the nearest, saturating, and zero for NaN.
#[unsafe(no_mangle)]
pub extern "C" fn ugas_micros_from_seconds(seconds: f64) -> i64 {
    ugas_core::time::Span::seconds(seconds).micros()
}
