//! Effects created at run time, of every duration kind (GASD §4.5.17, §15.3).

use std::sync::Arc;

use super::Simulation;
use crate::catalog::{CatalogErrors, Compiler};
use crate::effect::EffectDef;
use crate::hash::StateHasher;
use crate::id::EffectId;
use crate::refusal::RefusalReason;

/// Why an effect could not be created at run time.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DefineEffectError {
    /// The definition does not hold together.
    #[error(transparent)]
    Invalid(#[from] CatalogErrors),
    /// An effect of the catalog has this name already.
    #[error("the catalog has an effect `{0}` already: choose another name")]
    NameTaken(String),
    /// There are too many already.
    #[error("the limit of {0} effects created at run time is reached: forget some")]
    LimitReached(u32),
}

impl Simulation {
    /// Creates an effect from code, as item generators do. An equal definition that exists already is used again, so
    /// equal items cost nothing. The definition is part of the state: it is hashed and restored with it.
    ///
    /// The id is good until the effect is forgotten or the simulation goes back to a time before it; keep it, for the
    /// catalog does not know the name. Two different definitions may share a name.
    ///
    /// Names are resolved in the catalog: tags, channels, curves and calculations must be known to it.
    ///
    /// # Errors
    /// If the definition does not hold together, its name is taken, or there are too many.
    pub fn define_effect(&mut self, def: EffectDef) -> Result<EffectId, DefineEffectError> {
        let offset = self.catalog.effect_count();
        let id = |index: usize| EffectId::from_index((offset + index) as u32);
        let hash = StateHasher::of(&def);
        let known = self.state.runtime_index.get(&hash).map(|&at| at as usize);
        if let Some(at) = known
            && let Some(Some(known)) = self.state.runtime_effects.get(at)
            && *known.def == def
        {
            return Ok(id(at));
        }
        if self.catalog.effect(&def.name).is_ok() {
            return Err(DefineEffectError::NameTaken(def.name));
        }
        if self.state.runtime_index.len() >= self.config.max_runtime_effects as usize {
            return Err(DefineEffectError::LimitReached(self.config.max_runtime_effects));
        }
        let compiler = Compiler::new(&self.catalog.tables);
        let effect = compiler.effect(&Arc::new(def), self.catalog.calculations());
        self.catalog.check_effect_cycle(&compiler, &effect);
        let errors = compiler.into_errors();
        if !errors.is_empty() {
            return Err(CatalogErrors(errors).into());
        }
        let at = self.state.runtime_effects.len();
        self.state.runtime_effects.push(Some(Arc::new(effect)));
        self.state.runtime_index.insert(hash, at as u32);
        Ok(id(at))
    }

    /// Forgets an effect created at run time. Its id is never used again.
    ///
    /// # Errors
    /// If there is no such effect, or an instance of it is active.
    pub fn forget_effect(&mut self, effect: EffectId) -> Result<(), RefusalReason> {
        let unknown = RefusalReason::UnknownEffect(effect);
        let Some(index) = effect.usize().checked_sub(self.catalog.effect_count()) else {
            return Err(unknown);
        };
        if let Some((id, _)) = self.state.effects.iter().find(|(_, active)| active.effect == effect) {
            return Err(RefusalReason::StillActive(id));
        }
        match self.state.runtime_effects.get_mut(index) {
            None => Err(unknown),
            Some(known) => {
                let forgotten = known.take().ok_or(unknown)?;
                self.state.runtime_index.remove(&StateHasher::of(&*forgotten.def));
                Ok(())
            }
        }
    }
}
