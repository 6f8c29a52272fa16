//! Tasks (§10, A5, A6): flow, waits, actions, clean-up.

mod flow;
mod hosted;

use ugas_core::ability::AbilityDef;
use ugas_core::effect::{EffectDef, StackingDef, TagQueryDef, TagQueryItemDef};
use ugas_core::handle::GrantedAbilityId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::Stacks;
use ugas_core::task::{
    ActionDef, ApplyDef, Comparison, EffectFilterDef, Recipient, RemoveDef, SendEventDef, TaskDef, WaitDef,
};

use crate::fixture::{Game, buff, instant, tagging};

pub(crate) fn wait(wait: WaitDef) -> TaskDef {
    TaskDef::Wait(wait)
}

pub(crate) fn act(action: ActionDef) -> TaskDef {
    TaskDef::Act(action)
}

/// Stores a number in a parameter, to observe the progress of a program.
pub(crate) fn note(value: &str) -> TaskDef {
    act(ActionDef::SetParameter { name: "Note".into(), value: value.into() })
}

/// The number that was stored last.
pub(crate) fn noted(game: &Game, handle: GrantedAbilityId) -> f64 {
    game.sim.ability(handle).unwrap().parameter("Note").unwrap_or_default()
}

/// Effects that most tests here need.
fn effects() -> Vec<EffectDef> {
    vec![
        tagging("State.Wet"),
        tagging("State.Wet.Soaked"),
        tagging("State.Cold"),
        instant("GE_Hit", "Health", Operation::Add, -10.0),
        instant("GE_Heal", "Health", Operation::Add, 10.0),
        EffectDef::infinite("GE_Ward").immune_to("Element.Fire"),
        EffectDef::instant("GE_Fire").tagged("Element.Fire"),
        EffectDef::infinite("GE_Stack").stacking(StackingDef::by_target(3)),
        buff("GE_Buff", "MaxHealth", Operation::Add, 100.0),
    ]
}

/// The hero runs an ability that waits, then stores 1 and waits for ever.
fn waiting(for_what: WaitDef) -> (Game, GrantedAbilityId) {
    started(wait(for_what))
}

fn started(task: TaskDef) -> (Game, GrantedAbilityId) {
    let skill = AbilityDef::new("GA").tagged("Ability.Main").task(task).task(note("1"));
    let skill = skill.task(TaskDef::wait_event("Event.Never"));
    let other = AbilityDef::new("GA_Other").tagged("Ability.Other").task(TaskDef::wait(1.0));
    let (mut game, handles) = Game::with_abilities(effects(), [skill, other]);
    game.run(handles[0]);
    game.events();
    (game, handles[0])
}

/// Runs the steps; the wait must end with the last step and not before.
#[track_caller]
fn check(for_what: WaitDef, steps: &[&dyn Fn(&mut Game)]) {
    let (mut game, handle) = waiting(for_what);
    for (at, step) in steps.iter().enumerate() {
        assert_eq!(noted(&game, handle), 0.0, "over before step {at}");
        step(&mut game);
    }
    assert_eq!(noted(&game, handle), 1.0, "not over");
    assert_eq!(game.waits("hero").first().map(String::as_str), Some("WaitGameplayEvent"));
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().subscription_count(), 1);
    game.sim.cancel_ability(handle).unwrap();
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().subscription_count(), 0);
}

/// Checks that the wait ends at once.
#[track_caller]
fn check_immediate(for_what: WaitDef, before: &dyn Fn(&mut Game)) {
    let skill = AbilityDef::new("GA").task(wait(for_what)).task(note("1"));
    let (mut game, handles) = Game::with_abilities(effects(), [skill]);
    before(&mut game);
    game.run(handles[0]);
    assert_eq!(noted(&game, handles[0]), 1.0);
    assert!(!game.is_active(handles[0]));
}

fn apply(effect: &'static str) -> impl Fn(&mut Game) {
    move |game| drop(game.try_apply(effect, "wolf", "hero"))
}

fn remove(tag: &'static str) -> impl Fn(&mut Game) {
    move |game| {
        let query = ugas_core::effect::EffectQuery::of(game.effect(tag));
        assert_eq!(game.sim.remove_matching(game.id("hero"), &query, Stacks::All), 1);
    }
}

