//! Tag sets of definitions: compiled to masks once, evaluated often.

use super::bits::{TagView, place};
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, StateRecord};
use crate::hash::{HashSink, StateHash};
use crate::id::TagId;

/// An immutable set of tags, for requirements (`ActivationRequiredTags`, `ApplicationBlockedTags`, …).
///
/// Unlike [`TagBits`](super::TagBits) it holds only the listed tags, without ancestors: another debuff must
/// not satisfy a requirement of `State.Debuff.Stunned`.
///
/// ```
/// use ugas_core::tag::{TagBits, TagRegistry, TagSet};
///
/// let registry = TagRegistry::from_names(["Status.Burning", "Status.Frozen"]).unwrap();
/// let [burning, frozen] = ["Status.Burning", "Status.Frozen"].map(|name| registry.id(name).unwrap());
/// let present = TagBits::closed(&registry, [burning]);
/// assert!(present.has_any(&TagSet::new([burning, frozen])));
/// assert!(!present.has_all(&TagSet::new([burning, frozen])));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct TagSet {
    /// The tags, sorted, without duplicates.
    tags: Box<[TagId]>,
    /// The same tags as words of bits. Related tags have neighbouring ids (I4), so one word is the usual
    /// case, and it is stored inline; the mask is zero only if there are no tags.
    first: WordMask,
    /// The other words in order, only where the mask is not zero.
    rest: Box<[WordMask]>,
}

impl TagSet {
    /// The set of these tags, in any order, repeated or not.
    pub fn new(tags: impl IntoIterator<Item = TagId>) -> Self {
        let mut tags: Vec<TagId> = tags.into_iter().collect();
        tags.sort_unstable();
        tags.dedup();
        let mut masks: Vec<WordMask> = Vec::new();
        for tag in &tags {
            let (index, bit) = place(*tag);
            // A tag id has 32 bits, so the index of its word fits with room to spare.
            let word = index as u32;
            match masks.last_mut() {
                Some(last) if last.word == word => last.mask |= bit,
                _ => masks.push(WordMask { word, mask: bit }),
            }
        }
        let rest = masks.split_off(masks.len().min(1)).into_boxed_slice();
        Self { tags: tags.into_boxed_slice(), first: masks.pop().unwrap_or_default(), rest }
    }

    /// The tags in id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TagId> + Clone {
        self.tags.iter().copied()
    }

    /// The tags in id order, as a slice.
    pub(crate) fn as_slice(&self) -> &[TagId] {
        &self.tags
    }

    /// The number of tags.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// True if there is no tag.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first.mask == 0
    }

    /// Whether exactly this tag is listed, regardless of the hierarchy.
    pub fn contains(&self, tag: TagId) -> bool {
        self.tags.binary_search(&tag).is_ok()
    }

    /// The tags that `view` lacks: the reasons of an unmet requirement (I8).
    pub fn missing_from<V: TagView + ?Sized>(&self, view: &V) -> impl Iterator<Item = TagId> {
        self.iter().filter(|tag| !view.matches(*tag))
    }

    /// The tags that `view` has: the reasons of a blocked set (I8).
    pub fn present_in<V: TagView + ?Sized>(&self, view: &V) -> impl Iterator<Item = TagId> {
        self.iter().filter(|tag| view.matches(*tag))
    }

    /// True if any tag is present in `view`; see [`TagView::has_any`].
    #[inline(always)]
    pub(super) fn any_in<V: TagView + ?Sized>(&self, view: &V) -> bool {
        self.first.any_in(view) || self.rest.iter().any(|word| word.any_in(view))
    }

    /// True if every tag is present in `view`; see [`TagView::has_all`].
    #[inline(always)]
    pub(super) fn all_in<V: TagView + ?Sized>(&self, view: &V) -> bool {
        self.first.all_in(view) && self.rest.iter().all(|word| word.all_in(view))
    }
}

impl FromIterator<TagId> for TagSet {
    fn from_iter<I: IntoIterator<Item = TagId>>(tags: I) -> Self {
        Self::new(tags)
    }
}

impl StateHash for TagSet {
    /// Hashes the ids; the masks are derived from them.
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self { tags, first: _, rest: _ } = self;
        tags.state_hash(hasher);
    }
}

impl Encode for TagSet {
    fn encode(&self, encoder: &mut Encoder) {
        let Self { tags, first: _, rest: _ } = self;
        tags.encode(encoder);
    }
}

