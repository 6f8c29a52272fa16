//! Recordings: made while a simulation runs, in memory or in a file, and verified. `player` plays them back.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Seek, Write};

use ugas_core::handle::ControllerId;
use ugas_replay::{
    PlayError, Player, ReadError, RecordError, Recorder, Rules, Settings, Verification, verify,
};

use crate::catalog::ugas_catalog;
use crate::context::Context;
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, OutStruct, Plain, SizePrefixed, ugas_bytes, ugas_str};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::SimulationEntry;

/// Settings of a recording.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_recording_settings {
    /// sizeof(ugas_recording_settings).
    pub size: usize,
    /// Ticks between key frames; 0 is the default.
    pub key_every: u32,
    /// Not zero to omit the definitions from the recording: then it cannot be played without the pack.
    pub omit_rules: u32,
}

/// Result of verifying a recording.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_verification {
    /// sizeof(ugas_verification).
    pub size: usize,
    /// Number of compared ticks.
    pub ticks: u64,
    /// Number of compared key frames.
    pub key_frames: u64,
    /// First tick that differs, if `differs` is not zero.
    pub tick: u64,
    /// Recorded hash of that tick.
    pub recorded: u64,
    /// Simulated hash of that tick.
    pub simulated: u64,
    /// Not zero if a tick differs.
    pub differs: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_recording_settings {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_recording_settings {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_verification {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_verification {}

/// A recording in progress.
pub(crate) struct Recording {
    pub(crate) recorder: Recorder<Medium>,
}

/// Storage that a recording is written to.
pub(crate) enum Medium {
    Memory(Vec<u8>),
    File(BufWriter<File>),
}

impl Write for Medium {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Memory(memory) => memory.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::File(file) => file.flush(),
        }
    }
}

/// Starts to record a simulation in memory, from its present state. `settings` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_recording_start(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    settings: *const ugas_recording_settings,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let settings = settings_of(settings, memory)?;
        start(context.simulation_mut(simulation)?, settings, || Ok(Medium::Memory(Vec::new())))
    })
}

/// Starts to record a simulation in a file, which is overwritten. `settings` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_recording_start_file(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    path: ugas_str,
    settings: *const ugas_recording_settings,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let settings = settings_of(settings, memory)?;
        let path = memory.text(path)?;
        start(context.simulation_mut(simulation)?, settings, || {
            let file = File::create(path).map_err(|error| io_failure(path, &error))?;
            Ok(Medium::File(BufWriter::new(file)))
        })
    })
}

/// Stores a name for a controller in the recording.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_recording_name(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    name: ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let name = memory.text(name)?;
        let entry = context.simulation_mut(simulation)?;
        let id: ControllerId = entry.controller(controller)?;
        let recording = entry.recording.as_mut().ok_or_else(no_recording)?;
        recording.recorder.name(id, name);
        Ok(())
    })
}

/// Finishes a recording. `out`, which may be null, gets the bytes of a recording in memory, valid until the
/// next call; for a recording in a file it gets no bytes. Write errors of the file are reported here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_recording_finish(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut ugas_bytes,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.optional(out)?;
        let entry = context.simulation_mut(simulation)?;
        let recording = entry.recording.take().ok_or_else(no_recording)?;
        let bytes =
            match recording.recorder.finish(entry.simulation()).map_err(|error| record_failure(&error))? {
                Medium::Memory(bytes) => bytes,
                Medium::File(_) => Vec::new(),
            };
        let lent = context.lend_bytes(bytes);
        if let Some(out) = out {
            out.set(lent);
        }
        Ok(())
    })
}

/// Simulates a recording again and compares every tick. `catalog` is needed if the definitions have native
/// code or were omitted from the recording; 0 uses the recorded definitions. It takes as long as the
/// recording asks for: verify an untrusted recording with ugas_player_verify, which has a limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_recording_verify(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    recording: ugas_bytes,
    out: *mut ugas_verification,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        let bytes = memory.list(recording.data, recording.length)?;
        check(context, catalog, Cursor::new(bytes), out)
    })
}

/// ugas_recording_verify with a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_recording_verify_file(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    path: ugas_str,
    out: *mut ugas_verification,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        let path = memory.text(path)?;
        let file = File::open(path).map_err(|error| io_failure(path, &error))?;
        check(context, catalog, file, out)
    })
}

fn settings_of(settings: *const ugas_recording_settings, memory: Memory<'_>) -> Outcome<Settings> {
    let given = memory.optional_input(settings)?;
    let mut settings = Settings::default();
    if given.key_every != 0 {
        settings.key_every = given.key_every;
    }
    if given.omit_rules != 0 {
        settings.rules = Rules::Omitted;
    }
    Ok(settings)
}

fn start(
    entry: &mut SimulationEntry,
    settings: Settings,
    medium: impl FnOnce() -> Outcome<Medium>,
) -> Outcome {
    if entry.recording.is_some() {
        return Err(Failure::new(
            ugas_status::Recording,
            "a recording is already in progress: finish it first",
        ));
    }
    let simulation: &_ = entry.own_mut()?;
    let recorder = Recorder::new(medium()?, simulation, settings);
    entry.recording = Some(Recording { recorder: recorder.map_err(|error| record_failure(&error))? });
    Ok(())
}

fn check(
    context: &Context,
    catalog: ugas_catalog,
    reader: impl Read + Seek,
    out: OutStruct<'_, ugas_verification>,
) -> Outcome {
    let recording = ugas_replay::Recording::open(reader).map_err(|error| read_failure(&error))?;
    let player = match catalog {
        0 => Player::new(recording),
        number => Player::with_catalog(recording, context.catalog(number)?),
    };
    let mut player = player.map_err(|error| play_failure(&error))?;
    let verified = verify(&mut player).map_err(|error| play_failure(&error))?;
    out.set(to_c(&verified));
    Ok(())
}

/// Converts a verification to its C form.
pub(crate) fn to_c(verified: &Verification) -> ugas_verification {
    let difference = verified.difference.as_ref();
    ugas_verification {
        size: size_of::<ugas_verification>(),
        ticks: verified.ticks,
        key_frames: verified.key_frames,
        tick: difference.map_or(0, |difference| difference.tick),
        recorded: difference.map_or(0, |difference| difference.recorded),
        simulated: difference.map_or(0, |difference| difference.simulated),
        differs: u32::from(difference.is_some()),
        reserved: 0,
    }
}

/// Failure for a recording that cannot be read.
pub(crate) fn read_failure(error: &ReadError) -> Failure {
    let status = match error {
        ReadError::Io(_) => ugas_status::Io,
        _ => ugas_status::BadBytes,
    };
    Failure::new(status, error.to_string())
}

/// Failure for a recording that cannot be played.
pub(crate) fn play_failure(error: &PlayError) -> Failure {
    let status = match error {
        PlayError::Read(error) => return read_failure(error),
        PlayError::NoRules(_) | PlayError::OtherRules { .. } | PlayError::Foreign(_) => {
            ugas_status::OtherRules
        }
        _ => ugas_status::BadBytes,
    };
    Failure::new(status, error.to_string())
}

fn no_recording() -> Failure {
    Failure::new(ugas_status::Recording, "no recording is in progress")
}

fn record_failure(error: &RecordError) -> Failure {
    Failure::new(ugas_status::Io, error.to_string())
}

pub(crate) fn io_failure(path: &str, error: &io::Error) -> Failure {
    Failure::new(ugas_status::Io, format!("{path}: {error}"))
}