fn send(tag: &'static str) -> impl Fn(&mut Game) {
    move |game| game.send("hero", tag, 2.0)
}

fn pass(seconds: f64) -> impl Fn(&mut Game) {
    move |game| game.pass(seconds)
}

fn run_other(game: &mut Game) {
    let hero = game.id("hero");
    let other = game.ability("GA_Other");
    game.sim.activate_ability(hero, other, Default::default()).unwrap();
}

#[test]
fn section_10_3_time() {
    check(WaitDef::Delay(1.5.into()), &[&pass(1.499_999), &pass(0.000_001)]);
    check(WaitDef::Delay("Strength / 25".into()), &[&pass(1.5), &pass(0.5)]);
    check(WaitDef::GameTime(3.0.into()), &[&pass(2.0), &pass(1.0)]);
    check_immediate(WaitDef::Delay(0.0.into()), &|_| ());
    check_immediate(WaitDef::Delay((-1.0).into()), &|_| ());
    check_immediate(WaitDef::GameTime(3.0.into()), &|game| game.pass(3.0));
}

#[test]
fn section_10_3_gameplay_events_with_tags_below_or_exact() {
    let event = |exact| WaitDef::Event { tag: "Event.Hit".into(), exact, once: true };
    let (mut game, handle) = started(TaskDef::Sequence(vec![
        wait(event(false)),
        wait(WaitDef::Event { tag: "Event.Hit.Heavy".into(), exact: true, once: true }),
    ]));
    game.send("hero", "Event", 1.0);
    game.send("wolf", "Event.Hit", 1.0);
    assert_eq!(game.waits("hero"), ["WaitGameplayEvent"]);
    game.send("hero", "Event.Hit.Heavy", 1.0);
    assert_eq!(noted(&game, handle), 0.0);
    game.send("hero", "Event.Hit", 1.0);
    assert_eq!(noted(&game, handle), 0.0);
    game.send("hero", "Event.Hit.Heavy", 1.0);
    assert_eq!(noted(&game, handle), 1.0);
    check(event(true), &[&send("Event"), &send("Event.Hit")]);
}

#[test]
fn section_10_3_event_stores_its_magnitude_and_can_be_awaited_repeatedly() {
    let once = WaitDef::Event { tag: "Event.Hit".into(), exact: false, once: true };
    let skill = AbilityDef::new("GA").task(wait(once)).task(note("Param(\"Event.Magnitude\")"));
    let (mut game, handles) = Game::with_abilities([], [skill]);
    game.run(handles[0]);
    game.send("hero", "Event.Hit", 7.0);
    assert_eq!(noted(&game, handles[0]), 7.0);

    let always = WaitDef::Event { tag: "Event.Hit".into(), exact: false, once: false };
    let (mut game, handle) = waiting(always);
    game.send("hero", "Event.Hit", 1.0);
    game.send("hero", "Event.Hit", 2.0);
    assert_eq!((game.count("TaskTriggered"), noted(&game, handle)), (1, 1.0), "A10: the second is kept");
    game.sim.cancel_ability(handle).unwrap();
    game.send("hero", "Event.Hit", 1.0);
    assert_eq!(game.count("TaskTriggered"), 0);
}

#[test]
fn section_10_3_tags() {
    let tag = || "State.Wet".to_owned();
    check(WaitDef::TagAdded(tag()), &[&apply("Tag:State.Cold"), &apply("Tag:State.Wet.Soaked")]);
    check(WaitDef::TagChanged(tag()), &[&apply("Tag:State.Cold"), &apply("Tag:State.Wet")]);
    check_immediate(WaitDef::TagAdded(tag()), &apply("Tag:State.Wet"));
    check_immediate(WaitDef::TagRemoved(tag()), &|_| ());
    let (mut game, handle) =
        started(TaskDef::Sequence(vec![wait(WaitDef::TagAdded(tag())), wait(WaitDef::TagRemoved(tag()))]));
    apply("Tag:State.Wet")(&mut game);
    apply("Tag:State.Wet.Soaked")(&mut game);
    remove("Tag:State.Wet")(&mut game);
    assert_eq!(noted(&game, handle), 0.0, "one below it is still there");
    remove("Tag:State.Wet.Soaked")(&mut game);
    assert_eq!(noted(&game, handle), 1.0);
    let (mut game, handle) =
        started(TaskDef::Sequence(vec![wait(WaitDef::TagAdded(tag())), wait(WaitDef::TagChanged(tag()))]));
    apply("Tag:State.Wet")(&mut game);
    assert_eq!(noted(&game, handle), 0.0);
    remove("Tag:State.Wet")(&mut game);
    assert_eq!(noted(&game, handle), 1.0);
}

