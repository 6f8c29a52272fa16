//! What happens on a server, as a recording on disk: every command, whoever it is from, and every tick.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;
use ugas_net::TickLength;
use ugas_replay::{RecordError, Recorder, Settings};

use crate::overwrite::ensure_replaceable;
use crate::{online, replay};

/// Time from one key frame to the next: a state of many players is large, and ten seconds are simulated again in no time.
const KEY_MICROS: u32 = 10_000_000;

/// Longest recording: with room for one more tick and key frame, what `ugas replay` opens.
const MOST: u64 = replay::LARGEST / 8 * 7;

/// A recording. Each tick goes to the file when it is over, so that memory does not grow with the game, and a
/// server that is killed leaves what can be played.
pub(super) struct Tape {
    state: State,
    file: PathBuf,
    most: u64,
    is_told: bool,
}

enum State {
    Running(Box<Recorder<Box<dyn Write + Send>>>),
    /// It is whole.
    Ended(Time),
    Failed {
        ticks: u64,
        error: RecordError,
    },
    /// Between two of these.
    Turning,
}

impl Tape {
    /// Complains about a file that is something else than a recording.
    pub(super) fn ensure_replaceable(file: &Path) -> anyhow::Result<()> {
        let magic = ugas_replay::format::MAGIC;
        ensure_replaceable(file, "a recording", magic.len() as u64, |start| start == magic)
    }

    /// Begins, with the state as it is now.
    pub(super) fn begin(
        file: &Path,
        simulation: &Simulation,
        length: TickLength,
        title: &str,
    ) -> anyhow::Result<Self> {
        let opened = File::create(file);
        let context = || format!("`{}` cannot be written", file.display());
        let writer = Box::new(opened.with_context(context)?);
        Self::begin_with(writer, file, simulation, length, title).with_context(context)
    }

    fn begin_with(
        writer: Box<dyn Write + Send>,
        file: &Path,
        simulation: &Simulation,
        length: TickLength,
        title: &str,
    ) -> Result<Self, RecordError> {
        let settings = Settings {
            key_every: KEY_MICROS / length.micros().max(1),
            labels: vec![("server".to_owned(), title.to_owned())],
            ..Settings::default()
        };
        let recorder = Recorder::new(writer, simulation, settings)?;
        let state = State::Running(Box::new(recorder));
        Ok(Self { state, file: file.to_owned(), most: MOST, is_told: false })
    }

    /// Where it goes; `None` once nothing more is written.
    pub(super) fn file(&self) -> Option<&Path> {
        matches!(self.state, State::Running(_)).then_some(&self.file)
    }

    pub(super) fn before(&mut self, command: &Command) {
        if let State::Running(recorder) = &mut self.state {
            recorder.before(command);
        }
    }

    pub(super) fn after(&mut self, simulation: &Simulation) {
        let State::Running(recorder) = &mut self.state else { return };
        recorder.after(simulation);
        if recorder.bytes() > self.most || recorder.error().is_some() {
            self.end(simulation);
        }
    }

    /// Notes what a controller is called.
    pub(super) fn name(&mut self, controller: ControllerId, name: &str) {
        if let State::Running(recorder) = &mut self.state {
            recorder.name(controller, name);
        }
    }

    /// Why nothing is recorded any more, told once: the game goes on although a disk is full.
    pub(super) fn take_problem(&mut self) -> Option<String> {
        let why = match &self.state {
            State::Ended(_) => "it is as long as a recording may be".to_owned(),
            State::Failed { error, .. } => error.to_string(),
            State::Running(_) | State::Turning => return None,
        };
        let is_told = core::mem::replace(&mut self.is_told, true);
        (!is_told).then(|| format!("the recording `{}` ends here: {why}", self.file.display()))
    }

    /// Ends it, and says where it is.
    ///
    /// # Errors
    /// If not everything could be written.
    pub(super) fn finish(mut self, simulation: &Simulation) -> anyhow::Result<String> {
        self.end(simulation);
        let file = online::quoted(&self.file);
        match self.state {
            State::Ended(time) => Ok(format!("recorded until {} s: ugas replay {file}\n", time.as_seconds())),
            State::Failed { ticks, error } => {
                bail!("{file} has {ticks} ticks, and what came later could not be written: {error}")
            }
            State::Running(_) | State::Turning => bail!("{file} was not finished"),
        }
    }

    fn end(&mut self, simulation: &Simulation) {
        self.state = match core::mem::replace(&mut self.state, State::Turning) {
            State::Running(recorder) => {
                let ticks = recorder.ticks();
                match recorder.finish(simulation) {
                    Ok(_) => State::Ended(simulation.now()),
                    Err(error) => State::Failed { ticks, error },
                }
            }
            over => over,
        };
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use ugas_core::catalog::Catalog;
    use ugas_core::simulation::Config;
    use ugas_core::time::Span;

    use super::*;

    /// A disk with so many bytes left.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("the disk is full"))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn play(tape: &mut Tape, simulation: &mut Simulation) -> Vec<String> {
        let mut told = Vec::new();
        for _ in 0..200 {
            let tick = Command::Advance(Span::millis(20));
            tape.before(&tick);
            simulation.execute(tick).unwrap();
            tape.after(simulation);
            told.extend(tape.take_problem());
        }
        told
    }

    fn begun(bytes: usize) -> (Tape, Simulation) {
        let simulation = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
        let file = Path::new("match.ugasrec");
        let (disk, length) = (Box::new(Disk(bytes)), TickLength::hertz(50));
        (Tape::begin_with(disk, file, &simulation, length, "a server").unwrap(), simulation)
    }

    #[test]
    fn a_recording_that_is_too_long_is_ended_whole() {
        let (mut tape, mut simulation) = begun(usize::MAX);
        tape.most = 3_000;
        let told = play(&mut tape, &mut simulation);
        assert_eq!(told, ["the recording `match.ugasrec` ends here: it is as long as a recording may be"]);
        assert_eq!(tape.file(), None);
        let end = tape.finish(&simulation).unwrap();
        assert!(end.starts_with("recorded until ") && !end.contains(" 4 s"), "{end}");
    }

    #[test]
    fn a_full_disk_is_told_of_once_and_again_at_the_end() {
        let (mut tape, mut simulation) = begun(2_000);
        let told = play(&mut tape, &mut simulation);
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("match.ugasrec") && told[0].contains("the disk is full"), "{told:?}");
        assert!(tape.finish(&simulation).is_err());
    }
}
