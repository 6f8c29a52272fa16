//! Effects that are defined at run time.

use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::id::EffectId;
use ugas_data::Loader;

use crate::catalog::ugas_effect;
use crate::guard::{enter, ugas_context};
use crate::memory::ugas_str;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, ugas_status};

/// Defines an effect at run time, from the text of one `gameplay_effect` document as in a pack. A `name` that
/// ends in `.json` selects JSON. Names in the text refer to the simulation's catalog. `out` gets the id of
/// the effect, which is not part of the catalog; an equal effect that is already defined gives the same id.
/// UGAS_STATUS_LOAD_FAILED, with all diagnostics, if the text cannot be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effect_define(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    name: ugas_str,
    text: ugas_str,
    out: *mut ugas_effect,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let (name, text) = (memory.text(name)?, memory.text(text)?);
        let entry = context.simulation_mut(simulation)?;
        let pack = Loader::new().text(name, text).as_single_file().load();
        let pack = pack.map_err(|error| Failure::new(ugas_status::LoadFailed, error.to_string()))?;
        let mut named = pack.documents.iter().filter_map(|document| match &document.model {
            ugas_data::model::Model::Effect(effect) => effect.name.as_ref(),
            _ => None,
        });
        let (Some(name), None) = (named.next(), named.next()) else {
            return Err(Failure::argument("the text must contain exactly one effect"));
        };
        let effect =
            pack.catalog.effect(&name.value).map_err(|error| Failure::not_found(error.to_string()))?;
        let Some(effect) = pack.catalog.effect_by_id(effect) else {
            return Err(Failure::not_found("the text has no effect"));
        };
        let command = Command::DefineEffect(Box::new(effect.def().clone()));
        if let CommandOutcome::Defined(effect) = entry.execute(command)? {
            out.set(effect.index());
        }
        Ok(())
    })
}

/// Removes an effect that was defined at run time. Refused while it is active anywhere. Its id is not used
/// again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effect_forget(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    effect: ugas_effect,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let command = Command::ForgetEffect(EffectId::from_index(effect));
        context.simulation_mut(simulation)?.execute(command).map(drop)
    })
}
