//! [`SyncTest`]: restores and repeats after every command, to find state that is missing from snapshots.

use core::fmt;
use std::collections::VecDeque;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::codec::DecodeError;
use ugas_core::command::Command;
use ugas_core::event::Event;
use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, ForeignSnapshot, Simulation, Snapshot};
use ugas_core::time::Time;

use crate::diff::StateDiff;

/// Tests a simulation while it runs: after every command it saves the state as bytes, restores the state from
/// `depth` commands ago, executes the commands since again, and compares states and events after each.
///
/// State that is missing from snapshots, or kept elsewhere, shows as a difference: a bug that players would
/// otherwise meet after a rollback or a loaded game. It costs as much as `depth` simulations.
///
/// ```
/// use ugas_core::catalog::Catalog;
/// use ugas_core::command::Command;
/// use ugas_core::simulation::{Config, Simulation};
/// use ugas_core::time::Span;
/// use ugas_replay::SyncTest;
///
/// let mut sim = Simulation::new(Catalog::builder().build()?, Config::seeded(1));
/// let mut test = SyncTest::new(&sim, 4);
/// for _ in 0..10 {
///     test.execute(&mut sim, Command::Advance(Span::millis(50))).ok();
/// }
/// assert_eq!(test.steps(), 10);
/// assert!(test.failure().is_none());
/// # Ok::<(), ugas_core::catalog::CatalogErrors>(())
/// ```
#[derive(Debug)]
pub struct SyncTest {
    depth: usize,
    catalog: Arc<Catalog>,
    config: Config,
    /// The last commands, oldest first.
    history: VecDeque<Step>,
    /// The encoded current state.
    saved: Vec<u8>,
    /// The command between `before` and `after`.
    next: Option<Command>,
    /// Number of events that were emitted before the next command.
    events_seen: u64,
    steps: u64,
    failure: Option<Box<SyncFailure>>,
}

/// An executed command.
#[derive(Debug)]
struct Step {
    /// The encoded state before it.
    before: Vec<u8>,
    command: Command,
    /// Hash of the state after it.
    hash: u64,
    /// The events it led to.
    events: Vec<Event>,
    /// The time after it.
    time: Time,
}

/// A restored simulation that diverges from the original.
#[derive(Clone, PartialEq, Debug)]
pub struct SyncFailure {
    /// Number of the command after which it diverges, from 1.
    pub step: u64,
    /// The time after the command.
    pub time: Time,
    /// Number of commands that were repeated since the restored state.
    pub behind: u64,
    /// How it diverges.
    pub problem: SyncProblem,
}

/// How a restored simulation diverges.
#[derive(Clone, PartialEq, Debug)]
pub enum SyncProblem {
    /// The saved state cannot be decoded.
    Unreadable(DecodeError),
    /// The saved state belongs to another catalog.
    Foreign(ForeignSnapshot),
    /// The states differ: from the original to the restored one.
    State(StateDiff),
    /// The events differ.
    Events {
        /// The first differing event of the original; `None` if it emitted no more.
        original: Option<Box<Event>>,
        /// The event of the restored simulation instead.
        restored: Option<Box<Event>>,
    },
}

impl SyncTest {
    /// Begins a test of a simulation. `depth` is the number of commands to go back; 0 counts as 1.
    pub fn new(simulation: &Simulation, depth: u32) -> Self {
        Self {
            depth: depth.max(1) as usize,
            catalog: simulation.catalog().clone(),
            config: simulation.config().clone(),
            history: VecDeque::new(),
            saved: simulation.snapshot_bytes(),
            next: None,
            events_seen: simulation.counters().events,
            steps: 0,
            failure: None,
        }
    }

    /// Executes a command under test.
    ///
    /// # Errors
    /// As [`Simulation::execute`]. The result of the test is returned by [`failure`](Self::failure).
    pub fn execute(
        &mut self,
        simulation: &mut Simulation,
        command: Command,
    ) -> Result<ugas_core::command::Outcome, ugas_core::command::CommandError> {
        self.before(&command);
        let outcome = simulation.execute(command);
        self.after(simulation, |id| format!("{id:?}"));
        outcome
    }

    /// Records a command that is about to be executed, for [`after`](Self::after).
    pub fn before(&mut self, command: &Command) {
        self.next = Some(command.clone());
    }

