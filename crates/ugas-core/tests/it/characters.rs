//! Characters: facts are stored, the rest is derived, and clocks continue (P1, P2, P3, P4, P9, P10).

mod abilities;
mod bytes;
mod sources;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{CatalogBuilder, DefinitionKind};
use ugas_core::character::{
    Character, CharacterAbility, CharacterAttribute, CharacterEffect, CharacterOutcome, CharacterReport,
    CharacterSet, Lifetime, Phase, RestoreError, RestoreOptions,
};
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::magnitude::MagnitudeDef;
use ugas_core::effect::{EffectDef, EffectStatus, ExecutionPolicy, StackingDef};
use ugas_core::id::ActorId;
use ugas_core::input::InputBufferConfig;
use ugas_core::modifier::Operation;
use ugas_core::refusal::Limit;
use ugas_core::simulation::{Config, Simulation, Spawn};
use ugas_core::targeting::{Placement, Team};
use ugas_core::time::Span;

use crate::fixture::{Game, buff, builder, tagging};

/// The hero of a game, taken down.
#[track_caller]
pub(crate) fn hero(game: &Game) -> Character {
    game.sim.character(game.id("hero")).expect("there is a hero")
}

/// An empty game of the same catalog.
pub(crate) fn elsewhere(game: &Game) -> Game {
    Game::around(Simulation::new(game.sim.catalog().clone(), Config::seeded(99)))
}

/// The hero again, in another game.
#[track_caller]
pub(crate) fn restore(game: &mut Game, character: &Character) -> CharacterReport {
    restore_with(game, character, &RestoreOptions::default())
}

#[track_caller]
pub(crate) fn restore_with(
    game: &mut Game,
    character: &Character,
    options: &RestoreOptions,
) -> CharacterReport {
    let (id, report) =
        game.sim.restore_character(character, options).unwrap_or_else(|error| panic!("{error}"));
    game.name("hero", id);
    assert_eq!(game.sim.inconsistencies(), [""; 0]);
    report
}

/// How many effects the hero has.
pub(crate) fn effect_count(game: &Game) -> usize {
    game.sim.controller(game.id("hero")).map_or(0, |hero| hero.effects().len())
}

/// The hero moves to an empty game, and loses nothing but the wolf.
#[track_caller]
pub(crate) fn moved(game: &Game) -> Game {
    let mut other = elsewhere(game);
    let report = restore(&mut other, &hero(game));
    let mut outcomes = report.entries.iter().map(|entry| &entry.outcome);
    assert!(outcomes.all(|outcome| !outcome.is_loss() || *outcome == CharacterOutcome::Orphaned), "{report}");
    other
}

#[test]
fn p2_bases_are_restored_and_current_values_derived() {
    let mut game = Game::of([
        buff("GE_Ring", "MaxHealth", Operation::Add, 50.0),
        buff("GE_Belt", "MaxHealth", Operation::Multiply, 0.2),
        EffectDef::instant("GE_Heal").modify("Health", Operation::Add, 70.0),
    ]);
    game.apply("GE_Ring", "hero", "hero");
    game.apply("GE_Belt", "hero", "hero");
    game.apply("GE_Heal", "hero", "hero");
    // MaxHealth (100 + 50) × 1.2 = 180; Health 100 + 70 = 170, which is more than MaxHealth without the effects.
    let other = moved(&game);
    assert_eq!(other.current("hero", "MaxHealth"), 180.0);
    assert_eq!(other.base("hero", "MaxHealth"), 100.0);
    assert_eq!(other.base("hero", "Health"), 170.0);
    assert_eq!(other.current("hero", "Health"), 170.0);
}

