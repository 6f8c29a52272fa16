//! The command line.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Measures the performance goals, compared with floors and peers in the same run.

Usage: ugas-bench [TASK] [OPTIONS]

Tasks:
  (none)        the table of goals: ours, peer, floor, ratio, goal, allocations, verdict
  --workloads   whole games, compared with a naive and a competent implementation of the same rules
  --scaling     time of one operation against the size of everything that users control
  --count       instructions of the hottest operations, counted by valgrind, compared with the recorded ones
  --count-rewrite   counts and records them

Options:
  --only NAME   only lines or curves whose name begins with NAME; repeatable
  --quick       few rounds and small populations: a smoke test without meaningful times
  --json        the table as JSON; a ratio is ours divided by floor, peer or limit
  --svg FILE    also writes a chart of the distance of each line from its goal
  --into FILE   also writes the result into a document, between its markers
  --help        this help";

/// Task to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    Help,
    Table,
    Workloads,
    Scaling,
    /// Instructions of the hottest operations.
    Count(Keeping),
    /// One operation, run by `Count` under valgrind.
    CountOne(String),
}

impl Task {
    /// Name of its section in a document.
    pub(crate) fn section(&self) -> &'static str {
        match self {
            Self::Workloads => "workloads",
            Self::Scaling => "scaling",
            _ => "table",
        }
    }
}

/// Whether to compare or record counted instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keeping {
    Compare,
    Rewrite,
}

/// Parsed arguments.
pub(crate) struct Arguments {
    pub(crate) task: Task,
    pub(crate) quick: bool,
    pub(crate) json: bool,
    /// File for the chart.
    pub(crate) svg: Option<PathBuf>,
    /// Document to write the result into.
    pub(crate) into: Option<PathBuf>,
    only: Vec<String>,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments =
            Self { task: Task::Table, quick: false, json: false, svg: None, into: None, only: Vec::new() };
        let mut tasks: Vec<(String, Task)> = Vec::new();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => tasks.push((word, Task::Help)),
                "--workloads" => tasks.push((word, Task::Workloads)),
                "--scaling" => tasks.push((word, Task::Scaling)),
                "--count" => tasks.push((word, Task::Count(Keeping::Compare))),
                "--count-rewrite" => tasks.push((word, Task::Count(Keeping::Rewrite))),
                "--count-one" => {
                    let name = value()?;
                    tasks.push((word, Task::CountOne(name)));
                }
                "--quick" => arguments.quick = true,
                "--json" => arguments.json = true,
                "--svg" => arguments.svg = Some(value()?.into()),
                "--into" => arguments.into = Some(value()?.into()),
                "--only" => arguments.only.push(value()?),
                _ => return Err(format!("unknown argument {word}")),
            }
        }
        arguments.task = one_of(tasks)?;
        arguments.check()?;
        Ok(arguments)
    }

    /// Rejects combinations whose result would be useless or incomplete.
    fn check(&self) -> Result<(), String> {
        if self.into.is_some() && (self.quick || self.json || !self.only.is_empty()) {
            return Err("--into writes a complete table: leave out --only, --quick and --json".to_owned());
        }
        if self.task == Task::Count(Keeping::Rewrite) && !self.only.is_empty() {
            return Err("--count-rewrite records all operations: leave out --only".to_owned());
        }
        let has_lines = matches!(self.task, Task::Table | Task::Workloads | Task::Help);
        if !has_lines && (self.json || self.svg.is_some()) {
            return Err("--json and --svg go with the table and with --workloads".to_owned());
        }
        let folders = self.svg.iter().chain(&self.into).filter_map(|path| path.parent());
        match folders.into_iter().find(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
            Some(folder) => Err(format!("the output folder {} does not exist", folder.display())),
            None => Ok(()),
        }
    }

    /// Checks before measuring that each `--only` may match a group.
    pub(crate) fn check_groups(&self, groups: &[&str]) -> Result<(), String> {
        self.check_only(groups, |group, only| group.starts_with(only) || only.starts_with(group))
    }

    /// Checks that each `--only` matches a name.
    pub(crate) fn check_names(&self, names: &[&str]) -> Result<(), String> {
        self.check_only(names, |name, only| name.starts_with(only))
    }

    fn check_only(&self, names: &[&str], is_named: fn(&str, &str) -> bool) -> Result<(), String> {
        match self.only.iter().find(|only| !names.iter().any(|name| is_named(name, only))) {
            Some(only) => Err(format!("no benchmark matches `{only}`; available are: {}", names.join(", "))),
            None => Ok(()),
        }
    }

    /// Whether a part of this group is selected.
    pub(crate) fn wants_of(&self, group: &str) -> bool {
        self.wants(group) || self.only.iter().any(|only| only.starts_with(group))
    }

    /// Whether this name is selected.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }
}

/// The selected task; the table by default.
fn one_of(mut tasks: Vec<(String, Task)>) -> Result<Task, String> {
    if tasks.iter().any(|(_, task)| *task == Task::Help) {
        return Ok(Task::Help);
    }
    tasks.dedup_by(|(_, one), (_, other)| one == other);
    if let [(one, _), (other, _), ..] = &tasks[..] {
        return Err(format!("{one} and {other} cannot be combined: choose one task"));
    }
    Ok(tasks.pop().map_or(Task::Table, |(_, task)| task))
}
