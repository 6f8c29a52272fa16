//! Layouts: the slot of each attribute of a combination of attribute sets.
//!
//! Controllers with the same sets share a layout. Slots are numbered in topological order of bounds and derived
//! attributes, so that one ascending pass over the dirty slots brings all of them up to date without glitches, however
//! long the chains are (§6.4).

use std::sync::Arc;

use super::{AttributeDef, Evaluation, OnBoundChange};
use crate::catalog::Catalog;
use crate::expr::{Dependency, Program, Side};
use crate::id::{AttributeId, AttributeSetId};

/// A resolved [`AttributeDef`].
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    pub(crate) id: AttributeId,
    pub(crate) def: AttributeDef,
    pub(crate) min: Option<Bound<AttributeId>>,
    pub(crate) max: Option<Bound<AttributeId>>,
    pub(crate) derived: Option<Program>,
    pub(crate) drain_into: Box<[AttributeId]>,
}

impl Attribute {
    /// Attributes that must be evaluated before this one.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = AttributeId> + '_ {
        let bounds = [self.min, self.max].into_iter().flatten().filter_map(|bound| match bound {
            Bound::Constant(_) => None,
            Bound::Attribute(attribute) => Some(attribute),
        });
        let derived =
            self.derived.iter().flat_map(|program| program.dependencies()).filter_map(|input| match input {
                Dependency::Attribute(Side::Owner, attribute) => Some(*attribute),
                _ => None,
            });
        bounds.chain(derived)
    }
}

/// A bound of an attribute; `A` refers to another attribute by id or by slot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Bound<A> {
    Constant(f64),
    Attribute(A),
}

/// The slot of one attribute.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Slot {
    pub(crate) attribute: Arc<Attribute>,
    pub(crate) min: Option<Bound<u16>>,
    pub(crate) max: Option<Bound<u16>>,
    /// Whether modifiers count by rules beyond their own: [`Evaluation`] or a native qualifier (M7).
    pub(crate) has_qualifier: bool,
    /// Whether the attribute has a prediction floor.
    pub(crate) has_floor: bool,
    /// Whether the value depends on nothing but its base, bounds and modifiers, and no other slot depends on
    /// it: a write to its base affects no other slot.
    pub(crate) stands_alone: bool,
    /// Whether it is a meta attribute, which passes what is written to it on to others (B3).
    pub(crate) is_meta: bool,
    /// Slots to re-evaluate when this one changes; all of them come later.
    pub(crate) dependents: Box<[u16]>,
    /// Slots whose base follows this one as a bound (B1).
    pub(crate) bound_followers: Box<[u16]>,
    /// Slots that this meta attribute drains (B3); attributes that the sets do not have are left out.
    pub(crate) drain_into: Box<[u16]>,
}

/// Why a controller cannot have a combination of attribute sets (§6.4).
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeSetError {
    /// A required set is not registered.
    #[error("attribute set `{set}` needs the set `{needs}`, which is not registered")]
    MissingSet {
        /// The set.
        set: String,
        /// The required set.
        needs: String,
    },
    /// A bound or a derived attribute reads an attribute that no registered set has.
    #[error("attribute `{attribute}` reads `{needs}`, which none of the registered sets has")]
    MissingAttribute {
        /// The attribute.
        attribute: String,
        /// The attribute that it reads.
        needs: String,
    },
    /// Two sets have an attribute of the same name.
    #[error(
        "attribute `{attribute}` is in both `{first}` and `{second}`: a controller can have only one of them"
    )]
    DuplicateAttribute {
        /// The attribute.
        attribute: String,
        /// One set.
        first: String,
        /// The other.
        second: String,
    },
    /// Bounds or derived attributes depend on themselves.
    #[error("attributes depend on themselves: {}", .cycle.join(" -> "))]
    Cycle {
        /// The attributes in order, the first repeated at the end.
        cycle: Vec<String>,
    },
    /// More attributes than a controller can hold.
    #[error("a controller can have at most {} attributes", u16::MAX)]
    TooManyAttributes,
}

/// Slots of a combination of attribute sets.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Layout {
    /// Sets, sorted.
    pub(crate) sets: Box<[AttributeSetId]>,
    pub(crate) slots: Box<[Slot]>,
    /// Slot by attribute id; `NO_SLOT` if the sets do not have it.
    index: Box<[u16]>,
}

const NO_SLOT: u16 = u16::MAX;

