//! The server: it decides, and tells every client what that client may see.

mod admission;
mod authorise;
mod config;
mod doorstep;
mod heading;
mod host;
mod publish;
mod session;
mod view;
mod views;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;
use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::mirror::{PieceKey, PieceScratch};
use ugas_core::simulation::{Role, Simulation};
use ugas_core::time::{Span, Time};

pub use config::{AfterDeadline, ServerConfig};
pub use host::{AfterRejection, Defaults, Host, Reach, within_range};

use self::doorstep::Doorsteps;
use self::session::{Sent, Session};
use crate::history::Positions;
use crate::lens::{Lens, LensId, Own};
use crate::limits::MAX_GRACE;
use crate::message::{ByeReason, ClientId, Frames, RefusedReason, Rejection, ToClient, ToServer, Verdict};
use crate::packets::Fate;
use crate::replica::Replica;
use crate::schedule::Schedule;
use crate::tick::{Tick, TickLength};
use crate::wire::{self, Dictionary};

/// Why commands are rejected before they are due.
const REJECTED_AT_ONCE: [Rejection; 3] = [Rejection::TooLate, Rejection::TooEarly, Rejection::TooMany];

/// A client as the transport knows it: an address, a connection.
///
/// Only a greeting carries the number of its session. A transport must therefore not hand over what is left of an ended
/// connection under the number of the next one, or the next client answers for it: each connection has its own keys or its
/// own number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PeerId(pub u64);

/// A datagram that is to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transmit {
    /// To whom.
    pub peer: PeerId,
    /// What.
    pub bytes: Vec<u8>,
}

/// What a server's host hears.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A client was let in. Give it a controller: [`Server::give`].
    Joined {
        /// Who.
        client: ClientId,
        /// By which connection.
        peer: PeerId,
        /// What it said of itself.
        credential: Vec<u8>,
    },
    /// A client is gone; what it owned is nobody's now.
    Left {
        /// Who.
        client: ClientId,
        /// Why; `None` if it went by itself.
        reason: Option<ByeReason>,
    },
    /// A connection was not let in.
    Refused {
        /// Which.
        peer: PeerId,
        /// Why.
        reason: RefusedReason,
    },
    /// A task waited for a client for too long.
    Overdue {
        /// Which.
        task: TaskId,
    },
    /// A part of a controller is larger than a datagram: whoever looks through this lens is not told of it until it is
    /// smaller. It is said once for each content.
    TooLarge {
        /// Whose part.
        controller: ControllerId,
        /// Which.
        piece: PieceKey,
    },
    /// A command was rejected, or several of one datagram for the same reason.
    Rejected {
        /// Whose.
        client: ClientId,
        /// Why.
        rejection: Rejection,
    },
    /// Something happened in the game.
    Game(Event),
}

/// What a server has counted, for whoever watches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServerStatistics {
    /// Datagrams that came.
    pub received: u64,
    /// Datagrams that could not be read, came from strangers or were too many.
    pub dropped: u64,
    /// Datagrams that were sent.
    pub sent: u64,
    /// Bytes that were sent.
    pub sent_bytes: u64,
    /// Commands that ran.
    pub commands: u64,
    /// Commands that were rejected.
    pub rejected: u64,
    /// Parts of controllers that were too large to be told ([`ServerEvent::TooLarge`]).
    pub too_large: u64,
}

/// A cue that flashed, until everybody who may see it has.
#[derive(Debug)]
struct Flash {
    number: u64,
    tick: Tick,
    event: Event,
}

