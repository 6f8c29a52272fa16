//! Diagnostics as text: one line each, or with the source line and a caret under it.

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Report, Severity};
use crate::source::SourceMap;

/// Choice whether terminal escape codes are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Plain text.
    Never,
    /// Escape codes.
    Always,
}

/// Source lines longer than this are shown as a window around the caret.
const WINDOW: usize = 160;

/// Renders a diagnostic as one line: `file:line:column: severity[code]: message (help)`.
pub fn render_line(map: &SourceMap, diagnostic: &Diagnostic) -> String {
    let position = map.position(diagnostic.span);
    let path = map.file(diagnostic.span.file).map(|file| file.path().display().to_string());
    let Diagnostic { code, severity, message, help, .. } = diagnostic;
    let help = if help.is_empty() { String::new() } else { format!(" ({help})") };
    format!(
        "{}:{}:{}: {}[{code}]: {message}{help}",
        path.unwrap_or_default(),
        position.line,
        position.column,
        severity.name()
    )
}

/// Renders the message with its source line, a caret under the position, and the help.
pub fn render(map: &SourceMap, diagnostic: &Diagnostic, colour: Colour) -> String {
    let renderer = match colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    };
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
        Severity::Lint => Level::INFO.with_name("lint"),
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code);
    let path = map.file(diagnostic.span.file).map(|file| file.path().display().to_string());
    let path = path.unwrap_or_default();
    let position = map.position(diagnostic.span);
    let help = (!diagnostic.help.is_empty()).then(|| Level::HELP.message(&diagnostic.help));
    let line = Line::of(map, diagnostic);
    let group = if line.text.trim().is_empty() {
        let origin = Origin::path(&path).line(position.line as usize).char_column(position.column as usize);
        title.element(origin)
    } else {
        let snippet = Snippet::source(&line.text)
            .path(&path)
            .line_start(position.line as usize)
            .annotation(AnnotationKind::Primary.span(line.start..line.end));
        title.element(snippet)
    };
    renderer.render(&[group.elements(help)])
}

/// Renders all diagnostics of a report, separated by blank lines.
pub fn render_all(report: &Report, colour: Colour) -> String {
    let mut text = String::new();
    for diagnostic in &report.diagnostics {
        text.push_str(&render(&report.source_map, diagnostic, colour));
        text.push_str("\n\n");
    }
    text
}

/// Source line of a diagnostic, cut to a window if it is long. Only the first line of a span is shown, so
/// that the renderer never gets a whole file.
struct Line {
    text: String,
    start: usize,
    end: usize,
}

impl Line {
    /// First line of a diagnostic and the bytes to underline in it, at least one character. Of a long line
    /// only [`WINDOW`] bytes around the position are kept. An unknown file gives an empty line.
    fn of(map: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let Some(file) = map.file(diagnostic.span.file) else {
            return Self { text: String::new(), start: 0, end: 0 };
        };
        let range = file.line_range(file.position(diagnostic.span.start).line);
        let text = file.text().get(range.clone()).unwrap_or_default();
        let inside = |byte: u32| (byte as usize).clamp(range.start, range.end) - range.start;
        let (start, end) = (inside(diagnostic.span.start), inside(diagnostic.span.end));
        // A caret needs a character, also after the last one of the line.
        let end = end.max(text[start..].chars().next().map_or(start, |c| start + c.len_utf8()));
        if text.len() <= WINDOW {
            return Self { text: text.to_owned(), start, end };
        }
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let from = boundary(start.saturating_sub(WINDOW / 2));
        let to = boundary((from + WINDOW).min(text.len()));
        Self { text: text[from..to].to_owned(), start: start - from, end: end.clamp(start, to) - from }
    }
}
