//! Errors of expressions: in the text ([`ExprError`]) and in evaluation ([`EvalError`]).

use crate::ability::ParameterFault;

use super::environment::{NameKind, Side};
use crate::id::{AttributeId, CurveId, TagId};
use core::fmt;

/// A byte range of an expression's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    pub(super) const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    pub(super) fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The spanned part of `text`; empty if the span does not fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A mistake in the text of an expression. Its message does not contain the position, which the caller
/// reports from `span`.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{kind}")]
pub struct ExprError {
    /// Position of the mistake in the text.
    pub span: Span,
    /// Kind of the mistake.
    pub kind: ExprErrorKind,
}

/// The kinds of mistake in the text of an expression.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExprErrorKind {
    /// A character that has no meaning in expressions.
    #[error("unexpected character `{}`", .0.escape_debug())]
    UnexpectedCharacter(char),
    /// An operator of other languages.
    #[error("`{found}` is not an operator here; use `{instead}`")]
    ForeignOperator {
        /// As written.
        found: &'static str,
        /// The operator of expressions to use instead.
        instead: &'static str,
    },
    /// The text stops too early.
    #[error("the expression ends where {expected} should follow")]
    UnexpectedEnd {
        /// Description of the expected token.
        expected: &'static str,
    },
    /// A token that is not allowed at its position.
    #[error("unexpected `{found}`; expected {expected}")]
    UnexpectedToken {
        /// As written.
        found: String,
        /// Description of the expected token.
        expected: &'static str,
    },
    /// A number too large for a value (V2).
    #[error("the number `{0}` is out of range")]
    NumberOutOfRange(String),
    /// An opening quote without a closing one.
    #[error("this text in quotes never ends; close it with `{0}`")]
    UnterminatedString(char),
    /// `a < b < c`, which would compare a truth value with a number.
    #[error("comparisons cannot be chained; write `a < b and b < c`")]
    ChainedComparison,
    /// More text than an expression may have.
    #[error("the expression is {length} bytes long; at most {most} are allowed")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        most: usize,
    },
    /// Parentheses, signs or powers nested beyond the limit.
    #[error("the expression is nested more than {most} levels deep; name parts of it")]
    TooDeep {
        /// The limit.
        most: u32,
    },
    /// A call of a function that does not exist.
    #[error("unknown function `{name}`{}", did_you_mean(.nearest))]
    UnknownFunction {
        /// As written.
        name: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// A function with too few or too many arguments.
    #[error("`{function}` takes {expected}, not {found}")]
    WrongArgumentCount {
        /// The function.
        function: &'static str,
        /// The expected number.
        expected: ArgumentCount,
        /// The given number.
        found: u32,
    },
    /// A number where a function expects a name in quotes.
    #[error("`{function}` takes a name in quotes first, as in `{function}(\"Name\")`")]
    ExpectedText {
        /// The function.
        function: &'static str,
    },
    /// A text in quotes where a function expects a number.
    #[error("`{function}` takes a number here, not a text in quotes")]
    UnexpectedText {
        /// The function.
        function: &'static str,
    },
    /// An unknown name.
    #[error("unknown {kind} `{name}`{}", did_you_mean(.nearest))]
    UnknownName {
        /// Expected kind of the named thing.
        kind: NameKind,
        /// As written.
        name: String,
        /// The nearest known one.
        nearest: Option<String>,
    },
    /// A parameter of the wrong kind for its use (A18).
    #[error("{0}")]
    Parameter(ParameterFault),
    /// `ParamTag` where no tag is expected.
    #[error(
        "`ParamTag` stands for a tag: write it where a tag is expected, as in `HasTag(ParamTag(\"Name\"))`"
    )]
    ParamTagAsValue,
    /// A part without variables that can never be computed (V2).
    #[error("this can never be computed: {0}")]
    Constant(EvalError),
}

/// Number of arguments that a function takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgumentCount {
    /// Exactly this number.
    Exactly(u32),
    /// This number or more.
    AtLeast(u32),
}

impl ArgumentCount {
    pub(super) fn accepts(self, count: u32) -> bool {
        match self {
            Self::Exactly(exact) => count == exact,
            Self::AtLeast(least) => count >= least,
        }
    }
}

impl fmt::Display for ArgumentCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(0) => f.write_str("no arguments"),
            Self::Exactly(1) => f.write_str("1 argument"),
            Self::Exactly(count) => write!(f, "{count} arguments"),
            Self::AtLeast(count) => write!(f, "{count} or more arguments"),
        }
    }
}

/// Error of an evaluation. Small and `Copy`, because refusals carry it; callers turn the ids into names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// `/` or `%` by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A result, or a value of the environment, that is infinite or not a number.
    #[error("the result is not a finite number")]
    NonFinite,
    /// The square root of a negative number.
    #[error("square root of a negative number")]
    NegativeRoot,
    /// The side does not exist or lacks the attribute.
    #[error("the {side} has no {attribute:?}")]
    MissingAttribute {
        /// The side.
        side: Side,
        /// The attribute.
        attribute: AttributeId,
    },
    /// The application did not set this magnitude (E9).
    #[error("no set-by-caller magnitude for {tag:?}")]
    MissingSetByCaller {
        /// The magnitude's tag.
        tag: TagId,
    },
    /// There is no parameter of this name.
    #[error("a parameter is missing")]
    MissingParam,
    /// Neither the pack nor the host has the curve.
    #[error("{curve:?} is missing")]
    MissingCurve {
        /// The curve.
        curve: CurveId,
    },
    /// A value that is not available in this context, such as dice in a derived attribute.
    #[error("not available here")]
    NotAvailable,
    /// Dice that only the authority rolls, read on a client (§13.7).
    #[error("only the authority rolls these dice")]
    NotPredicted,
}

/// Suggestion at the end of a message; empty if there is none.
fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
