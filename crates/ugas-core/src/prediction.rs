//! Prediction (§13.4, §13.7): what a client does before the authority has decided, and how far it goes.
//!
//! An author says it for each ability and effect ([`Prediction`], [`Randomness`]) and attribute
//! ([`AttributeDef::prediction_floor`](crate::attribute::AttributeDef::prediction_floor)); a client says what it knows of
//! whom ([`Knowledge`]). Only a simulation with [`Role::Client`](crate::simulation::Role::Client) looks at any of it.

use crate::codec::{plain_enum, plain_struct};
use crate::random::RandomStream;

/// How far a client goes with an ability or an effect before the authority has decided.
///
/// What says nothing is predicted by rule: as far as everything that it depends on is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prediction {
    /// The client does it at once, also to somebody of whom it knows only what is shown.
    Predict,
    /// The client shows it, and nothing stays: bursts of cues, no values, tags or effects.
    CosmeticOnly,
    /// The client waits for the authority.
    Never,
}

/// Who rolls the dice of an ability or an effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Randomness {
    /// The authority alone, by a seed that no client has: whether a hit is critical.
    #[default]
    ServerOnly,
    /// Both sides alike, by [`Config::prediction_seed`](crate::simulation::Config::prediction_seed), who acts, and the key
    /// of the prediction: where the shots of a spread go. Whoever reads the client's memory can foresee them, and may
    /// choose when to act, so nothing that a cheat would want belongs here.
    Predicted,
}

/// How much a client knows of a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Knowledge {
    /// All of it: what is computed from it is what the authority computes.
    #[default]
    Whole,
    /// What others are shown: some attributes, tags and cues. Effects that it has are not known, nor what they add.
    Shown,
}

/// Names a client's prediction, so that what it did can be confirmed or taken back (§13.4).
///
/// Three numbers in one: the tick of the client's frame, the place of the command in it, and which of the things that
/// the command led to is meant; 0 is the command itself.
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredictionKey(pub u64);

impl PredictionKey {
    /// The key of a command: the tick of its frame, and its place there.
    pub const fn new(tick: u32, sequence: u16) -> Self {
        Self((tick as u64) << 32 | (sequence as u64) << 16)
    }

    /// The tick of the frame.
    pub const fn tick(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The place of the command in its frame.
    pub const fn sequence(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// Which of the things that the command led to; 0 for itself.
    pub const fn dependence(self) -> u16 {
        self.0 as u16
    }

    /// Whether it is of something that the command led to.
    pub const fn is_dependent(self) -> bool {
        self.dependence() != 0
    }

    /// The key of the command that it all began with.
    pub const fn origin(self) -> Self {
        Self(self.0 & !0xFFFF)
    }

    /// The key of what this led to by `cause`, a number that client and authority both come to: there is no counter that
    /// both would have to keep, so that a key is the same after a replay and on the other side.
    #[must_use]
    pub fn dependent(self, cause: u64) -> Self {
        let mixed = RandomStream::derive(cause, &[u64::from(self.dependence())]).key();
        // From 1 to 65535, each equally likely but for a part in 2^48.
        let dependence = 1 + mixed % 0xFFFF;
        Self(self.origin().0 | dependence)
    }
}

plain_enum!(Prediction { 0 => Predict, 1 => CosmeticOnly, 2 => Never });
plain_enum!(Randomness { 0 => ServerOnly, 1 => Predicted });
plain_struct!(PredictionKey(key));

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_key_is_its_three_numbers() {
        // 0x0000_04B0 is 1200, 0x0003 is 3.
        assert_eq!(PredictionKey::new(1_200, 3), PredictionKey(0x0000_04B0_0003_0000));
        assert_eq!(PredictionKey(0x0000_04B0_0003_0007).dependence(), 7);
        assert_eq!(PredictionKey::new(u32::MAX, u16::MAX), PredictionKey(0xFFFF_FFFF_FFFF_0000));
    }

    #[test]
    fn later_keys_are_greater() {
        assert!(PredictionKey::new(2, 0) > PredictionKey::new(1, 9).dependent(5));
        assert!(PredictionKey::new(1, 9).dependent(5) > PredictionKey::new(1, 9));
        assert!(PredictionKey::new(1, 9) > PredictionKey::new(1, 8).dependent(5));
    }

    proptest! {
        #[test]
        fn a_dependent_key_keeps_its_origin(tick: u32, sequence: u16, causes in prop::collection::vec(any::<u64>(), 1..4)) {
            let origin = PredictionKey::new(tick, sequence);
            let key = causes.iter().fold(origin, |key, cause| key.dependent(*cause));
            prop_assert!(key.is_dependent());
            prop_assert_eq!((key.tick(), key.sequence(), key.origin()), (tick, sequence, origin));
        }
    }
}
