//! Several simulations in one app: each further one is an entity.

use core::ops::{Deref, DerefMut};

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::{Component, DetectChangesMut, Entity, Mut, Query, ReflectComponent, ResMut, World};
use bevy_ecs::system::SystemParam;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::{Catalog, Config};
use ugas_data::Pack;

use crate::controller::{GameplayController, create_controller};
use crate::world::GameplayWorld;

/// A further simulation of the app, with its own rules, time and state: a room of a server, a lesson, a
/// preview. The one of the app itself is the resource [`GameplayWorld`], which this dereferences to.
///
/// Entities are members by [`InInstance`]; their components, events, cues, inputs and placements are those of
/// the instance. Despawning the instance despawns its members. Inserting another instance into the same entity
/// gives its members new controllers.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// # use bevy_ugas::{GameplayInstance, GameplayInstances, InInstance};
/// fn open_room(mut commands: Commands, gameplay: GameplayView) {
///     let Some(rules) = gameplay.catalog() else { return };
///     let room = commands.spawn(GameplayInstance::new(rules.clone(), ugas::Config::seeded(7))).id();
///     commands.spawn((GameplayController::new("Hero"), InInstance(room)));
/// }
///
/// /// Acts in the simulation that each entity belongs to.
/// fn stun(mut games: GameplayInstances, heroes: Query<Entity, With<GameplayController>>) {
///     for hero in &heroes {
///         if let Some(gameplay) = games.of_mut(hero) {
///             let _ = gameplay.apply("GE_Stun", None, hero);
///         }
///     }
/// }
/// ```
#[derive(Component)]
#[component(on_insert = on_insert, on_discard = on_discard)]
pub struct GameplayInstance(pub(crate) GameplayWorld);

/// Membership in a further simulation: the entity of its [`GameplayInstance`]. Spawn it together with the
/// [`GameplayController`]; a controller that exists already stays in the simulation that it was created in.
#[derive(Component, Reflect, Clone, Copy, PartialEq, Eq, Debug)]
#[reflect(Component, from_reflect = false)]
#[relationship(relationship_target = InstanceMembers)]
pub struct InInstance(pub Entity);

/// The members of a [`GameplayInstance`]: the other end of [`InInstance`].
#[derive(Component, Reflect, Debug)]
#[reflect(Component, from_reflect = false)]
#[relationship_target(relationship = InInstance, linked_spawn)]
pub struct InstanceMembers(Vec<Entity>);

impl InstanceMembers {
    /// The members, in the order in which they joined.
    pub fn entities(&self) -> &[Entity] {
        &self.0
    }
}

impl GameplayInstance {
    /// A simulation of these rules. Simulations may share a catalog.
    pub fn new(catalog: Arc<Catalog>, config: Config) -> Self {
        let mut game = GameplayWorld::empty();
        game.config = config;
        // Only a network or a running game could refuse the rules, and this one has neither.
        let _ = game.install(catalog);
        Self(game)
    }
}

impl Deref for GameplayInstance {
    type Target = GameplayWorld;

    fn deref(&self) -> &GameplayWorld {
        &self.0
    }
}

impl DerefMut for GameplayInstance {
    fn deref_mut(&mut self) -> &mut GameplayWorld {
        &mut self.0
    }
}

/// Hook of `GameplayInstance`: its controllers are placed by transforms if those of the app are. Members that
/// waited for it get their controllers.
fn on_insert(mut world: DeferredWorld<'_>, context: HookContext) {
    let follows = world.get_resource::<GameplayWorld>().is_some_and(|game| game.follows_transforms);
    if let Some(mut instance) = world.get_mut::<GameplayInstance>(context.entity) {
        instance.follows_transforms = follows;
    }
    if let Some(members) = world.get::<InstanceMembers>(context.entity).map(|members| members.0.clone()) {
        world.commands().queue(move |world: &mut World| renew_controllers(world, members));
    }
}

/// Hook of `GameplayInstance`, when it is removed or replaced: its controllers are gone, and their entities get
/// new ones or a problem.
fn on_discard(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(instance) = world.get::<GameplayInstance>(context.entity) else { return };
    let members: Vec<Entity> = instance.entities().map(|(entity, _)| entity).collect();
    world.commands().queue(move |world: &mut World| renew_controllers(world, members));
}

/// Creates the controllers of entities that have none in their simulation any more, and shows them.
fn renew_controllers(world: &mut World, entities: Vec<Entity>) {
    for entity in entities {
        let has_one = game_of(world, entity).is_some_and(|game| game.controller(entity).is_some());
        if has_one || world.get::<GameplayController>(entity).is_none() {
            continue;
        }
        if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
            controller.id = None;
        }
        create_controller(&mut DeferredWorld::from(&mut *world), entity);
        world.flush();
    }
}

