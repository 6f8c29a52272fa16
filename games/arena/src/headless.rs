//! Matches without rendering, as fast as possible: the same seed gives the same match.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::data::{LoadError, Pack};
use bevy_ugas::rules::{RulesExtensions, load_pack};
use bevy_ugas::{GameplayWorld, UgasPlugins};
use ugas::Config;
use ugas::core::hash::StateHasher;

use crate::bot::Bot;
use crate::field::Body;
use crate::fighter::spawn_champion;
use crate::game::{ArenaPlugin, pack_folder};
use crate::link::Role;
use crate::tally::Tally;

/// Steps in a second: Bevy's default.
pub const STEPS_PER_SECOND: f64 = 64.0;

/// Result of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// Length in seconds of game time.
    pub seconds: f64,
    /// Counters.
    pub tally: Tally,
    /// Hash of the final state of the rules and all bodies.
    pub hash: u64,
}

/// Loads the rules.
///
/// # Errors
/// All diagnostics of the pack.
pub fn rules() -> Result<Arc<Pack>, LoadError> {
    load_pack(pack_folder(), &RulesExtensions::default())
}

/// An app with the game, one step per update, and a number of champions played by bots.
pub fn match_of_bots(pack: Arc<Pack>, seed: u64, bots: usize) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin));
    begin(app, UgasPlugins::from_pack(pack), seed, bots)
}

/// [`match_of_bots`] with the files of a folder: saving a file hot-reloads the rules, as in a window.
pub fn match_by_files(folder: &Path, seed: u64, bots: usize) -> App {
    let assets = AssetPlugin {
        file_path: folder.to_string_lossy().into_owned(),
        watch_for_changes_override: Some(true),
        ..AssetPlugin::default()
    };
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, assets));
    begin(app, UgasPlugins::from_asset("pack.yaml"), seed, bots)
}

fn begin(mut app: App, rules: UgasPlugins, seed: u64, bots: usize) -> App {
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(rules.with_config(Config::seeded(seed)))
        .add_plugins(ArenaPlugin { seed, role: Role::Authority });
    for number in 0..bots {
        let champion = spawn_champion(&mut app.world_mut().commands(), number);
        app.world_mut().flush();
        app.world_mut().entity_mut(champion).insert(Bot::default());
    }
    // The first update measures time and runs no step.
    app.update();
    app
}

/// Plays for some seconds of game time.
pub fn play(app: &mut App, seconds: f64) -> Outcome {
    let steps = (seconds * STEPS_PER_SECOND).round().clamp(0.0, 1e9) as u64;
    for _ in 0..steps {
        app.update();
    }
    outcome(app, steps as f64 / STEPS_PER_SECOND)
}

/// Result of a match of this length.
pub fn outcome(app: &mut App, seconds: f64) -> Outcome {
    Outcome { seconds, tally: app.world().resource::<Tally>().clone(), hash: hash(app) }
}

/// Hash of the state of the rules and all bodies.
pub fn hash(app: &mut App) -> u64 {
    let mut bodies: Vec<_> = app
        .world_mut()
        .query::<(bevy_ecs::prelude::Entity, &Body)>()
        .iter(app.world())
        .map(|(entity, body)| (entity, *body))
        .collect();
    bodies.sort_by_key(|(entity, _)| *entity);
    let mut hasher = StateHasher::new();
    let game = app.world().resource::<GameplayWorld>();
    hasher.bytes(&game.simulation().map_or(0, ugas::Simulation::state_hash).to_le_bytes());
    for (_, body) in bodies {
        for number in [body.position.x, body.position.y, body.facing.x, body.facing.y] {
            hasher.bytes(&number.to_bits().to_le_bytes());
        }
    }
    hasher.finish()
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, tally, hash } = self;
        writeln!(f, "{seconds:.0} s played")?;
        writeln!(f, "minions down   {}", tally.minions_down)?;
        writeln!(f, "champions down {}", tally.champions_down)?;
        writeln!(f, "damage dealt   {:.0}", tally.dealt)?;
        writeln!(f, "damage taken   {:.0}", tally.taken)?;
        writeln!(f, "refused        {}", tally.refused)?;
        for (ability, times) in &tally.used {
            writeln!(f, "  {ability:<14} {times}")?;
        }
        write!(f, "state hash     {hash:016x}")
    }
}
