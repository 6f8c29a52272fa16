//! Names of definitions and tags: duplicate, empty, or against the naming rules.

use ugas_core::tag::TagNameError;

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{Span, Spanned};

/// UG020: duplicate name.
pub(crate) const UG020: CodeDoc = CodeDoc {
    code: "UG020",
    title: "duplicate name",
    severity: Severity::Error,
    what: "Two definitions of the same kind have the same name.",
    why: "A reference to the name could mean either.",
    example: "Name: GE_Hit   # in two files",
    fix: "Rename one of them, or remove it.",
};

/// Second definition of a name; `first` is the position of the other one.
pub(crate) fn duplicate_name(name: &Spanned<String>, kind: &str, first: &str) -> Diagnostic {
    UG020
        .report(name.span, format!("there is another {kind} called `{}`", name.value))
        .help(format!("rename one of them; the other is at {first}"))
}

/// UG034: empty name.
pub(crate) const UG034: CodeDoc = CodeDoc {
    code: "UG034",
    title: "empty name",
    severity: Severity::Error,
    what: "A definition, a step or a task has an empty name, such as `As: \"\"`.",
    why: "Nothing could refer to it.",
    example: "Name: \"\"",
    fix: "Give it a name.",
};

/// Empty name of a definition, or one that a step or a task assigns.
pub(crate) fn empty_name(span: Span) -> Diagnostic {
    UG034.report(span, "the name is empty").help("give it a name")
}

/// UG040: tag name.
pub(crate) const UG040: CodeDoc = CodeDoc {
    code: "UG040",
    title: "tag name",
    severity: Severity::Error,
    what: "The tag breaks the naming rules: segments in PascalCase, letters and digits, separated by dots (§7.1).",
    why: "Tags are compared by name and hierarchy; a stray character makes a different tag.",
    example: "GrantedTags: [state.stunned]",
    fix: "Correct it as the message says.",
};

/// Text that is not a tag name; the span begins at the first invalid byte.
pub(crate) fn invalid_tag(span: Span, error: &TagNameError) -> Diagnostic {
    let message = error.problem.to_string();
    let (what, help) =
        message.split_once("; ").unwrap_or((&message, "use PascalCase segments with dots between them"));
    UG040.report(span, format!("`{}` is not a tag: {what}", error.name)).help(help.to_owned())
}

/// UG041: tag too deep.
pub(crate) const UG041: CodeDoc = CodeDoc {
    code: "UG041",
    title: "tag too deep",
    severity: Severity::Warning,
    what: "The tag has more than five levels (§7.1).",
    why: "Deep hierarchies are hard to query and to remember.",
    example: "State.Debuff.Element.Fire.Burning.Strong",
    fix: "Merge levels.",
};

/// Tag with more than five levels.
pub(crate) fn tag_too_deep(tag: &Spanned<String>, levels: usize) -> Diagnostic {
    UG041
        .report(
            tag.span,
            format!("the tag `{}` has {levels} levels; more than 5 are hard to work with", tag.value),
        )
        .help("merge levels")
}

/// UG042: reserved tag prefix.
pub(crate) const UG042: CodeDoc = CodeDoc {
    code: "UG042",
    title: "reserved tag prefix",
    severity: Severity::Warning,
    what: "A tag under a reserved prefix (`GameplayCue`, `Cooldown`, `State`, `Ability`, `DamageType`) is used for something else, or a cue is not under `GameplayCue` (§7.1).",
    why: "Cue managers listen to `GameplayCue.*` only, and other tools rely on the prefixes in the same way.",
    example: "GameplayCues: [Impact.Fire]",
    fix: "Use a tag under the prefix that fits.",
};

/// Tag under the wrong reserved prefix; `rule` completes the message.
pub(crate) fn reserved_prefix(tag: &Spanned<String>, rule: &str, help: &str) -> Diagnostic {
    UG042.report(tag.span, format!("`{}` {rule}", tag.value)).help(help.to_owned())
}

/// UG043: tags without a registry.
pub(crate) const UG043: CodeDoc = CodeDoc {
    code: "UG043",
    title: "tags without a registry",
    severity: Severity::Lint,
    what: "The pack uses tags, and no document lists them.",
    why: "Without a registry the tags are collected from use (T1), and a misspelt one is not noticed.",
    example: "GrantedTags: [State.Stunned]   # and no gameplay_tag document",
    fix: "Add a document of type gameplay_tag that lists the tags.",
};

/// First tag of a pack that has no tag registry.
pub(crate) fn no_tag_registry(span: Span, count: usize) -> Diagnostic {
    UG043
        .report(
            span,
            format!("the pack uses {count} tags and has no tag registry, so misspelt ones go unnoticed"),
        )
        .help("add a gameplay_tag document that lists them under `Tags`")
}
