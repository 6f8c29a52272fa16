//! Effects whose fields are incomplete or contradict each other.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// UG060: HasDuration without Duration.
pub(crate) const UG060: CodeDoc = CodeDoc {
    code: "UG060",
    title: "HasDuration without Duration",
    severity: Severity::Error,
    what: "The effect says that it has a duration and does not give one.",
    why: "It would never end, or end at once (§9.2).",
    example: "DurationPolicy: HasDuration",
    fix: "Add `Duration`, or make the effect `Infinite`.",
};

/// `HasDuration` without a `Duration`.
pub(crate) fn missing_duration(span: Span) -> Diagnostic {
    UG060
        .report(span, "the effect has `DurationPolicy: HasDuration` and no `Duration`")
        .help("add `Duration: { Type: ScalableFloat, Value: 5 }`, or make it `Infinite`")
}

/// UG062: period on an Instant effect.
pub(crate) const UG062: CodeDoc = CodeDoc {
    code: "UG062",
    title: "period on an Instant effect",
    severity: Severity::Error,
    what: "An Instant effect has a period.",
    why: "It is gone at once and never ticks (§9.3).",
    example: "DurationPolicy: Instant\nPeriod: { Period: 1 }",
    fix: "Give it a duration or make it Infinite, or remove the period.",
};

/// Period of an Instant effect.
pub(crate) fn period_on_instant(span: Span) -> Diagnostic {
    UG062
        .report(span, "an Instant effect cannot have a period")
        .help("use `HasDuration` or `Infinite`, or remove `Period`")
}

/// UG063: granted tags or abilities on an Instant effect.
pub(crate) const UG063: CodeDoc = CodeDoc {
    code: "UG063",
    title: "granted tags or abilities on an Instant effect",
    severity: Severity::Warning,
    what: "An Instant effect grants tags or abilities.",
    why: "They would be gone in the same instant, so they do nothing (E2).",
    example: "DurationPolicy: Instant\nGrantedTags: [State.Damaged]",
    fix: "Give the effect a short duration, or describe it with `AssetTags`.",
};

/// Tags or abilities that an Instant effect grants.
pub(crate) fn grants_on_instant(span: Span, field: &str) -> Diagnostic {
    UG063
        .report(span, format!("`{field}` of an Instant effect do nothing"))
        .help("give the effect a duration, or describe it with `AssetTags`")
}

/// UG064: cooldown without a tag.
pub(crate) const UG064: CodeDoc = CodeDoc {
    code: "UG064",
    title: "cooldown without a tag",
    severity: Severity::Error,
    what: "The effect that an ability names as its cooldown grants no tag, or is Instant.",
    why: "An ability is on cooldown while one of these tags is present (A2); without any it never is.",
    example: "Cooldown: GE_Dash_Cooldown   # which has no GrantedTags",
    fix: "Give the effect a duration and a `Cooldown.*` tag under `GrantedTags`.",
};

/// Cooldown effect that grants no tag.
pub(crate) fn cooldown_without_tag(effect: &Spanned<String>) -> Diagnostic {
    UG064
        .report(
            effect.span,
            format!("the cooldown effect `{}` grants no tag, so it never blocks", effect.value),
        )
        .help("add a tag such as `Cooldown.Ability.Dash` to its `GrantedTags`")
}

/// Cooldown effect that is Instant.
pub(crate) fn instant_cooldown(effect: &Spanned<String>) -> Diagnostic {
    UG064
        .report(effect.span, format!("the cooldown effect `{}` is Instant, so it never blocks", effect.value))
        .help("use `DurationPolicy: HasDuration` with a `Duration`")
}

/// UG065: cost that is not Instant.
pub(crate) const UG065: CodeDoc = CodeDoc {
    code: "UG065",
    title: "cost that is not Instant",
    severity: Severity::Error,
    what: "The effect that an ability names as its cost is not Instant.",
    why: "A cost is paid by changing base values (§8.5, A2); a temporary effect gives everything back.",
    example: "Cost: GE_Slow   # which has a duration",
    fix: "Make the effect Instant.",
};

/// Cost effect that is not Instant.
pub(crate) fn cost_not_instant(effect: &Spanned<String>) -> Diagnostic {
    UG065
        .report(effect.span, format!("the cost effect `{}` is not Instant, so nothing is paid", effect.value))
        .help("use `DurationPolicy: Instant` for it")
}

/// UG066: stacking with sequence or merge.
pub(crate) const UG066: CodeDoc = CodeDoc {
    code: "UG066",
    title: "stacking with sequence or merge",
    severity: Severity::Error,
    what: "`Stacking` is combined with `RunInSequence` or `RunInMerge`.",
    why: "Both say what a second application does (E5).",
    example: "ExecutionPolicy: RunInMerge\nStacking: { Type: AggregateByTarget }",
    fix: "Use one or the other.",
};

/// Stacking together with an execution policy.
pub(crate) fn stacking_with_policy(span: Span) -> Diagnostic {
    UG066
        .report(span, "stacking cannot be combined with RunInSequence or RunInMerge")
        .help("remove `Stacking` or `ExecutionPolicy`")
}

/// UG067: stacking on an Instant effect.
pub(crate) const UG067: CodeDoc = CodeDoc {
    code: "UG067",
    title: "stacking on an Instant effect",
    severity: Severity::Error,
    what: "An Instant effect has stacking rules.",
    why: "It leaves nothing behind that could stack.",
    example: "DurationPolicy: Instant\nStacking: { Type: AggregateByTarget }",
    fix: "Give it a duration or make it Infinite, or remove the stacking.",
};

/// Stacking of an Instant effect.
pub(crate) fn stacking_on_instant(span: Span) -> Diagnostic {
    UG067
        .report(span, "an Instant effect cannot stack")
        .help("use `HasDuration` or `Infinite`, or remove `Stacking`")
}

/// UG068: magnitude without a required field.
pub(crate) const UG068: CodeDoc = CodeDoc {
    code: "UG068",
    title: "magnitude without a required field",
    severity: Severity::Error,
    what: "A magnitude lacks the field that its type reads: `Value` or `Curve` for ScalableFloat, `BackingAttribute` for AttributeBased, `CalculatorClass` for CustomCalculation, `DataTag` for SetByCaller, `Expression` for Expression.",
    why: "There would be no number.",
    example: "Magnitude: { Type: ScalableFloat }",
    fix: "Add the field.",
};

/// Magnitude without the field that its type reads.
pub(crate) fn magnitude_without_field(span: Span, kind: &str, field: &str) -> Diagnostic {
    UG068.report(span, format!("a magnitude of type {kind} needs {field}")).help(format!("add {field}"))
}

/// UG077: shape without its size.
pub(crate) const UG077: CodeDoc = CodeDoc {
    code: "UG077",
    title: "shape without its size",
    severity: Severity::Error,
    what: "An area, region or targeting lacks a measure that its shape needs: Radius for a sphere, Radius and HalfAngleDeg for a cone, HalfExtents for a box, P0, P1 and Radius for a capsule, Jumps and Radius for a chain.",
    why: "It would have no extent.",
    example: "Shape: Cone\nRadius: { Type: ScalableFloat, Value: 5 }",
    fix: "Add the measure.",
};

/// Shape without a measure that it needs.
pub(crate) fn shape_without_size(span: Span, shape: &str, field: &str) -> Diagnostic {
    UG077.report(span, format!("the shape {shape} needs `{field}`")).help(format!("add `{field}`"))
}
