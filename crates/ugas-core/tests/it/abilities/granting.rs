//! Granting, instancing, triggers, charges and levels (§4.5, A7, A8; GASD §4.6).

use ugas_core::ability::{
    AbilityDef, AbilitySetDef, GameplayEvent, Grant, Instancing, ParameterDef, TriggerOn,
};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::effect::{AbilityGrantDef, AbilityRemoval, EffectDef};
use ugas_core::id::{ActorId, TagId};
use ugas_core::modifier::Operation;
use ugas_core::refusal::RefusalReason;
use ugas_core::simulation::{ActivationRequest, Stacks};
use ugas_core::task::{ActionDef, TaskDef};

use super::lasting;
use crate::fixture::{Game, buff, instant, tagging};

fn note(value: &str) -> TaskDef {
    TaskDef::Act(ActionDef::SetParameter { name: "Seen".into(), value: value.into() })
}

#[test]
fn section_8_1_a_grant_says_level_input_source_tags_and_parameters() {
    let plain = AbilityDef::new("GA").with_parameter("Power", 2.0).with_parameter("Range", 3.0);
    let mut game = Game::build(|builder| builder.ability(plain).tags(["Item.Sword"]));
    let (hero, tag) = (game.id("hero"), game.tag("Item.Sword"));
    let grant = Grant::new(game.ability("GA"))
        .level(4)
        .input("Slot.1")
        .source_object(ActorId(9))
        .tag(tag)
        .parameter("Power", 5.0)
        .parameter("Wrong", f64::NAN);
    let handle = game.sim.grant_with(hero, grant).unwrap();
    let granted = game.sim.ability(handle).unwrap();
    assert_eq!((granted.level(), granted.source_object()), (4, Some(ActorId(9))));
    assert_eq!(granted.input().map(|input| input.as_str()), Some("Slot.1"));
    assert!(granted.parameters().eq([("Power", 5.0), ("Range", 3.0)]));
    assert_eq!(granted.dynamic_tags(), [tag]);
    let with = |game: &Game, tag| {
        let tags = game.tag_set([tag]);
        game.sim.abilities_with_tags(hero, &tags).collect::<Vec<_>>()
    };
    assert_eq!(with(&game, "Item"), [handle]);
    game.sim.set_parameter(handle, "Power", 6.0).unwrap();
    assert_eq!(game.sim.ability(handle).unwrap().parameter("Power"), Some(6.0));
    assert_eq!(game.sim.set_parameter(handle, "Power", f64::NAN).unwrap_err().code(), "NonFinite");
    game.sim.bind_input(handle, None).unwrap();
    assert_eq!(game.sim.ability(handle).unwrap().input(), None);
}

#[test]
fn a18_typed_parameters_numbers_and_booleans_are_granted_and_tags_and_texts_fixed() {
    let skill = AbilityDef::new("GA")
        .with_parameter("Power", 2.0)
        .with_parameter("Armed", true)
        .with_parameter("Element", ParameterDef::tag("Damage.Fire"))
        .with_parameter("Title", ParameterDef::text("Big boom"))
        .task(note("if(HasTag(ParamTag('Element')), 10, 20) + Param('Armed')"));
    let mut game = Game::build(|builder| builder.ability(skill).effect(tagging("Damage.Fire")));
    let (hero, ability) = (game.id("hero"), game.ability("GA"));
    for fixed in ["Element", "Title"] {
        let refused = game.sim.grant_with(hero, Grant::new(ability).parameter(fixed, 1.0)).unwrap_err();
        assert_eq!(refused, RefusalReason::FixedParameter(fixed.to_owned()));
    }
    let handle = game.sim.grant_with(hero, Grant::new(ability).parameter("Armed", 0.0)).unwrap();
    let granted = game.sim.ability(handle).unwrap();
    assert!(granted.parameters().eq([("Armed", 0.0), ("Power", 2.0)]));
    let definition = game.sim.catalog().ability_by_id(ability).unwrap();
    assert_eq!(definition.parameter("Title").and_then(ParameterDef::as_text), Some("Big boom"));
    assert_eq!(definition.parameter("Element"), Some(&ParameterDef::tag("Damage.Fire")));
    assert_eq!(game.sim.set_parameter(handle, "Title", 1.0).unwrap_err().code(), "FixedParameter");
    game.run(handle);
    assert_eq!(game.sim.ability(handle).unwrap().parameter("Seen"), Some(20.0));
    game.apply("Tag:Damage.Fire", "hero", "hero");
    game.sim.set_parameter(handle, "Armed", 1.0).unwrap();
    game.run(handle);
    assert_eq!(game.sim.ability(handle).unwrap().parameter("Seen"), Some(11.0));
}

