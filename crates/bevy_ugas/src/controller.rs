//! `GameplayController`: the component that gives its entity, the owner, a controller (§4.2).

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::{Component, DetectChangesMut, Entity, EntityRef, ReflectComponent, World};
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;
use ugas::{Character, ControllerDef, ControllerId};

use crate::components::{Abilities, ActiveEffects, Attributes, SyncComponent, SyncSource, Tags};
use crate::error::GameplayError;
use crate::instance::{InInstance, game_of, game_of_mut};
use crate::plugin::clear_components;
use crate::typed;
use crate::world::{GameplayWorld, SpawnRequest};

/// Gives an entity attributes, tags, effects and abilities.
///
/// Inserting it creates the controller: at once if the rules are loaded, otherwise as soon as they are.
/// Removing it or despawning the entity removes the controller, and its effects on others as their
/// definitions say (§4.3).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// fn spawn_wolf(mut commands: Commands) {
///     commands.spawn((GameplayController::new("Wolf"), GameplayTeam::new("Beasts")));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(Component, from_reflect = false)]
#[require(Attributes, Tags, ActiveEffects, Abilities)]
#[component(on_insert = on_insert, on_discard = on_discard)]
pub struct GameplayController {
    #[reflect(ignore)]
    pub(crate) origin: Origin,
    /// Names of ability sets to grant.
    pub(crate) ability_sets: Vec<String>,
    #[reflect(ignore)]
    pub(crate) id: Option<ControllerId>,
    /// Why there is no controller; `None` if there is one, or none was asked for.
    pub(crate) problem: Option<String>,
}

/// Source that a controller is created from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Template(String),
    Def(Box<ControllerDef>),
    Character(Box<Character>),
    /// Created elsewhere: by a server, or by the host.
    Existing,
}

impl GameplayController {
    /// A controller from the template of this name.
    pub fn new(template: impl Into<String>) -> Self {
        Self::from(Origin::Template(template.into()))
    }

    /// A controller from a definition that is not part of a pack.
    pub fn from_def(def: ControllerDef) -> Self {
        Self::from(Origin::Def(Box::new(def)))
    }

    /// A controller from a saved or transferred character; see [`GameplayWorld::character`].
    pub fn from_character(character: Character) -> Self {
        Self::from(Origin::Character(Box::new(character)))
    }

    /// For a controller that is created elsewhere: the entity gets it with [`GameplayWorld::link`].
    pub fn existing() -> Self {
        Self::from(Origin::Existing)
    }

    /// For a controller that is already linked to the entity.
    #[cfg(feature = "net")]
    pub(crate) fn linked(id: ControllerId) -> Self {
        Self { id: Some(id), ..Self::existing() }
    }

    fn from(origin: Origin) -> Self {
        Self { origin, ability_sets: Vec::new(), id: None, problem: None }
    }

    /// Also grants an ability set of the rules.
    #[must_use]
    pub fn with_ability_set(mut self, set: impl Into<String>) -> Self {
        self.ability_sets.push(set.into());
        self
    }

    /// The controller in the simulation; `None` until rules with its template are loaded.
    pub fn id(&self) -> Option<ControllerId> {
        self.id
    }

    /// Name of the template that the controller was created from; `None` if it has another origin.
    pub fn template(&self) -> Option<&str> {
        match &self.origin {
            Origin::Template(name) => Some(name),
            Origin::Def(_) | Origin::Character(_) | Origin::Existing => None,
        }
    }

