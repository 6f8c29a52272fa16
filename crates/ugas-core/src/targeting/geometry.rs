//! Areas and containment tests: squared distances, dot and cross products, no platform-dependent rounding.

use super::placement::Placement;
use crate::codec::{Decode, DecodeError, Decoder, Encode, Encoder, StateRecord};
use crate::effect::Vector3;
use crate::hash::{HashSink, StateHash};

/// Shape of the searched area.
#[derive(Clone, Copy, PartialEq, Debug, Default, StateRecord)]
pub enum Shape {
    /// The owner alone.
    SelfOnly,
    /// The activation's target, if it is within range.
    #[default]
    ActivationTarget,
    /// The nearest targets that fit, at most `count` (0 counts as 1). Never the owner, who would always be
    /// the nearest.
    Nearest,
    /// A sphere around the origin.
    Radius,
    /// A cone in front of the origin.
    Cone(HalfAngle),
    /// A line along the facing of the origin.
    Line {
        /// Width from edge to edge.
        width: f64,
    },
    /// A box around the origin, along the axes of the host's world.
    Box {
        /// Distances from the centre to the faces.
        half_extents: Vector3,
    },
    /// From target to target: the first is the activation's target, or without one the nearest that fits;
    /// each next one is the nearest to the one before. Never the owner, unless the affiliation is `Allied`.
    Chain {
        /// Maximum number of targets after the first.
        jumps: u16,
        /// Maximum distance of a jump.
        radius: f64,
        /// Whether a target may be reached again after another one.
        repeat: bool,
    },
}

impl Shape {
    /// Whether it only contains controllers with a placement.
    pub fn is_spatial(&self) -> bool {
        !matches!(self, Self::SelfOnly | Self::ActivationTarget)
    }

    /// Every number of the shape, for checking.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        let (one, three) = match *self {
            Self::Cone(angle) => (Some(angle.degrees()), None),
            Self::Line { width } => (Some(width), None),
            Self::Box { half_extents } => (None, Some(half_extents)),
            Self::Chain { radius, .. } => (Some(radius), None),
            Self::SelfOnly | Self::ActivationTarget | Self::Nearest | Self::Radius => (None, None),
        };
        one.into_iter().chain(three.into_iter().flatten())
    }
}

/// Half the opening angle of a cone.
///
/// Stored as the square of its cosine, so that a containment test takes no root and no trigonometry. The
/// squares of common angles (30°, 45°, 60°, 90°) are exact.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HalfAngle {
    degrees: f64,
    /// The square of the cosine, with the sign of the cosine.
    signed_square: f64,
}

impl HalfAngle {
    /// Creates the angle from the axis to the edge: 45 is an opening of 90 degrees. Values are clamped to 0
    /// to 180, and NaN counts as 0, so that a mistake hits fewer targets rather than all;
    /// [`TargetingDef::problems`](super::TargetingDef::problems) reports it.
    pub fn from_degrees(degrees: f64) -> Self {
        let usable = if degrees.is_nan() { 0.0 } else { degrees.clamp(0.0, 180.0) };
        let acute = if usable > 90.0 { 180.0 - usable } else { usable };
        let square = if acute == 0.0 {
            1.0
        } else if acute == 30.0 {
            0.75
        } else if acute == 45.0 {
            0.5
        } else if acute == 60.0 {
            0.25
        } else if acute == 90.0 {
            0.0
        } else {
            // The pure Rust implementation: the same bits everywhere.
            let cosine = libm::cos(acute * (core::f64::consts::PI / 180.0));
            cosine * cosine
        };
        Self { degrees, signed_square: if usable > 90.0 { -square } else { square } }
    }

    /// The angle in degrees, as it was given.
    pub fn degrees(self) -> f64 {
        self.degrees
    }

    /// Whether `offset` is at most this angle away from `axis`. The tip of the cone, which has no angle, is
    /// inside.
    fn contains(self, offset: Vector3, axis: Vector3) -> bool {
        let along = dot(offset, axis);
        let square = along * along;
        let edge = self.signed_square * (dot(offset, offset) * dot(axis, axis));
        if self.signed_square >= 0.0 {
            along >= 0.0 && square >= edge
        } else {
            along >= 0.0 || square <= -edge
        }
    }
}

