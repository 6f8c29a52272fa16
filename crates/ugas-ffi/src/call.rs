//! Functions for callbacks: reading the simulation and acting in it while a hook or a custom task runs.

mod registry;

use ugas_core::ability::GameplayEvent;
use ugas_core::effect::EffectSpec;
use ugas_core::handle::{ActiveEffectId, ControllerId};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::simulation::{Simulation, Stacks};
use ugas_core::task::Subject;
use ugas_core::time::Span;

use crate::activation::{event_of, ugas_gameplay_event};
use crate::attribute::{read_failure, value_reader};
use crate::catalog::{ugas_attribute, ugas_tag};
use crate::effect::{
    active_of, effect_query, info_of, stacks_of, ugas_active_effect, ugas_apply, ugas_effect_info,
    ugas_effect_query,
};
use crate::memory::{Memory, ugas_str};
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};

use registry::enter_call;

/// Number of a call of a callback. It is valid until the callback returns, on the thread that runs it; later it is
/// refused with UGAS_STATUS_BAD_HANDLE. It is the only way in which a callback may use the library: functions that
/// take a context are refused there. The functions return a status without a message.
pub type ugas_call = u64;

/// Kinds of names that a callback can look up.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_name_kind {
    /// A ugas_attribute.
    Attribute = 0,
    /// A ugas_tag.
    Tag = 1,
    /// A ugas_effect.
    Effect = 2,
    /// A ugas_ability.
    Ability = 3,
}

/// Context in which a callback applies an effect.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_call_context {
    /// The context of the executed effect, or of the ability of a task; fields that ugas_apply sets replace its own.
    Inherited = 0,
    /// The one that ugas_apply has.
    Own = 1,
}

/// Subjects that a custom task can subscribe to.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_subject {
    /// An attribute changes; `id` is the attribute.
    Attribute = 0,
    /// A tag is added or removed; `id` is the tag.
    Tag = 1,
    /// The explicit count of a tag changes; `id` is the tag.
    TagCount = 2,
    /// A gameplay event with a tag or a descendant of it is received; `id` is the tag.
    Event = 3,
    /// An input is pressed.
    InputPressed = 4,
    /// An input is released.
    InputReleased = 5,
    /// An effect is applied.
    EffectApplied = 6,
    /// An effect ends.
    EffectRemoved = 7,
    /// An immunity refuses an effect.
    EffectBlocked = 8,
    /// A stack count changes.
    EffectStackChanged = 9,
    /// An ability is activated.
    AbilityActivated = 10,
    /// An ability commits.
    AbilityCommitted = 11,
    /// An ability ends.
    AbilityEnded = 12,
    /// The player confirms or declines.
    Confirmation = 13,
}

/// Maximum number of numbers that a custom task stores.
pub const UGAS_MOST_MEMORY: usize = 64;

/// The object that a callback acts on. Each kind of callback supports some of the actions.
pub(crate) trait Callee {
    fn simulation(&self) -> &Simulation;

    /// The effect that is applied or executed.
    fn spec(&self) -> Option<&EffectSpec> {
        None
    }

    fn refuse(&mut self, _reason: &str) -> Outcome {
        Err(unsupported("before_apply"))
    }

    fn set_base(&mut self, _attribute: AttributeId, _value: f64) -> Outcome {
        Err(unsupported("post_execute"))
    }

    fn apply(
        &mut self,
        _given: &ugas_apply,
        _target: ControllerId,
        _context: ugas_call_context,
        _memory: Memory<'_>,
    ) -> Outcome {
        Err(unsupported("post_execute or of a custom task"))
    }

    /// The actions that only custom tasks have.
    fn task(&mut self) -> Outcome<&mut dyn TaskActions> {
        Err(unsupported("a custom task"))
    }
}

/// Actions of custom tasks.
pub(crate) trait TaskActions {
    fn parameter(&self, name: &str) -> Option<f64>;
    fn load(&self) -> Vec<f64>;
    fn store(&mut self, numbers: &[f64]);
    fn subscribe(&mut self, controller: Option<ControllerId>, subject: Subject);
    fn wake_in(&mut self, span: Span);
    fn remove(&mut self, active: ActiveEffectId, stacks: Stacks);
    fn send_event(&mut self, controller: ControllerId, event: GameplayEvent) -> Outcome;
    fn output(&mut self, name: &str, value: f64);
}

