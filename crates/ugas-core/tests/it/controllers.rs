//! Controllers (§4): owner and avatar, initialisation, possession, destruction.

use ugas_core::ability::AbilityDef;
use ugas_core::controller::ControllerDef;
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{AbilityGrantDef, EffectDef};
use ugas_core::event::EventKind;
use ugas_core::id::ActorId;
use ugas_core::modifier::Operation;
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::{Config, Spawn, SpawnError};

use crate::fixture::{Game, buff, builder, instant, tagging};

#[test]
fn section_4_2_owner_and_avatar_may_be_one_actor_or_two() {
    let mut game = Game::of([]);
    let same = game.sim.spawn_with(Spawn::named("Unit").actor(ActorId(1))).unwrap();
    let split = game.sim.spawn_with(Spawn::named("Unit").owner(ActorId(2)).avatar(ActorId(3))).unwrap();
    assert_eq!(game.sim.controller_of_owner(ActorId(1)), Some(same));
    assert_eq!(game.sim.controller_of_avatar(ActorId(1)), Some(same));
    assert_eq!(game.sim.controller_of_owner(ActorId(2)), Some(split));
    assert_eq!(game.sim.controller_of_avatar(ActorId(3)), Some(split));
    assert_eq!(game.sim.controller_of_owner(ActorId(3)), None);
    assert_eq!(game.sim.controller_of_avatar(ActorId(2)), None);
    let controller = game.sim.controller(split).unwrap();
    assert_eq!((controller.owner(), controller.avatar()), (Some(ActorId(2)), Some(ActorId(3))));
}

#[test]
fn section_4_4_of_several_controllers_of_one_actor_the_oldest_is_found() {
    let mut game = Game::of([]);
    let first = game.sim.spawn_with(Spawn::named("Unit").actor(ActorId(1))).unwrap();
    let second = game.sim.spawn_with(Spawn::named("Unit").actor(ActorId(1))).unwrap();
    assert_eq!(game.sim.controller_of_owner(ActorId(1)), Some(first));
    game.sim.despawn(first).unwrap();
    assert_eq!(game.sim.controller_of_owner(ActorId(1)), Some(second));
    // A new one takes the handle's old place and is younger all the same.
    game.sim.spawn_with(Spawn::named("Unit").actor(ActorId(1))).unwrap();
    assert_eq!(game.sim.controller_of_avatar(ActorId(1)), Some(second));
}

#[test]
fn k1_inactive_controller_refuses_until_it_is_active_again() {
    let mut game = Game::of([instant("GE_Hit", "Health", Operation::Add, -10.0)]);
    let (hero, hit) = (game.id("hero"), game.effect("GE_Hit"));
    let before = game.current("hero", "Health");
    game.sim.set_active(hero, false).unwrap();
    assert!(!game.sim.controller(hero).unwrap().is_active());
    let refusal = game.sim.apply_effect(hit, Some(hero), hero).unwrap_err();
    assert_eq!(refusal.reasons[..], [RefusalReason::ControllerInactive(hero)]);
    let page = game.sim.debug(hero).unwrap();
    assert!(page.inactive && page.to_string().contains(", inactive"));
    assert_eq!(game.current("hero", "Health"), before);

    game.sim.set_active(hero, true).unwrap();
    game.sim.apply_effect(hit, Some(hero), hero).unwrap();
    assert_eq!(game.current("hero", "Health"), before - 10.0);
    game.sim.despawn(hero).unwrap();
    assert_eq!(game.sim.set_active(hero, true), Err(RefusalReason::UnknownController(hero)));
}

#[test]
fn section_4_3_possession_changes_the_avatar_and_keeps_the_state() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 5.0)]);
    let soul = game.sim.spawn_with(Spawn::named("Unit").owner(ActorId(1)).avatar(ActorId(2))).unwrap();
    game.name("soul", soul);
    game.apply("GE", "soul", "soul");
    game.events();
    game.sim.set_avatar(soul, Some(ActorId(9))).unwrap();
    assert_eq!(game.sim.controller_of_avatar(ActorId(9)), Some(soul));
    assert_eq!(game.sim.controller_of_avatar(ActorId(2)), None);
    assert_eq!(game.sim.controller_of_owner(ActorId(1)), Some(soul));
    assert_eq!(game.current("soul", "Attack"), 105.0);
    let events = game.events();
    assert_eq!(
        events[0].kind,
        EventKind::AvatarChanged { controller: soul, old: Some(ActorId(2)), new: Some(ActorId(9)) }
    );
    game.sim.set_avatar(soul, None).unwrap();
    assert_eq!(game.sim.controller(soul).unwrap().avatar(), None);
}

