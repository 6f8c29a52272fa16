//! References must resolve, and tags must be valid.

use std::collections::BTreeSet;

use ugas_core::ability::asked_parameter;
use ugas_core::catalog::DefinitionKind;
use ugas_core::expr::names::EVENT_PAYLOAD;
use ugas_core::expr::{Ast, NameKind};
use ugas_core::nearest::nearest;
use ugas_core::tag::{MAX_RECOMMENDED_DEPTH, check_tag_name};

use super::{Index, Scope, tasks};
use crate::decode::{Formula, NamedMap, ParameterValue, ReferenceKind, TagRole, Visitor};
use crate::diagnostics::{Diagnostic, Severity, Sink, codes};
use crate::model::{Document, Model, Name};
use crate::node::byte_in_file;
use crate::source::{SourceMap, Span, Spanned};

/// Constructor of the diagnostic for an unknown name, given the nearest known one.
type ReportUnknown = fn(&Spanned<String>, Option<&str>) -> Diagnostic;

/// Finder of the nearest known names with a budget of comparisons: a hostile pack may have as many unknown
/// names as known ones, and each pair would be compared.
struct Hints {
    comparisons_left: usize,
}

impl Default for Hints {
    fn default() -> Self {
        Self { comparisons_left: 10_000_000 }
    }
}

impl Hints {
    /// Nearest of the known names, for a "did you mean". `count` is the number of known names, which is
    /// subtracted from the budget; `None` if no name is near or the budget is used up.
    fn nearest<'n>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
        count: usize,
    ) -> Option<&'n str> {
        self.comparisons_left = self.comparisons_left.checked_sub(count)?;
        nearest(name, known)
    }
}

/// Meaning of the names in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NamesIn {
    /// Attributes and tags of the pack.
    Pack,
    /// Also intermediate results of a calculation, so that an unknown name is no error.
    MayBeLocal,
    /// Parameters of the ability alone: the core checks the other names.
    ParametersOnly,
}

/// Names that a single file uses and does not define. They get stand-ins, so that the rest can be checked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unresolved {
    pub(crate) names: BTreeSet<(ReferenceKind, String)>,
}

/// Checks every reference of every document. It also checks tags, tasks, task flow and expressions, and
/// returns the names that the documents use and do not define.
pub(super) fn check(
    map: &SourceMap,
    documents: &[Document],
    index: &Index<'_>,
    scope: Scope,
    sink: &mut Sink,
) -> Unresolved {
    let mut checker = Checker::new(map, index, scope, sink);
    for document in documents {
        if let Model::Tags(doc) = &document.model {
            for tag in doc.tags.iter().filter_map(|tag| tag.tag.as_deref()) {
                checker.tag_name(tag);
            }
        }
    }
    for document in documents {
        // The core never sees a document that could not be decoded in full.
        checker.expressions = match &document.model {
            _ if document.is_clean => None,
            Model::Library(_) => Some(NamesIn::MayBeLocal),
            _ => Some(NamesIn::Pack),
        };
        checker.parameters = match &document.model {
            Model::Ability(doc) => Some(doc.parameters.as_ref()),
            _ => None,
        };
        checker.numbers = match &document.model {
            Model::Ability(doc) => tasks::numbers(doc, index),
            _ => None,
        };
        document.model.visit(&mut checker);
        if let Model::Ability(doc) = &document.model {
            tasks::check(&doc.tasks, &mut checker);
            super::task_flow::check(doc, checker.sink);
            if document.is_clean {
                for (_, formula) in doc.set_by_caller.iter().flat_map(|numbers| &numbers.0) {
                    tasks::expression(
                        &formula.node(),
                        &formula.text.value,
                        NamesIn::ParametersOnly,
                        &mut checker,
                    );
                }
            }
        }
        (checker.parameters, checker.numbers) = (None, None);
    }
    if index.tags.is_none()
        && scope == Scope::Set
        && let Some(span) = checker.first_tag
    {
        checker.sink.push(codes::naming::no_tag_registry(span, checker.used_tags.len()));
    }
    checker.unresolved
}

