//! Index of all names that documents define; duplicates are reported.

use std::collections::{BTreeMap, BTreeSet};

use ugas_core::catalog::{Catalog, DefinitionKind};
use ugas_core::effect::AUTHORITATIVE_ONLY;
use ugas_core::id::AbilityId;
use ugas_core::tag::check_tag_name;

use crate::diagnostics::{Sink, codes};
use crate::model::effect::EffectDoc;
use crate::model::library::EffectContainerDoc;
use crate::model::pack::PackDoc;
use crate::model::{Document, Model};
use crate::source::{SourceMap, Span, Spanned};

/// Names of one kind with their positions.
pub(crate) type Names<'a> = BTreeMap<&'a str, Span>;

/// Names that a pack defines, by kind.
#[derive(Default)]
pub(crate) struct Index<'a> {
    pub(crate) attributes: Names<'a>,
    /// Attributes that are derived in every set that has them (§6.4).
    pub(crate) derived: BTreeSet<&'a str>,
    pub(crate) sets: Names<'a>,
    pub(crate) effects: Names<'a>,
    pub(crate) abilities: Names<'a>,
    pub(crate) curves: Names<'a>,
    pub(crate) calculations: Names<'a>,
    pub(crate) actions: Names<'a>,
    pub(crate) action_sets: Names<'a>,
    pub(crate) input_modifiers: Names<'a>,
    pub(crate) scenes: Names<'a>,
    pub(crate) templates: Names<'a>,
    pub(crate) containers: Names<'a>,
    pub(crate) ability_sets: Names<'a>,
    /// Registered tags with their parents; `None` without a registry.
    pub(crate) tags: Option<BTreeSet<&'a str>>,
    pub(crate) host_tasks: BTreeSet<&'a str>,
    pub(crate) host_calculations: BTreeSet<&'a str>,
    pub(crate) host_curves: BTreeSet<&'a str>,
    /// Names that `SpawnController` tasks assign with `As` (A17).
    pub(crate) summons: BTreeSet<&'a str>,
    /// Tasks of native code that are registered with the loader.
    pub(crate) custom_tasks: BTreeSet<&'a str>,
    /// Parameters that `Grant` steps of scenarios add, as pairs of ability and name (A18).
    pub(crate) granted_parameters: BTreeSet<(&'a str, &'a str)>,
    /// Target filters that documents refer to, registered or not.
    pub(crate) target_filters: BTreeSet<&'a str>,
    pub(crate) silenced: BTreeSet<String>,
    pub(crate) effect_docs: BTreeMap<&'a str, &'a EffectDoc>,
    pub(crate) container_docs: BTreeMap<&'a str, &'a EffectContainerDoc>,
}

impl<'a> Index<'a> {
    /// Whether a text is a tag: a registered one, or any valid tag name without a registry.
    pub(crate) fn is_tag(&self, text: &str) -> bool {
        check_tag_name(text).is_ok() && self.tags.as_ref().is_none_or(|tags| tags.contains(text))
    }

