//! Scenarios: stories with expectations, as files tell them.

use serde_json::{Value as Json, json};
use ugas_core::nearest::nearest;

use super::effect::TagQueryDoc;
use super::{
    AbilityName, AttributeName, CueTag, DataTag, EffectName, InputName, Name, SetName, Tag, TemplateName,
};
use crate::decode::{
    Choice, Definitions, Field, Integer, List, NamedMap, NonNegative, Number, Raw, Text, Vector, choice,
    record,
};
use crate::diagnostics::{Sink, codes};
use crate::node::{Entry, Node, Value};
use crate::source::Span;

/// What an ability does at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AbilityStatus {
    /// It runs.
    Active,
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
}

choice! {
    AbilityStatus { "Active" => Self::Active, "Inactive" => Self::Inactive, "NotGranted" => Self::NotGranted }
    Since { "Start" => Self::Start }
}

record! {
    /// One deterministic story with its expectations.
    ScenarioDoc, "scenario" {
        name: required Name = "Name", "What happens, in a few words.";
        clauses: list Name = "Clause", "Clauses of the specification and rules that it shows.";
        description: optional Text = "Description", "More about it, for people.";
        pack: optional Text = "Pack", "Folder of the pack, relative to this file.";
        definitions: list Raw = "Definitions", "UGAS documents of its own, added to the pack.";
        expect_load: optional ExpectLoadDoc = "ExpectLoad", "What loading the pack and the definitions reports. With errors nothing runs, and `Steps` stays empty.";
        seed: optional Integer<0, 9007199254740991> = "Seed", "Seed of everything random (default: 0).";
        controllers: optional NamedMap<Name, ActorDoc> = "Controllers", "Who is there from the beginning, by name.";
        steps: required List<StepDoc> = "Steps", "What happens, in order.";
    }
}

record! {
    /// What loading must report: exactly these codes, each as often as it likes.
    ExpectLoadDoc, "expected load" {
        errors: list Name = "Errors", "Codes of the errors, such as UG051; empty or absent if it loads.";
        warnings: optional List<Name> = "Warnings", "Codes of the warnings; absent if they do not matter.";
    }
}

record! {
    /// A controller of a scenario.
    ActorDoc, "controller of a scenario" {
        template: optional TemplateName = "Template", "Controller document of the pack that it is made from.";
        sets: list SetName = "AttributeSets", "Its attribute sets.";
        base: optional NamedMap<AttributeName, Number> = "Base", "Base values that differ from the defaults.";
        abilities: list ActorAbilityDoc = "Abilities", "Abilities that it has.";
        tags: list Tag = "Tags", "Tags that an internal Infinite effect grants.";
        position: optional Vector<3> = "Position", "Where it is.";
        team: optional Name = "Team", "Which side it is on.";
    }
}

record! {
    /// An ability that a controller of a scenario has.
    ActorAbilityDoc, "ability of a controller" {
        ability: required AbilityName = "Ability", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        input: optional InputName = "InputID", "Input that it is bound to.";
    }
}

record! {
    /// Something that happens; exactly one of the fields.
    StepRecord, "step" {
        apply: optional ApplyDoc = "Apply", "Applies an effect.";
        advance: optional NonNegative = "Advance", "Lets so many seconds pass.";
        at: optional NonNegative = "At", "Lets time pass until this second.";
        remove: optional RemoveDoc = "Remove", "Removes an active effect.";
        remove_matching: optional RemoveMatchingDoc = "RemoveMatching", "Removes the active effects that a query matches.";
        despawn: optional Name = "Despawn", "Removes a controller with everything it has.";
        grant: optional GrantDoc = "Grant", "Grants an ability.";
        revoke: optional Name = "Revoke", "Takes an ability away, by the name of its grant or its own.";
        activate: optional ActivateDoc = "Activate", "Activates an ability.";
        cancel: optional Name = "Cancel", "Cancels an activation, by its name.";
        input: optional InputDoc = "Input", "Presses or releases an input.";
        event: optional EventDoc = "Event", "Sends a gameplay event.";
        complete_task: optional CompleteTaskDoc = "CompleteTask", "Completes a task of the host.";
        expect: optional ExpectDoc = "Expect", "Checks, and changes nothing.";
    }
}

record! {
    /// The application of an effect.
    ApplyDoc, "application" {
        effect: required EffectName = "Effect", "The effect.";
        source: optional Name = "Source", "The controller that causes it (default: none).";
        target: required Name = "Target", "The controller it is applied to.";
        level: optional Number = "Level", "Its level (default: 1).";
        set_by_caller: optional NamedMap<DataTag, Number> = "SetByCaller", "Numbers of the caller by tag.";
        duration: optional Number = "Duration", "Seconds that replace the duration of the effect.";
        period: optional NonNegative = "Period", "Seconds that replace the period of the effect; 0 replaces nothing.";
        alias: optional Name = "As", "Name of the active effect for later steps.";
    }
}

record! {
    /// The removal of an effect.
    RemoveDoc, "removal" {
        effect: required Name = "Effect", "A name given by `As`, or an effect, of which all instances are removed.";
        target: optional Name = "Target", "The controller whose instances are removed (default: everybody's).";
        stacks: optional Integer<-1, 4294967295> = "Stacks", "How many stacks (default and -1: all).";
    }
}

