//! The rules in motion: the resource that everything goes through.

mod act;
mod read;
mod save;

use core::time::Duration;
use std::collections::BTreeMap;

use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::{Entity, Resource};
use bevy_platform::sync::Arc;
use ugas::{ActorId, Catalog, Config, ControllerId, ReloadReport, Simulation, Span, Spawn, Team};
use ugas_data::Pack;

pub use act::Activated;
pub use save::GameplaySnapshot;

use crate::backend::Backend;
use crate::components::Names;
use crate::controller::Origin;
use crate::error::GameplayError;

/// The game: its rules, its state, and which entity has which controller.
///
/// Systems take it as [`Gameplay`](crate::Gameplay) to act, or as [`GameplayView`](crate::GameplayView) to read, which
/// runs beside other readers; exclusive systems and tests take the resource.
#[derive(Resource, Default)]
pub struct GameplayWorld {
    pub(crate) backend: Option<Backend>,
    pub(crate) config: Config,
    pub(crate) names: Names,
    pub(crate) pack: Option<Arc<Pack>>,
    /// Entities whose controllers wait for rules that have their templates.
    pub(crate) waiting: Vec<Entity>,
    /// Entities whose controllers are new, and of which nobody has said where they are.
    unplaced: Vec<Entity>,
    /// Whether somebody takes those.
    pub(crate) follows_transforms: bool,
    /// Counts how often the rules were installed or reloaded.
    pub(crate) edition: u32,
    /// What of the time that passed is less than a microsecond.
    carry: u32,
    by_entity: EntityHashMap<ControllerId>,
    by_controller: BTreeMap<ControllerId, Entity>,
    /// Makes a game over a network, in the place of one without.
    pub(crate) founder: Option<Founder>,
    /// Whether components name controllers that may be others by now.
    pub(crate) relink: bool,
}

/// Makes what runs the game, when there are rules.
pub(crate) type Founder =
    Box<dyn FnMut(Arc<Catalog>, &Config) -> Result<Backend, GameplayError> + Send + Sync>;

/// An entity as the simulation knows it (§4.2).
pub fn actor_of(entity: Entity) -> ActorId {
    ActorId(entity.to_bits())
}

/// The entity that an actor is.
pub fn entity_of(actor: ActorId) -> Option<Entity> {
    Entity::try_from_bits(actor.0)
}

/// What an entity says of the controller that it is to have.
pub(crate) struct Wish<'a> {
    pub(crate) entity: Entity,
    pub(crate) origin: &'a Origin,
    pub(crate) sets: &'a [String],
    pub(crate) avatar: Option<Entity>,
    pub(crate) team: Option<&'a str>,
}

impl GameplayWorld {
    /// Puts the game under these rules: the first time it begins, later it is a hot reload, by the law of
    /// `ugas::core::reload`. Mostly done by the plugin, from an asset.
    ///
    /// # Errors
    /// If the state cannot go on under the new rules, or a network is connected; nothing has changed then.
    pub fn install(&mut self, catalog: Arc<Catalog>) -> Result<Option<ReloadReport>, GameplayError> {
        let report = match &mut self.backend {
            #[cfg(feature = "net")]
            Some(Backend::Server(_) | Backend::Client(_)) => return Err(GameplayError::RulesInUse),
            Some(Backend::Local(simulation)) => {
                let report =
                    simulation.reload(catalog).map_err(|error| GameplayError::Reload(error.to_string()))?;
                // The state is a new one, which nobody watches yet. All of it counts as touched.
                simulation.watch_touches();
                Some(report)
            }
            None => {
                self.backend = Some(match &mut self.founder {
                    Some(found) => found(catalog, &self.config)?,
                    None => {
                        let mut simulation = Simulation::new(catalog, self.config.clone());
                        simulation.watch_touches();
                        Backend::Local(Box::new(simulation))
                    }
                });
                None
            }
        };
        self.names = Names::default();
        // Whoever has one says so.
        self.pack = None;
        self.edition = self.edition.wrapping_add(1);
        Ok(report)
    }

    /// Lets somebody else make what runs the game. Rules that are there already are taken over, unless somebody plays by
    /// them.
    #[cfg(feature = "net")]
    pub(crate) fn found_by(&mut self, mut founder: Founder) -> Result<(), GameplayError> {
        match &self.backend {
            None => {}
            Some(Backend::Local(simulation)) if self.by_entity.is_empty() => {
                let catalog = simulation.catalog().clone();
                self.backend = Some(founder(catalog, &self.config)?);
            }
            Some(_) => return Err(GameplayError::TooLate),
        }
        self.founder = Some(founder);
        Ok(())
    }

