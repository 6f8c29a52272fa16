//! Counted tags of one controller (§7.2, T2).

use thiserror::Error;

use super::bits::{TagBits, TagView};
use super::registry::TagRegistry;
use super::set::TagSet;
use crate::hash::{StateHash, StateHasher, state_hash_struct};
use crate::id::TagId;

/// Number of entries above which an entry whose count fell to zero is not removed at once.
const FEW: usize = 64;

/// Tag counts of a controller (§7.2).
///
/// Several effects may grant the same tag, so grants are counted: the tag is present until the last one ends.
/// The *explicit* count of a tag is its own grants; the *cumulative* count adds those of its descendants
/// (§7.4).
///
/// There is no public way to change it: only effects grant and remove tags (§3.1, T3).
#[derive(Debug, Default)]
pub struct TagContainer {
    /// Every tag with a cumulative count above zero, sorted by id; among many, also some idle ones with count
    /// zero.
    counts: Vec<TagCount>,
    /// Number of idle entries in `counts`.
    idle: u32,
    /// The present tags as bits, for queries.
    presence: TagBits,
}

impl TagContainer {
    /// True if `tag` or any descendant is present (§7.3 MatchesTag).
    #[inline]
    pub fn matches(&self, tag: TagId) -> bool {
        self.presence.matches(tag)
    }

    /// True if `tag` itself was granted; descendants do not count (§7.3 MatchesTagExact).
    pub fn matches_exact(&self, tag: TagId) -> bool {
        self.count(tag) > 0
    }

    /// Number of grants of `tag` itself (§7.3 GetTagCount).
    pub fn count(&self, tag: TagId) -> u32 {
        self.entry(tag).map_or(0, |entry| entry.explicit)
    }

    /// Number of grants of `tag` and its descendants (§7.4).
    pub fn cumulative_count(&self, tag: TagId) -> u32 {
        self.entry(tag).map_or(0, |entry| entry.cumulative)
    }

    /// True if any tag of `tags` matches (§7.3 HasAny); false for no tags.
    #[inline]
    pub fn has_any(&self, tags: &TagSet) -> bool {
        self.presence.has_any(tags)
    }

    /// True if every tag of `tags` matches (§7.3 HasAll); true for no tags.
    #[inline]
    pub fn has_all(&self, tags: &TagSet) -> bool {
        self.presence.has_all(tags)
    }

    /// True if no tag of `tags` matches (§7.3 HasNone); true for no tags.
    #[inline]
    pub fn has_none(&self, tags: &TagSet) -> bool {
        self.presence.has_none(tags)
    }

    /// True if no tag is granted (§7.2 IsEmpty).
    pub fn is_empty(&self) -> bool {
        self.counts.len() == self.idle as usize
    }

    /// The number of distinct tags granted, ancestors not counted (§7.2 Count).
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// The granted tags with their counts, by id, without ancestors.
    pub fn iter(&self) -> impl Iterator<Item = (TagId, u32)> + Clone {
        self.counts.iter().filter(|entry| entry.explicit > 0).map(|entry| (entry.tag, entry.explicit))
    }

    /// The presence of tags and their ancestors.
    #[inline]
    pub fn bits(&self) -> &TagBits {
        &self.presence
    }

    /// The entry of a tag, with counts of 0 if it is idle; `None` if there is no entry.
    fn entry(&self, tag: TagId) -> Option<&TagCount> {
        self.counts.get(self.position(tag).ok()?)
    }

    /// Position of the entry of a tag, or where it would be inserted.
    fn position(&self, tag: TagId) -> Result<usize, usize> {
        self.counts.binary_search_by_key(&tag, |entry| entry.tag)
    }
}

/// Mutators. All calls must pass the same registry; with another one counts go wrong, but nothing panics.
impl TagContainer {
    /// Counts one grant of `tag` (§7.2 AddTag). The tags whose cumulative count went from 0 to 1 are appended
    /// to `crossed`, `tag` first, then ancestors from the nearest to the root: each of them has an event
    /// (T2).
    ///
    /// # Errors
    /// Changes nothing if the tag is unknown or a count is full.
    pub(crate) fn add(
        &mut self,
        registry: &TagRegistry,
        tag: TagId,
        crossed: &mut Vec<TagId>,
    ) -> Result<(), TagGrantError> {
        if tag.usize() >= registry.len() {
            return Err(TagGrantError::UnknownTag(tag));
        }
        // No ancestor has a larger count than the root, so the root overflows first.
        let root = registry.ancestors(tag).last().unwrap_or(tag);
        if self.cumulative_count(root) == u32::MAX {
            return Err(TagGrantError::CountFull(tag));
        }
        for granted in core::iter::once(tag).chain(registry.ancestors(tag)) {
            let explicit = u32::from(granted == tag);
            match self.position(granted) {
                Ok(position) => {
                    let entry = &mut self.counts[position];
                    if entry.cumulative == 0 {
                        self.idle -= 1;
                        self.presence.set(granted);
                        crossed.push(granted);
                    }
                    entry.explicit = entry.explicit.saturating_add(explicit);
                    entry.cumulative = entry.cumulative.saturating_add(1);
                }
                Err(position) => {
                    if self.counts.len() == self.counts.capacity() {
                        // Grow by half instead of doubling: every controller has such a list.
                        self.counts.reserve_exact((self.counts.len() / 2).max(2));
                    }
                    self.counts.insert(position, TagCount { tag: granted, explicit, cumulative: 1 });
                    self.presence.set(granted);
                    crossed.push(granted);
                }
            }
        }
        Ok(())
    }

