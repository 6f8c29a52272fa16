//! The game over a network: a server decides, clients show and predict (§13).
//!
//! The same [`Gameplay`](crate::Gameplay), components and events serve both sides. A server's game is decided in its `FixedUpdate`,
//! one tick a step; a client's [`GameplayController`](crate::GameplayController)s come and go as the server shows them, and what
//! its player does is predicted at once. Movement and everything else that is no rule of the game goes its own way, by
//! `bevy_replicon` or whatever the game uses.
//!
//! Rules cannot be reloaded while a network is connected: both sides must have the same.

mod client;
mod convert;
mod server;

pub(crate) use client::ClientSide;
pub use client::{
    ClientEndpoint, PredictionCorrected, RemoteController, ServerJoined, ServerLost, UgasClient,
    UgasClientPlugin,
};
pub(crate) use server::ServerSide;
pub use server::{
    ClientJoined, ClientLeft, CommandRejected, Relevance, ServerEndpoint, UgasServer, UgasServerPlugin,
};
/// The network without sockets: configurations, lenses, identities.
pub use ugas_net as protocol;
/// Sockets, tokens and keys.
pub use ugas_transport as transport;

use bevy_app::App;
use bevy_time::{Fixed, Time};
use core::time::Duration;
use ugas_net::{ActError, Tick, TickLength};

use crate::error::GameplayError;
use crate::world::{Founder, GameplayWorld};

impl From<ActError> for GameplayError {
    fn from(error: ActError) -> Self {
        match error {
            ActError::Refused(refusal) => Self::Activation(refusal),
            other => Self::Client(other.to_string()),
        }
    }
}

/// Lets a network run the game: from the moment that there are rules, or at once if there are some already.
fn found_by(app: &mut App, founder: Founder) {
    let mut game = app.world_mut().resource_mut::<GameplayWorld>();
    if let Err(error) = game.found_by(founder) {
        tracing::error!("the game stays without a network: {error}");
    }
}

/// The fixed step of both sides is a tick.
fn fixed_step(length: TickLength) -> Time<Fixed> {
    // The rate to a nanosecond: twelve ticks of 60 Hz are 0.2 s, and not eight microseconds less.
    let second = length.end_of(Tick(1_000_000)).micros();
    Time::<Fixed>::from_duration(Duration::from_nanos(second / 1_000))
}

/// What a clock on the wall says, as both sides want it.
fn time_of(elapsed: Duration) -> ugas::Time {
    ugas::Time::from_micros(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX))
}
