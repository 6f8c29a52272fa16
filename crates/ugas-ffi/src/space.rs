//! Spatial queries that the host answers, for targeting that needs more than positions (GASD §4.11).

use core::ffi::c_void;
use std::sync::Arc;

use ugas_core::effect::Vector3;
use ugas_core::handle::ControllerId;
use ugas_core::targeting::{Area, Shape, SharedSpace, Space, SpaceAnswer};
use ugas_core::time::Time;

use crate::calculation::{UserData, ugas_free};
use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Plain, SizePrefixed};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::ugas_status;
use crate::world::World;

/// Shape of an area.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_shape {
    /// The controller nearest to the origin.
    Nearest = 0,
    /// Sphere around the origin.
    Radius = 1,
    /// Cone in front of the origin.
    Cone = 2,
    /// Line along the facing of the origin.
    Line = 3,
    /// Axis-aligned box around the origin.
    Box = 4,
}

/// Area to search.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_area {
    /// sizeof(ugas_area) of the library.
    pub size: usize,
    /// Origin of the area.
    pub position: [f64; 3],
    /// Direction of the area; zero if it has none.
    pub facing: [f64; 3],
    /// Range; infinite if it is not limited.
    pub range: f64,
    /// Half the opening angle of a cone, in degrees.
    pub half_angle: f64,
    /// Width of a line.
    pub width: f64,
    /// Half extents of a box.
    pub half_extents: [f64; 3],
    /// One of ugas_shape.
    pub shape: u32,
    /// Zero.
    pub reserved: u32,
}

/// Decides whether one point is visible from another; both have three numbers. `now` is the time of the simulation in
/// microseconds. Not zero is yes.
pub type ugas_line_of_sight =
    Option<unsafe extern "C" fn(user: *mut c_void, now: u64, from: *const f64, to: *const f64) -> u32>;

/// Finds the controllers in an area at the time `now` of the simulation, in microseconds. Writes at most `capacity` controllers to `found`, in any order and each
/// once, and the total number to `count`; it is called again with more room if that is larger. Returns 0 to
/// search the placements instead.
pub type ugas_candidates = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        now: u64,
        area: *const ugas_area,
        found: *mut ugas_controller,
        capacity: usize,
        count: *mut usize,
    ) -> u32,
>;

/// Spatial queries of the host. The answers influence the simulation: they must be the same on every machine
/// that computes it. The callbacks must not call this library, and no exception may leave them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_space {
    /// sizeof(ugas_space).
    pub size: usize,
    /// May be null: then every point is visible from every other.
    pub line_of_sight: ugas_line_of_sight,
    /// May be null: then the placements are searched.
    pub candidates: ugas_candidates,
    /// Passed to both callbacks.
    pub user: *mut c_void,
    /// Called with `user` once nothing can call the callbacks anymore; may be null. If the registration
    /// itself fails, `user` stays the host's.
    pub free: ugas_free,
}

// SAFETY: `repr(C)`, numbers and pointers; a null function is `None`.
unsafe impl Plain for ugas_space {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_space {}

/// Registers the spatial queries of the host with a loader, for all simulations of the catalog that have none of
/// their own (ugas_simulation_set_space). If the catalog is shared with another context, the thread that uses that
/// context may call them too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_set_space(
    context: *mut ugas_context,
    loader: ugas_loader,
    space: *const ugas_space,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let given = memory.input(space)?;
        let entry = context.loader_mut(loader)?;
        entry.check_open()?;
        let space = HostSpace::new(given);
        entry.add(move |builder| builder.space(space))
    })
}

/// Sets the spatial queries of one simulation, server, client or player, instead of those of its catalog: rooms with
/// different walls share one catalog. Null removes them. They are not part of snapshots and recordings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_set_space(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    space: *const ugas_space,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let given = if space.is_null() { None } else { Some(memory.input(space)?) };
        let entry = context.simulation_mut(simulation)?;
        let space = given.map(|given| Arc::new(HostSpace::new(given)) as SharedSpace);
        match &mut entry.world {
            World::Own(own) => own.set_space(space),
            #[cfg(feature = "net")]
            World::Server(server) => server.simulation_mut().set_space(space),
            #[cfg(feature = "net")]
            World::Client(client) => client.set_space(space),
            #[cfg(feature = "replay")]
            World::Player(playback) => playback.player.set_space(space),
        }
        Ok(())
    })
}

struct HostSpace {
    line_of_sight: ugas_line_of_sight,
    candidates: ugas_candidates,
    data: UserData,
}

impl HostSpace {
    fn new(given: ugas_space) -> Self {
        let data = UserData { user: given.user, free: given.free };
        Self { line_of_sight: given.line_of_sight, candidates: given.candidates, data }
    }
}

/// Capacity of the first query, and the maximum capacity.
const FIRST_ROOM: usize = 64;
const MOST_ROOM: usize = 1 << 20;

impl Space for HostSpace {
    fn line_of_sight(&self, now: Time, from: Vector3, to: Vector3) -> bool {
        let Some(ask) = self.line_of_sight else { return true };
        // SAFETY: the host's own function with its own data; the points are valid during the call.
        unsafe { ask(self.data.user, now.micros(), from.as_ptr(), to.as_ptr()) != 0 }
    }

    fn candidates(&self, now: Time, area: &Area, found: &mut Vec<ControllerId>) -> SpaceAnswer {
        let Some(ask) = self.candidates else { return SpaceAnswer::UsePlacements };
        let area = to_c(area);
        let mut room = vec![0; FIRST_ROOM];
        loop {
            let mut count = 0;
            // SAFETY: the host's own function with its own data; area and room are valid during the call.
            let answer = unsafe {
                ask(
                    self.data.user,
                    now.micros(),
                    &raw const area,
                    room.as_mut_ptr(),
                    room.len(),
                    &raw mut count,
                )
            };
            if answer == 0 {
                return SpaceAnswer::UsePlacements;
            }
            if count <= room.len() || room.len() >= MOST_ROOM {
                let known = room.iter().take(count).copied();
                found.extend(known.filter_map(ControllerId::from_bits));
                return SpaceAnswer::Found;
            }
            room.resize(count.min(MOST_ROOM), 0);
        }
    }
}

fn to_c(area: &Area) -> ugas_area {
    let (mut half_angle, mut width, mut half_extents) = (0.0, 0.0, [0.0; 3]);
    let shape = match area.shape {
        Shape::Cone(angle) => {
            half_angle = angle.degrees();
            ugas_shape::Cone
        }
        Shape::Line { width: given } => {
            width = given;
            ugas_shape::Line
        }
        Shape::Box { half_extents: given } => {
            half_extents = given;
            ugas_shape::Box
        }
        Shape::Nearest | Shape::Chain { .. } => ugas_shape::Nearest,
        Shape::SelfOnly | Shape::ActivationTarget | Shape::Radius => ugas_shape::Radius,
    };
    ugas_area {
        size: size_of::<ugas_area>(),
        position: area.origin.position(),
        facing: area.origin.facing(),
        range: area.range.unwrap_or(f64::INFINITY),
        half_angle,
        width,
        half_extents,
        shape: shape as u32,
        reserved: 0,
    }
}