#[test]
fn a18_invalid_parameters_are_reported_for_the_definition() {
    let cue = |tag: &str| TaskDef::Act(ActionDef::ExecuteCue(tag.into()));
    let changed = TaskDef::Act(ActionDef::SetParameter { name: "Title".into(), value: 1.0.into() });
    let tasks = [
        cue("ParamTag(\"Power\")"),
        cue("ParamTag('Powr')"),
        TaskDef::wait("Param('Title')"),
        TaskDef::wait("ParamTag('Title')"),
        changed,
    ];
    let mut builder = Catalog::builder().effect(EffectDef::infinite("GE").granting("ParamTag('Power')"));
    for (at, task) in tasks.into_iter().enumerate() {
        let skill = AbilityDef::new(format!("GA_{at}"))
            .with_parameter("Power", 2.0)
            .with_parameter("Title", ParameterDef::text("Big boom"))
            .task(task);
        builder = builder.ability(skill);
    }
    let errors = builder.build().unwrap_err();
    let errors: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
    for expected in [
        "the parameter `Power` is a number, not a tag",
        "the ability has no parameter `Powr`; did you mean `Power`?",
        "the parameter `Title` is a text, not a number",
        "`ParamTag` stands for a tag",
        "the parameter `Title` is a text, which is fixed by the definition",
        "only abilities have parameters",
    ] {
        assert!(errors.iter().any(|error| error.contains(expected)), "{expected}: {errors:#?}");
    }
}

#[test]
fn events_from_outside_with_tags_of_another_catalog_are_refused() {
    let mut game = Game::build(|builder| builder.tags(["Event.Parry"]));
    let (hero, parry) = (game.id("hero"), game.tag("Event.Parry"));
    let foreign = TagId::from_index(game.sim.catalog().tags().len() as u32);
    let hash = game.sim.state_hash();
    let events = [GameplayEvent::new(parry).with_context_tag(foreign), GameplayEvent::new(foreign)];
    for event in events {
        assert_eq!(game.sim.send_event(hero, event), Err(RefusalReason::UnknownTag(foreign)));
    }
    assert_eq!(game.sim.state_hash(), hash);
    assert_eq!(game.sim.send_event(hero, GameplayEvent::new(parry).with_context_tag(parry)), Ok(()));
}

#[test]
fn ability_effects_have_its_source_object() {
    let skill = AbilityDef::new("GA").task(TaskDef::apply_to_owner("GE"));
    let mut game = Game::build(|builder| builder.effect(EffectDef::infinite("GE")).ability(skill));
    let hero = game.id("hero");
    let grant = Grant::new(game.ability("GA")).level(3).source_object(ActorId(9));
    let handle = game.sim.grant_with(hero, grant).unwrap();
    game.run(handle);
    let [active] = game.sim.controller(hero).unwrap().effects() else { panic!("one effect") };
    let active = game.active(*active);
    assert_eq!((active.spec().level(), active.spec().context().source_object()), (3.0, Some(ActorId(9))));
    assert_eq!((active.source(), active.spec().context().ability), (Some(hero), Some(handle)));
}

#[test]
fn a7_per_execution_runs_side_by_side_each_with_its_own_state() {
    let skill = AbilityDef::new("GA")
        .instancing(Instancing::PerExecution)
        .owning("State.Busy")
        .task(TaskDef::wait(2.0));
    let (mut game, handles) = Game::with_abilities([], [skill]);
    let first = game.run(handles[0]);
    game.pass(1.0);
    let second = game.run(handles[0]);
    assert_eq!(game.sim.ability(handles[0]).unwrap().activations(), [first, second]);
    assert_eq!(game.sim.tags(game.id("hero")).unwrap().count(game.tag("State.Busy")), 2);
    game.pass(1.0);
    assert_eq!(game.sim.ability(handles[0]).unwrap().activations(), [second]);
    game.pass(1.0);
    game.assert_idle("hero");
}

