//! The names of a pack by kind.

use ugas_core::catalog::{Catalog, DefinitionKind};
use ugas_core::id::AbilityId;

use super::identifier::{Name, make_unique};

/// Kinds of names, in the order of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Attribute,
    Tag,
    /// A tag below `GameplayCue` (C2), which is not among the tags.
    Cue,
    Effect,
    Ability,
    Template,
    /// A parameter of at least one ability (A18).
    Parameter,
}

impl Kind {
    pub(super) const ALL: [Self; 7] =
        [Self::Attribute, Self::Tag, Self::Cue, Self::Effect, Self::Ability, Self::Template, Self::Parameter];

    /// `attribute`.
    pub(super) fn singular(self) -> &'static str {
        match self {
            Self::Attribute => "attribute",
            Self::Tag => "tag",
            Self::Cue => "cue",
            Self::Effect => "effect",
            Self::Ability => "ability",
            Self::Template => "template",
            Self::Parameter => "parameter",
        }
    }

    /// `attributes`.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Attribute => "attributes",
            Self::Tag => "tags",
            Self::Cue => "cues",
            Self::Effect => "effects",
            Self::Ability => "abilities",
            Self::Template => "templates",
            Self::Parameter => "parameters",
        }
    }

    /// `Attributes`.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Attribute => "Attributes",
            Self::Tag => "Tags",
            Self::Cue => "Cues",
            Self::Effect => "Effects",
            Self::Ability => "Abilities",
            Self::Template => "Templates",
            Self::Parameter => "Parameters",
        }
    }
}

/// All names of a pack.
pub(super) struct Names {
    /// Name of the module, class or prefix.
    pub(super) module: Name,
    pub(super) hash: u64,
    /// The names of each kind of [`Kind::ALL`], sorted.
    sections: [Vec<Name>; 7],
    /// Sentences about names that share an identifier.
    pub(super) notes: Vec<String>,
}

const CUE_PREFIX: &str = "GameplayCue.";

impl Names {
    /// Collects the names of a catalog. Internal effects are left out.
    pub(super) fn of(catalog: &Catalog, module: &str) -> Self {
        let mut notes = Vec::new();
        let sections = Kind::ALL.map(|kind| {
            let mut names = names_of(catalog, kind);
            names.sort_by(|one, other| one.text.cmp(&other.text));
            names.dedup_by(|one, other| one.text == other.text);
            notes
                .extend(make_unique(&mut names).into_iter().map(|note| format!("{}: {note}", kind.plural())));
            names
        });
        Self { module: Name::new(module), hash: catalog.hash(), sections, notes }
    }

    /// Each kind with its names.
    pub(super) fn sections(&self) -> impl Iterator<Item = (Kind, &[Name])> {
        Kind::ALL.into_iter().zip(self.sections.iter().map(Vec::as_slice))
    }
}

fn names_of(catalog: &Catalog, kind: Kind) -> Vec<Name> {
    let all = |kind| catalog.names(kind).map(Name::new).collect();
    match kind {
        Kind::Attribute => all(DefinitionKind::Attribute),
        Kind::Ability => all(DefinitionKind::Ability),
        Kind::Template => all(DefinitionKind::Template),
        Kind::Effect => {
            let internal = [Catalog::TAGS_EFFECT, Catalog::BOUND_CHANGE_EFFECT, Catalog::OWNED_TAGS_EFFECT];
            let names = catalog.names(DefinitionKind::Effect).filter(|name| !internal.contains(name));
            names.map(Name::new).collect()
        }
        Kind::Tag | Kind::Cue => {
            let tags = catalog.tags().ids().filter(|tag| catalog.is_cue(*tag) == (kind == Kind::Cue));
            tags.map(|tag| Name::without_prefix(catalog.tag_name(tag), CUE_PREFIX)).collect()
        }
        Kind::Parameter => {
            let count = catalog.names(DefinitionKind::Ability).count() as u32;
            let abilities = (0..count).filter_map(|at| catalog.ability_by_id(AbilityId::from_index(at)));
            abilities
                .flat_map(|ability| ability.def().parameters.iter())
                .map(|(name, _)| Name::new(name))
                .collect()
        }
    }
}
