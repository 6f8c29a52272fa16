//! Arbitrary calls with arbitrary arguments: no panic, no hang, finite values, and everything can be removed
//! again.

use proptest::collection::vec;
use proptest::prelude::*;
use ugas_core::ability::{AbilityDef, GameplayEvent, Grant, Instancing, TriggerOn};
use ugas_core::effect::{
    AdditionalEffectDef, EffectContext, EffectDef, EffectQuery, StackExpiration, StackingDef,
};
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::id::{AbilityId, ActorId, AttributeId, AttributeSetId, EffectId, TagId};
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{ActivationRequest, EvaluationParameters, Simulation, Snapshot, Stacks};
use ugas_core::tag::TagSet;
use ugas_core::targeting::{Placement, TargetData};
use ugas_core::task::{ActionDef, Recipient, SendEventDef, TaskDef, TaskOutcome, WaitDef};
use ugas_core::time::Span;
use ugas_testkit::fixtures::{Op, SimDriver, arena, operation};
use ugas_testkit::oracle::Game;

/// Extreme numbers.
const EXTREMES: [f64; 12] =
    [1e308, -1e308, 5e-324, 0.0, -0.0, 1.0, -1.0, 1e300, 4.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// API call with raw numbers as arguments.
#[derive(Clone, Debug)]
enum Call {
    /// Valid operation.
    Sensible(Op),
    /// Any API function, by number, with three raw arguments.
    Wild(u8, u64, u64, u64),
    /// Several calls in a batch.
    Batch(Vec<Self>),
}

fn call() -> impl Strategy<Value = Call> {
    let raw = prop_oneof![3 => 0..64u64, 1 => (0..8u64).prop_map(|index| 1 << 32 | index), 1 => any::<u64>()];
    let leaf = prop_oneof![
        2 => operation().prop_map(Call::Sensible),
        3 => (0..38u8, raw.clone(), raw.clone(), raw).prop_map(|(kind, a, b, c)| Call::Wild(kind, a, b, c)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 1..4).prop_map(Call::Batch))
}

/// Arena with effects that never end, apply themselves or overflow.
fn wild_game() -> Game {
    let mut game = arena();
    let mut again = EffectDef::instant("GE_Again");
    again.additional_effects = vec![AdditionalEffectDef::new("GE_Again"), AdditionalEffectDef::new("GE_Hit")];
    let mut phoenix = EffectDef::lasting("GE_Phoenix", 1.0).granting("State.Marked");
    phoenix.expiration_effects.always.push("GE_Phoenix".to_owned());
    let mut shy = EffectDef::infinite("GE_Shy").granting("Element.Ice").cue("Cue.Aura");
    shy.ongoing_blocked_tags.push("Element".to_owned());
    let mut rival = EffectDef::infinite("GE_Rival").granting("State.Stun");
    rival.remove_effects_with_tags.push("State".to_owned());
    let huge = EffectDef::infinite("GE_Huge").modify("Power", Operation::Add, 1e308).modify(
        "Vigor",
        Operation::Multiply,
        1e300,
    );
    let grow = EffectDef::instant("GE_Grow").modify("Power", Operation::Multiply, 1e200);
    let tiny = EffectDef::infinite("GE_Tiny").modify("Power", Operation::DivideAdditive, 5e-324);
    let rules = StackingDef { expiration: StackExpiration::Refresh, ..StackingDef::by_target(0) };
    let zero = EffectDef::lasting("GE_Zero", 0.0).modify("Power", Operation::Multiply, 10.0).stacking(rules);
    game.effects.extend([again, phoenix, shy, rival, huge, grow, tiny, zero]);
    game.tags.push("Event.Echo".to_owned());
    let act = TaskDef::Act;
    let echo = act(ActionDef::SendEvent(SendEventDef {
        to: Recipient::Target,
        magnitude: Some("Power * Param(\"P\")".into()),
        ..SendEventDef::new("Event.Echo")
    }));
    game.abilities = vec![
        AbilityDef::new("GA_Echo")
            .instancing(Instancing::PerExecution)
            .triggered(TriggerOn::Event, "Event.Echo")
            .with_parameter("P", 1.0)
            .task(echo)
            .task(TaskDef::wait("Power - 9")),
        AbilityDef::new("GA_Loop").passive().task(TaskDef::Repeat {
            count: None,
            interval: Some("Param(\"P\")".into()),
            tasks: vec![TaskDef::apply_to_owner("GE_Mark"), TaskDef::host("PlayMontage")],
        }),
        AbilityDef::new("GA_Burst")
            .retriggered()
            .triggered(TriggerOn::TagAdded, "State.Marked")
            .cancels("State.Stun")
            .cost("GE_Hit")
            .cooldown("GE_Strength")
            .charges(2, 0.5)
            .task(act(ActionDef::AddCue("Cue.Aura".into())))
            .task(TaskDef::apply_to_target("GE_Shy"))
            .task(TaskDef::Wait(WaitDef::ConfirmCancel)),
    ];
    game
}

fn run(driver: &mut SimDriver, call: &Call) {
    match call {
        // Advancing time inside a batch is allowed, too.
        Call::Sensible(op) => driver.run(op),
        Call::Batch(calls) => {
            let mut inner = driver.clone();
            std::mem::swap(&mut inner.sim, &mut driver.sim);
            let mut sim = inner.sim.clone();
            sim.batch(|sim| {
                for call in calls {
                    std::mem::swap(&mut inner.sim, sim);
                    run(&mut inner, call);
                    std::mem::swap(&mut inner.sim, sim);
                }
            });
            inner.sim = sim;
            *driver = inner;
        }
        Call::Wild(kind, a, b, c) => wild(driver, *kind, *a, *b, *c),
    }
}

fn wild(driver: &mut SimDriver, kind: u8, a: u64, b: u64, c: u64) {
    let handle = |bits: u64| match bits {
        0..64 => Some(driver.actors[bits as usize % driver.actors.len()]),
        _ => ControllerId::from_bits(bits),
    };
    let (Some(one), Some(two)) = (handle(a), handle(b)) else { return };
    let number = EXTREMES[(c % EXTREMES.len() as u64) as usize];
    let list = driver.sim.controller(one).map(|controller| controller.effects()).unwrap_or_default();
    let active = list.get(b as usize % list.len().max(1)).copied().or(ActiveEffectId::from_bits(b));
    let Some(active) = active.or(ActiveEffectId::from_bits(1 << 32)) else { return };
    let effect = if c < 60 { driver.effect(c as usize) } else { Some(EffectId::from_index(c as u32)) };
    let Some(effect) = effect else { return };
    let attribute = AttributeId::from_index(if c < 60 { c as u32 % 12 } else { c as u32 });
    let tag = TagId::from_index(if b < 60 { b as u32 % 20 } else { b as u32 });
    let sim = &mut driver.sim;
    match kind {
        0 => drop(sim.apply_effect(effect, Some(one), two)),
        1 => {
            let context = EffectContext::of(one).caused_by(ActorId(b));
            let Ok(spec) = sim.spec(effect, number, context) else { return };
            let spec = spec.with_magnitude(tag, number).tagged(tag);
            // A tag of another catalog cannot be granted; that is reported as a logic error.
            let known = (tag.index() as usize) < sim.catalog().tags().len();
            let spec = if known { spec.granting(tag) } else { spec };
            let _ = sim.apply(&spec, two);
        }
        2 => {
            let Ok(spec) = sim.spec(effect, 1.0, EffectContext::default()) else { return };
            // Rarely, because a long duration with short periods takes long to simulate.
            let spec =
                spec.with_duration(Span::seconds(number)).with_period(Span::millis(b as i64 % 1000 + 100));
            let _ = sim.apply(&spec, two);
        }
        3 => drop(sim.remove(active, Stacks::Count(c as u32))),
        4 => drop(sim.set_level(active, number)),
        5 => drop(sim.set_magnitude(active, tag, number)),
        6 => drop(sim.set_duration(active, Some(Span::seconds(number)))),
        7 => drop(sim.set_duration(active, None)),
        8 => drop(sim.set_remaining(active, Span::from_micros(c as i64))),
        9 => drop(sim.register_set(one, AttributeSetId::from_index(c as u32 % 4))),
        10 => drop(sim.unregister_set(one, AttributeSetId::from_index(c as u32 % 4))),
        11 => drop(sim.despawn(one)),
        12 => drop(sim.set_avatar(one, Some(ActorId(b)))),
        13 => drop(sim.grant(one, AbilityId::from_index(c as u32), 1)),
        14 => drop(GrantedAbilityId::from_bits(c).map(|handle| sim.revoke(handle))),
        15 => {
            let operation = [Operation::Add, Operation::Multiply, Operation::Override][c as usize % 3];
            let def = EffectDef::infinite(format!("GE_Made{b}")).modify("Power", operation, number);
            if let Ok(id) = sim.define_effect(def) {
                let _ = sim.apply_effect(id, Some(one), two);
            }
        }
        16 => drop(sim.forget_effect(effect)),
        17 => {
            let parameters = EvaluationParameters { up_to_layer: c as u8, ..EvaluationParameters::default() };
            let _ = sim.evaluate(one, attribute, &parameters);
            let _ = sim.capture(one, attribute).map(|capture| sim.evaluate_capture(&capture, &parameters));
        }
        18 => {
            let query =
                EffectQuery { source: Some(two), modifies: Some(attribute), ..EffectQuery::default() };
            sim.remove_matching(one, &query, Stacks::Count(b as u32));
        }
        19 => drop(sim.cooldown(one, &[tag])),
        20 => sim.advance(Span::from_micros((c as i64 % 20_000_000).saturating_sub(10))),
        22.. => wild_ability(sim, kind, one, two, [a, b, c], number),
        _ => {
            let snapshot = sim.snapshot();
            sim.restore(&snapshot).unwrap();
        }
    }
}

/// Calls about abilities, with arbitrary numbers and handles.
fn wild_ability(
    sim: &mut Simulation,
    kind: u8,
    one: ControllerId,
    two: ControllerId,
    [a, b, c]: [u64; 3],
    number: f64,
) {
    let abilities = sim.controller(one).map(|known| known.abilities()).unwrap_or_default();
    let handle = abilities.get(b as usize % abilities.len().max(1)).copied();
    let Some(handle) = handle.or(GrantedAbilityId::from_bits(b)) else { return };
    let run = sim.ability(handle).and_then(|granted| granted.activations().first().copied());
    let run = run.or(ActivationId::from_bits(c));
    let task = sim.tasks_of(one).next().or(TaskId::from_bits(c));
    let tag = TagId::from_index(if b < 60 { b as u32 % 20 } else { b as u32 });
    let tags: TagSet = [tag].into_iter().collect();
    let event = GameplayEvent { magnitude: number, target: Some(two), ..GameplayEvent::new(tag) };
    let place = [number, 0.0, f64::from(b as u32)];
    match kind {
        22..=24 => {
            let grant = Grant::new(AbilityId::from_index(c as u32 % 4)).tag(tag).parameter("P", number);
            let _ = sim.grant_with(one, grant.level(a as u32).input("One"));
        }
        25 | 26 => drop(sim.activate_on(handle, two)),
        27 => {
            let mut targets = TargetData::from(place);
            targets.push(two);
            let _ = sim.activate_with(handle, ActivationRequest::on(targets).with_event(event));
        }
        28 => drop(sim.send_event(one, event)),
        29 => drop(sim.press(one, "One")),
        30 => drop(sim.release(one, "One")),
        31 => {
            sim.activate_by_tags(one, &tags);
            sim.cancel_by_tags(two, &tags, &tags);
        }
        32 => drop(run.map(|run| (sim.commit(run), sim.end(run)))),
        33 => drop(task.map(|task| sim.provide_targets(task, TargetData::from(place)))),
        34 => drop(task.map(|task| sim.complete_task(task, TaskOutcome::Completed))),
        35 => drop(sim.set_placement(one, Placement::at(place).ok())),
        36 => drop((sim.set_parameter(handle, "P", number), sim.set_ability_level(handle, c as u32))),
        _ => {
            let config = InputBufferConfig { enabled: true, window: Span::seconds(number), size: c as u32 };
            let _ = (sim.set_input_buffer(one, config), sim.confirm(one), sim.decline(two));
        }
    }
}

fn check(sim: &Simulation) -> Result<(), TestCaseError> {
    let catalog = sim.catalog();
    for (id, controller) in sim.controllers() {
        for (attribute, base, current) in sim.attributes(id) {
            let name = catalog.attribute_name(attribute);
            prop_assert!(base.is_finite() && current.is_finite(), "{name} is {base} / {current}");
        }
        // §7.2: a cumulative count is the sum of the explicit ones below it.
        for tag in catalog.tags().ids() {
            let below = catalog.tags().subtree(tag).map(TagId::from_index);
            let sum: u32 = below.map(|tag| controller.tags().count(tag)).sum();
            prop_assert_eq!(sum, controller.tags().cumulative_count(tag));
        }
        // T3: every grant has an effect behind it.
        let active = controller.effects().iter().filter_map(|&id| sim.effect(id));
        prop_assert_eq!(active.count(), controller.effects().len());
    }
    let found = sim.inconsistencies();
    prop_assert!(found.is_empty(), "{:#?}", found);
    // Every state can be encoded and decoded.
    let read = Snapshot::from_bytes(&sim.snapshot().to_bytes(), sim.catalog());
    prop_assert_eq!(read.map(|read| read.state_hash()), Ok(sim.state_hash()));
    Ok(())
}

/// Removes all effects, including those that follow from the removal; nothing of them is left.
fn remove_everything(sim: &mut Simulation) -> Result<(), TestCaseError> {
    let everybody: Vec<ControllerId> = sim.controllers().map(|(id, _)| id).collect();
    for &id in everybody.iter().cycle().take(everybody.len() * 4) {
        for handle in sim.controller(id).map(|known| known.abilities().to_vec()).unwrap_or_default() {
            let _ = sim.revoke(handle);
        }
        sim.remove_matching(id, &EffectQuery::default(), Stacks::All);
    }
    for &id in &everybody {
        let Some(controller) = sim.controller(id) else { continue };
        let catalog = sim.catalog();
        let name =
            |id: &ActiveEffectId| sim.effect(*id).map(|active| sim.effect_name(active.effect()).to_owned());
        let left: Vec<_> = controller.effects().iter().filter_map(name).collect();
        // The phoenix effect reapplies itself by its own rules.
        prop_assert!(left.iter().all(|name| name == "GE_Phoenix" || name == "GE_Mark"), "{left:?}");
        if !left.is_empty() {
            continue;
        }
        prop_assert!(controller.tags().is_empty());
        prop_assert!(catalog.tags().ids().all(|tag| controller.tags().cumulative_count(tag) == 0));
        prop_assert!(controller.cues().is_empty());
        for (attribute, base, current) in sim.attributes(id) {
            let snapshot = sim.capture(id, attribute);
            let plain = snapshot.and_then(|snapshot| {
                let parameters = EvaluationParameters { up_to_layer: 8, ..EvaluationParameters::default() };
                sim.evaluate_capture(&snapshot, &parameters)
            });
            prop_assert_eq!(plain, Some(base), "{} has no modifiers", catalog.attribute_name(attribute));
            let clamped = sim.evaluate(id, attribute, &EvaluationParameters::default());
            prop_assert_eq!(clamped, Some(current));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(1))]

    #[test]
    fn on_arbitrary_calls(calls in vec(call(), 1..40)) {
        let mut driver = SimDriver::new(&wild_game());
        for call in &calls {
            run(&mut driver, call);
            check(&driver.sim)?;
        }
        driver.sim.advance(Span::seconds(30.0));
        check(&driver.sim)?;
        let logic_errors = driver.sim.events().filter(|event| event.kind.name() == "LogicError").count();
        prop_assert_eq!(logic_errors, 0);
        remove_everything(&mut driver.sim)?;
    }
}

/// Time at its ends: durations and steps of hundreds of thousands of years, without periods.
#[test]
fn at_the_end_of_time() {
    let effects = vec![
        EffectDef::lasting("GE_Long", 1e300).granting("State.Marked"),
        EffectDef::lasting("GE_Never", -1e300).granting("State.Stun"),
        EffectDef::lasting("GE_Stack", 1e12).stacking(StackingDef::by_target(0)),
    ];
    let mut driver = SimDriver::new(&Game { effects, ..arena() });
    for _ in 0..4 {
        for effect in 0..3 {
            driver.run(&Op::Apply { effect, source: None, target: 0, options: Default::default() });
        }
        driver.sim.advance(Span::MAX);
        check(&driver.sim).unwrap();
    }
    assert!(driver.sim.state_hash() != 0);
}
