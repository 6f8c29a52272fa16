//! A spell that is cast, interrupted and inspected (§14.3): `cargo run --example fireball`.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use ugas::prelude::*;

fn main() -> Result<(), ugas::Error> {
    let catalog = Catalog::builder()
        .attribute_set(
            AttributeSetDef::new("Combat")
                .with(AttributeDef::new("Health", 100.0).min(0.0))
                .with(AttributeDef::new("Mana", 120.0).min(0.0)),
        )
        .effect(EffectDef::instant("GE_Fireball_Cost").modify("Mana", Operation::Add, -50.0))
        .effect(EffectDef::lasting("GE_Fireball_Cooldown", 5.0).granting("Cooldown.Ability.Fireball"))
        .effect(EffectDef::instant("GE_Fireball_Damage").modify("Health", Operation::Add, -40.0))
        .effect(EffectDef::lasting("GE_Stun", 2.0).granting("State.Stunned"))
        .ability(
            AbilityDef::new("GA_Fireball")
                .tagged("Ability.Type.Spell")
                .owning("State.Casting")
                .blocked_by("State.Stunned")
                .cancels("State.Stunned")
                .cost("GE_Fireball_Cost")
                .cooldown("GE_Fireball_Cooldown")
                // Pay, then cast for 1.5 s; a stun in the meantime cancels the spell.
                .task(TaskDef::commit())
                .task(TaskDef::Race(vec![
                    vec![TaskDef::wait(1.5), TaskDef::apply_to_target("GE_Fireball_Damage")],
                    vec![
                        TaskDef::Wait(WaitDef::TagAdded("State.Stunned".into())),
                        TaskDef::Act(ActionDef::ExecuteCue("GameplayCue.Ability.Interrupted".into())),
                        TaskDef::CancelAbility,
                    ],
                ])),
        )
        .template(ControllerDef::new("Mage").with_set("Combat").with_ability(AbilityGrantDef {
            input: Some("Ability.Slot.1".into()),
            ..AbilityGrantDef::new("GA_Fireball")
        }))
        .template(ControllerDef::new("Ogre").with_set("Combat"))
        .build()?;
    let health = catalog.attribute("Health")?;
    let mut sim = Simulation::new(catalog.clone(), Config::seeded(7));
    let (mage, ogre) = (sim.spawn("Mage")?, sim.spawn("Ogre")?);
    let fireball = sim.controller(mage).map(|mage| mage.abilities()[0]).expect("the template grants it");

    println!("a cast:");
    sim.activate_on(fireball, ogre)?;
    sim.advance(Span::seconds(1.5));
    show_events(&mut sim);
    assert_eq!(sim.current(ogre, health), Some(60.0)); // 100 - 40

    println!("\nin the middle of the next one:");
    sim.advance(Span::seconds(4.0)); // it has cooled down
    sim.activate_on(fireball, ogre)?;
    sim.advance(Span::seconds(0.5));
    print!("{}", sim.debug(mage).expect("the mage is there"));

    println!("\nan interruption:");
    sim.events().for_each(drop);
    sim.apply_effect(catalog.effect("GE_Stun")?, Some(ogre), mage)?;
    show_events(&mut sim);
    sim.advance(Span::seconds(5.0));
    assert_eq!(sim.current(ogre, health), Some(60.0)); // the second one never hit

    let refusal = sim.can_activate(fireball).expect_err("there is no mana left");
    println!("\n{}", refusal.describe(&sim));
    Ok(())
}

fn show_events(sim: &mut Simulation) {
    while let Some(event) = sim.poll_event() {
        println!("{}", event.describe(sim));
    }
}
