//! The recording of a server on disk: all commands and ticks.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, bail};
use ugas_core::command::Command;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;
use ugas_net::TickLength;
use ugas_replay::{RecordError, Recorder, Settings};

use super::background_file::BackgroundFile;
use crate::overwrite::ensure_replaceable;
use crate::{online, replay};

/// Time between key frames, in microseconds: states of many players are large, and ten seconds are replayed
/// quickly.
const KEY_MICROS: u32 = 10_000_000;

/// Maximum size in bytes: what `ugas replay` opens, with room for one more tick and key frame.
const MAX_BYTES: u64 = replay::MAX_BYTES / 8 * 7;

/// A recording. Each tick goes to the disk when it ends, by a thread of its own, so that memory does not grow,
/// a slow disk does not delay the game, and the file of a killed server is readable.
pub(super) struct ServerRecording {
    state: State,
    file: PathBuf,
    /// Maximum size in bytes.
    max_bytes: u64,
    /// Whether the end of the recording was reported.
    is_reported: bool,
}

/// Output of a recording.
trait RecordingOutput: Write + Send {
    /// Waits until everything is safe on the disk.
    fn finish(&mut self) -> io::Result<()>;
}

impl RecordingOutput for BackgroundFile {
    fn finish(&mut self) -> io::Result<()> {
        Self::finish(self)
    }
}

enum State {
    Running(Box<Recorder<Box<dyn RecordingOutput>>>),
    /// Finished at this time, and written by a thread.
    Ended(Time, Option<JoinHandle<io::Result<()>>>),
    Failed {
        ticks: u64,
        error: RecordError,
    },
    /// Between two states.
    Changing,
}

impl ServerRecording {
    /// Returns an error if the file exists and is not a recording.
    pub(super) fn ensure_replaceable(file: &Path) -> anyhow::Result<()> {
        let magic = ugas_replay::format::MAGIC;
        ensure_replaceable(file, "a recording", magic.len() as u64, |start| start == magic)
    }

    /// Begins a recording with the current state, in a new file: with a number in its name if the file exists.
    /// A thread writes it, and syncs it at intervals.
    pub(super) fn begin(
        file: &Path,
        sync_every: Duration,
        simulation: &Simulation,
        length: TickLength,
        title: &str,
    ) -> anyhow::Result<Self> {
        let context = || format!("`{}` cannot be written", file.display());
        let (writer, file) = BackgroundFile::create(file, sync_every).with_context(context)?;
        Self::begin_with(Box::new(writer), &file, simulation, length, title).with_context(context)
    }

    /// Recording to any writer, for tests. `file` is only the name in messages.
    fn begin_with(
        writer: Box<dyn RecordingOutput>,
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
        Ok(Self { state, file: file.to_owned(), max_bytes: MAX_BYTES, is_reported: false })
    }

    /// The file; `None` once nothing more is written.
    pub(super) fn file(&self) -> Option<&Path> {
        matches!(self.state, State::Running(_)).then_some(&self.file)
    }

    /// Records a command that is about to be executed; nothing once the recording has ended.
    pub(super) fn before(&mut self, command: &Command) {
        if let State::Running(recorder) = &mut self.state {
            recorder.before(command);
        }
    }

    /// Records the state after a command. Ends the recording at its largest size, or after an error.
    pub(super) fn after(&mut self, simulation: &Simulation) {
        let State::Running(recorder) = &mut self.state else { return };
        recorder.after(simulation);
        if recorder.bytes() > self.max_bytes || recorder.error().is_some() {
            self.end(simulation);
        }
    }

    /// Records the name of a controller.
    pub(super) fn name(&mut self, controller: ControllerId, name: &str) {
        if let State::Running(recorder) = &mut self.state {
            recorder.name(controller, name);
        }
    }

    /// The reason why recording has stopped, once. The game continues even if the disk is full.
    pub(super) fn take_problem(&mut self) -> Option<String> {
        let why = match &self.state {
            State::Ended(..) => "it has reached the maximum size".to_owned(),
            State::Failed { error, .. } => error.to_string(),
            State::Running(_) | State::Changing => return None,
        };
        let is_reported = core::mem::replace(&mut self.is_reported, true);
        (!is_reported).then(|| format!("the recording `{}` ends here: {why}", self.file.display()))
    }

