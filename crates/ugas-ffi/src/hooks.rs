//! Hooks of the host in the effect pipeline (E1, B4).

use core::ffi::c_void;
use std::sync::Arc;

use ugas_core::catalog::{CatalogBuilder, PreChange};
use ugas_core::effect::{EffectContext, EffectSpec};
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, EffectId};
use ugas_core::simulation::{PostExecute, Simulation};

use crate::calculation::{UserData, ugas_free};
use crate::call::{Callee, during, ugas_call, ugas_call_context};
use crate::catalog::{ugas_attribute, ugas_effect};
use crate::context::UGAS_NO_ID;
use crate::effect::{spec_of, ugas_apply};
use crate::guard::{enter, ugas_context};
use crate::loader::ugas_loader;
use crate::memory::{Memory, Plain, SizePrefixed, ugas_str};
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};

/// Application that is about to happen.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_before_apply_input {
    /// sizeof(ugas_before_apply_input) of the library.
    pub size: usize,
    /// Controller that the effect is applied to.
    pub target: ugas_controller,
    /// Controller that caused the effect; 0 is none.
    pub source: ugas_controller,
    /// Level of the effect.
    pub level: f64,
    /// Definition of the effect.
    pub effect: ugas_effect,
    /// Zero.
    pub reserved: u32,
}

/// Current value that is about to change, aggregated and clamped.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_pre_change_input {
    /// sizeof(ugas_pre_change_input) of the library.
    pub size: usize,
    /// Controller whose attribute changes.
    pub controller: ugas_controller,
    /// Base value.
    pub base: f64,
    /// Current value before the change.
    pub old_value: f64,
    /// Current value after the change.
    pub new_value: f64,
    /// Attribute that changes.
    pub attribute: ugas_attribute,
    /// Zero.
    pub reserved: u32,
}

/// Base value that an execution changed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_post_execute_input {
    /// sizeof(ugas_post_execute_input) of the library.
    pub size: usize,
    /// Controller whose base value changed: the target of the effect, or its source for an output to the source.
    pub controller: ugas_controller,
    /// Target of the effect.
    pub target: ugas_controller,
    /// Source of the effect; 0 is none.
    pub source: ugas_controller,
    /// Base value before the execution.
    pub old_base: f64,
    /// Base value after the execution, before clamping. For a meta attribute that was drained, the drained amount.
    pub new_base: f64,
    /// Level of the effect; 0 if it has ended.
    pub level: f64,
    /// Attribute whose base value changed.
    pub attribute: ugas_attribute,
    /// Definition of the effect; UGAS_NO_ID if it has ended.
    pub effect: ugas_effect,
}

/// Decides about an application: 0 accepts it, any other value refuses it, with the text of ugas_call_refuse.
pub type ugas_before_apply = Option<
    unsafe extern "C" fn(user: *mut c_void, call: ugas_call, input: *const ugas_before_apply_input) -> u32,
>;

/// Returns the new current value of an attribute; one that is not finite is ignored.
pub type ugas_pre_change =
    Option<unsafe extern "C" fn(user: *mut c_void, input: *const ugas_pre_change_input) -> f64>;

/// Reacts to a base value that an execution changed, with ugas_call_set_base and ugas_call_apply.
pub type ugas_post_execute =
    Option<unsafe extern "C" fn(user: *mut c_void, call: ugas_call, input: *const ugas_post_execute_input)>;

/// Hooks of the host. They must be functions of their input and of what the functions of ugas_call read: no clock, no
/// state and no random numbers of their own, because clients and recordings run them again. No exception may leave them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_hooks {
    /// sizeof(ugas_hooks).
    pub size: usize,
    /// Attribute of pre_change and post_execute; empty if there is only before_apply.
    pub attribute: ugas_str,
    /// Called before every application; may be null.
    pub before_apply: ugas_before_apply,
    /// Called each time the current value of the attribute changes; may be null.
    pub pre_change: ugas_pre_change,
    /// Called after an execution changed the base value of the attribute; may be null.
    pub post_execute: ugas_post_execute,
    /// Passed to all given.
    pub user: *mut c_void,
    /// Called with `user` once nothing can call the callbacks anymore; may be null. If the registration itself
    /// fails, `user` stays the host's.
    pub free: ugas_free,
}

// SAFETY: `repr(C)`, numbers and pointers; a null function is `None`.
unsafe impl Plain for ugas_hooks {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_hooks {}

/// Registers hooks with a loader: several times for several attributes. For one attribute, a later pre_change or
/// post_execute replaces an earlier one; every before_apply is called. If the catalog is shared with another context, the
/// thread that uses that context may call them too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ugas_loader_add_hooks(
    context: *mut ugas_context,
    loader: ugas_loader,
    hooks: *const ugas_hooks,
) -> ugas_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { enter(context) }.run(|context, memory| {
        let given = memory.input(hooks)?;
        let attribute = memory.text(given.attribute)?.to_owned();
        let needs_attribute = given.pre_change.is_some() || given.post_execute.is_some();
        if given.before_apply.is_none() && !needs_attribute {
            return Err(Failure::new(
                ugas_status::NullPointer,
                "the hooks have no function: set one of them",
            ));
        }
        if needs_attribute == attribute.is_empty() {
            return Err(Failure::argument(
                "pre_change and post_execute need an attribute, before_apply has none",
            ));
        }
        let entry = context.loader_mut(loader)?;
        entry.check_open()?;
        // From here on the library frees the user data, even if loading fails.
        let data = Arc::new(UserData { user: given.user, free: given.free });
        entry.add(move |builder| add_hooks(builder, attribute, &given, &data))
    })
}

