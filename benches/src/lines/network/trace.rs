//! Trace of the updates to a client, as changes.

use std::collections::BTreeMap;
use std::time::Duration;

use ugas::ControllerId;
use ugas::core::replica::{Piece, PieceKey};
use ugas::net::message::{ControllerChange, ToClient};
use ugas::net::wire::{Dictionary, UpdateDecoder};

use crate::measure::Timing;

/// A changed or removed piece of state.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) controller: ControllerId,
    /// Whether the client owns the controller.
    pub(crate) own: bool,
    pub(crate) key: PieceKey,
    pub(crate) old: Option<Piece>,
    pub(crate) new: Option<Piece>,
}

/// Updates to a client, as changes. Retransmissions before an acknowledgement are not changes.
pub(crate) struct Trace {
    /// Quantisation of numbers.
    pub(crate) dictionary: Dictionary,
    /// Controllers in view.
    pub(crate) in_view: usize,
    /// Controller that the client owns.
    pub(crate) own: ControllerId,
    /// Whether recording is on.
    pub(crate) is_counting: bool,
    /// State before the first recorded tick.
    pub(crate) before: BTreeMap<(ControllerId, PieceKey), Piece>,
    /// Changes of each recorded tick.
    pub(crate) ticks: Vec<Vec<Change>>,
    known: BTreeMap<(ControllerId, PieceKey), Piece>,
    decoder: UpdateDecoder,
    bytes: usize,
    own_bits: u64,
    other_bits: u64,
    /// Server time of each recorded tick.
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
            decoder: UpdateDecoder::new(),
            bytes: 0,
            own_bits: 0,
            other_bits: 0,
            times: Vec::new(),
            tick: Vec::new(),
        }
    }

    /// Records a datagram to the client.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let read = self.decoder.read_measured(&self.dictionary, bytes);
        let (message, spent) = read.expect("the datagram of the server is valid");
        let ToClient::Update(update) = message else { return };
        // The link is lossless, so everything is acknowledged.
        self.decoder.note(&update);
        if self.is_counting {
            self.bytes += bytes.len();
            self.own_bits += spent.own;
            self.other_bits += spent.others;
        }
        for entry in update.controllers {
            let ControllerChange::Pieces { own, pieces, .. } = entry.change else { continue };
            for (key, new) in pieces {
                let at = (entry.controller, key);
                let old = match &new {
                    Some(piece) => self.known.insert(at, piece.clone()),
                    None => self.known.remove(&at),
                };
                if old != new {
                    self.tick.push(Change { controller: entry.controller, own, key, old, new });
                }
            }
        }
    }

    /// Counts a datagram to the client without recording its changes: behind a link that loses datagrams, its
    /// baseline is not known here.
    pub(crate) fn count(&mut self, bytes: &[u8]) {
        if self.is_counting {
            self.bytes += bytes.len();
        }
    }

    /// Ends a tick.
    pub(crate) fn end_tick(&mut self) {
        let tick = std::mem::take(&mut self.tick);
        if self.is_counting {
            self.ticks.push(tick);
        } else {
            self.before.clone_from(&self.known);
        }
    }

    /// Adds server time to the tick.
    pub(crate) fn spend(&mut self, time: Duration) {
        if self.is_counting {
            self.times.push(time);
        }
    }

    /// Mean server time of a tick.
    pub(crate) fn timing(&self) -> Timing {
        Timing::mean(&self.times)
    }

    /// Bytes to the client.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes of headers.
    pub(crate) fn header_bytes(&self) -> usize {
        self.bytes - (self.own_bits + self.other_bits) as usize / 8
    }

    /// Bytes of the client's own controllers, without their ids.
    pub(crate) fn own_bytes(&self) -> usize {
        self.own_bits as usize / 8
    }

    /// Changes of the client's own controllers, or of others.
    pub(crate) fn changes(&self, own: bool) -> impl Iterator<Item = &Change> {
        self.ticks.iter().flatten().filter(move |change| change.own == own)
    }
}