#[test]
fn a7_ability_without_instances_cannot_wait() {
    let heal = instant("GE", "Mana", Operation::Add, 1.0);
    let quick = AbilityDef::new("GA").instancing(Instancing::None).task(TaskDef::apply_to_owner("GE"));
    let (mut game, handles) = Game::with_abilities([heal], [quick]);
    game.run(handles[0]);
    assert_eq!(game.current("hero", "Mana"), 51.0);
    game.assert_idle("hero");
    let slow = lasting("GA").instancing(Instancing::None);
    let errors = crate::fixture::builder().ability(slow).build().unwrap_err();
    assert!(errors.to_string().contains("Tasks"), "{errors}");
}

#[test]
fn retrigger_restarts_the_ability() {
    let (mut game, handles) =
        Game::with_abilities([], [AbilityDef::new("GA").retriggered().task(TaskDef::wait(2.0))]);
    let first = game.run(handles[0]);
    game.pass(1.5);
    game.events();
    let second = game.run(handles[0]);
    assert_eq!(game.log(), ["ended GA Retriggered", "activated GA", "committed GA"]);
    assert!(first != second && game.sim.activation(first).is_none());
    game.pass(1.5);
    assert!(game.is_active(handles[0]));
    game.pass(0.5);
    game.assert_idle("hero");
}

#[test]
fn a7_events_trigger_and_bubble_to_parent_tags() {
    let skill = AbilityDef::new("GA").with_parameter("Seen", 0.0).triggered(TriggerOn::Event, "Event.Hit");
    let skill = skill.task(note("Param(\"Event.Magnitude\") + if(Target.HasTag(\"State\"), 100, 0)"));
    let mut game = Game::build(|builder| {
        builder.tags(["Event.Hit.Heavy", "Event.Miss", "State"]).effect(tagging("State")).ability(skill)
    });
    let handle = game.grant("hero", "GA");
    let seen = |game: &Game| game.sim.ability(handle).unwrap().parameter("Seen");
    game.send("hero", "Event.Miss", 1.0);
    game.send("wolf", "Event.Hit", 2.0);
    game.send("hero", "Event", 3.0);
    assert_eq!(seen(&game), Some(0.0), "another kind, another controller, a parent");
    game.send("hero", "Event.Hit.Heavy", 4.0);
    assert_eq!(seen(&game), Some(4.0));
    // The event's target is the activation's.
    game.apply("Tag:State", "wolf", "wolf");
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    let event = GameplayEvent {
        magnitude: 5.0,
        target: Some(wolf),
        instigator: Some(wolf),
        ..GameplayEvent::new(game.tag("Event.Hit"))
    };
    game.sim.send_event(hero, event).unwrap();
    assert_eq!(seen(&game), Some(105.0));
}

#[test]
fn a7_a_tag_that_is_added_triggers_once() {
    let heal = instant("GE", "Mana", Operation::Add, 1.0);
    let skill = AbilityDef::new("GA").triggered(TriggerOn::TagAdded, "State.Wet");
    let skill = skill.task(TaskDef::apply_to_owner("GE"));
    let (mut game, _) =
        Game::with_abilities([heal, tagging("State.Wet.Soaked"), tagging("State.Wet")], [skill]);
    game.apply("Tag:State.Wet.Soaked", "hero", "hero");
    assert_eq!(game.current("hero", "Mana"), 51.0, "by a tag below it");
    game.apply("Tag:State.Wet", "hero", "hero");
    assert_eq!(game.current("hero", "Mana"), 51.0, "it was there already");
}

