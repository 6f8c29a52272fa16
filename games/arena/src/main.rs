//! The arena: in a window, or without one.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

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
    /// Serve a match for others as well, at this address; with --headless nothing else
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8428", conflicts_with = "join")]
    host: Option<SocketAddr>,
    /// Play in somebody else's match
    #[arg(long, value_name = "ADDRESS")]
    join: Option<SocketAddr>,
    /// Make the way to the server longer, in milliseconds there and back
    #[arg(long, value_name = "MS", default_value_t = 0.0)]
    latency: f32,
    /// Make the way to the server worse, in datagrams of a hundred that are lost
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    loss: f32,
    /// Show what the player does only when the server has answered
    #[arg(long)]
    no_prediction: bool,
    /// Take a picture of the window before it closes
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
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
    let mut app = arena::headless::match_of_bots(pack, arguments.seed, usize::from(arguments.bot));
    println!("{}", arena::headless::play(&mut app, arguments.seconds.unwrap_or(60.0)));
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
    let way = arena::way::Way { is_predicted: !arguments.no_prediction, ..Default::default() };
    let options = Options {
        seconds: arguments.seconds,
        bot: arguments.bot,
        seed: arguments.seed,
        screenshot: arguments.screenshot.clone(),
        with,
        way: way.with(arguments.latency, arguments.loss),
    };
    run(options).unwrap_or_else(|error| failed(&*error))
}

#[cfg(not(feature = "window"))]
fn windowed(_: &Arguments) -> ExitCode {
    eprintln!("built without a window: use --headless, or build with the feature `window`");
    ExitCode::FAILURE
}
