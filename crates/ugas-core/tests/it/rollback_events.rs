//! Events of frames that are simulated again (`RollbackEvents`).

use ugas_core::event::{Event, EventKind, RollbackChange, RollbackEvents};
use ugas_core::modifier::Operation;

use crate::fixture::{Game, instant};

fn game() -> Game {
    let mut game = Game::of([
        instant("GE_Light", "Health", Operation::Add, -10.0).cue("GameplayCue.Hit"),
        instant("GE_Heavy", "Health", Operation::Add, -30.0).cue("GameplayCue.Hit"),
    ]);
    game.events();
    game
}

/// Names of the changes, in order: `+` happened, `-` retracted.
fn changes(log: &mut RollbackEvents) -> Vec<String> {
    log.changes()
        .map(|change| match change {
            RollbackChange::Happened(event) => format!("+{}", event.kind.name()),
            RollbackChange::Retracted(event) => format!("-{}", event.kind.name()),
        })
        .collect()
}

/// Simulates a frame: effects of the hero on the wolf.
fn simulate(game: &mut Game, effects: &[&str]) -> Vec<Event> {
    for effect in effects {
        game.apply(effect, "hero", "wolf");
    }
    game.events()
}

#[test]
fn frame_simulated_again_with_the_same_events_changes_nothing() {
    let (mut game, mut log) = (game(), RollbackEvents::default());
    let before = game.sim.snapshot();
    log.record(1, simulate(&mut game, &["GE_Light"]));
    assert!(changes(&mut log).contains(&"+CueExecuted".to_owned()));
    game.sim.restore(&before).unwrap();
    log.record(1, simulate(&mut game, &["GE_Light"]));
    assert_eq!(changes(&mut log), [""; 0]);
}

/// A corrected hit has another value, and the cue that is shown for it stays.
#[test]
fn corrected_value_replaces_its_event_and_the_cue_stays() {
    let (mut game, mut log) = (game(), RollbackEvents::default());
    let before = game.sim.snapshot();
    log.record(1, simulate(&mut game, &["GE_Light"]));
    log.changes().for_each(drop);
    game.sim.restore(&before).unwrap();
    log.record(1, simulate(&mut game, &["GE_Heavy"]));
    let changes = changes(&mut log);
    for expected in ["-AttributeChanged", "+AttributeChanged", "-EffectExecuted", "+EffectExecuted"] {
        assert_eq!(
            changes.iter().filter(|change| *change == expected).count(),
            1,
            "{expected} of {changes:?}"
        );
    }
    assert!(!changes.iter().any(|change| change.ends_with("CueExecuted")), "{changes:?}");
}

#[test]
fn equal_events_of_one_frame_are_counted() {
    let (mut game, mut log) = (game(), RollbackEvents::default());
    let before = game.sim.snapshot();
    let cues = |log: &mut RollbackEvents| {
        let changes = changes(log);
        let count = |name: &str| changes.iter().filter(|change| *change == name).count();
        (count("+CueExecuted"), count("-CueExecuted"))
    };
    for (effects, expected) in [
        (&["GE_Light", "GE_Light"][..], (2, 0)),
        (&["GE_Light"], (0, 1)),
        (&["GE_Light", "GE_Heavy", "GE_Light"], (2, 0)),
        (&[], (0, 3)),
    ] {
        game.sim.restore(&before).unwrap();
        log.record(4, simulate(&mut game, effects));
        assert_eq!(cues(&mut log), expected);
    }
}

/// Frames 1 to 3 are recorded, 2 and 3 again after a correction. Confirmed frames are returned once and in order, and
/// later records of them are ignored.
#[test]
fn confirmed_events_are_returned_once_in_order() {
    let (mut game, mut log) = (game(), RollbackEvents::default());
    let magnitudes = |events: &mut dyn Iterator<Item = Event>| -> Vec<f64> {
        events
            .filter_map(|event| match event.kind {
                EventKind::AttributeChanged { old, new, .. } => Some(new - old),
                _ => None,
            })
            .collect()
    };
    log.record(1, simulate(&mut game, &["GE_Light"]));
    let before = game.sim.snapshot();
    log.record(2, simulate(&mut game, &["GE_Light"]));
    log.record(3, simulate(&mut game, &["GE_Light"]));
    assert_eq!(magnitudes(&mut log.confirm(1)), [-10.0]);
    assert_eq!(log.frames(), 2);
    game.sim.restore(&before).unwrap();
    log.record(2, simulate(&mut game, &["GE_Heavy"]));
    log.record(3, simulate(&mut game, &[]));
    log.record(1, simulate(&mut game, &["GE_Light"]));
    assert_eq!(magnitudes(&mut log.confirm(3)), [-30.0]);
    assert_eq!(magnitudes(&mut log.confirm(3)), [0.0; 0]);
    assert_eq!(log.frames(), 0);
}
