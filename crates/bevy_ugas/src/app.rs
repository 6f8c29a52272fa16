//! What is registered with an app.

use bevy_app::App;
use bevy_ecs::prelude::{In, IntoSystem};
use bevy_platform::sync::Arc;
use ugas::{
    Calculation, CalculationContext, CalculationError, CaptureDef, CaptureFrom, CatalogBuilder, CustomTask,
    Space,
};
use ugas_data::Loader;

use crate::cue::{CueScene, CueStage};
use crate::event::{AttributeChanged, GameplayEventReceived, HostTaskRequested};
use crate::handler::{CueChange, Handlers, TagChange};
use crate::rules::RulesExtensions;
use crate::typed::{AttributeSet, TypedSets};

/// What a game registers with its app: code that takes part in the rules, and systems that are called by name.
///
/// Code that takes part in the rules is added to every pack that is loaded, at the start and while the game runs. It must be
/// deterministic. Systems are called in [`GameplaySystems::Apply`](crate::GameplaySystems::Apply).
pub trait UgasAppExt {
    /// Adds a calculation that effects use by this name (§9.5).
    fn add_calculation(
        &mut self,
        name: impl Into<String>,
        calculation: impl Calculation + 'static,
    ) -> &mut Self;

    /// Adds a task that abilities use by this name, and that is a deterministic part of the rules (§10.4). What the engine does
    /// is a host task: [`Self::on_host_task`].
    fn add_custom_task(
        &mut self,
        name: impl Into<String>,
        task: impl CustomTask + Clone + 'static,
    ) -> &mut Self;

    /// Declares a typed attribute set, and keeps it as a component on the entities that have it.
    fn add_attribute_set<S: AttributeSet>(&mut self) -> &mut Self;

    /// Lets the engine answer what is seen and what is where, in the place of plain distances.
    fn set_space(&mut self, space: impl Space + Clone + Send + Sync + 'static) -> &mut Self;

    /// Adds definitions and hooks to the rules: effects, abilities, templates, filters, whatever a builder takes.
    fn extend_rules(
        &mut self,
        extend: impl Fn(CatalogBuilder) -> CatalogBuilder + Clone + Send + Sync + 'static,
    ) -> &mut Self;

    /// Changes how packs are loaded.
    fn extend_loader(&mut self, extend: impl Fn(Loader) -> Loader + Send + Sync + 'static) -> &mut Self;

    /// Calls a system when this attribute changes, of anybody.
    fn on_attribute<M>(
        &mut self,
        attribute: impl Into<String>,
        system: impl IntoSystem<In<AttributeChanged>, (), M> + 'static,
    ) -> &mut Self;

    /// Calls a system when this tag, or the first below it, comes, and when the last goes.
    fn on_tag<M>(
        &mut self,
        tag: impl Into<String>,
        system: impl IntoSystem<In<TagChange>, (), M> + 'static,
    ) -> &mut Self;

    /// Calls a system for a cue, and for all cues below it that have no systems of their own (§12.4).
    fn on_cue<M>(
        &mut self,
        cue: impl Into<String>,
        system: impl IntoSystem<In<CueChange>, (), M> + 'static,
    ) -> &mut Self;

    /// Shows a scene for a cue, and for all cues below it that have no scenes of their own (§12.4).
    fn add_cue(&mut self, cue: impl Into<String>, scene: CueScene) -> &mut Self;

    /// Calls a system when an ability asks the host to carry out a task of this kind. The system, or whoever it leaves that
    /// to, answers with [`GameplayWorld::complete_task`](crate::GameplayWorld::complete_task).
    fn on_host_task<M>(
        &mut self,
        kind: impl Into<String>,
        system: impl IntoSystem<In<HostTaskRequested>, (), M> + 'static,
    ) -> &mut Self;

    /// Calls a system when a gameplay event with this tag, or one below it, comes.
    fn on_gameplay_event<M>(
        &mut self,
        tag: impl Into<String>,
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
        self
    }

    fn on_attribute<M>(
        &mut self,
        attribute: impl Into<String>,
        system: impl IntoSystem<In<AttributeChanged>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).attributes.push((attribute.into(), system));
        self
    }

    fn on_tag<M>(
        &mut self,
        tag: impl Into<String>,
        system: impl IntoSystem<In<TagChange>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).tags.push((tag.into(), system));
        self
    }

    fn on_cue<M>(
        &mut self,
        cue: impl Into<String>,
        system: impl IntoSystem<In<CueChange>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).cues.push((cue.into(), system));
        self
    }

    fn add_cue(&mut self, cue: impl Into<String>, scene: CueScene) -> &mut Self {
        self.init_resource::<CueStage>();
        self.world_mut().resource_mut::<CueStage>().add(cue.into(), scene);
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
        tag: impl Into<String>,
        system: impl IntoSystem<In<GameplayEventReceived>, (), M> + 'static,
    ) -> &mut Self {
        let system = self.register_system(system);
        handlers(self).events.push((tag.into(), system));
        self
    }
}

/// One calculation for all catalogs that are made with it.
struct Shared<C>(Arc<C>);

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

fn handlers(app: &mut App) -> &mut Handlers {
    app.init_resource::<Handlers>();
    app.world_mut().resource_mut::<Handlers>().into_inner()
}
