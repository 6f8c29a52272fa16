//! Definitions of a catalog as plain data, from which it can be rebuilt.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::death::DeathDef;
use super::hooks::AttributeHooks;
use super::standin::{StandIn, StandInTask};
use super::{Catalog, CatalogBuilder, CatalogErrors, DefinitionKind};
use crate::ability::{AbilityDef, AbilitySetDef};
use crate::attribute::AttributeSetDef;
use crate::codec::StateRecord;
use crate::controller::ControllerDef;
use crate::curve::CurveDef;
use crate::effect::EffectDef;
use crate::effect::calculation::{Calculation, CalculationBody, CalculationDef, CaptureDef};
use crate::effect::magnitude::CaptureFrom;
use crate::input::InputBufferConfig;
use crate::tag::TagMetadata;
use crate::targeting::EffectContainerDef;

/// Everything that a [`CatalogBuilder`] holds except native code, of which it has the names. Plain data: it
/// can be [encoded](crate::codec), stored with a snapshot or a recording, and built again.
///
/// ```
/// use ugas_core::catalog::{Catalog, Definitions};
/// use ugas_core::codec::{from_bytes, to_bytes};
/// use ugas_core::effect::EffectDef;
/// use ugas_core::modifier::Operation;
///
/// let catalog = Catalog::builder()
///     .declare_attribute("Health")
///     .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -10.0))
///     .build()?;
/// let definitions: Definitions = from_bytes(&to_bytes(catalog.definitions()))?;
/// assert_eq!(definitions.into_builder().build()?.hash(), catalog.hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct Definitions {
    pub(super) registry: Option<Vec<String>>,
    /// Metadata of tags of the registry (T5).
    #[state(since = 4)]
    pub(super) tag_metadata: Vec<(String, TagMetadata)>,
    /// Tags that exist although no definition uses them.
    #[state(since = 6)]
    pub(super) declared_tags: Vec<String>,
    pub(super) sets: Vec<AttributeSetDef>,
    pub(super) declared_attributes: Vec<String>,
    pub(super) effects: Vec<Arc<EffectDef>>,
    pub(super) abilities: Vec<Arc<AbilityDef>>,
    pub(super) curves: Vec<CurveDef>,
    pub(super) channels: Vec<String>,
    pub(super) calculations: Vec<CalculationDef>,
    pub(super) templates: Vec<Arc<ControllerDef>>,
    pub(super) ability_sets: Vec<AbilitySetDef>,
    pub(super) containers: Vec<EffectContainerDef>,
    pub(super) death: DeathDef,
    pub(super) input_buffer: InputBufferConfig,
    #[state(since = 4)]
    pub(super) input_buffer_window: Option<String>,
    pub(super) natives: Natives,
}

/// Names and declarations of native code.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub(super) struct Natives {
    calculations: Vec<(String, Declared)>,
    /// By attribute: whether it has a pre-change hook, a post-execute hook and a qualifier.
    hooks: Vec<(String, [bool; 3])>,
    /// By name: whether the task waits.
    tasks: Vec<(String, bool)>,
    filters: Vec<String>,
    before_apply: u32,
}

/// The declarations of a native calculation.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub(super) struct Declared {
    pub(super) captures: Vec<CaptureDef>,
    pub(super) tags: Vec<(CaptureFrom, String)>,
    pub(super) variables: Vec<String>,
}

/// Why a catalog could not be rebuilt from its definitions.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RebuildError {
    /// Native code that the definitions use is not provided.
    #[error("native code is missing: {}; register it with the catalog that provides it", list(.0))]
    MissingNatives(Vec<(DefinitionKind, String)>),
    /// The definitions are invalid.
    #[error(transparent)]
    Invalid(#[from] CatalogErrors),
}

/// Missing implementations as text, for a message.
fn list(missing: &[(DefinitionKind, String)]) -> String {
    let missing: Vec<String> = missing.iter().map(|(kind, name)| format!("{kind} `{name}`")).collect();
    missing.join(", ")
}

