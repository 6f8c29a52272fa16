//! The client: displays the server's state, and predicts the player's actions.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bevy_app::{App, Plugin};
use bevy_ecs::prelude::{Component, Entity, Event, Message, Res, ResMut, Resource, World};
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use bevy_time::{Fixed, Real};
use ugas::{Catalog, Config, ControllerId, Span, Time};
use ugas_net::message::{ByeReason, RefusedReason, Rejection};
use ugas_net::reconnect::{
    ConnectionState, LinkState, ReconnectAction, ReconnectConfig, ReconnectFailure, Reconnector,
};
use ugas_net::{Client, ClientConfig, ClientEvent, ClientStatistics, Prediction, Tick, TickLength};
use ugas_transport::memory::MemoryPort;
use ugas_transport::{ClientSocket, ClientState, ClientTransport, ConnectToken};

use super::{convert, fixed_step, set_backend_factory, time_of};
use crate::backend::Backend;
use crate::components::show;
use crate::controller::GameplayController;
use crate::error::GameplayError;
use crate::plugin::{GameplaySchedule, GameplaySystems};
use crate::world::GameplayWorld;

/// Endpoint of the server to connect to.
pub enum ClientEndpoint {
    /// By UDP, with the token that the server issued for this player.
    Udp(Box<ConnectToken>),
    /// In this process, as this peer.
    Memory(MemoryPort, u64),
    /// With a custom transport of the game.
    Custom(Box<dyn ClientTransport + Send + Sync>),
}

/// Makes the game a client of a server. Add it next to [`UgasPlugins`](crate::UgasPlugins), before any
/// controller is spawned. Both sides must have equal rules. It sets Bevy's fixed step to the length of a
/// tick.
///
/// When a controller becomes visible, an entity with a [`RemoteController`] and a [`GameplayController`] is
/// spawned; when it is no longer visible, the entity is despawned. Observe `On<Add, RemoteController>` to
/// give entities bodies.
///
/// A lost connection is reconnected, and the session resumed with the same entities; [`ServerConnection`]
/// shows the state.
pub struct UgasClientPlugin {
    config: ClientConfig,
    reconnect: ReconnectConfig,
    length: TickLength,
    endpoint: Mutex<Option<ClientEndpoint>>,
    nonce: u64,
}

impl UgasClientPlugin {
    /// A client for this endpoint. The nonce identifies the session: use a random number.
    pub fn new(endpoint: ClientEndpoint, nonce: u64) -> Self {
        let (config, length) = (ClientConfig::default(), TickLength::default());
        Self {
            config,
            reconnect: ReconnectConfig::default(),
            length,
            endpoint: Mutex::new(Some(endpoint)),
            nonce,
        }
    }

    /// Sets the credential, prediction window and so on.
    #[must_use]
    pub fn with_config(mut self, config: ClientConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets when lost connections are reconnected; no attempts switch that off.
    #[must_use]
    pub fn with_reconnect(mut self, reconnect: ReconnectConfig) -> Self {
        self.reconnect = reconnect;
        self
    }

    /// Sets the tick length, which must be that of the server.
    #[must_use]
    pub fn with_tick(mut self, length: TickLength) -> Self {
        self.length = length;
        self
    }
}

/// An entity with a controller of the server.
#[derive(Component, Reflect, Clone, PartialEq, Eq, Debug)]
#[reflect(Component, from_reflect = false)]
pub struct RemoteController {
    /// Name of its template, if the server replicates it.
    pub template: Option<String>,
    /// Whether this client owns it.
    pub is_own: bool,
    /// Handle on the server ([`GameplayController::id`] there), as bits: the id that both sides share. A game
    /// that replicates entities separately uses it to match the two parts of an entity.
    pub server_id: u64,
}

/// The server accepted the client. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ServerJoined;

/// The session ended, or the server refused the connection. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ServerLost {
    /// Why the session ended; `None` if no reason was sent, or it never began.
    pub reason: Option<ByeReason>,
    /// Why the connection was refused.
    pub refused: Option<RefusedReason>,
    /// State of the transport, if it ended the session: no server answered, for example.
    pub connection: Option<ClientState>,
    /// Why the client gave up to reconnect.
    pub failure: Option<ReconnectFailure>,
}

/// State of the connection to the server. [`ServerConnectionChanged`] is emitted when it changes. Times are
/// those of `Time<Real>`.
#[derive(Resource, Clone, Debug)]
pub struct ServerConnection(pub ConnectionState);

/// The state of the connection changed: it was lost, another attempt is made, it is back. For observers, and as
/// a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ServerConnectionChanged(pub ConnectionState);

