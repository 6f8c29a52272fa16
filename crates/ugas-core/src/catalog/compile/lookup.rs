//! Lookup of the names in definitions: tags, attributes, effects, parameters, and the names in expressions.

use std::sync::Arc;

use super::Compiler;
use crate::ability::{AbilityDef, ParameterFault, asked_parameter, check_number_parameter, tag_parameter};
use crate::catalog::{DefinitionKind, NameTable, Problem};
use crate::effect::{TagQueryDef, TagQueryItemDef};
use crate::expr::{NameKind, Names, Program};
use crate::id::{
    AbilityId, AttributeId, AttributeSetId, CalculationId, ChannelId, CurveId, EffectId, TagId, TemplateId,
};
use crate::modifier::TagRequirementDef;
use crate::tag::{TagQuery, TagQueryItem, TagRequirement, TagSet};

const MAX_QUERY_DEPTH: u32 = 64;

impl Compiler<'_> {
    /// Compiles an expression in which `locals` are known by index. `None` if it is invalid; all its errors
    /// are reported.
    pub(in crate::catalog) fn program(&self, path: &str, text: &str, locals: &[Box<str>]) -> Option<Program> {
        let names = Scope { compiler: self, locals };
        match Program::compile(text, &names) {
            Ok(program) => Some(program),
            Err(errors) => {
                for error in errors {
                    self.report(path, Problem::Expression { text: text.to_owned(), error });
                }
                None
            }
        }
    }

    /// Returns the number; one that is not finite is reported and replaced by 0.
    pub(in crate::catalog) fn finite(&self, path: &str, value: f64) -> f64 {
        if value.is_finite() {
            return value;
        }
        self.report(path, Problem::NotFinite(value));
        0.0
    }

    /// A tag by name, or the tag that a parameter of the ability holds (A18). `None` if it is unknown or
    /// invalid, which is reported.
    pub(in crate::catalog) fn tag(&self, path: &str, name: &str) -> Option<TagId> {
        match asked_parameter(name) {
            Some(parameter) => self.plain_tag(path, &self.tag_parameter(path, parameter)?),
            None => self.plain_tag(path, name),
        }
    }

    /// The ability that is being resolved.
    pub(in crate::catalog) fn current_ability(&self) -> Option<Arc<AbilityDef>> {
        self.ability.borrow().clone()
    }

    /// The name of the tag that a parameter of the ability holds. `None` if it holds none, which is reported.
    pub(in crate::catalog) fn tag_parameter(&self, path: &str, name: &str) -> Option<String> {
        match self.ability_tag(name) {
            Ok(tag) => Some(tag),
            Err(fault) => {
                self.report(path, fault);
                None
            }
        }
    }

    /// The name of the tag that a parameter of the current ability holds. An error outside of abilities;
    /// reports nothing itself.
    pub(in crate::catalog) fn ability_tag(&self, name: &str) -> Result<String, ParameterFault> {
        let ability = self.ability.borrow();
        let ability = ability.as_ref().ok_or(ParameterFault::NotAvailable)?;
        tag_parameter(&ability.parameters, name).map(str::to_owned)
    }

    /// Id of a tag by its literal name. An invalid or unknown name is reported; the collecting pass records
    /// it and returns id 0.
    pub(in crate::catalog) fn plain_tag(&self, path: &str, name: &str) -> Option<TagId> {
        if let Err(error) = crate::tag::check_tag_name(name) {
            self.report(path, error);
            return None;
        }
        if let Some(collected) = &self.collecting {
            collected.borrow_mut().tags.insert(name.to_owned());
            return Some(TagId::from_index(0));
        }
        let id = self.tables.tags.id(name);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Tag, name, self.nearest_tag(name));
        }
        id
    }

    /// Resolves a list of tags; unknown ones are reported and left out.
    pub(in crate::catalog) fn tag_set(&self, path: &str, names: &[String]) -> TagSet {
        TagSet::new(
            (0..).zip(names).filter_map(|(at, name): (usize, _)| self.tag(&format!("{path}[{at}]"), name)),
        )
    }

    /// Resolves required and ignored tags; unknown ones are reported and left out.
    pub(in crate::catalog) fn requirement(&self, path: &str, def: &TagRequirementDef) -> TagRequirement {
        TagRequirement {
            require: self.tag_set(&format!("{path}.Require"), &def.require),
            ignore: self.tag_set(&format!("{path}.Ignore"), &def.ignore),
        }
    }

    /// Resolves a tag query; its lists are joined by "and". Nesting beyond the limit is reported, and holds
    /// as the empty query does.
    pub(in crate::catalog) fn tag_query(&self, path: &str, def: &TagQueryDef, depth: u32) -> TagQuery {
        if depth > MAX_QUERY_DEPTH {
            self.report(path, Problem::QueryTooDeep);
            return TagQuery::default();
        }
        let items = |list: &str, items: &[TagQueryItemDef]| -> Vec<TagQueryItem> {
            let resolve = |(at, item): (usize, &TagQueryItemDef)| {
                let path = format!("{path}.{list}[{at}]");
                Some(match item {
                    TagQueryItemDef::Tag(name) => TagQueryItem::Tag(self.tag(&path, name)?),
                    TagQueryItemDef::Query(query) => {
                        TagQueryItem::Query(self.tag_query(&path, query, depth + 1))
                    }
                })
            };
            (0..).zip(items).filter_map(resolve).collect()
        };
        let mut query = TagQuery::default();
        if !def.all.is_empty() {
            query = query.and(TagQuery::all(items("All", &def.all)));
        }
        if !def.any.is_empty() {
            query = query.and(TagQuery::any(items("Any", &def.any)));
        }
        if !def.none.is_empty() {
            query = query.and(TagQuery::none(items("None", &def.none)));
        }
        query
    }

    /// Id of an attribute; `None` if it is unknown, which is reported.
    pub(in crate::catalog) fn attribute(&self, path: &str, name: &str) -> Option<AttributeId> {
        let table = &self.tables.attributes;
        let id = table.index(name).map(AttributeId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Attribute, name, self.nearest_in(table, name));
        }
        id
    }

    /// Id of an attribute set; `None` if it is unknown, which is reported.
    pub(in crate::catalog) fn set_id(&self, path: &str, name: &str) -> Option<AttributeSetId> {
        let table = &self.tables.sets;
        let id = table.index(name).map(AttributeSetId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::AttributeSet, name, self.nearest_in(table, name));
        }
        id
    }

    /// Id of an effect; `None` if it is unknown, which is reported.
    pub(in crate::catalog) fn effect_id(&self, path: &str, name: &str) -> Option<EffectId> {
        let table = &self.tables.effects;
        let id = table.index(name).map(EffectId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Effect, name, self.nearest_in(table, name));
        }
        id
    }

    /// Ids of effects; unknown ones are reported and left out.
    pub(in crate::catalog) fn effects(&self, path: &str, names: &[String]) -> Box<[EffectId]> {
        let resolve = |(at, name): (usize, &String)| self.effect_id(&format!("{path}[{at}]"), name);
        (0..).zip(names).filter_map(resolve).collect()
    }

    /// Id of an ability; `None` if it is unknown, which is reported.
    pub(in crate::catalog) fn ability(&self, path: &str, name: &str) -> Option<AbilityId> {
        let table = &self.tables.abilities;
        let id = table.index(name).map(AbilityId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Ability, name, self.nearest_in(table, name));
        }
        id
    }

    pub(in crate::catalog) fn template_id(&self, path: &str, name: &str) -> Option<TemplateId> {
        self.index(path, DefinitionKind::Template, &self.tables.templates, name).map(TemplateId::from_index)
    }

    pub(in crate::catalog) fn container_id(&self, path: &str, name: &str) -> Option<u32> {
        self.index(path, DefinitionKind::Container, &self.tables.containers, name)
    }

    pub(in crate::catalog) fn custom_task(&self, path: &str, name: &str) -> Option<u32> {
        self.index(path, DefinitionKind::CustomTask, &self.tables.customs, name)
    }

    /// Whether a custom task may take time, as its implementation declares; `true` if the task is unknown.
    pub(in crate::catalog) fn custom_waits(&self, task: u32) -> bool {
        self.tables.custom_waits.get(task as usize).copied().unwrap_or(true)
    }

    /// Reports a target filter that is not registered.
    pub(in crate::catalog) fn check_target_filter(&self, path: &str, name: &str) {
        self.index(path, DefinitionKind::TargetFilter, &self.tables.filters, name);
    }

    /// Index of a name in a table; `None` if it is unknown, which is reported.
    pub(in crate::catalog) fn index(
        &self,
        path: &str,
        kind: DefinitionKind,
        table: &NameTable,
        name: &str,
    ) -> Option<u32> {
        let index = table.index(name);
        if index.is_none() {
            self.unknown(path, kind, name, self.nearest_in(table, name));
        }
        index
    }

    /// Id of a multiply channel. Channels need no definition: the collecting pass records the name and
    /// returns id 0, so that the second pass finds it.
    pub(in crate::catalog) fn channel(&self, path: &str, name: &str) -> Option<ChannelId> {
        if let Some(collected) = &self.collecting {
            collected.borrow_mut().channels.insert(name.to_owned());
            return Some(ChannelId::from_index(0));
        }
        let id = self.tables.channels.index(name).map(ChannelId::from_index);
        if id.is_none() {
            self.report(path, Problem::UnknownChannel(name.to_owned()));
        }
        id
    }

    /// Id of a curve; `None` if it is unknown, which is reported. The collecting pass records the name and
    /// returns id 0.
    pub(in crate::catalog) fn curve_id(&self, path: &str, name: &str) -> Option<CurveId> {
        if let Some(collected) = &self.collecting {
            collected.borrow_mut().curves.insert(name.to_owned());
            return Some(CurveId::from_index(0));
        }
        let table = &self.tables.curves;
        let id = table.index(name).map(CurveId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Curve, name, self.nearest_in(table, name));
        }
        id
    }

    /// Id of a calculation; `None` if it is unknown, which is reported. The collecting pass records the name
    /// and returns id 0.
    pub(in crate::catalog) fn calculation(&self, path: &str, name: &str) -> Option<CalculationId> {
        if let Some(collected) = &self.collecting {
            collected.borrow_mut().calculations.insert(name.to_owned());
            return Some(CalculationId::from_index(0));
        }
        let table = &self.tables.calculations;
        let id = table.index(name).map(CalculationId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Calculation, name, self.nearest_in(table, name));
        }
        id
    }
}

