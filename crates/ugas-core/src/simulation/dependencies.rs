//! Dependencies between attributes (B6): which values follow from which, across controllers, and whether they
//! form a cycle.
//!
//! An edge leads from a value to a value that reads it: through a bound or a derived attribute of the same
//! controller, or through a live magnitude of a running effect. The search starts at the values that a new
//! effect modifies and follows the edges forward, so its cost is that of the recalculation which the effect
//! causes: values that do not depend on the modified ones are never visited.

use super::{Simulation, State};
use crate::attribute::layout::Layout;
use crate::catalog::{Catalog, ReadLevel, live_reads};
use crate::controller::Controller;
use crate::effect::{ActiveEffect, Effect, EffectStatus, ExecutionPolicy, Modifier, WatchSubject};
use crate::expr::{Dependency, Side};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{AttributeId, EffectId};
use crate::refusal::{CycleLink, RefusalReason};

/// An attribute value at a level: a change at a level affects readings at that level and above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Node {
    controller: ControllerId,
    attribute: AttributeId,
    level: ReadLevel,
}

/// A node that the search has reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    node: Node,
    /// Position in `SearchMemory::reached` of the node that this one reads; `None` for the first.
    from: Option<u32>,
    /// Effect whose live magnitude reads it; `None` for a bound or a derived attribute.
    by: Option<EffectId>,
}

/// Working memory of a search, reused so that a search allocates nothing once its capacity is warm.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchMemory {
    reached: Vec<Reached>,
    /// Open-addressing hash table of positions in `reached` plus one; zero is free. The length is a power of
    /// two.
    table: Vec<u32>,
}

impl SearchMemory {
    fn clear(&mut self) {
        self.reached.clear();
        self.table.fill(0);
    }

    /// Adds a node to the search, with the node that it was reached from; does nothing if it was reached
    /// before.
    fn reach(&mut self, reached: Reached) {
        if self.table.len() < 2 * (self.reached.len() + 1) {
            self.grow();
        }
        let at = self.place_of(reached.node);
        if self.table[at] == 0 {
            self.reached.push(reached);
            self.table[at] = self.reached.len() as u32;
        }
    }

    /// Table index of a node, or the free index where it belongs.
    fn place_of(&self, node: Node) -> usize {
        let Node { controller, attribute, level } = node;
        let bits =
            controller.to_bits().get() ^ (u64::from(attribute.index()) << 40) ^ (u64::from(level) << 24);
        let hash = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mask = self.table.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        loop {
            match self.table[at].checked_sub(1) {
                Some(known) if self.reached[known as usize].node != node => at = (at + 1) & mask,
                _ => return at,
            }
        }
    }

    /// Doubles the hash table and inserts all reached nodes again.
    fn grow(&mut self) {
        let length = (2 * self.table.len()).max(16);
        self.table.clear();
        self.table.resize(length, 0);
        for position in 0..self.reached.len() {
            let at = self.place_of(self.reached[position].node);
            self.table[at] = position as u32 + 1;
        }
    }

    /// Chain of the cycle that closes because the first node reads the one at `last`: each link reads the
    /// next, and the last one reads the first.
    fn chain(&self, last: usize, by: Option<EffectId>) -> Box<[CycleLink]> {
        let link = |node: Node, by| CycleLink { controller: node.controller, attribute: node.attribute, by };
        let mut links = vec![link(self.reached[0].node, by)];
        let mut at = last;
        while let Some(from) = self.reached[at].from {
            links.push(link(self.reached[at].node, self.reached[at].by));
            at = from as usize;
        }
        links.into_boxed_slice()
    }
}

/// A running effect, or one that is about to begin.
#[derive(Clone, Copy)]
struct Reader<'a> {
    id: EffectId,
    effect: &'a Effect,
    target: ControllerId,
    /// Controller that live source readings refer to; `None` if the source is gone or never existed.
    source: Option<ControllerId>,
}

