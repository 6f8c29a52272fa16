//! Assembly of a catalog: resolves all definitions of a builder and reports all errors at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cycles::check_cycles;
use super::death::{DEFAULT_DEATH_ATTRIBUTE, Death, DeathAttribute, DeathDef};
use super::hooks::AttributeHooks;
use super::{
    Catalog, CatalogBuilder, CatalogErrors, CompiledSet, Compiler, DefinitionError, DefinitionKind,
    InternalEffects, NameTable, Problem, Tables, Template, TemplateEffect,
};
use crate::ability::{Ability, AbilitySetDef, TriggerOn};
use crate::attribute::layout::{Attribute, AttributeSetError, Bound, Layout};
use crate::attribute::{AttributeDef, AttributeReplication, AttributeSetDef, BoundDef, Quantize};
use crate::controller::ControllerDef;
use crate::curve::Curve;
use crate::effect::calculation::CompiledCalculation;
use crate::effect::{AUTHORITATIVE_ONLY, Effect, EffectDef, ScopedTargetDef};
use crate::expr::{Dependency, Side};
use crate::id::{AttributeId, EffectId};
use crate::tag::{TagBits, TagRegistry};
use crate::targeting::{Attitude, OpenSpace};

impl CatalogBuilder {
    /// Resolves and checks everything, in two passes: the first collects names that need no definition. Adds
    /// the internal effects of the core.
    ///
    /// # Errors
    /// All errors, each with the definition and the path in it.
    pub fn build(mut self) -> Result<Arc<Catalog>, CatalogErrors> {
        self.definitions.effects.push(Arc::new(EffectDef::infinite(Catalog::TAGS_EFFECT)));
        self.definitions.effects.push(Arc::new(EffectDef::instant(Catalog::BOUND_CHANGE_EFFECT)));
        self.definitions.effects.push(Arc::new(EffectDef::infinite(Catalog::OWNED_TAGS_EFFECT)));
        self.sort();
        let mut errors = self.check_names();
        let mut tables = self.name_tables();
        self.collect(&mut tables, &mut errors);

        let compiler = Compiler::new(&tables);
        let sets = self.compile_sets(&compiler);
        let curves: Box<[Option<Curve>]> =
            tables.curves.iter().map(|name| self.compile_curve(&compiler, name)).collect();
        let calculations = self.compile_calculations(&compiler, &tables);
        let effects: Box<[Arc<Effect>]> = self
            .definitions
            .effects
            .iter()
            .map(|def| Arc::new(compiler.effect(def, &calculations)))
            .collect();
        let mut abilities = self.compile_abilities(&compiler, &effects);
        let templates = self.compile_templates(&compiler);
        let ability_sets = self.compile_ability_sets(&compiler);
        let containers: Box<[_]> =
            self.definitions.containers.iter().map(|def| compiler.container(def)).collect();
        for ability in &mut abilities {
            Compiler::complete_effects(ability, &containers);
        }
        let death = self.compile_death(&compiler, &tables);
        let input_buffer_window = self.compile_buffer_window(&compiler);
        let death_threshold =
            death.and_then(|death| death.threshold.or_else(|| constant_min(&sets, death.attribute)));
        let cooldown_tags = abilities.iter().flat_map(|ability| ability.cooldown_tags.iter());
        let triggers = abilities.iter().flat_map(|ability| &ability.triggers);
        let by_tag = triggers.filter(|(on, _)| *on != TriggerOn::Event).map(|&(_, tag)| tag);
        let (cooldown_tags, trigger_tags) = (TagBits::of_exactly(cooldown_tags), TagBits::of_exactly(by_tag));
        let narrowest_replication = narrowest_replication(&sets, tables.attributes.len());
        let hooks = self.compile_hooks(&compiler, &tables);
        check_cycles(&compiler, &tables, &sets, &effects, &calculations);
        errors.extend(compiler.into_errors().into_iter().map(|error| match error.problem {
            // Without a registry every tag is known by its use.
            Problem::Unknown { kind: DefinitionKind::Tag, name, nearest } => {
                DefinitionError { problem: Problem::Unlisted { name, nearest }, ..error }
            }
            _ => error,
        }));

        let internal = |name: &str| EffectId::from_index(tables.effects.index(name).unwrap_or_default());
        let internal = InternalEffects {
            tags: internal(Catalog::TAGS_EFFECT),
            bound_change: internal(Catalog::BOUND_CHANGE_EFFECT),
            owned_tags: internal(Catalog::OWNED_TAGS_EFFECT),
        };
        let hash = self.hash(&tables);
        let contents = self.contents(&tables);
        let definitions = self.take_definitions();
        let catalog = Catalog {
            tables,
            sets,
            effects,
            abilities,
            curves,
            calculations,
            templates,
            ability_sets,
            containers,
            customs: self.customs.into_values().collect(),
            filters: self.filters.into_values().collect(),
            attitude: self.attitude.unwrap_or_else(|| Arc::new(Attitude::by_team)),
            space: self.space.unwrap_or_else(|| Arc::new(OpenSpace)),
            death,
            death_threshold,
            input_buffer: definitions.input_buffer,
            input_buffer_window,
            narrowest_replication,
            cooldown_tags,
            trigger_tags,
            hooks,
            before_apply: self.before_apply.into_boxed_slice(),
            internal,
            contents,
            definitions,
            hash,
        };
        check_templates(&catalog, &mut errors);
        if errors.is_empty() { Ok(Arc::new(catalog)) } else { Err(CatalogErrors(errors)) }
    }

