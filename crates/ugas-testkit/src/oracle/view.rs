//! Values derived from the active effects at one moment: tags, cues, bounds and current values (M1–M8, B0–B2,
//! T2, E11).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ugas_core::attribute::{AttributeDef, BoundDef, Evaluation};
use ugas_core::effect::magnitude::AttributeCalculation;
use ugas_core::modifier::{ModifierDef, Operation, TagRequirementDef};

use super::{Actor, Instance, Oracle, lineage};

/// Tag counts of one controller.
pub type Counts = BTreeMap<String, u32>;

/// View of an oracle, computed from scratch; values are cached for the lifetime of the view only.
pub struct View<'a> {
    pub(super) oracle: &'a Oracle,
    explicit: Vec<Counts>,
    cumulative: Vec<Counts>,
    current: RefCell<BTreeMap<(Actor, String), Option<f64>>>,
}

/// Modifier that applies.
struct Term<'a> {
    instance: &'a Instance,
    index: usize,
    modifier: &'a ModifierDef,
    magnitude: f64,
    stacks: f64,
}

impl<'a> View<'a> {
    /// Counts the tags that all live instances grant; values are computed on demand.
    pub(super) fn new(oracle: &'a Oracle) -> Self {
        let mut explicit = vec![Counts::new(); oracle.bodies.len()];
        let mut cumulative = explicit.clone();
        for instance in oracle.instances.iter().filter(|instance| instance.is_live() && instance.granted) {
            for tag in instance.spec.granted_tags() {
                *explicit[instance.target].entry(tag.clone()).or_default() += 1;
                for ancestor in lineage(&tag) {
                    *cumulative[instance.target].entry(ancestor.to_owned()).or_default() += 1;
                }
            }
        }
        Self { oracle, explicit, cumulative, current: RefCell::default() }
    }

    /// Number of grants of each tag of a controller (§7.2); tags without a grant are missing. Panics if the
    /// actor was never spawned.
    pub fn explicit(&self, actor: Actor) -> &Counts {
        &self.explicit[actor]
    }

    /// Number of grants of each tag of a controller and its descendants (§7.2); tags without a grant are
    /// missing. Panics if the actor was never spawned.
    pub fn cumulative(&self, actor: Actor) -> &Counts {
        &self.cumulative[actor]
    }

    /// Number of effects on a controller that show each cue (E11): their own cues, and granted tags under
    /// `GameplayCue` (C2).
    pub fn cues(&self, actor: Actor) -> Counts {
        let mut counts = Counts::new();
        let live = |instance: &&Instance| instance.is_live() && instance.granted;
        for instance in self.oracle.effects_on(actor).into_iter().filter(live) {
            let granted = instance.spec.granted_tags();
            let granted = granted.iter().filter(|tag| tag.starts_with("GameplayCue."));
            for cue in instance.spec.def.cues.iter().chain(granted).collect::<BTreeSet<_>>() {
                *counts.entry(cue.clone()).or_default() += 1;
            }
        }
        counts
    }

    /// Whether a controller has a tag or one below it (§7.3). Panics if the actor was never spawned.
    pub fn has(&self, actor: Actor, tag: &str) -> bool {
        self.cumulative[actor].contains_key(tag)
    }

    /// Whether the source of an application has a tag, or had it when it was despawned (M5).
    pub(super) fn source_has(&self, spec: &super::OracleSpec, tag: &str) -> bool {
        match (&spec.memory, spec.source) {
            (Some(memory), _) => memory.tags.contains(tag),
            (None, Some(source)) => self.has(source, tag),
            (None, None) => false,
        }
    }

    /// Whether a controller has all required and none of the ignored tags: the condition of a modifier or
    /// additional effect on its target.
    pub(super) fn meets(&self, actor: Actor, requirement: &TagRequirementDef) -> bool {
        requirement.require.iter().all(|tag| self.has(actor, tag))
            && !requirement.ignore.iter().any(|tag| self.has(actor, tag))
    }

