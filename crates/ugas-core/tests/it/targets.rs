//! Targets of abilities (GASD §4.11): given, found, chosen by the user, and provided by the host.

use ugas_core::ability::AbilityDef;
use ugas_core::event::EventKind;
use ugas_core::handle::GrantedAbilityId;
use ugas_core::modifier::Operation;
use ugas_core::targeting::{
    Affiliation, Confirmation, EffectContainerDef, Placement, Shape, TargetData, TargetingDef, Team,
};
use ugas_core::task::{ActionDef, ApplyDef, RemoveDef, TaskDef, WaitDef};

use crate::fixture::{Game, instant, tagging};

/// The hero at the origin; friend at 2, wolf at 3, far at 10, all on the x axis. Hero and friend are of one
/// team, the others of another.
fn field(abilities: Vec<AbilityDef>) -> (Game, Vec<GrantedAbilityId>) {
    let names: Vec<String> = abilities.iter().map(|def| def.name.clone()).collect();
    let mut game = Game::build(|builder| {
        let swing = TargetingDef::new(Shape::Radius).range(5.0).affiliation(Affiliation::Hostile);
        let builder = builder
            .effect(instant("GE_Hit", "Health", Operation::Add, -10.0))
            .effect(tagging("State.Marked"))
            .effect(tagging("State.Dead"))
            .container(
                EffectContainerDef::new("Swing", swing).effect("GE_Hit", 1.0).effect("Tag:State.Marked", 1.0),
            );
        abilities.into_iter().fold(builder, ugas_core::catalog::CatalogBuilder::ability)
    });
    for name in ["friend", "far"] {
        game.spawn(name, "Unit");
    }
    for (name, x) in [("hero", 0.0), ("friend", 2.0), ("wolf", 3.0), ("far", 10.0)] {
        let id = game.id(name);
        let placement = Placement::new([x, 0.0, 0.0], [1.0, 0.0, 0.0]).unwrap();
        game.sim.set_placement(id, Some(placement)).unwrap();
        let team = if ["hero", "friend"].contains(&name) { "Heroes" } else { "Wolves" };
        game.sim.set_team(id, Some(Team::from(team))).unwrap();
    }
    let handles = names.iter().map(|name| game.grant("hero", name)).collect();
    game.events();
    (game, handles)
}

fn hit(apply: ApplyDef) -> AbilityDef {
    AbilityDef::new("GA").task(TaskDef::Act(ActionDef::ApplyToTarget(apply)))
}

fn swing(apply: ApplyDef) -> AbilityDef {
    AbilityDef::new("GA").task(TaskDef::Act(ActionDef::ApplyInRadius(apply)))
}

/// Controllers that lost health.
fn hurt(game: &Game) -> Vec<&'static str> {
    ["hero", "friend", "wolf", "far"].into_iter().filter(|who| game.current(who, "Health") < 100.0).collect()
}

#[test]
fn apply_to_target_uses_the_activations_targets() {
    let (mut game, handles) = field(vec![hit(ApplyDef::new("GE_Hit"))]);
    let targets: TargetData = [game.id("far"), game.id("friend")].into_iter().collect();
    game.sim.activate_on(handles[0], targets).unwrap();
    assert_eq!(hurt(&game), ["friend", "far"]);
}

#[test]
fn apply_to_target_skips_targets_that_do_not_fit() {
    let picky = ApplyDef {
        max_range: Some(5.0.into()),
        require_tag: Some("State.Marked".into()),
        ignore_tag: Some("State.Dead".into()),
        ..ApplyDef::new("GE_Hit")
    };
    let (mut game, handles) = field(vec![hit(picky)]);
    let all: TargetData = ["friend", "wolf", "far"].map(|who| game.id(who)).into_iter().collect();
    for who in ["friend", "wolf", "far"] {
        game.apply("Tag:State.Marked", "hero", who);
    }
    game.apply("Tag:State.Dead", "hero", "friend");
    game.sim.activate_on(handles[0], all).unwrap();
    assert_eq!(hurt(&game), ["wolf"]);
}

#[test]
fn apply_to_target_without_targets_finds_the_nearest_that_fits() {
    let near = ApplyDef { max_range: Some(2.5.into()), ..ApplyDef::new("GE_Hit") };
    let marked = ApplyDef { require_tag: Some("State.Marked".into()), ..ApplyDef::new("GE_Hit") };
    let (mut game, handles) = field(vec![hit(near)]);
    game.run(handles[0]);
    assert_eq!(hurt(&game), ["friend"], "not the hero");
    let (mut game, handles) = field(vec![hit(marked)]);
    game.run(handles[0]);
    assert!(hurt(&game).is_empty());
    assert!(game.log().contains(&"NoTarget".to_owned()));
    game.apply("Tag:State.Marked", "hero", "far");
    game.run(handles[0]);
    assert_eq!(hurt(&game), ["far"]);
}