/// The server did not know the session any more, after a restart for example, and a new one is requested: the
/// entities of controllers were despawned, and [`ServerJoined`] or [`ServerLost`] follows. For observers, and
/// as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct SessionRestarted;

impl ServerLost {
    /// The reason as text for the player: the server's refusal or bye if it sent one, else why the client
    /// gave up.
    pub fn describe(&self) -> String {
        match (&self.refused, &self.failure, &self.reason) {
            (Some(refused), ..) => refused.to_string(),
            (None, Some(failure), _) => failure.to_string(),
            (None, None, Some(reason)) => reason.to_string(),
            (None, None, None) => "the client left".to_owned(),
        }
    }
}

/// A prediction was corrected: a command was rejected, or a tick of own controllers was mispredicted. For
/// observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub enum PredictionCorrected {
    /// The server rejected a command.
    Rejected(Rejection),
    /// A tick of own controllers was mispredicted.
    Mispredicted(Tick),
    /// An event that was emitted before did not happen after all.
    Retracted(Box<ugas::Event>),
}

/// Status of the client.
#[derive(Resource, Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UgasClient {
    /// Whether the client is connected.
    pub is_playing: bool,
    /// Round-trip time.
    pub round_trip: Span,
    /// The displayed tick.
    pub tick: Tick,
    /// Newest server tick that the displayed state is based on; a game that predicts movement itself starts
    /// from it.
    pub confirmed: Option<Tick>,
    /// Counters of the session.
    pub statistics: ClientStatistics,
}

/// Client backend: protocol client, transport and pending events.
pub(crate) struct ClientSide {
    pub(crate) client: Client,
    transport: AnyTransport,
    now: Time,
    /// Displayed and confirmed tick at the last update; components are compared only if they changed.
    displayed: Option<(Tick, Option<Tick>)>,
    pub(crate) game: Vec<ugas::Event>,
    pending: Vec<ClientEvent>,
    known: convert::KnownState,
    reconnector: Reconnector,
    /// State of the transport when the client gave up.
    ended: Option<ClientState>,
}

impl Plugin for UgasClientPlugin {
    /// Makes the game a client: the rules, once installed, create it with the endpoint. The fixed step
    /// becomes the tick length. Other rules afterwards are refused, because the endpoint is used up.
    fn build(&self, app: &mut App) {
        let mut endpoint = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (config, reconnect, nonce) = (self.config.clone(), self.reconnect, self.nonce);
        let factory = move |catalog: Arc<Catalog>, _: &Config| {
            let transport = open(&mut endpoint)?;
            let side = ClientSide::new(catalog, config.clone(), reconnect, nonce, transport);
            Ok(Backend::Client(Box::new(side)))
        };
        GameplayWorld::init(app);
        app.init_resource::<UgasClient>().insert_resource(ServerConnection(ConnectionState::Connecting));
        set_backend_factory(app, Box::new(factory));
        let schedule = GameplaySchedule::of(app);
        app.insert_resource(fixed_step(self.length))
            .register_type::<RemoteController>()
            .add_message::<ServerJoined>()
            .add_message::<ServerLost>()
            .add_message::<ServerConnectionChanged>()
            .add_message::<SessionRestarted>()
            .add_message::<PredictionCorrected>()
            .add_systems(
                schedule,
                (
                    receive.in_set(GameplaySystems::Input),
                    (send, apply_events)
                        .chain()
                        .after(GameplaySystems::Simulate)
                        .before(GameplaySystems::Apply),
                ),
            );
    }
}

type AnyTransport = Box<dyn ClientTransport + Send + Sync>;

/// Begins to connect to the endpoint and takes it. A socket that cannot be opened leaves it for another attempt.
fn open(endpoint: &mut Option<ClientEndpoint>) -> Result<AnyTransport, GameplayError> {
    Ok(match endpoint.take().ok_or(GameplayError::RulesInUse)? {
        ClientEndpoint::Memory(port, peer) => Box::new(port.connect(peer, &[])),
        ClientEndpoint::Custom(transport) => transport,
        ClientEndpoint::Udp(token) => Box::new(ClientSocket::connect((*token).clone()).map_err(|error| {
            *endpoint = Some(ClientEndpoint::Udp(token));
            GameplayError::Socket(error.to_string())
        })?),
    })
}

impl ClientSide {
    /// Client on the transport.
    fn new(
        catalog: Arc<Catalog>,
        config: ClientConfig,
        reconnect: ReconnectConfig,
        nonce: u64,
        transport: AnyTransport,
    ) -> Self {
        let client = Client::new(catalog, config, nonce);
        let reconnector = Reconnector::new(reconnect, nonce);
        let (game, pending, known, ended) = Default::default();
        let (now, displayed) = (Time::ZERO, None);
        Self { client, transport, now, displayed, game, pending, known, reconnector, ended }
    }