impl Decode for TagSet {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let tags = Vec::decode(decoder)?;
        if !tags.is_sorted_by(|one, other| one < other) {
            return Err(decoder.invalid("the tags of a set are not sorted"));
        }
        Ok(Self::new(tags))
    }
}

/// A `Require` and `Ignore` pair, as of a modifier's source and target (M5).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, StateRecord)]
pub struct TagRequirement {
    /// All of these must be present.
    pub require: TagSet,
    /// None of these may be present.
    pub ignore: TagSet,
}

impl TagRequirement {
    /// Whether both sets are empty, so that it is always met and needs no notification of tag changes.
    #[inline]
    pub fn is_trivial(&self) -> bool {
        self.require.is_empty() && self.ignore.is_empty()
    }

    /// True if every required tag is present and no ignored one is.
    #[inline(always)]
    pub fn is_met_by<V: TagView + ?Sized>(&self, view: &V) -> bool {
        view.has_all(&self.require) && view.has_none(&self.ignore)
    }

    /// All its tags, the required ones first: a change of any of them can change the outcome.
    pub fn tags(&self) -> impl Iterator<Item = TagId> + Clone {
        self.require.iter().chain(self.ignore.iter())
    }
}

/// The tags of a set that share one word of a [`TagView`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct WordMask {
    word: u32,
    mask: u64,
}

impl WordMask {
    #[inline(always)]
    fn any_in<V: TagView + ?Sized>(self, view: &V) -> bool {
        view.word(self.word as usize) & self.mask != 0
    }

    #[inline(always)]
    fn all_in<V: TagView + ?Sized>(self, view: &V) -> bool {
        view.word(self.word as usize) & self.mask == self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::TagBits;
    use super::super::registry::TagRegistry;
    use super::*;

    fn tags<const N: usize>(indices: [u32; N]) -> TagSet {
        indices.into_iter().map(TagId::from_index).collect()
    }

    fn masks(set: &TagSet) -> Vec<(u32, u64)> {
        core::iter::once(&set.first).chain(&set.rest).map(|word| (word.word, word.mask)).collect()
    }

    #[test]
    fn tag_set_is_sorted_without_duplicates() {
        let set = tags([130, 2, 64, 2, 63]);
        assert!(set.iter().map(TagId::index).eq([2, 63, 64, 130]));
        // 130 = 2 * 64 + 2.
        assert_eq!(masks(&set), [(0, 1 << 2 | 1 << 63), (1, 1), (2, 1 << 2)]);
        assert_eq!((set.len(), set.is_empty()), (4, false));
        assert!(set.contains(TagId::from_index(64)) && !set.contains(TagId::from_index(65)));
        assert_eq!(set, tags([2, 63, 64, 130]));
        assert!(tags([]).is_empty() && tags([]) == TagSet::default());
    }

    #[test]
    fn highest_tag_id_needs_one_mask() {
        assert_eq!(masks(&tags([u32::MAX])), [(u32::MAX / 64, 1 << 63)]);
    }

    #[test]
    fn m5_requirement_needs_all_required_and_no_ignored_tags() {
        let registry = TagRegistry::from_names(["Element.Fire", "Element.Water", "State.Wet"]).unwrap();
        let id = |name: &str| registry.id(name).unwrap();
        let requirement = TagRequirement {
            require: TagSet::new([id("Element"), id("Element.Fire")]),
            ignore: TagSet::new([id("State.Wet")]),
        };
        let check = |names: &[&str], met: bool| {
            let view = TagBits::closed(&registry, names.iter().map(|name| id(name)));
            assert_eq!(requirement.is_met_by(&view), met, "{names:?}");
            assert!(TagRequirement::default().is_met_by(&view));
        };
        check(&["Element.Fire"], true);
        check(&["Element.Fire", "State"], true);
        check(&["Element.Fire", "State.Wet"], false);
        check(&["Element.Water"], false);
        check(&[], false);
        assert!(TagRequirement::default().is_trivial() && !requirement.is_trivial());
        assert_eq!(requirement.tags().count(), 3);
    }

    #[test]
    fn i8_tag_set_reports_missing_and_present_tags() {
        let registry = TagRegistry::from_names(["A", "B", "C"]).unwrap();
        let view = TagBits::closed(&registry, [TagId::from_index(1)]);
        let set = tags([0, 1, 2]);
        assert!(set.missing_from(&view).map(TagId::index).eq([0, 2]));
        assert!(set.present_in(&view).map(TagId::index).eq([1]));
    }
}
