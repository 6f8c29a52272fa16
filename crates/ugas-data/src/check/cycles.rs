//! Cycles of attribute sets, scenes, effects and grants. The core detects cycles of attributes, because it
//! knows which captures are live.

use std::collections::{BTreeMap, BTreeSet};

use super::{Index, tasks};
use crate::diagnostics::{Sink, codes};
use crate::model::magnitude::TagRequirementDoc;
use crate::model::{Document, Model};
use crate::source::Span;

type Graph<'a> = BTreeMap<(Namespace, &'a str), Vec<(Namespace, &'a str)>>;

/// Namespace of a node: an effect and an ability may have the same name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Namespace {
    /// Attribute sets, scenes or effects: a graph has only one of these kinds.
    Main,
    /// Abilities.
    Abilities,
}

/// Reports cycles of dependencies of sets, of inheritance of scenes, of effects that apply each other without
/// conditions, and of effects and abilities that grant and apply each other.
pub(super) fn check(documents: &[Document], index: &Index<'_>, sink: &mut Sink) {
    let (mut sets, mut scenes) = (Graph::new(), Graph::new());
    let (mut effects, mut grants) = (Graph::new(), Graph::new());
    for document in documents {
        match &document.model {
            Model::AttributeSet(doc) => {
                if let Some(name) = &doc.name {
                    let needs = doc.dependencies.iter().map(|set| (Namespace::Main, set.value.as_str()));
                    sets.entry((Namespace::Main, &name.value)).or_default().extend(needs);
                }
            }
            Model::Scene(doc) => {
                if let Some(name) = &doc.name {
                    let needs = doc.extends.iter().map(|scene| (Namespace::Main, scene.value.as_str()));
                    scenes.entry((Namespace::Main, &name.value)).or_default().extend(needs);
                }
            }
            Model::Effect(doc) => {
                let Some(name) = &doc.name else { continue };
                let key = (Namespace::Main, name.value.as_str());
                let has_condition = |tags: &Option<TagRequirementDoc>| {
                    tags.as_ref().is_some_and(|tags| !tags.require.is_empty() || !tags.ignore.is_empty())
                };
                let additional = doc.additional_effects.iter().filter(|additional| {
                    !has_condition(&additional.source_tags) && !has_condition(&additional.target_tags)
                });
                let additional = additional.filter_map(|additional| additional.effect.as_deref());
                let overflow = doc.stacking.iter().flat_map(|stacking| stacking.overflow_effects.iter());
                let applied: Vec<_> = additional
                    .chain(overflow.map(|effect| &effect.0))
                    .map(|effect| (Namespace::Main, effect.value.as_str()))
                    .collect();
                let granted = doc.granted_abilities.iter().filter_map(|grant| grant.ability.as_deref());
                let granted = granted.map(|ability| (Namespace::Abilities, ability.value.as_str()));
                grants.entry(key).or_default().extend(applied.iter().copied().chain(granted));
                effects.entry(key).or_default().extend(applied);
            }
            Model::Ability(doc) => {
                let Some(name) = &doc.name else { continue };
                let own =
                    [&doc.cost, &doc.cooldown].into_iter().flatten().map(|effect| effect.value.as_str());
                let by_tasks = tasks::applied_effects(&doc.tasks);
                let applied = own.chain(by_tasks).map(|effect| (Namespace::Main, effect));
                grants.entry((Namespace::Abilities, &name.value)).or_default().extend(applied);
            }
            _ => {}
        }
    }
    let span = |names: &BTreeMap<&str, Span>, cycle: &[String]| {
        cycle.first().and_then(|name| names.get(name.as_str())).copied().unwrap_or_default()
    };
    for cycle in find(&sets) {
        let cycle = names(&cycle);
        sink.push(codes::cycle::attribute_sets(span(&index.sets, &cycle), &cycle));
    }
    for cycle in find(&scenes) {
        let cycle = names(&cycle);
        sink.push(codes::cycle::scenes(span(&index.scenes, &cycle), &cycle));
    }
    for cycle in find(&effects) {
        let cycle = names(&cycle);
        sink.push(codes::cycle::effects(span(&index.effects, &cycle), &cycle));
    }
    for cycle in find(&grants) {
        if cycle.iter().any(|(namespace, _)| *namespace == Namespace::Abilities) {
            let place = match cycle.first() {
                Some((Namespace::Main, name)) => index.effects.get(name),
                Some((Namespace::Abilities, name)) => index.abilities.get(name),
                None => None,
            };
            sink.push(codes::cycle::ability_grants(place.copied().unwrap_or_default(), &names(&cycle)));
        }
    }
}

/// Names of a cycle for messages, without their namespaces.
fn names(cycle: &[(Namespace, &str)]) -> Vec<String> {
    cycle.iter().map(|(_, name)| (*name).to_owned()).collect()
}

/// Finds cycles by depth-first search, each with its first node repeated at the end. Every node is visited
/// once, so not all of several overlapping cycles are found. It does not recurse, because chains may be as
/// long as the pack.
fn find<'a>(graph: &Graph<'a>) -> Vec<Vec<(Namespace, &'a str)>> {
    let mut done = BTreeSet::new();
    let mut found = Vec::new();
    for &start in graph.keys() {
        let mut path: Vec<((Namespace, &str), usize)> = Vec::new();
        let mut inside = BTreeSet::new();
        if done.insert(start) {
            path.push((start, 0));
            inside.insert(start);
        }
        while let Some((node, next)) = path.last_mut() {
            let target = graph.get(node).and_then(|targets| targets.get(*next)).copied();
            *next += 1;
            match target {
                None => {
                    inside.remove(node);
                    path.pop();
                }
                Some(target) if inside.contains(&target) => {
                    let from = path.iter().position(|(node, _)| *node == target).unwrap_or_default();
                    let mut cycle: Vec<_> = path[from..].iter().map(|(node, _)| *node).collect();
                    cycle.push(target);
                    found.push(cycle);
                }
                Some(target) => {
                    if done.insert(target) {
                        path.push((target, 0));
                        inside.insert(target);
                    }
                }
            }
        }
    }
    found
}
