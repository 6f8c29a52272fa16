//! Whom an event is about.

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::ControllerId;

/// The controllers that an event is about: the one it happened to first, then who caused it.
pub(crate) fn concerned(event: &Event) -> Vec<ControllerId> {
    let mut concerned: Vec<ControllerId> = event.kind.subject().into_iter().collect();
    let others = match &event.kind {
        EventKind::GameplayEvent { event, .. } => [event.instigator, event.target],
        _ => [event.cause.source, None],
    };
    for other in others.into_iter().flatten() {
        if !concerned.contains(&other) {
            concerned.push(other);
        }
    }
    concerned
}
