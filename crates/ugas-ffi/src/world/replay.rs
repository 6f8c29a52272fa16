//! Players of recordings behind a simulation handle, and simulations that are being recorded.

use super::{SimulationEntry, World};
use crate::context::bad_handle;
use crate::player::Playback;
use crate::status::{Failure, Outcome, ugas_status};

impl SimulationEntry {
    pub(crate) fn playback(&self, number: u64) -> Outcome<&Playback> {
        match &self.world {
            World::Player(playback) => Ok(playback),
            _ => Err(bad_handle("player", number)),
        }
    }

    pub(crate) fn playback_mut(&mut self, number: u64) -> Outcome<&mut Playback> {
        match &mut self.world {
            World::Player(playback) => Ok(playback),
            _ => Err(bad_handle("player", number)),
        }
    }

    pub(super) fn check_unrecorded(&self) -> Outcome {
        match self.recording {
            None => Ok(()),
            Some(_) => Err(Failure::new(
                ugas_status::Recording,
                "not possible while a recording is in progress: finish it first",
            )),
        }
    }
}

pub(super) fn played() -> Failure {
    Failure::new(
        ugas_status::Recording,
        "a recording cannot be changed during playback: take a snapshot of it, and restore that in a simulation",
    )
}
