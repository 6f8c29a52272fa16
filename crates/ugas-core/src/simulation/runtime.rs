//! Effects created at run time, of every duration kind (GASD §4.5.17, §15.3).

use std::sync::Arc;

use super::Simulation;
use crate::catalog::{CatalogErrors, Compiler};
use crate::effect::EffectDef;
use crate::hash::StateHasher;
use crate::id::EffectId;
use crate::refusal::RefusalReason;

/// Reason for which an effect could not be created at run time.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DefineEffectError {
    /// The definition is invalid.
    #[error(transparent)]
    Invalid(#[from] CatalogErrors),
    /// An effect of the catalog has this name already.
    #[error("the catalog already has an effect `{0}`: choose another name")]
    NameTaken(String),
    /// There are too many effects created at run time.
    #[error(
        "the limit of {0} effects created at run time is reached: remove some with `forget_effect`, or raise `Config::max_runtime_effects`"
    )]
    LimitReached(u32),
}

impl Simulation {
    /// Creates an effect from code, for example for generated items. An equal existing definition is reused.
    /// The definition is part of the state: it is hashed and restored with it.
    ///
    /// The id is valid until the effect is forgotten or the simulation restores an earlier snapshot. Keep it:
    /// the catalog does not know the name, and two different definitions may share one.
    ///
    /// Names are resolved in the catalog: tags, channels, curves and calculations must exist there.
    ///
    /// # Errors
    /// If the definition is invalid, its name is taken by the catalog, or there are too many run-time
    /// effects.
    pub fn define_effect(&mut self, def: EffectDef) -> Result<EffectId, DefineEffectError> {
        let first = self.catalog.effect_count() as u32;
        let hash = StateHasher::of(&def);
        if let Some(number) = self.state.runtime_effects.number_of(hash, &def) {
            return Ok(EffectId::from_index(first.saturating_add(number)));
        }
        if self.catalog.effect(&def.name).is_ok() {
            return Err(DefineEffectError::NameTaken(def.name));
        }
        // The largest id is reserved: it names nothing.
        let has_id = first.checked_add(self.state.runtime_effects.next()).is_some_and(|id| id < u32::MAX);
        if self.state.runtime_effects.len() >= self.config.max_runtime_effects as usize || !has_id {
            return Err(DefineEffectError::LimitReached(self.config.max_runtime_effects));
        }
        let compiler = Compiler::new(&self.catalog.tables);
        let effect = compiler.effect(&Arc::new(def), self.catalog.calculations());
        self.catalog.check_effect_cycle(&compiler, &effect);
        let errors = compiler.into_errors();
        if !errors.is_empty() {
            return Err(CatalogErrors(errors).into());
        }
        let number = self.state.runtime_effects.add(hash, Arc::new(effect));
        let number = number.ok_or(DefineEffectError::LimitReached(self.config.max_runtime_effects))?;
        Ok(EffectId::from_index(first.saturating_add(number)))
    }

    /// Removes an effect created at run time. Its id is never reused.
    ///
    /// # Errors
    /// If there is no such effect, or an instance of it is active.
    pub fn forget_effect(&mut self, effect: EffectId) -> Result<(), RefusalReason> {
        let unknown = RefusalReason::UnknownEffect(effect);
        let number = effect.usize().checked_sub(self.catalog.effect_count());
        let number = number.filter(|number| self.state.runtime_effects.get(*number).is_some());
        let Some(number) = number else { return Err(unknown) };
        if self.state.runtime_effects.uses(number as u32) > 0 {
            let mut active = self.state.effects.iter();
            let instance = active.find(|(_, active)| active.effect == effect);
            return Err(instance.map_or(unknown, |(id, _)| RefusalReason::StillActive(id)));
        }
        self.state.runtime_effects.replace(number as u32, None);
        Ok(())
    }
}
