//! Contexts of looping cues (C1).

use std::sync::Arc;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::event::{CueDetails, CueParameters};
use crate::handle::ControllerId;
use crate::mirror::Piece;
use crate::tag::TagBits;

/// Writes the context of a cue. Tags of source and target are not written: the viewer takes them from its own copy of both.
/// Without its payload a context may be short enough; one that is too long all the same is not written.
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
        return Err(decoder.invalid("a number of the context of a cue is not finite"));
    }
    let details = CueDetails::decode(decoder)?;
    // A negative zero is never shown.
    Ok(CueParameters { magnitude: magnitude + 0.0, level: level + 0.0, details: Some(Arc::new(details)) })
}

/// Removes everything from the context of a cue that concerns a source that is not seen.
pub(crate) fn veil_cue(details: &mut CueDetails, sees: impl Fn(ControllerId) -> bool) {
    if details.instigator.is_some_and(|source| !sees(source)) {
        details.hide_source();
    }
}
