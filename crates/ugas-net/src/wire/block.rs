//! Pieces of a controller: what is the same for all clients that see as much of it and have as much of it already.
//!
//! A block does not say whose pieces it has, nor when they were so; it is encoded once, and
//! [appended](crate::bits::BitWriter::append) to many datagrams.

use core::iter::once;

use ugas_core::effect::Vector3;
use ugas_core::handle::Handle;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::mirror::{Piece, PieceKey};
use ugas_core::targeting::Placement;
use ugas_core::time::Time;

use super::dictionary::Dictionary;
use super::error::EncodeError;
use super::values::{Decoder, Encoder};
use super::{group, ids};
use crate::bits::{BitWriter, WireError, WireErrorKind};
use crate::limits::MAX_DATAGRAM;
use crate::quantise::Quantiser;

/// Whether attributes are told as they are, or as the dictionary rounds them. Owners predict upon them, so they get them
/// exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// As they are.
    Exact,
    /// As the dictionary rounds them.
    Rounded,
}

impl Exactness {
    /// For owners, and for others.
    pub const fn of(own: bool) -> Self {
        if own { Self::Exact } else { Self::Rounded }
    }

    fn quantiser(self, dictionary: &Dictionary, attribute: AttributeId) -> Quantiser {
        match self {
            Self::Exact => Quantiser::Exact,
            Self::Rounded => dictionary.attribute(attribute),
        }
    }
}

/// Writes pieces of a controller, which come by rising key; `None` stands for one that is gone.
///
/// ```
/// use ugas_core::id::AttributeId;
/// use ugas_core::mirror::{Piece, PieceKey};
/// use ugas_net::bits::BitWriter;
/// use ugas_net::wire::{Dictionary, Exactness, write_block};
///
/// let dictionary = Dictionary::sized(200, 16);
/// let health = (PieceKey::Attribute(AttributeId::from_index(4)), Piece::Attribute { base: 80.0, current: 80.0 });
/// let mut block = BitWriter::new();
/// write_block(&dictionary, Exactness::Rounded, [(health.0, Some(&health.1))].into_iter(), &mut block)?;
/// assert_eq!(block.byte_len(), 4);
/// # Ok::<(), ugas_net::wire::EncodeError>(())
/// ```
///
/// # Errors
/// If something cannot be written; then nothing is.
pub fn write_block<'a>(
    dictionary: &Dictionary,
    exactness: Exactness,
    pieces: impl Iterator<Item = (PieceKey, Option<&'a Piece>)> + Clone,
    block: &mut BitWriter,
) -> Result<(), EncodeError> {
    let mark = block.mark();
    let written = Encoder { bits: &mut *block, dictionary }.block(exactness, pieces);
    if written.is_err() {
        block.rewind(mark);
    }
    written
}

