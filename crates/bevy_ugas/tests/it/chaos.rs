//! Random actions in random order: entities, components and the simulation agree after the next step.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ugas::prelude::*;
use bevy_ugas::{Attributes, GameplaySnapshot};
use ugas::core::random::RandomStream;

use crate::fixture::*;

struct Chaos {
    app: App,
    entities: Vec<Entity>,
    snapshot: Option<GameplaySnapshot>,
    dice: RandomStream,
}

impl Chaos {
    fn new(seed: u64) -> Self {
        let dice = RandomStream::derive(seed, &[1]);
        Self { app: app(), entities: Vec::new(), snapshot: None, dice }
    }

    fn below(&mut self, limit: usize) -> usize {
        ((self.dice.next_f64() * limit as f64) as usize).min(limit.saturating_sub(1))
    }

    /// An entity, which may be despawned already.
    fn anybody(&mut self) -> Option<Entity> {
        let at = self.below(self.entities.len());
        self.entities.get(at).copied()
    }

    fn act(&mut self) {
        let what = self.below(14);
        let template = ["Mage", "Wolf", "Ghost"][self.below(3)];
        let Some(somebody) = self.anybody().filter(|_| what > 1) else {
            let spawned = spawn(&mut self.app, template);
            return self.entities.push(spawned);
        };
        let is_there = self.app.world().get_entity(somebody).is_ok();
        match what {
            2 if is_there => drop(self.app.world_mut().despawn(somebody)),
            3 if is_there => drop(self.app.world_mut().entity_mut(somebody).remove::<GameplayController>()),
            4 if is_there => {
                self.app.world_mut().entity_mut(somebody).insert(GameplayController::new(template));
            }
            5 if is_there => {
                let copy = self.app.world_mut().entity_mut(somebody).clone_and_spawn();
                self.entities.push(copy);
            }
            6 => drop(game(&mut self.app).apply("GE_Poison", None, somebody)),
            7 => drop(game(&mut self.app).activate(somebody, "GA_Bolt")),
            8 => self.snapshot = game(&mut self.app).snapshot().ok(),
            9 => {
                if let Some(snapshot) = self.snapshot.clone() {
                    // A snapshot of other rules is refused.
                    let _ = game(&mut self.app).restore(&snapshot);
                }
            }
            10 => {
                let with_ghosts = ugas::ControllerDef::new("Ghost").with_set("Combat");
                let builder = if self.below(2) == 0 { builder().template(with_ghosts) } else { builder() };
                game(&mut self.app).install(builder.build().unwrap()).unwrap();
            }
            11 => {
                // Without the plugin, as a native task may do.
                let mut game = game(&mut self.app);
                if let Some(controller) = game.controller(somebody) {
                    let _ = game.simulation_mut().unwrap().despawn(controller);
                }
            }
            12 if is_there => {
                let body = self.anybody().filter(|body| self.app.world().get_entity(*body).is_ok());
                match body.filter(|body| *body != somebody) {
                    Some(body) => drop(self.app.world_mut().entity_mut(somebody).insert(Avatar(body))),
                    None => drop(self.app.world_mut().entity_mut(somebody).remove::<Avatar>()),
                }
            }
            _ => self.app.update(),
        }
    }

    fn check(&mut self, seed: u64) {
        self.app.update();
        self.app.update();
        let linked: Vec<_> = game(&mut self.app).entities().collect();
        let world = self.app.world();
        let game = world.resource::<bevy_ugas::GameplayWorld>();
        let simulation = game.simulation().unwrap();
        assert_eq!(linked.len(), simulation.controllers().count(), "seed {seed}: nobody is nobody's");
        for &(entity, controller) in &linked {
            let component = world.get::<GameplayController>(entity);
            assert_eq!(component.and_then(GameplayController::id), Some(controller), "seed {seed}");
            assert_eq!(game.controller(entity), Some(controller), "seed {seed}");
            assert!(simulation.controller(controller).is_some(), "seed {seed}");
            let health = simulation.current(controller, game.id("Health").unwrap()).unwrap_or_default();
            assert_eq!(world.get::<Attributes>(entity).unwrap().current("Health"), Ok(health), "seed {seed}");
        }
        for &entity in &self.entities {
            let Ok(known) = world.get_entity(entity) else { continue };
            if game.controller(entity).is_none() {
                assert_eq!(
                    known.get::<GameplayController>().and_then(GameplayController::id),
                    None,
                    "seed {seed}"
                );
                let is_empty = known.get::<Attributes>().is_none_or(Attributes::is_empty);
                assert!(is_empty, "seed {seed}: who has no controller shows nothing");
            }
        }
    }
}

#[test]
fn entities_and_simulation_agree_after_random_actions() {
    for seed in 0..40 {
        let mut chaos = Chaos::new(seed);
        for _ in 0..12 {
            for _ in 0..8 {
                chaos.act();
            }
            chaos.check(seed);
        }
    }
}
