//! Fuzz body for recordings.

use std::io::Cursor;

use ugas_core::command::Command;
use ugas_core::time::Time;
use ugas_replay::format::{self, FOOT, HEAD, Kind, PRELUDE};
use ugas_replay::{Comparison, Player, Recording, Tail, compare, verify};

/// Most instants that one seek may simulate.
const MOST_MOMENTS: u64 = 500;

/// Cascade limit: longer cascades take long and find no more bugs.
const LONGEST_CASCADE: u32 = 5_000;

/// Fuzz body: decodes any bytes as a recording. It is rejected, or read up to the first error; then again
/// with corrected checksums, so that the fuzzer gets past them. A decoded recording can be played, verified
/// and compared, or reports an error.
pub fn recording(bytes: &[u8]) {
    check_recording(bytes);
    check_recording(&resealed(bytes));
}

/// Copy of the bytes with a valid prelude and valid checksums of all frames, up to the first unknown or
/// incomplete frame.
fn resealed(bytes: &[u8]) -> Vec<u8> {
    let prelude = format::prelude();
    let (mut sealed, mut chain) = (prelude.to_vec(), format::first_chain(&prelude));
    let mut rest = bytes.get(PRELUDE..).unwrap_or_default();
    while let Some((&[kind, a, b, c, d, ..], after)) = rest.split_first_chunk::<HEAD>() {
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let (Some(kind), Some(payload)) = (Kind::from_byte(kind), after.get(..length)) else { break };
        let Some(next) = format::append(&mut sealed, chain, kind, payload) else { break };
        chain = next;
        rest = after.get(length + FOOT..).unwrap_or_default();
    }
    sealed
}

/// Reads, plays, verifies and compares a recording. Errors are fine; more ticks than bytes, undetected
/// damage, and a recording that differs from itself panic. Recordings that would run too long are only read.
fn check_recording(bytes: &[u8]) {
    let read = || Recording::salvage(Cursor::new(bytes));
    let Ok(mut recording) = read() else { return };
    assert!(recording.ticks() as usize <= bytes.len() / (HEAD + FOOT), "more ticks than there are bytes for");
    if matches!(recording.tail(), Tail::Damaged(_)) {
        assert!(Recording::open(Cursor::new(bytes)).is_err(), "damage is no error");
    }
    for tick in 0..recording.ticks() {
        match recording.tick(tick) {
            Ok(Some(tick)) if tick.commands.iter().any(advances_time) => return,
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    if recording.header().config.cascade_limit > LONGEST_CASCADE {
        return;
    }
    let Ok(player) = Player::new(recording) else { return };
    let mut player = player.limit(MOST_MOMENTS);
    let _ = player.seek_tick(u64::MAX);
    let _ = player.back();
    let _ = player.seek_time(Time::from_seconds(1.1));
    let _ = player.run_until(|event, _| event.kind.name() == "EffectExecuted");
    let _ = player.commands();
    let ids: Vec<_> = player.simulation().controllers().map(|(id, _)| id).collect();
    for id in ids {
        let _ = player.simulation().debug(id).map(|page| page.to_string());
    }
    let _ = verify(&mut player);
    let other = read().ok().and_then(|recording| Player::new(recording).ok());
    if let Some(other) = other
        && let Ok(compared) = compare(&mut player, &mut other.limit(MOST_MOMENTS))
    {
        assert!(matches!(compared, Comparison::Same { .. }), "a recording differs from itself: {compared:?}");
    }
}

/// Whether a command, or one inside it, advances time itself. Recordings with such commands are not played:
/// recorders never write them, and a player with a limit refuses them.
fn advances_time(command: &Command) -> bool {
    match command {
        Command::Advance(_) => true,
        Command::Batch(commands) => commands.iter().any(advances_time),
        Command::FromClient { command, .. } => advances_time(command),
        _ => false,
    }
}
