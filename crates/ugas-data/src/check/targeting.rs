//! Targeting: measures that a method needs, and native filters.

use std::collections::BTreeSet;

use crate::decode::Word;
use crate::diagnostics::{Sink, codes};
use crate::lower::targeting::method;
use crate::model::ability::{TargetingDoc, TargetingMethod};
use crate::model::{Document, Model};
use crate::node::Node;

/// Checks that the targeting method has the measure that it needs. It also reports fields of a chain on
/// another method.
pub(super) fn check(doc: &TargetingDoc, sink: &mut Sink) {
    let method = method(doc);
    if method != TargetingMethod::Chain {
        let of_chain = [("Jumps", doc.jumps.is_some()), ("Repeat", doc.repeat.is_some())];
        for (field, _) in of_chain.into_iter().filter(|(_, is_given)| *is_given) {
            sink.push(codes::no_effect::chain_field(doc.span, method.word(), field));
        }
    }
    let needs: &[&str] = match method {
        TargetingMethod::Cone => &["HalfAngleDeg"],
        TargetingMethod::Line => &["Width"],
        TargetingMethod::Box => &["HalfExtents"],
        TargetingMethod::Chain => &["Jumps", "Radius"],
        TargetingMethod::SelfOnly
        | TargetingMethod::ActivationTarget
        | TargetingMethod::Nearest
        | TargetingMethod::Radius => return,
    };
    for field in needs.iter().filter(|field| !doc.has(field)) {
        let span = doc.method.as_ref().map_or(doc.span, |method| method.0.span);
        sink.push(codes::effect::shape_without_size(span, method.word(), field));
    }
}

/// Native filters that documents refer to. Unregistered ones are reported. Each name is reported once.
/// Documents that could not be decoded in full are skipped.
pub(crate) fn target_filters<'a>(
    documents: &'a [Document],
    registered: &BTreeSet<String>,
    sink: &mut Sink,
) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for document in documents {
        if matches!(document.model, Model::Ability(_) | Model::Library(_)) && document.is_clean {
            collect(&document.node, registered, &mut names, sink);
        }
    }
    names
}

/// Collects the `CustomFilter` of every `Targeting` in a tree, at any depth.
fn collect<'a>(
    node: &'a Node,
    registered: &BTreeSet<String>,
    names: &mut BTreeSet<&'a str>,
    sink: &mut Sink,
) {
    for entry in node.entries() {
        let filter = entry.value.get("CustomFilter").filter(|_| entry.key.value == "Targeting");
        if let Some(node) = filter
            && let Some(name) = node.text()
            && names.insert(name)
            && !registered.contains(name)
        {
            let value = name.to_owned();
            sink.push(codes::unknown_name::target_filter(&crate::source::Spanned { value, span: node.span }));
        }
        collect(&entry.value, registered, names, sink);
    }
    for item in node.items() {
        collect(item, registered, names, sink);
    }
}
