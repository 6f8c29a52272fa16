//! The server: it decides, and tells every client what that client may see.

mod authorise;
mod config;
mod host;
mod publish;
mod session;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;
use ugas_core::catalog::Catalog;
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ControllerId, TaskId};
use ugas_core::mirror::PieceScratch;
use ugas_core::simulation::Simulation;
use ugas_core::time::{Span, Time};

pub use config::{AfterDeadline, ServerConfig};
pub use host::{AfterRejection, Defaults, Host, Reach, within_range};

use self::session::{Sent, Session, View};
use crate::history::Positions;
use crate::lens::{Lens, LensId, LensRules, Own};
use crate::limits::MAX_REASON;
use crate::message::{
    ByeReason, ClientId, Frames, Hello, PROTOCOL, Refused, RefusedReason, Rejection, ToClient, ToServer,
    Verdict, Welcome,
};
use crate::packets::Fate;
use crate::replica::Replica;
use crate::schedule::Schedule;
use crate::tick::{Tick, TickLength};
use crate::wire::{self, Dictionary};

/// Why commands are rejected before they are due.
const REJECTED_AT_ONCE: [Rejection; 3] = [Rejection::TooLate, Rejection::TooEarly, Rejection::TooMany];

/// A client as the transport knows it: an address, a connection.
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
    rules: LensRules,
    dictionary: Dictionary,
    sessions: BTreeMap<PeerId, Session>,
    next_client: u32,
    replicas: BTreeMap<(ControllerId, LensId), Replica>,
    /// Controllers that somebody looks at, and who does through which lens.
    audience: BTreeMap<ControllerId, BTreeSet<(LensId, PeerId)>>,
    /// Lenses that the game chose for a controller instead of its mode's.
    chosen: BTreeMap<(ControllerId, Own), Option<LensId>>,
    owners: BTreeMap<ControllerId, ClientId>,
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
    statistics: ServerStatistics,
}

impl Server<Defaults> {
    /// A server without an opinion of its own.
    pub fn new(simulation: Simulation, config: ServerConfig) -> Self {
        Self::with_host(simulation, config, Defaults)
    }
}

impl<H: Host> Server<H> {
    /// A server that asks `host`.
    pub fn with_host(simulation: Simulation, config: ServerConfig, host: H) -> Self {
        let dictionary = config.dictionary.clone().unwrap_or_else(|| Dictionary::of(simulation.catalog()));
        let rules = LensRules::new(simulation.catalog());
        let now = simulation.now();
        let tick = Tick((now.micros() / u64::from(config.length.micros())).try_into().unwrap_or(u32::MAX));
        let positions = Positions::new(config.rewind);
        let mut server = Self {
            simulation,
            host,
            tick,
            now: Time::ZERO,
            lenses: Vec::new(),
            rules,
            dictionary,
            sessions: BTreeMap::new(),
            next_client: 1,
            replicas: BTreeMap::new(),
            audience: BTreeMap::new(),
            chosen: BTreeMap::new(),
            owners: BTreeMap::new(),
            changed: BTreeSet::new(),
            touched: None,
            flashes: VecDeque::new(),
            next_flash: 0,
            positions,
            schedule: config.schedule.unwrap_or_else(|| Schedule::of_state(config.length)),
            outbox: VecDeque::new(),
            events: VecDeque::new(),
            scratch: PieceScratch::default(),
            statistics: ServerStatistics::default(),
            config,
        };
        server.simulation.watch_touches();
        server
    }

    /// The game.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The game, to be changed between ticks. Do not let its time pass: [`Server::tick`] does.
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
            + self.replicas.values().map(Replica::held).sum::<usize>()
            + self.audience.values().map(BTreeSet::len).sum::<usize>()
            + self.lenses.len()
            + self.chosen.len()
            + self.owners.len()
            + self.changed.len()
            + self.flashes.len()
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
        if let Some(session) = self.sessions.get_mut(&peer)
            && !session.datagrams.take(now, 1)
        {
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
        self.tick = self.tick.next();
        self.run_commands();
        let target = self.config.length.end_of(self.tick);
        let span = target.since(self.simulation.now());
        if span.is_positive() {
            self.simulation.advance(span);
        }
        self.take_events();
        self.record_positions();
        self.publish();
    }