    /// Whether the source of an application meets a tag requirement; a despawned source with its last tags
    /// (M5).
    pub(super) fn source_meets(&self, spec: &super::OracleSpec, requirement: &TagRequirementDef) -> bool {
        requirement.require.iter().all(|tag| self.source_has(spec, tag))
            && !requirement.ignore.iter().any(|tag| self.source_has(spec, tag))
    }

    /// Base value of an attribute: the stored value, or that of its expression (B2). `None` if the controller
    /// does not have the attribute.
    pub fn base(&self, actor: Actor, attribute: &str) -> Option<f64> {
        let def = self.oracle.attribute(actor, attribute)?;
        let stored = self.oracle.bodies[actor].base.get(attribute).copied();
        match &def.derived {
            Some(expression) => self.derive(actor, expression).or(stored),
            None => stored,
        }
    }

    /// Current value of an attribute, clamped, from the view's cache if it was computed before. `None` if the
    /// controller does not have it.
    pub fn current(&self, actor: Actor, attribute: &str) -> Option<f64> {
        let key = (actor, attribute.to_owned());
        if let Some(&known) = self.current.borrow().get(&key) {
            return known;
        }
        let value = self.compute_current(actor, attribute);
        self.current.borrow_mut().insert(key, value);
        value
    }

    /// Current value without the cache: all layers (M1), then the clamp (B0). `None` if the controller does
    /// not have the attribute.
    fn compute_current(&self, actor: Actor, attribute: &str) -> Option<f64> {
        let def = self.oracle.attribute(actor, attribute)?;
        let value = self.value_up_to_layer(actor, def, 9)?;
        Some(self.clamp(actor, def, value))
    }

    /// Clamps a value to the attribute's bounds; the lower bound wins (B0).
    pub fn clamp(&self, actor: Actor, def: &AttributeDef, value: f64) -> f64 {
        let (min, max) = self.bounds(actor, def);
        value.min(max.unwrap_or(f64::INFINITY)).max(min.unwrap_or(f64::NEG_INFINITY))
    }

    /// Lower and upper bound; `None` where there is none. An attribute that is a bound counts with its
    /// clamped current value (B1).
    pub fn bounds(&self, actor: Actor, def: &AttributeDef) -> (Option<f64>, Option<f64>) {
        let value = |bound: &Option<BoundDef>| match bound.as_ref()? {
            BoundDef::Constant(value) => Some(*value),
            BoundDef::Attribute(name) => self.current(actor, name),
        };
        (value(&def.min), value(&def.max))
    }

    /// Reading of an attribute for a magnitude (§9.4.2): its current value, base, difference of both, or
    /// value up to a layer. `None` if the controller lacks it.
    pub(super) fn reading(&self, actor: Actor, name: &str, calculation: AttributeCalculation) -> Option<f64> {
        let def = self.oracle.attribute(actor, name)?;
        match calculation {
            AttributeCalculation::Current => self.current(actor, name),
            AttributeCalculation::Base => self.base(actor, name),
            AttributeCalculation::Bonus => Some(self.current(actor, name)? - self.base(actor, name)?),
            AttributeCalculation::UpToLayer(layer) if layer >= 9 => self.current(actor, name),
            AttributeCalculation::UpToLayer(layer) => self.value_up_to_layer(actor, def, layer),
        }
    }

    /// Value up to and including a layer (M1), without the clamp; `None` if the controller does not have the
    /// attribute.
    fn value_up_to_layer(&self, actor: Actor, def: &AttributeDef, last: u8) -> Option<f64> {
        let base = self.base(actor, &def.name)?;
        let mut terms = self.applying_modifiers(actor, &def.name);
        if def.evaluation == Evaluation::MostNegativeOnly {
            keep_most_negative(base, &mut terms);
        }
        let mut value = base;
        for layer in 0..=last {
            let terms: Vec<&Term<'_>> = terms.iter().filter(|term| term.modifier.layer == layer).collect();
            value = evaluate_layer(value, &terms);
        }
        Some(value)
    }

