//! R8: activations under a changed catalog.

use std::sync::Arc;

use ugas_core::ability::{AbilityDef, AbilityState, EndReason, TriggerOn};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{AbilityGrantDef, EffectDef};
use ugas_core::event::EventKind;
use ugas_core::modifier::Operation;
use ugas_core::reload::ReloadOutcome;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::task::TaskDef;
use ugas_core::time::Span;

/// A cast of two seconds, which hits its owner at the end for `damage`. An effect with a name before all
/// others shifts every id.
fn rules(damage: f64, cast: f64, shifted: bool) -> Arc<Catalog> {
    let mut builder = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
        .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -damage))
        .ability(
            AbilityDef::new("GA_Cast")
                .owning("State.Casting")
                .charges(2, 5.0)
                .task(TaskDef::wait(cast))
                .task(TaskDef::apply_to_owner("GE_Hit")),
        )
        .ability(
            AbilityDef::new("GA_Echo")
                .triggered(TriggerOn::Event, "Event.Echo")
                .task(TaskDef::wait_event("Event.Back"))
                .task(TaskDef::apply_to_owner("GE_Hit")),
        )
        .template(
            ControllerDef::new("Mage")
                .with_set("Combat")
                .with_ability(AbilityGrantDef::new("GA_Cast"))
                .with_ability(AbilityGrantDef::new("GA_Echo")),
        );
    if shifted {
        builder = builder
            .effect(EffectDef::infinite("A_First").granting("A.First"))
            .ability(AbilityDef::new("A_First"));
    }
    builder.build().unwrap()
}

#[test]
fn r8_activation_continues_with_new_numbers_and_ids() {
    let catalog = rules(10.0, 2.0, false);
    let mut sim = Simulation::new(catalog.clone(), Config::seeded(3));
    let mage = sim.spawn("Mage").unwrap();
    let [cast, echo] = *sim.controller(mage).unwrap().abilities() else { panic!("two abilities") };
    sim.activate(cast).unwrap();
    sim.send_event(mage, ugas_core::ability::GameplayEvent::new(catalog.tag("Event.Echo").unwrap())).unwrap();
    sim.advance(Span::seconds(1.0));

    let report = sim.reload(rules(25.0, 2.0, true)).unwrap();
    assert!(report.is_lossless(), "{report}");
    assert_eq!(sim.inconsistencies(), Vec::<String>::new());
    let catalog = sim.catalog().clone();
    let health = catalog.attribute("Health").unwrap();
    assert!(sim.has_tag(mage, catalog.tag("State.Casting").unwrap()));
    sim.advance(Span::seconds(1.0));
    assert_eq!(sim.current(mage, health), Some(75.0)); // 100 - 25, two seconds after the activation
    assert_eq!(sim.ability_state(cast), Some(AbilityState::Inactive));
    // The wait for an event is still subscribed, under the new id of its tag.
    let back = catalog.tag("Event.Back").unwrap();
    sim.send_event(mage, ugas_core::ability::GameplayEvent::new(back)).unwrap();
    assert_eq!(sim.current(mage, health), Some(50.0));
    assert_eq!(sim.ability_state(echo), Some(AbilityState::Inactive));
    // The charge comes back when it was due: five seconds after the commit.
    assert_eq!(sim.ability(cast).unwrap().charges(), 1);
    sim.advance(Span::seconds(3.0));
    assert_eq!(sim.ability(cast).unwrap().charges(), 2);
}

#[test]
fn r8_activation_whose_tasks_changed_is_cancelled_and_reported() {
    let mut sim = Simulation::new(rules(10.0, 2.0, false), Config::seeded(3));
    let mage = sim.spawn("Mage").unwrap();
    let cast = sim.controller(mage).unwrap().abilities()[0];
    sim.activate(cast).unwrap();
    sim.events().for_each(drop);

    let report = sim.reload(rules(10.0, 3.0, false)).unwrap();
    assert_eq!(report.entries.len(), 1);
    assert_eq!(report.entries[0].outcome, ReloadOutcome::RunCancelled);
    assert_eq!(sim.ability_state(cast), Some(AbilityState::Inactive));
    assert!(!sim.has_tag(mage, sim.catalog().tag("State.Casting").unwrap()));
    let cancelled = |event: &ugas_core::event::Event| {
        matches!(event.kind, EventKind::AbilityCancelled { reason: EndReason::Reloaded, .. })
    };
    assert_eq!(sim.pending_events().filter(|event| cancelled(event)).count(), 1);
    assert_eq!(sim.controller(mage).unwrap().subscription_count(), 0);
    assert_eq!(sim.next_timer(), Some(ugas_core::time::Time::from_seconds(5.0))); // the charge alone
}

#[test]
fn r6_equal_catalog_keeps_activations_and_the_hash() {
    let mut sim = Simulation::new(rules(10.0, 2.0, false), Config::seeded(3));
    let mage = sim.spawn("Mage").unwrap();
    let cast = sim.controller(mage).unwrap().abilities()[0];
    sim.activate(cast).unwrap();
    sim.advance(Span::seconds(0.5));
    let mut other = sim.clone();
    other.reload(rules(10.0, 2.0, false)).unwrap();
    assert_eq!(other.state_hash(), sim.state_hash());
    for sim in [&mut sim, &mut other] {
        sim.advance(Span::seconds(10.0));
    }
    assert_eq!(other.state_hash(), sim.state_hash());
}
