//! Recorder of a scenario, in memory.

use anyhow::Context;
use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_data::scenario::CommandObserver;
use ugas_replay::{RecordError, Recorder, Settings};

/// Number of ticks between key frames: few, so that seeking back is fast.
const KEY_EVERY: u32 = 32;

/// Records a scenario.
#[derive(Default)]
pub(super) struct ScenarioRecorder {
    recorder: Option<Recorder<Vec<u8>>>,
    bytes: Option<Result<Vec<u8>, RecordError>>,
}

impl ScenarioRecorder {
    /// The finished recording; an error if the scenario never began or recording failed.
    pub(super) fn finish(self, scenario: &str) -> anyhow::Result<Vec<u8>> {
        let bytes = self.bytes.with_context(|| format!("the scenario `{scenario}` could not be started"))?;
        Ok(bytes?)
    }
}

impl CommandObserver for ScenarioRecorder {
    fn begin(&mut self, simulation: &Simulation) {
        let settings = Settings { key_every: KEY_EVERY, ..Settings::default() };
        match Recorder::new(Vec::new(), simulation, settings) {
            Ok(recorder) => self.recorder = Some(recorder),
            Err(error) => self.bytes = Some(Err(error)),
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
        if let Some(recorder) = self.recorder.take() {
            self.bytes = Some(recorder.finish(simulation));
        }
    }
}
