//! Encoded changes of controllers: once for all clients with the same view, and separately for clients that
//! must not see a controller named in them.

use core::ops::Range;

use smallvec::SmallVec;
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::replica::{Piece, PieceKey};
use ugas_core::simulation::Simulation;

use super::super::{Host, PeerId, Server, ServerEvent};
use super::draft::{Addressing, MAX_BLOCK};
use crate::bits::BitWriter;
use crate::tick::Tick;
use crate::versioned_view::{Change, Cursor, VersionedView};
use crate::visibility::VisibilityId;
use crate::wire::{Baseline, BlockEncoding, DeltaEntry, Dictionary, Exactness, ViewHeader, write_block};

/// Most blocks whose memory is kept for the next tick.
const KEPT_BLOCKS: usize = 4_096;

/// Index of a block in [`Blocks`].
pub(super) type BlockIndex = usize;

/// Blocks of one controller, in the order of their changes.
pub(super) type EncodedBlocks = Range<BlockIndex>;

/// Blocks encoded in this tick. Their memory is reused in the next one.
#[derive(Default)]
pub(super) struct Blocks {
    /// Blocks that each fit into a datagram, with the cursor that each leads to; then spare ones.
    encoded: Vec<(BitWriter, Cursor)>,
    used: usize,
    shared: Vec<SharedBlocks>,
    /// By slot of the controller: one more than the index of its newest item in `shared`, or 0.
    newest_shared: Vec<usize>,
}

/// Blocks for all clients that see every controller named in them.
struct SharedBlocks {
    depends_on: (ControllerId, VisibilityId, Cursor, bool, Option<Tick>),
    encoded: EncodedBlocks,
    named: SmallVec<[ControllerId; 4]>,
    /// The item before it with the same slot, as in [`Blocks::newest_shared`].
    previous: usize,
}

impl Blocks {
    /// A block.
    pub(super) fn block(&self, at: BlockIndex) -> &BitWriter {
        &self.encoded[at].0
    }

    /// Blocks of a controller, with their indices and the cursor that each leads to.
    pub(super) fn of(&self, blocks: EncodedBlocks) -> impl Iterator<Item = (BlockIndex, &BitWriter, Cursor)> {
        blocks.filter_map(|at| self.encoded.get(at).map(|(block, after)| (at, block, *after)))
    }

    /// Drops all blocks, and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.used = 0;
        self.encoded.truncate(KEPT_BLOCKS);
        for shared in self.shared.drain(..) {
            self.newest_shared[shared.depends_on.0.index() as usize] = 0;
        }
    }

    /// Index of the blocks that depend on exactly this; `None` if they are not encoded yet.
    fn find(&self, depends_on: &(ControllerId, VisibilityId, Cursor, bool, Option<Tick>)) -> Option<usize> {
        let slot = depends_on.0.index() as usize;
        let mut next = self.newest_shared.get(slot).copied().unwrap_or(0);
        while let Some(at) = next.checked_sub(1) {
            let shared = self.shared.get(at)?;
            if shared.depends_on == *depends_on {
                return Some(at);
            }
            next = shared.previous;
        }
        None
    }

    /// Adds blocks that clients share, and returns their index.
    fn share(&mut self, mut shared: SharedBlocks) -> usize {
        let slot = shared.depends_on.0.index() as usize;
        if slot >= self.newest_shared.len() {
            self.newest_shared.resize(slot + 1, 0);
        }
        let at = self.shared.len();
        shared.previous = core::mem::replace(&mut self.newest_shared[slot], at + 1);
        self.shared.push(shared);
        at
    }

    /// Adds a block that `write` writes into an empty buffer, unless it returns false.
    fn add(&mut self, write: impl FnOnce(&mut BitWriter) -> bool) -> bool {
        if self.used >= self.encoded.len() {
            self.encoded.push((BitWriter::new(), Cursor::START));
        }
        let (block, _) = &mut self.encoded[self.used];
        block.clear();
        let is_written = write(block);
        self.used += usize::from(is_written);
        is_written
    }
}

