//! Panics of native code (I10): the operation ends there, and nothing of it is left set.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ugas_core::ability::AbilityDef;
use ugas_core::catalog::CatalogBuilder;
use ugas_core::effect::calculation::{Calculation, CalculationError};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{AdditionalEffectDef, EffectDef, Vector3};
use ugas_core::event::{Event, EventKind};
use ugas_core::modifier::Operation;
use ugas_core::prediction::PredictionKey;
use ugas_core::simulation::{CalculationContext, Config, Simulation};
use ugas_core::targeting::{
    Affiliation, Area, Attitude, Confirmation, Placement, Shape, Space, SpaceAnswer, TargetingDef,
};
use ugas_core::task::{CustomTask, Subject, TaskContext, TaskDef, TaskProgress, WaitDef};
use ugas_core::time::{Span, Time};

use crate::fixture::{Game, buff, instant};

/// Native code of every kind, which panics while the fuse is lit.
#[derive(Clone, Default)]
struct Fuse(Arc<AtomicBool>);

impl Fuse {
    fn burn(&self) {
        assert!(!self.0.load(Ordering::Relaxed), "on purpose");
    }

    /// Runs an operation that panics in native code.
    #[track_caller]
    fn light<R>(&self, game: &mut Game, act: impl FnOnce(&mut Game) -> R) {
        self.0.store(true, Ordering::Relaxed);
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(act(game))));
        self.0.store(false, Ordering::Relaxed);
        let message = outcome.expect_err("native code panics");
        assert_eq!(message.downcast_ref::<&str>(), Some(&"on purpose"));
    }
}

impl Calculation for Fuse {
    fn calculate(&self, _: &mut CalculationContext<'_>) -> Result<f64, CalculationError> {
        self.burn();
        Ok(1.0)
    }
}

impl Space for Fuse {
    fn line_of_sight(&self, _: Time, _: Vector3, _: Vector3) -> bool {
        self.burn();
        true
    }
}

/// A [`Space`] that answers searches of areas.
struct Engine(Fuse);

impl Space for Engine {
    fn candidates(&self, _: Time, _: &Area, _: &mut Vec<ugas_core::handle::ControllerId>) -> SpaceAnswer {
        self.0.burn();
        SpaceAnswer::UsePlacements
    }
}

/// Method of a native task that panics.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Activate,
    Wake,
    Timer,
}

struct FusedTask(Fuse, Call);

impl FusedTask {
    fn call(&self, call: Call, progress: TaskProgress) -> TaskProgress {
        if call == self.1 {
            self.0.burn();
        }
        progress
    }
}

impl CustomTask for FusedTask {
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let health = context.simulation().catalog().attribute("Health").unwrap();
        context.subscribe(Subject::Attribute(health));
        context.wake_in(Span::seconds(2.0));
        context.store(&7_u32);
        self.call(Call::Activate, TaskProgress::Waiting)
    }

    fn wake(&self, context: &mut TaskContext<'_>, _: &EventKind) -> TaskProgress {
        let progress = self.call(Call::Wake, TaskProgress::Done);
        assert_eq!(context.load::<u32>(), Some(7), "a panic loses no memory");
        progress
    }

    fn timer(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        let progress = self.call(Call::Timer, TaskProgress::Done);
        assert_eq!(context.load::<u32>(), Some(7));
        progress
    }
}

/// A game with `GE_Fuse`, and with `GE_Chain`, which applies it between two other effects. `GE_Next` is the operation
/// after the panic.
fn game(fused: EffectDef, extend: impl FnOnce(CatalogBuilder) -> CatalogBuilder) -> Game {
    let chain = ["GE_First", "GE_Fuse", "GE_Last"].into_iter().map(AdditionalEffectDef::new);
    let chain = chain.fold(EffectDef::instant("GE_Chain"), EffectDef::also);
    let mut game = Game::build(|builder| {
        let builder = builder
            .effect(fused)
            .effect(chain)
            .effect(instant("GE_First", "Strength", Operation::Add, 1.0))
            .effect(instant("GE_Last", "Strength", Operation::Add, 10.0))
            .effect(instant("GE_Next", "Armor", Operation::Add, 1.0))
            .effect(instant("GE_Hurt", "Health", Operation::Add, -300.0))
            .effect(instant("GE_Hit", "Health", Operation::Add, -10.0));
        extend(builder)
    });
    let [hero, wolf] = ["hero", "wolf"].map(|name| game.id(name));
    for (id, x) in [(hero, 0.0), (wolf, 3.0)] {
        game.sim.set_placement(id, Placement::new([x, 0.0, 0.0], [1.0, 0.0, 0.0]).ok()).unwrap();
    }
    game.events();
    game
}

