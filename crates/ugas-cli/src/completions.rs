//! `ugas completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Status;
use crate::output;

/// Prints shell completions for commands and options
///
/// Write them to where the shell looks for them; the examples show the usual places. Zsh needs
/// `fpath+=~/.zfunc` before `compinit` in `~/.zshrc`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas completions bash > ~/.local/share/bash-completion/completions/ugas
  ugas completions zsh > ~/.zfunc/_ugas
  ugas completions fish > ~/.config/fish/completions/ugas.fish
  ugas completions powershell >> $PROFILE")]
pub(crate) struct Arguments {
    /// Shell to complete for
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Runs `ugas completions`: prints the script for a shell.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Arguments::command(), "ugas", &mut text);
    output::print(&String::from_utf8(text)?)?;
    Ok(Status::Success)
}
