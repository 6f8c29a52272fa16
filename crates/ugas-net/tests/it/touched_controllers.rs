//! `Server::take_touched`: which controllers a host has to look at.

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::EffectDef;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::time::Time;
use ugas_net::{Server, ServerConfig};

#[test]
fn take_touched_lists_touched_controllers_that_exist() {
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
        .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -10.0))
        .template(ControllerDef::new("Wolf").with_set("Combat"))
        .build()
        .unwrap();
    let hit = catalog.effect("GE_Hit").unwrap();
    let mut server = Server::new(Simulation::new(catalog, Config::default()), ServerConfig::default());
    let wolves = ["Wolf"; 3].map(|template| server.simulation_mut().spawn(template).unwrap());
    server.tick(Time::ZERO);
    assert_eq!(server.take_touched(), []); // nobody asked
    server.watch_touches();
    assert_eq!(server.take_touched(), wolves);
    server.tick(Time::ZERO);
    assert_eq!(server.take_touched(), []);
    server.simulation_mut().apply_effect(hit, None, wolves[1]).unwrap();
    server.simulation_mut().apply_effect(hit, None, wolves[2]).unwrap();
    server.tick(Time::ZERO);
    server.simulation_mut().despawn(wolves[2]).unwrap();
    assert_eq!(server.take_touched(), [wolves[1]]);
}
