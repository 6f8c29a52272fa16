//! Magnitudes and modifiers.

use ugas_core::effect::magnitude::{AttributeCalculation, AttributeMagnitudeDef, MagnitudeDef};
use ugas_core::modifier::{ModifierDef, Operation, TagRequirementDef};

use super::{text, texts};
use crate::decode::{Choice, Flag, Number};
use crate::model::magnitude::{
    MagnitudeDoc, MagnitudeType, ModifierDoc, OperationWord, Reading, TagRequirementDoc,
};

/// Value of an optional number, or the default.
pub(super) fn number(number: &Option<Number>, default: f64) -> f64 {
    number.as_ref().map_or(default, |number| number.0.value)
}

/// Value of an optional flag, or the default.
pub(super) fn flag(flag: &Option<Flag>, default: Default) -> bool {
    flag.as_ref().map_or(default == Default::True, |flag| flag.0.value)
}

/// Value of an absent flag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Default {
    True,
    False,
}

/// Operation of a modifier; Add if the file has none.
pub(super) fn operation(word: &Option<Choice<OperationWord>>) -> Operation {
    word.as_ref().map_or(Operation::Add, |word| word.0.value.operation)
}

/// Tag requirement; without a document it is empty and always met.
pub(super) fn requirement(doc: &Option<TagRequirementDoc>) -> TagRequirementDef {
    let Some(doc) = doc else { return TagRequirementDef::default() };
    TagRequirementDef { require: texts(&doc.require), ignore: texts(&doc.ignore) }
}

/// Magnitude definition by its type; 0 without a document, ScalableFloat without a type. Fields that the type
/// does not use are left out.
pub(super) fn magnitude(doc: &Option<MagnitudeDoc>) -> MagnitudeDef {
    let Some(doc) = doc else { return MagnitudeDef::from(0.0) };
    let coefficient = number(&doc.coefficient, 1.0);
    let (pre_add, post_add) = (number(&doc.pre_add, 0.0), number(&doc.post_add, 0.0));
    let capture = doc.capture.as_ref().map(|choice| choice.0.value).unwrap_or_default();
    match doc.kind.as_ref().map_or(MagnitudeType::ScalableFloat, |kind| kind.0.value) {
        MagnitudeType::ScalableFloat => MagnitudeDef::Scalable {
            value: doc.value.as_ref().map(|number| number.0.value),
            curve: doc.curve.as_ref().map(|curve| curve.value.clone()),
            curve_input: doc.curve_input.as_ref().map(|formula| formula.text.value.clone()),
        },
        MagnitudeType::AttributeBased => MagnitudeDef::Attribute(Box::new(AttributeMagnitudeDef {
            attribute: text(&doc.backing_attribute),
            from: doc.source.as_ref().map(|choice| choice.0.value).unwrap_or_default(),
            calculation: reading(doc),
            capture,
            coefficient,
            pre_add,
            post_add,
            curve: doc.curve.as_ref().map(|curve| curve.value.clone()),
            source_tag_filter: texts(&doc.source_tag_filter),
            target_tag_filter: texts(&doc.target_tag_filter),
        })),
        MagnitudeType::CustomCalculation => {
            MagnitudeDef::Calculation { name: text(&doc.calculator_class), coefficient, pre_add, post_add }
        }
        MagnitudeType::SetByCaller => MagnitudeDef::SetByCaller {
            tag: text(&doc.data_tag),
            default: doc.default.as_ref().map(|number| number.0.value),
        },
        MagnitudeType::Expression => MagnitudeDef::Expression {
            text: doc.expression.as_ref().map(|formula| formula.text.value.clone()).unwrap_or_default(),
            capture,
        },
    }
}

/// Value of the attribute that is read: current, base, bonus, or up to a layer.
fn reading(doc: &MagnitudeDoc) -> AttributeCalculation {
    match doc.reading.as_ref().map_or(Reading::Current, |reading| reading.0.value) {
        Reading::Current => AttributeCalculation::Current,
        Reading::Base => AttributeCalculation::Base,
        Reading::Bonus => AttributeCalculation::Bonus,
        Reading::UpToChannel => {
            let layer = doc.up_to_channel.as_ref().map_or(0, |layer| layer.0.value);
            AttributeCalculation::UpToLayer(u8::try_from(layer).unwrap_or(u8::MAX))
        }
    }
}

/// Modifier definition; stacks multiply it unless the file says otherwise.
pub(super) fn modifier(doc: &ModifierDoc) -> ModifierDef {
    ModifierDef {
        attribute: text(&doc.attribute),
        operation: operation(&doc.operation),
        magnitude: magnitude(&doc.magnitude),
        channel: doc.channel.as_ref().map(|channel| channel.0.value.clone()),
        layer: doc.layer.as_ref().and_then(|layer| u8::try_from(layer.0.value).ok()).unwrap_or_default(),
        source_tags: requirement(&doc.source_tags),
        target_tags: requirement(&doc.target_tags),
        factor_in_stacks: flag(&doc.factor_in_stacks, Default::True),
    }
}
