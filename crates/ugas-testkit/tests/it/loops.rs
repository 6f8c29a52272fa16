//! Loops lose no events (A9, A10): a counting loop agrees with the event stream, for random cascades.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::ability::{AbilityDef, GameplayEvent};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{AdditionalEffectDef, EffectDef};
use ugas_core::event::EventKind;
use ugas_core::handle::ControllerId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::task::{EffectFilterDef, TaskDef, WaitDef};
use ugas_core::time::Span;

/// Number of effects of a game; each applies later ones only, so that every cascade ends.
const EFFECTS: usize = 6;

/// Effect: whether loops wait for it, and the offsets of the effects that it applies.
type Link = (bool, Vec<usize>);

#[derive(Clone, Debug)]
enum LoopOp {
    /// Applies an effect.
    Apply(usize),
    /// Applies effects and sends events in one operation.
    Batch(Vec<Result<usize, f64>>),
    /// An ability of another controller applies these, one task each.
    Volley,
    /// Sends an event.
    Send(f64),
    /// Advances time.
    Pass(i64),
}

fn links() -> impl Strategy<Value = Vec<Link>> {
    vec((any::<bool>(), vec(1..EFFECTS, 0..4)), EFFECTS)
}

fn loop_op() -> impl Strategy<Value = LoopOp> {
    let hit = prop_oneof![(0..EFFECTS).prop_map(Ok), (1..9u8).prop_map(|number| Err(f64::from(number)))];
    prop_oneof![
        3 => (0..EFFECTS).prop_map(LoopOp::Apply),
        2 => vec(hit, 0..5).prop_map(LoopOp::Batch),
        2 => Just(LoopOp::Volley),
        2 => (1..9u8).prop_map(|number| LoopOp::Send(f64::from(number))),
        2 => (1..900i64).prop_map(LoopOp::Pass),
    ]
}

fn count(attribute: &str) -> TaskDef {
    TaskDef::apply_to_owner(format!("GE_{attribute}"))
}

fn repeat(tasks: Vec<TaskDef>) -> TaskDef {
    TaskDef::Repeat { count: None, interval: None, tasks }
}

fn hits() -> TaskDef {
    TaskDef::Wait(WaitDef::EffectApplied(EffectFilterDef { effect: None, tags: vec!["Hit".to_owned()] }))
}

fn events(once: bool) -> TaskDef {
    TaskDef::Wait(WaitDef::Event { tag: "Event.Hit".to_owned(), exact: false, once })
}

/// Catalog with loops of `fillers` tasks beside the counting one, and an ability that applies the effects
/// `volley`.
fn catalog(links: &[Link], fillers: usize, volley: &[usize]) -> Arc<Catalog> {
    let attributes = ["Hits", "Raced", "Events", "Slow", "Filler"];
    let mut set = AttributeSetDef::new("Counters");
    let mut builder = Catalog::builder();
    for attribute in attributes {
        set = set.with(AttributeDef::new(attribute, 0.0));
        let effect = EffectDef::instant(format!("GE_{attribute}"));
        builder = builder.effect(effect.modify(attribute, Operation::Add, 1.0));
    }
    for (at, (is_hit, next)) in links.iter().enumerate() {
        let mut effect = EffectDef::instant(format!("GE_{at}"));
        if *is_hit {
            effect = effect.tagged("Hit");
        }
        for later in next.iter().map(|step| at + step).filter(|later| *later < EFFECTS) {
            effect = effect.also(AdditionalEffectDef::new(format!("GE_{later}")));
        }
        builder = builder.effect(effect);
    }
    let fill = || (0..fillers).map(|_| count("Filler"));
    let race = TaskDef::Race(vec![vec![hits()], vec![TaskDef::wait_event("Event.Never")]]);
    let loops = TaskDef::All(vec![
        vec![repeat([hits()].into_iter().chain(fill()).chain([count("Hits")]).collect())],
        vec![repeat([race].into_iter().chain(fill()).chain([count("Raced")]).collect())],
        vec![repeat([events(true), count("Events")].into_iter().chain(fill()).collect())],
        vec![events(false), TaskDef::wait(0.25), count("Slow")],
    ]);
    let shots = volley.iter().map(|at| TaskDef::apply_to_target(format!("GE_{at}")));
    let volley = shots.fold(AbilityDef::new("GA_Volley"), AbilityDef::task);
    builder
        .attribute_set(set)
        .ability(AbilityDef::new("GA_Loops").task(loops))
        .ability(volley)
        .template(ControllerDef::new("Unit").with_set("Counters"))
        .build()
        .unwrap()
}

