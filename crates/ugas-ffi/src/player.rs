//! Playback of recordings: seek to any moment and read it like a simulation.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use ugas_core::event::Event;
use ugas_core::handle::ControllerId;
use ugas_core::time::Time;
use ugas_replay::{PlayError, Player, Recording, Tail, verify};

use crate::catalog::ugas_catalog;
use crate::context::{Context, too_many};
use crate::guard::{enter, ugas_context};
use crate::memory::{OutValue, Plain, SizePrefixed, ugas_bytes, ugas_str};
use crate::recording::{io_failure, play_failure, read_failure, to_c, ugas_verification};
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::{SimulationEntry, World};

/// Handle of a player of this context: a recording that is played back. A player is a simulation too: its
/// handle is accepted wherever a ugas_simulation is, to read the state at its position. Only the functions
/// here change it; every other change is refused with UGAS_STATUS_RECORDING. Freed with ugas_simulation_free.
pub type ugas_player = u64;

/// Whether the simulated state is equal to the recorded one.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_agreement {
    /// Unknown: inside a tick, and at the beginning, there is no recorded hash.
    Unknown = 0,
    /// Equal.
    Same = 1,
    /// Different: the definitions, native code or the library differ.
    Differs = 2,
}

/// Position of a player. Times are in microseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_player_position {
    /// sizeof(ugas_player_position).
    pub size: usize,
    /// Number of completed ticks.
    pub tick: u64,
    /// Number of ticks of the whole recording.
    pub tick_count: u64,
    /// Time at the position.
    pub time: u64,
    /// Time at the end of the recording.
    pub end: u64,
    /// Number of commands of the next tick that were already executed.
    pub command: u32,
    /// One of ugas_agreement.
    pub agreement: u32,
    /// Not zero at the end of the recording.
    pub is_at_end: u32,
    /// Not zero if the recording was finished; otherwise the recorder was interrupted, and the recording ends
    /// with its last complete tick.
    pub is_complete: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_player_position {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_player_position {}

/// A player, with the events of its last movement.
pub(crate) struct Playback {
    pub(crate) player: Player<Source>,
    pub(crate) events: VecDeque<Event>,
}

/// Storage that a recording is read from.
pub(crate) enum Source {
    Memory(Cursor<Vec<u8>>),
    File(File),
}

impl Read for Source {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Memory(memory) => memory.read(bytes),
            Self::File(file) => file.read(bytes),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Memory(memory) => memory.seek(to),
            Self::File(file) => file.seek(to),
        }
    }
}

/// Plays a recording from its beginning. `catalog` is needed if the definitions have native code or were
/// omitted from the recording; 0 uses the recorded definitions, which ugas_catalog_of returns. The bytes are
/// copied, and may come from an untrusted source: `limit` is the maximum number of moments that one movement
/// visits, so that a malicious recording cannot run for years; 0 is no limit. To be freed with
/// ugas_simulation_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_new(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    recording: ugas_bytes,
    limit: u64,
    out: *mut ugas_player,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let bytes = memory.list(recording.data, recording.length)?.to_vec();
        out.set(open(context, catalog, Source::Memory(Cursor::new(bytes)), limit)?);
        Ok(())
    })
}

/// ugas_player_new with a file, which is read during playback. To be freed with ugas_simulation_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_new_file(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    path: ugas_str,
    limit: u64,
    out: *mut ugas_player,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let path = memory.text(path)?;
        let file = File::open(path).map_err(|error| io_failure(path, &error))?;
        out.set(open(context, catalog, Source::File(file), limit)?);
        Ok(())
    })
}

/// Position of a player.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_look(
    context: *mut ugas_context,
    player: ugas_player,
    out: *mut ugas_player_position,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        let player = &context.simulation(player)?.playback(player)?.player;
        let (recording, position) = (player.recording(), player.position());
        let end = recording.time_after(recording.ticks()).unwrap_or(position.time);
        let agreement = match player.agrees() {
            None => ugas_agreement::Unknown,
            Some(true) => ugas_agreement::Same,
            Some(false) => ugas_agreement::Differs,
        };
        out.set(ugas_player_position {
            size: size_of::<ugas_player_position>(),
            tick: position.ticks,
            tick_count: recording.ticks(),
            time: position.time.micros(),
            end: end.micros(),
            command: position.commands,
            agreement: agreement as u32,
            is_at_end: u32::from(player.is_at_end()),
            is_complete: u32::from(*recording.tail() == Tail::Complete),
        });
        Ok(())
    })
}

