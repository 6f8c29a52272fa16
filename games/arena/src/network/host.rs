//! The server of a match: gives each client a champion.

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
use bevy_ugas::net::protocol::{Ownership, Visibility};
use bevy_ugas::net::transport::Access;
use bevy_ugas::net::{ClientJoined, ClientLeft, ServerEndpoint, UgasServer, UgasServerPlugin};
use bevy_ugas::prelude::*;
use ugas::Config;

use super::NetworkError;
use crate::fighter::{Kind, champion_home, fighter};
use crate::game::ArenaPlugin;
use crate::link::Role;

/// Gives each client a champion. Add it with [`ArenaPlugin`].
pub struct HostPlugin;

/// Client that plays this champion.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedBy(pub ClientId);

impl Plugin for HostPlugin {
    fn build(&self, app: &mut App) {
        app.add_observer(spawn_client_champion).add_observer(despawn_client_champion);
        app.add_systems(FixedUpdate, show_placements.in_set(GameplaySystems::Input).run_if(in_play));
    }
}

/// Marks fighters whose placement is replicated.
#[derive(Component)]
struct PlacementShown;

/// Replicates the placements of fighters, which is off by default.
fn show_placements(
    mut gameplay: Gameplay<'_>,
    hidden: Query<'_, '_, Entity, (With<Kind>, Without<PlacementShown>)>,
    mut commands: Commands<'_, '_>,
) {
    for fighter in &hidden {
        let shown = gameplay
            .set_net_visibility(fighter, Ownership::Mine, Some(Visibility::owner().with_placement()))
            .and_then(|()| {
                gameplay.set_net_visibility(
                    fighter,
                    Ownership::Others,
                    Some(Visibility::full().with_placement()),
                )
            });
        // A fighter without a controller yet is tried again.
        if shown.is_ok() {
            commands.entity(fighter).insert(PlacementShown);
        }
    }
}

fn spawn_client_champion(
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

fn despawn_client_champion(
    left: On<'_, '_, ClientLeft>,
    played: Query<'_, '_, (Entity, &PlayedBy)>,
    mut commands: Commands<'_, '_>,
) {
    for (entity, _) in played.iter().filter(|(_, played)| played.0 == left.client) {
        commands.entity(entity).despawn();
    }
}

/// A server in a thread; dropping it stops the server.
pub struct ServerThread {
    /// Address that it listens on.
    pub address: SocketAddr,
    is_running: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ServerThread {
    fn drop(&mut self) {
        self.is_running.store(false, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Starts to host a match.
///
/// # Errors
/// If the address cannot be bound.
pub fn serve(pack: Arc<Pack>, listen: SocketAddr, seed: u64) -> Result<ServerThread, NetworkError> {
    let failed = |error| NetworkError::Listen(listen, error);
    // Tried first, to report the error of the system.
    drop(UdpSocket::bind(listen).map_err(failed)?);
    let is_running = Arc::new(AtomicBool::new(true));
    let (sender, receiver): (Sender<SocketAddr>, Receiver<SocketAddr>) = channel();
    let running = is_running.clone();
    let thread = std::thread::spawn(move || run(pack, listen, seed, &sender, &running));
    match receiver.recv_timeout(Duration::from_secs(10)) {
        Ok(address) => Ok(ServerThread { address, is_running, thread: Some(thread) }),
        Err(_) => {
            is_running.store(false, Ordering::Relaxed);
            Err(failed(ErrorKind::TimedOut.into()))
        }
    }
}

fn run(pack: Arc<Pack>, listen: SocketAddr, seed: u64, sender: &Sender<SocketAddr>, is_running: &AtomicBool) {
    let access = match listen.ip().is_loopback() {
        true => Access::OpenOnLoopback,
        false => Access::OpenToNetwork,
    };
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .add_plugins(UgasServerPlugin::new(ServerEndpoint::Udp { listen, access }))
        .add_plugins(UgasPlugins::from_pack(pack).with_config(Config::seeded(seed)))
        .add_plugins((ArenaPlugin { seed, role: Role::Authority }, HostPlugin));
    app.finish();
    app.cleanup();
    if !app.world().resource::<GameplayWorld>().is_in_play() {
        return;
    }
    let mut is_reported = false;
    let began = Instant::now();
    while is_running.load(Ordering::Relaxed) {
        app.update();
        if !is_reported && let Some(address) = app.world().resource::<UgasServer>().address {
            is_reported = sender.send(address).is_ok();
        }
        if !is_reported && began.elapsed() > Duration::from_secs(10) {
            return;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}
