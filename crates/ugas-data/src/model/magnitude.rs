//! Magnitudes and modifiers (§9.4).

use ugas_core::effect::magnitude::{CaptureFrom, CaptureTime};
use ugas_core::modifier::Operation;

use super::{AttributeName, CalculationName, CurveName, DataTag, Tag};
use crate::decode::{Choice, Flag, Formula, Integer, Number, Text, Word, choice, record};

/// Where a magnitude's number comes from (§9.4.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MagnitudeType {
    /// A number or a curve.
    ScalableFloat,
    /// One attribute.
    AttributeBased,
    /// A calculation.
    CustomCalculation,
    /// A number that the caller gives.
    SetByCaller,
    /// An expression.
    Expression,
}

/// Which of an attribute's numbers is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The current value.
    Current,
    /// The base value.
    Base,
    /// Current minus base.
    Bonus,
    /// The value up to a layer.
    UpToChannel,
}

/// Operation as it is written, so that Unreal's names for the same operation are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OperationWord {
    /// Operation of the word.
    pub operation: Operation,
    /// Position among the words.
    at: usize,
}

impl Word for OperationWord {
    const WORDS: &'static [&'static str] = &[
        "Add",
        "AddPost",
        "Multiply",
        "Override",
        "AddBase",
        "MultiplyAdditive",
        "DivideAdditive",
        "MultiplyCompound",
        "AddFinal",
    ];

    /// Operation of a word, which keeps the spelling; `None` if the word is unknown.
    fn from_word(word: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|known| *known == word)?;
        Some(Self { operation: Operation::from_name(word)?, at })
    }

    /// The word as it was written in the file.
    fn word(&self) -> &'static str {
        Self::WORDS.get(self.at).copied().unwrap_or_default()
    }
}

choice! {
    MagnitudeType {
        "ScalableFloat" => Self::ScalableFloat,
        "AttributeBased" => Self::AttributeBased,
        "CustomCalculation" => Self::CustomCalculation,
        "SetByCaller" => Self::SetByCaller,
        "Expression" => Self::Expression,
    }
    Reading {
        "Current" => Self::Current,
        "Base" => Self::Base,
        "Bonus" => Self::Bonus,
        "UpToChannel" => Self::UpToChannel,
    }
    CaptureFrom { "Source" => Self::Source, "Target" => Self::Target }
    CaptureTime { "OnApplication" => Self::OnApplication, "OnExecution" => Self::OnExecution }
}

record! {
    /// Magnitude: the source of a number (§9.4.2).
    MagnitudeDoc, "magnitude" {
        kind: required Choice<MagnitudeType> = "Type", "Type of the magnitude.";
        value: optional Number = "Value", "ScalableFloat: the number; scales the curve if both are given.";
        curve: optional CurveName = "Curve", "ScalableFloat: the curve. AttributeBased: looked up with the attribute's value.";
        curve_input: optional Formula = "CurveInput", "ScalableFloat: expression for the curve's x axis (default: Level).";
        backing_attribute: optional AttributeName = "BackingAttribute", "AttributeBased: the attribute that is read.";
        source: optional Choice<CaptureFrom> = "Source", "AttributeBased: controller whose attribute is read (default: Source).";
        reading: optional Choice<Reading> = "AttributeCalculation", "AttributeBased: which value of the attribute is read (default: Current).";
        up_to_channel: optional Integer<0, 9> = "UpToChannel", "AttributeBased: the last layer that counts, with AttributeCalculation: UpToChannel.";
        capture: optional Choice<CaptureTime> = "Capture", "Frozen at application, or live (default: OnExecution).";
        coefficient: optional Number = "Coefficient", "Factor (default: 1).";
        pre_add: optional Number = "PreMultiplyAdditive", "Added before the factor.";
        post_add: optional Number = "PostMultiplyAdditive", "Added after the factor.";
        source_tag_filter: list Tag = "SourceTagFilter", "Only modifiers whose effect has all these tags count.";
        target_tag_filter: list Tag = "TargetTagFilter", "Only modifiers on targets with all these tags count.";
        calculator_class: optional CalculationName = "CalculatorClass", "CustomCalculation: the calculation.";
        data_tag: optional DataTag = "DataTag", "SetByCaller: the key.";
        default: optional Number = "Default", "SetByCaller: value without a number of the caller.";
        expression: optional Formula = "Expression", "Expression: the formula.";
    }
}

record! {
    /// Tags that must be present, and tags that must not.
    TagRequirementDoc, "tag requirement" {
        require: list Tag = "Require", "All of these.";
        ignore: list Tag = "Ignore", "None of these.";
    }
}

record! {
    /// One change to one attribute (§9.4).
    ModifierDoc, "modifier" {
        attribute: required AttributeName = "Attribute", "The attribute it changes.";
        operation: required Choice<OperationWord> = "Operation", "What it does.";
        magnitude: required MagnitudeDoc = "Magnitude", "By how much.";
        channel: optional Text = "Channel", "Multiplier bucket: bonuses of one channel add up, channels multiply.";
        layer: optional Integer<0, 9> = "EvaluationChannel", "Evaluation layer, 0 to 9 (default: 0).";
        source_tags: optional TagRequirementDoc = "SourceTags", "Tags that the source must and must not have for the modifier to apply.";
        target_tags: optional TagRequirementDoc = "TargetTags", "Tags that the target must and must not have for the modifier to apply.";
        factor_in_stacks: optional Flag = "FactorInStackCount", "Whether the stack count multiplies it (default: true).";
    }
}
