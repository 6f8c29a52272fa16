//! Events of a client as lines of text.

use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::number::short;
use ugas_net::ClientEvent;

use super::player::Player;
use super::view::NOT_REPLICATED;
use crate::names;

/// A line about an event; `None` for events that are not shown.
pub(super) fn line(player: &Player, event: &ClientEvent) -> Option<String> {
    let catalog = player.client().catalog();
    let who = |controller: &ControllerId| match player.own() == Some(*controller) {
        true => "you".to_owned(),
        false => player.label(*controller),
    };
    // Parent tags are added and removed with their children.
    if let ClientEvent::TagAdded { tag, .. } | ClientEvent::TagRemoved { tag, .. } = event
        && catalog.tags().subtree(*tag).len() > 1
    {
        return None;
    }
    Some(match event {
        ClientEvent::Connected { client } => format!("connected as client {}", client.0),
        ClientEvent::Interrupted => "the connection was lost: reconnecting".to_owned(),
        ClientEvent::Resumed => "reconnected: the session goes on".to_owned(),
        ClientEvent::NotResumed(reason) => {
            format!("a new session begins: {}", names::shown(&reason.to_string()))
        }
        ClientEvent::Appeared { controller, own: true } => format!("you are {}", player.label(*controller)),
        ClientEvent::Appeared { controller, own: false } => {
            format!("{} is visible", player.label(*controller))
        }
        ClientEvent::Vanished { .. } => "a controller is no longer visible".to_owned(),
        ClientEvent::AttributeChanged { controller, attribute, old, new } => {
            let name = catalog.attribute_name(*attribute);
            format!("{}: {name} {} -> {}", who(controller), short(*old), short(*new))
        }
        ClientEvent::AttributeShown { controller, attribute, value } => {
            let name = catalog.attribute_name(*attribute);
            format!("{}: {name} is {}", who(controller), short(*value))
        }
        ClientEvent::AttributeHidden { controller, attribute } => {
            let name = catalog.attribute_name(*attribute);
            format!("{}: {name} {NOT_REPLICATED}", who(controller))
        }
        ClientEvent::TagAdded { controller, tag } => {
            format!("{}: + {}", who(controller), catalog.tag_name(*tag))
        }
        ClientEvent::TagRemoved { controller, tag } => {
            format!("{}: - {}", who(controller), catalog.tag_name(*tag))
        }
        ClientEvent::TagCountChanged { controller, tag, old, new } => {
            format!("{}: {} count {old} -> {new}", who(controller), catalog.tag_name(*tag))
        }
        ClientEvent::CueBegan { controller, cue, .. } => {
            format!("{}: {} begins", who(controller), catalog.tag_name(*cue))
        }
        ClientEvent::CueEnded { controller, cue } => {
            format!("{}: {} ends", who(controller), catalog.tag_name(*cue))
        }
        ClientEvent::CueExecuted { controller, cue, .. } => {
            format!("{}: {} executes", who(controller), catalog.tag_name(*cue))
        }
        ClientEvent::StacksChanged { controller, active, old, new } => {
            let simulation = player.client().simulation();
            let effect = simulation.effect(*active).map(|active| simulation.effect_name(active.effect()));
            format!("{}: {} stacks {old} -> {new}", who(controller), effect.unwrap_or("an effect"))
        }
        ClientEvent::Confirmed { key, shift: 0 } => format!("confirmed: {}", name(*key)),
        ClientEvent::Confirmed { key, shift } => format!("confirmed, {shift} ticks late: {}", name(*key)),
        ClientEvent::Rejected { key, rejection } => format!("rejected: {}: {rejection}", name(*key)),
        ClientEvent::Corrected { tick } => format!("corrected at {tick}"),
        _ => return None,
    })
}

/// Name of a command for people.
fn name(key: PredictionKey) -> String {
    format!("command of tick {}", key.tick())
}