    /// Simulates the ticks that are due by the wall clock: with slow frames fixed steps are skipped, but the
    /// server goes on.
    pub(crate) fn step(&mut self) {
        self.reconnect();
        // Requests made while it connects would only be queued.
        if self.transport.state() == ClientState::Connected {
            self.client.update(self.now);
        }
        while let Some(event) = self.client.poll_event() {
            self.pending.push(event);
        }
    }

    /// Opens another connection if the present one is lost and it is time to.
    fn reconnect(&mut self) {
        let state = self.transport.state();
        let why = match state {
            ClientState::Connecting | ClientState::Connected => String::new(),
            ClientState::Refused(refusal) => refusal.to_string(),
            ClientState::Disconnected(ending) => ending.to_string(),
        };
        let link = match state {
            ClientState::Connecting => LinkState::Connecting,
            ClientState::Connected => LinkState::Connected,
            ClientState::Refused(refusal) if refusal.is_temporary() => LinkState::Busy(&why),
            ClientState::Refused(_) => LinkState::Refused(&why),
            ClientState::Disconnected(_) => LinkState::Lost(&why),
        };
        let action = self.reconnector.poll(self.now, link, &mut self.client);
        if let Some(ReconnectAction::Open { with_secret }) = action {
            let secret = self.client.resume_secret().filter(|_| with_secret).map(|secret| secret.0);
            if let Err(error) = self.transport.reconnect(secret) {
                tracing::warn!("client socket: {error}");
                if error.kind() == std::io::ErrorKind::Unsupported {
                    self.client.give_up();
                }
            }
        }
        if matches!(self.reconnector.state(), ConnectionState::Failed(_)) {
            self.ended.get_or_insert(state);
        }
    }

    /// All visible controllers, if the displayed tick changed: a client compares all of them in any case.
    pub(crate) fn take_touched(&mut self) -> Vec<ControllerId> {
        let displayed = Some((self.client.current_tick(), self.client.confirmed_tick()));
        if core::mem::replace(&mut self.displayed, displayed) == displayed {
            return Vec::new();
        }
        self.client.simulation().controllers().map(|(controller, _)| controller).collect()
    }

    /// Datagrams from the transport, passed to the client. `now` is kept for the next [`step`](Self::step);
    /// errors of the socket are only logged.
    fn receive(&mut self, now: Time) {
        self.now = now;
        if let Err(error) = self.transport.poll(Instant::now()) {
            tracing::warn!("client socket: {error}");
        }
        while let Some(bytes) = self.transport.next_datagram() {
            self.client.handle(self.now, bytes);
        }
    }

    /// Sends what the client has queued. Does nothing until the transport is connected: the datagrams wait.
    fn send(&mut self) {
        if self.transport.state() != ClientState::Connected {
            return;
        }
        while let Some(bytes) = self.client.poll_transmit() {
            // Lost datagrams are sent again.
            let _ = self.transport.send(&bytes);
        }
    }
}

impl GameplayWorld {
    /// Switches prediction of the player's actions on or off.
    ///
    /// # Errors
    /// If this is not a client.
    pub fn set_prediction(&mut self, prediction: Prediction) -> Result<(), GameplayError> {
        self.client()?.set_prediction(prediction);
        Ok(())
    }

    /// Leaves the server.
    ///
    /// # Errors
    /// If this is not a client.
    pub fn leave(&mut self) -> Result<(), GameplayError> {
        self.client()?.leave();
        Ok(())
    }

    /// The network client; an error if the game is local or a server, or the rules are not installed.
    pub(crate) fn client(&mut self) -> Result<&mut Client, GameplayError> {
        match self.client_side() {
            Some(side) => Ok(&mut side.client),
            None => Err(GameplayError::Client("this is not a client".to_owned())),
        }
    }

    /// Client and transport; `None` if the game is local or a server, or the rules are not installed.
    fn client_side(&mut self) -> Option<&mut ClientSide> {
        match &mut self.backend {
            Some(Backend::Client(side)) => Some(side),
            Some(Backend::Local(_) | Backend::Server(_)) | None => None,
        }
    }
}

