//! The context of an expression: names at compilation, values at evaluation.

use super::error::EvalError;
use crate::ability::ParameterFault;
use crate::hash::StateHash;
use crate::id::{AttributeId, CurveId, TagId};
use core::fmt;

/// The party whose attribute or tag an expression reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateHash)]
pub enum Side {
    /// The controller that owns the expression: a name without a prefix.
    Owner,
    /// `Source.`: the source of the effect.
    Source,
    /// `Target.`: the target of the effect.
    Target,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Owner => "owner",
            Self::Source => "source",
            Self::Target => "target",
        })
    }
}

/// Kind of thing that a name in an expression refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NameKind {
    /// An attribute.
    Attribute,
    /// A tag.
    Tag,
    /// A curve.
    Curve,
    /// A parameter, looked up by name at evaluation.
    Param,
    /// A parameter that holds a tag, looked up at compilation (A18).
    ParamTag,
    /// A name that the caller binds to a value, such as a `Let` of a calculation.
    Local,
}

impl fmt::Display for NameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Attribute => "attribute",
            Self::Tag => "tag",
            Self::Curve => "curve",
            Self::Param | Self::ParamTag => "parameter",
            Self::Local => "name",
        })
    }
}

/// The names that an expression may use, looked up once, at compilation.
///
/// The default methods know no names; `()` implements them and serves for plain arithmetic.
pub trait Names {
    /// The attribute of this name.
    fn attribute(&self, name: &str) -> Option<AttributeId> {
        let _ = name;
        None
    }

    /// The tag of this name.
    fn tag(&self, name: &str) -> Option<TagId> {
        let _ = name;
        None
    }

    /// The tag that a parameter of the ability holds (A18).
    ///
    /// # Errors
    /// If there is no such parameter, or it holds no tag.
    fn param_tag(&self, name: &str) -> Result<TagId, ParameterFault> {
        let _ = name;
        Err(ParameterFault::NotAvailable)
    }

    /// Whether a parameter may be read as a number. Names that are not known yet may be.
    ///
    /// # Errors
    /// If it holds something else (A18).
    fn number_param(&self, name: &str) -> Result<(), ParameterFault> {
        let _ = name;
        Ok(())
    }

    /// The curve of this name.
    fn curve(&self, name: &str) -> Option<CurveId> {
        let _ = name;
        None
    }

    /// Index of a local name. Locals shadow attributes, but not [keywords](super::is_keyword).
    fn local(&self, name: &str) -> Option<u16> {
        let _ = name;
        None
    }

    /// The known name nearest to an unknown one, for the error message; see [`crate::nearest`].
    fn nearest(&self, kind: NameKind, name: &str) -> Option<String> {
        let _ = (kind, name);
        None
    }
}

impl Names for () {}

/// The values that an expression reads when it is evaluated.
///
/// The default methods report that the value is not available; `()` has no values at all. Evaluation itself
/// rejects values that are not finite (V2).
pub trait Environment {
    /// The value of an attribute.
    ///
    /// # Errors
    /// If that side does not exist or lacks the attribute.
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        Err(EvalError::MissingAttribute { side, attribute })
    }

    /// True if that side has the tag or one below it. A side that does not exist has no tags.
    fn has_tag(&mut self, side: Side, tag: TagId) -> bool {
        let _ = (side, tag);
        false
    }

    /// True if the effect has the asset tag or one below it (E14). Without an effect there are no asset tags.
    fn effect_has_tag(&mut self, tag: TagId) -> bool {
        let _ = tag;
        false
    }

    /// The level of the effect or ability; 1 where there are no levels.
    fn level(&self) -> f64 {
        1.0
    }

    /// The stack count of the effect; 1 if it does not stack.
    fn stacks(&self) -> f64 {
        1.0
    }

    /// The index of the target in its chain: 0 for the first target, and without a chain.
    fn jump(&self) -> f64 {
        0.0
    }

    /// A magnitude set by the caller (§9.4).
    ///
    /// # Errors
    /// If the caller did not set it (E9).
    fn set_by_caller(&self, tag: TagId) -> Result<f64, EvalError> {
        Err(EvalError::MissingSetByCaller { tag })
    }

    /// A parameter by name.
    ///
    /// # Errors
    /// If there is none of this name.
    fn param(&self, name: &str) -> Result<f64, EvalError> {
        let _ = name;
        Err(EvalError::MissingParam)
    }

    /// A curve's value at `x`.
    ///
    /// # Errors
    /// If the curve does not exist.
    fn curve(&self, curve: CurveId, x: f64) -> Result<f64, EvalError> {
        let _ = x;
        Err(EvalError::MissingCurve { curve })
    }

    /// The next number in 0..1 of the activation's or application's own stream (V5).
    ///
    /// # Errors
    /// Where there is no such stream.
    fn random(&mut self) -> Result<f64, EvalError> {
        Err(EvalError::NotAvailable)
    }

    /// The value of a local name, by the index from [`Names::local`].
    fn local(&self, local: u16) -> f64 {
        let _ = local;
        0.0
    }
}

impl Environment for () {}
