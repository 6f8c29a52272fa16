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
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends formatted text.
    pub(super) fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.text.write_fmt(arguments).expect("a string takes everything");
    }

    pub(super) fn line(&mut self) {
        self.text.push('\n');
    }

    /// Appends ` name=value`.
    pub(super) fn field(&mut self, name: &str, value: &impl Show) {
        self.text.push(' ');
        self.text(name);
        self.text.push('=');
        value.show(self);
    }

    /// Appends ` name=value` if the value differs from the default.
    pub(super) fn optional<T: Show + Default + PartialEq>(&mut self, name: &str, value: &T) {
        if *value != T::default() {
            self.field(name, value);
        }
    }

    /// Appends ` name=[…]` unless the list is empty.
    pub(super) fn list<T: Show>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        let mut values = values.into_iter().peekable();
        if values.peek().is_some() {
            self.text.push(' ');
            self.text(name);
            self.text.push('=');
            self.items(values);
        }
    }

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
    fn show(&self, out: &mut Writer<'_>);
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self, out: &mut Writer<'_>) {
        (**self).show(out);
    }
}

impl<T: Show + ?Sized> Show for Arc<T> {
    fn show(&self, out: &mut Writer<'_>) {
        (**self).show(out);
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self, out: &mut Writer<'_>) {
        match self {
            Some(value) => value.show(out),
            None => out.text("-"),
        }
    }
}

impl<T: Show> Show for [T] {
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self);
    }
}

impl<T: Show> Show for Vec<T> {
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self);
    }
}

impl<A: Show, B: Show> Show for (A, B) {
    fn show(&self, out: &mut Writer<'_>) {
        self.0.show(out);
        out.text(":");
        self.1.show(out);
    }
}

impl<A: Show, B: Show, C: Show> Show for (A, B, C) {
    fn show(&self, out: &mut Writer<'_>) {
        self.0.show(out);
        out.text(":");
        self.1.show(out);
        out.text(":");
        self.2.show(out);
    }
}

impl Show for str {
    fn show(&self, out: &mut Writer<'_>) {
        out.text(self);
    }
}

impl Show for String {
    fn show(&self, out: &mut Writer<'_>) {
        out.text(self);
    }
}

/// Types whose `Debug` text is part of their meaning: numbers, and enums without data.
macro_rules! show_debug {
    ($($type:ty),* $(,)?) => {
        $(impl Show for $type {
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

/// Handles: a letter, and the number of their first appearance.
macro_rules! show_handle {
    ($($type:ty, $letter:literal, $numbers:ident;)*) => {
        $(impl Show for $type {
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

/// Ids of definitions: their names.
macro_rules! show_id {
    ($($type:ty, $name:ident;)*) => {
        $(impl Show for $type {
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
    fn show(&self, out: &mut Writer<'_>) {
        let sim = out.sim;
        out.text.push_str(sim.effect_name(*self));
    }
}

impl Show for ActorId {
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("actor{}", self.0));
    }
}

impl Show for PredictionKey {
    fn show(&self, out: &mut Writer<'_>) {
        let dependent = if self.is_dependent() { "+" } else { "" };
        out.format(format_args!("{}.{}{dependent}", self.tick(), self.sequence()));
    }
}

impl Show for InputId {
    fn show(&self, out: &mut Writer<'_>) {
        out.text(self.as_str());
    }
}

impl Show for Time {
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("{}us", self.micros()));
    }
}

impl Show for Span {
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("{}us", self.micros()));
    }
}

impl Show for ContextTags {
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self.iter());
    }
}

impl Show for TagBits {
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self.iter());
    }
}

impl Show for RawPayload {
    fn show(&self, out: &mut Writer<'_>) {
        out.format(format_args!("{}{:?}", self.kind, self.bytes));
    }
}

impl Show for HitResult {
    fn show(&self, out: &mut Writer<'_>) {
        let Self { location, normal, distance, actor, part } = self;
        out.format(format_args!("hit({location:?} {normal:?} {distance:?}"));
        out.field("actor", actor);
        out.format(format_args!(" part={part})"));
    }
}

impl Show for Target {
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
    fn show(&self, out: &mut Writer<'_>) {
        out.items(self.iter());
    }
}

impl Show for GameplayEvent {
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
    fn show(&self, out: &mut Writer<'_>) {
        (self.controller, self.attribute, self.by).show(out);
    }
}

impl Show for RefusalReason {
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
    fn show(&self, out: &mut Writer<'_>) {
        let Self { effect, target, reasons } = self;
        effect.show(out);
        out.field("target", target);
        out.list("reasons", reasons);
    }
}

impl Show for ActivationReason {
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
    fn show(&self, out: &mut Writer<'_>) {
        let Self { ability, controller, reasons } = self;
        ability.show(out);
        out.field("controller", controller);
        out.list("reasons", reasons);
    }
}

impl Show for ReloadEntry {
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
