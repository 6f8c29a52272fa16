//! Writing while the game runs.

use std::io::Write;

use ugas_core::codec::{self, Encode, Encoder};
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Span;

use crate::error::RecordError;
use crate::format::{self, End, Header, Kind};

/// Bytes of commands after which a tick is written although no time has passed, to bound memory and loss.
const FULL: usize = 1 << 20;

/// How a recording is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Ticks from one key frame to the next, at least 1. Fewer make seeking faster and the file larger.
    pub key_every: u32,
    /// Whether the rules go into the file.
    pub rules: Rules,
    /// When the writer is flushed.
    pub flushing: Flushing,
    /// What else one would like to know later: the name of the game, its build, a map.
    pub labels: Vec<(String, String)>,
}

/// Whether the rules go into a recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rules {
    /// They do: it can be played without the pack, if that has no native code.
    #[default]
    Embedded,
    /// Whoever plays it must have them.
    Omitted,
}

/// When the writer is flushed. Every frame goes to it at once and in one piece, so this matters for writers that keep
/// bytes to themselves. To survive the loss of power, let `flush` of the writer do what it takes, such as
/// [`File::sync_data`](std::fs::File::sync_data).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Flushing {
    /// After every frame: a process that dies loses no tick that was over.
    #[default]
    EveryFrame,
    /// After key frames and at the end.
    KeyFrames,
}

impl Default for Settings {
    fn default() -> Self {
        Self { key_every: 128, rules: Rules::default(), flushing: Flushing::default(), labels: Vec::new() }
    }
}

/// Writes what happens in a simulation.
///
/// Everything that changes the simulation must go by: through [`execute`](Self::execute) and [`advance`](Self::advance),
/// or, where somebody else executes, through [`before`](Self::before) and [`after`](Self::after). What goes past the
/// recorder, a restore for example, makes the recording differ from then on, and [`verify`](crate::verify()) will say so.
///
/// A tick is written when time passes; it holds what came before. A game does not stop because a disk is full: after an
/// error nothing more is written, and [`error`](Self::error) and [`finish`](Self::finish) tell.
#[derive(Debug)]
pub struct Recorder<W: Write> {
    writer: W,
    settings: Settings,
    catalog: u64,
    chain: u64,
    /// The commands since the last tick.
    commands: Vec<u8>,
    count: u64,
    /// The time that is about to pass.
    passing: Option<Span>,
    ticks: u64,
    ticks_since_key: u32,
    bytes: u64,
    /// Memory of the last frame, for the next.
    frame: Vec<u8>,
    error: Option<RecordError>,
}

