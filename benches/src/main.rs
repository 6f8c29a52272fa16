//! Measures promises about speed beside floors and peers, inside one run. `--help` says how.

mod allocator;
mod arguments;
mod chart;
mod count;
mod document;
mod floor;
mod line;
mod lines;
mod measure;
mod naive;
mod peers;
mod scaling;
mod table;
mod workloads;
mod world;

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
    let text = match shown {
        Ok(text) => text,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    println!("{}", text.trim_end());
    if let Some(path) = &arguments.into
        && let Err(problem) = document::replace(path, arguments.task.section(), &text)
    {
        eprintln!("{}: {problem}", path.display());
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

/// Lines as text or JSON, and as a picture if one is wanted.
fn show(arguments: &Arguments, groups: &[lines::Group], effort: Effort) -> Result<String, String> {
    let lines = measure_lines(groups, arguments, effort);
    if lines.is_empty() {
        let names: Vec<&str> = groups.iter().map(|(name, _)| *name).collect();
        return Err(format!("nothing is called like that; there are: {}", names.join(", ")));
    }
    if let Some(path) = &arguments.svg {
        std::fs::write(path, chart::draw(&lines)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(match arguments.json {
        true => format!("{:#}", lines.iter().map(Line::to_json).collect::<Value>()),
        false => table::render(&lines),
    })
}

fn measure_lines(groups: &[lines::Group], arguments: &Arguments, effort: Effort) -> Vec<Line> {
    let wanted = groups.iter().filter(|(name, _)| arguments.wants_of(name));
    let measured = wanted.flat_map(|(name, measure)| {
        eprintln!("measuring {name}");
        measure(effort)
    });
    measured.filter(|line| arguments.wants(&line.name)).collect()
}
