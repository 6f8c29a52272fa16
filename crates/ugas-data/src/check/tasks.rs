//! Tasks of abilities (§10): known types with their parameters, and host tasks (A6).

use ugas_core::expr::{Ast, NameKind};
use ugas_core::nearest::nearest;

use super::references::{Checker, NamesIn};
use crate::decode::{Field, ReferenceKind, TagRole};
use crate::diagnostics::codes;
use crate::model::ability::TaskDoc;
use crate::model::effect::TagQueryDoc;
use crate::node::{Entry, Node, Value, byte_in_file};
use crate::source::{Span, Spanned};

/// What a parameter holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A number or an expression.
    Number,
    Flag,
    Text,
    Tag,
    Tags,
    Query,
    Attribute,
    /// An attribute or a number.
    AttributeOrNumber,
    Effect,
    Ability,
    Input,
    Container,
    /// Numbers by tag.
    Magnitudes,
    /// A list of tasks.
    Tasks,
    /// A list of lists of tasks.
    Branches,
    Any,
}

use Kind::{
    Ability, Any, Attribute, AttributeOrNumber, Branches, Container, Effect, Flag, Input, Magnitudes, Number,
    Query, Tag, Tags, Tasks, Text,
};

const APPLY: &[(&str, Kind)] = &[
    ("EffectClass", Effect),
    ("Level", Number),
    ("SetByCaller", Magnitudes),
    ("As", Text),
    ("MaxRange", Number),
    ("Radius", Number),
    ("RequireTag", Tag),
    ("IgnoreTargetsWithTag", Tag),
];
const REMOVE: &[(&str, Kind)] = &[("EffectClass", Effect), ("As", Text), ("Tags", Tags), ("Stacks", Number)];
const EFFECT_OR_TAGS: &[(&str, Kind)] = &[("Effect", Effect), ("Tags", Tags)];
const TAG: &[(&str, Kind)] = &[("Tag", Tag), ("WaitTag", Tag)];
const TAGS: &[(&str, Kind)] = &[("Tags", Tags)];
const CUE: &[(&str, Kind)] = &[("Cue", Tag)];
const INPUT: &[(&str, Kind)] = &[("InputID", Input)];
const NONE: &[(&str, Kind)] = &[];

/// The built-in tasks with their parameters.
const TASKS: &[(&str, &[(&str, Kind)])] = &[
    ("Sequence", &[("Tasks", Tasks)]),
    ("Race", &[("Branches", Branches)]),
    ("All", &[("Branches", Branches)]),
    ("Repeat", &[("Count", Number), ("Interval", Number), ("Tasks", Tasks)]),
    ("If", &[("Condition", Number), ("Then", Tasks), ("Else", Tasks)]),
    ("EndAbility", NONE),
    ("CancelAbility", NONE),
    ("WaitDelay", &[("Duration", Number)]),
    ("WaitGameTime", &[("Time", Number)]),
    ("WaitGameplayEvent", &[("EventTag", Tag), ("Exact", Flag), ("OnlyTriggerOnce", Flag)]),
    ("WaitInputPressed", INPUT),
    ("WaitInputRelease", INPUT),
    ("WaitTagAdded", TAG),
    ("WaitTagRemoved", TAG),
    ("WaitTagChanged", TAG),
    ("WaitTagQuery", &[("Query", Query)]),
    ("WaitAttributeChange", &[("Attribute", Attribute)]),
    (
        "WaitAttributeThreshold",
        &[
            ("Attribute", Attribute),
            ("Comparison", Text),
            ("Threshold", Number),
            ("RatioTo", AttributeOrNumber),
        ],
    ),
    ("WaitEffectApplied", EFFECT_OR_TAGS),
    ("WaitEffectRemoved", EFFECT_OR_TAGS),
    ("WaitEffectBlocked", EFFECT_OR_TAGS),
    ("WaitEffectStackChange", EFFECT_OR_TAGS),
    ("WaitAbilityActivate", TAGS),
    ("WaitAbilityCommit", TAGS),
    ("WaitAbilityEnd", TAGS),
    ("WaitConfirmCancel", NONE),
    ("WaitConfirm", &[("TargetingMethod", Text)]),
    (
        "WaitTargetData",
        &[
            ("Targeting", Any),
            ("Confirmation", Text),
            ("MaxDelay", Number),
            ("TargetingMethod", Text),
            ("MaxRange", Number),
        ],
    ),
    ("WaitNetSync", &[("MaxDelay", Number)]),
    ("Commit", NONE),
    ("CommitCost", NONE),
    ("CommitCooldown", NONE),
    ("ApplyEffectToOwner", APPLY),
    ("ApplyEffectToTarget", APPLY),
    ("ApplyEffectToActorsInRadius", APPLY),
    ("ApplyContainer", &[("Container", Container)]),
    ("RemoveEffectFromOwner", REMOVE),
    ("RemoveEffectFromTarget", REMOVE),
    ("SendEvent", &[("Tag", Tag), ("To", Text), ("Magnitude", Number)]),
    ("ExecuteCue", CUE),
    ("AddCue", CUE),
    ("RemoveCue", CUE),
    ("SetParameter", &[("Name", Text), ("Value", Number)]),
    ("ActivateAbility", &[("Ability", Ability), ("Tags", Tags)]),
];

