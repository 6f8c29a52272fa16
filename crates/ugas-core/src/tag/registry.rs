//! Tag registry: all tags of a pack, numbered so that hierarchy tests are comparisons of ids (I3, I4).

use core::iter::successors;
use core::ops::Range;

use super::name::{TagNameError, TagNameProblem, check_tag_name};
use crate::codec::StateRecord;
use crate::hash::{HashSink, StateHash};
use crate::id::TagId;

/// Every tag of a pack and every ancestor of one (§7.1), immutable once built.
///
/// Ids are assigned depth-first over sorted names: two machines with the same names agree on all ids (I3), a
/// tag's subtree is a range of ids, and "same or below" takes two comparisons (I4).
///
/// An id that does not belong to the registry is harmless: it has no name, no parent and an empty subtree.
///
/// ```
/// use ugas_core::tag::TagRegistry;
///
/// let registry = TagRegistry::from_names(["Status.Burning", "State.Debuff.Stunned.Magic"]).unwrap();
/// let debuff = registry.id("State.Debuff").expect("ancestors are registered too");
/// let magic = registry.id("State.Debuff.Stunned.Magic").unwrap();
/// assert!(registry.is_within(magic, debuff));
/// assert_eq!(registry.nearest("State.Debuf"), Some("State.Debuff"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TagRegistry {
    /// The given names, concatenated. An ancestor's name is the prefix of a descendant's and is not repeated,
    /// so the size of the registry is linear in its input.
    text: String,
    /// One entry for each tag, by id, which is also the order of names.
    entries: Vec<Entry>,
    /// Metadata of the tags that have some, by id.
    metadata: Vec<(TagId, TagMetadata)>,
}

/// Text about a tag for people and tools (§7.6, T5). No rule reads it, and it is not part of the hash of a
/// catalog.
#[derive(Clone, PartialEq, Eq, Debug, Default, StateRecord)]
pub struct TagMetadata {
    /// Meaning of the tag.
    pub description: Option<String>,
    /// Notes for developers.
    pub dev_comment: Option<String>,
    /// `AllowMultiple` of the file. Tags are counted in any case (§7.2), so it changes nothing at run time.
    pub allow_multiple: bool,
}

impl TagRegistry {
    /// Builds the registry of these names and their ancestors. Order and repetition do not matter.
    ///
    /// # Errors
    /// Every name that is not a tag (T1, I9), in the order given.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Vec<TagNameError>> {
        let mut valid = Vec::new();
        let mut errors = Vec::new();
        for name in names {
            match check_tag_name(name) {
                Ok(()) => valid.push(name),
                Err(error) => errors.push(error),
            }
        }
        // The dot is the lowest character of names, so byte order is depth-first order.
        valid.sort_unstable();
        valid.dedup();
        let mut builder = Builder::default();
        for name in valid {
            if let Err(error) = builder.push(name) {
                errors.push(error);
            }
        }
        if errors.is_empty() { Ok(builder.finish()) } else { Err(errors) }
    }

    /// The id of a tag, if it is registered.
    pub fn id(&self, name: &str) -> Option<TagId> {
        let index = self.entries.binary_search_by(|entry| entry.name(&self.text).cmp(name)).ok()?;
        Some(tag_at(index))
    }

    /// The full name of a tag; `<unknown tag>` for an id of another registry.
    pub fn name(&self, tag: TagId) -> &str {
        self.entry(tag).map_or("<unknown tag>", |entry| entry.name(&self.text))
    }

    /// The parent tag; `None` for a root.
    #[inline]
    pub fn parent(&self, tag: TagId) -> Option<TagId> {
        self.entry(tag)?.parent
    }

    /// The ancestors, from the parent to the root, without the tag itself.
    pub fn ancestors(&self, tag: TagId) -> impl Iterator<Item = TagId> + Clone {
        successors(self.parent(tag), |above| self.parent(*above))
    }

    /// The ids of the tag and all its descendants.
    #[inline]
    pub fn subtree(&self, tag: TagId) -> Range<u32> {
        tag.index()..self.entry(tag).map_or(tag.index(), |entry| entry.subtree_end)
    }

    /// True if `tag` is `ancestor` or one of its descendants: two comparisons (I4).
    #[inline]
    pub fn is_within(&self, tag: TagId, ancestor: TagId) -> bool {
        self.subtree(ancestor).contains(&tag.index())
    }

    /// The number of segments of the name: 1 for a root, 0 for an unknown tag.
    pub fn depth(&self, tag: TagId) -> u32 {
        self.entry(tag).map_or(0, |entry| entry.depth)
    }

    /// The number of tags, ancestors included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is no tag at all.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All ids in order: depth-first, siblings by name.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = TagId> + Clone + use<> {
        (0..self.entries.len()).map(tag_at)
    }

    /// The registered name nearest to a mistyped one, if any is near enough for a suggestion.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        crate::nearest::nearest(name, self.entries.iter().map(|entry| entry.name(&self.text)))
    }

    /// The metadata of a tag, if it has some (T5).
    pub fn metadata(&self, tag: TagId) -> Option<&TagMetadata> {
        let at = self.metadata.binary_search_by_key(&tag, |(known, _)| *known).ok()?;
        Some(&self.metadata[at].1)
    }

    /// Sets the metadata of tags; names that are not registered are skipped, and the last of several wins.
    pub(crate) fn set_metadata<'a>(&mut self, metadata: impl Iterator<Item = (&'a str, &'a TagMetadata)>) {
        for (name, metadata) in metadata {
            let Some(tag) = self.id(name) else { continue };
            match self.metadata.binary_search_by_key(&tag, |(known, _)| *known) {
                Ok(at) => self.metadata[at].1 = metadata.clone(),
                Err(at) => self.metadata.insert(at, (tag, metadata.clone())),
            }
        }
    }

    #[inline]
    fn entry(&self, tag: TagId) -> Option<&Entry> {
        self.entries.get(tag.usize())
    }
}

