//! The arena: in a window, or without one.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arena::link::{LinkSettings, Status};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

/// A top-down hero fight. Move with WASD, shoot with the mouse; H explains the rest.
#[derive(Parser, Clone, Debug)]
#[command(name = "arena", version)]
struct Arguments {
    /// Play without a window, as fast as possible, and print the result
    #[arg(long)]
    headless: bool,
    /// Seconds of game time to play; a window closes afterwards
    #[arg(long = "for", value_name = "SECONDS")]
    seconds: Option<f64>,
    /// Let a bot play the champion
    #[arg(long)]
    bot: bool,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Also host a match at this address or name; with --headless only host
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8428", conflicts_with = "join", value_parser = arena::network::resolve)]
    host: Option<SocketAddr>,
    /// Join a match: an address or a name, with a port if it is not 8428
    #[arg(long, value_name = "ADDRESS", value_parser = arena::network::resolve)]
    join: Option<SocketAddr>,
    /// Simulated round-trip latency to the server in milliseconds: 0 to 300
    #[arg(long, value_name = "MS", default_value_t = 0.0, value_parser = within::<300>)]
    latency: f32,
    /// Simulated datagram loss to the server in percent: 0 to 30
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = within::<30>)]
    loss: f32,
    /// Show the player's actions only after the server has answered
    #[arg(long)]
    no_prediction: bool,
    /// Save a screenshot of the window before it closes
    #[arg(long, value_name = "FILE", conflicts_with = "headless")]
    screenshot: Option<PathBuf>,
}

impl Arguments {
    /// Simulated link conditions.
    fn link(&self) -> LinkSettings {
        LinkSettings { is_predicted: !self.no_prediction, ..LinkSettings::default() }
            .with(self.latency, self.loss)
    }

    /// Combination of options that would be ignored silently.
    fn conflict(&self) -> Option<&'static str> {
        let has_server = self.join.is_some() || (self.host.is_some() && !self.headless);
        if self.link() != LinkSettings::default() && !has_server {
            return Some(
                "--latency, --loss and --no-prediction need a connection to a server: add --join, or --host with a window",
            );
        }
        if self.headless && self.host.is_some() && self.bot {
            return Some("--headless --host only hosts: to let a bot play, use --headless --join");
        }
        None
    }
}

fn within<const MOST: u16>(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().map_err(|error| error.to_string())?;
    let is_possible = (0.0..=f32::from(MOST)).contains(&number);
    is_possible.then_some(number).ok_or_else(|| format!("{number} is not between 0 and {MOST}"))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(conflict) = arguments.conflict() {
        Arguments::command().error(ErrorKind::ArgumentConflict, conflict).exit();
    }
    if arguments.headless {
        return headless(&arguments);
    }
    windowed(&arguments)
}

fn headless(arguments: &Arguments) -> ExitCode {
    let pack = match arena::headless::rules() {
        Ok(pack) => pack,
        Err(error) => return failed(&error),
    };
    if let Some(address) = arguments.host {
        let serving = match arena::network::serve(pack, address, arguments.seed) {
            Ok(serving) => serving,
            Err(error) => return failed(&error),
        };
        println!("serving on {}", serving.address);
        std::thread::sleep(
            arguments
                .seconds
                .map_or(Duration::MAX, |seconds| Duration::from_secs_f64(seconds.clamp(0.0, 1e9))),
        );
        return ExitCode::SUCCESS;
    }
    if let Some(server) = arguments.join {
        return join(pack, server, arguments);
    }
    let mut app = arena::headless::match_of_bots(pack, arguments.seed, usize::from(arguments.bot));
    println!("{}", arena::headless::play(&mut app, arguments.seconds.unwrap_or(60.0)));
    ExitCode::SUCCESS
}

/// Joins a match in real time, and prints the result.
fn join(pack: std::sync::Arc<bevy_ugas::data::Pack>, server: SocketAddr, arguments: &Arguments) -> ExitCode {
    let mut app = match arena::network::guest(pack, server, arguments.link(), arguments.seed) {
        Ok(app) => app,
        Err(error) => return failed(&error),
    };
    if arguments.bot {
        arena::network::let_bots_play(&mut app);
    }
    let seconds = arguments.seconds.unwrap_or(60.0).clamp(0.0, 1e9);
    let began = Instant::now();
    while began.elapsed().as_secs_f64() < seconds {
        app.update();
        if let Some(reason) = &app.world().resource::<Status>().lost {
            eprintln!("lost the connection to {server}: {reason}");
            return ExitCode::FAILURE;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    println!("{}", arena::headless::outcome(&mut app, seconds));
    println!("{}", app.world().resource::<Status>());
    ExitCode::SUCCESS
}

fn failed(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("{error}");
    ExitCode::FAILURE
}

#[cfg(feature = "window")]
fn windowed(arguments: &Arguments) -> ExitCode {
    use arena::window::{GameMode, Options, run};
    let mode = match (arguments.host, arguments.join) {
        (Some(address), _) => GameMode::Host(address),
        (None, Some(address)) => GameMode::Guest(address),
        (None, None) => GameMode::SinglePlayer,
    };
    let options = Options {
        seconds: arguments.seconds,
        bot: arguments.bot,
        seed: arguments.seed,
        screenshot: arguments.screenshot.clone(),
        mode,
        link: arguments.link(),
    };
    run(options).unwrap_or_else(|error| failed(&*error))
}

#[cfg(not(feature = "window"))]
fn windowed(_: &Arguments) -> ExitCode {
    eprintln!("built without a window: use --headless, or build with the feature `window`");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, String> {
        let words = std::iter::once("arena").chain(line.split_whitespace());
        let arguments = Arguments::try_parse_from(words).map_err(|error| error.to_string())?;
        arguments.conflict().map_or(Ok(arguments.clone()), |conflict| Err(conflict.to_owned()))
    }

    #[test]
    fn host_and_join_accept_names_and_addresses() {
        assert_eq!(parsed("--join localhost").unwrap().join, Some(([127, 0, 0, 1], 8428).into()));
        assert_eq!(parsed("--host").unwrap().host, Some(([127, 0, 0, 1], 8428).into()));
        assert_eq!(parsed("--host 0.0.0.0:9").unwrap().host, Some(([0, 0, 0, 0], 9).into()));
        assert!(parsed("--join localhost --host").is_err());
    }

    #[test]
    fn conflicting_options_are_rejected() {
        for line in [
            "--headless --latency 100",
            "--no-prediction",
            "--headless --host --loss 5",
            "--headless --host --bot",
            "--headless --screenshot a.png",
            "--join localhost --latency 900",
            "--join localhost --loss nan",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
        for line in [
            "--headless --bot --for 60 --seed 7",
            "--headless --join localhost --bot --latency 150 --loss 5 --no-prediction",
            "--headless --host --for 10",
            "--host --latency 300",
        ] {
            assert!(parsed(line).is_ok(), "{line}: {:?}", parsed(line));
        }
    }
}