    /// Removes one grant of `tag` (§7.2 RemoveTag). The tags whose cumulative count went from 1 to 0 are
    /// appended to `crossed`, in the same order as by [`Self::add`].
    ///
    /// # Errors
    /// Changes nothing if the tag is not granted: a count never falls below zero (§7.2).
    pub(crate) fn remove(
        &mut self,
        registry: &TagRegistry,
        tag: TagId,
        crossed: &mut Vec<TagId>,
    ) -> Result<(), TagUnderflow> {
        if !self.matches_exact(tag) {
            return Err(TagUnderflow { tag });
        }
        for revoked in core::iter::once(tag).chain(registry.ancestors(tag)) {
            let Ok(position) = self.position(revoked) else {
                continue;
            };
            let entry = &mut self.counts[position];
            entry.explicit -= u32::from(revoked == tag);
            entry.cumulative = entry.cumulative.saturating_sub(1);
            if entry.cumulative == 0 {
                self.presence.unset(revoked);
                crossed.push(revoked);
                self.drop_idle(position);
            }
        }
        Ok(())
    }

    /// Removes an entry whose count has fallen to zero. Among many entries it stays idle, because the tag is
    /// likely to return and a removal moves many entries; all idle entries are removed when they are half of
    /// all.
    fn drop_idle(&mut self, position: usize) {
        if self.counts.len() <= FEW {
            self.counts.remove(position);
            return;
        }
        self.idle += 1;
        if self.idle as usize * 2 > self.counts.len() {
            self.counts.retain(|entry| entry.cumulative > 0);
            self.idle = 0;
        }
    }

    /// The entries that are not idle.
    fn present(&self) -> impl DoubleEndedIterator<Item = &TagCount> {
        self.counts.iter().filter(|entry| entry.cumulative > 0)
    }

    /// Removes all grants (§7.2 Clear), at the end of a controller. Every tag and ancestor that was present
    /// is appended to `crossed`, highest id first, so that here too a tag precedes its ancestors.
    pub(crate) fn clear(&mut self, crossed: &mut Vec<TagId>) {
        crossed.extend(self.present().rev().map(|entry| entry.tag));
        self.counts.clear();
        self.idle = 0;
        self.presence.clear();
    }
}

impl TagView for TagContainer {
    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.presence.word(index)
    }
}

impl Clone for TagContainer {
    fn clone(&self) -> Self {
        Self { counts: self.counts.clone(), idle: self.idle, presence: self.presence.clone() }
    }

    /// Reuses the memory, so that taking a snapshot into an old one does not allocate (I6).
    fn clone_from(&mut self, source: &Self) {
        self.counts.clone_from(&source.counts);
        self.idle = source.idle;
        self.presence.clone_from(&source.presence);
    }
}

impl StateHash for TagContainer {
    /// Hashes the counts; presence is derived from them.
    fn state_hash(&self, hasher: &mut StateHasher) {
        let Self { counts, idle, presence: _ } = self;
        (counts.len() as u64 - u64::from(*idle)).state_hash(hasher);
        for entry in self.present() {
            entry.state_hash(hasher);
        }
    }
}

impl PartialEq for TagContainer {
    fn eq(&self, other: &Self) -> bool {
        self.present().eq(other.present())
    }
}

impl Eq for TagContainer {}

/// Error of granting a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TagGrantError {
    /// The id does not belong to the registry.
    #[error("{0:?} is not in the registry; use ids of the catalog that the simulation runs")]
    UnknownTag(TagId),
    /// The tag or an ancestor has `u32::MAX` grants.
    #[error(
        "{0:?} cannot be granted once more, its count is full; remove effects that grant it or its relatives"
    )]
    CountFull(TagId),
}

/// Error of removing a tag that is not granted: a mistake of the caller (§7.2), rejected without a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{tag:?} is not granted, so no grant can be removed; remove each grant once")]
pub struct TagUnderflow {
    /// The tag that was to be removed.
    pub tag: TagId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TagCount {
    tag: TagId,
    explicit: u32,
    cumulative: u32,
}

state_hash_struct!(TagCount { tag, explicit, cumulative });

#[cfg(test)]
mod tests;
