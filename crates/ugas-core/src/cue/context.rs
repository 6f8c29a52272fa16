//! What a cue is shown with (GASD §4.8.4).

use std::sync::Arc;

use crate::effect::{ContextTags, HitResult, PredictionKey, RawPayload, Vector3};
use crate::event::{CueDetails, CueParameters, Event, EventKind};
use crate::handle::{ActiveEffectId, ControllerId};
use crate::id::{AbilityId, ActorId, EffectId, TagId};
use crate::simulation::Simulation;
use crate::tag::TagBits;
use crate::time::{Span, Time};

/// What happens to a cue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CueTrigger {
    /// It begins.
    Added,
    /// It has been there for some time, and is new only to who looks at it.
    Present,
    /// It ends.
    Removed,
    /// It happens once.
    Executed,
}

/// Everything a handler is told about a cue.
///
/// From an event come the parameters and the cause. What an event does not hold (the causer, the tags of both sides)
/// is looked up when the manager is given the simulation too.
#[derive(Clone, PartialEq, Debug)]
pub struct CueContext {
    /// On whom.
    pub target: ControllerId,
    /// The cue as it was triggered.
    pub cue: TagId,
    /// The cue that is shown for it: another one if it was translated.
    pub shown_as: TagId,
    /// When.
    pub time: Time,
    /// Who caused it.
    pub source: Option<ControllerId>,
    /// The actor that physically caused it: a weapon, a projectile.
    pub causer: Option<ActorId>,
    /// The effect it belongs to.
    pub effect: Option<EffectId>,
    /// The active instance of that effect.
    pub active: Option<ActiveEffectId>,
    /// The prediction it belongs to.
    pub prediction: Option<PredictionKey>,
    /// Magnitude, 0 if the effect names none.
    pub magnitude: f64,
    /// Magnitude from 0 to 1, measured by the class that shows it; see
    /// [`CueClassDef::full_magnitude`](super::CueClassDef::full_magnitude).
    pub normalised: f64,
    /// Level of the effect.
    pub level: f64,
    /// Where, if it is known.
    pub location: Option<Vector3>,
    /// Tags of who caused it, with their ancestors.
    pub source_tags: TagBits,
    /// Tags of whom it is on, with their ancestors.
    pub target_tags: TagBits,
    /// Object that it originated from.
    pub source_object: Option<ActorId>,
    /// Hit that led to it, with location and normal (C1).
    pub hit: Option<HitResult>,
    /// World location of the effect.
    pub origin: Option<Vector3>,
    /// Ability that it comes from.
    pub ability: Option<AbilityId>,
    /// Level of that ability.
    pub ability_level: Option<u32>,
    /// Stacks of the effect.
    pub stacks: u32,
    /// Duration of the effect; `None` for an instant one, and for one without end.
    pub duration: Option<Span>,
    /// Context tags, such as `Hit.Critical` (E14).
    pub context_tags: ContextTags,
    /// Data of the host's own; see [`ContextPayload`](crate::effect::ContextPayload).
    pub payload: Option<Arc<RawPayload>>,
    /// How many executions this stands for; more than 1 only in a batch.
    pub count: u32,
}

impl CueContext {
    /// A cue without parameters, for a host that shows something itself.
    pub fn new(target: ControllerId, cue: TagId) -> Self {
        Self {
            target,
            cue,
            shown_as: cue,
            time: Time::default(),
            source: None,
            causer: None,
            effect: None,
            active: None,
            prediction: None,
            magnitude: 0.0,
            normalised: 0.0,
            level: 1.0,
            location: None,
            source_tags: TagBits::default(),
            target_tags: TagBits::default(),
            source_object: None,
            hit: None,
            origin: None,
            ability: None,
            ability_level: None,
            stacks: 1,
            duration: None,
            context_tags: ContextTags::default(),
            payload: None,
            count: 1,
        }
    }

    /// Sets magnitude, level, place and the rest of the context (C1).
    #[must_use]
    pub fn with(mut self, parameters: &CueParameters) -> Self {
        let CueParameters { magnitude, level, ref details } = *parameters;
        (self.magnitude, self.level, self.location) = (magnitude, level, parameters.location());
        let Some(details) = details else { return self };
        let CueDetails {
            instigator,
            causer,
            source_object,
            hit,
            origin,
            ability,
            ability_level,
            stacks,
            duration,
            source_tags,
            ability_tags: _,
            target_tags,
            context_tags,
            payload,
        } = &**details;
        Self {
            source: *instigator,
            causer: *causer,
            source_object: *source_object,
            hit: *hit,
            origin: *origin,
            ability: *ability,
            ability_level: *ability_level,
            stacks: *stacks,
            duration: *duration,
            source_tags: source_tags.clone(),
            target_tags: target_tags.clone(),
            context_tags: context_tags.clone(),
            payload: payload.clone(),
            ..self
        }
    }

    /// Sets who caused it.
    #[must_use]
    pub fn from_source(mut self, source: ControllerId) -> Self {
        self.source = Some(source);
        self
    }

    /// Sets where it is.
    #[must_use]
    pub fn at(mut self, location: Vector3) -> Self {
        self.location = Some(location);
        self
    }

    /// Sets the prediction that the authority will confirm or not (§13.4).
    #[must_use]
    pub fn predicted(mut self, key: PredictionKey) -> Self {
        self.prediction = Some(key);
        self
    }

    /// What an event says about a cue, if it is about one.
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
        let context = Self {
            time: event.time,
            source: context.source.or(event.cause.source),
            effect: event.cause.effect,
            active: event.cause.active,
            prediction: event.prediction,
            ..context
        };
        Some((trigger, context))
    }

    /// What a simulation says about a cue that is there now, for somebody who did not see it begin.
    pub(super) fn of_present(simulation: &Simulation, target: ControllerId, cue: TagId) -> Self {
        let mut context = Self { time: simulation.now(), ..Self::new(target, cue) };
        let effects =
            simulation.controller(target).map(|controller| controller.effects()).unwrap_or_default();
        let showing = effects.iter().find_map(|id| {
            let active = simulation.effect(*id).filter(|active| !active.is_inhibited())?;
            let effect = simulation.effect_definition(active.effect())?;
            let holds = simulation.held_cues(effect, active.spec()).any(|held| held == cue);
            holds.then_some((*id, active, effect))
        });
        if let Some((id, active, effect)) = showing {
            context = context.with(&simulation.present_cue_parameters(active, effect));
            context.effect = Some(active.effect());
            context.active = Some(id);
        }
        context.look_up(simulation);
        context
    }

    /// Adds what only the simulation knows, where the event did not say it.
    pub(super) fn look_up(&mut self, simulation: &Simulation) {
        let active = self.active.and_then(|active| simulation.effect(active));
        if let Some(active) = active {
            self.causer = self.causer.or(active.spec().context().causer());
        }
        let tags = |controller: Option<ControllerId>| {
            controller.and_then(|id| simulation.tags(id)).map(|tags| tags.bits().clone()).unwrap_or_default()
        };
        if self.source_tags.is_empty() {
            self.source_tags = tags(self.source);
        }
        if self.target_tags.is_empty() {
            self.target_tags = tags(Some(self.target));
        }
    }
}
