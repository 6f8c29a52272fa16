//! Simulations and their controllers.

use std::sync::Arc;

use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::event::EventFilter;
use ugas_core::handle::ControllerId;
use ugas_core::id::ActorId;
use ugas_core::simulation::{Config, Role, Simulation, Spawn};
use ugas_core::time::Span;

use crate::catalog::ugas_catalog;
use crate::context::too_many;
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, SizePrefixed, ugas_str};
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::{SimulationEntry, World};

/// Handle of a simulation of this context.
pub type ugas_simulation = u64;
/// Handle of a controller of a simulation; 0 is none. Handles of objects in a simulation are checked when
/// they are used: dead ones find nothing.
pub type ugas_controller = u64;
/// An actor of the host's world; a number that the host chooses.
pub type ugas_actor = u64;

/// Configuration of a simulation. Zero selects the default for every limit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_config {
    /// sizeof(ugas_config).
    pub size: usize,
    /// Seed of the random number generator.
    pub seed: u64,
    /// Maximum number of operations in the cascade of one call or timer.
    pub cascade_limit: u32,
    /// Maximum number of controllers.
    pub max_controllers: u32,
    /// Maximum number of effects on one controller.
    pub max_effects_per_controller: u32,
    /// Maximum number of queued events.
    pub max_events: u32,
    /// Shortest period of an effect in microseconds; set it for untrusted packs.
    pub min_period: i64,
    /// Not zero if the simulation predicts the decisions of an authority.
    pub is_client: u32,
    /// Not zero to get UGAS_EVENT_KIND_BEFORE_EFFECT_APPLIED before each application.
    pub audit: u32,
    /// Not zero to get UGAS_EVENT_KIND_TAG_COUNT_CHANGED for every change of a tag's explicit count (T6). A
    /// server that takes over the simulation gets them too.
    pub tag_counts: u32,
    /// Zero.
    pub reserved: u32,
    /// Kinds of events that are not queued: the sum of `1 << kind` for each of them, as UGAS_EVENT_KIND. Zero
    /// queues all. Neither the state nor its hash depends on it.
    pub excluded_events: u64,
}

/// Parameters of a spawn.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_spawn {
    /// sizeof(ugas_spawn).
    pub size: usize,
    /// Name of a template of the catalog.
    pub template_name: ugas_str,
    /// Logical owner, if has_owner is not zero.
    pub owner: ugas_actor,
    /// Actor that represents the controller in the world, if has_avatar is not zero.
    pub avatar: ugas_actor,
    /// Whether there is an owner.
    pub has_owner: u32,
    /// Whether there is an avatar.
    pub has_avatar: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_config {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_config {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_spawn {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_spawn {}

/// Controller with these bits, without checking that it exists; 0 is none, and malformed bits are refused.
pub(crate) fn optional_controller(bits: ugas_controller) -> Outcome<Option<ControllerId>> {
    if bits == 0 {
        return Ok(None);
    }
    let id = ControllerId::from_bits(bits);
    id.map(Some).ok_or_else(|| Failure::not_found(format!("{bits:#x} is not the handle of a controller")))
}

/// Creates an empty simulation of a catalog, to be freed with ugas_simulation_free. `config` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_new(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    config: *const ugas_config,
    out: *mut ugas_simulation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let given = memory.optional_input(config)?;
        let standard = Config::seeded(given.seed);
        let limit = |given: u32, standard: u32| if given == 0 { standard } else { given };
        let config = Config {
            role: if given.is_client == 0 { Role::Authority } else { Role::Client },
            audit: given.audit != 0,
            tag_counts: given.tag_counts != 0,
            events: EventFilter::excluding(given.excluded_events),
            cascade_limit: limit(given.cascade_limit, standard.cascade_limit),
            max_controllers: limit(given.max_controllers, standard.max_controllers),
            max_effects_per_controller: limit(
                given.max_effects_per_controller,
                standard.max_effects_per_controller,
            ),
            max_events: limit(given.max_events, standard.max_events),
            min_period: Span::from_micros(given.min_period.max(0)),
            ..standard
        };
        let simulation = Simulation::new(Arc::clone(context.catalog(catalog)?), config);
        let entry = SimulationEntry::new(World::Own(Box::new(simulation)));
        out.set(context.simulations.insert(entry).ok_or_else(|| too_many("simulation"))?);
        Ok(())
    })
}

/// Frees a simulation, a server, a client or a player; a recording in progress ends unfinished. Zero is
/// ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_free(
    context: *mut ugas_context,
    simulation: ugas_simulation,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        if simulation != 0 {
            context.simulation(simulation)?;
            drop(context.simulations.remove(simulation));
        }
        Ok(())
    })
}

/// Advances the time. Due timers fire in order; their events are polled with ugas_events_poll. Refused for a
/// server and a client, whose time advances in ugas_server_tick and ugas_client_update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_advance(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    micros: i64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }
        .run(|context, _| context.simulation_mut(simulation)?.advance(Span::from_micros(micros)))
}

/// Time of a simulation, in microseconds since it began.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_now(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(context.simulation(simulation)?.simulation().now().micros());
        Ok(())
    })
}

/// A hash of the whole state: equal for simulations that will continue identically.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_simulation_hash(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        out.set(context.simulation(simulation)?.simulation().state_hash());
        Ok(())
    })
}

/// Spawns a controller from a template.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_controller_spawn(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    spawn: *const ugas_spawn,
    out: *mut ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let given = memory.input(spawn)?;
        let mut spawn = Spawn::named(memory.text(given.template_name)?);
        if given.has_owner != 0 {
            spawn = spawn.owner(ActorId(given.owner));
        }
        if given.has_avatar != 0 {
            spawn = spawn.avatar(ActorId(given.avatar));
        }
        if let CommandOutcome::Spawned(id) =
            context.simulation_mut(simulation)?.execute(Command::Spawn(spawn))?
        {
            out.set(id.to_bits().get());
        }
        Ok(())
    })
}

/// Despawns a controller, with all its effects and abilities.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_controller_despawn(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let id = entry.controller(controller)?;
        entry.execute(Command::Despawn(id)).map(drop)
    })
}

/// Sets the avatar of a controller; clears it if `has_avatar` is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_controller_set_avatar(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    avatar: ugas_actor,
    has_avatar: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let avatar = (has_avatar != 0).then_some(ActorId(avatar));
        entry.execute(Command::SetAvatar { controller, avatar }).map(drop)
    })
}

/// Sets the owner of a controller; clears it if `has_owner` is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_controller_set_owner(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    owner: ugas_actor,
    has_owner: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let owner = (has_owner != 0).then_some(ActorId(owner));
        entry.execute(Command::SetOwner { controller, owner }).map(drop)
    })
}

/// The controller that has this actor as its avatar; 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_controller_of_avatar(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    avatar: ugas_actor,
    out: *mut ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let found = context.simulation(simulation)?.simulation().controller_of_avatar(ActorId(avatar));
        out.set(found.map_or(0, |id| id.to_bits().get()));
        Ok(())
    })
}

/// All controllers, in the order of their handles. At most `capacity` are written; `count` gets the number of
/// all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_controllers(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    out: *mut ugas_controller,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.handles(out, capacity, count)?;
        let controllers = context.simulation(simulation)?.simulation().controllers();
        rows.fill(controllers.map(|(id, _)| id.to_bits().get()));
        Ok(())
    })
}
