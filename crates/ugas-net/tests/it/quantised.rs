//! N2: the precision that a set gives an attribute is what the wire carries.

use std::sync::Arc;

use proptest::prelude::*;
use ugas_core::attribute::{AttributeDef, AttributeSetDef, Quantize};
use ugas_core::catalog::{Catalog, Problem};
use ugas_core::controller::{ControllerDef, ReplicationMode};
use ugas_core::effect::EffectDef;
use ugas_core::handle::ControllerId;
use ugas_core::modifier::Operation;
use ugas_net::quantise::Quantiser;
use ugas_net::wire::Dictionary;

use crate::taint::Table;

/// Heroes whose numbers are coarse, and a boss whose health is exact.
fn catalog() -> Arc<Catalog> {
    let template = |name: &str, set: &str| {
        let mut template = ControllerDef::new(name).with_set(set);
        template.replication = ReplicationMode::Full;
        template
    };
    let add = |name: &str, attribute: &str, amount: f64| {
        EffectDef::instant(name).modify(attribute, Operation::Add, amount)
    };
    Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("HeroSet")
                .with(AttributeDef::new("Health", 100.0).quantize(0.0, 255.0, 8))
                .with(AttributeDef::new("Energy", 40.0).quantize(0.0, 100.0, 2))
                .with(AttributeDef::new("Speed", 1.1)),
        )
        .attribute_set(AttributeSetDef::new("BossSet").with(AttributeDef::new("Health", 900.25)))
        .effect(add("GE_Scratch", "Health", -0.4))
        .effect(add("GE_Potion", "Health", 200.0))
        .effect(add("GE_Rest", "Energy", 20.0))
        .template(template("Hero", "HeroSet"))
        .template(template("Boss", "BossSet"))
        .build()
        .expect("the rules are sound")
}

/// Base and current value at the first client.
fn read(table: &Table, remote: ControllerId, attribute: &str) -> (f64, f64) {
    let client = &table.clients[0];
    let attribute = client.catalog().attribute(attribute).unwrap();
    let value = client.value(client.local(remote).unwrap(), attribute).unwrap();
    (value.base, value.current)
}

#[test]
fn others_receive_the_nearest_step_and_owners_exact_values() {
    let mut table = Table::new(&catalog(), 1);
    table.run(30);
    let [own, other] = [0, 1].map(|at| table.heroes[at]);
    // Two bits from 0 to 100: 0, 100/3, 200/3, 100. The nearest to 40 is 100/3.
    let third = 100.0 / 3.0;
    let near = |found: (f64, f64), expected: f64| {
        (found.0 - expected).abs() < 1e-9 && (found.1 - expected).abs() < 1e-9
    };
    assert!(near(read(&table, other, "Energy"), third), "{:?}", read(&table, other, "Energy"));
    assert_eq!(read(&table, own, "Energy"), (40.0, 40.0));
    assert_eq!(read(&table, other, "Speed"), (1.1, 1.1)); // without Quantize
    for _ in 0..3 {
        table.afflict(own, "GE_Scratch");
        table.afflict(other, "GE_Scratch");
        table.run(10);
    }
    // 100 - 3 × 0.4 = 98.8; 255 steps from 0 to 255 are whole numbers.
    assert_eq!(read(&table, other, "Health"), (99.0, 99.0));
    assert!(near(read(&table, own, "Health"), 98.8));
    table.afflict(other, "GE_Potion");
    table.afflict(other, "GE_Rest");
    table.run(10);
    assert_eq!(read(&table, other, "Health"), (255.0, 255.0)); // 298.8 is beyond the range
    assert!(near(read(&table, other, "Energy"), 2.0 * third)); // 60
}

#[test]
fn dictionaries_take_the_precision_of_the_sets() {
    let only_heroes = Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("HeroSet")
                .with(AttributeDef::new("Health", 100.0).quantize(0.0, 255.0, 8))
                .with(AttributeDef::new("Speed", 1.1)),
        )
        .build()
        .unwrap();
    let dictionary = Dictionary::of(&only_heroes);
    let attribute = |name| only_heroes.attribute(name).unwrap();
    let eight = Quantiser::Range { min: 0.0, max: 255.0, bits: 8 };
    assert_eq!(dictionary.attribute(attribute("Health")), eight);
    assert_eq!(dictionary.attribute(attribute("Speed")), Quantiser::Exact);
    // A game may say otherwise.
    let exact = dictionary.with_attribute(attribute("Health"), Quantiser::Exact).unwrap();
    assert_eq!(exact.attribute(attribute("Health")), Quantiser::Exact);
}

#[test]
fn sets_that_disagree_are_rounded_each_in_its_own_way() {
    let catalog = catalog();
    let health = catalog.attribute("Health").unwrap();
    assert_eq!(Dictionary::of(&catalog).attribute(health), Quantiser::Exact);
    let mut table = Table::new(&catalog, 1);
    let boss = table.server.simulation_mut().spawn("Boss").unwrap();
    table.run(30);
    let other = table.heroes[1];
    table.afflict(other, "GE_Scratch");
    table.afflict(boss, "GE_Scratch");
    table.run(10);
    assert_eq!(read(&table, other, "Health"), (100.0, 100.0)); // 99.6
    assert_eq!(read(&table, boss, "Health"), (899.85, 899.85)); // 900.25 - 0.4
}

#[test]
fn unusable_precision_is_refused_by_the_catalog() {
    for (min, max, bits) in [(1.0, 1.0, 8), (2.0, 1.0, 8), (0.0, 1.0, 0), (0.0, 1.0, 33), (0.0, f64::NAN, 8)]
    {
        let attribute = AttributeDef::new("Health", 1.0).quantize(min, max, bits);
        let built = Catalog::builder().attribute_set(AttributeSetDef::new("Set").with(attribute)).build();
        let errors = built.expect_err("it cannot be sent");
        let is_meant = |problem: &Problem| matches!(problem, Problem::UnusableQuantize { .. });
        assert!(errors.0.iter().any(|error| is_meant(&error.problem)), "{errors}");
    }
}

proptest! {
    #[test]
    fn core_and_wire_agree_about_usable_precision(
        min in -1e16..1e16_f64,
        width in prop_oneof![-10.0..10.0_f64, 1e-300..1e16_f64],
        bits in 0..40u8,
    ) {
        let quantize = Quantize { min, max: min + width, bits };
        prop_assert_eq!(quantize.is_usable(), Quantiser::from(quantize).check().is_ok(), "{:?}", quantize);
    }
}
