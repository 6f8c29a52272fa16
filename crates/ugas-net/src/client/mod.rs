//! The client: it shows what the server told, and predicts what its player does.

mod act;
mod config;
mod event;
mod impulses;
mod inbox;
mod local;
mod replay;
mod shown;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;
use ugas_core::catalog::Catalog;
use ugas_core::effect::PredictionKey;
use ugas_core::event::{CueParameters, Event, EventKind};
use ugas_core::handle::{ActivationId, ControllerId};
use ugas_core::id::{AttributeId, TagId};
use ugas_core::mirror::Mirror;
use ugas_core::simulation::{AttributeValue, Config, ReadError, Role, Simulation};
use ugas_core::time::{Span, Time};

pub use act::ActError;
pub use config::{ClientConfig, Prediction};
pub use event::ClientEvent;

use self::impulses::{Impulses, News};
use self::inbox::Inbox;
use self::local::LocalStage;
use self::shown::{Replicated, Shown};
use crate::clock::Clock;
use crate::limits::MAX_FRAMES;
use crate::message::{
    Burst, ByeReason, ClientId, CommandFrame, Feedback, Frames, Hello, NetCommand, PROTOCOL, RunRef,
    ToClient, ToServer, Update, Verdict, Welcome,
};
use crate::packets::{Fate, ReceivedPackets, SentPackets};
use crate::tick::{Tick, TickLength};
use crate::wire::{self, Dictionary, Listener};

/// Datagrams whose arrival is open.
const REMEMBERED_PACKETS: u32 = 256;
/// How many ticks an update that does not state its course may be ahead of the client's clock.
const MOST_AHEAD: i64 = 64;
/// Greetings of which it is remembered when they were sent.
const MOST_ASKED: usize = 8;
/// Flashes that wait until their controller is shown.
const MOST_UNPLACED: usize = 256;

/// Effects that tick faster are left out: with a period of a microsecond, one that a server makes up would take a client a
/// million ticks for every second that it predicts, again and again.
const MIN_PERIOD: Span = Span::millis(1);

/// What a client has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClientStatistics {
    /// Datagrams that came.
    pub received: u64,
    /// Bytes that came.
    pub received_bytes: u64,
    /// Datagrams that could not be read.
    pub dropped: u64,
    /// Datagrams that were sent.
    pub sent: u64,
    /// Bytes that were sent.
    pub sent_bytes: u64,
    /// Commands that the server carried out.
    pub confirmed: u64,
    /// Commands that the server rejected.
    pub rejected: u64,
    /// Ticks of its own controllers that were predicted wrongly.
    pub mispredicted: u64,
    /// Ticks that were played again.
    pub replayed: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    /// It asks to be let in, the last times at these instants, oldest first.
    Asking {
        asked: VecDeque<Time>,
    },
    Playing,
    Over,
}

/// A window on a server's game, without sockets and clocks: datagrams and the time are passed in, datagrams and events
/// are polled.
pub struct Client {
    config: ClientConfig,
    phase: Phase,
    nonce: u64,
    now: Time,
    last_heard: Time,
    client: Option<ClientId>,
    length: TickLength,
    clock: Clock,
    dictionary: Dictionary,
    mirror: Mirror,
    inbox: Inbox,
    simulation: Simulation,
    /// The tick that is shown.
    tick: Tick,
    /// The tick of the server's that it is built upon.
    base: Option<Tick>,
    /// What the player does in the next tick.
    next: SmallVec<[NetCommand; 1]>,
    /// What the player did since then.
    frames: VecDeque<CommandFrame>,
    /// Commands that the server rejected: they are not played again.
    withdrawn: BTreeSet<PredictionKey>,
    /// Commands of which the host has not heard what became of them.
    unanswered: BTreeSet<PredictionKey>,
    /// Up to where frames have arrived at the server.
    delivered: Tick,
    /// The newest tick at which the server said so.
    said: Tick,
    received: ReceivedPackets,
    /// Up to where each datagram had the frames, and where the clock was.
    sent: SentPackets<(Tick, Tick)>,
    /// What updates are told by.
    listener: Listener,
    digests: BTreeMap<Tick, u64>,
    impulses: Impulses,
    /// Flashes of controllers that are not shown yet.
    unplaced: Vec<Burst>,
    shown: Shown,
    stage: LocalStage,
    dirty: bool,
    outbox: VecDeque<Vec<u8>>,
    events: VecDeque<ClientEvent>,
    statistics: ClientStatistics,
}