#[test]
fn apply_in_radius_affects_all_but_the_owner() {
    let around = ApplyDef {
        radius: Some("Strength / 10".into()),
        ignore_tag: Some("State.Dead".into()),
        ..ApplyDef::new("GE_Hit")
    };
    let (mut game, handles) = field(vec![swing(around)]);
    // 50 / 10 = 5.
    game.apply("Tag:State.Dead", "hero", "friend");
    game.run(handles[0]);
    assert_eq!(hurt(&game), ["wolf"]);
    let dead = ugas_core::effect::EffectQuery::of(game.effect("Tag:State.Dead"));
    game.sim.remove_matching(game.id("friend"), &dead, Default::default());
    game.run(handles[0]);
    assert_eq!(hurt(&game), ["friend", "wolf"]);
}

#[test]
fn gasd_4_11_5_container_finds_targets_and_applies_effects() {
    let skill = AbilityDef::new("GA").task(TaskDef::Act(ActionDef::ApplyContainer("Swing".into())));
    let (mut game, handles) = field(vec![skill]);
    game.run(handles[0]);
    assert_eq!((hurt(&game), game.has_tag("wolf", "State.Marked")), (vec!["wolf"], true));
    // Teams can change.
    let wolf = game.id("wolf");
    game.sim.set_team(wolf, Some(Team::from("Heroes"))).unwrap();
    game.events();
    game.run(handles[0]);
    assert!(game.log().contains(&"NoTarget".to_owned()));
}

#[test]
fn remove_from_target_removes_applied_effects() {
    let named = ApplyDef { name: Some("mark".into()), ..ApplyDef::new("Tag:State.Marked") };
    let skill = AbilityDef::new("GA")
        .task(TaskDef::Act(ActionDef::ApplyToTarget(named)))
        .task(TaskDef::wait(1.0))
        .task(TaskDef::Act(ActionDef::RemoveFromTarget(RemoveDef {
            name: Some("mark".into()),
            ..RemoveDef::default()
        })));
    let (mut game, handles) = field(vec![skill]);
    game.apply("Tag:State.Marked", "hero", "wolf");
    game.sim.activate_on(handles[0], game.id("wolf")).unwrap();
    let marks = |game: &Game| game.sim.tags(game.id("wolf")).unwrap().count(game.tag("State.Marked"));
    assert_eq!(marks(&game), 2);
    game.pass(1.0);
    assert_eq!(marks(&game), 1, "the other one is not its own");
}

fn choosing(targeting: TargetingDef, confirmation: Confirmation, max_delay: Option<f64>) -> AbilityDef {
    AbilityDef::new("GA")
        .task(TaskDef::Wait(WaitDef::TargetData {
            targeting,
            confirmation,
            max_delay: max_delay.map(Into::into),
        }))
        .task(TaskDef::apply_to_target("GE_Hit"))
}

fn enemies() -> TargetingDef {
    TargetingDef::new(Shape::Radius).range(20.0).affiliation(Affiliation::Hostile)
}

#[test]
fn gasd_4_11_2_instant_targeting_is_done_at_once() {
    let (mut game, handles) = field(vec![choosing(enemies().count(1), Confirmation::Instant, None)]);
    game.run(handles[0]);
    assert_eq!(hurt(&game), ["wolf"]);
    assert_eq!(game.count("TargetingBegan"), 0);
}

#[test]
fn gasd_4_11_2_user_confirms_the_targets_of_that_moment() {
    let (mut game, handles) = field(vec![choosing(enemies().range(5.0), Confirmation::UserConfirmed, None)]);
    game.run(handles[0]);
    let task = game.task("hero");
    let began = |kind: &EventKind| matches!(kind, EventKind::TargetingBegan { task: of, .. } if *of == task);
    assert!(game.events().iter().any(|event| began(&event.kind)));
    assert_eq!(game.sim.preview_targets(task), Some(TargetData::from(game.id("wolf"))));
    // The far one comes nearer, the wolf goes.
    let (far, wolf) = (game.id("far"), game.id("wolf"));
    game.sim.set_placement(far, Placement::at([1.0, 0.0, 0.0]).ok()).unwrap();
    game.sim.set_placement(wolf, None).unwrap();
    assert_eq!(game.sim.preview_targets(task), Some(TargetData::from(far)));
    game.sim.confirm(game.id("hero")).unwrap();
    assert_eq!(hurt(&game), ["far"]);
    assert_eq!((game.count("TargetingEnded"), game.sim.preview_targets(task)), (1, None));
}

#[test]
fn gasd_4_11_2_user_may_cancel_or_time_out() {
    let skill = || choosing(enemies(), Confirmation::UserConfirmed, Some(2.0));
    let (mut game, handles) = field(vec![skill()]);
    game.run(handles[0]);
    game.sim.decline(game.id("hero")).unwrap();
    assert!(game.log().contains(&"cancelled GA Declined".to_owned()));
    game.run(handles[0]);
    game.pass(1.999);
    assert!(game.is_active(handles[0]));
    game.events();
    game.pass(0.001);
    assert_eq!(game.log(), ["TargetingEnded", "cancelled GA Declined"]);
    assert!(hurt(&game).is_empty());
}

