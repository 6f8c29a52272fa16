//! Attributes and attribute sets (§5.7, §6.5).

use serde_json::{Value as Json, json};
use ugas_core::attribute::{AttributeCategory, AttributeReplication, Evaluation, OnBoundChange};

use super::{AttributeName, MetadataDoc, Name, SetName};
use crate::decode::{
    Choice, Definitions, Field, Formula, Integer, Number, Text, Visitor, choice, name_text, record,
};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Value};

choice! {
    AttributeCategory { "Resource" => Self::Resource, "Statistic" => Self::Statistic, "Meta" => Self::Meta }
    AttributeReplication { "None" => Self::None, "OwnerOnly" => Self::OwnerOnly, "All" => Self::All }
    Evaluation { "All" => Self::All, "MostNegativeOnly" => Self::MostNegativeOnly }
    OnBoundChange { "Keep" => Self::Keep, "Clamp" => Self::Clamp, "KeepRatio" => Self::KeepRatio }
}

/// Bound of an attribute: a number, or the value of another attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum BoundDoc {
    /// A number.
    Number(Number),
    /// An attribute.
    Attribute(AttributeName),
}

impl Field for BoundDoc {
    /// Decodes a number, or a text as the name of an attribute. Anything else is reported.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match &node.value {
            Value::Number(_) => Number::decode(node, sink).map(Self::Number),
            Value::Text(_) => {
                let name = name_text(node, "name of an attribute", sink)?;
                Some(Self::Attribute(AttributeName(name)))
            }
            _ => {
                sink.push(codes::field::wrong_type(node, "a number or the name of an attribute"));
                None
            }
        }
    }

    fn encode(&self) -> Value {
        match self {
            Self::Number(number) => number.encode(),
            Self::Attribute(name) => name.encode(),
        }
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": ["number", "string"] })
    }

    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        if let Self::Attribute(name) = self {
            name.visit(visitor);
        }
    }
}

record! {
    /// The range of an attribute (§5.4).
    ClampingDoc, "clamping" {
        min: optional BoundDoc = "Min", "Lower bound: a number, or the name of an attribute.";
        max: optional BoundDoc = "Max", "Upper bound: a number, or the name of an attribute.";
    }
}

record! {
    /// Expression for the base of a derived attribute (§6.4).
    DerivedFromDoc, "derivation" {
        expression: required Formula = "Expression", "Expression over attributes of the same controller.";
    }
}

record! {
    /// Quantisation of an attribute on the wire.
    QuantizeDoc, "quantisation" {
        min: required Number = "Min", "Smallest value that can be sent.";
        max: required Number = "Max", "Largest value that can be sent.";
        bits: required Integer<1, 32> = "Bits", "Number of bits, from 1 to 32.";
    }
}

record! {
    /// An attribute (§5.7).
    AttributeDoc, "attribute" {
        name: required Name = "Name", "Unique name of the attribute.";
        default_base: required Number = "DefaultBaseValue", "Initial base value.";
        category: optional Choice<AttributeCategory> = "Category", "Category of the attribute (default: Statistic).";
        clamping: optional ClampingDoc = "Clamping", "Bounds of the value.";
        replication: optional Choice<AttributeReplication> = "ReplicationMode", "Which clients receive it (default: All).";
        derived_from: optional DerivedFromDoc = "DerivedFrom", "Derives the base value from an expression.";
        evaluation: optional Choice<Evaluation> = "Evaluation", "Which modifiers count (default: All).";
        on_bound_change: optional Choice<OnBoundChange> = "OnBoundChange", "How the base value follows a change of a bound (default: Keep).";
        drain_into: list AttributeName = "DrainInto", "Attributes from which the amount of a meta attribute is subtracted, in order.";
        quantize: optional QuantizeDoc = "Quantize", "Precision on the wire.";
        prediction_floor: optional Number = "PredictionFloor", "Lowest value that a client predicts.";
        description: optional Text = "Description", "Text for people.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}

record! {
    /// An attribute set (§6.5).
    AttributeSetDoc, "attribute set" {
        name: required Name = "Name", "Unique name of the set.";
        dependencies: list SetName = "Dependencies", "Sets that must be registered before this one.";
        attributes: required crate::decode::List<AttributeDoc> = "Attributes", "The attributes.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}
