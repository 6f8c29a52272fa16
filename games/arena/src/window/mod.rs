//! Rendering and local input; no game logic.

mod colour;
mod effects;
mod floating;
mod hud;
mod overlay;
mod panel;
mod player;
mod puppet;
mod screenshot;
mod stage;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bevy::window::WindowResolution;
use bevy_ugas::UgasPlugins;
use bevy_ugas::net::{ClientEndpoint, UgasClientPlugin};
use bevy_ugas::transform::UgasTransformPlugin;
use ugas::Config;

use crate::game::{ArenaPlugin, pack_folder};
use crate::headless::rules;
use crate::link::{LinkSettings, Role};
use crate::network::{GuestPlugin, SimulatedLink, connect, serve};

/// Design size; larger windows scale up.
pub(crate) const WIDTH: f32 = 1280.0;
/// Design size; larger windows scale up.
pub(crate) const HEIGHT: f32 = 720.0;

/// Height of the panels below the field.
pub(crate) const PANELS: f32 = 132.0;

/// Mode of play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GameMode {
    /// Single player against minions.
    #[default]
    SinglePlayer,
    /// Host a match at this address.
    Host(SocketAddr),
    /// Join the match at this address.
    Guest(SocketAddr),
}

/// Options of the window.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seconds after which the window closes.
    pub seconds: Option<f64>,
    /// Whether a bot plays.
    pub bot: bool,
    /// Seed of all random numbers.
    pub seed: u64,
    /// File for a screenshot.
    pub screenshot: Option<PathBuf>,
    /// Mode of play.
    pub mode: GameMode,
    /// Simulated link conditions.
    pub link: LinkSettings,
}

/// Opens the window and plays until it is closed.
///
/// # Errors
/// If the rules of a multiplayer game cannot be loaded, or the network fails.
pub fn run(options: Options) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let window = Window {
        title: "UGAS arena".to_owned(),
        resolution: WindowResolution::new(WIDTH as u32, HEIGHT as u32),
        ..default()
    };
    let folder = pack_folder();
    let folder = folder.canonicalize().unwrap_or(folder);
    // The rules are the only assets. Saving a file of the pack changes the game that runs.
    let assets = AssetPlugin {
        file_path: folder.to_string_lossy().into_owned(),
        watch_for_changes_override: Some(true),
        ..default()
    };
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }).set(assets),
    );
    // Dropped when the window is closed, which ends the server.
    let _serving = match options.mode {
        GameMode::SinglePlayer => {
            add_rules(&mut app, UgasPlugins::from_asset("pack.yaml"), &options, Role::Authority);
            None
        }
        GameMode::Host(address) => {
            let serving = serve(rules()?, address, options.seed)?;
            join(&mut app, serving.address, &options)?;
            Some(serving)
        }
        GameMode::Guest(address) => {
            join(&mut app, address, &options)?;
            None
        }
    };
    app.insert_resource(options.link);
    app.add_plugins((
        stage::plugin,
        puppet::plugin,
        player::plugin(options.bot),
        effects::plugin,
        floating::plugin,
        hud::plugin,
        panel::plugin,
        overlay::plugin,
        screenshot::plugin(options.seconds, options.screenshot),
    ));
    Ok(match app.run() {
        AppExit::Success => ExitCode::SUCCESS,
        AppExit::Error(code) => ExitCode::from(code.get()),
    })
}

fn add_rules(app: &mut App, rules: UgasPlugins, options: &Options, role: Role) {
    // Positions come from bodies; transforms only follow them.
    let rules = rules.with_config(Config::seeded(options.seed)).build().disable::<UgasTransformPlugin>();
    app.add_plugins(rules).add_plugins(ArenaPlugin { seed: options.seed, role });
}

fn join(app: &mut App, server: SocketAddr, options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let pack = rules()?;
    // Distinguishes sessions, also on one machine.
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let nonce = (clock.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48);
    let link = Arc::new(Mutex::new(options.link));
    let connection = SimulatedLink::new(connect(&pack, server, nonce)?, link.clone(), nonce);
    app.add_plugins(UgasClientPlugin::new(ClientEndpoint::Custom(Box::new(connection)), nonce));
    add_rules(app, UgasPlugins::from_pack(pack), options, Role::Client);
    app.add_plugins(GuestPlugin { link });
    Ok(())
}
