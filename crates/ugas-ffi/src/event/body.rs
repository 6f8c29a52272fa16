//! Bodies of events: the members of the union `ugas_event_body`.

use crate::activation::ugas_named_number;
use crate::catalog::{ugas_ability, ugas_attribute, ugas_attribute_set, ugas_effect, ugas_tag};
use crate::cue::ugas_cue_details;
use crate::memory::ugas_str;
use crate::simulation::{ugas_actor, ugas_controller};
use crate::target::ugas_target;

/// A changed owner or avatar.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_actor {
    /// Previous actor, if has_before is not zero.
    pub before: ugas_actor,
    /// New actor, if has_now is not zero.
    pub now: ugas_actor,
    /// Whether there was an actor.
    pub has_before: u32,
    /// Whether there is an actor.
    pub has_now: u32,
}

/// A changed attribute; or one that could not be evaluated, whose numbers are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_attribute {
    /// Base value before.
    pub old_base: f64,
    /// Base value now.
    pub new_base: f64,
    /// Current value before.
    pub old_value: f64,
    /// Current value now.
    pub new_value: f64,
    /// The attribute.
    pub attribute: ugas_attribute,
    /// Zero.
    pub reserved: u32,
}

/// An effect. Fields that do not apply to the event are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_effect {
    /// Handle of the active effect; 0 if there is none.
    pub active: u64,
    /// Active effect that makes the target immune.
    pub by: u64,
    /// Remaining duration in microseconds; -1 is infinite.
    pub remaining: i64,
    /// Definition of the effect.
    pub effect: ugas_effect,
    /// One of ugas_removal_reason.
    pub reason: u32,
    /// Stack count before.
    pub old_stacks: u32,
    /// Stack count now; of a removed effect, the stack count it had.
    pub stacks: u32,
    /// Number of reasons of a refusal; ugas_event_reasons makes them readable.
    pub reason_count: u32,
    /// Attribute of an inert modifier.
    pub attribute: ugas_attribute,
    /// Index of that modifier in the effect.
    pub modifier: u32,
    /// Zero.
    pub reserved: u32,
    /// Context tags of an effect that was applied or executed (E14), valid as long as the event.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
}

/// An ability. Fields that do not apply to the event are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_ability {
    /// Granted ability; 0 if there is none.
    pub granted: u64,
    /// Activation.
    pub activation: u64,
    /// Granted ability that cancelled the activation.
    pub by: u64,
    /// Length of the cooldown in microseconds; -1 if unknown.
    pub cooldown: i64,
    /// Definition of the ability; UGAS_NO_ID if the event does not have it.
    pub ability: ugas_ability,
    /// One of ugas_end_reason.
    pub reason: u32,
    /// Tag that cancelled the activation; UGAS_NO_ID if none did.
    pub tag: ugas_tag,
    /// Level before.
    pub old_level: u32,
    /// Level now.
    pub level: u32,
    /// Charges now.
    pub charges: u32,
    /// Number of reasons of a refusal; ugas_event_reasons makes them readable.
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
    /// Magnitude of the event.
    pub magnitude: f64,
    /// Controller that caused the event; 0 is none.
    pub instigator: ugas_controller,
    /// Controller that the event is about; 0 is none.
    pub target: ugas_controller,
    /// Tag that identifies the kind of event.
    pub tag: ugas_tag,
    /// Zero.
    pub reserved: u32,
    /// Context tags, such as Hit.Critical.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
    /// Target data: targets in addition to, or instead of, `target`.
    pub targets: *const ugas_target,
    /// Number of entries in `targets`.
    pub target_count: usize,
    /// Named numbers, sorted by name.
    pub payload: *const ugas_named_number,
    /// Number of entries in `payload`.
    pub payload_count: usize,
}

/// An input.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_input {
    /// Name of the input.
    pub input: ugas_str,
    /// Time for which the input was held, in microseconds.
    pub held: i64,
}

/// A task. Fields that do not apply to the event are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_task {
    /// Name of a host task.
    pub kind: ugas_str,
    /// Task to complete; 0 if the event is only about a step of a program.
    pub task: u64,
    /// Definition of the ability; UGAS_NO_ID if the event does not have it.
    pub ability: ugas_ability,
    /// Index of the task in the ability's program.
    pub step: u32,
    /// How targets are confirmed: 0 instantly, 1 by the user, 2 by the host, 3 by the host repeatedly.
    pub confirmation: u32,
    /// Number of reasons of a failure; ugas_event_reasons makes them readable.
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
    /// World location, if has_location is not zero.
    pub location: [f64; 3],
    /// Tag of the cue.
    pub cue: ugas_tag,
    /// Whether there is a location.
    pub has_location: u32,
    /// Rest of the context (C1), valid as long as the event; null if nothing is known of it, and when a cue
    /// ends.
    pub details: *const ugas_cue_details,
}

/// A cascade that reached its limit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_event_limit {
    /// Number of dropped operations.
    pub dropped: u32,
    /// Zero.
    pub reserved: u32,
}

/// Body of an event; the kind of the event selects the member. Its size does not change when members are
/// added.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ugas_event_body {
    /// Changed owners and avatars.
    pub actor: ugas_event_actor,
    /// Added and removed attribute sets.
    pub attribute_set: ugas_attribute_set,
    /// Changed attributes.
    pub attribute: ugas_event_attribute,
    /// Added and removed tags.
    pub tag: ugas_tag,
    /// Changed tag counts.
    pub tag_count: ugas_event_tag_count,
    /// Effects.
    pub effect: ugas_event_effect,
    /// Abilities.
    pub ability: ugas_event_ability,
    /// Gameplay events.
    pub gameplay: ugas_event_gameplay,
    /// Inputs.
    pub input: ugas_event_input,
    /// Tasks.
    pub task: ugas_event_task,
    /// Cues.
    pub cue: ugas_event_cue,
    /// Cascades that reached their limit.
    pub limit: ugas_event_limit,
    /// Logic errors.
    pub message: ugas_str,
    /// Reserves the size of the union.
    pub raw: [u64; 12],
}
