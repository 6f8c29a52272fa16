//! Blocking, cancelling and interruption (§8.6, A4).

use ugas_core::ability::{AbilityDef, ActivationReason, EndReason};
use ugas_core::effect::EffectDef;
use ugas_core::event::EventKind;
use ugas_core::id::ActorId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::Stacks;
use ugas_core::task::TaskDef;

use super::lasting;
use crate::fixture::{Game, instant, tagging};

#[test]
fn a4_activation_cancels_active_abilities_with_matching_tags() {
    let (mut game, handles) = Game::with_abilities(
        [],
        [
            lasting("GA_Fire").tagged("Ability.Spell.Fire"),
            lasting("GA_Walk").tagged("Ability.Move"),
            lasting("GA_Dash").tagged("Ability.Spell").cancels("Ability.Spell"),
        ],
    );
    game.run(handles[0]);
    game.run(handles[1]);
    game.events();
    let dash = game.run(handles[2]);
    assert_eq!(
        game.log(),
        ["activated GA_Dash", "cancelled GA_Fire CancelledByAbility", "committed GA_Dash"]
    );
    assert!(game.is_active(handles[1]) && game.sim.activation(dash).is_some(), "not itself");
}

#[test]
fn a4_an_effect_that_grants_a_tag_of_its_set_cancels_an_ability() {
    let stun = EffectDef::lasting("GE_Stun", 2.0).granting("State.Stunned.Hard");
    let (mut game, handles) = Game::with_abilities(
        [stun],
        [lasting("GA_Cast").owning("State.Casting").cancels("State.Stunned"), lasting("GA_Other")],
    );
    game.run(handles[0]);
    game.run(handles[1]);
    game.apply("GE_Stun", "wolf", "hero");
    assert!(!game.is_active(handles[0]) && game.is_active(handles[1]));
    assert!(!game.has_tag("hero", "State.Casting"));
    let tag = game.tag("State.Stunned");
    let cancelled = |kind: &EventKind| match kind {
        EventKind::AbilityCancelled { reason, .. } => Some(*reason),
        _ => None,
    };
    let reasons: Vec<EndReason> = game.events().iter().filter_map(|event| cancelled(&event.kind)).collect();
    assert_eq!(reasons, [EndReason::CancelledByTag(tag)]);
}

#[test]
fn a4_a_tag_that_is_granted_again_cancels_too() {
    let stun = EffectDef::lasting("GE_Stun", 2.0).granting("State.Stunned");
    let (mut game, handles) = Game::with_abilities([stun], [lasting("GA_Cast").cancels("State.Stunned")]);
    game.apply("GE_Stun", "wolf", "hero");
    game.run(handles[0]); // nothing says that a stun blocks it
    assert!(game.is_active(handles[0]));
    game.apply("GE_Stun", "wolf", "hero");
    assert!(!game.is_active(handles[0]), "the tag's count went from 1 to 2, and there was no event");
}

#[test]
fn a4_its_own_tags_do_not_cancel_an_ability() {
    let skill = || lasting("GA").owning("State.Casting").cancels("State.Casting");
    let (mut game, handles) = Game::with_abilities([tagging("State.Casting")], [skill()]);
    game.run(handles[0]);
    assert!(game.is_active(handles[0]));
    assert_eq!(Game::codes(game.sim.activate(handles[0])), ["AlreadyActive"]);
}

#[test]
fn an_effect_cancels_abilities_on_application_and_blocks_them_while_it_is_active() {
    let mut silence = EffectDef::lasting("GE_Silence", 3.0);
    silence.block_abilities_with_tags.push("Ability.Spell".into());
    silence.ongoing_blocked_tags.push("State.Pure".into());
    let mut break_cast = EffectDef::instant("GE_Break");
    break_cast.cancel_abilities_with_tags.push("Ability.Spell".into());
    let (mut game, handles) = Game::with_abilities(
        [silence, break_cast, tagging("State.Pure")],
        [lasting("GA_Fire").tagged("Ability.Spell.Fire")],
    );
    game.run(handles[0]);
    game.apply("GE_Break", "wolf", "hero");
    assert!(!game.is_active(handles[0]));
    let active = game.activate("GE_Silence", "wolf", "hero");
    let refusal = game.sim.activate(handles[0]).unwrap_err();
    let [ActivationReason::BlockedByAbility { by, effect, .. }] = refusal.reasons[..] else { panic!() };
    assert_eq!((by, effect), (None, Some(active)));
    assert!(refusal.describe(&game.sim).contains("`GE_Silence` blocks abilities with `Ability.Spell`"));
    // E7: an inhibited effect blocks nothing.
    let pure = game.activate("Tag:State.Pure", "hero", "hero");
    assert!(game.sim.can_activate(handles[0]).is_ok());
    game.sim.remove(pure, Stacks::All).unwrap();
    assert!(game.sim.can_activate(handles[0]).is_err());
    game.pass(3.0);
    game.run(handles[0]);
}

