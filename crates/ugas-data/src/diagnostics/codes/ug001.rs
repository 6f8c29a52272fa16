//! UG001: file cannot be read.

use super::super::{CodeDoc, Diagnostic, Severity};
use crate::source::FileId;
use crate::source::Span;

/// The page of this code.
pub(crate) const DOC: CodeDoc = CodeDoc {
    code: "UG001",
    title: "file cannot be read",
    severity: Severity::Error,
    what: "A file or folder that was named, or found in a pack's folder, cannot be opened or searched.",
    why: "Whatever it defines would silently be missing, and everything that refers to it would look wrong.",
    example: "ugas check packs/does-not-exist",
    mend: "Check the path, the permissions and where a link leads. Folders that contain themselves through links are searched once.",
};

/// The file cannot be opened.
pub(crate) fn unreadable(file: FileId, error: &std::io::Error) -> Diagnostic {
    DOC.report(Span::start_of(file), format!("the file cannot be read: {error}"))
        .help("check the path, its permissions and where links lead")
}

/// A folder is inside itself through a link.
pub(crate) fn folder_loop(file: FileId) -> Diagnostic {
    DOC.report(Span::start_of(file), "this link leads back to a folder that it is in")
        .severity(Severity::Warning)
        .help("remove the link; the folder's files are read once, without it")
}

/// Folders are nested beyond reason.
pub(crate) fn folder_too_deep(file: FileId) -> Diagnostic {
    DOC.report(Span::start_of(file), "folders are nested too deeply here, and this one is not searched")
        .help("move the pack's files further up")
}
