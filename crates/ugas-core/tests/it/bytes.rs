//! States and commands as bytes: golden files, damaged bytes, and error messages.
//!
//! `tests/golden` has one snapshot a format version, of a game in which as much as possible is under way.
//! `UPDATE_EXPECT=1` writes that of the present version if there is none, and never one that is there.

mod hostile;
mod story;

use std::path::PathBuf;

use ugas_core::ability::AbilityDef;
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, Definitions};
use ugas_core::codec::{self, DecodeErrorKind, from_bytes, to_bytes};
use ugas_core::command::Command;
use ugas_core::effect::{EffectDef, TagQueryDef, TagQueryItemDef};
use ugas_core::event::Event;
use ugas_core::modifier::Operation;
use ugas_core::prediction::{Prediction, Randomness};
use ugas_core::simulation::{Config, Role, Simulation, Snapshot};
use ugas_core::task::TaskDef;
use ugas_core::time::Span;

use crate::fixture::{Game, buff};

fn golden(version: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("snapshot-v{version}.bin"))
}

/// The rest of the story: hashes at each of its steps, and all events.
fn rest_of(mut sim: Simulation) -> (Vec<u64>, Vec<Event>) {
    sim.events().for_each(drop);
    let mut hashes = vec![sim.state_hash()];
    for _ in 0..40 {
        sim.advance(Span::millis(400));
        hashes.push(sim.state_hash());
    }
    (hashes, sim.events().collect())
}

/// The file of the present version is what is written today.
#[test]
fn golden_snapshot_is_encoded_unchanged() {
    let bytes = story::play().snapshot().to_bytes_with_rules();
    let path = golden(codec::VERSION);
    if std::env::var_os("UPDATE_EXPECT").is_some() && !path.exists() {
        std::fs::write(&path, &bytes).unwrap();
    }
    let stored = std::fs::read(&path).unwrap();
    assert!(bytes == stored, "the format changed: raise the version and keep reading the old one");
}

/// Files of all versions are read, and go on as the game does that was never written.
#[test]
fn golden_snapshots_stay_readable() {
    for version in 1..=codec::VERSION {
        let played = story::play();
        let stored = std::fs::read(golden(version)).unwrap();
        let read = Snapshot::from_bytes(&stored, played.catalog()).unwrap();
        assert_eq!(read.time(), played.now());
        // Before version 4, contexts had no tags of abilities (E13), and events came in another number (E1).
        let is_present = version >= 4;
        assert!(!is_present || read.state_hash() == played.state_hash());
        let mut restored = Simulation::new(story::catalog(), Config::seeded(99));
        restored.restore(&read).unwrap();
        assert_eq!(restored.inconsistencies(), [""; 0]);
        let mut migrated = Simulation::new(story::catalog(), Config::seeded(99));
        assert!(migrated.migrate(&stored).unwrap().entries.is_empty());

        let expected = rest_of(played);
        assert!(expected.1.len() > 50, "the story goes on: {} events", expected.1.len());
        let rest = rest_of(restored);
        assert!(!is_present || rest == expected);
        assert_eq!(rest_of(migrated), rest);
    }
}

/// The golden state is as rich as it is said to be.
#[test]
fn golden_snapshot_covers_all_kinds_of_state() {
    let sim = story::play();
    let hero = sim.controllers().next().unwrap().1;
    assert!(!hero.input_buffer().is_empty(), "buffered inputs");
    assert!(hero.activations().len() > 1 && sim.tasks_of(sim.controllers().next().unwrap().0).count() > 2);
    assert!(!hero.cues().is_empty() && hero.placement().is_some() && hero.team().is_some());
    assert_eq!(sim.runtime_effects().count(), 1);
    let effects: Vec<_> =
        sim.controllers().flat_map(|(_, c)| c.effects()).map(|id| sim.effect(*id).unwrap()).collect();
    assert!(effects.iter().any(|active| active.stacks() > 1), "stacks");
    assert!(effects.iter().any(|active| active.is_inhibited()), "inhibited");
    assert!(effects.iter().any(|active| active.next_tick().is_some()), "periodic");
    assert!(
        effects.iter().any(|active| active.status() == ugas_core::effect::EffectStatus::Queued),
        "queued"
    );
    assert!(
        hero.abilities().iter().any(|handle| sim.ability(*handle).unwrap().next_charge().is_some()),
        "charges"
    );
}

#[test]
fn commands_and_configurations_round_trip() {
    for command in story::commands() {
        assert_eq!(from_bytes::<Command>(&to_bytes(&command)).unwrap(), command);
    }
    for role in [Role::Authority, Role::Client, Role::Server] {
        let config =
            Config { role, prediction_seed: 11, audit: true, max_events: 3, ..Config::seeded(u64::MAX) };
        assert_eq!(from_bytes::<Config>(&to_bytes(&config)).unwrap(), config);
    }
}

/// Snapshots are small: they are sent to joining clients and stored every few seconds.
#[test]
fn snapshot_size_is_bounded() {
    let mut game = Game::of([buff("GE_Might", "Attack", Operation::Add, 20.0)]);
    game.activate("GE_Might", "hero", "wolf");
    // Two controllers with seven attributes of two values, up to four bytes each, and an effect.
    let bytes = game.sim.snapshot().to_bytes();
    assert!(bytes.len() < 250, "{} bytes", bytes.len());
}

