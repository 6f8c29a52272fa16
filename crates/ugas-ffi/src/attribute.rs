//! Attributes: one, or many at once into the caller's memory.

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, AttributeSetId};
use ugas_core::simulation::{AttributeValue, ReadError, Simulation};

use crate::catalog::{ugas_attribute, ugas_attribute_set};
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};

/// Which of an attribute's values is read.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_value {
    /// With all modifiers.
    Current = 0,
    /// Without them.
    Base = 1,
}

/// An attribute with its values.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_attribute_values {
    /// Without modifiers.
    pub base: f64,
    /// With all of them.
    pub current: f64,
    /// The attribute.
    pub attribute: ugas_attribute,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_attribute_values {}

type Pick = fn(AttributeValue) -> f64;

fn picker(value: u32) -> Outcome<Pick> {
    match value {
        0 => Ok(|value: AttributeValue| value.current),
        1 => Ok(|value: AttributeValue| value.base),
        other => Err(Failure::argument(format!("{other} is no ugas_value"))),
    }
}

fn read_failure(error: &ReadError, simulation: &Simulation) -> Failure {
    let words = error.describe(simulation);
    match error {
        ReadError::NotReplicated { .. } => Failure::new(ugas_status::NotReplicated, words),
        _ => Failure::not_found(words),
    }
}

/// A value of an attribute; `value` is one of ugas_value. On a client, a value that the server withholds is refused with
/// UGAS_STATUS_NOT_REPLICATED, and `out` is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_attribute_read(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    attribute: ugas_attribute,
    value: u32,
    out: *mut f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        let pick = picker(value)?;
        let found = entry.simulation().value(id, AttributeId::from_index(attribute));
        out.set(pick(found.map_err(|error| read_failure(&error, entry.simulation()))?));
        Ok(())
    })
}

/// Values of many attributes of many controllers at once: one row a controller, one column an attribute. `out` has room for
/// controller_count × attribute_count numbers. What does not exist or is withheld from this client is not a number, and
/// counted in `missing`, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_attributes_read(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controllers: *const ugas_controller,
    controller_count: usize,
    attributes: *const ugas_attribute,
    attribute_count: usize,
    value: u32,
    out: *mut f64,
    missing: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory: Memory<'_>| {
        let controllers = memory.list(controllers, controller_count)?;
        let attributes = memory.list(attributes, attribute_count)?;
        let places = controllers.len().checked_mul(attributes.len());
        let places = places.ok_or_else(|| Failure::argument("so many values do not fit into memory"))?;
        let missing = memory.optional(missing)?;
        let pick = picker(value)?;
        let simulation = context.simulation(simulation)?.simulation();
        let mut places = memory.block(out, places)?.iter_mut();
        let mut absent = 0;
        for &bits in controllers {
            let id = ControllerId::from_bits(bits);
            for (&attribute, place) in attributes.iter().zip(&mut places) {
                let attribute = AttributeId::from_index(attribute);
                let found = id.and_then(|id| simulation.value(id, attribute).ok()).map(pick);
                absent += usize::from(found.is_none());
                place.write(found.unwrap_or(f64::NAN));
            }
        }
        if let Some(missing) = missing {
            missing.set(absent);
        }
        Ok(())
    })
}

/// All attributes of a controller, in the order in which they are evaluated. On a client, those whose values the server
/// withholds are left out; `ugas_attribute_read` gives UGAS_STATUS_NOT_REPLICATED for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_attributes_of(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    out: *mut ugas_attribute_values,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        rows.fill(entry.simulation().attributes(id).map(|(attribute, base, current)| {
            ugas_attribute_values { base, current, attribute: attribute.index(), reserved: 0 }
        }));
        Ok(())
    })
}

/// Gives a controller one more attribute set. Refused if it has it, or if an attribute would be there twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_attribute_set_register(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    set: ugas_attribute_set,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let (controller, set) = (entry.controller(controller)?, AttributeSetId::from_index(set));
        entry.execute(Command::RegisterSet { controller, set }).map(drop)
    })
}

/// Takes an attribute set away from a controller, with its values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_attribute_set_unregister(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    set: ugas_attribute_set,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let (controller, set) = (entry.controller(controller)?, AttributeSetId::from_index(set));
        entry.execute(Command::UnregisterSet { controller, set }).map(drop)
    })
}
