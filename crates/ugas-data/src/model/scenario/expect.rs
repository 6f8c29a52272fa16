//! Expectations of a scenario.

use serde_json::{Value as Json, json};
use ugas_core::nearest::nearest;

use super::state::StateHash;
use crate::decode::{
    ActorText, Choice, Definitions, Field, Integer, List, NamedMap, NonNegative, Number, PlainValue, Vector,
    choice, is_free_key, record,
};
use crate::diagnostics::{Sink, codes};
use crate::model::{AbilityName, AttributeName, CueTag, EffectName, Name, Tag};
use crate::node::{Entry, Node, Value};
use crate::source::{Span, Spanned};

/// Expected status of an ability.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AbilityStatus {
    /// Active, committed or not.
    Active,
    /// Active and not committed yet.
    Activating,
    /// Being ended.
    Ending,
    /// Granted and not active.
    Inactive,
    /// Not granted.
    #[default]
    NotGranted,
}

/// Start of the period in which events are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Since {
    /// The first step.
    #[default]
    Start,
    /// The expectation before this one.
    LastExpect,
}

choice! {
    AbilityStatus {
        "Active" => Self::Active,
        "Activating" => Self::Activating,
        "Ending" => Self::Ending,
        "Inactive" => Self::Inactive, "NotGranted" => Self::NotGranted,
    }
    Since { "Start" => Self::Start, "LastExpect" => Self::LastExpect }
}

record! {
    /// Conditions on a number.
    NumberConditionDoc, "condition on a number" {
        at_least: optional Number = "AtLeast", "The smallest value that is expected.";
        at_most: optional Number = "AtMost", "The largest value that is expected.";
        near: optional Number = "Near", "The value that is expected, within the tolerance.";
        tolerance: optional NonNegative = "Tolerance", "Relative tolerance of `Near` (default: that of the expectation).";
    }
}

/// Expected number: the number itself, or conditions that must all hold. `IS_COUNT` marks whole
/// numbers from 0.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expected<const IS_COUNT: bool> {
    /// Position in the file.
    pub span: Span,
    /// The number itself.
    pub exact: Option<f64>,
    /// Conditions, if it is not the number itself.
    pub conditions: NumberConditionDoc,
}

impl<const IS_COUNT: bool> Field for Expected<IS_COUNT> {
    /// Decodes a number, or a mapping with at least one condition. Contradictory conditions are reported and
    /// kept.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        if !matches!(node.value, Value::Map(_)) {
            let exact = match IS_COUNT {
                true => Integer::<0, 4294967295>::decode(node, sink)?.0.value as f64,
                false => Number::decode(node, sink)?.0.value,
            };
            return Some(Self { span: node.span, exact: Some(exact), ..Self::default() });
        }
        let conditions = NumberConditionDoc::decode(node, sink)?;
        let names = ["AtLeast", "AtMost", "Near"];
        if !names.iter().any(|name| conditions.has(name)) {
            sink.push(codes::scenario::no_condition(node.head()));
            return None;
        }
        if let (Some(tolerance), false) = (&conditions.tolerance, conditions.has("Near")) {
            sink.push(codes::scenario::tolerance_without_near(tolerance.0.span));
        }
        if let (Some(least), Some(most)) = (&conditions.at_least, &conditions.at_most)
            && least.0.value > most.0.value
        {
            sink.push(codes::scenario::empty_range(most.0.span, least.0.value, most.0.value));
        }
        Some(Self { span: node.head(), exact: None, conditions })
    }

    fn encode(&self) -> Value {
        match self.exact {
            Some(exact) => Value::Number(exact),
            None => self.conditions.encode(),
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        let exact = match IS_COUNT {
            true => Integer::<0, 4294967295>::schema(definitions),
            false => Number::schema(definitions),
        };
        json!({ "anyOf": [exact, NumberConditionDoc::schema(definitions)] })
    }
}

impl<const IS_COUNT: bool> Expected<IS_COUNT> {
    /// Whether a number meets the expectation: the exact number, or all conditions. `is_near` compares it
    /// with an expected number and the condition's own tolerance; `None` stands for the caller's default.
    pub(crate) fn is_met(&self, actual: f64, is_near: impl Fn(f64, Option<f64>) -> bool) -> bool {
        if let Some(exact) = self.exact {
            return is_near(exact, None);
        }
        let NumberConditionDoc { at_least, at_most, near, tolerance, .. } = &self.conditions;
        let tolerance = tolerance.as_ref().map(|tolerance| tolerance.0.value);
        at_least.as_ref().is_none_or(|least| actual >= least.0.value)
            && at_most.as_ref().is_none_or(|most| actual <= most.0.value)
            && near.as_ref().is_none_or(|near| is_near(near.0.value, tolerance))
    }
}

