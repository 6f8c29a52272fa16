//! Library documents, an extension of the specification: curves, calculations, ability sets, effect
//! containers.

use ugas_core::curve::Interpolation;
use ugas_core::effect::calculation::OutputTo;
use ugas_core::effect::magnitude::{CaptureFrom, CaptureTime};
use ugas_core::task::Recipient;

use super::ability::TargetingDoc;
use super::magnitude::OperationWord;
use super::{AbilityName, AttributeName, EffectName, GrantedTag, InputName, MetadataDoc, Name, SetName, Tag};
use crate::decode::{Choice, Formula, Integer, List, NamedMap, Number, Vector, choice, record};

choice! {
    Interpolation { "Linear" => Self::Linear, "Step" => Self::Step }
    OutputTo { "Target" => Self::Target, "Source" => Self::Source }
}

record! {
    /// Curve over the level or any other input.
    CurveDoc, "curve" {
        name: required Name = "Name", "Unique name of the curve.";
        points: required List<Vector<2>> = "Points", "Points [x, y] by increasing x.";
        interpolation: optional Choice<Interpolation> = "Interpolation", "Interpolation between the points (default: Linear).";
    }
}

record! {
    /// An attribute that a calculation reads (§9.5).
    CaptureDoc, "capture" {
        attribute: required AttributeName = "Attribute", "The attribute.";
        from: optional Choice<CaptureFrom> = "From", "Controller whose attribute it is (default: Source).";
        capture: optional Choice<CaptureTime> = "Capture", "Frozen at application, or live (default: OnExecution).";
    }
}

record! {
    /// Output of an execution.
    OutputDoc, "output" {
        attribute: required AttributeName = "Attribute", "Attribute that is written.";
        operation: required Choice<OperationWord> = "Operation", "Operation with which it is written.";
        magnitude: required Formula = "Magnitude", "Expression for the amount.";
        to: optional Choice<OutputTo> = "To", "Controller whose attribute is written (default: Target).";
    }
}

record! {
    /// A context tag that a calculation marks (E14).
    ContextTagDoc, "context tag" {
        tag: required Tag = "Tag", "The tag.";
        when: optional Formula = "When", "Condition: the tag is marked if this is not zero (default: always).";
    }
}

record! {
    /// A calculation made of expressions.
    CalculationDoc, "calculation" {
        name: required Name = "Name", "Unique name of the calculation.";
        captures: list CaptureDoc = "Captures", "Attributes that it reads; those that expressions mention are live unless listed here.";
        lets: optional NamedMap<Name, Formula> = "Let", "Named intermediate results, in order.";
        outputs: list OutputDoc = "Outputs", "Attributes that an execution writes.";
        result: optional Formula = "Result", "Result of a magnitude calculation or a requirement.";
        tags: list ContextTagDoc = "Tags", "Context tags that it marks, such as Hit.Critical.";
    }
}

record! {
    /// An ability of a set.
    AbilitySetEntryDoc, "ability set entry" {
        ability: required AbilityName = "Ability", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        input: optional InputName = "InputID", "Input that it is bound to.";
        dynamic_tags: list Tag = "DynamicTags", "Tags that describe the granted ability besides its AbilityTags; they count as source tags of its effects.";
    }
}

record! {
    /// An effect of a set.
    EffectEntryDoc, "effect entry" {
        effect: required EffectName = "Effect", "The effect.";
        level: optional Number = "Level", "Its level (default: 1; in a container, the ability's).";
    }
}

record! {
    /// Abilities, effects and more that are granted together.
    AbilitySetDoc, "ability set" {
        name: required Name = "Name", "Unique name of the set.";
        abilities: list AbilitySetEntryDoc = "Abilities", "Abilities.";
        effects: list EffectEntryDoc = "Effects", "Effects.";
        sets: list SetName = "AttributeSets", "Attribute sets.";
        tags: list GrantedTag = "Tags", "Tags.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}

record! {
    /// Effects with their targets.
    EffectContainerDoc, "effect container" {
        name: required Name = "Name", "Unique name of the container.";
        targeting: optional TargetingDoc = "Targeting", "Selection of the targets.";
        to: optional Choice<Recipient> = "To", "The targets that `Targeting` begins with (default: Target).";
        effects: list EffectEntryDoc = "Effects", "What is applied to them; without a level, at the ability's.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}

record! {
    /// Lists of curves, calculations, ability sets and effect containers; a document may have any of them.
    LibraryDoc, "library" {
        curves: list CurveDoc = "Curves", "Curves.";
        calculations: list CalculationDoc = "Calculations", "Calculations.";
        ability_sets: list AbilitySetDoc = "AbilitySets", "Ability sets.";
        containers: list EffectContainerDoc = "EffectContainers", "Effect containers.";
    }
}
