//! The controllers that an event involves.

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;

/// The controllers that an event involves: its subject first, then its source.
pub(crate) fn involved_controllers(event: &Event) -> Vec<ControllerId> {
    let mut involved: Vec<ControllerId> = event.kind.subject().into_iter().collect();
    let others = match &event.kind {
        EventKind::GameplayEvent { event, .. } => [event.instigator, event.target],
        _ => [event.cause.source, None],
    };
    for other in others.into_iter().flatten() {
        if !involved.contains(&other) {
            involved.push(other);
        }
    }
    involved
}
