//! Execution policies (§9.6, E4).

use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{EffectDef, EffectStatus, ExecutionPolicy};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Application, Stacks};
use ugas_core::time::{Span, Time};

use crate::fixture::Game;

fn with_policy(policy: ExecutionPolicy) -> EffectDef {
    EffectDef::lasting("GE", 10.0).modify("Attack", Operation::Add, 10.0).granting("State.X").policy(policy)
}

#[test]
fn e4_parallel_instances_add_up_and_end_one_by_one() {
    let mut game = Game::of([with_policy(ExecutionPolicy::RunInParallel)]);
    for _ in 0..3 {
        game.apply("GE", "wolf", "hero");
        game.pass(2.0);
    }
    assert_eq!(game.current("hero", "Attack"), 130.0);
    game.pass(4.0); // 10 s: the first is over
    assert_eq!(game.current("hero", "Attack"), 120.0);
    game.pass(4.0);
    assert_eq!((game.current("hero", "Attack"), game.has_tag("hero", "State.X")), (100.0, false));
}

#[test]
fn e4_a_sequence_runs_one_after_the_other_each_with_its_own_events() {
    let mut game = Game::of([with_policy(ExecutionPolicy::RunInSequence)]);
    let first = game.activate("GE", "wolf", "hero");
    let Application::Queued(second) = game.apply("GE", "wolf", "hero") else { panic!("it waits") };
    assert_eq!(game.current("hero", "Attack"), 110.0);
    assert_eq!(game.active(second).status(), EffectStatus::Queued);
    assert_eq!(game.active(second).remaining(game.sim.now()), Some(Span::seconds(10.0)));
    let effect = game.effect("GE");
    assert_eq!(game.sim.effect_count(game.id("hero"), effect), 1);
    game.events();
    game.pass(10.0);
    let log = game.log();
    assert_eq!(log.first().map(String::as_str), Some("removed GE Expired"));
    assert!(log.contains(&"applied GE".to_owned()), "{log:?}");
    assert!(game.sim.effect(first).is_none());
    assert_eq!(game.active(second).started(), Time::from_seconds(10.0));
    assert_eq!((game.current("hero", "Attack"), game.has_tag("hero", "State.X")), (110.0, true));
    game.pass(10.0);
    assert_eq!((game.current("hero", "Attack"), game.has_tag("hero", "State.X")), (100.0, false));
}

#[test]
fn e4_a_sequence_goes_on_when_the_active_one_is_removed() {
    let mut game = Game::of([with_policy(ExecutionPolicy::RunInSequence)]);
    let first = game.activate("GE", "wolf", "hero");
    let second = game.activate("GE", "wolf", "hero");
    let third = game.activate("GE", "wolf", "hero");
    game.pass(3.0);
    game.sim.remove(first, Stacks::All).unwrap();
    assert_eq!(game.active(second).expires(), Some(Time::from_seconds(13.0)));
    assert_eq!(game.active(third).status(), EffectStatus::Queued);
}

