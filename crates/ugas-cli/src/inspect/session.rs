//! A session of `ugas inspect`: runs until Ctrl-C, and continues the game if edits are allowed.

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Span;
use ugas_inspect::{Inspector, Pace, Settings};
use ugas_replay::{Recorder, Settings as RecordSettings};

use crate::overwrite::ensure_replaceable;
use crate::replay::RecordingPlayer;

/// Tick length of a continued game.
const TICK: Duration = Duration::from_millis(50);

/// Maximum number of ticks at once: the maximum speed, without catching up.
const MAX_TICKS: u32 = 100;

pub(super) struct Session {
    inspector: Inspector,
    game: Option<ContinuedGame>,
}

/// A game that continues from the end of a recording.
struct ContinuedGame {
    simulation: Simulation,
    recorder: Recorder<Box<dyn Write>>,
    file: Option<PathBuf>,
    is_failed: bool,
}

impl Session {
    /// Session that shows a finished recording, without a game that goes on.
    pub(super) fn over(inspector: Inspector) -> Self {
        Self { inspector, game: None }
    }

    /// Continues from the end, paused. The new recording includes the previous ticks.
    pub(super) fn continuing(
        address: SocketAddr,
        settings: Settings,
        mut player: RecordingPlayer,
        file: Option<&Path>,
    ) -> anyhow::Result<Self> {
        let writer: Box<dyn Write> = match file {
            Some(file) => {
                let magic = ugas_replay::format::MAGIC;
                ensure_replaceable(file, "a recording", magic.len() as u64, |start| start == magic)?;
                Box::new(
                    File::create(file).with_context(|| format!("`{}` cannot be written", file.display()))?,
                )
            }
            None => Box::new(std::io::sink()),
        };
        player.seek_tick(0)?;
        let mut simulation = player.simulation().clone();
        let mut recorder = Recorder::new(writer, &simulation, RecordSettings::default())?;
        let names: Vec<(ControllerId, String)> =
            player.recording().names().map(|(id, name)| (id, name.to_owned())).collect();
        names.iter().for_each(|(id, name)| recorder.name(*id, name));
        while !player.is_at_end() {
            let before = player.position().time;
            for command in player.commands()? {
                // A command that was refused then is refused now, too.
                let _ = recorder.execute(&mut simulation, command);
            }
            player.step()?;
            recorder.advance(&mut simulation, player.position().time.since(before));
            simulation.events().for_each(drop);
        }
        let inspector = Inspector::continuing(address, settings.allow_edit(), player)?;
        inspector.set_pace(Pace { paused: true, ..Pace::default() });
        inspector.set_recording(file.map(|file| file.display().to_string()));
        let game = ContinuedGame { simulation, recorder, file: file.map(Path::to_owned), is_failed: false };
        Ok(Self { inspector, game: Some(game) })
    }

    pub(super) fn inspector(&self) -> &Inspector {
        &self.inspector
    }

    /// Runs until Ctrl-C; a continued game advances meanwhile, and its recording is finished at the end.
    pub(super) fn run(mut self) -> anyhow::Result<()> {
        let stopped = interrupts()?;
        let mut owed = 0.0;
        while !stopped.load(Ordering::Relaxed) {
            let began = Instant::now();
            if let Some(game) = &mut self.game {
                owed = game.tick(&self.inspector, owed);
            }
            std::thread::sleep(TICK.saturating_sub(began.elapsed()));
        }
        match self.game {
            Some(game) => game.finish(),
            None => Ok(()),
        }
    }
}

impl ContinuedGame {
    /// One round of the loop: executes the page's edits, advances by the ticks due at its pace, or by one
    /// step while paused, records all of it, and shows the result on the page. Returns the remaining fraction
    /// of a tick. A failed recording is reported once; the game continues.
    fn tick(&mut self, inspector: &Inspector, owed: f64) -> f64 {
        let Self { simulation, recorder, .. } = self;
        let edits = inspector.perform(|command| recorder.execute(simulation, command));
        let pace = inspector.pace();
        let (ticks, owed) = match pace.paused {
            true => (u32::from(inspector.take_step()), 0.0),
            false => {
                let owed = owed + pace.speed;
                ((owed as u32).min(MAX_TICKS), owed.fract())
            }
        };
        let began = Instant::now();
        for _ in 0..ticks {
            recorder.advance(simulation, Span::seconds(TICK.as_secs_f64()));
        }
        if ticks > 0 || edits > 0 {
            inspector.observe_timed(simulation, began.elapsed());
        }
        simulation.events().for_each(drop);
        if let Some(error) = recorder.error().filter(|_| !self.is_failed) {
            self.is_failed = true;
            eprintln!("the recording ends here: {error}");
            inspector.set_recording(None);
        }
        owed
    }

    /// Ends the recording, and prints how to replay it if it has a file.
    fn finish(self) -> anyhow::Result<()> {
        self.recorder.finish(&self.simulation)?;
        if let Some(file) = self.file {
            eprintln!(
                "recorded until {} s: ugas replay {}",
                self.simulation.now().as_seconds(),
                file.display()
            );
        }
        Ok(())
    }
}

/// A flag that becomes true at Ctrl-C.
pub(crate) fn interrupts() -> anyhow::Result<Arc<AtomicBool>> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stopped);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    std::thread::spawn(move || {
        // If the handler cannot be installed, Ctrl-C ends the process by default.
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            flag.store(true, Ordering::Relaxed);
        }
    });
    Ok(stopped)
}
