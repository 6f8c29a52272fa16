//! The plugins, and when their systems run.

use bevy_app::{App, FixedUpdate, Plugin, PluginGroup, PluginGroupBuilder, PreUpdate};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::lifecycle::{Discard, Insert};
use bevy_ecs::prelude::{Entity, On, Query, QueryState, Res, ResMut, Resource, SystemSet, With, World};
use bevy_ecs::schedule::{InternedScheduleLabel, IntoScheduleConfigs, ScheduleLabel};
use bevy_platform::sync::Arc;
use bevy_time::Time;
use ugas::{Catalog, Config, EventKind};
use ugas_data::Pack;

use crate::components::{Abilities, ActiveEffects, Attributes, StateUpdate, Tags};
use crate::controller::{Avatar, AvatarOf, GameplayController, GameplayTeam};
use crate::cue::UgasCuesPlugin;
use crate::event::{ConvertedEvent, register};
use crate::handler::Handlers;
use crate::input::UgasInputPlugin;
use crate::instance::{GameplayInstance, GameplayInstances, InInstance, InstanceMembers, game_scope};
use crate::rules::{RulesSource, UgasRulesPlugin};
use crate::transform::UgasTransformPlugin;
use crate::typed::TypedSets;
use crate::world::GameplayWorld;

/// System sets of the plugins. All but the first are in [`GameplaySchedule`], in this order.
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameplaySystems {
    /// In `PreUpdate`: loaded rules are installed, and controllers that waited for them are created.
    Rules,
    /// Positions, device inputs and datagrams are read.
    Input,
    /// For systems of the game: their actions happen in this step.
    Act,
    /// The simulation advances.
    Simulate,
    /// Components are updated, events are emitted.
    Apply,
    /// Cues are shown.
    Cues,
}

/// Schedule that the game advances in: `FixedUpdate` by default, set by [`UgasPlugins::in_schedule`]. Insert it
/// only if other plugins of this crate are added before [`UgasPlugins`].
#[derive(Resource, Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameplaySchedule(pub InternedScheduleLabel);

impl Default for GameplaySchedule {
    fn default() -> Self {
        Self(FixedUpdate.intern())
    }
}

impl GameplaySchedule {
    /// The schedule of an app, for the systems of a plugin.
    pub(crate) fn of(app: &mut App) -> InternedScheduleLabel {
        app.world_mut().get_resource_or_init::<Self>().0
    }
}

/// All plugins of this crate that need neither a window nor a network: controllers and events, rules,
/// positions, input and cues.
///
/// ```
/// use bevy_app::App;
/// use bevy_asset::AssetPlugin;
/// use bevy_time::TimePlugin;
/// use bevy_ugas::prelude::*;
///
/// let mut app = App::new();
/// app.add_plugins((bevy_app::TaskPoolPlugin::default(), TimePlugin, AssetPlugin::default()));
/// app.add_plugins(UgasPlugins::from_asset("packs/hero/pack.yaml"));
/// ```
#[derive(Clone, Default)]
pub struct UgasPlugins {
    source: RulesSource,
    config: Config,
    schedule: Option<InternedScheduleLabel>,
}

impl UgasPlugins {
    /// Rules from the assets of the game: the path of a `pack.yaml`. Add Bevy's `AssetPlugin` before.
    pub fn from_asset(path: impl Into<bevy_asset::AssetPath<'static>>) -> Self {
        Self { source: RulesSource::Asset(path.into()), ..Self::default() }
    }

    /// Rules from a pack that was loaded already, without the extensions of the app.
    pub fn from_pack(pack: impl Into<Arc<Pack>>) -> Self {
        Self { source: RulesSource::Pack(pack.into()), ..Self::default() }
    }

    /// Rules from a catalog that was built already. They are installed when the plugins are added, without
    /// the extensions of the app.
    pub fn from_catalog(catalog: Arc<Catalog>) -> Self {
        Self { source: RulesSource::Catalog(catalog), ..Self::default() }
    }

    /// Rules from code alone: what the app is extended with by [`UgasAppExt`](crate::UgasAppExt), before or
    /// after these plugins. They are built in `PreStartup`, so that systems in `Startup` can spawn controllers.
    /// Mistakes are [`GameplayWorld::problem`].
    ///
    /// ```
    /// use bevy_app::{App, TaskPoolPlugin};
    /// use bevy_ecs::prelude::*;
    /// use bevy_time::TimePlugin;
    /// use bevy_ugas::GameplayWorld;
    /// use bevy_ugas::prelude::*;
    /// use ugas::{ControllerDef, EffectDef, Operation};
    ///
    /// #[derive(Component, AttributeSet, PartialEq)]
    /// #[component(immutable)]
    /// struct Combat {
    ///     #[attribute(default = 100.0, min = 0.0)]
    ///     health: f64,
    /// }
    ///
    /// let mut app = App::new();
    /// app.add_plugins((TaskPoolPlugin::default(), TimePlugin, UgasPlugins::from_code()))
    ///     .add_attribute_set::<Combat>()
    ///     .extend_rules(|rules| {
    ///         rules
    ///             .effect(EffectDef::instant("GE_Hit").modify(Combat::HEALTH, Operation::Add, -10.0))
    ///             .template(ControllerDef::new("Wolf").with_set(Combat::NAME))
    ///     });
    /// app.update();
    /// assert!(app.world().resource::<GameplayWorld>().is_in_play());
    /// ```
    pub fn from_code() -> Self {
        Self { source: RulesSource::Code, ..Self::default() }
    }

