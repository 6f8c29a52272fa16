//! A scenario as a recording in memory.

use anyhow::Context;
use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_data::scenario::CommandWitness;
use ugas_replay::{RecordError, Recorder, Settings};

/// Ticks from one key frame to the next: going back should feel instant.
const KEY_EVERY: u32 = 32;

/// Records what a scenario does.
#[derive(Default)]
pub(super) struct Tape {
    recorder: Option<Recorder<Vec<u8>>>,
    bytes: Option<Result<Vec<u8>, RecordError>>,
}

impl Tape {
    pub(super) fn finish(self, scenario: &str) -> anyhow::Result<Vec<u8>> {
        let bytes = self.bytes.with_context(|| format!("`{scenario}` did not begin"))?;
        Ok(bytes?)
    }
}

impl CommandWitness for Tape {
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
