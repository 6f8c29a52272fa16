//! Targeting definitions, with tag names and with resolved tags.

use std::sync::Arc;

use super::geometry::Shape;
use crate::codec::StateRecord;
use crate::effect::TagQueryDef;
use crate::hash::StateHash;
use crate::tag::{TagQuery, TagSet};

/// Origin of an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Origin {
    /// The owner's position and facing.
    #[default]
    Owner,
    /// The position and facing of the activation's target.
    ActivationTarget,
    /// The targeted location, facing away from the owner.
    TargetLocation,
}

/// Required attitude of a target towards the owner. The owner is always allied to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Affiliation {
    /// Any target.
    #[default]
    Any,
    /// Allied, the owner included.
    Allied,
    /// Allied, but not the owner.
    OtherAllied,
    /// Hostile.
    Hostile,
    /// Neither allied nor hostile.
    Neutral,
    /// The owner.
    SelfOnly,
    /// Anybody but the owner.
    ExcludeSelf,
}

/// Confirmation of targeting (GASD §4.11.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Confirmation {
    /// Targets are confirmed at once.
    #[default]
    Instant,
    /// The user confirms or cancels.
    UserConfirmed,
    /// The host confirms.
    Custom,
    /// The host confirms any number of times, until it is cancelled: the task continues after each
    /// confirmation.
    CustomMulti,
}

/// Definition of targeting, with tag names: conditions on targets, and the area that is searched.
///
/// ```
/// use ugas_core::targeting::{Affiliation, HalfAngle, Shape, TargetingDef};
///
/// let breath = TargetingDef::new(Shape::Cone(HalfAngle::from_degrees(30.0)))
///     .range(8.0)
///     .affiliation(Affiliation::Hostile)
///     .exclude("State.Dead")
///     .count(3);
/// assert!(breath.problems().is_empty());
/// ```
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct TargetingDef {
    /// Shape of the searched area.
    pub shape: Shape,
    /// Range; `None` for unlimited.
    pub range: Option<f64>,
    /// Origin of the area.
    pub origin: Origin,
    /// Tags that a target must all have.
    pub require_tags: Vec<String>,
    /// Tags of which a target must have none.
    pub exclude_tags: Vec<String>,
    /// Query that must hold over a target's tags.
    pub query: TagQueryDef,
    /// Required attitude of a target towards the owner.
    pub affiliation: Affiliation,
    /// Maximum number of targets; 0 is no limit.
    pub count: u32,
    /// Whether there must be a line of sight from the origin to a target; the host's [`Space`](super::Space)
    /// decides.
    pub line_of_sight: bool,
    /// Whether a player may name targets that it does not see, in a networked game (§13.7).
    #[state(since = 6)]
    pub allow_unseen: bool,
    /// A native filter, by the name it is registered under.
    pub filter: Option<String>,
    /// Whether the last valid targets are kept while there are no new ones (GASD §4.11.2).
    pub persistent: bool,
}

impl TargetingDef {
    /// Targeting of this form, without range or conditions.
    pub fn new(shape: Shape) -> Self {
        Self { shape, ..Self::default() }
    }

    /// Sets the range.
    #[must_use]
    pub fn range(mut self, range: f64) -> Self {
        self.range = Some(range);
        self
    }

