//! `ugas demo`.

mod battle;
mod bot;
mod event_log;
mod observer;
mod report;
mod roster;
mod screen;
mod terminal;
mod view;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use ugas_core::time::{Span, Time};
use ugas_inspect::{ClientReport, Inspector, Settings};
use ugas_netsim::link::Conditions;

use self::battle::Battle;
use self::roster::{ROSTER, SEATS};
use self::view::{MatchView, connection};
use crate::Status;
use crate::output::{self, Format};

/// Shows a networked match: a server, two predicting clients and a bad network
///
/// Bots play heroes and minions of the pack `packs/arena`, which is built into the binary. The server is
/// authoritative. Two of the heroes are played by clients with prediction, over a simulated network that
/// delays, loses and reorders datagrams. The inspector shows the server's game in a browser, at the printed
/// address.
///
/// Keys: space pauses, Q or Ctrl-C quits. Without a terminal it only prints a summary, as with --headless.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas demo                               a match of one minute
  ugas demo --link terrible --for 300     half a second of latency, every fifth datagram lost
  ugas demo --headless --for 10           as fast as possible, for scripts
  ugas demo --headless --format json      the summary as one document")]
pub(crate) struct Arguments {
    /// Length of the match
    #[arg(long = "for", value_name = "SECONDS", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    seconds: f64,
    /// Random seed; the same seed, time and link give the same match, to the last bit
    #[arg(long, value_name = "N", default_value_t = 7)]
    seed: u64,
    /// Quality of the simulated network
    #[arg(long, value_name = "NAME", default_value = "bad", value_parser = PossibleValuesParser::new(Conditions::NAMES))]
    link: String,
    /// Run without a screen, as fast as possible
    #[arg(long)]
    headless: bool,
    /// Run in real time, even with --headless
    #[arg(long)]
    real_time: bool,
    /// Port of the inspector; any free port if it is in use
    #[arg(long, value_name = "N", default_value_t = 4777)]
    port: u16,
    /// Do not start the inspector. It is also not started with --headless, unless --real-time is given
    #[arg(long)]
    no_inspect: bool,
    /// Output format of the summary; json implies no screen
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs `ugas demo`: on the terminal, or without one as fast as possible, then prints a summary with the
/// state hash.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let is_text = arguments.format == Format::Text;
    let has_screen = crate::terminal::is_interactive() && !arguments.headless && is_text;
    let pace = if has_screen || arguments.real_time { Pace::RealTime } else { Pace::Unlimited };
    if is_text {
        let (seconds, link, seed) = (arguments.seconds, &arguments.link, arguments.seed);
        eprintln!(
            "starting: a server and two clients, {seconds} s of play over a {link} network, seed {seed}"
        );
        if !has_screen && !arguments.headless && !arguments.real_time {
            eprintln!("no terminal: a summary only; --real-time also starts the inspector");
        }
    }
    let mut show = DemoRun {
        battle: Battle::new(arguments.seed, &arguments.link)?,
        inspector: None,
        end: Time::ZERO + Span::seconds(arguments.seconds),
    };
    if pace == Pace::RealTime && !arguments.no_inspect {
        show.inspect(arguments.port);
    }
    let address = show.inspector.as_ref().map(Inspector::url);
    match has_screen {
        true => terminal::watch(&mut show)?,
        false => {
            if let Some(address) = address.as_deref().filter(|_| is_text) {
                output::print(&format!("inspector at {address}\n"))?;
            }
            show.play(pace)?;
        }
    }
    let (view, hash) = (MatchView::of(&show.battle), show.battle.simulation().state_hash());
    match arguments.format {
        Format::Text => output::print(&report::text(&view, hash))?,
        Format::Json => output::print_json(&report::json(&view, hash))?,
    }
    Ok(Status::Success)
}

/// Speed of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pace {
    /// In real time.
    RealTime,
    /// As fast as possible.
    Unlimited,
}

/// A match with its inspector and its end.
struct DemoRun {
    battle: Battle,
    inspector: Option<Inspector>,
    end: Time,
}

impl DemoRun {
    /// Starts the inspector of the server's game. If that fails, the match runs without it.
    fn inspect(&mut self, port: u16) {
        let settings = Settings::default().title("UGAS demo").record_always().or_any_port();
        match Inspector::serve_with(("127.0.0.1", port), settings) {
            Ok(inspector) => {
                for (entry, id) in ROSTER.iter().zip(&self.battle.fighters) {
                    inspector.name(*id, entry.name);
                }
                self.battle.observe_network();
                self.inspector = Some(inspector);
            }
            Err(error) => eprintln!("running without the inspector: {error}"),
        }
    }

    fn is_over(&self) -> bool {
        self.battle.now() >= self.end
    }

    /// Runs one tick of the battle and passes it to the inspector, if one is open.
    fn tick(&mut self) {
        let began = Instant::now();
        self.battle.tick();
        if let Some(inspector) = &self.inspector {
            inspector.observe_events(self.battle.simulation(), &self.battle.events, began.elapsed());
            let report = |seat| connection(&self.battle, seat).report(seat, self.battle.observer(seat));
            let reports: Vec<ClientReport> = (0..SEATS).map(report).collect();
            inspector.report_network(self.battle.simulation().now(), reports);
        }
    }

    /// Plays to the end, or until Ctrl-C.
    fn play(&mut self, pace: Pace) -> anyhow::Result<()> {
        let stopped = crate::inspect::interrupts()?;
        let began = Instant::now();
        while !self.is_over() && !stopped.load(Ordering::Relaxed) {
            self.tick();
            if pace == Pace::RealTime {
                let due = Duration::from_micros(self.battle.now().micros());
                std::thread::sleep(due.saturating_sub(began.elapsed()));
            }
        }
        Ok(())
    }
}

/// Parses a duration of up to a day, in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if (0.0..=86_400.0).contains(&seconds) { Ok(seconds) } else { Err("must be from 0 to 86400".to_owned()) }
}
