//! Tasks of abilities (§10): known types with their parameters, and host tasks (A6).

use ugas_core::expr::{Ast, NameKind};
use ugas_core::nearest::nearest;
use ugas_core::targeting::Confirmation;
use ugas_core::task::{Comparison, Recipient};

use super::references::{Checker, NamesIn};
use crate::decode::{self, Field, ReferenceKind, TagRole};
use crate::diagnostics::codes;
use crate::model::ability::{TargetingDoc, TaskDoc};
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
    Targeting,
    /// Numbers by tag.
    Magnitudes,
    /// A list of tasks.
    Tasks,
    /// A list of lists of tasks.
    Branches,
}

use Kind::{
    Ability, Attribute, Branches, Container, Cue, Effect, Flag, Input, Magnitudes, Number, Query, Tag, Tags,
    Targeting, Tasks, Text, Word,
};

/// A built-in task: its type, its parameters, and which of them it needs, one of each group.
type TaskRow = (&'static str, &'static [(&'static str, Kind)], &'static [&'static [&'static str]]);

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
const REMOVE_NEEDS: &[&[&str]] = &[&["EffectClass", "As", "Tags"]];
const EFFECT_OR_TAGS: &[(&str, Kind)] = &[("Effect", Effect), ("Tags", Tags)];
const TAG: &[(&str, Kind)] = &[("Tag", Tag), ("WaitTag", Tag)];
const TAG_NEEDS: &[&[&str]] = &[&["Tag", "WaitTag"]];
const TAGS: &[(&str, Kind)] = &[("Tags", Tags)];
const CUE: &[(&str, Kind)] = &[("Cue", Cue)];
const INPUT: &[(&str, Kind)] = &[("InputID", Input)];
const COMPARISON: Kind = Word(<Comparison as decode::Word>::WORDS);
const CONFIRMATION: Kind = Word(<Confirmation as decode::Word>::WORDS);
const RECIPIENT: Kind = Word(<Recipient as decode::Word>::WORDS);

/// The built-in tasks.
const TASKS: &[TaskRow] = &[
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
    ("WaitTagChanged", TAG, TAG_NEEDS),
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
    ("Commit", &[], &[]),
    ("CommitCost", &[], &[]),
    ("CommitCooldown", &[], &[]),
    ("ApplyEffectToOwner", APPLY, &[&["EffectClass"]]),
    ("ApplyEffectToTarget", APPLY, &[&["EffectClass"]]),
    ("ApplyEffectToActorsInRadius", APPLY, &[&["EffectClass"], &["Radius", "MaxRange"]]),
    ("ApplyContainer", &[("Container", Container)], &[&["Container"]]),
    ("RemoveEffectFromOwner", REMOVE, REMOVE_NEEDS),
    ("RemoveEffectFromTarget", REMOVE, REMOVE_NEEDS),
    ("SendEvent", &[("Tag", Tag), ("To", RECIPIENT), ("Magnitude", Number)], &[&["Tag"]]),
    ("ExecuteCue", CUE, &[&["Cue"]]),
    ("AddCue", CUE, &[&["Cue"]]),
    ("RemoveCue", CUE, &[&["Cue"]]),
    ("SetParameter", &[("Name", Text), ("Value", Number)], &[&["Name"], &["Value"]]),
    ("ActivateAbility", &[("Ability", Ability), ("Tags", Tags)], &[&["Ability", "Tags"]]),
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

/// Checks that a type is one that there is, built in or not.
pub(super) fn any_task(kind: &Spanned<String>, checker: &mut Checker<'_>) {
    if !TASKS.iter().any(|(name, ..)| *name == kind.value) {
        host_task(kind, checker);
    }
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
    let Some((_, known, needs)) = TASKS.iter().find(|(name, ..)| *name == kind.value) else {
        let (host, custom) = (&checker.index.host_tasks, &checker.index.custom_tasks);
        let name = kind.value.as_str();
        if custom.contains(name) {
            params.entries().iter().for_each(|entry| value(Number, &entry.value, checker));
            return;
        }
        if !HOST_TASKS.contains(&name) && !host.contains(name) {
            let names = TASKS.iter().map(|(name, ..)| *name).chain(HOST_TASKS);
            let names = names.chain(host.iter().copied()).chain(custom.iter().copied());
            checker.sink.push(codes::ug032::unknown_task(kind, nearest(name, names)));
        }
        host_params(params, checker);
        return;
    };
    for group in needs.iter().filter(|group| !group.iter().any(|name| params.get(name).is_some())) {
        checker.sink.push(codes::ug080::missing(kind, group));
    }
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
    finite(params, checker);
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

/// V2 holds for what the host is told, too.
fn finite(node: &Node, checker: &mut Checker<'_>) {
    if node.number().is_some_and(|number| !number.is_finite()) {
        checker.sink.push(codes::ug016::not_finite(node.span));
    }
    node.items().iter().for_each(|item| finite(item, checker));
    node.entries().iter().for_each(|entry| finite(&entry.value, checker));
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
        Cue => Some((ReferenceKind::Tag(TagRole::Cue), "a tag under GameplayCue")),
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
        Number => match (&node.value, text) {
            (Value::Number(number), _) if number.is_finite() => {}
            (Value::Number(_), _) => checker.sink.push(codes::ug016::not_finite(node.span)),
            (_, Some(text)) => expression(node, &text.value, NamesIn::Pack, checker),
            _ => checker.sink.push(codes::ug011::wrong_type(node, "a number or an expression")),
        },
        Flag if !matches!(node.value, Value::Bool(_)) => {
            checker.sink.push(codes::ug011::wrong_type(node, "true or false"));
        }
        Word(words) => match text {
            Some(word) if words.contains(&word.value.as_str()) => {}
            Some(word) => checker.sink.push(codes::ug012::unknown_value(node.span, &word.value, words)),
            None => {
                let expected = format!("one of {}", words.join(", "));
                checker.sink.push(codes::ug011::wrong_type(node, &expected));
            }
        },
        Targeting => {
            if let Some(doc) = TargetingDoc::decode(node, checker.sink) {
                doc.visit(checker);
                super::targeting::check(&doc, checker.sink);
            }
        }
        Text if text.is_none() => checker.sink.push(codes::ug011::wrong_type(node, "a text")),
        Tags => match &node.value {
            Value::List(items) => items.iter().for_each(|item| value(Tag, item, checker)),
            Value::Text(_) => value(Tag, node, checker),
            _ => checker.sink.push(codes::ug011::wrong_type(node, "a list of tags")),
        },
        Query => {
            if let Some(query) = TagQueryDoc::decode(node, checker.sink) {
                query.visit(checker);
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
