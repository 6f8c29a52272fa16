//! Abilities of characters: charges, granting effects, and activations that are not restored (P7, P8).

use ugas_core::ability::{AbilityDef, Grant, TriggerOn};
use ugas_core::character::{CharacterOutcome, Instigator};
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{AbilityGrantDef, AbilityRemoval, EffectDef};
use ugas_core::id::ActorId;
use ugas_core::modifier::Operation;
use ugas_core::task::TaskDef;
use ugas_core::time::Span;

use super::{elsewhere, hero, moved, restore};
use crate::fixture::Game;

/// The only ability of the hero.
#[track_caller]
fn ability(game: &Game) -> ugas_core::handle::GrantedAbilityId {
    let [handle] = game.sim.controller(game.id("hero")).unwrap().abilities() else { panic!("one ability") };
    *handle
}

fn granting(removal: AbilityRemoval) -> EffectDef {
    let grant = AbilityGrantDef { removal, ..AbilityGrantDef::new("GA_Dash") };
    EffectDef::lasting("GE_Boots", 5.0).granting_ability(grant)
}

#[test]
fn data_of_a_grant_is_restored() {
    let mut game = Game::build(|builder| {
        builder
            .ability(AbilityDef::new("GA_Bolt").with_parameter("Power", 1.0).with_parameter("Range", 9.0))
            .effect(crate::fixture::tagging("Ability.Fire"))
    });
    let grant = Grant::new(game.ability("GA_Bolt"))
        .level(4)
        .input("Slot.1")
        .source_object(ActorId(6))
        .tag(game.tag("Ability.Fire"))
        .parameter("Power", 2.5);
    game.sim.grant_with(game.id("hero"), grant).unwrap();
    let character = hero(&game);
    // Only what differs from the definition is written.
    assert_eq!(character.abilities[0].parameters, [("Power".to_owned(), 2.5)]);
    let other = moved(&game);
    let granted = other.sim.ability(ability(&other)).unwrap();
    assert_eq!((granted.level(), granted.source_object()), (4, Some(ActorId(6))));
    assert_eq!(granted.input().map(ToString::to_string).as_deref(), Some("Slot.1"));
    assert_eq!(granted.dynamic_tags(), [other.tag("Ability.Fire")]);
    assert_eq!(granted.parameters().collect::<Vec<_>>(), [("Power", 2.5), ("Range", 9.0)]);
}

#[test]
fn cooldown_continues() {
    let cooldown = EffectDef::lasting("GE_Cooldown", 4.0).granting("Cooldown.Bolt");
    let (mut game, handles) = Game::with_abilities(
        [cooldown],
        [AbilityDef::new("GA_Bolt").cooldown("GE_Cooldown").task(TaskDef::commit())],
    );
    game.run(handles[0]);
    game.pass(1.5);
    let character = hero(&game);
    let cooldown = &character.effects[0];
    assert_eq!(cooldown.instigator, Instigator::Itself);
    assert_eq!(cooldown.ability.as_ref().map(|ability| ability.ability.as_str()), Some("GA_Bolt"));
    let mut other = moved(&game);
    let bolt = ability(&other);
    let active = other.sim.controller(other.id("hero")).unwrap().effects()[0];
    assert_eq!(other.active(active).spec().context().ability, Some(bolt));
    assert_eq!(other.sim.ability_cooldown(bolt), Some((Span::seconds(2.5), Span::seconds(4.0))));
    assert_eq!(Game::codes(other.sim.activate(bolt)), ["OnCooldown"]);
    other.pass(2.5);
    other.run(bolt);
}

#[test]
fn used_charges_stay_used() {
    let (mut game, handles) =
        Game::with_abilities([], [AbilityDef::new("GA_Roll").charges(3, 5.0).task(TaskDef::commit())]);
    game.run(handles[0]);
    game.pass(2.0);
    game.run(handles[0]);
    let mut other = moved(&game);
    let roll = ability(&other);
    assert_eq!(other.sim.ability(roll).unwrap().charges(), 1);
    other.pass(2.99);
    assert_eq!(other.sim.ability(roll).unwrap().charges(), 1);
    other.pass(0.01); // the first was used 2 s before the move and takes 5
    assert_eq!(other.sim.ability(roll).unwrap().charges(), 2);
    other.pass(5.0);
    assert_eq!(other.sim.ability(roll).unwrap().charges(), 3);
    assert_eq!(other.sim.next_timer(), None);
}

#[test]
fn p7_ability_granted_by_an_effect_is_restored_once() {
    let mut game = Game::build(|builder| {
        builder
            .effect(granting(AbilityRemoval::CancelImmediately))
            .ability(AbilityDef::new("GA_Dash").charges(2, 9.0).task(TaskDef::commit()))
    });
    game.apply("GE_Boots", "hero", "hero");
    game.run(ability(&game));
    let mut other = moved(&game);
    let dash = ability(&other);
    assert_eq!(other.sim.ability(dash).unwrap().charges(), 1);
    assert!(other.sim.ability(dash).unwrap().granted_by().is_some());
    assert_eq!(hero(&other), hero(&game));
    other.pass(5.0);
    assert!(other.sim.ability(dash).is_none(), "it goes with its effect");
}

