//! A scripted game with as many kinds of state as possible. Golden files record it, so it must never change.

use std::sync::Arc;

use ugas_core::ability::{AbilityDef, GameplayEvent, Grant, GrantedSet};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::command::{Command, Outcome};
use ugas_core::controller::ControllerDef;
use ugas_core::curve::CurveDef;
use ugas_core::effect::calculation::{CalculationDef, CaptureDef, native};
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{
    AbilityGrantDef, ContextPayload, EffectContext, EffectDef, EffectQuery, ExecutionPolicy, HitResult,
    StackingDef,
};
use ugas_core::event::EventKind;
use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::id::ActorId;
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::prediction::PredictionKey;
use ugas_core::simulation::{ActivationRequest, Config, Simulation, Spawn, Stacks};
use ugas_core::tag::{TagQuery, TagSet};
use ugas_core::targeting::{Placement, TargetData, Team};
use ugas_core::task::{
    ActionDef, CustomTask, Subject, TaskContext, TaskDef, TaskOutcome, TaskProgress, WaitDef,
};
use ugas_core::time::Span;

/// Waits for three changes of health.
struct Ponder;

impl CustomTask for Ponder {
    fn activate(&self, context: &mut TaskContext<'_>) -> TaskProgress {
        if let Ok(health) = context.simulation().catalog().attribute("Health") {
            context.subscribe(Subject::Attribute(health));
        }
        context.wake_in(Span::millis(2_500));
        context.store(&3_u32);
        TaskProgress::Waiting
    }

    fn wake(&self, context: &mut TaskContext<'_>, _event: &EventKind) -> TaskProgress {
        let Some(left) = context.load::<u32>() else { return TaskProgress::Failed };
        context.store(&left.saturating_sub(1));
        if left <= 1 { TaskProgress::Done } else { TaskProgress::Waiting }
    }
}

struct Ricochet(u8);

impl ContextPayload for Ricochet {
    const KIND: &'static str = "ricochet";

    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(self.0);
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        Some(Self(*bytes.first()?))
    }
}

