//! A controller is a component on an entity, its owner (§4.2).

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::{Component, DetectChangesMut, Entity, EntityRef, ReflectComponent, World};
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;
use ugas::{Character, ControllerDef, ControllerId};

use crate::components::{Abilities, ActiveEffects, Attributes, Follow, Source, Tags};
use crate::error::GameplayError;
use crate::plugin::disown;
use crate::typed;
use crate::world::{GameplayWorld, Wish};

/// Gives an entity attributes, tags, effects and abilities.
///
/// Insert it, and the controller is there: at once if there are rules, as soon as they are loaded otherwise. Remove it
/// or despawn the entity, and the controller is gone, with its effects on others as their definitions say (§4.3).
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
#[component(on_insert = adopt_inserted, on_discard = dismiss)]
pub struct GameplayController {
    #[reflect(ignore)]
    pub(crate) origin: Origin,
    /// Ability sets that it is granted.
    pub(crate) ability_sets: Vec<String>,
    #[reflect(ignore)]
    pub(crate) id: Option<ControllerId>,
    /// Why there is no controller although there are rules.
    pub(crate) problem: Option<String>,
}

/// What a controller is made of.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    Template(String),
    Def(Box<ControllerDef>),
    Character(Box<Character>),
    /// Somebody else made it: a server, or the host.
    Existing,
}

impl GameplayController {
    /// A controller from the template of this name.
    pub fn new(template: impl Into<String>) -> Self {
        Self::from(Origin::Template(template.into()))
    }

    /// A controller from a definition that is in no pack.
    pub fn from_def(def: ControllerDef) -> Self {
        Self::from(Origin::Def(Box::new(def)))
    }

    /// A controller that was saved, or that comes from elsewhere; see [`GameplayWorld::character`].
    pub fn from_character(character: Character) -> Self {
        Self::from(Origin::Character(Box::new(character)))
    }

    /// For a controller that somebody else made: the entity has it once [`GameplayWorld::link`] says so.
    pub fn existing() -> Self {
        Self::from(Origin::Existing)
    }

    /// Of a controller that an entity has already.
    #[cfg(feature = "net")]
    pub(crate) fn linked(id: ControllerId) -> Self {
        Self { id: Some(id), ..Self::existing() }
    }

    fn from(origin: Origin) -> Self {
        Self { origin, ability_sets: Vec::new(), id: None, problem: None }
    }

    /// Grants an ability set of the rules as well.
    #[must_use]
    pub fn with_ability_set(mut self, set: impl Into<String>) -> Self {
        self.ability_sets.push(set.into());
        self
    }

    /// The controller in the simulation; `None` until there are rules with its template.
    pub fn id(&self) -> Option<ControllerId> {
        self.id
    }

    /// The name of the template that it was asked for by.
    pub fn template(&self) -> Option<&str> {
        match &self.origin {
            Origin::Template(name) => Some(name),
            Origin::Def(_) | Origin::Character(_) | Origin::Existing => None,
        }
    }

    /// Why there is no controller although there are rules: the template is unknown, say. It is tried again with other
    /// rules.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

/// The entity that stands for this one in the world (§4.2), if that is another: a body that a player state owns. When the
/// body is despawned, the owner has none any more.
#[derive(Component, Reflect, Clone, Copy, PartialEq, Eq, Debug)]
#[reflect(Component, from_reflect = false)]
#[relationship(relationship_target = AvatarOf)]
pub struct Avatar(pub Entity);

/// Whom an entity stands for: the other end of [`Avatar`].
#[derive(Component, Reflect, Debug)]
#[reflect(Component, from_reflect = false)]
#[relationship_target(relationship = Avatar)]
pub struct AvatarOf(Entity);

impl AvatarOf {
    /// The owner.
    pub fn owner(&self) -> Entity {
        self.0
    }
}

/// On whose side an entity is, by name. Insert another to change sides.
#[derive(Component, Reflect, Clone, PartialEq, Eq, Debug)]
#[reflect(Component)]
#[component(immutable)]
pub struct GameplayTeam(pub String);

impl GameplayTeam {
    /// The team of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }
}

fn adopt_inserted(mut world: DeferredWorld<'_>, context: HookContext) {
    adopt(&mut world, context.entity);
}

/// Makes the controller of an entity, or lets it wait.
pub(crate) fn adopt(world: &mut DeferredWorld<'_>, entity: Entity) {
    let Some(controller) = world.get::<GameplayController>(entity) else { return };
    // An id that came along with a copy of the component is another entity's, or of one that is gone.
    let has_one = world.get_resource::<GameplayWorld>().is_some_and(|game| game.controller(entity).is_some());
    if has_one || matches!(controller.origin, Origin::Existing) {
        return;
    }
    let (origin, sets) = (controller.origin.clone(), controller.ability_sets.clone());
    let avatar = world.get::<Avatar>(entity).map(|avatar| avatar.0);
    let team = world.get::<GameplayTeam>(entity).cloned();
    let Some(mut game) = world.get_resource_mut::<GameplayWorld>() else {
        tracing::error!("{entity} has a `GameplayController`, but `UgasPlugins` were not added to the app");
        return;
    };
    let team = team.as_ref().map(|team| team.0.as_str());
    let made = game.fulfil(&Wish { entity, origin: &origin, sets: &sets, avatar, team });
    if made.is_err() {
        game.waiting.push(entity);
    }
    if made.is_err() {
        // What the entity showed is of a controller that it had before, or of another entity that it is a copy of.
        world.commands().queue(move |world: &mut World| {
            if world.resource::<GameplayWorld>().controller(entity).is_none() {
                disown(world, entity);
            }
        });
    }
    match made {
        Ok(id) => {
            if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
                let controller = controller.bypass_change_detection();
                (controller.id, controller.problem) = (Some(id), None);
            }
            show(world, entity, id);
            world.commands().queue(move |world: &mut World| typed::follow(world, entity));
        }
        Err(GameplayError::NoRules) => {}
        Err(error) => {
            tracing::error!("{entity} gets no controller: {error}");
            if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
                controller.problem = Some(error.to_string());
            }
        }
    }
}

/// Fills the components of a new controller, so that they can be read at once.
pub(crate) fn show(world: &mut DeferredWorld<'_>, entity: Entity, controller: ControllerId) {
    show_one::<Attributes>(world, entity, controller);
    show_one::<Tags>(world, entity, controller);
    show_one::<ActiveEffects>(world, entity, controller);
    show_one::<Abilities>(world, entity, controller);
}

fn show_one<C: Follow>(world: &mut DeferredWorld<'_>, entity: Entity, controller: ControllerId) {
    let mut shown = C::default();
    let Some(mut game) = world.get_resource_mut::<GameplayWorld>() else { return };
    let GameplayWorld { backend, names, .. } = &mut *game;
    let Some(backend) = backend else { return };
    shown.follow(&mut Source { simulation: backend.simulation(), names, controller });
    if let Some(mut component) = world.get_mut::<C>(entity) {
        *component = shown;
    }
}

fn dismiss(mut world: DeferredWorld<'_>, context: HookContext) {
    let entity = context.entity;
    if let Some(mut game) = world.get_resource_mut::<GameplayWorld>() {
        game.dismiss(entity);
    }
    // An entity that goes on without a controller, and gets no other one, shows nothing any more.
    world.commands().queue(move |world: &mut World| {
        let is_without = |known: EntityRef<'_>| !known.contains::<GameplayController>();
        if world.get_entity(entity).is_ok_and(is_without) {
            disown(world, entity);
        }
    });
}
