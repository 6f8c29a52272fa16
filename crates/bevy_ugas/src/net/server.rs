//! The server: the authority of the game, and its clients.

use core::net::SocketAddr;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::{Entity, Event, Message, Res, ResMut, Resource, World};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_platform::sync::Arc;
use bevy_time::Real;
use ugas::{Catalog, Config, ControllerId, Role, Simulation, Time};
use ugas_net::message::{ByeReason, ClientId, PROTOCOL, Rejection};
use ugas_net::{Defaults, Host, Ownership, PeerId, Server, ServerConfig, ServerEvent, Visibility};
use ugas_transport::memory::MemoryServer;
use ugas_transport::{Access, Departure, ProtocolId, ServerSocket, ServerTransport};

use super::{fixed_step, set_backend_factory, time_of};
use crate::backend::Backend;
use crate::error::GameplayError;
use crate::plugin::{GameplaySchedule, GameplaySystems};
use crate::world::{GameplayWorld, entity_of};

/// Endpoint that clients connect to.
pub enum ServerEndpoint {
    /// By UDP, encrypted. The socket is opened when the rules are loaded; clients must have rules with the
    /// same hash.
    Udp {
        /// Address to listen on; port 0 selects a free port.
        listen: SocketAddr,
        /// Clients to accept.
        access: Access,
    },
    /// In this process, for tests and local games.
    Memory(MemoryServer),
    /// With a custom transport of the game.
    Custom(Box<dyn ServerTransport + Send + Sync>),
}

/// Makes the game a server, which keeps the session of a lost connection for
/// [`ServerConfig::resume_time`], so that its client can resume it. Add it next to [`UgasPlugins`](crate::UgasPlugins), before any controller is
/// spawned. It sets Bevy's fixed step to the length of a tick.
///
/// Give clients a controller when they have joined:
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ugas::prelude::*;
/// # use bevy_ugas::net::ClientJoined;
/// fn welcome(joined: On<ClientJoined>, mut commands: Commands) {
///     let client = joined.client;
///     commands.spawn(GameplayController::new("Mage")).in_gameplay(move |game, mage| game.give(mage, client));
/// }
/// ```
pub struct UgasServerPlugin {
    config: ServerConfig,
    endpoint: Mutex<Option<ServerEndpoint>>,
    host: Mutex<Option<GameHost>>,
    relevance: Option<Relevance>,
}

/// Decisions of the game about its clients: see [`UgasServerPlugin::with_host`].
pub type GameHost = Box<dyn Host + Send + Sync>;

/// Client for which relevancy is decided.
#[derive(Clone, Copy, Debug)]
pub struct Viewer<'a> {
    /// The client.
    pub client: ClientId,
    /// Entities of the controllers that it owns.
    pub own: &'a [Entity],
}

/// Relevancy rule: decides whether a client sees an entity.
#[derive(Clone)]
struct Relevance {
    /// Ticks between two evaluations.
    every: u32,
    decide: Arc<DecideRelevance>,
}

