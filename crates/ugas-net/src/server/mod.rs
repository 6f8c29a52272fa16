//! The authoritative server: runs commands, and sends every client the state that it may see.

mod admission;
mod authorise;
mod config;
mod controller_view;
mod header_state;
mod host;
mod kick;
mod outbox;
mod peer_rate_limits;
mod publish;
mod relevancy;
mod reload;
mod resume;
mod session;
mod targets;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, CommandError, Execute, Outcome};
use ugas_core::event::{Event, EventKind, EventType};
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::replica::{PieceKey, PieceScratch};
use ugas_core::simulation::{Role, Simulation};
use ugas_core::time::{Span, Time};

pub use config::{AfterDeadline, ServerConfig};
pub use host::{AfterRejection, Defaults, Host, Reach, within_range};
pub use kick::KickReason;

use self::admission::EndedSession;
use self::outbox::Outbox;
use self::peer_rate_limits::PeerRateLimits;
use self::publish::Buffers;
use self::session::Session;
use crate::fault_points::{FaultPoint, fails};
use crate::history::Positions;
use crate::limits::MAX_GRACE;
use crate::message::{
    Ack, ByeReason, ClientId, CommandOutcome, Frames, RefusedReason, Rejection, ToClient, ToServer,
};
use crate::packets::Fate;
use crate::schedule::{ActorClass, Schedule};
use crate::sorted_set::SortedSet;
use crate::tick::{Tick, TickLength};
use crate::versioned_view::VersionedView;
use crate::visibility::{Ownership, Visibility, VisibilityId};
use crate::wire::{self, Dictionary};

/// Reasons for which commands are rejected on arrival, before they are due.
const REJECTED_AT_ONCE: [Rejection; 3] = [Rejection::TooLate, Rejection::TooEarly, Rejection::TooMany];

/// Identifies a connection of the transport: an address, a socket, a QUIC connection.
///
/// A connection may have several sessions, one after the other: commands and updates carry numbers of their
/// session, and those of an earlier one are dropped. A bye carries none: a late one ends the present session, so
/// give each connection its own keys or its own id if datagrams of an ended one can still arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PeerId(pub u64);

/// A datagram to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transmit {
    /// Connection to send it to.
    pub peer: PeerId,
    /// Content of the datagram.
    pub bytes: Vec<u8>,
}

/// An event for the server's host.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ServerEvent {
    /// A client was admitted. Give it a controller with [`Server::give`].
    Joined {
        /// The new client.
        client: ClientId,
        /// Its connection.
        peer: PeerId,
        /// Credential from its hello.
        credential: Vec<u8>,
    },
    /// The connection of a client was lost. Its session is kept for [`ServerConfig::resume_time`], and its
    /// controllers stay its own; [`Self::Resumed`] or [`Self::Left`] follows.
    Interrupted {
        /// The client.
        client: ClientId,
        /// The lost connection.
        peer: PeerId,
    },
    /// A client continues its session over another connection.
    Resumed {
        /// The client.
        client: ClientId,
        /// Its connection now.
        peer: PeerId,
        /// Its connection before; the transport should close it if it is another one.
        former: PeerId,
    },
    /// A session ended; the client's controllers have no owner now.
    Left {
        /// The client.
        client: ClientId,
        /// Reason of the end; `None` if the client left or its connection was lost.
        reason: Option<ByeReason>,
    },
    /// The server kicked a client; [`Self::Left`] follows.
    Kicked {
        /// The client.
        client: ClientId,
        /// Its connection.
        peer: PeerId,
        /// Reason of the kick.
        reason: KickReason,
    },
    /// A connection was refused.
    Refused {
        /// The connection.
        peer: PeerId,
        /// Reason of the refusal.
        reason: RefusedReason,
    },
    /// A task waited for a client beyond [`ServerConfig::client_deadline`].
    Overdue {
        /// The task.
        task: TaskId,
    },
    /// A piece of a controller is larger than a datagram. Clients with this visibility do not receive it
    /// until it is smaller. Emitted once for each content.
    TooLarge {
        /// The controller.
        controller: ControllerId,
        /// The piece.
        piece: PieceKey,
    },
    /// A command was rejected, or several of one datagram for the same reason.
    Rejected {
        /// The client that sent it.
        client: ClientId,
        /// Reason of the rejection.
        rejection: Rejection,
    },
    /// The rules were replaced ([`Server::reload`]). Earlier events name ids of the old rules.
    Reloaded,
    /// An event of the simulation.
    Game(Event),
}

