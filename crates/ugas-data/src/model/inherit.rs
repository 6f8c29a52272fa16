//! Inheritance between documents (D1): `Extends: Name` and `Append: { Field: [items] }`.
//!
//! Documents are merged as trees before they are decoded. Every value keeps the span of the place where it is
//! written, so that a diagnostic about an inherited part points into the parent's file.

use std::collections::BTreeMap;

use ugas_core::nearest::nearest;

use super::recognise::{report_missing_schema, report_unknown};
use super::{Document, DocumentKind, Outline};
use crate::check::{Scope, soften};
use crate::diagnostics::{Sink, codes};
use crate::node::{Entry, Node, Value};
use crate::source::{Limits, SourceMap, Spanned};

/// The key that names the parent of a document.
pub(crate) const EXTENDS: &str = "Extends";
/// The key whose lists are appended to the lists of the document.
pub(crate) const APPEND: &str = "Append";
/// The keys that a child does not inherit.
const OWN_KEYS: [&str; 4] = ["$schema", "Name", EXTENDS, APPEND];
/// Limit of name comparisons for suggestions: a hostile pack may have as many unknown parents as known names.
const MOST_COMPARISONS: usize = 10_000_000;

impl DocumentKind {
    /// Whether documents of this kind may extend one another. Scenes have an `Extends` of their own (§18).
    pub const fn is_extendable(self) -> bool {
        matches!(
            self,
            Self::Attribute
                | Self::AttributeSet
                | Self::Effect
                | Self::Ability
                | Self::Controller
                | Self::InputAction
                | Self::InputActionSet
                | Self::InputMapping
                | Self::InputModifier
        )
    }
}

/// Merges documents with their parents and decodes them, in order. `values` is the number of values in the
/// files; inherited values count towards the same limit.
pub(crate) fn resolve(
    map: &SourceMap,
    mut outlines: Vec<Outline>,
    scope: Scope,
    limits: &Limits,
    values: u64,
    sink: &mut Sink,
) -> Vec<Document> {
    let names: Vec<Option<String>> = outlines.iter().map(|outline| own_name(map, outline)).collect();
    identify(&mut outlines, &names, sink);
    let mut parents = Parents::find(&outlines, &names, scope, sink);
    parents.refuse_cycles(&outlines, &names, sink);
    parents.merge(&mut outlines, limits, values, sink);
    let mut documents = Vec::with_capacity(outlines.len());
    for ((outline, link), name) in outlines.into_iter().zip(parents.links).zip(names) {
        let Some(kind) = outline.kind else { continue };
        let mut document = match link {
            Link::Broken => {
                let mut own = Sink::with_limit(limits.diagnostics).allow_unknown(sink.allows_unknown());
                let mut document = outline.decode(kind, &mut own);
                // A missing field may be one that the parent has.
                own.retain(|found| found.code != codes::field::UG010.code);
                sink.append(own);
                document.is_clean = false;
                document
            }
            Link::None | Link::Parent(_) => outline.decode(kind, sink),
        };
        name_controller(&mut document, name);
        documents.push(document);
    }
    documents
}

/// Name of a document before inheritance. The specification gives controllers no name; the owner's id or the
/// file's name is used. `None` if there is none, and for an empty name.
fn own_name(map: &SourceMap, outline: &Outline) -> Option<String> {
    let text =
        |node: Option<&Node>| node.and_then(Node::text).filter(|text| !text.is_empty()).map(str::to_owned);
    let name = text(outline.node.get("Name"));
    if outline.kind != Some(DocumentKind::Controller) {
        return name;
    }
    let owner = outline.node.get("OwnerActor").and_then(|owner| owner.get("ActorID"));
    let stem = || Some(map.file(outline.file)?.path().file_stem()?.to_string_lossy().into_owned());
    name.or_else(|| text(owner)).or_else(stem)
}

/// Sets the name of a controller document that has no `Name`. The name is used as the template's name; its
/// position is the owner's id, if that is the name.
fn name_controller(document: &mut Document, name: Option<String>) {
    if let super::Model::Controller(doc) = &mut document.model
        && doc.name.is_none()
    {
        let own = document.node.get("OwnerActor").and_then(|owner| owner.get("ActorID"));
        let own = own.filter(|id| id.text() == name.as_deref());
        let span = own.map_or(doc.span, |id| id.span);
        doc.name = name.map(|value| super::Name(Spanned { value, span }));
    }
}

