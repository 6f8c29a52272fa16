//! `ugas replay`.

mod place;
mod report;
mod screen;
mod session;
mod terminal;
mod words;

use std::io::{IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::{Value, json};
use ugas_replay::{Player, ReadError, Recording, Tail};

use self::session::Session;
use crate::Status;
use crate::input;
use crate::output::{self, Format};

/// Largest recording: days of a busy game, and its index still fits into memory.
pub(crate) const LARGEST: u64 = 4 << 30;

/// Most bytes of commands from standard input.
const MOST_INPUT: u64 = 1 << 24;

/// Where a recording is read from: a file, or memory.
pub(crate) trait Source: Read + Seek + Send {}

impl<R: Read + Seek + Send> Source for R {}

/// A recording that is being played.
pub(crate) type Tape = Player<Box<dyn Source>>;

/// Shows any moment of a recording again
///
/// `ugas run SCENARIO --record FILE` makes one. At a terminal there is a screen: arrows step, `:` takes one of the
/// commands below. Elsewhere commands come with --do, or from standard input, one a line.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas run duel.yaml --record duel.ugasrec
  ugas replay duel.ugasrec                          at the terminal
  ugas replay duel.ugasrec --do 'seek 2.5; show wolf; explain wolf Health'
  ugas replay duel.ugasrec --do 'watch wolf.Health; until EffectExecuted wolf; events'
  ugas replay duel.ugasrec --do 'diff 1 3' --format json
  ugas replay duel.ugasrec --verify                 simulates it again: every hash must be the same
  ugas replay duel.ugasrec --compare other.ugasrec  the first tick that differs, and in what

Commands, separated by semicolons or lines:
  info                       what the recording is of
  seek PLACE                 goes to a time in seconds, `#12` (after tick 12), `start`, `end`,
                             or on and back by `+0.5`, `-0.5`
  step [N], back [N]         ticks forwards and backwards
  until EVENT [WORD…]        runs to the next event of this kind whose line has these words
  watch NAME.ATTRIBUTE       shows the value now and after every movement
  show [NAME]                everything about a controller, or about all
  explain NAME ATTRIBUTE     where a value comes from
  commands                   what is executed in the tick that comes next or is under way
  events                     what happened during the last movement
  diff PLACE PLACE           in what two moments differ; `here` is a place, too

Exit status: 0 fine, 1 the answer is no (not true to its hashes, not the same, no such event,
nobody there), 2 wrong use or unreadable.")]
pub(crate) struct Arguments {
    /// The recording
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Carries out these commands and prints what they tell
    #[arg(long = "do", value_name = "COMMANDS", conflicts_with_all = ["verify", "compare"])]
    commands: Option<String>,
    /// Simulates all of it again and compares the state after every tick
    #[arg(long, conflicts_with = "compare")]
    verify: bool,
    /// Finds the first tick at which another recording differs
    #[arg(long, value_name = "OTHER")]
    compare: Option<PathBuf>,
    /// Plays what is before the damage of a damaged recording
    #[arg(long)]
    salvage: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let Arguments { file, commands, verify, compare, salvage, format } = arguments;
    let mut player = open(file, *salvage)?;
    if *verify {
        return report::verify(&mut player, *format);
    }
    if let Some(other) = compare {
        return report::compare(&mut player, &mut open(other, *salvage)?, *format);
    }
    let mut session = Session::new(player);
    let (input, output) = (std::io::stdin().is_terminal(), std::io::stdout().is_terminal());
    match commands {
        Some(commands) => script(&mut session, commands, *format),
        None if input && output && *format == Format::Text => {
            terminal::show(&mut session)?;
            Ok(Status::Fine)
        }
        // Somebody looks at what is printed, but does not mean to type.
        None if input => script(&mut session, "", *format),
        None => {
            let mut commands = String::new();
            let mut stdin = std::io::stdin().take(MOST_INPUT + 1);
            stdin.read_to_string(&mut commands).context("standard input cannot be read")?;
            ensure!(
                commands.len() as u64 <= MOST_INPUT,
                "there are more than {MOST_INPUT} bytes of commands"
            );
            script(&mut session, &commands, *format)
        }
    }
}

/// Shows a recording on the terminal.
pub(crate) fn show(player: Tape) -> anyhow::Result<()> {
    terminal::show(&mut Session::new(player))
}

/// Opens a recording, and says what is missing from its end.
pub(crate) fn open(file: &Path, salvage: bool) -> anyhow::Result<Tape> {
    let shown = file.display();
    let opened: Box<dyn Source> = Box::new(input::open(file, LARGEST)?);
    let recording = match salvage {
        true => Recording::salvage(opened),
        false => Recording::open(opened),
    };
    let recording = recording.map_err(|error| {
        let hint = if matches!(error, ReadError::Damaged(_)) { " with --salvage" } else { "" };
        anyhow::anyhow!("`{shown}`: {error}{hint}")
    })?;
    if let Some(problem) = tail_problem(recording.tail()) {
        eprintln!("`{shown}` {problem}");
    }
    Player::new(recording).with_context(|| format!("`{shown}`"))
}

/// How a recording ends, in a word for tools.
fn tail_word(tail: &Tail) -> &'static str {
    match tail {
        Tail::Complete => "complete",
        Tail::Unfinished => "unfinished",
        Tail::Torn { .. } => "torn",
        Tail::Damaged(_) => "damaged",
    }
}

/// What is missing from the end of a recording.
fn tail_problem(tail: &Tail) -> Option<String> {
    match tail {
        Tail::Complete => None,
        Tail::Unfinished => Some("has no end mark: whoever recorded it was stopped".to_owned()),
        Tail::Torn { at, dropped } => {
            Some(format!("ends inside a frame: {dropped} bytes from byte {at} on were dropped"))
        }
        Tail::Damaged(damage) => Some(format!("was salvaged: {damage}")),
    }
}

/// Carries out commands; without one, tells what the recording is of.
fn script(session: &mut Session, commands: &str, format: Format) -> anyhow::Result<Status> {
    let commands: Vec<&str> =
        commands.split([';', '\n']).map(str::trim).filter(|command| !command.is_empty()).collect();
    let commands = if commands.is_empty() { vec!["info"] } else { commands };
    let mut status = Status::Fine;
    let mut told: Vec<Value> = Vec::new();
    for command in commands {
        let answer = session.perform(command).with_context(|| format!("`{command}`"))?;
        if answer.is_no {
            status = Status::No;
        }
        match format {
            Format::Text => output::print(&format!("> {command}\n{}", answer.text))?,
            Format::Json => {
                let mut document = json!({ "command": command });
                if let (Some(document), Value::Object(own)) = (document.as_object_mut(), answer.json) {
                    document.extend(own);
                }
                told.push(document);
            }
        }
    }
    if format == Format::Json {
        output::print_json(&json!({ "commands": told }))?;
    }
    Ok(status)
}
