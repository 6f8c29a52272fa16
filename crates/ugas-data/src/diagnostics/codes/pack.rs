//! Problems with the files of a pack as a whole: access, encoding, limits, settings, definitions of the host.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::{FileId, Span, Spanned};

/// UG001: file cannot be read.
pub(crate) const UG001: CodeDoc = CodeDoc {
    code: "UG001",
    title: "file cannot be read",
    severity: Severity::Error,
    what: "A file or folder that was named, or found in a pack's folder, cannot be opened or searched.",
    why: "Its definitions would silently be missing, and every reference to them would look wrong.",
    example: "ugas check packs/does-not-exist",
    fix: "Check the path, the permissions and where a link leads. Folders that contain themselves through links are searched once.",
};

/// File or folder that cannot be opened.
pub(crate) fn unreadable_file(file: FileId, error: &std::io::Error) -> Diagnostic {
    UG001
        .report(Span::start_of(file), format!("the file cannot be read: {error}"))
        .help("check the path, its permissions and where links lead")
}

/// Link that leads back to a folder that contains it.
pub(crate) fn folder_loop(file: FileId) -> Diagnostic {
    UG001
        .report(Span::start_of(file), "this link leads back to a folder that contains it")
        .severity(Severity::Warning)
        .help("remove the link; the folder's files are read once, without it")
}

/// Folder beyond the depth that is searched.
pub(crate) fn folder_too_deep(file: FileId) -> Diagnostic {
    UG001
        .report(Span::start_of(file), "folders are nested too deeply here, and this one is not searched")
        .help("move the pack's files further up")
}

/// UG002: file is not UTF-8.
pub(crate) const UG002: CodeDoc = CodeDoc {
    code: "UG002",
    title: "file is not UTF-8",
    severity: Severity::Error,
    what: "The file contains bytes that are not UTF-8 text.",
    why: "YAML and JSON packs are UTF-8; guessing another encoding would change names silently.",
    example: "Name: caf\\xe9",
    fix: "Save the file as UTF-8 in your editor.",
};

/// File that begins with the byte order mark of UTF-16.
pub(crate) fn utf16(span: Span) -> Diagnostic {
    UG002.report(span, "the file is UTF-16, not UTF-8").help("save the file as UTF-8")
}

/// Bytes that are not UTF-8; the span begins after the last valid character.
pub(crate) fn not_utf8(span: Span) -> Diagnostic {
    UG002.report(span, "the file is not UTF-8 text from here on").help("save the file as UTF-8")
}

/// UG003: file exceeds a limit.
pub(crate) const UG003: CodeDoc = CodeDoc {
    code: "UG003",
    title: "file exceeds a limit",
    severity: Severity::Error,
    what: "The file is larger, deeper or, with its aliases expanded, longer than the loader's limits allow.",
    why: "A small file can ask for gigabytes of memory. The limits keep loading bounded in time and memory; real packs stay far below them.",
    example: "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]   # and so on",
    fix: "Split the file, flatten it, or write aliases out. A host that trusts its files can raise `Limits`.",
};

/// File with more bytes than `Limits::file_bytes`.
pub(crate) fn file_too_large(file: FileId, limit: u64) -> Diagnostic {
    UG003
        .report(Span::start_of(file), format!("the file has more than {limit} bytes"))
        .help("split it, or raise `Limits::file_bytes`")
}

/// Values nested deeper than the limit, which protects the stack; the rest of the file is not read.
pub(crate) fn nested_too_deeply(span: Span, limit: u32) -> Diagnostic {
    UG003
        .report(span, format!("values are nested more than {limit} levels deep"))
        .help("flatten the file; the rest of it is not read")
}

/// Aliases that expand to more values than the limit.
pub(crate) fn too_many_alias_values(span: Span, limit: u32) -> Diagnostic {
    UG003
        .report(span, format!("the aliases of the file stand for more than {limit} values"))
        .help("write out the values, or split the file; the rest of it is not read")
}

/// File with more values than the limit.
pub(crate) fn too_many_values(span: Span, limit: u32) -> Diagnostic {
    UG003
        .report(span, format!("the file holds more than {limit} values"))
        .help("split the file; the rest of it is not read")
}

