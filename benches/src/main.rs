//! Measures the performance goals, compared with floors and peers in the same run. See `--help`.

mod allocator;
mod arguments;
mod chart;
mod competent;
mod count;
mod document;
mod floor;
mod line;
mod lines;
mod measure;
mod naive;
mod peers;
mod scaling;
mod scenes;
mod table;
mod translate;
mod workloads;
mod world;

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use serde_json::Value;

use arguments::{Arguments, Task};
use line::Line;
use measure::Effort;

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}\n\n{}", arguments::HELP);
            return ExitCode::from(2);
        }
    };
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let shown = match &arguments.task {
        Task::Help => Ok(arguments::HELP.to_owned()),
        Task::Table => show(&arguments, &lines::GROUPS, effort),
        Task::Workloads => show(&arguments, &workloads::GROUPS, effort),
        Task::Scaling => scaling::measure(&arguments, effort),
        Task::Count(keeping) => return count::run(*keeping, &arguments),
        Task::CountOne(name) => return count::one(name),
    };
    match shown.and_then(|text| deliver(&arguments, &text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

/// Prints a result, and writes it into a document if requested.
fn deliver(arguments: &Arguments, text: &str) -> Result<(), String> {
    if let Some(path) = &arguments.into {
        document::replace(path, arguments.task.section(), text)
            .map_err(|problem| format!("{}: {problem}", path.display()))?;
    }
    say(text.trim_end())
}

/// Prints a text. A closed pipe, as with `head`, is not an error.
///
/// # Errors
/// If it cannot be written for another reason.
fn say(text: &str) -> Result<(), String> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot print the result: {error}"))
        }
        _ => Ok(()),
    }
}

/// Lines as text or JSON, and as a chart if requested.
fn show(arguments: &Arguments, groups: &[lines::Group], effort: Effort) -> Result<String, String> {
    let lines = measure_lines(groups, arguments, effort)?;
    if let Some(path) = &arguments.svg {
        std::fs::write(path, chart::draw(&lines)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(match arguments.json {
        true => format!("{:#}", lines.iter().map(Line::to_json).collect::<Value>()),
        false => table::render(&lines),
    })
}

/// # Errors
/// If a requested benchmark does not exist.
fn measure_lines(
    groups: &[lines::Group],
    arguments: &Arguments,
    effort: Effort,
) -> Result<Vec<Line>, String> {
    let names: Vec<&str> = groups.iter().map(|(name, _)| *name).collect();
    arguments.check_groups(&names)?;
    let wanted = groups.iter().filter(|(name, _)| arguments.wants_of(name));
    let mut measured: Vec<Line> = wanted
        .flat_map(|(name, measure)| {
            eprintln!("measuring {name}");
            measure(effort)
        })
        .collect();
    let names: Vec<&str> = measured.iter().map(|line| line.name.as_str()).collect();
    arguments.check_names(&names)?;
    measured.retain(|line| arguments.wants(&line.name));
    Ok(measured)
}
