//! Magnitudes (§9.4.2): sources of a modifier's number.

use crate::codec::StateRecord;
use crate::expr::{Program, Side};
use crate::id::{AttributeId, CalculationId, CurveId, TagId};
use crate::tag::TagSet;

/// The controller whose attribute is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum CaptureFrom {
    /// The controller that caused the effect.
    #[default]
    Source,
    /// The controller the effect is applied to.
    Target,
}

impl CaptureFrom {
    /// The side as in expressions.
    pub const fn side(self) -> Side {
        match self {
            Self::Source => Side::Source,
            Self::Target => Side::Target,
        }
    }
}

/// When an attribute is captured (§9.5, E8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum CaptureTime {
    /// Once, then frozen: of the source when the spec is created, of the target when it is applied.
    OnApplication,
    /// Live: at each execution, and for an active modifier whenever the attribute changes.
    #[default]
    OnExecution,
}

/// Which value of an attribute is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum AttributeCalculation {
    /// The current value.
    #[default]
    Current,
    /// The base value.
    Base,
    /// Current minus base.
    Bonus,
    /// The value after the layers up to and including this one.
    UpToLayer(u8),
}

/// A magnitude that reads one attribute: `(value + pre_add) × coefficient + post_add` (§9.4.2).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct AttributeMagnitudeDef {
    /// The attribute that is read.
    pub attribute: String,
    /// The controller it is read from.
    pub from: CaptureFrom,
    /// Which of its values is read.
    pub calculation: AttributeCalculation,
    /// Frozen or live.
    pub capture: CaptureTime,
    /// Multiplier.
    pub coefficient: f64,
    /// Added before the multiplication.
    pub pre_add: f64,
    /// Added after the multiplication.
    pub post_add: f64,
    /// Curve that the value is looked up in first.
    pub curve: Option<String>,
    /// Only modifiers whose effect has all these tags count towards the value that is read.
    pub source_tag_filter: Vec<String>,
    /// As above, for the tags of the controller whose attribute is read.
    pub target_tag_filter: Vec<String>,
}

impl AttributeMagnitudeDef {
    /// The live current value of an attribute, unscaled.
    pub fn new(from: CaptureFrom, attribute: impl Into<String>) -> Self {
        Self {
            attribute: attribute.into(),
            from,
            calculation: AttributeCalculation::Current,
            capture: CaptureTime::OnExecution,
            coefficient: 1.0,
            pre_add: 0.0,
            post_add: 0.0,
            curve: None,
            source_tag_filter: Vec::new(),
            target_tag_filter: Vec::new(),
        }
    }
}

impl From<AttributeMagnitudeDef> for MagnitudeDef {
    fn from(def: AttributeMagnitudeDef) -> Self {
        Self::Attribute(Box::new(def))
    }
}

/// The source of a number (§9.4.2).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub enum MagnitudeDef {
    /// A number, a curve, or a curve scaled by a number.
    Scalable {
        /// The number; scales the curve if both are given.
        value: Option<f64>,
        /// The curve.
        curve: Option<String>,
        /// Expression for the curve's x axis; the level if absent.
        curve_input: Option<String>,
    },
    /// One attribute, scaled.
    Attribute(Box<AttributeMagnitudeDef>),
    /// A calculation, native or from a file (§9.5), scaled like an attribute.
    Calculation {
        /// Name of the calculation.
        name: String,
        /// Multiplier.
        coefficient: f64,
        /// Added before the multiplication.
        pre_add: f64,
        /// Added after the multiplication.
        post_add: f64,
    },
    /// A set-by-caller magnitude: a number that the caller puts into the spec under a tag.
    SetByCaller {
        /// The tag.
        tag: String,
        /// Value if the caller provides none; without it the application is refused (E9).
        default: Option<f64>,
    },
    /// An expression.
    Expression {
        /// Its text.
        text: String,
        /// Whether the attributes it reads are frozen or live.
        capture: CaptureTime,
    },
}

impl MagnitudeDef {
    /// The value of `curve` at the spec's level.
    pub fn curve(curve: impl Into<String>) -> Self {
        Self::Scalable { value: None, curve: Some(curve.into()), curve_input: None }
    }

    /// A number that the caller provides under `tag`; its absence refuses the application (E9).
    pub fn set_by_caller(tag: impl Into<String>) -> Self {
        Self::SetByCaller { tag: tag.into(), default: None }
    }

    /// A live expression.
    pub fn expression(text: impl Into<String>) -> Self {
        Self::Expression { text: text.into(), capture: CaptureTime::OnExecution }
    }

    /// The result of a calculation, unscaled.
    pub fn calculation(name: impl Into<String>) -> Self {
        Self::Calculation { name: name.into(), coefficient: 1.0, pre_add: 0.0, post_add: 0.0 }
    }

    /// `coefficient` times the live current value of an attribute.
    pub fn attribute(from: CaptureFrom, attribute: impl Into<String>, coefficient: f64) -> Self {
        AttributeMagnitudeDef { coefficient, ..AttributeMagnitudeDef::new(from, attribute) }.into()
    }

    /// The same magnitude with its attributes frozen at application (E8).
    #[must_use]
    pub fn frozen(mut self) -> Self {
        match &mut self {
            Self::Attribute(attribute) => attribute.capture = CaptureTime::OnApplication,
            Self::Expression { capture, .. } => *capture = CaptureTime::OnApplication,
            Self::Scalable { .. } | Self::Calculation { .. } | Self::SetByCaller { .. } => {}
        }
        self
    }
}

impl From<f64> for MagnitudeDef {
    fn from(value: f64) -> Self {
        Self::Scalable { value: Some(value), curve: None, curve_input: None }
    }
}

impl From<i32> for MagnitudeDef {
    fn from(value: i32) -> Self {
        Self::from(f64::from(value))
    }
}

/// A frozen read that a spec carries; one entry of [`Effect::captures`](super::Effect).
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Capture {
    pub(crate) side: Side,
    pub(crate) attribute: AttributeId,
    pub(crate) calculation: AttributeCalculation,
    pub(crate) source_tag_filter: TagSet,
    pub(crate) target_tag_filter: TagSet,
}

/// A resolved [`MagnitudeDef`].
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Magnitude {
    Constant(f64),
    Curve { scale: f64, curve: CurveId, input: Option<Box<Program>> },
    Attribute(Box<AttributeMagnitude>),
    Calculation { calculation: CalculationId, coefficient: f64, pre_add: f64, post_add: f64 },
    SetByCaller { tag: TagId, default: Option<f64> },
    Expression { program: Box<Program>, frozen: bool },
}

impl Magnitude {
    /// The number, if it is a finite constant.
    pub(crate) fn constant(&self) -> Option<f64> {
        match *self {
            Self::Constant(value) => Some(value).filter(|value| value.is_finite()),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AttributeMagnitude {
    pub(crate) reading: Capture,
    /// Index of the captured value in the spec; `None` if it is read live.
    pub(crate) frozen: Option<u16>,
    pub(crate) coefficient: f64,
    pub(crate) pre_add: f64,
    pub(crate) post_add: f64,
    pub(crate) curve: Option<CurveId>,
}