/// Runs a callback with the number of its call.
pub(crate) fn during<R>(callee: &mut (dyn Callee + '_), callback: impl FnOnce(ugas_call) -> R) -> R {
    registry::during(callee, callback)
}

fn unsupported(callback: &str) -> Failure {
    Failure::argument(format!("this function belongs to a call of {callback}"))
}

/// A controller that exists.
fn controller_in(simulation: &Simulation, bits: ugas_controller) -> Outcome<ControllerId> {
    let id = ControllerId::from_bits(bits).filter(|id| simulation.controller(*id).is_some());
    id.ok_or_else(|| Failure::not_found(format!("{bits:#x} is not the handle of a controller")))
}

/// Time of the simulation, in microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_now(call: ugas_call, out: *mut u64) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        memory.out(out)?.set(callee.simulation().now().micros());
        Ok(())
    })
}

/// Looks a name up in the catalog of the simulation. `kind` is one of ugas_name_kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_find(
    call: ugas_call,
    kind: u32,
    name: ugas_str,
    out: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let (out, name) = (memory.out(out)?, memory.text(name)?);
        let catalog = callee.simulation().catalog();
        let found = match kind {
            0 => catalog.attribute(name).map(AttributeId::index),
            1 => catalog.tag(name).map(TagId::index),
            2 => catalog.effect(name).map(|effect| effect.index()),
            3 => catalog.ability(name).map(|ability| ability.index()),
            other => return Err(Failure::argument(format!("{other} is not a ugas_name_kind"))),
        };
        out.set(found.map_err(|unknown| Failure::not_found(unknown.to_string()))?);
        Ok(())
    })
}

/// Reads an attribute; `value` is one of ugas_value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_attribute(
    call: ugas_call,
    controller: ugas_controller,
    attribute: ugas_attribute,
    value: u32,
    out: *mut f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let out = memory.out(out)?;
        let simulation = callee.simulation();
        let (id, read) = (controller_in(simulation, controller)?, value_reader(value)?);
        let found = simulation.value(id, AttributeId::from_index(attribute));
        out.set(read(found.map_err(|error| read_failure(&error, simulation))?));
        Ok(())
    })
}

/// Whether a controller has a tag or a descendant of it: `out` gets 1 or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_has_tag(
    call: ugas_call,
    controller: ugas_controller,
    tag: ugas_tag,
    out: *mut u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let out = memory.out(out)?;
        let simulation = callee.simulation();
        let id = controller_in(simulation, controller)?;
        out.set(u32::from(simulation.has_tag(id, TagId::from_index(tag))));
        Ok(())
    })
}

/// Effects on a controller that match a query, in the order of their application; a null query matches all.
/// `row_size` is sizeof(ugas_effect_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_effects(
    call: ugas_call,
    controller: ugas_controller,
    query: *const ugas_effect_query,
    out: *mut ugas_effect_info,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let rows = memory.rows(out, row_size, capacity, count)?;
        let query = effect_query(&memory.optional_input(query)?, memory)?;
        let simulation = callee.simulation();
        let id = controller_in(simulation, controller)?;
        let selected = simulation.effects_matching(id, &query);
        rows.fill(selected.filter_map(|active| info_of(simulation, active)));
        Ok(())
    })
}

/// SetByCaller magnitude of the effect that is applied or executed. UGAS_STATUS_NOT_FOUND if it has none under the tag,
/// or if the call has no effect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_magnitude(call: ugas_call, tag: ugas_tag, out: *mut f64) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let out = memory.out(out)?;
        let found = callee.spec().and_then(|spec| spec.magnitude(TagId::from_index(tag)));
        out.set(found.ok_or_else(|| Failure::not_found("the effect has no magnitude under this tag"))?);
        Ok(())
    })
}

/// In before_apply: the text of the refusal, if the callback refuses the application.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_refuse(call: ugas_call, reason: ugas_str) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| callee.refuse(memory.text(reason)?))
}

/// In post_execute: writes a base value of the controller whose base value changed, as part of the same execution and
/// without a further post_execute. UGAS_STATUS_REFUSED if the controller lacks the attribute, the attribute is derived,
/// or the value is not finite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_set_base(
    call: ugas_call,
    attribute: ugas_attribute,
    value: f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, _| callee.set_base(AttributeId::from_index(attribute), value))
}

/// In post_execute and custom tasks: applies an effect to any controller, after this execution or this call of the
/// task. A later refusal is an event. `context` is one of ugas_call_context.
///
/// A custom task applies effects in the context of its ability, which must name the effect in a task or in its allowed
/// effects: `context` must be UGAS_CALL_CONTEXT_INHERITED, and `apply` may have a level and magnitudes only. The
/// default level is that of the ability.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_apply(
    call: ugas_call,
    apply: *const ugas_apply,
    target: ugas_controller,
    context: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let given = memory.input(apply)?;
        let target = controller_in(callee.simulation(), target)?;
        let context = match context {
            0 => ugas_call_context::Inherited,
            1 => ugas_call_context::Own,
            other => return Err(Failure::argument(format!("{other} is not a ugas_call_context"))),
        };
        callee.apply(&given, target, context, memory)
    })
}

