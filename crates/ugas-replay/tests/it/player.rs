//! Seeking in a recording.

use ugas_core::command::Command;
use ugas_core::simulation::Simulation;
use ugas_core::time::{Span, Time};
use ugas_replay::{PlayError, Player, Position, Recorder, Rules, Settings, StateDiff};

use crate::fight::{
    FightOptions, TICKS, catalog, open, play, player, record, recorded, settings, simulation,
};

/// The hash and the time of the original after every tick.
fn states() -> Vec<(u64, Time)> {
    let mut states = Vec::new();
    play(&mut simulation(FightOptions::default()), FightOptions::default(), |sim, command| {
        let passes = matches!(command, Command::Advance(_));
        let _ = sim.execute(command);
        if passes {
            states.push((sim.state_hash(), sim.now()));
        }
    });
    states
}

#[test]
fn seek_tick_reaches_every_tick_from_any_position() {
    let (states, mut player) = (states(), player(&recorded()));
    // A walk that goes back and forth over key frames: multiples of 17 modulo 41 meet every tick from 0 to
    // 40.
    for number in 0..=TICKS {
        let tick = number * 17 % (TICKS + 1);
        player.seek_tick(tick).unwrap();
        assert_eq!(player.position().ticks, tick);
        if let Some((hash, time)) = tick.checked_sub(1).map(|index| states[index as usize]) {
            assert_eq!((player.simulation().state_hash(), player.simulation().now()), (hash, time));
            assert_eq!(player.agrees(), Some(true));
        }
    }
    assert_eq!(player.recording().key_frames(), 6);
}

#[test]
fn step_and_back_move_by_one_tick() {
    let (states, mut player) = (states(), player(&recorded()));
    assert!(!player.back().unwrap());
    for (hash, _) in &states {
        assert!(player.step().unwrap());
        assert_eq!(player.simulation().state_hash(), *hash);
    }
    assert!(!player.step().unwrap() && player.is_at_end());
    for (hash, _) in states.iter().rev().skip(1) {
        assert!(player.back().unwrap());
        assert_eq!(player.simulation().state_hash(), *hash);
    }
}

/// The original simulation at a time, including commands at exactly that time.
fn original_at(micros: u64) -> Simulation {
    let mut original = simulation(FightOptions::default());
    let mut is_over = false;
    play(&mut simulation(FightOptions::default()), FightOptions::default(), |shadow, command| {
        let passes = matches!(command, Command::Advance(_));
        let _ = shadow.execute(command.clone());
        if is_over {
            return;
        }
        if passes && shadow.now().micros() > micros {
            original.advance_to(Time::from_micros(micros));
            is_over = true;
        } else {
            let _ = original.execute(command);
        }
    });
    original
}

#[test]
fn seek_time_reaches_times_inside_and_between_ticks() {
    let mut player = player(&recorded());
    for micros in [0, 1, 249_999, 250_000, 3_333_333, 400_000, 9_999_999, 10_000_000, 5_000_000] {
        player.seek_time(Time::from_micros(micros)).unwrap();
        let original = original_at(micros);
        let diff = StateDiff::between(&original, player.simulation(), |id| format!("{id:?}"));
        assert!(diff.is_empty(), "{micros}: {diff}");
        assert_eq!(player.simulation().state_hash(), original.state_hash(), "{micros}");
    }
    // Nothing follows the end.
    player.seek_time(Time::MAX).unwrap();
    assert_eq!(player.position(), Position { ticks: TICKS, commands: 0, time: Time::from_seconds(10.0) });
}

#[test]
fn run_until_stops_at_the_matching_event() {
    let mut player = player(&recorded());
    // The poison comes before the third tick, at 0.5 s, and ticks 0.4 s later: inside the fourth.
    let poison = catalog().effect("GE_Poison").unwrap();
    let is_tick = |event: &ugas_core::event::Event, _: &Simulation| matches!(event.kind, ugas_core::event::EventKind::EffectExecuted { effect, .. } if effect == poison);
    let event = player.run_until(is_tick).unwrap().unwrap();
    assert_eq!((event.time, player.simulation().now()), (Time::from_seconds(0.9), Time::from_seconds(0.9)));
    assert_eq!(player.position().ticks, 3);
    assert_eq!(player.agrees(), None);
    let event = player.run_until(is_tick).unwrap().unwrap();
    assert_eq!(event.time, Time::from_seconds(1.3));
    // The beginning of the tick that is being played, from 1.25 s on, is a step back.
    assert!(player.back().unwrap());
    assert_eq!(player.simulation().now(), Time::from_seconds(1.25));
    assert!(player.run_until(|event, _| event.kind.name() == "OwnerDied").unwrap().is_none());
    assert!(player.is_at_end());
}

