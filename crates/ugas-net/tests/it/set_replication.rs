//! N1: replication of an attribute goes by its set on that controller, and a value that is not sent reads as
//! `NotReplicated`.

use std::sync::Arc;

use ugas_core::attribute::{AttributeDef, AttributeReplication, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::{ControllerDef, ReplicationMode};
use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::{AttributeMagnitudeDef, CaptureFrom, CaptureTime, MagnitudeDef};
use ugas_core::handle::ControllerId;
use ugas_core::modifier::Operation;
use ugas_core::replica::RecordVisibility;
use ugas_core::simulation::{AttributeValue, ReadError};
use ugas_net::{ClientEvent, Ownership, Visibility};

use crate::taint::Table;

const NAMES: [&str; 3] = ["Luck", "Mana", "Armor"];

/// A set with attributes of the three names, which begin at 10, 20 and 30.
fn set(name: &str, modes: [AttributeReplication; 3]) -> AttributeSetDef {
    let attributes = NAMES.into_iter().zip([10.0, 20.0, 30.0]).zip(modes);
    attributes.fold(AttributeSetDef::new(name), |set, ((name, base), mode)| {
        set.with(AttributeDef::new(name, base).replication(mode))
    })
}

/// Four sets that share all attribute names and disagree about their replication. No template has the first and the last in
/// the order of names.
fn catalog() -> Arc<Catalog> {
    use AttributeReplication::{All, None, OwnerOnly};
    let template = |name: &str, set: &str, mode| {
        let mut template = ControllerDef::new(name).with_set(set);
        template.replication = mode;
        template
    };
    // Five, whatever the attribute of the target was at that time.
    let frozen = |attribute: &str| {
        MagnitudeDef::Attribute(Box::new(AttributeMagnitudeDef {
            capture: CaptureTime::OnApplication,
            coefficient: 0.0,
            post_add: 5.0,
            ..AttributeMagnitudeDef::new(CaptureFrom::Target, attribute)
        }))
    };
    let freezing = |name: &str, attribute: &str| {
        EffectDef::lasting(name, 30.0).every(3.0).modify("Armor", Operation::Add, frozen(attribute))
    };
    let mut builder = Catalog::builder()
        .attribute_set(set("A_Unused", [All; 3]))
        .attribute_set(set("Hidden", [None, OwnerOnly, All]))
        .attribute_set(set("Mixed", [All, None, OwnerOnly]))
        .attribute_set(set("Z_Unused", [All; 3]))
        .effect(freezing("GE_Frozen", "Luck"))
        .effect(freezing("GE_FrozenMana", "Mana"))
        .template(template("Hero", "Hidden", ReplicationMode::Full))
        .template(template("Rogue", "Mixed", ReplicationMode::Full))
        .template(template("Ghost", "Hidden", ReplicationMode::Full));
    for name in NAMES {
        for (sign, amount) in [("Plus", 3.0), ("Minus", -4.0)] {
            let effect = EffectDef::instant(format!("GE_{name}_{sign}"));
            builder = builder.effect(effect.modify(name, Operation::Add, amount));
        }
    }
    builder.build().expect("the rules are sound")
}

/// Takes one set from a controller and gives it another, in one tick.
fn swap(table: &mut Table, controller: ControllerId, old: &str, new: &str) {
    let catalog = Arc::clone(table.server.catalog());
    let simulation = table.server.simulation_mut();
    simulation.unregister_set(controller, catalog.attribute_set(old).unwrap()).unwrap();
    simulation.register_set(controller, catalog.attribute_set(new).unwrap()).unwrap();
}

/// Everything that the first client is sent while attributes change that it may not know, by amounts that `secret` chooses.
fn conversation(secret: &str) -> Vec<Vec<u8>> {
    let mut table = Table::new(&catalog(), 1);
    let rogue = table.server.simulation_mut().spawn("Rogue").unwrap();
    let swapped = table.server.simulation_mut().spawn("Ghost").unwrap();
    let framed = table.server.simulation_mut().spawn("Ghost").unwrap();
    let watched = table.server.simulation_mut().spawn("Ghost").unwrap();
    table.run(20);
    let luck = table.server.catalog().attribute("Luck").unwrap();
    let armor = table.server.catalog().attribute("Armor").unwrap();
    let visibility =
        table.server.add_visibility(Visibility::minimal().with_attribute(luck).with_attribute(armor));
    table.server.set_visibility(framed, Ownership::Others, Some(visibility));
    // A spectator sees effects and abilities, but not the attributes that the owner alone receives.
    let spectator =
        table.server.add_visibility(Visibility { records: RecordVisibility::ALL, ..Visibility::full() });
    table.server.set_visibility(watched, Ownership::Others, Some(spectator));
    let hide = |table: &mut Table, controller: ControllerId, names: &[&str]| {
        for name in names {
            table.afflict(controller, &format!("GE_{name}_{secret}"));
        }
    };
    for round in 0..24 {
        let [own, other] = [0, 1].map(|at| table.heroes[at]);
        let is_swapped = (round / 3) % 2 == 1;
        if round % 3 == 0 && round > 0 {
            let (old, new) = if is_swapped { ("Hidden", "Mixed") } else { ("Mixed", "Hidden") };
            swap(&mut table, swapped, old, new);
            swap(&mut table, own, old, new);
        }
        // The set on the controller hides these, and another one with the same names does not.
        hide(&mut table, other, &["Luck", "Mana"]);
        hide(&mut table, rogue, &["Mana", "Armor"]);
        hide(&mut table, framed, &["Luck"]);
        hide(&mut table, watched, &["Luck", "Mana"]);
        table.afflict(watched, "GE_FrozenMana");
        hide(&mut table, swapped, if is_swapped { &["Mana", "Armor"] } else { &["Luck", "Mana"] });
        hide(&mut table, own, if is_swapped { &["Mana"] } else { &["Luck"] });
        // A value that is frozen while its attribute is hidden stays hidden when the next set shows the attribute.
        if !is_swapped {
            table.afflict(own, "GE_Frozen");
            table.afflict(other, "GE_Frozen");
        }
        // Something that everybody may know, so that there is something to send.
        table.afflict(other, "GE_Armor_Plus");
        table.afflict(rogue, "GE_Luck_Plus");
        table.run(7);
    }
    table.sent
}

#[test]
fn values_hidden_by_the_set_of_a_controller_never_leave_the_server() {
    let [one, other] = ["Plus", "Minus"].map(conversation);
    assert_eq!(one.len(), other.len());
    for (at, (one, other)) in one.iter().zip(&other).enumerate() {
        assert_eq!(one, other, "datagram {at}");
    }
    let bytes: usize = one.iter().map(Vec::len).sum();
    assert!(bytes > 1_000, "only {bytes} bytes were sent");
}

/// Values that the first client reads of a controller: the current value of each attribute, or nothing if it is not replicated.
fn reads(table: &Table, remote: ControllerId) -> [Option<f64>; 3] {
    let client = &table.clients[0];
    let controller = client.local(remote).expect("it is in view");
    NAMES.map(|name| {
        let attribute = client.catalog().attribute(name).unwrap();
        let value = client.value(controller, attribute);
        // All ways to read agree, and none gives a default.
        let simulation = client.simulation();
        assert_eq!(simulation.current(controller, attribute), value.ok().map(|value| value.current));
        assert_eq!(simulation.base(controller, attribute), value.ok().map(|value| value.base));
        assert_eq!(simulation.attributes(controller).any(|(id, ..)| id == attribute), value.is_ok());
        assert_eq!(simulation.withheld(controller).any(|id| id == attribute), value.is_err());
        assert_eq!(client.is_shown(controller, attribute), value.is_ok());
        let explanation = simulation.explain(controller, attribute).unwrap();
        assert_eq!((explanation.present, explanation.not_replicated), (value.is_ok(), value.is_err()));
        let page = simulation.debug(controller).unwrap();
        assert_eq!(page.not_replicated.iter().any(|hidden| hidden == name), value.is_err());
        match value {
            Ok(AttributeValue { current, .. }) => Some(current),
            Err(error) => {
                assert_eq!(error, ReadError::NotReplicated { controller, attribute });
                assert_eq!(error.describe(simulation), format!("`{name}` is not replicated to this client"));
                None
            }
        }
    })
}

#[test]
fn withheld_values_read_as_not_replicated() {
    let mut table = Table::new(&catalog(), 1);
    let rogue = table.server.simulation_mut().spawn("Rogue").unwrap();
    let swapped = table.server.simulation_mut().spawn("Ghost").unwrap();
    table.run(30);
    let [own, other] = [0, 1].map(|at| table.heroes[at]);
    assert_eq!(reads(&table, own), [None, Some(20.0), Some(30.0)]); // the owner's Mana
    assert_eq!(reads(&table, other), [None, None, Some(30.0)]);
    assert_eq!(reads(&table, rogue), [Some(10.0), None, None]);
    assert_eq!(reads(&table, swapped), [None, None, Some(30.0)]);

    while table.clients[0].poll_event().is_some() {}
    let local = table.clients[0].local(swapped).unwrap();
    swap(&mut table, swapped, "Hidden", "Mixed");
    table.afflict(swapped, "GE_Luck_Plus");
    table.run(10);
    assert_eq!(reads(&table, swapped), [Some(13.0), None, None]); // 10 + 3
    let attribute = |name| table.server.catalog().attribute(name).unwrap();
    let (luck, armor) = (attribute("Luck"), attribute("Armor"));
    let events: Vec<_> = core::iter::from_fn(|| table.clients[0].poll_event()).collect();
    let shown = ClientEvent::AttributeShown { controller: local, attribute: luck, value: 13.0 };
    let hidden = ClientEvent::AttributeHidden { controller: local, attribute: armor };
    assert!(events.contains(&shown) && events.contains(&hidden), "{events:?}");

    swap(&mut table, swapped, "Mixed", "Hidden");
    table.run(10);
    assert_eq!(reads(&table, swapped), [None, None, Some(30.0)]);
}

#[test]
fn attributes_that_a_controller_lacks_are_not_called_withheld() {
    let mut table = Table::new(&catalog(), 1);
    table.run(30);
    let own = table.heroes[0];
    let set = table.server.catalog().attribute_set("Hidden").unwrap();
    table.server.simulation_mut().unregister_set(own, set).unwrap();
    table.run(10);
    let client = &table.clients[0];
    let controller = client.local(own).unwrap();
    let attribute = client.catalog().attribute("Luck").unwrap();
    let expected = ReadError::MissingAttribute { controller, attribute };
    assert_eq!(client.value(controller, attribute), Err(expected));
    let gone = ControllerId::UNSEEN;
    assert_eq!(client.value(gone, attribute), Err(ReadError::UnknownController(gone)));
}

#[test]
fn a_server_reads_everything() {
    let mut table = Table::new(&catalog(), 1);
    let rogue = table.server.simulation_mut().spawn("Rogue").unwrap();
    let simulation = table.server.simulation();
    for (name, expected) in NAMES.into_iter().zip([10.0, 20.0, 30.0]) {
        let attribute = simulation.catalog().attribute(name).unwrap();
        let value = simulation.value(rogue, attribute);
        assert_eq!(value, Ok(AttributeValue { base: expected, current: expected }));
    }
    assert_eq!(simulation.withheld(rogue).count(), 0);
}