impl<'a> Reader<'a> {
    /// Reader of an instance. M5: without a source if only the last values of the source are remembered.
    fn of(active: &ActiveEffect, effect: &'a Effect) -> Self {
        // M5: a source that is gone keeps its last values, and nothing is read live.
        let source = active.source().filter(|_| active.parts.last_source.is_none());
        Self { id: active.effect, effect, target: active.target, source }
    }

    /// Live modifiers that act on current values.
    fn modifiers(self) -> impl Iterator<Item = &'a Modifier> {
        let Self { effect, .. } = self;
        let acting = (0..effect.modifiers.len()).filter_map(|at| super::activate::acting(effect, at));
        acting.filter(|modifier| modifier.live)
    }

    /// Whether a modifier reads a node live, at its level or above.
    fn reads(self, catalog: &Catalog, modifier: &Modifier, node: Node) -> bool {
        let mut found = false;
        live_reads(&modifier.magnitude, catalog.calculations(), |side, attribute, level| {
            let of = if side == Side::Source { self.source } else { Some(self.target) };
            found |= of == Some(node.controller) && attribute == node.attribute && level >= node.level;
        });
        found
    }
}

/// Effects that read an attribute live, by controller and attribute; for a state whose watchers are not
/// derived yet.
type ReaderIndex = Vec<(ControllerId, AttributeId, ActiveEffectId)>;

/// The dependencies of a state.
struct Dependencies<'a> {
    state: &'a State,
    catalog: &'a Catalog,
    /// Replaces the watcher lists of controllers, if given.
    index: Option<&'a ReaderIndex>,
    /// Instance whose spec is about to be replaced: its readings do not count.
    without: Option<ActiveEffectId>,
    /// Layout that a controller is about to get.
    layout: Option<(ControllerId, &'a Layout)>,
}

impl<'a> Dependencies<'a> {
    /// Dependencies of the state as it is; the other fields describe a planned change.
    fn of(state: &'a State, catalog: &'a Catalog) -> Self {
        Self { state, catalog, index: None, without: None, layout: None }
    }

    /// Layout of a controller, or the one that it is about to get; `None` if the controller does not exist.
    fn layout_of(&self, controller: ControllerId) -> Option<&'a Layout> {
        match self.layout {
            Some((changing, layout)) if changing == controller => Some(layout),
            _ => self.state.controllers.get(controller).map(|controller| self.state.layout(controller)),
        }
    }

    /// Node that a modifier changes, if the target has the attribute (M6).
    fn changed_by(&self, reader: Reader<'_>, modifier: &Modifier) -> Option<Node> {
        self.layout_of(reader.target)?.slot_of(modifier.attribute)?;
        Some(Node { controller: reader.target, attribute: modifier.attribute, level: modifier.layer + 1 })
    }

    /// Calls `found` for each node that reads this one, with the effect whose live magnitude does.
    fn dependents(&self, node: Node, mut found: impl FnMut(Node, Option<EffectId>)) {
        let Node { controller, attribute, .. } = node;
        let Some(layout) = self.layout_of(controller) else { return };
        let Some(slot) = layout.slot_of(attribute) else { return };
        for &dependent in &layout.slots[usize::from(slot)].dependents {
            let place = &layout.slots[usize::from(dependent)].attribute;
            let derived = place.derived.iter().flat_map(|program| program.dependencies());
            let is_input = |input: &Dependency| *input == Dependency::Attribute(Side::Owner, attribute);
            // A derived attribute changes from its base upwards, a bounded one only where it is clamped.
            let level = if derived.into_iter().any(is_input) { ReadLevel::MIN } else { ReadLevel::MAX };
            found(Node { controller, attribute: place.id, level }, None);
        }
        self.readers(controller, attribute, |active| {
            let Some((instance, effect)) = self.state.effect_of(self.catalog, active) else { return };
            if instance.status != EffectStatus::Running || self.without == Some(active) {
                return;
            }
            let reader = Reader::of(instance, effect);
            for modifier in reader.modifiers() {
                if reader.reads(self.catalog, modifier, node)
                    && let Some(next) = self.changed_by(reader, modifier)
                {
                    found(next, Some(reader.id));
                }
            }
        });
    }

    /// Calls `found` for each active effect that may read an attribute live, from the index if there is one,
    /// else from the controller's watchers.
    fn readers(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
        mut found: impl FnMut(ActiveEffectId),
    ) {
        if let Some(index) = self.index {
            let start = index.partition_point(|&(of, read, _)| (of, read) < (controller, attribute));
            let of_attribute = index[start..].iter();
            of_attribute
                .take_while(|&&(of, read, _)| (of, read) == (controller, attribute))
                .for_each(|&(.., active)| found(active));
        } else if let Some(controller) = self.state.controllers.get(controller) {
            let watchers = controller.interactions.watchers.entries_for(WatchSubject::Attribute(attribute));
            watchers.iter().for_each(|&(.., active)| found(active));
        }
    }

    /// Chain of the cycle that an effect would close by its readings, if any. Visits the nodes that depend on
    /// its modified attributes, nearest first.
    fn closed_by(&self, reader: Reader<'_>, memory: &mut SearchMemory) -> Option<Box<[CycleLink]>> {
        for modifier in reader.modifiers() {
            let Some(first) = self.changed_by(reader, modifier) else { continue };
            memory.clear();
            memory.reach(Reached { node: first, from: None, by: None });
            let mut at = 0;
            while let Some(&Reached { node, .. }) = memory.reached.get(at) {
                if reader.reads(self.catalog, modifier, node) {
                    return Some(memory.chain(at, Some(reader.id)));
                }
                let from = Some(at as u32);
                for other in reader.modifiers().filter(|other| reader.reads(self.catalog, other, node)) {
                    if let Some(node) = self.changed_by(reader, other) {
                        memory.reach(Reached { node, from, by: Some(reader.id) });
                    }
                }
                self.dependents(node, |node, by| memory.reach(Reached { node, from, by }));
                at += 1;
            }
        }
        None
    }
}

