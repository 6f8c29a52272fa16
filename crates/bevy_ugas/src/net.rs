//! Networking: a server is authoritative, clients display and predict (§13).
//!
//! Both sides use the same [`Gameplay`](crate::Gameplay), components and events. A server runs one tick per
//! step of its schedule, `FixedUpdate` by default; a client's
//! [`GameplayController`](crate::GameplayController)s are spawned and despawned as the server shows them, and
//! its player's actions are predicted at once. Movement and everything else outside the rules is replicated
//! separately, by `bevy_replicon` or whatever the game uses.
//!
//! Rules cannot be reloaded while a network is connected: both sides must have equal rules.

mod client;
mod convert;
mod server;

pub(crate) use client::ClientSide;
pub use client::{
    ClientEndpoint, PredictionCorrected, RemoteController, ServerConnection, ServerConnectionChanged,
    ServerJoined, ServerLost, SessionRestarted, UgasClient, UgasClientPlugin,
};
pub(crate) use server::ServerSide;
pub use server::{
    ClientInterrupted, ClientJoined, ClientLeft, ClientResumed, CommandRejected, GameHost, ServerEndpoint,
    UgasServer, UgasServerPlugin, Viewer, entity_of_controller,
};
/// The network protocol without sockets: configurations, visibility, identities.
pub use ugas_net as protocol;
/// Sockets, tokens and keys.
pub use ugas_transport as transport;

use bevy_app::App;
use bevy_time::{Fixed, Time};
use core::time::Duration;
use ugas_net::{ActError, Tick, TickLength};

use crate::error::GameplayError;
use crate::rules::{RulesFailed, fail};
use crate::world::{BackendFactory, GameplayWorld};

impl From<ActError> for GameplayError {
    fn from(error: ActError) -> Self {
        match error {
            ActError::Refused(refusal) => Self::Activation(refusal),
            other => Self::Client(other.to_string()),
        }
    }
}

/// Sets the factory of the network backend. It is called at once if rules are installed, and otherwise when
/// they are. A failure is logged.
fn set_backend_factory(app: &mut App, factory: BackendFactory) {
    app.add_message::<RulesFailed>();
    let mut game = app.world_mut().resource_mut::<GameplayWorld>();
    if let Err(error) = game.set_backend_factory(factory) {
        fail(app.world_mut(), format!("the network could not start: {error}"));
    }
}

/// Fixed step of both sides: the length of a tick.
fn fixed_step(length: TickLength) -> Time<Fixed> {
    // Nanosecond precision: twelve ticks of 60 Hz are 0.2 s, not eight microseconds less.
    let second = length.end_of(Tick(1_000_000)).micros();
    Time::<Fixed>::from_duration(Duration::from_nanos(second / 1_000))
}

/// Wall-clock time in the form of the protocol.
fn time_of(elapsed: Duration) -> ugas::Time {
    ugas::Time::from_micros(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX))
}
