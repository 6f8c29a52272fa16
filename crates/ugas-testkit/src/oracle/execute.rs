//! Executions: write, drain and clamp base values (M9, M9b, B0, B3).

use std::collections::BTreeSet;

use ugas_core::attribute::BoundDef;
use ugas_core::expr::Dependency;
use ugas_core::modifier::{ModifierDef, Operation};

use super::magnitude::Failure;
use super::{Actor, Oracle, OracleEvent, OracleSpec};

impl Oracle {
    /// Executes an effect once: writes, drains and clamps bases, and emits the execution and its cues. The
    /// error is the code of a magnitude without a value or a base that is not finite; nothing has changed
    /// then (V2).
    pub(super) fn execute(&mut self, spec: &OracleSpec, target: Actor, stacks: u32) -> Result<(), Failure> {
        let plan = self.executed_modifiers(spec, target, stacks)?;
        let before = self.bodies[target].base.clone();
        let mut written = BTreeSet::new();
        for (modifier, magnitude) in plan {
            let attribute = &modifier.attribute;
            if self.attribute(target, attribute).is_none_or(|def| def.derived.is_some()) {
                continue;
            }
            let stacks = if modifier.factor_in_stacks { f64::from(stacks) } else { 1.0 };
            let base = self.bodies[target].base.entry(attribute.clone()).or_default();
            *base = match modifier.operation {
                Operation::Add | Operation::AddPost => *base + magnitude * stacks,
                Operation::Multiply => *base * (1.0 + magnitude),
                Operation::MultiplyAdditive | Operation::MultiplyCompound => *base * magnitude,
                Operation::DivideAdditive if magnitude.abs() < 1e-9 => *base,
                Operation::DivideAdditive => *base / magnitude,
                Operation::Override => magnitude,
            };
            if !base.is_finite() {
                self.bodies[target].base = before;
                return Err("NonFinite");
            }
            written.insert(attribute.clone());
        }
        self.drain(target, &mut written);
        self.clamp_written(target, &written);
        self.emit(OracleEvent::effect("EffectExecuted", &spec.def.name, target));
        for cue in spec.def.cues.iter().collect::<BTreeSet<_>>() {
            self.emit(OracleEvent::tag("CueExecuted", target, cue));
        }
        Ok(())
    }

    /// Modifiers of an execution that write bases, with magnitudes evaluated before the first write. One
    /// whose tag conditions fail is as if it did not exist (UEM, "Modifier Tag Requirements"). The error is
    /// the code of a magnitude without a value.
    fn executed_modifiers(
        &self,
        spec: &OracleSpec,
        target: Actor,
        stacks: u32,
    ) -> Result<Vec<(ModifierDef, f64)>, Failure> {
        let view = self.view();
        let counting = spec.def.modifiers.iter().filter(|modifier| {
            let scales = spec.def.period.is_some() && modifier.operation.is_scaling();
            !scales
                && view.meets(target, &modifier.target_tags)
                && view.source_meets(spec, &modifier.source_tags)
        });
        let each = counting.map(|modifier| {
            let magnitude = view.magnitude(&modifier.magnitude, spec, target, stacks)?;
            Ok((modifier.clone(), magnitude))
        });
        each.collect()
    }

    /// Drains written meta attributes (B3): subtracts the amount from other attributes in order, each down to
    /// its minimum, and resets the meta attribute to zero. Drained attributes are added to `written`; a rest
    /// is lost.
    fn drain(&mut self, target: Actor, written: &mut BTreeSet<String>) {
        for meta in written.clone() {
            let into = self.attribute(target, &meta).map(|def| def.drain_into.clone()).unwrap_or_default();
            if into.is_empty() {
                continue;
            }
            let mut amount = self.bodies[target].base.insert(meta, 0.0).unwrap_or_default();
            for name in into {
                let Some(def) = self.attribute(target, &name) else { continue };
                let (min, _) = self.view().bounds(target, def);
                let base = self.bodies[target].base.entry(name.clone()).or_default();
                let room = min.map_or(f64::INFINITY, |min| (*base - min).max(0.0));
                let taken = amount.min(room);
                *base -= taken;
                amount -= taken;
                written.insert(name);
            }
        }
    }

    /// Clamps the written bases to their bounds (B0), a referenced attribute before its dependents. Derived
    /// ones, which have no written base, are skipped.
    pub(super) fn clamp_written(&mut self, target: Actor, written: &BTreeSet<String>) {
        let mut order: Vec<&String> = written.iter().collect();
        order.sort_by_key(|name| self.depth(target, name));
        for name in order {
            let Some(def) = self.attribute(target, name).filter(|def| def.derived.is_none()) else {
                continue;
            };
            let base = self.bodies[target].base.get(name).copied().unwrap_or_default();
            let clamped = self.view().clamp(target, def, base);
            self.bodies[target].base.insert(name.clone(), clamped);
        }
    }

    /// Depth of an attribute in the graph of bounds and derivations: 0 without any. Bases are clamped in this
    /// order.
    pub(super) fn depth(&self, actor: Actor, name: &str) -> u32 {
        let Some(def) = self.attribute(actor, name) else { return 0 };
        let mut below: Vec<String> = Vec::new();
        for bound in [&def.min, &def.max].into_iter().flatten() {
            if let BoundDef::Attribute(name) = bound {
                below.push(name.clone());
            }
        }
        for dependency in def.derived.iter().flat_map(|text| self.program(text).dependencies()) {
            if let Dependency::Attribute(_, id) = dependency {
                below.push(self.catalog.attribute_name(*id).to_owned());
            }
        }
        below.iter().map(|name| 1 + self.depth(actor, name)).max().unwrap_or(0)
    }
}