    /// Sorts definitions by name: ids are positions in this order, so they do not depend on the order of
    /// insertion.
    fn sort(&mut self) {
        self.definitions.sets.sort_by(|a, b| a.name.cmp(&b.name));
        self.definitions.effects.sort_by(|a, b| a.name.cmp(&b.name));
        self.definitions.abilities.sort_by(|a, b| a.name.cmp(&b.name));
        self.definitions.curves.sort_by(|a, b| a.name.cmp(&b.name));
        self.definitions.calculations.sort_by(|a, b| a.name.cmp(&b.name));
        self.definitions.templates.sort_by(|a, b| a.name.cmp(&b.name));
        self.definitions.ability_sets.sort_by(|a, b| a.name.cmp(&b.name));
        self.definitions.containers.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// Reports empty and duplicate names. Keeps the first of each, so that ids match the name tables.
    fn check_names(&mut self) -> Vec<DefinitionError> {
        let mut errors = Vec::new();
        unique(&mut self.definitions.sets, DefinitionKind::AttributeSet, |def| &def.name, &mut errors);
        unique(&mut self.definitions.effects, DefinitionKind::Effect, |def| &def.name, &mut errors);
        unique(&mut self.definitions.abilities, DefinitionKind::Ability, |def| &def.name, &mut errors);
        unique(&mut self.definitions.curves, DefinitionKind::Curve, |def| &def.name, &mut errors);
        unique(&mut self.definitions.calculations, DefinitionKind::Calculation, |def| &def.name, &mut errors);
        unique(&mut self.definitions.templates, DefinitionKind::Template, |def| &def.name, &mut errors);
        unique(&mut self.definitions.ability_sets, DefinitionKind::AbilitySet, |def| &def.name, &mut errors);
        unique(&mut self.definitions.containers, DefinitionKind::Container, |def| &def.name, &mut errors);
        for set in &mut self.definitions.sets {
            let mut seen = BTreeSet::new();
            set.attributes.retain(|attribute| {
                let problem = if attribute.name.is_empty() {
                    Some(Problem::EmptyName)
                } else if !seen.insert(attribute.name.clone()) {
                    Some(Problem::Duplicate(DefinitionKind::Attribute))
                } else {
                    None
                };
                let ok = problem.is_none();
                errors.extend(problem.map(|problem| DefinitionError {
                    kind: DefinitionKind::Attribute,
                    name: attribute.name.clone(),
                    path: format!("set `{}`", set.name),
                    problem,
                }));
                ok
            });
        }
        errors
    }

    /// Name tables of everything defined in the builder. Tags, channels, curves and calculations stay empty
    /// until `collect` fills them.
    fn name_tables(&self) -> Tables {
        let attributes =
            self.definitions.sets.iter().flat_map(|set| &set.attributes).map(|attribute| &*attribute.name);
        Tables {
            tags: TagRegistry::default(),
            attributes: NameTable::new(
                attributes.chain(self.definitions.declared_attributes.iter().map(String::as_str)),
            ),
            sets: NameTable::new(self.definitions.sets.iter().map(|def| &*def.name)),
            effects: NameTable::new(self.definitions.effects.iter().map(|def| &*def.name)),
            abilities: NameTable::new(self.definitions.abilities.iter().map(|def| &*def.name)),
            templates: NameTable::new(self.definitions.templates.iter().map(|def| &*def.name)),
            ability_sets: NameTable::new(self.definitions.ability_sets.iter().map(|def| &*def.name)),
            containers: NameTable::new(self.definitions.containers.iter().map(|def| &*def.name)),
            customs: NameTable::new(self.customs.keys().map(String::as_str)),
            custom_waits: self.customs.values().map(|task| task.waits()).collect(),
            filters: NameTable::new(self.filters.keys().map(String::as_str)),
            channels: NameTable::default(),
            curves: NameTable::default(),
            calculations: NameTable::default(),
        }
    }

    /// Finds the names that need no definition, by resolving everything once and recording what is looked up:
    /// tags without a registry, channels, and curves and calculations that are not provided.
    fn collect(&self, tables: &mut Tables, errors: &mut Vec<DefinitionError>) {
        let compiler = Compiler::collecting(tables);
        self.compile_sets(&compiler);
        self.compile_calculations(&compiler, tables);
        for def in &self.definitions.effects {
            compiler.effect(def, &[]);
        }
        self.compile_abilities(&compiler, &[]);
        self.compile_templates(&compiler);
        self.compile_ability_sets(&compiler);
        for def in &self.definitions.containers {
            compiler.container(def);
        }
        let collected = compiler.into_collected();
        let names = |own: &mut dyn Iterator<Item = &str>, used: &BTreeSet<String>| {
            let own: Vec<String> = own.map(str::to_owned).collect();
            NameTable::new(own.iter().chain(used).map(String::as_str))
        };
        tables.channels =
            names(&mut self.definitions.channels.iter().map(String::as_str), &collected.channels);
        tables.curves = names(&mut self.definitions.curves.iter().map(|def| &*def.name), &collected.curves);
        let calculations = self.definitions.calculations.iter().map(|def| &*def.name);
        tables.calculations =
            names(&mut calculations.chain(self.natives.keys().map(String::as_str)), &collected.calculations);
        let mut tags: Vec<&str> = match &self.definitions.registry {
            Some(registry) => registry.iter().map(String::as_str).collect(),
            None => collected.tags.iter().map(String::as_str).collect(),
        };
        tags.extend(self.definitions.declared_tags.iter().map(String::as_str));
        match TagRegistry::from_names(tags.iter().copied().chain([AUTHORITATIVE_ONLY])) {
            Ok(mut registry) => {
                let metadata = self.definitions.tag_metadata.iter();
                registry.set_metadata(metadata.map(|(name, metadata)| (name.as_str(), metadata)));
                tables.tags = registry;
            }
            Err(wrong) => errors.extend(wrong.into_iter().map(|error| DefinitionError {
                kind: DefinitionKind::Tag,
                name: error.name.clone(),
                path: String::new(),
                problem: error.into(),
            })),
        }
    }

    /// Resolves attribute sets and their attributes. Parts that cannot be resolved are reported and left out.
    fn compile_sets(&self, compiler: &Compiler<'_>) -> Box<[CompiledSet]> {
        let compile = |def: &AttributeSetDef| {
            compiler.begin(DefinitionKind::AttributeSet, &def.name);
            let dependencies = (0..)
                .zip(&def.dependencies)
                .filter_map(|(at, name): (usize, _)| compiler.set_id(&format!("Dependencies[{at}]"), name))
                .collect();
            let attributes = def.attributes.iter().filter_map(|attribute| {
                compiler.begin(DefinitionKind::Attribute, &attribute.name);
                compile_attribute(compiler, attribute).map(Arc::new)
            });
            CompiledSet { name: def.name.as_str().into(), dependencies, attributes: attributes.collect() }
        };
        self.definitions.sets.iter().map(compile).collect()
    }

    /// Compiles the curve of this name. `None` if it is used but not defined, or invalid, which is reported.
    fn compile_curve(&self, compiler: &Compiler<'_>, name: &str) -> Option<Curve> {
        let at = self.definitions.curves.binary_search_by(|def| (*def.name).cmp(name)).ok()?;
        let def = &self.definitions.curves[at];
        compiler.begin(DefinitionKind::Curve, name);
        Curve::new(def).map_err(|error| compiler.report("", error)).ok()
    }

    /// Compiles calculations in the order of their ids. A native one takes precedence over one from files; a
    /// name without either becomes a missing calculation.
    fn compile_calculations(&self, compiler: &Compiler<'_>, tables: &Tables) -> Box<[CompiledCalculation]> {
        let (variables, none) = (self.variables(), BTreeSet::new());
        let compile = |name: &str| match self.natives.get(name) {
            Some(native) => compiler.native_calculation(name, native),
            None => match self.definitions.calculations.binary_search_by(|def| (*def.name).cmp(name)) {
                Ok(at) => {
                    let variables = variables.get(name).unwrap_or(&none);
                    compiler.file_calculation(&self.definitions.calculations[at], variables)
                }
                Err(_) => CompiledCalculation::missing(name),
            },
        };
        if tables.calculations.len() > 0 {
            return tables.calculations.iter().map(compile).collect();
        }
        // The collecting pass has no table yet.
        let names = self.definitions.calculations.iter().map(|def| &*def.name);
        names.chain(self.natives.keys().map(String::as_str)).map(compile).collect()
    }

    /// Names of the transient variables that scoped modifiers set, by calculation.
    fn variables(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let mut variables: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for execution in self.definitions.effects.iter().flat_map(|effect| &effect.executions) {
            for modifier in &execution.modifiers {
                if let ScopedTargetDef::Variable(name) = &modifier.target {
                    variables.entry(&execution.calculation).or_default().insert(name.clone());
                }
            }
        }
        variables
    }

    fn compile_abilities(&self, compiler: &Compiler<'_>, effects: &[Arc<Effect>]) -> Box<[Ability]> {
        self.definitions.abilities.iter().map(|def| compiler.ability_def(def, effects)).collect()
    }

    /// Compiles ability sets as templates that are laid over a controller.
    fn compile_ability_sets(&self, compiler: &Compiler<'_>) -> Box<[Template]> {
        let compile = |set: &AbilitySetDef| {
            let AbilitySetDef { name, attribute_sets, abilities, effects, tags } = set.clone();
            let def =
                ControllerDef { name, attribute_sets, abilities, effects, tags, ..ControllerDef::default() };
            compiler.template_of(DefinitionKind::AbilitySet, &Arc::new(def))
        };
        self.definitions.ability_sets.iter().map(compile).collect()
    }

    /// Resolves the attribute of death. `None` if death is off, or if the default attribute does not exist;
    /// an unknown named one is reported.
    fn compile_death(&self, compiler: &Compiler<'_>, tables: &Tables) -> Option<Death> {
        let DeathDef { attribute, threshold } = &self.definitions.death;
        let name = match attribute {
            DeathAttribute::Off => return None,
            DeathAttribute::Default => DEFAULT_DEATH_ATTRIBUTE,
            DeathAttribute::Named(name) => name,
        };
        compiler.begin(DefinitionKind::Attribute, name);
        let threshold = threshold.map(|threshold| compiler.finite("Globals.DeathThreshold", threshold));
        let is_there = tables.attributes.iter().any(|known| known == name);
        if *attribute == DeathAttribute::Default && !is_there {
            return None;
        }
        let attribute = compiler.attribute("Globals.DeathAttribute", name)?;
        Some(Death { attribute, threshold })
    }

    /// Resolves the attribute that holds the input buffer window. `None` if there is none, or if it is
    /// unknown, which is reported.
    fn compile_buffer_window(&self, compiler: &Compiler<'_>) -> Option<AttributeId> {
        let name = self.definitions.input_buffer_window.as_ref()?;
        compiler.begin(DefinitionKind::Attribute, name);
        compiler.attribute("Globals.InputBuffer.BufferWindow", name)
    }

    fn compile_templates(&self, compiler: &Compiler<'_>) -> Box<[Template]> {
        self.definitions.templates.iter().map(|def| compiler.template(def)).collect()
    }

    /// The hooks by attribute id; empty if no attribute has any. Hooks of unknown attributes are reported.
    fn compile_hooks(&self, compiler: &Compiler<'_>, tables: &Tables) -> Box<[AttributeHooks]> {
        for name in self.hooks.keys() {
            compiler.begin(DefinitionKind::Attribute, name);
            compiler.attribute("a hook", name);
        }
        if self.hooks.is_empty() {
            return Box::default();
        }
        tables.attributes.iter().map(|name| self.hooks.get(name).cloned().unwrap_or_default()).collect()
    }
}

impl Compiler<'_> {
    /// Resolves a controller template.
    pub(crate) fn template(&self, def: &Arc<ControllerDef>) -> Template {
        self.template_of(DefinitionKind::Template, def)
    }

