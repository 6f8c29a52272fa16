//! Checks of modifier parameters.

use super::error::InputProblem;
use super::modifier::{InputModifierKind, ResponseCurve};

/// Checks the numbers of a modifier. The error has the field and the problem.
pub(super) fn check_numbers(kind: &InputModifierKind) -> Result<(), (&'static str, InputProblem)> {
    let finite = |path, number: f64| {
        if number.is_finite() { Ok(()) } else { Err((path, InputProblem::NotFinite(number))) }
    };
    let in_unit = |path, number: f64| {
        finite(path, number)?;
        if (0.0..=1.0).contains(&number) {
            Ok(())
        } else {
            Err((path, InputProblem::OutOfRange { found: number, wanted: "it must be from 0 to 1" }))
        }
    };
    match kind {
        InputModifierKind::DeadZone { inner, outer, .. } => {
            in_unit("InnerThreshold", *inner)?;
            in_unit("OuterThreshold", *outer)?;
            if inner >= outer {
                let problem = InputProblem::NotIncreasing { low: *inner, high: *outer };
                return Err(("OuterThreshold", problem));
            }
            Ok(())
        }
        InputModifierKind::Sensitivity { multiplier, x, y } => {
            finite("Multiplier", *multiplier)?;
            finite("MultiplierX", *x)?;
            finite("MultiplierY", *y)
        }
        InputModifierKind::ResponseCurve(ResponseCurve::Exponential(exponent)) => {
            positive("Exponent", *exponent)
        }
        InputModifierKind::AxisScale([x, y, z]) => {
            finite("ScaleX", *x)?;
            finite("ScaleY", *y)?;
            finite("ScaleZ", *z)
        }
        InputModifierKind::RadialScaling { max_radius } => positive("MaxRadius", *max_radius),
        InputModifierKind::TriggerThreshold { press } => in_unit("PressThreshold", *press),
        InputModifierKind::Clamp { min, max } => {
            finite("Min", *min)?;
            finite("Max", *max)?;
            if min > max {
                return Err(("Max", InputProblem::NotIncreasing { low: *min, high: *max }));
            }
            Ok(())
        }
        InputModifierKind::ResponseCurve(_)
        | InputModifierKind::AxisInvert(_)
        | InputModifierKind::AxisSwizzle(_)
        | InputModifierKind::Normalize
        | InputModifierKind::Custom(_) => Ok(()),
    }
}

/// Checks that a number is finite and above 0; the error has the path.
fn positive(path: &'static str, number: f64) -> Result<(), (&'static str, InputProblem)> {
    if !number.is_finite() {
        return Err((path, InputProblem::NotFinite(number)));
    }
    if number > 0.0 {
        Ok(())
    } else {
        Err((path, InputProblem::OutOfRange { found: number, wanted: "it must be more than 0" }))
    }
}
