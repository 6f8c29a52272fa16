//! What runs the game: a simulation of this process, a server's, or a client's window on a server's.

use ugas::{ControllerId, Event, Simulation, Span};

#[cfg(feature = "net")]
use crate::net::{ClientSide, ServerSide};

/// What runs the game.
pub(crate) enum Backend {
    /// A game without a network.
    Local(Box<Simulation>),
    /// A game that is decided here, for clients elsewhere.
    #[cfg(feature = "net")]
    Server(Box<ServerSide>),
    /// What a server shows of its game, and what is predicted upon it.
    #[cfg(feature = "net")]
    Client(Box<ClientSide>),
}

impl Backend {
    pub(crate) fn simulation(&self) -> &Simulation {
        match self {
            Self::Local(simulation) => simulation,
            #[cfg(feature = "net")]
            Self::Server(side) => side.server.simulation(),
            #[cfg(feature = "net")]
            Self::Client(side) => side.client.simulation(),
        }
    }

    /// The simulation, if it is the one that decides.
    pub(crate) fn authority(&mut self) -> Option<&mut Simulation> {
        match self {
            Self::Local(simulation) => Some(simulation),
            #[cfg(feature = "net")]
            Self::Server(side) => Some(side.server.simulation_mut()),
            #[cfg(feature = "net")]
            Self::Client(_) => None,
        }
    }

    /// Lets time pass.
    pub(crate) fn step(&mut self, span: Span) {
        match self {
            Self::Local(simulation) => simulation.advance(span),
            #[cfg(feature = "net")]
            Self::Server(side) => side.step(),
            #[cfg(feature = "net")]
            Self::Client(side) => side.step(),
        }
    }

    /// Takes the controllers of which anything may have changed.
    pub(crate) fn take_touched(&mut self) -> Vec<ControllerId> {
        match self {
            Self::Local(simulation) => simulation.take_touched(),
            #[cfg(feature = "net")]
            Self::Server(side) => side.server.take_touched(),
            #[cfg(feature = "net")]
            Self::Client(side) => side.take_touched(),
        }
    }

    /// Takes what happened.
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