    /// The controller of an entity.
    pub fn controller(&self, entity: Entity) -> Option<ControllerId> {
        self.by_entity.get(&entity).copied()
    }

    /// The entity of a controller.
    pub fn entity(&self, controller: ControllerId) -> Option<Entity> {
        self.by_controller.get(&controller).copied()
    }

    /// All entities that have controllers.
    pub fn entities(&self) -> impl Iterator<Item = (Entity, ControllerId)> + '_ {
        self.by_controller.iter().map(|(controller, entity)| (*entity, *controller))
    }

    /// Says that an entity has a controller that exists already: for hosts that make controllers or restore states by
    /// themselves. Give the entity a [`GameplayController::existing`](crate::GameplayController::existing) before the next
    /// [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), where it gets its id; a controller without one is despawned.
    pub fn link(&mut self, entity: Entity, controller: ControllerId) {
        self.unlink(entity);
        if let Some(former) = self.by_controller.insert(controller, entity) {
            self.by_entity.remove(&former);
        }
        self.by_entity.insert(entity, controller);
        self.relink = true;
    }

    pub(crate) fn unlink(&mut self, entity: Entity) -> Option<ControllerId> {
        let controller = self.by_entity.remove(&entity)?;
        self.by_controller.remove(&controller);
        Some(controller)
    }

    /// Makes the controller that an entity wishes for.
    pub(crate) fn fulfil(&mut self, wish: &Wish<'_>) -> Result<ControllerId, GameplayError> {
        let simulation = match &mut self.backend {
            None => return Err(GameplayError::NoRules),
            Some(backend) => backend.authority().ok_or(GameplayError::NotAuthority)?,
        };
        let (owner, avatar) = (actor_of(wish.entity), actor_of(wish.avatar.unwrap_or(wish.entity)));
        let controller = match wish.origin {
            Origin::Template(name) => {
                simulation.spawn_with(Spawn::named(name.as_str()).owner(owner).avatar(avatar))?
            }
            Origin::Def(def) => {
                simulation.spawn_with(Spawn::def((**def).clone()).owner(owner).avatar(avatar))?
            }
            Origin::Character(character) => {
                let options = ugas::RestoreOptions::default().owner(owner).avatar(avatar);
                let (controller, report) = simulation.restore_character(character, &options)?;
                for entry in &report.entries {
                    tracing::warn!("{}: {entry}", wish.entity);
                }
                controller
            }
            Origin::Existing => return Err(GameplayError::NoController(wish.entity)),
        };
        for set in wish.sets {
            if let Err(error) = simulation.grant_set(controller, set) {
                tracing::error!("{} is not granted the ability set {set}: {error}", wish.entity);
            }
        }
        if let Some(team) = wish.team
            && let Err(error) = simulation.set_team(controller, Some(Team::new(team)))
        {
            tracing::error!("{} is on no team: {error}", wish.entity);
        }
        self.by_entity.insert(wish.entity, controller);
        self.by_controller.insert(controller, wish.entity);
        if self.follows_transforms {
            self.unplaced.push(wish.entity);
        }
        Ok(controller)
    }

    pub(crate) fn take_unplaced(&mut self) -> Vec<Entity> {
        core::mem::take(&mut self.unplaced)
    }

    /// Takes the controller of an entity out of the game.
    pub(crate) fn dismiss(&mut self, entity: Entity) {
        self.waiting.retain(|waiting| *waiting != entity);
        let Some(controller) = self.unlink(entity) else { return };
        if let Some(simulation) = self.backend.as_mut().and_then(Backend::authority) {
            // One that is gone already needs no despawning.
            let _ = simulation.despawn(controller);
        }
    }

    /// Lets time pass. What is less than a microsecond is kept, so that no time is lost in the long run.
    pub(crate) fn step(&mut self, delta: Duration) {
        let Some(backend) = &mut self.backend else { return };
        let nanos = u64::try_from(delta.as_nanos()).unwrap_or(u64::MAX).saturating_add(u64::from(self.carry));
        self.carry = (nanos % 1_000) as u32;
        backend.step(Span::from_micros(i64::try_from(nanos / 1_000).unwrap_or(i64::MAX)));
    }
}
