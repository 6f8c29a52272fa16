//! What a scenario expects.

use serde_json::{Value as Json, json};
use ugas_core::nearest::nearest;

use super::state::StateHash;
use crate::decode::{
    Choice, Definitions, Field, Integer, List, NamedMap, NonNegative, Number, Vector, choice, record,
};
use crate::diagnostics::{Sink, codes};
use crate::model::{AbilityName, AttributeName, CueTag, EffectName, Name, Tag};
use crate::node::{Entry, Node, Value};

/// What an ability does at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AbilityStatus {
    /// It runs, committed or not.
    Active,
    /// It runs and has not committed yet.
    Activating,
    /// It is being ended.
    Ending,
    /// It is granted and does not run.
    Inactive,
    /// The controller does not have it.
    #[default]
    NotGranted,
}

/// From when events are counted.
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
    /// Events that happened.
    EventsDoc, "events" {
        since: optional Choice<Since> = "Since", "From when they are counted (default: Start, the first step; LastExpect is the expectation before this one).";
        count: optional NamedMap<Name, Integer<0, 4294967295>> = "Count", "How many of each kind; others are not checked.";
    }
}

record! {
    /// What is expected besides the controllers, which are fields of their own.
    ExpectRecord, "expectation" {
        time: optional NonNegative = "Time", "The clock in seconds.";
        hash: optional StateHash = "Hash", "Hash of the whole state, as 16 hexadecimal digits: that nothing at all is other than it was.";
        last: optional Name = "Last", "Outcome of the step before: Ok, or a code such as Immune.";
        reasons: list Name = "Reasons", "Codes of all reasons for which the step before was refused, in their order (A1, E1).";
        events: optional EventsDoc = "Events", "Events that happened.";
        tolerance: optional NonNegative = "Tolerance", "Relative tolerance of numbers (default: 1e-9).";
    }
}

record! {
    /// What is expected of a controller besides current values, which are fields of their own.
    ControllerExpectRecord, "expectation of a controller" {
        base: optional NamedMap<AttributeName, Number> = "Base", "Base values.";
        tags: optional TagsExpectDoc = "Tags", "Tags.";
        effects: optional NamedMap<EffectName, Integer<0, 4294967295>> = "Effects", "Running instances of effects.";
        stacks: optional NamedMap<EffectName, Integer<0, 4294967295>> = "Stacks", "Stacks of effects over all running instances.";
        abilities: optional NamedMap<AbilityName, Choice<AbilityStatus>> = "Abilities", "What abilities do.";
        cooldown: optional NamedMap<AbilityName, NonNegative> = "Cooldown", "Seconds left of cooldowns.";
        charges: optional NamedMap<AbilityName, Integer<0, 4294967295>> = "Charges", "Uses left of abilities with charges.";
        parameters: optional NamedMap<AbilityName, NamedMap<Name, Number>> = "Parameters", "Parameters of granted abilities.";
        tasks: optional NamedMap<Name, Integer<0, 4294967295>> = "Tasks", "Tasks that are under way, by type.";
        cues: optional CuesExpectDoc = "Cues", "Cues.";
    }
}

record! {
    /// Tags that are expected.
    TagsExpectDoc, "expected tags" {
        has: list Tag = "Has", "Tags that are there, themselves or a descendant.";
        has_not: list Tag = "HasNot", "Tags that are not there, nor a descendant.";
        count: optional NamedMap<Tag, Integer<0, 4294967295>> = "Count", "How often exactly this tag is granted.";
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
        location: optional Vector<3> = "Location", "Its place.";
        normal: optional Vector<3> = "Normal", "Surface normal of the hit.";
        origin: optional Vector<3> = "Origin", "World location of the effect.";
        tags: optional List<Tag> = "Tags", "Exactly its context tags, in any order.";
        source_tags: list Tag = "SourceTags", "Tags that its source has, themselves or a descendant.";
        target_tags: list Tag = "TargetTags", "Tags that its target has, themselves or a descendant.";
    }
}

/// What is expected: of the clock and the step before, and of controllers by name.
pub type ExpectDoc = Open<ExpectRecord, ControllerExpectDoc>;

/// What is expected of a controller: of its state, and of current values by attribute.
pub type ControllerExpectDoc = Open<ControllerExpectRecord, Number>;

/// A record whose other fields are names of the file's own.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Open<R, T> {
    /// The fields that are known.
    pub known: R,
    /// The others.
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
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            sink.push(codes::ug011::wrong_type(node, "a mapping"));
            return None;
        };
        let (known, named) =
            entries.iter().cloned().partition(|entry| R::KNOWN.contains(&entry.key.value.as_str()));
        let (known, named): (Vec<Entry>, Vec<Entry>) = (known, named);
        let part = |entries| Node { span: node.span, value: Value::Map(entries), style: node.style };
        let known = R::decode(&part(known), sink).unwrap_or_default();
        let mut read = NamedMap::default();
        for entry in named {
            let mut own = Sink::default();
            let nearest = || nearest(&entry.key.value, R::KNOWN.iter().copied()).is_some();
            let key = entry.key.clone();
            let pairs = NamedMap::<Name, T>::decode(&part(vec![entry.clone()]), &mut own).unwrap_or_default();
            // A value that does not fit under a name that looks like a field: it is the name that is wrong.
            if pairs.0.is_empty() && nearest() {
                let title = "expectation";
                sink.push(codes::ug013::refused_field(&key, title, R::KNOWN));
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

    fn schema(definitions: &mut Definitions) -> Json {
        json!({
            "type": "object",
            "allOf": [R::schema(definitions)],
            "unevaluatedProperties": T::schema(definitions),
        })
    }
}
