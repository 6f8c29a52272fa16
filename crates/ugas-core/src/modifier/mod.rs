//! Modifiers (§5.3, §9.4): one change to one attribute, and how many of them combine (`aggregate.rs`).

pub(crate) mod aggregate;
mod channels;

use crate::codec::StateRecord;
use crate::effect::magnitude::MagnitudeDef;

/// Highest evaluation layer; layers run from 0 in order (M1).
pub const MAX_LAYER: u8 = 9;

/// Operation of a modifier on its attribute (§9.4.1, M3).
///
/// The first four are UGAS's own, the others Unreal's, which take *factors* (1.25 for +25 %) where UGAS takes
/// *signed bonuses* (+0.25). Unreal's `AddBase` and `AddFinal` are [`Add`](Self::Add) and
/// [`AddPost`](Self::AddPost).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateRecord)]
pub enum Operation {
    /// Adds before any multiplication.
    Add,
    /// Adds after all multiplication.
    AddPost,
    /// A signed bonus: +0.25 is +25 %. Bonuses of one channel add up, channels multiply.
    Multiply,
    /// Replaces the layer's result.
    Override,
    /// A factor whose bonus joins one shared channel.
    MultiplyAdditive,
    /// A divisor; divisors combine as `1 + Σ(v − 1)`.
    DivideAdditive,
    /// A factor that multiplies separately.
    MultiplyCompound,
}

impl Operation {
    /// Whether the operation scales. On a periodic effect these change the current value while it is active;
    /// the others are written to the base at each tick (M9b).
    pub const fn is_scaling(self) -> bool {
        matches!(
            self,
            Self::Multiply | Self::MultiplyAdditive | Self::DivideAdditive | Self::MultiplyCompound
        )
    }

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::AddPost => "AddPost",
            Self::Multiply => "Multiply",
            Self::Override => "Override",
            Self::MultiplyAdditive => "MultiplyAdditive",
            Self::DivideAdditive => "DivideAdditive",
            Self::MultiplyCompound => "MultiplyCompound",
        }
    }

    /// The operation of this name, including Unreal's `AddBase` and `AddFinal`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "Add" | "AddBase" => Self::Add,
            "AddPost" | "AddFinal" => Self::AddPost,
            "Multiply" => Self::Multiply,
            "Override" => Self::Override,
            "MultiplyAdditive" => Self::MultiplyAdditive,
            "DivideAdditive" => Self::DivideAdditive,
            "MultiplyCompound" => Self::MultiplyCompound,
            _ => return None,
        })
    }
}

impl core::fmt::Display for Operation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// Tags that must be present, and tags that must not.
#[derive(Clone, PartialEq, Eq, Debug, Default, StateRecord)]
pub struct TagRequirementDef {
    /// Tags that must all be present.
    pub require: Vec<String>,
    /// Tags of which none may be present.
    pub ignore: Vec<String>,
}

/// One change to one attribute (§9.4).
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct ModifierDef {
    /// The attribute it changes.
    pub attribute: String,
    /// The operation.
    pub operation: Operation,
    /// The magnitude.
    pub magnitude: MagnitudeDef,
    /// Named multiplier bucket (§5.3); only [`Operation::Multiply`] has one.
    pub channel: Option<String>,
    /// Evaluation layer, 0 to [`MAX_LAYER`] (M1).
    pub layer: u8,
    /// Tag requirement on the source (M5).
    pub source_tags: TagRequirementDef,
    /// Tag requirement on the target (M5).
    pub target_tags: TagRequirementDef,
    /// Whether the stack count multiplies it (M8).
    pub factor_in_stacks: bool,
}

impl ModifierDef {
    /// A modifier of `attribute`.
    pub fn new(
        attribute: impl Into<String>,
        operation: Operation,
        magnitude: impl Into<MagnitudeDef>,
    ) -> Self {
        Self {
            attribute: attribute.into(),
            operation,
            magnitude: magnitude.into(),
            channel: None,
            layer: 0,
            source_tags: TagRequirementDef::default(),
            target_tags: TagRequirementDef::default(),
            factor_in_stacks: true,
        }
    }

    /// Puts it in a named multiplier channel.
    #[must_use]
    pub fn channel(mut self, channel: impl Into<String>) -> Self {
        self.channel = Some(channel.into());
        self
    }

    /// Puts it in an evaluation layer.
    #[must_use]
    pub fn layer(mut self, layer: u8) -> Self {
        self.layer = layer;
        self
    }

    /// Counts only while the target has this tag.
    #[must_use]
    pub fn while_target_has(mut self, tag: impl Into<String>) -> Self {
        self.target_tags.require.push(tag.into());
        self
    }

    /// Counts only while the target lacks this tag.
    #[must_use]
    pub fn while_target_lacks(mut self, tag: impl Into<String>) -> Self {
        self.target_tags.ignore.push(tag.into());
        self
    }

    /// Counts only while the source has this tag.
    #[must_use]
    pub fn while_source_has(mut self, tag: impl Into<String>) -> Self {
        self.source_tags.require.push(tag.into());
        self
    }

    /// Counts only while the source lacks this tag.
    #[must_use]
    pub fn while_source_lacks(mut self, tag: impl Into<String>) -> Self {
        self.source_tags.ignore.push(tag.into());
        self
    }

    /// Makes the magnitude independent of the stack count.
    #[must_use]
    pub fn ignoring_stacks(mut self) -> Self {
        self.factor_in_stacks = false;
        self
    }
}
