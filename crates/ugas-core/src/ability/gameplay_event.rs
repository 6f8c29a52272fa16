//! Gameplay events (§10.3, A11).

use std::sync::Arc;

use crate::codec::StateRecord;
use crate::effect::Vector3;
use crate::handle::ControllerId;
use crate::id::{ActorId, TagId};
use crate::targeting::TargetData;

/// A gameplay event (§10.3): something that happened to a controller, for abilities to react to.
///
/// ```
/// use ugas_core::ability::GameplayEvent;
/// use ugas_core::id::TagId;
///
/// let hit = GameplayEvent::new(TagId::from_index(0)).with_payload("Bounces", 3.0);
/// assert_eq!(hit.payload("Bounces"), Some(3.0));
/// assert_eq!(hit.payload("Speed"), None);
/// ```
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct GameplayEvent {
    /// The kind of event.
    pub tag: TagId,
    /// Its magnitude: `Event.Magnitude` in expressions.
    pub magnitude: f64,
    /// The controller that caused it: `EventInstigator` in tasks.
    pub instigator: Option<ControllerId>,
    /// The controller that it is about: `EventTarget` in tasks.
    pub target: Option<ControllerId>,
    /// Context tags, target data, payload, causer and origin; `None` if there are none of these.
    #[state(since = 4)]
    pub details: Option<Arc<EventDetails>>,
}

/// Optional fields of an event, shared by its copies.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
#[state(check = EventDetails::check)]
pub struct EventDetails {
    /// Tags that describe how it happened, such as `Hit.Critical`.
    pub context_tags: Vec<TagId>,
    /// Targets beside or instead of [`GameplayEvent::target`]: locations, hits, several controllers.
    pub target_data: TargetData,
    /// Numbers by name, sorted by name: `Event.Payload("name")` in expressions.
    pub payload: Vec<(Arc<str>, f64)>,
    /// Actor that physically caused it: the causer of effects that reacting abilities apply.
    pub causer: Option<ActorId>,
    /// World location that it comes from: the origin of effects that reacting abilities apply.
    pub origin: Option<Vector3>,
}

impl EventDetails {
    /// Checks decoded details: not all default, the payload sorted by name without repetition, all numbers
    /// finite.
    fn check(&self) -> Result<(), &'static str> {
        if *self == Self::default() {
            return Err("the details of an event must not be empty");
        }
        if !self.payload.is_sorted_by(|(one, _), (other, _)| one < other) {
            return Err("the payload of an event is not sorted by its names");
        }
        let origin = self.origin.iter().flatten();
        if self.payload.iter().map(|(_, value)| value).chain(origin).any(|value| !value.is_finite()) {
            return Err("a number of an event is not finite");
        }
        Ok(())
    }
}

impl GameplayEvent {
    /// An event of this kind, without a magnitude.
    pub fn new(tag: TagId) -> Self {
        Self { tag, magnitude: 0.0, instigator: None, target: None, details: None }
    }

    /// Adds a number to the payload, or replaces the number of that name.
    #[must_use]
    pub fn with_payload(self, name: &str, value: f64) -> Self {
        self.with(|details| match details.payload.binary_search_by(|(known, _)| (**known).cmp(name)) {
            Ok(at) => details.payload[at].1 = value + 0.0,
            Err(at) => details.payload.insert(at, (Arc::from(name), value + 0.0)),
        })
    }

    /// Adds a context tag.
    #[must_use]
    pub fn with_context_tag(self, tag: TagId) -> Self {
        self.with(|details| {
            if !details.context_tags.contains(&tag) {
                details.context_tags.push(tag);
            }
        })
    }

    /// Sets the target data.
    #[must_use]
    pub fn with_target_data(self, targets: TargetData) -> Self {
        self.with(|details| details.target_data = targets)
    }

    /// Sets the actor that physically caused it.
    #[must_use]
    pub fn caused_by(self, causer: ActorId) -> Self {
        self.with(|details| details.causer = Some(causer))
    }

    /// Sets the world location that it comes from.
    #[must_use]
    pub fn at(self, origin: Vector3) -> Self {
        self.with(|details| details.origin = Some(origin.map(|value| value + 0.0)))
    }

    /// Changes the details copy-on-write. Details that end up all default are dropped, so that equal events
    /// compare equal.
    fn with(mut self, change: impl FnOnce(&mut EventDetails)) -> Self {
        let mut details = self.details.take().unwrap_or_default();
        change(Arc::make_mut(&mut details));
        self.details = Some(details).filter(|details| **details != EventDetails::default());
        self
    }

    /// A number of the payload.
    pub fn payload(&self, name: &str) -> Option<f64> {
        let payload = &self.details.as_ref()?.payload;
        payload.iter().find(|(known, _)| **known == *name).map(|(_, value)| *value)
    }

    /// Tags that describe how it happened.
    pub fn context_tags(&self) -> &[TagId] {
        self.details.as_ref().map_or(&[], |details| &details.context_tags)
    }

    /// Actor that physically caused it.
    pub fn causer(&self) -> Option<ActorId> {
        self.details.as_ref()?.causer
    }

    /// World location that it comes from.
    pub fn origin(&self) -> Option<Vector3> {
        self.details.as_ref()?.origin
    }

    /// Targets that the event carries beside its target; `None` if there are none.
    pub fn target_data(&self) -> Option<&TargetData> {
        self.details.as_ref().map(|details| &details.target_data).filter(|targets| !targets.is_empty())
    }

    /// The targets that it names: its target first, then its target data; `None` if it names none (A11).
    pub fn targets(&self) -> Option<TargetData> {
        let data = self.target_data();
        let mut targets = TargetData::new();
        // A target that is also in the target data, with its hit say, is one target.
        if let Some(target) = self.target
            && !data.is_some_and(|data| data.controllers().any(|known| known == target))
        {
            targets.push(target);
        }
        targets.0.extend(data.into_iter().flat_map(TargetData::iter).cloned());
        (!targets.is_empty()).then_some(targets)
    }

    /// Whether all of its numbers are finite (V2).
    pub(crate) fn is_finite(&self) -> bool {
        let are_finite =
            |details: &Arc<EventDetails>| details.check().is_ok() && details.target_data.check().is_ok();
        self.magnitude.is_finite() && self.details.as_ref().is_none_or(are_finite)
    }

    /// Every tag that it names.
    pub(crate) fn tags(&self) -> impl Iterator<Item = TagId> + '_ {
        self.context_tags().iter().copied().chain([self.tag])
    }
}
