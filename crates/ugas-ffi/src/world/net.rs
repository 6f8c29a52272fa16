//! Servers and clients behind a simulation handle.

use ugas_net::{Client, Server};

use super::{SimulationEntry, World};
use crate::context::bad_handle;
use crate::memory::ugas_str;
use crate::server::GameHost;
use crate::status::{Failure, Outcome, ugas_status};

impl SimulationEntry {
    pub(crate) fn server(&self, number: u64) -> Outcome<&Server<GameHost>> {
        match &self.world {
            World::Server(server) => Ok(server),
            _ => Err(bad_handle("server", number)),
        }
    }

    pub(crate) fn server_mut(&mut self, number: u64) -> Outcome<&mut Server<GameHost>> {
        match &mut self.world {
            World::Server(server) => Ok(server),
            _ => Err(bad_handle("server", number)),
        }
    }

    pub(crate) fn client(&self, number: u64) -> Outcome<&Client> {
        match &self.world {
            World::Client(client) => Ok(client),
            _ => Err(bad_handle("client", number)),
        }
    }

    pub(crate) fn client_mut(&mut self, number: u64) -> Outcome<&mut Client> {
        match &mut self.world {
            World::Client(client) => Ok(client),
            _ => Err(bad_handle("client", number)),
        }
    }

    /// Stores a message until the next poll.
    pub(crate) fn lend_message(&mut self, message: String) -> ugas_str {
        self.lent.text(&message)
    }
}

pub(super) fn networked() -> Failure {
    Failure::new(
        ugas_status::Networked,
        "not possible with networking: a server advances in ugas_server_tick, and only the server changes a client's game; send it requests with ugas_client_activate and similar functions",
    )
}
