//! Flow (A5): sequences, races, joins, loops, choices, and exact clean-up.

use ugas_core::ability::{AbilityDef, AbilityState};
use ugas_core::effect::EffectDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::Config;
use ugas_core::task::{ActionDef, TaskDef, WaitDef};

use super::{act, note, noted, wait};
use crate::fixture::{Game, instant};

fn heal() -> EffectDef {
    instant("GE_Mana", "Mana", Operation::Add, 1.0)
}

fn gain() -> TaskDef {
    TaskDef::apply_to_owner("GE_Mana")
}

fn repeat(count: Option<f64>, interval: Option<f64>, tasks: Vec<TaskDef>) -> TaskDef {
    TaskDef::Repeat { count: count.map(Into::into), interval: interval.map(Into::into), tasks }
}

fn event(name: &str) -> TaskDef {
    TaskDef::wait_event(format!("Event.{name}"))
}

fn play(tasks: Vec<TaskDef>) -> (Game, ugas_core::handle::GrantedAbilityId) {
    let skill = AbilityDef { tasks, ..AbilityDef::new("GA").owning("State.Busy") };
    let (mut game, handles) = Game::with_abilities([heal()], [skill]);
    game.run(handles[0]);
    (game, handles[0])
}

#[test]
fn a5_race_ends_with_its_first_branch_and_cancels_the_others() {
    let race = TaskDef::Race(vec![
        vec![event("A"), note("1")],
        vec![event("B"), note("2")],
        vec![TaskDef::wait(5.0), note("3")],
    ]);
    let (mut game, handle) = play(vec![race, event("C"), note("Param(\"Note\") + 10")]);
    assert_eq!(game.waits("hero"), ["WaitGameplayEvent", "WaitGameplayEvent", "WaitDelay"]);
    game.send("hero", "Event.B", 0.0);
    assert_eq!((noted(&game, handle), game.waits("hero")), (2.0, vec!["WaitGameplayEvent".to_owned()]));
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().subscription_count(), 1);
    assert_eq!(game.sim.next_timer(), None);
    game.send("hero", "Event.A", 0.0);
    assert_eq!(noted(&game, handle), 2.0);
    game.send("hero", "Event.C", 0.0);
    assert_eq!(noted(&game, handle), 12.0);
    game.assert_idle("hero");
}

#[test]
fn a5_all_waits_for_the_last_branch() {
    let all = TaskDef::All(vec![vec![event("A")], vec![TaskDef::wait(2.0)], vec![]]);
    let (mut game, handle) = play(vec![all, note("1"), event("C")]);
    game.send("hero", "Event.A", 0.0);
    game.pass(1.5);
    assert_eq!(noted(&game, handle), 0.0);
    game.pass(0.5);
    assert_eq!(noted(&game, handle), 1.0);
}

#[test]
fn a5_empty_lists_are_done_at_once() {
    let (game, handle) = play(vec![
        TaskDef::Sequence(vec![]),
        TaskDef::All(vec![]),
        TaskDef::All(vec![vec![], vec![]]),
        TaskDef::Race(vec![]),
        TaskDef::Race(vec![vec![event("A")], vec![]]),
        repeat(Some(0.0), None, vec![event("A")]),
        repeat(Some(-3.0), None, vec![event("A")]),
        repeat(None, None, vec![]),
        TaskDef::If { condition: 1.0.into(), then: vec![], otherwise: vec![event("A")] },
        note("1"),
        event("C"),
    ]);
    assert_eq!(noted(&game, handle), 1.0);
    assert_eq!(game.waits("hero"), ["WaitGameplayEvent"]);
}

#[test]
fn a5_loop_counts_rounds_and_keeps_its_interval() {
    let (mut game, _) = play(vec![repeat(Some(3.0), Some(2.0), vec![gain(), TaskDef::wait(0.5)])]);
    // Rounds begin at 0, 2 and 4; the last ends at 4.5, without a pause after it.
    for (at, mana) in [(0.0, 51.0), (1.9, 51.0), (0.1, 52.0), (2.0, 53.0), (0.4, 53.0)] {
        game.pass(at);
        assert_eq!(game.current("hero", "Mana"), mana);
    }
    assert!(game.has_tag("hero", "State.Busy"));
    game.pass(0.1);
    game.assert_idle("hero");
    // A round that takes longer delays the next: rounds begin at 0, 3 and 6.
    let (mut game, _) = play(vec![repeat(Some(3.0), Some(2.0), vec![gain(), TaskDef::wait(3.0)])]);
    for mana in [51.0, 52.0, 53.0] {
        assert_eq!(game.current("hero", "Mana"), mana);
        game.pass(3.0);
    }
    game.assert_idle("hero");
}

