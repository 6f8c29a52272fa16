//! Blocks: encoded pieces of a controller, equal for all clients with the same view and baseline.
//!
//! A block names neither its controller nor its tick; it is encoded once, and
//! [appended](crate::bits::BitWriter::append) to many datagrams.

mod attribute;
mod read;

use smallvec::SmallVec;
use ugas_core::effect::Vector3;
use ugas_core::handle::Handle;
use ugas_core::id::AttributeId;
use ugas_core::replica::{Piece, PieceKey, PieceRef};

use self::attribute::Values;
use super::dictionary::Dictionary;
use super::error::EncodeError;
use super::values::Encoder;
use super::{group, ids};
use crate::bits::BitWriter;
use crate::limits::{MAX_CUE_DETAILS, MAX_DATAGRAM};
use crate::quantise::Quantiser;

/// Precision of attributes in a block. Owners predict upon them, so they get exact values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// Exact values.
    Exact,
    /// Values quantised by the dictionary.
    Rounded,
}

impl Exactness {
    /// Precision of attributes on the wire: exact for the owner, who predicts with them, rounded for others.
    pub const fn of(own: bool) -> Self {
        if own { Self::Exact } else { Self::Rounded }
    }
}

/// Baseline of a piece: its value at the tick that deltas refer to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Baseline {
    /// The piece did not exist, or is of a kind that is always sent in full.
    #[default]
    Nothing,
    /// Values of an attribute.
    Attribute {
        /// Base value.
        base: f64,
        /// Current value.
        current: f64,
    },
    /// Grant count of a tag.
    Tag(u32),
}

impl Baseline {
    /// The baseline of a piece; [`Self::Nothing`] for a missing piece, and for kinds that are always sent in
    /// full.
    pub(crate) fn of(piece: Option<PieceRef<'_>>) -> Self {
        match piece {
            Some(PieceRef::Attribute { base, current }) => Self::Attribute { base, current },
            Some(PieceRef::Tag(count)) => Self::Tag(count),
            _ => Self::Nothing,
        }
    }

    /// Grant count after the usual change of a tag, which takes one bit: removed (`None`) if it was granted,
    /// otherwise granted once.
    fn toggled(self) -> Option<u32> {
        if matches!(self, Self::Tag(1..)) { None } else { Some(1) }
    }
}

/// Encoding of the pieces of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BlockEncoding {
    /// Full values.
    Full,
    /// Differences from the baseline.
    Delta,
}

/// A piece of a controller with its baseline.
#[derive(Clone, Copy, Debug)]
pub struct DeltaEntry<'a> {
    /// Key of the piece.
    pub key: PieceKey,
    /// Current content; `None` if the piece was removed.
    pub piece: Option<PieceRef<'a>>,
    /// Content that the client has; unused with [`BlockEncoding::Full`].
    pub baseline: Baseline,
}

impl<'a> DeltaEntry<'a> {
    /// Entry without baseline, for [`BlockEncoding::Full`]; no `piece` is a removal.
    pub fn full(key: PieceKey, piece: Option<&'a Piece>) -> Self {
        Self { key, piece: piece.map(Piece::as_ref), baseline: Baseline::Nothing }
    }
}

/// Encodes pieces of a controller, which come by rising key.
///
/// ```
/// use ugas_core::id::AttributeId;
/// use ugas_core::replica::{Piece, PieceKey, PieceRef};
/// use ugas_net::bits::BitWriter;
/// use ugas_net::wire::{Baseline, BlockEncoding, DeltaEntry, Dictionary, Exactness, write_block};
///
/// let dictionary = Dictionary::sized(200, 16).with_common(AttributeId::from_index(4), [-5.0])?;
/// let health = Piece::Attribute { base: 80.0, current: 80.0 };
/// let entry = DeltaEntry { baseline: Baseline::Attribute { base: 85.0, current: 85.0 }, ..DeltaEntry::full(
///     PieceKey::Attribute(AttributeId::from_index(4)),
///     Some(&health),
/// ) };
/// let mut block = BitWriter::new();
/// write_block(&dictionary, Exactness::Exact, BlockEncoding::Delta, [entry].into_iter(), &mut block)?;
/// assert_eq!(block.byte_len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a piece cannot be encoded; then nothing is written.
pub fn write_block<'a>(
    dictionary: &Dictionary,
    exactness: Exactness,
    encoding: BlockEncoding,
    pieces: impl Iterator<Item = DeltaEntry<'a>> + Clone,
    block: &mut BitWriter,
) -> Result<(), EncodeError> {
    let mark = block.mark();
    let written = Encoder { bits: &mut *block, dictionary }.block(exactness, encoding, pieces);
    if written.is_err() {
        block.rewind(mark);
    }
    written
}