#[test]
fn p4_period_continues_in_its_phase() {
    let mut game =
        Game::of([EffectDef::lasting("GE_Poison", 7.0).every(2.0).modify("Health", Operation::Add, -5.0)]);
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(3.5); // one tick, at 2; the next one at 4 is half a second away, the end at 7 three and a half
    let character = hero(&game);
    let phase = Phase { period: None, elapsed: Span::seconds(1.5), ticks: 1 };
    assert_eq!(character.effects[0].phase, Some(phase));
    let lifetime = Lifetime::Lasting { total: Span::seconds(7.0), left: Span::seconds(3.5) };
    assert_eq!(character.effects[0].lifetime, lifetime);

    let mut other = elsewhere(&game);
    restore(&mut other, &character);
    assert_eq!(other.base("hero", "Health"), 95.0);
    other.pass(0.49);
    assert_eq!(other.base("hero", "Health"), 95.0);
    other.pass(0.01); // 0.5: what was to be at 4
    assert_eq!(other.base("hero", "Health"), 90.0);
    other.pass(2.0); // 2.5: what was to be at 6, and the last one
    assert_eq!(other.base("hero", "Health"), 85.0);
    other.pass(0.99);
    assert_eq!(effect_count(&other), 1);
    other.pass(0.01); // 3.5: the end, before a tick at 8 would have come
    assert_eq!(effect_count(&other), 0);
    assert_eq!(other.base("hero", "Health"), 85.0);
}

#[test]
fn p4_period_of_the_caller_is_kept_and_that_of_the_definition_is_not() {
    let poison =
        |seconds: f64| EffectDef::infinite("GE_Poison").every(seconds).modify("Health", Operation::Add, -5.0);
    let mut game = Game::of([poison(4.0)]);
    let spec = game.spec("GE_Poison", "hero").with_period(Span::seconds(1.0));
    game.apply_spec(&spec, "hero");
    game.apply("GE_Poison", "hero", "hero");
    game.pass(2.5); // the caller's ticked at 1 and 2, that of the rules is to tick at 4
    // The rules say 3 here: their poison ticks half a second after the move, the caller's goes on each second.
    let mut other = Game::of([poison(3.0)]);
    restore(&mut other, &hero(&game));
    other.pass(0.49);
    assert_eq!(other.base("hero", "Health"), 90.0);
    other.pass(0.01);
    assert_eq!(other.base("hero", "Health"), 80.0);
    other.pass(1.0);
    assert_eq!(other.base("hero", "Health"), 75.0);
}

#[test]
fn p4_tick_beyond_the_expiry_occurs_if_the_expiry_moves() {
    let mut game =
        Game::of([EffectDef::lasting("GE_Poison", 3.0).every(2.0).modify("Health", Operation::Add, -5.0)]);
    game.apply("GE_Poison", "wolf", "hero");
    game.pass(2.5); // ticked at 2, would tick at 4, ends at 3
    let mut other = moved(&game);
    other.pass(0.25);
    let active = other.sim.controller(other.id("hero")).unwrap().effects()[0];
    other.sim.set_remaining(active, Span::seconds(2.0)).unwrap();
    other.pass(1.24);
    assert_eq!(other.base("hero", "Health"), 95.0);
    other.pass(0.01); // 1.5 after the move: what was to be at 4
    assert_eq!(other.base("hero", "Health"), 90.0);
}

#[test]
fn p3_restoring_is_not_an_application() {
    let mut brand = EffectDef::lasting("GE_Brand", 9.0)
        .every(3.0)
        .executing_on_application()
        .modify("Health", Operation::Add, -10.0)
        .granting("State.Branded")
        .removing("State.Shielded")
        .requires("State.Shielded")
        .cue("GameplayCue.Brand");
    brand.additional_effects.push(ugas_core::effect::AdditionalEffectDef::new("GE_Scar"));
    let mut game = Game::of([
        brand,
        buff("GE_Scar", "Speed", Operation::Add, -1.0),
        EffectDef::infinite("GE_Shield").granting("State.Shielded"),
    ]);
    game.apply("GE_Shield", "hero", "hero");
    game.apply("GE_Brand", "wolf", "hero");
    // One tick on application; the shield is gone, so that it could not be applied again; one scar.
    assert_eq!((game.base("hero", "Health"), game.current("hero", "Speed")), (90.0, 399.0));
    let mut other = moved(&game);
    assert_eq!((other.base("hero", "Health"), other.current("hero", "Speed")), (90.0, 399.0));
    // P10: the controller, its effects, their tags and cues; no value has changed.
    let story = ["ControllerSpawned", "applied GE_Brand", "applied GE_Scar"];
    let tags = ["hero +State.Branded", "hero +State", "cue +GameplayCue.Brand"];
    assert_eq!(other.log(), [&story[..], &tags[..]].concat());
    other.pass(3.0);
    assert_eq!(other.base("hero", "Health"), 80.0);
}

