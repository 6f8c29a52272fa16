//! Cues as entities (§12): a scene is registered for a tag, and is spawned, shown, and kept for the next time.
//!
//! This is the engine's side of `ugas::CueManager`, which decides what is shown: the nearest class above a tag, priorities and
//! budgets, one instance for each looping cue and target. A game that wants to do all of that itself registers systems
//! ([`UgasAppExt::on_cue`](crate::UgasAppExt::on_cue)) or observes [`CueStarted`](crate::event::CueStarted) and the like.

mod stage;

use core::time::Duration;

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::message::MessageCursor;
use bevy_ecs::prelude::{Component, Entity, EntityEvent, Local, Message, Messages, Mut, World};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::world::EntityWorldMut;
use bevy_platform::sync::Arc;
use bevy_time::Time;
use ugas::{CueClassDef, CueContext, CueKind};

pub(crate) use stage::CueStage;

use crate::event::Occurrence;
use crate::plugin::GameplaySystems;
use crate::world::GameplayWorld;

/// Shows the scenes that were registered with [`UgasAppExt::add_cue`](crate::UgasAppExt::add_cue). Without any it does nothing:
/// leave it in on servers.
#[derive(Clone, Copy, Default)]
pub struct UgasCuesPlugin;

/// What is shown for a cue: how an entity for it is made, and how many there are.
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
    /// A scene that is shown for a moment: a second, unless [`Self::lasting`] says otherwise.
    pub fn burst(
        name: impl Into<String>,
        build: impl Fn(&mut EntityWorldMut<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::of(CueClassDef::burst(name), build).lasting(Duration::from_secs(1))
    }

    /// A scene that is shown for as long as its cue lasts.
    pub fn looping(
        name: impl Into<String>,
        build: impl Fn(&mut EntityWorldMut<'_>) + Send + Sync + 'static,
    ) -> Self {
        Self::of(CueClassDef::looping(name), build)
    }

    /// A scene of a class with its own priority, limits and pool.
    pub fn of(class: CueClassDef, build: impl Fn(&mut EntityWorldMut<'_>) + Send + Sync + 'static) -> Self {
        Self { class, lasts: Duration::ZERO, build: Arc::new(build) }
    }

    /// How long a burst is shown, or a looping cue after its end: it fades, rings out.
    #[must_use]
    pub fn lasting(mut self, time: Duration) -> Self {
        self.lasts = time;
        self
    }

    /// How many entities that are not needed are kept for the next time; eight, unless this says otherwise.
    #[must_use]
    pub fn pooled(mut self, most: u32) -> Self {
        self.class = self.class.pooled(most);
        self
    }

    /// The most that are shown at the same time; 0 is no limit.
    #[must_use]
    pub fn at_most(mut self, most: u32) -> Self {
        self.class = self.class.max_active(most);
        self
    }

    /// Whether it is shown once, or for as long as its cue lasts.
    pub fn kind(&self) -> CueKind {
        self.class.kind
    }
}

/// An entity that shows a cue, or waits in the pool to show another one. Those that wait are
/// [disabled](bevy_ecs::entity_disabling::Disabled).
#[derive(Component, Clone, PartialEq, Eq, Debug)]
pub struct CueInstance {
    /// The name of its scene.
    pub scene: Arc<str>,
    /// On whom it is shown, while it is.
    pub target: Option<Entity>,
}

/// What an entity that shows a cue is told, for its observers and as a message. Before it comes, an entity with a
/// `Transform` is put where the cue is: its location, or its target.
#[derive(EntityEvent, Message, Clone, Debug)]
pub struct CuePlayed {
    /// The entity that shows it.
    pub entity: Entity,
    /// On whom.
    pub target: Option<Entity>,
    /// What to show.
    pub moment: CueMoment,
    /// With what: magnitude, level, location, source.
    pub context: CueContext,
}

/// What is to be shown of a cue (GASD §4.8.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CueMoment {
    /// It begins: the explosion. Not told to those who come later.
    Began,
    /// It is there: the fire that goes on. Told once, also to those who come later.
    IsThere,
    /// It ends. The entity stays for as long as the scene lasts.
    Ended,
    /// It happens once.
    Burst,
}

impl Plugin for UgasCuesPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CueStage>()
            .add_message::<CuePlayed>()
            .add_systems(FixedUpdate, show.in_set(GameplaySystems::Cues));
    }
}

/// Passes on what happened, and carries out what is to be shown.
fn show(world: &mut World, mut cursor: Local<'_, MessageCursor<Occurrence>>) {
    if world.resource::<CueStage>().is_empty() {
        return cursor.clear(world.resource::<Messages<Occurrence>>());
    }
    let now = world.resource::<Time>().elapsed();
    let played = world.resource_scope(|world, mut stage: Mut<'_, CueStage>| {
        stage.attend(world.resource::<GameplayWorld>(), now);
        for occurrence in cursor.read(world.resource::<Messages<Occurrence>>()) {
            stage.hear(&occurrence.event, world.resource::<GameplayWorld>());
        }
        stage.perform(world, now)
    });
    for event in played {
        world.write_message(event.clone());
        world.trigger(event);
    }
    world.resource_scope(|world, mut stage: Mut<'_, CueStage>| stage.clear_away(world));
    world.flush();
}
