//! Cues as entities (§12): a scene is registered for a tag, spawned, shown, and pooled for reuse.
//!
//! This is the engine side of `ugas::CueManager`, which decides what is shown: the class of the nearest
//! ancestor tag, priorities and budgets, one instance for each looping cue and target. To handle cues without
//! it, register systems ([`UgasAppExt::on_cue`](crate::UgasAppExt::on_cue)) or observes
//! [`CueStarted`](crate::event::CueStarted) and the like.

mod stage;

use core::time::Duration;

use bevy_app::{App, Plugin};
use bevy_ecs::message::MessageCursor;
use bevy_ecs::prelude::{
    Component, Entity, EntityEvent, Local, Message, Messages, Mut, QueryState, With, World,
};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::world::EntityWorldMut;
use bevy_platform::sync::Arc;
use bevy_time::Time;
use ugas::{CueClassDef, CueContext, CueKind};

pub(crate) use stage::CueStages;

use crate::event::SimulationEvent;
use crate::instance::{GameplayInstance, game_in};
use crate::plugin::{GameplaySchedule, GameplaySystems};

/// Shows the scenes that were registered with [`UgasAppExt::add_cue`](crate::UgasAppExt::add_cue). Without
/// scenes it does nothing, so it can stay enabled on servers.
#[derive(Clone, Copy, Default)]
pub struct UgasCuesPlugin;

/// Scene of a cue: how its entity is built, and how many there may be.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// # use bevy_ugas::cue::CueScene;
/// # #[derive(Component)] struct Sparks;
/// # #[derive(Component)] struct Flames;
/// # let mut app = bevy_app::App::new();
/// app.add_cue("GameplayCue.Impact", CueScene::burst("Sparks", |entity| {
///     entity.insert(Sparks);
/// }));
/// app.add_cue("GameplayCue.Status.Burning", CueScene::looping("Flames", |entity| {
///     entity.insert(Flames);
/// }));
/// ```
#[derive(Clone)]
pub struct CueScene {
    class: CueClassDef,
    lasts: Duration,
    build: Arc<dyn Fn(&mut EntityWorldMut<'_>) + Send + Sync>,
}

impl CueScene {
    /// A scene that is shown for a limited time: one second by default; see [`Self::lasting`].
    pub fn burst(
        name: impl Into<String>,
        build: impl Fn(&mut EntityWorldMut<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::of(CueClassDef::burst(name), build).lasting(Duration::from_secs(1))
    }

    /// A scene that is shown as long as its cue is active.
    pub fn looping(
        name: impl Into<String>,
        build: impl Fn(&mut EntityWorldMut<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::of(CueClassDef::looping(name), build)
    }

    /// A scene of a cue class with a custom priority, limits and pool.
    pub fn of(class: CueClassDef, build: impl Fn(&mut EntityWorldMut<'_>) + Send + Sync + 'static) -> Self {
        Self { class, lasts: Duration::ZERO, build: Arc::new(build) }
    }

    /// Sets how long a burst is shown, or a looping cue after its end, for fading out.
    #[must_use]
    pub fn lasting(mut self, time: Duration) -> Self {
        self.lasts = time;
        self
    }

    /// Sets the maximum number of pooled entities; 8 by default.
    #[must_use]
    pub fn pooled(mut self, most: u32) -> Self {
        self.class = self.class.pooled(most);
        self
    }

    /// Sets the maximum number of simultaneous instances; 0 is no limit.
    #[must_use]
    pub fn at_most(mut self, most: u32) -> Self {
        self.class = self.class.max_active(most);
        self
    }

    /// Whether the cue is a burst or looping.
    pub fn kind(&self) -> CueKind {
        self.class.kind
    }
}

/// An entity that shows a cue, or is pooled for reuse. Pooled entities are
/// [disabled](bevy_ecs::entity_disabling::Disabled).
#[derive(Component, Clone, PartialEq, Eq, Debug)]
pub struct CueInstance {
    /// Name of the scene.
    pub scene: Arc<str>,
    /// Entity that the cue is shown on; `None` while pooled.
    pub target: Option<Entity>,
}

/// Sent to an entity that shows a cue, for its observers and as a message. Before it is sent, an entity with
/// a `Transform` is moved to the location of the cue, or to its target.
#[derive(EntityEvent, Message, Clone, Debug)]
pub struct CuePlayed {
    /// Entity that shows the cue.
    pub entity: Entity,
    /// Entity that the cue is shown on.
    pub target: Option<Entity>,
    /// Phase of the cue to show.
    pub phase: CuePhase,
    /// Magnitude, level, location and source of the cue.
    pub context: CueContext,
}

/// Phase of a cue (GASD §4.8.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CuePhase {
    /// A looping cue begins: the explosion. Not sent to clients that join later.
    Began,
    /// A looping cue is active: the fire that goes on. Sent once, also to clients that join later.
    Active,
    /// A looping cue ends. The entity stays as long as the scene lasts.
    Ended,
    /// A burst: the cue is executed once.
    Burst,
}

impl Plugin for UgasCuesPlugin {
    /// Plays cues by their scenes in the set `Cues` of each step.
    fn build(&self, app: &mut App) {
        let schedule = GameplaySchedule::of(app);
        app.init_resource::<CueStages>()
            .add_message::<CuePlayed>()
            .add_systems(schedule, run_cues.in_set(GameplaySystems::Cues));
    }
}

/// Passes events to the cue manager of each simulation, and shows its decisions.
fn run_cues(
    world: &mut World,
    instances: &mut QueryState<Entity, With<GameplayInstance>>,
    mut cursor: Local<'_, MessageCursor<SimulationEvent>>,
) {
    if world.resource::<CueStages>().is_empty() {
        return cursor.clear(world.resource::<Messages<SimulationEvent>>());
    }
    let now = world.resource::<Time>().elapsed();
    let instances: Vec<Entity> = instances.iter(world).collect();
    let played = world.resource_scope(|world, mut stages: Mut<'_, CueStages>| {
        stages.follow_instances(world, &instances);
        for (instance, stage) in stages.iter_mut() {
            if let Some(game) = game_in(world, instance) {
                stage.update(game, now);
            }
        }
        for emitted in cursor.read(world.resource::<Messages<SimulationEvent>>()) {
            if let (Some(stage), Some(game)) = (stages.of(emitted.instance), game_in(world, emitted.instance))
            {
                stage.handle_event(&emitted.event, game);
            }
        }
        let mut played = Vec::new();
        for (instance, stage) in stages.iter_mut() {
            played.append(&mut stage.execute_orders(world, instance, now));
        }
        played
    });
    for event in played {
        world.write_message(event.clone());
        world.trigger(event);
    }
    world.resource_scope(|world, mut stages: Mut<'_, CueStages>| {
        stages.iter_mut().for_each(|(_, stage)| stage.release_finished(world));
    });
    world.flush();
}
