//! Server and clients in one process: actions are predicted, confirmed by the server, and replicated.

use bevy_app::{App, FixedUpdate, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_ugas::AttributeReadError;
use bevy_ugas::event::AbilityRevoked;
use bevy_ugas::net::transport::memory::{MemoryPort, MemoryServer};
use bevy_ugas::net::transport::{Access, Admission, ConnectToken, ProtocolId};
use bevy_ugas::net::{
    ClientEndpoint, ClientJoined, ClientLeft, RemoteController, ServerEndpoint, ServerJoined, ServerLost,
    UgasClient, UgasClientPlugin, UgasServer, UgasServerPlugin, Viewer, entity_of_controller, protocol,
};
use bevy_ugas::prelude::*;
use ugas::{AbilityDef, AbilityGrantDef, Catalog, ControllerDef, ReplicationMode, TaskDef};

use crate::fixture::*;

/// A fully replicated mage, with a bolt that hits at once.
pub(crate) fn rules() -> std::sync::Arc<Catalog> {
    let duelist = ControllerDef {
        replication: ReplicationMode::Full,
        ..ControllerDef::new("Duelist")
            .with_set("Combat")
            .with_ability(AbilityGrantDef::new("GA_Zap"))
            .with_ability(AbilityGrantDef::new("GA_Focus"))
    };
    let focus = AbilityDef::new("GA_Focus").task(TaskDef::wait(0.5));
    let zap = AbilityDef::new("GA_Zap")
        .cost("GE_BoltCost")
        .task(TaskDef::commit())
        .task(TaskDef::apply_to_target("GE_Hit"));
    builder().ability(zap).ability(focus).template(duelist).build().unwrap()
}

pub(crate) fn app_over(network: impl bevy_app::Plugin) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(network)
        .add_plugins(UgasPlugins::from_catalog(rules()));
    app
}

pub(crate) fn welcome(joined: On<'_, '_, ClientJoined>, mut commands: Commands<'_, '_>) {
    let client = joined.client;
    let mut duelist = commands.spawn(GameplayController::new("Duelist"));
    duelist.in_gameplay(move |game, duelist| game.give(duelist, client));
}

pub(crate) fn server() -> (App, MemoryPort) {
    let memory = MemoryServer::new(4);
    let port = memory.port();
    let mut app = app_over(UgasServerPlugin::new(ServerEndpoint::Memory(memory)));
    app.add_observer(welcome);
    (app, port)
}

fn client(port: &MemoryPort, peer: u64) -> App {
    app_over(UgasClientPlugin::new(ClientEndpoint::Memory(port.clone(), peer), peer))
}

/// Server and clients, step by step.
pub(crate) fn play(server: &mut App, clients: &mut [&mut App], steps: u32) {
    for _ in 0..steps {
        for client in clients.iter_mut() {
            client.update();
        }
        server.update();
    }
}

/// The player's own entity, or another one.
pub(crate) fn seen(app: &mut App, is_own: bool) -> Vec<Entity> {
    let mut query = app.world_mut().query::<(Entity, &RemoteController)>();
    let found = query.iter(app.world()).filter(|(_, remote)| remote.is_own == is_own);
    found.map(|(entity, _)| entity).collect()
}

