//! Replicas: a controller as it is seen through a lens, with the tick at which each of its pieces last changed.
//!
//! There is one replica for each controller and lens that somebody looks through, whoever and however many they are. What
//! a client has acknowledged is a [`Cursor`] into it; withheld acknowledgements cost a client a full resend, and the
//! server nothing.

use core::cmp::Ordering;
use std::collections::VecDeque;

use ugas_core::mirror::{Piece, PieceKey, PieceScratch};

use crate::lens::Seen;
use crate::tick::Tick;
use crate::wire::{HELD_VALUES, Old};

/// How long it is remembered that a piece is gone. Whoever is further behind gets everything anew.
const MEMORY: u32 = 512;
/// How long it is remembered what pieces were before: twice as long as anybody is told of differences from then.
const PAST: u32 = 2 * HELD_VALUES as u32;
/// Most changes whose past is remembered.
const MOST_PAST: usize = 512;

/// How far a client is in the sequence of changes, which is ordered by tick and key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cursor {
    /// All changes before this tick are known,
    pub(crate) version: Tick,
    /// and of this tick those up to here; `None` is all.
    pub(crate) key: Option<PieceKey>,
}

impl Cursor {
    /// Nothing is known.
    pub(crate) const START: Self = Self { version: Tick(0), key: Some(PieceKey::Head) };

    /// Everything up to the end of this tick is known.
    pub(crate) const fn through(version: Tick) -> Self {
        Self { version, key: None }
    }

    fn knows(&self, version: Tick, key: PieceKey) -> bool {
        version < self.version || version == self.version && self.key.is_none_or(|known| key <= known)
    }
}

impl PartialOrd for Cursor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cursor {
    fn cmp(&self, other: &Self) -> Ordering {
        let keys = match (self.key, other.key) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(one), Some(other)) => one.cmp(&other),
        };
        self.version.cmp(&other.version).then(keys)
    }
}

/// A change of a replica: a piece as it is now, or that it is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) version: Tick,
    pub(crate) key: PieceKey,
    pub(crate) piece: Option<&'a Piece>,
}

impl<'a> Change<'a> {
    /// Where a client is at most that does not know of this change.
    pub(crate) fn before(&self) -> Cursor {
        Cursor::through(self.version.before(1))
    }

    /// The same, with another content if there is one.
    pub(crate) fn with(self, piece: Option<&'a Piece>) -> Self {
        Self { piece: piece.or(self.piece), ..self }
    }

    /// Where a client is that knows everything up to this change.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { version: self.version, key: Some(self.key) }
    }
}

#[derive(Debug)]
struct Entry {
    key: PieceKey,
    version: Tick,
    piece: Piece,
}

/// A controller through a lens. Ticks must rise from 1: before that nothing happens.
#[derive(Debug, Default)]
pub(crate) struct Replica {
    /// By rising key.
    entries: Vec<Entry>,
    /// Pieces that are gone, and since when.
    gone: Vec<(PieceKey, Tick)>,
    /// The newest change.
    newest: Tick,
    /// The newest removal that was forgotten.
    forgotten: Tick,
    /// The entries before the last refresh, for their memory.
    spare: Vec<Entry>,
    /// What attributes and tags were before they changed, oldest first.
    past: VecDeque<(Tick, PieceKey, Old)>,
    /// The newest change whose past was forgotten.
    past_forgotten: Tick,
}