/// An authoritative game and its clients, without sockets and clocks: datagrams and the time are passed in, datagrams and
/// events are polled.
pub struct Server<H = Defaults> {
    simulation: Simulation,
    host: H,
    config: ServerConfig,
    /// The newest tick that is over.
    tick: Tick,
    now: Time,
    lenses: Vec<Lens>,
    dictionary: Dictionary,
    doorsteps: Doorsteps,
    sessions: BTreeMap<PeerId, Session>,
    /// Sessions that are over, by their nonces.
    over: VecDeque<(PeerId, u64)>,
    next_client: u32,
    replicas: BTreeMap<(ControllerId, LensId), Replica>,
    /// Controllers that somebody looks at, and who does through which lens.
    audience: BTreeMap<ControllerId, BTreeSet<(LensId, PeerId)>>,
    /// Lenses that the game chose for a controller instead of its mode's.
    chosen: BTreeMap<(ControllerId, Own), Option<LensId>>,
    owners: BTreeMap<ControllerId, ClientId>,
    /// Controllers that were somebody's while something waited for them.
    deserted: BTreeSet<ControllerId>,
    changed: BTreeSet<ControllerId>,
    /// Those that the host has not asked for yet, if it asks.
    touched: Option<BTreeSet<ControllerId>>,
    flashes: VecDeque<Flash>,
    next_flash: u64,
    positions: Positions,
    schedule: Schedule,
    outbox: VecDeque<Transmit>,
    events: VecDeque<ServerEvent>,
    scratch: PieceScratch,
    /// Pieces that were too large to be told, with the versions of which that was said.
    too_large: BTreeMap<(ControllerId, PieceKey), Tick>,
    statistics: ServerStatistics,
}

impl Server<Defaults> {
    /// A server without an opinion of its own.
    pub fn new(simulation: Simulation, config: ServerConfig) -> Self {
        Self::with_host(simulation, config, Defaults)
    }
}

impl<H: Host> Server<H> {
    /// A server that asks `host`. The simulation's role becomes [`Role::Server`].
    pub fn with_host(simulation: Simulation, config: ServerConfig, host: H) -> Self {
        let config = ServerConfig { grace: config.grace.min(MAX_GRACE), ..config };
        let dictionary = config.dictionary.clone().unwrap_or_else(|| Dictionary::of(simulation.catalog()));
        let now = simulation.now();
        let tick = config.length.tick_at(now);
        let positions = Positions::new(config.rewind);
        let mut server = Self {
            simulation,
            host,
            tick,
            now: Time::ZERO,
            lenses: Vec::new(),
            dictionary,
            doorsteps: Doorsteps::default(),
            sessions: BTreeMap::new(),
            over: VecDeque::new(),
            next_client: 1,
            replicas: BTreeMap::new(),
            audience: BTreeMap::new(),
            chosen: BTreeMap::new(),
            owners: BTreeMap::new(),
            deserted: BTreeSet::new(),
            changed: BTreeSet::new(),
            touched: None,
            flashes: VecDeque::new(),
            next_flash: 0,
            positions,
            schedule: config.schedule.unwrap_or_else(|| Schedule::of_state(config.length)),
            outbox: VecDeque::new(),
            events: VecDeque::new(),
            scratch: PieceScratch::default(),
            too_large: BTreeMap::new(),
            statistics: ServerStatistics::default(),
            config,
        };
        // What runs on players' machines only does not run here.
        server.simulation.set_role(Role::Server);
        server.simulation.watch_touches();
        server
    }

