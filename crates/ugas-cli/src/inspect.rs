//! `ugas inspect`.

mod recorder;
mod session;

use std::io::{Cursor, Read};
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

use self::recorder::ScenarioRecorder;
use self::session::Session;
pub(crate) use self::session::interrupts;
use crate::Status;
use crate::explain::report_failures;
use crate::online::ListenAddress;
use crate::output;
use crate::overwrite::ensure_not_input;
use crate::replay;

/// Number of ticks above which a message is printed, because indexing takes a while.
const MANY_TICKS: u64 = 10_000;

/// Description of valid inputs.
const EXPECTED: &str = "a scenario file or a recording";

/// Default time between two moments of a scenario.
const SHORTEST_STEP: Span = Span::from_micros(50_000);

/// Maximum number of moments of a scenario, unless --step is given.
const MAX_MOMENTS: i64 = 20_000;

/// Shows any moment of a scenario or a recording in a browser
///
/// Runs the scenario to its end, or opens the recording, and serves a page at a local address: controllers,
/// how their values are calculated, events and their causes, at any moment. Ctrl-C ends it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas inspect duel.yaml                      in the browser
  ugas inspect duel.ugasrec --port 8080       a recording, at another port
  ugas inspect duel.yaml --allow-edit --record tried.ugasrec
                                              continues from the end, paused, and records edits
  ugas inspect duel.yaml --tui                in the terminal, for machines without a browser")]
pub(crate) struct Arguments {
    /// Scenario file or recording
    #[arg(value_name = "SCENARIO|RECORDING")]
    path: PathBuf,
    /// Name of the scenario; by default, the first in the file
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// Port; any free port if it is in use
    #[arg(long, value_name = "N", default_value_t = 4777)]
    port: u16,
    /// Address to listen at instead of 127.0.0.1; a port alone means all addresses. Other machines need the
    /// token in the printed URL
    #[arg(long, value_name = "ADDR|PORT", conflicts_with_all = ["port", "tui"], value_parser = ListenAddress::read)]
    listen: Option<ListenAddress>,
    /// Open the page in a browser even if the output is not a terminal
    #[arg(long, conflicts_with_all = ["no_open", "tui"])]
    open: bool,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Continue from the end, and allow the page to change the game
    #[arg(long, conflicts_with = "tui")]
    allow_edit: bool,
    /// Record everything, including the page's edits, to this file for `ugas replay`
    #[arg(long, value_name = "FILE", requires = "allow_edit")]
    record: Option<PathBuf>,
    /// Maximum time between two moments of a scenario; by default 0.05, or more if it lasts longer than 1000
    /// s
    #[arg(long, value_name = "SECONDS", value_parser = crate::seconds::positive)]
    step: Option<f64>,
    /// Use the terminal instead of a browser
    #[arg(long)]
    tui: bool,
}

/// Runs `ugas inspect`: opens a recording, or records a scenario, and shows it in the browser or on the
/// terminal until Ctrl-C.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let path = &arguments.path;
    output::ensure_exists(path)?;
    ensure_not_folder(path)?;
    if let Some(record) = &arguments.record {
        ensure_not_input(record, std::slice::from_ref(path))?;
    }
    let is_terminal = crate::terminal::has_output();
    ensure!(!arguments.tui || is_terminal, "--tui needs a terminal; without one, use `ugas replay --do`");
    let (mut player, settings) = match is_recording(path)? {
        true => {
            let player = replay::open(path, false)?;
            let settings = recording_settings(path, &player);
            (player, settings)
        }
        false => record(arguments)?,
    };
    if arguments.tui {
        // Begin at the end, like the page.
        player.seek_tick(u64::MAX)?;
        replay::show(player)?;
        return Ok(Status::Success);
    }
    let (address, settings) = match arguments.listen {
        // A given address is used even if other machines can reach it.
        Some(listen) => (listen.with_default_ip(Ipv4Addr::UNSPECIFIED.into()), settings.beyond_loopback()),
        None => ((Ipv4Addr::LOCALHOST, arguments.port).into(), settings.or_any_port()),
    };
    let ticks = player.recording().ticks();
    if ticks > MANY_TICKS {
        eprintln!("indexing {ticks} ticks");
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
    Ok(Status::Success)
}

