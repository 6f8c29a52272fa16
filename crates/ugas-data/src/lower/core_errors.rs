//! Conversion of the core's errors to diagnostics at positions in files.

use std::collections::BTreeMap;

use ugas_core::ability::ParameterFault;
use ugas_core::attribute::AttributeSetError;
use ugas_core::catalog::{DefinitionError, DefinitionKind, Problem};
use ugas_core::curve::CurveError;
use ugas_core::expr::{ExprErrorKind, NameKind};

use crate::check::{Scope, Unresolved, soften};
use crate::decode::{ReferenceKind, TagRole};
use crate::diagnostics::{Diagnostic, Sink, codes};
use crate::model::{Document, Model};
use crate::node::{Node, byte_in_file};
use crate::source::{SourceMap, Span, Spanned};

/// Nodes of all definitions by kind and name. Several sets may have an attribute of the same name.
#[derive(Default)]
pub(crate) struct DefinitionNodes<'a> {
    nodes: BTreeMap<(DefinitionKind, &'a str), Vec<&'a Node>>,
}

impl<'a> DefinitionNodes<'a> {
    /// Collects the definitions of all documents by kind and name, so that errors of the core, which name a
    /// definition, can point into its file.
    pub(crate) fn new(documents: &'a [Document]) -> Self {
        let mut nodes = Self::default();
        for document in documents {
            let node = &document.node;
            let kind = match &document.model {
                Model::Attribute(_) => DefinitionKind::Attribute,
                Model::AttributeSet(_) => {
                    let attributes = node.get("Attributes").map(Node::items).unwrap_or_default();
                    nodes.add_all(DefinitionKind::Attribute, attributes);
                    DefinitionKind::AttributeSet
                }
                Model::Effect(_) => DefinitionKind::Effect,
                Model::Ability(_) => DefinitionKind::Ability,
                Model::Controller(doc) => {
                    // The name may be missing in the document itself.
                    if let Some(name) = &doc.name {
                        nodes.add(DefinitionKind::Template, &name.value, node);
                    }
                    continue;
                }
                Model::Library(_) => {
                    let list = |key: &str| node.get(key).map(Node::items).unwrap_or_default();
                    nodes.add_all(DefinitionKind::Curve, list("Curves"));
                    nodes.add_all(DefinitionKind::Calculation, list("Calculations"));
                    nodes.add_all(DefinitionKind::AbilitySet, list("AbilitySets"));
                    nodes.add_all(DefinitionKind::Container, list("EffectContainers"));
                    continue;
                }
                _ => continue,
            };
            nodes.add_all(kind, std::slice::from_ref(node));
        }
        nodes
    }

    /// Adds the nodes that have a `Name`.
    fn add_all(&mut self, kind: DefinitionKind, nodes: &'a [Node]) {
        for node in nodes {
            if let Some(name) = node.get("Name").and_then(Node::text) {
                self.add(kind, name, node);
            }
        }
    }

    /// Adds a node under its kind and name.
    fn add(&mut self, kind: DefinitionKind, name: &'a str, node: &'a Node) {
        self.nodes.entry((kind, name)).or_default().push(node);
    }

    /// Value of a parameter of the ability that an error refers to; `None` if the file does not have it.
    fn parameter(&self, error: &DefinitionError, name: &str) -> Option<&'a Node> {
        let nodes = self.nodes.get(&(error.kind, error.name.as_str()))?;
        nodes.first()?.get("Parameters")?.get(name)
    }

    /// Node that an error refers to; `None` if the definition is not from a file. Of several attributes with
    /// the name, it is the one with the expression of the error, else the first.
    fn find(&self, error: &DefinitionError) -> Option<&'a Node> {
        let nodes = self.nodes.get(&(error.kind, error.name.as_str()))?;
        if let Problem::Expression { text, .. } = &error.problem
            && let Some(node) =
                nodes.iter().map(|node| node.at_path(&error.path)).find(|node| node.text() == Some(text))
        {
            return Some(node);
        }
        let node = nodes.first()?;
        if error.kind == DefinitionKind::Template {
            return Some(template_path(node, &error.path));
        }
        Some(node.at_path(&error.path))
    }
}