    /// Runs the test on the simulation after the command. Does nothing after a failure. `name` gives
    /// controllers their names in the differences.
    pub fn after(&mut self, simulation: &Simulation, name: impl Fn(ControllerId) -> String) {
        let Some(command) = self.next.take() else { return };
        if self.failure.is_some() {
            return;
        }
        self.steps += 1;
        let before = core::mem::replace(&mut self.saved, simulation.snapshot_bytes());
        // A host that does not poll leaves older events in the queue.
        let seen = core::mem::replace(&mut self.events_seen, simulation.counters().events);
        let new = simulation.peek_events().filter(|event| event.sequence >= seen);
        let events = new.map(Event::from).collect();
        let step = Step { before, command, hash: simulation.state_hash(), events, time: simulation.now() };
        self.history.push_back(step);
        while self.history.len() > self.depth {
            self.history.pop_front();
        }
        self.failure = self.repeat(simulation, name).err();
    }

    /// The number of tested commands.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The first failure, if there was one.
    pub fn failure(&self) -> Option<&SyncFailure> {
        self.failure.as_deref()
    }

    /// Restores the oldest state of the history, executes the commands since again, and compares state and
    /// events after each. The error is the first difference.
    fn repeat(
        &self,
        simulation: &Simulation,
        name: impl Fn(ControllerId) -> String,
    ) -> Result<(), Box<SyncFailure>> {
        let behind = self.history.len() as u64;
        let failure = |step: u64, time: Time, problem: SyncProblem| {
            Box::new(SyncFailure { step, time, behind, problem })
        };
        let unreadable = |error| failure(self.steps, simulation.now(), SyncProblem::Unreadable(error));
        // The newest state must be decodable, too: no later command may restore it.
        Snapshot::from_bytes(&self.saved, &self.catalog).map_err(unreadable)?;
        let Some(oldest) = self.history.front() else { return Ok(()) };
        let mut restored = Simulation::new(self.catalog.clone(), self.config.clone());
        restored.set_space(simulation.own_space().cloned());
        let snapshot = Snapshot::from_bytes(&oldest.before, &self.catalog).map_err(unreadable)?;
        let foreign = |error| failure(self.steps, simulation.now(), SyncProblem::Foreign(error));
        restored.restore(&snapshot).map_err(foreign)?;
        let first = self.steps.saturating_sub(behind) + 1;
        for (number, step) in (first..).zip(&self.history) {
            let _ = restored.execute(step.command.clone());
            let events: Vec<Event> = restored.events().collect();
            if restored.state_hash() != step.hash {
                // The original state after this step is the next step's `before`, or `saved` at the last
                // step.
                let index = usize::try_from(number - first).unwrap_or(usize::MAX);
                let bytes = self.history.get(index + 1).map_or(&self.saved, |next| &next.before);
                let mut original = simulation.clone();
                if let Ok(snapshot) = Snapshot::from_bytes(bytes, &self.catalog) {
                    let _ = original.restore(&snapshot);
                }
                let diff = StateDiff::between(&original, &restored, name);
                return Err(failure(number, step.time, SyncProblem::State(diff)));
            }
            let mut original = step.events.iter();
            let differs = |event: &&Event| original.next() != Some(*event);
            let other = events.iter().find(differs).cloned();
            if other.is_some() || events.len() != step.events.len() {
                let at = events.iter().zip(&step.events).take_while(|(one, other)| one == other).count();
                let original = step.events.get(at).cloned().map(Box::new);
                let problem =
                    SyncProblem::Events { original, restored: events.get(at).cloned().map(Box::new) };
                return Err(failure(number, step.time, problem));
            }
        }
        Ok(())
    }
}

impl fmt::Display for SyncFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, time, behind, problem } = self;
        write!(
            f,
            "after command {step} at {} s, restored from {behind} commands before: ",
            time.as_seconds()
        )?;
        match problem {
            SyncProblem::Unreadable(error) => write!(f, "the saved state cannot be read: {error}"),
            SyncProblem::Foreign(error) => write!(f, "the saved state cannot be restored: {error}"),
            SyncProblem::State(diff) => {
                write!(f, "the states differ")?;
                diff.differences.iter().try_for_each(|difference| write!(f, "\n  {difference}"))
            }
            SyncProblem::Events { original, restored } => {
                let kind =
                    |event: &Option<Box<Event>>| event.as_ref().map_or("no event", |event| event.kind.name());
                write!(f, "the events differ: {} instead of {}", kind(restored), kind(original))
            }
        }
    }
}
