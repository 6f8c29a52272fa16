//! Fields that are valid and have no effect where they stand.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// UG069: channel on another operation.
pub(crate) const UG069: CodeDoc = CodeDoc {
    code: "UG069",
    title: "channel on another operation",
    severity: Severity::Warning,
    what: "A modifier that is not a Multiply has a channel.",
    why: "Channels are for Multiply only and ignored elsewhere (§9.4.1).",
    example: "Operation: Add\nChannel: DamageBonuses",
    fix: "Remove the channel, or use Multiply.",
};

/// Channel on an operation other than Multiply.
pub(crate) fn channel(span: Span, operation: &str) -> Diagnostic {
    UG069
        .report(span, format!("a channel is ignored on `{operation}`"))
        .help("remove it, or use `Operation: Multiply`")
}

/// UG075: duration that is ignored.
pub(crate) const UG075: CodeDoc = CodeDoc {
    code: "UG075",
    title: "duration that is ignored",
    severity: Severity::Warning,
    what: "The effect gives a `Duration`, and its policy is not HasDuration.",
    why: "The duration is ignored.",
    example: "DurationPolicy: Infinite\nDuration: { Type: ScalableFloat, Value: 5 }",
    fix: "Use HasDuration, or remove the duration.",
};

/// Duration of an effect that is not `HasDuration`.
pub(crate) fn duration(span: Span, policy: &str) -> Diagnostic {
    UG075
        .report(span, format!("the duration of an effect with `DurationPolicy: {policy}` is ignored"))
        .help("use `DurationPolicy: HasDuration`, or remove `Duration`")
}

/// UG076: drain on an attribute that is not Meta.
pub(crate) const UG076: CodeDoc = CodeDoc {
    code: "UG076",
    title: "drain on an attribute that is not Meta",
    severity: Severity::Warning,
    what: "`DrainInto` stands on an attribute that is not of category Meta.",
    why: "Only values written to a meta attribute are passed on (B3).",
    example: "Category: Resource\nDrainInto: [Health]",
    fix: "Use `Category: Meta`, or remove `DrainInto`.",
};

/// `DrainInto` on an attribute that is not Meta.
pub(crate) fn drain_into(span: Span) -> Diagnostic {
    UG076
        .report(span, "`DrainInto` is for attributes of category Meta")
        .help("add `Category: Meta`, or remove it")
}

/// UG093: execution that never runs.
pub(crate) const UG093: CodeDoc = CodeDoc {
    code: "UG093",
    title: "execution that never runs",
    severity: Severity::Warning,
    what: "An effect that lasts has `Executions` and no `Period`.",
    why: "Calculations are executed when an Instant effect is applied and when a periodic one ticks (§9.5). This effect does neither.",
    example: "DurationPolicy: Infinite\nExecutions: [ { CalculatorClass: ExecCalc_Damage } ]",
    fix: "Add a `Period`, or make the effect Instant.",
};

/// Executions of a lasting effect without a period.
pub(crate) fn executions(span: Span) -> Diagnostic {
    UG093
        .report(span, "these executions never run: the effect lasts and has no period")
        .help("add `Period: { Period: 1 }`, or use `DurationPolicy: Instant`")
}

/// UG095: prediction that never happens.
pub(crate) const UG095: CodeDoc = CodeDoc {
    code: "UG095",
    title: "prediction that never happens",
    severity: Severity::Warning,
    what: "`Prediction`, `Randomness` or `PredictionFloor` is given where no client ever predicts: on an ability whose \
           `NetExecution` is not LocalPredicted, on an effect that only the authority may apply, or as a floor that is not \
           above the attribute's own lower bound.",
    why: "The field is ignored.",
    example: "Name: GA_Respawn\nNetExecution: ServerOnly\nPrediction: Predict",
    fix: "Remove the field, or the setting that prevents prediction.",
};

/// Prediction setting where no client predicts; `because` is the reason.
pub(crate) fn prediction(span: Span, field: &str, because: &str) -> Diagnostic {
    UG095
        .report(span, format!("`{field}` is ignored: {because}"))
        .help(format!("remove `{field}`, or the setting that prevents prediction"))
}

