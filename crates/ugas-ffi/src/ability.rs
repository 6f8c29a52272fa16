//! Granted abilities (§8): grant, revoke and query.

use ugas_core::ability::{AbilityState, Grant, ParameterDef};
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::handle::GrantedAbilityId;
use ugas_core::id::{AbilityId, ActorId, TagId};
use ugas_core::input::InputId;

use crate::catalog::{ugas_ability, ugas_catalog, ugas_tag};
use crate::guard::{enter, ugas_context};
use crate::memory::{Plain, SizePrefixed, ugas_str};
use crate::simulation::{ugas_actor, ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::world::SimulationEntry;

/// Handle of an ability that was granted to a controller; 0 is none.
pub type ugas_granted_ability = u64;

/// Parameters of a grant.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_grant {
    /// sizeof(ugas_grant).
    pub size: usize,
    /// Input that activates the ability; empty is none.
    pub input: ugas_str,
    /// Tags of this grant, in addition to the tags of the definition.
    pub tags: *const ugas_tag,
    /// Number of entries in `tags`.
    pub tag_count: usize,
    /// Object that grants the ability, if has_source_object is not zero.
    pub source_object: ugas_actor,
    /// Whether there is a source object.
    pub has_source_object: u32,
    /// Not zero to activate the ability at once.
    pub activate: u32,
    /// Definition of the ability.
    pub ability: ugas_ability,
    /// Level; 0 counts as 1.
    pub level: u32,
}

/// Lifecycle state of a granted ability.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_ability_state {
    /// No activation is under way.
    Inactive = 0,
    /// Activated, but not committed yet.
    Activating = 1,
    /// Committed and running.
    Active = 2,
    /// Being ended.
    Ending = 3,
}

/// State of a granted ability. Times are in microseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_ability_info {
    /// Handle of the granted ability.
    pub granted: ugas_granted_ability,
    /// Controller that has the ability.
    pub controller: ugas_controller,
    /// Most recent activation that is still running; 0 if there is none.
    pub activation: u64,
    /// Remaining cooldown; 0 if there is none.
    pub cooldown_remaining: i64,
    /// Full length of the cooldown.
    pub cooldown_total: i64,
    /// Definition of the ability.
    pub ability: ugas_ability,
    /// Level.
    pub level: u32,
    /// One of ugas_ability_state.
    pub state: u32,
    /// Number of running activations.
    pub activation_count: u32,
    /// Charges that are left; 0 for an ability without charges.
    pub charges: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_grant {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_grant {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_ability_info {}

/// Granted ability with these bits. Does not check that it exists; the core does.
pub(crate) fn granted_of(bits: ugas_granted_ability) -> Outcome<GrantedAbilityId> {
    GrantedAbilityId::from_bits(bits)
        .ok_or_else(|| Failure::not_found(format!("{bits:#x} is not the handle of a granted ability")))
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

/// Revokes an ability; its activations are cancelled.
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

/// Sets the level of a granted ability.
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

/// Binds a granted ability to an input; an empty input unbinds it.
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

/// Revokes an ability when its last activation ends; at once if none is running.
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

/// Sets a numeric parameter that the pack declares for the ability.
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

/// Reads a number or boolean (1 or 0) of a granted ability. UGAS_STATUS_NOT_FOUND if it has no such parameter;
/// tags and texts belong to the definition: see ugas_catalog_ability_parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_ability_parameter(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    granted: ugas_granted_ability,
    name: ugas_str,
    out: *mut f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (out, name) = (memory.out(out)?, memory.text(name)?);
        let granted = granted_of(granted)?;
        let simulation = context.simulation(simulation)?.simulation();
        let found = simulation.ability(granted);
        let found =
            found.ok_or_else(|| Failure::not_found("the ability is not granted any more".to_owned()))?;
        out.set(found.parameter(name).ok_or_else(|| no_parameter(name))?);
        Ok(())
    })
}

/// Type of an ability's parameter.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_parameter_kind {
    /// A number.
    Number = 0,
    /// A boolean.
    Boolean = 1,
    /// A tag.
    Tag = 2,
    /// A text for the host.
    Text = 3,
}

/// Reads a parameter of an ability's definition. `kind`, which may be null, gets one of ugas_parameter_kind and
/// `out` the value as text: a number, `true` or `false`, the name of a tag, or the text itself. Valid until the
/// next call. UGAS_STATUS_NOT_FOUND if the ability has no such parameter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_catalog_ability_parameter(
    context: *mut ugas_context,
    catalog: ugas_catalog,
    ability: ugas_ability,
    name: ugas_str,
    kind: *mut u32,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (kind, out, name) = (memory.optional(kind)?, memory.out(out)?, memory.text(name)?);
        let rules = context.catalog(catalog)?;
        let ability = rules.ability_by_id(AbilityId::from_index(ability));
        let ability =
            ability.ok_or_else(|| Failure::not_found("the catalog has no such ability".to_owned()))?;
        let (found, value) = match ability.parameter(name).ok_or_else(|| no_parameter(name))? {
            ParameterDef::Number(number) => (ugas_parameter_kind::Number, number.to_string()),
            ParameterDef::Flag(flag) => (ugas_parameter_kind::Boolean, flag.to_string()),
            ParameterDef::Tag(tag) => (ugas_parameter_kind::Tag, tag.clone()),
            ParameterDef::Text(text) => (ugas_parameter_kind::Text, text.clone()),
        };
        if let Some(kind) = kind {
            kind.set(found as u32);
        }
        out.set(context.lend_text(value));
        Ok(())
    })
}

fn no_parameter(name: &str) -> Failure {
    Failure::not_found(format!("the ability has no parameter `{name}`"))
}

/// Granted abilities of a controller, in the order of their grants. `row_size` is sizeof(ugas_ability_info).
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

/// State of one granted ability. `row_size` is sizeof(ugas_ability_info).
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
        rows.fill([info.ok_or_else(|| Failure::not_found("the ability is not granted (anymore)"))?]);
        Ok(())
    })
}

fn info_of(entry: &SimulationEntry, handle: GrantedAbilityId) -> Option<ugas_ability_info> {
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
        activation: granted.activations().last().map_or(0, |activation| activation.to_bits().get()),
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