impl StateHash for HalfAngle {
    fn state_hash<S: HashSink>(&self, hasher: &mut S) {
        let Self { degrees, signed_square: _ } = self;
        degrees.state_hash(hasher);
    }
}

impl Encode for HalfAngle {
    fn encode(&self, encoder: &mut Encoder) {
        let Self { degrees, signed_square: _ } = self;
        degrees.encode(encoder);
    }
}

impl Decode for HalfAngle {
    fn decode(decoder: &mut Decoder<'_>) -> Result<Self, DecodeError> {
        f64::decode(decoder).map(Self::from_degrees)
    }
}

/// A shape at a location, for engine queries and reticles.
#[derive(Clone, Copy, PartialEq, Debug, StateHash)]
pub struct Area {
    /// The shape.
    pub shape: Shape,
    /// Position and facing of the origin.
    pub origin: Placement,
    /// Range; `None` for unlimited.
    pub range: Option<f64>,
}

impl Area {
    /// Whether the point is inside, the edge included.
    ///
    /// Cones and lines need an origin with a facing; without one they contain nothing.
    pub fn contains(&self, point: Vector3) -> bool {
        let offset = subtract(point, self.origin.position());
        let axis = self.origin.facing();
        let reach = |square: f64| self.range.is_none_or(|range| square <= range * range);
        let in_range = || reach(dot(offset, offset));
        match self.shape {
            Shape::SelfOnly
            | Shape::ActivationTarget
            | Shape::Nearest
            | Shape::Radius
            | Shape::Chain { .. } => in_range(),
            Shape::Cone(angle) => axis != [0.0; 3] && in_range() && angle.contains(offset, axis),
            Shape::Line { width } => {
                // Each comparison is scaled by the length of the axis, which need not be 1.
                let (along, length) = (dot(offset, axis), dot(axis, axis));
                let aside = cross(offset, axis);
                let half = width * 0.5;
                let near = self.range.is_none_or(|range| along * along <= range * range * length);
                length > 0.0 && along >= 0.0 && near && dot(aside, aside) <= half * half * length
            }
            Shape::Box { half_extents } => {
                in_range() && offset.iter().zip(half_extents).all(|(at, half)| at.abs() <= half)
            }
        }
    }

    /// The square of the distance from the origin, by which targets are sorted.
    pub fn distance_squared(&self, point: Vector3) -> f64 {
        let offset = subtract(point, self.origin.position());
        dot(offset, offset)
    }
}