    /// Collects the names of all documents, and reports duplicate names, second pack documents and invalid
    /// `Silence` entries. The first definition of a name is kept. Native code and target filters are added by
    /// the loader.
    pub(crate) fn new(map: &SourceMap, documents: &'a [Document], sink: &mut Sink) -> Self {
        let mut index = Self::default();
        let mut define = Define { map, sink };
        let mut packs = 0;
        for document in documents {
            match &document.model {
                Model::Effect(doc) => {
                    define.name(&mut index.effects, "effect", doc.name.as_deref());
                    if let Some(name) = &doc.name {
                        index.effect_docs.entry(&name.value).or_insert(doc);
                    }
                }
                Model::Ability(doc) => {
                    define.name(&mut index.abilities, "ability", doc.name.as_deref());
                    index.summons.extend(super::tasks::summon_names(&doc.tasks));
                }
                Model::Controller(doc) => {
                    define.name(&mut index.templates, "controller template", doc.name.as_deref());
                }
                Model::InputAction(doc) => {
                    define.name(&mut index.actions, "input action", doc.name.as_deref())
                }
                Model::InputActionSet(doc) => {
                    define.name(&mut index.action_sets, "input action set", doc.name.as_deref());
                }
                Model::InputModifier(doc) => {
                    define.name(&mut index.input_modifiers, "input modifier", doc.name.as_deref());
                }
                Model::OldInputMapping(doc) => {
                    for action in doc.actions.iter().flat_map(|actions| actions.iter()) {
                        define.name(&mut index.actions, "input action", action.action.as_deref());
                        if let Some(input) = &action.input {
                            index.actions.entry(&input.value).or_insert(input.span);
                        }
                    }
                }
                Model::Scene(doc) => define.name(&mut index.scenes, "scene", doc.name.as_deref()),
                Model::AttributeSet(doc) => {
                    define.name(&mut index.sets, "attribute set", doc.name.as_deref());
                    let mut own = Names::new();
                    for attribute in doc.attributes.iter().flat_map(|attributes| attributes.iter()) {
                        define.name(&mut own, "attribute in this set", attribute.name.as_deref());
                    }
                    for (name, span) in own {
                        index.attributes.entry(name).or_insert(span);
                    }
                }
                Model::Library(doc) => {
                    for curve in doc.curves.iter() {
                        define.name(&mut index.curves, "curve", curve.name.as_deref());
                    }
                    for calculation in doc.calculations.iter() {
                        define.name(&mut index.calculations, "calculation", calculation.name.as_deref());
                    }
                    for set in doc.ability_sets.iter() {
                        define.name(&mut index.ability_sets, "ability set", set.name.as_deref());
                    }
                    for container in doc.containers.iter() {
                        define.name(&mut index.containers, "effect container", container.name.as_deref());
                        if let Some(name) = &container.name {
                            index.container_docs.entry(&name.value).or_insert(container);
                        }
                    }
                }
                Model::Tags(doc) => {
                    let tags = index.tags.get_or_insert_default();
                    for tag in doc.tags.iter().filter_map(|tag| tag.tag.as_deref()) {
                        register(tags, &tag.value);
                    }
                }
                Model::Pack(doc) => {
                    packs += 1;
                    if packs > 1 {
                        define.sink.push(codes::pack::second_pack_file(doc.span));
                    }
                    index.settings(doc, define.sink);
                }
                Model::Scenario(doc) => index.granted_parameters.extend(doc.granted_parameters()),
                Model::Attribute(_) | Model::InputMapping(_) | Model::Unreadable => {}
            }
        }
        // A standalone attribute forms its own set, unless another set has it.
        let mut alone = Names::new();
        for document in documents {
            if let Model::Attribute(doc) = &document.model {
                define.name(&mut alone, "attribute", doc.name.as_deref());
            }
        }
        for (name, span) in alone {
            if !index.attributes.contains_key(name) {
                index.attributes.insert(name, span);
                index.sets.entry(name).or_insert(span);
            }
        }
        if let Some(tags) = &mut index.tags {
            register(tags, AUTHORITATIVE_ONLY);
        }
        index.derived = derived(documents);
        index
    }

    /// Index of a catalog whose documents are not available, for scenarios with the rules of their state. It
    /// has no positions, and no curves, calculations or input names.
    pub(crate) fn of_catalog(catalog: &'a Catalog) -> Self {
        let names = |kind| catalog.names(kind).map(|name| (name, Span::default())).collect();
        let abilities = (0..).map_while(|index| catalog.ability_by_id(AbilityId::from_index(index)));
        let summons = abilities.clone().flat_map(|ability| ability.routine().summon_names());
        let host_tasks = abilities.map(|ability| ability.routine()).flat_map(|routine| {
            let steps = (0..).take(routine.len());
            let of_host = steps.filter(|step| routine.host_parameters(*step).is_some());
            of_host.filter_map(|step| routine.kind(step))
        });
        Self {
            attributes: names(DefinitionKind::Attribute),
            sets: names(DefinitionKind::AttributeSet),
            effects: names(DefinitionKind::Effect),
            abilities: names(DefinitionKind::Ability),
            templates: names(DefinitionKind::Template),
            containers: names(DefinitionKind::Container),
            ability_sets: names(DefinitionKind::AbilitySet),
            tags: Some(catalog.names(DefinitionKind::Tag).collect()),
            host_tasks: host_tasks.collect(),
            summons: summons.collect(),
            ..Self::default()
        }
    }