#[test]
fn stacks_and_magnitudes_are_restored() {
    let mut game = Game::of([EffectDef::lasting("GE_Rage", 6.0)
        .modify("Attack", Operation::Add, MagnitudeDef::expression("Stacks * 10"))
        .with(ugas_core::modifier::ModifierDef::new("Armor", Operation::Add, -2.0))
        .stacking(StackingDef::by_target(5))]);
    for _ in 0..3 {
        game.apply("GE_Rage", "hero", "hero");
    }
    // Each of three stacks counts: Attack 100 + 3 × (3 × 10) = 190, Armor 20 - 3 × 2 = 14.
    assert_eq!(game.current("hero", "Attack"), 190.0);
    let mut other = moved(&game);
    assert_eq!((other.current("hero", "Attack"), other.current("hero", "Armor")), (190.0, 14.0));
    other.apply("GE_Rage", "hero", "hero");
    // A fourth joins them: 100 + 4 × 40 = 260.
    assert_eq!(other.current("hero", "Attack"), 260.0);
}

#[test]
fn a_queue_keeps_its_order() {
    let stun = |name: &str| {
        EffectDef::lasting(name, 2.0)
            .modify("Speed", Operation::Add, MagnitudeDef::set_by_caller("Data.Amount"))
            .policy(ExecutionPolicy::RunInSequence)
    };
    let mut game = Game::of([stun("GE_Stun")]);
    for amount in [-1.0, -2.0, -3.0] {
        let spec = game.spec_with("GE_Stun", "wolf", "Data.Amount", amount);
        game.apply_spec(&spec, "hero");
    }
    game.pass(0.5);
    let character = hero(&game);
    let status: Vec<EffectStatus> = character.effects.iter().map(|effect| effect.status).collect();
    assert_eq!(status, [EffectStatus::Running, EffectStatus::Queued, EffectStatus::Queued]);
    let mut other = moved(&game);
    assert_eq!(other.current("hero", "Speed"), 399.0);
    other.pass(1.5); // the first one's 2 seconds are over
    assert_eq!(other.current("hero", "Speed"), 398.0);
    other.pass(2.0); // the second had all its time
    assert_eq!(other.current("hero", "Speed"), 397.0);
    other.pass(2.0);
    assert_eq!(other.current("hero", "Speed"), 400.0);

    // P9: without its head the queue moves up, at once.
    let mut headless = character;
    headless.effects.remove(0);
    let mut other = elsewhere(&game);
    restore(&mut other, &headless);
    assert_eq!(other.current("hero", "Speed"), 398.0);
    other.pass(2.0);
    assert_eq!(other.current("hero", "Speed"), 397.0);
}

#[test]
fn merged_effect_is_restored_as_one() {
    let mut game = Game::of([EffectDef::lasting("GE_Shelter", 4.0)
        .modify("Armor", Operation::Add, MagnitudeDef::set_by_caller("Data.Amount"))
        .policy(ExecutionPolicy::RunInMerge)]);
    let spec = game.spec_with("GE_Shelter", "hero", "Data.Amount", 5.0);
    game.apply_spec(&spec, "hero");
    game.pass(3.0);
    let spec = game.spec_with("GE_Shelter", "hero", "Data.Amount", 7.0);
    game.apply_spec(&spec, "hero"); // from 0 to 7 now, with the newer number
    game.pass(1.0);
    let lifetime = Lifetime::Lasting { total: Span::seconds(7.0), left: Span::seconds(3.0) };
    assert_eq!(hero(&game).effects[0].lifetime, lifetime);
    let mut other = moved(&game);
    other.pass(2.99);
    assert_eq!(other.current("hero", "Armor"), 27.0);
    other.pass(0.01);
    assert_eq!(other.current("hero", "Armor"), 20.0);
}

