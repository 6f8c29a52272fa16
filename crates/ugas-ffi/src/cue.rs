//! Cues (§12): their context, and cues that the host executes, adds and removes outside effects and abilities
//! (C1).

use std::sync::Arc;

use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::effect::{EffectContext, RawPayload};
use ugas_core::event::CueDetails;
use ugas_core::handle::GrantedAbilityId;
use ugas_core::id::{AbilityId, ActorId, TagId};
use ugas_core::targeting::Target;
use ugas_core::time::Span;

use crate::catalog::{ugas_ability, ugas_tag};
use crate::context::UGAS_NO_ID;
use crate::effect::ugas_active_effect;
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain, SizePrefixed, ugas_bytes, ugas_str};
use crate::simulation::{optional_controller, ugas_actor, ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::target::{hit_of, to_c, ugas_target};
use crate::world::Lent;

/// Cue that the host executes or adds, with its context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_cue {
    /// sizeof(ugas_cue).
    pub size: usize,
    /// Magnitude of an executed cue; an added cue has none.
    pub magnitude: f64,
    /// Controller that caused it; 0 is nobody.
    pub source: ugas_controller,
    /// Granted ability that it comes from; 0 is none.
    pub ability: u64,
    /// Hit that led to it; null is none.
    pub hit: *const ugas_target,
    /// Actor that physically caused it, if has_causer is not zero.
    pub causer: ugas_actor,
    /// Object that it originated from, if has_source_object is not zero.
    pub source_object: ugas_actor,
    /// World location, if has_origin is not zero.
    pub origin: [f64; 3],
    /// Context tags.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
    /// Kind of the payload, a name of the host; empty is no payload.
    pub payload_kind: ugas_str,
    /// Payload, data of the host.
    pub payload: ugas_bytes,
    /// Tag of the cue.
    pub cue: ugas_tag,
    /// Whether there is a causer.
    pub has_causer: u32,
    /// Whether there is a source object.
    pub has_source_object: u32,
    /// Whether there is an origin.
    pub has_origin: u32,
}

/// Context of a cue: cause, hit, levels, tags and payload (C1). Lists and texts are valid as long as the
/// event.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_cue_details {
    /// Controller that caused it; 0 is nobody.
    pub instigator: ugas_controller,
    /// Actor that physically caused it, if has_causer is not zero.
    pub causer: ugas_actor,
    /// Object that it originated from, if has_source_object is not zero.
    pub source_object: ugas_actor,
    /// Hit that led to it, with location and normal, if has_hit is not zero.
    pub hit: ugas_target,
    /// World location of the effect, if has_origin is not zero.
    pub origin: [f64; 3],
    /// Duration of the effect in microseconds; -1 for an instant one, and for one without end.
    pub duration: i64,
    /// Tags of the source and of its ability, with all ancestors.
    pub source_tags: *const ugas_tag,
    /// Number of tags of the source.
    pub source_tag_count: usize,
    /// Tags of the ability alone, with all ancestors.
    pub ability_tags: *const ugas_tag,
    /// Number of tags of the ability.
    pub ability_tag_count: usize,
    /// Tags of the target, with all ancestors.
    pub target_tags: *const ugas_tag,
    /// Number of tags of the target.
    pub target_tag_count: usize,
    /// Context tags, such as Hit.Critical.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
    /// Kind of the payload; empty without a payload.
    pub payload_kind: ugas_str,
    /// Payload, data of the host.
    pub payload: ugas_bytes,
    /// Ability that it comes from; UGAS_NO_ID if there is none.
    pub ability: ugas_ability,
    /// Level of the ability; 0 without one.
    pub ability_level: u32,
    /// Stacks of the effect.
    pub stacks: u32,
    /// Whether there is a causer.
    pub has_causer: u32,
    /// Whether there is a source object.
    pub has_source_object: u32,
    /// Whether there is a hit.
    pub has_hit: u32,
    /// Whether there is an origin.
    pub has_origin: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_cue {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_cue {}

/// Executes a cue on a controller once. Clients that see the controller get it with its context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_cue_execute(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    cue: *const ugas_cue,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let given = memory.input(cue)?;
        let effect_context = context_of(&given, memory)?;
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let (cue, magnitude) = (TagId::from_index(given.cue), given.magnitude);
        entry.execute(Command::ExecuteCue { controller, cue, magnitude, context: effect_context }).map(drop)
    })
}

/// Adds a cue to a controller until ugas_cue_remove removes it. Several holders of one cue are counted.
/// `active`, which may be null, gets the internal effect that holds the cue.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_cue_add(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    cue: *const ugas_cue,
    active: *mut ugas_active_effect,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let active = memory.optional(active)?;
        let given = memory.input(cue)?;
        let effect_context = context_of(&given, memory)?;
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let cue = TagId::from_index(given.cue);
        let outcome = entry.execute(Command::AddCue { controller, cue, context: effect_context })?;
        if let (Some(active), CommandOutcome::Applied(applied)) = (active, outcome) {
            active.set(applied.active().map_or(0, |id| id.to_bits().get()));
        }
        Ok(())
    })
}