impl Client {
    /// A client of a server with the same rules. The nonce tells its sessions apart: draw it.
    pub fn new(catalog: Arc<Catalog>, config: ClientConfig, nonce: u64) -> Self {
        let dictionary = config.dictionary.clone().unwrap_or_else(|| Dictionary::of(&catalog));
        let simulation = Simulation::new(Arc::clone(&catalog), client_config(0));
        let shown = Shown::new(config.tag_counts);
        let length = TickLength::default();
        Self {
            config,
            phase: Phase::Asking { asked: VecDeque::new() },
            nonce,
            now: Time::ZERO,
            last_heard: Time::ZERO,
            client: None,
            length,
            clock: Clock::new(length),
            dictionary,
            mirror: Mirror::new(catalog),
            inbox: Inbox::default(),
            simulation,
            tick: Tick(0),
            base: None,
            next: SmallVec::new(),
            frames: VecDeque::new(),
            withdrawn: BTreeSet::new(),
            unanswered: BTreeSet::new(),
            delivered: Tick(0),
            said: Tick(0),
            received: ReceivedPackets::default(),
            sent: SentPackets::new(REMEMBERED_PACKETS),
            listener: Listener::new(),
            digests: BTreeMap::new(),
            impulses: Impulses::default(),
            unplaced: Vec::new(),
            shown,
            stage: LocalStage::default(),
            dirty: false,
            outbox: VecDeque::new(),
            events: VecDeque::new(),
            statistics: ClientStatistics::default(),
        }
    }

    /// What is shown: what the server told, and what is predicted upon it.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The copy of the world on which abilities run that only this player sees, while one runs.
    pub fn local_simulation(&self) -> Option<&Simulation> {
        self.stage.simulation()
    }

    /// The rules.
    pub fn catalog(&self) -> &Arc<Catalog> {
        self.simulation.catalog()
    }

    /// Who it is, once the server has let it in.
    pub fn id(&self) -> Option<ClientId> {
        self.client
    }

    /// Whether it is in.
    pub fn is_playing(&self) -> bool {
        self.phase == Phase::Playing
    }

    /// The tick that is shown.
    pub fn current_tick(&self) -> Tick {
        self.tick
    }

    /// The newest tick of the server's that it is built upon.
    pub fn confirmed_tick(&self) -> Option<Tick> {
        self.base
    }

    /// How long a datagram takes to the server and back; nothing before it was measured.
    pub fn round_trip(&self) -> Span {
        self.clock.round_trip()
    }

    /// What was counted so far.
    pub fn statistics(&self) -> ClientStatistics {
        self.statistics
    }