    /// Resolves a template or an ability set. Parts that cannot be resolved are reported and left out.
    fn template_of(&self, kind: DefinitionKind, def: &Arc<ControllerDef>) -> Template {
        self.begin(kind, &def.name);
        let mut sets: Vec<_> = (0..)
            .zip(&def.attribute_sets)
            .filter_map(|(at, name): (usize, _)| self.set_id(&format!("AttributeSets[{at}]"), name))
            .collect();
        sets.sort_unstable();
        sets.dedup();
        let base = def.base.iter().filter_map(|(name, value)| {
            let path = format!("Base.{name}");
            Some((self.attribute(&path, name)?, self.finite(&path, *value)))
        });
        let effects = (0..).zip(&def.effects).filter_map(|(at, (name, level)): (usize, _)| {
            let path = format!("Effects[{at}]");
            Some((self.effect_id(&path, name)?, self.finite(&path, *level)))
        });
        let active_effects = def.active_effects.iter().enumerate().filter_map(|(at, active)| {
            let path = format!("ActiveEffects[{at}]");
            self.finite(&path, active.level);
            let numbers = active.set_by_caller.iter().filter_map(|(tag, value)| {
                Some((self.tag(&format!("{path}.SetByCaller"), tag)?, self.finite(&path, *value)))
            });
            let set_by_caller = numbers.collect();
            Some(TemplateEffect { effect: self.effect_id(&path, &active.effect)?, at, set_by_caller })
        });
        Template {
            def: Arc::clone(def),
            sets: sets.into_boxed_slice(),
            base: base.collect(),
            tags: self.tag_set("Tags", &def.tags).iter().collect(),
            abilities: self.ability_grants("GrantedAbilities", &def.abilities),
            effects: effects.collect(),
            active_effects: active_effects.collect(),
        }
    }
}

