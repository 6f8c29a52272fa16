//! Instigators of effects, and what is captured of them (P5, P6).

use ugas_core::character::{CharacterOutcome, Instigator, Orphans, RestoreOptions};
use ugas_core::effect::magnitude::{CaptureFrom, MagnitudeDef};
use ugas_core::effect::{EffectContext, EffectDef, HitResult, StackingDef};
use ugas_core::id::ActorId;
use ugas_core::modifier::{ModifierDef, Operation};
use ugas_core::simulation::Spawn;

use super::{elsewhere, hero, restore, restore_with};
use crate::fixture::{Game, buff, tagging};

/// One effect that reads the source's Strength when it is made, one that follows it.
fn game() -> Game {
    Game::of([
        buff("GE_Train", "Strength", Operation::Add, 30.0),
        EffectDef::infinite("GE_Frozen").modify(
            "Attack",
            Operation::Add,
            MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 1.0).frozen(),
        ),
        EffectDef::infinite("GE_Live")
            .modify("Armor", Operation::Add, MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 0.5))
            .with(ModifierDef::new("Speed", Operation::Add, -40.0).while_source_has("State.Angry")),
        tagging("State.Angry"),
    ])
}

fn outcomes(report: &ugas_core::character::CharacterReport) -> Vec<&CharacterOutcome> {
    report.entries.iter().map(|entry| &entry.outcome).collect()
}

#[test]
fn captured_values_are_kept() {
    let mut game = game();
    game.apply("GE_Frozen", "wolf", "hero");
    game.apply("GE_Live", "wolf", "hero");
    game.apply("Tag:State.Angry", "wolf", "wolf");
    game.apply("GE_Train", "wolf", "wolf"); // Strength 50 becomes 80 after the capture
    // Attack 100 + 50 frozen; Armor 20 + 80 / 2 live; Speed 400 - 40 while the wolf is angry.
    let values = |game: &Game| ["Attack", "Armor", "Speed"].map(|name| game.current("hero", name));
    assert_eq!(values(&game), [150.0, 60.0, 360.0]);

    // No instigator: captured values stay, live reads are frozen (M5).
    let character = hero(&game);
    let mut alone = elsewhere(&game);
    let report = restore(&mut alone, &character);
    assert_eq!(outcomes(&report), [&CharacterOutcome::Orphaned, &CharacterOutcome::Orphaned]);
    assert_eq!(values(&alone), [150.0, 60.0, 360.0]);
    alone.pass(1.0);
    assert_eq!(values(&alone), [150.0, 60.0, 360.0]);

    // Another wolf takes its place: it is neither strong nor angry, until it is.
    let mut other = elsewhere(&game);
    let wolf = other.spawn("wolf", "Unit");
    let named =
        game.sim.character_named(game.id("hero"), |id| (id == game.id("wolf")).then(|| "wolf".to_owned()));
    let options = RestoreOptions::default().instigator("wolf", wolf);
    let report = restore_with(&mut other, &named.unwrap(), &options);
    // The live magnitude follows the new wolf: 20 + 50 / 2, and says so.
    assert_eq!(values(&other), [150.0, 45.0, 400.0]);
    assert_eq!(
        outcomes(&report),
        [
            &CharacterOutcome::ValueDiffers { was: 60.0, is: 45.0 },
            &CharacterOutcome::ValueDiffers { was: 360.0, is: 400.0 },
        ]
    );
    other.apply("GE_Train", "wolf", "wolf");
    other.apply("Tag:State.Angry", "wolf", "wolf");
    assert_eq!(values(&other), [150.0, 60.0, 360.0]);
}

#[test]
fn instigator_is_found_by_map_then_by_owner() {
    let mut game = game();
    let wolf = game.sim.spawn_with(Spawn::named("Unit").actor(ActorId(5))).unwrap();
    game.name("wolf", wolf);
    game.apply("GE_Live", "wolf", "hero");
    let character = hero(&game);
    let other = Instigator::Other { owner: Some(ActorId(5)), name: String::new() };
    assert_eq!(character.effects[0].instigator, other);
    let mut there = elsewhere(&game);
    let (first, second) = (there.spawn("first", "Unit"), there.spawn("second", "Unit"));
    there.sim.set_owner(first, Some(ActorId(5))).unwrap();
    let source = |game: &Game| {
        let hero = game.sim.controller(game.id("hero")).unwrap();
        game.active(hero.effects()[0]).source()
    };
    assert!(restore(&mut there, &character).is_complete());
    assert_eq!(source(&there), Some(first));
    let options = RestoreOptions::default().instigator(ActorId(5), second);
    assert!(restore_with(&mut there, &character, &options).is_complete());
    assert_eq!(source(&there), Some(second));
    // The hero has the same owner as the instigator, and is not it.
    let mut alone = elsewhere(&game);
    restore_with(&mut alone, &character, &RestoreOptions::default().owner(ActorId(5)));
    assert_eq!(source(&alone), None);
}

