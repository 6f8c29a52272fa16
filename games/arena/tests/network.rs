//! A server and a guest, each in an app of its own, in one process.

use std::sync::{Arc, Mutex};

use arena::ArenaPlugin;
use arena::field::Body;
use arena::fighter::{Kind, Own};
use arena::headless::rules;
use arena::network::{GuestPlugin, HostPlugin, PlayedBy};
use arena::pad::{Buttons, Pad};
use arena::way::{Role, Way};
use bevy_app::{App, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::GameplayWorld;
use bevy_ugas::net::transport::memory::{MemoryPort, MemoryServer};
use bevy_ugas::net::{ClientEndpoint, ServerEndpoint, UgasClient, UgasClientPlugin, UgasServerPlugin};
use bevy_ugas::prelude::*;

struct Match {
    server: App,
    guest: App,
}

impl Match {
    fn new() -> Self {
        let memory = MemoryServer::new(4);
        let port = memory.port();
        let mut server = app();
        server
            .add_plugins(UgasServerPlugin::new(ServerEndpoint::Memory(memory)))
            .add_plugins(UgasPlugins::from_pack(rules().unwrap()))
            .add_plugins((ArenaPlugin { seed: 7, role: Role::Decides }, HostPlugin));
        let guest = guest(port);
        let mut game = Self { server, guest };
        for _ in 0..600 {
            game.step();
            if game.own().is_some() {
                return game;
            }
        }
        panic!("the guest got no champion");
    }

    /// A match in which nobody disturbs the guest.
    fn quiet() -> Self {
        let mut game = Self::new();
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

    /// The guest's champion, once it has attributes.
    fn own(&mut self) -> Option<Entity> {
        let mut own = self.guest.world_mut().query_filtered::<(Entity, &Attributes), With<Own>>();
        let (entity, attributes) = own.iter(self.guest.world()).next()?;
        (!attributes.is_empty()).then_some(entity)
    }

    /// Where the server has the guest's champion.
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

fn guest(port: MemoryPort) -> App {
    let mut guest = app();
    guest
        .add_plugins(UgasClientPlugin::new(ClientEndpoint::Memory(port, 1), 11))
        .add_plugins(UgasPlugins::from_pack(rules().unwrap()))
        .add_plugins(ArenaPlugin { seed: 7, role: Role::Follows })
        .add_plugins(GuestPlugin { way: Arc::new(Mutex::new(Way::default())) });
    guest
}

#[test]
fn a_guest_sees_the_match_and_plays_a_champion() {
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
fn a_guest_walks_at_once_and_the_server_agrees() {
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
fn without_prediction_a_guest_waits_for_the_server() {
    let mut game = Match::quiet();
    game.guest.world_mut().resource_mut::<Way>().is_predicted = false;
    game.run(30);
    game.pad().buttons = Buttons { dash: true, ..Buttons::default() };
    game.run(1);
    let own = game.own().unwrap();
    let stamina = |game: &Match| game.guest.world().get::<Attributes>(own).unwrap().current("Stamina");
    assert_eq!(stamina(&game), 100.0);
    game.run(20);
    assert!(stamina(&game) < 80.0);

    // With it, the cost is paid at once.
    game.guest.world_mut().resource_mut::<Way>().is_predicted = true;
    game.pad().buttons = Buttons::default();
    game.run(240);
    game.pad().buttons = Buttons { dash: true, ..Buttons::default() };
    game.run(2);
    assert!(stamina(&game) < 80.0);
}

#[test]
fn who_leaves_takes_the_champion_along() {
    let mut game = Match::new();
    game.guest.world_mut().resource_mut::<GameplayWorld>().leave().unwrap();
    game.run(30);
    let mut played = game.server.world_mut().query::<&PlayedBy>();
    assert_eq!(played.iter(game.server.world()).count(), 0);
}
