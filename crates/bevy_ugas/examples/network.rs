//! A server and two predicting clients in one process: `cargo run -p bevy_ugas --example network --features
//! net`.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;

use bevy_app::{App, Plugin, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::GameplayWorld;
use bevy_ugas::net::transport::memory::MemoryServer;
use bevy_ugas::net::{
    ClientEndpoint, ClientJoined, RemoteController, ServerEndpoint, UgasClient, UgasClientPlugin,
    UgasServerPlugin,
};
use bevy_ugas::prelude::*;
use ugas::ReplicationMode;
use ugas::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = rules()?;
    // `ServerEndpoint::Udp` and `ClientEndpoint::Udp` do the same over a real network.
    let memory = MemoryServer::new(2);
    let port = memory.port();
    let mut server = app(UgasServerPlugin::new(ServerEndpoint::Memory(memory)), &rules);
    server.add_observer(welcome);
    let mut clients = [1, 2].map(|peer| {
        let plugin = UgasClientPlugin::new(ClientEndpoint::Memory(port.clone(), peer), peer);
        let mut client = app(plugin, &rules);
        client.on_attribute("Health", move |In(change): In<AttributeChanged>| {
            println!("client {peer}: health of {} {} -> {}", change.entity, change.old, change.new);
        });
        client
    });
    play(&mut server, &mut clients, 90);

    let [ada, _] = &mut clients;
    let mut seen = ada.world_mut().query::<(Entity, &RemoteController)>();
    let find = |own: bool, world: &World, seen: &mut QueryState<(Entity, &RemoteController)>| {
        seen.iter(world).find(|(_, remote)| remote.is_own == own).map(|(entity, _)| entity)
    };
    let own = find(true, ada.world(), &mut seen).ok_or("the server gave it a mage")?;
    let other = find(false, ada.world(), &mut seen).ok_or("the other one is in view")?;
    ada.world_mut().resource_mut::<GameplayWorld>().activate_on(own, "GA_Bolt", other)?;
    play(&mut server, &mut clients, 60);

    let confirmed = clients[0].world().resource::<UgasClient>().statistics.confirmed;
    println!("{confirmed} command confirmed by the server");
    assert_eq!(confirmed, 1);
    Ok(())
}

fn rules() -> Result<Arc<Catalog>, ugas::Error> {
    let mage = ControllerDef {
        replication: ReplicationMode::Full,
        ..ControllerDef::new("Mage").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Bolt"))
    };
    let bolt = AbilityDef::new("GA_Bolt").task(TaskDef::commit()).task(TaskDef::apply_to_target("GE_Hit"));
    Ok(Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
        .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -15.0))
        .ability(bolt)
        .template(mage)
        .build()?)
}

fn app(network: impl Plugin, rules: &Arc<Catalog>) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(network)
        .add_plugins(UgasPlugins::from_catalog(rules.clone()));
    app
}

fn welcome(joined: On<'_, '_, ClientJoined>, mut commands: Commands<'_, '_>) {
    let client = joined.client;
    let mut mage = commands.spawn(GameplayController::new("Mage"));
    mage.in_gameplay(move |game, mage| game.give(mage, client));
}

fn play(server: &mut App, clients: &mut [App], steps: u32) {
    for _ in 0..steps {
        clients.iter_mut().for_each(App::update);
        server.update();
    }
}
