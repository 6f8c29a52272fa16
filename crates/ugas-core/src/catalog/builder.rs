//! Catalog builder: collects definitions. `assemble` resolves them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::BeforeApplyHook;
use super::death::DeathAttribute;
use super::definitions::Definitions;
use super::hooks::{AttributeHooks, PreChange, QualifierTerm};
use crate::ability::{AbilityDef, AbilitySetDef};
use crate::attribute::AttributeSetDef;
use crate::controller::ControllerDef;
use crate::curve::CurveDef;
use crate::effect::calculation::{Calculation, CalculationDef};
use crate::effect::{EffectDef, EffectSpec};
use crate::handle::ControllerId;
use crate::input::InputBufferConfig;
use crate::simulation::{PostExecute, Simulation};
use crate::tag::TagMetadata;
use crate::targeting::{
    Attitude, AttitudeRule, Candidate, EffectContainerDef, SharedSpace, Space, TargetFilter, TargetQuery,
    Team,
};
use crate::task::CustomTask;

/// Collects the definitions of a game.
///
/// ```
/// use ugas_core::attribute::{AttributeDef, AttributeSetDef};
/// use ugas_core::catalog::Catalog;
/// use ugas_core::effect::EffectDef;
/// use ugas_core::modifier::Operation;
///
/// let catalog = Catalog::builder()
///     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
///     .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -10.0))
///     .build()?;
/// assert!(catalog.effect("GE_Hit").is_ok());
/// # Ok::<(), ugas_core::catalog::CatalogErrors>(())
/// ```
#[derive(Clone, Default)]
pub struct CatalogBuilder {
    /// Everything except native code.
    pub(super) definitions: Definitions,
    pub(super) natives: BTreeMap<String, Arc<dyn Calculation>>,
    pub(super) hooks: BTreeMap<String, AttributeHooks>,
    pub(super) before_apply: Vec<BeforeApplyHook>,
    pub(super) customs: BTreeMap<String, Arc<dyn CustomTask>>,
    pub(super) filters: BTreeMap<String, Arc<TargetFilter>>,
    pub(super) attitude: Option<Arc<AttitudeRule>>,
    pub(super) space: Option<SharedSpace>,
}

impl CatalogBuilder {
    /// Adds tags to the registry. Once there is a registry, a tag that is not in it is an error; without one, tags
    /// are collected from use (T1).
    #[must_use]
    pub fn tags<S: Into<String>>(mut self, tags: impl IntoIterator<Item = S>) -> Self {
        self.definitions.registry.get_or_insert_default().extend(tags.into_iter().map(Into::into));
        self
    }