#[test]
fn a7_a_tag_that_is_present_keeps_the_ability_active() {
    let skill = || lasting("GA").triggered(TriggerOn::TagPresent, "State.Wet");
    let (mut game, handles) = Game::with_abilities([tagging("State.Wet")], [skill()]);
    let wet = game.activate("Tag:State.Wet", "hero", "hero");
    assert!(game.is_active(handles[0]));
    game.events();
    game.sim.remove(wet, Stacks::All).unwrap();
    assert!(game.log().contains(&"cancelled GA TriggerGone".to_owned()));
    // A tag that is present when the ability is granted counts as well.
    game.sim.revoke(handles[0]).unwrap();
    game.apply("Tag:State.Wet", "hero", "hero");
    let again = game.grant("hero", "GA");
    assert!(game.is_active(again));
}

#[test]
fn a7_tag_added_and_removed_in_one_operation_keeps_nothing_active() {
    let flash = EffectDef::lasting("GE_Flash", 0.0).granting("State.Wet");
    let skill = lasting("GA").triggered(TriggerOn::TagPresent, "State.Wet");
    let (mut game, handles) = Game::with_abilities([flash], [skill]);
    game.apply("GE_Flash", "hero", "hero");
    assert!(!game.has_tag("hero", "State.Wet") && !game.is_active(handles[0]));
    let (hero, flash) = (game.id("hero"), game.effect("GE_Flash"));
    game.sim.batch(|sim| {
        let active = sim.apply_effect(flash, None, hero).unwrap().active().unwrap();
        sim.remove(active, Stacks::All).unwrap();
    });
    assert!(!game.is_active(handles[0]));
    game.assert_idle("hero");
}

#[test]
fn passive_abilities_are_activated_by_their_grant() {
    let passive = || lasting("GA_Passive").passive();
    let mut game = Game::build(|builder| builder.ability(passive()).ability(lasting("GA")));
    let own = game.grant("hero", "GA_Passive");
    assert!(game.is_active(own));
    let hero = game.id("hero");
    let asked = game.sim.grant_with(hero, Grant::new(game.ability("GA")).activated()).unwrap();
    let not_asked = game.grant("hero", "GA");
    assert!(game.is_active(asked) && !game.is_active(not_asked));
}

fn sword(
    removal: AbilityRemoval,
) -> (Game, ugas_core::handle::ActiveEffectId, ugas_core::handle::GrantedAbilityId) {
    let sword = EffectDef::infinite("GE_Sword")
        .granting_ability(AbilityGrantDef { removal, ..AbilityGrantDef::new("GA") });
    let mut game = Game::build(|builder| {
        builder
            .effect(sword)
            .ability(AbilityDef::new("GA").instancing(Instancing::PerExecution).task(TaskDef::wait(2.0)))
    });
    let active = game.activate("GE_Sword", "hero", "hero");
    let handle = game.active(active).granted_abilities()[0];
    game.run(handle);
    game.events();
    (game, active, handle)
}

#[test]
fn a8_removal_policy_decides_when_the_granting_effect_ends() {
    let (mut game, active, handle) = sword(AbilityRemoval::CancelImmediately);
    game.sim.remove(active, Stacks::All).unwrap();
    assert_eq!(game.log(), ["removed GE_Sword Removed", "cancelled GA Revoked", "AbilityRevoked"]);
    assert!(game.sim.ability(handle).is_none());

    let (mut game, active, handle) = sword(AbilityRemoval::RemoveOnEnd);
    game.sim.remove(active, Stacks::All).unwrap();
    assert!(game.is_active(handle) && game.sim.ability(handle).unwrap().is_leaving());
    assert_eq!(Game::codes(game.sim.activate(handle)), ["NotGranted"], "it is on its way");
    game.pass(2.0);
    assert!(game.sim.ability(handle).is_none());
    game.assert_idle("hero");

    let (mut game, active, handle) = sword(AbilityRemoval::Keep);
    game.sim.remove(active, Stacks::All).unwrap();
    game.pass(2.0);
    game.run(handle);
}

#[test]
fn a8_ability_is_revoked_now_or_when_it_ends() {
    let (mut game, handles) = Game::with_abilities([], [lasting("GA"), lasting("GA_Idle")]);
    let run = game.run(handles[0]);
    game.sim.revoke_on_end(handles[0]).unwrap();
    game.sim.revoke_on_end(handles[1]).unwrap();
    assert!(game.is_active(handles[0]) && game.sim.ability(handles[1]).is_none());
    game.sim.end(run);
    assert!(game.sim.ability(handles[0]).is_none());
    assert_eq!(game.sim.revoke_on_end(handles[0]).unwrap_err().code(), "UnknownHandle");
}

