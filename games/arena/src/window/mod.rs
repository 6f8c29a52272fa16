//! The picture, and the player in front of it. Nothing here decides anything.

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
use crate::network::{BadWay, GuestPlugin, connect, serve};
use crate::way::{Role, Way};

/// The size that everything is made for; larger windows show it larger.
pub(crate) const WIDTH: f32 = 1280.0;
/// The size that everything is made for; larger windows show it larger.
pub(crate) const HEIGHT: f32 = 720.0;

/// How high the panels below the field are.
pub(crate) const PANELS: f32 = 132.0;

/// With whom to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Company {
    /// Alone against minions.
    #[default]
    Nobody,
    /// Whoever joins here.
    Host(SocketAddr),
    /// Whoever is there.
    Guest(SocketAddr),
}

/// What is played, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// When the window closes by itself.
    pub seconds: Option<f64>,
    /// Whether a bot plays.
    pub bot: bool,
    /// What all dice begin with.
    pub seed: u64,
    /// Where a picture goes.
    pub screenshot: Option<PathBuf>,
    /// With whom.
    pub with: Company,
    /// How bad the way to the server is made.
    pub way: Way,
}

/// Opens the window and plays until it is closed.
///
/// # Errors
/// If there are no rules for a game with others, or no network.
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
    let _serving = match options.with {
        Company::Nobody => {
            add_rules(&mut app, UgasPlugins::from_asset("pack.yaml"), &options, Role::Decides);
            None
        }
        Company::Host(address) => {
            let serving = serve(rules()?, address, options.seed)?;
            join(&mut app, serving.address, &options)?;
            Some(serving)
        }
        Company::Guest(address) => {
            join(&mut app, address, &options)?;
            None
        }
    };
    app.insert_resource(options.way);
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
    // Bodies say where they are; transforms only follow them.
    let rules = rules.with_config(Config::seeded(options.seed)).build().disable::<UgasTransformPlugin>();
    app.add_plugins(rules).add_plugins(ArenaPlugin { seed: options.seed, role });
}

fn join(app: &mut App, server: SocketAddr, options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let pack = rules()?;
    // Tells sessions apart, also of one machine.
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let nonce = (clock.as_nanos() as u64) ^ (u64::from(std::process::id()) << 48);
    let way = Arc::new(Mutex::new(options.way));
    let connection = BadWay::new(connect(&pack, server, nonce)?, way.clone(), nonce);
    app.add_plugins(UgasClientPlugin::new(ClientEndpoint::Custom(Box::new(connection)), nonce));
    add_rules(app, UgasPlugins::from_pack(pack), options, Role::Follows);
    app.add_plugins(GuestPlugin { way });
    Ok(())
}