#[test]
fn section_4_3_initialisation_grants_abilities_tags_and_effects_in_order() {
    let hero = ControllerDef::new("Champion")
        .with_set("Unit")
        .with_base("Strength", 80.0)
        .with_tag("Class.Knight")
        .with_ability(AbilityGrantDef::new("GA_Strike"))
        .with_effect("GE_Aura", 2.0)
        .with_effect("GE_Refused", 1.0);
    let mut refused = EffectDef::infinite("GE_Refused");
    refused.application_blocked_tags.push("Class.Knight".into());
    let mut game = Game::build(|builder| {
        builder
            .ability(AbilityDef::new("GA_Strike"))
            .effect(EffectDef::infinite("GE_Aura").modify(
                "Attack",
                Operation::Add,
                MagnitudeDef::expression("Level * Source.Strength"),
            ))
            .effect(refused)
            .template(hero)
    });
    game.spawn("champion", "Champion");
    assert_eq!((game.base("champion", "Strength"), game.current("champion", "Attack")), (80.0, 260.0));
    assert!(game.has_tag("champion", "Class.Knight"));
    assert_eq!(
        game.log(),
        [
            "ControllerSpawned",
            "AbilityGranted",
            "applied Internal.Tags",
            "champion +Class.Knight",
            "champion +Class",
            "applied GE_Aura",
            "champion.Attack 100 -> 260",
            "refused GE_Refused ApplicationRequirements",
        ]
    );
}

#[test]
fn section_4_3_destruction_cleans_up_everything_and_raises_events() {
    let mut sword =
        buff("GE_Sword", "Attack", Operation::Add, 5.0).granting("State.Armed").cue("GameplayCue.Sword");
    sword.granted_abilities.push(AbilityGrantDef::new("GA_Strike"));
    let mut game = Game::build(|builder| builder.ability(AbilityDef::new("GA_Strike")).effect(sword));
    let actor = game.sim.spawn_with(Spawn::named("Unit").actor(ActorId(5))).unwrap();
    game.name("actor", actor);
    let active = game.activate("GE_Sword", "actor", "actor");
    let ability = game.active(active).granted_abilities()[0];
    game.events();
    game.sim.despawn(actor).unwrap();
    let log = game.log();
    for line in
        ["removed GE_Sword TargetGone", "actor -State.Armed", "AbilityRevoked", "cue -GameplayCue.Sword"]
    {
        assert!(log.contains(&line.to_owned()), "{line} in {log:?}");
    }
    assert_eq!(log.last().map(String::as_str), Some("ControllerDespawned"));
    assert!(game.sim.effect(active).is_none() && game.sim.ability(ability).is_none());
    assert_eq!(game.sim.controller_of_owner(ActorId(5)), None);
    assert_eq!(game.sim.controller_of_avatar(ActorId(5)), None);
    assert_eq!(game.sim.next_timer(), None);
}

#[test]
fn lookup_with_a_dead_handle_never_panics() {
    let mut game = Game::of([buff("GE", "Attack", Operation::Add, 5.0)]);
    let wolf = game.id("wolf");
    let attack = game.attribute("Attack");
    game.sim.despawn(wolf).unwrap();
    assert!(game.sim.controller(wolf).is_none() && game.sim.tags(wolf).is_none());
    assert_eq!((game.sim.current(wolf, attack), game.sim.base(wolf, attack)), (None, None));
    assert_eq!(game.sim.attributes(wolf).count(), 0);
    assert_eq!(game.sim.attribute_sets(wolf), []);
    assert_eq!(game.sim.effect_count(wolf, game.effect("GE")), 0);
    assert_eq!(game.sim.stack_count(wolf, game.effect("GE")), 0);
    assert_eq!(game.sim.despawn(wolf), Err(RefusalReason::UnknownController(wolf)));
    assert_eq!(game.sim.set_avatar(wolf, None), Err(RefusalReason::UnknownController(wolf)));
    assert_eq!(game.sim.controllers().count(), 1);
}

