//! Versioned views: the visible part of a controller, with the tick at which each of its pieces last changed.
//!
//! There is one view for each controller and visibility in use, however many clients share it. A client's
//! progress is a [`Cursor`] into its changes, so that withheld acknowledgements cost the client a full
//! resend, and the server nothing.

use core::cmp::Ordering;
use std::collections::VecDeque;

use smallvec::SmallVec;
use ugas_core::replica::{Piece, PieceKey, PieceRef, PieceScratch};

use crate::tick::Tick;
use crate::visibility::VisibilityFilter;
use crate::wire::{BASELINE_TICKS, Baseline};

/// Ticks for which removals of pieces are remembered. A client that is further behind gets everything again.
const REMOVAL_TICKS: u32 = 512;
/// Ticks for which old values are remembered: twice as long as deltas may refer back.
const HISTORY_TICKS: u32 = 2 * BASELINE_TICKS as u32;
/// Most old values that are remembered.
const MAX_HISTORY: usize = 512;

/// Position in the sequence of changes, which is ordered by tick and key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cursor {
    /// All changes before this tick are covered.
    pub(crate) version: Tick,
    /// Changes of this tick are covered up to this key; `None` covers all.
    pub(crate) key: Option<PieceKey>,
}

impl Cursor {
    /// Covers nothing.
    pub(crate) const START: Self = Self { version: Tick(0), key: Some(PieceKey::Head) };

    /// Covers everything up to the end of a tick.
    pub(crate) const fn through(version: Tick) -> Self {
        Self { version, key: None }
    }

    /// Whether it covers the change of a piece at a tick.
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
    /// Order by tick, then by key. Not derived: a key of `None` covers the whole tick and so is the greatest.
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

/// A change: the current content of a piece, or its removal (`None`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) version: Tick,
    pub(crate) key: PieceKey,
    pub(crate) piece: Option<PieceRef<'a>>,
}

impl<'a> Change<'a> {
    /// The last cursor that does not cover this change or others of its tick.
    pub(crate) fn before(&self) -> Cursor {
        Cursor::through(self.version.before(1))
    }

    /// The change with other content, as for a redacted piece; unchanged if `piece` is `None`.
    pub(crate) fn with(self, piece: Option<&'a Piece>) -> Self {
        Self { piece: piece.map(Piece::as_ref).or(self.piece), ..self }
    }

    /// The cursor that covers everything up to this change.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { version: self.version, key: Some(self.key) }
    }
}

#[derive(Debug)]
struct VersionedPiece {
    key: PieceKey,
    version: Tick,
    /// Content, with an empty slice in place of `bytes`.
    piece: Piece,
    /// Bytes of a record, or the context of a cue. Their memory is reused.
    bytes: Vec<u8>,
}

impl VersionedPiece {
    /// A piece whose bytes are copied to `bytes`.
    fn new(key: PieceKey, version: Tick, piece: PieceRef<'_>, mut bytes: Vec<u8>) -> Self {
        bytes.clear();
        let piece = match piece {
            PieceRef::Record(record) => {
                bytes.extend_from_slice(record);
                PieceRef::Record(&[])
            }
            PieceRef::Cue { count, since, context } => {
                bytes.extend_from_slice(context);
                PieceRef::Cue { count, since, context: &[] }
            }
            plain @ (PieceRef::Placement(_) | PieceRef::Attribute { .. } | PieceRef::Tag(_)) => plain,
        };
        Self { key, version, piece: piece.to_piece(), bytes }
    }

    /// Content.
    fn piece(&self) -> PieceRef<'_> {
        match self.piece.as_ref() {
            PieceRef::Record(_) => PieceRef::Record(&self.bytes),
            PieceRef::Cue { count, since, .. } => PieceRef::Cue { count, since, context: &self.bytes },
            plain @ (PieceRef::Placement(_) | PieceRef::Attribute { .. } | PieceRef::Tag(_)) => plain,
        }
    }
}

