//! Text of single values: numbers, handles, names, and the plain data of the core.

use std::fmt::Write;
use std::sync::Arc;

use ugas_core::ability::{ActivationReason, ActivationRefusal, EndReason, EventDetails, GameplayEvent};
use ugas_core::effect::calculation::CalculationError;
use ugas_core::effect::{ContextTags, EffectContext, HitResult, RawPayload};
use ugas_core::event::{Cause, CueDetails, CueParameters};
use ugas_core::expr::EvalError;
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::id::{
    AbilityId, ActorId, AttributeId, AttributeSetId, CalculationId, CurveId, EffectId, TagId, TemplateId,
};
use ugas_core::input::InputId;
use ugas_core::prediction::PredictionKey;
use ugas_core::refusal::{CycleLink, Refusal, RefusalReason};
use ugas_core::reload::{ReloadEntry, ReloadOutcome, ReloadPlace};
use ugas_core::simulation::Simulation;
use ugas_core::tag::TagBits;
use ugas_core::targeting::{Target, TargetData};
use ugas_core::task::Subject;
use ugas_core::time::{Span, Time};

use super::Names;

/// Text so far, names of handles, and the simulation whose catalog names the ids.
pub(super) struct Writer<'a> {
    pub(super) text: &'a mut String,
    pub(super) names: &'a mut Names,
    pub(super) sim: &'a Simulation,
}

impl Writer<'_> {
    /// Appends text as it is.
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends formatted text; writing to a string cannot fail.
    pub(super) fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.text.write_fmt(arguments).expect("a string takes everything");
    }

    /// Ends the current line.
    pub(super) fn line(&mut self) {
        self.text.push('\n');
    }

    /// Appends ` name=value`: the form of all fields in dumps.
    pub(super) fn field(&mut self, name: &str, value: &impl Show) {
        self.text.push(' ');
        self.text(name);
        self.text.push('=');
        value.show(self);
    }

    /// Appends ` name=value` if the value differs from the default, so that rare fields do not lengthen every
    /// line.
    pub(super) fn optional<T: Show + Default + PartialEq>(&mut self, name: &str, value: &T) {
        if *value != T::default() {
            self.field(name, value);
        }
    }

    /// Appends ` name=[value value]`, or nothing if the list is empty.
    pub(super) fn list<T: Show>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        let mut values = values.into_iter().peekable();
        if values.peek().is_some() {
            self.text.push(' ');
            self.text(name);
            self.text.push('=');
            self.items(values);
        }
    }

    /// Appends `[value value]`, also for an empty list: the text of lists, tag sets and targets.
    fn items<T: Show>(&mut self, values: impl IntoIterator<Item = T>) {
        self.text.push('[');
        for (at, value) in values.into_iter().enumerate() {
            if at > 0 {
                self.text.push(' ');
            }
            value.show(self);
        }
        self.text.push(']');
    }
}

/// Value with a canonical text.
pub(super) trait Show {
    /// Appends the canonical text of the value to a dump: names for ids, numbers by first appearance for
    /// handles, and digits that read back exactly. Equal states must have equal texts, because recorded games
    /// compare digests.
    fn show(&self, out: &mut Writer<'_>);
}

impl<T: Show + ?Sized> Show for &T {
    /// Appends the text of the referenced value.
    fn show(&self, out: &mut Writer<'_>) {
        (**self).show(out);
    }
}

impl<T: Show + ?Sized> Show for Arc<T> {
    /// Appends the text of the shared value; sharing itself is not visible in dumps.
    fn show(&self, out: &mut Writer<'_>) {
        (**self).show(out);
    }
}

impl<T: Show> Show for Option<T> {
    /// Appends the text of the value, or `-` for `None`.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Some(value) => value.show(out),
            None => out.text("-"),
        }
    }
}

impl<T: Show> Show for [T] {
    /// Appends the items as `[a b]`, in their order.
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self);
    }
}

impl<T: Show> Show for Vec<T> {
    /// Appends the items as `[a b]`, in their order.
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self);
    }
}

