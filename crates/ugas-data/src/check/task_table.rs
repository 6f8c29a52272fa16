//! Table of built-in tasks (§10): their parameters, and which of them are required. The checks and the JSON
//! Schema of tasks are generated from it.

use serde_json::{Value as Json, json};
use ugas_core::targeting::Confirmation;
use ugas_core::task::{Comparison, OnFail, Recipient, SpawnPlace};

use crate::decode::{self, Definitions, Field};
use crate::model::ability::TargetingDoc;
use crate::model::effect::TagQueryDoc;

/// Type of a task parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A number or an expression.
    Number,
    Flag,
    Text,
    /// A name that is not empty.
    Name,
    /// One of these words.
    Word(&'static [&'static str]),
    Tag,
    Tags,
    Cue,
    Query,
    Attribute,
    Effect,
    Ability,
    Input,
    Container,
    Template,
    Targeting,
    /// Three numbers or expressions.
    Offset,
    /// Numbers by tag.
    Magnitudes,
    /// Numbers by name.
    Numbers,
    /// A list of tasks.
    Tasks,
    /// A list of lists of tasks.
    Branches,
}

use Kind::{
    Ability, Attribute, Branches, Container, Cue, Effect, Flag, Input, Magnitudes, Name, Number, Numbers,
    Offset, Query, Tag, Tags, Targeting, Tasks, Template, Text, Word,
};

