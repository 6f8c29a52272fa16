//! Snapshots and characters: saving and restoring, with updated components.

use bevy_ugas::prelude::*;
use bevy_ugas::{Attributes, data};
use ugas::Snapshot;

use crate::fixture::*;

#[test]
fn restored_game_continues_identically() {
    let mut app = app();
    let (mage, wolf) = (spawn(&mut app, "Mage"), spawn(&mut app, "Wolf"));
    game(&mut app).apply("GE_Poison", mage, wolf).unwrap();
    run(&mut app, 1.5);
    let snapshot = game(&mut app).snapshot().unwrap();
    count_changes::<Attributes>(&mut app);
    run(&mut app, 1.0);
    changes::<Attributes>(&mut app);
    let (hash, health) = {
        let game = game(&mut app);
        (game.simulation().unwrap().state_hash(), game.current(wolf, "Health"))
    };
    game(&mut app).restore(&snapshot).unwrap();
    app.update();
    assert_eq!(get::<Attributes>(&app, wolf).current("Health"), Ok(55.0)); // one tick of 5
    assert_eq!(changes::<Attributes>(&mut app), 1); // of the wolf, not of the mage
    run(&mut app, 1.0 - 1.0 / f64::from(STEPS));
    let game = game(&mut app);
    assert_eq!(game.simulation().unwrap().state_hash(), hash);
    assert_eq!(game.current(wolf, "Health"), health);
}

#[test]
fn entities_newer_than_a_restored_snapshot_lose_their_controllers() {
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    let snapshot = game(&mut app).snapshot().unwrap();
    let wolf = spawn(&mut app, "Wolf");
    app.update();
    game(&mut app).restore(&snapshot).unwrap();
    app.update();
    assert_eq!(get::<GameplayController>(&app, wolf).id(), None);
    assert!(get::<Attributes>(&app, wolf).is_empty());
    assert!(get::<GameplayController>(&app, mage).id().is_some());
    // Despawned entities and their controllers do not come back.
    let snapshot = game(&mut app).snapshot().unwrap();
    app.world_mut().despawn(mage);
    game(&mut app).restore(&snapshot).unwrap();
    app.update();
    assert_eq!(game(&mut app).controller(mage), None);
    assert_eq!(game(&mut app).simulation().unwrap().controllers().count(), 0);
}

#[test]
fn snapshot_survives_encoding() {
    let mut app = app();
    let wolf = spawn(&mut app, "Wolf");
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    let mut snapshot = game(&mut app).snapshot().unwrap();
    let bytes = snapshot.state.to_bytes();
    game(&mut app).apply("GE_Hit", None, wolf).unwrap();
    let catalog = game(&mut app).catalog().unwrap().clone();
    snapshot.state = Snapshot::from_bytes(&bytes, &catalog).unwrap();
    game(&mut app).restore(&snapshot).unwrap();
    assert_eq!(game(&mut app).current(wolf, "Health"), Some(50.0)); // 60 - 10
}

#[test]
fn character_survives_saving_as_text() {
    let mut app = app();
    let mage = spawn(&mut app, "Mage");
    game(&mut app).apply("GE_Hit", None, mage).unwrap();
    game(&mut app).apply("GE_Poison", None, mage).unwrap();
    run(&mut app, 0.5);
    let text = data::character::to_yaml(&game(&mut app).character(mage).unwrap());
    app.world_mut().despawn(mage);

    let character = data::character::from_text("mage.yaml", text).unwrap();
    let mage = app.world_mut().spawn(GameplayController::from_character(character)).id();
    assert_eq!(get::<Attributes>(&app, mage).current("Health"), Ok(90.0)); // 100 - 10
    assert!(get::<Tags>(&app, mage).has("State.Debuff.Poisoned"));
    run(&mut app, 1.0);
    assert_eq!(get::<Attributes>(&app, mage).current("Health"), Ok(85.0)); // and a tick of 5
}

#[test]
fn snapshot_of_other_rules_is_refused() {
    let mut app = app();
    let snapshot = game(&mut app).snapshot().unwrap();
    let other = builder().effect(ugas::EffectDef::instant("GE_Another")).build().unwrap();
    game(&mut app).install(other).unwrap();
    assert!(matches!(game(&mut app).restore(&snapshot), Err(GameplayError::ForeignSnapshot(_))));
}
