//! V4: one long step has the same result as many short ones.

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::event::Event;
use ugas_core::time::Span;
use ugas_testkit::fixtures::{Op, SimDriver, arena, operations, random_game};
use ugas_testkit::oracle::Game;

/// Advances time in steps of these lengths in microseconds, repeated cyclically.
fn advance_in_steps(driver: &mut SimDriver, millis: i64, steps: &[i64]) {
    let mut left = millis * 1_000;
    for step in steps.iter().cycle() {
        if left <= 0 {
            return;
        }
        let step = (*step).min(left);
        driver.sim.advance(Span::from_micros(step));
        left -= step;
    }
}

fn check(game: &Game, operations: &[Op], steps: &[i64]) -> Result<(), TestCaseError> {
    let (mut whole, mut parts) = (SimDriver::new(game), SimDriver::new(game));
    for operation in operations {
        whole.run(operation);
        match operation {
            Op::Advance(millis) => advance_in_steps(&mut parts, *millis, steps),
            _ => parts.run(operation),
        }
        prop_assert_eq!(whole.sim.state_hash(), parts.sim.state_hash(), "after {:?}", operation);
        let whole: Vec<Event> = whole.sim.events().collect();
        let parts: Vec<Event> = parts.sim.events().collect();
        prop_assert_eq!(whole, parts, "after {:?}", operation);
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn of_the_arena(operations in operations(40), steps in vec(1_000..2_000_000i64, 1..6)) {
        check(&arena(), &operations, &steps)?;
    }

    #[test]
    fn of_random_games(game in random_game(), operations in operations(30), steps in vec(1_000..2_000_000i64, 1..6)) {
        check(&game, &operations, &steps)?;
    }
}

/// Steps of a game loop: 600 frames compared with one step of ten seconds.
#[test]
fn of_a_game_loop() {
    let apply = |effect| Op::Apply { effect, source: Some(0), target: 1, options: Default::default() };
    let mut operations: Vec<Op> = (0..arena().effects.len()).map(apply).collect();
    operations.push(Op::Advance(10_000));
    check(&arena(), &operations, &[16_667]).unwrap();
}
