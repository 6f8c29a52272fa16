//! The client: shows the server's state, and predicts the commands of its player.

mod act;
mod change_detector;
mod config;
mod event;
mod inbox;
mod local;
mod one_shots;
mod replay;
mod resume;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::effect::PredictionKey;
use ugas_core::event::{CueParameters, Event, EventKind};
use ugas_core::handle::{ActivationId, ControllerId};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::replica::Replica;
use ugas_core::simulation::{AttributeValue, Config, ReadError, Role, Simulation};
use ugas_core::targeting::SharedSpace;
use ugas_core::time::{Span, Time};

pub use act::ActError;
pub use config::{ClientConfig, Prediction};
pub use event::ClientEvent;

use self::change_detector::{ChangeDetector, Replicated};
use self::inbox::Inbox;
use self::local::LocalStage;
use self::one_shots::{OneShotChanges, OneShotLog};
use crate::clock::Clock;
use crate::fault_points::{FaultPoint, fails};
use crate::limits::MAX_FRAMES;
use crate::message::{
    ActivationRef, ByeReason, ClientId, CommandFrame, CommandOutcome, CueBurst, Feedback, Frames, Hello,
    NetCommand, PROTOCOL, Resume, ResumeSecret, SESSION_MASK, ToClient, ToServer, Update, Welcome,
};
use crate::packets::{Fate, ReceivedPackets, SentPackets};
use crate::tick::{Tick, TickLength};
use crate::wire::{self, Dictionary, UpdateDecoder};

/// Most datagrams that are neither acknowledged nor lost.
const REMEMBERED_PACKETS: u32 = 256;
/// Most ticks that an update without stream parameters may be ahead of the client's clock.
const MAX_TICKS_AHEAD: i64 = 64;
/// Most hellos whose times of sending are remembered.
const MAX_HELLOS: usize = 8;
/// Most cue bursts that wait until their controller is shown.
const MAX_PENDING_BURSTS: usize = 256;

/// Shortest period of effects; faster ones are left out. With a period of a microsecond, a malicious server
/// could cost a client a million executions for every predicted second.
const MIN_PERIOD: Span = Span::millis(1);

/// Counters of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClientStatistics {
    /// Datagrams received.
    pub received: u64,
    /// Bytes received.
    pub received_bytes: u64,
    /// Datagrams that could not be decoded or used.
    pub dropped: u64,
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Commands that the server ran.
    pub confirmed: u64,
    /// Commands that the server rejected.
    pub rejected: u64,
    /// Ticks of own controllers that were mispredicted.
    pub mispredicted: u64,
    /// Ticks that were replayed.
    pub replayed: u64,
    /// Times that the session was resumed over another connection.
    pub resumed: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    /// Sends hellos; `hellos` are the times of the last ones, oldest first.
    Connecting {
        hellos: VecDeque<Time>,
        /// Time of the first hello.
        since: Option<Time>,
    },
    Playing,
    /// Sends resumes; the session goes on when one is answered.
    Resuming {
        /// Times of the last resumes over the present connection, oldest first.
        hellos: VecDeque<Time>,
        /// Time at which the connection was lost.
        since: Time,
    },
    Over,
}

