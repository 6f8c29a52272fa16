//! `ugas inspect`.

mod session;
mod tape;

use std::io::{Cursor, IsTerminal, Read};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use clap::Args;
use ugas_core::time::Span;
use ugas_data::Scenario;
use ugas_data::scenario::{Observer, Options};
use ugas_inspect::{Inspector, Settings};
use ugas_replay::{Player, Recording};

use self::session::Session;
pub(crate) use self::session::interrupts;
use self::tape::Tape;
use crate::Status;
use crate::explain::report_failures;
use crate::online::Place;
use crate::output;
use crate::overwrite::ensure_not_input;
use crate::replay;

/// More than this takes a while, and whoever waits should know for what.
const MANY_TICKS: u64 = 10_000;

/// What can be shown.
const EXPECTED: &str = "a scenario file or a recording";

/// Time between two moments of a scenario that lasts a quarter of an hour or less.
const SHORTEST_STEP: Span = Span::from_micros(50_000);

/// How many steps a scenario is shown in, unless somebody says.
const MOST_MOMENTS: i64 = 20_000;

/// Shows a scenario or a recording in a browser, with its past
///
/// Runs the scenario to its end, or opens the recording, and serves a page at a local address: controllers, where their
/// values come from, what happened and why, at any moment. Ctrl-C ends it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas inspect duel.yaml                      in the browser
  ugas inspect duel.ugasrec --port 8080       a recording, at a port of your own
  ugas inspect duel.yaml --allow-edit --record tried.ugasrec
                                              goes on from the end, paused: try things, and keep them
  ugas inspect duel.yaml --tui                in the terminal, for servers without a browser")]
pub(crate) struct Arguments {
    /// The scenario file or recording
    #[arg(value_name = "SCENARIO|RECORDING")]
    path: PathBuf,
    /// Which scenario of the file, by name; without it, the first
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// The port; if it is taken, a free one
    #[arg(long, value_name = "N", default_value_t = 4777)]
    port: u16,
    /// Where to listen, if not at a port of this machine alone: an address, or a port of all addresses; who comes from another
    /// machine needs the token in the address that is printed
    #[arg(long, value_name = "ADDR|PORT", conflicts_with_all = ["port", "tui"], value_parser = Place::read)]
    listen: Option<Place>,
    /// Opens the page in a browser, also if the output does not go to a terminal
    #[arg(long, conflicts_with_all = ["no_open", "tui"])]
    open: bool,
    /// Does not open a browser
    #[arg(long)]
    no_open: bool,
    /// Goes on from the end, and lets the page change things
    #[arg(long, conflicts_with = "tui")]
    allow_edit: bool,
    /// Where everything goes, what the page changes included, for `ugas replay`
    #[arg(long, value_name = "FILE", requires = "allow_edit")]
    record: Option<PathBuf>,
    /// Most time between two moments of a scenario; without it 0.05, and more if it lasts longer than 1000 s
    #[arg(long, value_name = "SECONDS", value_parser = crate::run::positive)]
    step: Option<f64>,
    /// In the terminal instead
    #[arg(long)]
    tui: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let path = &arguments.path;
    output::ensure_exists(path)?;
    ensure_no_folder(path)?;
    if let Some(record) = &arguments.record {
        ensure_not_input(record, std::slice::from_ref(path))?;
    }
    let is_terminal = std::io::stdout().is_terminal();
    ensure!(
        !arguments.tui || is_terminal,
        "--tui needs a terminal; elsewhere, `ugas replay --do` tells the same"
    );
    let (mut player, settings) = match is_recording(path)? {
        true => {
            let player = replay::open(path, false)?;
            let settings = recording_settings(path, &player);
            (player, settings)
        }
        false => record(arguments)?,
    };
    if arguments.tui {
        // As on the page, one begins with how it ended.
        player.seek_tick(u64::MAX)?;
        replay::show(player)?;
        return Ok(Status::Fine);
    }
    let (address, settings) = match arguments.listen {
        // Whoever names an address wants that one, whoever can reach it.
        Some(place) => (place.on(Ipv4Addr::UNSPECIFIED.into()), settings.beyond_loopback()),
        None => ((Ipv4Addr::LOCALHOST, arguments.port).into(), settings.or_any_port()),
    };
    let ticks = player.recording().ticks();
    if ticks > MANY_TICKS {
        eprintln!("going through {ticks} ticks");
    }
    let session = match arguments.allow_edit {
        true => Session::continuing(address, settings, player, arguments.record.as_deref())?,
        false => Session::over(Inspector::recording(address, settings, player)?),
    };
    let inspector = session.inspector();
    output::print(&format!("{}Ctrl-C ends it\n", greeting(inspector)))?;
    if arguments.open || (!arguments.no_open && is_terminal) {
        open_browser(&inspector.url());
    }
    session.run()?;
    Ok(Status::Fine)
}