/// Sets the kind of documents without `$schema` and typical keys to that of the document they extend, along
/// any number of parents. Those whose kind stays unknown are reported.
fn identify(outlines: &mut [Outline], names: &[Option<String>], sink: &mut Sink) {
    if outlines.iter().all(|outline| outline.kind.is_some()) {
        return;
    }
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        let can_extend = outlines[at].kind.is_none_or(DocumentKind::is_extendable);
        if let (true, Some(name)) = (can_extend, name) {
            by_name.entry(name).or_insert(at);
        }
    }
    let mut is_visited = vec![false; outlines.len()];
    for at in 0..outlines.len() {
        let (mut path, mut next) = (Vec::new(), Some(at));
        while let Some(here) = next.filter(|here| outlines[*here].kind.is_none() && !is_visited[*here]) {
            is_visited[here] = true;
            path.push(here);
            let parent = outlines[here].node.get(EXTENDS).and_then(Node::text);
            next = parent.and_then(|parent| by_name.get(parent).copied());
        }
        let kind = next.and_then(|found| outlines[found].kind);
        for here in path {
            match kind {
                Some(kind) => {
                    outlines[here].kind = Some(kind);
                    report_missing_schema(kind, &outlines[here].node, sink);
                }
                None => report_unknown(&outlines[here].node, sink),
            }
        }
    }
}

/// Parent of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Link {
    /// No parent.
    None,
    /// The document at this position.
    Parent(usize),
    /// A parent that cannot be used; already reported.
    Broken,
}

struct Parents {
    links: Vec<Link>,
}

impl Parents {
    /// Finds the parent of each document by kind and name. An invalid, unknown or differently typed parent is
    /// reported and gives `Link::Broken`.
    fn find(outlines: &[Outline], names: &[Option<String>], scope: Scope, sink: &mut Sink) -> Self {
        let mut known: BTreeMap<(DocumentKind, &str), usize> = BTreeMap::new();
        let mut kinds: BTreeMap<&str, DocumentKind> = BTreeMap::new();
        for (at, (outline, name)) in outlines.iter().zip(names).enumerate() {
            if let (Some(kind), Some(name)) = (outline.kind, name) {
                known.entry((kind, name)).or_insert(at);
                kinds.entry(name).or_insert(kind);
            }
        }
        let mut comparisons_left = MOST_COMPARISONS;
        let link = |outline: &Outline| {
            let Some(kind) = outline.kind.filter(|kind| kind.is_extendable()) else { return Link::None };
            let Some(value) = outline.node.get(EXTENDS) else { return Link::None };
            let Some(name) = value.text().filter(|name| !name.is_empty()) else {
                sink.push(codes::field::wrong_type(value, "a text (name of the document that it extends)"));
                return Link::Broken;
            };
            if let Some(parent) = known.get(&(kind, name)) {
                return Link::Parent(*parent);
            }
            let spanned = Spanned { value: name.to_owned(), span: value.span };
            if let Some(other) = kinds.get(name) {
                sink.push(codes::format::parent_of_other_kind(&spanned, kind.name(), other.name()));
                return Link::Broken;
            }
            let of_kind = || known.keys().filter(|(known, _)| *known == kind).map(|(_, name)| *name);
            let hint = match comparisons_left.checked_sub(known.len()) {
                Some(left) => {
                    comparisons_left = left;
                    nearest(name, of_kind())
                }
                None => None,
            };
            sink.push(soften(codes::format::unknown_parent(&spanned, kind.name(), hint), scope));
            Link::Broken
        };
        Self { links: outlines.iter().map(link).collect() }
    }

    /// Reports every cycle once, at the `Extends` of its first document, and breaks it.
    fn refuse_cycles(&mut self, outlines: &[Outline], names: &[Option<String>], sink: &mut Sink) {
        const UNSEEN: usize = usize::MAX;
        let mut seen_from = vec![UNSEEN; self.links.len()];
        for start in 0..self.links.len() {
            let mut here = start;
            while seen_from[here] == UNSEEN {
                seen_from[here] = start;
                let Link::Parent(parent) = self.links[here] else { break };
                here = parent;
            }
            if !matches!(self.links[here], Link::Parent(_)) || seen_from[here] != start {
                continue;
            }
            let mut cycle = vec![here];
            while let Link::Parent(parent) = self.links[cycle[cycle.len() - 1]]
                && parent != here
            {
                cycle.push(parent);
            }
            let first = cycle.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(place, _)| place);
            cycle.rotate_left(first);
            let mut path: Vec<&str> = cycle.iter().filter_map(|at| names[*at].as_deref()).collect();
            path.extend(path.first().copied());
            let span = outlines[cycle[0]].node.get(EXTENDS).map(|value| value.span).unwrap_or_default();
            sink.push(codes::cycle::inheritance(span, &path));
            for at in cycle {
                self.links[at] = Link::Broken;
            }
        }
    }

    /// Merges every document with its parent, parents first. Chains may be as long as the pack, so nothing
    /// recurses along them. Also applies `Append`. A document whose parent is broken, whose `Append` is
    /// invalid, or that exceeds the limit of values is broken, too.
    fn merge(&mut self, outlines: &mut [Outline], limits: &Limits, values: u64, sink: &mut Sink) {
        let mut is_done = vec![false; outlines.len()];
        let (mut total, mut is_full) = (values, false);
        for start in 0..outlines.len() {
            let (mut path, mut here) = (Vec::new(), start);
            while !is_done[here] {
                is_done[here] = true;
                path.push(here);
                let Link::Parent(parent) = self.links[here] else { break };
                here = parent;
            }
            for at in path.into_iter().rev() {
                if let Link::Parent(parent) = self.links[at] {
                    let inherited = outlines[parent].node.count();
                    total = total.saturating_add(inherited);
                    if total > u64::from(limits.pack_nodes) {
                        if !is_full {
                            sink.push(codes::pack::pack_too_large(outlines[at].file, limits.pack_nodes));
                        }
                        (is_full, self.links[at]) = (true, Link::Broken);
                    } else {
                        if self.links[parent] == Link::Broken {
                            self.links[at] = Link::Broken;
                        }
                        let parent = outlines[parent].node.clone();
                        inherit(&mut outlines[at].node, parent);
                    }
                }
                let is_extendable = outlines[at].kind.is_some_and(DocumentKind::is_extendable);
                if is_extendable && !apply_append(&mut outlines[at].node, sink) {
                    self.links[at] = Link::Broken;
                }
            }
        }
    }
}