/// The visible part of a controller with its change history. Ticks must rise, from 1 on.
#[derive(Debug, Default)]
pub(crate) struct VersionedView {
    /// Present pieces, by rising key.
    entries: Vec<VersionedPiece>,
    /// Removed pieces, and the ticks of their removal.
    removed: Vec<(PieceKey, Tick)>,
    /// Tick of the newest change.
    newest: Tick,
    /// Tick of the newest removal that is not in `removed` any more.
    removals_trimmed_to: Tick,
    /// Empty buffer that is swapped with `entries`, to reuse its allocation.
    spare: Vec<VersionedPiece>,
    /// Memory for the bytes of new pieces, of removed ones.
    spare_bytes: Vec<Vec<u8>>,
    /// Old values of attributes and tags with the ticks of their changes, oldest first.
    history: VecDeque<(Tick, PieceKey, Baseline)>,
    /// Tick of the newest change that is not in `history` any more.
    history_trimmed_to: Tick,
}

impl VersionedView {
    /// Whether a piece is present, and a cursor covers its last change.
    pub(crate) fn has(&self, key: PieceKey, cursor: Cursor) -> bool {
        let at = self.entries.binary_search_by_key(&key, |entry| entry.key);
        at.is_ok_and(|at| cursor.knows(self.entries[at].version, key))
    }

    /// Updates the view to the controller's state after `tick`: changed pieces get this version, and removals
    /// and old values are recorded. True if anything changed.
    pub(crate) fn refresh(
        &mut self,
        filter: &VisibilityFilter<'_>,
        scratch: &mut PieceScratch,
        tick: Tick,
    ) -> bool {
        let mut old = core::mem::replace(&mut self.entries, core::mem::take(&mut self.spare));
        let mut known = old.drain(..).peekable();
        let (entries, removed) = (&mut self.entries, &mut self.removed);
        let (history, spare_bytes) = (&mut self.history, &mut self.spare_bytes);
        let mut changed = false;
        filter.simulation().pieces(filter.controller(), filter.detail(), scratch, |key, piece| {
            let Some(piece) = filter.filter(key, piece) else { return };
            while let Some(lost) = known.next_if(|entry| entry.key < key) {
                record_old_value(history, tick, lost.key, Some(lost.piece()));
                record_removal(removed, lost.key, tick);
                keep_bytes(spare_bytes, lost.bytes);
                changed = true;
            }
            let same = known.next_if(|entry| entry.key == key);
            match same {
                Some(entry) if entry.piece() == piece => {
                    // Unchanged pieces are not copied.
                    entries.push(entry);
                }
                before => {
                    changed = true;
                    record_old_value(history, tick, key, before.as_ref().map(VersionedPiece::piece));
                    let bytes = match (before, piece) {
                        (Some(before), _) => before.bytes,
                        (None, PieceRef::Record(_) | PieceRef::Cue { .. }) => {
                            spare_bytes.pop().unwrap_or_default()
                        }
                        (None, _) => Vec::new(),
                    };
                    entries.push(VersionedPiece::new(key, tick, piece, bytes));
                }
            }
        });
        for lost in known {
            record_old_value(history, tick, lost.key, Some(lost.piece()));
            record_removal(removed, lost.key, tick);
            keep_bytes(spare_bytes, lost.bytes);
            changed = true;
        }
        self.spare = old;
        if changed {
            self.newest = tick;
            self.trim_removals(tick.before(REMOVAL_TICKS));
            self.trim_history(tick.before(HISTORY_TICKS));
        }
        changed
    }

    /// Number of entries, of remembered removals and of old values. For tests that nothing grows without
    /// bound.
    pub(crate) fn held(&self) -> usize {
        self.entries.len() + self.removed.len() + self.history.len()
    }

    /// Whether the values at the end of a tick are still known.
    pub(crate) fn has_history_at(&self, tick: Tick) -> bool {
        tick >= self.history_trimmed_to
    }