    /// Declares a tag that no definition uses, such as the tag of an event that the game sends. Unlike
    /// [`Self::tags`] it does not begin a registry: other tags are still collected from use.
    ///
    /// ```
    /// # use ugas_core::catalog::Catalog;
    /// # use ugas_core::effect::EffectDef;
    /// let catalog = Catalog::builder()
    ///     .declare_tag("Event.Checkpoint")
    ///     .effect(EffectDef::infinite("GE_Wet").granting("State.Wet"))
    ///     .build()?;
    /// assert!(catalog.tag("Event.Checkpoint").is_ok() && catalog.tag("State.Wet").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn declare_tag(mut self, tag: impl Into<String>) -> Self {
        self.definitions.declared_tags.push(tag.into());
        self
    }

    /// Adds a tag with text for people and tools to the registry (T5); see [`Self::tags`].
    #[must_use]
    pub fn tag_with_metadata(self, tag: impl Into<String>, metadata: TagMetadata) -> Self {
        let tag = tag.into();
        let mut builder = self.tags([tag.clone()]);
        builder.definitions.tag_metadata.push((tag, metadata));
        builder
    }

    /// Adds an attribute set.
    #[must_use]
    pub fn attribute_set(mut self, set: AttributeSetDef) -> Self {
        self.definitions.sets.push(set);
        self
    }

    /// Declares an attribute name that no set has, so that effects may refer to it. Their modifiers are inert
    /// (M6).
    #[must_use]
    pub fn declare_attribute(mut self, name: impl Into<String>) -> Self {
        self.definitions.declared_attributes.push(name.into());
        self
    }

    /// Adds an effect.
    #[must_use]
    pub fn effect(mut self, effect: EffectDef) -> Self {
        self.definitions.effects.push(Arc::new(effect));
        self
    }

    /// Adds an ability.
    #[must_use]
    pub fn ability(mut self, ability: AbilityDef) -> Self {
        self.definitions.abilities.push(Arc::new(ability));
        self
    }

    /// Adds an ability set.
    #[must_use]
    pub fn ability_set(mut self, set: AbilitySetDef) -> Self {
        self.definitions.ability_sets.push(set);
        self
    }

    /// Adds an effect container.
    #[must_use]
    pub fn container(mut self, container: EffectContainerDef) -> Self {
        self.definitions.containers.push(container);
        self
    }

    /// Adds a task written in Rust (§10.4), which abilities use by this name.
    #[must_use]
    pub fn custom_task(mut self, name: impl Into<String>, task: impl CustomTask + 'static) -> Self {
        self.customs.insert(name.into(), Arc::new(task));
        self
    }

    /// Adds a native target filter, which targeting uses by this name.
    #[must_use]
    pub fn target_filter(
        mut self,
        name: impl Into<String>,
        filter: impl Fn(&Candidate<'_>, &TargetQuery<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.filters.insert(name.into(), Arc::new(filter));
        self
    }

    /// Sets how teams regard each other, instead of [`Attitude::by_team`].
    #[must_use]
    pub fn attitude(
        mut self,
        rule: impl Fn(Option<&Team>, Option<&Team>) -> Attitude + Send + Sync + 'static,
    ) -> Self {
        self.attitude = Some(Arc::new(rule));
        self
    }

    /// Sets the engine's answers to line-of-sight and area queries, for simulations without a
    /// [world of their own](crate::simulation::Simulation::set_space).
    #[must_use]
    pub fn space(mut self, space: impl Space + Send + Sync + 'static) -> Self {
        self.space = Some(Arc::new(space));
        self
    }

    /// Sets the attribute and threshold of death (§8.6.4, A4). Death cancels all abilities of the owner
    /// except those that [survive it](crate::ability::AbilityDef::survives_death).
    #[must_use]
    pub fn death(self, attribute: impl Into<String>, threshold: f64) -> Self {
        self.death_attribute(attribute).death_threshold(threshold)
    }

    /// Sets the attribute of death. The default is `Health`, if there is one.
    #[must_use]
    pub fn death_attribute(mut self, attribute: impl Into<String>) -> Self {
        self.definitions.death.attribute = DeathAttribute::Named(attribute.into());
        self
    }

    /// Sets the threshold of death. The default is the attribute's Min, or 0 without one.
    #[must_use]
    pub fn death_threshold(mut self, threshold: f64) -> Self {
        self.definitions.death.threshold = Some(threshold);
        self
    }

    /// Turns death off: no value of an attribute cancels abilities.
    #[must_use]
    pub fn without_death(mut self) -> Self {
        self.definitions.death.attribute = DeathAttribute::Off;
        self
    }

    /// Sets the input buffer: whether, for how long and how many inputs are kept (§11.3).
    #[must_use]
    pub fn input_buffer(mut self, config: InputBufferConfig) -> Self {
        self.definitions.input_buffer = config;
        self
    }

    /// Uses the current value of an attribute as the window of the input buffer, in seconds, instead of
    /// [`InputBufferConfig::window`](crate::input::InputBufferConfig::window). It is read from the owner when
    /// a press is retried; an owner without the attribute keeps nothing.
    #[must_use]
    pub fn input_buffer_window(mut self, attribute: impl Into<String>) -> Self {
        self.definitions.input_buffer.window = crate::time::Span::MAX;
        self.definitions.input_buffer_window = Some(attribute.into());
        self
    }

    /// Adds a curve.
    #[must_use]
    pub fn curve(mut self, curve: CurveDef) -> Self {
        self.definitions.curves.push(curve);
        self
    }

    /// Declares a multiplier channel that only effects created at run time use.
    #[must_use]
    pub fn channel(mut self, name: impl Into<String>) -> Self {
        self.definitions.channels.push(name.into());
        self
    }

    /// Adds a calculation made of expressions.
    #[must_use]
    pub fn calculation(mut self, calculation: CalculationDef) -> Self {
        self.definitions.calculations.push(calculation);
        self
    }

    /// Adds a calculation written in Rust. It takes precedence over one of the same name made of expressions.
    #[must_use]
    pub fn native(mut self, name: impl Into<String>, calculation: impl Calculation + 'static) -> Self {
        self.natives.insert(name.into(), Arc::new(calculation));
        self
    }

    /// Adds a controller template.
    #[must_use]
    pub fn template(mut self, template: ControllerDef) -> Self {
        self.definitions.templates.push(Arc::new(template));
        self
    }

    /// Adds a hook that adjusts an attribute's new current value each time it changes, after clamping (B4,
    /// GASD §4.4.5). A result that is not finite is ignored.
    #[must_use]
    pub fn pre_change(
        mut self,
        attribute: impl Into<String>,
        hook: impl Fn(&PreChange) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.hooks.entry(attribute.into()).or_default().pre_change = Some(Arc::new(hook));
        self
    }

    /// Adds a hook that runs after an execution changed an attribute's base value (B4, GASD §4.4.6).
    #[must_use]
    pub fn post_execute(
        mut self,
        attribute: impl Into<String>,
        hook: impl Fn(&mut PostExecute<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.entry(attribute.into()).or_default().post_execute = Some(Arc::new(hook));
        self
    }

    /// Adds a hook that decides which of an attribute's modifiers count (M7, GASD §4.4.7).
    #[must_use]
    pub fn qualifier(
        mut self,
        attribute: impl Into<String>,
        qualifier: impl Fn(&mut [QualifierTerm]) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.entry(attribute.into()).or_default().qualifier = Some(Arc::new(qualifier));
        self
    }

    /// Adds a hook that runs before every application and may refuse it with a reason (E1, §15.4).
    #[must_use]
    pub fn before_apply(
        mut self,
        hook: impl Fn(&Simulation, ControllerId, &EffectSpec) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.before_apply.push(Arc::new(hook));
        self
    }
}
