//! Reports of soak runs.

use std::collections::BTreeMap;

/// Kind of a violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// A client did not converge to the state that it may see.
    Convergence,
    /// A command ran twice, out of order, for another client, or without having been given.
    Commands,
    /// A command was answered twice or not at all, or an answer has no command.
    Answers,
    /// A cost was not paid, or a cooldown was cut short.
    Price,
    /// A state change was emitted twice, not at all, or with a wrong old value.
    StateEvents,
    /// A cue burst was emitted more often than the cue was executed, or, without faults, less often.
    CueBursts,
    /// A client acted on a hidden controller, or otherwise exceeded its authority.
    Authority,
    /// An honest client was kicked, or too few of its commands came in time.
    Liveness,
    /// Something grew without bound.
    Memory,
    /// A simulation is inconsistent.
    Soundness,
    /// Something panicked.
    Panic,
    /// The same seed did not give the same match.
    Determinism,
}

impl Kind {
    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Convergence => "convergence",
            Self::Commands => "commands",
            Self::Answers => "answers",
            Self::Price => "price",
            Self::StateEvents => "state-events",
            Self::CueBursts => "flashes",
            Self::Authority => "authority",
            Self::Liveness => "liveness",
            Self::Memory => "memory",
            Self::Soundness => "soundness",
            Self::Panic => "panic",
            Self::Determinism => "determinism",
        }
    }
}

/// A violated invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Seed of the match.
    pub seed: u64,
    /// Kind of the violation.
    pub kind: Kind,
    /// Description.
    pub message: String,
    /// Command line that replays the match.
    pub replay: String,
}

/// Results of one or more matches.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Number of matches.
    pub seeds: u64,
    /// Total simulated time.
    pub simulated_seconds: f64,
    /// Number of faults and cheats of each kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// Commands that servers ran.
    pub commands: u64,
    /// Commands that servers rejected.
    pub rejected: u64,
    /// Commands of honest clients that were answered.
    pub honest: u64,
    /// Those of them that were rejected because they came too late, too early or were too many.
    pub untimely: u64,
    /// Clients that were kicked.
    pub kicked: u64,
    /// Datagrams that were sent.
    pub datagrams: u64,
    /// Violations that were found.
    pub violations: Vec<Violation>,
    /// Hash of all datagrams and states.
    pub hash: u64,
}

impl Report {
    /// Adds the results of other matches. The sums do not depend on the order; the hash does.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.seeds += other.seeds;
        self.simulated_seconds += other.simulated_seconds;
        for (fault, count) in other.faults {
            *self.faults.entry(fault).or_default() += count;
        }
        self.commands += other.commands;
        self.rejected += other.rejected;
        self.honest += other.honest;
        self.untimely += other.untimely;
        self.kicked += other.kicked;
        self.datagrams += other.datagrams;
        self.violations.extend(other.violations);
        self.hash = self.hash.rotate_left(5) ^ other.hash;
        self
    }

    /// Counts faults of a kind; a kind without any is not listed.
    pub(super) fn fault(&mut self, fault: &'static str, count: u64) {
        if count > 0 {
            *self.faults.entry(fault).or_default() += count;
        }
    }
}
