//! The server: the authority of the game, and its clients.

use core::net::SocketAddr;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::prelude::{Entity, Event, Message, Res, ResMut, Resource, World};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_platform::sync::Arc;
use bevy_time::Real;
use ugas::{Catalog, Config, ControllerId, Role, Simulation, Time};
use ugas_net::message::{ByeReason, ClientId, PROTOCOL, Rejection};
use ugas_net::{Ownership, PeerId, Server, ServerConfig, ServerEvent, Visibility};
use ugas_transport::memory::MemoryServer;
use ugas_transport::{Access, Departure, ProtocolId, ServerSocket, ServerTransport};

use super::{fixed_step, set_backend_factory, time_of};
use crate::backend::Backend;
use crate::error::GameplayError;
use crate::plugin::GameplaySystems;
use crate::world::GameplayWorld;

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
    relevance: Option<Relevance>,
}

/// Relevancy rule: decides whether a client sees a controller, given the controllers it owns. Its own are
/// always visible.
#[derive(Clone)]
pub struct Relevance {
    /// Ticks between two evaluations.
    pub every: u32,
    /// Whether a client that owns the given controllers sees the last one.
    #[expect(clippy::type_complexity, reason = "a plain function type without a name of its own")]
    pub decide: Arc<dyn Fn(&Simulation, &[ControllerId], ControllerId) -> bool + Send + Sync>,
}

impl UgasServerPlugin {
    /// A server for this endpoint, with the default settings, that shows every controller to everybody.
    pub fn new(endpoint: ServerEndpoint) -> Self {
        Self { config: ServerConfig::default(), endpoint: Mutex::new(Some(endpoint)), relevance: None }
    }

    /// Sets the tick length, limits and rates.
    #[must_use]
    pub fn with_config(mut self, config: ServerConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets a relevancy rule; without one, every client sees every controller.
    #[must_use]
    pub fn with_relevance(
        mut self,
        every: u32,
        decide: impl Fn(&Simulation, &[ControllerId], ControllerId) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.relevance = Some(Relevance { every: every.max(1), decide: Arc::new(decide) });
        self
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
    pub(crate) server: Server,
    transport: Box<dyn ServerTransport + Send + Sync>,
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
        let endpoint = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut config, relevance) = (self.config.clone(), self.relevance.clone());
        // Set here rather than in `with_relevance`, so that a later `with_config` does not override it.
        config.show_everything &= relevance.is_none();
        let mut endpoint = endpoint;
        let factory = move |catalog: Arc<Catalog>, simulation: &Config| {
            let endpoint = endpoint.take().ok_or(GameplayError::RulesInUse)?;
            let side = ServerSide::new(catalog, simulation, config.clone(), endpoint, relevance.clone())?;
            Ok(Backend::Server(Box::new(side)))
        };
        app.init_resource::<GameplayWorld>().init_resource::<UgasServer>();
        set_backend_factory(app, Box::new(factory));
        app.insert_resource(fixed_step(self.config.length))
            .add_message::<ClientJoined>()
            .add_message::<ClientLeft>()
            .add_message::<ClientInterrupted>()
            .add_message::<ClientResumed>()
            .add_message::<CommandRejected>()
            .add_systems(
                FixedUpdate,
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

impl ServerSide {
    /// Server on the endpoint. The only error is an address that cannot be bound.
    fn new(
        catalog: Arc<Catalog>,
        simulation: &Config,
        config: ServerConfig,
        endpoint: ServerEndpoint,
        relevance: Option<Relevance>,
    ) -> Result<Self, GameplayError> {
        let protocol = ProtocolId::of(PROTOCOL, catalog.hash());
        let (transport, address): (Box<dyn ServerTransport + Send + Sync>, _) = match endpoint {
            ServerEndpoint::Memory(server) => (Box::new(server), None),
            ServerEndpoint::Custom(transport) => (transport, None),
            ServerEndpoint::Udp { listen, access } => {
                let socket = ServerSocket::bind(ugas_transport::ServerConfig::new(listen, protocol, access));
                let socket = socket.map_err(|error| GameplayError::Socket(error.to_string()))?;
                let address = socket.local_addr();
                tracing::info!("server listening on {address}");
                (Box::new(socket), Some(address))
            }
        };
        let simulation = Simulation::new(catalog, Config { role: Role::Server, ..simulation.clone() });
        let secrets = config.secrets.or(Some(ugas_transport::random_bytes));
        let mut server = Server::new(simulation, ServerConfig { secrets, ..config });
        server.watch_touches();
        let (game, sessions, peers) = (Vec::new(), Vec::new(), BTreeMap::new());
        Ok(Self { server, transport, address, relevance, now: Time::ZERO, game, sessions, peers })
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
                ugas_transport::ServerEvent::Disconnected { peer, reason: Departure::Left } => {
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
        while let Some(transmit) = self.server.poll_transmit() {
            // Errors for disconnected peers are ignored.
            let _ = self.transport.send(transmit.peer.0, &transmit.bytes);
        }
    }

    /// Shows or hides every controller to every client that does not own it, as the game's function decides.
    /// Only in every n-th tick; nothing without such a function.
    fn decide_relevance(&mut self) {
        let Some(Relevance { every, decide }) = &self.relevance else { return };
        if !self.server.current_tick().0.is_multiple_of(*every) {
            return;
        }
        let all: Vec<ControllerId> = self.server.simulation().controllers().map(|(id, _)| id).collect();
        let clients: Vec<ClientId> = self.server.clients().collect();
        for client in clients {
            let own: Vec<ControllerId> =
                all.iter().copied().filter(|id| self.server.owner(*id) == Some(client)).collect();
            for &controller in all.iter().filter(|id| !own.contains(id)) {
                match decide(self.server.simulation(), &own, controller) {
                    true => self.server.show(controller, client),
                    false => self.server.hide(controller, client),
                }
            }
        }
    }
}

impl GameplayWorld {
    /// The server; `None` if this is not a server.
    pub fn server(&self) -> Option<&Server> {
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
    fn server_mut(&mut self) -> Result<&mut Server, GameplayError> {
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

fn decide_relevance(mut game: ResMut<'_, GameplayWorld>) {
    if let Some(side) = game.server_side() {
        side.decide_relevance();
    }
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
