//! Input modifiers: transformations of a control's value on its way to an action.
//!
//! Only arithmetic that comes out the same on every platform. A number that is not finite becomes 0 before
//! the first modifier and after each, so nothing a device or a factor produces can spread.

use core::str::FromStr;

use crate::curve::Curve;
use crate::number::nearly_zero;

/// A value of up to three axes; those that an action does not have are 0.
pub type InputValue = [f64; 3];

/// Host function that modifies a value. It must depend on nothing but its argument, or replays differ.
pub type CustomModifier = fn(InputValue) -> InputValue;

/// Definition of an input modifier.
#[derive(Clone, PartialEq, Debug)]
pub struct InputModifierDef {
    /// Unique name.
    pub name: String,
    /// The transformation.
    pub kind: InputModifierKind,
}

impl InputModifierDef {
    /// A modifier of this name.
    pub fn new(name: &str, kind: InputModifierKind) -> Self {
        Self { name: name.to_owned(), kind }
    }
}

/// The shape of a dead zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeadZoneShape {
    /// Axis by axis: a stick snaps to its axes.
    Axial,
    /// By the length of the value: the direction is kept.
    Radial,
}

/// Shape of a response curve; applied axis by axis, symmetric about 0.
#[derive(Clone, PartialEq, Debug)]
pub enum ResponseCurve {
    /// No change.
    Linear,
    /// Raises the magnitude to this power.
    Exponential(f64),
    /// Slow, fast, slow: `3t² - 2t³` of the magnitude, which counts as 1 beyond 1.
    SCurve,
    /// Straight lines between points of magnitude in and magnitude out.
    Points(Vec<(f64, f64)>),
}

/// A permutation of axes: `YXZ` puts the second first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Swizzle([u8; 3]);

/// Error of a text that is not a permutation of axes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no order of axes: write each of X, Y and Z once, such as YXZ")]
pub struct SwizzleError(pub String);

impl FromStr for Swizzle {
    type Err = SwizzleError;

    /// Parses `YXZ`, or `YX` for values of two axes.
    fn from_str(text: &str) -> Result<Self, SwizzleError> {
        let error = || SwizzleError(text.to_owned());
        let mut order = [0, 1, 2];
        let mut seen = [false; 3];
        let mut length = 0;
        for letter in text.chars() {
            let axis: u8 = match letter.to_ascii_uppercase() {
                'X' => 0,
                'Y' => 1,
                'Z' => 2,
                _ => return Err(error()),
            };
            *order.get_mut(length).ok_or_else(error)? = axis;
            length += 1;
            if core::mem::replace(&mut seen[usize::from(axis)], true) {
                return Err(error());
            }
        }
        // Two letters must be the first two axes: the third stays where it is.
        if length == 3 || (length == 2 && !seen[2]) { Ok(Self(order)) } else { Err(error()) }
    }
}

/// Transformation of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum InputModifierKind {
    /// Dead zone: 0 up to `inner`, 1 from `outer` on, linear between.
    DeadZone {
        /// Its shape.
        shape: DeadZoneShape,
        /// Magnitude up to which the result is 0.
        inner: f64,
        /// Magnitude from which the result is 1.
        outer: f64,
    },
    /// Multiplies all axes by the first factor, and the first two by one more each.
    Sensitivity {
        /// Factor of all axes.
        multiplier: f64,
        /// Further factor of the first axis.
        x: f64,
        /// Further factor of the second axis.
        y: f64,
    },
    /// Applies a response curve.
    ResponseCurve(ResponseCurve),
    /// Inverts the axes that are true.
    AxisInvert([bool; 3]),
    /// Multiplies axis by axis.
    AxisScale([f64; 3]),
    /// Permutes axes.
    AxisSwizzle(Swizzle),
    /// Divides by the largest length that the control reaches, and limits the length to 1.
    RadialScaling {
        /// The length that becomes 1.
        max_radius: f64,
    },
    /// Scales the length to 1; zero stays zero.
    Normalize,
    /// Sets an axis that reaches the threshold to 1 (or -1), and others to 0.
    TriggerThreshold {
        /// Magnitude from which an axis counts as pressed.
        press: f64,
    },
    /// Clamps every axis to a range.
    Clamp {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// A function that the host registers under this name.
    Custom(String),
}

