//! Documents in the shapes that the specification prints, in words of our own: all of them load.

use ugas_data::{Loader, Pack};

pub(crate) const SPEC_PACK: &str = include_str!("../fixtures/spec.yaml");

pub(crate) fn load(text: &str) -> Pack {
    Loader::new().text("pack.yaml", text).load().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_shape_of_the_specification_loads() {
    let pack = load(SPEC_PACK);
    for effect in ["GE_Ember_Cost", "GE_Ember_Cooldown", "GE_Venom", "GE_Mire", "GE_Might", "GE_Scald"] {
        assert!(pack.catalog.effect(effect).is_ok(), "{effect}");
    }
    assert!(pack.catalog.ability("GA_Ember").is_ok());
    assert!(pack.catalog.template("Ranger").is_ok());
    assert!(pack.catalog.attribute("EffectiveVigour").is_ok());
    let warnings: Vec<_> = pack.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    // §14.3 prints abilities in a wrapper without `$schema`.
    assert!(warnings.contains(&"UG007"), "{warnings:?}");
}

#[test]
fn a_loaded_pack_runs() {
    use ugas_core::simulation::{Config, Simulation};
    let pack = load(SPEC_PACK);
    let vigour = pack.catalog.attribute("Vigour").unwrap();
    let mut simulation = Simulation::new(pack.catalog.clone(), Config::seeded(1));
    let ranger = simulation.spawn("Ranger").unwrap();
    // The template's base of 80.
    assert_eq!(simulation.base(ranger, vigour), Some(80.0));
}