/// Asserts that nothing but its state distinguishes a game from one that is restored from it: the next operation has
/// the same events and leads to the same state, and its events are its own.
#[track_caller]
fn assert_clean(game: &mut Game) {
    assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
    game.events();
    let snapshot = game.sim.snapshot();
    let mut copy = game.clone();
    copy.sim = Simulation::new(game.sim.catalog().clone(), Config::seeded(7));
    copy.sim.restore(&snapshot).unwrap();
    let next = |game: &mut Game| -> Vec<Event> {
        game.apply("GE_Next", "wolf", "hero");
        game.events()
    };
    let (events, expected) = (next(game), next(&mut copy));
    assert_eq!(events, expected);
    let effect = Some(game.effect("GE_Next"));
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events.iter().all(|event| event.cause.effect == effect && event.prediction.is_none()));
    for _ in 0..3 {
        [&mut *game, &mut copy].into_iter().for_each(|game| game.pass(1.5));
        assert_eq!((game.sim.state_hash(), game.events()), (copy.sim.state_hash(), copy.events()));
    }
    assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
}

/// Lights the fuse in a chain of effects, in a prediction, in a batch, and in a batch that goes on.
#[track_caller]
fn check_chain(fuse: &Fuse, game: &Game) {
    let apply = |game: &mut Game| game.apply("GE_Chain", "wolf", "hero");
    let mut plain = game.clone();
    fuse.light(&mut plain, apply);
    // The effect before the panic is applied, the one after it is dropped with the rest of the cascade.
    assert_eq!(plain.current("hero", "Strength"), 51.0);
    assert_clean(&mut plain);
    plain.apply("GE_Chain", "wolf", "hero");
    assert_eq!(plain.current("hero", "Strength"), 62.0, "without a panic all are applied");

    let mut predicted = game.clone();
    fuse.light(&mut predicted, |game| {
        let (chain, hero) = (game.effect("GE_Chain"), game.id("hero"));
        game.sim.predicting(PredictionKey(9), |sim| drop(sim.apply_effect(chain, None, hero)));
    });
    assert_clean(&mut predicted);

    let mut batch = game.clone();
    fuse.light(&mut batch, |game| {
        let (chain, hero) = (game.effect("GE_Chain"), game.id("hero"));
        game.sim.batch(|sim| drop(sim.apply_effect(chain, None, hero)));
    });
    assert_clean(&mut batch);
}

#[test]
fn i10_panic_in_pre_change_ends_the_operation() {
    let fuse = Fuse::default();
    let hook = fuse.clone();
    for fused in
        [instant("GE_Fuse", "Speed", Operation::Add, 1.0), buff("GE_Fuse", "Speed", Operation::Add, 1.0)]
    {
        let hook = hook.clone();
        let game = game(fused, |builder| {
            builder.pre_change("Speed", move |change| {
                hook.burn();
                change.new
            })
        });
        check_chain(&fuse, &game);
    }
}

#[test]
fn i10_panic_in_a_qualifier_ends_the_operation() {
    let fuse = Fuse::default();
    let hook = fuse.clone();
    let fused = buff("GE_Fuse", "Speed", Operation::Add, 1.0);
    let game = game(fused, |builder| builder.qualifier("Speed", move |_| hook.burn()));
    check_chain(&fuse, &game);
}

#[test]
fn i10_panic_in_post_execute_ends_the_operation() {
    let fuse = Fuse::default();
    let hook = fuse.clone();
    let fused = instant("GE_Fuse", "Health", Operation::Add, -300.0);
    let mut game = game(fused, |builder| builder.post_execute("Health", move |_| hook.burn()));
    check_chain(&fuse, &game);
    // The hook runs after the write; the bounds hold nevertheless.
    fuse.light(&mut game, |game| game.apply("GE_Fuse", "wolf", "hero"));
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (0.0, 0.0));
}

#[test]
fn i10_panic_in_before_apply_ends_the_operation() {
    let fuse = Fuse::default();
    let hook = fuse.clone();
    let game = game(instant("GE_Fuse", "Speed", Operation::Add, 1.0), |builder| {
        builder.before_apply(move |sim, _, spec| {
            if sim.effect_name(spec.effect()) == "GE_Fuse" {
                hook.burn();
            }
            Ok(())
        })
    });
    check_chain(&fuse, &game);
}