/// Adds the entries of the parent that the document does not have. `Name`, `$schema` and the keys of
/// inheritance are never inherited.
fn inherit(child: &mut Node, parent: Node) {
    let Value::Map(mut entries) = parent.value else { return };
    entries.retain(|entry| !OWN_KEYS.contains(&entry.key.value.as_str()));
    merge_entries(child, entries);
}

/// Adds inherited entries to a mapping. Mappings under the same key are merged; anything else of the child
/// replaces the parent's value.
fn merge_entries(child: &mut Node, inherited: Vec<Entry>) {
    let Value::Map(own) = &mut child.value else { return };
    let places: BTreeMap<String, usize> =
        own.iter().enumerate().map(|(at, entry)| (entry.key.value.clone(), at)).collect();
    for entry in inherited {
        match places.get(&entry.key.value) {
            None => own.push(entry),
            Some(at) => {
                let own = &mut own[*at].value;
                if let (Value::Map(_), Value::Map(entries)) = (&own.value, entry.value.value) {
                    merge_entries(own, entries);
                }
            }
        }
    }
}

/// Applies the `Append` of a document and removes it together with `Extends`. False if `Append` is invalid.
/// Problems are reported.
fn apply_append(document: &mut Node, sink: &mut Sink) -> bool {
    let Value::Map(entries) = &mut document.value else { return true };
    let append = entries.iter().position(|entry| entry.key.value == APPEND);
    let append = append.map(|at| entries.remove(at).value);
    entries.retain(|entry| entry.key.value != EXTENDS);
    match append {
        None => true,
        Some(Node { value: Value::Map(added), .. }) => append_entries(entries, added, sink),
        Some(other) => {
            sink.push(codes::field::wrong_type(&other, "a mapping from fields to lists of items"));
            false
        }
    }
}

/// Appends lists to the lists of the same keys, at any depth of mappings; missing lists are created. False if
/// a value or its target is not a list, which is reported.
fn append_entries(entries: &mut Vec<Entry>, added: Vec<Entry>, sink: &mut Sink) -> bool {
    let mut is_fine = true;
    for Entry { key, value } in added {
        let place = entries.iter().position(|entry| entry.key.value == key.value);
        match (place, value.value) {
            (None, Value::List(items)) => {
                let value = Node { span: value.span, value: Value::List(items), style: value.style };
                entries.push(Entry { key, value });
            }
            (None, Value::Map(nested)) => {
                let mut own = Vec::new();
                is_fine &= append_entries(&mut own, nested, sink);
                let value = Node { span: value.span, value: Value::Map(own), style: value.style };
                entries.push(Entry { key, value });
            }
            (Some(at), added) => match (&mut entries[at].value.value, added) {
                (Value::List(items), Value::List(added)) => items.extend(added),
                (Value::Map(own), Value::Map(nested)) => is_fine &= append_entries(own, nested, sink),
                (Value::List(_), _) => {
                    sink.push(codes::format::append_without_list(&key));
                    is_fine = false;
                }
                _ => {
                    sink.push(codes::format::append_to_non_list(&key, &entries[at].value.describe()));
                    is_fine = false;
                }
            },
            (None, _) => {
                sink.push(codes::format::append_without_list(&key));
                is_fine = false;
            }
        }
    }
    is_fine
}