    /// Sets the schedule that the game advances in, instead of `FixedUpdate`: each run is one step, by the delta
    /// of `Time` in it. Libraries that run a schedule themselves drive the game so: `GgrsSchedule` of
    /// `bevy_ggrs`, or a schedule that a turn-based game runs once for each turn. Systems of the game are added
    /// to the same schedule, in the sets of [`GameplaySystems`].
    ///
    /// ```
    /// use bevy_app::{App, TaskPoolPlugin};
    /// use bevy_ecs::schedule::ScheduleLabel;
    /// use bevy_time::TimePlugin;
    /// use bevy_ugas::prelude::*;
    ///
    /// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Turn;
    ///
    /// let mut app = App::new();
    /// app.init_schedule(Turn).add_plugins((
    ///     TaskPoolPlugin::default(),
    ///     TimePlugin,
    ///     UgasPlugins::default().in_schedule(Turn),
    /// ));
    /// app.update();
    /// app.world_mut().run_schedule(Turn);
    /// ```
    #[must_use]
    pub fn in_schedule(mut self, schedule: impl ScheduleLabel) -> Self {
        self.schedule = Some(schedule.intern());
        self
    }

    /// Sets seed and limits of the simulation; they apply when the rules are installed.
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }
}

impl PluginGroup for UgasPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(UgasCorePlugin { config: self.config, schedule: self.schedule })
            .add(UgasRulesPlugin { source: self.source })
            .add(UgasTransformPlugin)
            .add(UgasInputPlugin)
            .add(UgasCuesPlugin)
    }
}

/// Controllers, components, events and time. It needs Bevy's `TimePlugin`.
#[derive(Clone, Default)]
pub struct UgasCorePlugin {
    /// Seed and limits of the simulation.
    pub config: Config,
    /// Schedule that the game advances in; `None` is that of [`GameplaySchedule`].
    pub schedule: Option<InternedScheduleLabel>,
}

impl Plugin for UgasCorePlugin {
    /// Registers components, events and systems. Keeps a backend factory that a network plugin has set
    /// before.
    ///
    /// # Panics
    /// If other plugins of this crate were added before, in another schedule.
    fn build(&self, app: &mut App) {
        if let Some(schedule) = self.schedule {
            let known = app.world().get_resource::<GameplaySchedule>();
            assert!(
                known.is_none_or(|known| known.0 == schedule),
                "plugins of `bevy_ugas` were added before `UgasPlugins` in another schedule: add `UgasPlugins` \
                 first, or insert a `GameplaySchedule` before"
            );
            app.insert_resource(GameplaySchedule(schedule));
        }
        let schedule = GameplaySchedule::of(app);
        // A network plugin may have been added before, and set the backend factory.
        GameplayWorld::init(app);
        app.world_mut().resource_mut::<GameplayWorld>().config = self.config.clone();
        app.init_resource::<Handlers>()
            .init_resource::<TypedSets>()
            .register_type::<GameplayController>()
            .register_type::<GameplayTeam>()
            .register_type::<Avatar>()
            .register_type::<AvatarOf>()
            .register_type::<InInstance>()
            .register_type::<InstanceMembers>()
            .register_type::<Attributes>()
            .register_type::<Tags>()
            .register_type::<ActiveEffects>()
            .register_type::<Abilities>();
        register(app);
        use GameplaySystems::{Act, Apply, Cues, Input, Rules, Simulate};
        app.configure_sets(PreUpdate, Rules)
            .configure_sets(schedule, (Input, Act, Simulate, Apply, Cues).chain())
            .add_systems(schedule, (simulate.in_set(Simulate), apply.in_set(Apply)))
            .add_observer(avatar_inserted)
            .add_observer(avatar_discarded)
            .add_observer(team_inserted)
            .add_observer(team_discarded);
    }
}

/// System that advances all simulations by the step of the schedule.
fn simulate(
    time: Res<'_, Time>,
    mut game: ResMut<'_, GameplayWorld>,
    mut instances: Query<'_, '_, &mut GameplayInstance>,
) {
    game.bypass_change_detection().step(time.delta());
    for mut instance in &mut instances {
        instance.bypass_change_detection().step(time.delta());
    }
}

/// Updates the components that changed, and emits the events, simulation by simulation.
fn apply(world: &mut World, instances: &mut QueryState<Entity, With<GameplayInstance>>) {
    apply_game(world, None);
    for instance in instances.iter(world).collect::<Vec<_>>() {
        apply_game(world, Some(instance));
    }
}

