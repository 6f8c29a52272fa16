//! Types of events, and the set of types that a host wants.

use super::EventKind;

/// Defines [`EventType`] from the list of event kinds and their numbers.
macro_rules! event_types {
    ($($name:ident = $number:literal,)*) => {
        /// Type of an event: an [`EventKind`] without its data. The numbers are those of `ugas_event_kind` in C
        /// and do not change.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum EventType {
            $(#[doc = concat!("[`EventKind::", stringify!($name), "`].")] $name = $number,)*
        }

        impl EventType {
            /// All types, by number.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Name of the type, as used in scenarios.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }
        }

        impl EventKind {
            /// Type of the event.
            #[inline]
            pub const fn event_type(&self) -> EventType {
                match self { $(Self::$name { .. } => EventType::$name,)* }
            }
        }
    };
}

event_types! {
    ControllerSpawned = 1, ControllerDespawned = 2, OwnerChanged = 3, AvatarChanged = 4, AttributeSetAdded = 5,
    AttributeSetRemoved = 6, AttributeChanged = 7, TagAdded = 8, TagRemoved = 9, BeforeEffectApplied = 10,
    EffectApplied = 11, EffectMerged = 12, EffectQueued = 13, EffectExecuted = 14, EffectRemoved = 15,
    EffectStackChanged = 16, EffectDurationChanged = 17, EffectInhibited = 18, EffectResumed = 19,
    EffectRefused = 20, EffectBlockedByImmunity = 21, ModifierInert = 22, EvaluationFailed = 23,
    DivisorIgnored = 24, AbilityGranted = 25, AbilityRevoked = 26, AbilityLevelChanged = 27, AbilityActivated = 28,
    AbilityRefused = 29, AbilityCommitted = 30, AbilityEnded = 31, AbilityCancelled = 32, CooldownBegan = 33,
    CooldownEnded = 34, ChargesChanged = 35, GameplayEvent = 36, InputPressed = 37, InputReleased = 38,
    InputBuffered = 39, Confirmed = 40, Declined = 41, HostTaskRequested = 42, HostTaskCancelled = 43,
    TaskTriggered = 44, TaskFailed = 45, NoTarget = 46, TargetingBegan = 47, TargetingEnded = 48, OwnerDied = 49,
    CueAdded = 50, CueRemoved = 51, CueExecuted = 52, CascadeLimit = 53, LogicError = 54, OccurrenceLimit = 55,
    TagCountChanged = 56,
}

impl EventKind {
    /// Name of the kind, as used in scenarios.
    pub const fn name(&self) -> &'static str {
        self.event_type().name()
    }
}

/// The types of events that a simulation queues for its host; by default all. See
/// [`Config::events`](crate::simulation::Config::events).
///
/// ```
/// use ugas_core::event::{EventFilter, EventType};
///
/// let filter = EventFilter::default().without([EventType::AttributeChanged]);
/// assert!(!filter.keeps(EventType::AttributeChanged) && filter.keeps(EventType::OwnerDied));
/// let filter = EventFilter::NONE.with([EventType::OwnerDied]);
/// assert!(!filter.keeps(EventType::AttributeChanged) && filter.keeps(EventType::OwnerDied));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct EventFilter {
    /// The types that are not kept, as bits by number.
    excluded: u64,
}

impl EventFilter {
    /// Keeps no event.
    pub const NONE: Self = Self::excluding(u64::MAX);

    /// Keeps all events but those of the types whose bit, `1 << number`, is set.
    pub const fn excluding(bits: u64) -> Self {
        Self { excluded: bits }
    }

    /// Keeps events of these types, too.
    #[must_use]
    pub fn with(self, types: impl IntoIterator<Item = EventType>) -> Self {
        Self { excluded: types.into_iter().fold(self.excluded, |bits, event| bits & !bit(event)) }
    }

    /// Keeps no events of these types.
    #[must_use]
    pub fn without(self, types: impl IntoIterator<Item = EventType>) -> Self {
        Self { excluded: types.into_iter().fold(self.excluded, |bits, event| bits | bit(event)) }
    }

    /// Whether events of a type are kept.
    #[inline]
    pub const fn keeps(self, event: EventType) -> bool {
        self.excluded & bit(event) == 0
    }

    /// Whether events of all types are kept.
    #[inline]
    pub(crate) const fn keeps_all(self) -> bool {
        self.excluded == 0
    }
}

/// The bit of a type. There is room for seven more types.
#[inline]
const fn bit(event: EventType) -> u64 {
    1 << event as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_types_are_numbered_without_gaps() {
        assert!((1..).zip(EventType::ALL).all(|(number, event)| *event as usize == number));
        assert!(EventType::ALL.len() < 64);
    }

    #[test]
    fn filter_keeps_what_it_names() {
        let all = EventType::ALL.iter().copied();
        for event in all.clone() {
            let (only, others) = (EventFilter::NONE.with([event]), EventFilter::default().without([event]));
            assert!(all.clone().all(|other| only.keeps(other) == (other == event)));
            assert!(all.clone().all(|other| others.keeps(other) == (other != event)));
            assert_eq!(others.with([event]), EventFilter::default());
            assert_eq!(EventFilter::excluding(1 << event as u8), others);
        }
    }
}
