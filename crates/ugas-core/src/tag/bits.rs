//! Tag presence as a bit set, ancestors included (I4).

use super::registry::TagRegistry;
use super::set::TagSet;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, FieldClone};
use crate::hash::{HashSink, StateHash};
use crate::id::TagId;
use crate::lazy_box::LazyBox;

const BITS: u32 = u64::BITS;
const HEAD_WORDS: usize = 4;

/// A view of the present tags, 64 at a time: a set, a container, or several sets together.
///
/// Presence is closed over ancestors, so a test for a tag also finds its descendants: these are the queries
/// of §7.3 that look at `AllTagCounts`.
pub trait TagView {
    /// The bits of the tags `64 * index .. 64 * index + 64`, lowest first; zero beyond the last one.
    fn word(&self, index: usize) -> u64;

    /// True if `tag` or any descendant is present (§7.3 MatchesTag).
    #[inline]
    fn matches(&self, tag: TagId) -> bool {
        let (index, bit) = place(tag);
        self.word(index) & bit != 0
    }

    /// True if any tag of `tags` matches (§7.3 HasAny); false for no tags.
    #[inline(always)]
    fn has_any(&self, tags: &TagSet) -> bool {
        tags.any_in(self)
    }

    /// True if every tag of `tags` matches (§7.3 HasAll); true for no tags.
    #[inline(always)]
    fn has_all(&self, tags: &TagSet) -> bool {
        tags.all_in(self)
    }

    /// True if no tag of `tags` matches (§7.3 HasNone); true for no tags.
    #[inline(always)]
    fn has_none(&self, tags: &TagSet) -> bool {
        !self.has_any(tags)
    }
}

impl<V: TagView + ?Sized> TagView for &V {
    #[inline]
    fn word(&self, index: usize) -> u64 {
        (**self).word(index)
    }
}

/// A set of tags with all their ancestors: `AllTagCounts > 0` of §7.3.
///
/// No longer than the highest present tag requires; 256 tags need no allocation.
///
/// ```
/// use ugas_core::tag::{TagBits, TagRegistry};
///
/// let registry = TagRegistry::from_names(["State.Debuff.Stunned.Magic"]).unwrap();
/// let mut present = TagBits::default();
/// present.insert_closed(&registry, registry.id("State.Debuff.Stunned").unwrap());
/// assert!(present.matches(registry.id("State.Debuff").unwrap()));
/// assert!(!present.matches(registry.id("State.Debuff.Stunned.Magic").unwrap()));
/// ```
#[derive(PartialEq, Eq, Hash, Debug, Default, FieldClone)]
pub struct TagBits {
    /// The first words, stored inline: reading one takes one comparison.
    head: [u64; HEAD_WORDS],
    /// The words after `head`. The last one is never zero, so that equal sets have equal words.
    tail: LazyBox<Vec<u64>>,
}

impl TagBits {
    /// The set of these tags and their ancestors.
    pub fn closed(registry: &TagRegistry, tags: impl IntoIterator<Item = TagId>) -> Self {
        let mut bits = Self::default();
        for tag in tags {
            bits.insert_closed(registry, tag);
        }
        bits
    }

    /// The set of exactly these tags. For [queries](TagView) of present tags they must include their ancestors.
    pub(crate) fn of_exactly(tags: impl IntoIterator<Item = TagId>) -> Self {
        let mut bits = Self::default();
        for tag in tags {
            bits.set(tag);
        }
        bits
    }

    /// Adds a tag and its ancestors. An id that `registry` does not know is skipped.
    pub fn insert_closed(&mut self, registry: &TagRegistry, tag: TagId) {
        if tag.usize() >= registry.len() {
            return;
        }
        let mut next = Some(tag);
        while let Some(tag) = next
            && !self.matches(tag)
        {
            self.set(tag);
            next = registry.parent(tag);
        }
    }

    /// Adds all tags of another set.
    pub fn union_with(&mut self, other: &Self) {
        for (word, more) in self.head.iter_mut().zip(other.head) {
            *word |= more;
        }
        if other.tail.is_empty() {
            return;
        }
        let tail = self.tail.make_mut();
        if tail.len() < other.tail.len() {
            tail.resize(other.tail.len(), 0);
        }
        for (word, more) in tail.iter_mut().zip(other.tail.iter()) {
            *word |= more;
        }
    }

