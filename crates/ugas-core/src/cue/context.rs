//! Context of a cue (GASD §4.8.4).

use crate::effect::{PredictionKey, Vector3};
use crate::event::{CueDetails, CueParameters, Event, EventKind};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{EffectId, TagId};
use crate::simulation::Simulation;
use crate::time::Time;

/// Trigger of a cue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CueTrigger {
    /// It begins.
    Added,
    /// It began earlier; only this observer is new.
    Present,
    /// It ends.
    Removed,
    /// It happens once.
    Executed,
}

/// Everything that a handler receives about a cue.
///
/// The parameters and the cause come from an event. Facts that an event does not carry (the causer, the tags
/// of both sides) are looked up if the manager is given the simulation too.
#[derive(Clone, PartialEq, Debug)]
pub struct CueContext {
    /// The controller it is on.
    pub target: ControllerId,
    /// The cue as it was triggered.
    pub cue: TagId,
    /// The cue that is shown instead; the same unless it was translated.
    pub shown_as: TagId,
    /// Simulation time of the trigger.
    pub time: Time,
    /// The effect definition it belongs to.
    pub effect: Option<EffectId>,
    /// Handle of the active effect.
    pub active: Option<ActiveEffectId>,
    /// Key of the prediction it belongs to.
    pub prediction: Option<PredictionKey>,
    /// Magnitude; 0 if the effect has none.
    pub magnitude: f64,
    /// Magnitude normalised to 0 to 1 by the class; see
    /// [`CueClassDef::full_magnitude`](super::CueClassDef::full_magnitude).
    pub normalised: f64,
    /// Level of the effect.
    pub level: f64,
    /// Source, hit, tags and the rest of the context that events carry (C1).
    pub details: CueDetails,
    /// Number of merged executions; more than 1 only in a batch.
    pub count: u32,
}

impl CueContext {
    /// A cue without parameters, for a host that shows its own cues.
    pub fn new(target: ControllerId, cue: TagId) -> Self {
        Self {
            target,
            cue,
            shown_as: cue,
            time: Time::default(),
            effect: None,
            active: None,
            prediction: None,
            magnitude: 0.0,
            normalised: 0.0,
            level: 1.0,
            details: CueDetails { stacks: 1, ..CueDetails::default() },
            count: 1,
        }
    }

    /// Sets magnitude, level and the rest of the context (C1).
    #[must_use]
    pub fn with(mut self, parameters: &CueParameters) -> Self {
        let CueParameters { magnitude, level, ref details } = *parameters;
        (self.magnitude, self.level) = (magnitude, level);
        if let Some(details) = details {
            self.details = (**details).clone();
        }
        self
    }

    /// Controller that caused it: the source of the effect.
    pub fn source(&self) -> Option<ControllerId> {
        self.details.instigator
    }

    /// Location of the hit, or else the origin of the effect (C1).
    pub fn location(&self) -> Option<Vector3> {
        self.details.location()
    }

    /// Sets the controller that caused it.
    #[must_use]
    pub fn from_source(mut self, source: ControllerId) -> Self {
        self.details.instigator = Some(source);
        self
    }

    /// Sets its origin, which is its location unless there is a hit.
    #[must_use]
    pub fn at(mut self, location: Vector3) -> Self {
        self.details.origin = Some(location);
        self
    }

    /// Sets the key of the prediction that it belongs to (§13.4).
    #[must_use]
    pub fn predicted(mut self, key: PredictionKey) -> Self {
        self.prediction = Some(key);
        self
    }

    /// Trigger and context of a cue event; `None` for other events.
    pub fn of_event(event: &Event) -> Option<(CueTrigger, Self)> {
        let (trigger, context) = match &event.kind {
            EventKind::CueAdded { controller, cue, parameters } => {
                (CueTrigger::Added, Self::new(*controller, *cue).with(parameters))
            }
            EventKind::CueExecuted { controller, cue, parameters } => {
                (CueTrigger::Executed, Self::new(*controller, *cue).with(parameters))
            }
            EventKind::CueRemoved { controller, cue } => (CueTrigger::Removed, Self::new(*controller, *cue)),
            _ => return None,
        };
        let mut context = Self {
            time: event.time,
            effect: event.cause.effect,
            active: event.cause.active,
            prediction: event.prediction,
            ..context
        };
        context.details.instigator = context.details.instigator.or(event.cause.source);
        Some((trigger, context))
    }

    /// Context of a cue that is present now, for an observer who did not see it begin.
    pub(super) fn of_present(simulation: &Simulation, target: ControllerId, cue: TagId) -> Self {
        let mut context = Self { time: simulation.now(), ..Self::new(target, cue) };
        if let Some((parameters, active)) = simulation.present_cue(target, cue) {
            context = context.with(&parameters);
            context.active = active;
            context.effect =
                active.and_then(|active| simulation.effect(active)).map(|active| active.effect());
        }
        context.look_up(simulation);
        context
    }

    /// Adds facts from the simulation that the event did not carry.
    pub(super) fn look_up(&mut self, simulation: &Simulation) {
        let details = &mut self.details;
        if let Some(active) = self.active.and_then(|active| simulation.effect(active)) {
            details.causer = details.causer.or(active.spec().context().causer());
        }
        let tags = |controller: Option<ControllerId>| {
            controller.and_then(|id| simulation.tags(id)).map(|tags| tags.bits().clone()).unwrap_or_default()
        };
        if details.source_tags.is_empty() {
            details.source_tags = tags(details.instigator);
        }
        if details.target_tags.is_empty() {
            details.target_tags = tags(Some(self.target));
        }
    }
}
