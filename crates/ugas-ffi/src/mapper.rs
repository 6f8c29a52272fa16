//! From keys and sticks to the inputs that abilities are bound to (§11.1), by the input documents of a pack.

use ugas_core::input::{
    Device, DeviceInput, InputMapper, InputSignal, InputSignalKind, Platform, ReleaseCause, SavedMappings,
};
use ugas_core::time::Time;

use crate::context::{Context, bad, too_many};
use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Memory, Plain, ugas_str};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};

/// A mapper of this context: one for each player, beside the simulation.
pub type ugas_mapper = u64;

/// What is played on.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_platform {
    /// Computers.
    Pc = 0,
    /// Consoles.
    Console = 1,
    /// Phones and tablets.
    Mobile = 2,
    /// Headsets.
    Vr = 3,
}

/// What an action did.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_signal_kind {
    /// The first of its bindings is pressed.
    Pressed = 0,
    /// It fires: to be passed on with ugas_input_press or ugas_client_press.
    Triggered = 1,
    /// Its axes changed.
    Value = 2,
    /// The last of its bindings is released: to be passed on with ugas_input_release or ugas_client_release.
    Released = 3,
}

/// Why a press ended.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_release_cause {
    /// The player let go.
    LetGo = 0,
    /// A binding of higher rank took the controls.
    Displaced = 1,
    /// Its set or binding does not apply any more.
    Inactive = 2,
    /// The host released everything.
    FocusLost = 3,
    /// Its controls were changed.
    Remapped = 4,
}

/// Something that an action did. Texts are valid as long as the mapper is.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_signal {
    /// The name of the action.
    pub action: ugas_str,
    /// The input by which it reaches abilities.
    pub input: ugas_str,
    /// The exact instant, in microseconds, not that of the call in which it was found.
    pub time: u64,
    /// Of a release: how long it was pressed, in microseconds.
    pub held: i64,
    /// Of a value: the axes.
    pub value: [f64; 3],
    /// One of ugas_signal_kind.
    pub kind: u32,
    /// Of a release: one of ugas_release_cause.
    pub cause: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_signal {}

/// Makes a mapper of the input documents that a loader has loaded, for one of ugas_platform; to be freed with
/// ugas_mapper_free. It lives on when the loader is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_new(
    context: *mut ugas_context,
    loader: ugas_loader,
    platform: u32,
    out: *mut ugas_mapper,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let platform = match platform {
            0 => Platform::Pc,
            1 => Platform::Console,
            2 => Platform::Mobile,
            3 => Platform::Vr,
            other => return Err(Failure::argument(format!("{other} is no ugas_platform"))),
        };
        let scheme = context.loader_mut(loader)?.pack()?.input_scheme(platform);
        let scheme = scheme.map_err(|error| Failure::new(ugas_status::LoadFailed, error.to_string()))?;
        let mapper = InputMapper::new(scheme);
        out.set(context.mappers.insert(mapper).ok_or_else(|| too_many("mapper"))?);
        Ok(())
    })
}

/// Frees a mapper. Zero is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_free(context: *mut ugas_context, mapper: ugas_mapper) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        if mapper != 0 {
            mapper_of(context, mapper)?;
            drop(context.mappers.remove(mapper));
        }
        Ok(())
    })
}

/// What a device reports at the time `now`: the new state of a control. A button has 1 or 0 in `x`, an axis its value; a
/// stick has `y` too. The device is `Keyboard`, `Mouse`, `Gamepad`, `Touch`, `Gyro` or a name of the host's own. A control that
/// nothing is bound to is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_device(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    now: u64,
    device: ugas_str,
    control: ugas_str,
    x: f64,
    y: f64,
    z: f64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let input = device_input(device, control, memory)?;
        mapper_of(context, mapper)?.device_event(Time::from_micros(now), &input, [x, y, z]);
        Ok(())
    })
}

/// Lets the tags of a controller say which action sets are active: after they changed, or once a frame.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_tags(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    now: u64,
    simulation: ugas_simulation,
    controller: ugas_controller,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        mapper_of(context, mapper)?;
        let entry = context.simulation(simulation)?;
        entry.controller(controller)?;
        let entry = context.simulations.get(simulation);
        if let (Some(mapper), Some(entry)) = (context.mappers.get_mut(mapper), entry) {
            let simulation = entry.simulation();
            let id = entry.controller(controller)?;
            let is_held = |name: &str| {
                let tag = simulation.catalog().tag(name);
                tag.is_ok_and(|tag| simulation.has_tag(id, tag))
            };
            mapper.tags(Time::from_micros(now), is_held);
        }
        Ok(())
    })
}

/// Allows an action set to be active, as all are in the beginning, or keeps it from that if `enabled` is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_enable_set(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    now: u64,
    set: ugas_str,
    enabled: u32,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let set = memory.text(set)?;
        let (mapper, now) = (mapper_of(context, mapper)?, Time::from_micros(now));
        let is_known = if enabled == 0 { mapper.disable_set(now, set) } else { mapper.enable_set(now, set) };
        is_known.then_some(()).ok_or_else(|| Failure::not_found(format!("there is no action set `{set}`")))
    })
}

