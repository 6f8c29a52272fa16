//! Saving and restoring: snapshots, and single characters.

use bevy_ecs::prelude::Entity;
use ugas::{Character, ControllerId, Snapshot};

use super::GameplayWorld;
use crate::backend::Backend;
use crate::error::GameplayError;

/// The whole state of the game, with the controllers of entities.
///
/// Taking a snapshot copies plain data; restoring is exact, down to the handles that are issued next, so both
/// suit a rollback every tick. Entities belong to the host: entities despawned since the snapshot are not
/// spawned again, and entities spawned since lose their controllers
/// ([`GameplayController::id`](crate::GameplayController::id)). A host that spawns despawned entities again
/// links them with [`GameplayWorld::link`] before the next
/// [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), where controllers without entities or
/// components are despawned.
#[derive(Clone)]
pub struct GameplaySnapshot {
    /// The state; it can be encoded as bytes, and decoded with the same rules.
    pub state: Snapshot,
    /// Entities and their controllers.
    pub links: Vec<(Entity, ControllerId)>,
    carry: u32,
}

impl GameplayWorld {
    /// A copy of the whole state.
    ///
    /// # Errors
    /// If the rules are not loaded.
    pub fn snapshot(&self) -> Result<GameplaySnapshot, GameplayError> {
        let simulation = self.simulation().ok_or(GameplayError::NoRules)?;
        let links = self.entities().collect();
        Ok(GameplaySnapshot { state: simulation.snapshot(), links, carry: self.carry })
    }

    /// Restores a snapshot. Components are updated in the next
    /// [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), marked as changed where they differ. Events
    /// that were not delivered are dropped.
    ///
    /// # Errors
    /// If the snapshot is of other rules, or a network is connected; nothing has changed then.
    pub fn restore(&mut self, snapshot: &GameplaySnapshot) -> Result<(), GameplayError> {
        let Some(Backend::Local(simulation)) = &mut self.backend else {
            return Err(match self.backend {
                None => GameplayError::NoRules,
                Some(_) => GameplayError::NotAuthority,
            });
        };
        let restored = simulation.restore(&snapshot.state);
        restored.map_err(|error| GameplayError::ForeignSnapshot(error.to_string()))?;
        self.carry = snapshot.carry;
        self.by_entity.clear();
        self.by_controller.clear();
        self.departed.clear();
        self.restores += 1;
        // Controllers whose despawn was not yet processed when the snapshot was taken are skipped.
        let links =
            snapshot.links.iter().filter(|(_, controller)| simulation.controller(*controller).is_some());
        for (entity, controller) in links {
            self.by_entity.insert(*entity, *controller);
            self.by_controller.insert(*controller, *entity);
        }
        self.relink = true;
        Ok(())
    }

    /// Saves one controller with names instead of ids, for a save slot or another server.
    /// `ugas_data::character` writes it as YAML or JSON, and
    /// [`GameplayController::from_character`](crate::GameplayController::from_character) restores it.
    ///
    /// # Errors
    /// If the entity has no controller.
    pub fn character(&self, entity: Entity) -> Result<Character, GameplayError> {
        let (simulation, controller) = self.known(entity)?;
        simulation.character(controller).ok_or(GameplayError::NoController(entity))
    }
}