    /// Codes that the settings of a pack silence, valid or not; errors are never silenced.
    pub(crate) fn silenced_by(documents: &[Document]) -> impl Iterator<Item = String> {
        let packs = documents.iter().filter_map(|document| match &document.model {
            Model::Pack(doc) => Some(doc),
            _ => None,
        });
        packs.flat_map(|doc| doc.silence.iter().map(|code| code.value.clone()))
    }

    /// Adds the host tasks, native calculations, host curves and silenced codes of `pack.yaml`. Unknown
    /// codes, and codes of errors, are reported and not silenced.
    fn settings(&mut self, doc: &'a PackDoc, sink: &mut Sink) {
        self.host_tasks.extend(doc.host_tasks.iter().map(|name| name.value.as_str()));
        self.host_calculations.extend(doc.native_calculations.iter().map(|name| name.value.as_str()));
        self.host_curves.extend(doc.host_curves.iter().map(|name| name.value.as_str()));
        for code in doc.silence.iter() {
            match crate::diagnostics::doc(&code.value) {
                None => sink.push(codes::pack::unknown_code(code)),
                Some(doc) if doc.severity == crate::diagnostics::Severity::Error => {
                    sink.push(codes::pack::not_silenceable(code));
                }
                Some(_) => {
                    self.silenced.insert(code.value.clone());
                }
            }
        }
    }
}

/// Names of attributes that are derived in every set that has them.
fn derived(documents: &[Document]) -> BTreeSet<&str> {
    let attributes = documents.iter().flat_map(|document| {
        let (alone, set) = match &document.model {
            Model::Attribute(doc) => (Some(&**doc), None),
            Model::AttributeSet(doc) => (None, doc.attributes.as_ref()),
            _ => (None, None),
        };
        alone.into_iter().chain(set.into_iter().flat_map(|attributes| attributes.iter()))
    });
    let (mut derived, mut plain) = (BTreeSet::new(), BTreeSet::new());
    for doc in attributes {
        let Some(name) = &doc.name else { continue };
        let names = if doc.derived_from.is_some() { &mut derived } else { &mut plain };
        names.insert(name.value.as_str());
    }
    derived.retain(|name| !plain.contains(name));
    derived
}

/// Registers a tag with its parents. An invalid name is skipped; `references` reports it.
fn register<'a>(tags: &mut BTreeSet<&'a str>, tag: &'a str) {
    if check_tag_name(tag).is_err() {
        return;
    }
    let mut name = tag;
    while tags.insert(name) {
        match name.rsplit_once('.') {
            Some((parent, _)) => name = parent,
            None => break,
        }
    }
}

struct Define<'s> {
    map: &'s SourceMap,
    sink: &'s mut Sink,
}

impl Define<'_> {
    /// Adds a name to its index. A name that is there already is reported as a duplicate of the first; a
    /// document without a name is skipped.
    fn name<'a>(&mut self, names: &mut Names<'a>, kind: &str, name: Option<&'a Spanned<String>>) {
        let Some(name) = name else { return };
        match names.get(name.value.as_str()) {
            Some(&first) => {
                let position = self.map.position(first);
                let path = self.map.file(first.file).map(|file| file.path().display().to_string());
                let first = format!("{}:{}", path.unwrap_or_default(), position.line);
                self.sink.push(codes::naming::duplicate_name(name, kind, &first));
            }
            None => {
                names.insert(&name.value, name.span);
            }
        }
    }
}