/// Lets time pass: presses that have to be held come about.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_advance(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    now: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        mapper_of(context, mapper)?.advance(Time::from_micros(now));
        Ok(())
    })
}

/// Takes all controls as untouched: for when the window loses its focus, or a gamepad is unplugged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_release_all(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    now: u64,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, _| {
        mapper_of(context, mapper)?.release_all(Time::from_micros(now));
        Ok(())
    })
}

/// Takes the oldest signals, at most `capacity`; `count` gets their number. `row_size` is sizeof(ugas_signal).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_poll(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    out: *mut ugas_signal,
    row_size: usize,
    capacity: usize,
    count: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let mut rows = memory.rows(out, row_size, capacity, count)?;
        let mapper = mapper_of(context, mapper)?;
        while rows.left() > 0
            && let Some(signal) = mapper.poll()
        {
            rows.push(to_c(&signal, mapper));
        }
        rows.finish();
        Ok(())
    })
}

/// Binds a slot of an action to another control; with an empty control, to none. `conflicts`, which may be null, gets how
/// many other bindings of the same set use just the same controls; they stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_remap(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    action: ugas_str,
    slot: u32,
    device: ugas_str,
    control: ugas_str,
    conflicts: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let conflicts = memory.optional(conflicts)?;
        let action = memory.text(action)?;
        let input = device_input(device, control, memory)?;
        let mapper = mapper_of(context, mapper)?;
        let found = match input.control.is_empty() {
            true => mapper.unbind(action, slot).map(|()| 0),
            false => mapper.remap(action, slot, input).map(|found| found.len()),
        };
        let found = found.map_err(|error| Failure::refused(error.to_string(), Vec::new()))?;
        if let Some(conflicts) = conflicts {
            conflicts.set(found);
        }
        Ok(())
    })
}

/// What the player changed, as text to be saved; valid until the next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_save(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    out: *mut ugas_str,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let out = memory.out(out)?;
        let text = mapper_of(context, mapper)?.save().to_text();
        out.set(context.lend_text(text));
        Ok(())
    })
}

/// Takes what was saved; an empty text is the pack's own bindings. `skipped`, which may be null, gets how many lines mean
/// nothing here any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_mapper_load(
    context: *mut ugas_context,
    mapper: ugas_mapper,
    text: ugas_str,
    skipped: *mut usize,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let skipped = memory.optional(skipped)?;
        let text = memory.text(text)?;
        let mapper = mapper_of(context, mapper)?;
        let lost = if text.is_empty() {
            mapper.reset_to_defaults();
            0
        } else {
            let saved = SavedMappings::parse(text);
            let saved = saved.map_err(|error| Failure::new(ugas_status::BadBytes, error.to_string()))?;
            mapper.load(&saved).len()
        };
        if let Some(skipped) = skipped {
            skipped.set(lost);
        }
        Ok(())
    })
}

fn mapper_of(context: &mut Context, number: ugas_mapper) -> Outcome<&mut InputMapper> {
    context.mappers.get_mut(number).ok_or_else(|| bad("mapper", number))
}

fn device_input(device: ugas_str, control: ugas_str, memory: Memory<'_>) -> Outcome<DeviceInput> {
    let device = match memory.text(device)? {
        "Keyboard" => Device::Keyboard,
        "Mouse" => Device::Mouse,
        "Gamepad" => Device::Gamepad,
        "Touch" => Device::Touch,
        "Gyro" => Device::Gyro,
        other => Device::Custom(other.into()),
    };
    Ok(DeviceInput::new(device, memory.text(control)?))
}

/// The signal as C sees it; its texts are the scheme's, which the mapper keeps.
fn to_c(signal: &InputSignal, mapper: &InputMapper) -> ugas_signal {
    let (mut held, mut value, mut cause) = (0, [0.0; 3], 0);
    let kind = match signal.kind {
        InputSignalKind::Pressed => ugas_signal_kind::Pressed,
        InputSignalKind::Triggered => ugas_signal_kind::Triggered,
        InputSignalKind::Value(given) => {
            value = given;
            ugas_signal_kind::Value
        }
        InputSignalKind::Released { held: span, cause: why } => {
            held = span.micros();
            cause = match why {
                ReleaseCause::LetGo => ugas_release_cause::LetGo,
                ReleaseCause::Displaced => ugas_release_cause::Displaced,
                ReleaseCause::Inactive => ugas_release_cause::Inactive,
                ReleaseCause::FocusLost => ugas_release_cause::FocusLost,
                ReleaseCause::Remapped => ugas_release_cause::Remapped,
            } as u32;
            ugas_signal_kind::Released
        }
    };
    let scheme = mapper.scheme();
    let input = scheme.input_id(signal.action);
    ugas_signal {
        action: ugas_str::from(scheme.action_name(signal.action)),
        input: input.map_or(ugas_str::EMPTY, |input| ugas_str::from(input.as_str())),
        time: signal.time.micros(),
        held,
        value,
        kind: kind as u32,
        cause,
    }
}
