//! Commands as data do what the methods do.

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{EffectContext, EffectDef, EffectQuery};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Simulation, Spawn, Stacks};
use ugas_core::time::Span;

fn simulation() -> Simulation {
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
        .attribute_set(AttributeSetDef::new("Magic").with(AttributeDef::new("Mana", 30.0)))
        .ability(AbilityDef::new("GA_Jump"))
        .effect(EffectDef::instant("GE_Hit").modify(
            "Health",
            Operation::Add,
            MagnitudeDef::set_by_caller("Damage"),
        ))
        .effect(EffectDef::lasting("GE_Shield", 5.0).modify("Health", Operation::Add, 20.0))
        .template(ControllerDef::new("Hero").with_set("Combat"))
        .build()
        .unwrap();
    Simulation::new(catalog, Config::default())
}

#[test]
fn a_story_told_in_commands_is_the_story_told_in_calls() {
    let mut told = simulation();
    let Ok(Outcome::Spawned(hero)) = told.execute(Command::Spawn(Spawn::named("Hero"))) else {
        panic!("the hero is spawned")
    };
    let catalog = told.catalog().clone();
    let (hit, shield) = (catalog.effect("GE_Hit").unwrap(), catalog.effect("GE_Shield").unwrap());
    let (magic, jump) = (catalog.attribute_set("Magic").unwrap(), catalog.ability("GA_Jump").unwrap());
    let damage = catalog.tag("Damage").unwrap();
    let spec = told.spec(shield, 1.0, EffectContext::of(hero)).unwrap();
    for command in [
        Command::RegisterSet { controller: hero, set: magic },
        Command::ApplyEffect {
            effect: hit,
            level: 1.0,
            context: EffectContext::of(hero),
            magnitudes: vec![(damage, -30.0)],
            target: hero,
        },
        Command::Apply { spec: Box::new(spec), target: hero },
        Command::Grant { controller: hero, ability: jump, level: 2 },
        Command::Advance(Span::seconds(1.0)),
        Command::DefineEffect(Box::new(EffectDef::infinite("GE_Ring").modify("Mana", Operation::Add, 1.0))),
        Command::UnregisterSet { controller: hero, set: magic },
        Command::RemoveMatching { controller: hero, query: EffectQuery::of(shield), stacks: Stacks::All },
    ] {
        told.execute(command).unwrap();
    }

    let mut called = simulation();
    let hero = called.spawn("Hero").unwrap();
    called.register_set(hero, magic).unwrap();
    let spec = called.spec(hit, 1.0, EffectContext::of(hero)).unwrap().with_magnitude(damage, -30.0);
    called.apply(&spec, hero).unwrap();
    called.apply_effect(shield, Some(hero), hero).unwrap();
    called.grant(hero, jump, 2).unwrap();
    called.advance(Span::seconds(1.0));
    called.define_effect(EffectDef::infinite("GE_Ring").modify("Mana", Operation::Add, 1.0)).unwrap();
    called.unregister_set(hero, magic).unwrap();
    called.remove_matching(hero, &EffectQuery::of(shield), Stacks::All);

    assert_eq!(told.current(hero, catalog.attribute("Health").unwrap()), Some(70.0));
    assert!(told.pending_events().eq(called.pending_events()));
    assert_eq!(told.state_hash(), called.state_hash());
}

#[test]
fn a_batch_answers_for_each_command_and_contains_no_batch() {
    let mut sim = simulation();
    let shield = sim.catalog().effect("GE_Shield").unwrap();
    let hero = sim.spawn("Hero").unwrap();
    let shielding = || Command::ApplyEffect {
        effect: shield,
        level: 1.0,
        context: EffectContext::default(),
        magnitudes: Vec::new(),
        target: hero,
    };
    let Ok(Outcome::Batch(answers)) = sim.execute(Command::Batch(vec![shielding(), Command::Despawn(hero)]))
    else {
        panic!("a batch answers with its commands' answers")
    };
    assert!(matches!(answers[..], [Ok(Outcome::Applied(_)), Ok(Outcome::Done)]));
    assert_eq!(sim.execute(Command::Batch(vec![Command::Batch(vec![])])), Err(CommandError::NestedBatch));
}

#[test]
fn a_command_to_the_dead_is_an_error_with_a_code() {
    let mut sim = simulation();
    let hero = sim.spawn("Hero").unwrap();
    sim.despawn(hero).unwrap();
    let Err(CommandError::Reason(reason)) = sim.execute(Command::Despawn(hero)) else { panic!("it is dead") };
    assert_eq!(reason.code(), "UnknownController");
}