type DecideRelevance = dyn Fn(&World, Viewer<'_>, Entity) -> bool + Send + Sync;

impl UgasServerPlugin {
    /// A server for this endpoint, with the default settings, that shows every controller to everybody.
    pub fn new(endpoint: ServerEndpoint) -> Self {
        let (config, endpoint) = (ServerConfig::default(), Mutex::new(Some(endpoint)));
        Self { config, endpoint, host: Mutex::new(Some(Box::new(Defaults))), relevance: None }
    }

    /// Sets the tick length, limits and rates.
    #[must_use]
    pub fn with_config(mut self, config: ServerConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets a relevancy rule, which is evaluated every few ticks: whether a client sees an entity. Without one,
    /// every client sees every controller. Its own are always visible to it. Summons without entities are
    /// visible where their summoner is, other controllers without entities to nobody.
    ///
    /// ```
    /// # use bevy_ugas::net::{ServerEndpoint, UgasServerPlugin, transport::memory::MemoryServer};
    /// use bevy_transform::components::Transform;
    ///
    /// # let endpoint = ServerEndpoint::Memory(MemoryServer::new(1));
    /// let plugin = UgasServerPlugin::new(endpoint).with_relevance(10, |world, viewer, other| {
    ///     let place = |entity| world.get::<Transform>(entity).map(|transform| transform.translation);
    ///     let is_near = |own| Some(place(own)?.distance(place(other)?) < 50.0);
    ///     viewer.own.iter().any(|own| is_near(*own).unwrap_or(false))
    /// });
    /// ```
    #[must_use]
    pub fn with_relevance(
        mut self,
        every: u32,
        decide: impl Fn(&World, Viewer<'_>, Entity) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.relevance = Some(Relevance { every: every.max(1), decide: Arc::new(decide) });
        self
    }

    /// Sets the decisions of the game about its clients: who is admitted, what can be reached and chosen, how
    /// often others are updated, and what follows a rejected command. Each has a default. The host gets
    /// controllers; [`entity_of_controller`] has their entities.
    ///
    /// ```
    /// # use bevy_ugas::net::{ServerEndpoint, UgasServerPlugin, transport::memory::MemoryServer};
    /// use bevy_ugas::net::protocol::message::{ClientId, Rejection};
    /// use bevy_ugas::net::protocol::{AfterRejection, Host, PeerId};
    ///
    /// struct Doorman;
    ///
    /// impl Host for Doorman {
    ///     fn admit(&mut self, _: PeerId, credential: &[u8]) -> Result<(), String> {
    ///         match credential {
    ///             b"friend" => Ok(()),
    ///             _ => Err("say the word and enter".to_owned()),
    ///         }
    ///     }
    ///
    ///     fn rejected(&mut self, _: ClientId, _: Rejection, count: u32) -> AfterRejection {
    ///         if count > 100 { AfterRejection::Kick } else { AfterRejection::Keep }
    ///     }
    /// }
    ///
    /// # let endpoint = ServerEndpoint::Memory(MemoryServer::new(1));
    /// let plugin = UgasServerPlugin::new(endpoint).with_host(Doorman);
    /// ```
    #[must_use]
    pub fn with_host(self, host: impl Host + Send + Sync + 'static) -> Self {
        Self { host: Mutex::new(Some(Box::new(host))), ..self }
    }
}

/// A client joined: give it a controller with [`GameplayWorld::give`]. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ClientJoined {
    /// The client.
    pub client: ClientId,
    /// Credential that the client sent.
    pub credential: Vec<u8>,
}

/// The connection of a client was lost; its session is kept for [`ServerConfig::resume_time`], and its
/// controllers stay its own. [`ClientResumed`] or [`ClientLeft`] follows. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ClientInterrupted {
    /// The client.
    pub client: ClientId,
}

/// A client continues its session over another connection. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ClientResumed {
    /// The client.
    pub client: ClientId,
}

/// A client left; the controllers it owned have no owner now. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ClientLeft {
    /// The client.
    pub client: ClientId,
    /// Why it left; `None` if it left on its own.
    pub reason: Option<ByeReason>,
}

/// A command of a client was rejected. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct CommandRejected {
    /// The client.
    pub client: ClientId,
    /// Why the command was rejected.
    pub rejection: Rejection,
}

/// Server backend: protocol server, transport and pending events.
pub(crate) struct ServerSide {
    pub(crate) server: Server<GameHost>,
    transport: AnyTransport,
    address: Option<SocketAddr>,
    relevance: Option<Relevance>,
    now: Time,
    pub(crate) game: Vec<ugas::Event>,
    sessions: Vec<ServerEvent>,
    /// Connections of clients with a session.
    peers: BTreeMap<ClientId, PeerId>,
}

/// Status of the server.
#[derive(Resource, Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UgasServer {
    /// Address that it listens on.
    pub address: Option<SocketAddr>,
    /// Number of connected clients.
    pub clients: u32,
}