    /// Removes all tags, keeping the memory.
    pub fn clear(&mut self) {
        self.head = [0; HEAD_WORDS];
        if let Some(tail) = self.tail.get_mut() {
            tail.clear();
        }
    }

    /// True if no tag is present.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == [0; HEAD_WORDS] && self.tail.is_empty()
    }

    /// The tags present, ancestors included, in id order.
    pub fn iter(&self) -> impl Iterator<Item = TagId> {
        self.head.iter().chain(&*self.tail).zip(0u32..).flat_map(|(word, index)| {
            let without_lowest = |rest: &u64| rest & rest.wrapping_sub(1);
            core::iter::successors(Some(*word), move |rest| Some(without_lowest(rest)))
                .take_while(|rest| *rest != 0)
                .map(move |rest| TagId::from_index(index * BITS + rest.trailing_zeros()))
        })
    }

    /// The tag with the highest id; `None` if the set is empty.
    pub(crate) fn last(&self) -> Option<TagId> {
        let (word, index) = match self.tail.last() {
            Some(word) => (*word, HEAD_WORDS + self.tail.len() - 1),
            None => {
                (0..HEAD_WORDS).rev().map(|index| (self.head[index], index)).find(|(word, _)| *word != 0)?
            }
        };
        Some(TagId::from_index(index as u32 * BITS + word.ilog2()))
    }

    /// See [`TagView::matches`].
    #[inline]
    pub fn matches(&self, tag: TagId) -> bool {
        TagView::matches(self, tag)
    }

    /// See [`TagView::has_any`].
    #[inline]
    pub fn has_any(&self, tags: &TagSet) -> bool {
        TagView::has_any(self, tags)
    }

    /// See [`TagView::has_all`].
    #[inline]
    pub fn has_all(&self, tags: &TagSet) -> bool {
        TagView::has_all(self, tags)
    }

    /// See [`TagView::has_none`].
    #[inline]
    pub fn has_none(&self, tags: &TagSet) -> bool {
        TagView::has_none(self, tags)
    }

    /// Adds one tag without its ancestors; the caller keeps the set closed.
    #[inline]
    pub(super) fn set(&mut self, tag: TagId) {
        let (index, bit) = place(tag);
        match index.checked_sub(HEAD_WORDS) {
            None => self.head[index] |= bit,
            Some(index) => {
                let tail = self.tail.make_mut();
                if tail.len() <= index {
                    tail.resize(index + 1, 0);
                }
                tail[index] |= bit;
            }
        }
    }

    /// Removes one tag, and empty words at the end; the caller keeps the set closed.
    #[inline]
    pub(super) fn unset(&mut self, tag: TagId) {
        let (index, bit) = place(tag);
        let Some(index) = index.checked_sub(HEAD_WORDS) else {
            self.head[index] &= !bit;
            return;
        };
        let Some(tail) = self.tail.get_mut() else { return };
        if let Some(word) = tail.get_mut(index) {
            *word &= !bit;
        }
        while tail.last() == Some(&0) {
            tail.pop();
        }
    }
}

impl TagView for TagBits {
    #[inline]
    fn word(&self, index: usize) -> u64 {
        match index.checked_sub(HEAD_WORDS) {
            None => self.head[index],
            Some(index) => self.tail.get(index).copied().unwrap_or(0),
        }
    }
}

impl StateHash for TagBits {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self { head, tail } = self;
        head.state_hash(hasher);
        tail.state_hash(hasher);
    }
}

impl Encode for TagBits {
    /// Writes the words up to the last that is not zero.
    fn encode(&self, encoder: &mut Encoder) {
        let Self { head, tail } = self;
        let of_head = if tail.is_empty() {
            head.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1)
        } else {
            HEAD_WORDS
        };
        encoder.length(of_head + tail.len());
        for word in head[..of_head].iter().chain(&**tail) {
            word.encode(encoder);
        }
    }
}

impl Decode for TagBits {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let mut words = Vec::<u64>::decode(decoder)?;
        if words.last() == Some(&0) {
            return Err(decoder.invalid("a set of tags ends with an empty word"));
        }
        let tail = words.split_off(words.len().min(HEAD_WORDS));
        words.resize(HEAD_WORDS, 0);
        let mut head = [0; HEAD_WORDS];
        head.copy_from_slice(&words);
        Ok(Self { head, tail: tail.into() })
    }
}