#[test]
fn t4_a_tag_query() {
    let item = |tag: &str| TagQueryItemDef::Tag(tag.into());
    let wet_and_not_cold = TagQueryDef {
        all: vec![item("State.Wet")],
        none: vec![item("State.Cold")],
        ..TagQueryDef::default()
    };
    let query = || WaitDef::TagQuery(wet_and_not_cold.clone());
    check(query(), &[&apply("Tag:State.Cold"), &apply("Tag:State.Wet"), &remove("Tag:State.Cold")]);
    check_immediate(query(), &apply("Tag:State.Wet.Soaked"));
}

#[test]
fn section_10_4_attributes() {
    let attribute = || "Health".to_owned();
    check(WaitDef::AttributeChange(attribute()), &[&apply("Tag:State.Cold"), &apply("GE_Hit")]);
    let below = |threshold: f64, ratio_to: Option<&str>| WaitDef::AttributeThreshold {
        attribute: "Health".into(),
        comparison: Comparison::LessThan,
        threshold: threshold.into(),
        ratio_to: ratio_to.map(str::to_owned),
    };
    // 100, 90, 80.
    check(below(90.0, None), &[&apply("GE_Hit"), &apply("GE_Hit")]);
    check_immediate(below(100.5, None), &|_| ());
    // Of 100 / 100 first 90 / 100, then 90 / 200 = 0.45.
    check(below(0.5, Some("MaxHealth")), &[&apply("GE_Hit"), &apply("GE_Buff")]);
    for (comparison, expected) in [
        (Comparison::LessThan, [true, false, false]),
        (Comparison::LessEqual, [true, true, false]),
        (Comparison::Greater, [false, false, true]),
        (Comparison::GreaterEqual, [false, true, true]),
    ] {
        assert_eq!([1.0, 2.0, 3.0].map(|value| comparison.holds(value, 2.0)), expected);
    }
}

#[test]
fn effects_applied_removed_blocked_and_stacked() {
    let any = EffectFilterDef::default;
    let of = |effect: &str| EffectFilterDef { effect: Some(effect.into()), tags: vec![] };
    let tagged = |tag: &str| EffectFilterDef { effect: None, tags: vec![tag.into()] };
    check(WaitDef::EffectApplied(any()), &[&apply("GE_Hit")]);
    check(WaitDef::EffectApplied(of("GE_Buff")), &[&apply("GE_Hit"), &apply("GE_Buff")]);
    check(WaitDef::EffectApplied(tagged("Element")), &[&apply("GE_Hit"), &apply("GE_Fire")]);
    check(
        WaitDef::EffectRemoved(tagged("State.Wet")),
        &[
            &apply("GE_Buff"),
            &apply("Tag:State.Wet.Soaked"),
            &remove("GE_Buff"),
            &remove("Tag:State.Wet.Soaked"),
        ],
    );
    check(WaitDef::EffectBlocked(any()), &[&apply("GE_Fire"), &apply("GE_Ward"), &apply("GE_Fire")]);
    check(WaitDef::EffectStackChange(of("GE_Stack")), &[&apply("GE_Stack"), &apply("GE_Stack")]);
}

#[test]
fn effect_filter_matches_tags_of_the_spec() {
    // The shared effect has no tag of its own; this instance has one from its spec.
    let filter = EffectFilterDef { effect: None, tags: vec!["State.Wet".into()] };
    let (mut game, handle) = waiting(WaitDef::EffectRemoved(filter));
    let spec = game.spec("GE_Buff", "hero").granting(game.tag("State.Wet"));
    game.apply_spec(&spec, "hero");
    remove("GE_Buff")(&mut game);
    assert_eq!(noted(&game, handle), 1.0);
}

