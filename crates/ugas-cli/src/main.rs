//! `ugas`: check, run and explain a game's rules without writing Rust.
//!
//! Each command is a module that returns a [`Status`] and prints through [`output`]. Usage errors are `Err`
//! and end with status 2.
#![forbid(unsafe_code)]

mod check;
mod choose;
mod completions;
mod conformance;
mod connect;
mod demo;
mod explain;
mod generate;
mod input;
mod inspect;
mod load;
mod names;
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
mod seconds;
mod serve;
mod soak;
mod sweep;
mod terminal;
mod traffic;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The exit status of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// 0: success.
    Success,
    /// 1: a negative result, such as an invalid pack or a failed expectation.
    Negative,
    /// 2: a usage error, or input that cannot be read.
    Unreadable,
}

/// Check, run and explain the rules of a game that are written as data.
#[derive(Parser)]
#[command(
    name = "ugas",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = "\
Getting started:
  ugas demo                 a networked match to watch, with the inspector
  ugas new game             a small pack with four scenarios
  ugas check game           all problems, with their lines and how to fix them
  ugas run game             runs the scenarios and checks their expectations
  ugas explain game/scenarios/poison.yaml --controller hero --attribute MaxHealth --at 1
  ugas run game --plot game.svg
  ugas inspect game/scenarios/poison.yaml      the same in a browser, at any moment

Exit status: 0 success, 1 negative result (invalid pack, failed expectation), 2 usage error.
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
    Generate(generate::Arguments),
    New(new::Arguments),
    Play(play::Arguments),
    Replay(replay::Arguments),
    Inspect(inspect::Arguments),
    Serve(Box<serve::Arguments>),
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
        Command::Generate(arguments) => generate::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Connect(arguments) => connect::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    match result {
        Ok(Status::Success) => ExitCode::SUCCESS,
        Ok(Status::Negative) => ExitCode::from(1),
        Ok(Status::Unreadable) => ExitCode::from(2),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ugas: {error:#}");
            ExitCode::from(2)
        }
    }
}
