//! Execution of the cue manager's decisions as entities.

use core::time::Duration;
use std::collections::BTreeMap;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Entity, Resource, World};
use bevy_math::Vec3;
use bevy_platform::sync::Arc;
use bevy_transform::components::{GlobalTransform, Transform};
use ugas::{CueClassId, CueConfig, CueContext, CueHandler, CueManager, Event, PlayId, Playback};

use super::{CueInstance, CuePhase, CuePlayed, CueScene};
use crate::instance::game_in;
use crate::world::GameplayWorld;

/// Registered scenes, and their instances in each simulation.
#[derive(Resource, Default)]
pub(crate) struct CueStages {
    main: CueStage,
    instances: BTreeMap<Entity, CueStage>,
}

impl CueStages {
    /// Registers the scene of a cue tag, for all simulations.
    pub(crate) fn add(&mut self, tag: String, scene: CueScene) {
        for (_, stage) in self.iter_mut() {
            stage.add(tag.clone(), scene.clone());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.main.scenes.is_empty()
    }

    /// Creates stages for new simulations. Ends those of simulations that no longer exist, and despawns what
    /// they show.
    pub(crate) fn follow_instances(&mut self, world: &mut World, instances: &[Entity]) {
        for instance in instances {
            self.instances
                .entry(*instance)
                .or_insert_with(|| CueStage { scenes: self.main.scenes.clone(), ..CueStage::default() });
        }
        self.instances.retain(|instance, stage| {
            let exists = instances.contains(instance);
            if !exists {
                for shown in stage.entities.values() {
                    // The host may have despawned it already.
                    let _ = world.try_despawn(*shown);
                }
            }
            exists
        });
    }

    /// The stages with the instances that they show; `None` is the simulation of the app.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Option<Entity>, &mut CueStage)> {
        let instances = self.instances.iter_mut().map(|(instance, stage)| (Some(*instance), stage));
        core::iter::once((None, &mut self.main)).chain(instances)
    }

    /// The stage of an instance, or of the app.
    pub(crate) fn of(&mut self, instance: Option<Entity>) -> Option<&mut CueStage> {
        match instance {
            None => Some(&mut self.main),
            Some(instance) => self.instances.get_mut(&instance),
        }
    }
}

/// Registered scenes, and their instances in one simulation.
#[derive(Default)]
pub(crate) struct CueStage {
    scenes: Vec<(String, CueScene)>,
    manager: Option<CueManager<OrderRecorder>>,
    /// Serial number of the rules that the manager was created for; 0 is none.
    rules_serial: u64,
    /// Number of restored snapshots that the manager has followed.
    restores: u64,
    /// Index of the scene of each cue class. Scenes whose tags the rules do not have, have no class.
    scene_of_class: Vec<usize>,
    entities: BTreeMap<Slot, Entity>,
    /// Playbacks that are fading out, with their end.
    fading: Vec<(Duration, PlayId)>,
    /// Finished instances, to be released after their `Ended` event was sent.
    finished: Vec<(Slot, Release)>,
}

/// How a finished instance is released.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Release {
    Pool,
    Despawn,
}

/// Id of an instance in the manager. Its entity is created later: the manager has no access to the world.
type Slot = u64;

/// Records the decisions of the manager as orders.
#[derive(Default)]
struct OrderRecorder {
    next: Slot,
    orders: Vec<Order>,
    /// Whether instances of each cue class fade out, by index of the class.
    lingers: Vec<bool>,
    /// Cue class of each instance.
    classes: BTreeMap<Slot, CueClassId>,
}

enum Order {
    Create(Slot, CueClassId),
    Play { slot: Slot, play: PlayId, phase: CuePhase, context: Box<CueContext> },
    Recycle(Slot),
    Destroy(Slot),
}

impl CueStage {
    /// Registers the scene of a cue tag. The manager is created again at the next update, so active cues
    /// restart.
    fn add(&mut self, tag: String, scene: CueScene) {
        self.scenes.push((tag, scene));
        // Forces the manager to be created again, with this scene.
        self.rules_serial = 0;
    }