#[test]
fn inhibited_effect_stays_inhibited_while_requirements_fail() {
    let mut game = Game::of([
        buff("GE_Wings", "Speed", Operation::Add, 100.0)
            .while_target_lacks("State.Rooted")
            .granting("State.Flying"),
        EffectDef::lasting("GE_Root", 2.0).granting("State.Rooted"),
    ]);
    game.apply("GE_Wings", "hero", "hero");
    game.apply("GE_Root", "wolf", "hero");
    game.pass(0.5);
    let mut other = moved(&game);
    assert!(hero(&other).effects[0].inhibited);
    assert!(!other.has_tag("hero", "State.Flying"));
    assert_eq!(other.current("hero", "Speed"), 400.0);
    other.pass(1.5);
    assert!(other.has_tag("hero", "State.Flying"));
    assert_eq!(other.current("hero", "Speed"), 500.0);
}

#[test]
fn own_tags_are_counted_as_they_were() {
    let catalog = builder()
        .effect(tagging("Class.Mage"))
        .template(ControllerDef::new("Mage").with_set("Unit").with_tag("Class.Mage").with_tag("Race.Elf"));
    let mut game = Game::empty(Config::default(), catalog);
    game.spawn("hero", "Mage");
    game.apply("Tag:Class.Mage", "hero", "hero");
    let count = |game: &Game, tag: &str| game.sim.tags(game.id("hero")).unwrap().count(game.tag(tag));
    assert_eq!((count(&game, "Class.Mage"), count(&game, "Race.Elf")), (2, 1));
    let character = hero(&game);
    assert_eq!(character.own_tags, Some(vec![vec!["Class.Mage".to_owned(), "Race.Elf".to_owned()]]));
    assert_eq!(character.tags, ["Class.Mage", "Race.Elf"]);
    let other = moved(&game);
    assert_eq!((count(&other, "Class.Mage"), count(&other, "Race.Elf")), (2, 1));
    assert_eq!(hero(&other), character);

    // A list that does not say whose they are: what an effect grants is the effect's.
    let foreign = Character { own_tags: None, ..character };
    let mut other = elsewhere(&game);
    restore(&mut other, &foreign);
    assert_eq!((count(&other, "Class.Mage"), count(&other, "Race.Elf")), (1, 1));
}

#[test]
fn identity_and_placement_are_restored() {
    let mut game = Game::of([]);
    let spawn = Spawn::named("Unit").owner(ActorId(7)).avatar(ActorId(8));
    let id = game.sim.spawn_with(spawn).unwrap();
    game.name("hero", id);
    let here = Placement::new([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]).unwrap();
    let buffer = InputBufferConfig { enabled: true, window: Span::millis(200), size: 2 };
    game.sim.set_placement(id, Some(here)).unwrap();
    game.sim.set_team(id, Some(Team::new("Red"))).unwrap();
    game.sim.set_input_buffer(id, buffer).unwrap();
    let mut other = moved(&game);
    let restored = other.sim.controller(other.id("hero")).unwrap();
    assert_eq!((restored.owner(), restored.avatar()), (Some(ActorId(7)), Some(ActorId(8))));
    assert_eq!(restored.placement(), Some(here));
    assert_eq!(restored.team(), Some(&Team::new("Red")));
    assert_eq!(restored.input_buffer().config(), buffer);
    assert_eq!(restored.template(), game.sim.controller(id).unwrap().template());
    assert_eq!(other.sim.controller_of_owner(ActorId(7)), Some(other.id("hero")));
    // A respawn has another body, and may have another owner.
    let options = RestoreOptions::default().owner(ActorId(70)).avatar(ActorId(80));
    restore_with(&mut other, &hero(&game), &options);
    let restored = other.sim.controller(other.id("hero")).unwrap();
    assert_eq!((restored.owner(), restored.avatar()), (Some(ActorId(70)), Some(ActorId(80))));
}

