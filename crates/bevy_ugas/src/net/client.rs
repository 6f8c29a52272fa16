//! The client's side: it shows what the server tells, and predicts what its player does.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_ecs::prelude::{Component, Entity, Event, Message, Mut, Res, ResMut, Resource, World};
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::sync::Arc;
use bevy_reflect::Reflect;
use bevy_time::{Fixed, Real};
use ugas::{Catalog, Config, ControllerId, Span, Time};
use ugas_net::message::{ByeReason, RefusedReason, Rejection};
use ugas_net::{Client, ClientConfig, ClientEvent, ClientStatistics, Prediction, Tick, TickLength};
use ugas_transport::memory::MemoryPort;
use ugas_transport::{ClientSocket, ClientState, ClientTransport, ConnectToken};

use super::{convert, fixed_step, found_by, time_of};
use crate::backend::Backend;
use crate::controller::{GameplayController, show};
use crate::error::GameplayError;
use crate::plugin::GameplaySystems;
use crate::typed;
use crate::world::GameplayWorld;

/// Which server to connect to.
pub enum ClientEndpoint {
    /// By UDP, with the token that the server issued for this player.
    Udp(Box<ConnectToken>),
    /// In this process, as this peer.
    Memory(MemoryPort, u64),
    /// By a transport of the game's own.
    Custom(Box<dyn ClientTransport + Send + Sync>),
}

/// Makes the game a window on a server's. Add it beside [`UgasPlugins`](crate::UgasPlugins), before anybody is spawned. Both sides
/// must have the same rules. It sets Bevy's fixed step to the length of a tick.
///
/// Entities come with a [`RemoteController`] and a [`GameplayController`] when a controller comes into view, and go when it leaves;
/// observe `On<Add, RemoteController>` to give them bodies.
pub struct UgasClientPlugin {
    config: ClientConfig,
    length: TickLength,
    endpoint: Mutex<Option<ClientEndpoint>>,
    nonce: u64,
}

impl UgasClientPlugin {
    /// A client for this endpoint. The nonce tells its sessions apart: draw it.
    pub fn new(endpoint: ClientEndpoint, nonce: u64) -> Self {
        let (config, length) = (ClientConfig::default(), TickLength::default());
        Self { config, length, endpoint: Mutex::new(Some(endpoint)), nonce }
    }

    /// With another credential, window and so on.
    #[must_use]
    pub fn with_config(mut self, config: ClientConfig) -> Self {
        self.config = config;
        self
    }

    /// With ticks of another length: the server's.
    #[must_use]
    pub fn with_tick(mut self, length: TickLength) -> Self {
        self.length = length;
        self
    }
}

/// An entity whose controller is a server's.
#[derive(Component, Reflect, Clone, PartialEq, Eq, Debug)]
#[reflect(Component, from_reflect = false)]
pub struct RemoteController {
    /// The name of its template, if the server shows it.
    pub template: Option<String>,
    /// Whether it is the player's own.
    pub is_own: bool,
    /// The server's handle of it, there [`GameplayController::id`], as bits: what both sides can talk about. A game that
    /// replicates entities in another way finds the two halves of one by it.
    pub server_id: u64,
}

/// The server let the client in. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ServerJoined;

/// There is no server any more, or it did not let the client in. For observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct ServerLost {
    /// Why the session is over; `None` if nobody said, or it never began.
    pub reason: Option<ByeReason>,
    /// Why it never began.
    pub refused: Option<RefusedReason>,
    /// What became of the connection below, if that is what ended it: no server answered, say.
    pub connection: Option<ClientState>,
}

impl ServerLost {
    /// Why, in words.
    pub fn describe(&self) -> String {
        match (&self.refused, &self.reason, self.connection) {
            (Some(refused), ..) => refused.to_string(),
            (None, Some(reason), _) => reason.to_string(),
            (None, None, Some(ClientState::Refused(refusal))) => refusal.to_string(),
            (None, None, Some(ClientState::Disconnected(ending))) => ending.to_string(),
            (None, None, Some(ClientState::Connecting | ClientState::Connected) | None) => {
                "the client left".to_owned()
            }
        }
    }
}

/// What was predicted was not what happened: a command was rejected, or a tick of one's own controllers was mispredicted. For
/// observers, and as a message.
#[derive(Event, Message, Clone, Debug)]
pub enum PredictionCorrected {
    /// The server did not carry out a command.
    Rejected(Rejection),
    /// A tick of one's own controllers was another.
    Mispredicted(Tick),
    /// Something that was told did not happen after all.
    Retracted(Box<ugas::Event>),
}

