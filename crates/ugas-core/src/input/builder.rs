//! Builder of input schemes: collects definitions, and sorts the resolved ones.

use std::sync::Arc;

use super::Platform;
use super::def::{InputActionDef, InputActionSetDef, InputMappingDef, KeyMappingDef};
use super::error::InputSchemeErrors;
use super::modifier::{CustomModifier, InputModifierDef};
use super::resolve::Building;
use super::scheme::{Binding, InputScheme, Slot};

/// Collects definitions of input; [`build`](Self::build) checks them as a whole.
#[derive(Clone, Default, Debug)]
pub struct InputSchemeBuilder {
    pub(super) actions: Vec<InputActionDef>,
    pub(super) sets: Vec<InputActionSetDef>,
    pub(super) mappings: Vec<InputMappingDef>,
    pub(super) modifiers: Vec<InputModifierDef>,
    pub(super) custom: Vec<(String, CustomModifier)>,
    pub(super) platform: Option<Platform>,
}

impl InputSchemeBuilder {
    /// Adds an action.
    #[must_use]
    pub fn action(mut self, action: InputActionDef) -> Self {
        self.actions.push(action);
        self
    }

    /// Adds a set of actions.
    #[must_use]
    pub fn action_set(mut self, set: InputActionSetDef) -> Self {
        self.sets.push(set);
        self
    }

    /// Adds a mapping.
    #[must_use]
    pub fn mapping(mut self, mapping: InputMappingDef) -> Self {
        self.mappings.push(mapping);
        self
    }

    /// Adds a modifier.
    #[must_use]
    pub fn modifier(mut self, modifier: InputModifierDef) -> Self {
        self.modifiers.push(modifier);
        self
    }

    /// Adds draft 1's mapping (§11.2), as a set of this name with its actions and bindings.
    #[must_use]
    pub fn key_mapping(mut self, set: &str, mapping: &KeyMappingDef) -> Self {
        let (actions, set, mapping) = mapping.lower(set);
        self.actions.extend(actions);
        self.action_set(set).mapping(mapping)
    }

    /// Registers code for modifiers of kind [`InputModifierKind::Custom`](super::InputModifierKind::Custom).
    #[must_use]
    pub fn custom_modifier(mut self, name: &str, modifier: CustomModifier) -> Self {
        self.custom.push((name.to_owned(), modifier));
        self
    }

    /// Excludes mappings for other platforms. All mappings are checked nevertheless.
    #[must_use]
    pub fn platform(mut self, platform: Platform) -> Self {
        self.platform = Some(platform);
        self
    }

    /// Resolves and checks everything.
    ///
    /// # Errors
    /// All errors, in the order of definition.
    pub fn build(self) -> Result<Arc<InputScheme>, InputSchemeErrors> {
        let mut building = Building::new(&self, self.tag_names());
        let mut actions = building.actions();
        let modifiers = building.modifiers();
        let sets = building.sets();
        let mut bindings = building.bindings();
        if !building.errors.is_empty() {
            return Err(InputSchemeErrors(building.errors));
        }
        let tags = building.tags;
        bindings.sort_by_key(|binding| binding.rank);

        let mut slots = Vec::new();
        let mut resolved = Vec::new();
        let mut defined_order = Vec::new();
        for (index, binding) in (0u32..).zip(bindings) {
            let start = slots.len() as u32;
            for (part, default) in binding.inputs {
                defined_order.push((binding.definition, binding.resolved.action, slots.len() as u32));
                slots.push(Slot { binding: index, part, default });
            }
            resolved.push(Binding { slots: start..slots.len() as u32, ..binding.resolved });
        }
        defined_order.sort_by_key(|(definition, _, slot)| (*definition, *slot));
        for (_, action, slot) in defined_order {
            if let Some(action) = actions.get_mut(action.usize()) {
                action.slots.push(slot);
            }
        }
        Ok(Arc::new(InputScheme { actions, sets, bindings: resolved, slots, modifiers, tags }))
    }

    /// Names of all tags that sets and bindings require or block, sorted and without repetition.
    fn tag_names(&self) -> Vec<String> {
        let of_sets = self.sets.iter().flat_map(|set| set.required_tags.iter().chain(&set.blocked_tags));
        let bindings = self.mappings.iter().flat_map(|mapping| &mapping.bindings);
        let mut tags: Vec<String> =
            of_sets.chain(bindings.flat_map(|binding| &binding.required_tags)).cloned().collect();
        tags.sort();
        tags.dedup();
        tags
    }
}
