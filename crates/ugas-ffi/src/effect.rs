//! Effects (§9): apply, remove and query.

mod change;
mod define;

pub use change::*;
pub use define::*;

use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::effect::{EffectContext, EffectQuery, EffectSpec, EffectStatus};
use ugas_core::handle::ActiveEffectId;
use ugas_core::id::{ActorId, AttributeId, EffectId, TagId};
use ugas_core::simulation::{Application, Simulation, Stacks};
use ugas_core::time::Span;

use crate::catalog::{ugas_attribute, ugas_effect, ugas_tag};
use crate::cue::{ability_of, add_tags_and_payload};
use crate::guard::{enter, ugas_context};
use crate::memory::{Memory, Plain, SizePrefixed, ugas_bytes, ugas_str};
use crate::simulation::{optional_controller, ugas_actor, ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};
use crate::tag::{query_of, ugas_tag_query};
use crate::target::{hit_of, ugas_target};
use crate::world::SimulationEntry;

/// Handle of an active effect; 0 is none.
pub type ugas_active_effect = u64;

/// SetByCaller magnitude: a number that the caller of an effect provides under a tag.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_magnitude {
    /// The magnitude.
    pub value: f64,
    /// The tag.
    pub tag: ugas_tag,
    /// Zero.
    pub reserved: u32,
}

/// Effect to apply, with its context.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_apply {
    /// sizeof(ugas_apply).
    pub size: usize,
    /// Level, if has_level is not zero; otherwise it is 1.
    pub level: f64,
    /// Controller that causes the effect; 0 is none.
    pub source: ugas_controller,
    /// Granted ability that applies the effect; 0 is none.
    pub ability: u64,
    /// SetByCaller magnitudes.
    pub magnitudes: *const ugas_magnitude,
    /// Number of entries in `magnitudes`.
    pub magnitude_count: usize,
    /// Tags to grant in addition to those of the definition.
    pub granted_tags: *const ugas_tag,
    /// Number of entries in `granted_tags`.
    pub granted_tag_count: usize,
    /// Asset tags in addition to those of the definition.
    pub asset_tags: *const ugas_tag,
    /// Number of entries in `asset_tags`.
    pub asset_tag_count: usize,
    /// Hit that led to the effect; null is none.
    pub hit: *const ugas_target,
    /// Actor that physically caused the effect, if has_causer is not zero.
    pub causer: ugas_actor,
    /// Object that the effect originates from, if has_source_object is not zero.
    pub source_object: ugas_actor,
    /// World location, if has_origin is not zero.
    pub origin: [f64; 3],
    /// Duration that replaces the one of the definition, if has_duration is not zero.
    pub duration: i64,
    /// Period that replaces the one of the definition, if has_period is not zero.
    pub period: i64,
    /// Definition of the effect.
    pub effect: ugas_effect,
    /// Whether there is a level.
    pub has_level: u32,
    /// Whether there is a causer.
    pub has_causer: u32,
    /// Whether there is a source object.
    pub has_source_object: u32,
    /// Whether there is an origin.
    pub has_origin: u32,
    /// Whether there is a duration.
    pub has_duration: u32,
    /// Whether there is a period.
    pub has_period: u32,
    /// Zero.
    pub reserved: u32,
    /// Context tags, such as Hit.Critical.
    pub context_tags: *const ugas_tag,
    /// Number of context tags.
    pub context_tag_count: usize,
    /// Kind of the payload, a name of the host; empty is no payload.
    pub payload_kind: ugas_str,
    /// Payload, data of the host that reaches cues.
    pub payload: ugas_bytes,
}

/// Result of a successful application.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_application {
    /// An instant effect changed base values.
    Executed = 0,
    /// The effect became active.
    Active = 1,
    /// The effect joined an existing stack.
    Stacked = 2,
    /// The effect was merged into an active one.
    Merged = 3,
    /// The effect is queued behind an active one.
    Queued = 4,
    /// The stack overflowed and was cleared.
    Cleared = 5,
    /// Only cues were emitted: a client leaves the rest to the server.
    Shown = 6,
}

/// State of an active effect. Times are in microseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_effect_info {
    /// Handle of the active effect.
    pub active: ugas_active_effect,
    /// Controller that the effect is on.
    pub target: ugas_controller,
    /// Controller that caused the effect, which may no longer exist; 0 is none.
    pub source: ugas_controller,
    /// Level.
    pub level: f64,
    /// Time at which the effect became active.
    pub started: u64,
    /// Full duration; -1 is infinite.
    pub duration: i64,
    /// Remaining duration; -1 is infinite.
    pub remaining: i64,
    /// Time between executions; 0 if the effect is not periodic.
    pub period: i64,
    /// Definition of the effect.
    pub effect: ugas_effect,
    /// Stack count.
    pub stacks: u32,
    /// Number of executions so far.
    pub ticks: u32,
    /// Not zero if the effect is queued behind another one.
    pub is_queued: u32,
    /// Not zero if the ongoing requirements fail, so that the effect is inhibited.
    pub is_inhibited: u32,
    /// Zero.
    pub reserved: u32,
}