    /// Makes a controller a client's own. What it saw of it so far, it is told anew.
    pub fn give(&mut self, controller: ControllerId, client: ClientId) {
        self.take_back(controller);
        let Some(peer) = self.peer_of(client) else { return };
        self.owners.insert(controller, client);
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.owned.insert(controller);
        }
        self.look_again(peer, controller);
    }

    /// Makes a controller nobody's own.
    pub fn take_back(&mut self, controller: ControllerId) {
        let Some(client) = self.owners.remove(&controller) else { return };
        let Some(peer) = self.peer_of(client) else { return };
        if let Some(session) = self.sessions.get_mut(&peer) {
            session.owned.remove(&controller);
        }
        self.look_again(peer, controller);
    }

    /// Whose own a controller is.
    pub fn owner(&self, controller: ControllerId) -> Option<ClientId> {
        self.owners.get(&controller).copied()
    }

    /// Shows a controller to a client (relevancy); with [`ServerConfig::show_everything`] that goes by itself.
    pub fn show(&mut self, controller: ControllerId, client: ClientId) {
        if let Some(peer) = self.peer_of(client) {
            self.begin_view(peer, controller);
        }
    }

    /// Takes a controller out of a client's view. Its own ones stay.
    pub fn hide(&mut self, controller: ControllerId, client: ClientId) {
        let Some(peer) = self.peer_of(client) else { return };
        if self.owners.get(&controller) != Some(&client) {
            self.end_view(peer, controller);
        }
    }

    /// Adds a lens of the game's own.
    pub fn add_lens(&mut self, lens: Lens) -> LensId {
        let at = self.lenses.iter().position(|known| *known == lens).unwrap_or_else(|| {
            self.lenses.push(lens);
            self.lenses.len() - 1
        });
        LensId(u16::try_from(at).unwrap_or(u16::MAX))
    }

    /// Chooses the lens through which a controller is seen by its owner, or by others, instead of the one of its mode.
    /// `None` hides it.
    pub fn set_lens(&mut self, controller: ControllerId, own: Own, lens: Option<LensId>) {
        self.chosen.insert((controller, own), lens);
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            if self.sessions.get(&peer).is_some_and(|session| session.views.contains_key(&controller)) {
                self.look_again(peer, controller);
            }
        }
    }

    /// Sends a client away.
    pub fn kick(&mut self, client: ClientId) {
        if let Some(peer) = self.peer_of(client) {
            self.end_session(peer, Some(ByeReason::Kicked));
        }
    }

    /// Ends all sessions.
    pub fn shut_down(&mut self) {
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.end_session(peer, Some(ByeReason::Shutdown));
        }
    }

    /// The transport lost a connection.
    pub fn disconnected(&mut self, peer: PeerId) {
        if self.sessions.contains_key(&peer) {
            self.end_session(peer, None);
        }
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

    fn welcome(&mut self, peer: PeerId, hello: Hello) {
        let known = self.sessions.get(&peer).map(|session| session.nonce);
        if known.is_some_and(|nonce| nonce != hello.nonce) {
            // The same connection begins anew: it has forgotten its session.
            self.end_session(peer, None);
        }
        if known != Some(hello.nonce)
            && let Err(reason) = self.admit(peer, &hello)
        {
            self.send(peer, &ToClient::Refused(Refused { nonce: hello.nonce, reason: reason.clone() }));
            self.events.push_back(ServerEvent::Refused { peer, reason });
            return;
        }
        let Some(session) = self.sessions.get(&peer) else { return };
        let welcome = Welcome {
            nonce: hello.nonce,
            client: session.client,
            tick: self.tick,
            length: self.config.length,
            prediction_seed: self.simulation.config().prediction_seed,
            max_lead: self.config.max_lead,
        };
        self.send(peer, &ToClient::Welcome(welcome));
    }

    fn admit(&mut self, peer: PeerId, hello: &Hello) -> Result<(), RefusedReason> {
        if hello.protocol != PROTOCOL {
            return Err(RefusedReason::Protocol { server: PROTOCOL, client: hello.protocol });
        }
        let (catalog, dictionary) = (self.catalog().hash(), self.dictionary.hash());
        if hello.catalog != catalog {
            return Err(RefusedReason::Catalog { server: catalog, client: hello.catalog });
        }
        if hello.dictionary != dictionary {
            return Err(RefusedReason::Dictionary { server: dictionary, client: hello.dictionary });
        }
        if self.sessions.len() >= self.config.max_clients as usize {
            return Err(RefusedReason::Full);
        }
        self.host.admit(peer, &hello.credential).map_err(|why| RefusedReason::Denied(shorten(why)))?;
        let client = ClientId(self.next_client);
        self.next_client = self.next_client.wrapping_add(1);
        self.sessions.insert(peer, Session::new(peer, client, hello.nonce, self.now, &self.config));
        self.events.push_back(ServerEvent::Joined { client, peer, credential: hello.credential.clone() });
        if self.config.show_everything {
            let controllers: Vec<ControllerId> = self.simulation.controllers().map(|(id, _)| id).collect();
            for controller in controllers {
                self.begin_view(peer, controller);
            }
        }
        Ok(())
    }

    fn end_session(&mut self, peer: PeerId, reason: Option<ByeReason>) {
        if let Some(reason) = reason {
            self.send(peer, &ToClient::Bye(reason));
        }
        let Some(session) = self.sessions.remove(&peer) else { return };
        for (controller, view) in session.views {
            self.leave_audience(controller, view.lens, peer);
        }
        for controller in session.owned {
            self.owners.remove(&controller);
        }
        self.events.push_back(ServerEvent::Left { client: session.client, reason });
    }

    fn drop_the_silent(&mut self) {
        let (now, limit) = (self.now, self.config.timeout);
        let reason = |session: &Session| match session.misbehaved {
            true => Some(ByeReason::Misbehaved),
            false => (now.since(session.last_heard) > limit).then_some(ByeReason::TimedOut),
        };
        let over = self.sessions.iter().filter_map(|(peer, session)| Some((*peer, reason(session)?)));
        let over: Vec<_> = over.collect();
        for (peer, reason) in over {
            self.end_session(peer, Some(reason));
        }
    }

    fn take_frames(&mut self, peer: PeerId, frames: Frames) {
        let next = self.tick.next();
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        if !session.received.receive(frames.packet).is_new() {
            return;
        }
        session.last_heard = self.now;
        let mut fates: SmallVec<[(Fate, Sent); 4]> = SmallVec::new();
        match session.sent.on_ack(self.now, frames.ack, |_, fate, sent| fates.push((fate, sent))) {
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
                EventKind::ControllerSpawned { controller } if self.config.show_everything => {
                    let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
                    for peer in peers {
                        self.begin_view(peer, *controller);
                    }
                }
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
            if let Some(placement) = placement {
                self.positions.record(self.tick, *controller, placement.position());
            }
        }
    }

    fn forget_controller(&mut self, controller: ControllerId) {
        self.take_back(controller);
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.end_view(peer, controller);
        }
        self.chosen.remove(&(controller, Own::Own));
        self.chosen.remove(&(controller, Own::Others));
        self.replicas.retain(|(known, _), _| *known != controller);
        self.audience.remove(&controller);
        self.changed.remove(&controller);
        self.positions.remove(controller);
    }

    /// The lens through which a client sees a controller.
    fn lens_for(&mut self, peer: PeerId, controller: ControllerId) -> Option<LensId> {
        let own = match self.sessions.get(&peer)?.owned.contains(&controller) {
            true => Own::Own,
            false => Own::Others,
        };
        if let Some(chosen) = self.chosen.get(&(controller, own)) {
            return *chosen;
        }
        let mode = self.simulation.controller(controller)?.replication();
        Some(self.add_lens(Lens::of_mode(mode, own)?))
    }

    fn begin_view(&mut self, peer: PeerId, controller: ControllerId) {
        let Some(lens) = self.lens_for(peer, controller) else { return };
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let known = session.views.get(&controller);
        if known.is_some_and(|view| view.lens == lens && !view.leaving) {
            return;
        }
        let old = known.map(|view| (view.lens, view.epoch));
        let epoch = old.map(|(_, epoch)| epoch).or_else(|| session.last_epoch(controller));
        let epoch = epoch.map_or(0, |epoch| epoch.wrapping_add(1));
        session.views.insert(controller, View::new(lens, epoch));
        session.behind.insert(controller);
        if let Some((old, _)) = old {
            self.leave_audience(controller, old, peer);
        }
        self.audience.entry(controller).or_default().insert((lens, peer));
        if !self.replicas.contains_key(&(controller, lens)) {
            self.refresh_replica(controller, lens);
        }
    }

    fn end_view(&mut self, peer: PeerId, controller: ControllerId) {
        let Some(session) = self.sessions.get_mut(&peer) else { return };
        let Some(view) = session.views.get_mut(&controller) else { return };
        let lens = view.lens;
        view.leaving = true;
        view.sent = view.acked;
        session.behind.insert(controller);
        self.leave_audience(controller, lens, peer);
    }

    fn look_again(&mut self, peer: PeerId, controller: ControllerId) {
        match self.lens_for(peer, controller) {
            Some(_) => self.begin_view(peer, controller),
            None => self.end_view(peer, controller),
        }
    }

    /// A replica that nobody looks at is not kept up.
    fn leave_audience(&mut self, controller: ControllerId, lens: LensId, peer: PeerId) {
        let Some(audience) = self.audience.get_mut(&controller) else { return };
        audience.remove(&(lens, peer));
        if !audience.iter().any(|(known, _)| *known == lens) {
            self.replicas.remove(&(controller, lens));
        }
        if audience.is_empty() {
            self.audience.remove(&controller);
        }
    }

    fn refresh_replica(&mut self, controller: ControllerId, lens: LensId) -> bool {
        let Some(spec) = self.lenses.get(usize::from(lens.0)) else { return false };
        let replica = self.replicas.entry((controller, lens)).or_default();
        // What is seen first between two ticks belongs to the one that is over.
        let seen = spec.with(&self.rules, &self.dictionary);
        replica.refresh(&self.simulation, controller, &seen, &mut self.scratch, self.tick.max(Tick(1)))
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

/// A text that fits into a datagram.
fn shorten(mut text: String) -> String {
    let mut end = MAX_REASON.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}