impl<W: Write> Recorder<W> {
    /// Begins a recording: writes the header and the state as it is now.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn new(writer: W, simulation: &Simulation, settings: Settings) -> Result<Self, RecordError> {
        let catalog = simulation.catalog();
        let rules = match settings.rules {
            Rules::Embedded => Some(crate::rules::bytes_of(catalog)),
            Rules::Omitted => None,
        };
        let header = Header {
            codec: codec::VERSION,
            catalog: catalog.hash(),
            config: simulation.config().clone(),
            rules,
            labels: settings.labels.clone(),
        };
        let prelude = format::prelude();
        let mut recorder = Self {
            writer,
            settings,
            catalog: catalog.hash(),
            chain: format::first_chain(&prelude),
            commands: Vec::new(),
            count: 0,
            passing: None,
            ticks: 0,
            ticks_since_key: 0,
            bytes: 0,
            frame: prelude.to_vec(),
            error: None,
        };
        recorder.append(Kind::Header, &header.to_payload())?;
        recorder.write_key(simulation)?;
        Ok(recorder)
    }

    /// Executes a command, and records it.
    ///
    /// # Errors
    /// As [`Simulation::execute`]. Trouble with the recording is told by [`error`](Self::error).
    pub fn execute(
        &mut self,
        simulation: &mut Simulation,
        command: Command,
    ) -> Result<Outcome, CommandError> {
        self.before(&command);
        let outcome = simulation.execute(command);
        self.after(simulation);
        outcome
    }

    /// Lets time pass, and records the tick.
    pub fn advance(&mut self, simulation: &mut Simulation, span: Span) {
        self.before(&Command::Advance(span));
        simulation.advance(span);
        self.after(simulation);
    }

    /// Takes down a command that is about to be executed.
    pub fn before(&mut self, command: &Command) {
        // Nothing more is written after an error, so nothing more is taken down.
        if self.error.is_some() {
            return;
        }
        if let Command::Advance(span) = command {
            self.passing = Some(*span);
            return;
        }
        let mut encoder = Encoder::onto(core::mem::take(&mut self.commands));
        command.encode(&mut encoder);
        self.commands = encoder.into_bytes();
        self.count += 1;
    }

    /// Looks at the simulation after the command, and writes the tick if time has passed.
    pub fn after(&mut self, simulation: &Simulation) {
        let span = self.passing.take();
        if span.is_none() && self.commands.len() < FULL {
            return;
        }
        let written = self.write_tick(simulation, span.unwrap_or(Span::ZERO));
        self.keep(written);
    }

    /// Notes what a controller is called, for people who look at the recording.
    pub fn name(&mut self, controller: ControllerId, name: &str) {
        let written = self.append(Kind::Name, &format::name_payload(controller, name));
        self.keep(written);
    }

    /// How many ticks were written.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// How many bytes were written.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What went wrong, if something did: nothing was written since.
    pub fn error(&self) -> Option<&RecordError> {
        self.error.as_ref()
    }

    /// Writes what is still to be written and the end mark, flushes, and gives the writer back.
    ///
    /// # Errors
    /// What went wrong now or earlier.
    pub fn finish(mut self, simulation: &Simulation) -> Result<W, RecordError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.count > 0 {
            self.write_tick(simulation, Span::ZERO)?;
        }
        let end = End { ticks: self.ticks, time: simulation.now(), hash: simulation.state_hash() };
        self.append(Kind::End, &end.to_payload())?;
        self.writer.flush()?;
        Ok(self.writer)
    }

    fn keep(&mut self, written: Result<(), RecordError>) {
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    fn write_tick(&mut self, simulation: &Simulation, span: Span) -> Result<(), RecordError> {
        let found = simulation.catalog().hash();
        if found != self.catalog {
            return Err(RecordError::OtherRules { expected: self.catalog, found });
        }
        let mut encoder = Encoder::new();
        let hash = simulation.state_hash();
        format::encode_tick(&mut encoder, simulation.now(), span, hash, self.count);
        encoder.raw(&self.commands);
        self.commands.clear();
        self.count = 0;
        self.append(Kind::Tick, encoder.bytes())?;
        self.ticks += 1;
        self.ticks_since_key += 1;
        if self.ticks_since_key >= self.settings.key_every.max(1) {
            self.write_key(simulation)?;
        }
        Ok(())
    }

    fn write_key(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        self.ticks_since_key = 0;
        let snapshot = simulation.snapshot().to_bytes();
        self.append(Kind::Key, &format::key_payload(self.ticks, &snapshot))
    }

    /// Writes a frame, and what `self.frame` holds before it.
    fn append(&mut self, kind: Kind, payload: &[u8]) -> Result<(), RecordError> {
        if self.error.is_some() {
            return Ok(());
        }
        let chain = format::append(&mut self.frame, self.chain, kind, payload);
        self.chain = chain.ok_or(RecordError::TooLong(payload.len() as u64))?;
        self.writer.write_all(&self.frame)?;
        self.bytes += self.frame.len() as u64;
        self.frame.clear();
        if self.settings.flushing == Flushing::EveryFrame || kind == Kind::Key {
            self.writer.flush()?;
        }
        Ok(())
    }
}