#[test]
fn section_8_7_an_active_ability_blocks_others_until_it_ends() {
    let (mut game, handles) = Game::with_abilities(
        [],
        [lasting("GA_Guard").blocks("Ability.Attack"), lasting("GA_Hit").tagged("Ability.Attack.Light")],
    );
    let guard = game.run(handles[0]);
    let refusal = game.sim.can_activate(handles[1]).unwrap_err();
    let [ActivationReason::BlockedByAbility { by, .. }] = refusal.reasons[..] else { panic!() };
    assert_eq!(by, Some(handles[0]));
    assert!(game.sim.end(guard));
    game.run(handles[1]);
    assert!(game.log().contains(&"ended GA_Guard Completed".to_owned()));
}

#[test]
fn section_8_6_cancel_by_run_by_handle_by_tags_and_all() {
    let abilities = || {
        [
            lasting("GA_Fire").tagged("Ability.Spell.Fire"),
            lasting("GA_Ice").tagged("Ability.Spell.Ice"),
            lasting("GA_Walk").tagged("Ability.Move"),
        ]
    };
    let (mut game, handles) = Game::with_abilities([], abilities());
    let active = |game: &Game| [0, 1, 2].map(|at| game.is_active(handles[at]));
    let start = |game: &mut Game| {
        for &handle in &handles {
            let _ = game.sim.activate(handle);
        }
    };
    let hero = game.id("hero");
    start(&mut game);
    assert_eq!(game.sim.cancel_ability(handles[1]), Ok(1));
    assert_eq!(active(&game), [true, false, true]);
    assert_eq!(game.sim.cancel_ability(handles[1]), Ok(0));
    start(&mut game);
    let (spells, fire) = (game.tag_set(["Ability.Spell"]), game.tag_set(["Ability.Spell.Fire"]));
    assert_eq!(game.sim.cancel_by_tags(hero, &spells, &fire), 1);
    assert_eq!(active(&game), [true, false, true]);
    start(&mut game);
    assert_eq!(game.sim.cancel_all(hero, Some(handles[2])), 2);
    assert_eq!(active(&game), [false, false, true]);
    assert_eq!(game.sim.cancel_all(hero, None), 1);
    game.assert_idle("hero");
    // Nothing is named by no tags.
    start(&mut game);
    assert_eq!(game.sim.cancel_by_tags(hero, &game.tag_set([]), &game.tag_set([])), 0);
}

#[test]
fn section_8_6_the_death_of_the_owner_cancels_all() {
    let hit = instant("GE_Hit", "Health", Operation::Add, -100.0);
    let mut game = Game::build(|builder| {
        builder.death("Health", 0.0).effect(hit).ability(lasting("GA")).ability(lasting("GA_Too"))
    });
    for name in ["GA", "GA_Too"] {
        let handle = game.grant("hero", name);
        game.run(handle);
    }
    game.events();
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(
        game.log(),
        [
            "executed GE_Hit",
            "hero.Health 100 -> 0",
            "OwnerDied",
            "cancelled GA OwnerDied",
            "cancelled GA_Too OwnerDied"
        ]
    );
    // The dead do not die again.
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(game.count("OwnerDied"), 0);
}

#[test]
fn section_4_3_avatar_change_cancels_abilities_whose_requirements_fail() {
    let armed = lasting("GA_Armed").requires("State.Armed");
    let quiet = lasting("GA_Quiet").owning("State.Loud").blocked_by("State.Loud");
    let (mut game, handles) = Game::with_abilities([tagging("State.Armed")], [armed, quiet]);
    let weapon = game.activate("Tag:State.Armed", "hero", "hero");
    game.run(handles[0]);
    game.run(handles[1]);
    game.sim.set_avatar(game.id("hero"), Some(ActorId(1))).unwrap();
    assert!(
        game.is_active(handles[0]) && game.is_active(handles[1]),
        "what it owns does not stand against it"
    );
    game.sim.remove(weapon, Stacks::All).unwrap();
    assert!(game.is_active(handles[0]), "requirements are for activation");
    game.events();
    game.sim.set_avatar(game.id("hero"), Some(ActorId(2))).unwrap();
    assert_eq!(game.log(), ["AvatarChanged", "cancelled GA_Armed PossessionChanged"]);
}

#[test]
fn section_8_6_an_ability_may_cancel_or_end_itself() {
    let (mut game, handles) = Game::with_abilities(
        [],
        [
            AbilityDef::new("GA_Cancel").task(TaskDef::CancelAbility).task(TaskDef::wait(1.0)),
            AbilityDef::new("GA_End").task(TaskDef::EndAbility).task(TaskDef::wait(1.0)),
        ],
    );
    game.run(handles[0]);
    game.run(handles[1]);
    let log = game.log();
    assert!(log.contains(&"cancelled GA_Cancel CancelledByTask".to_owned()), "{log:?}");
    assert!(log.contains(&"ended GA_End Completed".to_owned()), "{log:?}");
    game.assert_idle("hero");
}

#[test]
fn despawned_controller_leaves_no_activation() {
    let (mut game, handles) = Game::with_abilities([], [lasting("GA").owning("State.Busy")]);
    let run = game.run(handles[0]);
    let task = game.task("hero");
    game.sim.despawn(game.id("hero")).unwrap();
    assert!(game.sim.activation(run).is_none() && game.sim.task(task).is_none());
    assert!(game.sim.ability(handles[0]).is_none());
    assert!(game.log().contains(&"cancelled GA Revoked".to_owned()));
    assert_eq!(Game::codes(game.sim.activate(handles[0])), ["NotGranted"]);
}