#[test]
fn effects_of_its_own_follow_the_new_controller() {
    let mut game = game();
    game.apply("GE_Live", "hero", "hero");
    let mut other = elsewhere(&game);
    assert!(restore(&mut other, &hero(&game)).is_complete());
    assert_eq!(other.current("hero", "Armor"), 45.0);
    other.apply("GE_Train", "hero", "hero");
    assert_eq!(other.current("hero", "Armor"), 60.0); // 20 + 80 / 2
}

#[test]
fn orphans_are_dropped_on_request() {
    let mut game = game();
    game.apply("GE_Frozen", "wolf", "hero");
    game.apply("GE_Live", "wolf", "hero");
    let character = hero(&game);
    let values = |game: &Game| ["Attack", "Armor"].map(|name| game.current("hero", name));
    for (orphans, expected) in [
        (Orphans::Keep, [150.0, 45.0]),
        (Orphans::DropFollowers, [150.0, 20.0]),
        (Orphans::Drop, [100.0, 20.0]),
    ] {
        let mut other = elsewhere(&game);
        let report = restore_with(&mut other, &character, &RestoreOptions::default().orphans(orphans));
        assert_eq!(values(&other), expected, "{report}");
    }
}

#[test]
fn source_despawned_before_the_capture_is_remembered() {
    let mut game = game();
    game.apply("GE_Live", "wolf", "hero");
    game.sim.despawn(game.id("wolf")).unwrap();
    assert_eq!(game.current("hero", "Armor"), 45.0);
    let mut once = elsewhere(&game);
    restore(&mut once, &hero(&game));
    assert_eq!(once.current("hero", "Armor"), 45.0);
    let mut twice = elsewhere(&game);
    restore(&mut twice, &hero(&once));
    assert_eq!(twice.current("hero", "Armor"), 45.0);
    assert_eq!(hero(&twice), hero(&once));
}

#[test]
fn stack_by_source_without_its_source_does_not_stack() {
    let mut game =
        Game::of([buff("GE_Mark", "Armor", Operation::Add, -1.0).stacking(StackingDef::by_source(0))]);
    game.apply("GE_Mark", "wolf", "hero");
    game.apply("GE_Mark", "wolf", "hero");
    let mut other = elsewhere(&game);
    restore(&mut other, &hero(&game));
    other.spawn("wolf", "Unit");
    other.apply("GE_Mark", "wolf", "hero");
    let stacks: Vec<u32> = hero(&other).effects.iter().map(|effect| effect.stacks).collect();
    assert_eq!(stacks, [2, 1]);
}

#[test]
fn whole_context_is_restored() {
    let mut game = Game::of([EffectDef::infinite("GE_Arrow")]);
    let context = EffectContext::of(game.id("hero"))
        .caused_by(ActorId(3))
        .from_object(ActorId(4))
        .with_hit(HitResult { location: [1.0, 2.0, 3.0], distance: 4.0, part: 5, ..HitResult::default() })
        .at([6.0, 7.0, 8.0]);
    let spec = game.sim.spec(game.effect("GE_Arrow"), 2.5, context.clone()).unwrap();
    game.apply_spec(&spec, "hero");
    let mut other = elsewhere(&game);
    restore(&mut other, &hero(&game));
    let active = other.sim.controller(other.id("hero")).unwrap().effects()[0];
    let mut expected = context;
    expected.source = Some(other.id("hero"));
    assert_eq!(other.active(active).spec().context(), &expected);
    assert_eq!(other.active(active).spec().level(), 2.5);
}

#[test]
fn random_stream_of_an_effect_continues() {
    let dice = EffectDef::lasting("GE_Dice", 60.0).every(1.0).modify(
        "Health",
        Operation::Add,
        MagnitudeDef::expression("-rand()"),
    );
    let mut game = Game::of([dice]);
    game.apply("GE_Dice", "hero", "hero");
    game.pass(3.0);
    let mut other = elsewhere(&game); // of another seed
    restore(&mut other, &hero(&game));
    game.pass(5.0);
    other.pass(5.0);
    assert_eq!(other.base("hero", "Health"), game.base("hero", "Health"));
}
