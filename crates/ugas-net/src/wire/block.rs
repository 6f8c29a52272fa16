//! Pieces of a controller: what is the same for all clients that see as much of it and have as much of it already.
//!
//! A block does not say whose pieces it has, nor when they were so; it is encoded once, and
//! [appended](crate::bits::BitWriter::append) to many datagrams.

mod attribute;
mod read;

use smallvec::SmallVec;
use ugas_core::effect::Vector3;
use ugas_core::handle::Handle;
use ugas_core::id::AttributeId;
use ugas_core::mirror::{Piece, PieceKey};

use self::attribute::Values;
use super::dictionary::Dictionary;
use super::error::EncodeError;
use super::values::Encoder;
use super::{group, ids};
use crate::bits::BitWriter;
use crate::limits::{MAX_CUE_DETAILS, MAX_DATAGRAM};
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
}

/// What a piece was at the tick that differences are from, as far as they are told as such.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Old {
    /// Not there, or of a kind that is always told whole.
    #[default]
    Nothing,
    /// Of an attribute.
    Attribute {
        /// Base value.
        base: f64,
        /// Current value.
        current: f64,
    },
    /// Of a tag.
    Tag(u32),
}

impl Old {
    /// What is to be remembered of a piece.
    pub(crate) fn of(piece: Option<&Piece>) -> Self {
        match piece {
            Some(Piece::Attribute { base, current }) => Self::Attribute { base: *base, current: *current },
            Some(Piece::Tag(count)) => Self::Tag(*count),
            _ => Self::Nothing,
        }
    }

    /// What a tag becomes that comes or goes, as most do.
    fn toggled(self) -> Option<u32> {
        if matches!(self, Self::Tag(1..)) { None } else { Some(1) }
    }
}

/// Whether pieces are told by how they differ from what the client has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basis {
    /// They are told whole.
    Whole,
    /// They are told by their differences.
    Old,
}

/// A piece of a controller as it is now, `None` if it is gone, and what the client has of it.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Which.
    pub key: PieceKey,
    /// What it is.
    pub piece: Option<&'a Piece>,
    /// What it was; of no matter if pieces are told whole.
    pub old: Old,
}

impl<'a> Told<'a> {
    /// A piece that is told whole.
    pub fn whole(key: PieceKey, piece: Option<&'a Piece>) -> Self {
        Self { key, piece, old: Old::Nothing }
    }
}

/// Writes pieces of a controller, which come by rising key.
///
/// ```
/// use ugas_core::id::AttributeId;
/// use ugas_core::mirror::{Piece, PieceKey};
/// use ugas_net::bits::BitWriter;
/// use ugas_net::wire::{Basis, Dictionary, Exactness, Old, Told, write_block};
///
/// let dictionary = Dictionary::sized(200, 16).with_common(AttributeId::from_index(4), [-5.0])?;
/// let health = Piece::Attribute { base: 80.0, current: 80.0 };
/// let told = Told { old: Old::Attribute { base: 85.0, current: 85.0 }, ..Told::whole(
///     PieceKey::Attribute(AttributeId::from_index(4)),
///     Some(&health),
/// ) };
/// let mut block = BitWriter::new();
/// write_block(&dictionary, Exactness::Exact, Basis::Old, [told].into_iter(), &mut block)?;
/// assert_eq!(block.byte_len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If something cannot be written; then nothing is.
pub fn write_block<'a>(
    dictionary: &Dictionary,
    exactness: Exactness,
    basis: Basis,
    pieces: impl Iterator<Item = Told<'a>> + Clone,
    block: &mut BitWriter,
) -> Result<(), EncodeError> {
    let mark = block.mark();
    let written = Encoder { bits: &mut *block, dictionary }.block(exactness, basis, pieces);
    if written.is_err() {
        block.rewind(mark);
    }
    written
}

/// Kinds of pieces that seldom change, in the order of their keys. Attributes that are gone are such a kind; those that
/// are there, and tags, come before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Head,
    Placement,
    LostAttribute,
    Cue,
    Effect,
    Ability,
    Run,
    Task,
    Inputs,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Head,
        Self::Placement,
        Self::LostAttribute,
        Self::Cue,
        Self::Effect,
        Self::Ability,
        Self::Run,
        Self::Task,
        Self::Inputs,
    ];

    fn of(told: &Told<'_>) -> Option<Self> {
        match told.key {
            PieceKey::Head => Some(Self::Head),
            PieceKey::Placement => Some(Self::Placement),
            PieceKey::Attribute(_) => told.piece.is_none().then_some(Self::LostAttribute),
            PieceKey::Tag(_) => None,
            PieceKey::Cue(_) => Some(Self::Cue),
            PieceKey::Effect(_) => Some(Self::Effect),
            PieceKey::Ability(_) => Some(Self::Ability),
            PieceKey::Run(_) => Some(Self::Run),
            PieceKey::Task(_) => Some(Self::Task),
            PieceKey::Inputs => Some(Self::Inputs),
        }
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// What comes next in a block. What may come depends on what came, and takes a bit each until it is found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Next {
    End,
    Attribute,
    Tag,
    Rest,
}

impl Next {
    /// What may come after this one; at the beginning after nothing, for a block has something in it.
    fn after(last: Option<Self>) -> &'static [Self] {
        match last {
            None => &[Self::Attribute, Self::Tag, Self::Rest],
            Some(Self::Attribute) => &[Self::End, Self::Attribute, Self::Tag, Self::Rest],
            _ => &[Self::End, Self::Tag, Self::Rest],
        }
    }
}