impl<A: Show, B: Show> Show for (A, B) {
    /// Appends `a:b`. Enum variants with one value are written as a pair of their name and the value.
    fn show(&self, out: &mut Writer<'_>) {
        self.0.show(out);
        out.text(":");
        self.1.show(out);
    }
}

impl<A: Show, B: Show, C: Show> Show for (A, B, C) {
    /// Appends `a:b:c`. Enum variants with two values are written as their name and the values.
    fn show(&self, out: &mut Writer<'_>) {
        self.0.show(out);
        out.text(":");
        self.1.show(out);
        out.text(":");
        self.2.show(out);
    }
}

impl Show for str {
    /// Appends the string without quotes.
    fn show(&self, out: &mut Writer<'_>) {
        out.text(self);
    }
}

impl Show for String {
    /// Appends the string without quotes.
    fn show(&self, out: &mut Writer<'_>) {
        out.text(self);
    }
}

/// Implements `Show` by `Debug` for types whose `Debug` text is exact and without ids: numbers, and enums
/// without data.
macro_rules! show_debug {
    ($($type:ty),* $(,)?) => {
        $(impl Show for $type {
            /// Appends the `Debug` text, which reads back exactly and has no id or handle in it.
            fn show(&self, out: &mut Writer<'_>) {
                out.format(format_args!("{self:?}"));
            }
        })*
    };
}

show_debug! {
    bool, u16, u32, u64, usize, f64, [f64; 3],
    ugas_core::ability::AbilityState,
    ugas_core::ability::ActivationParty,
    ugas_core::controller::ReplicationMode,
    ugas_core::effect::EffectStatus,
    ugas_core::effect::magnitude::CaptureFrom,
    ugas_core::event::RemovalReason,
    ugas_core::modifier::Operation,
    ugas_core::refusal::Limit,
    ugas_core::refusal::Party,
    ugas_core::expr::Side,
    ugas_core::targeting::Confirmation,
}

/// Implements `Show` for handles: a letter, and the number of their first appearance.
macro_rules! show_handle {
    ($($type:ty, $letter:literal, $numbers:ident;)*) => {
        $(impl Show for $type {
            /// Appends the letter of the kind and the number of the handle's first appearance, or `?` for the
            /// handle of an object that a client does not see.
            fn show(&self, out: &mut Writer<'_>) {
                if self.is_unseen() {
                    return out.text(concat!($letter, "?"));
                }
                let number = out.names.$numbers.of(*self);
                out.format(format_args!(concat!($letter, "{}"), number));
            }
        })*
    };
}

show_handle! {
    ControllerId, "c", controllers;
    ActiveEffectId, "e", effects;
    GrantedAbilityId, "g", abilities;
    ActivationId, "a", activations;
    TaskId, "t", tasks;
}

/// Implements `Show` for ids of definitions: their names in the catalog.
macro_rules! show_id {
    ($($type:ty, $name:ident;)*) => {
        $(impl Show for $type {
            /// Appends the definition's name from the simulation's catalog, which a reload of other ids
            /// keeps.
            fn show(&self, out: &mut Writer<'_>) {
                let catalog = out.sim.catalog();
                out.text.push_str(catalog.$name(*self));
            }
        })*
    };
}

show_id! {
    AbilityId, ability_name;
    AttributeId, attribute_name;
    AttributeSetId, set_name;
    CalculationId, calculation_name;
    CurveId, curve_name;
    TagId, tag_name;
    TemplateId, template_name;
}

impl Show for EffectId {
    /// Appends the effect's name, asked of the simulation because it also names effects defined at run time,
    /// which the catalog does not have.
    fn show(&self, out: &mut Writer<'_>) {
        let sim = out.sim;
        out.text.push_str(sim.effect_name(*self));
    }
}

impl Show for ActorId {
    /// Appends `actor` and the number that the host chose.
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("actor{}", self.0));
    }
}

impl Show for PredictionKey {
    /// Appends `tick.sequence`, with a `+` if the key depends on another one.
    fn show(&self, out: &mut Writer<'_>) {
        let dependent = if self.is_dependent() { "+" } else { "" };
        out.format(format_args!("{}.{}{dependent}", self.tick(), self.sequence()));
    }
}

