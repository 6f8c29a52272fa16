//! Effects that are created while the game runs.

use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::id::EffectId;
use ugas_data::Loader;

use crate::catalog::ugas_effect;
use crate::guard::{enter, ugas_context};
use crate::memory::ugas_str;
use crate::simulation::ugas_simulation;
use crate::status::{Failure, ugas_status};

/// Creates an effect from a text that has it as a pack would: one document of the schema `gameplay_effect`. A name that ends
/// in `.json` makes it JSON. Names in it are those of the simulation's catalog. `out` gets its id, which the catalog does not
/// know; an equal one that is there already is given again. UGAS_STATUS_LOAD_FAILED, with all that is wrong, if the text
/// cannot be used.
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
            return Err(Failure::argument("the text has to have one effect, and nothing else"));
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

/// Forgets an effect that was created while the game ran. Refused while an instance of it is active. Its id is not used
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
