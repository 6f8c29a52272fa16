//! Placements and teams of controllers, reported by the host.

use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::targeting::{Placement, Team};

use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, ugas_str};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};

/// Position and facing of a controller; a zero facing has no direction.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_placement {
    /// Position in world coordinates.
    pub position: [f64; 3],
    /// Direction that the controller faces.
    pub facing: [f64; 3],
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_placement {}

/// Sets the placements of many controllers: `placements` has one entry per controller, in the same order. All
/// numbers must be finite, or nothing is changed. Controllers that do not exist are skipped and counted in
/// `missing`, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_placements_set(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controllers: *const ugas_controller,
    placements: *const ugas_placement,
    count: usize,
    missing: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let missing = memory.optional(missing)?;
        let controllers = memory.list(controllers, count)?;
        let placements = memory.list(placements, count)?;
        for placement in placements {
            checked(placement)?;
        }
        let entry = context.simulation_mut(simulation)?;
        let mut absent = 0;
        for (&bits, placement) in controllers.iter().zip(placements) {
            let id = ControllerId::from_bits(bits).filter(|id| entry.simulation().controller(*id).is_some());
            let Some(controller) = id else {
                absent += 1;
                continue;
            };
            let placement = Some(checked(placement)?);
            entry.execute(Command::SetPlacement { controller, placement })?;
        }
        if let Some(missing) = missing {
            missing.set(absent);
        }
        Ok(())
    })
}

/// Clears the placement of a controller: it has no position, and no area contains it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_placement_clear(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        entry.execute(Command::SetPlacement { controller, placement: None }).map(drop)
    })
}

/// Sets the team of a controller; an empty name is no team.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_team_set(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    team: ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let team = memory.text(team)?;
        let team = (!team.is_empty()).then(|| Team::from(team));
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        entry.execute(Command::SetTeam { controller, team }).map(drop)
    })
}

fn checked(placement: &ugas_placement) -> Outcome<Placement> {
    Placement::new(placement.position, placement.facing).map_err(|error| Failure::argument(error.to_string()))
}
