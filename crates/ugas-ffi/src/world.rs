//! The object behind a simulation handle: a simulation of the host, a server, a client or a player.

use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::event::{CueDetails, Event};
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;
use ugas_core::simulation::Simulation;
use ugas_core::targeting::TargetData;
use ugas_core::time::Span;
#[cfg(feature = "net")]
use ugas_net::reconnect::Reconnector;
#[cfg(feature = "net")]
use ugas_net::{Client, Server, Transmit};

use crate::activation::ugas_named_number;
use crate::catalog::ugas_tag;
use crate::cue::{details_to_c, ugas_cue_details};
use crate::event::{to_c, ugas_event};
use crate::memory::{ugas_bytes, ugas_str};
#[cfg(feature = "replay")]
use crate::player::Playback;
#[cfg(feature = "replay")]
use crate::recording::Recording;
#[cfg(feature = "net")]
use crate::server::GameHost;
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome};
use crate::target::{self, ugas_target};

#[cfg(feature = "net")]
mod net;
#[cfg(feature = "replay")]
mod replay;

/// Owner of the simulation. All are read alike; how they are changed differs.
pub(crate) enum World {
    Own(Box<Simulation>),
    #[cfg(feature = "net")]
    Server(Box<Server<GameHost>>),
    #[cfg(feature = "net")]
    Client(Box<Client>),
    #[cfg(feature = "replay")]
    Player(Box<Playback>),
}

/// A simulation with the host-side state that belongs to it.
pub(crate) struct SimulationEntry {
    pub(crate) world: World,
    /// Events of the last poll; texts of C events point into them.
    pub(crate) polled: Vec<Event>,
    /// Lists and texts of the last poll that the core events do not hold themselves.
    pub(crate) lent: Lent,
    #[cfg(feature = "replay")]
    pub(crate) recording: Option<Recording>,
    /// Queued commands of an open batch.
    pub(crate) batch: Option<Vec<Command>>,
    /// Datagram that did not fit into the caller's buffer.
    #[cfg(feature = "net")]
    pub(crate) unsent: Option<Transmit>,
    /// Decides when a client opens another connection.
    #[cfg(feature = "net")]
    pub(crate) reconnector: Option<Box<Reconnector>>,
}

/// Lists that rows of a poll point to, kept until the next poll. They are boxed, so they do not move when
/// more are added.
#[derive(Default)]
pub(crate) struct Lent {
    bytes: Vec<Box<[u8]>>,
    tags: Vec<Box<[ugas_tag]>>,
    targets: Vec<Box<[ugas_target]>>,
    numbers: Vec<Box<[ugas_named_number]>>,
    cues: Vec<Box<[ugas_cue_details]>>,
}

impl Lent {
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> ugas_bytes {
        let (data, length) = keep(&mut self.bytes, bytes.iter().copied());
        ugas_bytes { data, length }
    }

    pub(crate) fn text(&mut self, text: &str) -> ugas_str {
        let ugas_bytes { data, length } = self.bytes(text.as_bytes());
        ugas_str { data: data.cast(), length }
    }

    pub(crate) fn tags(&mut self, tags: impl Iterator<Item = TagId>) -> (*const ugas_tag, usize) {
        keep(&mut self.tags, tags.map(TagId::index))
    }

    pub(crate) fn targets(&mut self, targets: &TargetData) -> (*const ugas_target, usize) {
        keep(&mut self.targets, targets.iter().filter_map(target::to_c))
    }

    pub(crate) fn numbers<'a>(
        &mut self,
        numbers: impl Iterator<Item = (&'a str, f64)>,
    ) -> (*const ugas_named_number, usize) {
        let numbers: Vec<_> =
            numbers.map(|(name, value)| ugas_named_number { name: self.text(name), value }).collect();
        keep(&mut self.numbers, numbers.into_iter())
    }

    pub(crate) fn cue(&mut self, details: Option<&CueDetails>) -> *const ugas_cue_details {
        let details = details.map(|details| details_to_c(details, self));
        keep(&mut self.cues, details.into_iter()).0
    }
}

/// Stores a list and returns its pointer and length; null if it is empty.
fn keep<T>(kept: &mut Vec<Box<[T]>>, items: impl Iterator<Item = T>) -> (*const T, usize) {
    let items: Box<[T]> = items.collect();
    if items.is_empty() {
        return (core::ptr::null(), 0);
    }
    let list = (items.as_ptr(), items.len());
    kept.push(items);
    list
}

impl SimulationEntry {
    pub(crate) fn new(world: World) -> Self {
        Self {
            world,
            polled: Vec::new(),
            lent: Lent::default(),
            #[cfg(feature = "replay")]
            recording: None,
            batch: None,
            #[cfg(feature = "net")]
            unsent: None,
            #[cfg(feature = "net")]
            reconnector: None,
        }
    }