/// Receives datagrams. A slow frame has several steps, and each simulates its own ticks, so that actions of
/// one step are visible in the next: the time of a step is earlier than the frame by the number of steps to
/// come.
fn receive(
    clock: Res<'_, bevy_time::Time<Real>>,
    steps: Res<'_, bevy_time::Time<Fixed>>,
    mut game: ResMut<'_, GameplayWorld>,
) {
    if let Some(side) = game.client_side() {
        let length = steps.timestep();
        let to_come = steps.overstep().as_nanos() / length.as_nanos().max(1);
        let earlier = length.saturating_mul(u32::try_from(to_come).unwrap_or(u32::MAX));
        side.receive(time_of(clock.elapsed().saturating_sub(earlier)));
    }
}

/// System that sends datagrams and updates the resource [`UgasClient`].
fn send(mut game: ResMut<'_, GameplayWorld>, mut status: ResMut<'_, UgasClient>) {
    if let Some(side) = game.client_side() {
        side.send();
        status.is_playing = side.client.is_playing();
        status.round_trip = side.client.round_trip();
        (status.tick, status.confirmed) = (side.client.current_tick(), side.client.confirmed_tick());
        status.statistics = side.client.statistics();
    }
}

/// Spawns and despawns entities as visibility changes, and emits the events of the session.
fn apply_events(world: &mut World) {
    let mut game = world.resource_mut::<GameplayWorld>();
    let Some(side) = game.client_side() else { return };
    let (events, connection) = (core::mem::take(&mut side.pending), side.ended);
    let state = side.reconnector.state().clone();
    let failure = match &state {
        ConnectionState::Failed(failure) => Some(failure.clone()),
        _ => None,
    };
    if world.resource::<ServerConnection>().0 != state {
        world.insert_resource(ServerConnection(state.clone()));
        emit(world, ServerConnectionChanged(state));
    }
    for event in events {
        match event {
            ClientEvent::NotResumed(_) => emit(world, SessionRestarted),
            ClientEvent::Appeared { controller, own } => appear(world, controller, own),
            ClientEvent::Vanished { controller } => {
                if let Some(side) = world.resource_mut::<GameplayWorld>().client_side() {
                    let mut ended = side.known.forget(controller, side.client.simulation());
                    side.game.append(&mut ended);
                }
                let entity = world.resource::<GameplayWorld>().entity(controller);
                if let Some(entity) = entity {
                    // The host may have despawned it already.
                    let _ = world.try_despawn(entity);
                }
            }
            ClientEvent::OwnershipChanged { controller, own } => {
                let entity = world.resource::<GameplayWorld>().entity(controller);
                let remote = entity.and_then(|entity| world.get_mut::<RemoteController>(entity));
                if let Some(mut remote) = remote {
                    remote.is_own = own;
                }
            }
            ClientEvent::Connected { .. } => emit(world, ServerJoined),
            ClientEvent::Refused(reason) => {
                let failure = failure.clone();
                emit(world, ServerLost { reason: None, refused: Some(reason), connection, failure });
            }
            ClientEvent::Disconnected(reason) => {
                let failure = failure.clone();
                emit(world, ServerLost { reason, refused: None, connection, failure });
            }
            ClientEvent::Rejected { rejection, .. } => emit(world, PredictionCorrected::Rejected(rejection)),
            ClientEvent::Corrected { tick } => emit(world, PredictionCorrected::Mispredicted(tick)),
            ClientEvent::Retracted(event) => emit(world, PredictionCorrected::Retracted(Box::new(event))),
            other => {
                let mut game = world.resource_mut::<GameplayWorld>();
                if let Some(side) = game.client_side()
                    && let Some(event) = side.known.game_event(other, side.client.simulation())
                {
                    side.game.push(event);
                }
            }
        }
    }
    world.flush();
}

/// Spawns the entity of a controller that came into view. Its components are filled before
/// [`RemoteController`] is inserted, so that observers of that can read them.
fn appear(world: &mut World, controller: ControllerId, is_own: bool) {
    let template = world.resource::<GameplayWorld>().simulation().and_then(|simulation| {
        let template = simulation.controller(controller)?.template()?;
        Some(simulation.catalog().template_name(template).to_owned())
    });
    let remote =
        world.resource_mut::<GameplayWorld>().client().ok().and_then(|client| client.remote(controller));
    let server_id = remote.map_or(0, |remote| remote.to_bits().get());
    let entity: Entity = world.spawn_empty().id();
    world.resource_mut::<GameplayWorld>().connect(entity, controller);
    world.entity_mut(entity).insert(GameplayController::linked(controller));
    // Filled before `RemoteController` is inserted, so that observers can read the components.
    show(world, entity);
    world.entity_mut(entity).insert(RemoteController { template, is_own, server_id });
}

/// Writes an event as a message and triggers observers of it.
fn emit<E: Message + Clone + for<'a> Event<Trigger<'a>: Default>>(world: &mut World, event: E) {
    world.write_message(event.clone());
    world.trigger(event);
}
