//! What came of it.

use std::collections::BTreeMap;

/// What was violated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// A client did not come to show what its lens lets through.
    Convergence,
    /// A command ran twice, out of order, for somebody else, or without having been given.
    Commands,
    /// A command was not answered, twice, or was never given.
    Answers,
    /// A cost was not paid, or a cooldown was cut short.
    Price,
    /// A change of state was told twice, not at all, or from where it did not begin.
    StateEvents,
    /// A cue that flashes was told more often than it flashed, or, without faults, less often.
    Flashes,
    /// Somebody acted on what they cannot see, or otherwise got what is not theirs.
    Authority,
    /// Something grew without bound.
    Memory,
    /// A simulation is not sound.
    Soundness,
    /// Something panicked.
    Panic,
    /// The same seed did not give the same match.
    Determinism,
}

impl Kind {
    /// Its name, as reports print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Convergence => "convergence",
            Self::Commands => "commands",
            Self::Answers => "answers",
            Self::Price => "price",
            Self::StateEvents => "state-events",
            Self::Flashes => "flashes",
            Self::Authority => "authority",
            Self::Memory => "memory",
            Self::Soundness => "soundness",
            Self::Panic => "panic",
            Self::Determinism => "determinism",
        }
    }
}

/// Something that must not happen did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// With which seed.
    pub seed: u64,
    /// What.
    pub kind: Kind,
    /// In words.
    pub message: String,
    /// The command that plays the match again.
    pub replay: String,
}

/// What one or many matches came to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// How many matches.
    pub seeds: u64,
    /// How long they were, together, by the game's clock.
    pub simulated_seconds: f64,
    /// How often each kind of fault or cheat was inflicted.
    pub faults: BTreeMap<&'static str, u64>,
    /// Commands that servers carried out.
    pub commands: u64,
    /// Commands that servers rejected.
    pub rejected: u64,
    /// Datagrams that were sent.
    pub datagrams: u64,
    /// What must not have happened.
    pub violations: Vec<Violation>,
    /// A number that depends on every datagram and every state.
    pub hash: u64,
}

impl Report {
    /// Adds what other matches came to. In whichever order reports are joined, the sums are the same; the hash is not.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.seeds += other.seeds;
        self.simulated_seconds += other.simulated_seconds;
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.commands += other.commands;
        self.rejected += other.rejected;
        self.datagrams += other.datagrams;
        self.violations.extend(other.violations);
        self.hash = self.hash.rotate_left(5) ^ other.hash;
        self
    }

    pub(super) fn fault(&mut self, fault: &'static str, count: u64) {
        if count > 0 {
            *self.faults.entry(fault).or_default() += count;
        }
    }
}
