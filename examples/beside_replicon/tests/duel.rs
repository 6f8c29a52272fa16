//! Both networks in one process: a server and two clients, each in its own app.

use beside_replicon::{ControlledBy, Nameplate, Position, Score, Walk, client, server};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon::test_app::ServerTestAppExt;
use bevy_ugas::net::RemoteController;
use bevy_ugas::prelude::*;
use bevy_ugas::{AvatarOf, GameplayWorld};

struct Duel {
    server: App,
    clients: [App; 2],
}

impl Duel {
    fn new() -> Self {
        let (mut server, port) = server();
        let mut clients = [client(&port, 11), client(&port, 12)];
        for client in &mut clients {
            server.connect_client(client);
        }
        let mut duel = Self { server, clients };
        duel.run(90);
        duel
    }

    fn run(&mut self, steps: u32) {
        for _ in 0..steps {
            self.server.update();
            for client in &mut self.clients {
                self.server.exchange_with_client(client);
                client.update();
            }
        }
    }

    /// The body of the own fighter, or of the other, and the entity with its controller.
    fn halves(&mut self, client: usize, is_own: bool) -> (Entity, Entity) {
        let world = self.clients[client].world_mut();
        let mut bodies = world.query::<(Entity, &AvatarOf)>();
        let bodies: Vec<_> = bodies.iter(world).map(|(body, of)| (body, of.owner())).collect();
        let is_meant =
            |(_, owner): &&(Entity, Entity)| world.get::<RemoteController>(*owner).unwrap().is_own == is_own;
        *bodies.iter().find(is_meant).unwrap()
    }

    fn get<C: Component + Clone>(&self, client: usize, entity: Entity) -> C {
        self.clients[client].world().get::<C>(entity).unwrap().clone()
    }

    /// Current value of an attribute.
    fn current(&self, client: usize, owner: Entity, attribute: &str) -> f64 {
        let attributes = self.clients[client].world().get::<Attributes>(owner).unwrap();
        attributes.current(attribute).unwrap()
    }
}

#[test]
fn bodies_and_controllers_are_matched_on_clients() {
    let mut duel = Duel::new();
    for client in 0..2 {
        for is_own in [true, false] {
            let (body, owner) = duel.halves(client, is_own);
            assert_ne!(body, owner);
            let by: ControlledBy = duel.get(client, body);
            assert_eq!(duel.get::<RemoteController>(client, owner).server_id, by.0);
            // The ticket of the first is 11, of the second 12.
            let ticket = if is_own { 11 + client } else { 12 - client };
            assert_eq!(duel.get::<Nameplate>(client, body), Nameplate(format!("fighter {ticket}")));
            assert_eq!(duel.current(client, owner, "Health"), 100.0);
            assert!(duel.clients[client].world().get::<Remote>(body).is_some());
        }
    }
}

#[test]
fn abilities_use_ugas_and_movement_uses_replicon() {
    let mut duel = Duel::new();
    let (own_body, own) = duel.halves(0, true);
    let (_, other) = duel.halves(0, false);
    for zap in 1..=3 {
        let mut game = duel.clients[0].world_mut().resource_mut::<GameplayWorld>();
        game.activate_on(own, "GA_Zap", other).unwrap();
        // Predicted: paid before the server has received the command.
        for _ in 0..2 {
            duel.clients[0].update();
        }
        assert_eq!(duel.current(0, own, "Mana"), 100.0 - 20.0 * f64::from(zap));
        duel.clients[0].world_mut().client_trigger(Walk(1.0, 0.5));
        duel.run(30);
    }
    // 100 - 3 × 40, not below 0: beaten once.
    let (body, owner) = duel.halves(1, true);
    assert_eq!(duel.current(1, owner, "Health"), 0.0);
    assert_eq!(duel.get::<Score>(1, body), Score(0));
    let (body, _) = duel.halves(1, false);
    assert_eq!(duel.get::<Score>(1, body), Score(1));
    assert_eq!(duel.get::<Position>(1, body), Position(3.0, 1.5));
    assert_eq!(duel.get::<Position>(0, own_body), Position(3.0, 1.5));
}

#[test]
fn walk_requests_move_only_the_own_fighter_by_one_step() {
    let mut duel = Duel::new();
    duel.clients[1].world_mut().client_trigger(Walk(5.0, 0.0));
    duel.clients[1].world_mut().client_trigger(Walk(0.0, -1.0));
    duel.run(10);
    let (first, _) = duel.halves(0, true);
    let (second, _) = duel.halves(0, false);
    assert_eq!(duel.get::<Position>(0, first), Position(0.0, 0.0));
    assert_eq!(duel.get::<Position>(0, second), Position(0.0, -1.0));
}

#[test]
fn leaving_client_is_removed_from_both_networks() {
    let mut duel = Duel::new();
    duel.clients[0].world_mut().resource_mut::<GameplayWorld>().leave().unwrap();
    duel.run(60);
    let world = duel.clients[1].world_mut();
    assert_eq!(world.query::<&Nameplate>().iter(world).count(), 1);
    assert_eq!(world.query::<&RemoteController>().iter(world).count(), 1);
}
