//! Verification of recordings.

use ugas_core::codec::Encoder;
use ugas_replay::{Comparison, Settings, Tick, Value, compare, verify};

use crate::fight::{FightOptions, TICKS, forged, frame_of_tick, open, player, record, recorded, settings};

/// The recording with one tick changed.
fn change_tick(bytes: &[u8], tick: usize, change: impl Fn(&mut Tick)) -> Vec<u8> {
    let original = player(bytes).recording().ticks();
    assert!(original >= tick as u64);
    let mut recording = open(bytes);
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
    let bytes = change_tick(&recorded(), 13, |tick| tick.hash = tick.hash.map(|hash| hash ^ 1));
    let difference = verify(&mut player(&bytes)).unwrap().difference.unwrap();
    assert_eq!(difference.tick, 13);
    assert_eq!(difference.recorded, difference.simulated ^ 1);
    // At the next key frame the states are equal: only the hash was changed.
    let (key, diff) = difference.at_key_frame.unwrap();
    assert_eq!((key, diff.is_empty()), (16, true));
}

/// Hashes after every fifth tick and before each key frame: 5, 8, 10, 15, 16, 20, 24, 25, 30, 32, 35 and 40.
#[test]
fn recording_with_few_hashes_is_verified_and_compared() {
    let few = Settings { hash_every: 5, ..settings() };
    let bytes = record(FightOptions::default(), few.clone()).0;
    let recording = open(&bytes);
    let hashed: Vec<u64> = (0..=TICKS).filter(|tick| recording.hash_after(*tick).is_some()).collect();
    assert_eq!(hashed, [5, 8, 10, 15, 16, 20, 24, 25, 30, 32, 35, 40]);
    assert!(bytes.len() < recorded().len());
    assert_eq!(verify(&mut player(&bytes)).unwrap().difference, None);
    // The hit before tick 13 is missing; the next hash is that of tick 15.
    let changed = change_tick(&bytes, 13, |tick| tick.commands.clear());
    assert_eq!(verify(&mut player(&changed)).unwrap().difference.unwrap().tick, 15);
    // An additional poison before tick 12 makes the states differ from there on, hashed or not.
    let poisoned = FightOptions { poison_at: Some(11), ..FightOptions::default() };
    let other = record(poisoned, few).0;
    let found = compare(&mut player(&bytes), &mut player(&other)).unwrap();
    assert!(matches!(found, Comparison::Different { left_tick: 12, right_tick: 12, .. }), "{found:?}");
    let found = compare(&mut player(&bytes), &mut player(&recorded())).unwrap();
    assert!(matches!(found, Comparison::Same { .. }), "{found:?}");
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
