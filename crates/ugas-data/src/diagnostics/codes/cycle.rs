//! Definitions that depend on themselves. Each `cycle` lists the names, the first one repeated at the end.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// UG050: circular attribute sets.
pub(crate) const UG050: CodeDoc = CodeDoc {
    code: "UG050",
    title: "circular attribute sets",
    severity: Severity::Error,
    what: "Attribute sets depend on each other in a cycle.",
    why: "None of them could be registered first (§6.4).",
    example: "Name: A\nDependencies: [B]   # and B needs A",
    fix: "Remove one of the dependencies.",
};

/// Attribute sets that depend on each other.
pub(crate) fn attribute_sets(span: Span, cycle: &[String]) -> Diagnostic {
    UG050
        .report(span, format!("attribute sets depend on each other in a cycle: {}", cycle.join(" -> ")))
        .help("remove one of the dependencies")
}

/// UG051: circular attributes.
pub(crate) const UG051: CodeDoc = CodeDoc {
    code: "UG051",
    title: "circular attributes",
    severity: Severity::Error,
    what: "An attribute's bound or expression, or an effect's live magnitude, depends on itself.",
    why: "Its value would not be defined (§5.4, §6.4, B2).",
    example: "Clamping: { Max: MaxHealth }   # and MaxHealth is bounded by Health",
    fix: "Break the cycle: freeze a magnitude with `Capture: OnApplication`, read the base, or drop a bound.",
};

/// Attribute or live magnitude that depends on itself.
pub(crate) fn attributes(span: Span, cycle: &[String]) -> Diagnostic {
    UG051.report(span, format!("this depends on itself: {}", cycle.join(" -> "))).help(
        "break the cycle: freeze a magnitude with `Capture: OnApplication`, read the base, or drop a bound",
    )
}

/// UG052: circular ability grants.
pub(crate) const UG052: CodeDoc = CodeDoc {
    code: "UG052",
    title: "circular ability grants",
    severity: Severity::Warning,
    what: "An effect grants an ability that applies the effect again.",
    why: "Each round grants once more; if the ability starts by itself it only stops at the cascade limit (E12).",
    example: "GE_Rage grants GA_Rage, whose task applies GE_Rage",
    fix: "Let one of them stop granting or applying the other.",
};

/// Effect that grants an ability that applies the effect.
pub(crate) fn ability_grants(span: Span, cycle: &[String]) -> Diagnostic {
    UG052
        .report(span, format!("effects and abilities grant each other in a cycle: {}", cycle.join(" -> ")))
        .help("let one of them stop granting or applying the other")
}

/// UG053: circular effects.
pub(crate) const UG053: CodeDoc = CodeDoc {
    code: "UG053",
    title: "circular effects",
    severity: Severity::Warning,
    what: "Effects apply each other immediately in a cycle, through AdditionalEffects or OverflowEffects.",
    why: "The chain only stops at the cascade limit (E12).",
    example: "AdditionalEffects: [ { Effect: GE_Self } ]",
    fix: "Remove one link, or give it tag conditions that end the chain.",
};

/// Effects that apply each other immediately.
pub(crate) fn effects(span: Span, cycle: &[String]) -> Diagnostic {
    UG053
        .report(span, format!("effects apply each other in a cycle: {}", cycle.join(" -> ")))
        .help("remove one link, or give it tag conditions that end the chain")
}

/// UG054: circular scenes.
pub(crate) const UG054: CodeDoc = CodeDoc {
    code: "UG054",
    title: "circular scenes",
    severity: Severity::Error,
    what: "Scenes extend each other in a cycle.",
    why: "None of them could be loaded first.",
    example: "Name: Arena\nExtends: [Arena]",
    fix: "Remove one of the `Extends`.",
};

/// Scenes that extend each other.
pub(crate) fn scenes(span: Span, cycle: &[String]) -> Diagnostic {
    UG054
        .report(span, format!("scenes extend each other in a cycle: {}", cycle.join(" -> ")))
        .help("remove one of the `Extends`")
}

/// UG141: circular inheritance.
pub(crate) const UG141: CodeDoc = CodeDoc {
    code: "UG141",
    title: "circular inheritance",
    severity: Severity::Error,
    what: "Documents extend each other in a cycle.",
    why: "None of them could be completed first.",
    example: "Name: GE_Burn\nExtends: GE_Burn",
    fix: "Remove one of the `Extends`.",
};

/// Documents that extend each other.
pub(crate) fn inheritance(span: Span, cycle: &[&str]) -> Diagnostic {
    UG141
        .report(span, format!("documents extend each other in a cycle: {}", cycle.join(" -> ")))
        .help("remove one of the `Extends`")
}