    /// Why there is no controller: the rules are not loaded yet, or could not be loaded, or do not have the
    /// template. `None` if there is one. Creation is tried again when the rules change.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

/// The entity that represents this one in the world (§4.2), if it is another: a body that a player state
/// owns. When the body is despawned, the owner has no avatar anymore.
#[derive(Component, Reflect, Clone, Copy, PartialEq, Eq, Debug)]
#[reflect(Component, from_reflect = false)]
#[relationship(relationship_target = AvatarOf)]
pub struct Avatar(pub Entity);

/// The owner that an entity represents: the other end of [`Avatar`].
#[derive(Component, Reflect, Debug)]
#[reflect(Component, from_reflect = false)]
#[relationship_target(relationship = Avatar)]
pub struct AvatarOf(Entity);

impl AvatarOf {
    /// The entity that has the controller, and whose body this entity is.
    pub fn owner(&self) -> Entity {
        self.0
    }
}

/// Team of an entity, by name. Insert another one to change the team.
#[derive(Component, Reflect, Clone, PartialEq, Eq, Debug)]
#[reflect(Component)]
#[component(immutable)]
pub struct GameplayTeam(pub String);

impl GameplayTeam {
    /// The team of this name. Teams need no definition: equal names are one team.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

/// Hook of `GameplayController`: creates the controller, or queues it until the rules are loaded.
fn on_insert(mut world: DeferredWorld<'_>, context: HookContext) {
    create_controller(&mut world, context.entity);
}

/// Creates the controller of an entity, or queues it until the rules are loaded.
pub(crate) fn create_controller(world: &mut DeferredWorld<'_>, entity: Entity) {
    let Some(controller) = world.get::<GameplayController>(entity) else { return };
    // The id in a copied component belongs to another entity, or to a controller that no longer exists.
    let has_one = game_of(world, entity).is_some_and(|game| game.controller(entity).is_some());
    if has_one || matches!(controller.origin, Origin::Existing) {
        return;
    }
    let (origin, sets) = (controller.origin.clone(), controller.ability_sets.clone());
    let avatar = world.get::<Avatar>(entity).map(|avatar| avatar.0);
    let team = world.get::<GameplayTeam>(entity).cloned();
    let instance = world.get::<InInstance>(entity).copied();
    let Some(mut game) = game_of_mut(world, entity) else {
        let problem = match instance {
            Some(InInstance(instance)) => {
                format!("{instance} has no `GameplayInstance`: insert it before its members")
            }
            None => "the app has no `UgasPlugins`: add them".to_owned(),
        };
        tracing::error!("{entity} has a `GameplayController`, but {problem}");
        if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
            controller.problem = Some(problem);
        }
        return;
    };
    let team = team.as_ref().map(|team| team.0.as_str());
    let created =
        game.create_controller(&SpawnRequest { entity, origin: &origin, sets: &sets, avatar, team });
    let rules_problem = game.problem.clone();
    if created.is_err() {
        game.waiting.push(entity);
        // The components show a previous controller, or that of another entity which this one is a copy of.
        world.commands().queue(move |world: &mut World| {
            if game_of(world, entity).is_none_or(|game| game.controller(entity).is_none()) {
                clear_components(world, entity);
            }
        });
    }
    match created {
        Ok(id) => {
            if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
                let controller = controller.bypass_change_detection();
                (controller.id, controller.problem) = (Some(id), None);
            }
            fill_components(world, entity, id);
            world.commands().queue(move |world: &mut World| typed::sync(world, entity));
        }
        Err(error) => {
            let problem = match error {
                GameplayError::NoRules => rules_problem.unwrap_or_else(|| error.to_string()),
                _ => {
                    tracing::error!("no controller could be created for {entity}: {error}");
                    error.to_string()
                }
            };
            if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
                controller.problem = Some(problem);
            }
        }
    }
}

/// Fills the components of a new controller, so that they can be read at once.
pub(crate) fn fill_components(world: &mut DeferredWorld<'_>, entity: Entity, controller: ControllerId) {
    fill_component::<Attributes>(world, entity, controller);
    fill_component::<Tags>(world, entity, controller);
    fill_component::<ActiveEffects>(world, entity, controller);
    fill_component::<Abilities>(world, entity, controller);
}

/// Replaces a component by the present state of the controller. Does nothing if the entity lacks it.
fn fill_component<C: SyncComponent>(world: &mut DeferredWorld<'_>, entity: Entity, controller: ControllerId) {
    let mut filled = C::default();
    let Some(mut game) = game_of_mut(world, entity) else { return };
    let GameplayWorld { backend, names, .. } = &mut *game;
    let Some(backend) = backend else { return };
    filled.sync(&mut SyncSource { simulation: backend.simulation(), names, controller });
    if let Some(mut component) = world.get_mut::<C>(entity) {
        *component = filled;
    }
}

/// Hook of `GameplayController`, when it is removed or replaced: despawns the controller, and clears the
/// other components afterwards unless the entity has a new one.
fn on_discard(mut world: DeferredWorld<'_>, context: HookContext) {
    let entity = context.entity;
    if let Some(mut game) = game_of_mut(&mut world, entity) {
        game.despawn_controller(entity);
    }
    // Clear the components of an entity that stays alive without a controller.
    world.commands().queue(move |world: &mut World| {
        let has_no_controller = |known: EntityRef<'_>| !known.contains::<GameplayController>();
        if world.get_entity(entity).is_ok_and(has_no_controller) {
            clear_components(world, entity);
        }
    });
}
