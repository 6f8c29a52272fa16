//! Changes between two catalogs that require a recomputation (R2).

use crate::attribute::layout::Attribute;
use crate::catalog::{Catalog, DefinitionKind};
use crate::effect::calculation::CalculationBody;
use crate::effect::magnitude::{Magnitude, MagnitudeDef};
use crate::effect::{Duration, DurationDef, Effect};
use crate::expr::{Dependency, Program};
use crate::id::{CalculationId, CurveId};
use crate::reload::CatalogDiff;

/// Differences between the catalogs, by ids of the old one.
pub(super) struct Changes<'a> {
    pub(super) old: &'a Catalog,
    pub(super) diff: CatalogDiff,
}

impl Changes<'_> {
    /// Whether an attribute's definition or a curve in its expression changed.
    pub(super) fn attribute(&self, old: &Attribute) -> bool {
        self.diff.of(DefinitionKind::Attribute, &old.def.name).is_some()
            || old.derived.as_ref().is_some_and(|program| self.program(program))
    }

    /// Whether an effect's definition, or a curve or calculation that its state depends on, changed.
    pub(super) fn effect(&self, old: &Effect, new: &Effect) -> bool {
        let duration = match &old.duration {
            Duration::Lasting(magnitude) => self.uses(magnitude),
            Duration::Instant | Duration::Infinite => false,
        };
        old.def != new.def || duration || old.modifiers.iter().any(|modifier| self.uses(&modifier.magnitude))
    }

    /// Whether the definition of a duration, or a curve or calculation that it uses, changed.
    pub(super) fn duration(&self, old: &Effect, new: &DurationDef) -> bool {
        old.def.duration != *new
            || matches!(&old.duration, Duration::Lasting(magnitude) if self.uses(magnitude))
    }

    /// Position of the old modifier whose magnitude modifier `at` of the new definition keeps: one with the
    /// same attribute and unchanged magnitude, at the same position or at another that is not `taken`. `None`
    /// if the magnitude has to be evaluated again.
    pub(super) fn same_modifier(
        &self,
        old: &Effect,
        new: &Effect,
        at: usize,
        taken: &[usize],
    ) -> Option<usize> {
        let wanted = new.def.modifiers.get(at)?;
        let says = |at: usize| old.def.modifiers.get(at);
        let magnitude = |at: usize| -> Option<&MagnitudeDef> { says(at).map(|modifier| &modifier.magnitude) };
        let stands = |from: &usize| {
            let compiled = old.modifiers.get(*from);
            let of_attribute = says(*from).is_some_and(|modifier| modifier.attribute == wanted.attribute);
            of_attribute
                && magnitude(*from) == Some(&wanted.magnitude)
                && compiled.is_some_and(|modifier| !self.uses(&modifier.magnitude))
        };
        let elsewhere = || (0..old.modifiers.len()).filter(|from| !taken.contains(from)).find(stands);
        Some(at).filter(stands).or_else(elsewhere)
    }

    /// Whether a magnitude uses a curve or a calculation that changed.
    fn uses(&self, magnitude: &Magnitude) -> bool {
        match magnitude {
            Magnitude::Constant(_) | Magnitude::SetByCaller { .. } => false,
            Magnitude::Curve { curve, input, .. } => {
                self.curve(*curve) || input.as_ref().is_some_and(|program| self.program(program))
            }
            Magnitude::Attribute(attribute) => attribute.curve.is_some_and(|curve| self.curve(curve)),
            Magnitude::Calculation { calculation, .. } => self.calculation(*calculation),
            Magnitude::Expression { program, .. } => self.program(program),
        }
    }

    /// Whether a calculation, or a curve in its expressions, changed.
    fn calculation(&self, id: CalculationId) -> bool {
        let programs = |body: &CalculationBody| match body {
            CalculationBody::Missing | CalculationBody::Native(_) => false,
            CalculationBody::Expressions(expressions) => {
                let lets = expressions.lets.iter().map(|(_, program)| program);
                lets.chain(&expressions.result).any(|program| self.program(program))
            }
        };
        self.diff.of(DefinitionKind::Calculation, self.old.calculation_name(id)).is_some()
            || self.old.calculation(id).is_some_and(|calculation| programs(&calculation.body))
    }

    /// Whether a curve that an expression reads changed.
    fn program(&self, program: &Program) -> bool {
        let changed = |input: &Dependency| matches!(input, Dependency::Curve(curve) if self.curve(*curve));
        program.dependencies().iter().any(changed)
    }

    fn curve(&self, id: CurveId) -> bool {
        self.diff.of(DefinitionKind::Curve, self.old.curve_name(id)).is_some()
    }
}
