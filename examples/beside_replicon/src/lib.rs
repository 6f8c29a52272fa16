//! Abilities by `bevy_ugas`, everything else of the game by `bevy_replicon`, in the same app.
//!
//! Each does what it is good at: bevy_replicon sends any component as it is, bevy_ugas sends attributes,
//! tags, effects and abilities to the clients that may see them, with prediction. Neither knows of the other,
//! so a game has to solve two problems, which this example shows:
//!
//! - **Which entity is which?** On the server a fighter is one entity. A client gets a body from one network and a controller from the
//!   other, in any order. The server replicates the handle of the controller with the body ([`ControlledBy`]), and the client makes
//!   the body the [`Avatar`] of the controller with that handle.
//! - **Which player is which?** Both networks accept clients independently. A [`Ticket`] that the client sends to both
//!   identifies the player. A real one is issued by a trusted service: see `ConnectToken`.
#![forbid(unsafe_code)]

use std::sync::Arc;

use bevy_app::{App, FixedUpdate, TaskPoolPlugin, Update};
use bevy_ecs::prelude::*;
use bevy_replicon::prelude::*;
use bevy_replicon::shared::client_id::ClientId as Peer;
use bevy_state::app::StatesPlugin;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::net::protocol::ClientConfig;
use bevy_ugas::net::transport::memory::{MemoryPort, MemoryServer};
use bevy_ugas::net::{
    ClientEndpoint, ClientJoined, ClientLeft, RemoteController, ServerEndpoint, UgasClientPlugin,
    UgasServerPlugin,
};
use bevy_ugas::prelude::*;
use bevy_ugas::{AvatarOf, ugas};
use serde::{Deserialize, Serialize};
use ugas::{
    AbilityDef, AbilityGrantDef, AttributeDef, AttributeSetDef, Catalog, ControllerDef, EffectDef, Operation,
    TaskDef,
};

/// Name of a fighter. Replicated by bevy_replicon.
#[derive(Component, Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Nameplate(pub String);

/// Position of a fighter. Replicated by bevy_replicon.
#[derive(Component, Serialize, Deserialize, Clone, Copy, PartialEq, Debug, Default)]
pub struct Position(pub f32, pub f32);

/// Number of defeated opponents. Replicated by bevy_replicon.
#[derive(Component, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score(pub u32);

/// The server's handle of the controller that a body belongs to, as bits. Replicated by bevy_replicon; on a
/// client, it matches the entity with this [`RemoteController::server_id`].
#[derive(Component, Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlledBy(pub u64);

/// Player of a fighter. On the server only.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket(pub u64);

/// Identifies a client of bevy_replicon: sent when it has found its own body.
#[derive(Event, Serialize, Deserialize, Clone, Copy, Debug)]
pub struct Hello(pub u64);

/// Request of a client to walk. Movement is not part of the rules, so it is sent by bevy_replicon.
#[derive(Event, Serialize, Deserialize, Clone, Copy, Debug)]
pub struct Walk(pub f32, pub f32);

/// The rules, which both sides have: a zap takes 40 health and costs 20 mana.
pub fn rules() -> Arc<Catalog> {
    let duelist = ControllerDef {
        replication: ugas::ReplicationMode::Full,
        ..ControllerDef::new("Duelist").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Zap"))
    };
    let zap = AbilityDef::new("GA_Zap").cost("GE_ZapCost").task(TaskDef::commit());
    Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0).min(0.0))
                .with(AttributeDef::new("Mana", 100.0).min(0.0)),
        )
        .effect(EffectDef::instant("GE_Zap").modify("Health", Operation::Add, -40.0))
        .effect(EffectDef::instant("GE_ZapCost").modify("Mana", Operation::Add, -20.0))
        .ability(zap.task(TaskDef::apply_to_target("GE_Zap")))
        .template(duelist)
        .build()
        .expect("the rules are valid")
}

/// The server of the game. Clients of bevy_ugas connect to the port.
pub fn server() -> (App, MemoryPort) {
    let memory = MemoryServer::new(8);
    let port = memory.port();
    let mut app = App::new();
    app.add_plugins(UgasServerPlugin::new(ServerEndpoint::Memory(memory)));
    add_both(&mut app);
    app.add_observer(welcome)
        .add_observer(despawn_fighter)
        .add_observer(identify)
        .add_observer(walk)
        .add_observer(keep_score)
        .add_systems(FixedUpdate, name_controllers.after(GameplaySystems::Apply));
    app.finish();
    (app, port)
}

/// A client of both networks, with this ticket.
pub fn client(port: &MemoryPort, ticket: u64) -> App {
    let endpoint = ClientEndpoint::Memory(port.clone(), ticket);
    let config = ClientConfig { credential: ticket.to_le_bytes().to_vec(), ..ClientConfig::default() };
    let mut app = App::new();
    app.add_plugins(UgasClientPlugin::new(endpoint, ticket).with_config(config));
    add_both(&mut app);
    app.insert_resource(OwnTicket(ticket)).add_systems(Update, pair).add_observer(say_hello);
    app.finish();
    app
}

