//! Tasks of abilities (§10): known types with their parameters, and host tasks (A6).

use std::collections::BTreeSet;

use ugas_core::ability::asked_parameter;
use ugas_core::controller::SummonName;
use ugas_core::expr::names::STORED_NUMBERS;
use ugas_core::expr::{Ast, NameKind, NameUse};
use ugas_core::nearest::nearest;

use super::references::{Checker, NamesIn, soften};
use super::task_table::{HOST_TASKS, Kind, TASKS};
use super::{Index, ignored};
use crate::decode::{Field, ReferenceKind, TagRole, is_free_key};
use crate::diagnostics::codes;
use crate::model::ability::{AbilityDoc, TargetingDoc, TaskDoc};
use crate::model::effect::TagQueryDoc;
use crate::node::{Entry, Node, Value, byte_in_file};
use crate::source::{Span, Spanned};

/// Names under `EffectClass` in a list of tasks, at any depth: the effects that an ability applies, for the
/// search of cycles. Removals are skipped.
pub(super) fn applied_effects(tasks: &[TaskDoc]) -> Vec<&str> {
    /// Adds every text under `EffectClass` in a tree.
    fn collect<'a>(node: &'a Node, found: &mut Vec<&'a str>) {
        let kind = node.get("Type").and_then(Node::text);
        if kind.is_some_and(|kind| kind.starts_with("RemoveEffect")) {
            return;
        }
        for entry in node.entries() {
            match (&*entry.key.value, entry.value.text()) {
                ("EffectClass", Some(name)) => found.push(name),
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

/// Names that `SpawnController` tasks assign with `As`, at any depth (A17).
pub(super) fn summon_names(tasks: &[TaskDoc]) -> Vec<&str> {
    /// Adds the `As` of every `SpawnController` task in a tree.
    fn collect<'a>(node: &'a Node, found: &mut Vec<&'a str>) {
        if node.get("Type").and_then(Node::text) == Some("SpawnController")
            && let Some(params) = node.get("Params")
        {
            found.extend(params.get("As").and_then(Node::text));
        }
        node.entries().iter().for_each(|entry| collect(&entry.value, found));
        node.items().iter().for_each(|item| collect(item, found));
    }
    let mut found = Vec::new();
    for task in tasks {
        let Some(params) = &task.params else { continue };
        if task.kind.as_ref().is_some_and(|kind| kind.value == "SpawnController") {
            found.extend(params.0.get("As").and_then(Node::text));
        }
        collect(&params.0, &mut found);
    }
    found
}

/// Numbers that the expressions of an ability can read with `Param`: declared ones, those that its
/// `SetParameter` tasks write, those that grants of scenarios add, and those of waits and tasks (A18).
/// `None` if it has a task that may be native code, which stores numbers under any name.
pub(super) fn numbers<'a>(doc: &'a AbilityDoc, index: &Index<'a>) -> Option<BTreeSet<&'a str>> {
    let declared = doc.parameters.iter().flat_map(|parameters| &parameters.0);
    let mut found: BTreeSet<&str> = declared.map(|(name, _)| name.value.as_str()).collect();
    found.extend(STORED_NUMBERS);
    if let Some(ability) = &doc.name {
        let ability = ability.value.as_str();
        let granted = index.granted_parameters.range((ability, "")..);
        found.extend(granted.take_while(|(of, _)| *of == ability).map(|(_, name)| *name));
    }
    let is_complete = doc.tasks.iter().all(|task| {
        let kind = task.kind.as_ref().map(|kind| kind.value.as_str());
        written_numbers(kind, task.params.as_ref().map(|params| &params.0), index, &mut found)
    });
    is_complete.then_some(found)
}

/// Collects the numbers that a task writes, with the tasks in its parameters; false for one that may be
/// native code.
fn written_numbers<'a>(
    kind: Option<&str>,
    params: Option<&'a Node>,
    index: &Index<'_>,
    found: &mut BTreeSet<&'a str>,
) -> bool {
    /// Collects from every task in a tree; false as soon as one may be native code.
    fn inside<'a>(node: &'a Node, index: &Index<'_>, found: &mut BTreeSet<&'a str>) -> bool {
        match node.get("Type").and_then(Node::text) {
            kind @ Some(_) => written_numbers(kind, node.get("Params"), index, found),
            None => {
                node.entries().iter().all(|entry| inside(&entry.value, index, found))
                    && node.items().iter().all(|item| inside(item, index, found))
            }
        }
    }
    if kind == Some("SetParameter") {
        found.extend(params.and_then(|params| params.get("Name")).and_then(Node::text));
    }
    let is_native = |kind| index.custom_tasks.contains(kind) || index.host_tasks.contains(kind);
    !kind.is_some_and(is_native) && params.is_none_or(|params| inside(params, index, found))
}