#[test]
fn the_latest_of_two_overrides_still_wins() {
    let over = |name: &str, to: f64| {
        EffectDef::infinite(name).modify("Speed", Operation::Override, to).stacking(StackingDef::by_target(0))
    };
    let mut game = Game::of([over("GE_First", 1.0), over("GE_Second", 2.0)]);
    game.apply("GE_First", "hero", "hero");
    game.apply("GE_Second", "hero", "hero");
    game.apply("GE_First", "hero", "hero"); // M4: the first one is the latest again
    assert_eq!(game.current("hero", "Speed"), 1.0);
    let once = moved(&game);
    assert_eq!(once.current("hero", "Speed"), 1.0);
    assert_eq!(moved(&once).current("hero", "Speed"), 1.0);
}

#[test]
fn effect_created_at_run_time_keeps_its_definition() {
    let mut game = Game::of([buff("GE_Plain", "Armor", Operation::Add, 1.0)]);
    let sword = buff("Sword of 7", "Attack", Operation::Add, 7.0);
    let id = game.sim.define_effect(sword.clone()).unwrap();
    let target = game.id("hero");
    game.sim.apply_effect(id, Some(target), target).unwrap();
    let other = moved(&game);
    assert_eq!(other.current("hero", "Attack"), 107.0);
    assert_eq!(
        other.sim.runtime_effects().map(|(_, effect)| effect.name().to_owned()).collect::<Vec<_>>(),
        ["Sword of 7"]
    );

    // A definition that does not hold together here, and a catalog that has one of the name.
    let mut character = hero(&game);
    let mut broken = sword.clone();
    broken.granted_tags.push("No.Such.Tag".to_owned());
    character.effects[0].definition = Some(std::sync::Arc::new(broken));
    let mut other = elsewhere(&game);
    let report = restore(&mut other, &character);
    assert!(matches!(report.entries[0].outcome, CharacterOutcome::Invalid(_)), "{report}");
    assert_eq!(other.current("hero", "Attack"), 100.0);
    let mut taken = Game::of([buff("Sword of 7", "Attack", Operation::Add, 70.0)]);
    let report = restore(&mut taken, &hero(&game));
    assert_eq!(report.entries[0].outcome, CharacterOutcome::Replaced);
    assert_eq!(taken.current("hero", "Attack"), 170.0);
}

#[test]
fn p1_unknown_names_are_reported() {
    let mut game = Game::build(|builder| {
        builder
            .attribute_set(AttributeSetDef::new("Old").with(AttributeDef::new("Luck", 3.0)))
            .effect(buff("GE_Gone", "Attack", Operation::Add, 1.0))
            .effect(buff("GE_Here", "Attack", Operation::Add, 2.0))
            .effect(buff("GE_Bolt", "Attack", Operation::Add, 4.0))
            .effect(tagging("State.Gone"))
            .template(ControllerDef::new("Old").with_set("Unit").with_set("Old").with_tag("State.Gone"))
    });
    game.spawn("hero", "Old");
    for effect in ["GE_Gone", "GE_Here", "GE_Bolt"] {
        game.apply(effect, "hero", "hero");
    }
    let mut here = Game::of([
        buff("GE_Here", "Attack", Operation::Add, 2.0),
        EffectDef::instant("GE_Bolt").modify("Attack", Operation::Add, 4.0),
    ]);
    let report = restore(&mut here, &hero(&game));
    let entries: Vec<(DefinitionKind, &str, &CharacterOutcome)> =
        report.entries.iter().map(|entry| (entry.kind, entry.name.as_str(), &entry.outcome)).collect();
    assert_eq!(
        entries,
        [
            (DefinitionKind::AttributeSet, "Old", &CharacterOutcome::Unknown),
            (DefinitionKind::Template, "Old", &CharacterOutcome::Unknown),
            (DefinitionKind::Attribute, "Luck", &CharacterOutcome::AttributeGone { base: 3.0 }),
            (DefinitionKind::Tag, "State.Gone", &CharacterOutcome::Unknown),
            (DefinitionKind::Effect, "GE_Gone", &CharacterOutcome::Unknown),
            (DefinitionKind::Effect, "GE_Bolt", &CharacterOutcome::BecameInstant),
            // 100 + 1 + 2 + 4 there, 100 + 2 here.
            (DefinitionKind::Attribute, "Attack", &CharacterOutcome::ValueDiffers { was: 107.0, is: 102.0 }),
        ]
    );
    assert!(!report.is_complete());
    assert_eq!(
        report.to_string().lines().next(),
        Some("attribute set `Old` is not known here and was left out")
    );
}