record! {
    /// The removal of effects by what they are.
    RemoveMatchingDoc, "removal by query" {
        query: required TagQueryDoc = "Query", "Over the effects' own tags: asset and granted ones.";
        target: optional Name = "Target", "The controller whose effects are removed (default: everybody's).";
        source: optional Name = "Source", "Only effects that this controller caused.";
        stacks: optional Integer<-1, 4294967295> = "Stacks", "How many stacks of each (default and -1: all).";
    }
}

record! {
    /// The grant of an ability.
    GrantDoc, "grant" {
        controller: required Name = "Controller", "Who gets it.";
        ability: required AbilityName = "Ability", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        alias: optional Name = "As", "Name of the grant for later steps.";
    }
}

record! {
    /// The activation of an ability.
    ActivateDoc, "activation" {
        controller: required Name = "Controller", "Whose ability.";
        ability: required AbilityName = "Ability", "The ability.";
        target: optional Name = "Target", "Whom it is aimed at.";
        alias: optional Name = "As", "Name of the activation for later steps.";
    }
}

record! {
    /// An input that is pressed or released.
    InputDoc, "input" {
        controller: required Name = "Controller", "Whose input.";
        press: optional InputName = "Press", "The input that is pressed.";
        release: optional InputName = "Release", "The input that is released.";
    }
}

record! {
    /// A gameplay event.
    EventDoc, "gameplay event" {
        controller: required Name = "Controller", "Who gets it.";
        tag: required Tag = "Tag", "What happened.";
        magnitude: optional Number = "Magnitude", "How much.";
        target: optional Name = "Target", "With whom.";
    }
}

record! {
    /// The end of a task that the host carries out.
    CompleteTaskDoc, "completed task" {
        controller: required Name = "Controller", "Whose task.";
        kind: required Name = "Type", "Type of the task.";
        outcome: optional Name = "Outcome", "How it ended.";
    }
}

record! {
    /// Events that happened.
    EventsDoc, "events" {
        since: optional Choice<Since> = "Since", "From when they are counted (default: Start, the first step).";
        count: optional NamedMap<Name, Integer<0, 4294967295>> = "Count", "How many of each kind; others are not checked.";
    }
}

record! {
    /// What is expected besides the controllers, which are fields of their own.
    ExpectRecord, "expectation" {
        time: optional NonNegative = "Time", "The clock in seconds.";
        last: optional Name = "Last", "Outcome of the step before: Ok, or a code such as Immune.";
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

/// A step: what it does, and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct StepDoc {
    /// Where it stands.
    pub span: Span,
    /// All that the file says of it.
    pub record: Box<StepRecord>,
    /// What it does.
    pub action: ActionDoc,
}

/// What a step does.
#[derive(Clone, PartialEq, Debug)]
pub enum ActionDoc {
    /// Applies an effect.
    Apply(ApplyDoc),
    /// Lets so many seconds pass.
    Advance(f64),
    /// Lets time pass until this second.
    At(f64),
    /// Removes an active effect.
    Remove(RemoveDoc),
    /// Removes the active effects that a query matches.
    RemoveMatching(RemoveMatchingDoc),
    /// Removes a controller.
    Despawn(String),
    /// Grants an ability.
    Grant(GrantDoc),
    /// Takes an ability away.
    Revoke(String),
    /// Something that only abilities can do: its name in files.
    OfAbilities(&'static str),
    /// Checks.
    Expect(Box<ExpectDoc>),
}

impl StepRecord {
    fn action(self) -> Option<ActionDoc> {
        let of_abilities = [
            (self.activate.is_some(), "Activate"),
            (self.cancel.is_some(), "Cancel"),
            (self.input.is_some(), "Input"),
            (self.event.is_some(), "Event"),
            (self.complete_task.is_some(), "CompleteTask"),
        ];
        let of_abilities = of_abilities.into_iter().find(|(is_there, _)| *is_there);
        None.or(self.apply.map(ActionDoc::Apply))
            .or(self.advance.map(|seconds| ActionDoc::Advance(seconds.0.value)))
            .or(self.at.map(|seconds| ActionDoc::At(seconds.0.value)))
            .or(self.remove.map(ActionDoc::Remove))
            .or(self.remove_matching.map(ActionDoc::RemoveMatching))
            .or(self.despawn.map(|name| ActionDoc::Despawn(name.0.value)))
            .or(self.grant.map(ActionDoc::Grant))
            .or(self.revoke.map(|name| ActionDoc::Revoke(name.0.value)))
            .or(self.expect.map(|expect| ActionDoc::Expect(Box::new(expect))))
            .or(of_abilities.map(|(_, name)| ActionDoc::OfAbilities(name)))
    }
}

impl Field for StepDoc {
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        for entry in node.entries() {
            if !StepRecord::FIELDS.contains(&entry.key.value.as_str()) {
                sink.push(codes::ug012::unknown_value(entry.key.span, &entry.key.value, StepRecord::FIELDS));
                return None;
            }
        }
        let span = node.head();
        let record = StepRecord::decode(node, sink)?;
        if node.entries().len() != 1 {
            sink.push(codes::ug017::wrong_length(span, node.entries().len(), "exactly 1 action in a step"));
            return None;
        }
        Some(Self { span, record: Box::new(record.clone()), action: record.action()? })
    }

    /// Scenarios are written back as they are read, so this is never asked for.
    fn encode(&self) -> Value {
        Value::Null
    }

    fn schema(definitions: &mut Definitions) -> Json {
        let record = StepRecord::schema(definitions);
        // Closed, as the decoder is: a misspelt action is no step.
        json!({ "allOf": [record], "minProperties": 1, "maxProperties": 1, "unevaluatedProperties": false })
    }
}