/// UG130: death threshold without an attribute.
pub(crate) const UG130: CodeDoc = CodeDoc {
    code: "UG130",
    title: "death threshold without an attribute",
    severity: Severity::Warning,
    what: "`DeathThreshold` is given where no attribute can fall to it: `DeathAttribute` is `None`, or there is neither a `DeathAttribute` nor an attribute `Health`.",
    why: "The threshold is ignored, and nothing dies (§8.6.4, A4).",
    example: "Globals: { DeathAttribute: None, DeathThreshold: 5 }",
    fix: "Name the attribute in `DeathAttribute`, or remove `DeathThreshold`.",
};

/// `DeathThreshold` without a death attribute; `because` is the reason.
pub(crate) fn death_threshold(span: Span, because: &str) -> Diagnostic {
    UG130
        .report(span, format!("`DeathThreshold` is ignored: {because}"))
        .help("name the attribute in `DeathAttribute`, or remove `DeathThreshold`")
}

/// UG145: field that is not supported.
pub(crate) const UG145: CodeDoc = CodeDoc {
    code: "UG145",
    title: "field that is not supported",
    severity: Severity::Warning,
    what: "A field of a public schema is read and checked, but has no effect. The message says what happens instead.",
    why: "A pack that relies on the field behaves differently from its description.",
    example: "AsyncValidation: { Required: true }",
    fix: "Remove the field, or do what the help says. `Silence: [UG145]` in `pack.yaml` accepts it; `check --deny-warnings` refuses it.",
};

/// Field of the public schemas that is not supported; `effect` is what happens instead.
pub(crate) fn unsupported_field(span: Span, field: &str, effect: &str, help: &str) -> Diagnostic {
    UG145.report(span, format!("`{field}` is not supported: {effect}")).help(help)
}

/// UG163: field of a chain on another targeting.
pub(crate) const UG163: CodeDoc = CodeDoc {
    code: "UG163",
    title: "field of a chain on another targeting",
    severity: Severity::Warning,
    what: "A targeting has `Jumps` or `Repeat`, and its `Method` is not `Chain`.",
    why: "Only a chain jumps from target to target; elsewhere the field has no effect.",
    example: "Targeting: { Method: Radius, Radius: 5, Jumps: 3 }",
    fix: "Write `Method: Chain`, or remove the field.",
};

/// Field of chain targeting on another targeting method.
pub(crate) fn chain_field(span: Span, method: &str, field: &str) -> Diagnostic {
    UG163
        .report(span, format!("`{field}` has no effect on a targeting with `Method: {method}`"))
        .help(format!("write `Method: Chain`, or remove `{field}`"))
}

/// UG165: negative duration.
pub(crate) const UG165: CodeDoc = CodeDoc {
    code: "UG165",
    title: "negative duration",
    severity: Severity::Warning,
    what: "The `Duration` of an effect is a constant below 0.",
    why: "The effect is removed in the operation that applies it, as with a duration of 0 (E6).",
    example: "DurationPolicy: HasDuration\nDuration: { Type: ScalableFloat, Value: -5 }",
    fix: "Write a positive number of seconds. Write 0 if the effect is to end at once, or `DurationPolicy: Infinite` if it is never to end by itself.",
};

/// Constant duration below 0.
pub(crate) fn negative_duration(span: Span, seconds: f64) -> Diagnostic {
    UG165
        .report(span, format!("the effect ends at once: its duration of {seconds} s is negative"))
        .help("write a positive number of seconds, or use `DurationPolicy: Infinite`")
}

/// UG167: field without effect.
pub(crate) const UG167: CodeDoc = CodeDoc {
    code: "UG167",
    title: "field without effect",
    severity: Severity::Warning,
    what: "A field is valid and changes nothing here: an `ExecutionPolicy` on an Instant effect, several `Stacks` of an effect that \
           does not stack, a `CurrentValue` that differs from the `BaseValue` beside it, or an attribute set that is listed twice.",
    why: "The definition promises something that does not happen (D2).",
    example: "DurationPolicy: Instant\nExecutionPolicy: RunInMerge",
    fix: "Remove the field, or do what the help says.",
};

/// Field that changes nothing where it stands; `because` is the reason.
pub(crate) fn field(span: Span, field: &str, because: &str, help: &str) -> Diagnostic {
    UG167.report(span, format!("{field} has no effect: {because}")).help(help)
}

/// Attribute set that is listed before.
pub(crate) fn repeated_set(name: &Spanned<String>) -> Diagnostic {
    let field = format!("the second `{}`", name.value);
    self::field(name.span, &field, "an attribute set is registered once", "remove the repetition")
}
