//! Saving, restoring and repeating all the time.

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

/// Watches a simulation: after every command and every passing of time it saves the state as bytes, restores the one from
/// `depth` steps ago, executes what came since once more, and compares states and events after each.
///
/// What is missing from the state, or remembered somewhere else, shows as a difference: the bug that a rollback or a
/// loaded game would otherwise show to players. It costs as much as `depth` games.
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
    /// What was executed last, the oldest first.
    history: VecDeque<Step>,
    /// The state as it is now.
    saved: Vec<u8>,
    next: Option<Command>,
    events_seen: u64,
    steps: u64,
    failure: Option<Box<SyncFailure>>,
}

/// One command.
#[derive(Debug)]
struct Step {
    /// The state before it.
    before: Vec<u8>,
    command: Command,
    /// Hash of the state after it.
    hash: u64,
    events: Vec<Event>,
    time: Time,
}

/// A restored state that does not go on as the original did.
#[derive(Clone, PartialEq, Debug)]
pub struct SyncFailure {
    /// After which command, from 1.
    pub step: u64,
    /// When.
    pub time: Time,
    /// How many steps before it the state was restored from.
    pub behind: u64,
    /// What happened.
    pub problem: SyncProblem,
}

/// How a restored state shows that something is missing from it.
#[derive(Clone, PartialEq, Debug)]
pub enum SyncProblem {
    /// It cannot be read.
    Unreadable(DecodeError),
    /// It was read and is said to be of other rules.
    Foreign(ForeignSnapshot),
    /// It came to another state; from the original to the restored one.
    State(StateDiff),
    /// It raised other events.
    Events {
        /// What the original raised first that the restored one did not.
        original: Option<Box<Event>>,
        /// What the restored one raised instead.
        restored: Option<Box<Event>>,
    },
}

impl SyncTest {
    /// Begins to watch a simulation. A `depth` of 0 counts as 1.
    pub fn new(simulation: &Simulation, depth: u32) -> Self {
        Self {
            depth: depth.max(1) as usize,
            catalog: simulation.catalog().clone(),
            config: simulation.config().clone(),
            history: VecDeque::new(),
            saved: simulation.snapshot().to_bytes(),
            next: None,
            events_seen: simulation.counters().events,
            steps: 0,
            failure: None,
        }
    }

    /// Executes a command under test.
    ///
    /// # Errors
    /// As [`Simulation::execute`]. What the test finds is told by [`failure`](Self::failure).
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

    /// Takes down a command that is about to be executed.
    pub fn before(&mut self, command: &Command) {
        self.next = Some(command.clone());
    }

    /// Looks at the simulation after the command, and does the test. After a failure it does nothing any more.
    pub fn after(&mut self, simulation: &Simulation, name: impl Fn(ControllerId) -> String) {
        let Some(command) = self.next.take() else { return };
        if self.failure.is_some() {
            return;
        }
        self.steps += 1;
        let before = core::mem::replace(&mut self.saved, simulation.snapshot().to_bytes());
        // Whoever does not poll leaves older events there.
        let seen = core::mem::replace(&mut self.events_seen, simulation.counters().events);
        let events = simulation.pending_events().filter(|event| event.sequence >= seen).collect();
        let step = Step { before, command, hash: simulation.state_hash(), events, time: simulation.now() };
        self.history.push_back(step);
        while self.history.len() > self.depth {
            self.history.pop_front();
        }
        self.failure = self.repeat(simulation, name).err();
    }

    /// How many commands were tested.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What was found.
    pub fn failure(&self) -> Option<&SyncFailure> {
        self.failure.as_deref()
    }

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
        // The newest state must be readable, too: the story may end here.
        Snapshot::from_bytes(&self.saved, &self.catalog).map_err(unreadable)?;
        let Some(oldest) = self.history.front() else { return Ok(()) };
        let mut restored = Simulation::new(self.catalog.clone(), self.config.clone());
        let snapshot = Snapshot::from_bytes(&oldest.before, &self.catalog).map_err(unreadable)?;
        let foreign = |error| failure(self.steps, simulation.now(), SyncProblem::Foreign(error));
        restored.restore(&snapshot).map_err(foreign)?;
        let first = self.steps.saturating_sub(behind) + 1;
        for (number, step) in (first..).zip(&self.history) {
            let _ = restored.execute(step.command.clone());
            let events: Vec<Event> = restored.events().collect();
            if restored.state_hash() != step.hash {
                // What the original was like then is known as bytes; at the last step it is at hand.
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
                write!(f, "another state")?;
                diff.differences.iter().try_for_each(|difference| write!(f, "\n  {difference}"))
            }
            SyncProblem::Events { original, restored } => {
                let kind =
                    |event: &Option<Box<Event>>| event.as_ref().map_or("no more", |event| event.kind.name());
                write!(f, "other events: {} instead of {}", kind(restored), kind(original))
            }
        }
    }
}