#[test]
fn effects_on_others_whose_source_is_gone_stay_valid() {
    let poison = EffectDef::lasting("GE_Poison", 10.0).every(1.0).modify(
        "Health",
        Operation::Add,
        MagnitudeDef::attribute(CaptureFrom::Source, "Strength", -0.1),
    );
    let mut game = Game::of([poison, instant("GE_Train", "Strength", Operation::Add, 50.0)]);
    let active = game.activate("GE_Poison", "wolf", "hero");
    game.pass(2.0);
    game.apply("GE_Train", "wolf", "wolf");
    let wolf = game.id("wolf");
    game.sim.despawn(wolf).unwrap();
    assert_eq!(game.active(active).source(), Some(wolf));
    game.pass(2.0); // −5 −5, then −10 −10 with the strength it had last
    assert_eq!(game.base("hero", "Health"), 70.0);
    assert_eq!(game.sim.remove_from_source(game.id("hero"), wolf), 1);
}

#[test]
fn controller_in_a_reused_slot_is_not_the_dead_source() {
    let curse = buff("GE_Curse", "Attack", Operation::Add, 0.0).modify(
        "Speed",
        Operation::Override,
        MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0),
    );
    let mut game =
        Game::of([curse, instant("GE_Train", "Strength", Operation::Add, 50.0), tagging("State.X")]);
    game.apply("GE_Curse", "wolf", "hero");
    game.sim.despawn(game.id("wolf")).unwrap();
    game.spawn("newcomer", "Unit");
    game.apply("GE_Train", "newcomer", "newcomer");
    game.apply("Tag:State.X", "hero", "hero");
    assert_eq!(game.current("hero", "Speed"), 50.0);
}

#[test]
fn controllers_with_effects_on_each_other_may_both_despawn() {
    let mut game = Game::of([EffectDef::infinite("GE").modify(
        "Speed",
        Operation::Add,
        MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0),
    )]);
    game.apply("GE", "wolf", "hero");
    game.apply("GE", "hero", "wolf");
    game.sim.despawn(game.id("wolf")).unwrap();
    assert_eq!(game.current("hero", "Speed"), 450.0);
    game.sim.despawn(game.id("hero")).unwrap();
    assert_eq!(game.sim.controllers().count(), 0);
    assert_eq!(game.count("LogicError"), 0);
}

#[test]
fn controller_is_spawned_from_a_definition_and_errors_are_reported() {
    let mut game = Game::of([]);
    let def = ControllerDef::new("").with_set("Unit").with_base("Mana", 7.0);
    let id = game.sim.spawn_with(Spawn::def(def)).unwrap();
    assert_eq!(game.sim.base(id, game.attribute("Mana")), Some(7.0));
    let fails = |game: &mut Game, def| game.sim.spawn_with(Spawn::def(def)).unwrap_err().to_string();
    assert_eq!(
        fails(&mut game, ControllerDef::new("Odd").with_set("Units")),
        "controller template `Odd` at AttributeSets[0]: there is no attribute set `Units`; did you mean `Unit`?"
    );
    assert_eq!(
        fails(&mut game, ControllerDef::new("Odd").with_base("Mana", 1.0)),
        "a base value is given for `Mana`, but none of the attribute sets has that attribute"
    );
    assert_eq!(
        game.sim.spawn("Unti").unwrap_err().to_string(),
        "there is no controller template `Unti` in the catalog; did you mean `Unit`?"
    );
}

#[test]
fn the_number_of_controllers_is_limited() {
    let mut game = Game::empty(Config { max_controllers: 1, ..Config::seeded(7) }, builder());
    let first = game.spawn("first", "Unit");
    assert_eq!(game.sim.spawn("Unit"), Err(SpawnError::LimitReached(1)));
    game.sim.despawn(first).unwrap();
    game.spawn("second", "Unit");
}

#[test]
fn attributes_are_listed_bounds_before_the_bounded() {
    let game = Game::of([]);
    let names: Vec<&str> =
        game.sim.attributes(game.id("hero")).map(|(id, ..)| game.sim.catalog().attribute_name(id)).collect();
    let place = |name: &str| names.iter().position(|other| *other == name);
    assert!(place("MaxHealth") < place("Health"));
    assert_eq!(names.len(), 7);
}
