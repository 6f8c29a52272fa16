//! The plugin of the game, without rendering.

use std::path::PathBuf;

use bevy_app::{App, FixedUpdate, Plugin, Startup};
use bevy_ecs::prelude::SystemSet;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ugas::prelude::*;

use crate::fighter::{respawn, spawn_minions};
use crate::link::{LinkSettings, Role, Status};
use crate::pad::Refused;
use crate::tally::{Dice, Tally, count};
use crate::{bot, field, minion_ai, pad, shot};

/// The game. Add `UgasPlugins` with the pack before it.
#[derive(Clone, Debug, Default)]
pub struct ArenaPlugin {
    /// Seed of the host's dice.
    pub seed: u64,
    /// Whether this process is the authority or a client.
    pub role: Role,
}

impl Plugin for ArenaPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(Dice::seeded(self.seed)).init_resource::<Tally>().add_message::<Refused>();
        app.insert_resource(self.role).init_resource::<LinkSettings>();
        app.insert_resource(Status { mode: "Single player".to_owned(), ..Status::default() });
        app.on_host_task("SpawnProjectile", shot::throw);
        app.configure_sets(
            FixedUpdate,
            ArenaSystems::Move.after(GameplaySystems::Act).before(GameplaySystems::Simulate),
        );
        app.add_systems(
            FixedUpdate,
            (
                (pad::watch_targeting, bot::play, pad::act).chain().in_set(GameplaySystems::Act),
                (pad::follow_inputs, shot::fly).chain().in_set(ArenaSystems::Move),
                count.after(GameplaySystems::Cues),
            )
                .run_if(in_play),
        );
        if self.role == Role::Authority {
            app.on_tag("State.Dead", respawn).add_systems(Startup, spawn_minions);
            app.add_systems(
                FixedUpdate,
                (
                    minion_ai::think.after(pad::act).in_set(GameplaySystems::Act),
                    (field::walk, field::keep_apart, field::place)
                        .chain()
                        .after(pad::follow_inputs)
                        .before(shot::fly)
                        .in_set(ArenaSystems::Move),
                )
                    .run_if(in_play),
            );
        }
    }
}

/// System set for bodies and shots: after players and minions have acted, before the simulation advances.
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArenaSystems {
    /// Bodies and shots.
    Move,
}

/// Folder of the rules: `packs/arena` of this repository, unless `ARENA_PACK` names another folder.
pub fn pack_folder() -> PathBuf {
    match std::env::var_os("ARENA_PACK") {
        Some(folder) => folder.into(),
        None => [env!("CARGO_MANIFEST_DIR"), "..", "..", "packs", "arena"].iter().collect(),
    }
}