    /// Sets the origin.
    #[must_use]
    pub fn from(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Adds a tag that targets must have.
    #[must_use]
    pub fn require(mut self, tag: impl Into<String>) -> Self {
        self.require_tags.push(tag.into());
        self
    }

    /// Adds a tag that targets must not have.
    #[must_use]
    pub fn exclude(mut self, tag: impl Into<String>) -> Self {
        self.exclude_tags.push(tag.into());
        self
    }

    /// Sets the query that must hold over a target's tags.
    #[must_use]
    pub fn matching(mut self, query: TagQueryDef) -> Self {
        self.query = query;
        self
    }

    /// Sets the required attitude of targets.
    #[must_use]
    pub fn affiliation(mut self, affiliation: Affiliation) -> Self {
        self.affiliation = affiliation;
        self
    }

    /// Sets the maximum number of targets; 0 is no limit.
    #[must_use]
    pub fn count(mut self, count: u32) -> Self {
        self.count = count;
        self
    }

    /// Requires a line of sight from the origin.
    #[must_use]
    pub fn in_sight(mut self) -> Self {
        self.line_of_sight = true;
        self
    }

    /// Sets a native filter by name.
    #[must_use]
    pub fn filter(mut self, name: impl Into<String>) -> Self {
        self.filter = Some(name.into());
        self
    }

    /// Lets players name targets that they do not see, in a networked game (§13.7): a missile that finds its
    /// way.
    #[must_use]
    pub fn allow_unseen(mut self) -> Self {
        self.allow_unseen = true;
        self
    }

    /// Keeps the last valid targets while there are no new ones.
    #[must_use]
    pub fn persistent(mut self) -> Self {
        self.persistent = true;
        self
    }

    /// All problems of its numbers (I9), with the names of the fields in the file format.
    pub fn problems(&self) -> Vec<TargetingProblem> {
        let shape = self.shape.numbers().map(|number| ("Shape", number));
        let numbers = self.range.map(|range| ("Range", range)).into_iter().chain(shape);
        let bad = numbers.filter(|(_, number)| !number.is_finite() || *number < 0.0);
        bad.map(|(field, value)| TargetingProblem { field, value }).collect()
    }
}

/// An invalid number of a [`TargetingDef`].
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[error("{field} must be a finite number of at least 0, not {value}")]
pub struct TargetingProblem {
    /// Name of the field in the file format.
    pub field: &'static str,
    /// The invalid number.
    pub value: f64,
}

/// Targeting with resolved tags.
#[derive(Clone, PartialEq, Debug, Default, StateHash)]
pub struct Targeting {
    /// Shape of the searched area.
    pub shape: Shape,
    /// Range; `None` for unlimited.
    pub range: Option<f64>,
    /// Origin of the area.
    pub origin: Origin,
    /// Tags that a target must all have.
    pub require: TagSet,
    /// Tags of which a target must have none.
    pub exclude: TagSet,
    /// Query that must hold over a target's tags.
    pub query: TagQuery,
    /// Required attitude of a target towards the owner.
    pub affiliation: Affiliation,
    /// Maximum number of targets; 0 is no limit.
    pub count: u32,
    /// Whether there must be a line of sight from the origin to a target.
    pub line_of_sight: bool,
    /// Whether a player may name targets that it does not see, in a networked game (§13.7).
    #[state(since = 6)]
    pub allow_unseen: bool,
    /// Name of a native filter.
    pub filter: Option<Arc<str>>,
    /// Whether the last valid targets are kept while there are no new ones.
    pub persistent: bool,
}

impl Targeting {
    /// Creates targeting from a definition and its resolved tags: `require_tags`, `exclude_tags` and `query`,
    /// in this order.
    pub fn resolved(def: &TargetingDef, require: TagSet, exclude: TagSet, query: TagQuery) -> Self {
        Self {
            shape: def.shape,
            range: def.range,
            origin: def.origin,
            require,
            exclude,
            query,
            affiliation: def.affiliation,
            count: def.count,
            line_of_sight: def.line_of_sight,
            allow_unseen: def.allow_unseen,
            filter: def.filter.as_deref().map(Arc::from),
            persistent: def.persistent,
        }
    }

    /// Maximum number of targets that are selected.
    pub fn limit(&self) -> usize {
        match (self.shape, self.count) {
            (Shape::Nearest, 0) => 1,
            (Shape::Chain { jumps, .. }, 0) => usize::from(jumps) + 1,
            (Shape::Chain { jumps, .. }, count) => (usize::from(jumps) + 1).min(count as usize),
            (_, 0) => usize::MAX,
            (_, count) => usize::try_from(count).unwrap_or(usize::MAX),
        }
    }

    /// Maximum number of targets that a player may choose (§13.7). Without a count, shapes that search for one
    /// target let choose one, and areas as many as are inside.
    pub fn choice_limit(&self) -> usize {
        match (self.shape, self.count) {
            (Shape::SelfOnly | Shape::ActivationTarget, 0) => 1,
            _ => self.limit(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targeting::HalfAngle;

    #[test]
    fn i9_targeting_reports_every_invalid_number() {
        let def = TargetingDef::new(Shape::Box { half_extents: [1.0, -2.0, f64::NAN] }).range(-1.0);
        let messages: Vec<String> = def.problems().iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "Range must be a finite number of at least 0, not -1",
                "Shape must be a finite number of at least 0, not -2",
                "Shape must be a finite number of at least 0, not NaN",
            ]
        );
        let cone = TargetingDef::new(Shape::Cone(HalfAngle::from_degrees(-30.0)));
        assert_eq!(cone.problems(), [TargetingProblem { field: "Shape", value: -30.0 }]);
        assert!(TargetingDef::new(Shape::Line { width: 0.0 }).range(0.0).problems().is_empty());
    }

    #[test]
    fn nearest_selects_one_target_unless_count_is_larger() {
        let limit = |shape, count| Targeting { shape, count, ..Targeting::default() }.limit();
        assert_eq!(limit(Shape::Nearest, 0), 1);
        assert_eq!(limit(Shape::Nearest, 3), 3);
        assert_eq!(limit(Shape::Radius, 0), usize::MAX);
        assert_eq!(limit(Shape::Radius, 2), 2);
    }

    #[test]
    fn player_chooses_one_target_unless_count_or_area_allow_more() {
        let limit = |shape, count| Targeting { shape, count, ..Targeting::default() }.choice_limit();
        let chain = Shape::Chain { jumps: 2, radius: 1.0, repeat: false };
        let limits = [Shape::SelfOnly, Shape::ActivationTarget, Shape::Nearest, chain, Shape::Radius]
            .map(|shape| (limit(shape, 0), limit(shape, 2)));
        assert_eq!(limits, [(1, 2), (1, 2), (1, 2), (3, 2), (usize::MAX, 2)]);
    }
}
