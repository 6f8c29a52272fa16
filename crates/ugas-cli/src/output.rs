//! Output of all commands: formats, colours, progress, and messages about paths and names.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use ugas_core::nearest::nearest;
use ugas_data::Scenario;
use ugas_data::diagnostics::Colour;

use crate::terminal;

/// Output format of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

impl Format {
    /// Rejects JSON for commands that print repeatedly.
    pub(crate) fn ensure_text(self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self == Self::Text,
            "--watch prints repeatedly and cannot be combined with --format json, which is one document"
        );
        Ok(())
    }
}

/// Prints to standard output and flushes it. An error if the reader is gone.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Prints one JSON document.
pub(crate) fn print_json(value: &Value) -> anyhow::Result<()> {
    print(&format!("{value:#}\n"))
}

/// Whether the reader of standard output has closed it, like `head`, which is no error.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Text in green, for success.
pub(crate) fn good(text: &str) -> String {
    paint("32", text)
}

/// Text in red, for failure.
pub(crate) fn bad(text: &str) -> String {
    paint("31;1", text)
}

/// Text in a terminal colour; plain if colours are off.
fn paint(code: &str, text: &str) -> String {
    match terminal::colour() {
        Colour::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Colour::Never => text.to_owned(),
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Writes a file in whole or not at all: to a new file beside it, which is synced and then takes its name. A
/// link keeps its place, and what is not a regular file, such as a pipe, is written directly.
pub(crate) fn write_file(file: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let place = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let is_special = place.metadata().is_ok_and(|found| !found.is_file());
    let written =
        if is_special { std::fs::write(&place, content) } else { replace(&place, content.as_ref()) };
    written.with_context(|| format!("`{}` cannot be written", file.display()))
}

/// Replaces a regular file, or creates it.
fn replace(file: &Path, content: &[u8]) -> std::io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let new = file.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let write = || {
        let mut written = std::fs::OpenOptions::new().write(true).create_new(true).open(&new)?;
        if let Ok(old) = file.metadata() {
            written.set_permissions(old.permissions())?;
        }
        written.write_all(content)?;
        written.sync_all()?;
        std::fs::rename(&new, file)?;
        sync_folder(file)
    };
    let result = write();
    if result.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    result
}

/// Makes the name of a new file safe, where folders can be synced.
fn sync_folder(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { std::fs::File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Writes a file that the user asked for, and says so on standard error.
pub(crate) fn write_output(file: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let bytes = content.as_ref().len();
    write_file(file, content)?;
    eprintln!("wrote {} ({})", file.display(), count(bytes, "byte"));
    Ok(())
}

/// A field of a CSV file, quoted if necessary.
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A progress bar on standard error; hidden if that is no terminal.
pub(crate) fn progress(length: u64, what: &'static str) -> ProgressBar {
    // Without colours, so that `NO_COLOR` need not be checked.
    let style = ProgressStyle::with_template("[{bar:40}] {pos} of {len} {msg}, {eta} left");
    let bar = ProgressBar::new(length).with_message(what);
    match style {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// `; did you mean …?`, or the list of known names if it is short.
pub(crate) fn hint<'a>(nearest: Option<&str>, known: impl Iterator<Item = &'a str>) -> String {
    if let Some(nearest) = nearest {
        return format!("; did you mean `{nearest}`?");
    }
    let known: Vec<&str> = known.collect();
    if known.is_empty() || known.len() > 12 {
        return String::new();
    }
    format!("; known names: {}", known.join(", "))
}

/// Returns an error if a path does not exist, with a suggestion, or if it cannot be accessed.
pub(crate) fn ensure_exists(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    if path.try_exists().with_context(|| format!("`{shown}` cannot be read"))? {
        return Ok(());
    }
    // Find the deepest existing folder, and the missing name in it.
    let mut missing = path;
    let here = Path::new(".");
    while let Some(parent) = missing.parent() {
        let folder = if parent.as_os_str().is_empty() { here } else { parent };
        if folder.exists() {
            let Some(name) = missing.file_name() else { break };
            let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let names: Vec<String> =
                names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            let near = nearest(&name.to_string_lossy(), names.iter().map(String::as_str));
            let near = near.map(|near| missing.with_file_name(near));
            let hint = near.map(|near| format!("; did you mean `{}`?", near.display())).unwrap_or_default();
            anyhow::bail!("`{shown}` does not exist{hint}");
        }
        missing = parent;
    }
    anyhow::bail!("`{shown}` does not exist")
}

/// Returns an error if a folder, or one inside it, cannot be listed: its files would be skipped silently.
/// Accepts anything that is not a folder.
pub(crate) fn ensure_listable(path: &Path) -> anyhow::Result<()> {
    ensure_listable_below(path, 0)
}

/// Maximum depth, deeper than folders are searched for documents.
const MAX_DEPTH: u32 = 64;

/// Fails if a folder below the path cannot be listed, because its scenarios would be left out silently.
fn ensure_listable_below(path: &Path, depth: u32) -> anyhow::Result<()> {
    if depth > MAX_DEPTH || !path.is_dir() {
        return Ok(());
    }
    let unreadable = || format!("the folder `{}` cannot be read", path.display());
    for entry in std::fs::read_dir(path).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        // Links could form cycles, and hidden folders are not searched.
        let is_folder = entry.file_type().with_context(unreadable)?.is_dir();
        if is_folder && !entry.file_name().to_string_lossy().starts_with('.') {
            ensure_listable_below(&entry.path(), depth + 1)?;
        }
    }
    Ok(())
}

/// The index of the scenario with a name.
pub(crate) fn scenario_by_name(scenarios: &[Scenario], path: &Path, name: &str) -> anyhow::Result<usize> {
    scenarios.iter().position(|scenario| scenario.name() == name).with_context(|| {
        let names = || scenarios.iter().map(Scenario::name);
        let hint = match nearest(name, names()) {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => format!("; it has: {}", names().collect::<Vec<_>>().join("; ")),
        };
        format!("`{}` has no scenario `{name}`{hint}", path.display())
    })
}