#[test]
fn p7_ability_without_its_effect_is_left_out_unless_kept() {
    for (removal, stays) in [(AbilityRemoval::CancelImmediately, 0), (AbilityRemoval::Keep, 1)] {
        let mut game =
            Game::build(|builder| builder.effect(granting(removal)).ability(AbilityDef::new("GA_Dash")));
        game.apply("GE_Boots", "hero", "hero");
        let mut character = hero(&game);
        character.effects.clear();
        let mut other = elsewhere(&game);
        let report = restore(&mut other, &character);
        assert_eq!(other.sim.controller(other.id("hero")).unwrap().abilities().len(), stays, "{report}");
        assert_eq!(report.is_complete(), stays == 1);
    }
}

#[test]
fn p7_changed_definition_grants_its_new_abilities() {
    let mut game = Game::build(|builder| {
        builder.effect(EffectDef::lasting("GE_Boots", 5.0)).ability(AbilityDef::new("GA_Dash"))
    });
    game.apply("GE_Boots", "hero", "hero");
    let mut patched = Game::build(|builder| {
        builder.effect(granting(AbilityRemoval::CancelImmediately)).ability(AbilityDef::new("GA_Dash"))
    });
    restore(&mut patched, &hero(&game));
    let dash = ability(&patched);
    assert!(patched.sim.ability(dash).unwrap().granted_by().is_some());
}

#[test]
fn p8_activations_and_their_tags_are_not_restored() {
    let channel = AbilityDef::new("GA_Channel")
        .owning("State.Channeling")
        .task(TaskDef::commit())
        .task(TaskDef::wait(60.0));
    let (mut game, handles) = Game::with_abilities([], [channel]);
    game.run(handles[0]);
    assert!(game.has_tag("hero", "State.Channeling"));
    let mut other = elsewhere(&game);
    let report = restore(&mut other, &hero(&game));
    assert_eq!(report.entries[0].outcome, CharacterOutcome::RunsLeftBehind { runs: 1 });
    assert!(report.is_complete());
    assert!(!other.has_tag("hero", "State.Channeling"));
    assert!(!other.is_active(ability(&other)));
    assert_eq!(other.sim.next_timer(), None);
}

#[test]
fn p8_active_passives_restart_and_triggers_do_not_fire() {
    let count =
        |name: &str| EffectDef::instant(name).modify("Mana", Operation::Add, MagnitudeDef::expression("1"));
    let aura = AbilityDef::new("GA_Aura")
        .passive()
        .task(TaskDef::apply_to_owner("GE_Aura"))
        .task(TaskDef::wait(60.0));
    let done = AbilityDef::new("GA_Done").passive().task(TaskDef::apply_to_owner("GE_Aura"));
    let rage =
        AbilityDef::new("GA_Rage").triggered(TriggerOn::TagPresent, "State.Angry").task(TaskDef::wait(60.0));
    let shout = AbilityDef::new("GA_Shout")
        .triggered(TriggerOn::TagAdded, "State.Angry")
        .task(TaskDef::apply_to_owner("GE_Aura"));
    let (mut game, handles) = Game::with_abilities(
        [count("GE_Aura"), crate::fixture::tagging("State.Angry")],
        [aura, done, rage, shout],
    );
    game.apply("Tag:State.Angry", "hero", "hero");
    // Aura, Done and Shout each gave 1 Mana.
    assert_eq!(game.base("hero", "Mana"), 53.0);
    let running: Vec<bool> = handles.iter().map(|handle| game.is_active(*handle)).collect();
    assert_eq!(running, [true, false, true, false]);
    let mut other = elsewhere(&game);
    let report = restore(&mut other, &hero(&game));
    let again: Vec<&str> = report
        .entries
        .iter()
        .filter(|entry| entry.outcome == CharacterOutcome::ActivatedAgain)
        .map(|entry| entry.name.as_str())
        .collect();
    assert_eq!(again, ["GA_Aura", "GA_Rage"]);
    let abilities = other.sim.controller(other.id("hero")).unwrap().abilities().to_vec();
    let running: Vec<bool> = abilities.iter().map(|handle| other.is_active(*handle)).collect();
    assert_eq!(running, [true, false, true, false]);
    // Only the aura, which begins anew, gives again.
    assert_eq!(other.base("hero", "Mana"), 54.0);
}

#[test]
fn the_order_of_grants_is_kept() {
    let mut game = Game::build(|builder| {
        builder
            .effect(granting(AbilityRemoval::CancelImmediately))
            .ability(AbilityDef::new("GA_Dash"))
            .ability(AbilityDef::new("GA_Bolt"))
    });
    game.grant("hero", "GA_Bolt");
    game.apply("GE_Boots", "hero", "hero");
    game.grant("hero", "GA_Dash");
    game.grant("hero", "GA_Bolt");
    let names = |game: &Game| -> Vec<(String, bool)> {
        let abilities = game.sim.controller(game.id("hero")).unwrap().abilities();
        let name = |handle| {
            let granted = game.sim.ability(handle).unwrap();
            let name = game.sim.catalog().ability_name(granted.ability());
            (name.to_owned(), granted.granted_by().is_some())
        };
        abilities.iter().map(|&handle| name(handle)).collect()
    };
    let expected = [("GA_Bolt", false), ("GA_Dash", true), ("GA_Dash", false), ("GA_Bolt", false)];
    let expected = expected.map(|(name, by_effect)| (name.to_owned(), by_effect));
    assert_eq!(names(&game), expected);
    assert_eq!(names(&moved(&game)), expected);
}
