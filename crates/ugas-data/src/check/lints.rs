//! Advice that can be silenced.

use std::collections::BTreeSet;

use ugas_core::expr::{Ast, NameKind};

use super::{Index, Scope};
use crate::decode::{Formula, ReferenceKind, Visitor};
use crate::diagnostics::{Sink, codes};
use crate::model::attribute::AttributeDoc;
use crate::model::{Document, Model};
use crate::node::Node;
use crate::source::Spanned;

/// Cooldown effects that abilities add tags of their own to: they do something, if not by themselves.
fn shared_cooldowns(documents: &[Document]) -> BTreeSet<&str> {
    let abilities = documents.iter().filter_map(|document| match &document.model {
        Model::Ability(doc) if !doc.cooldown_tags.is_empty() => doc.cooldown.as_ref(),
        _ => None,
    });
    abilities.map(|name| name.value.as_str()).collect()
}

/// Looks at all documents.
pub(super) fn check(documents: &[Document], index: &Index<'_>, scope: Scope, sink: &mut Sink) {
    let mut used = Used::default();
    let shared = shared_cooldowns(documents);
    for document in documents {
        document.model.visit(&mut used);
        match &document.model {
            Model::Ability(doc) => {
                for params in doc.tasks.iter().filter_map(|task| task.params.as_ref()) {
                    used.params(&params.0);
                }
                let blocked = doc
                    .tags
                    .as_ref()
                    .is_some_and(|tags| !tags.blocked.is_empty() || !tags.blocked_by.is_empty());
                if let (false, Some(name)) = (blocked, &doc.name) {
                    sink.push(codes::ug091::never_blocked(name.span, &name.value));
                }
            }
            Model::Effect(doc) => {
                if let (false, Some(name)) = (doc.does_something(), &doc.name)
                    && document.is_clean
                    && !shared.contains(name.value.as_str())
                {
                    sink.push(codes::ug092::does_nothing(name.span, &name.value));
                }
            }
            _ => {}
        }
    }
    // A single file, or a pack without effects, says nothing about use.
    if scope == Scope::SingleFile || index.effects.is_empty() {
        return;
    }
    let mut unused = |doc: &AttributeDoc| {
        if let Some(name) = &doc.name
            && !used.attributes.contains(&name.value)
            && doc.derived_from.is_none()
        {
            sink.push(codes::ug090::unused(name));
        }
    };
    for document in documents {
        match &document.model {
            Model::Attribute(doc) => unused(doc),
            Model::AttributeSet(doc) => {
                doc.attributes.iter().flat_map(|list| list.iter()).for_each(&mut unused);
            }
            _ => {}
        }
    }
}

/// Attributes that something mentions.
#[derive(Default)]
struct Used {
    attributes: BTreeSet<String>,
}

impl Used {
    fn text(&mut self, text: &str) {
        let names = Ast::parse(text).ok();
        for name in names.iter().flat_map(Ast::names).filter(|name| name.kind == NameKind::Attribute) {
            self.attributes.insert(name.name.to_owned());
        }
    }

    fn params(&mut self, node: &Node) {
        if let Some(text) = node.text() {
            self.text(text);
        }
        node.entries().iter().for_each(|entry| self.params(&entry.value));
        node.items().iter().for_each(|item| self.params(item));
    }
}

impl<'a> Visitor<'a> for Used {
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>) {
        if kind == ReferenceKind::Attribute && !self.attributes.contains(&name.value) {
            self.attributes.insert(name.value.clone());
        }
    }

    fn expression(&mut self, formula: &'a Formula) {
        self.text(&formula.text.value);
    }
}
