//! Advice about definitions that are valid and look unintended.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// UG090: attribute never used.
pub(crate) const UG090: CodeDoc = CodeDoc {
    code: "UG090",
    title: "attribute never used",
    severity: Severity::Lint,
    what: "Nothing in the pack reads or changes the attribute.",
    why: "It may be left over, or a reference to it may be misspelt. Code of the host may use it all the same.",
    example: "- Name: Luck\n  DefaultBaseValue: 0",
    fix: "Remove it, or silence this lint with `Silence: [UG090]` in `pack.yaml`.",
};

/// Attribute that nothing in the pack mentions.
pub(crate) fn unused_attribute(name: &Spanned<String>) -> Diagnostic {
    UG090
        .report(name.span, format!("nothing in the pack uses the attribute `{}`", name.value))
        .help("remove it if the host does not use it either")
}

/// UG091: ability that nothing blocks.
pub(crate) const UG091: CodeDoc = CodeDoc {
    code: "UG091",
    title: "ability that nothing blocks",
    severity: Severity::Lint,
    what: "The ability has neither `ActivationBlockedTags` nor `BlockedByTags`.",
    why: "It can be used while dead, stunned or silenced. That may be meant.",
    example: "Name: GA_Dash\nTags: { AbilityTags: [Ability.Dash] }",
    fix: "Add `ActivationBlockedTags`, such as `State.Dead`, or silence this lint.",
};

/// Ability without blocking tags.
pub(crate) fn ability_never_blocked(span: Span, name: &str) -> Diagnostic {
    UG091
        .report(span, format!("no tag blocks the ability `{name}`, so it works even while dead or stunned"))
        .help("add `ActivationBlockedTags` to its `Tags`")
}

/// UG092: effect that does nothing.
pub(crate) const UG092: CodeDoc = CodeDoc {
    code: "UG092",
    title: "effect that does nothing",
    severity: Severity::Lint,
    what: "The effect has no modifiers, executions, tags, abilities, cues or further effects.",
    why: "Applying it changes nothing.",
    example: "Name: GE_Empty\nDurationPolicy: Infinite",
    fix: "Fill it in or remove it.",
};

/// Effect without modifiers, executions, tags, abilities, cues or further effects.
pub(crate) fn effect_does_nothing(span: Span, name: &str) -> Diagnostic {
    UG092
        .report(span, format!("the effect `{name}` does nothing"))
        .help("give it modifiers, tags or cues, or remove it")
}

/// UG094: period longer than the duration.
pub(crate) const UG094: CodeDoc = CodeDoc {
    code: "UG094",
    title: "period longer than the duration",
    severity: Severity::Lint,
    what: "The period of an effect is longer than its duration, both being plain numbers.",
    why: "The first tick would come after the end (E3), so it never ticks, except at once with `ExecuteOnApplication`.",
    example: "Duration: { Type: ScalableFloat, Value: 5 }\nPeriod: { Period: 10 }",
    fix: "Shorten the period or lengthen the duration.",
};

/// Period that is longer than the duration.
pub(crate) fn period_longer_than_duration(span: Span, period: f64, duration: f64) -> Diagnostic {
    UG094
        .report(
            span,
            format!("the period of {period} s is longer than the duration of {duration} s: no tick comes"),
        )
        .help("shorten the period, or lengthen the duration")
}