#[test]
fn other_abilities_of_the_owner() {
    let tags = |tag: &str| vec![tag.to_owned()];
    check(WaitDef::AbilityActivate(vec![]), &[&run_other]);
    check(WaitDef::AbilityActivate(tags("Ability.Other")), &[&run_other]);
    check(WaitDef::AbilityCommit(tags("Ability")), &[&run_other]);
    check(WaitDef::AbilityEnd(tags("Ability.Other")), &[&run_other, &pass(1.0)]);
    let (mut game, handle) = waiting(WaitDef::AbilityActivate(tags("Ability.Main")));
    run_other(&mut game);
    assert_eq!(noted(&game, handle), 0.0);
}

#[test]
fn inputs_and_confirmations() {
    let press =
        |input: &'static str| move |game: &mut Game| drop(game.sim.press(game.id("hero"), input).unwrap());
    let release = |input: &'static str| {
        move |game: &mut Game| assert!(game.sim.release(game.id("hero"), input).unwrap())
    };
    check(WaitDef::InputPressed(Some("Fire".into())), &[&press("Jump"), &press("Fire")]);
    check(WaitDef::InputPressed(None), &[&press("Jump")]);
    check_immediate(WaitDef::InputReleased(Some("Fire".into())), &|_| ());
    let (mut game, handle) = started(TaskDef::Sequence(vec![
        wait(WaitDef::InputPressed(Some("Fire".into()))),
        wait(WaitDef::InputReleased(Some("Fire".into()))),
        act(ActionDef::SetParameter { name: "Held".into(), value: "Param(\"Input.HeldTime\")".into() }),
    ]));
    press("Jump")(&mut game);
    press("Fire")(&mut game);
    game.pass(0.25);
    release("Jump")(&mut game);
    assert_eq!(noted(&game, handle), 0.0);
    release("Fire")(&mut game);
    assert_eq!(game.sim.ability(handle).unwrap().parameter("Held"), Some(0.25));
    check(WaitDef::ConfirmCancel, &[&|game| game.sim.confirm(game.id("hero")).unwrap()]);
    let (mut game, handle) = waiting(WaitDef::ConfirmCancel);
    game.sim.decline(game.id("hero")).unwrap();
    assert!(!game.is_active(handle));
    assert_eq!(game.log(), ["Declined", "cancelled GA Declined"]);
    // Without a network, `WaitNetSync` ends at once.
    check_immediate(WaitDef::NetSync { max_delay: None }, &|_| ());
}

#[test]
fn wait_on_a_missing_attribute_fails_and_cancels_the_ability() {
    let skill = AbilityDef::new("GA").owning("State.Wet").task(wait(WaitDef::AttributeChange("Gold".into())));
    let mut game = Game::build(|builder| builder.declare_attribute("Gold").ability(skill));
    let handle = game.grant("hero", "GA");
    game.events();
    game.run(handle);
    let log = game.log();
    assert!(log.contains(&"TaskFailed".to_owned()) && log.contains(&"cancelled GA TaskFailed".to_owned()));
    game.assert_idle("hero");
}

#[test]
fn actions_on_the_owner() {
    let named = ApplyDef { name: Some("mine".into()), ..ApplyDef::new("GE_Buff") };
    let removing = RemoveDef { name: Some("mine".into()), ..RemoveDef::default() };
    let skill = AbilityDef::new("GA")
        .task(TaskDef::apply_to_owner("GE_Hit"))
        .task(act(ActionDef::ApplyToOwner(named)))
        .task(TaskDef::apply_to_owner("GE_Buff"))
        .task(note("MaxHealth"))
        .task(act(ActionDef::RemoveFromOwner(removing)))
        .task(TaskDef::wait(1.0))
        .task(act(ActionDef::RemoveFromOwner(RemoveDef {
            effect: Some("GE_Buff".into()),
            ..RemoveDef::default()
        })));
    let (mut game, handles) = Game::with_abilities(effects(), [skill]);
    game.run(handles[0]);
    // Each step sees what the one before did: 100 + 100 + 100.
    assert_eq!((noted(&game, handles[0]), game.current("hero", "Health")), (300.0, 90.0));
    assert_eq!(game.current("hero", "MaxHealth"), 200.0);
    game.pass(1.0);
    assert_eq!(game.current("hero", "MaxHealth"), 100.0);
}

