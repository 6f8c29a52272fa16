//! The server of a match: it decides, and gives everybody who joins a champion.

use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bevy_app::{App, FixedUpdate, Plugin, TaskPoolPlugin};
use bevy_ecs::prelude::{Commands, Component, Entity, On, Query, With, Without};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_time::TimePlugin;
use bevy_ugas::GameplayWorld;
use bevy_ugas::data::Pack;
use bevy_ugas::net::protocol::message::ClientId;
use bevy_ugas::net::protocol::{Lens, Own};
use bevy_ugas::net::transport::Access;
use bevy_ugas::net::{ClientJoined, ClientLeft, ServerEndpoint, UgasServer, UgasServerPlugin};
use bevy_ugas::prelude::*;
use ugas::Config;

use super::NetworkError;
use crate::fighter::{Kind, champion_home, fighter};
use crate::game::ArenaPlugin;
use crate::way::Role;

/// Lets clients in, and gives each a champion. Beside the plugin of the game.
pub struct HostPlugin;

/// Whose champion this is.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedBy(pub ClientId);

impl Plugin for HostPlugin {
    fn build(&self, app: &mut App) {
        app.add_observer(welcome).add_observer(part);
        app.add_systems(FixedUpdate, show_places.in_set(GameplaySystems::Input).run_if(in_play));
    }
}

/// Fighters of which clients are told where they are.
#[derive(Component)]
struct Placed;

/// Lets clients see where fighters are, which they do not unless the game says so.
fn show_places(
    mut gameplay: Gameplay<'_>,
    hidden: Query<'_, '_, Entity, (With<Kind>, Without<Placed>)>,
    mut commands: Commands<'_, '_>,
) {
    for fighter in &hidden {
        let shown = gameplay
            .set_lens(fighter, Own::Own, Some(Lens::owner().with_placement()))
            .and_then(|()| gameplay.set_lens(fighter, Own::Others, Some(Lens::full().with_placement())));
        // Who has no controller yet is looked at again.
        if shown.is_ok() {
            commands.entity(fighter).insert(Placed);
        }
    }
}

fn welcome(
    joined: On<'_, '_, ClientJoined>,
    played: Query<'_, '_, &PlayedBy>,
    mut commands: Commands<'_, '_>,
) {
    let client = joined.client;
    let home = champion_home(played.iter().count());
    commands
        .spawn((fighter(Kind::Champion, home), PlayedBy(client)))
        .in_gameplay(move |game, champion| game.give(champion, client));
}

fn part(
    left: On<'_, '_, ClientLeft>,
    played: Query<'_, '_, (Entity, &PlayedBy)>,
    mut commands: Commands<'_, '_>,
) {
    for (entity, _) in played.iter().filter(|(_, played)| played.0 == left.client) {
        commands.entity(entity).despawn();
    }
}

/// A server that runs in a thread; it ends when this is dropped.
pub struct Serving {
    /// Where it listens.
    pub address: SocketAddr,
    is_wanted: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.is_wanted.store(false, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Begins to serve a match.
///
/// # Errors
/// If the server does not get the address.
pub fn serve(pack: Arc<Pack>, listen: SocketAddr, seed: u64) -> Result<Serving, NetworkError> {
    let failed = |error| NetworkError::Listen(listen, error);
    // Asked beforehand, since the system says why not.
    drop(UdpSocket::bind(listen).map_err(failed)?);
    let is_wanted = Arc::new(AtomicBool::new(true));
    let (tell, hear): (Sender<SocketAddr>, Receiver<SocketAddr>) = channel();
    let wanted = is_wanted.clone();
    let thread = std::thread::spawn(move || run(pack, listen, seed, &tell, &wanted));
    match hear.recv_timeout(Duration::from_secs(10)) {
        Ok(address) => Ok(Serving { address, is_wanted, thread: Some(thread) }),
        Err(_) => {
            is_wanted.store(false, Ordering::Relaxed);
            Err(failed(ErrorKind::TimedOut.into()))
        }
    }
}

fn run(pack: Arc<Pack>, listen: SocketAddr, seed: u64, tell: &Sender<SocketAddr>, is_wanted: &AtomicBool) {
    let access = match listen.ip().is_loopback() {
        true => Access::OpenOnLoopback,
        false => Access::OpenToNetwork,
    };
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(UgasServerPlugin::new(ServerEndpoint::Udp { listen, access }))
        .add_plugins(UgasPlugins::from_pack(pack).with_config(Config::seeded(seed)))
        .add_plugins((ArenaPlugin { seed, role: Role::Decides }, HostPlugin));
    app.finish();
    app.cleanup();
    if !app.world().resource::<GameplayWorld>().is_in_play() {
        return;
    }
    let mut told = false;
    let began = Instant::now();
    while is_wanted.load(Ordering::Relaxed) {
        app.update();
        if !told && let Some(address) = app.world().resource::<UgasServer>().address {
            told = tell.send(address).is_ok();
        }
        if !told && began.elapsed() > Duration::from_secs(10) {
            return;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}
