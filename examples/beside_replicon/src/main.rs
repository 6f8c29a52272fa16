//! A duel of two clients against a server, in one process.

use beside_replicon::{Nameplate, Score, Walk, client, server};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon::test_app::ServerTestAppExt;
use bevy_ugas::net::RemoteController;
use bevy_ugas::prelude::*;
use bevy_ugas::{AvatarOf, GameplayWorld};

fn main() {
    let (mut server, port) = server();
    let mut clients = [client(&port, 1), client(&port, 2)];
    for client in &mut clients {
        server.connect_client(client);
    }
    run(&mut server, &mut clients, 90);
    println!("both are in:");
    show(&mut clients[1]);

    for _ in 0..3 {
        let (own, other) = (entity(&mut clients[0], true), entity(&mut clients[0], false));
        let mut game = clients[0].world_mut().resource_mut::<GameplayWorld>();
        if let Err(refused) = game.activate_on(own, "GA_Zap", other) {
            println!("{}", game.describe(&refused));
        }
        clients[0].world_mut().client_trigger(Walk(1.0, 0.0));
        run(&mut server, &mut clients, 30);
    }
    println!("after three zaps and three steps:");
    show(&mut clients[1]);
}

fn run(server: &mut App, clients: &mut [App], steps: u32) {
    for _ in 0..steps {
        server.update();
        for client in clients.iter_mut() {
            server.exchange_with_client(client);
            client.update();
        }
    }
}

fn entity(client: &mut App, is_own: bool) -> Entity {
    let mut remotes = client.world_mut().query::<(Entity, &RemoteController)>();
    let mut found = remotes.iter(client.world()).filter(|(_, remote)| remote.is_own == is_own);
    found.next().expect("both are in").0
}

/// Prints the view of a client: bodies of bevy_replicon with the values of bevy_ugas.
fn show(client: &mut App) {
    let mut bodies =
        client.world_mut().query::<(&Nameplate, &beside_replicon::Position, &Score, &AvatarOf)>();
    for (name, position, score, of) in bodies.iter(client.world()) {
        let attributes = client.world().get::<Attributes>(of.owner());
        let health = attributes.and_then(|all| all.current("Health").ok());
        let health = health.map_or("unknown".to_owned(), |health| health.to_string());
        println!("  {} at ({}, {}): health {health}, beat {}", name.0, position.0, position.1, score.0);
    }
}
