//! Contexts of looping cues (C1).

use std::sync::Arc;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::event::{CueDetails, CueParameters};
use crate::handle::ControllerId;
use crate::replica::Piece;
use crate::tag::TagBits;

/// Writes the context of a cue. Tags of source and target are not written: the viewer takes them from its own
/// replica of both. The payload is dropped if the context is too long with it; a context that is still too
/// long is not written.
pub(crate) fn write_cue(magnitude: f64, level: f64, details: &mut CueDetails, encoder: &mut Encoder) {
    details.source_tags = TagBits::default();
    details.target_tags = TagBits::default();
    let mut write = |details: &CueDetails| {
        encoder.clear();
        magnitude.encode(encoder);
        level.encode(encoder);
        details.encode(encoder);
        encoder.bytes().len() <= Piece::MOST_CUE_CONTEXT
    };
    let fits = write(details) || details.payload.take().is_some() && write(details);
    if !fits {
        encoder.clear();
    }
}

/// Reads the context of a cue.
pub(crate) fn read_cue(decoder: &mut Decoder<'_>) -> Result<CueParameters, DecodeError> {
    let (magnitude, level) = (f64::decode(decoder)?, f64::decode(decoder)?);
    if !magnitude.is_finite() || !level.is_finite() {
        return Err(decoder.invalid("a number in the context of a cue is not finite"));
    }
    let details = CueDetails::decode(decoder)?;
    // Adding zero turns a negative zero into zero.
    Ok(CueParameters { magnitude: magnitude + 0.0, level: level + 0.0, details: Some(Arc::new(details)) })
}

/// Removes all traces of a source that the viewer does not see from the context of a cue.
pub(crate) fn redact_cue(details: &mut CueDetails, sees: impl Fn(ControllerId) -> bool) {
    if details.instigator.is_some_and(|source| !sees(source)) {
        details.hide_source();
    }
}
