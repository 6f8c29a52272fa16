//! What happens in the game, as entity events for observers and as buffered messages.
//!
//! Each is both: `app.add_observer(|change: On<AttributeChanged>| …)` hears of all entities, `.observe(…)` on an entity of
//! that one, and `MessageReader<AttributeChanged>` reads what was buffered. All are raised in
//! [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), in the order in which they happened, when components show the
//! state after all of them. What an observer does leads to events of the next step.
//!
//! Handlers of one attribute, tag, cue or kind of task by name are registered with
//! [`UgasAppExt`](crate::UgasAppExt).

mod convert;

use bevy_app::App;
use bevy_ecs::prelude::{Entity, EntityEvent, Message, World};
use bevy_platform::sync::Arc;
use ugas::{
    AbilityHandle, AbilityId, ActivationId, ActivationRefusal, ActiveEffectId, AttributeId, Cause,
    Confirmation, ContextTags, CueParameters, EffectId, EndReason, Event, GameplayEvent, HostValue, Refusal,
    RemovalReason, Span, TagId, TaskId, Time,
};

pub(crate) use convert::News;

/// Anything that happened, as the simulation tells it: also what has no event of its own here, and what happened to
/// controllers without entities.
#[derive(Message, Clone, Debug)]
pub struct Occurrence {
    /// To whom, if it has an entity.
    pub entity: Option<Entity>,
    /// What.
    pub event: Event,
}

/// When and why something happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Circumstances {
    /// The game's time.
    pub time: Time,
    /// Who caused it, if it has an entity.
    pub source: Option<Entity>,
    /// What led to it, in the simulation's handles.
    pub cause: Cause,
    /// Whether a client predicts it.
    pub predicted: bool,
}

macro_rules! events {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[derive(EntityEvent, Message, Clone, Debug)]
            pub struct $name {
                /// To whom.
                pub entity: Entity,
                $($(#[$field_meta])* pub $field: $type,)*
                /// When and why.
                pub circumstances: Circumstances,
            }
        )*

        /// One of the events of this module.
        #[derive(Clone, Debug)]
        pub(crate) enum Typed {
            $($name($name),)*
        }

        impl Typed {
            /// Buffers it as a message, and lets observers run.
            pub(crate) fn raise(self, world: &mut World) {
                match self {
                    $(Self::$name(event) => {
                        world.write_message(event.clone());
                        world.trigger(event);
                    })*
                }
            }
        }

        /// Makes the messages known to the app.
        pub(crate) fn register(app: &mut App) {
            app.add_message::<Occurrence>();
            $(app.add_message::<$name>();)*
        }
    };
}

