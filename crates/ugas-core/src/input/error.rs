//! Errors of input definitions. Building a scheme reports all of them, not only the first (I9).

use core::fmt;

use crate::curve::CurveError;

/// A kind of input definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputDefinitionKind {
    /// An input action.
    Action,
    /// A set of actions.
    ActionSet,
    /// A mapping.
    Mapping,
    /// A modifier.
    Modifier,
    /// A function of the host that modifies values.
    CustomModifier,
}

/// An error of an input definition.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{kind} `{name}`{}: {problem}", At(path))]
pub struct InputDefinitionError {
    /// Kind of the definition.
    pub kind: InputDefinitionKind,
    /// Its name; of a mapping, the name of its set.
    pub name: String,
    /// Path of the field in the file format: `Bindings[1].Action`.
    pub path: String,
    /// The problem.
    pub problem: InputProblem,
}

/// A problem of an input definition.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputProblem {
    /// An unknown name.
    #[error("there is no {kind} `{name}`{}", Nearest(nearest))]
    Unknown {
        /// Kind of the missing definition.
        kind: InputDefinitionKind,
        /// Its name.
        name: String,
        /// The most similar known name.
        nearest: Option<String>,
    },
    /// A second definition of the same kind and name.
    #[error("there is another {0} of this name")]
    Duplicate(InputDefinitionKind),
    /// A definition without a name.
    #[error("it has no name")]
    EmptyName,
    /// A set without actions.
    #[error("the set has no actions")]
    EmptySet,
    /// A binding of an action that the mapping's set does not have.
    #[error(
        "the set `{set}` does not have the action `{action}`: add it to the set, or bind it in another mapping"
    )]
    NotInSet {
        /// The set.
        set: String,
        /// The action.
        action: String,
    },
    /// A binding without controls.
    #[error("the binding has no inputs")]
    NoInputs,
    /// A control without a name.
    #[error("the input has no name")]
    UnnamedInput,
    /// A control that is twice in a binding.
    #[error("the binding uses `{0}` twice")]
    RepeatedInput(String),
    /// More components than the action has axes.
    #[error("the action has {axes} axes, but the binding {found} inputs for them")]
    TooManyInputs {
        /// Axes of the action.
        axes: usize,
        /// Inputs of the binding.
        found: usize,
    },
    /// A second binding with the same controls.
    #[error("the same inputs are already bound to `{0}` in this set")]
    DuplicateBinding(String),
    /// A number that is infinite or not a number (V2).
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// A negative time.
    #[error("a time must not be negative, found {0} s")]
    NegativeTime(f64),
    /// A number out of its range.
    #[error("{found} is out of range: {wanted}")]
    OutOfRange {
        /// The number.
        found: f64,
        /// Description of the range.
        wanted: &'static str,
    },
    /// Two limits in the wrong order.
    #[error("{low} must be less than {high}")]
    NotIncreasing {
        /// The limit that should be less.
        low: f64,
        /// The limit that should be greater.
        high: f64,
    },
    /// Points that do not form a curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
}

/// All errors of a set of input definitions.
#[derive(Clone, PartialEq, Debug)]
pub struct InputSchemeErrors(pub Vec<InputDefinitionError>);

impl fmt::Display for InputSchemeErrors {
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

impl std::error::Error for InputSchemeErrors {}

impl fmt::Display for InputDefinitionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Action => "input action",
            Self::ActionSet => "input action set",
            Self::Mapping => "input mapping",
            Self::Modifier => "input modifier",
            Self::CustomModifier => "custom input modifier",
        })
    }
}

struct At<'a>(&'a str);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " at {}", self.0) }
    }
}

/// A suggestion for a mistyped name, as the end of a message.
pub(super) struct Nearest<'a>(pub(super) &'a Option<String>);

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}
