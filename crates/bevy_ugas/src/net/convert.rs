//! From what a client is told to events of the game.

use std::collections::BTreeMap;

use ugas::{
    AbilityHandle, AbilityId, ActivationId, Cause, ControllerId, CueDetails, CueParameters, EndReason, Event,
    EventKind, RemovalReason, Simulation,
};
use ugas_net::ClientEvent;

/// Which abilities controllers have and run: when they are told to be gone, nobody can be asked any more.
#[derive(Default)]
pub(super) struct Known {
    granted: BTreeMap<(ControllerId, AbilityHandle), AbilityId>,
    runs: BTreeMap<(ControllerId, ActivationId), (AbilityHandle, AbilityId)>,
}

impl Known {
    /// What happened in the game, as the simulation of a game without a network tells it. What a client is not told, such as
    /// the base of a value before, is as it is now; why an effect or a run ended is the plainest reason there is.
    pub(super) fn game_event(&mut self, event: ClientEvent, simulation: &Simulation) -> Option<Event> {
        // A client that plays a run of the server's to its end says so itself, with the reason.
        if let ClientEvent::Happened(Event {
            kind:
                EventKind::AbilityEnded { controller, activation, .. }
                | EventKind::AbilityCancelled { controller, activation, .. },
            ..
        }) = &event
        {
            self.runs.remove(&(*controller, *activation));
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
            ClientEvent::RunBegan { controller, run: activation } => {
                let known = simulation.activation(activation)?;
                let (handle, ability) = (known.granted(), known.ability());
                self.runs.insert((controller, activation), (handle, ability));
                EventKind::AbilityActivated { controller, handle, ability, activation }
            }
            ClientEvent::RunEnded { controller, run: activation } => {
                let (handle, ability) = self.runs.remove(&(controller, activation))?;
                let reason = EndReason::Completed;
                EventKind::AbilityEnded { controller, handle, ability, activation, reason }
            }
            other => return game_event(other, simulation),
        };
        Some(Event { sequence: 0, time: simulation.now(), cause: Cause::default(), prediction: None, kind })
    }

    /// Forgets a controller that is out of view.
    pub(super) fn forget(&mut self, controller: ControllerId) {
        self.granted.retain(|(known, _), _| *known != controller);
        self.runs.retain(|(known, _), _| *known != controller);
    }
}

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
        ClientEvent::CueFlashed { controller, source, cue, magnitude, level, location, details } => {
            cause.source = source;
            // A context that did not fit into the message has at least its place.
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