#[test]
fn client_entities_appear_with_replicated_state() {
    let (mut server, port) = server();
    let (mut ada, mut bob) = (client(&port, 1), client(&port, 2));
    let notes = Notes::default();
    ada.insert_resource(notes.clone());
    ada.add_observer(|_: On<'_, '_, ServerJoined>, notes: Res<'_, Notes>| notes.note("joined"));
    play(&mut server, &mut [&mut ada, &mut bob], 90);
    assert_eq!(notes.take(), ["joined"]);
    assert!(ada.world().resource::<UgasClient>().is_playing);
    assert_eq!(server.world().resource::<UgasServer>().clients, 2);
    for app in [&mut ada, &mut bob] {
        let (own, others) = (seen(app, true), seen(app, false));
        assert_eq!((own.len(), others.len()), (1, 1));
        assert_eq!(get::<RemoteController>(app, own[0]).template.as_deref(), Some("Duelist"));
        assert_eq!(get::<Attributes>(app, own[0]).current("Mana"), Ok(50.0));
        assert_eq!(get::<Attributes>(app, others[0]).current("Health"), Ok(100.0));
        assert!(get::<Abilities>(app, own[0]).has("GA_Zap"));
    }
}

#[test]
fn player_action_is_predicted_confirmed_and_replicated() {
    let (mut server, port) = server();
    let (mut ada, mut bob) = (client(&port, 1), client(&port, 2));
    play(&mut server, &mut [&mut ada, &mut bob], 90);
    let notes = Notes::default();
    bob.insert_resource(notes.clone());
    bob.on_attribute("Health", |In(change): In<AttributeChanged>, notes: Res<'_, Notes>| {
        notes.note(format!("{} to {}", change.old, change.new));
    });
    bob.on_cue("GameplayCue", |In(cue): In<CueChange>, notes: Res<'_, Notes>| {
        if let CueChange::Burst(cue) = cue {
            notes.note(cue.name.to_string());
        }
    });
    let (own, other) = (seen(&mut ada, true)[0], seen(&mut ada, false)[0]);
    let sent = game(&mut ada).activate_on(own, "GA_Zap", other).unwrap();
    assert!(matches!(sent, bevy_ugas::Activated::Sent(_)));
    // No answer of the server within one step: this is predicted.
    for _ in 0..2 {
        ada.update();
    }
    assert_eq!(get::<Attributes>(&ada, own).current("Mana"), Ok(30.0)); // 50 - 20
    play(&mut server, &mut [&mut ada, &mut bob], 60);
    assert_eq!(ada.world().resource::<UgasClient>().statistics.confirmed, 1);
    assert_eq!(get::<Attributes>(&ada, own).current("Mana"), Ok(30.0));
    assert_eq!(get::<Attributes>(&ada, other).current("Health"), Ok(90.0)); // 100 - 10
    let victim = seen(&mut bob, true)[0];
    assert_eq!(get::<Attributes>(&bob, victim).current("Health"), Ok(90.0));
    let mut told = notes.take();
    told.sort();
    assert_eq!(told, ["100 to 90", "GameplayCue.Impact.Fire"]);
}

#[test]
fn action_in_a_slow_frame_is_visible_in_the_next_step() {
    let (mut server, port) = server();
    let mut ada = client(&port, 1);
    play(&mut server, &mut [&mut ada], 90);
    // Seven or eight frames per second, of eight steps each. The player focuses in every step in which it is
    // possible.
    ada.insert_resource(TimeUpdateStrategy::FixedTimesteps(8));
    ada.add_systems(
        FixedUpdate,
        (|mut game: Gameplay<'_>, duelists: Query<'_, '_, (Entity, &Abilities, &RemoteController)>| {
            for (duelist, abilities, remote) in &duelists {
                if remote.is_own && !abilities.is_active("GA_Focus") {
                    let _ = game.activate(duelist, "GA_Focus");
                }
            }
        })
        .in_set(GameplaySystems::Input),
    );
    let before = ada.world().resource::<UgasClient>().statistics;
    for _ in 0..75 {
        ada.update();
        for _ in 0..8 {
            server.update();
        }
    }
    let after = ada.world().resource::<UgasClient>().statistics;
    let (confirmed, rejected) = (after.confirmed - before.confirmed, after.rejected - before.rejected);
    // Ten seconds, half a second each; some are late until the clock has adapted to the slow frames.
    assert!(confirmed >= 14, "{confirmed} confirmed, {rejected} rejected");
    assert!(rejected <= 3, "{confirmed} confirmed, {rejected} rejected");
}

#[test]
fn client_cannot_change_the_game() {
    let (mut server, port) = server();
    let mut ada = client(&port, 1);
    play(&mut server, &mut [&mut ada], 90);
    let own = seen(&mut ada, true)[0];
    assert_eq!(game(&mut ada).apply("GE_Hit", None, own), Err(GameplayError::NotAuthority));
    let refused = game(&mut ada).install(catalog()).unwrap_err();
    assert_eq!(refused, GameplayError::RulesInUse);
    // Without mana, the client itself refuses the activation.
    for _ in 0..2 {
        game(&mut ada).activate(own, "GA_Zap").unwrap();
        play(&mut server, &mut [&mut ada], 30);
    }
    let refused = game(&mut ada).activate(own, "GA_Zap").unwrap_err();
    assert!(
        matches!(&refused, GameplayError::Activation(refusal) if refusal.code() == "CannotAfford"),
        "{refused}"
    );
}