impl Layout {
    /// Creates the layout of `sets`, which must be sorted.
    ///
    /// # Errors
    /// If the sets cannot be combined; see [`AttributeSetError`].
    pub(crate) fn new(catalog: &Catalog, sets: &[AttributeSetId]) -> Result<Self, AttributeSetError> {
        let name = |id: AttributeId| catalog.attribute_name(id).to_owned();
        let mut owners: Vec<(Arc<Attribute>, AttributeSetId)> = Vec::new();
        for &set_id in sets {
            let Some(set) = catalog.set(set_id) else { continue };
            for &needs in &*set.dependencies {
                if !sets.contains(&needs) {
                    let needs = catalog.set_name(needs).to_owned();
                    return Err(AttributeSetError::MissingSet { set: set.name.to_string(), needs });
                }
            }
            owners.extend(set.attributes.iter().map(|attribute| (Arc::clone(attribute), set_id)));
        }
        owners.sort_by_key(|(attribute, _)| attribute.id);
        for pair in owners.windows(2) {
            if pair[0].0.id == pair[1].0.id {
                return Err(AttributeSetError::DuplicateAttribute {
                    attribute: name(pair[0].0.id),
                    first: catalog.set_name(pair[0].1).to_owned(),
                    second: catalog.set_name(pair[1].1).to_owned(),
                });
            }
        }
        if owners.len() >= usize::from(NO_SLOT) {
            return Err(AttributeSetError::TooManyAttributes);
        }
        let attributes: Vec<Arc<Attribute>> = owners.into_iter().map(|(attribute, _)| attribute).collect();
        for attribute in &attributes {
            for needs in attribute.inputs() {
                if attributes.binary_search_by_key(&needs, |other| other.id).is_err() {
                    let attribute = attribute.def.name.clone();
                    return Err(AttributeSetError::MissingAttribute { attribute, needs: name(needs) });
                }
            }
        }
        let edges = attributes.iter().map(|attribute| (attribute.id, attribute.inputs().collect())).collect();
        let order = topological_order(edges)
            .map_err(|cycle| AttributeSetError::Cycle { cycle: cycle.into_iter().map(name).collect() })?;
        Ok(Self::in_order(catalog, sets, &attributes, &order))
    }

    /// Builds the slots. `attributes` is sorted by id; `order` has the same attributes, each after its
    /// inputs, so that one pass over the slots evaluates all.
    fn in_order(
        catalog: &Catalog,
        sets: &[AttributeSetId],
        attributes: &[Arc<Attribute>],
        order: &[AttributeId],
    ) -> Self {
        let mut index = vec![NO_SLOT; catalog.attribute_count()].into_boxed_slice();
        for (slot, attribute) in order.iter().enumerate() {
            index[attribute.usize()] = slot as u16;
        }
        let slot_of = |attribute: AttributeId| index[attribute.usize()];
        let bound = |bound: Option<Bound<AttributeId>>| {
            bound.map(|bound| match bound {
                Bound::Constant(value) => Bound::Constant(value),
                Bound::Attribute(attribute) => Bound::Attribute(slot_of(attribute)),
            })
        };
        let mut dependents = vec![Vec::new(); order.len()];
        let mut bound_followers = vec![Vec::new(); order.len()];
        let mut slots: Vec<Slot> = Vec::with_capacity(order.len());
        for (slot, id) in order.iter().enumerate() {
            let at = attributes.binary_search_by_key(id, |attribute| attribute.id).unwrap_or_default();
            let attribute = Arc::clone(&attributes[at]);
            for input in attribute.inputs() {
                dependents[usize::from(slot_of(input))].push(slot as u16);
            }
            let (min, max) = (bound(attribute.min), bound(attribute.max));
            if attribute.def.on_bound_change != OnBoundChange::Keep {
                for bound in [min, max].into_iter().flatten() {
                    if let Bound::Attribute(of) = bound {
                        bound_followers[usize::from(of)].push(slot as u16);
                    }
                }
            }
            let drain_into =
                attribute.drain_into.iter().map(|&id| slot_of(id)).filter(|&slot| slot != NO_SLOT).collect();
            let hooks = catalog.hooks(attribute.id);
            let has_qualifier = attribute.def.evaluation != Evaluation::All
                || hooks.is_some_and(|hooks| hooks.qualifier.is_some());
            let none = Box::default;
            slots.push(Slot {
                has_qualifier,
                has_floor: attribute.def.prediction_floor.is_some(),
                stands_alone: false,
                is_meta: !attribute.def.drain_into.is_empty(),
                attribute,
                min,
                max,
                dependents: none(),
                bound_followers: none(),
                drain_into,
            });
        }
        let distinct = |mut list: Vec<u16>| {
            list.sort_unstable();
            list.dedup();
            list.into_boxed_slice()
        };
        for (slot, (dependents, followers)) in
            slots.iter_mut().zip(dependents.into_iter().zip(bound_followers))
        {
            slot.dependents = distinct(dependents);
            slot.bound_followers = distinct(followers);
            slot.stands_alone = !slot.has_qualifier
                && slot.attribute.derived.is_none()
                && slot.dependents.is_empty()
                && slot.bound_followers.is_empty();
        }
        Self { sets: sets.into(), slots: slots.into_boxed_slice(), index }
    }