/// Reports uses of curves and calculations that nothing provides. `missing` are those that the catalog lacks,
/// if it could be built; otherwise those that the files lack.
pub(crate) fn report_missing(
    map: &SourceMap,
    documents: &[Document],
    index: &Index<'_>,
    missing: Option<Vec<(DefinitionKind, &str)>>,
    scope: Scope,
    sink: &mut Sink,
) {
    let missing = missing.map(|missing| missing.into_iter().collect::<BTreeSet<_>>());
    let mut checker = MissingChecker { map, index, missing, scope, sink };
    for document in documents {
        document.model.visit(&mut checker);
    }
}

struct MissingChecker<'s> {
    map: &'s SourceMap,
    index: &'s Index<'s>,
    missing: Option<BTreeSet<(DefinitionKind, &'s str)>>,
    scope: Scope,
    sink: &'s mut Sink,
}

impl<'a> Visitor<'a> for MissingChecker<'_> {
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>) {
        self.name(kind, name);
    }

    /// Checks the curves in an expression, at their positions in the file.
    fn expression(&mut self, formula: &'a Formula) {
        // Errors of the expression are reported elsewhere.
        let curves = Ast::parse(&formula.text.value).into_iter().flat_map(|ast| {
            let curves = ast.names().filter(|name| name.kind == NameKind::Curve);
            curves.map(|curve| (curve.name.to_owned(), curve.span)).collect::<Vec<_>>()
        });
        let (map, node) = (self.map, formula.node());
        let source = map.file(node.span.file).map(|file| file.text()).unwrap_or_default();
        for (value, span) in curves {
            let start = byte_in_file(source, &node, span.start as usize);
            let end = byte_in_file(source, &node, span.end as usize);
            let span = Span::new(node.span.file, start, end.max(start));
            self.name(ReferenceKind::Curve, &Spanned { value, span });
        }
    }
}

impl MissingChecker<'_> {
    /// Reports a curve or calculation that neither the files nor the host provide; other kinds of references
    /// are skipped.
    fn name(&mut self, kind: ReferenceKind, name: &Spanned<String>) {
        let (definition, defined, host) = match kind {
            ReferenceKind::Curve => (DefinitionKind::Curve, &self.index.curves, &self.index.host_curves),
            ReferenceKind::Calculation => {
                (DefinitionKind::Calculation, &self.index.calculations, &self.index.host_calculations)
            }
            _ => return,
        };
        let value = name.value.as_str();
        let is_missing = match &self.missing {
            // The catalog lists only names that its own definitions use.
            Some(missing) => missing.contains(&(definition, value)),
            None => !defined.contains_key(value),
        };
        if !is_missing || defined.contains_key(value) || host.contains(value) {
            return;
        }
        let nearest = nearest(value, defined.keys().copied().chain(host.iter().copied()));
        let diagnostic = match kind {
            ReferenceKind::Curve => codes::unknown_name::curve(name, nearest),
            _ => codes::unknown_name::calculation(name, nearest),
        };
        self.sink.push(soften(diagnostic, self.scope));
    }
}

/// Lowers the diagnostic of an unresolved name to a note if only a single file is checked: another file may
/// define it.
pub(crate) fn soften(diagnostic: Diagnostic, scope: Scope) -> Diagnostic {
    match scope {
        Scope::Set => diagnostic,
        Scope::SingleFile => {
            let help = format!("{}; fine if another file of the pack has it", diagnostic.help);
            diagnostic.severity(Severity::Note).help(help)
        }
    }
}

pub(super) struct Checker<'s> {
    pub(super) map: &'s SourceMap,
    pub(super) index: &'s Index<'s>,
    pub(super) scope: Scope,
    pub(super) sink: &'s mut Sink,
    unresolved: Unresolved,
    deep_tags: BTreeSet<String>,
    used_tags: BTreeSet<String>,
    first_tag: Option<Span>,
    /// Parameters of the ability that is being checked (A18); `None` outside of abilities.
    parameters: Option<Option<&'s NamedMap<Name, ParameterValue>>>,
    /// Numbers that expressions of the ability can read; `None` outside of abilities, and if any name is
    /// possible.
    numbers: Option<BTreeSet<&'s str>>,
    /// How the expressions of this document are checked; `None` if the core checks them.
    expressions: Option<NamesIn>,
    hints: Hints,
}