impl Show for InputId {
    /// Appends the input's name.
    fn show(&self, out: &mut Writer<'_>) {
        out.text(self.as_str());
    }
}

impl Show for Time {
    /// Appends the time since the start in whole microseconds, with the unit `us`: exact, unlike seconds.
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("{}us", self.micros()));
    }
}

impl Show for Span {
    /// Appends the span in whole microseconds, with the unit `us`: exact, unlike seconds.
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("{}us", self.micros()));
    }
}

impl Show for ContextTags {
    /// Appends the names of the tags as `[a b]`, in the order of the set.
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self.iter());
    }
}

impl Show for TagBits {
    /// Appends the names of the tags as `[a b]`, in the order of the set.
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self.iter());
    }
}

impl Show for RawPayload {
    /// Appends the payload's kind and its bytes as a list; the bytes are not interpreted.
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("{}{:?}", self.kind, self.bytes));
    }
}

impl Show for HitResult {
    /// Appends `hit(…)` with location, normal, distance, hit actor and part.
    fn show(&self, out: &mut Writer<'_>) {
        let Self { location, normal, distance, actor, part } = self;
        out.format(format_args!("hit({location:?} {normal:?} {distance:?}"));
        out.field("actor", actor);
        out.format(format_args!(" part={part})"));
    }
}

impl Show for Target {
    /// Appends the target alone: a controller, `controller:hit`, a location or a payload.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Self::Controller(controller) => controller.show(out),
            Self::Hit { controller, hit } => (controller, hit).show(out),
            Self::Location(location) => location.show(out),
            Self::Custom(payload) => payload.show(out),
        }
    }
}

impl Show for TargetData {
    /// Appends the targets as `[a b]`, in their order.
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self.iter());
    }
}

impl Show for GameplayEvent {
    /// Appends `event(…)` with tag, magnitude, instigator and target, and with the optional details if there
    /// are any.
    fn show(&self, out: &mut Writer<'_>) {
        let Self { tag, magnitude, instigator, target, details } = self;
        out.text("event(");
        tag.show(out);
        out.field("magnitude", magnitude);
        out.field("instigator", instigator);
        out.field("target", target);
        if let Some(details) = details {
            let EventDetails { context_tags, target_data, payload, causer, origin } = &**details;
            out.list("context", context_tags);
            out.list("targets", target_data.iter());
            out.list("payload", payload.iter().map(|(name, value)| (&**name, value)));
            out.field("causer", causer);
            out.field("origin", origin);
        }
        out.text(")");
    }
}

impl Show for EffectContext {
    /// Appends `context(…)` with source and ability, and those optional parts that are set.
    fn show(&self, out: &mut Writer<'_>) {
        out.text("context(");
        self.source.show(out);
        out.field("ability", &self.ability);
        out.optional("causer", &self.causer());
        out.optional("object", &self.source_object());
        out.optional("origin", &self.origin());
        out.optional("hit", &self.hit().copied());
        out.optional("payload", &self.raw_payload());
        out.list("ability_tags", self.ability_tags().into_iter().flat_map(TagBits::iter));
        out.list("tags", self.tags().iter());
        out.text(")");
    }
}

impl Show for CueParameters {
    /// Appends magnitude and level of a cue in parentheses, and its optional details if there are any.
    fn show(&self, out: &mut Writer<'_>) {
        let Self { magnitude, level, details } = self;
        out.format(format_args!("(magnitude={magnitude:?} level={level:?}"));
        if let Some(details) = details {
            let details: &CueDetails = details;
            out.field("instigator", &details.instigator);
            out.optional("causer", &details.causer);
            out.optional("object", &details.source_object);
            out.optional("hit", &details.hit);
            out.optional("origin", &details.origin);
            out.field("ability", &details.ability);
            out.field("ability_level", &details.ability_level);
            out.field("stacks", &details.stacks);
            out.field("duration", &details.duration);
            out.list("source_tags", details.source_tags.iter());
            out.list("ability_tags", details.ability_tags.iter());
            out.list("target_tags", details.target_tags.iter());
            out.list("context_tags", details.context_tags.iter());
            out.optional("payload", &details.payload);
        }
        out.text(")");
    }
}