/// Removes definitions with an empty or repeated name and reports each. The list must be sorted by name.
fn unique<T>(
    definitions: &mut Vec<T>,
    kind: DefinitionKind,
    name: impl Fn(&T) -> &String,
    errors: &mut Vec<DefinitionError>,
) {
    let mut previous: Option<String> = None;
    definitions.retain(|definition| {
        let name = name(definition);
        let problem = if name.is_empty() {
            Problem::EmptyName
        } else if previous.as_ref() == Some(name) {
            Problem::Duplicate(kind)
        } else {
            previous = Some(name.clone());
            return true;
        };
        errors.push(DefinitionError { kind, name: name.clone(), path: String::new(), problem });
        false
    });
}

/// Resolves an attribute. `None` only if its own name is unknown; other problems are reported and left out.
fn compile_attribute(compiler: &Compiler<'_>, def: &AttributeDef) -> Option<Attribute> {
    compiler.finite("DefaultBaseValue", def.default_base);
    if let Some(floor) = def.prediction_floor {
        compiler.finite("PredictionFloor", floor);
    }
    if let Some(quantize) = def.quantize.filter(|quantize| !quantize.is_usable()) {
        let Quantize { min, max, bits } = quantize;
        compiler.report("Quantize", Problem::UnusableQuantize { min, max, bits });
    }
    let bound = |path: &str, bound: &Option<BoundDef>| match bound {
        None => None,
        Some(BoundDef::Constant(value)) => Some(Bound::Constant(compiler.finite(path, *value))),
        Some(BoundDef::Attribute(name)) => compiler.attribute(path, name).map(Bound::Attribute),
    };
    let derived = def.derived.as_ref().and_then(|text| compiler.program("DerivedFrom.Expression", text, &[]));
    for input in derived.iter().flat_map(|program| program.dependencies()) {
        let problem = match input {
            Dependency::Attribute(Side::Owner, _) | Dependency::Curve(_) => continue,
            Dependency::Random => Problem::RandomNotAvailable,
            Dependency::Attribute(..) => Problem::NotAvailable("those of a source or target"),
            Dependency::Tag(..) | Dependency::EffectTag(_) => Problem::NotAvailable("tags"),
            Dependency::Level => Problem::NotAvailable("a level"),
            Dependency::Stacks => Problem::NotAvailable("a stack count"),
            Dependency::Jump => Problem::NotAvailable("a chain"),
            Dependency::SetByCaller(_) => Problem::NotAvailable("set-by-caller magnitudes"),
            Dependency::Param(_) => Problem::NotAvailable("parameters"),
            Dependency::Local(_) => Problem::NotAvailable("local names"),
        };
        compiler.report("DerivedFrom.Expression", problem);
    }
    let drain_into = (0..)
        .zip(&def.drain_into)
        .filter_map(|(at, name): (usize, _)| compiler.attribute(&format!("DrainInto[{at}]"), name))
        .collect();
    Some(Attribute {
        id: compiler.attribute("Name", &def.name)?,
        def: def.clone(),
        min: bound("Clamping.Min", &def.min),
        max: bound("Clamping.Max", &def.max),
        derived,
        drain_into,
    })
}

