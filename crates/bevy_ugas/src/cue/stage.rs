//! From the cue manager's decisions to entities.

use core::time::Duration;
use std::collections::BTreeMap;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Entity, Resource, World};
use bevy_math::Vec3;
use bevy_platform::sync::Arc;
use bevy_transform::components::{GlobalTransform, Transform};
use ugas::{CueClassId, CueConfig, CueContext, CueHandler, CueManager, Event, PlayId, Playback};

use super::{CueInstance, CueMoment, CuePlayed, CueScene};
use crate::world::GameplayWorld;

/// The scenes, and what is shown of them.
#[derive(Resource, Default)]
pub(crate) struct CueStage {
    scenes: Vec<(String, CueScene)>,
    manager: Option<CueManager<Recorder>>,
    /// Which rules the manager was made for; 0 is none.
    edition: u32,
    /// The scene of each class, by number of the class: scenes whose tags the rules do not have are in none.
    shown: Vec<usize>,
    entities: BTreeMap<Slot, Entity>,
    /// What goes on for a while after its end, and until when.
    fading: Vec<(Duration, PlayId)>,
    /// Instances that are not needed any more, once they have been told of their end.
    done: Vec<(Slot, Fate)>,
}

/// What becomes of an instance that is not needed any more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Pooled,
    Gone,
}

/// An instance as the manager knows it. The entity for it is made later: the manager has no access to the world.
type Slot = u64;

/// Writes down what the manager wants.
#[derive(Default)]
struct Recorder {
    next: Slot,
    orders: Vec<Order>,
    /// Whether instances of each class go on for a while, by number of the class.
    lingers: Vec<bool>,
    /// The class of each instance.
    classes: BTreeMap<Slot, CueClassId>,
}

enum Order {
    Create(Slot, CueClassId),
    Play { slot: Slot, play: PlayId, moment: CueMoment, context: Box<CueContext> },
    Recycle(Slot),
    Destroy(Slot),
}

impl CueStage {
    pub(crate) fn add(&mut self, tag: String, scene: CueScene) {
        self.scenes.push((tag, scene));
        // The manager is made anew, with this scene.
        self.edition = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.scenes.is_empty()
    }

    /// Sees to it that there is a manager for the rules that there are, and ends what has faded.
    pub(crate) fn attend(&mut self, game: &GameplayWorld, now: Duration) {
        let Some(simulation) = game.simulation() else { return };
        if self.edition != game.edition() {
            self.edition = game.edition();
            self.fading.clear();
            let mut recorder = Recorder::default();
            // What was shown by other rules goes, and what still lasts is shown again.
            recorder.orders.extend(self.entities.keys().map(|slot| Order::Destroy(*slot)));
            recorder.next = self.entities.keys().next_back().map_or(0, |last| last + 1);
            let catalog = simulation.catalog();
            let mut manager = CueManager::new(catalog.clone(), CueConfig::default(), recorder);
            self.shown.clear();
            for (at, (tag, scene)) in self.scenes.iter().enumerate() {
                match catalog.tag(tag) {
                    Ok(tag) => {
                        manager.register(tag, scene.class.clone());
                        manager.handler_mut().lingers.push(!scene.lasts.is_zero());
                        self.shown.push(at);
                    }
                    Err(error) => tracing::warn!("the scene {} is never shown: {error}", scene.class.name),
                }
            }
            manager.catch_up(simulation);
            self.manager = Some(manager);
        }
        let Some(manager) = &mut self.manager else { return };
        manager.advance_to(simulation.now());
        self.fading.retain(|(until, play)| {
            let goes_on = *until > now;
            if !goes_on {
                manager.finished(*play);
            }
            goes_on
        });
    }

    pub(crate) fn hear(&mut self, event: &Event, game: &GameplayWorld) {
        if let (Some(manager), Some(simulation)) = (&mut self.manager, game.simulation()) {
            manager.handle_in(event, simulation);
        }
    }

    /// Carries out what the manager wants; what the entities are to be told.
    pub(crate) fn perform(&mut self, world: &mut World, now: Duration) -> Vec<CuePlayed> {
        let Some(manager) = &mut self.manager else { return Vec::new() };
        let orders = core::mem::take(&mut manager.handler_mut().orders);
        let mut played = Vec::new();
        for order in orders {
            match order {
                Order::Create(slot, class) => {
                    // Those that are made in advance wait in the pool.
                    let entity = self.spawn(world, class);
                    world.entity_mut(entity).insert(Disabled);
                    self.entities.insert(slot, entity);
                }
                Order::Play { slot, play, moment, context } => {
                    // One that was given back is taken again.
                    self.done.retain(|(done, _)| *done != slot);
                    played.extend(self.play(world, slot, moment, *context));
                    let ends = matches!(moment, CueMoment::Ended | CueMoment::Burst);
                    if let Some(lasts) = self.lasts(slot).filter(|lasts| ends && !lasts.is_zero()) {
                        self.fading.push((now.saturating_add(lasts), play));
                    }
                }
                Order::Recycle(slot) => self.done.push((slot, Fate::Pooled)),
                Order::Destroy(slot) => self.done.push((slot, Fate::Gone)),
            }
        }
        played
    }

