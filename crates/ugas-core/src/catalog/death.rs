//! Death (§8.6.4, A4): the attribute whose fall to a threshold cancels the abilities of its owner.

use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, StateRecord};
use crate::hash::{HashSink, StateHash};
use crate::id::AttributeId;

/// The default attribute of death.
pub const DEFAULT_DEATH_ATTRIBUTE: &str = "Health";

/// Which attribute causes death.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub(crate) enum DeathAttribute {
    /// [`DEFAULT_DEATH_ATTRIBUTE`], if the catalog has it.
    #[default]
    Default,
    /// Death is off.
    Off,
    /// An attribute by name.
    Named(String),
}

/// Settings of death, from a host or a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct DeathDef {
    pub(crate) attribute: DeathAttribute,
    /// `None` for the attribute's Min, or 0 without one.
    pub(crate) threshold: Option<f64>,
}

/// Resolved rule of death: the current value of `attribute` passes from above to at or below the threshold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Death {
    /// The attribute.
    pub attribute: AttributeId,
    /// The threshold; `None` for the Min of the attribute on the controller, or 0 without one.
    pub threshold: Option<f64>,
}

impl DeathDef {
    /// Format versions before 4 have an attribute with a threshold, or nothing, which is the default now
    /// (A4).
    fn from_old(old: Option<(String, f64)>) -> Self {
        match old {
            None => Self::default(),
            Some((name, threshold)) => {
                Self { attribute: DeathAttribute::Named(name), threshold: Some(threshold) }
            }
        }
    }
}

/// A definition that an older version could express keeps the hash that it had.
impl StateHash for DeathDef {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        match (&self.attribute, self.threshold) {
            (DeathAttribute::Default, None) => None::<(String, f64)>.state_hash(hasher),
            (DeathAttribute::Named(name), Some(threshold)) => {
                Some((name.clone(), threshold)).state_hash(hasher);
            }
            (attribute, threshold) => {
                "death".state_hash(hasher);
                attribute.state_hash(hasher);
                threshold.state_hash(hasher);
            }
        }
    }
}

impl Encode for DeathDef {
    fn encode(&self, encoder: &mut Encoder) {
        self.attribute.encode(encoder);
        self.threshold.encode(encoder);
    }
}

impl Decode for DeathDef {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        if decoder.version() < 4 {
            return Option::decode(decoder).map(Self::from_old);
        }
        Ok(Self { attribute: Decode::decode(decoder)?, threshold: Decode::decode(decoder)? })
    }
}