/// Shared setup of server and client; bevy_replicon requires the same order.
fn add_both(app: &mut App) {
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, StatesPlugin))
        // One step per update; a game with a window leaves this out.
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(RepliconPlugins)
        .add_plugins(UgasPlugins::from_catalog(rules()))
        .replicate::<Nameplate>()
        .replicate::<Position>()
        .replicate::<Score>()
        .replicate::<ControlledBy>()
        .add_client_event::<Hello>(Channel::Ordered)
        .add_client_event::<Walk>(Channel::Ordered);
}

/// Server: spawns a fighter for a client of bevy_ugas that joined; both networks replicate it.
fn welcome(joined: On<'_, '_, ClientJoined>, mut commands: Commands<'_, '_>) {
    let client = joined.client;
    let Ok(ticket) = <[u8; 8]>::try_from(joined.credential.as_slice()).map(u64::from_le_bytes) else {
        return commands.queue(move |world: &mut World| {
            let _ = world.resource_mut::<bevy_ugas::GameplayWorld>().kick(client);
        });
    };
    commands
        .spawn((
            Replicated,
            Nameplate(format!("fighter {ticket}")),
            Position::default(),
            Score::default(),
            Ticket(ticket),
            PlaysAs(client),
            GameplayController::new("Duelist"),
        ))
        .in_gameplay(move |game, fighter| game.give(fighter, client));
}

/// Client of bevy_ugas that plays a fighter.
#[derive(Component)]
struct PlaysAs(bevy_ugas::net::protocol::message::ClientId);

/// Client of bevy_replicon that plays a fighter.
#[derive(Component)]
struct WalksFor(Peer);

/// Server: despawns the fighter of a client that left, on both networks.
fn despawn_fighter(
    left: On<'_, '_, ClientLeft>,
    fighters: Query<'_, '_, (Entity, &PlaysAs)>,
    mut commands: Commands<'_, '_>,
) {
    for (fighter, _) in fighters.iter().filter(|(_, plays)| plays.0 == left.client) {
        commands.entity(fighter).despawn();
    }
}

/// Server: adds the handle of the controller to bodies, so that clients can match the two.
fn name_controllers(
    fighters: Query<'_, '_, (Entity, &GameplayController), (With<Replicated>, Without<ControlledBy>)>,
    mut commands: Commands<'_, '_>,
) {
    for (fighter, controller) in &fighters {
        if let Some(id) = controller.id() {
            commands.entity(fighter).insert(ControlledBy(id.to_bits().get()));
        }
    }
}

/// Server: assigns a client of bevy_replicon to its fighter.
fn identify(
    hello: On<'_, '_, FromClient<Hello>>,
    fighters: Query<'_, '_, (Entity, &Ticket), Without<WalksFor>>,
    mut commands: Commands<'_, '_>,
) {
    for (fighter, _) in fighters.iter().filter(|(_, ticket)| ticket.0 == hello.message.0) {
        commands.entity(fighter).insert(WalksFor(hello.client_id));
    }
}

/// Server: moves the fighter of a client, at most one step per request.
fn walk(walk: On<'_, '_, FromClient<Walk>>, mut fighters: Query<'_, '_, (&WalksFor, &mut Position)>) {
    let Walk(x, y) = walk.message;
    let is_fair = x.abs() <= 1.0 && y.abs() <= 1.0;
    for (_, mut position) in fighters.iter_mut().filter(|(by, _)| is_fair && by.0 == walk.client_id) {
        *position = Position(position.0 + x, position.1 + y);
    }
}

/// Server: an event of bevy_ugas updates a component of bevy_replicon.
fn keep_score(change: On<'_, '_, AttributeChanged>, mut scores: Query<'_, '_, &mut Score>) {
    let is_beaten = &*change.name == "Health" && change.new <= 0.0 && change.old > 0.0;
    if let Some(mut score) = change.circumstances.source.and_then(|by| scores.get_mut(by).ok())
        && is_beaten
    {
        score.0 += 1;
    }
}

/// The ticket of this client.
#[derive(Resource)]
struct OwnTicket(u64);

/// Client: matches a body and a controller, which arrive by different networks in any order. The body becomes
/// the avatar of the controller, so that `AvatarOf` leads from the body to health and abilities, and
/// [`Avatar`] back.
fn pair(
    bodies: Query<'_, '_, (Entity, &ControlledBy), Without<AvatarOf>>,
    controllers: Query<'_, '_, (Entity, &RemoteController), Without<Avatar>>,
    mut commands: Commands<'_, '_>,
) {
    for (body, by) in &bodies {
        let half = controllers.iter().find(|(_, remote)| remote.server_id == by.0);
        if let Some((controller, _)) = half {
            commands.entity(controller).insert(Avatar(body));
        }
    }
}

/// Client: identifies itself to bevy_replicon when it has found its own body.
fn say_hello(
    paired: On<'_, '_, Insert, Avatar>,
    controllers: Query<'_, '_, &RemoteController>,
    ticket: Res<'_, OwnTicket>,
    mut commands: Commands<'_, '_>,
) {
    if controllers.get(paired.entity).is_ok_and(|remote| remote.is_own) {
        commands.client_trigger(Hello(ticket.0));
    }
}