pub(super) fn subtract(a: Vector3, b: Vector3) -> Vector3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vector3, b: Vector3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector3, b: Vector3) -> Vector3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(shape: Shape, range: impl Into<Option<f64>>) -> Area {
        // At (10, 0, 0), looking along y with a facing of length 2.
        let origin = Placement::new([10.0, 0.0, 0.0], [0.0, 2.0, 0.0]).unwrap();
        Area { shape, origin, range: range.into() }
    }

    #[track_caller]
    fn check(area: &Area, inside: &[Vector3], outside: &[Vector3]) {
        for point in inside {
            assert!(area.contains(*point), "{point:?} should be in {area:?}");
        }
        for point in outside {
            assert!(!area.contains(*point), "{point:?} should not be in {area:?}");
        }
    }

    #[test]
    fn radius_includes_its_edge() {
        // 3² + 4² = 5².
        let five = area(Shape::Radius, 5.0);
        check(&five, &[[13.0, 4.0, 0.0], [10.0, 0.0, -5.0], [10.0, 0.0, 0.0]], &[[13.0, 4.0, 0.001]]);
        check(&area(Shape::Radius, 0.0), &[[10.0, 0.0, 0.0]], &[[10.0, 1e-9, 0.0]]);
        check(&area(Shape::Radius, None), &[[1e9, -1e9, 7.0]], &[]);
    }

    #[test]
    fn cone_includes_its_edge_and_its_tip() {
        let quarter = area(Shape::Cone(HalfAngle::from_degrees(45.0)), 10.0);
        check(
            &quarter,
            &[[12.0, 2.0, 0.0], [8.0, 2.0, 0.0], [10.0, 10.0, 0.0], [10.0, 0.0, 0.0]],
            &[[12.0, 1.9, 0.0], [10.0, -1.0, 0.0], [10.0, 10.1, 0.0]],
        );
        // Half a world: the plane through the tip is its edge.
        let half = area(Shape::Cone(HalfAngle::from_degrees(90.0)), None);
        check(&half, &[[99.0, 0.0, 5.0], [10.0, 1.0, 0.0]], &[[10.0, -0.1, 0.0]]);
        // All but a narrow cone behind: at 135° the edge is the diagonal backwards.
        let wide = area(Shape::Cone(HalfAngle::from_degrees(135.0)), None);
        check(&wide, &[[12.0, -2.0, 0.0], [10.0, 5.0, 0.0], [12.0, -1.0, 0.0]], &[[12.0, -2.1, 0.0]]);
        let all = area(Shape::Cone(HalfAngle::from_degrees(180.0)), None);
        check(&all, &[[10.0, -1.0, 0.0], [11.0, -1.0, 0.5]], &[]);
        let needle = area(Shape::Cone(HalfAngle::from_degrees(0.0)), None);
        check(&needle, &[[10.0, 7.0, 0.0]], &[[10.001, 7.0, 0.0], [10.0, -7.0, 0.0]]);
    }

    #[test]
    fn line_is_limited_by_width_and_range() {
        let line = area(Shape::Line { width: 2.0 }, 8.0);
        check(
            &line,
            &[[10.0, 8.0, 0.0], [11.0, 8.0, 0.0], [9.0, 0.0, 0.0], [10.0, 4.0, -1.0]],
            &[[10.0, 8.1, 0.0], [11.1, 4.0, 0.0], [10.0, -0.1, 0.0], [10.8, 4.0, 0.8]],
        );
    }

    #[test]
    fn box_lies_along_the_axes() {
        let shape = Shape::Box { half_extents: [1.0, 2.0, 3.0] };
        check(&area(shape, None), &[[11.0, -2.0, 3.0]], &[[11.1, 0.0, 0.0], [10.0, 2.1, 0.0]]);
        check(&area(shape, 2.0), &[[10.0, 2.0, 0.0]], &[[11.0, -2.0, 3.0]]);
    }

    #[test]
    fn cone_and_line_without_facing_contain_nothing() {
        let origin = Placement::at([0.0; 3]).unwrap();
        for shape in [Shape::Cone(HalfAngle::from_degrees(180.0)), Shape::Line { width: 100.0 }] {
            let area = Area { shape, origin, range: None };
            check(&area, &[], &[[0.0; 3], [1.0, 0.0, 0.0]]);
        }
    }

    #[test]
    fn half_angle_is_clamped_and_exact_for_common_angles() {
        assert_eq!(HalfAngle::from_degrees(f64::NAN).signed_square, 1.0);
        assert_eq!(HalfAngle::from_degrees(-5.0).signed_square, 1.0);
        assert_eq!(HalfAngle::from_degrees(999.0).signed_square, -1.0);
        let squares = [0.0, 30.0, 45.0, 60.0, 90.0].map(|angle| HalfAngle::from_degrees(angle).signed_square);
        assert_eq!(squares, [1.0, 0.75, 0.5, 0.25, 0.0]);
        assert_eq!(HalfAngle::from_degrees(120.0).signed_square, -0.25);
        // cos 20° = 0.9396926…, its square 0.8830222…
        assert!((HalfAngle::from_degrees(20.0).signed_square - 0.883_022_221_559_489).abs() < 1e-14);
    }

    proptest! {
        #[test]
        fn wider_cone_contains_a_narrower_one(
            point in prop::array::uniform3(-50.0f64..50.0), a in 0.0f64..180.0, b in 0.0f64..180.0,
        ) {
            let [narrow, wide] = [a.min(b), a.max(b)]
                .map(|angle| area(Shape::Cone(HalfAngle::from_degrees(angle)), None));
            prop_assert!(!narrow.contains(point) || wide.contains(point));
        }

        #[test]
        fn non_finite_numbers_do_not_panic(point in prop::array::uniform3(any::<f64>()), size in any::<f64>()) {
            for shape in [Shape::Radius, Shape::Cone(HalfAngle::from_degrees(size)), Shape::Line { width: size }] {
                let area = area(shape, size);
                area.contains(point);
                area.distance_squared(point);
            }
        }
    }
}
