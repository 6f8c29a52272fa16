//! Values that depend on others: a change at the root, read at the end.

use std::hint::black_box;

use ugas::prelude::*;

use crate::floor::Derived;
use crate::line::{Goal, Line};
use crate::measure::{Effort, Subject, compare_all, subject};
use crate::peers;
use crate::world::World;

const LENGTH: usize = 8;

/// A dependency graph: definitions, attributes to read, and their value for a root.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) note: &'static str,
    /// Name and expression of each value, after `Root`.
    pub(crate) derived: Vec<(String, String)>,
    /// Attributes to read.
    pub(crate) reads: Vec<String>,
    /// Expected value of each of them.
    pub(crate) expected: fn(f64) -> f64,
    /// Hand-written version: the root comes first, then `derived` in their order.
    by_hand: fn(&mut [f64]),
}

/// A chain of eight, a fan of sixteen, and a diamond.
pub(crate) fn shapes() -> Vec<Shape> {
    let chain = (1..LENGTH).map(|at| {
        let before = if at == 1 { "Root".to_owned() } else { format!("V{}", at - 1) };
        (format!("V{at}"), format!("{before} + 1"))
    });
    let fan = (1..=16).map(|at| (format!("V{at}"), "Root * 2".to_owned()));
    let diamond = [("Left", "Root * 2"), ("Right", "Root * 3"), ("End", "Left + Right")];
    vec![
        Shape {
            name: "dependencies-chain",
            note: "a chain of 8, changed at the root, read at the end",
            derived: chain.collect(),
            reads: vec![format!("V{}", LENGTH - 1)],
            expected: |root| root + (LENGTH - 1) as f64,
            by_hand: |values| (1..values.len()).for_each(|at| values[at] = values[at - 1] + 1.0),
        },
        Shape {
            name: "dependencies-fan",
            note: "16 values of one root, all read",
            derived: fan.collect(),
            reads: (1..=16).map(|at| format!("V{at}")).collect(),
            expected: |root| root * 2.0,
            by_hand: |values| {
                let twice = values[0] * 2.0;
                values[1..].fill(twice);
            },
        },
        Shape {
            name: "dependencies-diamond",
            note: "two ways from the root to the end",
            derived: diamond.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
            reads: vec!["End".to_owned()],
            expected: |root| root * 5.0,
            by_hand: |values| {
                let [root, left, right, end] = values else { return };
                (*left, *right) = (*root * 2.0, *root * 3.0);
                *end = *left + *right;
            },
        },
    ]
}

impl Shape {
    /// A unit with the values, and the effect that adds one to the root. Checks all values.
    pub(crate) fn world(&self) -> (World, EffectId) {
        let set = self.derived.iter().fold(
            AttributeSetDef::new("Values").with(AttributeDef::new("Root", 1.0)),
            |set, (name, expression)| set.with(AttributeDef::derived(name, expression)),
        );
        let catalog = Catalog::builder()
            .attribute_set(set)
            .effect(EffectDef::instant("GE_Up").modify("Root", Operation::Add, 1.0))
            .template(ControllerDef::new("Unit").with_set("Values"));
        let mut world = World::new(catalog, 1);
        let (unit, up) = (world.units[0], world.effect("GE_Up"));
        for root in [2.0, 3.0] {
            world.apply(up, unit);
            for read in &self.reads {
                let value = world.current(unit, world.attribute(read));
                assert_eq!(value, (self.expected)(root), "{}", self.name);
            }
        }
        world.drain();
        (world, up)
    }
}

pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    shapes().iter().map(|shape| line(effort, shape)).collect()
}

fn line(effort: Effort, shape: &Shape) -> Line {
    let mut subjects = vec![ours(shape), floor(shape)];
    let peer = peers::dependencies(shape);
    let wrong = peer.as_ref().and_then(|(_, wrong)| wrong.clone());
    subjects.extend(peer.map(|(subject, _)| subject));
    let timings = compare_all(effort, subjects);
    let line = Line::new(shape.name, timings[0], Goal::Peer(10.0))
        .floor(timings[1].median)
        .must_not_allocate()
        .note(shape.note);
    let line = timings.get(2).map_or(line.clone(), |peer| {
        let note = format!("{} allocates {:.0} times", peers::GAUGE, peer.allocations);
        line.peer(peers::GAUGE, peer.median).note(note)
    });
    wrong.map_or(line.clone(), |wrong| line.note(wrong))
}

fn ours(shape: &Shape) -> Subject<'static> {
    let (mut world, up) = shape.world();
    let unit = world.units[0];
    let reads: Vec<_> = shape.reads.iter().map(|name| world.attribute(name)).collect();
    subject(move || {
        world.apply(up, unit);
        for &read in &reads {
            black_box(world.current(unit, read));
        }
        world.drain();
    })
}

fn floor(shape: &Shape) -> Subject<'static> {
    let index_of = |name: &String| shape.derived.iter().position(|(derived, _)| derived == name);
    let reads: Vec<usize> = shape.reads.iter().filter_map(index_of).map(|at| at + 1).collect();
    assert_eq!(reads.len(), shape.reads.len());
    let mut values = Derived::new(shape.derived.len(), shape.by_hand);
    for root in [2.0, 3.0] {
        values.set(root);
        for &read in &reads {
            assert_eq!(values.value(read), (shape.expected)(root), "{}", shape.name);
        }
    }
    let mut root = 1.0;
    subject(move || {
        root += 1.0;
        black_box(&mut values).set(black_box(root));
        for &read in &reads {
            black_box(values.value(read));
        }
    })
}
