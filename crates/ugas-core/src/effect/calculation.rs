//! Calculations (§9.5): formulas over several attributes of source and target, from files or from Rust.
//!
//! A calculation can be an execution, which emits outputs, or a magnitude or requirement, which has a result.
//! Every attribute that it reads must be declared as a capture; reading another is an error, not a silent
//! zero.

use std::sync::Arc;

use super::magnitude::{CaptureFrom, CaptureTime};
use crate::codec::StateRecord;
use crate::expr::{EvalError, Program};
use crate::id::{AttributeId, TagId};
use crate::modifier::Operation;
use crate::simulation::CalculationContext;

/// An attribute that a calculation reads (§9.5).
#[derive(Clone, PartialEq, Eq, Debug, StateRecord)]
pub struct CaptureDef {
    /// Name of the attribute.
    pub attribute: String,
    /// The controller it is read from.
    pub from: CaptureFrom,
    /// Frozen or live.
    pub time: CaptureTime,
}

impl CaptureDef {
    /// A live capture from the source.
    pub fn source(attribute: impl Into<String>) -> Self {
        Self { attribute: attribute.into(), from: CaptureFrom::Source, time: CaptureTime::OnExecution }
    }

    /// A live capture from the target.
    pub fn target(attribute: impl Into<String>) -> Self {
        Self { attribute: attribute.into(), from: CaptureFrom::Target, time: CaptureTime::OnExecution }
    }

    /// The same capture, frozen at application (E8).
    #[must_use]
    pub fn frozen(mut self) -> Self {
        self.time = CaptureTime::OnApplication;
        self
    }
}

/// Controller that an output of a calculation writes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum OutputTo {
    /// The target of the effect.
    #[default]
    Target,
    /// The source of the effect.
    Source,
}

/// One output of a calculation in a file.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct OutputDef {
    /// Attribute that is written.
    pub attribute: String,
    /// Operation on its base value.
    pub operation: Operation,
    /// Expression for the magnitude.
    pub magnitude: String,
    /// Controller whose attribute is written (E14).
    #[state(since = 4)]
    pub to: OutputTo,
}

impl OutputDef {
    /// An output that writes to the target.
    pub fn new(attribute: impl Into<String>, operation: Operation, magnitude: impl Into<String>) -> Self {
        Self { attribute: attribute.into(), operation, magnitude: magnitude.into(), to: OutputTo::Target }
    }

    /// The same output, written to the source.
    #[must_use]
    pub fn to_source(mut self) -> Self {
        self.to = OutputTo::Source;
        self
    }
}

/// A context tag that a calculation in a file marks (E14).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct ContextTagDef {
    /// Name of the tag.
    pub tag: String,
    /// Condition: an expression that marks the tag where it is not zero; `None` marks it always.
    pub when: Option<String>,
}

/// A calculation made of expressions, as in files.
///
/// Attributes in the expressions are captured live unless [`captures`](Self::captures) says otherwise. The
/// outputs of an execution are multiplied by the stack count like any modifier (M8), unless one of its
/// expressions reads `Stacks` itself.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct CalculationDef {
    /// Name, unique in the catalog.
    pub name: String,
    /// Attributes it reads.
    pub captures: Vec<CaptureDef>,
    /// Named intermediate results, in order; each may use those before it.
    pub lets: Vec<(String, String)>,
    /// Outputs of an execution.
    pub outputs: Vec<OutputDef>,
    /// Result of a magnitude calculation or a requirement.
    pub result: Option<String>,
    /// Context tags that it marks (E14).
    #[state(since = 4)]
    pub tags: Vec<ContextTagDef>,
}

