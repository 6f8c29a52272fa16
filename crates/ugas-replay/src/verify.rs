//! Verification of a recording: simulates it again and compares every state.

use std::io::{Read, Seek};

use ugas_core::simulation::{Simulation, Snapshot};
use ugas_core::time::Time;

use crate::diff::StateDiff;
use crate::error::PlayError;
use crate::player::Player;

/// The result of [`verify()`].
#[derive(Clone, PartialEq, Debug)]
pub struct Verification {
    /// Number of compared ticks, including the differing one.
    pub ticks: u64,
    /// Number of compared key frames.
    pub key_frames: u64,
    /// The first differing tick, if there is one.
    pub difference: Option<HashDifference>,
}

/// A tick after which the simulated state differs from the recorded one.
#[derive(Clone, PartialEq, Debug)]
pub struct HashDifference {
    /// Number of the tick, from 1; 0 is the beginning.
    pub tick: u64,
    /// The recorded time after it.
    pub time: Time,
    /// The recorded hash.
    pub recorded: u64,
    /// The simulated hash.
    pub simulated: u64,
    /// The number of ticks before the next key frame, and the differences there from the recorded to the
    /// simulated state; `None` if no key frame follows.
    pub at_key_frame: Option<(u64, StateDiff)>,
}

/// Simulates a whole recording again, and compares the state after every tick and at every key frame.
///
/// # Errors
/// If a frame cannot be read.
pub fn verify<R: Read + Seek>(player: &mut Player<R>) -> Result<Verification, PlayError> {
    player.seek_tick(0)?;
    let ticks = player.recording().ticks();
    let mut key_frames = 0;
    // A player skips ahead at key frames, so verification uses a simulation of its own.
    let mut simulation = player.simulation().clone();
    for tick in 0..=ticks {
        if tick > 0 {
            replay(player, &mut simulation, tick - 1)?;
        }
        let recording = player.recording();
        let codec = recording.header().codec;
        let simulated = simulation.state_hash_of_version(codec);
        let recorded = recording.hash_after(tick).unwrap_or(simulated);
        let time = recording.time_after(tick).unwrap_or(simulation.now());
        let is_key = recording.key_from(tick) == Some(tick);
        let mut is_same = recorded == simulated && time == simulation.now();
        if is_key {
            let key = snapshot(player, &simulation, tick)?;
            is_same &= key.is_none_or(|key| key.state_hash_of_version(codec) == simulated);
            key_frames += 1;
        }
        if !is_same {
            let at_key_frame = difference_at_key(player, &mut simulation, tick)?;
            let difference = HashDifference { tick, time, recorded, simulated, at_key_frame };
            return Ok(Verification { ticks: tick, key_frames, difference: Some(difference) });
        }
    }
    Ok(Verification { ticks, key_frames, difference: None })
}

/// Executes a recorded tick, counted from 0, in `simulation`, and drops its events. The player does not move.
fn replay<R: Read + Seek>(
    player: &mut Player<R>,
    simulation: &mut Simulation,
    tick: u64,
) -> Result<(), PlayError> {
    if let Some(tick) = player.recording_mut().tick(tick)? {
        for command in tick.commands {
            player.execute(simulation, command)?;
        }
        player.advance(simulation, tick.span)?;
    }
    simulation.events().for_each(drop);
    Ok(())
}

/// Continues to the next key frame, and returns its position and the differences there. `None` if no key
/// frame follows. A hash alone does not say which fields differ.
fn difference_at_key<R: Read + Seek>(
    player: &mut Player<R>,
    simulation: &mut Simulation,
    tick: u64,
) -> Result<Option<(u64, StateDiff)>, PlayError> {
    let Some(key) = player.recording().key_from(tick) else { return Ok(None) };
    for tick in tick..key {
        replay(player, simulation, tick)?;
    }
    let Some(snapshot) = snapshot(player, simulation, key)? else { return Ok(None) };
    let mut recorded = simulation.clone();
    recorded.restore(&snapshot)?;
    let names = player.recording().controller_names();
    let name = |id| names.known(&recorded, id).unwrap_or_else(|| names.of(simulation, id));
    Ok(Some((key, StateDiff::between(&recorded, simulation, name))))
}

/// Decodes the snapshot of the key frame at exactly `tick`; `None` if there is none.
fn snapshot<R: Read + Seek>(
    player: &mut Player<R>,
    simulation: &Simulation,
    tick: u64,
) -> Result<Option<Snapshot>, PlayError> {
    let Some(bytes) = player.recording_mut().snapshot(tick)? else { return Ok(None) };
    let snapshot = Snapshot::from_bytes(&bytes, simulation.catalog());
    snapshot.map(Some).map_err(|error| PlayError::Key { tick, error })
}
