//! A small game in an app whose time is stepped by hand.

use std::sync::{Arc, Mutex};

use bevy_app::{App, FixedUpdate, TaskPoolPlugin};
use bevy_ecs::component::Component;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::prelude::*;
use bevy_ugas::{GameplayWorld, ugas};
use ugas::prelude::*;

/// Steps in a second: Bevy's default.
pub(crate) const STEPS: u32 = 64;

/// Files of a pack: a hundred health,
pub(crate) const SET: &str = "
$schema: x/schemas/attribute_set.json
Name: Combat
Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
";
/// a hit that takes ten of it,
pub(crate) const HIT: &str = "
$schema: x/schemas/gameplay_effect.json
Name: GE_Hit
DurationPolicy: Instant
Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -10 } } ]
";
/// and a wolf that has it.
pub(crate) const WOLF: &str = "
$schema: x/schemas/gameplay_controller.json
Name: Wolf
OwnerActor: { ActorID: Wolf, ActorType: NPC }
AttributeSets: [ { Name: Combat } ]
";

/// Health 100 of 100, mana 50; poison, haste, a hit; a bolt that costs 20 mana and cools down for 2 s.
pub(crate) fn catalog() -> Arc<Catalog> {
    builder().build().expect("the fixture's rules hold together")
}

pub(crate) fn builder() -> CatalogBuilder {
    Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("MaxHealth", 100.0).min(1.0))
                .with(AttributeDef::new("Health", 100.0).min(0.0).max("MaxHealth"))
                .with(AttributeDef::new("Mana", 50.0).min(0.0)),
        )
        .effect(
            EffectDef::instant("GE_Hit")
                .modify("Health", Operation::Add, -10.0)
                .cue("GameplayCue.Impact.Fire"),
        )
        .effect(
            EffectDef::lasting("GE_Poison", 3.0)
                .every(1.0)
                .modify("Health", Operation::Add, -5.0)
                .granting("State.Debuff.Poisoned")
                .cue("GameplayCue.Status.Poison"),
        )
        .effect(EffectDef::infinite("GE_Armour").stacking(StackingDef::by_target(3)))
        .effect(EffectDef::instant("GE_BoltCost").modify("Mana", Operation::Add, -20.0))
        .effect(EffectDef::lasting("GE_BoltCooldown", 2.0).granting("Cooldown.Bolt"))
        .ability(
            AbilityDef::new("GA_Bolt")
                .cost("GE_BoltCost")
                .cooldown("GE_BoltCooldown")
                .task(TaskDef::commit())
                .task(TaskDef::host("Projectile"))
                .task(TaskDef::apply_to_target("GE_Hit")),
        )
        .template(
            ControllerDef::new("Mage")
                .with_set("Combat")
                .with_tag("Kind.Human")
                .with_ability(AbilityGrantDef::new("GA_Bolt")),
        )
        .template(
            ControllerDef::new("Wolf")
                .with_set("Combat")
                .with_base("MaxHealth", 60.0)
                .with_base("Health", 60.0),
        )
}

/// An app with the game, one fixed step per update.
pub(crate) fn app() -> App {
    app_with(UgasPlugins::from_catalog(catalog()))
}

pub(crate) fn app_with(plugins: UgasPlugins) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(plugins);
    // The first update measures time and runs no step.
    app.update();
    app
}

/// Runs the app for some seconds.
pub(crate) fn run(app: &mut App, seconds: f64) {
    for _ in 0..(seconds * f64::from(STEPS)).round() as u32 {
        app.update();
    }
}

pub(crate) fn spawn(app: &mut App, template: &str) -> Entity {
    app.world_mut().spawn(GameplayController::new(template)).id()
}

pub(crate) fn game(app: &mut App) -> Mut<'_, GameplayWorld> {
    app.world_mut().resource_mut::<GameplayWorld>()
}

pub(crate) fn get<C: Component>(app: &App, entity: Entity) -> &C {
    app.world().get::<C>(entity).expect("the entity has the component")
}

/// Counts changed components, once per step.
#[derive(Resource)]
pub(crate) struct Changes<C>(pub(crate) u32, core::marker::PhantomData<C>);

pub(crate) fn count_changes<C: Component>(app: &mut App) {
    fn count<C: Component>(changed: Query<'_, '_, (), Changed<C>>, mut count: ResMut<'_, Changes<C>>) {
        count.0 += changed.iter().count() as u32;
    }
    app.insert_resource(Changes::<C>(0, core::marker::PhantomData));
    app.add_systems(FixedUpdate, count::<C>.after(GameplaySystems::Cues));
}

pub(crate) fn changes<C: Component>(app: &mut App) -> u32 {
    core::mem::take(&mut app.world_mut().resource_mut::<Changes<C>>().0)
}

/// Shared log of all tests, which run in parallel: search for texts that only one test produces.
static LOG: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Installs the log that [`logged`] reads.
pub(crate) fn watch_log() {
    // Already installed by another test.
    let _ = tracing::subscriber::set_global_default(Recorder);
}

/// Logged lines of a level.
pub(crate) fn logged(level: &str) -> Vec<String> {
    let log = LOG.lock().unwrap();
    log.iter().filter(|(known, _)| known == level).map(|(_, line)| line.clone()).collect()
}

struct Recorder;

impl tracing::Subscriber for Recorder {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::INFO
    }

    fn event(&self, event: &tracing::Event<'_>) {
        struct Line(String);
        impl tracing::field::Visit for Line {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn core::fmt::Debug) {
                if field.name() == "message" {
                    self.0 = format!("{value:?}");
                }
            }
        }
        let mut line = Line(String::new());
        event.record(&mut line);
        LOG.lock().unwrap().push((event.metadata().level().to_string(), line.0));
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Notes of observers, in order.
#[derive(Resource, Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn note(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        core::mem::take(&mut self.0.lock().unwrap())
    }
}