#[test]
fn catalog_is_rebuilt_from_its_definitions() {
    let catalog = story::catalog();
    let bytes = to_bytes(catalog.definitions());
    let definitions: Definitions = from_bytes(&bytes).unwrap();
    assert_eq!(&definitions, catalog.definitions());
    // The story has native code, which is taken from a catalog that has it.
    let rebuilt = definitions.clone().build_with_natives_of(&catalog).unwrap();
    assert_eq!((rebuilt.hash(), rebuilt.definitions()), (catalog.hash(), catalog.definitions()));
    let nobody = Catalog::builder().build().unwrap();
    assert_eq!(
        definitions.build_with_natives_of(&nobody).unwrap_err().to_string(),
        "native code is missing: calculation `Calc_Native`, custom task `Ponder`, attribute `Armor (hooks)`; register it \
         with the catalog that provides it"
    );
}

/// The deepest that a catalog allows survives, on the stack of a thread like any other.
#[test]
fn deepest_definitions_round_trip() {
    let tasks = (0..63).fold(TaskDef::wait(1.0), |inner, _| TaskDef::Race(vec![vec![inner]]));
    let query = (0..62).fold(TagQueryDef::default(), |inner, _| TagQueryDef {
        all: vec![TagQueryItemDef::Query(inner), TagQueryItemDef::Tag("State.A".to_owned())],
        ..TagQueryDef::default()
    });
    let mut effect = EffectDef::infinite("GE_Deep");
    effect.application_query = query;
    let builder = Catalog::builder().ability(AbilityDef::new("GA_Deep").task(tasks)).effect(effect);
    let catalog = builder.build().unwrap_or_else(|errors| panic!("{errors}"));
    let definitions: Definitions = from_bytes(&to_bytes(catalog.definitions())).unwrap();
    assert_eq!(definitions.into_builder().build().unwrap().hash(), catalog.hash());
}

/// Fields that a version added round-trip, and change only the hash of a catalog that uses them.
#[test]
fn later_fields_of_definitions_round_trip() {
    let effect = || EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -5.0);
    let ability = || AbilityDef::new("GA_Hit").task(TaskDef::apply_to_target("GE_Hit"));
    let health = || AttributeDef::new("Health", 10.0);
    let build = |effect: EffectDef, ability: AbilityDef, health: AttributeDef| {
        let set = AttributeSetDef::new("Combat").with(health);
        Catalog::builder().attribute_set(set).effect(effect).ability(ability).build().unwrap()
    };
    let plain = build(effect(), ability(), health());
    let catalogs = [
        build(effect().predicted(Prediction::CosmeticOnly), ability(), health()),
        build(effect().randomness(Randomness::Predicted), ability(), health()),
        build(effect(), ability().predicted(Prediction::CosmeticOnly), health()),
        build(effect(), ability().randomness(Randomness::Predicted), health()),
        build(effect(), ability(), health().prediction_floor(1.0)),
    ];
    let mut hashes: Vec<u64> = catalogs.iter().chain([&plain]).map(|catalog| catalog.hash()).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 6, "each is another catalog");
    for catalog in catalogs {
        let definitions: Definitions = from_bytes(&to_bytes(catalog.definitions())).unwrap();
        assert_eq!(&definitions, catalog.definitions());
        assert_eq!(definitions.into_builder().build().unwrap().hash(), catalog.hash());
    }
}

#[test]
fn oversized_lists_are_rejected() {
    // 255 is no command; 44 is a batch of one command, again and again.
    let batches: Vec<u8> = [44, 1].repeat(100_000);
    let error = from_bytes::<Command>(&batches).unwrap_err();
    assert!(matches!(error.kind, DecodeErrorKind::TooDeep { .. }), "{error}");
    assert_eq!(
        from_bytes::<Command>(&[255]).unwrap_err().to_string(),
        "at byte 0: 255 is no variant of Command: the bytes are damaged, or a newer version wrote them; update to read them"
    );
}

#[test]
fn decode_error_says_what_to_do() {
    let sim = story::play();
    let (plain, with_rules) = (sim.snapshot().to_bytes(), sim.snapshot().to_bytes_with_rules());
    let other = Catalog::builder().build().unwrap();
    let (expected, found) = (other.hash(), sim.catalog().hash());
    let message = |bytes: &[u8]| Snapshot::from_bytes(bytes, &other).unwrap_err().to_string();
    let begin = format!(
        "at byte 5: the snapshot is of another catalog: its hash is {found:016x}, that of this one {expected:016x}; "
    );
    let load = "load it with the rules that it was saved under, or save with rules to be able to migrate";
    assert_eq!(message(&plain), format!("{begin}{load}"));
    assert_eq!(
        message(&with_rules),
        format!("{begin}use `Simulation::migrate`, for the old rules are with it")
    );
    let mut target = Simulation::new(other.clone(), Config::default());
    assert_eq!(target.migrate(&plain).unwrap_err().to_string(), format!("{begin}{load}"));

    let newer: Vec<u8> = [&plain[..4], &[9], &plain[5..]].concat();
    assert_eq!(
        message(&newer),
        "at byte 4: the format version is 9, and this build reads 1 to 6: read it with the version that wrote it, or update"
    );
    assert_eq!(
        message(b"GIF89a, an image"),
        "at byte 0: the bytes begin with [47, 49, 46, 38], not with [55, 47, 53, 4e]: this is something else"
    );
    assert_eq!(
        message(b"UG"),
        "at byte 0: the bytes end where 4 more are needed: the file was cut off, fetch or write it again"
    );
}
