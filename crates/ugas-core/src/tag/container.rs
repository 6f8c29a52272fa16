//! Counted tags of one controller (§7.2, T2).

use core::fmt;

use thiserror::Error;

use super::bits::{TagBits, TagView};
use super::registry::TagRegistry;
use super::set::TagSet;
use crate::codec::FieldClone;
use crate::hash::{HashSink, StateHash};
use crate::id::TagId;
use crate::stamped::Stamped;

/// Number of idle entries that are kept even if there are fewer others.
const SPARE: usize = 16;

/// Tag counts of a controller (§7.2).
///
/// Several effects may grant the same tag, so grants are counted: the tag is present until the last one ends.
/// The *explicit* count of a tag is its own grants; the *cumulative* count adds those of its descendants
/// (§7.4).
///
/// There is no public way to change it: only effects grant and remove tags (§3.1, T3).
#[derive(Default, FieldClone)]
pub struct TagContainer {
    /// Every tag with a cumulative count above zero, sorted by id. A tag whose count fell to zero is likely to
    /// return, so its entry stays for a while: it is *idle*, and reads, hashes and compares as if it were not
    /// there.
    counts: Stamped<Vec<TagCount>>,
    /// Number of idle entries in `counts`.
    idle: u32,
    /// Number of grants: the sum of all explicit counts. No cumulative count is larger.
    grants: u32,
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
    #[inline(always)]
    pub fn has_any(&self, tags: &TagSet) -> bool {
        self.presence.has_any(tags)
    }

    /// True if every tag of `tags` matches (§7.3 HasAll); true for no tags.
    #[inline(always)]
    pub fn has_all(&self, tags: &TagSet) -> bool {
        self.presence.has_all(tags)
    }

    /// True if no tag of `tags` matches (§7.3 HasNone); true for no tags.
    #[inline(always)]
    pub fn has_none(&self, tags: &TagSet) -> bool {
        self.presence.has_none(tags)
    }

    /// True if no tag is granted (§7.2 IsEmpty).
    pub fn is_empty(&self) -> bool {
        self.grants == 0
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
        self.counts.get(self.position(tag, self.counts.len()).ok()?)
    }

    /// Position of the entry of a tag among the first `end` entries, or where it would be inserted. Tries the
    /// last one first: ancestors precede their descendants, the parent often directly.
    #[inline]
    fn position(&self, tag: TagId, end: usize) -> Result<usize, usize> {
        let entries = self.counts.get(..end).unwrap_or_default();
        match entries.last() {
            Some(last) if last.tag == tag => Ok(end - 1),
            _ => entries.binary_search_by_key(&tag, |entry| entry.tag),
        }
    }
}

/// Mutators. All calls must pass the same registry; with another one counts go wrong, but nothing panics.
impl TagContainer {
    /// Counts one grant of `tag` (§7.2 AddTag). The tags whose cumulative count went from 0 to 1 are appended
    /// to `crossed`, `tag` first, then ancestors from the nearest to the root: each of them has an event
    /// (T2).
    ///
    /// # Errors
    /// Changes nothing if the tag is unknown or there are too many grants.
    pub(crate) fn add(
        &mut self,
        registry: &TagRegistry,
        tag: TagId,
        crossed: &mut Vec<TagId>,
    ) -> Result<(), TagGrantError> {
        if tag.usize() >= registry.len() {
            return Err(TagGrantError::UnknownTag(tag));
        }
        let Some(grants) = self.grants.checked_add(1) else { return Err(TagGrantError::CountFull(tag)) };
        self.grants = grants;
        let (mut next, mut end, mut explicit) = (Some(tag), self.counts.len(), 1);
        while let Some(granted) = next {
            end = self.position(granted, end).unwrap_or_else(|place| self.insert_idle(place, granted));
            let Some(entry) = self.counts.get_mut(end) else { break };
            entry.explicit += explicit;
            entry.cumulative += 1;
            if entry.cumulative == 1 {
                self.idle -= 1;
                self.presence.set(granted);
                crossed.push(granted);
            }
            (next, explicit) = (registry.parent(granted), 0);
        }
        Ok(())
    }

    /// Inserts an idle entry and returns its position.
    #[cold]
    fn insert_idle(&mut self, place: usize, tag: TagId) -> usize {
        if self.counts.len() == self.counts.capacity() {
            // Grow by half instead of doubling: every controller has such a list.
            let more = (self.counts.len() / 2).max(2);
            self.counts.reserve_exact(more);
        }
        self.counts.insert(place, TagCount { tag, explicit: 0, cumulative: 0 });
        self.idle += 1;
        place
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
        let Ok(place) = self.position(tag, self.counts.len()) else { return Err(TagUnderflow { tag }) };
        let entry = &mut self.counts[place];
        if entry.explicit == 0 {
            return Err(TagUnderflow { tag });
        }
        entry.explicit -= 1;
        self.grants -= 1;
        let mut next = Some((tag, place));
        while let Some((revoked, place)) = next {
            let Some(entry) = self.counts.get_mut(place) else { break };
            if entry.cumulative == 1 {
                self.idle += 1;
                self.presence.unset(revoked);
                crossed.push(revoked);
            }
            entry.cumulative = entry.cumulative.saturating_sub(1);
            next = registry
                .parent(revoked)
                .and_then(|parent| Some((parent, self.position(parent, place).ok()?)));
        }
        if self.idle as usize > SPARE.max(self.counts.len() / 2) {
            self.counts.retain(|entry| entry.cumulative > 0);
            self.idle = 0;
        }
        Ok(())
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
        (self.idle, self.grants) = (0, 0);
        self.presence.clear();
    }
}

impl TagView for TagContainer {
    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.presence.word(index)
    }
}

impl StateHash for TagContainer {
    /// Hashes the counts; the rest is derived from them.
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self { counts, idle, grants: _, presence: _ } = self;
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

impl fmt::Debug for TagContainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.present()).finish()
    }
}

/// Error of granting a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum TagGrantError {
    /// The id does not belong to the registry.
    #[error("{0:?} is not in the registry; use ids of the catalog that the simulation runs")]
    UnknownTag(TagId),
    /// The controller has `u32::MAX` grants of tags.
    #[error("{0:?} cannot be granted once more, the counts are full; remove effects that grant tags")]
    CountFull(TagId),
}

/// Error of removing a tag that is not granted: a mistake of the caller (§7.2), rejected without a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{tag:?} is not granted, so no grant can be removed; remove each grant once")]
pub struct TagUnderflow {
    /// The tag that was to be removed.
    pub tag: TagId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, StateHash)]
struct TagCount {
    tag: TagId,
    explicit: u32,
    cumulative: u32,
}

#[cfg(test)]
mod tests;
