//! What a number of a simulation stands for: a simulation of the host's own, a server's, a client's, or one that is played.

use ugas_core::command::{Command, Outcome as CommandOutcome};
use ugas_core::event::{CueDetails, Event};
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;
use ugas_core::simulation::Simulation;
use ugas_core::targeting::TargetData;
use ugas_core::time::Span;
use ugas_net::{Client, Server, Transmit};

use crate::activation::ugas_named_number;
use crate::catalog::ugas_tag;
use crate::context::bad;
use crate::cue::{details_to_c, ugas_cue_details};
use crate::event::{to_c, ugas_event};
use crate::memory::{ugas_bytes, ugas_str};
use crate::player::Playback;
use crate::recording::Recording;
use crate::server::GameHost;
use crate::simulation::ugas_controller;
use crate::status::{Failure, Outcome, ugas_status};
use crate::target::{self, ugas_target};

/// Whose the simulation is. All are read alike; what changes them differs.
pub(crate) enum World {
    Own(Box<Simulation>),
    Server(Box<Server<GameHost>>),
    Client(Box<Client>),
    Player(Box<Playback>),
}

/// A simulation with what the host has of it.
pub(crate) struct SimulationEntry {
    pub(crate) world: World,
    /// The events of the last poll: texts of C events lead here.
    pub(crate) polled: Vec<Event>,
    /// Lists and texts of the last poll that events of the game do not have themselves.
    pub(crate) lent: Lent,
    pub(crate) recording: Option<Recording>,
    /// Commands that wait for the end of a batch.
    pub(crate) batch: Option<Vec<Command>>,
    /// A datagram that there was no room for.
    pub(crate) unsent: Option<Transmit>,
}

/// Lists that rows of a poll point to, kept until the next poll. A box does not move when more are kept.
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

