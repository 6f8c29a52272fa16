//! The command line.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
Measures promises about speed, beside floors and peers, inside one run.

Usage: ugas-bench [TASK] [OPTIONS]

Tasks:
  (none)        the table of promises: ours, peer, floor, ratio, goal, allocations, verdict
  --workloads   whole games, beside a naive implementation of the same rules
  --scaling     time for one operation against the size of everything that users decide
  --count       instructions of the hottest operations, counted by valgrind, beside those on record
  --count-rewrite   counts them and puts them on record

Options:
  --only NAME   only lines or curves whose name begins so; may be given several times
  --quick       few rounds and small populations: that it works, not how fast it is
  --json        the table as JSON; a ratio is ours divided by floor, peer or what is allowed
  --svg FILE    also draws the table: how far each line is from its goal
  --into FILE   also puts the result into a document, between its marks
  --help        this";

/// What to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    Help,
    Table,
    Workloads,
    Scaling,
    /// Instructions of the hottest operations.
    Count(Keeping),
    /// One of them, to be run by the task above under valgrind.
    CountOne(String),
}

impl Task {
    /// How its part of a document is marked.
    pub(crate) fn section(&self) -> &'static str {
        match self {
            Self::Workloads => "workloads",
            Self::Scaling => "scaling",
            _ => "table",
        }
    }
}

/// What to do with counted instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keeping {
    Compare,
    Rewrite,
}

/// What was asked for.
pub(crate) struct Arguments {
    pub(crate) task: Task,
    pub(crate) quick: bool,
    pub(crate) json: bool,
    /// Where to draw the table.
    pub(crate) svg: Option<PathBuf>,
    /// The document to put the result into.
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

    /// What would be measured and then be of no use, or take the place of what is.
    fn check(&self) -> Result<(), String> {
        if self.into.is_some() && (self.quick || self.json || !self.only.is_empty()) {
            return Err("--into puts a whole table into its document: leave out --only, --quick and --json"
                .to_owned());
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
            Some(folder) => Err(format!("the folder to write to, {}, is not there", folder.display())),
            None => Ok(()),
        }
    }

    /// That some group may have what each `--only` names, before anything is measured.
    pub(crate) fn check_groups(&self, groups: &[&str]) -> Result<(), String> {
        self.check_only(groups, |group, only| group.starts_with(only) || only.starts_with(group))
    }

    /// That each `--only` names something.
    pub(crate) fn check_names(&self, names: &[&str]) -> Result<(), String> {
        self.check_only(names, |name, only| name.starts_with(only))
    }

    fn check_only(&self, names: &[&str], is_named: fn(&str, &str) -> bool) -> Result<(), String> {
        match self.only.iter().find(|only| !names.iter().any(|name| is_named(name, only))) {
            Some(only) => Err(format!("nothing is called `{only}`; there are: {}", names.join(", "))),
            None => Ok(()),
        }
    }

    /// Whether some of what is measured under this name is wanted.
    pub(crate) fn wants_of(&self, group: &str) -> bool {
        self.wants(group) || self.only.iter().any(|only| only.starts_with(group))
    }

    /// Whether something of this name is to be measured.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }
}

/// The task among those that were named; the table if none was.
fn one_of(mut tasks: Vec<(String, Task)>) -> Result<Task, String> {
    if tasks.iter().any(|(_, task)| *task == Task::Help) {
        return Ok(Task::Help);
    }
    tasks.dedup_by(|(_, one), (_, other)| one == other);
    if let [(one, _), (other, _), ..] = &tasks[..] {
        return Err(format!("{one} and {other} are two tasks: name one"));
    }
    Ok(tasks.pop().map_or(Task::Table, |(_, task)| task))
}