/// Message with the URL of an inspector.
pub(crate) fn greeting(inspector: &Inspector) -> String {
    let mut text = format!("inspector at {}\n", inspector.url());
    let ip = inspector.address().ip();
    if !ip.is_loopback() {
        text.push_str(
            "  anyone with this URL has access; the connection is not encrypted, so use a tunnel\n",
        );
    }
    if ip.is_unspecified() {
        text.push_str(&format!("  from another machine, use this machine's name instead of {ip}\n"));
    }
    text
}

/// Returns an error if the path is a folder, with one of its scenarios as a suggestion.
fn ensure_not_folder(path: &Path) -> anyhow::Result<()> {
    if !path.is_dir() {
        return Ok(());
    }
    let scenarios = Scenario::load(path).unwrap_or_default();
    let found = scenarios.first().map(|found| format!(", such as `{}`", found.path().display()));
    bail!("`{}` is a folder: give {EXPECTED}{}", path.display(), found.unwrap_or_default())
}

/// Whether a file is a recording, by its first bytes.
fn is_recording(path: &Path) -> anyhow::Result<bool> {
    let magic = ugas_replay::format::MAGIC;
    let mut start = Vec::new();
    let file = crate::input::open(path, u64::MAX)?;
    let read = file.take(magic.len() as u64).read_to_end(&mut start);
    read.with_context(|| format!("`{}` cannot be read", path.display()))?;
    Ok(start == magic)
}

/// Settings for a recording. A recording of a scenario has its name, so that moments can be exported as that
/// scenario.
fn recording_settings(path: &Path, player: &replay::RecordingPlayer) -> Settings {
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

/// Settings that name the scenario and its pack on the page.
fn of_scenario(settings: Settings, scenario: &Scenario) -> Settings {
    let pack = scenario.pack().map(|pack| pack.display().to_string()).unwrap_or_default();
    settings.title(scenario.name()).scenario(scenario.clone()).pack(pack)
}

/// Runs the scenario in small steps, and records it in memory.
fn record(arguments: &Arguments) -> anyhow::Result<(replay::RecordingPlayer, Settings)> {
    let path = &arguments.path;
    let shown = path.display();
    let scenarios =
        Scenario::load(path).with_context(|| format!("`{shown}` cannot be shown: give {EXPECTED}"))?;
    ensure!(!scenarios.is_empty(), "there is no scenario in `{shown}`: give {EXPECTED}");
    let scenario = crate::choose::scenario(&scenarios, path, arguments.scenario.as_deref(), None)?;
    let step = arguments.step.map_or_else(|| step_of(scenario), Span::seconds);
    let options = Options { step: Some(step), ..Options::default() };
    let mut recorder = ScenarioRecorder::default();
    let outcome = scenario.run_with_command_observer(&options, &mut NoObserver, &mut recorder);
    // A failed scenario is shown, too.
    report_failures(outcome);
    let bytes = recorder.finish(scenario.name())?;
    let source: Box<dyn replay::Source> = Box::new(Cursor::new(bytes));
    let player = Player::new(Recording::open(source)?)?;
    Ok((player, of_scenario(Settings::default(), scenario)))
}

/// Default time between two moments: longer for long scenarios, because all moments are kept.
fn step_of(scenario: &Scenario) -> Span {
    let lasts = scenario.ends_at().since(scenario.begins_at());
    Span::from_micros((lasts.micros() / MAX_MOMENTS).max(SHORTEST_STEP.micros()))
}

/// An observer that ignores everything.
struct NoObserver;

impl Observer for NoObserver {}

/// Opens the page in the default browser. Errors are ignored, because the URL is printed.
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
