//! A host for the tests: a context with the pack of the examples.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

pub(crate) const PACK: &str = include_str!("../../examples/duel.yaml");

/// A set with a hundred health, as the beginning of a pack.
macro_rules! body {
    () => {
        "
$schema: https://example.org/schemas/attribute_set.json
Name: Body
Attributes: [{ Name: Health, DefaultBaseValue: 100 }]
"
    };
}

/// A knight with the set `Body`, as the middle of a pack.
macro_rules! knight {
    () => {
        "---
$schema: https://example.org/schemas/gameplay_controller.json
Name: Knight
OwnerActor: { ActorID: Knight, ActorType: Player }
AttributeSets: [{ Name: Body }]
ReplicationMode: Mixed
---
"
    };
}

pub(crate) use {body, knight};

pub(crate) fn text(text: &str) -> ugas_str {
    ugas_str { data: text.as_ptr().cast(), length: text.len() }
}

/// Copies a returned text.
pub(crate) fn copied(text: ugas_str) -> String {
    if text.length == 0 {
        return String::new();
    }
    // SAFETY: the library gave it out just now.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// `-Attack * 100 / (100 + Armor)`, as in the examples.
pub(crate) unsafe extern "C" fn slash(
    _user: *mut c_void,
    input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: the library calls it with both, and two attributes were declared.
    unsafe {
        let (attack, armor) = (*(*input).attributes, *(*input).attributes.add(1));
        (*output).changes[0].magnitude = -attack * 100.0 / (100.0 + armor);
        (*output).change_count = 1;
    }
    0
}

/// The function type behind `ugas_calculate`.
pub(crate) type Calculate =
    unsafe extern "C" fn(*mut c_void, *const ugas_calculation_input, *mut ugas_calculation_output) -> u32;

/// A calculation that reads only these attributes; valid as long as they are.
pub(crate) fn calculation(
    name: &'static str,
    attributes: &[ugas_reading],
    outputs: &[ugas_str],
    calculate: Calculate,
    (user, free): (*mut c_void, ugas_free),
) -> ugas_calculation {
    ugas_calculation {
        size: size_of::<ugas_calculation>(),
        name: text(name),
        attributes: attributes.as_ptr(),
        attribute_count: attributes.len(),
        tags: null(),
        tag_count: 0,
        magnitudes: null(),
        magnitude_count: 0,
        outputs: outputs.as_ptr(),
        output_count: outputs.len(),
        random_count: 0,
        calculate: Some(calculate),
        user,
        free,
    }
}

/// Registers the calculation of the example pack.
pub(crate) fn add_slash(
    context: *mut ugas_context,
    loader: ugas_loader,
    calculate: Calculate,
    user: *mut c_void,
    free: ugas_free,
) -> ugas_status {
    let party = |name, party: ugas_party| ugas_reading { name: text(name), party: party as u32, frozen: 0 };
    let attributes = [party("Attack", ugas_party::Source), party("Armor", ugas_party::Target)];
    let outputs = [text("Health")];
    let calculation = calculation("ExecCalc_Slash", &attributes, &outputs, calculate, (user, free));
    // SAFETY: a live context and a local variable.
    unsafe { ugas_loader_add_calculation(context, loader, &raw const calculation) }
}

pub(crate) struct Host {
    pub(crate) context: *mut ugas_context,
    pub(crate) catalog: ugas_catalog,
    pub(crate) simulation: ugas_simulation,
}

impl Host {
    pub(crate) fn new() -> Self {
        Self::with(slash, null_mut(), None)
    }

    pub(crate) fn with(calculate: Calculate, user: *mut c_void, free: ugas_free) -> Self {
        Self::prepared(PACK, |context, loader| add_slash(context, loader, calculate, user, free))
    }

    /// A host with another pack; `prepare` adds to the loader.
    pub(crate) fn prepared(
        pack: &str,
        prepare: impl FnOnce(*mut ugas_context, ugas_loader) -> ugas_status,
    ) -> Self {
        let mut host = Self { context: null_mut(), catalog: 0, simulation: 0 };
        let mut loader = 0;
        // SAFETY: every pointer leads to a local variable.
        unsafe {
            assert_eq!(ugas_context_new(UGAS_ABI_VERSION, &raw mut host.context), ugas_status::Ok);
            let context = host.context;
            host.must(ugas_loader_new(context, &raw mut loader));
            host.must(ugas_loader_add_text(context, loader, text("pack.yaml"), text(pack)));
            host.must(prepare(context, loader));
            let loaded = ugas_loader_load(context, loader, &raw mut host.catalog);
            host.must(loaded);
            host.must(ugas_loader_free(context, loader));
            let made = ugas_simulation_new(context, host.catalog, null(), &raw mut host.simulation);
            host.must(made);
        }
        host
    }

    pub(crate) fn must(&self, status: ugas_status) {
        assert_eq!(status, ugas_status::Ok, "{}", self.error());
    }

    pub(crate) fn error(&self) -> String {
        let mut words = text("");
        // SAFETY: a live context and a local variable.
        assert_eq!(unsafe { ugas_last_error(self.context, &raw mut words) }, ugas_status::Ok);
        copied(words)
    }

    pub(crate) fn spawn(&self) -> ugas_controller {
        let mut out = 0;
        let spawn = ugas_spawn {
            size: size_of::<ugas_spawn>(),
            template_name: text("Knight"),
            owner: 0,
            avatar: 0,
            has_owner: 0,
            has_avatar: 0,
        };
        // SAFETY: a live context and local variables.
        self.must(unsafe {
            ugas_controller_spawn(self.context, self.simulation, &raw const spawn, &raw mut out)
        });
        out
    }

    pub(crate) fn attribute(&self, name: &str) -> ugas_attribute {
        let mut out = 0;
        // SAFETY: a live context and a local variable.
        self.must(unsafe { ugas_catalog_attribute(self.context, self.catalog, text(name), &raw mut out) });
        out
    }

    pub(crate) fn effect(&self, name: &str) -> ugas_effect {
        let mut out = 0;
        // SAFETY: a live context and a local variable.
        self.must(unsafe { ugas_catalog_effect(self.context, self.catalog, text(name), &raw mut out) });
        out
    }

    pub(crate) fn current(&self, controller: ugas_controller, name: &str) -> f64 {
        let (attribute, mut out) = (self.attribute(name), 0.0);
        // SAFETY: a live context and a local variable.
        self.must(unsafe {
            ugas_attribute_read(self.context, self.simulation, controller, attribute, 0, &raw mut out)
        });
        out
    }

    pub(crate) fn apply(&self, effect: &str, source: u64, target: u64) -> ugas_status {
        let apply = ugas_apply { effect: self.effect(effect), source, ..zeroed_apply() };
        // SAFETY: a live context and a local variable.
        unsafe {
            ugas_effect_apply(self.context, self.simulation, &raw const apply, target, null_mut(), null_mut())
        }
    }

    pub(crate) fn poll(&self) -> Vec<ugas_event> {
        let mut events = Vec::with_capacity(256);
        let mut count = 0;
        // SAFETY: there is room for as many as is said, and so many were written.
        unsafe {
            self.must(ugas_events_poll(
                self.context,
                self.simulation,
                events.as_mut_ptr(),
                size_of::<ugas_event>(),
                256,
                &raw mut count,
            ));
            events.set_len(count);
        }
        events
    }
}

pub(crate) fn zeroed_event() -> ugas_gameplay_event {
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut event: ugas_gameplay_event = unsafe { std::mem::zeroed() };
    event.size = size_of::<ugas_gameplay_event>();
    event
}

pub(crate) fn zeroed_cue() -> ugas_cue {
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut cue: ugas_cue = unsafe { std::mem::zeroed() };
    cue.size = size_of::<ugas_cue>();
    cue
}

/// Copies a returned list.
pub(crate) fn copied_list<T: Copy>(data: *const T, length: usize) -> Vec<T> {
    if length == 0 {
        assert!(data.is_null());
        return Vec::new();
    }
    // SAFETY: the library gave it out just now.
    unsafe { std::slice::from_raw_parts(data, length) }.to_vec()
}

pub(crate) fn zeroed_apply() -> ugas_apply {
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut apply: ugas_apply = unsafe { std::mem::zeroed() };
    apply.size = size_of::<ugas_apply>();
    apply
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and not used again.
        assert_eq!(unsafe { ugas_context_free(&raw mut self.context) }, ugas_status::Ok);
        assert!(self.context.is_null());
    }
}