/// Keeps a list; null if it is empty.
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
        Self { world, polled: Vec::new(), lent: Lent::default(), recording: None, batch: None, unsent: None }
    }

    /// What is looked at.
    pub(crate) fn simulation(&self) -> &Simulation {
        match &self.world {
            World::Own(simulation) => simulation,
            World::Server(server) => server.simulation(),
            World::Client(client) => client.simulation(),
            World::Player(playback) => playback.player.simulation(),
        }
    }

    /// The simulation, for what neither a server's nor a client's can do, nor one that is recorded.
    pub(crate) fn own_mut(&mut self) -> Outcome<&mut Simulation> {
        self.check_unrecorded()?;
        self.check_no_batch()?;
        match &mut self.world {
            World::Own(simulation) => Ok(simulation),
            World::Server(_) | World::Client(_) => Err(networked()),
            World::Player(_) => Err(played()),
        }
    }

    /// Changes the simulation: the one way, so that a recording misses nothing.
    pub(crate) fn execute(&mut self, command: Command) -> Outcome<CommandOutcome> {
        self.check_changeable()?;
        match &mut self.batch {
            Some(batch) if batch.len() >= MOST_IN_BATCH => {
                Err(Failure::argument(format!("a batch has at most {MOST_IN_BATCH} changes: end it first")))
            }
            Some(batch) => {
                batch.push(command);
                Ok(CommandOutcome::Done)
            }
            None => self.execute_now(command),
        }
    }

    /// The same, whether or not a batch is open.
    pub(crate) fn execute_now(&mut self, command: Command) -> Outcome<CommandOutcome> {
        let outcome = match (&mut self.world, &mut self.recording) {
            (World::Own(simulation), Some(recording)) => recording.recorder.execute(simulation, command),
            (World::Own(simulation), None) => simulation.execute(command),
            (World::Server(server), _) => server.simulation_mut().execute(command),
            (World::Client(_), _) => return Err(networked()),
            (World::Player(_), _) => return Err(played()),
        };
        outcome.map_err(|error| Failure::command(&error, self.simulation()))
    }

    /// Lets time pass.
    pub(crate) fn advance(&mut self, span: Span) -> Outcome {
        self.check_no_batch()?;
        match (&mut self.world, &mut self.recording) {
            (World::Own(simulation), Some(recording)) => recording.recorder.advance(simulation, span),
            (World::Own(simulation), None) => simulation.advance(span),
            (World::Server(_) | World::Client(_), _) => return Err(networked()),
            (World::Player(_), _) => return Err(played()),
        }
        Ok(())
    }

    /// A controller that exists.
    pub(crate) fn controller(&self, bits: ugas_controller) -> Outcome<ControllerId> {
        let id = ControllerId::from_bits(bits).filter(|id| self.simulation().controller(*id).is_some());
        id.ok_or_else(|| Failure::not_found(format!("the controller {bits:#x} does not exist (any more)")))
    }

    pub(crate) fn server(&self, number: u64) -> Outcome<&Server<GameHost>> {
        match &self.world {
            World::Server(server) => Ok(server),
            World::Own(_) | World::Client(_) | World::Player(_) => Err(bad("server", number)),
        }
    }

    pub(crate) fn server_mut(&mut self, number: u64) -> Outcome<&mut Server<GameHost>> {
        match &mut self.world {
            World::Server(server) => Ok(server),
            World::Own(_) | World::Client(_) | World::Player(_) => Err(bad("server", number)),
        }
    }

    pub(crate) fn client(&self, number: u64) -> Outcome<&Client> {
        match &self.world {
            World::Client(client) => Ok(client),
            World::Own(_) | World::Server(_) | World::Player(_) => Err(bad("client", number)),
        }
    }

    pub(crate) fn client_mut(&mut self, number: u64) -> Outcome<&mut Client> {
        match &mut self.world {
            World::Client(client) => Ok(client),
            World::Own(_) | World::Server(_) | World::Player(_) => Err(bad("client", number)),
        }
    }

    pub(crate) fn playback(&self, number: u64) -> Outcome<&Playback> {
        match &self.world {
            World::Player(playback) => Ok(playback),
            World::Own(_) | World::Server(_) | World::Client(_) => Err(bad("player", number)),
        }
    }

    pub(crate) fn playback_mut(&mut self, number: u64) -> Outcome<&mut Playback> {
        match &mut self.world {
            World::Player(playback) => Ok(playback),
            World::Own(_) | World::Server(_) | World::Client(_) => Err(bad("player", number)),
        }
    }

    /// Keeps words until the next poll.
    pub(crate) fn lend_words(&mut self, words: String) -> ugas_str {
        self.lent.text(&words)
    }

    /// Keeps an event until the next poll; the event as C has it.
    pub(crate) fn lend_event(&mut self, event: Event) -> ugas_event {
        let converted = to_c(&event, self.polled.len(), &mut self.lent);
        self.polled.push(event);
        converted
    }

    /// A poll begins: what the last one gave out is over.
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

    /// Whether commands of the host change it at all.
    pub(crate) fn check_changeable(&self) -> Outcome {
        match self.world {
            World::Own(_) | World::Server(_) => Ok(()),
            World::Client(_) => Err(networked()),
            World::Player(_) => Err(played()),
        }
    }

    fn check_unrecorded(&self) -> Outcome {
        match self.recording {
            None => Ok(()),
            Some(_) => Err(Failure::new(
                ugas_status::Recording,
                "a recording is being made, and cannot follow: finish it first",
            )),
        }
    }
}

/// Enough for a frame of the largest game, and little enough that a loop without an end is noticed.
const MOST_IN_BATCH: usize = 1 << 20;

fn networked() -> Failure {
    Failure::new(
        ugas_status::Networked,
        "a server's time passes in ugas_server_tick, and a client's game is the server's to change: ask it with ugas_client_activate and the like",
    )
}

fn played() -> Failure {
    Failure::new(
        ugas_status::Recording,
        "what is played was recorded, and nothing changes it: take a snapshot of it, and restore that in a simulation",
    )
}
