//! `bevy_gauge`: attributes as expressions over a dependency graph, in an ECS.
//!
//! Its system parameter is fetched once per round, which is cheaper than in any game.

use std::hint::black_box;

use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use bevy_gauge::prelude::*;

use crate::lines::Shape;
use crate::measure::{Subject, timed};

type Access = SystemState<AttributesMut<'static, 'static>>;

/// An application with one entity that has attributes.
struct Game {
    app: App,
    access: Access,
    entity: Entity,
}

impl Game {
    fn new() -> Self {
        let mut app = App::new();
        app.add_plugins(MinimalPlugins);
        app.add_plugins(AttributesPlugin);
        let entity = app.world_mut().spawn(Attributes::new()).id();
        app.update();
        let access = SystemState::new(app.world_mut());
        Self { app, access, entity }
    }

    fn with<R>(&mut self, run: impl FnOnce(&mut AttributesMut, Entity) -> R) -> R {
        let mut attributes = self.access.get_mut(self.app.world_mut()).expect("nothing else holds them");
        run(&mut attributes, self.entity)
    }

    fn subject(
        mut self,
        mut operation: impl FnMut(&mut AttributesMut, Entity) + 'static,
    ) -> Subject<'static> {
        Subject::new(move |count| {
            self.with(|attributes, entity| {
                timed(|| {
                    for _ in 0..count {
                        operation(attributes, entity);
                    }
                })
            })
        })
    }
}

/// One modifier among others, on and off.
pub(crate) fn modifiers(others: usize, with: f64, without: f64) -> Option<Subject<'static>> {
    let mut game = Game::new();
    game.with(|attributes, entity| {
        attributes.add_modifier(entity, "Power", 10.0);
        for _ in 0..others {
            attributes.add_modifier(entity, "Power", 1.0);
        }
        attributes.add_modifier(entity, "Power", 1.5);
        assert_eq!(f64::from(attributes.value(entity, "Power")), with + 0.5);
        attributes.remove_modifier(entity, "Power", &Modifier::Flat(1.5));
        assert_eq!(f64::from(attributes.value(entity, "Power")), without);
    });
    // It removes by value, so the toggled modifier has a unique value.
    Some(game.subject(|attributes, entity| {
        attributes.add_modifier(entity, "Power", 1.5);
        black_box(attributes.value(entity, "Power"));
        attributes.remove_modifier(entity, "Power", &Modifier::Flat(1.5));
        black_box(attributes.value(entity, "Power"));
    }))
}

/// A change at the root, read at the end; and a description of a wrong result, if there is one.
pub(crate) fn dependencies(shape: &Shape) -> Option<(Subject<'static>, Option<String>)> {
    let mut game = Game::new();
    let wrong = game.with(|attributes, entity| {
        attributes.set_base(entity, "Root", 1.0);
        for (name, expression) in &shape.derived {
            attributes.add_expr_modifier(entity, name, expression).expect("it understands the expression");
        }
        let mut wrong = None;
        for root in [2.0, 3.0] {
            attributes.set_base(entity, "Root", root);
            for read in &shape.reads {
                let (value, expected) =
                    (f64::from(attributes.value(entity, read)), (shape.expected)(f64::from(root)));
                if value != expected {
                    wrong = Some(format!("bevy_gauge is wrong: {value} instead of {expected}"));
                }
            }
        }
        wrong
    });
    let reads = shape.reads.clone();
    // Values stay small, for the precision of f32.
    let mut root = 0.0;
    let subject = game.subject(move |attributes, entity| {
        root = if root > 1e6 { 0.0 } else { root + 1.0 };
        attributes.set_base(entity, "Root", root);
        for read in &reads {
            black_box(attributes.value(entity, read));
        }
    });
    Some((subject, wrong))
}