/// System parameter for apps with several simulations: finds the one that an entity belongs to.
#[derive(SystemParam)]
pub struct GameplayInstances<'w, 's> {
    main: ResMut<'w, GameplayWorld>,
    instances: Query<'w, 's, (Entity, &'static mut GameplayInstance)>,
    members: Query<'w, 's, (Option<&'static GameplayController>, Option<&'static InInstance>)>,
}

impl GameplayInstances<'_, '_> {
    /// The simulation of an entity: the one that its controller was created in, that of its [`InInstance`], or
    /// that of the app. `None` if the instance does not exist.
    pub fn of(&self, entity: Entity) -> Option<&GameplayWorld> {
        match self.home(entity) {
            Some(instance) => self.instances.get(instance).ok().map(|(_, found)| &found.0),
            None => Some(&self.main),
        }
    }

    /// The simulation of an entity, to act in; `None` as for [`Self::of`].
    pub fn of_mut(&mut self, entity: Entity) -> Option<&mut GameplayWorld> {
        match self.home(entity) {
            Some(instance) => {
                self.instances.get_mut(instance).ok().map(|(_, found)| &mut found.into_inner().0)
            }
            None => Some(&mut self.main),
        }
    }

    /// The instance of an entity; `None` is the simulation of the app.
    fn home(&self, entity: Entity) -> Option<Entity> {
        let (controller, member) = self.members.get(entity).ok()?;
        home(controller, member)
    }

    /// The pack of a simulation: its own, or that of the app if they share their rules.
    pub(crate) fn pack_of<'a>(&'a self, game: &'a GameplayWorld) -> Option<&'a Pack> {
        let is_shared = || game.catalog().zip(self.main.catalog()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        let pack = game.pack().or_else(|| self.main.pack().filter(|_| is_shared()));
        pack.map(|pack| &**pack)
    }

    /// All simulations: that of the app first, then the instances with their entities.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Option<Entity>, &mut GameplayWorld)> {
        let instances = self.instances.iter_mut();
        let instances = instances.map(|(entity, found)| (Some(entity), &mut found.into_inner().0));
        core::iter::once((None, &mut *self.main)).chain(instances)
    }
}

/// The instance that a controller was created in, or else that of which the entity is a member; `None` is the
/// simulation of the app.
fn home(controller: Option<&GameplayController>, member: Option<&InInstance>) -> Option<Entity> {
    match controller {
        Some(controller) => controller.home,
        None => member.map(|member| member.0),
    }
}

/// The instance of an entity; `None` is the simulation of the app.
pub(crate) fn home_of(world: &World, entity: Entity) -> Option<Entity> {
    home(world.get::<GameplayController>(entity), world.get::<InInstance>(entity))
}

/// The simulation of an entity; `None` if its instance does not exist, or the app has no plugins.
pub(crate) fn game_of(world: &World, entity: Entity) -> Option<&GameplayWorld> {
    game_in(world, home_of(world, entity))
}

/// The simulation of an entity, to change it.
pub(crate) fn game_of_mut<'w>(
    world: &'w mut DeferredWorld<'_>,
    entity: Entity,
) -> Option<Mut<'w, GameplayWorld>> {
    match home_of(world, entity) {
        Some(instance) => {
            world.get_mut::<GameplayInstance>(instance).map(|found| found.map_unchanged(|found| &mut found.0))
        }
        None => world.get_resource_mut::<GameplayWorld>(),
    }
}

/// The simulation of an instance, or with `None` that of the app.
pub(crate) fn game_in(world: &World, instance: Option<Entity>) -> Option<&GameplayWorld> {
    match instance {
        Some(instance) => world.get::<GameplayInstance>(instance).map(|found| &found.0),
        None => world.get_resource::<GameplayWorld>(),
    }
}

/// Takes a simulation out of the world, calls a function with both, and puts it back. `None` if the instance
/// does not exist, or the app has no plugins. The function must not run code of the game: no observers, no
/// hooks and no commands.
pub(crate) fn game_scope<T>(
    world: &mut World,
    instance: Option<Entity>,
    act: impl FnOnce(&mut World, &mut GameplayWorld) -> T,
) -> Option<T> {
    let Some(instance) = instance else {
        return world.try_resource_scope(|world, mut game: Mut<'_, GameplayWorld>| act(world, &mut game));
    };
    let mut found = world.get_mut::<GameplayInstance>(instance)?;
    let mut game = core::mem::replace(&mut found.bypass_change_detection().0, GameplayWorld::empty());
    let result = act(world, &mut game);
    if let Some(mut found) = world.get_mut::<GameplayInstance>(instance) {
        found.bypass_change_detection().0 = game;
    }
    Some(result)
}