impl<'s> Checker<'s> {
    /// Creates a checker outside of any ability.
    pub(super) fn new(map: &'s SourceMap, index: &'s Index<'s>, scope: Scope, sink: &'s mut Sink) -> Self {
        Self {
            map,
            index,
            scope,
            sink,
            unresolved: Unresolved::default(),
            deep_tags: BTreeSet::new(),
            used_tags: BTreeSet::new(),
            first_tag: None,
            parameters: None,
            numbers: None,
            expressions: None,
            hints: Hints::default(),
        }
    }

    /// Checks a name as a reference of this kind. An unknown name is reported with the nearest known one, and
    /// is added to the unresolved names. Curves and calculations are skipped here.
    pub(super) fn name(&mut self, kind: ReferenceKind, name: &Spanned<String>) {
        let index = self.index;
        let value = name.value.as_str();
        let (names, report): (_, ReportUnknown) = match kind {
            ReferenceKind::Tag(role) => return self.tag(role, name),
            // Curves and calculations may come from the host; see `report_missing`.
            ReferenceKind::Curve | ReferenceKind::Calculation => return,
            // Ids of draft 1 are free; once there are actions, they are the ids.
            ReferenceKind::InputAction if index.actions.is_empty() => return,
            ReferenceKind::Attribute => (&index.attributes, codes::unknown_name::attribute),
            ReferenceKind::AttributeSet => (&index.sets, codes::unknown_name::attribute_set),
            ReferenceKind::Effect => (&index.effects, codes::unknown_name::effect),
            ReferenceKind::Ability => (&index.abilities, codes::unknown_name::ability),
            ReferenceKind::InputAction => (&index.actions, codes::unknown_name::input_action),
            ReferenceKind::ActionSet => (&index.action_sets, codes::unknown_name::input_action_set),
            ReferenceKind::InputModifier => (&index.input_modifiers, codes::unknown_name::input_modifier),
            ReferenceKind::Scene => (&index.scenes, codes::unknown_name::scene),
            ReferenceKind::Template => (&index.templates, codes::unknown_name::controller_template),
            ReferenceKind::SpawnedTemplate => (&index.templates, codes::unknown_name::spawned_template),
            ReferenceKind::Container => (&index.containers, codes::unknown_name::effect_container),
        };
        if !names.contains_key(value) {
            let nearest = self.hints.nearest(value, names.keys().copied(), names.len());
            self.sink.push(soften(report(name, nearest), self.scope));
            self.unresolved.names.insert((kind, name.value.clone()));
        }
    }

    /// Checks a tag: its name, its reserved prefix, and that the registry has it, if there is one.
    /// `ParamTag(...)` is checked as a parameter of the ability instead.
    fn tag(&mut self, role: TagRole, tag: &Spanned<String>) {
        if let Some(name) = asked_parameter(&tag.value) {
            return self.param_tag(role, &Spanned { value: name.to_owned(), span: tag.span });
        }
        if !self.tag_name(tag) {
            return;
        }
        self.first_tag.get_or_insert(tag.span);
        if !self.used_tags.contains(&tag.value) {
            self.used_tags.insert(tag.value.clone());
        }
        self.reserved(role, tag);
        if let Some(tags) = &self.index.tags
            && !tags.contains(tag.value.as_str())
        {
            let nearest = self.hints.nearest(&tag.value, tags.iter().copied(), tags.len());
            self.sink.push(soften(codes::unknown_name::tag(tag, nearest), self.scope));
            self.unresolved.names.insert((ReferenceKind::Tag(TagRole::Asked), tag.value.clone()));
        }
    }

    /// Checks a `ParamTag`: the parameter `name` of the ability must hold a tag (A18).
    pub(super) fn param_tag(&mut self, role: TagRole, name: &Spanned<String>) {
        let Some(parameters) = self.parameters else {
            return self.sink.push(codes::unknown_name::parameter_outside_ability(name.span));
        };
        let known = || parameters.iter().flat_map(|parameters| &parameters.0);
        let Some((_, value)) = known().find(|(known, _)| known.value == name.value) else {
            let nearest = nearest(&name.value, known().map(|(known, _)| known.value.as_str()));
            return self.sink.push(codes::unknown_name::parameter(name, nearest));
        };
        match value {
            ParameterValue::Text(text) if check_tag_name(&text.value).is_ok() => {
                let tag = Spanned { value: text.value.clone(), span: text.span };
                if !self.sink.has("UG025", tag.span) {
                    self.tag(role, &tag);
                }
            }
            ParameterValue::Text(_) => {
                self.sink.push(codes::ability::wrong_parameter_type(name, "a text", "a tag"))
            }
            ParameterValue::Number(_) => {
                self.sink.push(codes::ability::wrong_parameter_type(name, "a number", "a tag"))
            }
            ParameterValue::Flag(_) => {
                self.sink.push(codes::ability::wrong_parameter_type(name, "a boolean", "a tag"))
            }
        }
    }