    /// Ends the recording, and returns a message with its path.
    ///
    /// # Errors
    /// If not everything could be written.
    pub(super) fn finish(mut self, simulation: &Simulation) -> anyhow::Result<String> {
        self.end(simulation);
        let file = online::quoted(&self.file);
        match self.state {
            State::Ended(time, writing) => {
                let written = writing.map(JoinHandle::join);
                match written {
                    Some(Ok(Ok(()))) | None => {}
                    Some(Ok(Err(error))) => bail!("{file} is cut: {error}"),
                    Some(Err(_)) => bail!("{file} is cut: the thread that writes it has failed"),
                }
                Ok(format!("recorded until {} s: ugas replay {file}\n", time.as_seconds()))
            }
            State::Failed { ticks, error } => {
                bail!("{file} has {ticks} ticks; later ones could not be written: {error}")
            }
            State::Running(_) | State::Changing => bail!("{file} was not finished"),
        }
    }

    /// Finishes the recorder, and keeps when or why it ended. Nothing happens if it has ended.
    fn end(&mut self, simulation: &Simulation) {
        self.state = match core::mem::replace(&mut self.state, State::Changing) {
            State::Running(recorder) => {
                let ticks = recorder.ticks();
                match recorder.finish(simulation) {
                    Ok(mut output) => {
                        // The disk may be slow, and the game may go on.
                        let writing = std::thread::Builder::new().spawn(move || output.finish());
                        State::Ended(simulation.now(), writing.ok())
                    }
                    Err(error) => State::Failed { ticks, error },
                }
            }
            over => over,
        };
    }
}

#[cfg(test)]
mod tests {
    use ugas_core::catalog::Catalog;
    use ugas_core::simulation::Config;
    use ugas_core::time::Span;

    use super::*;

    /// A writer that fails after a number of bytes, like a full disk.
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

    impl RecordingOutput for Disk {
        fn finish(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn play(recording: &mut ServerRecording, simulation: &mut Simulation) -> Vec<String> {
        let mut problems = Vec::new();
        for _ in 0..200 {
            let tick = Command::Advance(Span::millis(20));
            recording.before(&tick);
            simulation.execute(tick).unwrap();
            recording.after(simulation);
            problems.extend(recording.take_problem());
        }
        problems
    }

    fn begun(bytes: usize) -> (ServerRecording, Simulation) {
        let simulation = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
        let file = Path::new("match.ugasrec");
        let (disk, length) = (Box::new(Disk(bytes)), TickLength::hertz(50));
        (ServerRecording::begin_with(disk, file, &simulation, length, "a server").unwrap(), simulation)
    }

    #[test]
    fn recording_of_maximum_size_is_finished() {
        let (mut recording, mut simulation) = begun(usize::MAX);
        recording.max_bytes = 3_000;
        let problems = play(&mut recording, &mut simulation);
        assert_eq!(problems, ["the recording `match.ugasrec` ends here: it has reached the maximum size"]);
        assert_eq!(recording.file(), None);
        let end = recording.finish(&simulation).unwrap();
        assert!(end.starts_with("recorded until ") && !end.contains(" 4 s"), "{end}");
    }

    /// A disk that takes nothing until its sender is dropped.
    struct StuckDisk(std::sync::mpsc::Receiver<()>);

    impl Write for StuckDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl crate::serve::background_file::Sync for StuckDisk {
        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn recording_to_a_stuck_disk_ends_while_the_game_goes_on() {
        let (free, stuck) = std::sync::mpsc::channel();
        let file = BackgroundFile::to(StuckDisk(stuck), Duration::from_secs(1)).unwrap();
        let mut simulation = Simulation::new(Catalog::builder().build().unwrap(), Config::default());
        let (path, length) = (Path::new("match.ugasrec"), TickLength::hertz(50));
        let begun = ServerRecording::begin_with(Box::new(file), path, &simulation, length, "a server");
        let mut recording = begun.unwrap();
        // Each tick is at least one of the 65,536 pieces that may wait.
        let problems: Vec<String> = (0..400).flat_map(|_| play(&mut recording, &mut simulation)).collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("the disk is too slow"), "{problems:?}");
        assert!(recording.finish(&simulation).is_err());
        drop(free);
    }

    #[test]
    fn full_disk_is_reported_once_and_at_the_end() {
        let (mut recording, mut simulation) = begun(2_000);
        let problems = play(&mut recording, &mut simulation);
        assert_eq!(problems.len(), 1);
        assert!(
            problems[0].contains("match.ugasrec") && problems[0].contains("the disk is full"),
            "{problems:?}"
        );
        assert!(recording.finish(&simulation).is_err());
    }
}
