//! `ugas replay`.

mod describe;
mod position;
mod report;
mod screen;
mod session;
mod terminal;

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::{Value, json};
use ugas_replay::{Player, ReadError, Recording, Tail};

use self::session::Session;
use crate::Status;
use crate::input;
use crate::output::{self, Format};

/// Maximum size of a recording in bytes: days of a busy game, whose index still fits into memory.
pub(crate) const MAX_BYTES: u64 = 4 << 30;

/// Maximum number of bytes of commands from standard input.
const MAX_INPUT: u64 = 1 << 24;

/// Source of a recording: a file, or memory.
pub(crate) trait Source: Read + Seek + Send {}

impl<R: Read + Seek + Send> Source for R {}

/// A player of a recording from any source.
pub(crate) type RecordingPlayer = Player<Box<dyn Source>>;

/// Shows any moment of a recording
///
/// Create a recording with `ugas run SCENARIO --record FILE`. At a terminal it opens a screen: arrow keys
/// step, `:` enters one of the commands below. Without a terminal, commands are read from --do, or from
/// standard input, one per line.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas run duel.yaml --record duel.ugasrec
  ugas replay duel.ugasrec                          at the terminal
  ugas replay duel.ugasrec --do 'seek 2.5; show wolf; explain wolf Health'
  ugas replay duel.ugasrec --do 'watch wolf.Health; until EffectExecuted wolf; events'
  ugas replay duel.ugasrec --do 'diff 1 3' --format json
  ugas replay duel.ugasrec --verify                 simulates it again and compares every hash
  ugas replay duel.ugasrec --compare other.ugasrec  the first differing tick, and the differences

Commands, separated by semicolons or lines:
  info                       scenario, length, controllers and seed of the recording
  seek PLACE                 goes to a time in seconds, `#12` (after tick 12), `start`, `end`,
                             or forward and back by `+0.5`, `-0.5`
  step [N], back [N]         go ticks forward or back
  until EVENT [WORD…]        plays to the next event of this kind whose line has these words
  watch NAME.ATTRIBUTE       shows the value now and after every seek
  show [NAME]                the state of a controller, or of all
  explain NAME ATTRIBUTE     how a value is calculated
  commands                   the commands of the current or next tick
  events                     the events of the last seek
  diff PLACE PLACE           the differences of two moments; `here` is a place, too

Exit status: 0 success, 1 negative result (a hash differs, recordings differ, no such event,
no such controller at that time), 2 usage error or unreadable file.")]
pub(crate) struct Arguments {
    /// Recording to open
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Execute these commands and print their results
    #[arg(long = "do", value_name = "COMMANDS", conflicts_with_all = ["verify", "compare"])]
    commands: Option<String>,
    /// Simulate the whole recording again and compare the state after every tick
    #[arg(long, conflicts_with = "compare")]
    verify: bool,
    /// Find the first tick at which another recording differs
    #[arg(long, value_name = "OTHER")]
    compare: Option<PathBuf>,
    /// Play a damaged recording up to the damage
    #[arg(long)]
    salvage: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs `ugas replay`: verifies, compares or shows a recording, or executes commands from `--do` or standard
/// input.
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
    match commands {
        Some(commands) => script(&mut session, commands, *format),
        None if crate::terminal::is_interactive() && *format == Format::Text => {
            terminal::show(&mut session)?;
            Ok(Status::Success)
        }
        // The output is redirected: do not wait for typed commands.
        None if crate::terminal::has_input() => script(&mut session, "", *format),
        None => {
            let mut commands = String::new();
            let mut stdin = std::io::stdin().take(MAX_INPUT + 1);
            stdin.read_to_string(&mut commands).context("standard input cannot be read")?;
            ensure!(
                commands.len() as u64 <= MAX_INPUT,
                "standard input has more than {MAX_INPUT} bytes of commands"
            );
            script(&mut session, &commands, *format)
        }
    }
}

/// Shows a recording on the terminal.
pub(crate) fn show(player: RecordingPlayer) -> anyhow::Result<()> {
    terminal::show(&mut Session::new(player))
}

/// Opens a recording, and reports an incomplete end on standard error.
pub(crate) fn open(file: &Path, salvage: bool) -> anyhow::Result<RecordingPlayer> {
    let shown = file.display();
    let opened: Box<dyn Source> = Box::new(input::open(file, MAX_BYTES)?);
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

/// How a recording ends, as a word for JSON.
fn tail_word(tail: &Tail) -> &'static str {
    match tail {
        Tail::Complete => "complete",
        Tail::Unfinished => "unfinished",
        Tail::Torn { .. } => "torn",
        Tail::Damaged(_) => "damaged",
    }
}

/// Description of an incomplete end of a recording.
fn tail_problem(tail: &Tail) -> Option<String> {
    match tail {
        Tail::Complete => None,
        Tail::Unfinished => Some("has no end mark: the recording program was stopped".to_owned()),
        Tail::Torn { at, dropped } => {
            Some(format!("ends inside a frame: {dropped} bytes from byte {at} on were dropped"))
        }
        Tail::Damaged(damage) => Some(format!("was salvaged: {damage}")),
    }
}

/// Executes commands, separated by `;` or line breaks; `info` if there is none. Negative if an answer is. An
/// invalid command is an error and ends it.
fn script(session: &mut Session, commands: &str, format: Format) -> anyhow::Result<Status> {
    let commands: Vec<&str> =
        commands.split([';', '\n']).map(str::trim).filter(|command| !command.is_empty()).collect();
    let commands = if commands.is_empty() { vec!["info"] } else { commands };
    let mut status = Status::Success;
    let mut answers: Vec<Value> = Vec::new();
    for command in commands {
        let answer = session.perform(command).with_context(|| format!("`{command}`"))?;
        if answer.is_negative {
            status = Status::Negative;
        }
        match format {
            Format::Text => output::print(&format!("> {command}\n{}", answer.text))?,
            Format::Json => {
                let mut document = json!({ "command": command });
                if let (Some(document), Value::Object(own)) = (document.as_object_mut(), answer.json) {
                    document.extend(own);
                }
                answers.push(document);
            }
        }
    }
    if format == Format::Json {
        output::print_json(&json!({ "commands": answers }))?;
    }
    Ok(status)
}
