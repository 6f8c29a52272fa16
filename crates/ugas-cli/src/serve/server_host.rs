//! [`ugas_net::Host`] of a server: admits and bans players, and records commands.

use ugas_core::command::Command;
use ugas_core::simulation::Simulation;
use ugas_net::message::ClientId;
use ugas_net::{Host, KickReason, PeerId};

use super::admission::PlayerAdmission;
use super::recording::ServerRecording;

/// The host of a server.
pub(super) struct ServerHost {
    pub(super) admission: PlayerAdmission,
    /// The recording, if there is one.
    pub(super) recording: Option<ServerRecording>,
}

impl Host for ServerHost {
    fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        self.admission.admit(peer, credential)
    }

    fn readmit(&mut self, peer: PeerId, former: PeerId, _: ClientId) -> Result<(), String> {
        if peer != former {
            return Err("the session belongs to another player".to_owned());
        }
        self.admission.readmit(peer)
    }

    fn kicked(&mut self, peer: PeerId, _: ClientId, reason: &KickReason) {
        if matches!(reason, KickReason::Forged { .. } | KickReason::ForgedAcknowledgement) {
            self.admission.ban(peer);
        }
    }

    fn before_command(&mut self, command: &Command) {
        if let Some(recording) = &mut self.recording {
            recording.before(command);
        }
    }

    fn after_command(&mut self, simulation: &Simulation) {
        if let Some(recording) = &mut self.recording {
            recording.after(simulation);
        }
    }
}