#[test]
fn leaving_client_disappears_for_all_others() {
    let (mut server, port) = server();
    let (mut ada, mut bob) = (client(&port, 1), client(&port, 2));
    let notes = Notes::default();
    server.insert_resource(notes.clone());
    server.add_observer(|left: On<'_, '_, ClientLeft>, notes: Res<'_, Notes>| {
        notes.note(format!("left {:?}", left.reason));
    });
    play(&mut server, &mut [&mut ada, &mut bob], 90);
    // The server despawns the controller of a client that leaves.
    let owned: Vec<Entity> = game(&mut server).entities().map(|(entity, _)| entity).collect();
    assert_eq!(owned.len(), 2);
    game(&mut ada).leave().unwrap();
    play(&mut server, &mut [&mut ada, &mut bob], 30);
    assert_eq!(notes.take(), ["left None"]);
    server.world_mut().despawn(owned[0]);
    play(&mut server, &mut [&mut bob], 30);
    assert_eq!(seen(&mut bob, false).len() + seen(&mut bob, true).len(), 1);
}

#[test]
fn relevance_rule_controls_visibility() {
    let memory = MemoryServer::new(4);
    let port = memory.port();
    // The own controllers are not asked about, and entities have components.
    let wounded_only = |world: &World, viewer: Viewer<'_>, other: Entity| {
        assert!(!viewer.own.contains(&other) && viewer.own.len() <= 1);
        world.get::<Attributes>(other).unwrap().current("Health").unwrap() < 100.0
    };
    let plugin = UgasServerPlugin::new(ServerEndpoint::Memory(memory)).with_relevance(6, wounded_only);
    let mut server = app_over(plugin);
    server.add_observer(welcome);
    let healthy = spawn(&mut server, "Duelist");
    let mut ada = client(&port, 1);
    play(&mut server, &mut [&mut ada], 90);
    assert_eq!((seen(&mut ada, true).len(), seen(&mut ada, false).len()), (1, 0));
    game(&mut server).apply("GE_Hit", None, healthy).unwrap();
    play(&mut server, &mut [&mut ada], 60);
    assert_eq!(seen(&mut ada, false).len(), 1);
}

/// The order of configuration calls must not change visibility.
#[test]
fn with_config_does_not_override_with_relevance() {
    let memory = MemoryServer::new(4);
    let port = memory.port();
    let plugin = UgasServerPlugin::new(ServerEndpoint::Memory(memory))
        // A controller spawned between two evaluations is hidden until the next, which never happens here.
        .with_relevance(100_000, |_, _, _| true)
        .with_config(protocol::ServerConfig::default());
    let mut server = app_over(plugin);
    server.add_observer(welcome);
    spawn(&mut server, "Duelist");
    let mut ada = client(&port, 1);
    play(&mut server, &mut [&mut ada], 90);
    assert_eq!((seen(&mut ada, true).len(), seen(&mut ada, false).len()), (1, 0));
}

#[test]
fn network_plugin_can_be_added_after_the_rules() {
    let memory = MemoryServer::new(4);
    let port = memory.port();
    let late = |network: &mut dyn FnMut(&mut App)| {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
            .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .add_plugins(UgasPlugins::from_catalog(rules()));
        network(&mut app);
        app
    };
    let mut memory = Some(memory);
    let mut server = late(&mut |app| {
        let endpoint = ServerEndpoint::Memory(memory.take().unwrap());
        app.add_plugins(UgasServerPlugin::new(endpoint));
    });
    server.add_observer(welcome);
    let mut ada = late(&mut |app| {
        app.add_plugins(UgasClientPlugin::new(ClientEndpoint::Memory(port.clone(), 1), 1));
    });
    play(&mut server, &mut [&mut ada], 90);
    assert_eq!(seen(&mut ada, true).len(), 1);

    // But not after a controller was spawned.
    watch_log();
    let mut app = app();
    let wolf = spawn(&mut app, "Wolf");
    app.add_plugins(UgasClientPlugin::new(ClientEndpoint::Memory(port, 2), 2));
    assert!(game(&mut app).apply("GE_Hit", None, wolf).is_ok());
    assert!(logged("ERROR").iter().any(|line| line.contains("the network could not start")));
}

