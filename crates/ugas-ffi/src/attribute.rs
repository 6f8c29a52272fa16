//! Attributes: reading one value, or many at once into the caller's memory.

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, AttributeSetId};
use ugas_core::simulation::{AttributeValue, ReadError, Simulation};

use crate::catalog::{ugas_attribute, ugas_attribute_set};
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};

/// Value of an attribute to read.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_value {
    /// Current value, with all modifiers.
    Current = 0,
    /// Base value, without modifiers.
    Base = 1,
}

/// Base and current value of an attribute.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_attribute_values {
    /// Base value, without modifiers.
    pub base: f64,
    /// Current value, with all modifiers.
    pub current: f64,
    /// The attribute.
    pub attribute: ugas_attribute,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_attribute_values {}

type ReadValue = fn(AttributeValue) -> f64;

pub(crate) fn value_reader(value: u32) -> Outcome<ReadValue> {
    match value {
        0 => Ok(|value: AttributeValue| value.current),
        1 => Ok(|value: AttributeValue| value.base),
        other => Err(Failure::argument(format!("{other} is not a ugas_value"))),
    }
}

pub(crate) fn read_failure(error: &ReadError, simulation: &Simulation) -> Failure {
    let message = error.describe(simulation);
    match error {
        ReadError::NotReplicated { .. } => Failure::new(ugas_status::NotReplicated, message),
        _ => Failure::not_found(message),
    }
}

/// Reads an attribute; `value` is one of ugas_value. On a client, a value that the server does not replicate
/// is refused with UGAS_STATUS_NOT_REPLICATED, and `out` is left unchanged.
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
        let read_value = value_reader(value)?;
        let found = entry.simulation().value(id, AttributeId::from_index(attribute));
        out.set(read_value(found.map_err(|error| read_failure(&error, entry.simulation()))?));
        Ok(())
    })
}

/// Reads many attributes of many controllers at once: one row per controller, one column per attribute. `out`
/// has room for controller_count × attribute_count numbers. A value that does not exist or is not replicated
/// to this client is NaN, and is counted in `missing`, which may be null.
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
        let cell_count = controllers.len().checked_mul(attributes.len());
        let cell_count =
            cell_count.ok_or_else(|| Failure::argument("controller_count × attribute_count is too large"))?;
        let missing = memory.optional(missing)?;
        let read_value = value_reader(value)?;
        let simulation = context.simulation(simulation)?.simulation();
        let mut cells = memory.block(out, cell_count)?.iter_mut();
        let mut absent = 0;
        for &bits in controllers {
            let id = ControllerId::from_bits(bits);
            for (&attribute, cell) in attributes.iter().zip(&mut cells) {
                let attribute = AttributeId::from_index(attribute);
                let found = id.and_then(|id| simulation.value(id, attribute).ok()).map(read_value);
                absent += usize::from(found.is_none());
                cell.write(found.unwrap_or(f64::NAN));
            }
        }
        if let Some(missing) = missing {
            missing.set(absent);
        }
        Ok(())
    })
}

/// All attributes of a controller, in evaluation order. On a client, attributes that the server does not
/// replicate are left out; `ugas_attribute_read` returns UGAS_STATUS_NOT_REPLICATED for them.
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

/// Adds an attribute set to a controller. Refused if the controller has it already, or has one of its
/// attributes.
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

/// Removes an attribute set and its values from a controller.
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