/// A resolved modifier.
#[derive(Clone, Debug)]
pub(super) enum InputModifier {
    Plain(InputModifierKind),
    Points(Curve),
    Custom(CustomModifier),
}

impl InputModifier {
    /// The value after this modifier; always finite.
    pub(super) fn apply(&self, value: InputValue) -> InputValue {
        finite(match self {
            Self::Plain(kind) => apply(kind, value),
            Self::Points(curve) => value.map(|axis| with_sign_of(axis, curve.value_at(axis.abs()))),
            Self::Custom(modifier) => modifier(value),
        })
    }
}

/// The value with 0 for every axis that is not finite. Adding 0 makes the negative zero positive, so that a
/// control at rest has one hash.
pub(super) fn finite(value: InputValue) -> InputValue {
    value.map(|axis| if axis.is_finite() { axis + 0.0 } else { 0.0 })
}

/// The length of a value.
pub(super) fn length(value: InputValue) -> f64 {
    let squares = |value: InputValue| value.iter().map(|axis| axis * axis).sum::<f64>();
    let plain = squares(value).sqrt();
    if plain.is_finite() {
        return plain;
    }
    // The squares overflowed: scale by the longest axis.
    let longest = value.iter().fold(0.0, |longest: f64, axis| longest.max(axis.abs()));
    longest * squares(value.map(|axis| axis / longest)).sqrt()
}

/// The value after a built-in modifier. Custom modifiers and curves by points are resolved elsewhere and
/// change nothing here.
fn apply(kind: &InputModifierKind, value: InputValue) -> InputValue {
    match kind {
        InputModifierKind::DeadZone { shape: DeadZoneShape::Axial, inner, outer } => {
            value.map(|axis| with_sign_of(axis, beyond_dead_zone(axis.abs(), *inner, *outer)))
        }
        InputModifierKind::DeadZone { shape: DeadZoneShape::Radial, inner, outer } => {
            let length = length(value);
            rescaled(value, length, beyond_dead_zone(length, *inner, *outer))
        }
        InputModifierKind::Sensitivity { multiplier, x, y } => {
            let [first, second, third] = value;
            [first * multiplier * x, second * multiplier * y, third * multiplier]
        }
        InputModifierKind::ResponseCurve(curve) => {
            value.map(|axis| with_sign_of(axis, bend(curve, axis.abs())))
        }
        InputModifierKind::AxisInvert(inverted) => {
            zip(value, inverted, |axis, inverted| if *inverted { -axis } else { axis })
        }
        InputModifierKind::AxisScale(scale) => zip(value, scale, |axis, scale| axis * scale),
        InputModifierKind::AxisSwizzle(Swizzle(order)) => {
            order.map(|axis| value.get(usize::from(axis)).copied().unwrap_or(0.0))
        }
        InputModifierKind::RadialScaling { max_radius } => {
            let length = length(value);
            rescaled(value, length, (length / max_radius).min(1.0))
        }
        InputModifierKind::Normalize => rescaled(value, length(value), 1.0),
        InputModifierKind::TriggerThreshold { press } => {
            value.map(|axis| if axis.abs() >= *press { with_sign_of(axis, 1.0) } else { 0.0 })
        }
        InputModifierKind::Clamp { min, max } => value.map(|axis| axis.min(*max).max(*min)),
        // Resolved to a function when the scheme is built.
        InputModifierKind::Custom(_) => value,
    }
}

/// A magnitude after a response curve; the sign is applied by the caller.
fn bend(curve: &ResponseCurve, magnitude: f64) -> f64 {
    match curve {
        // Points are resolved to a curve when the scheme is built.
        ResponseCurve::Linear | ResponseCurve::Points(_) => magnitude,
        ResponseCurve::Exponential(exponent) => libm::pow(magnitude, *exponent),
        ResponseCurve::SCurve => {
            let t = magnitude.min(1.0);
            t * t * (3.0 - 2.0 * t)
        }
    }
}