pub(super) fn catalog() -> Arc<Catalog> {
    let unit = AttributeSetDef::new("Unit")
        .with(AttributeDef::new("Health", 100.0).min(0.0).max("MaxHealth"))
        .with(AttributeDef::new("MaxHealth", 100.0))
        .with(AttributeDef::new("Mana", 50.0).min(0.0))
        .with(AttributeDef::new("Attack", 10.0))
        .with(AttributeDef::new("Armor", 2.5));
    let queued = EffectDef::lasting("GE_Queued", 3.0)
        .modify("Attack", Operation::Multiply, 0.1)
        .policy(ExecutionPolicy::RunInSequence);
    let stack = EffectDef::lasting("GE_Stack", 8.0).modify("Armor", Operation::Add, 1.0);
    let live = MagnitudeDef::attribute(CaptureFrom::Source, "Attack", 0.5);
    let frozen = MagnitudeDef::attribute(CaptureFrom::Source, "Attack", 0.25).frozen();
    let ward = EffectDef::infinite("GE_Ward")
        .modify("MaxHealth", Operation::AddPost, 25.0)
        .while_target_lacks("State.Stunned")
        .granting_ability(AbilityGrantDef::new("GA_Guard"))
        .granting("State.Warded")
        .cue("Cue.Ward");
    let branches = vec![
        vec![TaskDef::wait(9.0)],
        vec![TaskDef::wait_event("Event.Parry")],
        vec![TaskDef::Repeat {
            count: Some(20.0.into()),
            interval: Some(0.75.into()),
            tasks: vec![TaskDef::apply_to_owner("GE_Stack")],
        }],
    ];
    let combo = AbilityDef::new("GA_Combo")
        .tagged("Ability.Melee")
        .owning("State.Busy")
        .cost("GE_Cost")
        .cooldown("GE_Cooldown")
        .with_parameter("Power", 1.5)
        .task(TaskDef::commit())
        .task(TaskDef::Act(ActionDef::AddCue("Cue.Ward".into())))
        .task(TaskDef::Race(branches));
    let ponder =
        TaskDef::Custom { name: "Ponder".to_owned(), params: vec![("Depth".to_owned(), 2.0.into())] };
    Catalog::builder()
        .attribute_set(unit)
        .attribute_set(AttributeSetDef::new("Luck").with(AttributeDef::new("Fortune", 0.1)))
        .curve(CurveDef {
            name: "Growth".to_owned(),
            points: vec![(1.0, 2.0), (5.0, 10.0)],
            ..CurveDef::default()
        })
        .calculation(CalculationDef {
            name: "Calc_Strike".to_owned(),
            captures: vec![CaptureDef::source("Attack").frozen()],
            result: Some("Source.Attack * Level + curve(\"Growth\", Level)".to_owned()),
            ..CalculationDef::default()
        })
        .native("Calc_Native", native(vec![CaptureDef::target("Armor")], |context| context.target("Armor")))
        .custom_task("Ponder", Ponder)
        .pre_change("Armor", |change| change.new)
        .death("Health", 0.0)
        .input_buffer(InputBufferConfig { enabled: true, window: Span::millis(900), size: 3 })
        .effect(
            EffectDef::lasting("GE_Poison", 12.0)
                .every(1.0)
                .modify("Health", Operation::Add, -1.0)
                .cue("Cue.Ill"),
        )
        .effect(stack.stacking(StackingDef::by_target(5)))
        .effect(queued)
        .effect(ward)
        .effect(EffectDef::lasting("GE_Stun", 6.0).granting("State.Stunned"))
        .effect(EffectDef::instant("GE_Cost").modify("Mana", Operation::Add, -10.0))
        .effect(EffectDef::lasting("GE_Cooldown", 5.0).granting("Cooldown.Combo"))
        .effect(EffectDef::infinite("GE_Live").modify("Health", Operation::Add, live))
        .effect(
            EffectDef::lasting("GE_Frozen", 20.0)
                .modify("Armor", Operation::Add, frozen)
                .with(ModifierDef::new("Attack", Operation::Add, 2.0).while_source_has("State.Warded")),
        )
        .effect(EffectDef::infinite("GE_Called").modify(
            "Mana",
            Operation::Add,
            MagnitudeDef::set_by_caller("Data.Amount"),
        ))
        .effect(EffectDef::infinite("GE_Strike").modify(
            "MaxHealth",
            Operation::Add,
            MagnitudeDef::calculation("Calc_Strike"),
        ))
        .effect(EffectDef::infinite("GE_Native").modify(
            "Attack",
            Operation::Add,
            MagnitudeDef::calculation("Calc_Native"),
        ))
        .effect(EffectDef::lasting("GE_Chance", 30.0).with_chance(0.5))
        .ability(combo)
        .ability(AbilityDef::new("GA_Guard").task(TaskDef::wait(100.0)))
        .ability(
            AbilityDef::new("GA_Slash").blocked_by("State.Stunned").charges(2, 4.0).task(TaskDef::wait(0.1)),
        )
        .ability(AbilityDef::new("GA_Think").task(ponder).task(TaskDef::host("PlayMontage")))
        .ability(AbilityDef::new("GA_Aim").task(TaskDef::Wait(WaitDef::ConfirmCancel)))
        .template(ControllerDef::new("Unit").with_set("Unit").with_tag("Kind.Unit"))
        .build()
        .unwrap_or_else(|errors| panic!("{errors}"))
}

