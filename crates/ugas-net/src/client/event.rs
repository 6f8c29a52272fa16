//! Events for the client's host.

use std::sync::Arc;

use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::event::{CueDetails, CueParameters, Event};
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId};
use ugas_core::id::{AttributeId, EffectId, TagId};
use ugas_core::time::Time;

use crate::message::{ByeReason, ClientId, RefusedReason, Rejection};
use crate::tick::Tick;

/// An event for the client's host. Handles are those of the client's own simulation.
///
/// State events are differences between the state shown before and now: each change is emitted once, however
/// often it was predicted. One-shot events, which change no state, are emitted once as well, and
/// [retracted](Self::Retracted) if they turn out not to have happened.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ClientEvent {
    /// The server admitted the client.
    Connected {
        /// Id of the client.
        client: ClientId,
    },
    /// The server refused the client.
    Refused(RefusedReason),
    /// The connection was lost, and the client asks to resume its session. [`Self::Resumed`],
    /// [`Self::NotResumed`], [`Self::Refused`] or [`Self::Disconnected`] follows.
    Interrupted,
    /// The session goes on over another connection. Controllers, commands and predictions stay.
    Resumed,
    /// The server does not know the session any more, and the client asks for a new one with the same
    /// credential. Unanswered commands are [rejected](Self::Rejected) and all controllers
    /// [vanish](Self::Vanished); [`Self::Connected`] or [`Self::Refused`] follows.
    NotResumed(RefusedReason),
    /// The session is over.
    Disconnected(Option<ByeReason>),
    /// A controller came into view.
    Appeared {
        /// The controller.
        controller: ControllerId,
        /// Whether the client owns it.
        own: bool,
    },
    /// A controller is out of view, or gone.
    Vanished {
        /// The controller.
        controller: ControllerId,
    },
    /// The client became owner of a controller, or ceased to be.
    OwnershipChanged {
        /// The controller.
        controller: ControllerId,
        /// Whether the client owns it now.
        own: bool,
    },
    /// A value changed.
    AttributeChanged {
        /// Controller of the attribute.
        controller: ControllerId,
        /// The attribute.
        attribute: AttributeId,
        /// Current value before.
        old: f64,
        /// Current value now.
        new: f64,
    },
    /// The server began to send the value of an attribute, or its set was added to the controller. Values that a
    /// controller [appears](Self::Appeared) with are not announced.
    AttributeShown {
        /// Controller of the attribute.
        controller: ControllerId,
        /// The attribute.
        attribute: AttributeId,
        /// Current value.
        value: f64,
    },
    /// The value of an attribute is no longer sent and reads as
    /// [`NotReplicated`](ugas_core::simulation::ReadError::NotReplicated) (N1), or its set was removed.
    AttributeHidden {
        /// Controller of the attribute.
        controller: ControllerId,
        /// The attribute.
        attribute: AttributeId,
    },
    /// A tag, or the first of its children, was added.
    TagAdded {
        /// Controller with the tag.
        controller: ControllerId,
        /// The tag.
        tag: TagId,
    },
    /// A tag, with all of its children, was removed.
    TagRemoved {
        /// Controller that had the tag.
        controller: ControllerId,
        /// The tag.
        tag: TagId,
    },
    /// The explicit count of a tag changed (T6), for a client that [asks](super::ClientConfig::tag_counts) for it; before the
    /// [`Self::TagAdded`] or [`Self::TagRemoved`] that the same change leads to. The server sends counts up to
    /// [`Piece::MOST_TAGS`](ugas_core::replica::Piece::MOST_TAGS).
    TagCountChanged {
        /// Controller with the tag.
        controller: ControllerId,
        /// The tag.
        tag: TagId,
        /// Explicit count before.
        old: u32,
        /// Explicit count now.
        new: u32,
    },
    /// An effect was added.
    EffectAdded {
        /// Target of the effect.
        controller: ControllerId,
        /// Its instance.
        active: ActiveEffectId,
        /// Its definition.
        effect: EffectId,
    },
    /// An effect was removed.
    EffectRemoved {
        /// Target of the effect.
        controller: ControllerId,
        /// Its instance.
        active: ActiveEffectId,
        /// Its definition.
        effect: EffectId,
    },
    /// A predicted effect has another handle: it was replayed, or the server confirmed it.
    EffectRenamed {
        /// Target of the effect.
        controller: ControllerId,
        /// Its instance before.
        old: ActiveEffectId,
        /// Its instance now.
        new: ActiveEffectId,
    },
    /// The stack count of an effect changed.
    StacksChanged {
        /// Target of the effect.
        controller: ControllerId,
        /// Its instance.
        active: ActiveEffectId,
        /// Stacks before.
        old: u32,
        /// Stacks now.
        new: u32,
    },
    /// A looping cue starts. One that began before it came into view is joined in progress (§12).
    CueBegan {
        /// Target of the cue.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
        /// Start of the cue, as far as known.
        since: Option<Time>,
        /// Context of its first holder (C1).
        parameters: CueParameters,
    },
    /// A looping cue ends.
    CueEnded {
        /// Target of the cue.
        controller: ControllerId,
        /// Tag of the cue.
        cue: TagId,
    },
    /// A cue was executed once.
    CueExecuted {
        /// Target of the cue.
        controller: ControllerId,
        /// Source of the cue, if it is known and in view.
        source: Option<ControllerId>,
        /// Tag of the cue.
        cue: TagId,
        /// Magnitude.
        magnitude: f64,
        /// Level.
        level: f64,
        /// Location, if known.
        location: Option<Vector3>,
        /// Rest of its context (C1): causer, hit, levels, tags, payload.
        details: Option<Arc<CueDetails>>,
    },
    /// An ability was granted.
    AbilityGranted {
        /// Controller that received it.
        controller: ControllerId,
        /// The granted ability.
        ability: GrantedAbilityId,
    },
    /// An ability was revoked.
    AbilityRevoked {
        /// Controller that had it.
        controller: ControllerId,
        /// The granted ability.
        ability: GrantedAbilityId,
    },
    /// The server activated an ability.
    ActivationBegan {
        /// Controller of the ability.
        controller: ControllerId,
        /// The activation.
        activation: ActivationId,
    },
    /// An activation that the server began is over.
    ActivationEnded {
        /// Controller of the ability.
        controller: ControllerId,
        /// The activation.
        activation: ActivationId,
    },
    /// A one-shot event happened.
    Happened(Event),
    /// An event of an ability that runs on this machine only; handles are those of
    /// [`Client::local_simulation`](crate::Client::local_simulation).
    Local(Event),
    /// A one-shot event that was emitted did not happen after all.
    Retracted(Event),
    /// The server ran a command.
    Confirmed {
        /// Key of the command.
        key: PredictionKey,
        /// Ticks by which it ran late.
        shift: u8,
    },
    /// The server rejected a command; its prediction is undone.
    Rejected {
        /// Key of the command.
        key: PredictionKey,
        /// Reason of the rejection.
        rejection: Rejection,
    },
    /// The prediction of a tick of the client's own controllers was wrong.
    Corrected {
        /// The tick.
        tick: Tick,
    },
}
