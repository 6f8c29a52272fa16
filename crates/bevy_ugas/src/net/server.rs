//! The server's side: it decides, and lets clients in.

use core::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::prelude::{Entity, Event, Message, Res, ResMut, Resource, World};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_platform::sync::Arc;
use bevy_time::Real;
use ugas::{Catalog, Config, ControllerId, Role, Simulation, Time};
use ugas_net::message::{ByeReason, ClientId, PROTOCOL, Rejection};
use ugas_net::{Lens, Own, PeerId, Server, ServerConfig, ServerEvent};
use ugas_transport::memory::MemoryServer;
use ugas_transport::{Access, ProtocolId, ServerSocket, ServerTransport};

use super::{fixed_step, found_by, time_of};
use crate::backend::Backend;
use crate::error::GameplayError;
use crate::plugin::GameplaySystems;
use crate::world::GameplayWorld;

/// Where clients connect.
pub enum ServerEndpoint {
    /// By UDP, encrypted. The socket is opened when there are rules, whose hash clients must have.
    Udp {
        /// Where to listen; port 0 takes any that is free.
        listen: SocketAddr,
        /// Whom to let in.
        access: Access,
    },
    /// In this process: for tests, and games against oneself.
    Memory(MemoryServer),
    /// By a transport of the game's own.
    Custom(Box<dyn ServerTransport + Send + Sync>),
}

/// Makes the game a server's. Add it beside [`UgasPlugins`](crate::UgasPlugins), before anybody is spawned. It sets Bevy's fixed
/// step to the length of a tick.
///
/// Give clients what they play with when they have joined:
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

/// Decides whether a client may see a controller, given what it owns. Its own are always shown.
#[derive(Clone)]
pub struct Relevance {
    /// How many ticks go by between two decisions.
    pub every: u32,
    /// Whether a client that owns these controllers may see that one.
    #[expect(clippy::type_complexity, reason = "a function of what it is given, and nothing more")]
    pub decide: Arc<dyn Fn(&Simulation, &[ControllerId], ControllerId) -> bool + Send + Sync>,
}

impl UgasServerPlugin {
    /// A server for this endpoint.
    pub fn new(endpoint: ServerEndpoint) -> Self {
        Self { config: ServerConfig::default(), endpoint: Mutex::new(Some(endpoint)), relevance: None }
    }

    /// With other ticks, limits and rates.
    #[must_use]
    pub fn with_config(mut self, config: ServerConfig) -> Self {
        self.config = config;
        self
    }

    /// With a rule for who sees whom; without one, everybody sees everybody.
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

/// A client was let in: give it a controller with [`GameplayWorld::give`]. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ClientJoined {
    /// Who.
    pub client: ClientId,
    /// What it said of itself.
    pub credential: Vec<u8>,
}

/// A client is gone; what it owned is nobody's now. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ClientLeft {
    /// Who.
    pub client: ClientId,
    /// Why; `None` if it went by itself.
    pub reason: Option<ByeReason>,
}

/// A command of a client was rejected. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct CommandRejected {
    /// Whose.
    pub client: ClientId,
    /// Why.
    pub rejection: Rejection,
}

/// What the server's side of a game is made of.
pub(crate) struct ServerSide {
    pub(crate) server: Server,
    transport: Box<dyn ServerTransport + Send + Sync>,
    address: Option<SocketAddr>,
    relevance: Option<Relevance>,
    now: Time,
    pub(crate) game: Vec<ugas::Event>,
    sessions: Vec<ServerEvent>,
}

/// What can be asked of a server, while it runs.
#[derive(Resource, Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UgasServer {
    /// Where it listens.
    pub address: Option<SocketAddr>,
    /// How many clients are in.
    pub clients: u32,
}

impl Plugin for UgasServerPlugin {
    fn build(&self, app: &mut App) {
        let endpoint = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (mut config, relevance) = (self.config.clone(), self.relevance.clone());
        // Here and not where the rule is given, so that a configuration given later does not show what the rule hides.
        config.show_everything &= relevance.is_none();
        let mut endpoint = endpoint;
        let found = move |catalog: Arc<Catalog>, simulation: &Config| {
            let endpoint = endpoint.take().ok_or(GameplayError::RulesInUse)?;
            let side = ServerSide::new(catalog, simulation, config.clone(), endpoint, relevance.clone())?;
            Ok(Backend::Server(Box::new(side)))
        };
        app.init_resource::<GameplayWorld>().init_resource::<UgasServer>();
        found_by(app, Box::new(found));
        app.insert_resource(fixed_step(self.config.length))
            .add_message::<ClientJoined>()
            .add_message::<ClientLeft>()
            .add_message::<CommandRejected>()
            .add_systems(
                FixedUpdate,
                (
                    receive.in_set(GameplaySystems::Input),
                    (decide_relevance, send)
                        .chain()
                        .after(GameplaySystems::Simulate)
                        .before(GameplaySystems::Apply),
                    tell.after(GameplaySystems::Apply).before(GameplaySystems::Cues),
                ),
            );
    }
}

