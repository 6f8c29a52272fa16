//! Abilities that require an avatar (A15, §4.3).

use ugas_core::ability::{AbilityDef, EndReason};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::event::EventKind;
use ugas_core::id::ActorId;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::task::TaskDef;

#[test]
fn ability_requiring_an_avatar_is_refused_without_one_and_cancelled_with_it() {
    let catalog = Catalog::builder()
        .ability(AbilityDef::new("GA_Jump").requiring_avatar().task(TaskDef::wait(100.0)))
        .ability(AbilityDef::new("GA_Think").task(TaskDef::wait(100.0)))
        .template(ControllerDef::new("Unit"))
        .build()
        .unwrap();
    let mut sim = Simulation::new(catalog, Config::seeded(1));
    let unit = sim.spawn("Unit").unwrap();
    let [jump, think] = ["GA_Jump", "GA_Think"].map(|name| {
        let ability = sim.catalog().ability(name).unwrap();
        sim.grant(unit, ability, 1).unwrap()
    });
    let refusal = sim.activate(jump).unwrap_err();
    assert_eq!(refusal.code(), "NoAvatar");
    assert_eq!(sim.can_activate(jump).unwrap_err().code(), "NoAvatar");
    let thinking = sim.activate(think).unwrap();

    sim.set_avatar(unit, Some(ActorId(7))).unwrap();
    let jumping = sim.activate(jump).unwrap();
    // Another avatar: the ability is validated again, and goes on.
    sim.set_avatar(unit, Some(ActorId(8))).unwrap();
    assert!(sim.activation(jumping).is_some());
    sim.events().for_each(drop);

    sim.set_avatar(unit, None).unwrap();
    assert!(sim.activation(jumping).is_none() && sim.activation(thinking).is_some());
    let cancelled: Vec<_> = sim
        .events()
        .filter_map(|event| match event.kind {
            EventKind::AbilityCancelled { activation, reason, .. } => Some((activation, reason)),
            _ => None,
        })
        .collect();
    assert_eq!(cancelled, [(jumping, EndReason::PossessionChanged)]);
}