/// Why a calculation has no result.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CalculationError {
    /// It read an attribute that it did not declare as a capture.
    #[error("it reads {attribute:?} of the {from:?}, which it did not declare as a capture")]
    UndeclaredCapture {
        /// The attribute.
        attribute: AttributeId,
        /// The controller it was read from.
        from: CaptureFrom,
    },
    /// An input is missing or the arithmetic failed.
    #[error(transparent)]
    Evaluation(#[from] EvalError),
    /// Native code failed, with its message.
    #[error("{0}")]
    Failed(String),
}

/// A calculation written in Rust.
///
/// It must be a deterministic function of its context: no clock, no globals, no randomness except
/// [`CalculationContext::random`]. Register it with
/// [`CatalogBuilder::native`](crate::catalog::CatalogBuilder::native); [`native`] wraps a closure and its
/// captures. [`Simulation`](crate::simulation::Simulation) documents what a panic leads to.
pub trait Calculation: Send + Sync {
    /// The attributes that it reads.
    fn captures(&self) -> Vec<CaptureDef> {
        Vec::new()
    }

    /// Tags that it queries, so that an active modifier is re-evaluated when they change.
    fn tags(&self) -> Vec<(CaptureFrom, String)> {
        Vec::new()
    }

    /// Names of transient variables that scoped modifiers may set (GASD §4.5.12.1.3).
    fn variables(&self) -> Vec<String> {
        Vec::new()
    }

    /// Calculates. An execution emits outputs through the context. The returned number is the result of a
    /// magnitude calculation or of a requirement (non-zero is met); an execution's is ignored.
    ///
    /// # Errors
    /// Any error refuses the application and changes nothing.
    fn calculate(&self, context: &mut CalculationContext<'_>) -> Result<f64, CalculationError>;
}

/// Wraps a closure as a [`Calculation`].
pub fn native<F>(captures: Vec<CaptureDef>, calculate: F) -> impl Calculation
where
    F: Fn(&mut CalculationContext<'_>) -> Result<f64, CalculationError> + Send + Sync,
{
    Native { captures, calculate }
}

struct Native<F> {
    captures: Vec<CaptureDef>,
    calculate: F,
}

impl<F> Calculation for Native<F>
where
    F: Fn(&mut CalculationContext<'_>) -> Result<f64, CalculationError> + Send + Sync,
{
    fn captures(&self) -> Vec<CaptureDef> {
        self.captures.clone()
    }

    fn calculate(&self, context: &mut CalculationContext<'_>) -> Result<f64, CalculationError> {
        (self.calculate)(context)
    }
}

/// A capture with its attribute resolved.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ResolvedCapture {
    pub(crate) attribute: AttributeId,
    pub(crate) from: CaptureFrom,
    pub(crate) frozen: bool,
}

/// A resolved calculation.
#[derive(Clone)]
pub(crate) struct CompiledCalculation {
    pub(crate) name: Arc<str>,
    pub(crate) captures: Box<[ResolvedCapture]>,
    /// Tags that expressions query, so that a live magnitude watches them.
    pub(crate) tags: Box<[(CaptureFrom, TagId)]>,
    /// Names of transient variables and intermediate results; their indexes are the locals of the programs.
    pub(crate) locals: Box<[Box<str>]>,
    pub(crate) uses_random: bool,
    pub(crate) body: CalculationBody,
}

#[derive(Clone)]
pub(crate) enum CalculationBody {
    /// Neither file nor host provides it: applications that use it are refused with `MissingCalculation`.
    Missing,
    Native(Arc<dyn Calculation>),
    Expressions(Arc<Expressions>),
}

/// The programs of a calculation from a file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expressions {
    /// Intermediate results, each with the local that it sets.
    pub(crate) lets: Box<[(u16, Program)]>,
    pub(crate) outputs: Box<[(OutputTo, AttributeId, Operation, Program)]>,
    pub(crate) result: Option<Program>,
    /// Context tags with their conditions (E14).
    pub(crate) tags: Box<[(TagId, Option<Program>)]>,
    /// Whether the expressions handle the stack count themselves.
    pub(crate) handles_stacks: bool,
}
