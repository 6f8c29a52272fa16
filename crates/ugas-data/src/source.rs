//! Files and the positions in them.

mod search;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use search::{Found, find_files};

use crate::diagnostics::{Sink, codes};

/// Id of a file in a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct FileId(u32);

/// Range of bytes in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` to `end` of a file. Files have fewer than 4 GiB.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { file, start: narrow(start), end: narrow(end) }
    }

    /// Whether another span lies inside this one.
    pub fn contains(&self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Empty span at the beginning of a file, for problems of the file as a whole.
    pub fn start_of(file: FileId) -> Self {
        Self { file, start: 0, end: 0 }
    }
}

/// Value with its position in a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Position of the value.
    pub span: Span,
}

/// Position for people: line and column, both counted from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

/// Limits of the loader. With them, a hostile file is rejected in bounded time and memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximal bytes of one file; never more than 4 GiB.
    pub file_bytes: u64,
    /// Maximal files of one pack.
    pub files: u32,
    /// Maximal bytes of all files of one load. They are added up before the first is read.
    pub pack_bytes: u64,
    /// Maximal nesting of lists and mappings.
    pub depth: u32,
    /// Maximal values of one file; a long text counts as several. A twentieth of them may come from aliases.
    pub nodes: u32,
    /// Maximal values of all files of one load; every 32 bytes of a file count as one more.
    pub pack_nodes: u32,
    /// Maximal diagnostics of one load; further ones are dropped, errors last.
    pub diagnostics: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            files: 100_000,
            pack_bytes: 32 << 20,
            depth: 96,
            nodes: 2_000_000,
            pack_nodes: 4_000_000,
            diagnostics: 10_000,
        }
    }
}

/// Source file: its path, its text and the starts of its lines.
#[derive(Clone, PartialEq, Debug)]
pub struct SourceFile {
    path: Arc<Path>,
    text: Arc<str>,
    line_starts: Arc<[u32]>,
}

impl SourceFile {
    /// Path that the file was read from, or the name that was given for its text.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Text of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and column of a byte. A byte beyond the end, or inside a character, gives column 1.
    pub fn position(&self, byte: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= byte).saturating_sub(1);
        let start = self.line_starts.get(line).copied().unwrap_or_default() as usize;
        let before = self.text.get(start..byte as usize).unwrap_or_default();
        let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position { line: narrow(line + 1), column: narrow(before.chars().count() + 1) }
    }

    /// The bytes of a line, counted from 1, without its line break. Empty at the end of the file if there is
    /// no such line.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let at = line.saturating_sub(1) as usize;
        let start = self.line_starts.get(at).map_or(self.text.len(), |&start| start as usize);
        let end = self.line_starts.get(at + 1).map_or(self.text.len(), |&start| start as usize);
        let line = self.text.get(start..end).unwrap_or_default().trim_end_matches(['\n', '\r']);
        start..start + line.len()
    }
}

/// All files of a load.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SourceMap {
    /// Id of the first file: 0, except in a map of one file that keeps its id.
    first: u32,
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text under a path, and returns its id. The same path may be added again: it is another file.
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        let text: Arc<str> = text.into();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let line_starts =
            std::iter::once(0).chain(breaks).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect();
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX).saturating_add(self.first));
        let path: PathBuf = path.into();
        self.files.push(SourceFile { path: path.into(), text, line_starts });
        id
    }

    /// File with this id; `None` if the id is from another map.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0.checked_sub(self.first)? as usize)
    }

    /// All files with their ids, in the order of addition.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (self.first..).map(FileId).zip(&self.files)
    }

    /// Map with one file of this map, which keeps its id. Files that are added later get the ids after it.
    pub(crate) fn only(&self, id: FileId) -> Self {
        Self { first: id.0, files: self.file(id).cloned().into_iter().collect() }
    }

    /// Text of a span; empty if the span is not in this map.
    pub fn text(&self, span: Span) -> &str {
        let text = self.file(span.file).map(SourceFile::text).unwrap_or_default();
        text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Position of the start of a span. Line 1, column 1 if the file is not in this map.
    pub fn position(&self, span: Span) -> Position {
        let file = self.file(span.file);
        file.map_or(Position { line: 1, column: 1 }, |file| file.position(span.start))
    }

    /// Reads a file. Problems are reported, and the result is then `None`. The file is added to the map even
    /// then, so that the diagnostic can name it.
    pub(crate) fn read(&mut self, path: &Path, limits: &Limits, sink: &mut Sink) -> Option<FileId> {
        let bytes = match read_bounded(path, limits.file_bytes.min(u64::from(u32::MAX - 1))) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                let file = self.add(path, "");
                sink.push(codes::pack::file_too_large(file, limits.file_bytes));
                return None;
            }
            Err(error) => {
                let file = self.add(path, "");
                sink.push(codes::pack::unreadable_file(file, &error));
                return None;
            }
        };
        match String::from_utf8(bytes) {
            Ok(text) => Some(self.add(path, without_byte_order_mark(text))),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                // The valid text before the error is kept, so that the position can be shown.
                let text = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
                let file = self.add(path, text);
                let is_utf16 = matches!(error.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
                let span = Span::new(file, valid, valid);
                sink.push(if is_utf16 { codes::pack::utf16(span) } else { codes::pack::not_utf8(span) });
                None
            }
        }
    }
}

/// Removes the byte order mark that some editors write.
fn without_byte_order_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// Reads at most `limit` bytes; `None` if there are more. The size in the metadata is not trusted. Anything
/// but a regular file is an error.
pub(crate) fn read_bounded(path: &Path, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    // Checked before the file is opened, because opening a pipe waits for a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut map = SourceMap::new();
        let file = map.add("a.yaml", "é: 1\r\nb: 2\n");
        let at = |start| map.position(Span::new(file, start, start));
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(4), Position { line: 1, column: 4 }); // é has two bytes
        assert_eq!(at(7), Position { line: 2, column: 1 });
        assert_eq!(at(12), Position { line: 3, column: 1 });
        assert_eq!(map.files[0].line_range(1), 0..5);
    }
}
