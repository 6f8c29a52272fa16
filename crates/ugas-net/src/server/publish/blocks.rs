//! Changes of controllers, encoded: once for all who may know the same, and for those who may not by themselves.

use std::collections::BTreeMap;
use std::rc::Rc;

use smallvec::SmallVec;
use ugas_core::handle::ControllerId;
use ugas_core::mirror::{Piece, PieceKey};
use ugas_core::simulation::Simulation;

use super::super::{Host, PeerId, Server, ServerEvent};
use super::draft::{MAX_BLOCK, Naming};
use crate::bits::BitWriter;
use crate::lens::LensId;
use crate::replica::{Change, Cursor, Replica};
use crate::tick::Tick;
use crate::wire::{Basis, Dictionary, Exactness, Old, Told, View, write_block};

/// Changes of a controller in pieces that each fit into a datagram, with where a client is after each.
pub(super) type Encoded = Rc<[(BitWriter, Cursor)]>;

/// What was encoded in this tick, for all who need the same.
pub(super) type Blocks = BTreeMap<(ControllerId, LensId, Cursor, bool, Option<Tick>), Shared>;

/// Changes of a controller for everybody who sees all whom they name.
pub(super) struct Shared {
    encoded: Encoded,
    named: SmallVec<[ControllerId; 4]>,
}

impl<H: Host> Server<H> {
    /// The changes after `cursor`, and how the client is told whose they are.
    pub(super) fn blocks_for(
        &mut self,
        peer: PeerId,
        controller: ControllerId,
        mut cursor: Cursor,
        blocks: &mut Blocks,
    ) -> (Encoded, Naming) {
        let nothing = || (Encoded::default(), Naming::Handle(View::default()));
        let Some(session) = self.sessions.get_mut(&peer) else { return nothing() };
        let has_place = session.has_place(controller);
        let base = session.base(self.tick);
        let Some(view) = session.views.get_mut(&controller) else { return nothing() };
        let own = view.own;
        let Some(replica) = self.replicas.get(&(controller, view.lens)) else { return nothing() };
        let Some(lens) = self.lenses.get(usize::from(view.lens.0)) else { return nothing() };
        if cursor != Cursor::START && !replica.reaches(cursor) {
            // Too far behind: everything anew.
            view.begin_anew();
            cursor = Cursor::START;
        }
        let end = Cursor::through(self.tick);
        // Beginning anew changed the view: then it is known by no place any more.
        let has_place = has_place && view.is_known();
        let basis = base.filter(|_| has_place).and_then(|base| view.basis(base));
        let basis = basis.filter(|basis| replica.remembers(*basis));
        let naming = match basis {
            _ if !has_place => Naming::Handle(View { epoch: view.epoch, own, sight: lens.sight }),
            None => Naming::Place(Basis::Whole),
            Some(_) => Naming::Place(Basis::Old),
        };
        let telling = TellingOf { replica, basis, own, dictionary: &self.dictionary };
        let shared = blocks.entry((controller, view.lens, cursor, own, basis)).or_insert_with(|| {
            let changes = replica.changes(cursor);
            let named = named_in(&self.simulation, controller, &changes);
            let (encoded, too_large) = telling.encode(&changes, end);
            for (piece, version) in too_large {
                let said = self.too_large.insert((controller, piece), version);
                if said != Some(version) {
                    self.statistics.too_large += 1;
                    self.events.push_back(ServerEvent::TooLarge { controller, piece });
                }
            }
            Shared { encoded, named }
        });
        let hidden = shared.named.iter().copied().filter(|named| !session.sees(*named));
        let hidden: SmallVec<[ControllerId; 4]> = hidden.collect();
        if hidden.is_empty() {
            return (Rc::clone(&shared.encoded), naming);
        }
        // Who is not seen is not named: this client gets its own.
        let changes = replica.changes(cursor);
        let sees = |named| !hidden.contains(&named);
        let mut veiled: Vec<Option<Piece>> = Vec::with_capacity(changes.len());
        for change in &changes {
            let mut unseen: SmallVec<[ControllerId; 4]> = SmallVec::new();
            if change.piece.is_some() {
                let hide = |named| unseen.extend((!sees(named)).then_some(named));
                self.simulation.named_in(controller, change.key, hide);
            }
            if let Some(view) = session.views.get_mut(&controller) {
                unseen.iter().for_each(|hidden| view.withhold(*hidden, change.before()));
            }
            let is_veiled = !unseen.is_empty();
            let veil =
                || self.simulation.veiled(controller, change.key, lens.detail(), &mut self.scratch, sees);
            veiled.push(is_veiled.then(veil).flatten());
        }
        let told = changes.iter().zip(&veiled);
        let told: Vec<_> = told.map(|(change, veiled)| change.with(veiled.as_ref())).collect();
        (telling.encode(&told, end).0, naming)
    }
}

/// Whom changes name.
fn named_in(
    simulation: &Simulation,
    controller: ControllerId,
    changes: &[Change<'_>],
) -> SmallVec<[ControllerId; 4]> {
    let mut named: SmallVec<[ControllerId; 4]> = SmallVec::new();
    for change in changes.iter().filter(|change| change.piece.is_some()) {
        simulation.named_in(controller, change.key, |id| {
            if !named.contains(&id) {
                named.push(id);
            }
        });
    }
    named
}

/// How changes of a controller are told.
struct TellingOf<'a> {
    replica: &'a Replica,
    /// The tick at whose end the client has everything, if they are told by their differences.
    basis: Option<Tick>,
    own: bool,
    dictionary: &'a Dictionary,
}

impl TellingOf<'_> {
    /// Changes in blocks that each fit into a datagram, and those that fit into none. They are ordered by age, and
    /// written by key.
    fn encode(&self, changes: &[Change<'_>], end: Cursor) -> (Encoded, SmallVec<[(PieceKey, Tick); 1]>) {
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
                // A single piece that no datagram has room for cannot be told at all.
                None => too_large.push((first.key, first.version)),
            }
            rest = &rest[count..];
        }
        (encoded.into(), too_large)
    }

    /// Changes in one block, if a datagram has room for them.
    fn encode_block(&self, changes: &[Change<'_>]) -> Option<BitWriter> {
        let old = |key| self.basis.map_or(Old::Nothing, |basis| self.replica.old(key, basis));
        let pieces = changes.iter().map(|&Change { key, piece, .. }| Told { key, piece, old: old(key) });
        let mut pieces: Vec<_> = pieces.collect();
        pieces.sort_unstable_by_key(|told| told.key);
        let mut block = BitWriter::new();
        let basis = if self.basis.is_some() { Basis::Old } else { Basis::Whole };
        write_block(self.dictionary, Exactness::of(self.own), basis, pieces.into_iter(), &mut block).ok()?;
        (block.byte_len() <= MAX_BLOCK).then_some(block)
    }
}