events! {
    /// A base or current value changed (§5.6).
    AttributeChanged {
        /// Which attribute.
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
    /// A tag, or the first below it, was granted (§7.2).
    TagAdded {
        /// Which.
        tag: TagId,
        /// Its name.
        name: Arc<str>,
    }
    /// A tag, with all below it, is gone (§7.2).
    TagRemoved {
        /// Which.
        tag: TagId,
        /// Its name.
        name: Arc<str>,
    }
    /// The explicit count of a tag changed (T6). Raised before the [`TagAdded`] or [`TagRemoved`] that the same change leads to,
    /// and only if [`Config::tag_counts`](ugas::Config::tag_counts) asks for it, or on a client its configuration.
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
        /// Which.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Its instance.
        active: ActiveEffectId,
        /// Context tags of the application (E14); none on a client.
        context_tags: ContextTags,
    }
    /// An effect wrote base values: an instant one, or a tick of a periodic one.
    EffectExecuted {
        /// Which.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Its instance, if it is periodic.
        active: Option<ActiveEffectId>,
        /// Context tags of the execution, such as `Hit.Critical` (E14).
        context_tags: ContextTags,
    }
    /// An active effect is gone.
    EffectRemoved {
        /// Which.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Its instance.
        active: ActiveEffectId,
        /// Stacks it had.
        stacks: u32,
        /// Why.
        reason: RemovalReason,
    }
    /// An effect has more or fewer stacks.
    EffectStacksChanged {
        /// Which.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Its instance.
        active: ActiveEffectId,
        /// Count before.
        old: u32,
        /// Count now.
        new: u32,
    }
    /// An effect was refused, with all reasons.
    EffectRefused {
        /// Which.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// Why.
        refusal: Refusal,
        /// Why, in words.
        reason: String,
    }
    /// An effect was refused because of an immunity.
    EffectBlocked {
        /// Which.
        effect: EffectId,
        /// Its name.
        name: Arc<str>,
        /// The effect that makes immune.
        by: ActiveEffectId,
    }
    /// An ability was granted.
    AbilityGranted {
        /// Which.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// The grant.
        handle: AbilityHandle,
    }
    /// An ability was taken away.
    AbilityRevoked {
        /// Which.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// The grant that was.
        handle: AbilityHandle,
    }
    /// An ability was activated (§8.2).
    AbilityActivated {
        /// Which.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// The grant.
        handle: AbilityHandle,
        /// The run.
        activation: ActivationId,
    }
    /// An ability committed: it paid, and cools down (§8.4).
    AbilityCommitted {
        /// Which.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// The grant.
        handle: AbilityHandle,
        /// The run.
        activation: ActivationId,
    }
    /// An ability ended, or was cancelled (§8.6).
    AbilityEnded {
        /// Which.
        ability: AbilityId,
        /// Its name.
        name: Arc<str>,
        /// The grant.
        handle: AbilityHandle,
        /// The run.
        activation: ActivationId,
        /// Why; [`EndReason::is_cancel`] tells the two apart.
        reason: EndReason,
    }
    /// An ability could not be activated or committed, with all reasons (§8.3).
    AbilityRefused {
        /// Which, if there is one.
        ability: Option<AbilityId>,
        /// Its name; empty without one.
        name: Arc<str>,
        /// Why.
        refusal: ActivationRefusal,
        /// Why, in words: what a floating text says.
        reason: String,
    }
    /// An ability begins to cool down.
    CooldownBegan {
        /// The grant.
        handle: AbilityHandle,
        /// How long it will; `None` is not known.
        duration: Option<Span>,
    }
    /// An ability has cooled down.
    CooldownEnded {
        /// The grant.
        handle: AbilityHandle,
    }
    /// A cue begins (§12).
    CueStarted {
        /// Which.
        cue: TagId,
        /// Its name.
        name: Arc<str>,
        /// Magnitude, level and the rest of its context (C1), also on a client.
        parameters: CueParameters,
    }
    /// A cue ends (§12).
    CueEnded {
        /// Which.
        cue: TagId,
        /// Its name.
        name: Arc<str>,
    }
    /// A cue happens once (§12).
    CueBurst {
        /// Which.
        cue: TagId,
        /// Its name.
        name: Arc<str>,
        /// Magnitude, level and the rest of its context (C1), also on a client.
        parameters: CueParameters,
    }
    /// The host is asked to carry out a task of an ability (A6); [`GameplayWorld::complete_task`] says how it went.
    ///
    /// [`GameplayWorld::complete_task`]: crate::GameplayWorld::complete_task
    HostTaskRequested {
        /// Whose task: the ability.
        ability: AbilityId,
        /// The ability's name.
        name: Arc<str>,
        /// The task, to be completed.
        task: TaskId,
        /// What kind of task.
        kind: Arc<str>,
        /// What it is to be done with, as the pack says.
        parameters: Vec<(String, HostValue)>,
        /// The targets of the ability's run that have entities.
        targets: Vec<Entity>,
    }
    /// The host need not carry out a task any more.
    HostTaskCancelled {
        /// The task.
        task: TaskId,
    }
    /// Targets are to be chosen: show a reticle, then [`GameplayWorld::provide_targets`].
    ///
    /// [`GameplayWorld::provide_targets`]: crate::GameplayWorld::provide_targets
    TargetingBegan {
        /// The task that waits.
        task: TaskId,
        /// Who decides when.
        confirmation: Confirmation,
    }
    /// No target is to be chosen any more.
    TargetingEnded {
        /// The task that waited.
        task: TaskId,
    }
    /// A gameplay event came (§10.3).
    GameplayEventReceived {
        /// Its tag's name.
        name: Arc<str>,
        /// Magnitude, context tags, target data and payload of the event, with the simulation's handles.
        event: GameplayEvent,
        /// Entity that caused it, if it has one.
        instigator: Option<Entity>,
        /// Entities that it names: its target, and those of its target data (A11).
        targets: Vec<Entity>,
    }
    /// The attribute whose fall is death has fallen (§8.6).
    OwnerDied {}
}