/// A predicting replica of a server's simulation, without sockets and clocks: datagrams and the time are
/// passed in, datagrams and events are polled.
pub struct Client {
    config: ClientConfig,
    phase: Phase,
    /// Nonce of the present hello or resume.
    nonce: u64,
    now: Time,
    last_heard: Time,
    client: Option<ClientId>,
    /// [`Welcome::session`] of the last welcome.
    session: u8,
    /// Secret to resume the session with, if the server gave one.
    secret: Option<ResumeSecret>,
    length: TickLength,
    /// The server's tick in the welcome.
    welcomed: Tick,
    /// Most ticks that the server accepts commands ahead of its own.
    max_lead: u32,
    clock: Clock,
    dictionary: Dictionary,
    replica: Replica,
    inbox: Inbox,
    simulation: Simulation,
    /// The shown tick.
    tick: Tick,
    /// The server's tick that predictions build upon; `None` before the first complete tick.
    base: Option<Tick>,
    /// Commands for the next tick.
    next: Vec<NetCommand>,
    /// Frames after `base`, and older ones that are not acknowledged.
    frames: VecDeque<CommandFrame>,
    /// Commands that the server rejected: they are not replayed.
    withdrawn: BTreeSet<PredictionKey>,
    /// Commands whose outcome was not emitted yet.
    unanswered: BTreeSet<PredictionKey>,
    /// Tick up to which frames have arrived at the server.
    delivered: Tick,
    /// The newest tick of an ack report.
    reported_tick: Tick,
    received: ReceivedPackets,
    /// For each datagram the tick up to which it had the frames, and the tick of the clock.
    sent: SentPackets<(Tick, Tick)>,
    /// Delta-decoding state.
    decoder: UpdateDecoder,
    /// Digests of the own controllers at predicted ticks.
    digests: BTreeMap<Tick, u64>,
    one_shots: OneShotLog,
    /// Cue bursts of controllers that are not shown yet.
    pending_bursts: Vec<CueBurst>,
    detector: ChangeDetector,
    stage: LocalStage,
    dirty: bool,
    outbox: VecDeque<Vec<u8>>,
    events: VecDeque<ClientEvent>,
    statistics: ClientStatistics,
}

impl Client {
    /// Creates a client of a server with the same catalog. The nonce identifies its session: use a random
    /// number.
    pub fn new(catalog: Arc<Catalog>, config: ClientConfig, nonce: u64) -> Self {
        let dictionary = config.dictionary.clone().unwrap_or_else(|| Dictionary::of(&catalog));
        let simulation = Simulation::new(Arc::clone(&catalog), client_config(0));
        let detector = ChangeDetector::new(config.tag_counts);
        let length = TickLength::default();
        Self {
            config,
            phase: Phase::Connecting { hellos: VecDeque::new(), since: None },
            nonce,
            now: Time::ZERO,
            last_heard: Time::ZERO,
            client: None,
            session: 0,
            secret: None,
            length,
            welcomed: Tick(0),
            max_lead: 0,
            clock: Clock::new(length),
            dictionary,
            replica: Replica::new(catalog),
            inbox: Inbox::default(),
            simulation,
            tick: Tick(0),
            base: None,
            next: Vec::new(),
            frames: VecDeque::new(),
            withdrawn: BTreeSet::new(),
            unanswered: BTreeSet::new(),
            delivered: Tick(0),
            reported_tick: Tick(0),
            received: ReceivedPackets::default(),
            sent: SentPackets::new(REMEMBERED_PACKETS),
            decoder: UpdateDecoder::new(),
            digests: BTreeMap::new(),
            one_shots: OneShotLog::default(),
            pending_bursts: Vec::new(),
            detector,
            stage: LocalStage::default(),
            dirty: false,
            outbox: VecDeque::new(),
            events: VecDeque::new(),
            statistics: ClientStatistics::default(),
        }
    }

    /// The shown simulation: the server's state with predictions upon it.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Sets the world that predicted targeting asks, as [`Simulation::set_space`]. It stays through joins and
    /// corrections.
    pub fn set_space(&mut self, space: Option<SharedSpace>) {
        self.simulation.set_space(space);
    }

    /// The copy of the world on which `LocalOnly` abilities run; `None` while none runs.
    pub fn local_simulation(&self) -> Option<&Simulation> {
        self.stage.simulation()
    }

    /// The catalog that the client was created with; the server's must have the same hash.
    pub fn catalog(&self) -> &Arc<Catalog> {
        self.simulation.catalog()
    }

    /// Id of the client, once it is admitted.
    pub fn id(&self) -> Option<ClientId> {
        self.client
    }

    /// Whether the server admitted the client and the connection lasts, so that commands can be given.
    pub fn is_playing(&self) -> bool {
        self.phase == Phase::Playing
    }

    /// Whether the client was refused or its session has ended: it does nothing any more.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// The tick that the shown state belongs to: ahead of the server's, by prediction.
    pub fn current_tick(&self) -> Tick {
        self.tick
    }