impl Simulation {
    /// B6: refuses an effect whose live magnitudes would close a cycle, before it is applied. An instance
    /// that the application would replace does not count. A queued instance is checked when it begins.
    pub(super) fn check_cycles(
        &mut self,
        effect: &Effect,
        id: EffectId,
        source: Option<ControllerId>,
        target: ControllerId,
    ) -> Result<(), RefusalReason> {
        let without = match (&effect.stacking, effect.def.policy) {
            (Some(stacking), _) => self.stack_for(id, stacking, source, target),
            (None, ExecutionPolicy::RunInParallel) => None,
            (None, ExecutionPolicy::RunInSequence) => {
                if self.instances_of(id, target).next().is_some() {
                    return Ok(());
                }
                None
            }
            (None, ExecutionPolicy::RunInMerge) => self.instance_of(id, target),
        };
        self.find_cycle(Reader { id, effect, target, source }, without)
    }

    /// B6: checks an instance that is about to begin, as [`Self::check_cycles`] does. Passes if the instance
    /// is gone.
    pub(super) fn check_cycles_of(
        &mut self,
        active: ActiveEffectId,
        effect: &Effect,
    ) -> Result<(), RefusalReason> {
        let Some(instance) = self.state.effects.get(active) else { return Ok(()) };
        let reader = Reader::of(instance, effect);
        self.find_cycle(reader, Some(active))
    }

    /// Common body of the cycle checks: `CircularDependency` with the chain if `reader` would close a cycle.
    /// The readings of `without` do not count.
    fn find_cycle(
        &mut self,
        reader: Reader<'_>,
        without: Option<ActiveEffectId>,
    ) -> Result<(), RefusalReason> {
        if !reader.effect.has_live_magnitudes {
            return Ok(());
        }
        let mut memory = core::mem::take(&mut self.scratch.buffers.search);
        let dependencies = Dependencies { without, ..Dependencies::of(&self.state, &self.catalog) };
        let chain = dependencies.closed_by(reader, &mut memory);
        self.scratch.buffers.search = memory;
        chain.map_or(Ok(()), |chain| Err(RefusalReason::CircularDependency { chain }))
    }

