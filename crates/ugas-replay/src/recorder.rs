//! [`Recorder`]: writes a recording while the game runs.

use std::io::Write;

use ugas_core::codec::{self, Encode, Encoder};
use ugas_core::command::{Command, CommandError, Execute, Outcome};
use ugas_core::handle::ControllerId;
use ugas_core::simulation::Simulation;
use ugas_core::time::Span;

use crate::error::RecordError;
use crate::format::{self, End, Header, Kind};

/// Number of bytes of commands after which a tick is written even if no time has passed, to limit memory and
/// loss.
const MAX_PENDING_BYTES: usize = 1 << 20;

/// Settings of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Number of ticks between key frames, at least 1. A smaller number makes seeking faster and the file
    /// larger.
    pub key_every: u32,
    /// Number of ticks between recorded hashes of the state, at least 1. The last tick before a key frame has one
    /// in any case. With a larger number recording is cheaper, and [`verify`](crate::verify()) finds a difference
    /// later.
    pub hash_every: u32,
    /// Whether the file includes the rules.
    pub rules: Rules,
    /// When the writer is flushed.
    pub flushing: Flushing,
    /// Additional labels, such as the name of the game, its build, or a map.
    pub labels: Vec<(String, String)>,
}

/// Whether a recording includes the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rules {
    /// Included: the recording can be played without the pack, unless it needs native code.
    #[default]
    Embedded,
    /// Not included: playing needs the catalog.
    Omitted,
}

/// When the writer is flushed. Every frame is one `write_all`, so this matters only for buffering writers. To
/// survive a loss of power, use a writer whose `flush` calls [`File::sync_data`](std::fs::File::sync_data).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Flushing {
    /// After every frame: a crash loses no finished tick.
    #[default]
    EveryFrame,
    /// After key frames and at the end.
    KeyFrames,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            key_every: 128,
            hash_every: 1,
            rules: Rules::default(),
            flushing: Flushing::default(),
            labels: Vec::new(),
        }
    }
}

/// A simulation with its recorder ([`Recorder::with`]).
#[derive(Debug)]
pub struct Recorded<'a, W: Write> {
    recorder: &'a mut Recorder<W>,
    simulation: &'a mut Simulation,
}

impl<W: Write> Execute for Recorded<'_, W> {
    fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        self.recorder.execute(self.simulation, command)
    }

    fn simulation(&self) -> &Simulation {
        self.simulation
    }
}

/// Writes a recording of a simulation.
///
/// Every change of the simulation must be recorded: through [`execute`](Self::execute) and
/// [`advance`](Self::advance), or, if other code executes commands, through [`before`](Self::before) and
/// [`after`](Self::after). A change that bypasses the recorder, such as a restore, makes the recording
/// diverge, which [`verify`](crate::verify()) detects.
///
/// A tick is written when time passes, with the commands before. A full disk does not stop the game: after an
/// error nothing more is written, and [`error`](Self::error) and [`finish`](Self::finish) return the error.
#[derive(Debug)]
pub struct Recorder<W: Write> {
    writer: W,
    settings: Settings,
    catalog: u64,
    chain: u64,
    /// The encoded commands since the last tick.
    commands: Vec<u8>,
    /// Number of commands since the last tick.
    count: u64,
    /// The time span that is about to pass; set between `before` and `after` of an advance.
    passing: Option<Span>,
    ticks: u64,
    ticks_since_key: u32,
    bytes: u64,
    /// Reused buffer of the payload of a tick.
    payload: Vec<u8>,
    /// Reused buffer of a frame; at first it holds the prelude.
    frame: Vec<u8>,
    error: Option<RecordError>,
}

impl<W: Write> Recorder<W> {
    /// Begins a recording: writes the header and the current state.
    ///
    /// # Errors
    /// If they cannot be written.
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
            payload: Vec::new(),
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
    /// As [`Simulation::execute`]. Errors of the recording are returned by [`error`](Self::error).
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

