//! Verification of recordings.

use ugas_core::codec::Encoder;
use ugas_replay::{Tick, Value, verify};

use crate::fight::{TICKS, forged, frame_of_tick, player, recorded};

/// The recording with one tick changed.
fn change_tick(bytes: &[u8], tick: usize, change: impl Fn(&mut Tick)) -> Vec<u8> {
    let original = player(bytes).recording().ticks();
    assert!(original >= tick as u64);
    let mut recording = crate::fight::open(bytes);
    let mut changed = recording.tick(tick as u64 - 1).unwrap().unwrap();
    change(&mut changed);
    forged(bytes, frame_of_tick(bytes, tick), |payload| *payload = changed.to_payload())
}

#[test]
fn unchanged_recording_is_verified() {
    let verification = verify(&mut player(&recorded())).unwrap();
    assert_eq!((verification.ticks, verification.key_frames, verification.difference), (TICKS, 6, None));
}

#[test]
fn changed_hash_is_found() {
    let bytes = change_tick(&recorded(), 13, |tick| tick.hash ^= 1);
    let difference = verify(&mut player(&bytes)).unwrap().difference.unwrap();
    assert_eq!(difference.tick, 13);
    assert_eq!(difference.recorded, difference.simulated ^ 1);
    // At the next key frame the states are equal: only the hash was changed.
    let (key, diff) = difference.at_key_frame.unwrap();
    assert_eq!((key, diff.is_empty()), (16, true));
}

#[test]
fn changed_command_is_found_and_named() {
    // Before tick 13 (index 12) the wolf is hit. Without the hit its health is higher, and counts are lower.
    let bytes = change_tick(&recorded(), 13, |tick| tick.commands.clear());
    let difference = verify(&mut player(&bytes)).unwrap().difference.unwrap();
    assert_eq!(difference.tick, 13);
    let (key, diff) = difference.at_key_frame.unwrap();
    assert_eq!(key, 16);
    let health = diff.differences.iter().find(|found| found.field == "Health.current").unwrap();
    assert_eq!(health.controller.as_deref(), Some("wolf"));
    let (Value::Number(recorded), Value::Number(simulated)) = (&health.left, &health.right) else {
        panic!("{health}");
    };
    assert!(recorded < simulated, "{health}");
}

#[test]
fn changed_time_is_found() {
    let bytes = change_tick(&recorded(), 13, |tick| tick.span = tick.span + tick.span);
    assert_eq!(verify(&mut player(&bytes)).unwrap().difference.unwrap().tick, 13);
}

#[test]
fn key_frame_of_another_state_is_found() {
    // The snapshot of tick 0 in place of that of tick 8.
    let bytes = recorded();
    let frames = crate::fight::frames(&bytes);
    let keys: Vec<usize> =
        frames.iter().enumerate().filter(|(_, (_, kind))| *kind == 2).map(|(at, _)| at).collect();
    let first = {
        let (at, _) = frames[keys[0]];
        let length = u32::from_le_bytes(bytes[at + 1..at + 5].try_into().unwrap()) as usize;
        bytes[at + 9 + 1..at + 9 + length].to_vec()
    };
    let bytes = forged(&bytes, keys[1], |payload| {
        let mut encoder = Encoder::new();
        encoder.unsigned(8);
        encoder.raw(&first);
        *payload = encoder.into_bytes();
    });
    let difference = verify(&mut player(&bytes)).unwrap().difference.unwrap();
    assert_eq!((difference.tick, difference.recorded), (8, difference.simulated));
    assert!(!difference.at_key_frame.unwrap().1.is_empty());
}
