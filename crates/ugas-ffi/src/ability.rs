//! Granted abilities (§8): given, taken away, looked at.

use ugas_core::ability::{AbilityState, Grant};
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::handle::AbilityHandle;
use ugas_core::id::{AbilityId, ActorId, TagId};
use ugas_core::input::InputId;

use crate::catalog::{ugas_ability, ugas_tag};
use crate::guard::{enter, ugas_context};
use crate::memory::{Headed, Plain, ugas_str};
use crate::simulation::{ugas_actor, ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::SimulationEntry;

/// An ability that was granted to a controller; 0 is none.
pub type ugas_granted_ability = u64;

/// An ability that is to be granted.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_grant {
    /// sizeof(ugas_grant).
    pub size: usize,
    /// The input that activates it; empty is none.
    pub input: ugas_str,
    /// Tags that it has beside its own.
    pub tags: *const ugas_tag,
    /// How many there are.
    pub tag_count: usize,
    /// What it came from, if has_source_object is not zero.
    pub source_object: ugas_actor,
    /// Whether there is a source object.
    pub has_source_object: u32,
    /// Not zero to activate it at once.
    pub activate: u32,
    /// The ability.
    pub ability: ugas_ability,
    /// Its level; 0 counts as 1.
    pub level: u32,
}

/// Where a granted ability is in its life.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_ability_state {
    /// It does nothing.
    Inactive = 0,
    /// It was activated and has not committed yet.
    Activating = 1,
    /// It has committed and runs.
    Active = 2,
    /// It is being ended.
    Ending = 3,
}

/// What is known of a granted ability. Times are in microseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_ability_info {
    /// Its handle.
    pub granted: ugas_granted_ability,
    /// Whose it is.
    pub controller: ugas_controller,
    /// The last run of it that was begun and is not over; 0 if there is none.
    pub activation: u64,
    /// What is left of its cooldown; 0 if it has cooled down.
    pub cooldown_remaining: i64,
    /// How long the cooldown is in all.
    pub cooldown_total: i64,
    /// The ability.
    pub ability: ugas_ability,
    /// Its level.
    pub level: u32,
    /// One of ugas_ability_state.
    pub state: u32,
    /// How many runs of it there are.
    pub activation_count: u32,
    /// Its charges, if it has any.
    pub charges: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_grant {}
// SAFETY: it begins with its size.
unsafe impl Headed for ugas_grant {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_ability_info {}

/// A granted ability by its bits; whether it is there, the core says.
pub(crate) fn granted_of(bits: ugas_granted_ability) -> Outcome<AbilityHandle> {
    AbilityHandle::from_bits(bits)
        .ok_or_else(|| Failure::not_found(format!("{bits:#x} is no granted ability")))
}

/// Grants an ability to a controller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_grant(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    grant: *const ugas_grant,
    out: *mut ugas_granted_ability,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let given = memory.input(grant)?;
        let input = memory.text(given.input)?;
        let mut grant = Grant::new(AbilityId::from_index(given.ability)).level(given.level.max(1));
        if !input.is_empty() {
            grant = grant.input(input);
        }
        for &tag in memory.list(given.tags, given.tag_count)? {
            grant = grant.tag(TagId::from_index(tag));
        }
        if given.has_source_object != 0 {
            grant = grant.source_object(ActorId(given.source_object));
        }
        if given.activate != 0 {
            grant = grant.activated();
        }
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let command = Command::GrantWith { controller, grant: Box::new(grant) };
        if let CommandOutcome::Granted(handle) = entry.execute(command)? {
            out.set(handle.to_bits().get());
        }
        Ok(())
    })
}

/// Takes an ability away; runs of it are cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_revoke(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let granted = granted_of(granted)?;
        context.simulation_mut(simulation)?.execute(Command::Revoke(granted)).map(drop)
    })
}

/// Gives an ability another level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_set_level(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    level: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let ability = granted_of(granted)?;
        context.simulation_mut(simulation)?.execute(Command::SetAbilityLevel { ability, level }).map(drop)
    })
}

/// Binds an ability to an input; an empty one unbinds it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_bind_input(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    input: ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let input = memory.text(input)?;
        let input = (!input.is_empty()).then(|| InputId::new(input));
        let ability = granted_of(granted)?;
        context.simulation_mut(simulation)?.execute(Command::BindInput { ability, input }).map(drop)
    })
}

/// Takes an ability away once its last run is over; at once if none goes on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_revoke_on_end(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let granted = granted_of(granted)?;
        context.simulation_mut(simulation)?.execute(Command::RevokeOnEnd(granted)).map(drop)
    })
}

/// Changes a number of an ability that its pack declares as a parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_set_parameter(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    name: ugas_str,
    value: f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (ability, name) = (granted_of(granted)?, memory.text(name)?.to_owned());
        context.simulation_mut(simulation)?.execute(Command::SetParameter { ability, name, value }).map(drop)
    })
}

/// The abilities of a controller, in the order of their grants. `row_size` is sizeof(ugas_ability_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_abilities_of(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    out: *mut ugas_ability_info,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        let abilities = entry.simulation().controller(id).into_iter().flat_map(|known| known.abilities());
        rows.fill(abilities.filter_map(|&handle| info_of(entry, handle)));
        Ok(())
    })
}

/// What is known of one granted ability. `row_size` is sizeof(ugas_ability_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_look(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    out: *mut ugas_ability_info,
    row_size: usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let mut count = 0;
        let rows = memory.rows(out, row_size, 1, &raw mut count)?;
        let entry = context.simulation(simulation)?;
        let info = info_of(entry, granted_of(granted)?);
        rows.fill([info.ok_or_else(|| Failure::not_found("the ability is not granted (any more)"))?]);
        Ok(())
    })
}

fn info_of(entry: &SimulationEntry, handle: AbilityHandle) -> Option<ugas_ability_info> {
    let simulation = entry.simulation();
    let granted = simulation.ability(handle)?;
    let state = match simulation.ability_state(handle)? {
        AbilityState::Inactive => ugas_ability_state::Inactive,
        AbilityState::Activating => ugas_ability_state::Activating,
        AbilityState::Active => ugas_ability_state::Active,
        AbilityState::Ending => ugas_ability_state::Ending,
    };
    let (remaining, total) =
        simulation.ability_cooldown(handle).map_or((0, 0), |(left, all)| (left.micros(), all.micros()));
    Some(ugas_ability_info {
        granted: handle.to_bits().get(),
        controller: granted.controller().to_bits().get(),
        activation: granted.activations().last().map_or(0, |run| run.to_bits().get()),
        cooldown_remaining: remaining,
        cooldown_total: total,
        ability: granted.ability().index(),
        level: granted.level(),
        state: state as u32,
        activation_count: u32::try_from(granted.activations().len()).unwrap_or(u32::MAX),
        charges: granted.charges(),
        reserved: 0,
    })
}
