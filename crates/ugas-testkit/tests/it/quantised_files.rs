//! N1 and N2 from file to wire: a client reads attributes with the replication mode and precision of the
//! pack.

use std::sync::Arc;

use ugas_core::handle::ControllerId;
use ugas_core::simulation::{Config, ReadError, Simulation};
use ugas_core::time::Span;
use ugas_data::Loader;
use ugas_net::{ClientConfig, Server, ServerConfig, ServerEvent};
use ugas_netsim::Rig;
use ugas_netsim::link::Conditions;

const PACK: &str = "
$schema: x/schemas/attribute_set.json
Name: HeroSet
Attributes:
- { Name: Health, DefaultBaseValue: 99.6, Quantize: { Min: 0, Max: 255, Bits: 8 } }
- { Name: Mana, DefaultBaseValue: 50, ReplicationMode: OwnerOnly }
- { Name: Luck, DefaultBaseValue: 7, ReplicationMode: None }
---
$schema: x/schemas/attribute_set.json
Name: UnusedSet
Attributes:
- { Name: Mana, DefaultBaseValue: 1 }
- { Name: Luck, DefaultBaseValue: 1 }
---
$schema: x/schemas/gameplay_controller.json
Name: Hero
OwnerActor: { ActorID: Hero, ActorType: PlayerState }
ReplicationMode: Full
AttributeSets: [ { Name: HeroSet } ]
";

#[test]
fn packs_decide_what_clients_read() {
    let pack = Loader::new().text("pack.yaml", PACK).load().expect("the pack loads");
    let server =
        Server::new(Simulation::new(Arc::clone(&pack.catalog), Config::seeded(1)), ServerConfig::default());
    let mut rig = Rig::new(server, 1);
    for _ in 0..2 {
        rig.join(ClientConfig::default(), Conditions::perfect());
    }
    let mut heroes: Vec<ControllerId> = Vec::new();
    let end = rig.now() + Span::millis(2_000);
    while rig.now() < end {
        rig.step();
        while let Some(event) = rig.server.poll_event() {
            if let ServerEvent::Joined { client, .. } = event {
                let hero = rig.server.simulation_mut().spawn("Hero").unwrap();
                rig.server.give(hero, client);
                heroes.push(hero);
            }
        }
    }
    let client = &rig.seats[0].client;
    let own = client.own_controllers().next().unwrap();
    let other = heroes.iter().filter_map(|hero| client.local(*hero)).find(|hero| *hero != own).unwrap();
    let read = |controller, name: &str| {
        let attribute = pack.catalog.attribute(name).unwrap();
        match client.value(controller, attribute) {
            Ok(value) => Some((value.base, value.current)),
            Err(ReadError::NotReplicated { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(read(own, "Health"), Some((99.6, 99.6)));
    assert_eq!(read(other, "Health"), Some((100.0, 100.0))); // the nearest of 0, 1, …, 255
    assert_eq!([read(own, "Mana"), read(other, "Mana")], [Some((50.0, 50.0)), None]);
    assert_eq!([read(own, "Luck"), read(other, "Luck")], [None; 2]);
}
