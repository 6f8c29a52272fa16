//! Differences between two catalogs, definition by definition.

use core::fmt;

use crate::catalog::{Catalog, DefinitionKind};

/// Kind of change of a definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// It is only in the new catalog.
    Added,
    /// Its content differs.
    Changed,
    /// It is only in the old catalog.
    Removed,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        })
    }
}

/// A changed definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DefinitionChange {
    /// Kind of the definition.
    pub kind: DefinitionKind,
    /// Its name.
    pub name: String,
    /// Kind of the change.
    pub change: Change,
}

/// The definitions that differ between two catalogs, by kind and then by name.
///
/// Definitions are compared by their own content, texts for people included, and not by the definitions they
/// refer to: an effect whose curve has other points is itself unchanged. A renamed definition is one removed
/// and one added. Native code is only compared by presence.
///
/// ```
/// use ugas_core::catalog::Catalog;
/// use ugas_core::effect::EffectDef;
/// use ugas_core::reload::{CatalogDiff, Change};
///
/// let old = Catalog::builder().effect(EffectDef::lasting("GE_Burn", 5.0)).build()?;
/// let new = Catalog::builder().effect(EffectDef::lasting("GE_Burn", 8.0)).build()?;
/// let diff = CatalogDiff::between(&old, &new);
/// assert_eq!(diff.changes().len(), 1);
/// assert_eq!(diff.changes()[0].change, Change::Changed);
/// assert_eq!(diff.to_string(), "effect `GE_Burn` changed\n");
/// # Ok::<(), ugas_core::catalog::CatalogErrors>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CatalogDiff {
    changes: Vec<DefinitionChange>,
}

/// Every kind, in the order in which changes are listed.
const KINDS: [DefinitionKind; 12] = [
    DefinitionKind::Tag,
    DefinitionKind::Attribute,
    DefinitionKind::AttributeSet,
    DefinitionKind::Effect,
    DefinitionKind::Ability,
    DefinitionKind::Curve,
    DefinitionKind::Calculation,
    DefinitionKind::Template,
    DefinitionKind::AbilitySet,
    DefinitionKind::Container,
    DefinitionKind::CustomTask,
    DefinitionKind::TargetFilter,
];

impl CatalogDiff {
    /// Compares two catalogs.
    pub fn between(old: &Catalog, new: &Catalog) -> Self {
        let mut changes = Vec::new();
        for kind in KINDS {
            compare(kind, old, new, &mut changes);
        }
        Self { changes }
    }

    /// The changes, by kind and then by name.
    pub fn changes(&self) -> &[DefinitionChange] {
        &self.changes
    }

    /// True if nothing differs.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Change of one definition; `None` if it is unchanged or in neither catalog.
    pub fn of(&self, kind: DefinitionKind, name: &str) -> Option<Change> {
        let rank = |kind: DefinitionKind| KINDS.iter().position(|other| *other == kind);
        let key =
            |change: &DefinitionChange| (rank(change.kind), change.name.as_str()).cmp(&(rank(kind), name));
        self.changes.binary_search_by(key).ok().map(|at| self.changes[at].change)
    }
}

impl fmt::Display for CatalogDiff {
    /// Writes one line for each change.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for DefinitionChange { kind, name, change } in &self.changes {
            writeln!(f, "{kind} `{name}` {change}")?;
        }
        Ok(())
    }
}

/// Compares the definitions of one kind and appends the differences, by merging both sorted lists of names.
fn compare(kind: DefinitionKind, old: &Catalog, new: &Catalog, changes: &mut Vec<DefinitionChange>) {
    let (mut before, mut after) = (old.contents_of(kind).peekable(), new.contents_of(kind).peekable());
    loop {
        let (name, change) = match (before.peek(), after.peek()) {
            (None, None) => return,
            (Some(&(name, _)), None) => (name, Some(Change::Removed)),
            (None, Some(&(name, _))) => (name, Some(Change::Added)),
            (Some(&(one, said)), Some(&(other, says))) => match one.cmp(other) {
                core::cmp::Ordering::Less => (one, Some(Change::Removed)),
                core::cmp::Ordering::Greater => (other, Some(Change::Added)),
                core::cmp::Ordering::Equal => (one, (said != says).then_some(Change::Changed)),
            },
        };
        changes.extend(change.map(|change| DefinitionChange { kind, name: name.to_owned(), change }));
        before.next_if(|_| change != Some(Change::Added));
        after.next_if(|_| change != Some(Change::Removed));
    }
}
