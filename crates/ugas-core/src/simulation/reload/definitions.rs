//! Reload of effects created at run time: part of the state, resolved again in the new catalog.

use std::sync::Arc;

use super::Reload;
use crate::catalog::{CatalogErrors, Compiler, DefinitionKind};
use crate::effect::Effect;
use crate::id::EffectId;
use crate::reload::{ReloadOutcome, ReloadPlace};

impl Reload<'_> {
    /// Resolves every definition again under its old number. A definition that is no longer valid is removed,
    /// as if forgotten.
    pub(super) fn translate_definitions(&mut self) {
        let first = self.next.catalog.effect_count() as u32;
        let old = self.old;
        for (number, effect) in old.state.runtime_effects.iter() {
            let resolved = self.resolve_again(effect);
            if resolved.is_some() {
                self.ids.push_runtime_effect(number, EffectId::from_index(first.saturating_add(number)));
            }
            self.next.state.runtime_effects.replace(number, resolved);
        }
    }

    /// Compiles a run-time definition under the new catalog; `None` if it is invalid there, which is
    /// reported.
    fn resolve_again(&mut self, old: &Effect) -> Option<Arc<Effect>> {
        let catalog = &self.next.catalog;
        let compiler = Compiler::new(&catalog.tables);
        let effect = compiler.effect(&old.def, catalog.calculations());
        catalog.check_effect_cycle(&compiler, &effect);
        let errors = compiler.into_errors();
        if errors.is_empty() {
            return Some(Arc::new(effect));
        }
        let outcome = ReloadOutcome::Invalid(CatalogErrors(errors));
        self.report(DefinitionKind::Effect, old.name(), ReloadPlace::RuntimeEffects, outcome);
        None
    }
}
