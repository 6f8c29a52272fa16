//! Tasks of the host (A6) and tasks written in Rust (§10.4).

use ugas_core::ability::{AbilityDef, GameplayEvent};
use ugas_core::event::EventKind;
use ugas_core::handle::TaskId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Snapshot, Stacks};
use ugas_core::task::{CustomTask, HostValue, Subject, TaskContext, TaskDef, TaskOutcome, TaskProgress};
use ugas_core::time::Span;

use super::{note, noted};
use crate::fixture::{Game, instant, tagging};

#[test]
fn a6_host_task_is_requested_and_completed_once() {
    let montage = TaskDef::Host {
        kind: "PlayMontage".into(),
        params: vec![
            ("Name".into(), HostValue::Text("Cast".into())),
            ("Rate".into(), HostValue::Number(2.0)),
        ],
    };
    let skill = AbilityDef::new("GA").task(montage).task(note("1")).task(TaskDef::wait(1.0));
    let (mut game, handles) = Game::with_abilities([], [skill]);
    game.run(handles[0]);
    let task = game.task("hero");
    let requested = game.events().iter().any(|event| {
        matches!(&event.kind, EventKind::HostTaskRequested { task: asked, kind, .. }
            if *asked == task && **kind == *"PlayMontage")
    });
    assert!(requested);
    let routine = game.sim.catalog().ability_by_id(game.ability("GA")).unwrap().routine();
    assert_eq!(routine.host_parameters(0).unwrap().len(), 2);
    assert!(game.sim.complete_task(task, TaskOutcome::Completed));
    assert_eq!(noted(&game, handles[0]), 1.0);
    let hash = game.sim.state_hash();
    assert!(!game.sim.complete_task(task, TaskOutcome::Completed), "a second answer");
    assert!(!game.sim.complete_task(task, TaskOutcome::Failed));
    // The host cannot complete other tasks.
    let delay = game.task("hero");
    assert!(!game.sim.complete_task(delay, TaskOutcome::Completed));
    assert!(!game.sim.complete_task(TaskId::from_bits(7 << 32 | 9).unwrap(), TaskOutcome::Completed));
    assert_eq!(game.sim.state_hash(), hash);
    game.pass(1.0);
    game.assert_idle("hero");
}

#[test]
fn a6_interrupted_task_cancels_the_ability_and_a_late_answer_is_ignored() {
    let skill = || AbilityDef::new("GA").owning("State.Busy").task(TaskDef::host("WaitMontageEnded"));
    for outcome in [TaskOutcome::Interrupted, TaskOutcome::Cancelled, TaskOutcome::Failed] {
        let (mut game, handles) = Game::with_abilities([], [skill()]);
        game.run(handles[0]);
        let task = game.task("hero");
        assert!(game.sim.complete_task(task, outcome));
        assert!(game.log().contains(&"cancelled GA Declined".to_owned()));
        game.assert_idle("hero");
    }
    let (mut game, handles) = Game::with_abilities([], [skill()]);
    let run = game.run(handles[0]);
    let task = game.task("hero");
    game.sim.cancel(run);
    assert_eq!(game.count("HostTaskCancelled"), 1);
    assert!(!game.sim.complete_task(task, TaskOutcome::Completed));
    // The task of the next activation has another handle, possibly with the same index.
    game.run(handles[0]);
    assert!(!game.sim.complete_task(task, TaskOutcome::Completed));
    assert!(game.is_active(handles[0]));
}

/// §10.4: waits until Health is at or below a threshold, with a timeout; counts its checks.
struct WaitForHealth;

impl WaitForHealth {
    fn look(context: &mut TaskContext<'_>) -> TaskProgress {
        let looks = context.load().unwrap_or(0.0) + 1.0;
        context.store(&looks);
        context.output("Looks", looks);
        let Some(threshold) = context.param("Threshold") else { return TaskProgress::Failed };
        let health = context.simulation().catalog().attribute("Health").unwrap();
        match context.simulation().current(context.owner(), health) {
            Some(value) if value <= threshold => TaskProgress::Done,
            _ => TaskProgress::Waiting,
        }
    }
}