impl StateHash for TagRegistry {
    /// Hashes the names; they determine everything else.
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        (self.entries.len() as u64).state_hash(hasher);
        for entry in &self.entries {
            entry.name(&self.text).state_hash(hasher);
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    parent: Option<TagId>,
    subtree_end: u32,
    depth: u32,
    text_start: u32,
    text_end: u32,
}

impl Entry {
    fn name<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.text_start as usize..self.text_end as usize).unwrap_or_default()
    }
}

/// Takes names in depth-first order and fills in the ancestors between them.
#[derive(Default)]
struct Builder {
    registry: TagRegistry,
    /// The path to the last tag, root first: the tags whose subtrees have not ended.
    open: Vec<TagId>,
}

impl Builder {
    /// Adds a name and those of its ancestors that are new. Names must come in depth-first order.
    fn push(&mut self, name: &str) -> Result<(), TagNameError> {
        let Ok(text_start) = u32::try_from(self.registry.text.len()) else {
            return Err(TagNameError {
                name: name.to_owned(),
                offset: 0,
                problem: TagNameProblem::RegistryFull,
            });
        };
        while self.open.last().is_some_and(|tag| !is_below(name, self.registry.name(*tag))) {
            self.close_last();
        }
        let known_length = self.open.last().map_or(0, |tag| self.registry.name(*tag).len());
        let dots = name.match_indices('.').map(|(offset, _)| offset);
        for length in dots.chain([name.len()]).filter(|length| *length > known_length) {
            let parent = self.open.last().copied();
            self.open.push(tag_at(self.registry.entries.len()));
            self.registry.entries.push(Entry {
                parent,
                subtree_end: 0,
                depth: self.open.len() as u32,
                text_start,
                text_end: text_start.saturating_add(length as u32),
            });
        }
        self.registry.text.push_str(name);
        Ok(())
    }

    /// Ends all open subtrees and returns the registry.
    fn finish(mut self) -> TagRegistry {
        while !self.open.is_empty() {
            self.close_last();
        }
        self.registry
    }

    /// Ends the subtree of the innermost open tag.
    fn close_last(&mut self) {
        let end = self.registry.entries.len() as u32;
        if let Some(entry) = self.open.pop().and_then(|tag| self.registry.entries.get_mut(tag.usize())) {
            entry.subtree_end = end;
        }
    }
}

/// Whether a name is a strict descendant of another.
fn is_below(name: &str, ancestor: &str) -> bool {
    name.strip_prefix(ancestor).is_some_and(|rest| rest.starts_with('.'))
}

