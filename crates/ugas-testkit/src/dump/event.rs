//! Text of events: sequence number, time, cause, kind, and every field of the kind.

use ugas_core::event::{Event, EventKind};

use super::show::{Show, Writer};

impl Show for Event {
    /// Appends sequence number, time, cause, prediction key if there is one, kind and fields of an event, as
    /// one line of a dump without its end. The patterns name every field, so that a new one cannot be left
    /// out of recorded games.
    fn show(&self, out: &mut Writer<'_>) {
        let Self { sequence, time, cause, prediction, kind } = self;
        out.format(format_args!("{sequence} "));
        time.show(out);
        out.text(" ");
        cause.show(out);
        out.optional("prediction", prediction);
        out.text(" ");
        out.text(kind.name());
        kind.show(out);
    }
}

/// Implements `Show` for the kinds of events with named fields; a kind or field that is missing here does not
/// compile or panics.
macro_rules! show_kinds {
    ($($kind:ident { $($field:ident),* })*) => {
        impl Show for EventKind {
            /// Appends ` name=value` for every field of the kind; the kind's own name is written by the
            /// caller.
            ///
            /// # Panics
            /// If the kind has no entry in this macro.
            fn show(&self, out: &mut Writer<'_>) {
                match self {
                    $(Self::$kind { $($field),* } => { $(out.field(stringify!($field), $field);)* })*
                    Self::EffectRefused(refusal) => out.field("refusal", refusal),
                    Self::AbilityRefused(refusal) => out.field("refusal", refusal),
                    other => panic!("write the text of {other:?}"),
                }
            }
        }
    };
}

show_kinds! {
    ControllerSpawned { controller }
    ControllerDespawned { controller }
    OwnerChanged { controller, old, new }
    AvatarChanged { controller, old, new }
    AttributeSetAdded { controller, set }
    AttributeSetRemoved { controller, set }
    AttributeChanged { controller, attribute, old_base, new_base, old, new }
    TagAdded { controller, tag }
    TagRemoved { controller, tag }
    TagCountChanged { controller, tag, old, new }
    BeforeEffectApplied { effect, target, values }
    EffectApplied { effect, active, target, context_tags }
    EffectMerged { effect, active, target }
    EffectQueued { effect, active, target }
    EffectExecuted { effect, active, target, context_tags }
    EffectRemoved { effect, active, target, stacks, reason }
    EffectStackChanged { effect, active, target, old, new }
    EffectDurationChanged { effect, active, target, remaining }
    EffectInhibited { effect, active, target }
    EffectResumed { effect, active, target }
    EffectBlockedByImmunity { effect, target, by }
    ModifierInert { effect, modifier, attribute, target }
    EvaluationFailed { controller, attribute }
    DivisorIgnored { controller, attribute }
    AbilityGranted { controller, handle, ability }
    AbilityRevoked { controller, handle, ability }
    AbilityLevelChanged { controller, handle, old, new }
    AbilityActivated { controller, handle, ability, activation }
    AbilityCommitted { controller, handle, ability, activation }
    AbilityEnded { controller, handle, ability, activation, reason }
    AbilityCancelled { controller, handle, ability, activation, reason }
    CooldownBegan { controller, handle, duration }
    CooldownEnded { controller, handle }
    ChargesChanged { controller, handle, charges }
    GameplayEvent { controller, event }
    InputPressed { controller, input }
    InputReleased { controller, input, held }
    InputBuffered { controller, input }
    Confirmed { controller }
    Declined { controller }
    HostTaskRequested { controller, ability, task, kind, step }
    HostTaskCancelled { controller, task }
    TaskTriggered { controller, task }
    OccurrenceLimit { controller, ability, step, limit }
    TaskFailed { controller, ability, step, reason }
    NoTarget { controller, ability, step }
    TargetingBegan { controller, task, confirmation }
    TargetingEnded { controller, task }
    OwnerDied { controller }
    CueAdded { controller, cue, parameters }
    CueRemoved { controller, cue }
    CueExecuted { controller, cue, parameters }
    CascadeLimit { chain, dropped }
    LogicError { what, controller }
}
