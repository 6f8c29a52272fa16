//! What a client's host hears.

use std::sync::Arc;

use ugas_core::effect::{PredictionKey, Vector3};
use ugas_core::event::{CueDetails, CueParameters, Event};
use ugas_core::handle::{AbilityHandle, ActivationId, ActiveEffectId, ControllerId};
use ugas_core::id::{AttributeId, EffectId, TagId};
use ugas_core::time::Time;

use crate::message::{ByeReason, ClientId, RefusedReason, Rejection};
use crate::tick::Tick;

/// What a client's host hears. Handles are those of the client's own simulation.
///
/// Changes of state are differences between what was shown before and what is shown now, whoever made them and however
/// often they were predicted: each is told once. What happens and leaves nothing behind is told once as well, and taken
/// back if it turns out that it did not happen.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ClientEvent {
    /// The server let the client in.
    Connected {
        /// Who it is.
        client: ClientId,
    },
    /// The server did not let the client in.
    Refused(RefusedReason),
    /// The session is over.
    Disconnected(Option<ByeReason>),
    /// A controller came into view.
    Appeared {
        /// Which.
        controller: ControllerId,
        /// Whether it is the client's own.
        own: bool,
    },
    /// A controller is out of view, or gone.
    Vanished {
        /// Which.
        controller: ControllerId,
    },
    /// It became the client's own, or ceased to be.
    OwnershipChanged {
        /// Which.
        controller: ControllerId,
        /// Whether it is now.
        own: bool,
    },
    /// A value changed.
    AttributeChanged {
        /// Whose.
        controller: ControllerId,
        /// Which.
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
    /// A tag, or the first below it, appeared.
    TagAdded {
        /// On whom.
        controller: ControllerId,
        /// Which.
        tag: TagId,
    },
    /// A tag, with all below it, is gone.
    TagRemoved {
        /// From whom.
        controller: ControllerId,
        /// Which.
        tag: TagId,
    },
    /// The explicit count of a tag changed (T6), for a client that [asks](super::ClientConfig::tag_counts) for it; before the
    /// [`Self::TagAdded`] or [`Self::TagRemoved`] that the same change leads to. The server sends counts up to
    /// [`Piece::MOST_TAGS`](ugas_core::mirror::Piece::MOST_TAGS).
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
    /// An effect is there that was not.
    EffectAdded {
        /// On whom.
        controller: ControllerId,
        /// Its instance.
        active: ActiveEffectId,
        /// Its definition.
        effect: EffectId,
    },
    /// An effect is gone.
    EffectRemoved {
        /// From whom.
        controller: ControllerId,
        /// Its instance.
        active: ActiveEffectId,
        /// Its definition.
        effect: EffectId,
    },
    /// An effect that was predicted has another handle: it was played again, or the server has confirmed it.
    EffectRenamed {
        /// On whom.
        controller: ControllerId,
        /// Its instance before.
        old: ActiveEffectId,
        /// Its instance now.
        new: ActiveEffectId,
    },
    /// An effect has more or fewer stacks.
    StacksChanged {
        /// On whom.
        controller: ControllerId,
        /// Its instance.
        active: ActiveEffectId,
        /// Before.
        old: u32,
        /// Now.
        new: u32,
    },
    /// A looping cue is to be shown. One that began before it came into view is to be taken up in the middle (§12).
    CueBegan {
        /// On whom.
        controller: ControllerId,
        /// Which.
        cue: TagId,
        /// Since when it goes on, as well as is known.
        since: Option<Time>,
        /// Context of its first holder (C1).
        parameters: CueParameters,
    },
    /// A looping cue is over.
    CueEnded {
        /// On whom.
        controller: ControllerId,
        /// Which.
        cue: TagId,
    },
    /// A cue flashes.
    CueFlashed {
        /// On whom.
        controller: ControllerId,
        /// From whom.
        source: Option<ControllerId>,
        /// Which.
        cue: TagId,
        /// How strong.
        magnitude: f64,
        /// At what level.
        level: f64,
        /// Where.
        location: Option<Vector3>,
        /// Rest of its context (C1): causer, hit, levels, tags, payload.
        details: Option<Arc<CueDetails>>,
    },
    /// An ability was granted.
    AbilityGranted {
        /// To whom.
        controller: ControllerId,
        /// Which.
        ability: AbilityHandle,
    },
    /// An ability was taken away.
    AbilityRevoked {
        /// From whom.
        controller: ControllerId,
        /// Which.
        ability: AbilityHandle,
    },
    /// The server began a run of an ability.
    RunBegan {
        /// Whose.
        controller: ControllerId,
        /// Which.
        run: ActivationId,
    },
    /// A run that the server began is over.
    RunEnded {
        /// Whose.
        controller: ControllerId,
        /// Which.
        run: ActivationId,
    },
    /// Something happened that leaves nothing behind.
    Happened(Event),
    /// Something happened in an ability that only this player sees; handles are those of
    /// [`Client::local_simulation`](crate::Client::local_simulation).
    Local(Event),
    /// Something that was told did not happen after all.
    Retracted(Event),
    /// The server carried out a command.
    Confirmed {
        /// Which.
        key: PredictionKey,
        /// How many ticks late.
        shift: u8,
    },
    /// The server did not carry out a command; what was predicted of it is undone.
    Rejected {
        /// Which.
        key: PredictionKey,
        /// Why.
        rejection: Rejection,
    },
    /// What was predicted for a tick of the client's own controllers was not what happened.
    Corrected {
        /// Which tick.
        tick: Tick,
    },
}
