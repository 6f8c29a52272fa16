//! Simulating a recording again.

use std::io::{Read, Seek};

use ugas_core::simulation::{Simulation, Snapshot};
use ugas_core::time::Time;

use crate::diff::StateDiff;
use crate::error::PlayError;
use crate::player::Player;

/// What came of simulating a recording again.
#[derive(Clone, PartialEq, Debug)]
pub struct Verification {
    /// Ticks that were compared, the differing one included.
    pub ticks: u64,
    /// Key frames that were compared.
    pub key_frames: u64,
    /// The first tick that differs, if one does.
    pub difference: Option<HashDifference>,
}

/// A tick after which the state is another one than was recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct HashDifference {
    /// Which, from 1; 0 is the state at the beginning.
    pub tick: u64,
    /// The time after it, as recorded.
    pub time: Time,
    /// The hash as recorded.
    pub recorded: u64,
    /// The hash now.
    pub simulated: u64,
    /// What differs at the next key frame, from the recorded state to the simulated one, and how many ticks precede it;
    /// `None` if no key frame follows.
    pub at_key_frame: Option<(u64, StateDiff)>,
}

/// Simulates all of a recording again, and compares the state after every tick and at every key frame.
///
/// # Errors
/// If something of it cannot be read.
pub fn verify<R: Read + Seek>(player: &mut Player<R>) -> Result<Verification, PlayError> {
    player.seek_tick(0)?;
    let ticks = player.recording().ticks();
    let mut key_frames = 0;
    // Key frames are short cuts for a player, so a simulation of its own goes the whole way.
    let mut simulation = player.simulation().clone();
    for tick in 0..=ticks {
        if tick > 0 {
            replay(player, &mut simulation, tick - 1)?;
        }
        let (recording, simulated) = (player.recording(), simulation.state_hash());
        let recorded = recording.hash_after(tick).unwrap_or(simulated);
        let time = recording.time_after(tick).unwrap_or(simulation.now());
        let is_key = recording.key_from(tick) == Some(tick);
        let mut is_same = recorded == simulated && time == simulation.now();
        if is_key {
            let key = snapshot(player, &simulation, tick)?;
            is_same &= key.is_none_or(|key| key.state_hash() == simulated);
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

/// Executes a tick, counted from 0.
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

/// Goes on to the next key frame, and says in what it differs.
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
    let names = player.recording();
    Ok(Some((key, StateDiff::between(&recorded, simulation, |id| names.name_of(id)))))
}

fn snapshot<R: Read + Seek>(
    player: &mut Player<R>,
    simulation: &Simulation,
    tick: u64,
) -> Result<Option<Snapshot>, PlayError> {
    let Some(bytes) = player.recording_mut().snapshot(tick)? else { return Ok(None) };
    let snapshot = Snapshot::from_bytes(&bytes, simulation.catalog());
    snapshot.map(Some).map_err(|error| PlayError::Key { tick, error })
}