/// Counters of a server since its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ServerStatistics {
    /// Datagrams received.
    pub received: u64,
    /// Datagrams dropped: not decodable, from unknown connections, or over the rate limit.
    pub dropped: u64,
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Commands that ran.
    pub commands: u64,
    /// Commands that were rejected.
    pub rejected: u64,
    /// Rejected commands that only a modified client sends.
    pub forged: u64,
    /// Clients that were kicked.
    pub kicked: u64,
    /// Pieces of controllers that were too large to send ([`ServerEvent::TooLarge`]).
    pub too_large: u64,
    /// Sessions whose connection was lost, and which were kept.
    pub interrupted: u64,
    /// Sessions that were resumed.
    pub resumed: u64,
    /// Kept sessions that ended because nobody resumed them in time.
    pub expired: u64,
}

impl ServerStatistics {
    /// Counts a sent datagram of some bytes.
    fn count_sent(&mut self, bytes: usize) {
        self.sent += 1;
        self.sent_bytes += bytes as u64;
    }
}

/// An executed cue that is sent to clients until it expires.
#[derive(Debug)]
struct PendingCueBurst {
    number: u64,
    tick: Tick,
    event: Event,
    /// Encoded context for clients who see the source of the cue, and for others.
    details: [Option<Vec<u8>>; 2],
}

/// An authoritative simulation with its clients, without sockets and clocks: datagrams and the time are
/// passed in, datagrams and events are polled.
pub struct Server<H = Defaults> {
    simulation: Simulation,
    host: H,
    config: ServerConfig,
    /// The newest tick that is over.
    tick: Tick,
    now: Time,
    visibilities: Vec<Visibility>,
    dictionary: Dictionary,
    rate_limits: PeerRateLimits,
    sessions: BTreeMap<PeerId, Session>,
    /// Connections and nonces of sessions that ended lately, oldest first.
    ended_sessions: VecDeque<EndedSession>,
    next_client: u32,
    /// Number of the next session or connection of one, for [`Welcome::session`](crate::message::Welcome).
    next_session: u8,
    versioned_views: BTreeMap<(ControllerId, VisibilityId), VersionedView>,
    /// Viewers of each controller, by visibility.
    audience: BTreeMap<ControllerId, BTreeSet<(VisibilityId, PeerId)>>,
    /// Visibilities that the game set in place of that of the replication mode; `None` hides the controller.
    visibility_overrides: BTreeMap<(ControllerId, Ownership), Option<VisibilityId>>,
    owners: BTreeMap<ControllerId, ClientId>,
    /// Controllers that lost their owner while a task of theirs may wait for a client.
    orphaned: BTreeSet<ControllerId>,
    /// Controllers that changed since the last publication.
    changed: SortedSet<ControllerId>,
    /// Controllers touched since the last [`Self::take_touched`]; `None` unless the host watches touches.
    touched: Option<BTreeSet<ControllerId>>,
    cue_bursts: VecDeque<PendingCueBurst>,
    next_cue_burst: u64,
    /// Memory for contexts of cue bursts, of expired ones.
    spare_details: Vec<Vec<u8>>,
    positions: Positions,
    schedule: Schedule,
    outbox: Outbox,
    buffers: Buffers,
    /// Memory for the order of clients in [`Self::run_commands`].
    by_joining: Vec<(ClientId, PeerId)>,
    /// Memory for the simulation's touched controllers.
    newly_touched: Vec<ControllerId>,
    events: VecDeque<ServerEvent>,
    scratch: PieceScratch,
    /// Pieces that were too large to send, with the versions that were reported.
    too_large: BTreeMap<(ControllerId, PieceKey), Tick>,
    statistics: ServerStatistics,
}

impl Server<Defaults> {
    /// Creates a server with the default [`Host`].
    pub fn new(simulation: Simulation, config: ServerConfig) -> Self {
        Self::with_host(simulation, config, Defaults)
    }
}

/// Executes commands between ticks, as [`Server::execute`].
impl<H: Host> Execute for Server<H> {
    fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        Self::execute(self, command)
    }

    fn simulation(&self) -> &Simulation {
        Self::simulation(self)
    }
}

