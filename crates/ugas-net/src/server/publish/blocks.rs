//! Encoded changes of controllers: once for all clients with the same view, and separately for clients that
//! must not see a controller named in them.

use std::collections::BTreeMap;
use std::rc::Rc;

use smallvec::SmallVec;
use ugas_core::handle::ControllerId;
use ugas_core::replica::{Piece, PieceKey};
use ugas_core::simulation::Simulation;

use super::super::{Host, PeerId, Server, ServerEvent};
use super::draft::{Addressing, MAX_BLOCK};
use crate::bits::BitWriter;
use crate::tick::Tick;
use crate::versioned_view::{Change, Cursor, VersionedView};
use crate::visibility::VisibilityId;
use crate::wire::{Baseline, BlockEncoding, DeltaEntry, Dictionary, Exactness, ViewHeader, write_block};

/// Changes of a controller in blocks that each fit into a datagram, with the cursor that each leads to.
pub(super) type EncodedBlocks = Rc<[(BitWriter, Cursor)]>;

/// Blocks encoded in this tick, by everything that they depend on.
pub(super) type Blocks = BTreeMap<(ControllerId, VisibilityId, Cursor, bool, Option<Tick>), SharedBlocks>;

/// Blocks for all clients that see every controller named in them.
pub(super) struct SharedBlocks {
    encoded: EncodedBlocks,
    named: SmallVec<[ControllerId; 4]>,
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
        let nothing = || (EncodedBlocks::default(), Addressing::Handle(ViewHeader::default()));
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
        let shared =
            blocks.entry((controller, view.visibility, cursor, own, baseline)).or_insert_with(|| {
                let changes = versioned.changes(cursor);
                let named = named_in(&self.simulation, controller, &changes);
                let (encoded, too_large) = encoder.encode(&changes, end);
                for (piece, version) in too_large {
                    let said = self.too_large.insert((controller, piece), version);
                    if said != Some(version) {
                        self.statistics.too_large += 1;
                        self.events.push_back(ServerEvent::TooLarge { controller, piece });
                    }
                }
                SharedBlocks { encoded, named }
            });
        let hidden = shared.named.iter().copied().filter(|named| !session.sees(*named));
        let hidden: SmallVec<[ControllerId; 4]> = hidden.collect();
        if hidden.is_empty() {
            return (Rc::clone(&shared.encoded), addressing);
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
        (encoder.encode(&visible, end).0, addressing)
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
    /// Blocks that each fit into a datagram, each with the cursor it leads to (the last to `end`), and the
    /// changes that fit into none. Changes are split by age, and written by key.
    fn encode(
        &self,
        changes: &[Change<'_>],
        end: Cursor,
    ) -> (EncodedBlocks, SmallVec<[(PieceKey, Tick); 1]>) {
        let mut encoded = Vec::new();
        let mut too_large = SmallVec::new();
        let mut rest = changes;
        while let Some(first) = rest.first() {
            let mut count = rest.len();
            let block = loop {
                let block = self.encode_block(&rest[..count]);
                if count == 1 || block.is_some() {
                    break block;
                }
                count = count.div_ceil(2);
            };
            let reached = if count == rest.len() { end } else { rest[count - 1].cursor() };
            match block {
                Some(block) => encoded.push((block, reached)),
                // A single piece that no datagram has room for cannot be sent at all.
                None => too_large.push((first.key, first.version)),
            }
            rest = &rest[count..];
        }
        (encoded.into(), too_large)
    }

    /// One block of all these changes, sorted by key; `None` if no datagram has room for it or it cannot be
    /// encoded.
    fn encode_block(&self, changes: &[Change<'_>]) -> Option<BitWriter> {
        let baseline =
            |key| self.baseline.map_or(Baseline::Nothing, |tick| self.versioned.baseline_at(key, tick));
        let pieces = changes.iter().map(|&Change { key, piece, .. }| DeltaEntry {
            key,
            piece,
            baseline: baseline(key),
        });
        let mut pieces: Vec<_> = pieces.collect();
        pieces.sort_unstable_by_key(|entry| entry.key);
        let mut block = BitWriter::new();
        let encoding = if self.baseline.is_some() { BlockEncoding::Delta } else { BlockEncoding::Full };
        write_block(self.dictionary, Exactness::of(self.own), encoding, pieces.into_iter(), &mut block)
            .ok()?;
        (block.byte_len() <= MAX_BLOCK).then_some(block)
    }
}