/// What can be asked of a client, while it runs.
#[derive(Resource, Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct UgasClient {
    /// Whether it is in.
    pub is_playing: bool,
    /// How long a datagram takes to the server and back.
    pub round_trip: Span,
    /// The tick that is shown.
    pub tick: Tick,
    /// The newest tick of the server's that it is built upon: what a game moves ahead by itself, it moves ahead from there.
    pub confirmed: Option<Tick>,
    /// What was counted so far.
    pub statistics: ClientStatistics,
}

/// What the client's side of a game is made of.
pub(crate) struct ClientSide {
    pub(crate) client: Client,
    transport: Box<dyn ClientTransport + Send + Sync>,
    now: Time,
    /// What is shown, so that components are compared only when it may be another.
    shown: Option<(Tick, Option<Tick>)>,
    pub(crate) game: Vec<ugas::Event>,
    news: Vec<ClientEvent>,
    known: convert::Known,
    /// What became of the connection, once it is over.
    ended: Option<ClientState>,
    /// Whether the game was told that there is no server any more.
    is_lost: bool,
}

impl Plugin for UgasClientPlugin {
    fn build(&self, app: &mut App) {
        let mut endpoint = self.endpoint.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (config, nonce) = (self.config.clone(), self.nonce);
        let found = move |catalog: Arc<Catalog>, _: &Config| {
            let endpoint = endpoint.take().ok_or(GameplayError::RulesInUse)?;
            let side = ClientSide::new(catalog, config.clone(), nonce, endpoint)?;
            Ok(Backend::Client(Box::new(side)))
        };
        app.init_resource::<GameplayWorld>().init_resource::<UgasClient>();
        found_by(app, Box::new(found));
        app.insert_resource(fixed_step(self.length))
            .register_type::<RemoteController>()
            .add_message::<ServerJoined>()
            .add_message::<ServerLost>()
            .add_message::<PredictionCorrected>()
            .add_systems(
                FixedUpdate,
                (
                    receive.in_set(GameplaySystems::Input),
                    (send, follow_view)
                        .chain()
                        .after(GameplaySystems::Simulate)
                        .before(GameplaySystems::Apply),
                ),
            );
    }
}

impl ClientSide {
    fn new(
        catalog: Arc<Catalog>,
        config: ClientConfig,
        nonce: u64,
        endpoint: ClientEndpoint,
    ) -> Result<Self, GameplayError> {
        let transport: Box<dyn ClientTransport + Send + Sync> = match endpoint {
            ClientEndpoint::Memory(port, peer) => Box::new(port.connect(peer, &[])),
            ClientEndpoint::Custom(transport) => transport,
            ClientEndpoint::Udp(token) => {
                let socket = ClientSocket::connect(*token);
                Box::new(socket.map_err(|error| GameplayError::Socket(error.to_string()))?)
            }
        };
        let client = Client::new(catalog, config, nonce);
        let (game, news, known, ended) = Default::default();
        let (now, shown, is_lost) = (Time::ZERO, None, false);
        Ok(Self { client, transport, now, shown, game, news, known, ended, is_lost })
    }

    /// Plays the ticks that are due by the clock on the wall: frames may be slow, and then fixed steps are left out, but the
    /// server goes on.
    pub(crate) fn step(&mut self) {
        match self.transport.state() {
            // What the client asks for now would only be kept.
            ClientState::Connecting => return,
            ClientState::Connected => {}
            over @ (ClientState::Refused(_) | ClientState::Disconnected(_)) => {
                if self.ended.replace(over).is_none() {
                    // Nobody listens any more; it would find out only when nothing is heard for long.
                    self.client.leave();
                }
            }
        }
        self.client.update(self.now);
        while let Some(event) = self.client.poll_event() {
            self.news.push(event);
        }
    }

    /// Everything in view, if it may be another than it was: a client compares all of it in any case.
    pub(crate) fn take_touched(&mut self) -> Vec<ControllerId> {
        let shown = Some((self.client.current_tick(), self.client.confirmed_tick()));
        if core::mem::replace(&mut self.shown, shown) == shown {
            return Vec::new();
        }
        self.client.simulation().controllers().map(|(controller, _)| controller).collect()
    }

    fn receive(&mut self, now: Time) {
        self.now = now;
        if let Err(error) = self.transport.poll(Instant::now()) {
            tracing::warn!("the client's socket: {error}");
        }
        while let Some(bytes) = self.transport.next_datagram() {
            self.client.handle(self.now, bytes);
        }
    }