/// Removes a cue that ugas_cue_add added, the oldest of several. `count`, which may be null, gets 1, or 0 if
/// there is none. A cue that an effect or an ability holds as well stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_cue_remove(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    cue: ugas_tag,
    count: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let count = memory.optional(count)?;
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let cue = TagId::from_index(cue);
        let outcome = entry.execute(Command::RemoveCue { controller, cue })?;
        if let (Some(count), CommandOutcome::Removed(removed)) = (count, outcome) {
            count.set(removed);
        }
        Ok(())
    })
}

fn context_of(given: &ugas_cue, memory: Memory<'_>) -> Outcome<EffectContext> {
    let mut context = EffectContext::of(optional_controller(given.source)?);
    context.ability = ability_of(given.ability)?;
    context.set_causer((given.has_causer != 0).then_some(ActorId(given.causer)));
    context.set_source_object((given.has_source_object != 0).then_some(ActorId(given.source_object)));
    context.set_hit(memory.list(given.hit, usize::from(!given.hit.is_null()))?.first().map(hit_of));
    context.set_origin((given.has_origin != 0).then_some(given.origin));
    add_tags_and_payload(
        &mut context,
        (given.context_tags, given.context_tag_count),
        (given.payload_kind, given.payload),
        memory,
    )?;
    Ok(context)
}

/// Granted ability with these bits, without checking that it exists; 0 is none.
pub(crate) fn ability_of(bits: u64) -> Outcome<Option<GrantedAbilityId>> {
    match bits {
        0 => Ok(None),
        bits => match GrantedAbilityId::from_bits(bits) {
            Some(ability) => Ok(Some(ability)),
            None => Err(Failure::not_found(format!("{bits:#x} is not the handle of a granted ability"))),
        },
    }
}

/// Adds context tags and payload to the context of an effect or a cue.
pub(crate) fn add_tags_and_payload(
    context: &mut EffectContext,
    (tags, count): (*const ugas_tag, usize),
    (kind, payload): (ugas_str, ugas_bytes),
    memory: Memory<'_>,
) -> Outcome {
    let tags: Vec<TagId> = memory.list(tags, count)?.iter().map(|&tag| TagId::from_index(tag)).collect();
    if !tags.is_empty() {
        context.add_tags(&tags);
    }
    let (kind, bytes) = (memory.text(kind)?, memory.list(payload.data, payload.length)?);
    if !kind.is_empty() {
        let raw = RawPayload { kind: kind.to_owned(), bytes: bytes.to_vec() };
        context.set_raw_payload(Some(Arc::new(raw)));
    } else if !bytes.is_empty() {
        return Err(Failure::argument("a payload needs a payload_kind"));
    }
    Ok(())
}

/// Context of a cue in C form; its lists are stored in `lent`.
pub(crate) fn details_to_c(details: &CueDetails, lent: &mut Lent) -> ugas_cue_details {
    let hit = details.hit.map(|hit| Target::Hit { controller: None, hit });
    let no_hit = Target::Hit { controller: None, hit: Default::default() };
    let hit = hit.as_ref().unwrap_or(&no_hit);
    let (source_tags, source_tag_count) = lent.tags(details.source_tags.iter());
    let (ability_tags, ability_tag_count) = lent.tags(details.ability_tags.iter());
    let (target_tags, target_tag_count) = lent.tags(details.target_tags.iter());
    let (context_tags, context_tag_count) = lent.tags(details.context_tags.iter());
    let payload = details.payload.as_deref();
    ugas_cue_details {
        instigator: details.instigator.map_or(0, |id| id.to_bits().get()),
        causer: details.causer.map_or(0, |actor| actor.0),
        source_object: details.source_object.map_or(0, |actor| actor.0),
        hit: to_c(hit).unwrap_or_else(ugas_target::none),
        origin: details.origin.unwrap_or_default(),
        duration: details.duration.map_or(-1, Span::micros),
        source_tags,
        source_tag_count,
        ability_tags,
        ability_tag_count,
        target_tags,
        target_tag_count,
        context_tags,
        context_tag_count,
        payload_kind: payload.map_or(ugas_str::EMPTY, |payload| lent.text(&payload.kind)),
        payload: lent.bytes(payload.map_or(&[], |payload| &payload.bytes)),
        ability: details.ability.map_or(UGAS_NO_ID, AbilityId::index),
        ability_level: details.ability_level.unwrap_or(0),
        stacks: details.stacks,
        has_causer: u32::from(details.causer.is_some()),
        has_source_object: u32::from(details.source_object.is_some()),
        has_hit: u32::from(details.hit.is_some()),
        has_origin: u32::from(details.origin.is_some()),
        reserved: 0,
    }
}