/// Adds the callbacks of a registration; its attribute and its user data are passed on their own.
fn add_hooks(
    mut builder: CatalogBuilder,
    attribute: String,
    given: &ugas_hooks,
    data: &Arc<UserData>,
) -> CatalogBuilder {
    if let Some(callback) = given.before_apply {
        let data = Arc::clone(data);
        builder = builder.before_apply(move |simulation, target, spec| {
            before_apply(simulation, target, spec, |call, input| {
                // SAFETY: the host's own function with its own data; the input is valid during the call.
                unsafe { callback(data.user, call, input) }
            })
        });
    }
    if let Some(callback) = given.pre_change {
        let data = Arc::clone(data);
        builder = builder.pre_change(attribute.clone(), move |change| {
            let input = pre_change_input(change);
            // SAFETY: the host's own function with its own data; the input is valid during the call.
            unsafe { callback(data.user, &raw const input) }
        });
    }
    if let Some(callback) = given.post_execute {
        let data = Arc::clone(data);
        builder = builder.post_execute(attribute, move |post| {
            let input = post_execute_input(post);
            during(&mut PostCall(post), |call| {
                // SAFETY: the host's own function with its own data; the input is valid during the call.
                unsafe { callback(data.user, call, &raw const input) }
            });
        });
    }
    builder
}

/// A call of before_apply.
struct ApplyCall<'a> {
    simulation: &'a Simulation,
    spec: &'a EffectSpec,
    reason: Option<String>,
}

impl Callee for ApplyCall<'_> {
    fn simulation(&self) -> &Simulation {
        self.simulation
    }

    fn spec(&self) -> Option<&EffectSpec> {
        Some(self.spec)
    }

    fn refuse(&mut self, reason: &str) -> Outcome {
        self.reason = Some(reason.to_owned());
        Ok(())
    }
}

fn before_apply(
    simulation: &Simulation,
    target: ControllerId,
    spec: &EffectSpec,
    callback: impl FnOnce(ugas_call, *const ugas_before_apply_input) -> u32,
) -> Result<(), String> {
    let input = ugas_before_apply_input {
        size: size_of::<ugas_before_apply_input>(),
        target: target.to_bits().get(),
        source: spec.context().source.map_or(0, |source| source.to_bits().get()),
        level: spec.level(),
        effect: spec.effect().index(),
        reserved: 0,
    };
    let mut call = ApplyCall { simulation, spec, reason: None };
    match during(&mut call, |number| callback(number, &raw const input)) {
        0 => Ok(()),
        code => Err(call.reason.unwrap_or_else(|| format!("refused by the host with code {code}"))),
    }
}

fn pre_change_input(change: &PreChange) -> ugas_pre_change_input {
    ugas_pre_change_input {
        size: size_of::<ugas_pre_change_input>(),
        controller: change.controller.to_bits().get(),
        base: change.base,
        old_value: change.old,
        new_value: change.new,
        attribute: change.attribute.index(),
        reserved: 0,
    }
}

fn post_execute_input(post: &PostExecute<'_>) -> ugas_post_execute_input {
    ugas_post_execute_input {
        size: size_of::<ugas_post_execute_input>(),
        controller: post.target().to_bits().get(),
        target: post.effect_target().to_bits().get(),
        source: post.source().map_or(0, |source| source.to_bits().get()),
        old_base: post.old_base(),
        new_base: post.new_base(),
        level: post.spec().map_or(0.0, EffectSpec::level),
        attribute: post.attribute().index(),
        effect: post.spec().map_or(UGAS_NO_ID, |spec| EffectId::index(spec.effect())),
    }
}

/// A call of post_execute.
struct PostCall<'a, 'b>(&'a mut PostExecute<'b>);

impl Callee for PostCall<'_, '_> {
    fn simulation(&self) -> &Simulation {
        self.0.simulation()
    }

    fn spec(&self) -> Option<&EffectSpec> {
        self.0.spec()
    }

    fn set_base(&mut self, attribute: AttributeId, value: f64) -> Outcome {
        let written = self.0.set_base(attribute, value);
        written.then_some(()).ok_or_else(|| {
            Failure::refused("the controller lacks the attribute, or the value cannot be written", Vec::new())
        })
    }

    fn apply(
        &mut self,
        given: &ugas_apply,
        target: ControllerId,
        context: ugas_call_context,
        memory: Memory<'_>,
    ) -> Outcome {
        let base = match context {
            ugas_call_context::Inherited => self.0.context(),
            ugas_call_context::Own => EffectContext::default(),
        };
        let spec = spec_of(given, base, self.0.simulation(), memory)?;
        self.0.apply_spec(spec, target);
        Ok(())
    }
}
