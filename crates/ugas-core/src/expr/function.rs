//! The functions and keywords of expressions.

use super::error::ArgumentCount;

/// A function of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Function {
    If,
    Min,
    Max,
    Clamp,
    Abs,
    Floor,
    Ceil,
    Round,
    Sqrt,
    Pow,
    Lerp,
    Curve,
    Rand,
    SetByCaller,
    Param,
    ParamTag,
    HasTag,
    EffectHasTag,
    EventPayload,
}

impl Function {
    const ALL: [Self; 19] = [
        Self::If,
        Self::Min,
        Self::Max,
        Self::Clamp,
        Self::Abs,
        Self::Floor,
        Self::Ceil,
        Self::Round,
        Self::Sqrt,
        Self::Pow,
        Self::Lerp,
        Self::Curve,
        Self::Rand,
        Self::SetByCaller,
        Self::Param,
        Self::ParamTag,
        Self::HasTag,
        Self::EffectHasTag,
        Self::EventPayload,
    ];

    pub(super) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Min => "min",
            Self::Max => "max",
            Self::Clamp => "clamp",
            Self::Abs => "abs",
            Self::Floor => "floor",
            Self::Ceil => "ceil",
            Self::Round => "round",
            Self::Sqrt => "sqrt",
            Self::Pow => "pow",
            Self::Lerp => "lerp",
            Self::Curve => "curve",
            Self::Rand => "rand",
            Self::SetByCaller => "SetByCaller",
            Self::Param => "Param",
            Self::ParamTag => "ParamTag",
            Self::HasTag => "HasTag",
            Self::EffectHasTag => "Effect.HasTag",
            Self::EventPayload => "Event.Payload",
        }
    }

    /// Number of arguments, the name in quotes included.
    pub(super) fn arguments(self) -> ArgumentCount {
        match self {
            Self::Min | Self::Max => ArgumentCount::AtLeast(2),
            Self::Rand => ArgumentCount::Exactly(0),
            Self::Pow | Self::Curve => ArgumentCount::Exactly(2),
            Self::If | Self::Clamp | Self::Lerp => ArgumentCount::Exactly(3),
            Self::Abs
            | Self::Floor
            | Self::Ceil
            | Self::Round
            | Self::Sqrt
            | Self::SetByCaller
            | Self::Param
            | Self::ParamTag
            | Self::HasTag
            | Self::EffectHasTag
            | Self::EventPayload => ArgumentCount::Exactly(1),
        }
    }

    /// True if the first argument is a name in quotes.
    pub(super) fn takes_text(self) -> bool {
        matches!(
            self,
            Self::Curve
                | Self::SetByCaller
                | Self::Param
                | Self::ParamTag
                | Self::HasTag
                | Self::EffectHasTag
                | Self::EventPayload
        )
    }

    /// True if the first argument is the name of a tag.
    pub(super) fn takes_tag(self) -> bool {
        matches!(self, Self::SetByCaller | Self::HasTag | Self::EffectHasTag)
    }

    /// All names that can precede `(`, for suggestions.
    pub(super) fn known_names() -> impl Iterator<Item = &'static str> {
        let plain = Self::ALL.into_iter().map(Self::name);
        plain.chain(["Source.HasTag", "Target.HasTag"])
    }
}

/// Keywords: values, operators and sides.
const WORDS: [&str; 10] =
    ["and", "or", "not", "true", "false", "Level", "Stacks", "Jump", "Source", "Target"];

/// The keywords that are values.
pub(super) const VALUE_WORDS: [&str; 5] = ["Level", "Stacks", "Jump", "true", "false"];

/// Whether a name is a keyword in every expression, and so hides a local name or attribute of that name.
/// Callers that let people choose local names should reject keywords.
pub fn is_keyword(name: &str) -> bool {
    WORDS.contains(&name) || Function::by_name(name).is_some()
}
