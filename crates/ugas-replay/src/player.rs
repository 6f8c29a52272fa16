//! [`Player`]: goes to any moment of a recording.

use std::io::{Read, Seek};
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::codec::HASHED_BY_RECORD;
use ugas_core::command::Command;
use ugas_core::event::Event;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, Simulation, Snapshot};
use ugas_core::targeting::SharedSpace;
use ugas_core::time::{Span, Time};

use crate::error::PlayError;
use crate::format::Tick;
use crate::recording::Recording;

/// Maximum number of kept events of one seek.
const MAX_EVENTS: usize = 4_096;

/// The position of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Number of finished ticks.
    pub ticks: u64,
    /// Number of commands of the next tick that were executed already.
    pub commands: u32,
    /// The time.
    pub time: Time,
}

/// Plays a recording.
///
/// A position is after a whole tick or inside one: after some of its commands, or while its time passes.
/// Seeking back or far ahead starts at the nearest earlier key frame. The simulation is an ordinary one:
/// inspect it with [`Simulation::debug`] and [`Simulation::explain`], or clone it to try alternatives.
#[derive(Debug)]
pub struct Player<R> {
    recording: Recording<R>,
    simulation: Simulation,
    /// Number of finished ticks.
    ticks: u64,
    /// The tick that is being played; `None` between ticks.
    current: Option<CurrentTick>,
    /// Events of the last seek.
    events: Vec<Event>,
    /// Maximum number of moments of one seek.
    limit: u64,
}

/// The tick that is being played.
#[derive(Debug)]
struct CurrentTick {
    tick: Tick,
    /// The time at its beginning.
    began: Time,
    /// Number of executed commands.
    done: usize,
    /// The time at its end; known after all commands were executed.
    end: Option<Time>,
}

impl<R: Read + Seek> Player<R> {
    /// Plays a recording with the rules it includes.
    ///
    /// # Errors
    /// If it includes none, they need native code, or the first state cannot be read.
    pub fn new(recording: Recording<R>) -> Result<Self, PlayError> {
        let catalog = catalog_of(&recording, None)?;
        Self::begin(recording, catalog)
    }

    /// Plays a recording with the given catalog, or with its own rules and the native code of that catalog.
    ///
    /// # Errors
    /// If the catalog differs and the recording includes no rules, or the first state cannot be read.
    pub fn with_catalog(recording: Recording<R>, catalog: &Arc<Catalog>) -> Result<Self, PlayError> {
        let (expected, found) = (recording.header().catalog, catalog.hash());
        if expected == found {
            return Self::begin(recording, catalog.clone());
        }
        match catalog_of(&recording, Some(catalog)) {
            Err(PlayError::NoRules(_)) => Err(PlayError::OtherRules { expected, found }),
            built => Self::begin(recording, built?),
        }
    }

    /// Creates a simulation with the recorded configuration and goes to the first key frame.
    fn begin(recording: Recording<R>, catalog: Arc<Catalog>) -> Result<Self, PlayError> {
        // Events are polled after every moment and are not part of the state.
        let config = recording.header().config.clone();
        let config = Config { max_events: config.max_events.min(MAX_EVENTS as u32), ..config };
        let simulation = Simulation::new(catalog, config);
        let (events, limit) = (Vec::new(), u64::MAX);
        let mut player = Self { recording, simulation, ticks: 0, current: None, events, limit };
        player.load(0)?;
        Ok(player)
    }

    /// Limits the number of moments of one seek, so that an untrusted file cannot take forever. Commands that
    /// advance time themselves, inside a batch, are refused, too. The consequences of one moment are limited
    /// by the recording's configuration (E12).
    #[must_use]
    pub fn limit(mut self, moments: u64) -> Self {
        self.limit = moments;
        self
    }

    /// Sets the world that the recorded simulation had ([`Simulation::set_space`]), which is not part of a
    /// recording.
    pub fn set_space(&mut self, space: Option<SharedSpace>) {
        self.simulation.set_space(space);
    }

    /// The recording.
    pub fn recording(&self) -> &Recording<R> {
        &self.recording
    }