#[test]
fn gasd_4_11_2_custom_targeting_waits_for_the_host() {
    let (mut game, handles) = field(vec![choosing(enemies(), Confirmation::Custom, None)]);
    game.run(handles[0]);
    let task = game.task("hero");
    game.sim.confirm(game.id("hero")).unwrap();
    assert!(game.is_active(handles[0]), "it is not the user's to confirm");
    assert_eq!(
        game.sim.provide_targets(task, TargetData::from([f64::NAN; 3])).unwrap_err().code(),
        "NonFinite",
        "V2"
    );
    assert_eq!(game.sim.provide_targets(task, TargetData::from(game.id("friend"))), Ok(true));
    assert_eq!(hurt(&game), ["friend"]);
    assert_eq!(game.sim.provide_targets(task, TargetData::from(game.id("wolf"))), Ok(false), "once");
}

#[test]
fn gasd_4_11_2_custom_multi_continues_after_each_confirmation() {
    let (mut game, handles) = field(vec![choosing(enemies(), Confirmation::CustomMulti, None)]);
    let run = game.run(handles[0]);
    let task = game.task("hero");
    for who in ["friend", "far"] {
        assert_eq!(game.sim.provide_targets(task, TargetData::from(game.id(who))), Ok(true));
        assert_eq!(game.sim.activation(run).unwrap().targets(), &TargetData::from(game.id(who)));
    }
    assert_eq!(game.count("TaskTriggered"), 2);
    game.sim.cancel(run);
    assert_eq!(game.count("TargetingEnded"), 1);
}

#[test]
fn gasd_4_11_2_persistent_targets_stay_while_there_are_no_new_ones() {
    let skill = |targeting: TargetingDef| choosing(targeting, Confirmation::Instant, None);
    let nobody = || enemies().range(0.5);
    let (mut game, handles) = field(vec![skill(nobody().persistent())]);
    game.sim.activate_on(handles[0], game.id("friend")).unwrap();
    assert_eq!(hurt(&game), ["friend"]);
    // Without it the activation has no target afterwards: nobody was chosen, and nobody is hit.
    let (mut game, handles) = field(vec![skill(nobody())]);
    game.sim.activate_on(handles[0], game.id("far")).unwrap();
    assert_eq!(hurt(&game), Vec::<&str>::new());
}

#[test]
fn despawned_targets_are_skipped() {
    let (mut game, handles) = field(vec![choosing(enemies(), Confirmation::Custom, None)]);
    game.run(handles[0]);
    let (task, wolf) = (game.task("hero"), game.id("wolf"));
    game.sim.despawn(wolf).unwrap();
    game.events();
    assert_eq!(game.sim.provide_targets(task, TargetData::from(wolf)), Ok(true));
    assert!(game.log().contains(&"NoTarget".to_owned()));
    assert_eq!(game.sim.set_placement(wolf, None).unwrap_err().code(), "UnknownController");
    assert_eq!(game.sim.set_team(wolf, None).unwrap_err().code(), "UnknownController");
}

#[test]
fn native_filter_and_attitude_rule_decide() {
    use ugas_core::targeting::Attitude;
    let skill = choosing(
        TargetingDef::new(Shape::Radius).affiliation(Affiliation::Hostile).filter("Second"),
        Confirmation::Instant,
        None,
    );
    // Everybody is everybody's enemy, and only those of an odd ordinal count: wolf is 1, friend 2, far 3.
    let mut game = Game::build(|builder| {
        builder
            .effect(instant("GE_Hit", "Health", Operation::Add, -10.0))
            .attitude(|_, _| Attitude::Hostile)
            .target_filter("Second", |candidate, _| candidate.ordinal % 2 == 1)
            .ability(skill)
    });
    for name in ["friend", "far"] {
        game.spawn(name, "Unit");
    }
    for name in ["hero", "friend", "wolf", "far"] {
        let id = game.id(name);
        game.sim.set_placement(id, Some(Placement::default())).unwrap();
    }
    let handle = game.grant("hero", "GA");
    game.run(handle);
    assert_eq!(hurt(&game), ["wolf", "far"]);
}

#[test]
fn choice_without_targets_does_not_fall_back_to_the_nearest() {
    let reach = TargetingDef::new(Shape::Radius).range(1.0).affiliation(Affiliation::Hostile);
    let choose =
        WaitDef::TargetData { targeting: reach, confirmation: Confirmation::Instant, max_delay: None };
    let ability = AbilityDef::new("GA").task(TaskDef::Wait(choose)).task(TaskDef::apply_to_target("GE_Hit"));
    let (mut game, handles) = field(vec![ability]);
    game.run(handles[0]); // the wolf is 3 away, the reach is 1
    assert_eq!(hurt(&game), Vec::<&str>::new());
    let missed = |event: &ugas_core::event::Event| matches!(event.kind, EventKind::NoTarget { .. });
    assert_eq!(game.events().iter().filter(|event| missed(event)).count(), 1);
}
