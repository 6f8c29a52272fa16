//! Encoding of the two values of an attribute, in full or as a delta.
//!
//! Game rules change attributes by the same few amounts again and again, which both sides know
//! ([`Dictionary::common`]). So a delta is the number of one of these, in one to five bits; other deltas are
//! sent in quantiser steps, and values that do not change alike by the steps of each.

use ugas_core::id::AttributeId;
use ugas_core::replica::Piece;

use super::{Baseline, BlockEncoding, Exactness};
use crate::bits::{BitReader, BitWriter, WireError, WireErrorKind, unzigzag, zigzag};
use crate::quantise::{Code, Quantiser};
use crate::wire::{Dictionary, EncodeError, group};

/// Encodes and decodes one attribute.
pub(super) struct Values<'a> {
    pub(super) dictionary: &'a Dictionary,
    pub(super) exactness: Exactness,
    pub(super) attribute: AttributeId,
}

/// Base and current value.
type Pair<T> = (T, T);

impl Values<'_> {
    /// Writes both values: in full, or as a delta if the encoding and the baseline allow it.
    pub(super) fn write(
        &self,
        bits: &mut BitWriter,
        encoding: BlockEncoding,
        baseline: Baseline,
        base: f64,
        current: f64,
    ) -> Result<(), EncodeError> {
        let quantiser = self.quantiser();
        let code = |value| quantiser.code(value).ok_or(EncodeError::NotFinite("an attribute"));
        let new = (code(base)?, code(current)?);
        match self.old_codes(encoding, baseline) {
            None => write_whole(bits, quantiser, new),
            Some(old) if quantiser == Quantiser::Exact => {
                let number = self.common(old, new);
                bits.gamma(number.unwrap_or(self.dictionary.common(self.attribute).len()) as u64);
                if number.is_none() {
                    write_whole(bits, quantiser, new);
                }
            }
            Some(old) => self.write_steps(bits, old, new),
        }
        Ok(())
    }

    /// Reads both values as [`Self::write`] writes them, with the same encoding and baseline.
    pub(super) fn read(
        &self,
        bits: &mut BitReader<'_>,
        encoding: BlockEncoding,
        baseline: Baseline,
    ) -> Result<Piece, WireError> {
        let quantiser = self.quantiser();
        let (base, current) = match self.old_codes(encoding, baseline) {
            None => read_whole(bits, quantiser)?,
            Some(old) if quantiser == Quantiser::Exact => self.read_exact(bits, old)?,
            Some(old) => self.read_steps(bits, old)?,
        };
        Ok(Piece::Attribute { base: quantiser.value(base), current: quantiser.value(current) })
    }

    /// Quantiser of the values: the attribute's own, or none for owners, who get exact values.
    fn quantiser(&self) -> Quantiser {
        match self.exactness {
            Exactness::Exact => Quantiser::Exact,
            Exactness::Rounded => self.dictionary.attribute(self.attribute),
        }
    }

    /// Codes of the baseline; `None` if the values are sent in full, because the encoding says so or there
    /// is no baseline.
    fn old_codes(&self, encoding: BlockEncoding, baseline: Baseline) -> Option<Pair<Code>> {
        let Baseline::Attribute { base, current } = baseline else { return None };
        let quantiser = self.quantiser();
        if encoding == BlockEncoding::Full {
            return None;
        }
        Some((quantiser.code(base)?, quantiser.code(current)?))
    }

    /// Number of the first common change that leads from one exact pair to another, by adding it to both
    /// values; `None` if none does.
    fn common(&self, old: Pair<Code>, new: Pair<Code>) -> Option<usize> {
        let leads = |change: &f64| added(old, *change) == Some(new);
        self.dictionary.common(self.attribute).iter().position(leads)
    }

    /// Delta of exact values, read as the number of a common change, which is added to both values, or as the
    /// number after the last one and full values. An encoding that [`Self::write`] would not choose is an
    /// error.
    fn read_exact(&self, bits: &mut BitReader<'_>, old: Pair<Code>) -> Result<Pair<Code>, WireError> {
        let begin = bits.position();
        let odd = WireError { at: begin, kind: WireErrorKind::NotCanonical("a change of an attribute") };
        let too_large = WireError { at: begin, kind: WireErrorKind::TooLarge };
        let common = self.dictionary.common(self.attribute);
        let number = usize::try_from(bits.gamma()?).map_err(|_| too_large)?;
        let new = match common.get(number) {
            Some(change) => added(old, *change).ok_or(too_large)?,
            None if number == common.len() => read_whole(bits, Quantiser::Exact)?,
            None => return Err(too_large),
        };
        // Canonical is the first common change that leads there.
        if self.common(old, new).unwrap_or(common.len()) == number { Ok(new) } else { Err(odd) }
    }

    /// Writes a delta of quantised values. An equal change of both is the number of a common change or its
    /// steps; otherwise the steps of each follow.
    fn write_steps(&self, bits: &mut BitWriter, old: Pair<Code>, new: Pair<Code>) {
        let common = self.dictionary.common_steps(self.attribute);
        let steps = (Quantiser::steps_between(old.0, new.0), Quantiser::steps_between(old.1, new.1));
        if steps.0 != steps.1 || steps.0 == 0 {
            bits.gamma(common.len() as u64);
            bits.signed(steps.0, group::STEPS);
            bits.signed(steps.1, group::STEPS);
            return;
        }
        let number = common.iter().position(|known| *known == steps.0);
        // The zigzag code of a non-zero number is at least 1.
        bits.gamma(number.map_or(common.len() as u64 + zigzag(steps.0), |number| number as u64));
    }

    /// Reads a delta of quantised values as [`Self::write_steps`] writes it; an error if it leads out of the
    /// quantiser's range.
    fn read_steps(&self, bits: &mut BitReader<'_>, old: Pair<Code>) -> Result<Pair<Code>, WireError> {
        let begin = bits.position();
        let odd = WireError { at: begin, kind: WireErrorKind::NotCanonical("a change of an attribute") };
        let common = self.dictionary.common_steps(self.attribute);
        let number = bits.gamma()?;
        let (base, current) = match number.checked_sub(common.len() as u64) {
            Some(0) => {
                let steps = (bits.signed(group::STEPS)?, bits.signed(group::STEPS)?);
                if steps.0 == steps.1 && steps.0 != 0 {
                    return Err(odd);
                }
                steps
            }
            Some(other) => {
                let steps = unzigzag(other);
                if common.contains(&steps) {
                    return Err(odd);
                }
                (steps, steps)
            }
            None => {
                let steps = common.get(number as usize).copied().unwrap_or_default();
                (steps, steps)
            }
        };
        let quantiser = self.quantiser();
        let new = (quantiser.step(old.0, base), quantiser.step(old.1, current));
        let (Some(base), Some(current)) = new else {
            return Err(WireError { at: begin, kind: WireErrorKind::TooLarge });
        };
        Ok((base, current))
    }
}

/// Exact values after adding a change to both; `None` if one is not finite.
fn added(old: Pair<Code>, change: f64) -> Option<Pair<Code>> {
    let add = |code| Quantiser::Exact.code(Quantiser::Exact.value(code) + change);
    Some((add(old.0)?, add(old.1)?))
}

/// Writes values in full; the current value only if it differs from the base value.
fn write_whole(bits: &mut BitWriter, quantiser: Quantiser, (base, current): Pair<Code>) {
    bits.bool(base != current);
    quantiser.write(bits, base);
    if base != current {
        quantiser.write(bits, current);
    }
}

/// Reads values as [`write_whole`] writes them. Equal values that are written twice are an error.
fn read_whole(bits: &mut BitReader<'_>, quantiser: Quantiser) -> Result<Pair<Code>, WireError> {
    let begin = bits.position();
    let differs = bits.bool()?;
    let base = quantiser.read(bits)?;
    let current = if differs { quantiser.read(bits)? } else { base };
    if differs && base == current {
        return Err(WireError { at: begin, kind: WireErrorKind::NotCanonical("an attribute") });
    }
    Ok((base, current))
}
