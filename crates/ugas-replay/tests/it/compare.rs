//! Comparison of two recordings.

use ugas_core::time::Time;
use ugas_replay::{Comparison, StateDiff, Value, compare};

use crate::fight::{FightOptions, TICKS, player, record, settings};

fn compared(left: FightOptions, right: FightOptions) -> Comparison {
    let (left, right) = (record(left, settings()).0, record(right, settings()).0);
    compare(&mut player(&left), &mut player(&right)).unwrap()
}

#[test]
fn equal_recordings_are_the_same() {
    // The beginning and forty ticks.
    let same = Comparison::Same { compared: TICKS + 1 };
    assert_eq!(compared(FightOptions::default(), FightOptions::default()), same);
}

#[test]
fn recordings_with_other_tick_lengths_are_the_same() {
    let pieces = FightOptions { pieces: 5, ..FightOptions::default() };
    let same = Comparison::Same { compared: TICKS + 1 };
    assert_eq!(compared(FightOptions::default(), pieces), same);
    assert_eq!(compared(pieces, FightOptions::default()), same);
}

#[test]
fn shorter_recording_is_a_prefix() {
    let shorter = FightOptions { ticks: Some(10), ..FightOptions::default() };
    let (left, right) = (Time::from_seconds(2.5), Time::from_seconds(10.0));
    assert_eq!(compared(shorter, FightOptions::default()), Comparison::Prefix { compared: 11, left, right });
}

#[test]
fn first_differing_tick_is_found_with_controller_and_field() {
    let other = FightOptions { poison_at: Some(33), ..FightOptions::default() };
    let Comparison::Different { left_tick, right_tick, time, diff, commands } =
        compared(FightOptions::default(), other)
    else {
        panic!("not found");
    };
    // The poison comes before tick 34, at 8.25 s, and the tick ends at 8.5 s; the one before it ended at 7.5
    // s.
    assert_eq!((left_tick, right_tick, time), (34, 34, Time::from_seconds(8.5)));
    let found = diff.differences.iter().find(|found| found.field == "tag State.Poisoned").unwrap();
    assert_eq!(found.controller.as_deref(), Some("hero"));
    assert_eq!((&found.left, &found.right), (&Value::Count(0), &Value::Count(1)));
    assert!(diff.to_string().contains("hero effect GE_Poison (active"), "{diff}");
    let commands = commands.unwrap();
    assert!(commands.left.is_none() && commands.right.is_some(), "{commands:?}");
}

#[test]
fn difference_is_found_with_other_tick_lengths() {
    let other = FightOptions { poison_at: Some(33), pieces: 2, ..FightOptions::default() };
    let Comparison::Different { left_tick, right_tick, .. } = compared(FightOptions::default(), other) else {
        panic!("not found");
    };
    assert_eq!((left_tick, right_tick), (34, 68));
}

#[test]
fn another_seed_differs_from_the_beginning() {
    let other = FightOptions { seed: 1, ..FightOptions::default() };
    let Comparison::Different { left_tick: 0, diff, .. } = compared(FightOptions::default(), other) else {
        panic!("not found");
    };
    assert_eq!(diff.to_string(), "seed: 7 -> 8\n");
}

#[test]
fn two_moments_differ_by_the_changes_between_them() {
    let bytes = record(FightOptions::default(), settings()).0;
    let (mut before, mut after) = (player(&bytes), player(&bytes));
    before.seek_tick(2).unwrap();
    after.seek_tick(3).unwrap();
    let names = before.recording();
    let diff = StateDiff::between(before.simulation(), after.simulation(), |id| names.name_of(id));
    // Before the third tick the hero is poisoned, and nothing else happens within it. Poisoning is one
    // operation; the events are its application, the tag, and its parent.
    let text = diff.to_string();
    assert!(text.starts_with("time: 0.5 s -> 0.75 s\n"), "{text}");
    assert!(text.contains("hero tag State.Poisoned: 0 -> 1\n"), "{text}");
    assert!(text.contains("hero effect GE_Poison (active1v1): none -> 1 stack\n"), "{text}");
    assert!(!text.contains("wolf"), "{text}");
}