/// Filter on active effects. All given criteria must hold; all zeros select every effect.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_effect_query {
    /// sizeof(ugas_effect_query).
    pub size: usize,
    /// Effects that this controller caused; 0 is no condition.
    pub source: ugas_controller,
    /// Condition on the tags of the effect, granted ones included; null is no condition.
    pub tags: *const ugas_tag_query,
    /// Condition on the tags of its source; null is no condition.
    pub source_tags: *const ugas_tag_query,
    /// Definition of the effect, if has_effect is not zero.
    pub effect: ugas_effect,
    /// Whether the definition is a criterion.
    pub has_effect: u32,
    /// Attribute that a modifier of the effect changes, if has_attribute is not zero.
    pub attribute: ugas_attribute,
    /// Whether the attribute is a criterion.
    pub has_attribute: u32,
    /// Object that the effect originates from, if has_source_object is not zero; for example, an item that is
    /// unequipped.
    pub source_object: ugas_actor,
    /// Whether the source object is a criterion.
    pub has_source_object: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_magnitude {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_apply {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_apply {}
// SAFETY: `repr(C)`, numbers.
unsafe impl Plain for ugas_effect_info {}
// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_effect_query {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_effect_query {}

/// Applies an effect. `application` gets one of ugas_application and `active` the active effect that it
/// became or joined, 0 if there is none; both may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effect_apply(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    apply: *const ugas_apply,
    target: ugas_controller,
    application: *mut u32,
    active: *mut ugas_active_effect,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let (application, active) = (memory.optional(application)?, memory.optional(active)?);
        let given = memory.input(apply)?;
        let entry = context.simulation_mut(simulation)?;
        let command = command_of(&given, target, entry, memory)?;
        let CommandOutcome::Applied(applied) = entry.execute(command)? else { return Ok(()) };
        if let Some(application) = application {
            application.set(match applied {
                Application::Executed => ugas_application::Executed,
                Application::Active(_) => ugas_application::Active,
                Application::Stacked { .. } => ugas_application::Stacked,
                Application::Merged(_) => ugas_application::Merged,
                Application::Queued(_) => ugas_application::Queued,
                Application::Cleared => ugas_application::Cleared,
                Application::Shown => ugas_application::Shown,
            } as u32);
        }
        if let Some(active) = active {
            active.set(applied.active().map_or(0, |id| id.to_bits().get()));
        }
        Ok(())
    })
}

/// Removes an active effect, or some of its stacks; 0 stacks are all of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effect_remove(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    active: ugas_active_effect,
    stacks: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        let active = active_of(active)?;
        let command = Command::Remove { active, stacks: stacks_of(stacks) };
        context.simulation_mut(simulation)?.execute(command).map(drop)
    })
}

/// Removes all effects on a controller that match a query, or some of their stacks; 0 stacks are all of them.
/// `count`, which may be null, gets the number of effects. A null query is refused: it would remove
/// everything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effects_remove(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    query: *const ugas_effect_query,
    stacks: u32,
    count: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let count = memory.optional(count)?;
        let query = effect_query(&memory.input(query)?, memory)?;
        let entry = context.simulation_mut(simulation)?;
        let controller = entry.controller(controller)?;
        let command = Command::RemoveMatching { controller, query, stacks: stacks_of(stacks) };
        let outcome = entry.execute(command)?;
        if let (Some(count), CommandOutcome::Removed(removed)) = (count, outcome) {
            count.set(removed);
        }
        Ok(())
    })
}

/// Effects on a controller that match a query, in the order of their application; a null query matches all.
/// `row_size` is sizeof(ugas_effect_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_effects_of(
    context: *mut ugas_context,
    simulation: ugas_simulation,
    controller: ugas_controller,
    query: *const ugas_effect_query,
    out: *mut ugas_effect_info,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let query = effect_query(&memory.optional_input(query)?, memory)?;
        let entry = context.simulation(simulation)?;
        let id = entry.controller(controller)?;
        let selected = entry.simulation().effects_matching(id, &query);
        rows.fill(selected.filter_map(|active| info_of(entry.simulation(), active)));
        Ok(())
    })
}

fn command_of(
    given: &ugas_apply,
    target: ugas_controller,
    entry: &SimulationEntry,
    memory: Memory<'_>,
) -> Outcome<Command> {
    let target = entry.controller(target)?;
    let is_plain = given.has_duration == 0
        && given.has_period == 0
        && given.granted_tag_count == 0
        && given.asset_tag_count == 0;
    if is_plain {
        let effect = EffectId::from_index(given.effect);
        let context = context_of(given, EffectContext::default(), memory)?;
        let magnitudes = magnitudes_of(given, memory)?.collect();
        return Ok(Command::ApplyEffect { effect, level: level_of(given), context, magnitudes, target });
    }
    let spec = spec_of(given, EffectContext::default(), entry.simulation(), memory)?;
    Ok(Command::Apply { spec: Box::new(spec), target })
}