    /// The simulation with its recorder: everything that is done through it is recorded.
    ///
    /// ```
    /// # use ugas_core::attribute::{AttributeDef, AttributeSetDef};
    /// # use ugas_core::catalog::Catalog;
    /// use ugas_core::command::Execute;
    /// # use ugas_core::controller::ControllerDef;
    /// # use ugas_core::effect::EffectDef;
    /// # use ugas_core::modifier::Operation;
    /// # use ugas_core::simulation::{Config, Simulation};
    /// use ugas_core::time::Span;
    /// use ugas_replay::{Recorder, Settings};
    ///
    /// # let catalog = Catalog::builder()
    /// #     .attribute_set(AttributeSetDef::new("Life").with(AttributeDef::new("Health", 100.0)))
    /// #     .effect(EffectDef::instant("GE_Strike").modify("Health", Operation::Add, -30.0))
    /// #     .template(ControllerDef::new("Wolf").with_set("Life"))
    /// #     .build()?;
    /// # let strike = catalog.effect("GE_Strike")?;
    /// let mut sim = Simulation::new(catalog, Config::default());
    /// let mut recorder = Recorder::new(Vec::new(), &sim, Settings::default())?;
    /// let mut game = recorder.with(&mut sim);
    /// let wolf = game.spawn("Wolf")?;
    /// game.apply_effect(strike, None, wolf)?;
    /// game.advance(Span::millis(100));
    /// let file = recorder.finish(&sim)?;
    /// # assert!(!file.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with<'a>(&'a mut self, simulation: &'a mut Simulation) -> Recorded<'a, W> {
        Recorded { recorder: self, simulation }
    }

    /// Advances time, and records the tick.
    pub fn advance(&mut self, simulation: &mut Simulation, span: Span) {
        self.before(&Command::Advance(span));
        simulation.advance(span);
        self.after(simulation);
    }

    /// Records a command that is about to be executed. [`Command::Advance`] gives the tick its time span.
    pub fn before(&mut self, command: &Command) {
        // Nothing is written after an error, so nothing needs to be kept.
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

    /// Records the simulation after the command, and writes the tick if time has passed.
    pub fn after(&mut self, simulation: &Simulation) {
        let span = self.passing.take();
        if span.is_none() && self.commands.len() < MAX_PENDING_BYTES {
            return;
        }
        let written = self.write_tick(simulation, span.unwrap_or(Span::ZERO));
        self.keep(written);
    }

    /// Records the name of a controller, for display.
    pub fn name(&mut self, controller: ControllerId, name: &str) {
        let written = self.append(Kind::Name, &format::name_payload(controller, name));
        self.keep(written);
    }

    /// The number of written ticks.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// The number of written bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The error after which nothing more was written, if there was one.
    pub fn error(&self) -> Option<&RecordError> {
        self.error.as_ref()
    }

    /// Writes the remaining commands and the end mark, flushes, and returns the writer.
    ///
    /// # Errors
    /// If writing fails now or has failed before.
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

    /// Keeps the first error, after which nothing more is written.
    fn keep(&mut self, written: Result<(), RecordError>) {
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    /// Writes a tick with the pending commands and clears them, then a key frame if one is due. Fails if the
    /// simulation was reloaded with other rules.
    fn write_tick(&mut self, simulation: &Simulation, span: Span) -> Result<(), RecordError> {
        let found = simulation.catalog().hash();
        if found != self.catalog {
            return Err(RecordError::OtherRules { expected: self.catalog, found });
        }
        let mut encoder = Encoder::onto(core::mem::take(&mut self.payload));
        let is_before_key = self.ticks_since_key + 1 >= self.settings.key_every.max(1);
        let is_due =
            is_before_key || (self.ticks + 1).is_multiple_of(u64::from(self.settings.hash_every.max(1)));
        let hash = is_due.then(|| simulation.state_hash());
        format::encode_tick(&mut encoder, simulation.now(), span, hash, self.count);
        encoder.raw(&self.commands);
        self.commands.clear();
        self.count = 0;
        self.append(format::tick_kind(hash), encoder.bytes())?;
        self.payload = encoder.into_bytes();
        self.payload.clear();
        self.ticks += 1;
        self.ticks_since_key += 1;
        if self.ticks_since_key >= self.settings.key_every.max(1) {
            self.write_key(simulation)?;
        }
        Ok(())
    }

    /// Writes a key frame with the current state.
    fn write_key(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        self.ticks_since_key = 0;
        let snapshot = simulation.snapshot_bytes();
        self.append(Kind::Key, &format::key_payload(self.ticks, &snapshot))
    }

    /// Writes a frame, after the bytes that `self.frame` holds already. Flushes as the settings say. After an
    /// error it does nothing.
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
