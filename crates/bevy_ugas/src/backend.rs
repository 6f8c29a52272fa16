//! What runs the game: a simulation of this process, a server's, or a client's window on a server's.

use ugas::{ControllerId, Event, Simulation, Span};

/// What runs the game.
pub(crate) enum Backend {
    /// A game without a network.
    Local(Box<Simulation>),
}

impl Backend {
    pub(crate) fn simulation(&self) -> &Simulation {
        match self {
            Self::Local(simulation) => simulation,
        }
    }

    /// The simulation, if it is the one that decides.
    pub(crate) fn authority(&mut self) -> Option<&mut Simulation> {
        match self {
            Self::Local(simulation) => Some(simulation),
        }
    }

    /// Lets time pass.
    pub(crate) fn step(&mut self, span: Span) {
        match self {
            Self::Local(simulation) => simulation.advance(span),
        }
    }

    /// Takes the controllers of which anything may have changed.
    pub(crate) fn take_touched(&mut self) -> Vec<ControllerId> {
        match self {
            Self::Local(simulation) => simulation.take_touched(),
        }
    }

    /// Takes what happened.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        match self {
            Self::Local(simulation) => simulation.events().collect(),
        }
    }
}