/// Node at a path of a template definition, whose field names differ from those in files.
fn template_path<'a>(node: &'a Node, path: &str) -> &'a Node {
    if let Some(name) = path.strip_prefix("Base.") {
        let sets = node.get("AttributeSets").map(Node::items).unwrap_or_default();
        let attributes =
            sets.iter().flat_map(|set| set.get("Attributes").map(Node::items).unwrap_or_default());
        let mut names = attributes.filter_map(|attribute| attribute.get("Name"));
        return names.find(|found| found.text() == Some(name)).unwrap_or(node);
    }
    let path = path.replace("Tags[", "OwnedTags[");
    node.at_path(&path)
}

/// Reports an error of the core, unless the checks have reported it already. Unknown names in expressions of
/// a single file are notes, and are added to `unresolved`.
pub(crate) fn report(
    map: &SourceMap,
    nodes: &DefinitionNodes<'_>,
    error: &DefinitionError,
    scope: Scope,
    unresolved: &mut Unresolved,
    sink: &mut Sink,
) {
    let Some(node) = nodes.find(error) else {
        let is_ours = matches!(
            error.problem,
            Problem::Unknown { .. }
                | Problem::Unlisted { .. }
                | Problem::TagName(_)
                | Problem::EmptyName
                | Problem::Duplicate(_)
        );
        if error.kind == DefinitionKind::Tag || (is_ours && error.kind != DefinitionKind::Calculation) {
            return;
        }
        return sink.push(codes::pack::host_definition(Span::default(), error.to_string()));
    };
    // A tag that the registry does not have is reported at the parameter itself.
    if let Some(name) = wrong_parameter(&error.problem)
        && nodes.parameter(error, name).is_some_and(|value| sink.has("UG025", value.span))
    {
        return;
    }
    let span = node.head();
    let diagnostic = match &error.problem {
        // Reported by the checks, with the position of the name itself.
        Problem::Unknown { .. }
        | Problem::Unlisted { .. }
        | Problem::TagName(_)
        | Problem::EmptyName
        | Problem::EmptyMagnitude
        | Problem::RemovesNothing
        | Problem::DespawnsNothing
        | Problem::UnusableQuantize { .. }
        | Problem::Duplicate(_) => return,
        Problem::Parameter(fault) => {
            let diagnostic = parameter(fault, node.span);
            if sink.has(diagnostic.code, diagnostic.span) {
                return;
            }
            diagnostic
        }
        Problem::NotFinite(_) => codes::value_range::not_finite(span),
        // A magnitude without its expression is reported as such.
        Problem::Expression { text, .. } if text.is_empty() && node.text().is_none() => return,
        Problem::Expression { error, .. } => {
            let source = map.file(node.span.file).map(|file| file.text()).unwrap_or_default();
            let start = byte_in_file(source, node, error.span.start as usize);
            let end = byte_in_file(source, node, error.span.end as usize).max(start);
            let diagnostic =
                expression(&error.kind, Span::new(node.span.file, start, end), scope, unresolved);
            // The checks parse the expressions of tasks too, because the core skips tasks with invalid
            // parameters.
            if sink.has(diagnostic.code, diagnostic.span) {
                return;
            }
            diagnostic
        }
        Problem::Curve(curve) => {
            let at = match curve {
                CurveError::NotFinite { index, .. } | CurveError::NotIncreasing { index, .. } => {
                    node.at_path(&format!("Points[{index}]")).head()
                }
                _ => node.get("Points").map_or(span, |points| points.span),
            };
            let message = curve.to_string();
            codes::value_range::faulty_curve(at, message.split_once("; ").map_or(&message, |(what, _)| what))
        }
        Problem::LayerOutOfRange(layer) => {
            codes::value_range::out_of_range(span, f64::from(*layer), "a whole number from 0 to 9")
        }
        Problem::PeriodNotPositive => codes::value_range::period_not_positive(span),
        Problem::PeriodOnInstant => codes::effect::period_on_instant(span),
        Problem::StackingWithPolicy => codes::effect::stacking_with_policy(span),
        Problem::StackingOnInstant => codes::effect::stacking_on_instant(span),
        Problem::Cycle(cycle) | Problem::AttributeSets(AttributeSetError::Cycle { cycle }) => {
            codes::cycle::attributes(span, cycle)
        }
        Problem::AttributeSets(sets) => {
            soften(codes::attribute::incompatible_sets(span, sets.to_string()), scope)
        }
        Problem::DerivedBase(attribute) => codes::attribute::base_of_derived(span, attribute),
        problem @ Problem::NotInSets { .. } => {
            soften(codes::attribute::incompatible_sets(span, problem.to_string()), scope)
        }
        Problem::EmptyCalculation => codes::attribute::empty_calculation(span),
        Problem::WrongCalculation { .. } => {
            codes::attribute::calculation_misused(span, &error.problem.to_string())
        }
        Problem::UnknownVariable { .. } => {
            codes::attribute::unknown_variable(span, &error.problem.to_string())
        }
        Problem::WaitWithoutInstance | Problem::NoCharges | Problem::RechargeNotPositive => {
            codes::ability::contradictory(span, &error.problem.to_string())
        }
        Problem::Targeting(problem) => {
            codes::value_range::out_of_range(span, problem.value, "a finite number of at least 0")
        }
        Problem::TasksTooDeep | Problem::QueryTooDeep => codes::pack::nested_too_deeply(span, 64),
        Problem::RandomNotAvailable | Problem::NotAvailable(_) => {
            codes::attribute::not_available_in_derived(span, &error.problem.to_string())
        }
        other => codes::pack::host_definition(span, other.to_string()),
    };
    sink.push(diagnostic);
}