#[test]
fn run_until_stops_between_commands_of_a_tick() {
    let mut player = player(&recorded());
    player.seek_tick(6).unwrap();
    // Before the seventh tick, the number 6 that 3 divides and that is 1 modulo 5: a blow, then rust.
    assert_eq!(player.commands().unwrap().len(), 2);
    let event = player.run_until(|event, _| event.kind.name() == "EffectExecuted").unwrap().unwrap();
    assert_eq!(event.time, Time::from_seconds(1.5));
    assert_eq!(player.position(), Position { ticks: 6, commands: 1, time: Time::from_seconds(1.5) });
    assert!(player.step().unwrap());
    assert_eq!((player.position().ticks, player.agrees()), (7, Some(true)));
}

#[test]
fn names_and_labels_are_readable() {
    let player = player(&recorded());
    let header = player.recording().header();
    assert_eq!(header.labels, [("game".to_owned(), "a fight".to_owned())]);
    assert_eq!((header.catalog, header.config.seed), (catalog().hash(), 7));
    let names: Vec<&str> = player.recording().names().map(|(_, name)| name).collect();
    assert_eq!(names, ["hero", "wolf"]);
    let wolf = player.controller("wolf").unwrap();
    assert_eq!(player.recording().name_of(wolf), "wolf");
    assert_eq!(player.controller("bear"), None);
}

#[test]
fn recording_without_rules_needs_the_catalog() {
    let settings = Settings { rules: Rules::Omitted, ..settings() };
    let bytes = record(FightOptions::default(), settings).0;
    assert!(bytes.len() < recorded().len());
    assert!(matches!(Player::new(open(&bytes)), Err(PlayError::NoRules(_))));
    let other = ugas_core::catalog::Catalog::builder().build().unwrap();
    assert!(matches!(Player::with_catalog(open(&bytes), &other), Err(PlayError::OtherRules { .. })));
    let mut player = Player::with_catalog(open(&bytes), &catalog()).unwrap();
    player.seek_tick(TICKS).unwrap();
    assert_eq!(player.agrees(), Some(true));
}

#[test]
fn recording_may_begin_in_a_running_game() {
    let options = FightOptions::default();
    let mut sim = simulation(options);
    let mut recorder = None;
    let mut before = 0;
    play(&mut sim, options, |sim, command| {
        if recorder.is_none() && sim.now() >= Time::from_seconds(5.0) {
            recorder = Some(Recorder::new(Vec::new(), sim, settings()).unwrap());
            before = sim.state_hash();
        }
        let _ = match &mut recorder {
            Some(recorder) => recorder.execute(sim, command),
            None => sim.execute(command),
        };
    });
    let bytes = recorder.unwrap().finish(&sim).unwrap();
    let mut player = player(&bytes);
    assert_eq!(player.simulation().state_hash(), before);
    player.seek_tick(u64::MAX).unwrap();
    assert_eq!(player.simulation().state_hash(), sim.state_hash());
}

#[test]
fn limit_stops_endless_playback() {
    let mut player = player(&recorded()).limit(5);
    assert!(matches!(player.seek_tick(7), Err(PlayError::Limit { limit: 5, .. })));
}

/// Time that passes inside a batch cannot be split into moments.
#[test]
fn limit_refuses_commands_that_advance_time() {
    let mut sim = simulation(FightOptions::default());
    let mut recorder = Recorder::new(Vec::new(), &sim, settings()).unwrap();
    recorder.execute(&mut sim, Command::Batch(vec![Command::Advance(Span::seconds(1e9))])).unwrap();
    recorder.advance(&mut sim, Span::seconds(1.0));
    let bytes = recorder.finish(&sim).unwrap();
    player(&bytes).seek_tick(1).unwrap();
    let mut limited = player(&bytes).limit(1_000);
    assert!(matches!(limited.seek_tick(1), Err(PlayError::Limit { .. })));
    assert!(ugas_replay::verify(&mut player(&bytes).limit(1_000)).is_err());
}
