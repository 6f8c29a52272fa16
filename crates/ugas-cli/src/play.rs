//! `ugas play`.

mod game;
mod history;
mod screen;
mod script;
mod terminal;

use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use ugas_core::time::Span;

use self::game::Game;
use crate::Status;
use crate::output::{self, Format};

/// Names of the games.
const GAMES: [&str; 1] = ["2048"];

/// Default seed of games with scripted keys, so that they are reproducible.
const SCRIPTED_SEED: u64 = 1;

/// Plays a pack in the terminal
///
/// 2048: slide all tiles to one side; two equal tiles that meet merge into one of twice the value; reach
/// 2048. Every tile is a controller, every move an ability, every change of a tile an effect; an effect
/// places new tiles at random, and undo restores values from the audit trail (§15.4). The rules are the pack
/// `packs/puzzle2048`, which is built into the binary: none of them is written in Rust.
///
/// Keys: arrows or W A S D move, U or Backspace undoes a turn (any number of them), R starts a new game, Q or
/// Ctrl-C quits. Keys pressed while tiles still slide are buffered briefly.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas play 2048                          at the terminal
  ugas play 2048 --seed 7                 the same tiles for the same keys
  ugas play 2048 --keys 'LLUR DDLU'       without a terminal: prints the final board and score
  ugas play 2048 --keys 'LLURZZ' --format json
  ugas play 2048 --keys 'LU' --pace 0.1   the second key comes early and is buffered

Letters of --keys: L R U D move, Z undoes, N starts a new game. Without --seed the seed is 1.")]
pub(crate) struct Arguments {
    /// Name of the game: 2048
    #[arg(value_name = "NAME")]
    name: String,
    /// Random seed; by default, random at the terminal and 1 with --keys
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Play these keys without a terminal, and print the result
    #[arg(long, value_name = "KEYS")]
    keys: Option<String>,
    /// Seconds from one key to the next
    #[arg(long, value_name = "SECONDS", default_value_t = 0.25, requires = "keys", value_parser = pace, allow_negative_numbers = true)]
    pace: f64,
    /// Output format, with --keys
    #[arg(long, value_enum, default_value_t, requires = "keys")]
    format: Format,
}

/// Runs `ugas play`: a game on the terminal, or the given keys and then the board. Only the former needs a
/// terminal.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let name = arguments.name.as_str();
    anyhow::ensure!(GAMES.contains(&name), "there is no game `{name}`; known games: {}", GAMES.join(", "));
    match &arguments.keys {
        Some(keys) => {
            let keys = script::parse(keys).map_err(anyhow::Error::msg)?;
            let seed = arguments.seed.unwrap_or(SCRIPTED_SEED);
            let mut game = Game::new(seed)?;
            script::play(&mut game, &keys, Span::seconds(arguments.pace))?;
            match arguments.format {
                Format::Text => output::print(&script::text(&game.view()))?,
                Format::Json => output::print_json(&script::json(name, seed, &game))?,
            }
        }
        None => {
            anyhow::ensure!(
                crate::terminal::is_interactive(),
                "a game needs a terminal; without one, give keys: --keys LLUR"
            );
            terminal::play(&mut Game::new(arguments.seed.unwrap_or_else(seed_from_clock))?)?;
        }
    }
    Ok(Status::Success)
}

/// Parses the seconds between scripted keys, from 0 to 3600.
fn pace(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if (0.0..=3600.0).contains(&seconds) { Ok(seconds) } else { Err("must be from 0 to 3600".to_owned()) }
}

/// A seed from the current time, so that each game differs.
fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs() ^ u64::from(since.subsec_nanos()) << 32
}