    /// Modifiers of an attribute that apply, in application order (M5, M9b, M10): of live instances, with
    /// their conditions met, and not those that executions write to the base.
    fn applying_modifiers(&self, actor: Actor, attribute: &str) -> Vec<Term<'a>> {
        let mut terms = Vec::new();
        for instance in self.oracle.effects_on(actor).into_iter().filter(|instance| instance.is_live()) {
            for (index, modifier) in instance.spec.def.modifiers.iter().enumerate() {
                let executed = instance.period().is_some() && !modifier.operation.is_scaling();
                if modifier.attribute == attribute
                    && !executed
                    && self.meets(actor, &modifier.target_tags)
                    && self.source_meets(&instance.spec, &modifier.source_tags)
                {
                    let stacks = if modifier.factor_in_stacks { f64::from(instance.stacks) } else { 1.0 };
                    let magnitude = instance.magnitudes[index];
                    terms.push(Term { instance, index, modifier, magnitude, stacks });
                }
            }
        }
        terms
    }
}

/// Value after one layer of M1, with M2–M4 and M8: additions, multipliers by channel, divisors, late
/// additions; the winning override replaces the result. `terms` are the modifiers of this layer only.
fn evaluate_layer(input: f64, terms: &[&Term<'_>]) -> f64 {
    let sum = |operation: Operation| -> f64 {
        let of = terms.iter().filter(|term| term.modifier.operation == operation);
        of.map(|term| term.magnitude * term.stacks).sum()
    };
    let excess = |operation: Operation| -> f64 {
        let of = terms.iter().filter(|term| term.modifier.operation == operation);
        of.map(|term| (term.magnitude - 1.0) * term.stacks).sum()
    };
    let mut value = input + sum(Operation::Add);
    let mut channels: BTreeMap<&str, f64> = BTreeMap::new();
    for term in terms {
        match (term.modifier.operation, &term.modifier.channel) {
            (Operation::Multiply, Some(channel)) => {
                *channels.entry(channel).or_default() += term.magnitude * term.stacks;
            }
            (Operation::Multiply, None) => value *= power(1.0 + term.magnitude, term.stacks),
            (Operation::MultiplyCompound, _) => value *= power(term.magnitude, term.stacks),
            _ => {}
        }
    }
    for bonus in channels.values() {
        value *= 1.0 + bonus;
    }
    value *= 1.0 + excess(Operation::MultiplyAdditive);
    let divisor = 1.0 + excess(Operation::DivideAdditive);
    value /= if divisor.abs() < 1e-9 { 1.0 } else { divisor };
    value += sum(Operation::AddPost);
    let overrides = terms.iter().filter(|term| term.modifier.operation == Operation::Override);
    let winner = overrides
        .max_by_key(|term| (term.instance.spec.def.priority, term.instance.applied, term.index))
        .map(|term| term.magnitude);
    winner.unwrap_or(value)
}

/// Product of a factor with itself, so many times: a multiplier that counts once for each stack.
fn power(factor: f64, times: f64) -> f64 {
    (0..times as u32).fold(1.0, |product, _| product * factor)
}

/// Drops modifiers by M7 (`MostNegativeOnly`): of those that would lower the base, only the one that lowers
/// it most stays. Overrides are not affected.
fn keep_most_negative(base: f64, terms: &mut Vec<Term<'_>>) {
    let change = |term: &Term<'_>| match term.modifier.operation {
        Operation::Override => 0.0,
        _ => evaluate_layer(base, &[term]) - base,
    };
    let worst = terms.iter().map(change).fold(0.0, f64::min);
    let mut kept = false;
    terms.retain(|term| {
        let own = change(term);
        if own >= 0.0 {
            return true;
        }
        let keep = own == worst && !kept;
        kept |= keep;
        keep
    });
}
