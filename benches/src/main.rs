//! Measures promises about speed beside floors and peers, inside one run. `--help` says how.

mod allocator;
mod arguments;
mod count;
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
    match &arguments.task {
        Task::Help => println!("{}", arguments::HELP),
        Task::Table | Task::Workloads => {
            let groups =
                if arguments.task == Task::Table { &lines::GROUPS[..] } else { &workloads::GROUPS[..] };
            let lines = measure_lines(groups, &arguments, effort);
            if arguments.json {
                println!("{:#}", lines.iter().map(Line::to_json).collect::<Value>());
            } else {
                table::print(&lines);
            }
        }
        Task::Scaling => scaling::print(&arguments, effort),
        Task::Count(keeping) => return count::run(*keeping, &arguments),
        Task::CountOne(name) => return count::one(name),
    }
    ExitCode::SUCCESS
}

fn measure_lines(groups: &[lines::Group], arguments: &Arguments, effort: Effort) -> Vec<Line> {
    let wanted = groups.iter().filter(|(name, _)| arguments.wants(name));
    wanted
        .flat_map(|(name, measure)| {
            eprintln!("measuring {name}");
            measure(effort)
        })
        .collect()
}
