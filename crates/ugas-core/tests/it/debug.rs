//! GASD §6: the page about a controller, as data and as text.

use ugas_core::ability::{AbilityDef, AbilityState};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{AbilityGrantDef, EffectContext, EffectDef};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation};
use ugas_core::task::TaskDef;
use ugas_core::time::Span;

#[test]
fn gasd_6_debug_page_shows_the_whole_controller() {
    let catalog = Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Attack", 10.0))
                .with(AttributeDef::new("Mana", 50.0).min(0.0)),
        )
        .effect(EffectDef::infinite("GE_Sword").modify("Attack", Operation::Add, 5.0))
        .effect(
            EffectDef::lasting("GE_Burn", 4.0)
                .every(1.0)
                .modify("Mana", Operation::Add, -1.0)
                .granting("State.Burning"),
        )
        .effect(EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -40.0))
        .effect(EffectDef::lasting("GE_Cooldown", 6.0).granting("Cooldown.Bolt"))
        .ability(
            AbilityDef::new("GA_Bolt")
                .cost("GE_Cost")
                .cooldown("GE_Cooldown")
                .task(TaskDef::wait_event("Event.Release"))
                .task(TaskDef::wait(9.0)),
        )
        .template(
            ControllerDef::new("Mage")
                .with_set("Combat")
                .with_ability(AbilityGrantDef {
                    input: Some("Slot.1".into()),
                    ..AbilityGrantDef::new("GA_Bolt")
                })
                .with_effect("GE_Sword", 1.0),
        )
        .build()
        .unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::default());
    let mage = sim.spawn("Mage").unwrap();
    sim.apply_effect(catalog.effect("GE_Burn").unwrap(), Some(mage), mage).unwrap();
    let bolt = sim.controller(mage).unwrap().abilities()[0];
    sim.activate(bolt).unwrap();
    sim.advance(Span::seconds(1.5));

    let page = sim.debug(mage).unwrap();
    assert_eq!(page.abilities[0].state, AbilityState::Active);
    assert_eq!(page.abilities[0].cooldown, Some((Span::seconds(4.5), Span::seconds(6.0))));
    assert_eq!(page.tasks[0].waits_for, ["an event Event.Release"]);
    // Mana: 50 - 40 (cost) - 1 (one tick) = 9; another cost would leave 9 - 40 = -31.
    assert_eq!(
        page.to_string(),
        "Mage controller0v1 at 1.5 s\n\
         attributes\n\
         \x20 Attack  15 (base 10)\n\
         \x20 Mana    9\n\
         tags\n\
         \x20 Cooldown.Bolt x1\n\
         \x20 State.Burning x1\n\
         effects\n\
         \x20 GE_Sword level 1, for ever, from controller0v1\n\
         \x20   modifies: Attack Add 5\n\
         \x20 GE_Burn level 1, 2.5s of 4s left, every 1s, next at 2 s, from controller0v1\n\
         \x20   modifies: Mana Add -1\n\
         \x20   grants tags: State.Burning\n\
         \x20 GE_Cooldown level 1, 4.5s of 6s left, from controller0v1\n\
         \x20   grants tags: Cooldown.Bolt\n\
         abilities\n\
         \x20 GA_Bolt level 1, Active, on Slot.1, cools down 4.5s of 6s\n\
         \x20   cannot be activated: it is active already\n\
         \x20   cannot be activated: it is on cooldown for another 4.5 s (`Cooldown.Bolt`)\n\
         \x20   cannot be activated: `Mana` would be -31 and must not fall below 0\n\
         tasks\n\
         \x20 WaitGameplayEvent of GA_Bolt, since 0 s, waits for an event Event.Release\n"
    );
    assert_eq!(sim.debug(mage), sim.debug(mage));
    sim.despawn(mage).unwrap();
    assert_eq!(sim.debug(mage), None);
}

#[test]
fn page_of_an_effect_has_its_context_tags_and_numbers() {
    let catalog = Catalog::builder()
        .tags(["Hit.Critical", "Data.Amount"])
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Attack", 10.0)))
        .effect(EffectDef::infinite("GE_Mark").modify("Attack", Operation::Add, 1.0))
        .template(ControllerDef::new("Mage").with_set("Combat"))
        .build()
        .unwrap();
    let mut sim = Simulation::new(catalog.clone(), Config::default());
    let mage = sim.spawn("Mage").unwrap();
    let context = EffectContext::of(mage).tagged(catalog.tag("Hit.Critical").unwrap());
    let mut spec = sim.spec(catalog.effect("GE_Mark").unwrap(), 1.0, context).unwrap();
    spec.set_magnitude(catalog.tag("Data.Amount").unwrap(), 7.0);
    sim.apply(&spec, mage).unwrap();

    let page = sim.debug(mage).unwrap();
    assert_eq!(page.effects[0].context_tags, ["Hit.Critical"]);
    assert_eq!(page.effects[0].set_by_caller, [("Data.Amount".to_owned(), 7.0)]);
    assert!(page.effects[0].ability_tags.is_empty());
    let text = page.to_string();
    assert!(text.contains("    context tags: Hit.Critical\n    set by caller: Data.Amount 7\n"), "{text}");
}
