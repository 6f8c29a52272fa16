//! `ugas`: check, run and explain a game's rules without writing Rust.
//!
//! One module a command; each gives back a [`Status`], and prints through [`output`]. Problems with the use of the
//! command itself are errors, and end with status 2.
#![forbid(unsafe_code)]

mod check;
mod completions;
mod conformance;
mod connect;
mod demo;
mod explain;
mod input;
mod inspect;
mod load;
mod new;
mod online;
mod output;
mod overwrite;
mod play;
mod plot;
mod replay;
mod run;
mod save;
mod schema;
mod serve;
mod soak;
mod sweep;
mod traffic;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// How a command ended, as the exit status says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// 0: fine.
    Fine,
    /// 1: the answer is no: an invalid pack, a failed expectation.
    No,
    /// 2: wrong use, or input that cannot be read.
    Unreadable,
}

/// A game's rules as data: check them, run them, see where the numbers come from.
#[derive(Parser)]
#[command(
    name = "ugas",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "\
A first walk:
  ugas demo                 a networked match to watch, with the inspector
  ugas new game             a small pack with three scenarios
  ugas check game           every mistake, with its line and how to mend it
  ugas run game             plays the scenarios and compares
  ugas explain game/scenarios/poison.yaml --controller wolf --attribute Health --at 3
  ugas run game --plot game.svg
  ugas inspect game/scenarios/poison.yaml      the same in a browser, with its past

Exit status: 0 fine, 1 the answer is no (invalid pack, failed expectation), 2 wrong use.
`ugas COMMAND --help` has examples."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Arguments),
    Check(check::Arguments),
    Run(run::Arguments),
    Explain(explain::Arguments),
    Save(save::Arguments),
    Load(load::Arguments),
    Sweep(sweep::Arguments),
    Soak(soak::Arguments),
    Conformance(conformance::Arguments),
    Schema(schema::Arguments),
    New(new::Arguments),
    Play(play::Arguments),
    Replay(replay::Arguments),
    Inspect(inspect::Arguments),
    Serve(serve::Arguments),
    Connect(connect::Arguments),
    Completions(completions::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse_from(serve::joined(std::env::args_os())).command {
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Save(arguments) => save::run(&arguments),
        Command::Load(arguments) => load::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Soak(arguments) => soak::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Connect(arguments) => connect::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    match result {
        Ok(Status::Fine) => ExitCode::SUCCESS,
        Ok(Status::No) => ExitCode::from(1),
        Ok(Status::Unreadable) => ExitCode::from(2),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ugas: {error:#}");
            ExitCode::from(2)
        }
    }
}
