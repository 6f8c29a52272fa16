//! Position history for lag compensation.
//!
//! A player aims at what they see, which is the past. So the reach of a target is checked with the positions
//! at the newest tick that the player is known to have received when the command runs (§13.7, 3). The history
//! is bounded, so that a player gains nothing by being slow, and a lookup costs a logarithm of that bound.

use std::collections::{BTreeMap, VecDeque};

use ugas_core::effect::Vector3;
use ugas_core::handle::ControllerId;

use crate::tick::Tick;

/// Positions of controllers in the last ticks.
///
/// A position holds until the next one, so a controller that stands still costs one entry.
///
/// ```
/// use ugas_core::handle::{ControllerId, Handle};
/// use ugas_net::Tick;
/// use ugas_net::history::Positions;
///
/// # let runner = ControllerId::from_parts(0, core::num::NonZeroU32::MIN);
/// let mut positions = Positions::new(12);
/// for tick in 100..=120 {
///     positions.record(Tick(tick), runner, [f64::from(tick), 0.0, 0.0]);
/// }
/// assert_eq!(positions.at(runner, Tick(108)), Some([108.0, 0.0, 0.0]));
/// assert_eq!(positions.at(runner, Tick(107)), None); // 13 ticks ago
/// ```
#[derive(Clone, Debug)]
pub struct Positions {
    depth: u32,
    newest: Tick,
    /// Positions by rising tick; the first is the position at the oldest kept tick, and may itself be older.
    /// `None` if the controller was taken out of the world.
    paths: BTreeMap<ControllerId, VecDeque<(Tick, Option<Vector3>)>>,
}

impl Positions {
    /// Creates a history of `depth` ticks before the newest.
    pub const fn new(depth: u32) -> Self {
        Self { depth, newest: Tick(0), paths: BTreeMap::new() }
    }

    /// Records the position of a controller from a tick on. The last record of a tick counts; records of past
    /// ticks and positions that are not finite are ignored.
    pub fn record(&mut self, tick: Tick, controller: ControllerId, position: Vector3) {
        if position.iter().all(|coordinate| coordinate.is_finite()) {
            self.note(tick, controller, Some(position));
        }
    }

    /// Records that a controller is out of the world from a tick on. Ignored for a controller without
    /// positions.
    pub fn take_away(&mut self, tick: Tick, controller: ControllerId) {
        if self.paths.contains_key(&controller) {
            self.note(tick, controller, None);
        }
    }

    /// Records a position, or `None` for out of the world, from a tick on, and forgets what is too old.
    /// Ignored if the controller has a record of a later tick.
    fn note(&mut self, tick: Tick, controller: ControllerId, position: Option<Vector3>) {
        self.newest = self.newest.max(tick);
        let oldest = self.oldest();
        let path = self.paths.entry(controller).or_default();
        match path.back_mut() {
            Some((last, _)) if *last > tick => return,
            Some((last, place)) if *last == tick => *place = position,
            Some((_, place)) if *place == position => {}
            _ => {
                // Before adding, so that a path that is as long as it gets does not grow.
                forget(path, oldest);
                path.push_back((tick, position));
            }
        }
        forget(path, oldest);
    }

    /// Advances the newest tick, whether or not anything moves: the bound of the history moves along.
    pub fn advance(&mut self, tick: Tick) {
        self.newest = self.newest.max(tick);
    }

    /// Position of a controller at a tick; `None` if it had none, or the tick is too long ago. Future ticks
    /// give the present position.
    pub fn at(&self, controller: ControllerId, tick: Tick) -> Option<Vector3> {
        self.last_recorded(controller, tick)?
    }

    /// Whether a controller was out of the world at a tick, as opposed to having no known position.
    pub fn is_away(&self, controller: ControllerId, tick: Tick) -> bool {
        self.last_recorded(controller, tick) == Some(None)
    }

    /// The last record of a controller up to a tick. `None` if there is none or the tick is too long ago;
    /// `Some(None)` if the controller was out of the world.
    fn last_recorded(&self, controller: ControllerId, tick: Tick) -> Option<Option<Vector3>> {
        if tick < self.oldest() {
            return None;
        }
        let path = self.paths.get(&controller)?;
        let after = path.partition_point(|&(since, _)| since <= tick);
        path.get(after.checked_sub(1)?).map(|&(_, position)| position)
    }

    /// Distance of two controllers at a tick; `None` if a position is unknown.
    pub fn distance(&self, one: ControllerId, other: ControllerId, tick: Tick) -> Option<f64> {
        let (one, other) = (self.at(one, tick)?, self.at(other, tick)?);
        let [x, y, z] = [0, 1, 2].map(|axis: usize| one[axis] - other[axis]);
        Some((x * x + y * y + z * z).sqrt())
    }

    /// The oldest tick that [`Positions::at`] answers for.
    pub const fn oldest(&self) -> Tick {
        self.newest.before(self.depth)
    }

    /// The newest tick that was recorded or advanced to.
    pub const fn newest(&self) -> Tick {
        self.newest
    }

    /// Forgets a controller with its past positions, unlike [`Self::take_away`].
    pub fn remove(&mut self, controller: ControllerId) {
        self.paths.remove(&controller);
    }

    /// Number of kept positions: at most the depth plus two for each controller.
    pub fn len(&self) -> usize {
        self.paths.values().map(VecDeque::len).sum()
    }

