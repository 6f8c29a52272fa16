//! Decoding of blocks.

use core::iter::once;

use ugas_core::effect::Vector3;
use ugas_core::handle::Handle;
use ugas_core::id::{AttributeId, TagId};
use ugas_core::replica::{Piece, PieceKey};
use ugas_core::targeting::Placement;
use ugas_core::time::Time;

use super::attribute::Values;
use super::{Baseline, BlockEncoding, Exactness, Kind, Next};
use crate::bits::{WireError, WireErrorKind};
use crate::limits::{MAX_CUE_DETAILS, MAX_DATAGRAM};
use crate::quantise::Quantiser;
use crate::wire::values::Decoder;
use crate::wire::{group, ids};

/// Pieces by rising key.
type Pieces = Vec<(PieceKey, Option<Piece>)>;

impl Decoder<'_> {
    /// Decodes pieces by rising key. `baseline` gives the baseline of a piece for deltas; `None` if it is not
    /// known any more.
    pub(in crate::wire) fn block(
        &mut self,
        exactness: Exactness,
        encoding: BlockEncoding,
        baseline: impl Fn(PieceKey) -> Option<Baseline>,
    ) -> Result<Pieces, WireError> {
        let begin = self.bits.position();
        let unresolved = WireError { at: begin, kind: WireErrorKind::Unresolved };
        let baseline = |key| {
            if encoding == BlockEncoding::Delta {
                baseline(key).ok_or(unresolved)
            } else {
                Ok(Baseline::Nothing)
            }
        };
        let mut pieces = Vec::new();
        let mut last = None;
        let (mut rank, mut tag) = (0u64, 0u32);
        loop {
            let next = self.next(last)?;
            match next {
                Next::End => break,
                Next::Attribute => {
                    let too_large = self.bits.error(WireErrorKind::TooLarge);
                    rank = rank.checked_add(self.bits.gamma()?).ok_or(too_large)?;
                    let attribute = self.dictionary.ranked(rank).ok_or(too_large)?;
                    rank += 1;
                    let key = PieceKey::Attribute(attribute);
                    let values = Values { dictionary: self.dictionary, exactness, attribute };
                    pieces.push((key, Some(values.read(&mut self.bits, encoding, baseline(key)?)?)));
                }
                Next::Tag => {
                    let unsorted = self.bits.error(WireErrorKind::NotCanonical("the tags of a controller"));
                    let found = self.tag()?;
                    if found.index() < tag {
                        return Err(unsorted);
                    }
                    tag = found.index() + 1;
                    let key = PieceKey::Tag(found);
                    let count = self.grants(encoding, baseline(key)?)?;
                    pieces.push((key, count.map(Piece::Tag)));
                }
                Next::Rest => {
                    self.rest(&mut pieces, last.is_none())?;
                    break;
                }
            }
            last = Some(next);
        }
        pieces.sort_by_key(|(key, _)| *key);
        if pieces.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return self.error_at(begin, WireErrorKind::NotCanonical("the pieces of a controller"));
        }
        Ok(pieces)
    }

    /// Reads which item comes next after `last`.
    fn next(&mut self, last: Option<Next>) -> Result<Next, WireError> {
        let may_be = Next::after(last);
        let mut at = 0;
        while at + 1 < may_be.len() && self.bits.bool()? {
            at += 1;
        }
        Ok(may_be.get(at).copied().unwrap_or(Next::Rest))
    }

    /// Reads the grant count of a tag; `None` if it is removed.
    fn grants(&mut self, encoding: BlockEncoding, baseline: Baseline) -> Result<Option<u32>, WireError> {
        if encoding == BlockEncoding::Delta && !self.bits.bool()? {
            return Ok(baseline.toggled());
        }
        let begin = self.bits.position();
        let count = if self.bits.bool()? { None } else { Some(self.bits.small(group::GRANTS)?) };
        if encoding == BlockEncoding::Delta && count == baseline.toggled() {
            return self.error_at(begin, WireErrorKind::NotCanonical("a tag"));
        }
        Ok(count)
    }

    /// Reads the other kinds of pieces and adds them to `pieces`. `is_all` says that the block has no
    /// attributes and tags: only then there may be no kinds.
    fn rest(&mut self, pieces: &mut Pieces, is_all: bool) -> Result<(), WireError> {
        let begin = self.bits.position();
        let mut there = 0;
        for kind in Kind::ALL {
            there |= if self.bits.bool()? { kind.bit() } else { 0 };
        }
        if there == 0 && !is_all {
            return self.error_at(begin, WireErrorKind::NotCanonical("the list of kinds"));
        }
        for kind in Kind::ALL.into_iter().filter(|kind| there & kind.bit() != 0) {
            match kind {
                Kind::Head => self.pieces_of(pieces, once(PieceKey::Head))?,
                Kind::Placement => self.pieces_of(pieces, once(PieceKey::Placement))?,
                Kind::Inputs => self.pieces_of(pieces, once(PieceKey::Inputs))?,
                Kind::LostAttribute => {
                    let ids = ids::read(&mut self.bits, "attributes", self.dictionary.attributes())?;
                    let lost = |id| (PieceKey::Attribute(AttributeId::from_index(id)), None);
                    pieces.extend(ids.into_iter().map(lost));
                }
                Kind::Cue => {
                    let ids = ids::read(&mut self.bits, "tags", self.dictionary.tags())?;
                    let keys = ids.into_iter().map(|id| PieceKey::Cue(TagId::from_index(id)));
                    self.pieces_of(pieces, keys)?;
                }
                Kind::Effect => self.handles(pieces, PieceKey::Effect)?,
                Kind::Ability => self.handles(pieces, PieceKey::Ability)?,
                Kind::Run => self.handles(pieces, PieceKey::Activation)?,
                Kind::Task => self.handles(pieces, PieceKey::Task)?,
            }
        }
        Ok(())
    }

    /// Reads handles, makes a key of each, and reads their pieces.
    fn handles<H: Handle>(
        &mut self,
        pieces: &mut Pieces,
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
        self.pieces_of(pieces, handles.into_iter().map(key))
    }

    /// Reads the pieces of these keys and adds them to `pieces`, removed ones as `None`.
    fn pieces_of(
        &mut self,
        pieces: &mut Pieces,
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
                let piece = self.piece(key)?;
                pieces.push((key, Some(piece)));
            }
        }
        if some_gone && gone == 0 {
            return self.error_at(begin, WireErrorKind::NotCanonical("what is gone"));
        }
        Ok(())
    }

    /// Reads the content of a piece, whose kind follows from its key.
    fn piece(&mut self, key: PieceKey) -> Result<Piece, WireError> {
        Ok(match key {
            PieceKey::Placement => {
                let not_finite = self.bits.error(WireErrorKind::NotFinite);
                let position = self.coded(self.dictionary.positions())?;
                let facing = self.coded(self.dictionary.facings())?;
                Piece::Placement(Placement::new(position, facing).map_err(|_| not_finite)?)
            }
            PieceKey::Cue(_) => Piece::Cue {
                count: self.bits.small(group::GRANTS)?,
                since: Time::from_micros(self.bits.varint(group::TIME)?),
                context: self.bytes("the context of a cue", MAX_CUE_DETAILS)?.into(),
            },
            _ => Piece::Record(self.bytes("bytes of a record", MAX_DATAGRAM)?.into()),
        })
    }

    /// Reads the quantised coordinates of a vector.
    fn coded(&mut self, quantiser: Quantiser) -> Result<Vector3, WireError> {
        let mut vector = [0.0; 3];
        for value in &mut vector {
            *value = quantiser.value(quantiser.read(&mut self.bits)?);
        }
        Ok(vector)
    }
}