/// The effect spec of an application; `base` is the context that it extends.
pub(crate) fn spec_of(
    given: &ugas_apply,
    base: EffectContext,
    simulation: &Simulation,
    memory: Memory<'_>,
) -> Outcome<EffectSpec> {
    let context = context_of(given, base, memory)?;
    let spec = simulation.spec(EffectId::from_index(given.effect), level_of(given), context);
    let mut spec = spec.map_err(|reason| Failure::command(&reason.into(), simulation))?;
    for (tag, value) in magnitudes_of(given, memory)? {
        spec.set_magnitude(tag, value);
    }
    if given.has_duration != 0 {
        spec = spec.with_duration(Span::from_micros(given.duration));
    }
    if given.has_period != 0 {
        spec = spec.with_period(Span::from_micros(given.period));
    }
    for &tag in memory.list(given.granted_tags, given.granted_tag_count)? {
        spec = spec.granting(TagId::from_index(tag));
    }
    for &tag in memory.list(given.asset_tags, given.asset_tag_count)? {
        spec = spec.tagged(TagId::from_index(tag));
    }
    Ok(spec)
}

/// Replaces the parts of a context that an application sets, and adds its context tags.
fn context_of(given: &ugas_apply, base: EffectContext, memory: Memory<'_>) -> Outcome<EffectContext> {
    let mut context = base;
    context.source = optional_controller(given.source)?.or(context.source);
    context.ability = ability_of(given.ability)?.or(context.ability);
    if given.has_causer != 0 {
        context.set_causer(Some(ActorId(given.causer)));
    }
    if given.has_source_object != 0 {
        context.set_source_object(Some(ActorId(given.source_object)));
    }
    if !given.hit.is_null() {
        context.set_hit(memory.list(given.hit, 1)?.first().map(hit_of));
    }
    if given.has_origin != 0 {
        context.set_origin(Some(given.origin));
    }
    let tags = (given.context_tags, given.context_tag_count);
    add_tags_and_payload(&mut context, tags, (given.payload_kind, given.payload), memory)?;
    Ok(context)
}

fn level_of(given: &ugas_apply) -> f64 {
    if given.has_level == 0 { 1.0 } else { given.level }
}

fn magnitudes_of<'a>(
    given: &ugas_apply,
    memory: Memory<'a>,
) -> Outcome<impl Iterator<Item = (TagId, f64)> + use<'a>> {
    let magnitudes = memory.list(given.magnitudes, given.magnitude_count)?.iter();
    Ok(magnitudes.map(|given| (TagId::from_index(given.tag), given.value)))
}

impl ugas_apply {
    /// Whether it has nothing but an effect, a level and magnitudes.
    pub(crate) fn is_bare(&self) -> bool {
        let flags =
            [self.has_causer, self.has_source_object, self.has_origin, self.has_duration, self.has_period];
        let counts = [
            self.granted_tag_count,
            self.asset_tag_count,
            self.context_tag_count,
            self.payload_kind.length,
            self.payload.length,
        ];
        self.source == 0 && self.ability == 0 && self.hit.is_null() && flags == [0; 5] && counts == [0; 5]
    }
}

pub(crate) fn active_of(bits: ugas_active_effect) -> Outcome<ActiveEffectId> {
    ActiveEffectId::from_bits(bits)
        .ok_or_else(|| Failure::not_found(format!("{bits:#x} is not the handle of an active effect")))
}

pub(crate) fn stacks_of(stacks: u32) -> Stacks {
    if stacks == 0 { Stacks::All } else { Stacks::Count(stacks) }
}

pub(crate) fn effect_query(given: &ugas_effect_query, memory: Memory<'_>) -> Outcome<EffectQuery> {
    Ok(EffectQuery {
        effect: (given.has_effect != 0).then(|| EffectId::from_index(given.effect)),
        source: optional_controller(given.source)?,
        source_object: (given.has_source_object != 0).then_some(ActorId(given.source_object)),
        tags: query_of(given.tags, memory)?,
        source_tags: query_of(given.source_tags, memory)?,
        modifies: (given.has_attribute != 0).then(|| AttributeId::from_index(given.attribute)),
        ..EffectQuery::default()
    })
}

pub(crate) fn info_of(simulation: &Simulation, id: ActiveEffectId) -> Option<ugas_effect_info> {
    let active = simulation.effect(id)?;
    let micros = |span: Option<Span>| span.map_or(-1, Span::micros);
    Some(ugas_effect_info {
        active: id.to_bits().get(),
        target: active.target().to_bits().get(),
        source: active.source().map_or(0, |source| source.to_bits().get()),
        level: active.spec().level(),
        started: active.started().micros(),
        duration: micros(active.duration()),
        remaining: micros(active.remaining(simulation.now())),
        period: active.period().map_or(0, Span::micros),
        effect: active.effect().index(),
        stacks: active.stacks(),
        ticks: active.ticks(),
        is_queued: u32::from(active.status() == EffectStatus::Queued),
        is_inhibited: u32::from(active.is_inhibited()),
        reserved: 0,
    })
}
