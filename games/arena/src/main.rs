//! The arena: in a window, or without one.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arena::way::{Status, Way};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

/// A top-down hero fight. Move with WASD, shoot with the mouse; H explains the rest.
#[derive(Parser, Clone, Debug)]
#[command(name = "arena", version)]
struct Arguments {
    /// Play without a window, as fast as the machine can, and print what happened
    #[arg(long)]
    headless: bool,
    /// How many seconds of the game to play; a window closes then
    #[arg(long = "for", value_name = "SECONDS")]
    seconds: Option<f64>,
    /// Let a bot play the champion
    #[arg(long)]
    bot: bool,
    /// What all dice begin with
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Serve a match for others as well, at this address or name; with --headless nothing else
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8428", conflicts_with = "join", value_parser = arena::network::resolve)]
    host: Option<SocketAddr>,
    /// Play in somebody else's match: an address or a name, with a port if it is not 8428
    #[arg(long, value_name = "ADDRESS", value_parser = arena::network::resolve)]
    join: Option<SocketAddr>,
    /// Make the way to the server longer, in milliseconds there and back: 0 to 300
    #[arg(long, value_name = "MS", default_value_t = 0.0, value_parser = within::<300>)]
    latency: f32,
    /// Make the way to the server worse, in datagrams of a hundred that are lost: 0 to 30
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = within::<30>)]
    loss: f32,
    /// Show what the player does only when the server has answered
    #[arg(long)]
    no_prediction: bool,
    /// Take a picture of the window before it closes
    #[arg(long, value_name = "FILE", conflicts_with = "headless")]
    screenshot: Option<PathBuf>,
}

impl Arguments {
    /// How bad the way to the server is made.
    fn way(&self) -> Way {
        Way { is_predicted: !self.no_prediction, ..Way::default() }.with(self.latency, self.loss)
    }

    /// What would be left out without a word.
    fn mistake(&self) -> Option<&'static str> {
        let has_server = self.join.is_some() || (self.host.is_some() && !self.headless);
        if self.way() != Way::default() && !has_server {
            return Some(
                "--latency, --loss and --no-prediction are for a way to a server: use --join, or --host with a window",
            );
        }
        if self.headless && self.host.is_some() && self.bot {
            return Some("--headless --host only serves: let the bot play with --headless --join");
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
    if let Some(mistake) = arguments.mistake() {
        Arguments::command().error(ErrorKind::ArgumentConflict, mistake).exit();
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

/// Plays in somebody else's match, as fast as the server does, and tells how that went.
fn join(pack: std::sync::Arc<bevy_ugas::data::Pack>, server: SocketAddr, arguments: &Arguments) -> ExitCode {
    let mut app = match arena::network::guest(pack, server, arguments.way(), arguments.seed) {
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
        if let Some(why) = &app.world().resource::<Status>().lost {
            eprintln!("no match at {server}: {why}");
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
    use arena::window::{Company, Options, run};
    let with = match (arguments.host, arguments.join) {
        (Some(address), _) => Company::Host(address),
        (None, Some(address)) => Company::Guest(address),
        (None, None) => Company::Nobody,
    };
    let options = Options {
        seconds: arguments.seconds,
        bot: arguments.bot,
        seed: arguments.seed,
        screenshot: arguments.screenshot.clone(),
        with,
        way: arguments.way(),
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
        arguments.mistake().map_or(Ok(arguments.clone()), |mistake| Err(mistake.to_owned()))
    }

    #[test]
    fn names_are_taken_where_addresses_are() {
        assert_eq!(parsed("--join localhost").unwrap().join, Some(([127, 0, 0, 1], 8428).into()));
        assert_eq!(parsed("--host").unwrap().host, Some(([127, 0, 0, 1], 8428).into()));
        assert_eq!(parsed("--host 0.0.0.0:9").unwrap().host, Some(([0, 0, 0, 0], 9).into()));
        assert!(parsed("--join localhost --host").is_err());
    }

    #[test]
    fn nothing_is_left_out_without_a_word() {
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
