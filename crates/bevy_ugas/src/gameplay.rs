//! System parameters and commands for gameplay.

use core::ops::{Deref, DerefMut};

use bevy_ecs::prelude::{Entity, EntityCommands, Res, ResMut, World};
use bevy_ecs::system::SystemParam;
use bevy_ecs::world::DeferredWorld;
use ugas::{AbilityId, EffectId, Name};

use crate::error::GameplayError;
use crate::instance::game_of_mut;
use crate::world::GameplayWorld;

/// System parameter to act in the game: dereferences to [`GameplayWorld`].
///
/// Act in the schedule of the game, in [`GameplaySystems::Act`](crate::GameplaySystems::Act), so that actions
/// happen at a defined game time. Acting elsewhere is possible too, and happens between two steps.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// # #[derive(Component)] struct Player;
/// # #[derive(Component)] struct Enemy;
/// fn cast(mut gameplay: Gameplay, player: Single<Entity, With<Player>>, enemy: Single<Entity, With<Enemy>>) {
///     if let Err(refused) = gameplay.activate_on(*player, "GA_Fireball", *enemy) {
///         println!("{}", gameplay.describe(&refused));
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct Gameplay<'w> {
    world: ResMut<'w, GameplayWorld>,
}

impl Deref for Gameplay<'_> {
    type Target = GameplayWorld;

    fn deref(&self) -> &GameplayWorld {
        &self.world
    }
}

impl DerefMut for Gameplay<'_> {
    fn deref_mut(&mut self) -> &mut GameplayWorld {
        &mut self.world
    }
}

/// System parameter to read the game; runs in parallel with other readers.
#[derive(SystemParam)]
pub struct GameplayView<'w> {
    world: Res<'w, GameplayWorld>,
}

impl Deref for GameplayView<'_> {
    type Target = GameplayWorld;

    fn deref(&self) -> &GameplayWorld {
        &self.world
    }
}

/// Run condition: whether the rules are loaded and the game runs.
pub fn in_play(world: Option<Res<'_, GameplayWorld>>) -> bool {
    world.is_some_and(|world| world.is_in_play())
}

/// Gameplay actions as entity commands, for systems that need no result. Refusals are emitted as events;
/// other errors, such as unknown names, are logged as warnings.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// fn poison(mut commands: Commands, spider: Entity, victim: Entity) {
///     commands.entity(victim).apply_effect("GE_Poison", spider);
/// }
/// ```
pub trait GameplayCommands {
    /// Applies an effect at level 1 to the entity.
    fn apply_effect(&mut self, effect: impl Name<EffectId>, source: impl Into<Option<Entity>>) -> &mut Self;

    /// Grants an ability at a level to the entity. On a client it fails with a warning: only the server
    /// grants.
    fn grant_ability(&mut self, ability: impl Name<AbilityId>, level: u32) -> &mut Self;

    /// Activates an ability of the entity, by its name and without a target. A client predicts it.
    fn activate_ability(&mut self, ability: impl Name<AbilityId>) -> &mut Self;

    /// Activates an ability of the entity on another one.
    fn activate_ability_on(&mut self, ability: impl Name<AbilityId>, target: Entity) -> &mut Self;

    /// Calls a function with the entity and its game: that of the app, or of its
    /// [`InInstance`](crate::InInstance). It is not called if the entity was despawned by then.
    fn in_gameplay<T>(
        &mut self,
        act: impl FnOnce(&mut GameplayWorld, Entity) -> Result<T, GameplayError> + Send + 'static,
    ) -> &mut Self;
}

impl GameplayCommands for EntityCommands<'_> {
    fn apply_effect(&mut self, effect: impl Name<EffectId>, source: impl Into<Option<Entity>>) -> &mut Self {
        let (effect, source) = (effect.name().to_owned(), source.into());
        self.in_gameplay(move |game, entity| game.apply(effect, source, entity))
    }

    fn grant_ability(&mut self, ability: impl Name<AbilityId>, level: u32) -> &mut Self {
        let ability = ability.name().to_owned();
        self.in_gameplay(move |game, entity| game.grant(entity, ability, level))
    }

    fn activate_ability(&mut self, ability: impl Name<AbilityId>) -> &mut Self {
        let ability = ability.name().to_owned();
        self.in_gameplay(move |game, entity| game.activate(entity, ability))
    }

    fn activate_ability_on(&mut self, ability: impl Name<AbilityId>, target: Entity) -> &mut Self {
        let ability = ability.name().to_owned();
        self.in_gameplay(move |game, entity| game.activate_on(entity, ability, target))
    }

    fn in_gameplay<T>(
        &mut self,
        act: impl FnOnce(&mut GameplayWorld, Entity) -> Result<T, GameplayError> + Send + 'static,
    ) -> &mut Self {
        let entity = self.id();
        self.commands().queue(move |world: &mut World| {
            if world.get_entity(entity).is_err() {
                // Its simulation is unknown now, and need not be that of the app.
                return tracing::warn!("{entity} was despawned before its gameplay command");
            }
            let mut world = DeferredWorld::from(world);
            let Some(mut game) = game_of_mut(&mut world, entity) else {
                tracing::error!(
                    "gameplay commands need `UgasPlugins`, and the instance of {entity} if it has one"
                );
                return;
            };
            if let Err(error) = act(&mut game, entity) {
                match error.is_refusal() {
                    true => tracing::debug!("{entity}: {}", game.describe(&error)),
                    false => tracing::warn!("{entity}: {}", game.describe(&error)),
                }
            }
        });
        self
    }
}