#[test]
fn actions_with_levels_numbers_stacks_and_tags() {
    use ugas_core::effect::magnitude::MagnitudeDef;
    let sized = EffectDef::infinite("GE_Sized").modify(
        "Attack",
        Operation::Add,
        MagnitudeDef::expression("Level + SetByCaller(\"Data.Size\")"),
    );
    let applied = ApplyDef {
        level: Some("Level * 2".into()),
        set_by_caller: vec![("Data.Size".into(), "Strength".into())],
        ..ApplyDef::new("GE_Sized")
    };
    let unstack = |stacks: f64| RemoveDef {
        effect: Some("GE_Stack".into()),
        stacks: Some(stacks.into()),
        ..RemoveDef::default()
    };
    let dry = RemoveDef { tags: vec!["State.Wet".into()], ..RemoveDef::default() };
    let skill = AbilityDef::new("GA")
        .task(act(ActionDef::ApplyToOwner(applied)))
        .task(TaskDef::Repeat {
            count: Some(3.0.into()),
            interval: None,
            tasks: vec![TaskDef::apply_to_owner("GE_Stack")],
        })
        .task(act(ActionDef::RemoveFromOwner(unstack(2.0))))
        .task(act(ActionDef::RemoveFromOwner(dry)));
    let mut effects = effects();
    effects.push(sized);
    let (mut game, handles) = Game::with_abilities(effects, [skill]);
    apply("Tag:State.Wet.Soaked")(&mut game);
    game.run(handles[0]);
    // Attack 100 + level 2 + Strength 50.
    assert_eq!(game.current("hero", "Attack"), 152.0);
    assert_eq!(game.sim.stack_count(game.id("hero"), game.effect("GE_Stack")), 1);
    assert!(!game.has_tag("hero", "State.Wet"));
}

#[test]
fn actions_that_send_show_and_activate() {
    let skill = AbilityDef::new("GA")
        .task(act(ActionDef::SendEvent(SendEventDef {
            to: Recipient::Target,
            magnitude: Some("Strength".into()),
            ..SendEventDef::new("Event.Go")
        })))
        .task(act(ActionDef::SendEvent(SendEventDef::new("Event.Go"))))
        .task(act(ActionDef::ExecuteCue("Cue.Flash".into())))
        .task(act(ActionDef::AddCue("Cue.Glow".into())))
        .task(act(ActionDef::AddCue("Cue.Hum".into())))
        .task(act(ActionDef::RemoveCue("Cue.Hum".into())))
        .task(act(ActionDef::ActivateAbility("GA_Other".into())))
        .task(act(ActionDef::ActivateAbilitiesWithTags(vec!["Ability.Third".into()])))
        .task(TaskDef::wait(1.0));
    let other = AbilityDef::new("GA_Other").task(note("1"));
    let third = AbilityDef::new("GA_Third").tagged("Ability.Third").task(note("1"));
    let (mut game, handles) = Game::with_abilities(effects(), [skill, other, third]);
    game.sim.activate_on(handles[0], game.id("wolf")).unwrap();
    let log = game.log();
    let log: Vec<&str> =
        log.iter().map(String::as_str).filter(|line| line.contains('~') || line.contains("cue")).collect();
    assert_eq!(
        log,
        [
            "wolf ~Event.Go 50",
            "hero ~Event.Go 0",
            "cue !Cue.Flash",
            "cue +Cue.Glow",
            "cue +Cue.Hum",
            "cue -Cue.Hum"
        ]
    );
    assert_eq!([1, 2].map(|at| noted(&game, handles[at])), [1.0, 1.0]);
    game.pass(1.0);
    assert!(game.log().contains(&"cue -Cue.Glow".to_owned()), "the rest goes with the run");
    game.assert_idle("hero");
}