/// Checks that templates can be spawned: their sets can be combined and have the attributes of the base
/// values.
fn check_templates(catalog: &Catalog, errors: &mut Vec<DefinitionError>) {
    for template in &catalog.templates {
        if template.sets.len() < template.def.attribute_sets.len() && !errors.is_empty() {
            // An unknown set was reported; without it nothing else can be checked.
            continue;
        }
        let mut report = |path: String, problem: Problem| {
            let name = template.def.name.clone();
            errors.push(DefinitionError { kind: DefinitionKind::Template, name, path, problem });
        };
        match Layout::new(catalog, &template.sets) {
            // Cycles are reported with their attributes.
            Err(AttributeSetError::Cycle { .. }) => {}
            Err(error) => report("AttributeSets".to_owned(), error.into()),
            Ok(layout) => {
                for &(attribute, _) in &template.base {
                    let name = || catalog.attribute_name(attribute).to_owned();
                    if layout.is_derived(attribute) {
                        report(format!("Base.{}", name()), Problem::DerivedBase(name()));
                    }
                    if layout.slot_of(attribute).is_none() {
                        let name = catalog.attribute_name(attribute).to_owned();
                        let has =
                            |set: &&CompiledSet| set.attributes.iter().any(|other| other.id == attribute);
                        let set = catalog.sets.iter().find(has).map(|set| set.name.to_string());
                        report(format!("Base.{name}"), Problem::NotInSets { attribute: name, set });
                    }
                }
            }
        }
    }
}

/// Minimum of an attribute, or 0 without one, if it is the same number in all sets that have the attribute.
fn constant_min(sets: &[CompiledSet], attribute: AttributeId) -> Option<f64> {
    let definitions = sets.iter().flat_map(|set| &*set.attributes).filter(|known| known.id == attribute);
    let mut mins = definitions.map(|known| match known.min {
        None => Some(0.0),
        Some(Bound::Constant(min)) => Some(min),
        Some(Bound::Attribute(_)) => None,
    });
    let first = mins.next()??;
    mins.all(|min| min == Some(first)).then_some(first)
}

/// The narrowest replication that any set gives each attribute, by id.
fn narrowest_replication(sets: &[CompiledSet], count: usize) -> Box<[AttributeReplication]> {
    let mut narrowest = vec![AttributeReplication::All; count];
    for attribute in sets.iter().flat_map(|set| &*set.attributes) {
        if let Some(narrowest) = narrowest.get_mut(attribute.id.usize()) {
            *narrowest = (*narrowest).min(attribute.def.replication);
        }
    }
    narrowest.into()
}