/// Kinds of pieces, in the order of their keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Head,
    Placement,
    Attribute,
    Tag,
    Cue,
    Effect,
    Ability,
    Run,
    Task,
    Inputs,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::Head,
        Self::Placement,
        Self::Attribute,
        Self::Tag,
        Self::Cue,
        Self::Effect,
        Self::Ability,
        Self::Run,
        Self::Task,
        Self::Inputs,
    ];
    /// Those that change all the time: whether they are there takes a bit each, and one for all others.
    const LIVELY: [Self; 3] = [Self::Attribute, Self::Tag, Self::Effect];
    /// The others.
    const QUIET: [Self; 7] =
        [Self::Head, Self::Placement, Self::Cue, Self::Ability, Self::Run, Self::Task, Self::Inputs];

    fn of(key: PieceKey) -> Self {
        match key {
            PieceKey::Head => Self::Head,
            PieceKey::Placement => Self::Placement,
            PieceKey::Attribute(_) => Self::Attribute,
            PieceKey::Tag(_) => Self::Tag,
            PieceKey::Cue(_) => Self::Cue,
            PieceKey::Effect(_) => Self::Effect,
            PieceKey::Ability(_) => Self::Ability,
            PieceKey::Run(_) => Self::Run,
            PieceKey::Task(_) => Self::Task,
            PieceKey::Inputs => Self::Inputs,
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl Encoder<'_> {
    fn block<'a>(
        &mut self,
        exactness: Exactness,
        pieces: impl Iterator<Item = (PieceKey, Option<&'a Piece>)> + Clone,
    ) -> Result<(), EncodeError> {
        let mut there = 0;
        let mut previous = None;
        for (key, _) in pieces.clone() {
            if previous.is_some_and(|previous| previous >= key) {
                return Err(EncodeError::Unsorted("pieces"));
            }
            previous = Some(key);
            there |= Kind::of(key).bit();
        }
        self.kinds(there);
        for kind in Kind::ALL.into_iter().filter(|kind| there & kind.bit() != 0) {
            let of_kind = pieces.clone().filter(move |(key, _)| Kind::of(*key) == kind);
            self.pieces_of(exactness, kind, of_kind)?;
        }
        Ok(())
    }

    fn kinds(&mut self, there: u32) {
        let mut bit = |kind: Kind| self.bits.bool(there & kind.bit() != 0);
        Kind::LIVELY.into_iter().for_each(&mut bit);
        let quiet = Kind::QUIET.iter().any(|kind| there & kind.bit() != 0);
        self.bits.bool(quiet);
        if quiet {
            Kind::QUIET.into_iter().for_each(|kind| self.bits.bool(there & kind.bit() != 0));
        }
    }

    fn pieces_of<'a>(
        &mut self,
        exactness: Exactness,
        kind: Kind,
        pieces: impl Iterator<Item = (PieceKey, Option<&'a Piece>)> + Clone,
    ) -> Result<(), EncodeError> {
        let keys = pieces.clone().map(|(key, _)| key);
        match kind {
            Kind::Head | Kind::Placement | Kind::Inputs => {}
            Kind::Attribute => {
                let indexes = keys.filter_map(|key| match key {
                    PieceKey::Attribute(attribute) => Some(attribute.index()),
                    _ => None,
                });
                ids::write(self.bits, "attributes", self.dictionary.attributes(), indexes)?;
            }
            Kind::Tag | Kind::Cue => {
                let indexes = keys.filter_map(|key| match key {
                    PieceKey::Tag(tag) | PieceKey::Cue(tag) => Some(tag.index()),
                    _ => None,
                });
                ids::write(self.bits, "tags", self.dictionary.tags(), indexes)?;
            }
            Kind::Effect => self.handles(keys, |key| match key {
                PieceKey::Effect(handle) => Some(handle),
                _ => None,
            })?,
            Kind::Ability => self.handles(keys, |key| match key {
                PieceKey::Ability(handle) => Some(handle),
                _ => None,
            })?,
            Kind::Run => self.handles(keys, |key| match key {
                PieceKey::Run(handle) => Some(handle),
                _ => None,
            })?,
            Kind::Task => self.handles(keys, |key| match key {
                PieceKey::Task(handle) => Some(handle),
                _ => None,
            })?,
        }
        let some_gone = pieces.clone().any(|(_, piece)| piece.is_none());
        self.bits.bool(some_gone);
        for (key, piece) in pieces {
            if some_gone {
                self.bits.bool(piece.is_none());
            }
            if let Some(piece) = piece {
                self.piece(exactness, key, piece)?;
            }
        }
        Ok(())
    }

    fn handles<H: Handle>(
        &mut self,
        keys: impl Iterator<Item = PieceKey> + Clone,
        handle: impl Fn(PieceKey) -> Option<H>,
    ) -> Result<(), EncodeError> {
        let more = keys.clone().count().saturating_sub(1);
        self.bits.varint(more as u64, group::HANDLES);
        let mut previous = None;
        for next in keys.filter_map(handle) {
            self.next_handle("handles", previous, next)?;
            previous = Some(next);
        }
        Ok(())
    }

    fn piece(&mut self, exactness: Exactness, key: PieceKey, piece: &Piece) -> Result<(), EncodeError> {
        match (key, piece) {
            (PieceKey::Placement, Piece::Placement(placement)) => {
                self.coded(self.dictionary.positions(), placement.position())?;
                self.coded(self.dictionary.facings(), placement.facing())
            }
            (PieceKey::Attribute(attribute), Piece::Attribute { base, current }) => {
                self.attribute(exactness.quantiser(self.dictionary, attribute), *base, *current)
            }
            (PieceKey::Tag(_), Piece::Tag(count)) => {
                self.bits.varint(u64::from(*count), group::GRANTS);
                Ok(())
            }
            (PieceKey::Cue(_), Piece::Cue { count, since }) => {
                self.bits.varint(u64::from(*count), group::GRANTS);
                self.bits.varint(since.micros(), group::TIME);
                Ok(())
            }
            (
                PieceKey::Head
                | PieceKey::Effect(_)
                | PieceKey::Ability(_)
                | PieceKey::Run(_)
                | PieceKey::Task(_)
                | PieceKey::Inputs,
                Piece::Record(record),
            ) => self.bytes("bytes of a record", record, MAX_DATAGRAM),
            _ => Err(EncodeError::OtherPiece(key)),
        }
    }

    fn attribute(&mut self, quantiser: Quantiser, base: f64, current: f64) -> Result<(), EncodeError> {
        let code = |value| quantiser.code(value).ok_or(EncodeError::NotFinite("an attribute"));
        let (base, current) = (code(base)?, code(current)?);
        self.bits.bool(base != current);
        quantiser.write(self.bits, base);
        if base != current {
            quantiser.write(self.bits, current);
        }
        Ok(())
    }

    fn coded(&mut self, quantiser: Quantiser, vector: Vector3) -> Result<(), EncodeError> {
        for value in vector {
            let code = quantiser.code(value).ok_or(EncodeError::NotFinite("a placement"))?;
            quantiser.write(self.bits, code);
        }
        Ok(())
    }
}

impl Decoder<'_> {
    /// Pieces by rising key.
    pub(super) fn block(
        &mut self,
        exactness: Exactness,
    ) -> Result<Vec<(PieceKey, Option<Piece>)>, WireError> {
        let there = self.kinds()?;
        let mut pieces = Vec::new();
        for kind in Kind::ALL.into_iter().filter(|kind| there & kind.bit() != 0) {
            match kind {
                Kind::Head => self.pieces_of(exactness, &mut pieces, once(PieceKey::Head))?,
                Kind::Placement => self.pieces_of(exactness, &mut pieces, once(PieceKey::Placement))?,
                Kind::Inputs => self.pieces_of(exactness, &mut pieces, once(PieceKey::Inputs))?,
                Kind::Attribute => {
                    let ids = ids::read(&mut self.bits, "attributes", self.dictionary.attributes())?;
                    let keys = ids.into_iter().map(|id| PieceKey::Attribute(AttributeId::from_index(id)));
                    self.pieces_of(exactness, &mut pieces, keys)?;
                }
                Kind::Tag => {
                    let tags = self.tags()?;
                    self.pieces_of(exactness, &mut pieces, tags.into_iter().map(PieceKey::Tag))?;
                }
                Kind::Cue => {
                    let tags = self.tags()?;
                    self.pieces_of(exactness, &mut pieces, tags.into_iter().map(PieceKey::Cue))?;
                }
                Kind::Effect => self.handles(&mut pieces, PieceKey::Effect)?,
                Kind::Ability => self.handles(&mut pieces, PieceKey::Ability)?,
                Kind::Run => self.handles(&mut pieces, PieceKey::Run)?,
                Kind::Task => self.handles(&mut pieces, PieceKey::Task)?,
            }
        }
        Ok(pieces)
    }

    fn kinds(&mut self) -> Result<u32, WireError> {
        let mut there = 0;
        for kind in Kind::LIVELY {
            there |= if self.bits.bool()? { kind.bit() } else { 0 };
        }
        let begin = self.bits.position();
        if self.bits.bool()? {
            let lively = there;
            for kind in Kind::QUIET {
                there |= if self.bits.bool()? { kind.bit() } else { 0 };
            }
            if there == lively {
                return self.error_at(begin, WireErrorKind::NotCanonical("the list of kinds"));
            }
        }
        Ok(there)
    }

    fn tags(&mut self) -> Result<Vec<TagId>, WireError> {
        let ids = ids::read(&mut self.bits, "tags", self.dictionary.tags())?;
        Ok(ids.into_iter().map(TagId::from_index).collect())
    }

    fn handles<H: Handle>(
        &mut self,
        pieces: &mut Vec<(PieceKey, Option<Piece>)>,
        key: impl Fn(H) -> PieceKey,
    ) -> Result<(), WireError> {
        // The index and the generation take a group each.
        let bits_each = u64::from(group::INDEX_GAP + group::GENERATION + 2);
        let count = self.bits.count_some("handles", group::HANDLES, MAX_DATAGRAM, bits_each)?;
        let mut handles: Vec<H> = Vec::with_capacity(count);
        for _ in 0..count {
            let handle = self.next_handle(handles.last().copied())?;
            handles.push(handle);
        }
        self.pieces_of(Exactness::Exact, pieces, handles.into_iter().map(key))
    }

    fn pieces_of(
        &mut self,
        exactness: Exactness,
        pieces: &mut Vec<(PieceKey, Option<Piece>)>,
        keys: impl Iterator<Item = PieceKey>,
    ) -> Result<(), WireError> {
        let begin = self.bits.position();
        let some_gone = self.bits.bool()?;
        let mut gone = 0;
        for key in keys {
            if some_gone && self.bits.bool()? {
                pieces.push((key, None));
                gone += 1;
            } else {
                let piece = self.piece(exactness, key)?;
                pieces.push((key, Some(piece)));
            }
        }
        if some_gone && gone == 0 {
            return self.error_at(begin, WireErrorKind::NotCanonical("what is gone"));
        }
        Ok(())
    }

    fn piece(&mut self, exactness: Exactness, key: PieceKey) -> Result<Piece, WireError> {
        Ok(match key {
            PieceKey::Placement => {
                let not_finite = self.bits.error(WireErrorKind::NotFinite);
                let position = self.coded(self.dictionary.positions())?;
                let facing = self.coded(self.dictionary.facings())?;
                Piece::Placement(Placement::new(position, facing).map_err(|_| not_finite)?)
            }
            PieceKey::Attribute(attribute) => {
                self.attribute(exactness.quantiser(self.dictionary, attribute))?
            }
            PieceKey::Tag(_) => Piece::Tag(self.bits.small(group::GRANTS)?),
            PieceKey::Cue(_) => Piece::Cue {
                count: self.bits.small(group::GRANTS)?,
                since: Time::from_micros(self.bits.varint(group::TIME)?),
            },
            PieceKey::Head
            | PieceKey::Effect(_)
            | PieceKey::Ability(_)
            | PieceKey::Run(_)
            | PieceKey::Task(_)
            | PieceKey::Inputs => Piece::Record(self.bytes("bytes of a record", MAX_DATAGRAM)?.into()),
        })
    }

    fn attribute(&mut self, quantiser: Quantiser) -> Result<Piece, WireError> {
        let begin = self.bits.position();
        let differs = self.bits.bool()?;
        let base = quantiser.read(&mut self.bits)?;
        let current = if differs { quantiser.read(&mut self.bits)? } else { base };
        if differs && base == current {
            return self.error_at(begin, WireErrorKind::NotCanonical("an attribute"));
        }
        Ok(Piece::Attribute { base: quantiser.value(base), current: quantiser.value(current) })
    }

    fn coded(&mut self, quantiser: Quantiser) -> Result<Vector3, WireError> {
        let mut vector = [0.0; 3];
        for value in &mut vector {
            *value = quantiser.value(quantiser.read(&mut self.bits)?);
        }
        Ok(vector)
    }
}