/// Reports a task type that is neither built in nor a host task.
pub(super) fn any_task(kind: &Spanned<String>, checker: &mut Checker<'_>) {
    if !TASKS.iter().any(|(name, ..)| *name == kind.value) {
        host_task(kind, checker);
    }
}

/// Reports a task type that is not a host task. A built-in type has its own diagnostic, because only host
/// tasks can be completed by a step.
pub(super) fn host_task(kind: &Spanned<String>, checker: &mut Checker<'_>) {
    let host = &checker.index.host_tasks;
    if !HOST_TASKS.contains(&kind.value.as_str()) && !host.contains(kind.value.as_str()) {
        if TASKS.iter().any(|(name, ..)| *name == kind.value) {
            checker.sink.push(codes::unknown_name::not_a_host_task(kind));
            return;
        }
        let names = HOST_TASKS.into_iter().chain(host.iter().copied());
        checker.sink.push(codes::unknown_name::task_type(kind, nearest(&kind.value, names)));
    }
}

/// Checks a list of tasks with everything in it.
pub(super) fn check(tasks: &[TaskDoc], checker: &mut Checker<'_>) {
    for task in tasks {
        self::task(task, checker);
    }
}

/// Checks one task: its type, the names, types and presence of its parameters, and everything nested in them.
/// Parameters of custom tasks must be numbers; those of host tasks are free.
fn task(task: &TaskDoc, checker: &mut Checker<'_>) {
    let Some(kind) = &task.kind else { return };
    let params = task.params.as_ref().map(|params| &params.0);
    let empty = Node::default();
    let params = params.unwrap_or(&empty);
    if !matches!(params.value, Value::Map(_) | Value::Null) {
        checker.sink.push(codes::field::wrong_type(params, "a mapping (parameters of a task)"));
        return;
    }
    ignored::task(task, params, checker.sink);
    let Some((_, known, needs)) = TASKS.iter().find(|(name, ..)| *name == kind.value) else {
        let (host, custom) = (&checker.index.host_tasks, &checker.index.custom_tasks);
        let name = kind.value.as_str();
        if custom.contains(name) {
            params.entries().iter().for_each(|entry| value(Kind::Number, &entry.value, checker));
            return;
        }
        if !HOST_TASKS.contains(&name) && !host.contains(name) {
            let names = TASKS.iter().map(|(name, ..)| *name).chain(HOST_TASKS);
            let names = names.chain(host.iter().copied()).chain(custom.iter().copied());
            let nearest = nearest(name, names);
            let found = codes::unknown_name::task_type(kind, nearest);
            // A type that resembles no other is probably a host task that another `pack.yaml` declares.
            let found = if nearest.is_none() { soften(found, checker.scope) } else { found };
            checker.sink.push(found);
        }
        host_params(params, checker);
        return;
    };
    for group in needs.iter().filter(|group| !group.iter().any(|name| params.get(name).is_some())) {
        checker.sink.push(codes::ability::missing_task_parameter(kind, group));
    }
    match kind.value.as_str() {
        "SpawnController" => spawn(params, checker),
        "DespawnController" => despawn(params, checker),
        "SetParameter" => set_parameter(params, checker),
        _ => {}
    }
    for entry in params.entries() {
        match known.iter().find(|(name, _)| *name == entry.key.value) {
            Some((_, kind)) => value(*kind, &entry.value, checker),
            None if is_free_key(&entry.key.value) => {}
            None => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                let record = format!("{} task", kind.value);
                checker.sink.push(codes::field::unknown(&entry.key, &record, &names));
            }
        }
    }
}

/// Reports numbers with which a `SpawnController` task spawns nothing, or nothing that stays (A17).
fn spawn(params: &Node, checker: &mut Checker<'_>) {
    let limit = f64::from(ugas_core::simulation::Config::default().max_spawns_per_operation);
    for (name, fits) in [
        ("Count", (|count: f64, limit: f64| (1.0..=limit).contains(&count)) as fn(f64, f64) -> bool),
        ("Lifetime", |seconds, _| seconds > 0.0),
    ] {
        let Some(node) = params.get(name) else { continue };
        if node.number().is_some_and(|number| number.is_finite() && !fits(number, limit)) {
            checker.sink.push(codes::value_range::spawns_nothing(node, name));
        }
    }
}