/// Host tasks that need no declaration (A6), and the ones that §10.3 mentions.
const HOST_TASKS: [&str; 6] = [
    "PlayMontage",
    "WaitMontageEnded",
    "WaitAnimationEvent",
    "SpawnProjectile",
    "WaitOverlap",
    "WaitForTarget",
];

/// Effects that a list of tasks applies, by name, at any depth.
pub(super) fn applied_effects(tasks: &[TaskDoc]) -> Vec<&str> {
    fn collect<'a>(node: &'a Node, found: &mut Vec<&'a str>) {
        for entry in node.entries() {
            match (&*entry.key.value, entry.value.text()) {
                ("EffectClass", Some(name)) => found.push(name),
                ("RemoveEffectFromOwner" | "RemoveEffectFromTarget", _) => {}
                _ => collect(&entry.value, found),
            }
        }
        for item in node.items() {
            collect(item, found);
        }
    }
    let mut found = Vec::new();
    for task in tasks {
        let removes = task.kind.as_ref().is_some_and(|kind| kind.value.starts_with("RemoveEffect"));
        if let (false, Some(params)) = (removes, &task.params) {
            collect(&params.0, &mut found);
        }
    }
    found
}

/// Checks that a type is one that the host carries out.
pub(super) fn host_task(kind: &Spanned<String>, checker: &mut Checker<'_>) {
    let host = &checker.index.host_tasks;
    if !HOST_TASKS.contains(&kind.value.as_str()) && !host.contains(kind.value.as_str()) {
        let names = HOST_TASKS.into_iter().chain(host.iter().copied());
        checker.sink.push(codes::ug032::unknown_task(kind, nearest(&kind.value, names)));
    }
}

/// Checks a list of tasks with everything in it.
pub(super) fn check(tasks: &[TaskDoc], checker: &mut Checker<'_>) {
    for task in tasks {
        self::task(task, checker);
    }
}

fn task(task: &TaskDoc, checker: &mut Checker<'_>) {
    let Some(kind) = &task.kind else { return };
    let params = task.params.as_ref().map(|params| &params.0);
    let empty = Node::default();
    let params = params.unwrap_or(&empty);
    if !matches!(params.value, Value::Map(_) | Value::Null) {
        checker.sink.push(codes::ug011::wrong_type(params, "a mapping (parameters of a task)"));
        return;
    }
    let Some((_, known)) = TASKS.iter().find(|(name, _)| *name == kind.value) else {
        let host = &checker.index.host_tasks;
        if !HOST_TASKS.contains(&kind.value.as_str()) && !host.contains(kind.value.as_str()) {
            let names = TASKS.iter().map(|(name, _)| *name).chain(HOST_TASKS).chain(host.iter().copied());
            checker.sink.push(codes::ug032::unknown_task(kind, nearest(&kind.value, names)));
        }
        host_params(params, checker);
        return;
    };
    for entry in params.entries() {
        match known.iter().find(|(name, _)| *name == entry.key.value) {
            Some((_, kind)) => value(*kind, &entry.value, checker),
            None => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                let record = format!("{} task", kind.value);
                checker.sink.push(codes::ug013::unknown_field(&entry.key, &record, &names));
            }
        }
    }
}

/// Parameters of host tasks are the host's own, but their tags and effects are the pack's.
fn host_params(params: &Node, checker: &mut Checker<'_>) {
    for Entry { key, value: node } in params.entries() {
        if key.value == "EffectClass" {
            value(Effect, node, checker);
        } else if key.value.ends_with("Tags") {
            value(Tags, node, checker);
        } else if key.value.ends_with("Tag") {
            value(Tag, node, checker);
        }
    }
}

