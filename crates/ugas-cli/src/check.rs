//! `ugas check`.

use std::path::PathBuf;

use clap::Args;
use ugas_data::diagnostics::render_all;
use ugas_data::{Limits, Loader, Report, Scenario};

use crate::output::{self, Format};
use crate::{Status, watch};

/// Reports all problems in packs and files
///
/// Each problem has a code, a position and a suggested fix. In a folder every reference must resolve; in a
/// single file, unresolved references are only notes.
#[derive(Args)]
#[command(after_help = "\
Examples:
  ugas check packs/arpg                 one pack
  ugas check packs                      several packs, each on its own
  ugas check effects.yaml               one file
  ugas check game --deny-warnings       for builds that must not have warnings
  ugas check game --watch               again whenever a file changes
  ugas check game --format json         for tools")]
pub(crate) struct Arguments {
    /// Folders and files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Count warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    /// Count unknown fields as warnings, for files that other tools extend
    #[arg(long)]
    allow_unknown: bool,
    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
}

/// Runs `ugas check`: once, or with `--watch` again after each change of the paths until Ctrl-C.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Status> {
    if arguments.watch {
        arguments.format.ensure_text()?;
        return watch::run(|| arguments.paths.clone(), || once(arguments));
    }
    once(arguments)
}

/// Checks all paths and prints one report. Negative if there are errors, or warnings that are denied;
/// unreadable if the only error is a file that cannot be read. An error if there is nothing to check.
fn once(arguments: &Arguments) -> anyhow::Result<Status> {
    for path in &arguments.paths {
        output::ensure_exists(path)?;
    }
    let mut report = Report::default();
    for path in &arguments.paths {
        for loader in Loader::packs_in(path, &Limits::default()) {
            let loader = if arguments.allow_unknown { loader.allow_unknown() } else { loader };
            report.append(loader.check());
        }
    }
    if report.diagnostics.is_empty()
        && let Some(empty) = arguments.paths.iter().find(|path| Scenario::files(path).is_empty())
    {
        anyhow::bail!("there is nothing to check in `{}`: it has no YAML or JSON file", empty.display());
    }
    match arguments.format {
        Format::Json => output::print_json(&report.to_json())?,
        Format::Text => {
            let mut text = render_all(&report, crate::terminal::colour());
            let (errors, warnings) = (report.errors(), report.warnings());
            let numbers =
                format!("{}, {}", output::count(errors, "error"), output::count(warnings, "warning"));
            let others = report.diagnostics.len().saturating_sub(errors.saturating_add(warnings));
            let result = if errors > 0 { output::bad("invalid") } else { output::good("valid") };
            text.push_str(&format!("{result}: {numbers}, {}\n", output::count(others, "note")));
            output::print(&text)?;
        }
    }
    let is_unreadable = report.diagnostics.iter().any(|found| found.code == "UG001");
    Ok(match report.errors() {
        0 if arguments.deny_warnings && report.warnings() > 0 => Status::Negative,
        0 => Status::Success,
        1 if is_unreadable => Status::Unreadable,
        _ => Status::Negative,
    })
}