/// A magnitude rescaled so that `inner` becomes 0 and `outer` 1, clamped to this range.
fn beyond_dead_zone(magnitude: f64, inner: f64, outer: f64) -> f64 {
    if magnitude <= inner {
        0.0
    } else if magnitude >= outer {
        1.0
    } else {
        (magnitude - inner) / (outer - inner)
    }
}

/// `magnitude` on the side of `axis`; 0 stays 0, so that a resting control never drifts.
fn with_sign_of(axis: f64, magnitude: f64) -> f64 {
    if axis > 0.0 {
        magnitude
    } else if axis < 0.0 {
        -magnitude
    } else {
        0.0
    }
}

/// `value` with the length `wanted` instead of `length`; zero has no direction and stays zero.
fn rescaled(value: InputValue, length: f64, wanted: f64) -> InputValue {
    if nearly_zero(length) { [0.0; 3] } else { value.map(|axis| axis / length * wanted) }
}

/// Combines each axis with an item of its own.
fn zip<T>(value: InputValue, with: &[T; 3], combine: impl Fn(f64, &T) -> f64) -> InputValue {
    let [x, y, z] = value;
    let [with_x, with_y, with_z] = with;
    [combine(x, with_x), combine(y, with_y), combine(z, with_z)]
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values that are exact in binary are compared exactly")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(kind: InputModifierKind, value: InputValue) -> InputValue {
        InputModifier::Plain(kind).apply(value)
    }

    #[test]
    fn axial_dead_zone_applies_to_each_axis() {
        let zone = InputModifierKind::DeadZone { shape: DeadZoneShape::Axial, inner: 0.25, outer: 0.75 };
        // (0.5 - 0.25) / (0.75 - 0.25) = 0.5
        assert_eq!(plain(zone.clone(), [-0.5, 0.25, 0.0]), [-0.5, 0.0, 0.0]);
        assert_eq!(plain(zone, [0.75, -1.0, 0.1]), [1.0, -1.0, 0.0]);
    }

    #[test]
    fn radial_dead_zone_keeps_the_direction() {
        let zone = InputModifierKind::DeadZone { shape: DeadZoneShape::Radial, inner: 0.0, outer: 10.0 };
        // Length 5 of 10 is a half: the direction (0.6, 0.8) times 0.5.
        assert_eq!(plain(zone, [3.0, 4.0, 0.0]), [0.3, 0.4, 0.0]);
        let zone = InputModifierKind::DeadZone { shape: DeadZoneShape::Radial, inner: 0.5, outer: 1.0 };
        assert_eq!(plain(zone, [0.3, 0.4, 0.0]), [0.0; 3]);
    }

    #[test]
    fn response_curves_are_symmetric_about_zero() {
        let curve = |curve| InputModifierKind::ResponseCurve(curve);
        assert_eq!(plain(curve(ResponseCurve::Linear), [-0.5, 2.0, 0.0]), [-0.5, 2.0, 0.0]);
        assert_eq!(plain(curve(ResponseCurve::Exponential(2.0)), [-0.5, 0.5, 0.0]), [-0.25, 0.25, 0.0]);
        // 3 / 16 - 2 / 64 = 10 / 64
        assert_eq!(plain(curve(ResponseCurve::SCurve), [0.25, -0.5, 3.0]), [0.15625, -0.5, 1.0]);
    }

    #[test]
    fn axes_are_scaled_inverted_and_permuted() {
        let sensitivity = InputModifierKind::Sensitivity { multiplier: 2.0, x: 3.0, y: 0.5 };
        assert_eq!(plain(sensitivity, [1.0, 1.0, 1.0]), [6.0, 1.0, 2.0]);
        assert_eq!(plain(InputModifierKind::AxisScale([2.0, 0.0, -1.0]), [1.0, 1.0, 1.0]), [2.0, 0.0, -1.0]);
        assert_eq!(
            plain(InputModifierKind::AxisInvert([false, true, false]), [1.0, 1.0, 1.0]),
            [1.0, -1.0, 1.0]
        );
        assert_eq!(
            plain(InputModifierKind::AxisSwizzle("zxy".parse().unwrap()), [1.0, 2.0, 3.0]),
            [3.0, 1.0, 2.0]
        );
        assert_eq!(
            plain(InputModifierKind::AxisSwizzle("YX".parse().unwrap()), [1.0, 2.0, 3.0]),
            [2.0, 1.0, 3.0]
        );
    }

    #[test]
    fn lengths_are_limited_and_normalised() {
        let radial = |max_radius| InputModifierKind::RadialScaling { max_radius };
        assert_eq!(plain(radial(2.0), [0.0, 1.0, 0.0]), [0.0, 0.5, 0.0]);
        assert_eq!(plain(radial(2.0), [0.0, -8.0, 0.0]), [0.0, -1.0, 0.0]);
        assert_eq!(plain(InputModifierKind::Normalize, [3.0, 4.0, 0.0]), [0.6, 0.8, 0.0]);
        assert_eq!(plain(InputModifierKind::Normalize, [0.0; 3]), [0.0; 3]);
    }

    #[test]
    fn trigger_threshold_presses_at_the_threshold() {
        let threshold = InputModifierKind::TriggerThreshold { press: 0.5 };
        assert_eq!(plain(threshold, [0.5, -0.75, 0.499]), [1.0, -1.0, 0.0]);
        let clamp = InputModifierKind::Clamp { min: -1.0, max: 0.5 };
        assert_eq!(plain(clamp, [2.0, -2.0, 0.25]), [0.5, -1.0, 0.25]);
    }

    #[test]
    fn swizzle_names_each_axis_once() {
        for wrong in ["", "X", "XX", "XXY", "XYZX", "XZ", "ABC"] {
            assert_eq!(wrong.parse::<Swizzle>(), Err(SwizzleError(wrong.to_owned())));
        }
    }

    #[test]
    fn custom_modifier_with_non_finite_result_gives_zero() {
        assert_eq!(
            InputModifier::Custom(|_| [f64::NAN, 1.0, f64::INFINITY]).apply([1.0; 3]),
            [0.0, 1.0, 0.0]
        );
    }

    fn kinds() -> impl Strategy<Value = InputModifierKind> {
        let shape = prop_oneof![Just(DeadZoneShape::Axial), Just(DeadZoneShape::Radial)];
        let curve = prop_oneof![
            Just(ResponseCurve::Linear),
            Just(ResponseCurve::SCurve),
            (0.0..1e3f64).prop_map(ResponseCurve::Exponential)
        ];
        let number = || prop_oneof![-2.0..2.0f64, Just(f64::MAX), Just(f64::MIN_POSITIVE)];
        prop_oneof![
            (shape, 0.0..0.5f64, 0.5..1.0f64).prop_map(|(shape, inner, outer)| InputModifierKind::DeadZone {
                shape,
                inner,
                outer
            }),
            (number(), number(), number()).prop_map(|(multiplier, x, y)| InputModifierKind::Sensitivity {
                multiplier,
                x,
                y
            }),
            curve.prop_map(InputModifierKind::ResponseCurve),
            (f64::MIN_POSITIVE..2.0).prop_map(|max_radius| InputModifierKind::RadialScaling { max_radius }),
            Just(InputModifierKind::Normalize),
            (0.0..1.0f64).prop_map(|press| InputModifierKind::TriggerThreshold { press }),
        ]
    }

    proptest! {
        #[test]
        fn modified_value_stays_finite_for_any_device_value(
            kinds in prop::collection::vec(kinds(), 0..5),
            value in prop::array::uniform3(prop_oneof![any::<f64>(), -1.0..1.0f64]),
        ) {
            let value = kinds.into_iter().fold(finite(value), |value, kind| plain(kind, value));
            prop_assert!(value.iter().all(|axis| axis.is_finite()));
        }
    }
}
