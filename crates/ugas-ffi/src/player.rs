//! Recordings played back: any moment of them, to be looked at as a simulation is.

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
use crate::memory::{Headed, Place, Plain, ugas_bytes, ugas_str};
use crate::recording::{io_failure, play_failure, read_failure, to_c, ugas_verification};
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::{SimulationEntry, World};

/// A recording that is played, of this context. It is a simulation too: its number is good wherever a ugas_simulation is asked
/// for, to look at the moment that it is at. Nothing changes it but the functions here; all else that would is refused with
/// UGAS_STATUS_RECORDING. Freed with ugas_simulation_free.
pub type ugas_player = u64;

/// Whether the state is the one that was recorded.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_agreement {
    /// Inside a tick, and at the beginning, no hash is known.
    Unknown = 0,
    /// It is.
    Same = 1,
    /// It is not: other rules, other native code or another library.
    Differs = 2,
}

/// Where a player is. Times are in microseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_player_position {
    /// sizeof(ugas_player_position).
    pub size: usize,
    /// Ticks that are over.
    pub tick: u64,
    /// Ticks of the whole recording.
    pub tick_count: u64,
    /// The time here.
    pub time: u64,
    /// The time at the end.
    pub end: u64,
    /// Commands of the next tick that were executed already.
    pub command: u32,
    /// One of ugas_agreement.
    pub agreement: u32,
    /// Not zero if nothing follows.
    pub is_at_end: u32,
    /// Not zero if the recording was finished; otherwise whoever made it was interrupted, and it ends with its last whole tick.
    pub is_complete: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_player_position {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_player_position {}

/// A recording that is played, with what happened during the last movement.
pub(crate) struct Playback {
    pub(crate) player: Player<Source>,
    pub(crate) events: VecDeque<Event>,
}

/// Where a recording comes from.
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

/// Plays a recording, from its beginning. By the rules of `catalog`, which it needs if they have native code or were left
/// out; 0 is by its own, which ugas_catalog_of gives. The bytes are copied, and may come from anybody: `limit` is the most
/// moments that one movement looks at, so that nobody waits for years for what a stranger wrote; 0 is no limit. To be freed
/// with ugas_simulation_free.
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

/// The same with a file, which is read while it is played. To be freed with ugas_simulation_free.
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

/// Where a player is.
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

/// Goes to the moment after so many ticks, ahead or back, at most to the end. What happened on the way is polled with
/// ugas_events_poll, the last few thousand events of a long one. If something in between cannot be read, or the limit is
/// reached, it stays where it came to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_seek_tick(
    context: *mut ugas_context,
    player: ugas_player,
    tick: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| moved(context, player, |player| player.seek_tick(tick)))
}

/// Goes to a time, also inside a tick; the rest is as with ugas_player_seek_tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_seek_time(
    context: *mut ugas_context,
    player: ugas_player,
    time: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }
        .run(|context, _| moved(context, player, |player| player.seek_time(Time::from_micros(time))))
}

/// Goes to the end of the tick that it is in, or of the next one. `has_moved`, which may be null, gets 0 at the end of the
/// recording; the rest is as with ugas_player_seek_tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_step(
    context: *mut ugas_context,
    player: ugas_player,
    has_moved: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.optional(has_moved)?;
        told(out, moved(context, player, Player::step)?)
    })
}

/// Goes back to the beginning of the tick that it is in, or of the one before. `has_moved`, which may be null, gets 0 at the
/// beginning of the recording; the rest is as with ugas_player_seek_tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_back(
    context: *mut ugas_context,
    player: ugas_player,
    has_moved: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.optional(has_moved)?;
        told(out, moved(context, player, Player::back)?)
    })
}

/// The controller that ugas_recording_name gave this name; one that lives here, if there are several.
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
        let found = found.ok_or_else(|| Failure::not_found(format!("nobody is called `{name}`")))?;
        out.set(found.to_bits().get());
        Ok(())
    })
}

/// What a controller is called in the recording. Valid until the next call. UGAS_STATUS_NOT_FOUND if it has no name.
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

/// ugas_recording_verify within the limit of a player, which is at the beginning then and has no events.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_player_verify(
    context: *mut ugas_context,
    player: ugas_player,
    out: *mut ugas_verification,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out_sized(out)?;
        out.set(to_c(&moved(context, player, verify)?));
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

/// Moves a player, and keeps what happened on the way.
fn moved<T>(
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

/// Says whether it moved, to whoever asked.
fn told(out: Option<Place<'_, u32>>, has_moved: bool) -> Outcome {
    if let Some(out) = out {
        out.set(u32::from(has_moved));
    }
    Ok(())
}
