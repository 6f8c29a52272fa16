//! What all commands print with.

use std::io::{IsTerminal, Write};

use clap::ValueEnum;
use serde_json::Value;
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