/// Twelve seconds in, with everything under way.
pub(super) fn play() -> Simulation {
    let catalog = catalog();
    let mut sim = Simulation::new(catalog.clone(), Config::seeded(2024));
    let effect = |name: &str| catalog.effect(name).unwrap();
    let hero = sim.spawn_with(Spawn::named("Unit").actor(ActorId(7))).unwrap();
    let wolf = sim.spawn_with(Spawn::named("Unit").owner(ActorId(8)).avatar(ActorId(9))).unwrap();
    let ghost = sim.spawn("Unit").unwrap();
    sim.register_set(wolf, catalog.attribute_set("Luck").unwrap()).unwrap();
    sim.set_placement(hero, Some(Placement::new([1.0, 2.5, -3.0], [1.0, 0.0, 0.0]).unwrap())).unwrap();
    sim.set_team(hero, Some(Team::new("Red"))).unwrap();

    let grants =
        ["GA_Combo", "GA_Think", "GA_Aim"].map(|name| sim.grant(hero, catalog.ability(name).unwrap(), 2));
    let [combo, think, aim] = grants.map(Result::unwrap);
    let slash = Grant::new(catalog.ability("GA_Slash").unwrap()).input("A").parameter("Reach", 2.5);
    let slash = sim.grant_with(hero, slash).unwrap();
    sim.advance(Span::seconds(10.0));

    let hit = HitResult { location: [0.5, 0.0, 1.0], distance: 12.0, part: 3, ..HitResult::default() };
    let context = EffectContext::of(ghost).with_hit(hit).at([1.0, 1.0, 1.0]).with_payload(&Ricochet(2));
    sim.apply_effect(effect("GE_Ward"), Some(hero), hero).unwrap();
    for name in ["GE_Frozen", "GE_Live", "GE_Poison", "GE_Strike", "GE_Native"] {
        let spec = sim.spec(effect(name), 3.0, context.clone()).unwrap();
        sim.apply(&spec, wolf).unwrap();
        sim.apply(&spec, hero).unwrap();
    }
    for _ in 0..3 {
        sim.apply_effect(effect("GE_Stack"), Some(wolf), hero).unwrap();
        sim.apply_effect(effect("GE_Queued"), Some(wolf), hero).unwrap();
        let _ = sim.apply_effect(effect("GE_Chance"), Some(wolf), wolf);
    }
    let called = sim.spec(effect("GE_Called"), 1.0, EffectContext::default()).unwrap();
    sim.apply(&called.with_magnitude(catalog.tag("Data.Amount").unwrap(), 12.25), hero).unwrap();
    let item = EffectDef::infinite("Item.17").modify("Attack", Operation::Add, 3.0).granting("State.Warded");
    let forgotten = sim.define_effect(EffectDef::instant("Item.16")).unwrap();
    let item = sim.define_effect(item).unwrap();
    sim.forget_effect(forgotten).unwrap();
    sim.apply_effect(item, Some(hero), wolf).unwrap();
    // The effects that it caused remember it, and its slot is free.
    sim.despawn(ghost).unwrap();

    for handle in [combo, think, aim] {
        sim.activate_on(handle, wolf).unwrap();
    }
    sim.press(hero, "A").unwrap();
    sim.advance(Span::seconds(1.4));
    sim.apply_effect(effect("GE_Stun"), Some(wolf), hero).unwrap();
    sim.press(hero, "A").unwrap();
    let _ = sim.activate(slash);
    sim.advance(Span::seconds(0.6));
    sim
}

/// One command of each kind.
pub(super) fn commands() -> Vec<Command> {
    let mut sim = play();
    let catalog = catalog();
    let controller = sim.controllers().next().unwrap().0;
    let (ability, granted) =
        (catalog.ability("GA_Slash").unwrap(), sim.controller(controller).unwrap().abilities()[0]);
    let (effect, tag) = (catalog.effect("GE_Poison").unwrap(), catalog.tag("State.Stunned").unwrap());
    let set = catalog.attribute_set("Luck").unwrap();
    let active = sim.controller(controller).unwrap().effects()[0];
    let activation = sim.controller(controller).unwrap().activations()[0];
    let task = sim.tasks_of(controller).next().unwrap();
    let input = "Slot".into();
    let tags: TagSet = [tag].into_iter().collect();
    let target = controller;
    let context = EffectContext::of(controller);
    let spec =
        Box::new(sim.spec(effect, 2.0, context.clone()).unwrap().with_magnitude(tag, 0.1).granting(tag));
    let query = EffectQuery::tagged(TagQuery::any([tag]).and(TagQuery::none([tag])));
    let event = GameplayEvent { magnitude: 2.5, instigator: Some(controller), ..GameplayEvent::new(tag) };
    let request =
        Box::new(ActivationRequest::on(TargetData::from([1.0, 2.0, 3.0])).with_event(event.clone()));
    let def = ControllerDef::new("").with_set("Unit").with_base("Mana", 1.0).with_effect("GE_Ward", 2.0);
    let granted_set =
        Box::new(GrantedSet { abilities: vec![granted], effects: vec![active], attribute_sets: vec![set] });
    let name = "Power".to_owned();
    let placement = Some(Placement::at([1.0, 2.0, 3.0]).unwrap());
    let stacks = Stacks::Count(2);
    let all = vec![
        Command::Spawn(Spawn::def(def).actor(ActorId(3))),
        Command::Despawn(controller),
        Command::SetOwner { controller, owner: Some(ActorId(1)) },
        Command::SetActive { controller, active: true },
        Command::SetAvatar { controller, avatar: None },
        Command::RegisterSet { controller, set },
        Command::UnregisterSet { controller, set },
        Command::Apply { spec, target },
        Command::ApplyEffect { effect, level: 1.5, context, magnitudes: vec![(tag, 3.0)], target },
        Command::Remove { active, stacks },
        Command::RemoveMatching { controller, query, stacks: Stacks::All },
        Command::SetDuration { active, duration: Some(Span::seconds(3.0)) },
        Command::SetLevel { active, level: 3.0 },
        Command::SetMagnitude { active, tag, value: -0.0 },
        Command::Grant { controller, ability, level: 3 },
        Command::GrantWith {
            controller,
            grant: Box::new(Grant::new(ability).input("B").tag(tag).activated()),
        },
        Command::Revoke(granted),
        Command::RevokeOnEnd(granted),
        Command::SetAbilityLevel { ability: granted, level: 9 },
        Command::BindInput { ability: granted, input: Some("C".into()) },
        Command::SetParameter { ability: granted, name, value: 1.0 },
        Command::GrantSet { controller, set: "Nothing".to_owned() },
        Command::RevokeSet { controller, granted: granted_set },
        Command::Activate { ability: granted, request: request.clone() },
        Command::ActivateAbility { controller, ability, request },
        Command::ActivateByTags { controller, tags: tags.clone() },
        Command::Commit(activation),
        Command::Cancel(activation),
        Command::End(activation),
        Command::CancelAbility(granted),
        Command::CancelByTags { controller, with: tags.clone(), without: tags },
        Command::CancelAll { controller, except: Some(granted) },
        Command::SendEvent { controller, event },
        Command::Press { controller, input },
        Command::Release { controller, input: "Slot".into() },
        Command::Confirm(controller),
        Command::Decline(controller),
        Command::SetInputBuffer { controller, config: InputBufferConfig::default() },
        Command::CompleteTask { task, outcome: TaskOutcome::Failed },
        Command::ProvideTargets { task, targets: controller.into() },
        Command::SetPlacement { controller, placement },
        Command::SetTeam { controller, team: Some(Team::new("Blue")) },
        Command::DefineEffect(Box::new(EffectDef::lasting("Item.18", 2.0).granting("State.Warded"))),
        Command::ForgetEffect(effect),
        Command::FromClient {
            key: Some(PredictionKey::new(7, 1)),
            reached: Some(granted),
            command: Box::new(Command::Confirm(controller)),
        },
        Command::Advance(Span::millis(-3)),
    ];
    assert_eq!(sim.execute(Command::Advance(Span::ZERO)), Ok(Outcome::Done));
    [all.clone(), vec![Command::Batch(all)]].concat()
}

