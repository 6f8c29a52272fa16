//! Numbers that are outside of the range that their field accepts.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::node::Node;
use crate::source::Span;

/// UG015: number out of range.
pub(crate) const UG015: CodeDoc = CodeDoc {
    code: "UG015",
    title: "number out of range",
    severity: Severity::Error,
    what: "The number is smaller or larger than the field allows, or has a fraction where a whole number belongs. A minimum above its maximum is only a warning: it is legal, and the minimum wins (B0).",
    why: "Rounding or clamping the number silently would change the game's rules.",
    example: "EvaluationChannel: 12",
    fix: "Use a number in the range that the message names.",
};

/// Number outside of the range of its field.
pub(crate) fn out_of_range(span: Span, found: f64, expected: &str) -> Diagnostic {
    UG015.report(span, format!("expected {expected}, found {found}")).help(format!("write {expected}"))
}

/// Minimum above the maximum. It is legal (B0), and rarely intended.
pub(crate) fn min_above_max(span: Span, min: f64, max: f64) -> Diagnostic {
    let message = format!("the minimum {min} is greater than the maximum {max}, and wins");
    UG015.report(span, message).help("swap them").severity(Severity::Warning)
}

/// UG016: number is not finite.
pub(crate) const UG016: CodeDoc = CodeDoc {
    code: "UG016",
    title: "number is not finite",
    severity: Severity::Error,
    what: "The number is infinite, not a number, or too large for a 64-bit float.",
    why: "A non-finite value never enters the state (V2).",
    example: "DefaultBaseValue: .inf",
    fix: "Write a finite number. A bound that should not exist is left out.",
};

/// Infinite number, or not a number.
pub(crate) fn not_finite(span: Span) -> Diagnostic {
    UG016
        .report(span, "the number is not finite")
        .help("write a finite number; leave out a bound that should not exist")
}

/// UG061: period not positive.
pub(crate) const UG061: CodeDoc = CodeDoc {
    code: "UG061",
    title: "period not positive",
    severity: Severity::Error,
    what: "The period is zero or negative.",
    why: "The effect would tick infinitely often in one instant.",
    example: "Period: { Period: 0 }",
    fix: "Use a period longer than 0 s.",
};

/// Period of 0 s or less.
pub(crate) fn period_not_positive(span: Span) -> Diagnostic {
    UG061
        .report(span, "the period must be longer than 0 s")
        .help("write a positive number of seconds, or remove `Period`")
}

/// UG072: faulty curve.
pub(crate) const UG072: CodeDoc = CodeDoc {
    code: "UG072",
    title: "faulty curve",
    severity: Severity::Error,
    what: "A curve has no points, or its points are not in order.",
    why: "Its value would be undefined or ambiguous for some x.",
    example: "Points: [[2, 10], [1, 5]]",
    fix: "Give it points with increasing x, each x once.",
};

/// Curve without points, or with points out of order.
pub(crate) fn faulty_curve(span: Span, message: &str) -> Diagnostic {
    UG072.report(span, message.to_owned()).help("list points `[x, y]` by increasing x, each x once")
}

/// UG078: chance outside 0 to 1.
pub(crate) const UG078: CodeDoc = CodeDoc {
    code: "UG078",
    title: "chance outside 0 to 1",
    severity: Severity::Warning,
    what: "`ChanceToApply` is a constant below 0 or above 1.",
    why: "It is a probability; 5 for five percent means always.",
    example: "ChanceToApply: { Type: ScalableFloat, Value: 25 }",
    fix: "Write 0.25 for 25 %.",
};

/// Constant chance that is not a probability.
pub(crate) fn chance_out_of_range(span: Span, value: f64) -> Diagnostic {
    UG078.report(span, format!("the chance {value} is not between 0 and 1")).help("write 0.25 for 25 %")
}

/// UG101: impossible quantisation.
pub(crate) const UG101: CodeDoc = CodeDoc {
    code: "UG101",
    title: "impossible quantisation",
    severity: Severity::Error,
    what: "`Quantize` of an attribute has a `Min` that is not below its `Max`, or a range that is too wide or too narrow for \
           its `Bits`.",
    why: "The wire could not carry the attribute's values.",
    example: "Quantize: { Min: 100, Max: 0, Bits: 8 }",
    fix: "Give a `Min` below `Max`, and from 1 to 32 `Bits`.",
};

/// `Quantize` whose minimum is not below its maximum.
pub(crate) fn quantize_range_empty(span: Span, min: f64, max: f64) -> Diagnostic {
    UG101
        .report(span, format!("the `Min` of `Quantize` must be below its `Max`: {min} is not below {max}"))
        .help("swap them, or widen the range")
}

/// `Quantize` whose steps a 64-bit float cannot distinguish.
pub(crate) fn quantize_steps_unusable(span: Span, min: f64, max: f64, bits: u8) -> Diagnostic {
    let message = format!(
        "`Quantize` with {bits} bits from {min} to {max} has steps that a 64-bit number cannot represent"
    );
    UG101.report(span, message).help("use fewer bits, or a range of ordinary size")
}

/// UG132: negative time left.
pub(crate) const UG132: CodeDoc = CodeDoc {
    code: "UG132",
    title: "negative time left",
    severity: Severity::Error,
    what: "The `RemainingDuration` or `Duration` of an active effect is negative and not -1.",
    why: "-1 stands for the duration of the definition (K1); other negative times have no meaning.",
    example: "ActiveEffects: [ { Handle: a, EffectClass: GE_Poison, RemainingDuration: -5 } ]",
    fix: "Write the remaining seconds, or -1 for the duration of the definition.",
};

/// Remaining time of an active effect that is negative and not -1. (-1 is the duration of the definition.)
pub(crate) fn negative_remaining_time(span: Span, seconds: f64) -> Diagnostic {
    UG132
        .report(span, format!("expected the remaining seconds, or -1, found {seconds}"))
        .help("write the remaining seconds, or -1 for the duration of the definition")
}

/// UG161: spawn without a result.
pub(crate) const UG161: CodeDoc = CodeDoc {
    code: "UG161",
    title: "spawn without a result",
    severity: Severity::Warning,
    what: "A `SpawnController` task has a `Count` below 1 or above the limit of one operation, or a `Lifetime` of 0 or less.",
    why: "It would spawn nothing, be refused every time, or spawn controllers that leave at the same instant.",
    example: "- { Type: SpawnController, Params: { Template: Wolf, Lifetime: 0 } }",
    fix: "Give a `Count` from 1 to 1024 and a positive `Lifetime`; leave `Lifetime` out for controllers that stay.",
};

/// `Count` or `Lifetime` with which a `SpawnController` task leaves no controller.
pub(crate) fn spawns_nothing(node: &Node, field: &str) -> Diagnostic {
    let number = node.number().unwrap_or_default();
    let fix = match field {
        "Count" => "give a `Count` from 1 to 1024",
        _ => "give a positive `Lifetime`, or leave it out",
    };
    UG161.report(node.span, format!("with `{field}: {number}` the task spawns nothing that stays")).help(fix)
}