/// Moves to the end of the given tick, forwards or backwards, at most to the end of the recording. Events on
/// the way are polled with ugas_events_poll; of a long movement, the last few thousand. If a part cannot be
/// read, or the limit is reached, the player stays at the position it reached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_seek_tick(
    context: *mut ugas_context,
    player: ugas_player,
    tick: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| move_player(context, player, |player| player.seek_tick(tick)))
}

/// Moves to a time, also inside a tick; otherwise like ugas_player_seek_tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_seek_time(
    context: *mut ugas_context,
    player: ugas_player,
    time: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }
        .run(|context, _| move_player(context, player, |player| player.seek_time(Time::from_micros(time))))
}

/// Moves to the end of the current or next tick. `has_moved`, which may be null, gets 0 at the end of the
/// recording; otherwise like ugas_player_seek_tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_step(
    context: *mut ugas_context,
    player: ugas_player,
    has_moved: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.optional(has_moved)?;
        set_has_moved(out, move_player(context, player, Player::step)?)
    })
}

/// Moves back to the beginning of the current or previous tick. `has_moved`, which may be null, gets 0 at the
/// beginning of the recording; otherwise like ugas_player_seek_tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_back(
    context: *mut ugas_context,
    player: ugas_player,
    has_moved: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.optional(has_moved)?;
        set_has_moved(out, move_player(context, player, Player::back)?)
    })
}

/// The controller that was named with ugas_recording_name; if there are several, one that exists at this
/// position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_controller(
    context: *mut ugas_context,
    player: ugas_player,
    name: ugas_str,
    out: *mut ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let name = memory.text(name)?;
        let found = context.simulation(player)?.playback(player)?.player.controller(name);
        let found = found.ok_or_else(|| Failure::not_found(format!("no controller is named `{name}`")))?;
        out.set(found.to_bits().get());
        Ok(())
    })
}

/// Name of a controller in the recording. Valid until the next call. UGAS_STATUS_NOT_FOUND if it has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_name(
    context: *mut ugas_context,
    player: ugas_player,
    controller: ugas_controller,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let recording = context.simulation(player)?.playback(player)?.player.recording();
        let id = ControllerId::from_bits(controller);
        let name = recording.names().find(|(known, _)| Some(*known) == id).map(|(_, name)| name.to_owned());
        let name = name.ok_or_else(|| Failure::not_found("the controller has no name in the recording"))?;
        out.set(context.lend_text(name));
        Ok(())
    })
}

/// ugas_recording_verify within the limit of a player. Afterwards the player is at the beginning and has no
/// events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_verify(
    context: *mut ugas_context,
    player: ugas_player,
    out: *mut ugas_verification,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        out.set(to_c(&move_player(context, player, verify)?));
        Ok(())
    })
}

fn open(context: &mut Context, catalog: ugas_catalog, source: Source, limit: u64) -> Outcome<ugas_player> {
    let recording = Recording::open(source).map_err(|error| read_failure(&error))?;
    let player = match catalog {
        0 => Player::new(recording),
        number => Player::with_catalog(recording, context.catalog(number)?),
    };
    let player = player.map_err(|error| play_failure(&error))?;
    let player = if limit == 0 { player } else { player.limit(limit) };
    let entry = SimulationEntry::new(World::Player(Box::new(Playback { player, events: VecDeque::new() })));
    context.simulations.insert(entry).ok_or_else(|| too_many("player"))
}

/// Moves a player, and keeps the events on the way.
fn move_player<T>(
    context: &mut Context,
    number: ugas_player,
    movement: impl FnOnce(&mut Player<Source>) -> Result<T, PlayError>,
) -> Outcome<T> {
    let playback = context.simulation_mut(number)?.playback_mut(number)?;
    let outcome = movement(&mut playback.player);
    playback.events.clear();
    playback.events.extend(playback.player.events().iter().cloned());
    outcome.map_err(|error| play_failure(&error))
}

/// Writes whether the player moved, if the caller asked for it.
fn set_has_moved(out: Option<OutValue<'_, u32>>, has_moved: bool) -> Outcome {
    if let Some(out) = out {
        out.set(u32::from(has_moved));
    }
    Ok(())
}