fn value(kind: Kind, node: &Node, checker: &mut Checker<'_>) {
    let text = node.text().map(|text| Spanned { value: text.to_owned(), span: node.span });
    let reference = match kind {
        Effect => Some((ReferenceKind::Effect, "name of an effect")),
        Ability => Some((ReferenceKind::Ability, "name of an ability")),
        Attribute => Some((ReferenceKind::Attribute, "name of an attribute")),
        Input => Some((ReferenceKind::InputAction, "name of an input action")),
        Container => Some((ReferenceKind::Container, "name of an effect container")),
        Tag => Some((ReferenceKind::Tag(TagRole::Asked), "a tag")),
        AttributeOrNumber if text.is_some() => Some((ReferenceKind::Attribute, "name of an attribute")),
        _ => None,
    };
    if let Some((kind, title)) = reference {
        match text {
            Some(name) => checker.name(kind, &name),
            None => checker.sink.push(codes::ug011::wrong_type(node, &format!("a text ({title})"))),
        }
        return;
    }
    match kind {
        Number | AttributeOrNumber => match (&node.value, text) {
            (Value::Number(number), _) if number.is_finite() => {}
            (Value::Number(_), _) => checker.sink.push(codes::ug016::not_finite(node.span)),
            (_, Some(text)) => expression(node, &text.value, NamesIn::Pack, checker),
            _ => checker.sink.push(codes::ug011::wrong_type(node, "a number or an expression")),
        },
        Flag if !matches!(node.value, Value::Bool(_)) => {
            checker.sink.push(codes::ug011::wrong_type(node, "true or false"));
        }
        Text if text.is_none() => checker.sink.push(codes::ug011::wrong_type(node, "a text")),
        Tags => match &node.value {
            Value::List(items) => items.iter().for_each(|item| value(Tag, item, checker)),
            Value::Text(_) => value(Tag, node, checker),
            _ => checker.sink.push(codes::ug011::wrong_type(node, "a list of tags")),
        },
        Query => {
            if let Some(query) = TagQueryDoc::decode(node, checker.sink) {
                let mut found = Vec::new();
                query.visit(&mut Names(&mut found));
                for name in found {
                    checker.name(ReferenceKind::Tag(TagRole::Asked), &name);
                }
            }
        }
        Magnitudes => {
            for entry in node.entries() {
                checker.name(ReferenceKind::Tag(TagRole::Data), &entry.key);
                value(Number, &entry.value, checker);
            }
        }
        Tasks => task_list(node, checker),
        Branches => match &node.value {
            Value::List(branches) => branches.iter().for_each(|branch| match &branch.value {
                Value::Map(_) if branch.get("Tasks").is_some() && branch.get("Type").is_none() => {
                    branch.get("Tasks").into_iter().for_each(|tasks| task_list(tasks, checker));
                }
                _ => task_list(branch, checker),
            }),
            _ => checker.sink.push(codes::ug011::wrong_type(node, "a list of branches")),
        },
        _ => {}
    }
}

/// A list of tasks, or one task by itself.
fn task_list(node: &Node, checker: &mut Checker<'_>) {
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Map(_) => std::slice::from_ref(node),
        _ => return checker.sink.push(codes::ug011::wrong_type(node, "a list of tasks")),
    };
    for item in items {
        if let Some(doc) = TaskDoc::decode(item, checker.sink) {
            task(&doc, checker);
        }
    }
}

struct Names<'v>(&'v mut Vec<Spanned<String>>);

impl<'a> crate::decode::Visitor<'a> for Names<'_> {
    fn reference(&mut self, _: ReferenceKind, name: &'a Spanned<String>) {
        self.0.push(name.clone());
    }
}

/// Checks the grammar of an expression and the names in it.
pub(super) fn expression(node: &Node, text: &str, names: NamesIn, checker: &mut Checker<'_>) {
    let source = checker.map.file(node.span.file).map(|file| file.text()).unwrap_or_default();
    let place = |span: ugas_core::expr::Span| {
        let start = byte_in_file(source, node, span.start as usize);
        let end = byte_in_file(source, node, span.end as usize);
        Span::new(node.span.file, start, end.max(start))
    };
    match Ast::parse(text) {
        Err(error) => checker.sink.push(codes::ug071::fault(place(error.span), error.kind.to_string())),
        Ok(ast) => {
            for name in ast.names().filter(|_| names == NamesIn::Pack) {
                let kind = match name.kind {
                    NameKind::Attribute => ReferenceKind::Attribute,
                    NameKind::Tag => ReferenceKind::Tag(TagRole::Asked),
                    _ => continue,
                };
                checker.name(kind, &Spanned { value: name.name.to_owned(), span: place(name.span) });
            }
        }
    }
}