#[test]
fn charges_are_used_by_commits_and_recharge_one_by_one() {
    let skill = AbilityDef::new("GA").charges(2, 5.0);
    let (mut game, handles) = Game::with_abilities([], [skill]);
    let charges = |game: &Game| game.sim.ability(handles[0]).unwrap().charges();
    assert_eq!(charges(&game), 2);
    game.run(handles[0]);
    game.pass(1.0);
    game.run(handles[0]);
    assert_eq!(Game::codes(game.sim.activate(handles[0])), ["NoCharges"]);
    game.events();
    game.pass(4.0);
    assert_eq!((charges(&game), game.log()), (1, vec!["charges 1".to_owned()]));
    // The second begins when the first is done: at 10.
    game.pass(4.999);
    assert_eq!(charges(&game), 1);
    game.pass(0.001);
    assert_eq!((charges(&game), game.sim.next_timer()), (2, None));
    game.run(handles[0]);
    game.sim.revoke(handles[0]).unwrap();
    assert_eq!(game.sim.next_timer(), None, "the timer goes with the grant");
}

#[test]
fn gasd_4_6_13_level_changes_in_place_or_by_a_new_grant() {
    let skill =
        AbilityDef::new("GA").with_parameter("Seen", 0.0).task(TaskDef::wait(1.0)).task(note("Level"));
    let (mut game, handles) = Game::with_abilities([], [skill]);
    game.run(handles[0]);
    game.sim.set_ability_level(handles[0], 5).unwrap();
    game.sim.set_ability_level(handles[0], 5).unwrap();
    assert_eq!(game.count("AbilityLevelChanged"), 1);
    assert!(game.is_active(handles[0]));
    game.pass(1.0);
    let seen = |game: &Game| game.sim.ability(handles[0]).unwrap().parameter("Seen");
    assert_eq!(seen(&game), Some(1.0), "a run keeps the level it began with");
    game.run(handles[0]);
    game.pass(1.0);
    assert_eq!(seen(&game), Some(5.0));
    // The other way: everything begins anew.
    game.run(handles[0]);
    game.sim.revoke(handles[0]).unwrap();
    let hero = game.id("hero");
    let again = game.sim.grant(hero, game.ability("GA"), 6).unwrap();
    assert_eq!(game.sim.ability(again).unwrap().level(), 6);
    assert!(!game.is_active(again));
}

#[test]
fn v5_new_grant_does_not_repeat_random_numbers() {
    let skill = || AbilityDef::new("GA").with_parameter("Seen", 0.0).task(note("rand()"));
    let (mut game, handles) = Game::with_abilities([], [skill()]);
    let roll = |game: &mut Game, handle| {
        game.run(handle);
        game.sim.ability(handle).unwrap().parameter("Seen").unwrap()
    };
    let first = roll(&mut game, handles[0]);
    let again = game.grant("hero", "GA");
    let second = roll(&mut game, again);
    let third = roll(&mut game, handles[0]);
    assert!(first != second && second != third && first != third);
    // Another controller has a stream of its own, and nobody shifts it.
    let (mut other, handles) = Game::with_abilities([], [skill()]);
    let wolf = other.grant("wolf", "GA");
    assert_ne!(roll(&mut other, wolf), first);
    assert_eq!(roll(&mut other, handles[0]), first);
}