    /// Value of an attribute or a tag at the end of a tick; requires [history](Self::has_history_at) of it.
    pub(crate) fn baseline_at(&self, key: PieceKey, tick: Tick) -> Baseline {
        // The first change after the tick holds the value before it.
        let changed = self.history.iter().find(|(at, changed, _)| *at > tick && *changed == key);
        changed.map_or_else(|| Baseline::of(self.entry(key).map(VersionedPiece::piece)), |(.., old)| *old)
    }

    /// The present piece of a key; `None` if it is not in the view.
    fn entry(&self, key: PieceKey) -> Option<&VersionedPiece> {
        let at = self.entries.binary_search_by_key(&key, |entry| entry.key).ok()?;
        self.entries.get(at)
    }

    /// Whether all changes after `cursor` are still known; otherwise everything has to be sent again.
    pub(crate) fn has_changes_since(&self, cursor: Cursor) -> bool {
        cursor.version >= self.removals_trimmed_to
    }

    /// Changes that `cursor` does not cover, oldest first.
    pub(crate) fn changes(&self, cursor: Cursor) -> SmallVec<[Change<'_>; 16]> {
        if cursor >= Cursor::through(self.newest) {
            return SmallVec::new();
        }
        let entries = self.entries.iter().map(|entry| Change {
            version: entry.version,
            key: entry.key,
            piece: Some(entry.piece()),
        });
        // The removal of a piece that came back is obsolete.
        let removed = self.removed.iter().map(|&(key, version)| Change { version, key, piece: None });
        let removed = removed
            .filter(|change| self.entries.binary_search_by_key(&change.key, |entry| entry.key).is_err());
        let mut changes: SmallVec<[Change<'_>; 16]> =
            entries.chain(removed).filter(|change| !cursor.knows(change.version, change.key)).collect();
        changes.sort_unstable_by_key(|change| (change.version, change.key));
        changes
    }

    /// Drops old values from before a tick, and the oldest beyond [`MAX_HISTORY`]; deltas cannot refer to
    /// them any more.
    fn trim_history(&mut self, before: Tick) {
        let is_over = |history: &VecDeque<_>, at: Tick| at < before || history.len() > MAX_HISTORY;
        while let Some((at, ..)) =
            self.history.front().copied().filter(|(at, ..)| is_over(&self.history, *at))
        {
            self.history.pop_front();
            self.history_trimmed_to = self.history_trimmed_to.max(at);
        }
    }

    /// Drops removals from before a tick; a client that has not received them needs a full resend.
    fn trim_removals(&mut self, before: Tick) {
        let removals_trimmed_to = &mut self.removals_trimmed_to;
        self.removed.retain(|&(_, since)| {
            let keep = since >= before;
            if !keep {
                *removals_trimmed_to = (*removals_trimmed_to).max(since);
            }
            keep
        });
    }
}

/// Records the old value of a piece, if its kind is sent as deltas.
fn record_old_value(
    history: &mut VecDeque<(Tick, PieceKey, Baseline)>,
    tick: Tick,
    key: PieceKey,
    piece: Option<PieceRef<'_>>,
) {
    if matches!(key, PieceKey::Attribute(_) | PieceKey::Tag(_)) {
        history.push_back((tick, key, Baseline::of(piece)));
    }
}

/// Keeps the memory of a removed piece.
fn keep_bytes(spare: &mut Vec<Vec<u8>>, bytes: Vec<u8>) {
    /// Most pieces whose memory is kept.
    const MAX_SPARE: usize = 16;

    if bytes.capacity() > 0 && spare.len() < MAX_SPARE {
        spare.push(bytes);
    }
}

/// Records the removal of a piece in place of an earlier one.
fn record_removal(removed: &mut Vec<(PieceKey, Tick)>, key: PieceKey, tick: Tick) {
    removed.retain(|(known, _)| *known != key);
    removed.push((key, tick));
}
