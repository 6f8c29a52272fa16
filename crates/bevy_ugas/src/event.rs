//! Events of the game, as entity events for observers and as buffered messages.
//!
//! Each is both, except [`SimulationEvent`], which is a message only:
//! `app.add_observer(|change: On<AttributeChanged>| …)` observes all entities, `.observe(…)` one entity, and
//! `MessageReader<AttributeChanged>` reads the buffered messages. All are emitted in
//! [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), in the order in which they happened, after
//! components were updated to the final state of the step. Actions of an observer lead to events of the next
//! step.
//!
//! Observers are limited to one definition with [`only`](crate::ObserverFilter::only). Handlers of one
//! attribute, tag, cue or kind of task are registered with [`UgasAppExt`](crate::UgasAppExt).

mod convert;

use bevy_app::App;
use bevy_ecs::prelude::{Entity, EntityEvent, Message, World};
use bevy_platform::sync::Arc;
use ugas::{
    AbilityId, ActivationId, ActivationRefusal, ActiveEffectId, AttributeId, Cause, Confirmation,
    ContextTags, CueParameters, EffectId, EndReason, Event, GameplayEvent, GrantedAbilityId, HostValue,
    Refusal, RemovalReason, Span, TagId, TaskId, Time,
};

pub(crate) use convert::ConvertedEvent;

use crate::filter::NamedEvent;

/// Any event of the simulation, in its original form: also kinds that have no type of their own here, and
/// events of controllers without entities.
#[derive(Message, Clone, Debug)]
pub struct SimulationEvent {
    /// Entity of the controller that the event is about, if it has one.
    pub entity: Option<Entity>,
    /// Entity of the [`GameplayInstance`](crate::GameplayInstance) that emitted it; `None` is the simulation of
    /// the app.
    pub instance: Option<Entity>,
    /// The event.
    pub event: Event,
}

/// Time and cause of an event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Circumstances {
    /// Game time.
    pub time: Time,
    /// Entity that caused it, if there is one.
    pub source: Option<Entity>,
    /// Cause of the event, with handles of the simulation.
    pub cause: Cause,
    /// Whether the event is a prediction of a client.
    pub predicted: bool,
}

macro_rules! events {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[derive(EntityEvent, Message, Clone, Debug)]
            pub struct $name {
                /// Entity that the event is about.
                pub entity: Entity,
                $($(#[$field_meta])* pub $field: $type,)*
                /// Time and cause.
                pub circumstances: Circumstances,
            }
        )*

        /// Any typed event of this module.
        #[derive(Clone, Debug)]
        pub(crate) enum TypedEvent {
            $($name($name),)*
        }

        impl TypedEvent {
            /// Buffers the event as a message, and triggers observers.
            pub(crate) fn emit(self, world: &mut World) {
                match self {
                    $(Self::$name(event) => {
                        world.write_message(event.clone());
                        world.trigger(event);
                    })*
                }
            }
        }

        /// Registers all message types with the app, [`SimulationEvent`] included.
        pub(crate) fn register(app: &mut App) {
            app.add_message::<SimulationEvent>();
            $(app.add_message::<$name>();)*
        }
    };
}

/// Implements [`NamedEvent`] by the fields with the id and the name.
macro_rules! named_events {
    ($($id:ty { $($name:ident: $field:ident),* $(,)? })*) => {$($(
        impl NamedEvent for $name {
            type Id = $id;

            fn definition(&self) -> Option<$id> {
                self.$field.into()
            }

            fn name(&self) -> &str {
                &self.name
            }
        }
    )*)*};
}

named_events! {
    AttributeId { AttributeChanged: attribute }
    TagId { TagAdded: tag, TagRemoved: tag, TagCountChanged: tag, CueStarted: cue, CueEnded: cue, CueBurst: cue }
    EffectId {
        EffectApplied: effect,
        EffectExecuted: effect,
        EffectRemoved: effect,
        EffectStacksChanged: effect,
        EffectRefused: effect,
        EffectBlocked: effect,
    }
    AbilityId {
        AbilityGranted: ability,
        AbilityRevoked: ability,
        AbilityActivated: ability,
        AbilityCommitted: ability,
        AbilityEnded: ability,
        AbilityRefused: ability,
        HostTaskRequested: ability,
    }
}

impl NamedEvent for GameplayEventReceived {
    type Id = TagId;

    fn definition(&self) -> Option<TagId> {
        Some(self.event.tag)
    }

    fn name(&self) -> &str {
        &self.name
    }
}

