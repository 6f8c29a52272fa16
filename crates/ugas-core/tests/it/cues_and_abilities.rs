//! Cues (E11) and the abilities that effects grant (§9.8).

use ugas_core::ability::AbilityDef;
use ugas_core::effect::{AbilityGrantDef, AbilityRemoval, EffectContext, EffectDef};
use ugas_core::event::{CueParameters, EventKind};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Config, Stacks};

use crate::fixture::{Game, buff, instant};

#[test]
fn e11_cues_are_counted_for_each_target_and_tag() {
    let glowing = |name: &str| EffectDef::infinite(name).cue("GameplayCue.Glow");
    let mut game = Game::of([glowing("GE_A"), glowing("GE_B")]);
    let a = game.activate("GE_A", "hero", "hero");
    let b = game.activate("GE_B", "hero", "hero");
    assert_eq!(game.log(), ["applied GE_A", "cue +GameplayCue.Glow", "applied GE_B"]);
    assert_eq!(game.sim.controller(game.id("hero")).unwrap().cues(), [(game.tag("GameplayCue.Glow"), 2)]);
    game.apply("GE_A", "hero", "wolf");
    assert_eq!(game.log(), ["applied GE_A", "cue +GameplayCue.Glow"]);
    game.sim.remove(a, Stacks::All).unwrap();
    assert_eq!(game.log(), ["removed GE_A Removed"]);
    game.sim.remove(b, Stacks::All).unwrap();
    assert_eq!(game.log(), ["removed GE_B Removed", "cue -GameplayCue.Glow"]);
}

#[test]
fn e11_instant_and_periodic_executions_send_execute() {
    let mut game = Game::of([
        instant("GE_Hit", "Health", Operation::Add, -1.0).cue("GameplayCue.Hit"),
        EffectDef::lasting("GE_Burn", 2.0).every(1.0).cue("GameplayCue.Burn"),
    ]);
    game.apply("GE_Hit", "wolf", "hero");
    assert_eq!(game.log(), ["executed GE_Hit", "hero.Health 100 -> 99", "cue !GameplayCue.Hit"]);
    game.apply("GE_Burn", "wolf", "hero");
    game.pass(2.0);
    assert_eq!(
        game.log(),
        [
            "applied GE_Burn",
            "cue +GameplayCue.Burn",
            "executed GE_Burn",
            "cue !GameplayCue.Burn",
            "executed GE_Burn",
            "cue !GameplayCue.Burn",
            "removed GE_Burn Expired",
            "cue -GameplayCue.Burn",
        ]
    );
}

#[test]
fn e11_cues_carry_the_named_modifiers_magnitude_level_and_place() {
    let mut effect = instant("GE_Hit", "Health", Operation::Add, -7.0).cue("GameplayCue.Hit");
    effect.cue_magnitude = Some("Health".into());
    let mut game = Game::of([effect]);
    let context = EffectContext::of(game.id("wolf")).at([1.0, 2.0, 3.0]);
    let spec = game.sim.spec(game.effect("GE_Hit"), 4.0, context).unwrap();
    game.apply_spec(&spec, "hero");
    let events = game.events();
    let parameters = events.iter().find_map(|event| match &event.kind {
        EventKind::CueExecuted { parameters, .. } => Some(parameters),
        _ => None,
    });
    let parameters: &CueParameters = parameters.unwrap();
    assert_eq!(
        (parameters.magnitude, parameters.level, parameters.location()),
        (-7.0, 4.0, Some([1.0, 2.0, 3.0]))
    );
}

fn with_grant(removal: AbilityRemoval) -> Game {
    let mut sword = EffectDef::infinite("GE_FireSword");
    sword.granted_abilities.push(AbilityGrantDef {
        level: 3,
        input: Some("Ability.Weapon.Special".into()),
        removal,
        ..AbilityGrantDef::new("GA_FlameStrike")
    });
    Game::build(|builder| {
        builder.ability(AbilityDef::new("GA_FlameStrike").tagged("Ability.Fire")).effect(sword)
    })
}

#[test]
fn section_9_8_an_ability_comes_and_goes_with_its_effect() {
    let mut game = with_grant(AbilityRemoval::CancelImmediately);
    let active = game.activate("GE_FireSword", "hero", "hero");
    let [handle] = game.active(active).granted_abilities() else { panic!("one ability") };
    let handle = *handle;
    let granted = game.sim.ability(handle).unwrap();
    assert_eq!(
        (granted.level(), granted.input().map(|input| input.as_str())),
        (3, Some("Ability.Weapon.Special"))
    );
    assert_eq!((granted.controller(), granted.granted_by()), (game.id("hero"), Some(active)));
    game.sim.remove(active, Stacks::All).unwrap();
    assert!(game.sim.ability(handle).is_none());
    assert!(game.log().contains(&"AbilityRevoked".to_owned()));
}

#[test]
fn section_9_8_keep_leaves_the_ability() {
    let mut game = with_grant(AbilityRemoval::Keep);
    let active = game.activate("GE_FireSword", "hero", "hero");
    game.sim.remove(active, Stacks::All).unwrap();
    let [kept] = game.sim.controller(game.id("hero")).unwrap().abilities() else { panic!("it is kept") };
    let kept = *kept;
    assert_eq!(game.sim.ability(kept).unwrap().granted_by(), None);
    game.sim.revoke(kept).unwrap();
    assert_eq!(game.sim.revoke(kept).unwrap_err().code(), "UnknownHandle");
}

#[test]
fn section_4_5_abilities_can_be_granted_by_hand_up_to_the_limit() {
    let config = Config { max_abilities_per_controller: 1, ..Config::seeded(7) };
    let mut game = Game::configured(config, |builder| builder.ability(AbilityDef::new("GA")));
    let (hero, ability) = (game.id("hero"), game.sim.catalog().ability("GA").unwrap());
    game.sim.grant(hero, ability, 1).unwrap();
    assert_eq!(game.sim.grant(hero, ability, 1).unwrap_err().code(), "LimitReached");
    let unknown = ugas_core::id::AbilityId::from_index(9);
    assert_eq!(game.sim.grant(hero, unknown, 1).unwrap_err().code(), "UnknownAbility");
    game.sim.despawn(hero).unwrap();
    assert_eq!(game.sim.grant(hero, ability, 1).unwrap_err().code(), "UnknownController");
}

#[test]
fn events_beyond_the_limit_are_counted_and_lost() {
    let config = Config { max_events: 3, ..Config::seeded(7) };
    let mut game =
        Game::configured(config, |builder| builder.effect(buff("GE", "Attack", Operation::Add, 1.0)));
    for _ in 0..4 {
        game.apply("GE", "hero", "hero"); // applied, changed
    }
    assert_eq!((game.sim.pending_events().len(), game.sim.dropped_events()), (3, 5));
    assert_eq!(game.events().len(), 3);
    assert_eq!(game.current("hero", "Attack"), 104.0);
}