/// View of several sets as their union, without building it: for example the granted and the asset tags of an
/// effect.
#[derive(Clone, Copy, Debug)]
pub struct UnionView<'a>(pub &'a [&'a TagBits]);

impl TagView for UnionView<'_> {
    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.0.iter().fold(0, |union, bits| union | bits.word(index))
    }
}

/// Word index and bit mask of a tag.
#[inline]
pub(super) fn place(tag: TagId) -> (usize, u64) {
    (tag.usize() / BITS as usize, 1 << (tag.index() % BITS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::hash::StateHasher;
    use proptest::prelude::*;

    fn tag(index: u32) -> TagId {
        TagId::from_index(index)
    }

    /// Tag 0 is `A`; `A.B0`, `A.B1`, … follow in an order that does not matter, each directly below.
    fn wide_registry(children: u32) -> TagRegistry {
        let names: Vec<_> = (0..children).map(|child| format!("A.B{child}")).collect();
        TagRegistry::from_names(names.iter().map(String::as_str)).unwrap()
    }

    #[test]
    fn i4_closed_set_contains_ancestors() {
        let registry = TagRegistry::from_names(["State.Debuff.Stunned.Magic", "State.Buff"]).unwrap();
        let stunned = registry.id("State.Debuff.Stunned").unwrap();
        let bits = TagBits::closed(&registry, [stunned]);
        let names: Vec<_> = bits.iter().map(|tag| registry.name(tag)).collect();
        assert_eq!(names, ["State", "State.Debuff", "State.Debuff.Stunned"]);
    }

    #[test]
    fn tag_bits_equality_and_hash_do_not_depend_on_history() {
        let registry = wide_registry(300);
        let mut bits = TagBits::closed(&registry, [tag(1), tag(299)]);
        bits.unset(tag(299));
        let fresh = TagBits::closed(&registry, [tag(1)]);
        assert_eq!(bits, fresh);
        assert_eq!(StateHasher::of(&bits), StateHasher::of(&fresh));
        bits.unset(tag(1));
        bits.unset(tag(0));
        assert!(bits.is_empty() && bits == TagBits::default());
    }

    #[test]
    fn unknown_ids_neither_grow_the_set_nor_match() {
        let mut bits = TagBits::default();
        bits.insert_closed(&wide_registry(2), tag(u32::MAX));
        assert!(bits.is_empty() && !bits.matches(tag(u32::MAX)));
        assert!(!bits.has_any(&TagSet::new([tag(u32::MAX)])));
    }

    #[test]
    fn union_view_agrees_with_the_union() {
        let registry = wide_registry(200);
        let one = TagBits::closed(&registry, [tag(3)]);
        let other = TagBits::closed(&registry, [tag(150)]);
        let both = [&one, &other];
        let view = UnionView(&both);
        let needed = TagSet::new([tag(3), tag(150)]);
        assert!(view.has_all(&needed) && !one.has_all(&needed) && !other.has_all(&needed));
        let mut union = one.clone();
        union.union_with(&other);
        assert!((0..6).all(|index| view.word(index) == union.word(index)));
        assert!(UnionView(&[]).has_none(&needed));
    }

    proptest! {
        #[test]
        fn tag_bits_agree_with_a_btree_set(
            members in prop::collection::btree_set(0u32..300, 0..20),
            asked in prop::collection::btree_set(0u32..400, 0..6),
            dropped in prop::collection::btree_set(0u32..300, 0..10),
        ) {
            let mut bits = TagBits::default();
            members.iter().for_each(|index| bits.set(tag(*index)));
            dropped.iter().for_each(|index| bits.unset(tag(*index)));
            let kept: BTreeSet<u32> = members.difference(&dropped).copied().collect();
            let set = TagSet::new(asked.iter().map(|index| tag(*index)));
            prop_assert!(bits.iter().map(TagId::index).eq(kept.iter().copied()));
            prop_assert_eq!(bits.last().map(TagId::index), kept.last().copied());
            prop_assert_eq!(bits.is_empty(), kept.is_empty());
            prop_assert_eq!(bits.has_any(&set), !asked.is_disjoint(&kept));
            prop_assert_eq!(bits.has_all(&set), asked.is_subset(&kept));
            prop_assert_eq!(bits.has_none(&set), asked.is_disjoint(&kept));
        }
    }
}