    /// Creates the manager again if the rules changed, shows the cues of a restored state, and ends playbacks
    /// that have faded out.
    pub(crate) fn update(&mut self, game: &GameplayWorld, now: Duration) {
        let Some(simulation) = game.simulation() else { return };
        if self.rules_serial != game.rules_serial {
            (self.rules_serial, self.restores) = (game.rules_serial, game.restores);
            self.fading.clear();
            let mut recorder = OrderRecorder::default();
            // Destroy all instances of the previous rules; `catch_up` shows active cues again.
            recorder.orders.extend(self.entities.keys().map(|slot| Order::Destroy(*slot)));
            recorder.next = self.entities.keys().next_back().map_or(0, |last| last + 1);
            let catalog = simulation.catalog();
            let mut manager = CueManager::new(catalog.clone(), CueConfig::default(), recorder);
            self.scene_of_class.clear();
            for (at, (tag, scene)) in self.scenes.iter().enumerate() {
                match catalog.tag(tag) {
                    Ok(tag) => {
                        manager.register(tag, scene.class.clone());
                        manager.handler_mut().lingers.push(!scene.lasts.is_zero());
                        self.scene_of_class.push(at);
                    }
                    Err(error) => tracing::warn!("the scene {} is never shown: {error}", scene.class.name),
                }
            }
            manager.catch_up(simulation);
            self.manager = Some(manager);
        }
        let Some(manager) = &mut self.manager else { return };
        if core::mem::replace(&mut self.restores, game.restores) != game.restores {
            manager.catch_up(simulation);
        }
        manager.advance_to(simulation.now());
        self.fading.retain(|(until, play)| {
            let goes_on = *until > now;
            if !goes_on {
                manager.finished(*play);
            }
            goes_on
        });
    }

    /// Passes an event to the manager, which records orders for cues; [`Self::update`] comes before.
    pub(crate) fn handle_event(&mut self, event: &Event, game: &GameplayWorld) {
        if let (Some(manager), Some(simulation)) = (&mut self.manager, game.simulation()) {
            manager.handle_in(event, simulation);
        }
    }

    /// Executes the orders of the manager; returns the events for the entities.
    pub(crate) fn execute_orders(
        &mut self,
        world: &mut World,
        instance: Option<Entity>,
        now: Duration,
    ) -> Vec<CuePlayed> {
        let Some(manager) = &mut self.manager else { return Vec::new() };
        let orders = core::mem::take(&mut manager.handler_mut().orders);
        let mut played = Vec::new();
        for order in orders {
            match order {
                Order::Create(slot, class) => {
                    // Instances that are created in advance start in the pool.
                    let entity = self.spawn(world, class);
                    world.entity_mut(entity).insert(Disabled);
                    self.entities.insert(slot, entity);
                }
                Order::Play { slot, play, phase, context } => {
                    // A released instance is used again.
                    self.finished.retain(|(finished, _)| *finished != slot);
                    played.extend(self.play(world, instance, slot, phase, *context));
                    let ends = matches!(phase, CuePhase::Ended | CuePhase::Burst);
                    if let Some(lasts) = self.lasts(slot).filter(|lasts| ends && !lasts.is_zero()) {
                        self.fading.push((now.saturating_add(lasts), play));
                    }
                }
                Order::Recycle(slot) => self.finished.push((slot, Release::Pool)),
                Order::Destroy(slot) => self.finished.push((slot, Release::Despawn)),
            }
        }
        played
    }

    /// Disables finished instances that go back to a pool, and despawns the others. Called after the messages
    /// of their last phase, so that observers still see them.
    pub(crate) fn release_finished(&mut self, world: &mut World) {
        for (slot, release) in core::mem::take(&mut self.finished) {
            match release {
                Release::Pool => {
                    let entity = self.entities.get(&slot).copied();
                    let Some(mut entity) = entity.and_then(|entity| world.get_entity_mut(entity).ok()) else {
                        continue;
                    };
                    if let Some(mut instance) = entity.get_mut::<CueInstance>() {
                        instance.target = None;
                    }
                    entity.insert(Disabled);
                }
                Release::Despawn => {
                    if let Some(manager) = &mut self.manager {
                        manager.handler_mut().classes.remove(&slot);
                    }
                    if let Some(entity) = self.entities.remove(&slot) {
                        // The host may have despawned it already.
                        let _ = world.try_despawn(entity);
                    }
                }
            }
        }
    }

