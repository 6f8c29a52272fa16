//! Curves (§9.4.2): tables of points with interpolation, looked up by level or any other input.

use crate::codec::StateRecord;
use crate::hash::StateHash;

/// How a curve interpolates between points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StateRecord)]
pub enum Interpolation {
    /// A straight line.
    #[default]
    Linear,
    /// No interpolation: the value of the last point passed holds until the next.
    Step,
}

/// The definition of a curve.
#[derive(Clone, PartialEq, Debug, Default, StateRecord)]
pub struct CurveDef {
    /// The name by which magnitudes and expressions look the curve up.
    pub name: String,
    /// The points `(x, y)`, by increasing `x`.
    pub points: Vec<(f64, f64)>,
    /// Interpolation between the points.
    pub interpolation: Interpolation,
}

/// A checked curve, which has a finite value everywhere (V2).
///
/// ```
/// use ugas_core::curve::{Curve, CurveDef, Interpolation};
///
/// let damage = Curve::new(&CurveDef {
///     name: "Damage".into(),
///     points: vec![(1.0, 10.0), (5.0, 30.0)],
///     interpolation: Interpolation::Linear,
/// })?;
/// assert_eq!(damage.value_at(2.0), 15.0);
/// assert_eq!(damage.value_at(99.0), 30.0);
/// # Ok::<(), ugas_core::curve::CurveError>(())
/// ```
#[derive(Clone, PartialEq, Debug, StateHash)]
pub struct Curve {
    name: String,
    points: Vec<(f64, f64)>,
    interpolation: Interpolation,
}

impl Curve {
    /// Checks the points of a definition.
    ///
    /// # Errors
    /// If there is no point, a coordinate is not finite, or the `x` do not strictly increase.
    pub fn new(def: &CurveDef) -> Result<Self, CurveError> {
        let curve = || def.name.clone();
        if def.points.is_empty() {
            return Err(CurveError::NoPoints { curve: curve() });
        }
        let mut last = None;
        for (index, &(x, y)) in (0u32..).zip(&def.points) {
            if !x.is_finite() || !y.is_finite() {
                return Err(CurveError::NotFinite { curve: curve(), index });
            }
            if last.is_some_and(|last| x <= last) {
                return Err(CurveError::NotIncreasing { curve: curve(), index });
            }
            last = Some(x);
        }
        Ok(Self { name: curve(), points: def.points.clone(), interpolation: def.interpolation })
    }

    /// The curve's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The points, by increasing `x`.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// Interpolation between the points.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The value at `x`: exact at the points, constant beyond both ends, always finite.
    pub fn value_at(&self, x: f64) -> f64 {
        let passed = self.points.partition_point(|point| point.0 <= x);
        match (passed.checked_sub(1).and_then(|last| self.points.get(last)), self.points.get(passed)) {
            (Some(&from), Some(&to)) if self.interpolation == Interpolation::Linear && from.0 < x => {
                between(from, to, x)
            }
            (Some(&(_, y)), _) | (None, Some(&(_, y))) => y,
            (None, None) => 0.0,
        }
    }
}

/// Why a curve definition is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// The curve has no points.
    #[error("curve `{curve}` has no points; give it at least one")]
    NoPoints {
        /// The curve's name.
        curve: String,
    },
    /// A coordinate is infinite or not a number (V2).
    #[error("point {index} of curve `{curve}` is not finite")]
    NotFinite {
        /// The curve's name.
        curve: String,
        /// The point, counted from 0.
        index: u32,
    },
    /// The `x` of a point is not greater than that of the point before it.
    #[error(
        "point {index} of curve `{curve}` does not lie after the point before it; sort the points by x, and use each x once"
    )]
    NotIncreasing {
        /// The curve's name.
        curve: String,
        /// The later of the two points, counted from 0.
        index: u32,
    },
}