    /// The slot of an attribute, if the sets have it.
    #[inline]
    pub(crate) fn slot_of(&self, attribute: AttributeId) -> Option<u16> {
        match self.index.get(attribute.usize()) {
            Some(&slot) if slot != NO_SLOT => Some(slot),
            _ => None,
        }
    }

    /// Whether the base of an attribute comes from an expression (§6.4).
    pub(crate) fn is_derived(&self, attribute: AttributeId) -> bool {
        self.slot_of(attribute).is_some_and(|slot| self.slots[usize::from(slot)].attribute.derived.is_some())
    }

    /// The attribute in a slot.
    #[inline]
    pub(crate) fn attribute_at(&self, slot: u16) -> AttributeId {
        self.slots[usize::from(slot)].attribute.id
    }
}

/// Orders attributes so that each comes after its inputs; ties go by id. Inputs that are not keys are
/// ignored.
///
/// # Errors
/// A cycle: the attributes in order, with the first repeated at the end.
pub(crate) fn topological_order(
    edges: Vec<(AttributeId, Vec<AttributeId>)>,
) -> Result<Vec<AttributeId>, Vec<AttributeId>> {
    let at = |id: AttributeId| edges.binary_search_by_key(&id, |(key, _)| *key).ok();
    let mut waiting_for: Vec<usize> = vec![0; edges.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (reader, (_, inputs)) in edges.iter().enumerate() {
        for input in inputs.iter().filter_map(|&id| at(id)) {
            waiting_for[reader] += 1;
            readers[input].push(reader);
        }
    }
    let mut ready: std::collections::BTreeSet<usize> =
        (0..edges.len()).filter(|&node| waiting_for[node] == 0).collect();
    let mut order = Vec::with_capacity(edges.len());
    while let Some(node) = ready.pop_first() {
        order.push(edges[node].0);
        for &reader in &readers[node] {
            waiting_for[reader] -= 1;
            if waiting_for[reader] == 0 {
                ready.insert(reader);
            }
        }
    }
    let Some(stuck) = (0..edges.len()).find(|&node| waiting_for[node] > 0) else { return Ok(order) };
    // Every remaining node waits for a remaining one, so following such inputs leads into a cycle.
    let mut path: Vec<usize> = vec![stuck];
    let mut position = vec![usize::MAX; edges.len()];
    position[stuck] = 0;
    loop {
        let last = path[path.len() - 1];
        let next = edges[last].1.iter().filter_map(|&id| at(id)).find(|&input| waiting_for[input] > 0);
        let Some(next) = next else { return Ok(order) };
        if position[next] != usize::MAX {
            let mut cycle: Vec<AttributeId> =
                path[position[next]..].iter().map(|&node| edges[node].0).collect();
            cycle.push(edges[next].0);
            return Err(cycle);
        }
        position[next] = path.len();
        path.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: u32) -> AttributeId {
        AttributeId::from_index(index)
    }

    #[test]
    fn inputs_precede_dependents_and_ties_go_by_id() {
        let edges = vec![(id(0), vec![id(2)]), (id(1), vec![]), (id(2), vec![id(3)]), (id(3), vec![])];
        assert_eq!(topological_order(edges), Ok(vec![id(1), id(3), id(2), id(0)]));
    }

    #[test]
    fn cycle_excludes_nodes_that_only_depend_on_it() {
        // 0 reads 1, and 1 and 2 read each other.
        let edges = vec![(id(0), vec![id(1)]), (id(1), vec![id(2)]), (id(2), vec![id(1)])];
        assert_eq!(topological_order(edges), Err(vec![id(1), id(2), id(1)]));
    }

    #[test]
    fn deep_chain_is_ordered() {
        let count = 100_000;
        let edges =
            (0..count).map(|n| (id(n), if n + 1 < count { vec![id(n + 1)] } else { vec![] })).collect();
        let order = topological_order(edges).unwrap();
        assert_eq!(order.first(), Some(&id(count - 1)));
    }
}
