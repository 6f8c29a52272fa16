//! Prediction (§13.4, §13.7): what a client does before the authority has decided.
//!
//! Authors set it for each ability and effect ([`Prediction`], [`Randomness`]) and attribute
//! ([`AttributeDef::prediction_floor`](crate::attribute::AttributeDef::prediction_floor)). A client states
//! how much it knows of each controller ([`Knowledge`]). Only a simulation with
//! [`Role::Client`](crate::simulation::Role::Client) uses any of it.

use crate::codec::StateRecord;
use crate::random::RandomStream;

/// How far a client predicts an ability or an effect.
///
/// Without a setting, a client predicts as far as it knows everything that the result depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateRecord)]
pub enum Prediction {
    /// Predicted at once, even on a controller of which the client knows only the public part.
    Predict,
    /// Only cue bursts are shown; no values, tags or effects change.
    CosmeticOnly,
    /// Left to the authority.
    Never,
}

/// Which side rolls the dice of an ability or an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Randomness {
    /// The authority alone, with a seed that no client has. For a critical hit, say.
    #[default]
    ServerOnly,
    /// Both sides alike, from [`Config::prediction_seed`](crate::simulation::Config::prediction_seed), the
    /// acting controller and the prediction key. For the directions of a spread of shots, say. A cheat can
    /// read the seed from the client's memory and choose when to act, so nothing of value belongs here.
    Predicted,
}

/// How much of a controller a client knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Knowledge {
    /// All of it: the client computes the same results as the authority.
    #[default]
    Whole,
    /// The public part: some attributes, tags and cues, but not the effects.
    Shown,
}

/// Key of a client's prediction, by which the server confirms or rejects it (§13.4).
///
/// It packs three numbers: the tick of the client's frame, the index of the command in it, and the dependent
/// action that the command led to (0 for the command itself).
///
/// ```
/// use ugas_core::prediction::PredictionKey;
///
/// let fired = PredictionKey::new(1_200, 3);
/// assert_eq!((fired.tick(), fired.sequence(), fired.is_dependent()), (1_200, 3, false));
/// let answer = fired.dependent(7);
/// assert_eq!((answer.tick(), answer.sequence(), answer.is_dependent()), (1_200, 3, true));
/// assert_eq!(answer.origin(), fired);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateRecord)]
pub struct PredictionKey(pub u64);

impl PredictionKey {
    /// The key of a command, from the tick of its frame and its index there.
    pub const fn new(tick: u32, sequence: u16) -> Self {
        Self((tick as u64) << 32 | (sequence as u64) << 16)
    }

    /// The tick of the frame.
    pub const fn tick(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Index of the command in its frame.
    pub const fn sequence(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Number of the dependent action; 0 for the command itself.
    pub const fn dependence(self) -> u16 {
        self.0 as u16
    }

    /// Whether it is the key of a dependent action.
    pub const fn is_dependent(self) -> bool {
        self.dependence() != 0
    }

    /// The key of the command itself.
    pub const fn origin(self) -> Self {
        Self(self.0 & !0xFFFF)
    }

    /// The key of a dependent action. Client and authority both compute the number `cause`, without a shared
    /// counter, so the key is the same after a replay and on the other side.
    #[must_use]
    pub fn dependent(self, cause: u64) -> Self {
        let mixed = RandomStream::derive(cause, &[u64::from(self.dependence())]).key();
        // From 1 to 65535, uniform up to 2^-48.
        let dependence = 1 + mixed % 0xFFFF;
        Self(self.origin().0 | dependence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn key_packs_three_numbers() {
        // 0x0000_04B0 is 1200, 0x0003 is 3.
        assert_eq!(PredictionKey::new(1_200, 3), PredictionKey(0x0000_04B0_0003_0000));
        assert_eq!(PredictionKey(0x0000_04B0_0003_0007).dependence(), 7);
        assert_eq!(PredictionKey::new(u32::MAX, u16::MAX), PredictionKey(0xFFFF_FFFF_FFFF_0000));
    }

    #[test]
    fn later_key_is_greater() {
        assert!(PredictionKey::new(2, 0) > PredictionKey::new(1, 9).dependent(5));
        assert!(PredictionKey::new(1, 9).dependent(5) > PredictionKey::new(1, 9));
        assert!(PredictionKey::new(1, 9) > PredictionKey::new(1, 8).dependent(5));
    }

    proptest! {
        #[test]
        fn dependent_key_keeps_its_origin(tick: u32, sequence: u16, causes in prop::collection::vec(any::<u64>(), 1..4)) {
            let origin = PredictionKey::new(tick, sequence);
            let key = causes.iter().fold(origin, |key, cause| key.dependent(*cause));
            prop_assert!(key.is_dependent());
            prop_assert_eq!((key.tick(), key.sequence(), key.origin()), (tick, sequence, origin));
        }
    }
}
