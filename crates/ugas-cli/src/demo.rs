//! `ugas demo`.

mod battle;
mod bot;
mod chronicle;
mod live;
mod observer;
mod report;
mod roster;
mod screen;
mod view;

use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;
use ugas_core::time::{Span, Time};
use ugas_inspect::{ClientReport, Inspector, Settings};
use ugas_net::link::Conditions;

use self::battle::Battle;
use self::roster::{ROSTER, SEATS};
use self::view::{View, connection};
use crate::Status;
use crate::output::{self, Format};

/// Plays a networked match to watch: a server, two predicting clients, a bad network
///
/// Heroes and minions of the pack `packs/arena`, which the binary carries, fight each other; bots play them. One server
/// decides. Two of the heroes are played at clients that predict what they do, over a simulated network that delays,
/// loses and reorders. The inspector shows the server's game in a browser at the address that is printed.
///
/// Keys: space pauses, Q or Ctrl-C quits. Without a terminal it prints a few lines instead, as with --headless.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas demo                               a minute of it
  ugas demo --link terrible --for 300     half a second away, every fifth datagram lost
  ugas demo --headless --for 10           as fast as it can, for scripts
  ugas demo --headless --format json      the summary as one document")]
pub(crate) struct Arguments {
    /// How long the match lasts
    #[arg(long = "for", value_name = "SECONDS", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    seconds: f64,
    /// The dice; the same seed, time and link give the same match, to the last bit
    #[arg(long, value_name = "N", default_value_t = 7)]
    seed: u64,
    /// How good the network is
    #[arg(long, value_name = "NAME", default_value = "bad", value_parser = PossibleValuesParser::new(Conditions::NAMES))]
    link: String,
    /// Without a screen, and as fast as the machine can
    #[arg(long)]
    headless: bool,
    /// At the pace of a clock, with --headless too
    #[arg(long)]
    real_time: bool,
    /// The port of the inspector; if it is taken, a free one
    #[arg(long, value_name = "N", default_value_t = 4777)]
    port: u16,
    /// Without the inspector. There is none either where the match is over in no time
    #[arg(long)]
    no_inspect: bool,
    /// What to print in the end; json goes without a screen
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let has_screen = is_terminal && !arguments.headless && arguments.format == Format::Text;
    let pace = if has_screen || arguments.real_time { Pace::Clock } else { Pace::Machine };
    if arguments.format == Format::Text {
        let (seconds, link, seed) = (arguments.seconds, &arguments.link, arguments.seed);
        eprintln!(
            "starting: a server and two clients, {seconds} s of play over a {link} network, seed {seed}"
        );
    }
    let mut show = Show {
        battle: Battle::new(arguments.seed, &arguments.link)?,
        inspector: None,
        end: Time::ZERO + Span::seconds(arguments.seconds),
    };
    if pace == Pace::Clock && !arguments.no_inspect {
        show.inspect(arguments.port);
    }
    let address = show.inspector.as_ref().map(Inspector::url);
    match has_screen {
        true => live::watch(&mut show)?,
        false => {
            if let Some(address) = address.as_deref().filter(|_| arguments.format == Format::Text) {
                output::print(&format!("inspector at {address}\n"))?;
            }
            show.play(pace)?;
        }
    }
    let (view, hash) = (View::of(&show.battle), show.battle.simulation().state_hash());
    match arguments.format {
        Format::Text => output::print(&report::text(&view, hash))?,
        Format::Json => output::print_json(&report::json(&view, hash))?,
    }
    Ok(Status::Fine)
}

/// How fast a match is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pace {
    /// A second in a second.
    Clock,
    /// As fast as the machine can.
    Machine,
}

/// A match that somebody watches.
struct Show {
    battle: Battle,
    inspector: Option<Inspector>,
    end: Time,
}

impl Show {
    /// Shows the server's game in a browser. A match needs no inspector: if there can be none, it goes on without.
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
            Err(error) => eprintln!("without the inspector: {error}"),
        }
    }

    fn is_over(&self) -> bool {
        self.battle.now() >= self.end
    }

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

    /// Plays to the end or until Ctrl-C.
    fn play(&mut self, pace: Pace) -> anyhow::Result<()> {
        let stopped = crate::inspect::interrupts()?;
        let began = Instant::now();
        while !self.is_over() && !stopped.load(Ordering::Relaxed) {
            self.tick();
            if pace == Pace::Clock {
                let due = Duration::from_micros(self.battle.now().micros());
                std::thread::sleep(due.saturating_sub(began.elapsed()));
            }
        }
        Ok(())
    }
}

/// A duration from nothing to a day.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if (0.0..=86_400.0).contains(&seconds) { Ok(seconds) } else { Err("must be from 0 to 86400".to_owned()) }
}
