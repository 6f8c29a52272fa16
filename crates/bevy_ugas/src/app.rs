//! Registration of calculations, tasks and handlers with an app.

use bevy_app::App;
use bevy_ecs::lifecycle::{Insert, Remove};
use bevy_ecs::prelude::{Commands, In, IntoSystem, On, World};
use bevy_platform::sync::Arc;
use ugas::{
    AttributeId, Calculation, CalculationContext, CalculationError, CaptureDef, CaptureFrom, CatalogBuilder,
    CustomTask, Name, Space, TagId,
};
use ugas_data::Loader;

use crate::cue::{CueScene, CueStages};
use crate::event::{AttributeChanged, GameplayEventReceived, HostTaskRequested};
use crate::handler::{CueChange, Handlers, TagChange};
use crate::rules::RulesExtensions;
use crate::typed::{self, AttributeSet, TypedSets};
use crate::world::GameplayWorld;

/// Registers native code of the rules and handler systems with an app.
///
/// Native code is added to every pack that is loaded, at the start and by a hot reload. It must be
/// deterministic. Handler systems are called in [`GameplaySystems::Apply`](crate::GameplaySystems::Apply).
pub trait UgasAppExt {
    /// Adds a calculation that effects refer to by this name (§9.5).
    fn add_calculation(
        &mut self,
        name: impl Into<String>,
        calculation: impl Calculation + 'static,
    ) -> &mut Self;

    /// Adds a task that abilities refer to by this name, and that is a deterministic part of the rules
    /// (§10.4). For tasks that the engine carries out, see [`Self::on_host_task`].
    fn add_custom_task(
        &mut self,
        name: impl Into<String>,
        task: impl CustomTask + Clone + 'static,
    ) -> &mut Self;

    /// Registers a typed attribute set, and keeps it as a component on the entities that have it.
    fn add_attribute_set<S: AttributeSet>(&mut self) -> &mut Self;