/// The names an expression may use.
struct Scope<'a> {
    compiler: &'a Compiler<'a>,
    locals: &'a [Box<str>],
}

impl Names for Scope<'_> {
    fn attribute(&self, name: &str) -> Option<AttributeId> {
        self.compiler.tables.attributes.index(name).map(AttributeId::from_index)
    }

    /// Looks up a tag; the collecting pass records it instead. Reports nothing in the second pass: the
    /// expression compiler does.
    fn tag(&self, name: &str) -> Option<TagId> {
        if self.compiler.collecting.is_some() {
            return self.compiler.tag("", name);
        }
        self.compiler.tables.tags.id(name)
    }

    fn param_tag(&self, name: &str) -> Result<TagId, ParameterFault> {
        let tag = self.compiler.ability_tag(name)?;
        // An unknown tag was reported for the parameter itself.
        Ok(self.compiler.tables.tags.id(&tag).unwrap_or(TagId::from_index(0)))
    }

    /// Checks that the current ability lets an expression read the parameter; outside of abilities all are
    /// allowed.
    fn number_param(&self, name: &str) -> Result<(), ParameterFault> {
        let ability = self.compiler.ability.borrow();
        ability.as_ref().map_or(Ok(()), |ability| check_number_parameter(&ability.parameters, name))
    }

    /// Looks up a curve; the collecting pass records it instead.
    fn curve(&self, name: &str) -> Option<CurveId> {
        if self.compiler.collecting.is_some() {
            return self.compiler.curve_id("", name);
        }
        self.compiler.tables.curves.index(name).map(CurveId::from_index)
    }

    fn local(&self, name: &str) -> Option<u16> {
        self.locals.iter().position(|local| **local == *name).map(|at| at as u16)
    }

    fn nearest(&self, kind: NameKind, name: &str) -> Option<String> {
        let (compiler, tables) = (self.compiler, self.compiler.tables);
        match kind {
            NameKind::Attribute => compiler.nearest_in(&tables.attributes, name),
            NameKind::Tag => compiler.nearest_tag(name),
            NameKind::Curve => compiler.nearest_in(&tables.curves, name),
            _ => None,
        }
    }
}