/// No registry has more than `u32::MAX` tags, as its text has no more bytes than that.
fn tag_at(index: usize) -> TagId {
    TagId::from_index(index as u32)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::hash::StateHasher;
    use proptest::prelude::*;

    fn registry(names: &[&str]) -> TagRegistry {
        TagRegistry::from_names(names.iter().copied()).unwrap()
    }

    #[test]
    fn i4_ids_are_depth_first_and_include_ancestors() {
        let registry = registry(&["State.Debuff.Stunned.Magic", "Status", "State.Buff", "State1.A"]);
        let rows: Vec<_> = registry
            .ids()
            .map(|tag| {
                let parent = registry.parent(tag).map(TagId::index);
                (registry.name(tag), parent, registry.subtree(tag), registry.depth(tag))
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("State", None, 0..5, 1),
                ("State.Buff", Some(0), 1..2, 2),
                ("State.Debuff", Some(0), 2..5, 2),
                ("State.Debuff.Stunned", Some(2), 3..5, 3),
                ("State.Debuff.Stunned.Magic", Some(3), 4..5, 4),
                ("State1", None, 5..7, 1),
                ("State1.A", Some(5), 6..7, 2),
                ("Status", None, 7..8, 1),
            ]
        );
        let magic = registry.id("State.Debuff.Stunned.Magic").unwrap();
        let ancestors: Vec<_> = registry.ancestors(magic).map(|tag| registry.name(tag)).collect();
        assert_eq!(ancestors, ["State.Debuff.Stunned", "State.Debuff", "State"]);
    }

    #[test]
    fn i3_registry_ignores_order_and_repetition_of_names() {
        let one = registry(&["A.B", "C", "A.B.D"]);
        let other = registry(&["C", "A.B.D", "A", "A.B", "C"]);
        assert!(one.ids().map(|tag| one.name(tag)).eq(other.ids().map(|tag| other.name(tag))));
        assert_eq!(StateHasher::of(&one), StateHasher::of(&other));
        assert_ne!(StateHasher::of(&one), StateHasher::of(&registry(&["C", "A.B"])));
    }

    #[test]
    fn t1_registry_reports_every_invalid_name() {
        let errors = TagRegistry::from_names(["State", "", "a.B", "Status", "X."]).unwrap_err();
        let names: Vec<_> = errors.iter().map(|error| error.name.as_str()).collect();
        assert_eq!(names, ["", "a.B", "X."]);
    }

    #[test]
    fn foreign_ids_are_harmless() {
        let registry = registry(&["State"]);
        let (state, foreign) = (TagId::from_index(0), TagId::from_index(u32::MAX));
        assert_eq!(registry.name(foreign), "<unknown tag>");
        assert_eq!((registry.parent(foreign), registry.depth(foreign)), (None, 0));
        assert_eq!(registry.ancestors(foreign).next(), None);
        assert!(registry.subtree(foreign).is_empty());
        assert!(!registry.is_within(foreign, state) && !registry.is_within(state, foreign));
        assert!(TagRegistry::default().is_empty() && TagRegistry::default().id("State").is_none());
    }

    proptest! {
        #[test]
        fn hierarchy_of_ids_agrees_with_names(names in prop::collection::vec("[AB][a0]?(\\.[AB][a0]?){0,4}", 0..12)) {
            let registry = TagRegistry::from_names(names.iter().map(String::as_str)).unwrap();
            let mut expected = BTreeSet::new();
            for name in &names {
                expected.extend(name.match_indices('.').map(|(dot, _)| &name[..dot]).chain([name.as_str()]));
            }
            prop_assert!(registry.ids().map(|tag| registry.name(tag)).eq(expected.iter().copied()));
            prop_assert_eq!(registry.len(), expected.len());
            for tag in registry.ids() {
                let name = registry.name(tag);
                prop_assert_eq!(registry.id(name), Some(tag));
                prop_assert_eq!(registry.parent(tag).map(|up| registry.name(up)), name.rsplit_once('.').map(|(up, _)| up));
                prop_assert_eq!(registry.depth(tag) as usize, name.split('.').count());
                for other in registry.ids() {
                    let within = name == registry.name(other) || is_below(name, registry.name(other));
                    prop_assert_eq!(registry.is_within(tag, other), within);
                }
            }
        }
    }
}