    /// The game.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Changes the game between ticks, and tells the host, which may keep a recording ([`Host::before_command`]). Do not let
    /// its time pass: [`Server::tick`] does.
    ///
    /// # Errors
    /// As [`Simulation::execute`].
    pub fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        self.host.before_command(&command);
        let outcome = self.simulation.execute(command);
        self.host.after_command(&self.simulation);
        outcome
    }

    /// The game, to be changed between ticks, past a recording that the host may keep: [`Server::execute`] does not go past
    /// it. Do not let its time pass: [`Server::tick`] does.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Begins to note for the host which controllers were touched; see [`Self::take_touched`].
    pub fn watch_touches(&mut self) {
        self.touched = Some(self.simulation.controllers().map(|(controller, _)| controller).collect());
    }

    /// The controllers of which anything may have changed in the ticks since the last time: whoever shows the game looks at
    /// these and at no others (I5). None unless [`Self::watch_touches`] was called. The simulation's own list is the server's.
    pub fn take_touched(&mut self) -> Vec<ControllerId> {
        let touched = self.touched.as_mut().map(core::mem::take).unwrap_or_default();
        touched.into_iter().filter(|controller| self.simulation.controller(*controller).is_some()).collect()
    }

    /// The rules.
    pub fn catalog(&self) -> &Arc<Catalog> {
        self.simulation.catalog()
    }

    /// What it asks.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// What it asks, to be changed.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }

    /// The newest tick that is over.
    pub fn current_tick(&self) -> Tick {
        self.tick
    }

    /// How long ticks are.
    pub fn tick_length(&self) -> TickLength {
        self.config.length
    }

    /// What was counted so far.
    pub fn statistics(&self) -> ServerStatistics {
        self.statistics
    }

    /// The clients that are in.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> + '_ {
        self.sessions.values().map(|session| session.client)
    }

    /// How long a datagram takes to a client and back, once known.
    pub fn round_trip(&self, client: ClientId) -> Option<Span> {
        self.session_of(client)?.round_trip
    }

    /// How often commands of a client were rejected, by reason.
    pub fn rejections(&self, client: ClientId) -> impl Iterator<Item = (Rejection, u32)> + '_ {
        let session = self.session_of(client);
        session.into_iter().flat_map(|session| session.rejections.iter().map(|(why, count)| (*why, *count)))
    }

    /// How many things it holds, for tests that nothing grows without bound.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        self.sessions.values().map(Session::held).sum::<usize>()
            + self.doorsteps.len()
            + self.replicas.values().map(Replica::held).sum::<usize>()
            + self.audience.values().map(BTreeSet::len).sum::<usize>()
            + self.lenses.len()
            + self.chosen.len()
            + self.owners.len()
            + self.deserted.len()
            + self.changed.len()
            + self.flashes.len()
            + self.too_large.len()
            + self.outbox.len()
            + self.events.len()
    }

    /// Takes the oldest datagram that waits to be sent.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.outbox.pop_front()
    }

    /// Takes the oldest event.
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.events.pop_front()
    }

    /// Takes a datagram that came. Whatever is in it, the game changes in [`Server::tick`] only.
    pub fn handle(&mut self, now: Time, peer: PeerId, bytes: &[u8]) {
        self.now = self.now.max(now);
        self.statistics.received += 1;
        let is_known = self.sessions.contains_key(&peer);
        if !self.doorsteps.admits_datagram(self.now, peer, &self.config) {
            self.statistics.dropped += 1;
            return;
        }
        match wire::decode_to_server(&self.dictionary, bytes) {
            Ok(ToServer::Hello(hello)) => self.welcome(peer, hello),
            Ok(ToServer::Frames(frames)) if is_known => self.take_frames(peer, frames),
            Ok(ToServer::Bye) if is_known => self.end_session(peer, None),
            Ok(ToServer::Frames(_) | ToServer::Bye) | Err(_) => self.statistics.dropped += 1,
        }
    }

    /// Lets one tick pass: commands that are due run, time goes on, and clients are told.
    pub fn tick(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.drop_the_silent();
        self.doorsteps.forget_the_rested(self.now, &self.config);
        self.tick = self.tick.next();
        self.run_commands();
        let target = self.config.length.end_of(self.tick);
        let span = target.since(self.simulation.now());
        if span.is_positive() {
            // Time passes, whatever is said of it.
            let _ = self.execute(Command::Advance(span));
        }
        self.take_events();
        self.record_positions();
        self.publish();
    }

    fn session_of(&self, client: ClientId) -> Option<&Session> {
        self.sessions.values().find(|session| session.client == client)
    }

    fn peer_of(&self, client: ClientId) -> Option<PeerId> {
        self.session_of(client).map(|session| session.peer)
    }

    fn send(&mut self, peer: PeerId, message: &ToClient) {
        // What the server says by itself fits: texts are cut before.
        if let Ok(bytes) = wire::encode_to_client(&self.dictionary, message) {
            self.push(peer, bytes);
        }
    }

    fn push(&mut self, peer: PeerId, bytes: Vec<u8>) {
        self.statistics.sent += 1;
        self.statistics.sent_bytes += bytes.len() as u64;
        self.outbox.push_back(Transmit { peer, bytes });
    }

    fn take_frames(&mut self, peer: PeerId, frames: Frames) {
        let next = self.tick.next();
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        if !session.received.receive(frames.packet).is_new() {
            return;
        }
        session.last_heard = self.now;
        session.heading.is_awaited |= !frames.frames.is_empty();
        let mut fates: SmallVec<[(Fate, Sent); 4]> = SmallVec::new();
        let (ack, heading) = (frames.ack, &mut session.heading);
        let settled = session.sent.on_ack(self.now, ack, |packet, fate, sent| {
            // What was the newest at the client was not overtaken, and words that were do not count.
            if packet == ack.newest {
                heading.on_heard(sent.named);
            }
            fates.push((fate, sent));
        });
        match settled {
            Ok(None) => {}
            Ok(Some(sample)) => session.round_trip = Some(smooth(session.round_trip, sample)),
            // Nobody can have received what was never sent.
            Err(_) => session.misbehaved = true,
        }
        for (fate, sent) in fates {
            match fate {
                Fate::Arrived => session.on_arrival(sent),
                Fate::Lost => session.on_loss(sent),
            }
        }
        let before = REJECTED_AT_ONCE.map(|rejection| session.rejected(rejection));
        session.take_frames(self.now, frames, next, &self.config);
        for (rejection, before) in REJECTED_AT_ONCE.into_iter().zip(before) {
            let Some(session) = self.sessions.get(&peer) else { return };
            let count = session.rejected(rejection);
            if count > before {
                self.statistics.rejected += u64::from(count - before);
                self.report_rejection(peer, rejection, count);
            }
        }
    }

    /// Tells the host, which may have had enough.
    fn report_rejection(&mut self, peer: PeerId, rejection: Rejection, count: u32) {
        let Some(client) = self.sessions.get(&peer).map(|session| session.client) else { return };
        self.events.push_back(ServerEvent::Rejected { client, rejection });
        if self.host.rejected(client, rejection, count) == AfterRejection::Kick {
            self.end_session(peer, Some(ByeReason::Kicked));
        }
    }

    /// Hears what happened in the game, and notes who changed.
    fn take_events(&mut self) {
        while let Some(event) = self.simulation.poll_event() {
            match &event.kind {
                EventKind::ControllerSpawned { controller } => self.all_look_again(*controller),
                EventKind::ControllerDespawned { controller } => self.forget_controller(*controller),
                EventKind::CueExecuted { controller, cue, .. } => {
                    self.flash(*controller, *cue, event.clone());
                }
                _ => {}
            }
            self.events.push_back(ServerEvent::Game(event));
        }
        let touched = self.simulation.take_touched();
        if let Some(noted) = &mut self.touched {
            noted.extend(&touched);
        }
        self.changed.extend(touched);
    }

    /// Remembers where those are who moved.
    fn record_positions(&mut self) {
        self.positions.advance(self.tick);
        for controller in &self.changed {
            let placement = self.simulation.controller(*controller).and_then(|known| known.placement());
            match placement {
                Some(placement) => self.positions.record(self.tick, *controller, placement.position()),
                None => self.positions.take_away(self.tick, *controller),
            }
        }
    }

    fn conclude(&mut self, peer: PeerId, key: ugas_core::effect::PredictionKey, verdict: Verdict) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        match verdict {
            Verdict::Rejected(rejection) => {
                session.reject(key, rejection);
                let count = session.rejected(rejection);
                self.statistics.rejected += 1;
                self.report_rejection(peer, rejection, count);
            }
            Verdict::Done | Verdict::Shifted(_) => {
                session.conclude(key, verdict);
                self.statistics.commands += 1;
            }
        }
    }
}

/// A running mean that forgets half of a sample in about five more.
fn smooth(known: Option<Span>, sample: Span) -> Span {
    let Some(known) = known else { return sample };
    Span::from_micros(known.micros() + (sample.micros() - known.micros()) / 8)
}