    /// The simulation to read from.
    pub(crate) fn simulation(&self) -> &Simulation {
        match &self.world {
            World::Own(simulation) => simulation,
            #[cfg(feature = "net")]
            World::Server(server) => server.simulation(),
            #[cfg(feature = "net")]
            World::Client(client) => client.simulation(),
            #[cfg(feature = "replay")]
            World::Player(playback) => playback.player.simulation(),
        }
    }

    /// The host's own simulation, for operations that are not possible on a server, a client, a player or
    /// while recording.
    pub(crate) fn own_mut(&mut self) -> Outcome<&mut Simulation> {
        #[cfg(feature = "replay")]
        self.check_unrecorded()?;
        self.check_no_batch()?;
        match &mut self.world {
            World::Own(simulation) => Ok(simulation),
            #[cfg(feature = "net")]
            World::Server(_) | World::Client(_) => Err(net::networked()),
            #[cfg(feature = "replay")]
            World::Player(_) => Err(replay::played()),
        }
    }

    /// Executes a command. All changes go through here, so that a recording is complete.
    pub(crate) fn execute(&mut self, command: Command) -> Outcome<CommandOutcome> {
        self.check_changeable()?;
        match &mut self.batch {
            Some(batch) if batch.len() >= MOST_IN_BATCH => {
                Err(Failure::argument(format!("a batch has at most {MOST_IN_BATCH} commands: end it first")))
            }
            Some(batch) => {
                batch.push(command);
                Ok(CommandOutcome::Done)
            }
            None => self.execute_now(command),
        }
    }

    /// Executes a command at once, even if a batch is open: [`Self::execute`] adds it to the batch then.
    pub(crate) fn execute_now(&mut self, command: Command) -> Outcome<CommandOutcome> {
        let outcome = match &mut self.world {
            World::Own(simulation) => {
                #[cfg(feature = "replay")]
                if let Some(recording) = &mut self.recording {
                    let outcome = recording.recorder.execute(simulation, command);
                    return outcome.map_err(|error| Failure::command(&error, simulation));
                }
                simulation.execute(command)
            }
            #[cfg(feature = "net")]
            World::Server(server) => server.simulation_mut().execute(command),
            #[cfg(feature = "net")]
            World::Client(_) => return Err(net::networked()),
            #[cfg(feature = "replay")]
            World::Player(_) => return Err(replay::played()),
        };
        outcome.map_err(|error| Failure::command(&error, self.simulation()))
    }

    /// Advances the time.
    pub(crate) fn advance(&mut self, span: Span) -> Outcome {
        self.check_no_batch()?;
        match &mut self.world {
            World::Own(simulation) => {
                #[cfg(feature = "replay")]
                if let Some(recording) = &mut self.recording {
                    recording.recorder.advance(simulation, span);
                    return Ok(());
                }
                simulation.advance(span);
            }
            #[cfg(feature = "net")]
            World::Server(_) | World::Client(_) => return Err(net::networked()),
            #[cfg(feature = "replay")]
            World::Player(_) => return Err(replay::played()),
        }
        Ok(())
    }

    /// Handle of a controller that exists.
    pub(crate) fn controller(&self, bits: ugas_controller) -> Outcome<ControllerId> {
        let id = ControllerId::from_bits(bits).filter(|id| self.simulation().controller(*id).is_some());
        id.ok_or_else(|| Failure::not_found(format!("the controller {bits:#x} does not exist (anymore)")))
    }

    /// Stores an event until the next poll, and returns its C form.
    pub(crate) fn lend_event(&mut self, event: Event) -> ugas_event {
        let converted = to_c(&event, self.polled.len(), &mut self.lent);
        self.polled.push(event);
        converted
    }

    /// Drops the events and texts of the last poll.
    pub(crate) fn forget_polled(&mut self) {
        self.polled.clear();
        self.lent = Lent::default();
    }

    pub(crate) fn check_no_batch(&self) -> Outcome {
        match self.batch {
            None => Ok(()),
            Some(_) => Err(Failure::argument("a batch is open: end it first")),
        }
    }

    /// Checks that commands of the host can change it.
    pub(crate) fn check_changeable(&self) -> Outcome {
        match self.world {
            World::Own(_) => Ok(()),
            #[cfg(feature = "net")]
            World::Server(_) => Ok(()),
            #[cfg(feature = "net")]
            World::Client(_) => Err(net::networked()),
            #[cfg(feature = "replay")]
            World::Player(_) => Err(replay::played()),
        }
    }
}

/// Maximum number of commands in a batch: enough for a frame of the largest game, and small enough to detect
/// an endless loop.
const MOST_IN_BATCH: usize = 1 << 20;