/// Reports an `As` that no `SpawnController` task of the pack assigns.
fn despawn(params: &Node, checker: &mut Checker<'_>) {
    let Some(node) = params.get("As") else { return };
    let Some(text) = node.text().filter(|text| !text.is_empty()) else { return };
    let summons = &checker.index.summons;
    if !summons.contains(text) && !summons.contains(SummonName::split(text).0) {
        let name = Spanned { value: text.to_owned(), span: node.span };
        let nearest = nearest(text, summons.iter().copied());
        checker.sink.push(codes::unknown_name::spawned_name(&name, nearest));
    }
}

/// Reports a `SetParameter` task that writes a parameter which the definition fixes (A18).
fn set_parameter(params: &Node, checker: &mut Checker<'_>) {
    let Some(node) = params.get("Name") else { return };
    let Some(text) = node.text() else { return };
    if let Some(found) = checker.fixed_parameter(text) {
        let name = Spanned { value: text.to_owned(), span: node.span };
        checker.sink.push(codes::ability::fixed_parameter(&name, found));
    }
}

/// Checks the parameters of a host task: they are free, but tags and effects in them must be in the pack.
fn host_params(params: &Node, checker: &mut Checker<'_>) {
    finite(params, checker);
    for Entry { key, value: node } in params.entries() {
        if key.value == "EffectClass" {
            value(Kind::Effect, node, checker);
        } else if key.value.ends_with("Tags") {
            value(Kind::Tags, node, checker);
        } else if key.value.ends_with("Tag")
            || node.text().is_some_and(|text| asked_parameter(text).is_some())
        {
            value(Kind::Tag, node, checker);
        }
    }
}

/// Reports non-finite numbers in the parameters of host tasks (V2).
fn finite(node: &Node, checker: &mut Checker<'_>) {
    if node.number().is_some_and(|number| !number.is_finite()) {
        checker.sink.push(codes::value_range::not_finite(node.span));
    }
    node.items().iter().for_each(|item| finite(item, checker));
    node.entries().iter().for_each(|entry| finite(&entry.value, checker));
}