#[test]
fn gasd_4_6_14_ability_set_is_granted_and_revoked_as_a_whole() {
    let set = AbilitySetDef {
        name: "Mage".into(),
        attribute_sets: vec!["Magic".into()],
        abilities: vec![
            AbilityGrantDef::new("GA"),
            AbilityGrantDef { level: 2, ..AbilityGrantDef::new("GA") },
        ],
        effects: vec![("GE_Robe".into(), 2.0)],
        tags: vec!["Class.Mage".into()],
    };
    let extend = |builder: CatalogBuilder| {
        builder
            .attribute_set(AttributeSetDef::new("Magic").with(AttributeDef::new("Focus", 5.0)))
            .effect(buff("GE_Robe", "Focus", Operation::Add, 3.0))
            .ability(lasting("GA"))
            .ability_set(set)
    };
    let mut game = Game::build(extend);
    let hero = game.id("hero");
    let granted = game.sim.grant_set(hero, "Mage").unwrap();
    assert_eq!((granted.abilities.len(), granted.effects.len(), granted.attribute_sets.len()), (2, 2, 1));
    assert_eq!(game.current("hero", "Focus"), 8.0);
    assert!(game.has_tag("hero", "Class.Mage"));
    game.run(granted.abilities[0]);
    game.sim.revoke_set(hero, &granted);
    assert!(!game.has_tag("hero", "Class.Mage"));
    assert_eq!(game.sim.current(hero, game.attribute("Focus")), None);
    game.assert_idle("hero");
    assert!(game.sim.controller(hero).unwrap().abilities().is_empty());
    assert!(game.sim.grant_set(hero, "Nothing").is_err());
    game.sim.revoke_set(hero, &granted);
}

#[test]
fn activation_by_class_and_by_tags() {
    let (mut game, handles) = Game::with_abilities(
        [tagging("State.Calm")],
        [
            lasting("GA_Fire").tagged("Ability.Spell.Fire").tagged("Ability.Loud"),
            lasting("GA_Ice").tagged("Ability.Spell.Ice").requires("State.Calm"),
        ],
    );
    let hero = game.id("hero");
    let spells = game.tag_set(["Ability.Spell"]);
    assert!(game.sim.abilities_with_tags(hero, &spells).eq(handles.clone()));
    assert!(game.sim.activatable_abilities(hero, &spells).eq([handles[0]]));
    let loud = game.tag_set(["Ability.Spell", "Ability.Loud"]);
    assert!(game.sim.abilities_with_tags(hero, &loud).eq([handles[0]]));
    assert_eq!(game.sim.activate_by_tags(hero, &spells).len(), 1);
    assert!(game.log().contains(&"refused MissingTags".to_owned()));
    game.sim.cancel_all(hero, None);
    // By class: the first grant that can be.
    let fire = game.ability("GA_Fire");
    let second = game.grant("hero", "GA_Fire");
    for handle in [handles[0], second] {
        game.sim.activate_ability(hero, fire, ActivationRequest::default()).unwrap();
        assert!(game.is_active(handle));
    }
    let refused = game.sim.activate_ability(hero, fire, ActivationRequest::default());
    assert_eq!(Game::codes(refused), ["AlreadyActive"]);
    let wolf = game.id("wolf");
    assert_eq!(
        Game::codes(game.sim.activate_ability(wolf, fire, ActivationRequest::default())),
        ["NotGranted"]
    );
    game.sim.despawn(wolf).unwrap();
    let refused = game.sim.activate_ability(wolf, fire, ActivationRequest::default());
    assert_eq!(Game::codes(refused), ["UnknownController"]);
}

#[test]
fn an_activation_out_of_range_is_refused() {
    use ugas_core::targeting::Placement;
    let (mut game, handles) = Game::with_abilities([], [lasting("GA").max_range(5.0)]);
    let (hero, wolf) = (game.id("hero"), game.id("wolf"));
    assert!(game.sim.can_activate_on(handles[0], wolf).is_ok(), "who is nowhere is not far");
    game.sim.set_placement(hero, Placement::at([0.0; 3]).ok()).unwrap();
    game.sim.set_placement(wolf, Placement::at([3.0, 4.0, 0.0]).ok()).unwrap();
    assert!(game.sim.can_activate_on(handles[0], wolf).is_ok(), "3² + 4² = 5²");
    game.sim.set_placement(wolf, Placement::at([3.0, 4.0, 0.5]).ok()).unwrap();
    assert_eq!(Game::codes(game.sim.can_activate_on(handles[0], wolf)), ["OutOfRange"]);
    game.sim.despawn(wolf).unwrap();
    assert_eq!(Game::codes(game.sim.can_activate_on(handles[0], wolf)), ["UnknownController"]);
}