impl Definitions {
    /// A builder with these definitions and without native code, which the host adds.
    pub fn into_builder(self) -> CatalogBuilder {
        CatalogBuilder { definitions: self, ..CatalogBuilder::default() }
    }

    /// Rebuilds the catalog with the native code of another catalog, by name. The hash is the same as that of
    /// the original.
    ///
    /// # Errors
    /// If `provider` lacks native code that is needed, or the definitions are invalid.
    pub fn build_with_natives_of(self, provider: &Catalog) -> Result<Arc<Catalog>, RebuildError> {
        let missing = self.natives.missing_from(provider);
        if !missing.is_empty() {
            return Err(RebuildError::MissingNatives(missing));
        }
        let natives = self.natives.clone();
        let mut builder = self.into_builder();
        builder.natives = names(&natives.calculations)
            .filter_map(|name| Some((name.clone(), provider.native_calculation(name)?)))
            .collect();
        builder.customs = names(&natives.tasks)
            .filter_map(|name| Some((name.clone(), provider.custom_task_named(name)?)))
            .collect();
        natives.take_hooks(provider, &mut builder);
        Ok(builder.build()?)
    }

    /// Rebuilds the catalog to decode a state of it. Native code that `provider` lacks is replaced by a
    /// stand-in that fails; native code counts as declaring what it declared originally.
    pub(crate) fn build_to_migrate(self, provider: &Catalog) -> Result<Arc<Catalog>, CatalogErrors> {
        let natives = self.natives.clone();
        let mut builder = self.into_builder();
        for (name, declared) in &natives.calculations {
            let calculation = provider.native_calculation(name);
            let stand_in = StandIn { declared: declared.clone(), calculation };
            builder.natives.insert(name.clone(), Arc::new(stand_in));
        }
        for (name, waits) in &natives.tasks {
            let stand_in = StandInTask { waits: *waits, task: provider.custom_task_named(name) };
            builder.customs.insert(name.clone(), Arc::new(stand_in));
        }
        natives.take_hooks(provider, &mut builder);
        builder.build()
    }
}

impl CatalogBuilder {
    /// Moves everything except native code out of the builder, once names are unique and sorted; native code
    /// is recorded by name and declaration. Internal effects are left out.
    pub(super) fn take_definitions(&mut self) -> Definitions {
        let natives = Natives {
            calculations: self
                .natives
                .iter()
                .map(|(name, native)| (name.clone(), Declared::of(native)))
                .collect(),
            hooks: self.hooks.iter().map(|(name, hooks)| (name.clone(), hooks.present())).collect(),
            tasks: self.customs.iter().map(|(name, task)| (name.clone(), task.waits())).collect(),
            filters: self.filters.keys().cloned().collect(),
            before_apply: u32::try_from(self.before_apply.len()).unwrap_or(u32::MAX),
        };
        let mut definitions = Definitions { natives, ..core::mem::take(&mut self.definitions) };
        definitions.effects.retain(|def| !Catalog::INTERNAL_EFFECTS.contains(&&*def.name));
        definitions.registry = definitions.registry.map(unique);
        definitions.declared_tags = unique(definitions.declared_tags);
        definitions.declared_attributes = unique(definitions.declared_attributes);
        definitions.channels = unique(definitions.channels);
        definitions
    }
}

impl Catalog {
    /// The definitions that it was built from, as plain data.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// The native calculation of this name; `None` if it is unknown, missing, or from files.
    fn native_calculation(&self, name: &str) -> Option<Arc<dyn Calculation>> {
        let at = self.tables.calculations.index(name)?;
        match &self.calculations.get(at as usize)?.body {
            CalculationBody::Native(native) => Some(Arc::clone(native)),
            CalculationBody::Expressions(_) | CalculationBody::Missing => None,
        }
    }

    fn custom_task_named(&self, name: &str) -> Option<Arc<dyn crate::task::CustomTask>> {
        self.custom_task(self.tables.customs.index(name)?).cloned()
    }

