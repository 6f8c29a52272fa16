//! Events of simulations that roll back: each is emitted once, however often its frame is simulated.

use std::collections::VecDeque;

use super::{Event, EventKind, EventRef};
use crate::effect::PredictionKey;
use crate::handle::{ControllerId, GrantedAbilityId};
use crate::id::{AbilityId, TagId};

/// Identity of an event that changes no state, such as an executed cue: equal in every simulation of its frame,
/// although handles and magnitudes may differ after a correction.
#[derive(Clone, PartialEq, Debug)]
pub struct OneShotKey {
    /// Prediction that the event is part of.
    pub prediction: Option<PredictionKey>,
    /// The controller.
    pub controller: ControllerId,
    /// Its subject on the controller.
    pub subject: OneShotSubject,
}

/// Subject of a one-shot event.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum OneShotSubject {
    /// An executed cue.
    Cue(TagId),
    /// A step in the life of an activation, by the name of the event and the granted ability.
    Ability(&'static str, GrantedAbilityId),
    /// A task for the host: its step in an ability.
    HostTask(u32, AbilityId),
    /// A gameplay event.
    Event(TagId),
    /// Another event, by its name.
    Other(&'static str),
}

impl OneShotKey {
    /// Identity of an event; `None` if it reports a change of state.
    pub fn of(event: EventRef<'_>) -> Option<Self> {
        let (controller, subject) = match event.kind {
            EventKind::CueExecuted { controller, cue, .. } => (*controller, OneShotSubject::Cue(*cue)),
            EventKind::AbilityActivated { controller, handle, .. }
            | EventKind::AbilityCommitted { controller, handle, .. }
            | EventKind::AbilityEnded { controller, handle, .. }
            | EventKind::AbilityCancelled { controller, handle, .. } => {
                (*controller, OneShotSubject::Ability(event.kind.name(), *handle))
            }
            EventKind::HostTaskRequested { controller, ability, step, .. } => {
                (*controller, OneShotSubject::HostTask(*step, *ability))
            }
            EventKind::GameplayEvent { controller, event } => (*controller, OneShotSubject::Event(event.tag)),
            EventKind::HostTaskCancelled { controller, .. }
            | EventKind::TargetingBegan { controller, .. }
            | EventKind::TargetingEnded { controller, .. }
            | EventKind::TaskFailed { controller, .. }
            | EventKind::NoTarget { controller, .. }
            | EventKind::InputBuffered { controller, .. }
            | EventKind::OwnerDied { controller } => (*controller, OneShotSubject::Other(event.kind.name())),
            _ => return None,
        };
        Some(Self { prediction: event.prediction, controller, subject })
    }
}

/// Difference between the events that were emitted for a frame and those of its latest simulation.
#[derive(Clone, PartialEq, Debug)]
pub enum RollbackChange {
    /// The event happened, as far as is known now.
    Happened(Event),
    /// The event was emitted, and did not happen in the corrected frame: stop its sound, remove its number.
    Retracted(Event),
}

/// Log of the events of frames that may be simulated again, as rollback netcode does.
///
/// [`Self::record`] takes the events of every simulated frame. [`Self::changes`] returns what is new: events that
/// happened at once, and events that a correction retracted. [`Self::confirm`] returns the events of frames that no
/// rollback reaches any more, each exactly once and in order, for what cannot be taken back. Use one of them or both.
///
/// Events that [change no state](OneShotKey) are the same in two simulations of a frame if their keys are equal;
/// all others if their contents are equal. Sequence numbers and operations are not compared.
///
/// ```
/// # use ugas_core::attribute::{AttributeDef, AttributeSetDef};
/// # use ugas_core::catalog::Catalog;
/// # use ugas_core::controller::ControllerDef;
/// # use ugas_core::effect::EffectDef;
/// use ugas_core::event::{RollbackChange, RollbackEvents};
/// # use ugas_core::modifier::Operation;
/// # use ugas_core::simulation::{Config, Simulation};
/// # use ugas_core::time::Span;
/// # let catalog = Catalog::builder()
/// #     .attribute_set(AttributeSetDef::new("Life").with(AttributeDef::new("Health", 100.0)))
/// #     .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -10.0))
/// #     .template(ControllerDef::new("Unit").with_set("Life"))
/// #     .build()?;
/// # let mut sim = Simulation::new(catalog.clone(), Config::default());
/// # let unit = sim.spawn("Unit")?;
/// # sim.events().for_each(drop);
/// let mut log = RollbackEvents::default();
/// let before = sim.snapshot();
/// sim.apply_effect(catalog.effect("GE_Hit")?, None, unit)?; // the predicted input of frame 1
/// log.record(1, sim.events());
/// assert!(log.changes().all(|change| matches!(change, RollbackChange::Happened(_))));
///
/// sim.restore(&before)?; // the real input was none
/// log.record(1, sim.events());
/// assert!(log.changes().all(|change| matches!(change, RollbackChange::Retracted(_))));
/// assert_eq!(log.confirm(1).count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RollbackEvents {
    /// Frames that are not confirmed, ascending.
    frames: VecDeque<(u64, Vec<Event>)>,
    changes: VecDeque<RollbackChange>,
    /// Number of frames that are confirmed.
    confirmed: u64,
}

impl RollbackEvents {
    /// Records the events of a frame that was simulated or simulated again, in place of those recorded for it
    /// before. Events of a confirmed frame are ignored.
    pub fn record(&mut self, frame: u64, events: impl IntoIterator<Item = Event>) {
        let fresh: Vec<Event> = events.into_iter().collect();
        if frame < self.confirmed {
            return;
        }
        let at = self.frames.partition_point(|(known, _)| *known < frame);
        if self.frames.get(at).is_none_or(|(known, _)| *known != frame) {
            self.frames.insert(at, (frame, Vec::new()));
        }
        let Some((_, known)) = self.frames.get_mut(at) else { return };
        let mut before: Vec<Option<Event>> = core::mem::take(known).into_iter().map(Some).collect();
        let mut happened = Vec::new();
        for event in &fresh {
            let same = before.iter_mut().find(|old| old.as_ref().is_some_and(|old| is_same(old, event)));
            match same {
                Some(same) => *same = None,
                None => happened.push(event.clone()),
            }
        }
        *known = fresh;
        self.changes.extend(before.into_iter().flatten().map(RollbackChange::Retracted));
        self.changes.extend(happened.into_iter().map(RollbackChange::Happened));
    }

    /// Differences to what was returned before, in the order of the records; of one record, retracted events come
    /// first.
    pub fn changes(&mut self) -> impl Iterator<Item = RollbackChange> + '_ {
        self.changes.drain(..)
    }

    /// Events of all frames up to this one, which no rollback reaches any more: each once, in order. Call it every
    /// frame, because unconfirmed frames are kept. Events that are not taken from the iterator are dropped.
    pub fn confirm(&mut self, frame: u64) -> impl Iterator<Item = Event> + '_ {
        self.confirmed = self.confirmed.max(frame.saturating_add(1));
        let end = self.frames.partition_point(|(known, _)| *known <= frame);
        self.frames.drain(..end).flat_map(|(_, events)| events)
    }

    /// Number of unconfirmed frames in the log.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }
}

/// Whether two events are the same occurrence in two simulations of a frame.
fn is_same(a: &Event, b: &Event) -> bool {
    match (OneShotKey::of(a.into()), OneShotKey::of(b.into())) {
        (Some(a), Some(b)) => a == b,
        (None, None) => (a.time, a.prediction) == (b.time, b.prediction) && a.kind == b.kind,
        _ => false,
    }
}