    /// Replaces plain distances with spatial queries of the engine: line of sight and areas.
    fn set_space(&mut self, space: impl Space + Clone + Send + Sync + 'static) -> &mut Self;

    /// Adds definitions and hooks to the rules: effects, abilities, templates, filters, anything that a
    /// builder accepts.
    fn extend_rules(
        &mut self,
        extend: impl Fn(CatalogBuilder) -> CatalogBuilder + Clone + Send + Sync + 'static,
    ) -> &mut Self;

    /// Changes how packs are loaded: more texts, custom tasks, options. Applies to packs that are loaded
    /// later, reloads included.
    fn extend_loader(&mut self, extend: impl Fn(Loader) -> Loader + Send + Sync + 'static) -> &mut Self;

    /// Calls a system when this attribute of any controller changes.
    fn on_attribute<M>(
        &mut self,
        attribute: impl Name<AttributeId>,
        system: impl IntoSystem<In<AttributeChanged>, (), M> + 'static,
    ) -> &mut Self;

    /// Calls a system when a controller gains this tag or a first descendant of it, and when it loses the
    /// last.
    fn on_tag<M>(
        &mut self,
        tag: impl Name<TagId>,
        system: impl IntoSystem<In<TagChange>, (), M> + 'static,
    ) -> &mut Self;

    /// Calls a system for a cue, and for all cues below it that have no systems of their own (§12.4).
    fn on_cue<M>(
        &mut self,
        cue: impl Name<TagId>,
        system: impl IntoSystem<In<CueChange>, (), M> + 'static,
    ) -> &mut Self;

    /// Shows a scene for a cue, and for all cues below it that have no scenes of their own (§12.4).
    fn add_cue(&mut self, cue: impl Name<TagId>, scene: CueScene) -> &mut Self;

    /// Calls a system when an ability requests a host task of this kind. Complete the task with
    /// [`GameplayWorld::complete_task`](crate::GameplayWorld::complete_task), in the system or later.
    fn on_host_task<M>(
        &mut self,
        kind: impl Into<String>,
        system: impl IntoSystem<In<HostTaskRequested>, (), M> + 'static,
    ) -> &mut Self;

    /// Calls a system when a gameplay event with this tag or a descendant of it is received.
    fn on_gameplay_event<M>(
        &mut self,
        tag: impl Name<TagId>,
        system: impl IntoSystem<In<GameplayEventReceived>, (), M> + 'static,
    ) -> &mut Self;
}

impl UgasAppExt for App {
    fn add_calculation(
        &mut self,
        name: impl Into<String>,
        calculation: impl Calculation + 'static,
    ) -> &mut Self {
        let (name, calculation) = (name.into(), Shared(Arc::new(calculation)));
        self.extend_rules(move |builder| builder.native(name.clone(), calculation.clone()))
    }

    fn add_custom_task(
        &mut self,
        name: impl Into<String>,
        task: impl CustomTask + Clone + 'static,
    ) -> &mut Self {
        let name = name.into();
        self.extend_loader(move |loader| loader.custom_task(name.clone(), task.clone()))
    }

    fn add_attribute_set<S: AttributeSet>(&mut self) -> &mut Self {
        self.init_resource::<TypedSets>();
        self.world_mut().resource_mut::<TypedSets>().add::<S>();
        self.add_observer(|inserted: On<'_, '_, Insert, S>, mut commands: Commands<'_, '_>| {
            let entity = inserted.entity;
            commands.queue(move |world: &mut World| typed::repair::<S>(world, entity));
        });
        self.add_observer(|removed: On<'_, '_, Remove, S>, mut commands: Commands<'_, '_>| {
            let entity = removed.entity;
            commands.queue(move |world: &mut World| typed::repair::<S>(world, entity));
        });
        self.extend_rules(|builder| builder.attribute_set(S::definition()))
    }

    fn set_space(&mut self, space: impl Space + Clone + Send + Sync + 'static) -> &mut Self {
        self.extend_rules(move |builder| builder.space(space.clone()))
    }

    fn extend_rules(
        &mut self,
        extend: impl Fn(CatalogBuilder) -> CatalogBuilder + Clone + Send + Sync + 'static,
    ) -> &mut Self {
        self.extend_loader(move |loader| loader.natives(extend.clone()))
    }

    fn extend_loader(&mut self, extend: impl Fn(Loader) -> Loader + Send + Sync + 'static) -> &mut Self {
        self.init_resource::<RulesExtensions>();
        self.world().resource::<RulesExtensions>().add(extend);
        if self.world().get_resource::<GameplayWorld>().is_some_and(GameplayWorld::is_in_play) {
            tracing::warn!(
                "the rules are installed already, and this extension applies to packs that are loaded later: \
                 use `UgasPlugins::from_code` or `from_asset`, and register it before the app runs"
            );
        }
        self
    }

    fn on_attribute<M>(
        &mut self,
        attribute: impl Name<AttributeId>,
        system: impl IntoSystem<In<AttributeChanged>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).attributes.push((attribute.name().to_owned(), system));
        self
    }

    fn on_tag<M>(
        &mut self,
        tag: impl Name<TagId>,
        system: impl IntoSystem<In<TagChange>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).tags.push((tag.name().to_owned(), system));
        self
    }

    fn on_cue<M>(
        &mut self,
        cue: impl Name<TagId>,
        system: impl IntoSystem<In<CueChange>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).cues.push((cue.name().to_owned(), system));
        self
    }

    fn add_cue(&mut self, cue: impl Name<TagId>, scene: CueScene) -> &mut Self {
        self.init_resource::<CueStages>();
        self.world_mut().resource_mut::<CueStages>().add(cue.name().to_owned(), scene);
        self
    }

    fn on_host_task<M>(
        &mut self,
        kind: impl Into<String>,
        system: impl IntoSystem<In<HostTaskRequested>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).tasks.push((kind.into(), system));
        self
    }

    fn on_gameplay_event<M>(
        &mut self,
        tag: impl Name<TagId>,
        system: impl IntoSystem<In<GameplayEventReceived>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).events.push((tag.name().to_owned(), system));
        self
    }
}

/// One calculation, shared by all catalogs that use it.
struct Shared<C>(Arc<C>);

// Not derived, because a derived `Clone` would require `C: Clone`.
impl<C> Clone for Shared<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: Calculation> Calculation for Shared<C> {
    fn captures(&self) -> Vec<CaptureDef> {
        self.0.captures()
    }

    fn tags(&self) -> Vec<(CaptureFrom, String)> {
        self.0.tags()
    }

    fn variables(&self) -> Vec<String> {
        self.0.variables()
    }

    fn calculate(&self, context: &mut CalculationContext<'_>) -> Result<f64, CalculationError> {
        self.0.calculate(context)
    }
}

/// Handler systems of the app, created if missing: handlers may be registered before the plugins.
fn handlers(app: &mut App) -> &mut Handlers {
    app.init_resource::<Handlers>();
    app.world_mut().resource_mut::<Handlers>().into_inner()
}