    /// Type of a parameter that the definition fixes, in words: a tag or a text (A18). `None` for numbers and
    /// booleans, which tasks can change, and for unknown parameters.
    pub(super) fn fixed_parameter(&self, name: &str) -> Option<&'static str> {
        let parameters = self.parameters.flatten()?;
        match parameters.0.iter().find(|(known, _)| known.value == name)?.1 {
            ParameterValue::Text(ref text) if self.index.is_tag(&text.value) => Some("a tag"),
            ParameterValue::Text(_) => Some("a text"),
            ParameterValue::Number(_) | ParameterValue::Flag(_) => None,
        }
    }

    /// Reports a parameter that an expression reads as a number but that the definition fixes as a tag or a
    /// text.
    pub(super) fn number_param(&mut self, name: &Spanned<String>) {
        if let Some(found) = self.fixed_parameter(&name.value) {
            self.sink.push(codes::ability::wrong_parameter_type(name, found, "a number"));
        }
    }

    /// Reports a number that nothing provides to the ability (A18). Abilities that inherit tasks share them,
    /// so each place is reported once.
    pub(super) fn known_number(&mut self, name: &Spanned<String>) {
        let Some(numbers) = &self.numbers else { return };
        let is_known = numbers.contains(name.value.as_str()) || name.value.starts_with(EVENT_PAYLOAD);
        if !is_known && !self.sink.has("UG164", name.span) {
            let nearest = self.hints.nearest(&name.value, numbers.iter().copied(), numbers.len());
            self.sink.push(codes::unknown_name::number_parameter(name, nearest));
        }
    }

    /// Reports an invalid tag name; true if the name is valid. Valid names with too many levels are also
    /// reported, each tag once.
    fn tag_name(&mut self, tag: &Spanned<String>) -> bool {
        if let Err(error) = check_tag_name(&tag.value) {
            let quoted = self.map.text(tag.span).starts_with(['"', '\'']);
            let start = tag.span.start.saturating_add(error.offset as u32 + u32::from(quoted));
            let span = Span { start: start.min(tag.span.end), ..tag.span };
            self.sink.push(codes::naming::invalid_tag(span, &error));
            return false;
        }
        let levels = tag.value.split('.').count();
        if levels > MAX_RECOMMENDED_DEPTH as usize && self.deep_tags.insert(tag.value.clone()) {
            self.sink.push(codes::naming::tag_too_deep(tag, levels));
        }
        true
    }

    /// Reports a tag whose prefix is reserved for another role (§7.1).
    fn reserved(&mut self, role: TagRole, tag: &Spanned<String>) {
        let prefix = tag.value.split('.').next().unwrap_or_default();
        let misuse = match (role, prefix) {
            (TagRole::Cue, "GameplayCue") => return,
            (TagRole::Cue, _) => {
                ("is not under `GameplayCue`, so no cue manager hears it", "use a tag under `GameplayCue`")
            }
            (TagRole::Ability, "Cooldown" | "GameplayCue" | "State") => {
                ("does not classify an ability: its prefix is reserved", "use a tag under `Ability`")
            }
            (TagRole::Data, "GameplayCue" | "Cooldown" | "State") => {
                ("is the key of a number, and its prefix is reserved", "use a tag such as `Data.Damage`")
            }
            _ => return,
        };
        self.sink.push(codes::naming::reserved_prefix(tag, misuse.0, misuse.1));
    }
}

impl<'a> Visitor<'a> for Checker<'_> {
    fn reference(&mut self, kind: ReferenceKind, name: &'a Spanned<String>) {
        self.name(kind, name);
    }

    /// Checks an expression of a document that the core never sees; the core checks all others.
    fn expression(&mut self, formula: &'a Formula) {
        if let Some(names) = self.expressions {
            tasks::expression(&formula.node(), &formula.text.value, names, self);
        }
    }
}