impl<const IS_COUNT: bool> std::fmt::Display for Expected<IS_COUNT> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(exact) = self.exact {
            return write!(f, "{exact}");
        }
        let NumberConditionDoc { at_least, at_most, near, .. } = &self.conditions;
        let parts = [("at least", at_least), ("at most", at_most), ("near", near)];
        let parts = parts
            .into_iter()
            .filter_map(|(words, number)| Some(format!("{words} {}", number.as_ref()?.0.value)));
        f.write_str(&parts.collect::<Vec<_>>().join(" and "))
    }
}

/// Expected parameter (A18): a number, a boolean, a tag or a text.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpectedParameter {
    /// A number, or conditions on it; a boolean is 1 or 0.
    Number(Expected<false>),
    /// The tag or the text.
    Text(Spanned<String>),
}

impl Default for ExpectedParameter {
    fn default() -> Self {
        Self::Number(Expected::default())
    }
}

impl Field for ExpectedParameter {
    /// Decodes a text, a boolean as 1 or 0, or an expected number.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match &node.value {
            Value::Text(text) => Some(Self::Text(Spanned { value: text.clone(), span: node.span })),
            Value::Bool(flag) => {
                let exact = Some(f64::from(u8::from(*flag)));
                Some(Self::Number(Expected { span: node.span, exact, ..Expected::default() }))
            }
            _ => Expected::decode(node, sink).map(Self::Number),
        }
    }

    fn encode(&self) -> Value {
        match self {
            Self::Number(number) => number.encode(),
            Self::Text(text) => Value::Text(text.value.clone()),
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "anyOf": [{ "type": ["boolean", "string"] }, Expected::<false>::schema(definitions)] })
    }
}

record! {
    /// Events that happened.
    EventsDoc, "events" {
        since: optional Choice<Since> = "Since", "Start of the count (default: Start, the first step; LastExpect is the expectation before this one).";
        count: optional NamedMap<Name, Expected<true>> = "Count", "How many of each kind; others are not checked.";
    }
}

record! {
    /// Expectations besides those of controllers, which are keyed by name.
    ExpectRecord, "expectation" {
        time: optional Expected<false> = "Time", "The clock in seconds.";
        hash: optional StateHash = "Hash", "Hash of the whole state, as 16 hexadecimal digits.";
        last: optional Name = "Last", "Outcome of the step before: Ok, or a code such as Immune.";
        reasons: list Name = "Reasons", "Codes of all reasons for which the step before was refused, in their order (A1, E1).";
        events: optional EventsDoc = "Events", "Events that happened.";
        controllers: optional Expected<true> = "Controllers", "How many controllers there are.";
        tolerance: optional NonNegative = "Tolerance", "Relative tolerance of numbers (default: 1e-9).";
    }
}

record! {
    /// Expectations of a controller besides current values, which are keyed by attribute.
    ControllerExpectRecord, "expectation of a controller" {
        base: optional NamedMap<AttributeName, Expected<false>> = "Base", "Base values.";
        tags: optional TagsExpectDoc = "Tags", "Tags.";
        effects: optional NamedMap<EffectName, Expected<true>> = "Effects", "Running instances of effects.";
        stacks: optional NamedMap<EffectName, Expected<true>> = "Stacks", "Stacks of effects over all running instances.";
        abilities: optional NamedMap<AbilityName, Choice<AbilityStatus>> = "Abilities", "Status of abilities.";
        cooldown: optional NamedMap<AbilityName, Expected<false>> = "Cooldown", "Remaining seconds of cooldowns.";
        charges: optional NamedMap<AbilityName, Expected<true>> = "Charges", "Remaining charges of abilities.";
        parameters: optional NamedMap<AbilityName, NamedMap<Name, ExpectedParameter>> = "Parameters", "Parameters of granted abilities: numbers and booleans of the grant, tags and texts of the definition.";
        tasks: optional NamedMap<Name, Expected<true>> = "Tasks", "Number of active tasks, by type.";
        cues: optional CuesExpectDoc = "Cues", "Cues.";
    }
}

record! {
    /// Tags that are expected.
    TagsExpectDoc, "expected tags" {
        has: list Tag = "Has", "Tags that are present, themselves or a descendant.";
        has_not: list Tag = "HasNot", "Tags that are absent, with all descendants.";
        count: optional NamedMap<Tag, Expected<true>> = "Count", "How often exactly this tag is granted.";
    }
}

