//! Cycles: bounds, derived attributes and live magnitudes must not depend on themselves (§5.4, §6.4, B2).

use std::sync::Arc;

use super::{Catalog, CompiledSet, Compiler, DefinitionKind, Problem, Tables, live_reads};
use crate::attribute::layout::{AttributeSetError, topological_order};
use crate::effect::calculation::CompiledCalculation;
use crate::effect::{Effect, Modifier};
use crate::expr::Side;
use crate::id::AttributeId;

/// Reports attributes that depend on themselves: by their own definitions, or else through one effect.
pub(super) fn check_cycles(
    compiler: &Compiler<'_>,
    tables: &Tables,
    sets: &[CompiledSet],
    effects: &[Arc<Effect>],
    calculations: &[CompiledCalculation],
) {
    let edges = input_edges(tables, sets);
    if let Err(cycle) = topological_order(edges.clone()) {
        let cycle = names(tables, cycle);
        compiler.begin(DefinitionKind::Attribute, cycle.first().map_or("", String::as_str));
        compiler.report("", AttributeSetError::Cycle { cycle });
        return;
    }
    for effect in effects {
        check_effect(compiler, tables, &edges, effect, calculations);
    }
}

impl Catalog {
    /// Reports an effect created at run time whose live magnitudes depend on attributes that it modifies.
    pub(crate) fn check_effect_cycle(&self, compiler: &Compiler<'_>, effect: &Effect) {
        let edges = input_edges(&self.tables, &self.sets);
        check_effect(compiler, &self.tables, &edges, effect, &self.calculations);
    }
}

/// Attributes, each with the attributes that it reads.
type Edges = Vec<(AttributeId, Vec<AttributeId>)>;

/// The attributes that bounds and derived attributes read.
fn input_edges(tables: &Tables, sets: &[CompiledSet]) -> Edges {
    let count = tables.attributes.len() as u32;
    let mut edges: Edges = (0..count).map(|index| (AttributeId::from_index(index), Vec::new())).collect();
    for attribute in sets.iter().flat_map(|set| &set.attributes) {
        edges[attribute.id.usize()].1.extend(attribute.inputs());
    }
    edges
}

/// Reports a cycle among attributes that the live magnitudes of one effect close. Reads of the source, and of
/// layers below a modifier's own, do not count.
fn check_effect(
    compiler: &Compiler<'_>,
    tables: &Tables,
    edges: &Edges,
    effect: &Effect,
    calculations: &[CompiledCalculation],
) {
    let live = || effect.modifiers.iter().filter(|modifier| modifier.live);
    let reads_target = live().any(|modifier| !live_target_reads(modifier, calculations).is_empty());
    if !reads_target {
        return;
    }
    let mut edges = edges.clone();
    for modifier in live() {
        if let Some((_, inputs)) = edges.get_mut(modifier.attribute.usize()) {
            inputs.extend(live_target_reads(modifier, calculations));
        }
    }
    if let Err(cycle) = topological_order(edges) {
        compiler.begin(DefinitionKind::Effect, effect.name());
        compiler.report("Modifiers", Problem::Cycle(names(tables, cycle)));
    }
}

/// The names of the attributes of a cycle, for a message.
fn names(tables: &Tables, cycle: Vec<AttributeId>) -> Vec<String> {
    cycle
        .into_iter()
        .filter_map(|id| tables.attributes.name(id.index()))
        .map(|name| name.to_string())
        .collect()
}

/// Attributes of the target that a live modifier watches, except for reads below its own layer: the base, and
/// values up to a lower layer.
fn live_target_reads(modifier: &Modifier, calculations: &[CompiledCalculation]) -> Vec<AttributeId> {
    let mut reads = Vec::new();
    live_reads(&modifier.magnitude, calculations, |side, attribute, level| {
        if side != Side::Source && level > modifier.layer {
            reads.push(attribute);
        }
    });
    reads
}