/// Uses the whole API on any state.
pub(super) fn use_everything(sim: &mut Simulation) {
    advance_tamely(sim, Span::seconds(2.0));
    for command in commands_for(sim) {
        let _ = sim.execute(command);
    }
    let controllers: Vec<ControllerId> = sim.controllers().map(|(id, _)| id).collect();
    for &id in &controllers {
        let abilities: Vec<GrantedAbilityId> =
            sim.controller(id).map(|c| c.abilities().to_vec()).unwrap_or_default();
        for handle in abilities.into_iter().take(8) {
            let _ = sim.activate(handle);
        }
        let _ = sim.press(id, "A");
        let _ = sim.confirm(id);
    }
    advance_tamely(sim, Span::seconds(5.0));
    for id in controllers {
        let _ = sim.despawn(id);
    }
    sim.events().for_each(drop);
}

fn commands_for(sim: &Simulation) -> Vec<Command> {
    let mut commands = Vec::new();
    for (id, controller) in sim.controllers().take(4) {
        for &active in controller.effects().iter().take(8) {
            let effect = sim.effect(active).map(|active| active.effect());
            commands.push(Command::SetLevel { active, level: 2.0 });
            commands.push(Command::SetDuration { active, duration: Some(Span::seconds(30.0)) });
            commands.extend(effect.map(|effect| Command::ApplyEffect {
                effect,
                level: 1.0,
                context: EffectContext::of(id),
                magnitudes: Vec::new(),
                target: id,
            }));
            commands.push(Command::Remove { active, stacks: Stacks::Count(1) });
        }
        commands.extend(
            sim.tasks_of(id)
                .take(4)
                .map(|task| Command::CompleteTask { task, outcome: TaskOutcome::Completed }),
        );
    }
    commands
}

/// Time passes from timer to timer, not more often than a damaged period may ask for.
fn advance_tamely(sim: &mut Simulation, span: Span) {
    let until = sim.now() + span;
    for _ in 0..40 {
        let Some(next) = sim.next_timer().filter(|next| *next <= until) else { break };
        sim.advance_to(next.max(sim.now() + Span::from_micros(1)));
    }
}

/// The catalog, built once.
pub(super) fn catalog_once() -> &'static Arc<Catalog> {
    static CATALOG: std::sync::OnceLock<Arc<Catalog>> = std::sync::OnceLock::new();
    CATALOG.get_or_init(catalog)
}