/// The straight line from `from` to `to` at an `x` strictly between them.
///
/// A difference of two finite numbers can overflow; then the same line is computed from halves and weights, which
/// cannot.
fn between(from: (f64, f64), to: (f64, f64), x: f64) -> f64 {
    let ((x0, y0), (x1, y1)) = (from, to);
    let width = x1 - x0;
    let share =
        if width.is_finite() { (x - x0) / width } else { (x / 2.0 - x0 / 2.0) / (x1 / 2.0 - x0 / 2.0) };
    let y = y0 + (y1 - y0) * share;
    if y.is_finite() { y } else { y0 * (1.0 - share) + y1 * share }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::StateHasher;
    use proptest::prelude::*;

    fn curve(points: &[(f64, f64)], interpolation: Interpolation) -> Result<Curve, CurveError> {
        Curve::new(&CurveDef { name: "C".into(), points: points.to_vec(), interpolation })
    }

    #[track_caller]
    fn check(points: &[(f64, f64)], interpolation: Interpolation, expected: &[(f64, f64)]) {
        let curve = curve(points, interpolation).unwrap();
        for &(x, y) in expected {
            assert_eq!(curve.value_at(x), y, "at {x}");
        }
    }

    #[track_caller]
    fn check_error(points: &[(f64, f64)], expected: &str) {
        assert_eq!(curve(points, Interpolation::Linear).unwrap_err().to_string(), expected);
    }

    #[test]
    fn linear_curve_interpolates_and_is_constant_beyond_its_ends() {
        check(
            &[(1.0, 10.0), (5.0, 30.0), (10.0, 20.0)],
            Interpolation::Linear,
            &[
                (-7.0, 10.0),
                (1.0, 10.0),
                (2.0, 15.0), // 10 + 20 · 1/4
                (4.0, 25.0), // 10 + 20 · 3/4
                (5.0, 30.0),
                (7.5, 25.0), // 30 - 10 · 2.5/5
                (10.0, 20.0),
                (1e300, 20.0),
            ],
        );
    }

    #[test]
    fn step_curve_holds_the_last_point() {
        check(
            &[(1.0, 10.0), (5.0, 30.0), (10.0, 20.0)],
            Interpolation::Step,
            &[(0.0, 10.0), (1.0, 10.0), (4.999, 10.0), (5.0, 30.0), (9.0, 30.0), (10.0, 20.0), (11.0, 20.0)],
        );
    }

    #[test]
    fn curve_of_one_point_is_constant() {
        for interpolation in [Interpolation::Linear, Interpolation::Step] {
            check(&[(3.0, 7.0)], interpolation, &[(-1.0, 7.0), (3.0, 7.0), (9.0, 7.0)]);
        }
    }

    #[test]
    fn extreme_points_do_not_overflow() {
        // Halfway between -MAX and MAX lies 0 on both axes.
        check(
            &[(f64::MIN, f64::MIN), (f64::MAX, f64::MAX)],
            Interpolation::Linear,
            &[(0.0, 0.0), (f64::MIN, f64::MIN), (f64::MAX, f64::MAX)],
        );
    }

    #[test]
    fn non_finite_input_still_gives_a_finite_value() {
        check(
            &[(0.0, 1.0), (1.0, 2.0)],
            Interpolation::Linear,
            &[(f64::NEG_INFINITY, 1.0), (f64::INFINITY, 2.0), (f64::NAN, 1.0)],
        );
    }

    #[test]
    fn errors_name_curve_and_point() {
        check_error(&[], "curve `C` has no points; give it at least one");
        check_error(&[(0.0, 0.0), (1.0, f64::NAN)], "point 1 of curve `C` is not finite");
        check_error(&[(f64::INFINITY, 0.0)], "point 0 of curve `C` is not finite");
        for points in [[(0.0, 0.0), (1.0, 1.0), (1.0, 2.0)], [(0.0, 0.0), (2.0, 1.0), (1.0, 2.0)]] {
            check_error(
                &points,
                "point 2 of curve `C` does not lie after the point before it; sort the points by x, and use each x once",
            );
        }
    }

    #[test]
    fn hash_depends_on_the_interpolation() {
        let hash = |interpolation| StateHasher::of(&curve(&[(0.0, 1.0)], interpolation).unwrap());
        assert_ne!(hash(Interpolation::Linear), hash(Interpolation::Step));
    }

    proptest! {
        #[test]
        fn values_are_finite_and_exact_at_the_points(
            points in prop::collection::vec((any::<f64>(), any::<f64>()), 1..8),
            x in any::<f64>(),
        ) {
            let mut points: Vec<_> =
                points.into_iter().filter(|point| point.0.is_finite() && point.1.is_finite()).collect();
            points.sort_by(|left, right| left.0.total_cmp(&right.0));
            points.dedup_by(|right, left| right.0 == left.0);
            prop_assume!(!points.is_empty());
            for interpolation in [Interpolation::Linear, Interpolation::Step] {
                let curve = curve(&points, interpolation).unwrap();
                prop_assert!(curve.value_at(x).is_finite());
                for &(x, y) in &points {
                    prop_assert_eq!(curve.value_at(x).to_bits(), y.to_bits());
                }
                for pair in points.windows(2) {
                    prop_assert!(curve.value_at(pair[0].0 / 2.0 + pair[1].0 / 2.0).is_finite());
                }
            }
        }
    }
}
