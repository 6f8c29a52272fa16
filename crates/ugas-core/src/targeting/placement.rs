//! Placement and team of controllers, set by the host.

use std::sync::Arc;

use super::data::NotFinitePosition;
use crate::codec::StateRecord;
use crate::effect::Vector3;

/// Position and facing of a controller, in the host's coordinates.
///
/// Always finite: a NaN would make comparisons of distances meaningless.
#[derive(Clone, Copy, PartialEq, Debug, Default, StateRecord)]
#[state(check = Placement::check)]
pub struct Placement {
    position: Vector3,
    facing: Vector3,
}

impl Placement {
    /// Creates a placement with a position and a facing. The facing need not be of length 1; zero means none,
    /// and then a cone or line from here contains nothing.
    ///
    /// # Errors
    /// If a number is infinite or not a number (V2).
    ///
    /// ```
    /// use ugas_core::targeting::Placement;
    ///
    /// assert!(Placement::new([1.0, 2.0, 0.0], [1.0, 0.0, 0.0]).is_ok());
    /// assert!(Placement::new([f64::NAN, 2.0, 0.0], [1.0, 0.0, 0.0]).is_err());
    /// ```
    pub fn new(position: Vector3, facing: Vector3) -> Result<Self, NotFinitePosition> {
        NotFinitePosition::check(position)?;
        NotFinitePosition::check(facing)?;
        Ok(Self { position, facing })
    }

    /// Creates a placement without a facing.
    ///
    /// # Errors
    /// If a number is infinite or not a number (V2).
    pub fn at(position: Vector3) -> Result<Self, NotFinitePosition> {
        Self::new(position, [0.0; 3])
    }

    /// Checks a decoded placement.
    fn check(&self) -> Result<(), &'static str> {
        let Self { position, facing } = *self;
        Self::new(position, facing).map(|_| ()).map_err(|_| "a placement is not finite")
    }

    /// The position.
    pub fn position(&self) -> Vector3 {
        self.position
    }

    /// The facing; zero if there is none.
    pub fn facing(&self) -> Vector3 {
        self.facing
    }
}

/// A team in the host's game, by name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, StateRecord)]
pub struct Team(Arc<str>);

impl Team {
    /// The team of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Team {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

/// Attitude of one controller towards another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Attitude {
    /// On the same team.
    Allied,
    /// On different teams.
    Hostile,
    /// One of them has no team.
    Neutral,
}

/// Native code that decides the attitude between teams, instead of [`Attitude::by_team`]. Must be a
/// deterministic function of its arguments (I1).
pub type AttitudeRule = dyn Fn(Option<&Team>, Option<&Team>) -> Attitude + Send + Sync;

impl Attitude {
    /// The default rule: the same team is allied, a different one hostile, and a missing team neutral.
    pub fn by_team(from: Option<&Team>, to: Option<&Team>) -> Self {
        match (from, to) {
            (Some(from), Some(to)) if from == to => Self::Allied,
            (Some(_), Some(_)) => Self::Hostile,
            _ => Self::Neutral,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::StateHasher;

    #[test]
    fn v2_placement_rejects_non_finite_numbers() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Placement::new([0.0, bad, 0.0], [0.0; 3]).is_err());
            assert!(Placement::new([0.0; 3], [0.0, 0.0, bad]).is_err());
            assert!(Placement::at([bad, 0.0, 0.0]).is_err());
        }
        let here = Placement::new([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]).unwrap();
        assert_eq!((here.position(), here.facing()), ([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]));
    }

    #[test]
    fn teams_decide_the_attitude() {
        let (red, also_red, blue) = (Team::new("Red"), Team::from("Red"), Team::from("Blue"));
        assert_eq!(Attitude::by_team(Some(&red), Some(&also_red)), Attitude::Allied);
        assert_eq!(Attitude::by_team(Some(&red), Some(&blue)), Attitude::Hostile);
        assert_eq!(Attitude::by_team(Some(&red), None), Attitude::Neutral);
        assert_eq!(Attitude::by_team(None, Some(&red)), Attitude::Neutral);
        assert_eq!(Attitude::by_team(None, None), Attitude::Neutral);
        assert_eq!(StateHasher::of(&red), StateHasher::of(&also_red));
        assert!(blue < red);
    }
}