impl Encoder<'_> {
    fn block<'a>(
        &mut self,
        exactness: Exactness,
        basis: Basis,
        pieces: impl Iterator<Item = Told<'a>> + Clone,
    ) -> Result<(), EncodeError> {
        let mut there = 0;
        let mut previous = None;
        let mut attributes: SmallVec<[(u32, AttributeId, Told<'a>); 8]> = SmallVec::new();
        for told in pieces.clone() {
            if previous.is_some_and(|previous| previous >= told.key) {
                return Err(EncodeError::Unsorted("pieces"));
            }
            previous = Some(told.key);
            there |= Kind::of(&told).map_or(0, Kind::bit);
            if let (PieceKey::Attribute(attribute), Some(_)) = (told.key, told.piece) {
                attributes.push((self.rank(attribute)?, attribute, told));
            }
        }
        attributes.sort_unstable_by_key(|(rank, ..)| *rank);
        let mut last = None;
        let mut least = 0;
        for (rank, attribute, told) in attributes {
            self.next(&mut last, Next::Attribute);
            self.bits.gamma(u64::from(rank - least));
            least = rank + 1;
            let Some(Piece::Attribute { base, current }) = told.piece else {
                return Err(EncodeError::OtherPiece(told.key));
            };
            let values = Values { dictionary: self.dictionary, exactness, attribute };
            values.write(self.bits, basis, told.old, *base, *current)?;
        }
        for told in pieces.clone() {
            let PieceKey::Tag(tag) = told.key else { continue };
            self.next(&mut last, Next::Tag);
            self.tag(tag)?;
            self.grants(basis, &told)?;
        }
        if there == 0 && last.is_some() {
            self.next(&mut last, Next::End);
            return Ok(());
        }
        self.next(&mut last, Next::Rest);
        for kind in Kind::ALL {
            self.bits.bool(there & kind.bit() != 0);
        }
        for kind in Kind::ALL.into_iter().filter(|kind| there & kind.bit() != 0) {
            let of_kind = pieces.clone().filter(move |told| Kind::of(told) == Some(kind));
            self.pieces_of(kind, of_kind)?;
        }
        Ok(())
    }

    fn rank(&self, attribute: AttributeId) -> Result<u32, EncodeError> {
        let known = self.dictionary.attributes();
        let unknown = EncodeError::UnknownId { what: "attributes", index: attribute.index(), known };
        self.dictionary.rank(attribute).ok_or(unknown)
    }

    fn next(&mut self, last: &mut Option<Next>, next: Next) {
        let may_be = Next::after(*last);
        let steps = may_be.iter().take_while(|other| **other != next).count() as u32;
        // The last that may be needs no bit to say that it is not another.
        let bits = (steps + 1).min(may_be.len() as u32 - 1);
        self.bits.bits((1 << steps) - 1, bits);
        *last = Some(next);
    }

    fn grants(&mut self, basis: Basis, told: &Told<'_>) -> Result<(), EncodeError> {
        let count = match told.piece {
            None => None,
            Some(Piece::Tag(count)) => Some(*count),
            Some(_) => return Err(EncodeError::OtherPiece(told.key)),
        };
        if basis == Basis::Old {
            let is_toggled = count == told.old.toggled();
            self.bits.bool(!is_toggled);
            if is_toggled {
                return Ok(());
            }
        }
        self.bits.bool(count.is_none());
        if let Some(count) = count {
            self.bits.varint(u64::from(count), group::GRANTS);
        }
        Ok(())
    }

    fn pieces_of<'a>(
        &mut self,
        kind: Kind,
        pieces: impl Iterator<Item = Told<'a>> + Clone,
    ) -> Result<(), EncodeError> {
        let keys = pieces.clone().map(|told| told.key);
        match kind {
            Kind::Head | Kind::Placement | Kind::Inputs => {}
            Kind::LostAttribute => {
                let indexes = keys.filter_map(|key| match key {
                    PieceKey::Attribute(attribute) => Some(attribute.index()),
                    _ => None,
                });
                // That they are gone is all there is to say.
                return ids::write(self.bits, "attributes", self.dictionary.attributes(), indexes);
            }
            Kind::Cue => {
                let indexes = keys.filter_map(|key| match key {
                    PieceKey::Cue(tag) => Some(tag.index()),
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
        let some_gone = pieces.clone().any(|told| told.piece.is_none());
        self.bits.bool(some_gone);
        for told in pieces {
            if some_gone {
                self.bits.bool(told.piece.is_none());
            }
            if let Some(piece) = told.piece {
                self.piece(told.key, piece)?;
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

    fn piece(&mut self, key: PieceKey, piece: &Piece) -> Result<(), EncodeError> {
        match (key, piece) {
            (PieceKey::Placement, Piece::Placement(placement)) => {
                self.coded(self.dictionary.positions(), placement.position())?;
                self.coded(self.dictionary.facings(), placement.facing())
            }
            (PieceKey::Cue(_), Piece::Cue { count, since, context }) => {
                self.bits.varint(u64::from(*count), group::GRANTS);
                self.bits.varint(since.micros(), group::TIME);
                self.bytes("the context of a cue", context, MAX_CUE_DETAILS)
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

    fn coded(&mut self, quantiser: Quantiser, vector: Vector3) -> Result<(), EncodeError> {
        for value in vector {
            let code = quantiser.code(value).ok_or(EncodeError::NotFinite("a placement"))?;
            quantiser.write(self.bits, code);
        }
        Ok(())
    }
}
