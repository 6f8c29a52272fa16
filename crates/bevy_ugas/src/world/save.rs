//! Taking the game down and bringing it back: snapshots, and single characters.

use bevy_ecs::prelude::Entity;
use ugas::{Character, ControllerId, Snapshot};

use super::GameplayWorld;
use crate::backend::Backend;
use crate::error::GameplayError;

/// The whole state of the game, and whose controllers were whose.
///
/// Taking one is a copy of plain data, restoring one is exact, down to the handles that are given out next: what a
/// rollback does every tick. Entities are the host's: those that are gone when a snapshot is restored are not made again, and
/// those that came later lose their controllers ([`GameplayController::id`](crate::GameplayController::id)). A host that makes
/// those that are gone again says so with [`GameplayWorld::link`] before the next
/// [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), where controllers whose entities or components are gone are despawned.
#[derive(Clone)]
pub struct GameplaySnapshot {
    /// The state; it can be written as bytes, and read again with the same rules.
    pub state: Snapshot,
    /// Which entity had which controller.
    pub links: Vec<(Entity, ControllerId)>,
    carry: u32,
}

impl GameplayWorld {
    /// A copy of the whole state.
    ///
    /// # Errors
    /// If there are no rules.
    pub fn snapshot(&self) -> Result<GameplaySnapshot, GameplayError> {
        let simulation = self.simulation().ok_or(GameplayError::NoRules)?;
        let links = self.entities().collect();
        Ok(GameplaySnapshot { state: simulation.snapshot(), links, carry: self.carry })
    }

    /// Goes back to a snapshot. Components follow in the next [`GameplaySystems::Apply`](crate::GameplaySystems::Apply),
    /// marked as changed where they differ. Events that were not delivered are dropped.
    ///
    /// # Errors
    /// If the snapshot is of other rules, or this is not a game without a network; nothing has changed then.
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
        // One that was gone already, of which nobody had been told yet when the snapshot was taken, is gone now too.
        let links =
            snapshot.links.iter().filter(|(_, controller)| simulation.controller(*controller).is_some());
        for (entity, controller) in links {
            self.by_entity.insert(*entity, *controller);
            self.by_controller.insert(*controller, *entity);
        }
        self.relink = true;
        Ok(())
    }

    /// One controller as plain data by names: for a save slot, or another server. `ugas_data::character` writes it as YAML or
    /// JSON, and [`GameplayController::from_character`](crate::GameplayController::from_character) brings it back.
    ///
    /// # Errors
    /// If the entity has no controller.
    pub fn character(&self, entity: Entity) -> Result<Character, GameplayError> {
        let (simulation, controller) = self.known(entity)?;
        simulation.character(controller).ok_or(GameplayError::NoController(entity))
    }
}
