//! Random abilities in random games: nothing panics, nothing leaks, and states go on exactly (A5, V4, I1).

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use ugas_core::event::{Event, EventKind};
use ugas_core::simulation::Config;
use ugas_core::time::Span;
use ugas_testkit::fixtures::{
    Bout, Deed, Op, assert_quiescent, deeds, do_deed, do_in_a_batch, game_of_abilities,
};
use ugas_testkit::oracle::Game;

/// A bout whose cascades end soon: abilities that go on for ever are part of the game.
fn bout(game: &Game) -> Bout {
    Bout::configured(game, Config { cascade_limit: 300, ..Config::seeded(1) })
}

fn check_sound(bout: &Bout, deed: &Deed) -> Result<(), TestCaseError> {
    let found = bout.sim.inconsistencies();
    prop_assert!(found.is_empty(), "after {:?}: {:#?}", deed, found);
    for event in bout.sim.pending_events() {
        prop_assert!(!matches!(event.kind, EventKind::LogicError { .. }), "after {:?}: {:?}", deed, event);
    }
    Ok(())
}

fn advance_in_steps(bout: &mut Bout, millis: i64, steps: &[i64]) {
    let mut left = millis * 1_000;
    for step in steps.iter().cycle() {
        if left <= 0 {
            return;
        }
        let step = (*step).min(left);
        bout.sim.advance(Span::from_micros(step));
        left -= step;
    }
}

/// Everything that one can see of a continuation.
fn continuation(bout: &mut Bout, deeds: &[Deed]) -> (Vec<u64>, Vec<Event>) {
    let mut hashes = Vec::new();
    for deed in deeds {
        do_deed(bout, deed);
        hashes.push(bout.sim.state_hash());
    }
    (hashes, bout.sim.events().collect())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn leave_nothing_behind(game in game_of_abilities(), deeds in deeds(40)) {
        let mut bout = bout(&game);
        for deed in &deeds {
            do_deed(&mut bout, deed);
            check_sound(&bout, deed)?;
            bout.sim.events().for_each(drop);
        }
        assert_quiescent(&mut bout.sim);
    }

    #[test]
    fn are_step_invariant(
        game in game_of_abilities(),
        deeds in deeds(40),
        steps in vec(1_000..2_000_000i64, 1..6),
    ) {
        let (mut whole, mut parts) = (bout(&game), bout(&game));
        for deed in &deeds {
            do_deed(&mut whole, deed);
            match deed {
                Deed::Plain(Op::Advance(millis)) => advance_in_steps(&mut parts, *millis, &steps),
                deed => do_deed(&mut parts, deed),
            }
            prop_assert_eq!(whole.sim.state_hash(), parts.sim.state_hash(), "after {:?}", deed);
            prop_assert!(whole.sim.events().eq(parts.sim.events()), "after {:?}", deed);
        }
    }

    #[test]
    fn go_on_exactly_from_a_snapshot(
        game in game_of_abilities(),
        before in deeds(25),
        after in deeds(25),
    ) {
        let mut bout = bout(&game);
        for deed in &before {
            do_deed(&mut bout, deed);
        }
        bout.sim.events().for_each(drop);
        let (snapshot, hash) = (bout.sim.snapshot(), bout.sim.state_hash());
        let (start, mut twin) = (bout.clone(), bout.clone());
        let first = continuation(&mut bout, &after);
        let mut again = start;
        again.sim = bout.sim;
        again.sim.restore(&snapshot).unwrap();
        prop_assert_eq!(again.sim.state_hash(), hash);
        prop_assert!(again.sim.inconsistencies().is_empty());
        prop_assert_eq!(&first, &continuation(&mut again, &after), "restored");
        prop_assert_eq!(&first, &continuation(&mut twin, &after), "cloned");
    }

    /// A snapshot from inside a batch is sound once it is restored.
    #[test]
    fn survive_a_snapshot_inside_a_batch(game in game_of_abilities(), deeds in deeds(25)) {
        let mut bout = bout(&game);
        let (sim, snapshot) = do_in_a_batch(&bout, &deeds);
        prop_assert!(sim.inconsistencies().is_empty(), "{:#?}", sim.inconsistencies());
        bout.sim.restore(&snapshot).unwrap();
        prop_assert!(bout.sim.inconsistencies().is_empty(), "{:#?}", bout.sim.inconsistencies());
        assert_quiescent(&mut bout.sim);
    }
}

/// The random games are not idle: everything that can happen to an ability happens in some of them.
#[test]
fn do_all_that_abilities_can_do() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..400 {
        let game = game_of_abilities().new_tree(&mut runner).unwrap().current();
        let deeds = deeds(40).new_tree(&mut runner).unwrap().current();
        let mut bout = bout(&game);
        deeds.iter().for_each(|deed| do_deed(&mut bout, deed));
        seen.extend(bout.sim.events().map(|event| event.kind.name()));
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