    /// The simulation at the current position.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The current position.
    pub fn position(&self) -> Position {
        let commands = self.current.as_ref().map_or(0, |current| current.done as u32);
        Position { ticks: self.ticks, commands, time: self.simulation.now() }
    }

    /// Whether the recording is played to its end.
    pub fn is_at_end(&self) -> bool {
        self.current.is_none() && self.ticks >= self.recording.ticks()
    }

    /// Whether the position is inside a tick: some of its commands were executed, or some of its time has
    /// passed.
    pub fn is_inside_tick(&self) -> bool {
        self.current.is_some()
    }

    /// Whether the state has the recorded hash; `None` inside a tick and where no hash is recorded.
    pub fn agrees(&self) -> Option<bool> {
        let is_between = self.current.is_none();
        let recorded = self.recording.hash_after(self.ticks).filter(|_| is_between);
        recorded.map(|recorded| recorded == self.simulated_hash(self.recording.header().codec))
    }

    /// Hash of the current state in the form of a version of the codec.
    fn simulated_hash(&self, codec: u32) -> u64 {
        self.simulation.state_hash_of_version(codec)
    }

    /// Hash of the state after a number of ticks in the form of a version of the codec: as it was recorded, or
    /// played and hashed again if the recording has another form or no hash there. `None` before the first tick and
    /// after the last.
    pub(crate) fn hash_after(&mut self, ticks: u64, codec: u32) -> Result<Option<u64>, PlayError> {
        if self.recording.time_after(ticks).is_none() {
            return Ok(None);
        }
        let is_by_record = |codec: u32| codec >= HASHED_BY_RECORD;
        if let Some(recorded) = self.recording.hash_after(ticks)
            && is_by_record(self.recording.header().codec) == is_by_record(codec)
        {
            return Ok(Some(recorded));
        }
        self.seek_tick(ticks)?;
        Ok(Some(self.simulated_hash(codec)))
    }