    /// The newest tick of the server that predictions build upon; `None` before the first complete tick.
    pub fn confirmed_tick(&self) -> Option<Tick> {
        self.base
    }

    /// Smoothed round trip; zero before it was measured.
    pub fn round_trip(&self) -> Span {
        self.clock.round_trip()
    }

    /// Counters since the client was created; reconnecting does not reset them.
    pub fn statistics(&self) -> ClientStatistics {
        self.statistics
    }

    /// The controller of the player; the first if it has several, `None` before the first state arrives.
    pub fn own_controller(&self) -> Option<ControllerId> {
        self.own_controllers().next()
    }

    /// Local handles of the controllers that the server gave to this client and that are in view.
    pub fn own_controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.inbox.own_controllers().filter_map(|remote| self.replica.local(remote))
    }

    /// The server's handle of a controller, for the game's own messages: the client's handles mean nothing to
    /// others. `None` if the controller is only predicted.
    pub fn remote(&self, controller: ControllerId) -> Option<ControllerId> {
        self.replica.remote(controller)
    }

    /// The local handle for a handle of the server. `None` if the controller is not in view.
    pub fn local(&self, remote: ControllerId) -> Option<ControllerId> {
        self.replica.local(remote)
    }

    /// Context of a looping cue that is shown on a controller (C1); `None` if the cue is not shown.
    pub fn cue_parameters(&self, controller: ControllerId, cue: TagId) -> Option<CueParameters> {
        let shown = self.simulation.controller(controller)?.cues();
        shown.iter().find(|(shown, _)| *shown == cue)?;
        Replicated { simulation: &self.simulation, replica: &self.replica }.cue_parameters(controller, cue)
    }

    /// An attribute's base and current value as this client shows it.
    ///
    /// # Errors
    /// [`ReadError::NotReplicated`] if the server does not send the value to this client (N1), because of the
    /// attribute's set on that controller or of the client's visibility. Otherwise if the controller is not
    /// in view or lacks the attribute.
    pub fn value(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
    ) -> Result<AttributeValue, ReadError> {
        self.simulation.value(controller, attribute)
    }

    /// Whether the server has sent the value of an attribute of a controller; see [`Self::value`].
    pub fn is_shown(&self, controller: ControllerId, attribute: AttributeId) -> bool {
        self.replica.remote(controller).is_some_and(|remote| self.replica.knows(remote, attribute))
    }

    /// The activation that a command began; `None` if none runs: it has not begun, was refused, or is over.
    /// Handles of predicted activations are valid until the next update; keys stay.
    pub fn activation_of(&self, key: PredictionKey) -> Option<ActivationId> {
        self.local_run(ActivationRef::Begun(key))
    }

    /// Switches prediction on or off, for all ticks that are played or replayed from now on.
    pub fn set_prediction(&mut self, prediction: Prediction) {
        self.config.prediction = prediction;
    }

    /// Number of items held, for tests that nothing grows without bound.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        self.inbox.held()
            + self.one_shots.held()
            + self.pending_bursts.len()
            + self.next.len()
            + self.frames.iter().map(|frame| 1 + frame.commands.len()).sum::<usize>()
            + self.withdrawn.len()
            + self.unanswered.len()
            + self.sent.open().count()
            + self.decoder.held()
            + self.digests.len()
            + self.outbox.len()
            + self.events.len()
    }

    /// Takes the oldest datagram that waits to be sent.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.outbox.pop_front()
    }

    /// Takes the oldest event that was not taken yet; `None` if there is none. Call it until then after each
    /// [`Self::update`].
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Handles a received datagram. Datagrams that cannot be decoded or used are dropped. New state is shown
    /// by the next [`Self::update`].
    pub fn handle(&mut self, now: Time, bytes: &[u8]) {
        self.now = self.now.max(now);
        self.statistics.received += 1;
        self.statistics.received_bytes += bytes.len() as u64;
        if fails(FaultPoint::ClientReceive) {
            return;
        }
        match self.decoder.read(&self.dictionary, bytes) {
            Ok(ToClient::Welcome(welcome)) => self.begin(welcome),
            Ok(ToClient::Refused(refused)) if refused.nonce == self.nonce => self.refused(refused.reason),
            Ok(ToClient::Refused(_)) => {}
            Ok(ToClient::Update(update)) if self.phase == Phase::Playing && self.is_credible(&update) => {
                self.take_update(update);
            }
            // The server did not hear the client for too long, and keeps its session.
            Ok(ToClient::Bye(ByeReason::TimedOut)) if self.phase == Phase::Playing => self.lose_connection(),
            Ok(ToClient::Bye(reason)) if self.phase == Phase::Playing => self.end(Some(reason)),
            Ok(ToClient::Update(_) | ToClient::Bye(_)) | Err(_) => self.statistics.dropped += 1,
        }
    }

    /// Advances to `now`; call it every frame. Before the session it repeats hellos. In play it installs new
    /// state, plays ticks, and sends the player's commands. After a silence of [`ClientConfig::timeout`] it
    /// asks to [resume](Self::is_resuming) the session. It ends with [`ByeReason::TimedOut`] if the server
    /// keeps no sessions, does not answer for [`ClientConfig::resume_time`], or does not answer a hello for
    /// the timeout.
    pub fn update(&mut self, now: Time) {
        self.now = self.now.max(now);
        let has_waited = match &mut self.phase {
            Phase::Connecting { since, .. } => {
                let since = *since.get_or_insert(self.now);
                self.now.since(since) > self.config.timeout
            }
            Phase::Resuming { since, .. } => self.now.since(*since) > self.config.resume_time,
            Phase::Playing | Phase::Over => false,
        };
        if has_waited {
            self.end(Some(ByeReason::TimedOut));
        }
        if self.phase == Phase::Playing && self.silence_at(self.now) > self.config.timeout {
            self.lose_connection();
        }
        match &mut self.phase {
            Phase::Connecting { hellos, .. } | Phase::Resuming { hellos, .. } => {
                if hellos.back().is_none_or(|last| self.now.since(*last) >= self.config.retry) {
                    if hellos.len() == MAX_HELLOS {
                        hellos.pop_front();
                    }
                    hellos.push_back(self.now);
                    self.ask();
                }
            }
            Phase::Playing => self.play(),
            Phase::Over => {}
        }
    }

    /// Leaves the session; does nothing if there is none. Emits [`ClientEvent::Disconnected`]. Send the
    /// datagrams of [`Self::poll_transmit`] to notify the server.
    pub fn leave(&mut self) {
        if matches!(self.phase, Phase::Playing | Phase::Resuming { .. }) {
            self.send(&ToServer::Bye);
            self.end(None);
        }
    }

    /// Queues a hello, which requests a session, or a resume. Called when connecting, and again after every
    /// [`ClientConfig::retry`].
    fn ask(&mut self) {
        if let (Phase::Resuming { .. }, Some(client), Some(secret)) = (&self.phase, self.client, self.secret)
        {
            let nonce = self.nonce;
            self.send(&ToServer::Resume(Resume { client, nonce, secret }));
            return;
        }
        let hello = Hello {
            protocol: PROTOCOL,
            catalog: self.catalog().hash(),
            dictionary: self.dictionary.hash(),
            nonce: self.nonce,
            credential: self.config.credential.clone(),
        };
        self.send(&ToServer::Hello(hello));
    }

    /// Encodes a message and queues it for transmission; one that cannot be encoded is left out.
    fn send(&mut self, message: &ToServer) {
        // Commands were checked when they were queued.
        if let Ok(bytes) = wire::encode_to_server(&self.dictionary, message) {
            self.push(bytes);
        }
    }

    /// Counts an encoded datagram and queues it for [`Self::poll_transmit`].
    fn push(&mut self, bytes: Vec<u8>) {
        self.statistics.sent += 1;
        self.statistics.sent_bytes += bytes.len() as u64;
        if fails(FaultPoint::ClientSend) {
            return;
        }
        self.outbox.push_back(bytes);
    }

    /// Begins the session of a welcome: starts the clock and an empty simulation, and emits
    /// [`ClientEvent::Connected`]; or continues the session if it answers a resume. Ignored unless the client
    /// asks for that and the welcome repeats its nonce.
    fn begin(&mut self, welcome: Welcome) {
        let is_resuming = matches!(self.phase, Phase::Resuming { .. });
        if welcome.nonce != self.nonce || is_resuming != welcome.resumed.is_some() {
            return;
        }
        let (Phase::Connecting { hellos, .. } | Phase::Resuming { hellos, .. }) = &self.phase else {
            return;
        };
        let most_lead = welcome.length.span().micros().saturating_mul(i64::from(welcome.max_lead / 2));
        let round_trip = first_round_trip(hellos, self.now, Span::from_micros(most_lead));
        self.phase = Phase::Playing;
        self.last_heard = self.now;
        self.client = Some(welcome.client);
        self.session = welcome.session;
        self.secret = welcome.secret;
        self.length = welcome.length;
        self.max_lead = welcome.max_lead;
        self.welcomed = welcome.tick;
        self.clock = Clock::new(welcome.length);
        self.clock.set_max_lead(welcome.max_lead);
        if let Some(round_trip) = round_trip {
            self.clock.on_round_trip(self.now, round_trip);
        }
        self.clock.on_update(self.now, welcome.tick, Feedback::default());
        if let Some(arrived) = welcome.resumed {
            self.resume(arrived);
            return;
        }
        self.tick = self.clock.tick_at(self.now);
        self.delivered = self.tick;
        let space = self.simulation.own_space().cloned();
        self.simulation = Simulation::new(Arc::clone(self.catalog()), client_config(welcome.prediction_seed));
        self.simulation.set_space(space);
        self.events.push_back(ClientEvent::Connected { client: welcome.client });
    }

    /// Ends the session for good; `reason` is `None` if the player left. Shown state stays, and no event but
    /// [`ClientEvent::Disconnected`] is emitted.
    fn end(&mut self, reason: Option<ByeReason>) {
        self.phase = Phase::Over;
        self.events.push_back(ClientEvent::Disconnected(reason));
    }

    /// Whether an update is of this session and has a plausible tick. The short packet number of a very late
    /// update could be taken for that of a later one, whose tick is far ahead.
    fn is_credible(&self, update: &Update) -> bool {
        // An update with another number, or up to the tick of the welcome, is a late one of an earlier session of
        // the connection, or of an earlier connection of the session.
        if update.session != self.session & SESSION_MASK || update.tick <= self.welcomed {
            return false;
        }
        update.states_stream || update.tick.since(self.tick) <= MAX_TICKS_AHEAD
    }

    /// Takes an update; duplicates are ignored. Feeds its acknowledgements to the clock, emits command
    /// outcomes and cue bursts, and puts its state into the inbox. Sets `dirty` if the shown state has to be
    /// rebuilt.
    fn take_update(&mut self, update: Update) {
        if !self.received.receive(update.packet).is_new() {
            return;
        }
        self.decoder.note(&update);
        self.last_heard = self.now;
        let mut feedback = Feedback::default();
        if let Some(ack_report) = update.ack_report {
            self.reported_tick = self.reported_tick.max(update.tick);
            let delivered = &mut self.delivered;
            let acked = self.sent.on_ack(self.now, ack_report.ack, |packet, fate, (through, clock)| {
                if fate == Fate::Arrived {
                    *delivered = (*delivered).max(through);
                }
                if packet == ack_report.ack.newest {
                    feedback = Feedback { newest: clock, margin: ack_report.margin };
                }
            });
            match acked {
                Ok(Some(sample)) if feedback.margin < 0 => {
                    self.clock.on_late_round_trip(self.now, sample);
                }
                Ok(Some(sample)) => self.clock.on_round_trip(self.now, sample),
                Ok(None) | Err(_) => {}
            }
        }
        self.clock.on_update(self.now, update.tick, feedback);
        for result in &update.results {
            self.handle_outcome(result.key, result.outcome);
        }
        let bursts = update.bursts.clone();
        let taken = self.inbox.take(update, &mut self.replica);
        for burst in bursts {
            self.handle_cue_burst(burst);
        }
        self.dirty |= taken.others || taken.complete.is_some();
    }

    /// Emits the outcome of a command, once. A rejected command is withdrawn: its one-shot events are
    /// retracted, and the next rebuild replays without it.
    fn handle_outcome(&mut self, key: PredictionKey, outcome: CommandOutcome) {
        // Answers are repeated until they are acknowledged.
        if !self.unanswered.remove(&key) {
            return;
        }
        match outcome {
            CommandOutcome::Done => {
                self.statistics.confirmed += 1;
                self.events.push_back(ClientEvent::Confirmed { key, shift: 0 });
            }
            CommandOutcome::Shifted(shift) => {
                self.statistics.confirmed += 1;
                self.events.push_back(ClientEvent::Confirmed { key, shift });
            }
            CommandOutcome::Rejected(rejection) => {
                self.statistics.rejected += 1;
                self.withdrawn.insert(key);
                self.dirty = true;
                self.events.push_back(ClientEvent::Rejected { key, rejection });
                let mut changes = OneShotChanges::default();
                self.one_shots.withdraw(key, &mut changes);
                self.emit_one_shots(changes);
            }
        }
    }

    /// Sends a datagram with the frames that are not known to have arrived, as many as fit. It is sent
    /// without frames too, since it carries the acknowledgement and the tick of the clock.
    fn send_frames(&mut self) {
        let unsent: Vec<&CommandFrame> =
            self.frames.iter().filter(|frame| frame.tick > self.delivered).collect();
        let (packet, ack, now) = (self.sent.next_id(), self.received.ack(), self.tick);
        let session = self.session;
        // The oldest go first; those that do not fit go with a later datagram.
        let mut count = unsent.len().min(MAX_FRAMES);
        let bytes = loop {
            let frames = unsent[..count].iter().map(|&frame| frame.clone()).collect();
            let message = ToServer::Frames(Frames { session, packet, ack, now, frames });
            match wire::encode_to_server(&self.dictionary, &message) {
                Err(wire::EncodeError::TooLong) if count > 1 => count -= 1,
                encoded => break encoded,
            }
        };
        let is_all = count == unsent.len();
        let through =
            if is_all { now } else { unsent[..count].last().map_or(self.delivered, |last| last.tick) };
        self.sent.send(self.now, (through, now));
        if let Ok(bytes) = bytes {
            self.push(bytes);
        }
    }
}