#[test]
fn p6_changed_definition_is_evaluated_again() {
    let rage = |amount: f64| {
        EffectDef::lasting("GE_Rage", 10.0)
            .modify("Attack", Operation::Add, amount)
            .stacking(StackingDef::by_target(if amount > 5.0 { 2 } else { 3 }))
    };
    let mut game = Game::of([rage(5.0)]);
    for _ in 0..3 {
        game.apply("GE_Rage", "hero", "hero");
    }
    game.pass(4.0);
    let mut patched = Game::of([rage(8.0)]);
    let report = restore(&mut patched, &hero(&game));
    let outcomes: Vec<&CharacterOutcome> = report.entries.iter().map(|entry| &entry.outcome).collect();
    assert_eq!(outcomes[0], &CharacterOutcome::Reevaluated);
    assert_eq!(outcomes[1], &CharacterOutcome::StacksReduced { from: 3, to: 2 });
    assert_eq!(patched.current("hero", "Attack"), 116.0); // 100 + 2 × 8
    patched.pass(5.99);
    assert_eq!(patched.current("hero", "Attack"), 116.0);
    patched.pass(0.01); // the clock went on
    assert_eq!(patched.current("hero", "Attack"), 100.0);
}

#[test]
fn effect_with_only_a_name_starts_with_its_whole_duration() {
    let game = Game::of([EffectDef::lasting("GE_Haste", MagnitudeDef::expression("2 + Level")).modify(
        "Speed",
        Operation::Add,
        MagnitudeDef::expression("Target.Strength * Level"),
    )]);
    let attributes = vec![CharacterAttribute { name: "Strength".to_owned(), base: 30.0, current: None }];
    let character = Character {
        sets: vec![CharacterSet { name: "Unit".to_owned(), attributes }],
        effects: vec![CharacterEffect { level: 3.0, ..CharacterEffect::new("GE_Haste") }],
        abilities: vec![CharacterAbility::new("GA_Unknown")],
        ..Character::default()
    };
    let mut other = elsewhere(&game);
    let report = restore(&mut other, &character);
    // Six attributes are new here, with their defaults; Speed is 400 + 30 × 3, for 2 + 3 seconds.
    let appeared =
        report.entries.iter().filter(|entry| matches!(entry.outcome, CharacterOutcome::Appeared { .. }));
    assert_eq!(appeared.count(), 6);
    assert_eq!(report.entries[0].outcome, CharacterOutcome::Unknown);
    assert_eq!(other.current("hero", "Speed"), 490.0);
    other.pass(4.99);
    assert_eq!(other.current("hero", "Speed"), 490.0);
    other.pass(0.01);
    assert_eq!(other.current("hero", "Speed"), 400.0);
}

#[test]
fn p9_limits_hold() {
    let mut game = Game::of([buff("GE_Buff", "Attack", Operation::Add, 1.0)]);
    for _ in 0..4 {
        game.apply("GE_Buff", "hero", "hero");
    }
    let character = hero(&game);
    let config = Config { max_effects_per_controller: 3, max_controllers: 1, ..Config::default() };
    let mut small = Simulation::new(game.sim.catalog().clone(), config);
    let (id, report) = small.restore_character(&character, &RestoreOptions::default()).unwrap();
    assert_eq!(small.current(id, game.attribute("Attack")), Some(103.0));
    assert_eq!(report.entries[0].outcome, CharacterOutcome::LimitReached(Limit::EffectsPerController));
    let hash = small.state_hash();
    let full = small.restore_character(&character, &RestoreOptions::default());
    assert_eq!(full, Err(RestoreError::LimitReached(1)));
    assert_eq!(small.state_hash(), hash);
}