impl Replica {
    /// Looks at the controller again, after `tick`; true if anything changed.
    pub(crate) fn refresh(&mut self, seen: &Seen<'_>, scratch: &mut PieceScratch, tick: Tick) -> bool {
        let mut old = core::mem::replace(&mut self.entries, core::mem::take(&mut self.spare));
        let mut known = old.drain(..).peekable();
        let (entries, gone) = (&mut self.entries, &mut self.gone);
        let past = &mut self.past;
        let mut changed = false;
        seen.simulation().pieces(seen.controller(), seen.detail(), scratch, |key, piece| {
            let Some(piece) = seen.filter(key, piece) else { return };
            while let Some(lost) = known.next_if(|entry| entry.key < key) {
                remember(past, tick, lost.key, Some(&lost.piece));
                bury(gone, lost.key, tick);
                changed = true;
            }
            let same = known.next_if(|entry| entry.key == key);
            match same {
                Some(entry) if entry.piece.as_ref() == piece => {
                    // Nothing is copied unless it is news.
                    entries.push(entry);
                }
                before => {
                    changed = true;
                    remember(past, tick, key, before.as_ref().map(|entry| &entry.piece));
                    entries.push(Entry { key, version: tick, piece: piece.to_piece() });
                }
            }
        });
        for lost in known {
            remember(past, tick, lost.key, Some(&lost.piece));
            bury(gone, lost.key, tick);
            changed = true;
        }
        self.spare = old;
        if changed {
            self.newest = tick;
            self.forget(tick.before(MEMORY));
            self.forget_past(tick.before(PAST));
        }
        changed
    }

    /// How many things it holds.
    pub(crate) fn held(&self) -> usize {
        self.entries.len() + self.gone.len() + self.past.len()
    }

    /// Whether it is known what everything was at the end of this tick.
    pub(crate) fn remembers(&self, tick: Tick) -> bool {
        tick >= self.past_forgotten
    }

    /// What an attribute or a tag was at the end of a tick that it [remembers](Self::remembers).
    pub(crate) fn old(&self, key: PieceKey, tick: Tick) -> Old {
        // The first change after it says what was before.
        let changed = self.past.iter().find(|(at, changed, _)| *at > tick && *changed == key);
        changed.map_or_else(|| Old::of(self.entry(key).map(|entry| &entry.piece)), |(.., old)| *old)
    }

    fn entry(&self, key: PieceKey) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&key, |entry| entry.key).ok()?;
        self.entries.get(at)
    }

    /// Whether what is missing after `cursor` is still known; otherwise everything has to be sent anew.
    pub(crate) fn reaches(&self, cursor: Cursor) -> bool {
        cursor.version >= self.forgotten
    }

    /// What a client at `cursor` does not know yet, oldest first.
    pub(crate) fn changes(&self, cursor: Cursor) -> Vec<Change<'_>> {
        if cursor >= Cursor::through(self.newest) {
            return Vec::new();
        }
        let entries = self.entries.iter().map(|entry| Change {
            version: entry.version,
            key: entry.key,
            piece: Some(&entry.piece),
        });
        // A piece that came back is an entry, and what was said of its going is over.
        let gone = self.gone.iter().map(|&(key, version)| Change { version, key, piece: None });
        let gone =
            gone.filter(|change| self.entries.binary_search_by_key(&change.key, |entry| entry.key).is_err());
        let mut changes: Vec<_> =
            entries.chain(gone).filter(|change| !cursor.knows(change.version, change.key)).collect();
        changes.sort_unstable_by_key(|change| (change.version, change.key));
        changes
    }

    fn forget_past(&mut self, before: Tick) {
        let is_over = |past: &VecDeque<_>, at: Tick| at < before || past.len() > MOST_PAST;
        while let Some((at, ..)) = self.past.front().copied().filter(|(at, ..)| is_over(&self.past, *at)) {
            self.past.pop_front();
            self.past_forgotten = self.past_forgotten.max(at);
        }
    }

    fn forget(&mut self, before: Tick) {
        let forgotten = &mut self.forgotten;
        self.gone.retain(|&(_, since)| {
            let keep = since >= before;
            if !keep {
                *forgotten = (*forgotten).max(since);
            }
            keep
        });
    }
}

/// Remembers what a piece was, if it is one that is told by its differences.
fn remember(past: &mut VecDeque<(Tick, PieceKey, Old)>, tick: Tick, key: PieceKey, piece: Option<&Piece>) {
    if matches!(key, PieceKey::Attribute(_) | PieceKey::Tag(_)) {
        past.push_back((tick, key, Old::of(piece)));
    }
}

/// Remembers that a piece is gone, and not when it went before.
fn bury(gone: &mut Vec<(PieceKey, Tick)>, key: PieceKey, tick: Tick) {
    gone.retain(|(known, _)| *known != key);
    gone.push((key, tick));
}
