//! Commands as data do what the methods do.

use ugas_core::ability::{AbilityDef, AbilitySetDef, GameplayEvent, Grant, GrantedSet};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{AbilityGrantDef, EffectContext, EffectDef, EffectQuery};
use ugas_core::handle::{ActivationId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::Operation;
use ugas_core::prediction::PredictionKey;
use ugas_core::simulation::{ActivationRequest, Config, PressOutcome, Simulation, Spawn, Stacks};
use ugas_core::tag::TagSet;
use ugas_core::targeting::{Confirmation, Placement, Shape, TargetData, TargetingDef, Team};
use ugas_core::task::{TaskDef, TaskOutcome, WaitDef};
use ugas_core::time::Span;

fn simulation() -> Simulation {
    let catalog = Catalog::builder()
        .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
        .attribute_set(AttributeSetDef::new("Magic").with(AttributeDef::new("Mana", 30.0)))
        .ability(AbilityDef::new("GA_Jump"))
        .ability(AbilityDef::new("GA_Wait").tagged("Ability.Wait").task(TaskDef::wait_event("Event.Go")))
        .ability(
            AbilityDef::new("GA_Ask")
                .task(TaskDef::host("PlayMontage"))
                .task(TaskDef::Wait(WaitDef::TargetData {
                    targeting: TargetingDef::new(Shape::Nearest),
                    confirmation: Confirmation::Custom,
                    max_delay: None,
                }))
                .task(TaskDef::Wait(WaitDef::ConfirmCancel)),
        )
        .ability_set(AbilitySetDef {
            name: "Kit".into(),
            abilities: vec![AbilityGrantDef::new("GA_Jump")],
            tags: vec!["Class.Hero".into()],
            ..AbilitySetDef::default()
        })
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
fn commands_and_calls_lead_to_the_same_state() {
    let mut commanded = simulation();
    let Ok(Outcome::Spawned(hero)) = commanded.execute(Command::Spawn(Spawn::named("Hero"))) else {
        panic!("the hero is spawned")
    };
    let catalog = commanded.catalog().clone();
    let (hit, shield) = (catalog.effect("GE_Hit").unwrap(), catalog.effect("GE_Shield").unwrap());
    let (magic, jump) = (catalog.attribute_set("Magic").unwrap(), catalog.ability("GA_Jump").unwrap());
    let damage = catalog.tag("Damage").unwrap();
    let spec = commanded.spec(shield, 1.0, EffectContext::of(hero)).unwrap();
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
        commanded.execute(command).unwrap();
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

    assert_eq!(commanded.current(hero, catalog.attribute("Health").unwrap()), Some(70.0));
    assert!(commanded.pending_events().eq(called.pending_events()));
    assert_eq!(commanded.state_hash(), called.state_hash());
}

#[test]
fn batch_returns_each_result_and_rejects_nested_batches() {
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
fn client_command_carries_its_prediction_and_must_be_single() {
    let key = PredictionKey::new(5, 1);
    let of_client =
        |command: Command| Command::FromClient { key: Some(key), reached: None, command: Box::new(command) };
    let mut commanded = simulation();
    let mut called = commanded.clone();
    let hero = commanded.spawn("Hero").unwrap();
    assert_eq!(called.spawn("Hero"), Ok(hero));
    let pressed = commanded.execute(of_client(Command::Press { controller: hero, input: "Slot".into() }));
    assert!(matches!(pressed, Ok(Outcome::Pressed(_))), "{pressed:?}");
    called.predicting(key, |sim| sim.press(hero, "Slot")).unwrap();
    assert_eq!(commanded.state_hash(), called.state_hash());
    assert!(commanded.pending_events().eq(called.pending_events()));
    assert!(commanded.pending_events().any(|event| event.prediction == Some(key)));
    for several in [Command::Batch(Vec::new()), of_client(Command::Confirm(hero))] {
        assert_eq!(commanded.execute(of_client(several)), Err(CommandError::NotSingle));
    }
}

#[test]
fn command_with_a_dead_handle_is_an_error_with_a_code() {
    let mut sim = simulation();
    let hero = sim.spawn("Hero").unwrap();
    sim.despawn(hero).unwrap();
    let Err(CommandError::Reason(reason)) = sim.execute(Command::Despawn(hero)) else { panic!("it is dead") };
    assert_eq!(reason.code(), "UnknownController");
}

/// Handles that the ability scripts refer to.
struct Cast {
    hero: ControllerId,
    wait: GrantedAbilityId,
    ask: GrantedAbilityId,
}

fn cast(sim: &mut Simulation) -> Cast {
    let hero = sim.spawn("Hero").unwrap();
    let catalog = sim.catalog().clone();
    let wait = sim.grant(hero, catalog.ability("GA_Wait").unwrap(), 1).unwrap();
    let ask = sim.grant_with(hero, Grant::new(catalog.ability("GA_Ask").unwrap()).input("Ask")).unwrap();
    Cast { hero, wait, ask }
}

fn tags(sim: &Simulation) -> TagSet {
    core::iter::once(sim.catalog().tag("Ability").unwrap()).collect()
}

fn event(sim: &Simulation) -> GameplayEvent {
    GameplayEvent::new(sim.catalog().tag("Event.Go").unwrap())
}

/// The same changes as commands, the answers with them.
fn commanded() -> (Simulation, Vec<Result<Outcome, CommandError>>) {
    let mut sim = simulation();
    let Cast { hero, wait, ask } = cast(&mut sim);
    let catalog = sim.catalog().clone();
    let (jump, tags, event) = (catalog.ability("GA_Jump").unwrap(), tags(&sim), event(&sim));
    let request = || Box::new(ActivationRequest::default());
    let grant = Box::new(Grant::new(jump).level(2).input("Jump"));
    let config = InputBufferConfig { enabled: true, ..InputBufferConfig::default() };
    let mut answers = vec![
        sim.execute(Command::GrantWith { controller: hero, grant }),
        sim.execute(Command::GrantSet { controller: hero, set: "Kit".into() }),
        sim.execute(Command::SetAbilityLevel { ability: wait, level: 3 }),
        sim.execute(Command::SetParameter { ability: wait, name: "Power".into(), value: 2.0 }),
        sim.execute(Command::BindInput { ability: wait, input: Some("Wait".into()) }),
        sim.execute(Command::SetInputBuffer { controller: hero, config }),
        sim.execute(Command::SetPlacement { controller: hero, placement: Some(Placement::default()) }),
        sim.execute(Command::SetTeam { controller: hero, team: Some(Team::from("Heroes")) }),
        sim.execute(Command::Activate { ability: wait, request: request() }),
        sim.execute(Command::SendEvent { controller: hero, event }),
        sim.execute(Command::ActivateAbility { controller: hero, ability: jump, request: request() }),
        sim.execute(Command::ActivateByTags { controller: hero, tags: tags.clone() }),
        sim.execute(Command::Activate { ability: wait, request: request() }),
        sim.execute(Command::CancelByTags { controller: hero, with: tags, without: TagSet::default() }),
        sim.execute(Command::Press { controller: hero, input: "Ask".into() }),
    ];
    let run = sim.ability(ask).unwrap().activations()[0];
    let montage = sim.tasks_of(hero).next().unwrap();
    answers.push(sim.execute(Command::Release { controller: hero, input: "Ask".into() }));
    answers.push(sim.execute(Command::Commit(run)));
    answers.push(sim.execute(Command::CompleteTask { task: montage, outcome: TaskOutcome::Completed }));
    let choice = sim.tasks_of(hero).next().unwrap();
    answers.push(sim.execute(Command::ProvideTargets { task: choice, targets: TargetData::from(hero) }));
    answers.push(sim.execute(Command::Confirm(hero)));
    answers.push(sim.execute(Command::Press { controller: hero, input: "Ask".into() }));
    answers.push(sim.execute(Command::Decline(hero)));
    answers.push(sim.execute(Command::CancelAbility(ask)));
    answers.push(sim.execute(Command::CancelAll { controller: hero, except: None }));
    answers.push(sim.execute(Command::Cancel(run)));
    answers.push(sim.execute(Command::End(run)));
    let granted = answers.iter().find_map(|answer| match answer {
        Ok(Outcome::GrantedSet(granted)) => Some(granted.clone()),
        _ => None,
    });
    answers.push(sim.execute(Command::RevokeSet { controller: hero, granted: granted.unwrap() }));
    answers.push(sim.execute(Command::RevokeOnEnd(ask)));
    (sim, answers)
}

/// The same changes as calls.
fn called() -> Simulation {
    let mut sim = simulation();
    let Cast { hero, wait, ask } = cast(&mut sim);
    let catalog = sim.catalog().clone();
    let (jump, tags, event) = (catalog.ability("GA_Jump").unwrap(), tags(&sim), event(&sim));
    let config = InputBufferConfig { enabled: true, ..InputBufferConfig::default() };
    sim.grant_with(hero, Grant::new(jump).level(2).input("Jump")).unwrap();
    let kit: GrantedSet = sim.grant_set(hero, "Kit").unwrap();
    sim.set_ability_level(wait, 3).unwrap();
    sim.set_parameter(wait, "Power", 2.0).unwrap();
    sim.bind_input(wait, Some("Wait".into())).unwrap();
    sim.set_input_buffer(hero, config).unwrap();
    sim.set_placement(hero, Some(Placement::default())).unwrap();
    sim.set_team(hero, Some(Team::from("Heroes"))).unwrap();
    sim.activate(wait).unwrap();
    sim.send_event(hero, event).unwrap();
    sim.activate_ability(hero, jump, ActivationRequest::default()).unwrap();
    sim.activate_by_tags(hero, &tags);
    sim.activate(wait).unwrap_err();
    sim.cancel_by_tags(hero, &tags, &TagSet::default());
    sim.press(hero, "Ask").unwrap();
    let run: ActivationId = sim.ability(ask).unwrap().activations()[0];
    let montage: TaskId = sim.tasks_of(hero).next().unwrap();
    sim.release(hero, "Ask").unwrap();
    sim.commit(run).unwrap();
    sim.complete_task(montage, TaskOutcome::Completed);
    let choice = sim.tasks_of(hero).next().unwrap();
    sim.provide_targets(choice, TargetData::from(hero)).unwrap();
    sim.confirm(hero).unwrap();
    sim.press(hero, "Ask").unwrap();
    sim.decline(hero).unwrap();
    sim.cancel_ability(ask).unwrap();
    sim.cancel_all(hero, None);
    sim.cancel(run);
    sim.end(run);
    sim.revoke_set(hero, &kit);
    sim.revoke_on_end(ask).unwrap();
    sim
}

#[test]
fn ability_commands_and_calls_lead_to_the_same_state() {
    let ((commanded, answers), called) = (commanded(), called());
    assert!(commanded.pending_events().eq(called.pending_events()));
    assert_eq!(commanded.state_hash(), called.state_hash());
    let refused: Vec<usize> =
        answers.iter().enumerate().filter(|(_, answer)| answer.is_err()).map(|(at, _)| at).collect();
    assert_eq!(refused, [12], "the one that is active already");
    let nothing = |answer: &&Result<Outcome, CommandError>| matches!(answer, Ok(Outcome::Nothing));
    assert_eq!(answers.iter().filter(nothing).count(), 2, "the run was over");
    let pressed = |answer: &&Result<Outcome, CommandError>| matches!(answer, Ok(Outcome::Pressed(pressed)) if matches!(**pressed, PressOutcome::Activated(_)));
    assert_eq!(answers.iter().filter(pressed).count(), 2);
}
