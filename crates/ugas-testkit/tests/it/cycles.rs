//! Cycles of live magnitudes (B6): random graphs of auras, against the oracle's naive search.

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::magnitude::{AttributeCalculation, AttributeMagnitudeDef, CaptureFrom, MagnitudeDef};
use ugas_core::effect::{EffectDef, ExecutionPolicy, StackingDef};
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::Snapshot;
use ugas_testkit::fixtures::{Op, World, operations};
use ugas_testkit::oracle::Game;

/// `Cap` bounds `Low`, `Sum` is derived from `Low` and `High`, `Extra` is in a separate set.
const ATTRIBUTES: [&str; 5] = ["Low", "High", "Cap", "Sum", "Extra"];

/// The first tag is used by the game, the others by random operations.
const TAGS: [&str; 6] = [
    "State.Quiet",
    "Data.Amount",
    "State.Buff.Immune",
    "State.Buff.Strong",
    "State.Debuff.Slow",
    "Element.Fire",
];

fn sets() -> Vec<AttributeSetDef> {
    vec![
        AttributeSetDef::new("Plain")
            .with(AttributeDef::new("Low", 10.0).max("Cap"))
            .with(AttributeDef::new("High", 20.0))
            .with(AttributeDef::new("Cap", 1000.0))
            .with(AttributeDef::derived("Sum", "Low * 0.1 + High * 0.1")),
        AttributeSetDef::new("More").with(AttributeDef::new("Extra", 5.0)),
    ]
}

/// Random aura: modified attribute, captured attribute of the source, and execution policy.
fn aura(number: usize) -> impl Strategy<Value = EffectDef> {
    let modifier = (0..ATTRIBUTES.len(), 0..ATTRIBUTES.len(), 0..8u8, 0..3u8);
    (vec(modifier, 1..3), 0..6u8, any::<bool>()).prop_map(move |(modifiers, policy, inhibited)| {
        let mut def = EffectDef::infinite(format!("GE_Aura{number}"));
        for (changes, reads, how, layer) in modifiers {
            let magnitude = match how {
                0 => MagnitudeDef::expression(format!("Source.{} * 0.1", ATTRIBUTES[reads])),
                1 => MagnitudeDef::attribute(CaptureFrom::Source, ATTRIBUTES[reads], 0.1).frozen(),
                2 | 3 => {
                    let calculation = match how {
                        2 => AttributeCalculation::Base,
                        _ => AttributeCalculation::UpToLayer(1),
                    };
                    let reading = AttributeMagnitudeDef::new(CaptureFrom::Source, ATTRIBUTES[reads]);
                    AttributeMagnitudeDef { calculation, coefficient: 0.1, ..reading }.into()
                }
                _ => MagnitudeDef::attribute(CaptureFrom::Source, ATTRIBUTES[reads], 0.1),
            };
            def = def.with(ModifierDef::new(ATTRIBUTES[changes], Operation::Add, magnitude).layer(layer));
        }
        match policy {
            0 => def.policy = ExecutionPolicy::RunInSequence,
            1 => def.policy = ExecutionPolicy::RunInMerge,
            2 => def.stacking = Some(StackingDef::by_target(0)),
            3 => def.stacking = Some(StackingDef::by_source(0)),
            _ => {}
        }
        if inhibited {
            def.ongoing_blocked_tags.push("State.Quiet".to_owned());
        }
        def
    })
}

fn auras() -> impl Strategy<Value = Game> {
    let effects: Vec<_> = (0..8).map(aura).collect();
    effects.prop_map(|mut effects| {
        effects.push(EffectDef::infinite("GE_Quiet").granting("State.Quiet"));
        effects.push(EffectDef::instant("GE_Train").modify("High", Operation::Add, 3.0));
        Game {
            sets: sets(),
            effects,
            abilities: Vec::new(),
            templates: vec![
                ControllerDef::new("Whole").with_set("Plain").with_set("More"),
                ControllerDef::new("Half").with_set("Plain"),
            ],
            tags: TAGS.map(str::to_owned).to_vec(),
            extension: None,
        }
    })
}

proptest! {
    #![proptest_config(crate::cases(2))]

    /// Every application is refused exactly if a naive search finds a cycle, and values are those of an
    /// acyclic graph. Accepted states can be encoded and decoded.
    #[test]
    fn random_aura_graph_refuses_exactly_the_cycles(game in auras(), operations in operations(50)) {
        let mut world = World::with_two(&game);
        world.run(&Op::Spawn(0));
        for operation in &operations {
            world.run(operation);
        }
        let snapshot = world.sim.snapshot();
        let read = Snapshot::from_bytes(&snapshot.to_bytes(), world.sim.catalog());
        prop_assert_eq!(read.map(|read| read.state_hash()).ok(), Some(snapshot.state_hash()));
    }
}