/// In custom tasks: a parameter of the task, evaluated when it began. UGAS_STATUS_NOT_FOUND if it has none of this
/// name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_parameter(call: ugas_call, name: ugas_str, out: *mut f64) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let (out, name) = (memory.out(out)?, memory.text(name)?);
        let found = callee.task()?.parameter(name);
        out.set(found.ok_or_else(|| Failure::not_found(format!("the task has no parameter `{name}`")))?);
        Ok(())
    })
}

/// In custom tasks: the numbers that the task stored last; none if it has stored nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_memory(
    call: ugas_call,
    out: *mut f64,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let rows = memory.handles(out, capacity, count)?;
        rows.fill(callee.task()?.load());
        Ok(())
    })
}

/// In custom tasks: stores numbers until the next call of the task, in place of those that it stored before. They are
/// the only state that a task may have: snapshots, hashes and the network carry them. At most UGAS_MOST_MEMORY; numbers
/// that are not finite become zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_store(call: ugas_call, numbers: *const f64, count: usize) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let task = callee.task()?;
        if count > UGAS_MOST_MEMORY {
            return Err(Failure::argument(format!("a task stores at most {UGAS_MOST_MEMORY} numbers")));
        }
        task.store(memory.list(numbers, count)?);
        Ok(())
    })
}

/// In custom tasks: subscribes to a subject of a controller until the task ends; 0 is the owner. `subject` is one of
/// ugas_subject, `id` its attribute or tag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_subscribe(
    call: ugas_call,
    controller: ugas_controller,
    subject: u32,
    id: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, _| {
        let simulation = callee.simulation();
        let subject = subject_of(subject, id, simulation)?;
        let controller = match controller {
            0 => None,
            other => Some(controller_in(simulation, other)?),
        };
        callee.task()?.subscribe(controller, subject);
        Ok(())
    })
}

/// In custom tasks: sets the timer of the task, in microseconds from now; replaces an earlier one. Less than zero is
/// zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_wake_in(call: ugas_call, micros: i64) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, _| {
        callee.task()?.wake_in(Span::from_micros(micros));
        Ok(())
    })
}

/// In custom tasks: removes an active effect, or some of its stacks, after this call of the task; 0 stacks are all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_remove(
    call: ugas_call,
    active: ugas_active_effect,
    stacks: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, _| {
        let active = active_of(active)?;
        callee.task()?.remove(active, stacks_of(stacks));
        Ok(())
    })
}

/// In custom tasks: sends a gameplay event after this call of the task. The owner is its instigator unless it has
/// another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_send_event(
    call: ugas_call,
    controller: ugas_controller,
    event: *const ugas_gameplay_event,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let event = event_of(&memory.input(event)?, memory)?;
        let controller = controller_in(callee.simulation(), controller)?;
        callee.task()?.send_event(controller, event)
    })
}

/// In custom tasks: leaves a number for later tasks of the activation, which read it with Param("name").
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_call_output(call: ugas_call, name: ugas_str, value: f64) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter_call(call) }.run(|callee, memory| {
        let name = memory.text(name)?;
        let task = callee.task()?;
        if name.is_empty() || !value.is_finite() {
            return Err(Failure::argument("an output needs a name and a finite number"));
        }
        task.output(name, value);
        Ok(())
    })
}

fn subject_of(subject: u32, id: u32, simulation: &Simulation) -> Outcome<Subject> {
    let catalog = simulation.catalog();
    let known = |count: usize| {
        let exists = (id as usize) < count;
        exists.then_some(()).ok_or_else(|| Failure::not_found(format!("there is no id {id} of this kind")))
    };
    match subject {
        0 => known(catalog.attribute_count())?,
        1..=3 => known(catalog.tags().len())?,
        _ => {}
    }
    Ok(match subject {
        0 => Subject::Attribute(AttributeId::from_index(id)),
        1 => Subject::Tag(TagId::from_index(id)),
        2 => Subject::TagCount(TagId::from_index(id)),
        3 => Subject::Event(TagId::from_index(id)),
        4 => Subject::InputPressed,
        5 => Subject::InputReleased,
        6 => Subject::EffectApplied,
        7 => Subject::EffectRemoved,
        8 => Subject::EffectBlocked,
        9 => Subject::EffectStackChanged,
        10 => Subject::AbilityActivated,
        11 => Subject::AbilityCommitted,
        12 => Subject::AbilityEnded,
        13 => Subject::Confirmation,
        other => return Err(Failure::argument(format!("{other} is not a ugas_subject"))),
    })
}
