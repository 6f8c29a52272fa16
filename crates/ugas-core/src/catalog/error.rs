//! Catalog errors. Building a catalog reports all of them, not just the first (I9).

use core::fmt;

use crate::ability::ParameterFault;
use crate::attribute::layout::AttributeSetError;
use crate::curve::CurveError;
use crate::expr::ExprError;
use crate::tag::TagNameError;

/// A kind of definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum DefinitionKind {
    /// A tag of the registry.
    Tag,
    /// An attribute of a set.
    Attribute,
    /// An attribute set.
    AttributeSet,
    /// An effect.
    Effect,
    /// An ability.
    Ability,
    /// A curve.
    Curve,
    /// A calculation.
    Calculation,
    /// A controller template.
    Template,
    /// An ability set.
    AbilitySet,
    /// An effect container.
    Container,
    /// A task written in Rust.
    CustomTask,
    /// A native target filter.
    TargetFilter,
}

impl fmt::Display for DefinitionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tag => "tag",
            Self::Attribute => "attribute",
            Self::AttributeSet => "attribute set",
            Self::Effect => "effect",
            Self::Ability => "ability",
            Self::Curve => "curve",
            Self::Calculation => "calculation",
            Self::Template => "controller template",
            Self::AbilitySet => "ability set",
            Self::Container => "effect container",
            Self::CustomTask => "custom task",
            Self::TargetFilter => "target filter",
        })
    }
}

/// An error in one definition.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{kind} `{name}`{}: {problem}", At(path))]
pub struct DefinitionError {
    /// Kind of the definition.
    pub kind: DefinitionKind,
    /// Name of the definition.
    pub name: String,
    /// Path in it, as in the file format: `Modifiers[1].Magnitude`.
    pub path: String,
    /// The problem.
    pub problem: Problem,
}

struct At<'a>(&'a str);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " at {}", self.0) }
    }
}

