//! Editions: write stamps of slots, so that copying an arena over an older copy and hashing it cost only what
//! has changed (I5).
//!
//! Each write to a slot stamps it with the current edition of its arena, a number unique in the process.
//! Copying or hashing an arena ends its edition, so nothing is written under a number that two arenas share or
//! that a cached hash has: equal numbers in a slot mean equal content.
//!
//! Slots form pages of [`FANOUT`], pages form chapters of as many. A page or chapter has the edition of the last
//! write to any of its slots, so the rule holds for them as well, and unchanged ones are skipped as a whole.
//!
//! Editions and cached hashes are neither hashed nor encoded. No result depends on them, only how much is copied and
//! hashed.

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

use crate::hash::{HashSink, RecordHasher};

/// Slots of a page, and pages of a chapter. Part of the form of the state hash.
const FANOUT: usize = 16;

/// Number of levels: slots, pages, chapters.
const LEVELS: usize = 3;

/// Stamp of a slot with unknown content; never counts as equal.
const UNKNOWN: u64 = 0;

/// Value of `Editions::present` while there is no edition. No slot has this stamp.
const ENDED: u64 = u64::MAX;

/// The next edition.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The editions of an arena.
pub(super) struct Editions {
    /// Edition of each slot, page and chapter.
    levels: [Vec<u64>; LEVELS],
    /// Edition of the next write, or `ENDED`.
    present: AtomicU64,
    /// Hash of each slot, page and chapter; allocated by the first hash. May have more entries than `levels`,
    /// never fewer. Copies do not have it.
    hashes: OnceLock<Hashes>,
}

impl Editions {
    pub(super) const fn new() -> Self {
        Self {
            levels: [const { Vec::new() }; LEVELS],
            present: AtomicU64::new(ENDED),
            hashes: OnceLock::new(),
        }
    }

    /// Editions of `count` slots that were all just written.
    pub(super) fn fresh(count: usize) -> Self {
        let mut editions = Self::new();
        editions.mark_all(count);
        editions
    }

    /// Stamps a slot that was or may be written.
    #[inline]
    pub(super) fn mark(&mut self, at: usize) {
        let present = *self.present.get_mut();
        if self.levels[0].get(at) != Some(&present) {
            self.mark_first(at);
        }
    }

    /// Stamps a slot at its first write in an edition, with its page and chapter.
    #[inline(never)]
    fn mark_first(&mut self, mut at: usize) {
        let present = self.present();
        for level in &mut self.levels {
            match level.get_mut(at) {
                Some(edition) if *edition != present => *edition = present,
                // The page and chapter of a stamped slot are stamped already.
                _ => return,
            }
            at /= FANOUT;
        }
    }

    /// Appends a slot.
    pub(super) fn push(&mut self) {
        let count = self.levels[0].len() + 1;
        self.resize(count, UNKNOWN);
        self.mark(count - 1);
    }

    /// Stamps all of `count` slots.
    pub(super) fn mark_all(&mut self, count: usize) {
        let present = self.present();
        self.levels.iter_mut().for_each(Vec::clear);
        self.resize(count, present);
    }

    /// Changes the number of slots; new slots, pages and chapters get the stamp `edition`.
    fn resize(&mut self, count: usize, edition: u64) {
        self.grow_hashes(count);
        for (level, stamps) in self.levels.iter_mut().enumerate() {
            stamps.resize(nodes(level, count), edition);
        }
    }

    /// Makes room for the hashes of `count` slots, if there are any.
    #[inline]
    fn grow_hashes(&mut self, count: usize) {
        let Some(levels) = self.hashes.get_mut() else { return };
        let levels = levels.iter_mut().enumerate();
        for (level, hashes) in levels.filter(|(level, hashes)| hashes.len() < nodes(*level, count)) {
            hashes.resize_with(nodes(level, count), CachedHash::none);
        }
    }

    /// The current edition; begins one if the last has ended.
    #[inline]
    fn present(&mut self) -> u64 {
        match *self.present.get_mut() {
            ENDED => self.begin(),
            present => present,
        }
    }

    /// Begins an edition with a number that no arena of the process has used.
    #[cold]
    fn begin(&mut self) -> u64 {
        let present = NEXT.fetch_add(1, Ordering::Relaxed);
        *self.present.get_mut() = present;
        present
    }

    /// Takes over the editions of `source` and calls `copy` with the index of every slot that differs, in order. A slot,
    /// page or chapter gets its new stamp only after it was copied, so that a panic in between leaves valid
    /// editions.
    pub(super) fn follow(&mut self, source: &Self, mut copy: impl FnMut(usize)) {
        // Later writes to the source must not share the numbers that are copied here.
        source.end();
        let [slots, pages, chapters] = &source.levels;
        if slots.len() < self.levels[0].len() {
            // The last page and chapter lose slots.
            self.mark_first(slots.len().saturating_sub(1));
            self.resize(slots.len(), UNKNOWN);
        }
        self.grow_hashes(slots.len());
        let [my_slots, my_pages, my_chapters] = &mut self.levels;
        my_pages.resize(pages.len(), UNKNOWN);
        my_chapters.resize(chapters.len(), UNKNOWN);
        for chapter in 0..chapters.len() {
            if is_same(my_chapters[chapter], chapters[chapter]) {
                continue;
            }
            my_chapters[chapter] = UNKNOWN;
            for page in parts(chapter, pages.len()) {
                if is_same(my_pages[page], pages[page]) {
                    continue;
                }
                my_pages[page] = UNKNOWN;
                for slot in parts(page, slots.len()) {
                    let theirs = slots[slot];
                    match my_slots.get_mut(slot) {
                        Some(mine) if is_same(*mine, theirs) => {}
                        Some(mine) => {
                            *mine = UNKNOWN;
                            copy(slot);
                            *mine = theirs;
                        }
                        None => {
                            copy(slot);
                            my_slots.push(theirs);
                        }
                    }
                }
                my_pages[page] = pages[page];
            }
            my_chapters[chapter] = chapters[chapter];
        }
    }