/// Built-in task: its type, its parameters, and the required ones (at least one of each group).
pub(super) type TaskRow = (&'static str, &'static [(&'static str, Kind)], &'static [&'static [&'static str]]);

const APPLY: &[(&str, Kind)] = &[
    ("EffectClass", Effect),
    ("Level", Number),
    ("SetByCaller", Magnitudes),
    ("As", Name),
    ("MaxRange", Number),
    ("Radius", Number),
    ("RequireTag", Tag),
    ("IgnoreTargetsWithTag", Tags),
];
const APPLY_TO_OWNER: &[(&str, Kind)] =
    &[("EffectClass", Effect), ("Level", Number), ("SetByCaller", Magnitudes), ("As", Name)];
const APPLY_TO: &[(&str, Kind)] = &[
    ("EffectClass", Effect),
    ("Level", Number),
    ("SetByCaller", Magnitudes),
    ("As", Name),
    ("To", RECIPIENT),
    ("MaxRange", Number),
    ("RequireTag", Tag),
    ("IgnoreTargetsWithTag", Tags),
];
const COMMIT: &[(&str, Kind)] = &[("OnFail", ON_FAIL)];
const REMOVE: &[(&str, Kind)] = &[("EffectClass", Effect), ("As", Name), ("Tags", Tags), ("Stacks", Number)];
const REMOVE_FROM: &[(&str, Kind)] =
    &[("EffectClass", Effect), ("As", Name), ("To", RECIPIENT), ("Tags", Tags), ("Stacks", Number)];
const REMOVE_NEEDS: &[&[&str]] = &[&["EffectClass", "As", "Tags"]];
const EFFECT_OR_TAGS: &[(&str, Kind)] = &[("Effect", Effect), ("Tags", Tags)];
const TAG: &[(&str, Kind)] = &[("Tag", Tag), ("WaitTag", Tag)];
const TAG_NEEDS: &[&[&str]] = &[&["Tag", "WaitTag"]];
const TAGS: &[(&str, Kind)] = &[("Tags", Tags)];
const CUE: &[(&str, Kind)] = &[("Cue", Cue), ("To", RECIPIENT)];
const INPUT: &[(&str, Kind)] = &[("InputID", Input)];
const COMPARISON: Kind = Word(<Comparison as decode::Word>::WORDS);
const CONFIRMATION: Kind = Word(<Confirmation as decode::Word>::WORDS);
const SPAWN_PLACE: Kind = Word(<SpawnPlace as decode::Word>::WORDS);
const RECIPIENT: Kind = Word(<Recipient as decode::Word>::WORDS);
const ON_FAIL: Kind = Word(<OnFail as decode::Word>::WORDS);

/// The built-in tasks.
pub(super) const TASKS: &[TaskRow] = &[
    ("Sequence", &[("Tasks", Tasks)], &[&["Tasks"]]),
    ("Race", &[("Branches", Branches)], &[&["Branches"]]),
    ("All", &[("Branches", Branches)], &[&["Branches"]]),
    ("Repeat", &[("Count", Number), ("Interval", Number), ("Tasks", Tasks)], &[&["Tasks"]]),
    ("If", &[("Condition", Number), ("Then", Tasks), ("Else", Tasks)], &[&["Condition"], &["Then", "Else"]]),
    ("EndAbility", &[], &[]),
    ("CancelAbility", &[], &[]),
    ("WaitDelay", &[("Duration", Number)], &[&["Duration"]]),
    ("WaitGameTime", &[("Time", Number)], &[&["Time"]]),
    ("WaitGameplayEvent", &[("EventTag", Tag), ("Exact", Flag), ("OnlyTriggerOnce", Flag)], &[&["EventTag"]]),
    ("WaitInputPressed", INPUT, &[]),
    ("WaitInputRelease", INPUT, &[]),
    ("WaitTagAdded", TAG, TAG_NEEDS),
    ("WaitTagRemoved", TAG, TAG_NEEDS),
    ("WaitTagChanged", &[("Tag", Tag), ("WaitTag", Tag), ("AnyCount", Flag)], TAG_NEEDS),
    ("WaitTagQuery", &[("Query", Query)], &[&["Query"]]),
    ("WaitAttributeChange", &[("Attribute", Attribute)], &[&["Attribute"]]),
    (
        "WaitAttributeThreshold",
        &[
            ("Attribute", Attribute),
            ("Comparison", COMPARISON),
            ("Threshold", Number),
            ("RatioTo", Attribute),
        ],
        &[&["Attribute"], &["Comparison"], &["Threshold"]],
    ),
    ("WaitEffectApplied", EFFECT_OR_TAGS, &[]),
    ("WaitEffectRemoved", EFFECT_OR_TAGS, &[]),
    ("WaitEffectBlocked", EFFECT_OR_TAGS, &[]),
    ("WaitEffectStackChange", EFFECT_OR_TAGS, &[]),
    ("WaitAbilityActivate", TAGS, &[]),
    ("WaitAbilityCommit", TAGS, &[]),
    ("WaitAbilityEnd", TAGS, &[]),
    ("WaitConfirmCancel", &[], &[]),
    ("WaitConfirm", &[("TargetingMethod", Text)], &[]),
    (
        "WaitTargetData",
        &[
            ("Targeting", Targeting),
            ("Confirmation", CONFIRMATION),
            ("MaxDelay", Number),
            ("TargetingMethod", Text),
            ("MaxRange", Number),
        ],
        &[],
    ),
    ("WaitNetSync", &[("MaxDelay", Number)], &[]),
    ("Commit", COMMIT, &[]),
    ("CommitCost", COMMIT, &[]),
    ("CommitCooldown", COMMIT, &[]),
    ("ApplyEffectToOwner", APPLY_TO_OWNER, &[&["EffectClass"]]),
    ("ApplyEffectToTarget", APPLY_TO, &[&["EffectClass"]]),
    ("ApplyEffectToActorsInRadius", APPLY, &[&["EffectClass"], &["Radius", "MaxRange"]]),
    ("ApplyContainer", &[("Container", Container), ("To", RECIPIENT)], &[&["Container"]]),
    ("RemoveEffectFromOwner", REMOVE, REMOVE_NEEDS),
    ("RemoveEffectFromTarget", REMOVE_FROM, REMOVE_NEEDS),
    (
        "SendEvent",
        &[
            ("Tag", Tag),
            ("To", RECIPIENT),
            ("Target", RECIPIENT),
            ("Magnitude", Number),
            ("Payload", Numbers),
            ("ContextTags", Tags),
        ],
        &[&["Tag"]],
    ),
    ("ExecuteCue", CUE, &[&["Cue"]]),
    ("AddCue", CUE, &[&["Cue"]]),
    ("RemoveCue", CUE, &[&["Cue"]]),
    ("SetParameter", &[("Name", Name), ("Value", Number)], &[&["Name"], &["Value"]]),
    ("ActivateAbility", &[("Ability", Ability), ("Tags", Tags)], &[&["Ability", "Tags"]]),
    (
        "SpawnController",
        &[
            ("Template", Template),
            ("Count", Number),
            ("At", SPAWN_PLACE),
            ("Offset", Offset),
            ("Team", Text),
            ("Lifetime", Number),
            ("Bound", Flag),
            ("As", Name),
        ],
        &[&["Template"]],
    ),
    ("DespawnController", &[("As", Name), ("Tags", Tags), ("To", RECIPIENT)], &[&["As", "Tags", "To"]]),
];

/// Host tasks that need no declaration (A6), and those that §10.3 mentions.
pub(super) const HOST_TASKS: [&str; 6] = [
    "PlayMontage",
    "WaitMontageEnded",
    "WaitAnimationEvent",
    "SpawnProjectile",
    "WaitOverlap",
    "WaitForTarget",
];

/// Adds the parameters of each built-in task to the schema of tasks. A schema without tasks is left as it is.
pub(crate) fn describe_tasks(definitions: &mut Definitions) {
    if !definitions.contains_key("TaskDoc") {
        return;
    }
    let cases: Vec<Json> = TASKS.iter().map(|row| case(row, definitions)).collect();
    if let Some(task) = definitions.get_mut("TaskDoc") {
        task["allOf"] = json!(cases);
    }
}

/// Conditional schema of one built-in task: if `Type` is its name, `Params` has its parameters. A task with
/// required parameters also requires `Params`.
fn case((name, parameters, needs): &TaskRow, definitions: &mut Definitions) -> Json {
    let mut properties = serde_json::Map::new();
    for (parameter, kind) in *parameters {
        properties.insert((*parameter).to_owned(), schema(*kind, definitions));
    }
    let needs: Vec<Json> = needs
        .iter()
        .map(|group| json!({ "anyOf": group.iter().map(|name| json!({ "required": [name] })).collect::<Vec<_>>() }))
        .collect();
    let mut params = json!({
        "type": ["object", "null"],
        "properties": properties,
        "patternProperties": { "^x-": {} },
        "additionalProperties": false,
    });
    let mut then = json!({});
    if !needs.is_empty() {
        params["type"] = json!("object");
        params["allOf"] = json!(needs);
        then["required"] = json!(["Params"]);
    }
    then["properties"] = json!({ "Params": params });
    json!({ "if": { "properties": { "Type": { "const": name } }, "required": ["Type"] }, "then": then })
}

/// JSON Schema of a parameter; records such as `TargetingDoc` are added to `definitions`.
fn schema(kind: Kind, definitions: &mut Definitions) -> Json {
    let tasks = || {
        let task = json!({ "$ref": "#/$defs/TaskDoc" });
        let several = json!({ "type": "object", "required": ["Tasks"] });
        json!({ "anyOf": [task, several, { "type": "array", "items": task }] })
    };
    match kind {
        Number => json!({ "type": ["number", "string"], "title": "a number or an expression" }),
        Flag => json!({ "type": "boolean" }),
        Word(words) => json!({ "enum": words }),
        Name => json!({ "type": "string", "minLength": 1 }),
        Text | Tag | Cue | Attribute | Effect | Ability | Input | Container | Template => {
            json!({ "type": "string" })
        }
        Offset => {
            let number = json!({ "type": ["number", "string"], "title": "a number or an expression" });
            json!({ "type": "array", "items": number, "minItems": 3, "maxItems": 3 })
        }
        Tags => json!({ "type": ["string", "array"], "items": { "type": "string" } }),
        Query => TagQueryDoc::schema(definitions),
        Targeting => TargetingDoc::schema(definitions),
        Magnitudes | Numbers => {
            json!({ "type": "object", "additionalProperties": { "type": ["number", "string"] } })
        }
        Tasks => tasks(),
        Branches => json!({ "type": "array", "items": tasks() }),
    }
}
