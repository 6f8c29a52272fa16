//! Conversion of client events to events of the game.

use std::collections::{BTreeMap, BTreeSet};

use ugas::{
    AbilityId, ActivationId, Cause, ControllerId, CueDetails, CueParameters, EndReason, Event, EventKind,
    GrantedAbilityId, RemovalReason, Simulation, TagId,
};
use ugas_net::ClientEvent;

/// Granted abilities, activations and looping cues of visible controllers, to complete events about those that
/// no longer exist.
#[derive(Default)]
pub(super) struct KnownState {
    granted: BTreeMap<(ControllerId, GrantedAbilityId), AbilityId>,
    activations: BTreeMap<(ControllerId, ActivationId), (GrantedAbilityId, AbilityId)>,
    cues: BTreeSet<(ControllerId, TagId)>,
}

impl KnownState {
    /// The event as a local simulation would emit it. Data that a client does not have gets a default: the
    /// old base value is the current one, and the reason why an effect or an activation ended is the most
    /// general one.
    pub(super) fn game_event(&mut self, event: ClientEvent, simulation: &Simulation) -> Option<Event> {
        // If the client simulated the activation to its end, it emits the event itself, with the reason.
        if let ClientEvent::Happened(Event {
            kind:
                EventKind::AbilityEnded { controller, activation, .. }
                | EventKind::AbilityCancelled { controller, activation, .. },
            ..
        }) = &event
        {
            self.activations.remove(&(*controller, *activation));
        }
        match event {
            ClientEvent::CueBegan { controller, cue, .. } => {
                self.cues.insert((controller, cue));
            }
            ClientEvent::CueEnded { controller, cue } => {
                self.cues.remove(&(controller, cue));
            }
            _ => {}
        }
        let kind = match event {
            ClientEvent::AbilityGranted { controller, ability: handle } => {
                let ability = simulation.ability(handle)?.ability();
                self.granted.insert((controller, handle), ability);
                EventKind::AbilityGranted { controller, handle, ability }
            }
            ClientEvent::AbilityRevoked { controller, ability: handle } => {
                let ability = self.granted.remove(&(controller, handle))?;
                EventKind::AbilityRevoked { controller, handle, ability }
            }
            ClientEvent::ActivationBegan { controller, activation } => {
                let known = simulation.activation(activation)?;
                let (handle, ability) = (known.granted(), known.ability());
                self.activations.insert((controller, activation), (handle, ability));
                EventKind::AbilityActivated { controller, handle, ability, activation }
            }
            ClientEvent::ActivationEnded { controller, activation } => {
                let (handle, ability) = self.activations.remove(&(controller, activation))?;
                let reason = EndReason::Completed;
                EventKind::AbilityEnded { controller, handle, ability, activation, reason }
            }
            other => return game_event(other, simulation),
        };
        Some(Event { sequence: 0, time: simulation.now(), cause: Cause::default(), prediction: None, kind })
    }

    /// Removes a controller that is no longer visible; returns the ends of its looping cues, which the server
    /// does not send.
    pub(super) fn forget(&mut self, controller: ControllerId, simulation: &Simulation) -> Vec<Event> {
        self.granted.retain(|(known, _), _| *known != controller);
        self.activations.retain(|(known, _), _| *known != controller);
        let cues: Vec<_> = self.cues.extract_if(.., |(known, _)| *known == controller).collect();
        let ended = |(controller, cue)| game_event(ClientEvent::CueEnded { controller, cue }, simulation);
        cues.into_iter().filter_map(ended).collect()
    }
}

/// Event of the game for an event of the client. Replicated changes have no cause but their source, and
/// fields that are not replicated are defaults. `None` for events of the session.
fn game_event(event: ClientEvent, simulation: &Simulation) -> Option<Event> {
    let mut cause = Cause::default();
    let kind = match event {
        ClientEvent::Happened(event) | ClientEvent::Local(event) => return Some(event),
        ClientEvent::AttributeChanged { controller, attribute, old, new } => {
            let base = simulation.base(controller, attribute).unwrap_or(new);
            EventKind::AttributeChanged { controller, attribute, old_base: base, new_base: base, old, new }
        }
        ClientEvent::TagAdded { controller, tag } => EventKind::TagAdded { controller, tag },
        ClientEvent::TagRemoved { controller, tag } => EventKind::TagRemoved { controller, tag },
        ClientEvent::EffectAdded { controller, active, effect } => {
            cause.source = simulation.effect(active).and_then(|active| active.source());
            EventKind::EffectApplied { effect, active, target: controller, context_tags: Default::default() }
        }
        ClientEvent::EffectRemoved { controller, active, effect } => EventKind::EffectRemoved {
            effect,
            active,
            target: controller,
            stacks: 0,
            reason: RemovalReason::Removed,
        },
        ClientEvent::StacksChanged { controller, active, old, new } => {
            let effect = simulation.effect(active)?.effect();
            EventKind::EffectStackChanged { effect, active, target: controller, old, new }
        }
        ClientEvent::TagCountChanged { controller, tag, old, new } => {
            EventKind::TagCountChanged { controller, tag, old, new }
        }
        ClientEvent::CueBegan { controller, cue, parameters, .. } => {
            cause.source = parameters.details.as_ref().and_then(|details| details.instigator);
            EventKind::CueAdded { controller, cue, parameters }
        }
        ClientEvent::CueEnded { controller, cue } => EventKind::CueRemoved { controller, cue },
        ClientEvent::CueExecuted { controller, source, cue, magnitude, level, location, details } => {
            cause.source = source;
            // If the details did not fit into the message, keep at least the location.
            let details = details.or_else(|| {
                let mut placed = CueDetails::default();
                placed.origin = location;
                location.map(|_| std::sync::Arc::new(placed))
            });
            let parameters = CueParameters { magnitude, level, details };
            EventKind::CueExecuted { controller, cue, parameters }
        }
        _ => return None,
    };
    Some(Event { sequence: 0, time: simulation.now(), cause, prediction: None, kind })
}
