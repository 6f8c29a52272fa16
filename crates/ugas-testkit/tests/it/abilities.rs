//! Random abilities in random games: nothing panics, nothing leaks, and restored states continue identically
//! (A5, V4, I1).

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use ugas_core::event::{Event, EventKind};
use ugas_core::simulation::Config;
use ugas_core::time::Span;
use ugas_testkit::fixtures::{
    AbilityOp, Op, SimDriver, ability_ops, assert_quiescent, game_of_abilities, run_ability_op, run_in_batch,
};
use ugas_testkit::oracle::Game;

/// Driver with a low cascade limit, because some random abilities never end.
fn driver(game: &Game) -> SimDriver {
    SimDriver::configured(game, Config { cascade_limit: 300, ..Config::seeded(1) })
}

fn check_sound(driver: &SimDriver, ability_op: &AbilityOp) -> Result<(), TestCaseError> {
    let found = driver.sim.inconsistencies();
    prop_assert!(found.is_empty(), "after {:?}: {:#?}", ability_op, found);
    for event in driver.sim.pending_events() {
        prop_assert!(
            !matches!(event.kind, EventKind::LogicError { .. }),
            "after {:?}: {:?}",
            ability_op,
            event
        );
    }
    Ok(())
}

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

/// Hashes and events of a continuation.
fn continuation(driver: &mut SimDriver, ability_ops: &[AbilityOp]) -> (Vec<u64>, Vec<Event>) {
    let mut hashes = Vec::new();
    for ability_op in ability_ops {
        run_ability_op(driver, ability_op);
        hashes.push(driver.sim.state_hash());
    }
    (hashes, driver.sim.events().collect())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn leave_nothing_behind(game in game_of_abilities(), ability_ops in ability_ops(40)) {
        let mut driver = driver(&game);
        for ability_op in &ability_ops {
            run_ability_op(&mut driver, ability_op);
            check_sound(&driver, ability_op)?;
            driver.sim.events().for_each(drop);
        }
        assert_quiescent(&mut driver.sim);
    }

    /// A1: the yes-or-no answer agrees with the collected reasons, and an activation is refused for these.
    #[test]
    fn are_ready_unless_there_is_a_reason(game in game_of_abilities(), ability_ops in ability_ops(40)) {
        let mut driver = driver(&game);
        for ability_op in &ability_ops {
            run_ability_op(&mut driver, ability_op);
            let sim = &driver.sim;
            let targets: Vec<_> = sim.controllers().map(|(id, _)| id).collect();
            for handle in sim.controllers().flat_map(|(_, controller)| controller.abilities()).copied() {
                let checked = sim.can_activate(handle);
                prop_assert_eq!(sim.is_ready(handle), checked.is_ok(), "{:?} after {:?}", checked, ability_op);
                for &target in &targets {
                    let checked = sim.can_activate_on(handle, target);
                    prop_assert_eq!(sim.is_ready_on(handle, target), checked.is_ok(), "{:?}", checked);
                }
            }
        }
        let handles = driver.sim.controllers().flat_map(|(_, controller)| controller.abilities());
        for handle in handles.copied() {
            if let Err(refusal) = driver.sim.can_activate(handle) {
                prop_assert_eq!(driver.sim.clone().activate(handle), Err(refusal));
            }
        }
    }

    #[test]
    fn are_step_invariant(
        game in game_of_abilities(),
        ability_ops in ability_ops(40),
        steps in vec(1_000..2_000_000i64, 1..6),
    ) {
        let (mut whole, mut parts) = (driver(&game), driver(&game));
        for ability_op in &ability_ops {
            run_ability_op(&mut whole, ability_op);
            match ability_op {
                AbilityOp::Plain(Op::Advance(millis)) => advance_in_steps(&mut parts, *millis, &steps),
                ability_op => run_ability_op(&mut parts, ability_op),
            }
            prop_assert_eq!(whole.sim.state_hash(), parts.sim.state_hash(), "after {:?}", ability_op);
            prop_assert!(whole.sim.events().eq(parts.sim.events()), "after {:?}", ability_op);
        }
    }

    #[test]
    fn go_on_exactly_from_a_snapshot(
        game in game_of_abilities(),
        before in ability_ops(25),
        after in ability_ops(25),
    ) {
        let mut driver = driver(&game);
        for ability_op in &before {
            run_ability_op(&mut driver, ability_op);
        }
        driver.sim.events().for_each(drop);
        let (snapshot, hash) = (driver.sim.snapshot(), driver.sim.state_hash());
        let (start, mut twin) = (driver.clone(), driver.clone());
        let first = continuation(&mut driver, &after);
        let mut again = start;
        again.sim = driver.sim;
        again.sim.restore(&snapshot).unwrap();
        prop_assert_eq!(again.sim.state_hash(), hash);
        prop_assert!(again.sim.inconsistencies().is_empty());
        prop_assert_eq!(&first, &continuation(&mut again, &after), "restored");
        prop_assert_eq!(&first, &continuation(&mut twin, &after), "cloned");
    }

    /// A snapshot from inside a batch is sound once it is restored.
    #[test]
    fn survive_a_snapshot_inside_a_batch(game in game_of_abilities(), ability_ops in ability_ops(25)) {
        let mut driver = driver(&game);
        let (sim, snapshot) = run_in_batch(&driver, &ability_ops);
        prop_assert!(sim.inconsistencies().is_empty(), "{:#?}", sim.inconsistencies());
        driver.sim.restore(&snapshot).unwrap();
        prop_assert!(driver.sim.inconsistencies().is_empty(), "{:#?}", driver.sim.inconsistencies());
        assert_quiescent(&mut driver.sim);
    }
}

/// The random games are not idle: every event of an ability happens in some of them.
#[test]
fn do_all_that_abilities_can_do() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..400 {
        let game = game_of_abilities().new_tree(&mut runner).unwrap().current();
        let ability_ops = ability_ops(40).new_tree(&mut runner).unwrap().current();
        let mut driver = driver(&game);
        ability_ops.iter().for_each(|ability_op| run_ability_op(&mut driver, ability_op));
        seen.extend(driver.sim.events().map(|event| event.kind.name()));
    }
    for kind in [
        "AbilityActivated",
        "AbilityCancelled",
        "AbilityCommitted",
        "AbilityEnded",
        "AbilityRefused",
        "AbilityRevoked",
        "CascadeLimit",
        "ChargesChanged",
        "Confirmed",
        "CooldownBegan",
        "CooldownEnded",
        "CueRemoved",
        "Declined",
        "HostTaskCancelled",
        "HostTaskRequested",
        "InputBuffered",
        "InputReleased",
        "NoTarget",
        "OwnerDied",
        "TargetingBegan",
        "TargetingEnded",
        "TaskFailed",
        "TaskTriggered",
    ] {
        assert!(seen.contains(kind), "{kind} never happened");
    }
}
