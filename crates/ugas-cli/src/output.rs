//! What all commands print with.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use ugas_core::nearest::nearest;
use ugas_data::Scenario;
use ugas_data::diagnostics::Colour;

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

impl Format {
    /// For what prints again and again, which is not one document.
    pub(crate) fn ensure_text(self) -> anyhow::Result<()> {
        anyhow::ensure!(self == Self::Text, "--watch prints again and again, and --format json one document");
        Ok(())
    }
}

/// Prints to standard output.
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

/// Whether the reader of standard output has gone, as `head` does: nothing to complain about.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Colour on a terminal, unless `NO_COLOR` asks for none.
pub(crate) fn colour() -> Colour {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if unwanted || !std::io::stdout().is_terminal() { Colour::Never } else { Colour::Always }
}

/// A word that is good news.
pub(crate) fn good(text: &str) -> String {
    paint("32", text)
}

/// A word that is bad news.
pub(crate) fn bad(text: &str) -> String {
    paint("31;1", text)
}

fn paint(code: &str, text: &str) -> String {
    match colour() {
        Colour::Always => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Colour::Never => text.to_owned(),
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Writes a file.
pub(crate) fn write_file(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("`{}` cannot be written", file.display()))
}

/// A field of a CSV file, in quotes if it must be.
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A bar on standard error that tells how far long work is; only on a terminal.
pub(crate) fn progress(length: u64, what: &'static str) -> ProgressBar {
    // Without colours, so that `NO_COLOR` has nothing to ask for.
    let style = ProgressStyle::with_template("[{bar:40}] {pos} of {len} {msg}, {eta} left");
    let bar = ProgressBar::new(length).with_message(what);
    match style {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

/// `; did you mean …?`, or else what there is, if that is little.
pub(crate) fn hint<'a>(nearest: Option<&str>, known: impl Iterator<Item = &'a str>) -> String {
    if let Some(nearest) = nearest {
        return format!("; did you mean `{nearest}`?");
    }
    let known: Vec<&str> = known.collect();
    if known.is_empty() || known.len() > 12 {
        return String::new();
    }
    format!("; there is {}", known.join(", "))
}

/// Complains about a path that leads nowhere, with the name that was probably meant, and about one that cannot be
/// followed, with the reason.
pub(crate) fn ensure_exists(path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    if path.try_exists().with_context(|| format!("`{shown}` cannot be read"))? {
        return Ok(());
    }
    // The last part of the way that exists, and the name that does not exist in it.
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

/// Complains about a folder that cannot be listed, or one inside it: what is in there would be left out silently.
/// Anything else than a folder is somebody else's concern.
pub(crate) fn ensure_listable(path: &Path) -> anyhow::Result<()> {
    ensure_listable_below(path, 0)
}

/// Deeper than folders are searched for documents.
const DEEPEST: u32 = 64;

fn ensure_listable_below(path: &Path, depth: u32) -> anyhow::Result<()> {
    if depth > DEEPEST || !path.is_dir() {
        return Ok(());
    }
    let unreadable = || format!("the folder `{}` cannot be read", path.display());
    for entry in std::fs::read_dir(path).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        // Links could lead in circles, and hidden folders are not searched.
        let is_folder = entry.file_type().with_context(unreadable)?.is_dir();
        if is_folder && !entry.file_name().to_string_lossy().starts_with('.') {
            ensure_listable_below(&entry.path(), depth + 1)?;
        }
    }
    Ok(())
}

/// The position of the scenario with a name.
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

/// A number with as many digits as people read: six.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:.5e}");
    }
    if value == value.trunc() {
        return format!("{value}");
    }
    let decimals = [1.0, 10.0, 100.0, 1e3, 1e4].iter().filter(|limit| size < **limit).count() + 1;
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: f64, expected: &str) {
        assert_eq!(short(value), expected);
    }

    #[test]
    fn numbers_are_short() {
        check(0.0, "0");
        check(-12.0, "-12");
        check(1_000_000.0, "1000000");
        check(0.1 + 0.2, "0.3");
        check(2.0 / 3.0, "0.666667");
        check(200.0 / 3.0, "66.6667");
        check(123_456.789, "123456.8");
        check(1e300, "1.00000e300");
        check(0.000_012_345_678, "1.23457e-5");
    }
}
