//! What sees every command of a scenario: a recorder, or the sync test.

use core::fmt;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_data::scenario::{CommandWitness, Failure, Outcome, Scenario};
use ugas_replay::{Recorder, Settings, SyncTest};

use crate::output::count;

/// Records a scenario to a file.
pub(super) struct Tape {
    path: PathBuf,
    settings: Settings,
    recorder: Option<Recorder<File>>,
    /// What was written, once it is.
    written: Option<String>,
    error: Option<anyhow::Error>,
}

impl Tape {
    pub(super) fn new(path: &Path, scenario: &Scenario) -> Self {
        let file = scenario.path().to_string_lossy().into_owned();
        let labels = vec![("scenario".to_owned(), scenario.name().to_owned()), ("file".to_owned(), file)];
        let settings = Settings { labels, ..Settings::default() };
        Self { path: path.to_owned(), settings, recorder: None, written: None, error: None }
    }

    /// Says what was written, or what went wrong.
    pub(super) fn finish(self) -> anyhow::Result<Option<String>> {
        self.error.map_or(Ok(self.written), Err)
    }

    fn create(&self, simulation: &Simulation) -> anyhow::Result<Recorder<File>> {
        Ok(Recorder::new(File::create(&self.path)?, simulation, self.settings.clone())?)
    }

    fn complain(&mut self, error: anyhow::Error) {
        let shown = self.path.display();
        self.error.get_or_insert(error.context(format!("`{shown}` cannot be written")));
    }
}

impl CommandWitness for Tape {
    fn begin(&mut self, simulation: &Simulation) {
        match self.create(simulation) {
            Ok(recorder) => self.recorder = Some(recorder),
            Err(error) => self.complain(error),
        }
    }

    fn name(&mut self, controller: ControllerId, name: &str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.name(controller, name);
        }
    }

    fn before(&mut self, _: &Simulation, command: &Command) {
        if let Some(recorder) = &mut self.recorder {
            recorder.before(command);
        }
    }

    fn after(&mut self, simulation: &Simulation) {
        if let Some(recorder) = &mut self.recorder {
            recorder.after(simulation);
        }
    }

    fn end(&mut self, simulation: &Simulation) {
        let Some(recorder) = self.recorder.take() else { return };
        match recorder.finish(simulation) {
            Ok(_) => {
                let (shown, end) = (self.path.display(), simulation.now().as_seconds());
                self.written = Some(format!("recorded until {end} s: ugas replay {shown}"));
            }
            Err(error) => self.complain(error.into()),
        }
    }
}

/// Does the sync test over a scenario.
pub(super) struct Rerun {
    depth: u32,
    test: Option<SyncTest>,
    names: BTreeMap<ControllerId, String>,
}

impl Rerun {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, test: None, names: BTreeMap::new() }
    }
}

impl CommandWitness for Rerun {
    fn begin(&mut self, simulation: &Simulation) {
        self.test = Some(SyncTest::new(simulation, self.depth));
    }

    fn name(&mut self, controller: ControllerId, name: &str) {
        self.names.insert(controller, name.to_owned());
    }

    fn before(&mut self, _: &Simulation, command: &Command) {
        if let Some(test) = &mut self.test {
            test.before(command);
        }
    }

    fn after(&mut self, simulation: &Simulation) {
        let names = &self.names;
        if let Some(test) = &mut self.test {
            test.after(simulation, |id| names.get(&id).cloned().unwrap_or_else(|| format!("{id:?}")));
        }
    }
}

/// What the sync test has seen so far.
#[derive(Clone, Copy)]
pub(super) struct SyncTested {
    pub(super) depth: u32,
    commands: u64,
    failures: u64,
}

impl SyncTested {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, commands: 0, failures: 0 }
    }

    /// Counts a scenario; what the test found is a failure of it.
    pub(super) fn take_in(&mut self, rerun: Rerun, outcome: &mut Outcome) {
        let Some(test) = rerun.test else { return };
        self.commands = self.commands.saturating_add(test.steps());
        if let Some(failure) = test.failure() {
            self.failures += 1;
            outcome.failures.push(Failure {
                step: None,
                line: 1,
                expected: "the same state after restoring".to_owned(),
                actual: "another".to_owned(),
                message: format!("sync test: {failure}"),
            });
        }
    }

    pub(super) fn to_json(self) -> Value {
        json!({ "depth": self.depth, "commands": self.commands, "failures": self.failures })
    }
}

impl fmt::Display for SyncTested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, commands, failures } = *self;
        let differences = count(usize::try_from(failures).unwrap_or(usize::MAX), "difference");
        writeln!(f, "sync test: {commands} commands, each after restoring {depth} before it, {differences}")
    }
}