events! {
    /// A base or current value changed (§5.6).
    AttributeChanged {
        /// The attribute.
        attribute: AttributeId,
        /// Its name.
        name: Arc<str>,
        /// Current value before.
        old: f64,
        /// Current value now.
        new: f64,
        /// Base value before.
        old_base: f64,
        /// Base value now.
        new_base: f64,
    }
    /// A tag or a first descendant of it was added (§7.2).
    TagAdded {
        /// The tag.
        tag: TagId,
        /// Its name.
        name: Arc<str>,
    }
    /// A tag and all its descendants were removed (§7.2).
    TagRemoved {
        /// The tag.
        tag: TagId,
        /// Its name.
        name: Arc<str>,
    }
    /// The explicit count of a tag changed (T6). Emitted before the [`TagAdded`] or [`TagRemoved`] that the
    /// same change causes, and only if [`Config::tag_counts`](ugas::Config::tag_counts) is set; on a client,
    /// if its configuration is.
    TagCountChanged {
        /// The tag.
        tag: TagId,
        /// Its name.
        name: Arc<str>,
        /// Explicit count before.
        old: u32,
        /// Explicit count now.
        new: u32,
    }
    /// An effect became active (§9.2).
    EffectApplied {
        /// Definition of the effect.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// Context tags of the application (E14); none on a client.
        context_tags: ContextTags,
    }
    /// An effect changed base values: an instant one, or a tick of a periodic one.
    EffectExecuted {
        /// Definition of the effect.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the active effect, if it is periodic.
        active: Option<ActiveEffectId>,
        /// Context tags of the execution, such as `Hit.Critical` (E14).
        context_tags: ContextTags,
    }
    /// An active effect was removed.
    EffectRemoved {
        /// Definition of the effect.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// Stack count that it had.
        stacks: u32,
        /// Why it was removed.
        reason: RemovalReason,
    }
    /// The stack count of an effect changed.
    EffectStacksChanged {
        /// Definition of the effect.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the active effect.
        active: ActiveEffectId,
        /// Stack count before.
        old: u32,
        /// Stack count now.
        new: u32,
    }
    /// An effect was refused, with all reasons.
    EffectRefused {
        /// Definition of the effect.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// All reasons of the refusal.
        refusal: Refusal,
        /// Description of the refusal.
        reason: String,
    }
    /// An effect was blocked by an immunity.
    EffectBlocked {
        /// Definition of the effect.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Active effect that grants the immunity.
        by: ActiveEffectId,
    }
    /// An ability was granted.
    AbilityGranted {
        /// Definition of the ability.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
    }
    /// An ability was revoked.
    AbilityRevoked {
        /// Definition of the ability.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the former grant.
        handle: GrantedAbilityId,
    }
    /// An ability was activated (§8.2).
    AbilityActivated {
        /// Definition of the ability.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The activation.
        activation: ActivationId,
    }
    /// An ability committed: its cost was paid and its cooldown started (§8.4).
    AbilityCommitted {
        /// Definition of the ability.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The activation.
        activation: ActivationId,
    }
    /// An ability ended, or was cancelled (§8.6).
    AbilityEnded {
        /// Definition of the ability.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// The activation.
        activation: ActivationId,
        /// Why it ended; [`EndReason::is_cancel`] distinguishes the two.
        reason: EndReason,
    }
    /// An ability could not be activated or committed, with all reasons (§8.3).
    AbilityRefused {
        /// The ability, if there is one.
        ability: Option<AbilityId>,
        /// Its name; empty without one.
        name: Arc<str>,
        /// All reasons of the refusal.
        refusal: ActivationRefusal,
        /// Description of the refusal, for a floating text.
        reason: String,
    }
    /// The cooldown of an ability started.
    CooldownBegan {
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
        /// Length of the cooldown; `None` if unknown.
        duration: Option<Span>,
    }
    /// The cooldown of an ability ended.
    CooldownEnded {
        /// Handle of the granted ability.
        handle: GrantedAbilityId,
    }
    /// A looping cue started (§12).
    CueStarted {
        /// Tag of the cue.
        cue: TagId,
        /// Its name.
        name: Arc<str>,
        /// Magnitude, level and the rest of its context (C1), also on a client.
        parameters: CueParameters,
    }
    /// A looping cue ended (§12).
    CueEnded {
        /// Tag of the cue.
        cue: TagId,
        /// Its name.
        name: Arc<str>,
    }
    /// A cue was executed once (§12).
    CueBurst {
        /// Tag of the cue.
        cue: TagId,
        /// Its name.
        name: Arc<str>,
        /// Magnitude, level and the rest of its context (C1), also on a client.
        parameters: CueParameters,
    }
    /// An ability requests a host task (A6); report its outcome with [`GameplayWorld::complete_task`].
    ///
    /// [`GameplayWorld::complete_task`]: crate::GameplayWorld::complete_task
    HostTaskRequested {
        /// Ability that the task belongs to.
        ability: AbilityId,
        /// Name of the ability.
        name: Arc<str>,
        /// Task to complete.
        task: TaskId,
        /// Kind of the task.
        kind: Arc<str>,
        /// Parameters of the task in the pack.
        parameters: Vec<(String, HostValue)>,
        /// Targets of the activation that have entities.
        targets: Vec<Entity>,
    }
    /// A host task was cancelled and no longer needs to be carried out.
    HostTaskCancelled {
        /// The task.
        task: TaskId,
    }
    /// Target selection started: show a reticle, then call [`GameplayWorld::provide_targets`].
    ///
    /// [`GameplayWorld::provide_targets`]: crate::GameplayWorld::provide_targets
    TargetingBegan {
        /// Task that waits for targets.
        task: TaskId,
        /// How the targets are confirmed.
        confirmation: Confirmation,
    }
    /// Target selection ended.
    TargetingEnded {
        /// Task that waited for targets.
        task: TaskId,
    }
    /// A gameplay event was received (§10.3).
    GameplayEventReceived {
        /// Name of its tag.
        name: Arc<str>,
        /// Magnitude, context tags, target data and payload of the event, with the simulation's handles.
        event: GameplayEvent,
        /// Entity that caused it, if it has one.
        instigator: Option<Entity>,
        /// Entities of its target and of its target data (A11).
        targets: Vec<Entity>,
    }
    /// The death attribute of a controller fell to its threshold (§8.6).
    OwnerDied {}
}
