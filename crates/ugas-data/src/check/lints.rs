//! Lints: advice that can be silenced.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::attribute::AttributeReplication;
use ugas_core::expr::{Ast, NameKind};

use super::{Index, Scope};
use crate::decode::{Formula, ReferenceKind, Visitor, Word};
use crate::diagnostics::{Sink, codes};
use crate::model::attribute::AttributeDoc;
use crate::model::{Document, Model};
use crate::node::Node;
use crate::source::Spanned;

/// Cooldown effects whose tags come from abilities (`CooldownTags`), so that they are not without effect.
fn shared_cooldowns(documents: &[Document]) -> BTreeSet<&str> {
    let abilities = documents.iter().filter_map(|document| match &document.model {
        Model::Ability(doc) if !doc.cooldown_tags.is_empty() => doc.cooldown.as_ref(),
        _ => None,
    });
    abilities.map(|name| name.value.as_str()).collect()
}

/// Reports abilities that nothing blocks, effects that do nothing, attributes whose sets disagree, and
/// attributes that nothing uses. Unused attributes are checked only for a whole pack with effects.
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
                    sink.push(codes::lint::ability_never_blocked(name.span, &name.value));
                }
            }
            Model::Effect(doc) => {
                if let (false, Some(name)) = (doc.does_something(), &doc.name)
                    && document.is_clean
                    && !shared.contains(name.value.as_str())
                {
                    sink.push(codes::lint::effect_does_nothing(name.span, &name.value));
                }
            }
            _ => {}
        }
    }
    disagreements(documents, sink);
    // A single file, or a pack without effects, does not show which attributes are used.
    if scope == Scope::SingleFile || index.effects.is_empty() {
        return;
    }
    let mut unused = |doc: &AttributeDoc| {
        if let Some(name) = &doc.name
            && !used.attributes.contains(&name.value)
            && doc.derived_from.is_none()
        {
            sink.push(codes::lint::unused_attribute(name));
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

/// Reports attributes of the same name whose sets disagree about who receives them (N1), or how they are
/// rounded (N2). Each is compared with the first attribute of the name.
fn disagreements(documents: &[Document], sink: &mut Sink) {
    let mut first: BTreeMap<&str, (&str, &AttributeDoc)> = BTreeMap::new();
    for document in documents {
        let Model::AttributeSet(set) = &document.model else { continue };
        let Some(set_name) = &set.name else { continue };
        for doc in set.attributes.iter().flat_map(|list| list.iter()) {
            let Some(name) = &doc.name else { continue };
            let (other_set, other) = *first.entry(&name.value).or_insert((&set_name.value, doc));
            let (mode, other_mode) = (mode_of(doc), mode_of(other));
            if mode != other_mode {
                let span = doc.replication.as_ref().map_or(name.span, |mode| mode.0.span);
                let (here, there) = ((&*set_name.value, mode.word()), (other_set, other_mode.word()));
                sink.push(codes::attribute::replication_modes_differ(span, &name.value, here, there));
            }
            if quantisation_of(doc) != quantisation_of(other) {
                let span = doc.quantize.as_ref().map_or(name.span, |quantize| quantize.span);
                sink.push(codes::attribute::quantisation_differs(
                    span,
                    &name.value,
                    &set_name.value,
                    other_set,
                ));
            }
        }
    }
}

/// Replication mode of an attribute, with the default if it has none.
fn mode_of(doc: &AttributeDoc) -> AttributeReplication {
    doc.replication.as_ref().map(|mode| mode.0.value).unwrap_or_default()
}

/// Minimum, maximum and bits of the quantisation; `None` if the attribute has none or it is incomplete.
fn quantisation_of(doc: &AttributeDoc) -> Option<[f64; 3]> {
    let quantize = doc.quantize.as_ref()?;
    let (min, max) = (quantize.min.as_ref()?.0.value, quantize.max.as_ref()?.0.value);
    Some([min, max, quantize.bits.as_ref()?.0.value as f64])
}

/// Attributes that the pack uses.
#[derive(Default)]
struct Used {
    attributes: BTreeSet<String>,
}

impl Used {
    /// Adds the attributes in the text of an expression. A text that does not parse adds nothing.
    fn text(&mut self, text: &str) {
        let names = Ast::parse(text).ok();
        for name in names.iter().flat_map(Ast::names).filter(|name| name.kind == NameKind::Attribute) {
            self.attributes.insert(name.name.to_owned());
        }
    }

    /// Adds the attributes named in the parameters of a task: every text at any depth that parses as an
    /// expression counts.
    fn params(&mut self, node: &Node) {
        if let Some(text) = node.text() {
            self.text(text);
        }
        node.entries().iter().for_each(|entry| self.params(&entry.value));
        node.items().iter().for_each(|item| self.params(item));
    }
}

impl<'a> Visitor<'a> for Used {
    /// Notes an attribute that is named by a field.
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>) {
        if kind == ReferenceKind::Attribute && !self.attributes.contains(&name.value) {
            self.attributes.insert(name.value.clone());
        }
    }

    /// Notes the attributes that an expression reads.
    fn expression(&mut self, formula: &'a Formula) {
        self.text(&formula.text.value);
    }
}