#[test]
fn a5_loops_races_joins_and_choices_inside_each_other() {
    // Twice: either A, or three times B with one more mana each; then both C and D.
    let thrice = repeat(Some(3.0), None, vec![event("B"), gain()]);
    let program = repeat(
        Some(2.0),
        None,
        vec![
            TaskDef::Race(vec![vec![event("A")], vec![TaskDef::Sequence(vec![thrice])]]),
            TaskDef::All(vec![vec![event("C")], vec![event("D")]]),
            TaskDef::If { condition: "Mana > 52".into(), then: vec![note("1")], otherwise: vec![note("2")] },
        ],
    );
    let (mut game, handle) = play(vec![program]);
    let send = |game: &mut Game, names: &str| {
        for name in names.chars() {
            game.send("hero", &format!("Event.{name}"), 0.0);
        }
    };
    send(&mut game, "BCA");
    assert_eq!(game.waits("hero").len(), 2, "C came too early");
    send(&mut game, "DC");
    assert_eq!((noted(&game, handle), game.current("hero", "Mana")), (2.0, 51.0));
    send(&mut game, "BBBCD");
    assert_eq!((noted(&game, handle), game.current("hero", "Mana")), (1.0, 54.0));
    game.assert_idle("hero");
}

#[test]
fn branches_see_changes_of_other_branches() {
    // The first branch raises MaxHealth for as long as it lasts, the second one looks at it after that.
    let rise = EffectDef::infinite("GE_Rise").modify("MaxHealth", Operation::Add, 50.0);
    let skill = AbilityDef::new("GA")
        .task(TaskDef::All(vec![vec![TaskDef::apply_to_owner("GE_Rise")], vec![note("MaxHealth")]]));
    let then = AbilityDef::new("GA_Then")
        .task(TaskDef::Race(vec![vec![TaskDef::apply_to_owner("GE_Rise")]]))
        .task(note("MaxHealth"));
    let (mut game, handles) = Game::with_abilities([rise], [skill, then]);
    game.run(handles[0]);
    assert_eq!(noted(&game, handles[0]), 150.0);
    game.run(handles[1]);
    assert_eq!(noted(&game, handles[1]), 200.0);
}

#[test]
fn section_10_5_cancellation_leaves_nothing() {
    let everything = TaskDef::All(vec![
        vec![TaskDef::wait(9.0)],
        vec![event("A")],
        vec![act(ActionDef::AddCue("Cue.Glow".into())), TaskDef::host("PlayMontage")],
        vec![wait(WaitDef::TagAdded("State.Wet".into()))],
        vec![wait(WaitDef::AttributeChange("Health".into()))],
        vec![repeat(None, Some(1.0), vec![wait(WaitDef::Delay(0.1.into()))])],
        vec![wait(WaitDef::ConfirmCancel)],
    ]);
    let (mut game, handle) = play(vec![everything]);
    game.pass(0.5);
    assert_eq!(game.waits("hero").len(), 7);
    game.events();
    game.sim.cancel_ability(handle).unwrap();
    let log = game.log();
    assert_eq!(log.iter().filter(|line| *line == "HostTaskCancelled").count(), 1);
    assert!(log.contains(&"cue -Cue.Glow".to_owned()));
    game.assert_idle("hero");
    assert_eq!(game.sim.ability_state(handle), Some(AbilityState::Inactive));
}

/// §14.3: an interruption runs the fizzle tasks, and then the ability is cancelled.
#[test]
fn section_14_3_an_interrupted_cast_fizzles() {
    let fizzle = act(ActionDef::ExecuteCue("GameplayCue.Ability.Interrupted".into()));
    let cast = |handler: Vec<TaskDef>| {
        AbilityDef::new("GA_Fireball")
            .owning("State.Casting")
            .cancels("State.Stunned")
            .cost("GE_Cost")
            .task(TaskDef::commit())
            .task(TaskDef::Race(vec![vec![TaskDef::wait(1.5), TaskDef::host("SpawnProjectile")], handler]))
    };
    let stunned = || wait(WaitDef::TagAdded("State.Stunned".into()));
    let effects = || {
        [
            instant("GE_Cost", "Mana", Operation::Add, -30.0),
            EffectDef::lasting("GE_Stun", 1.0).granting("State.Stunned"),
            heal(),
        ]
    };
    // As in the specification; with a state change before the cue; and without an explicit cancel at the end.
    for handler in [
        vec![stunned(), fizzle.clone(), TaskDef::CancelAbility],
        vec![stunned(), gain(), fizzle.clone(), TaskDef::CancelAbility],
        vec![stunned(), gain(), gain(), fizzle.clone(), event("Never")],
    ] {
        let (mut game, handles) = Game::with_abilities(effects(), [cast(handler)]);
        game.run(handles[0]);
        game.pass(1.0);
        assert!(game.has_tag("hero", "State.Casting"));
        game.events();
        game.apply("GE_Stun", "wolf", "hero");
        let log = game.log();
        let at = |start: &str| log.iter().position(|line| line.starts_with(start));
        let (fizzled, cancelled) = (at("cue !GameplayCue.Ability.Interrupted"), at("cancelled GA_Fireball"));
        assert!(fizzled.is_some() && fizzled < cancelled, "{log:?}");
        assert!(!game.has_tag("hero", "State.Casting") && !log.contains(&"host SpawnProjectile".to_owned()));
        game.pass(5.0);
        game.assert_idle("hero");
    }
}

