//! The tags of a controller (§7).

use bevy_ecs::prelude::{Component, ReflectComponent};
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use ugas::names::IdOrName;
use ugas::{Key, TagId};

use super::{StateComponent, StateSource, equal};

/// The tags of a controller, counted.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// fn stars(fighters: Query<(Entity, &Tags), Changed<Tags>>) {
///     for (fighter, tags) in &fighters {
///         if tags.has("State.Stunned") {
///             println!("stars around {fighter}");
///         }
///     }
/// }
/// ```
#[derive(Component, Reflect, PartialEq, Debug)]
#[component(immutable, clone_behavior = Ignore)]
#[reflect(Component, from_reflect = false)]
pub struct Tags {
    /// Explicit tags, without ancestors.
    granted: Vec<TagEntry>,
    /// Ids of all present tags, ancestors included, sorted.
    #[reflect(ignore)]
    present: Vec<TagId>,
}

/// One tag of a controller.
#[derive(Reflect, Clone, PartialEq, Debug)]
pub struct TagEntry {
    /// Id of the tag.
    #[reflect(ignore, default = "no_tag")]
    pub id: TagId,
    /// Name of the tag.
    pub name: Arc<str>,
    /// Explicit count of the tag.
    pub count: u32,
}

impl Tags {
    /// Whether the tag or a descendant of it is present (§7.3 MatchesTag).
    pub fn has(&self, tag: impl Key<TagId>) -> bool {
        match tag.get() {
            IdOrName::Id(id) => self.present.binary_search(&id).is_ok(),
            IdOrName::Name(name) => self.granted.iter().any(|tag| {
                tag.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }),
        }
    }

    /// Explicit count of the tag (§7.3 GetTagCount).
    pub fn count(&self, tag: impl Key<TagId>) -> u32 {
        self.granted.iter().find(|entry| tag.is(entry.id, &entry.name)).map_or(0, |entry| entry.count)
    }

    /// Explicit tags, without ancestors.
    pub fn iter(&self) -> core::slice::Iter<'_, TagEntry> {
        self.granted.iter()
    }

    /// Number of different explicit tags.
    pub fn len(&self) -> usize {
        self.granted.len()
    }

    /// Whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.granted.is_empty()
    }
}

impl<'a> IntoIterator for &'a Tags {
    type Item = &'a TagEntry;
    type IntoIter = core::slice::Iter<'a, TagEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl StateComponent for Tags {
    fn empty() -> Self {
        Self { granted: Vec::new(), present: Vec::new() }
    }

    fn read(source: &mut StateSource<'_>) -> Self {
        Self { present: present(source).collect(), granted: granted(source).collect() }
    }

    fn is_current(&self, source: &mut StateSource<'_>) -> bool {
        equal(&self.present, present(source)) && equal(&self.granted, granted(source))
    }
}

/// Explicit tags of a controller, without ancestors.
fn granted(source: &mut StateSource<'_>) -> impl Iterator<Item = TagEntry> {
    let StateSource { simulation, names, controller } = source;
    let tags = simulation.tags(*controller).into_iter().flat_map(|tags| tags.iter());
    let granted = tags.filter(|(_, count)| *count > 0);
    granted.map(move |(id, count)| TagEntry { id, name: names.tag(simulation, id), count })
}

/// Ids of all present tags of a controller, ancestors included, sorted.
fn present(source: &StateSource<'_>) -> impl Iterator<Item = TagId> {
    source.simulation.tags(source.controller).into_iter().flat_map(|tags| tags.bits().iter())
}

/// Placeholder id for entries that reflection creates.
fn no_tag() -> TagId {
    TagId::from_index(u32::MAX)
}
