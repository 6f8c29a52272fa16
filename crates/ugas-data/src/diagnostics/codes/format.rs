//! Syntax of YAML and JSON, document types, and inheritance between documents.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::node::Node;
use crate::source::{FileId, Span, Spanned};

/// UG004: syntax error.
pub(crate) const UG004: CodeDoc = CodeDoc {
    code: "UG004",
    title: "syntax error",
    severity: Severity::Error,
    what: "The text is not YAML (or, in a `.json` file, not JSON).",
    why: "Nothing after the fault can be read with confidence. Documents before it are still checked.",
    example: "Modifiers: [ { Attribute: Health",
    fix: "Correct the text at the caret: usually a bracket or quote that is not closed, a colon without a space after it, a tab used for indentation, or a line indented differently from its neighbours.",
};

/// Syntax error with the text of the parser.
pub(crate) fn syntax_error(span: Span, message: &str) -> Diagnostic {
    UG004.report(span, format!("syntax error: {message}"))
        .help("look here and just above for an open bracket or quote, a colon without a space after it, a tab, or a line that is indented differently")
}

/// Saved file whose announced last line is missing.
pub(crate) fn cut_file(span: Span) -> Diagnostic {
    UG004
        .report(span, "the file was cut: its last line, `...`, is missing")
        .help("load an older copy; the rest of this one was never written, or is lost")
}

/// Tab where YAML requires spaces.
pub(crate) fn tab_indentation(span: Span) -> Diagnostic {
    UG004
        .report(span, "syntax error: a tab cannot indent YAML")
        .help("indent with spaces; most editors can convert tabs")
}

/// List or mapping as a key.
pub(crate) fn key_not_text(span: Span) -> Diagnostic {
    UG004.report(span, "a list or mapping cannot be a key").help("use a name as the key")
}

/// UG005: duplicate key.
pub(crate) const UG005: CodeDoc = CodeDoc {
    code: "UG005",
    title: "duplicate key",
    severity: Severity::Error,
    what: "A mapping has the same key twice.",
    why: "Only one of the two values can count, and the parser cannot know which one.",
    example: "Name: GE_Hit\nName: GE_Hurt",
    fix: "Remove one, or rename it; between two documents of a file there must be a line `---`.",
};

/// Second use of a key in one mapping.
pub(crate) fn duplicate_key(key: &Spanned<String>) -> Diagnostic {
    let help = match key.value.as_str() {
        "$schema" => "put a line `---` before it if another document begins here, or remove one of them",
        _ => "remove one of them",
    };
    UG005.report(key.span, format!("the key `{}` is used twice in this mapping", key.value)).help(help)
}

/// UG007: document without `$schema`.
pub(crate) const UG007: CodeDoc = CodeDoc {
    code: "UG007",
    title: "document without `$schema`",
    severity: Severity::Warning,
    what: "The document has no `$schema`; its type was inferred from its keys.",
    why: "A misspelt key could make it a document of another type. Appendix B asks for a `$schema`.",
    example: "Name: GE_Hit\nDurationPolicy: Instant",
    fix: "Add the line that the help gives.",
};

/// Document without `$schema` whose kind was inferred from its keys.
pub(crate) fn missing_schema(span: Span, kind: &str) -> Diagnostic {
    let article = if kind.starts_with(['a', 'i']) { "an" } else { "a" };
    UG007.report(span, format!("the document has no `$schema`; its keys suggest {article} {kind}")).help(
        format!(
            "add `$schema: https://raw.githubusercontent.com/jbltx/ugas/v1.0.0-draft.1/schemas/{kind}.json`"
        ),
    )
}

/// UG008: document of unknown kind.
pub(crate) const UG008: CodeDoc = CodeDoc {
    code: "UG008",
    title: "document of unknown kind",
    severity: Severity::Error,
    what: "The document has no `$schema`, and its keys do not identify its type.",
    why: "It would be ignored silently, and its definitions would be missing.",
    example: "Nmae: GE_Hit\nValue: 3",
    fix: "Add a `$schema` that ends in `/schemas/` and the name of a document type.",
};

/// Document whose kind neither `$schema` nor its keys identify.
pub(crate) fn unknown_document(span: Span, kinds: &str) -> Diagnostic {
    UG008
        .report(span, "the document has no `$schema`, and its keys do not identify its type")
        .help(format!("add a `$schema` that ends in `/schemas/TYPE.json`; the types are {kinds}"))
}

/// File without a controller document where a character is read.
pub(crate) fn no_character(span: Span) -> Diagnostic {
    UG008.report(span, "the file has no character: none of its documents is a gameplay controller").help(
        "give a file that `ugas save` wrote, or one with `$schema: .../schemas/gameplay_controller.json`",
    )
}

/// UG009: unknown `$schema`.
pub(crate) const UG009: CodeDoc = CodeDoc {
    code: "UG009",
    title: "unknown `$schema`",
    severity: Severity::Error,
    what: "The `$schema` does not end in `/schemas/` and a document type that exists.",
    why: "Host and version do not matter, the type does: it decides which fields the document may have.",
    example: "$schema: https://example.org/schemas/gameplay_efect.json",
    fix: "Correct the type; the help lists them.",
};