impl Show for Cause {
    /// Appends `#` and the number of the operation, then the effect, active effect, source and ability that
    /// an event is put down to, as far as they are known.
    fn show(&self, out: &mut Writer<'_>) {
        let Self { operation, effect, active, source, ability } = self;
        out.format(format_args!("#{operation}"));
        out.optional("effect", effect);
        out.optional("active", active);
        out.optional("source", source);
        out.optional("ability", ability);
    }
}

impl Show for EndReason {
    /// Appends the reason's name, with the ability or tag that ended the activation if it has one.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Self::CancelledByAbility(ability) => ("CancelledByAbility", ability).show(out),
            Self::CancelledByTag(tag) => ("CancelledByTag", tag).show(out),
            Self::TriggerGone(tag) => ("TriggerGone", tag).show(out),
            plain => out.format(format_args!("{plain:?}")),
        }
    }
}

impl Show for Subject {
    /// Appends the kind of change that a task is subscribed to, with its attribute or tag if it has one.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Self::Attribute(attribute) => ("Attribute", attribute).show(out),
            Self::Tag(tag) => ("Tag", tag).show(out),
            Self::TagCount(tag) => ("TagCount", tag).show(out),
            Self::Event(tag) => ("Event", tag).show(out),
            plain => out.format(format_args!("{plain:?}")),
        }
    }
}

impl Show for EvalError {
    /// Appends the error's name, with names of attribute, tag or curve instead of their ids.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Self::MissingAttribute { side, attribute } => ("MissingAttribute", side, attribute).show(out),
            Self::MissingSetByCaller { tag } => ("MissingSetByCaller", tag).show(out),
            Self::MissingCurve { curve } => ("MissingCurve", curve).show(out),
            plain => out.format(format_args!("{plain:?}")),
        }
    }
}

impl Show for CalculationError {
    /// Appends the error of a calculation with names instead of ids.
    ///
    /// # Panics
    /// If the core has a new kind of error; its text must be written here.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Self::UndeclaredCapture { attribute, from } => ("UndeclaredCapture", attribute, from).show(out),
            Self::Evaluation(error) => error.show(out),
            Self::Failed(message) => ("Failed", message).show(out),
            other => panic!("write the text of {other:?}"),
        }
    }
}

impl Show for CycleLink {
    /// Appends controller, attribute and effect of one link of a dependency cycle.
    fn show(&self, out: &mut Writer<'_>) {
        (self.controller, self.attribute, self.by).show(out);
    }
}

impl Show for RefusalReason {
    /// Appends why an effect is refused: the reason's name, and its values with names instead of ids.
    ///
    /// # Panics
    /// If the core has a new reason; its text must be written here.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Self::UnknownController(controller) => ("UnknownController", controller).show(out),
            Self::ControllerInactive(controller) => ("ControllerInactive", controller).show(out),
            Self::UnknownEffect(effect) => ("UnknownEffect", effect).show(out),
            Self::UnknownAbility(ability) => ("UnknownAbility", ability).show(out),
            Self::UnknownGrant(ability) => ("UnknownGrant", ability).show(out),
            Self::UnknownHandle(active) => ("UnknownHandle", active).show(out),
            Self::StillActive(active) => ("StillActive", active).show(out),
            Self::UnknownTag(tag) => ("UnknownTag", tag).show(out),
            Self::NotAuthorised { ability } => ("NotAuthorised", ability).show(out),
            Self::Hook(message) => ("Hook", message).show(out),
            Self::MissingTag { party, tag } => ("MissingTag", party, tag).show(out),
            Self::BlockedTag { party, tag } => ("BlockedTag", party, tag).show(out),
            Self::WouldBeRemoved { tag } => ("WouldBeRemoved", tag).show(out),
            Self::Immune { by } => ("Immune", by).show(out),
            Self::RequirementFailed(calculation) => ("RequirementFailed", calculation).show(out),
            Self::StackOverflow { stack } => ("StackOverflow", stack).show(out),
            Self::CircularDependency { chain } => ("CircularDependency", &**chain).show(out),
            Self::MissingSetByCaller(tag) => ("MissingSetByCaller", tag).show(out),
            Self::MissingAttribute { party, attribute } => ("MissingAttribute", party, attribute).show(out),
            Self::FixedParameter(name) => ("FixedParameter", name).show(out),
            Self::MissingCalculation(calculation) => ("MissingCalculation", calculation).show(out),
            Self::MissingCurve(curve) => ("MissingCurve", curve).show(out),
            Self::CalculationFailed { calculation, error } => {
                ("CalculationFailed", calculation, error).show(out);
            }
            Self::NonFinite { modifier, attribute } => ("NonFinite", modifier, attribute).show(out),
            Self::InvalidPeriod(period) => ("InvalidPeriod", period).show(out),
            Self::LimitReached(limit) => ("LimitReached", limit).show(out),
            Self::AuthoritativeOnly
            | Self::NotPredicted
            | Self::ApplicationQuery
            | Self::ChanceFailed
            | Self::MissingParameter
            | Self::CustomTask => out.text(self.code()),
            other => panic!("write the text of {other:?}"),
        }
    }
}