/// Updates the components of one simulation, and emits its events.
fn apply_game(world: &mut World, instance: Option<Entity>) {
    let applied = game_scope(world, instance, |world, game| {
        let mut entities = match core::mem::take(&mut game.relink) {
            true => relink(world, game, instance),
            false => Vec::new(),
        };
        let events = take_changes(world, game, instance, &mut entities);
        entities.sort_unstable();
        entities.dedup();
        let updates = entities.into_iter().map(|entity| StateUpdate::of(world, game, entity));
        (updates.collect::<Vec<_>>(), events)
    });
    let Some((updates, events)) = applied else { return };
    // Observers of components may use the game, which is in the world again.
    for update in updates {
        update.write(world);
    }
    if events.is_empty() {
        return;
    }
    // Handlers may act and spawn, so they are taken out rather than borrowed.
    let handlers = core::mem::take(&mut *world.resource_mut::<Handlers>());
    for ConvertedEvent { original, typed } in events {
        world.write_message(original);
        if let Some(typed) = typed {
            handlers.call(&typed, world);
            typed.emit(world);
        }
    }
    let mut kept = world.resource_mut::<Handlers>();
    let added = core::mem::replace(&mut *kept, handlers);
    kept.append(added);
    world.flush();
}

/// Takes the events of a simulation, and adds the entities that may have changed. Entities whose controllers
/// were despawned lose them.
fn take_changes(
    world: &mut World,
    game: &mut GameplayWorld,
    instance: Option<Entity>,
    entities: &mut Vec<Entity>,
) -> Vec<ConvertedEvent> {
    let Some(backend) = &mut game.backend else { return Vec::new() };
    let touched: Vec<_> = backend.take_touched();
    let events = backend.take_events();
    entities.extend(touched.into_iter().filter_map(|controller| game.entity(controller)));
    let mut converted = Vec::with_capacity(events.len());
    for event in events {
        let despawned = match event.kind {
            EventKind::ControllerDespawned { .. } => event.kind.subject().and_then(|id| game.entity(id)),
            _ => None,
        };
        let mut names = core::mem::take(&mut game.names);
        if let Some(simulation) = game.simulation() {
            let entity_of = |controller| game.present_or_departed(controller);
            converted.push(ConvertedEvent::of(event, instance, simulation, &mut names, entity_of));
        }
        game.names = names;
        if let Some(entity) = despawned {
            game.unlink(entity);
            if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
                controller.lose("its controller was despawned in the simulation");
            }
            entities.push(entity);
        }
    }
    game.forget_departed();
    converted
}

/// Updates the ids in the components after a snapshot was restored or links were set manually. Returns the
/// entities whose controllers changed.
fn relink(world: &mut World, game: &mut GameplayWorld, instance: Option<Entity>) -> Vec<Entity> {
    let mut query = world.query::<(Entity, &mut GameplayController)>();
    let mut changed = Vec::new();
    for (entity, mut controller) in query.iter_mut(world) {
        let id = game.controller(entity);
        if controller.home != instance || controller.id == id {
            continue;
        }
        match id {
            Some(_) => (controller.id, controller.problem) = (id, None),
            None => controller.lose(
                "the game was restored to a state without its controller, or another entity took it over",
            ),
        }
        changed.push(entity);
    }
    let linked: Vec<Entity> = game.entities().map(|(entity, _)| entity).collect();
    for entity in linked {
        // A controller without its component is unreachable and would never be despawned.
        if world.get::<GameplayController>(entity).is_none() {
            game.despawn_controller(entity);
        }
    }
    changed
}

/// Observer that makes an inserted or replaced [`Avatar`] the avatar of the controller.
fn avatar_inserted(
    event: On<'_, '_, Insert, Avatar>,
    avatars: Query<'_, '_, &Avatar>,
    mut games: GameplayInstances<'_, '_>,
) {
    if let (Ok(avatar), Some(game)) = (avatars.get(event.entity), games.of_mut(event.entity)) {
        // An entity without a controller is not an error: a controller created later reads the avatar itself.
        let _ = game.set_avatar(event.entity, Some(avatar.0));
        game.place_again(event.entity);
    }
}

/// Observer that removes the avatar of the controller; a replacement is set right after.
fn avatar_discarded(event: On<'_, '_, Discard, Avatar>, mut games: GameplayInstances<'_, '_>) {
    if let Some(game) = games.of_mut(event.entity) {
        let _ = game.set_avatar(event.entity, None);
        game.place_again(event.entity);
    }
}

/// Observer that puts the controller into the inserted team. A controller created later reads the team
/// itself.
fn team_inserted(
    event: On<'_, '_, Insert, GameplayTeam>,
    teams: Query<'_, '_, &GameplayTeam>,
    mut games: GameplayInstances<'_, '_>,
) {
    if let (Ok(team), Some(game)) = (teams.get(event.entity), games.of_mut(event.entity)) {
        match game.set_team(event.entity, Some(&team.0)) {
            Err(error) if error.is_refusal() => {
                tracing::warn!("the team of {} could not be set: {error}", event.entity);
            }
            _ => {}
        }
    }
}

/// Observer that takes the controller out of its team.
fn team_discarded(event: On<'_, '_, Discard, GameplayTeam>, mut games: GameplayInstances<'_, '_>) {
    if let Some(game) = games.of_mut(event.entity) {
        let _ = game.set_team(event.entity, None);
    }
}