#[test]
fn e4_queued_instance_can_be_removed_without_side_effects() {
    let mut effect = with_policy(ExecutionPolicy::RunInSequence);
    effect.expiration_effects.premature.push("GE_Premature".into());
    let mut game = Game::of([effect, EffectDef::instant("GE_Premature")]);
    let first = game.activate("GE", "wolf", "hero");
    let second = game.activate("GE", "wolf", "hero");
    game.events();
    game.sim.remove(second, Stacks::All).unwrap();
    assert_eq!(game.log(), ["removed GE Removed"]);
    assert_eq!(game.current("hero", "Attack"), 110.0);
    game.pass(10.0);
    assert!(game.sim.effect(first).is_none());
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn e4_one_queue_for_each_effect_and_target() {
    let mut game = Game::of([
        with_policy(ExecutionPolicy::RunInSequence),
        EffectDef { name: "GE_Other".into(), ..with_policy(ExecutionPolicy::RunInSequence) },
    ]);
    assert!(matches!(game.apply("GE", "hero", "hero"), Application::Active(_)));
    assert!(matches!(game.apply("GE_Other", "hero", "hero"), Application::Active(_)));
    assert!(matches!(game.apply("GE", "hero", "wolf"), Application::Active(_)));
    assert!(matches!(game.apply("GE", "wolf", "hero"), Application::Queued(_)));
}

#[test]
fn e4_queued_instances_of_zero_duration_all_run_at_one_instant() {
    let mut game = Game::of([EffectDef::lasting("GE", MagnitudeDef::set_by_caller("Data.Duration"))
        .policy(ExecutionPolicy::RunInSequence)]);
    for seconds in [1.0, 0.0, 0.0, 2.0] {
        let spec = game.spec_with("GE", "hero", "Data.Duration", seconds);
        game.apply_spec(&spec, "hero");
    }
    game.pass(1.0);
    let effects = game.sim.controller(game.id("hero")).unwrap().effects().to_vec();
    let [last] = effects[..] else { panic!("one is left: {effects:?}") };
    assert_eq!(game.active(last).expires(), Some(Time::from_seconds(3.0)));
}

#[test]
fn e4_a_queued_instance_evaluates_live_magnitudes_when_it_begins() {
    let effect = EffectDef::lasting("GE", 1.0)
        .modify("Attack", Operation::Add, MagnitudeDef::expression("Source.Strength"))
        .policy(ExecutionPolicy::RunInSequence);
    let mut game =
        Game::of([effect, EffectDef::instant("GE_Train").modify("Strength", Operation::Add, 10.0)]);
    game.apply("GE", "wolf", "hero");
    game.apply("GE", "wolf", "hero");
    game.pass(0.5);
    game.apply("GE_Train", "wolf", "wolf");
    game.pass(0.5);
    assert_eq!(game.current("hero", "Attack"), 160.0);
}

#[test]
fn e4_a_merge_lasts_from_the_first_start_to_the_latest_end() {
    let mut game = Game::of([with_policy(ExecutionPolicy::RunInMerge)]);
    let active = game.activate("GE", "wolf", "hero");
    game.pass(4.0);
    assert_eq!(game.apply("GE", "wolf", "hero"), Application::Merged(active));
    assert_eq!(game.current("hero", "Attack"), 110.0);
    let merged = game.active(active);
    assert_eq!((merged.started(), merged.expires()), (Time::ZERO, Some(Time::from_seconds(14.0))));
    assert_eq!(merged.duration(), Some(Span::seconds(14.0)));
    assert!(game.log().contains(&"merged GE".to_owned()));
    game.pass(10.0);
    assert!(game.sim.effect(active).is_none());
}

#[test]
fn e4_a_merge_with_an_earlier_end_keeps_the_later_one() {
    let mut game = Game::of([with_policy(ExecutionPolicy::RunInMerge)]);
    let active = game.activate("GE", "wolf", "hero");
    let short = game.spec("GE", "wolf").with_duration(Span::seconds(1.0));
    game.apply_spec(&short, "hero");
    assert_eq!(game.active(active).expires(), Some(Time::from_seconds(10.0)));
}

#[test]
fn e4_a_merge_takes_the_newest_spec_and_keeps_the_phase() {
    let effect = EffectDef::lasting("GE", 10.0)
        .every(1.0)
        .modify("Health", Operation::Add, MagnitudeDef::set_by_caller("Data.X"))
        .modify("Attack", Operation::Multiply, MagnitudeDef::set_by_caller("Data.X"))
        .policy(ExecutionPolicy::RunInMerge);
    let mut game = Game::of([effect]);
    let first = game.spec_with("GE", "wolf", "Data.X", -1.0);
    let active = game.apply_spec(&first, "hero").active().unwrap();
    game.pass(1.5);
    assert_eq!(game.base("hero", "Health"), 99.0);
    let second = game.spec_with("GE", "hero", "Data.X", -0.5);
    game.apply_spec(&second, "hero");
    assert_eq!(game.current("hero", "Attack"), 50.0);
    assert_eq!(game.active(active).source(), Some(game.id("hero")));
    game.pass(0.5); // the tick of 2 s
    assert_eq!(game.base("hero", "Health"), 98.5);
}

#[test]
fn e4_a_merge_changes_dynamic_tags_with_its_spec() {
    let mut game = Game::of([
        with_policy(ExecutionPolicy::RunInMerge),
        crate::fixture::tagging("Extra.One"),
        crate::fixture::tagging("Extra.Two"),
    ]);
    let one = game.spec("GE", "wolf").granting(game.tag("Extra.One"));
    game.apply_spec(&one, "hero");
    let two = game.spec("GE", "wolf").granting(game.tag("Extra.Two"));
    let active = game.apply_spec(&two, "hero").active().unwrap();
    assert!(!game.has_tag("hero", "Extra.One") && game.has_tag("hero", "Extra.Two"));
    game.sim.remove(active, Stacks::All).unwrap();
    assert!(game.sim.tags(game.id("hero")).unwrap().is_empty());
    assert_eq!(game.count("LogicError"), 0);
}

#[test]
fn e4_two_queues_that_remove_each_other_do_not_overflow_the_stack() {
    // A removes effects tagged Y and B effects tagged X. With long queues of both, each begins because the
    // other was removed, thousands of times within one call.
    let pusher = |name: &str, pushes: &str| {
        let mut effect = EffectDef::infinite(name).policy(ExecutionPolicy::RunInSequence);
        effect.remove_effects_with_tags.push(pushes.into());
        effect
    };
    let mut game = Game::of([pusher("GE_A", "Kind.Y"), pusher("GE_B", "Kind.X")]);
    let plain = game.activate("GE_A", "hero", "hero");
    let tagged_x = game.spec("GE_A", "hero").tagged(game.tag("Kind.X"));
    let tagged_y = game.spec("GE_B", "hero").tagged(game.tag("Kind.Y"));
    game.apply_spec(&tagged_y, "hero");
    for _ in 0..2_000 {
        game.apply_spec(&tagged_x, "hero");
        game.apply_spec(&tagged_y, "hero");
    }
    game.sim.remove(plain, Stacks::All).unwrap();
    let running = |name: &str| game.sim.effect_count(game.id("hero"), game.effect(name));
    assert!(running("GE_A") + running("GE_B") <= 2);
}
