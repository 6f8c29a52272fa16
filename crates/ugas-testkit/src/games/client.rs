//! Client of a recorded game: a replica of the server's visible state, and predictions on it.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use ugas_core::handle::ControllerId;
use ugas_core::prediction::{Knowledge, PredictionKey};
use ugas_core::replica::{Piece, PieceKey, PieceScratch, RecordVisibility, Replica};
use ugas_core::simulation::{Config, Role, Simulation};

use crate::dump::Names;
use crate::fixtures::{AbilityOp, SimDriver, run_ability_op};

/// Client with the pieces that it received last.
pub(super) struct Client {
    sent: BTreeMap<(ControllerId, PieceKey), Piece>,
    replica: Replica,
    scratch: PieceScratch,
    predictions: u32,
    pub(super) sim: Simulation,
    pub(super) names: Names,
}

impl Client {
    /// Creates a client of a server's game without any received state: same catalog, role of a client, and a
    /// seed of its own.
    pub(super) fn new(server: &Simulation) -> Self {
        let config = Config { role: Role::Client, seed: 9, ..server.config().clone() };
        Self {
            sent: BTreeMap::new(),
            replica: Replica::new(server.catalog().clone()),
            scratch: PieceScratch::default(),
            predictions: 0,
            sim: Simulation::new(server.catalog().clone(), config),
            names: Names::default(),
        }
    }

    /// Forgets all received pieces, so that the next update sends everything. Needed after a rollback of the
    /// server, when sequence numbers may be in use again.
    pub(super) fn reset(&mut self) {
        self.sent.clear();
        self.replica.clear();
    }

    /// Sends the pieces that changed since the last update to the client, with references to hidden
    /// controllers redacted, and installs them. `choice` selects what it sees of each controller, in the
    /// order of their ordinals.
    ///
    /// # Panics
    /// If the client rejects a piece of the server, or cannot install the replica.
    pub(super) fn update(&mut self, server: &Simulation, choice: &[u8]) {
        let seen = visibilities(server, choice);
        let mut pieces = BTreeMap::new();
        for (&id, &visibility) in &seen {
            let mut of_controller = Vec::new();
            server.pieces(id, visibility, &mut self.scratch, |key, piece| {
                of_controller.push((key, piece.to_piece()));
            });
            for (key, mut piece) in of_controller {
                let mut hidden = false;
                server.referenced_controllers(id, key, |other| hidden |= !seen.contains_key(&other));
                if hidden {
                    let redacted = server
                        .redacted(id, key, visibility, &mut self.scratch, |other| seen.contains_key(&other));
                    piece = redacted.unwrap_or(piece);
                }
                pieces.insert((id, key), piece);
            }
        }
        let known: BTreeSet<ControllerId> = self.replica.controllers().collect();
        for &gone in known.iter().filter(|id| !seen.contains_key(id)) {
            self.replica.forget(gone);
        }
        for (&id, &visibility) in &seen {
            self.replica.set_visibility(id, visibility);
        }
        for (id, key) in self.sent.keys().filter(|at| !pieces.contains_key(at)) {
            self.replica.remove(*id, *key);
        }
        for (at, piece) in pieces.iter().filter(|(at, piece)| self.sent.get(at) != Some(piece)) {
            if let Err(error) = self.replica.put(at.0, at.1, piece.clone()) {
                panic!("a piece of the server is rejected: {error}");
            }
        }
        self.sent = pieces;
        if let Err(error) = self.replica.install(&mut self.sim, server.now()) {
            panic!("a replica cannot be installed: {error}");
        }
        for (id, visibility) in seen {
            let knowledge =
                if visibility == RecordVisibility::ALL { Knowledge::Whole } else { Knowledge::Shown };
            if let Some(local) = self.replica.local(id) {
                self.sim.set_known(local, knowledge);
            }
        }
    }

    /// Runs an operation on the client's simulation as a prediction with a new key. The server's driver
    /// resolves the numbers of the operation; it is not changed.
    pub(super) fn predict(&mut self, server: &SimDriver, op: &AbilityOp) {
        let mut own = server.clone();
        own.actors = server.actors.iter().map(|id| self.replica.local(*id).unwrap_or(*id)).collect();
        self.predictions += 1;
        let key = PredictionKey::new(self.predictions, 0);
        self.sim.predicting(key, |sim| {
            mem::swap(&mut own.sim, sim);
            run_ability_op(&mut own, op);
            mem::swap(&mut own.sim, sim);
        });
    }
}

/// Records of each controller that the client sees, by ordinal; hidden controllers are missing. Each
/// controller takes the next number of `choice`, which repeats: 0 hides it, 3 and 4 show everything.
fn visibilities(server: &Simulation, choice: &[u8]) -> BTreeMap<ControllerId, RecordVisibility> {
    let kinds = [
        None,
        Some(RecordVisibility::NONE),
        Some(RecordVisibility::EFFECTS),
        Some(RecordVisibility::ALL),
        Some(RecordVisibility::ALL),
    ];
    let mut everybody: Vec<_> = server.controllers().map(|(id, known)| (known.ordinal(), id)).collect();
    everybody.sort_unstable();
    let chosen = everybody.into_iter().zip(choice.iter().cycle());
    chosen.filter_map(|((_, id), choice)| Some((id, kinds[usize::from(*choice) % kinds.len()]?))).collect()
}