    /// Chain of the cycle that another layout (an index of `State::layouts`) of a controller would close, if
    /// any, for a change of attribute sets. Every cycle through a controller leads through a live modifier of
    /// an effect on it.
    pub(super) fn cycle_with_layout(&mut self, id: ControllerId, layout: u32) -> Option<Box<[CycleLink]>> {
        let mut memory = core::mem::take(&mut self.scratch.buffers.search);
        let layout = Some((id, &*self.state.layouts[layout as usize]));
        let controller = self.state.controllers.get(id);
        let effects = controller.map(Controller::effects).unwrap_or_default();
        let chain = effects.iter().find_map(|&active| {
            let (instance, effect) = self.state.effect_of(&self.catalog, active)?;
            if instance.status != EffectStatus::Running || !effect.has_live_magnitudes {
                return None;
            }
            let dependencies = Dependencies {
                layout,
                without: Some(active),
                ..Dependencies::of(&self.state, &self.catalog)
            };
            dependencies.closed_by(Reader::of(instance, effect), &mut memory)
        });
        self.scratch.buffers.search = memory;
        chain
    }
}

impl State {
    /// Finds a cycle among the running effects of a state, with the effect of the cycle that began last. Does
    /// not use the watcher lists: snapshots are checked, and reloads repaired, before these are derived.
    pub(super) fn find_any_cycle(&self, catalog: &Catalog) -> Option<(ActiveEffectId, Box<[CycleLink]>)> {
        let mut index = ReaderIndex::new();
        let mut live = Vec::new();
        for (id, instance) in self.effects.iter() {
            let Some(effect) = self.definition(catalog, instance.effect) else { continue };
            if instance.status != EffectStatus::Running || !effect.has_live_magnitudes {
                continue;
            }
            let reader = Reader::of(instance, effect);
            for modifier in reader.modifiers() {
                live_reads(&modifier.magnitude, catalog.calculations(), |side, attribute, _| {
                    let of = if side == Side::Source { reader.source } else { Some(reader.target) };
                    index.extend(of.map(|of| (of, attribute, id)));
                });
            }
            live.push((instance.applied, id));
        }
        if live.is_empty() {
            return None;
        }
        index.sort_unstable();
        index.dedup();
        live.sort_unstable();
        let dependencies = Dependencies { index: Some(&index), ..Dependencies::of(self, catalog) };
        let is_acyclic = dependencies.is_acyclic(live.iter().map(|&(_, id)| id));
        if is_acyclic {
            return None;
        }
        let mut memory = SearchMemory::default();
        live.iter().rev().find_map(|&(_, id)| {
            let (instance, effect) = self.effect_of(catalog, id)?;
            let dependencies = Dependencies { without: Some(id), ..dependencies };
            let chain = dependencies.closed_by(Reader::of(instance, effect), &mut memory)?;
            Some((id, chain))
        })
    }
}

impl Dependencies<'_> {
    /// Whether no value that these effects change depends on itself; visits every dependency once.
    fn is_acyclic(&self, effects: impl Iterator<Item = ActiveEffectId>) -> bool {
        // False while the nodes that depend on one are being visited.
        let mut done: std::collections::BTreeMap<Node, bool> = Default::default();
        let mut path: Vec<(Node, Vec<Node>)> = Vec::new();
        let open = |node: Node| {
            let mut next = Vec::new();
            self.dependents(node, |node, _| next.push(node));
            (node, next)
        };
        for id in effects {
            let Some((instance, effect)) = self.state.effect_of(self.catalog, id) else { continue };
            let reader = Reader::of(instance, effect);
            for first in reader.modifiers().filter_map(|modifier| self.changed_by(reader, modifier)) {
                if done.contains_key(&first) {
                    continue;
                }
                done.insert(first, false);
                path.push(open(first));
                while let Some((node, next)) = path.last_mut() {
                    match next.pop() {
                        None => {
                            done.insert(*node, true);
                            path.pop();
                        }
                        Some(next) => match done.get(&next) {
                            Some(true) => {}
                            Some(false) => return false,
                            None => {
                                done.insert(next, false);
                                path.push(open(next));
                            }
                        },
                    }
                }
            }
        }
        true
    }
}