impl Plugin for UgasServerPlugin {
    /// Makes the game a server: the rules, once installed, create it with the endpoint. The fixed step
    /// becomes the tick length. Other rules afterwards are refused, because the endpoint is used up.
    fn build(&self, app: &mut App) {
        let mut endpoint = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut config, relevance) = (self.config.clone(), self.relevance.clone());
        // Set here rather than in `with_relevance`, so that a later `with_config` does not override it.
        config.show_everything &= relevance.is_none();
        let mut host = self.host.lock().unwrap_or_else(PoisonError::into_inner).take();
        let factory = move |catalog: Arc<Catalog>, simulation: &Config| {
            let (transport, address) = open(&mut endpoint, ProtocolId::of(PROTOCOL, catalog.hash()))?;
            let host = host.take().ok_or(GameplayError::RulesInUse)?;
            let mut side = ServerSide::new(catalog, simulation, config.clone(), transport, host);
            (side.address, side.relevance) = (address, relevance.clone());
            Ok(Backend::Server(Box::new(side)))
        };
        GameplayWorld::init(app);
        app.init_resource::<UgasServer>();
        set_backend_factory(app, Box::new(factory));
        let schedule = GameplaySchedule::of(app);
        app.insert_resource(fixed_step(self.config.length))
            .add_message::<ClientJoined>()
            .add_message::<ClientLeft>()
            .add_message::<ClientInterrupted>()
            .add_message::<ClientResumed>()
            .add_message::<CommandRejected>()
            .add_systems(
                schedule,
                (
                    receive.in_set(GameplaySystems::Input),
                    (decide_relevance, send)
                        .chain()
                        .after(GameplaySystems::Simulate)
                        .before(GameplaySystems::Apply),
                    emit_session_events.after(GameplaySystems::Apply).before(GameplaySystems::Cues),
                ),
            );
    }
}

type AnyTransport = Box<dyn ServerTransport + Send + Sync>;

/// Opens the endpoint and takes it. An address that cannot be bound leaves it for another attempt.
fn open(
    endpoint: &mut Option<ServerEndpoint>,
    protocol: ProtocolId,
) -> Result<(AnyTransport, Option<SocketAddr>), GameplayError> {
    Ok(match endpoint.take().ok_or(GameplayError::RulesInUse)? {
        ServerEndpoint::Memory(server) => (Box::new(server), None),
        ServerEndpoint::Custom(transport) => (transport, None),
        ServerEndpoint::Udp { listen, access } => {
            let config = ugas_transport::ServerConfig::new(listen, protocol, access.clone());
            let socket = ServerSocket::bind(config).map_err(|error| {
                *endpoint = Some(ServerEndpoint::Udp { listen, access });
                GameplayError::Socket(error.to_string())
            })?;
            let address = socket.local_addr();
            tracing::info!("server listening on {address}");
            (Box::new(socket), Some(address))
        }
    })
}

impl ServerSide {
    /// Server on the transport.
    fn new(
        catalog: Arc<Catalog>,
        simulation: &Config,
        config: ServerConfig,
        transport: AnyTransport,
        host: GameHost,
    ) -> Self {
        let simulation = Simulation::new(catalog, Config { role: Role::Server, ..simulation.clone() });
        let secrets = config.secrets.or(Some(ugas_transport::random_bytes));
        let mut server = Server::with_host(simulation, ServerConfig { secrets, ..config }, host);
        server.watch_touches();
        let (game, sessions, peers) = (Vec::new(), Vec::new(), BTreeMap::new());
        let (address, relevance, now) = (None, None, Time::ZERO);
        Self { server, transport, address, relevance, now, game, sessions, peers }
    }

    /// Runs one tick at the time of the last receipt, and sorts its events into those of the game and of
    /// sessions.
    pub(crate) fn step(&mut self) {
        self.server.tick(self.now);
        while let Some(event) = self.server.poll_event() {
            match event {
                ServerEvent::Game(event) => self.game.push(event),
                session => {
                    self.follow(&session);
                    self.sessions.push(session);
                }
            }
        }
    }