/// Kinds of pieces that rarely change, in the order of their keys. Removed attributes are such a kind;
/// present attributes and tags are written before.
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

    /// Kind of an entry; `None` for present attributes and for tags, which are written before.
    fn of(entry: &DeltaEntry<'_>) -> Option<Self> {
        match entry.key {
            PieceKey::Head => Some(Self::Head),
            PieceKey::Placement => Some(Self::Placement),
            PieceKey::Attribute(_) => entry.piece.is_none().then_some(Self::LostAttribute),
            PieceKey::Tag(_) => None,
            PieceKey::Cue(_) => Some(Self::Cue),
            PieceKey::Effect(_) => Some(Self::Effect),
            PieceKey::Ability(_) => Some(Self::Ability),
            PieceKey::Activation(_) => Some(Self::Run),
            PieceKey::Task(_) => Some(Self::Task),
            PieceKey::Inputs => Some(Self::Inputs),
        }
    }

    /// Bit of the kind in a mask of the kinds that a block has.
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Next item of a block. The candidates depend on the previous item, and take a bit each until the right one
/// is found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Next {
    End,
    Attribute,
    Tag,
    Rest,
}

impl Next {
    /// Candidates after an item; after `None` at the beginning, where a block cannot end.
    fn after(last: Option<Self>) -> &'static [Self] {
        match last {
            None => &[Self::Attribute, Self::Tag, Self::Rest],
            Some(Self::Attribute) => &[Self::End, Self::Attribute, Self::Tag, Self::Rest],
            _ => &[Self::End, Self::Tag, Self::Rest],
        }
    }
}