/// Name of the parameter, if the problem is a parameter of the wrong type; else `None`.
fn wrong_parameter(problem: &Problem) -> Option<&str> {
    let fault = match problem {
        Problem::Parameter(fault) => fault,
        Problem::Expression { error, .. } => match &error.kind {
            ExprErrorKind::Parameter(fault) => fault,
            _ => return None,
        },
        _ => return None,
    };
    match fault {
        ParameterFault::WrongType { name, .. } => Some(name),
        _ => None,
    }
}

/// Diagnostic for the misuse of a parameter of an ability (A18).
fn parameter(fault: &ParameterFault, span: Span) -> Diagnostic {
    let named = |name: &str| Spanned { value: name.to_owned(), span };
    match fault {
        ParameterFault::Unknown { name, nearest } => {
            codes::unknown_name::parameter(&named(name), nearest.as_deref())
        }
        ParameterFault::WrongType { name, expected, found } => {
            codes::ability::wrong_parameter_type(&named(name), &found.to_string(), &expected.to_string())
        }
        ParameterFault::Fixed { name, found } => {
            codes::ability::fixed_parameter(&named(name), &found.to_string())
        }
        _ => codes::unknown_name::parameter_outside_ability(span),
    }
}

/// Diagnostic for an error of an expression. An unknown attribute or tag is added to `unresolved`, and is
/// only a note for a single file.
fn expression(kind: &ExprErrorKind, span: Span, scope: Scope, unresolved: &mut Unresolved) -> Diagnostic {
    if let ExprErrorKind::Parameter(fault) = kind {
        return parameter(fault, span);
    }
    let ExprErrorKind::UnknownName { kind: named, name, nearest } = kind else {
        return codes::attribute::expression_error(span, kind.to_string());
    };
    let spanned = Spanned { value: name.clone(), span };
    let (reference, diagnostic) = match named {
        NameKind::Attribute => {
            (ReferenceKind::Attribute, codes::unknown_name::attribute(&spanned, nearest.as_deref()))
        }
        NameKind::Tag => {
            (ReferenceKind::Tag(TagRole::Asked), codes::unknown_name::tag(&spanned, nearest.as_deref()))
        }
        _ => return codes::attribute::expression_error(span, kind.to_string()),
    };
    unresolved.names.insert((reference, name.clone()));
    soften(diagnostic, scope)
}