record! {
    /// Cues that are expected.
    CuesExpectDoc, "expected cues" {
        active: optional List<CueTag> = "Active", "Exactly the cues that are shown.";
        not_active: list CueTag = "NotActive", "Cues that are not shown.";
        executed: optional List<CueExpectDoc> = "Executed", "All cues executed on the controller since the expectation before this one, in order; of each, the listed fields are compared.";
    }
}

record! {
    /// An executed cue that is expected (C1). Fields that are absent are not compared.
    CueExpectDoc, "expected execution of a cue" {
        cue: required CueTag = "Cue", "The cue.";
        magnitude: optional Number = "Magnitude", "Its magnitude.";
        level: optional Number = "Level", "Level of the effect.";
        ability_level: optional Integer<0, 4294967295> = "AbilityLevel", "Level of the ability that it comes from.";
        stacks: optional Integer<0, 4294967295> = "Stacks", "Stacks of the effect.";
        duration: optional Number = "Duration", "Duration of the effect in seconds.";
        effect: optional EffectName = "Effect", "The effect that it belongs to.";
        source: optional Name = "Source", "The controller that caused it.";
        causer: optional ActorText = "Causer", "Id of the actor that physically caused it; `None` if there is none.";
        payload: optional NamedMap<Name, PlainValue> = "Payload", "Payload numbers, by name; others are not compared.";
        location: optional Vector<3> = "Location", "Location of the cue.";
        normal: optional Vector<3> = "Normal", "Surface normal of the hit.";
        origin: optional Vector<3> = "Origin", "World location of the effect.";
        tags: optional List<Tag> = "Tags", "Exactly its context tags, in any order.";
        source_tags: list Tag = "SourceTags", "Tags that its source has, themselves or a descendant.";
        target_tags: list Tag = "TargetTags", "Tags that its target has, themselves or a descendant.";
    }
}

/// Expectation of the clock and the previous step, and of controllers by name.
pub type ExpectDoc = Open<ExpectRecord, ControllerExpectDoc>;

/// Expectation of a controller: of its state, and of current values by attribute.
pub type ControllerExpectDoc = Open<ControllerExpectRecord, Expected<false>>;

/// Record with known fields and further keys that are user-defined names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Open<R, T> {
    /// The fields that are known.
    pub known: R,
    /// Values by user-defined name.
    pub named: NamedMap<Name, T>,
}

/// The known fields of an [`Open`] record.
pub trait KnownFields: Field {
    /// Their names.
    const KNOWN: &'static [&'static str];
}

impl KnownFields for ExpectRecord {
    const KNOWN: &'static [&'static str] = Self::FIELDS;
}

impl KnownFields for ControllerExpectRecord {
    const KNOWN: &'static [&'static str] = Self::FIELDS;
}

impl<R: KnownFields + Default, T: Field> Field for Open<R, T> {
    /// Decodes known fields as a record, and all other keys as user-defined names. A name that resembles a
    /// known field, with an invalid value, is reported as a misspelt field.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            sink.push(codes::field::wrong_type(node, "a mapping"));
            return None;
        };
        let (known, named) =
            entries.iter().cloned().partition(|entry| R::KNOWN.contains(&entry.key.value.as_str()));
        let (known, mut named): (Vec<Entry>, Vec<Entry>) = (known, named);
        named.retain(|entry| !is_free_key(&entry.key.value));
        let part = |entries| Node { span: node.span, value: Value::Map(entries), style: node.style };
        let known = R::decode(&part(known), sink).unwrap_or_default();
        let mut read = NamedMap::default();
        for entry in named {
            let mut own = Sink::default();
            let nearest = || nearest(&entry.key.value, R::KNOWN.iter().copied()).is_some();
            let key = entry.key.clone();
            let pairs = NamedMap::<Name, T>::decode(&part(vec![entry.clone()]), &mut own).unwrap_or_default();
            // An invalid value under a name that resembles a field: the name is probably misspelt.
            if pairs.0.is_empty() && nearest() {
                let title = "expectation";
                sink.push(codes::field::unknown(&key, title, R::KNOWN));
            } else {
                sink.append(own);
                read.0.extend(pairs.0);
            }
        }
        Some(Self { known, named: read })
    }

    fn encode(&self) -> Value {
        match (self.known.encode(), self.named.encode()) {
            (Value::Map(mut known), Value::Map(named)) => {
                known.extend(named);
                Value::Map(known)
            }
            (known, _) => known,
        }
    }

    /// Schema with the known fields, in which every other key has the schema of the named values.
    fn schema(definitions: &mut Definitions) -> Json {
        let known = R::schema(definitions);
        crate::schema::open(&known, definitions);
        json!({
            "type": "object",
            "allOf": [known],
            "unevaluatedProperties": T::schema(definitions),
        })
    }
}