/// Checks the value of a task parameter against its type, and resolves the names in it. Lists, branches and
/// nested tasks are checked recursively.
fn value(kind: Kind, node: &Node, checker: &mut Checker<'_>) {
    let text = node.text().map(|text| Spanned { value: text.to_owned(), span: node.span });
    let reference = match kind {
        Kind::Effect => Some((ReferenceKind::Effect, "name of an effect")),
        Kind::Ability => Some((ReferenceKind::Ability, "name of an ability")),
        Kind::Attribute => Some((ReferenceKind::Attribute, "name of an attribute")),
        Kind::Input => Some((ReferenceKind::InputAction, "name of an input action")),
        Kind::Container => Some((ReferenceKind::Container, "name of an effect container")),
        Kind::Template => Some((ReferenceKind::SpawnedTemplate, "name of a controller template")),
        Kind::Tag => Some((ReferenceKind::Tag(TagRole::Asked), "a tag")),
        Kind::Cue => Some((ReferenceKind::Tag(TagRole::Cue), "a tag under GameplayCue")),
        _ => None,
    };
    if let Some((kind, title)) = reference {
        match text {
            Some(name) => checker.name(kind, &name),
            None => checker.sink.push(codes::field::wrong_type(node, &format!("a text ({title})"))),
        }
        return;
    }
    match kind {
        Kind::Number => match (&node.value, text) {
            (Value::Number(number), _) if number.is_finite() => {}
            (Value::Number(_), _) => checker.sink.push(codes::value_range::not_finite(node.span)),
            (_, Some(text)) => expression(node, &text.value, NamesIn::Pack, checker),
            _ => checker.sink.push(codes::field::wrong_type(node, "a number or an expression")),
        },
        Kind::Offset => match node.items() {
            items @ [_, _, _] => items.iter().for_each(|item| value(Kind::Number, item, checker)),
            _ => checker.sink.push(codes::field::wrong_type(node, "a list of three numbers or expressions")),
        },
        Kind::Flag if !matches!(node.value, Value::Bool(_)) => {
            checker.sink.push(codes::field::wrong_type(node, "true or false"));
        }
        Kind::Word(words) => match text {
            Some(word) if words.contains(&word.value.as_str()) => {}
            Some(word) => checker.sink.push(codes::field::unknown_word(node.span, &word.value, words)),
            None => {
                let expected = format!("one of {}", words.join(", "));
                checker.sink.push(codes::field::wrong_type(node, &expected));
            }
        },
        Kind::Targeting => {
            if let Some(doc) = TargetingDoc::decode(node, checker.sink) {
                doc.visit(checker);
                super::targeting::check(&doc, checker.sink);
            }
        }
        Kind::Name if text.as_ref().is_some_and(|name| name.value.is_empty()) => {
            checker.sink.push(codes::naming::empty_name(node.span));
        }
        Kind::Text | Kind::Name if text.is_none() => {
            checker.sink.push(codes::field::wrong_type(node, "a text"))
        }
        Kind::Tags => match &node.value {
            Value::List(items) => items.iter().for_each(|item| value(Kind::Tag, item, checker)),
            Value::Text(_) => value(Kind::Tag, node, checker),
            _ => checker.sink.push(codes::field::wrong_type(node, "a list of tags")),
        },
        Kind::Query => {
            if let Some(query) = TagQueryDoc::decode(node, checker.sink) {
                query.visit(checker);
            }
        }
        Kind::Magnitudes => {
            for entry in node.entries() {
                checker.name(ReferenceKind::Tag(TagRole::Data), &entry.key);
                value(Kind::Number, &entry.value, checker);
            }
        }
        Kind::Numbers => match &node.value {
            Value::Map(entries) => {
                entries.iter().for_each(|entry| value(Kind::Number, &entry.value, checker));
            }
            _ => checker.sink.push(codes::field::wrong_type(node, "numbers by name")),
        },
        Kind::Tasks => task_list(node, checker),
        Kind::Branches => match &node.value {
            Value::List(branches) => branches.iter().for_each(|branch| match &branch.value {
                Value::Map(_) if branch.get("Tasks").is_some() && branch.get("Type").is_none() => {
                    let others = branch.entries().iter().map(|entry| &entry.key);
                    for key in others.filter(|key| key.value != "Tasks" && !is_free_key(&key.value)) {
                        checker.sink.push(codes::field::unknown(key, "branch", &["Tasks"]));
                    }
                    branch.get("Tasks").into_iter().for_each(|tasks| task_list(tasks, checker));
                }
                _ => task_list(branch, checker),
            }),
            _ => checker.sink.push(codes::field::wrong_type(node, "a list of branches")),
        },
        _ => {}
    }
}

/// Checks a list of tasks, or one task by itself.
fn task_list(node: &Node, checker: &mut Checker<'_>) {
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Map(_) => std::slice::from_ref(node),
        _ => return checker.sink.push(codes::field::wrong_type(node, "a list of tasks")),
    };
    for item in items {
        if let Some(doc) = TaskDoc::decode(item, checker.sink) {
            task(&doc, checker);
        }
    }
}

/// Checks the grammar of an expression and the names in it, and reports them at their positions in the file.
/// `names` says which names are resolved here; the core checks the others.
pub(super) fn expression(node: &Node, text: &str, names: NamesIn, checker: &mut Checker<'_>) {
    let source = checker.map.file(node.span.file).map(|file| file.text()).unwrap_or_default();
    let place = |span: ugas_core::expr::Span| {
        let start = byte_in_file(source, node, span.start as usize);
        let end = byte_in_file(source, node, span.end as usize);
        Span::new(node.span.file, start, end.max(start))
    };
    match Ast::parse(text) {
        // Reported by the core.
        Err(_) if names == NamesIn::ParametersOnly => {}
        Err(error) => {
            checker.sink.push(codes::attribute::expression_error(place(error.span), error.kind.to_string()))
        }
        Ok(ast) => {
            let named = |name: &NameUse<'_>| Spanned { value: name.name.to_owned(), span: place(name.span) };
            if names != NamesIn::MayBeLocal {
                for name in ast.names().filter(|name| name.kind == NameKind::Param) {
                    checker.known_number(&named(&name));
                }
            }
            for name in ast.names().filter(|_| names == NamesIn::Pack) {
                let kind = match name.kind {
                    NameKind::Attribute => ReferenceKind::Attribute,
                    NameKind::Tag => ReferenceKind::Tag(TagRole::Asked),
                    NameKind::ParamTag => {
                        checker.param_tag(TagRole::Asked, &named(&name));
                        continue;
                    }
                    NameKind::Param => {
                        checker.number_param(&named(&name));
                        continue;
                    }
                    _ => continue,
                };
                checker.name(kind, &named(&name));
            }
        }
    }
}
