//! A server and a client, each in its own app, in one process.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arena::ArenaPlugin;
use arena::field::Body;
use arena::fighter::{Kind, LocalPlayer};
use arena::headless::rules;
use arena::link::{LinkSettings, Role, Status};
use arena::network::{GuestPlugin, HostPlugin, PlayedBy, SimulatedLink, let_bots_play, resolve, serve};
use arena::pad::{Buttons, Pad};
use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::GameplayWorld;
use bevy_ugas::net::transport::memory::{MemoryPort, MemoryServer};
use bevy_ugas::net::{ClientEndpoint, ServerEndpoint, UgasClient, UgasClientPlugin, UgasServerPlugin};
use bevy_ugas::prelude::*;
use ugas::Span;

struct Match {
    server: App,
    guest: App,
}

impl Match {
    fn new() -> Self {
        Self::over(LinkSettings::default())
    }

    /// A match whose guest has this link to the server.
    fn over(link: LinkSettings) -> Self {
        let memory = MemoryServer::new(4);
        let port = memory.port();
        let mut server = app();
        server
            .add_plugins(UgasServerPlugin::new(ServerEndpoint::Memory(memory)))
            .add_plugins(UgasPlugins::from_pack(rules().unwrap()))
            .add_plugins((ArenaPlugin { seed: 7, role: Role::Authority }, HostPlugin));
        let guest = guest(port, link);
        let mut game = Self { server, guest };
        for _ in 0..1_200 {
            game.step();
            if game.own().is_some() {
                return game;
            }
        }
        panic!("the client got no champion");
    }

    /// A match without minions.
    fn quiet() -> Self {
        Self::quiet_over(LinkSettings::default())
    }

    fn quiet_over(link: LinkSettings) -> Self {
        let mut game = Self::over(link);
        let mut minions = game.server.world_mut().query::<(Entity, &Kind)>();
        let minions: Vec<Entity> = minions
            .iter(game.server.world())
            .filter(|(_, kind)| **kind != Kind::Champion)
            .map(|(minion, _)| minion)
            .collect();
        for minion in minions {
            game.server.world_mut().despawn(minion);
        }
        game.run(30);
        game
    }

    fn step(&mut self) {
        self.server.update();
        self.guest.update();
    }

    fn run(&mut self, steps: u32) {
        for _ in 0..steps {
            self.step();
        }
    }

    /// Champion of the client, once it has attributes.
    fn own(&mut self) -> Option<Entity> {
        let mut own = self.guest.world_mut().query_filtered::<(Entity, &Attributes), With<LocalPlayer>>();
        let (entity, attributes) = own.iter(self.guest.world()).next()?;
        (!attributes.is_empty()).then_some(entity)
    }

    /// Position of the client's champion on the server.
    fn at_server(&mut self) -> Vec2 {
        let mut played = self.server.world_mut().query_filtered::<&Body, With<PlayedBy>>();
        played.single(self.server.world()).unwrap().position
    }

    fn at_guest(&mut self) -> Vec2 {
        let own = self.own().unwrap();
        self.guest.world().get::<Body>(own).unwrap().position
    }

    fn pad(&mut self) -> Mut<'_, Pad> {
        let own = self.own().unwrap();
        self.guest.world_mut().get_mut::<Pad>(own).unwrap()
    }
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

/// A tick, which is a step of both sides.
const TICK: f64 = 1.0 / 60.0;

fn guest(port: MemoryPort, link: LinkSettings) -> App {
    let mut guest = app();
    let shared = Arc::new(Mutex::new(link));
    let step = Span::from_micros(16_667);
    let connection = SimulatedLink::stepwise(port.connect(1, &[]), shared.clone(), 5, step);
    guest
        .add_plugins(UgasClientPlugin::new(ClientEndpoint::Custom(Box::new(connection)), 11))
        .add_plugins(UgasPlugins::from_pack(rules().unwrap()))
        .add_plugins(ArenaPlugin { seed: 7, role: Role::Client })
        .add_plugins(GuestPlugin { link: shared })
        .insert_resource(link);
    guest
}

/// Seconds between pressing the dash and its first visible result: stamina is paid, and the body moves.
fn response_time(link: LinkSettings) -> f64 {
    let mut game = Match::quiet_over(link);
    game.run(120);
    let own = game.own().unwrap();
    let seen = |game: &mut Match| {
        let stamina = game.guest.world().get::<Attributes>(own).unwrap().current("Stamina").unwrap();
        (stamina, game.at_guest())
    };
    let (full, from) = seen(&mut game);
    assert_eq!(full, 100.0);
    game.pad().aim = from + Vec2::X * 100.0;
    game.pad().buttons = Buttons { dash: true, ..Buttons::default() };
    for steps in 1..=300_u32 {
        game.step();
        let (stamina, place) = seen(&mut game);
        if stamina < full && place != from {
            return f64::from(steps) * TICK;
        }
    }
    panic!("the dash was never visible over {link:?}");
}

#[test]
fn prediction_responds_at_once_at_any_latency() {
    let link =
        |latency, is_predicted| LinkSettings { is_predicted, ..LinkSettings::default() }.with(latency, 0.0);
    for latency in [0.0, 100.0, 300.0] {
        let (predicted, waited) = (response_time(link(latency, true)), response_time(link(latency, false)));
        // Two or three steps at any latency; without prediction at least a round trip.
        assert!(predicted <= 4.0 * TICK, "{latency} ms: {predicted}");
        assert!(waited >= f64::from(latency) / 1_000.0, "{latency} ms: {waited}");
        assert!(waited > predicted, "{latency} ms: {predicted} {waited}");
    }
}

