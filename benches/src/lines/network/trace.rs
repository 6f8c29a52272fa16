//! What a client was told, as changes.

use std::collections::BTreeMap;
use std::time::Duration;

use ugas::ControllerId;
use ugas::core::mirror::{Piece, PieceKey};
use ugas::net::message::{ControllerChange, ToClient};
use ugas::net::wire::{Dictionary, Listener};

use crate::measure::Timing;

/// A piece that became another, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) controller: ControllerId,
    /// Whether it is the client's own.
    pub(crate) own: bool,
    pub(crate) key: PieceKey,
    pub(crate) old: Option<Piece>,
    pub(crate) new: Option<Piece>,
}

/// What a client was told, as changes: what it was told again because no acknowledgement had come yet is none.
pub(crate) struct Trace {
    /// How numbers are told.
    pub(crate) dictionary: Dictionary,
    /// Controllers in view.
    pub(crate) in_view: usize,
    /// The client's own.
    pub(crate) own: ControllerId,
    /// Whether what comes now counts.
    pub(crate) is_counting: bool,
    /// All pieces before the first tick that counts.
    pub(crate) before: BTreeMap<(ControllerId, PieceKey), Piece>,
    /// The changes of each tick that counts.
    pub(crate) ticks: Vec<Vec<Change>>,
    known: BTreeMap<(ControllerId, PieceKey), Piece>,
    listener: Listener,
    bytes: usize,
    own_bits: u64,
    other_bits: u64,
    /// How long the server took for each tick that counts.
    times: Vec<Duration>,
    tick: Vec<Change>,
}

impl Trace {
    pub(crate) fn new(dictionary: Dictionary, in_view: usize, own: ControllerId) -> Self {
        Self {
            dictionary,
            in_view,
            own,
            is_counting: false,
            before: BTreeMap::new(),
            ticks: Vec::new(),
            known: BTreeMap::new(),
            listener: Listener::new(),
            bytes: 0,
            own_bits: 0,
            other_bits: 0,
            times: Vec::new(),
            tick: Vec::new(),
        }
    }

    /// A datagram to the client.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let read = self.listener.read_measured(&self.dictionary, bytes);
        let (message, spent) = read.expect("the server writes what can be read");
        let ToClient::Update(update) = message else { return };
        // Nothing gets lost, so that all is acknowledged.
        self.listener.note(&update);
        if self.is_counting {
            self.bytes += bytes.len();
            self.own_bits += spent.own;
            self.other_bits += spent.others;
        }
        for told in update.controllers {
            let ControllerChange::Pieces { own, pieces, .. } = told.change else { continue };
            for (key, new) in pieces {
                let at = (told.controller, key);
                let old = match &new {
                    Some(piece) => self.known.insert(at, piece.clone()),
                    None => self.known.remove(&at),
                };
                if old != new {
                    self.tick.push(Change { controller: told.controller, own, key, old, new });
                }
            }
        }
    }

    /// All datagrams of a tick were taken.
    pub(crate) fn end_tick(&mut self) {
        let tick = std::mem::take(&mut self.tick);
        if self.is_counting {
            self.ticks.push(tick);
        } else {
            self.before.clone_from(&self.known);
        }
    }

    /// The server took so long for the tick.
    pub(crate) fn spend(&mut self, time: Duration) {
        if self.is_counting {
            self.times.push(time);
        }
    }

    /// How long the server took for a tick.
    pub(crate) fn timing(&self) -> Timing {
        Timing::mean(&self.times)
    }

    /// Bytes to the client.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes that are about nobody.
    pub(crate) fn header_bytes(&self) -> usize {
        self.bytes - (self.own_bits + self.other_bits) as usize / 8
    }

    /// Bytes about the client's own controllers, without which ones are told of.
    pub(crate) fn own_bytes(&self) -> usize {
        self.own_bits as usize / 8
    }

    /// Changes of the client's own controllers, or of others.
    pub(crate) fn changes(&self, own: bool) -> impl Iterator<Item = &Change> {
        self.ticks.iter().flatten().filter(move |change| change.own == own)
    }
}
