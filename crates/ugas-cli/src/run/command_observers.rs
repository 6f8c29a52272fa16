//! Observers of a scenario's commands: a recorder, and the sync test.

use core::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use ugas_core::command::Command;
use ugas_core::debug::ControllerNames;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_data::scenario::{CommandObserver, Failure, Outcome, Scenario};
use ugas_replay::{Recorder, Settings, SyncTest};

use crate::output::count;

/// Records a scenario to a file.
pub(super) struct FileRecorder {
    path: PathBuf,
    settings: Settings,
    recorder: Option<Recorder<File>>,
    /// Message about the written file, at the end.
    written: Option<String>,
    error: Option<anyhow::Error>,
}

impl FileRecorder {
    pub(super) fn new(path: &Path, scenario: &Scenario) -> Self {
        let file = scenario.path().to_string_lossy().into_owned();
        let labels = vec![("scenario".to_owned(), scenario.name().to_owned()), ("file".to_owned(), file)];
        let settings = Settings { labels, ..Settings::default() };
        Self { path: path.to_owned(), settings, recorder: None, written: None, error: None }
    }

    /// The message about the written file; `None` if the scenario never began.
    pub(super) fn finish(self) -> anyhow::Result<Option<String>> {
        self.error.map_or(Ok(self.written), Err)
    }

    fn create(&self, simulation: &Simulation) -> anyhow::Result<Recorder<File>> {
        Ok(Recorder::new(File::create(&self.path)?, simulation, self.settings.clone())?)
    }

    /// Keeps the first error of writing, for the end of the run.
    fn set_error(&mut self, error: anyhow::Error) {
        let shown = self.path.display();
        self.error.get_or_insert(error.context(format!("`{shown}` cannot be written")));
    }
}

impl CommandObserver for FileRecorder {
    fn begin(&mut self, simulation: &Simulation) {
        match self.create(simulation) {
            Ok(recorder) => self.recorder = Some(recorder),
            Err(error) => self.set_error(error),
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
            Err(error) => self.set_error(error.into()),
        }
    }
}

/// Runs the sync test on a scenario.
pub(super) struct SyncTestObserver {
    depth: u32,
    test: Option<SyncTest>,
    names: ControllerNames,
}

impl SyncTestObserver {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, test: None, names: ControllerNames::default() }
    }
}

impl CommandObserver for SyncTestObserver {
    fn begin(&mut self, simulation: &Simulation) {
        self.test = Some(SyncTest::new(simulation, self.depth));
    }

    fn name(&mut self, controller: ControllerId, name: &str) {
        self.names.insert(controller, name);
    }

    fn before(&mut self, _: &Simulation, command: &Command) {
        if let Some(test) = &mut self.test {
            test.before(command);
        }
    }

    fn after(&mut self, simulation: &Simulation) {
        let names = &self.names;
        if let Some(test) = &mut self.test {
            test.after(simulation, |id| names.of(simulation, id));
        }
    }
}

/// Summary of the sync test over all scenarios.
#[derive(Clone, Copy)]
pub(super) struct SyncTestSummary {
    pub(super) depth: u32,
    commands: u64,
    failures: u64,
}

impl SyncTestSummary {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, commands: 0, failures: 0 }
    }

    /// Adds a scenario; a failure of the test becomes a failure of the scenario.
    pub(super) fn add(&mut self, observer: SyncTestObserver, outcome: &mut Outcome) {
        let Some(test) = observer.test else { return };
        self.commands = self.commands.saturating_add(test.steps());
        if let Some(failure) = test.failure() {
            self.failures += 1;
            outcome.failures.push(Failure {
                step: None,
                line: 1,
                expected: "the same state after restoring".to_owned(),
                actual: "a different state".to_owned(),
                message: format!("sync test: {failure}"),
                ..Failure::default()
            });
        }
    }

    pub(super) fn to_json(self) -> Value {
        json!({ "depth": self.depth, "commands": self.commands, "failures": self.failures })
    }
}

impl fmt::Display for SyncTestSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, commands, failures } = *self;
        let differences = count(usize::try_from(failures).unwrap_or(usize::MAX), "difference");
        writeln!(
            f,
            "sync test: {commands} commands, each repeated from {depth} commands before, {differences}"
        )
    }
}
