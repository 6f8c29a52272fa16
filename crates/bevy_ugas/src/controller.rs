//! `GameplayController`: the component that gives its entity, the owner, a controller (§4.2).

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::{Component, DetectChangesMut, Entity, EntityRef, ReflectComponent, World};
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;
use ugas::{Character, ControllerDef, ControllerId};

use crate::components::{Abilities, ActiveEffects, Attributes, StateComponent, Tags, show};
use crate::error::GameplayError;
use crate::instance::{InInstance, game_of, game_of_mut};
#[cfg(doc)]
use crate::world::GameplayWorld;
use crate::world::SpawnRequest;

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
#[require(
    Attributes = Attributes::empty(),
    Tags = Tags::empty(),
    ActiveEffects = ActiveEffects::empty(),
    Abilities = Abilities::empty()
)]
#[component(on_insert = on_insert, on_discard = on_discard)]
pub struct GameplayController {
    #[reflect(ignore)]
    pub(crate) origin: Origin,
    /// Names of ability sets to grant.
    pub(crate) ability_sets: Vec<String>,
    #[reflect(ignore)]
    pub(crate) id: Option<ControllerId>,
    /// Instance that the controller was created in, or waits for; `None` is the simulation of the app.
    #[reflect(ignore)]
    pub(crate) home: Option<Entity>,
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
        Self { origin, ability_sets: Vec::new(), id: None, home: None, problem: None }
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

    /// Removes the controller, for a reason.
    pub(crate) fn lose(&mut self, problem: &str) {
        (self.id, self.problem) = (None, Some(problem.to_owned()));
    }

    /// Name of the template that the controller was created from; `None` if it has another origin.
    pub fn template(&self) -> Option<&str> {
        match &self.origin {
            Origin::Template(name) => Some(name),
            Origin::Def(_) | Origin::Character(_) | Origin::Existing => None,
        }
    }

    /// Why there is no controller: the rules are not loaded yet, or could not be loaded, or do not have the
    /// template, or the controller was despawned by the simulation or by a restored snapshot. `None` if there
    /// is one, or an [existing](Self::existing) one was not linked yet. Creation is tried again when the rules
    /// change, unless there was a controller.
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
    settle(&mut world, context.entity);
    create_controller(&mut world, context.entity);
}

/// Sets the instance of a controller to that of which its entity is a member now.
fn settle(world: &mut DeferredWorld<'_>, entity: Entity) {
    let home = world.get::<InInstance>(entity).map(|member| member.0);
    if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
        controller.bypass_change_detection().home = home;
    }
}

/// Creates the controller of an entity, or queues it until the rules are loaded, and then updates its
/// components. An entity whose membership changed while it waited gets it in its new instance.
pub(crate) fn create_controller(world: &mut DeferredWorld<'_>, entity: Entity) {
    // The id in a copied component belongs to another entity, or to a controller that no longer exists.
    let known = game_of(world, entity).and_then(|game| game.controller(entity));
    let Some(mut controller) = world.get_mut::<GameplayController>(entity) else { return };
    if known.is_some() || matches!(controller.origin, Origin::Existing) {
        controller.bypass_change_detection().id = known;
        return;
    }
    let (origin, sets) = (controller.origin.clone(), controller.ability_sets.clone());
    settle(world, entity);
    let avatar = world.get::<Avatar>(entity).map(|avatar| avatar.0);
    let team = world.get::<GameplayTeam>(entity).cloned();
    let created = match game_of_mut(world, entity) {
        None => Err(missing_game(world.get::<InInstance>(entity))),
        Some(mut game) => {
            let team = team.as_ref().map(|team| team.0.as_str());
            let request = SpawnRequest { entity, origin: &origin, sets: &sets, avatar, team };
            let created = game.create_controller(&request);
            if created.is_err() {
                game.waiting.push(entity);
            }
            created.map_err(|error| match (&error, &game.problem) {
                // Not logged for each controller: the rules are reported by themselves.
                (GameplayError::NoRules, Some(problem)) => (false, problem.clone()),
                (GameplayError::NoRules, None) => (false, error.to_string()),
                _ => (true, error.to_string()),
            })
        }
    };
    let (id, problem) = match created {
        Ok(id) => (Some(id), None),
        Err((is_logged, problem)) => {
            if is_logged {
                tracing::error!("no controller could be created for {entity}: {problem}");
            }
            (None, Some(problem))
        }
    };
    if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
        let controller = controller.bypass_change_detection();
        (controller.id, controller.problem) = (id, problem);
    }
    // Components cannot be replaced here. They may show a previous controller, or that of another entity which
    // this one is a copy of.
    world.commands().queue(move |world: &mut World| show(world, entity));
}

/// Why an entity has no simulation, to be logged.
fn missing_game(member: Option<&InInstance>) -> (bool, String) {
    let problem = match member {
        Some(InInstance(instance)) => format!("{instance} has no `GameplayInstance`: insert one"),
        None => "the app has no `UgasPlugins`: add them".to_owned(),
    };
    (true, problem)
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
            show(world, entity);
        }
    });
}
