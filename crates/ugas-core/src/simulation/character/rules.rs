//! Hash of everything that determines an effect's numbers (P6).

use crate::catalog::{Catalog, DefinitionKind};
use crate::effect::calculation::CalculationBody;
use crate::effect::magnitude::Magnitude;
use crate::effect::{Duration, Effect};
use crate::expr::{Dependency, Program};
use crate::hash::{StateHash, StateHasher};
use crate::id::{CalculationId, CurveId};

/// Hash of an effect's definition and of the curves and calculations that its state is computed with. It
/// contains no ids, so it is equal in every catalog with the same definitions.
pub(super) fn rules_of(catalog: &Catalog, effect: &Effect) -> u64 {
    let mut used = Used { catalog, hasher: StateHasher::new() };
    effect.def.state_hash(&mut used.hasher);
    if let Duration::Lasting(magnitude) = &effect.duration {
        used.magnitude(magnitude);
    }
    for modifier in &effect.modifiers {
        used.magnitude(&modifier.magnitude);
    }
    used.hasher.finish()
}

/// Hash of the definitions that an effect uses.
struct Used<'a> {
    catalog: &'a Catalog,
    hasher: StateHasher,
}

impl Used<'_> {
    /// Adds the curves and calculations that a magnitude uses.
    fn magnitude(&mut self, magnitude: &Magnitude) {
        match magnitude {
            Magnitude::Constant(_) | Magnitude::SetByCaller { .. } => {}
            Magnitude::Curve { curve, input, .. } => {
                self.curve(*curve);
                if let Some(program) = input {
                    self.program(program);
                }
            }
            Magnitude::Attribute(attribute) => {
                if let Some(curve) = attribute.curve {
                    self.curve(curve);
                }
            }
            Magnitude::Calculation { calculation, .. } => self.calculation(*calculation),
            Magnitude::Expression { program, .. } => self.program(program),
        }
    }

    /// Adds a calculation and the curves in its expressions.
    fn calculation(&mut self, id: CalculationId) {
        self.contents(DefinitionKind::Calculation, id.index());
        let Some(calculation) = self.catalog.calculation(id) else { return };
        if let CalculationBody::Expressions(expressions) = &calculation.body {
            let lets = expressions.lets.iter().map(|(_, program)| program);
            for program in lets.chain(&expressions.result) {
                self.program(program);
            }
        }
    }

    /// Adds the curves that an expression reads.
    fn program(&mut self, program: &Program) {
        for input in program.dependencies() {
            if let Dependency::Curve(curve) = input {
                self.curve(*curve);
            }
        }
    }

    fn curve(&mut self, id: CurveId) {
        self.contents(DefinitionKind::Curve, id.index());
    }

    /// Adds the hash of a definition's contents.
    fn contents(&mut self, kind: DefinitionKind, index: u32) {
        self.catalog.contents().of(kind, index).state_hash(&mut self.hasher);
    }
}