/// Converts a one-shot event for the host. Executed cues look the same whether they were predicted or came
/// from the server; other events become [`ClientEvent::Happened`].
fn happened(event: Event) -> ClientEvent {
    match event.kind {
        EventKind::CueExecuted { controller, cue, parameters } => ClientEvent::CueExecuted {
            controller,
            source: event.cause.source,
            cue,
            magnitude: parameters.magnitude,
            level: parameters.level,
            location: parameters.location(),
            details: parameters.details,
        },
        _ => ClientEvent::Happened(event),
    }
}

/// Configuration of a client's simulation; the seed is the server's, so that predicted random numbers agree.
fn client_config(prediction_seed: u64) -> Config {
    Config { role: Role::Client, prediction_seed, min_period: MIN_PERIOD, ..Config::default() }
}

/// Round trip of the answered hello. If several were sent, it is unknown which one was answered: the oldest
/// is assumed, so that the first command is not too late (N4), unless frames would then be stamped further
/// ahead of the server than `most_lead` if the newest was answered. `None` if no hello was sent.
fn first_round_trip(hellos: &VecDeque<Time>, now: Time, most_lead: Span) -> Option<Span> {
    let newest = *hellos.back()?;
    let oldest = hellos.iter().copied().find(|time| newest.since(*time) <= most_lead);
    Some(now.since(oldest.unwrap_or(newest)))
}