#[test]
fn withheld_attributes_read_as_not_replicated() {
    let (mut server, port) = server();
    let mut ada = client(&port, 1);
    // Others see tags and cues of a Mixed controller.
    server.world_mut().spawn(GameplayController::new("Wolf"));
    play(&mut server, &mut [&mut ada], 90);
    let (own, others) = (seen(&mut ada, true), seen(&mut ada, false));
    assert!(get::<Attributes>(&ada, own[0]).read("Health").is_ok());
    let wolf = get::<Attributes>(&ada, others[0]);
    assert_eq!(wolf.read("Health").unwrap_err(), AttributeReadError::NotReplicated);
    assert_eq!(wolf.read("Nonsense").unwrap_err(), AttributeReadError::Missing);
    assert_eq!(wolf.current("Health"), Err(AttributeReadError::NotReplicated));
    assert_eq!(wolf.base("Health"), Err(AttributeReadError::NotReplicated));
    assert_eq!(wolf.current("Nonsense"), Err(AttributeReadError::Missing));
    assert!(wolf.value("Health").is_none());
    assert!(wolf.withheld().iter().any(|withheld| &*withheld.name == "Health"));
    let game = ada.world().resource::<bevy_ugas::GameplayWorld>();
    let error = game.value(others[0], "Health").unwrap_err();
    assert_eq!(game.describe(&error), "`Health` is not replicated to this client");
    assert_eq!(game.current(others[0], "Health"), None);
}

#[test]
fn remote_controller_observer_can_read_components() {
    let (mut server, port) = server();
    let mut ada = client(&port, 1);
    let notes = Notes::default();
    ada.insert_resource(notes.clone());
    ada.add_observer(
        |came: On<'_, '_, Add, RemoteController>,
         shown: Query<'_, '_, (&GameplayController, &Attributes, &Abilities)>,
         notes: Res<'_, Notes>| {
            let (controller, attributes, abilities) = shown.get(came.entity).unwrap();
            let (has_id, mana) = (controller.id().is_some(), attributes.current("Mana").unwrap());
            notes.note(format!("{has_id} {mana} {}", abilities.has("GA_Zap")));
        },
    );
    play(&mut server, &mut [&mut ada], 90);
    assert_eq!(notes.take(), ["true 50 true"]);
}

#[test]
fn client_emits_activation_start_and_end() {
    let (mut server, port) = server();
    let mut ada = client(&port, 1);
    play(&mut server, &mut [&mut ada], 90);
    let notes = Notes::default();
    ada.insert_resource(notes.clone());
    ada.add_observer(|run: On<'_, '_, AbilityActivated>, notes: Res<'_, Notes>| {
        notes.note(format!("{} begins", run.name));
    });
    ada.add_observer(|run: On<'_, '_, AbilityEnded>, notes: Res<'_, Notes>| {
        notes.note(format!("{} ends", run.name));
    });
    ada.add_observer(|gone: On<'_, '_, AbilityRevoked>, notes: Res<'_, Notes>| {
        notes.note(format!("{} is revoked", gone.name));
    });
    // Started and predicted by the player.
    let own = seen(&mut ada, true)[0];
    game(&mut ada).activate(own, "GA_Focus").unwrap();
    play(&mut server, &mut [&mut ada], 120);
    assert_eq!(notes.take(), ["GA_Focus begins", "GA_Focus ends"]);
    // Started by the server.
    let duelist = game(&mut server).entities().next().unwrap().0;
    game(&mut server).activate(duelist, "GA_Focus").unwrap();
    play(&mut server, &mut [&mut ada], 120);
    assert_eq!(notes.take(), ["GA_Focus begins", "GA_Focus ends"]);
    // Started and cancelled by the server.
    game(&mut server).activate(duelist, "GA_Focus").unwrap();
    play(&mut server, &mut [&mut ada], 12);
    game(&mut server).cancel(duelist, "GA_Focus").unwrap();
    play(&mut server, &mut [&mut ada], 120);
    assert_eq!(notes.take(), ["GA_Focus begins", "GA_Focus ends"]);
    let focus = game(&mut server).ability(duelist, "GA_Focus").unwrap();
    game(&mut server).revoke(focus).unwrap();
    play(&mut server, &mut [&mut ada], 60);
    assert_eq!(notes.take(), ["GA_Focus is revoked"]);
}