    /// Lets clients with a session return to the transport after a lost connection, and no others.
    fn follow(&mut self, event: &ServerEvent) {
        match *event {
            ServerEvent::Joined { client, peer, .. } => {
                self.peers.insert(client, peer);
                self.transport.joined(peer.0);
                if let Some(secret) = self.server.resume_secret(client) {
                    self.transport.let_return(peer.0, secret.0);
                }
            }
            ServerEvent::Resumed { client, peer, former } => {
                self.peers.insert(client, peer);
                self.transport.joined(peer.0);
                if peer != former {
                    self.transport.disconnect(former.0);
                }
            }
            ServerEvent::Left { client, .. } => {
                if let Some(peer) = self.peers.remove(&client) {
                    self.transport.forbid_return(peer.0);
                }
            }
            _ => {}
        }
    }

    /// Datagrams and disconnects from the transport, passed to the server. `now` is kept for the next
    /// [`step`](Self::step). New connections are ignored, because sessions begin with a datagram; errors of
    /// the socket are only logged.
    fn receive(&mut self, now: Time) {
        self.now = now;
        if let Err(error) = self.transport.poll(Instant::now()) {
            tracing::warn!("server socket: {error}");
        }
        while let Some(event) = self.transport.next_event() {
            match event {
                ugas_transport::ServerEvent::Datagram { peer, bytes } => {
                    self.server.handle(self.now, PeerId(peer), bytes);
                }
                ugas_transport::ServerEvent::Disconnected {
                    peer,
                    reason: Departure::Left | Departure::AddressTaken,
                } => {
                    self.server.left(PeerId(peer));
                }
                ugas_transport::ServerEvent::Disconnected { peer, .. } => {
                    self.server.disconnected(PeerId(peer));
                }
                ugas_transport::ServerEvent::Connected { .. } => {}
            }
        }
    }

    /// Sends what the server has queued, to all clients.
    fn send(&mut self) {
        self.server.visit_transmits(|peer, bytes| {
            // Errors for disconnected peers are ignored.
            let _ = self.transport.send(peer.0, bytes);
        });
    }
}

impl GameplayWorld {
    /// The server; `None` if this is not a server.
    pub fn server(&self) -> Option<&Server<GameHost>> {
        match &self.backend {
            Some(Backend::Server(side)) => Some(&side.server),
            Some(Backend::Local(_) | Backend::Client(_)) | None => None,
        }
    }

    /// Makes a client the owner of the controller of an entity.
    ///
    /// # Errors
    /// If the entity has no controller, or this is not a server.
    pub fn give(&mut self, entity: Entity, client: ClientId) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        self.server_mut()?.give(controller, client);
        Ok(())
    }

    /// Removes the owner of the controller of an entity.
    ///
    /// # Errors
    /// If the entity has no controller, or this is not a server.
    pub fn take_back(&mut self, entity: Entity) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        self.server_mut()?.take_back(controller);
        Ok(())
    }

    /// Kicks a client.
    ///
    /// # Errors
    /// If this is not a server.
    pub fn kick(&mut self, client: ClientId) -> Result<(), GameplayError> {
        self.server_mut()?.kick(client);
        Ok(())
    }

    /// Sets what the owner, or all others, see of an entity (§13.2).
    ///
    /// # Errors
    /// If the entity has no controller, or this is not a server.
    pub fn set_net_visibility(
        &mut self,
        entity: Entity,
        own: Ownership,
        visibility: Option<Visibility>,
    ) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        let server = self.server_mut()?;
        let visibility = visibility.map(|visibility| server.add_visibility(visibility));
        server.set_visibility(controller, own, visibility);
        Ok(())
    }

    /// The network server; an error if the game is local or a client, or the rules are not installed.
    fn server_mut(&mut self) -> Result<&mut Server<GameHost>, GameplayError> {
        match &mut self.backend {
            Some(Backend::Server(side)) => Ok(&mut side.server),
            Some(Backend::Local(_) | Backend::Client(_)) => Err(GameplayError::NotAuthority),
            None => Err(GameplayError::NoRules),
        }
    }

    /// Server and transport; `None` if the game is local or a client, or the rules are not installed.
    fn server_side(&mut self) -> Option<&mut ServerSide> {
        match &mut self.backend {
            Some(Backend::Server(side)) => Some(side),
            Some(Backend::Local(_) | Backend::Client(_)) | None => None,
        }
    }
}

