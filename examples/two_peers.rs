//! A server and a client that predicts, 200 ms and 5 % loss apart: `cargo run --example two_peers`.
//!
//! The first spell is confirmed: the player sees it at once, and nothing changes when the server answers. The
//! second one is rejected, because the server has silenced the mage and the client did not know: its
//! prediction is undone.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use ugas::net::{ClientConfig, ClientEvent, Defaults, Server, ServerConfig, ServerEvent};
use ugas::netsim::Rig;
use ugas::netsim::link::Conditions;
use ugas::prelude::*;
use ugas::{Role, Time};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let catalog = Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0).min(0.0))
                .with(AttributeDef::new("Mana", 100.0).min(0.0)),
        )
        .effect(EffectDef::instant("GE_Bolt_Cost").modify("Mana", Operation::Add, -30.0))
        .effect(EffectDef::lasting("GE_Bolt_Cooldown", 1.0).granting("Cooldown.Bolt"))
        .effect(EffectDef::instant("GE_Bolt_Hit").modify("Health", Operation::Add, -25.0))
        .effect(EffectDef::lasting("GE_Silence", 5.0).granting("State.Silenced"))
        .ability(
            AbilityDef::new("GA_Bolt")
                .cost("GE_Bolt_Cost")
                .cooldown("GE_Bolt_Cooldown")
                .blocked_by("State.Silenced")
                .task(TaskDef::commit())
                .task(TaskDef::apply_to_target("GE_Bolt_Hit")),
        )
        .template(ControllerDef::new("Mage").with_set("Combat").with_ability(AbilityGrantDef::new("GA_Bolt")))
        .template(ControllerDef::new("Ogre").with_set("Combat"))
        .build()?;
    let mut simulation = Simulation::new(catalog.clone(), Config { role: Role::Server, ..Config::seeded(7) });
    let ogre = simulation.spawn("Ogre")?;

    let mut rig = Rig::new(Server::new(simulation, ServerConfig::default()), 1);
    rig.join(ClientConfig::default(), Conditions::bad());
    let mut mage = None;
    while rig.now() < Time::from_seconds(2.0) {
        rig.step();
        while let Some(event) = rig.server.poll_event() {
            if let ServerEvent::Joined { client, .. } = event {
                let new = rig.server.simulation_mut().spawn("Mage")?;
                rig.server.give(new, client);
                mage = Some(new);
            }
        }
    }
    let mage = mage.ok_or("the client was let in")?;
    while rig.seats[0].client.poll_event().is_some() {}

    println!("round trip: {:.0} ms\n", rig.seats[0].client.round_trip().as_seconds() * 1_000.0);
    println!("a spell that is confirmed:");
    cast(&mut rig, ogre)?;
    follow(&mut rig, mage, 0.6);

    println!("\na spell that is rejected: the server has silenced the mage, and the client does not know");
    rig.run(Span::seconds(1.5));
    while rig.seats[0].client.poll_event().is_some() {}
    let silence = catalog.effect("GE_Silence")?;
    rig.server.simulation_mut().apply_effect(silence, Some(ogre), mage)?;
    cast(&mut rig, ogre)?;
    follow(&mut rig, mage, 0.6);

    let statistics = rig.seats[0].client.statistics();
    println!("\n{} confirmed, {} rejected", statistics.confirmed, statistics.rejected);
    assert_eq!((statistics.confirmed, statistics.rejected), (1, 1));
    Ok(())
}

/// The player of the only client casts at the ogre.
fn cast(rig: &mut Rig<Defaults>, ogre: ControllerId) -> Result<(), Box<dyn std::error::Error>> {
    let client = &mut rig.seats[0].client;
    let mage = client.own_controllers().next().ok_or("the server gave it a mage")?;
    let target = client.local(ogre).ok_or("the ogre is in view")?;
    let bolt = client.simulation().controller(mage).ok_or("the mage is there")?.abilities()[0];
    client.activate(bolt, ActivationRequest::on(target))?;
    Ok(())
}

/// Prints the events of the client, and the mage's mana on both sides whenever it changes.
fn follow(rig: &mut Rig<Defaults>, mage: ControllerId, seconds: f64) {
    let (start, mut last) = (rig.now(), (f64::NAN, f64::NAN));
    while rig.now().since(start).as_seconds() < seconds {
        rig.step();
        let at = rig.now().since(start).as_seconds() * 1_000.0;
        let client = &mut rig.seats[0].client;
        while let Some(event) = client.poll_event() {
            let what = match event {
                ClientEvent::Confirmed { .. } => "the server confirms".to_owned(),
                ClientEvent::Rejected { rejection, .. } => format!("the server rejects: {rejection}"),
                ClientEvent::TagAdded { tag, .. } => format!("client: + {}", client.catalog().tag_name(tag)),
                ClientEvent::TagRemoved { tag, .. } => {
                    format!("client: - {}", client.catalog().tag_name(tag))
                }
                _ => continue,
            };
            println!("{at:5.0} ms  {what}");
        }
        let mana = client.catalog().attribute("Mana").expect("it is in the rules");
        let local = client.local(mage);
        let shown = local.and_then(|local| client.simulation().current(local, mana)).unwrap_or(f64::NAN);
        let truth = rig.server.simulation().current(mage, mana).unwrap_or(f64::NAN);
        if (shown, truth) != last {
            println!("{at:5.0} ms  mana: client {shown:3.0}, server {truth:3.0}");
            last = (shown, truth);
        }
    }
}
