//! Encoding of [`CommandResult`] and [`CueBurst`].

use super::error::EncodeError;
use super::group;
use super::values::{Decoder, Encoder};
use crate::bits::{WireError, WireErrorKind};
use crate::limits::MAX_CUE_DETAILS;
use crate::message::{CommandOutcome, CommandResult, CueBurst, Rejection};
use crate::tick::Tick;

const REJECTION_BITS: u32 = 4;

/// Rejections by their wire numbers.
const REJECTIONS: [Rejection; 11] = [
    Rejection::TooLate,
    Rejection::TooEarly,
    Rejection::TooMany,
    Rejection::Malformed,
    Rejection::NotOwner,
    Rejection::NotGranted,
    Rejection::NotAllowed,
    Rejection::NotActivated,
    Rejection::NotReachable,
    Rejection::EffectNotAllowed,
    Rejection::NothingWaits,
];

impl Encoder<'_> {
    /// Writes the outcome of a command; `tick` is that of the update, to which its key is relative.
    pub(super) fn result(&mut self, tick: Tick, result: &CommandResult) {
        self.key(tick, result.key);
        match result.outcome {
            CommandOutcome::Done => self.bits.bool(false),
            CommandOutcome::Shifted(ticks) => {
                self.bits.bits(0b01, 2);
                self.bits.varint(u64::from(ticks), group::SHIFT);
            }
            CommandOutcome::Rejected(reason) => {
                self.bits.bits(0b11, 2);
                // Wire numbers are in the order of declaration.
                self.bits.bits(reason as u64, REJECTION_BITS);
            }
        }
    }

    /// Writes a cue burst; `tick` is that of the update, to which its tick and key are relative.
    pub(super) fn burst(&mut self, tick: Tick, burst: &CueBurst) -> Result<(), EncodeError> {
        self.tick_near(tick, burst.tick);
        self.bits.varint(u64::from(burst.ordinal), group::ORDINAL);
        self.tag(burst.cue)?;
        self.handle(burst.controller);
        self.option(burst.source, |this, source| {
            this.handle(source);
            Ok(())
        })?;
        self.option(burst.key, |this, key| {
            this.key(tick, key);
            Ok(())
        })?;
        self.number("the magnitude of a cue", f64::from(burst.magnitude))?;
        self.number("the level of a cue", f64::from(burst.level))?;
        self.option(burst.location, |this, location| this.vector("the location of a cue", location))?;
        self.option(burst.details.as_ref(), |this, details| {
            this.bytes("the context of a cue", details, MAX_CUE_DETAILS)
        })
    }
}

impl Decoder<'_> {
    /// Reads the outcome of a command in the update of `tick`.
    pub(super) fn result(&mut self, tick: Tick) -> Result<CommandResult, WireError> {
        let key = self.key(tick)?;
        let outcome = if !self.bits.bool()? {
            CommandOutcome::Done
        } else if !self.bits.bool()? {
            CommandOutcome::Shifted(self.bits.small(group::SHIFT)?)
        } else {
            let begin = self.bits.position();
            let found = self.bits.bits(REJECTION_BITS)?;
            let kind = WireErrorKind::UnknownKind { what: "rejection", found };
            let reason = REJECTIONS.get(found as usize).ok_or(WireError { at: begin, kind })?;
            CommandOutcome::Rejected(*reason)
        };
        Ok(CommandResult { key, outcome })
    }

    /// Reads a cue burst in the update of `tick`.
    pub(super) fn burst(&mut self, tick: Tick) -> Result<CueBurst, WireError> {
        Ok(CueBurst {
            tick: self.tick_near(tick)?,
            ordinal: self.bits.small(group::ORDINAL)?,
            cue: self.tag()?,
            controller: self.handle()?,
            source: self.option(Self::handle)?,
            key: self.option(|this| this.key(tick))?,
            magnitude: self.short_number()?,
            level: self.short_number()?,
            location: self.option(Self::vector)?,
            details: self.option(|this| this.bytes("the context of a cue", MAX_CUE_DETAILS))?,
        })
    }

    /// Reads a number that must be exact in single precision; [`WireErrorKind::TooLarge`] if it is not.
    fn short_number(&mut self) -> Result<f32, WireError> {
        let begin = self.bits.position();
        let value = self.number()?;
        let short = value as f32;
        if f64::from(short).to_bits() != value.to_bits() {
            return self.error_at(begin, WireErrorKind::TooLarge);
        }
        Ok(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejections_are_numbered_in_order_of_declaration() {
        assert!(REJECTIONS.iter().enumerate().all(|(number, reason)| *reason as usize == number));
        assert!(REJECTIONS.is_sorted());
    }
}