fn receive(clock: Res<'_, bevy_time::Time<Real>>, mut game: ResMut<'_, GameplayWorld>) {
    if let Some(side) = game.server_side() {
        side.receive(time_of(clock.elapsed()));
    }
}

/// Shows or hides every controller to every client that does not own it, as the game's function decides. Only
/// in every n-th tick; nothing without such a function.
fn decide_relevance(world: &mut World) {
    let game = world.resource::<GameplayWorld>();
    let Some(Backend::Server(side)) = &game.backend else { return };
    let Some(Relevance { every, decide }) = &side.relevance else { return };
    if !side.server.current_tick().0.is_multiple_of(*every) {
        return;
    }
    let simulation = side.server.simulation();
    let all: Vec<(ControllerId, Option<Entity>)> =
        simulation.controllers().map(|(id, _)| (id, entity_or_summoner(game, simulation, id))).collect();
    let mut decisions = Vec::new();
    for client in side.server.clients() {
        let is_own = |id: ControllerId| side.server.owner(id) == Some(client);
        let own: Vec<Entity> =
            all.iter().filter(|(id, _)| is_own(*id)).filter_map(|(id, _)| game.entity(*id)).collect();
        let viewer = Viewer { client, own: &own };
        for (id, entity) in all.iter().filter(|(id, _)| !is_own(*id)) {
            let is_seen = entity.is_some_and(|entity| own.contains(&entity) || decide(world, viewer, entity));
            decisions.push((*id, client, is_seen));
        }
    }
    let Ok(server) = world.resource_mut::<GameplayWorld>().into_inner().server_mut() else { return };
    for (controller, client, is_seen) in decisions {
        match is_seen {
            true => server.show(controller, client),
            false => server.hide(controller, client),
        }
    }
}

/// Entity of a controller, or of the nearest summoner that has one.
fn entity_or_summoner(game: &GameplayWorld, simulation: &Simulation, id: ControllerId) -> Option<Entity> {
    let summoner = |id: &ControllerId| simulation.controller(*id)?.instigator();
    core::iter::successors(Some(id), summoner).find_map(|id| game.entity(id))
}

/// Entity that owns a controller in the simulation of a server, for a [`Host`]; `None` for summons and for
/// controllers that the host created otherwise.
pub fn entity_of_controller(simulation: &Simulation, controller: ControllerId) -> Option<Entity> {
    entity_of(simulation.controller(controller)?.owner()?)
}

/// System that sends datagrams and updates the resource [`UgasServer`].
fn send(mut game: ResMut<'_, GameplayWorld>, mut status: ResMut<'_, UgasServer>) {
    if let Some(side) = game.server_side() {
        side.send();
        status.address = side.address;
        status.clients = u32::try_from(side.server.clients().count()).unwrap_or(u32::MAX);
    }
}

/// Emits joins, leaves and rejections, after all other events of the step.
fn emit_session_events(world: &mut World) {
    let Some(side) = world.resource_mut::<GameplayWorld>().into_inner().server_side() else { return };
    for event in core::mem::take(&mut side.sessions) {
        match event {
            ServerEvent::Joined { client, credential, .. } => {
                let joined = ClientJoined { client, credential };
                world.write_message(joined.clone());
                world.trigger(joined);
            }
            ServerEvent::Left { client, reason } => {
                let left = ClientLeft { client, reason };
                world.write_message(left.clone());
                world.trigger(left);
            }
            ServerEvent::Interrupted { client, .. } => {
                world.write_message(ClientInterrupted { client });
                world.trigger(ClientInterrupted { client });
            }
            ServerEvent::Resumed { client, .. } => {
                world.write_message(ClientResumed { client });
                world.trigger(ClientResumed { client });
            }
            ServerEvent::Rejected { client, rejection } => {
                let rejected = CommandRejected { client, rejection };
                world.write_message(rejected.clone());
                world.trigger(rejected);
            }
            other => tracing::debug!("{other:?}"),
        }
    }
    world.flush();
}
