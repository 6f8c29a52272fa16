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
    /// Compiles an expression in which `locals` are known by index.
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

    pub(in crate::catalog) fn finite(&self, path: &str, value: f64) -> f64 {
        if value.is_finite() {
            return value;
        }
        self.report(path, Problem::NotFinite(value));
        0.0
    }

    /// A tag by name, or the tag that a parameter of the ability holds (A18).
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

    /// The name of the tag that a parameter of the ability holds.
    pub(in crate::catalog) fn tag_parameter(&self, path: &str, name: &str) -> Option<String> {
        match self.ability_tag(name) {
            Ok(tag) => Some(tag),
            Err(fault) => {
                self.report(path, fault);
                None
            }
        }
    }

    pub(in crate::catalog) fn ability_tag(&self, name: &str) -> Result<String, ParameterFault> {
        let ability = self.ability.borrow();
        let ability = ability.as_ref().ok_or(ParameterFault::NotAvailable)?;
        tag_parameter(&ability.parameters, name).map(str::to_owned)
    }

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

    pub(in crate::catalog) fn tag_set(&self, path: &str, names: &[String]) -> TagSet {
        TagSet::new(
            (0..).zip(names).filter_map(|(at, name): (usize, _)| self.tag(&format!("{path}[{at}]"), name)),
        )
    }

    pub(in crate::catalog) fn requirement(&self, path: &str, def: &TagRequirementDef) -> TagRequirement {
        TagRequirement {
            require: self.tag_set(&format!("{path}.Require"), &def.require),
            ignore: self.tag_set(&format!("{path}.Ignore"), &def.ignore),
        }
    }

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

    pub(in crate::catalog) fn attribute(&self, path: &str, name: &str) -> Option<AttributeId> {
        let table = &self.tables.attributes;
        let id = table.index(name).map(AttributeId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Attribute, name, self.nearest_in(table, name));
        }
        id
    }

    pub(in crate::catalog) fn set_id(&self, path: &str, name: &str) -> Option<AttributeSetId> {
        let table = &self.tables.sets;
        let id = table.index(name).map(AttributeSetId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::AttributeSet, name, self.nearest_in(table, name));
        }
        id
    }

    pub(in crate::catalog) fn effect_id(&self, path: &str, name: &str) -> Option<EffectId> {
        let table = &self.tables.effects;
        let id = table.index(name).map(EffectId::from_index);
        if id.is_none() {
            self.unknown(path, DefinitionKind::Effect, name, self.nearest_in(table, name));
        }
        id
    }

    pub(in crate::catalog) fn effects(&self, path: &str, names: &[String]) -> Box<[EffectId]> {
        let resolve = |(at, name): (usize, &String)| self.effect_id(&format!("{path}[{at}]"), name);
        (0..).zip(names).filter_map(resolve).collect()
    }

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

    pub(in crate::catalog) fn custom_waits(&self, task: u32) -> bool {
        self.tables.custom_waits.get(task as usize).copied().unwrap_or(true)
    }

    pub(in crate::catalog) fn check_target_filter(&self, path: &str, name: &str) {
        self.index(path, DefinitionKind::TargetFilter, &self.tables.filters, name);
    }

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

    fn number_param(&self, name: &str) -> Result<(), ParameterFault> {
        let ability = self.compiler.ability.borrow();
        ability.as_ref().map_or(Ok(()), |ability| check_number_parameter(&ability.parameters, name))
    }

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