    /// Adds the hash of each chapter to `hasher`. `slot` computes the hash of a slot, and is called for those that
    /// were written since their hash was computed last. It must be the same function in every call.
    pub(super) fn hash(&self, hasher: &mut impl HashSink, slot: impl Fn(usize) -> u64) {
        // Later writes must not share the numbers that are cached here.
        self.end();
        let empty = |level: &Vec<u64>| (0..level.capacity()).map(|_| CachedHash::none()).collect();
        let hashes = self.hashes.get_or_init(|| self.levels.each_ref().map(empty));
        self.hash_nodes(hashes, LEVELS - 1, 0..self.levels[LEVELS - 1].len(), hasher, &slot);
    }

    /// Adds the hashes of chapters, pages or slots to `hasher`.
    fn hash_nodes(
        &self,
        hashes: &Hashes,
        level: usize,
        nodes: Range<usize>,
        hasher: &mut impl HashSink,
        slot: &impl Fn(usize) -> u64,
    ) {
        let known = self.levels[level][nodes.clone()].iter().zip(&hashes[level][nodes.clone()]);
        for (node, (&edition, cached)) in nodes.zip(known) {
            let hash = cached.get(edition).unwrap_or_else(|| {
                let hash = if level == 0 {
                    slot(node)
                } else {
                    let mut all = RecordHasher::new();
                    self.hash_nodes(
                        hashes,
                        level - 1,
                        parts(node, self.levels[level - 1].len()),
                        &mut all,
                        slot,
                    );
                    all.finish()
                };
                cached.set(edition, hash);
                hash
            });
            hasher.number(hash, 8);
        }
    }

    /// Reserves room for more slots.
    pub(super) fn reserve(&mut self, places: usize) {
        self.levels[0].reserve_exact(places);
    }

    /// Ends the current edition: its content now exists in a copy or has a cached hash.
    fn end(&self) {
        // Relaxed is enough: a writer has exclusive access to the arena, and so has seen this store.
        self.present.store(ENDED, Ordering::Relaxed);
    }
}

impl Clone for Editions {
    fn clone(&self) -> Self {
        self.end();
        Self { levels: self.levels.clone(), ..Self::new() }
    }
}

/// Editions say nothing about the content, so they never make arenas differ.
impl PartialEq for Editions {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Editions {}

/// Number of nodes of a level among `count` slots.
const fn nodes(level: usize, count: usize) -> usize {
    count.div_ceil(FANOUT.pow(level as u32))
}

/// The pages of a chapter, of `count` pages in all; or the slots of a page.
fn parts(node: usize, count: usize) -> Range<usize> {
    let begin = node * FANOUT;
    begin..(begin + FANOUT).min(count)
}

/// Whether two editions mean equal content.
fn is_same(mine: u64, theirs: u64) -> bool {
    mine == theirs && theirs != UNKNOWN
}

/// Cached hashes of each level.
type Hashes = [Vec<CachedHash>; LEVELS];

/// A hash, and the edition of the content that it was computed from. Several threads may hash an arena at once; they
/// compute the same.
struct CachedHash {
    edition: AtomicU64,
    hash: AtomicU64,
}

impl CachedHash {
    /// No hash.
    const fn none() -> Self {
        Self { edition: AtomicU64::new(ENDED), hash: AtomicU64::new(0) }
    }

    /// The hash of the content with this edition, if it is cached.
    #[inline]
    fn get(&self, edition: u64) -> Option<u64> {
        // Acquire: pairs with the release store in `set`, so the hash belongs to this edition.
        (self.edition.load(Ordering::Acquire) == edition).then(|| self.hash.load(Ordering::Relaxed))
    }

    /// Keeps the hash of the content with this edition.
    fn set(&self, edition: u64, hash: u64) {
        if edition != UNKNOWN {
            self.hash.store(hash, Ordering::Relaxed);
            self.edition.store(edition, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(mine: &mut Editions, source: &Editions) -> Vec<usize> {
        let mut places = Vec::new();
        mine.follow(source, |at| places.push(at));
        places
    }

    #[test]
    fn only_slots_written_since_are_copied() {
        let mut live = Editions::fresh(4);
        let mut kept = Editions::new();
        assert_eq!(copied(&mut kept, &live), [0, 1, 2, 3]);
        assert_eq!(copied(&mut kept, &live), []);
        live.mark(2);
        live.push();
        live.mark(9); // out of range
        assert_eq!(copied(&mut kept, &live), [2, 4]);
        // And back: later writes are overwritten.
        live.mark(0);
        assert_eq!(copied(&mut live, &kept), [0]);
    }

    #[test]
    fn diverged_copies_share_no_edition() {
        let mut one = Editions::fresh(2);
        let mut other = one.clone();
        one.mark(0);
        other.mark(0);
        assert_eq!(copied(&mut one.clone(), &other), [0]);
        // Stamped with a new number, although nothing was written under the old one in between.
        let kept = one.clone();
        one.mark(1);
        assert_eq!(copied(&mut one, &kept), [1]);
    }
}