#[test]
fn p9_limits_apply_to_restored_data() {
    let stacking = EffectDef::infinite("GE_Stack").stacking(StackingDef::by_target(0));
    let ticking = EffectDef::infinite("GE_Tick").every(0.001);
    let mut game = Game::build(|builder| {
        builder
            .effect(stacking)
            .effect(ticking)
            .ability(AbilityDef::new("GA").with_parameter("a", 1.0).with_parameter("b", 2.0))
    });
    for _ in 0..3 {
        game.apply("GE_Stack", "hero", "hero");
    }
    game.apply("GE_Tick", "hero", "hero");
    let ability = game.sim.catalog().ability("GA").unwrap();
    game.sim.grant(game.id("hero"), ability, 1).unwrap();
    game.sim.set_team(game.id("hero"), Some(Team::from("a long name"))).unwrap();
    let buffer = InputBufferConfig { size: 9, ..InputBufferConfig::default() };
    game.sim.set_input_buffer(game.id("hero"), buffer).unwrap();
    let character = hero(&game);

    let config = Config {
        max_stacks: 2,
        min_period: Span::millis(2),
        max_extras: 1,
        max_payload_bytes: 8,
        max_inputs_per_controller: 8,
        ..Config::default()
    };
    let mut strict = Simulation::new(game.sim.catalog().clone(), config);
    let (id, report) = strict.restore_character(&character, &RestoreOptions::default()).unwrap();
    let found = |outcome: CharacterOutcome| report.entries.iter().any(|entry| entry.outcome == outcome);
    assert!(found(CharacterOutcome::StacksReduced { from: 3, to: 2 }));
    assert!(found(CharacterOutcome::LimitReached(Limit::Period)));
    assert!(found(CharacterOutcome::LimitReached(Limit::Extras)), "two parameters");
    assert!(found(CharacterOutcome::LimitReached(Limit::PayloadBytes)), "the team's name");
    assert!(found(CharacterOutcome::LimitReached(Limit::InputsPerController)), "the buffer");
    let restored = strict.controller(id).unwrap();
    assert_eq!((restored.effects().len(), restored.abilities().len()), (1, 0));
    assert_eq!(restored.team(), None);
}

#[test]
fn conflicting_sets_are_rejected() {
    let set = |name: &str| AttributeSetDef::new(name).with(AttributeDef::new("Luck", 1.0));
    let game = Game::build(|builder| builder.attribute_set(set("One")).attribute_set(set("Two")));
    let named = |name: &str| CharacterSet { name: name.to_owned(), attributes: Vec::new() };
    let character = Character { sets: vec![named("One"), named("Two")], ..Character::default() };
    let mut other = elsewhere(&game);
    let hash = other.sim.state_hash();
    let refused = other.sim.restore_character(&character, &RestoreOptions::default());
    assert!(matches!(refused, Err(RestoreError::AttributeSets(_))), "{refused:?}");
    assert_eq!(other.sim.state_hash(), hash);
    let command = Command::RestoreCharacter { character: Box::new(character), options: Box::default() };
    assert!(matches!(other.sim.execute(command), Err(CommandError::Restore(_))));
}

#[test]
fn restore_command_equals_restore_call() {
    let mut game = Game::of([buff("GE_Buff", "Attack", Operation::Add, 1.0)]);
    game.apply("GE_Buff", "hero", "hero");
    let character = hero(&game);
    let (mut called, mut commanded) = (elsewhere(&game), elsewhere(&game));
    restore(&mut called, &character);
    let command = Command::RestoreCharacter { character: Box::new(character), options: Box::default() };
    let bytes = ugas_core::codec::to_bytes(&command);
    let command: Command = ugas_core::codec::from_bytes(&bytes).unwrap();
    let Ok(Outcome::Restored { controller, report }) = commanded.sim.execute(command) else {
        panic!("restored")
    };
    assert!(report.is_complete());
    assert_eq!(controller, called.id("hero"));
    assert_eq!(commanded.sim.state_hash(), called.sim.state_hash());
}

