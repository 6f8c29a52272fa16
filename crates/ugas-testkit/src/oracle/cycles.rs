//! Cycles of live magnitudes (B6), found naively: lists all dependencies of all controllers, and removes
//! those without predecessors until nothing changes.

use ugas_core::attribute::BoundDef;
use ugas_core::effect::magnitude::{AttributeCalculation, CaptureFrom, CaptureTime, MagnitudeDef};
use ugas_core::effect::{EffectDef, ExecutionPolicy};
use ugas_core::expr::{Dependency, Side};
use ugas_core::modifier::ModifierDef;

use super::{Actor, Oracle, OracleSpec};

/// A value of a controller, with the part of it that is read or changed: 0 is the base, `n + 1` the value up
/// to layer `n`.
type Part = (Actor, String, u8);

const WHOLE: u8 = u8::MAX;

/// Dependency: a value that is changed, and the values that are read for it.
struct Link {
    changes: Part,
    reads: Vec<Part>,
}

impl Oracle {
    /// Whether an application would close a cycle of live magnitudes, so that it is refused (B6). `replaced`
    /// is the instance whose place it takes. An application that would be queued closes none until it starts.
    pub(super) fn closes_cycle(&self, spec: &OracleSpec, target: Actor, replaced: Option<u64>) -> bool {
        let waits = spec.def.policy == ExecutionPolicy::RunInSequence
            && self.instances.iter().any(|other| other.target == target && other.effect() == spec.def.name);
        if waits && replaced.is_none() {
            return false;
        }
        let mut links = self.all_links(replaced);
        links.extend(self.links_of(spec, target));
        has_cycle(links)
    }

    /// Whether the running effects and definitions form a cycle; a set whose registration would lead to that
    /// is refused (B6).
    pub(super) fn has_cycle(&self) -> bool {
        has_cycle(self.all_links(None))
    }

    /// Dependencies of all bounds, derived attributes and running effects, except those of the instance
    /// `without`.
    fn all_links(&self, without: Option<u64>) -> Vec<Link> {
        let mut links = Vec::new();
        for actor in 0..self.bodies.len() {
            for def in self.attributes(actor) {
                let part = |name: &str| (actor, name.to_owned(), WHOLE);
                let bounds = [&def.min, &def.max].into_iter().filter_map(|bound| match bound {
                    Some(BoundDef::Attribute(name)) => Some(part(name)),
                    _ => None,
                });
                links.push(Link { changes: (actor, def.name.clone(), WHOLE), reads: bounds.collect() });
                if let Some(text) = &def.derived {
                    let reads = self.expression_reads(text).into_iter().map(|(_, name)| part(&name));
                    links.push(Link { changes: (actor, def.name.clone(), 0), reads: reads.collect() });
                }
            }
        }
        for instance in &self.instances {
            if !instance.queued && Some(instance.sequence) != without {
                links.extend(self.links_of(&instance.spec, instance.target));
            }
        }
        links
    }

    /// Dependencies of an effect's modifiers that apply continuously, not by execution, on attributes that
    /// the target has. A despawned source is read from memory and adds none.
    fn links_of(&self, spec: &OracleSpec, target: Actor) -> Vec<Link> {
        let acts =
            |def: &EffectDef, modifier: &ModifierDef| def.period.is_none() || modifier.operation.is_scaling();
        let source = spec.source.filter(|_| spec.memory.is_none());
        let modifiers = spec.def.modifiers.iter().filter(|modifier| acts(&spec.def, modifier));
        let modifiers = modifiers.filter(|modifier| self.attribute(target, &modifier.attribute).is_some());
        let link = |modifier: &ModifierDef| {
            let reads = self.live_reads(&modifier.magnitude).into_iter();
            let of = |side| if side == Side::Source { source } else { Some(target) };
            Link {
                changes: (target, modifier.attribute.clone(), modifier.layer + 1),
                reads: reads.filter_map(|(side, name, part)| Some((of(side)?, name, part))).collect(),
            }
        };
        modifiers.map(link).collect()
    }

    /// Attributes that a magnitude reads live, with the side and the part of the value; a frozen one reads
    /// none.
    fn live_reads(&self, magnitude: &MagnitudeDef) -> Vec<(Side, String, u8)> {
        match magnitude {
            MagnitudeDef::Attribute(attribute) if attribute.capture == CaptureTime::OnExecution => {
                let side = if attribute.from == CaptureFrom::Source { Side::Source } else { Side::Target };
                let part = match attribute.calculation {
                    AttributeCalculation::Base => 0,
                    AttributeCalculation::UpToLayer(layer) => layer + 1,
                    _ => WHOLE,
                };
                vec![(side, attribute.attribute.clone(), part)]
            }
            MagnitudeDef::Expression { text, capture: CaptureTime::OnExecution } => {
                let reads = self.expression_reads(text).into_iter();
                reads.map(|(side, name)| (side, name, WHOLE)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Attributes that an expression of the game reads, with their sides. Panics if the game has no such
    /// expression.
    fn expression_reads(&self, text: &str) -> Vec<(Side, String)> {
        let inputs = self.program(text).dependencies().iter();
        inputs
            .filter_map(|input| match input {
                Dependency::Attribute(side, id) => Some((*side, self.catalog.attribute_name(*id).to_owned())),
                _ => None,
            })
            .collect()
    }
}

/// Whether dependencies form a cycle: removes those that read nothing that one of the rest changes, until
/// nothing changes; what remains is part of a cycle or depends on one.
fn has_cycle(mut links: Vec<Link>) -> bool {
    loop {
        let feeds =
            |read: &Part, change: &Part| (read.0, &read.1) == (change.0, &change.1) && change.2 <= read.2;
        let waits =
            |link: &Link| link.reads.iter().any(|read| links.iter().any(|other| feeds(read, &other.changes)));
        let stays: Vec<bool> = links.iter().map(waits).collect();
        if stays.iter().all(|stays| *stays) {
            return !links.is_empty();
        }
        let mut stays = stays.into_iter();
        links.retain(|_| stays.next().unwrap_or_default());
    }
}