impl CustomTask for WaitForHealth {
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let health = context.simulation().catalog().attribute("Health").unwrap();
        context.subscribe(Subject::Attribute(health));
        context.subscribe(Subject::Attribute(health));
        context.wake_in(Span::seconds(context.param("Patience").unwrap_or(60.0)));
        Self::look(context)
    }

    fn wake(&self, context: &mut TaskContext<'_>, event: &EventKind) -> TaskProgress {
        assert!(matches!(event, EventKind::AttributeChanged { .. }));
        Self::look(context)
    }

    fn timer(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        context.output("Looks", -1.0);
        TaskProgress::Done
    }
}

fn custom(params: &[(&str, f64)]) -> (Game, ugas_core::handle::GrantedAbilityId) {
    let task = TaskDef::Custom {
        name: "WaitForHealth".into(),
        params: params.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect(),
    };
    let skill = AbilityDef::new("GA").task(task).task(note("Param(\"Looks\")")).task(TaskDef::wait(1.0));
    let mut game = Game::build(|builder| {
        builder
            .custom_task("WaitForHealth", WaitForHealth)
            .effect(instant("GE_Hit", "Health", Operation::Add, -10.0))
            .effect(tagging("State.Wet"))
            .ability(skill)
    });
    let handle = game.grant("hero", "GA");
    game.events();
    game.run(handle);
    (game, handle)
}

#[test]
fn section_10_4_custom_task_waits_until_its_condition_holds() {
    let (mut game, handle) = custom(&[("Threshold", 85.0)]);
    let task = game.task("hero");
    assert_eq!(game.sim.task_kind(task), Some("Custom"));
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().subscription_count(), 1);
    game.apply("Tag:State.Wet", "wolf", "hero");
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(noted(&game, handle), 0.0);
    game.apply("GE_Hit", "wolf", "hero");
    // Once at the beginning, once at 90, once at 80.
    assert_eq!((noted(&game, handle), game.waits("hero")), (3.0, vec!["WaitDelay".to_owned()]));
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().subscription_count(), 0);
    let (game, handle) = custom(&[("Threshold", 100.0)]);
    assert_eq!(noted(&game, handle), 1.0, "done at once");
}

#[test]
fn section_10_4_custom_task_times_out_fails_and_cleans_up() {
    let (mut game, handle) = custom(&[("Threshold", 85.0), ("Patience", 2.0)]);
    game.pass(2.0);
    assert_eq!(noted(&game, handle), -1.0);
    let (mut game, handle) = custom(&[]);
    assert!(!game.is_active(handle));
    assert!(game.log().contains(&"cancelled GA TaskFailed".to_owned()));
    game.assert_idle("hero");
    let (mut game, handle) = custom(&[("Threshold", 85.0), ("Patience", 2.0)]);
    game.sim.cancel_ability(handle).unwrap();
    game.assert_idle("hero");
    game.apply("GE_Hit", "wolf", "hero");
}

#[test]
fn custom_task_memory_is_part_of_the_state() {
    let (mut game, handle) = custom(&[("Threshold", 75.0)]);
    game.apply("GE_Hit", "wolf", "hero");
    let (snapshot, hash) = (game.sim.snapshot(), game.sim.state_hash());
    let finish = |game: &mut Game| {
        game.apply("GE_Hit", "wolf", "hero");
        game.apply("GE_Hit", "wolf", "hero");
        (noted(game, handle), game.sim.state_hash())
    };
    let first = finish(&mut game);
    assert_eq!(first.0, 4.0);
    game.sim.restore(&snapshot).unwrap();
    assert_eq!(game.sim.state_hash(), hash);
    assert_eq!(finish(&mut game), first);
}

/// Guards the target: removes `State.Wet` from it whenever it gets wet and tells it so, and ends after two changes of
/// its health. Subscribes in an order that is not sorted.
struct Guard;