#[test]
fn client_and_server_agree_despite_loss() {
    let link = LinkSettings::default().with(150.0, 20.0);
    // Loss does not affect prediction.
    assert!(response_time(link) <= 4.0 * TICK);
    assert!(response_time(LinkSettings { is_predicted: false, ..link }) >= 0.15);
    let mut game = Match::quiet_over(link);
    for walk in [Vec2::X, Vec2::Y, Vec2::NEG_X] {
        game.pad().walk = walk;
        game.run(40);
    }
    game.pad().walk = Vec2::ZERO;
    game.run(240);
    let (here, there) = (game.at_guest(), game.at_server());
    assert!(here.distance(there) < 1.0, "{here} {there}");
    let counted = game.guest.world().resource::<UgasClient>().statistics;
    assert!(counted.confirmed >= 6 && counted.rejected == 0, "{counted:?}"); // three presses, three releases
}

/// End to end: a host in its thread, resolved by name, over UDP with simulated latency and loss.
#[test]
fn bot_joins_by_name_over_a_lossy_link() {
    let serving = serve(rules().unwrap(), "127.0.0.1:0".parse().unwrap(), 7).unwrap();
    let server = resolve(&format!("localhost:{}", serving.address.port())).unwrap();
    // A second server at the same address fails at once.
    let began = Instant::now();
    let error = serve(rules().unwrap(), server, 7).err().unwrap().to_string();
    assert!(error.contains("cannot listen") && began.elapsed() < Duration::from_secs(5), "{error}");
    let mut app =
        arena::network::guest(rules().unwrap(), server, LinkSettings::default().with(80.0, 10.0), 7).unwrap();
    let_bots_play(&mut app);
    let began = Instant::now();
    while app.world().resource::<Status>().confirmed < 10 {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", app.world().resource::<Status>());
        app.update();
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = app.world().resource::<Status>();
    assert!(status.round_trip >= 80.0 && status.mode == "Guest", "{status}");
    // The client detects that the host stopped.
    drop(serving);
    while app.world().resource::<Status>().lost.is_none() {
        assert!(began.elapsed() < Duration::from_secs(90), "{}", app.world().resource::<Status>());
        app.update();
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn client_sees_the_match_and_owns_a_champion() {
    let mut game = Match::new();
    game.run(60);
    let mut kinds: Vec<Kind> =
        game.guest.world_mut().query::<&Kind>().iter(game.guest.world()).copied().collect();
    kinds.sort_unstable();
    use Kind::{Brute, Champion, Spitter};
    assert_eq!(kinds, [Champion, Brute, Brute, Brute, Spitter, Spitter, Spitter]);
    assert!(game.guest.world().resource::<UgasClient>().is_playing);
}

#[test]
fn client_walks_at_once_and_the_server_agrees() {
    let mut game = Match::quiet();
    let from = game.at_guest();
    assert_eq!(from, game.at_server());
    game.pad().walk = Vec2::X;
    game.run(6);
    // 6 ticks of 1/60 s at 240 a second are 24; the first press takes a tick or two.
    assert!(game.at_guest().x > from.x + 10.0, "{} {}", from, game.at_guest());
    game.run(54);
    game.pad().walk = Vec2::ZERO;
    game.run(60);
    let (here, there) = (game.at_guest(), game.at_server());
    assert!(there.x > from.x + 200.0, "{there}");
    assert!(here.distance(there) < 1.0, "{here} {there}");
}

#[test]
fn client_without_prediction_waits_for_the_server() {
    let mut game = Match::quiet();
    game.guest.world_mut().resource_mut::<LinkSettings>().is_predicted = false;
    game.run(30);
    game.pad().buttons = Buttons { dash: true, ..Buttons::default() };
    game.run(1);
    let own = game.own().unwrap();
    let stamina =
        |game: &Match| game.guest.world().get::<Attributes>(own).unwrap().current("Stamina").unwrap();
    assert_eq!(stamina(&game), 100.0);
    game.run(20);
    assert!(stamina(&game) < 80.0);

    // With it, the cost is paid at once.
    game.guest.world_mut().resource_mut::<LinkSettings>().is_predicted = true;
    game.pad().buttons = Buttons::default();
    game.run(240);
    game.pad().buttons = Buttons { dash: true, ..Buttons::default() };
    game.run(2);
    assert!(stamina(&game) < 80.0);
}

#[test]
fn champion_is_despawned_when_its_client_leaves() {
    let mut game = Match::new();
    game.guest.world_mut().resource_mut::<GameplayWorld>().leave().unwrap();
    game.run(30);
    let mut played = game.server.world_mut().query::<&PlayedBy>();
    assert_eq!(played.iter(game.server.world()).count(), 0);
}

/// A host on all addresses is reachable at each of them, also by itself.
#[test]
fn host_on_all_addresses_is_reachable() {
    let serving = serve(rules().unwrap(), "0.0.0.0:0".parse().unwrap(), 7).unwrap();
    for server in [SocketAddr::from(([127, 0, 0, 1], serving.address.port())), serving.address] {
        let mut app = arena::network::guest(rules().unwrap(), server, LinkSettings::default(), 7).unwrap();
        let began = Instant::now();
        while !app.world().resource::<UgasClient>().is_playing {
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "{server}: {:?}",
                app.world().resource::<Status>()
            );
            app.update();
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
