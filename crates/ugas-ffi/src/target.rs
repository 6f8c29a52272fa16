//! Target data (GASD §4.11.1): the targets of an ability.

use ugas_core::effect::HitResult;
use ugas_core::handle::ControllerId;
use ugas_core::id::ActorId;
use ugas_core::targeting::{Target, TargetData};

use crate::memory::{Memory, Plain};
use crate::simulation::{optional_controller, ugas_actor, ugas_controller};
use crate::status::{Failure, Outcome};

/// Kind of a target.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_target_kind {
    /// A controller.
    Controller = 0,
    /// A location.
    Location = 1,
    /// A hit on a controller or on another object.
    Hit = 2,
}

/// One target.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_target {
    /// One of ugas_target_kind.
    pub kind: u32,
    /// Part of the actor that was hit; a number that the host chooses.
    pub part: u32,
    /// Controller; 0 is possible for a hit.
    pub controller: ugas_controller,
    /// Location of a place or a hit.
    pub location: [f64; 3],
    /// For a hit: surface normal.
    pub normal: [f64; 3],
    /// For a hit: distance travelled.
    pub distance: f64,
    /// For a hit: actor that was hit, if has_actor is not zero.
    pub actor: ugas_actor,
    /// Whether an actor was hit.
    pub has_actor: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_target {}

impl ugas_target {
    /// A target with zeros in every field.
    pub(crate) fn none() -> Self {
        Self {
            kind: ugas_target_kind::Controller as u32,
            part: 0,
            controller: 0,
            location: [0.0; 3],
            normal: [0.0; 3],
            distance: 0.0,
            actor: 0,
            has_actor: 0,
            reserved: 0,
        }
    }
}

/// The caller's targets in the form of the core.
pub(crate) fn targets_of(
    targets: *const ugas_target,
    count: usize,
    memory: Memory<'_>,
) -> Outcome<TargetData> {
    let mut data = TargetData::new();
    for target in memory.list(targets, count)? {
        data.push(match target.kind {
            0 => ControllerId::from_bits(target.controller).map(Target::Controller).ok_or_else(|| {
                Failure::not_found(format!(
                    "the target {:#x} is not the handle of a controller",
                    target.controller
                ))
            })?,
            1 => Target::Location(target.location),
            2 => Target::Hit { controller: optional_controller(target.controller)?, hit: hit_of(target) },
            other => return Err(Failure::argument(format!("{other} is not a ugas_target_kind"))),
        });
    }
    data.check().map_err(|error| Failure::argument(error.to_string()))?;
    Ok(data)
}

/// A target in its C form; `None` for custom data of a Rust host, which C cannot represent.
pub(crate) fn to_c(target: &Target) -> Option<ugas_target> {
    let none = ugas_target::none();
    match target {
        Target::Controller(id) => Some(ugas_target { controller: id.to_bits().get(), ..none }),
        Target::Location(location) => {
            Some(ugas_target { kind: ugas_target_kind::Location as u32, location: *location, ..none })
        }
        Target::Hit { controller, hit } => Some(ugas_target {
            kind: ugas_target_kind::Hit as u32,
            part: hit.part,
            controller: controller.map_or(0, |id| id.to_bits().get()),
            location: hit.location,
            normal: hit.normal,
            distance: hit.distance,
            actor: hit.actor.map_or(0, |actor| actor.0),
            has_actor: u32::from(hit.actor.is_some()),
            reserved: 0,
        }),
        Target::Custom(_) => None,
    }
}

/// The hit of a target.
pub(crate) fn hit_of(target: &ugas_target) -> HitResult {
    HitResult {
        location: target.location,
        normal: target.normal,
        distance: target.distance,
        actor: (target.has_actor != 0).then_some(ActorId(target.actor)),
        part: target.part,
    }
}