    /// Prepares an instance for a phase: enables it and moves it to the place of the cue. Spawns it again if
    /// the host despawned it; `None` if the instance is unknown.
    fn play(
        &mut self,
        world: &mut World,
        instance: Option<Entity>,
        slot: Slot,
        phase: CuePhase,
        context: CueContext,
    ) -> Option<CuePlayed> {
        let known = self.entities.get(&slot).copied().filter(|entity| world.get_entity(*entity).is_ok());
        let entity = match known {
            Some(entity) => entity,
            // The host despawned it, perhaps with its parent: spawn another one.
            None => {
                let class = *self.manager.as_ref()?.handler().classes.get(&slot)?;
                let entity = self.spawn(world, class);
                self.entities.insert(slot, entity);
                entity
            }
        };
        let game = game_in(world, instance);
        let target = game.and_then(|game| game.entity(context.target));
        // The entity may be despawned, and the instance be where another cue was shown.
        let last = || game.and_then(|game| game.last_placement(context.target));
        let location = location_of(world, &context, target)
            .or_else(|| last().map(|placement| to_vec3(placement.position())));
        let mut instance_entity = world.entity_mut(entity);
        instance_entity.remove::<Disabled>();
        if let Some(mut instance) = instance_entity.get_mut::<CueInstance>() {
            instance.target = target;
        }
        if let (Some(mut transform), Some(location)) = (instance_entity.get_mut::<Transform>(), location) {
            transform.translation = location;
        }
        Some(CuePlayed { entity, target, phase, context })
    }

    /// Spawns an instance and lets its scene add components.
    fn spawn(&self, world: &mut World, class: CueClassId) -> Entity {
        let scene = self.scene(class);
        let name = scene.map_or("", |scene| scene.class.name.as_str());
        let mut entity = world.spawn(CueInstance { scene: Arc::from(name), target: None });
        if let Some(scene) = scene {
            (scene.build)(&mut entity);
        }
        entity.id()
    }

    /// How long an instance fades out after its end; `None` if it is unknown.
    fn lasts(&self, slot: Slot) -> Option<Duration> {
        let class = *self.manager.as_ref()?.handler().classes.get(&slot)?;
        self.scene(class).map(|scene| scene.lasts)
    }

    /// Scene of a cue class. Classes are numbered by registration; scenes of unknown tags have none.
    fn scene(&self, class: CueClassId) -> Option<&CueScene> {
        let at = *self.scene_of_class.get(class.index() as usize)?;
        self.scenes.get(at).map(|(_, scene)| scene)
    }
}

/// Place to show a cue at: that of its context, else that of the target's avatar, else of the target itself.
/// Children have their place in the world, roots their own transform, which is newer.
fn location_of(world: &World, context: &CueContext, target: Option<Entity>) -> Option<Vec3> {
    if let Some(location) = context.location() {
        return Some(to_vec3(location));
    }
    let target = target?;
    let body = world.get::<crate::Avatar>(target).map_or(target, |avatar| avatar.0);
    let global = world
        .get::<GlobalTransform>(body)
        .filter(|_| world.get::<bevy_ecs::prelude::ChildOf>(body).is_some());
    match global {
        Some(global) => Some(global.translation()),
        None => world.get::<Transform>(body).map(|transform| transform.translation),
    }
}

/// A location of the simulation in Bevy's precision.
fn to_vec3([x, y, z]: [f64; 3]) -> Vec3 {
    Vec3::new(x as f32, y as f32, z as f32)
}

impl OrderRecorder {
    /// Records that an instance plays a phase.
    fn play(&mut self, play: PlayId, slot: Slot, phase: CuePhase, context: &CueContext) {
        self.orders.push(Order::Play { slot, play, phase, context: Box::new(context.clone()) });
    }

    /// Whether an instance goes on after its end, to fade out; the stage reports when it is done.
    fn playback(&self, slot: Slot) -> Playback {
        let class = self.classes.get(&slot).map(|class| class.index() as usize);
        match class.and_then(|class| self.lingers.get(class)) {
            Some(true) => Playback::Continues,
            Some(false) | None => Playback::Done,
        }
    }
}

impl CueHandler for OrderRecorder {
    type Instance = Slot;

    /// Numbers a new instance; its entity is spawned when the orders are carried out.
    fn create(&mut self, class: CueClassId) -> Option<Slot> {
        let slot = self.next;
        self.next += 1;
        self.classes.insert(slot, class);
        self.orders.push(Order::Create(slot, class));
        Some(slot)
    }

    fn on_active(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) {
        self.play(play, *slot, CuePhase::Began, context);
    }

    fn while_active(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) {
        self.play(play, *slot, CuePhase::Active, context);
    }

    fn on_remove(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) -> Playback {
        self.play(play, *slot, CuePhase::Ended, context);
        self.playback(*slot)
    }

    fn on_execute(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) -> Playback {
        self.play(play, *slot, CuePhase::Burst, context);
        self.playback(*slot)
    }

    /// Records that a finished instance returns to its pool; the stage then disables its entity.
    fn recycle(&mut self, _: CueClassId, slot: &mut Slot) {
        self.orders.push(Order::Recycle(*slot));
    }

    fn destroy(&mut self, _: CueClassId, slot: Slot) {
        self.orders.push(Order::Destroy(slot));
    }
}