    /// The hooks of an attribute by name; none if the attribute is unknown.
    fn hooks_named(&self, name: &str) -> AttributeHooks {
        let index = self.tables.attributes.index(name);
        index.and_then(|at| self.hooks.get(at as usize)).cloned().unwrap_or_default()
    }
}

impl Natives {
    /// Native implementations that definitions need and `provider` does not have: calculations, tasks,
    /// filters, and hooks.
    fn missing_from(&self, provider: &Catalog) -> Vec<(DefinitionKind, String)> {
        let lacks = |kind: DefinitionKind, name: &str| match kind {
            DefinitionKind::Calculation => provider.native_calculation(name).is_none(),
            DefinitionKind::CustomTask => provider.custom_task_named(name).is_none(),
            _ => provider.target_filter(name).is_none(),
        };
        let calculations = names(&self.calculations).map(|name| (DefinitionKind::Calculation, name));
        let tasks = names(&self.tasks).map(|name| (DefinitionKind::CustomTask, name));
        let filters = self.filters.iter().map(|name| (DefinitionKind::TargetFilter, name));
        let all = calculations.chain(tasks).chain(filters);
        let mut missing: Vec<_> =
            all.filter(|(kind, name)| lacks(*kind, name)).map(|(kind, name)| (kind, name.clone())).collect();
        let lacks_hooks = |(name, wanted): &&(String, [bool; 3])| {
            let present = provider.hooks_named(name).present();
            wanted.iter().zip(present).any(|(wanted, present)| *wanted && !present)
        };
        let hooks = self.hooks.iter().filter(lacks_hooks);
        missing.extend(hooks.map(|(name, _)| (DefinitionKind::Attribute, format!("{name} (hooks)"))));
        if provider.before_apply.len() < self.before_apply as usize {
            missing.push((DefinitionKind::Effect, "every (hooks before application)".to_owned()));
        }
        missing
    }

    /// Takes hooks, filters and the like from `provider`; missing ones do nothing, refuse nothing and find
    /// nothing.
    fn take_hooks(&self, provider: &Catalog, builder: &mut CatalogBuilder) {
        for (name, [pre_change, post_execute, qualifier]) in &self.hooks {
            let known = provider.hooks_named(name);
            let hooks = AttributeHooks {
                pre_change: pre_change
                    .then(|| known.pre_change.unwrap_or_else(|| Arc::new(|change| change.new))),
                post_execute: post_execute.then(|| known.post_execute.unwrap_or_else(|| Arc::new(|_| {}))),
                qualifier: qualifier.then(|| known.qualifier.unwrap_or_else(|| Arc::new(|_| {}))),
            };
            builder.hooks.insert(name.clone(), hooks);
        }
        for name in &self.filters {
            let known = provider.target_filter(name).cloned();
            builder.filters.insert(name.clone(), known.unwrap_or_else(|| Arc::new(|_, _| false)));
        }
        let mut before_apply: Vec<_> = provider.before_apply.to_vec();
        before_apply.resize_with((self.before_apply as usize).min(MOST_HOOKS), || Arc::new(|_, _, _| Ok(())));
        builder.before_apply = before_apply;
        builder.attitude = Some(Arc::clone(&provider.attitude));
        builder.space = Some(Arc::clone(&provider.space));
    }
}

/// Upper limit of hooks: bytes that claim more are damaged.
const MOST_HOOKS: usize = 1 << 10;

impl Declared {
    fn of(native: &Arc<dyn Calculation>) -> Self {
        Self { captures: native.captures(), tags: native.tags(), variables: native.variables() }
    }
}

impl AttributeHooks {
    /// Which hooks are set: before a change, after an execution, qualifier.
    fn present(&self) -> [bool; 3] {
        let Self { pre_change, post_execute, qualifier } = self;
        [pre_change.is_some(), post_execute.is_some(), qualifier.is_some()]
    }
}

fn names<T>(natives: &[(String, T)]) -> impl Iterator<Item = &String> {
    natives.iter().map(|(name, _)| name)
}

/// Sorts names and removes repetitions.
fn unique(names: Vec<String>) -> Vec<String> {
    BTreeSet::from_iter(names).into_iter().collect()
}
