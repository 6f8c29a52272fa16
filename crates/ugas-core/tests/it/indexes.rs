//! Indexes: lookups through them agree with a full scan, whatever happens.

use proptest::prelude::*;
use ugas_core::ability::{AbilityDef, GameplayEvent, Grant, Instancing, TriggerOn};
use ugas_core::catalog::CatalogBuilder;
use ugas_core::effect::{EffectDef, ExecutionPolicy, StackingDef};
use ugas_core::modifier::Operation;
use ugas_core::simulation::{Snapshot, Stacks};
use ugas_core::task::{TaskDef, WaitDef};

use crate::fixture::Game;

const EFFECTS: [&str; 8] =
    ["Plain", "ByTarget", "BySource", "Merged", "InTurn", "Immune", "Blocking", "Mark"];
const ABILITIES: [&str; 3] = ["Kept", "Cast", "Answer"];
const INPUTS: [&str; 3] = ["Slot.1", "Slot.2", "Slot.3"];

fn rules(builder: CatalogBuilder) -> CatalogBuilder {
    let lasting = |name: &str| EffectDef::lasting(name, 3.0).modify("Attack", Operation::Add, 1.0);
    let blocking =
        EffectDef { block_abilities_with_tags: vec!["Ability.Cast".into()], ..lasting("Blocking") };
    let wait = || TaskDef::Wait(WaitDef::Delay(2.0.into()));
    builder
        .tags(["Event.Go.Far", "Ability.Cast", "Cooldown.Cast", "State.Marked.Deep", "Kind.Fire"])
        .effect(lasting("Plain"))
        .effect(lasting("ByTarget").stacking(StackingDef::by_target(3)))
        .effect(lasting("BySource").stacking(StackingDef::by_source(3)))
        .effect(lasting("Merged").policy(ExecutionPolicy::RunInMerge))
        .effect(lasting("InTurn").policy(ExecutionPolicy::RunInSequence))
        .effect(lasting("Immune").immune_to("Kind.Fire").while_target_lacks("State.Marked.Deep"))
        .effect(blocking)
        .effect(lasting("Mark").granting("State.Marked.Deep").tagged("Kind.Fire"))
        .effect(EffectDef::lasting("Cooldown", 1.0).granting("Cooldown.Cast"))
        .ability(
            AbilityDef::new("Kept")
                .triggered(TriggerOn::TagPresent, "State.Marked")
                .triggered(TriggerOn::TagAdded, "State.Marked.Deep")
                .blocks("Ability.Cast")
                .task(wait()),
        )
        .ability(
            AbilityDef::new("Cast")
                .tagged("Ability.Cast")
                .cancels("State.Marked")
                .cooldown("Cooldown")
                .instancing(Instancing::PerExecution)
                .task(wait()),
        )
        .ability(
            AbilityDef::new("Answer")
                .triggered(TriggerOn::Event, "Event.Go")
                .triggered(TriggerOn::Event, "Event.Go.Far")
                .task(wait()),
        )
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Apply(usize, bool),
    Remove(usize),
    Grant(usize, Option<usize>),
    Revoke(usize),
    Bind(usize, Option<usize>),
    Press(usize),
    Event,
    Pass(u8),
    Reload,
    Copy,
}

fn deed() -> impl Strategy<Value = Deed> {
    let input = || prop::option::of(0..INPUTS.len());
    prop_oneof![
        10 => (0..EFFECTS.len(), any::<bool>()).prop_map(|(effect, own)| Deed::Apply(effect, own)),
        3 => (0usize..8).prop_map(Deed::Remove),
        3 => (0..ABILITIES.len(), input()).prop_map(|(ability, input)| Deed::Grant(ability, input)),
        1 => (0usize..8).prop_map(Deed::Revoke),
        1 => (0usize..8, input()).prop_map(|(at, input)| Deed::Bind(at, input)),
        3 => (0..INPUTS.len()).prop_map(Deed::Press),
        2 => Just(Deed::Event),
        4 => (0u8..20).prop_map(Deed::Pass),
        1 => Just(Deed::Reload),
        1 => Just(Deed::Copy),
    ]
}

/// Performs a step; refusals are allowed.
fn perform(game: &mut Game, deed: Deed) {
    let hero = game.id("hero");
    match deed {
        Deed::Apply(effect, own) => {
            let _ = game.try_apply(EFFECTS[effect], if own { "hero" } else { "wolf" }, "hero");
        }
        Deed::Remove(at) => {
            let active = game.sim.controller(hero).and_then(|hero| hero.effects().get(at).copied());
            let _ = active.map(|active| game.sim.remove(active, Stacks::All));
        }
        Deed::Grant(ability, input) => {
            let ability = game.sim.catalog().ability(ABILITIES[ability]).unwrap();
            let grant = Grant::new(ability);
            let grant = input.map_or(grant.clone(), |input| grant.input(INPUTS[input]));
            let _ = game.sim.grant_with(hero, grant);
        }
        Deed::Revoke(at) | Deed::Bind(at, _) => {
            let handle = game.sim.controller(hero).and_then(|hero| hero.abilities().get(at).copied());
            let Some(handle) = handle else { return };
            let _ = match deed {
                Deed::Bind(_, input) => game.sim.bind_input(handle, input.map(|input| INPUTS[input].into())),
                _ => game.sim.revoke(handle),
            };
        }
        Deed::Press(input) => {
            let _ = game.sim.press(hero, INPUTS[input]);
        }
        Deed::Event => {
            let event = GameplayEvent::new(game.tag("Event.Go.Far"));
            let _ = game.sim.send_event(hero, event);
        }
        Deed::Pass(tenths) => game.pass(f64::from(tenths) / 10.0),
        Deed::Reload => {
            let with_more = rules(crate::fixture::builder()).effect(EffectDef::infinite("A_First"));
            game.sim.reload(with_more.build().unwrap()).unwrap();
        }
        Deed::Copy => {
            let snapshot = game.sim.snapshot();
            let read = Snapshot::from_bytes(&snapshot.to_bytes(), game.sim.catalog()).unwrap();
            game.sim.restore(&read).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn indexes_agree_with_a_full_scan(deeds in prop::collection::vec(deed(), 0..40)) {
        let mut game = Game::build(rules);
        for deed in deeds {
            perform(&mut game, deed);
            prop_assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
        }
        game.pass(100.0);
        let (hero, wolf) = (game.id("hero"), game.id("wolf"));
        prop_assert!(game.sim.controller(hero).is_some_and(|hero| hero.effects().is_empty()));
        game.sim.despawn(wolf).unwrap();
        prop_assert_eq!(game.sim.inconsistencies(), Vec::<String>::new());
    }
}

#[test]
fn a5_abilities_of_one_input_activate_in_grant_order_whenever_they_were_bound() {
    let mut game = Game::build(rules);
    let hero = game.id("hero");
    let answer = game.sim.catalog().ability("Answer").unwrap();
    let first = game.sim.grant_with(hero, Grant::new(answer)).unwrap();
    let second = game.sim.grant_with(hero, Grant::new(answer).input("Slot.1")).unwrap();
    game.sim.bind_input(first, Some("Slot.1".into())).unwrap();
    game.sim.press(hero, "Slot.1").unwrap();
    // Both are activated (A13), in the order of their grants.
    let runs = game.sim.controller(hero).unwrap().activations();
    let granted: Vec<_> = runs.iter().map(|&run| game.sim.activation(run).unwrap().granted()).collect();
    assert_eq!(granted, [first, second]);
}