impl<H: Host> Server<H> {
    /// Encoded changes of a controller after `cursor`, and how the controller is addressed; no blocks if the
    /// client has no view of it. Restarts the view if changes after `cursor` are forgotten, emits
    /// [`ServerEvent::TooLarge`] for pieces that fit into no datagram, and redacts handles of controllers
    /// that the client does not see. Blocks that need no redaction are shared through `blocks`.
    pub(super) fn blocks_for(
        &mut self,
        peer: PeerId,
        controller: ControllerId,
        mut cursor: Cursor,
        blocks: &mut Blocks,
    ) -> (EncodedBlocks, Addressing) {
        let nothing = || (0..0, Addressing::Handle(ViewHeader::default()));
        let Some(session) = self.sessions.get_mut(&peer) else { return nothing() };
        let has_slot = session.outbound.has_slot(controller);
        let base = session.acks.base(self.tick);
        let Some(view) = session.outbound.views.get_mut(&controller) else { return nothing() };
        let own = view.own;
        let Some(versioned) = self.versioned_views.get(&(controller, view.visibility)) else {
            return nothing();
        };
        let Some(visibility) = self.visibilities.get(usize::from(view.visibility.0)) else {
            return nothing();
        };
        if cursor != Cursor::START && !versioned.has_changes_since(cursor) {
            // Changes before the cursor are trimmed: send everything again.
            view.restart();
            cursor = Cursor::START;
        }
        let end = Cursor::through(self.tick);
        // A restarted view is not known by its slot any more.
        let has_slot = has_slot && view.is_known();
        let baseline = base.filter(|_| has_slot).and_then(|base| view.baseline(base));
        let baseline = baseline.filter(|tick| versioned.has_history_at(*tick));
        let addressing = match baseline {
            _ if !has_slot => {
                Addressing::Handle(ViewHeader { epoch: view.epoch, own, visibility: visibility.records })
            }
            None => Addressing::Slot(BlockEncoding::Full),
            Some(_) => Addressing::Slot(BlockEncoding::Delta),
        };
        let encoder = BlockEncoder { versioned, baseline, own, dictionary: &self.dictionary };
        let depends_on = (controller, view.visibility, cursor, own, baseline);
        let shared = blocks.find(&depends_on).unwrap_or_else(|| {
            let changes = versioned.changes(cursor);
            let named = named_in(&self.simulation, controller, &changes);
            let (encoded, too_large) = encoder.encode(&changes, end, blocks);
            for (piece, version) in too_large {
                let said = self.too_large.insert((controller, piece), version);
                if said != Some(version) {
                    self.statistics.too_large += 1;
                    self.events.push_back(ServerEvent::TooLarge { controller, piece });
                }
            }
            blocks.share(SharedBlocks { depends_on, encoded, named, previous: 0 })
        });
        let shared = &blocks.shared[shared];
        let hidden = shared.named.iter().copied().filter(|named| !session.sees(*named));
        let hidden: SmallVec<[ControllerId; 4]> = hidden.collect();
        if hidden.is_empty() {
            return (shared.encoded.clone(), addressing);
        }
        // Handles of hidden controllers are left out: this client gets blocks of its own.
        let changes = versioned.changes(cursor);
        let sees = |named| !hidden.contains(&named);
        let mut redacted: Vec<Option<Piece>> = Vec::with_capacity(changes.len());
        for change in &changes {
            let mut unseen: SmallVec<[ControllerId; 4]> = SmallVec::new();
            if change.piece.is_some() {
                let hide = |named| unseen.extend((!sees(named)).then_some(named));
                self.simulation.referenced_controllers(controller, change.key, hide);
            }
            if let Some(view) = session.outbound.views.get_mut(&controller) {
                unseen.iter().for_each(|hidden| view.withhold(*hidden, change.before()));
            }
            let is_redacted = !unseen.is_empty();
            let redact = || {
                self.simulation.redacted(controller, change.key, visibility.detail(), &mut self.scratch, sees)
            };
            redacted.push(is_redacted.then(redact).flatten());
        }
        let visible = changes.iter().zip(&redacted);
        let visible: Vec<_> = visible.map(|(change, redacted)| change.with(redacted.as_ref())).collect();
        (encoder.encode(&visible, end, blocks).0, addressing)
    }
}

/// Controllers that are named in changes, each once. A client that does not see all of them needs redacted
/// blocks.
fn named_in(
    simulation: &Simulation,
    controller: ControllerId,
    changes: &[Change<'_>],
) -> SmallVec<[ControllerId; 4]> {
    let mut named: SmallVec<[ControllerId; 4]> = SmallVec::new();
    for change in changes.iter().filter(|change| change.piece.is_some()) {
        simulation.referenced_controllers(controller, change.key, |id| {
            if !named.contains(&id) {
                named.push(id);
            }
        });
    }
    named
}

/// Encodes changes of one controller.
struct BlockEncoder<'a> {
    versioned: &'a VersionedView,
    /// Baseline of deltas; `None` for full values.
    baseline: Option<Tick>,
    own: bool,
    dictionary: &'a Dictionary,
}

impl BlockEncoder<'_> {
    /// Adds blocks that each fit into a datagram, each with the cursor it leads to (the last to `end`), and
    /// lists the changes that fit into none. Changes are split by age, and written by key.
    fn encode(
        &self,
        changes: &[Change<'_>],
        end: Cursor,
        blocks: &mut Blocks,
    ) -> (EncodedBlocks, SmallVec<[(PieceKey, Tick); 1]>) {
        let start = blocks.used;
        let mut too_large = SmallVec::new();
        let mut rest = changes;
        while let Some(first) = rest.first() {
            let mut count = rest.len();
            let is_written = loop {
                let is_written = blocks.add(|block| self.encode_block(&rest[..count], block));
                if count == 1 || is_written {
                    break is_written;
                }
                count = count.div_ceil(2);
            };
            let reached = if count == rest.len() { end } else { rest[count - 1].cursor() };
            if is_written {
                blocks.encoded[blocks.used - 1].1 = reached;
            } else {
                // A single piece that no datagram has room for cannot be sent at all.
                too_large.push((first.key, first.version));
            }
            rest = &rest[count..];
        }
        (start..blocks.used, too_large)
    }

    /// Writes a block of all these changes, sorted by key; false if no datagram has room for it or it cannot
    /// be encoded.
    fn encode_block(&self, changes: &[Change<'_>], block: &mut BitWriter) -> bool {
        let baseline =
            |key| self.baseline.map_or(Baseline::Nothing, |tick| self.versioned.baseline_at(key, tick));
        let pieces = changes.iter().map(|&Change { key, piece, .. }| DeltaEntry {
            key,
            piece,
            baseline: baseline(key),
        });
        let mut pieces: SmallVec<[_; 16]> = pieces.collect();
        pieces.sort_unstable_by_key(|entry| entry.key);
        let encoding = if self.baseline.is_some() { BlockEncoding::Delta } else { BlockEncoding::Full };
        let exactness = Exactness::of(self.own);
        let pieces = pieces.iter().copied();
        write_block(self.dictionary, exactness, encoding, pieces, block).is_ok()
            && block.byte_len() <= MAX_BLOCK
    }
}
