//! An authoritative server and two predicting clients over encrypted UDP: `cargo run --example
//! authoritative_server`.
//!
//! The server accepts clients with a token, gives each a mage, and stops after three seconds. The mages throw
//! bolts at each other: each client shows its own at once, and gets the confirmation of the server later.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use ugas::net::message::PROTOCOL;
use ugas::net::{self, Client, ClientConfig, ClientEvent, ClientStatistics, PeerId, Server};
use ugas::prelude::*;
use ugas::{ReplicationMode, Role, Time};
use ugas_transport::{
    Access, Admission, ClientSocket, ClientState, ConnectToken, ProtocolId, ServerConfig, ServerEvent,
    ServerKey, ServerSocket, TokenIssuer,
};

/// Run time of the server.
const MATCH: Duration = Duration::from_secs(3);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Result<()> {
    let catalog = rules()?;
    // Both sides must have the same wire format and the same rules.
    let protocol = ProtocolId::of(PROTOCOL, catalog.hash());
    let key = ServerKey::generate();
    let config = ServerConfig::new("127.0.0.1:0".parse()?, protocol, Access::Keyed(key.clone()));
    let socket = ServerSocket::bind(config)?;
    let address = socket.local_addr();
    println!("listening on {address}");

    let issuer = TokenIssuer::new(key, protocol);
    let rules = catalog.clone();
    let server = thread::spawn(move || serve(rules, socket));
    let mut clients = Vec::new();
    for (peer, name) in [(1, "Ada"), (2, "Grace")] {
        // A real server sends this text to the player over a secure channel.
        let token = issuer.issue(&Admission::new(peer, address).user_data(name))?.to_text();
        let rules = catalog.clone();
        clients.push((name, thread::spawn(move || play(rules, &token, peer))));
    }

    for (name, client) in clients {
        let statistics = client.join().map_err(|_| "a client panicked")??;
        println!(
            "{name}: {} bolts confirmed, {} rejected, {} ticks mispredicted",
            statistics.confirmed, statistics.rejected, statistics.mispredicted
        );
        assert!(statistics.confirmed > 0, "the server answered");
    }
    server.join().map_err(|_| "the server panicked")?
}

fn rules() -> Result<Arc<Catalog>> {
    let mut mage =
        ControllerDef::new("Mage").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Bolt"));
    mage.replication = ReplicationMode::Full;
    Ok(Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0).min(0.0))
                .with(AttributeDef::new("Mana", 100.0).min(0.0)),
        )
        .effect(EffectDef::instant("GE_Bolt_Cost").modify("Mana", Operation::Add, -20.0))
        .effect(EffectDef::lasting("GE_Bolt_Cooldown", 0.5).granting("Cooldown.Bolt"))
        .effect(EffectDef::instant("GE_Bolt_Hit").modify("Health", Operation::Add, -15.0))
        .ability(
            AbilityDef::new("GA_Bolt")
                .cost("GE_Bolt_Cost")
                .cooldown("GE_Bolt_Cooldown")
                .task(TaskDef::commit())
                .task(TaskDef::apply_to_target("GE_Bolt_Hit")),
        )
        .template(mage)
        .build()?)
}

/// Datagrams in, ticks in real time, datagrams out.
fn serve(catalog: Arc<Catalog>, mut socket: ServerSocket) -> Result<()> {
    let simulation = Simulation::new(catalog, Config { role: Role::Server, ..Config::seeded(7) });
    let mut server = Server::new(simulation, net::ServerConfig::default());
    let start = Instant::now();
    let mut next_tick = Time::ZERO;
    while start.elapsed() < MATCH {
        let now = time_since(start);
        socket.poll(Instant::now())?;
        while let Some(event) = socket.next_event() {
            match event {
                ServerEvent::Connected { user_data, .. } => {
                    println!("server: {} is connected", String::from_utf8_lossy(user_data));
                }
                ServerEvent::Datagram { peer, bytes } => server.handle(now, PeerId(peer), bytes),
                ServerEvent::Disconnected { peer, .. } => server.disconnected(PeerId(peer)),
            }
        }
        while next_tick <= now {
            server.tick(now);
            next_tick = server.tick_length().next_after(next_tick);
        }
        while let Some(event) = server.poll_event() {
            if let net::ServerEvent::Joined { client, .. } = event {
                let mage = server.simulation_mut().spawn("Mage")?;
                server.give(mage, client);
            }
        }
        send(&mut server, &mut socket);
        socket.wait(Duration::from_millis(2))?;
    }
    // Clients get the reason before the connection ends.
    server.shut_down();
    send(&mut server, &mut socket);
    let statistics = socket.shut_down();
    println!("server: {} connected, {} datagrams sent", statistics.connected, statistics.datagrams_sent);
    Ok(())
}

fn send(server: &mut Server, socket: &mut ServerSocket) {
    server.visit_transmits(|peer, bytes| {
        // Errors for disconnected peers are ignored.
        let _ = socket.send(peer.0, bytes);
    });
}

/// Runs a client that throws a bolt at the other player whenever possible.
fn play(catalog: Arc<Catalog>, token: &str, nonce: u64) -> Result<ClientStatistics> {
    let mut socket = ClientSocket::connect(ConnectToken::from_text(token)?)?;
    let mut client = Client::new(catalog, ClientConfig::default(), nonce);
    let start = Instant::now();
    let mut thrown = None;
    loop {
        socket.wait(Duration::from_millis(2))?;
        socket.poll(Instant::now())?;
        let now = time_since(start);
        while let Some(bytes) = socket.next_datagram() {
            client.handle(now, bytes);
        }
        let state = socket.state();
        if state == ClientState::Connected {
            client.update(now);
            // Actions are executed in the next tick; until then the ability still looks ready.
            if thrown != Some(client.current_tick()) && throw(&mut client).is_some() {
                thrown = Some(client.current_tick());
            }
            while let Some(bytes) = client.poll_transmit() {
                let _ = socket.send(&bytes);
            }
        }
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::AttributeChanged { controller, attribute, old, new } => {
                    let is_own = client.own_controllers().any(|own| own == controller);
                    let whose = if is_own { "its" } else { "the other's" };
                    let name = client.catalog().attribute_name(attribute);
                    println!("client {nonce}: {whose} {name} {old} -> {new}");
                }
                ClientEvent::Disconnected(Some(reason)) => println!("client {nonce}: {reason}"),
                _ => {}
            }
        }
        match state {
            ClientState::Connecting | ClientState::Connected => {}
            ClientState::Refused(refusal) => return Err(refusal.into()),
            ClientState::Disconnected(_) => return Ok(client.statistics()),
        }
    }
}

/// Throws a bolt if the ability is ready and a target is visible. The client predicts it at once.
fn throw(client: &mut Client) -> Option<()> {
    let mage = client.own_controllers().next()?;
    let (target, _) = client.simulation().controllers().find(|(id, _)| *id != mage)?;
    let bolt = *client.simulation().controller(mage)?.abilities().first()?;
    // On cooldown, or without mana: the client knows without asking the server.
    client.activate(bolt, ActivationRequest::on(target)).ok()?;
    Some(())
}

fn time_since(start: Instant) -> Time {
    Time::from_micros(u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX))
}