impl<H: Host> Server<H> {
    /// Creates a server with a host of the game's own. The simulation's role becomes [`Role::Server`], and
    /// the server consumes its list of touched controllers; the events of spawned and despawned controllers
    /// and of executed cues are kept in any case; [`ServerConfig::grace`] is limited to [`MAX_GRACE`].
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
            visibilities: Vec::new(),
            dictionary,
            rate_limits: PeerRateLimits::default(),
            sessions: BTreeMap::new(),
            ended_sessions: VecDeque::new(),
            next_client: 1,
            next_session: 1,
            versioned_views: BTreeMap::new(),
            audience: BTreeMap::new(),
            visibility_overrides: BTreeMap::new(),
            owners: BTreeMap::new(),
            orphaned: BTreeSet::new(),
            changed: SortedSet::default(),
            touched: None,
            cue_bursts: VecDeque::new(),
            next_cue_burst: 0,
            spare_details: Vec::new(),
            positions,
            schedule: config.schedule.unwrap_or_else(|| Schedule::of_state(config.length)),
            outbox: Outbox::default(),
            buffers: Buffers::default(),
            by_joining: Vec::new(),
            newly_touched: Vec::new(),
            events: VecDeque::new(),
            scratch: PieceScratch::default(),
            too_large: BTreeMap::new(),
            statistics: ServerStatistics::default(),
            config,
        };
        // Abilities that run on players' machines only do not run here.
        server.simulation.set_role(Role::Server);
        let needed = [EventType::ControllerSpawned, EventType::ControllerDespawned, EventType::CueExecuted];
        server.simulation.set_event_filter(server.simulation.config().events.with(needed));
        server.simulation.watch_touches();
        server
    }

    /// The authoritative simulation, as of the newest tick and of changes since.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Executes a command between ticks, and notifies the host, which may keep a recording
    /// ([`Host::before_command`]). Do not advance time with it: [`Server::tick`] does.
    ///
    /// # Errors
    /// As [`Simulation::execute`].
    pub fn execute(&mut self, command: Command) -> Result<Outcome, CommandError> {
        self.host.before_command(&command);
        let outcome = self.simulation.execute(command);
        self.host.after_command(&self.simulation);
        outcome
    }

    /// The simulation, for changes between ticks. They are not passed to the host, so its recording misses
    /// them: use [`Server::execute`] if it records. Do not advance time: [`Server::tick`] does.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Starts recording which controllers are touched, for [`Self::take_touched`]. All present controllers
    /// count as touched.
    pub fn watch_touches(&mut self) {
        self.touched = Some(self.simulation.controllers().map(|(controller, _)| controller).collect());
    }

    /// Takes the controllers of which anything may have changed since the last call: a presentation has to
    /// look at these and at no others (I5). Empty unless [`Self::watch_touches`] was called. The simulation's
    /// own list is used by the server.
    pub fn take_touched(&mut self) -> Vec<ControllerId> {
        let touched = self.touched.as_mut().map(core::mem::take).unwrap_or_default();
        touched.into_iter().filter(|controller| self.simulation.controller(*controller).is_some()).collect()
    }

    /// The catalog of the simulation; a client whose catalog has another hash is refused.
    pub fn catalog(&self) -> &Arc<Catalog> {
        self.simulation.catalog()
    }

    /// The host: the game's rules for admission, reach and deadlines, and its recorder.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// The host, for changes of its own state between calls of the server.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }

    /// The newest tick that is over.
    pub fn current_tick(&self) -> Tick {
        self.tick
    }

    /// Length of a tick, as configured. It is exact on average (N3), so single ticks differ by a microsecond.
    pub fn tick_length(&self) -> TickLength {
        self.config.length
    }

    /// Counters since the server was created, over all sessions.
    pub fn statistics(&self) -> ServerStatistics {
        self.statistics
    }

    /// Clients with a session, sorted by the id of their connection.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> + '_ {
        self.sessions.values().map(|session| session.client)
    }

    /// Smoothed round trip of a client; `None` before it was measured.
    pub fn round_trip(&self, client: ClientId) -> Option<Span> {
        self.session_of(client)?.acks.round_trip
    }

    /// Number of rejected commands of a client, by reason.
    pub fn rejections(&self, client: ClientId) -> impl Iterator<Item = (Rejection, u32)> + '_ {
        let session = self.session_of(client);
        session
            .into_iter()
            .flat_map(|session| session.inbound.rejections.iter().map(|(why, count)| (*why, *count)))
    }

    /// Sets the id of the next client, for tests that begin near the end of its range.
    #[doc(hidden)]
    pub fn set_next_client(&mut self, client: ClientId) {
        self.next_client = client.0;
    }

    /// Number of items held, for tests that nothing grows without bound.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        self.sessions.values().map(Session::held).sum::<usize>()
            + self.rate_limits.len()
            + self.versioned_views.values().map(VersionedView::held).sum::<usize>()
            + self.audience.values().map(BTreeSet::len).sum::<usize>()
            + self.visibilities.len()
            + self.visibility_overrides.len()
            + self.owners.len()
            + self.orphaned.len()
            + self.changed.len()
            + self.cue_bursts.len()
            + self.too_large.len()
            + self.outbox.len()
            + self.events.len()
    }

    /// Takes the oldest datagram that waits to be sent, in memory of its own; [`Self::visit_transmits`] allocates
    /// none.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.outbox.pop()
    }

    /// Calls `send` with each datagram that waits to be sent, oldest first, and with its connection. The memory of
    /// the datagrams is reused, so that a server with any number of clients allocates nothing for them.
    pub fn visit_transmits(&mut self, send: impl FnMut(PeerId, &[u8])) {
        self.outbox.visit(send);
    }

    /// Takes the oldest event that was not taken yet; `None` if there is none. Call it until then after each
    /// [`Server::handle`] and [`Server::tick`].
    pub fn poll_event(&mut self) -> Option<ServerEvent> {
        self.events.pop_front()
    }

    /// Handles a received datagram: begins or ends a session, settles acknowledgements, and queues commands
    /// for their ticks. Drops and counts datagrams that do not decode, come from unknown connections or
    /// exceed the rate limit. The simulation changes in [`Server::tick`] only.
    pub fn handle(&mut self, now: Time, peer: PeerId, bytes: &[u8]) {
        self.now = self.now.max(now);
        self.statistics.received += 1;
        let sessions = &self.sessions;
        let is_known = sessions.contains_key(&peer);
        let has_session = |peer| sessions.contains_key(&peer);
        if !self.rate_limits.admits_datagram(self.now, peer, &self.config, has_session)
            || fails(FaultPoint::ServerReceive)
        {
            self.statistics.dropped += 1;
            return;
        }
        match wire::decode_to_server(&self.dictionary, bytes) {
            Ok(ToServer::Hello(hello)) => self.handle_hello(peer, hello),
            Ok(ToServer::Frames(frames)) if is_known => self.accept_frames(peer, frames),
            Ok(ToServer::Resume(resume)) => self.handle_resume(peer, resume),
            Ok(ToServer::Bye) if is_known => self.end_session(peer, None),
            Ok(ToServer::Frames(_) | ToServer::Bye) | Err(_) => self.statistics.dropped += 1,
        }
    }

    /// Runs one tick: ends sessions that timed out or misbehaved, executes the commands that are due,
    /// advances the simulation to the end of the tick, and queues updates for [`Server::poll_transmit`].
    pub fn tick(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.end_dead_sessions();
        self.end_interrupted_sessions();
        self.end_unacknowledging_sessions();
        self.rate_limits.forget_idle(self.now);
        self.tick = self.tick.next();
        self.run_commands();
        let target = self.config.length.end_of(self.tick);
        let span = target.since(self.simulation.now());
        if span.is_positive() {
            // A positive span always advances.
            let _ = self.execute(Command::Advance(span));
        }
        self.take_events();
        self.record_positions();
        self.publish();
    }

    /// Session of a client; `None` if it has left. Sessions are keyed by connection, so this is a search.
    fn session_of(&self, client: ClientId) -> Option<&Session> {
        self.sessions.values().find(|session| session.client == client)
    }

    /// Connection of a client; `None` if it has left.
    fn peer_of(&self, client: ClientId) -> Option<PeerId> {
        self.session_of(client).map(|session| session.peer)
    }

    /// Encodes a message and queues it for [`Self::poll_transmit`].
    fn send(&mut self, peer: PeerId, message: &ToClient) {
        // Messages of the server itself always fit: texts are shortened before.
        if let Ok(bytes) = wire::encode_to_client(&self.dictionary, message) {
            let length = self.outbox.push(peer, |datagram| datagram.extend_from_slice(&bytes));
            self.statistics.count_sent(length);
        }
    }

    /// Handles a datagram with frames: ignores duplicates, settles which of the server's datagrams arrived
    /// or got lost, measures the round trip, and queues the frames for their ticks. Reports commands that
    /// are rejected on arrival, which may end the session.
    fn accept_frames(&mut self, peer: PeerId, frames: Frames) {
        let next = self.tick.next();
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        if frames.session != session.number {
            // A late datagram of an earlier session of this connection, or of an earlier connection.
            self.statistics.dropped += 1;
            return;
        }
        if session.interrupted_at.is_some() {
            // The client does not know yet that it has to resume its session.
            self.statistics.dropped += 1;
            self.send(peer, &ToClient::Bye(ByeReason::TimedOut));
            return;
        }
        if !session.inbound.received.receive(frames.packet).is_new() {
            return;
        }
        session.inbound.last_heard = self.now;
        session.outbound.header.report_requested |= !frames.frames.is_empty();
        let packets = &mut self.buffers.packets;
        let ack = if fails(FaultPoint::LateAcknowledgement) { Ack::default() } else { frames.ack };
        let header = &mut session.outbound.header;
        let settled = session.acks.sent.on_ack(self.now, ack, |packet, fate, sent| {
            // Only the client's newest datagram was surely not overtaken; reports in overtaken ones do not
            // count.
            if packet == ack.newest {
                header.on_report_received(sent.reported);
            }
            packets.fates.push((fate, sent));
        });
        match settled {
            Ok(None) => {}
            Ok(Some(sample)) => session.acks.add_round_trip(self.now, sample),
            // An acknowledgement of a packet that was never sent.
            Err(_) => session.inbound.misbehaved = true,
        }
        let mut fates = core::mem::take(&mut packets.fates);
        for (fate, sent) in fates.drain(..) {
            match fate {
                Fate::Arrived => session.on_arrival(&sent),
                Fate::Lost => session.on_loss(&sent),
            }
            packets.keep(sent);
        }
        packets.fates = fates;
        let before = REJECTED_AT_ONCE.map(|rejection| session.inbound.rejected(rejection));
        let round_trip = session.acks.round_trip.unwrap_or(Span::ZERO);
        let interval = self.schedule.interval(ActorClass::Player, round_trip);
        let seen = session.acks.seen_tick(self.tick, self.config.length, interval);
        session.accept_frames(self.now, frames, (next, seen), &self.config);
        for (rejection, before) in REJECTED_AT_ONCE.into_iter().zip(before) {
            let Some(session) = self.sessions.get(&peer) else { return };
            let count = session.inbound.rejected(rejection);
            if count > before {
                self.statistics.rejected += u64::from(count - before);
                self.report_rejection(peer, rejection, count);
            }
        }
    }

    /// Emits [`ServerEvent::Rejected`] and asks the host, which may kick the client: the session may be gone
    /// afterwards. `count` is the number of the client's commands rejected for this reason so far.
    fn report_rejection(&mut self, peer: PeerId, rejection: Rejection, count: u32) {
        let Some(client) = self.sessions.get(&peer).map(|session| session.client) else { return };
        self.events.push_back(ServerEvent::Rejected { client, rejection });
        if self.host.rejected(client, rejection, count) == AfterRejection::Kick {
            self.kick_peer(peer, KickReason::Rejected { rejection, count });
        }
    }

    /// Queues the simulation's events for [`Self::poll_event`]. Begins views of spawned controllers, forgets
    /// despawned ones, queues executed cues, and adds touched controllers to `changed`.
    fn take_events(&mut self) {
        while let Some(event) = self.simulation.poll_event() {
            match &event.kind {
                EventKind::ControllerSpawned { controller } => self.update_all_views(*controller),
                EventKind::ControllerDespawned { controller } => self.forget_controller(*controller),
                EventKind::CueExecuted { controller, cue, .. } => {
                    self.queue_cue_burst(*controller, *cue, event.clone());
                }
                _ => {}
            }
            self.events.push_back(ServerEvent::Game(event));
        }
        self.simulation.take_touched_into(&mut self.newly_touched);
        if let Some(noted) = &mut self.touched {
            noted.extend(&self.newly_touched);
        }
        for controller in self.newly_touched.drain(..) {
            self.changed.insert(controller);
        }
    }

    /// Records the positions of changed controllers at this tick, for lag compensation; one without a
    /// placement is out of the world.
    fn record_positions(&mut self) {
        self.positions.advance(self.tick);
        for controller in self.changed.iter() {
            let placement = self.simulation.controller(controller).and_then(|known| known.placement());
            match placement {
                Some(placement) => self.positions.record(self.tick, controller, placement.position()),
                None => self.positions.take_away(self.tick, controller),
            }
        }
    }

    /// Queues the outcome of a command for its client, and counts it. A rejection is reported to the host
    /// too, which may end the session. Does nothing if the session has ended.
    fn record_outcome(
        &mut self,
        peer: PeerId,
        key: ugas_core::effect::PredictionKey,
        outcome: CommandOutcome,
    ) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        match outcome {
            CommandOutcome::Rejected(rejection) => {
                session.reject(key, rejection);
                let count = session.inbound.rejected(rejection);
                self.statistics.rejected += 1;
                self.report_rejection(peer, rejection, count);
            }
            CommandOutcome::Done | CommandOutcome::Shifted(_) => {
                session.outbound.queue_result(key, outcome);
                self.statistics.commands += 1;
            }
        }
    }
}
