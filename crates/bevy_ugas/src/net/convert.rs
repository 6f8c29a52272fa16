//! From what a client is told to events of the game.

use ugas::{Cause, CueParameters, Event, EventKind, RemovalReason, Simulation};
use ugas_net::ClientEvent;

/// What happened in the game, as the simulation of a game without a network tells it. What a client is not told, such as the
/// base of a value before, is as it is now.
pub(super) fn game_event(event: ClientEvent, simulation: &Simulation) -> Option<Event> {
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
            EventKind::EffectApplied { effect, active, target: controller }
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
        ClientEvent::CueBegan { controller, cue, .. } => {
            EventKind::CueAdded { controller, cue, parameters: CueParameters::default() }
        }
        ClientEvent::CueEnded { controller, cue } => EventKind::CueRemoved { controller, cue },
        ClientEvent::CueFlashed { controller, source, cue, magnitude, level, location } => {
            cause.source = source;
            let parameters = CueParameters { magnitude, level, location };
            EventKind::CueExecuted { controller, cue, parameters }
        }
        ClientEvent::AbilityGranted { controller, ability } => EventKind::AbilityGranted {
            controller,
            handle: ability,
            ability: simulation.ability(ability)?.ability(),
        },
        ClientEvent::RunBegan { controller, run } => {
            let known = simulation.activation(run)?;
            EventKind::AbilityActivated {
                controller,
                handle: known.granted(),
                ability: known.ability(),
                activation: run,
            }
        }
        _ => return None,
    };
    Some(Event { sequence: 0, time: simulation.now(), cause, prediction: None, kind })
}
