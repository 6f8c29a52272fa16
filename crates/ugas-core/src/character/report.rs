//! Report about a restored character.

use core::fmt;

use crate::catalog::{CatalogErrors, DefinitionKind};
use crate::refusal::Limit;

/// Report about a restored character: everything that differs from the original, in a defined order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CharacterReport {
    /// One entry per difference.
    pub entries: Vec<CharacterEntry>,
}

impl CharacterReport {
    /// Whether everything was restored unchanged. Activations, which are never restored (P8), and attributes
    /// that are new here do not count.
    pub fn is_complete(&self) -> bool {
        !self.entries.iter().any(|entry| entry.outcome.is_loss())
    }

    /// Adds an entry to the report.
    pub(crate) fn note(&mut self, kind: DefinitionKind, name: impl Into<String>, outcome: CharacterOutcome) {
        self.entries.push(CharacterEntry { kind, name: name.into(), outcome });
    }
}

impl fmt::Display for CharacterReport {
    /// One line for each entry.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for entry in &self.entries {
            writeln!(f, "{entry}")?;
        }
        Ok(())
    }
}

/// A part of a character that differs from the original.
#[derive(Clone, PartialEq, Debug)]
pub struct CharacterEntry {
    /// Kind of the definition.
    pub kind: DefinitionKind,
    /// Name of the definition.
    pub name: String,
    /// The difference.
    pub outcome: CharacterOutcome,
}

impl fmt::Display for CharacterEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, outcome } = self;
        write!(f, "{kind} `{name}` {outcome}")
    }
}

/// How a part of a character differs from the original.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum CharacterOutcome {
    /// It was left out: no definition has its name here (P1).
    Unknown,
    /// An attribute was left out: none of the sets has it here.
    AttributeGone {
        /// Base value that it had.
        base: f64,
    },
    /// An attribute of its sets is not part of the character, and starts as on a spawned controller.
    Appeared {
        /// Its initial base value.
        base: f64,
    },
    /// A number of it is not finite, and was left out (V2).
    NotFinite,
    /// An active effect was left out: it is instant here.
    BecameInstant,
    /// An active effect was left out: its magnitudes cannot be evaluated here (P6).
    CannotContinue {
        /// The refusal as text.
        reason: String,
    },
    /// An effect created at run time was left out: its definition is invalid here.
    Invalid(CatalogErrors),
    /// An effect created at run time was replaced by the catalog's effect of the same name.
    Replaced,
    /// Its magnitudes were evaluated again: their definition is different here (P6).
    Reevaluated,
    /// The number of stacks was reduced to the limit.
    StacksReduced {
        /// Stacks before.
        from: u32,
        /// Stacks now.
        to: u32,
    },
    /// A queued effect began, because it does not run in sequence here.
    Began,
    /// The instigator was not found; the effect keeps its last known state (P5).
    Orphaned,
    /// The effect was left out: its instigator was not found (P5).
    OrphanDropped,
    /// The ability that applied the effect was not found.
    AbilityGone {
        /// Its name.
        ability: String,
    },
    /// An ability was left out: the effect that granted it is missing, or does not grant it any more (P7).
    NoLongerGranted,
    /// It was left out: a limit is reached (P9).
    LimitReached(Limit),
    /// Activations of an ability were not restored (P8).
    RunsLeftBehind {
        /// Number of activations.
        runs: u32,
    },
    /// A passive ability was active, and was activated again (P8).
    ActivatedAgain,
    /// The current value of an attribute is different (P2).
    ValueDiffers {
        /// Value in the character.
        was: f64,
        /// Value of the new controller.
        is: f64,
    },
}

impl CharacterOutcome {
    /// Whether a part of the character was lost or changed. New attributes, and activations that stay behind
    /// or start again (P8), are no loss.
    pub fn is_loss(&self) -> bool {
        !matches!(self, Self::Appeared { .. } | Self::RunsLeftBehind { .. } | Self::ActivatedAgain)
    }
}

impl fmt::Display for CharacterOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("is not known here and was left out"),
            Self::AttributeGone { base } => write!(f, "is in none of the sets here; its base was {base}"),
            Self::Appeared { base } => write!(f, "is new here, with base {base}"),
            Self::NotFinite => f.write_str("has a number that is not finite, which was left out"),
            Self::BecameInstant => f.write_str("was left out: it is instant here"),
            Self::CannotContinue { reason } => write!(f, "was left out: {reason}"),
            Self::Invalid(errors) => write!(f, "was left out: {errors}"),
            Self::Replaced => f.write_str("was created at run time; the catalog's took its place"),
            Self::Reevaluated => {
                f.write_str("is defined differently here; its magnitudes were evaluated anew")
            }
            Self::StacksReduced { from, to } => write!(f, "has {to} stacks instead of {from}"),
            Self::Began => f.write_str("waited for its turn and began: it does not run in sequence here"),
            Self::Orphaned => f.write_str("continues without its instigator, which was not found"),
            Self::OrphanDropped => f.write_str("was left out: its instigator was not found"),
            Self::AbilityGone { ability } => write!(f, "was applied by `{ability}`, which is not here"),
            Self::NoLongerGranted => f.write_str("was left out: no effect grants it here"),
            Self::LimitReached(limit) => write!(f, "was left out: {limit}"),
            Self::RunsLeftBehind { runs: 1 } => f.write_str("was active; the run stayed behind"),
            Self::RunsLeftBehind { runs } => write!(f, "was active; {runs} runs stayed behind"),
            Self::ActivatedAgain => f.write_str("was active and was activated anew"),
            Self::ValueDiffers { was, is } => write!(f, "is {is}; it was {was}"),
        }
    }
}
