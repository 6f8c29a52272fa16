//! Attributes, attribute sets, expressions and calculations that cannot be combined.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::Span;

/// UG055: incompatible attribute sets.
pub(crate) const UG055: CodeDoc = CodeDoc {
    code: "UG055",
    title: "incompatible attribute sets",
    severity: Severity::Error,
    what: "A controller has attribute sets that need another set, have an attribute in common, or read an attribute that none of them has.",
    why: "It could not be spawned (§6.4).",
    example: "AttributeSets: [ { Name: DerivedStatsSet } ]   # which needs CombatAttributeSet",
    fix: "Add the missing set, or remove one of the two.",
};

/// Attribute sets that a controller cannot have together.
pub(crate) fn incompatible_sets(span: Span, message: String) -> Diagnostic {
    UG055
        .report(span, message)
        .help("add the missing set to the controller's `AttributeSets`, or remove the one that clashes")
}

/// UG071: expression error.
pub(crate) const UG071: CodeDoc = CodeDoc {
    code: "UG071",
    title: "expression error",
    severity: Severity::Error,
    what: "An expression cannot be compiled. The caret marks the error.",
    why: "The number that it should give would not exist.",
    example: "Expression: \"Health * (1 + Defense / 100\"",
    fix: "Correct it as the message says; the book's chapter on packs lists the language of expressions.",
};

/// Expression that does not compile. `message` may end in "; " and the help.
pub(crate) fn expression_error(span: Span, message: String) -> Diagnostic {
    let (what, help) = match message.split_once("; ") {
        Some((what, help)) => (what.to_owned(), help.to_owned()),
        None => (message, "correct the expression here".to_owned()),
    };
    UG071.report(span, format!("in this expression: {what}")).help(help)
}

/// UG073: calculation used wrongly.
pub(crate) const UG073: CodeDoc = CodeDoc {
    code: "UG073",
    title: "calculation used wrongly",
    severity: Severity::Error,
    what: "A calculation has neither `Outputs` nor a `Result`; an execution uses one without `Outputs`, or a magnitude or requirement one without a `Result`; or a scoped modifier sets a variable that the calculation does not read.",
    why: "The number that it should give would not exist.",
    example: "Executions: [ { CalculatorClass: MMC_Damage } ]   # which has only a Result",
    fix: "Add `Outputs` for an execution, or a `Result` for a magnitude or a requirement; correct the name of the variable.",
};

/// Calculation without outputs and without a result.
pub(crate) fn empty_calculation(span: Span) -> Diagnostic {
    UG073
        .report(span, "the calculation has neither `Outputs` nor a `Result`, so it computes nothing")
        .help("add `Outputs` to use it in executions, or a `Result` to use it as a magnitude or requirement")
}

/// Calculation that lacks the part that its use needs.
pub(crate) fn calculation_misused(span: Span, message: &str) -> Diagnostic {
    UG073.report(span, message.to_owned()).help(
        "an execution needs a calculation with `Outputs`, a magnitude or a requirement one with a `Result`",
    )
}

/// Scoped modifier of a variable that the calculation does not have.
pub(crate) fn unknown_variable(span: Span, message: &str) -> Diagnostic {
    UG073.report(span, message.to_owned()).help("correct `Variable`, or read the variable in the calculation")
}

/// UG074: not available in a derived attribute.
pub(crate) const UG074: CodeDoc = CodeDoc {
    code: "UG074",
    title: "not available in a derived attribute",
    severity: Severity::Error,
    what: "The expression of a derived attribute reads an input that is not available there: random numbers, a level, tags, or another controller.",
    why: "A derived attribute is a function of attributes of its own controller (B2).",
    example: "DerivedFrom: { Expression: \"Source.Strength * 2\" }",
    fix: "Read attributes by their plain names only.",
};

/// Input that the expression of a derived attribute cannot read.
pub(crate) fn not_available_in_derived(span: Span, message: &str) -> Diagnostic {
    UG074.report(span, message.to_owned()).help("read attributes of the same controller by their plain names")
}

/// UG100: attribute sets with different replication modes.
pub(crate) const UG100: CodeDoc = CodeDoc {
    code: "UG100",
    title: "attribute sets with different replication modes",
    severity: Severity::Warning,
    what: "Two attribute sets have an attribute of the same name, with a different `ReplicationMode`.",
    why: "Each controller uses the mode of its own set: an attribute that one template hides is visible on another. That is \
          legal, and easily an unintended leak.",
    example: "Name: OpenStats\nAttributes: [ { Name: Luck, DefaultBaseValue: 1 } ]\n---\nName: HiddenStats\n\
              Attributes: [ { Name: Luck, DefaultBaseValue: 1, ReplicationMode: None } ]",
    fix: "Give both the same `ReplicationMode`, or give one of the attributes another name.",
};

/// Attribute whose `ReplicationMode` differs from the attribute of the same name in an earlier set.
pub(crate) fn replication_modes_differ(
    span: Span,
    attribute: &str,
    (set, mode): (&str, &str),
    (other_set, other_mode): (&str, &str),
) -> Diagnostic {
    UG100.report(
        span,
        format!(
            "`{attribute}` has the ReplicationMode {mode} in the set `{set}`, and {other_mode} in `{other_set}`"
        ),
    )
    .help(format!("write `ReplicationMode: {other_mode}` here too, or rename one of the attributes"))
}

/// UG102: attribute sets with different quantisation.
pub(crate) const UG102: CodeDoc = CodeDoc {
    code: "UG102",
    title: "attribute sets with different quantisation",
    severity: Severity::Warning,
    what: "Two attribute sets have an attribute of the same name, with a different `Quantize`.",
    why: "Each value is rounded by the set of its controller, but the wire format has one width for each name: such an \
          attribute is sent with full precision, so that `Bits` saves nothing.",
    example: "Name: HeroStats\nAttributes: [ { Name: Health, DefaultBaseValue: 100, Quantize: { Min: 0, Max: 255, Bits: 8 } } ]\n\
              ---\nName: BossStats\nAttributes: [ { Name: Health, DefaultBaseValue: 9000 } ]",
    fix: "Give both the same `Quantize`, or give one of the attributes another name.",
};

/// Attribute whose `Quantize` differs from the attribute of the same name in an earlier set.
pub(crate) fn quantisation_differs(span: Span, attribute: &str, set: &str, other_set: &str) -> Diagnostic {
    let message = format!(
        "`{attribute}` has another Quantize in the set `{set}` than in `{other_set}`: `Bits` has no effect"
    );
    UG102
        .report(span, message)
        .help("write the same `Quantize` in both sets, or rename one of the attributes")
}

/// UG131: base of a derived attribute.
pub(crate) const UG131: CodeDoc = CodeDoc {
    code: "UG131",
    title: "base of a derived attribute",
    severity: Severity::Error,
    what: "A base value is given for an attribute with `DerivedFrom`.",
    why: "Its base comes from the expression (§6.4, B7), so the value could never count.",
    example: "AttributeSets: [ { Name: Combat, Attributes: [ { Name: MaxHealth, BaseValue: 500 } ] } ]   # derived from Vigor",
    fix: "Remove the value, and set the attributes that the expression reads.",
};

/// Base value of a derived attribute.
pub(crate) fn base_of_derived(span: Span, attribute: &str) -> Diagnostic {
    UG131
        .report(span, format!("`{attribute}` is derived: its base comes from its expression"))
        .help("remove the base value, and set the attributes that the expression reads")
}
