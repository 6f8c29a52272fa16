//! The host's world, asked about what positions alone do not tell (GASD §4.11).

use core::ffi::c_void;

use ugas_core::effect::Vector3;
use ugas_core::handle::ControllerId;
use ugas_core::targeting::{Area, Shape, Space, SpaceAnswer};

use crate::calculation::{UserData, ugas_free};
use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Headed, Plain};
use crate::simulation::ugas_controller;
use crate::status::ugas_status;

/// The form of an area.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_shape {
    /// The nearest to the origin.
    Nearest = 0,
    /// All around the origin.
    Radius = 1,
    /// In front of the origin.
    Cone = 2,
    /// Along the facing of the origin.
    Line = 3,
    /// Around the origin, along the axes of the world.
    Box = 4,
}

/// An area that is searched.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_area {
    /// sizeof(ugas_area) of the library.
    pub size: usize,
    /// Where it begins.
    pub position: [f64; 3],
    /// Where it points; zero if nowhere.
    pub facing: [f64; 3],
    /// How far it reaches; infinite if it has no end.
    pub range: f64,
    /// Half the opening of a cone, in degrees.
    pub half_angle: f64,
    /// The width of a line.
    pub width: f64,
    /// From the middle of a box to its faces.
    pub half_extents: [f64; 3],
    /// One of ugas_shape.
    pub shape: u32,
    /// Zero.
    pub reserved: u32,
}

/// Whether one point is seen from another; both have three numbers. Not zero is yes.
pub type ugas_line_of_sight =
    Option<unsafe extern "C" fn(user: *mut c_void, from: *const f64, to: *const f64) -> u32>;

/// Who is in an area. Writes at most `capacity` controllers to `found`, in any order and each once, and the number of all
/// to `count`; is asked again with more room if that is larger. Returns 0 to have the placements searched instead.
pub type ugas_candidates = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        area: *const ugas_area,
        found: *mut ugas_controller,
        capacity: usize,
        count: *mut usize,
    ) -> u32,
>;

/// The host's world. Its answers become part of the simulation's course: they must be the same wherever it is computed.
/// The functions must not call this library, and no exception may leave them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_space {
    /// sizeof(ugas_space).
    pub size: usize,
    /// May be null: then everything is seen from everywhere.
    pub line_of_sight: ugas_line_of_sight,
    /// May be null: then the placements are searched.
    pub candidates: ugas_candidates,
    /// Given to both.
    pub user: *mut c_void,
    /// Called with `user` once nothing can call them any more; may be null. If the registration itself fails, `user` stays
    /// the host's.
    pub free: ugas_free,
}

// SAFETY: `repr(C)`, numbers and pointers; a null function is `None`.
unsafe impl Plain for ugas_space {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_space {}

/// Registers the host's world with a loader. Other threads may ask it, if the catalog is shared with a context that they
/// use.
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
        let space = HostSpace {
            line_of_sight: given.line_of_sight,
            candidates: given.candidates,
            data: UserData { user: given.user, free: given.free },
        };
        entry.add(move |builder| builder.space(space))
    })
}

struct HostSpace {
    line_of_sight: ugas_line_of_sight,
    candidates: ugas_candidates,
    data: UserData,
}

/// Room for the first answer, and the most that there will ever be.
const FIRST_ROOM: usize = 64;
const MOST_ROOM: usize = 1 << 20;

impl Space for HostSpace {
    fn line_of_sight(&self, from: Vector3, to: Vector3) -> bool {
        let Some(ask) = self.line_of_sight else { return true };
        // SAFETY: the host's own function with its own data; the points are valid during the call.
        unsafe { ask(self.data.user, from.as_ptr(), to.as_ptr()) != 0 }
    }

    fn candidates(&self, area: &Area, found: &mut Vec<ControllerId>) -> SpaceAnswer {
        let Some(ask) = self.candidates else { return SpaceAnswer::UsePlacements };
        let area = to_c(area);
        let mut room = vec![0; FIRST_ROOM];
        loop {
            let mut count = 0;
            // SAFETY: the host's own function with its own data; area and room are valid during the call.
            let answer = unsafe {
                ask(self.data.user, &raw const area, room.as_mut_ptr(), room.len(), &raw mut count)
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
