//! Overwritten snapshots, and the notifications and pending work of a restore (I1, I5).

use ugas_core::effect::{EffectDef, ExecutionPolicy};
use ugas_core::event::{Event, EventKind};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Stacks};
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, instant};

fn game() -> Game {
    Game::of([
        instant("GE_Hit", "Health", Operation::Add, -10.0),
        buff("GE_Buff", "Attack", Operation::Add, 5.0),
    ])
}

/// Effects that run in sequence, with a cascade limit of `limit`.
fn queues(limit: u32) -> Game {
    let sequence = EffectDef { policy: ExecutionPolicy::RunInSequence, ..EffectDef::infinite("GE_Queue") };
    let config = Config { cascade_limit: limit, ..Config::seeded(7) };
    Game::configured(config, |builder| {
        builder.effect(sequence.modify("Attack", Operation::Add, 1.0)).effect(instant(
            "GE_Hit",
            "Health",
            Operation::Add,
            -10.0,
        ))
    })
}

#[test]
fn i5_restore_touches_only_controllers_that_differ() {
    let mut game = game();
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    game.sim.watch_touches();
    let kept = game.sim.snapshot();
    assert_eq!(game.sim.take_touched(), [hero, wolf]);
    game.apply("GE_Buff", "wolf", "wolf");
    assert_eq!(game.sim.take_touched(), [wolf]);
    game.sim.restore(&kept).unwrap();
    assert_eq!(game.sim.take_touched(), [wolf]); // whose effect is gone
    game.sim.restore(&kept).unwrap();
    assert_eq!(game.sim.take_touched(), []);
    // A decoded state shares nothing with the present one.
    let read = ugas_core::simulation::Snapshot::from_bytes(&kept.to_bytes(), game.sim.catalog()).unwrap();
    game.sim.restore(&read).unwrap();
    assert_eq!(game.sim.take_touched(), [hero, wolf]);
    game.sim.restore(&read).unwrap();
    assert_eq!(game.sim.take_touched(), []);
}

#[test]
fn i1_settled_snapshot_can_be_overwritten_by_one_from_inside_a_batch() {
    let mut game = game();
    let (hero, hit) = (game.id("hero"), game.effect("GE_Hit"));
    let mut kept = game.sim.snapshot();
    game.sim.batch(|sim| {
        sim.apply_effect(hit, None, hero).unwrap();
        sim.snapshot_into(&mut kept);
    });
    assert_eq!(game.current("hero", "Health"), 90.0);
    game.apply("GE_Hit", "wolf", "hero");
    game.sim.restore(&kept).unwrap();
    // Work deferred to the end of the batch is due.
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (90.0, 90.0));
    assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
}

#[test]
fn e12_queues_that_wait_for_the_next_operation_still_wait_after_a_restore() {
    let mut game = queues(0);
    let running = game.activate("GE_Queue", "wolf", "hero");
    game.activate("GE_Queue", "wolf", "hero");
    game.sim.remove(running, Stacks::All).unwrap();
    assert_eq!(game.current("hero", "Attack"), 100.0); // nothing runs
    let kept = game.sim.snapshot();
    let go_on = |game: &mut Game| {
        let (hit, hero) = (game.effect("GE_Hit"), game.id("hero"));
        let _ = game.sim.apply_effect(hit, None, hero);
        (game.events(), game.sim.state_hash())
    };
    game.events();
    let first = go_on(&mut game);
    game.sim.restore(&kept).unwrap();
    assert_eq!(go_on(&mut game), first);
}

#[test]
fn i7_events_of_two_instants_are_not_merged() {
    let mut game = queues(0);
    let running = game.activate("GE_Queue", "wolf", "hero");
    game.activate("GE_Queue", "wolf", "hero");
    game.events();
    game.sim.remove(running, Stacks::All).unwrap();
    game.sim.advance(Span::seconds(1.0));
    game.sim.batch(|_| {}); // which tries to begin the queue again, and may not
    let limits = |event: &Event| matches!(event.kind, EventKind::CascadeLimit { .. });
    let times: Vec<Time> =
        game.events().iter().filter(|event| limits(event)).map(|event| event.time).collect();
    assert_eq!(times, [Time::ZERO, Time::from_seconds(1.0)]);
}

#[test]
fn i7_dropped_events_leave_a_gap() {
    let config = Config { max_events: 1, ..Config::seeded(7) };
    let hit = instant("GE_Hit", "Health", Operation::Add, -10.0);
    let mut game = Game::configured(config, |builder| builder.effect(hit));
    game.events();
    let first = game.sim.counters().events;
    game.apply("GE_Hit", "wolf", "hero"); // two events, of which there is room for one
    let kept: Vec<u64> = game.events().iter().map(|event| event.sequence).collect();
    game.apply("GE_Hit", "wolf", "hero");
    let next: Vec<u64> = game.events().iter().map(|event| event.sequence).collect();
    assert_eq!((kept, next, game.sim.dropped_events() > 0), (vec![first], vec![first + 2], true));
}
