//! Effects created at run time: part of the state, resolved again in the new catalog.

use std::sync::Arc;

use super::Reload;
use crate::catalog::{CatalogErrors, Compiler, DefinitionKind};
use crate::effect::Effect;
use crate::hash::StateHasher;
use crate::id::EffectId;
use crate::reload::{ReloadOutcome, ReloadPlace};

impl Reload<'_> {
    /// Each keeps its place among them. One that does not hold together any more leaves a hole, as if forgotten.
    pub(super) fn translate_definitions(&mut self) {
        let first = self.next.catalog.effect_count();
        for at in 0..self.old.state.runtime_effects.len() {
            let resolved = self.resolve_again(at);
            let id = EffectId::from_index((first + at) as u32);
            self.ids.push_runtime_effect(resolved.is_some().then_some(id));
            if let Some(place) = self.next.state.runtime_effects.get_mut(at) {
                *place = resolved;
            }
        }
    }

    fn resolve_again(&mut self, at: usize) -> Option<Arc<Effect>> {
        let old = self.old.state.runtime_effects.get(at)?.as_ref()?;
        let catalog = &self.next.catalog;
        let compiler = Compiler::new(&catalog.tables);
        let effect = compiler.effect(&old.def, catalog.calculations());
        catalog.check_effect_cycle(&compiler, &effect);
        let errors = compiler.into_errors();
        if errors.is_empty() {
            return Some(Arc::new(effect));
        }
        self.next.state.runtime_index.remove(&StateHasher::of(&*old.def));
        let outcome = ReloadOutcome::Invalid(CatalogErrors(errors));
        self.report(DefinitionKind::Effect, old.name(), ReloadPlace::RuntimeEffects, outcome);
        None
    }
}