    /// Whether no positions are kept.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// Drops positions that were replaced before the oldest tick.
fn forget(path: &mut VecDeque<(Tick, Option<Vector3>)>, oldest: Tick) {
    while path.get(1).is_some_and(|&(since, _)| since <= oldest) {
        path.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use proptest::prelude::*;
    use ugas_core::handle::Handle;

    use super::*;

    fn controller(index: u32) -> ControllerId {
        ControllerId::from_parts(index, NonZeroU32::MIN)
    }

    fn place(x: f64) -> Vector3 {
        [x, 0.0, 0.0]
    }

    #[test]
    fn a_position_is_good_until_the_next() {
        let mut positions = Positions::new(10);
        positions.record(Tick(5), controller(0), place(1.0));
        positions.record(Tick(8), controller(0), place(2.0));
        let at = |tick| positions.at(controller(0), Tick(tick));
        assert_eq!(
            [at(4), at(5), at(7), at(8), at(99)],
            [None, Some(1.0), Some(1.0), Some(2.0), Some(2.0)].map(|x| x.map(place))
        );
        assert_eq!(positions.at(controller(1), Tick(8)), None);
    }

    #[test]
    fn controller_taken_away_has_no_position_from_then_on() {
        let mut positions = Positions::new(10);
        positions.take_away(Tick(4), controller(0)); // without positions yet
        assert!(positions.is_empty());
        positions.record(Tick(5), controller(0), place(1.0));
        positions.take_away(Tick(8), controller(0));
        assert_eq!(positions.at(controller(0), Tick(7)), Some(place(1.0)));
        assert_eq!(positions.at(controller(0), Tick(8)), None);
        let away = [7, 8, 9].map(|tick| positions.is_away(controller(0), Tick(tick)));
        assert_eq!(away, [false, true, true]);
        positions.record(Tick(9), controller(0), place(2.0));
        assert_eq!(positions.at(controller(0), Tick(9)), Some(place(2.0)));
    }

    #[test]
    fn the_past_is_bounded_and_cannot_be_changed() {
        let mut positions = Positions::new(10);
        positions.record(Tick(5), controller(0), place(1.0));
        positions.record(Tick(8), controller(0), place(2.0));
        positions.record(Tick(8), controller(0), place(3.0)); // the last record of a tick counts
        positions.record(Tick(6), controller(0), place(9.0));
        assert_eq!(positions.at(controller(0), Tick(7)), Some(place(1.0)));
        positions.advance(Tick(16)); // oldest: 6, and where it was then is still known
        assert_eq!(positions.at(controller(0), Tick(5)), None);
        assert_eq!(positions.at(controller(0), Tick(6)), Some(place(1.0)));
        assert_eq!(positions.at(controller(0), Tick(8)), Some(place(3.0)));
        positions.remove(controller(0));
        assert_eq!(positions.at(controller(0), Tick(8)), None);
        assert!(positions.is_empty());
    }

    #[test]
    fn still_controller_costs_one_entry_and_moving_one_a_bounded_number() {
        let mut positions = Positions::new(10);
        for tick in 0..1_000 {
            positions.record(Tick(tick), controller(0), place(0.0));
            positions.record(Tick(tick), controller(1), place(f64::from(tick)));
        }
        assert_eq!(positions.len(), 1 + 11); // ticks 989 to 999
        assert_eq!(positions.distance(controller(0), controller(1), Tick(990)), Some(990.0));
        assert_eq!(positions.distance(controller(0), controller(1), Tick(988)), None);
    }

    #[test]
    fn distances_are_in_space() {
        let mut positions = Positions::new(1);
        positions.record(Tick(1), controller(0), [1.0, 2.0, 3.0]);
        positions.record(Tick(1), controller(1), [3.0, 5.0, 9.0]);
        assert_eq!(positions.distance(controller(0), controller(1), Tick(1)), Some(7.0)); // 4 + 9 + 36 = 49
        positions.record(Tick(2), controller(0), [f64::NAN, 0.0, 0.0]);
        assert_eq!(positions.at(controller(0), Tick(2)), Some([1.0, 2.0, 3.0]));
    }

    proptest! {
        /// Agrees with a list of all records.
        #[test]
        fn agrees_with_a_list(
            depth in 0u32..20,
            steps in proptest::collection::vec((0u32..4, 0u32..3, 0u8..4), 1..80),
        ) {
            let mut positions = Positions::new(depth);
            let mut list: Vec<(u32, u32, f64)> = Vec::new();
            let mut tick = 0;
            for (later, who, x) in steps {
                tick += later;
                positions.record(Tick(tick), controller(who), place(f64::from(x)));
                list.push((tick, who, f64::from(x)));
                for (asked, who) in (0..=tick).flat_map(|asked| [(asked, 0), (asked, 1), (asked, 2)]) {
                    let known = list.iter().rev().find(|&&(since, whose, _)| whose == who && since <= asked);
                    let expected = known.filter(|_| asked + depth >= tick).map(|&(_, _, x)| place(x));
                    prop_assert_eq!(positions.at(controller(who), Tick(asked)), expected, "{} at {}", who, asked);
                }
                prop_assert!(positions.len() <= 3 * (depth as usize + 2));
            }
        }
    }
}
