//! Update frequencies (§13.6).

use ugas_core::time::Span;

use crate::tick::{Tick, TickLength};

/// Round trip from which on a link counts as slow (§13.6).
pub const SLOW_ROUND_TRIP: Span = Span::millis(150);

/// Class of a controller for the frequency of its updates (§13.6).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ActorClass {
    /// Controlled by a player.
    #[default]
    Player,
    /// An important AI: a boss, an opponent.
    ImportantAi,
    /// Far away or in the background.
    Distant,
    /// Static: a chest, a door, a destructible wall. Sent whenever it changed.
    Static,
}

/// Update frequency, per second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frequency {
    /// Over a normal link.
    pub normal: u32,
    /// Over a slow link.
    pub slow: u32,
}

/// Update frequencies of all classes. [`ActorClass::Static`] has none: it is sent on change.
///
/// Two tables come with it, because §13.6 asks for attributes and tags to go less often than positions. Attributes and
/// tags are ours and follow [`Schedule::of_state`]; positions are the host's, which may follow
/// [`Schedule::of_movement`].
///
/// ```
/// use ugas_core::time::Span;
/// use ugas_net::schedule::{ActorClass, Schedule};
/// use ugas_net::{Tick, TickLength};
///
/// let schedule = Schedule::of_state(TickLength::hertz(60));
/// let fast = Span::millis(40);
/// assert!(schedule.due(ActorClass::ImportantAi, Tick(100), None, fast));
/// assert!(!schedule.due(ActorClass::ImportantAi, Tick(101), Some(Tick(100)), fast)); // 30 a second: every other tick
/// assert!(schedule.due(ActorClass::ImportantAi, Tick(102), Some(Tick(100)), fast));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// Length of a tick.
    pub length: TickLength,
    /// Round trip from which on a link is slow.
    pub slow_from: Span,
    /// Frequency of [`ActorClass::Player`].
    pub player: Frequency,
    /// Frequency of [`ActorClass::ImportantAi`].
    pub important_ai: Frequency,
    /// Frequency of [`ActorClass::Distant`].
    pub distant: Frequency,
}

impl Schedule {
    /// Schedule of attributes, tags, effects and abilities: within the ranges of §13.6, at their lower end
    /// over slow links.
    pub const fn of_state(length: TickLength) -> Self {
        Self {
            length,
            slow_from: SLOW_ROUND_TRIP,
            player: Frequency { normal: 60, slow: 20 },
            important_ai: Frequency { normal: 30, slow: 30 },
            distant: Frequency { normal: 10, slow: 10 },
        }
    }

    /// Schedule of positions: at the upper end of the ranges.
    pub const fn of_movement(length: TickLength) -> Self {
        Self {
            length,
            slow_from: SLOW_ROUND_TRIP,
            player: Frequency { normal: 100, slow: 30 },
            important_ai: Frequency { normal: 60, slow: 60 },
            distant: Frequency { normal: 20, slow: 20 },
        }
    }

    /// Whether changes of a controller are due at this tick. Ask only if there are changes; true if nothing
    /// was ever sent.
    pub fn due(&self, class: ActorClass, tick: Tick, last_sent: Option<Tick>, round_trip: Span) -> bool {
        last_sent.is_none_or(|last| tick.since(last) >= i64::from(self.interval(class, round_trip)))
    }

    /// Ticks between two updates, at least one.
    pub fn interval(&self, class: ActorClass, round_trip: Span) -> u32 {
        let frequency = match class {
            ActorClass::Player => self.player,
            ActorClass::ImportantAi => self.important_ai,
            ActorClass::Distant => self.distant,
            ActorClass::Static => return 1,
        };
        let per_second = if round_trip > self.slow_from { frequency.slow } else { frequency.normal };
        // To the nearest whole number of ticks.
        let tick = u64::from(self.length.micros());
        let wanted = 1_000_000 / u64::from(per_second.max(1));
        (((wanted + tick / 2) / tick) as u32).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: Span = Span::millis(150);
    const SLOW: Span = Span::from_micros(150_001);
    const CLASSES: [ActorClass; 4] =
        [ActorClass::Player, ActorClass::ImportantAi, ActorClass::Distant, ActorClass::Static];

    #[test]
    fn at_60_hz_the_frequencies_are_those_of_the_specification() {
        let state = Schedule::of_state(TickLength::hertz(60));
        assert_eq!(CLASSES.map(|class| state.interval(class, FAST)), [1, 2, 6, 1]); // 60, 30, 10, on change
        assert_eq!(CLASSES.map(|class| state.interval(class, SLOW)), [3, 2, 6, 1]); // 20, 30, 10
        let movement = Schedule::of_movement(TickLength::hertz(60));
        assert_eq!(CLASSES.map(|class| movement.interval(class, FAST)), [1, 1, 3, 1]); // 100: at most every tick
        assert_eq!(CLASSES.map(|class| movement.interval(class, SLOW)), [2, 1, 3, 1]); // 30, 60, 20
    }

    #[test]
    fn over_a_slow_link_state_goes_less_often_than_positions() {
        let length = TickLength::hertz(60);
        for class in [ActorClass::Player, ActorClass::ImportantAi, ActorClass::Distant] {
            let intervals =
                [Schedule::of_state(length), Schedule::of_movement(length)].map(|s| s.interval(class, SLOW));
            assert!(intervals[0] > intervals[1], "{class:?}");
        }
    }

    #[test]
    fn other_tick_lengths_come_to_the_nearest() {
        let at = |rate| Schedule::of_state(TickLength::hertz(rate)).interval(ActorClass::Distant, FAST);
        assert_eq!([at(1), at(10), at(15), at(20), at(30)], [1, 1, 2, 2, 3]); // 100 ms over 66.7 ms is 1.5: two
        assert_eq!(at(128), 13); // 100 ms / 7.8 ms = 12.8
    }

    #[test]
    fn due_counts_from_the_last_time() {
        let schedule = Schedule::of_state(TickLength::hertz(60));
        let due = |tick, last| schedule.due(ActorClass::Distant, Tick(tick), last, FAST);
        assert!(due(0, None));
        assert!(!due(15, Some(Tick(10))));
        assert!(due(16, Some(Tick(10))));
        assert!(!due(5, Some(Tick(10)))); // time went backwards: not due, and no harm
        assert!(schedule.due(ActorClass::Static, Tick(11), Some(Tick(10)), SLOW));
    }

    #[test]
    fn a_table_of_ones_own_may_hold_anything() {
        let none = Frequency { normal: 0, slow: u32::MAX };
        let schedule = Schedule { player: none, ..Schedule::of_state(TickLength::hertz(50)) };
        assert_eq!(schedule.interval(ActorClass::Player, FAST), 50); // none counts as one a second
        assert_eq!(schedule.interval(ActorClass::Player, SLOW), 1);
    }
}