impl Show for Refusal {
    /// Appends the refused effect, its target and all reasons.
    fn show(&self, out: &mut Writer<'_>) {
        let Self { effect, target, reasons } = self;
        effect.show(out);
        out.field("target", target);
        out.list("reasons", reasons);
    }
}

impl Show for ActivationReason {
    /// Appends why an activation is refused: the reason's name, and its values with names instead of ids.
    ///
    /// # Panics
    /// If the core has a new reason; its text must be written here.
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Self::UnknownController(controller) => ("UnknownController", controller).show(out),
            Self::ControllerInactive(controller) => ("ControllerInactive", controller).show(out),
            Self::UnknownAbility(ability) => ("UnknownAbility", ability).show(out),
            Self::BlockedByAbility { tag, by, effect } => ("BlockedByAbility", tag, (by, effect)).show(out),
            Self::MissingTag { party, tag } => ("MissingTag", party, tag).show(out),
            Self::BlockedTag { party, tag } => ("BlockedTag", party, tag).show(out),
            Self::OnCooldown { tag, remaining } => ("OnCooldown", tag, remaining).show(out),
            Self::CannotAfford { attribute, would_be, minimum } => {
                ("CannotAfford", attribute, (would_be, minimum)).show(out);
            }
            Self::EffectRefused(reason) => ("EffectRefused", reason).show(out),
            Self::LimitReached(limit) => ("LimitReached", limit).show(out),
            Self::NotGranted
            | Self::AlreadyActive
            | Self::NoAvatar
            | Self::NoCharges
            | Self::OutOfRange
            | Self::NotAuthorised
            | Self::NotPredicted
            | Self::ClientOnly => out.text(self.code()),
            other => panic!("write the text of {other:?}"),
        }
    }
}

impl Show for ActivationRefusal {
    /// Appends the refused ability, its controller and all reasons.
    fn show(&self, out: &mut Writer<'_>) {
        self.ability.show(out);
        out.field("controller", &self.controller);
        out.list("reasons", &self.reasons);
    }
}

impl Show for ReloadEntry {
    /// Appends kind and name of the definition, the object that uses it, and what the reload did to that
    /// object. Texts for people are left out.
    ///
    /// # Panics
    /// If the core has a new kind of object; its text must be written here.
    fn show(&self, out: &mut Writer<'_>) {
        let Self { kind, name, place, outcome } = self;
        out.format(format_args!("{kind} {name} of "));
        match place {
            ReloadPlace::Controller(controller) => controller.show(out),
            ReloadPlace::Effect { active, target } => (active, target).show(out),
            ReloadPlace::Ability { handle, controller } => (handle, controller).show(out),
            ReloadPlace::RuntimeEffects => out.text("-"),
            other => panic!("write the text of {other:?}"),
        }
        out.text(" ");
        match outcome {
            // Its reason is a text for people, which may contain handles.
            ReloadOutcome::CannotContinue { .. } => out.text("CannotContinue"),
            ReloadOutcome::Invalid(_) => out.text("Invalid"),
            plain => out.format(format_args!("{plain:?}")),
        }
    }
}
