//! Changing active effects.

use ugas_core::command::Command;
use ugas_core::id::TagId;
use ugas_core::time::Span;

use super::{active_of, ugas_active_effect};
use crate::catalog::ugas_tag;
use crate::guard::{enter, ugas_context};
use crate::simulation::ugas_simulation;
use crate::status::ugas_status;

/// Changes the duration of an active effect, counted from its start; a negative duration is infinite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effect_set_duration(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    active: ugas_active_effect,
    duration: i64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let active = active_of(active)?;
        let duration = (duration >= 0).then(|| Span::from_micros(duration));
        context.simulation_mut(simulation)?.execute(Command::SetDuration { active, duration }).map(drop)
    })
}

/// Changes a SetByCaller magnitude of an active effect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effect_set_magnitude(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    active: ugas_active_effect,
    tag: ugas_tag,
    value: f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let (active, tag) = (active_of(active)?, TagId::from_index(tag));
        context.simulation_mut(simulation)?.execute(Command::SetMagnitude { active, tag, value }).map(drop)
    })
}

/// Changes the level of an active effect; its magnitudes are evaluated again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effect_set_level(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    active: ugas_active_effect,
    level: f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let active = active_of(active)?;
        context.simulation_mut(simulation)?.execute(Command::SetLevel { active, level }).map(drop)
    })
}