    /// Puts into the pool what is not needed any more, or despawns it.
    pub(crate) fn clear_away(&mut self, world: &mut World) {
        for (slot, fate) in core::mem::take(&mut self.done) {
            match fate {
                Fate::Pooled => {
                    let entity = self.entities.get(&slot).copied();
                    let Some(mut entity) = entity.and_then(|entity| world.get_entity_mut(entity).ok()) else {
                        continue;
                    };
                    if let Some(mut instance) = entity.get_mut::<CueInstance>() {
                        instance.target = None;
                    }
                    entity.insert(Disabled);
                }
                Fate::Gone => {
                    if let Some(manager) = &mut self.manager {
                        manager.handler_mut().classes.remove(&slot);
                    }
                    if let Some(entity) = self.entities.remove(&slot) {
                        // Somebody else may have despawned it.
                        let _ = world.try_despawn(entity);
                    }
                }
            }
        }
    }

    fn play(
        &mut self,
        world: &mut World,
        slot: Slot,
        moment: CueMoment,
        context: CueContext,
    ) -> Option<CuePlayed> {
        let known = self.entities.get(&slot).copied().filter(|entity| world.get_entity(*entity).is_ok());
        let entity = match known {
            Some(entity) => entity,
            // Somebody despawned it, with its parent perhaps: the cue is shown all the same.
            None => {
                let class = *self.manager.as_ref()?.handler().classes.get(&slot)?;
                let entity = self.spawn(world, class);
                self.entities.insert(slot, entity);
                entity
            }
        };
        let target = world.resource::<GameplayWorld>().entity(context.target);
        let place = place_of(world, &context, target);
        let mut shown = world.entity_mut(entity);
        shown.remove::<Disabled>();
        if let Some(mut instance) = shown.get_mut::<CueInstance>() {
            instance.target = target;
        }
        if let (Some(mut transform), Some(place)) = (shown.get_mut::<Transform>(), place) {
            transform.translation = place;
        }
        Some(CuePlayed { entity, target, moment, context })
    }

    fn spawn(&self, world: &mut World, class: CueClassId) -> Entity {
        let scene = self.scene(class);
        let name = scene.map_or("", |scene| scene.class.name.as_str());
        let mut entity = world.spawn(CueInstance { scene: Arc::from(name), target: None });
        if let Some(scene) = scene {
            (scene.build)(&mut entity);
        }
        entity.id()
    }

    fn lasts(&self, slot: Slot) -> Option<Duration> {
        let class = *self.manager.as_ref()?.handler().classes.get(&slot)?;
        self.scene(class).map(|scene| scene.lasts)
    }

    fn scene(&self, class: CueClassId) -> Option<&CueScene> {
        let at = *self.shown.get(class.index() as usize)?;
        self.scenes.get(at).map(|(_, scene)| scene)
    }
}

fn place_of(world: &World, context: &CueContext, target: Option<Entity>) -> Option<Vec3> {
    if let Some([x, y, z]) = context.location() {
        return Some(Vec3::new(x as f32, y as f32, z as f32));
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

impl Recorder {
    fn play(&mut self, play: PlayId, slot: Slot, moment: CueMoment, context: &CueContext) {
        self.orders.push(Order::Play { slot, play, moment, context: Box::new(context.clone()) });
    }

    fn playback(&self, slot: Slot) -> Playback {
        let class = self.classes.get(&slot).map(|class| class.index() as usize);
        match class.and_then(|class| self.lingers.get(class)) {
            Some(true) => Playback::Continues,
            Some(false) | None => Playback::Done,
        }
    }
}

impl CueHandler for Recorder {
    type Instance = Slot;

    fn create(&mut self, class: CueClassId) -> Option<Slot> {
        let slot = self.next;
        self.next += 1;
        self.classes.insert(slot, class);
        self.orders.push(Order::Create(slot, class));
        Some(slot)
    }

    fn on_active(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) {
        self.play(play, *slot, CueMoment::Began, context);
    }

    fn while_active(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) {
        self.play(play, *slot, CueMoment::IsThere, context);
    }

    fn on_remove(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) -> Playback {
        self.play(play, *slot, CueMoment::Ended, context);
        self.playback(*slot)
    }

    fn on_execute(&mut self, play: PlayId, slot: &mut Slot, context: &CueContext) -> Playback {
        self.play(play, *slot, CueMoment::Burst, context);
        self.playback(*slot)
    }

    fn recycle(&mut self, _: CueClassId, slot: &mut Slot) {
        self.orders.push(Order::Recycle(*slot));
    }

    fn destroy(&mut self, _: CueClassId, slot: Slot) {
        self.orders.push(Order::Destroy(slot));
    }
}
