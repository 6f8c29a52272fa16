//! Backends of the game: a local simulation, a server, or a client's replica of a server's game.

use ugas::{ControllerId, Event, Simulation, Span};

#[cfg(feature = "net")]
use crate::net::{ClientSide, ServerSide};

/// Backend of the game.
pub(crate) enum Backend {
    /// A simulation without a network.
    Local(Box<Simulation>),
    /// A server: the authority for remote clients.
    #[cfg(feature = "net")]
    Server(Box<ServerSide>),
    /// A client: a replica of a server's game with prediction.
    #[cfg(feature = "net")]
    Client(Box<ClientSide>),
}

impl Backend {
    /// The simulation to read: that of the server where this is a server, the shown one where this is a
    /// client.
    pub(crate) fn simulation(&self) -> &Simulation {
        match self {
            Self::Local(simulation) => simulation,
            #[cfg(feature = "net")]
            Self::Server(side) => side.server.simulation(),
            #[cfg(feature = "net")]
            Self::Client(side) => side.client.simulation(),
        }
    }

    /// The simulation to change; `None` on a client, whose state comes from the server.
    pub(crate) fn authority(&mut self) -> Option<&mut Simulation> {
        match self {
            Self::Local(simulation) => Some(simulation),
            #[cfg(feature = "net")]
            Self::Server(side) => Some(side.server.simulation_mut()),
            #[cfg(feature = "net")]
            Self::Client(_) => None,
        }
    }

    /// Advances the game by one fixed step. A server runs one tick instead of `span`, a client the ticks that
    /// are due by the clock.
    pub(crate) fn step(&mut self, span: Span) {
        match self {
            Self::Local(simulation) => simulation.advance(span),
            #[cfg(feature = "net")]
            Self::Server(side) => side.step(),
            #[cfg(feature = "net")]
            Self::Client(side) => side.step(),
        }
    }

    /// Takes the controllers that may have changed.
    pub(crate) fn take_touched(&mut self) -> Vec<ControllerId> {
        match self {
            Self::Local(simulation) => simulation.take_touched(),
            #[cfg(feature = "net")]
            Self::Server(side) => side.server.take_touched(),
            #[cfg(feature = "net")]
            Self::Client(side) => side.take_touched(),
        }
    }

    /// Takes the events since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        match self {
            Self::Local(simulation) => simulation.events().collect(),
            #[cfg(feature = "net")]
            Self::Server(side) => core::mem::take(&mut side.game),
            #[cfg(feature = "net")]
            Self::Client(side) => core::mem::take(&mut side.game),
        }
    }
}
