//! Characters: one controller with names instead of ids, as bytes or text; for save slots, and for moving
//! from one server to another.

use ugas_core::character::{Character, InstigatorKey, Orphans, RestoreOptions};
use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::id::ActorId;

use crate::context::Context;
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain, SizePrefixed, ugas_bytes, ugas_str};
use crate::simulation::{ugas_actor, ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};

/// Text format of a character.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_text_format {
    /// YAML.
    Yaml = 0,
    /// JSON.
    Json = 1,
}

/// Treatment of effects of a character whose instigator is not found.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_orphans {
    /// They stay, with the last known values of the instigator.
    Keep = 0,
    /// Effects with a live capture of the instigator are removed.
    DropFollowers = 1,
    /// They are removed.
    Drop = 2,
}

/// Maps an instigator of a character's effects to a controller of this simulation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_instigator {
    /// Name of the instigator; empty if it is identified by its owner.
    pub name: ugas_str,
    /// Actor that owned the instigator, if has_owner is not zero.
    pub owner: ugas_actor,
    /// Controller that stands for it in this simulation.
    pub controller: ugas_controller,
    /// Whether it is identified by its owner.
    pub has_owner: u32,
    /// Zero.
    pub reserved: u32,
}

/// Options for restoring a character.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_restore_options {
    /// sizeof(ugas_restore_options).
    pub size: usize,
    /// Instigators that are known in this simulation.
    pub instigators: *const ugas_instigator,
    /// Number of entries in `instigators`.
    pub instigator_count: usize,
    /// New owner, if has_owner is not zero.
    pub owner: ugas_actor,
    /// New avatar, if has_avatar is not zero.
    pub avatar: ugas_actor,
    /// Whether the owner is replaced.
    pub has_owner: u32,
    /// Whether the avatar is replaced.
    pub has_avatar: u32,
    /// One of ugas_orphans.
    pub orphans: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_instigator {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_restore_options {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_restore_options {}

/// Saves a controller as bytes, with names instead of ids: attributes, tags, effects with their timers,
/// abilities. Changes nothing. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_character_bytes(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    out: *mut ugas_bytes,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let bytes = character_of(context, simulation, controller)?.to_bytes();
        out.set(context.lend_bytes(bytes));
        Ok(())
    })
}

/// Saves a controller as text; `format` is one of ugas_text_format. Valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_character_text(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    format: u32,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let write = match format {
            0 => ugas_data::character::to_yaml,
            1 => ugas_data::character::to_json,
            other => return Err(Failure::argument(format!("{other} is not a ugas_text_format"))),
        };
        let text = write(&character_of(context, simulation, controller)?);
        out.set(context.lend_text(text));
        Ok(())
    })
}

/// Restores a character from bytes as a new controller, whose timers go on where they were. `options` may be
/// null. `report`, which may be null, gets one line per difference to the saved state, valid until the next
/// call; it is empty if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_character_restore(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    character: ugas_bytes,
    options: *const ugas_restore_options,
    out: *mut ugas_controller,
    report: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let bytes = memory.list(character.data, character.length)?;
        let character = Character::from_bytes(bytes);
        let character = character.map_err(|error| Failure::new(ugas_status::BadBytes, error.to_string()))?;
        restore(context, memory, simulation, character, options, out, report)
    })
}

/// ugas_character_restore from text. A `name` that ends in `.json` selects JSON; error messages mention the
/// name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_character_restore_text(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    name: ugas_str,
    text: ugas_str,
    options: *const ugas_restore_options,
    out: *mut ugas_controller,
    report: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let character = ugas_data::character::from_text(memory.text(name)?, memory.text(text)?);
        let character =
            character.map_err(|error| Failure::new(ugas_status::LoadFailed, error.to_string()))?;
        restore(context, memory, simulation, character, options, out, report)
    })
}

fn character_of(
    context: &Context,
    simulation: ugas_simulation,
    controller: ugas_controller,
) -> Outcome<Character> {
    let entry = context.simulation(simulation)?;
    let character = entry.simulation().character(entry.controller(controller)?);
    character.ok_or_else(|| Failure::not_found("the controller does not exist"))
}

fn restore(
    context: &mut Context,
    memory: Memory<'_>,
    simulation: ugas_simulation,
    character: Character,
    options: *const ugas_restore_options,
    out: *mut ugas_controller,
    report: *mut ugas_str,
) -> Outcome {
    let (out, report) = (memory.out(out)?, memory.optional(report)?);
    let options = Box::new(options_of(&memory.optional_input(options)?, memory)?);
    let command = Command::RestoreCharacter { character: Box::new(character), options };
    let outcome = context.simulation_mut(simulation)?.execute(command)?;
    let CommandOutcome::Restored { controller, report: entries } = outcome else { return Ok(()) };
    out.set(controller.to_bits().get());
    if let Some(report) = report {
        report.set(context.lend_text(entries.to_string()));
    }
    Ok(())
}

fn options_of(given: &ugas_restore_options, memory: Memory<'_>) -> Outcome<RestoreOptions> {
    let mut options = RestoreOptions::default().orphans(match given.orphans {
        0 => Orphans::Keep,
        1 => Orphans::DropFollowers,
        2 => Orphans::Drop,
        other => return Err(Failure::argument(format!("{other} is not a ugas_orphans"))),
    });
    if given.has_owner != 0 {
        options = options.owner(ActorId(given.owner));
    }
    if given.has_avatar != 0 {
        options = options.avatar(ActorId(given.avatar));
    }
    for known in memory.list(given.instigators, given.instigator_count)? {
        let controller = crate::simulation::optional_controller(known.controller)?
            .ok_or_else(|| Failure::not_found("an instigator has no controller"))?;
        let key = match known.has_owner {
            0 => InstigatorKey::Name(memory.text(known.name)?.to_owned()),
            _ => InstigatorKey::Owner(ActorId(known.owner)),
        };
        options = options.instigator(key, controller);
    }
    Ok(options)
}
