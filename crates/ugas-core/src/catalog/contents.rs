//! What each definition says, boiled down to a hash, so that two catalogs can be compared definition by definition.

use super::DefinitionKind;

/// Hashes of the definitions of a catalog, in the order of their ids. Native code counts as being there or not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Contents {
    /// Of each attribute name: its definitions in all sets that have it, and which hooks it has.
    pub(super) attributes: Box<[u64]>,
    /// Of each set: what it consists of. What its attributes say is theirs to tell.
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
    /// The hash of one definition; tags have nothing but their names.
    pub(crate) fn of(&self, kind: DefinitionKind, index: u32) -> u64 {
        let hashes = match kind {
            // Nothing but their names, or native code, which counts by name.
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