#[test]
fn server_components_are_updated_like_local_ones() {
    let (mut server, _) = server();
    count_changes::<Attributes>(&mut server);
    let wolves = [spawn(&mut server, "Wolf"), spawn(&mut server, "Wolf")];
    server.update();
    server.update();
    changes::<Attributes>(&mut server);
    game(&mut server).apply("GE_Hit", wolves[0], wolves[1]).unwrap();
    for _ in 0..60 {
        server.update();
    }
    assert_eq!(get::<Attributes>(&server, wolves[1]).current("Health"), Ok(50.0));
    assert_eq!(changes::<Attributes>(&mut server), 1);
}

#[test]
fn unreachable_server_emits_server_lost() {
    // A port that was free a moment ago, and that nobody listens on.
    let nobody = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let protocol = ProtocolId::of(protocol::message::PROTOCOL, rules().hash());
    let admission = Admission { timeout: std::time::Duration::from_secs(1), ..Admission::new(7, nobody) };
    let token = ConnectToken::without_secrets(protocol, &admission).unwrap();
    let mut ada = app_over(UgasClientPlugin::new(ClientEndpoint::Udp(Box::new(token)), 7));
    let lost = Notes::default();
    ada.insert_resource(lost.clone());
    ada.add_observer(|gone: On<'_, '_, ServerLost>, notes: Res<'_, Notes>| notes.note(gone.describe()));
    for _ in 0..3_000 {
        ada.update();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(lost.take(), ["the server does not answer: check the address, and that it is running"]);
}

#[test]
fn refused_client_gets_the_reason() {
    let (mut server, port) = server();
    let mut ada = App::new();
    ada.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(UgasClientPlugin::new(ClientEndpoint::Memory(port, 1), 1))
        .add_plugins(UgasPlugins::from_catalog(catalog()));
    let lost = Notes::default();
    ada.insert_resource(lost.clone());
    ada.add_observer(|gone: On<'_, '_, ServerLost>, notes: Res<'_, Notes>| notes.note(gone.describe()));
    play(&mut server, &mut [&mut ada], 90);
    let told = lost.take();
    assert!(told.len() == 1 && told[0].contains("load the server's pack"), "{told:?}");
}

#[test]
fn client_and_server_work_over_udp() {
    let listen = "127.0.0.1:0".parse().unwrap();
    let endpoint = ServerEndpoint::Udp { listen, access: Access::OpenOnLoopback };
    let mut server = app_over(UgasServerPlugin::new(endpoint));
    server.add_observer(welcome);
    server.update();
    server.update();
    let address = server.world().resource::<UgasServer>().address.unwrap();
    let protocol = ProtocolId::of(protocol::message::PROTOCOL, rules().hash());
    let token = ConnectToken::without_secrets(protocol, &Admission::new(7, address)).unwrap();
    let mut ada = app_over(UgasClientPlugin::new(ClientEndpoint::Udp(Box::new(token)), 7));
    let lost = Notes::default();
    ada.insert_resource(lost.clone());
    ada.add_observer(|gone: On<'_, '_, ServerLost>, notes: Res<'_, Notes>| notes.note(format!("{gone:?}")));
    for _ in 0..2_000 {
        play(&mut server, &mut [&mut ada], 1);
        if !seen(&mut ada, true).is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    panic!("the player's own controller never came: {:?}", lost.take());
}

#[test]
fn c1_cues_of_a_server_reach_observers_of_a_client_with_their_context() {
    use bevy_ugas::event::{CueBurst, CueStarted};
    let (mut server, port) = server();
    let mut ada = client(&port, 1);
    let notes = Notes::default();
    ada.insert_resource(notes.clone());
    ada.add_observer(|cue: On<'_, '_, CueBurst>, notes: Res<'_, Notes>| {
        notes.note(format!("{} {} {:?}", cue.name, cue.parameters.magnitude, cue.parameters.location()));
        assert!(cue.circumstances.source.is_some());
    });
    ada.add_observer(|cue: On<'_, '_, CueStarted>, notes: Res<'_, Notes>| {
        let causer = cue.parameters.details.as_ref().and_then(|details| details.causer);
        notes.note(format!("{} {causer:?} {:?}", cue.name, cue.parameters.location()));
        assert!(cue.circumstances.source.is_some());
    });
    let wolf = server.world_mut().spawn(GameplayController::new("Wolf")).id();
    play(&mut server, &mut [&mut ada], 90);
    let mut game = game(&mut server);
    let context = game.context(wolf).unwrap().at([1.0, 2.0, 3.0]).caused_by(ugas::ActorId(7));
    game.execute_cue(wolf, "GameplayCue.Impact.Fire", 4.0, &context).unwrap();
    game.add_cue(wolf, "GameplayCue.Status.Poison", &context).unwrap();
    play(&mut server, &mut [&mut ada], 30);
    let mut told = notes.take();
    told.sort();
    let expected = [
        "GameplayCue.Impact.Fire 4 Some([1.0, 2.0, 3.0])",
        "GameplayCue.Status.Poison Some(ActorId(7)) Some([1.0, 2.0, 3.0])",
    ];
    assert_eq!(told, expected);
}

/// A host that refuses strangers, lets nobody reach entity `unreachable`, and kicks at the third rejection.
struct StrictHost {
    unreachable: Entity,
    notes: Notes,
}

impl protocol::Host for StrictHost {
    fn admit(&mut self, _: protocol::PeerId, credential: &[u8]) -> Result<(), String> {
        if credential == b"friend" { Ok(()) } else { Err("only friends may enter".to_owned()) }
    }

    fn class(
        &self,
        _: &ugas::Simulation,
        _: protocol::message::ClientId,
        _: ugas::ControllerId,
    ) -> protocol::schedule::ActorClass {
        self.notes.note("class");
        protocol::schedule::ActorClass::ImportantAi
    }

    fn reaches(
        &self,
        simulation: &ugas::Simulation,
        positions: &protocol::history::Positions,
        reach: protocol::Reach<'_>,
    ) -> bool {
        let target = reach.target.controller().and_then(|target| entity_of_controller(simulation, target));
        target != Some(self.unreachable) && protocol::within_range(simulation, positions, reach)
    }

    fn may_choose(
        &self,
        _: &ugas::Simulation,
        _: protocol::message::ClientId,
        _: ugas::AbilityId,
        targets: &ugas::TargetData,
    ) -> bool {
        self.notes.note(format!("chose {}", targets.len()));
        true
    }

    fn rejected(
        &mut self,
        _: protocol::message::ClientId,
        _: protocol::message::Rejection,
        count: u32,
    ) -> protocol::AfterRejection {
        self.notes.note(format!("rejected {count}"));
        if count >= 3 { protocol::AfterRejection::Kick } else { protocol::AfterRejection::Keep }
    }
}

#[test]
fn supplied_host_decides_about_admission_reach_choice_and_rejection() {
    let memory = MemoryServer::new(4);
    let port = memory.port();
    // The entity is known before the plugin is added, as a host may share anything with the app.
    let mut server = App::new();
    let unreachable = server.world_mut().spawn_empty().id();
    let notes = Notes::default();
    let host = StrictHost { unreachable, notes: notes.clone() };
    server
        .add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_plugins(UgasServerPlugin::new(ServerEndpoint::Memory(memory)).with_host(host))
        .add_plugins(UgasPlugins::from_catalog(rules()))
        .add_observer(welcome);
    server.world_mut().entity_mut(unreachable).insert(GameplayController::new("Duelist"));
    let knocking = |peer: u64, credential: &[u8]| {
        let config = protocol::ClientConfig { credential: credential.to_vec(), ..Default::default() };
        app_over(UgasClientPlugin::new(ClientEndpoint::Memory(port.clone(), peer), peer).with_config(config))
    };
    let (mut ada, mut eve) = (knocking(1, b"friend"), knocking(2, b"foe"));
    let lost = Notes::default();
    eve.insert_resource(lost.clone());
    eve.add_observer(|gone: On<'_, '_, ServerLost>, notes: Res<'_, Notes>| notes.note(gone.describe()));
    play(&mut server, &mut [&mut ada, &mut eve], 90);
    assert!(lost.take()[0].contains("only friends may enter"));
    assert_eq!(server.world().resource::<UgasServer>().clients, 1);
    assert!(notes.take().contains(&"class".to_owned()));
    let (own, other) = (seen(&mut ada, true)[0], seen(&mut ada, false)[0]);
    for times in 1..=3 {
        // Mana suffices for two bolts: rejected ones cost nothing.
        game(&mut ada).activate_on(own, "GA_Zap", other).unwrap();
        play(&mut server, &mut [&mut ada], 30);
        let noted = notes.take();
        assert!(noted.contains(&format!("rejected {times}")), "{noted:?}");
        assert!(noted.contains(&"chose 1".to_owned()), "{noted:?}");
    }
    assert_eq!(get::<Attributes>(&server, unreachable).current("Health"), Ok(100.0));
    play(&mut server, &mut [&mut ada], 30);
    assert_eq!(server.world().resource::<UgasServer>().clients, 0);
}

#[test]
fn events_of_a_vanishing_controller_reach_observers_of_a_client() {
    use bevy_ugas::event::CueEnded;
    let (mut server, port) = server();
    let mut ada = client(&port, 1);
    let notes = Notes::default();
    ada.insert_resource(notes.clone());
    ada.add_observer(|cue: On<'_, '_, CueEnded>, notes: Res<'_, Notes>| {
        notes.note(format!("{} on {}", cue.name, cue.entity));
    });
    let wolf = server.world_mut().spawn(GameplayController::new("Wolf")).id();
    play(&mut server, &mut [&mut ada], 90);
    game(&mut server).apply("GE_Poison", None, wolf).unwrap();
    play(&mut server, &mut [&mut ada], 30);
    let shown = seen(&mut ada, false)[0];
    server.world_mut().despawn(wolf);
    play(&mut server, &mut [&mut ada], 30);
    assert!(ada.world().get_entity(shown).is_err());
    assert_eq!(notes.take(), [format!("GameplayCue.Status.Poison on {shown}")]);
}

#[test]
fn failed_network_can_be_started_again() {
    for is_rules_first in [false, true] {
        let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let listen = taken.local_addr().unwrap();
        let network =
            || UgasServerPlugin::new(ServerEndpoint::Udp { listen, access: Access::OpenOnLoopback });
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin));
        match is_rules_first {
            true => app.add_plugins(UgasPlugins::from_catalog(rules())).add_plugins(network()),
            false => app.add_plugins(network()).add_plugins(UgasPlugins::from_catalog(rules())),
        };
        assert_eq!(game(&mut app).rules_state(), RulesState::Failed, "rules first: {is_rules_first}");
        let problem = game(&mut app).problem().unwrap().to_owned();
        assert!(problem.contains(&listen.to_string()), "{problem}");
        // Neither does it help to install the rules again,
        assert!(matches!(game(&mut app).install(rules()), Err(GameplayError::Socket(_))));
        // until the address is free.
        drop(taken);
        game(&mut app).install(rules()).unwrap();
        assert!(game(&mut app).server().is_some());
        assert_eq!(game(&mut app).problem(), None);
    }
}

#[test]
fn second_network_plugin_is_refused() {
    let memory = MemoryServer::new(4);
    let port = memory.port();
    let mut app = app_over(UgasServerPlugin::new(ServerEndpoint::Memory(memory)));
    app.add_plugins(UgasClientPlugin::new(ClientEndpoint::Memory(port, 1), 1));
    assert!(game(&mut app).server().is_some());
    assert!(game(&mut app).problem().unwrap().contains("one server or client"));
}