    /// Its own controllers.
    pub fn own_controllers(&self) -> impl Iterator<Item = ControllerId> + '_ {
        self.inbox.own_controllers().filter_map(|remote| self.mirror.local(remote))
    }

    /// The server's handle of a controller: what both sides can talk about.
    pub fn remote(&self, controller: ControllerId) -> Option<ControllerId> {
        self.mirror.remote(controller)
    }

    /// The handle of a controller of the server's.
    pub fn local(&self, remote: ControllerId) -> Option<ControllerId> {
        self.mirror.local(remote)
    }

    /// Context of a looping cue that is shown on a controller (C1); `None` if the cue is not shown.
    pub fn cue_parameters(&self, controller: ControllerId, cue: TagId) -> Option<CueParameters> {
        let shown = self.simulation.controller(controller)?.cues();
        shown.iter().find(|(shown, _)| *shown == cue)?;
        Replicated { simulation: &self.simulation, mirror: &self.mirror }.cue_parameters(controller, cue)
    }

    /// An attribute's base and current value as this client shows it.
    ///
    /// # Errors
    /// [`ReadError::NotReplicated`] if the server does not send the value to this client (N1): the set of the attribute
    /// on that controller says so, or the lens through which the client sees the controller. Otherwise if the controller
    /// is not in view or lacks the attribute.
    pub fn value(
        &self,
        controller: ControllerId,
        attribute: AttributeId,
    ) -> Result<AttributeValue, ReadError> {
        self.simulation.value(controller, attribute)
    }

    /// Whether the server has sent the value of an attribute of a controller; see [`Self::value`].
    pub fn is_shown(&self, controller: ControllerId, attribute: AttributeId) -> bool {
        self.mirror.remote(controller).is_some_and(|remote| self.mirror.knows(remote, attribute))
    }

    /// The run that a command began. Handles of what is predicted are good until the next update; its key stays.
    pub fn run_of(&self, key: PredictionKey) -> Option<ActivationId> {
        self.local_run(RunRef::Begun(key))
    }

    /// Switches prediction on or off.
    pub fn set_prediction(&mut self, prediction: Prediction) {
        self.config.prediction = prediction;
    }

    /// How many things it holds, for tests that nothing grows without bound.
    #[doc(hidden)]
    pub fn held(&self) -> usize {
        self.inbox.held()
            + self.impulses.held()
            + self.unplaced.len()
            + self.next.len()
            + self.frames.iter().map(|frame| 1 + frame.commands.len()).sum::<usize>()
            + self.withdrawn.len()
            + self.unanswered.len()
            + self.sent.open().count()
            + self.listener.held()
            + self.digests.len()
            + self.outbox.len()
            + self.events.len()
    }

    /// Takes the oldest datagram that waits to be sent.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.outbox.pop_front()
    }

    /// Takes the oldest event.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Takes a datagram that came.
    pub fn handle(&mut self, now: Time, bytes: &[u8]) {
        self.now = self.now.max(now);
        self.statistics.received += 1;
        self.statistics.received_bytes += bytes.len() as u64;
        match self.listener.read(&self.dictionary, bytes) {
            Ok(ToClient::Welcome(welcome)) => self.begin(welcome),
            Ok(ToClient::Refused(refused)) => {
                if matches!(self.phase, Phase::Asking { .. }) && refused.nonce == self.nonce {
                    self.phase = Phase::Over;
                    self.events.push_back(ClientEvent::Refused(refused.reason));
                }
            }
            Ok(ToClient::Update(update)) if self.phase == Phase::Playing && self.is_credible(&update) => {
                self.take_update(update);
            }
            Ok(ToClient::Bye(reason)) if self.phase == Phase::Playing => self.end(Some(reason)),
            Ok(ToClient::Update(_) | ToClient::Bye(_)) | Err(_) => self.statistics.dropped += 1,
        }
    }

    /// Lets time pass up to `now`: ticks are played, and what the player did is sent.
    pub fn update(&mut self, now: Time) {
        self.now = self.now.max(now);
        match &mut self.phase {
            Phase::Asking { asked } => {
                if asked.back().is_none_or(|last| self.now.since(*last) >= self.config.retry) {
                    if asked.len() == MOST_ASKED {
                        asked.pop_front();
                    }
                    asked.push_back(self.now);
                    self.ask();
                }
            }
            Phase::Playing if self.now.since(self.last_heard) > self.config.timeout => {
                self.end(Some(ByeReason::TimedOut));
            }
            Phase::Playing => self.play(),
            Phase::Over => {}
        }
    }

    /// Leaves. The server is told; send what [`Self::poll_transmit`] has.
    pub fn leave(&mut self) {
        if self.phase == Phase::Playing {
            self.send(&ToServer::Bye);
            self.end(None);
        }
    }

    fn ask(&mut self) {
        let hello = Hello {
            protocol: PROTOCOL,
            catalog: self.catalog().hash(),
            dictionary: self.dictionary.hash(),
            nonce: self.nonce,
            credential: self.config.credential.clone(),
        };
        self.send(&ToServer::Hello(hello));
    }

    fn send(&mut self, message: &ToServer) {
        // What the player asked for was checked.
        if let Ok(bytes) = wire::encode_to_server(&self.dictionary, message) {
            self.push(bytes);
        }
    }

    fn push(&mut self, bytes: Vec<u8>) {
        self.statistics.sent += 1;
        self.statistics.sent_bytes += bytes.len() as u64;
        self.outbox.push_back(bytes);
    }

    fn begin(&mut self, welcome: Welcome) {
        let Phase::Asking { asked } = &self.phase else { return };
        if welcome.nonce != self.nonce {
            return;
        }
        let most_lead = welcome.length.span().micros().saturating_mul(i64::from(welcome.max_lead / 2));
        let round_trip = first_round_trip(asked, self.now, Span::from_micros(most_lead));
        self.phase = Phase::Playing;
        self.last_heard = self.now;
        self.client = Some(welcome.client);
        self.length = welcome.length;
        self.clock = Clock::new(welcome.length);
        self.clock.set_max_lead(welcome.max_lead);
        if let Some(round_trip) = round_trip {
            self.clock.on_round_trip(self.now, round_trip);
        }
        self.clock.on_update(self.now, welcome.tick, Feedback::default());
        self.tick = self.clock.tick_at(self.now);
        self.delivered = self.tick;
        self.simulation = Simulation::new(Arc::clone(self.catalog()), client_config(welcome.prediction_seed));
        self.events.push_back(ClientEvent::Connected { client: welcome.client });
    }

    fn end(&mut self, reason: Option<ByeReason>) {
        self.phase = Phase::Over;
        self.events.push_back(ClientEvent::Disconnected(reason));
    }

    /// Whether it is of a time that can be. The number of an update that comes very late could be taken for that of a
    /// later one, whose tick is far ahead.
    fn is_credible(&self, update: &Update) -> bool {
        update.states_course || update.tick.since(self.tick) <= MOST_AHEAD
    }

    fn take_update(&mut self, update: Update) {
        if !self.received.receive(update.packet).is_new() {
            return;
        }
        self.listener.note(&update);
        self.last_heard = self.now;
        let mut feedback = Feedback::default();
        if let Some(word) = update.word {
            self.said = self.said.max(update.tick);
            let delivered = &mut self.delivered;
            let acked = self.sent.on_ack(self.now, word.ack, |packet, fate, (through, clock)| {
                if fate == Fate::Arrived {
                    *delivered = (*delivered).max(through);
                }
                if packet == word.ack.newest {
                    feedback = Feedback { newest: clock, margin: word.margin };
                }
            });
            if let Ok(Some(sample)) = acked {
                self.clock.on_round_trip(self.now, sample);
            }
        }
        self.clock.on_update(self.now, update.tick, feedback);
        for result in &update.results {
            self.conclude(result.key, result.verdict);
        }
        let bursts = update.bursts.clone();
        let taken = self.inbox.take(update, &mut self.mirror);
        for burst in bursts {
            self.flash(burst);
        }
        self.dirty |= taken.others || taken.complete.is_some();
    }

    fn conclude(&mut self, key: PredictionKey, verdict: Verdict) {
        // Answers are repeated until they are acknowledged.
        if !self.unanswered.remove(&key) {
            return;
        }
        match verdict {
            Verdict::Done => {
                self.statistics.confirmed += 1;
                self.events.push_back(ClientEvent::Confirmed { key, shift: 0 });
            }
            Verdict::Shifted(shift) => {
                self.statistics.confirmed += 1;
                self.events.push_back(ClientEvent::Confirmed { key, shift });
            }
            Verdict::Rejected(rejection) => {
                self.statistics.rejected += 1;
                self.withdrawn.insert(key);
                self.dirty = true;
                self.events.push_back(ClientEvent::Rejected { key, rejection });
                let mut news = News::default();
                self.impulses.withdraw(key, &mut news);
                self.tell(news);
            }
        }
    }

    fn send_frames(&mut self) {
        let unsent: Vec<&CommandFrame> =
            self.frames.iter().filter(|frame| frame.tick > self.delivered).collect();
        let (packet, ack, now) = (self.sent.next_id(), self.received.ack(), self.tick);
        // The oldest go first; those that do not fit go with a later datagram.
        let mut count = unsent.len().min(MAX_FRAMES);
        let bytes = loop {
            let frames = unsent[..count].iter().map(|&frame| frame.clone()).collect();
            let message = ToServer::Frames(Frames { packet, ack, now, frames });
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

/// A cue that flashes is told of in the same words, whether it was predicted or came from the server.
fn happened(event: Event) -> ClientEvent {
    match event.kind {
        EventKind::CueExecuted { controller, cue, parameters } => ClientEvent::CueFlashed {
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

fn client_config(prediction_seed: u64) -> Config {
    Config { role: Role::Client, prediction_seed, min_period: MIN_PERIOD, ..Config::default() }
}

/// The round trip of the greeting that was answered. Where several were sent, it is not known which of them it was: the
/// oldest is assumed, so that the first command is not too late (N4), unless frames would then be stamped further ahead of
/// the server than `most_lead` if the newest was answered.
fn first_round_trip(asked: &VecDeque<Time>, now: Time, most_lead: Span) -> Option<Span> {
    let newest = *asked.back()?;
    let oldest = asked.iter().copied().find(|time| newest.since(*time) <= most_lead);
    Some(now.since(oldest.unwrap_or(newest)))
}