impl ServerSide {
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
                tracing::info!("the server listens on {address}");
                (Box::new(socket), Some(address))
            }
        };
        let simulation = Simulation::new(catalog, Config { role: Role::Server, ..simulation.clone() });
        let mut server = Server::new(simulation, config);
        server.watch_touches();
        let (game, sessions) = (Vec::new(), Vec::new());
        Ok(Self { server, transport, address, relevance, now: Time::ZERO, game, sessions })
    }

    pub(crate) fn step(&mut self) {
        self.server.tick(self.now);
        while let Some(event) = self.server.poll_event() {
            match event {
                ServerEvent::Game(event) => self.game.push(event),
                session => self.sessions.push(session),
            }
        }
    }

    fn receive(&mut self, now: Time) {
        self.now = now;
        if let Err(error) = self.transport.poll(Instant::now()) {
            tracing::warn!("the server's socket: {error}");
        }
        while let Some(event) = self.transport.next_event() {
            match event {
                ugas_transport::ServerEvent::Datagram { peer, bytes } => {
                    self.server.handle(self.now, PeerId(peer), bytes);
                }
                ugas_transport::ServerEvent::Disconnected { peer, .. } => {
                    self.server.disconnected(PeerId(peer))
                }
                ugas_transport::ServerEvent::Connected { .. } => {}
            }
        }
    }

    fn send(&mut self) {
        while let Some(transmit) = self.server.poll_transmit() {
            // Who is gone misses nothing.
            let _ = self.transport.send(transmit.peer.0, &transmit.bytes);
        }
    }

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
    /// The server, to ask it and to configure lenses; `None` if this is none.
    pub fn server(&self) -> Option<&Server> {
        match &self.backend {
            Some(Backend::Server(side)) => Some(&side.server),
            Some(Backend::Local(_) | Backend::Client(_)) | None => None,
        }
    }

    /// Makes the controller of an entity a client's own.
    ///
    /// # Errors
    /// If the entity has no controller, or this is no server.
    pub fn give(&mut self, entity: Entity, client: ClientId) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        self.server_mut()?.give(controller, client);
        Ok(())
    }

    /// Makes the controller of an entity nobody's own.
    ///
    /// # Errors
    /// If the entity has no controller, or this is no server.
    pub fn take_back(&mut self, entity: Entity) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        self.server_mut()?.take_back(controller);
        Ok(())
    }

    /// Sends a client away.
    ///
    /// # Errors
    /// If this is no server.
    pub fn kick(&mut self, client: ClientId) -> Result<(), GameplayError> {
        self.server_mut()?.kick(client);
        Ok(())
    }

    /// Shows what a lens lets through of an entity: to its owner, or to others (§13.2).
    ///
    /// # Errors
    /// If the entity has no controller, or this is no server.
    pub fn set_lens(&mut self, entity: Entity, own: Own, lens: Option<Lens>) -> Result<(), GameplayError> {
        let (_, controller) = self.known(entity)?;
        let server = self.server_mut()?;
        let lens = lens.map(|lens| server.add_lens(lens));
        server.set_lens(controller, own, lens);
        Ok(())
    }

    fn server_mut(&mut self) -> Result<&mut Server, GameplayError> {
        match &mut self.backend {
            Some(Backend::Server(side)) => Ok(&mut side.server),
            Some(Backend::Local(_) | Backend::Client(_)) => Err(GameplayError::NotAuthority),
            None => Err(GameplayError::NoRules),
        }
    }

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

fn send(mut game: ResMut<'_, GameplayWorld>, mut about: ResMut<'_, UgasServer>) {
    if let Some(side) = game.server_side() {
        side.send();
        about.address = side.address;
        about.clients = u32::try_from(side.server.clients().count()).unwrap_or(u32::MAX);
    }
}

/// Tells who came and went, when everything else of the step has been told.
fn tell(world: &mut World) {
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
