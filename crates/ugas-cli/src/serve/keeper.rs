//! What the network layer asks of a server, and what it tells it: who is let in goes to the door, what happens to the tape.

use ugas_core::command::Command;
use ugas_core::simulation::Simulation;
use ugas_net::{Host, PeerId};

use super::door::Door;
use super::tape::Tape;

/// The host of a server.
pub(super) struct Keeper {
    pub(super) door: Door,
    /// The recording, if one is kept.
    pub(super) tape: Option<Tape>,
}

impl Host for Keeper {
    fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        self.door.admit(peer, credential)
    }

    fn before_command(&mut self, command: &Command) {
        if let Some(tape) = &mut self.tape {
            tape.before(command);
        }
    }

    fn after_command(&mut self, simulation: &Simulation) {
        if let Some(tape) = &mut self.tape {
            tape.after(simulation);
        }
    }
}
