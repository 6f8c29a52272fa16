//! The game as systems take it.

use core::ops::{Deref, DerefMut};

use bevy_ecs::prelude::{Entity, EntityCommands, Res, ResMut, World};
use bevy_ecs::system::SystemParam;

use crate::error::GameplayError;
use crate::world::GameplayWorld;

/// The game, to act in: everything that [`GameplayWorld`] can do.
///
/// Act in `FixedUpdate`, in [`GameplaySystems::Act`](crate::GameplaySystems::Act), so that what you do happens at a defined
/// moment of the game's time. Acting elsewhere works too, and happens between two steps.
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

/// The game, to read: runs beside other systems that read it.
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

/// A run condition: whether there are rules and the game runs.
pub fn in_play(world: Option<Res<'_, GameplayWorld>>) -> bool {
    world.is_some_and(|world| world.is_in_play())
}

/// Acting by commands: for systems that need no answer. What the rules refuse is raised as an event; mistakes, such as a name that
/// there is not, are warnings in the log.
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
    fn apply_effect(&mut self, effect: impl Into<String>, source: impl Into<Option<Entity>>) -> &mut Self;

    /// Grants an ability to the entity.
    fn grant_ability(&mut self, ability: impl Into<String>, level: u32) -> &mut Self;

    /// Activates an ability of the entity.
    fn activate_ability(&mut self, ability: impl Into<String>) -> &mut Self;

    /// Activates an ability of the entity on another one.
    fn activate_ability_on(&mut self, ability: impl Into<String>, target: Entity) -> &mut Self;

    /// Does something in the game on behalf of the entity.
    fn in_gameplay<T>(
        &mut self,
        act: impl FnOnce(&mut GameplayWorld, Entity) -> Result<T, GameplayError> + Send + 'static,
    ) -> &mut Self;
}

impl GameplayCommands for EntityCommands<'_> {
    fn apply_effect(&mut self, effect: impl Into<String>, source: impl Into<Option<Entity>>) -> &mut Self {
        let (effect, source) = (effect.into(), source.into());
        self.in_gameplay(move |game, entity| game.apply(effect, source, entity))
    }

    fn grant_ability(&mut self, ability: impl Into<String>, level: u32) -> &mut Self {
        let ability = ability.into();
        self.in_gameplay(move |game, entity| game.grant(entity, ability, level))
    }

    fn activate_ability(&mut self, ability: impl Into<String>) -> &mut Self {
        let ability = ability.into();
        self.in_gameplay(move |game, entity| game.activate(entity, ability))
    }

    fn activate_ability_on(&mut self, ability: impl Into<String>, target: Entity) -> &mut Self {
        let ability = ability.into();
        self.in_gameplay(move |game, entity| game.activate_on(entity, ability, target))
    }

    fn in_gameplay<T>(
        &mut self,
        act: impl FnOnce(&mut GameplayWorld, Entity) -> Result<T, GameplayError> + Send + 'static,
    ) -> &mut Self {
        let entity = self.id();
        self.commands().queue(move |world: &mut World| {
            let Some(mut game) = world.get_resource_mut::<GameplayWorld>() else {
                tracing::error!("there is no gameplay to act in: add `UgasPlugins` to the app");
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