impl Encoder<'_> {
    /// Block of one controller: present attributes by rank in the dictionary, tags, then a mask of the other
    /// kinds and their pieces; removed attributes are such a kind. An error if the pieces are not by rising
    /// key. After an error the bits are incomplete; [`write_block`] removes them.
    fn block<'a>(
        &mut self,
        exactness: Exactness,
        encoding: BlockEncoding,
        pieces: impl Iterator<Item = DeltaEntry<'a>> + Clone,
    ) -> Result<(), EncodeError> {
        let mut there = 0;
        let mut previous = None;
        let mut attributes: SmallVec<[(u32, AttributeId, DeltaEntry<'a>); 8]> = SmallVec::new();
        for entry in pieces.clone() {
            if previous.is_some_and(|previous| previous >= entry.key) {
                return Err(EncodeError::Unsorted("pieces"));
            }
            previous = Some(entry.key);
            there |= Kind::of(&entry).map_or(0, Kind::bit);
            if let (PieceKey::Attribute(attribute), Some(_)) = (entry.key, entry.piece) {
                attributes.push((self.rank(attribute)?, attribute, entry));
            }
        }
        attributes.sort_unstable_by_key(|(rank, ..)| *rank);
        let mut last = None;
        let mut least = 0;
        for (rank, attribute, entry) in attributes {
            self.next(&mut last, Next::Attribute);
            self.bits.gamma(u64::from(rank - least));
            least = rank + 1;
            let Some(PieceRef::Attribute { base, current }) = entry.piece else {
                return Err(EncodeError::OtherPiece(entry.key));
            };
            let values = Values { dictionary: self.dictionary, exactness, attribute };
            values.write(self.bits, encoding, entry.baseline, base, current)?;
        }
        for entry in pieces.clone() {
            let PieceKey::Tag(tag) = entry.key else { continue };
            self.next(&mut last, Next::Tag);
            self.tag(tag)?;
            self.grants(encoding, &entry)?;
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
            let of_kind = pieces.clone().filter(move |entry| Kind::of(entry) == Some(kind));
            self.pieces_of(kind, of_kind)?;
        }
        Ok(())
    }

    /// Rank of an attribute in the dictionary, by which attributes are ordered and numbered in a block.
    fn rank(&self, attribute: AttributeId) -> Result<u32, EncodeError> {
        let known = self.dictionary.attributes();
        let unknown = EncodeError::UnknownId { what: "attributes", index: attribute.index(), known };
        self.dictionary.rank(attribute).ok_or(unknown)
    }

    /// Writes which item comes next: a one for each candidate that is skipped, then a zero. Sets `last` to
    /// it.
    fn next(&mut self, last: &mut Option<Next>, next: Next) {
        let may_be = Next::after(*last);
        let steps = may_be.iter().take_while(|other| **other != next).count() as u32;
        // The last candidate needs no terminating bit.
        let bits = (steps + 1).min(may_be.len() as u32 - 1);
        self.bits.bits((1 << steps) - 1, bits);
        *last = Some(next);
    }

    /// Writes the grant count of a tag, or its removal: as a delta, one bit if it is the usual change
    /// ([`Baseline::toggled`]).
    fn grants(&mut self, encoding: BlockEncoding, entry: &DeltaEntry<'_>) -> Result<(), EncodeError> {
        let count = match entry.piece {
            None => None,
            Some(PieceRef::Tag(count)) => Some(count),
            Some(_) => return Err(EncodeError::OtherPiece(entry.key)),
        };
        if encoding == BlockEncoding::Delta {
            let is_toggled = count == entry.baseline.toggled();
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

    /// Writes the pieces of one kind: their keys, whether any are removed, and the content of each that is
    /// not. Removed attributes have keys only.
    fn pieces_of<'a>(
        &mut self,
        kind: Kind,
        pieces: impl Iterator<Item = DeltaEntry<'a>> + Clone,
    ) -> Result<(), EncodeError> {
        let keys = pieces.clone().map(|entry| entry.key);
        match kind {
            Kind::Head | Kind::Placement | Kind::Inputs => {}
            Kind::LostAttribute => {
                let indexes = keys.filter_map(|key| match key {
                    PieceKey::Attribute(attribute) => Some(attribute.index()),
                    _ => None,
                });
                // Removed attributes have no content.
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
                PieceKey::Activation(handle) => Some(handle),
                _ => None,
            })?,
            Kind::Task => self.handles(keys, |key| match key {
                PieceKey::Task(handle) => Some(handle),
                _ => None,
            })?,
        }
        let some_gone = pieces.clone().any(|entry| entry.piece.is_none());
        self.bits.bool(some_gone);
        for entry in pieces {
            if some_gone {
                self.bits.bool(entry.piece.is_none());
            }
            if let Some(piece) = entry.piece {
                self.piece(entry.key, piece)?;
            }
        }
        Ok(())
    }

    /// Writes the handles of keys, of which there is at least one, by their gaps. `handle` extracts the
    /// handle of a key.
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

    /// Writes the content of a piece; [`EncodeError::OtherPiece`] if it does not match its key.
    fn piece(&mut self, key: PieceKey, piece: PieceRef<'_>) -> Result<(), EncodeError> {
        match (key, piece) {
            (PieceKey::Placement, PieceRef::Placement(placement)) => {
                self.coded(self.dictionary.positions(), placement.position())?;
                self.coded(self.dictionary.facings(), placement.facing())
            }
            (PieceKey::Cue(_), PieceRef::Cue { count, since, context }) => {
                self.bits.varint(u64::from(count), group::GRANTS);
                self.bits.varint(since.micros(), group::TIME);
                self.bytes("the context of a cue", context, MAX_CUE_DETAILS)
            }
            (
                PieceKey::Head
                | PieceKey::Effect(_)
                | PieceKey::Ability(_)
                | PieceKey::Activation(_)
                | PieceKey::Task(_)
                | PieceKey::Inputs,
                PieceRef::Record(record),
            ) => self.bytes("bytes of a record", record, MAX_DATAGRAM),
            _ => Err(EncodeError::OtherPiece(key)),
        }
    }

    /// Writes the quantised coordinates of a vector.
    fn coded(&mut self, quantiser: Quantiser, vector: Vector3) -> Result<(), EncodeError> {
        for value in vector {
            let code = quantiser.code(value).ok_or(EncodeError::NotFinite("a placement"))?;
            quantiser.write(self.bits, code);
        }
        Ok(())
    }
}