    fn send(&mut self) {
        if self.transport.state() != ClientState::Connected {
            return;
        }
        while let Some(bytes) = self.client.poll_transmit() {
            // What is lost is sent again.
            let _ = self.transport.send(&bytes);
        }
    }
}

impl GameplayWorld {
    /// Shows at once what the player does, or waits for the server.
    ///
    /// # Errors
    /// If this is no client.
    pub fn set_prediction(&mut self, prediction: Prediction) -> Result<(), GameplayError> {
        self.client()?.set_prediction(prediction);
        Ok(())
    }

    /// Leaves the server.
    ///
    /// # Errors
    /// If this is no client.
    pub fn leave(&mut self) -> Result<(), GameplayError> {
        self.client()?.leave();
        Ok(())
    }

    pub(crate) fn client(&mut self) -> Result<&mut Client, GameplayError> {
        match self.client_side() {
            Some(side) => Ok(&mut side.client),
            None => Err(GameplayError::Client("this is no client".to_owned())),
        }
    }

    fn client_side(&mut self) -> Option<&mut ClientSide> {
        match &mut self.backend {
            Some(Backend::Client(side)) => Some(side),
            Some(Backend::Local(_) | Backend::Server(_)) | None => None,
        }
    }
}

/// A slow frame has several steps. Each plays its own ticks, so that what was done in one step shows in the next: it is as much
/// earlier than the frame as there are steps to come.
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

fn send(mut game: ResMut<'_, GameplayWorld>, mut about: ResMut<'_, UgasClient>) {
    if let Some(side) = game.client_side() {
        side.send();
        about.is_playing = side.client.is_playing();
        about.round_trip = side.client.round_trip();
        (about.tick, about.confirmed) = (side.client.current_tick(), side.client.confirmed_tick());
        about.statistics = side.client.statistics();
    }
}

/// Lets entities come and go with what is in view, and sorts out what happened.
fn follow_view(world: &mut World) {
    let mut game = world.resource_mut::<GameplayWorld>();
    let Some(side) = game.client_side() else { return };
    let (news, connection) = (core::mem::take(&mut side.news), side.ended);
    let is_over =
        |event: &ClientEvent| matches!(event, ClientEvent::Refused(_) | ClientEvent::Disconnected(_));
    let is_told = news.iter().any(is_over);
    let never_began = connection.is_some() && !side.is_lost && !is_told;
    side.is_lost |= is_told || never_began;
    if never_began {
        raise(world, ServerLost { reason: None, refused: None, connection });
    }
    for event in news {
        match event {
            ClientEvent::Appeared { controller, own } => appear(world, controller, own),
            ClientEvent::Vanished { controller } => {
                if let Some(side) = world.resource_mut::<GameplayWorld>().client_side() {
                    side.known.forget(controller);
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
            ClientEvent::Connected { .. } => raise(world, ServerJoined),
            ClientEvent::Refused(reason) => {
                raise(world, ServerLost { reason: None, refused: Some(reason), connection });
            }
            ClientEvent::Disconnected(reason) => {
                raise(world, ServerLost { reason, refused: None, connection })
            }
            ClientEvent::Rejected { rejection, .. } => raise(world, PredictionCorrected::Rejected(rejection)),
            ClientEvent::Corrected { tick } => raise(world, PredictionCorrected::Mispredicted(tick)),
            ClientEvent::Retracted(event) => raise(world, PredictionCorrected::Retracted(Box::new(event))),
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

fn appear(world: &mut World, controller: ControllerId, is_own: bool) {
    let template = world.resource::<GameplayWorld>().simulation().and_then(|simulation| {
        let template = simulation.controller(controller)?.template()?;
        Some(simulation.catalog().template_name(template).to_owned())
    });
    let remote =
        world.resource_mut::<GameplayWorld>().client().ok().and_then(|client| client.remote(controller));
    let server_id = remote.map_or(0, |remote| remote.to_bits().get());
    let entity: Entity = world.spawn_empty().id();
    world.resource_scope(|_, mut game: Mut<'_, GameplayWorld>| game.link(entity, controller));
    world.entity_mut(entity).insert(GameplayController::linked(controller));
    // Filled before anybody is told, so that observers can read what came.
    show(&mut DeferredWorld::from(&mut *world), entity, controller);
    typed::follow(world, entity);
    world.entity_mut(entity).insert(RemoteController { template, is_own, server_id });
}

fn raise<E: Message + Clone + for<'a> Event<Trigger<'a>: Default>>(world: &mut World, event: E) {
    world.write_message(event.clone());
    world.trigger(event);
}