#[test]
fn i10_panic_in_a_native_magnitude_ends_the_operation() {
    let fuse = Fuse::default();
    let magnitude = || MagnitudeDef::calculation("Fuse");
    let fused = [
        EffectDef::instant("GE_Fuse").modify("Speed", Operation::Add, magnitude()),
        EffectDef::lasting("GE_Fuse", 2.0).modify("Speed", Operation::Add, magnitude()),
        EffectDef::lasting("GE_Fuse", magnitude()).modify("Speed", Operation::Add, 1.0),
    ];
    for fused in fused {
        check_chain(&fuse, &game(fused, |builder| builder.native("Fuse", fuse.clone())));
    }
}

#[test]
fn i10_panic_in_an_execution_undoes_its_writes() {
    let fuse = Fuse::default();
    let fused = instant("GE_Fuse", "Health", Operation::Add, -300.0).executing("Fuse");
    let mut game = game(fused, |builder| builder.native("Fuse", fuse.clone()));
    check_chain(&fuse, &game);
    fuse.light(&mut game, |game| game.apply("GE_Fuse", "wolf", "hero"));
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (100.0, 100.0));
    game.apply("GE_Hurt", "wolf", "hero");
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Health")), (0.0, 0.0));
}

#[test]
fn i10_panic_in_an_application_requirement_ends_the_operation() {
    let fuse = Fuse::default();
    let fused = instant("GE_Fuse", "Speed", Operation::Add, 1.0).with_requirement("Fuse");
    check_chain(&fuse, &game(fused, |builder| builder.native("Fuse", fuse.clone())));
}

/// Ability with these tasks, before which it applies `GE_First`, and after which `GE_Last`.
fn ability(task: TaskDef) -> AbilityDef {
    AbilityDef::new("GA")
        .task(TaskDef::apply_to_owner("GE_First"))
        .task(task)
        .task(TaskDef::apply_to_owner("GE_Last"))
}

#[test]
fn i10_panic_in_activate_of_a_native_task_ends_the_activation() {
    let fuse = Fuse::default();
    let task = TaskDef::Custom { name: "Fuse".into(), params: Vec::new() };
    let mut game = game(EffectDef::instant("GE_Fuse"), |builder| {
        builder.custom_task("Fuse", FusedTask(fuse.clone(), Call::Activate)).ability(ability(task))
    });
    let handle = game.grant("hero", "GA");
    fuse.light(&mut game, |game| game.run(handle));
    assert_eq!(game.log().last().map(String::as_str), Some("cancelled GA TaskFailed"));
    game.assert_idle("hero");
    assert_clean(&mut game);
    game.run(handle);
}

#[test]
fn i10_native_task_waits_on_after_a_panic_in_wake_or_timer() {
    for call in [Call::Wake, Call::Timer] {
        let fuse = Fuse::default();
        let task = TaskDef::Custom { name: "Fuse".into(), params: Vec::new() };
        let mut game = game(EffectDef::instant("GE_Fuse"), |builder| {
            builder.custom_task("Fuse", FusedTask(fuse.clone(), call)).ability(ability(task))
        });
        let handle = game.grant("hero", "GA");
        game.run(handle);
        match call {
            Call::Timer => fuse.light(&mut game, |game| game.pass(3.0)),
            _ => fuse.light(&mut game, |game| game.apply("GE_Hit", "wolf", "hero")),
        }
        assert_clean(&mut game.clone());
        assert!(game.is_active(handle));
        game.apply("GE_Hit", "wolf", "hero");
        assert!(!game.is_active(handle), "the next change of health ends the wait");
    }
}

