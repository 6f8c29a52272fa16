//! Content hashes of definitions, to compare two catalogs definition by definition.

use std::collections::{BTreeMap, BTreeSet};

use super::hooks::AttributeHooks;
use super::{CatalogBuilder, DefinitionKind, Tables};
use crate::attribute::AttributeSetDef;
use crate::hash::{StateHash, StateHasher};

/// Hashes of the definitions of a catalog, in id order. Of native code only its presence counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Contents {
    /// By attribute name: its definitions in all sets that have it, and the presence of its hooks.
    pub(super) attributes: Box<[u64]>,
    /// By set: its list of attributes and dependencies. The attributes themselves are hashed above.
    pub(super) sets: Box<[u64]>,
    pub(super) effects: Box<[u64]>,
    pub(super) abilities: Box<[u64]>,
    pub(super) curves: Box<[u64]>,
    pub(super) calculations: Box<[u64]>,
    pub(super) templates: Box<[u64]>,
    pub(super) ability_sets: Box<[u64]>,
    pub(super) containers: Box<[u64]>,
}

impl Contents {
    /// The hash of one definition; 0 for a kind that has only names.
    pub(crate) fn of(&self, kind: DefinitionKind, index: u32) -> u64 {
        let hashes = match kind {
            // These have only names, or are native code, which counts by name.
            DefinitionKind::Tag | DefinitionKind::CustomTask | DefinitionKind::TargetFilter => return 0,
            DefinitionKind::Attribute => &self.attributes,
            DefinitionKind::AttributeSet => &self.sets,
            DefinitionKind::Effect => &self.effects,
            DefinitionKind::Ability => &self.abilities,
            DefinitionKind::Curve => &self.curves,
            DefinitionKind::Calculation => &self.calculations,
            DefinitionKind::Template => &self.templates,
            DefinitionKind::AbilitySet => &self.ability_sets,
            DefinitionKind::Container => &self.containers,
        };
        hashes.get(index as usize).copied().unwrap_or_default()
    }
}

impl CatalogBuilder {
    /// The hash of each definition, by kind and in id order, for comparing two catalogs in a reload.
    pub(super) fn contents(&self, tables: &Tables) -> Contents {
        let mut attributes: BTreeMap<&str, StateHasher> = BTreeMap::new();
        for set in &self.definitions.sets {
            for def in &set.attributes {
                let hasher = attributes.entry(&def.name).or_default();
                set.name.state_hash(hasher);
                def.state_hash(hasher);
            }
        }
        for (name, hooks) in &self.hooks {
            let AttributeHooks { pre_change, post_execute, qualifier } = hooks;
            let there = [pre_change.is_some(), post_execute.is_some(), qualifier.is_some()];
            there.state_hash(attributes.entry(name).or_default());
        }
        let attribute = |name: &str| attributes.get(name).map(StateHasher::finish).unwrap_or_default();
        let set = |def: &AttributeSetDef| {
            let mut hasher = StateHasher::new();
            def.dependencies.state_hash(&mut hasher);
            def.metadata.state_hash(&mut hasher);
            for attribute in &def.attributes {
                attribute.name.state_hash(&mut hasher);
            }
            hasher.finish()
        };
        let curve = |name: &str| {
            let found = self.definitions.curves.binary_search_by(|def| (*def.name).cmp(name));
            StateHasher::of(&found.ok().map(|at| &self.definitions.curves[at]))
        };
        let calculation = |name: &str| {
            let found = self.definitions.calculations.binary_search_by(|def| (*def.name).cmp(name));
            let def = found.ok().map(|at| &self.definitions.calculations[at]);
            // Native code takes precedence over a file, whose content does not count then.
            if self.natives.contains_key(name) { StateHasher::of("native") } else { StateHasher::of(&def) }
        };
        Contents {
            attributes: tables.attributes.iter().map(attribute).collect(),
            sets: self.definitions.sets.iter().map(set).collect(),
            effects: self.definitions.effects.iter().map(StateHasher::of).collect(),
            abilities: self.definitions.abilities.iter().map(StateHasher::of).collect(),
            curves: tables.curves.iter().map(curve).collect(),
            calculations: tables.calculations.iter().map(calculation).collect(),
            templates: self.definitions.templates.iter().map(StateHasher::of).collect(),
            ability_sets: self.definitions.ability_sets.iter().map(StateHasher::of).collect(),
            containers: self.definitions.containers.iter().map(StateHasher::of).collect(),
        }
    }

    /// A hash of everything that rules depend on; native code counts by name.
    pub(super) fn hash(&self, tables: &Tables) -> u64 {
        let mut hasher = StateHasher::new();
        tables.tags.state_hash(&mut hasher);
        self.definitions.sets.state_hash(&mut hasher);
        self.definitions.effects.state_hash(&mut hasher);
        self.definitions.abilities.state_hash(&mut hasher);
        self.definitions.curves.state_hash(&mut hasher);
        self.definitions.calculations.state_hash(&mut hasher);
        self.definitions.templates.state_hash(&mut hasher);
        self.definitions.ability_sets.state_hash(&mut hasher);
        self.definitions.containers.state_hash(&mut hasher);
        self.definitions.death.state_hash(&mut hasher);
        self.definitions.input_buffer.state_hash(&mut hasher);
        if let Some(window) = &self.definitions.input_buffer_window {
            window.state_hash(&mut hasher);
        }
        let natives = self.natives.keys().chain(self.hooks.keys());
        for name in natives.chain(self.customs.keys()).chain(self.filters.keys()) {
            name.state_hash(&mut hasher);
        }
        (self.before_apply.len() as u64).state_hash(&mut hasher);
        // Names that are only declared shift ids, too.
        for declared in [&self.definitions.declared_attributes, &self.definitions.channels] {
            let declared: BTreeSet<&String> = declared.iter().collect();
            for name in declared {
                name.state_hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