/// Pack whose files together have more bytes than `Limits::pack_bytes`; none of them is read.
pub(crate) fn pack_too_long(file: FileId, limit: u64) -> Diagnostic {
    UG003
        .report(Span::start_of(file), format!("the files have more than {limit} bytes together"))
        .help("check smaller folders, or raise `Limits::pack_bytes`; none of the files is read")
}

/// List or mapping in brackets with more values than the parser can hold in bounded memory.
pub(crate) fn flow_too_long(span: Span, limit: usize) -> Diagnostic {
    UG003
        .report(span, format!("a list or mapping in brackets has more than {limit} values"))
        .help("write one value a line, without brackets; the file is not read")
}

/// File with which the pack exceeds `Limits::pack_nodes`.
pub(crate) fn pack_too_large(file: FileId, limit: u32) -> Diagnostic {
    UG003
        .report(Span::start_of(file), format!("with this file the pack holds more than {limit} values"))
        .help(
            "check smaller folders, or raise `Limits::pack_nodes`; this file and those after it are not read",
        )
}

/// Folder with more entries than `Limits::files`.
pub(crate) fn too_many_files(file: FileId, limit: u32) -> Diagnostic {
    UG003
        .report(
            Span::start_of(file),
            format!("the folder has more than {limit} files and folders, links included"),
        )
        .help("check smaller folders, or raise `Limits::files`")
}

/// UG079: pack setting.
pub(crate) const UG079: CodeDoc = CodeDoc {
    code: "UG079",
    title: "pack setting",
    severity: Severity::Error,
    what: "A setting of `pack.yaml` names a diagnostic that does not exist or that is an error, or there is more than one `pack.yaml` (a warning).",
    why: "It would have no effect, or an arbitrary one.",
    example: "Silence: [UG999]",
    fix: "Correct the code, or remove the second `pack.yaml`. Errors cannot be silenced.",
};

/// `Silence` entry that is not a diagnostic code.
pub(crate) fn unknown_code(code: &Spanned<String>) -> Diagnostic {
    UG079
        .report(code.span, format!("there is no diagnostic `{}`", code.value))
        .help("codes look like `UG090`")
}

/// `Silence` entry that is the code of an error.
pub(crate) fn not_silenceable(code: &Spanned<String>) -> Diagnostic {
    UG079
        .report(code.span, format!("`{}` is an error and cannot be silenced", code.value))
        .help("fix the error; only warnings, notes and lints can be silenced")
}

/// Second pack document in one pack.
pub(crate) fn second_pack_file(span: Span) -> Diagnostic {
    UG079
        .report(span, "the pack has another pack.yaml")
        .severity(Severity::Warning)
        .help("keep one; settings of all are joined")
}

/// UG098: definition from code.
pub(crate) const UG098: CodeDoc = CodeDoc {
    code: "UG098",
    title: "definition from code",
    severity: Severity::Error,
    what: "A definition that the host adds in Rust, beside the files, is wrong.",
    why: "The catalog cannot be built with it.",
    example: "builder.native(\"MMC_Damage\", …)   // which reads an attribute that the pack lacks",
    fix: "Correct the definition, or add what it needs to the pack.",
};

/// Definition that the host adds in Rust and the core rejects.
pub(crate) fn host_definition(span: Span, message: String) -> Diagnostic {
    UG098
        .report(span, message)
        .help("correct the definition that the host adds, or add what it needs to the pack")
}

/// UG099: too many diagnostics.
pub(crate) const UG099: CodeDoc = CodeDoc {
    code: "UG099",
    title: "too many diagnostics",
    severity: Severity::Note,
    what: "There are more diagnostics than are kept.",
    why: "A hostile file could ask for gigabytes of messages.",
    example: "a file of a million mistakes",
    fix: "Fix the first ones and load again.",
};

/// Note that further diagnostics are dropped, added once when the limit is reached.
pub(crate) fn too_many_diagnostics(span: Span, kept: usize) -> Diagnostic {
    UG099
        .report(span, format!("only {kept} diagnostics are kept, errors before others"))
        .help("fix these and check again")
}
