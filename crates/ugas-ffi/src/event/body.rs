//! The parts of the union.

use crate::activation::ugas_named_number;
use crate::catalog::{ugas_ability, ugas_attribute, ugas_attribute_set, ugas_effect, ugas_tag};
use crate::cue::ugas_cue_details;
use crate::memory::ugas_str;
use crate::simulation::{ugas_actor, ugas_controller};
use crate::target::ugas_target;

/// Another owner or avatar.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_actor {
    /// The one before, if has_before is not zero.
    pub before: ugas_actor,
    /// The one now, if has_now is not zero.
    pub now: ugas_actor,
    /// Whether there was one.
    pub has_before: u32,
    /// Whether there is one.
    pub has_now: u32,
}

/// A value that changed; or one that could not be evaluated, whose numbers are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_attribute {
    /// Base before.
    pub old_base: f64,
    /// Base now.
    pub new_base: f64,
    /// Current value before.
    pub old_value: f64,
    /// Current value now.
    pub new_value: f64,
    /// Which.
    pub attribute: ugas_attribute,
    /// Zero.
    pub reserved: u32,
}

/// An effect. What does not concern the event is zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_effect {
    /// Its instance; 0 if it has none.
    pub active: u64,
    /// The effect that makes the target immune.
    pub by: u64,
    /// What is left of it, in microseconds; -1 is for ever.
    pub remaining: i64,
    /// The definition.
    pub effect: ugas_effect,
    /// One of ugas_removal_reason.
    pub reason: u32,
    /// Stacks before.
    pub old_stacks: u32,
    /// Stacks now, or those that a removed effect had.
    pub stacks: u32,
    /// How many reasons a refusal has; ugas_event_reasons makes them readable.
    pub reason_count: u32,
    /// The attribute that a modifier has nothing to act on.
    pub attribute: ugas_attribute,
    /// That modifier's place in the effect.
    pub modifier: u32,
    /// Zero.
    pub reserved: u32,
    /// Context tags of an effect that was applied or executed (E14), valid as long as the event.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
}

/// An ability. What does not concern the event is zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_ability {
    /// The grant; 0 if there is none.
    pub granted: u64,
    /// The run.
    pub activation: u64,
    /// The granted ability that cancelled it.
    pub by: u64,
    /// How long the cooldown is, in microseconds; -1 is not known.
    pub cooldown: i64,
    /// The definition; UGAS_NO_ID if the event does not say.
    pub ability: ugas_ability,
    /// One of ugas_end_reason.
    pub reason: u32,
    /// The tag that cancelled it; UGAS_NO_ID if none did.
    pub tag: ugas_tag,
    /// Level before.
    pub old_level: u32,
    /// Level now.
    pub level: u32,
    /// Charges now.
    pub charges: u32,
    /// How many reasons a refusal has; ugas_event_reasons makes them readable.
    pub reason_count: u32,
    /// Zero.
    pub reserved: u32,
}

/// Explicit count of a tag that changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_tag_count {
    /// The tag.
    pub tag: ugas_tag,
    /// Count before.
    pub old_count: u32,
    /// Count now.
    pub count: u32,
    /// Zero.
    pub reserved: u32,
}

/// A gameplay event. Its lists are valid as long as the event.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_gameplay {
    /// How much.
    pub magnitude: f64,
    /// Who caused it; 0 is nobody.
    pub instigator: ugas_controller,
    /// Whom it is about; 0 is nobody.
    pub target: ugas_controller,
    /// What kind.
    pub tag: ugas_tag,
    /// Zero.
    pub reserved: u32,
    /// Context tags, such as Hit.Critical.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
    /// Target data: targets beside or instead of the target.
    pub targets: *const ugas_target,
    /// Number of targets of the target data.
    pub target_count: usize,
    /// Numbers of its payload, sorted by name.
    pub payload: *const ugas_named_number,
    /// Number of numbers of its payload.
    pub payload_count: usize,
}

/// An input.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_input {
    /// Which.
    pub input: ugas_str,
    /// How long it was held, in microseconds.
    pub held: i64,
}

/// A task. What does not concern the event is zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_task {
    /// The name of a task of the host.
    pub kind: ugas_str,
    /// The task, to be completed; 0 if the event is about a step of a program only.
    pub task: u64,
    /// The ability; UGAS_NO_ID if the event does not say.
    pub ability: ugas_ability,
    /// Its place in the ability's program.
    pub step: u32,
    /// Who decides when targets are chosen: 0 at once, 1 the user, 2 the host, 3 the host again and again.
    pub confirmation: u32,
    /// How many reasons a failure has; ugas_event_reasons makes them readable.
    pub reason_count: u32,
}

/// A cue.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_cue {
    /// Magnitude of the modifier that the effect names.
    pub magnitude: f64,
    /// Level of the effect.
    pub level: f64,
    /// Where, if has_location is not zero.
    pub location: [f64; 3],
    /// Which.
    pub cue: ugas_tag,
    /// Whether there is a place.
    pub has_location: u32,
    /// Rest of its context (C1), valid as long as the event; null if nothing is known of it, and of a cue that ends.
    pub details: *const ugas_cue_details,
}

/// A chain of effects that was cut.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_limit {
    /// How many operations were dropped.
    pub dropped: u32,
    /// Zero.
    pub reserved: u32,
}

/// What happened; the kind of the event says which part is meant. Its size stays as it is when parts are added.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ugas_event_body {
    /// Of changed owners and avatars.
    pub actor: ugas_event_actor,
    /// Of attribute sets that come and go.
    pub attribute_set: ugas_attribute_set,
    /// Of values.
    pub attribute: ugas_event_attribute,
    /// Of tags that come and go.
    pub tag: ugas_tag,
    /// Of tags whose counts changed.
    pub tag_count: ugas_event_tag_count,
    /// Of effects.
    pub effect: ugas_event_effect,
    /// Of abilities.
    pub ability: ugas_event_ability,
    /// Of gameplay events.
    pub gameplay: ugas_event_gameplay,
    /// Of inputs.
    pub input: ugas_event_input,
    /// Of tasks.
    pub task: ugas_event_task,
    /// Of cues.
    pub cue: ugas_event_cue,
    /// Of chains that were cut.
    pub limit: ugas_event_limit,
    /// Of mistakes.
    pub message: ugas_str,
    /// The room that there is.
    pub raw: [u64; 12],
}