/// Where an inspector is, for people.
pub(crate) fn greeting(inspector: &Inspector) -> String {
    let mut text = format!("inspector at {}\n", inspector.url());
    let ip = inspector.address().ip();
    if !ip.is_loopback() {
        text.push_str(
            "  whoever has this address may look; it is not encrypted, so put it behind a tunnel\n",
        );
    }
    if ip.is_unspecified() {
        text.push_str(&format!("  from another machine, write this machine's name instead of {ip}\n"));
    }
    text
}

/// A folder has many scenarios; one of them is meant.
fn ensure_no_folder(path: &Path) -> anyhow::Result<()> {
    if !path.is_dir() {
        return Ok(());
    }
    let scenarios = Scenario::load(path).unwrap_or_default();
    let found = scenarios.first().map(|found| format!(", such as `{}`", found.path().display()));
    bail!("`{}` is a folder: give {EXPECTED}{}", path.display(), found.unwrap_or_default())
}

fn is_recording(path: &Path) -> anyhow::Result<bool> {
    let magic = ugas_replay::format::MAGIC;
    let mut start = Vec::new();
    let file = crate::input::open(path, u64::MAX)?;
    let read = file.take(magic.len() as u64).read_to_end(&mut start);
    read.with_context(|| format!("`{}` cannot be read", path.display()))?;
    Ok(start == magic)
}

/// A recording of a scenario knows which, and moments can be exported as that; whether it still leads there is looked at
/// then.
fn recording_settings(path: &Path, player: &replay::Tape) -> Settings {
    let labels = &player.recording().header().labels;
    let label =
        |wanted: &str| labels.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let name = path.file_name().unwrap_or(path.as_os_str());
    let settings = Settings::default().title(label("scenario").map_or(name.to_string_lossy(), Into::into));
    let scenarios = label("file").and_then(|file| Scenario::load(file).ok()).unwrap_or_default();
    match scenarios.into_iter().find(|scenario| Some(scenario.name()) == label("scenario")) {
        Some(scenario) => of_scenario(settings, &scenario),
        None => settings,
    }
}

fn of_scenario(settings: Settings, scenario: &Scenario) -> Settings {
    let pack = scenario.pack().map(|pack| pack.display().to_string()).unwrap_or_default();
    settings.title(scenario.name()).scenario(scenario.clone()).pack(pack)
}

/// Runs the scenario in small steps, and records it in memory.
fn record(arguments: &Arguments) -> anyhow::Result<(replay::Tape, Settings)> {
    let path = &arguments.path;
    let shown = path.display();
    let scenarios = Scenario::load(path)
        .with_context(|| format!("`{shown}` cannot be shown: what can be is {EXPECTED}"))?;
    ensure!(!scenarios.is_empty(), "there is no scenario in `{shown}`: give {EXPECTED}");
    let scenario = crate::save::chosen(&scenarios, path, arguments.scenario.as_deref(), None)?;
    let step = arguments.step.map_or_else(|| step_of(scenario), Span::seconds);
    let options = Options { step: Some(step), ..Options::default() };
    let mut tape = Tape::default();
    let outcome = scenario.run_witnessed(&options, &mut Nobody, &mut tape);
    // A story that went wrong is what one wants to look at.
    report_failures(outcome);
    let bytes = tape.finish(scenario.name())?;
    let source: Box<dyn replay::Source> = Box::new(Cursor::new(bytes));
    let player = Player::new(Recording::open(source)?)?;
    Ok((player, of_scenario(Settings::default(), scenario)))
}

/// The time between two moments if nobody says: all of them are kept, and a scenario of a year has to begin, too.
fn step_of(scenario: &Scenario) -> Span {
    let lasts = scenario.ends_at().since(scenario.begins_at());
    Span::from_micros((lasts.micros() / MOST_MOMENTS).max(SHORTEST_STEP.micros()))
}

/// Watches nothing.
struct Nobody;

impl Observer for Nobody {}

/// Opens the page with whatever the system opens pages with. Whether that worked, one sees.
fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = match cfg!(windows) {
        true => {
            let mut command = Command::new("cmd");
            command.args(["/C", "start", "", url]);
            command
        }
        false => {
            let mut command = Command::new(program);
            command.arg(url);
            command
        }
    };
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
