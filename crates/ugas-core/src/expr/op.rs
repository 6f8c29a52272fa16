//! The operations of compiled expressions and their arithmetic, shared by constant folding and evaluation.
//!
//! Only arithmetic that is the same on every platform: basic operations, roundings, remainder and square root
//! are exact by IEEE 754, powers come from a pure Rust library, and minimum and maximum are spelled out,
//! since the standard ones leave the sign of zero open.

use super::environment::Side;
use super::error::EvalError;
use crate::hash::StateHash;
use crate::id::{AttributeId, CurveId, TagId};

/// One step of a [`Program`](super::Program). Jump targets are absolute positions.
#[derive(Clone, Copy, PartialEq, Debug, StateHash)]
pub(super) enum Op {
    Number(f64),
    Attribute(Side, AttributeId),
    HasTag(Side, TagId),
    #[state(tag = 17)]
    EffectHasTag(TagId),
    #[state(tag = 3)]
    Level,
    Stacks,
    /// The index of a target in its chain.
    #[state(tag = 18)]
    ChainJump,
    #[state(tag = 5)]
    SetByCaller(TagId),
    Param(u32),
    Random,
    Local(u16),
    /// Replaces the top by the curve's value there.
    Curve(CurveId),
    Unary(UnaryOp),
    Binary(BinaryOp),
    Ternary(TernaryOp),
    /// Drops the top and jumps if it was false.
    JumpIfFalse(u32),
    Jump(u32),
    /// If the top is false, sets it to 0 and jumps; else drops it.
    And(u32),
    /// If the top is true, sets it to 1 and jumps; else drops it.
    Or(u32),
}

/// An operation on the top.
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateHash)]
pub(super) enum UnaryOp {
    Negate,
    Not,
    /// 1 for true, 0 for false.
    Truth,
    Absolute,
    Floor,
    Ceiling,
    /// Rounds to the nearest integer, halves away from zero.
    Round,
    Root,
}

/// An operation on the two topmost values, the right one on top.
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateHash)]
pub(super) enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// Remainder with the sign of the left operand.
    Remainder,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    Minimum,
    Maximum,
}

/// An operation on the three topmost values, the last one on top.
#[derive(Clone, Copy, PartialEq, Eq, Debug, StateHash)]
pub(super) enum TernaryOp {
    /// `clamp(x, lo, hi)`.
    Clamp,
    /// `lerp(a, b, t)`.
    Interpolate,
}

impl UnaryOp {
    /// Result of the operator; an error if it is undefined or not finite.
    #[inline]
    pub(super) fn apply(self, x: f64) -> Result<f64, EvalError> {
        finite(match self {
            Self::Negate => -x,
            Self::Not => truth(!is_true(x)),
            Self::Truth => truth(is_true(x)),
            Self::Absolute => x.abs(),
            Self::Floor => x.floor(),
            Self::Ceiling => x.ceil(),
            Self::Round => x.round(),
            Self::Root if x < 0.0 => return Err(EvalError::NegativeRoot),
            Self::Root => x.sqrt(),
        })
    }
}

impl BinaryOp {
    /// Result of the operator; an error on division by 0, or if the result is not finite.
    #[inline]
    pub(super) fn apply(self, left: f64, right: f64) -> Result<f64, EvalError> {
        finite(match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide | Self::Remainder if right == 0.0 => return Err(EvalError::DivisionByZero),
            Self::Divide => left / right,
            Self::Remainder => left % right,
            Self::Power => libm::pow(left, right),
            Self::Less => truth(left < right),
            Self::LessEqual => truth(left <= right),
            Self::Greater => truth(left > right),
            Self::GreaterEqual => truth(left >= right),
            Self::Equal => truth(left == right),
            Self::NotEqual => truth(left != right),
            Self::Minimum => minimum(left, right),
            Self::Maximum => maximum(left, right),
        })
    }
}

impl TernaryOp {
    /// Result of the operator; an error if it is not finite.
    #[inline]
    pub(super) fn apply(self, first: f64, second: f64, third: f64) -> Result<f64, EvalError> {
        finite(match self {
            // The lower bound wins over the upper one (B0).
            Self::Clamp => maximum(second, minimum(third, first)),
            Self::Interpolate => first + (second - first) * third,
        })
    }
}

/// Non-zero is true.
#[inline]
pub(super) fn is_true(x: f64) -> bool {
    x != 0.0
}

/// Converts a truth value to 1 or 0.
#[inline]
pub(super) fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// Rejects numbers that are not finite (V2).
#[inline]
pub(super) fn finite(x: f64) -> Result<f64, EvalError> {
    if x.is_finite() { Ok(x) } else { Err(EvalError::NonFinite) }
}

/// The smaller number; on a tie the left one, which also decides between zeros of different sign.
fn minimum(left: f64, right: f64) -> f64 {
    if right < left { right } else { left }
}

/// The larger number; on a tie the left one, which also decides between zeros of different sign.
fn maximum(left: f64, right: f64) -> f64 {
    if right > left { right } else { left }
}