#[test]
fn section_14_3_interruption_ends_a_wait_for_an_ancestor_tag() {
    let skill = AbilityDef::new("GA").cancels("Hit.Hard.Now").task(TaskDef::Race(vec![
        vec![event("Never")],
        vec![wait(WaitDef::TagAdded("Hit".into())), gain(), act(ActionDef::ExecuteCue("Cue.Fizzle".into()))],
    ]));
    let skill = skill.task(event("Never"));
    let hit = EffectDef::lasting("GE_Hit", 1.0).granting("Hit.Hard.Now");
    let (mut game, handles) = Game::with_abilities([hit, heal()], [skill]);
    game.run(handles[0]);
    game.events();
    game.apply("GE_Hit", "wolf", "hero");
    let log = game.log();
    let at = |line: &str| log.iter().position(|known| known == line);
    let (fizzled, cancelled) = (at("cue !Cue.Fizzle"), at("cancelled GA CancelledByTag"));
    assert!(fizzled.is_some() && fizzled < cancelled, "{log:?}");
    game.pass(1.0);
    game.assert_idle("hero");
}

#[test]
fn e12_endless_loop_is_stopped_and_the_ability_cancelled() {
    for tasks in [
        vec![repeat(None, None, vec![note("1")])],
        vec![repeat(None, None, vec![gain()])],
        vec![repeat(None, Some(0.0), vec![TaskDef::Sequence(vec![])])],
        vec![TaskDef::All(vec![vec![repeat(None, None, vec![gain()])], vec![event("A")]])],
    ] {
        let (mut game, handle) = play(tasks);
        assert!(!game.is_active(handle));
        let log = game.log();
        assert_eq!(log.iter().filter(|line| *line == "CascadeLimit").count(), 1);
        assert!(log.contains(&"cancelled GA OutOfBudget".to_owned()), "{:?}", log.last());
        game.assert_idle("hero");
    }
}

#[test]
fn e12_abilities_that_activate_each_other_end_without_a_stack_overflow() {
    use ugas_core::ability::Instancing;
    let echo = |name: &str, other: &str| {
        AbilityDef::new(name)
            .instancing(Instancing::PerExecution)
            .task(act(ActionDef::ActivateAbility(other.into())))
            .task(TaskDef::wait(1.0))
    };
    let config = Config { max_activations_per_controller: 100_000, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| {
        builder.ability(echo("GA_A", "GA_B")).ability(echo("GA_B", "GA_A"))
    });
    let first = game.grant("hero", "GA_A");
    game.grant("hero", "GA_B");
    game.events();
    game.run(first);
    assert_eq!(game.count("CascadeLimit"), 1);
    game.pass(2.0);
    game.assert_idle("hero");
}

#[test]
fn branches_are_limited() {
    let config = Config { max_branches_per_activation: 4, ..Config::seeded(7) };
    let skill = AbilityDef::new("GA").task(TaskDef::All(vec![vec![event("A")]; 4]));
    let mut game = Game::configured(config, |builder| builder.ability(skill));
    let handle = game.grant("hero", "GA");
    game.run(handle);
    assert!(game.log().contains(&"cancelled GA TaskFailed".to_owned()));
    game.assert_idle("hero");
}

#[test]
fn snapshot_from_inside_a_batch_continues_its_abilities() {
    let skill = AbilityDef::new("GA").task(note("1")).task(TaskDef::wait(1.0));
    let (mut game, handles) = Game::with_abilities([], [skill]);
    let snapshot = game.sim.batch(|sim| {
        sim.activate(handles[0]).unwrap();
        sim.snapshot()
    });
    assert_eq!(noted(&game, handles[0]), 1.0);
    game.sim.restore(&snapshot).unwrap();
    assert_eq!((noted(&game, handles[0]), game.waits("hero")), (1.0, vec!["WaitDelay".to_owned()]));
    game.pass(1.0);
    game.assert_idle("hero");
}