/// `$schema` whose type does not exist.
pub(crate) fn unknown_schema(schema: &Spanned<String>, nearest: Option<&str>, kinds: &str) -> Diagnostic {
    let help = match nearest {
        Some(name) => format!("did you mean `{name}`? The types are {kinds}"),
        None => format!("end it in `/schemas/TYPE.json`; the types are {kinds}"),
    };
    UG009
        .report(schema.span, format!("`{}` is not the `$schema` of a known document type", schema.value))
        .help(help)
}

/// `$schema` that is not a text.
pub(crate) fn schema_not_text(span: Span) -> Diagnostic {
    UG009.report(span, "`$schema` must be a text").help("write the address of the document type's schema")
}

/// UG140: unknown parent.
pub(crate) const UG140: CodeDoc = CodeDoc {
    code: "UG140",
    title: "unknown parent",
    severity: Severity::Error,
    what: "`Extends` names a document that does not exist.",
    why: "Nothing can be inherited from it.",
    example: "Name: GE_Burn\nExtends: GE_Dot   # there is no effect of this name",
    fix: "Correct the name, or add the document.",
};

/// `Extends` with a name that no document has.
pub(crate) fn unknown_parent(name: &Spanned<String>, kind: &str, nearest: Option<&str>) -> Diagnostic {
    let found = UG140.report(name.span, format!("there is no {kind} `{}` to extend", name.value));
    found.suggest(nearest, format!("correct the name, or add a {kind} of this name"))
}

/// UG142: parent of another kind.
pub(crate) const UG142: CodeDoc = CodeDoc {
    code: "UG142",
    title: "parent of another kind",
    severity: Severity::Error,
    what: "`Extends` names a document of another kind.",
    why: "A document inherits the fields of its own kind only.",
    example: "Name: GA_Burn          # an ability\nExtends: GE_Burn       # an effect",
    fix: "Name a document of the same kind.",
};

/// `Extends` with the name of a document of another kind.
pub(crate) fn parent_of_other_kind(name: &Spanned<String>, kind: &str, other: &str) -> Diagnostic {
    UG142
        .report(name.span, format!("`{}` is a {other}, and a {kind} can extend only a {kind}", name.value))
        .help(format!("name a {kind}"))
}

/// UG143: nothing can be appended.
pub(crate) const UG143: CodeDoc = CodeDoc {
    code: "UG143",
    title: "nothing can be appended",
    severity: Severity::Error,
    what: "`Append` names a field that is not a list, or gives something that is not a list of items.",
    why: "Only lists have an end that items can be added to.",
    example: "Extends: GE_Base\nAppend: { Priority: [1] }",
    fix: "Append a list to a list; write other fields directly, which replaces the inherited value.",
};

/// `Append` to a field that is not a list.
pub(crate) fn append_to_non_list(key: &Spanned<String>, found: &str) -> Diagnostic {
    UG143
        .report(key.span, format!("nothing can be appended to `{}`: it is {found}, not a list", key.value))
        .help(format!("write `{}` beside `Extends`, which replaces the inherited value", key.value))
}

/// `Append` with a value that is not a list.
pub(crate) fn append_without_list(key: &Spanned<String>) -> Diagnostic {
    UG143
        .report(key.span, format!("the value appended to `{}` is not a list", key.value))
        .help(format!("write a list of items: `{}: [ … ]`", key.value))
}

/// UG144: wrong merge key.
pub(crate) const UG144: CodeDoc = CodeDoc {
    code: "UG144",
    title: "wrong merge key",
    severity: Severity::Error,
    what: "The value of a merge key (`<<`) is not a mapping and not a list of mappings.",
    why: "Only mappings have keys that can be taken over.",
    example: "Modifiers:\n  - <<: 5",
    fix: "Give it a mapping, usually an alias such as `*base`, or a list of them.",
};

/// Merge key whose value is not a mapping or a list of mappings.
pub(crate) fn merge_key_not_mapping(value: &Node) -> Diagnostic {
    let found = value.describe();
    UG144
        .report(value.span, format!("a merge key takes a mapping or a list of mappings, and this is {found}"))
        .help("write an alias of a mapping, such as `<<: *base`, or a list of aliases")
}

/// UG166: file without a document.
pub(crate) const UG166: CodeDoc = CodeDoc {
    code: "UG166",
    title: "file without a document",
    severity: Severity::Warning,
    what: "The file is empty, or has nothing but comments.",
    why: "Nothing is read from it. A file that was meant to have definitions may have been saved empty.",
    example: "# TODO: effects of fire",
    fix: "Write a document, or remove the file.",
};

/// File that has no document.
pub(crate) fn no_document(file: FileId) -> Diagnostic {
    UG166
        .report(Span::start_of(file), "the file contains no document")
        .help("write a document, or remove the file")
}
