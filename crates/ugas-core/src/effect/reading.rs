//! Captured values of attributes (E8).

use core::fmt;

use smallvec::SmallVec;

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder};
use crate::hash::{HashSink, StateHash};

/// Captured values in the order of an effect's captures.
pub(crate) type Readings = SmallVec<[Reading; 2]>;

/// A captured value, or none. Values are finite (V2), so NaN encodes `None`.
#[derive(Clone, Copy)]
pub(crate) struct Reading(f64);

impl Reading {
    pub(crate) const NONE: Self = Self(f64::NAN);

    /// The value; `None` if nothing was captured, which is stored as NaN.
    #[inline]
    pub(crate) fn get(self) -> Option<f64> {
        (!self.0.is_nan()).then_some(self.0)
    }

    pub(crate) fn is_none(self) -> bool {
        self.0.is_nan()
    }
}

impl From<Option<f64>> for Reading {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::NONE, Self)
    }
}

impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl StateHash for Reading {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        self.get().state_hash(hasher);
    }
}

impl Encode for Reading {
    fn encode(&self, encoder: &mut Encoder) {
        self.get().encode(encoder);
    }
}

impl Decode for Reading {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        let value = Option::<f64>::decode(decoder)?;
        if value.is_some_and(|value| !value.is_finite()) {
            return Err(decoder.invalid("a captured value of a spec is not finite"));
        }
        Ok(value.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{from_bytes, to_bytes};
    use crate::hash::StateHasher;

    #[test]
    fn reading_encodes_as_option_of_finite_number() {
        for value in [None, Some(0.0), Some(-3.5), Some(f64::MAX)] {
            let bytes = to_bytes(&value);
            let reading = from_bytes::<Reading>(&bytes).unwrap();
            assert_eq!((reading.get(), to_bytes(&reading)), (value, bytes));
            assert_eq!(StateHasher::of(&reading), StateHasher::of(&value));
        }
        for value in [f64::NAN, f64::INFINITY] {
            assert!(from_bytes::<Reading>(&to_bytes(&Some(value))).is_err());
        }
    }
}
