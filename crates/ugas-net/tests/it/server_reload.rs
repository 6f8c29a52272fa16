//! Hot reload of a running server.

use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::Span;
use ugas_net::message::{ByeReason, RefusedReason};
use ugas_net::{ClientConfig, ClientEvent, Defaults, Server, ServerConfig, ServerEvent};
use ugas_netsim::Rig;
use ugas_netsim::link::Conditions;

/// Rules with one attribute; `extra` effects come before all others, so that ids differ.
fn rules(extra: usize) -> Arc<Catalog> {
    use ugas_core::attribute::{AttributeDef, AttributeSetDef};
    use ugas_core::controller::ControllerDef;

    let mut builder = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
        .effect(
            EffectDef::infinite("GE_Wound").modify("Health", Operation::Add, -10.0).granting("State.Wounded"),
        )
        .template(ControllerDef::new("Hero").with_set("Combat"));
    for number in 0..extra {
        builder =
            builder.effect(EffectDef::infinite(format!("GE_A{number}")).granting(format!("A.Tag{number}")));
    }
    builder.build().expect("the rules are sound")
}

/// Runs for a second, and gives a hero to whoever joins. Returns the events of the server but those of the game.
fn run(rig: &mut Rig<Defaults>) -> Vec<ServerEvent> {
    let mut events = Vec::new();
    for _ in 0..240 {
        rig.step();
        while let Some(event) = rig.server.poll_event() {
            if let ServerEvent::Joined { client, .. } = event {
                let known = rig.server.simulation().controllers().next().map(|(id, _)| id);
                let hero = known.unwrap_or_else(|| rig.server.simulation_mut().spawn("Hero").unwrap());
                rig.server.give(hero, client);
            }
            if !matches!(event, ServerEvent::Game(_)) {
                events.push(event);
            }
        }
    }
    events
}

fn events(rig: &mut Rig<Defaults>, seat: usize) -> Vec<ClientEvent> {
    let mut events = Vec::new();
    while let Some(event) = rig.seats[seat].client.poll_event() {
        events.push(event);
    }
    events
}

#[test]
fn sessions_end_at_a_reload_and_begin_again_with_the_new_rules() {
    let simulation = Simulation::new(rules(0), Config::default());
    let mut rig = Rig::new(Server::new(simulation, ServerConfig::default()), 3);
    let conditions = Conditions { delay: Span::millis(20), ..Conditions::perfect() };
    let old = rig.join(ClientConfig::default(), conditions);
    run(&mut rig);
    let hero = rig.server.simulation().controllers().next().unwrap().0;
    let wound = rig.server.catalog().effect("GE_Wound").unwrap();
    rig.server.simulation_mut().apply_effect(wound, None, hero).unwrap();
    run(&mut rig);
    events(&mut rig, old);

    let before = rig.server.catalog().hash();
    rig.server.reload(rules(3), None).unwrap();
    assert_ne!(rig.server.catalog().hash(), before);
    let told = run(&mut rig);
    assert!(matches!(
        told[..],
        [ServerEvent::Reloaded, ServerEvent::Left { reason: Some(ByeReason::Shutdown), .. }]
    ));
    assert_eq!(rig.server.owner(hero), None);
    let heard = events(&mut rig, old);
    assert!(heard.contains(&ClientEvent::Disconnected(Some(ByeReason::Shutdown))), "{heard:?}");

    // The rig's next client has the new rules, and sees the state of before.
    let new = rig.join(ClientConfig::default(), conditions);
    run(&mut rig);
    let client = &rig.seats[new].client;
    let local = client.local(hero).expect("it is in view");
    let health = client.catalog().attribute("Health").unwrap();
    assert_eq!(client.value(local, health).unwrap().current, 90.0); // 100 and a wound of 10
}

#[test]
fn client_with_the_old_rules_is_refused_after_a_reload() {
    let simulation = Simulation::new(rules(0), Config::default());
    let mut rig = Rig::new(Server::new(simulation, ServerConfig::default()), 3);
    let seat = rig.join(ClientConfig::default(), Conditions::perfect());
    rig.server.reload(rules(1), None).unwrap();
    run(&mut rig);
    let (server, client) = (rules(1).hash(), rules(0).hash());
    let refused = ClientEvent::Refused(RefusedReason::Catalog { server, client });
    assert_eq!(events(&mut rig, seat), [refused]);
}