impl CustomTask for Guard {
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let catalog = context.simulation().catalog();
        let (wet, health) = (catalog.tag("State.Wet").unwrap(), catalog.attribute("Health").unwrap());
        let Some(target) = context.target() else { return TaskProgress::Failed };
        context.subscribe(Subject::EffectRemoved);
        context.subscribe(Subject::Tag(wet));
        context.watch(target, Subject::Tag(wet));
        context.watch(target, Subject::Attribute(health));
        context.store(&(0_u32, false));
        TaskProgress::Waiting
    }

    fn wake(&self, context: &mut TaskContext<'_>, event: &EventKind) -> TaskProgress {
        let Some((changes, _)) = context.load::<(u32, bool)>() else { return TaskProgress::Failed };
        let target = context.target().unwrap();
        match event {
            EventKind::AttributeChanged { controller, .. } if *controller == target => {
                context.store(&(changes + 1, true));
                if changes == 1 { TaskProgress::Done } else { TaskProgress::Waiting }
            }
            EventKind::TagAdded { controller, .. } if *controller == target => {
                let wet = context.simulation().controller(target).unwrap().effects().to_vec();
                wet.into_iter().for_each(|active| context.remove(active, Stacks::All));
                let dry = context.simulation().catalog().tag("Event.Dry").unwrap();
                context.send_event(target, GameplayEvent::new(dry)).unwrap();
                TaskProgress::Waiting
            }
            _ => TaskProgress::Waiting,
        }
    }
}

fn guarded() -> (Game, ugas_core::handle::GrantedAbilityId) {
    let task = TaskDef::Custom { name: "Guard".into(), params: Vec::new() };
    let mut game = Game::build(|builder| {
        builder
            .custom_task("Guard", Guard)
            .effect(instant("GE_Hit", "Health", Operation::Add, -10.0))
            .effect(tagging("State.Wet"))
            .declare_tag("Event.Dry")
            .ability(AbilityDef::new("GA").task(task).task(note("1")).task(TaskDef::wait(1.0)))
    });
    let handle = game.grant("hero", "GA");
    let wolf = game.id("wolf");
    game.sim.activate_on(handle, wolf).unwrap();
    game.events();
    (game, handle)
}

#[test]
fn custom_task_watches_its_target_removes_effects_and_sends_events() {
    let (mut game, handle) = guarded();
    let subscriptions =
        |game: &Game, name: &str| game.sim.controller(game.id(name)).unwrap().subscription_count();
    assert_eq!((subscriptions(&game, "hero"), subscriptions(&game, "wolf")), (2, 2));
    game.apply("Tag:State.Wet", "hero", "wolf");
    assert!(!game.has_tag("wolf", "State.Wet"), "the guard removes it");
    assert_eq!(game.count("GameplayEvent"), 1);
    game.apply("GE_Hit", "hero", "wolf");
    assert_eq!(noted(&game, handle), 0.0);
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(noted(&game, handle), 0.0, "it watches the health of the wolf alone");
    game.apply("GE_Hit", "hero", "wolf");
    assert_eq!(noted(&game, handle), 1.0);
    assert_eq!((subscriptions(&game, "hero"), subscriptions(&game, "wolf")), (0, 0));
}

/// The subscriptions survive bytes, restoring and the end of the watched controller.
#[test]
fn watched_subjects_are_part_of_the_state() {
    let (mut game, handle) = guarded();
    let (bytes, hash) = (game.sim.snapshot_bytes(), game.sim.state_hash());
    let snapshot = Snapshot::from_bytes(&bytes, game.sim.catalog()).unwrap();
    game.sim.restore(&snapshot).unwrap();
    assert_eq!((game.sim.state_hash(), game.sim.inconsistencies()), (hash, Vec::new()));
    game.apply("GE_Hit", "hero", "wolf");
    game.apply("GE_Hit", "hero", "wolf");
    assert_eq!(noted(&game, handle), 1.0);
    let (mut game, handle) = guarded();
    game.sim.despawn(game.id("wolf")).unwrap();
    assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
    game.sim.cancel_ability(handle).unwrap();
    game.assert_idle("hero");
}