#[test]
fn i10_panic_in_targeting_ends_the_activation() {
    let targeting =
        || TargetingDef::new(Shape::Radius).range(9.0).in_sight().affiliation(Affiliation::ExcludeSelf);
    let choose = |targeting: TargetingDef| {
        let confirmation = Confirmation::Instant;
        ability(TaskDef::Wait(WaitDef::TargetData { targeting, confirmation, max_delay: None }))
    };
    type Extend = Box<dyn FnOnce(CatalogBuilder, Fuse) -> CatalogBuilder>;
    let kinds: [(TargetingDef, Extend); 4] = [
        (targeting(), Box::new(|builder, fuse| builder.space(fuse))),
        (targeting(), Box::new(|builder, fuse| builder.space(Engine(fuse)))),
        (
            targeting().filter("Fuse"),
            Box::new(|builder, fuse| {
                builder.target_filter("Fuse", move |_, _| {
                    fuse.burn();
                    true
                })
            }),
        ),
        (
            targeting().affiliation(Affiliation::Hostile),
            Box::new(|builder, fuse| {
                builder.attitude(move |_, _| {
                    fuse.burn();
                    Attitude::Hostile
                })
            }),
        ),
    ];
    for (targeting, extend) in kinds {
        let fuse = Fuse::default();
        let mut game = game(EffectDef::instant("GE_Fuse"), |builder| {
            extend(builder, fuse.clone()).ability(choose(targeting))
        });
        let handle = game.grant("hero", "GA");
        fuse.light(&mut game, |game| game.run(handle));
        assert_eq!(game.current("hero", "Strength"), 51.0, "the task before the panic is done");
        game.assert_idle("hero");
        assert_clean(&mut game);
        game.run(handle);
        assert_eq!(game.current("hero", "Strength"), 62.0);
    }
}

#[test]
fn i10_panic_in_a_cost_ends_the_activation() {
    let fuse = Fuse::default();
    let cost = EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -10.0);
    let hook = fuse.clone();
    let mut game = game(EffectDef::instant("GE_Fuse"), |builder| {
        let skill = AbilityDef::new("GA").cost("GE_Cost").task(TaskDef::wait(1.0));
        builder.effect(cost).ability(skill).post_execute("Mana", move |_| hook.burn())
    });
    let handle = game.grant("hero", "GA");
    fuse.light(&mut game, |game| game.run(handle));
    game.assert_idle("hero");
    assert_clean(&mut game);
}

#[test]
fn i10_panic_of_a_tick_ends_the_advance_at_its_instant() {
    let fuse = Fuse::default();
    let hook = fuse.clone();
    let fused = EffectDef::infinite("GE_Fuse").every(1.0).modify("Health", Operation::Add, -1.0);
    let mut game = game(fused, |builder| builder.post_execute("Health", move |_| hook.burn()));
    game.apply("GE_Fuse", "wolf", "hero");
    fuse.light(&mut game, |game| game.sim.batch(|sim| sim.advance(Span::seconds(5.0))));
    let now = game.sim.now();
    assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
    // Ticks come at each second: the next one is not lost.
    let before = game.current("hero", "Health");
    game.sim.advance_to(now + Span::seconds(1.0));
    assert_eq!(game.current("hero", "Health"), before - 1.0);
}

#[test]
fn i10_batch_goes_on_after_a_caught_panic() {
    let fuse = Fuse::default();
    let fused = instant("GE_Fuse", "Speed", Operation::Add, 1.0).with_requirement("Fuse");
    let mut game = game(fused, |builder| builder.native("Fuse", fuse.clone()));
    let (first, fused, last) = (game.effect("GE_First"), game.effect("GE_Fuse"), game.effect("GE_Last"));
    let hero = game.id("hero");
    fuse.0.store(true, Ordering::Relaxed);
    game.sim.batch(|sim| {
        sim.apply_effect(first, None, hero).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| drop(sim.apply_effect(fused, None, hero)))).is_err());
        sim.apply_effect(last, None, hero).unwrap();
    });
    fuse.0.store(false, Ordering::Relaxed);
    assert_eq!(game.current("hero", "Strength"), 61.0);
    assert_eq!(game.current("hero", "Speed"), 400.0);
    assert_clean(&mut game);
}

#[test]
fn i10_panic_of_an_observer_keeps_the_other_events() {
    let mut game = game(EffectDef::instant("GE_Fuse"), |builder| builder);
    game.apply("GE_First", "wolf", "hero");
    let visited = catch_unwind(AssertUnwindSafe(|| game.sim.visit_events(|_| panic!("on purpose"))));
    assert!(visited.is_err());
    assert_eq!(game.log(), ["hero.Strength 50 -> 51"]);
    assert_clean(&mut game);
}

#[test]
fn i10_panic_in_a_closure_of_the_host_leaves_no_prediction() {
    let mut game = game(EffectDef::instant("GE_Fuse"), |builder| builder);
    let predicted = catch_unwind(AssertUnwindSafe(|| {
        game.sim.predicting(PredictionKey(9), |_| panic!("on purpose"));
    }));
    assert!(predicted.is_err());
    assert_clean(&mut game);
}