    /// The events of the last seek; only the last few thousand of a long one.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The commands of the tick that is being played or comes next. Empty at the end.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn commands(&mut self) -> Result<Vec<Command>, PlayError> {
        if let Some(current) = &self.current {
            return Ok(current.tick.commands.clone());
        }
        Ok(self.recording.tick(self.ticks)?.map(|tick| tick.commands).unwrap_or_default())
    }

    /// The controller of a name in the recording; if several had it, preferably one that exists now. Else the
    /// one that a `SpawnController` task named so and that exists now (A17). `None` if there is neither.
    pub fn controller(&self, name: &str) -> Option<ControllerId> {
        let called = self.recording.names().filter(|(_, known)| *known == name).map(|(id, _)| id);
        let called = called.max_by_key(|id| (self.simulation.controller(*id).is_some(), *id));
        called.or_else(|| self.simulation.summoned(name))
    }

    /// The name of a controller: that in the recording, or that of the task that summoned it (A17); by default
    /// its template or its handle.
    pub fn name_of(&self, controller: ControllerId) -> String {
        self.recording.controller_names().of(&self.simulation, controller)
    }

    /// Replaces handles of controllers in a text with names.
    pub fn replace_handles(&self, text: &str) -> String {
        self.recording.controller_names().replace_handles(&self.simulation, text)
    }

    /// Goes to the moment after a number of ticks, at most to the end.
    ///
    /// # Errors
    /// If a frame on the way cannot be read.
    pub fn seek_tick(&mut self, ticks: u64) -> Result<(), PlayError> {
        self.events.clear();
        let ticks = ticks.min(self.recording.ticks());
        self.approach(ticks)?;
        let mut moments = Moments(self.limit);
        while self.ticks < ticks {
            self.moment(None, &mut moments)?;
        }
        Ok(())
    }

    /// Goes to a time, at most to the end. Everything up to that time is played, including commands at
    /// exactly that time.
    ///
    /// # Errors
    /// If a frame on the way cannot be read.
    pub fn seek_time(&mut self, time: Time) -> Result<(), PlayError> {
        self.events.clear();
        let over = self.recording.ticks_until(time);
        self.approach(over)?;
        let mut moments = Moments(self.limit);
        while self.ticks < over {
            self.moment(None, &mut moments)?;
        }
        // Inside the next tick: first its commands, then a part of its time.
        while !self.is_at_end() && self.ticks == over && !self.is_waiting_at(time) {
            self.moment(Some(time), &mut moments)?;
        }
        // A tick without any executed command or passed time has not begun.
        let now = self.simulation.now();
        if self.current.as_ref().is_some_and(|current| current.done == 0 && current.began == now) {
            self.current = None;
        }
        Ok(())
    }

    /// Goes to the end of the current or next tick; false at the end of the recording.
    ///
    /// # Errors
    /// If the tick cannot be read.
    pub fn step(&mut self) -> Result<bool, PlayError> {
        let ticks = self.ticks;
        if self.is_at_end() {
            return Ok(false);
        }
        self.seek_tick(ticks.saturating_add(1))?;
        Ok(true)
    }

    /// Goes back to the beginning of the current or previous tick; false at the beginning of the recording.
    ///
    /// # Errors
    /// If a frame on the way cannot be read.
    pub fn back(&mut self) -> Result<bool, PlayError> {
        let to = match self.current {
            Some(_) => Some(self.ticks),
            None => self.ticks.checked_sub(1),
        };
        match to {
            Some(ticks) => self.seek_tick(ticks).map(|()| true),
            None => Ok(false),
        }
    }

    /// Plays until an event `matches`, and stops right after the command or at the moment that caused it.
    /// Without such an event it stops at the end.
    ///
    /// # Errors
    /// If a frame on the way cannot be read.
    pub fn run_until(
        &mut self,
        mut matches: impl FnMut(&Event, &Simulation) -> bool,
    ) -> Result<Option<Event>, PlayError> {
        self.events.clear();
        let mut moments = Moments(self.limit);
        while !self.is_at_end() {
            // Only new events: the older ones were checked already.
            self.events.clear();
            self.moment(None, &mut moments)?;
            if let Some(event) = self.events.iter().find(|event| matches(event, &self.simulation)) {
                return Ok(Some(event.clone()));
            }
        }
        Ok(None)
    }

    /// Whether all commands of the current tick were executed and a time is reached.
    fn is_waiting_at(&self, time: Time) -> bool {
        let passes = self.current.as_ref().is_some_and(|current| current.end.is_some());
        passes && self.simulation.now() >= time
    }

    /// Goes to the nearest position from which `ticks` is reached by playing: stays if it is behind, or loads
    /// the last key frame before if that is nearer or the position is past it.
    fn approach(&mut self, ticks: u64) -> Result<(), PlayError> {
        let key = self.recording.key_before(ticks).unwrap_or(0);
        let is_behind = self.ticks < ticks || (self.ticks == ticks && self.current.is_none());
        // A key frame after the current tick is a shortcut.
        if is_behind && self.ticks >= key { Ok(()) } else { self.load(key) }
    }

    /// Restores the key frame at exactly `ticks`, and drops its events and the tick in progress. Without such
    /// a frame it creates an empty simulation.
    fn load(&mut self, ticks: u64) -> Result<(), PlayError> {
        match self.recording.snapshot(ticks)? {
            Some(bytes) => {
                let snapshot = Snapshot::from_bytes(&bytes, self.simulation.catalog())
                    .map_err(|error| PlayError::Key { tick: ticks, error })?;
                self.simulation.restore(&snapshot)?;
            }
            None => {
                let (catalog, config) = (self.simulation.catalog().clone(), self.simulation.config().clone());
                let space = self.simulation.own_space().cloned();
                self.simulation = Simulation::new(catalog, config);
                self.simulation.set_space(space);
            }
        }
        self.simulation.events().for_each(drop);
        self.ticks = ticks;
        self.current = None;
        Ok(())
    }

    /// The smallest step: executes one command, or advances time to the next timer, at most to `limit`. Takes
    /// one from `moments` and fails if none is left. Ends the tick when its time has passed, and collects the
    /// events, of which only the last are kept.
    fn moment(&mut self, limit: Option<Time>, moments: &mut Moments) -> Result<(), PlayError> {
        moments.0 = match moments.0.checked_sub(1) {
            Some(left) => left,
            None => return Err(PlayError::Limit { tick: self.ticks, limit: self.limit }),
        };
        if self.current.is_none() {
            let Some(tick) = self.recording.tick(self.ticks)? else { return Ok(()) };
            self.current = Some(CurrentTick { tick, began: self.simulation.now(), done: 0, end: None });
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        if let Some(command) = current.tick.commands.get(current.done) {
            if self.limit != u64::MAX && passes_time(command) {
                return Err(PlayError::Limit { tick: self.ticks, limit: self.limit });
            }
            current.done += 1;
            // A command that was refused then is refused now, too.
            let _ = self.simulation.execute(command.clone());
        } else if let Some(end) = current.end {
            let until = limit.map_or(end, |limit| limit.min(end));
            self.simulation.advance_to(next_moment(&self.simulation).min(until));
        }
        if current.end.is_none() && current.done == current.tick.commands.len() {
            current.end = Some(self.simulation.now() + current.tick.span.max(Span::ZERO));
        }
        let is_over = current.end.is_some_and(|end| self.simulation.now() >= end);
        if is_over {
            self.current = None;
            self.ticks += 1;
        }
        let excess = self.events.len().saturating_sub(MAX_EVENTS);
        self.events.drain(..excess);
        self.events.extend(self.simulation.events());
        Ok(())
    }

    /// Executes a command in another simulation, within the limit. A recorded refusal is a refusal again.
    pub(crate) fn execute(&self, simulation: &mut Simulation, command: Command) -> Result<(), PlayError> {
        if self.limit != u64::MAX && passes_time(&command) {
            return Err(PlayError::Limit { tick: self.ticks, limit: self.limit });
        }
        let _ = simulation.execute(command);
        Ok(())
    }

    /// Advances another simulation, within the limit of moments. Under a limit its events are dropped, so
    /// that they do not pile up.
    pub(crate) fn advance(&self, simulation: &mut Simulation, span: Span) -> Result<(), PlayError> {
        if self.limit == u64::MAX {
            simulation.advance(span);
            return Ok(());
        }
        let end = simulation.now() + span.max(Span::ZERO);
        let mut left = self.limit;
        while simulation.now() < end {
            left = left.checked_sub(1).ok_or(PlayError::Limit { tick: self.ticks, limit: self.limit })?;
            simulation.advance_to(next_moment(simulation).min(end));
            simulation.events().for_each(drop);
        }
        Ok(())
    }

    /// The recording, to read frames without moving the player.
    pub(crate) fn recording_mut(&mut self) -> &mut Recording<R> {
        &mut self.recording
    }
}

