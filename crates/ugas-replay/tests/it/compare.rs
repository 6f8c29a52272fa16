//! Where two recordings part.

use ugas_core::time::Time;
use ugas_replay::{Comparison, StateDiff, Value, compare};

use crate::story::{TICKS, Twist, player, record, settings};

fn compared(left: Twist, right: Twist) -> Comparison {
    let (left, right) = (record(left, settings()).0, record(right, settings()).0);
    compare(&mut player(&left), &mut player(&right)).unwrap()
}

#[test]
fn the_same_story_is_the_same() {
    // The beginning and forty ticks.
    let same = Comparison::Same { compared: TICKS + 1 };
    assert_eq!(compared(Twist::default(), Twist::default()), same);
}

#[test]
fn steps_of_another_size_tell_the_same_story() {
    let pieces = Twist { pieces: 5, ..Twist::default() };
    let same = Comparison::Same { compared: TICKS + 1 };
    assert_eq!(compared(Twist::default(), pieces), same);
    assert_eq!(compared(pieces, Twist::default()), same);
}

#[test]
fn a_shorter_story_is_the_same_as_long_as_it_goes() {
    let shorter = Twist { ticks: Some(10), ..Twist::default() };
    let (left, right) = (Time::from_seconds(2.5), Time::from_seconds(10.0));
    assert_eq!(compared(shorter, Twist::default()), Comparison::Prefix { compared: 11, left, right });
}

#[test]
fn the_first_differing_tick_is_found_with_controller_and_field() {
    let other = Twist { poison_at: Some(33), ..Twist::default() };
    let Comparison::Different { left_tick, right_tick, time, diff, commands } =
        compared(Twist::default(), other)
    else {
        panic!("not found");
    };
    // The poison comes before tick 34, at 8.25 s, and the tick ends at 8.5 s; the one before it ended at 7.5 s.
    assert_eq!((left_tick, right_tick, time), (34, 34, Time::from_seconds(8.5)));
    let found = diff.differences.iter().find(|found| found.field == "tag State.Poisoned").unwrap();
    assert_eq!(found.controller.as_deref(), Some("hero"));
    assert_eq!((&found.left, &found.right), (&Value::Count(0), &Value::Count(1)));
    assert!(diff.to_string().contains("hero effect GE_Poison (active"), "{diff}");
    let commands = commands.unwrap();
    assert!(commands.left.is_none() && commands.right.is_some(), "{commands:?}");
}

#[test]
fn in_steps_of_another_size_the_difference_is_found_too() {
    let other = Twist { poison_at: Some(33), pieces: 2, ..Twist::default() };
    let Comparison::Different { left_tick, right_tick, .. } = compared(Twist::default(), other) else {
        panic!("not found");
    };
    assert_eq!((left_tick, right_tick), (34, 68));
}

#[test]
fn other_dice_differ_from_the_beginning() {
    let other = Twist { seed: 1, ..Twist::default() };
    let Comparison::Different { left_tick: 0, diff, .. } = compared(Twist::default(), other) else {
        panic!("not found");
    };
    assert_eq!(diff.to_string(), "seed: 7 -> 8\n");
}

#[test]
fn two_moments_differ_in_what_happened_between() {
    let bytes = record(Twist::default(), settings()).0;
    let (mut before, mut after) = (player(&bytes), player(&bytes));
    before.seek_tick(2).unwrap();
    after.seek_tick(3).unwrap();
    let names = before.recording();
    let diff = StateDiff::between(before.simulation(), after.simulation(), |id| names.name_of(id));
    // Before the third tick the hero is poisoned, and nothing else happens within it. Poisoning is one operation; the events
    // are its application, the tag, and its parent.
    let text = diff.to_string();
    assert!(text.starts_with("time: 0.5 s -> 0.75 s\n"), "{text}");
    assert!(text.contains("hero tag State.Poisoned: 0 -> 1\n"), "{text}");
    assert!(text.contains("hero effect GE_Poison (active1v1): none -> 1 stack\n"), "{text}");
    assert!(!text.contains("wolf"), "{text}");
}