#[test]
fn v2_non_finite_numbers_are_left_out() {
    let mut game = Game::of([EffectDef::infinite("GE_Buff").modify(
        "Attack",
        Operation::Add,
        MagnitudeDef::SetByCaller { tag: "Data.Amount".to_owned(), default: Some(3.0) },
    )]);
    let spec = game.spec_with("GE_Buff", "hero", "Data.Amount", 5.0);
    game.apply_spec(&spec, "hero");
    let mut character = hero(&game);
    character.sets[0].attributes[0].base = f64::NAN;
    character.effects[0].set_by_caller[0].1 = f64::INFINITY;
    character.effects[0].magnitudes = Some(vec![("Attack".to_owned(), f64::NAN)]);
    let mut other = elsewhere(&game);
    let report = restore(&mut other, &character);
    assert_eq!(report.entries.iter().filter(|entry| entry.outcome == CharacterOutcome::NotFinite).count(), 2);
    assert_eq!(other.current("hero", "Health"), 100.0);
    assert_eq!(other.current("hero", "Attack"), 103.0);
    character.effects[0].level = f64::NAN;
    let mut other = elsewhere(&game);
    let report = restore(&mut other, &character);
    assert!(report.entries.iter().any(|entry| entry.kind == DefinitionKind::Effect));
    assert_eq!(effect_count(&other), 0);
}

#[test]
fn a_respawn_in_the_same_simulation_is_a_new_controller() {
    let mut game = Game::of([EffectDef::lasting("GE_Buff", 5.0).modify("Attack", Operation::Add, 9.0)]);
    game.apply("GE_Buff", "hero", "hero");
    game.pass(1.0);
    let (character, old) = (hero(&game), game.id("hero"));
    game.sim.despawn(old).unwrap();
    game.pass(60.0); // dead for a minute: no time passes for the character
    let report = restore(&mut game, &character);
    assert!(report.is_complete(), "{report}");
    assert_ne!(game.id("hero"), old);
    game.pass(3.99);
    assert_eq!(game.current("hero", "Attack"), 109.0);
    game.pass(0.01);
    assert_eq!(game.current("hero", "Attack"), 100.0);
}

#[test]
fn restoring_twice_equals_restoring_once() {
    let mut game = Game::of([
        EffectDef::lasting("GE_Poison", 9.0)
            .every(1.0)
            .modify("Health", Operation::Add, -1.0)
            .granting("State.Ill"),
        buff("GE_Buff", "MaxHealth", Operation::Add, 20.0),
    ]);
    game.apply("GE_Poison", "hero", "hero");
    game.pass(2.25);
    game.apply("GE_Buff", "hero", "hero");
    let first = hero(&game);
    let once = moved(&game);
    assert_eq!(hero(&once), first);
    assert_eq!(hero(&moved(&once)), first);
}

/// The catalog of a game with more in it, so that no id is what it was.
#[test]
fn ids_of_another_catalog_do_not_matter() {
    let effects = || {
        [
            EffectDef::lasting("GE_Poison", 9.0)
                .every(1.0)
                .modify("Health", Operation::Add, -1.0)
                .granting("State.Ill"),
            buff("GE_Buff", "MaxHealth", Operation::Add, 20.0).granting("State.Large"),
        ]
    };
    let mut game = Game::of(effects());
    game.apply("GE_Poison", "hero", "hero");
    game.apply("GE_Buff", "hero", "hero");
    let more = [tagging("Aaa.First"), tagging("State.Jolly"), buff("AAA", "Armor", Operation::Add, 1.0)];
    let mut other = Game::build(|builder| {
        let builder = builder.attribute_set(AttributeSetDef::new("Aaa").with(AttributeDef::new("Aaa", 1.0)));
        effects().into_iter().chain(more).fold(builder, CatalogBuilder::effect)
    });
    let report = restore(&mut other, &hero(&game));
    assert!(report.is_complete(), "{report}");
    assert_eq!(hero(&other), hero(&game));
}