/// Number of moments that are left of the limit.
struct Moments(u64);

/// Whether a command advances time. Recorders never write such commands: ticks have time spans.
fn passes_time(command: &Command) -> bool {
    match command {
        Command::Advance(_) => true,
        Command::Batch(commands) => commands.iter().any(passes_time),
        Command::FromClient { command, .. } => passes_time(command),
        _ => false,
    }
}

/// The time of the next timer, but at least one microsecond from now, so that time passes; `Time::MAX`
/// without a timer.
fn next_moment(simulation: &Simulation) -> Time {
    let soon = simulation.now() + Span::from_micros(1);
    simulation.next_timer().map_or(Time::MAX, |timer| timer.max(soon))
}

/// The catalog of the rules that a recording includes, with the native code of another catalog. Fails if the
/// recording includes no rules, or if they build to another hash than the recorded one.
fn catalog_of<R: Read + Seek>(
    recording: &Recording<R>,
    natives: Option<&Catalog>,
) -> Result<Arc<Catalog>, PlayError> {
    let header = recording.header();
    let Some(rules) = &header.rules else { return Err(PlayError::NoRules(header.catalog)) };
    let catalog = crate::rules::build(rules, header.codec, natives)?;
    match catalog.hash() {
        found if found == header.catalog => Ok(catalog),
        found => Err(PlayError::OtherRules { expected: header.catalog, found }),
    }
}
