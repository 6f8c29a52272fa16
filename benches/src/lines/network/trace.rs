//! What a client was told, as changes.

use std::collections::BTreeMap;

use ugas::ControllerId;
use ugas::core::mirror::{Piece, PieceKey};
use ugas::net::message::{ControllerChange, ToClient};
use ugas::net::wire::{self, Dictionary};

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
    bytes: usize,
    header_bytes: usize,
    own_bytes: usize,
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
            bytes: 0,
            header_bytes: 0,
            own_bytes: 0,
            tick: Vec::new(),
        }
    }

    /// A datagram to the client.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let dictionary = &self.dictionary;
        let message = wire::decode_to_client(dictionary, bytes).expect("the server writes what can be read");
        let ToClient::Update(update) = message else { return };
        if self.is_counting {
            self.bytes += bytes.len();
            let without = |keep: fn(&ControllerChange) -> bool| {
                let mut rest = update.clone();
                rest.controllers.retain(|told| keep(&told.change));
                let rest = wire::encode_to_client(dictionary, &ToClient::Update(rest));
                rest.expect("it is shorter").len()
            };
            let headers = without(|_| false);
            let own = without(|change| matches!(change, ControllerChange::Pieces { own: true, .. }));
            self.header_bytes += headers;
            self.own_bytes += own - headers;
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

    /// Bytes to the client.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of datagrams if they told of nobody.
    pub(crate) fn header_bytes(&self) -> usize {
        self.header_bytes
    }

    /// Bytes about the client's own controllers.
    pub(crate) fn own_bytes(&self) -> usize {
        self.own_bytes
    }

    /// Changes of the client's own controllers, or of others.
    pub(crate) fn changes(&self, own: bool) -> impl Iterator<Item = &Change> {
        self.ticks.iter().flatten().filter(move |change| change.own == own)
    }
}
