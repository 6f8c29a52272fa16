//! UG003: file asks for too much.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::FileId;
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG003",
    title: "file asks for too much",
    severity: Severity::Error,
    what: "The file is larger, deeper or, with its aliases expanded, longer than the loader's limits allow.",
    why: "A small file can ask for gigabytes of memory. The limits keep loading bounded in time and memory; real packs stay far below them.",
    example: "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]   # and so on",
    mend: "Split the file, flatten it, or write aliases out. A host that trusts its files can raise `Limits`.",
};

/// More bytes than allowed.
pub(crate) fn file_too_large(file: FileId, limit: u64) -> Diagnostic {
    DOC.report(Span::start_of(file), format!("the file has more than {limit} bytes"))
        .help("split it, or raise `Limits::file_bytes`")
}

/// More nesting than allowed.
pub(crate) fn too_deep(span: Span, limit: u32) -> Diagnostic {
    DOC.report(span, format!("values are nested more than {limit} levels deep"))
        .help("flatten the file; the rest of it is not read")
}

/// More values from aliases than allowed.
pub(crate) fn aliases(span: Span, limit: u32) -> Diagnostic {
    DOC.report(span, format!("the aliases of the file stand for more than {limit} values"))
        .help("write out what they stand for, or split the file; the rest of it is not read")
}

/// More values than allowed.
pub(crate) fn too_many_values(span: Span, limit: u32) -> Diagnostic {
    DOC.report(span, format!("the file holds more than {limit} values"))
        .help("split the file; the rest of it is not read")
}

/// More values in all files than allowed.
pub(crate) fn pack_too_large(file: FileId, limit: u32) -> Diagnostic {
    DOC.report(Span::start_of(file), format!("with this file the pack holds more than {limit} values")).help(
        "check smaller folders, or raise `Limits::pack_nodes`; this file and those after it are not read",
    )
}

/// More files than allowed.
pub(crate) fn too_many_files(file: FileId, limit: u32) -> Diagnostic {
    DOC.report(
        Span::start_of(file),
        format!("the folder has more than {limit} files or folders, counted as links lead to them"),
    )
    .help("check smaller folders, or raise `Limits::files`")
}