/// A problem of a definition.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A name without a definition.
    #[error("there is no {kind} `{name}`{}", Nearest(nearest))]
    Unknown {
        /// Expected kind of definition.
        kind: DefinitionKind,
        /// The unknown name.
        name: String,
        /// A similar known name.
        nearest: Option<String>,
    },
    /// A tag that the registry lacks (T1).
    #[error(
        "the tag registry lacks `{name}`, and with a registry every tag must be listed{}",
        Nearest(nearest)
    )]
    Unlisted {
        /// The tag.
        name: String,
        /// A similar tag of the registry.
        nearest: Option<String>,
    },
    /// A base value of an attribute that none of a template's sets has.
    #[error("none of the template's attribute sets has `{attribute}`{}", InSet(set))]
    NotInSets {
        /// The attribute.
        attribute: String,
        /// A set that has it.
        set: Option<String>,
    },
    /// A base value is given for a derived attribute (B7).
    #[error("`{0}` is derived: its base comes from its expression, and no base value can be given")]
    DerivedBase(String),
    /// A name that breaks the naming rules of §7.1.
    #[error(transparent)]
    TagName(#[from] TagNameError),
    /// A reference to a parameter of an ability that is invalid (A18).
    #[error(transparent)]
    Parameter(#[from] ParameterFault),
    /// A definition without a name.
    #[error("it has no name")]
    EmptyName,
    /// A second definition of the same kind and name.
    #[error("there is another {0} of this name")]
    Duplicate(DefinitionKind),
    /// A number that is infinite or not a number (V2).
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// An invalid precision on the wire (N2).
    #[error(
        "{bits} bits from {min} to {max} is no valid precision: give 1 to 32 bits, and a minimum below the maximum"
    )]
    UnusableQuantize {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Number of bits.
        bits: u8,
    },
    /// An expression that does not compile.
    #[error("in the expression `{text}`: {error}")]
    Expression {
        /// The expression.
        text: String,
        /// The error and its position.
        error: ExprError,
    },
    /// An invalid curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// A layer beyond the last.
    #[error("there are evaluation layers 0 to 9, not {0}")]
    LayerOutOfRange(u8),
    /// A scalable magnitude with neither a number nor a curve.
    #[error("the magnitude has neither a value nor a curve")]
    EmptyMagnitude,
    /// A period that is not positive.
    #[error("the period must be longer than 0 s")]
    PeriodNotPositive,
    /// A period on an instant effect.
    #[error("an instant effect cannot have a period: give it a duration or make it infinite")]
    PeriodOnInstant,
    /// Stacking together with an execution policy that excludes it (E5).
    #[error("stacking cannot be combined with RunInSequence or RunInMerge: use one or the other")]
    StackingWithPolicy,
    /// Stacking on an instant effect.
    #[error("an instant effect cannot stack: give it a duration or make it infinite")]
    StackingOnInstant,
    /// A dependency cycle.
    #[error("it depends on itself: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    /// Attribute sets that cannot be combined.
    #[error(transparent)]
    AttributeSets(#[from] AttributeSetError),
    /// A calculation from a file without outputs and without a result.
    #[error("it has neither outputs nor a result")]
    EmptyCalculation,
    /// A calculation that lacks what its use needs.
    #[error("the calculation `{name}` has no {lacks}, which is needed here")]
    WrongCalculation {
        /// The calculation.
        name: String,
        /// `result` or `outputs`.
        lacks: &'static str,
    },
    /// A transient variable that the calculation does not have.
    #[error("the calculation `{calculation}` has no variable `{name}`")]
    UnknownVariable {
        /// The calculation.
        calculation: String,
        /// The variable.
        name: String,
    },
    /// A channel that no definition of the catalog uses; only effects created at run time can have this
    /// problem.
    #[error("no definition of the catalog uses the channel `{0}`: declare it with `CatalogBuilder::channel`")]
    UnknownChannel(String),
    /// More modifiers, executions or captures than an effect can have.
    #[error("an effect can have at most {most} of these, not {found}")]
    TooMany {
        /// The limit.
        most: usize,
        /// Number found.
        found: usize,
    },
    /// Tasks nested too deeply.
    #[error("the tasks are nested too deeply")]
    TasksTooDeep,
    /// An ability without instances that waits for something (A7).
    #[error("an ability without instances cannot wait: use PerActor or PerExecution, or leave out the waits")]
    WaitWithoutInstance,
    /// A task that removes effects without saying which.
    #[error("it does not say which effects: give an effect, a name that an earlier task used, or tags")]
    RemovesNothing,
    /// A task that despawns controllers without saying which.
    #[error("it does not say which controllers: give a name that `SpawnController` used, tags, or `To`")]
    DespawnsNothing,
    /// A maximum of 0 charges.
    #[error("there must be at least one charge")]
    NoCharges,
    /// A recharge time that is not positive.
    #[error("the recharge must take longer than 0 s")]
    RechargeNotPositive,
    /// An invalid targeting.
    #[error(transparent)]
    Targeting(#[from] crate::targeting::TargetingProblem),
    /// A tag query nested too deeply.
    #[error("the tag query is nested too deeply")]
    QueryTooDeep,
    /// A `rand()` where no random stream is available.
    #[error("`rand()` is not available here: a derived attribute must be a function of its inputs")]
    RandomNotAvailable,
    /// A derived attribute that reads something other than attributes and tags of its owner.
    #[error("a derived attribute reads attributes of its own controller only, not {0}")]
    NotAvailable(&'static str),
}

struct InSet<'a>(&'a Option<String>);

impl fmt::Display for InSet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(set) => write!(f, ": it is in `{set}`, which the template does not have"),
            None => Ok(()),
        }
    }
}

struct Nearest<'a>(&'a Option<String>);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

/// All errors of a set of definitions.
#[derive(Clone, PartialEq, Debug)]
pub struct CatalogErrors(pub Vec<DefinitionError>);

impl fmt::Display for CatalogErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CatalogErrors {}