fn apply(sim: &mut Simulation, target: ControllerId, at: usize) {
    let effect = sim.catalog().effect(&format!("GE_{at}")).unwrap();
    sim.apply_effect(effect, None, target).unwrap();
}

fn send(sim: &mut Simulation, target: ControllerId, magnitude: f64) {
    let tag = sim.catalog().tag("Event.Hit").unwrap();
    sim.send_event(target, GameplayEvent { magnitude, ..GameplayEvent::new(tag) }).unwrap();
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn a_loop_that_counts_equals_a_count_of_the_events(
        links in links(),
        fillers in 0..3usize,
        volley in vec(0..EFFECTS, 0..9),
        loop_ops in vec(loop_op(), 1..12),
    ) {
        let catalog = catalog(&links, fillers, &volley);
        let mut sim = Simulation::new(catalog, Config { cascade_limit: 1 << 20, ..Config::seeded(3) });
        let (hero, gunner) = (sim.spawn("Unit").unwrap(), sim.spawn("Unit").unwrap());
        let loops = sim.catalog().ability("GA_Loops").unwrap();
        let loops = sim.grant(hero, loops, 1).unwrap();
        sim.activate(loops).unwrap();
        let volley = sim.catalog().ability("GA_Volley").unwrap();
        let volley = sim.grant(gunner, volley, 1).unwrap();
        for loop_op in &loop_ops {
            match loop_op {
                LoopOp::Apply(at) => apply(&mut sim, hero, *at),
                LoopOp::Batch(hits) => sim.batch(|sim| {
                    for hit in hits {
                        match hit {
                            Ok(at) => apply(sim, hero, *at),
                            Err(magnitude) => send(sim, hero, *magnitude),
                        }
                    }
                }),
                LoopOp::Volley => drop(sim.activate_on(volley, hero).unwrap()),
                LoopOp::Send(magnitude) => send(&mut sim, hero, *magnitude),
                LoopOp::Pass(millis) => sim.advance(Span::millis(*millis)),
            }
            // A copy continues identically: queued occurrences are part of the state.
            let snapshot = sim.snapshot();
            prop_assert_eq!(sim.inconsistencies(), Vec::<String>::new());
            prop_assert_eq!(snapshot.state_hash(), sim.state_hash());
        }
        // All queued events are processed.
        sim.advance(Span::seconds(100.0));
        let (mut hits, mut events) = (0.0, 0.0);
        let tagged: Vec<_> = (0..EFFECTS).filter(|at| links[*at].0).map(|at| format!("GE_{at}")).collect();
        let tagged: Vec<_> = tagged.iter().map(|name| sim.catalog().effect(name).unwrap()).collect();
        for event in sim.events().collect::<Vec<_>>() {
            match event.kind {
                EventKind::EffectExecuted { effect, target, .. } if target == hero => {
                    hits += f64::from(u8::from(tagged.contains(&effect)));
                }
                EventKind::GameplayEvent { controller, .. } if controller == hero => events += 1.0,
                EventKind::CascadeLimit { .. } | EventKind::OccurrenceLimit { .. } => {
                    prop_assert!(false, "a limit was reached: {:?}", event);
                }
                _ => {}
            }
        }
        let value = |name: &str| sim.current(hero, sim.catalog().attribute(name).unwrap()).unwrap();
        prop_assert_eq!((value("Hits"), value("Raced")), (hits, hits));
        prop_assert_eq!((value("Events"), value("Slow")), (events, events));
    }
}
