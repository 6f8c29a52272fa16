//! Mapping of keys and sticks to the inputs that abilities are bound to (§11.1), by the input documents of a
//! pack.

use ugas_core::input::{
    Device, DeviceInput, InputMapper, InputSignal, InputSignalKind, Platform, ReleaseCause, SavedMappings,
};
use ugas_core::time::Time;

use crate::context::{Context, bad_handle, too_many};
use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Memory, Plain, ugas_str};
use crate::simulation::{ugas_controller, ugas_simulation};
use crate::status::{Failure, Outcome, ugas_status};

/// Handle of an input mapper of this context: one per player, independent of the simulation.
pub type ugas_mapper = u64;

/// Platform that the game runs on.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_platform {
    /// PC.
    Pc = 0,
    /// Consoles.
    Console = 1,
    /// Phones and tablets.
    Mobile = 2,
    /// VR headsets.
    Vr = 3,
}

/// Kind of a signal of an action.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_signal_kind {
    /// The first of its bindings was pressed.
    Pressed = 0,
    /// The action fires: pass it on with ugas_input_press or ugas_client_press.
    Triggered = 1,
    /// Its axes changed.
    Value = 2,
    /// The last of its bindings was released: pass it on with ugas_input_release or ugas_client_release.
    Released = 3,
}

/// Cause of a release.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_release_cause {
    /// The player released the control.
    LetGo = 0,
    /// A binding of higher priority took over the controls.
    Displaced = 1,
    /// Its action set or binding is no longer active.
    Inactive = 2,
    /// The host released everything with ugas_mapper_release_all.
    FocusLost = 3,
    /// Its controls were remapped.
    Remapped = 4,
}

/// Signal of an action. Texts are valid as long as the mapper.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_signal {
    /// Name of the action.
    pub action: ugas_str,
    /// Input that abilities are bound to.
    pub input: ugas_str,
    /// Exact time in microseconds, not the time of the call that detected it.
    pub time: u64,
    /// For a release: time for which it was pressed, in microseconds.
    pub held: i64,
    /// For a value: the axes.
    pub value: [f64; 3],
    /// One of ugas_signal_kind.
    pub kind: u32,
    /// For a release: one of ugas_release_cause.
    pub cause: u32,
}

// SAFETY: `repr(C)`, numbers and pointers.
unsafe impl Plain for ugas_signal {}

/// Creates a mapper from the input documents that a loader has loaded, for one of ugas_platform; to be freed
/// with ugas_mapper_free. It stays valid when the loader is freed.
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
            other => return Err(Failure::argument(format!("{other} is not a ugas_platform"))),
        };
        let scheme = context.loader_mut(loader)?.pack()?.input_scheme(platform);
        let scheme = scheme.map_err(|error| Failure::new(ugas_status::LoadFailed, error.to_string()))?;
        let mapper = InputMapper::new(scheme);
        out.set(context.mappers.insert(mapper).ok_or_else(|| too_many("mapper"))?);
        Ok(())
    })
}

/// Frees a mapper. Zero is ignored.
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

/// Reports the new state of a control at the time `now`. A button has 1 or 0 in `x`, an axis its value; a
/// stick has `y` too. The device is `Keyboard`, `Mouse`, `Gamepad`, `Touch`, `Gyro` or a custom name of the
/// host. Controls without a binding are ignored.
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

/// Updates the active action sets from the tags of a controller: call it after they changed, or once per
/// frame.
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

/// Enables an action set, or disables it if `enabled` is zero. All sets are enabled at first.
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

/// Advances the time of the mapper: bindings that must be held trigger.
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

/// Releases all controls: for when the window loses its focus, or a gamepad is unplugged.
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

/// Takes the oldest signals, at most `capacity`; `count` gets their number. `row_size` is
/// sizeof(ugas_signal).
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

/// Binds a slot of an action to another control; an empty control unbinds it. `conflicts`, which may be null,
/// gets the number of other bindings of the same set that use exactly the same controls; they are not
/// changed.
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

/// The player's changed bindings as text, to be saved; valid until the next call.
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

/// Loads saved bindings; an empty text restores the bindings of the pack. `skipped`, which may be null, gets
/// the number of lines that no longer apply.
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
        let skipped_count = if text.is_empty() {
            mapper.reset_to_defaults();
            0
        } else {
            let saved = SavedMappings::parse(text);
            let saved = saved.map_err(|error| Failure::new(ugas_status::BadBytes, error.to_string()))?;
            mapper.load(&saved).len()
        };
        if let Some(skipped) = skipped {
            skipped.set(skipped_count);
        }
        Ok(())
    })
}

fn mapper_of(context: &mut Context, number: ugas_mapper) -> Outcome<&mut InputMapper> {
    context.mappers.get_mut(number).ok_or_else(|| bad_handle("mapper", number))
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

/// Converts a signal to its C form; its texts belong to the scheme, which the mapper keeps.
fn to_c(signal: &InputSignal, mapper: &InputMapper) -> ugas_signal {
    let (mut held, mut value, mut cause) = (0, [0.0; 3], 0);
    let kind = match signal.kind {
        InputSignalKind::Pressed => ugas_signal_kind::Pressed,
        InputSignalKind::Triggered => ugas_signal_kind::Triggered,
        InputSignalKind::Value(given) => {
            value = given;
            ugas_signal_kind::Value
        }
        InputSignalKind::Released { held: span, cause: release_cause } => {
            held = span.micros();
            cause = match release_cause {
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
